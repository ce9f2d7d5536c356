"""A class exists from when its label is told: late play says what a live learner says that is asked, and told later."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.game import SEVERAL
from littlestone.core.registry import learners
from littlestone.testing.compare import same

DELAYS = (1, 3, "mixed")


def several():
    """The learners that tell any number of classes apart."""
    found = []
    for key, cls in sorted(learners().items()):
        if not cls.examples or "graph" in cls().parameters:
            continue
        if cls.labels and cls().game(False).traits().classes == SEVERAL:
            found.append(key)
    return found


def sample(T=40, seed=0):
    """Blocks of classes, then all of them mixed, and one that occurs in a single round."""
    rng = np.random.default_rng(seed)
    c = np.concatenate([np.repeat([2, 0, 1], T // 6), rng.integers(0, 4, T - 3 * (T // 6))])
    c[T - 6] = 4
    centres = 2.0 * rng.standard_normal((5, 3))
    return centres[c] + rng.standard_normal((T, 3)), np.array(["a", "b", "c", "d", "e"])[c]


def waits(delay, T):
    """The delay of each round; mixed ones come out of order, and every seventh outcome never comes."""
    if delay != "mixed":
        return np.full(T, delay)
    late = np.random.default_rng(5).integers(0, 7, T).astype(float)
    late[::7] = np.nan
    return late


def asked_and_told(learner, X, y, late):
    """Ask in every round; after it tell what is due, in the order of the rounds; tell the rest at the end."""
    tickets, due = [], np.arange(len(y)) + late
    for t, x in enumerate(X):
        tickets.append(learner.ask(x))
        for r in np.flatnonzero(due[: t + 1] == t):
            learner.tell(tickets[r], y[r])
    for r in sorted(np.flatnonzero(due >= len(y)), key=lambda r: due[r]):
        learner.tell(tickets[r], y[r])
    return [ticket.prediction for ticket in tickets]


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def made(key):
    """A learner; with few random features, where there are any, since it is played plain."""
    cls = learners()[key]
    return cls(frequencies=4) if hasattr(cls, "frequencies") else cls()


def begun(key, T):
    return made(key).start(3, rounds=T, allocation=False)


def horizon(key, T, late):
    """As many rounds as `play` fits the rates to."""
    wait = late[late > 0].sum() if len(set(late)) > 1 else T * late[0]
    return T + int(made(key).delay_factor * float(np.nansum(wait)))


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("key", several())
def test_late_play_is_asked_and_told(key, delay):
    X, y = sample()
    late = waits(delay, len(y))
    given = late if delay == "mixed" else delay
    run = ls.play(made(key), X, y, delay=given, interleave=False)
    learner = begun(key, horizon(key, len(y), late))
    said = asked_and_told(learner, X, y.tolist(), late)
    assert run.predictions.tolist() == said
    assert said[: int(np.nanmin(late)) + 1] == [None] * (int(np.nanmin(late)) + 1)
    assert same(run.learner.state, learner.state)
    assert run.learner.live.labels == learner.live.labels
    assert run.mistakes == sum(a != b for a, b in zip(said, y.tolist(), strict=True))
    parts = iter([(X[a : a + 7], y[a : a + 7]) for a in range(0, len(y), 7)])
    pieces = ls.play(made(key), parts, horizon=len(y), delay=given, interleave=False)
    assert pieces.predictions.tolist() == said
    assert same(pieces.learner.state, learner.state)


def introduced(learner, label):
    """Let a live learner know of a class that another copy was told of."""
    live = learner.live
    if label not in live.labels:
        live.coder.code(label)
        live.setting.grow(classes=len(live.coder))
        live.fit()


@pytest.mark.parametrize("delay", [1, 3])
@pytest.mark.parametrize("key", several())
def test_copies_that_take_turns_know_what_each_was_told(key, delay):
    X, y = sample()
    T, c = len(y), delay + 1
    run = ls.play(made(key), X, y, delay=delay, interleave=True)
    copies = [begun(key, -(-T // c)) for _ in range(c)]
    said = []
    for t in range(T + delay):
        if t < T:
            said.append(copies[t % c].predict(X[t]))
        if t >= delay:  # round r is told, to the copy that played it and to the others
            r = t - delay
            for copy in copies:
                introduced(copy, y[r])
            copies[r % c].update(X[r], y[r])
    assert run.predictions.tolist() == said
    assert said[:c] == [None] * c
    states = [copy.live.state for copy in run.transcript.copies]
    assert all(same(a, b.state) for a, b in zip(states, copies, strict=True))
    parts = iter([(X[a : a + 7], y[a : a + 7]) for a in range(0, T, 7)])
    pieces = ls.play(made(key), parts, horizon=T, delay=delay, interleave=True)
    assert pieces.predictions.tolist() == said


def test_a_class_that_is_never_told_is_charged_and_compared_with_and_the_learner_does_not_know_it():
    X, y = sample()
    late = np.zeros(len(y))
    late[y == "e"] = np.nan
    run = ls.play("softmax", X, y, delay=late)
    assert run.learner.live.labels == ["c", "a", "b", "d"]
    assert run.answered == len(y)
    assert np.isfinite(run.losses).all()
    assert run.to_frame()["outcome"].tolist() == y.tolist()
    assert not any(v.verdict == "broken" for v in run.certificate)


def test_scores_of_classes_that_were_not_told_are_missing():
    X, y = sample()
    for interleave in (False, True):
        run = ls.play("softmax", X, y, delay=3, interleave=interleave)
        first = y.tolist().index("a")
        for t in range(first, first + 4):
            assert np.isnan(run.scores[t]).tolist()[1:] == [True, True, True, True]
        assert np.isfinite(run.scores[first + 4][1])


def test_no_class_is_predicted_before_one_is_told():
    """The first outcome is missing: its round is played without a class, too."""
    X, y = sample()
    told = [None, *y.tolist()[1:]]
    run = ls.play("softmax", X, told)
    assert run.predictions.tolist()[:3] == [None, None, "c"]
