"""Random Fourier features of a standardised row, at several scales: a linear model over them has a Gaussian kernel.

    cos(2 pi scale <w, z>) and sin(2 pi scale <w, z>), times sqrt(2), for frequencies w drawn from a normal law

Rahimi & Recht (2007). The last part has frequencies that look at one feature each: additive models, Stone (1985).

A row with <w, z> = 1/2, in turns: at the scale 1/2 a quarter of a turn, at the scale 1 half a turn.

>>> import numpy as np
>>> from .feature_scaling import LAST_ROWS
>>> last_row = np.zeros((2, LAST_ROWS, 2))
>>> for s in range(2):
...     set_fourier_features(np.array([0.5, 0.0]), s, last_row)
>>> (np.round(last_row[:, Z] / SQRT_2, 6) + 0.0).tolist()  # cosine, sine
[[0.0, 1.0], [-1.0, 0.0]]
"""

from __future__ import annotations

import math
from typing import Any

from ...core.random_features import TURN, normal, sine
from ...core.stream import Array
from .feature_scaling import SAMPLES, Scaler, Z, count_entries, feature_of_entry

SQRT_2 = math.sqrt(2.0)  # so that the mean square of a feature is 1, as that of a standardised one
# Of the frequencies; 1 turns two rows a typical distance apart by a radian. Each is twice the one before.
SCALES = 0.5, 1.0, 2.0, 4.0
FOURIER_PARTS = len(SCALES) + 1  # the last part looks at features one by one
MAX_FEATURES = 512  # of the data: among more of them, random directions say little and cost much


def draw_frequencies(n: int, F: int, first: int = 0) -> Array:
    """n x 2F: a frequency a column, in turns, for rows of n standardised features.

    The first F look at all features together, each of the others at one of the `first` (0: of all), at every scale in
    turn.
    """
    first = first or n
    W = normal(0, n, 2 * F) / TURN
    W[:, :F] /= math.sqrt(max(first, 1))
    for k in range(F if n else 0):
        only, scale = k % first, SCALES[k // first % len(SCALES)]
        W[:only, F + k] = W[only + 1 :, F + k] = 0.0
        W[only, F + k] *= scale
    return W


def grow_frequencies(old: Array, new: Array) -> Array:
    """The frequencies with rows for features that came later: what was learned of the others stays true.

    Later features are looked at together with the others, and not one by one.
    """
    if len(new) <= len(old):
        return old if len(new) else new
    W: Array = new.copy()
    W[: len(old)] = old
    W[len(old) :, W.shape[1] // 2 :] = 0.0
    return W


def explain_no_curves(key: str, n: int) -> str:
    """What a run says where there are no Fourier features."""
    if n <= MAX_FEATURES:
        return ""
    return f"{key}: {n:,} features (with room for more) are too many for curves: its linear parts play alone"


def project(W: Array, scaler: Scaler, x: Any, a: Array) -> None:
    """a = the inner products of the frequencies with the row that was standardised last."""
    for k in range(a.shape[0]):
        a[k] = 0.0
    for j in range(count_entries(scaler, x)):
        if scaler.new_stats[j, SAMPLES] <= 1.0:  # a feature that was not seen before says nothing
            continue
        z, w = scaler.last_row[Z, j], W[feature_of_entry(scaler, x, j)]
        for k in range(a.shape[0]):
            a[k] += z * w[k]


def set_fourier_features(a: Array, s: int, last: Array) -> None:
    """Cosines, then sines, of the inner products, for the part s: a row that needs no scaler.

    At twice the scale they follow from those of the part before, in a tenth of the time.
    """
    F, own = a.shape[0] // 2, last[s, Z]
    if 0 < s < FOURIER_PARTS - 1:
        half = last[s - 1, Z]
        for k in range(F):
            own[k] = SQRT_2 * (half[k] * half[k] - 1.0)
            own[F + k] = SQRT_2 * (half[k] * half[F + k])
        return
    scale, feature_of_entry = (SCALES[0], 0) if s == 0 else (1.0, F)
    for k in range(F):
        own[k] = SQRT_2 * sine(scale * a[feature_of_entry + k] + 0.25)
        own[F + k] = SQRT_2 * sine(scale * a[feature_of_entry + k])
