"""Numbers that are missing in a table are filled in by the means of earlier rows, however the rows come."""

import copy
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.scratch import kept_leaves
from littlestone.encode.running_means import RunningMeans
from littlestone.live.digest import bit_digest

pytestmark = pytest.mark.usefixtures("plain")
NAMES = ["age", "income", "size"]
LABELS = ("no", "yes")
KEPT = 9  # first rows, which show what columns hold


def table(rows=90, seed=0):
    """Three columns of numbers with gaps, from the first row on, and a class."""
    rng = np.random.default_rng(seed)
    whole = np.column_stack(
        [rng.normal(40, 9, rows), rng.normal(3, 1, rows), rng.integers(0, 9, rows)]
    )
    y = np.where(whole[:, 0] + rng.normal(0, 5, rows) > 42, "yes", "no")
    gone = rng.random(whole.shape) < 0.25
    gone[:3, 0] = True
    return pd.DataFrame(np.where(gone, np.nan, whole.round(3)), columns=NAMES).assign(y=y)


def as_dicts(frame):
    return [
        {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}
        for row in frame.to_dict("records")
    ]


def handed_over(form, frame, folder):
    path = folder / f"t.{form}"
    match form:
        case "csv":
            frame.to_csv(path, index=False)
        case "parquet":
            frame.to_parquet(path)
        case "jsonl":
            path.write_text(
                "".join(json.dumps(row) + "\n" for row in as_dicts(frame)), encoding="utf-8"
            )
        case "polars":
            return pl.from_pandas(frame)
        case "arrow":
            return pa.Table.from_pandas(frame)
        case "batches":
            return iter([frame[:40], frame[40:41], frame[41:]])
        case "dicts":
            return as_dicts(frame)
        case "pandas":
            return frame
    return path


def state(learner):
    return bit_digest(list(kept_leaves(learner.state)))


def bits(learner):
    """What it knows: its state and the means."""
    return bit_digest(list(kept_leaves(learner.state)), learner.live.setting.more()["missing"])


def play(data, learner="logistic", **options):
    return ls.play(learner, data, outcome="y", **{"labels": LABELS, **options})


def filled(frame):
    """The same numbers as an array without gaps."""
    x = frame[NAMES].to_numpy(float)
    gaps = np.isnan(x)
    return RunningMeans(3).fill(np.where(gaps, 0.0, x), gaps)


@pytest.mark.parametrize("form", ["pandas", "csv", "parquet", "polars", "arrow", "batches"])
def test_every_form_of_a_table_is_filled_in_alike(form, tmp_path):
    frame = table()
    expected = ls.play("logistic", filled(frame), frame["y"], labels=LABELS, horizon=90)
    run = play(handed_over(form, frame, tmp_path), horizon=90)
    assert list(run.predictions) == list(expected.predictions)
    assert state(run.learner) == state(expected.learner)
    assert bits(run.learner) == bits(play(frame, horizon=90).learner)
    said = "missing numbers in 3 columns (age, income, size): filled in by the mean of the earlier values"
    assert any(note.endswith(said) for note in run.stream.notes)


@pytest.mark.parametrize("form", ["csv", "jsonl", "dicts", "arrow"])
def test_so_are_tables_with_text_of_few_values(form, tmp_path):
    frame = table(60)
    frame.insert(1, "city", ["Rome", "Oslo", None] * 20)
    expected = play(frame, "online-kernel")
    run = play(handed_over(form, frame, tmp_path), "online-kernel")
    assert list(run.predictions) == list(expected.predictions)
    assert bits(run.learner) == bits(expected.learner)
    assert "20 missing values of text in 1 column (city): taken as absent" in run.stream.notes
    means = expected.learner.live.setting.means.current()
    np.testing.assert_allclose(means[[0, 2, 3]], frame[NAMES].mean())


@pytest.mark.parametrize("learner", ["logistic", "online-kernel"])
def test_one_row_at_a_time_is_the_same(learner):
    frame = table()
    whole = play(frame, learner, horizon=90)
    first = play(frame[:KEPT], learner, horizon=90)
    for one in ("dict", "series", "ticket"):
        live, said = copy.deepcopy(first.learner), list(first.predictions)
        for row, (_, series) in zip(as_dicts(frame)[KEPT:], frame[KEPT:].iterrows(), strict=True):
            y = row.pop("y")
            x = series.drop("y") if one == "series" else row
            if one == "ticket":
                ticket = live.ask(x)
                said.append(ticket.prediction)
                live.tell(ticket, y)
            else:
                said.append(live.predict(x))
                live.update(x, y)
        assert said == list(whole.predictions)
        assert bits(live) == bits(whole.learner)


def test_a_learner_that_begins_with_names_fills_in_too():
    frame = table()
    learner = ls.Logistic(**play(frame).learner.parameters).start(NAMES, labels=LABELS)
    said = []
    for row in as_dicts(frame):
        y = row.pop("y")
        said.append(learner.predict(row))
        learner.update(row, y)
    run = play(frame)
    assert said == list(run.predictions)
    assert bits(learner) == bits(run.learner)


