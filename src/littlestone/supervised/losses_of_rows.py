"""The loss of each test row, from predictions and outcomes that are checked row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner
from .estimators import has_classes, predicts, without_names
from .typed_values import is_missing

APART = "they count as different labels"
LOSSES = {
    "absolute": lambda y, p: np.abs(y - p),
    "square": lambda y, p: (y - p) ** 2,
}


def predicted(model: Any, X: Any, y: Any) -> tuple[Any, Any, Any]:
    """Outcomes, predictions and rows, equally many; `model` predicts, or is the predictions."""
    if isinstance(model, Learner):
        refuse_no_rows(X, model)
        p, rows = model.frozen()(X), X
    elif predicts(model):
        refuse_no_rows(X, model)
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


def refuse_no_rows(X: Any, model: Any) -> None:
    """Refuse a model without rows to predict."""
    if X is None:
        raise BadInput(
            f"X_test: {type(model).__name__} predicts rows, and there are none: certify(model, X_test, y_test)"
        )


def column(v: Any, what: str) -> Any:
    """A vector without missing entries."""
    a = np.asarray(without_names(v))
    a = a.reshape(-1) if a.ndim == 2 and 1 in a.shape else a
    if a.ndim != 1:
        raise BadInput(
            f"{what} must be one a row; their shape is {a.shape}"
            + ("; give labels, not a probability a class" if a.ndim == 2 else "")
        )
    if a.dtype.kind in "biuf":
        missing = np.isnan(a) if a.dtype.kind == "f" else np.zeros(len(a), bool)
    else:
        missing = np.array([is_missing(x) for x in a.tolist()], bool)
    if missing.any():
        raise BadInput(
            f"{what}: row {int(np.argmax(missing)) + 1} is missing; leave the row out, or fill it in"
        )
    return a


def labels_differ(y: Any, p: Any, model: Any, notes: list[str]) -> Any:
    """In which rows the predicted label is wrong; refuses what cannot be labels of these outcomes."""
    known, said = set(y.tolist()), set(p.tolist())
    own = set(np.asarray(model.classes_).tolist()) if has_classes(model) else set()
    labels = known | own
    refuse_probabilities(p, known, labels)
    refuse_other_writing(p, said, known, own, notes)
    mixed = (y.dtype.kind in "iufb") != (p.dtype.kind in "iufb")
    if said.isdisjoint(labels) and (mixed or (len(said) > 1 and len(known) > 1)):
        raise BadInput(
            f"the predictions ({a_few(said)}) and the outcomes ({a_few(known)}) have no label in common: "
            "give both as the same labels"
        )
    notes += strange_labels(y.tolist(), p.tolist(), known, own)
    return np.array([a != b for a, b in zip(y.tolist(), p.tolist(), strict=True)], bool)


def strange_labels(y: list[Any], p: list[Any], known: set[Any], own: set[Any]) -> Iterator[str]:
    """Notes about labels that only the predictions have, or only the outcomes, and about a single prediction."""
    said = set(p)
    never = said - known - own
    if never and (len(known) > 1 or said.isdisjoint(known)):
        rows = sum(v in never for v in p)
        yield f"note: rows predicted {a_few(never)}, which no outcome is: {rows:,}; they count as errors"
    if len(said) == 1 and len(known) > 1:
        yield f"note: every prediction is {next(iter(said))!r}"
    new = known - own if own else set()
    if new:
        rows = sum(v in new for v in y)
        yield f"note: {rows:,} rows have labels that the model never saw ({a_few(new)}); they count as errors"


def refuse_probabilities(p: Any, known: set[Any], labels: set[Any]) -> None:
    """Refuse numbers between labels: one of them shows that a prediction of exactly 0 or 1 is a probability, too."""
    if p.dtype.kind != "f":
        return
    between = np.array([v != np.floor(v) and v not in labels for v in p.tolist()], bool)
    if between.any():
        r = int(np.argmax(between))
        kind = "probabilities" if p.min() >= 0.0 and p.max() <= 1.0 else "numbers"
        raise BadInput(
            f"the predictions look like {kind}, not labels (row {r + 1} is {p[r]:g}, the outcomes are "
            f"{a_few(known)}): give labels, or loss='square' with interval=(low, high)"
        )


def refuse_other_writing(
    p: Any, said: set[Any], known: set[Any], own: set[Any], notes: list[str]
) -> None:
    """Refuse a prediction and an outcome that differ in writing only, and that the other side never writes so.

    Where both writings occur on one side they may be two classes: then each row counts as it is written, and a note
    says so. Two classes that the model itself (`own`) tells apart are two.
    """
    outcomes: dict[Any, Any] = {}
    for v in sorted(known, key=repr):
        if plain_label(v) in outcomes:
            first = outcomes[plain_label(v)]
            notes.append(f"note: the outcomes {first!r} and {v!r} differ in writing only; {APART}")
        outcomes.setdefault(plain_label(v), v)
    for v in sorted(said - known, key=repr):
        like = outcomes.get(plain_label(v))
        if like is None or {v, like} <= own:
            continue
        row = int(np.argmax([x == v for x in p.tolist()])) + 1
        if like not in said:
            raise BadInput(
                f"the predictions write {v!r} (row {row}) and the outcomes {like!r}: if that is one label, write it "
                "the same way in both"
            )
        notes.append(
            f"note: the prediction {v!r} (row {row}) differs from the outcome {like!r} in writing only; {APART}"
        )


def plain_label(label: Any) -> Any:
    """A label without what is only writing: case, spaces around it, a number's zeros, what type holds it.

    >>> (
    ...     plain_label(" Yes") == plain_label("yes"),
    ...     plain_label("1.0") == plain_label(1),
    ...     plain_label("a1") == plain_label("a2"),
    ... )
    (True, True, False)
    """
    text = str(label).strip().casefold()
    if isinstance(label, (bool, np.bool_)):
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    return number if number == number else text


def losses_of(y: Any, p: Any, loss: Any, limits: Any) -> tuple[Any, float, float]:
    """The loss of each row, all of them inside the declared interval."""
    try:
        low, high = (float(v) for v in limits)
    except (TypeError, ValueError):
        raise BadInput(f"interval must be two numbers (low, high), not {limits!r}") from None
    if not low < high < np.inf or low == -np.inf:
        raise BadInput(f"interval must have low < high, both finite, not {limits!r}")
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
            f"row {r + 1}: its loss is {cost[r]:g} (outcome {y[r]:g}, prediction {p[r]:g}), outside the declared "
            f"interval [{low:g}, {high:g}]: declare one that every row keeps to"
        )
    return cost, low, high


def a_few(values: set[Any]) -> str:
    """A few of the values, in order."""
    shown = sorted(map(repr, values))
    return ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")
