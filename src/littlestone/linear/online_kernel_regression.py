"""OnlineKernelRegression: online-linear-regression over the features, Fourier features and tiles, mixed."""

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
from ..core.vectors import as_row
from ..games import Game, Regression, Shape
from .online_linear import PRIOR_SCORE_VARIANCE
from .online_linear_regression import (
    MIN_NOISE,
    MIN_SPREAD,
    T_ONLINE_LINEAR_REGRESSION_BEST,
    init_state,
    mix_scores,
    next_state,
    prior_precision_of,
    score_experts,
    score_if_new,
    update_experts,
    winsorise,
)
from .online_linear_regression import State as LinearState
from .parts.best_number_line import best_number_lines
from .parts.discounted_bayes import (
    CUMULATIVE_LOSS,
    CURVATURE,
    MIX_WEIGHTS,
    MODELS,
    MODELS_AND_STACK,
    STACK_WEIGHTS,
    init_experts,
    init_posterior,
    reset_weights,
)
from .parts.feature_scaling import CENTRE, LAST_ROWS, ROUND, SPREAD, Scaler, Z, is_cached
from .parts.fourier_scales import (
    FOURIER_PARTS,
    MAX_FEATURES,
    draw_frequencies,
    explain_no_curves,
    grow_frequencies,
    project,
    set_fourier_features,
)
from .parts.outer_mixture import HIGH, LOW, OPENING, mix_with_coin, update_outer
from .parts.tiles import Tiles, find_cells, init_tiles, read_cells, write_cells

# The parts: online-linear-regression over the features (part 0), over Fourier features and over tiles. After them comes
# the stack of all.
FOURIER, TILES = 1, 1 + FOURIER_PARTS
EXPERTS = TILES + 2
STACK_RATE = 0.1
# Rows of `experts` after STACK_WEIGHTS, MIX_WEIGHTS and CUMULATIVE_LOSS of discounted_bayes.py: predictions for the
# last row, from the centre of the outcomes; log likelihoods of the last outcome.
PREDICTION, LOG_LIKELIHOOD, PART_ROWS = 3, 4, 5


class FourierModels(NamedTuple):
    """States of online-linear-regression over Fourier features, side by side: one a scale, one feature by feature."""

    W: Array  # features x frequencies
    projections: Buffer  # inner products of the last row with them
    posterior: Array
    new_stats: Array  # not used: Fourier features need no scaler
    last_row: Buffer
    experts: Array
    outputs: Buffer
    gain: Buffer
    row: Array  # a row of as many features: nothing but its length is read
    stats: Array  # not used
    cache: Array


class TileModel(NamedTuple):
    """The state of online-linear-regression over tiles, and the table in which its posterior is kept."""

    tiles: Tiles
    # of the cells of the last row, read from the table; the intercept's stays
    posterior: Annotated[Array, Scratch(np.s_[1:])]
    last_row: Buffer
    experts: Array
    outputs: Buffer
    gain: Buffer
    row: Array  # a row of as many features: nothing but its length is read


class State(NamedTuple):
    linear: LinearState
    fourier: FourierModels
    experts: Annotated[Array, Scratch(PREDICTION)]  # PART_ROWS x (experts + 1)
    noise: Array  # of the stack: the variance, and the number of rounds that it stands for
    tile_model: TileModel


def init_fourier_models(n: int, F: int, parts: int, begun: int) -> FourierModels:
    """Before the first round, F frequencies over n features, of which the first `begun` are looked at one by one."""
    return FourierModels(
        W=draw_frequencies(n if parts else 0, F, begun),
        projections=np.zeros(2 * F),
        posterior=np.zeros((parts, *init_posterior(2 * F).shape)),
        new_stats=np.zeros((1, 4)),
        last_row=np.zeros((parts, LAST_ROWS, 2 * F)),
        experts=np.stack([init_experts()] * FOURIER_PARTS)[:parts],
        outputs=np.zeros((parts, CURVATURE + 1, MODELS_AND_STACK)),
        gain=np.zeros((parts, 2 * F, MODELS)),
        row=np.zeros(2 * F),
        stats=np.zeros((1, 4)),
        cache=np.zeros(4),
    )


