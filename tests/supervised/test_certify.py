"""What may be claimed of a model: exact limits, selection, rivals, leaks, drift, bad input."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

import littlestone as ls
from littlestone.cli.main import main
from littlestone.core.errors import BadInput
from littlestone.core.intervals import at_most, binomial, hoeffding_half
from littlestone.supervised.comparison import compare
from littlestone.supervised.suspicion import drift, shared_rows

SIZES = (1, 2, 5, 10, 50, 200, 1000)


def predictions(errors, rows):
    """Predictions of the label 0, so many of them wrong, spread evenly."""
    p = np.zeros(rows, int)
    p[np.linspace(0, rows - 1, errors).astype(int)] = 1
    return p


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.2])
def test_the_upper_limit_fails_with_at_most_delta(m, delta):
    """Exactly, for every error p: the limit is a step function of p, so its jumps are the worst places."""
    limits = np.array([at_most(k, m, delta) for k in range(m + 1)])
    jumps = np.concatenate([limits, limits * (1 + 1e-12), limits * (1 - 1e-12)])
    for p in np.concatenate([jumps, np.linspace(0.0, 1.0, 101)]).clip(0.0, 1.0):
        below = np.searchsorted(limits, p, side="left")  # counts k whose limit is below p
        assert binom.cdf(below - 1, m, p) <= delta * (1 + 1e-9)


@pytest.mark.parametrize("m", SIZES)
def test_both_limits_fail_with_at_most_delta(m):
    delta = 0.05
    both = [binomial(k / m, m, delta) for k in range(m + 1)]
    low, high = (np.array(v) for v in zip(*both, strict=True))
    for p in np.concatenate(
        [low, high, low * (1 - 1e-12), high * (1 + 1e-12), np.linspace(0, 1, 101)]
    ).clip(0, 1):
        missed = (p < low) | (p > high)
        assert binom.pmf(np.flatnonzero(missed), m, p).sum() <= delta * (1 + 1e-9)


def test_the_best_of_a_thousand_coins():
    """T7.2's negative control: chosen by the test rows, a coin breaks the plain limit; not the corrected one."""
    m, n, delta = 50, 1000, 0.05
    fewest = binom.sf(np.arange(m + 1), m, 0.5) ** n  # P(every coin errs more than k times)
    chance = -np.diff(np.concatenate([[1.0], fewest]))  # P(the best errs k times)
    for share, worst in ((delta, None), (delta / n, delta)):
        fails = np.array([at_most(k, m, share) < 0.5 for k in range(m + 1)])
        failure = float(chance[fails].sum())
        assert (failure > 0.99) if worst is None else (failure <= worst)


def test_hoeffding_is_the_validation_bound_of_the_notes():
    """W23: m = 100, delta = .05."""
    assert hoeffding_half(1.0, 100, 0.05) == pytest.approx(0.122387, abs=5e-7)
    assert hoeffding_half(1.0, 100, 0.025) == pytest.approx(0.135810, abs=5e-7)


def test_four_percent_of_200_rows_chosen_among_twelve():
    truth = np.zeros(200, int)
    plain = ls.certify(predictions(8, 200), None, truth)
    chosen = ls.certify(predictions(8, 200), None, truth, selected_from=12)
    assert plain.upper == pytest.approx(0.0710, abs=5e-5)
    assert chosen.upper == pytest.approx(0.0919, abs=5e-5)
    assert binom.cdf(8, 200, chosen.upper) == pytest.approx(0.05 / 12)
    assert chosen.verdict == "promised"
    assert "at most 9.19%, chosen among 12" in str(chosen)
    assert "on your word" in str(chosen)


def test_a_claim_is_held_against_fresh_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=3000) > 0).astype(int)
    model = LogisticRegression().fit(X[:500], y[:500])
    claim = ls.certify(model, X[500:800], y[500:800], train=X[:500])
    assert claim.verdict == "promised"
    assert "none of them is among 500 training rows" in str(claim)
    assert claim.check(X[800:], y[800:]).verdict == "kept"
    assert claim.check(X[800:], 1 - y[800:]).verdict == "broken"
    assert claim.check(X[800:830], y[800:830]).verdict == "unknown"


