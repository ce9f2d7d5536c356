"""Graphs in files: lists of edges (CSV, TSV, spaces), MatrixMarket, .npz; GraphML and GML where networkx is there."""

from __future__ import annotations

import csv
import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ..core.errors import BadInput
from .graph import Graph, from_arrays, from_edges, from_matrix
from .vocabulary import text_of

COMMENTS = ("#", "%")
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
        from scipy.io import mmread

        try:
            M = mmread(str(path))
        except (ValueError, OSError, OverflowError) as problem:
            raise BadInput(f"{path} is not a MatrixMarket file: {problem}") from None
        return from_matrix(M, symmetrise, loops, lambda r, c: entry_of(path, r, c))
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
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        fields = line.split()
        if not fields or line.startswith("%"):
            continue
        if sizes and fields[:2] in (wanted, wanted[::-1]):  # symmetric files hold one of the two
            return f"{path.name}, line {number}"
        sizes = True
    return f"{path.name}, row {r + 1}, column {c + 1}"


def stored(path: Path) -> Any:
    """The sparse matrix of an .npz file: as SciPy writes it, or the arrays data, indices, indptr and shape of CSR."""
    from scipy.sparse import csr_array, load_npz

    try:
        with np.load(path, allow_pickle=False) as file:
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
    except (ValueError, OSError, KeyError, BadZipFile) as problem:
        raise BadInput(f"{path} cannot be read as .npz: {problem}") from None
    try:
        rows, columns = map(int, shape)
        M = csr_array((data.astype(np.float64), indices, indptr), shape=(rows, columns))
        M.check_format()
    except (TypeError, ValueError) as problem:
        raise BadInput(f"{path} does not hold a CSR matrix: {problem}") from None
    return M


def through_networkx(path: Path, ending: str, loops: str) -> Graph:
    try:
        networkx = importlib.import_module("networkx")
    except ImportError:
        raise BadInput(
            f"{path}: {ending} files are read by networkx, which is not installed: pip install networkx"
        ) from None
    try:
        found = (networkx.read_graphml if ending == ".graphml" else networkx.read_gml)(path)
    except Exception as problem:  # networkx raises errors of its own and of its parsers
        raise BadInput(f"{path} cannot be read: {problem}") from None
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
        except (TypeError, ValueError):
            raise BadInput(f"{said[-1]}: the weight {data['weight']!r} is not a number") from None
    if names == [str(v) for v in range(len(number))]:  # they are the numbers: no names are needed
        names = None
    return from_arrays(
        np.array(a, np.int64), np.array(b, np.int64), np.array(w), len(number), names, said.__getitem__
    )  # fmt: skip
