"""Learners on graphs: time a round, and errors on the graphs of the data folder against stated ones.

The data lie in `../shared/data/graphs` beside the project; without them only the grids are measured. FastONL is not on
PyPI: its errors, and the prototype's, are those that the README of the folder states.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.graphs.algorithms.graph import Graph, matrix, packed
from littlestone.graphs.learners import p_seminorm

from .clock import ROOT
from .figure import Figure

FOLDER = ROOT.parent / "shared" / "data" / "graphs"
# error of the neighbour vote, of FastONL at its best setting, of a prototype of the committee
STATED = {
    "citeseer": (0.414, 0.261, 0.256),
    "cora": (0.297, 0.155, 0.161),
    "political-blog": (0.125, 0.049, 0.050),
    "pubmed": (0.321, 0.176, 0.175),
}
THETAS = (0.05, 0.1, 0.2, 0.4)  # where theta is not chosen
PROTOTYPE = 113e-6  # seconds a round on pubmed, on a busy machine


def grid(side: int) -> Graph:
    """A square grid of side x side vertices."""
    at = np.arange(side * side).reshape(side, side)
    a = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    b = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    return packed(a, b, np.ones(len(a)), side * side)


def halves(g: Graph, side: int) -> Any:
    """Two classes: left and right of a wavy line."""
    row, column = np.divmod(np.arange(g.n), side)
    return (column > side / 2 + side / 8 * np.sin(6 * row / side)).astype(int)


def seconds(learner: Any, x: Any, y: Any) -> tuple[float, Any]:
    """CPU time a round, and the run.

    Trees are drawn before the clock is started; that a run works on a copy of the learner (half a second for
    31 trees of a million vertices) is measured with two rounds, and taken off.
    """
    started = ls.play(learner, x[:1], y[:1], certify=False, labels=sorted(set(y.tolist())))

    def goes_on(end: int) -> tuple[float, Any]:
        began = time.process_time()
        run = ls.play(started.learner, x[1:end], y[1:end], certify=False, resume=True)
        return time.process_time() - began, run

    copying = min(goes_on(3)[0] for _ in range(2))
    took, run = goes_on(len(y))
    return max(took - copying, 0.0) / (len(y) - 3), run


def measure(quick: bool) -> Iterator[Figure]:
    side = 300 if quick else 1000
    g = grid(side)
    y = halves(g, side)
    order = np.random.default_rng(0).permutation(g.n)
    x = order[:, None].astype(float)
    took, run = seconds(ls.Spine(graph=g), x, y[order])
    took = min(took, *(seconds(ls.Spine(graph=g), x, y[order])[0] for _ in range(2)))
    yield Figure(f"spine, grid of {g.n:,} vertices, a round", took, "s", "the target", 300e-9, 1.0, "faster",
                 note=f"{run.loss:,.0f} mistakes")  # fmt: skip
    yield from interpolation()
    yield from generated(2 if quick else 5)
    if not quick:
        yield from growth()
    if not FOLDER.is_dir():
        raise FileNotFoundError(
            "../shared/data/graphs: the errors on real graphs were not measured"
        )
    for name, stated in STATED.items():
        if not (quick and name == "pubmed"):
            yield from real(name, stated, 3 if quick else 10)


def interpolation() -> Iterator[Figure]:
    """p-seminorm with p = 2: rank-one updates beside one solve a label, on the same rounds."""
    g = grid(40)
    y = np.where(halves(g, 40) > 0, 1, -1)
    for T in (200, g.n):
        order = np.random.default_rng(0).permutation(g.n)[:T]
        x, limit, took = order[:, None].astype(float), p_seminorm.MOST, {}
        for most in (limit, 0):
            p_seminorm.MOST = most
            took[most] = min(seconds(ls.PSeminorm(graph=g), x, y[order])[0] for _ in range(3))
        p_seminorm.MOST = limit
        yield Figure(f"p-seminorm, p = 2, grid of {g.n:,}, first {T:,} labels, a round", took[limit], "s",
                     "one solve a label", took[0], 1.0, "faster")  # fmt: skip


def blocks(n: int, K: int, degree: float, mixed: float, seed: int, hubs: bool = False) -> Any:
    """A stochastic block model, its largest part: K classes, a share of edges that ignores them, hubs or none."""
    rng = np.random.default_rng(seed)
    y, m = rng.integers(K, size=n), int(n * degree / 2)
    w = np.minimum(rng.pareto(1.8, n) + 0.3, 40.0) if hubs else np.ones(n)
    a, b = (rng.choice(n, m, p=w / w.sum()) for _ in range(2))
    same = rng.random(m) >= mixed
    for c in range(K):
        mine, ours = np.flatnonzero(y == c), np.flatnonzero(same & (y[a] == c))
        b[ours] = rng.choice(mine, len(ours), p=w[mine] / w[mine].sum())
    pairs = np.unique(np.sort(np.stack([a, b], axis=1)[a != b], axis=1), axis=0)
    g = packed(pairs[:, 0], pairs[:, 1], np.ones(len(pairs)), n)
    part = g.components[1]
    keep = np.flatnonzero(part == np.bincount(part).argmax())
    return ls.graph(matrix(g)[keep][:, keep]), y[keep]


def generated(orders: int) -> Iterator[Figure]:
    """Errors on generated graphs: trees that share few edges beside independent ones, and 31 trees beside 15."""
    from sklearn.datasets import load_digits

    rng = np.random.default_rng(5)
    centres, cluster = 1.15 * rng.normal(size=(10, 10)), rng.integers(10, size=2500)
    points = centres[cluster] + rng.normal(size=(2500, 10))
    X, digit = load_digits(return_X_y=True)
    made = {
        "6 blocks": blocks(2500, 6, 4.0, 0.2, 1),
        "7 blocks with hubs": blocks(2500, 7, 4.5, 0.2, 2, True),
        "neighbours of 10 clusters": (ls.graph(points, "knn", k=5), cluster),
        "neighbours of noisy digits": (
            ls.graph(X + 5 * rng.normal(size=X.shape), "knn", k=5),
            digit,
        ),
    }
    for name, (g, y) in made.items():
        settings = ({}, {"trees": 15}, {"trees": 15, "varied": 0})
        error = [
            float(np.mean([one_order(g, y, s, **more)[1] for s in range(orders)]))
            for more in settings
        ]
        yield Figure(f"spanning-trees, {name}, error, {orders} orders", error[0], "",
                     "15 trees", error[1], error[1])  # fmt: skip
        yield Figure(f"spanning-trees, {name}, error, 15 trees", error[1], "",
                     "drawn independently", error[2], error[2])  # fmt: skip


def growth() -> Iterator[Figure]:
    """The cost a round of the committee while the first 2% of the vertices are asked, on two grids."""
    found = []
    for side, orders in ((100, 40), (1000, 1)):
        g, took = grid(side), []
        for seed in range(orders):
            rounds = np.random.default_rng(seed).permutation(g.n)[: g.n // 50]
            y = halves(g, side)[rounds]
            took.append(seconds(ls.SpanningTrees(graph=g), rounds[:, None].astype(float), y)[0])
        found.append(float(np.median(took)))
    yield Figure("spanning-trees, 31 trees, grid of 1,000,000 vertices, a round", found[1], "s",
                 "10,000 vertices", found[0], 2.0, "ratio")  # fmt: skip


def one_order(g: Graph, y: Any, seed: int, **given: Any) -> tuple[float, float]:
    """Seconds a round, and the error, over all vertices in a random order."""
    order = np.random.default_rng(seed).permutation(g.n)
    learner = ls.SpanningTrees(graph=g, seed=seed, **given)
    each, run = seconds(learner, order[:, None].astype(float), y[order])
    return each, float((run.predictions != y[order][1:]).mean())


def real(name: str, stated: tuple[float, float, float], orders: int) -> Iterator[Figure]:
    file = FOLDER / f"{name}.npz"
    g, y = ls.graph(file, loops="drop"), np.load(file)["labels"]
    took, errors = zip(*(one_order(g, y, seed) for seed in range(orders)), strict=True)
    error = float(np.mean(errors))
    yield Figure(f"spanning-trees, {name}, error, {orders} orders", error, "", "FastONL, as stated", stated[1],
                 stated[1] + 0.007,
                 note=f"prototype {stated[2]:.3f}, neighbour vote {stated[0]:.3f}")  # fmt: skip
    if name != "pubmed":
        mixed = [one_order(g, y, seed, thetas=THETAS)[1] for seed in range(orders)]
        yield Figure(f"spanning-trees, {name}, error, four thetas mixed", float(np.mean(mixed)), "",
                     "FastONL, as stated", stated[1])  # fmt: skip
        fewer = [one_order(g, y, seed, trees=15)[1] for seed in range(orders)]
        yield Figure(f"spanning-trees, {name}, error, 15 trees", float(np.mean(fewer)), "",
                     "FastONL, as stated", stated[1])  # fmt: skip
    limit, target = (PROTOTYPE, 3.0) if name == "pubmed" else (math.nan, None)
    peer = "a prototype on a busy machine, as stated" if name == "pubmed" else ""
    yield Figure(
        f"spanning-trees, {name}, 31 trees, a round", min(took), "s", peer, limit, target, "faster"
    )


if __name__ == "__main__":
    from .__main__ import main

    raise SystemExit(main(["graphs"]))
