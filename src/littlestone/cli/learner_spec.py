"""Learners from the words of a command line: NAME:alpha=0.1, -p, --loss, --load."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..core import registry
from ..core.errors import BadFile, BadInput
from ..core.learner import Learner, hints
from ..play.written_learner import learner_with, refuse_mixed, split_settings
from .command_options import CommandOptions

if TYPE_CHECKING:
    from ..graphs.algorithms.graph import Graph

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
    "numbers": (
        "online-linear-regression",
        "normalized-adaptive",
        "adagrad",
        "ogd",
        "eg-plus-minus",
    ),
}
ON_GRAPHS = ("spanning-trees", "spine", "neighbour-majority")  # with --graph


def learner_of(spec: str, options: CommandOptions) -> AnyLearner:
    """A learner from `NAME` or `NAME:alpha=0.1,eta=2`, with --loss and -p."""
    key, own = split_spec(spec)
    graph = graph_of(options, (key,))
    return make(key, scaled(key, [*options.settings, *split_settings(own)]), options.loss, graph)


def graph_of(options: CommandOptions, keys: tuple[str, ...]) -> Graph | None:
    """The graph of --graph, which all these learners take as a parameter."""
    if options.graph is None:
        if "loops" in options.written:
            raise BadInput(f"--loops {options.loops} is about edges of a graph: add --graph FILE")
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

    `kind`: what the data hold, see `data_kind`; it is needed only where no learner is named.

    Those that predict numbers are scored alike, with the square loss unless another is asked for; those that tell
    classes apart keep their own loss, as mistakes compare them.
    """
    named = options.learners or (ON_GRAPHS if options.graph is not None else DEFAULTS[str(kind)])
    specs = tuple(dict.fromkeys(named))
    parts = [split_spec(spec) for spec in specs]
    graph = graph_of(options, tuple(key for key, _ in parts))
    examples = {registry.learner(key).examples for key, _ in parts}
    refuse_mixed([registry.learner(key) for key, _ in parts])
    if options.learners or options.graph is not None:
        kind = "losses" if options.losses else "examples" if examples == {True} else "advice"
    known = {key: hints(type(registry.learner(key))) for key, _ in parts}
    for setting in options.settings:
        name = setting.partition("=")[0]
        if not any(name in parameters for parameters in known.values()):
            lacking = (
                f"none of {', '.join(known)} has a"
                if len(known) > 1
                else f"{next(iter(known))} has no"
            )
            raise BadInput(f"-p {setting}: {lacking} parameter {name!r}")
    numbers = kind in ("advice", "numbers") or options.classes is False
    loss = options.loss or ("square" if numbers else None)
    if options.loss and not any("loss" in parameters for parameters in known.values()):
        raise BadInput(f"--loss {options.loss}: none of {', '.join(known)} takes a loss")
    found = []
    for spec, (key, own) in zip(specs, parts, strict=True):
        shared = [s for s in options.settings if s.partition("=")[0] in known[key]]
        mine = split_settings(own)  # what was written comes last, and counts
        settings = scaled(key, [*shared, *mine] if options.learners else [*mine, *shared])
        found.append((spec, make(key, settings, loss if "loss" in known[key] else None, graph)))
    return found


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


def scaled(key: str, settings: list[str]) -> list[str]:
    """The settings, with normalise=true where a learner has it and nothing that was written goes without it.

    A table of a stranger has features of any scale; by its name alone a learner takes them as they are.

    >>> scaled("ogd", ["loss=square"]), scaled("ogd", ["eta=0.1"])
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
    brought = {"learners": "--learner", "loss": "--loss", "settings": "-p", "graph": "--graph"}
    brought["loops"] = "--loops"
    for name, flag in brought.items():
        if name in written:
            raise BadInput(f"--load and {flag}: {path} brings a learner with all its parameters")
    if "interval" in written:
        raise BadInput(f"--load and --interval: {path} brings the interval that it began with")
    found: Any = store.load(path)
    if isinstance(found, dict):
        if not options.by_column:
            raise BadInput(
                f"{path} holds {len(found):,} learners, one for each key: say which column holds the keys, with --by"
            )
        options, found = replace(options, by_key=found), next(iter(found.values()))
    elif options.by_column:
        raise BadInput(
            f"--load and --by: {path} holds one learner, not one for each key; leave --by out, or start with --save "
            "and --by"
        )
    if store.holds_intervals(path):
        raise BadFile(
            f"{path} holds intervals, not a learner: go on with `littlestone intervals FILE --load {path}`, or predict "
            f"with `littlestone predict {path} FILE`"
        )
    if not isinstance(found, Learner):
        raise BadFile(f"{path} holds a {type(found).__name__.lower()}, not a learner")
    live = found.live
    if live is None:
        raise BadFile(f"{path} holds a {found.key} that has not seen a round: use --learner")
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
