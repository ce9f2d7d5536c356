"""Kernels of strings: worked values, the definitions by enumeration, positive semidefiniteness, what they refuse."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.kernels import (
    AllSubsequences,
    BlendedSpectrum,
    Delta,
    FixedLength,
    GapNumber,
    GapWeighted,
    Gaussian,
    Linear,
    Mismatch,
    Normalised,
    RestrictedGapWeighted,
    SoftGapWeighted,
    Spectrum,
    diagonal,
    gram,
    is_psd,
    letters,
)

HALF = Fraction(1, 2)
EVERY = [
    GapWeighted(1, 0.5),
    GapWeighted(2, 0.5),
    GapWeighted(3, 0.25),
    GapWeighted(3, 0.5, blended=True),
    RestrictedGapWeighted(1, 0, 0.5),
    RestrictedGapWeighted(2, 1, 0.5),
    RestrictedGapWeighted(3, 2, 0.5),
    GapNumber(2, 0.5),
    GapNumber(3, 0.25),
    FixedLength(0),
    FixedLength(2),
    FixedLength(4),
    AllSubsequences(),
    AllSubsequences(0.5),
    Spectrum(1),
    Spectrum(2),
    BlendedSpectrum(3),
    BlendedSpectrum(2, 0.5),
    Mismatch(2, 0, 3),
    Mismatch(2, 1, 3),
    Mismatch(3, 2, 4),
]


def features(k, s):
    """The features of a string by the definition of its kernel, exactly: {word: value}."""
    found = Counter()
    lam = Fraction(getattr(k, "decay", 1))
    if isinstance(k, Mismatch):
        alphabet = "abcdefgh"[: k.alphabet]
        for i in range(len(s) - k.p + 1):
            for u in itertools.product(alphabet, repeat=k.p):
                if sum(a != b for a, b in zip(u, s[i : i + k.p], strict=True)) <= k.mismatches:
                    found[u] += 1
        return found
    for q in range(len(s) + 1):
        for at in itertools.combinations(range(len(s)), q):
            span = at[-1] - at[0] + 1 if at else 0
            weight = Fraction(1)
            if isinstance(k, GapWeighted):
                counts = 1 <= q <= k.p if k.blended else q == k.p
                weight = lam**span
            elif isinstance(k, RestrictedGapWeighted):
                counts, weight = q == k.p and span <= k.p + k.gaps, lam ** (span - q)
            elif isinstance(k, GapNumber):
                counts = q == k.p
                weight = lam ** sum(b > a + 1 for a, b in itertools.pairwise(at))
            elif isinstance(k, AllSubsequences):
                counts, weight = True, lam**q
            elif isinstance(k, FixedLength):
                counts = q == k.p
            elif isinstance(k, Spectrum):
                counts = q == k.p == span
            else:
                counts, weight = 1 <= q <= k.p and q == span, lam**q
            if counts:
                found[tuple(s[i] for i in at)] += weight
    return found


def by_definition(k, s, t):
    a, b = features(k, s), features(k, t)
    return sum(v * b[u] for u, v in a.items() if u in b)


def strings(seed, count, alphabet="abc", longest=7):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(alphabet), rng.integers(0, longest + 1))) for _ in range(count)]


@pytest.mark.parametrize(
    ("k", "value"),
    [
        *[(Spectrum(p), v) for p, v in ((1, 6), (2, 2), (3, 0))],
        (BlendedSpectrum(3, 1.0), 8),
        *[(FixedLength(p), v) for p, v in enumerate((1, 6, 5, 2, 0))],
        (AllSubsequences(), 14),
        (GapWeighted(1, 0.5), 6 * HALF**2),
        (GapWeighted(2, 0.5), HALF**4 * (2 + 2 * HALF + HALF**3)),
        (GapWeighted(2, 0.25), Fraction(1, 256) * (2 + Fraction(1, 2) + Fraction(1, 64))),
        (GapWeighted(3, 0.5), 2 * HALF**7),
        (GapNumber(2, 0.5), Fraction(13, 4)),
        (GapNumber(3, 0.5), 1),
        (RestrictedGapWeighted(2, 1, 0.5), 3),
        *[(Mismatch(p, m, 4), v) for p, m, v in ((2, 0, 2), (2, 1, 44), (3, 1, 14), (3, 2, 142))],
    ],
    ids=str,
)
def test_worked_values(k, value):
    """X-STRINGS: gatta and cata."""
    assert Fraction(k("gatta", "cata")) == value
    assert Fraction(k("cata", "gatta")) == value
    assert Fraction(k.gram(["gatta", "cata"])[0, 1]) == value
    if not isinstance(k, Mismatch):
        assert by_definition(k, "gatta", "cata") == value


def test_the_value_of_two_words():
    """X-STRINGS: cat and car share c-a only, at decay^4; normalised 1 / (2 + decay^2)."""
    assert GapWeighted(2, 0.5)("cat", "car") == 0.5**4
    assert GapWeighted(2, 0.5).gram(["cat"])[0, 0] == 2 * 0.5**4 + 0.5**6
    for decay in (0.1, 0.5, 1.0):
        value = Normalised(GapWeighted(2, decay))("cat", "car")
        assert value == pytest.approx(1 / (2 + decay**2), rel=1e-14)


@pytest.mark.parametrize("k", EVERY, ids=str)
def test_the_definition_by_enumeration(k):
    """T-STRINGS: the recursions, in the matrix and in a learner's rules, are inner products of the features."""
    X = strings(1, 25)
    K, M = k.gram(X), letters(X)
    for (i, s), (j, t) in itertools.product(enumerate(X), repeat=2):
        exact = float(by_definition(k, s, t))
        assert K[i, j] == pytest.approx(exact, rel=1e-13, abs=0.0), (s, t)
        assert k.of(M[i], M[j]) == pytest.approx(exact, rel=1e-13, abs=0.0), (s, t)
    np.testing.assert_allclose([k.self_of(x) for x in M], np.diag(K), rtol=1e-13)
    np.testing.assert_allclose(diagonal(k, X), np.diag(K), rtol=1e-13)


