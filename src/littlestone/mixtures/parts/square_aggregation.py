"""The aggregating algorithm for the square loss over n predictions, on an interval that is learned.

    predict:  (low + high)/2 + (G(low) - G(high)) / 2B,  G(y) = -(B^2/2) ln sum_i v_i exp(-2 (a_i - y)^2 / B^2)
    v_i proportional to exp(-2 L_i / B^2),  L_i the loss of prediction i in the rounds with y in [low, high]

On an interval of length B the square loss is mixable at 2/B^2 by this prediction (Vovk 1990; Haussler, Kivinen &
Warmuth 1998). It rises with every a_i, and is a where all of them are a: so it is between the least and the largest.
linear/parts/outer_mixture.py has how the interval is learned, and the proof for two predictions, which is that for n
of prior weights w_i:

    loss  <=  L_i  +  (4/5) B^2  +  (B^2/2) ln(1/w_i),  B that of the end,

after an opening in which all predictions are alike.

Two predictions, -1 and 1, of equal weight:

>>> import numpy as np
>>> a, v = np.array([1.0, -1.0]), np.array([0.5, 0.5])
>>> abs(round(float(aggregate(a, v, 0.0, 1.0)), 12))
0.0
>>> round(
...     float(aggregate(a, np.array([0.9, 0.1]), 0.0, 1.0)), 4
... )  # ln((.9 e + .1/e) / (.9/e + .1 e)) / 2
0.7078
"""

from __future__ import annotations

import math

from ...core.numeric import log_one
from ...core.stream import Array


def aggregate(a: Array, v: Array, middle: float, half: float) -> float:
    """The prediction for predictions a of weights v (one for each v), on [middle - half, middle + half].

    Seen from the prediction of the largest weight, so that it is exact where all are alike.
    """
    best = 0
    for i in range(v.shape[0]):
        if v[i] > v[best]:
            best = i
    z, up, down = (a[best] - middle) / half, 0.0, 0.0
    for i in range(v.shape[0]):
        if v[i] > 0.0:
            d = (a[i] - a[best]) / half
            u = v[i] * math.exp(-d * (z + 0.5 * d))
            up += u * math.exp(d)
            down += u * math.exp(-d)
    p: float = a[best] + 0.5 * half * (log_one(up) - log_one(down))
    return p
