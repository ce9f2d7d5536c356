"""Arms by name: which are there, what they brought in the user's sign, arms that come and go."""

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.testing.compare import same

ARMS = ["red", "green", "blue"]


@pytest.fixture(autouse=True)
def _plain(plain):
    """Nothing here needs compiled code."""


def begun(key="exp3", **more):
    return ls.learner(key).start(ARMS, rounds=100, seed=1, **more)


# Which arms are there.


@pytest.mark.parametrize(
    "there",
    [
        ["blue", "red"],
        ("red", "blue"),
        {"red", "blue"},
        np.array(["red", "blue"]),
        {"blue": True, "green": False, "red": True},
        pd.Series({"blue": 1, "green": 0, "red": 1}),
        [True, False, True],
    ],
)
def test_the_arms_that_are_there_are_named(there):
    learner = begun()
    assert learner.propensities(available=there).tolist() == [0.5, 0.0, 0.5]
    assert learner.predict(available=there) in ("red", "blue")
    assert learner.ask(available=there).decision.tolist() == [0.5, 0.0, 0.5]
    learner.update(arm="red", loss=0.3, available=there)


def test_one_arm_by_its_name():
    assert begun().predict(available="green") == "green"


@pytest.mark.parametrize(
    ("there", "message"),
    [
        (["pink"], "available: 'pink' is none of the arms: red, green, blue"),
        ({"red": True, "green": True}, "available: arm 'blue' is missing"),
        ({"red": True, "pink": True}, "available: arm 'pink' is not one of"),
        ({"red": 0, "green": 0, "blue": 0}, "available: no arm is there to be pulled"),
        ([], "available must be 3 times True or False, one for each arm, or the names of those"),
        ([1, 0], "available must be 3 times True or False"),
    ],
)
def test_names_of_no_arm_are_refused(there, message):
    learner = begun()
    before = learner.digest()
    for call in (learner.predict, learner.ask, learner.propensities):
        with pytest.raises(BadInput) as error:
            call(available=there)
        assert str(error.value).startswith(message)
    assert learner.digest() == before


def test_names_need_arms_with_names():
    with pytest.raises(BadInput, match=r"available holds names \(red\), and the arms have none"):
        ls.EXP3().start(3).predict(available=["red"])


def test_play_reads_what_is_there_by_name():
    losses = pd.DataFrame({"red": [0.1, 0.2], "green": [0.3, 0.4]})
    frame = pd.DataFrame({"green": [True, True], "red": [False, True]})  # in another order
    ways = [frame, [["green"], ["red", "green"]], [{"red": False, "green": True}, ["red", "green"]]]
    for available in [*ways, [[False, True], [True, True]]]:
        run = ls.play("exp3", losses, available=available)
        assert run.propensities.tolist() == [[0.0, 1.0], [0.5, 0.5]]
    with pytest.raises(BadInput, match="row 2: available: 'pink' is none of the arms: red, green"):
        ls.play("exp3", losses, available=[["green"], ["pink"]])
    with pytest.raises(BadInput, match="available: arm 'red' is missing"):
        ls.play("exp3", losses, available=frame[["green"]])


def test_play_reads_contexts_from_dicts():
    losses = pd.DataFrame({"red": [0.1, 0.9, 0.2], "green": [0.3, 0.4, 0.1]})
    rows = [{"a": 1.0, "b": 2.0}, {"b": 1.0, "a": 0.5}, {"a": 0.0, "b": 1.0}]
    run = ls.play("linucb", losses, features=rows)
    assert same(
        run.learner.state, ls.play("linucb", losses, features=pd.DataFrame(rows)).learner.state
    )
    assert run.learner.predict({"b": 1.0, "a": 2.0}) == run.learner.predict([2.0, 1.0])
    rows[1] = {"a": 1.0}
    with pytest.raises(BadInput, match="features, row 2: feature 'b' is missing"):
        ls.play("linucb", losses, features=rows)
    rows[1] = [1.0, 2.0]
    with pytest.raises(BadInput, match="features, row 2: it must be a dict, as the others are"):
        ls.play("linucb", losses, features=rows)


def test_text_in_a_context_is_named():
    learner = ls.LinUCB().start(ARMS, features=["hour", "shop"])
    with pytest.raises(
        BadInput, match=r"feature 'shop' must be a number, not 'north': .*'shop=north'"
    ):
        learner.predict({"hour": 1.0, "shop": "north"})
    with pytest.raises(BadInput, match="feature 'shop' must be a number, not None"):
        learner.predict({"hour": 1.0, "shop": None})


# What an arm cost, or brought.


