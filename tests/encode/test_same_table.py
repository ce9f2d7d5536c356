"""One table, handed over as CSV, a frame, JSON lines or a list of dicts: one result."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from support.reading import open_stream

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.encode.categories import NO_TEXT

pytestmark = pytest.mark.usefixtures("plain")
FORMS = ("csv", "frame", "json lines", "dicts")


def table(rows=40, seed=0):
    """Numbers, a category, names that hardly come twice, a date, a number that names rows, gaps, and a label."""
    rng = np.random.default_rng(seed)
    found = []
    for t in range(rows):
        age, city = round(float(rng.uniform(18, 80)), 2), ("Rome", "Oslo", "Bern")[t % 3]
        label = "yes" if (city == "Rome") == (age > 50) else "no"
        row = {
            "id": 900 + t,
            "age": None if t % 11 == 3 else age,
            "day": f"2024-03-{t % 28 + 1:02d}",
        }
        found.append(row | {"city": city, "name": f"n{t}", "old": bool(age > 60), "y": label})
    return found


def handed_over(form, rows, folder):
    if form == "dicts":
        return rows
    if form == "frame":
        return pd.DataFrame(rows).assign(day=lambda f: pd.to_datetime(f["day"]))
    path = folder / ("table.csv" if form == "csv" else "table.jsonl")
    if form == "json lines":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def opened(data, **options):
    return open_stream(data, outcome="y", examples=True, labels="grow", **options)


@pytest.mark.parametrize("form", FORMS)
def test_columns_are_the_same_in_every_form(form, tmp_path):
    rows = table(80)
    expected = opened(handed_over("csv", rows, tmp_path), categories=NO_TEXT)
    stream = opened(handed_over(form, rows, tmp_path), categories=NO_TEXT)
    assert stream.bits is None
    assert stream.names == expected.names
    assert stream.names[:3] == ("age", "city", "old")
    assert stream.categories == expected.categories
    x, y = (np.concatenate([b.x for b in s.batches]) for s in (stream, expected))
    assert np.array_equal(x, y)
    left_out = [note for note in stream.notes if "left out" in note]
    assert all(any(name in note for note in left_out) for name in ("'id'", "'day'"))


@pytest.mark.parametrize("form", FORMS[1:])
def test_curves_learn_from_every_form(form, tmp_path):
    rows = table(30)
    learner = ls.OnlineKernel(frequencies=2)
    runs = [
        ls.play(learner, handed_over(one, rows, tmp_path), outcome="y", certify=False)
        for one in ("csv", form)
    ]
    assert runs[1].loss == runs[0].loss
    states = [run.learner.state.tile_model.tiles.table for run in runs]
    assert np.array_equal(*states)
    assert states[0].any()  # grids: nothing of them is there where names are hashed


def test_dates_of_records_are_no_features(tmp_path):
    """Text that is hashed: dates were a feature each in records, and left out in CSV."""
    rows = [{k: row[k] for k in ("age", "day", "city", "y")} for row in table()]
    streams = [opened(handed_over(f, rows, tmp_path)) for f in ("csv", "json lines", "dicts")]
    found = [stream.batches[0].x for stream in streams]
    for x, stream in zip(found[1:], streams[1:], strict=True):
        assert all(map(np.array_equal, x, found[0]))
        assert "left out: 'day' (date)" in stream.notes
    named = opened(rows, features=["day", "age"])
    assert named.batches[0].x.indptr[1] == 2  # whoever names it gets it, as text


def test_records_whose_fields_come_and_go_are_hashed_as_before():
    rows = [{f"w{t % 7}": 1.0, "y": t % 2} for t in range(20)]
    stream = opened(rows, categories=NO_TEXT)
    assert stream.bits == 18
    assert stream.records
    nested = [{"a": [1, 2], "b": 1.0, "y": t % 2} for t in range(4)]
    with pytest.raises(BadInput, match="field 'a'"):
        opened(nested, categories=NO_TEXT)


def test_a_record_may_leave_out_what_it_does_not_know(tmp_path):
    rows = [{k: row[k] for k in ("age", "city", "y")} for row in table(12)]
    learner = ls.play(ls.OnlineKernel(frequencies=2), rows, outcome="y", certify=False).learner
    learner = ls.load(learner.save(tmp_path / "learner.ls"))
    known = learner.predict_proba({"age": None, "city": "Rome"})
    assert learner.predict_proba({"city": "Rome"}) == known
    with pytest.raises(BadInput, match="column 'town' is not one of those"):
        learner.update({"age": 30.0, "town": "Rome"}, "yes")
    numbers = [{"a": float(t), "b": 1.0, "y": t % 2} for t in range(6)]
    learner = ls.play(ls.OnlineKernel(frequencies=2), numbers, outcome="y", certify=False).learner
    assert learner.predict({"a": 2.0}) == learner.predict({"a": 2.0, "b": None})


def test_next_week_s_records_are_read_as_the_first_ones(tmp_path):
    rows = [{"a": float(t), "b": 1.0 + t % 3, "y": t % 2} for t in range(24)]
    whole = ls.play(ls.OnlineKernel(frequencies=2), rows, outcome="y", certify=False)
    first = ls.play(
        ls.OnlineKernel(frequencies=2), rows[:12], outcome="y", certify=False, horizon=24
    ).learner
    path = handed_over("json lines", rows[12:], tmp_path)
    later = ls.play(first, path, outcome="y", resume=True, certify=False)
    assert later.predictions.tolist() == whole.predictions[12:].tolist()
    assert later.learner.digest() == whole.learner.digest()


@pytest.mark.parametrize("form", ["csv", "parquet", "frame"])
def test_whole_numbers_that_name_rows_are_no_feature(form, tmp_path):
    """Parquet judged a column by its type alone: an identifier was a feature there, and left out in CSV."""
    frame = pd.DataFrame(
        {"size": [5, 3] * 30, "user_id": [7 * t % 61 for t in range(1, 61)], "y": [0, 1] * 30}
    )
    data = frame if form == "frame" else tmp_path / f"table.{form}"
    if form == "csv":
        frame.to_csv(data, index=False)
    elif form == "parquet":
        frame.to_parquet(data)
    stream = opened(data)
    assert stream.names == ("size",)
    assert "left out: 'user_id' (identifier: whole numbers, nearly all different)" in stream.notes
    assert opened(data, features=["user_id"]).names == ("user_id",)  # whoever names it gets it


@pytest.mark.parametrize("form", ["csv", "parquet", "frame"])
def test_keys_of_text_stay_as_they_are_written(form, tmp_path):
    frame = pd.DataFrame({"shop": ["007", "7"] * 6, "size": range(12, 0, -1), "y": [0, 1] * 6})
    data = frame if form == "frame" else tmp_path / f"table.{form}"
    if form == "csv":
        frame.to_csv(data, index=False)
    elif form == "parquet":
        frame.to_parquet(data)
    runs = ls.play("perceptron", data, outcome="y", by="shop", features=["size"], certify=False)
    assert list(runs) == ["007", "7"]
