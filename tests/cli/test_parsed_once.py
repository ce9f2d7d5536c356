"""A file is opened and parsed once, also where its outcomes must be looked at before a learner is chosen."""

import json
import os
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.test_cli import call, rows_of
from cli.test_cli import table as advice
from cli.test_cli_examples import examples, libsvm, signs, table
from support.reading import holds_classes, open_stream

from littlestone.core.errors import BadInput
from littlestone.streams import files
from littlestone.streams.csv import csv_head, csv_rows
from littlestone.streams.files import OpenFile
from littlestone.streams.options import ReadOptions
from littlestone.streams.source import Source
from littlestone.streams.tables import table_rounds

NO_PAGE = ("--report", "")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    return tmp_path


@pytest.fixture
def opened(monkeypatch):
    """How often each file was opened, and how often each of its readers was made."""
    counts: Counter[str] = Counter()

    class Counted(Source):
        def __init__(self, path, encoding=None):
            counts[Path(path).name] += 1
            super().__init__(path, encoding)

    monkeypatch.setattr(files, "Source", Counted)
    for reader in ("CsvFile", "ParquetFile", "JsonLines", "ArffFile"):
        original = getattr(files, reader)

        def make(source, *rest, original=original):
            counts[f"rows of {source.name}"] += 1
            return original(source, *rest)

        monkeypatch.setattr(files, reader, make)
    return counts


def small_pieces(monkeypatch):
    """Files of a few lines are large."""
    monkeypatch.setattr(table_rounds, "WHOLE", 800)
    monkeypatch.setattr(table_rounds, "PIECE", 300)
    monkeypatch.setattr(csv_head, "HEAD", 600)
    monkeypatch.setattr(csv_rows, "BLOCK", 400)


def electricity_like(path="electricity.csv", rows=60):
    x, y = examples(rows)
    table(path, x, y, day=[t % 3 for t in range(rows)])


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--outcome", "answer"),
        ("--predictions", "predictions.csv"),
        ("--learner", "perceptron"),
        ("--features", "!day"),
        ("--delay", 3),
        ("--delay", 3, "--one-copy", "--predictions", "p.parquet"),
        ("--passes", 3),
        ("--by", "day"),
        ("-f", "m.ls"),
    ],
)
def test_run_parses_a_csv_file_once(opened, words):
    electricity_like()
    call("run", "electricity.csv", *words, *NO_PAGE)
    assert opened == {"electricity.csv": 1, "rows of electricity.csv": 1}


@pytest.mark.parametrize(
    "words", [("--outcome", "y"), ("--losses",), ("--outcome", "y", "--delay", 2)]
)
def test_run_parses_advice_once(opened, words):
    advice("a.csv")
    call("run", "a.csv", *words, *NO_PAGE)
    assert opened == {"a.csv": 1, "rows of a.csv": 1}


def test_run_parses_the_test_file_once_too(opened):
    electricity_like()
    electricity_like("test.csv", 40)
    electricity_like("unlabelled.csv", 40)
    lines = Path("unlabelled.csv").read_text(encoding="utf-8").splitlines()
    Path("unlabelled.csv").write_text(
        "\n".join(line.rpartition(",")[0] for line in lines) + "\n", encoding="utf-8"
    )
    call("run", "electricity.csv", "--test", "test.csv", "-f", "m.ls", *NO_PAGE)
    assert opened == dict.fromkeys(
        ["electricity.csv", "test.csv", "rows of electricity.csv", "rows of test.csv"], 1
    )
    opened.clear()
    call("run", "-i", "m.ls", "--test", "test.csv", "--predictions", "p.csv")
    assert opened == {"test.csv": 1, "rows of test.csv": 1}
    opened.clear()
    # the last column is taken for the outcome, and then, as it holds no class that is known, for a feature
    out = call("run", "-i", "m.ls", "--test", "unlabelled.csv").stdout
    assert out == "test unlabelled.csv: 40 rows without an answer, predicted\n"
    assert opened == {"unlabelled.csv": 1, "rows of unlabelled.csv": 1}


def write_as(form, rows):
    path = f"a.{form}"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif form == "jsonl":
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        head = "@relation r\n" + "".join(f"@attribute {n} numeric\n" for n in "abc")
        head += "@attribute answer {no,yes}\n@data\n"
        Path(path).write_text(
            head + "".join(",".join(map(str, r.values())) + "\n" for r in rows), encoding="utf-8"
        )
    return path


@pytest.mark.parametrize("command", ["run", "compare"])
@pytest.mark.parametrize("form", ["parquet", "jsonl", "arff"])
def test_other_tables_are_parsed_once(opened, form, command):
    x, y = examples(60)
    rows = [
        {**dict(zip("abc", map(float, r), strict=True)), "answer": str(v)}
        for r, v in zip(x, y, strict=True)
    ]
    path = write_as(form, rows)
    call(command, path, "--outcome", "answer", "-b", 5, *NO_PAGE)
    assert opened == {path: 1, f"rows of {path}": 1}


@pytest.mark.parametrize("command", ["run", "compare"])
def test_text_files_are_opened_once(opened, command):
    x, y = examples(60)
    libsvm("a.libsvm", x, signs(y))
    call(command, "a.libsvm", *NO_PAGE)
    assert opened == {"a.libsvm": 1}


