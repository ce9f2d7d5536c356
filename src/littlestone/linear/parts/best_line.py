"""Linear predictors of probabilities in hindsight, with an intercept, and the regret bound of coin betting to each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.guarantee import Comparators
from ...core.stream import Array
from ...hindsight.search.kept_rounds import KeptRounds
from ...hindsight.search.several_classes import NUMBERS, design, measure_scores, minimisers
from ...hindsight.search.used_features import narrow_to_used
from .coin_betting import INVERSE_SCALE, CoinState, regret_bound

FAR = 1e6  # how far beyond its scale a number may be before the search takes another scale
TINY = 1e-300
RIDGE_PENALTIES = (1e4, 1e3, 1e2, 1e1, 1e0, 1e-1)


def best_lines(rounds: KeptRounds, coins: list[CoinState]) -> Comparators:
    """Equal chances, the shares of the classes, and minimisers of the log loss with a penalty: the promise is for all.

    The penalty is on weights over INVERSE_SCALE, so that units do not matter to it, as they do not to the promise.
    """
    K, known = rounds.shape.classes, rounds.known
    if not known.any() or K < 2:
        return Comparators(
            "own", str, np.zeros(0), why="no round had an answer, or all had the same"
        )
    few = narrow_to_used(rounds.x, rounds.width)
    x, width = (rounds.x, rounds.width) if few is None else (few.rows, len(few.places))
    X: Any = design(x, width, True)[known]
    y, h = rounds.codes[known].astype(int), rounds.h[known]
    n = X.shape[1]
    at = slice(n) if few is None else np.append(0, 1 + few.places)  # the bettors on these
    shares = np.log(np.bincount(y, h, K) + 1e-3 * h.sum() / len(h)) - np.log(h.sum())
    found = {"equal chances": np.zeros((K, n)), "the shares of the classes": np.zeros((K, n))}
    found["the shares of the classes"][:, 0] = shares - shares.mean()
    if len(y) * K <= NUMBERS and K * n <= NUMBERS // 100:
        q = np.mean([coin.bettors[:, at, INVERSE_SCALE].max(axis=0) for coin in coins], axis=0)
        # bettors skip rounds in which one class was known: a number of such a round may be out of all proportion
        largest: Any = abs(X).max(axis=0)
        largest = largest if isinstance(X, np.ndarray) else largest.toarray().ravel()
        q = np.minimum(q, FAR / np.maximum(largest, TINY)) * np.sqrt(len(y))
        for name, U in minimisers(X * q, y, h, K, RIDGE_PENALTIES).items():
            found[name] = U * q
    L, cost = [], []
    for U in found.values():
        L.append(measure_scores(X, y, h, U)[1] * rounds.passes)
        V = U if few is None else few.whole(U)
        V = V[1:] - V[:1] if K == 2 else V
        cost.append(sum(regret_bound(coin, of_bettors(coin, V)) for coin in coins))
    return Comparators("own", list(found).__getitem__, np.array(L), {"coin_regret": np.array(cost)})


def of_bettors(coin: CoinState, V: Array) -> Array:
    """The weights of the features that have a bettor."""
    return V[:, : coin.bettors.shape[1]]
