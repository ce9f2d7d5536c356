"""Errata of the lecture on trees and ensembles: pruning, entropy, AdaBoost's edge cases, weak learners."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from littlestone.falsify.erratum import Erratum

from ..statements.instances import samples


@cache
def prunings(x: tuple[float, ...], y: tuple[float, ...]) -> tuple[tuple[float, int], ...]:
    """(squared error, leaves) of every pruning of the tree that scikit-learn grows on one feature."""
    from sklearn.tree import DecisionTreeRegressor

    tree = DecisionTreeRegressor(random_state=0).fit(np.array(x)[:, None], y).tree_
    cost = tree.impurity * tree.weighted_n_node_samples

    def below(node: int) -> list[tuple[float, int]]:
        found = [(float(cost[node]), 1)]
        if tree.children_left[node] >= 0:
            pairs = product(below(tree.children_left[node]), below(tree.children_right[node]))
            found += [(a[0] + b[0], a[1] + b[1]) for a, b in pairs]
        return found

    return tuple(below(0))


def steps(m: int) -> Iterator[tuple[tuple[float, ...], tuple[float, ...], float]]:
    """Rows 1, …, m of a line, outcomes 0, 1, 3, and a lambda: 0, and the bends of two-leaf trees."""
    for y in product((0.0, 1.0, 3.0), repeat=m):
        for lam in (0.25, 0.5, 2.0):
            yield tuple(float(v) for v in range(m)), y, lam


def minimisers(i: Any) -> list[int]:
    """The leaves of each pruning whose cost is least."""
    x, y, lam = i
    costs = [(e + lam * n, n) for e, n in prunings(x, y)]
    least = min(c for c, _ in costs)
    return [n for c, n in costs if c <= least + 1e-9]


PRUNE_TIE = Erratum(
    "E-PRUNE-TIE",
    "for every lambda one pruning has the least squared error + lambda leaves",
    lambda i: (float(len(minimisers(i))), 1.0),
    "one of the smallest size has",
    lambda i: (float(minimisers(i).count(min(minimisers(i)))), 1.0),
    "rows 1, …, m of a line, outcomes in {0, 1, 3}, lambda in {1/4, 1/2, 2}",
    steps,
    (1, 2, 3, 4),
    equal=True,
    show=lambda i: f"outcomes {i[1]}, lambda = {i[2]}: {len(minimisers(i))} prunings",
)


def repeated(m: int) -> Iterator[tuple[tuple[float, ...], tuple[float, ...], float]]:
    """m rows of each of two points, outcomes 1 and 3, lambda = 0."""
    for y in product((1.0, 3.0), repeat=2 * m):
        if len(set(y)) == 2:
            yield (0.0,) * m + (1.0,) * m, y, 0.0


PRUNE_ZERO = Erratum(
    "E-PRUNE-ZERO",
    "at lambda = 0 the smallest minimiser is the tree that was grown: it has as many leaves",
    lambda i: (float(min(minimisers(i))), float(max(n for _, n in prunings(*i[:2])))),
    "it has the same cost",
    lambda i: (
        min(e for e, n in prunings(*i[:2]) if n == min(minimisers(i))),
        min(e for e, _ in prunings(*i[:2])),
    ),
    "m rows of each of two points, outcomes 1 and 3",
    repeated,
    (1, 2, 3),
    equal=True,
    show=lambda i: f"x = {i[0]}, y = {i[1]}",
)


def splits(m: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The classes on both sides of a split of m rows."""
    for a, b, c in product(range(m + 1), repeat=3):
        if a + b + c <= m and 0 < a + b < m:
            yield (a, b), (c, m - a - b - c)


def entropy(i: Any, base: float) -> float:
    """sum m_p Q_p over both sides."""
    total = 0.0
    for side in i:
        n = sum(side)
        total += sum(k * math.log(n / k, base) for k in side if k)
    return total


ENTROPY_BITS = Erratum(
    "E-ENTROPY-BITS",
    "the entropy of a split by natural logarithms is what the table has (649.02 and 550.98)",
    lambda i: (entropy(i, math.e), entropy(i, 2.0)),
    "the table is in bits: it is 1 / ln 2 times as much, and is what is left, not the reduction",
    lambda i: (entropy(i, math.e) / math.log(2.0), entropy(i, 2.0)),
    "every split of m rows of two classes",
    splits,
    (2, 3, 4, 8),
    equal=True,
    show=lambda i: f"sides {i[0]} and {i[1]}",
)


