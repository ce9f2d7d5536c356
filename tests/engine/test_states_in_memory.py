"""Where the arrays of a state lie: apart, or side by side for sparse examples."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import littlestone as ls
from littlestone.engine.memory import arrays, copy, interleave_columns, padded_copy

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
