"""Graphs at the command line: tables of labels with more columns than the vertices, and loops."""

import itertools
import json

import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli.main import main

LABELS = "id,name,label\n{0},Ann,1\n{1},Bob,1\n{2},Cy,0\n{3},Di,0\n"
GRAPHS = {"names": "abcd", "numbers": "1234", "from 0": "0123"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    return tmp_path


def write(here, vertices, more=""):
    edges = "".join(f"{a},{b}\n" for a, b in itertools.pairwise(vertices))
    (here / "edges.csv").write_text(f"id_1,id_2\n{edges}{more}", encoding="utf-8")
    (here / "labels.csv").write_text(LABELS.format(*vertices), encoding="utf-8")


def asked(*words):
    whole = ("run", "labels.csv", "--outcome", "label", "--graph", "edges.csv", "--json", *words)
    return CliRunner().invoke(main, whole)


@pytest.mark.parametrize("vertices", GRAPHS.values(), ids=GRAPHS)
def test_labels_with_id_and_name(here, vertices):
    write(here, vertices)
    found = asked()
    assert found.exit_code == 0, found.stderr
    notes = json.loads(found.stdout)[0]["notes"]
    assert any(note.startswith("'id' names the vertices") for note in notes)
    assert "left out: 'name' (text)" in notes
    alone = asked("--features", "id")
    assert json.loads(alone.stdout)[0]["loss"] == json.loads(found.stdout)[0]["loss"]


@pytest.mark.parametrize("vertices", GRAPHS.values(), ids=GRAPHS)
def test_the_wrong_column_is_named(here, vertices):
    write(here, vertices)
    found = asked("--features", "name")
    assert found.exit_code == 2
    assert "row 1: 'Ann' is not a vertex of the graph" in found.stderr
    assert "(of column 'name'; name another with --features)" in found.stderr


@pytest.mark.parametrize("bad", ["9", "-1", "1.5"])
def test_a_vertex_that_is_not_there_is_named(here, bad):
    write(here, "0123")
    text = (here / "labels.csv").read_text(encoding="utf-8").replace("2,Cy", f"{bad},Cy")
    (here / "labels.csv").write_text(text, encoding="utf-8")
    found = asked()
    assert found.exit_code == 2
    assert "row 3: " in found.stderr
    assert "is not a vertex of the graph; " in found.stderr
    assert "ts vertices are 0, 1, 2, 3" in found.stderr


def test_loops_are_refused_or_left_out(here):
    write(here, "abcd", "d,d\n")
    refused = asked()
    assert refused.exit_code == 2
    assert (
        refused.stderr
        == "littlestone: --graph: edges.csv, line 5: an edge from 'd' to itself; leave it out (--loops drop)\n"
    )
    dropped = asked("--loops", "drop")
    assert dropped.exit_code == 0, dropped.stderr
    write(here, "abcd")
    assert json.loads(dropped.stdout)[0]["loss"] == json.loads(asked().stdout)[0]["loss"]
    write(here, "abcd", "d,d\n")
    assert ls.graph("edges.csv", loops="drop").edges == 3
    several = CliRunner().invoke(
        main, ["compare", "labels.csv", "--outcome", "label", "--graph", "edges.csv", "--loops", "drop", "--json"]
    )  # fmt: skip
    assert len(json.loads(several.stdout)) == 3


def test_loops_without_a_graph(here):
    write(here, "abcd")
    found = CliRunner().invoke(main, ["run", "labels.csv", "--outcome", "label", "--loops", "drop"])
    assert found.exit_code == 2
    assert "--loops drop is about edges of a graph: add --graph FILE" in found.stderr
