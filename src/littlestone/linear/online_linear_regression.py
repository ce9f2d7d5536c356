"""OnlineLinearRegression: discounted Bayesian linear models and a stack of them, mixed with coin betting."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Learner
from ..core.losses import Square
from ..core.numeric import decay
from ..core.outcome import Outcome
from ..core.scratch import Buffer
from ..core.stream import Array
from ..core.vectors import size
from ..games import Game, Regression, Shape
from .online_linear import PRIOR_SCORE_VARIANCE, running_mean
from .parts.best_number_line import best_number_lines
from .parts.discounted_bayes import (
    CUMULATIVE_LOSS,
    CURVATURE,
    FORGETTING,
    GRADIENT,
    LIKELIHOOD,
    MIX_WEIGHTS,
    MODELS,
    MODELS_AND_STACK,
    NOISE_COUNT,
    NOISE_VARIANCE,
    SCORE_MEAN,
    SCORE_VARIANCE,
    STACK,
    STACK_WEIGHTS,
    fixed_share,
    init_experts,
    init_posterior,
    regret_to_best_expert,
    reset_weights,
    score_mean_and_variance,
    update_posterior,
)
from .parts.feature_scaling import (
    CENTRE,
    OUTLIER,
    SAMPLES,
    SPREAD,
    Scaler,
    commit_scaler,
    init_scaler,
    is_cached,
    observe_value,
    standardise,
)
from .parts.outer_mixture import (
    HIGH,
    LOW,
    MIXTURE_PRICE,
    OPENING,
    OuterMixture,
    init_outer,
    mix_with_coin,
    update_outer,
)
from .parts.stacking import LAST_LABEL as LAST_OUTCOME

STACK_RATE = 0.1
MIN_NOISE = 1e-12  # of the squared spread of the outcomes: no noise variance is smaller
MIN_SPREAD = 1e-140  # the square of a smaller spread leaves the range of floats


class State(NamedTuple):
    """All that is learned, and what the experts say of the last row (the buffers). Scores are from the centre."""

    posterior: Array  # (1 + features) x POSTERIOR_COLUMNS, of the four models, in the units of the outcomes
    scaler: Scaler
    outcome_scaler: Array  # CENTRE, SPREAD and SAMPLES of the outcomes
    experts: (
        Array  # EXPERT_ROWS x (MODELS_AND_STACK + 1): weights of stack and mixture, losses, noise
    )
    outputs: Buffer  # SCORE_MEAN, SCORE_VARIANCE, GRADIENT, CURVATURE x MODELS_AND_STACK
    gain: Buffer  # features x models: z times the variance of its weight
    outer: OuterMixture  # of these experts with coin betting
    mean_row_length: float  # the mean number of entries in a row, and 1
    last_outcome: float
    t: int


T_ONLINE_LINEAR_REGRESSION = Guarantee(
    "T-ONLINE-LINEAR-REGRESSION",
    "a mixture of discounted Bayesian models, in nats",
    "-ln of the density that the mixture gave to the outcomes <= ln 5 + ln T + that of each of its experts: four "
    "discounted Bayesian linear models, and a stack of them (outcomes clipped at ten spreads from their centre)",
    "Vovk 1990; Herbster & Warmuth 1998, with a share that falls as 1/t",
    lambda s: math.log(MODELS_AND_STACK) + np.log(s.T),
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("T",),
)
T_ONLINE_LINEAR_REGRESSION_BEST = Guarantee(
    "T-ONLINE-LINEAR-REGRESSION-BEST",
    "a mixture, one of whose two parts keeps up with every linear predictor",
    "square loss <= that of u + opening + (4/5 + 6 ln 2) B^2 + sum_i e_i + 2 a_i (ln(2 a_i / e_i) + D_i / 2 - 3/4)_+ "
    "for every linear predictor u with an intercept: opening = y_1^2 + (y_1 - first other outcome)^2; B <= 3 (max y "
    "- min y); a_i = |u_i| sqrt(V_i), with u_0 - c for the constant, c the one of these two outcomes that is nearer to "
    "0; V_i at least the sum of squared gradients of i and (2 B x_i)^2, and not much more; D_i <= ln(V_i / first V_i); "
    "sum_i e_i <= 4 B^2 (1 + ln(d + 1))",
    "Vovk 1990, and coin betting as in Kempka, Kotlowski & Warmuth 2019; proved in linear/parts/outer_mixture.py",
    lambda s: s.opening + MIXTURE_PRICE * s.span**2 + s.coin_regret,
    against="own",
    assumptions=(EVEN,),
    uses=("opening", "span", "coin_regret"),
)


class OnlineLinearRegression(Learner[State, Any, float, Outcome]):
    """Predict numbers in a stream: no parameters, no scaler, whatever the units of features and outcomes.

        z = clip((x - centre) / spread, 10), by a scaler that learns as rows come
        four Bayesian linear models j with diagonal posteriors, with forgetting factors 1, .999, .99 and .9:
            s_j = <mean_j, z>, of variance v_j;  error e_j = y - centre of the outcomes - s_j
            mean_j += e_j / (noise_j + v_j) z / precision_j;  evidence_j = forgetting_j (evidence_j + z^2 / noise_j)
        a stack of their scores and the last outcome, by normalised gradient descent
        add the centre and the mean of the five by their likelihoods;  a share 1/t goes back to the first weights
        predict a mixture of that and of coin betting on the features as they are, both clipped to the range of outcomes

    OnlineLinear with the square loss. The noise variance is a discounted mean of squared errors. An outcome further
    than ten spreads from the centre counts as if it were there. O(d) a round, O(nonzeros) on sparse rows.

    >>> learner = OnlineLinearRegression()
    >>> for x in range(200):
    ...     learner = learner.update([x % 7, 5e-9 * (x % 5)], 1e6 + 1e3 * (x % 7))
    >>> round(learner.predict([3, 1e-8]) / 1e3)
    1003

    Raftery, Kárný & Ettler (2010); Vovk (1990), the outer mixture. Ledger: A-ONLINE-LINEAR; T-ONLINE-LINEAR-REGRESSION,
    T-ONLINE-LINEAR-REGRESSION-BEST.
    """

    examples = True
    own_constant = True
    diagnostics = ("excess", "span", "opening")
    guarantees = (T_ONLINE_LINEAR_REGRESSION, T_ONLINE_LINEAR_REGRESSION_BEST)

    def begin(self, shape: Shape) -> State:
        return init_state(shape.n)

    def decide(self, state: State, x: Any) -> float:
        score_if_new(state, x)
        return mix_with_coin(state.outer, x, state.outcome_scaler[CENTRE] + mix_scores(state))

    def learn(self, state: State, x: Any, d: float, f: Outcome) -> State:
        if not is_cached(state.scaler, x, state.t):  # another row was scored since
            self.decide(state, x)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: float, f: Outcome) -> State:
        update_outer(state.outer, x, f.y, f.h)
        reset_weights(state.posterior, state.scaler, x)
        if state.outcome_scaler[SPREAD] > MIN_SPREAD:
            update_experts(state, x, f.y, f.h, prior_precision_of(state, x))
        return next_state(state, x, f.y)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = regret_to_best_expert(state.experts)
        stats = state.outer.stats
        M[1], M[2] = stats[HIGH] - stats[LOW], stats[OPENING]

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with the regret bound of coin betting to each."""
        return best_number_lines(rounds, [state.outer for state in rounds.states])

    def game(self, allocation: bool) -> Game:
        return Regression(Square())


