"""The best linear predictor, separators and disjunctions in hindsight, against other solvers and brute force."""

from __future__ import annotations

import itertools
import time
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

import littlestone as ls
from littlestone.core import losses
from littlestone.core.errors import BadInput
from littlestone.core.vectors import Rows
from littlestone.hindsight.folds.linear import Linear
from littlestone.hindsight.search.best_linear import best_linear
from littlestone.hindsight.search.candidates import candidates
from littlestone.hindsight.search.conjugates import Corners, terms
from littlestone.hindsight.search.design import Design
from littlestone.hindsight.search.disjunctions import Disjunction, best_disjunction
from littlestone.hindsight.search.l1_margin import l1_margin
from littlestone.hindsight.search.newton import Search
from littlestone.hindsight.search.separators import hard_margin
from littlestone.hindsight.search.several_classes import minimisers

few = settings(deadline=None, max_examples=25)
MARGINS = ["hinge", "squared-hinge", "logistic", "perceptron"]
NUMBERS = ["square", "absolute", "pinball:0.9"]
LOSSES = MARGINS + NUMBERS


def rounds(seed: int, T: int, d: int, loss: str = "hinge", noise: float = 0.5):
    """Examples, outcomes that fit the loss, and importances."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, d))
    score = X @ rng.normal(size=d) + noise * rng.normal(size=T)
    y = np.where(score > 0, 1.0, -1.0) if loss in MARGINS else score + rng.standard_cauchy(T)
    return X, y, rng.uniform(0.2, 2.0, T)


def total(loss: str, X, y, h, u) -> float:
    """The loss of u by the core's own definition of the loss, one round at a time."""
    at = losses.parse_loss(loss, examples=True).at
    return sum(float(w) * at(float(z), float(t)) for w, z, t in zip(h, X @ u, y, strict=True))


def rows_of(X) -> Rows:
    S = csr_array(X)
    return Rows(S.indptr.astype(np.int64), S.indices, S.data)


# ---- losses and their conjugates


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_and_conjugates(loss):
    rng = np.random.default_rng(3)
    _, y, h = rounds(1, 400, 2, loss)
    lost = terms(loss, y, h)
    if isinstance(lost, Corners):
        lost.mu = 1e-9  # as sharp as the loss itself, but at the kink
    z = rng.normal(size=400) * 3
    made = losses.parse_loss(loss, examples=True)
    assert lost.each(z) == pytest.approx([made.at(p, t) for p, t in zip(z, y, strict=True)])
    a, _ = lost.slopes(z)
    assert a == pytest.approx([made.slope(p, t) for p, t in zip(z, y, strict=True)], abs=1e-9)
    # Fenchel: l(p) + l*(a) >= a p for all p and all slopes a, with equality where a is the slope at p
    assert lost.each(z) + lost.conjugate(a) == pytest.approx(a * z)
    other = lost.slopes(rng.permutation(z))[0]
    assert (lost.each(z) + lost.conjugate(other) >= other * z - 1e-9).all()
    assert lost.within(a) == pytest.approx(a)
    assert (
        lost.each(z) + lost.conjugate(lost.within(a + 1)) >= lost.within(a + 1) * z - 1e-9
    ).all()


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "square", "hinge", "absolute"])
def test_curvature_is_the_derivative_of_the_slope(loss):
    _, y, h = rounds(1, 50, 2, loss)
    lost, z = terms(loss, y, h), np.linspace(-2, 2, 50) + 0.013
    if isinstance(lost, Corners):
        lost.mu = 0.7
    up, down = lost.slopes(z + 1e-6)[0], lost.slopes(z - 1e-6)[0]
    assert lost.slopes(z)[1] == pytest.approx((up - down) / 2e-6, abs=1e-4)


# ---- the best in a ball, and without one


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("U", [0.3, 5.0, None])
@pytest.mark.parametrize("intercept", [False, True])
def test_no_predictor_loses_less_than_the_bound(loss, U, intercept):
    X, y, h = rounds(5, 300, 4, loss)
    best = best_linear(X, y, loss, U=U, h=h, intercept=intercept)
    full = np.hstack((np.ones((300, 1)), X)) if intercept else X
    assert best.loss == pytest.approx(total(loss, full, y, h, best.u), rel=1e-12)
    assert 0 <= best.gap <= 1e-4 * best.loss + 1e-4
    assert U is None or np.linalg.norm(best.u) <= U * (1 + 1e-14)
    rng = np.random.default_rng(0)
    for size in (1e-4, 1e-2, 1.0):  # everybody near, and everybody elsewhere
        for _ in range(30):
            v = best.u + size * rng.normal(size=len(best.u))
            v *= 1.0 if U is None else min(1.0, U / np.linalg.norm(v))
            assert total(loss, full, y, h, v) >= best.lower


