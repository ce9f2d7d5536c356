"""One measured figure: what it was, what it is set beside, and what was asked of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

SECONDS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))
BYTES = (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0))


@dataclass
class Figure:
    """A quantity of which less is better, and a peer's.

    The target is about the `quantity` itself, or about the "ratio" to the peer; or it asks to be at
    least so many times "faster" than the peer. Without a target the figure is there to be known.
    """

    name: str
    quantity: float
    unit: str  # "s", "B" or anything else
    peer: str
    limit: float  # the same quantity of the peer; NaN where there is none
    target: float | None = None
    on: str = "quantity"  # or "ratio", "faster"
    note: str = ""
    group: str = ""

    @property
    def ratio(self) -> float:
        """Times the peer's; for "faster", how many times faster than the peer."""
        over, under = self.quantity, self.limit
        if self.on == "faster":
            over, under = under, over
        return over / under if under else math.nan

    @property
    def ok(self) -> bool | None:
        if self.target is None:
            return None
        if self.on == "faster":
            return self.ratio >= self.target
        return (self.ratio if self.on == "ratio" else self.quantity) <= self.target

    @property
    def goal(self) -> str:
        """The target in words."""
        if self.target is None:
            return ""
        if self.on == "quantity":
            return f"≤ {amount(self.target, self.unit)}"
        return f"≥ {self.target:g} x faster" if self.on == "faster" else f"≤ {self.target:g} x"

    def row(self) -> list[str]:
        """The cells of the table, its last one left out."""
        known = not math.isnan(self.limit)
        ratio = f"{self.ratio:.3g} x{' faster' * (self.on == 'faster')}" if known else ""
        beside = f"{self.peer}: {amount(self.limit, self.unit)}" if known else self.peer
        return [self.name, amount(self.quantity, self.unit), beside, ratio, self.goal]

    def record(self) -> dict[str, Any]:
        """As JSON, which knows no NaN."""
        numbers = {"measured": self.quantity, "limit": self.limit, "ratio": self.ratio}
        return {
            "group": self.group,
            "figure": self.name,
            "unit": self.unit,
            "peer": self.peer,
            **{k: v if math.isfinite(v) else None for k, v in numbers.items()},
            "target": self.target,
            "on": self.on,
            "ok": self.ok,
            "note": self.note,
        }


def amount(v: float, unit: str) -> str:
    """A quantity with a unit that suits it.

    >>> amount(2.5e-7, "s"), amount(390_000, "B"), amount(10.051, "MSE")
    ('250 ns', '390 kB', '10.051 MSE')
    """
    scales = {"s": SECONDS, "B": BYTES}.get(unit)
    if scales is None:
        return f"{v:.5g} {unit}"
    name, scale = next((s for s in scales if abs(v) >= s[1]), scales[-1])
    return f"{v / scale:.3g} {name}"
