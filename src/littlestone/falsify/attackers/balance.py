"""The adversary that exponential weights are worst against: half of the weight loses in every round, to the end.

Their bound is the sum of what the first weights cost, ln n / eta, and of at most eta / 8 a round, which is attained
where the charged experts hold half of the weight. So two halves of the experts take turns to lose, which keeps all
weights equal; and in the last rounds one expert is spared, while others that hold about half of the weight lose, until
it has all of it. What is lost to the bound is of order ln(1/eta), however many rounds there are: the ratio goes to 1.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from ...core.stream import Array
from ..attack import Case, Volley, one
from ..hunt import Hunt

# rounds and experts; the ratio of Hedge at its tuning is .981 to .995 from the second on
SIZES = (
    (100, 4),
    (400, 8),
    (10_000, 4),  # quick to play: all but its last rounds are two rounds in turn
    (1000, 16),
    (2000, 16),
    (4000, 4),
    (20_000, 4),
    (50_000, 4),
)
PLAIN = 400  # the longest run, where runs are not compiled
SHARES = (1.0, 0.85, 0.7, 1.15)  # multiples of the number of last rounds that ought to be best
# multiples of the theorem's own rate, where it allows any; low ones for bounds whose constant before eta T exceeds 1/8
RATES = (1.0, 1.5, 2.0, 3.0, 0.3, 0.1)


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Play every size at every rate, the short runs first."""
    target = hunt.target
    g = target.guarantee
    if "losses" not in target.kinds or g.against != "expert" or g.delayed:
        return
    sizes = SIZES if hunt.compiled else [size for size in SIZES if size[0] <= PLAIN]
    for T, n in [hunt.sizes] if hunt.sizes else sizes:
        for case in cases(hunt, T, n):
            yield one(case)


def cases(hunt: Hunt, T: int, n: int) -> Iterator[Case]:
    target = hunt.target
    interval = (0.0, 1.0) if target.learner.bounded else None
    for factor in RATES if "eta" in target.free else RATES[:1]:
        eta = factor * math.sqrt(8.0 * math.log(max(n, 2)) / T)  # 1: that of T-EWA
        changed = {} if factor == 1.0 else {"eta": eta}
        given: dict[str, Any] = {
            "parameters": changed,
            "interval": interval,
            "horizon_known": True,
        }
        if not target.admits("losses", n, T, given):
            continue
        needed = math.log(8.0 * n / eta**2) / eta  # last rounds
        if factor < 1.0 and needed > T:
            continue
        for share in SHARES:
            last = min(T, int(share * needed))
            yield Case(balanced(T, n, eta, last), **given)


def balanced(T: int, n: int, eta: float, last: int) -> Array:
    """Losses: two halves lose in turn; in the last rounds others than the first expert that hold about half.

    Weights are those of exponential weights at the rate eta, which the first part leaves as they were.

    >>> balanced(4, 4, 0.1, 2).tolist()
    [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
    """
    ell = np.zeros((T, n))
    turns = T - last
    ell[0:turns:2, : n // 2] = 1.0
    ell[1:turns:2, n // 2 :] = 1.0
    L = ell[:turns].sum(axis=0)
    for t in range(turns, T):
        w = np.exp(-eta * (L - L.min()))
        others = 1 + np.argsort(-w[1:], kind="stable")
        held = np.cumsum(w[others]) / w.sum()
        ell[t, others[: int(np.argmin(np.abs(held - 0.5))) + 1]] = 1.0
        L += ell[t]
    return ell