@pytest.mark.parametrize("k", EVERY, ids=str)
def test_long_and_short_strings_side_by_side(k):
    """More pairs than are computed at once, of very different lengths; the half, the whole and one by one agree."""
    rng = np.random.default_rng(2)
    X = ["".join(rng.choice(list("abc"), n)) for n in (0, 30, 1, 2, 25, 3, 12, 4, 40, 5, 6, 33)]
    K = k.gram(X)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(K, k.gram(X, list(X)), rtol=1e-12)
    np.testing.assert_allclose(K[:5], k.gram(X[:5], X), rtol=1e-12)
    np.testing.assert_allclose(K[:, 3], [k(x, X[3]) for x in X], rtol=1e-12)
    long = [9 * X[8], 8 * X[8]]  # too long for plain Python
    if not isinstance(k, AllSubsequences):
        assert k(*long) == pytest.approx(k.gram(long)[0, 1], rel=1e-12)
    M = letters(X)
    np.testing.assert_allclose(K[1], [k.of(M[1], z) for z in M], rtol=1e-12)


def test_a_matrix_of_several_blocks():
    X = strings(3, 30)
    for k in (
        GapWeighted(2, 0.5),
        Spectrum(2),
        Normalised(GapNumber(2)),
        Spectrum(1) + 2 * Delta(),
    ):
        np.testing.assert_allclose(gram(k, X, block=7), k.gram(X, list(X)), rtol=1e-13)


@pytest.mark.parametrize("k", EVERY, ids=str)
def test_positive_semidefinite_and_normalised(k):
    """T-STRINGS: no negative eigenvalue; normalised, the diagonal is 1, or 0 where a string has no feature."""
    X = strings(4, 60, longest=12)
    assert is_psd(k, X)
    N = Normalised(k).gram(X)
    own = diagonal(k, X)
    assert np.linalg.eigvalsh(N)[0] > -1e-9 * len(X)
    np.testing.assert_allclose(np.diag(N), own > 0, rtol=1e-14)
    assert np.abs(N).max() <= 1.0
    i, j = 5, 6
    if own[i] * own[j]:
        ratio = k(X[i], X[j]) / math.sqrt(own[i] * own[j])
        assert Normalised(k)(X[i], X[j]) == pytest.approx(ratio, rel=1e-13, abs=0.0)


