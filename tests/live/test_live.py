"""One round at a time: predict, update, ask, tell, freeze; draws and their expectation."""

import math

import numpy as np
import pytest
from support.rounds import leaves, played, same, started
from support.rows import EXPERT_KEYS as KEYS

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.numeric import draw, uniform
from littlestone.engine.compile import has_numba
from littlestone.engine.memory import copy

pytestmark = pytest.mark.usefixtures("plain")


def square(n=2, **parameters):
    return ls.ExponentialWeights(loss="square", **parameters).start(
        n, interval=(0, 1), allocation=False
    )


# Predict and update.


@pytest.mark.parametrize("key", KEYS)
def test_predict_and_ask_change_nothing(key):
    x, y = played(key, 6)
    learner = started(key, (y if x is None else x).shape[1], 6)
    for t in range(5):
        learner.update(*((y[t],) if x is None else (x[t], y[t])))
    before, example = copy(learner.state), [] if x is None else [x[5]]
    first = learner.predict(*example)
    for _ in range(3):
        assert np.array_equal(learner.predict(*example), first)
        assert learner.examples or learner.weights is not None
    assert same(learner.state, before)
    assert learner.live.t == 5
    ticket = learner.ask(*example)
    assert np.array_equal(ticket.prediction, first)
    assert same(learner.state, before)


def test_rules_may_not_be_handed_the_state_by_accident():
    """What a caller does to weights and tickets is no business of the learner's."""
    learner = ls.Hedge(eta=1.0).start(2)
    learner.predict()[:] = 7.0
    learner.weights[:] = 7.0
    learner.ask().decision[:] = 7.0
    assert learner.predict().tolist() == [0.5, 0.5]


def test_nor_does_the_learner_touch_what_it_is_given():
    x, ell = np.array([0.2, np.nan, 0.9]), np.array([0.0, 1.0])
    learner = square(3)
    learner.predict(x)
    learner.update(x, 1.0)
    learner.tell(learner.ask(x), 0.0)
    assert np.array_equal(x, [0.2, np.nan, 0.9], equal_nan=True)
    ls.Hedge().update(ell)
    assert ell.tolist() == [0.0, 1.0]


def test_update_after_predict_by_hand():
    learner = square(eta=math.log(2))  # a whole unit of loss halves a weight
    assert learner.predict([0.0, 1.0]) == 0.5
    assert learner.update([0.0, 1.0], 0.0) is learner
    assert learner.weights == pytest.approx([2 / 3, 1 / 3])
    assert learner.predict([0.0, 1.0]) == pytest.approx(1 / 3)
    assert learner.update([0.0, 1.0], 1.0).update([0.0, 1.0], 1.0).weights == pytest.approx(
        [1 / 3, 2 / 3]
    )


def test_lists_tuples_and_arrays_of_any_number_will_do():
    for kind in (
        list,
        tuple,
        np.array,
        lambda v: np.array(v, np.float32),
        lambda v: np.array(v, int),
    ):
        assert square().predict(kind([0, 1])) == 0.5
    assert ls.Hedge(eta=1.0).update((0, 1)).predict()[0] == pytest.approx(1 / (1 + math.exp(-1)))


# Beginning.


def test_the_first_example_says_how_many():
    learner = ls.Hedge()
    with pytest.raises(BadInput, match=r"hedge does not know yet how many experts .* start\(n=…\)"):
        learner.predict()
    learner.update([0.0, 1.0, 0.5])
    assert len(learner.weights) == 3
    with pytest.raises(BadInput, match="losses must have 3 entries, as in the first round, not 2"):
        learner.update([0.0, 1.0])


def test_what_has_not_begun_says_so():
    for ask in (
        lambda learner: learner.state,
        lambda learner: learner.weights,
        lambda learner: learner.frozen(),
        lambda learner: ls.play(learner, [[0.0, 1.0]], resume=True),
    ):
        with pytest.raises(BadInput, match=r"hedge (has not|cannot resume)"):
            ask(ls.Hedge())