def init_tile_model(n: int, m: int, begun: int = 0) -> TileModel:
    """Before the first round, m grids over n features; they begin over the first of them (0: over all)."""
    return TileModel(
        tiles=init_tiles(n, m, 1, begun),
        posterior=init_posterior(m),
        last_row=np.zeros((LAST_ROWS, m)),
        experts=init_experts(),
        outputs=np.zeros((CURVATURE + 1, MODELS_AND_STACK)),
        gain=np.zeros((m, MODELS)),
        row=np.zeros(m),
    )


T_ONLINE_KERNEL_REGRESSION = Guarantee(
    "T-ONLINE-KERNEL-REGRESSION",
    "a mixture of a line and of curves, in nats",
    f"-ln of the density that the mixture gave to the outcomes <= ln {EXPERTS} + ln T + that of each of its experts: "
    "online-linear-regression over the features, over Fourier features (four scales, and each feature by itself) and "
    "over tiles of pairs of features, and a stack of all (outcomes clipped at ten spreads from their centre)",
    "Vovk 1990; Herbster & Warmuth 1998, with a share that falls as 1/t",
    lambda s: math.log(EXPERTS) + np.log(s.T),
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("T",),
)


class OnlineKernelRegression(Learner[State, Any, float, Outcome]):
    """Predict numbers in a stream, by a line or by curves, as the stream asks: nothing to tune, no scaler.

        z = clip((x - centre) / spread, 10), by a scaler that learns as rows come
        parts:  online-linear-regression over z
                the same over F cosines and F sines of <w, z>, with w drawn at random, at four scales
                the same with frequencies that look at one feature each
                the same over tiles: F grids over two features each, z lies in one cell of each
        a stack adds up the predictions of the parts, with weights that are learned by gradient descent
        take the mean of all by their likelihoods;  each shares 1/t of its weight
        predict a mixture of that and of coin betting on the features as they are, both clipped to the range of outcomes

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
    own_constant = True
    categories = True
    diagnostics = ("excess", "span", "opening")
    guarantees = (T_ONLINE_KERNEL_REGRESSION, T_ONLINE_LINEAR_REGRESSION_BEST)

    def begin(self, shape: Shape) -> State:
        n, F = shape.n, self.frequencies
        parts = FOURIER_PARTS if n <= MAX_FEATURES else 0
        begun = min(shape.features, n)  # features that curves begin with
        m = TILES + 1 if parts else FOURIER
        experts = np.zeros((PART_ROWS, m + 2))
        experts[STACK_WEIGHTS, :m], experts[MIX_WEIGHTS, : m + 1] = 1.0 / m, 1.0 / (m + 1)
        return State(
            linear=init_state(n),
            fourier=init_fourier_models(n, F, parts, begun),
            experts=experts,
            noise=np.zeros(2),
            tile_model=init_tile_model(n if parts else 0, F if parts else 0, begun),
        )

    def decide(self, state: State, x: Any) -> float:
        score_parts_if_new(state, x)
        total = 0.0
        for j in range(state.experts.shape[1] - 1):
            total += state.experts[MIX_WEIGHTS, j] * state.experts[PREDICTION, j]
        return mix_with_coin(state.linear.outer, x, state.linear.outcome_scaler[CENTRE] + total)

    def learn(self, state: State, x: Any, d: float, f: Outcome) -> State:
        if not is_cached(state.linear.scaler, x, state.linear.t):  # another row was scored since
            self.decide(state, x)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: float, f: Outcome) -> State:
        linear, experts, h = state.linear, state.experts, f.h
        update_outer(linear.outer, x, f.y, h)
        m = experts.shape[1] - 2
        reset_weights(linear.posterior, linear.scaler, x)
        if linear.outcome_scaler[SPREAD] > MIN_SPREAD:
            experts[LOG_LIKELIHOOD, 0] = linear.experts[CUMULATIVE_LOSS, MODELS_AND_STACK]
            update_experts(linear, x, f.y, h, prior_precision_of(linear, x))
            experts[LOG_LIKELIHOOD, 0] -= linear.experts[CUMULATIVE_LOSS, MODELS_AND_STACK]
            for j in range(FOURIER, m):
                own, row = part_state(state, j), part_row(state, j)
                experts[LOG_LIKELIHOOD, j] = own.experts[CUMULATIVE_LOSS, MODELS_AND_STACK]
                update_experts(own, row, f.y, h, part_prior_precision(row, linear.outcome_scaler))
                experts[LOG_LIKELIHOOD, j] -= own.experts[CUMULATIVE_LOSS, MODELS_AND_STACK]
                if j == TILES:
                    write_cells(state.tile_model.tiles, 0, own.posterior)
            far = winsorise(f.y - linear.outcome_scaler[CENTRE], linear.outcome_scaler[SPREAD])
            experts[LOG_LIKELIHOOD, m] = h * update_stack_noise(
                state.noise, far - experts[PREDICTION, m], linear.outcome_scaler[SPREAD], h
            )
            update_mixture(experts, linear.t)
            stack_sgd_step(experts, far, linear.outcome_scaler[SPREAD], h)
        return State(
            linear=next_state(linear, x, f.y),
            fourier=state.fourier,
            experts=experts,
            noise=state.noise,
            tile_model=state.tile_model,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        m = state.experts.shape[1] - 1
        best = state.experts[CUMULATIVE_LOSS, 0]
        for j in range(1, m):
            best = min(best, state.experts[CUMULATIVE_LOSS, j])
        M[0] = state.experts[CUMULATIVE_LOSS, m] - best
        stats = state.linear.outer.stats
        M[1], M[2] = stats[HIGH] - stats[LOW], stats[OPENING]

    def grow(self, old: State, new: State, shape: Shape) -> State:
        if len(new.fourier.outputs) < len(old.fourier.outputs):  # too many features for curves now
            old = old._replace(fourier=new.fourier, tile_model=new.tile_model, experts=new.experts)
        grown: State = corner(old, new)
        grown.linear.scaler.cache[
            ROUND
        ] = -1.0  # the last row, as it was standardised, has other sizes
        W = grow_frequencies(old.fourier.W, new.fourier.W)
        # grids stay where they are (numbers are learned worse where they move): later features have no tiles
        tiles = grown.tile_model.tiles._replace(grids=old.tile_model.tiles.grids)
        tile_model = grown.tile_model._replace(tiles=tiles)
        return grown._replace(fourier=grown.fourier._replace(W=W), tile_model=tile_model)

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with the regret bound of coin betting to each."""
        return best_number_lines(rounds, [state.linear.outer for state in rounds.states])

    def remark(self, shape: Shape) -> str:
        return explain_no_curves(self.key, shape.n)

    def game(self, allocation: bool) -> Game:
        return Regression(Square())


