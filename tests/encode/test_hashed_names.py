"""How a table's names were hashed: one object, which files hold and rows by name are hashed with."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.encode.hashed_names import HashedNames
from littlestone.encode.stream import Stream
from littlestone.testing.compare import same

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
    path.write_text("colour,note,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
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


@pytest.mark.parametrize("key", ["perceptron", "logistic", "softmax", "online-linear"])
@pytest.mark.parametrize("bits", [18, 4])  # hardly a collision, and some in most rows
def test_half_a_run_and_then_one_row_at_a_time_is_the_whole_run(key, bits, monkeypatch):
    """Whatever the order of the names in a row, and with zeros among the numbers."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    rng = np.random.default_rng(1)
    names = [f"name {i}" for i in range(40)]
    rows = [
        {names[i]: round(rng.normal(), 1) for i in rng.choice(40, 9, replace=False)}
        for _ in range(24)
    ]
    rows[20]["name 1"] = 0.0
    y = rng.choice(["a", "b"], 24).tolist()
    whole = ls.play(key, rows, y, bits=bits, horizon=24, labels=["a", "b"]).learner
    half = ls.play(key, rows[:12], y[:12], bits=bits, horizon=24, labels=["a", "b"]).learner
    back = [dict(reversed(row.items())) for row in rows]
    other = ls.play(key, back, y, bits=bits, horizon=24, labels=["a", "b"]).learner
    for row, label in zip(rows[12:], y[12:], strict=True):
        half.update(row, label)
    assert same(half.state, whole.state)
    assert same(other.state, whole.state)
