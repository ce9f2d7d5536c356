"""MondrianForest: Mondrian trees that grow online; each predicts by all its prunings, mixed."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Guarantee
from ..core.learner import Learner
from ..core.numeric import log_one
from ..core.outcome import Outcome
from ..core.parameters import Interval
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Classes, Game, Shape
from .mondrian_trees import (
    ASKED,
    FEATURE,
    GAIN,
    NONE,
    PARENT,
    STOPPED,
    TIME,
    WEIGHT,
    Trees,
    charge,
    child,
    draw_number,
    drop_boxes,
    has_room,
    init_trees,
    learn_features,
    mean_of_best_prunings,
    missing_nodes,
    more_rows,
    place_row,
    read_row,
    reweigh,
    sibling,
    split_time,
    stopped_above,
    with_room,
)

KT = 0.5  # added to each count of a node, by Krichevsky & Trofimov
SMOOTHING = 0.03
INHERITED = 0.3  # the rows that the forecast of its sibling counts for in a new leaf, in that form


class State(NamedTuple):
    trees: Trees
    class_counts: Array  # nodes x classes
    log_probabilities: Buffer
    loss: float
    t: int


T_AMF = Guarantee(
    "T-AMF",
    "all prunings of Mondrian trees, mixed",
    "exact=True: log loss <= the mean over trees of the least, over the prunings S of the tree as it is in the end, of "
    "-ln pi(S) + sum over leaves v of S with n_v rows of (the log loss of the best constant there + (K - 1)/2 ln n_v + "
    "ln K), with pi(S) the product of 1 - s_v over nodes above the leaves and of s_v over the leaves of S that are "
    "split in the tree",
    "Willems, Shtarkov & Tjalkens 1995; Mourtada, Gaiffas & Scornet 2021; proved in docs/theory/amf.md",
    lambda s: s.prunings,
    against="none",
    measures="log_loss",
    assumptions=(EVEN,),
    uses=("prunings",),
    when=lambda s: bool(s.exact),
)


class MondrianForest(Learner[State, Any, Array, Outcome]):
    """Tell classes apart by trees that grow row by row: nothing to tune, no scaler, any number of classes.

        each round:  in each tree
            go down from the root with x;  above node v, split x off at a random time, if that is before v's own split:
                the rate is sum_i r_i (distance of x_i to v's box), r_i = relevance of i / spread of i
            predict the mixture of all prunings:  P_v = b_v q_v + (1 - b_v) P_child,  b_v = s_v w_v / W_v
            every node v on the path:  w_v *= q_v(y);  count y;  W_v = s_v w_v + (1 - s_v) W_left W_right
        predict the mean of the trees

    A feature is relevant by how much better children were than their parents where it is split at, in rows before this
    one, and at least to .05 of the best feature. By default q_v has .03 more than the count of each class, a new leaf
    begins with what its sibling says, as .3 of a row, and its first label is not charged to w; no theorem is known of
    that. exact=True charges all, with 1/2 more than each count and empty new leaves, and carries T-AMF.

    O(trees depth (d + K)) a round; depth grows as the logarithm of the rows. A tree has at most `nodes` nodes, and
    fewer for wide rows: boxes of all trees take at most 64 MB. When they are full, trees grow no further, and their
    nodes go on counting. Decisions are log probabilities.

    >>> learner = MondrianForest(trees=3)
    >>> for t in range(60):  # an exclusive or
    ...     a, b = t % 2, t // 2 % 2
    ...     learner = learner.update([a + 0.001 * t, b], "same" if a == b else "other")
    >>> learner.predict([1.03, 1.0]), learner.predict([0.03, 1.0])
    ('same', 'other')

    Lakshminarayanan, Roy & Teh (2014), Mondrian trees; Mourtada, Gaiffas & Scornet (2021), the mixture; Willems,
    Shtarkov & Tjalkens (1995), its weights. Ledger: A-MONDRIAN-FOREST; T-AMF.
    """

    trees: Annotated[int, Interval(1, 1000, "[]", True)] = 10
    nodes: Annotated[int, Interval(64, 1 << 20, "[]", True)] = 16_000
    exact: bool = False
    seed: Annotated[int, Interval(0, 2.0**53, "[]", True)] = 0
    examples = True
    categories = True
    labels = True
    fixed = False
    smallest = 1e-140
    notes_along = False  # they go over all nodes
    diagnostics = ("log_loss", "prunings")
    guarantees = (T_AMF,)

    def begin(self, shape: Shape) -> State:
        K = max(1, shape.classes)
        trees = init_trees(shape.n, self.trees, self.key)
        N = trees.link.shape[0]
        return State(
            trees=trees,
            class_counts=np.zeros((N, K)),
            log_probabilities=np.zeros(K),
            loss=0.0,
            t=0,
        )

    def decide(self, state: State, x: Any) -> Array:
        trees, p = state.trees, state.log_probabilities
        smoothing = KT if self.exact else SMOOTHING
        read_row(trees, x)
        room = has_room(trees, self.nodes)
        for c in range(p.shape[0]):
            p[c] = 0.0
        for tree in range(trees.root.shape[0]):
            add_forecast(self, state, tree, smoothing, room, p)
        for c in range(p.shape[0]):
            p[c] = log_one(p[c] / trees.root.shape[0])
        return p

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        more = missing_nodes(state.trees, self.nodes)
        if more > 0:
            state = with_more_nodes(state, more)
        read_row(state.trees, x)
        room = has_room(state.trees, self.nodes)
        for tree in range(state.trees.root.shape[0]):
            grow_tree(self, state, tree, int(f.y), f.h, room)
        learn_features(state.trees)
        return State(
            trees=state.trees if room else drop_boxes(state.trees),
            class_counts=state.class_counts,
            log_probabilities=state.log_probabilities,
            loss=state.loss - f.h * d[int(f.y)],
            t=state.t + 1,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.loss
        M[1] = best_prunings(state) if self.exact else np.inf

    def game(self, allocation: bool) -> Game:
        return Classes(True)

    def for_numbers(self) -> Any:
        from .mondrian_forest_regression import MondrianForestRegression

        return MondrianForestRegression(trees=self.trees, nodes=self.nodes, seed=self.seed)


def with_more_nodes(state: State, more: int) -> State:
    """The same, with room for more nodes."""
    return State(
        trees=with_room(state.trees, more),
        class_counts=more_rows(state.class_counts, more),
        log_probabilities=state.log_probabilities,
        loss=state.loss,
        t=state.t,
    )


def forecast(state: State, v: int, c: int, smoothing: float) -> float:
    """The probability that a node gives to class c."""
    K = state.class_counts.shape[1]
    return float(
        (state.class_counts[v, c] + smoothing) / (state.trees.node[v, WEIGHT] + K * smoothing)
    )


def add_scaled(state: State, v: int, weight: float, smoothing: float, p: Array) -> None:
    K = p.shape[0]
    scale = weight / (state.trees.node[v, WEIGHT] + K * smoothing)
    for c in range(K):
        p[c] += scale * (state.class_counts[v, c] + smoothing)


def add_forecast(
    self: Any, state: State, tree: int, smoothing: float, room: bool, p: Array
) -> None:
    """Add what a tree says of the row, as if it were grown by the row."""
    trees, K = state.trees, p.shape[0]
    v, weight, above, depth = trees.root[tree], 1.0, 0.0, 0
    if v == NONE:
        for c in range(K):
            p[c] += 1.0 / K
        return
    while True:
        if (
            room
            and split_time(trees, v, above, draw_number(self.seed, state.t, tree, depth, 0))
            < np.inf
        ):
            stopped = stopped_above(trees, v)
            if self.exact:
                add_scaled(state, v, weight * stopped, smoothing, p)
                for c in range(K):
                    p[c] += weight * (1.0 - stopped) / K
            else:  # the new leaf says what v says
                add_scaled(state, v, weight, smoothing, p)
            return
        stopped = trees.node[v, STOPPED]
        add_scaled(state, v, weight * stopped, smoothing, p)
        if trees.link[v, FEATURE] == NONE:
            return
        weight *= 1.0 - stopped
        above = trees.node[v, TIME]
        v = child(trees, v)
        depth += 1


def grow_tree(self: Any, state: State, tree: int, y: int, h: float, room: bool) -> None:
    """Let the row into a tree, with its outcome."""
    trees, smoothing, used = state.trees, KT if self.exact else SMOOTHING, state.trees.used[0]
    v = place_row(trees, tree, self.seed, state.t, room)
    grown = trees.used[0] - used
    if grown > 0:
        other = NONE
        if grown > 1:
            other = sibling(trees, v)
            copy_counts(state, other, trees.link[v, PARENT])
        begin_counts(state, v, NONE if self.exact else other, smoothing)
    learn_path(state, v, y, h, smoothing, grown > 0 and not self.exact)


def begin_counts(state: State, v: int, sibling: int, smoothing: float) -> None:
    """No counts, or those of the sibling's forecast."""
    K = state.class_counts.shape[1]
    for c in range(K):
        state.class_counts[v, c] = 0.0
    if sibling != NONE:
        state.trees.node[v, WEIGHT] = INHERITED
        for c in range(K):
            state.class_counts[v, c] = INHERITED * forecast(state, sibling, c, smoothing)


def copy_counts(state: State, v: int, new: int) -> None:
    for c in range(state.class_counts.shape[1]):
        state.class_counts[new, c] = state.class_counts[v, c]


def learn_path(state: State, v: int, y: int, h: float, smoothing: float, free: bool) -> None:
    """Let a leaf and all nodes above it learn; `free`: the leaf is not charged."""
    trees = state.trees
    node, feature = trees.node, trees.features
    p = forecast(state, v, y, smoothing)
    factor = 1.0 if free else charge(p, h)  # by which W of the nodes below grows
    count(state, v, y, h)
    v = trees.link[v, PARENT]
    while v != NONE:
        q, i = forecast(state, v, y, smoothing), trees.link[v, FEATURE]
        feature[GAIN, i] += p - q
        feature[ASKED, i] += 1.0
        p = node[v, STOPPED] * q + (1.0 - node[v, STOPPED]) * p
        factor = reweigh(trees, v, charge(q, h), factor)
        count(state, v, y, h)
        v = trees.link[v, PARENT]


def count(state: State, v: int, y: int, h: float) -> None:
    state.class_counts[v, y] += h
    state.trees.node[v, WEIGHT] += h


def best_prunings(state: State) -> float:
    """The bound of T-AMF: the mean over trees of what their best prunings lose and cost."""
    costs = np.zeros(state.trees.used[0])
    for v in range(costs.shape[0]):
        costs[v] = code_length(state, v)
    return mean_of_best_prunings(state.trees, costs)


def code_length(state: State, v: int) -> float:
    """The log loss of the best constant in a node, with what KT adds at most."""
    n, K, total = state.trees.node[v, WEIGHT], state.class_counts.shape[1], 0.0
    if n == 0.0:
        return 0.0
    for c in range(K):
        if state.class_counts[v, c] > 0.0:
            total -= state.class_counts[v, c] * log_one(state.class_counts[v, c] / n)
    return float(total + 0.5 * (K - 1.0) * log_one(n) + log_one(float(K)))