def by_linear_program(loss: str, X, y, h) -> float:
    """min sum_t h_t max(low (z - kink), high (z - kink)), by HiGHS."""
    lost = terms(loss, y, h)
    assert isinstance(lost, Corners)
    T, d = X.shape
    c = np.concatenate((np.zeros(d), h))
    A = [np.hstack((s[:, None] * X, -np.eye(T))) for s in (lost.low, lost.high)]
    b = np.concatenate([s * lost.kink for s in (lost.low, lost.high)])
    free = [(None, None)] * d + [(0, None)] * T
    return float(linprog(c, A_ub=np.vstack(A), b_ub=b, bounds=free).fun)


@few
@given(
    st.sampled_from(["hinge", "absolute", "pinball:0.9"]),
    st.integers(0, 10**6),
    st.integers(1, 60),
    st.integers(1, 6),
)
def test_linear_programs_agree(loss, seed, T, d):
    X, y, h = rounds(seed, T, d, loss)
    best, program = best_linear(X, y, loss, h=h), by_linear_program(loss, X, y, h)
    assert best.loss - best.gap - 1e-9 <= program <= best.loss + 1e-9 * (1 + best.loss)
    assert best.gap <= 1e-4 * best.loss + 1e-4


def test_square_loss_agrees_with_least_squares():
    X, y, _ = rounds(2, 500, 7, "square")
    fold = Linear(7)
    fold.add(X, y)
    w, loss = fold.best()
    best = best_linear(X, y, "square")
    assert best.u == pytest.approx(w, rel=1e-6)
    assert best.loss == pytest.approx(loss)


def test_logistic_loss_agrees_with_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    X, y, h = rounds(2, 800, 5)
    model = linear_model.LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10)
    model.fit(X, y, sample_weight=h)
    best = best_linear(X, y, "logistic", h=h, intercept=True, tolerance=1e-9)
    assert best.u == pytest.approx(np.concatenate((model.intercept_, model.coef_[0])), rel=1e-4)


@few
@given(st.sampled_from(LOSSES), st.integers(0, 10**6), st.floats(0.01, 3.0))
def test_the_ball_agrees_with_a_fine_grid(loss, seed, U):
    X, y, h = rounds(seed, 40, 2, loss)
    best = best_linear(X, y, loss, U=U, h=h)
    angle = np.linspace(0, 2 * np.pi, 200)
    circle = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    grid = np.vstack([r * U * circle for r in np.linspace(0, 1, 40)])
    each = terms(loss, y, h)
    least = min(each.value(X @ v) for v in grid)
    assert best.lower <= least
    assert best.loss <= least + best.gap + 1e-12 * (1 + least)


def test_a_search_that_is_stopped_says_how_far_it_may_be_off():
    X, y, h = rounds(5, 300, 4)
    best = best_linear(X, y, "hinge", U=2.0, h=h, seconds=0.0)
    exact = best_linear(X, y, "hinge", U=2.0, h=h)
    assert best.lower <= exact.lower < exact.loss < best.loss
    assert best.gap > 0.1 * best.loss


def test_dense_and_sparse_and_rows_agree():
    X, y, h = rounds(7, 200, 6)
    X[np.random.default_rng(0).random(X.shape) < 0.6] = 0.0
    for intercept in (False, True):
        one = best_linear(X, y, "logistic", h=h, intercept=intercept)
        for other in (csr_array(X), rows_of(X)):
            two = best_linear(other, y, "logistic", h=h, intercept=intercept)
            assert two.u == pytest.approx(one.u, rel=1e-6)
            assert two.loss == pytest.approx(one.loss)
    wide = best_linear(rows_of(X), y, "logistic", width=9)
    assert len(wide.u) == 9
    assert not wide.u[6:].any()


def test_rows_are_not_copied():
    made = rows_of(np.eye(3))
    made.value.flags.writeable = False
    assert np.shares_memory(Design(made).X.data, made.value)


def test_a_feature_twice_in_a_row_counts_twice():
    twice = Rows(np.array([0, 2, 3]), np.array([0, 0, 1]), np.array([1.0, 2.0, 1.0]))
    X, D = np.array([[3.0, 0.0], [0.0, 1.0]]), Design(twice)
    u = np.array([2.0, 5.0])
    assert D.scores(u).tolist() == (X @ u).tolist()
    assert D.gram(np.ones(2)).tolist() == (X.T @ X).tolist()


