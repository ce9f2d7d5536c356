"""Experts that join a learner in a later round, and those that leave it."""

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.core import registry
from littlestone.core.errors import BadInput

pytestmark = pytest.mark.usefixtures("plain")
SPLIT, ROUNDS = 20, 60
AS_IF_ASLEEP = ("ml-poly", "squint", "boa")
BY_WEIGHT = (
    "exponential-weights", "hedge", "weighted-average", "aggregating-algorithm", "fixed-share",
)  # fmt: skip


@pytest.fixture
def table():
    rng = np.random.default_rng(5)
    y = rng.random(ROUNDS)
    x = np.clip(y[:, None] + rng.normal(size=(ROUNDS, 4)) * [0.3, 0.2, 0.5, 0.05], 0.0, 1.0)
    return pd.DataFrame(x, columns=list("abcd")).assign(y=y)


def trained(key, table):
    """A learner over the experts a, b and c."""
    return ls.play(key, table[:SPLIT].drop(columns="d"), outcome="y", interval=(0, 1)).learner


def joined(learner, table, **options):
    """It goes on with all of them, in another order."""
    rest = table[SPLIT:][["d", "y", "c", "a", "b"]]
    return ls.play(learner, rest, outcome="y", resume=True, record="all", **options)


@pytest.mark.parametrize("key", AS_IF_ASLEEP)
def test_a_newcomer_has_the_weight_of_an_expert_that_slept(table, key):
    run = joined(trained(key, table), table)
    asleep = table.copy()
    asleep.loc[: SPLIT - 1, "d"] = np.nan
    whole = ls.play(key, asleep, outcome="y", interval=(0, 1), record="all")
    if key != "boa":  # its rates depend on how many experts there are
        np.testing.assert_allclose(run.predictions, whole.predictions[SPLIT:], rtol=1e-12)
    np.testing.assert_allclose(run.weights[0], whole.weights[SPLIT], atol=0.02)
    assert run.learner.live.names == ("a", "b", "c", "d")


@pytest.mark.parametrize("key", BY_WEIGHT)
def test_a_newcomer_has_its_share_and_the_others_keep_their_ratios(table, key):
    learner = trained(key, table)
    run = joined(learner, table)
    before = learner.weights
    np.testing.assert_allclose(run.weights[0], [*(before * 0.75), 0.25], rtol=1e-12)
    assert learner.live.names == ("a", "b", "c")  # the argument is left alone


def test_a_newcomer_has_its_share_in_each_base_of_tracker_that_tracks(table):
    learner = trained("tracker", table)
    run = joined(learner, table[: SPLIT + 1])
    before, state = learner.state, run.learner.state
    assert learner.live.names == ("a", "b", "c")
    grown = run.learner.grow(
        before, run.learner.begin(run.learner.live.shape), run.learner.live.shape
    )
    np.testing.assert_allclose(grown.P[:, :3], before.P * 0.75, rtol=1e-12)
    np.testing.assert_allclose(grown.P[:, 3], 0.25, rtol=1e-12)
    assert grown.ml_poly.R[3] == grown.boa.S[3] == 0.0  # there it is as if it had slept
    np.testing.assert_allclose(run.weights[0].sum(), 1.0, rtol=1e-12)
    assert 0.0 < run.weights[0][3] <= 0.25
    assert len(state.w) == 4


def test_what_the_theorem_says_of_a_newcomer_holds(table):
    """Blocks in which the others, and then the newcomer, are best: T-EWA for all experts, over the rounds of each."""
    y = np.zeros(200)
    x = np.tile([1.0, 1.0, 0.0, 1.0], (200, 1))
    x[100:] = [1.0, 1.0, 1.0, 0.0]
    rounds = pd.DataFrame(x, columns=list("abcd")).assign(y=y)
    for eta in (0.1, 0.5, 2.0):
        first = ls.play(
            ls.Hedge(eta=eta, loss="absolute"),
            rounds[:100].drop(columns="d"),
            outcome="y",
            interval=(0, 1),
        )
        rest = ls.play(first.learner, rounds[100:], outcome="y", resume=True)
        bound = np.log(4) / eta + eta * 100 / 8
        assert rest.loss <= bound  # the newcomer loses nothing
        assert (
            first.loss + rest.loss - 100 <= np.log(4) / eta + eta * 200 / 8
        )  # nor does c until then
    assert "T-EWA covers it, in the rounds since it came" in rest.notes[0]


