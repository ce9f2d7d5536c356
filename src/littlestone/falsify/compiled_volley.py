"""Many short runs at once: one compiled loop over a volley, which calls the learner's own rules.

The loop (many_runs.py) is the one of `engine.loops` without its transcript: of each run only the totals are kept,
which is all that a bound asks for. The rules, the game and their helpers are those that `play` compiles, so what is
attacked is what users run. The cores share a volley: one thread each, and compiled code does not hold Python's lock.
"""

from __future__ import annotations

import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import LittlestoneError
from ..core.guarantee import PERFECT, Guarantee, Symbols, rounding
from ..core.learner import measure_symbols
from ..engine import compile as engine
from ..engine.memory import copy, padded_copy, read_only
from ..games import make_scratch
from ..settings.fit import first_state
from .attack import Volley, ratio
from .many_runs import LOOPS, Desk, RunTotals, compile_many, kinds_of, runs
from .prepare import AnyLearner, prepare_case

CORES = max(1, os.cpu_count() or 1)
APART = 256  # with fewer runs a second thread costs more than it saves
WAIT = 1.5  # a short search compiles for so many seconds; then it plays other settings one run at a time
CHECKED = 3  # in each setting, the bounds of so many runs are also computed one by one


class Fitted(NamedTuple):
    """A learner set up for one size."""

    learner: Any
    game: Any
    shape: Any
    first: Any