def test_more_coordinates_than_a_matrix_holds():
    """Beyond 1200 coordinates the curvature is only looked at along some directions."""
    X, y, _ = rounds(1, 150, 1500)
    for loss in ("logistic", "hinge"):
        best = best_linear(csr_array(X), y, loss, U=0.05)
        assert best.gap <= 1e-4 * best.loss
        assert np.linalg.norm(best.u) <= 0.05 * (1 + 1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_importance_is_repetition_and_rounds_without_an_outcome_are_left_out(loss):
    X, y, _ = rounds(3, 60, 3, loss)
    h = np.tile([1.0, 2.0, 0.0], 20)
    one = best_linear(X, y, loss, U=1.5, h=h)
    two = best_linear(X.repeat(h.astype(int), axis=0), y.repeat(h.astype(int)), loss, U=1.5)
    assert one.loss == pytest.approx(two.loss, rel=1e-4, abs=1e-4)
    missing = np.where(h == 0.0, np.nan, y)
    assert best_linear(X, missing, loss, U=1.5, h=h + (h == 0)).loss == pytest.approx(
        one.loss, rel=1e-4, abs=1e-4
    )


@pytest.mark.parametrize("loss", ["hinge", "logistic", "absolute"])
def test_the_scale_of_features_does_not_matter(loss):
    X, y, _ = rounds(4, 300, 5, loss)
    one = best_linear(X, y, loss)
    two = best_linear(X * 10.0 ** np.array([-6, -3, 0, 3, 6]), y, loss)
    assert two.loss == pytest.approx(one.loss, rel=1e-4)
    for scale in (1e-150, 1e150):
        far = best_linear(X * scale, y, loss)
        assert far.loss == pytest.approx(one.loss, rel=1e-4)
        assert far.gap <= 1e-4 * far.loss


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge"])
def test_one_extreme_example_does_not_hide_the_others(loss):
    X, y, _ = rounds(4, 300, 5)
    u = best_linear(X, y, loss).u
    t = int(np.argmax(y * (X @ u)))  # an example that everybody gets right
    X[t] *= 1e12
    assert best_linear(X, y, loss).loss <= 1.001 * total(loss, X, y, np.ones(300), u)


def test_flat_and_degenerate():
    X, y, _ = rounds(4, 50, 3)
    nothing = best_linear(np.zeros((5, 2)), y[:5], "hinge")
    assert (nothing.loss, nothing.gap) == pytest.approx((5.0, 0.0), abs=1e-9)
    same = np.hstack((X, X))  # equal columns
    one, two = best_linear(X, y, "logistic"), best_linear(same, y, "logistic")
    assert one.loss == pytest.approx(two.loss)
    assert best_linear(X, y, "hinge", U=0.0).loss == 50.0
    assert best_linear(np.empty((0, 3)), np.empty(0), "hinge").loss == 0.0
    separable = best_linear(X, np.where(X @ np.ones(3) > 0, 1.0, -1.0), "logistic")
    assert separable.loss < 1e-4


def test_refusals():
    X, y, _ = rounds(4, 5, 3)
    with pytest.raises(BadInput, match="outcome 2: hinge loss needs -1 or \\+1, not 3"):
        best_linear(X, [1, -1, 3, 1, 1], "hinge")
    with pytest.raises(BadInput, match="example 1: nan is not a finite number"):
        best_linear(np.where(np.arange(15).reshape(5, 3) == 4, np.nan, X), y)
    bad = rows_of(np.eye(5))
    bad.value[3] = np.inf
    with pytest.raises(BadInput, match="example 3: inf is not a finite number"):
        best_linear(bad, y)
    with pytest.raises(BadInput, match="round 1 has -1"):
        best_linear(X, y, h=[1, -1, 1, 1, 1])
    with pytest.raises(BadInput, match="y must have one number for each of 5"):
        best_linear(X, y[:4])
    with pytest.raises(BadInput, match="radius of the ball"):
        best_linear(X, y, U=-1.0)
    with pytest.raises(BadInput, match="zero-one loss"):
        best_linear(X, y, "zero-one")


def test_a_step_stays_in_the_ball_and_improves_the_model():
    rng = np.random.default_rng(0)
    search = Search(Design(np.eye(4)), terms("square", np.ones(4), np.ones(4)))
    for _ in range(50):
        A = rng.normal(size=(rng.integers(1, 6), 4))
        H, g, u = A.T @ A, rng.normal(size=4) * 10.0 ** rng.integers(-3, 3), rng.normal(size=4)
        u *= rng.random() / np.linalg.norm(u)
        search.pull = float(rng.integers(0, 2))
        s = search.ball(H, u, g)
        assert np.linalg.norm(u + s) <= 1 + 1e-12
        value = g @ s + s @ H @ s / 2
        for _ in range(50):
            v = rng.normal(size=4)
            v *= min(1.0, 1.0 / np.linalg.norm(v)) * rng.random()
            t = v - u
            assert value <= g @ t + t @ H @ t / 2 + 1e-6 * (1 + abs(value))


def test_few_directions_are_all_of_a_small_space():
    rng = np.random.default_rng(0)
    for lam in (0.0, 2.0):
        X = rng.normal(size=(30, 4))
        search = Search(Design(X), terms("square", np.ones(30), np.ones(30)), lam=lam)
        for u in (np.zeros(4), np.array([0.3, -0.1, 0.2, 0.1])):
            g, c = rng.normal(size=4) * 5, rng.random(30)
            want = search.model(u, g, c)
            assert search.krylov(u, g, c) == pytest.approx(want, abs=1e-6)


# ---- separators


def exactly(x) -> list[Fraction]:
    return [Fraction(float(v)) for v in x]


@few
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 5), st.booleans())
def test_separators_are_exact(seed, T, d, intercept):
    X, _, _ = rounds(seed, T, d)
    y = np.where(X @ np.ones(d) > 0, 1.0, -1.0)
    found = hard_margin(X, y, intercept=intercept)
    assert found.separable
    u = exactly(found.u)
    for x, label in zip(X, y, strict=True):
        score = sum(
            (a * b for a, b in zip(u, exactly([1.0] * intercept + x.tolist()), strict=True)),
            Fraction(0),
        )
        assert score * int(label) >= 1  # in exact arithmetic
    assert 0 <= found.gap <= 1.1e-4 * found.margin
    assert found.margin == pytest.approx(1 / np.linalg.norm(found.u))
    full = np.hstack((np.ones((T, int(intercept))), X))
    for v in np.random.default_rng(seed).normal(size=(50, d + intercept)):
        assert (y * (full @ v)).min() / np.linalg.norm(v) <= found.most + 1e-12
    assert found.most == pytest.approx(
        np.linalg.norm(found.weights @ (y[found.rows, None] * full[found.rows]))
    )


