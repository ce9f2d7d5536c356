"""`ls.intervals`: forecasts and truths in, intervals that keep their coverage out, beside the simple answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..conformal.aci import ACI
from ..core.errors import BadInput
from ..core.guarantee import Certificate
from ..core.learner import Learner
from ..core.registry import learners
from ..core.stream import Array
from ..door.play import play
from ..engine.checks import HUGE, array, refuse
from .measures import STRETCH, Measures, measured, table

if TYPE_CHECKING:
    from ..run.run import Run

    AnyLearner = Learner[Any, Any, Any, Any]

STILL = (
    1e-300  # a rate with which the level of ACI stays where it is: a plain quantile of past scores
)
MOST = 100_000  # scores that "all the past" keeps
MIXES = ("tracker", "mean")


@dataclass(frozen=True)
class IntervalRun:
    """Intervals for every round, how good they were, and what the theorem says of them."""

    run: Run  # of the learner that made the intervals
    forecast: Array  # around which they lie: the forecast itself, or the mixture of several
    outcomes: Array
    measures: Measures
    simple: tuple[Measures, ...]  # the same for all the past, and for the last 500 rounds
    after: int  # so many rounds at the beginning are not measured

    @property
    def lower(self) -> Array:
        """The lower limit of each round."""
        found: Array = self.run.predictions[:, 0]
        return found

    @property
    def upper(self) -> Array:
        """The upper limit of each round."""
        found: Array = self.run.predictions[:, 1]
        return found

    @property
    def coverage(self) -> float:
        return self.measures.coverage

    @property
    def width(self) -> float:
        return self.measures.width

    @property
    def winkler(self) -> float:
        return self.measures.winkler

    @property
    def misses_below(self) -> int:
        return self.measures.misses_below

    @property
    def misses_above(self) -> int:
        return self.measures.misses_above

    @property
    def certificate(self) -> Certificate:
        """What each theorem of the learner says of the run."""
        return self.run.certificate

    @property
    def learner(self) -> AnyLearner:
        """The learner as it has learned: it goes on with predict, update, ask, tell and save."""
        return self.run.learner

    def summary(self) -> str:
        """The measures beside those of the simple answers, and the certificate."""
        return f"{table([self.measures, *self.simple])}\n{self.certificate}"

    def __str__(self) -> str:
        return self.summary()


def intervals(
    forecasts: Any,
    outcomes: Any,
    level: float = 0.9,
    learner: AnyLearner | str = "cover",
    delay: int = 0,
    mix: str = "tracker",
    after: int = 0,
) -> IntervalRun:
    """Intervals around forecasts that hold the outcome in a share `level` of the rounds, on any sequence.

    forecasts: one number a round; or one column a forecaster, and then they are mixed first, by `tracker` (squared
    loss) or by their `mean`. outcomes: NaN where the truth never became known; such a round counts no miss.
    learner: one that makes prediction sets, by key or with its parameters (then its own level counts).
    delay: by how many rounds truths are late. The first `after` rounds are played and not measured.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=2000) * np.where(
    ...     np.arange(2000) < 1000, 1.0, 3.0
    ... )  # the noise grows
    >>> found = intervals(np.zeros(2000), truth)
    >>> round(found.coverage, 2), found.simple[0].name, round(found.simple[0].coverage, 2)
    (0.9, 'all the past', 0.77)
    """
    chosen = chosen_learner(learner, level, delay)
    level = float(chosen.parameters["level"])
    y = array(outcomes, "outcomes", 1)
    x = np.ascontiguousarray(np.asarray(forecasts))
    x = array(x[:, None] if x.ndim == 1 else x, "forecasts", 2)
    if len(x) != len(y):
        raise BadInput(f"there are {len(x):,} rows of forecasts and {len(y):,} outcomes")
    if not 0 <= after < max(1, len(y)):
        raise BadInput(f"after must be a whole number from 0 to {len(y) - 1}, not {after!r}")
    refuse(y, -HUGE, HUGE, 0, (), "outcome", True)
    base = x if x.shape[1] == 1 else mixed(x, y, delay, mix)
    refuse(base, -HUGE, HUGE, 0, (), "forecast", False)
    run = play(chosen, base, y, delay=delay, record="all")
    rivals = tuple(
        Rival(name, play(ACI(level=level, gamma=STILL, window=window), base, y, delay=delay, record="all"))
        for name, window in (("all the past", min(len(y), MOST)), (f"the last {STRETCH}", STRETCH))
    )  # fmt: skip
    return IntervalRun(
        run,
        base[:, 0],
        y,
        of_run(chosen.key, run, y, level, after),
        tuple(of_run(r.name, r.run, y, level, after) for r in rivals),
        after,
    )


@dataclass(frozen=True)
class Rival:
    """A simple answer."""

    name: str
    run: Run


def of_run(name: str, run: Run, y: Array, level: float, after: int) -> Measures:
    A = run.predictions[after:]
    return measured(name, A[:, 0], A[:, 1], y[after:], level)


def chosen_learner(learner: AnyLearner | str, level: float, delay: int) -> AnyLearner:
    """The learner that was asked for, with its level; it must make prediction sets."""
    if isinstance(delay, bool) or not isinstance(delay, (int, np.integer)) or delay < 0:
        raise BadInput(f"delay must be a whole number of rounds, 0 or more, not {delay!r}")
    if isinstance(learner, str):
        chosen: Any = learners().get(learner)
        if chosen is None or not makes_sets(chosen()):
            raise no_sets(learner)
        more = {"late": int(delay)} if learner == "cover" else {}
        made: AnyLearner = chosen(level=level, **more)
        return made
    if not isinstance(learner, Learner) or not makes_sets(learner):
        raise no_sets(learner.key if isinstance(learner, Learner) else repr(learner))
    return learner


def no_sets(name: str) -> BadInput:
    able = sorted(k for k, c in learners().items() if makes_sets(c()))
    return BadInput(f"{name} does not make prediction sets; these do: {', '.join(able)}")


def makes_sets(learner: AnyLearner) -> bool:
    return learner.examples and bool(learner.game(False).traits().action == "set")


def mixed(x: Array, y: Array, delay: int, mix: str) -> Array:
    """One forecast a round, from several."""
    if mix not in MIXES:
        raise BadInput(f"mix must be one of {', '.join(map(repr, MIXES))}, not {mix!r}")
    if mix == "mean":
        refuse(x, -HUGE, HUGE, 0, (), "forecast", False)
        found: Array = x.mean(axis=1, keepdims=True)
        return found
    run = play("tracker", x, y, delay=delay, record="all", certify=False)
    return np.ascontiguousarray(run.predictions[:, None], dtype=np.float64)
