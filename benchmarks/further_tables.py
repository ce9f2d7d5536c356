"""Tables made with seeds that no design has seen: name a new seed each time, and look at the answer once.

Thirty for each seed: concepts of River's generators drawn anew, and tables of our own, in which lines, boxes, clusters,
products or the last outcome say what comes, with columns of noise beside them, and with or without a change of the
rule half way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from .example_streams import Stream, codes, river, signs

ROWS = 3000
Made = dict[str, Callable[[], Stream]]


def scores_of(kind: str, X: Any, r: np.random.Generator, outputs: int) -> Any:
    """Numbers that a random rule of this kind gives to rows; `outputs` columns of them."""
    d = X.shape[1]
    used = r.permutation(d)[: max(2, d // 2)]
    Z = X[:, used]
    if kind == "lines":
        return Z @ r.normal(size=(len(used), outputs))
    if kind == "products":
        pairs = r.integers(0, len(used), (6, 2))
        return (Z[:, pairs[:, 0]] * Z[:, pairs[:, 1]]) @ r.normal(size=(6, outputs))
    if kind == "boxes":
        cuts = r.normal(size=(8, 3)) * 0.7
        at = r.integers(0, len(used), (8, 3))
        inside = np.stack([(Z[:, at[k]] > cuts[k]).all(axis=1) for k in range(8)], axis=1)
        return inside @ r.normal(size=(8, outputs)) * 2.0
    if kind == "clusters":
        centres = r.normal(size=(12, len(used)))
        near = ((Z[:, None, :] - centres) ** 2).sum(axis=2).argmin(axis=1)
        return r.normal(size=(12, outputs))[near] * 2.0
    waves = np.sin(2.0 * Z + r.uniform(0, 6, len(used)))
    return waves @ r.normal(size=(len(used), outputs))


def made_table(seed: int, kind: str, classes: int, changes: bool) -> Stream:
    """A table of 3,000 rows; `classes` 0: numbers. The rule changes half way, where `changes` says so."""
    r = np.random.default_rng(seed)
    d = int(r.integers(4, 25))
    X = r.normal(size=(ROWS, d)) * 10.0 ** r.uniform(-2, 2, d)
    Z = X / X.std(axis=0)
    scores = scores_of(kind, Z, r, max(1, classes))
    if changes:
        scores[ROWS // 2 :] = scores_of(kind, Z[ROWS // 2 :], r, max(1, classes))
    scores = scores / scores.std()
    if classes == 0:
        return X, scores[:, 0] + r.uniform(0.05, 0.5) * r.normal(size=ROWS)
    if classes == 2:
        shifted = scores[:, 0] - np.median(scores[:, 0]) + 0.2 * r.normal(size=ROWS)
        return X, np.where(shifted > 0, 1, -1)
    return codes((X, (scores + 0.2 * r.normal(size=scores.shape)).argmax(axis=1)))


def walk(seed: int, numbers: bool) -> Stream:
    """Outcomes near the one before, which is not among the features; a feature that says a little."""
    r = np.random.default_rng(seed)
    X, level = r.normal(size=(ROWS, 6)), r.normal(size=ROWS).cumsum() * 0.3
    y = level + 0.5 * X[:, 0]
    return X, y if numbers else np.where(y > np.median(y), 1, -1)


def two_classes(seed: int) -> Made:
    synth = import_module("river.datasets.synth")
    r = np.random.default_rng(seed)

    def agrawal(k: int, s: int) -> Stream:
        return signs(
            river(synth.Agrawal(classification_function=k, seed=s, perturbation=0.1), ROWS)
        )

    def tree(s: int) -> Stream:
        return signs(river(synth.RandomTree(seed_tree=s, seed_sample=s + 1), ROWS))

    def hyperplane(s: int) -> Stream:
        made = synth.Hyperplane(
            seed=s, n_features=8, n_drift_features=4, mag_change=0.01, noise_percentage=0.1
        )
        return signs(river(made, ROWS))

    found: Made = {}
    for k in r.permutation(10)[:2]:
        found[f"Agrawal {k}, seed {seed}"] = partial(agrawal, int(k), seed)
    found[f"RandomTree, seed {seed}"] = lambda: tree(seed)
    found[f"Hyperplane, seed {seed}"] = lambda: hyperplane(seed)
    found[f"walk, seed {seed}"] = lambda: walk(seed, False)
    for k, (kind, changes) in enumerate([*KINDS, ("waves", True), ("boxes", True)]):
        name = f"{kind}{', changing' * changes}, seed {seed}"
        found[name] = partial(made_table, seed + 10 + k, kind, 2, changes)
    return found


KINDS = [(kind, False) for kind in ("lines", "products", "boxes", "clusters", "waves")]


def several_classes(seed: int) -> Made:
    synth = import_module("river.datasets.synth")

    def blobs(s: int) -> Stream:
        made = synth.RandomRBF(
            seed_model=s, seed_sample=s + 1, n_classes=6, n_features=12, n_centroids=30
        )
        return codes(river(made, ROWS))

    found: Made = {f"RandomRBF 6, seed {seed}": lambda: blobs(seed)}
    classes = np.random.default_rng(seed + 1).integers(3, 11, 7)
    for k, (kind, changes) in enumerate([*KINDS, ("clusters", True), ("lines", True)]):
        name = f"{kind} of {classes[k]}{', changing' * changes}, seed {seed}"
        found[name] = partial(made_table, seed + 30 + k, kind, int(classes[k]), changes)
    return found


def numbers(seed: int) -> Made:
    synth = import_module("river.datasets.synth")
    found: Made = {
        f"Friedman, seed {seed}": lambda: river(synth.Friedman(seed=seed), ROWS),
        f"Planes2D, seed {seed}": lambda: river(synth.Planes2D(seed=seed), ROWS),
        f"value walk, seed {seed}": lambda: walk(seed + 2, True),
    }
    for k, (kind, changes) in enumerate([*KINDS, ("waves", True), ("products", True)]):
        name = f"{kind} of numbers{', changing' * changes}, seed {seed}"
        found[name] = partial(made_table, seed + 50 + k, kind, 0, changes)
    return found
