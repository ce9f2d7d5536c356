"""Independent rounds: experts whose losses do not depend on the past, and fair coins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from ..encode.stream import Stream
from .in_memory import in_memory


def iid_losses(
    means: Sequence[float], rounds: int = 1000, uniform: bool = False, seed: int = 0
) -> Array:
    """T x n losses in [0, 1], independent; expert i loses means[i] on average.

        Bernoulli: 1 with probability m, else 0;  uniform: U(m - w, m + w), w = min(m, 1 - m)

    >>> iid_losses([0.0, 1.0, 0.5], rounds=4).mean(axis=0).tolist()[:2]
    [0.0, 1.0]
    """
    m: Array = np.asarray(means, float)
    if m.ndim != 1 or m.size == 0 or not ((m >= 0) & (m <= 1)).all():
        raise BadInput(f"iid_losses: means must be numbers in [0, 1], not {means}")
    u = np.random.default_rng(seed).random((rounds, m.size))
    if uniform:
        losses: Array = m + np.minimum(m, 1 - m) * (2 * u - 1)
        return losses
    return (u < m).astype(float)


def iid_stream(
    seed: int = 0, *, means: Sequence[float], rounds: int = 1000, uniform: bool = False
) -> Stream:
    """`iid_losses` as a stream of the allocation game."""
    return in_memory(None, iid_losses(means, rounds, uniform, seed), "i.i.d. losses")


def coin_losses(rounds: int = 1000, experts: int = 64, seed: int = 0) -> Array:
    """T x n fair coins: no expert is better, and with many the luckiest beats any learner by about the bound of T-EWA.

    Ledger: ADV-COIN.
    """
    return iid_losses([0.5] * experts, rounds, seed=seed)


def coin_labels(rounds: int = 1000, experts: int = 64, seed: int = 0) -> tuple[Array, Array]:
    """Advice and outcomes that are fair bits, all independent. Ledger: ADV-COIN."""
    bits = np.random.default_rng(seed).integers(0, 2, (rounds, experts + 1)).astype(float)
    return np.ascontiguousarray(bits[:, 1:]), np.ascontiguousarray(bits[:, 0])


def coin_stream(
    seed: int = 0, *, rounds: int = 1000, experts: int = 64, labels: bool = False
) -> Stream:
    """Fair coins as a stream: losses, or advice and outcomes with `labels`."""
    if labels:
        return in_memory(*coin_labels(rounds, experts, seed), "fair labels")
    return in_memory(None, coin_losses(rounds, experts, seed), "fair coins")
