"""Where the arrays of a state lie: apart, or side by side for sparse examples."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import littlestone as ls
from littlestone.core.rows import corner
from littlestone.engine.memory import (
    SPARE,
    arrays,
    copy,
    extended,
    interleave_columns,
    padded_copy,
    settle,
)
from littlestone.live.live import Live

RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(60, 12)) * (RNG.random((60, 12)) < 0.3)
LABELS = np.where(RNG.random(60) < 0.5, 1, -1)


class Part(NamedTuple):
    a: np.ndarray
    count: int


class State(NamedTuple):
    w: np.ndarray
    part: Part
    q: np.ndarray
    sums: np.ndarray
    W: np.ndarray


def state(n):
    return State(
        np.arange(n) + 0.5, Part(np.arange(n) * 2.0, 3), np.ones(n), np.zeros(3), np.ones((2, n))
    )


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(arrays(one), arrays(other), strict=True))


def test_all_numbers_of_a_feature_are_in_one_line_of_the_cache():
    laid = interleave_columns(state(40), 40)
    assert same(laid, state(40))
    assert laid.part.count == 3
    places = [v.__array_interface__["data"][0] for v in (laid.w, laid.part.a, laid.q)]
    assert [p - places[0] for p in places] == [0, 8, 16]
    assert places[0] % 64 == 0
    assert {v.strides for v in (laid.w, laid.part.a, laid.q)} == {(32,)}
    assert laid.sums.flags.c_contiguous
    assert laid.W.flags.c_contiguous


@pytest.mark.parametrize(
    "lay", [padded_copy, lambda s: interleave_columns(s, 40)], ids=["apart", "in lines"]
)
def test_a_copy_lies_as_the_state_does_and_shares_nothing(lay):
    laid = lay(state(40))
    made = copy(laid)
    assert same(made, laid)
    assert [v.strides for v in arrays(made)] == [v.strides for v in arrays(laid)]
    assert not any(np.shares_memory(a, b) for a in arrays(made) for b in arrays(laid))


def test_one_array_alone_stays_as_it_is():
    laid = interleave_columns(Part(np.arange(40.0), 1), 40)
    assert laid.a.flags.c_contiguous


@pytest.mark.parametrize("key", ["perceptron", "logistic"])
def test_sparse_states_lie_in_lines_and_files_do_not_show_it(key, tmp_path):
    learner = ls.learner(key, normalise=True)  # several arrays of a number a feature
    run = ls.play(learner, csr_matrix(DENSE), LABELS, engine="plain", certify=False)
    lone = [v for v in arrays(run.learner.state) if v.ndim == 1 and len(v) == 16]
    assert len(lone) > 2
    assert {v.strides for v in lone} == {lone[0].strides}
    assert lone[0].strides > (8,)
    run.learner.save(tmp_path / "a.ls")
    again = ls.load(tmp_path / "a.ls")
    assert same(again.state, run.learner.state)
    assert [v.strides for v in arrays(again.state)] == [
        v.strides for v in arrays(run.learner.state)
    ]
    again.save(tmp_path / "b.ls")
    assert (tmp_path / "a.ls").read_bytes() == (tmp_path / "b.ls").read_bytes()
    dense = ls.play(learner, DENSE, LABELS, engine="plain", certify=False)
    assert all(v.flags.c_contiguous for v in arrays(dense.learner.state))
    assert np.allclose(dense.scores, run.scores, rtol=1e-12, atol=1e-12)


def test_a_state_that_grows_stays_in_lines():
    learner = ls.learner("perceptron", normalise=True)
    for width in (3, 20, 70):
        x = csr_matrix(([1.0, 2.0], ([0, 0], [0, width - 1])), shape=(1, width))
        learner = learner.update(x, 1).update(x, -1)
    w = learner.state.w
    assert len(w) == 128
    assert w.strides == (32,)


class Rows(NamedTuple):
    W: np.ndarray
    count: int


def test_a_state_that_has_grown_has_room_for_more_rows_where_it_lies():
    old = settle(Rows(np.arange(12.0).reshape(2, 6), 2), Rows(np.empty((1, 6)), 1))
    for rows in range(3, 2 * (1 + SPARE) + 1):
        new = extended(old, Rows(np.zeros((rows, 6)), rows))
        grown = settle(corner(old, new), old)
        assert np.shares_memory(grown.W, old.W)
        assert grown.W.ravel().tolist() == [*range(12)] + [0.0] * 6 * (rows - 2)
        old = grown
    assert not np.shares_memory(extended(old, Rows(np.zeros((rows + 3, 6)), 0)).W, old.W)


@pytest.mark.parametrize(
    "new",
    [np.ones((3, 6)), np.zeros((3, 7)), np.zeros((3, 6), np.int64), np.zeros((1, 6))],
    ids=["not zeros", "wider", "other numbers", "fewer"],
)
def test_what_cannot_grow_in_place_is_left_to_be_copied(new):
    old = padded_copy(np.ones((2, 6)), spare=3)
    assert extended(old, new) is new
    assert extended(np.ones((2, 6)), np.zeros((3, 6))).base is None  # no memory to spare


@pytest.mark.parametrize(
    "key", ["online-linear", "multiclass-perceptron", "softmax", "online-kernel"]
)
def test_classes_that_come_one_by_one_are_the_same_in_place_and_copied(key, monkeypatch):
    """A gigabyte was copied where ten classes came one by one over 2^18 features."""
    rng = np.random.default_rng(3)
    X, y = (
        csr_matrix(rng.normal(size=(60, 12)) * (rng.random((60, 12)) < 0.3)),
        [f"c{t % 7}" for t in range(60)],
    )
    small = {"frequencies": 2} if key == "online-kernel" else {}
    learner, fit, calls = ls.learner(key, **small), Live.fit, []

    def play():
        return ls.play(learner, X[:20], y[:20], engine="plain")

    def copied(self, shape=None, in_place=False):
        calls.append(in_place)
        return fit(self, shape)

    run = play()
    monkeypatch.setattr(Live, "fit", copied)
    other = play()
    assert sum(calls) > 3
    assert same(run.learner.state, other.learner.state)
    assert np.array_equal(run.losses, other.losses)
