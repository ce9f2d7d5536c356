"""Check rows and labels by scikit-learn's conventions; messages name the row, the column and the value."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..core.errors import BadInput
from .estimators import without_names


def check_rows(
    estimator: Any, X: Any, y: Any = "no_validation", first: bool = False, **more: Any
) -> Any:
    """X, and y where it is given, as scikit-learn checks them; the first entry that is not finite is named."""
    name = type(estimator).__name__
    refuse_holes(X, name)
    try:
        return validate_data(estimator, X, y, reset=first, dtype=np.float64, **more)
    except ValueError as error:
        raise BadInput(f"{name}: {error}") from None


def refuse_holes(X: Any, name: str) -> None:
    """Name the first entry of a dense table of numbers that is not finite."""
    try:
        M = np.asarray(without_names(X))
        M = M.astype(np.float64) if M.dtype.kind in "fiubO" else M[:0]
    except (TypeError, ValueError):
        return  # scikit-learn's own check describes it
    if M.ndim == 2 and M.size and not np.isfinite(M).all():
        r, c = divmod(int(np.argmax(~np.isfinite(M))), M.shape[1])
        column = f"column {c + 1}" if not hasattr(X, "columns") else f"column {X.columns[c]!r}"
        word = "NaN" if np.isnan(M[r, c]) else "infinity"
        raise BadInput(
            f"{name}: row {r + 1}, {column} is {word} ({M[r, c]:g}): leave the row out, or fill it in"
        )


def two_classes(y: Any, name: str) -> tuple[Any, Any]:
    """The two labels, in order, and y as -1 and 1."""
    try:
        check_classification_targets(y)
    except ValueError as error:
        raise BadInput(f"{name}: {error}") from None
    classes, code = np.unique(y, return_inverse=True)
    if len(classes) != 2:
        seen = ", ".join(repr(v) for v in classes[:5].tolist()) + (
            ", …" if len(classes) > 5 else ""
        )
        one = "only one class" if len(classes) == 1 else f"{len(classes)} classes"
        hint = (
            ""
            if len(classes) < 2
            else "; for more, wrap it in sklearn.multiclass.OneVsRestClassifier"
        )
        raise BadInput(
            f"{name}: Only binary classification is supported. y has {one}: {seen}{hint}"
        )
    return classes, 2.0 * code.reshape(-1) - 1.0


def first_weights(sample_weight: Any, m: int, name: str) -> Any:
    """The weights of the rows before the first round; they add up to 1."""
    if sample_weight is None:
        return np.full(m, 1.0 / m)
    w = np.asarray(sample_weight, np.float64)
    if w.shape != (m,):
        raise BadInput(
            f"{name}: sample_weight must have one number a row, {m}, not the shape {w.shape}"
        )
    bad = ~(np.isfinite(w) & (w >= 0.0))
    if bad.any():
        r = int(np.argmax(bad))
        raise BadInput(f"{name}: sample_weight of row {r + 1} is {w[r]:g}; it must be 0 or more")
    if not w.sum() > 0.0:
        raise BadInput(f"{name}: sample_weight is zero in every row: no weight is above 0")
    return w / w.sum()


def whole(name: str, v: Any, least: int = 1) -> int:
    if isinstance(v, bool) or not isinstance(v, (int, np.integer)) or v < least:
        raise BadInput(f"{name} must be a whole number, {least} or more, not {v!r}")
    return int(v)
