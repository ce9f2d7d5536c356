"""Learners as they are written in a word: NAME, or NAME:alpha=0.1,eta=2; and which of them can be compared."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from ..core import registry
from ..core.errors import BadInput
from ..core.learner import hints
from ..core.parameters import split_hint
from .request import AnyLearner

WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def refuse_mixed(learners: Sequence[AnyLearner]) -> None:
    """Refuse learners that cannot be played over the same rounds."""
    for kinds, said in (
        ({one.bandit for one in learners}, "some are bandits and some see every loss"),
        (
            {one.examples for one in learners},
            "some learn from examples and some combine experts",
        ),
    ):
        if len(kinds) > 1:
            raise BadInput(f"learners: {said}; compare learners of one kind")


def split_settings(text: str) -> list[str]:
    """NAME=VALUE,NAME=VALUE, where a value may hold commas.

    >>> split_settings("prior=0.5,0.5,eta=2")
    ['prior=0.5,0.5', 'eta=2']
    """
    return re.split(r",(?=\s*\w+=)", text) if text else []


def learner_with(key: str, settings: Sequence[str], values: Mapping[str, Any]) -> AnyLearner:
    """A learner from its key, settings NAME=VALUE, which are read by their declared types, and more parameters.

    >>> learner_with("fixed-share", ["alpha=0.1"], {"loss": "square"}).alpha
    0.1
    """
    known, made = hints(type(registry.learner(key))), dict(values)
    for setting in settings:
        name, eq, text = (part.strip() for part in setting.partition("="))
        if not eq or not name:
            raise BadInput(f"parameter {setting}: write NAME=VALUE, as in alpha=0.01")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}? Its" if near else "its"
            there = f"{hint} parameters: {', '.join(known)}" if known else "it has none"
            raise BadInput(f"parameter {setting}: {key} has no parameter {name!r}; {there}")
        made[name] = text if name in ("loss", "graph") else value_of(setting, text, known[name])
    return registry.learner(key, **made)


def value_of(setting: str, text: str, hint: Any) -> Any:
    """The value, if it can be read as the declared type; else the text, which the learner will refuse by name."""
    kind, _, optional = split_hint(hint)
    if optional and text.lower() in ("", "none", "unset"):
        return None
    if kind is bool:
        if text.lower() not in WORDS:
            raise BadInput(f"parameter {setting}: write true or false")
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
