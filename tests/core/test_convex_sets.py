"""Convex sets: projections are nearest points, linear minima and sizes are right, and hindsight certifies itself."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, NonlinearConstraint, linprog, minimize, nnls

import littlestone as ls
from littlestone.core import convex_losses as families
from littlestone.core.convex_losses import Custom, Distance, Linear
from littlestone.core.convex_sets.parse import fits, parse_set
from littlestone.core.convex_sets.shapes import (
    Ball,
    Box,
    Everywhere,
    Halfspace,
    Intersection,
    Shifted,
    Simplex,
    length,
    room,
)
from littlestone.core.errors import BadInput
from littlestone.engine.compile import numba_imports, ready
from littlestone.hindsight.search.best_point import best_point
from littlestone.hindsight.search.cutting_planes import back, low

A3 = np.array([1.0, -2.0, 0.5])
CLOSED = {  # sets in three dimensions whose projection has a closed form
    "ball": Ball(1.5),
    "ball1": Ball(1.5, 1.0),
    "ballinf": Ball(0.75, math.inf),
    "box": Box(-0.5, 2.0),
    "simplex": Simplex(2.0),
    "halfspace": Halfspace(A3, 0.25),
    "shifted": Shifted(Ball(1.0, 1.0), np.array([2.0, 0.0, -1.0])),
    "everywhere": Everywhere(),
}
SHARED = {
    "ball, box": Intersection(Ball(1.0), Box(0.0, 0.6)),
    "simplex, halfspace": Intersection(Simplex(1.0), Halfspace(A3, -0.5)),
    "ball1, box, halfspace": Intersection(Ball(1.5, 1.0), Box(-0.3, 1.0), Halfspace(-A3, 0.2)),
    "two balls": Intersection(Ball(1.0), Shifted(Ball(1.0), np.array([1.0, 0.5, 0.0]))),
}
BOUNDED = {k: B for k, B in CLOSED.items() if k not in ("halfspace", "everywhere")}
numbers = st.floats(-6.0, 6.0) | st.integers(-3, 3).map(float)
points = st.lists(numbers, min_size=3, max_size=3).map(np.array)


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Rules are compiled in one test, which asks for it."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def nearest(B, z):
    p = np.array(z, float)
    B.project(p, room(B, len(p)))
    return p


# Projections.


@pytest.mark.parametrize("name", [*CLOSED, *SHARED])
@given(z=points, others=st.lists(points, min_size=4, max_size=4))
@settings(max_examples=40)
def test_a_projection_is_the_nearest_point(name, z, others):
    """p is the nearest point of a convex set exactly if <z - p, q - p> <= 0 for every q of it."""
    B = (CLOSED | SHARED)[name]
    p = nearest(B, z)
    assert B.contains(p)
    slack = 1e-9 if name in CLOSED else 1e-6
    for other in others:
        q = nearest(B, other)
        assert (z - p) @ (q - p) <= slack * (1 + abs(z).max())
        # so a projection never moves a point away from those of the set (T-PGD-ROUND)
        assert length(p - q) <= length(z - q) + slack
    np.testing.assert_allclose(nearest(B, p), p, atol=slack)


def by_sorting(v, total):
    """The simplex, from the literature: Held, Wolfe and Crowder (1974)."""
    u = np.sort(v)[::-1]
    tau = (np.cumsum(u) - total) / np.arange(1, len(u) + 1)
    return np.maximum(v - tau[np.flatnonzero(u > tau)[-1]], 0.0)


@given(
    z=st.lists(numbers | st.sampled_from([1.0, 1.0, 1e-9, 1e6]), min_size=1, max_size=30),
    total=st.floats(0.01, 20.0),
)
def test_simplex_and_l1_ball_agree_with_sorting(z, total):
    z = np.array(z)
    np.testing.assert_allclose(nearest(Simplex(total), z), by_sorting(z, total), atol=1e-9)
    inside = abs(z).sum() <= total
    oracle = z if inside else np.sign(z) * by_sorting(abs(z), total)
    np.testing.assert_allclose(nearest(Ball(total, 1), z), oracle, atol=1e-9)


@pytest.mark.parametrize(
    "z", [np.repeat(3.0, 1000), 2.0 ** np.arange(-60, 40), -(4.0 ** np.arange(60)), 1e200 * A3]
)
def test_thresholds_end_on_hard_inputs(z):
    p = nearest(Simplex(1.0), z)
    assert p.min() >= 0.0
    assert p.sum() == pytest.approx(1.0, abs=1e-9)
    assert (z[p > 0].min() >= z[p == 0].max(initial=-math.inf)) or not (p == 0).any()


def test_huge_points_lose_no_digits():
    z = np.array([1e12 + 0.5, 1e12, 0.0])
    np.testing.assert_allclose(nearest(Simplex(1.0), z), [0.75, 0.25, 0.0], atol=1e-4)
    np.testing.assert_allclose(nearest(Ball(1.0), 1e290 * A3), A3 / length(A3), rtol=1e-12)
    assert length(np.array([3e200, 4e200])) == pytest.approx(5e200)
    assert length(np.array([3e-200, 4e-200])) == pytest.approx(5e-200)
    assert length(np.zeros(2)) == 0.0


CONSTRAINTS = {
    "ball, box": [
        NonlinearConstraint(lambda q: q @ q, -np.inf, 1.0),
        LinearConstraint(np.eye(3), 0.0, 0.6),
    ],
    "simplex, halfspace": [
        LinearConstraint(np.eye(3), 0.0, 1.0),
        LinearConstraint(np.ones((1, 3)), 1.0, 1.0),
        LinearConstraint(A3[None], -np.inf, -0.5),
    ],
}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_dykstra_agrees_with_a_quadratic_program(name):
    rng = np.random.default_rng(7)
    for z in 2.0 * rng.normal(size=(6, 3)):
        oracle = minimize(
            lambda q: 0.5 * (q - z) @ (q - z),  # noqa: B023
            np.full(3, 0.3),
            jac=lambda q: q - z,  # noqa: B023
            constraints=CONSTRAINTS[name],
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        p = nearest(SHARED[name], z)
        assert length(p - z) <= length(oracle.x - z) + 1e-6
        np.testing.assert_allclose(p, oracle.x, atol=1e-4)


def test_one_projection_after_the_other_is_not_enough():
    """Why there are corrections: without them the answer is a shared point, but not the nearest one."""
    line, disc = Halfspace(np.array([1.0, 1.0, 0.0]), 0.0), Ball(1.0)
    z = plain = np.array([3.0, 1.0, 0.0])
    for _ in range(100):
        plain = nearest(line, nearest(disc, plain))
    best = nearest(Intersection(disc, line), z)
    assert Intersection(disc, line).contains(plain)
    assert length(best - z) < length(plain - z) - 0.1
    np.testing.assert_allclose(best, [math.sqrt(0.5), -math.sqrt(0.5), 0.0], atol=1e-6)


# Intersections from afar.

FAR = [1.0, 1e2, 1e4, 1e6, 1e8]  # sizes of the set


def inequalities(B, n):
    """(G, h) such that B is where G q <= h."""
    one = np.eye(n)
    if isinstance(B, Box):
        return np.vstack([one, -one]), np.repeat([B.high, -B.low], n)
    if isinstance(B, Simplex):
        sums = np.vstack([-one, np.ones(n), -np.ones(n)])
        return sums, np.append(np.zeros(n), [B.total, -B.total])
    if isinstance(B, Halfspace):
        return B.a[None], np.array([B.b])
    if isinstance(B, Shifted):
        G, h = inequalities(B.body, n)
        return G, h + G @ B.by
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=n)))
    return signs, np.full(len(signs), B.radius)


def least_distance(B, z):
    """The nearest point of a polyhedron: Lawson and Hanson (1974), chapter 23, and once more on the faces it found."""
    pairs = [inequalities(A, len(z)) for A in B if not isinstance(A, Everywhere)]
    G, h = np.vstack([G for G, _ in pairs]), np.concatenate([h for _, h in pairs])
    E = np.vstack([-G.T, (G @ z - h) / max(1.0, length(z))])
    u = nnls(E, np.append(np.zeros(len(z)), 1.0), maxiter=10_000)[0]
    on = u > 1e-13 * u.max()
    if not on.any():
        return z
    return z - G[on].T @ np.linalg.lstsq(G[on] @ G[on].T, G[on] @ z - h[on], rcond=1e-12)[0]


def polyhedron(rng, n):
    """Two to four sets with flat faces that share a point of the simplex."""
    c = rng.dirichlet(np.ones(n))
    a, by = rng.normal(size=n), 0.3 * rng.normal(size=n)
    low, high, past, wide, more = rng.uniform(0.01, 0.4, size=5)
    parts = [
        Simplex(1.0),
        Box(c.min() - low, c.max() + high),
        Halfspace(a / length(a), (a @ c) / length(a) + past),
        Ball(1.0 + wide, 1.0),
        Shifted(Ball(abs(c - by).sum() + more, 1.0), by),
    ]
    return Intersection(*[parts[k] for k in rng.permutation(5)[: rng.integers(2, 5)]])


def outside(B, p):
    return max(abs(nearest(A, p) - p).max() for A in B)


@pytest.mark.parametrize("far", FAR)
def test_the_nearest_point_of_a_polyhedron_from_any_distance(far):
    """Dykstra's algorithm alone needs sweeps in proportion to the distance, and used to give up on the way."""
    for seed in range(15):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 7))
        B, z = polyhedron(rng, n), far * rng.normal(size=n)
        p = nearest(B, z)
        assert outside(B, p) <= 1e-11
        np.testing.assert_allclose(p, least_distance(B, z), atol=1e-10 + 1e-13 * far)


