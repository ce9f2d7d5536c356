"""Hedge over every sequence with k switches and m modes: what `multitask` does cheaply, done by brute force.

Exponential in the number of rounds: reference implementations for small sizes, to check theorems with. UCL COMP0078,
switching with memory. Ledger: A-META-MODES, A-META-OGD; T-MODES-COUNT, T-META-OGD.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array

LIMIT = 1 << 20  # sequences that are tried


class Played(NamedTuple):
    """What Hedge over many sequences did."""

    losses: Array  # T: its expected loss in each round
    sequences: NDArray[np.int64]  # N x T: what it was a mixture of
    each: Array  # N: what each of them lost
    eta: float

    @property
    def loss(self) -> float:
        return float(self.losses.sum())


def sequences(n: int, T: int, k: int, m: int, most: bool = False) -> Iterator[tuple[int, ...]]:
    """Sequences over n hypotheses with exactly k switches and m modes; with `most`, at most so many.

    >>> list(sequences(2, 3, 1, 2))
    [(0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 0)]
    """
    if n**T > LIMIT:
        raise BadInput(
            f"there are {n}^{T} sequences: too many to try; multitask needs none of them"
        )
    for some in product(range(n), repeat=T):
        switches, modes = sum(a != b for a, b in pairwise(some)), len(set(some))
        if (switches <= k and modes <= m) if most else (switches, modes) == (k, m):
            yield some


def hedge(each: Array, eta: float | None = None) -> tuple[Array, float]:
    """The expected loss of Hedge in each round, over N rows of losses in [0, 1]; and its rate, sqrt(2 ln N / T)."""
    N, T = each.shape
    rate = math.sqrt(2.0 * math.log(N) / T) if eta is None else eta
    before = np.cumsum(each, axis=1) - each  # what each had lost by then
    w = np.exp(-rate * (before - before.min(axis=0)))
    return (w * each).sum(axis=0) / w.sum(axis=0), rate


def hedge_over_modes(losses: Any, k: int, m: int, eta: float | None = None) -> Played:
    """Hedge over all sequences of experts with exactly k switches and m modes: at most sqrt(2 T ln N) worse than each.

    Two experts, one switch, three rounds: of the four sequences, two begin with expert 0.

    >>> played = hedge_over_modes([[0, 1], [0, 1], [1, 0]], k=1, m=2, eta=math.log(2))
    >>> len(played.sequences), played.losses.round(4).tolist()
    (4, [0.5, 0.5, 0.3333])
    """
    ell = np.asarray(losses, float)
    T, n = ell.shape
    every = np.array(list(sequences(n, T, k, m)), np.int64)
    if not len(every):
        raise BadInput(f"no sequence of {T} rounds has {k} switches and {m} modes")
    each = ell[np.arange(T), every]
    mine, rate = hedge(each, eta)
    return Played(mine, every, each.sum(axis=1), rate)


def hedge_over_colourings(K: Any, y: Any, k: int, m: int, U: Any) -> Played:
    """Hedge over all colourings of the rounds; each colour runs its own randomised kernel descent on its own rounds.

        a colouring: at most m colours, at most k switches
        colour i:    predict sign(f(x) - Y), Y uniform in (-1, 1);  if y f(x) <= 1:  f += gamma_i y K(x, .)

    K is the kernel's matrix over the T rounds, y the labels -1 and +1, U[i] at least the norm of the function that
    colour i is compared with; gamma_i = U[i] / (X sqrt(T_i)) for its T_i rounds, X^2 the largest K(x, x).
    """
    gram, labels, norms = np.asarray(K, float), np.asarray(y, float), np.asarray(U, float)
    T, X = len(labels), math.sqrt(float(np.max(np.diag(gram))))
    if len(norms) != m:
        raise BadInput(f"U must hold a norm for each of {m} colours, not {len(norms)}")
    every = np.array(list(sequences(m, T, k, m, most=True)), np.int64)
    each = np.zeros(every.shape)
    for row, colours in zip(each, every, strict=True):
        for i in range(m):
            mine = np.flatnonzero(colours == i)
            row[mine] = kernel_descent(gram[np.ix_(mine, mine)], labels[mine], norms[i], X)
    mixed, rate = hedge(each)
    return Played(mixed, every, each.sum(axis=1), rate)


def kernel_descent(K: Array, y: Array, U: float, X: float) -> Array:
    """The chance of a mistake in each round of randomised kernel gradient descent (A-KOGD-RAND)."""
    T = len(y)
    a, wrong = np.zeros(T), np.zeros(T)
    for t in range(T):
        score = float(a @ K[:, t])
        wrong[t] = min(max((1.0 - y[t] * score) / 2.0, 0.0), 1.0)
        if y[t] * score <= 1.0:
            a[t] = U / (X * math.sqrt(T)) * y[t]
    return wrong
