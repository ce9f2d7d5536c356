"""Text of few values, read as numbers: codes for curves, a feature a value for lines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from support.reading import open_stream

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.encode.categories import (
    FEW,
    HASHED,
    NARROW,
    NO_TEXT,
    SPARE,
    Categories,
    Column,
    text_column,
)

TABLE = pd.DataFrame(
    {
        "age": [30.0, 41.5, np.nan, 22.0],
        "city": ["Rome", "Oslo", "Rome", None],
        "old": [True, False, True, False],
        "y": ["a", "b", "a", "b"],
    }
)
READ = [
    [30.0, 1.0, 1.0, 1.0, 0.0, *[0.0] * SPARE],
    [41.5, 2.0, 0.0, 0.0, 1.0, *[0.0] * SPARE],
    [0.0, 1.0, 1.0, 1.0, 0.0, *[0.0] * SPARE],
    [22.0, 0.0, 0.0, 0.0, 0.0, *[0.0] * SPARE],
]
LATER = tuple(f"city=other {k + 1}" for k in range(SPARE))
FEATURES = ("age", "city", "old", "city=Rome", "city=Oslo", *LATER)
KNOWN = Categories((Column("age"), text_column("city", ("Rome", "Oslo"), SPARE), Column("old")))


def opened(data, categories=NO_TEXT, **options):
    return open_stream(
        data, outcome="y", examples=True, labels="grow", categories=categories, **options
    )


def in_a_file(folder, kind):
    path = folder / f"table.{kind}"
    if kind == "csv":
        TABLE.to_csv(path, index=False)
    else:
        TABLE.to_parquet(path)
    return path


@pytest.mark.parametrize(
    "kind", ["pandas", "category", "polars", "arrow", "csv", "parquet", "batches"]
)
def test_columns_come_first_and_values_after_them(kind, tmp_path):
    data = {
        "pandas": lambda: TABLE,
        "category": lambda: TABLE.assign(city=TABLE["city"].astype("category")),
        "polars": lambda: pl.from_pandas(TABLE),
        "arrow": lambda: pl.from_pandas(TABLE).to_arrow(),
        "csv": lambda: in_a_file(tmp_path, "csv"),
        "parquet": lambda: in_a_file(tmp_path, "parquet"),
        "batches": lambda: iter([TABLE]),
    }[kind]()
    stream = opened(data)
    (batch,) = stream.batches
    assert batch.x.tolist() == READ
    assert stream.names == FEATURES
    assert stream.categories == KNOWN
    assert stream.bits is None
    assert "1 missing number in 1 column (age): read as 0" in stream.notes
    assert "1 missing value of text in 1 column (city): taken as absent" in stream.notes


def test_without_being_asked_for_text_is_hashed():
    assert opened(TABLE, None).bits == 18
    assert not opened(TABLE, None).categories.columns


def test_a_column_of_many_values_is_hashed_alone():
    names = [f"name {i}" for i in range(FEW + 1)]
    rows = pd.DataFrame({"n": names, "x": 1.5, "y": [0, 1] * (len(names) // 2) + [0]})
    stream = opened(rows)
    assert stream.bits is None
    assert stream.names == ("x", *(f"n=other {k + 1}" for k in range(HASHED)))
    (batch,) = stream.batches
    assert batch.x[:, 0].tolist() == [1.5] * len(names)
    assert batch.x[:, 1:].sum(axis=1).tolist() == [1.0] * len(names)
    assert len(np.unique(batch.x, axis=0)) > FEW / 2
    said = f"'n' has many values: they share {HASHED} places, and curves do not look at them"
    assert said in stream.notes
    row = stream.categories.row({"n": "name 7", "x": 1.5})
    assert row == batch.x[7].tolist()
    assert opened(rows[:-1]).names[:2] == ("n", "x")
    several = rows.assign(**{f"n{i}": rows["n"] for i in range(3)})
    shared = {c.name: c.hashed for c in opened(several).categories.columns}
    assert shared == {"n": HASHED // 4, "x": 0, **{f"n{i}": HASHED // 4 for i in range(3)}}


def test_too_many_columns_and_sentences_are_hashed_all_together():
    wide = pd.DataFrame({f"x{i}": [1.0, 2.0] for i in range(NARROW - 3)})
    wide["city"], wide["y"] = ["Rome", "Oslo"], [0, 1]
    assert len(opened(wide).names) == NARROW + SPARE
    more = opened(wide.assign(more=1.0))
    assert [c for c in more.categories.columns if not c.has_code] == [
        text_column("city", (), HASHED)
    ]
    assert opened(wide.assign(**{f"more{i}": 1.0 for i in range(3)})).bits == 18
    names = {f"n{i}": [f"name {k}" for k in range(FEW + 1)] for i in range(9)}
    assert opened(pd.DataFrame(names | {"y": [0, 1] * (FEW // 2) + [0]})).bits == 18
    said = [f"this is sentence number {i} of a long story" for i in range(40)]
    story = pd.DataFrame({"text": said, "y": [0, 1] * 20})
    assert opened(story).words == ("text",)
    assert opened(TABLE, text=["city"]).bits == 18


def test_values_that_come_later_get_places_of_their_own_and_are_counted():
    more = pd.DataFrame(
        {"age": [1.0, 2.0], "city": ["Bern", "Lima"], "old": [True, True], "y": ["a", "b"]}
    )
    stream = opened(more, KNOWN)
    (batch,) = stream.batches
    assert batch.x[:, :5].tolist() == [[1, 3, 1, 0, 0], [2, 3, 1, 0, 0]]
    assert batch.x[:, 5:].sum(axis=1).tolist() == [1, 1]
    assert batch.x[0, 5:].tolist() != batch.x[1, 5:].tolist()
    assert stream.notes[-1] == (
        f"'city': 2 rows have values that the first rows, or the training, did not have; such values share {SPARE} "
        "places"
    )
    for row, x in zip(more.to_dict("records"), batch.x.tolist(), strict=True):
        assert KNOWN.row(row) == x
    assert Categories.saved(KNOWN.to_save()) == KNOWN
    late = pd.concat([TABLE] * 1024 + [more])
    assert opened(late).names[3:7] == ("city=Rome", "city=Oslo", "city=Bern", "city=Lima")


def test_a_category_that_first_comes_later_is_learned(monkeypatch):
    """From batch 2 on there are two new cities, and nothing but the city decides."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    rng = np.random.default_rng(0)
    y = rng.random(160) < 0.5
    city = np.where(
        np.arange(160) < 60, rng.choice(["Rome", "Oslo"], 160), np.where(y, "Bern", "Lima")
    )
    table = pd.DataFrame({"age": rng.random(160), "city": city, "y": np.where(y, "yes", "no")})
    batches = iter([table[:60], table[60:110], table[110:]])
    learner = ls.OnlineKernel(frequencies=2)
    run = ls.play(learner, batches, outcome="y", certify=False, record="all")
    assert (run.predictions == table["y"].to_numpy())[110:].mean() > 0.97
    for who in ("Bern", "Lima"):
        assert run.learner.predict({"age": 0.5, "city": who}) == ("yes" if who == "Bern" else "no")


