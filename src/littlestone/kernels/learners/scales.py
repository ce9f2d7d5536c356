"""Features brought to one scale as they come, for kernels of distances: the user need not say what far apart means.

    each round:  z_i = s_i x_i
    after 2, 4, 8, … rounds:  s_i = 1 / (r_i sqrt(1.5 c)), where r_i is the geometric mean of how far feature i was from
                              earlier examples when it differed, and c how many features differed, on average

So a typical squared distance between two examples is about 2, whatever the units, and the Gaussian kernel with
beta = 1 about exp(-2) there. A difference counts as at most 1000 r_i, so one extreme example decides nothing. After
256 rounds a feature is scaled anew only where it is off by a factor of 4, so that the kernel, and with it the theorem,
settles. A feature that has not varied yet has s_i = 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.stream import Array
from ...core.vectors import index, size, value

YOUNG = 256  # rounds after which scales change only where they are far off
FAR = 1e140  # beyond this the square of a distance leaves the range of floats
# Rows of F, one column a feature: the example as the kernel sees it, s, and where features are scaled also the earlier
# example, sums of ln |x_i - it|, how often they differed, and r.
SEEN, SCALE, EARLIER, LOGS, TIMES, TYPICAL = 0, 1, 2, 3, 4, 5


def columns(d: int, on: bool) -> Array:
    F = np.zeros((6 if on else 2, d))
    F[SCALE] = 0.0 if on else 1.0
    return F


def brought(x: Any, F: Any) -> Any:
    """The example as the kernel sees it: dense, and on the common scale."""
    for i in range(F.shape[1]):
        F[SEEN, i] = 0.0
    for k in range(size(x)):
        i = index(x, k)
        F[SEEN, i] = min(max(F[SCALE, i] * value(x, k), -FAR), FAR)
    return F[SEEN]


def watch(x: Any, t: int, F: Any) -> None:
    """Measure the t-th example against an earlier one, of which there are eight between two powers of 2."""
    eighth = 1
    while 16 * eighth <= t:
        eighth *= 2
    for i in range(F.shape[1]):
        F[SEEN, i] = 0.0
    for k in range(size(x)):
        F[SEEN, index(x, k)] = value(x, k)
    for i in range(F.shape[1]):
        e, r = abs(F[SEEN, i] - F[EARLIER, i]), F[TYPICAL, i]
        if e > 0.0 and t > 1:
            F[LOGS, i] += math.log(min(max(e, 1e-3 * r), 1e3 * r) if r > 0.0 else e)
            F[TIMES, i] += 1.0
        if t % eighth == 0:
            F[EARLIER, i] = F[SEEN, i]


def rescale(t: int, F: Any, S: Any, m: int) -> bool:
    """After t = 2, 4, 8, … rounds: new scales, for the support vectors too. Has one changed?"""
    total, changed = 0.0, False
    for i in range(F.shape[1]):
        total += F[TIMES, i]
    wide = math.sqrt(1.5 * total / max(t - t // 2, 1))
    for i in range(F.shape[1]):
        if F[TIMES, i] > 0.0:
            r = math.exp(F[LOGS, i] / F[TIMES, i])
            new, old = 1.0 / max(r * wide, 1e-290), F[SCALE, i]
            off = new / old if old > 0.0 else 0.0
            if t <= YOUNG or off < 0.25 or off > 4.0:
                for j in range(m):
                    S[j, i] *= off
                F[SCALE, i], F[TYPICAL, i] = new, r
                changed = True
        F[LOGS, i] = 0.0
        F[TIMES, i] = 0.0
    return changed
