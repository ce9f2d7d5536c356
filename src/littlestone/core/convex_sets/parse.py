"""Convex sets as a user gives them: a set, or a word for one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import BadInput
from ..named_tuples import field_or_none
from ..stream import Array
from .shapes import KINDS, Ball, Box, Everywhere, Halfspace, Intersection, Set, Shifted, Simplex

WORDS = "ball, ball:2, ball1:2, ballinf:2, box:-1:1, simplex, simplex:2, everywhere"


def parse_set(given: object, owner: str = "set") -> Set:
    """Make a set of what the user wrote; its numbers are checked and become floats.

    >>> parse_set("ball:2"), parse_set("box:0:1"), parse_set("simplex")
    (Ball(radius=2.0, norm=2.0), Box(low=0.0, high=1.0), Simplex(total=1.0))
    """
    if isinstance(given, KINDS):
        return check_set(given, owner)
    if isinstance(given, str):
        word, *rest = given.split(":")
        kinds: dict[str, tuple[int, Any]] = {
            "ball": (1, lambda r=1.0: Ball(r)),
            "ball1": (1, lambda r=1.0: Ball(r, 1.0)),
            "ball2": (1, lambda r=1.0: Ball(r)),
            "ballinf": (1, lambda r=1.0: Ball(r, math.inf)),
            "box": (2, lambda low=-1.0, high=1.0: Box(low, high)),
            "simplex": (1, lambda total=1.0: Simplex(total)),
            "everywhere": (0, Everywhere),
        }
        try:
            most, make = kinds[word]
            numbers = [float(v) for v in rest]
        except (KeyError, ValueError):
            most, make, numbers = -1, None, []
        if len(numbers) <= most:
            return check_set(make(*numbers), owner)
    raise BadInput(
        f"{owner}: set must be one of {WORDS}, or a set of littlestone.core.convex_sets, not {given!r:.80}"
    )


def check_set(B: Any, owner: str, inside: bool = False) -> Set:
    """Check a set, and make its numbers floats and arrays; an error says what is wrong with it."""
    if isinstance(B, Everywhere):
        return Everywhere()
    if isinstance(B, Ball):
        norm = number(B.norm, owner, "the norm of a ball")
        if norm not in (1.0, 2.0, math.inf):
            raise BadInput(f"{owner}: the norm of a ball must be 1, 2 or infinity, not {B.norm!r}")
        return Ball(positive(B.radius, owner, "the radius of a ball"), norm)
    if isinstance(B, Box):
        return checked_box(B, owner)
    if isinstance(B, Simplex):
        return Simplex(positive(B.total, owner, "the total of a simplex"))
    if isinstance(B, Halfspace):
        return checked_halfspace(B, owner)
    if isinstance(B, Shifted):
        if isinstance(B.body, (Intersection, Shifted)):
            raise BadInput(
                f"{owner}: shift the parts of an intersection, each once, not the whole of it"
            )
        return checked_shift(B, owner)
    if isinstance(B, Intersection):
        if any(isinstance(part, Intersection) for part in B):
            raise BadInput(
                f"{owner}: an intersection takes up to six sets, not another intersection"
            )
        return Intersection(*[check_set(part, owner, True) for part in B])
    raise BadInput(f"{owner}: {B!r:.80} is not a set" + " (within another one)" * inside)


def checked_box(B: Box, owner: str) -> Box:
    """A box whose low side is below the high one."""
    low, high = number(B.low, owner, "a side of a box"), number(B.high, owner, "a side of a box")
    if not (low < high and math.isfinite(low) and math.isfinite(high)):
        raise BadInput(f"{owner}: a box must have low < high, not [{low:g}, {high:g}]")
    return Box(low, high)


def checked_shift(B: Shifted, owner: str) -> Set:
    """A set that is shifted; of a halfspace, the halfspace that it becomes."""
    body, by = check_set(B.body, owner, True), vector(B.by, owner, "the shift of a set")
    if isinstance(body, Halfspace):
        fits(body, len(by), owner)
        return Halfspace(body.a, body.b + float(body.a @ by))
    return Shifted(body, by)


def checked_halfspace(B: Halfspace, owner: str) -> Halfspace:
    """A halfspace whose normal has length 1."""
    a, b = vector(B.a, owner, "the normal of a halfspace"), number(B.b, owner, "its offset")
    far = float(np.linalg.norm(a / np.abs(a).max())) * float(np.abs(a).max()) if a.any() else 0.0
    if far == 0.0 or not math.isfinite(b):
        raise BadInput(f"{owner}: a halfspace <a, z> <= b needs some a other than 0, and b finite")
    return Halfspace(a / far, b / far)


def number(v: object, owner: str, what: str) -> float:
    try:
        made = float(v)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise BadInput(f"{owner}: {what} must be a number, not {v!r:.80}") from None
    if math.isnan(made):
        raise BadInput(f"{owner}: {what} must be a number, not NaN")
    return made


def positive(v: object, owner: str, what: str) -> float:
    made = number(v, owner, what)
    if not 0.0 < made < math.inf:
        raise BadInput(f"{owner}: {what} must be a positive number, not {v!r:.80}")
    return made


def vector(v: Any, owner: str, what: str) -> Array:
    try:
        made = np.ascontiguousarray(v, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{owner}: {what} must be a list of numbers, not {v!r:.80}") from None
    if made.ndim != 1 or not np.isfinite(made).all():
        raise BadInput(f"{owner}: {what} must be a list of finite numbers, not {v!r:.80}")
    return np.array(made)


def fits(B: Set, n: int, owner: str) -> None:
    """Refuse a set whose vectors are not of n coordinates."""
    if isinstance(B, Intersection):
        for part in B:
            fits(part, n, owner)
    for v, what in ((field_or_none(B, "a"), "a halfspace"), (field_or_none(B, "by"), "a shift")):
        if v is not None and len(v) != n:
            raise BadInput(f"{owner}: {what} has {len(v)} coordinates, the data have {n}")
    if isinstance(B, Shifted):
        fits(B.body, n, owner)
