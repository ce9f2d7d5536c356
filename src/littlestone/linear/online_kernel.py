"""OnlineKernel: online-linear over the features, over Fourier features and over tiles, stacked and mixed."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Learner
from ..core.numeric import decay, log_one
from ..core.outcome import Outcome
from ..core.parameters import Count
from ..core.rows import corner
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Classes, Game, Shape
from . import softmax
from .multiclass_perceptron import scores
from .online_linear import (
    PRIOR_SCORE_VARIANCE,
    binary_to_softmax,
    init_state,
    linear_regret_bound,
    mix_experts,
    next_state,
    prior_precision_of,
    score_experts,
    score_if_new,
    update_experts,
)
from .online_linear import State as LinearState
from .parts.best_line import best_lines
from .parts.coin_betting import CoinState, coin_to_softmax
from .parts.curve_models import (
    FourierModels,
    TileModel,
    init_fourier_models,
    init_tile_model,
    keep_frequencies,
    keep_grids,
    part_row,
    scaler_of_part,
)
from .parts.feature_scaling import ROUND, Z, commit_scaler, is_cached
from .parts.fourier_scales import (
    FOURIER_PARTS,
    MAX_FEATURES,
    explain_no_curves,
    project,
    set_fourier_features,
)
from .parts.part_mixture import (
    PartMixture,
    init_part_mixture,
    regret_to_best_part,
    share_weights,
)
from .parts.row_sum import RowSum
from .parts.stacking import OUTPUT_ROWS, StackCovariance, first_scored_class, init_stack_cov
from .parts.tiles import find_cells, read_cells, replace_grids, write_cells
from .softmax import State as SoftmaxState
from .softmax import errors, in_units, paid, promise

# The parts: online-linear and softmax over the features, online-linear over Fourier features and over tiles. After them
# comes the stack of all.
LINEAR, SOFTMAX, FOURIER, TILES = 0, 1, 2, 2 + FOURIER_PARTS
EXPERTS = TILES + 2
STACK_RATE = 0.02
MIN_LOG_PROBABILITY = -15.0  # no log probability counts for less in the stack


class State(NamedTuple):
    linear: LinearState
    softmax: SoftmaxState
    fourier: FourierModels
    tile_model: TileModel
    tile_stack_cov: (
        StackCovariance  # of the weights of the tiles' stack, which learns by Newton's method
    )
    parts: PartMixture
    probabilities: Buffer  # experts x classes, for the last row
    log_probabilities: Buffer  # of the mixture


def mixture_regret_bound(s: Any) -> Any:
    """The regret of the mixture to each of its experts is at most this."""
    return math.log(EXPERTS) + np.log(s.T)


T_ONLINE_KERNEL = Guarantee(
    "T-ONLINE-KERNEL",
    "a mixture of lines and curves",
    f"log loss <= ln {EXPERTS} + ln T + the log loss of each of its experts: online-linear and softmax over the "
    "features, online-linear over Fourier features (four scales, and each feature by itself) and over tiles of pairs "
    "of features, and a stack of all",
    "Vovk 1990; Herbster & Warmuth 1998, with a share that falls as 1/t",
    mixture_regret_bound,
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("T",),
)
T_ONLINE_KERNEL_LINE = Guarantee(
    "T-ONLINE-KERNEL-LINE",
    "a mixture, one of whose experts keeps up with every linear predictor",
    f"regret <= ln {EXPERTS} + ln T + the bound of T-SOFTMAX in units of the features, for every matrix U",
    "T-ONLINE-KERNEL and T-SOFTMAX added up",
    lambda s: mixture_regret_bound(s) + promise(s),
    against="linear",
    assumptions=(EVEN,),
    uses=("T", "U2", "Rinf", "alpha", "path", "steps", "cross"),
)
T_ONLINE_KERNEL_BEST = Guarantee(
    "T-ONLINE-KERNEL-BEST",
    "a mixture with online-linear, which keeps up with every linear predictor",
    f"log loss <= ln {EXPERTS} + ln T + what T-ONLINE-LINEAR-BEST promises for every linear predictor u with an "
    "intercept",
    "T-ONLINE-KERNEL and T-ONLINE-LINEAR-BEST added up",
    lambda s: mixture_regret_bound(s) + linear_regret_bound(s),
    against="own",
    assumptions=(EVEN,),
    uses=("T", "coin_regret"),
)


class OnlineKernel(Learner[State, Any, Array, Outcome]):
    """Tell classes apart in a stream, by lines or by curves, as the stream asks: nothing to tune, no scaler.

        z = clip((x - centre) / spread, 10), by a scaler that learns as rows come
        parts, each of which gives a probability to every class:
            online-linear over z;  softmax over the features as they are
            online-linear over F cosines and F sines of <w, z>, with w drawn at random, at four scales
            the same with frequencies that look at one feature each
            online-linear over tiles: F grids over two features each, z lies in one cell of each; grids that say little
                are laid over other features
        a stack multiplies the probabilities of the parts, each to a power that is learned by gradient descent
        predict the mixture of all by their likelihoods;  each shares 1/t of its weight

    Where a line is right, the cost is a few nats (T-ONLINE-KERNEL): the log loss is hardly larger than that of
    online-linear. Where it is not, the curves win within some hundred rounds. The part that looks at features one by
    one finds thresholds and steps, and the tiles what two features say together, as trees do. A column of text
    with few values is a code for curves, and a feature a value for lines (encode/categories.py). With more than
    512 features only the linear parts play, and the run says so. O((d + 11 F) K) a round, K the number of classes, or 1
    for two of them; decisions are log probabilities.

    >>> learner = OnlineKernel()
    >>> for t in range(60):  # a ring around a disc
    ...     far, turn = 1 + 2 * (t % 2), 2.4 * t
    ...     learner = learner.update(
    ...         [far * math.cos(turn), far * math.sin(turn)], "disc" if far == 1 else "ring"
    ...     )
    >>> learner.predict([0.7, 0.7]), learner.predict([-3.0, 0.3])
    ('disc', 'ring')

    Rahimi & Recht (2007), random features; Stone (1985), additive models; Albus (1975), tile coding; Mahmood & Sutton
    (2013), the search for grids; Mattern (2012), the stack; and what online-linear rests on. Ledger: A-ONLINE-KERNEL;
    T-ONLINE-KERNEL, T-ONLINE-KERNEL-LINE, T-ONLINE-KERNEL-BEST.
    """

    frequencies: Count = 64
    examples = True
    categories = True
    labels = True
    diagnostics = ("excess", "alpha", "path", "steps", "cross")
    smallest = 1e-140
    guarantees = (T_ONLINE_KERNEL, T_ONLINE_KERNEL_LINE, T_ONLINE_KERNEL_BEST)

    def begin(self, shape: Shape) -> State:
        K, n, F = max(1, shape.classes), shape.n, self.frequencies
        curves = n <= MAX_FEATURES
        begun = min(shape.features, n)  # features that curves begin with
        m = TILES + 1 if curves else FOURIER
        scored, outputs = max(1, K - first_scored_class(K)), (K, OUTPUT_ROWS)
        return State(
            linear=init_state(n, K),
            softmax=softmax.init_state(n, K),
            fourier=init_fourier_models(
                n, F, scored, FOURIER_PARTS if curves else 0, begun, outputs
            ),
            tile_model=init_tile_model(
                n if curves else 0, F if curves else 0, scored, begun, outputs
            ),
            tile_stack_cov=init_stack_cov(),
            parts=init_part_mixture(m),
            probabilities=np.zeros((m + 1, K)),
            log_probabilities=np.zeros(K),
        )

    def decide(self, state: State, x: Any) -> Array:
        score_parts_if_new(state, x)
        for c in range(state.log_probabilities.shape[0]):
            mean = 0.0
            for j in range(state.probabilities.shape[0]):
                mean += state.parts.weights[j] * state.probabilities[j, c]
            state.log_probabilities[c] = log_one(mean)
        return state.log_probabilities

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        score_parts_if_new(state, x)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        y, h = int(f.y), f.h
        state.parts.losses[state.probabilities.shape[0]] -= h * d[y]
        update_mixture(state.parts, state.probabilities, y, h, state.linear.t)
        stack_sgd_step(state, y, h)
        slow = state.softmax
        square = errors(slow.s, slow.e, y)
        if square > 0.0:
            in_units(slow, x, h, square, slow.s, y)
        update_experts(state.linear, x, y, h, prior_precision_of(state.linear, x))
        for j in range(FOURIER, state.probabilities.shape[0] - 1):
            own = part_state(state, j)
            row = part_row(own.scaler)
            update_experts(own, row, y, h, part_prior_precision(row, state.log_probabilities))
            if j == TILES:
                for c in range(own.posterior.shape[0]):
                    write_cells(state.tile_model.tiles, c, own.posterior[c])
                replace_grids(state.tile_model.tiles, state.linear.scaler, state.linear.t)
        commit_scaler(state.linear.scaler, x)
        return State(
            linear=next_state(state.linear, x, y),
            softmax=slow,
            fourier=state.fourier,
            tile_model=state.tile_model,
            tile_stack_cov=state.tile_stack_cov,
            parts=state.parts,
            probabilities=state.probabilities,
            log_probabilities=state.log_probabilities,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = regret_to_best_part(state.parts)
        paid(state.softmax, M[1:])

    def grow(self, old: State, new: State, shape: Shape) -> State:
        if len(new.fourier.posterior) < len(old.fourier.posterior):
            # too many features for curves now
            old = old._replace(
                fourier=new.fourier,
                tile_model=new.tile_model,
                tile_stack_cov=new.tile_stack_cov,
                probabilities=new.probabilities,
                parts=new.parts,
            )
        grown: State = corner(old, new)
        # the last row, as it was standardised, has other sizes
        grown.linear.scaler.cache[ROUND] = -1.0
        if len(old.log_probabilities) == 2 < len(grown.log_probabilities):
            own = (
                grown.linear.posterior,
                grown.linear.row_sum.posterior,
                grown.tile_model.posterior,
                grown.tile_model.tiles.table,
            )
            for posterior in (*own, *grown.fourier.posterior):
                binary_to_softmax(posterior)
            coin_to_softmax(grown.linear.coin.bettors)
        # the search lays some of the grids over features that came later
        return grown._replace(
            fourier=keep_frequencies(old.fourier, new.fourier, grown.fourier),
            tile_model=keep_grids(old.tile_model, grown.tile_model),
        )

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with the regret bound of coin betting to each."""
        return best_lines(rounds, [state.linear.coin for state in rounds.states])

    def symbols(self) -> dict[str, Any]:
        return {"in_units": True}

    def remark(self, shape: Shape) -> str:
        return explain_no_curves(self.key, shape.n)

    def game(self, allocation: bool) -> Game:
        return Classes(True)

    def for_numbers(self) -> Any:
        from .online_kernel_regression import OnlineKernelRegression

        return OnlineKernelRegression()


