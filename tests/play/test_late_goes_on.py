"""Late runs in two parts are one late run: the rounds whose outcomes had not come are kept, in files as well."""

import re
import signal

import numpy as np
import pandas as pd
import pytest
from cli.test_cli import call, here  # noqa: F401 - a fixture that every test uses

import littlestone as ls
from littlestone.cli.checkpoint import Checkpoints
from littlestone.play import session as sessions
from littlestone.testing.compare import same

pytestmark = pytest.mark.usefixtures("plain")
T = 60


def sample(seed=0):
    """Classes that come one after the other."""
    rng = np.random.default_rng(seed)
    y = np.minimum(7, (np.arange(T) // 7 + (rng.random(T) < 0.3)) % 8)
    return rng.normal(size=(T, 3)), np.array(list("abcdefgh"))[y]


@pytest.mark.parametrize("cut", [7, 15, 45])
@pytest.mark.parametrize("delay", [3, 20])
@pytest.mark.parametrize("key", ["softmax", "online-linear", "multiclass-perceptron"])
def test_classes_come_to_exist_when_they_arrive(key, delay, cut, tmp_path):
    X, y = sample()
    given = {"delay": delay, "interleave": False}
    whole = ls.play(key, X, y, **given)
    path = ls.play(key, X[:cut], y[:cut], horizon=T, **given).learner.save(tmp_path / "m.ls")
    rest = ls.play(ls.load(path), X[cut:], y[cut:], resume=True, delay=delay)
    assert rest.predictions.tolist() == whole.predictions[cut:].tolist()
    assert same(rest.learner.state, whole.learner.state)
    assert rest.learner.classes == whole.learner.classes


def test_classes_that_are_declared_later():
    X, y = sample()
    half = ls.play("softmax", X[:30], y[:30], delay=9, interleave=False)
    labels = list("abcdefgh")
    rest = ls.play(half.learner, X[30:], y[30:], labels=labels, delay=9, resume=True)
    assert set(rest.learner.classes) == set(labels)
    first = ls.play("softmax", X[:30], y[:30], labels=labels, delay=9, interleave=False)
    rest = ls.play(first.learner, X[30:], y[30:], delay=9, resume=True)
    whole = ls.play("softmax", X, y, labels=labels, delay=9, interleave=False)
    assert same(rest.learner.state, whole.learner.state)


def test_every_round_has_a_delay_of_its_own():
    rng = np.random.default_rng(1)
    X, y = rng.random((T, 4)), rng.random(T)
    late = rng.integers(0, 25, T).astype(float)
    late[::9] = np.nan
    whole = ls.play("tracker", X, y, delay=late)
    half = ls.play("tracker", X[:30], y[:30], delay=late[:30])
    rest = ls.play(half.learner, X[30:], y[30:], delay=late[30:], resume=True)
    assert rest.predictions.tolist() == whole.predictions[30:].tolist()
    assert same(rest.learner.state, whole.learner.state)


def test_experts_may_sleep_in_rounds_that_are_waited_for():
    rng = np.random.default_rng(2)
    X, y = rng.random((T, 4)), rng.random(T)
    X[rng.random((T, 4)) < 0.2] = np.nan
    X[:, 0] = 0.5
    whole = ls.play("tracker", X, y, delay=5)
    half = ls.play("tracker", X[:30], y[:30], delay=5)
    rest = ls.play(half.learner, X[30:], y[30:], delay=5, resume=True)
    assert same(rest.learner.state, whole.learner.state)


def test_another_delay_waits_for_each_round_as_long_as_it_takes():
    """24 rounds late until the first run ended, and 2 from then on: outcomes come out of order."""
    rng = np.random.default_rng(3)
    X, y = rng.random((T, 3)), rng.random(T)
    half = ls.play("tracker", X[:30], y[:30], delay=24)
    rest = ls.play(half.learner, X[30:], y[30:], delay=2, resume=True)
    late = np.where(np.arange(T) < 30, 24, 2)
    whole = ls.play("tracker", X, y, delay=late)
    assert rest.predictions.tolist() == whole.predictions[30:].tolist()
    assert same(rest.learner.state, whole.learner.state)


def test_what_is_done_in_between_counts():
    """After the run its learner knows all outcomes; one that has learned more since does not go back."""
    rng = np.random.default_rng(4)
    X, y = rng.random((T, 3)), rng.random(T)
    half = ls.play("tracker", X[:30], y[:30], delay=5).learner
    told = ls.play("tracker", X[:30], y[:30], delay=np.full(30, 5)).learner
    assert same(half.state, told.state)
    half.update(X[30], y[30])
    rest = ls.play(half, X[31:], y[31:], delay=5, resume=True)
    assert rest.transcript.started == 31
    prompt = ls.play("tracker", X[:30], y[:30], delay=5).learner
    prompt.update(X[30], y[30])
    late = ls.play(prompt, X[31:], y[31:], delay=5, resume=True)
    assert rest.predictions.tolist() == late.predictions.tolist()


# At the command line.


@pytest.fixture
def weeks(tmp_path):
    X, y = sample()
    frame = pd.DataFrame(X, columns=["p", "q", "r"]).assign(label=y, shop=["A", "B"] * (T // 2))
    frame.to_csv(tmp_path / "both.csv", index=False)
    frame[:30].to_csv(tmp_path / "week1.csv", index=False)
    frame[30:].to_csv(tmp_path / "week2.csv", index=False)


def predicted(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)["prediction"].tolist()


@pytest.mark.usefixtures("weeks")
@pytest.mark.parametrize("delay", [12, 0])
@pytest.mark.parametrize("more", [[], ["--by", "shop"]])
def test_two_weeks_are_one(more, delay):
    words = ["--outcome", "label", "--delay", delay, "--report", "", "--no-certify", *more]
    words += ["--features", "p", "--features", "q", "--features", "r"]
    first = ["--learner", "online-linear", *(["--one-copy"] if delay else [])]
    call("run", "both.csv", *words, *first, "--save", "both.ls", "--predictions", "both-out.csv")
    call("run", "week1.csv", *words, *first, "--save", "s.ls", "--predictions", "out1.csv")
    call(
        "run", "week2.csv", *words, "--load", "s.ls", "--save", "s.ls", "--predictions", "out2.csv"
    )
    assert predicted("out1.csv") + predicted("out2.csv") == predicted("both-out.csv")
    ours, whole = ls.load("s.ls"), ls.load("both.ls")
    for key in ("A", "B") if more else (None,):
        one, other = (ours[key], whole[key]) if more else (ours, whole)
        assert same(one.state, other.state)


@pytest.mark.usefixtures("weeks")
def test_a_late_run_that_was_stopped_goes_on(monkeypatch):
    """It says which rows are left, and no row is predicted twice."""
    monkeypatch.setattr(sessions.Session, "length", lambda self: 10)  # rounds of a chunk
    written = Checkpoints.__call__

    def stopping(self, learner, live, rounds):
        self.stopped = signal.SIGTERM if rounds >= 40 else 0
        written(self, learner, live, rounds)

    words = ["--outcome", "label", "--delay", 12, "--report", "", "--no-certify"]
    words += ["--features", "p", "--features", "q", "--features", "r"]
    first = ["--learner", "online-linear", "--one-copy"]
    call("run", "both.csv", *words, *first, "--save", "whole.ls")
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "__call__", stopping)
        told = call(
            "run", "both.csv", *words, *first, "--save", "m.ls", code=128 + signal.SIGTERM
        ).stderr
    done = int(re.search(r"--load m.ls --skip (\d+) and", told)[1])
    assert done == ls.load("m.ls").live.t >= 40
    call("run", "both.csv", *words, "--load", "m.ls", "--skip", done, "--save", "m.ls")
    assert same(ls.load("m.ls").state, ls.load("whole.ls").state)
    assert ls.load("m.ls").live.t == T
