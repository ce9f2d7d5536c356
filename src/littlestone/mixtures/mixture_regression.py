"""MixtureRegression: unlike learners of numbers, mixed by the aggregating algorithm."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Lead, Learner
from ..core.losses import Square
from ..core.numeric import softmin
from ..core.outcome import Outcome
from ..core.rows import corner
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Game, Regression, Shape
from ..linear.online_kernel_regression import OnlineKernelRegression
from ..linear.online_kernel_regression import State as KernelState
from ..linear.online_linear_regression import (
    MIN_SPREAD,
    T_ONLINE_LINEAR_REGRESSION_BEST,
    winsorise,
)
from ..linear.parts.best_number_line import best_number_lines
from ..linear.parts.feature_scaling import CENTRE, SPREAD
from ..linear.parts.fourier_scales import MAX_FEATURES
from ..linear.parts.outer_mixture import BEGUN, HIGH, LOW, MIN_INTERVAL, OPENING
from ..refitted.forgetting import KeepsRows
from ..refitted.refitted_boosting_regression import RefittedBoostingRegression
from ..refitted.refitted_boosting_regression import State as BoostingState
from ..refitted.row_window import window_without
from ..trees.mondrian_forest_regression import MondrianForestRegression
from ..trees.mondrian_forest_regression import State as ForestState
from .parts.gaussian_weights import (
    GaussianWeights,
    init_gaussian_weights,
    update_gaussian_weights,
    weighted_mean,
)
from .parts.leads import Leads, init_leads, name_leads, update_leads
from .parts.least_squares_stack import LeastSquares, init_stack, stacked, update_stack
from .parts.nearest_values import (
    NearestValues,
    init_nearest_values,
    learn_value,
    mean_of_nearest,
)
from .parts.part_check import check_part
from .parts.square_aggregation import aggregate

# The parts; after them a stack of them, and a mixture of all these with weights that share 1/t.
KERNEL, BEFORE, BOOSTING, FOREST, NEAREST, PARTS = 0, 1, 2, 3, 4, 5
NAMES = (
    "online-kernel-regression", "value before", "refitted-boosting-regression", "mondrian-forest-regression",
    "nearest rows", "stack",
)  # fmt: skip
STACK, SHARING = PARTS, PARTS + 1
EXPERTS = SHARING + 1
FARTHEST = 30.0  # spreads from the centre of the outcomes: no expert predicts more
OTHERS = 2.0**-6  # the prior weight of all experts but the mixture that shares
LEAST_PRIOR = round(SHARING / OTHERS)  # one over the least prior weight of an expert
JUMPS = 0.8  # of B^2: what rounds with outcomes outside the interval cost
# Entries of `outcomes`: the least, the largest and the last.
LEAST, LARGEST, LAST, OUTCOME_ENTRIES = range(4)


class State(NamedTuple):
    kernel: KernelState
    boosting: BoostingState
    forest: ForestState
    nearest: NearestValues
    # 0: there are too many features for boosting, the forest and the nearest rows; they say what the kernel says
    trees_play: int
    outcomes: Array
    # over (B/2)^2: losses of each expert less those of the mixture, inside the interval
    relative_losses: Array
    excess: Array  # square losses of the mixture less those of each expert, over all rounds
    # square losses of the kernel's predictions clipped, less those of them as they are
    clipping: float
    shared: GaussianWeights  # of the mixture that shares
    stack: LeastSquares
    predictions: Buffer  # of the experts, for the last row, in the range of the outcomes seen
    features: Buffer  # of the stack: predictions of the parts, from the centre, over the spread
    mix: Buffer  # weights of the experts
    unclipped: Buffer  # the prediction of the kernel as it is
    forest_said: Buffer  # that of the forest
    part_weights: Buffer  # of the parts and the stack, as `leads` counts them
    lead: Leads
    t: int


def mixture_price(s: Any) -> Any:
    """The square loss of the mixture exceeds that of each expert by at most this."""
    return (JUMPS + 0.5 * math.log(LEAST_PRIOR)) * s.span**2


T_MIXTURE_REGRESSION = Guarantee(
    "T-MIXTURE-REGRESSION",
    "the aggregating algorithm over unlike learners",
    f"square loss <= that of each expert + (4/5 + (1/2) ln {LEAST_PRIOR}) B^2, B <= 3 (max y - min y); experts: "
    "online-kernel-regression, the value before, refitted-boosting-regression, mondrian-forest-regression, the mean of "
    "the nearest rows, a stack of these by recursive least squares, and a mean of the six by their likelihoods, each "
    f"clipped to the range of the outcomes before the round and to {FARTHEST:.0f} spreads from their centre",
    "Vovk 1990; Haussler, Kivinen & Warmuth 1998; proved in docs/mixtures/index.md",
    mixture_price,
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("span",),
)
T_MIXTURE_REGRESSION_BEST = Guarantee(
    "T-MIXTURE-REGRESSION-BEST",
    "a mixture, one of whose parts keeps up with every linear predictor",
    f"square loss <= that of u + clipping + (4/5 + (1/2) ln {LEAST_PRIOR}) B^2 + the bound of "
    "T-ONLINE-LINEAR-REGRESSION-BEST, for every linear predictor u with an intercept; clipping: what "
    "online-kernel-regression loses where its predictions are clipped",
    "T-MIXTURE-REGRESSION and T-ONLINE-LINEAR-REGRESSION-BEST added up",
    lambda s: mixture_price(s) + s.clipping + T_ONLINE_LINEAR_REGRESSION_BEST.bound(s),
    against="own",
    assumptions=(EVEN,),
    uses=("clipping", *T_ONLINE_LINEAR_REGRESSION_BEST.uses),
)


class MixtureRegression(Learner[State, Any, float, Outcome], KeepsRows):
    """Predict numbers in a stream by the mixture of unlike learners, never outside the range of the outcomes seen.

        parts:    online-kernel-regression;  the value before;  refitted-boosting-regression;
                  mondrian-forest-regression;  the mean of the 5 nearest of the last 4,000 rows
        experts:  each part;  a stack of them by recursive least squares (ridge 1, forgetting .999);
                  a mixture of these six, with weights by their likelihoods at the noise of its own errors, of which a
                  share 1/t goes to all alike;  its prior weight is 63/64
        predict   the aggregating algorithm's mean of all, clipped to the range of the outcomes so far

    The interval on which it aggregates is that of online-kernel-regression: the range, and half as much again beyond an
    outcome that was outside. O(1) a round beside the parts. With more than 512 features only
    online-kernel-regression and the value before play. Files hold the rows that parts keep.

    >>> learner = MixtureRegression()
    >>> for t in range(30):
    ...     learner = learner.update([t % 2], 5.0 + t % 2)
    >>> round(learner.predict([0.0]), 1), round(learner.predict([1.0]), 1)
    (5.0, 5.8)
    >>> max(learner.predict([100.0]), 6.0)
    6.0

    Vovk (1990), the aggregating algorithm. Ledger: A-MIXTURE-REGRESSION; T-MIXTURE-REGRESSION,
    T-MIXTURE-REGRESSION-BEST.
    """

    kernel: OnlineKernelRegression = OnlineKernelRegression()
    boosting: RefittedBoostingRegression = RefittedBoostingRegression()
    forest: MondrianForestRegression = MondrianForestRegression()
    examples = True
    own_constant = True
    categories = True
    fixed = False
    keeps_rows = True
    diagnostics = ("excess", "span", "opening", "clipping")
    guarantees = (T_MIXTURE_REGRESSION, T_MIXTURE_REGRESSION_BEST)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_part(self.key, "kernel", self.kernel, OnlineKernelRegression)
        check_part(self.key, "boosting", self.boosting, RefittedBoostingRegression)
        check_part(self.key, "forest", self.forest, MondrianForestRegression)

    def begin(self, shape: Shape) -> State:
        plays = int(shape.n <= MAX_FEATURES)
        narrow = shape if plays else shape._replace(n=0)
        return State(
            kernel=self.kernel.begin(shape),
            boosting=self.boosting.begin(narrow),
            forest=self.forest.begin(narrow),
            nearest=init_nearest_values(narrow.n),
            trees_play=plays,
            outcomes=np.zeros(OUTCOME_ENTRIES),
            relative_losses=np.zeros(EXPERTS),
            excess=np.zeros(EXPERTS),
            clipping=0.0,
            shared=init_gaussian_weights(SHARING),
            stack=init_stack(PARTS),
            predictions=np.zeros(EXPERTS),
            features=np.zeros(PARTS),
            mix=np.zeros(EXPERTS),
            unclipped=np.zeros(1),
            forest_said=np.zeros(1),
            part_weights=np.zeros(SHARING),
            lead=init_leads(SHARING),
            t=0,
        )

    def decide(self, state: State, x: Any) -> float:
        a, stats = state.predictions, state.kernel.linear.outer.stats
        by_kernel = self.kernel.decide(state.kernel, x)
        state.unclipped[0] = by_kernel
        a[KERNEL], a[BEFORE] = by_kernel, state.outcomes[LAST]
        a[BOOSTING] = a[FOREST] = a[NEAREST] = by_kernel
        if state.trees_play:
            a[BOOSTING] = self.boosting.decide(state.boosting, x)
            state.forest_said[0] = a[FOREST] = self.forest.decide(state.forest, x)
            a[NEAREST] = mean_of_nearest(state.nearest, x)
        half = 0.5 * (stats[HIGH] - stats[LOW])
        if stats[BEGUN] == 0.0 or half <= MIN_INTERVAL:  # no outcome yet, or one value
            for i in range(EXPERTS):
                a[i], state.mix[i] = by_kernel, 1.0 / EXPERTS
            return by_kernel
        centre, spread = state.kernel.linear.outcome_scaler[CENTRE], scale_of(state)
        for j in range(PARTS):
            state.features[j] = winsorise((a[j] - centre) / spread, 1.0)
        a[STACK] = centre + spread * stacked(state.stack, state.features)
        for i in range(SHARING):
            a[i] = clipped(a[i], state)
        middle = stats[LOW] + half
        a[SHARING] = clipped(weighted_mean(state.shared, a), state)
        softmin(state.relative_losses, 0.5, state.mix)
        multiply_by_prior(state.mix)
        return clipped(aggregate(a, state.mix, middle, half), state)

    def learn(self, state: State, x: Any, d: float, f: Outcome) -> State:
        self.decide(state, x)  # another row may have been scored since
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: float, f: Outcome) -> State:
        y, h, a, stats = f.y, f.h, state.predictions, state.kernel.linear.outer.stats
        low, half = stats[LOW], 0.5 * (stats[HIGH] - stats[LOW])
        open_interval = stats[BEGUN] != 0.0 and half > MIN_INTERVAL
        inside = open_interval and low <= y <= stats[HIGH]
        for i in range(EXPERTS):
            state.excess[i] += h * (d - a[i]) * ((d - y) + (a[i] - y))
            if inside:
                state.relative_losses[i] -= (
                    h * ((d - a[i]) / half) * (((d - y) + (a[i] - y)) / half)
                )
        for i in range(SHARING):
            state.part_weights[i] = state.mix[i] + state.mix[SHARING] * state.shared.v[i]
        update_leads(state.lead, state.part_weights, state.t)
        own = state.unclipped[0]
        more = h * (a[KERNEL] - own) * ((a[KERNEL] - y) + (own - y))
        if open_interval:
            update_gaussian_weights(state.shared, a, y, h, state.t)
        if open_interval:
            spread = scale_of(state)
            far = (y - state.kernel.linear.outcome_scaler[CENTRE]) / spread
            update_stack(state.stack, state.features, winsorise(far, 1.0), h)
        kernel = self.kernel.learn_now(state.kernel, x, state.unclipped[0], f)
        new_half = 0.5 * (kernel.linear.outer.stats[HIGH] - kernel.linear.outer.stats[LOW])
        if open_interval and new_half > half:
            for i in range(EXPERTS):
                state.relative_losses[i] *= (half / new_half) ** 2
        see(state.outcomes, y, state.t)
        boosting, forest, nearest = state.boosting, state.forest, state.nearest
        if state.trees_play:
            boosting = self.boosting.learn_now(boosting, x, 0.0, f)
            forest = self.forest.learn_now(forest, x, state.forest_said[0], f)
            nearest = learn_value(nearest, x, y, h)
        return State(
            kernel=kernel,
            boosting=boosting,
            forest=forest,
            nearest=nearest,
            trees_play=state.trees_play,
            outcomes=state.outcomes,
            relative_losses=state.relative_losses,
            excess=state.excess,
            clipping=state.clipping + more,
            shared=state.shared,
            stack=state.stack,
            predictions=state.predictions,
            features=state.features,
            mix=state.mix,
            unclipped=state.unclipped,
            forest_said=state.forest_said,
            part_weights=state.part_weights,
            lead=state.lead,
            t=state.t + 1,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.excess[0]
        for i in range(1, EXPERTS):
            M[0] = max(M[0], state.excess[i])
        stats = state.kernel.linear.outer.stats
        M[1], M[2], M[3] = stats[HIGH] - stats[LOW], stats[OPENING], state.clipping

    def grow(self, old: State, new: State, shape: Shape) -> State:
        boosting, forest, nearest = new.boosting, new.forest, new.nearest
        if new.trees_play:
            boosting, nearest = corner(old.boosting, boosting), corner(old.nearest, nearest)
            forest = self.forest.grow(old.forest, forest, shape)
        parts: dict[str, Any] = {
            "kernel": self.kernel.grow(old.kernel, new.kernel, shape), "boosting": boosting, "forest": forest,
            "nearest": nearest, "trees_play": new.trees_play,
        }  # fmt: skip
        grown: State = corner(old._replace(**parts), new._replace(**parts))
        return grown

    def read_last_row(self, state: State) -> Array:
        return state.boosting.z

    def without_rows(self, state: State, rows: Array) -> tuple[State, int]:
        if not state.trees_play:
            return state, 0
        boosting, fitted = self.boosting.without_rows(state.boosting, rows)
        window, near = window_without(state.nearest.window, rows)
        if fitted == near == 0:
            return state, 0
        parts: dict[str, Any] = {
            "boosting": boosting, "nearest": state.nearest._replace(window=window),
            "forest": self.forest.begin(Shape(rows.shape[1])),
        }  # fmt: skip
        return state._replace(**parts), max(fitted, near)

    def leads(self, state: State) -> list[Lead]:
        """Which part had the weight: the weight of the mixture that shares counts for the parts that it has."""
        return name_leads(state.lead, NAMES, state.t)

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with the regret bound of coin betting to each."""
        return best_number_lines(rounds, [state.kernel.linear.outer for state in rounds.states])

    def remark(self, shape: Shape) -> str:
        return self.kernel.remark(shape)

    def game(self, allocation: bool) -> Game:
        return Regression(Square())