def part_prior_precision(row: Array, log_probabilities: Array) -> float:
    """The prior precision of a weight of a Fourier feature or a tile: scores have the variance of online-linear's."""
    few = log_probabilities.shape[0] <= 2
    variance = PRIOR_SCORE_VARIANCE if few else 0.5 * PRIOR_SCORE_VARIANCE
    return (row.shape[0] + 1.0) / variance  # type: ignore[no-any-return]


def part_state(state: State, j: int) -> LinearState:
    """The part j, a scale of Fourier features or the tiles, as a state of online-linear without coin betting."""
    fourier, linear, tiles = state.fourier, state.linear, state.tile_model
    coin, row_sum = linear.coin, linear.row_sum
    posterior, experts, outputs, gain = tiles.posterior, tiles.experts, tiles.outputs, tiles.gain
    last_row, stack_cov = tiles.last_row, state.tile_stack_cov
    if j < TILES:
        s = j - FOURIER
        posterior, experts, outputs, gain = (
            fourier.posterior[s],
            fourier.experts[s],
            fourier.outputs[s],
            fourier.gain[s],
        )
        last_row, stack_cov = fourier.last_row[s], state.tile_stack_cov[:0]
    return LinearState(
        posterior=posterior,
        scaler=scaler_of_part(last_row, fourier.cache, linear.scaler),
        experts=experts,
        outputs=outputs,
        gain=gain,
        coin=CoinState(bettors=coin.bettors[:0], w=coin.w[:0], coin_counts=coin.coin_counts),
        log_probabilities=state.probabilities[j],
        mean_row_length=linear.mean_row_length,
        last_label=linear.last_label,
        t=linear.t,
        row_sum=RowSum(posterior=row_sum.posterior[:0], stats=row_sum.stats),
        stack_cov=stack_cov,
    )