@few
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 4))
def test_what_cannot_be_separated(seed, T, d):
    """x and -x with one label: 0 is half of each, and no direction is right about both."""
    X, y, _ = rounds(seed, T, d)
    X[1], y[1] = -X[0], y[0]
    found = hard_margin(X, y)
    assert found.separable is False
    assert found.u is None
    assert found.mistakes == np.inf
    assert found.weights.sum() == pytest.approx(1)
    assert (found.weights > 0).all()
    combination = found.weights @ (y[found.rows, None] * X[found.rows])
    assert np.linalg.norm(combination) <= 1e-7 * found.R


def test_orthonormal_examples_and_hadamard():
    """ADV-ORTHO has R = 1 and margin 1/sqrt(d), ADV-HADAMARD R^2 = N and margin 1: the bound of T-PERC is d, and N."""
    ortho = hard_margin(np.eye(9), -np.ones(9))
    assert ortho.u == pytest.approx(-np.ones(9), abs=1e-4)
    assert (ortho.margin, ortho.mistakes) == pytest.approx((1 / 3, 9.0), rel=1e-3)
    H = np.ones((1, 1))
    for _ in range(4):
        H = np.block([[H, H], [H, -H]])
    found = hard_margin(H[:, 1:], H[:, 1])
    assert found.mistakes == pytest.approx(15.0, rel=1e-3)  # a column less: R^2 = 15


def test_margins_like_those_of_scikit_learn():
    svm = pytest.importorskip("sklearn.svm")
    X, _, _ = rounds(8, 400, 6)
    y = np.where(X @ np.ones(6) > 0, 1.0, -1.0)
    X += 0.3 * y[:, None]
    model = svm.LinearSVC(loss="hinge", C=1e4, fit_intercept=False, tol=1e-8, max_iter=10**6)
    found, w = hard_margin(X, y), model.fit(X, y).coef_[0]
    assert found.u == pytest.approx(w, rel=1e-2)
    sparse = hard_margin(rows_of(X), y)
    assert sparse.margin == pytest.approx(found.margin, rel=1e-3)


def test_separability_does_not_depend_on_the_scale_of_features():
    X, _, _ = rounds(8, 200, 4)
    scale = 10.0 ** np.array([-6, -2, 2, 6])
    y = np.where(X @ np.ones(4) > 0, 1.0, -1.0)
    assert hard_margin(X * scale, y).separable
    y[np.argsort(np.abs(X @ np.ones(4)))[-3:]] *= -1
    assert hard_margin(X * scale, y).separable is False