def multiply_by_prior(mix: Array) -> None:
    """Weights from likelihoods; the mixture that shares has most of the prior weight, the others have equal parts."""
    whole = 0.0
    for i in range(EXPERTS):
        mix[i] *= 1.0 - OTHERS if i == SHARING else OTHERS / SHARING
        whole += mix[i]
    for i in range(EXPERTS):
        mix[i] /= whole


def clipped(a: float, state: State) -> float:
    """A prediction, clipped to the range of the outcomes, and to FARTHEST of their spreads from their centre.

    The range alone would let parts that have learned one outcome of 10^12 predict as much.
    """
    centre, spread = state.kernel.linear.outcome_scaler[CENTRE], scale_of(state)
    a = min(max(a, centre - FARTHEST * spread), centre + FARTHEST * spread)
    inside: float = min(max(a, state.outcomes[LEAST]), state.outcomes[LARGEST])
    return inside


def scale_of(state: State) -> float:
    """The spread of the outcomes."""
    spread: float = max(state.kernel.linear.outcome_scaler[SPREAD], MIN_SPREAD)
    return spread


def see(outcomes: Array, y: float, t: int) -> None:
    """Widen the range of the outcomes by one of them."""
    outcomes[LEAST] = y if t == 0 else min(outcomes[LEAST], y)
    outcomes[LARGEST] = y if t == 0 else max(outcomes[LARGEST], y)
    outcomes[LAST] = y