def test_every_learner_says_what_theory_says_or_lets_nobody_in(table):
    for key in registry.learners():
        learner = registry.learner(key)
        said = learner.newcomers()
        assert not said or "theorem covers" in said or any(g.id in said for g in learner.guarantees)
    for key in ("adahedge", "variable-share", "mixing-past-posteriors"):
        with pytest.raises(
            BadInput, match=rf"'d' is an expert that {key} was not trained on.*experts=\['!d'\]"
        ):
            joined(trained(key, table), table)
    with pytest.raises(BadInput, match="none can join"):
        joined(trained(ls.WeightedAverage(prior=(0.5, 0.25, 0.25)), table), table)
    falling = ls.Hedge().start(3, interval=(0, 1), allocation=False)
    assert "no theorem covers it" in falling.newcomers()


def test_one_that_joined_is_saved_and_goes_on(table, tmp_path):
    learner = ls.load(joined(trained("tracker", table), table).learner.save(tmp_path / "m.ls"))
    assert learner.live.names == ("a", "b", "c", "d")
    learner.update({"d": 0.5, "c": 0.5, "b": 0.4, "a": 0.1}, 0.5)
    again = ls.play(learner, table[["y", "b", "a"]], outcome="y", resume=True)
    assert (
        again.notes[0]
        == "not here: 'c', 'd', which tracker was trained on; they sleep: they give no advice"
    )


def test_keys_are_joined_each_for_itself(table):
    table = table.assign(shop=["A", "B", "C"] * 20)
    first = ls.play("tracker", table[:SPLIT].drop(columns="d"), outcome="y", by="shop")
    rest = table[SPLIT:][["d", "y", "shop", "c", "a", "b"]].replace({"shop": {"C": "D"}})
    runs = ls.play(first.learners, rest, outcome="y", by="shop", resume=True)
    assert {key: run.learner.live.t for key, run in runs.items()} == {"A": 20, "B": 20, "D": 14}
    assert {run.learner.live.names[-1] for key, run in runs.items() if key != "D"} == {"d"}


def test_nobody_joins_while_outcomes_are_waited_for(table):
    early = table[:SPLIT].drop(columns="d")
    late = ls.play("tracker", early, outcome="y", delay=3, interleave=False).learner
    with pytest.raises(
        BadInput, match="'d' cannot join tracker while the outcomes of 3 earlier rounds"
    ):
        joined(late, table, delay=3)
    asked = trained("tracker", table)
    asked.ask({"a": 0.1, "b": 0.2, "c": 0.3})
    with pytest.raises(BadInput, match="'d' cannot join tracker while 1 tickets are open"):
        joined(asked, table)


def test_a_live_learner_says_how_an_expert_sleeps_and_joins(table):
    learner = trained("tracker", table)
    asleep = learner.predict([0.1, 0.2, np.nan])
    assert learner.predict({"a": 0.1, "b": 0.2}) == asleep
    with pytest.raises(
        BadInput,
        match=r"expert 'd' is not one of those .* a, b, c; play\(.*resume=True\) lets it join",
    ):
        learner.predict({"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4})


def test_classes_keep_their_codes_where_another_table_has_fewer():
    may = pd.DataFrame({"a": ["cat", "dog"] * 5, "b": ["dog", "cat"] * 5, "y": ["cat", "dog"] * 5})
    first = ls.play("randomized-weighted-majority", may, outcome="y").learner
    june = pd.DataFrame({"b": ["dog"] * 3, "a": ["dog"] * 3, "y": ["dog"] * 3})
    run = ls.play(first, june, outcome="y", resume=True)
    assert run.predictions.tolist() == ["dog"] * 3
    with pytest.raises(BadInput, match="'cow'"):
        ls.play(first, june.assign(y="cow"), outcome="y", resume=True)


def test_learners_of_keys_without_rounds_go_on():
    """The learners of two weeks hold those of the first week that had no round in the second."""
    losses = [[0.0, 1.0]] * 4
    may = ls.play("hedge", losses, by=["a", "b", "a", "b"], engine="plain")
    june = ls.play(may.learners, losses, by=["a"] * 4, resume=True, engine="plain")
    assert set(june) == {"a"}
    assert june.learners["b"].digest() == may["b"].learner.digest()
