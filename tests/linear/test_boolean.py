"""Boolean maps, set cover and satisfiability, and the Boolean and l1 comparators in hindsight."""

from itertools import combinations, product

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.core.errors import BadInput
from littlestone.core.vectors import Rows
from littlestone.hindsight.search import boolean as hindsight
from littlestone.hindsight.search.l1_margin import l1_margin, separators
from littlestone.linear import boolean as maps
from littlestone.theory import set_cover as theory


def every(n):
    return np.array(list(product((0.0, 1.0), repeat=n)))


def sign(b):
    return np.where(b, 1.0, -1.0)


def rows(X):
    csr = scipy.sparse.csr_array(X)
    return Rows(csr.indptr.astype(np.int64), csr.indices.astype(np.int32), csr.data)


# Maps.


def test_literals_make_any_disjunction_monotone():
    """A-LITERALS: not x_1 or x_3, as a monotone disjunction of 2n features."""
    X = every(3)
    wanted = ((1 - X[:, 0]) + X[:, 2]) > 0
    assert (maps.disjunction(maps.literals(X), [1, 4]) == wanted).all()
    assert (maps.literals(X).sum(axis=1) == 3).all()


@given(st.integers(1, 5), st.integers(0, 2**5 - 1), st.booleans())
def test_de_morgan(n, chosen, signs):
    X, features = every(n), [i for i in range(n) if chosen >> i & 1]
    y = maps.conjunction(X, features)
    y = 2 * y - 1 if signs else y
    Z, z = maps.de_morgan(X, y)
    yes = maps.disjunction(Z, features)
    if signs or (y == 0).any():
        assert (z == (2 * yes - 1 if signs else yes)).all()
        back, again = maps.de_morgan(Z, z)
        assert (back == X).all()
        assert (again == y).all() or not (z == 0).any()


@given(st.integers(1, 5), st.integers(0, 6))
def test_monomials(n, degree):
    """Every product of at most `degree` features once; all of them are the features of the ANOVA kernel (T-ANOVA)."""
    X = every(n)
    M = maps.monomials(X, degree)
    sets = [s for j in range(min(degree, n) + 1) for s in combinations(range(n), j)]
    assert M.shape == (2**n, len(sets))
    for column, s in zip(M.T, sets, strict=True):
        assert (column == X[:, list(s)].all(axis=1)).all()
    if degree >= n:
        kernel = np.prod(1 + X[:, None, :] * X[None, :, :], axis=2)
        assert np.array_equal(M @ M.T, kernel)
        assert np.array_equal(np.diag(kernel), 2 ** X.sum(axis=1))


@pytest.mark.parametrize("conjunctive", [False, True])
def test_thresholds(conjunctive):
    """A-LTF-DISJ: one linear threshold for a disjunction or a conjunction, with margin 1/2."""
    for n in (1, 3, 4):
        X = every(n)
        for k in range(1, n + 1):
            for features in combinations(range(n), k):
                u, b = maps.threshold(features, n, conjunctive)
                wanted = (maps.conjunction if conjunctive else maps.disjunction)(X, features)
                score = X @ u - b
                assert ((score > 0) == (wanted > 0)).all()
                assert np.abs(score).min() == 0.5


def test_binarise():
    X = np.array([[0.5, -1.0, 0.0], [1e-300, 2.0, -0.0]])
    assert maps.binarise(X).tolist() == [[1, 0, 0], [1, 1, 0]]
    thin = maps.binarise(scipy.sparse.csr_array(X))
    assert scipy.sparse.issparse(thin)
    assert thin.toarray().tolist() == [[1, 0, 0], [1, 1, 0]]
    assert thin.nnz == 3
    with pytest.raises(BadInput, match="NaN"):
        maps.binarise([np.nan])


def test_what_is_not_boolean_is_refused():
    with pytest.raises(BadInput, match=r"row 1, feature 2 is 0\.5"):
        maps.literals([[0, 1, 1], [1, 1, 0.5]])
    with pytest.raises(BadInput, match="feature 0 is -1"):
        maps.monomials([-1, 1])
    with pytest.raises(BadInput, match="1,073,741,824 products"):
        maps.monomials(np.zeros(30))


# Set cover and satisfiability.

