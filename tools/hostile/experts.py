"""Planted learners over experts: losses and advice at every scale; late, asleep, without an answer, keyed, resumed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.core.guarantee import SURE

from .checked_verdict import SHARES, CheckedVerdict, check_verdict
from .exact import nearest, times_power, whole
from .planted import Planted, PlantedShifts

WAYS = ("at once", "at once", "late", "copies", "keyed", "resumed")
SPREAD = 300  # scales are 10^-300 to 10^300


def scale_of(rng: np.random.Generator) -> float:
    """One in three near 1, the others anywhere; some of them denormal."""
    if rng.random() < 0.02:
        return 5e-322
    return (
        float(10.0 ** rng.uniform(-SPREAD, SPREAD))
        if rng.random() < 0.45
        else float(rng.choice((1.0, 1e-8, 3e7)))
    )


def numbers(rng: np.random.Generator, T: int, n: int) -> Any:
    """T x n numbers in [-1, 1], in shapes that tempt a certificate."""
    kind = int(rng.integers(8))
    X = rng.random((T, n)) ** int(rng.integers(1, 4))
    if kind == 0:
        X[:, -1] = X[:, 0]
    elif kind == 1:
        X[:] = X[:1]
    elif kind == 2:
        X[:] = X[:, :1]  # nothing to choose: every regret is 0
    elif kind == 3:
        X = np.round(X)
    elif kind == 4:
        X[int(rng.integers(T))] *= 1e-6
        X[int(rng.integers(T)), 0] = 1.0
    elif kind == 5:
        X = X * 2.0 - 1.0
    elif kind == 6:  # far from 0, close to each other
        X = 1.0 - X * 10.0 ** -float(rng.integers(1, 15))
    else:
        X = np.where((np.arange(T) % 2 == 0)[:, None], X, 1.0 - X)
    return X


def turn(n: int, t: int) -> list[int]:
    """The planted weights after t rounds, in quarters."""
    p = [0] * n
    for i, w in enumerate((2, 1, 1)):
        p[(t + i) % n] += w
    return p


def learned(T: int, way: str, delay: int, answered: Any) -> list[int]:
    """How many rounds the learner, or its copy, has learned from when it decides round t."""
    if way == "copies":
        c = delay + 1
        return [int(answered[t % c : t : c].sum()) for t in range(T)]
    late = delay if way == "late" else 0
    return [int(answered[: max(0, t - late)].sum()) for t in range(T)]


def of_losses(L: Any, after: list[int]) -> tuple[list[int], Any, int, int]:
    """Costs of the rounds and the experts' losses, as whole numbers; the exponent; what they are divided by."""
    W, e = whole(L)
    own = [
        sum(w * v for w, v in zip(turn(len(row), t), row, strict=True))
        for row, t in zip(W, after, strict=True)
    ]
    return own, W * 4, e, 4


