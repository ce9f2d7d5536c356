"""OnlineKernelRegression: online-linear-regression over the features, Fourier features and tiles, mixed."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Learner
from ..core.losses import Square
from ..core.numeric import decay
from ..core.outcome import Outcome
from ..core.parameters import Count
from ..core.rows import corner
from ..core.scratch import Buffer
from ..core.stream import Array
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
from .parts.discounted_bayes import (
    CUMULATIVE_LOSS,
    CURVATURE,
    MODELS_AND_STACK,
    reset_weights,
)
from .parts.feature_scaling import CENTRE, ROUND, SPREAD, Z, is_cached
from .parts.fourier_scales import (
    FOURIER_PARTS,
    MAX_FEATURES,
    explain_no_curves,
    project,
    set_fourier_features,
)
from .parts.outer_mixture import HIGH, LOW, OPENING, mix_with_coin, update_outer
from .parts.part_mixture import (
    PartMixture,
    init_part_mixture,
    regret_to_best_part,
    share_weights,
)
from .parts.tiles import find_cells, read_cells, write_cells

# The parts: online-linear-regression over the features (part 0), over Fourier features and over tiles. After them comes
# the stack of all.
FOURIER, TILES = 1, 1 + FOURIER_PARTS
EXPERTS = TILES + 2
STACK_RATE = 0.1


class State(NamedTuple):
    linear: LinearState
    fourier: FourierModels
    tile_model: TileModel
    parts: PartMixture
    predictions: Buffer  # of parts and stack for the last row, from the centre of the outcomes
    log_likelihoods: Buffer  # that these gave to the last outcome
    noise: Array  # of the stack: the variance, and the number of rounds that it stands for


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
        curves = n <= MAX_FEATURES
        begun = min(shape.features, n)  # features that curves begin with
        m = TILES + 1 if curves else FOURIER
        outputs = (CURVATURE + 1,)
        return State(
            linear=init_state(n),
            fourier=init_fourier_models(n, F, 1, FOURIER_PARTS if curves else 0, begun, outputs),
            tile_model=init_tile_model(n if curves else 0, F if curves else 0, 1, begun, outputs),
            parts=init_part_mixture(m),
            predictions=np.zeros(m + 1),
            log_likelihoods=np.zeros(m + 1),
            noise=np.zeros(2),
        )

    def decide(self, state: State, x: Any) -> float:
        score_parts_if_new(state, x)
        total = 0.0
        for j in range(state.predictions.shape[0]):
            total += state.parts.weights[j] * state.predictions[j]
        return mix_with_coin(state.linear.outer, x, state.linear.outcome_scaler[CENTRE] + total)

    def learn(self, state: State, x: Any, d: float, f: Outcome) -> State:
        if not is_cached(state.linear.scaler, x, state.linear.t):  # another row was scored since
            self.decide(state, x)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: float, f: Outcome) -> State:
        linear, gave, h = state.linear, state.log_likelihoods, f.h
        update_outer(linear.outer, x, f.y, h)
        m, spread = state.predictions.shape[0] - 1, linear.outcome_scaler[SPREAD]
        reset_weights(linear.posterior, linear.scaler, x)
        if spread > MIN_SPREAD:
            gave[0] = linear.experts[CUMULATIVE_LOSS, MODELS_AND_STACK]
            update_experts(linear, x, f.y, h, prior_precision_of(linear, x))
            gave[0] -= linear.experts[CUMULATIVE_LOSS, MODELS_AND_STACK]
            for j in range(FOURIER, m):
                own = part_state(state, j)
                row = part_row(own.scaler)
                gave[j] = own.experts[CUMULATIVE_LOSS, MODELS_AND_STACK]
                update_experts(own, row, f.y, h, part_prior_precision(row, linear.outcome_scaler))
                gave[j] -= own.experts[CUMULATIVE_LOSS, MODELS_AND_STACK]
                if j == TILES:
                    write_cells(state.tile_model.tiles, 0, own.posterior)
            far = winsorise(f.y - linear.outcome_scaler[CENTRE], spread)
            gave[m] = h * update_stack_noise(state.noise, far - state.predictions[m], spread, h)
            update_mixture(state.parts, gave, linear.t)
            stack_sgd_step(state.parts.stack_weights, state.predictions, far, spread, h)
        return State(
            linear=next_state(linear, x, f.y),
            fourier=state.fourier,
            tile_model=state.tile_model,
            parts=state.parts,
            predictions=state.predictions,
            log_likelihoods=state.log_likelihoods,
            noise=state.noise,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = regret_to_best_part(state.parts)
        stats = state.linear.outer.stats
        M[1], M[2] = stats[HIGH] - stats[LOW], stats[OPENING]

    def grow(self, old: State, new: State, shape: Shape) -> State:
        if len(new.fourier.outputs) < len(old.fourier.outputs):  # too many features for curves now
            old = old._replace(
                fourier=new.fourier,
                tile_model=new.tile_model,
                parts=new.parts,
                predictions=new.predictions,
                log_likelihoods=new.log_likelihoods,
            )
        grown: State = corner(old, new)
        # the last row, as it was standardised, has other sizes
        grown.linear.scaler.cache[ROUND] = -1.0
        # numbers are learned worse where grids move: later features have no tiles
        return grown._replace(
            fourier=keep_frequencies(old.fourier, new.fourier, grown.fourier),
            tile_model=keep_grids(old.tile_model, grown.tile_model),
        )

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


def part_state(state: State, j: int) -> LinearState:
    """The part j, a scale of Fourier features or the tiles, as a state of online-linear-regression."""
    fourier, linear, tiles = state.fourier, state.linear, state.tile_model
    posterior, experts, outputs, gain, last_row = (
        tiles.posterior[0],
        tiles.experts,
        tiles.outputs,
        tiles.gain[0],
        tiles.last_row,
    )
    if j < TILES:
        s = j - FOURIER
        posterior, experts, outputs, gain, last_row = (
            fourier.posterior[s, 0],
            fourier.experts[s],
            fourier.outputs[s],
            fourier.gain[s, 0],
            fourier.last_row[s],
        )
    return LinearState(
        posterior=posterior,
        scaler=scaler_of_part(last_row, fourier.cache, linear.scaler),
        outcome_scaler=linear.outcome_scaler,
        experts=experts,
        outputs=outputs,
        gain=gain,
        outer=linear.outer,
        mean_row_length=linear.mean_row_length,
        last_outcome=linear.last_outcome,
        t=linear.t,
    )


def score_parts_if_new(state: State, x: Any) -> None:
    """Predictions for a row by each part, and by the stack of them, unless it was the last one."""
    linear, fourier, said = state.linear, state.fourier, state.predictions
    if is_cached(linear.scaler, x, linear.t):
        return
    m = said.shape[0] - 1
    score_if_new(linear, x)
    said[0] = mix_scores(linear)
    if m > FOURIER:
        project(fourier.W, linear.scaler, x, fourier.projections)
    for j in range(FOURIER, m):
        own = part_state(state, j)
        row = part_row(own.scaler)
        if j == TILES:
            find_cells(state.tile_model.tiles, linear.scaler, x, own.scaler.last_row[Z])
            read_cells(state.tile_model.tiles, 0, own.posterior)
        else:
            set_fourier_features(fourier.projections, j - FOURIER, fourier.last_row)
        if linear.outcome_scaler[SPREAD] > MIN_SPREAD:
            score_experts(own, row, part_prior_precision(row, linear.outcome_scaler))
        said[j] = mix_scores(own)
    stacked = 0.0
    for j in range(m):
        stacked += state.parts.stack_weights[j] * said[j]
    said[m] = winsorise(stacked, linear.outcome_scaler[SPREAD])


def update_stack_noise(noise: Array, e: float, spread: float, h: float) -> float:
    """The log density that the stack gave to its error; then the variance of its noise knows the error."""
    least = MIN_NOISE * spread * spread
    if noise[0] == 0.0:
        noise[0] = spread * spread
    log_density: float = -0.5 * (e * e / noise[0] + np.log(2.0 * np.pi * noise[0]))
    noise[1] = 0.999 * noise[1] + h
    noise[0] += (max(e * e, least) - noise[0]) * h / (noise[1] + h)
    return log_density


def update_mixture(parts: PartMixture, log_likelihoods: Array, t: int) -> None:
    """Losses of the experts, and their weights, by the densities that they gave to the outcome."""
    m, best, whole = log_likelihoods.shape[0], -np.inf, 0.0
    for j in range(m):
        parts.losses[j] -= log_likelihoods[j]
        best = max(best, log_likelihoods[j])
    for j in range(m):
        parts.weights[j] *= decay(log_likelihoods[j] - best)
        whole += parts.weights[j]
    parts.losses[m] -= best + np.log(whole)
    share_weights(parts, whole, t)


def stack_sgd_step(weights: Array, said: Array, u: float, spread: float, h: float) -> None:
    """The stack learns by a normalised gradient step of its square loss."""
    m, norm = weights.shape[0], spread * spread
    for j in range(m):
        norm += said[j] ** 2
    slope = min(STACK_RATE * h, 1.0) * (u - said[m]) / norm
    for j in range(m):
        weights[j] += slope * said[j]
