"""Graphs in files: lists of edges (CSV, TSV, spaces), MatrixMarket, .npz; GraphML and GML where networkx is there."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import BadInput
from .graph import Graph, from_arrays, from_edges, from_matrix
from .vocabulary import text_of

COMMENTS = ("#", "%")
# First lines that name the columns, by their first word.
TITLES = {"id_1", "id1", "source", "src", "from", "u", "node1", "node_1", "tail", "a", "vertex_1"}


def read_graph(path: str | Path, symmetrise: str = "union", loops: str = "refuse") -> Graph:
    """The graph that a file holds; its name ends in .npz, .mtx, .graphml, .gml, or it is a list of edges."""
    path = Path(path)
    if not os.path.isfile(path):  # False, too, for a name that no file can have
        raise BadInput(
            f"{str(path)[:200]} is not a file; a graph is read from a list of edges, .mtx or .npz"
        )
    ending = path.suffix.lower()
    if ending == ".npz":
        return from_matrix(stored(path), symmetrise, loops)
    if ending in (".mtx", ".mm"):
        from scipy.io import mmread

        try:
            M = mmread(str(path))
        except (ValueError, OSError) as problem:
            raise BadInput(f"{path} is not a MatrixMarket file: {problem}") from None
        return from_matrix(M, symmetrise, loops)
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
    """The lines of a list of edges, numbered from 1, as fields: split at commas, at tabs, or at spaces."""
    split = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(COMMENTS):
            continue
        if split is None:
            split = "," if "," in line else "\t" if "\t" in line else " "
        fields = line.split() if split == " " else line.split(split)
        yield number, [field.strip().strip('"') for field in fields]


def titled(lines: list[tuple[int, list[str]]]) -> bool:
    """Is the first line one of titles: a known word, a weight that is no number, or words above numbers?"""
    first = lines[0][1]
    if first[0].lower() in TITLES and (len(lines) < 2 or first[0] not in lines[1][1]):
        return True
    if len(first) == 3 and not is_number(first[2]):
        return len(lines) > 1 and len(lines[1][1]) == 3 and is_number(lines[1][1][2])
    if len(lines) < 2 or len(lines[1][1]) < 2:
        return False
    return not any(map(is_number, first[:2])) and all(map(is_number, lines[1][1][:2]))


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def stored(path: Path) -> Any:
    """The sparse matrix of an .npz file: data, indices, indptr and shape, as SciPy writes it."""
    from scipy.sparse import csr_array

    try:
        with np.load(path, allow_pickle=False) as file:
            wanted = ("data", "indices", "indptr", "shape")
            missing = [name for name in wanted if name not in file]
            if missing:
                raise BadInput(
                    f"{path} has no array {missing[0]!r}; a graph in .npz is a CSR matrix: {', '.join(wanted)}"
                )
            data, indices, indptr, shape = (file[name] for name in wanted)
    except (ValueError, OSError) as problem:
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