@pytest.mark.parametrize("far", FAR[1:])
def test_a_face_that_is_entered_late(far):
    B = Intersection(Simplex(1.0), Halfspace(A3, 0.1))
    p = nearest(B, far * np.array([1.0, -0.5, 0.3]))
    np.testing.assert_allclose(p, [0.7, 0.3, 0.0], atol=1e-12 + 1e-15 * far)
    assert outside(B, p) <= 1e-12


@pytest.mark.parametrize("far", FAR)
def test_the_nearest_point_of_curved_sets_from_any_distance(far):
    """A ball and a shifted ball, cut by a halfspace; the distance is measured from the first ball's surface."""
    by, a = np.array([0.6, 0.3, 0.0]), A3 / length(A3)
    B = Intersection(Ball(1.0), Shifted(Ball(1.0), by), Halfspace(a, 0.2))
    bounds = [
        {"type": "ineq", "fun": lambda q: 1.0 - q @ q, "jac": lambda q: -2.0 * q},
        {
            "type": "ineq",
            "fun": lambda q: 1.0 - (q - by) @ (q - by),
            "jac": lambda q: -2.0 * (q - by),
        },
        {"type": "ineq", "fun": lambda q: 0.2 - a @ q, "jac": lambda q: -a},
    ]
    for d in np.random.default_rng(4).normal(size=(5, 3)):
        z, start = far * d, nearest(B, by / 2)
        oracle = minimize(
            lambda q: 0.5 * q @ q / far - d @ q,  # noqa: B023
            start,
            jac=lambda q: q / far - d,  # noqa: B023
            constraints=bounds,
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )
        p = nearest(B, z)
        assert outside(B, p) <= 1e-11
        np.testing.assert_allclose(p, oracle.x, atol=2e-5)


