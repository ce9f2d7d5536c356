"""The nearest mean in the space of a kernel, with the error of every row left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..core.errors import BadInput
from ..core.stream import Array
from ..kernels.functions.gram import diagonal, gram
from ..kernels.functions.names import kernel_named, takes_strings
from .checked_rows import check_rows


class NearestMean(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict the class whose mean is nearest, in the space of a kernel.

    kernel  a kernel of `littlestone.kernels`, or its name ("gaussian:0.5"); kernels of strings take lists of strings

        score_c(x) = mean over class c of K(x, x_i)  -  half the mean over pairs of class c of K(x_i, x_j)

    which is `(|x|^2 - |x - mean_c|^2) / 2`. With "linear" it is scikit-learn's NearestCentroid. Lectures call it the
    Parzen window classifier (E86). After `fit`: `loo_predictions_`, what each row gets from the means without it, from
    the same kernel matrix; `loo_error_`, their share of errors. A row that is alone in its class is missed then.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [3, 3], [3, 4], [1, 1]], [0, 0, 0, 1, 1, 1]
    >>> model = NearestMean().fit(X, y)
    >>> model.predict([[1, 1], [2, 2]]).tolist(), round(model.loo_error_, 3)
    ([0, 1], 0.167)

    O(m^2) kernel values. Ledger: A-NEAREST-MEAN; A7.3.
    """

    def __init__(self, kernel: Any = "linear") -> None:
        self.kernel = kernel

    def _named(self) -> Any:
        return kernel_named(self.kernel, "NearestMean")

    def fit(self, X: Any, y: Any) -> NearestMean:
        if takes_strings(self._named()):
            X, y = list(X), np.asarray(y)
            if len(X) != len(y) or not len(X):
                raise BadInput(f"NearestMean: X has {len(X)} strings and y {len(y)} labels")
        else:
            X, y = check_rows(self, X, y, first=True)
        try:
            check_classification_targets(y)
        except ValueError as error:
            raise BadInput(f"NearestMean: {error}") from None
        self.classes_, code = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise BadInput(
                f"NearestMean: y has 1 class, {self.classes_[0]!r}; it takes two or more"
            )
        one = np.eye(len(self.classes_))[code.reshape(-1)]  # rows x classes
        K = gram(self._named(), X, X)
        many, sums = one.sum(axis=0), K @ one  # sums[i, c]: of K(x_i, .) over class c
        self.X_fit_, self.weights_ = X, one / many
        self.lengths_: Array = (one * sums).sum(axis=0) / many**2  # |mean_c|^2
        self.loo_predictions_ = self.classes_[left_out(K, one, many, sums).argmax(axis=1)]
        self.loo_error_ = float(np.mean(self.loo_predictions_ != y))
        return self

    def scores(self, X: Any) -> Array:
        """`(|x|^2 - |x - mean_c|^2) / 2`, a column a class."""
        check_is_fitted(self)
        X = list(X) if takes_strings(self._named()) else check_rows(self, X)
        found: Array = gram(self._named(), X, self.X_fit_) @ self.weights_ - self.lengths_ / 2.0
        return found

    def decision_function(self, X: Any) -> Array:
        """With two classes: mean K(x, +) - mean K(x, -) - (mean K(+, +) - mean K(-, -)) / 2; else the scores."""
        s = self.scores(X)
        return s[:, 1] - s[:, 0] if len(self.classes_) == 2 else s

    def distances(self, X: Any) -> Array:
        """How far each row is from each mean."""
        rows = list(X) if takes_strings(self._named()) else np.asarray(X, np.float64)
        own = diagonal(self._named(), rows)
        return np.sqrt(np.maximum(own[:, None] - 2.0 * self.scores(X), 0.0))

    def predict(self, X: Any) -> Any:
        """The class of the nearest mean; of several the first of `classes_`."""
        best = self.scores(X).argmax(axis=1)
        return self.classes_[best]


def left_out(K: Array, one: Array, many: Array, sums: Array) -> Array:
    """The scores of each row against means from which it was taken out."""
    own, mine = np.diag(K)[:, None], one > 0.0
    within = (one * sums).sum(axis=0)
    rest = np.maximum(many - 1.0, 1.0)
    full = sums / many - within / many**2 / 2.0
    less = (sums - own) / rest - (within - 2.0 * sums + own) / rest**2 / 2.0
    found: Array = np.where(mine, np.where(many > 1.0, less, -np.inf), full)
    return found
