"""Models of the outcome of each arm, fitted so that no row is predicted from itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.registry import learner
from ..core.stream import Array
from ..engine.checks import array
from ..play.play import play
from .logged import LoggedDecisions

FEW = 2_000  # fewer rows are played in plain code: compiling would take longer
MODELS = ("mean", "logistic", "linear")
LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "logistic": ("logistic", {"normalise": True, "intercept": True}),
    "linear": ("normalized-adaptive", {"loss": "square", "intercept": True}),
}


def folds_of(T: int, folds: int) -> NDArray[np.int64]:
    """The fold of each row: row t is in fold t mod `folds`, whatever the data are."""
    if not (isinstance(folds, int) and 2 <= folds <= T):
        raise BadInput(f"folds must be a whole number from 2 to the number of rows, not {folds!r}")
    return np.arange(T) % folds


def predictions(log: LoggedDecisions, model: Any, folds: int) -> Array:
    """T x n: the outcome expected of each arm in each row, from the other folds (of an adaptive log, earlier ones).

    model   "mean": of each arm; "logistic", "linear": online models of context and arm, from this package;
            None: "mean" without contexts, else "logistic" for outcomes of two values and "linear" for others;
            a T x n array of predictions that were made without these rows.

    >>> log = LoggedDecisions([0, 1, 0, 1], rewards=[1.0, 0.0, 0.0, 1.0], propensities=0.5)
    >>> predictions(
    ...     log, "mean", 2
    ... )  # the first row: arm 0 was not seen in the second and fourth, arm 1 twice
    array([[0.5, 0.5],
           [0.5, 0.5],
           [0.5, 0.5],
           [0.5, 0.5]])
    """
    if not (model is None or isinstance(model, str)):
        return model_or_default(log, model)
    if model is None:
        two = np.all((log.outcomes == log.interval[0]) | (log.outcomes == log.interval[1]))
        model = "mean" if log.contexts is None else "logistic" if two else "linear"
    if model not in MODELS:
        raise BadInput(f"model {model!r}: one of {', '.join(MODELS)}, or T x n predictions")
    if model != "mean" and log.contexts is None:
        raise BadInput(f"model {model!r} needs contexts, and this log has none; take 'mean'")
    fold = folds_of(len(log), folds)
    if log.adaptive:  # later rows depend on this one: only earlier rows may predict it
        fold = np.sort(fold)
    q = np.full((len(log), log.n), sum(log.interval) / 2.0)
    for k in range(1 if log.adaptive else 0, folds):
        here = fold == k
        seen = log.where(fold < k if log.adaptive else ~here)
        q[here] = means(seen) if model == "mean" else linear(seen, log.where(here), model)
    return np.asarray(np.clip(q, *log.interval))


def model_or_default(log: LoggedDecisions, model: Any) -> Array:
    q: Array = array(model, "model", 2)
    if q.shape != (len(log), log.n):
        raise BadInput(f"model: predictions of shape {q.shape}; they must be {len(log)} x {log.n}")
    low, high = log.interval
    bad = np.argwhere(~((q >= low) & (q <= high)))
    if len(bad):
        t, a = bad[0]
        raise BadInput(f"model, row {t + 1}, arm {a}: {q[t, a]:g} is not in [{low:g}, {high:g}]")
    return q


def means(seen: LoggedDecisions) -> Array:
    """The mean of each arm, to which the mean of all rows is added as one more row: it stands for an arm never seen."""
    overall = seen.outcomes.mean()
    total = np.bincount(seen.arms, weights=seen.outcomes, minlength=seen.n)
    return np.asarray((total + overall) / (np.bincount(seen.arms, minlength=seen.n) + 1.0))


def linear(seen: LoggedDecisions, wanted: LoggedDecisions, model: str) -> Array:
    """Predict with an online linear model over the context, the arm, and their products."""
    key, parameters = LEARNERS[model]
    low, high = seen.interval
    y = seen.outcomes
    if model == "logistic":
        y = np.where(y > (low + high) / 2.0, 1.0, -1.0)
    options: dict[str, Any] = {"certify": False, "record": "all"}
    if len(seen) <= FEW:
        options["engine"] = "plain"
    run = play(learner(key, **parameters), features(seen, seen.arms), y, **options)
    q = np.empty((len(wanted), wanted.n))
    unknown = np.full(len(wanted), np.nan)
    for a in range(wanted.n):
        rows = features(wanted, np.full(len(wanted), a))
        predicted = play(run.learner, rows, unknown, resume=True, **options)
        s = np.asarray(predicted.scores)
        q[:, a] = low + (high - low) / (1.0 + np.exp(-s)) if model == "logistic" else s
    return q


def features(log: LoggedDecisions, arms: NDArray[np.int64]) -> Any:
    """Sparse rows (x, arm, x of that arm): 2 d + 1 entries."""
    from scipy.sparse import csr_array

    x = log.contexts
    assert x is not None
    T, d = x.shape
    own = d + log.n + arms[:, None] * d + np.arange(d)
    index = np.hstack([np.broadcast_to(np.arange(d), (T, d)), d + arms[:, None], own])
    value = np.hstack([x, np.ones((T, 1)), x])
    rows = csr_array(
        (value.ravel(), index.ravel(), np.arange(T + 1) * (2 * d + 1)),
        shape=(T, d + log.n + log.n * d),
    )
    rows.eliminate_zeros()
    return rows
