"""The rows that an estimator was fitted to last, from which it is fitted again where it is not in memory."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.python_call import runs_in_python
from ..core.stream import Array
from .estimator import build_estimator, name_estimator
from .forgetting import are_among
from .one_thread import on_one_thread
from .row_window import RowWindow, rows_kept, window_without

GROWTH = 10  # by this part of the rows, the next fit is due
REFUSALS = (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError)  # of estimators
MODELS = 64  # that are kept fitted; others are fitted again when they are asked for


class FittedRows(NamedTuple):
    text: Any  # of the estimator, a code for each letter
    rows: Array
    outcomes: Array
    importances: Array
    features: int  # that there were then
    fingerprint: int  # of the rows; 0: nothing is fitted


def init_fitted_rows(text: str, n: int) -> FittedRows:
    """Before the first fit of an estimator to rows of n features."""
    return FittedRows(
        text=np.frombuffer(text.encode("ascii"), np.uint8).astype(np.int64),
        rows=np.zeros((0, n)),
        outcomes=np.zeros(0),
        importances=np.zeros(0),
        features=0,
        fingerprint=0,
    )


def fit_to(text: Any, window: RowWindow, z: Array, y: float, h: float) -> FittedRows:
    """Fit an estimator to the rows that are kept, in the order in which they came, and to one more."""
    kept, room, n = rows_kept(window), window.outcomes.shape[0], z.shape[0]
    oldest = window.seen % room if window.seen > room else 0
    rows, outcomes, importances = np.zeros((kept + 1, n)), np.zeros(kept + 1), np.zeros(kept + 1)
    for t in range(kept):
        at = (oldest + t) % room
        outcomes[t], importances[t] = window.outcomes[at], window.importances[at]
        for i in range(n):
            rows[t, i] = window.rows[at, i]
    outcomes[kept], importances[kept] = y, h
    for i in range(n):
        rows[kept, i] = z[i]
    return FittedRows(
        text=text,
        rows=rows,
        outcomes=outcomes,
        importances=importances,
        features=n,
        fingerprint=int(fit_estimator(text, rows, outcomes, importances)),
    )


def fitted_without(fitted: FittedRows, forgotten: Array, numbers: bool) -> tuple[FittedRows, int]:
    """The estimator fitted to the rows but these, and how many of them it was fitted to; in Python alone."""
    gone = are_among(fitted.rows, forgotten)
    removed = int(gone.sum())
    if removed == 0:
        return fitted, 0
    models.pop((text_of(fitted.text), fitted.fingerprint), None)
    rows, outcomes, importances = (v[~gone] for v in fitted[1:4])
    nothing = init_fitted_rows(text_of(fitted.text), fitted.rows.shape[1])
    if len(rows) == 0 or not (numbers or len(np.unique(outcomes)) > 1):
        return nothing, removed
    try:
        fingerprint = int(
            fit_estimator(fitted.text, rows[:, : fitted.features].copy(), outcomes, importances)
        )
    except BadInput:  # there are too few rows for it
        return nothing, removed
    return FittedRows(
        text=fitted.text,
        rows=rows,
        outcomes=outcomes,
        importances=importances,
        features=fitted.features,
        fingerprint=fingerprint,
    ), removed


def state_without(state: Any, rows: Array, numbers: bool) -> tuple[Any, int]:
    """The state of a refitted learner without these rows, and how many it held; in Python alone."""
    window, removed = window_without(state.window, rows)
    fitted, fitted_to = fitted_without(state.fitted, rows, numbers)
    refit_at = max(window.seen + 1, state.refit_at - (state.window.seen - window.seen))
    made = state._replace(window=window, fitted=fitted, refit_at=refit_at)
    return made, max(removed, fitted_to)


def next_fit(count: int, first: int, every: int) -> int:
    """The number of rows at which the next fit is due, after one at `count`.

    >>> next_fit(20, 20, 0), next_fit(1000, 20, 0), next_fit(1000, 20, 1)
    (40, 1100, 1001)
    """
    return count + (every if every > 0 else max(first, count // GROWTH))


# What is done in Python.

models: OrderedDict[tuple[str, int], Any] = OrderedDict()  # fitted, the last ones that were used


@runs_in_python
def fit_estimator(text: Any, rows: Array, outcomes: Array, importances: Array) -> float:
    """Fit an estimator to rows; their fingerprint, from which `fitted_model` finds it."""
    hash_ = hashlib.blake2b(digest_size=6)
    for v in (rows, outcomes, importances):
        hash_.update(f"{v.shape} ".encode() + v.tobytes())
    fingerprint = 1 + int.from_bytes(hash_.digest(), "little")
    fitted_model(text_of(text), fingerprint, rows, outcomes, importances)
    return float(fingerprint)


@runs_in_python
def set_class_probabilities(
    text: Any, rows: Array, outcomes: Array, importances: Array, features: int, fingerprint: int, z: Array, p: Array
) -> float:  # fmt: skip
    """Write the probabilities that a fitted estimator gives to the classes into p."""
    said = text_of(text)
    model = fitted_model(said, fingerprint, rows[:, :features], outcomes, importances)
    x = z[None, :features].copy()
    p[:] = 0.0
    try:
        probabilities = model.predict_proba
    except AttributeError:
        p[int(predict(said, model.predict, x)[0])] = 1.0
        return 1.0
    p[model.classes_.astype(np.int64)] = predict(said, probabilities, x)[0]
    return 1.0


@runs_in_python
def predict_number(
    text: Any, rows: Array, outcomes: Array, importances: Array, features: int, fingerprint: int, z: Array
) -> float:  # fmt: skip
    """What a fitted estimator predicts for a row."""
    said = text_of(text)
    model = fitted_model(said, fingerprint, rows[:, :features], outcomes, importances)
    return float(np.ravel(predict(said, model.predict, z[None, :features].copy()))[0])


def predict(said: str, ask: Callable[[Array], Any], x: Array) -> Any:
    """What a method of a fitted estimator says of a row."""
    try:
        found = np.asarray(ask(x), np.float64)
    except REFUSALS as problem:
        raise BadInput(f"{name_estimator(said)} cannot predict: {problem}") from None
    if not np.isfinite(found).all():
        raise BadInput(
            f"{name_estimator(said)} predicts {found.ravel()[:4]}: features may be too large or too small for it; "
            "multiply all of them by a constant, or take another estimator"
        )
    return found


def text_of(codes: Any) -> str:
    return bytes(codes.astype(np.uint8)).decode("ascii")


def fitted_model(
    said: str, fingerprint: int, rows: Array, outcomes: Array, importances: Array
) -> Any:
    """The estimator, fitted to these rows, whose fingerprint is given."""
    model = models.pop((said, fingerprint), None)
    if model is None:
        model = fit(said, rows.copy(), outcomes.copy(), importances.copy())
    models[said, fingerprint] = model  # the last one that was used
    while len(models) > MODELS:
        models.popitem(last=False)
    return model


def fit(said: str, rows: Array, outcomes: Array, importances: Array) -> Any:
    """Fit an estimator on one thread."""
    from sklearn.utils.validation import has_fit_parameter

    model, name = build_estimator(said), name_estimator(said)
    given = {}
    if not (importances == 1.0).all():
        if not has_fit_parameter(model, "sample_weight"):
            raise BadInput(
                f"{name} takes no importances: leave them out, or take another estimator"
            )
        given["sample_weight"] = importances
    try:
        with on_one_thread():
            model.fit(rows, outcomes, **given)
    except REFUSALS as problem:
        raise BadInput(
            f"{name} cannot be fitted to the {len(rows)} rows so far: {problem}"
        ) from None
    return model
