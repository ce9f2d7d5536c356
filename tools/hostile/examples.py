"""Planted learners over examples: importance weights, passes, late outcomes, keys, features at every scale."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import littlestone as ls

from .checked_verdict import SHARES, CheckedVerdict, check_verdict
from .exact import times_power, whole
from .experts import numbers, promises, scale_of
from .planted import LINEAR, LOSS, PlantedLabels, PlantedNumbers

WAYS = ("at once", "at once", "late", "copies", "keyed", "resumed", "passes")


class OnlyLoss(PlantedNumbers, abstract=True):
    guarantees = (LOSS,)


class OnlyLinear(PlantedNumbers, abstract=True):
    guarantees = (LINEAR,)


def attack(rng: np.random.Generator, engine: str) -> CheckedVerdict:
    """One hostile run over examples."""
    T, way = int(rng.integers(1, 12) ** rng.choice((1, 1, 1, 2))), str(rng.choice(WAYS))
    share, scale = float(rng.choice(SHARES)), scale_of(rng)
    form = str(rng.choice(("labels", "loss", "linear")))
    if form != "labels":
        scale = float(np.clip(scale, 1e-150, 1e150))
    with np.errstate(over="ignore", under="ignore"):
        X = (numbers(rng, T, 2) - 0.5) * scale
        y = rng.integers(0, 2, T) * 1.0 if form == "labels" else numbers(rng, T, 1)[:, 0] * scale
    if form == "loss" and rng.random() < 0.15:  # far from 0, and close to each other
        near = 10.0 ** -float(rng.integers(1, 16))
        X, y = near * X, scale + near * y
        X[:, 0] += scale
    if rng.random() < 0.3:
        gone = rng.random(T)
        y[gone < (0.3 if gone[0] > 0.2 else 1.0)] = np.nan  # some runs have no answer at all
    h = np.ones(T)
    if rng.random() < 0.5:
        h = rng.random(T) * 10.0 ** float(rng.integers(-12, 13))
    keys = rng.integers(0, 2, T) if way == "keyed" else np.zeros(T, int)
    parts = [np.flatnonzero(keys == k) for k in dict.fromkeys(keys.tolist())]
    passes = int(rng.integers(2, 4)) if way == "passes" else 1
    delay = int(rng.integers(1, 4)) if way in ("late", "copies") else 0
    options: dict[str, Any] = {"engine": engine, "importance": h}
    options |= {"labels": [0.0, 1.0]} if form == "labels" else {}
    options |= {"delay": delay, "interleave": way == "copies"} if delay else {}
    options |= {"passes": passes} if passes > 1 else {}
    each, copies = 0.0, 1
    if form == "linear":
        each = float(scale * scale * 10.0 ** float(rng.integers(-2, 3)))
    truths = [truth(X[r], y[r], h[r], form, each, passes) for r in parts]
    if way == "copies":
        copies = max(1, len({t % (delay + 1) for t in np.flatnonzero(~np.isnan(y))}))
    promise = promises(truths[0], Fraction(scale), share) / copies
    each /= copies
    if not np.isfinite([promise, each]).all():
        return CheckedVerdict("refused")
    learner: Any = {"labels": PlantedLabels, "loss": OnlyLoss, "linear": OnlyLinear}[form](
        promise=promise, each=each
    )

    def play() -> list[Any]:
        if way == "keyed":
            return list(ls.play(learner, X, y, by=keys, **options).values())
        run = ls.play(learner, X, y, **options)
        if way == "resumed":
            return [ls.play(run.learner, X, y, resume=True, importance=h, engine=engine)]
        return [run]

    answered = [bool((~np.isnan(y[r])).any()) for r in parts]
    kept = [
        v <= Fraction(promise) * copies if some else None
        for v, some in zip(truths, answered, strict=True)
    ]
    never = way == "resumed"
    sure = [form == "labels" and 1e-60 < scale < 1e60 and v > 0 and not never for v in truths]
    what = f"{form}, {way}, T {T}, scale {scale:g}, share {share:g}, importance up to {h.max():g}, {engine}"
    return check_verdict(play, kept, sure, what, never, searched=form == "linear")


def truth(X: Any, y: Any, h: Any, form: str, each: float, passes: int) -> Fraction:
    """What is just kept: mistakes, the loss, or the largest loss - L(u) - each |u|^2 over all u."""
    at = np.flatnonzero(~np.isnan(y))
    W, e = whole(np.column_stack((X, np.nan_to_num(y)))) if form != "labels" else whole(X)
    H, eh = whole(h)
    H = H * passes
    if form == "labels":
        wrong = [t for t in at if (W[t, 0] - W[t, 1] > 0) != (y[t] > 0) and W[t, 0] != W[t, 1]]
        wrong += [
            t for t in at if W[t, 0] == W[t, 1] and y[t] <= 0
        ]  # a score of 0 is the larger label
        return times_power(sum(H[t] for t in wrong), eh)
    own = sum(H[t] * (W[t, 0] - W[t, 1] - W[t, 2]) ** 2 for t in at)
    loss = times_power(own, 2 * e + eh)
    if form == "loss" or not len(at):
        return loss
    # ridge regression, two unknowns: |y|^2 - b' A^-1 b, in fractions
    hh = [times_power(H[t], eh) for t in at]
    rows = [[times_power(v, e) for v in W[t]] for t in at]
    a = [
        [sum(g * r[i] * r[j] for g, r in zip(hh, rows, strict=True)) for j in range(3)]
        for i in range(3)
    ]
    c = Fraction(each)
    p, q, r = a[0][0] + c, a[0][1], a[1][1] + c
    det = p * r - q * q
    if det == 0:
        return loss - a[2][2]
    gain = (r * a[0][2] ** 2 - 2 * q * a[0][2] * a[1][2] + p * a[1][2] ** 2) / det
    return loss - (a[2][2] - gain)