def test_learners_that_are_compared_share_what_was_parsed(opened):
    electricity_like()
    keys = ("perceptron", "logistic", "online-linear", "arow")
    words = [word for key in keys for word in ("--learner", key)]
    together = rows_of("compare", "electricity.csv", *words)
    assert opened == {"electricity.csv": 1, "rows of electricity.csv": 1}
    for row in together:
        (alone,) = rows_of("run", "electricity.csv", "--learner", row["learner"])
        for name in ("loss", "mistakes", "rounds", "certificate"):
            assert row[name] == alone[name]


def test_standard_input_is_understood_as_the_same_file_is():
    electricity_like()
    (file,) = rows_of("run", "electricity.csv")
    (pipe,) = rows_of("run", "-", stdin=Path("electricity.csv").read_bytes())
    assert (pipe["learner"], pipe["loss"]) == (file["learner"], file["loss"])
    # the first lines look like two classes; that they are numbers shows later
    late = "".join(f"1,{t}.5\n" for t in range(30))
    Path("late.csv").write_text("a,y\n" + "1,0\n2,1\n" * 20 + late, encoding="utf-8")
    (file,) = rows_of("run", "late.csv", "--outcome", "y")
    (pipe,) = rows_of("run", "-", "--outcome", "y", stdin=Path("late.csv").read_bytes())
    assert (pipe["learner"], pipe["loss"]) == (file["learner"], file["loss"])


# Files that are not kept whole.


def test_a_large_file_is_parsed_once_for_one_learner(opened, monkeypatch):
    electricity_like()
    (small,) = rows_of("run", "electricity.csv")
    small_pieces(monkeypatch)
    opened.clear()
    (large,) = rows_of("run", "electricity.csv")
    assert opened == {"electricity.csv": 1, "rows of electricity.csv": 1}
    assert (large["rounds"], large["mistakes"]) == (small["rounds"], small["mistakes"])
    advice("a.csv")
    call("run", "a.csv", "--outcome", "y", *NO_PAGE)
    assert opened["rows of a.csv"] == 1


def test_a_large_file_is_opened_again_for_the_next_learner_and_the_next_pass(opened, monkeypatch):
    small_pieces(monkeypatch)
    electricity_like()
    words = ("--learner", "perceptron", "--learner", "logistic")
    rows_of("compare", "electricity.csv", *words)
    assert opened["rows of electricity.csv"] == 2
    opened.clear()
    rows_of("run", "electricity.csv", "--learner", "perceptron", "--passes", 3)
    assert opened["rows of electricity.csv"] == 3


def test_fewer_columns_of_a_large_file_than_were_looked_at_are_a_second_look(opened, monkeypatch):
    """The text column was parsed to see what the outcome is; experts are numbers, and need a parse without it."""
    small_pieces(monkeypatch)
    rng = np.random.default_rng(0)
    y = rng.random(3000)
    near = y[:, None] + 0.1 * rng.normal(size=(3000, 2))  # so that they are forecasts
    lines = [f"{'ab'[t % 2]},{p},{q},{y[t]}\n" for t, (p, q) in enumerate(near)]
    Path("a.csv").write_text("".join(["word,p,q,y\n", *lines]), encoding="utf-8")
    (row,) = rows_of("run", "a.csv", "--outcome", "y")
    assert row["learner"] == "tracker"
    assert opened["rows of a.csv"] == 2


# OpenFile itself.


def test_what_was_read_for_other_columns_is_used_only_if_it_is_the_same(opened):
    Path("a.csv").write_text("a,b,c,y\n" + "1,2,x,0\n3,4,z,1\n" * 20, encoding="utf-8")
    file = OpenFile("a.csv")
    assert holds_classes(file, outcome="y")
    fewer = open_stream(file, outcome="y", features=["b"], examples=True)
    assert fewer.batches[0].x[:, 0].tolist() == [2.0, 4.0] * 20
    losses = open_stream(file, losses=True, experts=["a", "y"])
    assert losses.batches[0].y[:2].tolist() == [[1.0, 0.0], [3.0, 1.0]]
    assert opened["rows of a.csv"] == 1
    keyed = open_stream(file, outcome="y", by="a")  # as a key it is the whole number 1, not 1.0
    assert [str(key) for key in keyed.batches[0].key[:2]] == ["1", "3"]
    assert opened["rows of a.csv"] == 2


def test_lines_that_were_skipped_for_another_column_are_not_lost(opened):
    rows = ["1,2,0", "2,abc,1", *["3,4,1", "5,6,0"] * 20]
    Path("a.csv").write_text("a,b,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    file = OpenFile("a.csv", ReadOptions(on_bad_line="skip"))
    assert holds_classes(file, outcome="y")
    assert open_stream(file, outcome="y", examples=True, on_bad_line="skip").rounds == 41
    stream = open_stream(file, outcome="y", features=["a"], examples=True, on_bad_line="skip")
    assert stream.rounds == 42
    assert opened["rows of a.csv"] == 2


def test_a_pipe_that_could_not_be_read_says_why(opened):
    said = call("run", "-", stdin="a,b,y\n1,2,0\n1,2\n", code=2).stderr
    assert "line 3" in said
    assert "the header has 3" in said


def test_a_pipe_is_read_only_once():
    os.mkfifo("pipe")
    text = "a,b,y\n" + "1,3,0\n2,4,1\n" * 20

    def write():
        Path("pipe").write_text(text, encoding="utf-8")

    thread = threading.Thread(target=write)
    thread.start()
    file = OpenFile("pipe")
    assert open_stream(file, examples=True, features=["a"], outcome="y").rounds == 40
    thread.join()
    with pytest.raises(BadInput, match="pipe can be read only once"):
        open_stream(file, examples=True, features=["b"], outcome="y")
