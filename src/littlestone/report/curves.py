"""Curves of a run over its rounds: its regret, the loss of a fixed predictor, and the bounds of its theorems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.guarantee import MIXED, SAME_IMPORTANCE, Symbols, Verdict, at_worst
from ..core.learner import measure_symbols
from ..hindsight.search.design import Design
from ..run.run import Run
from ..run.run_kinds import RunKind
from .each_round import each_round, kept_rounds
from .rivals import weights_of

Curve = tuple[Any, Any, Any]  # rounds, what was measured up to each, and its bound


def bound_curve(run: Run, v: Verdict) -> Curve | None:
    """Rounds, the regret (over examples: what is `charted`), and its bound, with all symbols as they were by then.

    None where that is not known: several copies took turns, no trace was kept, or the theorem says nothing here.
    """
    t = run.transcript
    if len(t.copies) > 1 or not t.folds.trace.t or v.verdict not in ("kept", "broken"):
        return None
    if v.guarantee.delayed:  # the rounds that were waited for are known at the end only
        return None
    if SAME_IMPORTANCE in v.guarantee.assumptions and not t.totals.even:  # it was divided out
        return None
    curve = BOUND_CURVES.get(run.traits.kind.name)
    return None if curve is None else curve(run, v)


# Over experts.


def over_experts(run: Run, v: Verdict) -> Curve | None:
    """The regret to one expert, or to the best sequence with some number of shifts."""
    if v.index == MIXED:
        return over_mixtures(run, v)
    trace = run.transcript.folds.trace
    return over_rows(run.kind, v, trace.t, trace.rows)


def over_rows(
    kind: RunKind, v: Verdict, rounds: list[int], rows: list[dict[str, Any]]
) -> Curve | None:
    """The same at these rounds, with a row of symbols for each: totals, and what the learner noted."""
    s, against = kind.transcript, v.guarantee.against
    if against not in ("expert", "sequence"):
        return None
    comparators = kind.sequences if against == "sequence" else kind.experts
    if comparators is None:
        return None
    base, noted = measure_symbols(s.learner, s.game, s.shape), s.learner.diagnostics
    t, regret, bound = [], [], []
    for at, row in zip(rounds, rows, strict=True):
        L = row["shifting"] if against == "sequence" else row["L"]
        known = Symbols(
            **(vars(base) | row | comparators.more | {"L": L, "R": row["R"], "V": row["V"]})
        )
        if "notes" in row:
            known.__dict__.update(zip(noted, row["notes"].tolist(), strict=True))
        total = np.broadcast_to(np.asarray(v.guarantee.bound(known), float), L.shape)[v.index]
        less = L[v.index] if v.guarantee.measures == "mistakes" else 0.0
        t.append(at)
        regret.append(row["loss"] - L[v.index])
        bound.append(total - less)
    return np.array(t), np.array(regret), np.array(bound)


def over_mixtures(run: Run, v: Verdict) -> Curve | None:
    """The regret to the best fixed mixture of the whole run; None where the rounds were not kept."""
    s, found = run.transcript, run.mixture
    if s.data is None or found is None or s.data.x is None:
        return None
    q, _ = found
    base, noted = measure_symbols(s.learner, s.game, s.shape), s.learner.diagnostics
    errors = s.data.x @ q - s.data.y
    L = np.cumsum(np.where(np.isnan(errors), 0.0, errors * errors))
    at, rows = np.array(s.folds.trace.t), s.folds.trace.rows
    if at[-1] - s.started > len(L):  # several passes
        return None
    bound = np.empty(len(rows))
    for i, row in enumerate(rows):
        known = Symbols(**(vars(base) | row | {"L": row["L"], "R": row["R"], "V": row["V"]}))
        if "notes" in row:
            known.__dict__.update(zip(noted, row["notes"].tolist(), strict=True))
        each = np.broadcast_to(np.asarray(v.guarantee.bound(known), float), q.shape)
        bound[i] = q @ each
    regret = np.array([row["loss"] for row in rows]) - L[at - s.started - 1]
    return at, regret, bound


# Over examples.


def charted(run: Run, v: Verdict) -> str:
    """What `bound_curve` follows over examples: the regret, or the number that the theorem is about."""
    measures = v.guarantee.measures
    mistakes = set(measures.split("|")) <= {"mistakes", "updates"} and run.traits.counts_mistakes
    if v.measured < run.loss:  # the theorem is not about all mistakes
        mistakes = False
    if measures == "regret" or (mistakes and v.guarantee.against == "linear"):
        return "regret"
    return measures.partition("|")[0]


def over_examples(run: Run, v: Verdict) -> Curve | None:
    """The regret and its bound; where comparators cannot be followed, the bounded number under its final bound."""
    s, g = run.transcript, v.guarantee
    sums = symbols_along(run, v)
    regret = charted(run, v) == "regret"
    if sums is None and regret:
        return None
    known = run.symbols(s.copies[0])
    known.__dict__.update(vars(measure_symbols(s.learner, s.game, s.shape)) | fixed_symbols(run, v))
    rows, names = s.folds.trace.rows, g.measures.split("|")
    found, bound = np.zeros(len(rows)), np.full(len(rows), v.bound)
    for i, row in enumerate(rows):
        known.__dict__.update(loss=row["loss"], mistakes=row["mistakes"])
        known.__dict__.update(zip(s.learner.diagnostics, row.get("notes", ()), strict=False))
        if sums is not None:
            known.__dict__.update({k: values[i] for k, values in sums.items()})
            known.__dict__.update(
                {k: sums[k][i : i + 1] for k in ("L", "H", "H2", "Q") if k in sums}
            )
        then = at_worst(g, known)  # where it holds after every round: the worst one so far
        if sums is not None:
            bound[i] = np.asarray(g.bound(then), float).reshape(-1)[0]
        found[i] = row["loss"] if regret else max(float(getattr(then, name)) for name in names)
    if regret and sums is not None:
        found = found - sums["L"]
        bound = bound if g.measures == "regret" else bound - sums["L"]
    return np.array(s.folds.trace.t), found, bound


BOUND_CURVES: dict[str, Callable[[Run, Verdict], Curve | None]] = {
    "advice": over_experts,
    "losses": over_experts,
    "arms": over_experts,
    "examples": over_examples,
}


def symbols_along(run: Run, v: Verdict) -> dict[str, Any] | None:
    """The symbols of the bound that change from round to round; None where they are not known."""
    counts = answered(run)
    if counts is None:
        return None
    if v.guarantee.against == "none":
        return {"T": counts[0]} | sizes_along(run)
    if v.guarantee.against != "linear":
        return None
    u = weights_of(run, v.comparator, v.index)
    return None if u is None else predictor_curve(run, u) | sizes_along(run)


def fixed_symbols(run: Run, v: Verdict) -> dict[str, Any]:
    """The symbols of a comparator that stay as they are."""
    u = weights_of(run, v.comparator, v.index) if v.guarantee.against == "linear" else None
    if u is None:
        return {}
    return {
        "U2": np.array([(u * u).sum()]),
        "U1": np.array([np.abs(u).sum()]),
        "norms": lambda q: np.array([np.linalg.norm(u.ravel(), q)]),
    }


def along(run: Run, each: Any) -> Any:
    """Sums of one number a round, up to each round of the trace; passes go over the same rounds again."""
    t = np.array(run.transcript.folds.trace.t) - run.transcript.started
    sums = np.concatenate([[0.0], np.cumsum(each)])
    whole, rest = np.divmod(t, max(1, len(each)))
    return whole * sums[-1] + sums[rest]


def answered(run: Run) -> tuple[Any, Any] | None:
    """Rounds with an answer, and their importance, up to each round of the trace; None where that was not kept."""
    rounds = kept_rounds(run)
    if rounds is not None:
        return along(run, rounds.known), along(run, np.where(rounds.known, rounds.h, 0.0))
    if run.answered < run.rounds or not run.transcript.totals.even:
        return None
    t = np.array(run.transcript.folds.trace.t, float) - run.transcript.started
    return t, t


def predictor_curve(run: Run, u: Any) -> dict[str, Any]:
    """The losses, mistakes, … of linear weights up to each round of the trace."""
    return {k: along(run, each) for k, each in each_round(run, u).items()}


def sizes_along(run: Run) -> dict[str, Any]:
    """R2, the largest |x|^2 so far, and X2, their sum so far."""
    rounds, s = kept_rounds(run), run.transcript
    if rounds is None:
        return {}
    squares = Design(rounds.x, rounds.intercept, rounds.width).norms2()
    t = np.minimum(np.array(s.folds.trace.t) - s.started, len(squares))
    return {"R2": np.maximum.accumulate(squares)[t - 1], "X2": along(run, squares)}
