"""The expected loss of EXP3 on a fixed sequence of losses, exactly, by recursion over its draws. Ledger: T-EXP3."""

from __future__ import annotations

import math
from collections.abc import Sequence


def expected_loss(losses: Sequence[Sequence[float]], eta: float) -> float:
    """Each draw splits the tree: n^T of them, so T is small.

    >>> round(expected_loss([(1.0, 0.0)] * 3, math.sqrt(math.log(2) / 3)), 6)  # X-EXP3
    1.191221
    """
    n = len(losses[0])

    def value(total: tuple[float, ...], t: int) -> float:
        if t == len(losses):
            return 0.0
        low = min(total)
        w = [math.exp(-eta * (x - low)) for x in total]
        s = sum(w)
        found = 0.0
        for i in range(n):
            p = w[i] / s
            if p == 0.0:
                continue
            after = (*total[:i], total[i] + losses[t][i] / p, *total[i + 1 :])
            found += p * (losses[t][i] + value(after, t + 1))
        return found

    return value((0.0,) * n, 0)
