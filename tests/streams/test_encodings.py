"""Files as other programs write them: UTF-16, sep=;, comments above the names, bzip2 and xz; and small words."""

import bz2
import gzip
import lzma
import re
import zipfile

import pandas as pd
import pytest
from cli.test_cli import call, here, refused  # noqa: F401 - a fixture that every test uses
from support.reading import open_stream

import littlestone as ls
from littlestone.core.errors import BadInput

TEXT = "y,a,b\n1,2,3\n4,5,6\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", TEXT.encode("utf-16")),
        ("t.csv", b"sep=;\r\n" + TEXT.replace(",", ";").encode()),
        ("t.csv", b"# made by hand\n#\n" + TEXT.encode()),
        ("t.csv.bz2", bz2.compress(TEXT.encode())),
        ("t.csv.xz", lzma.compress(TEXT.encode())),
    ],
    ids=["utf-16", "sep", "comments", "bzip2", "xz"],
)
def test_what_other_programs_write_is_read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    stream = open_stream(path, "y")
    assert stream.names == ("a", "b")
    assert stream.batches[0].x.tolist() == [[2, 3], [5, 6]]
    assert stream.batches[0].y.tolist() == [1, 4]


def test_latin_1_is_refused_with_the_option_that_reads_it(tmp_path):
    text = "y,größe,ort\n" + "1,2,Köln\n0,1,Rom\n" * 10
    (tmp_path / "t.csv").write_bytes(text.encode("latin-1"))
    (tmp_path / "u.csv").write_text(text, encoding="utf-8")
    assert "--encoding latin-1 for Western Europe" in refused("run", "t.csv", "--outcome", "y")
    (tmp_path / "late.csv").write_bytes(text.replace("größe", "a").encode("latin-1"))
    assert "row 1 is not UTF-8 text; say how it is written: --encoding latin-1" in refused(
        "run", "late.csv", "--outcome", "ort"
    )
    words = ["--outcome", "y", "--no-certify", "--json"]
    ours = call("run", "t.csv", *words, "--encoding", "latin-1").stdout.replace("t.csv", "u.csv")
    assert without_time(ours) == without_time(call("run", "u.csv", *words).stdout)
    stream = open_stream(tmp_path / "t.csv", "y", examples=True, encoding="cp1252")
    assert [name for name, _ in stream.columns] == ["größe", "ort"]
    assert "is no encoding of text" in refused("run", "t.csv", "--encoding", "latin-99")
    (tmp_path / "w.csv").write_bytes(b"y,\x81\n1,2\n")
    assert "is not cp1252 text: byte 2 cannot be read" in refused(
        "run", "w.csv", "--outcome", "y", "--encoding", "cp1252"
    )


def without_time(text):
    return re.sub(r'"seconds": [^,]*', "", text)


def test_every_text_format_has_an_encoding(tmp_path):
    lines = {
        "t.jsonl": '{"y": 1, "ort": "Köln"}\n{"y": 0, "ort": "Rom"}\n' * 3,
        "t.arff": "@relation r\n@attribute ort {Köln,Rom}\n@attribute y {0,1}\n@data\nKöln,1\nRom,0\n",
        "t.vw": "1 |n Köln\n-1 |n Rom\n",
    }
    for name, text in lines.items():
        (tmp_path / name).write_bytes(text.encode("latin-1"))
        there = open_stream(tmp_path / name, examples=None, labels="auto", encoding="latin-1")
        (tmp_path / name).write_text(text, encoding="utf-8")
        plain = open_stream(tmp_path / name, examples=None, labels="auto")
        (ours,), (theirs,) = there.batches, plain.batches
        assert ours.x.index.tolist() == theirs.x.index.tolist()


def test_utf_16_without_a_mark_is_refused_with_the_option_that_reads_it(tmp_path):
    (tmp_path / "t.csv").write_bytes(TEXT.encode("utf-16-le"))
    assert "--encoding utf-16-le reads it" in refused("run", "t.csv", "--outcome", "y")
    stream = open_stream(tmp_path / "t.csv", "y", encoding="utf-16-le")
    assert stream.batches[0].y.tolist() == [1, 4]
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TEXT.encode("utf-16")))
    assert open_stream(tmp_path / "t.csv.gz", "y").names == ("a", "b")


