"""A forest as JSON: a scorer of a few lines, which knows nothing of Littlestone, predicts the same."""

import json
import subprocess
import sys

import numpy as np
import pytest

import littlestone as ls
from littlestone.interop.forest_json import export_forest

SCORER = """
import json, sys
model, rows = json.load(sys.stdin)
for x in rows:
    z, total = [x.get(n, 0.0) for n in model["features"]], None
    for tree in model["trees"]:
        v, weight, time, depth, waits, parts = tree["nodes"][0], 1.0, 0.0, 0, tree["waits"], []
        while True:
            sides = zip(model["rates"], z, v["low"], v["high"])
            rate = sum(r * max(0.0, a - high, low - a) for r, a, low, high in sides)
            own = v.get("time", float("inf"))
            if depth < len(waits) and rate > 0 and time + waits[depth] / rate < own:
                parts.append((weight, v.get("outside", v["says"])))
                break
            parts.append((weight * v["stop"], v["says"]))
            if "feature" not in v:
                break
            weight, time, depth = weight * (1 - v["stop"]), own, depth + 1
            v = tree["nodes"][v["right" if z[v["feature"]] > v["threshold"] else "left"]]
        said = [sum(w * says[c] for w, says in parts) for c in range(len(v["says"]))]
        total = said if total is None else [a + b for a, b in zip(total, said)]
    print(json.dumps([a / len(model["trees"]) for a in total]))
"""
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
FRESH = 3.0 * RNG.normal(size=(60, 3))  # many of them outside of all boxes
CLASSES = np.array(["a", "b", "c"])[np.argmax(X, axis=1)]
NUMBERS = X[:, 0] * X[:, 1]


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


def named(rows):
    return [
        dict(zip((f"feature {i + 1}" for i in range(3)), x, strict=True)) for x in rows.tolist()
    ]


def of_known_classes(learner, x):
    """The probabilities of the classes, without what is kept for one that may still come."""
    p = np.array(list(learner.predict_proba(x).values()))
    assert 0.9 < p.sum() <= 1.0 + 1e-12
    return (p / p.sum()).tolist()


@pytest.mark.parametrize(
    "learner",
    [
        ls.MondrianForest(trees=3),
        ls.MondrianForest(trees=3, exact=True),
        ls.MondrianForest(trees=2, nodes=64, seed=3),
    ],
    ids=["default", "exact", "full"],
)
def test_a_scorer_gives_the_same_probabilities(learner, plain):
    live = ls.play(learner, X, CLASSES, certify=False).learner
    model = export_forest(live)
    printed = scored(model, named(FRESH))
    for said, x in zip(printed, FRESH, strict=True):
        assert said == pytest.approx(of_known_classes(live, x), abs=1e-12)
    best = [model["classes"][int(np.argmax(said))] for said in printed]
    assert best == [live.predict(x) for x in FRESH]


def test_a_full_forest_waits_for_nothing(plain):
    live = ls.play(ls.MondrianForest(trees=2, nodes=64), X, CLASSES, certify=False).learner
    assert [tree["waits"] for tree in export_forest(live)["trees"]] == [[], []]


def test_a_scorer_gives_the_same_numbers(plain):
    live = ls.play(ls.MondrianForestRegression(trees=3), X, NUMBERS, certify=False).learner
    printed = scored(export_forest(live), named(FRESH))
    assert [said for (said,) in printed] == pytest.approx([live.predict(x) for x in FRESH])


def test_names_that_came_one_by_one(plain):
    learner = ls.MondrianForest(trees=2)
    for i in range(6):
        learner = learner.update({"red": float(i), "size": 2.0 - i}, "go" if i % 2 else "stop")
    rows = [{"red": 1.0}, {"size": 9.0}, {"red": 3.0, "size": -1.0}]
    printed = scored(export_forest(learner), rows)
    for said, x in zip(printed, rows, strict=True):
        assert said == pytest.approx(of_known_classes(learner, x), abs=1e-12)


def test_what_is_no_forest_is_refused(plain):
    live = ls.play(ls.Perceptron(), X, np.where(NUMBERS > 0, "a", "b"), certify=False).learner
    with pytest.raises(ls.BadInput, match="perceptron is no forest; take mondrian-forest"):
        export_forest(live)