@pytest.mark.parametrize("key", ["projected-gradient", "lazy-ftrl"])
def test_no_learner_beats_the_set_by_leaving_it(key):
    """On equal linear losses no point of the set loses less than the best one."""
    B = Intersection(Simplex(1.0), Halfspace(A3, 0.1))
    rule = ls.learner(key, set=B, family="linear", eta=1.0)
    run = ls.play(rule, np.tile([-1e6, 5e5, -3e5], (8, 1)), np.zeros(8), engine="plain")
    least = linprog(
        [-1e6, 5e5, -3e5], A_ub=A3[None], b_ub=[0.1], A_eq=np.ones((1, 3)), b_eq=[1.0]
    ).fun
    assert run.losses.min() >= least - 1e-3


@pytest.mark.skipif(not numba_imports(), reason="numba is not installed: compiled rules not tested")
def test_compiled_projections_are_the_plain_ones():
    """The sets with the longest rules in one intersection, compiled once."""
    by = np.array([0.1, 0.0, 0.2, 0.1])
    B = Intersection(Shifted(Ball(0.9, 1.0), by), Halfspace(np.array([1.0, -1.0, 0.0, 0.0]), 0.1))
    B = parse_set(B)
    loop = ready(back, B, B, "compiled")
    for z in 3.0 * np.random.default_rng(3).normal(size=(20, 4)):
        p = z.copy()
        loop(B, B, p, room(B, 4))
        np.testing.assert_allclose(p, nearest(B, z), atol=1e-9)
        p = 1e5 * z
        loop(B, B, p, room(B, 4))
        np.testing.assert_allclose(p, nearest(B, 1e5 * z), atol=1e-7)
        assert outside(B, p) <= 1e-11


