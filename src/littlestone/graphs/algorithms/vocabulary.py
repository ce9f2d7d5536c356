"""The names of the vertices of a graph, as a dictionary: which number a name stands for."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import BadInput

if TYPE_CHECKING:
    from .graph import Graph

SOME = 5  # a message shows so many names


def text_of(name: Any) -> str:
    """A name as it is kept: a whole number as its digits, whether it came as 7, 7.0 or "7"."""
    if isinstance(name, (float, np.floating)) and float(name).is_integer():
        return str(int(name))
    return str(name).strip()


def is_missing(name: Any) -> bool:
    return name is None or (isinstance(name, (float, np.floating)) and name != name) or name == ""


class Vocabulary:
    """Numbers of vertices by name; the dictionary is made when the first name is looked up."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[str, int] | None = None

    @property
    def known(self) -> dict[str, int]:
        if self._known is None:
            self._known = {name: v for v, name in enumerate(self.graph.names)}
        return self._known

    def number(self, name: Any) -> int:
        """The number of the vertex with this name.

        >>> from .graph import from_edges
        >>> Vocabulary(from_edges([("ann", "bob")])).number("bob")
        1
        """
        if is_missing(name):
            raise BadInput("the name of the vertex is missing")
        v = self.known.get(text_of(name))
        if v is None:
            close = difflib.get_close_matches(text_of(name), list(self.known)[:10_000], n=1)
            shown = ", ".join(list(self.known)[:SOME]) + (", …" if len(self.known) > SOME else "")
            hint = f"did you mean {close[0]!r}? Its" if close else "its"
            raise BadInput(f"{name!r} is not a vertex of the graph; {hint} vertices are {shown}")
        return v

    def numbers(self, names: Sequence[Any], first: int = 0) -> Any:
        """The numbers of several vertices; `first` is the row of the first of them, for messages.

        >>> from .graph import from_edges
        >>> Vocabulary(from_edges([(0, 1), (1, 2)])).numbers([2, 0.0, "1"]).tolist()
        [2, 0, 1]
        """
        if not len(self.graph.ends):  # their names are their numbers: no dictionary is needed
            given = np.asarray(names)
            if given.dtype.kind in "iuf" and bool(
                ((given >= 0) & (given < self.graph.n) & (given == np.floor(given))).all()
            ):
                return given.astype(np.int64)
        made = np.empty(len(names), np.int64)
        for row, name in enumerate(names):
            try:
                made[row] = self.number(name)
            except BadInput as problem:
                raise BadInput(f"row {first + row + 1}: {problem}") from None
        return made
