"""Boosted trees as flat arrays, fitted by scikit-learn's histogram gradient boosting and walked by a loop of ours.

    score_m(x) = baseline_m + sum over the trees of iteration 1, 2, ... for m of the value of the leaf of x

One tree an iteration for numbers and for two classes (the score is the log odds of the second), one for each class
otherwise (the probabilities are proportional to exp(score)). Ke et al. (2017), LightGBM; Friedman (2001).

A fit takes one thread: on several that others use as well it takes up to 70 times as long, and its bits are the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.numeric import decay
from ..core.scratch import Buffer
from ..core.stream import Array
from .one_thread import on_one_thread

# Columns of `links`: the feature that a node splits at, NONE at a leaf, and its children.
FEATURE, LEFT, RIGHT, LINKS = 0, 1, 2, 3
NONE = -1
# Of a fit for numbers or for two classes, with a tree an iteration; and of one for more, whose trees are smaller.
ITERATIONS, LEAVES, BINS, RATE = 100, 31, 255, 0.1
TREES_OF_SEVERAL, LEAVES_OF_SEVERAL, BINS_OF_SEVERAL = 200, 15, 64
FEWEST_ITERATIONS = 10
RATE_OF_A_CLASS, LARGEST_RATE = 0.03, 0.3


class BoostedTrees(NamedTuple):
    links: Any  # nodes of all trees x LINKS
    splits: Array  # nodes: the threshold, or the value of a leaf
    roots: Any  # of the trees, iteration by iteration
    baseline: Array  # one number for each tree of an iteration
    columns: Any  # of each class its place among those that it was fitted to, or NONE
    scores: Buffer


def init_boosted_trees(K: int) -> BoostedTrees:
    """Before the first fit: no trees."""
    return empty_trees(0, np.full(K, NONE, np.int64), np.zeros(K))


def empty_trees(trees: int, columns: Any, scores: Array) -> BoostedTrees:
    """Room for `trees` trees an iteration."""
    iterations = iterations_of(trees)
    nodes = 2 * (LEAVES if trees <= 1 else LEAVES_OF_SEVERAL) - 1
    return BoostedTrees(
        links=np.zeros((iterations * trees * nodes, LINKS), np.int64),
        splits=np.zeros(iterations * trees * nodes),
        roots=np.zeros(iterations * trees, np.int64),
        baseline=np.zeros(trees),
        columns=columns,
        scores=scores,
    )


def iterations_of(trees: int) -> int:
    """How many iterations a fit of so many trees each has: all trees together are about as many for any K.

    >>> [iterations_of(trees) for trees in (1, 3, 10, 50)]
    [100, 66, 20, 10]
    """
    return ITERATIONS if trees <= 1 else max(FEWEST_ITERATIONS, TREES_OF_SEVERAL // trees)


def set_scores(trees: BoostedTrees, z: Array) -> None:
    """The scores of a row."""
    m = trees.baseline.shape[0]
    for j in range(m):
        trees.scores[j] = trees.baseline[j]
    j = 0
    for k in range(trees.roots.shape[0]):
        v = trees.roots[k]
        while trees.links[v, FEATURE] != NONE:
            left = z[trees.links[v, FEATURE]] <= trees.splits[v]
            v = trees.links[v, LEFT] if left else trees.links[v, RIGHT]
        trees.scores[j] += trees.splits[v]
        j = j + 1 if j + 1 < m else 0


def set_class_probabilities(trees: BoostedTrees, z: Array, p: Array) -> None:
    """The probability of each class for a row; 0 of one that the trees were not fitted to."""
    set_scores(trees, z)
    scores, columns, m = trees.scores, trees.columns, trees.baseline.shape[0]
    if m == 1:
        odds = scores[0]
        small = decay(-abs(odds))
        rare, frequent = small / (1.0 + small), 1.0 / (1.0 + small)
        for c in range(p.shape[0]):
            second = columns[c] == 1
            p[c] = 0.0 if columns[c] == NONE else (frequent if second == (odds > 0.0) else rare)
        return
    top, total = scores[0], 0.0
    for j in range(1, m):
        top = max(top, scores[j])
    for c in range(p.shape[0]):
        p[c] = 0.0 if columns[c] == NONE else decay(scores[columns[c]] - top)
        total += p[c]
    for c in range(p.shape[0]):
        p[c] /= total


class Fitted(NamedTuple):
    """A model of scikit-learn, and how its outcomes are coded: classes by number, numbers over their spread."""

    model: Any
    classes: Any = None
    centre: float = 0.0
    spread: float = 1.0


def fit_classes(rows: Array, outcomes: Array, importances: Array) -> Fitted:
    """Fit trees that tell the classes of the rows apart."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    classes, codes = np.unique(outcomes.astype(np.int64), return_inverse=True)
    model = HistGradientBoostingClassifier(**options_of(len(classes) if len(classes) > 2 else 1))
    return Fitted(fit_on_one_thread(model, rows, codes, importances), classes=classes)


