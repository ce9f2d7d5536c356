"""Lags: the outcomes of earlier rows as features, the same in every way of reading and playing."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.encode.lags import Lags, checked_lags
from littlestone.streams.tables import table_rounds

LAGS = [1, 2, 12]
T = 90


def months(rows: int = T) -> pd.DataFrame:
    """A trend and a season, some noise, and one outcome that is missing."""
    t = np.arange(rows)
    y = 100.0 + t + 10.0 * np.sin(t * np.pi / 6) + np.random.default_rng(0).normal(size=rows)
    y[20] = np.nan
    return pd.DataFrame(
        {"month": pd.date_range("1949-01-01", periods=rows, freq="MS"), "sales": y.round(3)}
    )


def same(a, b) -> bool:
    return np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)


def by_hand(y, lags, place=0):
    """The features of each row, one number after the other."""
    rows, known = [], []
    for value in y:
        row = []
        for lag in lags:
            at = max(0, len(known) - lag)
            row.append(known[at] if len(known) >= lags[0] else 0.0)
        rows.append([row[0], *(row[0] - other for other in row[1:])])
        if not np.isnan(value):
            known.append(value)
        elif known:
            known.append(known[-1])
    return np.array(rows)


@pytest.mark.parametrize("lags", [(1,), (1, 2, 12), (3, 4), (5, 40)])
@pytest.mark.parametrize("start", [0, 1, 3])
def test_features_are_what_they_are_by_hand(lags, start):
    y = months(60)["sales"].to_numpy().copy()
    y[:start] = np.nan
    whole, there = Lags(lags).take(y)
    assert same(whole, by_hand(y, lags))
    assert there.tolist() == [t - start >= lags[0] for t in range(60)]
    for size in (1, 7, 59):
        memory = Lags(lags)
        parts = [memory.take(y[at : at + size])[0] for at in range(0, 60, size)]
        assert same(np.concatenate(parts), whole)
        assert len(memory.recent) <= lags[-1]
    told = Lags(lags)
    for value in y:
        told.remember(np.full(1, value))
    assert same(told.recent, memory.recent)
    assert same(told.next(), by_hand([*y, np.nan], lags)[-1])


@pytest.mark.parametrize("learner", ["online-linear", "normalized-adaptive:loss", "online-kernel"])
def test_every_way_of_reading_is_the_same(learner, tmp_path, monkeypatch):
    key, _, parameters = learner.partition(":")
    made = ls.learner(key, **({"loss": "square"} if parameters else {}))
    frame = months()
    run = ls.play(made, frame, outcome="sales", lags=LAGS)
    assert run.stream.names == (
        "sales 1 before",
        "change from 2 to 1 before",
        "change from 12 to 1 before",
    )
    frame.to_csv(tmp_path / "f.csv", index=False)
    frame.to_parquet(tmp_path / "f.parquet")
    text = frame.assign(month=frame["month"].dt.strftime("%Y-%m-%d"))
    dicts = [
        {"month": m, "sales": None if np.isnan(y) else y}
        for m, y in zip(text["month"], text["sales"], strict=True)
    ]
    (tmp_path / "f.jsonl").write_text("\n".join(map(json.dumps, dicts)) + "\n", encoding="utf-8")
    short = frame.assign(month=frame["month"].dt.strftime("%Y-%m"))
    short.to_csv(tmp_path / "short.csv", index=False)
    paths = [str(tmp_path / name) for name in ("f.csv", "f.parquet", "f.jsonl", "short.csv")]
    for data in (text, short, dicts, *paths):
        other = ls.play(made, data, outcome="sales", lags=LAGS)
        assert same(other.predictions, run.predictions), data
        assert (
            other.learner.digest() == run.learner.digest()
            or data is dicts
            or str(data).endswith("jsonl")
        )
    monkeypatch.setattr(table_rounds, "WHOLE", 0)
    monkeypatch.setattr(table_rounds, "PIECE", 14)
    parts = ls.play(made, paths[0], outcome="sales", lags=LAGS)
    assert same(parts.predictions, run.predictions)


def test_resumed_saved_and_one_row_at_a_time_are_the_same(tmp_path):
    frame = months()
    y = frame["sales"].to_numpy()
    whole = ls.play("online-linear-regression", frame, outcome="sales", lags=LAGS)
    first = ls.play("online-linear-regression", frame[:40], outcome="sales", lags=LAGS)
    first.learner.save(tmp_path / "m.ls")
    rest = ls.play(ls.load(tmp_path / "m.ls"), frame[40:], outcome="sales", resume=True)
    assert same(np.concatenate([first.predictions, rest.predictions]), whole.predictions)
    learner, said = ls.load(tmp_path / "m.ls"), list(first.predictions)
    for value in y[40:]:
        said.append(learner.predict({}))
        assert learner.frozen()({}) == said[-1]
        learner = learner.update({}, value)
    assert same(said, whole.predictions)
    assert learner.digest() == rest.learner.digest()
    assert len(learner.begun().setting.lags.recent) == LAGS[-1]


def test_the_change_is_learned_and_the_loss_is_that_of_the_outcome():
    frame = months()
    y = frame["sales"].to_numpy()
    run = ls.play("online-linear", frame, outcome="sales", lags=LAGS)
    x = by_hand(y, LAGS)
    change = ls.play("online-linear-regression", x, np.where(np.arange(T) > 0, y - x[:, 0], np.nan))
    assert np.allclose(run.predictions[1:], (change.predictions + x[:, 0])[1:], rtol=1e-12)
    assert run.loss == pytest.approx(np.nansum((run.predictions - y)[1:] ** 2))
    assert run.certificate.verdict == "kept"
    assert run.comparator_loss == pytest.approx(change.comparator_loss)
    assert run.bound == pytest.approx(change.bound)


def test_each_key_has_its_own():
    frame = months().dropna()
    both = pd.concat([frame.assign(shop="a"), frame.assign(shop="b", sales=frame["sales"] * 2)])
    both = both.sort_values("month", kind="stable")
    runs = ls.play("online-linear", both, outcome="sales", by="shop", lags=LAGS)
    for shop in "ab":
        alone = ls.play(
            "online-linear",
            both[both["shop"] == shop],
            outcome="sales",
            features=["!shop"],
            lags=LAGS,
        )
        assert same(runs[shop].predictions, alone.predictions)
    half = ls.play("online-linear", both[:80], outcome="sales", by="shop", lags=LAGS)
    rest = ls.play(half.learners, both[80:], outcome="sales", by="shop", resume=True)
    for shop in "ab":
        assert same([*half[shop].predictions, *rest[shop].predictions], runs[shop].predictions)


def test_beside_numbers_and_text(tmp_path):
    frame = months().assign(price=np.arange(T) % 5, day=["mo", "tu", "we"] * (T // 3))
    run = ls.play("online-linear", frame, outcome="sales", lags=[1, 12])
    place = run.stream.lags.place
    assert run.stream.names[:4] == ("price", "day", "sales 1 before", "change from 12 to 1 before")
    assert place == 2
    first = ls.play("online-linear", frame[:40], outcome="sales", lags=[1, 12])
    first.learner.save(tmp_path / "m.ls")
    learner, said = ls.load(tmp_path / "m.ls"), list(first.predictions)
    for row in frame[40:].to_dict("records"):
        x = {"price": row["price"], "day": row["day"]}
        said.append(learner.predict(x))
        learner = learner.update(x, row["sales"])
    assert same(said, run.predictions)
    with pytest.raises(BadInput, match="price"):
        learner.predict({"day": "mo"})
    rest = ls.play(ls.load(tmp_path / "m.ls"), frame[40:], outcome="sales", resume=True)
    assert same([*first.predictions, *rest.predictions], run.predictions)
    text = frame.assign(month=frame["month"].dt.strftime("%Y-%m"))[["month", "price", "sales"]]
    text["sales"] = text["sales"].fillna(100.0)
    numbers = ls.play("online-linear", text[:40], outcome="sales", lags=[1, 12])
    rest = ls.play(numbers.learner, text[40:].to_dict("records"), outcome="sales", resume=True)
    whole = ls.play("online-linear", text, outcome="sales", lags=[1, 12])
    assert same([*numbers.predictions, *rest.predictions], whole.predictions)
    matrix = ls.play(
        "online-linear", frame[["price"]].to_numpy(float), frame["sales"], lags=[1, 12]
    )
    table = ls.play("online-linear", frame[["price", "sales"]], outcome="sales", lags=[1, 12])
    assert same(matrix.predictions, table.predictions)


def test_with_a_delay_no_outcome_is_used_before_it_is_known():
    frame = months().dropna().reset_index(drop=True)
    run = ls.play("online-linear", frame, outcome="sales", lags=[4, 12], delay=3)
    other = frame.copy()
    other.loc[60:, "sales"] += 1000.0
    changed = ls.play("online-linear", other, outcome="sales", lags=[4, 12], delay=3)
    assert same(run.predictions[:64], changed.predictions[:64])
    assert not same(run.predictions[64:], changed.predictions[64:])
    first = ls.play("online-linear", frame[:50], outcome="sales", lags=[4, 12], delay=3)
    rest = ls.play(first.learner, frame[50:], outcome="sales", delay=3, resume=True)
    assert same([*first.predictions, *rest.predictions], run.predictions)
    with pytest.raises(
        BadInput,
        match="the outcome 3 rows before is not known yet with delay=3; the least lag is 4",
    ):
        ls.play("online-linear", frame, outcome="sales", lags=[3], delay=3)


def test_passes_and_importance():
    frame = months()
    once = ls.play("online-linear", frame, outcome="sales", lags=LAGS)
    again = ls.play("online-linear", frame, outcome="sales", lags=LAGS, passes=2)
    assert again.answered == 2 * once.answered == 2 * (T - 2)
    ones = ls.play("online-linear", frame, outcome="sales", lags=LAGS, importance=np.ones(T))
    assert (ones.answered, ones.loss) == (once.answered, once.loss)


def test_lags_of_a_table_with_nothing_else():
    frame = months()
    run = ls.play("online-linear", frame, outcome="sales")
    assert run.stream.lags.rows == (1, 2, 3, 12, 13)
    assert run.notes[0] == (
        "'sales' is learned from what it was 1, 2, 3, 12 and 13 rows before (rows are months, and a season is 12 of "
        "them): there is nothing else to learn from; lags=[1, 2] takes other rows"
    )
    same_lags = ls.play("online-linear", frame, outcome="sales", lags=[13, 1, 2, 3, 12])
    assert same(run.predictions, same_lags.predictions)
    late = ls.play("online-linear", frame, outcome="sales", delay=12)
    assert late.stream.lags.rows == (13, 14, 15, 24, 25)
    plain = ls.play("online-linear", frame[["sales"]], outcome="sales")
    assert plain.stream.lags.rows == (1, 2, 3)
    short = ls.play("online-linear", frame[:5], outcome="sales")
    assert short.stream.lags.rows == (1, 2, 3)
    dicts = [
        {"month": str(m)[:7], "y": v} for m, v in zip(frame["month"], frame["sales"], strict=True)
    ]
    assert same(ls.play("online-linear", dicts).predictions, run.predictions)
    rest = ls.play(run.learner, frame, outcome="sales", resume=True)
    assert rest.stream.lags.rows == run.stream.lags.rows


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (0, "lags: 0 is none: a lag is a whole number of rows back, from 1 to 100,000"),
        ([1, -2], "lags: -2 is none"),
        ([1.5], "lags: 1.5 is none"),
        ("1,x", "lags: 'x' is none"),
        (True, "lags: True is none"),
        ([], "lags: there are none"),
        ([T], f"lags: {T} rows back, and there are {T}: lags are smaller than the number of rows"),
    ],
)
def test_what_is_no_lag(given, said):
    with pytest.raises(BadInput, match=said):
        ls.play("online-linear", months(), outcome="sales", lags=given)
    assert checked_lags("12, 1,2") == (1, 2, 12)


def test_where_lags_have_no_meaning(tmp_path):
    frame = months()
    for learner, said in (("tracker", "tracker combines experts"), ("ucb1", "ucb1 pulls arms")):
        with pytest.raises(BadInput, match=f"lags: they are features, and {said}"):
            ls.play(learner, frame[["sales"]].to_numpy(), lags=[1])
    label = frame.assign(up=["yes", "no"] * (T // 2))
    with pytest.raises(
        BadInput, match="lags: outcomes that are classes have none, and 'up' is taken for a class"
    ):
        ls.play("online-linear", label, outcome="up", lags=[1])
    with pytest.raises(BadInput, match="lags: perceptron tells classes apart"):
        ls.play("perceptron", frame, outcome="sales")
    with pytest.raises(
        BadInput, match="no features: "
    ):  # the outcome is text, and there is nothing else
        ls.play("online-linear", label[["month", "up"]], outcome="up")
    (tmp_path / "f.libsvm").write_text("1.5 1:1\n2.5 2:1\n3 1:2\n", encoding="utf-8")
    (tmp_path / "f.vw").write_text("1.5 | a:1\n2.5 | b:1\n3 | a:2\n", encoding="utf-8")
    for name in ("f.libsvm", "f.vw"):
        with pytest.raises(BadInput, match="lags: these features are sparse"):
            ls.play("online-linear", str(tmp_path / name), lags=[1], task="regression")
    run = ls.play("online-linear", frame, outcome="sales", lags=[1, 2])
    with pytest.raises(BadInput, match="was trained with 1 and 2 rows before"):
        ls.play(run.learner, frame, outcome="sales", lags=[1], resume=True)
    without = ls.play("online-linear", np.ones((9, 1)), np.arange(9.0))
    with pytest.raises(BadInput, match="was trained without"):
        ls.play(without.learner, np.ones((9, 1)), np.arange(9.0), lags=[1], resume=True)
    with pytest.raises(BadInput, match="predict\\(x\\), then update\\(x, y\\)"):
        run.learner.ask({})
    with pytest.raises(BadInput, match="with a delay for each key"):
        ls.play("online-linear", frame.assign(k=1), outcome="sales", by="k", delay={1: 1}, lags=[2])


def test_a_row_that_is_refused_leaves_the_memory_as_it_was():
    learner = ls.play("online-linear", months(), outcome="sales", lags=LAGS).learner
    before = learner.digest()
    with pytest.raises(BadInput):
        learner.update({}, "a lot")
    with pytest.raises(BadInput):
        learner.update({"x": 1.0}, 3.0)
    assert learner.digest() == before


def test_the_value_before_counts_from_the_first_outcome():
    """The first row has no weight, and its outcome is known all the same."""
    y = 100.0 + np.array([0.0, 1.0, 2.0, 1.0, 2.0, 1.5])
    run = ls.play("online-linear", pd.DataFrame({"y": y}), outcome="y", lags=[1])
    from littlestone.report.simple import look_at_nothing

    previous = next(r for r in look_at_nothing(run) if r.kind == "previous")
    assert previous.loss == 4.25


def test_one_row_at_a_time_before_a_lag_is_known():
    frame = months().fillna(100.0)
    frame.loc[:3, "sales"] = np.nan
    y = frame["sales"].to_numpy()
    whole = ls.play("online-linear-regression", frame, outcome="sales", lags=[4, 5])
    assert whole.answered == T - 8
    first = ls.play("online-linear-regression", frame[:6], outcome="sales", lags=[4, 5])
    learner, said = first.learner, list(first.predictions)
    for value in y[6:]:
        said.append(learner.predict({}))
        learner = learner.update({}, value)
    assert same(said, whole.predictions)
