"""What is odd about the columns of a table: copies of the outcome, time, identifiers, zeros, commas, signs."""

import numpy as np
import pandas as pd
import pytest
from support.reading import open_stream

from littlestone.core.errors import BadInput
from littlestone.streams.tables.coding import COUNTS, judge_outcomes, looks_like_labels
from littlestone.streams.tables.forecasters import scale_of
from littlestone.streams.tables.written_numbers import style_of

RNG = np.random.default_rng(5)


def write(tmp_path, header, rows):
    path = tmp_path / "t.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return str(path)


def table(rows=200):
    x = RNG.normal(size=(rows, 2))
    y = 100.0 + 5.0 * x[:, 0] + RNG.normal(size=rows)
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": y})


def both(tmp_path, frame, **options):
    """The stream of a frame, and that of the same table in a file."""
    path = tmp_path / "both.csv"
    frame.to_csv(path, index=False)
    return [open_stream(data, outcome="y", **options) for data in (frame, str(path))]


# ---- copies of the outcome


@pytest.mark.parametrize("examples", [True, False])
def test_a_copy_of_the_outcome_is_said_in_one_line(tmp_path, examples):
    frame = table()
    frame["leak"], frame["cents"] = frame["y"], 100.0 * frame["y"]
    role = "features" if examples else "experts"
    for stream in both(tmp_path, frame, examples=examples):
        said = [note for note in stream.notes if "need not predict" in note]
        assert said == [
            f"'leak' is a copy of the outcome 'y' in the first 200 rows: who has it need not predict; leave it out "
            f"with {role}=['!leak']",
            f"'cents' is the outcome 'y' on another scale in the first 200 rows: who has it need not predict; leave "
            f"it out with {role}=['!cents']",
        ]
    for stream in both(tmp_path, table(), examples=examples):
        assert not any("need not predict" in note for note in stream.notes)


def test_a_copy_of_a_class_is_said(tmp_path):
    kinds = RNG.choice(["red", "green"], 60)
    frame = pd.DataFrame({"same": kinds, "a": RNG.normal(size=60), "y": kinds})
    for stream in both(tmp_path, frame, examples=True, labels="auto"):
        assert stream.notes[0].startswith("'same' is a copy of the outcome 'y' in the first 60")


# ---- time


def test_time_that_goes_backwards_and_stamps_that_come_twice_are_said(tmp_path):
    frame = table(30)
    when = pd.date_range("2024-03-01", periods=30, freq="h").to_numpy().copy()
    when[7], when[20] = when[2], when[19]
    for stream in both(tmp_path, frame.assign(when=when), examples=True):
        said = [note for note in stream.notes if "time" in note.split(":")[0]]
        assert said == [
            "time goes backwards: row 8 (2024-03-01T02:00:00) is before row 7 (2024-03-01T06:00:00); rows are played "
            "in their order",
            "row 21 has the time stamp of the row before (2024-03-01T19:00:00)",
        ]
    forwards = pd.date_range("2024-03-01", periods=30, freq="h")
    for stream in both(tmp_path, frame.assign(when=forwards), examples=True):
        assert not any("time" in note.split(":")[0] for note in stream.notes[:1])


def test_with_keys_time_goes_on_within_each(tmp_path):
    frame = table(30).assign(key=["n", "s"] * 15)
    when = np.repeat(pd.date_range("2024-03-01", periods=15, freq="h").to_numpy(), 2)
    for stream in both(tmp_path, frame.assign(when=when), examples=True, by="key"):
        assert not any("time stamp" in note or "backwards" in note for note in stream.notes)
    when[28] = when[0]  # of the key "n"
    for stream in both(tmp_path, frame.assign(when=when), examples=True, by="key"):
        assert any(note.startswith("time goes backwards: row 29 ") for note in stream.notes)


# ---- keys and identifiers