def test_how_the_kernels_are_related():
    """T-STRINGS: lengths add up, decay 1 is no decay, no mismatch is the spectrum, no limit no restriction."""
    X = strings(5, 30)
    lengths = sum(FixedLength(p).gram(X) for p in range(8))
    np.testing.assert_array_equal(lengths, AllSubsequences().gram(X))
    np.testing.assert_array_equal(GapWeighted(3, 1.0).gram(X), FixedLength(3).gram(X))
    np.testing.assert_array_equal(GapNumber(3, 1.0).gram(X), FixedLength(3).gram(X))
    np.testing.assert_array_equal(Mismatch(2, 0, 3).gram(X), Spectrum(2).gram(X))
    np.testing.assert_array_equal(RestrictedGapWeighted(2, 0, 0.5).gram(X), Spectrum(2).gram(X))
    whole = 0.5**6 * RestrictedGapWeighted(3, 7, 0.5).gram(X)
    np.testing.assert_allclose(whole, GapWeighted(3, 0.5).gram(X), rtol=1e-13)
    shorter = sum(GapWeighted(p, 0.5).gram(X) for p in (1, 2, 3))
    np.testing.assert_allclose(GapWeighted(3, 0.5, True).gram(X), shorter, rtol=1e-13)


def test_the_algebra_holds_for_strings():
    X = ["gatta", "cata", ""]
    k = 2 * Spectrum(2) * GapWeighted(1, 0.5) + Delta()
    expected = 2 * Spectrum(2).gram(X) * GapWeighted(1, 0.5).gram(X) + np.eye(3)
    np.testing.assert_allclose(k.gram(X), expected)
    np.testing.assert_allclose(diagonal(Normalised(k), X), 1.0)
    assert gram("gap-weighted:2,0.5", X)[0, 1] == 0.1953125


def test_letters_of_any_script_and_containers():
    import pandas as pd

    words = ["żółw", "żółty", "🐢"]
    K = Spectrum(1).gram(words)
    assert K.tolist() == [[4, 3, 0], [3, 5, 0], [0, 0, 1]]
    for held in (
        tuple(words),
        np.array(words),
        np.array(words, object)[:, None],
        pd.Series(words, index=[7, 3, 5]),
        pd.DataFrame({"word": words}),
        letters(words),
    ):
        np.testing.assert_array_equal(Spectrum(1).gram(held), K)
    assert Spectrum(1).gram([]).shape == (0, 0)
    assert Spectrum(1).gram([], words).shape == (0, 3)


