"""MondrianForestRegression: numbers predicted by Mondrian trees that grow online, all prunings mixed."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Guarantee
from ..core.learner import Learner
from ..core.losses import Square
from ..core.numeric import log_one
from ..core.outcome import Outcome
from ..core.parameters import Interval
from ..core.stream import Array
from ..games import Game, Regression, Shape
from .mondrian_trees import (
    ASKED,
    FEATURE,
    GAIN,
    NONE,
    PARENT,
    STOPPED,
    WEIGHT,
    Trees,
    charge,
    child,
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
    with_room,
)

INHERITED = 0.3  # the rows that the mean of its sibling counts for in a new leaf
NOISE_RATE = 0.002  # at which the scale of the errors forgets
# Columns of `sums`: the sum of the outcomes of a node, their squared distances from the mean, and ln of the densities
# that it gave to them.
SUM, SQUARES, LOG_DENSITIES, NODE_SUMS = range(4)


class State(NamedTuple):
    trees: Trees
    sums: Array  # nodes x NODE_SUMS
    noise: float  # the mean squared error of the forest; 0 before the first error
    loss: float  # -ln of the density that the forest gave to the outcomes
    t: int


T_AMF_REGRESSION = Guarantee(
    "T-AMF-REGRESSION",
    "all prunings of Mondrian trees, mixed, in nats",
    "-ln of the density that the mixture gave to the outcomes <= the mean over trees of the least, over the prunings S "
    "of the tree as it is in the end, of -ln pi(S) + the sum over leaves v of S of -ln of the density that v gave to "
    "the outcomes of its rows",
    "Willems, Shtarkov & Tjalkens 1995; Mourtada, Gaiffas & Scornet 2021; proved in docs/theory/amf.md",
    lambda s: s.prunings,
    against="none",
    measures="log_loss",
    assumptions=(EVEN,),
    uses=("prunings",),
)


class MondrianForestRegression(Learner[State, Any, float, Outcome]):
    """Predict numbers by trees that grow row by row: nothing to tune, no scaler.

        each round:  in each tree
            predict the mixture of all prunings:  P_v = b_v mean_v + (1 - b_v) P_child,  b_v = s_v w_v / W_v
            go down from the root with x;  above node v, split x off at a random time, if that is before v's own split:
                the rate is sum_i r_i (distance of x_i to v's box), r_i = relevance of i / spread of i
            every node v on the path:  w_v *= density_v(y);  mean_v learns y;  W_v = s_v w_v + (1 - s_v) W_left W_right
        predict the mean of the trees

    As MondrianForest, but a row is predicted by the tree as it is. The density of a node is Student's with four degrees
    of freedom around its mean; its scale is that of the outcomes around the node's mean so far, with one more of the
    size of the forest's errors. A new leaf begins with what its sibling's subtree predicts, as .3 of a row. O(trees
    depth d) a round; predictions stay in the range of the outcomes.

    >>> learner = MondrianForestRegression(trees=3)
    >>> for t in range(200):
    ...     learner = learner.update([0.001 * t, t % 2], 10.0 * (t % 2))
    >>> round(learner.predict([0.1, 1.0])), round(learner.predict([0.1, 0.0]))
    (10, 0)

    Lakshminarayanan, Roy & Teh (2014); Mourtada, Gaiffas & Scornet (2021). Ledger: A-MONDRIAN-FOREST;
    T-AMF-REGRESSION.
    """

    trees: Annotated[int, Interval(1, 1000, "[]", True)] = 10
    nodes: Annotated[int, Interval(64, 1 << 20, "[]", True)] = 16_000
    seed: Annotated[int, Interval(0, 2.0**53, "[]", True)] = 0
    examples = True
    categories = True
    own_constant = True
    fixed = False
    smallest = 1e-140
    notes_along = False  # they go over all nodes
    diagnostics = ("log_loss", "prunings")
    guarantees = (T_AMF_REGRESSION,)

    def begin(self, shape: Shape) -> State:
        trees = init_trees(shape.n, self.trees, self.key)
        return State(
            trees=trees, sums=np.zeros((trees.link.shape[0], NODE_SUMS)), noise=0.0, loss=0.0, t=0
        )

    def decide(self, state: State, x: Any) -> float:
        trees, total = state.trees, 0.0
        read_row(trees, x)
        for tree in range(trees.root.shape[0]):
            if trees.root[tree] != NONE:
                total += subtree_mean(state, trees.root[tree])
        return float(total / trees.root.shape[0])

    def learn(self, state: State, x: Any, d: float, f: Outcome) -> State:
        m, density = state.trees.root.shape[0], 0.0
        more = missing_nodes(state.trees, self.nodes)
        if more > 0:
            state = with_more_nodes(state, more)
        read_row(state.trees, x)
        room = has_room(state.trees, self.nodes)
        for tree in range(m):
            density += grow_tree(self, state, tree, f.y, f.h, room)
        learn_features(state.trees)
        e, rate = f.y - d, 1.0
        if state.noise > 0.0:
            rate = min(1.0, f.h * max(NOISE_RATE, 1.0 / (state.t + 1.0)))
        return State(
            trees=state.trees if room else drop_boxes(state.trees),
            sums=state.sums,
            noise=state.noise + rate * (e * e - state.noise) if state.t > 0 else 0.0,
            loss=state.loss - f.h * log_one(density / m),
            t=state.t + 1,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.loss
        M[1] = best_prunings(state)

    def game(self, allocation: bool) -> Game:
        return Regression(Square())


def with_more_nodes(state: State, more: int) -> State:
    """The same, with room for more nodes."""
    return State(
        trees=with_room(state.trees, more),
        sums=more_rows(state.sums, more),
        noise=state.noise,
        loss=state.loss,
        t=state.t,
    )


def mean(state: State, v: int) -> float:
    """The mean of the outcomes of a node; 0 where there are none."""
    n = state.trees.node[v, WEIGHT]
    return float(state.sums[v, SUM] / n) if n > 0.0 else 0.0


def density_at(state: State, v: int, y: float) -> float:
    """The density that a node gives to an outcome; 1 as long as no error was made.

    It is Student's with four degrees of freedom: (3/8)/s (1 + e^2/(4 s^2))^(-5/2).
    """
    n = state.trees.node[v, WEIGHT]
    if state.noise <= 0.0 or n <= 0.0:
        return 1.0
    e = y - mean(state, v)
    variance = (state.noise + state.sums[v, SQUARES]) / (1.0 + n) * (1.0 + 1.0 / n)
    tail = 1.0 + 0.25 * e * e / variance
    return charge(float(0.375 / (np.sqrt(variance) * np.sqrt(tail)) / tail / tail), 1.0)


def subtree_mean(state: State, v: int) -> float:
    """What the prunings below a node, mixed, predict for the row, by the nodes that are there."""
    trees, weight, total = state.trees, 1.0, 0.0
    while trees.link[v, FEATURE] != NONE:
        stopped = trees.node[v, STOPPED]
        total += weight * stopped * mean(state, v)
        weight *= 1.0 - stopped
        v = child(trees, v)
    return float(total + weight * mean(state, v))


def grow_tree(self: Any, state: State, tree: int, y: float, h: float, room: bool) -> float:
    """Let the row into a tree, with its outcome; the density that the tree gave to it."""
    trees, sums, used = state.trees, state.sums, state.trees.used[0]
    v = place_row(trees, tree, self.seed, state.t, room)
    grown = trees.used[0] - used
    if grown > 0:
        for j in range(NODE_SUMS):
            sums[v, j] = 0.0
    if grown > 1:
        other, parent = sibling(trees, v), trees.link[v, PARENT]
        for j in range(NODE_SUMS):
            sums[parent, j] = sums[other, j]
        sums[v, SUM] = INHERITED * subtree_mean(state, other)
        trees.node[v, WEIGHT] = INHERITED
    return learn_path(state, v, y, h)


def learn_path(state: State, v: int, y: float, h: float) -> float:
    """Let a leaf and all nodes above it learn; the density that they gave to the outcome."""
    trees = state.trees
    node, feature = trees.node, trees.features
    density, forecast = density_at(state, v, y), mean(state, v)
    factor = charge(density, h)  # by which W of the nodes below grows
    learn_outcome(state, v, y, h, density)
    v = trees.link[v, PARENT]
    while v != NONE:
        q, own, i = density_at(state, v, y), mean(state, v), trees.link[v, FEATURE]
        ours, below = (y - own) * (y - own), (y - forecast) * (y - forecast)
        whole = ours + below + state.noise
        feature[GAIN, i] += (ours - below) / whole if whole > 0.0 else 0.0
        feature[ASKED, i] += 1.0
        stopped = node[v, STOPPED]
        density = stopped * q + (1.0 - stopped) * density
        forecast = stopped * own + (1.0 - stopped) * forecast
        factor = reweigh(trees, v, charge(q, h), factor)
        learn_outcome(state, v, y, h, q)
        v = trees.link[v, PARENT]
    return float(density)


def learn_outcome(state: State, v: int, y: float, h: float, density: float) -> None:
    sums, n = state.sums, state.trees.node[v, WEIGHT]
    if n > 0.0:
        sums[v, SQUARES] += h * (y - mean(state, v)) ** 2 * n / (n + h)
    sums[v, SUM] += h * y
    sums[v, LOG_DENSITIES] += h * log_one(density)
    state.trees.node[v, WEIGHT] += h


def best_prunings(state: State) -> float:
    """The bound of T-AMF-REGRESSION: the mean over trees of what their best prunings lose and cost."""
    return mean_of_best_prunings(state.trees, -state.sums[:, LOG_DENSITIES])