def score_parts_if_new(state: State, x: Any) -> None:
    """Probabilities of a row by each part, and by the stack of them, unless it was the last one."""
    linear, fourier, p = state.linear, state.fourier, state.probabilities
    if is_cached(linear.scaler, x, linear.t):
        return
    m = p.shape[0] - 1
    score_if_new(linear, x)
    mix_experts(linear)
    scores(state.softmax.W, state.softmax.s, x, state.softmax.units.q, True)
    if m > FOURIER:
        project(fourier.W, linear.scaler, x, fourier.projections)
    for j in range(FOURIER, m):
        own = part_state(state, j)
        row = part_row(own.scaler)
        if j == TILES:
            find_cells(state.tile_model.tiles, linear.scaler, x, own.scaler.last_row[Z])
            for c in range(own.posterior.shape[0]):
                read_cells(state.tile_model.tiles, c, own.posterior[c])
        else:
            set_fourier_features(fourier.projections, j - FOURIER, fourier.last_row)
        score_experts(own, row, part_prior_precision(row, state.log_probabilities))
        mix_experts(own)
    for c in range(p.shape[1]):
        p[LINEAR, c] = linear.log_probabilities[c]
        p[SOFTMAX, c] = state.softmax.s[c]
    log_softmax(p[SOFTMAX])
    for c in range(p.shape[1]):
        p[m, c] = 0.0
        for j in range(m):
            p[m, c] += state.parts.stack_weights[j] * max(p[j, c], MIN_LOG_PROBABILITY)
    log_softmax(p[m])
    for j in range(m + 1):
        for c in range(p.shape[1]):
            p[j, c] = decay(p[j, c])


