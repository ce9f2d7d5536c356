"""OnlineKernel: the learner for a stream of labelled examples that a line may not tell apart."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Learner
from ..core.numeric import decay, log_one
from ..core.outcome import Outcome
from ..core.parameters import Count
from ..core.rows import corner
from ..core.scratch import Buffer, Scratch
from ..core.stream import Array
from ..games import Classes, Game, Shape
from . import softmax
from .multiclass_perceptron import scores
from .online_linear import (
    PRIOR,
    absorb,
    believe,
    best_price,
    following,
    ignorance,
    ignorant,
    mix,
    opine,
    two_sides,
)
from .online_linear import State as Line
from .parts.best_line import best_lines
from .parts.coin_betting import CoinState, init_coin
from .parts.coin_betting import coin_to_softmax as gamble_on_both
from .parts.feature_scaling import LAST_ROWS as SCALED
from .parts.feature_scaling import Scaler, Z, commit_scaler, is_cached
from .parts.memories import M as KINDS
from .parts.memories import N as MEMORIES
from .parts.memories import blank, unknown
from .parts.opinions import LINES as THOUGHTS
from .parts.opinions import Doubt, first
from .parts.opinions import unsure as unsure_blend
from .parts.row_sum import Sums
from .parts.tiles import Tiles, place, put_back, search, take_out, tiled
from .parts.waves import WIDEST, S, directions, more_directions, project, too_wide, wave
from .softmax import State as Descent
from .softmax import errors, in_units, paid, promise

LINE, DESCENT, WAVES, CELLS = 0, 1, 2, 2 + S  # the parts; after them comes the blend of them all
MOST = CELLS + 2  # experts
RATE = 0.02  # of the blend
LEAST = -15.0  # no logarithm of a probability counts for less in the blend

# What is known of the experts: the weights of the parts in the blend; the weights of the experts; their total log
# losses, and behind these that of the mixture.
BLEND, HEDGE, TOTAL, LINES = 0, 1, 2, 3


class Waves(NamedTuple):
    """Online-linear over Fourier features, one a scale: its states, stacked."""

    W: Array  # features x frequencies
    a: Buffer  # inner products of the last example with them
    beliefs: Array
    now: Array  # not used: waves have no units
    last: Buffer
    experts: Array
    seen: Buffer
    lean: Buffer
    coin: CoinState  # without classes: there are no bets on waves
    d: Buffer
    u: Array  # an example of as many features: nothing but its length is read
    place: Array  # waves are standardised as they are, and none of them begins again
    look: Array


class Cells(NamedTuple):
    """Online-linear over the cells that examples lie in: its state, and the table from which it has its beliefs."""

    tiles: Tiles
    beliefs: Annotated[
        Array, Scratch(np.s_[:, 1:])
    ]  # of the cells of the last example; the constant's stays
    last: Buffer
    experts: Array
    seen: Buffer
    lean: Buffer
    d: Buffer
    u: Array  # an example of as many features
    doubt: Doubt


def empty_cells(n: int, m: int, K: int, begun: int = 0) -> Cells:
    """Nothing is known of the cells of m grids over n features; they begin over the first of them (0: over all)."""
    weighed = max(1, K - first(K))
    return Cells(
        tiled(n, m, weighed, begun), np.zeros((weighed, *blank(m).shape)), np.zeros((SCALED, m)), unknown(),
        np.zeros((K, THOUGHTS, MEMORIES)), np.zeros((weighed, m, KINDS)), np.zeros(K), np.zeros(m), unsure_blend(),
    )  # fmt: skip


class State(NamedTuple):
    line: Line
    descent: Descent
    waves: Waves
    experts: Array  # LINES x (experts + 1)
    p: Buffer  # experts x classes: probabilities for the last example
    d: Buffer  # logarithms of the probabilities of the mixture
    cells: Cells


def mixture(s: Any) -> Any:
    """What the mixture may lose to each of its experts."""
    return math.log(MOST) + np.log(s.T)


T_ONLINE_KERNEL = Guarantee(
    "T-ONLINE-KERNEL",
    "a mixture of lines and curves",
    f"log loss <= ln {MOST} + ln T + the log loss of each of its experts: online-linear and softmax over the features, "
    "online-linear over Fourier features (four scales, and each feature by itself) and over cells of pairs of "
    "features, and a blend of all",
    "Vovk 1990; Herbster & Warmuth 1998, with a share that falls as 1/t",
    mixture,
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("T",),
)
T_ONLINE_KERNEL_LINE = Guarantee(
    "T-ONLINE-KERNEL-LINE",
    "a mixture, one of whose experts keeps up with every linear predictor",
    f"regret <= ln {MOST} + ln T + the bound of T-SOFTMAX in units of the features, for every matrix U",
    "T-ONLINE-KERNEL and T-SOFTMAX added up",
    lambda s: mixture(s) + promise(s),
    against="linear",
    assumptions=(EVEN,),
    uses=("T", "U2", "Rinf", "alpha", "path", "steps", "cross"),
)
T_ONLINE_KERNEL_BEST = Guarantee(
    "T-ONLINE-KERNEL-BEST",
    "a mixture with online-linear, which keeps up with every linear predictor",
    f"log loss <= ln {MOST} + ln T + what T-ONLINE-LINEAR-BEST promises for every linear predictor u with an intercept",
    "T-ONLINE-KERNEL and T-ONLINE-LINEAR-BEST added up",
    lambda s: mixture(s) + best_price(s),
    against="own",
    assumptions=(EVEN,),
    uses=("T", "coin_regret"),
)


class OnlineKernel(Learner[State, Any, Array, Outcome]):
    """Tell classes apart in a stream, by lines or by curves, as the stream asks: nothing to tune, no scaler.

        z = each feature, less its centre and over its spread, as far as they are known
        parts, each of which gives a probability to every class:
            online-linear over z;  softmax over the features as they are
            online-linear over F cosines and F sines of <w, z>, with w drawn at random, at four scales
            the same with frequencies that look at one feature each
            online-linear over the cells that z lies in, of F grids over two features each; grids that say little are
                laid over other features
        one more expert multiplies the probabilities of the parts, each to a power that is learned
        predict the mixture of all by their likelihoods;  each shares 1/t of its weight

    Where a line is right, the price is a few nats (T-ONLINE-KERNEL): the log loss is hardly larger than that of
    online-linear. Where it is not, the curves win within some hundred rounds. The part that looks at features one by
    one finds thresholds and steps, and the one over cells what two features say together, as trees do. A column of text
    with few values is a code for curves, and a feature a value for lines (core/categories.py). With more than
    512 features only the linear parts play, and the run says so. O((d + 11 F) K) a round, K the number of classes, or 1
    for two of them; decisions are logarithms of probabilities.

    >>> learner = OnlineKernel()
    >>> for t in range(60):  # a ring around a disc
    ...     far, turn = 1 + 2 * (t % 2), 2.4 * t
    ...     learner = learner.update(
    ...         [far * math.cos(turn), far * math.sin(turn)], "disc" if far == 1 else "ring"
    ...     )
    >>> learner.predict([0.7, 0.7]), learner.predict([-3.0, 0.3])
    ('disc', 'ring')

    Rahimi & Recht (2007), random features; Stone (1985), additive models; Albus (1975), cells; Mahmood & Sutton (2013),
    the search for grids; Mattern (2012), logistic mixing; and what online-linear rests on. Ledger: A-ONLINE-KERNEL;
    T-ONLINE-KERNEL, T-ONLINE-KERNEL-LINE, T-ONLINE-KERNEL-BEST.
    """

    frequencies: Count = 64
    examples = True
    categories = True
    labels = True
    noted = ("excess", "alpha", "path", "steps", "cross")
    smallest = 1e-140
    guarantees = (T_ONLINE_KERNEL, T_ONLINE_KERNEL_LINE, T_ONLINE_KERNEL_BEST)

    def begin(self, shape: Shape) -> State:
        K, n, F = max(1, shape.classes), shape.n, self.frequencies
        parts = S if n <= WIDEST else 0
        begun = min(shape.features, n)  # features that curves begin with
        weighed = max(1, K - first(K))
        waves = Waves(
            directions(n if parts else 0, F, begun),
            np.zeros(2 * F),
            np.zeros((parts, weighed, *blank(2 * F).shape)),
            np.zeros((1, 4)),
            np.zeros((parts, SCALED, 2 * F)),
            np.stack([unknown()] * S)[:parts],
            np.zeros((parts, K, THOUGHTS, MEMORIES)),
            np.zeros((parts, weighed, 2 * F, KINDS)),
            init_coin(0, 0),
            np.zeros((parts, K)),
            np.zeros(2 * F),
            np.zeros((1, 4)),
            np.zeros(4),
        )
        m = CELLS + 1 if parts else WAVES
        experts = np.zeros((LINES, m + 2))
        experts[BLEND, :m], experts[HEDGE, : m + 1] = 1.0 / m, 1.0 / (m + 1)
        return State(
            ignorant(n, K), softmax.ignorant(n, K), waves, experts, np.zeros((m + 1, K)), np.zeros(K),
            empty_cells(n if parts else 0, F if parts else 0, K, begun),
        )  # fmt: skip

    def decide(self, state: State, x: Any) -> Array:
        consider(state, x)
        for c in range(state.d.shape[0]):
            mean = 0.0
            for j in range(state.p.shape[0]):
                mean += state.experts[HEDGE, j] * state.p[j, c]
            state.d[c] = log_one(mean)
        return state.d

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        consider(state, x)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        y, h = int(f.y), f.h
        state.experts[TOTAL, state.p.shape[0]] -= h * d[y]
        judge(state.experts, state.p, y, h, state.line.t)
        mingle(state, y, h)
        slow = state.descent
        square = errors(slow.s, slow.e, y)
        if square > 0.0:
            in_units(slow, x, h, square, slow.s, y)
        absorb(state.line, x, y, h, ignorance(state.line, x))
        for j in range(WAVES, state.p.shape[0] - 1):
            own, u = part(state, j), coordinates(state, j)
            absorb(own, u, y, h, unsure(u, state.d))
            if j == CELLS:
                for c in range(own.beliefs.shape[0]):
                    put_back(state.cells.tiles, c, own.beliefs[c])
                search(state.cells.tiles, state.line.scaler, state.line.t)
        commit_scaler(state.line.scaler, x)
        return State(
            following(state.line, x, y), slow, state.waves, state.experts, state.p, state.d, state.cells
        )  # fmt: skip

    def note(self, state: State, M: Array) -> None:
        m = state.p.shape[0]
        best = state.experts[TOTAL, 0]
        for j in range(1, m):
            best = min(best, state.experts[TOTAL, j])
        M[0] = state.experts[TOTAL, m] - best
        paid(state.descent, M[1:])

    def grow(self, old: State, new: State, shape: Shape) -> State:
        if len(new.waves.d) < len(old.waves.d):  # too many features for waves now
            old = old._replace(waves=new.waves, cells=new.cells, p=new.p, experts=new.experts)
        grown: State = corner(old, new)
        grown.line.scaler.cache[0] = -1.0  # what is known of the last example has other sizes
        if len(old.d) == 2 < len(grown.d):
            own = (
                grown.line.beliefs,
                grown.line.sums.beliefs,
                grown.cells.beliefs,
                grown.cells.tiles.table,
            )
            for beliefs in (*own, *grown.waves.beliefs):
                two_sides(beliefs)
            gamble_on_both(grown.line.coin.bettors)
        W = more_directions(old.waves.W, new.waves.W)
        # grids stay where they are, until the search lays some of them over features that came later
        tiles = grown.cells.tiles._replace(grids=old.cells.tiles.grids)
        cells = grown.cells._replace(tiles=tiles)
        return grown._replace(waves=grown.waves._replace(W=W), cells=cells)

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with what the gambler of the line may lose to each."""
        return best_lines(rounds, [state.line.coin for state in rounds.states])

    def symbols(self) -> dict[str, Any]:
        return {"in_units": True}

    def remark(self, shape: Shape) -> str:
        return too_wide(self.key, shape.n)

    def game(self, allocation: bool) -> Game:
        return Classes(True)

    def for_numbers(self) -> Any:
        from .online_kernel_regression import OnlineKernelRegression

        return OnlineKernelRegression()


