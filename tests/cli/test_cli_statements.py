"""`show` and `falsify` with an id of the ledger, and `lecture`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from littlestone.cli.main import main


def call(*words, code=0):
    result = CliRunner().invoke(main, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def test_show_prints_a_statement():
    text = call("show", "T-NFL").stdout
    for part in (
        "a learner that remembers errs",
        "ledger",
        "An NFL theorem",
        "attacked by",
        "found",
    ):
        assert part in text
    record = json.loads(call("show", "e-sim", "--json").stdout)
    assert (record["id"], record["kind"]) == ("E-SIM", "erratum")


def test_show_still_prints_learners():
    assert "Hedge" in call("show", "hedge").stdout
    assert "--json is for ids" in call("show", "hedge", "--json", code=2).stderr


def test_an_unknown_id_is_one_line():
    said = call("show", "t-nfi", code=2).stderr
    assert said.startswith("littlestone: there is no statement 't-nfi'; did you mean ")
    assert said.count("\n") == 1
    assert "is no learner" not in said


def test_falsify_a_statement():
    assert "survived" in call("falsify", "T-BOOTSTRAP").stdout
    broken = call("falsify", "T-BOOTSTRAP", "--bound", "0.9*bound", code=1).stdout
    assert "smallest counterexample: 1" in broken
    record = json.loads(
        call("falsify", "T-BOOTSTRAP", "--bound", "0.9*bound", "--json", code=1).stdout
    )
    assert record["broken"] is True
    assert record["theorem"] == "T-BOOTSTRAP"
    assert record["runs"] == 1
    assert record["ratio"] == pytest.approx(1 / 0.9)


def test_falsify_an_erratum_shows_both():
    text = call("falsify", "E-SIM", code=1).stdout
    assert "printed: " in text
    assert "corrected: Vovk's prediction at eta = 2 has" in text


def test_falsify_a_theorem_of_a_learner_by_its_id():
    record = json.loads(call("falsify", "T-HEDGE", "--runs", "20", "--json").stdout)
    assert (record["theorem"], record["learner"]) == ("T-HEDGE", "hedge")


def test_what_is_for_learners_is_refused():
    said = call("falsify", "T-FOSTER", "--size", "3", "4", code=2).stderr
    assert (
        said
        == "littlestone: --size: T-FOSTER is attacked instance by instance, without a learner\n"
    )


def test_lectures_are_listed_and_printed():
    text = call("lecture").stdout
    assert text.splitlines()[0].split() == ["postech", "POSTECH:", "online", "learning"]
    assert [row["lecture"] for row in json.loads(call("lecture", "--json").stdout)][-1] == "ucl-9"
    assert call("lecture", "ucl-6", "--plain").stdout.startswith(
        "# UCL 6: graphs in machine learning\n"
    )
    page = call("lecture", "ucl-6").stdout
    assert "UCL 6: graphs in machine learning" in page
    assert "graphs.spielman()" in page
    assert "did you mean ucl-" in call("lecture", "ucl6", code=2).stderr
