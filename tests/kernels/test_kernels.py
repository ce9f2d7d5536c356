"""Kernels: against explicit features, against each other, and against functions that are none."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from littlestone.core.errors import BadInput
from littlestone.core.vectors import Sparse
from littlestone.engine.compile import has_numba, jit, methods
from littlestone.engine.memory import classes_of
from littlestone.hindsight.search.kernel_norms import comparators, hard_margin, interpolating_norm
from littlestone.kernels import (
    AllSubsets,
    Anova,
    Bell,
    Called,
    Cauchy,
    CommonSubsets,
    Conformal,
    Delta,
    Exp,
    Exponential,
    Gaussian,
    GeneralLinear,
    Intersection,
    Laplace,
    Linear,
    LinearMap,
    Mapped,
    Matern,
    Min,
    Multiple,
    Normalised,
    Polynomial,
    Product,
    Series,
    Spline,
    Sum,
    agreement,
    blocks,
    diagonal,
    gram,
    indicators,
    is_psd,
    kernel_named,
    union_complement,
)

A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])  # positive semidefinite, singular
TURN = np.array([[1.0, -1.0, 0.5], [0.0, 2.0, 1.0]])
LEAVES = [
    Linear(), Linear(0.5), GeneralLinear(A), Polynomial(2), Polynomial(3, 0.0), Exponential(0.7), Gaussian(0.4),
    Laplace(0.3), Anova(1), Anova(2), Anova(3), AllSubsets(), CommonSubsets(), Min(), Delta(), Intersection(2.0),
    Matern(0, 0.7), Matern(2), Cauchy(0.4), Spline(0.5),
]  # fmt: skip
MADE = [
    Sum(Linear(), Gaussian(0.5)), Product(Linear(1.0), Laplace(0.2)), Multiple(3.0, Min()),
    Series(Linear(), (0.5, 0.0, 2.0)), Exp(Gaussian(1.0)), LinearMap(TURN, Gaussian(0.3)), Normalised(Polynomial(2)),
    Normalised(AllSubsets()), Conformal(Bell(0.3), Exponential(0.6)), Normalised(Sum(Linear(), Delta())),
]  # fmt: skip
PYTHON = [
    Mapped(lambda x: np.append(x, x[0] * x[1]), Linear()),
    Conformal(Called(lambda x: x[0]), Min()),
]
EVERY = [*LEAVES, *MADE, *PYTHON]
rng = np.random.default_rng(0)
POINTS = np.vstack((rng.normal(size=(12, 3)), [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))


def suiting(kernel, X):
    """Examples that a kernel is made for: the set kernel takes sets."""
    return (X > 0).astype(float) if {CommonSubsets, Intersection} & {*classes_of(kernel)} else X


def show(kernel):
    return re.sub(r" at 0x[0-9a-f]+", "", str(kernel))[:60]  # workers must agree on names


def sparse(x):
    at = np.flatnonzero(x)
    return Sparse(at, x[at])


# One kernel, four ways to compute it.


@pytest.mark.parametrize("kernel", EVERY, ids=show)
def test_one_value_however_it_is_computed(kernel):
    points = suiting(kernel, POINTS)
    K = gram(kernel, points)
    for i, j in itertools.product(range(len(points)), repeat=2):
        x, z = points[i], points[j]
        assert kernel.of(x, z) == pytest.approx(K[i, j], rel=1e-12, abs=1e-12)
        xx, zz = float(x @ x), float(z @ z)
        if kernel.by_dot(xx, zz):
            assert kernel.from_dot(float(x @ z), xx, zz) == pytest.approx(K[i, j], abs=1e-9)
        if not any(kernel is k for k in PYTHON):  # these were given functions of dense vectors
            assert kernel.of(sparse(x), z) == pytest.approx(K[i, j], abs=1e-12)
            assert kernel.self_of(sparse(x)) == pytest.approx(K[i, i], abs=1e-12)
        assert kernel.self_of(x) == pytest.approx(K[i, i], abs=1e-12)
    assert kernel(points[0], points[1]) == K[0, 1]


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
def test_compiled_values_are_the_plain_ones():
    """Several kernels in one: each compilation takes long, and what is tested is that methods find each other."""
    kernel = Sum(
        Product(Normalised(Polynomial(2)), Laplace(0.3)),
        Sum(Series(Gaussian(0.2), (1.0, 2.0)), LinearMap(TURN, Anova(2))),
    )
    methods()
    of = jit(value_of)
    for x, z in itertools.product(POINTS[:4], POINTS[-4:]):
        assert of(kernel, x, z) == pytest.approx(kernel.of(x, z), rel=1e-12)


def value_of(kernel, x, z):
    return kernel.of(x, z)


@pytest.mark.parametrize("kernel", EVERY, ids=show)
def test_every_kernel_is_one(kernel):
    points = suiting(kernel, POINTS)
    assert is_psd(kernel, points)
    assert diagonal(kernel, points) == pytest.approx(np.diag(gram(kernel, points)))


@pytest.mark.parametrize(
    "none",
    [
        lambda x, z: x @ z - (x @ z) ** 2,  # K(x, x) = -12 at (2, 0)
        lambda x, z: -x[0] * z[0] + 2 * (x[0] * z[1] + x[1] * z[0]) + 4 * x[1] * z[1],
        lambda x, z: math.exp(-((x - z) @ (x - z))) - 0.5 * (1 + x @ z),  # a difference of kernels
        lambda x, z: max(x[0] * z[0], x[1] * z[1]),
        lambda x, z: x[0],  # not symmetric
    ],
)
def test_what_is_no_kernel_is_found_out(none):
    assert not is_psd(none, [[2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, -1.0], [3.0, 3.0]])


# Explicit features.


def weighted(x, degree, constant):
    """All monomials of (1, x) of one degree, each times the root of its multinomial coefficient."""
    x = np.append(math.sqrt(constant), x)
    found = []
    for powers in itertools.product(range(degree + 1), repeat=len(x)):
        if sum(powers) == degree:
            c = math.factorial(degree) / math.prod(math.factorial(p) for p in powers)
            found.append(math.sqrt(c) * math.prod(v**p for v, p in zip(x, powers, strict=True)))
    return np.array(found)


@pytest.mark.parametrize(("degree", "constant"), [(1, 0.0), (2, 1.0), (3, 0.5), (4, 0.0)])
def test_polynomials_are_weighted_monomials(degree, constant):
    phi = np.array([weighted(x, degree, constant) for x in POINTS])
    assert gram(Polynomial(degree, constant), POINTS) == pytest.approx(phi @ phi.T)


def test_six_features_of_the_plane():
    """(1 + <x, z>)^2 in two dimensions: 1, sqrt 2 x_1, sqrt 2 x_2, x_1^2, x_2^2, sqrt 2 x_1 x_2."""
    r = math.sqrt(2)
    phi = np.array([[1, r * a, r * b, a * a, b * b, r * a * b] for a, b, _ in POINTS])
    assert gram(Polynomial(2), POINTS[:, :2]) == pytest.approx(phi @ phi.T)


def test_two_maps_may_make_one_kernel():
    one = np.array([[a * a, b * b, a * b, b * a] for a, b, _ in POINTS])
    other = np.array([[a * a, b * b, math.sqrt(2) * a * b] for a, b, _ in POINTS])
    K = gram(Polynomial(2, 0.0), POINTS[:, :2])
    assert pytest.approx(one @ one.T) == K
    assert pytest.approx(other @ other.T) == K


def test_the_exponential_kernel_is_a_series():
    """E-EXP-KERNEL: the third coordinate is sqrt(a^2 / 2) x^2; with the printed sqrt(a / 2) x^2 the sum is 5.2156."""
    a, x, z = 1.7, 0.8, 1.3
    phi = [[math.sqrt(a**i / math.factorial(i)) * v**i for i in range(40)] for v in (x, z)]
    assert Exponential(a)(x, z) == pytest.approx(5.859123388542665, abs=1e-14)
    assert np.dot(*phi) == pytest.approx(Exponential(a)(x, z), abs=1e-12)
    for part, v in zip(phi, (x, z), strict=True):
        part[2] = math.sqrt(a / 2) * v**2
    assert np.dot(*phi) == pytest.approx(5.2156, abs=1e-4)


def test_the_gaussian_kernel_is_a_series_under_a_bell():
    """exp(-b x^2) sqrt((2 b)^k / k!) x^k in one dimension; in general a conformal exponential."""
    b = 0.6
    phi = [
        [
            math.exp(-b * v * v) * math.sqrt((2 * b) ** k / math.factorial(k)) * v**k
            for k in range(40)
        ]
        for v in (0.8, 1.3)
    ]
    assert np.dot(*phi) == pytest.approx(Gaussian(b)(0.8, 1.3), abs=1e-12)
    both = gram(Conformal(Bell(b), Exponential(2 * b)), POINTS), gram(Gaussian(b), POINTS)
    assert both[0] == pytest.approx(both[1])


def subsets(n):
    return [s for k in range(n + 1) for s in itertools.combinations(range(n), k)]


def test_all_subsets_and_anova_are_sums_over_subsets():
    phi = np.array([[math.prod(x[list(s)]) for s in subsets(3)] for x in POINTS])
    sizes = np.array([len(s) for s in subsets(3)])
    assert gram(AllSubsets(), POINTS) == pytest.approx(phi @ phi.T)
    for degree in range(5):
        some = phi[:, sizes == degree]
        assert gram(Anova(degree), POINTS) == pytest.approx(some @ some.T, abs=1e-12)
    total = sum(gram(Anova(degree), POINTS) for degree in range(4))
    assert total == pytest.approx(gram(AllSubsets(), POINTS))


def test_the_set_kernel_counts_common_subsets():
    assert gram(CommonSubsets(), indicators([0, 1, 2, 3], 2)).tolist() == [
        [1, 1, 1, 1], [1, 2, 1, 2], [1, 1, 2, 2], [1, 2, 2, 4],
    ]  # fmt: skip
    K = gram(CommonSubsets(), indicators(range(16), 4))
    assert np.linalg.det(K) == pytest.approx(1.0)
    assert np.linalg.eigvalsh(K)[0] == pytest.approx(0.0212862, abs=1e-7)
    sets = [set(s) for s in subsets(4)]
    assert gram(CommonSubsets(), indicators(sets, 4)).tolist() == [
        [2 ** len(a & b) for b in sets] for a in sets
    ]
    zeros = indicators(range(16), 4)
    assert gram(CommonSubsets(3.0), zeros) == pytest.approx(gram(AllSubsets(2.0), zeros))


def test_measures_of_sets():
    """A2.25: intersection, union-complement and agreement, over all subsets of four members."""
    sets = [set(s) for s in subsets(4)]
    X, whole = indicators(sets, 4), {0, 1, 2, 3}
    for kernel, count in (
        (Intersection(), lambda a, b: len(a & b)),
        (union_complement(), lambda a, b: len(whole - (a | b))),
        (agreement(), lambda a, b: len(whole - (a ^ b))),
    ):
        K = gram(kernel, X)
        assert K.tolist() == [[count(a, b) for b in sets] for a in sets]
        assert is_psd(kernel, X)
    weights = np.array([1.0, 2.0, 0.0, 5.0])
    mu = gram(GeneralLinear(np.diag(weights)), X)
    assert mu.tolist() == [[sum(weights[list(a & b)]) for b in sets] for a in sets]
    with pytest.raises(BadInput, match="it must be 0 or 1"):
        gram("intersection", [[0, 2]])


def test_what_was_called_intersection_is_found_by_saved_files():
    from littlestone.kernels.functions import subsets as module

    assert module.Intersection is CommonSubsets
    assert kernel_named("intersection") == Intersection()


def test_the_min_kernel_on_a_grid():
    """Points 1..5: determinant 1, and the inverse is the Laplacian of a path that is grounded at one end."""
    K = gram(Min(), np.arange(1.0, 6)[:, None])
    assert K.tolist() == [[min(i, j) for j in range(1, 6)] for i in range(1, 6)]
    eigenvalues = [0.27155413, 0.35325328, 0.5829645, 1.44869057, 12.34353752]
    assert np.linalg.eigvalsh(K) == pytest.approx(eigenvalues)
    path = 2 * np.eye(5) - np.eye(5, k=1) - np.eye(5, k=-1)
    path[-1, -1] = 1
    assert np.linalg.inv(K) == pytest.approx(path)
    steps = np.arange(1, 6)[None, :] <= np.arange(1, 6)[:, None]  # phi_k(x) = [k <= x]
    assert K.tolist() == (steps.astype(float) @ steps.T).tolist()
    k = np.arange(1, 101) - 0.5
    one, other = (math.sqrt(2) * np.sin(k * math.pi * v) / (k * math.pi) for v in (0.3, 0.8))
    assert one @ other == pytest.approx(0.29999992, abs=1e-8)


def test_the_min_kernel_is_the_norm_of_the_derivative():
    """|f|^2 = c' K c is the integral of f'^2, for f piecewise linear with f(0) = 0."""
    x, c = np.array([0.5, 1.0, 2.5]), np.array([1.0, -2.0, 0.5])
    K = gram(Min(), x[:, None])
    slopes = [c.sum(), c[1:].sum(), c[2]]  # f' before the first knot, and after each
    assert c @ K @ c == pytest.approx(np.dot(np.square(slopes), np.diff(x, prepend=0.0)))


def test_the_min_kernel_on_the_whole_line():
    x = np.array([[-2.0], [-0.5], [0.0], [1.0], [3.0]])
    wanted = (np.abs(x) + np.abs(x.T) - np.abs(x - x.T)) / 2
    assert gram(Min(), x) == pytest.approx(wanted)


def test_general_linear_kernels():
    """diag(1, 5): features (x_1, sqrt 5 x_2). A matrix with a negative eigenvalue is refused, and says which."""
    K = GeneralLinear(np.diag([1.0, 5.0]))
    assert K((1, 2), (3, 4)) == 43
    with pytest.raises(BadInput, match=r"least eigenvalue is -1\.7015"):
        kernel_named(GeneralLinear([[-1.0, 2.0], [2.0, 4.0]]))
    R = np.linalg.cholesky(A + 1e-9 * np.eye(3))
    assert gram(GeneralLinear(A), POINTS) == pytest.approx(gram(Linear(), POINTS @ R), abs=1e-6)
    assert gram(LinearMap(TURN, Linear()), POINTS) == pytest.approx(
        gram(GeneralLinear(TURN.T @ TURN), POINTS)
    )


# Algebra.


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_what_is_made_of_kernels_is_a_kernel(data):
    def made(depth):
        if depth == 0:
            return data.draw(st.sampled_from(LEAVES))
        k = made(depth - 1)
        return data.draw(st.sampled_from([
            k + made(0), k * Gaussian(0.5), 0.5 * k, Normalised(k), Exp(Normalised(k)), Conformal(Bell(0.2), k),
            Series(Normalised(k), (1.0, 0.0, 2.0)),
        ]))  # fmt: skip

    kernel = made(data.draw(st.integers(1, 3)))
    X = np.array(
        data.draw(
            st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=8)
        )
    )
    X = suiting(kernel, X)
    assert is_psd(kernel, X, 1e-8)
    assert gram(kernel, X) == pytest.approx(
        np.array([[kernel.of(x, z) for z in X.astype(float)] for x in X.astype(float)]),
        rel=1e-9,
        abs=1e-9,
    )


def test_the_algebra_is_entry_by_entry():
    """E-SCHUR: the product of two kernels is A_ij B_ij; the printed A_ij B_jj is not even symmetric."""
    K, G = gram(Linear(), POINTS), gram(Gaussian(0.5), POINTS)
    assert gram(Linear() * Gaussian(0.5), POINTS) == pytest.approx(K * G)
    assert gram(Linear() + Gaussian(0.5), POINTS) == pytest.approx(K + G)
    assert gram(2 * Linear() + Gaussian(0.5) * 3, POINTS) == pytest.approx(2 * K + 3 * G)
    assert gram(Series(Linear(), (1, 2, 3)), POINTS) == pytest.approx(1 + 2 * K + 3 * K**2)
    assert gram(Exp(Linear()), POINTS) == pytest.approx(np.exp(K))
    assert gram(Exp(Multiple(0.7, Linear())), POINTS) == pytest.approx(
        gram(Exponential(0.7), POINTS)
    )
    size = np.sqrt(np.diag(K))
    with np.errstate(invalid="ignore"):
        cosine = np.nan_to_num(K / size / size[:, None])
    assert gram(Normalised(Linear()), POINTS) == pytest.approx(cosine, abs=1e-12)
    printed = K * np.diag(G + POINTS @ POINTS.T)[None, :]
    assert np.abs(printed - printed.T).max() > 0.1


def test_a_constant_term_is_allowed():
    """E-KPOLY: (a + <x, z>)^r is a polynomial of the linear kernel whose sum starts at i = 0."""
    K = gram(Series(Linear(), (1.0, 2.0, 1.0)), POINTS)
    assert pytest.approx(gram(Polynomial(2), POINTS)) == K


def test_negative_values_and_corners_are_no_obstacle():
    """E-RADIAL: cos(x - z) takes negative values, exp(-|x - z|) has a corner, and both are kernels."""
    x = rng.normal(size=(20, 1)) * 3
    assert is_psd(lambda a, b: math.cos(a[0] - b[0]), x)
    assert is_psd(Laplace(1.0), x)


def test_distinct_points_have_independent_gaussians():
    """So no finite feature map makes the Gaussian kernel: its Gram matrices have any rank."""
    for m in (5, 10, 15):
        assert np.linalg.matrix_rank(gram(Gaussian(1.0), np.linspace(0, 10, m)[:, None])) == m


# Large numbers.


@pytest.mark.parametrize(
    "kernel",
    [
        k
        for k in [*LEAVES[:2], *LEAVES[3:], *MADE[:5]]
        if not isinstance(k, (CommonSubsets, Intersection))
    ]
    + [Normalised(Polynomial(3))],
    ids=show,
)
def test_nothing_is_ever_nan(kernel):
    X = np.array(
        [
            [1e150, 0, 0],
            [-1e150, 1e150, 1],
            [1e-150, 1, 0],
            [0, 0, 0],
            [1e12, -1e12, 1e12],
            [
                3,
                4,
                5,
            ],  # with 3, 3, 3 row 2 cancels to what BLAS leaves of the rounding, which processors differ in
        ]
    )
    K = gram(kernel, X)
    assert np.isfinite(K).all()
    for (i, x), (j, z) in itertools.product(enumerate(X), repeat=2):
        v = kernel.of(x, z)
        assert math.isfinite(v)
        assert v == pytest.approx(K[i, j], rel=1e-9, abs=1e-9)
        xx, zz = float(x @ x), float(z @ z)
        if kernel.by_dot(xx, zz):
            assert math.isfinite(kernel.from_dot(float(x @ z), xx, zz))


def test_large_sets_do_not_overflow():
    large = np.ones((2, 2000))
    assert gram(CommonSubsets(), large).tolist() == [[1e150] * 2] * 2  # not 2^2000
    assert CommonSubsets().of(large[0], large[1]) == 1e150


def test_far_from_the_origin_differences_are_taken():
    """|x|^2 + |z|^2 - 2 <x, z> has an error of 1e2 at x = 1e9, and the kernel is exp(-1) there."""
    K = Gaussian(1.0)
    x, z = np.array([1e9]), np.array([1e9 + 1])
    assert K.of(x, z) == pytest.approx(math.exp(-1))
    assert gram(K, [x], [z])[0, 0] == pytest.approx(math.exp(-1))
    assert not K.by_dot(1e18, 1e18)
    assert K.from_dot(1e18 + 1e9, 1e18, (1e9 + 1) ** 2) != pytest.approx(math.exp(-1), abs=0.1)
    x, z = np.array([700.0]), np.array([700.001])  # just within
    assert K.by_dot(float(x @ x), float(z @ z))
    assert K.from_dot(float(x @ z), float(x @ x), float(z @ z)) == pytest.approx(
        K.of(x, z), abs=1e-8
    )


# Gram matrices.


@pytest.mark.parametrize("kernel", EVERY, ids=show)
def test_blocks_and_sparse_matrices_make_the_same_matrix(kernel):
    points = suiting(kernel, POINTS)
    X, Z = points * [1, 0, 1], points[3:9]
    K = gram(kernel, X, Z)
    assert K.shape == (len(X), 6)
    assert gram(kernel, X, Z, block=4) == pytest.approx(K)
    assert np.vstack([part for _, part in blocks(kernel, X, Z, 5)]) == pytest.approx(K)
    assert gram(kernel, csr_array(X), csr_array(Z)) == pytest.approx(K, abs=1e-12)


def test_no_rows_make_no_matrix():
    for kernel in LEAVES:
        points = suiting(kernel, POINTS)
        assert gram(kernel, np.zeros((0, 3)), points).shape == (0, len(points))
        assert gram(kernel, points, np.zeros((0, 3))).shape == (len(points), 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: gram("linear", [1.0]), "X must have two dimensions"),
        (lambda: gram("linear", [["a"]]), "X must be a matrix of numbers"),
        (lambda: gram("linear", [[1.0]], [[1.0, 2.0]]), "Z must have 1 columns, as X has, not 2"),
        (lambda: gram("linear", [[1.0]], block=0), "block must be"),
        (lambda: kernel_named("gauss"), "kernel must be one of linear, polynomial"),
        (lambda: kernel_named(3), "kernel must be one of"),
        (lambda: kernel_named("gaussian:wide"), "gaussian:wide: write numbers after the colon"),
        (lambda: kernel_named("gaussian:1,2"), "gaussian has 1 parameters: beta"),
        (lambda: kernel_named("gaussian:0"), "beta of the Gaussian kernel must be a number above 0, not 0"),
        (lambda: kernel_named("gaussian:nan"), "beta of the Gaussian kernel must be a number above 0"),
        (lambda: kernel_named("polynomial:2.5"), "degree of the Polynomial kernel must be a whole number, not 2.5"),
        (lambda: kernel_named("polynomial:2,-1"), "constant of the Polynomial kernel must be a number of at least 0"),
        (lambda: kernel_named("common-subsets:0.5"), "base of the CommonSubsets kernel must be a number of at least 1"),
        (lambda: kernel_named(Series(Linear(), (1, -2))), "c of the Series kernel must be a number of at least 0"),
        (lambda: kernel_named(Sum(Linear(), "x")), "kernel must be one of"),
        (lambda: kernel_named(GeneralLinear([[1, 2], [0, 1]])), "A of the GeneralLinear kernel must be symmetric"),
        (lambda: kernel_named(LinearMap([[math.nan]], Linear())), "must be a matrix of finite numbers"),
        (lambda: kernel_named(Mapped(3, Linear())), "phi of the Mapped kernel must be a function"),
        (lambda: Linear() + 1, "only kernels can be added to a kernel, not 1"),
        (lambda: -1 * Linear(), "is a kernel for c >= 0, not for c = -1"),
        (lambda: Linear() * "x", "a kernel is multiplied with a kernel or a number, not 'x'"),
        (lambda: indicators([{3}], 3), "a set holds 3; its members are 0, …, 2"),
        (lambda: gram("linear", [[1.0]], block="a"), "block must be a whole number of at least 1, not 'a'"),
        (lambda: gram("linear", csr_array([1.0, 2.0])), "X must have two dimensions"),
        (lambda: gram("gaussian", [[1.0, 2.0], [math.nan, 1.0]]), "X: row 2, column 1 is nan; it must be a finite"),
        (lambda: gram("linear", [[1.0]], [[1.0], [math.inf]]), "Z: row 2, column 1 is inf; it must be a finite"),
        (lambda: gram("min", csr_array([[0, 1, 0], [0, 0, -math.inf]])), "X: row 2, column 3 is -inf"),
        (lambda: diagonal("gaussian", [[math.nan]]), "X: row 1, column 1 is nan"),
        (lambda: is_psd("gaussian", [[1.0, math.nan]]), "X: row 1, column 2 is nan"),
        (lambda: Gaussian()([1.0, math.nan], [1.0, 2.0]), "x: row 1, column 2 is nan"),
        (lambda: Gaussian()([1.0, 2.0], [1.0]), "x has 2 features and z has 1"),
        (lambda: Linear()([[1.0], [2.0]], [1.0]), "x must be one vector, not of shape (2, 1)"),
        (lambda: Linear()("a", [1.0]), "x must be a vector of numbers, not 'a'"),
        (lambda: Gaussian(-1.0)([1.0], [2.0]), "beta of the Gaussian kernel must be a number above 0, not -1"),
        (lambda: gram(GeneralLinear(np.eye(5)), POINTS), "the GeneralLinear kernel is for 5 features, and X has 3"),
        (lambda: GeneralLinear(np.eye(2))([1, 2, 3], [1, 2, 3]), "is for 2 features, and x has 3"),
        (lambda: gram(LinearMap(np.ones((2, 7)), Linear()), csr_array(POINTS)),
         "A of the LinearMap kernel is for 7 features, and X has 3"),
        (lambda: gram(LinearMap(TURN, GeneralLinear(A)), POINTS),
         "A of the GeneralLinear kernel is for 3 features, and A X has 2"),
        (lambda: is_psd(Normalised(Linear() + GeneralLinear(np.eye(5))), POINTS), "is for 5 features, and X has 3"),
        (lambda: diagonal(2 * GeneralLinear(np.eye(5)), POINTS), "is for 5 features, and X has 3"),
        (lambda: gram(Mapped(lambda x: x[:2], GeneralLinear(A)), POINTS), "is for 3 features, and phi(X) has 2"),
        (lambda: gram(Mapped(lambda x: [1.0, math.nan], Linear()), POINTS), "phi(X): row 1, column 2 is nan"),
        (lambda: gram(Mapped(lambda x: x[x != 0], Linear()), POINTS), "vectors of one length, not (3,) and (0,)"),
        (lambda: gram(CommonSubsets(), [[0, 1], [1, 2]]), "X: row 2, column 2 is 2; it must be 0 or 1"),
        (lambda: gram("intersection", csr_array([[0, 1.0, 0.5]])), "X: row 1, column 3 is 0.5; it must be 0 or 1"),
        (lambda: CommonSubsets()([0, 1], [1, -1]), "z: row 1, column 2 is -1; it must be 0 or 1"),
        (lambda: gram(Linear() * CommonSubsets(), [[0, 1], [1, 2]]), "X: row 2, column 2 is 2; it must be 0 or 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(given, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        given()


def test_names_and_types():
    assert kernel_named("gaussian:0.5") == Gaussian(0.5)
    assert kernel_named("rbf") == Gaussian(1.0)
    assert kernel_named("anova:3") == Anova(3)
    assert isinstance(kernel_named(Gaussian(1)).beta, float)  # one signature, one compilation
    assert isinstance(kernel_named("polynomial:3").degree, int)
    nested = kernel_named(Sum(Gaussian(1), "linear"))
    assert isinstance(nested.left.beta, float)
    assert nested.right == Linear()
    assert kernel_named(Conformal(math.sin, Linear())).f == Called(math.sin)


def test_kernels_are_called_as_they_are_written():
    """With a function for a factor and names for kernels, as `gram` and learners take them."""
    f = Conformal(lambda x: x[0], Gaussian(1.0))
    x, z = np.array([2.0, 1.0]), np.array([3.0, 1.0])
    assert f(x, z) == pytest.approx(6 * math.exp(-1))
    for made in (2 * f, f + Delta(), f * Linear(), Conformal(lambda x: x[0], "gaussian")):
        assert made(x, z) == pytest.approx(gram(made, [x], [z])[0, 0])
    assert Normalised(f)(x, z) == pytest.approx(math.exp(-1))
    assert is_psd(f, POINTS)
    assert Sum(Linear(), "polynomial:2")(x, z) == 7 + 64


# Norms.


def test_interpolating_norms():
    y = np.array([1.0, -1.0, 1.0])
    assert interpolating_norm(np.eye(3), y) == pytest.approx(3)
    K = gram(Gaussian(1.0), POINTS[:3])
    assert interpolating_norm(K, y) == pytest.approx(y @ np.linalg.solve(K, y))
    assert interpolating_norm(np.ones((2, 2)), np.ones(2)) == pytest.approx(1)  # singular, and yet
    assert interpolating_norm(np.ones((2, 2)), np.array([1.0, -1.0])) == np.inf


def test_hard_margins_have_a_certificate():
    """The plane: margin of (1, 0) against (-1, 0) and (0.5, 3) is at most 0.5, so |u|^2 >= 4; u = (2, 0) is best."""
    X, y = (
        np.array([[1.0, 0.0], [-1.0, 0.0], [0.5, 3.0], [0.5, -3.0]]),
        np.array([1.0, -1.0, 1.0, 1.0]),
    )
    norm, below, c = hard_margin(gram(Linear(), X), y)
    assert norm == pytest.approx(4, abs=1e-6)
    assert below == pytest.approx(4, abs=1e-6)
    assert X.T @ c == pytest.approx([2, 0], abs=1e-6)
    norm, *_ = hard_margin(gram(Linear(), X[:2]), np.array([1.0, 1.0]))
    assert norm == np.inf


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000))
def test_no_feasible_function_is_shorter_than_the_bound_from_below(seed):
    g = np.random.default_rng(seed)
    X, y = g.normal(size=(8, 2)), np.where(g.random(8) < 0.5, 1.0, -1.0)
    K = gram(Gaussian(0.5), X)
    norm, below, c = hard_margin(K, y)
    assert norm == np.inf or (y * (K @ c) >= 1 - 1e-9).all()
    assert below <= norm * (1 + 1e-9)
    assert below <= interpolating_norm(K, y) * (1 + 1e-9)
    for soft in comparators(K, y).c:
        f = y * (K @ soft)
        if f.min() > 0:
            assert below <= soft @ K @ soft / f.min() ** 2 * (1 + 1e-9)


def test_comparators_are_what_they_say():
    g = np.random.default_rng(3)
    X, h = g.normal(size=(30, 2)), g.random(30) + 0.5
    y = np.where(X[:, 0] + 0.5 * g.normal(size=30) > 0, 1.0, -1.0)
    K = gram(Linear(0.5), X)
    found = comparators(K, y, h)
    assert found.names[0] == "always 0"
    assert (found.U2[0], found.H[0], found.L[0]) == (
        0,
        pytest.approx(h.sum()),
        pytest.approx(h.sum()),
    )
    for i, c in enumerate(found.c):
        f = K @ c
        short = np.maximum(0, 1 - y * f)
        assert found.U2[i] == pytest.approx(c @ f, abs=1e-9)
        assert found.H[i] == pytest.approx(h @ short)
        assert found.H2[i] == pytest.approx(h @ short**2)
        assert found.L[i] == pytest.approx(h @ (y * f <= 0))
    assert "interpolating function" not in found.names  # three dimensions, thirty labels
    cost = found.U2 / 2 + 10 / np.diag(K).max() * found.H
    assert np.argmin(cost) == found.names.index("soft margin, cost 10")
    with pytest.raises(BadInput, match="must be square"):
        comparators(np.eye(2), y)
    with pytest.raises(BadInput, match=r"-1 or \+1"):
        comparators(np.eye(2), np.array([0.0, 1.0]))