def test_saved_loaded_and_resumed(tmp_path):
    frame = table()
    whole = play(frame, horizon=90)
    first = play(frame[:50], horizon=90)
    second = ls.play(
        ls.load(first.learner.save(tmp_path / "m.ls")), frame[50:], outcome="y", resume=True
    )
    assert [*first.predictions, *second.predictions] == list(whole.predictions)
    assert bits(second.learner) == bits(whole.learner)


def test_a_checkpoint_has_the_means_of_its_round():
    from littlestone.play.options import PlayOptions
    from littlestone.play.play_stream import play_stream
    from littlestone.streams.open import open_stream
    from littlestone.streams.options import ReadOptions

    frame, found = table(9000), []
    read = ReadOptions(outcome="y", examples=True, labels="grow", missing="mean")

    def keep(learner, live, rounds):
        found.append((rounds, live.setting.means.to_save()))

    stream = open_stream(frame, None, read)
    play_stream(ls.learner("logistic"), stream, PlayOptions(checkpoint=keep), allocation=False)
    assert found[0][0] < 9000
    x = frame[NAMES].to_numpy(float)
    gaps = np.isnan(x)
    for rounds, saved in found:
        means = RunningMeans(3)
        means.read(np.where(gaps, 0.0, x)[:rounds], gaps[:rounds])
        assert saved == means.to_save()


@pytest.mark.parametrize("interleave", [False, True])
def test_late_outcomes_change_no_number_that_is_filled_in(interleave, tmp_path):
    frame = table()
    run = play(frame, delay=4, interleave=interleave)
    expected = ls.play(
        "logistic", filled(frame), frame["y"], labels=LABELS, delay=4, interleave=interleave
    )
    assert list(run.predictions) == list(expected.predictions)
    assert run.learner.live.setting.means.rows == 90
    other = play(handed_over("csv", frame, tmp_path), delay=4, interleave=interleave)
    assert list(other.predictions) == list(run.predictions)


def test_late_tickets_are_a_late_run():
    frame = table()
    run = play(frame, delay=4)
    learner = ls.Logistic(**run.learner.parameters).start(NAMES, labels=LABELS)
    tickets, said = [], []
    for row in as_dicts(frame):
        y = row.pop("y")
        if len(tickets) == 5:  # the outcome comes behind the decision of its round
            learner.tell(*tickets.pop(0))
        tickets.append((learner.ask(row), y))
        said.append(tickets[-1][0].prediction)
    for one in tickets:
        learner.tell(*one)
    assert said == list(run.predictions)
    assert bits(learner) == bits(run.learner)


@pytest.mark.parametrize("keys", [4, 300])
def test_each_key_has_means_of_its_own(keys, tmp_path):
    frame = table(1200)
    frame["key"] = np.random.default_rng(1).integers(0, keys, 1200)
    path = handed_over("csv", frame, tmp_path)
    ways = [
        play(data, "perceptron", by="key", certify=c)
        for data in (frame, path)
        for c in (True, False)
    ]
    ways.append(play(iter([frame[:700], frame[700:]]), "perceptron", by="key"))
    for key, own in list(frame.groupby("key"))[:60]:
        if not own[NAMES].notna().any().all():
            continue  # by itself, a column that is empty is left out
        expected = play(own.drop(columns="key"), "perceptron")
        for runs in ways:
            assert list(runs[key].predictions) == list(expected.predictions)
            assert bits(runs[key].learner) == bits(expected.learner)
            if runs not in (ways[1], ways[3]):
                assert str(runs[key].certificate) == str(expected.certificate)


def test_many_keys_in_one_loop_are_as_each_by_itself():
    frame = table(1500)
    frame["key"] = np.arange(1500) % 300
    runs = play(frame, "perceptron", by="key", certify=False)
    together, learners = runs.predictions.copy(), [bits(one) for one in runs.learners.values()]
    assert not runs.made  # none was played by itself
    for key in range(300):
        assert list(together[frame["key"] == key]) == list(runs[key].predictions)
        assert learners[key] == bits(runs[key].learner)


def test_keys_go_on():
    frame = table(200)
    frame["key"] = np.arange(200) % 3
    whole = play(frame, "perceptron", by="key")
    first = play(frame[:120], "perceptron", by="key")
    second = ls.play(
        {k: run.learner for k, run in first.items()},
        frame[120:],
        outcome="y",
        by="key",
        resume=True,
    )
    for key in range(3):
        assert [*first[key].predictions, *second[key].predictions] == list(whole[key].predictions)
        assert bits(second[key].learner) == bits(whole[key].learner)