def test_a_separator_that_was_not_found_in_time_is_unknown():
    X, _, _ = rounds(8, 20_000, 20)
    y = np.where(X @ np.ones(20) > 0, 1.0, -1.0)
    found = hard_margin(X, y, seconds=0.0)
    assert found.separable is None
    assert found.most > 0
    assert hard_margin(np.zeros((2, 3)), [1.0, 1.0]).separable is False
    assert hard_margin(np.zeros((0, 3)), []).separable


# ---- candidates


@pytest.mark.parametrize("loss", ["zero-one", *MARGINS[:3], *NUMBERS])
@pytest.mark.parametrize("sparse", [False, True])
def test_candidates_are_what_they_say(loss, sparse):
    X, y, h = rounds(6, 400, 5, "absolute" if loss in NUMBERS else "hinge")
    more = {"mine": np.arange(6.0)}
    found = candidates(rows_of(X) if sparse else X, y, loss, h, intercept=True, more=more)
    assert found.names[0] == "0"
    assert "mine" in found.names
    assert 6 <= len(found) <= 16
    full = np.hstack((np.ones((400, 1)), X))
    for k, u in enumerate(found.u):
        assert found.U2[k] == pytest.approx(u @ u)
        assert found.L1[k] == pytest.approx(np.abs(u).sum())
        if loss in NUMBERS:
            assert np.isnan([found.H[k], found.H2[k], found.mistakes[k]]).all()
        else:
            short = np.maximum(0, 1 - y * (full @ u))
            assert found.H[k] == pytest.approx(h @ short)
            assert found.H2[k] == pytest.approx(h @ short**2)
            assert found.mistakes[k] == pytest.approx(h @ (y * (full @ u) <= 0))
        if loss == "zero-one":
            assert found.loss[k] == found.mistakes[k]
        else:
            assert found.loss[k] == pytest.approx(total(loss, full, y, h, u))
    best = best_linear(full, y, "hinge" if loss == "zero-one" else loss, h=h)
    assert (found.H if loss == "zero-one" else found.loss).min() <= 1.05 * best.loss


def test_the_path_trades_norm_for_loss():
    X, y, _ = rounds(6, 400, 5)
    found = candidates(X, y, "squared-hinge")
    on = [k for k, name in enumerate(found.names) if name.startswith("least")]
    assert len(on) == 8
    assert (np.diff(found.U2[on]) > 0).all()
    assert (np.diff(found.H2[on]) <= 1e-9).all()


def test_long_runs_are_fitted_on_a_part_and_measured_on_the_whole():
    X, y, _ = rounds(6, 60_000, 40)
    found = candidates(X, y, "logistic", seconds=20.0)
    u = found.u[-1]
    assert found.loss[-1] == pytest.approx(np.logaddexp(0, -y * (X @ u)).sum())
    assert found.loss[-1] <= 1.1 * best_linear(X, y, "logistic").loss


def test_late_candidates_are_left_out():
    X, y, _ = rounds(6, 2000, 5)
    assert len(candidates(X, y, "hinge", seconds=0.0)) < 5