def log_softmax(s: Array) -> None:
    """Scores become log probabilities, of scores cut at 8 MIN_LOG_PROBABILITY below the largest."""
    top, whole = s[0], 0.0
    for c in range(s.shape[0]):
        top = max(top, s[c])
    for c in range(s.shape[0]):
        s[c] = max(s[c] - top, 8.0 * MIN_LOG_PROBABILITY)
        whole += decay(s[c])
    whole = log_one(whole)
    for c in range(s.shape[0]):
        s[c] -= whole


def update_mixture(parts: PartMixture, p: Array, y: int, h: float, t: int) -> None:
    """Losses of the experts, and their weights, by the probabilities that they gave to the label."""
    m, best, whole = p.shape[0], 0.0, 0.0
    for j in range(m):
        best = max(best, p[j, y])
        parts.losses[j] -= h * log_one(p[j, y])
    for j in range(m):
        odds = p[j, y] / best
        parts.weights[j] *= odds if h == 1.0 else odds**h
        whole += parts.weights[j]
    share_weights(parts, whole, t)


def stack_sgd_step(state: State, y: int, h: float) -> None:
    """The stack learns by a gradient step of its log loss."""
    p, rate, m = state.probabilities, min(STACK_RATE * h, 1.0), state.probabilities.shape[0] - 1
    for c in range(p.shape[1]):
        slope = rate * ((1.0 if c == y else 0.0) - p[m, c])
        for j in range(m):
            state.parts.stack_weights[j] += slope * max(log_one(p[j, c]), MIN_LOG_PROBABILITY)
