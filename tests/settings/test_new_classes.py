"""A class exists from its first occurrence: a played run says what a live learner says, round by round."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.game import SEVERAL
from littlestone.core.registry import learners
from littlestone.testing.compare import same


def several():
    """The learners that tell any number of classes apart."""
    found = []
    for key, cls in sorted(learners().items()):
        if (
            not cls.examples or "graph" in cls().parameters
        ):  # those play over the vertices of a graph
            continue
        if cls.labels and cls().game(False).traits().classes == SEVERAL:
            found.append(key)
    return found


def said_live(learner, X, y):
    said = []
    for x, label in zip(X, y, strict=True):
        said.append(learner.predict(x))
        learner.update(x, label)
    return said


def sample(T=60, seed=0):
    """Blocks of classes, as in a file that is sorted by class, and then all of them mixed."""
    rng = np.random.default_rng(seed)
    c = np.concatenate([np.repeat([2, 0, 1], T // 6), rng.integers(0, 4, T - 3 * (T // 6))])
    centres = 2.0 * rng.standard_normal((4, 3))
    return centres[c] + rng.standard_normal((T, 3)), np.array(["a", "b", "c", "d"])[c]


def test_there_are_several():
    assert {"softmax", "online-linear", "multiclass-perceptron"} <= set(several())


@pytest.mark.parametrize("key", several())
def test_play_is_live_while_classes_come(key):
    X, y = sample()
    run = ls.play(key, X, y)
    learner = ls.learner(key).start(3, rounds=len(y), allocation=False)
    said = said_live(learner, X, y.tolist())
    assert run.predictions.tolist() == said
    assert said[0] is None  # no class was known
    assert same(run.learner.state, learner.state)
    assert run.learner.digest() == learner.digest()
    assert run.mistakes == sum(a != b for a, b in zip(said, y.tolist(), strict=True))
    assert run.learner.live.labels == ["c", "a", "b", "d"]  # in the order of their first occurrence


@pytest.mark.parametrize("key", several())
def test_labels_that_each_occur_once_are_never_predicted(key):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 4)), [f"user {i}" for i in range(80)]
    run = ls.play(key, X, y, labels="classes")
    assert run.mistakes == 80
    assert run.accuracy == 0.0
    seen = set()
    for label, said in zip(y, run.predictions.tolist(), strict=True):
        assert said is None or said in seen
        seen.add(label)


@pytest.mark.parametrize("key", several())
def test_batches_and_files_say_the_same(key, tmp_path):
    X, y = sample()
    run = ls.play(key, X, y)
    parts = iter([(X[a : a + 7], y[a : a + 7]) for a in range(0, len(y), 7)])
    pieces = ls.play(key, parts, horizon=len(y))
    assert pieces.predictions.tolist() == run.predictions.tolist()
    assert same(pieces.learner.state, run.learner.state)
    path = tmp_path / "examples.csv"
    lines = [
        ",".join([*map(repr, x), label]) for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    path.write_text("\n".join(["p,q,r,label", *lines]) + "\n", encoding="utf-8")
    read = ls.play(key, path, outcome="label")
    assert read.predictions.tolist() == run.predictions.tolist()


@pytest.mark.parametrize("key", several())
def test_a_resumed_run_learns_new_classes_as_they_come(key):
    X, y = sample()
    run = ls.play(key, X, y)
    half = ls.play(key, X[:15], y[:15], horizon=len(y))
    rest = ls.play(half.learner, X[15:], y[15:], resume=True)
    assert half.predictions.tolist() + rest.predictions.tolist() == run.predictions.tolist()
    assert same(rest.learner.state, run.learner.state)


def test_declared_labels_are_known_before_the_first_round():
    X, y = sample()
    labels = ("d", "c", "b", "a")
    run = ls.play("softmax", X, y, labels=labels)
    learner = ls.Softmax().start(3, rounds=len(y), labels=labels, allocation=False)
    assert said_live(learner, X, y.tolist()) == run.predictions.tolist()
    assert run.predictions[0] == "d"  # the first of equals
    assert same(run.learner.state, learner.state)


def test_two_classes_are_both_known():
    """A learner that tells two classes apart must know which is which."""
    X, y = sample()
    y = np.where(y == "a", "spam", "ham")
    run = ls.play("perceptron", X, y)
    learner = ls.Perceptron().start(3, rounds=len(y), labels=("ham", "spam"), allocation=False)
    assert said_live(learner, X, y.tolist()) == run.predictions.tolist()


def test_the_log_loss_of_a_new_class_is_finite_and_scores_are_those_of_before():
    X, y = sample()
    run = ls.play("softmax", X, y)
    assert np.isfinite(run.losses).all()
    new = y.tolist().index("a")
    assert np.isnan(run.scores[new]).tolist() == [False, True, True, True]
    assert run.predictions[new] == "c"
    assert all(v.verdict == "kept" for v in run.certificate)


def test_interleaved_copies_and_late_feedback_with_new_classes():
    X, y = sample()
    for interleave in (True, False):
        run = ls.play("softmax", X, y, delay=3, interleave=interleave)
        assert run.answered == len(y)
        assert run.predictions[0] is None
        first = [y.tolist().index(label) for label in ("c", "a", "b", "d")]
        assert all(run.predictions[t] != y[t] for t in first)
