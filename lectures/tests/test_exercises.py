"""Exercises: their witnesses prove what they say."""

from __future__ import annotations

from itertools import product

import littlestone_lectures as notes
import numpy as np
import pytest
from littlestone_lectures.exercises.sheets import EXERCISES
from littlestone_lectures.graph_kernels import random_walk, shortest_path, weisfeiler_lehman

import littlestone as ls
from littlestone import graphs, theory
from littlestone.core.errors import BadInput


def test_the_witness_refutes_the_kernel():
    points = np.random.default_rng(0).normal(size=(6, 2))

    def k(x, z):
        return float(np.tanh(x @ z - 1.0))

    found = notes.is_kernel(k, points)
    assert not found.holds
    assert found.eigenvalue < 0
    rows, c = points[list(found.refutation.rows)], found.refutation.coefficients
    assert (
        sum(
            a * b * k(x, z)
            for a, x in zip(c, rows, strict=True)
            for b, z in zip(c, rows, strict=True)
        )
        < 0
    )
    assert notes.is_kernel("gaussian", points).holds


def test_features_of_the_min_kernel():
    x = np.linspace(0, 1, 9)
    F = notes.min_kernel_features(x, terms=500)
    assert np.abs(F @ F.T - np.minimum.outer(x, x)).max() < 2 / (np.pi**2 * 499.5)
    with pytest.raises(BadInput, match=r"x, entry 1: 1\.5 is not in \[0, 1\]"):
        notes.min_kernel_features([0.5, 1.5])


@pytest.mark.parametrize("seed", range(10))
def test_a_consistent_hypothesis_or_points_that_none_has(seed):
    rng = np.random.default_rng(seed)
    H = np.where(rng.random((6, 5)) < 0.5, -1, 1)
    for y in product((-1, 1), repeat=5):
        found = notes.consistent_hypothesis(H, y)
        if found.row is not None:
            assert (H[found.row] == y).all()
            continue
        points = list(found.refuting)
        assert not (H[:, points] == np.array(y)[points]).all(axis=1).any()
        for p in points:  # none is superfluous
            rest = [q for q in points if q != p]
            assert (H[:, rest] == np.array(y)[rest]).all(axis=1).any()


def test_a_shattered_tree_is_as_deep_as_the_dimension():
    H = theory.thresholds(range(7))
    found = notes.shattered_tree(H)
    assert found.dimension == 3

    def walk(tree, answers):
        if not isinstance(tree, tuple):
            assert len(answers) == 3
            assert all(H[tree][p] == s for p, s in answers)
            return 1
        point, minus, plus = tree
        return walk(minus, [*answers, (point, -1)]) + walk(plus, [*answers, (point, 1)])

    assert walk(found.tree, []) == 8


def test_rademacher_complexity_is_the_mean_of_maxima():
    H = np.where(np.random.default_rng(0).random((5, 6)) < 0.5, -1, 1)
    slow = np.mean([max(float(np.dot(s, h)) / 6 for h in H) for s in product((-1, 1), repeat=6)])
    found = notes.rademacher(H)
    assert found.complexity == pytest.approx(slow)
    assert found.complexity <= found.massart
    assert notes.rademacher(np.ones((1, 14), int)).complexity == pytest.approx(0.0)
    with pytest.raises(BadInput, match="H has 21 points"):
        notes.rademacher(np.ones((1, 21), int))
    with pytest.raises(BadInput, match="delta 2: it must be between 0 and 1"):
        notes.rademacher([[1]], delta=2.0)


def test_limits_of_structural_risk_hold():
    """Thresholds and noisy labels: the error is beyond its limit in at most delta of the draws."""
    rng, failed, cuts = np.random.default_rng(0), 0, np.linspace(0, 1, 11)
    for _ in range(200):
        x = np.sort(rng.random(40))
        y = np.where((x > 0.5) ^ (rng.random(40) < 0.2), 1, -1)
        classes = [[[1] * 40], np.where(x > cuts[:, None], 1, -1)]
        found = notes.structural_risk(classes, y, delta=0.2)
        cut = cuts[found.row] if found.chosen else 0.0
        error = 0.2 + 0.6 * abs(cut - 0.5)
        failed += error > found.limits[found.chosen]
    assert failed <= 40


