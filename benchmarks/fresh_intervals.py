"""Intervals at 90% on sequences that played no part in the design of `cover`.

Written down after its constants, and played once: made ones, whose noise is known, so that nobody can do better than
the quantiles it was drawn with; and columns of `../shared/data` that the other table does not have, around the value
of the same time a day before. A constant that is changed after looking at them needs new ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.conformal.sets.measures import measure_intervals

from .figure import Figure
from .intervals import AFTER, FOLDER, column, crepes, mapie, river

ROUNDS = 12_000
OTHERS = (
    "aci",
    "dtaci",
    "conformal-pid",
    "decaying-tracker",
    "kt-betting",
    "quantile-tracker",
    "sf-ogd",
    "saocp",
)
PEERS = (("River's jackknife", river), ("MAPIE, ACI", mapie), ("crepes", crepes))
NORMAL = 1.6448536269514722  # the 95% quantile


class Made:
    """A sequence: forecasts, truths, seasons, and the best limits that are possible, where they are known."""

    def __init__(
        self, x: Any, y: Any, season: Any = 0, lower: Any = None, upper: Any = None
    ) -> None:
        self.x, self.y, self.season = x, y, season
        self.best = math.nan
        if lower is not None:
            m = measure_intervals("", lower[AFTER:], upper[AFTER:], y[AFTER:], 0.9)
            self.best = m.winkler


def normal(seed: int, scale: Any, centre: Any = 0.0, season: Any = 0) -> Made:
    """Normal errors of these sizes around these centres; the forecast is 0 plus a wave that all can see."""
    rng, wave = np.random.default_rng(seed), 10 * np.sin(np.arange(ROUNDS) / 77)
    y = wave + centre + scale * rng.normal(size=ROUNDS)
    mid = wave + centre
    return Made(wave, y, season, mid - NORMAL * scale, mid + NORMAL * scale)


def made() -> dict[str, Callable[[], Made]]:
    t = np.arange(ROUNDS)

    def regimes() -> Made:
        rng = np.random.default_rng(101)
        cuts = np.sort(rng.choice(ROUNDS, 14, replace=False))
        return normal(102, np.exp(rng.normal(size=15))[np.searchsorted(cuts, t, side="right")])

    def jumps() -> Made:
        rng = np.random.default_rng(103)
        cuts = np.sort(rng.choice(ROUNDS, 20, replace=False))
        return normal(104, 1.0, 4 * rng.normal(size=21)[np.searchsorted(cuts, t, side="right")])

    def hours() -> Made:
        return normal(
            105, 0.5 + 2.0 * (np.sin(2 * np.pi * t / 24) > 0.3) + (t % 168 > 120), season=(24, 168)
        )

    def hours_untold() -> Made:
        return normal(105, 0.5 + 2.0 * (np.sin(2 * np.pi * t / 24) > 0.3) + (t % 168 > 120))

    def heavy() -> Made:
        e = np.random.default_rng(106).standard_t(2, ROUNDS)
        return Made(0.0 * t, e, 0, np.full(ROUNDS, -2.92), np.full(ROUNDS, 2.92))

    def cauchy() -> Made:
        e = np.random.default_rng(107).standard_cauchy(ROUNDS)
        return Made(0.0 * t, e, 0, np.full(ROUNDS, -6.314), np.full(ROUNDS, 6.314))

    def trend() -> Made:
        return normal(108, 0.2 + 4.0 * t / ROUNDS)

    def walk() -> Made:
        steps = np.random.default_rng(109).normal(size=ROUNDS)
        return normal(110, np.exp(0.03 * np.cumsum(steps)))

    def counts() -> Made:
        rng = np.random.default_rng(111)
        mean = 3 + 2 * np.sin(2 * np.pi * t / 24)
        y = rng.poisson(mean).astype(float)
        lower, upper = poisson_limits(mean)
        return Made(mean, y, 24, lower, upper)

    def alike() -> Made:
        rng = np.random.default_rng(112)
        noise, e = rng.normal(size=ROUNDS), np.zeros(ROUNDS)
        for i in range(1, ROUNDS):
            e[i] = 0.9 * e[i - 1] + noise[i]
        before = np.r_[0.0, 0.9 * e[:-1]]
        return Made(0.0 * t, e, 0, before - NORMAL, before + NORMAL)

    def skewed() -> Made:
        e = np.random.default_rng(113).exponential(size=ROUNDS) * (1 + (t // 3000) % 2)
        size = 1.0 + (t // 3000) % 2
        return Made(0.0 * t, e, 0, -np.log(0.95) * size, -np.log(0.05) * size)

    def garch() -> Made:
        noise = np.random.default_rng(114).normal(size=ROUNDS)
        e, v = np.zeros(ROUNDS), np.ones(ROUNDS)
        for i in range(1, ROUNDS):
            v[i] = 0.05 + 0.15 * e[i - 1] ** 2 + 0.82 * v[i - 1]
            e[i] = math.sqrt(v[i]) * noise[i]
        return Made(0.0 * t, e, 0, -NORMAL * np.sqrt(v), NORMAL * np.sqrt(v))

    return {
        "regimes": regimes, "jumps of the mean": jumps, "hours": hours, "hours, untold": hours_untold,
        "Student's t, 2 degrees": heavy, "Cauchy": cauchy, "noise that grows": trend, "noise that wanders": walk,
        "counts": counts, "errors that are alike": alike, "one side": skewed, "GARCH": garch,
    }  # fmt: skip


def poisson_limits(mean: Any) -> tuple[Any, Any]:
    """The 5% and 95% quantiles of counts."""
    from scipy.stats import poisson

    return poisson.ppf(0.05, mean), poisson.ppf(0.95, mean)


def real() -> dict[str, Callable[[], Made]]:
    def persistent(name: str) -> Callable[[], Made]:
        def read() -> Made:
            y = column("electricity.csv", (name,))[17760:29760, 0]  # some months in the middle
            return Made(np.r_[np.full(48, y[0]), y[:-48]], y, (48, 336))

        return read

    return {name: persistent(name) for name in ("nswprice", "vicdemand", "vicprice", "transfer")}


def measure(quick: bool) -> Iterator[Figure]:
    sequences = made() | (real() if FOLDER.is_dir() else {})
    for name, make in sequences.items():
        yield from one(name, make(), 0, quick)
        if not quick:
            yield from one(name, make(), 24, True)
    if not FOLDER.is_dir():
        raise FileNotFoundError("../shared/data: intervals of real columns were not measured")


def one(name: str, s: Made, delay: int, quick: bool) -> Iterator[Figure]:
    found = ls.intervals(s.x, s.y, delay=delay, after=AFTER, season=s.season)
    rivals = [(m.name, m) for m in found.simple]
    for key in OTHERS:
        if not (delay and key in ("kt-betting", "dtaci", "saocp", "sf-ogd")):
            other = ls.intervals(s.x, s.y, delay=delay, after=AFTER, learner=key)
            rivals.append((key, other.measures))
    if not quick:
        for words, make in PEERS:
            try:
                lower, upper = make(s.x[:3000], s.y[:3000])
            except ImportError:
                continue
            m = measure_intervals(words, lower[AFTER:], upper[AFTER:], s.y[AFTER:3000], 0.9)
            ours = measure_intervals(
                "", found.lower[AFTER:3000], found.upper[AFTER:3000], s.y[AFTER:3000], 0.9
            )
            yield Figure(f"{name}: the first 3,000, Winkler score", ours.winkler, "", words, m.winkler, None, "",
                         note=f"coverage {m.coverage:.3f}, ours {ours.coverage:.3f}")  # fmt: skip
    # a learner that says "everything" in its worst rounds is not charged for them: it cannot be the best
    fair = [(k, m) for k, m in rivals if abs(m.coverage - 0.9) <= 0.02 and not m.infinite] or rivals
    best, m = min(fair, key=lambda pair: pair[1].winkler)
    late = f", {delay} late" if delay else ""
    mine = found.measures
    words = f"coverage {mine.coverage:.3f}, worst 500 {mine.worst:.3f}, {mine.infinite} infinite"
    simple = ", ".join(f"{m.name} {m.winkler:.4g} ({m.coverage:.3f})" for m in found.simple)
    bound = "" if math.isnan(s.best) or delay else f"; possible {s.best:.4g}"
    yield Figure(f"{name}{late}: Winkler score", mine.winkler, "", f"{best}, the best other", m.winkler,
                 None, "", note=f"{words}; {simple}{bound}; {found.certificate.verdict}")  # fmt: skip


if __name__ == "__main__":
    from .__main__ import main

    raise SystemExit(main(["fresh-intervals"]))
