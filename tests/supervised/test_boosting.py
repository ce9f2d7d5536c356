"""Boosting and its theorem: W19 exactly, exact stumps, bounds of every round, bagging, weak learners."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import littlestone as ls
from littlestone import theory
from littlestone.core.errors import BadInput
from littlestone.supervised.adaboost import compiled_rounds, plain_rounds
from littlestone.supervised.stumps import Stump, best_stump, columns

PLUS = [(1, 7), (2, 1), (5, 9), (7, 6), (8, 5)]
MINUS = [(3, 4), (4, 3), (6, 2), (9, 10), (10, 8)]
X19, Y19 = np.array(PLUS + MINUS, float), np.array([1] * 5 + [-1] * 5)


def exact_rounds(X, y, rounds):  # X-BOOST-TOY
    """AdaBoost in rational numbers: D_{t+1} = D_t / (2 e) where h errs, D_t / (2 (1 - e)) elsewhere."""
    m = len(y)
    D = [Fraction(1, m)] * m
    found = []
    for _ in range(rounds):
        best = None
        for j in range(X.shape[1]):
            values = sorted({Fraction(float(v)) for v in X[:, j]})
            for low, high in itertools.pairwise(values):
                for s in (1, -1):
                    off = [(s if x <= low else -s) != t for x, t in zip(X[:, j], y, strict=True)]
                    e = sum((d for d, o in zip(D, off, strict=True) if o), Fraction(0))
                    if best is None or e < best[0]:
                        best = e, j, float((low + high) / 2), s, off
        e, j, z, s, off = best
        found.append((e, Stump(j, z, s), list(D)))
        D = [d / (2 * e) if o else d / (2 * (1 - e)) for d, o in zip(D, off, strict=True)]
    return found, D


def test_w19_in_fractions_and_in_floats():
    exact, last = exact_rounds(X19, Y19, 3)
    assert [e for e, _, _ in exact] == [Fraction(3, 10), Fraction(3, 14), Fraction(3, 22)]
    assert sorted(set(exact[1][2])) == [Fraction(1, 14), Fraction(1, 6)]
    assert sorted(set(exact[2][2])) == [Fraction(1, 22), Fraction(7, 66), Fraction(1, 6)]
    model = ls.AdaBoost(rounds=3).fit(X19, Y19)
    assert model.hypotheses_ == [h for _, h, _ in exact]
    np.testing.assert_allclose(model.rounds_.errors, [float(e) for e, _, _ in exact], rtol=1e-15)
    np.testing.assert_allclose(model.rounds_.weights, [float(d) for d in last], rtol=1e-14)
    np.testing.assert_allclose(model.alphas_, [0.4236, 0.6496, 0.9229], atol=5e-5)
    assert model.rounds_.training.round(12).tolist() == [0.3, 0.3, 0.0]
    assert model.rounds_.bounds[-1] == pytest.approx(0.5162, abs=5e-5)
    assert model.rounds_.edge_bounds[-1] == pytest.approx(0.6019, abs=5e-5)
    assert len(theory.stumps(X19)) == 38


def sample(rng, m, n, ties):
    X = rng.integers(0, 4, (m, n)).astype(float) if ties else rng.normal(size=(m, n))
    y = rng.choice([-1.0, 1.0], m)
    y[:2] = -1.0, 1.0
    return X, y


@pytest.mark.parametrize("constants", [True, False])
@pytest.mark.parametrize("ties", [True, False])
def test_no_stump_has_a_smaller_error(ties, constants):
    rng = np.random.default_rng(0)
    for _ in range(30):
        X, y = sample(rng, int(rng.integers(2, 9)), int(rng.integers(1, 4)), ties)
        v = rng.dirichlet(np.ones(len(y))) * y
        h, edge = best_stump(columns(X), v, constants)
        assert (h.labels(X) * v).sum() == pytest.approx(edge, abs=1e-12)
        assert edge == pytest.approx((theory.stumps(X, constants) @ v).max(), abs=1e-12)


def test_the_compiled_rounds_are_the_plain_ones():
    rng = np.random.default_rng(1)
    for ties, constants in itertools.product([True, False], repeat=2):
        X, y = sample(rng, 40, 3, ties)
        y = np.where(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=40) > 1, 1.0, -1.0)
        D = np.full(40, 1 / 40)
        (f, a), (g, b) = (
            plain_rounds(columns(X), X, y, D, 30, constants),
            compiled_rounds(columns(X), y, D, 30, constants),
        )
        assert f == g
        for name in ("errors", "least", "weights"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, atol=1e-12)


def test_the_bounds_of_every_round():
    """T4.8-T4.11: prod Z is the mean of exp(-y f), the training error is below it, and h has error 1/2 afterwards."""
    X, y = make_hastie_10_2(200, random_state=1)
    model = ls.AdaBoost(rounds=60).fit(X, y)
    r = model.rounds_
    for t, F in enumerate(model.staged_decision_function(X)):
        assert np.exp(-y * F).mean() == pytest.approx(r.bounds[t], rel=1e-9)
        assert r.training[t] == pytest.approx(np.mean(y * F <= 0), abs=1e-12)
        assert r.training[t] <= r.bounds[t] <= r.edge_bounds[t] * (1 + 1e-12)
    D = np.exp(-y * F) / np.exp(-y * F).sum()
    np.testing.assert_allclose(r.weights, D, rtol=1e-9)
    assert D[model.labels(59, X) != y].sum() == pytest.approx(0.5, abs=1e-12)
    margins = model.margins(X, y)
    assert r.least[-1] == pytest.approx(margins.min(), abs=1e-12)
    for theta in np.linspace(-0.5, 0.9, 29):
        assert np.mean(margins <= theta) <= r.margin_bound(theta) + 1e-12
    np.testing.assert_allclose(F, model.decision_function(X), atol=1e-12)
    assert [v.verdict for v in model.certificate] == ["kept", "kept"]
    assert sorted(model.margins_) == [1, 10, 60]


def test_a_wrong_bound_would_be_seen():
    """The certificate has teeth: with errors that were not made, both theorems are broken."""
    from littlestone.supervised.boosting_rounds import Rounds, certificate

    lie = Rounds(np.array([0.01]), np.array([0.4]), np.array([-1.0]), np.full(10, 0.1))
    margins = np.array([-1.0] * 4 + [1.0] * 6)
    found = certificate(lie, margins, np.full(10, 0.1))
    assert [v.verdict for v in found] == ["broken", "broken"]


def test_weights_count_as_copies():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "in", "out")
    w = rng.integers(1, 4, 12)
    a = ls.AdaBoost(rounds=8).fit(X, y, sample_weight=w)
    b = ls.AdaBoost(rounds=8).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert a.hypotheses_ == b.hypotheses_
    np.testing.assert_allclose(a.rounds_.training, b.rounds_.training, atol=1e-12)
    assert a.certificate.verdict == "kept"


def test_a_perfect_stump_is_the_model():
    model = ls.AdaBoost(rounds=10).fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])
    assert model.stopped_ == "the hypothesis of round 1 makes no error: it is the whole model"
    assert model.predict([[1.4], [1.6]]).tolist() == ["a", "b"]
    assert model.margins([[0.0], [2.0]], ["a", "b"]).tolist() == [1.0, 1.0]
    assert model.certificate.verdict == "kept"


def test_xor_has_no_weak_learner():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = ls.AdaBoost().fit(X, y)
    assert len(model.rounds_) == 0
    assert model.stopped_ == "no hypothesis has an edge in round 1: each has weighted error 1/2"
    assert model.predict(X).tolist() == [1, 1, 1, 1]
    assert model.certificate.verdict == "none"
    assert theory.weak_edge(theory.stumps(X), [-1, 1, 1, -1]).edge == pytest.approx(0, abs=1e-9)
    deep = ls.AdaBoost(5, estimator=DecisionTreeClassifier(max_depth=2)).fit(X, y)
    assert deep.predict(X).tolist() == y
    assert len(deep.rounds_) == 1


def test_other_weak_learners_are_scikit_learns():
    X, y = make_hastie_10_2(150, random_state=3)
    model = ls.AdaBoost(30, estimator=DecisionTreeClassifier(max_depth=3, random_state=0)).fit(X, y)
    assert np.mean(model.predict(X) == y) == 1.0
    assert model.rounds_.least[-1] > 0.0
    assert model.certificate.verdict == "kept"
    F = list(model.staged_decision_function(X))
    np.testing.assert_allclose(np.exp(-y * F[-1]).mean(), model.rounds_.bounds[-1], rtol=1e-9)


def test_neighbouring_floats_are_told_apart():
    one = 1.0
    X = [[one], [np.nextafter(one, 2)]]
    model = ls.AdaBoost(1).fit(X, [0, 1])
    assert model.predict(X).tolist() == [0, 1]
    huge = [[-1.7e308], [1.7e308]]
    assert ls.AdaBoost(1).fit(huge, [0, 1]).predict(huge).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("X", "y", "more", "says"),
    [
        ([[1.0], [np.nan]], [0, 1], {}, "row 2, column 1 is NaN"),
        ([[1.0], [2.0]], [0, 0], {}, "only one class: 0"),
        ([[1.0], [2.0], [3.0]], [0, 1, 2], {}, "OneVsRestClassifier"),
        ([[1.0], [2.0]], [0, 1], {"rounds": 0}, "rounds must be a whole number"),
        ([[1.0], [2.0]], [0, 1], {"constants": 2}, "constants must be True or False"),
        ([[1.0], [2.0]], [0, 1, 1], {}, "inconsistent numbers of samples"),
    ],
)
def test_bad_input(X, y, more, says):
    with pytest.raises(BadInput, match=says):
        ls.AdaBoost(**more).fit(X, y)


def test_bad_weights_and_bad_questions():
    with pytest.raises(BadInput, match="sample_weight of row 2 is -1"):
        ls.AdaBoost().fit([[1.0], [2.0]], [0, 1], sample_weight=[1, -1])
    model = ls.AdaBoost(2).fit(X19, Y19)
    with pytest.raises(BadInput, match="y of row 1 is 7, which is none of"):
        model.margins(X19[:1], [7])
    with pytest.raises(BadInput, match="there were 2 rounds, not 3"):
        model.margins(X19, Y19, rounds=3)
    with pytest.raises(BadInput, match="X has 1 features"):
        model.predict([[1.0]])


def test_scikit_learns_own_checks():
    found = check_estimator(ls.AdaBoost(5), on_fail=None, on_skip=None)
    failed = [
        (c["check_name"], str(c["exception"])[:200]) for c in found if c["status"] == "failed"
    ]
    assert not failed
    assert sum(c["status"] == "passed" for c in found) > 30


def test_the_experiment_of_the_lectures():
    """X11: with the constants (A4.8 counts them) and without; the ledger's numbers are those without, to 1 or 2%."""
    X, y = make_hastie_10_2(4000, random_state=0)
    expected = {False: (0.055, 0.174, 0.380), True: (0.050, 0.161, 0.368)}
    for constants, (train, test, bound) in expected.items():
        model = ls.AdaBoost(400, constants=constants).fit(X[:1000], y[:1000])
        assert model.rounds_.training[-1] == pytest.approx(train, abs=0.006)
        assert np.mean(model.predict(X[1000:]) != y[1000:]) == pytest.approx(test, abs=0.01)
        assert model.rounds_.bounds[-1] == pytest.approx(bound, abs=0.002)
        low = [np.mean(model.margins(X[:1000], y[:1000], t) <= 0.05) for t in (100, 400)]
        assert (
            low[1] > low[0] + 0.05
        )  # E41: small margins become more, while the training error falls


