"""The picture of a small graph on the page of a run: who is joined to whom, and what the learner says of each now."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..networks.graph import Graph
from ..networks.layout import MOST, layout
from ..run.run import Run
from .each_round import kept

EDGES = 4000  # that a picture shows


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
    rounds = kept(run)
    asked = np.zeros(graph.n, bool)
    if rounds is not None:
        asked[np.asarray(rounds.x)[:, 0].astype(np.int64)] = True
    a, b, _ = graph.pairs()
    return {
        "x": at[:, 0].round(4).tolist(),
        "y": at[:, 1].round(4).tolist(),
        "edges": np.stack([a, b], axis=1).tolist(),
        "names": graph.names,
        "classes": classes,
        "said": [classes.index(str(y)) if str(y) in classes else -1 for y in said.tolist()],
        "asked": asked.astype(int).tolist(),
    }