def unsure(u: Array, d: Array) -> float:
    """The precision of a weight of which nothing is known, for a wave or a cell: scores vary as those of the line."""
    return (u.shape[0] + 1.0) / (PRIOR if d.shape[0] <= 2 else 0.5 * PRIOR)  # type: ignore[no-any-return]


def coordinates(state: State, j: int) -> Array:
    """An example of as many features as a part has."""
    return state.cells.u if j == CELLS else state.waves.u


def part(state: State, j: int) -> Line:
    """The waves of a scale, or the cells, as a state of online-linear."""
    w, line, own = state.waves, state.line, state.cells
    sums = Sums(line.sums.beliefs[:0], line.sums.place)
    if j == CELLS:
        return Line(
            own.beliefs, Scaler(w.place, w.now, own.last, w.look), own.experts, own.seen, own.lean, w.coin, own.d,
            line.length, line.last, line.t, sums, own.doubt,
        )  # fmt: skip
    s = j - WAVES
    return Line(
        w.beliefs[s], Scaler(w.place, w.now, w.last[s], w.look), w.experts[s], w.seen[s], w.lean[s], w.coin, w.d[s],
        line.length, line.last, line.t, sums, own.doubt[:0],
    )  # fmt: skip


def consider(state: State, x: Any) -> None:
    """The probabilities that each part, and the blend of them, gives to the classes of an example."""
    line, waves, p = state.line, state.waves, state.p
    if is_cached(line.scaler, x, line.t):
        return
    m = p.shape[0] - 1
    believe(line, x)
    mix(line)
    scores(state.descent.W, state.descent.s, x, state.descent.units.q, True)
    if m > WAVES:
        project(waves.W, line.scaler, x, waves.a)
    for j in range(WAVES, m):
        view, u = part(state, j), coordinates(state, j)
        if j == CELLS:
            place(state.cells.tiles, line.scaler, x, view.scaler.last_row[Z])
            for c in range(view.beliefs.shape[0]):
                take_out(state.cells.tiles, c, view.beliefs[c])
        else:
            wave(waves.a, j - WAVES, waves.last)
        opine(view, u, unsure(u, state.d))
        mix(view)
        for c in range(p.shape[1]):
            p[j, c] = view.d[c]
    for c in range(p.shape[1]):
        p[LINE, c] = line.d[c]
        p[DESCENT, c] = state.descent.s[c]
    normalise(p[DESCENT])
    for c in range(p.shape[1]):
        p[m, c] = 0.0
        for j in range(m):
            p[m, c] += state.experts[BLEND, j] * max(p[j, c], LEAST)
    normalise(p[m])
    for j in range(m + 1):
        for c in range(p.shape[1]):
            p[j, c] = decay(p[j, c])


