"""Trees that have all the nodes they may have grow no further, and let go of their boxes."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.interop.forest_json import export_forest
from littlestone.trees.mondrian_trees import FEWEST_NODES

NODES, TREES = FEWEST_NODES, 3


def digest(state):
    """All numbers of a state."""
    if isinstance(state, tuple):
        return [digest(part) for part in state]
    return np.asarray(state).tolist()


def rows(n, seed=0):
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


@pytest.mark.parametrize("key", ["mondrian-forest", "mondrian-forest-regression"])
def test_a_full_forest_keeps_no_boxes_and_no_room(key, tmp_path):
    X, y = rows(400)
    if key.endswith("regression"):
        y = X[:, 0] * X[:, 1]
    learner = ls.learner(key, nodes=NODES, trees=TREES)
    short, long = (ls.play(learner, X[:n], y[:n], engine="plain").learner for n in (200, 400))
    trees = long.state.trees
    assert trees.box.shape[0] == short.state.trees.box.shape[0] == 0
    assert trees.link.shape[0] == trees.node.shape[0] == NODES * TREES  # not twice 64
    assert trees.used[0] <= NODES * TREES < trees.used[0] + 2 * TREES
    assert trees.used[0] == short.state.trees.used[0]
    resumed = ls.play(short, X[200:], y[200:], engine="plain", resume=True).learner
    assert digest(resumed.state) == digest(long.state)
    long.save(tmp_path / "full.ls")
    assert digest(ls.load(tmp_path / "full.ls").state) == digest(long.state)
    node = export_forest(long)["trees"][0]["nodes"][0]
    assert node["low"] == node["high"] == []


def test_a_full_forest_goes_on_learning():
    """Labels mean nothing until the trees are full."""
    X, y = rows(2000)
    y[:200] = np.random.default_rng(1).permutation(y[:200])
    run = ls.play(ls.MondrianForest(nodes=NODES, trees=TREES), X, y, engine="plain", certify=False)
    assert (np.array(run.predictions) == y)[-500:].mean() > 0.85
