"""Nearest neighbours: trees, blocks of distances and hnswlib find the same ones, or say how many they miss."""

import sys

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import SlowSearch
from littlestone.graphs.algorithms import nearest
from littlestone.graphs.algorithms.nearest import (
    by_blocks,
    by_hnswlib,
    by_tree,
    nearest_of,
    neighbours_of,
)


def all_pairs(P, k):
    D = ((P[:, None] - P[None]) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("columns", [3, 20])
def test_exact_searches_agree(columns):
    P = np.random.default_rng(0).normal(size=(200, columns))
    assert (np.sort(by_tree(P, 5)) == np.sort(all_pairs(P, 5))).all()
    assert (by_blocks(P, 5) == all_pairs(P, 5)).all()
    far, near = nearest_of(P, P[:7] + 1e-9, 3)
    assert (near[:, 0] == np.arange(7)).all()
    assert far[:, 0] == pytest.approx(np.zeros(7), abs=1e-6)
    assert far[:, 2] == pytest.approx(np.linalg.norm(P[:7] - P[near[:, 2]], axis=1), abs=1e-6)


def test_without_hnswlib_the_search_is_exact_and_says_what_it_takes(monkeypatch):
    P = np.random.default_rng(0).normal(size=(60, 20))
    monkeypatch.setattr(nearest, "hnswlib", lambda: None)
    monkeypatch.setattr(nearest, "MANY", 50)
    assert (neighbours_of(P, 4) == by_blocks(P, 4)).all()
    monkeypatch.setattr(nearest, "LONG", 0.0)
    with pytest.warns(SlowSearch, match="all distances of 60 points in 20 coordinates take about"):
        neighbours_of(P, 4)
    monkeypatch.setitem(sys.modules, "hnswlib", None)
    with pytest.raises(ls.BadInput, match="not installed: pip install"):
        ls.graph(P, "knn", k=4, search="hnswlib")
    with pytest.raises(ls.BadInput, match="search must be one of auto, exact, hnswlib"):
        ls.graph(P, "knn", k=4, search="fast")


def test_hnswlib(monkeypatch):
    library = pytest.importorskip("hnswlib", reason="hnswlib is optional, and not installed here")
    P = np.random.default_rng(0).normal(size=(2000, 20))
    near, recall = by_hnswlib(library, P, 8)
    assert recall >= 0.95
    assert (near == by_hnswlib(library, P, 8)[0]).all()
    assert near.shape == (2000, 8)
    assert not (near == np.arange(2000)[:, None]).any()
    exact = by_blocks(P, 8)
    found = sum(len(np.intersect1d(a, b)) for a, b in zip(near, exact, strict=True)) / exact.size
    assert found >= 0.93
    monkeypatch.setattr(nearest, "MANY", 1000)
    assert (neighbours_of(P, 8) == near).all()
    monkeypatch.setattr(nearest, "RECALL", 2.0)  # never reached: all distances
    assert (neighbours_of(P, 8) == exact).all()
