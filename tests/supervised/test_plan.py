"""How many rows a claim takes: exact, against brute force and the worked numbers of the notes."""

import itertools
import json
import math

import pytest
from click.testing import CliRunner
from scipy.stats import binom

import littlestone as ls
from littlestone.cli.main import main
from littlestone.core.errors import BadInput
from littlestone.core.intervals import at_most
from littlestone.supervised.plan import crowd


def succeeds(m, claim, expect, delta, power):
    """By brute force: is the upper limit at most the claim often enough?"""
    good = [k for k in range(m + 1) if at_most(k, m, delta) <= claim]
    return sum(binom.pmf(k, m, expect) for k in good) >= power


@pytest.mark.parametrize(
    ("claim", "expect", "rows", "every"),
    [(0.05, 0.0, 59, 59), (0.01, 0.0, 299, 299), (0.05, 0.03, 832, 900)],
)
def test_the_figures(claim, expect, rows, every):
    found = ls.plan(claim=claim, expect=expect)
    assert (found.rows, found.every) == (rows, every)
    assert found.power >= 0.9


@pytest.mark.parametrize(
    ("claim", "expect", "power"),
    [(0.3, 0.1, 0.8), (0.2, 0.05, 0.9), (0.5, 0.2, 0.95), (0.1, 0.0, 0.9)],
)
def test_against_brute_force(claim, expect, power):
    found = ls.plan(claim=claim, expect=expect, confidence=0.9, power=power)
    works = [succeeds(m, claim, expect, 0.1, power) for m in range(1, found.every + 40)]
    assert works.index(True) + 1 == found.rows
    assert all(works[found.every - 1 :])
    assert found.every == found.rows or not works[found.every - 2]


def test_hoeffding_asks_for_many_more():
    assert ls.plan(claim=0.01).hoeffding == 14_979


def test_what_so_many_rows_can_show():
    found = ls.plan(rows=200, expect=0.03)
    assert found.power >= 0.9
    assert found.claim == pytest.approx(at_most(found.errors, 200, 0.05))
    assert binom.cdf(found.errors - 1, 200, 0.03) < 0.9  # fewer errors would not do
    asked = ls.plan(claim=0.05, rows=832, expect=0.03)
    assert asked.power == pytest.approx(ls.plan(claim=0.05, expect=0.03).power)


def test_models_that_the_rows_choose_from_take_more_rows():
    assert ls.plan(claim=0.05, selected_from=12).rows == math.ceil(
        math.log(0.05 / 12) / math.log(0.95)
    )


@pytest.mark.parametrize(
    ("kind", "rows"), [("realisable", 77), ("uniform", 415), ("agnostic", 1659)]
)
def test_finite_classes(kind, rows):
    """W23: |H| = 100, epsilon = .1, delta = .05."""
    assert ls.plan(claim=0.1, hypotheses=100, kind=kind).rows == rows


def unseen(cells, mass, m):
    """P(some of the cells is not among m draws), by inclusion and exclusion."""
    return sum(
        (-1) ** (j + 1) * math.comb(cells, j) * (1 - j * mass) ** m for j in range(1, cells + 1)
    )


@pytest.mark.parametrize(
    ("cells", "error", "delta", "asked", "failure", "least"),
    [
        (9, 0.1, 0.1, 47, 0.062628, 43),
        (19, 0.05, 0.05, 120, 0.039777, 116),
        (49, 0.02, 0.01, 426, 0.008931, 421),
    ],
)
def test_the_realisable_size_is_nearly_tight(cells, error, delta, asked, failure, least):
    """W24: cells of mass epsilon, the worst consistent hypothesis: what is asked for is a few rows too many."""
    found = ls.plan(claim=error, hypotheses=cells + 1, confidence=1 - delta).rows
    assert found == asked
    assert unseen(cells, error, found) == pytest.approx(failure, abs=5e-7)
    assert next(m for m in itertools.count(1) if unseen(cells, error, m) <= delta) == least


