"""MondrianForest: Mondrian trees that grow online; each predicts by all its prunings, mixed."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.learner import Learner
from ..core.numeric import log_one
from ..core.outcome import Outcome
from ..core.parameters import EXACT, Interval
from ..core.rows import corner
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Classes, Game, Shape
from .mondrian_trees import (
    ASKED,
    FEATURE,
    GAIN,
    LOG_NODE,
    LOG_TREE,
    NONE,
    PARENT,
    STOPPED,
    Trees,
    child,
    draw_number,
    extend_box,
    init_trees,
    insert_split,
    learn_features,
    most_nodes,
    read_row,
    split_time,
    stopped_above,
    weigh_subtrees,
    with_room,
    write_leaf,
)

KT = 0.5  # added to each count of a node, by Krichevsky & Trofimov
SMOOTHING = 0.03
INHERITED = 0.3  # the rows that the forecast of its sibling counts for in a new leaf, in that form


class State(NamedTuple):
    trees: Trees
    counts: Array  # nodes x classes
    total: Array  # nodes: the sum of its counts, and the only class of a leaf (-1: none yet, -2: several)
    log_probabilities: Buffer
    loss: float
    t: int


class MondrianForest(Learner[State, Any, Array, Outcome]):
    trees: Annotated[int, Interval(1, 1000, "[]", True)] = 10
    nodes: Annotated[int, Interval(64, 1 << 20, "[]", True)] = 16_000
    exact: bool = False
    seed: Annotated[int, Interval(0, 2.0**53, "[]", True)] = 0
    examples = True
    categories = True
    labels = True
    fixed = False
    smallest = 1e-140

    def begin(self, shape: Shape) -> State:
        K = max(1, shape.classes)
        trees = init_trees(shape.n, self.trees, self.key)
        N = trees.link.shape[0]
        return State(
            trees=trees,
            counts=np.zeros((N, K)),
            total=np.zeros((N, 2)),
            log_probabilities=np.zeros(K),
            loss=0.0,
            t=0,
        )

    def decide(self, state: State, x: Any) -> Array:
        trees, p = state.trees, state.log_probabilities
        smoothing = KT if self.exact else SMOOTHING
        read_row(trees, x)
        for c in range(p.shape[0]):
            p[c] = 0.0
        for tree in range(trees.root.shape[0]):
            add_forecast(self, state, tree, smoothing, p)
        for c in range(p.shape[0]):
            p[c] = log_one(p[c] / trees.root.shape[0])
        return p

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        if state.trees.used[0] + 2 * state.trees.root.shape[0] > state.counts.shape[0]:
            state = with_more_nodes(state)
        read_row(state.trees, x)
        for tree in range(state.trees.root.shape[0]):
            grow_tree(self, state, tree, int(f.y), f.h)
        learn_features(state.trees)
        return State(
            trees=state.trees,
            counts=state.counts,
            total=state.total,
            log_probabilities=state.log_probabilities,
            loss=state.loss - f.h * d[int(f.y)],
            t=state.t + 1,
        )

    def game(self, allocation: bool) -> Game:
        return Classes(True)


def with_more_nodes(state: State) -> State:
    """The same, with room for twice as many nodes."""
    N, K = state.counts.shape
    counts, total = np.zeros((2 * N, K)), np.zeros((2 * N, 2))
    for v in range(N):
        total[v, 0], total[v, 1] = state.total[v, 0], state.total[v, 1]
        for c in range(K):
            counts[v, c] = state.counts[v, c]
    return State(
        trees=with_room(state.trees),
        counts=counts,
        total=total,
        log_probabilities=state.log_probabilities,
        loss=state.loss,
        t=state.t,
    )


def forecast(state: State, v: int, c: int, smoothing: float) -> float:
    """The probability that a node gives to class c."""
    K = state.counts.shape[1]
    return float((state.counts[v, c] + smoothing) / (state.total[v, 0] + K * smoothing))


def add_scaled(state: State, v: int, weight: float, smoothing: float, p: Array) -> None:
    K = p.shape[0]
    scale = weight / (state.total[v, 0] + K * smoothing)
    for c in range(K):
        p[c] += scale * (state.counts[v, c] + smoothing)


def add_forecast(self: Any, state: State, tree: int, smoothing: float, p: Array) -> None:
    """Add what a tree says of the row, as if it were grown by the row."""
    trees, K = state.trees, p.shape[0]
    v, weight, above, depth = trees.root[tree], 1.0, 0.0, 0
    if v == NONE:
        for c in range(K):
            p[c] += 1.0 / K
        return
    room = trees.used[0] + 2 <= most_nodes(trees, self.nodes)
    while True:
        if room and split_time(trees, v, above, draw_number(self.seed, state.t, tree, depth, 0)) < np.inf:
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
        above = trees.node[v, 0]
        v = child(trees, v)
        depth += 1


def grow_tree(self: Any, state: State, tree: int, y: int, h: float) -> None:
    """Let the row into a tree, with its outcome."""
    trees, smoothing = state.trees, KT if self.exact else SMOOTHING
    used = trees.used[0]
    v, above, depth, fresh = trees.root[tree], 0.0, 0, 0
    room = used + 2 <= most_nodes(trees, self.nodes)
    if v == NONE:
        v = used
        trees.used[0] += 1
        trees.root[tree] = v
        write_leaf(trees, v, NONE)
        begin_counts(state, v, NONE, smoothing)
        fresh = 1
    else:
        while True:
            leaf = trees.link[v, FEATURE] == NONE
            if room:
                time = split_time(trees, v, above, draw_number(self.seed, state.t, tree, depth, 0))
                if time < np.inf:
                    insert_split(
                        trees, tree, v, time,
                        draw_number(self.seed, state.t, tree, depth, 1),
                        draw_number(self.seed, state.t, tree, depth, 2),
                    )  # fmt: skip
                    copy_counts(state, v, used)
                    begin_counts(state, used + 1, NONE if self.exact else v, smoothing)
                    v = used + 1
                    fresh = 1
                    break
            extend_box(trees, v)
            if leaf:
                break
            above = trees.node[v, 0]
            v = child(trees, v)
            depth += 1
    learn_path(state, v, y, h, smoothing, False)


def begin_counts(state: State, v: int, sibling: int, smoothing: float) -> None:
    """No counts, or those of the sibling's forecast."""
    K = state.counts.shape[1]
    state.total[v, 0], state.total[v, 1] = 0.0, -1.0
    for c in range(K):
        state.counts[v, c] = 0.0
    if sibling != NONE:
        state.total[v, 0] = INHERITED
        for c in range(K):
            state.counts[v, c] = INHERITED * forecast(state, sibling, c, smoothing)


