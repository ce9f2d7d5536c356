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
from littlestone.networks.graph import Graph, packed

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

    Trees are drawn before the clock is started; that a run works on a copy of the learner (a quarter of a second for
    15 trees of a million vertices) is measured with two rounds, and taken off.
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
    if not quick:
        yield from growth()
    if not FOLDER.is_dir():
        raise FileNotFoundError(
            "../shared/data/graphs: the errors on real graphs were not measured"
        )
    for name, stated in STATED.items():
        if not (quick and name == "pubmed"):
            yield from real(name, stated, 3 if quick else 10)


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
    yield Figure("spanning-trees, 15 trees, grid of 1,000,000 vertices, a round", found[1], "s",
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
        more = [one_order(g, y, seed, trees=31)[1] for seed in range(orders)]
        yield Figure(f"spanning-trees, {name}, error, 31 trees", float(np.mean(more)), "",
                     "FastONL, as stated", stated[1])  # fmt: skip
    limit, target = (PROTOTYPE, 3.0) if name == "pubmed" else (math.nan, None)
    peer = "a prototype on a busy machine, as stated" if name == "pubmed" else ""
    yield Figure(
        f"spanning-trees, {name}, 15 trees, a round", min(took), "s", peer, limit, target, "faster"
    )


if __name__ == "__main__":
    from .__main__ import main

    raise SystemExit(main(["graphs"]))
