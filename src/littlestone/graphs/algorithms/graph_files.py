"""Graphs in files: lists of edges (CSV, TSV, spaces), MatrixMarket, .npz; GraphML and GML where networkx is there."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import BadInput, on_one_line
from ...core.extras import import_extra
from .graph import Graph, from_arrays, from_edges, from_matrix
from .vocabulary import text_of

COMMENTS = ("#", "%")
FIELDS = ("real", "integer", "pattern")  # numbers of a MatrixMarket file that weights may be
ISOLATED = (
    1000  # vertices for each entry of a MatrixMarket file: more are no graph that somebody has
)
# First lines that name the columns, by their first word.
TITLES = {"id_1", "id1", "source", "src", "from", "u", "node1", "node_1", "tail", "vertex_1"}


def read_graph(path: str | Path, symmetrise: str = "union", loops: str = "refuse") -> Graph:
    """The graph that a file holds; its name ends in .npz, .mtx, .graphml, .gml, or it is a list of edges."""
    path = Path(path)
    try:
        return read_as_named(path, symmetrise, loops)
    except BadInput as problem:
        if path.name in str(problem):
            raise
        raise BadInput(f"{path.name}: {problem}") from None


def read_as_named(path: Path, symmetrise: str, loops: str) -> Graph:
    """The graph of a file, by what its name ends in."""
    if not os.path.isfile(path):  # False, too, for a name that no file can have
        raise BadInput(
            f"{str(path)[:200]} is not a file; a graph is read from a list of edges, .mtx or .npz"
        )
    ending = path.suffix.lower()
    if ending == ".npz":
        return from_matrix(
            stored(path), symmetrise, loops, lambda r, c: f"{path.name}, row {r}, column {c}"
        )
    if ending in (".mtx", ".mm"):
        return from_matrix(
            market_matrix(path), symmetrise, loops, lambda r, c: entry_of(path, r, c)
        )
    if ending in (".graphml", ".gml"):
        return through_networkx(path, ending, loops)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(
            f"{path} is not text; a list of edges is text, one edge a line: id_1,id_2[,weight]"
        ) from None
    lines = [(number, fields) for number, fields in edge_lines(text)]
    if lines and titled(lines):
        del lines[0]
    if not lines:
        raise BadInput(f"{path} holds no edge; a list of edges has one a line: id_1,id_2[,weight]")
    numbers = [number for number, _ in lines]
    return from_edges(
        (fields for _, fields in lines), None, loops, lambda e: f"{path.name}, line {numbers[e]}"
    )


def edge_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of a list of edges, numbered from 1, as fields: split at commas, tabs, semicolons, or at spaces.

    A name in double quotes may hold what fields are split at.

    >>> list(edge_lines('"Doe, A",bob\\nbob,eve'))
    [(1, ['Doe, A', 'bob']), (2, ['bob', 'eve'])]
    """
    split = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(COMMENTS):
            continue
        if split is None:
            split = next((sign for sign in (",", "\t", ";") if sign in line), " ")
        if split == " " and '"' not in line:
            yield number, line.split()
            continue
        fields = next(csv.reader([line.strip(" ")], delimiter=split, skipinitialspace=True))
        yield number, [field.strip() for field in fields]


def titled(lines: list[tuple[int, list[str]]]) -> bool:
    """Is the first line one of titles: a known word, a weight that is no number, or words above numbers?

    A line whose names occur again as vertices is an edge.
    """
    first, rest = lines[0][1], lines[1:]
    if len(first) < 2:
        return False
    known = first[0].lower() in TITLES
    weight = len(first) == 3 and not is_number(first[2]) and bool(rest)
    weight = weight and len(rest[0][1]) == 3 and is_number(rest[0][1][2])
    numbers = bool(rest) and not any(map(is_number, first[:2])) and len(rest[0][1]) > 1
    numbers = numbers and all(map(is_number, rest[0][1][:2]))
    if not (known or weight or numbers):
        return False
    return weight or not any(set(first[:2]) & set(fields[:2]) for _, fields in rest)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def entry_of(path: Path, r: int, c: int) -> str:
    """The line of a MatrixMarket file that holds an entry of the matrix; entries are counted from 1 there."""
    wanted, sizes = [str(r + 1), str(c + 1)], False
    for number, line in enumerate(
        path.read_text(encoding="utf-8", errors="replace").splitlines(), 1
    ):
        fields = line.split()
        if not fields or line.startswith("%"):
            continue
        if sizes and fields[:2] in (wanted, wanted[::-1]):  # symmetric files hold one of the two
            return f"{path.name}, line {number}"
        sizes = True
    return f"{path.name}, row {r + 1}, column {c + 1}"


