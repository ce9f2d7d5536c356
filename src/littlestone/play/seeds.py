"""Play a learner many times, each time with draws of its own.

Every run is one call of a compiled loop, on all cores; only sums at a few marks are kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.machine import cores
from ..core.numeric import inner, uniform
from ..core.vectors import row
from ..engine.compile import compiled, engine, opaque
from ..engine.compile_clock import compile_seconds
from ..engine.memory import classes_of, copy, read_only
from ..environments.worlds import Table
from ..games import available, count_absences, make_scratch, offers
from ..run.seeds import EXPECTED, SeedRuns
from ..settings import InitialInfo, fit_setting
from ..settings.fit import first_state

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]

MARKS = 256  # at most, along a run


def sweep(
    self: Any,
    game: Any,
    world: Any,
    state: Any,
    X: Any,
    y: Any,
    means: Any,
    totals: Any,
    room: Any,
    out: Any,
    noted: Any,
    seed: int,
    T: int,
    every: int,
) -> Any:
    """A whole run of T rounds; sums are written down after every `every`-th of them."""
    expected, seen, pseudo = 0.0, 0.0, 0.0
    m, mark = 0, every
    for i in range(totals.shape[0]):
        totals[i] = 0.0
    for t in range(T):
        world.fill(seed, t, y, means)
        x = row(X, t)
        d = self.decide(state, x)
        a = game.act(self, d, x, uniform(seed, t, 0), room)
        cost, least = inner(d, y), np.inf
        for i in range(y.shape[0]):
            if available(x, i):
                totals[i] += y[i]
                least = min(least, means[i])
            else:  # a missing arm is charged what the learner is charged
                totals[i] += cost
        expected += cost
        pseudo += inner(d, means) - least
        seen += y[int(a)]
        state = self.learn(state, x, d, game.feedback(d, a, x, y, room))
        if t + 1 == mark:
            best = totals[0]
            for i in range(totals.shape[0]):
                best = min(best, totals[i])
            out[m, 0], out[m, 1], out[m, 2], out[m, 3] = expected, seen, pseudo, best
            m, mark = m + 1, min(mark + every, T)
    self.write_diagnostics(state, noted)
    return state


def many(
    learner: AnyLearner,
    world: Any,
    *,
    rounds: int,
    seeds: int,
    seed: int = 0,
    offer: Any = None,
    interval: tuple[float, float] | None = None,
    names: tuple[str, ...],
    source: str,
    arms: Any = None,
    features: int = 0,
    engine_: str | None = None,
    horizon: int | None = None,
    workers: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> SeedRuns:
    """Play `seeds` runs with the draws of seed, seed + 1, …; `horizon` is what the learner believes of their length."""
    if rounds < 1:
        raise BadInput("there are no rounds to play")
    length = rounds if horizon is None else horizon
    known = InitialInfo(n=len(names), rounds=length, interval=interval, contexts=features)
    setting = fit_setting(learner, known, True)
    tuned, game, shape = setting.learner, setting.game, setting.shape
    params, n = tuned.params, len(names)
    which = "plain" if opaque(params) else engine_ or engine()
    loop: Any = sweep
    if which != "plain":
        classes = classes_of(params, game, world)
        loop = compiled(sweep, classes)
    every = max(1, -(-rounds // MARKS))
    t = np.array([*range(every, rounds, every), rounds])
    sums = np.zeros((seeds, len(t), 4))
    noted = np.zeros((seeds, len(tuned.diagnostics)))
    X = read_only(offers(rounds) if offer is None else offer)
    first = first_state(tuned, shape)
    began, done = time.perf_counter() - sum(compile_seconds()), [0]

    def one(k: int) -> None:
        scratch = make_scratch(shape)
        loop(
            params, game, world, copy(first), X, np.zeros(n), np.zeros(n), np.zeros(n), scratch, sums[k], noted[k],
            seed + k, rounds, every,
        )  # fmt: skip
        done[0] += 1
        if progress is not None:
            progress(done[0] * rounds, float(sums[k, -1, EXPECTED]))

    share(one, seeds, 1 if which == "plain" else workers or cores())
    return SeedRuns(
        tuned, game, shape, names=names, source=source, world=arms, rounds=rounds, t=t, sums=sums,
        noted=noted, first=seed, seconds=time.perf_counter() - sum(compile_seconds()) - began,
        table=world.Y if isinstance(world, Table) else None, slept=count_absences(X.on),
    )  # fmt: skip


def share(play: Callable[[int], None], runs: int, threads: int) -> None:
    """Play runs number 0, 1, …, in some threads; the first by itself, as it compiles."""
    play(0)
    if threads == 1:
        for k in range(1, runs):
            play(k)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play, range(1, runs)))