def test_verdicts_on_fresh_rows_are_seldom_wrong():
    """Broken of a true claim, kept of a false one: each at most delta, exactly."""
    m, claimed, delta = 400, 0.05, 0.001
    k = np.arange(m + 1)
    broken = binom.sf(k - 1, m, claimed) < delta
    kept = binom.cdf(k, m, claimed) < delta
    assert binom.pmf(k, m, claimed)[broken].sum() <= delta
    assert binom.pmf(k, m, np.nextafter(claimed, 1))[kept].sum() <= delta


def test_training_rows_among_the_test_rows_refute_the_claim():
    rng = np.random.default_rng(1)
    train, test = rng.normal(size=(100_000, 8)), rng.normal(size=(30_000, 8))
    at = rng.choice(30_000, 10, replace=False)
    test[at] = train[rng.choice(100_000, 10)]
    assert shared_rows(test, train).tolist() == sorted(at.tolist())
    y = rng.integers(0, 2, 30_000)
    claim = ls.certify(y, test, y, train=train)
    assert claim.verdict == "vacuous"
    assert "10 of them are training rows" in claim.sentence
    assert claim.certificate.verdict == "vacuous"


def test_rows_of_words_are_compared_too():
    assert shared_rows([["a", 1], ["b", 2]], [["b", 2], ["c", 3]]).tolist() == [1]
    assert shared_rows(np.array([[0.0, 1.0]]), np.array([[-0.0, 1.0]])).tolist() == [0]
    assert shared_rows(np.array([[np.nan, 1.0]]), np.array([[np.nan, 1.0]])).tolist() == [0]


def test_errors_that_drift_refute_the_claim():
    wrong = np.arange(500) > 470
    claim = ls.certify(wrong.astype(int), None, np.zeros(500, int))
    assert claim.verdict == "vacuous"
    assert "too early or too late" in claim.sentence
    rng = np.random.default_rng(2)
    p = [drift(rng.random(300) < 0.05) for _ in range(400)]
    assert np.mean(np.array(p) < 0.05) < 0.09  # a false alarm is as rare as its level says


def test_a_rival():
    found = compare(np.arange(100) < 2, np.arange(100) < 12, 0.05)
    assert (found.only_model, found.only_rival, found.verdict) == (10, 0, "better")
    assert found.p == pytest.approx(2 / 2**10)
    assert found.share.low > 0.5
    even = compare(np.arange(100) % 10 == 0, np.arange(100) % 10 == 1, 0.05)
    assert even.verdict == "cannot tell"
    assert even.share.low < 0.5 < even.share.high
    same = compare(np.zeros(5, bool), np.zeros(5, bool), 0.05)
    assert (same.p, same.verdict) == (1.0, "cannot tell")


@pytest.mark.parametrize("n", [5, 6, 10, 30])
def test_the_share_agrees_with_the_sign_test(n):
    for b in range(n + 1):
        wrong, rival = np.arange(n) >= b, np.arange(n) < b
        found = compare(wrong, rival, 0.05)
        outside = found.share.low > 0.5 or found.share.high < 0.5
        assert (found.p <= 0.05) == outside


def test_numbers_on_a_declared_range():
    """The limits hold for coins, the widest distribution on a range: computed exactly."""
    m, p, delta = 40, 0.3, 0.05
    missed = 0.0
    for k in range(m + 1):
        y = np.zeros(m)
        y[:k] = 1.0
        claim = ls.certify(
            np.zeros(m),
            None,
            np.random.default_rng(k).permutation(y),
            loss="absolute",
            interval=(0, 1),
        )
        missed += binom.pmf(k, m, p) * (not claim.limits.low <= p <= claim.limits.high)
        assert claim.limits.low <= k / m <= claim.limits.high
    assert missed <= delta


