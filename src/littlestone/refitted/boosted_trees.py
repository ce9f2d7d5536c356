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
from ..core.python_call import runs_in_python
from ..core.scratch import Buffer
from ..core.stream import Array
from .one_thread import on_one_thread

# Columns of `links`: the feature that a node splits at, NONE at a leaf, and its children.
FEATURE, LEFT, RIGHT, LINKS = 0, 1, 2, 3
NONE = -1
ITERATIONS = 100
LEAVES = 31  # of a tree
NODES = 2 * LEAVES - 1


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
    return BoostedTrees(
        links=np.zeros((ITERATIONS * trees * NODES, LINKS), np.int64),
        splits=np.zeros(ITERATIONS * trees * NODES),
        roots=np.zeros(ITERATIONS * trees, np.int64),
        baseline=np.zeros(trees),
        columns=columns,
        scores=scores,
    )


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


def classes_among(outcomes: Array, rows: int, seen: Array) -> int:
    """How many classes there are among the first outcomes; `seen` is room for one number a class."""
    found = 0
    for c in range(seen.shape[0]):
        seen[c] = 0.0
    for t in range(rows):
        c = int(outcomes[t])
        if seen[c] == 0.0:
            seen[c] = 1.0
            found += 1
    return found


@runs_in_python
def fit_classes(
    rows: Array, outcomes: Array, importances: Array, kept: int, links: Any, splits: Array, roots: Any,
    baseline: Array, columns: Any,
) -> float:  # fmt: skip
    """Fit trees that tell the classes of the first `kept` rows apart, and write them into the last five arrays."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    present, codes = np.unique(outcomes[:kept].astype(np.int64), return_inverse=True)
    model = fit_on_one_thread(
        HistGradientBoostingClassifier, rows[:kept], codes, importances[:kept]
    )
    columns[:] = NONE
    columns[present] = np.arange(len(present))
    write_trees(model, links, splits, roots, baseline)
    return float(len(present))


@runs_in_python
def fit_numbers(
    rows: Array, outcomes: Array, importances: Array, kept: int, links: Any, splits: Array, roots: Any,
    baseline: Array,
) -> float:  # fmt: skip
    """Fit trees to the outcomes of the first `kept` rows, and write them into the last four arrays.

    The outcomes are those over their spread, seen from their mean: the library squares them in single precision.
    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    y = outcomes[:kept]
    largest = max(float(np.abs(y).max()), 1e-300)
    centre = largest * float((y / largest).mean())
    spread = float(np.abs(y - centre).max())
    if spread <= 0.0:
        spread = 1.0
    spread *= max(float(np.sqrt(np.mean(((y - centre) / spread) ** 2))), 1e-8)
    model = fit_on_one_thread(
        HistGradientBoostingRegressor, rows[:kept], (y - centre) / spread, importances[:kept]
    )
    write_trees(model, links, splits, roots, baseline)
    leaves = links[:, FEATURE] == NONE
    splits[leaves] *= spread
    baseline[:] = centre + spread * baseline
    return 1.0


def fit_on_one_thread(kind: Any, X: Array, y: Any, importances: Array) -> Any:
    """A model of scikit-learn, fitted without early stopping, so that nothing of it is drawn."""
    model = kind(max_iter=ITERATIONS, max_leaf_nodes=LEAVES, early_stopping=False, random_state=0)
    weights = None if (importances == 1.0).all() else importances
    with on_one_thread():
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
