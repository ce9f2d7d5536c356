"""Every comparator that a run calls "best", against a solver that shares no code with it.

Problems are random and degenerate. Experts and sequences are found by brute force, mixtures by trying every set of
experts, linear predictors by linear programs, least squares and scipy's minimisers, fewest mistakes by trying every
line, points of sets by scipy's SLSQP, labellings by trying all of them.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

import littlestone as ls
from littlestone.core import losses
from littlestone.core.convex_losses import Distance, Linear, Prediction
from littlestone.core.convex_sets import Ball, Box, Simplex
from littlestone.graphs.learners.tree_comparators import best_labelling, levels
from littlestone.hindsight.search.best_linear import BEST, FOUND, LITTLE, SHARP, best_linear
from littlestone.hindsight.search.best_modes import best_modes
from littlestone.hindsight.search.best_point import best_point
from littlestone.hindsight.search.fewest_mistakes import fewest_mistakes

KINDS = [
    "random", "constant column", "equal columns", "duplicate rows", "one round", "zeros", "all alike", "large",
    "small", "mixed scales", "whole numbers",
]  # fmt: skip


def problem(kind, T, n, seed=0):
    """A matrix T x n of one kind."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    X = rng.standard_normal((1 if kind == "one round" else T, n))
    if kind == "constant column":
        X[:, 0] = 1.0
    elif kind == "equal columns":
        X[:, -1] = X[:, 0]
    elif kind == "duplicate rows":
        X = X[rng.integers(0, 3, len(X))]
    elif kind == "zeros":
        X[:, 0], X[::2] = 0.0, 0.0
    elif kind == "all alike":
        X[:] = 0.25
    elif kind == "large":
        X *= 1e80
    elif kind == "small":
        X *= 1e-80
    elif kind == "mixed scales":
        X *= 10.0 ** np.linspace(-4, 4, n)
    elif kind == "whole numbers":
        X = np.round(2 * X)
    return X


# ---- experts, arms and sequences of them


@pytest.mark.parametrize("kind", KINDS)
def test_best_expert_and_best_arm(kind):
    L = np.abs(problem(kind, 12, 4))
    least = min(math.fsum(column) for column in L.T)
    # T-HEDGE and its like promise the same for every expert: the headline is the best of them
    run = ls.play(ls.Hedge(eta=1.0), L, engine="plain")
    assert run.comparator.startswith("best expert")
    assert run.comparator_loss == pytest.approx(least, rel=1e-12)
    assert run.regret == pytest.approx(run.loss - least, abs=1e-12 * (abs(run.loss) + least))
    arms = ls.play(ls.EXP3(eta=0.1), L, engine="plain")
    assert arms.comparator.startswith("best arm")
    assert arms.comparator_loss == pytest.approx(least, rel=1e-12)


