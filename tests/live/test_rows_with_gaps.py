"""One row with missing numbers: predictions, refusals, tickets, logs of tickets and files."""

import copy

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.live.evaluate import evaluate
from littlestone.streams.open import open_stream
from littlestone.streams.options import ReadOptions

pytestmark = pytest.mark.usefixtures("plain")
ROWS = [({"a": 2.0, "b": 1.0}, 1), ({"a": None, "b": 3.0}, 0), ({"a": 6.0, "b": None}, 1)]


def learner():
    made = ls.Logistic().start(["a", "b"], labels=(0, 1))
    for x, y in ROWS:
        made.update(x, y)
    return made


def means(learner):
    return learner.live.setting.means.current().tolist()


def test_the_mean_of_the_rows_that_were_learned_stands_for_a_gap():
    made = learner()
    assert means(made) == [4.0, 2.0]
    assert made.live.decide({"a": None, "b": 5.0}) == made.live.decide({"a": 4.0, "b": 5.0})
    assert made.live.decide({"a": float("nan"), "b": pd.NA}) == made.live.decide(
        {"a": 4.0, "b": 2.0}
    )


def test_to_predict_changes_nothing():
    made = learner()
    before = made.digest()
    frame = pd.DataFrame({"b": [1.0, None], "a": [None, 7.0]})
    one_by_one = [made.predict({"a": None, "b": 1.0}), made.predict({"a": 7.0, "b": None})]
    assert list(made.predict(frame)) == one_by_one
    assert list(made.predict([{"a": None, "b": 1.0}, {"a": 7.0, "b": None}])) == one_by_one
    np.testing.assert_array_equal(
        made.predict_proba(frame),
        made.predict_proba(pd.DataFrame({"b": [1.0, 2.0], "a": [4.0, 7.0]})),
    )
    assert made.digest() == before


def test_a_frame_of_nullable_columns_is_predicted():
    made = learner()
    frame = pd.DataFrame({"a": [None, 7.0], "b": [1.0, 3.0]}).convert_dtypes()
    assert frame["a"].dtype == "Int64"
    np.testing.assert_array_equal(
        made.predict_proba(frame),
        made.predict_proba(pd.DataFrame({"a": [4.0, 7.0], "b": [1.0, 3.0]})),
    )


@pytest.mark.parametrize(
    "bad", [{"a": 1.0, "b": 1e200}, {"a": None, "b": "red"}, {"a": None}, {"a": None, "c": 1.0}]
)
def test_a_row_that_is_refused_counts_nowhere(bad):
    made = learner()
    before = made.digest(), means(made)
    for call in (lambda: made.update(bad, 1), lambda: made.ask(bad), lambda: made.predict(bad)):
        with pytest.raises(BadInput):
            call()
    with pytest.raises(BadInput):
        made.update({"a": None, "b": 1.0}, "no class")
    assert (made.digest(), means(made)) == before


def test_a_row_without_an_answer_counts():
    made = learner()
    made.update({"a": 10.0, "b": 2.0}, float("nan"))
    assert means(made) == [6.0, 2.0]


def test_a_ticket_counts_when_it_is_issued_and_keeps_what_was_filled_in():
    made = learner()
    ticket = made.ask({"a": None, "b": 2.0})
    assert ticket.x.tolist() == [4.0, 2.0]
    made.update({"a": 10.0, "b": 2.0}, 1)
    before = means(made)
    assert before == [6.0, 2.0]
    made.tell(ticket, 0)
    assert means(made) == before


def test_a_log_of_tickets_brings_the_means_back(tmp_path):
    made = learner()
    made.save(tmp_path / "m.ls")
    made.log_tickets(tmp_path / "log")
    rows = [
        {"a": 1.0, "b": None},
        {"a": 8.0, "b": 2.0},
        {"a": None, "b": None},
        np.array([3.0, 4.0]),
    ]
    tickets = [made.ask(x) for x in rows]
    made.tell(tickets[1], 1)
    back = ls.load(tmp_path / "m.ls")
    back.recover(tmp_path / "log")
    assert back.digest(tickets=True) == made.digest(tickets=True)
    assert means(back) == means(made)


def test_files_and_copies_keep_the_means(tmp_path):
    made = learner()
    for other in (ls.load(made.save(tmp_path / "m.ls")), copy.deepcopy(made)):
        assert other.digest() == made.digest()
        other.update({"a": 100.0, "b": 1.0}, 1)
        assert means(other) != means(made)
    assert means(made) == [4.0, 2.0]


def test_a_frozen_copy_stays_as_it_is():
    made = learner()
    predict = made.frozen()
    before = predict({"a": None, "b": 0.5})
    for _ in range(5):
        made.update({"a": -90.0, "b": 1.0}, 1)
    assert predict({"a": None, "b": 0.5}) == before


def test_rows_that_are_examined_are_filled_in_and_learn_nothing():
    made = learner()
    frame = pd.DataFrame({"a": [None, 7.0], "b": [1.0, None], "y": [1, 0]})
    whole = frame.fillna({"a": 4.0, "b": 2.0})
    before = made.digest()
    read = ReadOptions(outcome="y", examples=True, labels="grow", missing="mean")
    assert evaluate(made, open_stream(frame, None, read)) == evaluate(
        made, open_stream(whole, None, read)
    )
    assert made.digest() == before


def test_records_that_leave_a_field_out_lack_a_number():
    rows = [{"a": float(i), "b": float(i % 3), "y": i % 2} for i in range(30)]
    made = ls.play("online-kernel", rows, outcome="y").learner
    said = [
        made.live.ask_score(x) for x in ({"a": 3.0}, {"a": 3.0, "b": None}, {"a": 3.0, "b": 1.0})
    ]
    assert said[0] == said[1] == said[2]
    assert said[0] != made.live.ask_score({"a": 3.0, "b": 0.0})