def init_state(n: int) -> State:
    """Before the first round, with n features."""
    return State(
        posterior=init_posterior(n),
        scaler=init_scaler(n),
        outcome_scaler=np.zeros(3),
        experts=init_experts(),
        outputs=np.zeros((CURVATURE + 1, MODELS_AND_STACK)),
        gain=np.zeros((n, MODELS)),
        outer=init_outer(n),
        mean_row_length=0.0,
        last_outcome=0.0,
        t=0,
    )


def winsorise(distance: Any, spread: Any) -> Any:
    """A distance from the centre, of at most OUTLIER spreads."""
    return min(max(distance, -OUTLIER * spread), OUTLIER * spread)


def next_row_length(state: State, x: Any) -> float:
    """The mean row length with this row."""
    return running_mean(state.mean_row_length, size(x) + 1.0, state.t)


def prior_precision_of(state: State, x: Any) -> float:
    """The prior precision of a weight, so that a typical score has PRIOR_SCORE_VARIANCE, in spreads of the outcomes."""
    spread: float = max(state.outcome_scaler[SPREAD], MIN_SPREAD)
    return next_row_length(state, x) / (PRIOR_SCORE_VARIANCE * spread**2)


def score_if_new(state: State, x: Any) -> None:
    """Standardise a row and let all experts score it, unless it was the last one."""
    if is_cached(state.scaler, x, state.t):
        return
    standardise(state.scaler, x, state.t)
    if state.outcome_scaler[SPREAD] > MIN_SPREAD:
        score_experts(state, x, prior_precision_of(state, x))
        return
    for j in range(MODELS_AND_STACK):  # all outcomes so far were alike
        state.outputs[SCORE_MEAN, j] = 0.0


def score_experts(state: State, x: Any, prior_precision: float) -> None:
    """Scores of a row, which was standardised: four models, and a stack of them."""
    s, stack, outputs = state.outputs[SCORE_MEAN], state.experts[STACK_WEIGHTS], state.outputs
    centre, spread = state.outcome_scaler[CENTRE], state.outcome_scaler[SPREAD]
    score_mean_and_variance(state.posterior, state.gain, state.scaler, x, prior_precision, outputs)
    stacked = stack[LAST_OUTCOME] * winsorise(state.last_outcome - centre, spread)
    for j in range(MODELS):
        s[j] = winsorise(s[j], spread)
        stacked += stack[j] * s[j]
    s[STACK] = winsorise(stacked, spread)


