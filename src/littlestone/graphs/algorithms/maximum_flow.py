"""Maximum flow between two sets of vertices, for weights of any kind: two trees grow towards each other.

A tree grows from the positive vertices and one from the negative ones; where they meet, flow is pushed along the path;
the trees are mended, not grown anew. Each edge carries flow either way. Boykov & Kolmogorov (2004).
Ledger: A-MAX-FLOW.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiling import compiled_if_long
from .graph import Graph

FREE, PLUS, MINUS = 0, 1, 2
NONE, TERMINAL, ORPHAN = -1, -2, -3  # instead of the edge to a parent
SMALL = 1e-12  # an edge that can carry less than this part of the largest weight is full


def maximum_flow(graph: Graph, plus: Any, minus: Any) -> tuple[float, Any, Any]:
    """The largest flow; the vertices on the positive side of every minimum cut; those on that of at least one."""
    begins, index = graph.begins, graph.index
    m = len(index)
    # the entry of the same edge at its other end: entries are sorted by tail, then by head
    back = np.empty(m, np.int64)
    back[np.lexsort((graph.tails, index))] = np.arange(m)
    rest = graph.weight.astype(np.float64).copy()
    side = np.zeros(graph.n, np.int64)
    side[plus], side[minus] = PLUS, MINUS
    few = SMALL * float(rest.max(initial=1.0))
    flow = compiled_if_long(push, m)(begins, index, back, rest, side, few)
    inner, outer = np.zeros(graph.n, np.bool_), np.zeros(graph.n, np.bool_)
    compiled_if_long(reach, m)(begins, index, back, rest, side, PLUS, few, inner)
    compiled_if_long(reach, m)(begins, index, back, rest, side, MINUS, few, outer)
    return float(flow), inner, ~outer


def push(begins: Any, index: Any, back: Any, rest: Any, side: Any, few: float) -> float:
    """Push flow until there is no path left; return how much. `rest` becomes what each edge can still carry."""
    n = side.shape[0]
    tree, parent = np.zeros(n, np.int64), np.full(n, NONE, np.int64)
    stamp, depth = np.zeros(n, np.int64), np.zeros(n, np.int64)
    queue, waits = np.empty(n + 1, np.int64), np.zeros(n, np.bool_)
    first, last = 0, 0
    orphans, top = np.empty(n, np.int64), 0
    flow, time = 0.0, 0
    for v in range(n):
        if side[v] != FREE:
            tree[v], parent[v], depth[v] = side[v], TERMINAL, 1
            queue[last], waits[v] = v, True
            last += 1
    now = -1
    while True:
        if now < 0 or parent[now] == NONE:
            now = -1
            while first != last:
                v = queue[first]
                first = (first + 1) % (n + 1)
                waits[v] = False
                if parent[v] != NONE:
                    now = v
                    break
            if now < 0:
                return flow
        meeting = -1  # an entry from the positive to the negative tree
        for e in range(begins[now], begins[now + 1]):
            u = index[e]
            can = rest[e] if tree[now] == PLUS else rest[back[e]]
            if can <= few:
                continue
            if tree[u] == FREE:
                tree[u], parent[u] = tree[now], back[e]
                stamp[u], depth[u] = stamp[now], depth[now] + 1
                if not waits[u]:
                    queue[last], waits[u] = u, True
                    last = (last + 1) % (n + 1)
            elif tree[u] != tree[now]:
                meeting = e if tree[now] == PLUS else back[e]
                break
            elif stamp[u] <= stamp[now] and depth[u] > depth[now] + 1 and parent[u] >= 0:
                parent[u], stamp[u], depth[u] = back[e], stamp[now], depth[now] + 1
        if meeting < 0:
            now = -1
            continue
        time += 1
        # the least that the path can carry
        least = rest[meeting]
        v = index[back[meeting]]
        while parent[v] != TERMINAL:
            least = min(least, rest[back[parent[v]]])
            v = index[parent[v]]
        v = index[meeting]
        while parent[v] != TERMINAL:
            least = min(least, rest[parent[v]])
            v = index[parent[v]]
        flow += least
        rest[meeting] -= least
        rest[back[meeting]] += least
        v = index[back[meeting]]
        while parent[v] != TERMINAL:
            e = parent[v]
            rest[e] += least
            rest[back[e]] -= least
            up = index[e]
            if rest[back[e]] <= few:
                parent[v] = ORPHAN
                orphans[top] = v
                top += 1
            v = up
        v = index[meeting]
        while parent[v] != TERMINAL:
            e = parent[v]
            rest[back[e]] += least
            rest[e] -= least
            up = index[e]
            if rest[e] <= few:
                parent[v] = ORPHAN
                orphans[top] = v
                top += 1
            v = up
        while top > 0:  # an orphan finds another parent, or is set free with all that hangs from it
            top -= 1
            v = orphans[top]
            mine, best, near = tree[v], NONE, n + 2
            for e in range(begins[v], begins[v + 1]):
                u = index[e]
                can = rest[back[e]] if mine == PLUS else rest[e]
                if can <= few or tree[u] != mine or parent[u] == NONE:
                    continue
                d = 0  # how far its root is, where it has one
                w = u
                while True:
                    if stamp[w] == time:
                        d += depth[w]
                        break
                    up = parent[w]
                    d += 1
                    if up == TERMINAL:
                        stamp[w], depth[w] = time, 1
                        break
                    if up < 0:  # it hangs from an orphan
                        d = n + 2
                        break
                    w = index[up]
                if d < n + 2:
                    if d < near:
                        best, near = e, d
                    w = u
                    while stamp[w] != time:
                        stamp[w], depth[w] = time, d
                        d -= 1
                        w = index[parent[w]]
            if best != NONE:
                parent[v], stamp[v], depth[v] = best, time, near + 1
                continue
            parent[v] = NONE
            for e in range(begins[v], begins[v + 1]):
                u = index[e]
                if tree[u] != mine or parent[u] == NONE:
                    continue
                can = rest[back[e]] if mine == PLUS else rest[e]
                if can > few and not waits[u]:
                    queue[last], waits[u] = u, True
                    last = (last + 1) % (n + 1)
                if parent[u] >= 0 and index[parent[u]] == v:
                    parent[u] = ORPHAN
                    orphans[top] = u
                    top += 1
            tree[v] = FREE


def reach(
    begins: Any, index: Any, back: Any, rest: Any, side: Any, start: int, few: float, found: Any
) -> None:
    """Mark what can be reached from the positive vertices, or what the negative ones can be reached from."""
    n = side.shape[0]
    stack, top = np.empty(n, np.int64), 0
    for v in range(n):
        if side[v] == start:
            found[v] = True
            stack[top] = v
            top += 1
    while top > 0:
        top -= 1
        v = stack[top]
        for e in range(begins[v], begins[v + 1]):
            u = index[e]
            can = rest[e] if start == PLUS else rest[back[e]]
            if can > few and not found[u]:
                found[u] = True
                stack[top] = u
                top += 1
