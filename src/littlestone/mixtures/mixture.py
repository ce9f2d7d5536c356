"""Mixture: unlike learners of classes, mixed by Bayes' rule."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Lead, Learner
from ..core.numeric import decay, least, log_one, softmin
from ..core.outcome import Outcome
from ..core.rows import corner
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Classes, Game, Shape
from ..linear.online_kernel import (
    T_ONLINE_KERNEL_BEST,
    T_ONLINE_KERNEL_LINE,
    OnlineKernel,
    log_softmax,
)
from ..linear.online_kernel import State as KernelState
from ..linear.parts.best_line import best_lines
from ..linear.parts.fourier_scales import MAX_FEATURES
from ..linear.softmax import paid
from ..refitted.calibration import init_calibration
from ..refitted.forgetting import KeepsRows
from ..refitted.refitted_boosting import RefittedBoosting
from ..refitted.refitted_boosting import State as BoostingState
from ..refitted.window_neighbours import State as NeighboursState
from ..refitted.window_neighbours import WindowNeighbours
from ..trees.mondrian_forest import MondrianForest
from ..trees.mondrian_forest import State as ForestState
from .parts.label_before import (
    LabelBefore,
    init_label_before,
    set_label_probabilities,
    update_label_before,
)
from .parts.leads import Leads, init_leads, name_leads, update_leads
from .parts.part_check import check_part

# The parts. Expert POWERS j + k gives the probabilities of part j to the power 2^k; after them come two mixtures
# of the parts: with weights that share 1/t, and a stack.
KERNEL, FOREST, BEFORE, NEIGHBOURS, BOOSTING, PARTS = 0, 1, 2, 3, 4, 5
NAMES = (
    "online-kernel", "mondrian-forest", "label before", "window-neighbours", "refitted-boosting", "stack"
)  # fmt: skip
MOST_CLASSES = 10  # that boosting plays with: it fits a tree for each in each iteration
POWERS = 3
SHARING, STACK = PARTS * POWERS, PARTS * POWERS + 1
EXPERTS = STACK + 1
STACK_RATE = 0.02
MIN_LOG_PROBABILITY = -15.0  # no log probability counts for less in the stack
SHARED, STACKED, WEIGHT_ROWS = range(
    3
)  # rows of `weights`: of the mixture that shares, and of the stack


class State(NamedTuple):
    kernel: KernelState
    forest: ForestState
    neighbours: NeighboursState
    boosting: BoostingState
    # 0: there are too many features, or classes; then the part says what the kernel says
    forest_plays: int  # and the neighbours
    boosting_plays: int
    before: LabelBefore
    losses: Array  # the log loss of each expert so far
    loss: float  # that of the mixture
    weights: Array  # WEIGHT_ROWS x parts with powers
    mix: Buffer  # weights of the experts
    part_logs: Buffer  # parts x classes: log probabilities for the last row
    expert_chances: Buffer  # experts x classes: probabilities for the last row
    log_probabilities: Buffer  # of the mixture
    part_weights: Buffer  # of the parts and the stack, as `leads` counts them
    lead: Leads
    t: int


def mixture_price(s: Any) -> float:
    """The log loss of the mixture exceeds that of each expert by at most this."""
    return math.log(EXPERTS)


T_MIXTURE = Guarantee(
    "T-MIXTURE",
    "a Bayesian mixture of unlike learners",
    f"log loss <= ln {EXPERTS} + that of each of its experts: online-kernel, mondrian-forest, the label before, "
    "window-neighbours and refitted-boosting (up to ten classes), each with its probabilities to the powers 1, 2 and "
    "4, and two mixtures of these, by weights that share and by a stack",
    "Vovk 1990; DeSantis, Markowsky & Wegman 1988",
    mixture_price,
    against="none",
    measures="excess",
    assumptions=(EVEN,),
)
T_MIXTURE_LINE = Guarantee(
    "T-MIXTURE-LINE",
    "a mixture, one of whose parts keeps up with every linear predictor",
    f"regret <= ln {EXPERTS} + the bound of T-ONLINE-KERNEL-LINE, for every matrix U",
    "T-MIXTURE and T-ONLINE-KERNEL-LINE added up",
    lambda s: mixture_price(s) + T_ONLINE_KERNEL_LINE.bound(s),
    against="linear",
    assumptions=(EVEN,),
    uses=T_ONLINE_KERNEL_LINE.uses,
)
T_MIXTURE_BEST = Guarantee(
    "T-MIXTURE-BEST",
    "a mixture, one of whose parts keeps up with every linear predictor with an intercept",
    f"regret <= ln {EXPERTS} + the bound of T-ONLINE-KERNEL-BEST, for every linear predictor u with an intercept",
    "T-MIXTURE and T-ONLINE-KERNEL-BEST added up",
    lambda s: mixture_price(s) + T_ONLINE_KERNEL_BEST.bound(s),
    against="own",
    assumptions=(EVEN,),
    uses=T_ONLINE_KERNEL_BEST.uses,
)


class Mixture(Learner[State, Any, Array, Outcome], KeepsRows):
    """Tell classes apart in a stream by the mixture of unlike learners, at the price of ln n for n of them.

        parts, each of which gives a probability to every class:
            online-kernel:  lines, Fourier features and tiles, mixed
            mondrian-forest:  trees that grow online, each predicting by all its prunings
            the label before:  how often labels repeat
            window-neighbours:  the nearest of the last rows
            refitted-boosting:  boosted trees, fitted anew to the rows so far;  up to ten classes
        experts:  each part, its probabilities to the powers 1, 2 and 4;
                  the mixture of those, with weights of which a share 1/t goes to all alike;
                  a stack: the product of the parts, each to a power that is learned by gradient descent
        predict  sum_i w_i p_i,  w_i proportional to exp(-log loss of expert i)

    With more than 512 features only online-kernel and the label before play. Files hold the rows that parts keep.
    O(n K) a round beside the parts, for n experts and K classes; decisions are log probabilities.

    >>> learner = Mixture()
    >>> for t in range(40):  # every label comes three times in a row
    ...     learner = learner.update([t % 5], "abc"[t // 3 % 3])
    >>> learner.predict([2.0])  # the last was the first of three
    'b'

    Vovk (1990), the aggregating algorithm; Krichevsky & Trofimov (1981). Ledger: A-MIXTURE-CLASSES; T-MIXTURE,
    T-MIXTURE-LINE, T-MIXTURE-BEST.
    """

    kernel: OnlineKernel = OnlineKernel()
    forest: MondrianForest = MondrianForest()
    boosting: RefittedBoosting = RefittedBoosting()
    neighbours: WindowNeighbours = WindowNeighbours()
    examples = True
    categories = True
    labels = True
    fixed = False
    keeps_rows = True
    diagnostics = ("excess", "alpha", "path", "steps", "cross")
    smallest = OnlineKernel.smallest
    guarantees = (T_MIXTURE, T_MIXTURE_LINE, T_MIXTURE_BEST)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_part(self.key, "kernel", self.kernel, OnlineKernel)
        check_part(self.key, "forest", self.forest, MondrianForest)
        check_part(self.key, "boosting", self.boosting, RefittedBoosting)
        check_part(self.key, "neighbours", self.neighbours, WindowNeighbours)

    def begin(self, shape: Shape) -> State:
        K = max(1, shape.classes)
        plays = int(shape.n <= MAX_FEATURES)
        boosts = int(plays and K <= MOST_CLASSES)
        nothing = shape._replace(n=0)
        weights = np.zeros((WEIGHT_ROWS, SHARING))
        weights[SHARED], weights[STACKED, :PARTS] = 1.0 / SHARING, 1.0 / PARTS
        return State(
            kernel=self.kernel.begin(shape),
            forest=self.forest.begin(shape if plays else nothing),
            neighbours=self.neighbours.begin(shape if plays else nothing),
            boosting=self.boosting.begin(shape if boosts else nothing),
            forest_plays=plays,
            boosting_plays=boosts,
            before=init_label_before(K),
            losses=np.zeros(EXPERTS),
            loss=0.0,
            weights=weights,
            mix=np.zeros(EXPERTS),
            part_logs=np.zeros((PARTS, K)),
            expert_chances=np.zeros((EXPERTS, K)),
            log_probabilities=np.zeros(K),
            part_weights=np.zeros(PARTS + 1),
            lead=init_leads(PARTS + 1),
            t=0,
        )

    def decide(self, state: State, x: Any) -> Array:
        logs, p = state.part_logs, state.expert_chances
        by_kernel = self.kernel.decide(state.kernel, x)
        set_label_probabilities(state.before, logs[BEFORE])
        for c in range(logs.shape[1]):
            logs[KERNEL, c] = logs[FOREST, c] = logs[NEIGHBOURS, c] = by_kernel[c]
            logs[BOOSTING, c] = by_kernel[c]
            logs[BEFORE, c] = log_one(logs[BEFORE, c])
        if state.forest_plays:
            by_forest = self.forest.decide(state.forest, x)
            by_neighbours = self.neighbours.decide(state.neighbours, x)
            for c in range(logs.shape[1]):
                logs[FOREST, c], logs[NEIGHBOURS, c] = by_forest[c], by_neighbours[c]
        if state.boosting_plays:
            by_boosting = self.boosting.decide(state.boosting, x)
            for c in range(logs.shape[1]):
                logs[BOOSTING, c] = by_boosting[c]
        score_experts(state.weights, logs, p)
        softmin(state.losses, 1.0, state.mix)
        for c in range(logs.shape[1]):
            mean = 0.0
            for i in range(EXPERTS):
                mean += state.mix[i] * p[i, c]
            state.log_probabilities[c] = log_one(mean)
        return state.log_probabilities

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        self.decide(state, x)  # another row may have been scored since
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        y, h = int(f.y), f.h
        weigh_parts(state.mix, state.weights[SHARED], state.part_weights)
        update_leads(state.lead, state.part_weights, state.t)
        for i in range(EXPERTS):
            state.losses[i] -= h * log_one(state.expert_chances[i, y])
        share_weights(state.weights[SHARED], state.expert_chances, y, h, state.t)
        stack_sgd_step(state.weights[STACKED], state.part_logs, state.expert_chances[STACK], y, h)
        update_label_before(state.before, y, h)
        forest, neighbours, boosting = state.forest, state.neighbours, state.boosting
        if state.forest_plays:
            forest = self.forest.learn_now(forest, x, forest.log_probabilities, f)
            neighbours = self.neighbours.learn_now(neighbours, x, neighbours.log_probabilities, f)
        if state.boosting_plays:
            boosting = self.boosting.learn_now(boosting, x, boosting.log_probabilities, f)
        return State(
            kernel=self.kernel.learn_now(state.kernel, x, state.kernel.log_probabilities, f),
            forest=forest,
            neighbours=neighbours,
            boosting=boosting,
            forest_plays=state.forest_plays,
            boosting_plays=state.boosting_plays,
            before=state.before,
            losses=state.losses,
            loss=state.loss - h * d[y],
            weights=state.weights,
            mix=state.mix,
            part_logs=state.part_logs,
            expert_chances=state.expert_chances,
            log_probabilities=state.log_probabilities,
            part_weights=state.part_weights,
            lead=state.lead,
            t=state.t + 1,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.loss - least(state.losses)
        paid(state.kernel.softmax, M[1:])

    def grow(self, old: State, new: State, shape: Shape) -> State:
        forest, neighbours, boosting = new.forest, new.neighbours, new.boosting
        if new.forest_plays:
            forest = self.forest.grow(old.forest, forest, shape)
            neighbours = corner(old.neighbours, neighbours)
        if new.boosting_plays:
            boosting = corner(old.boosting, boosting)
        else:  # arrays of `new` may lie where those of `old` do, and hold what boosting has learned
            boosting = boosting._replace(calibration=init_calibration(shape.classes))
        parts: dict[str, Any] = {
            "kernel": self.kernel.grow(old.kernel, new.kernel, shape), "forest": forest, "neighbours": neighbours,
            "boosting": boosting, "forest_plays": new.forest_plays, "boosting_plays": new.boosting_plays,
        }  # fmt: skip
        grown: State = corner(old._replace(**parts), new._replace(**parts))
        return grown

    def read_last_row(self, state: State) -> Array:
        return state.neighbours.z

    def without_rows(self, state: State, rows: Array) -> tuple[State, int]:
        if not state.forest_plays:
            return state, 0
        neighbours, near = self.neighbours.without_rows(state.neighbours, rows)
        boosting, fitted = state.boosting, 0
        if state.boosting_plays:
            boosting, fitted = self.boosting.without_rows(boosting, rows)
        if near == fitted == 0:
            return state, 0
        forest = self.forest.begin(Shape(rows.shape[1], 0, classes=len(state.log_probabilities)))
        return state._replace(neighbours=neighbours, boosting=boosting, forest=forest), max(
            near, fitted
        )

    def leads(self, state: State) -> list[Lead]:
        """Which part had the weight: the weight of the mixture that shares counts for the parts that it has."""
        return name_leads(state.lead, NAMES, state.t)

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with the regret bound of coin betting to each."""
        return best_lines(rounds, [state.kernel.linear.coin for state in rounds.states])

    def symbols(self) -> dict[str, Any]:
        return {"in_units": True}

    def remark(self, shape: Shape) -> str:
        return self.kernel.remark(shape)

    def game(self, allocation: bool) -> Game:
        return Classes(True)

    def for_numbers(self) -> Any:
        from .mixture_regression import MixtureRegression

        return MixtureRegression()


def score_experts(weights: Array, logs: Array, p: Array) -> None:
    """The probabilities of all experts, from the log probabilities of the parts."""
    K = logs.shape[1]
    for j in range(PARTS):
        log_softmax(logs[j])
        for k in range(POWERS):
            for c in range(K):
                p[POWERS * j + k, c] = 2.0**k * logs[j, c]
    for c in range(K):
        p[STACK, c] = 0.0
        for j in range(PARTS):
            p[STACK, c] += weights[STACKED, j] * max(logs[j, c], MIN_LOG_PROBABILITY)
    for i in range(EXPERTS):
        if i != SHARING:
            log_softmax(p[i])
            for c in range(K):
                p[i, c] = decay(p[i, c])
    for c in range(K):
        p[SHARING, c] = 0.0
        for i in range(SHARING):
            p[SHARING, c] += weights[SHARED, i] * p[i, c]


def weigh_parts(mix: Array, shared: Array, weights: Array) -> None:
    """The weight of each part, with that which it has in the mixture that shares, and of the stack."""
    for j in range(PARTS):
        weights[j] = 0.0
        for k in range(POWERS):
            i = POWERS * j + k
            weights[j] += mix[i] + mix[SHARING] * shared[i]
    weights[PARTS] = mix[STACK]


def share_weights(weights: Array, p: Array, y: int, h: float, t: int) -> None:
    """Weights by Bayes' rule, of which a share 1/(t + 2) goes to all alike."""
    whole, share = 0.0, 1.0 / (t + 2.0)
    for i in range(SHARING):
        odds = p[i, y] / p[SHARING, y]
        weights[i] *= odds if h == 1.0 else odds**h
        whole += weights[i]
    for i in range(SHARING):
        weights[i] = (1.0 - share) * weights[i] / whole + share / SHARING


def stack_sgd_step(weights: Array, logs: Array, p: Array, y: int, h: float) -> None:
    """The stack, which gave the probabilities p, learns by a gradient step of its log loss."""
    rate = min(STACK_RATE * h, 1.0)
    for c in range(logs.shape[1]):
        slope = rate * ((1.0 if c == y else 0.0) - p[c])
        for j in range(PARTS):
            weights[j] += slope * max(logs[j, c], MIN_LOG_PROBABILITY)
