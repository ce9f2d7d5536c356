"""Attacks beside the search: theorems in expectation, bandits, and parameters that must fit the rounds exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.guarantee import Guarantee
from littlestone.core.registry import learner, learners
from littlestone.environments.arms import Arms
from littlestone.environments.linear_arms import LinearArms
from littlestone.falsify.attack import Case
from littlestone.falsify.target import Target
from littlestone.play.play import play

from .budget import SETTINGS, Budget, Line
from .horizons import World, biting

# Theorems in expectation: rounds are fixed beforehand, or drawn; many seeds are played, with confidence limits.

ARMS, ADVISERS = 3, 4
NO_HORIZON = (
    "T-EXP31",
    "T-EXP3-S-DOUBLING",
)  # theorems about learners that do not know the number of rounds
TWO_ARMS = ("T-THOMPSON",)  # theorems about two arms


def oblivious(T: int, seed: int, n: int = ARMS) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Losses of n arms: one good arm, arms in turns, a change in the middle, coins; and arms that draw them."""
    rng = np.random.default_rng(seed)
    best = np.ones((T, n))
    best[:, 0] = 0.0
    turns = np.ones((T, n))
    turns[np.arange(T), np.arange(T) % n] = 0.0
    yield "one good arm", best, {}
    yield "arms in turns", turns, {}
    yield "a change in the middle", np.vstack([best[: T // 2], best[T // 2 :, ::-1]]), {}
    yield "fair coins", np.round(rng.random((T, n))), {}
    yield "drawn, a large gap", Arms([0.1, *[0.9] * (n - 1)]), {"rounds": T}
    yield "drawn, a small gap", Arms([0.4, *[0.5] * (n - 1)]), {"rounds": T}


def contexts(key: str, T: int, seed: int, n: int) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """For learners that look at features: advice about the arms, or arms whose losses are linear in features."""
    rng = np.random.default_rng(seed)
    if key == "exp4":
        for name, rounds, options in oblivious(T, seed, n):
            advice = rng.dirichlet(np.full(n, 0.3), size=(T, ADVISERS))
            advice[:, 0] = np.eye(n)[0]  # one of them always says the first arm
            yield f"{name}, random advice", rounds, {**options, "features": advice}
        return
    for d in (1, 2, 3):
        x = rng.random((T, n, d))
        yield f"linear losses, {d} features", LinearArms(x, np.full(d, 1.0 / d)), {"rounds": T}


def late(key: str, g: Guarantee, budget: Budget, seed: int, delay: int = 3) -> Line:
    """A theorem in expectation about late feedback: the mean over seeds of single runs."""
    runs, worst, at, broken = 0, -math.inf, "", ""
    for name, rounds, options in oblivious(budget.rounds, seed):
        if options:
            continue  # each seed would draw other losses
        found = []
        for s in range(seed, seed + max(8, budget.seeds // 8)):
            run = play(key, rounds, seed=s, delay=delay, interleave=False, engine="plain")
            found += [v for v in run.certificate if v.guarantee.id == g.id]
        values, bound = np.array([v.measured for v in found]), min(v.bound for v in found)
        runs += len(values)
        error = float(values.std(ddof=1)) / math.sqrt(len(values))
        if values.mean() / bound > worst:
            worst = float(values.mean()) / bound
            at = f"{name}: T = {budget.rounds}, {ARMS} arms, {delay} rounds late, mean of {len(values)} seeds"
        if values.mean() - 4 * error > bound:  # beyond doubt
            broken = f"{name}: mean {values.mean():.6g} against {bound:.6g}"
    return Line(g.id, key, g.mode, "oblivious rounds, confidence limits", runs, worst, at, broken)


def worlds(key: str, T: int, seed: int, n: int) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    return contexts(key, T, seed, n) if learners()[key].contexts else oblivious(T, seed, n)


def about(played: Any, g: Guarantee) -> list[Any]:
    """The verdicts about one theorem."""
    return [v for v in played.certificate if v.guarantee.id == g.id]


def played_in(w: World, key: str, g: Guarantee, seed: int) -> Any:
    """The runs of a learner in a world, with the settings and the horizon that the theorem asks for."""
    options = {**w.options, "horizon": 0} if g.id in NO_HORIZON else w.options
    made = learner(key, **SETTINGS.get(g.id, {}))
    return play(made, w.rounds, seeds=w.seeds, seed=seed, **options)


def drawn(key: str, g: Guarantee, budget: Budget, seed: int) -> Line:
    """A theorem in expectation or in probability: no mean of many seeds may lie above the bound beyond doubt."""
    seeds, T = budget.seeds, budget.rounds
    n = 2 if g.id in TWO_ARMS else ARMS
    if learners()[key].examples:
        return with_seeds(key, g, seeds // 4, seed)
    if g.delayed:
        return late(key, g, budget, seed)
    runs, worst, at, broken, unclear = 0, -math.inf, "", "", ""
    every = [World(*w, T, n, seeds) for w in worlds(key, T, seed, n)]
    every += biting(g.id) if budget.bites else ()
    for w in every:
        try:
            played = played_in(w, key, g, seed)
        except (BadInput, TypeError) as refused:
            return Line(g.id, key, g.mode, "", runs, math.nan, "", why=str(refused))
        for v in about(played, g):
            if v.verdict == "vacuous" or math.isnan(v.measured):
                unclear = v.why
                continue
            runs += w.seeds
            if v.measured / v.bound > worst:
                worst = v.measured / v.bound
                at = f"{w.name}: T = {w.T:,}, {w.n} arms, mean of {w.seeds} seeds"
            if v.verdict == "broken":
                broken = f"{w.name}: {v}"
    if worst == -math.inf:
        return Line(g.id, key, g.mode, "", 0, math.nan, "", why=unclear or "it applied to no run")
    return Line(g.id, key, g.mode, "oblivious rounds, confidence limits", runs, worst, at, broken)


def one_by_one(key: str, g: Guarantee, budget: Budget, seed: int) -> Line:
    """Attack a theorem that holds surely, in a game that the search cannot play, by runs of oblivious rounds."""
    runs, worst, at, broken, unclear = 0, -math.inf, "", "", ""
    for name, rounds, options in worlds(key, budget.rounds, seed, ARMS):
        for s in range(seed, seed + max(2, budget.seeds // 8)):
            try:
                played = play(key, rounds, seed=s, engine="plain", **options)
            except (BadInput, TypeError) as refused:
                return Line(g.id, key, g.mode, "", runs, math.nan, "", why=str(refused))
            for v in played.certificate:
                if v.guarantee.id != g.id or v.verdict not in ("kept", "broken"):
                    unclear = v.why if v.guarantee.id == g.id else unclear
                    continue
                runs += 1
                if v.measured / v.bound > worst:
                    worst, at = v.measured / v.bound, f"{name}: T = {budget.rounds}, {ARMS} arms"
                broken = f"{name}: {v}" if v.verdict == "broken" else broken
    if not runs:
        return Line(g.id, key, g.mode, "", 0, math.nan, "", why=unclear or "it applied to no run")
    return Line(g.id, key, g.mode, "oblivious rounds", runs, worst, at, broken)


def arranged(id: str, T: int, rng: Any) -> tuple[dict[str, Any], Any, Any] | None:
    """Parameters, examples and labels for theorems whose parameters have to fit the rounds exactly."""
    labels = rng.choice((-1, 1), T)
    if id == "T-LOGISTIC":  # eta = R / (X sqrt T)
        X = rng.normal(size=(T, int(rng.integers(1, 4))))
        X /= np.linalg.norm(X, axis=1).max()
        radius = float(10 ** rng.uniform(-1, 1))
        return {"radius": radius, "eta": radius / math.sqrt(T)}, X, labels
    if id == "T-MEG":
        rows, columns = int(rng.integers(1, 4)), int(rng.integers(2, 4))
        pairs = np.column_stack([rng.integers(0, rows, T), rng.integers(0, columns, T)]).astype(
            float
        )
        U = rng.choice((-1, 1), (rows, columns))
        known = U[pairs[:, 0].astype(int), pairs[:, 1].astype(int)]
        noisy = np.where(rng.random(T) < rng.choice((0.0, 0.2)), labels, known)
        margin = float(rng.choice((1.0, 0.6)))
        return {"rows": rows, "columns": columns, "margin": margin}, pairs, noisy
    return None


def at_random(key: str, g: Guarantee, runs: int, seed: int) -> Line | None:
    """Random runs of a theorem for which `arranged` has parameters; None where it has none."""
    rng = np.random.default_rng(seed)
    many, worst, at, broken = 0, -math.inf, "", ""
    for _ in range(runs):
        T = int(rng.integers(1, 16))
        found = arranged(g.id, T, rng)
        if found is None:
            return None
        parameters, X, y = found
        trial = Target(key, g.id, **parameters).trial(Case(y, X))
        if trial.counts:
            many += 1
            where = (
                f"at random: T = {T}, {', '.join(f'{k}={v:.4g}' for k, v in parameters.items())}"
            )
            if trial.ratio > worst:
                worst, at = trial.ratio, where
            broken = where if trial.exceeds else broken
    if not many:
        return None
    return Line(g.id, key, g.mode, "at random", many, worst, at, broken)


def with_seeds(key: str, g: Guarantee, seeds: int, seed: int) -> Line:
    """Attack a learner that forgets examples at random, by its mean over many seeds."""
    once = replace(g, mode="surely")  # of one run only the two sides are needed, not the verdict
    rng = np.random.default_rng(seed)
    runs, worst, at, broken = 0, -math.inf, "", ""
    for draw in range(6):
        d = 1 + draw % 3
        X = rng.normal(size=(30, d))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = np.where(X[:, 0] + 0.2 * draw * rng.normal(size=30) > 0, 1, -1)
        measured, bound = [], math.nan
        for s in range(seeds):
            trial = Target(key, once, seed=s, **SETTINGS.get(g.id, {})).trial(Case(y, X))
            if trial.counts and math.isfinite(trial.bound):
                measured.append(trial.measured)
                bound = trial.bound if math.isnan(bound) else min(bound, trial.bound)
        if len(measured) < 2:
            continue
        runs += len(measured)
        mean, error = (
            float(np.mean(measured)),
            float(np.std(measured, ddof=1)) / math.sqrt(len(measured)),
        )
        if mean / bound > worst:
            worst, at = mean / bound, f"T = 30, {d} wide, mean of {len(measured)} seeds"
        if mean - 4 * error > bound:  # beyond doubt
            broken = f"example set {draw}: mean {mean:.6g} against {bound:.6g}"
    if not runs:
        return Line(g.id, key, g.mode, "", 0, math.nan, "", why="it applied to no run")
    return Line(g.id, key, g.mode, "oblivious examples, confidence limits", runs, worst, at, broken)
