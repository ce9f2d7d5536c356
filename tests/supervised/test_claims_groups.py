"""Rows that come in groups, count differently or are looked at in parts: limits that hold, clusters that are seen."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.intervals import binomial
from littlestone.supervised.comparison import compare
from littlestone.supervised.group_limits import (
    Units,
    both_limits,
    chance_of_less,
    hoeffding_limit,
    units_of,
    upper_limit,
)
from littlestone.supervised.suspicion import LEVEL, clustering, neighbour_clustering, runs

PATIENT = np.repeat(np.arange(30), 20)


def by_patient(rng, error=0.1):
    """30 patients x 20 rows: all rows of a patient are wrong, or none."""
    return (rng.random(30) < error)[PATIENT].astype(int)


def test_thirty_patients_with_twenty_rows():
    """Without groups a limit that took rows for independent would be too low far too often; it is not promised."""
    truth, promised, low = np.zeros(600, int), 0, 0
    for seed in range(60):
        wrong = by_patient(np.random.default_rng(seed))
        plain = ls.certify(wrong, truth)
        promised += plain.verdict == "promised" and wrong.any()
        claim = ls.certify(wrong, truth, groups=PATIENT)
        low += claim.verdict == "promised" and claim.upper < 0.1
    assert promised == 0  # neighbouring rows show it
    assert binom.sf(low - 1, 60, 0.05) > 0.001


@pytest.mark.parametrize("G", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.3])
def test_the_limit_of_groups_that_err_together_fails_with_at_most_delta(G, delta):
    """Exactly, for every error p: the limit is a step function of the number of bad groups."""
    limits = np.array(
        [
            upper_limit(Units(np.ones(G), np.repeat([1.0, 0.0], [k, G - k]), 1.0), delta)
            for k in range(G + 1)
        ]
    )
    assert (np.diff(limits) >= 0).all()
    for p in np.concatenate([limits - 1e-9, np.linspace(0.0, 1.0, 51)]).clip(0.0, 1.0):
        below = np.searchsorted(limits, p, side="left")
        assert binom.cdf(below - 1, G, p) <= delta * (1 + 1e-9)


def test_groups_of_two_sizes_whose_errors_depend_on_the_size_exactly():
    """All outcomes of six groups, of two rows or one, are gone through: the chance that the limit is too low."""
    kinds = [(1.0, 0.0), (1.0, 1.0), (2.0, 0.0), (2.0, 1.0), (2.0, 2.0)]  # weight, loss
    chances = np.array([0.45, 0.15, 0.1, 0.1, 0.2])
    truth = (0.15 + 0.1 + 2 * 0.2) / (0.6 + 2 * 0.4)
    for delta in (0.05, 0.3):
        missed = 0.0
        for many in itertools.combinations_with_replacement(range(5), 6):
            times = np.bincount(many, minlength=5)
            ways = np.prod(np.arange(1, 7)) / np.prod([np.prod(np.arange(1, t + 1)) for t in times])
            each = np.array([kinds[i] for i in many])
            found = both_limits(Units(each[:, 0], each[:, 1], 2.0), delta)
            chance = ways * np.prod(chances**times)
            missed += chance * (not found.low <= truth <= found.high)
        assert missed <= delta


def test_the_limits_follow_the_chances():
    units = units_of(np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0] * 5), np.repeat(np.arange(10), 3))
    top = upper_limit(units, 0.05)
    assert chance_of_less(units, top) <= 0.05 < chance_of_less(units, top - 1e-6)
    low, high = both_limits(units, 0.1)
    assert high == pytest.approx(top)
    assert low == pytest.approx(1.0 - upper_limit(units.other_side, 0.05))
    assert low < units.mean < high


def test_hoeffding_of_equal_groups_is_that_of_as_many_rows():
    claim = ls.certify(np.zeros(600, int), np.zeros(600, int), groups=PATIENT)
    assert claim.hoeffding == pytest.approx(np.sqrt(np.log(20) / 60))
    assert hoeffding_limit(Units(np.ones(5), np.ones(5), 1.0), 0.05) == 1.0


def test_groups_that_tell_nothing():
    one = ls.certify(np.zeros(50, int), np.zeros(50, int), groups=np.zeros(50))
    assert one.upper > 0.9
    assert "1 groups are few" in str(one)
    all_wrong = ls.certify(np.ones(50, int), np.zeros(50, int), groups=np.arange(50) // 5)
    assert all_wrong.upper == 1.0


def test_what_groups_are_called_does_not_matter():
    rng = np.random.default_rng(0)
    wrong, truth = by_patient(rng), np.zeros(600, int)
    names = np.array([f"p{i}" for i in range(30)])[PATIENT]
    frame = pd.DataFrame({"patient": names, "x": rng.normal(size=600)})
    days = pd.date_range("2020-01-01", periods=30).repeat(20)
    found = [
        ls.certify(wrong, frame, truth, groups=g).limits
        for g in (PATIENT, names, names.tolist(), pd.Series(names), "patient", days)
    ]
    assert len(set(found)) == 1
    shuffled = rng.permutation(600)
    assert ls.certify(wrong[shuffled], truth, groups=names[shuffled]).limits == found[0]


def test_clusters_are_measured_and_said():
    rng = np.random.default_rng(3)
    wrong, truth = by_patient(rng), np.zeros(600, int)
    plain = str(ls.certify(wrong, truth))
    assert "nothing may be claimed" in plain
    assert "runs, where chance would give about" in plain
    assert "say what they share with groups=" in plain
    assert "both limits" not in plain
    told = str(ls.certify(wrong, truth, groups=PATIENT))
    assert "errors cluster by group (p = 0.0002); limits that took rows for independent" in told
    spread = str(ls.certify((rng.random(600) < 0.1).astype(int), truth, groups=PATIENT))
    assert "no clear sign that errors cluster by group" in spread


def test_the_runs_test_is_exact():
    """Against all ways in which 4 errors can lie among 9 rows."""
    places = list(itertools.combinations(range(9), 4))
    counts = []
    for at in places:
        wrong = np.isin(np.arange(9), at)
        counts.append(int(wrong[0]) + int((wrong[1:] & ~wrong[:-1]).sum()))
    for at, r in zip(places, counts, strict=True):
        found = runs(np.isin(np.arange(9), at))
        assert found.runs == r
        assert found.p == pytest.approx(np.mean(np.array(counts) <= r))
        assert found.expected == pytest.approx(np.mean(counts))
    assert runs(np.ones(5, bool)).p == runs(np.zeros(5, bool)).p == 1.0


def test_patients_that_differ_are_seen_in_their_order():
    """Each patient has an error of its own, .1 on average: not runs, but stretches with more errors show it."""
    seen = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        wrong = rng.random(600) < rng.beta(0.3, 2.7, 30)[PATIENT]
        seen += neighbour_clustering(wrong).p < LEVEL
    assert seen >= 17
    assert (
        "stretches of 24"
        in neighbour_clustering(np.repeat([0, 1], [480, 120]) * np.arange(600) % 4 == 1).seen
    )


def test_many_groups_take_no_time():
    rng = np.random.default_rng(0)
    group = np.arange(300_000) // 3
    assert clustering(rng.random(100_000)[group] < 0.1, group) < LEVEL
    assert clustering(rng.random(300_000) < 0.1, group) > 0.01


def test_clusters_are_reported_no_more_often_than_they_may():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20), rng.integers(1, 12, 20))
    p = [clustering(rng.random(len(group)) < 0.2, group) for _ in range(150)]
    for level in (0.05, 0.2):
        assert binom.sf(np.sum(np.array(p) <= level) - 1, 150, level) > 0.001
    for test in (lambda w: runs(w).p, lambda w: neighbour_clustering(w).p):
        p = [test(rng.random(200) < 0.2) for _ in range(200)]
        assert binom.sf(np.sum(np.array(p) <= 0.05) - 1, 200, 0.05) > 0.001


def test_weights_say_how_much_rows_count():
    rng = np.random.default_rng(1)
    wrong, truth = (rng.random(400) < 0.1).astype(int), np.zeros(400, int)
    plain = ls.certify(wrong, truth)
    assert ls.certify(wrong, truth, weights=np.full(400, 3.0)).limits == plain.limits
    weights = np.where(np.arange(400) % 2, 3.0, 1.0)
    claim = ls.certify(wrong, truth, weights=weights)
    assert claim.loss == pytest.approx(np.average(wrong, weights=weights))
    assert claim.limits.low < claim.loss < claim.limits.high
    assert "by weight" in str(claim)
    assert "no row to come weighs more than 3" in str(claim)
    twice = ls.certify(wrong, truth, weights=10 * weights)
    assert twice.upper == pytest.approx(claim.upper)
    dropped = np.where(np.arange(400) < 300, 1.0, 0.0)
    assert ls.certify(wrong, truth, weights=dropped).loss == pytest.approx(wrong[:300].mean())


def test_every_group_counts_once():
    group = np.repeat([0, 1, 2, 3], [97, 1, 1, 1])
    wrong = np.repeat([0, 1, 1, 0], [97, 1, 1, 1])
    rows = ls.certify(wrong, np.zeros(100, int), groups=group)
    once = ls.certify(wrong, np.zeros(100, int), groups=group, weights="group")
    assert rows.loss == pytest.approx(0.02)
    assert "one group is 97.00% of all" in str(rows)
    assert once.loss == pytest.approx(0.5)
    assert "no group to come" in str(rows)
    assert "no group to come" not in str(once)


def test_limits_for_each_part_hold_together():
    rng = np.random.default_rng(2)
    wrong, truth = (rng.random(600) < 0.1).astype(int), np.zeros(600, int)
    region = np.array(["north", "south", "west"])[rng.integers(0, 3, 600)]
    claim = ls.certify(wrong, truth, by=region, selected_from=2)
    assert set(claim.by) == {"north", "south", "west"}
    for name, found in claim.by.items():
        at = region == name
        assert (found.rows, found.errors) == (at.sum(), wrong[at].sum())
        assert found.both == binomial(found.mean, found.rows, 0.05 / 6)
    assert "3 parts of the rows; what is claimed holds together with 0.95 confidence" in str(claim)
    grouped = ls.certify(wrong, truth, by=region, groups=PATIENT)
    for name, found in grouped.by.items():
        at = region == name
        assert found.upper == pytest.approx(
            upper_limit(
                units_of(wrong[at], np.unique(PATIENT[at], return_inverse=True)[1]), 0.05 / 3
            )
        )


def test_a_part_whose_errors_cluster_gets_no_limit():
    wrong = np.zeros(4000, int)
    wrong[np.arange(0, 4000, 40)] = 1
    part = np.where(np.arange(4000) % 40 == 0, np.arange(4000) // 40 % 2, 2)
    wrong[1001:1006] = 1
    part[1000:1200] = 3
    claim = ls.certify(wrong, np.zeros(4000, int), by=part)
    assert claim.verdict == "promised"
    assert "cluster in neighbouring rows: NOT SO" in claim.by[3].why
    assert "nothing may be claimed" in str(claim.by[3])


def test_a_rival_over_groups():
    """Rows of a group are won together: what 600 rows seem to show, 30 groups do not."""
    rng = np.random.default_rng(5)
    mine, theirs = by_patient(rng, 0.2), by_patient(rng, 0.4)
    rows = compare(mine, theirs, 0.05)
    over = compare(mine, theirs, 0.05, group=PATIENT)
    assert rows.verdict == "better"
    assert over.verdict == "cannot tell"
    assert over.groups == 30
    none = compare(np.zeros(600, bool), np.arange(600) % 3 == 0, 0.05, group=PATIENT)
    assert none.verdict == "better"
    assert none.difference.high < 0.0
    assert none.share.low > 0.5
    for c in (over, none):
        assert (c.p <= 0.05) == (c.difference.high < 0 or c.difference.low > 0)
        assert (c.p <= 0.05) == (c.share.low > 0.5 or c.share.high < 0.5)
    same = compare(mine, mine, 0.05, group=PATIENT)
    assert (same.p, same.verdict, tuple(same.share)) == (1.0, "cannot tell", (0.0, 1.0))


def test_fresh_rows_in_groups_keep_or_break_the_claim():
    truth = np.zeros(600, int)
    wrong = np.zeros(600, int)
    wrong[::20] = 1  # one row of each patient
    claim = ls.certify(wrong, truth, groups=PATIENT)
    with pytest.raises(BadInput, match="say those of the fresh rows, with groups="):
        claim.certificate.check(wrong, truth)
    many = np.repeat(np.arange(300), 20)
    good, bad = np.zeros(6000, int), np.zeros(6000, int)
    good[::20] = 1
    bad[many % 2 == 0] = 1
    assert claim.check(good, np.zeros(6000, int), groups=many).verdict == "kept"
    assert claim.check(bad, np.zeros(6000, int), groups=many).verdict == "broken"
    assert claim.check(wrong[:60], truth[:60], groups=PATIENT[:60]).verdict == "unknown"
    once = ls.certify(wrong, truth, groups=PATIENT, weights="group")
    assert once.check(good, np.zeros(6000, int), groups=many).verdict == "kept"
    weighted = ls.certify(wrong, truth, weights=1.0 + PATIENT % 2)
    with pytest.raises(BadInput, match="what the fresh rows weigh, with weights="):
        weighted.check(wrong, truth)


def test_numbers_in_groups():
    rng = np.random.default_rng(0)
    losses = np.clip(rng.normal(0.3, 0.1, 30)[PATIENT] + 0.01 * rng.normal(size=600), 0, 1)
    claim = ls.certify(losses, np.zeros(600), loss="absolute", interval=(0, 2), groups=PATIENT)
    assert claim.limits.low < 0.3 < claim.limits.high < 0.6
    assert claim.upper < claim.hoeffding
    assert claim.guarantee.id == "T-VALIDATION-GROUPS"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"groups": [1, 2]}, "groups: there are 2 of them and 4 test rows"),
        ({"groups": [1, None, 2, 2]}, "groups: row 2 has none"),
        ({"groups": [1.0, 2.0, np.nan, 2.0]}, "groups: row 3 has none"),
        ({"groups": "patient"}, "groups='patient' names a column, and the test rows have no names"),
        ({"groups": np.zeros((4, 2))}, "here are 2 columns"),
        ({"weights": [1, 2]}, "weights: there are 2 of them and 4 test rows"),
        ({"weights": [1, 2, -1, 1]}, "weights: that of row 3 is -1"),
        ({"weights": [1, 2, np.inf, 1]}, "weights: that of row 3 is inf"),
        ({"weights": [0, 0, 0, 0]}, "weights: all are 0"),
        ({"weights": ["a", "b", "c", "d"]}, "weights must be numbers"),
        ({"weights": "group"}, "say which rows come together, with groups="),
        ({"by": [1, 2, None, 3]}, "by: row 3 has none"),
        ({"by": [1, 1, 2, 2], "weights": [1, 2, 0, 0]}, "by: no row of 2 has a weight above 0"),
    ],
)
def test_bad_groups_and_weights(options, said):
    with pytest.raises(BadInput) as caught:
        ls.certify([0, 0, 1, 0], None, [0, 0, 0, 0], **options)
    assert said in str(caught.value)


def test_a_column_that_is_not_there():
    with pytest.raises(
        BadInput, match="the test rows have no column 'patent'; theirs are patient, x"
    ):
        ls.certify([0, 1], pd.DataFrame({"patient": [1, 2], "x": [1, 2]}), [0, 1], groups="patent")