def test_text_that_was_numbers_in_training_is_refused_and_numbers_that_were_text_are_not():
    with pytest.raises(BadInput, match="column 'age' must be numbers, as in training, not 'x'"):
        opened(TABLE.assign(age=["x", "y", "x", "y"]), KNOWN)
    codes = Categories((Column("age"), text_column("city", ("7", "9")), Column("old")))
    stream = opened(TABLE.assign(city=[7, 9, 7, 8]), codes)
    assert stream.batches[0].x[:, 1].tolist() == [1, 2, 1, 3]


def shop(rows, seed=0):
    """Whom an offer interests: in Rome the old, in Oslo the rich, elsewhere everyone."""
    rng = np.random.default_rng(seed)
    age, income = rng.uniform(18, 80, rows), rng.lognormal(10, 0.5, rows)
    city = rng.choice(["Rome", "Oslo", "Bern"], rows)
    y = np.where(city == "Rome", age > 50, np.where(city == "Oslo", income > 22000, True))
    return pd.DataFrame({"age": age, "income": income, "city": city, "y": np.where(y, "yes", "no")})


@pytest.fixture(scope="module")
def trained():
    table = shop(3000)
    return table, ls.play("online-kernel", table, outcome="y", certify=False)


def test_online_kernel_learns_what_a_value_and_a_number_say_together(trained):
    table, run = trained
    right = (run.predictions == table["y"].to_numpy())[1500:].mean()
    lines = ls.play("online-linear", table, outcome="y", certify=False, record="all")
    assert right > 0.95
    assert right > (lines.predictions == table["y"].to_numpy())[1500:].mean() + 0.1


