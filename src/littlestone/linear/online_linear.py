"""OnlineLinear: the learner for a stream of labelled examples of which nothing is known beforehand."""

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
from .parts import coin_betting
from .parts.best_line import best_lines
from .parts.coin_betting import SPECIAL, CoinState, coin_score, first_wealth, init_coin, update_coin
from .parts.feature_scaling import (
    Scaler,
    commit_scaler,
    count_dropped_zeros,
    init_scaler,
    is_cached,
    standardise,
)
from .parts.memories import (
    BLEND,
    HEDGE,
    MODERATE,
    PULL,
    RARE,
    SCORE,
    SHARP,
    SPREAD,
    TOTAL,
    M,
    N,
    blank,
    excess,
    forget,
    implicit_pulls,
    look,
    step,
    unknown,
)
from .parts.opinions import (
    BETS,
    CAREFUL,
    EXPERTS,
    LINES,
    MARGIN,
    SAY,
    SCORED,
    SURE,
    WEIGHT,
    Doubt,
    P,
    believed,
    careful,
    first,
    judge,
    lag,
    mingle,
    mingle_surely,
    oppose,
    share,
    unsure,
)
from .parts.row_sum import (
    Sums,
    add_up,
    in_use,
    keep_sum,
    look_at_sum,
    part_of_sum,
    step_of_sum,
    unsummed,
)

PRIOR = 10.0  # variance of a score of which nothing is known: its probability may be anything


class State(NamedTuple):
    beliefs: Array  # classes (1 for two) x (1 + coordinates) x what memories believe
    scaler: Scaler  # the units of the coordinates
    experts: Array
    seen: Buffer  # classes x lines x experts, of the last example
    lean: Buffer  # classes x coordinates x memories, of the last example: z times the variance of its weight
    coin: CoinState  # of the gambler, who takes the features as they are
    d: Buffer  # logarithms of the probabilities of the mixture
    length: float  # the mean number of coordinates in an example, and 1
    last: int  # the class of the last round
    t: int
    sums: Sums  # of the coordinates that come and go
    doubt: Doubt  # how sure the blend is of its weights


def best_price(s: Any) -> Any:
    """What the mixture may lose to each linear predictor."""
    return math.log(1.0 / RARE) + np.log(s.T) + s.coin_regret


T_ONLINE_LINEAR = Guarantee(
    "T-ONLINE-LINEAR",
    "a mixture of memories",
    "log loss <= ln(256/51) + ln T + the log loss of each of five experts: four memories of a linear model, and their "
    "blend; and <= ln 256 + ln T + that of a sixth, a gambler",
    "Vovk 1990; Herbster & Warmuth 1998, with a share that falls as 1/t",
    lambda s: math.log(N / (1.0 - RARE)) + np.log(s.T),
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
    "T-ONLINE-LINEAR, and a gambler as in Kempka, Kotlowski & Warmuth 2019; proved in linear/parts/coin_betting.py",
    best_price,
    against="own",
    assumptions=(EVEN,),
    uses=("T", "coin_regret"),
)


