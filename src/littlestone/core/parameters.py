"""Parameters as declared ranges: a bad value gets a message that names learner, parameter, range, value."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import numpy as np

from .errors import BadInput


class Interval(NamedTuple):
    """An interval of numbers; `closed` says which ends belong to it: "[]", "()", "[)" or "(]"."""

    low: float
    high: float
    closed: str = "[]"
    whole: bool = False  # whole numbers only

    def holds(self, v: float) -> bool:
        above = v >= self.low if self.closed[0] == "[" else v > self.low
        below = v <= self.high if self.closed[1] == "]" else v < self.high
        return above and below and (not self.whole or v == int(v))

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} in {self.closed[0]}{self.low:g}, {self.high:g}{self.closed[1]}"


class Choice(NamedTuple):
    """One of a few words."""

    words: tuple[str, ...]

    def holds(self, v: object) -> bool:
        return isinstance(v, str) and v in self.words

    def __str__(self) -> str:
        return "one of " + ", ".join(repr(w) for w in self.words)


Positive = Annotated[float, Interval(0.0, math.inf, "()")]
Magnitude = Annotated[
    float, Interval(1e-140, 1e140)
]  # neither it nor its inverse leaves the range of floats
Rate = Annotated[float | None, Interval(0.0, math.inf, "()")]  # None: follow the theorem
Share = Annotated[float | None, Interval(0.0, 1.0)]  # None: 1/t, which needs no horizon
Probability = Annotated[float, Interval(0.0, 1.0)]
Discount = Annotated[float, Interval(0.0, 1.0, "[)")]  # what a weight keeps after an error
Bit = Annotated[int, Interval(0, 1, "[]", True)]
Size = Annotated[int, Interval(1, 1 << 16, "[]", True)]  # of arrays that a round goes through
Count = Annotated[int, Interval(1, 1 << 20, "[]", True)]
EXACT = 2.0**53  # whole numbers up to here are floats without rounding


def split_hint(hint: Any) -> tuple[Any, Interval | Choice | None, bool]:
    """A field's annotation -> (its type, its declared range, may it be None)."""
    declared = None
    if get_origin(hint) is Annotated:
        hint, *extra = get_args(hint)
        declared = next((e for e in extra if isinstance(e, (Interval, Choice))), None)
    parts = get_args(hint)
    optional = type(None) in parts
    kinds = [p for p in parts if p is not type(None)] if optional else [hint]
    return (kinds[0] if len(kinds) == 1 else hint), declared, optional


def coerce(owner: str, name: str, hint: Any, v: Any) -> Any:
    """The value as its declared type, or BadInput: `eta=1` and `eta=1.0` are one signature."""
    kind, declared, optional = split_hint(hint)
    if v is None and optional:
        return None
    try:
        made = convert(kind, v)
        if declared is None or declared.holds(made):
            return made
    except (TypeError, ValueError, OverflowError):
        pass
    requirement = str(declared) if declared is not None else getattr(kind, "__name__", str(kind))
    if optional:
        requirement += " (or left out)"
    raise BadInput(f"{owner}: {name} must be {requirement}, not {v!r:.200}", field=name, value=v)


def convert(kind: Any, v: Any) -> Any:
    """The value as this type; an error where it is not one of its values."""
    if get_origin(kind) is tuple:
        return tuple(float(part) for part in v)
    if kind not in (bool, float, int):
        return v
    if kind is bool and not isinstance(v, (int, float, np.bool_, np.number)):
        raise TypeError
    if isinstance(v, (str, bytes)) or not math.isfinite(v):
        raise ValueError
    made = kind(v)
    if kind is not float and float(made) != float(v):  # neither 0 nor 1, or no whole number
        raise ValueError
    return made
