"""The mixture over all prunings, which the forest keeps as weights of nodes, beside the sum of all."""

import itertools
import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.trees.mondrian_trees import (
    EXPONENT,
    FEATURE,
    LEFT,
    NONE,
    ODDS,
    RIGHT,
    STOPPED,
    stop_probability,
)


def prunings(trees, v):
    """Each pruning below node v: its leaves, and the logarithm of its prior."""
    if trees.link[v, FEATURE] == NONE:
        return [((v,), 0.0)]
    log_stop = math.log(stop_probability(trees.node[v, EXPONENT]))
    log_go_on = -math.log(2.0) * trees.node[v, EXPONENT]
    assert math.isclose(math.exp(log_stop) + math.exp(log_go_on), 1.0, rel_tol=1e-12)
    below = itertools.product(
        prunings(trees, trees.link[v, LEFT]), prunings(trees, trees.link[v, RIGHT])
    )
    return [((v,), log_stop)] + [(a + b, log_go_on + p + q) for (a, p), (b, q) in below]


def log_weight(state, v):
    """ln of what node v said of the outcomes of its rows: Krichevsky & Trofimov's estimates, in any order."""
    counts = state.class_counts[v]
    ratio = sum(math.lgamma(k + 0.5) - math.lgamma(0.5) for k in counts)
    return ratio + math.lgamma(len(counts) / 2) - math.lgamma(counts.sum() + len(counts) / 2)


def data(classes, rows=14, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.random((rows, 2)).round(2)
    return x, (rng.random(rows) * classes).astype(int)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_log_loss_is_that_of_the_mixture_of_all_prunings(classes, seed):
    """With exact=True: exp(-log loss) = sum over prunings of the prior times what the leaves said, to the last bits."""
    x, y = data(classes, seed=seed)
    learner = ls.MondrianForest(trees=1, exact=True, seed=seed)
    run = ls.play(learner, x, y, engine="plain", labels=list(range(classes)))
    state = run.learner.state
    every = prunings(state.trees, int(state.trees.root[0]))
    assert len(every) > 3
    assert math.isclose(sum(math.exp(p) for _, p in every), 1.0, rel_tol=1e-12)
    mixture = sum(math.exp(p + sum(log_weight(state, v) for v in leaves)) for leaves, p in every)
    assert run.loss == pytest.approx(-math.log(mixture), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_odds_are_those_of_the_prunings_below(seed):
    """R = (1 - s) W_left W_right / (s w) at each node, after splits were inserted above leaves and inner nodes."""
    x, y = data(2, rows=16, seed=seed)
    learner = ls.MondrianForest(trees=1, exact=True, seed=seed)
    state = ls.play(learner, x, y, engine="plain", labels=[0, 1]).learner.state
    trees, shared = state.trees, 0
    for v in range(int(trees.used[0])):
        if trees.link[v, FEATURE] != NONE:
            stops, *goes_on = prunings(trees, v)
            w = math.exp(stops[1] + log_weight(state, v))
            below = sum(
                math.exp(p + sum(log_weight(state, u) for u in leaves)) for leaves, p in goes_on
            )
            assert trees.node[v, ODDS] == pytest.approx(below / w, rel=1e-9)
            assert trees.node[v, STOPPED] == pytest.approx(w / (w + below), rel=1e-9)
            shared += trees.node[v, EXPONENT] < 1.0
    assert shared > 0


@pytest.mark.parametrize("classes", [2, 3])
def test_the_bound_is_the_least_over_prunings_of_what_the_theorem_says(classes):
    x, y = data(classes, seed=5)
    run = ls.play(
        ls.MondrianForest(trees=1, exact=True), x, y, engine="plain", labels=list(range(classes))
    )
    state = run.learner.state

    def code(v):
        n = state.class_counts[v].sum()
        if n == 0:
            return 0.0
        best = -sum(k * math.log(k / n) for k in state.class_counts[v] if k)
        return best + (classes - 1) / 2 * math.log(n) + math.log(classes)

    every = prunings(state.trees, int(state.trees.root[0]))
    (verdict,) = [v for v in run.certificate if v.guarantee.id == "T-AMF"]
    least = min(-p + sum(map(code, leaves)) for leaves, p in every)
    assert verdict.bound == pytest.approx(least, rel=1e-9)
    assert verdict.verdict == "kept"
    assert run.loss <= verdict.bound
    for leaves, _ in every:  # and each node said what Krichevsky and Trofimov say
        for v in leaves:
            assert -log_weight(state, v) <= code(v) + 1e-9