def test_bagging_by_votes():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] + 2 * rng.normal(size=80) > 0, "yes", "no")
    kind = {"estimator": DecisionTreeClassifier(max_depth=2), "n_estimators": 4, "random_state": 0}
    vote, mean = ls.BaggingVote(**kind).fit(X, y), BaggingClassifier(**kind).fit(X, y)
    votes = vote.votes(X)
    assert (votes.sum(axis=1) == 4).all()
    assert (votes == 2).any()  # E38: four voters can be of two minds
    for ties, winner in (("last", "yes"), ("first", "no")):
        said = ls.BaggingVote(ties=ties, **kind).fit(X, y).predict(X)
        assert set(said[votes[:, 0] == 2]) == {winner}
        assert (said[votes[:, 1] > 2] == "yes").all()
    assert (vote.predict(X) != mean.predict(X)).any()
    with pytest.raises(BadInput, match="ties must be one of first, last"):
        ls.BaggingVote(ties="none", **kind).fit(X, y).predict(X)


@pytest.mark.parametrize(("m", "edge"), [(3, 1 / 3), (4, 1 / 3), (5, 0.2), (8, 1 / 7)])
def test_stumps_on_a_line_are_weak_universal(m, edge):
    """T4.16: alternating labels leave error 1/2 - 1/(2m), m odd, and 1/2 - 1/(2(m-1)), m even."""
    y = np.where(np.arange(m) % 2, 1, -1)
    found = theory.weak_edge(theory.stumps(np.arange(m)), y)
    assert found.edge == pytest.approx(edge, abs=1e-9)
    assert (found.mixture @ (theory.stumps(np.arange(m)) * y)).min() == pytest.approx(
        edge, abs=1e-9
    )


def test_substrings_are_weak_universal():
    words = ["".join(w) for k in (1, 2, 3) for w in itertools.product("ab", repeat=k)]
    longer = words + ["".join(w) for w in itertools.product("ab", repeat=10)]
    H = theory.substrings(longer, words)
    H = np.vstack([H, -H])
    assert len(words) == 14
    rng = np.random.default_rng(7)
    assert all(theory.weak_edge(H, rng.choice([-1, 1], 14)).edge > 0.1 for _ in range(3))
    with pytest.raises(BadInput, match="label -1 or 1 a point"):
        theory.weak_edge(H, [1, -1])


def test_the_picture():
    pytest.importorskip("matplotlib")
    left, right = ls.AdaBoost(12).fit(X19, np.roll(Y19, 3)).plot().axes
    assert [line.get_label() for line in left.lines][:2] == ["training error", "prod Z"]
    assert [line.get_label() for line in right.lines][:2] == ["after 1 rounds", "after 10 rounds"]
