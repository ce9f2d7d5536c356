"""Trees and boosting steps: lecture 4 on supervised learning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb, log
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .instances import designs, seen, weighted


def spread(y: Any) -> float:
    return float(((y - y.mean()) ** 2).sum()) if len(y) else 0.0


def first_split(i: tuple[Any, Any, float]) -> tuple[float, float]:
    """The squared errors of scikit-learn's tree of depth 1, and the least of all splits with means for leaves."""
    from sklearn.tree import DecisionTreeRegressor

    X, y, _ = i
    sides = [X[:, j] <= s for j in range(X.shape[1]) for s in np.unique(X[:, j])[:-1]]
    best = min([spread(y[s]) + spread(y[~s]) for s in sides], default=spread(y))
    tree = DecisionTreeRegressor(max_depth=1, random_state=0).fit(X, y)
    return float(((tree.predict(X) - y) ** 2).sum()), best


def corners(n: int) -> Iterator[tuple[Any, Any]]:
    X = np.array(list(product((0.0, 1.0), repeat=n)))
    yield X, X.sum(axis=1) % 2


def gainless(i: tuple[Any, Any]) -> tuple[float, float]:
    """Parity: the squared errors after the best first split and at the root; full depth leaves none."""
    X, y = i
    best = min(spread(y[X[:, j] < 0.5]) + spread(y[X[:, j] > 0.5]) for j in range(X.shape[1]))
    return best, spread(y)


def step(i: tuple[Any, Any, Any, Any]) -> tuple[float, float]:
    """Z of the best stump at alpha = ln((1 - e)/e)/2, and its least over other alpha."""
    _, y, w, H = i
    e = float(min(w[h != y].sum() for h in H))
    if not 0.0 < e < 0.5:
        return 0.0, 0.0
    alpha = log((1.0 - e) / e) / 2.0
    others = alpha + np.concatenate([np.linspace(-1.0, 1.0, 41), [1e-4]])
    Z = e * np.exp(others) + (1.0 - e) * np.exp(-others)
    return 2.0 * (e * (1.0 - e)) ** 0.5, float(Z.min())


def own_stump(i: tuple[Any, Any, Any, Any]) -> tuple[float, float]:
    """The weighted error of AdaBoost's first stump, and the least of all stumps."""
    from littlestone.supervised.adaboost import AdaBoost

    X, y, w, H = i
    rounds = AdaBoost(1).fit(X, y, sample_weight=w).rounds_
    e = float(min(w[h != y].sum() for h in H))
    return (float(rounds.errors[0]), e) if len(rounds) and not rounds.perfect else (e, e)


def exact_vc(d: int) -> int:
    """The VC dimension of stumps in d dimensions: the largest v with C(v, floor(v/2)) <= 2 d."""
    return max(v for v in range(1, 60) if comb(v, v // 2) <= 2 * d)


def dimensions(d: int) -> Iterator[int]:
    yield d


def orders(d: int) -> Iterator[Any]:
    """Points of the plane or of space whose columns are permutations, so that no two values tie."""
    rng = np.random.default_rng(d)
    for m in (3, 4, 5):
        for _ in range(6):
            yield np.stack([rng.permutation(m) for _ in range(d)], axis=1).astype(float)


def shattered_by_stumps(X: Any) -> tuple[float, float]:
    from littlestone.theory.shattering import vc_dimension
    from littlestone.theory.weak_learning import stumps

    return float(int(vc_dimension(stumps(X)))), float(exact_vc(X.shape[1]))


def bootstraps(m: int) -> Iterator[int]:
    yield m


def different(m: int) -> tuple[float, float]:
    every = [len(set(s)) / m for s in product(range(m), repeat=m)]
    return sum(every) / len(every), 1.0 - (1.0 - 1.0 / m) ** m


def means(n: int) -> Iterator[Any]:
    for a in combinations((-3.0, 0.0, 1.0, 7.0, 8.5), n):
        yield np.array(a)


def best_constant(y: Any) -> tuple[float, float]:
    grid = np.append(np.linspace(-4.0, 9.0, 1301), y.mean())
    return spread(y), float(((y[:, None] - grid[None]) ** 2).sum(axis=0).min())


HOW = "12 samples of a size, half of them with ties"
STATEMENTS = (
    Statement("T-SPLIT", "the mean is the best constant", best_constant, means, (1, 2, 3), equal=True,
              how="1,302 constants each"),
    Statement("T-SPLIT", "a tree of depth 1 has the least squared error of all splits", first_split, designs,
              (4, 8, 16), equal=True, how=HOW, show=seen, short=2),
    Statement("T-GROW-FIRST", "no first split of a parity gains anything", gainless, corners, (2, 3, 4), equal=True,
              how="all corners of a cube", show=seen),
    Statement("T-BOOST-STEP", "Z is least at ln((1 - e)/e)/2", step, weighted, (4, 8, 16), attained=True,
              how="12 weighted samples of a size", show=seen, short=2),
    Statement("T-BOOST-STEP", "the stump of a round has the least weighted error", own_stump, weighted, (4, 8),
              equal=True, how="12 weighted samples of a size", show=seen, short=1),
    Statement("T-STUMP-VC", "stumps in d dimensions have VC dimension at most 2 (ln d + 1)",
              lambda d: (float(exact_vc(d)), 2.0 * (log(d) + 1.0)), dimensions, tuple(range(1, 201)), attained=True,
              how="d = 1 to 200, by the exact value", short=50),
    Statement("T-STUMP-VC", "and at most the largest v with C(v, v/2) <= 2 d", shattered_by_stumps, orders, (1, 2, 3),
              attained=True, how="18 sets of points a dimension", show=lambda X: f"{len(X)} points, d = {X.shape[1]}"),
    Statement("T-BOOTSTRAP", "a bootstrap sample has 1 - (1 - 1/m)^m of the rows on average", different, bootstraps,
              (1, 2, 3, 4, 5), equal=True, how="all samples"),
)  # fmt: skip
