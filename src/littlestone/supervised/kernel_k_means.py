"""k-means in the space of a kernel, with a limit from below on what any clustering can reach."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from ..core.errors import BadInput
from ..core.stream import Array
from ..kernels.functions.gram import gram
from ..kernels.functions.names import kernel_named, takes_strings
from .checked_rows import check_rows, whole


class KernelKMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters around k means in the space of a kernel; `bound_` says how far from the best they can be.

    kernel      a kernel of `littlestone.kernels`, or its name; kernels of strings take lists of strings
    n_clusters  k
    restarts    random beginnings, of which the best is kept
    seed        of the beginnings

    Every row goes to the nearest mean, `|phi(x) - mean_c|^2 = K(x, x) - 2 mean_c K(x, .) + mean_cc K`, until nothing
    moves: the sum of squared distances never rises. After `fit`: `labels_`, `objective_` (that sum), `trace_` (of the
    best beginning, step by step) and `bound_`: no clustering has a sum below `trace K` less the k largest eigenvalues
    of K (Zha et al. 2001), so the best is at most `objective_ - bound_` better. With "linear" it is Lloyd's algorithm.

    >>> X = [[0, 0], [0, 1], [5, 5], [5, 6]]
    >>> model = KernelKMeans(2, "linear").fit(X)
    >>> model.labels_[0] == model.labels_[1], model.objective_, model.bound_ <= model.objective_
    (np.True_, 1.0, True)

    O(m^2) a step, O(m^3) for the bound. Ledger: A-KERNEL-K-MEANS, T-KMEANS; A2.26.
    """

    def __init__(
        self, n_clusters: int = 2, kernel: Any = "gaussian", restarts: int = 10, seed: Any = 0
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.restarts = restarts
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> KernelKMeans:
        named: Any = kernel_named(self.kernel, "KernelKMeans")
        X = list(X) if takes_strings(named) else check_rows(self, X, first=True)
        k = whole("KernelKMeans: n_clusters", self.n_clusters)
        if k > len(X):
            raise BadInput(
                f"KernelKMeans: {k} clusters of {len(X)} rows (n_samples={len(X)}): take fewer clusters"
            )
        K = gram(named, X, X)
        rng = np.random.default_rng(self.seed)
        runs = [
            lloyd(K, start(K, k, rng), k)
            for _ in range(whole("KernelKMeans: restarts", self.restarts))
        ]
        self.labels_, self.trace_ = min(runs, key=lambda run: run[1][-1])
        self.objective_ = float(self.trace_[-1])
        top = np.linalg.eigvalsh(K)[::-1][:k]
        self.bound_ = max(float(np.trace(K) - np.maximum(top, 0.0).sum()), 0.0)
        return self


def start(K: Array, k: int, rng: Any) -> Any:
    """k rows by the rule of k-means++, and every row with the nearest of them."""
    own = np.diag(K)
    rows = [int(rng.integers(len(K)))]
    while len(rows) < k:
        far = np.maximum(own[:, None] - 2.0 * K[:, rows] + own[rows], 0.0).min(axis=1)
        total = far.sum()
        rows.append(int(rng.choice(len(K), p=far / total) if total > 0.0 else rng.integers(len(K))))
    return (own[:, None] - 2.0 * K[:, rows] + own[rows]).argmin(axis=1)


def distances(K: Array, labels: Any, k: int) -> Array:
    """The squared distance of each row from each mean; infinite for a cluster without rows."""
    one = np.eye(k)[labels]
    many = one.sum(axis=0)
    sums = K @ one
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.diag(K)[:, None] - 2.0 * sums / many + (one * sums).sum(axis=0) / many**2
    return np.where(many > 0.0, found, np.inf)


def lloyd(K: Array, labels: Any, k: int, steps: int = 1000) -> tuple[Any, Array]:
    """Labels that no row would change, and the sum of squared distances at each step."""
    rows, trace = np.arange(len(K)), []
    for _ in range(steps):
        far = distances(K, labels, k)
        trace.append(max(float(far[rows, labels].sum()), 0.0))
        best = far.argmin(axis=1)
        # a row moves only where it gains more than rounding
        moves = far[rows, best] < far[rows, labels] - 1e-12 * np.diag(K).max()
        if not moves.any():
            break
        labels = np.where(moves, best, labels)
    return labels, np.array(trace)
