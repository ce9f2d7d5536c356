"""Many runs of one learner, each with draws of its own: what a theorem about an expectation is judged by."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.guarantee import LOOSE, Certificate, Guarantee, Symbols, Verdict, compute_bound
from ..core.hooks import hook
from ..core.intervals import Interval, binomial, divergence, of_mean
from ..core.learner import measure_symbols
from ..core.notebook import InNotebook
from ..hindsight.folds.sequences import Sequences
from .certify import PSEUDO, rests_on, unmet
from .run_kinds import of_world

if TYPE_CHECKING:
    from ..core.game import Shape
    from ..core.learner import Learner
    from ..core.stream import Array
    from ..games import Bandit

    AnyLearner = Learner[Any, Any, Any, Any]

LEVEL = 1e-3  # a verdict over seeds, kept or broken, is false with at most this probability
NO_RANGE = "what it measures has no known range, so no limit holds for its mean"
EXPECTED, SEEN, PSEUDO_SUM, BEST = range(4)  # what is added up
SEQUENCES = 1e9  # steps (round, arm, shifts) that the best sequences may take


class SeedRuns(InNotebook):
    """What `play(…, seeds=N)` returns: regret of N runs along the rounds, and what theorems say of them."""

    def __init__(
        self,
        learner: AnyLearner,
        game: Bandit,
        shape: Shape,
        *,
        names: tuple[str, ...],
        source: str,
        world: Any,
        rounds: int,
        t: Array,
        sums: Array,
        noted: Array,
        first: int,
        seconds: float,
        table: Any = None,
        slept: int = 0,
    ) -> None:
        self.learner, self.game, self.shape, self.names = learner, game, shape, names
        self.key = self.label = learner.key
        self.source, self.world, self.rounds, self.t = source, world, rounds, t
        self.sums, self.noted = sums, noted
        self.first, self.seconds = first, seconds
        self.table, self.slept = (
            table,
            slept,
        )  # the losses, where all runs have the same; rounds with a sleeper

    @property
    def seeds(self) -> int:
        return int(self.sums.shape[0])

    @property
    def losses(self) -> Array:
        """The total loss of each run, expected over each draw given the past."""
        return self.sums[:, -1, EXPECTED]

    @property
    def losses_so_far(self) -> Array:
        """seeds x marks: the loss of each run up to each mark, expected over each draw given the past."""
        return self.sums[:, :, EXPECTED]

    @property
    def best_so_far(self) -> Array:
        """seeds x marks: the loss of the arm that is best in hindsight up to each mark."""
        return self.sums[:, :, BEST]

    @property
    def regrets(self) -> Array:
        """seeds x marks: the regret of each run to its best arm in hindsight."""
        return self.losses_so_far - self.best_so_far

    @property
    def pseudo_regrets(self) -> Array:
        """seeds x marks: the regret to the best arm in means, round by round."""
        return self.sums[:, :, PSEUDO_SUM]

    @property
    def loss(self) -> float:
        return float(self.losses.mean())

    @property
    def regret(self) -> float:
        """The mean regret to the best arm."""
        return float(self.regrets[:, -1].mean())

    @property
    def pseudo_regret(self) -> float:
        return float(self.pseudo_regrets[:, -1].mean()) if self.world is not None else math.nan

    @property
    def realised(self) -> Array:
        """The regret of each run in the losses that were drawn, to its best arm."""
        return self.sums[:, -1, SEEN] - self.sums[:, -1, BEST]

    @property
    def reach(self) -> float:
        """No regret of a run is larger than that, or less than minus that."""
        return float(self.rounds * self.shape.span)

    def limits(
        self, values: Array, low: float | None = None, high: float | None = None
    ) -> Interval:
        """Limits of the mean behind these values, below and above, each of which fails with probability 0.001.

        Runs are independent, and their values lie in [low, high]; left unset, as regrets do.
        """
        low, high = -self.reach if low is None else low, self.reach if high is None else high
        return of_mean(np.asarray(values, float), low, high, 2.0 * LEVEL)

    @property
    def mean_limits(self) -> Interval:
        """Limits of the expected loss of a run."""
        low = float(self.rounds * self.game.low)
        if self.table is None:
            return self.limits(self.losses, low, low + self.reach)
        table = np.asarray(self.table, float)
        return self.limits(
            self.losses, float(table.min(axis=1).sum()), float(table.max(axis=1).sum())
        )

    def band(self, low: float = 0.05, high: float = 0.95, pseudo: bool = False) -> dict[str, Array]:
        """Mean and two quantiles of the regret at each mark."""
        r = self.pseudo_regrets if pseudo else self.regrets
        return {
            "t": self.t,
            "mean": r.mean(axis=0),
            "low": np.quantile(r, low, axis=0),
            "high": np.quantile(r, high, axis=0),
        }

    def _symbols(self, T: int) -> Symbols:
        known = measure_symbols(self.learner, self.game, self.shape)
        noted = self.noted.mean(axis=0)
        known.__dict__.update(
            T=T,
            **of_world(self.world),
            **dict(zip(self.learner.diagnostics, noted.tolist(), strict=True)),
        )
        best = float(self.sums[:, -1, BEST].mean())
        known.__dict__.update(L=best, loss=self.loss, slept=self.slept)
        known.__dict__.update(G=self.rounds - (best - self.rounds * self.game.low) / known.B)
        return known

    @functools.cached_property
    def certificate(self) -> Certificate:
        """Each theorem about an expectation or a probability, judged by all runs together."""
        found = []
        for g in self.learner.guarantees:
            if g.delayed:  # here feedback comes at once
                continue
            s = self._symbols(self.rounds)
            if g.when is not None and not g.when(s):
                continue
            v = unmet(g, [s]) or self._judge(g, s)
            v.rests_on = rests_on(v)
            found.append(v)
        usable = [v for v in found if v.verdict in ("kept", "broken")]
        return Certificate(found, headline=min(usable, key=lambda v: v.bound, default=None))

    def _judge(self, g: Guarantee, s: Symbols) -> Verdict:
        if g.mode == "surely":
            return Verdict(g, "unknown", "it is about a single run: play with seeds=1")
        if g.against == "sequence":
            return self._shifting(g, s)
        values, who = self._measure(g)
        bound = float(np.min(compute_bound(g, s)))
        if math.isnan(bound):
            return Verdict(g, "unknown", "its bound is not a number here", who)
        if math.isinf(bound):
            return Verdict(g, "vacuous", g.infinite)
        if g.mode.startswith("with probability"):
            return self._probable(g, s, values, bound, who)
        mean = float(values.mean())
        if g.measures in self.learner.diagnostics:
            return Verdict(g, "unknown", NO_RANGE, who, mean, bound)
        low, high = -self.reach, self.reach
        if g.measures == PSEUDO:
            widest = float(np.max(s.gaps))
            low, high = 0.0, self.rounds * widest if math.isfinite(widest) else high
        if "G" in g.uses and np.ptp(self.sums[:, -1, BEST]) > 0.0:
            return self._varying(g, s, values, bound, who)
        limits = self.limits(values, low, high)
        # with a table the same losses, and the same best arm, in every run
        if self.table is not None and g.measures == "regret":
            best = float(self.sums[0, -1, BEST])
            limits = Interval(self.mean_limits.low - best, self.mean_limits.high - best)
        need = seeds_to_tell(values, high - low, abs(bound - mean))
        return self._of_mean(g, limits, mean, bound, who, self.loss - mean, need)

    def _measure(self, g: Guarantee) -> tuple[Array, str]:
        """What a theorem is about, a number a run, and the name of its comparator."""
        if g.measures in self.learner.diagnostics:
            return self.noted[:, self.learner.diagnostics.index(g.measures)], ""
        if g.measures == PSEUDO:
            return self.pseudo_regrets[:, -1], "best arm in means"
        if g.measures == "regret" and g.mode.startswith("with probability"):
            return self.realised, "best arm"  # what was drawn is what such theorems are about
        return self.regrets[:, -1], "best arm"

    def _of_mean(
        self,
        g: Guarantee,
        limits: Interval,
        mean: float,
        bound: float,
        who: str,
        L: float,
        need: float,
        at: int = -1,
    ) -> Verdict:
        """Kept where the upper limit of the mean is within the bound, broken where the lower one is beyond it."""
        slack = LOOSE * (abs(mean) + abs(bound) + abs(self.loss))
        verdict = "kept" if limits.high <= bound else "unknown"
        verdict = "broken" if limits.low > bound + slack else verdict
        of = f"{self.seeds:,} seeds: the mean is between {limits.low:.6g} and {limits.high:.6g}"
        why = f"{of}, each limit with probability {1 - LEVEL:g}"
        if verdict == "unknown":
            many = f"at most about {need:,.0f}" if self.seeds < need < math.inf else "more"
            why = f"{why}: {many} seeds would tell"
        return Verdict(g, verdict, why, who, mean, bound, mean, bound, L, at)

    def _varying(self, g: Guarantee, s: Symbols, values: Array, bound: float, who: str) -> Verdict:
        """A bound that depends on the losses that were drawn: each run has its own, and the difference is judged."""
        each, ends = [], []
        for best in self.sums[:, -1, BEST]:
            s.__dict__.update(G=self.rounds - (best - self.rounds * self.game.low) / s.B)
            each.append(float(np.min(compute_bound(g, s))))
        for G in (0.0, float(self.rounds)):
            s.__dict__.update(G=G)
            ends.append(float(np.min(compute_bound(g, s))))
        low, high = min(*ends, *each), max(*ends, *each)
        over = self.limits(values - np.array(each), -self.reach - high, self.reach - low)
        limits = Interval(over.low + bound, over.high + bound)
        mean = float(values.mean())
        gap = abs(float(np.mean(values - np.array(each))))
        need = seeds_to_tell(values - np.array(each), 2.0 * self.reach + high - low, gap)
        return self._of_mean(g, limits, mean, float(np.mean(each)), who, self.loss - mean, need)

    def _shifting(self, g: Guarantee, s: Symbols) -> Verdict:
        """Every number of shifts has its best sequence: all must be kept, and one broken is enough."""
        if self.table is None:
            return Verdict(
                g,
                "unknown",
                "the best sequences of drawn losses are not computed: play with seeds=1",
            )
        n, T = self.table.shape[1], self.rounds
        fold = Sequences(n, min(T - 1, 32, max(1, int(SEQUENCES / (n * T)))))
        fold.add(self.table, np.empty(0, np.int64))
        L = fold.values()
        s.__dict__.update(k=np.arange(len(L)), L=L)
        bound = np.broadcast_to(compute_bound(g, s), L.shape)
        at = int(np.argmin(bound + L))  # the most that is promised
        limits = self.mean_limits
        who = f"best sequence of arms, {at} shift{'s' * (at != 1)}"
        less = float(L[at])
        over = Interval(limits.low - less, limits.high - less)
        need = seeds_to_tell(self.losses, self.reach, abs(self.loss - less - float(bound[at])))
        found = self._of_mean(g, over, self.loss - less, float(bound[at]), who, less, need, at)
        top = len(L) - 1
        return found if top >= T - 1 else replace(found, why=f"{found.why}; up to {top} shifts")

    def _probable(self, g: Guarantee, s: Symbols, values: Array, bound: float, who: str) -> Verdict:
        """Kept where the probability of exceeding the bound is surely at most delta, broken where surely more."""
        delta, N = float(s.delta), len(values)
        above = int((values > bound + LOOSE * (abs(bound) + np.abs(values))).sum())
        worst, limits = float(values.max()), binomial(above / N, N, 2.0 * LEVEL)
        verdict = "broken" if limits.low > delta else "kept" if limits.high <= delta else "unknown"
        why = (
            f"{above} of {N} runs exceeded it, where it may fail with probability {delta:g}; with probability "
            f"{1 - LEVEL:g} each, theirs is at least {limits.low:.3g} and at most {limits.high:.3g}"
        )
        if verdict == "unknown":
            few = math.ceil(math.log(LEVEL) / math.log1p(-delta))
            why = f"{why}: it takes {few:,} seeds or more to tell"
        return Verdict(g, verdict, why, who, worst, bound, worst, bound, self.loss - worst)

    @property
    def headline(self) -> Verdict | None:
        return self.certificate.headline

    @property
    def bound(self) -> float:
        return self.headline.bound if self.headline is not None else math.nan

    def bound_curve(self, v: Verdict) -> tuple[Array, Array]:
        """Rounds and bound along them, as if each had been the last (rates tuned to the whole stay as they are)."""
        each = [
            float(np.min(np.asarray(v.guarantee.bound(self._symbols(int(t))), float)))
            for t in self.t
        ]
        return self.t, np.array(each)

    @property
    def lower_bound(self) -> Array:
        """Lai and Robbins: what any consistent learner pays, (sum of gap / KL) ln t; NaN where means are unknown."""
        if self.world is None or not self.world.still or self.world.kind != "bernoulli":
            return np.full(len(self.t), math.nan)
        return lai_robbins(self.world.means[0]) * np.log(self.t)

    def report(self, path: str | Path = "run.html") -> Path:
        """Write one self-contained HTML page."""
        written: Path = hook("report")([self], path)
        return written

    def plot(self) -> Any:
        """A matplotlib figure of the regret of all runs, with the bound."""
        return hook("plot")(self)

    def __repr__(self) -> str:
        low, high = self.limits(self.regrets[:, -1])
        return (
            f"<SeedRuns {self.label}: {self.seeds:,} runs of {self.rounds:,} rounds, mean regret {self.regret:.6g} "
            f"({low:.6g} to {high:.6g}), bound {self.bound:.6g}, {self.certificate.verdict}>"
        )


def seeds_to_tell(values: Array, span: float, gap: float) -> float:
    """How many runs like these would tell on which side of a bound their mean is, `gap` away from it.

    The limits of T-BERNSTEIN are as wide as the gap for so many runs, at the probability of a verdict. Those that a
    verdict uses are tighter, by a factor of 3 in the number for a wide range; and the variance is estimated.

    >>> seeds_to_tell([0.0, 1.0] * 20, 1.0, 0.1)
    690.0
    """
    if not gap > 0.0 or not math.isfinite(span):
        return math.inf
    level = math.log(2.0 / LEVEL)
    spread, range_part = math.sqrt(2.0 * float(np.var(values)) * level), 7.0 * span * level / 3.0
    root = (spread + math.sqrt(spread * spread + 4.0 * gap * range_part)) / (2.0 * gap)
    return float(math.ceil(root * root))


def lai_robbins(means: Array) -> float:
    """The constant of Lai and Robbins for Bernoulli losses: sum over the arms of gap / KL(arm, best)."""
    best, total = float(np.min(means)), 0.0
    for m in np.asarray(means, float):
        if m > best:
            total += (m - best) / divergence(m, best)
    return total