def test_the_empty_string_has_no_feature_but_the_empty_one():
    X = ["", "ab"]
    for k in EVERY:
        both = isinstance(k, AllSubsequences) or k == FixedLength(0)
        assert k("", "ab") == k("", "") == float(both)
    assert Normalised(GapWeighted(2)).gram(X).tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: GapWeighted(0)("a", "b"), "p of the GapWeighted kernel must be a number of at least 1, not 0"),
        (lambda: Spectrum(-1)("a", "b"), "p of the Spectrum kernel must be a number of at least 1, not -1"),
        (lambda: GapWeighted(1.5)("a", "b"), "p of the GapWeighted kernel must be a whole number, not 1.5"),
        (lambda: FixedLength(-1)("a", "b"), "p of the FixedLength kernel must be a number of at least 0, not -1"),
        (lambda: GapWeighted(2, 0.0)("a", "b"), "decay .* above 0 and at most 1, not 0.0"),
        (lambda: GapNumber(2, 1.5)("a", "b"), "decay .* above 0 and at most 1, not 1.5"),
        (lambda: GapWeighted(2, math.nan)("a", "b"), "decay .* above 0 and at most 1, not nan"),
        (lambda: GapWeighted(2, 0.5, "yes")("a", "b"), "blended .* must be True or False, not 'yes'"),
        (lambda: RestrictedGapWeighted(2, -1)("a", "b"), "gaps .* at least 0, not -1"),
        (lambda: Mismatch(2, 1, 0)("a", "b"), "alphabet .* at least 1, not 0"),
        (lambda: Mismatch(2, 1, 4).gram(["ab", "cde"]), r"alphabet .* is 4, and X has 5 different letters \(abcde\)"),
        (lambda: Mismatch(2, 1, 2).gram(["ab"], ["cd"]), "is 2, and X and Z has 4 different letters"),
        (lambda: Spectrum(2).gram(["ab", 3]), r"X: row 2 is 3 \(int\), not a string"),
        (lambda: Spectrum(2).gram(["ab"], ["a", float("nan")]), r"Z: row 2 is nan \(float\), not a string"),
        (lambda: Spectrum(2).gram(["ab", None]), "row 2 is None"),
        (lambda: Spectrum(2).gram([b"ab"]), r"row 1 is b'ab' \(bytes\), not a string"),
        (lambda: Spectrum(2).gram("ab"), r"X must be a list of strings, not one: write \['ab'\]"),
        (lambda: Spectrum(2).gram(5), "X must be a list of strings, not 5"),
        (lambda: Spectrum(2).gram(["a\0b"]), "row 1 holds the letter"),
        (lambda: Spectrum(2).gram(np.array([["a", "b"]])), "one column of strings, not of shape"),
        (lambda: Spectrum(2).gram(np.array([[97.0, 0.5]])), "row 1, column 2 is 0.5; a string is a row of the code"),
        (lambda: Spectrum(2).gram(np.array([[97.0, 0.0, 98.0]])), "row 1, column 3 is 98"),
        (lambda: Spectrum(2)("ab", ["ab"]), "two strings, or two lists of them"),
        (lambda: Spectrum(2)("ab", 3), "two strings, or two lists of them"),
        (lambda: (Spectrum(2) + Linear())("ab", "ab"), "holds strings, and the Linear kernel is for vectors"),
        (lambda: Gaussian().gram(["ab"]), "X must be a matrix of numbers"),
        (lambda: SoftGapWeighted("ab", np.eye(2))("ac", "b"), "row 1, letter 2 is 'c', which is not in the alphabet"),
        (lambda: SoftGapWeighted("aa", np.eye(2))("a", "a"), "alphabet must be a text of different letters"),
        (lambda: SoftGapWeighted("abc", np.eye(2))("a", "a"), r"similarity must be of shape \(3, 3\)"),
        (lambda: SoftGapWeighted("ab", [[1, 2], [2, 1]])("a", "a"), "similarity .* must be positive semidefinite"),
        (lambda: SoftGapWeighted("ab", np.eye(2), 2, 0)("a", "a"), "decay must be one number, or one a letter"),
        (lambda: SoftGapWeighted("ab", np.eye(2), 2, [1, 1, 1])("a", "a"), "decay must be one number, or one a letter"),
        (lambda: SoftGapWeighted("ab", np.eye(2), 0)("a", "a"), "p of the SoftGapWeighted kernel .* at least 1"),
        (lambda: AllSubsequences()("a" * 600, "a" * 600), "more than 1e150 subsequences"),
    ],
)  # fmt: skip
def test_bad_input(act, message):
    with pytest.raises(BadInput, match=message):
        act()