def copy_counts(state: State, v: int, new: int) -> None:
    state.total[new, 0], state.total[new, 1] = state.total[v, 0], state.total[v, 1]
    for c in range(state.counts.shape[1]):
        state.counts[new, c] = state.counts[v, c]


def learn_path(state: State, v: int, y: int, h: float, smoothing: float, free: bool) -> None:
    """Let a leaf and all nodes above it learn; `free`: the leaf is not charged."""
    trees = state.trees
    node, feature = trees.node, trees.feature
    p = forecast(state, v, y, smoothing)
    if not free:
        node[v, LOG_NODE] += h * log_one(p)
    node[v, LOG_TREE] = node[v, LOG_NODE]
    state.total[v, 1] = y if state.total[v, 1] == -1.0 or state.total[v, 1] == y else -2.0
    count(state, v, y, h)
    v = trees.link[v, PARENT]
    while v != NONE:
        q, i = forecast(state, v, y, smoothing), trees.link[v, FEATURE]
        feature[GAIN, i] += p - q
        feature[ASKED, i] += 1.0
        p = node[v, STOPPED] * q + (1.0 - node[v, STOPPED]) * p
        node[v, LOG_NODE] += h * log_one(q)
        weigh_subtrees(trees, v)
        count(state, v, y, h)
        v = trees.link[v, PARENT]


def count(state: State, v: int, y: int, h: float) -> None:
    state.counts[v, y] += h
    state.total[v, 0] += h
