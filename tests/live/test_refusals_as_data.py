"""What is refused says which field it is about, and what that holds: a service answers without reading the message."""

import copy
import json
import pickle

import pytest

import littlestone as ls
from littlestone.core.errors import BadInput

pytestmark = pytest.mark.usefixtures("plain")
NAN, INF = float("nan"), float("inf")


def refused(call):
    with pytest.raises(BadInput) as found:
        call()
    return found.value


@pytest.mark.parametrize(
    ("call", "field", "value"),
    [
        (lambda: ls.Hedge(eta=-1), "eta", -1),
        (lambda: ls.Hedge().start(0), "n", 0),
        (lambda: ls.Hedge().start(2, seed=-1), "seed", -1),
        (lambda: ls.Hedge().start(2, interval=(1, 0)), "interval", (1, 0)),
        (lambda: ls.Hedge().start(2).update([0.0, 5.0]), "loss", 5.0),
        (lambda: ls.Hedge().start(2).update([0.0, "a"]), "losses", [0.0, "a"]),
        (lambda: ls.Hedge().start(2).update([0.0]), "losses", [0.0]),
        (lambda: ls.Hedge().start(2).update([0.0, 1.0], importance=2.0), "importance", 2.0),
        (lambda: ls.Tracker().update([0.0, 1.0], "much"), "outcome", "much"),
        (lambda: ls.Tracker().update([0.0, INF], 1.0), "advice", INF),
        (lambda: ls.Perceptron().update([0.0, 1.0], [1, 2]), "outcome", [1, 2]),
        (lambda: ls.Perceptron().update([0.0, "a"], 1), "an example", [0.0, "a"]),
        (lambda: ls.Perceptron().update([0.0, 1.0], 1, importance=-1.0), "importance", -1.0),
        (lambda: ls.EXP3().start(2).update(None, 7, 0.5), "arm", 7),
        (lambda: ls.EXP3().start(2).update(None, 1, 5.0), "loss", 5.0),
        (lambda: ls.EXP3().start(2).update(None, 1, 0.5, propensity=2.0), "propensity", 2.0),
        (lambda: ls.EXP3().start(["a", "b"]).update(None, "c", 0.5), "arm", "c"),
    ],
)
def test_a_refusal_names_its_field_and_value(call, field, value):
    problem = refused(call)
    assert (problem.field, problem.value) == (field, value)
    assert json.loads(json.dumps(problem.as_dict(), allow_nan=False))["field"] == field


def test_a_refused_ticket_is_named_by_its_id():
    learner = ls.EXP3().start(2)
    ticket = learner.ask()
    learner.tell(ticket, 0.5)
    problem = refused(lambda: learner.tell(ticket, 0.5))
    assert (problem.field, problem.value) == ("ticket", ticket.id)
    assert refused(lambda: learner.tell("5-5", 0.5)).value == "5-5"
    other = learner.ask()
    assert refused(lambda: learner.tell(other, 7.0)).as_dict()["field"] == "loss"


def test_a_table_says_row_and_column():
    problem = refused(lambda: ls.play("hedge", [[0.0, 1.0], [0.5, NAN]]))
    assert (problem.field, problem.row, problem.column) == ("loss", 2, "expert 2")
    assert problem.as_dict()["value"] == "nan"
    learner = ls.Perceptron().update([0.0, 1.0], 1)
    problem = refused(lambda: learner.predict([[0.0, 1.0], [INF, 1.0]]))
    assert (problem.row, problem.value) == (2, INF)


def test_the_fields_survive_a_copy_and_another_process():
    problem = BadInput("eta is wrong", field="eta", value=-1, row=3, column="a")
    for again in (copy.copy(problem), pickle.loads(pickle.dumps(problem))):
        assert (str(again), again.as_dict()) == (str(problem), problem.as_dict())
