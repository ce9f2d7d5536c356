"""A graph on the page of a run: the cut and the mistakes so far, and where it is small, a picture of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graphs.algorithms.graph import Graph
from ..graphs.algorithms.layout import MOST, layout
from ..run.run import Run
from .each_round import kept_rounds

EDGES = 4000  # a picture shows at most so many edges


def network(run: Run) -> dict[str, Any] | None:
    """Places, edges, names and labels of the vertices; None where there is no graph, or a large one."""
    graph = run.parameters.get("graph")
    if not isinstance(graph, Graph) or graph.n > MOST or graph.edges > EDGES:
        return None
    live = run.learner.live
    if live is None or run.transcript.delay:
        return None
    at = layout(graph)
    said = live.setting.decode(live.many(np.arange(graph.n, dtype=np.float64)[:, None])[1])
    classes = [str(y) for y in live.labels or ()]
    rounds = kept_rounds(run)
    played = np.zeros(graph.n, bool)
    if rounds is not None:
        played[np.asarray(rounds.x)[:, 0].astype(np.int64)] = True
    a, b, _ = graph.pairs()
    return {
        "x": at[:, 0].round(4).tolist(),
        "y": at[:, 1].round(4).tolist(),
        "edges": np.stack([a, b], axis=1).tolist(),
        "names": graph.names,
        "classes": classes,
        "said": [classes.index(str(y)) if str(y) in classes else -1 for y in said.tolist()],
        "asked": played.astype(int).tolist(),
    }


def cut_chart(run: Run, t: list[int], mistakes: list[float] | None) -> list[dict[str, Any]]:
    """One chart, of a graph of any size: how much weight of edges lies between labels that differ, and the mistakes."""
    graph, rounds = run.parameters.get("graph"), kept_rounds(run)
    if not isinstance(graph, Graph) or rounds is None or not len(t) or mistakes is None:
        return []
    if not rounds.known.any():
        return []
    cut = cut_so_far(graph, np.asarray(rounds.x)[:, 0].astype(np.int64), rounds.codes, rounds.known)
    values = cut[np.minimum(np.asarray(t), len(cut)) - 1].tolist()
    unit = "edges" if (graph.weight == 1.0).all() else "weight of edges"
    return [
        {
            "kind": "cut",
            "title": "Cut and mistakes",
            "about": f"The {unit} between vertices whose labels were seen and differ, and the mistakes, so far. "
            "What a learner must err on is what the labels cut.",
            "t": t,
            "dates": None,
            "lines": [
                {"name": f"{unit} between different labels", "kind": "second", "values": values},
                {"name": "mistakes", "kind": "learner", "values": mistakes},
            ],
        }
    ]


def cut_so_far(graph: Graph, v: Any, y: Any, known: Any) -> Any:
    """After each round, the weight of the edges whose ends had labels by then that differ; the first label counts."""
    rounds = np.flatnonzero(known)
    when, label = np.full(graph.n, len(v)), np.full(graph.n, -1.0)
    when[v[rounds[::-1]]] = rounds[::-1]
    label[v[rounds[::-1]]] = np.asarray(y)[rounds[::-1]]
    a, b, w = graph.pairs()
    both = (when[a] < len(v)) & (when[b] < len(v)) & (label[a] != label[b])
    found: Any = np.bincount(np.maximum(when[a], when[b])[both], w[both], len(v))
    return np.cumsum(found)
