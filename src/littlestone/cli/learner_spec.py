"""Learners from the words of a command line: NAME:alpha=0.1, -p, --loss, --load."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from typing import Any, get_args

from ..core import registry
from ..core.errors import BadFile, BadInput
from ..core.learner import Learner, hints
from ..core.parameters import split
from .parsed_options import Options

AnyLearner = Learner[Any, Any, Any, Any]

# The learners that `compare` plays by default, by the kind of the data.
DEFAULTS = {
    "losses": ("hedge", "adahedge", "squint", "fixed-share", "tracker"),
    "advice": ("exponential-weights", "ml-poly", "boa", "fixed-share", "tracker"),
    "classes": (
        "online-linear",
        "logistic",
        "passive-aggressive",
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
WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def learner_of(spec: str, options: Options) -> AnyLearner:
    """A learner from `NAME` or `NAME:alpha=0.1,eta=2`, with --loss and -p."""
    key, _, own = spec.partition(":")
    options = with_graph(options, (key,))
    return make(key, [*options.settings, *split_settings(own)], options.loss)


def with_graph(options: Options, keys: tuple[str, ...]) -> Options:
    """The options, with --graph as a parameter of the learners."""
    if options.graph is None:
        return options
    for key in keys:
        if "graph" not in hints(type(registry.learner(key))):
            raise BadInput(
                f"--graph: {key} knows of no graph; those that do: {', '.join((*ON_GRAPHS, 'graph-perceptron'))}"
            )
    return replace(options, settings=(*options.settings, f"graph={options.graph}"))


def learners_of(options: Options, kind: str | None) -> list[tuple[str, AnyLearner]]:
    """Several learners, each with its spec; -p and --loss go to those that have such a parameter.

    `kind`: what the data hold, see `data_kind`; it is needed only where no learner is named.

    Those that predict numbers are scored alike, with the square loss unless another is asked for; those that tell
    classes apart keep their own loss, as mistakes compare them.
    """
    named = options.learners or (ON_GRAPHS if options.graph is not None else DEFAULTS[str(kind)])
    specs = tuple(dict.fromkeys(named))
    parts = [spec.partition(":") for spec in specs]
    options = with_graph(options, tuple(key for key, _, _ in parts))
    examples = {registry.learner(key).examples for key, _, _ in parts}
    if len(examples) > 1:
        raise BadInput(
            "--learner: some learn from examples and some combine experts; compare learners of one kind"
        )
    if options.learners or options.graph is not None:
        kind = "losses" if options.losses else "examples" if examples == {True} else "advice"
    known = {key: hints(type(registry.learner(key))) for key, _, _ in parts}
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
    for spec, (key, _, own) in zip(specs, parts, strict=True):
        shared = [s for s in options.settings if s.partition("=")[0] in known[key]]
        settings = [*shared, *split_settings(own)]
        found.append((spec, make(key, settings, loss if "loss" in known[key] else None)))
    return found


def split_settings(text: str) -> list[str]:
    """NAME=VALUE,NAME=VALUE, where a value may hold commas.

    >>> split_settings("prior=0.5,0.5,eta=2")
    ['prior=0.5,0.5', 'eta=2']
    """
    return re.split(r",(?=\s*\w+=)", text) if text else []


def make(key: str, settings: list[str], loss: str | None) -> AnyLearner:
    """A learner from its key and its settings, whose values are read by their declared types."""
    known = hints(type(registry.learner(key)))
    values: dict[str, Any] = {}
    if loss is not None:
        if "loss" not in known:
            raise BadInput(f"--loss {loss}: {key} takes no loss")
        values["loss"] = loss
    for setting in settings:
        name, eq, text = (part.strip() for part in setting.partition("="))
        if not eq or not name:
            raise BadInput(f"-p {setting}: write NAME=VALUE, as in -p alpha=0.01")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}? Its" if near else "its"
            there = f"{hint} parameters: {', '.join(known)}" if known else "it has none"
            raise BadInput(f"-p {setting}: {key} has no parameter {name!r}; {there}")
        values[name] = text if name in ("loss", "graph") else value_of(setting, text, known[name])
    return registry.learner(key, **values)


def value_of(setting: str, text: str, hint: Any) -> Any:
    """The value, if it can be read as the declared type; else the text, which the learner will refuse by name."""
    kind, _, optional = split(hint)
    if optional and text.lower() in ("", "none", "unset"):
        return None
    if kind is bool:
        if text.lower() not in WORDS:
            raise BadInput(f"-p {setting}: write true or false")
        return WORDS[text.lower()]
    if kind is str or str in get_args(kind):  # a word, or a kernel or set by its name
        return text
    try:
        if kind in (int, float):
            number = float(text)
            return int(number) if kind is int and number.is_integer() else number
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        return text


def load(options: Options) -> tuple[Options, AnyLearner]:
    """The learner of --load, and the options with what it brings: its seed, and whether it learned from losses."""
    from ..door.play import bits_of
    from ..live import store

    path, written = str(options.load), options.written
    brought = {"key": "--learner", "loss": "--loss", "settings": "-p", "graph": "--graph"}
    for name, flag in brought.items():
        if name in written:
            raise BadInput(f"--load and {flag}: {path} brings a learner with all its parameters")
    if "interval" in written:
        raise BadInput(f"--load and --interval: {path} brings the interval that it began with")
    found: Any = store.load(path)
    if isinstance(found, dict):
        if not options.by:
            raise BadInput(
                f"{path} holds {len(found):,} learners, one for each key: say which column holds the keys, with --by"
            )
        options, found = replace(options, by_key=found), next(iter(found.values()))
    elif options.by:
        raise BadInput(
            f"--load and --by: {path} holds one learner, not one for each key; leave --by out, or start with --save "
            "and --by"
        )
    if store.holds_intervals(path):
        raise BadFile(
            f"{path} holds intervals, not a learner: go on with `littlestone run FILE --load {path}`, or predict with "
            f"`littlestone predict {path} FILE`"
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
    losses = live.traits.given in ("losses", "arms")
    if losses and options.outcome:
        raise BadInput(f"--outcome: {path} was trained on losses, and has nothing to predict")
    if "seed" in written and options.seed != live.seed:
        raise BadInput(
            f"--load and --seed {options.seed}: {path} goes on with the seed that it began with, "
            f"{live.seed}; leave --seed out"
        )
    return replace(options, seed=live.seed, losses=losses), found
