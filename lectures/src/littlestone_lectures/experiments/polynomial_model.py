"""Polynomials of one feature as an estimator of scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin


class PolynomialModel(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Least squares by a polynomial of x in [0, 1], on a scaled domain: a matrix of powers is ill-conditioned.

    >>> PolynomialModel(1).fit([[0.0], [1.0]], [1.0, 3.0]).predict([[0.5]]).round(6).tolist()
    [2.0]
    """

    def __init__(self, degree: int = 1) -> None:
        self.degree = degree

    def fit(self, X: Any, y: Any) -> Self:
        x = np.asarray(X, float).reshape(len(X), -1)[:, 0]
        self.polynomial_ = np.polynomial.Polynomial.fit(x, y, self.degree, domain=[0, 1])
        return self

    def predict(self, X: Any) -> Any:
        return self.polynomial_(np.asarray(X, float).reshape(len(X), -1)[:, 0])