def test_the_crowd():
    """W18: 21 voters, each right with probability .6; and T4.5's first values."""
    found = crowd(21, 0.1)
    assert found.exact == pytest.approx(0.174378, abs=5e-7)
    assert found.simple == pytest.approx(0.923116, abs=5e-7)
    assert found.hoeffding == pytest.approx(0.525288, abs=5e-7)
    assert [crowd(n, 0.1).exact for n in (1, 3, 5, 7)] == pytest.approx(
        [0.4, 0.352, 0.31744, 0.289792]
    )
    for n, edge in itertools.product(range(1, 60, 2), (0.01, 0.1, 0.3, 0.49)):
        each = crowd(n, edge)
        assert each.exact <= each.chernoff <= each.simple * (1 + 1e-12)
        assert each.exact <= each.hoeffding


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "claim: say which error"),
        ({"claim": 0.0}, "claim must be in (0, 1)"),
        ({"claim": float("nan")}, "claim must be a number"),
        ({"claim": "x"}, "claim must be a number"),
        ({"claim": 0.05, "expect": 0.05}, "not below claim"),
        ({"claim": 0.05, "expect": -1}, "expect must be"),
        ({"claim": 0.05, "confidence": 1.0}, "confidence must be"),
        ({"claim": 0.05, "power": 0.0}, "power must be"),
        ({"rows": 0}, "rows must be"),
        ({"claim": 0.1, "hypotheses": 0}, "hypotheses must be"),
        ({"claim": 0.1, "hypotheses": 5, "kind": "online"}, "kind must be one of"),
        ({"claim": 0.05, "expect": 0.04999999}, "too close to"),
    ],
)
def test_bad_input(options, said):
    with pytest.raises(BadInput) as caught:
        ls.plan(**options)
    assert said in str(caught.value)


@pytest.mark.parametrize(("voters", "edge"), [(2, 0.1), (0, 0.1), (3, 0.0), (3, 0.5)])
def test_crowds_that_are_none(voters, edge):
    with pytest.raises(BadInput, match="must be"):
        crowd(voters, edge)


def test_the_command_line():
    found = CliRunner().invoke(main, ["plan", "--claim", ".05", "--expect", ".03", "--json"])
    assert json.loads(found.stdout)["rows"] == 832
    wrong = CliRunner().invoke(main, ["plan", "--claim", ".02", "--expect", ".03"])
    assert wrong.exit_code == 2
    assert "not below claim" in wrong.stderr


def test_small_claims_are_planned_at_once():
    """Without an expected error the answer is ln(delta) / ln(1 - claim): the search must not go by way of millions."""
    for claim in (1e-3, 1e-4, 1e-5):
        found = ls.plan(claim=claim)
        assert found.rows == found.every == math.ceil(math.log(0.05) / math.log1p(-claim))
    with pytest.raises(BadInput, match=r"about 3e\+06 rows would be needed"):
        ls.plan(claim=1e-6)


def test_too_few_rows_for_a_claim_are_refused():
    with pytest.raises(BadInput, match=r"200 rows cannot show an error of at most 0.01.*takes 299"):
        ls.plan(claim=0.01, rows=200)
    assert ls.plan(claim=0.01, rows=299).errors == 0
    with pytest.raises(BadInput, match=r"expect=0.03 is not below claim=0.01"):
        ls.plan(claim=0.01, rows=2000, expect=0.03)


@pytest.mark.parametrize("kind", ["realisable", "uniform", "agnostic"])
@pytest.mark.parametrize("size", [{"hypotheses": 100}, {"hypotheses": 1}, {"vc": 3}, {"vc": 0}])
def test_sizes_of_classes_go_both_ways(kind, size):
    for claim in (0.3, 0.1, 0.01):
        found = ls.plan(claim=claim, kind=kind, **size)
        assert ls.plan(rows=found.rows, kind=kind, **size).claim <= claim * (1 + 1e-9)
        if found.rows > 1:
            assert ls.plan(rows=found.rows - 1, kind=kind, **size).claim > claim


