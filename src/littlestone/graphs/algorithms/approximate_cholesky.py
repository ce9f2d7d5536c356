"""An approximate Cholesky factor of a Laplacian, and conjugate gradients with it: a few passes over the edges a solve.

Eliminating a vertex joins all its neighbours to each other: a clique, of which only a random tree is kept, with weights
that are right on average. So the factor has no more entries than the graph, whatever the order, and it is close enough
to the exact one that conjugate gradients converge in a few dozen steps. Vertices of few neighbours are eliminated
first. Kyng & Sachdeva (2016), in the form of Gao, Kyng & Spielman (2023).
Ledger: A-APPROXIMATE-CHOLESKY.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.numeric import uniform
from ...core.stream import Array
from .compiling import compiled_if_long


class Factor(NamedTuple):
    """Column k eliminates vertex order[k]: it moves shares of its value to the vertices row[begin[k]:begin[k + 1]]."""

    order: Any
    begin: Any
    row: Any
    share: Array
    pivot: Array  # the pivot of each vertex


def factorised(a: Any, b: Any, w: Any, n: int, seed: int) -> Factor:
    """The factor of the Laplacian of edges a[e] - b[e], each given once; vertex n - 1 is eliminated last."""
    m = len(a)
    order, begin, pivot = np.zeros(n - 1, np.int64), np.zeros(n, np.int64), np.zeros(n)
    row, share = compiled_if_long(eliminate, m + n)(
        np.ascontiguousarray(a, np.int64), np.ascontiguousarray(b, np.int64),
        np.ascontiguousarray(w, np.float64), n, int(seed), order, begin, pivot,
    )  # fmt: skip
    return Factor(order, begin, row, share, pivot)


def eliminate(
    a: Any, b: Any, w: Any, n: int, seed: int, order: Any, begin: Any, pivot: Any
) -> tuple[Any, Any]:
    """Eliminate vertices, those with few edges first; the entries of the factor, `row` and `share`.

    Edge e has two halves, 2 e in the list of its one end and 2 e + 1 in that of the other. A half that has no value
    any more is passed over. The clique that an elimination makes is drawn as a tree, whose edges take the places of
    those that were eliminated: no edge is ever added.
    """
    m = a.shape[0]
    row, share = np.empty(4 * m + n, np.int64), np.empty(4 * m + n)
    end, value = np.empty(2 * m, np.int64), np.empty(2 * m)
    following, head = np.full(2 * m, -1, np.int64), np.full(n, -1, np.int64)
    other = np.empty(2 * m, np.int64)  # the other half of an edge
    degree = np.zeros(n, np.int64)
    for e in range(m):
        u, v = a[e], b[e]
        end[2 * e], value[2 * e], other[2 * e] = v, w[e], 2 * e + 1
        end[2 * e + 1], value[2 * e + 1], other[2 * e + 1] = u, w[e], 2 * e
        following[2 * e], head[u] = head[u], 2 * e
        following[2 * e + 1], head[v] = head[v], 2 * e + 1
        degree[u] += 1
        degree[v] += 1
    # vertices by degree, in lists that are linked both ways; degrees beyond `most` share a list
    most = 4 * int(2 * m / n + 2) + 16
    first = np.full(most + 1, -1, np.int64)
    after, before = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    for v in range(n - 1):
        link(first, after, before, min(degree[v], most), v)
    place = np.full(n, -1, np.int64)  # of a neighbour among those of the vertex that is eliminated
    half, near, size = np.empty(2 * m, np.int64), np.empty(2 * m, np.int64), np.empty(2 * m)
    running = np.empty(2 * m)
    used, low, drawn = 0, 0, 0
    for k in range(n - 1):
        while first[low] < 0:
            low += 1
        v = first[low]
        unlink(first, after, before, low, v)
        order[k], begin[k] = v, used
        count = 0
        h = head[v]
        while h >= 0:  # the neighbours, edges to the same one made one
            step = following[h]
            u = end[h]
            if value[h] > 0.0:
                if place[u] >= 0:
                    size[place[u]] += value[h]
                    value[other[h]] = 0.0
                    low = lowered(first, after, before, degree, most, low, u, n)
                else:
                    place[u] = count
                    half[count], near[count], size[count] = h, u, value[h]
                    count += 1
            h = step
        for i in range(count):
            place[near[i]] = -1
        ranked(size, half, near, count)
        total = 0.0
        for i in range(count):
            total += size[i]
            running[i] = total
        if used + count > row.shape[0]:
            more, parts = np.empty(2 * row.shape[0], np.int64), np.empty(2 * row.shape[0])
            for i in range(used):
                more[i], parts[i] = row[i], share[i]
            row, share = more, parts
        left, scale = total, 1.0
        for i in range(count - 1):
            u, h = near[i], half[i]
            f = size[i] * scale / left
            r = running[i] + uniform(seed, 0, drawn) * (total - running[i])
            drawn += 1
            lower, upper = i + 1, count - 1
            while lower < upper:
                middle = (lower + upper) // 2
                if running[middle] > r:
                    upper = middle
                else:
                    lower = middle + 1
            x = near[lower]
            weight = f * (1.0 - f) * left
            back = other[h]  # in the list of u: there it leads to x from now on
            end[back], value[back] = x, weight
            end[h], value[h] = u, weight
            following[h], head[x] = head[x], h
            if x != n - 1:
                if degree[x] < most:
                    unlink(first, after, before, degree[x], x)
                    link(first, after, before, degree[x] + 1, x)
                degree[x] += 1
            row[used], share[used] = u, f
            used += 1
            scale *= 1.0 - f
            left *= (1.0 - f) * (1.0 - f)
        if count > 0:
            u, h = near[count - 1], half[count - 1]
            value[other[h]] = 0.0
            low = lowered(first, after, before, degree, most, low, u, n)
            row[used], share[used] = u, 1.0
            used += 1
            pivot[v] = size[count - 1] * scale
        if low > 0:
            low -= 1
    begin[n - 1] = used
    return row[:used].copy(), share[:used].copy()


def link(first: Any, after: Any, before: Any, list_: int, v: int) -> None:
    """Put a vertex in front of a list."""
    after[v], before[v] = first[list_], -1
    if first[list_] >= 0:
        before[first[list_]] = v
    first[list_] = v


def unlink(first: Any, after: Any, before: Any, list_: int, v: int) -> None:
    if before[v] >= 0:
        after[before[v]] = after[v]
    else:
        first[list_] = after[v]
    if after[v] >= 0:
        before[after[v]] = before[v]


def lowered(
    first: Any, after: Any, before: Any, degree: Any, most: int, low: int, v: int, n: int
) -> int:
    """Lower the degree of v by one edge; return the least degree that may occur."""
    if v == n - 1:
        return low
    if degree[v] <= most:
        unlink(first, after, before, degree[v], v)
        link(first, after, before, degree[v] - 1, v)
    degree[v] -= 1
    return int(min(low, min(degree[v], most)))


def ranked(size: Any, half: Any, near: Any, count: int) -> None:
    """Sort by size, in place: the smallest first."""
    gap = 1
    while 3 * gap + 1 < count:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            s, h, u, j = size[i], half[i], near[i], i
            while j >= gap and size[j - gap] > s:
                size[j], half[j], near[j] = size[j - gap], half[j - gap], near[j - gap]
                j -= gap
            size[j], half[j], near[j] = s, h, u
        gap //= 3


def apply_factor(order: Any, begin: Any, row: Any, share: Any, pivot: Any, y: Any) -> None:
    """y becomes the solution of the factored system with the right-hand side y."""
    n = order.shape[0]
    for k in range(n):
        v = order[k]
        moved = y[v]
        last = begin[k + 1] - 1
        for j in range(begin[k], last):
            y[row[j]] += share[j] * moved
            moved *= 1.0 - share[j]
        if last >= begin[k]:
            y[row[last]] += moved
        y[v] = moved
    for k in range(n):
        v = order[k]
        if pivot[v] > 0.0:
            y[v] /= pivot[v]
    y[n] = 0.0
    for k in range(n - 1, -1, -1):
        v = order[k]
        last = begin[k + 1] - 1
        s = y[v]
        if last >= begin[k]:
            s += y[row[last]]
        for j in range(last - 1, begin[k] - 1, -1):
            s = (1.0 - share[j]) * s + share[j] * y[row[j]]
        y[v] = s


def conjugate_gradients(
    begins: Any, index: Any, weight: Any, diagonal: Any, order: Any, begin: Any, row: Any, share: Any, pivot: Any,
    b: Any, x: Any, room: Any, tolerance: float, most: int,
) -> int:  # fmt: skip
    """x with |A x - b| <= tolerance |b|; how many steps were made."""
    n = b.shape[0]
    r, z, d, q = room[0], room[1], room[2], room[3]
    size = 0.0
    for i in range(n):
        x[i] = 0.0
        r[i] = b[i]
        size += b[i] * b[i]
    enough = tolerance * tolerance * size
    steps, old, left = 0, 1.0, size
    while left > enough and steps < most:
        total = 0.0
        for i in range(n):
            z[i] = r[i]
            total += r[i]
        z[n] = -total
        apply_factor(order, begin, row, share, pivot, z)
        now = 0.0
        for i in range(n):
            z[i] -= z[n]
            now += z[i] * r[i]
        ratio = now / old if steps > 0 else 0.0
        old = now
        for i in range(n):
            d[i] = z[i] + ratio * d[i]
        curve = 0.0
        for i in range(n):
            s = diagonal[i] * d[i]
            for e in range(begins[i], begins[i + 1]):
                s -= weight[e] * d[index[e]]
            q[i] = s
            curve += s * d[i]
        if not curve > 0.0:
            return most
        a = now / curve
        left = 0.0
        for i in range(n):
            x[i] += a * d[i]
            r[i] -= a * q[i]
            left += r[i] * r[i]
        steps += 1
    return steps