class OnlineLinear(Learner[State, Any, Array, Outcome]):
    """Tell classes apart in a stream: no parameters, no scaler, any number of classes, features and shifts.

        z = each feature, less its centre and over its spread, as far as they are known
        four memories j, which keep 1, .999, .99 and .9 of what they knew:
            predict with <w_j, z>, moderated by its variance
            w_j += pull * z * variance of w_j;  precision of w_j += sharpness * z^2
        a fifth expert blends their scores and the class of the last round, by gradient descent (where features come and
            go by Newton's method, and with more to blend); there the sum of a row is one more feature
        a sixth is a gambler: each feature, as it is, bets a part of its wealth on the sign of its next gradient
        predict the mixture of the six by their likelihoods;  every expert shares 1/t of its weight

    Which memory is right, and how far to trust the last class, is for the stream to say. The pull is that of the
    logistic loss after the step it causes, so no step overshoots: the memory that forgets most is close to
    passive-aggressive, the one that forgets nothing to Bayes. Several classes are a softmax in which the others
    stand still while one learns. Importance multiplies the loss. O(d K) a round, O(nonzeros K) on sparse examples,
    K the number of classes, or 1 for two of them. Decisions are logarithms of probabilities.

    >>> learner = OnlineLinear()
    >>> for _ in range(20):
    ...     learner = learner.update([1e6, 3e-6], "up").update([-1e6, 3e-6], "down")
    >>> learner.predict([2e6, 0.0]), learner.predict([-5e5, 0.0])
    ('up', 'down')

    A value that is not a number is refused; one that is out of all proportion counts as ten spreads. Raftery et al.
    (2010), dynamic model averaging; MacKay (1992); Kulis & Bartlett (2010), implicit steps; Mattern (2012), logistic
    mixing; Kempka, Kotlowski & Warmuth (2019), the gambler. Ledger: A-ONLINE-LINEAR; T-ONLINE-LINEAR,
    T-ONLINE-LINEAR-BEST.
    """

    examples = True
    labels = True
    noted = ("excess",)
    guarantees = (T_ONLINE_LINEAR, T_ONLINE_LINEAR_BEST)

    def begin(self, shape: Shape) -> State:
        return ignorant(shape.n, max(1, shape.classes))

    def decide(self, state: State, x: Any) -> Array:
        believe(state, x)
        mix(state)
        return state.d

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        believe(state, x)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        state.experts[TOTAL, EXPERTS] -= f.h * d[int(f.y)]
        absorb(state, x, int(f.y), f.h, ignorance(state, x))
        commit_scaler(state.scaler, x)
        return following(state, x, int(f.y))

    def note(self, state: State, M: Array) -> None:
        M[0] = excess(state.experts)

    def grow(self, old: State, new: State, shape: Shape) -> State:
        grown: State = corner(old, new)
        grown.scaler.cache[0] = -1.0  # what is known of the last example has other sizes
        if len(old.d) == 2 < len(grown.d):  # from one against the other to a softmax
            two_sides(grown.beliefs)
            two_sides(grown.sums.beliefs)
            coin_betting.coin_to_softmax(grown.coin.bettors)
        return grown

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with what the gambler may lose to each."""
        return best_lines(rounds, [state.coin for state in rounds.states])

    def game(self, allocation: bool) -> Game:
        return Classes(True)

    def for_numbers(self) -> Any:
        from .online_linear_regression import OnlineLinearRegression

        return OnlineLinearRegression()


def ignorant(n: int, K: int) -> State:
    """Nothing is known of n features and K classes."""
    weighed = max(1, K - first(K))
    return State(
        np.zeros((weighed, *blank(n).shape)), init_scaler(n), unknown(EXPERTS), np.zeros((K, LINES, EXPERTS)),
        np.zeros((weighed, n, M)), init_coin(weighed, n), np.zeros(K), 0.0, -1, 0, unsummed(weighed), unsure(),
    )  # fmt: skip


def two_sides(beliefs: Array) -> None:
    """Beliefs about one class against the other become beliefs about each of them."""
    one, other = beliefs[:2]
    one[:, :M] *= -0.5
    other[:, :M], other[:, M:] = -one[:, :M], one[:, M:]


def longer(length: float, x: Any, t: int) -> float:
    """The mean length of the examples, this one among them."""
    return averaged(length, size(x) + 1.0, t)


def averaged(mean: float, new: float, t: int) -> float:
    """The mean of t numbers once a new one is in."""
    return mean + (new - mean) / (t + 1.0)


def mean_length(state: State, x: Any) -> float:
    """`longer`, without the zeros that were left out of the example that was standardised last."""
    return averaged(state.length, size(x) + 1.0 - count_dropped_zeros(state.scaler), state.t)


def ignorance(state: State, x: Any) -> float:
    """The precision of a weight of which nothing is known; the example was standardised before."""
    # a difference of two scores has the variance PRIOR, whether one of them moves or both
    return mean_length(state, x) / (PRIOR if state.d.shape[0] <= 2 else 0.5 * PRIOR)


def believe(state: State, x: Any) -> None:
    """Compute the scores of all experts for an example."""
    if not is_cached(state.scaler, x, state.t):
        standardise(state.scaler, x, state.t)
        opine(state, x, ignorance(state, x))


def opine(state: State, x: Any, prior: float) -> None:
    """Compute the scores of all experts for an example that has been standardised."""
    K, view, blend, sums = state.d.shape[0], state.seen, state.experts[BLEND], state.sums
    state.coin.counts[SPECIAL] = 0.0
    if sums.beliefs.shape[0] > 0:
        add_up(sums, state.scaler, x, state.length)
    for c in range(first(K), K):
        own = view[c]
        i = c - first(K)
        look(state.beliefs[i], state.lean[i], state.scaler, x, prior, own)
        if sums.beliefs.shape[0] > 0:
            look_at_sum(sums, i, prior, own)
        worth = four(own, SCORE, 0) / roots(1.0 + MODERATE * four(own, SPREAD, 0))
        put(own, SAY, 0, lower(higher(worth, -SURE), SURE))
        mixed = blend[M] * lag(c, state.last, K)
        if state.coin.bettors.shape[0] > 0:
            own[SAY, BETS] = coin_score(state.coin, i, x)
            mixed += blend[M + 1] + blend[M + 2] * believed(own[SAY, BETS])
        for j in range(M):
            mixed += blend[j] * own[SAY, j]
        if surely(state):
            score = careful(state.beliefs[i], state.scaler, x, prior)
            if sums.beliefs.shape[0] > 0:
                score += part_of_sum(sums, i)
            else:
                mixed += blend[M + 1]  # a constant, which else comes with the gambler
            score = believed(score / math.sqrt(1.0 + MODERATE * own[SPREAD, 0]))
            state.doubt[CAREFUL, SCORED] = score
            mixed += state.doubt[CAREFUL, WEIGHT] * score
        own[SAY, M] = believed(mixed)
    share(view)


def surely(state: State) -> bool:
    """Does the blend learn by Newton's method? Of two classes it does where features come and go.

    A state that knows of no sums but has a covariance is one of cells (tiles.py): of these few are there in a round.
    """
    if state.d.shape[0] != 2 or state.doubt.shape[0] == 0:
        return False
    return state.sums.beliefs.shape[0] == 0 or in_use(state.sums)


def mix(state: State) -> None:
    """The logarithms of the probabilities of the mixture."""
    weights, view = state.experts[HEDGE], state.seen
    for c in range(state.d.shape[0]):
        mean = total(four(state.experts, HEDGE, 0) * four(view[c], P, 0))
        for j in range(M, view.shape[2]):
            mean += weights[j] * view[c, P, j]
        state.d[c] = log_one(mean)


def absorb(state: State, x: Any, y: int, h: float, prior: float) -> None:
    """The experts are weighed by what happened, and the memories learn from it."""
    K, t, view = state.d.shape[0], state.t, state.seen
    judge(state.experts, view, y, h, t)
    if surely(state):
        mingle_surely(state.experts, state.doubt, view, y, state.last, h)
    else:
        mingle(state.experts, view, y, state.last, h)
    if state.coin.bettors.shape[0] > 0:
        wealth = first_wealth(state.coin)
        for c in range(first(K), K):
            error = (1.0 if c == y else 0.0) - view[c, P, BETS]
            update_coin(state.coin, c - first(K), x, min(h, 1.0) * error, wealth)
    oppose(view, y)
    for c in range(first(K), K):
        b, lean, own = state.beliefs[c - first(K)], state.lean[c - first(K)], view[c]
        margin, r = four(own, MARGIN, 0), h * four(own, SPREAD, 0)
        p = implicit_pulls(margin, r)
        put(own, PULL, 0, (h if c == y else -h) * p)
        put(own, SHARP, 0, h * p * (1.0 - p))
        forget(b, state.scaler, x, t)
        step(b, lean, state.scaler, x, prior, own)
        if state.sums.beliefs.shape[0] > 0:
            step_of_sum(state.sums, c - first(K), prior, own)
    keep_sum(state.sums)


def following(state: State, x: Any, y: int) -> State:
    """The state of the next round."""
    return State(
        state.beliefs, state.scaler, state.experts, state.seen, state.lean, state.coin, state.d,
        mean_length(state, x), y, state.t + 1, state.sums, state.doubt,
    )  # fmt: skip
