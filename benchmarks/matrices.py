"""MEG-IMCSI by quadrature: against the direct form of the notes, an eigendecomposition a trial."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.graphs.algorithms.laplacian import graph_kernel
from littlestone.kernels.functions.gram import gram
from littlestone.matrices.biclusters import latent_blocks, neighbours
from littlestone.matrices.multitask_kernel import play_tasks, positions
from littlestone.matrices.path_tree import path_tree

from .clock import race
from .figure import Figure

MARGIN = 0.5


def measure(quick: bool) -> Iterator[Figure]:
    m, T = (60, 300) if quick else (200, 1000)
    blocks = latent_blocks(m, m, 4, 4, seed=0)
    rng = np.random.default_rng(1)
    X = rng.integers(m, size=(T, 2))
    y = blocks.U[X[:, 0], X[:, 1]] * np.where(rng.random(T) < 0.1, -1, 1)
    band = 2.5 * np.eye(m) + np.eye(m, k=1) + np.eye(m, k=-1)
    graphs = [graph_kernel(neighbours(c)) for c in (blocks.row_class, blocks.column_class)]
    # the targets are about the larger matrix: the direct form grows with the cube of its size
    for name, kernels, target in (
        ("identity kernels", (None, None), 20.0 if quick else 100.0),
        ("sparse kernels", (band, band), 10.0 if quick else 100.0),
        ("dense kernels", tuple(graphs), 5.0 if quick else 20.0),
    ):
        learner = ls.MEGIMCSI(
            rows=m, columns=m, margin=MARGIN, row_kernel=kernels[0], column_kernel=kernels[1]
        )
        examples = X.astype(float)
        run = ls.play(learner, examples, y, certify=False)
        began = time.perf_counter()
        want = direct(X, y, m, run.parameters["eta"], *kernels)
        took = time.perf_counter() - began
        off = float(np.abs(run.scores * MARGIN - want).max())
        if off > 1e-8:
            raise AssertionError(f"meg-imcsi with {name} is {off:.1e} from its direct form")
        best = race({"ours": lambda: ls.play(learner, examples, y, certify=False)}, 1.0)  # noqa: B023
        yield Figure(f"meg-imcsi, {m} x {m}, {T:,} trials, {name}", best["ours"] / T, "s",
                     "an eigendecomposition a trial", took / T, target, "faster",
                     note=f"the same predictions to {off:.0e}")  # fmt: skip
    yield tasks(60 if quick else 200)


def tasks(T: int) -> Figure:
    """Several tasks with a kernel, which the notes call O(T^3): `play_tasks` beside an eigendecomposition a round."""
    rng = np.random.default_rng(2)
    task, x = rng.integers(4, size=T), rng.normal(size=(T, 2))
    y = np.where(x[:, 0] > 0, 1, -1) * np.where(task < 2, 1, -1)
    modes = round(1 / MARGIN**2)
    given = {"kernel": "gaussian:0.5", "modes": modes, "complexity": float(2 * T * modes)}
    made = play_tasks(task, x, y, **given)
    column = positions(task)[0]
    pairs = np.stack([np.arange(T), column], axis=1)
    began = time.perf_counter()
    want = direct(pairs, y, T, made.learner.eta, gram("gaussian:0.5", x), path_tree(T))
    took = time.perf_counter() - began
    off = float(np.abs(made.scores * MARGIN - want).max())
    if off > 1e-8:
        raise AssertionError(f"play_tasks is {off:.1e} from its direct form")
    best = race({"ours": lambda: play_tasks(task, x, y, **given)}, 1.0)
    return Figure(f"play_tasks, {T} rounds of 4 tasks, a round", best["ours"] / T, "s",
                  "an eigendecomposition a round", took / T, 50.0, "faster",
                  note=f"the same predictions to {off:.0e}")  # fmt: skip


def root(K: Any) -> Any:
    w, E = np.linalg.eigh(K)
    return (E * np.sqrt(np.maximum(w, 0.0))) @ E.T


def direct(X: Any, y: Any, m: int, eta: float, M: Any, N: Any) -> Any:
    """The notes' form, roots of the kernels made once; without kernels only the rows and columns met so far."""
    sides = [np.eye(m) if K is None else K for K in (M, N)]
    F, G = (root(K) / math.sqrt(2 * K.diagonal().max()) for K in sides)
    A, met, out = np.zeros((2 * m, 2 * m)), np.zeros(2 * m, bool), []
    if M is not None:
        met[:] = True
    for (i, j), label in zip(X, y, strict=True):
        met[[i, m + j]] = True
        at = np.flatnonzero(met)
        x = np.concatenate([F[:, i], G[:, j]])[at]
        w, E = np.linalg.eigh(A[np.ix_(at, at)])
        out.append((E.T @ x) ** 2 @ np.exp(w) - 1)
        if label * out[-1] <= MARGIN:
            A[np.ix_(at, at)] += eta * label * np.outer(x, x)
    return np.array(out)
