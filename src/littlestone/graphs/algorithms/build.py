"""`ls.graph`: a graph from points, edges, a matrix, a file or networkx."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np

from ...core.csr import is_sparse
from ...core.errors import BadInput
from .graph import Graph, from_edges, from_matrix
from .graph_files import from_networkx, read_graph
from .neighbourhoods import from_points


def graph(
    data: Any,
    pattern: str | None = None,
    *,
    n: int | None = None,
    loops: str = "refuse",
    symmetrise: str | None = None,
    form: str | None = None,
    **options: Any,
) -> Graph:
    """A graph, symmetric, whose weights are conductances.

    - a path: a list of edges (`id_1,id_2[,weight]`, split by commas, tabs, semicolons or spaces), MatrixMarket
      (.mtx), a sparse matrix in .npz, and GraphML or GML where networkx is installed;
    - with `pattern` ("knn", "radius", "mst", "spt", "complete"): points, one a row; more options in `from_points`;
    - a square matrix of weights, of NumPy or SciPy: 0 is no edge. Where the two ends of an edge say different weights
      the larger one counts (`symmetrise="union"`), or the smaller one ("mutual");
    - a list of edges (u, v) or (u, v, weight), or a frame with such rows: names of any kind, or with `n` numbers
      below n;
    - a graph of networkx.

    An array of NumPy with two or three columns and as many rows may be a matrix, or a list of edges. It is refused
    where the two would be different graphs, unless `form="matrix"` or `form="edges"` says what it is; `symmetrise=`,
    which is about matrices, and `n=`, which is about edges, say so as well.

    `loops="drop"` leaves out edges from a vertex to itself, which are refused otherwise.

    >>> graph([("ann", "bob"), ("bob", "eve"), ("eve", "ann")])
    <Graph: 3 vertices, 3 edges>
    >>> graph([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], "mst")
    <Graph: 3 vertices, 2 edges>
    """
    if loops not in ("refuse", "drop"):
        raise BadInput(f'loops must be "refuse" or "drop", not {loops!r}')
    if form not in (None, "matrix", "edges"):
        raise BadInput(f'form must be "matrix" or "edges", not {form!r}')
    if isinstance(data, Graph):
        return data
    matrix = is_matrix(data, form, symmetrise, n) if pattern is None else False
    symmetrise = symmetrise or "union"
    if pattern is not None:
        known = inspect.signature(from_points).parameters
        for name in options:
            if name not in known:
                raise BadInput(f"{name}: a graph of points takes {', '.join(list(known)[2:])}")
        return from_points(data, pattern, symmetrise=symmetrise, **options)
    if options:
        raise BadInput(f"{next(iter(options))}: only graphs of points take it; say pattern='knn'")
    if isinstance(data, (str, Path)):
        return read_graph(data, symmetrise, loops)
    if matrix:
        return from_matrix(data, symmetrise, loops)
    if hasattr(data, "nodes") and hasattr(data, "edges"):
        return from_networkx(data, loops)
    try:
        edges = list(rows_of(data))
    except TypeError:
        raise BadInput(
            f"a graph is a path, a list of edges, a square matrix or points with a pattern, not {data!r:.60}"
        ) from None
    return from_edges(edges, n, loops)


def rows_of(data: Any) -> Any:
    """The rows of a frame of pandas, polars or pyarrow; other values are returned as they are."""
    if hasattr(data, "itertuples"):
        return data.itertuples(index=False, name=None)
    if hasattr(data, "iter_rows"):
        return data.iter_rows()
    if hasattr(data, "to_pylist") and hasattr(data, "column_names"):
        return (tuple(row.values()) for row in data.to_pylist())
    return data


def is_matrix(data: Any, form: str | None, symmetrise: str | None, n: int | None) -> bool:
    """Is it a matrix of weights, and no list of edges? What may be either is refused."""
    if form is not None:
        return form == "matrix"
    if is_sparse(data):
        return True
    if not isinstance(data, np.ndarray) or data.ndim != 2 or data.shape[0] != data.shape[1]:
        return False
    size = len(data)
    if size not in (2, 3) or symmetrise is not None:
        return size > 0
    if n is not None or data.dtype.kind not in "biuf":
        return False
    if symmetric(data) and (size == 3 or data[0, 1] == 1):
        return True  # three edges, the last with weight 0, are no graph; and the edge 0 - 1 is the same graph
    raise BadInput(
        f"an array of {size} x {size} numbers may be a matrix of weights, or {size} edges, one a row: "
        'say which with ls.graph(…, form="matrix") or form="edges"'
    )


def symmetric(M: Any) -> bool:
    return bool((M == M.T).all() and not M.diagonal().any())
