"""Fisher's discriminant in the space of a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..core.errors import BadInput
from ..core.stream import Array
from ..kernels.functions.gram import gram
from ..kernels.functions.names import kernel_named, takes_strings
from .checked_rows import check_rows, two_classes


class KernelFisher(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The direction w of a kernel's space that separates two means most, for the spread within the classes.

    kernel   a kernel of `littlestone.kernels`, or its name; kernels of strings take lists of strings
    penalty  lambda > 0

        maximise  <w, mean_+ - mean_->^2 / (sum_i <w, phi(x_i) - mean of its class>^2 + lambda |w|^2)

    The maximiser is `w = sum_i a_i phi(x_i)` with `(B K + lambda) a = u`: B takes the mean of each class away, u is
    1/m_+ for rows of one class and -1/m_- for those of the other. The threshold is halfway between the projected means.
    With "linear" and a small penalty it is scikit-learn's LinearDiscriminantAnalysis for two equally likely classes.
    After `fit`: `dual_coef_`, `intercept_`, and `ratio_`, the value of the maximum.

    >>> X, y = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 3]], [0, 0, 0, 1, 1, 1]
    >>> model = KernelFisher("linear", penalty=1e-6).fit(X, y)
    >>> model.predict([[5, 5], [5, 6]]).tolist()  # along the diagonal the classes only spread
    [0, 1]

    O(m^3). Ledger: A-KERNEL-FISHER; A2.26.
    """

    def __init__(self, kernel: Any = "gaussian", penalty: float = 1e-2) -> None:
        self.kernel = kernel
        self.penalty = penalty

    def _named(self) -> Any:
        return kernel_named(self.kernel, "KernelFisher")

    def fit(self, X: Any, y: Any) -> KernelFisher:
        lam = self.penalty
        if (
            isinstance(lam, bool)
            or not isinstance(lam, (int, float, np.number))
            or not 0.0 < lam < np.inf
        ):
            raise BadInput(f"KernelFisher: penalty must be a number above 0, not {lam!r}")
        if takes_strings(self._named()):
            X, y = list(X), np.asarray(y)
            if len(X) != len(y):
                raise BadInput(f"KernelFisher: X has {len(X)} strings and y {len(y)} labels")
        else:
            X, y = check_rows(self, X, y, first=True)
        self.classes_, signs = two_classes(y, "KernelFisher")
        plus = signs > 0.0
        u = np.where(plus, 1.0 / plus.sum(), -1.0 / (~plus).sum())
        K = gram(self._named(), X, X)
        within = K.copy()
        for rows in (plus, ~plus):
            within[rows] -= K[rows].mean(axis=0)
        self.dual_coef_: Array = np.linalg.solve(within + lam * np.eye(len(u)), u)
        projected = K @ self.dual_coef_
        high, low = projected[plus].mean(), projected[~plus].mean()
        self.intercept_ = -float(high + low) / 2.0
        self.ratio_ = float(u @ projected)  # at the maximiser the ratio is <w, mean_+ - mean_->
        self.X_fit_ = X
        return self

    def decision_function(self, X: Any) -> Array:
        """<w, phi(x)> less the threshold."""
        check_is_fitted(self)
        X = list(X) if takes_strings(self._named()) else check_rows(self, X)
        found: Array = gram(self._named(), X, self.X_fit_) @ self.dual_coef_ + self.intercept_
        return found

    def predict(self, X: Any) -> Any:
        above = (self.decision_function(X) > 0.0).astype(int)
        return self.classes_[above]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