def test_best_arm_in_means():
    means = [0.7, 0.2, 0.5]
    run = ls.play(ls.EXP3(eta=0.1), ls.Arms(means), rounds=50, engine="plain")
    p = np.asarray(run.propensities)
    assert run.pseudo_regret == pytest.approx(math.fsum((p @ means) - 0.2), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_best_sequence_of_experts(kind):
    L = np.abs(problem(kind, 6, 3))
    run = ls.play(ls.FixedShare(eta=1.0, alpha=0.1), L, shifts=5, engine="plain")
    every = list(itertools.product(range(3), repeat=len(L)))
    for k, found in enumerate(run.sequences.L):
        least = min(
            math.fsum(L[t, i] for t, i in enumerate(s))
            for s in every
            if sum(a != b for a, b in itertools.pairwise(s)) <= k
        )
        assert found == pytest.approx(least, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(
    "kind", ["random", "equal columns", "duplicate rows", "all alike", "zeros"]
)
def test_best_choice_of_few_experts(kind):
    L, k, most = np.abs(problem(kind, 6, 4)), 3, 2
    found = best_modes(L, k, most, None)
    least = min(
        math.fsum(L[t, i] for t, i in enumerate(s))
        for s in itertools.product(range(4), repeat=len(L))
        if len(set(s)) <= most and sum(a != b for a, b in itertools.pairwise(s)) <= k
    )
    assert found.exact
    assert found.loss == pytest.approx(least, rel=1e-12)


def test_best_expert_of_each_task():
    L = np.random.default_rng(0).random((9, 3))
    task = np.arange(9) % 2
    run = ls.play(ls.learner("multitask", tasks=2), L, tasks=task, engine="plain")
    least = sum(min(math.fsum(c) for c in L[task == j].T) for j in (0, 1))
    assert run.sequences.names(0) == "best expert of each task"
    assert run.sequences.L[0] == pytest.approx(least, rel=1e-12)


# ---- mixtures and linear combinations of experts


def least_mixture(R):
    """min |R q|^2 over q >= 0 with sum 1: Lagrange's conditions for every set of experts, and the best that holds."""
    n, values = R.shape[1], []
    for size in range(1, n + 1):
        for S in itertools.combinations(range(n), size):
            A = R[:, S]
            top = np.abs(A).max() or 1.0
            G = (A / top).T @ (A / top)
            K = np.block([[G, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
            q = np.linalg.lstsq(K, np.append(np.zeros(size), 1.0), rcond=None)[0][:size]
            if (q >= -1e-9).all() and abs(q.sum() - 1.0) < 1e-6:
                q = np.maximum(q, 0.0) / np.maximum(q, 0.0).sum()
                values.append(float(((A @ q) ** 2).sum()))
    return min(values)


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("large", "small")])
@pytest.mark.parametrize("seed", [0, 1])
def test_best_fixed_mixture(kind, seed):
    X = problem(kind, 15, 4, seed)
    y = np.random.default_rng(seed).standard_normal(len(X))
    run = ls.play("ml-poly", X, y, engine="plain")
    q, found = run.mixture
    least = least_mixture(X - y[:, None])
    assert found == pytest.approx(least, rel=1e-6, abs=1e-9 * float((y**2).sum()))
    assert found == pytest.approx(float(((X @ q - y) ** 2).sum()), rel=1e-9, abs=1e-12)
    w, linear = run.linear
    direct = float(((X @ np.linalg.lstsq(X, y, rcond=1e-13)[0] - y) ** 2).sum())
    assert linear == pytest.approx(direct, rel=1e-6, abs=1e-9 * float((y**2).sum()))
    assert linear <= found * (1 + 1e-9) + 1e-12
    assert float(((X @ w - y) ** 2).sum()) == pytest.approx(linear, rel=1e-6, abs=1e-9)


# ---- linear predictors of examples


def piecewise(X, y, h, loss):
    """Hinge, absolute and pinball loss by a linear program in (u+, u-, s)."""
    T, d = X.shape
    if loss == "hinge":  # s >= 1 - y u.x
        A, b = [np.hstack((-y[:, None] * X, y[:, None] * X, -np.eye(T)))], [-np.ones(T)]
    else:  # s >= a (y - u.x), s >= b (u.x - y)
        up, down = (1.0, 1.0) if loss == "absolute" else (0.5, 0.5)
        A = [np.hstack((-up * X, up * X, -np.eye(T))), np.hstack((down * X, -down * X, -np.eye(T)))]
        b = [-up * y, down * y]
    c = np.concatenate((np.zeros(2 * d), h))
    return linprog(c, np.vstack(A), np.concatenate(b), method="highs").fun


def smooth(X, y, h, loss):
    """Square loss by least squares; logistic and squared hinge by L-BFGS from several starts."""
    if loss == "square":
        w = np.sqrt(h)[:, None]
        u = np.linalg.lstsq(w * X, w[:, 0] * y, rcond=1e-13)[0]
        return float(h @ (X @ u - y) ** 2)

    def value(u):
        z = y * (X @ u)
        if loss == "logistic":
            return h @ np.logaddexp(0.0, -z), -X.T @ (h * y / (1.0 + np.exp(np.minimum(z, 700))))
        short = np.maximum(0.0, 1.0 - z)
        return h @ short**2, -2.0 * X.T @ (h * y * short)

    tight = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 5000}
    starts = [np.zeros(X.shape[1]), np.ones(X.shape[1])]
    return min(minimize(value, u, jac=True, method="L-BFGS-B", options=tight).fun for u in starts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "loss", ["square", "absolute", "pinball", "hinge", "squared-hinge", "logistic"]
)
def test_best_linear_predictor(loss, kind):
    X = problem(kind, 25, 3)
    scale = np.abs(X).max(axis=0)
    unit = X / np.where(
        scale > 0, scale, 1.0
    )  # another solver needs ordinary numbers; the least loss is the same
    rng = np.random.default_rng(7)
    y, h = rng.standard_normal(len(X)), rng.integers(1, 4, len(X)).astype(float)
    labels = loss in ("hinge", "squared-hinge", "logistic")
    y = np.where(y > 0, 1.0, -1.0) if labels else y
    solve = piecewise if loss in ("hinge", "absolute", "pinball") else smooth
    least = solve(unit, y, h, loss)
    found = best_linear(X, y, loss, h=h)
    zero = {"square": y**2, "absolute": np.abs(y), "pinball": 0.5 * np.abs(y)}.get(
        loss, np.ones(len(X))
    )
    allowed = max(SHARP * abs(found.loss), LITTLE * float(h @ zero), 1e-9)
    assert found.name == BEST
    assert found.loss <= least + allowed
    assert found.loss >= least - 1e-6 * (1.0 + least)
    assert found.lower <= least + 1e-6 * (1.0 + least)


@pytest.mark.parametrize("loss", ["square", "absolute", "hinge", "logistic"])
def test_the_best_linear_predictor_of_a_run_is_named_alike_everywhere(loss):
    X = problem("random", 40, 3)
    y = X @ [1.0, -1.0, 0.5] + np.random.default_rng(1).standard_normal(40)
    y = (y > 0).astype(int) if loss in ("hinge", "logistic") else y
    run = ls.play(ls.learner("ogd", loss=loss), X, y, engine="plain")
    solve = piecewise if loss in ("hinge", "absolute") else smooth
    least = solve(X, 2.0 * y - 1.0 if loss in ("hinge", "logistic") else y, np.ones(40), loss)
    name = BEST if loss in ("hinge", "logistic") else f"{BEST} through the origin"
    assert run.comparator == run.best.name == name
    assert run.comparator_loss == run.best.loss == pytest.approx(least, rel=1e-3)
    assert run.regret == run.loss - run.best.loss


def test_a_search_that_stops_early_calls_nothing_best():
    X = problem("random", 2000, 30)
    y = np.sign(X[:, 0] + np.random.default_rng(0).standard_normal(2000))
    assert best_linear(X, y, "hinge", seconds=0.0).name == FOUND


# ---- the fewest mistakes


def fewest(F, y, h, zero):
    """Every direction at a right angle to an example, one between each two of them, and 0."""
    F = np.hstack((F, np.zeros((len(F), 2 - F.shape[1]))))
    turned = np.vstack([np.vstack((-F[:, 1], F[:, 0])).T, np.vstack((F[:, 1], -F[:, 0])).T])
    turned = turned[(turned != 0).any(axis=1)]
    angles = np.sort(np.arctan2(turned[:, 1], turned[:, 0]))
    gaps = np.append(angles, angles[:1] + 2 * np.pi)
    middle = 0.5 * (gaps[1:] + gaps[:-1])[np.diff(gaps) > 1e-9]
    tried = [np.zeros(2), *turned, *np.column_stack((np.cos(middle), np.sin(middle)))]

    def wrong(u):
        z = F @ u
        z = np.where(np.abs(z) <= 1e-12 * np.abs(F).max(initial=1e-300), 0.0, z)
        return float(h @ (np.where(z == 0.0, 2 * zero - 1, np.sign(z)) != y))

    return min(map(wrong, tried))


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("large", "small")])
@pytest.mark.parametrize("shape", [(1, False), (1, True), (2, False)])
def test_fewest_mistakes(shape, kind):
    d, intercept = shape
    for seed in range(12):
        X = problem(kind, 11, d, seed)
        rng = np.random.default_rng(seed)
        y, h = (
            np.where(rng.random(len(X)) < 0.5, 1.0, -1.0),
            rng.integers(1, 4, len(X)).astype(float),
        )
        zero = int(rng.integers(2))
        found = fewest_mistakes(X, y, h, intercept=intercept, zero=zero)
        F = np.hstack((np.ones((len(X), 1)), X)) if intercept else X
        assert found.loss == fewest(F, y, h, zero)
        assert found.name == BEST
        for scale in (1e80, 1e-80):
            assert (
                fewest_mistakes(scale * X, y, h, intercept=intercept, zero=zero).loss == found.loss
            )