def test_keys_stay_as_they_are_written(tmp_path):
    rows = [f"{['7', '007', '7.0', ' 7'][i % 4]},{i}.5,{i}.25" for i in range(40)]
    stream = open_stream(write(tmp_path, "key,y,a", rows), outcome="y", by="key")
    assert set(stream.batches[0].key.tolist()) == {"7", "007", "7.0", " 7"}
    rows = [f"{i % 4},{i}.5,{i}.25" for i in range(40)]
    stream = open_stream(write(tmp_path, "key,y,a", rows), outcome="y", by="key")
    assert set(stream.batches[0].key.tolist()) == {0, 1, 2, 3}  # whole numbers, written in one way


def test_numbers_with_leading_zeros_are_text(tmp_path):
    rows = [f"{i % 2},{['01', '1', '010', '10'][i % 4]}" for i in range(80)]
    path = write(tmp_path, "y,zip", rows)
    stream = open_stream(path, outcome="y", examples=True, labels="auto")
    assert "'zip' is read as text: '01' begins with a zero, as a name does" in stream.notes
    assert len(set(stream.batches[0].x.index.tolist())) == 4
    rows = [f"{i % 2},{i % 7 / 10}" for i in range(80)]  # 0.1 begins with one zero, and is a number
    stream = open_stream(write(tmp_path, "y,a", rows), outcome="y", examples=True, labels="auto")
    assert isinstance(stream.batches[0].x, np.ndarray)


@pytest.mark.parametrize("name", ["id", "customer_id", "PassengerId", "Order No", "userID"])
def test_an_identifier_is_left_out_unless_it_is_named(tmp_path, name):
    ids = RNG.permutation(100_000)[:200]
    for stream in both(tmp_path, table().assign(**{name: ids}), examples=True):
        assert stream.names == ("a", "b")
        assert f"left out: {name!r} (identifier: whole numbers, nearly all different)" in str(
            stream.notes
        )
    for stream in both(tmp_path, table().assign(**{name: ids})):
        assert stream.names == ("a", "b")
    for stream in both(tmp_path, table().assign(**{name: ids}), experts=["a", name]):
        assert stream.names == ("a", name)


def test_what_only_looks_like_an_identifier_stays(tmp_path):
    frame = table()
    frame["income"] = RNG.permutation(100_000)[:200]  # nearly all different, but a quantity
    frame["device_id"] = np.arange(200) % 9  # often the same
    for name in ("paid", "piano", "humid"):
        frame[name] = frame["income"]
    for stream in both(tmp_path, frame, examples=True):
        assert stream.names == ("a", "b", "income", "device_id", "paid", "piano", "humid")
    frame = table()
    frame.insert(0, "n", np.arange(1, 201))
    frame.insert(1, "year", np.arange(1800, 2000))
    for stream in both(tmp_path, frame, examples=True):
        assert stream.names == ("year", "a", "b")  # the first column numbers the rows


def test_names_of_rows_are_no_feature(tmp_path):
    frame = table(40)
    frame.index = [f"car {i}" for i in range(40)]
    path = tmp_path / "r.csv"
    frame.to_csv(path)
    stream = open_stream(str(path), outcome="y", examples=True)
    assert stream.names == ("a", "b")
    assert "left out: '' (index)" in stream.notes


# ---- commas and signs


def test_a_group_that_begins_with_0_is_no_thousands_group(tmp_path):
    rows = [f'"{i % 3},94{i % 10}",{i}.5' for i in range(30)]
    stream = open_stream(write(tmp_path, "y,a", rows), outcome="y")
    assert stream.batches[0].y[:3].tolist() == [0.94, 1.941, 2.942]
    assert "'y' is read as numbers: '0,940' is 0.94" in stream.notes