def test_an_interval_is_declared_and_kept():
    learner = ls.FixedShare().start(2, interval=(-10, 10), allocation=False)
    assert learner.live.shape.span == 400.0
    assert learner.live.learner.eta == 0.5 / 400
    for bad in (([11.0, 0.0], 0.0), ([0.0, 0.0], -10.5)):
        with pytest.raises(
            BadInput, match=r"outside the interval \[-10, 10\]; declare a wider one"
        ):
            learner.update(*bad)
    hedge = ls.Hedge().start(2, interval=(0, 5))
    hedge.update([5.0, 0.0])
    with pytest.raises(BadInput, match=r"column '2': loss is 5.5, outside the interval \[0, 5\]"):
        hedge.update([0.0, 5.5])
    with pytest.raises(BadInput, match=r"low < high, not \(1, 0\)"):
        ls.Hedge().start(2, interval=(1, 0))
    for learner in (
        ls.FixedShare(),
        ls.FixedShare(loss=ls.Square(0, 1)),
    ):  # nobody declared another
        assert learner.update([0.0, 1.0], 0.5).weights.tolist() == [0.5, 0.5]
        with pytest.raises(BadInput, match=r"outside the interval \[0, 1\]; declare a wider one"):
            learner.update([0.0, 1.5], 0.5)


def test_rounds_that_are_known_set_the_rate():
    learner = ls.Hedge().start(4, rounds=200)
    assert learner.live.learner.eta == pytest.approx(math.sqrt(8 * math.log(4) / 200))
    assert learner.eta is None  # what was asked for
    assert ls.Hedge().start(4).live.learner.eta is None


def test_labels_as_the_user_wrote_them():
    for make in (ls.WeightedMajority, ls.RandomizedWeightedMajority, ls.Halving, ls.Consistent):
        learner = make().start(3, labels=("cat", "dog"), allocation=False)
        assert learner.predict(["dog", "dog", "dog"]) == "dog"
        learner.update(["dog", "cat", "cat"], "cat")
        assert learner.predict(["cat", "cat", "cat"]) == "cat"
        assert learner.predict([None, None, "cat"]) == "cat"
        with pytest.raises(
            BadInput, match="column '2': unknown label 'cow'; the labels are 'cat', 'dog'"
        ):
            learner.predict(["cat", "cow", "cat"])
        with pytest.raises(BadInput, match="the outcome: unknown label 'cow'"):
            learner.update(["cat", "cat", "cat"], "cow")


def test_labels_are_guessed_where_they_can_be():
    assert ls.WeightedMajority().predict([-1, 1, 1]) == 1
    assert ls.RandomizedWeightedMajority().predict([-1, -1, -1]) == -1
    assert ls.WeightedMajority().predict([0.0, 0.0, 1.0]) == 0
    with pytest.raises(
        BadInput, match=r"weighted-majority: say what the labels are: start\(n, labels"
    ):
        ls.WeightedMajority().predict([2, 3, 3])


def test_losses_and_advice_do_not_mix():
    learner = ls.Hedge().update([0.0, 1.0])
    with pytest.raises(BadInput, match=r"hedge began with losses alone: update\(losses\)"):
        learner.update([0.0, 1.0], 0.5)
    with pytest.raises(BadInput, match="hedge began with losses alone"):
        learner.predict([0.0, 1.0])
    learner = ls.Hedge(loss=ls.Square(0, 1)).update([0.0, 1.0], 0.5)
    with pytest.raises(
        BadInput, match=r"hedge began with advice and an outcome: update\(advice, outcome\)"
    ):
        learner.update([0.0, 1.0])
    with pytest.raises(BadInput, match="hedge began with advice"):
        learner.predict()
    with pytest.raises(BadInput, match="weighted-average needs advice and outcomes"):
        ls.WeightedAverage().update([0.0, 1.0])