def of_advice(X: Any, y: Any, after: list[int], square: bool) -> tuple[list[int], Any, int, int]:
    """The same of advice (NaN: asleep) and outcomes (NaN: none)."""
    T, n = X.shape
    W, e = whole(np.hstack((np.nan_to_num(X), np.nan_to_num(y)[:, None])))
    own, experts = [], np.zeros((T, n), object)
    for t in range(T):
        awake = ~np.isnan(X[t])
        p = [w if up else 0 for w, up in zip(turn(n, after[t]), awake, strict=True)]
        if not sum(p):  # those awake have no weight: they share it
            p = [int(up) * (12 // int(awake.sum())) for up in awake]
            a = sum(w * v for w, v in zip(p, W[t, :n], strict=True))
        else:
            a = 12 // sum(p) * sum(w * v for w, v in zip(p, W[t, :n], strict=True))
        apart, far = a - 12 * W[t, n], 12 * (W[t, :n] - W[t, n])
        cost = apart * apart if square else abs(apart)
        own.append(cost)
        experts[t] = [
            (v * v if square else abs(v)) if up else cost for v, up in zip(far, awake, strict=True)
        ]
    return own, experts, 2 * e if square else e, 144 if square else 12


def best_of_shifts(E: Any, most: int) -> list[int]:
    """The least loss of a sequence of experts with at most k shifts, k = 0 … most: by the plain recursion."""
    n = E.shape[1]
    table = [[0] * n for _ in range(most + 1)]
    for t, row in enumerate(E):
        new = []
        for k in range(most + 1):
            moved = min(table[k - 1]) if k and t else None
            new.append(
                [
                    row[i] + (table[k][i] if moved is None else min(table[k][i], moved))
                    for i in range(n)
                ]
            )
        table = new
    best = [min(row) for row in table]
    return [min(best[: k + 1]) for k in range(most + 1)]


def within(excess: Fraction, size: Fraction) -> bool:
    """Is the promise kept, up to the part of the run's numbers that a certificate allows for rounding?"""
    return excess <= Fraction(SURE) * size


def promises(tight: Fraction, size: Fraction, share: float) -> float:
    """The promise: that share of what is just kept; where nothing is lost, a little more or less than nothing."""
    if tight == 0:
        return nearest(size * Fraction(share - 1.0))
    return nearest(tight * Fraction(share if tight > 0 else 2.0 - share))


def attack(rng: np.random.Generator, engine: str) -> CheckedVerdict:
    """One hostile run."""
    T, n = int(rng.integers(1, 12) ** rng.choice((1, 1, 1, 2))), int(rng.integers(1, 5))
    way, share, scale = str(rng.choice(WAYS)), float(rng.choice(SHARES)), scale_of(rng)
    form = str(rng.choice(("losses", "absolute", "square")))
    delay = int(rng.integers(1, 4)) if way in ("late", "copies") else 0
    options: dict[str, Any] = {"engine": engine}
    if form == "square":
        scale = float(np.clip(scale, 1e-150, 1e150))
    with np.errstate(over="ignore", under="ignore"):
        X = numbers(rng, T, n) * scale
    y, far = None, False
    if form != "losses":
        y = numbers(rng, T, 1)[:, 0] * scale
        far = rng.random() < 0.15
        if far:  # from 0, and close to each other
            near = 10.0 ** -float(rng.integers(1, 16))
            X, y = scale + near * X, scale + near * y
        if rng.random() < 0.3:
            gone = rng.random(T)
            y[gone < (0.3 if gone[0] > 0.2 else 1.0)] = np.nan  # some runs have no answer at all
        if rng.random() < 0.3:
            X[rng.random(X.shape) < 0.3] = np.nan
            X[np.isnan(X).all(axis=1), 0] = 0.0
    if not np.isfinite(X[~np.isnan(X)]).all():
        return CheckedVerdict("refused")
    shifting = rng.random() < 0.4 and way != "copies"
    if delay:
        options |= {"delay": delay, "interleave": way == "copies"}
    if form == "losses" and rng.random() < 0.5:
        options["interval"] = (float(min(X.min(), 0.0)), float(X.max()) or 1.0)
    keys = rng.integers(0, 2, T) if way == "keyed" else np.zeros(T, int)
    parts = [np.flatnonzero(keys == k) for k in dict.fromkeys(keys.tolist())]
    truths = [Truth(X[r], None if y is None else y[r], form, way, delay, shifting) for r in parts]
    first = truths[0]
    each = (
        nearest(first.size * Fraction(int(rng.integers(0, 9)), 8 * len(first.R)))
        if shifting
        else 0.0
    )
    promise = promises(first.tight(each), first.size, share) / max(first.used, 1)
    if not np.isfinite([promise, each]).all():
        return CheckedVerdict("refused")
    loss = "absolute" if form == "losses" else form
    make = PlantedShifts if shifting else Planted
    more = {"shifts": T} if shifting else {}
    learner: Any = make(promise=promise, each=each, loss=loss)
    data = (X,) if y is None else (X, y)

    def play() -> list[Any]:
        if way == "keyed":
            return list(ls.play(learner, *data, by=keys, **options, **more).values())
        run = ls.play(learner, *data, **options, **more)
        if way == "resumed":
            return [ls.play(run.learner, *data, resume=True, engine=engine, **more)]
        return [run]

    kept = [t.kept(promise, each) for t in truths]
    never = way == "resumed"  # theorems count from the first round
    plain = not far and 1e-60 < scale < 1e60 and abs(share - 1.0) > 1e-3
    sure = [plain and t.clear() and not never for t in truths]
    what = f"{way}, {form}, T {T}, n {n}, scale {scale:g}, share {share:g}, {'shifts, ' * shifting}{engine}"
    return check_verdict(play, kept, sure, what, never)


class Truth:
    """What the planted learner loses in the rounds of one key, without rounding."""

    def __init__(self, X: Any, y: Any, form: str, way: str, delay: int, shifting: bool) -> None:
        answered = np.ones(len(X), bool) if y is None else ~np.isnan(y)
        after = learned(len(X), way, delay, answered)
        found = of_losses(X, after) if y is None else of_advice(X, y, after, form == "square")
        own, E, e, unit = found
        at = np.flatnonzero(answered)
        self.square = form == "square"
        self.answered, self.copies = len(at), delay + 1 if way == "copies" else 1
        loss, E = sum(own[t] for t in at), E[at]
        L = best_of_shifts(E, max(len(X) - 1, 0)) if shifting else [min(E.sum(axis=0), default=0)]
        L = [0] if not len(at) else L
        size = sum(abs(own[t]) for t in at) + max(abs(v) for v in E.sum(axis=0)) if len(at) else 0
        self.peak = float(np.abs(np.nan_to_num(X)).max(initial=0.0))
        self.R = [times_power(loss - v, e) / unit for v in L]
        self.made_of = times_power(size, e) / unit
        self.size = self.made_of or Fraction(1)
        self.used = len({t % self.copies for t in at}) if self.copies > 1 else 1

    def tight(self, each: float) -> Fraction:
        """The least promise that is kept."""
        return max(r - k * Fraction(each) for k, r in enumerate(self.R))

    def kept(self, promise: float, each: float) -> bool | None:
        """Is it? None where no round was answered, or the promise is beyond floating point."""
        if not self.answered or not np.isfinite([promise, each]).all():
            return None
        bounds = [Fraction(promise) * self.used + k * Fraction(each) for k in range(len(self.R))]
        return within(max(r - b for r, b in zip(self.R, bounds, strict=True)), self.made_of)

    def clear(self) -> bool:
        """Is the regret more than rounding can hide: of the losses, and of the numbers that they were made of?"""
        most = max(abs(r) for r in self.R)
        far = (
            max(Fraction(self.peak), Fraction(self.peak) ** 2 if self.square else 0) * self.answered
        )
        return self.answered > 0 and most > self.size / 10**4 and most > far / 10**8
