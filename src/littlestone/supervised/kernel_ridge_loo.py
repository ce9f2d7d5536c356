"""Kernel ridge regression with every lambda at once: leave-one-out errors from one eigendecomposition."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted

from ..core.errors import BadInput
from ..core.stream import Array
from ..kernels.functions.gram import gram
from ..kernels.functions.names import kernel_named, takes_strings
from .checked_rows import check_rows

BLOCK = 128  # so many columns are squared at a time
# the values of lambda that are tried, in units of the mean of K(x, x)
GRID = np.geomspace(1e-7, 10.0, 50)


class KernelRidgeLOO(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Kernel ridge regression whose lambda has the least leave-one-out error, exactly and without refitting.

    kernel  a kernel of `littlestone.kernels`, its name ("gaussian:0.5"), or "precomputed"
    alphas  the lambdas to try; 50 of them, from 1e-7 to 10 times the mean of K(x, x), unless given

        K = Q diag(s) Q'
        each lambda:  alpha = Q diag(1 / (s + lambda)) Q' y,   G_ii = sum_j Q_ij^2 / (s_j + lambda)
                      row i, left out, is missed by alpha_i / G_ii

    After `fit`: `alphas_`, `loo_errors_` (the mean square error of each), `alpha_` (the best), `loo_residuals_`,
    `loo_predictions_` and `dual_coef_` (of the best). `predict` is `sum_i dual_coef_i K(x_i, x)`: no intercept, so
    centre y or add a constant to the kernel. Of several lambdas with the same error the largest is taken.

    >>> model = KernelRidgeLOO("linear", alphas=[0.01, 1.0, 100.0]).fit(
    ...     [[1, 1], [2, 3], [2, 1]], [3, 7, 3]
    ... )
    >>> model.alpha_, model.loo_errors_.round(4).tolist()
    (1.0, [2.2437, 1.6194, 19.1684])

    O(m^3) once, O(m^2) a lambda. Ledger: A-KRR-LOO, T-LOO; A1.14, A2.21.
    """

    def __init__(self, kernel: Any = "gaussian", alphas: Any = None) -> None:
        self.kernel = kernel
        self.alphas = alphas

    def _matrix(self, X: Any, Z: Any) -> Array:
        """K between rows of X and of Z."""
        if self._precomputed():
            found: Array = X
            return found
        return gram(self._named(), X, Z)

    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _named(self) -> Any:
        return kernel_named(self.kernel, "KernelRidgeLOO")

    def _strings(self) -> bool:
        return not self._precomputed() and takes_strings(self._named())

    def fit(self, X: Any, y: Any) -> KernelRidgeLOO:
        if self._strings():
            X = list(X)
            y = check_array(np.asarray(y, np.float64), ensure_2d=False, ensure_min_samples=2)
            if len(X) != len(y):
                raise BadInput(f"KernelRidgeLOO: X has {len(X)} strings and y {len(y)} numbers")
        else:
            X, y = check_rows(
                self, X, y, first=True, y_numeric=True, multi_output=True, ensure_min_samples=2
            )
        y = np.asarray(y, np.float64)
        if y.ndim > 1 and y.shape[1] == 1:
            y = y[:, 0]
        K = self._matrix(X, X)
        self._refuse(K, len(y))
        lam = self._grid(float(np.mean(np.diag(K))))
        s, Q = spectrum(K, ours=not self._precomputed())
        Y = y.reshape(len(y), -1)
        share = 1.0 / (s[:, None] + lam)  # a column a lambda
        G = np.zeros(share.shape)
        for j in range(
            0, len(s), BLOCK
        ):  # the squares of a few columns at a time: they stay in the cache
            G += np.square(Q[:, j : j + BLOCK]) @ share[j : j + BLOCK]
        projected = Q.T @ Y
        errors = np.zeros(len(lam))
        for k in range(Y.shape[1]):
            errors += np.mean((Q @ (projected[:, k : k + 1] * share) / G) ** 2, axis=0)
        self.alphas_, self.loo_errors_ = lam, errors / Y.shape[1]
        low = self.loo_errors_.min()
        best = int(np.flatnonzero(self.loo_errors_ <= low * (1.0 + 1e-12)).max())
        self.alpha_ = float(lam[best])
        dual = Q @ (projected * share[:, best : best + 1])
        residuals = dual / G[:, best : best + 1]
        self.dual_coef_: Array = dual.reshape(y.shape)
        self.loo_residuals_: Array = residuals.reshape(y.shape)
        self.loo_predictions_: Array = y - self.loo_residuals_
        self.X_fit_ = X
        return self

    def _refuse(self, K: Array, m: int) -> None:
        if K.shape != (m, m):
            raise BadInput(f"KernelRidgeLOO: a precomputed kernel must be {m} x {m}, not {K.shape}")
        if self._precomputed() and not np.allclose(K, K.T, rtol=1e-9, atol=1e-12 * np.abs(K).max()):
            i, j = np.unravel_index(int(np.argmax(np.abs(K - K.T))), K.shape)
            raise BadInput(
                f"KernelRidgeLOO: a precomputed kernel must be symmetric; K[{i}, {j}] = {K[i, j]:g} and "
                f"K[{j}, {i}] = {K[j, i]:g}"
            )

    def _grid(self, scale: float) -> Array:
        if self.alphas is None:
            return GRID * (scale if scale > 0.0 else 1.0)
        try:
            lam = np.sort(np.atleast_1d(np.asarray(self.alphas, np.float64)))
        except (TypeError, ValueError):
            raise BadInput(
                f"KernelRidgeLOO: alphas must be numbers, not {self.alphas!r:.60}"
            ) from None
        if lam.ndim != 1 or not len(lam) or not (np.isfinite(lam) & (lam > 0.0)).all():
            raise BadInput(
                f"KernelRidgeLOO: alphas must be numbers above 0, not {self.alphas!r:.60}"
            )
        return lam

    def predict(self, X: Any) -> Array:
        """sum_i dual_coef_i K(x_i, x) of each row."""
        check_is_fitted(self)
        X = list(X) if self._strings() else check_rows(self, X)
        K = X if self._precomputed() else self._matrix(X, self.X_fit_)
        found: Array = K @ self.dual_coef_
        return found

    def plot(self) -> Any:
        """The leave-one-out error over lambda (matplotlib)."""
        from .pictures import curve

        check_is_fitted(self)
        series = {"leave-one-out mean square error": self.loo_errors_}
        return curve(self.alphas_, series, "lambda", "mean square error", self.alpha_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed()
        tags.target_tags.multi_output = True
        return tags


def spectrum(K: Array, ours: bool = False) -> tuple[Array, Array]:
    """Eigenvalues, none below 0, and eigenvectors; refuse a matrix with negative ones. `ours`: K may be overwritten."""
    from scipy.linalg import eigh

    s, Q = eigh(K.T, driver="evd", check_finite=False, overwrite_a=ours)
    if s[0] < -1e-8 * max(abs(s[-1]), 1e-300):
        raise BadInput(
            f"KernelRidgeLOO: the kernel matrix has the eigenvalue {s[0]:.6g}: this is no positive semidefinite kernel"
        )
    return np.maximum(s, 0.0), Q
