"""Learners from the words of a command line: NAME:alpha=0.1, -p, --loss, --load."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..core import registry
from ..core.errors import BadFile, BadInput
from ..core.learner import Learner, hints
from ..play.written_learner import learner_with, refuse_mixed, split_settings
from .command_options import CommandOptions

if TYPE_CHECKING:
    from ..graphs.algorithms.graph import Graph
    from ..live.live import Live

AnyLearner = Learner[Any, Any, Any, Any]

# The learners that `compare` plays by default, by the kind of the data.
DEFAULTS = {
    "losses": ("hedge", "adahedge", "squint", "fixed-share", "tracker"),
    "advice": ("exponential-weights", "ml-poly", "boa", "fixed-share", "tracker"),
    "classes": (
        "online-linear",
        "logistic",
        "passive-aggressive:variant=II",
        "averaged-perceptron",
        "perceptron",
    ),
    "several classes": (
        "online-linear",
        "softmax",
        "multiclass-passive-aggressive",
        "multiclass-perceptron",
    ),
    "numbers": (
        "online-linear-regression",
        "normalized-adaptive",
        "adagrad",
        "ogd",
        "eg-plus-minus",
    ),
}
BROUGHT = {
    "learners": "--learner",
    "loss": "--loss",
    "settings": "-p",
    "graph": "--graph",
    "loops": "--loops",
}  # what a learner that is loaded brings along
ON_GRAPHS = ("spanning-trees", "spine", "neighbour-majority")  # with --graph


def learner_of(spec: str, options: CommandOptions) -> AnyLearner:
    """A learner from `NAME` or `NAME:alpha=0.1,eta=2`, with --loss and -p."""
    key, own = split_spec(spec)
    graph = graph_of(options, (key,))
    return make(
        key, add_normalise(key, [*options.settings, *split_settings(own)]), options.loss, graph
    )


def graph_of(options: CommandOptions, keys: tuple[str, ...]) -> Graph | None:
    """The graph of --graph, which all these learners take as a parameter."""
    if options.graph is None:
        return None
    for key in keys:
        if "graph" not in hints(type(registry.learner(key))):
            raise BadInput(
                f"--graph: {key} knows of no graph; those that do: {', '.join((*ON_GRAPHS, 'graph-perceptron'))}"
            )
    from ..graphs.algorithms.build import graph

    try:
        return graph(options.graph, loops=options.loops)
    except BadInput as problem:
        raise BadInput(f"--graph: {problem}") from None


def learners_of(options: CommandOptions, kind: str | None) -> list[tuple[str, AnyLearner]]:
    """Several learners, each with its spec; -p and --loss go to those that have such a parameter.

    `kind`: what the data hold, see `kind_to_compare`; it is needed only where no learner is named.

    Those that predict numbers are scored alike, with the square loss unless another is asked for; those that tell
    classes apart keep their own loss, as mistakes compare them.
    """
    named = options.learners or (ON_GRAPHS if options.graph is not None else DEFAULTS[str(kind)])
    specs = tuple(dict.fromkeys(named))
    parts = [split_spec(spec) for spec in specs]
    graph = graph_of(options, tuple(key for key, _ in parts))
    examples = {registry.learner(key).examples for key, _ in parts}
    refuse_mixed([registry.learner(key) for key, _ in parts])
    known = {key: hints(type(registry.learner(key))) for key, _ in parts}
    refuse_unknown(options, known)
    if options.learners or options.graph is not None:
        kind = "losses" if options.losses else "examples" if examples == {True} else "advice"
    loss = loss_for(kind, options)
    found = []
    for spec, (key, own) in zip(specs, parts, strict=True):
        settings = settings_for(key, own, options, known[key])
        found.append((spec, make(key, settings, loss if "loss" in known[key] else None, graph)))
    return found


def settings_for(key: str, own: str, options: CommandOptions, known: Container[str]) -> list[str]:
    """The settings of one of several learners: its own, and those of -p that it knows; what was written last counts."""
    shared = [s for s in options.settings if s.partition("=")[0] in known]
    mine = split_settings(own)
    return add_normalise(key, [*shared, *mine] if options.learners else [*mine, *shared])


def loss_for(kind: str | None, options: CommandOptions) -> str | None:
    """The loss that all learners are charged; None: each its own."""
    numbers = kind in ("advice", "numbers") or options.classes is False
    return options.loss or ("square" if numbers else None)


def refuse_unknown(options: CommandOptions, known: Mapping[str, Container[str]]) -> None:
    """Refuse a parameter, or a loss, that none of these learners has; `known`: the parameters of each."""
    for setting in options.settings:
        name = setting.partition("=")[0]
        if not any(name in parameters for parameters in known.values()):
            several = len(known) > 1
            lacking = (
                f"none of {', '.join(known)} has a" if several else f"{next(iter(known))} has no"
            )
            raise BadInput(f"-p {setting}: {lacking} parameter {name!r}")
    if options.loss and not any("loss" in parameters for parameters in known.values()):
        raise BadInput(f"--loss {options.loss}: none of {', '.join(known)} takes a loss")


def split_spec(spec: str) -> tuple[str, str]:
    """The key and the settings of NAME:alpha=0.1, or of FILE.py:CLASS:alpha=0.1, whose file is then imported.

    >>> split_spec("fixed-share:alpha=0.1")
    ('fixed-share', 'alpha=0.1')
    """
    of_file = re.fullmatch(r"(.+\.py):(\w+)(?::(.*))?", spec)
    if of_file is None:
        key, _, own = spec.partition(":")
        if key.endswith(".py"):
            raise BadInput(f"{spec}: which class of this file? Write {key}:MyLearner")
        return key, own
    from .own_learner import key_in_file

    return key_in_file(of_file[1], of_file[2]), of_file[3] or ""


def add_normalise(key: str, settings: list[str]) -> list[str]:
    """The settings, with normalise=true where a learner has it and nothing that was written goes without it.

    A table of a stranger has features of any scale; by its name alone a learner takes them as they are.

    >>> add_normalise("ogd", ["loss=square"]), add_normalise("ogd", ["eta=0.1"])
    (['loss=square', 'normalise=true'], ['eta=0.1'])
    """
    made = type(registry.learner(key))
    written = {setting.partition("=")[0].strip() for setting in settings}
    if "normalise" not in hints(made) or written & {"normalise", *made.unscaled}:
        return settings
    return [*settings, "normalise=true"]


def make(key: str, settings: list[str], loss: str | None, graph: Graph | None = None) -> AnyLearner:
    """A learner from its key and its settings, whose values are read by their declared types."""
    values: dict[str, Any] = {} if graph is None else {"graph": graph}
    if loss is not None:
        if "loss" not in hints(type(registry.learner(key))):
            raise BadInput(f"--loss {loss}: {key} takes no loss")
        values["loss"] = loss
    return learner_with(key, settings, values)


def load(options: CommandOptions) -> tuple[CommandOptions, AnyLearner]:
    """The learner of --load, and the options with what it brings: its seed, and whether it learned from losses."""
    from ..live import store
    from ..play.rounds import bits_of

    path, written = str(options.load), options.written
    for name, flag in BROUGHT.items():
        if name in written:
            raise BadInput(f"--load and {flag}: {path} brings a learner with all its parameters")
    if "interval" in written:
        raise BadInput(f"--load and --interval: {path} brings the interval that it began with")
    found: Any = store.load(path)
    if isinstance(found, dict) and options.by_column:
        options, found = replace(options, by_key=found), next(iter(found.values()))
    else:
        refuse_keys(found, options)
    live = live_of(found, path)
    bits = bits_of(found)
    if bits and options.bits not in (None, bits):
        raise BadInput(
            f"--load and -b {options.bits}: {path} was trained on names hashed to 2^{bits} places; "
            "leave -b out"
        )
    if found.examples and "ngram" not in written:
        options = replace(options, ngram=live.setting.hashed.ngram)
    losses = live.traits.kind.shows_losses
    if losses and options.outcome:
        raise BadInput(f"--outcome: {path} was trained on losses, and has nothing to predict")
    if "seed" in written and options.seed != live.seed:
        raise BadInput(
            f"--load and --seed {options.seed}: {path} goes on with the seed that it began with, "
            f"{live.seed}; leave --seed out"
        )
    return replace(options, seed=live.seed, losses=losses), found


def refuse_keys(found: Any, options: CommandOptions) -> None:
    """Refuse learners of keys without --by, and --by without them."""
    if isinstance(found, dict):
        raise BadInput(
            f"{options.load} holds {len(found):,} learners, one for each key: say which column holds the keys, with "
            "--by"
        )
    if options.by_column:
        raise BadInput(
            f"--load and --by: {options.load} holds one learner, not one for each key; leave --by out, or start with "
            "--save and --by"
        )


def live_of(found: Any, path: str) -> Live:
    """The state of a learner that was loaded; anything else is refused."""
    from ..live import store

    if store.holds_intervals(path):
        raise BadFile(
            f"{path} holds intervals, not a learner: go on with `littlestone intervals FILE --load {path}`, or predict "
            f"with `littlestone predict {path} FILE`"
        )
    if not isinstance(found, Learner):
        raise BadFile(f"{path} holds a {type(found).__name__.lower()}, not a learner")
    if found.live is None:
        raise BadFile(f"{path} holds a {found.key} that has not seen a round: use --learner")
    live: Live = found.live
    return live