def part_prior_precision(row: Array, outcome_scaler: Array) -> float:
    """The prior precision of a weight of a Fourier feature or a tile: scores have the variance of the linear part's."""
    spread: float = max(outcome_scaler[SPREAD], MIN_SPREAD)
    precision: float = (row.shape[0] + 1.0) / (PRIOR_SCORE_VARIANCE * spread**2)
    return precision


def part_row(state: State, j: int) -> Array:
    """A row of as many features as a part has."""
    row: Array = as_row(state.tile_model.row if j == TILES else state.fourier.row)
    return row


def part_state(state: State, j: int) -> LinearState:
    """The part j, a scale of Fourier features or the tiles, as a state of online-linear-regression."""
    fourier, linear, own = state.fourier, state.linear, state.tile_model
    if j == TILES:
        return LinearState(
            posterior=own.posterior,
            scaler=Scaler(
                stats=fourier.stats,
                new_stats=fourier.new_stats,
                last_row=own.last_row,
                cache=fourier.cache,
            ),
            outcome_scaler=linear.outcome_scaler,
            experts=own.experts,
            outputs=own.outputs,
            gain=own.gain,
            outer=linear.outer,
            mean_row_length=linear.mean_row_length,
            last_outcome=linear.last_outcome,
            t=linear.t,
        )
    s = j - FOURIER
    return LinearState(
        posterior=fourier.posterior[s],
        scaler=Scaler(
            stats=fourier.stats,
            new_stats=fourier.new_stats,
            last_row=fourier.last_row[s],
            cache=fourier.cache,
        ),
        outcome_scaler=linear.outcome_scaler,
        experts=fourier.experts[s],
        outputs=fourier.outputs[s],
        gain=fourier.gain[s],
        outer=linear.outer,
        mean_row_length=linear.mean_row_length,
        last_outcome=linear.last_outcome,
        t=linear.t,
    )