@pytest.mark.parametrize("loss", ["zero-one", "hinge", "logistic", "square"])
def test_a_slow_machine_finds_the_same_candidates(loss, monkeypatch):
    """Where a search ends is a matter of work, not of time: here every look at the clock costs a minute."""
    X, y, h = rounds(6, 3000, 30, "absolute" if loss == "square" else "hinge")
    fast = candidates(X, y, loss, h, seconds=0.005)
    assert len(fast) < len(candidates(X, y, loss, h))  # the work did run out
    ticks = itertools.count(0.0, 60.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    slow = candidates(X, y, loss, h, seconds=0.005)
    assert slow.names == fast.names
    assert all(np.array_equal(u, v) for u, v in zip(slow.u, fast.u, strict=True))


def test_a_slow_machine_finds_the_same_answers(monkeypatch):
    X, y, h = rounds(5, 400, 6)
    Z = (X > 0).astype(float)
    separable = np.where(Z[:, 0] + Z[:, 1] > 0, 1.0, -1.0)
    asked = (
        lambda: best_linear(X, y, "hinge", h=h).u,
        lambda: hard_margin(Z, separable, intercept=True).u,
        lambda: l1_margin(Z, separable, intercept=True).v,
        lambda: np.array(best_disjunction(Z, y, 3).literals, float),
        lambda: list(minimisers(X, (y > 0).astype(int), h, 2).values())[-1],
    )
    fast = [ask() for ask in asked]
    ticks = itertools.count(0.0, 60.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    for ask, found in zip(asked, fast, strict=True):
        assert np.array_equal(ask(), found)


@few
@given(st.integers(0, 10**6), st.floats(0.0, 2.0))
def test_perceptrons_keep_their_theorems_against_every_candidate(seed, noise):
    """T-PERC-INSEP: M <= (R |u| + sqrt(H2))^2 for every u; T-PERC: M <= R^2 |u|^2 for a separator."""
    X, y, _ = rounds(seed, 80, 3, noise=noise)
    found = candidates(X, y, "zero-one", seconds=1.0)
    w, M = np.zeros(3), 0
    for x, label in zip(X, y, strict=True):
        if label * (w @ x) <= 0:
            w, M = w + label * x, M + 1
    R = np.sqrt((X**2).sum(axis=1).max())
    assert ((R * np.sqrt(found.U2) + np.sqrt(found.H2)) ** 2 >= M - 1e-9).all()
    if found.separator.separable:
        assert found.separator.mistakes >= M
        assert found.H[1] == 0.0


MIXED = 10.0 ** np.array([-5, -3, 0, 2, 4])  # sizes of features


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["zero-one", *MARGINS[:3], *NUMBERS])
def test_the_least_loss_found_does_not_depend_on_the_scale_of_features(loss, intercept, sparse):
    X, y, h = rounds(6, 400, 5, "absolute" if loss in NUMBERS else "hinge", noise=2.0)
    form = rows_of if sparse else np.asarray
    alike, other = (candidates(form(Z), y, loss, h, intercept=intercept) for Z in (X, X * MIXED))
    if loss == "zero-one":  # minimisers of other losses stand in: a few rounds more or less
        assert other.mistakes.min() <= alike.mistakes.min() + 0.01 * h.sum()
    else:
        best = best_linear(X, y, loss, h=h, intercept=intercept)
        assert other.loss.min() <= 1.01 * best.loss
    full = np.hstack((np.ones((400, int(intercept))), X * MIXED))
    for k, u in enumerate(other.u):  # and each is measured in the units that examples came in
        assert other.U2[k] == pytest.approx(u @ u)
        if loss == "zero-one":
            assert other.mistakes[k] == pytest.approx(h @ (y * (full @ u) <= 0))
        else:
            assert other.loss[k] == pytest.approx(total(loss, full, y, h, u))


def test_candidates_in_units_of_the_features_are_the_same_in_all_units():
    """Powers of two: nothing is rounded otherwise."""
    X, y, h = rounds(6, 400, 5)
    scores = []
    for scale in (np.array([4, 1, 1024, 2, 1.0]), 2.0 ** np.array([-30, 20, 0, 7, -9])):
        found = candidates(X * scale, y, "squared-hinge", h)
        on = [k for k, name in enumerate(found.names) if "in units of the features" in name]
        scores.append([(found.names[k], X @ (scale * found.u[k])) for k in on])
    assert len(scores[0]) == 4
    for (name, z), (same, v) in zip(*scores, strict=True):
        assert name == same
        assert z == pytest.approx(v, rel=1e-6, abs=1e-9)


def test_features_of_one_size_need_one_path():
    X, y, h = rounds(6, 400, 5)
    for Z in (X, 1e-9 * X, 1e9 * X, np.sign(X), np.hstack((1e6 * X, np.zeros((400, 2))))):
        assert not any("units" in name for name in candidates(Z, y, "logistic", h).names)
    assert any(
        "units" in name for name in candidates(1e6 * X, y, "logistic", h, intercept=True).names
    )


def test_candidates_of_the_first_path_stay_where_there_is_a_second(monkeypatch):
    """However little work is allowed: no bound gets worse."""
    X, y, h = rounds(6, 3000, 30)
    X[:, ::2] *= 1e-4
    both = candidates(X, y, "zero-one", h, seconds=0.02)
    monkeypatch.setattr("littlestone.hindsight.search.candidates.some_are_small", lambda D: False)
    one = candidates(X, y, "zero-one", h, seconds=0.02)
    assert both.names[: len(one)] == one.names
    assert all(np.array_equal(u, v) for u, v in zip(both.u, one.u, strict=False))
    assert len(one) < len(both)


@pytest.mark.filterwarnings("error")
def test_features_too_small_to_measure_leave_finite_candidates():
    X, y, h = rounds(6, 100, 3)
    for sizes in ([1e-300, 1.0, 1.0], [1e140, 1.0, 1e-20]):
        for intercept in (False, True):
            found = candidates(X * sizes, y, "logistic", h, intercept=intercept)
            assert all(np.isfinite(u).all() for u in found.u)
            assert found.loss.min() <= found.loss[0]


@pytest.mark.parametrize("sparse", [False, True])
def test_the_typical_size_of_a_feature_that_is_hardly_ever_there(sparse):
    X = np.full((9000, 4), 2.0)
    X[:, 1] = 0.0
    X[1, 1] = -3e-5  # not among the rounds that are looked at first
    X[:, 2] = 0.0
    X[:, 3] = 8.0
    D = Design(rows_of(X) if sparse else X, width=4)
    rest = (2.0 * 3e-5 * 8.0) ** (1 / 3)  # never there: as the others
    assert D.typical() == pytest.approx([2.0, 3e-5, rest, 8.0])
    assert Design(np.zeros((3, 2))).typical().tolist() == [1.0, 1.0]


# ---- the comparator of a run


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_comparator_of_mistakes_on_features_of_mixed_scales(intercept, sparse):
    X, y, _ = rounds(3, 3000, 5, noise=1.0)
    form = csr_array if sparse else np.asarray
    run = ls.play(ls.learner("perceptron", intercept=intercept), form(X * MIXED), y)
    full = np.hstack((np.ones((3000, int(intercept))), X))
    logistic = best_linear(full, y, "logistic").u
    assert run.comparator_loss <= 1.02 * np.sum(y * (full @ logistic) <= 0)
    assert run.regret > 0
    assert run.certificate.verdict == "kept"


@pytest.mark.parametrize("key", ["perceptron", "averaged-perceptron", "second-order-perceptron"])
def test_what_a_run_came_to_is_no_better_than_its_comparator(key, monkeypatch):
    """Where the search found nothing, the last weights of the run, held fixed, are better than 0."""
    monkeypatch.setattr("littlestone.hindsight.search.candidates.path", lambda *_: None)
    X, y, _ = rounds(3, 400, 5)
    y[7] = np.nan
    h = np.random.default_rng(0).integers(0, 3, 400).astype(float)
    run = ls.play(ls.learner(key, intercept=True), X, y, importance=h)
    assert run.comparator == "its own last weights"
    full = np.hstack((np.ones((400, 1)), X))
    state, known = run.learner.state, ~np.isnan(y)
    lines = [state.w]
    if key == "averaged-perceptron":
        lines.append(run.learner.coefficients(state))
    wrong = [h[known] @ (np.where(full @ u >= 0, 1.0, -1.0) != y)[known] for u in lines]
    assert run.comparator_loss == min(wrong)
    assert run.best.loss == min(wrong)
    assert np.array_equal(run.best.u, lines[int(np.argmin(wrong))])
    assert run.regret == run.loss - run.comparator_loss


def test_what_a_run_came_to_stays_when_its_learner_goes_on(monkeypatch):
    monkeypatch.setattr("littlestone.hindsight.search.candidates.path", lambda *_: None)
    X, y, _ = rounds(3, 400, 5)
    run, same = (ls.play("perceptron", X, y) for _ in range(2))
    for x, label in zip(X[:50], -y[:50], strict=True):
        run.learner.update(x, label)
    assert run.comparator_loss == same.comparator_loss
    assert not np.array_equal(run.learner.state.w, same.learner.state.w)


def test_weights_beside_a_threshold_are_no_linear_predictor():
    X = np.random.default_rng(0).integers(0, 2, (200, 5)).astype(float)
    run = ls.play("winnow2", X, np.where(X[:, 0] + X[:, 1] > 0, 1, 0))
    assert run.comparator != "its own last weights"
    assert run.transcript.last_weights == []


# ---- disjunctions


@few
@given(
    st.integers(0, 10**6),
    st.integers(0, 30),
    st.integers(1, 5),
    st.integers(0, 3),
    st.booleans(),
)
def test_disjunctions_by_brute_force(seed, T, n, k, negations):
    rng = np.random.default_rng(seed)
    X, h = rng.integers(0, 2, (T, n)), rng.integers(1, 4, T).astype(float)
    y = rng.integers(0, 2, T)
    found = best_disjunction(X, y, k, negations=negations, h=h)
    literals = [*range(1, n + 1), *(-j for j in range(1, n + 1) if negations)]
    every = [
        h @ (Disjunction(S, 0, 0, "").predict(X) != y)
        for size in range(k + 1)
        for S in itertools.combinations(literals, size)
    ]
    assert found.mistakes == min(every)
    assert found.gap == 0.0
    assert len(found.literals) <= k
    assert h @ (found.predict(X) != y) == found.mistakes


def test_disjunctions_are_found_among_many_features():
    rng = np.random.default_rng(0)
    X = (rng.random((3000, 60)) < 0.1).astype(float)
    y = np.where(X[:, 5] + X[:, 17] + X[:, 42] > 0, 1, -1) * np.where(rng.random(3000) < 0.1, -1, 1)
    for examples in (X, rows_of(X)):
        found = best_disjunction(examples, y, 3)
        assert str(found) == "x6 or x18 or x43"
        assert found.gap == 0.0


def test_a_disjunction_search_that_is_stopped_says_how_far_it_may_be_off():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 12)), rng.integers(0, 2, 400)
    late, done = best_disjunction(X, y, 4, seconds=0.0), best_disjunction(X, y, 4)
    assert done.gap == 0.0 < late.gap
    assert late.mistakes - late.gap <= done.mistakes <= late.mistakes


