"""Prediction sets, graph learners and soa under attack: theorems are kept and nearly attained, bugs are found."""

import math
from dataclasses import replace

import numpy as np
import pytest

import littlestone as ls
from littlestone.conformal.learners import aci, corridor, cover, quantile_tracker, variable_steps
from littlestone.falsify import worlds
from littlestone.falsify.attack import Case
from littlestone.falsify.attackers import coverage, places
from littlestone.falsify.hunt import Hunt
from littlestone.falsify.search_state import from_json, to_json
from littlestone.falsify.target import Target
from littlestone.falsify.theorems import falsify_theorem
from littlestone.graphs.learners import tree_comparators

pytestmark = pytest.mark.usefixtures("plain")


def attacked(key, id_, runs, using, **given):
    return falsify_theorem(key, theorem=id_, runs=runs, using=using, **given)


# How near the attacks come.


@pytest.mark.parametrize(
    ("key", "id_", "runs", "least"),
    [
        ("soa", "T-SOA", 8, 1.0),
        ("spine", "T-SPINE", 60, 0.99),
        ("graph-perceptron", "T-GRAPH-PERCEPTRON", 30, 0.99),
        ("spanning-trees", "T-TREES", 30, 0.6),
    ],
)
def test_asking_where_the_answer_is_wrong_comes_near(key, id_, runs, least):
    found = attacked(key, id_, runs, ["places"])
    assert least <= found.ratio <= 1.0
    assert found.verdict == "survived"


@pytest.mark.parametrize(
    ("key", "id_", "T", "runs", "least"),
    [
        ("cover", "T-COVER", 1007, 6, 0.99),
        ("cover", "T-COVER-BELOW", 1007, 6, 0.99),
        ("aci", "T-ACI", 300, 5, 0.9),
        ("aci", "T-ACI-BELOW", 1007, 5, 0.99),
        ("quantile-tracker", "T-QUANTILE-TRACKER", 300, 5, 0.9),
        ("decaying-tracker", "T-DECAYING-TRACKER", 101, 5, 0.25),
        ("sf-ogd", "T-SF-OGD", 101, 5, 0.25),
        ("kt-betting", "T-KT-BETTING", 101, 5, 0.5),
    ],
)
def test_natures_that_aim_at_coverage_come_near(key, id_, T, runs, least):
    found = attacked(key, id_, runs, ["coverage"], sizes=(T, 1))
    assert least <= found.ratio <= 1.0
    assert found.verdict == "survived"


def test_feedback_comes_late_where_a_theorem_covers_that():
    found = attacked("quantile-tracker", "T-QUANTILE-TRACKER", 20, ["coverage"], sizes=(60, 1))
    assert found.verdict == "survived"
    late = {c.delay for c in played(found.target, found.seed)}
    assert late == {0, 1, 3, 24}


def played(target, seed):
    hunt = Hunt(target, seed, None, 20, sizes=(60, 1))
    turns, cases = coverage.attack(hunt), []
    volley = next(turns)
    for _ in range(20):
        cases.append(volley.case(0))
        volley = turns.send(np.zeros(1))
    return cases


def test_the_walk_down_a_mistake_tree_errs_as_often_as_it_is_deep():
    thresholds = [[int(j >= i) for j in range(7)] for i in range(8)]
    walked, _ = places.mistaken_walk(ls.SOA(hypotheses=thresholds))
    assert len(walked) == 3  # lg 8


# Planted bugs.


def test_a_clipped_level_is_found(monkeypatch):
    rule = ls.ACI.Params.learn

    def clipped(self, state, x, d, f):
        state = rule(self, state, x, d, f)
        return state._replace(a=min(max(state.a, 0.0), 1.0))

    monkeypatch.setattr(ls.ACI.Params, "learn", clipped)
    assert attacked("aci", "T-ACI", 12, ["coverage"], sizes=(60, 1), gamma=0.2).broken


@pytest.mark.parametrize("key", ["sf-ogd", "decaying-tracker"])
def test_a_threshold_that_is_clipped_at_0_is_found(key, monkeypatch):
    def clipped(state, alpha, step, f):
        made = variable_steps.stepped(state, alpha, step, f)
        return made._replace(q=max(made.q, 0.0))

    cls = type(ls.learner(key))
    monkeypatch.setitem(cls.Params.learn.__globals__, "stepped", clipped)
    id_ = cls.guarantees[0].id
    assert attacked(key, id_, 8, ["coverage"], sizes=(500, 1), level=0.5).broken


