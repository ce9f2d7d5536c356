"""A class that occurs for the first time is charged the probability that was published for it, and nothing else."""

import csv
import json
import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.encode.labels import reserved

SOFTMAX = ("softmax", "online-linear")


def rounds(T=40, classes=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.array([f"c{k}" for k in range(classes)])[
        np.minimum(rng.geometric(0.4, T) - 1, classes - 1)
    ]
    return rng.normal(size=(T, 2)), y


def published(learner, x, y):
    """What the probabilities that the learner gives before it learns charge for y."""
    p = learner.predict_proba(x) if learner.labels else {}
    return -math.log(p[y] if y in p else 1.0 - sum(p.values()))


def test_the_probabilities_kept_for_later_classes_cost_less_than_ln_2():
    t = np.arange(1, 10_000)
    assert -np.log1p(-reserved(t)).sum() == pytest.approx(math.log(2.0) + math.log(1 - 1 / 10_001))
    assert reserved(0) == 1.0  # the first class is new for certain


@pytest.mark.parametrize("key", SOFTMAX)
def test_a_class_after_99_others_costs_what_was_published(key):
    run = ls.play(key, np.ones((100, 1)), ["a"] * 99 + ["b"], engine="plain")
    kept = -np.log1p(-1.0 / np.arange(2.0, 100.0) ** 2).sum()
    assert run.loss == pytest.approx(kept + 2.0 * math.log(100.0))
    assert run.losses[0] == 0.0
    assert run.losses[-1] == pytest.approx(2.0 * math.log(100.0))
    assert "for classes that were not declared (labels=)" in str(run.certificate)
    assert run.certificate.verdict == "kept"


@pytest.mark.parametrize("key", SOFTMAX)
@pytest.mark.parametrize("labels", [None, ("c0", "c1", "c2", "c3", "c4")])
def test_a_run_is_charged_what_a_live_learner_publishes(key, labels):
    x, y = rounds()
    run = ls.play(key, x, y, labels=labels, engine="plain")
    learner = ls.learner(key)
    learner = learner.start(2, labels=labels) if labels else learner.start(2)
    for t in range(len(y)):
        assert run.losses[t] == pytest.approx(published(learner, x[t], y[t]), abs=1e-9)
        learner.update(x[t], y[t])


@pytest.mark.parametrize("key", SOFTMAX)
def test_late_outcomes_are_charged_what_was_published_when_they_were_asked_for(key):
    x, y = rounds()
    run = ls.play(key, x, y, delay=3, interleave=False, engine="plain")
    learner, tickets = ls.learner(key).start(2), []
    for t in range(len(y)):
        assert run.losses[t] == pytest.approx(published(learner, x[t], y[t]), abs=1e-9)
        tickets.append(learner.ask(x[t]))
        if t >= 3:
            learner.tell(tickets[t - 3], y[t - 3])


@pytest.mark.parametrize("key", SOFTMAX)
def test_copies_that_take_turns_are_charged_for_classes_that_have_arrived(key):
    x, y = rounds(classes=4)
    run = ls.play(key, x, y, delay=2, interleave=True, engine="plain")
    first = {c: int(np.argmax(y == c)) for c in set(y)}
    for t in range(len(y)):
        if t <= first[y[t]] + 2:
            some = any(first[c] + 2 < t for c in first)
            assert run.losses[t] == pytest.approx(2.0 * math.log(t + 1.0) if some else 0.0)
    assert run.certificate.verdict == "kept"


def test_importance_multiplies_what_is_kept():
    x, y = rounds()
    h = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    run = ls.play("softmax", x, y, importance=h, engine="plain")
    first = np.array([y[t] not in y[:t] for t in range(len(y))])
    assert run.losses[first] == pytest.approx((2.0 * h * np.log(np.arange(len(y)) + 1.0))[first])


def test_rows_without_an_answer_are_charged_nothing():
    x, y = rounds()
    y = y.astype(object)
    y[:3] = y[10] = None
    run = ls.play("softmax", x, y, engine="plain")
    assert np.isnan(run.losses[[0, 1, 2, 10]]).all()
    assert run.losses[3] == 0.0  # the first class
    assert np.isfinite(run.losses[4:10]).all()
    assert run.certificate.verdict == "kept"


def test_forty_classes_in_forty_rounds_cost_what_was_published():
    y = [f"c{k}" for k in range(40)]
    run = ls.play("online-linear", np.ones((40, 1)), y, engine="plain")
    assert run.loss == pytest.approx(2.0 * np.log(np.arange(1.0, 41.0)).sum())


@pytest.mark.parametrize("key", SOFTMAX)
def test_declared_classes_share_all_and_what_is_saved_says_so(key, tmp_path):
    x, y = rounds()
    for labels, unseen in ((None, reserved(40)), (("c0", "c1", "c2", "c3", "c4"), 0.0)):
        run = ls.play(key, x, y, labels=labels, engine="plain")
        run.learner.save(tmp_path / "l.ls")
        for learner in (run.learner, ls.load(tmp_path / "l.ls")):
            assert sum(learner.predict_proba(x[0]).values()) == pytest.approx(1.0 - unseen)


def test_files_of_predictions_hold_the_probabilities_that_were_charged(tmp_path):
    from click.testing import CliRunner

    from littlestone.cli.main import main

    x, y = rounds()
    path, out = tmp_path / "d.csv", tmp_path / "p.csv"
    lines = [f"{a},{b},{c}" for (a, b), c in zip(x, y, strict=True)]
    path.write_text("\n".join(["a,b,y", *lines]), encoding="utf-8")
    words = ["run", str(path), "--outcome", "y", "--learner", "softmax", "--predictions", str(out)]
    done = CliRunner().invoke(
        main,
        [*words, "--probabilities", "--json", "--report", str(tmp_path / "r.html")],
        env={"LITTLESTONE_ENGINE": "plain"},
    )
    assert done.exit_code == 0, done.output
    loss = json.loads(done.stdout)[0]["loss"]
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    total = 0.0
    for t, (row, label) in enumerate(zip(rows, y, strict=True)):
        p = {name[2:-1]: float(v) for name, v in row.items() if name.startswith("p(") and v}
        seen = label in y[:t]
        total -= math.log(p[label] if seen else 1.0 - sum(p.values())) if t else 0.0
    assert total == pytest.approx(loss, abs=1e-6)


def test_held_out_rows_of_an_unseen_class_are_charged():
    from support.reading import open_stream

    from littlestone.live.evaluate import evaluate

    x, y = rounds()
    run = ls.play("softmax", x, y, engine="plain")
    test = open_stream(x[:2], ["c0", "never"], examples=True, labels=True)
    rows, _, loss, mistakes = evaluate(run.learner, test)
    p = run.learner.predict_proba(x[0])
    assert rows == 2
    assert mistakes >= 1
    assert loss == pytest.approx(-math.log(p["c0"]) + 2.0 * math.log(41.0))
