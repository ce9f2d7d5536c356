"""A few labels, and many vertices or points, beside LabelPropagation and GraphLearning; errors on MNIST."""

from __future__ import annotations

import gzip
import importlib
import math
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.graphs.algorithms.graph import Graph, matrix
from littlestone.graphs.algorithms.harmonic import harmonic
from littlestone.graphs.algorithms.nearest import by_hnswlib, nearest_rows
from littlestone.graphs.algorithms.solver import solver

from .figure import Figure
from .graphs import FOLDER

RESIDUAL = 1e-8  # of linear systems, ours and those of others

# error of harmonic functions with class masses as the data's README states it, and of Poisson learning without priors
MNIST = {1: (0.232, 0.234), 2: (0.165, 0.170), 5: (0.115, 0.120), 20: (0.076, 0.085)}


def seconds(f: Callable[[], Any], times: int = 2) -> tuple[float, Any]:
    """The least CPU time of a few runs, after one that compiles, and what the last returned."""
    found, took = f(), math.inf
    for _ in range(times):
        began = time.process_time()
        found = f()
        took = min(took, time.process_time() - began)
    return took, found


def once(f: Callable[[], Any]) -> float:
    """The CPU time of one run of something that is not compiled here."""
    began = time.process_time()
    f()
    return time.process_time() - began