# Linear minima and sizes.


def corners(name, B):
    """Points whose hull is the set, or many points of its surface."""
    if name in ("ball1", "simplex"):
        r = B.radius if name == "ball1" else B.total
        return np.vstack([r * np.eye(3), -r * np.eye(3)] if name == "ball1" else [r * np.eye(3)])
    if name == "shifted":
        return B.by + np.vstack([np.eye(3), -np.eye(3)])
    if name in ("box", "ballinf"):
        ends = (B.low, B.high) if name == "box" else (-B.radius, B.radius)
        return np.array(list(itertools.product(ends, repeat=3)))
    v = np.random.default_rng(0).normal(size=(4000, 3))
    return B.radius * v / np.linalg.norm(v, axis=1)[:, None]


@pytest.mark.parametrize("name", BOUNDED)
@given(g=points, z=points)
@settings(max_examples=25)
def test_linear_minima_reach_and_diameter(name, g, z):
    B = BOUNDED[name]
    V = corners(name, B)
    rough = 2e-2 * (1 + abs(g).max()) if name == "ball" else 1e-9
    q = nearest(B, z)
    least = B.lowest(g, q)
    assert B.contains(q)
    assert g @ q == pytest.approx(least, abs=1e-9)
    assert (V @ g).min() - rough <= least <= (V @ g).min() + 1e-9
    far = np.linalg.norm(V - z, axis=1).max()
    assert far - 1e-9 <= B.reach_from(z) <= far + (0.1 if name == "ball" else 1e-9)
    wide = np.linalg.norm(V[:40, None] - V[None], axis=2).max()
    assert wide - 1e-9 <= B.diameter(3) <= wide + (0.1 if name == "ball" else 1e-9)


def test_what_does_not_matter_is_kept():
    q = np.array([0.25, 0.5])
    assert Box(-1.0, 1.0).lowest(np.array([1.0, 0.0]), q) == -1.0
    assert q.tolist() == [-1.0, 0.5]
    assert Ball(1.0).lowest(np.zeros(2), q) == 0.0
    assert q.tolist() == [-1.0, 0.5]


def test_unbounded_sets():
    half, q = Halfspace(np.array([0.0, 2.0]), 1.0), np.array([3.0, 0.0])
    assert half.lowest(np.array([0.0, -3.0]), q) == -1.5
    assert q.tolist() == [3.0, 0.5]
    assert half.lowest(np.array([1.0, -3.0]), q) == -math.inf
    assert half.lowest(np.array([0.0, 3.0]), q) == -math.inf
    assert Everywhere().lowest(np.array([0.0, 1e-3]), q) == -math.inf
    assert half.diameter(2) == Everywhere().reach_from(q) == math.inf


@pytest.mark.parametrize("name", SHARED)
def test_linear_minima_on_intersections_certify_themselves(name):
    B, rng = SHARED[name], np.random.default_rng(5)
    cloud = np.array([nearest(B, 3.0 * z) for z in rng.normal(size=(60, 3))])
    for g in rng.normal(size=(5, 3)):
        found, q, floor = low(B, g, nearest(B, np.zeros(3)))
        assert B.contains(q, 1e-7)
        assert found == pytest.approx(g @ q)
        assert floor <= found + 1e-9
        assert floor <= (cloud @ g).min() + 1e-9
        assert found - floor <= 1e-5


