"""A graph: symmetric, with weights above 0 (conductances), as the arrays of a compressed sparse matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .vocabulary import Vocabulary, is_missing, text_of

MOST = (
    1 << 27
)  # a graph has at most so many vertices, or entries: their numbers are exact as floats, and fit


class Graph(NamedTuple):
    """The neighbours of vertex v are index[begins[v]], …, index[begins[v + 1] - 1], in rising order.

    Every edge is there twice, once from each end. `weight` holds conductances: one over the resistance of an edge.
    Names of vertices are kept as UTF-8, one after the other (`letters`, `ends`): arrays of numbers, which compiled
    code takes whatever the names are. A graph without names has vertices 0, 1, …

    >>> g = from_edges([("ann", "bob"), ("bob", "eve", 2.0)])
    >>> g
    <Graph: 3 vertices, 2 edges>
    >>> g.names, g.neighbours(1).tolist(), g.degree.tolist()
    (['ann', 'bob', 'eve'], [0, 2], [1.0, 3.0, 2.0])
    """

    begins: Any  # n + 1 whole numbers
    index: Any  # the neighbours
    weight: Array  # of the edge to each of them
    letters: Any  # bytes of the names, empty where there are none
    ends: Any  # where each name ends

    def __repr__(self) -> str:
        return f"<Graph: {self.n:,} vertices, {self.edges:,} edges>"

    @property
    def n(self) -> int:
        """The number of vertices."""
        return len(self.begins) - 1

    @property
    def edges(self) -> int:
        """The number of edges, each counted once."""
        return len(self.index) // 2

    @property
    def names(self) -> list[str]:
        """The vertices as they were named; their numbers as text where they had no names."""
        if not len(self.ends):
            return [str(v) for v in range(self.n)]
        text, begin, found = self.letters.tobytes(), 0, []
        for end in self.ends.tolist():
            found.append(text[begin:end].decode())
            begin = end
        return found

    @property
    def degree(self) -> Array:
        """The sum of the weights at each vertex."""
        made: Any = np.bincount(self.tails, self.weight, self.n)
        return np.asarray(made, np.float64)

    @property
    def tails(self) -> Any:
        """The vertex that each entry of `index` is a neighbour of."""
        return np.repeat(np.arange(self.n), np.diff(self.begins))

    @property
    def components(self) -> tuple[int, Any]:
        """How many connected parts there are, and the part of each vertex."""
        from scipy.sparse.csgraph import connected_components

        count, part = connected_components(matrix(self), directed=False)
        return int(count), part

    def neighbours(self, v: int) -> Any:
        """The neighbours of vertex number v."""
        return self.index[self.begins[v] : self.begins[v + 1]]

    def pairs(self) -> tuple[Any, Any, Array]:
        """Each edge once: its smaller vertex, its larger vertex, its weight."""
        tails = self.tails
        once = tails < self.index
        return tails[once], self.index[once], self.weight[once]

    def numbers(self, names: Any) -> Any:
        """The numbers of vertices that are given by name.

        >>> from_edges([("ann", "bob"), ("bob", "eve")]).numbers(["eve", "ann"]).tolist()
        [2, 0]
        """
        return Vocabulary(self).numbers(names)


def matrix(graph: Graph) -> Any:
    """The weights as a matrix of SciPy, compressed by rows."""
    from scipy.sparse import csr_array

    return csr_array((graph.weight, graph.index, graph.begins), shape=(graph.n, graph.n))


def from_arrays(
    a: Any, b: Any, w: Any, n: int, names: list[str] | None = None, where: Any = None
) -> Graph:
    """A graph of edges a[e] - b[e] with weights w[e], checked; `where(e)` says in messages where edge e was read.

    An edge may be there twice, from both ends or repeated, if its weights agree: it is one edge.
    """
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    w = np.asarray(w, np.float64)
    place = where or (lambda e: f"edge {e + 1}")
    call = (lambda v: repr(names[v])) if names is not None else str
    if n < 1 or n > MOST or len(a) > MOST:
        raise BadInput(f"a graph has 1 to {MOST:,} vertices and edges, not {n:,} and {len(a):,}")
    bad = ~((a >= 0) & (a < n) & (b >= 0) & (b < n))
    if bad.any():
        e = int(np.argmax(bad))
        v = int(a[e]) if not 0 <= a[e] < n else int(b[e])
        raise BadInput(f"{place(e)}: there is no vertex {v}; they are numbered from 0 to {n - 1}")
    if (a == b).any():
        e = int(np.argmax(a == b))
        raise BadInput(
            f"{place(e)}: an edge from {call(int(a[e]))} to itself; leave it out (loops='drop')"
        )
    bad = ~(np.isfinite(w) & (w > 0.0))
    if bad.any():
        e = int(np.argmax(bad))
        raise BadInput(f"{place(e)}: the weight of an edge is a number above 0, not {w[e]:g}")
    key = np.minimum(a, b) * n + np.maximum(a, b)
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order][1:] == key[order][:-1])
    unlike = same[w[order[same]] != w[order[same + 1]]]
    if len(unlike):
        e, f = sorted((int(order[unlike[0]]), int(order[unlike[0] + 1])))
        raise BadInput(
            f"{place(f)}: the edge {call(int(a[f]))} - {call(int(b[f]))} was there before, at {place(e)}, "
            f"with the weight {w[e]:g} and not {w[f]:g}; keep one of the two"
        )
    once = (
        np.sort(order[np.concatenate([[True], key[order][1:] != key[order][:-1]])])
        if len(a)
        else order
    )
    return packed(a[once], b[once], w[once], n, names)


def packed(a: Any, b: Any, w: Any, n: int, names: list[str] | None = None) -> Graph:
    """The graph of edges that are known to be good, each given once."""
    from scipy.sparse import csr_array

    ends = (np.concatenate([a, b]), np.concatenate([b, a]))
    M = csr_array((np.concatenate([w, w]), ends), shape=(n, n))
    M.sort_indices()
    letters, name_ends = spelled(names)
    return Graph(
        M.indptr.astype(np.int64), M.indices.astype(np.int64), M.data.astype(np.float64), letters, name_ends
    )  # fmt: skip


def spelled(names: list[str] | None) -> tuple[Any, Any]:
    """Names as bytes, and where each of them ends."""
    if names is None:
        return np.zeros(0, np.uint8), np.zeros(0, np.int64)
    each = [name.encode() for name in names]
    ends = np.cumsum([len(e) for e in each]).astype(np.int64)
    return np.frombuffer(b"".join(each), np.uint8).copy(), ends


def from_edges(edges: Any, n: int | None = None, loops: str = "refuse", where: Any = None) -> Graph:
    """A graph from pairs (or triples with a weight) of names; vertices are numbered as they are met.

    Where the names are the numbers 0, 1, …, each once, they are the numbers of the vertices, and no names are kept.
    With `n`, the ends of an edge are numbers from 0 to n - 1, and the vertices have no names.
    """
    number: dict[str, int] = {}
    a, b, w, places = [], [], [], []
    for e, edge in enumerate(edges):
        place = where(e) if where else f"edge {e + 1}"
        try:
            u, v, *rest = edge
        except (TypeError, ValueError):
            raise BadInput(
                f"{place}: an edge is two vertices, or two and a weight, not {edge!r:.60}"
            ) from None
        if len(rest) > 1:
            raise BadInput(
                f"{place}: an edge is two vertices, or two and a weight; here are {len(rest) + 2} fields"
            )
        for end, name in ((u, "first"), (v, "second")):
            if is_missing(end):
                raise BadInput(f"{place}: the {name} vertex of the edge has no name")
        if loops == "drop" and text_of(u) == text_of(v):
            if n is None:
                # it is a vertex, even if no edge joins it
                number.setdefault(text_of(u), len(number))
            continue
        try:
            weight = float(rest[0]) if rest else 1.0
        except (TypeError, ValueError):
            raise BadInput(f"{place}: the weight {rest[0]!r} is not a number") from None
        if n is None:
            i = number.setdefault(text_of(u), len(number))
            j = number.setdefault(text_of(v), len(number))
        else:
            i, j = whole(u, place), whole(v, place)
        a.append(i)
        b.append(j)
        w.append(weight)
        places.append(e)
    if not number and n is None:
        raise BadInput("there is no edge: a graph is given by its edges, one a line")
    if n is None and number.keys() == {str(v) for v in range(len(number))}:
        own = np.array([int(name) for name in number])
        a, b, n = own[a].tolist(), own[b].tolist(), len(number)
    said = where or (lambda e: f"edge {e + 1}")
    return from_arrays(
        np.array(a, np.int64), np.array(b, np.int64), np.array(w), len(number) if n is None else n,
        list(number) if n is None else None, lambda e: said(places[e]),
    )  # fmt: skip


def whole(v: Any, place: str) -> int:
    try:
        number = float(v)
    except (TypeError, ValueError):
        raise BadInput(f"{place}: {v!r} is not the number of a vertex") from None
    if number != number or number != int(number):
        raise BadInput(f"{place}: {v!r} is not the number of a vertex")
    return int(number)


def from_matrix(
    M: Any, symmetrise: str = "union", loops: str = "refuse", where: Any = None
) -> Graph:
    """A graph from a square matrix of weights, dense or sparse; 0 is no edge.

    Where the two ends of an edge say different weights the larger one counts ("union"), or the smaller one
    ("mutual": an edge that one end does not have is none). `where(r, c)` says in messages where an entry was read.
    """
    from scipy.sparse import coo_array

    try:
        C = coo_array(M)
    except (TypeError, ValueError):
        raise BadInput(f"a graph is a square matrix of weights, not {M!r:.60}") from None
    if C.ndim != 2 or C.shape[0] != C.shape[1] or not C.shape[0]:
        raise BadInput(f"the weights of a graph are a square matrix, not of shape {C.shape}")
    if symmetrise not in ("union", "mutual"):
        raise BadInput(f'symmetrise must be "union" or "mutual", not {symmetrise!r}')
    C.sum_duplicates()
    place = where or (lambda i, j: f"row {i}, column {j}")
    if np.iscomplexobj(C.data):
        raise BadInput("the weights of a graph are numbers above 0, not complex ones")
    (r, c), w = C.coords, C.data.astype(np.float64)
    keep = w != 0.0
    if loops == "drop":
        keep &= r != c
    r, c, w = r[keep].astype(np.int64), c[keep].astype(np.int64), w[keep]
    bad = ~(np.isfinite(w) & (w > 0.0))
    if bad.any():
        e = int(np.argmax(bad))
        raise BadInput(f"{place(r[e], c[e])}: the weight of an edge is above 0, not {w[e]:g}")
    if (r == c).any():
        e = int(np.argmax(r == c))
        raise BadInput(
            f"{place(r[e], c[e])}: an edge from a vertex to itself; leave it out (loops='drop')"
        )
    n = C.shape[0]
    A = coo_array((w, (r, c)), shape=(n, n)).tocsr()
    S = A.maximum(A.T) if symmetrise == "union" else A.minimum(A.T)
    upper = coo_array(S)
    (i, j), weight = upper.coords, upper.data
    once = (i < j) & (weight > 0.0)
    return packed(i[once], j[once], weight[once], n)
