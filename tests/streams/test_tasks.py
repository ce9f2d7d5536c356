"""Which task the outcomes are: numbers as people write them, slips, whole numbers with forecasts of them."""

import numpy as np
import pandas as pd
import pytest
from cli.test_cli import call, here, refused  # noqa: F401 - a fixture that every test uses
from support.reading import holds_classes, open_stream

import littlestone as ls
from littlestone.core.errors import BadFile, BadInput
from littlestone.streams.files import OpenFile


def table(name, rows, header="y,a,b"):
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join([header, *rows]) + "\n")
    return name


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (lambda v: f'"{v:,.2f}"', 1000.5),
        (
            lambda v: '"' + f"{v:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".") + '"',
            1000.5,
        ),
        (lambda v: f"€{v:.2f}", 1000.5),
        (lambda v: f'"$ {v:,.2f}"', 1000.5),
        (lambda v: f"{v:.1f}%", 1000.5),
        (lambda v: "-" if v == 1003.5 else f"{v:.2f}", 1000.5),
    ],
)
def test_numbers_as_people_write_them_are_numbers(write, value):
    rows = [",".join(write(1000.5 + i + j) for j in (0, 0.4, -0.2)) for i in range(200)]
    path = table("t.csv", rows)
    stream = open_stream(path, "y")
    assert stream.batches[0].y[0] == value
    assert any("is read as numbers" in note for note in stream.notes)
    assert not holds_classes(OpenFile(path), outcome="y")
    frame = pd.read_csv(path, dtype=str)
    if "-" not in set(frame["y"]):  # else the other columns are plain numbers, as text
        assert open_stream(frame, "y").batches[0].y[0] == value


def test_one_word_among_numbers_is_refused_with_its_line_or_skipped():
    rows = [f"{'oops' if i == 77 else i / 7:},{i},{i}" for i in range(2000)]
    table("t.csv", rows)
    for learner in ("online-linear", "tracker"):
        said = refused("run", "t.csv", "--outcome", "y", "--report", "", "--learner", learner)
        assert "'y' holds numbers, but row 78 is 'oops' (line 79: 'oops,77,77')" in said
        assert "--task classification" in said
        assert "--on-bad-line skip" in said
    assert open_stream("t.csv", "y", on_bad_line="skip").rounds == 1999
    grown = open_stream("t.csv", "y", examples=True, labels="classes")
    assert len(grown.labels) == 2000
    outcomes = ["oops" if i == 7 else str(i) for i in range(30)]
    with pytest.raises(BadInput, match="nearly all are numbers, but row 8 is 'oops'"):
        ls.play("online-linear", np.ones((30, 1)), outcomes)


def test_an_expert_with_one_bad_cell_is_not_dropped_with_a_note():
    table("t.csv", [f"{i},{'n.a.?' if i == 3 else i},{i}" for i in range(100)])
    said = refused("run", "t.csv", "--outcome", "y", "--report", "")
    assert "--experts: 'a' holds numbers, but row 4 is 'n.a.?' (line 5:" in said
    assert open_stream("t.csv", "y", on_bad_line="skip").rounds == 99


def test_whole_numbers_with_forecasts_of_them_are_numbers():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 12, 600)
    table("t.csv", [f"{v},{v + rng.normal(0, 0.3):.3f},{v + rng.normal(0, 0.5):.3f}" for v in y])
    assert not holds_classes(OpenFile("t.csv"), outcome="y")
    said = call("run", "t.csv", "--outcome", "y", "--report", "").output
    first = " ".join(said.splitlines()[:2])
    assert first.startswith("task: forecasting 'y' with 2 experts: it holds whole numbers that")
    classes = rng.integers(0, 3, 300)  # features on another scale: labels, as before
    table("c.csv", [f"{v},{10 * v + rng.normal():.3f},{rng.normal():.3f}" for v in classes])
    assert holds_classes(OpenFile("c.csv"), outcome="y")


def test_the_task_is_the_first_line_and_can_be_decided():
    table("t.csv", [f"{i % 3},{i % 3 + 5},{i % 2}" for i in range(90)])
    words = ["run", "t.csv", "--outcome", "y", "--report", ""]
    assert call(*words).output.startswith(
        "task: classification of 'y' (3 classes), as it holds few"
    )
    said = call(*words, "--task", "regression").output
    assert said.startswith("task: regression of 'y' from 2 columns ('a', 'b'), as --task says")
    assert call(*words, "--task", "forecasting").output.startswith(
        "task: forecasting 'y' with 2 experts"
    )
    assert "say it once" in refused(*words, "--task", "regression", "--numbers")
    assert "tracker combines forecasts" in refused(
        *words, "--task", "classification", "--learner", "tracker"
    )
    frame = pd.read_csv("t.csv")
    assert ls.play("online-linear", frame, outcome="y", task="regression").stream.labels is None
    assert ls.play("online-linear", frame, outcome="y", task="classification").stream.labels == [
        0,
        1,
        2,
    ]
    with pytest.raises(BadInput, match="task must be one of"):
        ls.play("online-linear", frame, outcome="y", task="guess")


def test_a_frame_without_an_outcome_is_asked_for_one():
    frame = pd.DataFrame({"y": [0.0, 1.0], "a": [0.0, 1.0]})
    with pytest.raises(BadInput, match=r"which column is the outcome.*losses=True"):
        ls.play("tracker", frame)
    assert ls.play("hedge", frame, losses=True).names == ("y", "a")


def test_wide_tables_take_linear_time():
    """3 rows of 8,000 columns took 95 s; types and choices were looked up in lists, for each column."""
    import time

    def seconds(columns, cell):
        rows = [",".join(["1.5", *[cell] * columns])] * 3
        table("w.csv", rows, ",".join(["y", *(f"c{i}" for i in range(columns))]))
        began = time.process_time()
        stream = open_stream("w.csv", "y", examples=True)
        assert stream.rounds == 3
        return time.process_time() - began

    for cell in ("0.5", "x"):
        seconds(100, cell)
        assert seconds(8_000, cell) < 24 * max(seconds(1_000, cell), 0.1)  # quadratic: 64
    table("w.csv", ["1,2"], ",".join(f"c{i}" for i in range(100_001)))
    with pytest.raises(BadFile, match=r"100,001 columns.*as libsvm"):
        open_stream("w.csv", "c0")
