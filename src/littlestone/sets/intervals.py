"""`ls.intervals`: forecasts and truths in, intervals that keep their coverage out, beside the simple answers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..conformal.aci import ACI
from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.registry import learners
from ..core.stream import Array
from ..door.play import play
from ..engine.checks import HUGE, array, refuse
from ..run.run import Run
from .guard import guarded as guard_run
from .interval_run import IntervalRun, IntervalRuns
from .measures import STRETCH, Measures, measured
from .seasons import given, of_times, stamps

if TYPE_CHECKING:
    AnyLearner = Learner[Any, Any, Any, Any]

STILL = (
    1e-140  # a rate with which the level of ACI stays where it is: a plain quantile of past scores
)
MOST = 100_000  # scores that "all the past" keeps
ROOM = 2_000_000  # rounds up to which a run keeps its intervals by itself


@dataclass(frozen=True)
class Rounds:
    """What is played: forecasts, truths, and what is known beside them."""

    forecasts: Array  # T x n
    outcomes: Array
    times: Any  # T, or None
    clock: Array
    season: tuple[float, ...]
    spread: bool  # is there one: are there several forecasters?
    pair: bool = False  # are the two columns a pair of quantile forecasts?


def intervals(
    forecasts: Any,
    outcomes: Any = None,
    level: Any = 0.9,
    learner: AnyLearner | str = "cover",
    delay: int = 0,
    mix: AnyLearner | str = "tracker",
    after: int = 0,
    *,
    season: Any = None,
    times: Any = None,
    by: Any = None,
    guarded: bool = False,
    score: str = "forecast",
    name: str = "",
) -> Any:
    """Intervals around forecasts that hold the outcome in a share `level` of the rounds, on any sequence.

    forecasts: one number a round; or one column a forecaster, and then they are mixed first, by `tracker` (squared
    loss), by another learner over experts, or by their `mean`, and how far they are apart tells how wide an interval
    must be; or a run of a learner that predicts numbers. A round without a forecast (NaN) has no interval.
    outcomes: NaN where the truth never became known; such a round counts no miss.
    level: several of them make intervals inside each other, and the result is a mapping, level by level.
    learner: one that makes prediction sets, by key or with its parameters (then its own level counts, unless `level`
    is a list).
    delay: by how many rounds truths are late. The first `after` rounds are played and not measured.
    season: rounds after which things repeat, one number or several (24 and 168 for hours); where it is left out it
    comes from `times`, the dates of the rounds; 0 for none.
    guarded: make a side infinite that has missed too often, so that T-COVER holds for any learner.
    score: "cqr" where the two columns are a pair of quantile forecasts, whose ends are moved (conformalized quantile
    regression); a lower one above the upper one is refused.
    by: a key for each round; each key has a learner and a run of its own, and the result is a mapping, key by key.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=2000) * np.where(
    ...     np.arange(2000) < 1000, 1.0, 3.0
    ... )  # the noise grows
    >>> found = intervals(np.zeros(2000), truth)
    >>> round(found.coverage, 2), found.simple[0].name, round(found.simple[0].coverage, 2)
    (0.9, 'all the past', 0.77)
    """
    if isinstance(delay, bool) or not isinstance(delay, (int, np.integer)) or delay < 0:
        raise BadInput(f"delay must be a whole number of rounds, 0 or more, not {delay!r}")
    levels = several_levels(level, learner)
    x, y = both_arrays(forecasts, outcomes)
    if not 0 <= after < max(1, len(y)):
        raise BadInput(f"after must be a whole number from 0 to {len(y) - 1}, not {after!r}")
    refuse(y, -HUGE, HUGE, 0, (), "outcome", True)
    refuse(x, -HUGE, HUGE, 0, (), "forecast", True)
    when = None if times is None else stamps(times, len(y))
    found, clock = ((), np.arange(len(y), dtype=float)) if when is None else of_times(when)
    if season is not None:
        found, asked = given(season), found
        clock = clock if found and found == asked else np.arange(len(y), dtype=float)
    pair = paired(x, score)
    rounds = Rounds(x, y, when, clock, found, x.shape[1] > 1 and not pair, pair)
    if by is None:
        return at_levels(
            rounds, levels, learner, delay, mix, after, name, season is not None, guarded
        )
    keys = np.asarray(by)
    if keys.shape != y.shape:
        raise BadInput(f"there are {len(np.atleast_1d(keys)):,} keys and {len(y):,} outcomes")
    parts: dict[Any, Any] = {}
    for key in dict.fromkeys(keys.tolist()):
        own = keys == key
        part = Rounds(
            x[own],
            y[own],
            None if when is None else when[own],
            clock[own],
            found,
            rounds.spread,
            pair,
        )
        skip = min(after, max(0, len(part.outcomes) - 1))
        parts[key] = at_levels(
            part, levels, learner, delay, mix, skip, str(key), season is not None, guarded
        )
    return IntervalRuns(parts, "key")


def paired(x: Array, score: str) -> bool:
    """Are the columns a pair of quantile forecasts? They must not cross."""
    if score not in ("forecast", "cqr"):
        raise BadInput(f"score must be one of 'forecast', 'cqr', not {score!r}")
    if score == "forecast":
        return False
    if x.shape[1] != 2:
        raise BadInput(
            f"score='cqr' needs two columns, the lower and the upper quantile forecast, not {x.shape[1]}"
        )
    crossed = x[:, 0] > x[:, 1]
    if crossed.any():
        r = int(np.argmax(crossed))
        raise BadInput(
            f"row {r + 1}: the lower quantile forecast, {x[r, 0]:g}, is above the upper one, {x[r, 1]:g}"
        )
    return True


def at_levels(
    rounds: Rounds, levels: list[float] | None, learner: AnyLearner | str, delay: int, mix: Any, after: int,
    name: str, seasonal: bool, watched: bool,
) -> Any:  # fmt: skip
    """One run; or one a level, each of which holds those of the smaller levels."""
    wanted: Any = [None] if levels is None else levels
    chosen = {level: chosen_learner(learner, level, delay, rounds, seasonal) for level in wanted}
    base, there, notes = base_forecast(rounds, delay, mix)
    made: dict[Any, IntervalRun] = {
        level: one_level(rounds, base, there, notes, one, delay, after, name, watched)
        for level, one in chosen.items()
    }
    if levels is None or len(levels) == 1:
        return next(iter(made.values()))
    for inner, outer in itertools.pairwise(levels):
        made[outer] = made[outer].outside(made[inner])
    return IntervalRuns(made, "level")


def one_level(
    rounds: Rounds, base: Array, there: Any, notes: tuple[str, ...], chosen: AnyLearner, delay: int, after: int,
    name: str, watched: bool,
) -> IntervalRun:  # fmt: skip
    """Play the learner and the simple answers over the rounds that have a forecast."""
    level, y = float(chosen.parameters["level"]), rounds.outcomes
    width = 2 if rounds.pair else 1
    columns = [rounds.forecasts[there] if rounds.pair else base[there]]
    truth = np.ascontiguousarray(y[there])
    if chosen.parameters.get("spread"):
        columns.append(apart(rounds.forecasts[there]))
    if chosen.parameters.get("season"):
        columns.append(rounds.clock[there])
    x = np.ascontiguousarray(np.column_stack(columns))
    keep: Any = "auto" if len(y) <= ROOM else "all"
    run = play(chosen, x, truth, delay=delay, record=keep)
    lower, upper = full(run.predictions[:, 0], there), full(run.predictions[:, 1], there)
    guard = None
    if watched:
        lower, upper, guard = guard_run(lower, upper, y, level, delay)
    best = measured(chosen.key, lower[after:], upper[after:], y[after:], level)
    rivals = []
    for words, window in (
        ("all the past", min(len(truth), MOST)),
        (f"the last {STRETCH}", STRETCH),
    ):
        plain = ACI(level=level, gamma=STILL, window=max(1, window))
        other = play(
            plain,
            np.ascontiguousarray(x[:, :width]),
            truth,
            delay=delay,
            record=keep,
            certify=False,
        )
        rivals.append(of_run(words, other, there, y, level, after))
    return IntervalRun(
        run, base, y, best, tuple(rivals), after, lower, upper, level, notes, rounds.times, name, guard
    )  # fmt: skip


def full(values: Any, there: Any) -> Array:
    """One value a round, NaN where there was no forecast."""
    found = np.full(len(there), np.nan)
    found[there] = values
    return found


def of_run(name: str, run: Any, there: Any, y: Array, level: float, after: int) -> Measures:
    A = run.predictions
    return measured(
        name, full(A[:, 0], there)[after:], full(A[:, 1], there)[after:], y[after:], level
    )


def several_levels(level: Any, learner: Any) -> list[float] | None:
    """Levels in order; None where a learner brings its own."""
    many = isinstance(level, (list, tuple, np.ndarray))
    if not many:
        return None if isinstance(learner, Learner) else [level]
    if not len(level):
        raise BadInput("level must be a number between 0 and 1, or several of them; there are none")
    try:
        return sorted({float(v) for v in level})
    except (TypeError, ValueError):
        raise BadInput(f"level must be numbers between 0 and 1, not {level!r}") from None


def both_arrays(forecasts: Any, outcomes: Any) -> tuple[Array, Array]:
    """T x n forecasts and T outcomes."""
    if isinstance(forecasts, Run):
        if outcomes is None:
            data = forecasts.transcript.data
            if data is None:
                raise BadInput("the run did not keep its rounds: pass the outcomes as well")
            outcomes = data.y
        forecasts = forecasts.predictions
    if outcomes is None:
        raise BadInput("outcomes are missing: the truth of each round, NaN where it is not known")
    y = array(outcomes, "outcomes", 1)
    x = np.ascontiguousarray(np.asarray(forecasts))
    x = array(x[:, None] if x.ndim == 1 else x, "forecasts", 2)
    if len(x) != len(y):
        raise BadInput(f"there are {len(x):,} rows of forecasts and {len(y):,} outcomes")
    return x, y


def chosen_learner(
    learner: AnyLearner | str, level: float | None, delay: int, rounds: Rounds, seasonal: bool
) -> AnyLearner:
    """The learner that was asked for, with its level; it must make prediction sets."""
    if isinstance(learner, str):
        chosen: Any = learners().get(learner)
        if chosen is None or not makes_sets(chosen()):
            raise no_sets(learner)
        known = chosen().parameters
        if "level" not in known:
            raise BadInput(
                f"{learner} has no level: play it with ls.play(ls.{chosen.__name__}(…), …)"
            )
        more: dict[str, Any] = {}
        if "late" in known:
            more["late"] = int(delay)
        if "season" in known:
            more |= {"season": rounds.season, "spread": int(rounds.spread)}
        elif seasonal and rounds.season:
            raise BadInput(f"season: {learner} knows nothing of seasons; cover does")
        made: AnyLearner = chosen(level=level, **more)
        return made
    if not isinstance(learner, Learner) or not makes_sets(learner):
        raise no_sets(learner.key if isinstance(learner, Learner) else repr(learner))
    return learner if level is None else learner.but(level=level)


def no_sets(name: str) -> BadInput:
    able = sorted(k for k, c in learners().items() if makes_sets(c()))
    return BadInput(f"{name} does not make prediction sets; these do: {', '.join(able)}")


def makes_sets(learner: AnyLearner) -> bool:
    return learner.examples and bool(learner.game(False).traits().action == "set")


def apart(x: Array) -> Array:
    """How far the forecasters are apart in each round: their standard deviation; 0 where there is one alone."""
    if x.shape[1] == 1:
        return np.zeros(len(x))
    if not np.isnan(x).any():
        found: Array = x.std(axis=1)
        return found
    there = ~np.isnan(x)
    count = np.maximum(there.sum(axis=1), 1)
    mean = np.where(there, x, 0.0).sum(axis=1) / count
    off = np.where(there, x - mean[:, None], 0.0)
    return np.sqrt((off * off).sum(axis=1) / count)  # type: ignore[no-any-return]


def base_forecast(rounds: Rounds, delay: int, mix: Any) -> tuple[Array, Any, tuple[str, ...]]:
    """One forecast a round, from several; in which rounds there is one; and a note where there is not."""
    x, y = rounds.forecasts, rounds.outcomes
    there = ~(np.isnan(x).any(axis=1) if rounds.pair else np.isnan(x).all(axis=1))
    notes: tuple[str, ...] = ()
    gone = int(np.count_nonzero(~there))
    if gone == len(y):
        raise BadInput("there is no forecast in any round")
    if gone:
        first = int(np.argmin(there)) + 1
        notes = (
            f"{gone:,} of {len(y):,} rounds have no forecast, and no interval; the first is row {first}",
        )
    if x.shape[1] == 1:
        return x[:, 0], there, notes
    if mix == "mean" or rounds.pair:
        count = np.maximum((~np.isnan(x)).sum(axis=1), 1)
        return full((np.where(np.isnan(x), 0.0, x).sum(axis=1) / count)[there], there), there, notes
    run = play(
        mixer(mix),
        x[there],
        np.ascontiguousarray(y[there]),
        delay=delay,
        record="all",
        certify=False,
    )
    return full(run.predictions, there), there, notes


def mixer(mix: Any) -> Any:
    """The learner over experts that mixes the forecasts."""
    chosen: Any = learners().get(mix) if isinstance(mix, str) else mix
    one = chosen() if isinstance(chosen, type) else chosen
    if not isinstance(one, Learner) or one.examples or one.bandit or one.labels:
        raise BadInput(
            f"mix must be one of 'tracker', 'mean', or another learner over experts, not {mix!r}"
        )
    return one
