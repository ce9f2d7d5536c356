"""Common subtrees of all pairs of trees, compiled; imported when a Gram matrix of trees is made."""

from __future__ import annotations

from typing import Any

import numpy as np

from littlestone.core.stream import Array

from .compiled_strings import compiled


@compiled
def rooted(label: Any, start: Any, child: Any, v: int, w: int, K: Array, i: int, j: int) -> float:  # fmt: skip
    """The pairs of equal subtrees with roots v and w and at least one edge, from those of their children in K."""
    degree = start[v + 1] - start[v]
    if degree == 0 or degree != start[w + 1] - start[w] or label[v] != label[w]:
        return 0.0
    total = 1.0
    for c in range(degree):
        a, b = child[start[v] + c], child[start[w] + c]
        total *= (1.0 if label[a] == label[b] else 0.0) + K[a - i, b - j]
    return total


@compiled
def tree_pairs(
    begin: Any, label: Any, start: Any, child: Any, n: int, first: int, half: bool,
    everywhere: bool, own: bool, K: Array,
) -> None:  # fmt: skip
    """K of the first n trees and those from `first` on: subtrees anywhere, or with the roots only.

    The nodes of tree i are begin[i], …, begin[i+1] - 1, children before their parents, the root last.
    """
    most = 0
    for i in range(begin.shape[0] - 1):
        most = max(most, begin[i + 1] - begin[i])
    R = np.zeros((most, most))
    for i in range(n):
        for j in range(begin.shape[0] - 1 - first):
            if (half and j < i) or (own and j != i):
                continue
            a, b, total = begin[i], begin[first + j], 0.0
            for v in range(a, begin[i + 1]):
                for w in range(b, begin[first + j + 1]):
                    R[v - a, w - b] = rooted(label, start, child, v, w, R, a, b)
                    total += R[v - a, w - b]
            if not everywhere:
                total = R[begin[i + 1] - 1 - a, begin[first + j + 1] - 1 - b]
            K[i, 0 if own else j] = total
            if half and not own:
                K[j, i] = total
