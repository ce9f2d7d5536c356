"""The peers: each algorithm as one would write it in NumPy, a round at a time, all experts at once.

They check nothing and keep nothing but the total loss (square), which must be that of the learner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def hedge_losses(losses: Any, _: Any, parameters: Mapping[str, Any]) -> float:
    eta, total = parameters["eta"], 0.0
    L = np.zeros(losses.shape[1])
    for ell in losses:
        p = np.exp(-eta * (L - L.min()))
        p /= p.sum()
        total += p @ ell
        L += ell
    return float(total)


def hedge(advice: Any, outcomes: Any, parameters: Mapping[str, Any]) -> float:
    eta, total = parameters["eta"], 0.0
    L = np.zeros(advice.shape[1])
    for x, y in zip(advice, outcomes.tolist(), strict=True):
        p = np.exp(-eta * (L - L.min()))
        p /= p.sum()
        error = x - y
        total += (p @ error) ** 2
        L += error * error
    return float(total)


def fixed_share(advice: Any, outcomes: Any, parameters: Mapping[str, Any]) -> float:
    eta, total, n = parameters["eta"], 0.0, advice.shape[1]
    p = np.full(n, 1.0 / n)
    for t, (x, y) in enumerate(zip(advice, outcomes.tolist(), strict=True), 1):
        error = x - y
        total += (p @ error) ** 2
        p *= np.exp(-eta * (error * error))
        p /= p.sum()
        alpha = 1.0 / (t + 1.0)
        part = alpha / (n - 1)
        p *= 1.0 - alpha - part
        p += part
    return float(total)


def ml_poly(advice: Any, outcomes: Any, _: Mapping[str, Any]) -> float:
    total, n, B = 0.0, advice.shape[1], 0.0
    R, V = np.zeros(n), np.zeros(n)
    p = np.full(n, 1.0 / n)
    for x, y in zip(advice, outcomes.tolist(), strict=True):
        a = p @ x
        total += (a - y) ** 2
        r = 2.0 * (a - y) * (a - x)
        square = r * r
        R += r
        V += square
        B = max(B, square.max())
        p = np.maximum(R, 0.0) / (B + V)
        s = p.sum()
        p = p / s if s > 0.0 else np.full(n, 1.0 / n)
    return float(total)