@pytest.mark.parametrize(("what", "value"), [("reward", 2.0), ("loss", -1.0), ("reward", np.nan)])
def test_messages_are_in_the_words_and_sign_of_the_user(what, value):
    learner = begun()
    ticket = learner.ask()
    before = learner.digest(tickets=True)
    for call in (
        lambda: learner.update(arm="red", propensity=0.5, **{what: value}),
        lambda: learner.tell(ticket, **{what: value}),
        lambda: learner.tell(ticket, importance=0.5, **{what: value}),
    ):
        with pytest.raises(BadInput) as error:
            call()
        message = str(error.value)
        assert message.startswith(f"{what}: {what} is {value:g}")
        assert {"loss": "reward", "reward": "loss"}[what] not in message
    assert learner.digest(tickets=True) == before


def test_play_refuses_rewards_as_rewards(tmp_path):
    rewards = pd.DataFrame({"red": [0.1, 0.2], "green": [0.3, 2.4]})
    file = tmp_path / "rewards.csv"
    rewards.to_csv(file, index=False)
    for data in (rewards, file):
        with pytest.raises(
            BadInput, match=r"row 2, column 'green': reward is 2\.4, outside"
        ) as error:
            ls.play("exp3", data, rewards=True, interval=(0.0, 1.0))
        assert "loss" not in str(error.value)


def test_tell_takes_a_loss_or_a_reward():
    learners = [begun(interval=(-1.0, 3.0)) for _ in range(3)]
    for learner, said in zip(learners, [{"y": 0.5}, {"loss": 0.5}, {"reward": 1.5}], strict=True):
        learner.tell(learner.ask(), **said)
    assert same(learners[0].state, learners[1].state)
    assert same(learners[0].state, learners[2].state)
    ticket = learners[0].ask()
    for bad in ({"loss": 0.1, "reward": 0.2}, {"y": 0.1, "loss": 0.2}, {"y": 0.1, "reward": 0.2}):
        with pytest.raises(BadInput):
            learners[0].tell(ticket, **bad)
    assert learners[0].tell(ticket).tickets == []  # it will never be known


@pytest.mark.parametrize("key", ["exp3", "exp3-ix", "tsallis-inf", "exp3-s", "exp3-exploring"])
def test_a_round_that_counts_half_costs_half(key):
    """importance c is a loss of c times what was seen, from the lower end of the interval: the theorems' own terms."""
    weighted, halved = begun(key, interval=(1.0, 3.0)), begun(key, interval=(1.0, 3.0))
    for loss in (3.0, 1.5, 1.0, 2.0):
        weighted.tell(weighted.ask(), loss=loss, importance=0.5)
        halved.tell(halved.ask(), loss=1.0 + 0.5 * (loss - 1.0))
    assert same(weighted.state, halved.state)
    arm = weighted.predict()
    weighted.update(arm=arm, reward=1.5, importance=0.25)
    halved.update(arm=arm, loss=1.0 + 0.25 * (4.0 - 1.5 - 1.0))
    assert same(weighted.state, halved.state)


def test_importance_that_no_theorem_covers_is_refused():
    learner = begun("ucb1")
    ticket = learner.ask()
    with pytest.raises(BadInput, match="importance: no theorem of ucb1 covers rounds that count"):
        learner.tell(ticket, loss=0.5, importance=0.5)
    learner.tell(ticket, loss=0.5, importance=1.0)
    exp3 = begun()
    ticket = exp3.ask()
    for bad in (2.0, -0.1, np.nan, "much"):
        with pytest.raises(BadInput, match="importance"):
            exp3.tell(ticket, loss=0.5, importance=bad)
    with pytest.raises(BadInput, match="say what the arm cost"):
        exp3.tell(ticket, importance=0.5)
    assert len(exp3.tickets) == 1


# Arms that come and go.


def plan(T=120):
    """Which of four arms are there in each round: two at first, a third from 30, the first not from 60, all from 90."""
    on = np.zeros((T, 4), bool)
    on[:, :2] = True
    on[30:, 2] = True
    on[60:, 0] = False
    on[90:, 3] = on[90:, 0] = True
    return on