def test_the_engine_is_fixed_when_it_begins(monkeypatch):
    learner = ls.Hedge().start(2)
    monkeypatch.delenv("LITTLESTONE_ENGINE")
    assert learner.live.engine == "plain"
    learner.update([0.0, 1.0])
    assert ls.play(learner, [[0.0, 1.0]], resume=True).facts["engine"] == "plain"


# Ask now, tell later.


def test_told_out_of_order():
    """The totals of exponential weights know of no order."""
    rng = np.random.default_rng(0)
    x, y = rng.random((6, 3)), rng.random(6)
    orders = [(0, 1, 2, 3, 4, 5), (5, 3, 1, 4, 0, 2)]
    ends = []
    for order in orders:
        learner = square(3, eta=0.7)
        tickets = [learner.ask(row) for row in x]
        assert [ticket.round for ticket in tickets] == list(range(6))
        for t in order:
            learner.tell(tickets[t], y[t])
        ends.append(learner.weights)
    assert ends[0] == pytest.approx(ends[1])
    expected = np.exp(-0.7 * ((x - y[:, None]) ** 2).sum(axis=0))
    assert ends[0] == pytest.approx(expected / expected.sum())


def test_what_is_learned_is_the_decision_made_then():
    """ML-Poly counts regret to what it played: twice 1/2, since nothing was told in between."""
    learner = ls.MLPoly().start(2)
    first, second = learner.ask(), learner.ask()
    learner.tell(first, [0.0, 1.0])
    assert learner.predict().tolist() == [1.0, 0.0]
    learner.tell(second, [0.0, 1.0])
    assert learner.state.R.tolist() == [1.0, -1.0]
    assert learner.state.V.tolist() == [0.5, 0.5]


def test_a_ticket_of_a_round_with_sleepers():
    learner, other = square(3, eta=1.0), square(3, eta=1.0)
    ticket = learner.ask([0.2, np.nan, 0.8])
    assert ticket.prediction == pytest.approx(0.5)
    learner.ask([0.0, 0.0, 0.0])  # the room is used in between
    learner.tell(ticket, 1.0)
    other.update([0.2, np.nan, 0.8], 1.0)
    assert learner.weights == pytest.approx(other.weights)


def test_an_answer_that_never_comes():
    learner = square()
    before = copy(learner.state)
    learner.tell(learner.ask([0.0, 1.0]), math.nan)
    assert same(learner.state, before)
    learner.update([0.0, 1.0], math.nan)
    assert learner.live.t == 2


def test_a_bad_answer_leaves_the_learner_as_it_was():
    learner = square()
    ticket, before = learner.ask([0.0, 1.0]), copy(learner.state)
    for bad in (2.0, math.inf, "one", [0.0, 1.0]):
        with pytest.raises(BadInput):
            learner.tell(ticket, bad)
        assert same(learner.state, before)
    learner.tell(ticket, 1.0)
    assert not same(learner.state, before)


# Frozen.


@pytest.mark.parametrize("key", KEYS)
def test_frozen_predicts_and_never_learns(key):
    x, y = played(key, 8)
    learner = started(key, (y if x is None else x).shape[1], 8)

    def example(t):
        return [] if x is None else [x[t]]

    learner.update(*((y[0],) if x is None else (x[0], y[0])))
    still, expected = learner.frozen(), [learner.predict(*example(t)) for t in range(8)]
    before = copy(learner.state)
    for _ in range(2):
        for t in range(8):
            assert np.array_equal(still(*example(t)), expected[t])
    assert same(learner.state, before)
    for t in range(1, 8):  # and what the learner learns later is no concern of it
        learner.update(*((y[t],) if x is None else (x[t], y[t])))
    assert np.array_equal(still(*example(7)), expected[7])
    assert any(
        not np.array_equal(a, b) for a, b in zip(leaves(before), leaves(learner.state), strict=True)
    )


