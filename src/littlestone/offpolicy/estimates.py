"""Estimates of a value, and how they print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.errors import BadInput
from .intervals import Interval


@dataclass(frozen=True)
class Estimate:
    """The value of a policy: its mean outcome a round."""

    method: str
    id: str  # in the ledger
    value: float
    normal: Interval  # right for many rows
    bernstein: Interval  # right for every number of rows
    note: str = ""  # what the limits rest on

    def __str__(self) -> str:
        return str(Estimates([self], 0, 0, math.nan, math.nan, math.nan))


@dataclass(frozen=True)
class Estimates:
    """Several estimates of one value, and how much of the log they rest on."""

    rows: Sequence[Estimate]
    T: int
    n: int
    # (sum w)^2 / sum w^2: so many rows of the policy's own would be as informative
    effective: float
    largest: float  # the largest weight
    delta: float
    caution: str = ""

    def __getitem__(self, method: str) -> Estimate:
        for row in self.rows:
            if row.method == method:
                return row
        raise BadInput(
            f"no estimate {method!r}; there are {', '.join(r.method for r in self.rows)}"
        )

    def __str__(self) -> str:
        sure = "" if math.isnan(self.delta) else f"{1.0 - self.delta:.6g} "
        head = ["method", "value", f"{sure}normal", f"{sure}Bernstein", "ledger"]
        body = [
            [r.method, f"{r.value:.4g}", str(r.normal), str(r.bernstein), r.id] for r in self.rows
        ]
        lines = []
        if self.T:
            lines.append(
                f"{self.T:,} rows, {self.n} arms; effective sample size {self.effective:,.1f}, "
                f"largest weight {self.largest:.4g}"
            )
        lines += table([head, *body])
        lines += [f"{r.method}: {r.note}" for r in self.rows if r.note]
        lines += [self.caution] if self.caution else []
        return "\n".join(lines)


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text as lines with even columns."""
    width = [max(map(len, c)) for c in zip(*rows, strict=True)]
    return ["  ".join(v.ljust(w) for v, w in zip(r, width, strict=True)).rstrip() for r in rows]