def test_rows_by_name_are_read_as_in_training(trained, tmp_path):
    _, run = trained
    learner = ls.load(run.learner.save(tmp_path / "shop.ls"))
    assert learner.digest() == run.learner.digest()
    new = shop(50, 1).drop(columns="y")
    found = learner.predict(new)
    one_by_one = [learner.predict(row) for row in new.to_dict("records")]
    assert found.tolist() == one_by_one
    assert learner.predict(new[["city", "income", "age"]]).tolist() == one_by_one
    assert learner.predict(new.iloc[7]) == one_by_one[7]
    assert learner.predict({"age": 30, "income": 2e4, "city": "Lima"}) in ("yes", "no")
    assert learner.predict({"age": 30, "income": None, "city": None}) in ("yes", "no")
    assert learner.predict_proba(new).shape == (50, 2)
    before = learner.digest()
    for row, message in [
        (
            {"age": 30, "income": 2e4},
            "column 'city' is missing: it was trained on age, income, city",
        ),
        ({"age": 30, "income": 2e4, "town": "Rome"}, "column 'town' is not one of those"),
        (
            {"age": "x", "income": 2e4, "city": "Rome"},
            "column 'age' must be a number, as in training, not 'x'",
        ),
        ({"age": np.inf, "income": 2e4, "city": "Rome"}, "'age'.* is inf"),
    ]:
        with pytest.raises(BadInput, match=message):
            learner.update(row, "yes")
    assert learner.digest() == before


def test_a_run_that_goes_on_reads_text_as_before(trained, tmp_path):
    table, run = trained
    halves = table[:1000], table[1000:]
    first = ls.play("online-kernel", halves[0], outcome="y", certify=False).learner
    later = halves[1][["city", "age", "y", "income"]]  # in another order
    second = ls.play(first, later, outcome="y", resume=True, certify=False)
    assert second.predictions.tolist() == run.predictions[1000:].tolist()
    assert np.array_equal(
        second.learner.state.tile_model.tiles.table, run.learner.state.tile_model.tiles.table
    )
    with pytest.raises(
        BadInput, match="trained on a column that is not here: no column is called 'city'"
    ):
        ls.play(first, later.rename(columns={"city": "town"}), outcome="y", resume=True)
    with pytest.raises(
        BadInput, match="trained on a column that is not here: no column is called 'city'"
    ):
        ls.play(first, later.drop(columns="city"), outcome="y", resume=True)


def test_an_example_is_explained_by_the_columns_of_the_table(trained):
    _, run = trained
    row = {"age": 30.0, "income": 2e4, "city": "Bern"}
    found = {e.feature: e.value for e in run.learner.explain(row)}
    assert found == row


def test_keys_and_numbers(trained):
    table, _ = trained
    by = ls.play("online-kernel", table[:300], outcome="y", by="city", certify=False)
    assert set(by) == {"Rome", "Oslo", "Bern"}
    spent = table[:600].assign(
        y=np.where(table["city"][:600] == "Oslo", 10.0, 1.0) + table["age"][:600]
    )
    run = ls.play("online-kernel-regression", spent, outcome="y", certify=False)
    assert run.learner.predict({"age": 40.0, "income": 1e4, "city": "Oslo"}) == pytest.approx(
        50.0, abs=3.0
    )
