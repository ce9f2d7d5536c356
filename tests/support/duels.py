"""Natures that try to make a learner of prediction sets miss too often, or too seldom; played in plain Python."""

from __future__ import annotations

import math

import numpy as np

from littlestone.core.game import Shape
from littlestone.core.guarantee import Symbols, at_worst
from littlestone.core.outcome import Outcome
from littlestone.games import make_scratch


def misses_when_possible(top=1.0):
    """Scores on [0, top]: the largest one where the interval does not hold it, else 0."""
    return lambda a, t: top if a[1] < top else 0.0


def covers_when_possible():
    """The truth is the forecast; only an empty set misses it."""
    return lambda a, t: 0.0


def record_scores(most=1e150):
    """Every truth is beyond the upper limit, as long as that is a number that may be played: scores grow."""
    return lambda a, t: max(a[1], 0.0) + abs(a[1]) * 1e-6 + 1.0 if a[1] < most / 2 else 0.0


def brink(T, late=0, kappa=1.0, tail=0.05):
    """Bring the misses of the upper tail as close to H as they can be, and then miss in the last late + 1 rounds."""
    early, always, missed = misses_when_possible(), record_scores(), [0]

    def nature(a, t):
        H = kappa * math.sqrt(max(t - late, 0) + 1.0) + late
        if t < T - late - 1 and missed[0] + 1 - tail * (t + 1) >= H:
            y = 0.0
        else:
            y = early(a, t) if t < T - 3 * late - 30 else always(a, t)
        missed[0] += y > a[1]
        return y

    return nature


def just_misses_then_zero():
    """A truth just above the interval, then the forecast itself, in turn."""
    return lambda a, t: min(a[1] + 1e-6, 1.0) if t % 2 == 0 and math.isfinite(a[1]) else 0.0


def written(bits, top=1.0):
    """What the bits say: the largest score, or 0."""
    return lambda a, t: top if bits >> t & 1 else 0.0


NATURES = {
    "misses": misses_when_possible,
    "covers": covers_when_possible,
    "just misses": just_misses_then_zero,
}


def played(learner, nature, T, late=0):
    """T rounds with forecast 0: for each that was learned, how many were, the state, and E of each side."""
    rules, game = learner.params, learner.game(False)
    state, place, x, waiting = learner.begin(Shape(1)), make_scratch(Shape(1), 2), np.zeros(1), []
    alpha, tails = 1.0 - learner.parameters.get("level", 1.0), learner.key == "cover"
    known, below, above, empty = 0, 0, 0, 0  # an empty set misses on both sides
    for t in range(T):
        d = rules.decide(state, x).copy()
        a = game.act(rules, d, x, 0.0, place).copy()
        waiting.append((d, a, Outcome(nature(a, t), 1.0)))
        while len(waiting) > (late if t < T - 1 else 0):
            then, did, y = waiting.pop(0)
            f = game.feedback(then, did, x, y, place)
            state = rules.learn(state, x, then, f)
            known, below, above = known + 1, below + int(f.below), above + int(f.above)
            empty += int(f.below and f.above)
            each = (below, above) if tails else (below + above - empty,)
            yield known, state, [k - (alpha / 2 if tails else alpha) * known for k in each]


def symbols(learner, T, late, state):
    """The symbols of a state after T rounds."""
    M = np.zeros(len(learner.diagnostics))
    learner.params.write_diagnostics(state, M)
    known = {**learner.parameters, "T": T, "crowd": late}
    return Symbols(**known, **dict(zip(learner.diagnostics, M.tolist(), strict=True)))


def duel(learner, nature, T, late=0):
    """T rounds with forecast 0; the symbols that the learner's theorems use."""
    for _, last, _ in played(learner, nature, T, late):
        state = last
    return symbols(learner, T, late, state)


def ratio(g, s):
    """What happened over what the theorem allows: after the worst round, where it holds after every one."""
    then = at_worst(g, s)
    return max(getattr(then, name) for name in g.measures.split("|")) / float(g.bound(then))


def ratios(learner, nature, T, late=0):
    """What happened over what each theorem allows, by id."""
    s = duel(learner, nature, T, late)
    return {g.id: ratio(g, s) for g in learner.guarantees if g.when is None or g.when(s)}


def attained(learner, nature, T, late=0):
    """The largest E of all rounds (over, under) over what each theorem allows after the last one, by id."""
    most = {"over": 0.0, "under": 0.0}
    for _, last, E in played(learner, nature, T, late):
        most = {"over": max(most["over"], *E), "under": max(most["under"], *(-e for e in E))}
        state = last
    s = symbols(learner, T, late, state)
    return {
        g.id: max(most[name] for name in g.measures.split("|")) / float(g.bound(s))
        for g in learner.guarantees
        if g.when is None or g.when(s)
    }
