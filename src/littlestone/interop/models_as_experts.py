"""Models of scikit-learn and River as experts: what they forecast, round by round, before they see the outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Batch, Stream


def forecasts(
    models: Mapping[str, Any] | Sequence[Any],
    X: Any,
    y: Any,
    *,
    batch: int = 100,
    learn: bool = True,
) -> Stream:
    """A stream for learners over experts: one column a model, its forecast of each outcome.

    models  scikit-learn estimators (with `partial_fit` they go on learning; others stay as they are), River models,
            or functions of one example; a dict names them
    X, y    examples and their outcomes, numbers (for classes: 0 and 1)
    batch   scikit-learn models forecast so many rounds and then learn from them; River models learn after each round
    learn   False: nobody learns, all stay as they were fitted

    Classifiers forecast the probability of 1 where they know it, their label otherwise.

    >>> import littlestone as ls
    >>> run = ls.play(
    ...     "hedge",
    ...     forecasts({"zero": lambda x: 0.0, "same": lambda x: x[0]}, [[1.0], [1.0]], [1.0, 1.0]),
    ... )
    >>> run.names, run.experts.L.tolist()
    (('zero', 'same'), [2.0, 0.0])
    """
    if not isinstance(models, Mapping):
        models = {f"{i + 1} {type(m).__name__}": m for i, m in enumerate(models)}
    if not models:
        raise BadInput("models: there are none")
    if batch < 1:
        raise BadInput(f"batch must be at least 1, not {batch}")
    outcomes = np.asarray(y, float)
    if len(outcomes) != len(X):
        raise BadInput(f"X has {len(X)} rows, y has {len(outcomes)}")
    for name, m in models.items():
        if not (callable(m) or hasattr(m, "predict") or hasattr(m, "predict_one")):
            raise BadInput(f"models: {name!r} is a {type(m).__name__}, which forecasts nothing")
    made = batches(models, X, outcomes, batch, learn)
    return Stream(made, tuple(models), rounds=len(outcomes), source="models")


def batches(models: Mapping[str, Any], X: Any, y: Any, size: int, learn: bool) -> Iterator[Batch]:
    for at in range(0, len(y), size):
        some, truth = piece(X, at, size), y[at : at + size]
        columns = [one_by_one(m, some, truth, learn) if hasattr(m, "predict_one") or not hasattr(m, "predict")
                   else at_once(m, some, truth, learn) for m in models.values()]  # fmt: skip
        yield Batch(
            np.ascontiguousarray(np.stack(columns, axis=1)), np.ascontiguousarray(truth), at
        )


def piece(X: Any, at: int, size: int) -> Any:
    return X.iloc[at : at + size] if hasattr(X, "iloc") else X[at : at + size]


def at_once(model: Any, X: Any, y: Any, learn: bool) -> Any:
    """A scikit-learn model: a forecast for every row, then one step of learning."""
    sure = hasattr(model, "predict_proba")
    found = model.predict_proba(X)[:, -1] if sure else model.predict(X)
    if learn and hasattr(model, "partial_fit"):
        model.partial_fit(
            X, y.astype(getattr(model, "classes_", y).dtype) if hasattr(model, "classes_") else y
        )
    return np.asarray(found, float)


def one_by_one(model: Any, X: Any, y: Any, learn: bool) -> Any:
    """A River model, or a function: a forecast, and then the outcome, row by row."""
    rows = X.to_dict("records") if hasattr(X, "to_dict") else list(X)
    found = np.empty(len(y))
    for t, (x, truth) in enumerate(zip(rows, y.tolist(), strict=True)):
        if not hasattr(model, "predict_one"):
            found[t] = model(x)
            continue
        named = x if isinstance(x, dict) else {str(i): float(v) for i, v in enumerate(x)}
        if getattr(model, "predict_proba_one", None) is not None:
            p = model.predict_proba_one(named)
            found[t] = p.get(True, p.get(1, 0.5 if not p else 0.0))
            label: Any = bool(truth) if truth in (0.0, 1.0) else truth
        else:
            found[t], label = float(model.predict_one(named) or 0.0), truth
        if learn:
            model.learn_one(named, label)
    return found