def fit_numbers(rows: Array, y: Array, importances: Array) -> Fitted:
    """Fit trees to outcomes.

    They are taken over their spread, seen from their mean: the library squares them in single precision.
    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    largest = max(float(np.abs(y).max()), 1e-300)
    centre = largest * float((y / largest).mean())
    spread = float(np.abs(y - centre).max())
    if spread <= 0.0:
        spread = 1.0
    spread *= max(float(np.sqrt(np.mean(((y - centre) / spread) ** 2))), 1e-8)
    model = HistGradientBoostingRegressor(**options_of(1))
    fit_on_one_thread(model, rows, (y - centre) / spread, importances)
    return Fitted(model, centre=centre, spread=spread)


def write_classes(
    fitted: Fitted, links: Any, splits: Array, roots: Any, baseline: Array, columns: Any
) -> None:
    """The trees of a fit to classes as flat arrays."""
    columns[:] = NONE
    columns[fitted.classes] = np.arange(len(fitted.classes))
    write_trees(fitted.model, links, splits, roots, baseline)


def write_numbers(fitted: Fitted, links: Any, splits: Array, roots: Any, baseline: Array) -> None:
    """The trees of a fit to numbers as flat arrays."""
    write_trees(fitted.model, links, splits, roots, baseline)
    leaves = links[:, FEATURE] == NONE
    splits[leaves] *= fitted.spread
    baseline[:] = fitted.centre + fitted.spread * baseline


def options_of(trees: int) -> dict[str, Any]:
    """How scikit-learn is to fit so many trees an iteration: without early stopping, so that nothing of it is drawn."""
    one = trees <= 1
    return {
        "max_iter": iterations_of(trees),
        "learning_rate": RATE if one else min(LARGEST_RATE, RATE_OF_A_CLASS * trees),
        "max_leaf_nodes": LEAVES if one else LEAVES_OF_SEVERAL,
        "max_bins": BINS if one else BINS_OF_SEVERAL,
        "early_stopping": False,
        "random_state": 0,
    }


def fit_on_one_thread(model: Any, X: Array, y: Any, importances: Array) -> Any:
    """Fit a model of scikit-learn."""
    weights = None if (importances == 1.0).all() else importances
    with on_one_thread("openmp"):
        model.fit(X, y, sample_weight=weights)
    return model


def write_trees(model: Any, links: Any, splits: Array, roots: Any, baseline: Array) -> None:
    """The trees of a fitted model of scikit-learn as flat arrays.

    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> X = np.arange(200.0).reshape(-1, 1)
    >>> model = HistGradientBoostingRegressor(max_iter=ITERATIONS).fit(X, X[:, 0] % 7)
    >>> trees = empty_trees(1, np.zeros(0, np.int64), np.zeros(1))
    >>> write_trees(model, trees.links, trees.splits, trees.roots, trees.baseline)
    >>> set_scores(trees, X[33])
    >>> float(trees.scores[0]) == float(model.predict(X[33:34])[0])
    True
    """
    links[:], splits[:] = NONE, 0.0
    baseline[:] = np.asarray(model._baseline_prediction, float).reshape(-1)
    place, k = 0, 0
    for iteration in model._predictors:
        for tree in iteration:
            nodes = tree.nodes
            inner, own = nodes["is_leaf"] == 0, slice(place, place + len(nodes))
            links[own, FEATURE] = np.where(inner, nodes["feature_idx"], NONE)
            links[own, LEFT] = place + nodes["left"].astype(np.int64)
            links[own, RIGHT] = place + nodes["right"].astype(np.int64)
            splits[own] = np.where(inner, nodes["num_threshold"], nodes["value"])
            roots[k] = place
            place, k = place + len(nodes), k + 1
