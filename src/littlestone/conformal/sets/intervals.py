"""`ls.intervals`: forecasts and truths in, intervals that keep their coverage out, beside the simple answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .chain import Chain
from .choose_learners import follows_centres, learners_of_levels, mixer, several_levels
from .forecast_tables import is_path, read_table
from .forecasts import are_paired, both_arrays
from .interval_run import IntervalRuns, runs_of
from .seasons import COUNTED, of_times, parse_seasons, stamps

if TYPE_CHECKING:
    from ...core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]


def intervals(
    forecasts: Any,
    outcomes: Any = None,
    level: Any = 0.9,
    learner: AnyLearner | str = "cover",
    delay: int = 0,
    mix: AnyLearner | str = "auto",
    after: int = 0,
    *,
    season: Any = None,
    times: Any = None,
    by: Any = None,
    outcome: str | None = None,
    experts: Any = None,
    guarded: bool = False,
    score: str = "forecast",
    name: str = "",
) -> Any:
    """Intervals around forecasts that hold the outcome in a share `level` of the rounds, on any sequence.

    forecasts: one number a round; or one column a forecaster, and how far they are apart tells how wide an interval
    must be; or a run of a learner that predicts numbers. A round without a forecast (NaN) has no interval. With
    `outcome`, a file or a frame.
    mix: how several forecasters become one centre: "tracker" (squared loss), another learner over experts, or their
    "mean". "auto" takes tracker where truths are late; where they are prompt and `learner` is cover, it mixes the ends
    of intervals around the mean and around tracker by their pinball losses, and cover moves them.
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
    outcome: of a file or a frame, the column of the truth; all other columns of numbers are forecasters, unless
    `experts` says which, by names or globs. `by` is then the name of a column, and a column of dates gives the times.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=2000) * np.where(
    ...     np.arange(2000) < 1000, 1.0, 3.0
    ... )  # the noise grows
    >>> found = intervals(np.zeros(2000), truth)
    >>> round(found.coverage, 2), found.simple[0].name, round(found.simple[0].coverage, 2)
    (0.9, 'all the past', 0.77)
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"forecast": np.zeros(2000), "demand": truth})
    >>> intervals(frame, outcome="demand").coverage == found.coverage
    True
    """
    if isinstance(delay, bool) or not isinstance(delay, (int, np.integer)) or delay < 0:
        raise BadInput(f"delay must be a whole number of rounds, 0 or more, not {delay!r}")
    levels = several_levels(level, learner)
    columns: tuple[str, ...] = ()
    if outcome is not None or is_path(forecasts):
        if outcomes is not None:
            raise BadInput("outcomes and outcome=: say once where the truths are")
        table = read_table(forecasts, outcome, experts, by)
        forecasts, outcomes, columns, by = table.x, table.y, table.names, table.keys
        times, name = table.times if times is None else times, name or table.source
    elif experts is not None:
        raise BadInput("experts: it names columns of a file or a frame; add outcome=")
    x, y = both_arrays(forecasts, outcomes)
    if not 0 <= after < max(1, len(y)):
        raise BadInput(f"after must be a whole number from 0 to {len(y) - 1}, not {after!r}")
    when = None if times is None else stamps(times, len(y))
    found, clock = ((), COUNTED) if when is None else of_times(when)
    if season is not None:
        found, found_in_times = parse_seasons(season), found
        clock = clock if found and found == found_in_times else COUNTED
    pair, several = are_paired(x.shape[1], score), x.shape[1] > 1
    chosen = learners_of_levels(
        learner, levels, int(delay), found, several and not pair, season is not None
    )
    auto = isinstance(mix, str) and mix == "auto"
    mixing = None if mix == "mean" or pair or not several else mixer("tracker" if auto else mix)
    centres = auto and follows_centres(chosen[0], int(delay))
    names = columns or tuple(f"forecast {i + 1}" for i in range(x.shape[1]))

    def played(x: Array, y: Array, when: Any, skip: int, name: str) -> Any:
        chain = Chain(
            chosen, names, int(delay), mixing, pair, clock, skip, guarded, len(y), horizon=len(y),
            centres=centres,
        )  # fmt: skip
        piece = chain.feed(x, y, when)
        return runs_of(chain, piece, y, when, name, alone=levels is None or len(levels) == 1)

    if by is None:
        return played(x, y, when, after, name)
    keys = np.asarray(by)
    if keys.shape != y.shape:
        raise BadInput(f"there are {len(np.atleast_1d(keys)):,} keys and {len(y):,} outcomes")
    parts: dict[Any, Any] = {}
    for key in dict.fromkeys(keys.tolist()):
        own = keys == key
        skip = min(after, max(0, int(own.sum()) - 1))
        parts[key] = played(x[own], y[own], None if when is None else when[own], skip, str(key))
    return IntervalRuns(parts, "key")