def test_the_claims_of_so_many_rows():
    """T7.7 and T7.19: ln(H/delta)/m, and 2 sqrt(ln(2H/delta)/2m)."""
    assert ls.plan(rows=500, hypotheses=100).claim == pytest.approx(math.log(2000) / 500)
    assert ls.plan(rows=500, hypotheses=100, kind="agnostic").claim == pytest.approx(
        2 * math.sqrt(math.log(4000) / 1000)
    )
    assert ls.plan(rows=1, hypotheses=100).claim == 1.0


@pytest.mark.parametrize("d", [0, 1, 2, 7])
@pytest.mark.parametrize("m", [1, 3, 10, 200])
def test_sizes_of_a_vc_dimension_by_sauers_sum(d, m):
    from littlestone.theory import sauer

    delta, P = 0.05, sauer(2 * m, d)
    wants = {
        "realisable": 2 * math.log2(2 * P / delta) / m,
        "uniform": math.sqrt(8 * math.log(4 * P / delta) / m),
        "agnostic": math.sqrt(32 * math.log(4 * P / delta) / m),
    }
    for kind, want in wants.items():
        assert ls.plan(rows=m, vc=d, kind=kind).claim == pytest.approx(min(1.0, want))


def test_thresholds_have_fewer_errors_than_their_vc_dimension_allows():
    """Exactly: the worst consistent threshold of m uniform rows errs above e with chance (1 - e)^m."""
    from littlestone import theory

    d = theory.vc_dimension(theory.thresholds(range(5)))
    for claim in (0.3, 0.1, 0.02):
        found = ls.plan(claim=claim, vc=d)
        assert found.vc == 1
        assert (1 - claim) ** found.rows <= 0.05
    text = str(ls.plan(claim=0.1, vc=3, kind="uniform"))
    assert text.startswith("28,341 rows: every one of the hypotheses of a class of VC dimension 3")


@pytest.mark.parametrize("d", [1, 5, 100])
def test_more_rows_never_allow_less(d):
    claims = [ls.plan(rows=m, vc=d, kind="uniform").claim for m in range(1, 5000, 97)]
    assert all(a >= b for a, b in itertools.pairwise(claims))
    assert ls.plan(rows=10**15, vc=d).claim < 1e-10


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"hypotheses": 10}, "one of the two"),
        ({"claim": 0.1, "rows": 10, "vc": 3}, "one of the two"),
        ({"claim": 0.1, "hypotheses": 10, "vc": 3}, "say one of the two, how many there are"),
        ({"claim": 0.1, "vc": -1}, "vc must be a whole number, 0 or more"),
        ({"claim": 0.1, "vc": 10**9}, "vc must be at most"),
        ({"claim": 0.1, "vc": 2.5}, "vc must be a whole number"),
        ({"rows": 0, "vc": 2}, "rows must be"),
        ({"claim": 1e-9, "vc": 3, "kind": "agnostic"}, "claim more"),
        ({"claim": 0.1, "vc": 3, "selected_from": 5}, "selected_from is about test rows"),
    ],
)
def test_bad_sizes(options, said):
    with pytest.raises(BadInput) as caught:
        ls.plan(**options)
    assert said in str(caught.value)


def test_sizes_at_the_command_line():
    found = CliRunner().invoke(main, ["plan", "--rows", "5000", "--vc", "3", "--json"])
    told = json.loads(found.stdout)
    assert (told["vc"], told["rows"]) == (3, 5000)
    assert told["claim"] == pytest.approx(ls.plan(rows=5000, vc=3).claim)
    wrong = CliRunner().invoke(main, ["plan", "--vc", "3"])
    assert wrong.exit_code == 2
    assert "one of the two" in wrong.stderr