TWELVE = [
    [1, 3], [1, 4], [1, 5], [1, 3, 4], [1, 2, 4], [1, 2, 5], [3, 4], [2, 4], [2, 5], [3, 6], [4, 6], [5, 6],
]  # fmt: skip


def test_the_cover_of_the_notes():
    """X-SETCOVER: {1, 2, 4, 6} covers; {3, 4, 5} is the only smallest cover; six have four sets."""
    A = theory.matrix(TWELVE, 6)
    assert (0, 1, 3, 5) in list(theory.covers(A, 4))
    assert theory.smallest_cover(A) == (2, 3, 4)
    assert [len(list(theory.covers(A, size))) for size in range(5)] == [0, 0, 0, 1, 6]
    X, y = theory.disjunction_of_cover(A)
    found, smallest = hindsight.small_disjunction(X, y)
    assert smallest
    assert found.tolist() == [2, 3, 4]


def test_the_formula_of_the_notes():
    """X-CNF."""
    clauses = [[1, 4, 7], [1], [-2, 2, 5]]
    assert theory.satisfied(clauses)[1]
    A, m = theory.cover_of_formula(clauses)
    assert (m, A.shape) == (5, (8, 10))
    assert len(theory.smallest_cover(A)) == 5


@given(
    st.lists(
        st.lists(st.sampled_from([1, -1, 2, -2, 3, -3, 4, -4]), min_size=1, max_size=2),
        min_size=1,
        max_size=9,
    )
)
@settings(max_examples=150)
def test_satisfiable_just_if_coverable(clauses):
    """T-NP, both reductions: a cover of m sets, never fewer; a consistent disjunction of m features."""
    A, m = theory.cover_of_formula(clauses)
    held = theory.satisfied(clauses)
    assert (next(theory.covers(A, m), None) is not None) == (held is not None)
    assert next(theory.covers(A, m - 1), None) is None
    if held is not None:
        assert all(any(held[abs(v)] == (v > 0) for v in clause) for clause in clauses)
        assert len(hindsight.small_disjunction(*theory.disjunction_of_cover(A))[0]) == m


def test_both_answers_occur():
    assert theory.satisfied([[1, 2], [-1, 2], [1, -2], [-1, -2]]) is None
    assert theory.satisfied([[1, 2], [-1, 2], [1, -2]]) == {1: True, 2: True}
    assert theory.smallest_cover([[0, 0], [1, 1]]) is None
    assert theory.smallest_cover(np.empty((0, 3))) == ()
    for bad in ([[0]], [[1, 0]]):
        with pytest.raises(BadInput, match="not 0"):
            theory.satisfied(bad)
    with pytest.raises(BadInput, match="no set 4"):
        theory.matrix([[1], [4]], 3)


# Boolean comparators.


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=60)
def test_disjunctions_in_hindsight(seed, sparse):
    """The smallest and the largest that fit, against all 2^n of them."""
    rng = np.random.default_rng(seed)
    n, T = int(rng.integers(1, 7)), int(rng.integers(1, 25))
    X = (rng.random((T, n)) < rng.random()).astype(float)
    k = int(rng.integers(0, n + 1))
    y = sign(X[:, :k].max(axis=1, initial=0) > 0)
    if rng.random() < 0.4:
        y[0] = -y[0]
    sets = [s for j in range(n + 1) for s in combinations(range(n), j)]
    fit = [s for s in sets if (sign(X[:, list(s)].max(axis=1, initial=0) > 0) == y).all()]
    given_ = rows(X) if sparse and X.any() and X[:, -1].any() else X
    found = hindsight.disjunction(given_, y)
    if not fit:
        assert not np.isfinite(found.more["k"]).any()
        assert hindsight.small_disjunction(given_, y) is None
    else:
        assert found.more["k"].tolist() == [min(map(len, fit)), max(map(len, fit))]
        assert tuple(hindsight.small_disjunction(given_, y)[0].tolist()) in fit
        assert "disjunction" in found.names(0)
    noisy = hindsight.noisy_disjunction(given_, y)
    assert noisy.more["k"].tolist() == list(range(len(noisy.L)))
    assert noisy.L[0] == (y > 0).sum() == noisy.more["A"][0]
    assert (noisy.more["A"] >= noisy.L).all()


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_conjunctions_in_hindsight(seed):
    rng = np.random.default_rng(seed)
    n, T = int(rng.integers(1, 4)), int(rng.integers(1, 12))
    X = rng.integers(0, 2, (T, n)).astype(float)
    y = sign(rng.random(T) < 0.5) if rng.random() < 0.5 else sign(X[:, 0] > 0)
    Z = maps.literals(X)
    clash = [(2 * i, 2 * i + 1) for i in range(n)]
    fit = [
        len(s)
        for j in range(n + 1)
        for s in combinations(range(2 * n), j)
        if not any(a in s and b in s for a, b in clash)
        and (sign(Z[:, list(s)].min(axis=1, initial=1) > 0) == y).all()
    ]
    k = hindsight.conjunction(X, y).more["k"][0]
    if (y > 0).any():
        assert k == (max(fit) if fit else np.inf)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=40)