def test_svc_takes_the_kernel_and_lists_of_strings():
    """What scikit-learn really does: with a callable it hands over X as it is, so lists and arrays of strings work."""
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.svm import SVC

    rng = np.random.default_rng(6)
    X = ["".join(rng.choice(list("acgt"), 20)) for _ in range(80)]
    y = ["yes" if "ga" in x else "no" for x in X]
    k = Normalised(GapWeighted(2, 0.2))
    direct = SVC(kernel=k, C=10.0).fit(X[:60], y[:60])
    ready = SVC(kernel="precomputed", C=10.0).fit(k.gram(X[:60]), y[:60])
    np.testing.assert_array_equal(direct.predict(X[60:]), ready.predict(k.gram(X[60:], X[:60])))
    np.testing.assert_array_equal(
        direct.predict(X[60:]),
        clone(direct).fit(np.array(X[:60]), y[:60]).predict(np.array(X[60:])),
    )
    assert direct.score(X[60:], y[60:]) >= 0.8
    assert cross_val_score(direct, X, y, cv=4).mean() >= 0.8
    choice = {"kernel": [Spectrum(2), Spectrum(8)]}
    assert GridSearchCV(SVC(), choice, cv=3).fit(X, y).best_params_ == {"kernel": Spectrum(2)}


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_the_kernel_perceptron_learns_from_strings(engine):
    """Its examples are letters(strings); it errs where the rule written by hand does, and its theorem holds."""
    rng = np.random.default_rng(7)
    X = ["".join(rng.choice(list("acgt"), rng.integers(5, 20))) for _ in range(60)]
    y = np.where(["ga" in x for x in X], 1, 0)
    learner = ls.learner("kernel-perceptron", kernel=Spectrum(2))
    run = ls.play(learner, letters(X), y, engine=engine)
    assert str(run.certificate.verdicts[0]).startswith("T-PERC-KERNEL: kept")
    K, alpha, wrong = Spectrum(2).gram(X), np.zeros(60), 0
    for i, sign in enumerate(2 * y - 1):
        score = alpha @ K[i]
        wrong += (1 if score >= 0 else -1) != sign
        alpha[i] = sign if sign * score <= 0 else 0
    assert run.mistakes == wrong


ALIKE = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]])


@pytest.mark.parametrize("decay", [0.5, [0.5, 0.25, 1.0]], ids=str)
@pytest.mark.parametrize("p", [1, 2, 3])
def test_soft_matching_by_enumeration(p, decay):
    """T-STRINGS: all pairs of index tuples, the similarities of their letters and the weights of what they span."""
    X = strings(8, 12, longest=6)
    k = SoftGapWeighted("abc", ALIKE, p, decay)
    w = np.broadcast_to(decay, 3)

    def occurrences(s):
        at = ["abc".index(c) for c in s]
        tuples = itertools.combinations(range(len(s)), p)
        return [([at[i] for i in q], math.prod(w[at[q[0] : q[-1] + 1]].tolist())) for q in tuples]

    def exact(s, t):
        return sum(
            u * v * math.prod(ALIKE[a, b].tolist())
            for a, u in occurrences(s)
            for b, v in occurrences(t)
        )

    K, M = k.gram(X), letters(X)
    for (i, s), (j, t) in itertools.product(enumerate(X), repeat=2):
        assert K[i, j] == pytest.approx(exact(s, t), rel=1e-12, abs=1e-300)
        assert k.of(M[i], M[j]) == pytest.approx(K[i, j], rel=1e-12, abs=1e-300)
    np.testing.assert_allclose(diagonal(k, X), np.diag(K), rtol=1e-13)
    np.testing.assert_allclose(k.gram(X[:5], X), K[:5], rtol=1e-12)
    assert is_psd(k, strings(9, 60))
    plain = SoftGapWeighted("cab", np.eye(3), p, 0.5).gram(X)
    np.testing.assert_allclose(plain, GapWeighted(p, 0.5).gram(X), rtol=1e-13)


def test_the_kernel_perceptron_matches_softly():
    """Its rule runs plain, as no text can be compiled into it."""
    learner = ls.learner("kernel-perceptron", kernel=SoftGapWeighted("abc", ALIKE, 1, 0.5))
    run = ls.play(learner, letters(["aa", "cc", "ab", "cb"]), [1, 0, 1, 0])
    assert run.mistakes <= 4
    assert not any("broken" in str(v) for v in run.certificate.verdicts)


def test_letters_have_no_scale():
    with pytest.raises(BadInput, match="scale=True: the letters of strings have no scale"):
        ls.learner("kernel-perceptron", kernel="spectrum:2", scale=True)
