"""Spanning trees of a graph, drawn at random, and the order in which a walk down one of them meets the vertices.

Wilson's algorithm: from each vertex that is not in the tree, walk at random, an edge with probability proportional to
its weight, until the tree is met; the walk without its loops joins the tree. A tree is drawn with probability
proportional to the product of its weights, so an edge of weight w and effective resistance r is in it with
probability w r (T-FOSTER). A part that one edge joins to the rest is joined without walking. A walk may take long, as
along a cycle of a million vertices; after 500 steps a vertex the rest of the tree is grown neighbour by neighbour:
then it is a spanning tree like others, but no longer drawn with these probabilities.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.numeric import uniform
from .compiling import compiled_if_long
from .graph import Graph

PATIENCE = 500  # the walks take at most so many steps for each vertex


def spanning_trees(graph: Graph, count: int, seed: int = 0) -> Any:
    """`count` trees: row r has the parent of each vertex in tree r, -1 for a root; one root a connected part.

    The root of a part is a vertex with most neighbours. The trees of a seed are always the same.

    >>> from littlestone.graphs.algorithms.graph import from_edges
    >>> spanning_trees(from_edges([(0, 1), (1, 2)], 3), 2).tolist()
    [[1, -1, 1], [1, -1, 1]]
    """
    parent = np.empty((count, graph.n), np.int64)
    roots, totals = roots_of(graph), running_sums(graph, graph.weight)
    draw = compiled_if_long(wilson, count * graph.n)
    for r in range(count):
        draw(graph.begins, graph.index, totals, roots, int(seed), r, parent[r])
    return parent


def roots_of(graph: Graph) -> Any:
    """Of each connected part, the vertex with most neighbours."""
    parts, part = graph.components
    order = np.lexsort((np.arange(graph.n), -np.diff(graph.begins)))
    roots = np.full(parts, -1, np.int64)
    for v in order[::-1]:
        roots[part[v]] = v
    return roots


def running_sums(graph: Graph, weight: Any) -> Any:
    """The running sums, at each vertex, of the weights of its edges."""
    running = np.cumsum(weight)
    before = np.concatenate([[0.0], running])[graph.begins[:-1]]
    return running - np.repeat(before, np.diff(graph.begins))


def wilson(
    begins: Any, index: Any, totals: Any, roots: Any, seed: int, tree: int, parent: Any
) -> None:
    """Draw a tree into `parent`; `totals` holds the running sums of the weights at each vertex."""
    n = begins.shape[0] - 1
    inside, hanging = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    for v in range(n):
        parent[v] = -1
    for k in range(roots.shape[0]):
        inside[roots[k]] = True
    strip(begins, index, inside, hanging, parent)
    drawn, most = 0, PATIENCE * n
    for first in range(n):
        v = first
        while not (inside[v] or hanging[v]) and drawn < most:
            low, high = begins[v], begins[v + 1] - 1
            u = uniform(seed, tree, drawn) * totals[high]
            drawn += 1
            while low < high:
                middle = (low + high) // 2
                if totals[middle] > u:
                    high = middle
                else:
                    low = middle + 1
            if not hanging[index[low]]:  # from there the walk would come back here
                parent[v] = index[low]  # what remains of a loop is overwritten
                v = parent[v]
        if not inside[v]:
            continue  # it is joined already, or the walks have used up their steps
        v = first
        while not (inside[v] or hanging[v]):
            inside[v] = True
            v = parent[v]
    if drawn >= most:
        spread(begins, index, inside, hanging, parent)


def strip(begins: Any, index: Any, inside: Any, hanging: Any, parent: Any) -> None:
    """Join each vertex that has one neighbour to it, and repeat with the rest: such edges are in every tree."""
    n = begins.shape[0] - 1
    left, stack, top = np.zeros(n, np.int64), np.zeros(n, np.int64), 0
    for v in range(n):
        left[v] = begins[v + 1] - begins[v]
        if left[v] == 1 and not inside[v]:
            stack[top] = v
            top += 1
    while top > 0:
        top -= 1
        v = stack[top]
        hanging[v] = True
        for e in range(begins[v], begins[v + 1]):
            u = index[e]
            if not hanging[u]:
                parent[v] = u
                left[u] -= 1
                if left[u] == 1 and not inside[u]:
                    stack[top] = u
                    top += 1


def spread(begins: Any, index: Any, inside: Any, hanging: Any, parent: Any) -> None:
    """Let the tree grow over the rest of the graph, neighbour by neighbour."""
    n = begins.shape[0] - 1
    queue, last = np.zeros(n, np.int64), 0
    for v in range(n):
        if inside[v]:
            queue[last] = v
            last += 1
    first = 0
    while first < last:
        v = queue[first]
        first += 1
        for e in range(begins[v], begins[v + 1]):
            u = index[e]
            if not inside[u] and not hanging[u]:
                inside[u] = True
                parent[u] = v
                queue[last] = u
                last += 1


def depth_first(parent: Any) -> Any:
    """The vertices in the order in which a walk down the tree (or trees) first meets them.

    Two vertices that follow each other are joined by a path of the tree, and no edge is on more than two of these
    paths: where labels change k times along the tree they change at most 2 k times along the order, and once more
    for each further connected part.

    >>> depth_first(np.array([-1, 0, 0, 1])).tolist()
    [0, 1, 3, 2]
    """
    children, begins = children_of(parent)
    order = np.empty(len(parent), np.int64)
    compiled_if_long(walk_down, len(parent))(children, begins, order)
    return order


def children_of(parent: Any) -> tuple[Any, Any]:
    """The children of v are children[begins[v + 1] : begins[v + 2]]; the roots, which have no parent, come first."""
    children = np.argsort(parent, kind="stable").astype(np.int64)
    begins = np.searchsorted(parent[children], np.arange(-1, len(parent) + 1)).astype(np.int64)
    return children, begins


def heavy_first(parent: Any) -> Any:
    """The depth-first order that goes from each vertex first to the child with the most vertices below it.

    So the way up from any vertex to the root goes back along the order, and jumps at most log2 n times.

    >>> heavy_first(np.array([-1, 0, 0, 2])).tolist()
    [0, 2, 3, 1]
    """
    children, begins = children_of(parent)
    n = len(parent)
    order = np.empty(n, np.int64)
    compiled_if_long(walk_down, n)(children, begins, order)
    compiled_if_long(heaviest_to_front, n)(parent, order, children, begins, np.ones(n, np.int64))
    compiled_if_long(walk_down, n)(children, begins, order)
    return order


def heaviest_to_front(parent: Any, order: Any, children: Any, begins: Any, size: Any) -> None:
    """Among the children of each vertex, put the one with the largest subtree first; `order` has parents first."""
    n = order.shape[0]
    for k in range(n - 1, -1, -1):
        v = order[k]
        if parent[v] >= 0:
            size[parent[v]] += size[v]
    for v in range(n):
        first = begins[v + 1]
        for k in range(first + 1, begins[v + 2]):
            if size[children[k]] > size[children[first]]:
                children[k], children[first] = children[first], children[k]


def walk_down(children: Any, begins: Any, order: Any) -> None:
    n = order.shape[0]
    stack, top = np.empty(n + 1, np.int64), 0
    for k in range(begins[1] - 1, begins[0] - 1, -1):
        stack[top] = children[k]
        top += 1
    met = 0
    while top > 0:
        top -= 1
        v = stack[top]
        order[met] = v
        met += 1
        for k in range(begins[v + 2] - 1, begins[v + 1] - 1, -1):
            stack[top] = children[k]
            top += 1


def from_far_ends(parent: Any) -> Any:
    """The same trees, each with a root that is as far as possible from the root that it had.

    So the depth-first order of a path is the path.

    >>> from_far_ends(np.array([1, -1, 1, 2])).tolist()  # 0 - 1 - 2 - 3, first from 1, then from 3
    [1, 2, 3, -1]
    """
    made = parent.copy()
    home = np.empty(len(parent), np.int64)
    last: dict[int, int] = {}
    for depth, level in enumerate(levels(parent)):
        home[level] = level if depth == 0 else home[parent[level]]
        last.update(zip(home[level[::-1]].tolist(), level[::-1].tolist(), strict=True))
    for v in last.values():
        before, now = -1, v
        while now >= 0:
            made[now], before, now = before, now, int(parent[now])
    return made


def levels(parent: Any) -> list[Any]:
    """The vertices by their distance from the root: roots, their children, and so on."""
    n = len(parent)
    depth = np.zeros(n, np.int64)
    compiled_if_long(measure, n)(parent, depth_first(parent), depth)
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depth))[:-1])


def measure(parent: Any, order: Any, depth: Any) -> None:
    for k in range(order.shape[0]):
        v = order[k]
        depth[v] = depth[parent[v]] + 1 if parent[v] >= 0 else 0


def weights_above(graph: Graph, parent: Any) -> Any:
    """The weight of the edge from each vertex to its parent, of one tree; 1 for a root."""
    made = np.ones(graph.n)
    compiled_if_long(weigh, graph.n)(graph.begins, graph.index, graph.weight, parent, made)
    return made


def weigh(begins: Any, index: Any, weight: Any, parent: Any, made: Any) -> None:
    for v in range(parent.shape[0]):
        if parent[v] >= 0:
            made[v] = weight[entry(begins, index, v, parent[v])]


def entry(begins: Any, index: Any, v: int, u: int) -> int:
    """Where u is among the neighbours of v."""
    low, high = begins[v], begins[v + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if index[middle] < u:
            low = middle + 1
        else:
            high = middle
    return int(low)