def test_a_zip_file_with_one_table_is_read(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/._t.jsonl", b"\0")
        archive.writestr("t.jsonl", '{"y": 1.5, "a": 2}\n{"y": 2.5, "a": 3}\n')
    assert open_stream(path, examples=None).batches[0].y.tolist() == [1.5, 2.5]
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("u.jsonl", "")
    assert "holds 2 files: 't.jsonl', 'u.jsonl'" in refused("run", "t.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "")
    assert "t.zip is an Excel file; save the table as CSV" in refused("run", "t.zip")
    path.write_bytes(b"PK\x03\x04 and no more")
    assert "is cut off or damaged" in refused("run", "t.zip")
    assert "cannot be read from a pipe" in refused("run", "-", stdin=path.read_bytes())


@pytest.mark.parametrize(
    "above", ["Prices of June\n\n", "Prices of June,,\n", '"made in Rome, Italy"\n# by hand\n']
)
def test_a_title_above_the_names_is_left_out_and_said(tmp_path, above):
    (tmp_path / "t.csv").write_text(above.replace("# by hand\n", "") + TEXT, encoding="utf-8")
    stream = open_stream(tmp_path / "t.csv", "y")
    assert stream.names == ("a", "b")
    assert stream.batches[0].y.tolist() == [1, 4]
    assert "above the names of the columns is a title" in stream.notes[0]
    (tmp_path / "bad.csv").write_text("Prices of June\n\n" + TEXT + "7,8\n", encoding="utf-8")
    assert "bad.csv, line 6: row 3 has 2 columns" in refused("run", "bad.csv", "--outcome", "y")


def test_an_index_without_a_name_is_no_title(tmp_path):
    for text, names in ((",y\n0,1.5\n1,2.5\n", ("",)), ("y\n1\n2\n", ("y",))):
        (tmp_path / "t.csv").write_text(text, encoding="utf-8")
        losses = open_stream(tmp_path / "t.csv", losses=True)
        assert losses.names[-1] == "y", names


def test_a_short_column_of_names_or_of_sentences_holds_no_classes(tmp_path):
    """The last column of a table of breaches, 206 paragraphs, was taken for 206 classes: gigabytes, and no answer."""
    names = "".join(f"{i % 7},person {i}\n" for i in range(60))
    (tmp_path / "names.csv").write_text("a,b\n" + names, encoding="utf-8")
    said = refused("run", "names.csv")
    assert "60 different texts in 60 rows, as in 'person 0': such a column names rows" in said
    prose = "".join(f"{i % 7},{f'case {i % 60} ' * 12}\n" for i in range(240))
    (tmp_path / "prose.csv").write_text("a,b\n" + prose, encoding="utf-8")
    said = refused("run", "prose.csv")
    assert "60 different texts in 240 rows" in said
    assert "holds sentences rather than classes; name another outcome" in said


def test_labels_that_come_once_are_refused_with_their_number(tmp_path, monkeypatch):
    rows = "".join(f"order{i},{i % 7}\n" for i in range(1200))
    (tmp_path / "t.csv").write_text("label,a\n" + rows, encoding="utf-8")
    assert "--outcome: 1,200 different texts in 1,200 rows, as in 'order0'" in refused(
        "run", "t.csv", "--outcome", "label"
    )
    monkeypatch.setattr("littlestone.settings.sizes.memory", lambda: 1e5)
    monkeypatch.setattr("littlestone.settings.sizes.MANY", 100)
    said = refused("run", "t.csv", "--outcome", "label", "--task", "classification")
    assert "1,200 classes would take" in said


def test_a_class_a_row_takes_linear_time(tmp_path):
    text = "label,a\n" + "".join(f"w{i},{i % 7}\n" for i in range(300))
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    from littlestone.cli.follow import Followed

    calls = []
    place = Followed.place

    def counted(self, label):
        calls.append(label)
        return place(self, label)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Followed, "place", counted)
        call("run", "t.csv", "--outcome", "label", "--task", "classification", "--no-certify")
    assert len(calls) < 1000  # it was 300^2


def test_columns_that_pandas_counts_have_their_numbers_for_names():
    run = ls.play("tracker", pd.DataFrame([[1.0, 2.0], [2.0, 3.0]]), outcome=0, engine="plain")
    assert (run.stream.outcome, run.names) == ("0", ("1",))


def test_small_mistakes_are_named():
    frame = pd.DataFrame({"y": [1.0, 1e200], "a": [1.0, 2.0]})
    with pytest.raises(BadInput, match=r"row 2, column 'y': 1e\+200; it is too large"):
        ls.play("tracker", frame, outcome="y")
    with pytest.raises(BadInput, match="progress must be a function"):
        ls.play("tracker", frame, outcome="y", progress=True)
    with pytest.raises(BadInput, match=r"Hedge is a class: play a learner of it, as in Hedge\(\)"):
        ls.play(ls.Hedge, [[0.0, 1.0]])
    said = refused("bandit", "--rounds", 0)
    assert "--rounds must be a whole number, 1 or more, not 0" in said


def test_a_loss_without_an_interval_is_shown_as_it_is_written():
    assert repr(ls.Square()) == "Square()"
    assert repr(ls.Square(low=0.0, high=2.0)) == "Square(low=0.0, high=2.0)"
    assert repr(ls.Pinball(quantile=0.9)) == "Pinball(quantile=0.9)"
    assert "nan" not in repr(ls.Tracker(loss=ls.Square()))
