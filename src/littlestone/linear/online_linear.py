"""OnlineLinear: discounted Bayesian logistic models, a stack of them and coin betting, mixed; nothing to tune."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Learner
from ..core.numeric import log_one
from ..core.outcome import Outcome
from ..core.rows import corner
from ..core.scratch import Buffer
from ..core.stream import Array
from ..core.vectors import size
from ..engine.lanes import four, higher, lower, put, roots, total
from ..games import Classes, Game, Shape
from .parts.best_line import best_lines
from .parts.coin_betting import (
    SPECIAL,
    CoinState,
    coin_score,
    coin_to_softmax,
    first_wealth,
    init_coin,
    update_coin,
)
from .parts.discounted_bayes import (
    COIN_PRIOR,
    CUMULATIVE_LOSS,
    CURVATURE,
    EVIDENCE,
    GRADIENT,
    MIX_WEIGHTS,
    MODELS,
    MODELS_AND_STACK,
    MODERATION,
    SCORE_MEAN,
    SCORE_VARIANCE,
    STACK,
    STACK_WEIGHTS,
    implicit_gradient,
    init_experts,
    init_posterior,
    regret_to_best_expert,
    reset_weights,
    score_mean_and_variance,
    update_posterior,
)
from .parts.feature_scaling import (
    ROUND,
    Scaler,
    commit_scaler,
    count_dropped_zeros,
    init_scaler,
    is_cached,
    standardise,
)
from .parts.row_sum import (
    RowSum,
    add_sum_to_score,
    commit_sum,
    init_row_sum,
    is_active,
    standardise_sum,
    sum_score,
    update_sum,
)
from .parts.stacking import (
    BIAS,
    COIN,
    COIN_INPUT,
    EXPERTS,
    LAST_LABEL,
    LOGIT,
    MARGIN,
    MAX_LOGIT,
    OUTPUT_ROWS,
    PROBABILITY,
    SHRUNKEN_ROW,
    SHRUNKEN_SCORE,
    SHRUNKEN_WEIGHT,
    StackCovariance,
    clip_logit,
    first_scored_class,
    init_stack_cov,
    last_label_feature,
    set_margins,
    set_probabilities,
    shrunken_score,
    stack_newton_step,
    stack_sgd_step,
    update_mixture,
)

PRIOR_SCORE_VARIANCE = 10.0  # of a score before the first round: its probability may be anything


class State(NamedTuple):
    """All that is learned, and what the experts say of the last row (the buffers)."""

    posterior: Array  # classes (1 for two) x (1 + features) x POSTERIOR_COLUMNS, of the four models
    scaler: Scaler
    experts: Array  # EXPERT_ROWS x (EXPERTS + 1): weights of stack and mixture, and losses
    outputs: Buffer  # classes x OUTPUT_ROWS x EXPERTS: scores, logits and probabilities
    gain: Buffer  # classes x features x models: z times the variance of its weight
    coin: CoinState  # on the features as they are
    log_probabilities: Buffer  # of the mixture
    mean_row_length: float  # the mean number of entries in a row, and 1
    last_label: int  # -1 before the first
    t: int
    row_sum: RowSum  # of the sparse features
    stack_cov: StackCovariance  # of the weights of the stack, where it learns by Newton's method


def linear_regret_bound(s: Any) -> Any:
    """The regret of the mixture to each linear predictor is at most this."""
    return math.log(1.0 / COIN_PRIOR) + np.log(s.T) + s.coin_regret


T_ONLINE_LINEAR = Guarantee(
    "T-ONLINE-LINEAR",
    "a mixture of discounted Bayesian models",
    "log loss <= ln(256/51) + ln T + the log loss of each of five experts: four discounted Bayesian logistic models, "
    "and a stack of them; and <= ln 256 + ln T + that of a sixth, coin betting",
    "Vovk 1990; Herbster & Warmuth 1998, with a share that falls as 1/t",
    lambda s: math.log(MODELS_AND_STACK / (1.0 - COIN_PRIOR)) + np.log(s.T),
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("T",),
)
T_ONLINE_LINEAR_BEST = Guarantee(
    "T-ONLINE-LINEAR-BEST",
    "a mixture, one of whose experts keeps up with every linear predictor",
    "log loss <= ln 256 + ln T + that of u + sum_i e_i + 2 a_i (ln(2 a_i / e_i) + D_i / 2 - 3/4)_+ for every linear "
    "predictor u with an intercept (where there are more than two classes one for each, and i goes over them as well): "
    "a_i = |u_i| sqrt(V_i), V_i at least the sum of squared gradients of i and its largest square, and not much more; "
    "D_i <= ln(V_i / first x_i^2); V_i and D_i leave out the rounds in which one class was known; sum_i e_i <= "
    "16 (1 + ln(d + 1)) for two classes, and K times that for K > 2",
    "T-ONLINE-LINEAR, and coin betting as in Kempka, Kotlowski & Warmuth 2019; proved in linear/parts/coin_betting.py",
    linear_regret_bound,
    against="own",
    assumptions=(EVEN,),
    uses=("T", "coin_regret"),
)


class OnlineLinear(Learner[State, Any, Array, Outcome]):
    """Tell classes apart in a stream: no parameters, no scaler, any number of classes, features and shifts.

        z = clip((x - centre) / spread, 10), by a scaler that learns as rows come
        four Bayesian logistic models j with diagonal posteriors, with forgetting factors 1, .999, .99 and .9:
            a_j = <mean_j, z> / sqrt(1 + pi v_j / 8), v_j the variance of the score
            mean_j += g z / precision_j;  evidence_j = forgetting_j (evidence_j + g (1 - g) z^2)
        a stack:  a = sum_j w_j a_j + w_last (last label);  w += 0.02 (y - sigmoid(a)) inputs
            (where features are sparse by Newton's method, with more inputs; and the sum of a row is one more feature)
        coin betting:  each feature, as it is, bets a part of its wealth on the sign of its next gradient
        predict the mixture of the six by their likelihoods;  a share 1/t goes back to the first weights

    Which forgetting factor is right, and how far to trust the last label, is for the stream to say. Updates are
    implicit: the gradient g is taken at the new weights, so no step overshoots. The model that forgets most is close to
    passive-aggressive, the one that forgets nothing to Bayesian logistic regression. Several classes are a softmax in
    which the others stand still while one learns. Importance multiplies the loss. O(d K) a round, O(nonzeros K) on
    sparse rows, K the number of classes, or 1 for two of them. Decisions are log probabilities.

    >>> learner = OnlineLinear()
    >>> for _ in range(20):
    ...     learner = learner.update([1e6, 3e-6], "up").update([-1e6, 3e-6], "down")
    >>> learner.predict([2e6, 0.0]), learner.predict([-5e5, 0.0])
    ('up', 'down')

    A value that is not a number is refused; an outlier counts as ten spreads. Raftery, Karny & Ettler (2010), dynamic
    model averaging; MacKay (1992), moderated outputs; Kulis & Bartlett (2010), implicit updates; Wolpert (1992) and
    Mattern (2012), the stack; Kempka, Kotlowski & Warmuth (2019), coin betting. Ledger: A-ONLINE-LINEAR;
    T-ONLINE-LINEAR, T-ONLINE-LINEAR-BEST.
    """

    examples = True
    labels = True
    diagnostics = ("excess",)
    guarantees = (T_ONLINE_LINEAR, T_ONLINE_LINEAR_BEST)

    def begin(self, shape: Shape) -> State:
        return init_state(shape.n, max(1, shape.classes))

    def decide(self, state: State, x: Any) -> Array:
        score_if_new(state, x)
        mix_experts(state)
        return state.log_probabilities

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        score_if_new(state, x)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        state.experts[CUMULATIVE_LOSS, EXPERTS] -= f.h * d[int(f.y)]
        update_experts(state, x, int(f.y), f.h, prior_precision_of(state, x))
        commit_scaler(state.scaler, x)
        return next_state(state, x, int(f.y))

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = regret_to_best_expert(state.experts)

    def grow(self, old: State, new: State, shape: Shape) -> State:
        grown: State = corner(old, new)
        grown.scaler.cache[ROUND] = -1.0  # the last row, as it was standardised, has other sizes
        if (
            len(old.log_probabilities) == 2 < len(grown.log_probabilities)
        ):  # from one against the other to a softmax
            binary_to_softmax(grown.posterior)
            binary_to_softmax(grown.row_sum.posterior)
            coin_to_softmax(grown.coin.bettors)
        return grown

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with the regret bound of coin betting to each."""
        return best_lines(rounds, [state.coin for state in rounds.states])

    def game(self, allocation: bool) -> Game:
        return Classes(True)

    def for_numbers(self) -> Any:
        from .online_linear_regression import OnlineLinearRegression

        return OnlineLinearRegression()


def init_state(n: int, K: int) -> State:
    """Before the first round, with n features and K classes."""
    scored = max(1, K - first_scored_class(K))
    return State(
        posterior=np.zeros((scored, *init_posterior(n).shape)),
        scaler=init_scaler(n),
        experts=init_experts(EXPERTS),
        outputs=np.zeros((K, OUTPUT_ROWS, EXPERTS)),
        gain=np.zeros((scored, n, MODELS)),
        coin=init_coin(scored, n),
        log_probabilities=np.zeros(K),
        mean_row_length=0.0,
        last_label=-1,
        t=0,
        row_sum=init_row_sum(scored),
        stack_cov=init_stack_cov(),
    )


def binary_to_softmax(posterior: Array) -> None:
    """Weights w of one class against the other become -w/2 and w/2, which keeps the difference of the scores."""
    one, other = posterior[:2]
    one[:, :EVIDENCE] *= -0.5
    other[:, :EVIDENCE], other[:, EVIDENCE:] = -one[:, :EVIDENCE], one[:, EVIDENCE:]


def running_mean(mean: float, new: float, t: int) -> float:
    """The mean of t numbers, and a new one.

    >>> running_mean(4.0, 7.0, 2)
    5.0
    """
    return mean + (new - mean) / (t + 1.0)


def next_row_length(state: State, x: Any) -> float:
    """The mean row length with this row, which was standardised last, without zeros that were dropped."""
    entries = size(x) + 1.0 - count_dropped_zeros(state.scaler)
    return running_mean(state.mean_row_length, entries, state.t)


def prior_precision_of(state: State, x: Any) -> float:
    """The prior precision of a weight, so that a typical score has PRIOR_SCORE_VARIANCE; x was standardised last."""
    # a difference of two scores has this variance, whether one of them moves or both
    few = state.log_probabilities.shape[0] <= 2
    return next_row_length(state, x) / (PRIOR_SCORE_VARIANCE if few else 0.5 * PRIOR_SCORE_VARIANCE)


def score_if_new(state: State, x: Any) -> None:
    """Standardise a row and let all experts score it, unless it was the last one."""
    if not is_cached(state.scaler, x, state.t):
        standardise(state.scaler, x, state.t)
        state.coin.coin_counts[SPECIAL] = 0.0
        score_experts(state, x, prior_precision_of(state, x))


def score_experts(state: State, x: Any, prior_precision: float) -> None:
    """Logits and probabilities of a row, which was standardised: four models, a stack of them, coin betting."""
    K, outputs, stack = (
        state.log_probabilities.shape[0],
        state.outputs,
        state.experts[STACK_WEIGHTS],
    )
    posterior, row_sum = state.posterior, state.row_sum
    has_sum, has_coin = row_sum.posterior.shape[0] > 0, state.coin.bettors.shape[0] > 0
    if has_sum:
        standardise_sum(row_sum, state.scaler, x, state.mean_row_length)
    for c in range(first_scored_class(K), K):
        own = outputs[c]
        i = c - first_scored_class(K)
        score_mean_and_variance(posterior[i], state.gain[i], state.scaler, x, prior_precision, own)
        if has_sum:
            add_sum_to_score(row_sum, i, prior_precision, own)
        logits = four(own, SCORE_MEAN, 0) / roots(1.0 + MODERATION * four(own, SCORE_VARIANCE, 0))
        put(own, LOGIT, 0, lower(higher(logits, -MAX_LOGIT), MAX_LOGIT))
        stacked = stack[LAST_LABEL] * last_label_feature(c, state.last_label, K)
        if has_coin:
            own[LOGIT, COIN] = coin_score(state.coin, i, x)
            stacked += stack[BIAS] + stack[COIN_INPUT] * clip_logit(own[LOGIT, COIN])
        for j in range(MODELS):
            stacked += stack[j] * own[LOGIT, j]
        if stacks_by_newton(state):
            score = shrunken_score(posterior[i], state.scaler, x, prior_precision)
            if has_sum:
                score += sum_score(row_sum, i)
            else:
                stacked += stack[BIAS]  # which else comes with coin betting
            score = clip_logit(score / math.sqrt(1.0 + MODERATION * own[SCORE_VARIANCE, 0]))
            state.stack_cov[SHRUNKEN_ROW, SHRUNKEN_SCORE] = score
            stacked += state.stack_cov[SHRUNKEN_ROW, SHRUNKEN_WEIGHT] * score
        own[LOGIT, STACK] = clip_logit(stacked)
    set_probabilities(outputs)


def stacks_by_newton(state: State) -> bool:
    """Does the stack learn by Newton's method? For two classes it does where features are sparse.

    A state without a row sum, but with a covariance, is that of a tile coding (tiles.py): its features are sparse.
    """
    if state.log_probabilities.shape[0] != 2 or state.stack_cov.shape[0] == 0:
        return False
    return state.row_sum.posterior.shape[0] == 0 or is_active(state.row_sum)


def mix_experts(state: State) -> None:
    """The log probabilities of the mixture, ln sum_j weight_j p_j."""
    weights, outputs = state.experts[MIX_WEIGHTS], state.outputs
    for c in range(state.log_probabilities.shape[0]):
        mean = total(four(state.experts, MIX_WEIGHTS, 0) * four(outputs[c], PROBABILITY, 0))
        for j in range(MODELS, outputs.shape[2]):
            mean += weights[j] * outputs[c, PROBABILITY, j]
        state.log_probabilities[c] = log_one(mean)


def update_experts(state: State, x: Any, y: int, h: float, prior_precision: float) -> None:
    """Mixture, stack, coin betting and models learn from a label, each from its own loss."""
    K, outputs, row_sum = state.log_probabilities.shape[0], state.outputs, state.row_sum
    update_mixture(state.experts, outputs, y, h, state.t)
    if stacks_by_newton(state):
        stack_newton_step(state.experts, state.stack_cov, outputs, y, state.last_label, h)
    else:
        stack_sgd_step(state.experts, outputs, y, state.last_label, h)
    if state.coin.bettors.shape[0] > 0:
        wealth = first_wealth(state.coin)
        for c in range(first_scored_class(K), K):
            error = (1.0 if c == y else 0.0) - outputs[c, PROBABILITY, COIN]
            update_coin(state.coin, c - first_scored_class(K), x, min(h, 1.0) * error, wealth)
    set_margins(outputs, y)
    for c in range(first_scored_class(K), K):
        i, own = c - first_scored_class(K), outputs[c]
        posterior = state.posterior[i]
        # implicit: the gradient is taken at the new weights
        g = implicit_gradient(four(own, MARGIN, 0), h * four(own, SCORE_VARIANCE, 0))
        put(own, GRADIENT, 0, (h if c == y else -h) * g)
        put(own, CURVATURE, 0, h * g * (1.0 - g))
        reset_weights(posterior, state.scaler, x)
        update_posterior(posterior, state.gain[i], state.scaler, x, prior_precision, own)
        if row_sum.posterior.shape[0] > 0:
            update_sum(row_sum, i, prior_precision, own)
    commit_sum(row_sum)


def next_state(state: State, x: Any, y: int) -> State:
    """The state of the next round."""
    return State(
        posterior=state.posterior,
        scaler=state.scaler,
        experts=state.experts,
        outputs=state.outputs,
        gain=state.gain,
        coin=state.coin,
        log_probabilities=state.log_probabilities,
        mean_row_length=next_row_length(state, x),
        last_label=y,
        t=state.t + 1,
        row_sum=state.row_sum,
        stack_cov=state.stack_cov,
    )
