"""Attack the verdict: hostile runs of planted learners whose true verdict is known, and count false ones.

    python tools/verdicts.py [RUNS] [SEED]

A planted learner plays the weights it is told, so its regret is known exactly (in fractions). Its theorem promises a
share of that regret: 1.01 or 1.0001 times (true), .99 or .9999 times (false). A run is false where it says "kept" of a
promise that was broken, or "broken" of one that was kept. "unknown" and a refusal are no verdicts. Rounds come at
scales from 1e-300 to 1e300, with NaN, sleeping experts, late feedback, one copy or several, resumed, and keyed.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import littlestone as ls
from littlestone.core.guarantee import Guarantee
from littlestone.core.learner import Learner
from littlestone.games import Advice, Allocation, Losses, Shape

SHARES = (1.01, 1.0001, 0.9999, 0.99)
SCALES = (*(10.0**k for k in range(-300, 301, 20)), 1.0, 1.0, 1.0, 1e-8, 1e8)
TRUE: dict[str, Any] = {"bound": 0.0}
WAYS = ("plain", "nan", "late", "copies", "resumed", "keyed", "sleeping", "advice", "weighted")


class State(NamedTuple):
    t: int


class Planted(Learner[State, Any, Any, Losses], abstract=True):
    """Always plays the same weights."""

    loss: Any = "absolute"
    guarantees = (
        Guarantee(
            "T-PLANTED", "planted", "loss - L_i <= a number", "", lambda s: TRUE["bound"], late=True
        ),
    )

    def game(self, allocation: bool) -> Any:
        from littlestone.core import losses

        return Allocation() if allocation else Advice(losses.named(self.loss))

    def begin(self, shape: Shape) -> State:
        return State(0)

    def decide(self, state: State, x: Any) -> Any:
        return np.full(3, 1.0 / 3.0)

    def learn(self, state: State, x: Any, p: Any, f: Losses) -> State:
        return State(state.t + 1)


class PlantedLabels(ls.Perceptron, abstract=True):
    """A perceptron with a planted promise about its mistakes."""

    guarantees = (
        Guarantee(
            "T-PLANTED-LABELS", "planted", "mistakes <= a number", "", lambda s: TRUE["bound"],
            against="none", measures="mistakes",
        ),
    )  # fmt: skip


def weighted(rng: np.random.Generator) -> str:
    """One hostile run over examples whose importance differs."""
    T, scale, share = int(rng.integers(2, 12)), float(rng.choice(SCALES)), float(rng.choice(SHARES))
    X, y = rng.standard_normal((T, 2)) * min(scale, 1e140), rng.integers(0, 2, T)
    h = rng.random(T) * 10.0 ** rng.integers(-3, 4)
    try:
        first = ls.play(PlantedLabels(), X, y, importance=h, engine="plain", certify=False)
        wrong = np.asarray(first.predictions) != y
        truth = sum((Fraction(float(v)) for v in h[wrong]), Fraction(0))
        TRUE["bound"] = float(truth) * share
        kept = truth <= Fraction(TRUE["bound"])
        told = str(ls.play(PlantedLabels(), X, y, importance=h, engine="plain").certificate.verdict)
    except ls.LittlestoneError:
        return "refused"
    if told in ("kept", "broken") and (told == "kept") != kept:
        return f"FALSE {told} (weighted, scale {scale:g}, share {share:g})"
    return told


def regret(L: Any, p: Any) -> Fraction:
    """The regret to the best expert, exactly."""
    rows = [[Fraction(float(v)) for v in row] for row in L]
    own = sum(Fraction(float(w)) * v for row in rows for w, v in zip(p, row, strict=True))
    return own - min(sum(column) for column in zip(*rows, strict=True))


def attack(rng: np.random.Generator, way: str) -> str:
    """One hostile run: "kept", "broken", "unknown", "refused", and "FALSE ..." where the verdict is wrong."""
    if way == "weighted":
        return weighted(rng)
    T, scale = int(rng.integers(2, 12)), float(rng.choice(SCALES))
    with np.errstate(over="ignore", under="ignore"):
        L = rng.random((T, 3)) ** rng.integers(1, 4) * scale
    if rng.random() < 0.2:
        L[:, 1] = L[:, 0]
    p, seen = np.full(3, 1.0 / 3.0), L
    play: dict[str, Any] = {"engine": "plain", "interval": (0.0, float(L.max()) or 1.0)}
    x: Any = (L,)
    if way in ("late", "copies"):
        play |= {"delay": int(rng.integers(1, 3)), "interleave": way == "copies"}
    if way in ("nan", "advice", "sleeping"):
        y = np.zeros(T)
        if way == "nan":
            y[rng.random(T) < 0.3] = np.nan
            seen = L[~np.isnan(y)]
        x = (L, y)
    if not len(seen):
        return "refused"
    truth = regret(seen, p)
    share = float(rng.choice(SHARES))
    TRUE["bound"] = float(truth) * (share if truth > 0 else 2.0 - share)
    if way == "copies":
        TRUE["bound"] /= min(T, play["delay"] + 1)
    kept = truth <= Fraction(TRUE["bound"]) * (min(T, play["delay"] + 1) if way == "copies" else 1)
    try:
        if way == "resumed":
            first = ls.play(Planted(), L, **play)
            run = ls.play(first.learner, L, resume=True, engine="plain")
        elif way == "keyed":
            keys = np.zeros(T, int)
            (run,) = ls.play(Planted(), L, by=keys, **play).values()
        elif way == "sleeping":
            holes = L.copy()
            holes[0, 0] = np.nan
            run = ls.play(Planted(), holes, x[1], **play)
        else:
            run = ls.play(Planted(), *x, **play)
        told = str(run.certificate.verdict)
    except ls.LittlestoneError:
        return "refused"
    if way == "sleeping":  # what a sleeper is charged is another number than this one
        return told
    if told == "kept" and not kept:
        return f"FALSE kept ({way}, scale {scale:g}, share {share:g})"
    if told == "broken" and kept:
        return f"FALSE broken ({way}, scale {scale:g}, share {share:g})"
    return told


def campaign(runs: int, seed: int = 0) -> Counter[str]:
    """Many hostile runs, and what was said of them."""
    rng, found = np.random.default_rng(seed), Counter[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(runs):
            found[attack(rng, WAYS[k % len(WAYS)])] += 1
    return found


def main() -> int:
    runs, seed = (int(v) for v in [*sys.argv[1:], "100000", "0"][:2])
    found = campaign(runs, seed)
    for said, times in sorted(found.items()):
        print(f"{said}: {times:,}")
    wrong = sum(n for said, n in found.items() if said.startswith("FALSE"))
    print(f"{wrong} false verdicts in {runs:,} hostile runs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
