"""OnlineKernelRegression: the learner for a stream of examples and numbers that no line may fit."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Learner
from ..core.losses import Square
from ..core.numeric import decay
from ..core.outcome import Outcome
from ..core.parameters import Count
from ..core.rows import corner
from ..core.scratch import Buffer, Scratch
from ..core.stream import Array
from ..games import Game, Regression, Shape
from .online_linear import PRIOR
from .online_linear_regression import (
    LEAST,
    NOTHING,
    T_ONLINE_LINEAR_REGRESSION_BEST,
    absorb,
    believe,
    cut,
    following,
    ignorant,
    mean,
    opine,
)
from .online_linear_regression import State as Line
from .online_linear_regression import unsure as unsure_of_line
from .parts.best_number_line import best_number_lines
from .parts.feature_scaling import LAST_ROWS as SCALED
from .parts.feature_scaling import Scaler, Z, is_cached
from .parts.memories import SHARP, M, blank, forget, unknown
from .parts.memories import TOTAL as LOST
from .parts.memories import N as MEMORIES
from .parts.outer_mixture import HIGH, LOW, OPENING, mix_with_coin, update_outer
from .parts.tiles import Tiles, place, put_back, take_out, tiled
from .parts.waves import WIDEST, S, directions, more_directions, project, too_wide, wave

WAVES, CELLS = (
    1,
    1 + S,
)  # the parts: the line, the waves, the cells; after them comes the blend of them all
MOST = CELLS + 2  # experts
RATE = 0.1  # of the blend

# What is known of the experts: the weights of the parts in the blend; the weights of the experts; their total losses in
# nats, and behind these that of the mixture; what they say of the last example; what the last round says of them.
BLEND, HEDGE, TOTAL, SAY, GAIN, LINES = 0, 1, 2, 3, 4, 5


class Waves(NamedTuple):
    """Online-linear-regression over Fourier features, one a scale: its states, stacked."""

    W: Array  # features x frequencies
    a: Buffer  # inner products of the last example with them
    beliefs: Array
    now: Array  # not used: waves have no units
    last: Buffer
    experts: Array
    seen: Buffer
    lean: Buffer
    u: Array  # an example of as many features: nothing but its length is read
    place: Array  # waves are standardised as they are, and none of them begins again
    look: Array


class Cells(NamedTuple):
    """Online-linear-regression over the cells that examples lie in: its state, and the table of its beliefs."""

    tiles: Tiles
    beliefs: Annotated[
        Array, Scratch(np.s_[1:])
    ]  # of the cells of the last example; the constant's stays
    last: Buffer
    experts: Array
    seen: Buffer
    lean: Buffer
    u: Array  # an example of as many features


def empty_cells(n: int, m: int, begun: int = 0) -> Cells:
    """Nothing is known of the cells of m grids over n features; they begin over the first of them (0: over all)."""
    return Cells(
        tiled(n, m, 1, begun), blank(m), np.zeros((SCALED, m)), unknown(), np.zeros((SHARP + 1, MEMORIES)),
        np.zeros((m, M)), np.zeros(m),
    )  # fmt: skip


class State(NamedTuple):
    line: Line
    waves: Waves
    experts: Annotated[Array, Scratch(SAY)]  # LINES x (experts + 1)
    noise: Array  # of the blend: the mean of its squared errors, and of how many rounds
    cells: Cells


T_ONLINE_KERNEL_REGRESSION = Guarantee(
    "T-ONLINE-KERNEL-REGRESSION",
    "a mixture of a line and of curves, in nats",
    f"-ln of the density that the mixture gave to the outcomes <= ln {MOST} + ln T + that of each of its experts: "
    "online-linear-regression over the features, over Fourier features (four scales, and each feature by itself) and "
    "over cells of pairs of features, and a blend of all (outcomes cut at ten spreads from their centre)",
    "Vovk 1990; Herbster & Warmuth 1998, with a share that falls as 1/t",
    lambda s: math.log(MOST) + np.log(s.T),
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("T",),
)


class OnlineKernelRegression(Learner[State, Any, float, Outcome]):
    """Predict numbers in a stream, by a line or by curves, as the stream asks: nothing to tune, no scaler.

        z = each feature, less its centre and over its spread, as far as they are known
        parts:  online-linear-regression over z
                the same over F cosines and F sines of <w, z>, with w drawn at random, at four scales
                the same with frequencies that look at one feature each
                the same over the cells that z lies in, of F grids over two features each
        one more expert adds up the means of the parts, with weights that are learned
        take the mean of all, weighted by their likelihoods;  each shares 1/t of its weight
        predict a mixture of that and of a gambler on the features as they are, both cut to the range of the outcomes

    OnlineKernel with the square loss. With more than 512 features only the linear part plays, and the run says so.
    O(d + 11 F) a round.

    >>> learner = OnlineKernelRegression()
    >>> for t in range(300):
    ...     learner = learner.update([math.sin(t)], abs(math.sin(t)))
    >>> round(learner.predict([-0.8]), 1), round(learner.predict([0.8]), 1)
    (0.8, 0.8)

    Ledger: A-ONLINE-KERNEL; T-ONLINE-KERNEL-REGRESSION, T-ONLINE-LINEAR-REGRESSION-BEST.
    """

    frequencies: Count = 64
    examples = True
    categories = True
    noted = ("excess", "span", "opening")
    guarantees = (T_ONLINE_KERNEL_REGRESSION, T_ONLINE_LINEAR_REGRESSION_BEST)

    def begin(self, shape: Shape) -> State:
        n, F = shape.n, self.frequencies
        parts = S if n <= WIDEST else 0
        begun = min(shape.features, n)  # features that curves begin with
        waves = Waves(
            directions(n if parts else 0, F, begun),
            np.zeros(2 * F),
            np.zeros((parts, *blank(2 * F).shape)),
            np.zeros((1, 4)),
            np.zeros((parts, SCALED, 2 * F)),
            np.stack([unknown()] * S)[:parts],
            np.zeros((parts, SHARP + 1, MEMORIES)),
            np.zeros((parts, 2 * F, M)),
            np.zeros(2 * F),
            np.zeros((1, 4)),
            np.zeros(4),
        )
        m = CELLS + 1 if parts else WAVES
        experts = np.zeros((LINES, m + 2))
        experts[BLEND, :m], experts[HEDGE, : m + 1] = 1.0 / m, 1.0 / (m + 1)
        cells = empty_cells(n if parts else 0, F if parts else 0, begun)
        return State(ignorant(n), waves, experts, np.zeros(2), cells)

    def decide(self, state: State, x: Any) -> float:
        consider(state, x)
        total = 0.0
        for j in range(state.experts.shape[1] - 1):
            total += state.experts[HEDGE, j] * state.experts[SAY, j]
        return mix_with_coin(state.line.outer, x, state.line.units[0] + total)

    def learn(self, state: State, x: Any, d: float, f: Outcome) -> State:
        if not is_cached(state.line.scaler, x, state.line.t):  # another example was looked at since
            self.decide(state, x)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: float, f: Outcome) -> State:
        line, experts, h = state.line, state.experts, f.h
        update_outer(line.outer, x, f.y, h)
        m = experts.shape[1] - 2
        forget(line.beliefs, line.scaler, x, line.t)
        if line.units[1] > NOTHING:
            experts[GAIN, 0] = line.experts[LOST, MEMORIES]
            absorb(line, x, f.y, h, unsure_of_line(line, x))
            experts[GAIN, 0] -= line.experts[LOST, MEMORIES]
            for j in range(WAVES, m):
                own, u = part(state, j), coordinates(state, j)
                experts[GAIN, j] = own.experts[LOST, MEMORIES]
                absorb(own, u, f.y, h, unsure(u, line.units))
                experts[GAIN, j] -= own.experts[LOST, MEMORIES]
                if j == CELLS:
                    put_back(state.cells.tiles, 0, own.beliefs)
            far = cut(f.y - line.units[0], line.units[1])
            experts[GAIN, m] = h * listen(state.noise, far - experts[SAY, m], line.units[1], h)
            judge(experts, line.t)
            mingle(experts, far, line.units[1], h)
        return State(following(line, x, f.y), state.waves, experts, state.noise, state.cells)

    def note(self, state: State, M: Array) -> None:
        m = state.experts.shape[1] - 1
        best = state.experts[TOTAL, 0]
        for j in range(1, m):
            best = min(best, state.experts[TOTAL, j])
        M[0] = state.experts[TOTAL, m] - best
        stats = state.line.outer.stats
        M[1], M[2] = stats[HIGH] - stats[LOW], stats[OPENING]

    def grow(self, old: State, new: State, shape: Shape) -> State:
        if len(new.waves.seen) < len(old.waves.seen):  # too many features for waves now
            old = old._replace(waves=new.waves, cells=new.cells, experts=new.experts)
        grown: State = corner(old, new)
        grown.line.scaler.cache[0] = -1.0  # what is known of the last example has other sizes
        W = more_directions(old.waves.W, new.waves.W)
        # grids stay where they are (numbers are learned worse where they move): later features have waves, and no cells
        tiles = grown.cells.tiles._replace(grids=old.cells.tiles.grids)
        cells = grown.cells._replace(tiles=tiles)
        return grown._replace(waves=grown.waves._replace(W=W), cells=cells)

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with what the gambler may lose to each."""
        return best_number_lines(rounds, [state.line.outer for state in rounds.states])

    def remark(self, shape: Shape) -> str:
        return too_wide(self.key, shape.n)

    def game(self, allocation: bool) -> Game:
        return Regression(Square())