def test_a_cut_between_two_cuts():
    g = ls.graph([(0, 1, 2.0), (1, 2, 1.0), (2, 3, 2.0)], n=4)
    assert notes.min_cut_uniqueness(g, [0], [3]).unique
    found = notes.min_cut_uniqueness(graphs.path(4), [0], [3])
    for side in (found.smallest, found.largest):
        labels = np.where(np.isin(np.arange(4), side), 1, -1)
        assert graphs.cut_size(graphs.path(4), labels) == found.weight == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_solutions_of_scikit_learn_are_optimal_and_disturbed_ones_are_not(seed):
    from sklearn.svm import SVC

    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=20) > 0, 1, -1)
    y[:2] = -1, 1
    model = SVC(kernel="linear", C=1.0, tol=1e-10).fit(X, y)
    alphas = np.zeros(20)
    alphas[model.support_] = np.abs(model.dual_coef_[0])
    found = notes.svm_kkt(X @ X.T, y, alphas, C=1.0, tolerance=1e-5)
    assert found.optimal, str(found)
    assert abs(found.gap) < 1e-3
    worse = notes.svm_kkt(X @ X.T, y, alphas * 0.5, C=1.0, tolerance=1e-5)
    assert not worse.optimal
    assert worse.gap > 0.01
    alphas[0] += 1.5
    assert {"sum alpha y = 0", "0 <= alpha <= 1"} <= {
        v.condition for v in notes.svm_kkt(X @ X.T, y, alphas, C=1.0).violations
    }


def test_points_of_hulls_are_nearest():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(8, 2)) - 3, rng.normal(size=(8, 2)) + 3])
    y = np.repeat([-1, 1], 8)
    found = notes.nearest_hull_points(X, y)
    assert found.weights[y > 0].sum() == pytest.approx(1.0)
    w = found.plus - found.minus
    # every point is beyond the plane through its hull's point: no nearer pair exists
    assert ((X[y > 0] - found.plus) @ w > -1e-6).all()
    assert ((X[y < 0] - found.minus) @ w < 1e-6).all()
    with pytest.raises(BadInput, match="no line separates the classes"):
        notes.nearest_hull_points([[0.0], [1.0], [2.0]], [-1, 1, -1])


def test_c_by_leave_one_out_is_what_fitting_again_says():
    from sklearn.model_selection import LeaveOneOut, cross_val_score
    from sklearn.svm import SVC

    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] + rng.normal(size=30) > 0, 1, -1)
    found = notes.choose_c(X, y, (0.1, 1.0))
    for c, errors in zip(found.grid, found.errors, strict=True):
        score = cross_val_score(SVC(kernel="linear", C=c, tol=1e-8), X, y, cv=LeaveOneOut())
        assert errors == int((1 - score).sum())
    assert found.grid[int(np.argmin(found.errors))] == found.C
    with pytest.raises(BadInput, match="grid has no C"):
        notes.choose_c(X, y, ())


def test_the_margin_bound_holds_where_the_error_is_known():
    """x uniform on a circle, labels by a noisy direction: the limit is above the error in all draws but delta."""
    rng, m, failed = np.random.default_rng(0), 400, 0
    for _ in range(100):
        angle = rng.uniform(0, 2 * np.pi, m)
        X = np.column_stack([np.cos(angle), np.sin(angle)])
        y = np.where((X[:, 0] > 0) ^ (rng.random(m) < 0.1), 1, -1)
        w = (y @ X) / np.linalg.norm(y @ X)
        off = np.arccos(np.clip(w[0], -1, 1)) / np.pi
        found = notes.margin_bound(y * (X @ w), radius=1.0, norm=1.0, delta=0.2)
        failed += 0.1 + 0.8 * off > found.limit
        assert found.share == np.mean(y * (X @ w) < found.theta)
    assert failed <= 20
    with pytest.raises(BadInput, match="margins are numbers"):
        notes.margin_bound([], radius=1.0, norm=1.0)


def test_impurities_of_the_slide():
    assert notes.impurity_sums([[300, 100], [100, 300]]) == pytest.approx(
        (200.0, 649.0225, 300.0), abs=1e-4
    )
    assert notes.impurity_sums([[200, 400], [200, 0]]) == pytest.approx(
        (200.0, 550.9775, 266.6667), abs=1e-4
    )
    with pytest.raises(BadInput, match="leaves: counts of at least 0"):
        notes.impurity_sums([[0, 0]])


# Kernels between graphs.

GRAPHS = [graphs.path(4), graphs.cycle(4), graphs.complete(4), graphs.barbell(3)]
LETTERS = ["abab", "abba", "aabb", "abcabc"]


@pytest.mark.parametrize("kernel", [random_walk, shortest_path, weisfeiler_lehman])
@pytest.mark.parametrize("labels", [None, LETTERS])
def test_kernels_of_graphs_are_kernels_and_see_no_numbering(kernel, labels):
    K = kernel(GRAPHS, labels)
    assert (K == K.T).all()
    assert np.linalg.eigvalsh(K)[0] > -1e-9 * K.max()
    rng = np.random.default_rng(0)
    shuffled, named = [], []
    for i, g in enumerate(GRAPHS):
        order = rng.permutation(g.n)
        edges = [
            (int(order[v]), int(order[w])) for v in range(g.n) for w in g.neighbours(v) if v < w
        ]
        shuffled.append(ls.graph(edges, n=g.n))
        own = [""] * g.n
        for v in range(g.n):
            own[order[v]] = (labels[i] if labels else "a" * g.n)[v]
        named.append(own)
    assert kernel(shuffled, named if labels else None) == pytest.approx(K)