def test_a_learner_of_ours_is_a_model():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] > 0, "yes", "no")
    learner = ls.play("perceptron", X[:300], y[:300]).learner
    claim = ls.certify(learner, X[300:], y[300:])
    wrong = int((learner.frozen()(X[300:]) != y[300:]).sum())
    assert (claim.errors, claim.rows) == (wrong, 100)


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((np.zeros(3), None, np.zeros(4)), {}, "4 outcomes and 3 predictions"),
        ((np.zeros(0), None, np.zeros(0)), {}, "no test rows"),
        ((np.array([0.2, 0.9]), None, np.array([0, 1])), {}, "look like probabilities"),
        ((np.array([[0.2, 0.8]]), None, np.array([0])), {}, "2 predictions"),
        ((np.array([[0.2, 0.8]] * 3), None, np.zeros(3)), {}, "not a probability a class"),
        ((np.array(["a", "b"]), None, np.array(["a", None], object)), {}, "row 2 is missing"),
        ((np.array([1.0, np.nan]), None, np.zeros(2)), {}, "row 2 is missing"),
        ((np.array([1, 2]), None, np.array(["a", "b"])), {}, "no label in common"),
        ((np.zeros(2), None, np.zeros(2)), {"delta": 0.0}, "delta must be"),
        ((np.zeros(2), None, np.zeros(2)), {"selected_from": 0}, "selected_from must be"),
        ((np.zeros(2), None, np.zeros(2)), {"loss": "square"}, "interval=(low, high)"),
        ((np.zeros(2), None, np.ones(2)), {"loss": "square", "interval": (0, 0.5)}, "row 1: its loss is 1"),
        ((np.zeros(2), None, np.ones(2)), {"loss": "cube", "interval": (0, 1)}, "loss must be"),
        ((np.zeros(2), None, np.ones(2)), {"loss": "square", "interval": (1, 0)}, "low < high"),
        ((np.zeros(2), None, np.zeros(2)), {"train": np.zeros((2, 1))}, "give the test rows"),
        ((np.zeros(2), np.zeros((2, 2)), np.zeros(2)), {"train": np.zeros((2, 1))}, "1 columns"),
    ],
)  # fmt: skip
def test_bad_input(arguments, options, said):
    with pytest.raises(BadInput) as caught:
        ls.certify(*arguments, **options)
    assert said in str(caught.value)


def test_one_row_constant_predictions_and_unseen_labels_are_said():
    assert ls.certify([0], [0]).limits.high == pytest.approx(0.975)
    assert "every prediction is 0" in str(ls.certify(np.zeros(9, int), None, np.arange(9) % 2))
    model = LogisticRegression().fit([[0.0], [1.0]], ["a", "b"])
    claim = ls.certify(model, [[0.0], [1.0], [1.0]], ["a", "b", "c"])
    assert claim.errors == 1
    assert "labels that the model never saw ('c')" in str(claim)


def test_the_command_line(tmp_path):
    file, page = tmp_path / "p.csv", tmp_path / "claim.html"
    rows = [
        f"{'spam' if i % 3 else 'ham'},{'ham' if i % 40 == 0 else 'spam' if i % 3 else 'ham'},spam"
        for i in range(200)
    ]
    file.write_text("y,tree,all\n" + "\n".join(rows) + "\n", encoding="utf-8")
    call = ["certify", str(file), "--truth", "y", "--prediction", "tree"]
    found = CliRunner().invoke(main, [*call, "--rival", "all", "--json", "--report", str(page)])
    assert found.exit_code == 0
    told = json.loads(found.stdout)
    assert (told["rows"], told["errors"], told["verdict"]) == (200, 3, "promised")
    assert told["rival"]["verdict"] == "better"
    assert "What may be claimed of tree" in page.read_text(encoding="utf-8")
    for more, said in (
        (["--prediction", "tre"], "no column 'tre'"),
        (["--delta", "2"], "delta must be"),
    ):
        wrong = CliRunner().invoke(main, [*call, *more])
        assert wrong.exit_code == 2
        assert said in wrong.stderr
    missing = CliRunner().invoke(
        main, ["certify", str(tmp_path / "no.csv"), "--truth", "y", "--prediction", "p"]
    )
    assert missing.exit_code == 2
    assert "there is no file" in missing.stderr


def test_few_errors_among_many_rows_take_no_time():
    """The exact rank test of 8 errors in 100,000 rows would take hours; the approximation is used beyond a few rows."""
    assert 0.05 < drift(predictions(8, 100_000) == 1) <= 1.0
    assert drift(np.arange(100_000) < 8) < 0.001