def first_round(i: Any) -> tuple[float, float]:
    """The weight of the best stump under equal weights, and its error."""
    from littlestone.theory.weak_learning import stumps

    e = float(min(np.mean(h != i[1]) for h in stumps(i[0])))
    return (math.inf if e == 0.0 else math.log((1.0 - e) / e) / 2.0), e


BOOST_ZERO = Erratum(
    "E-BOOST-ZERO",
    "the weight ln((1 - e)/e)/2 of a stump is a number, at most ln(m)",
    lambda i: (first_round(i)[0], math.log(len(i[1]))),
    "if the stump errs: a stump without an error is the whole model",
    lambda i: (first_round(i)[0] if first_round(i)[1] > 0.0 else 0.0, math.log(len(i[1]))),
    "12 samples of a size, half of them with ties",
    samples,
    (2, 3, 4, 8),
    show=lambda i: f"{len(i[1])} rows, labels {i[1].astype(int).tolist()}",
)


def boosted(m: int) -> Iterator[tuple[int, int, float, int]]:
    for seed in range(4):
        for theta in (0.05, 0.2, 0.5):
            for rounds in (1, 4):
                yield m, seed, theta, rounds


@cache
def noisy(m: int, seed: int) -> Any:
    from littlestone.supervised.adaboost import AdaBoost

    rng = np.random.default_rng([m, seed])
    X = rng.normal(size=(m, 2))
    y = np.where(X.sum(axis=1) + rng.normal(size=m) > 0.0, 1, -1)
    y[:2] = -1, 1
    return AdaBoost(16).fit(X, y), X, y


def small_margins(i: Any, times: int = 1) -> float:
    m, seed, theta, rounds = i
    model, X, y = noisy(m, seed)
    return float(
        np.mean(model.margins(X, y, rounds=min(rounds * times, len(model.rounds_))) <= theta)
    )


def margin_bound(i: Any) -> tuple[float, float]:
    model = noisy(*i[:2])[0]
    if len(model.rounds_) < 16:
        return 0.0, 1.0
    return small_margins(i, 16 // i[3]), float(model.rounds_.margin_bound(np.array([i[2]]))[0])


BOOST_THETA = Erratum(
    "E-BOOST-THETA",
    "the share of rows with margin at most theta falls with the rounds, as the training error does",
    lambda i: (small_margins(i, 4), small_margins(i)),
    "it is at most prod 2 sqrt(e^(1-theta) (1-e)^(1+theta)), which falls for theta below about the edge only",
    margin_bound,
    "m noisy rows, theta in {.05, .2, .5}, from 1 to 4 and from 4 to 16 rounds",
    boosted,
    (8, 16, 32),
    show=lambda i: f"{i[0]} rows (seed {i[1]}), theta = {i[2]}, from {i[3]} to {4 * i[3]} rounds",
    short=2,
)


def labelled(n: int) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """Four points of a line, or the corners of a square, and all labelings with both labels."""
    X = np.arange(4.0)[:, None] if n == 1 else np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    for y in product((-1, 1), repeat=4):
        if len(set(y)) == 2:
            yield X, y


def edge(i: Any) -> float:
    from littlestone.theory.weak_learning import stumps, weak_edge

    return float(weak_edge(stumps(i[0]), i[1]).edge)


WEAK_STUMPS = Erratum(
    "E-WEAK-STUMPS",
    "under any weights some stump has an edge, in any dimension",
    lambda i: (1e-6, edge(i)),
    "in one dimension",
    lambda i: (1e-6, edge(i) if i[0].shape[1] == 1 else 1.0),
    "four points of a line and the corners of a square, all labelings",
    labelled,
    (1, 2),
    show=lambda i: f"{i[0].astype(int).tolist()}, labels {i[1]}",
)

ERRATA = (PRUNE_TIE, PRUNE_ZERO, ENTROPY_BITS, BOOST_ZERO, BOOST_THETA, WEAK_STUMPS)