def score_parts_if_new(state: State, x: Any) -> None:
    """Predictions for a row by each part, and by the stack of them, unless it was the last one."""
    linear, fourier, experts = state.linear, state.fourier, state.experts
    if is_cached(linear.scaler, x, linear.t):
        return
    m = experts.shape[1] - 2
    score_if_new(linear, x)
    experts[PREDICTION, 0] = mix_scores(linear)
    if m > FOURIER:
        project(fourier.W, linear.scaler, x, fourier.projections)
    for j in range(FOURIER, m):
        own, row = part_state(state, j), part_row(state, j)
        if j == TILES:
            find_cells(state.tile_model.tiles, linear.scaler, x, own.scaler.last_row[Z])
            read_cells(state.tile_model.tiles, 0, own.posterior)
        else:
            set_fourier_features(fourier.projections, j - FOURIER, fourier.last_row)
        if linear.outcome_scaler[SPREAD] > MIN_SPREAD:
            score_experts(own, row, part_prior_precision(row, linear.outcome_scaler))
        experts[PREDICTION, j] = mix_scores(own)
    stacked = 0.0
    for j in range(m):
        stacked += experts[STACK_WEIGHTS, j] * experts[PREDICTION, j]
    experts[PREDICTION, m] = winsorise(stacked, linear.outcome_scaler[SPREAD])


def update_stack_noise(noise: Array, e: float, spread: float, h: float) -> float:
    """The log density that the stack gave to its error; then the variance of its noise knows the error."""
    least = MIN_NOISE * spread * spread
    if noise[0] == 0.0:
        noise[0] = spread * spread
    log_density: float = -0.5 * (e * e / noise[0] + np.log(2.0 * np.pi * noise[0]))
    noise[1] = 0.999 * noise[1] + h
    noise[0] += (max(e * e, least) - noise[0]) * h / (noise[1] + h)
    return log_density


def update_mixture(experts: Array, t: int) -> None:
    """Losses of the experts; their weights by Bayes' rule, of which a share 1/(t + 2) goes to all alike."""
    m, best, whole, share = experts.shape[1] - 1, -np.inf, 0.0, 1.0 / (t + 2.0)
    for j in range(m):
        experts[CUMULATIVE_LOSS, j] -= experts[LOG_LIKELIHOOD, j]
        best = max(best, experts[LOG_LIKELIHOOD, j])
    for j in range(m):
        experts[MIX_WEIGHTS, j] *= decay(experts[LOG_LIKELIHOOD, j] - best)
        whole += experts[MIX_WEIGHTS, j]
    experts[CUMULATIVE_LOSS, m] -= best + np.log(whole)
    for j in range(m):
        experts[MIX_WEIGHTS, j] = (1.0 - share) * experts[MIX_WEIGHTS, j] / whole + share / m


def stack_sgd_step(experts: Array, u: float, spread: float, h: float) -> None:
    """The stack learns by a normalised gradient step of its square loss."""
    m, norm = experts.shape[1] - 2, spread * spread
    for j in range(m):
        norm += experts[PREDICTION, j] ** 2
    slope = min(STACK_RATE * h, 1.0) * (u - experts[PREDICTION, m]) / norm
    for j in range(m):
        experts[STACK_WEIGHTS, j] += slope * experts[PREDICTION, j]
