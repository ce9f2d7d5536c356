"""Tables with missing numbers: errors of trees and mixtures with missing="zero", missing="mean", and that and flags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import littlestone as ls

from .figure import Figure

GAPS = ("10% of the values", "30% of the values", "60% of those above the median")
ORDERS = {"mondrian-forest": 20, "mondrian-forest-regression": 20, "auto": 5}


def tables() -> dict[str, tuple[Any, Any]]:
    """Three tables of classes, and one of numbers: features, outcomes."""
    from river.datasets import Phishing
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

    rows = list(Phishing())
    sites = np.array([[float(v) for v in x.values()] for x, _ in rows])
    return {
        "breast-cancer": load_breast_cancer(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "phishing": (sites, np.array([int(y) for _, y in rows])),
        "diabetes": load_diabetes(return_X_y=True, scaled=False),
    }


def draw_gaps(X: Any, gaps: str, rng: np.random.Generator) -> Any:
    """Which values are missing."""
    share = float(gaps.split("%")[0]) / 100
    gone = rng.random(X.shape) < share
    return gone & (np.median(X, axis=0) < X) if gaps.endswith("median") else gone


def error_of(learner: Any, X: Any, y: Any, numbers: bool, missing: str) -> float:
    """Errors a row, or the square error over the variance of the outcomes."""
    labels = None if numbers else sorted(set(y.tolist()))
    run = ls.play(learner, pd.DataFrame(X), y, certify=False, labels=labels, missing=missing)
    found = np.asarray(run.predictions)
    return float(((found - y) ** 2).mean() / y.var() if numbers else (found != y).mean())


def errors_by_way(learner: str, X: Any, y: Any, gaps: str, orders: int) -> dict[str, Any]:
    """For each way to fill in, the errors over random orders of the rows, each with its own gaps."""
    numbers = learner.endswith("regression")
    found: dict[str, list[float]] = {"whole": [], "0": [], "mean": [], "mean and flags": []}
    for seed in range(orders):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(y))
        whole = X[order].astype(float)
        gone = draw_gaps(whole, gaps, rng)
        holed = np.where(gone, np.nan, whole)
        ways = {
            "whole": (whole, "refuse"),
            "0": (holed, "zero"),
            "mean": (holed, "mean"),
            "mean and flags": (np.hstack([holed, gone]), "mean"),
        }
        own = learner if learner == "auto" else ls.learner(learner, seed=seed)
        for way, (rows, missing) in ways.items():
            found[way].append(error_of(own, rows, y[order], numbers, missing))
    return {way: np.array(values) for way, values in found.items()}


def measure(quick: bool) -> Iterator[Figure]:
    for name, (X, y) in tables().items():
        numbers = name == "diabetes"
        learners = ("mondrian-forest-regression",) if numbers else ("mondrian-forest", "auto")
        for learner in learners[: 1 if quick else 2]:
            for gaps in GAPS:
                found = errors_by_way(learner, X, y, gaps, 3 if quick else ORDERS[learner])
                gain = found["mean"] - found["0"]
                noise = gain.std(ddof=1) / np.sqrt(len(gain))
                yield Figure(
                    f"{learner}, {name}, {gaps} missing, mean",
                    float(found["mean"].mean()), "", "0 instead", float(found["0"].mean()),
                    note=f"difference {gain.mean():+.4f}, standard error {noise:.4f}; mean and flags "
                    f"{found['mean and flags'].mean():.4f}, nothing missing {found['whole'].mean():.4f}",
                )  # fmt: skip