def test_walks_are_counted_by_hand():
    g = [graphs.path(3), graphs.cycle(3)]
    A = [np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0.0]]), 1.0 - np.eye(3)]
    total = sum(0.05**n * np.linalg.matrix_power(np.kron(A[0], A[1]), n).sum() for n in range(60))
    assert random_walk(g, decay=0.05)[0, 1] == pytest.approx(total)
    with pytest.raises(BadInput, match=r"the series diverges; it must be below 0\.25"):
        random_walk(g, decay=0.3)


def test_colours_tell_a_path_from_a_star():
    star, line = ls.graph([(0, 1), (0, 2), (0, 3)], n=4), graphs.path(4)
    none = weisfeiler_lehman([star, line], rounds=0)
    assert (none == 16).all()
    K = weisfeiler_lehman([star, line], rounds=2)
    assert K[0, 1] ** 2 < K[0, 0] * K[1, 1]
    with pytest.raises(BadInput, match="labels, entry 1: 1 labels for 4 vertices"):
        weisfeiler_lehman([star, line], ["aaaa", "a"])
    with pytest.raises(BadInput, match="graphs, entry 0: 3 is no graph"):
        weisfeiler_lehman([3])


@pytest.mark.parametrize("name", sorted(EXERCISES))
def test_each_student_has_data_and_a_key_of_their_own(name):
    sheets = [notes.exercise(name, f"student {i}") for i in range(6)]
    assert len({repr(s.data) for s in sheets}) > 3
    assert repr(notes.exercise(name, "student 0").data) == repr(sheets[0].data)
    assert repr(notes.exercise(name, "student 0", course="autumn").data) != repr(sheets[0].data)
    assert len({s.answer for s in sheets}) > 1 or name == "littlestone-dimension"
    for sheet in sheets:
        assert sheet.check(sheet.answer).right
        other = not sheet.answer if isinstance(sheet.answer, bool) else sheet.answer + 1
        marked = sheet.check(other)
        assert not marked.right
        assert f"it is {sheet.answer}" in str(marked)
    key = notes.answer_key([s.student for s in sheets], [name])
    assert [row[name] for row in key] == [s.answer for s in sheets]


def test_the_perceptron_s_key_is_what_a_hand_counts():
    for student in ("ann", "bob", "eve"):
        sheet, w, wrong = notes.exercise("perceptron", student), np.zeros(2), 0
        for *x, y in sheet.data.tolist():
            if (1 if w @ x >= 0 else -1) != y:
                w, wrong = w + y * np.array(x), wrong + 1
        assert sheet.answer == wrong


def test_an_unknown_exercise_and_an_answer_that_is_no_number():
    with pytest.raises(BadInput, match="no exercise 'lunch'; there are vc-dimension"):
        notes.exercise("lunch", "ann")
    with pytest.raises(BadInput, match="the answer is a number, not 'many'"):
        notes.exercise("impurity", "ann").check("many")
    assert notes.exercise("impurity", "ann").check("65.08").right


CONVEX = [
    (lambda x: np.exp(-x), -3, 3, True),
    (lambda x: abs(x), -3, 3, True),
    (lambda x: x * np.log(x) + (1 - x) * np.log(1 - x), 0.01, 0.99, True),
    (lambda v: v @ v, [-1, -1], [1, 1], True),
    (lambda x: np.tanh(x) ** 2, -3, 3, False),
    (lambda v: v[0] * v[1], [-1, -1], [1, 1], False),
    (lambda x: np.sqrt(x), 0, 4, False),
]


@pytest.mark.parametrize(("f", "low", "high", "convex"), CONVEX)
def test_the_segment_refutes_convexity(f, low, high, convex):
    found = notes.is_convex(f, low, high)
    assert found.holds is convex
    if not convex:
        x, z = (p[0] if np.ndim(low) == 0 else p for p in (found.x, found.z))
        chord = found.share * f(x) + (1 - found.share) * f(z)
        assert f(found.share * x + (1 - found.share) * z) > chord
        assert "not convex" in str(found)


def test_functions_and_ranges_that_convexity_refuses():
    with pytest.raises(BadInput, match="must be below"):
        notes.is_convex(abs, 1, 0)
    with pytest.raises(BadInput, match="f is nan"):
        notes.is_convex(lambda x: np.nan)


def test_stumps_shatter_as_many_points_as_the_formula_says():
    rng = np.random.default_rng(0)
    for d in (1, 2, 3):
        v = notes.vc_of_stumps(d)
        found = [theory.vc_dimension(restricted(rng, d, v + 1)) for _ in range(300)]
        assert max(found) == v
    with pytest.raises(BadInput, match="1 or more"):
        notes.vc_of_stumps(0)


def restricted(rng, d, points):
    """The labels that stumps give to points in random orders."""
    rows = {(1,) * points, (0,) * points}
    for order in (rng.permutation(points) for _ in range(d)):
        for cut in range(1, points):
            row = (order < cut).astype(int)
            rows |= {tuple(row.tolist()), tuple((1 - row).tolist())}
    return np.array(sorted(rows))
