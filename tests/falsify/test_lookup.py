"""Statements by id: what they say, what attacks them, with a right side of one's own, and without the lectures."""

from __future__ import annotations

import math

import pytest
from littlestone_lectures.errata import ERRATA
from littlestone_lectures.statements import LEFT, STATEMENTS

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.extras import MissingExtra
from littlestone.core.registry import guarantees, learners
from littlestone.falsify import claims, lookup
from littlestone.falsify.claims import ClaimFinding
from littlestone.falsify.finding import Finding

OURS = {k for k, c in learners().items() if c.__module__.startswith("littlestone.")}


@pytest.mark.parametrize("id", sorted({s.id for s in STATEMENTS} | {e.id for e in ERRATA}))
def test_every_statement_and_erratum_is_found_with_its_check(id):
    entry = ls.statement(id)
    assert entry.id == id
    assert entry.says
    assert entry.ledger
    assert any(line.startswith(f"littlestone falsify {id}: ") for line in entry.attacks)
    assert entry.found, "the campaign has no row of it"
    assert id in str(entry)
    assert entry.record()["says"] == list(entry.says)


def test_theorems_are_found_with_their_learners():
    for id, g in list(guarantees().items())[::5]:
        if g.bound.__module__.startswith("littlestone."):
            entry = ls.statement(id)
            assert g.statement in entry.says
            assert set(lookup.learners_of(id)) == set(entry.learners)
    assert "T-EWA" in lookup.ids()
    assert set(LEFT) - {"T-ELIMINATION-ARMS"} <= set(lookup.ids())


def test_it_has_the_slide_and_numbers_of_the_notes():
    assert ls.statement("t-nfl").source.startswith('UCL lecture 1, "An NFL theorem"')
    assert ls.statement("E-NEQ").source == "CMU, slides 3, 6, 15, 16, 17"
    assert ls.statement("T1.8").says == ("see T-NFL",)


def test_an_unknown_id_suggests_near_ones():
    with pytest.raises(BadInput, match=r"there is no statement 't-nfi'; did you mean .*T-NFL"):
        ls.statement("t-nfi")
    with pytest.raises(BadInput, match=r"docs/ledger\.md"):
        ls.falsify("t-qqqqqqq")


@pytest.fixture
def without_lectures(monkeypatch):
    def missing():
        raise MissingExtra("no")

    monkeypatch.setattr(lookup, "lectures", missing)


@pytest.mark.usefixtures("without_lectures")
def test_without_the_lectures_theorems_of_learners_are_there_and_a_sentence_says_how():
    assert ls.statement("T-HEDGE").learners == ("hedge",)
    assert "T-NFL" not in lookup.ids()
    assert "T-HEDGE" in lookup.ids()
    how = (
        r'need littlestone_lectures, which is not installed: pip install "littlestone\[lectures\]"'
    )
    with pytest.raises(BadInput, match=how):
        ls.statement("T-NFL")
    with pytest.raises(BadInput, match=how):
        ls.falsify("T-FOSTER")


# Attacks.


def test_a_statement_survives_and_a_sharper_one_does_not():
    found = ls.falsify("T-BOOTSTRAP")
    assert isinstance(found, ClaimFinding)
    assert (found.verdict, found.broken, found.runs) == ("survived", False, 5)
    sharper = ls.falsify("T-BOOTSTRAP", bound="1 - exp(-1)")
    assert sharper.broken
    assert sharper.instance == 1  # the smallest
    assert "smallest counterexample: 1" in str(sharper)
    record = sharper.record()
    assert record["expression"] == "1 - exp(-1)"
    assert record["measured"] == pytest.approx(1.0)
    assert record["bound"] == pytest.approx(1 - math.exp(-1))


def test_a_condition_leaves_instances_out():
    assert ls.falsify("T-VALIDATION", bound="delta/4").broken
    assert not ls.falsify("T-VALIDATION", bound="delta/4", where="m > 600").broken
    first = ls.falsify("T-VALIDATION", bound="delta/4", where="m >= 5").instance
    assert first[0] >= 5


def test_a_bound_names_its_symbols():
    with pytest.raises(BadInput, match="there is no symbol 'q'; symbols: bound, m, p, delta"):
        ls.falsify("T-VALIDATION", bound="q")
    with pytest.raises(BadInput, match="symbols: bound; with"):
        ls.falsify("T-FOSTER", bound="n")


@pytest.mark.parametrize(
    "id", sorted({s.id for s in STATEMENTS if lookup.lectures().SYMBOLS.get(s.id)})
)
def test_declared_symbols_are_numbers_of_every_instance(id):
    for s in lookup.lectures().statements(id):
        names = set(lookup.symbols_of(s)) - {"bound"}
        assert names
        for instance in s.instances(s.sizes[-1]):
            assert set(s.symbols(instance)) == names


def test_an_erratum_is_refuted_and_its_correction_attacked_when_asked_for():
    found = ls.falsify("E-SIM")
    assert found.broken
    assert "corrected_search" not in vars(found)
    assert found.corrected_search.broken is None
    assert "survived 30 instances" in str(found)
    with pytest.raises(BadInput, match="refuted as it is printed"):
        ls.falsify("E-SIM", bound="bound")


def test_a_theorem_of_learners_is_attacked_in_their_runs():
    found = ls.falsify("T-WINNOW-EG", runs=12)
    assert isinstance(found, Finding)
    assert {f.learner for f in (found, *found.others)} <= OURS
    assert found.theorem == "T-WINNOW-EG"
    with pytest.raises(BadInput, match="T-THOMPSON: no search attacks it; it holds in expectation"):
        ls.falsify("T-THOMPSON")


def test_the_budget_counts_instances():
    assert ls.falsify("T-VALIDATION", runs=7).runs == 7
    assert ls.falsify("T-VALIDATION", seconds=0.0).verdict == "untested"


def test_what_is_for_learners_is_refused():
    with pytest.raises(BadInput, match="sizes: T-FOSTER is attacked instance by instance"):
        ls.falsify("T-FOSTER", sizes=(3, 4))


def test_several_parts_are_attacked_and_a_broken_one_comes_first():
    found = ls.falsify("T-LAPLACIAN", runs=5)
    assert len(found.others) == 4
    assert claims.falsify_claim("T-LAPLACIAN", bound="bound/3", runs=200).broken