@pytest.mark.parametrize(
    ("key", "theorem", "bound", "T"),
    [
        ("aci", aci.T_ACI, aci.above, 150),
        ("quantile-tracker", quantile_tracker.T_QUANTILE_TRACKER, quantile_tracker.bound, 150),
        ("cover", cover.T_COVER, corridor.above, 101),
    ],
)
def test_a_delay_that_is_one_too_short_is_found(key, theorem, bound, T):
    def short(s):
        waited = s.crowd if "crowd" in vars(s) else 0
        s = type(s)(**vars(s) | {"crowd": waited - 1})
        return bound(s)

    wrong, right = (Target(key, g) for g in (replace(theorem, bound=short), theorem))
    late = 3
    given = {"cover": {"late": late}, "aci": {"gamma": 0.1}}.get(key, {})
    ratios = []
    for y in coverage.truths(right.learner.replace(**given), np.zeros((T, 1)), late):
        case = Case(y, np.zeros((T, 1)), given, delay=late)
        ratios.append((wrong.trial(case).ratio, right.trial(case).ratio))
    assert max(ratios)[0] > 1.0
    assert max(r for _, r in ratios) <= 1.0


def test_a_truth_on_the_limit_is_held_and_another_rule_is_seen():
    """Strict in place of weak: the tracker at q = 0 would miss the forecast itself."""
    run = ls.play(ls.QuantileTracker(level=0.5, eta=1.0), np.zeros((1, 1)), np.zeros(1))
    assert run.loss == 0.0


def test_a_committee_that_punishes_the_right_labels_is_found(monkeypatch):
    rule = ls.SpanningTrees.Params.learn

    def wrong(self, state, x, p, f):
        return rule(self, state, x, p, f._replace(y=(f.y + 1) % len(p)))

    monkeypatch.setattr(ls.SpanningTrees.Params, "learn", wrong)
    target = Target("spanning-trees", "T-TREES", graph=((0, 1), (1, 2)), trees=1)
    x, y = np.zeros((9, 1)), np.ones(9)
    assert target.trial(Case(y, x)).ratio > 1.0  # it errs again and again at the same vertex
    monkeypatch.undo()
    assert target.trial(Case(y, x)).ratio < 1.0


def test_a_bound_without_the_number_of_other_classes_is_found(monkeypatch):
    """ln(1/theta) in place of ln((K - 1)/theta), for a prior that shares theta among K - 1 classes."""
    nats = tree_comparators.mean_nats

    def fewer(parent, u, K, theta, along):
        cut = sum(int((u[row[row >= 0]] != u[row >= 0]).sum()) for row in parent) / len(parent)
        return nats(parent, u, K, theta, along) - cut * math.log(max(K - 1.0, 1.0))

    star = tuple((0, i) for i in range(1, 9))
    target = Target("spanning-trees", "T-TREES", graph=star, trees=1, theta=0.9, beta=0.001)
    u, rng = np.array([3.0, 1.0, 2.0, 0.0, 4.0, 5.0, 6.0, 7.0, 8.0]), np.random.default_rng(0)
    x, y = places.mispicked(target.learner, u, 9, "last", rng, "classes")
    case = Case(np.array(y), np.array(x, float)[:, None])
    assert target.trial(case).ratio < 1.0
    monkeypatch.setattr(tree_comparators, "mean_nats", fewer)
    assert target.trial(case).ratio > 1.0


# Worlds and cases.


def test_worlds_are_what_learners_take_and_files_keep():
    rng = np.random.default_rng(0)
    for _ in range(20):
        graph = worlds.graph(rng)
        made = ls.graph(graph)
        assert made.n <= worlds.MOST
        assert made.components[0] == 1
        case = Case(np.zeros(2), np.zeros((2, 1)), {"graph": graph})
        assert from_json(to_json(case)).parameters == case.parameters
        assert ls.SOA(hypotheses=worlds.hypotheses(rng)).limits[0] <= 7


def test_a_theorem_about_a_graph_that_is_given_is_attacked_on_it():
    found = attacked(
        "spine", "T-SPINE", 12, ["places", "scatter"], graph=ls.graph([(0, 1), (1, 2)])
    )
    assert found.verdict == "survived"
    assert "graph" not in found.case.parameters
    assert found.x.max() <= 2.0


def test_what_is_found_on_a_graph_is_played_again(tmp_path):
    found = falsify_theorem("spine", theorem="T-SPINE", bound="0.2*cuts", runs=40, using=["places"])
    assert found.broken
    words = found.command(found.save(tmp_path / "worst.csv")).split()
    name = next(word for word in words if word.startswith("graph=")).removeprefix("graph=")
    learner = ls.Spine(graph=name, seed=found.parameters["seed"])
    run = ls.play(learner, found.x, found.y.astype(int), labels=[0, 1])
    assert run.loss == found.run().loss
    assert "--learner spine" in " ".join(words)


def test_what_is_found_of_a_class_is_a_line_of_python():
    found = falsify_theorem("soa", theorem="T-SOA", bound="ldim - 1", runs=4, using=["places"])
    line = found.command("worst.csv")
    assert eval(line, {"littlestone": ls}).loss == found.run().loss