def unsure(u: Array, units: Array) -> float:
    """The precision of a weight of which nothing is known, for a wave or a cell: scores vary as those of the line."""
    return (u.shape[0] + 1.0) / (PRIOR * max(units[1], NOTHING) ** 2)  # type: ignore[no-any-return]


def coordinates(state: State, j: int) -> Array:
    """An example of as many features as a part has."""
    return state.cells.u if j == CELLS else state.waves.u


def part(state: State, j: int) -> Line:
    """The waves of a scale, or the cells, as a state of online-linear-regression."""
    w, line, own = state.waves, state.line, state.cells
    if j == CELLS:
        return Line(
            own.beliefs, Scaler(w.place, w.now, own.last, w.look), line.units, own.experts, own.seen, own.lean,
            line.outer, line.length, line.last, line.t,
        )  # fmt: skip
    s = j - WAVES
    return Line(
        w.beliefs[s], Scaler(w.place, w.now, w.last[s], w.look), line.units, w.experts[s], w.seen[s], w.lean[s],
        line.outer, line.length, line.last, line.t,
    )  # fmt: skip


def consider(state: State, x: Any) -> None:
    """What each part, and the blend of them, says of an example: a distance from the centre."""
    line, waves, experts = state.line, state.waves, state.experts
    if is_cached(line.scaler, x, line.t):
        return
    m = experts.shape[1] - 2
    believe(line, x)
    experts[SAY, 0] = mean(line)
    if m > WAVES:
        project(waves.W, line.scaler, x, waves.a)
    for j in range(WAVES, m):
        own, u = part(state, j), coordinates(state, j)
        if j == CELLS:
            place(state.cells.tiles, line.scaler, x, own.scaler.last_row[Z])
            take_out(state.cells.tiles, 0, own.beliefs)
        else:
            wave(waves.a, j - WAVES, waves.last)
        if line.units[1] > NOTHING:
            opine(own, u, unsure(u, line.units))
        experts[SAY, j] = mean(own)
    mixed = 0.0
    for j in range(m):
        mixed += experts[BLEND, j] * experts[SAY, j]
    experts[SAY, m] = cut(mixed, line.units[1])


