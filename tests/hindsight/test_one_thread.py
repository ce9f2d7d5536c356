"""Small searches in hindsight run on one thread, and leave the number of threads as it was."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from littlestone.hindsight.search import design
from littlestone.hindsight.search.conjugates import Logs
from littlestone.hindsight.search.newton import solver
from littlestone.hindsight.search.several_classes import minimisers


def threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("this BLAS has one thread")
        yield


def test_a_small_problem_has_one_thread_and_a_large_one_those_that_there_are(two_threads):
    with design.on_one_thread_if_small(1000, 10):
        assert threads() == {1}
    assert threads() == {2}
    for numbers, columns in ((design.SMALL + 1, 10), (1000, design.NARROW + 1)):
        with design.on_one_thread_if_small(numbers, columns):
            assert threads() == {2}


def test_a_search_runs_on_one_thread(two_threads, monkeypatch):
    seen = []
    slopes = Logs.slopes
    monkeypatch.setattr(Logs, "slopes", lambda self, z: seen.append(threads()) or slopes(self, z))
    X = np.random.default_rng(0).normal(size=(50, 3))
    minimisers(X, (X[:, 0] > 0).astype(int), np.ones(50), 2)
    assert seen
    assert all(one == {1} for one in seen)


@pytest.mark.parametrize("d", [1, 7, 100, 101])
def test_a_system_is_solved_alike_with_and_without_scipy(d):
    A = np.random.default_rng(d).normal(size=(d + 5, d))
    A, r = A.T @ A + np.eye(d), np.arange(1.0, d + 1.0)
    pulled = A + 0.5 * np.eye(d)
    np.testing.assert_allclose(solver(A, 0.5, 0.0)(r), np.linalg.solve(pulled, r), rtol=1e-9)


@pytest.mark.parametrize("d", [3, 101])
def test_what_is_not_positive_definite_is_refused(d):
    A = np.eye(d)
    A[0, 1] = A[1, 0] = 2.0
    with pytest.raises(np.linalg.LinAlgError):
        solver(A, 0.0, 0.0)


def test_slopes_and_conjugates_of_the_log_loss_are_scipys():
    from scipy.special import entr, expit

    y = np.tile([1.0, -1.0], 6)
    z = np.repeat([-800.0, -30.0, -1e-9, 0.0, 2.5, 800.0], 2)
    lost = Logs(y, np.ones(12))
    a, c = lost.slopes(z)
    s = expit(-y * z)
    np.testing.assert_allclose(-y * a, s, rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(c, s * (1.0 - s), rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(lost.conjugate(a), -entr(s) - entr(1.0 - s), rtol=1e-13, atol=1e-15)
