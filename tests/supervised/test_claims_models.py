"""Several models on the same rows: the selection is known, and what is said of rivals honours it."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.intervals import at_most
from littlestone.supervised.comparison import compare

TRUTH = np.zeros(200, int)


def coins(rng, many, rows=200):
    """Models that guess: all err half of the time."""
    return rng.integers(0, 2, (many, rows))


def test_the_best_of_200_coins_is_not_better_than_a_coin():
    """Told that it was chosen among 200, the comparison claims a difference at most as often as it says."""
    better, outside, untold = 0, 0, 0
    for seed in range(80):
        rng = np.random.default_rng(seed)
        models, rival = coins(rng, 200), coins(rng, 1)[0]
        best = models[models.sum(axis=1).argmin()]
        told = ls.certify(best, None, TRUTH, selected_from=200, rival=rival).rival
        better += told.verdict == "better"
        outside += not told.difference.low <= 0.0 <= told.difference.high
        untold += compare(best == 1, rival == 1, 0.05).verdict == "better"
    assert untold > 20  # what a user would be told who does not say how many there were
    assert better <= 4
    assert binom.sf(outside - 1, 80, 0.05) > 0.001


def test_a_corrected_comparison_is_one_at_a_smaller_level():
    mine, theirs = np.arange(100) < 2, np.arange(100) < 16
    alone, among = compare(mine, theirs, 0.05 / 12), compare(mine, theirs, 0.05, among=12)
    assert among.p == pytest.approx(12 * alone.p)
    assert (among.share, among.difference) == (alone.share, alone.difference)
    assert among.verdict == alone.verdict == "better"
    assert "corrected for 12 comparisons" in str(among)
    assert compare(mine, theirs, 0.05, among=10**6).p == 1.0


def test_several_models_by_name():
    rng = np.random.default_rng(0)
    models = {
        "a": (rng.random(200) < 0.3) * 1,
        "b": (rng.random(200) < 0.05) * 1,
        "c": coins(rng, 1)[0],
    }
    claim = ls.certify(models, TRUTH)
    assert (claim.name, claim.selected_from) == ("b", 3)
    assert claim.upper == at_most(claim.errors, 200, 0.05 / 3)
    assert claim.upper == claim.models["b"].upper
    for name, found in claim.models.items():
        assert found.errors == models[name].sum()
        assert found.upper == at_most(found.errors, 200, 0.05 / 3)
    assert set(claim.versus) == {"a", "c"}
    assert {c.among for c in claim.versus.values()} == {3}  # pairs
    assert claim.versus["c"].verdict == "better"
    shown = str(claim)
    assert "3 models; what is claimed holds together with 0.95 confidence" in shown
    assert "these 3 models were tried on these rows, no others: on your word" in shown
    assert "b and c: better than c; it alone is right on" in shown
    more = ls.certify(models, None, TRUTH, selected_from=10)
    assert more.upper == at_most(claim.errors, 200, 0.005)
    assert {c.among for c in more.versus.values()} == {45}


def test_fitted_models_and_predictions_side_by_side():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] > 0).astype(int)
    tree = DecisionTreeClassifier(random_state=0).fit(X[:200], y[:200])
    usual = DummyClassifier().fit(X[:200], y[:200])
    models = {"tree": tree, "usual": usual, "zeros": np.zeros(200, int)}
    claim = ls.certify(models, X[200:], y[200:], train=X[:200])
    assert claim.name == "tree"
    assert claim.check(X[:200], y[:200]).verdict in ("kept", "unknown")
    assert claim.versus["usual"].verdict == "better"
    named = ls.certify(models, X[200:], y[200:], rival="usual")
    assert named.rival.among == 2
    assert named.rival.verdict == "better"
    assert not named.versus
    fixed = ls.certify(models, X[200:], y[200:], rival=usual)
    assert fixed.rival.among == 3


def test_the_rival_by_name_is_not_chosen():
    claim = ls.certify({"good": TRUTH, "new": np.arange(200) % 10 == 0}, TRUTH, rival="good")
    assert claim.name == "new"
    assert claim.rival.verdict == "worse"


def test_a_model_whose_errors_cluster_gets_no_limit():
    spread = (np.arange(200) % 25 == 0) * 1
    block = ((np.arange(200) >= 90) & (np.arange(200) < 110)) * 1
    claim = ls.certify({"spread": spread, "block": block}, TRUTH)
    assert claim.verdict == "promised"
    assert "cluster in neighbouring rows: NOT SO" in claim.models["block"].why
    assert claim.versus["block"].verdict == "vacuous"
    assert ls.certify(spread, TRUTH, rival=block).rival.verdict == "vacuous"


def test_where_a_ground_does_not_hold_nothing_is_claimed_of_rivals_either():
    block = ((np.arange(200) >= 90) & (np.arange(200) < 110)) * 1
    worse = (np.arange(200) % 2 == 0) * 1
    claim = ls.certify({"block": block, "worse": worse}, TRUTH, by=np.arange(200) % 2)
    assert claim.verdict == "vacuous"
    assert claim.versus["worse"].verdict == "vacuous"
    assert all(v.why for v in (*claim.models.values(), *claim.by.values()))
    assert "at most" not in str(claim)
    assert ls.certify(block, TRUTH, rival=worse).rival.verdict == "vacuous"


def test_several_models_of_numbers():
    rng = np.random.default_rng(0)
    y = rng.random(300)
    models = {"half": np.full(300, 0.5), "near": np.clip(y + 0.05 * rng.normal(size=300), 0, 1)}
    claim = ls.certify(models, None, y, loss="absolute", interval=(0, 1))
    assert claim.name == "near"
    assert not claim.versus
    single = ls.certify(models["near"], None, y, loss="absolute", interval=(0, 1), selected_from=2)
    assert claim.limits == single.limits
    with pytest.raises(BadInput, match="leave loss= and interval= out"):
        ls.certify(models["near"], None, y, loss="absolute", interval=(0, 1), rival=models["half"])


@pytest.mark.parametrize(
    ("models", "options", "said"),
    [
        ({}, {}, "there is no model"),
        ({"a": TRUTH, "b": TRUTH}, {"selected_from": 1}, "these rows choose among 2 models"),
        ({"a": TRUTH, "b": TRUTH}, {"rival": "c"}, "there is no model 'c' among a, b"),
        ({"a": TRUTH}, {"rival": "a"}, "'a' is the only model"),
        ({"a": TRUTH, "b": TRUTH}, {"name": "both"}, "called by their keys"),
        ({"a": TRUTH, "b": TRUTH[:5]}, {}, "200 outcomes and 5 predictions"),
    ],
)
def test_bad_models(models, options, said):
    with pytest.raises(BadInput) as caught:
        ls.certify(models, None, TRUTH, **options)
    assert said in str(caught.value)


def test_hoeffdings_bound_is_beside_the_exact_one():
    """W23: m = 100, delta = .05, one-sided .122387."""
    claim = ls.certify(np.zeros(100, int), np.zeros(100, int))
    assert claim.hoeffding == pytest.approx(0.122387, abs=5e-7)
    assert claim.upper < claim.hoeffding
    assert "by Hoeffding's bound: at most 12.24% (T-VALIDATION)" in str(claim)
    among = ls.certify(np.zeros(100, int), np.zeros(100, int), selected_from=12)
    assert among.hoeffding == pytest.approx(np.sqrt(np.log(12 / 0.05) / 200))
    numbers = ls.certify(np.zeros(100), np.zeros(100), loss="square", interval=(0, 4))
    assert numbers.hoeffding == pytest.approx(4 * 0.122387, abs=5e-6)


def hostile_claims(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "tools"))
    return importlib.import_module("hostile.claims")


def test_false_claims_are_no_more_frequent_than_stated(monkeypatch):
    """Selection x rival x groups x weights at three levels; `make verdicts` does many more."""
    made = hostile_claims(monkeypatch)
    found = made.simulate(2, seed=1)
    assert found.above() == []
    assert {what for what, _ in found.made} == {
        "upper", "limits", "by", "models", "versus", "rival", "difference",
    }  # fmt: skip


def test_the_simulation_finds_what_is_false(monkeypatch):
    """Where the choice among 40 and the groups are not told, limits are false far too often."""
    made = hostile_claims(monkeypatch)
    monkeypatch.setattr(made, "SELECTED", (40,))
    above = " ".join(made.simulate(6, seed=0, told=False).above())
    for what in ("upper", "limits"):
        assert f"{what}, delta 0.01" in above