def test_commas_that_could_be_either_are_asked_for(tmp_path):
    rows = [f'"{i % 3 + 1},94{i % 10}",{i}.5' for i in range(30)]
    path = write(tmp_path, "y,a", rows)
    frame = pd.read_csv(path, dtype={"y": str})
    for data in (path, frame):
        for role in ({"outcome": "y"}, {"outcome": "a", "examples": True}):
            with pytest.raises(BadInput, match=r"row 1 is '1,940', which may be 1940 or 1.94") as e:
                open_stream(data, **role)
            assert "decimal='.' or decimal=','" in str(e.value)
        for mark, value in ((".", 1940.0), (",", 1.94)):
            assert open_stream(data, outcome="y", decimal=mark).batches[0].y[0] == value
    with pytest.raises(BadInput, match=r"decimal must be one of '.', ',', not ';'"):
        open_stream(path, outcome="y", decimal=";")


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (["1,250", "950"], 1250.0),  # small numbers have no mark
        (["1,250", "1,234,567"], 1250.0),
        (["1,250", "3,000.5"], 1250.0),
        (["1,250", "3,5"], 1.25),
        (["0,250", "1,250"], 1.25),
    ],
)
def test_commas_that_can_be_read_in_one_way_are(texts, value):
    style, odd = style_of(texts)
    assert odd is None
    assert style.doubt(texts) is None
    assert style.number("1,250") == value


def test_percent_signs_that_some_numbers_have_are_refused(tmp_path):
    rows = [f"{i}.5,{'5.0%' if i % 2 else '5.0'}" for i in range(30)]
    path = write(tmp_path, "y,a", rows)
    for data in (path, pd.read_csv(path)):
        with pytest.raises(BadInput, match=r"'a' holds numbers, but row 2 is '5.0%', and others"):
            open_stream(data, outcome="y", examples=True)


# ---- classes, numbers and forecasts


def test_grades_are_numbers_and_numbered_kinds_are_classes():
    grades = np.repeat([3, 4, 5, 6, 7, 8], [10, 53, 681, 638, 199, 18])
    assert not looks_like_labels(grades)
    assert looks_like_labels(
        np.repeat(np.arange(10), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180])
    )
    assert looks_like_labels(np.repeat([1, 2, 3, 4, 5], [60, 20, 15, 30, 90]))  # two peaks
    assert looks_like_labels(np.repeat([1, 2, 3, 4], [10, 60, 50, 10]))  # too few to tell
    assert not looks_like_labels(np.arange(500) % 60)


def test_counts_are_numbers():
    visits = [241, 96, 55, 30, 14, 8, 12, 7, 5, 8, 3, 1, 1]
    values = np.repeat([*range(13), 15, 16, 24, 48], [*visits, 1, 1, 1, 1])
    assert judge_outcomes(values) == (False, COUNTS)
    assert looks_like_labels(np.repeat(range(13), visits))  # numbered by how frequent they are
    glass = np.repeat([1, 2, 3, 5, 6, 7], [70, 76, 17, 13, 9, 29])
    assert looks_like_labels(glass)
    assert looks_like_labels(np.repeat([1, 2, 3, 4, 5, 9], [70, 76, 17, 13, 9, 29]))


def test_more_than_half_of_the_columns_on_the_scale_of_the_outcome_are_forecasts():
    y = RNG.normal(50.0, 3.0, 500)
    near, far = y + RNG.normal(0.0, 2.0, 500), RNG.normal(0.0, 1.0, 500)
    assert scale_of(y, {"a": near, "b": near, "c": far}).forecasts
    assert not scale_of(y, {"a": near, "b": far}).forecasts
    assert not scale_of(y, {"a": near, "b": far, "c": far}).forecasts
    assert not scale_of(y, {"mean": np.full(500, y.mean())}).forecasts  # no better than the mean
    gaps = np.where(np.arange(500) % 3, np.nan, near)
    assert scale_of(y, {"a": gaps}).forecasts
    assert not scale_of(np.full(500, 2.0), {"a": near}).forecasts
    assert not scale_of(y, {}).forecasts
