"""The short campaign: every theorem is attacked a little, every other statement on small sizes, every erratum is found.

`make falsify` does the same at length. What the search can see is tested too: claims that are a little too strong fall.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from every.test_every_guarantee import mirrored
from littlestone_lectures import campaign
from littlestone_lectures import campaign_pages as pages
from littlestone_lectures.budget import SHORT, Line
from littlestone_lectures.campaign import fought, theorems
from littlestone_lectures.errata import ERRATA
from littlestone_lectures.statements import STATEMENTS
from littlestone_lectures.statements.potentials import HOEFFDING

from littlestone.core.registry import learners
from littlestone.falsify.statement import Statement, attack_statement, fails, search

DOCS = Path(__file__).resolve().parents[2] / "docs"
KEYS = sorted({key for key, _ in theorems()})


pytestmark = pytest.mark.usefixtures("plain")


def named(values):
    """Ids for parametrize, numbered where one occurs twice."""
    seen: dict[str, int] = {}
    for v in values:
        seen[v.id] = seen.get(v.id, 0) + 1
        yield v.id if seen[v.id] == 1 else f"{v.id}-{seen[v.id]}"


# Theorems.


@pytest.mark.parametrize("key", KEYS)
def test_no_theorem_falls(key):
    for owner, id in theorems():
        if owner == key:
            line = fought(key, id, SHORT)
            assert not line.broken, line
            assert line.runs > 0 or line.why, line
            assert line.why or line.ratio <= 1.0, line
            assert not line.alarms, line  # rounding alone takes no run beyond a bound


@pytest.mark.parametrize(
    ("key", "id"),
    [
        ("hedge", "T-EWA"),
        ("fixed-share", "T-FIXED-SHARE"),
        ("weighted-average", "T-WA"),
        ("perceptron", "T-PERC-INSEP"),
        ("ogd", "T-OGD"),
        ("second-order-perceptron", "T-PERC-SECOND"),
    ],
)
def test_a_learner_that_learns_from_the_mirror_image_falls(key, id, monkeypatch):
    rules = learners()[key].Params
    monkeypatch.setattr(rules, "learn", mirrored(rules.learn))
    line = fought(key, id, SHORT)
    assert line.broken, line


# Statements.


@pytest.mark.parametrize("s", STATEMENTS, ids=list(named(STATEMENTS)))
def test_no_statement_falls(s):
    found = attack_statement(s, short=True)
    assert found.broken is None, found
    assert found.instances > 0
    if not s.equal:
        assert found.ratio <= 1.0 + 1e-9
    if s.attained:
        assert found.ratio >= 0.99


SHARP = [s for s in STATEMENTS if s.equal or s.attained]


@pytest.mark.parametrize("s", SHARP, ids=list(named(SHARP)))
def test_a_stronger_statement_falls(s):
    """What is attained, or equal, cannot be a little smaller: else the search, or the statement, sees nothing."""
    size = s.sizes[: s.short or None]
    short_of = 1.5e-2

    def stronger(i):
        left, right = s.sides(i)
        if s.equal:
            return left + short_of * max(1.0, abs(left)), right
        return left, right - short_of * max(abs(right), 1e-6)

    assert search(stronger, s.instances, size, s.equal).broken is not None


def test_a_claim_is_judged_with_room_for_rounding_only():
    assert not fails(1.0, 1.0)
    assert not fails(1.0 + 1e-10, 1.0)
    assert fails(1.0 + 1e-8, 1.0)
    assert fails(math.nan, 1.0)
    assert not fails(5.0, math.inf)
    assert fails(0.0, 1.0, equal=True)
    assert not fails(1.0, 1.0 + 1e-10, equal=True)


# Errata.


@pytest.mark.parametrize("e", ERRATA, ids=list(named(ERRATA)))
def test_what_is_printed_is_refuted_and_what_is_right_survives(e):
    wrong, right = e.refuted(), e.survived(short=True)
    assert wrong.broken is not None, f"{e.id}: the printed statement stands"
    instance, left, limit = wrong.broken
    assert fails(left, limit, e.equal)
    assert e.claim(instance) == (left, limit)  # the instance alone is the counterexample
    assert right.broken is None, f"{e.id}: the corrected statement falls at {right.broken}"
    assert right.instances >= wrong.instances or e.short


@pytest.mark.parametrize("e", ERRATA, ids=list(named(ERRATA)))
def test_nothing_smaller_refutes_it(e):
    """The counterexample is the first of its kind: every instance before it keeps the printed claim."""
    at = e.refuted()
    before = 0
    for size in e.sizes:
        for instance in e.instances(size):
            if before == at.instances - 1:
                assert str(instance) == str(at.broken[0])
                return
            assert not fails(*e.claim(instance), e.equal)
            before += 1


def test_known_counterexamples_are_found_again():
    """Those that are known from elsewhere: at least as small."""
    found = {e.id: e for e in ERRATA}
    assert found["E-EWA-ETA"].refuted().broken[0] == (40, 2)  # a constant sequence needs 41 rounds
    assert len(found["E-HEDGE01"].refuted().broken[0]) == 6
    assert found["E-SIM"].refuted().broken[0] <= 13
    assert len(found["E-MT-TASKS"].refuted().broken[0][0]) <= 20
    assert len(found["E-ANYTIME-C"].refuted().broken[0][0]) <= 10
    assert found["E-W2-LOG"].refuted().broken[0] == (256, 1)
    assert found["E-BANDIT-MIN"].refuted().broken[0] == (2, 12)


# The pages.


def test_a_broken_theorem_is_shown_and_fails():
    kept = Line("T-EWA", "hedge", "surely", "scatter", 10, 0.96, "T = 4")
    line = replace(kept, ratio=1.2, broken="T = 3")
    text = pages.table([kept, line], 0)
    assert "1 violation." in text
    assert "**broken**: T = 3" in text
    assert "no violations" in pages.table([kept], 0)


def test_what_is_attained_is_asked_for():
    lines = [
        Line(id, "hedge", "surely", "scatter", 10, least, "")
        for id, least in campaign.ATTAINED.items()
    ]
    assert campaign.shortfalls(lines) == []
    weak = [replace(line, ratio=0.9) if line.theorem == "T-EWA" else line for line in lines]
    assert campaign.shortfalls(weak) == ["T-EWA: 0.9000 < 0.98"]


def test_a_statement_that_falls_says_where():
    false = replace(HOEFFDING, sides=lambda i: (HOEFFDING.sides(i)[0], 0.5), sizes=(2,))
    line = campaign.row_of(false, attack_statement(false))
    assert isinstance(false, Statement)
    assert line.broken


def test_a_page_counts_what_it_shows():
    text = (DOCS / "falsify" / "campaign.md").read_text(encoding="utf-8")
    lines = pages.read(DOCS / "falsify")
    said = re.search(r"([\d,]+) runs of learners and ([\d,]+) instances", text)
    shown = [
        sum(line.runs for line in lines if (line.who == "statement") == statement)
        for statement in (False, True)
    ]
    assert [int(v.replace(",", "")) for v in said.groups()] == shown
    left = sum(len(re.findall(rf"^- \[{line.theorem}\]", text, re.M)) for line in lines)
    assert left == 0  # what is in the table is not said to be left out


def test_a_page_is_read_as_it_was_written(tmp_path):
    lines = [
        Line(
            "T-EWA", "hedge", "surely", "literature, sweep", 1234, 0.9813, "sweep: T = 68, eta=0.1"
        ),
        Line("T-FOURIER", "statement", "surely", "25 values of |x|", 75, math.nan, "largest 1e-3"),
        Line("T-HOEFFDING", "statement", "surely", "laws", 3, 0.0, ""),
    ]
    pages.write(tmp_path, lines, None, 0)
    again = pages.read(tmp_path)
    assert [line.at for line in again] == [line.at for line in lines]
    assert str(again) == str(lines)
    assert not (tmp_path / "errata.md").exists()


def test_only_some_rows_are_attacked_again(monkeypatch):
    def old(runs):
        return [
            *(Line(id, key, "surely", "", runs, 0.5, "before") for key, id in theorems()),
            *(Line(s.id, "statement", "surely", "", runs, 0.5, "before") for s in STATEMENTS),
        ]

    found = campaign.survey(SHORT, only=["T-TANK"], before=old(7))
    assert len(found) == len(old(7))
    assert [line.theorem for line in found if line.at != "before"] == ["T-TANK"]


def test_every_statement_of_the_ledger_is_attacked_or_the_page_says_why():
    ledger = (DOCS / "ledger.md").read_text(encoding="utf-8")
    ids = set(re.findall(r"^#### (T-\S+)$", ledger, re.M))
    table = (DOCS / "falsify" / "campaign.md").read_text(encoding="utf-8")
    shown = {line.theorem for line in pages.read(DOCS / "falsify")}
    left = set(re.findall(r"^- \[(T-[A-Z0-9-]+)\]\(.*: \S", table, re.M))
    assert len(ids) > 150
    assert ids - shown - left == set()


def test_the_pages_are_those_of_these_theorems():
    """The table has every theorem and statement; the gallery has every erratum, as the search finds it."""
    table = (DOCS / "falsify" / "campaign.md").read_text(encoding="utf-8")
    ids = {id for _, id in theorems()} | {s.id for s in STATEMENTS}
    assert ids <= set(re.findall(r"\[((?:[AT])-[A-Z0-9-]+)\]", table))
    assert "no violations" in table
    text = (DOCS / "falsify" / "errata.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)$", text, re.M) == [e.id for e in ERRATA]
    for e in ERRATA:
        if e.id in ("E-DELTA", "E-SIM", "E-HALV-VOTE"):
            assert e.show(e.refuted().broken[0]) in text


def test_theorems_about_fitted_models_are_attacked_too():
    """The registry knows them all; each is a statement of the campaign, or the page says why not."""
    from littlestone_lectures.statements import LEFT

    from littlestone.core.registry import guarantees

    carried = {id for _, id in theorems()}
    ours = {id for id, g in guarantees().items() if g.bound.__module__.startswith("littlestone.")}
    assert carried <= ours
    assert len(ours - carried) >= 6
    assert ours - carried - {s.id for s in STATEMENTS} - set(LEFT) == set()