def test_disjunctions_refuse():
    with pytest.raises(BadInput, match="rows of 0 and 1; example 1 has 2"):
        best_disjunction([[1, 0], [0, 2]], [1, 0], 1)
    with pytest.raises(BadInput, match="outcome 1: a disjunction is true or false"):
        best_disjunction([[1, 0], [0, 1]], [1, 5], 1)
    with pytest.raises(BadInput, match="2 examples, 1 outcomes"):
        best_disjunction([[1, 0], [0, 1]], [1], 1)
    with pytest.raises(BadInput, match="must be 0 or more, not -1"):
        best_disjunction([[1, 0], [0, 1]], [1, 0], -1)
    assert str(best_disjunction([[1], [0]], [0, 0], 1)) == "false"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("loss", LOSSES)
def test_few_directions_among_many_coordinates(loss):
    """Of 2,000 coordinates one or none is ever used: after that direction there is no other to look at."""
    for used in ([1.0, 0.0], [1.0, -2.0], [0.0, 0.0]):
        X = np.array([used]).T
        narrow, wide = (
            best_linear(rows_of(X), [1.0, -1.0], loss, U=1.5, width=n, seconds=1.0)
            for n in (1, 2000)
        )
        assert wide.loss == pytest.approx(narrow.loss, abs=1e-4)