def market_matrix(path: Path) -> Any:
    """The matrix of a MatrixMarket file.

    SciPy's reader takes the memory that the head of a file asks for, and crashes on some that are damaged.
    """
    said = list(market_lines(path))
    head, sizes, body = said[0].lower().split(), "".join(said[1:2]).split(), said[2:]
    if len(head) != 5 or head[:2] != ["%%matrixmarket", "matrix"]:
        raise BadInput(
            f"{path} is not a MatrixMarket file: it begins with {said[0].strip()[:60]!r}"
        )
    full, symmetric = head[2] == "array", head[4] == "symmetric"
    if head[2] not in ("array", "coordinate") or head[3] not in FIELDS:
        raise BadInput(
            f"{path.name}: a graph is an array, or coordinates, of real numbers, not {head[2]} of {head[3]} ones"
        )
    if head[4] not in ("general", "symmetric"):
        raise BadInput(f"{path} is {head[4]}; a graph is general or symmetric")
    counts = [int(size) for size in sizes if size.isdecimal() and len(size) < 18]
    if not len(counts) == len(sizes) == (2 if full else 3):
        raise BadInput(f"{path} is not a MatrixMarket file: its sizes are {' '.join(sizes)[:60]!r}")
    rows, columns = counts[:2]
    needed = (rows * (rows + 1) // 2 if symmetric else rows * columns) if full else counts[2]
    if needed != len(body) or max(rows, columns) > ISOLATED * (needed + ISOLATED):
        raise BadInput(
            f"{path} is cut off or damaged: its head speaks of {rows} rows, {columns} columns and {needed} entries, "
            f"and there are {len(body)} entries"
        )
    if symmetric and rows != columns:
        raise BadInput(f"{path} is symmetric, and has {rows} rows and {columns} columns")
    try:
        return market_entries(body, rows, columns, full, symmetric, head[3] == "pattern")
    except (ValueError, OverflowError) as problem:
        raise BadInput(f"{path} is not a MatrixMarket file: {on_one_line(problem)}") from None


def market_entries(
    body: list[str], rows: int, columns: int, full: bool, symmetric: bool, pattern: bool
) -> Any:
    """A sparse matrix from the lines of its entries; ValueError where one is none."""
    from scipy.sparse import coo_array

    table = [line.split() for line in body]
    width = 1 if full else 2 if pattern else 3
    odd = next((i for i, fields in enumerate(table) if len(fields) != width), None)
    if odd is not None:
        raise ValueError(f"entry {odd + 1} is {body[odd].strip()[:60]!r}")
    if full:  # column after column; of a symmetric one what is below the diagonal and on it
        c, r = np.triu_indices(rows) if symmetric else np.indices((columns, rows)).reshape(2, -1)
    else:
        r, c = (np.array([int(fields[k]) - 1 for fields in table], np.int64) for k in (0, 1))
    w = np.array([1.0 if pattern else float(fields[-1]) for fields in table])
    outside = np.flatnonzero((r < 0) | (c < 0) | (r >= rows) | (c >= columns))
    if len(outside):
        raise ValueError(
            f"entry {outside[0] + 1} is {body[outside[0]].strip()[:60]!r}, outside of {rows} rows and {columns} columns"
        )
    if symmetric:
        off = r != c
        r, c, w = np.r_[r, c[off]], np.r_[c, r[off]], np.r_[w, w[off]]
    return coo_array((w, (r, c)), shape=(rows, columns))


def market_lines(path: Path) -> Iterator[str]:
    """The first line of a MatrixMarket file, and the others that are neither empty nor comments."""
    with path.open(encoding="utf-8", errors="replace") as file:
        yield file.readline()
        yield from (line for line in file if line.strip() and not line.startswith("%"))


def stored(path: Path) -> Any:
    """The sparse matrix of an .npz file: as SciPy writes it, or the arrays data, indices, indptr and shape of CSR."""
    from scipy.sparse import csr_array, load_npz

    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            if "format" in file:
                return load_npz(path)
            needed = ("data", "indices", "indptr", "shape")
            missing = [name for name in needed if name not in file]
            if missing:
                raise BadInput(
                    f"{path} has no array {missing[0]!r}; a graph in .npz is a CSR matrix: {', '.join(needed)}"
                )
            data, indices, indptr, shape = (file[name] for name in needed)
    except BadInput:
        raise
    except Exception as problem:  # zipfile, zlib, NumPy and SciPy raise errors of their own
        raise BadInput(f"{path} cannot be read as .npz: {on_one_line(problem)}") from None
    try:
        rows, columns = map(int, shape)
        M = csr_array((data.astype(np.float64), indices, indptr), shape=(rows, columns))
        M.check_format()
    except (TypeError, ValueError) as problem:
        raise BadInput(f"{path} does not hold a CSR matrix: {problem}") from None
    return M


def through_networkx(path: Path, ending: str, loops: str) -> Graph:
    networkx = import_extra(f"{path}: a {ending} file", "networkx")
    try:
        found = (networkx.read_graphml if ending == ".graphml" else networkx.read_gml)(path)
    except Exception as problem:  # networkx raises errors of its own and of its parsers
        raise BadInput(f"{path} cannot be read: {on_one_line(problem)}") from None
    return from_networkx(found, loops)


def from_networkx(found: Any, loops: str = "refuse") -> Graph:
    """A graph of networkx (or anything with its `nodes` and `edges`); the attribute `weight` is the weight."""
    names: list[str] | None = [text_of(v) for v in found.nodes]
    number = {v: i for i, v in enumerate(found.nodes)}
    a, b, w, said = [], [], [], []
    for u, v, data in found.edges(data=True):
        if loops == "drop" and u == v:
            continue
        a.append(number[u])
        b.append(number[v])
        said.append(f"edge {u!r} - {v!r}")
        try:
            w.append(float(data.get("weight", 1.0)))
        except (TypeError, ValueError, OverflowError):
            raise BadInput(f"{said[-1]}: the weight {data['weight']!r} is not a number") from None
    if names == [str(v) for v in range(len(number))]:  # they are the numbers: no names are needed
        names = None
    return from_arrays(
        np.array(a, np.int64), np.array(b, np.int64), np.array(w), len(number), names, said.__getitem__
    )  # fmt: skip
