"""Random Fourier features: frequencies that are a pure function of a seed, and a sine that compiles well."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .stream import Array

TURN = 2.0 * math.pi


def normal(seed: int, d: int, F: int) -> Array:
    """d x F normal numbers, a pure function of seed, row and column: later rows do not change earlier ones."""
    flat = np.arange(d, dtype=np.uint64)[:, None], np.arange(F, dtype=np.uint64)[None, :]
    u, v = (hash_uniforms(seed, flat[0], 2 * flat[1] + np.uint64(k)) for k in (0, 1))
    made: Array = np.sqrt(-2.0 * np.log1p(-u)) * np.cos(TURN * v)
    return made


def hash_uniforms(seed: int, t: Any, k: Any) -> Any:
    """`core.numeric.uniform`, for arrays."""
    mix = [np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 0x8CB92BA72F3D8DD7)]
    with np.errstate(over="ignore"):
        z = np.uint64(seed) * mix[0] + t * mix[1] + k * mix[2]
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


def sine(u: float) -> float:
    """sin(2 pi u), as a polynomial that vectorises (Taylor's, to degree 21 on a quarter turn: error 3e-15)."""
    r = u - float(np.floor(u + 0.5))
    v = TURN * max(min(r, 0.5 - r), -0.5 - r)
    q = v * v
    p: float = 1.9572941063391263e-20
    p = p * q - 8.22063524662433e-18
    p = p * q + 2.8114572543455206e-15
    p = p * q - 7.647163731819816e-13
    p = p * q + 1.6059043836821613e-10
    p = p * q - 2.505210838544172e-08
    p = p * q + 2.7557319223985893e-06
    p = p * q - 0.0001984126984126984
    p = p * q + 0.008333333333333333
    p = p * q - 0.16666666666666666
    p = p * q + 1.0
    return v * p
