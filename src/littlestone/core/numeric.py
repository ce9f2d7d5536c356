"""Small numerical rules, written as loops so that they compile quickly and allocate nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .vectors import has_compiled_form


@has_compiled_form
def decay(z: float) -> float:
    """exp(z) for z <= 0; its twin is a polynomial that vectorises (relative error below 1e-14)."""
    return math.exp(z) if z > -708.0 else 0.0


@has_compiled_form
def decay_one(z: float) -> float:
    """exp(z) for a single z <= 700 that the next instructions wait for: its twin has fewer steps in a row."""
    return math.exp(z) if z > -708.0 else 0.0


@has_compiled_form
def log_one(p: float) -> float:
    """ln p for p > 0, not denormal; its twin is a polynomial (relative error below 1e-15)."""
    return math.log(p)


@has_compiled_form
def log_more(e: float) -> float:
    """ln(1 + e) for e in [0, 1]; its twin is a polynomial (relative error below 5e-16)."""
    return math.log1p(e)


@has_compiled_form
def least(v: Any) -> float:
    """The smallest entry."""
    return float(v.min())


@has_compiled_form
def most(v: Any) -> float:
    """The largest entry."""
    return float(v.max())


@has_compiled_form
def inner(p: Any, x: Any) -> float:
    """The sum of p_i x_i."""
    return float(p @ x)


@has_compiled_form
def softmin(L: Any, eta: float, p: Any) -> None:
    """p_i = exp(-eta L_i) / sum, in place; only differences to the smallest L matter, so nothing overflows."""
    if eta < 0.0:
        raise ValueError(f"softmin: eta is {eta}; negate the losses instead, or exp overflows")
    m, s = least(L), 0.0
    if m == math.inf:
        return  # no expert is left: that round has cost infinity, and the session refuses it
    for i in range(L.shape[0]):
        p[i] = decay(-eta * (L[i] - m))
        s += p[i]
    for i in range(L.shape[0]):
        p[i] /= s


def normalise(p: Any) -> None:
    """p / sum p, in place; uniform where there is no mass."""
    s = 0.0
    for i in range(p.shape[0]):
        s += p[i]
    if s > 0.0:
        c = 1.0 / s
        for i in range(p.shape[0]):
            p[i] *= c
    else:
        for i in range(p.shape[0]):
            p[i] = 1.0 / p.shape[0]


def draw(p: Any, u: float) -> int:
    """The index that a uniform number picks; an entry of no mass is never picked."""
    total, last = 0.0, 0
    for i in range(p.shape[0]):
        if p[i] > 0.0:
            total += p[i]
            last = i
            if u < total:
                return i
    return last


@has_compiled_form
def uniform(seed: int, t: int, k: int) -> float:
    """The k-th uniform number of round t: a pure function (splitmix64), so a run can resume anywhere."""
    M = 0xFFFFFFFFFFFFFFFF
    z = (seed * 0x9E3779B97F4A7C15 + t * 0xD1B54A32D192ED03 + k * 0x8CB92BA72F3D8DD7) & M
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
    return ((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0)


def entropy(p: float) -> float:
    """H(p) = p ln(1/p) + (1-p) ln(1/(1-p)), with 0 at both ends (E-ENTROPY).

    >>> round(799 * entropy(3 / 799), 2)
    19.75
    """
    total = 0.0
    for q in (p, 1.0 - p):
        if q > 0.0:
            total -= q * math.log(q)
    return total


def xlog(a: Any, b: Any) -> Any:
    """a ln b, and 0 where a is 0 whatever b is."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(a == 0.0, 0.0, a * np.log(b))
