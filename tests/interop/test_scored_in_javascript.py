"""An exported model read by another language: ten lines of JavaScript predict what Littlestone predicts."""

import json
import shutil
import subprocess

import numpy as np
import pytest

import littlestone as ls
from littlestone.interop.forest_json import export_forest
from littlestone.interop.linear_json import export_linear

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

READ = 'const [model, rows] = JSON.parse(require("fs").readFileSync(0, "utf8"));\n'
LINEAR = """
for (const x of rows) {
  const scores = model.weights.map((w, c) =>
    Object.entries(x).reduce((sum, [name, v]) => sum + (w[name] ?? 0) * v, model.intercept[c]));
  const best = scores.length === 1 ? Number(scores[0] >= 0) : scores.indexOf(Math.max(...scores));
  console.log(JSON.stringify(model.classes === null ? scores[0] : model.classes[best]));
}
"""
FOREST = """
function says(tree, z) {
  let v = tree.nodes[0], weight = 1, time = 0, parts = [];
  for (let depth = 0; ; depth++) {
    const own = v.time ?? Infinity, wait = tree.waits[depth];
    const rate = z.reduce((sum, a, i) => sum + model.rates[i] * Math.max(0, a - v.high[i], v.low[i] - a), 0);
    if (wait !== undefined && rate > 0 && time + wait / rate < own) {
      parts.push([weight, v.outside ?? v.says]);
      break;
    }
    parts.push([weight * v.stop, v.says]);
    if (v.feature === undefined) break;
    weight *= 1 - v.stop; time = own;
    v = tree.nodes[z[v.feature] > v.threshold ? v.right : v.left];
  }
  return v.says.map((_, c) => parts.reduce((sum, [w, said]) => sum + w * said[c], 0));
}
for (const x of rows) {
  const every = model.trees.map(tree => says(tree, model.features.map(name => x[name] ?? 0)));
  console.log(JSON.stringify(every[0].map((_, c) => every.reduce((sum, one) => sum + one[c], 0) / every.length)));
}
"""
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
FRESH = 2.0 * RNG.normal(size=(40, 3))
NAMES = [f"feature {i + 1}" for i in range(3)]
OUTCOMES = {
    "two": np.where(X @ [1.0, -2.0, 0.5] > 0, "yes", "no"),
    "three": np.array(["a", "b", "c"])[np.argmax(X, axis=1)],
    "numbers": X @ [1.0, -2.0, 0.5] + 0.3,
}


def scored(scorer, model):
    """What the scorer prints for the fresh rows."""
    rows = [dict(zip(NAMES, x, strict=True)) for x in FRESH.tolist()]
    done = subprocess.run(
        [NODE, "-e", READ + scorer],
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
        (ls.Softmax(intercept=True), "three"),
        (ls.OGD(loss="square", intercept=True), "numbers"),
    ],
    ids=lambda v: v if isinstance(v, str) else v.key,
)
def test_a_linear_model(learner, outcomes, plain):
    live = ls.play(learner, X, OUTCOMES[outcomes], certify=False).learner
    wanted = [live.predict(x) for x in FRESH]
    printed = scored(LINEAR, export_linear(live))
    assert printed == (pytest.approx(wanted) if outcomes == "numbers" else wanted)


def test_a_forest_of_classes(plain):
    live = ls.play(
        ls.MondrianForest(trees=3, nodes=64), X, OUTCOMES["three"], certify=False
    ).learner
    printed = scored(FOREST, export_forest(live))
    for found, x in zip(printed, FRESH, strict=True):
        p = np.array(
            list(live.predict_proba(x).values())
        )  # the rest is for a class that may still come
        assert found == pytest.approx((p / p.sum()).tolist(), abs=1e-12)


def test_a_forest_of_numbers(plain):
    forest = ls.MondrianForestRegression(trees=3, nodes=64)
    live = ls.play(forest, X, OUTCOMES["numbers"], certify=False).learner
    printed = scored(FOREST, export_forest(live))
    assert [found[0] for found in printed] == pytest.approx([live.predict(x) for x in FRESH])
