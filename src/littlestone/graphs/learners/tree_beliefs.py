"""Bayes' rule on a tree: the beliefs of its vertices about their classes, and their messages to the vertex above.

A row of M has, of one place in the tree, ln of the belief, class by class, then ln of the message to the place above.
Along an edge the label stays with probability 1 - theta, and each other class follows with theta/(K - 1). So a message
is `other + same * belief` with other = theta/(K - 1) and same = 1 - theta - other. Where edges differ, `along` has the
`same` of the edge above each place, and other is (1 - same)/K; `along` is empty where they are all alike.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.numeric import decay_one, log_one
from ...core.stream import Array
from ..algorithms.spanning_trees import levels

TOLERANCE = 1e-9  # a message that changes by less is not sent on
SMALL = 1e-200  # smaller numbers are scaled up again


def carried(theta: float, K: int) -> float:
    """`same`: the part of a belief that an edge carries over; all of it where labels never change."""
    return 1.0 - theta * K / (K - 1.0)


def posterior(M: Any, parent: Any, v: int, theta: float, along: Any, Q: Any, e: Any) -> None:
    """Write the posterior of the classes at v, on one tree, into e.

    Walk up from v. Q[c, j] is proportional to the probability of class c at v, of class j at the ancestor that the
    walk has come to, and of all labels seen below that ancestor; what is above it can only weigh the columns. The
    walk ends at the root, or where all columns agree.
    """
    K = e.shape[0]
    if K == 1:
        e[0] = 1.0
        return
    same = carried(theta, K)
    other = (1.0 - same) / K
    weighted = along.shape[0] > 0
    softmax(M[v], K, e)
    for c in range(K):
        for j in range(K):
            Q[c, j] = e[c] if c == j else 0.0
    up, steps = parent[v], 0
    while up >= 0:
        without(M[up], M[v], K, e)
        if weighted:
            same = along[v]
            other = (1.0 - same) / K
        total = 0.0
        for c in range(K):
            s = 0.0
            for j in range(K):
                s += Q[c, j]
            s *= other
            for j in range(K):
                Q[c, j] = (s + same * Q[c, j]) * e[j]
                total += Q[c, j]
        v, up, steps = up, parent[up], steps + 1
        if (
            steps % 4 == 0 or total < SMALL
        ):  # a check at every step would cost more than the steps that it saves
            scale = 1.0 / total
            for c in range(K):
                for j in range(K):
                    Q[c, j] *= scale
            if agreed(Q, K):
                break
    for c in range(K):
        s = 0.0
        for j in range(K):
            s += Q[c, j]
        e[c] = s
    total = 0.0
    for c in range(K):
        total += e[c]
    for c in range(K):
        e[c] /= total


def agreed(Q: Any, K: int) -> bool:
    """Do all columns of Q say the same of the classes, so that weighing them changes nothing?"""
    first = 0.0
    for c in range(K):
        first += Q[c, 0]
    for j in range(1, K):
        s = 0.0
        for c in range(K):
            s += Q[c, j]
        for c in range(K):
            if abs(Q[c, j] * first - Q[c, 0] * s) > TOLERANCE * first * s:
                return False
    return True


def softmax(row: Any, K: int, e: Any) -> None:
    top = row[0]
    for c in range(1, K):
        top = max(top, row[c])
    total = 0.0
    for c in range(K):
        e[c] = decay_one(row[c] - top)
        total += e[c]
    scale = 1.0 / total
    for c in range(K):
        e[c] *= scale


def without(row: Any, child: Any, K: int, e: Any) -> None:
    """What a vertex believes without the message of one child, scaled to the largest."""
    top = row[0] - child[K]
    for c in range(1, K):
        top = max(top, row[c] - child[K + c])
    for c in range(K):
        e[c] = decay_one(row[c] - child[K + c] - top)


def observe_label(
    M: Any, parent: Any, v: int, y: int, cost: float, theta: float, along: Any, e: Any
) -> float:
    """The label of v is y: other classes there lose `cost` nats; send what that changes up the tree.

    Beliefs are kept so that their exponentials sum to 1. What is taken away for that adds up to the change of ln of
    the probability of the labels seen, which is returned: what lies beyond the end of the walk changes nothing.
    """
    K = e.shape[0]
    if K == 1:
        return 0.0
    for c in range(K):
        if c != y:
            M[v, c] -= cost
    same = carried(theta, K)
    other = (1.0 - same) / K
    weighted = along.shape[0] > 0
    gained = 0.0
    while True:
        much = normalised(M[v], K, e)
        gained += much
        up = parent[v]
        if up < 0:
            break
        if weighted:
            same = along[v]
            other = (1.0 - same) / K
        most = 0.0
        for c in range(K):
            e[c] = log_one(K * (other + same * e[c]))
            most = max(most, abs(e[c] - M[v, K + c]))
        if most < TOLERANCE:
            break  # the message to the parent stays as it was sent last
        for c in range(K):
            M[up, c] += e[c] - M[v, K + c]
            M[v, K + c] = e[c]
        v = up
    return gained


def normalised(row: Any, K: int, e: Any) -> float:
    """Shift the beliefs of a vertex until their exponentials, written into e, sum to 1; by how much."""
    top = row[0]
    for c in range(1, K):
        top = max(top, row[c])
    total = 0.0
    for c in range(K):
        e[c] = decay_one(row[c] - top)
        total += e[c]
    much, scale = top + log_one(total), 1.0 / total
    for c in range(K):
        e[c] *= scale
        row[c] -= much
    return float(much)


def sent(M: Array, parent: Any, seen: Array, same: Any, beta: float) -> float:
    """Fill in the beliefs and messages of one tree, from the leaves to the root, for the labels seen.

    `same` is that of the edge above each vertex. Returns ln of the probability of the labels seen.
    """
    K = seen.shape[1]
    M[:, :K] = (seen.sum(axis=1, keepdims=True) - seen) * math.log(beta) - math.log(K)
    M[:, K:] = 0.0
    total = 0.0
    for depth, level in reversed(list(enumerate(levels(parent)))):
        B = M[level, :K]
        top = B.max(axis=1, keepdims=True)
        much = top + np.log(np.exp(B - top).sum(axis=1, keepdims=True))
        M[level, :K] -= much
        total += float(much.sum())
        if depth:
            on = same[level, None]
            M[level, K:] = np.log(1.0 - on + K * on * np.exp(M[level, :K]))
            np.add.at(M[:, :K], parent[level], M[level, K:])
    return total
