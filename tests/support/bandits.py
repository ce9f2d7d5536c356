"""Rounds for bandits: losses, features, and which arms are there."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.rows import OURS


def table(T: int, n: int, seed: int = 0) -> Any:
    """Losses in eighths: the best arm changes in the middle."""
    rng = np.random.default_rng(seed)
    means = np.linspace(0.2, 0.8, n)
    means = np.where(np.arange(T)[:, None] < T // 2, means, means[::-1])
    return np.floor(np.clip(means + rng.uniform(-0.3, 0.3, (T, n)), 0, 1) * 8) / 8


def features(key: str, T: int, n: int, seed: int = 1) -> Any:
    """What the rounds bring for the learners that look at it: advice of three advisers, or two numbers."""
    if not OURS[key].contexts:
        return None
    rng = np.random.default_rng(seed)
    if key == "exp4":
        return rng.dirichlet(np.ones(n), size=(T, 3))
    return rng.uniform(-0.5, 0.5, (T, 2))


def offers(T: int, n: int, seed: int = 2) -> Any:
    """Which arms are there: at least one in each round."""
    on = np.random.default_rng(seed).random((T, n)) < 0.6
    on[np.arange(T), np.arange(T) % n] = True
    return on