# What a user writes.


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("ball:0", "radius of a ball must be a positive number"),
        ("ball:x", "set must be one of ball"),
        ("box:1", "low < high, not \\[1, 1\\]"),
        ("sphere", "not 'sphere'"),
        (3, "not 3"),
        (Ball(1.0, 3.0), "norm of a ball must be 1, 2 or infinity"),
        (Ball("wide"), "radius of a ball must be a number, not 'wide'"),
        (Box(1.0, math.nan), "side of a box must be a number, not NaN"),
        (Simplex(-1.0), "total of a simplex"),
        (Halfspace(np.zeros(2), 1.0), "other than 0"),
        (Halfspace([[1.0]], 1.0), "list of finite numbers"),
        (Shifted(Intersection(Ball(), Box()), [1.0]), "shift the parts"),
        (Intersection(Ball(), Intersection(Ball(), Box())), "not another intersection"),
        (Intersection(Ball(), "box"), "'box' is not a set"),
    ],
)
def test_bad_sets_are_refused(given, message):
    with pytest.raises(BadInput, match=message):
        parse_set(given, "learner")


def test_sets_are_made_of_floats_and_arrays():
    assert parse_set("ballinf:3") == Ball(3.0, math.inf)
    assert parse_set(Ball(2, norm=1)) == (2.0, 1.0)
    half = parse_set(Halfspace([3, 4], 10))
    assert half.a.tolist() == [0.6, 0.8]
    assert half.b == 2.0
    moved = parse_set(Shifted(Halfspace([3, 4], 10), [5, 0]))
    assert (moved.a.tolist(), moved.b) == ([0.6, 0.8], 5.0)
    with pytest.raises(BadInput, match="a halfspace has 2 coordinates, the data have 3"):
        fits(half, 3, "learner")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("zero-one", "not convex"),
        ("log", "infinite"),
        ("cubic", "loss must be one of"),
        (Distance(3), "family must be"),
        (Custom(1.0, 2.0), "family must be"),
    ],
)
def test_bad_families_are_refused(given, message):
    """A mistake is no convex loss (E-WARMUP)."""
    with pytest.raises(BadInput, match=message):
        families.parse_family(given, "learner")


@pytest.mark.parametrize(
    "name", ["linear", "distance", "distance:1", "square", "absolute", "hinge", "logistic"]
)
@given(theta=points, other=points, x=points, y=st.sampled_from([-1.0, 1.0]))
@settings(max_examples=30)
def test_slopes_are_subgradients(name, theta, other, x, y):
    family, g = families.parse_family(name), np.zeros(3)
    family.slope_into(theta, x, y, g)
    here, there = family.at(theta, x, y), family.at(other, x, y)
    assert there >= here + g @ (other - theta) - 1e-9 * (1 + abs(here) + abs(there))


def test_custom_losses_are_checked():
    x = np.zeros(2)
    bad = Custom(lambda theta, x, y: math.nan, lambda theta, x, y: [1.0])
    with pytest.raises(BadInput, match="the loss is NaN"):
        bad.at(x, x, 0.0)
    with pytest.raises(BadInput, match=r"2 finite numbers, not \[1\.0\]"):
        bad.slope_into(x, x, 0.0, np.zeros(2))

    for value in (None, "1.5", np.ones(2), [1.0], 1j, 10**400):
        with pytest.raises(
            BadInput, match=r"value must return one number, not .* in the round of x = \[3\.0"
        ):
            Custom(lambda theta, x, y, v=value: v, None).at(x, np.array([3.0, 4.0]), 0.0)
    for value in (None, "ab", ["1", "2"], [1j, 2.0], [1.0, None], [[1.0], [1.0, 2.0]]):
        with pytest.raises(
            BadInput, match=r"2 finite numbers, not .* in the round of .*y = 5, at theta"
        ):
            Custom(None, lambda theta, x, y, v=value: v).slope_into(x, x, 5.0, np.zeros(2))
    fine = Custom(lambda theta, x, y: np.float32(2.0), lambda theta, x, y: (1, 2))
    assert fine.at(x, x, 0.0) == 2.0
    fine.slope_into(x, x, 0.0, g := np.zeros(2))
    assert g.tolist() == [1.0, 2.0]

    def meddle(theta, x, y):
        theta[0] = 1.0

    with pytest.raises(ValueError, match="read-only"):
        Custom(meddle, meddle).at(x, x, 0.0)


# Hindsight.

