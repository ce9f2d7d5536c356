"""A forest as JSON, for programs in other languages: splits, boxes, and what each node says."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.numeric import log_one
from ..trees import mondrian_forest, mondrian_forest_regression
from ..trees.mondrian_forest import MondrianForest
from ..trees.mondrian_forest_regression import MondrianForestRegression
from ..trees.mondrian_trees import (
    FEATURE,
    HIGH,
    LEFT,
    LOW,
    NONE,
    RATE,
    RIGHT,
    STOPPED,
    THRESHOLD,
    TIME,
    Trees,
    draw_number,
    has_room,
    order_nodes,
    stopped_above,
)
from .linear_json import places_by_name

FORMAT = "littlestone-forest-1"


def export_forest(learner: Learner[Any, Any, Any, Any]) -> dict[str, Any]:
    """What a scorer needs of a Mondrian forest as it is now, ready for `json.dumps`.

        in each tree, from its first node with weight 1 and time 0, at depth 0:
            rate = the sum over features of rates * (how far x lies outside the node's box, low to high)
            if there is a wait for this depth, rate > 0, and time + wait / rate is before the node's own time (a leaf
            has none): add weight * outside, or weight * says where there is no outside; the tree is done
            add weight * stop * says; a leaf ends here
            weight *= 1 - stop; time = the node's own; go right if x[feature] > threshold, else left
        the answer is the sum over the trees by their number: a probability of each class, or [the number]

    `predict_proba` takes 1/(t + 1)^2 off, after t rows, for classes that may still come; here nothing is taken off.
    A feature that is missing in x is 0. The waits are those of the next round: what they say of rows outside the boxes
    is another draw after each round that is learned.

    >>> import littlestone as ls
    >>> forest = ls.MondrianForest(trees=1)
    >>> for t in range(9):
    ...     forest = forest.update([float(t)], "b" if t > 4 else "a")
    >>> model = export_forest(forest)
    >>> model["classes"], model["features"], "threshold" in model["trees"][0]["nodes"][0]
    (['a', 'b'], ['feature 1'], True)
    """
    if not isinstance(learner, (MondrianForest, MondrianForestRegression)):
        raise BadInput(
            f"export_forest: {learner.key} is no forest; take mondrian-forest or mondrian-forest-regression"
        )
    live: Any = learner.begun()
    named = places_by_name(learner, "export_forest")
    state = live.state
    features = [str(n) for n, _ in sorted(named.items(), key=lambda item: item[1])]
    width = state.trees.z.shape[0]
    return {
        "format": FORMAT,
        "learner": learner.key,
        "classes": None if live.labels is None else [np.asarray(c).item() for c in live.labels],
        "features": features[:width],
        "rates": state.trees.features[RATE, : len(features)].tolist(),
        "trees": [tree(learner, state, k, len(features)) for k in range(len(state.trees.root))],
    }


def tree(learner: Any, state: Any, k: int, width: int) -> dict[str, Any]:
    """The nodes of a tree, parents before children, and how long each depth waits for a row outside of a box."""
    trees: Trees = state.trees
    order = np.zeros(int(trees.used[0]), np.int64)
    nodes = order[: order_nodes(trees, k, order)].tolist()
    if not nodes:
        return {
            "waits": [],
            "nodes": [{"low": [], "high": [], "stop": 1.0, "says": nothing(state)}],
        }
    place = {v: i for i, v in enumerate(nodes)}
    deep = {nodes[0]: 0}
    for v in nodes:
        if trees.link[v, FEATURE] != NONE:
            deep |= {int(trees.link[v, side]): deep[v] + 1 for side in (LEFT, RIGHT)}
    waits: list[float] = []  # a forest of numbers predicts by the tree as it is
    if isinstance(learner, MondrianForest) and has_room(trees, learner.nodes):
        draws = [draw_number(learner.seed, state.t, k, d, 0) for d in range(max(deep.values()) + 1)]
        waits = [float(-log_one(1.0 - u)) for u in draws]
    return {"waits": waits, "nodes": [node(learner, state, v, place, width) for v in nodes]}


def node(learner: Any, state: Any, v: int, place: dict[int, int], width: int) -> dict[str, Any]:
    """One node; a leaf has no feature."""
    trees: Trees = state.trees
    own = says(learner, state, v)
    box = (
        trees.box[v, :, :width].tolist() if len(trees.box) else [[], []]
    )  # without waits nobody asks for it
    made: dict[str, Any] = {
        "low": box[LOW],
        "high": box[HIGH],
        "stop": float(trees.node[v, STOPPED]),
        "says": own,
    }
    if isinstance(learner, MondrianForest) and learner.exact:
        stopped = stopped_above(trees, v)
        made["outside"] = [stopped * p + (1.0 - stopped) / len(own) for p in own]
    if trees.link[v, FEATURE] != NONE:
        made |= {
            "feature": int(trees.link[v, FEATURE]),
            "threshold": float(trees.node[v, THRESHOLD]),
            "time": float(trees.node[v, TIME]),
            "left": place[int(trees.link[v, LEFT])],
            "right": place[int(trees.link[v, RIGHT])],
        }
    return made


def says(learner: Any, state: Any, v: int) -> list[float]:
    """What a node says: the probability of each class, or its mean."""
    if isinstance(learner, MondrianForestRegression):
        return [mondrian_forest_regression.mean(state, v)]
    smoothing = mondrian_forest.KT if learner.exact else mondrian_forest.SMOOTHING
    classes = range(state.class_counts.shape[1])
    return [mondrian_forest.forecast(state, v, c, smoothing) for c in classes]


def nothing(state: Any) -> list[float]:
    """What a tree without nodes says."""
    if isinstance(state, mondrian_forest.State):
        return [1.0 / state.class_counts.shape[1]] * state.class_counts.shape[1]
    return [0.0]
