"""Nearest neighbour along a spine: the order in which a walk down a random spanning tree meets the vertices."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import SAME_IMPORTANCE, Comparators, Guarantee, Symbols
from ...core.numeric import xlog
from ...core.outcome import Outcome
from ...core.scratch import Buffer
from ...core.stream import Array
from ...games import Shape
from ..algorithms.spanning_trees import depth_first, from_far_ends, spanning_trees
from .vertices import (
    FORESEEN,
    ONE_LABEL,
    Seed,
    VertexLearner,
    begins_with_vertices,
    says_something,
    vertex_of,
)

STEP = 5  # a word holds 2^STEP places, and a word of the level above a bit for each of 2^STEP words
BITS = 1 << STEP


class State(NamedTuple):
    place: Any  # of each vertex, on the spine
    label: Any  # of each place; -1 where none was seen
    words: (
        Any  # which places have a label, a bit each; then which of these words are not 0, and so on
    )
    level: Any  # where the words of each level begin
    p: Buffer  # the decision: a score for each class
    clashes: float  # rounds in which a vertex had another label than before


def bound_of_comparators(s: Symbols) -> Any:
    k, K = s.cuts, s.classes
    along = (
        xlog(k, np.maximum(s.vertices - 1.0, 1.0) / np.maximum(k, 1.0))
        + k
        + xlog(k, np.maximum(K - 1.0, 1.0))
    )
    return (along + np.log(K)) / math.log(2.0)


T_SPINE = Guarantee(
    "T-SPINE",
    "nearest neighbour on a line",
    "mistakes <= k log2((n - 1)/k) + k/ln 2 + k log2(K - 1) + log2 K where the labels change k times along the spine "
    "of n vertices; that is at most twice as often as along the edges of its tree",
    "Herbster, Lever & Pontil 2008, for K classes: the nearest neighbour is Bayes' vote for every rate of changes",
    bound_of_comparators,
    against="own",
    measures="mistakes",
    assumptions=(SAME_IMPORTANCE, ONE_LABEL, FORESEEN, says_something(bound_of_comparators)),
    uses=("cuts", "vertices", "classes"),
)


class Spine(VertexLearner[State, Array]):
    """Label a vertex as the nearest labelled vertex along a line through all vertices.

        spine = the vertices in depth-first order of a random spanning tree, from one end of it
        each round:  predict the label of the nearest vertex along the spine that has one, the first of two equally near
                     learn: remember the label

    An example is [v], the number of a vertex, or its name. O(log n) a round, a tenth of a microsecond or so: which
    places have a label is a tree of words of 32 bits. A vertex keeps the label that it had last. `seed` draws the tree.

    >>> import littlestone as ls
    >>> learner = Spine(graph=ls.graph([(0, 1), (1, 2), (2, 3)], n=4)).start(1, labels=("a", "b"))
    >>> learner = learner.update([0], "a").update([3], "b")
    >>> learner.predict([1]), learner.predict([2])
    ('a', 'b')

    Herbster, Lever & Pontil (2008). Ledger: A-SPINE; T-SPINE.
    """

    seed: Seed = 0
    diagnostics = ("clashes",)
    guarantees = (T_SPINE,)

    def comparators(self, rounds: Any) -> Comparators:
        """The labels seen: between two of them, a labelling may change once where they differ, and else never."""
        found = []
        for state in rounds.states:
            there = state.label[state.label >= 0]
            found.append(float((there[1:] != there[:-1]).sum()))
        more = {
            "cuts": np.array([max(found)]),
            "vertices": np.array([float(self.graph.n)]),
            "classes": np.array([float(max(rounds.shape.classes, 1))]),
        }
        return Comparators("own", lambda i: "the labels seen", np.zeros(1), more)

    def begin(self, shape: Shape) -> State:
        graph = begins_with_vertices(self.key, self.graph, shape)
        n = graph.n
        place = np.empty(n, np.int32)
        place[depth_first(from_far_ends(spanning_trees(graph, 1, self.seed)[0]))] = np.arange(n)
        sizes = [(n + BITS - 1) >> STEP]
        while sizes[-1] > 1:
            sizes.append((sizes[-1] + BITS - 1) >> STEP)
        level = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return State(
            place,
            np.full(n, -1, np.int32),
            np.zeros(int(level[-1]), np.int64),
            level,
            np.zeros(shape.classes),
            0.0,
        )

    def grow(self, old: State, new: State, shape: Shape) -> State:
        if len(old.p) == shape.classes:
            return old
        return old._replace(p=np.zeros(shape.classes))

    def decide(self, state: State, x: Any) -> Array:
        at = int(state.place[vertex_of(x[0], state.place.shape[0])])
        for c in range(state.p.shape[0]):
            state.p[c] = 0.0
        if state.label[at] >= 0:
            state.p[state.label[at]] = 2.0
            return state.p
        left = before(state.words, state.level, at)
        right = after(state.words, state.level, at)
        near = 0.0
        if left >= 0:
            near = 1.0 / (at - left)
            state.p[state.label[left]] = near
        if (
            right >= 0 and 1.0 / (right - at) > near
        ):  # only the nearer one scores, so that the first of two wins
            if left >= 0:
                state.p[state.label[left]] = 0.0
            state.p[state.label[right]] = 1.0 / (right - at)
        return state.p

    def learn(self, state: State, x: Any, p: Array, f: Outcome) -> State:
        at, y = int(state.place[int(x[0])]), int(f.y)
        clash = state.clashes + (f.h if state.label[at] >= 0 and state.label[at] != y else 0.0)
        state.label[at] = y
        for k in range(state.level.shape[0] - 1):
            at, bit = at >> STEP, at & (BITS - 1)
            w = state.level[k] + at
            old = state.words[w]
            state.words[w] = old | (1 << bit)
            if old != 0:
                break  # this word was not 0 before, so the levels above have its bit
        return State(state.place, state.label, state.words, state.level, state.p, clash)

    def write_diagnostics(self, state: State, R: Array) -> None:
        R[0] = state.clashes


def highest(word: int) -> int:
    """The place of the highest bit of a word that is not 0."""
    k = 0
    if word >= 65536:
        k, word = k + 16, word >> 16
    if word >= 256:
        k, word = k + 8, word >> 8
    if word >= 16:
        k, word = k + 4, word >> 4
    if word >= 4:
        k, word = k + 2, word >> 2
    return k + (1 if word >= 2 else 0)


def before(words: Any, level: Any, at: int) -> int:
    """The last place before `at` that has a label; -1 where there is none."""
    for k in range(level.shape[0] - 1):
        w = at >> STEP
        rest = words[level[k] + w] & ((1 << (at & (BITS - 1))) - 1)
        if rest != 0:
            at = (w << STEP) + highest(rest)
            for j in range(k - 1, -1, -1):
                at = (at << STEP) + highest(words[level[j] + at])
            return at
        at = w
    return -1


def after(words: Any, level: Any, at: int) -> int:
    """The first place after `at` that has a label; -1 where there is none."""
    for k in range(level.shape[0] - 1):
        w, bit = at >> STEP, at & (BITS - 1)
        rest = words[level[k] + w] >> (bit + 1) << (bit + 1)
        if rest != 0:
            at = (w << STEP) + highest(rest & -rest)
            for j in range(k - 1, -1, -1):
                low = words[level[j] + at]
                at = (at << STEP) + highest(low & -low)
            return at
        at = w
    return -1