@pytest.mark.parametrize("form", ["pandas", "csv"])
def test_in_a_second_pass_rows_are_filled_in_as_in_the_first(form, tmp_path):
    frame = table()
    x, y = filled(frame), frame["y"].to_numpy()
    expected = ls.play("logistic", x, y, labels=LABELS, passes=2)
    run = play(handed_over(form, frame, tmp_path), passes=2)
    assert list(run.predictions) == list(expected.predictions)
    assert str(run.certificate) == str(expected.certificate)
    assert run.learner.live.setting.means.rows == 90


def test_comparators_look_at_the_rows_that_were_played():
    frame = table()
    expected = ls.play("logistic", filled(frame), frame["y"], labels=LABELS)
    assert str(play(frame).certificate) == str(expected.certificate)
    np.testing.assert_array_equal(play(frame).transcript.data.x, filled(frame))


def test_zero_reads_0_and_the_note_says_so():
    frame = table()
    run = play(frame, missing="zero")
    expected = ls.play("logistic", frame[NAMES].fillna(0.0).to_numpy(), frame["y"], labels=LABELS)
    assert list(run.predictions) == list(expected.predictions)
    assert any(note.endswith("(age, income, size): read as 0") for note in run.stream.notes)
    assert run.learner.predict({"age": None, "income": 2.0, "size": 1.0}) == run.learner.predict(
        {"age": 0.0, "income": 2.0, "size": 1.0}
    )
    again = ls.play(run.learner, frame, outcome="y", resume=True)  # as in training
    assert any("read as 0" in note for note in again.stream.notes)


@pytest.mark.parametrize("form", ["pandas", "csv", "batches"])
def test_refuse_names_the_row_and_the_column(form, tmp_path):
    frame = table()
    frame.loc[:60, NAMES] = 1.0
    frame.loc[61:, NAMES] = frame.loc[61:, NAMES].fillna(2.0)
    frame.loc[70, "income"] = np.nan
    with pytest.raises(
        BadInput, match="row 71, column 'income': the number is missing, and missing='refuse'"
    ):
        play(handed_over(form, frame, tmp_path), missing="refuse")
    learner = play(frame[:60], missing="refuse").learner
    before = learner.digest()
    for call in (learner.predict, lambda x: learner.update(x, "no"), learner.ask):
        with pytest.raises(BadInput, match="feature 'size' is missing"):
            call({"age": 1.0, "income": 2.0, "size": None})
    assert learner.digest() == before


def test_other_words_are_refused():
    with pytest.raises(BadInput, match="missing must be one of mean, zero, refuse"):
        play(table(), missing="median")


def test_features_that_are_0_or_1_have_no_mean():
    frame = pd.DataFrame({"a": [1, None, 0, 1], "b": [0, 1, None, 1], "y": [1, 0, 0, 1]})
    run = ls.play("winnow1", frame, outcome="y")
    assert any("read as 0" in note for note in run.stream.notes)
    with pytest.raises(
        BadInput, match="missing='mean': winnow1 takes features that are no quantities"
    ):
        ls.play("winnow1", frame, outcome="y", missing="mean")


def test_nan_in_an_array_is_refused():
    x = table()[NAMES].to_numpy()
    with pytest.raises(BadInput, match="must be a finite number"):
        ls.play("logistic", x, table()["y"])
    learner = play(table()).learner
    before = learner.digest()
    with pytest.raises(BadInput, match="must be a finite number"):
        learner.update(np.array([1.0, np.nan, 2.0]), "no")
    assert learner.digest() == before


def test_what_is_absent_in_hashed_rows_stays_absent():
    frame = table()
    frame["city"] = ["Rome", None] * 45
    zeros = frame.fillna(dict.fromkeys(NAMES, 0.0))
    run, other = play(frame, "perceptron"), play(zeros, "perceptron")
    assert run.stream.bits
    assert state(run.learner) == state(other.learner)
    assert any(note.endswith("taken as absent") for note in run.stream.notes)


def test_a_product_is_missing_where_a_factor_is():
    frame = table()
    run = play(frame, interactions=["age:size"])
    product = frame.assign(**{"age:size": frame["age"] * frame["size"]})
    product = product[[*NAMES, "age:size", "y"]]
    assert list(run.predictions) == list(play(product).predictions)
    assert bits(run.learner) == bits(play(product).learner)


def test_columns_that_are_only_numbered_are_filled_in_too():
    frame = table()
    numbered = pd.DataFrame(frame[NAMES].to_numpy())
    run = ls.play("logistic", numbered, frame["y"], labels=LABELS)
    assert list(run.predictions) == list(play(frame).predictions)
    assert run.learner.live.setting.means.rows == 90


def test_an_array_after_a_table_counts_as_rows():
    frame = table()
    full = frame[NAMES].fillna(1.0)
    learner = play(frame[:50]).learner
    other = copy.deepcopy(learner)
    for (_, row), y in zip(full[50:].iterrows(), frame["y"][50:], strict=True):
        learner.update(row.to_numpy(), y)
        other.update(dict(row), y)
    assert bits(learner) == bits(other)