def listen(noise: Array, e: float, spread: float, h: float) -> float:
    """The logarithm of the density that the blend gave to its error; then its noise knows the error."""
    least = LEAST * spread * spread
    if noise[0] == 0.0:
        noise[0] = spread * spread
    said: float = -0.5 * (e * e / noise[0] + np.log(2.0 * np.pi * noise[0]))
    noise[1] = 0.999 * noise[1] + h
    noise[0] += (max(e * e, least) - noise[0]) * h / (noise[1] + h)
    return said


def judge(experts: Array, t: int) -> None:
    """Experts gain weight by the density that they gave to what happened, and share 1/t of it."""
    m, best, whole, share = experts.shape[1] - 1, -np.inf, 0.0, 1.0 / (t + 2.0)
    for j in range(m):
        experts[TOTAL, j] -= experts[GAIN, j]
        best = max(best, experts[GAIN, j])
    for j in range(m):
        experts[HEDGE, j] *= decay(experts[GAIN, j] - best)
        whole += experts[HEDGE, j]
    experts[TOTAL, m] -= best + np.log(whole)
    for j in range(m):
        experts[HEDGE, j] = (1.0 - share) * experts[HEDGE, j] / whole + share / m


def mingle(experts: Array, u: float, spread: float, h: float) -> None:
    """The blend follows the gradient of its own square loss, in units of what it sees."""
    m, seen = experts.shape[1] - 2, spread * spread
    for j in range(m):
        seen += experts[SAY, j] ** 2
    slope = min(RATE * h, 1.0) * (u - experts[SAY, m]) / seen
    for j in range(m):
        experts[BLEND, j] += slope * experts[SAY, j]