def test_arms_added_and_retired_are_the_sleeping_arms_of_the_theorem():
    """The same draws and the same state, bit for bit, as `play` with `available`, whose certificate has T-EXP3."""
    on, losses = plan(), np.random.default_rng(0).random((120, 4))
    names = ["a", "b", "c", "d"]
    run = ls.play("exp3", pd.DataFrame(losses, columns=names), available=on, seed=5)
    assert "T-EXP3" in {v.guarantee.id for v in run.certificate if v.verdict != "vacuous"}
    learner = ls.EXP3().start(["a", "b"], most=4, rounds=120, seed=5)
    for t in range(120):
        if t == 30:
            learner.add_arm("c")
        if t == 60:
            learner.retire_arm("a")
        if t == 90:
            learner.add_arm("d").add_arm("a")
        assert set(learner.arms) == {
            name for name, there in zip(names, on[t], strict=True) if there
        }
        arm = learner.predict()
        assert arm == names[run.arms[t]]
        learner.update(arm=arm, loss=losses[t, run.arms[t]])
    assert same(learner.state, run.learner.state)


def test_an_arm_that_was_retired(tmp_path):
    learner = ls.EXP3().start(ARMS, most=4, rounds=100)
    ticket = next(t for t in (learner.ask() for _ in range(50)) if t.prediction == "red")
    learner.retire_arm("red")
    before = learner.state.est[0]
    learner.tell(ticket, loss=1.0)  # what its open tickets bring is learned still
    assert learner.state.est[0] > before
    with pytest.raises(
        BadInput, match=r"'red' is none of the arms \(it was retired\): they are green, blue"
    ):
        learner.update(arm="red", propensity=0.5, loss=1.0)
    with pytest.raises(BadInput, match="available: 'red' is none of the arms: green, blue"):
        learner.predict(available=["red"])
    assert learner.propensities(available=["green"]).tolist() == [0.0, 1.0, 0.0, 0.0]
    assert learner.propensities(available=[False, True]).tolist() == [0.0, 0.0, 1.0, 0.0]
    again = ls.load(learner.save(tmp_path / "a.ls"))
    assert again.arms == ("green", "blue")
    assert again.digest(tickets=True) == learner.digest(tickets=True)
    assert again.frozen()() in ("green", "blue")
    assert again.add_arm("pink").arms == ("green", "blue", "pink")
    learner.retire_arm("blue")
    with pytest.raises(BadInput, match="'green' is the only one that is there: add another"):
        learner.retire_arm("green")


def test_play_goes_on_without_a_retired_arm():
    losses = pd.DataFrame(np.random.default_rng(0).random((30, 3)), columns=ARMS)
    learner = ls.play("exp3", losses).learner.retire_arm("green")
    run = ls.play(learner, losses, resume=True)
    assert (run.propensities[:, 1] == 0.0).all()
    with pytest.raises(BadInput, match="available: row 2: every arm that is there was retired"):
        ls.play(learner, losses[:2], available=[ARMS, ["green"]], resume=True)


def test_a_log_of_tickets_keeps_the_arms_that_came(tmp_path):
    learner = ls.EXP3().start(["red", "green"], most=4, seed=2)
    learner.save(tmp_path / "a.ls")
    learner.log_tickets(tmp_path / "a.log")
    learner.tell(learner.ask(), loss=0.5)
    learner.add_arm("blue").retire_arm("red")
    learner.tell(learner.ask(), loss=0.2)
    learner.ask()
    again = ls.load(tmp_path / "a.ls")
    again.recover(tmp_path / "a.log")
    assert again.arms == ("green", "blue")
    assert again.digest(tickets=True) == learner.digest(tickets=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: begun("ucb1").retire_arm("red"), "no theorem of ucb1 covers arms that come or go"),
        (lambda: begun("tsallis-inf").add_arm("x"), "no theorem of tsallis-inf covers arms that"),
        (lambda: ls.UCB1().start(ARMS, most=5), "no theorem of ucb1 covers arms that come or go"),
        (lambda: begun().add_arm("x"), "arm 'x': there is no place for another arm; begin with"),
        (lambda: begun().add_arm("red"), "arm 'red' is there already"),
        (lambda: begun().add_arm(3), "the name of an arm must be text, not 3"),
        (lambda: begun().retire_arm("x"), "arm 'x' is none of the arms: they are red, green, blue"),
        (lambda: ls.EXP3().start(3).retire_arm("x"), "arm 'x' is none of the arms, and they have"),
        (lambda: ls.EXP3().start(3).add_arm("x"), "arm 'x': the arms have no names: start"),
        (lambda: ls.EXP3().start(3, most=4), "most: arms that come later are called by name"),
        (lambda: ls.EXP3().start(ARMS, most=2), "most, the number of arms there will be, must"),
        (lambda: ls.EXP3().add_arm("x"), "exp3 does not know yet how many arms there are"),
    ],
)
def test_arms_that_cannot_come_or_go(call, message):
    with pytest.raises(BadInput) as error:
        call()
    assert str(error.value).startswith(message)
