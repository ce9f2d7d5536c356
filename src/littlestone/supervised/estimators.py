"""What is asked of models and tables of other libraries, which have no class in common."""

from __future__ import annotations

from typing import Any


def predicts(model: Any) -> bool:
    """Is it a model, which predicts rows, and not the predictions themselves?"""
    return hasattr(model, "predict")


def has_classes(estimator: Any) -> bool:
    """Is it a classifier of scikit-learn that is fitted?"""
    return hasattr(estimator, "classes_")


def without_names(table: Any) -> Any:
    """A frame or a column of pandas or Polars as an array; anything else as it is."""
    return table.to_numpy() if hasattr(table, "to_numpy") else table