@pytest.mark.parametrize("key", ["perceptron", "winnow-eg", "averaged-perceptron"])
def test_a_run_that_counts_mistakes_is_compared_with_the_fewest(key):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((40, 2))
        y = (X @ [1.0, -0.5] + 0.7 * rng.standard_normal(40) > 0).astype(int)
        run = ls.play(ls.learner(key), X, y, engine="plain")
        assert run.certificate
        if run.comparator == BEST:
            assert run.comparator_loss == fewest(X, 2.0 * y - 1.0, np.ones(40), run.traits.zero)
            assert run.best.loss == run.comparator_loss == run.loss - run.regret
        else:
            assert not run.comparator.startswith("best")


def test_with_three_weights_no_comparator_of_mistakes_is_called_best():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    run = ls.play(
        "perceptron", X, (X[:, 0] + rng.standard_normal(40) > 0).astype(int), engine="plain"
    )
    assert run.comparator.startswith("linear predictor by ")
    assert run.best.how == run.comparator
    assert {v.comparator for v in run.certificate if v.comparator} <= {
        run.comparators("linear").names(i) for i in range(len(run.comparators("linear").L))
    }


# ---- points of convex sets


SETS = {
    "ball": (Ball(radius=0.7), lambda d: ([], [{"type": "ineq", "fun": lambda q: 0.49 - q @ q}])),
    "box": (Box(-0.3, 0.4), lambda d: ([(-0.3, 0.4)] * d, [])),
    "simplex": (
        Simplex(),
        lambda d: ([(0.0, 1.0)] * d, [{"type": "eq", "fun": lambda q: q.sum() - 1}]),
    ),
}


