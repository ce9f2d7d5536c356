"""What was asked for: learners from words, and whether the options go together, before anything long begins."""

from __future__ import annotations

import difflib
import math
import re
from typing import Any

import click

from ..core import registry
from ..core.errors import BadFile, BadInput
from ..core.learner import Learner, hints
from ..core.parameters import split

AnyLearner = Learner[Any, Any, Any, Any]

OVER_LOSSES = ("hedge", "adahedge", "squint", "fixed-share", "tracker")
WITH_ADVICE = ("exponential-weights", "ml-poly", "boa", "fixed-share", "tracker")
WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def given(ctx: click.Context) -> set[str]:
    """The names of the options that the user wrote."""
    default = click.core.ParameterSource.DEFAULT
    return {name for name in ctx.params if ctx.get_parameter_source(name) is not default}


def check(o: dict[str, Any], said: set[str]) -> None:
    """Refuse options that contradict each other."""
    if o["file"] is None:
        for name in ("outcome", "experts", "losses", "by"):
            if name in said:
                raise BadInput(f"--{name} needs a FILE; without one the built-in stream is played")
    if o["losses"] and o["outcome"]:
        raise BadInput("--losses and --outcome: with losses there is nothing to predict")
    if o["losses"] and o["loss"]:
        raise BadInput("--losses and --loss: the columns are the losses already")
    if o["one_copy"] is not None and not o["delay"]:
        raise BadInput("--one-copy and --interleave are about late feedback: add --delay ROUNDS")
    if o["interval"]:
        low, high = o["interval"]
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise BadInput(f"--interval {low:g} {high:g}: the first must be less than the second")


def check_save(save: str | None, learner: AnyLearner, o: dict[str, Any]) -> None:
    if save is None:
        return
    if o["by"]:
        raise BadInput("--save keeps one learner, and --by makes one a key: leave one of them out")
    if o["delay"] and interleaved(learner, o):
        raise BadInput(
            f"--save keeps one learner, and --delay {o['delay']} makes {o['delay'] + 1} of them take "
            "turns: add --one-copy, or leave --save out"
        )


def interleaved(learner: AnyLearner, o: dict[str, Any]) -> bool:
    if o["one_copy"] is None:
        return not any(g.late for g in learner.guarantees)
    return not o["one_copy"]


# Learners from words.


def learner(spec: str, o: dict[str, Any]) -> AnyLearner:
    """A learner from `NAME` or `NAME:alpha=0.1,eta=2`, with --loss and -p."""
    key, _, own = spec.partition(":")
    return made(key, [*o["settings"], *pieces(own)], o["loss"])


def learners(specs: tuple[str, ...], o: dict[str, Any]) -> list[tuple[str, AnyLearner]]:
    """Several, scored alike: -p and the loss go to those that have such a parameter."""
    specs = specs or (OVER_LOSSES if o["losses"] else WITH_ADVICE)
    parts = [spec.partition(":") for spec in dict.fromkeys(specs)]
    known = {key: hints(type(registry.learner(key))) for key, _, _ in parts}
    for setting in o["settings"]:
        name = setting.partition("=")[0]
        if not any(name in parameters for parameters in known.values()):
            who = (
                f"none of {', '.join(known)} has a"
                if len(known) > 1
                else f"{next(iter(known))} has no"
            )
            raise BadInput(f"-p {setting}: {who} parameter {name!r}")
    loss = o["loss"] or (None if o["losses"] else "square")
    if o["loss"] and not any("loss" in parameters for parameters in known.values()):
        raise BadInput(f"--loss {o['loss']}: none of {', '.join(known)} takes a loss")
    found = []
    for spec, (key, _, own) in zip(dict.fromkeys(specs), parts, strict=True):
        theirs = [s for s in o["settings"] if s.partition("=")[0] in known[key]]
        one = made(key, [*theirs, *pieces(own)], loss if "loss" in known[key] else None)
        found.append((spec, one))
    return found


def pieces(text: str) -> list[str]:
    """
    >>> pieces("prior=0.5,0.5,eta=2")
    ['prior=0.5,0.5', 'eta=2']
    """
    return re.split(r",(?=\s*\w+=)", text) if text else []


def made(key: str, settings: list[str], loss: str | None) -> AnyLearner:
    """A learner from its key and its settings, read by their declared types."""
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
        values[name] = text if name == "loss" else parsed(setting, text, known[name])
    return registry.learner(key, **values)


def parsed(setting: str, text: str, hint: Any) -> Any:
    """The value, if it can be read as the declared type; else the text, which the learner will refuse by name."""
    kind, _, optional = split(hint)
    if optional and text.lower() in ("", "none", "unset"):
        return None
    if kind is bool:
        if text.lower() not in WORDS:
            raise BadInput(f"-p {setting}: write true or false")
        return WORDS[text.lower()]
    try:
        if kind in (int, float):
            number = float(text)
            return int(number) if kind is int and number.is_integer() else number
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        return text


def loaded(path: str, o: dict[str, Any], said: set[str]) -> AnyLearner:
    """A learner that was saved; it brings its parameters, its interval and its seed."""
    from ..core.store import load

    for name, flag in {"key": "--learner", "loss": "--loss", "settings": "-p"}.items():
        if name in said:
            raise BadInput(f"--load and {flag}: {path} brings a learner with all its parameters")
    if "interval" in said:
        raise BadInput(f"--load and --interval: {path} brings the interval that it began with")
    if o["by"]:
        raise BadInput("--load brings one learner, and --by makes one a key: leave one of them out")
    if o["delay"]:
        raise BadInput("--load and --delay do not go together: a saved learner goes on at once")
    found: Any = load(path)
    if not isinstance(found, Learner):
        raise BadFile(f"{path} holds a {type(found).__name__.lower()}, not a learner")
    live = found._live
    if live is None:
        raise BadFile(f"{path} holds a {found.key} that has not seen a round: use --learner")
    if "seed" not in said:
        o["seed"] = live.seed
    o["losses"] = live.allocation
    if live.allocation and o["outcome"]:
        raise BadInput(f"--outcome: {path} was trained on losses, and has nothing to predict")
    return found