def normalise(s: Array) -> None:
    """Scores become logarithms of probabilities, none of them below that of a score of LEAST."""
    top, whole = s[0], 0.0
    for c in range(s.shape[0]):
        top = max(top, s[c])
    for c in range(s.shape[0]):
        s[c] = max(s[c] - top, 8.0 * LEAST)
        whole += decay(s[c])
    whole = log_one(whole)
    for c in range(s.shape[0]):
        s[c] -= whole


def judge(experts: Array, p: Array, y: int, h: float, t: int) -> None:
    """Experts gain weight by the probability that they gave to what happened, and share 1/t of it."""
    m, best, whole, share = p.shape[0], 0.0, 0.0, 1.0 / (t + 2.0)
    for j in range(m):
        best = max(best, p[j, y])
        experts[TOTAL, j] -= h * log_one(p[j, y])
    for j in range(m):
        odds = p[j, y] / best
        experts[HEDGE, j] *= odds if h == 1.0 else odds**h
        whole += experts[HEDGE, j]
    for j in range(m):
        experts[HEDGE, j] = (1.0 - share) * experts[HEDGE, j] / whole + share / m


def mingle(state: State, y: int, h: float) -> None:
    """The blend follows the gradient of its own log loss."""
    p, rate, m = state.p, min(RATE * h, 1.0), state.p.shape[0] - 1
    for c in range(p.shape[1]):
        slope = rate * ((1.0 if c == y else 0.0) - p[m, c])
        for j in range(m):
            state.experts[BLEND, j] += slope * max(log_one(p[j, c]), LEAST)
