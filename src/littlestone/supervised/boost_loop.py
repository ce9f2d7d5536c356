"""The rounds of AdaBoost over stumps, in plain loops: compiled_boost_loop.py compiles them."""

from __future__ import annotations

from typing import Any

import numpy as np


def boost(
    values: Any, order: Any, cut: Any, y: Any, D: Any, rounds: int, constants: bool, tie: float,
    features: Any, thresholds: Any, signs: Any, wrong: Any, mistaken: Any, least: Any,
) -> int:  # fmt: skip
    """Play the rounds; return how many there were. D, the weights of the rows, is changed in place.

    Round t is written to features, thresholds, signs, wrong (the weight of the errors over that of all rows), mistaken
    (the first weight of the rows with y f(x) <= 0) and least (the smallest margin). It ends before a round in which no
    stump has an edge, and after one in which a stump makes no error.
    """
    n, m = order.shape
    first = D.copy()
    F, v = np.zeros(m), np.zeros(m)
    tops = np.zeros(n)
    mass = 0.0
    for t in range(rounds):
        total = 0.0
        for i in range(m):
            v[i] = D[i] * y[i]
            total += v[i]
        best = -1.0
        for j in range(n):
            top, c = -1.0, 0.0
            for k in range(m):
                c += v[order[j, k]]
                if cut[j, k]:
                    top = max(top, abs(2.0 * c - total))
            tops[j] = top
            best = max(best, top)
        if constants and abs(total) > best + tie:
            feature, z, sign, best = -1, np.inf, 1.0 if total >= 0.0 else -1.0, abs(total)
        else:
            feature, z, sign = -1, np.inf, 1.0
            if best >= 0.0:
                feature = 0
                while tops[feature] < best - tie:
                    feature += 1
                c, k = v[order[feature, 0]], 0
                while not cut[feature, k] or abs(2.0 * c - total) < best - tie:
                    k += 1
                    c += v[order[feature, k]]
                sign = 1.0 if 2.0 * c - total >= 0.0 else -1.0
                low = values[feature, order[feature, k]]
                high = values[feature, order[feature, k + 1]]
                z = 0.5 * low + 0.5 * high
                if not (low <= z < high):
                    z = low
        if best <= tie:
            return t
        bad, good = 0.0, 0.0
        for i in range(m):
            h = sign if feature < 0 or values[feature, i] <= z else -sign
            v[i] = h
            if h * y[i] < 0.0:
                bad += D[i]
            else:
                good += D[i]
        features[t], thresholds[t], signs[t], wrong[t] = feature, z, sign, bad / (bad + good)
        if bad == 0.0:
            mistaken[t], least[t] = 0.0, 1.0
            return t + 1
        alpha = 0.5 * np.log(good / bad)
        up, down = 0.5 / bad, 0.5 / good
        mass += alpha
        lost, low = 0.0, np.inf
        for i in range(m):
            F[i] += alpha * v[i]
            D[i] *= up if v[i] * y[i] < 0.0 else down
            margin = y[i] * F[i]
            low = min(low, margin)
            if margin <= 0.0:
                lost += first[i]
        mistaken[t], least[t] = lost, low / mass
    return rounds
