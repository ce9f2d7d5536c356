"""Predictions for many rows at once; nothing is learned from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.game import ONE
from ..core.outcome import Outcome
from ..core.rows import BIG, count, flat, width_of, with_constant
from ..core.vectors import Rows, row
from ..encode.compact_places import compact, places
from ..encode.example_rows import matrix, within
from ..encode.named_rows import columns_of, each_row, holds_rows, in_order
from ..encode.running_means import find_gaps
from ..encode.strings import every_string
from ..encode.vocabulary import every_number
from ..engine.checks import array
from ..engine.compile import ready
from ..engine.loops import Out, play_rounds
from ..engine.memory import read_only
from ..settings.contexts import many_contexts
from ..settings.setting import named_by_user
from .loop_row import CHARGE, LOOK, NONE2
from .probabilities import probabilities

if TYPE_CHECKING:
    from .live import Live


def predict_rows(live: Live, x: Any) -> Any:
    """The predictions for many rows: a matrix, CSR, a frame, a list of rows or of dicts. Nothing is learned."""
    x = match_rows(live, x)
    if live.traits.kind.has_examples and not isinstance(x, list):
        return live.setting.decode(charge_rows(live, x, None)[1])
    said = []
    for t, row_ in enumerate(x):
        try:
            said.append(live.predict(row_))
        except BadInput as problem:
            raise problem.within(f"row {t + 1}", t + 1) from None
    return np.array(said)


def match_rows(live: Live, x: Any) -> Any:
    """Many rows, those of a frame by the names that the learner was trained on: a matrix, or a list of rows."""
    s: Any = live.setting
    if s.lags is not None and np.shape(x)[1:] != (s.width,):
        raise BadInput(
            f"{live.learner.key} predicts from outcomes of earlier rows (lags), one row after the other: predict(x), "
            "then update(x, y)"
        )
    if live.learner.strings:
        x = every_string(live.learner, x, s.width)
    names = columns_of(x)
    if live.traits.kind.has_arms:
        return many_contexts(x, s.columns)
    examples = live.traits.kind.has_examples
    if names is None:
        if not examples or (isinstance(x, list) and isinstance(x[0], Mapping)):
            return list(x)
        return matrix(every_number(live.learner.vocabulary, x))
    rows = every_number(live.learner.vocabulary, frame_rows(live, x), True)
    return array(rows, "examples", 2) if examples and not s.sparse else rows


def frame_rows(live: Live, x: Any) -> Any:
    """The rows of a frame by the names that the learner was trained on; other columns are passed over."""
    s: Any = live.setting
    known = s.hashed.names if s.sparse else s.categories.names or s.names
    if not s.sparse and not named_by_user(s.names):
        raise BadInput(
            f"this frame has names, and {live.learner.key} was trained on rows without: pass its numbers alone"
        )
    if not known:
        return each_row(x)
    chosen = [in_order(row_, known, "column", True) for row_ in each_row(x)]
    if s.categories.columns:
        return [s.dense(dict(zip(known, v, strict=True))) for v in chosen]
    if not s.sparse and s.missing and any(map(find_gaps, chosen)):
        return [s.named_numbers(v) for v in chosen]
    return [dict(zip(known, v, strict=True)) for v in chosen] if s.sparse else chosen


def predict_proba(live: Live, x: Any) -> Any:
    """The probability of each class by its label; for many rows a matrix, a column for each of `labels`."""
    if not holds_rows(x):
        return probabilities(live, x)
    rows = match_rows(live, x)
    if isinstance(rows, Rows):
        rows = [row(rows, t) for t in range(count(rows))]
    found = [probabilities(live, one) for one in rows]
    return np.array([[p.get(y, 0.0) for y in live.labels] for p in found])


def placed(live: Live, X: Any) -> tuple[Live, Any]:
    """Examples with their features in the places of a learner; a copy where new features need places of their own."""
    s: Any = live.setting
    if isinstance(X, Rows) != s.sparse:
        raise BadInput(
            f"{live.learner.key} began with {'sparse' if s.sparse else 'dense'} examples; these are not"
        )
    if not s.sparse:
        if X.shape[1] != s.width:
            raise BadInput(
                f"an example must have {s.width} features, as the first one, not {X.shape[1]}"
            )
        return live, X
    if s.compact:
        new = live.learner.weighs_unseen and bool((places(s.features, X.index, False) < 0).any())
        if new:
            live = live.copied()
            s = live.setting
        X = compact(s.features, X, new)
        if new:
            s.grow(width=len(s.features))
            live.fit()
    width = width_of(X)
    if width > live.shape.n - int(s.intercept) and live.learner.weighs_unseen:
        live = live.copied()
        s = live.setting
        s.grow(width=width)
        live.fit()
    place = live.shape.n - int(s.intercept)
    # features that it has never seen have weight 0
    return live, within(X, place) if width > place else X


def charge_rows(live: Live, x: Any, outcomes: Outcome | None) -> tuple[Any, Any, Any]:
    """Decisions, actions, and what each action costs where outcomes (coded) are given; NaN elsewhere."""
    live, X = placed(live, matrix(x))
    s: Any = live.setting
    T = count(X)
    s.check(X, Outcome(np.zeros(T), np.ones(T)), 0, "outcome")
    charge = outcomes is not None
    Y = read_only(outcomes if charge else Outcome(np.zeros(T), np.ones(T)))
    out = Out(
        np.empty((T, s.action_width)), np.full(T, np.nan), np.empty(T if s.traits.draws else 0), NONE2, NONE2,
        np.empty((T, live.decisions.shape[1])), NONE2,
    )  # fmt: skip
    loop, X = ready(play_rounds, live.params, live.game, live.engine), read_only(X)
    last = live.scratch.last.copy()
    live.scratch.stop[0] = -1.0
    loop(
        live.params, live.game, live.state, with_constant(X, s.intercept), Y, flat(X), out, live.scratch,
        live.seed, live.t, CHARGE if charge else LOOK, 1, 0, -BIG, BIG,
    )  # fmt: skip
    live.scratch.last[:] = last
    if live.scratch.stop[0] >= 0.0:
        live.scratch.stop[0] = -1.0
        s.fallback_game(X, Y, 0, {}, "")
    strange = s.find_undeclared(out.actions)
    if strange is not None:
        r = int(np.argmax(strange))
        raise live.row.bad_action(float(out.actions[r, 0]), live.t).within(f"row {r + 1}")
    A = out.actions[:, 0] if s.traits.width == ONE else out.actions
    return (out.decisions[:, 0] if s.traits.decision == ONE else out.decisions), A, out.costs
