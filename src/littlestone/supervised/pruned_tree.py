"""Lambda by cross-validation: trees grown on parts of the rows, pruned at the geometric means of the whole path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_X_y

from ..core.errors import BadInput
from ..core.stream import Array
from .checked_rows import refuse_holes
from .estimators import has_classes
from .pruning import Pruned, PruningPath, pruning_path


@dataclass
class ChosenTree:
    """The errors of each lambda, the best one, and the whole tree pruned at it."""

    lambdas: Array  # where the trees of the path were compared
    errors: Array  # the mean over the folds: wrong labels, or squared errors
    best: float  # the lambda with the least error; the largest of several
    path: PruningPath
    model: Pruned

    def __str__(self) -> str:
        k = self.path.index(self.best)
        return (
            f"lambda {self.best:.6g}: {self.path.leaves[k]} leaves of {self.path.leaves[0]}, "
            f"cross-validated error {self.errors.min():.6g}"
        )


def prune(
    tree: Any, X: Any, y: Any, cost: str = "impurity", cv: Any = 5, lambdas: Any = None
) -> ChosenTree:
    """Choose lambda by cross-validation, then prune the tree that was grown on all rows.

    Between two bends of the path every lambda gives the same tree, so each tree is tried once, at the geometric mean of
    its lambdas (or at `lambdas`). A fold has fewer rows and its costs are sums, so it is pruned at lambda times
    its share of the rows: that is one `ccp_alpha` for all.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = (X[:, 0] > 0) ^ (rng.random(200) < 0.1)
    >>> print(prune(DecisionTreeClassifier(random_state=0), X, y, cost="errors"))
    lambda 8.60233: 2 leaves of 30, cross-validated error 0.085

    Ledger: A-PRUNE-CV; A4.3.
    """
    refuse_holes(X, "prune")
    try:
        X, y = check_X_y(X, y, dtype=np.float64)
    except ValueError as error:
        raise BadInput(f"prune: {error}") from None
    whole = clone(tree).fit(X, y)
    path = pruning_path(whole, cost)
    labels = has_classes(whole)
    at = means(path.lambdas) if lambdas is None else np.sort(np.asarray(lambdas, float))
    if at.ndim != 1 or not len(at) or not (at >= 0.0).all():
        raise BadInput(f"prune: lambdas must be numbers of at least 0, not {lambdas!r:.60}")
    errors = np.zeros(len(at))
    folds = list(check_cv(cv, y, classifier=labels).split(X, y))
    for train, test in folds:
        part = pruning_path(clone(tree).fit(X[train], y[train]), cost)
        for k, lam in enumerate(at):
            said = part.prune(lam * len(train) / len(y)).predict(X[test])
            off = said != y[test] if labels else (said - y[test]) ** 2
            errors[k] += np.mean(off) / len(folds)
    best = float(at[np.flatnonzero(errors <= errors.min() * (1.0 + 1e-12)).max()])
    return ChosenTree(at, errors, best, path, path.prune(best))


def means(lambdas: Array) -> Array:
    """sqrt(lambda_k lambda_{k+1}) for each tree; for the root alone, twice its lambda.

    >>> means(np.array([0.0, 2.0, 18.0])).tolist()
    [0.0, 6.0, 36.0]
    """
    return np.append(np.sqrt(lambdas[:-1] * lambdas[1:]), 2.0 * lambdas[-1])
