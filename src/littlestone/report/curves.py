"""A run over examples along its trace: what a fixed predictor lost by then, and what its theorems allowed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.guarantee import Verdict
from ..core.learner import measured
from ..hindsight.search.design import Design
from ..run.run_examples import ExampleRun
from .each_round import counted, each_round
from .rivals import weights

# Along the trace.


def along(run: ExampleRun, each: Any) -> Any:
    """Sums of one number a round, up to each round of the trace; passes go over the same rounds again."""
    t = np.array(run._s.books.trace.t) - run._s.started
    sums = np.concatenate([[0.0], np.cumsum(each)])
    whole, rest = np.divmod(t, max(1, len(each)))
    return whole * sums[-1] + sums[rest]


def answered(run: ExampleRun) -> tuple[Any, Any] | None:
    """Rounds with an answer, and their importance, up to each round of the trace; None where nobody kept them."""
    if run._data is not None:
        known = np.isfinite(run._data.y) & (run._data.h > 0.0)
        return along(run, known), along(run, np.where(known, run._data.h, 0.0))
    if run.answered < run.rounds or not run._s.books.even:  # type: ignore[attr-defined]
        return None
    t = np.array(run._s.books.trace.t, float) - run._s.started
    return t, t


def predictor_curve(run: ExampleRun, u: Any) -> dict[str, Any]:
    """The losses, mistakes, … of linear weights up to each round of the trace."""
    return {k: along(run, each) for k, each in each_round(run, u).items()}


def sizes_along(run: ExampleRun) -> dict[str, Any]:
    """R2, the largest |x|^2 by then, and X2, their sum."""
    data, s = run._data, run._s
    if data is None:
        return {}
    squares = Design(data.x, bool(s.intercept), s.shape.n - int(s.intercept)).norms2()
    t = np.minimum(np.array(s.books.trace.t) - s.started, len(squares))
    return {"R2": np.maximum.accumulate(squares)[t - 1], "X2": along(run, squares)}


# Theorems.


def charted(run: ExampleRun, v: Verdict) -> str:
    """What `bound_curve` follows: the regret, or the number that the theorem is about."""
    named = v.guarantee.measures
    counts = set(named.split("|")) <= {"mistakes", "updates"}
    if named == "regret" or (counts and counted(run) and v.guarantee.against == "linear"):
        return "regret"
    return named.partition("|")[0]


def bound_curve(run: ExampleRun, v: Verdict) -> tuple[Any, Any, Any] | None:
    """Rounds, what is `charted`, and its bound, with all symbols as they were by then.

    Where comparators cannot be followed, a number that the theorem is about is drawn under the bound of the end.
    """
    s, g = run._s, v.guarantee
    if len(s.copies) > 1 or not s.books.trace.t or v.verdict not in ("kept", "broken"):
        return None
    if g.delayed:  # who was waited for is counted at the end
        return None
    sums = symbols_along(run, v)
    regret = charted(run, v) == "regret"
    if sums is None and regret:
        return None
    known = run._example_symbols(s.copies[0], None)
    known.__dict__.update(vars(measured(s.learner, s.game, s.shape)) | fixed_symbols(run, v))
    rows, names = s.books.trace.rows, g.measures.split("|")
    found, bound = np.zeros(len(rows)), np.full(len(rows), v.bound)
    for i, row in enumerate(rows):
        known.__dict__.update(loss=row["loss"], mistakes=row["mistakes"])
        known.__dict__.update(zip(s.learner.noted, row.get("notes", ()), strict=False))
        if sums is not None:
            known.__dict__.update({k: values[i] for k, values in sums.items()})
            known.__dict__.update(
                {k: sums[k][i : i + 1] for k in ("L", "H", "H2", "Q") if k in sums}
            )
            bound[i] = np.asarray(g.bound(known), float).reshape(-1)[0]
        found[i] = row["loss"] if regret else max(float(getattr(known, name)) for name in names)
    if regret and sums is not None:
        found = found - sums["L"]
        bound = bound if g.measures == "regret" else bound - sums["L"]
    return np.array(s.books.trace.t), found, bound


def symbols_along(run: ExampleRun, v: Verdict) -> dict[str, Any] | None:
    """The symbols that change from round to round; None where they are not known."""
    counts = answered(run)
    if counts is None:
        return None
    if v.guarantee.against == "none":
        return {"T": counts[0]} | sizes_along(run)
    if v.guarantee.against != "linear":
        return None
    u = weights(run, v.comparator, v.index)
    return None if u is None else predictor_curve(run, u) | sizes_along(run)


def fixed_symbols(run: ExampleRun, v: Verdict) -> dict[str, Any]:
    """The symbols of a comparator that stay as they are."""
    u = weights(run, v.comparator, v.index) if v.guarantee.against == "linear" else None
    if u is None:
        return {}
    return {
        "U2": np.array([(u * u).sum()]),
        "U1": np.array([np.abs(u).sum()]),
        "norms": lambda q: np.array([np.linalg.norm(u.ravel(), q)]),
    }