def satisfied(constraints, q):
    """Is q in the set, to nine digits? SLSQP itself keeps to the bounds."""
    values = [(c["type"], c["fun"](q)) for c in constraints]
    return all(v >= -1e-9 if kind == "ineq" else abs(v) <= 1e-9 for kind, v in values)


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("large", "small", "mixed scales")])
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("family", ["linear", "square", "logistic", "distance"])
def test_best_fixed_point(family, name, kind):
    X = problem(kind, 10, 3)
    y, h = np.random.default_rng(3).standard_normal(len(X)), np.ones(len(X))
    if family == "logistic":
        y = np.where(y > 0, 1.0, -1.0)
    made = {
        "linear": Linear(), "square": Prediction(losses.Square()), "logistic": Prediction(losses.Logistic()),
        "distance": Distance(2),
    }[family]  # fmt: skip
    total = {
        "linear": lambda q: (X @ q).sum(),
        "square": lambda q: ((X @ q - y) ** 2).sum(),
        "logistic": lambda q: np.logaddexp(0.0, -y * (X @ q)).sum(),
        "distance": lambda q: ((X - q) ** 2).sum(),
    }[family]
    B, limits = SETS[name]
    found = best_point(made, B, X, y, h)
    bounds, constraints = limits(3)
    starts = [np.full(3, 1 / 3), np.array([0.3, 0.1, 0.2]), np.array([0.0, 0.3, 0.3])]
    options = {"ftol": 1e-13, "maxiter": 500}
    best = [
        minimize(
            total,
            q,
            method="SLSQP",
            bounds=bounds or None,
            constraints=constraints,
            options=options,
        )
        for q in starts
    ]
    # at the optimum SLSQP may find no direction to go on in, and call that a failure: what counts is the set
    least = min(float(b.fun) for b in best if satisfied(constraints, b.x))
    factor = found.loss / total(found.theta) if total(found.theta) else 1.0  # losses may be halved
    assert factor == pytest.approx(1.0, rel=1e-9) or factor == pytest.approx(0.5, rel=1e-9)
    slack = 1e-6 * (1.0 + abs(least))
    assert found.loss <= factor * least + found.gap + slack
    assert found.loss - found.gap <= factor * least + slack
    assert found.gap <= 1e-3 * (1.0 + abs(found.loss))


# ---- labellings of a tree


def test_the_likeliest_labelling_of_a_tree():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n, K = int(rng.integers(1, 6)), int(rng.integers(2, 4))
        parent = np.array([-1] + [int(rng.integers(0, v)) for v in range(1, n)])
        cost, change = rng.random((n, K)) * rng.integers(0, 2, (n, K)), float(rng.random())

        def price(u, cost=cost, change=change, parent=parent, n=n):
            cuts = sum(u[v] != u[parent[v]] for v in range(n) if parent[v] >= 0)
            return sum(cost[v, u[v]] for v in range(n)) + change * cuts

        u = best_labelling(parent, levels(parent), cost, change)
        least = min(map(price, itertools.product(range(K), repeat=n)))
        assert price(u) == pytest.approx(least, abs=1e-12)