def there(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def sweeps(g: Graph, X: Any) -> Iterator[Figure]:
    """scikit-learn's LabelPropagation stops after 1,000 sweeps, wherever it is then: over the same graph, and by its
    public call on the points, the search for neighbours included on both sides."""
    from scipy.sparse import csr_matrix
    from sklearn.semi_supervised import LabelPropagation

    W = csr_matrix(matrix(g))
    W.data /= np.repeat(g.degree, np.diff(W.indptr))

    class Given(LabelPropagation):  # type: ignore[misc]
        def _build_graph(self) -> Any:
            return W

    at = np.sort(np.random.default_rng(1).choice(g.n, 10, replace=False))
    y = np.full(g.n, -1)
    y[at] = np.arange(10) % 2
    took, u = seconds(lambda: harmonic(g, at, np.arange(10) % 2, RESIDUAL), 6)
    model, public = Given(max_iter=1000), LabelPropagation(kernel="knn", n_neighbors=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = once(lambda: model.fit(np.zeros((g.n, 1)), y))
        called = once(lambda: public.fit(X, y))
    off = ((model.label_distributions_[:, 1] > 0.5) != (u > 0.5)).mean()
    more = sweeps_left(g, W, at, np.eye(2)[np.arange(10) % 2], model.label_distributions_)
    yield Figure(f"harmonic, 10 labels, 10-NN of {g.n:,}, the same graph", took, "s",
                 "LabelPropagation, 1,000 sweeps", theirs, 15.0, "faster",
                 note=f"not converged: {off:.0%} of its labels are not those of the limit; its tol of 1e-3 would take "
                      f"about {1000 + more:,.0f} sweeps, {theirs * (1.0 + more / 1000.0):,.0f} s")  # fmt: skip
    took, _ = seconds(lambda: ls.HarmonicClassifier(normalise=None).fit(X, y), 1)
    yield Figure(f"HarmonicClassifier().fit, {g.n:,} points, neighbours searched", took, "s",
                 "LabelPropagation().fit, neighbours searched", called, None, "faster",
                 note="a search with a tree on both sides takes most of ours")  # fmt: skip


def sweeps_left(g: Graph, P: Any, at: Any, Y: Any, F: Any) -> float:
    """How many more sweeps F <- P F, F = Y at labels, there are until all changes sum to 1e-3: they shrink by 1 - gap a
    sweep, where gap is the least eigenvalue of L x = gap D x without the labels, by inverse iteration."""
    free = np.delete(np.arange(g.n), at)
    system, d, x = solver(g, free), g.degree[free], np.ones(len(free))
    for _ in range(6):
        x = system.solve(d * x, 1e-6)
        gap = 1.0 / float(np.linalg.norm(x))
        x *= gap
    after = P @ F
    after[at] = Y
    return max(0.0, math.log(max(float(np.abs(after - F).sum()), 1e-3) / 1e-3) / gap)


def laplace_learning(g: Graph) -> Iterator[Figure]:
    """GraphLearning's Laplace learning on the same graph: conjugate gradients with the diagonal, to 1e-5 by default."""
    library = there("graphlearning")
    if library is None:
        yield Figure(
            "GraphLearning is not installed: its rows were not measured", math.nan, "", "", math.nan
        )
        return
    from scipy.sparse import csr_matrix

    W = csr_matrix(matrix(g))
    at = np.sort(np.random.default_rng(1).choice(g.n, 10, replace=False))
    y = np.arange(10) % 2
    for name, options in (("its own tolerance", {}), ("to the same residual", {"tol": RESIDUAL})):
        mine, theirs, wrong = math.inf, math.inf, math.nan
        for _ in range(4):  # in turns
            begun = time.process_time()
            u = harmonic(g, at, y, RESIDUAL)
            mine = min(mine, time.process_time() - begun)
            begun = time.process_time()
            found = library.ssl.laplace(W, **options).fit_predict(at, y)
            theirs = min(theirs, time.process_time() - begun)
            wrong = float((found != (u > 0.5)).mean())
        yield Figure(f"harmonic, 10 labels, 10-NN of {g.n:,}", mine, "s", f"GraphLearning Laplace, {name}", theirs,
                     4.0, "faster", note=f"{wrong:.1%} of labels differ")  # fmt: skip


def searches(n: int) -> Iterator[Figure]:
    """hnswlib beside all distances, of which a twentieth of the points is measured, and multiplied."""
    library = there("hnswlib")
    if library is None:
        yield Figure(
            "hnswlib is not installed: its search was not measured", math.nan, "", "", math.nan
        )
        return
    rng = np.random.default_rng(0)
    P = rng.normal(size=(n, 8)) @ rng.normal(size=(8, 64)) + 0.3 * rng.normal(size=(n, 64))
    took, (near, recall) = math.nan, (None, 0.0)
    begun = time.process_time()
    near, recall = by_hnswlib(library, P, 10)
    took = time.process_time() - begun
    rows, squares = np.arange(n // 20), np.einsum("ij,ij->i", P, P)
    begun = time.process_time()
    exact = np.concatenate(
        [nearest_rows(P, squares, P[r], 10, r) for r in np.array_split(rows, 15)]
    )
    all_ = 20.0 * (time.process_time() - begun)
    found = sum(len(np.intersect1d(a, b)) for a, b in zip(near[rows], exact, strict=True))
    yield Figure(f"10 nearest of {n:,} points in 64 coordinates, hnswlib", took, "s", "all distances", all_, None,
                 "faster", note=f"{found / exact.size:.2%} of them found, {recall:.2%} of its own sample")  # fmt: skip


def mnist(draws: int) -> Iterator[Figure]:
    """Errors over draws of the labels; Poisson learning with priors (Calder et al. 2020) in the same run where
    GraphLearning is installed, on the same graph, labels and true class sizes."""
    from scipy.sparse import csr_matrix

    with gzip.open(FOLDER / "mnist-t10k-images.gz") as f:
        X = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 784) / 255.0
    with gzip.open(FOLDER / "mnist-t10k-labels.gz") as f:
        t = np.frombuffer(f.read(), np.uint8, offset=8).astype(int)
    g = ls.graph(X, "knn", k=10, weight="local")
    priors = np.bincount(t) / len(t)
    library, models = there("graphlearning"), {
        "class sizes and thresholds": ls.ThresholdDynamics(priors=priors),
        "class sizes": ls.HarmonicClassifier(normalise="class-size", priors=priors),
        "class masses, no priors": ls.HarmonicClassifier(),
    }  # fmt: skip
    W = csr_matrix(matrix(g))
    for each, (stated, without) in MNIST.items():
        errors: dict[str, list[float]] = {name: [] for name in (*models, "peer")}
        for seed in range(draws):
            rng = np.random.default_rng(seed)
            y = np.full(len(t), -1)
            for c in range(10):
                y[rng.choice(np.flatnonzero(t == c), each, replace=False)] = c
            known, free = np.flatnonzero(y != -1), y == -1
            for name, model in models.items():
                errors[name].append((model.fit(g, y).transduction_ != t)[free].mean())
            if library is not None:
                found = library.ssl.poisson(W, class_priors=priors).fit_predict(known, y[known])
                errors["peer"].append((found != t)[free].mean())
        told = library is None
        peer = without if told else float(np.mean(errors["peer"]))
        for name in models:
            fair = name == "class sizes and thresholds"
            yield Figure(f"MNIST-10k, {each} labels a class, error, {name}", float(np.mean(errors[name])), "",
                         "Poisson without priors, as stated" if told else "Poisson with priors, GraphLearning", peer,
                         1.0 if fair else None, "ratio",
                         note=f"{draws} draws; class masses as stated: {stated}")  # fmt: skip
