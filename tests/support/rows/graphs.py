"""Worked rows of the learners that label a network."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from littlestone.graphs.algorithms.graph import from_edges
from littlestone.testing import Row

PATH = from_edges([(0, 1), (1, 2)], 3)
LINE = from_edges([(0, 1), (1, 2), (2, 3), (3, 4)], 5)
PAIR = from_edges([(0, 1)], 2)


def vertices(count: int, labels: tuple[int, ...]) -> Callable[[int, int, int], tuple[Any, Any]]:
    """Vertices at random, later ones more often as time goes by; their labels are wrong at times, less and less."""

    def sample(T: int, n: int, seed: int) -> tuple[Any, Any]:
        rng = np.random.default_rng(seed)
        t = np.arange(T) / max(T, 1)
        v = (count * rng.random(T) ** (4.0 - 3.7 * t)).astype(int)
        c = np.where(
            rng.random(T) < 0.2 * (1 - t),
            rng.integers(len(labels), size=T),
            v * len(labels) // count,
        )
        return v[:, None].astype(float), np.array(labels)[c]

    return sample


ROWS = [
    # The tree is the line itself, and the spine 4, 3, 2, 1, 0. Vertex 4: nothing known; 3: next to 4; 0: three places
    # from 3; 1: next to 0; 2: between 3 and 1, and the first of the two counts. Along the spine the labels are
    # 1 1 1 0 0: k = 1, and 1 log2(4/1) + 1/ln 2 + 0 + 1.
    Row(
        key="spine",
        parameters={"graph": LINE},
        x=[[4], [3], [0], [1], [2]],
        y=[1, 1, 0, 0, 1],
        predictions=[0, 1, 1, 0, 1],
        decisions=[(0, 0), (0, 1), (0, 1 / 3), (1, 0), (0, 1)],
        loss=2,
        theorem="T-SPINE",
        bound=3 + 1 / log(2),
        state={"label": [1, 1, 1, 0, 0], "clashes": 0},
        width=1,
        sample=vertices(5, (0, 1, 2)),
    ),
    # One tree, the path. After label 0 at vertex 0, vertex 1 hears (.8 + .02, .2 + .08); after label 1 at 1 vertex 2
    # hears .8 (.082) + .2 (.28) and .2 (.082) + .8 (.28); and so on. The labelling 0 1 1 cuts one edge and never errs:
    # (ln 2 + ln 5 + ln 1.25) / ln(2 / 1.1).
    Row(
        key="spanning-trees",
        parameters={"graph": PATH, "trees": 1, "theta": 0.2, "beta": 0.1},
        x=[[0], [1], [2], [0], [2], [1]],
        y=[0, 1, 1, 0, 1, 1],
        predictions=[0, 0, 1, 0, 1, 1],
        decisions=[
            (0.5, 0.5),
            (0.82 / 1.1, 0.28 / 1.1),
            (0.1216 / 0.362, 0.2404 / 0.362),
            (0.1864 / 0.25256, 0.06616 / 0.25256),
            (0.010576 / 0.193016, 0.18244 / 0.193016),
            (0.1 / 1.1, 1 / 1.1),
        ],
        loss=1,
        theorem="T-TREES",
        bound=(log(2) + log(5) + log(1.25)) / log(2 / 1.1),
        state={"seen": [(2, 0), (0, 2), (0, 2)], "parent": [(1, -1, 1)]},
        width=1,
        sample=vertices(3, (0, 1, 2)),
    ),
    # The label 0 of vertex 0 reaches vertex 2 by two edges. Then vertex 1 hears 0 from vertex 0 and 1 from vertex 2: a
    # draw, which the labels of all do not settle either, so the first class. Vertex 2 is its own nearest label, 1.
    Row(
        key="neighbour-majority",
        parameters={"graph": PATH},
        x=[[0], [2], [1], [2]],
        y=[0, 1, 0, 1],
        predictions=[0, 0, 0, 1],
        decisions=[
            (0, 0),
            (1 + 1e-8, 0),
            (0.5 + 0.5e-8, 0.5 + 0.5e-8),
            (2e-8 / 3, 1 + 1e-8 / 3),
        ],
        loss=1,
        theorem=None,
        bound=0,
        state={
            "away": [0, 0, 0],
            "votes": [(1, 0), (1, 0), (0, 2)],
            "all_seen": [2, 2],
        },
        width=1,
        sample=vertices(3, (0, 1, 2)),
    ),
    # Through 1 at vertex 0 and -1 at vertex 2 the function is 1, 0, -1: vertex 1 is a zero, which counts. Two rounds
    # of the first three have y f <= 0, and the third a zero. u = (1, 1, -1) has the energy 4; one set of diameter 2:
    # 1 + 2 * 4; two sets of diameter 1: 2 + 4; three sets of one vertex each: 3, and that is attained.
    Row(
        key="p-seminorm",
        parameters={"graph": PATH},
        x=[[0], [2], [1], [1]],
        y=[1, -1, 1, 1],
        predictions=[1, 1, 1, 1],
        decisions=[0, 1, 0, 1],
        loss=1,
        theorem="T-SEMINORM",
        bound=3,
        state={"f": [1, 1, -1], "label": [1, 1, -1], "updates": 3, "clashes": 0},
        width=1,
        sample=vertices(3, (-1, 1)),
    ),
    # L^+ of an edge is 1/4 and -1/4, so K is 1/2 and 0 at bias 1/4; u = (1, -1) has |u|^2 = 4: 4 * 1/2.
    Row(
        key="graph-perceptron",
        parameters={"graph": PAIR, "bias": 0.25},
        x=[[0], [1], [0], [1]],
        y=[1, -1, 1, -1],
        predictions=[1, 1, 1, -1],
        decisions=[0, 0, 0.5, -0.5],
        loss=1,
        theorem="T-GRAPH-PERCEPTRON",
        bound=2,
        state={"f": [0.5, -0.5], "updates": 2, "top": 0.5},
        width=1,
        sample=vertices(2, (-1, 1)),
    ),
]
