"""How a table's names were hashed: one object, which files hold and rows by name are hashed with."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.stream import Stream
from littlestone.settings.hashed_names import HashedNames

TABLE = HashedNames(10, (("colour", True), ("note", True), ("size", False)), ("note",), 2)


def test_what_is_saved_comes_back():
    saved = TABLE.to_save()
    assert saved == {
        "bits": 10,
        "columns": [["colour", True], ["note", True], ["size", False]],
        "words": ["note"],
        "ngram": 2,
    }
    assert HashedNames.saved(**saved) == TABLE
    assert HashedNames().to_save() == {"bits": None}


def test_a_stream_that_says_nothing_changes_nothing():
    assert TABLE.as_in(Stream([], ())) == TABLE
    other = TABLE.as_in(Stream([], (), words=("text",), ngram=1, bits=12))
    assert (other.bits, other.words, other.ngram, other.columns) == (
        12,
        ("text",),
        1,
        TABLE.columns,
    )


def test_a_row_is_hashed_as_its_table_was():
    index, value = TABLE.features({"colour": "red", "note": "so it is", "size": 2.5}, "perceptron")
    assert len(index) == len(value) == 7  # red; three words and two pairs of them; the size
    assert value.tolist().count(2.5) == 1
    with pytest.raises(ls.BadInput, match="column 'size' must be a number"):
        TABLE.features({"colour": "red", "note": "so", "size": "large"}, "perceptron")


def test_a_learner_remembers_columns_and_words_together(tmp_path, monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    lines = [f"{'red' if i % 2 else 'blue'},a note {i} of words here,{i % 2}" for i in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("colour,note,label\n" + "\n".join(lines) + "\n")
    run = ls.play("perceptron", path, outcome="label", text="note", ngram=2, bits=10)
    names = run.learner.live.setting.hashed
    assert names.names == ["colour", "note"]
    assert (names.words, names.ngram, names.bits) == (("note",), 2, 10)
    run.learner.save(tmp_path / "p.ls")
    again = ls.load(tmp_path / "p.ls")
    assert again.live.setting.hashed == names
    row = {"colour": "red", "note": "a note 7 of words here"}
    assert again.predict(row) == run.learner.predict(row) == 1
    assert np.isfinite(run.loss)