# Draws.


def test_seeds_reproduce():
    x = [0, 1, 0, 1]
    lines = []
    for seed in (0, 0, 1):
        learner = ls.RandomizedWeightedMajority().start(4, seed=seed, allocation=False)
        lines.append([(learner.predict(x), learner.update(x, t % 2))[0] for t in range(50)])
    assert lines[0] == lines[1]
    assert lines[0] != lines[2]
    assert set(lines[0]) == {0, 1}


DRAWN = [
    (ls.RandomizedWeightedMajority(beta=0.999), True),
    (ls.ExponentialWeights(loss="absolute", draw=True, eta=0.001), True),
    (ls.Hedge(eta=0.001), False),
]


@pytest.mark.parametrize(("learner", "advice"), DRAWN, ids=lambda v: getattr(v, "key", ""))
def test_the_expected_loss_is_the_mean_of_the_draws(learner, advice):
    """Realised less expected losses add up to nearly nothing: to four standard deviations at most."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 4000).astype(float)
    wrong = rng.random((4000, 3)) < (0.3, 0.5, 0.7)  # so that it matters who is drawn
    x = abs(y[:, None] - wrong) if advice else wrong.astype(float)
    run = ls.play(learner, x, y, seed=5) if advice else ls.play(learner, x, seed=5)
    mean = (run.weights * wrong).sum(axis=1)
    assert run.losses == pytest.approx(mean)
    assert set(run.realised) <= {0.0, 1.0}
    spread = math.sqrt((mean * (1 - mean)).sum())
    assert 0 < abs(run.realised.sum() - run.loss) < 4 * spread
    if not advice:
        assert run.realised.tolist() == x[np.arange(4000), run.predictions.astype(int)].tolist()


def test_a_draw_follows_the_weights():
    p = np.array([0.0, 0.25, 0.0, 0.75, 0.0])
    assert [draw(p, u) for u in (0.0, 0.2499, 0.25, 0.999)] == [1, 1, 3, 3]
    assert (
        draw(np.array([0.5, 0.49999999, 0.0]), 0.99999999) == 1
    )  # what rounding lost picks nobody without weight


def test_uniform_numbers_are_a_pure_function():
    u = np.array([[uniform(seed, t, 0) for t in range(2000)] for seed in (0, 1, 7)])
    assert ((u >= 0) & (u < 1)).all()
    assert len(np.unique(u)) == u.size
    assert abs(u.mean() - 0.5) < 4 / math.sqrt(12 * u.size)
    # each tenth is as frequent as the next: chi-square with 9 degrees of freedom
    counts = np.histogram(u, 10, (0, 1))[0]
    assert ((counts - u.size / 10) ** 2 / (u.size / 10)).sum() < 30
    assert abs(np.corrcoef(u[0], u[1])[0, 1]) < 0.1
    assert abs(np.corrcoef(u[0, :-1], u[0, 1:])[0, 1]) < 0.1
    assert uniform(3, 5, 0) == uniform(3, 5, 0) != uniform(3, 5, 1)


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
def test_uniform_numbers_are_those_of_the_compiled_twin():
    from littlestone.engine import twins
    from littlestone.engine.compile import jit

    assert twins.uniform is uniform
    twin = jit(numbers)
    seeds = np.array([0, 1, 2, 12345, 2**31, 2**40, 2**62, 2**63 - 1])
    rounds = np.array([0, 1, 2, 63, 10**6, 2**40])
    for k in (0, 1, 5):
        exact = np.array([[uniform(int(s), int(t), k) for t in rounds] for s in seeds])
        assert np.array_equal(twin(seeds, rounds, k), exact)


def numbers(seeds, rounds, k):
    out = np.empty((seeds.shape[0], rounds.shape[0]))
    for i in range(seeds.shape[0]):
        for j in range(rounds.shape[0]):
            out[i, j] = uniform(seeds[i], rounds[j], k)
    return out