@pytest.mark.filterwarnings("error")
def test_a_model_with_one_direction_or_none():
    rng = np.random.default_rng(0)
    for lam in (0.0, 2.0):
        X = np.zeros((30, 4))
        X[:, 0] = rng.normal(size=30)
        one, c = np.eye(4)[0], rng.random(30)
        search = Search(Design(X), terms("square", np.ones(30), np.ones(30)), lam=lam)
        for u, g in ((0.3 * one, one), (0.0 * one, one), (0.3 * one, 0.0 * one)):
            assert search.krylov(u, g, c) == pytest.approx(search.model(u, g, c), abs=1e-6)
        assert not search.krylov(0.0 * one, 0.0 * one, c).any()


def test_examples_too_small_to_compare_have_comparators_all_the_same():
    X, y = [[1e-139]] * 17, [0, 1] * 8 + [1]
    run = ls.play(ls.learner("perceptron", intercept=True), X, y, engine="plain")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdict = run.certificate.verdict
    assert verdict in ("kept", "vacuous", "unknown")


def test_features_that_never_occur_change_no_search():
    """Hashed examples use a few of many places: the search is over these, and its weights are at their places."""
    rng = np.random.default_rng(5)
    places = np.array([3, 77, 1_000, 99_998])
    dense = rng.normal(size=(60, 4))
    y = np.where(dense @ np.array([1.0, -2.0, 0.5, 0.0]) + rng.normal(size=60) > 0.0, 1.0, -1.0)
    rows = Rows(np.arange(0, 241, 4), np.tile(places, 60), dense.ravel())
    for intercept in (False, True):
        at = places + intercept
        narrow = best_linear(dense, y, "logistic", intercept=intercept)
        wide = best_linear(rows, y, "logistic", intercept=intercept, width=100_000)
        assert wide.u.shape == (100_000 + intercept,)
        assert np.count_nonzero(wide.u) == 4 + intercept
        assert wide.u[at] == pytest.approx(narrow.u[intercept:], rel=1e-6)
        assert wide.loss == pytest.approx(narrow.loss, rel=1e-9)
        some = candidates(rows, y, "hinge", intercept=intercept, width=100_000)
        same = candidates(dense, y, "hinge", intercept=intercept)
        assert some.names == same.names
        assert some.loss == pytest.approx(same.loss, rel=1e-6)
        assert all(np.count_nonzero(u) <= 4 + intercept for u in some.u)
