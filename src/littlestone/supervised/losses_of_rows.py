"""The loss of each test row, from predictions and outcomes that are checked row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner

LOSSES = {
    "absolute": lambda y, p: np.abs(y - p),
    "square": lambda y, p: (y - p) ** 2,
}


def predicted(model: Any, X: Any, y: Any) -> tuple[Any, Any, Any]:
    """Outcomes, predictions and rows, equally many; `model` predicts, or is the predictions."""
    if isinstance(model, Learner):
        given(X, model)
        p, rows = model.frozen()(X), X
    elif hasattr(model, "predict"):
        given(X, model)
        try:
            p, rows = model.predict(X), X
        except ValueError as problem:
            raise BadInput(f"{type(model).__name__} cannot predict these rows: {problem}") from None
    else:
        p, rows = model, X
        if y is None:  # certify(predictions, y)
            y, rows = X, None
    if y is None:
        raise BadInput("y_test: the outcomes of the test rows are missing")
    y, p = column(y, "the outcomes"), column(p, "the predictions")
    if len(y) != len(p):
        raise BadInput(
            f"there are {len(y):,} outcomes and {len(p):,} predictions: they must be of the same rows"
        )
    if not len(y):
        raise BadInput("there are no test rows: nothing can be claimed without one")
    return y, p, rows


def given(X: Any, model: Any) -> None:
    """Refuse a model without rows to predict."""
    if X is None:
        raise BadInput(
            f"X_test: {type(model).__name__} predicts rows, and there are none: certify(model, X_test, y_test)"
        )


def column(v: Any, what: str) -> Any:
    """A vector without missing entries."""
    a = v.to_numpy() if hasattr(v, "to_numpy") else np.asarray(v)
    a = a.reshape(-1) if a.ndim == 2 and 1 in a.shape else a
    if a.ndim != 1:
        raise BadInput(
            f"{what} must be one a row; their shape is {a.shape}"
            + ("; give labels, not a probability a class" if a.ndim == 2 else "")
        )
    missing = np.array([x is None or x != x for x in a.tolist()], bool)
    if missing.any():
        raise BadInput(
            f"{what}: row {int(np.argmax(missing)) + 1} is missing; leave the row out, or fill it in"
        )
    return a


def labels_differ(y: Any, p: Any, model: Any, notes: list[str]) -> Any:
    """In which rows the predicted label is wrong; refuses probabilities and numbers in the place of labels."""
    known, said = set(y.tolist()), set(p.tolist())
    classes = getattr(model, "classes_", None)
    labels = known | (set() if classes is None else set(np.asarray(classes).tolist()))
    # a probability of exactly 0 or 1 looks like a label; one number between labels shows that all are probabilities
    between = (
        np.array([v != np.floor(v) and v not in labels for v in p.tolist()], bool)
        if p.dtype.kind == "f"
        else np.zeros(len(p), bool)
    )
    if between.any():
        r = int(np.argmax(between))
        kind = "probabilities" if p.min() >= 0.0 and p.max() <= 1.0 else "numbers"
        raise BadInput(
            f"the predictions look like {kind}, not labels (row {r + 1} is {p[r]:g}, the outcomes are "
            f"{a_few(known)}): give labels, or loss='square' with range="
        )
    if (y.dtype.kind in "iufb") != (p.dtype.kind in "iufb") and not said & known:
        raise BadInput(
            f"the predictions ({a_few(said)}) and the outcomes ({a_few(known)}) have no label in common: "
            "give both as the same labels"
        )
    never = said - labels
    if never and len(known) > 1 and not said.isdisjoint(labels):
        rows = int(sum(v in never for v in p.tolist()))
        notes.append(
            f"note: rows predicted {a_few(never)}, which no outcome is: {rows:,}; they count as errors"
        )
    if len(said) == 1 and len(known) > 1:
        notes.append(f"note: every prediction is {next(iter(said))!r}")
    if classes is not None:
        new = known - set(np.asarray(classes).tolist())
        if new:
            rows = int(sum(v in new for v in y.tolist()))
            notes.append(
                f"note: {rows:,} rows have labels that the model never saw ({a_few(new)}); they count as errors"
            )
    return np.array([a != b for a, b in zip(y.tolist(), p.tolist(), strict=True)], bool)


def losses_of(y: Any, p: Any, loss: Any, limits: Any) -> tuple[Any, float, float]:
    """The loss of each row, all of them inside the declared range."""
    try:
        low, high = (float(v) for v in limits)
    except (TypeError, ValueError):
        raise BadInput(f"range must be two numbers (low, high), not {limits!r}") from None
    if not low < high < np.inf or low == -np.inf:
        raise BadInput(f"range must have low < high, both finite, not {limits!r}")
    if not callable(loss) and loss not in LOSSES:
        raise BadInput(
            f"loss must be 'zero-one', {', '.join(map(repr, LOSSES))} or a function of (y, prediction), not {loss!r}"
        )
    try:
        y, p = y.astype(float), p.astype(float)
    except (TypeError, ValueError):
        raise BadInput("outcomes and predictions must be numbers for this loss") from None
    cost = np.asarray((loss if callable(loss) else LOSSES[loss])(y, p), float)
    if cost.shape != y.shape:
        raise BadInput(f"the loss must give one number a row, not shape {cost.shape}")
    bad = ~((cost >= low) & (cost <= high))
    if bad.any():
        r = int(np.argmax(bad))
        raise BadInput(
            f"row {r + 1}: its loss is {cost[r]:g} (outcome {y[r]:g}, prediction {p[r]:g}), outside the declared range "
            f"[{low:g}, {high:g}]: declare a range that every row keeps to"
        )
    return cost, low, high


def a_few(values: set[Any]) -> str:
    """A few of the values, in order."""
    shown = sorted(map(repr, values))
    return ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")
