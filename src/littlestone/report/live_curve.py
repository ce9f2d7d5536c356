"""The regret of a live learner over experts and its bound, round by round, as far as its books go."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.guarantee import MIXED, Verdict
from ..run.live_certificate import kind_of_books, live_certificate
from .curves import over_rows

if TYPE_CHECKING:
    from ..live.books import Books
    from ..live.live import Live
    from ..run.run_kinds import RunKind


class LiveCurve(NamedTuple):
    """Rounds, and of each the regret and its bound as if it had been the last; NaN where the bound is not known."""

    rounds: list[int]
    regret: list[float]
    bound: list[float]
    comparator: str
    theorem: str  # its id; empty where none bounds this regret


def live_curve(live: Live, books: Books) -> LiveCurve | None:
    """Regret and bound along the rounds that are certified; None before the first outcome.

    Of the theorem in the headline; where that is about a mixture of experts, which cannot be followed, of the next
    best one; where no theorem holds, the regret to the best expert alone.
    """
    kind = kind_of_books(live, books)
    if not books.rounds:
        return None
    rounds, rows = books.noted_rows()
    for v in followed(list(live_certificate(live, books))):
        found = over_rows(kind, v, rounds, rows)
        if found is not None:
            t, regret, bound = (values.tolist() for values in found)
            end = v.regret, v.regret_bound
            return ended(LiveCurve(t, regret, bound, v.comparator, v.guarantee.id), books, *end)
    return to_best_expert(kind, books, rounds, rows)


def followed(verdicts: list[Verdict]) -> list[Verdict]:
    """Theorems that hold and compare with one expert or one sequence, the one that promises most first."""
    usable = [
        v
        for v in verdicts
        if v.verdict in ("kept", "broken") and v.index != MIXED and not math.isnan(v.regret)
    ]
    return sorted(usable, key=lambda v: v.comparator_loss + v.regret_bound)


def to_best_expert(
    kind: RunKind, books: Books, rounds: list[int], rows: list[dict[str, Any]]
) -> LiveCurve:
    """The regret to the best expert, without a bound."""
    i = kind.best_expert
    end = books.loss - float(books.totals.L[i])
    along, unknown = [float(row["loss"] - row["L"][i]) for row in rows], [math.nan] * len(rows)
    return ended(LiveCurve(rounds, along, unknown, kind.expert_name(i), ""), books, end, math.nan)


def ended(curve: LiveCurve, books: Books, regret: float, bound: float) -> LiveCurve:
    """The curve with the last round that is certified."""
    if not curve.rounds or curve.rounds[-1] < books.certified:
        curve.rounds.append(books.certified)
        curve.regret.append(regret)
        curve.bound.append(bound)
    return curve
