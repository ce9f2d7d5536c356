"""Units of features after values that mislead: tiny ones, extreme ones, and rounds of enormous importance."""

import copy

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import littlestone as ls
from littlestone.core.losses import Logistic
from littlestone.core.vectors import Sparse
from littlestone.engine.compile import has_numba
from littlestone.engine.memory import arrays
from littlestone.linear.parts import feature_rates, rates, unit_steps
from littlestone.linear.parts.implicit import LOGISTIC
from littlestone.linear.parts.matrix_units import pull
from littlestone.linear.parts.units import cut_to_unit, score_in_units


def test_a_matrix_is_that_of_its_units_as_they_grow():
    rng = np.random.default_rng(0)
    half = np.eye(6) + 0.5 * rng.normal(size=(6, 6))
    A, w = half @ half.T, rng.normal(size=6)
    R, b = np.linalg.cholesky(A).T.copy(), A @ w
    for t in range(60):
        more = 10.0 ** rng.uniform(-2, 1)
        gradient = np.where(np.arange(6) == t % 6, more * w[t % 6], 0.0)
        cost = pull(w, R, np.empty(6), t % 6, more)
        A[t % 6, t % 6] += more
        assert cost == pytest.approx(gradient @ np.linalg.solve(A, gradient))
    assert pytest.approx(A) == R.T @ R
    assert w == pytest.approx(np.linalg.solve(A, b))


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize(("loss", "most"), [("square", 0.15), ("squared-hinge", 0.5)])
def test_newton_recovers_from_tiny_beginnings(loss, most, engine):
    if engine == "compiled" and not has_numba():
        pytest.skip("numba is not installed")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6))
    y = X @ rng.normal(size=6) + 0.3 * rng.normal(size=400)
    X[:50] *= 1e-9
    if loss != "square":
        y = np.where(y > 0, 1, -1)
    run = ls.play(ls.learner("online-newton", loss=loss, normalise=True), X, y, engine=engine)
    assert np.mean(run.losses[200:]) < most


ALONE = {"normalized-adaptive", "coin-betting", "scale-free"}  # these always scale
MORE = {
    "online-newton": {"loss": "logistic"}, "arow": {"full": True}, "passive-aggressive": {"variant": "II"},
    "multiclass-passive-aggressive": {"variant": "II"},
}  # fmt: skip
KEYS = [
    "ogd", "logistic", "adagrad", "normalized-adaptive", "ftrl-proximal", "passive-aggressive", "coin-betting",
    "scale-free", "multiclass-perceptron", "multiclass-passive-aggressive", "softmax", "online-newton", "arow",
]  # fmt: skip


def scaled(key, **given):
    """The learner that scales features as they come."""
    return ls.learner(key, **given, **({} if key in ALONE else {"normalise": True}))


def separable(seed, T=500):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, 4))
    return X, np.where(X @ rng.normal(size=4) > 0, 1, -1)


def errors(key, change):
    """The share of errors in the last 150 rounds, over three samples, as they are and changed."""
    learner, found = scaled(key, **MORE.get(key, {})), []
    for seed in range(3):
        X, y = separable(seed)
        for Z in (X, change(X.copy())):
            run = ls.play(learner, Z, y, engine="plain")
            found.append(np.mean(run.predictions[350:] != y[350:]))
            assert "broken" not in {v.verdict for v in run.certificate}
    return np.mean(found[::2]), np.mean(found[1::2])


@pytest.mark.parametrize("key", KEYS)
def test_a_tiny_first_example_is_soon_forgotten(key):
    """Units that grow by a tenth a round need 290 rounds for 12 decimal places."""

    def tiny(X):
        X[0] *= 1e-12
        return X

    good, found = errors(key, tiny)
    assert found <= good + 0.03


@pytest.mark.parametrize("key", KEYS)
def test_two_extreme_examples_in_a_row_do_little(key):
    def extreme(X):
        X[200:202] *= 1e9
        return X

    good, found = errors(key, extreme)
    assert found <= good + 0.03