def test_the_approximate_rank_test_finds_no_drift_more_often_than_it_may():
    """Of a few errors in random places: the chance of p < LEVEL, by enumeration of all places of 2 among 300 rows."""
    from itertools import combinations

    from scipy.special import ndtr

    from littlestone.supervised.suspicion import LEVEL

    m, k = 300, 2
    sums = np.array([sum(c) for c in combinations(range(m), k)])
    z = np.maximum(np.abs(sums - sums.mean()) - 0.5, 0.0) / np.sqrt(k * (m - k) * (m + 1) / 12)
    assert (2 * ndtr(-z) < LEVEL).mean() <= LEVEL
    first = np.isin(np.arange(m), [0, 1])
    assert drift(first) == pytest.approx(2 * ndtr(-z[0]))


def test_a_printed_limit_may_be_claimed_too():
    for k, m in ((30, 300), (3, 100_000), (0, 59), (7, 41), (41, 41)):
        claim = ls.certify(predictions(k, m), None, np.zeros(m, int))
        shown = float(claim.sentence.split("at most ")[1].rstrip("%")) / 100
        assert claim.upper * (1 - 1e-12) <= shown <= 1.1 * claim.upper


def test_the_certificate_itself_takes_fresh_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=3000) > 0).astype(int)
    model = LogisticRegression().fit(X[:500], y[:500])
    certificate = ls.certify(model, X[500:800], y[500:800]).certificate
    assert certificate.verdict == "promised"
    assert certificate.check(X[800:], y[800:]).verdict == "kept"
    assert certificate.check(X[800:], 1 - y[800:]).verdict == "broken"
    with pytest.raises(BadInput, match="nothing is promised here"):
        certificate.check(X[800:], y[800:]).check(X, y)


def test_a_probability_of_exactly_one_does_not_make_labels_of_the_others():
    with pytest.raises(BadInput, match=r"look like probabilities.*row 1 is 0.2"):
        ls.certify(np.array([0.2, 0.9, 1.0, 0.4]), None, np.array([0, 1, 1, 0]))
    assert ls.certify(np.array([0.5, 1.0]), None, np.array([0.5, 1.0])).errors == 0


def test_words_where_the_outcomes_are_numbers_are_refused():
    with pytest.raises(BadInput, match="no label in common"):
        ls.certify(np.array(["cat", "dog"] * 5), None, np.array([0, 1] * 5))


def test_predicted_labels_that_no_outcome_is_are_named():
    claim = ls.certify(np.array([-1, 1] * 5), None, np.array([0, 1] * 5))
    assert "rows predicted -1, which no outcome is: 5" in str(claim)


def test_a_model_without_its_rows_is_refused():
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    model = LogisticRegression().fit(X, y)
    with pytest.raises(BadInput, match="X_test: LogisticRegression predicts rows"):
        ls.certify(model, None, y)
    with pytest.raises(
        BadInput, match="LogisticRegression cannot predict these rows: X has 1 feat"
    ):
        ls.certify(model, X[:, :1], y)


def test_sparse_training_rows_are_found_without_a_dense_copy():
    """100,000 x 1,000,000 entries, 5 a row: a dense copy would take 800 GB."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)

    def rows(m):
        at = rng.integers(0, 1_000_000, 5 * m)
        return csr_array(
            (rng.normal(size=5 * m), (np.repeat(np.arange(m), 5), at)), shape=(m, 10**6)
        )

    train, test = rows(100_000), rows(2_000).tolil()
    test[[7, 1500]] = train[[3, 99_999]]
    assert shared_rows(test.tocsr(), train).tolist() == [7, 1500]
    small = rng.integers(0, 2, (40, 6)).astype(float)
    both = shared_rows(small[:20], small[20:])
    assert shared_rows(csr_array(small[:20]), small[20:]).tolist() == both.tolist()
    with pytest.raises(BadInput, match="2 columns and the test rows 6"):
        shared_rows(csr_array(small), csr_array(small[:, :2]))


def test_a_claim_about_predictions_takes_fresh_predictions():
    claim = ls.certify(predictions(8, 200), None, np.zeros(200, int))
    assert claim.certificate.check(predictions(40, 2000), np.zeros(2000, int)).verdict == "kept"
    assert claim.check(predictions(400, 2000), np.zeros(2000, int)).verdict == "broken"
