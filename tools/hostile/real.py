"""Learners of the package under a planted theorem: what they lost is added up again from their recorded weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.core.guarantee import Guarantee

from .checked_verdict import SHARES, CheckedVerdict, check_verdict
from .exact import times_power, whole
from .experts import numbers, promises, scale_of, within

KEYS = ("hedge", "fixed-share", "adahedge", "ml-poly", "squint", "boa")


def attack(rng: np.random.Generator, engine: str) -> CheckedVerdict:
    """One run over losses, longer than those of planted learners."""
    T, n = int(rng.integers(1, 120)), int(rng.integers(2, 6))
    key, share, scale = str(rng.choice(KEYS)), float(rng.choice(SHARES)), scale_of(rng)
    with np.errstate(over="ignore", under="ignore"):
        L = numbers(rng, T, n) * scale
    try:
        run: Any = ls.play(key, L, engine=engine)
    except ls.LittlestoneError:
        return CheckedVerdict("refused")
    W, e = whole(run.weights)
    E, f = whole(L)
    loss, best = times_power((W * E).sum(), e + f), times_power(min(E.sum(axis=0)), f)
    size = times_power(sum(abs(v) for v in E.ravel()), f)
    tight = loss - best
    promise = promises(tight, size or Fraction(1), share)
    if not np.isfinite(promise):
        return CheckedVerdict("refused")
    run.transcript.learner.guarantees = (
        Guarantee("T-PLANTED", "planted", "", "", lambda s: promise),
    )
    clear = 1e-60 < scale < 1e60 and abs(tight) > size / 10**4 and abs(share - 1) > 1e-3
    what = f"{key}, T {T}, n {n}, scale {scale:g}, share {share:g}, {engine}"
    kept = within(tight - Fraction(promise), abs(loss) + abs(best))
    return check_verdict(lambda: [run], [kept], [clear], what)
