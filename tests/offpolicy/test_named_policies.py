"""Policies by the names of arms, contexts by the names of columns, and estimates from a frame, a file or dicts."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.offpolicy.policies import policy

NAMES = ["red", "green", "blue"]  # a log has them in another order: blue, green, red
FRAME = pd.DataFrame(
    {
        "colour": ["red", "green", "blue", "red", "green", "red"],
        "click": [1.0, 0.0, 1.0, 0.0, 1.0, 1.0],
        "chance": [0.5, 0.25, 0.25, 0.5, 0.25, 0.5],
        "visitor": ["new", "known", "new", "known", "new", "known"],
        "age": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    }
)
COLUMNS = {"arm": "colour", "reward": "click", "propensity": "chance"}
BLUE, GREEN, RED = np.eye(3).tolist()


@pytest.fixture(autouse=True)
def _plain(plain):
    """Nothing here needs compiled code."""


@pytest.fixture
def log():
    return ls.LoggedDecisions.read(FRAME, **COLUMNS, context=["visitor", "age"])


@pytest.mark.parametrize(
    ("target", "row"),
    [
        ("red", RED),
        (2, RED),
        ({"red": 0.5, "green": 0.5}, [0.0, 0.5, 0.5]),
        ({"red": 0.5, "green": 0.5, "pink": 0.0}, [0.0, 0.5, 0.5]),
        (pd.Series({"red": 0.25, "green": 0.75}), [0.0, 0.75, 0.25]),
        (["red"] * 6, RED),
        ([{"red": 0.5, "blue": 0.5}] * 6, [0.5, 0.0, 0.5]),
        (pd.DataFrame({"red": [0.75] * 6, "blue": [0.25] * 6}), [0.25, 0.0, 0.75]),
        (lambda x: "red", RED),
        (lambda x: 1, GREEN),
        (lambda x: {"blue": 1.0}, BLUE),
        (lambda x: [0.0, 0.0, 1.0], RED),
    ],
)
def test_a_policy_names_its_arms(log, target, row):
    assert policy(log, target).tolist() == [row] * 6


def test_a_learner_is_matched_by_the_names_of_its_arms(log):
    learner = ls.EXP3().start(NAMES, rounds=50)
    for _ in range(20):
        learner.update(arm="red", propensity=0.5, loss=1.0)
    p = dict(zip(NAMES, learner.propensities().tolist(), strict=True))
    assert policy(log, learner).tolist() == [[p["blue"], p["green"], p["red"]]] * 6
    four = ls.EXP3().start([*NAMES, "pink"])
    with pytest.raises(
        BadInput, match="target: 'pink' is none of the arms of the log: blue, green"
    ):
        policy(log, four)
    assert policy(log, four.retire_arm("pink")).shape == (6, 3)
    with pytest.raises(BadInput, match="target: hedge is no bandit"):
        policy(log, ls.Hedge().start(3))


def test_a_learner_gets_contexts_by_name():
    log = ls.LoggedDecisions.read(FRAME, **COLUMNS, context=["age", "chance"])
    named = ls.LinearThompson().start(NAMES, features=["chance", "age"], seed=1)
    numbered = ls.LinearThompson().start(NAMES, features=2, seed=1)
    for x, arm in (([0.5, 1.0], "red"), ([0.25, 2.0], "green"), ([0.25, 3.0], "blue")):
        named.update({"chance": x[0], "age": x[1]}, arm, propensity=0.5, loss=0.2)
        numbered.update(x, arm, propensity=0.5, loss=0.2)
    p = policy(log, named)
    for t in range(6):
        expected = numbered.propensities([FRAME.chance[t], FRAME.age[t]])
        assert p[t].tolist() == expected[[2, 1, 0]].tolist()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("pink", "target: 'pink' is none of the arms of the log: blue, green, red"),
        ({"red": 0.5, "pink": 0.5}, "target: 'pink' is none of the arms of the log"),
        ({"red": 0.5}, "target, row 1: [0.  0.  0.5] is no distribution; its sum is 0.5"),
        (["red"] * 2, "target: 2 arms for 6 rows; there must be one a row"),
        (["red"] * 5 + ["pink"], "target, row 6: 'pink' is none of the arms of the log"),
        (lambda x: "pink", "target, row 1: 'pink' is none of the arms of the log"),
        (lambda x: [0.5, 0.5], "target, row 1: 2 probabilities for 3 arms (blue, green, red)"),
        (lambda x: 7, "target, row 1: 7 is not an arm in 0, ..., 2"),
    ],
)
def test_what_names_no_arm_is_refused(log, target, message):
    with pytest.raises(BadInput) as error:
        policy(log, target)
    assert str(error.value).startswith(message)


def test_a_log_without_names_says_so():
    with pytest.raises(BadInput, match=r"'red' is none of the arms of the log: 0, ..., 1, without"):
        policy(ls.LoggedDecisions([0, 1], [1.0, 0.0], 0.5), "red")


# From a frame, a file, rows.


def sources(folder):
    FRAME.to_csv(folder / "log.csv", index=False)
    FRAME.to_parquet(folder / "log.parquet")
    FRAME.to_json(folder / "log.jsonl", orient="records", lines=True)
    files = [folder / "log.csv", folder / "log.parquet", folder / "log.jsonl"]
    frames = [FRAME, pl.from_pandas(FRAME), pa.table(FRAME.to_dict("list"))]
    return [*files, *frames, FRAME.to_dict("records"), FRAME.to_dict("list")]


def test_estimates_and_replays_from_anything_with_columns(tmp_path):
    def by_visitor(x):
        return "red" if x["visitor"] == "known" and x["age"] > 2.0 else "green"

    arms = [1, 1, 1, 2, 1, 2]
    log = ls.LoggedDecisions(FRAME.colour, FRAME.click, FRAME.chance)
    expected = ls.off_policy_value(log, np.eye(3)[arms], methods=["ips"])["ips"].value
    for data in sources(tmp_path):
        seen = {**COLUMNS, "context": ["visitor", "age"]}
        found = ls.off_policy_value(data, by_visitor, methods=["ips"], **seen)
        assert found["ips"].value == expected
        assert ls.off_policy_value(data, "red", **COLUMNS, methods=["snips"])[
            "snips"
        ].value == pytest.approx(2 / 3)
        assert str(ls.replay(data, "ucb1", **COLUMNS)) == str(ls.replay(log, "ucb1"))


def test_contexts_may_be_dicts_or_a_frame():
    rows = FRAME[["visitor", "age"]]
    for contexts in (rows, rows.to_dict("records"), pl.from_pandas(rows)):
        log = ls.LoggedDecisions(FRAME.colour, FRAME.click, FRAME.chance, contexts=contexts)
        assert log.contexts.shape == (6, 3)
        second = log.where(log.outcomes == 0.0)
        seen = []
        policy(second, lambda x, seen=seen: seen.append(x) or "red")
        assert seen == [{"visitor": "known", "age": 2.0}, {"visitor": "known", "age": 4.0}]
    with pytest.raises(BadInput, match="context: 5 rows for 6 rows of the log"):
        ls.LoggedDecisions(FRAME.colour, FRAME.click, FRAME.chance, contexts=rows[:5])


def test_columns_must_be_named_once():
    with pytest.raises(
        BadInput, match=r"this is no LoggedDecisions but DataFrame: name its columns.*arm is"
    ):
        ls.off_policy_value(FRAME, "red")
    with pytest.raises(BadInput, match="propensity is missing, how probable it was"):
        ls.replay(FRAME, "ucb1", arm="colour", reward="click")
    with pytest.raises(BadInput, match="arm: a LoggedDecisions is read already"):
        ls.off_policy_value(ls.LoggedDecisions([0], [1.0], 0.5), 0, arm="colour")
    with pytest.raises(BadInput, match="a log is read from a frame, a list of dicts or a file"):
        ls.off_policy_value([1, 2], "red", **COLUMNS)


class ByName:
    """A policy that calls arms by their names."""

    def __init__(self):
        self.told = []

    def predict(self, x=None):
        return "red"

    def propensities(self, x=None):
        return {"red": 1.0}

    def update(self, x, arm, loss):
        self.told.append(arm)


@pytest.mark.parametrize("method", ["match", "reject", "weighted"])
def test_a_policy_that_calls_arms_by_name_is_replayed(log, method):
    by_name = ByName()
    found = ls.replay(log, {"mine": by_name}, method=method)
    assert set(by_name.told) == {"red"}
    assert len(by_name.told) == found["mine"].learned


def test_the_log_of_a_run_keeps_the_names():
    losses = pd.DataFrame(np.random.default_rng(0).random((40, 2)), columns=["wide", "narrow"])
    log = ls.LoggedDecisions.of(ls.play("exp3", losses))
    assert log.names == ("wide", "narrow")
    value = ls.off_policy_value(log, "narrow", methods=["ips"])["ips"].value
    assert value == ls.off_policy_value(log, 1, methods=["ips"])["ips"].value
