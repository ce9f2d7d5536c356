"""A bound that a user conjectures in place of a theorem's, and the comparators that it is about.

A theorem may be about some comparators only: Novikoff's about those that separate the classes. It says so by an
infinite bound for all others. A conjecture in its place is about the same comparators, and, where the user states
conditions, about those that meet them: for all others it is infinite too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from .condition import Condition
from .digits import Number

Bound = Callable[[Symbols], Any]
# symbols that comparators of a kind have, beside those that a theorem names
MEASURED = {"linear": ("R2", "U2", "H", "H2"), "expert": ("L",), "sequence": ("L", "k")}


def symbols(g: Guarantee, examples: bool) -> tuple[str, ...]:
    """The names that a bound or a condition in place of this theorem's may use."""
    known = [*g.uses, "T", "d" if examples else "n", *MEASURED.get(g.against, ())]
    if {"U2", "H"} <= set(known):
        known.append("margin")
    return tuple(dict.fromkeys(known))


class Conjecture:
    """`bound` for the comparators that the theorem covers and `where` admits; infinite for others."""

    def __init__(self, theorem: Guarantee, bound: Bound, where: Condition | None = None) -> None:
        self.theorem, self.bound, self.where = theorem, bound, where

    def __call__(self, s: Symbols) -> Any:
        s = with_margin(s)
        return np.where(self.covers(s), np.asarray(self.bound(s), float), np.inf)

    def covers(self, s: Symbols) -> Any:
        """Say which comparators the bound is about."""
        with np.errstate(all="ignore"):
            covered = np.isfinite(np.asarray(self.theorem.bound(s), float))
        return covered if self.where is None else covered & np.asarray(self.where(s), bool)

    def exactly(self, s: Symbols, bound: Bound) -> Any:
        """The bound in fifty digits: `bound` is this one's in such numbers, and `s` holds such numbers."""
        covered = self.covers(with_margin(in_floats(s)))
        value = bound(s)
        if not np.shape(covered):
            return value if covered else Number(np.inf)
        beyond: Any = Number(np.inf)
        value = np.broadcast_to(np.asarray(value, object), np.shape(covered))
        return np.where(covered, value, beyond)


def with_margin(s: Symbols) -> Symbols:
    """The symbols with the margin of u: 1 / |u| where y <u, x> >= 1 in every round, else 0."""
    known = vars(s)
    if "margin" in known or not {"U2", "H"} <= set(known):
        return s
    with np.errstate(all="ignore"):
        margin = np.where(np.asarray(s.H) == 0, 1.0 / np.sqrt(s.U2), 0.0)
    return Symbols(**known, margin=margin)


def in_floats(s: Symbols) -> Symbols:
    """Symbols of fifty digits as floats."""

    def as_float(v: Any) -> Any:
        if isinstance(v, Number):
            return float(v)
        if isinstance(v, np.ndarray) and v.dtype == object:
            return v.astype(float)
        return v

    return Symbols(**{name: as_float(v) for name, v in vars(s).items()})
