"""Learners whose examples are vertices of a graph: [v], the number of a vertex counted from 0, or its name."""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeVar

from ...core.errors import BadInput
from ...core.guarantee import Assumption, Symbols
from ...core.learner import Learner
from ...core.outcome import Outcome
from ...core.parameters import Interval
from ...games import Classes, Game, Shape
from ..algorithms.build import graph as made_graph
from ..algorithms.graph import Graph
from ..algorithms.vocabulary import Vocabulary

Seed = Annotated[int, Interval(0, 2.0**53, "[]", True)]
S = TypeVar("S")
D = TypeVar("D")


class VertexLearner(Learner[S, Any, D, Outcome], abstract=True):
    """The base class of learners on graphs: they have a graph, examples [vertex] and labels of several classes."""

    graph: Any = None
    examples = True
    labels = True
    needs_classes = True
    sparse = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "graph", graph_of(self.key, self.graph))
        # the names of the vertices, which are their numbers where they have no others
        self.vocabulary = None if self.graph is None else Vocabulary(self.graph)

    @property
    def limits(self) -> tuple[int] | None:
        """An example is the number of a vertex."""
        return None if self.graph is None else (self.graph.n,)

    def game(self, allocation: bool) -> Game:
        return Classes()


def graph_of(owner: str, given: Any) -> Graph | None:
    """The parameter `graph` of a learner: a Graph, or what `littlestone.graph` makes one of; None where it is unset."""
    if given is None or isinstance(given, Graph):
        return given
    try:
        return made_graph(given)
    except BadInput as problem:
        raise BadInput(f"{owner}: graph: {problem}") from None


def begins_with_vertices(owner: str, graph: Any, shape: Shape) -> Graph:
    """The graph; refuse a learner without one, and examples that are not one number."""
    if not isinstance(graph, Graph):
        raise BadInput(
            f"{owner} needs a graph: graph=littlestone.graph(…), or the path of a list of edges"
        )
    if shape.n != 1:
        raise BadInput(
            f"{owner} learns from examples [vertex], one number each; these have {shape.n} features"
        )
    return graph


def vertex_of(v: float, n: int) -> int:
    """A feature as the number of a vertex; compiled code has no other check."""
    if not (v >= 0.0 and v < n and v == math.floor(v)):
        raise BadInput("an example must be [vertex], a whole number from 0 on, below the vertices")
    return int(v)


ONE_LABEL = Assumption(
    "a vertex always has the same label",
    lambda s: None if not s.clashes else f"it had another one in {s.clashes:g} rounds",
)
FORESEEN = Assumption(
    "all classes were known before the first round",
    lambda s: None if s.declared else "they were found as rounds went by: give labels=",
)


BELOW = "the bound is below the number of rounds"


def says_something(bound: Any) -> Assumption:
    """A bound that is not below the number of rounds is true of any learner; the certificate calls it vacuous.

    This hides no broken bound: there are at most as many mistakes as rounds.
    """

    def check(s: Symbols) -> str | None:
        least = float(bound(s).min(initial=math.inf)) if s.T else math.inf
        if not math.isfinite(least) or least < s.T:
            return None
        return f"it is {least:,.1f} at best, for {s.T:,} rounds"

    return Assumption(BELOW, check)