def mix_scores(state: State) -> float:
    """The mean of the scores by the weights of the mixture: a distance from the centre."""
    total = 0.0
    for j in range(MODELS_AND_STACK):
        total += state.experts[MIX_WEIGHTS, j] * state.outputs[SCORE_MEAN, j]
    return total


def update_experts(state: State, x: Any, y: float, h: float, prior_precision: float) -> None:
    """Mixture, stack, models and noise learn from an outcome."""
    outputs, noise = state.outputs, state.experts[NOISE_VARIANCE]
    centre, spread = state.outcome_scaler[CENTRE], state.outcome_scaler[SPREAD]
    s, variance = outputs[SCORE_MEAN], outputs[SCORE_VARIANCE]
    u, before = winsorise(y - centre, spread), winsorise(state.last_outcome - centre, spread)
    if noise[0] == 0.0:
        for j in range(MODELS_AND_STACK):
            noise[j] = spread * spread
    update_mixture(state.experts, s, variance, u, h, state.t)
    stack_sgd_step(state.experts, s, u, before, spread, h)
    for j in range(MODELS):
        outputs[GRADIENT, j] = h * (u - s[j]) / (noise[j] + h * variance[j])
        outputs[CURVATURE, j] = h / noise[j]
    update_posterior(state.posterior, state.gain, state.scaler, x, prior_precision, outputs)
    update_noise(state.experts, s, variance, u, spread, h)


def next_state(state: State, x: Any, y: float) -> State:
    """The state of the next round, whose scalers know this one."""
    outcome = state.outcome_scaler
    commit_scaler(state.scaler, x)
    outcome[CENTRE], outcome[SPREAD], outcome[SAMPLES] = observe_value(
        y, True, outcome[CENTRE], outcome[SPREAD], outcome[SAMPLES]
    )
    return State(
        posterior=state.posterior,
        scaler=state.scaler,
        outcome_scaler=outcome,
        experts=state.experts,
        outputs=state.outputs,
        gain=state.gain,
        outer=state.outer,
        mean_row_length=next_row_length(state, x),
        last_outcome=y,
        t=state.t + 1,
    )


def update_mixture(experts: Array, s: Array, variance: Array, u: float, h: float, t: int) -> None:
    """Losses, likelihoods and weights of the experts, by the normal densities that they gave to the outcome."""
    best, mixture = -np.inf, 0.0
    for j in range(MODELS_AND_STACK):
        e, v = u - s[j], experts[NOISE_VARIANCE, j] + variance[j]
        experts[LIKELIHOOD, j] = -0.5 * (e * e / v + np.log(2.0 * np.pi * v))
        best = max(best, experts[LIKELIHOOD, j])
        experts[CUMULATIVE_LOSS, j] -= h * experts[LIKELIHOOD, j]
    for j in range(MODELS_AND_STACK):
        less = experts[LIKELIHOOD, j] - best
        mixture += experts[MIX_WEIGHTS, j] * decay(less)
        experts[LIKELIHOOD, j] = decay(h * less)
    experts[CUMULATIVE_LOSS, MODELS_AND_STACK] -= h * (best + np.log(mixture))
    fixed_share(experts, t)


def stack_sgd_step(
    experts: Array, s: Array, u: float, before: float, spread: float, h: float
) -> None:
    """The stack learns by a normalised gradient step of its square loss."""
    norm = spread * spread + before * before
    for j in range(MODELS):
        norm += s[j] * s[j]
    slope = min(STACK_RATE * h, 1.0) * (u - s[STACK]) / norm
    for j in range(MODELS):
        experts[STACK_WEIGHTS, j] += slope * s[j]
    experts[STACK_WEIGHTS, LAST_OUTCOME] += slope * before


def update_noise(
    experts: Array, s: Array, variance: Array, u: float, spread: float, h: float
) -> None:
    """The noise variance of each expert: a discounted mean of squared errors, less the part of its score's variance."""
    for j in range(MODELS_AND_STACK):
        e, noise = u - s[j], experts[NOISE_VARIANCE, j]
        # `min` changes nothing. Without it the compiler multiplies e * e by the noise before it divides, and that
        # leaves the range of floats where outcomes are below 1e-78 or above 1e76.
        share = min(noise / (noise + variance[j]), 1.0)
        new = max(e * e * share, MIN_NOISE * spread * spread)
        experts[NOISE_COUNT, j] = FORGETTING[j % MODELS] * experts[NOISE_COUNT, j] + h
        experts[NOISE_VARIANCE, j] += (new - noise) * h / (experts[NOISE_COUNT, j] + h)