RNG = np.random.default_rng(11)
X5 = RNG.normal(size=(60, 3))
Y5 = np.sign(X5 @ [1.0, -2.0, 0.5] + RNG.normal(size=60))
H5 = RNG.integers(1, 4, size=60).astype(float)
LOSSES = ["square", "absolute", "pinball:0.8", "hinge", "logistic", "perceptron", "distance:1"]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("where", ["ball", "ball1", "box", "simplex", "shifted"])
def test_no_point_loses_less_than_loss_minus_gap(name, where):
    family, B = families.parse_family(name), CLOSED[where]
    best = best_point(family, B, X5, Y5, H5, tolerance=1e-5)

    def loss(theta):
        return sum(h * family.at(theta, x, y) for x, y, h in zip(X5, Y5, H5, strict=True))

    assert B.contains(best.theta)
    assert best.loss == pytest.approx(loss(best.theta), rel=1e-9, abs=1e-9)
    assert best.gap <= 1e-5 * max(best.loss, 1e-6 * loss(np.zeros(3))) + 1e-9
    rng = np.random.default_rng(1)
    near = [
        nearest(B, best.theta + s * rng.normal(size=3)) for s in (1.0, 0.1, 0.01) for _ in range(5)
    ]
    assert min(map(loss, near)) >= best.loss - best.gap - 1e-9


def test_hinge_in_a_box_agrees_with_a_linear_program():
    T, n = X5.shape
    program = linprog(
        np.concatenate([np.zeros(n), H5]),
        A_ub=np.hstack([-Y5[:, None] * X5, -np.eye(T)]),
        b_ub=-np.ones(T),
        bounds=[(-0.5, 2.0)] * n + [(0, None)] * T,
    )
    best = best_point(families.parse_family("hinge"), Box(-0.5, 2.0), X5, Y5, H5)
    assert best.loss == pytest.approx(program.fun, rel=1e-5)
    assert best.loss - best.gap <= program.fun + 1e-9


def test_closed_forms():
    best = best_point(Linear(), Ball(2.0), [[3.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(best.theta, [-1.2, -1.6])
    assert (best.loss, best.gap) == (-10.0, 0.0)
    gains = best_point(Linear(-1.0), Simplex(1.0), [[3.0, 0.0], [0.0, 4.0]], h=[1.0, 0.5])
    assert (gains.theta.tolist(), gains.loss) == ([1.0, 0.0], -3.0)
    mean = best_point(Distance(2), Everywhere(), [[0.0], [3.0]], h=[2.0, 1.0])
    assert (mean.theta.tolist(), mean.loss, mean.gap) == ([1.0], 6.0, 0.0)
    cut = best_point(Distance(2), SHARED["ball, box"], 2.0 + np.zeros((3, 3)))
    np.testing.assert_allclose(cut.theta, np.full(3, 3**-0.5), atol=1e-9)
    assert cut.gap <= 1e-6
    assert best_point(families.parse_family("square"), Ball(), [[1.0]], [math.nan]).loss == 0.0


@pytest.mark.parametrize("name", ["square", "hinge"])
@pytest.mark.parametrize("where", ["ball, box", "ball1, box, halfspace"])
def test_hindsight_on_intersections(name, where):
    family, B = families.parse_family(name), SHARED[where]
    best = best_point(family, B, X5, Y5, tolerance=1e-4)
    assert B.contains(best.theta, 1e-7)
    assert best.gap <= 1e-4 * best.loss
    for z in np.random.default_rng(2).normal(size=(10, 3)):
        q = nearest(B, z)
        lost = sum(family.at(q, x, y) for x, y in zip(X5, Y5, strict=True))
        assert lost >= best.loss - best.gap - 1e-9


@pytest.mark.parametrize("name", ["square", "absolute"])
def test_custom_losses_have_a_gap_too(name):
    """At a kink no single subgradient bounds the loss well from below; a mean of many does."""
    same = families.parse_family(name)

    def slope(theta, x, y):
        g = np.zeros(len(theta))
        same.slope_into(theta, x, y, g)
        return g

    mine = best_point(Custom(same.at, slope, True), Ball(1.5), X5[:20], 3.0 * Y5[:20])
    ours = best_point(same, Ball(1.5), X5[:20], 3.0 * Y5[:20])
    assert mine.loss >= ours.loss - ours.gap
    assert mine.loss - mine.gap <= ours.loss
    assert mine.gap <= 0.01 * mine.loss