WEIGHTED = [
    ("softmax", {}),
    ("logistic", {}), ("adagrad", {"loss": "logistic"}), ("adagrad", {"loss": "perceptron"}),
    ("normalized-adaptive", {"loss": "hinge"}),
    ("normalized-adaptive", {"loss": "perceptron"}), ("normalized-adaptive", {"loss": "square"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "given"), WEIGHTED, ids=lambda v: v if isinstance(v, str) else v.get("loss", "default")
)
def test_one_enormous_importance_does_not_end_learning(key, given):
    """Its squared slope, counted whole, made rates a thousand times smaller for good.

    Later, where the loss has no end, it also takes a score of ln(10^6) back, which may take longer than the run.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = X @ [1.0, -2.0, 1.5, 0.5] + 0.3 * rng.normal(size=500)
    if given.get("loss") != "square":
        y = np.where(y > 0, 1, -1)
    lost = []
    for at in (-1, 1) if "logistic" in (key, given.get("loss")) else (-1, 1, 20):
        h = np.ones(500)
        if at >= 0:
            h[at] = 1e6
        run = ls.play(scaled(key, **given), X, y, importance=h, engine="plain")
        assert "broken" not in {v.verdict for v in run.certificate}
        wrong = run.losses if given.get("loss") == "square" else run.predictions != y
        lost.append(np.mean(wrong[-200:]))
    assert max(lost[1:]) <= lost[0] + 0.04


@pytest.mark.parametrize("key", ["adagrad", "normalized-adaptive"])
def test_the_perceptron_loss_is_learned_at_any_importance(key):
    """A path along this loss ends at 0, where it also begins: a step beyond is needed."""
    X, y = separable(0, 200)
    run = ls.play(
        scaled(key, loss="perceptron"), X, y, importance=2.0 * np.ones(200), engine="plain"
    )
    assert np.mean(run.predictions[100:] != y[100:]) < 0.1


def test_a_whole_importance_is_nearly_so_many_rounds():
    X, y = separable(1, 120)
    twice = ls.play(
        ls.learner("normalized-adaptive"), X, y, importance=2.0 * np.ones(120), engine="plain"
    )
    rounds = ls.play(ls.learner("normalized-adaptive"), X.repeat(2, 0), y.repeat(2), engine="plain")
    one, other = twice.learner.weights, rounds.learner.weights
    assert np.abs(one - other).max() <= 0.1 * np.abs(other).max()


BEGINNINGS = [
    ([1.0, 1.0, 0.5], 1.0),  # near: no more doubt
    ([1.0, 1.0, 0.5] + 20 * [1e-3], 1.0),
    ([1.0, 1.0, 0.5] + 3 * [1e9], 2.2),
    ([1e9, 1.0, 0.5], 1.0),
    ([1e9, 1e9] + 7 * [0.5], 1e9),
    ([1e9, 1e9] + 7 * [0.5] + [0.25], 0.25),
    ([1e9, 1e9] + 7 * [0.5] + [1e8] + 20 * [0.5], 1e9),
    ([1e9, 1e9] + 7 * [0.5] + [1e-200], 1e9),  # counts as 0
    ([1e9, 1e9] + 8 * [0.5] + [2.0, 3.0], 1.0),  # it doubles at most
    ([1e-9, 1.0, 0.5], 1.1e-9),
    ([1e-9, 1.0, 0.5, 2.0], 1.0),
    ([1e-9, 1e-9, 1.0, 0.5, 2.0], 1.0),
    ([1e-9, 1e-9, 1.0, 0.5, 1e-9, 2.0], 1.21e-9),  # not in a row
]  # fmt: skip


@pytest.mark.parametrize("scale", [1.0, 2.0**-30, 2.0**40])
@pytest.mark.parametrize(("values", "unit"), BEGINNINGS, ids=range(len(BEGINNINGS)))
def test_units_of_perceptrons_are_in_doubt_while_they_rest_on_two_values(values, unit, scale):
    u = unit_steps.unseen(1)
    for b in values:
        before = abs(u.q[0]) if u.most[0] else 0.0
        shrink, part = unit_steps.take_in_value(u, 0, b * scale)
        if before:  # v unit stays as it is, but for the part that is given up
            assert part == pytest.approx(1.0 - shrink * before / abs(u.q[0]), abs=1e-12)
    assert 1.0 / abs(u.q[0]) == pytest.approx(unit * scale, rel=1e-12)
    assert u.most[0] >= (1.0 - 1e-12) / abs(u.q[0])


@pytest.mark.parametrize("late", [False, True])
def test_examples_that_fit_their_units_are_taken_in_at_once(late):
    """What is done where nothing is new to the units is what would be done value by value."""
    rng = np.random.default_rng(5)
    units, w, last, sums = unit_steps.unseen(4), rng.normal(size=4), rng.normal(size=4), np.zeros(3)
    short = 0
    for _ in range(300):
        x = rng.normal(size=4) * [1e-3, 1.0, 1e4, 0.0 if rng.random() < 0.5 else 5.0]
        whole = [unit_steps.Scales(*(v.copy() for v in units)), w.copy(), last.copy(), sums.copy()]
        y, t = float(rng.choice([-1.0, 1.0])), 7.0 if late else 0.0
        strange = unit_steps.adapt(units, w, last, t, sums, x, y, 1.0)
        unit_steps.step(units, w, 0.3 * y, x, strange)
        unit_steps.refit(*whole[:3], t, whole[3], x, y, 1.0)
        unit_steps.step(whole[0], whole[1], 0.3 * y, x, True)
        short += not strange
        for ours, theirs in zip((*units, w, last, sums), (*whole[0], *whole[1:]), strict=True):
            assert ours == pytest.approx(theirs, rel=1e-13)
    assert 100 < short < 300


def values(rng, t):
    """Examples of four features: ordinary values, zeros, repeated ones, tiny ones, and some that are far."""
    x = rng.normal(size=4) * np.array([1.0, 100.0, 1e-3, 1.0])
    x[rng.random(4) < 0.2] = 0.0
    x[rng.random(4) < 0.1] *= 10.0 ** rng.uniform(-4, 4)
    x[rng.random(4) < 0.1] = 1.0
    x[rng.random(4) < 0.05] = 1e-200
    return x


def refit_by_value(u, w, sums, x, y, eta):
    """`unit_steps.refit` for a perceptron, as `take_in_value` says it, value by value."""
    n, p, cross, moved, odd = 0.0, 0.0, 0.0, False, False
    for i, v in enumerate(x.tolist()):
        b = abs(v)
        if b == 0.0:
            continue
        seen, before = u.most[i] > 0.0, abs(u.q[i])
        shrink, part = unit_steps.take_in_value(u, i, b)
        q, gone = abs(u.q[i]), unit_steps.lost(u, i, b)
        if seen and q != before:
            part *= abs(w[i]) / (before * eta)
            w[i] *= shrink * (q / before)
            cross += part * part
            moved = True
        cross += gone * gone
        moved |= gone > 1e-12
        if u.most[i] > 0.0:
            z = unit_steps.cut_to_unit(v, u.q[i])
            p += w[i] * z
            n += z * q * (z * q)
            odd |= q != 1.0
    unit_steps.book(sums, n, y * p / eta, cross, moved, odd)


@pytest.mark.parametrize("seed", range(8))
def test_the_short_ways_of_a_perceptron_do_what_settle_says(seed):
    rng = np.random.default_rng(seed)
    mine, theirs = unit_steps.unseen(4), unit_steps.unseen(4)
    w, v, sums, other = np.zeros(4), np.zeros(4), np.zeros(3), np.zeros(3)
    for t in range(150):
        x, y = values(rng, t), float(rng.choice([-1.0, 1.0]))
        unit_steps.refit(mine, w, w, 0.0, sums, x, y, 1.0)
        refit_by_value(theirs, v, other, x, y, 1.0)
        for a, b in zip((*mine, w, sums), (*theirs, v, other), strict=True):
            assert np.allclose(a, b, rtol=1e-9, atol=0.0), t
        unit_steps.step(mine, w, y, x, True)
        for i in np.flatnonzero(theirs.most):
            q = abs(theirs.q[i])
            v[i] += y * (unit_steps.cut_to_unit(float(x[i]), q) * q) * q


@pytest.mark.parametrize("seed", range(8))
def test_the_short_way_of_gradient_steps_does_what_fit_says(seed):
    rng = np.random.default_rng(seed)
    mine, theirs = (rates.begin_rates(4, Logistic(), LOGISTIC) for _ in range(2))
    for t in range(150):
        x, g, changed = values(rng, t), float(rng.normal()), False
        for i, v in enumerate(np.abs(x).tolist()):
            if v > 0.0 and (theirs.units.q[i] < 0.0 or v * theirs.units.q[i] > 1.0):
                feature_rates.unusual(theirs, i, v)
                changed = True
        n, _ = feature_rates.refit(mine, x)
        z = np.array(
            [cut_to_unit(float(v), q) * abs(q) for v, q in zip(x, theirs.units.q, strict=True)]
        )
        assert np.isclose(n, (z * z)[theirs.units.most > 0.0].sum(), rtol=1e-12)
        if changed:
            # the squares and the step, feature by feature and then together
            for i in np.flatnonzero((x != 0.0) & (theirs.units.most > 0.0)):
                v = cut_to_unit(float(x[i]), theirs.units.q[i])
                G = theirs.G[i] if theirs.G[i] > 0.0 else n * v * v
                feature_rates.renew(theirs, i, G - (theirs.room[i] - g * g * n * v * v), 1.0)
            feature_rates.move(theirs, x, -g, 0.0)
            feature_rates.renewed(mine, x, g * g * n, n, 1.0, -g)
        for a, b in zip(arrays(mine), arrays(theirs), strict=True):
            # differences of nearly equal numbers leave rounding errors in the sums, which have no unit
            assert np.allclose(a, b, rtol=1e-9, atol=1e-12 if a is mine.sums else 0.0), t


def strange_examples(spread):
    """Examples of 13 features: first values, long ones, far ones, tiny ones and zeros among them."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(250, 13)) * np.exp(spread * rng.normal(size=(250, 13)))
    X = np.clip(X, -1e100, 1e100) * (rng.random((250, 13)) < rng.random((250, 1)))
    return X, np.where(X[:, 0] + X[:, 1] + rng.normal(size=250) > 0.0, 1, -1)


def check_form(rule, *given):
    """A rule and its form for sparse examples return the same, and leave the same state."""
    by_rule, by_form = copy.deepcopy(given), copy.deepcopy(given)
    found = [rule(*by_rule), rule.sparse_form(*by_form)]
    assert found[1] == (None if found[0] is None else pytest.approx(found[0], rel=1e-9))
    for a, b in zip(arrays(by_rule), arrays(by_form), strict=True):
        assert b == pytest.approx(a, rel=1e-9)


@pytest.mark.parametrize("spread", [0.3, 3.0, 60.0])
def test_forms_for_sparse_examples_do_what_their_rules_do(spread):
    """Compiled code takes in sparse values four at a time, plain Python one by one; here both are plain Python."""
    X, Y = strange_examples(spread)
    u, w, sums = unit_steps.unseen(13), np.zeros(13), np.zeros(3)
    state = rates.begin_rates(13, Logistic(), LOGISTIC)
    odd = 0
    for v, y in zip(X, Y.tolist(), strict=True):
        x = Sparse(np.flatnonzero(v).astype(np.int32), v[v != 0.0])
        check_form(unit_steps.take_step, u, w, sums, y, x, y, 1.0)
        unit_steps.take_step(u, w, sums, y, x, y, 1.0)
        for long in (1.0, 3.0):
            check_form(score_in_units, w, u.q, x, long)
        check_form(rates.taken_in, state, x)
        n, _, changed = rates.taken_in(state, x)
        odd += changed
        check_form(feature_rates.renewed, state, x, 0.3 * n, n, 1.0, 0.5 * y)
        feature_rates.renewed(state, x, 0.3 * n, n, 1.0, 0.5 * y)
    assert 10 < odd < 250


@pytest.mark.parametrize("engine", ["plain", "compiled"] if has_numba() else ["plain"])
@pytest.mark.parametrize("key", ["perceptron", "logistic", "normalized-adaptive"])
@pytest.mark.parametrize("spread", [0.3, 3.0, 60.0])
def test_sparse_examples_teach_units_what_dense_ones_do(key, spread, engine):
    """Sparse values are taken in four at a time: first ones, long ones, far ones, tiny ones and zeros among them."""
    X, y = strange_examples(spread)
    dense, sparse = (
        ls.play(scaled(key), data, y, engine=engine, certify=False).learner.state
        for data in (X, csr_matrix(X))
    )
    for a, b in zip(arrays(dense), arrays(sparse), strict=True):
        assert b[: len(a)] == pytest.approx(a, rel=1e-9)
