"""A linear model as JSON: a scorer of ten lines, which knows nothing of Littlestone, predicts the same."""

import json
import subprocess
import sys

import numpy as np
import pytest

import littlestone as ls
from littlestone.interop.linear_json import export_linear

SCORER = """
import json, sys
model, rows = json.load(sys.stdin)
for x in rows:
    pairs = zip(model["weights"], model["intercept"])
    scores = [b + sum(w.get(n, 0.0) * v for n, v in x.items()) for w, b in pairs]
    classes = model["classes"]
    if classes is None:
        print(json.dumps(scores[0]))
    elif len(classes) == 2 and len(scores) == 1:
        print(json.dumps(classes[scores[0] >= 0]))
    else:
        print(json.dumps(classes[scores.index(max(scores))]))
"""
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
SCORE = X @ [1.0, -2.0, 0.5] + 0.3
CLASSES = {
    "two": np.where(SCORE > 0, "yes", "no"),
    "three": np.array(["a", "b", "c"])[np.argmax(X, axis=1)],
    "numbers": SCORE,
}


def scored(model, rows):
    """What the scorer prints, in a process that cannot import Littlestone."""
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", SCORER],
        input=json.dumps([model, rows]),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("learner", "outcomes"),
    [
        (ls.Perceptron(intercept=True), "two"),
        (ls.Logistic(intercept=True), "two"),
        (ls.AROW(), "two"),
        (ls.MulticlassPerceptron(), "three"),
        (ls.Softmax(intercept=True), "three"),
        (ls.OGD(loss="square", intercept=True), "numbers"),
    ],
    ids=lambda v: v if isinstance(v, str) else v.key,
)
def test_ten_lines_predict_the_same(learner, outcomes, plain):
    live = ls.play(learner, X, CLASSES[outcomes], certify=False).learner
    names = [f"feature {i + 1}" for i in range(3)]
    fresh = RNG.normal(size=(50, 3))
    printed = scored(
        export_linear(live), [dict(zip(names, x, strict=True)) for x in fresh.tolist()]
    )
    wanted = [live.predict(x) for x in fresh]
    if outcomes == "numbers":
        assert printed == pytest.approx(wanted)
    else:
        assert printed == wanted


def test_names_that_came_one_by_one(plain):
    learner = ls.Perceptron().update({"red": 1.0}, "stop").update({"green": 1.0, "size": 2.0}, "go")
    rows = [{"red": 1.0}, {"green": 1.0}, {"size": 1.0, "new": 7.0}]
    assert scored(export_linear(learner), rows) == [learner.predict(x) for x in rows]


def test_zero_is_the_second_class(plain):
    learner = ls.Perceptron().start(2, labels=("no", "yes"))
    assert scored(export_linear(learner), [{"feature 1": 0.0}]) == [learner.predict([0.0, 0.0])]


@pytest.mark.parametrize(
    "learner",
    [ls.KernelPerceptron(), ls.VotedPerceptron(), ls.OnlineLinear(), ls.Perceptron(normalise=True)],
    ids=lambda v: v.key,
)
def test_what_is_no_line_is_refused(learner, plain):
    live = ls.play(learner, X, CLASSES["two"], certify=False).learner
    with pytest.raises(ls.BadInput, match=f"the scores of {learner.key} are not linear"):
        export_linear(live)