class CompiledVolleys:
    """Plays the volleys of one learner and one of its theorems."""

    def __init__(self, learner: AnyLearner, guarantee: Guarantee) -> None:
        self.learner, self.guarantee = learner, guarantee
        g = guarantee
        against = g.against in ("expert", "sequence", "none") and not g.delayed
        self.able = against and not learner.examples and engine.has_numba()
        self.fitted: dict[Any, Fitted | None] = {}
        self.slow: set[str] = set()  # theorems whose bounds have to be computed one run at a time
        self.pool: ThreadPoolExecutor | None = None
        self.patient = True  # may every setting be compiled, however long that takes?
        self.waited = 0.0  # seconds of compiling

    def ratios(self, volley: Volley) -> Any:
        """The ratio of each run, NaN where its loss is; None where the volley cannot be played in compiled code."""
        if not self.able or volley.delay or (volley.x is not None and np.isnan(volley.x).any()):
            return None
        try:
            fitted = self.fit(volley)
            if fitted is None or not self.willing(fitted):
                return None
            return self.judged(volley, fitted, self.played(volley, fitted))
        except LittlestoneError:  # some run cannot be played: playing them one by one tells which
            return None
        except AttributeError as missing:  # the bound needs a symbol that only a whole run measures
            if "is not measured here" not in str(missing):
                raise
            self.able = False
            return None

    def fit(self, v: Volley) -> Fitted | None:
        T, n = np.shape(v.y)[1], np.shape(v.y if v.x is None else v.x)[2]
        classes = 2 if v.x is None else int(max(1.0, np.max(v.x), np.max(v.y))) + 1
        parameters = repr(sorted(v.parameters.items()))
        setting = (parameters, v.interval, v.horizon_known, v.x is None, T, n)
        key = (*setting, classes if self.learner.labels else 2)
        if key not in self.fitted:
            self.fitted[key] = self.begun(v, T, n, classes)
        return self.fitted[key]

    def begun(self, v: Volley, T: int, n: int, classes: int) -> Fitted | None:
        changed, rounds = self.learner.replace(**v.parameters), T if v.horizon_known else 0
        learner, game, shape = prepare_case(changed, v.x is None, n, rounds, v.interval, classes)
        first = padded_copy(first_state(learner, shape))
        if engine.opaque(learner.params) or engine.opaque(game):
            return None
        return Fitted(learner, game, shape, first)

    def ready(self, kind: str, n: int, T: int, given: dict[str, Any]) -> bool:
        """May such runs be played by a compiled loop, without waiting long for it?"""
        if not self.able or given.get("delay"):
            return False
        room_ = np.zeros((1, T, n))
        v = Volley(room_) if kind == "losses" else Volley(room_[:, :, 0], room_)
        try:
            it = self.fit(replace(v, **given))
        except LittlestoneError:
            return False
        return it is not None and self.willing(it)

    def willing(self, it: Fitted) -> bool:
        """Is the loop compiled in this process already, or is there time to compile it?"""
        if self.patient or self.waited < WAIT:
            return True
        return (runs, kinds_of(it.learner.params, it.game, it.first)) in LOOPS

    def played(self, v: Volley, it: Fitted) -> RunTotals:
        B, T, n = len(v), np.shape(v.y)[1], it.shape.n
        g = self.guarantee
        squares = bool({"V", "R", "r"} & set(g.uses)) or g.measures == "shown regret"
        K = min(T - 1, 32) + 1 if g.against == "sequence" else 0
        totals = RunTotals(
            np.empty(B), np.empty((B, n)), np.zeros((B if squares else 0, n)),
            np.zeros((B if squares else 0, n)), np.zeros(B if squares else 0), np.empty((B, K)),
            np.zeros((B, len(it.learner.diagnostics))),
        )  # fmt: skip
        X = np.empty((B, T, 0)) if v.x is None else np.ascontiguousarray(v.x, float)
        Y = np.ascontiguousarray(v.y, float)
        shown = T if it.game.traits().tangents else 0
        X, Y = read_only(X), read_only(Y)
        params = it.learner.params
        known = (runs, kinds_of(params, it.game, it.first)) in LOOPS
        began = time.perf_counter()
        loop = compile_many(runs, params, it.game, it.first)

        def play_runs(a: int, b: int) -> None:
            desk = Desk(np.zeros((T, n)), np.zeros((shown, n)), np.zeros((K, n)))
            loop(
                params, it.game, it.first, copy(it.first), X, Y, padded_copy(make_scratch(it.shape)),
                totals, desk, a, b,
            )  # fmt: skip

        if not known:
            play_runs(0, 1)
            self.waited += time.perf_counter() - began
        self.shared(play_runs, B)
        return totals

    def shared(self, play_runs: Any, B: int) -> None:
        """Play the runs on all cores, an equal part on each, where there are many."""
        if APART > B or CORES == 1:
            play_runs(0, B)
            return
        if self.pool is None:
            self.pool = ThreadPoolExecutor(CORES)
        cuts = np.linspace(0, B, CORES + 1).astype(int).tolist()
        jobs = [self.pool.submit(play_runs, a, b) for a, b in itertools.pairwise(cuts)]
        for job in jobs:
            job.result()

    # Bounds.

    def judged(self, v: Volley, it: Fitted, totals: RunTotals) -> Any:
        """measured / bound of each run: of all runs at once where the bound can be written so."""
        g, T = self.guarantee, np.shape(v.y)[1]
        base = vars(measure_symbols(it.learner, it.game, it.shape)) | {"T": T}
        fixed = Symbols(**base)
        try:
            if g.when is not None and not g.when(fixed):
                return np.zeros(len(v))
            for assumption in g.assumptions:
                if assumption is not PERFECT and assumption.check(fixed) is not None:
                    return np.zeros(len(v))
        except (
            AttributeError
        ):  # the bound needs more than the setting: the certificate of a whole run decides
            return None
        B, n = totals.L.shape
        L, more = totals.L, {}
        if g.against == "sequence":
            L = totals.S
            k = np.zeros(L.shape, int)
            for j in range(1, L.shape[1]):
                k[:, j] = np.where(L[:, j] == L[:, j - 1], k[:, j - 1], j)
            more = {"k": k, "m": np.minimum(k + 1, n)}
        elif g.against == "none":
            L = np.zeros((B, 1))
        notes = {name: totals.M[:, i : i + 1] for i, name in enumerate(it.learner.diagnostics)}
        if len(totals.R):
            more |= {"R": totals.R, "V": totals.V, "r": totals.r[:, None]}
        own = {"loss": totals.loss[:, None], "L": L} | more | notes
        bound = self.bounds(base, own, L, B)
        if g.measures == "shown regret":
            what = totals.R
        elif g.measures == "regret":
            what = totals.loss[:, None] - L
        elif g.measures == "mistakes":
            what = np.broadcast_to(totals.loss[:, None], L.shape)
        else:
            what = np.max([notes[name] for name in g.measures.split("|")], axis=0)
        what = np.broadcast_to(what, bound.shape)
        slack = rounding([fixed], 0.0, L, what, bound, totals.loss[:, None])
        found = ratio(what, bound, slack).max(axis=1)
        found = np.where(np.isfinite(totals.loss), found, 0.0)
        if PERFECT in g.assumptions:
            found = np.where(L.min(axis=1) == 0.0, found, 0.0)
        return np.where(np.isnan(totals.loss), np.nan, found)

    def bounds(self, base: dict[str, Any], own: dict[str, Any], L: Any, B: int) -> Any:
        """The bounds of all runs: `base` holds what they share, `own` what each has."""
        g = self.guarantee

        def alone(b: int) -> Any:
            mine = base | {k: single(v[b], k) for k, v in own.items()}
            return np.broadcast_to(np.asarray(g.bound(Symbols(**mine)), float), L.shape[1:])

        if g.id not in self.slow:
            try:
                made = np.asarray(g.bound(Symbols(**(base | own))), float)
                made = np.broadcast_to(made, L.shape)
                if all(np.array_equal(alone(b), made[b]) for b in range(min(B, CHECKED))):
                    return made
            except (TypeError, ValueError, AttributeError):
                pass
            self.slow.add(g.id)
        return np.array([alone(b) for b in range(B)])


def single(v: Any, name: str) -> Any:
    """A number where each run has one, an array where each comparator has one."""
    return v if name in ("L", "R", "V", "k", "m") else float(v[0])
