"""Renumber vertices in breadth-first order, so that neighbours are close in memory."""

from __future__ import annotations

from typing import Any


def breadth_first(begins: Any, index: Any, sources: Any, order: Any, place: Any) -> int:
    """Write the vertices into `order`, from each of `sources` on that was not reached before, and where each of them
    stands into `place`, -1 everywhere at first. How many were reached."""
    used = 0
    for k in range(sources.shape[0]):
        if place[sources[k]] < 0:
            used = reached(begins, index, sources[k], order, place, used)
    return used


def reached(begins: Any, index: Any, source: int, order: Any, place: Any, first: int) -> int:
    """Number the part of the graph around `source` from `first` on; the number after its last."""
    order[first], place[source] = source, first
    last = first + 1
    while first < last:
        v = order[first]
        first += 1
        for e in range(begins[v], begins[v + 1]):
            u = index[e]
            if place[u] < 0:
                order[last], place[u] = u, last
                last += 1
    return last


def renumbered(
    begins: Any, index: Any, weight: Any, root: Any, order: Any, place: Any,
    starts: Any, middle: Any, ends: Any, size: Any, scaled: Any,
) -> None:  # fmt: skip
    """The same graph in new numbers: starts, ends and size are its CSR arrays; of each row neighbours with smaller
    numbers stand first, up to `middle`. `scaled` is size times `root` (of the old numbers) at both ends."""
    front = 0
    for i in range(order.shape[0]):
        v, last = order[i], front
        starts[i] = front
        back = front + begins[v + 1] - begins[v]
        for e in range(begins[v], begins[v + 1]):
            u, w = index[e], weight[e]
            if place[u] < i:
                at, last = last, last + 1
            else:
                back -= 1
                at = back
            ends[at], size[at], scaled[at] = place[u], w, w * root[v] * root[u]
        middle[i] = last
        front += begins[v + 1] - begins[v]
    starts[order.shape[0]] = front