def test_dnfs_in_hindsight(seed, literals):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    X = every(n)[rng.integers(0, 2**n, 20)]
    y = sign(rng.random(2**n)[(X @ 2 ** np.arange(n)).astype(int)] < 0.5)
    Z = np.hstack([X, 1 - X]) if literals else X
    terms = hindsight.small_dnf(Z, y)
    if terms is None:
        # a + below a -: no monotone function has that; literals explain any labels
        assert not literals
        assert any((a <= b).all() for a in X[y > 0] for b in X[y < 0])
    else:
        says = np.any([Z[:, t].all(axis=1) for t in terms], axis=0) if terms else np.zeros(20, bool)
        assert (sign(says) == y).all()
        assert hindsight.dnf(X, y, literals).more["k"][0] == len(terms)


# The l1 margin.


def test_l1_margins_that_can_be_worked_out():
    X = np.array([[1.0, 1.0], [1.0, -1.0]])
    both = l1_margin(X, np.ones(2))
    assert both.margin == pytest.approx(1.0)
    assert both.v == pytest.approx([1.0, 0.0])
    assert l1_margin(-X, np.ones(2), nonnegative=True).margin <= 0
    assert l1_margin(-X, np.ones(2)).margin == pytest.approx(1.0)
    assert l1_margin(np.ones((2, 1)), np.array([1.0, -1.0])).margin <= 0
    assert l1_margin(np.zeros((2, 1)), np.ones(2), intercept=True).margin == pytest.approx(1.0)
    assert l1_margin(np.zeros((2, 1)), np.ones(2)).margin <= 0


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
@settings(max_examples=30)
def test_no_direction_has_a_larger_l1_margin(seed, nonnegative, sparse):
    rng = np.random.default_rng(seed)
    n, T = int(rng.integers(1, 5)), int(rng.integers(1, 300))
    u = rng.random(n) * (1 if nonnegative else rng.choice([-1, 1], n))
    X = rng.normal(size=(T, n)) * 10.0 ** rng.integers(-3, 4)
    y = np.sign(X @ u)
    found = l1_margin(rows(X) if sparse else X, y, nonnegative)
    assert found.done
    assert np.abs(found.v).sum() == pytest.approx(1.0)
    assert found.margin == pytest.approx((y * (X @ found.v)).min())
    for _ in range(200):
        v = u / np.abs(u).sum() + rng.normal(size=n) * rng.choice([1e-3, 0.1, 1.0])
        v = np.maximum(v, 0) if nonnegative else v
        if np.abs(v).sum():
            v /= np.abs(v).sum()
            assert (y * (X @ v)).min() <= found.margin + 1e-7 * np.abs(X).max()
    assert found.margin > 0


def test_separators_as_comparators():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    some = separators(X, y)
    assert some.more["U1"] == pytest.approx([2.0])  # no separator without a negative weight
    assert some.more["low"] == pytest.approx([-0.5])
    assert some.more["H"].tolist() == [0.0]
    none = separators(np.ones((2, 1)), y)
    assert none.more["H"].tolist() == [np.inf]
    assert none.names(0) == "no separator"
    both = separators(X, np.ones(2))
    assert both.more["U1"] == pytest.approx([2.0, 2.0])
    assert (both.more["low"] >= 0).all()
