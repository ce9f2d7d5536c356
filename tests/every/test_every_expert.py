"""Generic checks of learners over experts: sleepers, rounds without an answer, losses, labels, memory."""

import itertools
import math

import numpy as np
import pytest
from support.rounds import (
    declared,
    leaves,
    needs_truth,
    played,
    same,
    started,
    subject,
    takes,
)
from support.rows import EXPERT_KEYS as KEYS
from support.rows import made

import littlestone as ls
from littlestone.core import losses
from littlestone.core.errors import BadInput
from littlestone.core.learner import hints
from littlestone.core.registry import learner, learners
from littlestone.engine.compile import has_numba
from littlestone.games import Substitution, Tangent, Vote
from littlestone.live import store
from littlestone.testing.kinds import spoiled
from littlestone.testing.late import late_is_ask_and_tell
from littlestone.testing.subject import using

ADVISED = [key for key in KEYS if takes(key, False) in ("advice", "labels")]  # experts may sleep
N = 5


def play(key, x, y, learner=None, **options):
    """Play advice (or features) and outcomes, or losses where x is None."""
    learner = made(key) if learner is None else learner
    options = declared(key) | options
    return ls.play(learner, y, **options) if x is None else ls.play(learner, x, y, **options)


# Late feedback.


@pytest.mark.parametrize("key", KEYS)
def test_interleaved_copies_keep_the_theorem(key, plain):
    x, y = played(key, 40, N)
    run = play(key, x, y, delay=3, interleave=True)
    assert run.certificate.verdict in ("kept", "unknown")


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", ["fixed-share"])
def test_late_compiled(key):
    """The loop of late feedback is compiled for one learner only: for all of them it would take minutes."""
    with using("compiled"):
        late_is_ask_and_tell(subject(key), "compiled")


# Sleeping experts, and rounds without an answer.


def sleepy(key, T=40, seed=2):
    """Rounds in which experts 1 to 4 sleep now and then; some have lost all their weight by then."""
    x, y = played(key, T, N, seed, allocation=False)
    asleep = np.random.default_rng(seed).random((T, N)) < 0.35
    asleep[:, -1] &= not needs_truth(
        key
    )  # one that is taken to err with the learner would be ruled out
    asleep[asleep.all(axis=1), 0] = False
    return np.where(asleep, np.nan, x), y, asleep


def game_of(key):
    return made(key).game(False)


def own_losses(key, x, y):
    """What each expert awake loses, by the loss itself."""
    loss = getattr(game_of(key), "loss", losses.ZeroOne())
    E = np.full(x.shape, np.nan)
    for t, i in itertools.product(*map(range, x.shape)):
        if not np.isnan(x[t, i]):
            E[t, i] = loss.at(x[t, i], y[t])
    return E


def awake_weights(run, x):
    w = np.where(np.isnan(x), 0.0, run.weights)
    mass = w.sum(axis=1, keepdims=True)
    even = ~np.isnan(x) / (~np.isnan(x)).sum(axis=1, keepdims=True)
    return np.where(mass > 0, w / np.where(mass > 0, mass, 1.0), even)


@pytest.mark.parametrize("key", ADVISED)
def test_the_experts_awake_share_the_weight(key, plain):
    x, y, asleep = sleepy(key)
    run = play(key, x, y)
    w, game = awake_weights(run, x), game_of(key)
    advice = np.where(asleep, 0.0, x)
    if isinstance(game, Vote):
        ones = (w * advice).sum(axis=1)
        clear = abs(ones - 0.5) > 1e-9
        assert clear.any()
        assert np.array_equal(run.predictions[clear], (ones > 0.5)[clear])
    elif game.traits().draws:
        E = np.where(asleep, 0.0, own_losses(key, x, y))
        assert run.losses == pytest.approx((w * E).sum(axis=1), abs=1e-12)
        for t in range(len(y)):
            assert run.predictions[t] in x[t, w[t] > 0]
    elif isinstance(game, Substitution):
        eta, (low, high) = run.parameters["eta"], declared(key)["interval"]
        g = [
            -np.log((w * np.exp(-eta * (end - advice) ** 2)).sum(axis=1)) / eta
            for end in (low, high)
        ]
        expected = (low + high) / 2 + (g[0] - g[1]) / (2 * (high - low))
        assert run.predictions == pytest.approx(expected, abs=1e-12)
    else:
        assert run.predictions == pytest.approx((w * advice).sum(axis=1), abs=1e-12)
    assert run.facts["missing advice"] == asleep.sum()


@pytest.mark.parametrize("key", ADVISED)
def test_regret_counts_over_the_rounds_awake(key, plain):
    x, y, asleep = sleepy(key)
    run = play(key, x, y)
    E = own_losses(key, x, y)
    for i in range(N):
        awake = ~asleep[:, i]
        regret = (run.losses[awake] - E[awake, i]).sum()
        assert run.loss - run.experts.L[i] == pytest.approx(regret, abs=1e-9)
    assert "kept" in {v.verdict for v in run.certificate}
    assert "broken" not in {v.verdict for v in run.certificate}


@pytest.mark.parametrize("key", ADVISED)
def test_a_sleeper_is_charged_what_the_learner_loses(key, plain):
    """So it is as if it had agreed with the learner, which changes neither mixture nor vote."""
    x, y, asleep = sleepy(key)
    run = play(key, x, y)
    if isinstance(game_of(key), Substitution) or game_of(key).traits().draws:
        # a sleeper who repeats a draw, or Vovk's prediction, changes the next one: look at the weights instead
        E = np.where(asleep, run.losses[:, None], own_losses(key, x, y))
        eta = run.parameters.get("eta") or -math.log(run.parameters["beta"])
        w = np.exp(-eta * (E.sum(axis=0) - E.sum(axis=0).min()))  # they weigh exponentially
        assert run.learner.weights == pytest.approx(w / w.sum(), abs=1e-9)
        return
    agreed = play(key, np.where(asleep, run.actions[:, None], x), y)
    assert np.allclose(agreed.weights, run.weights, atol=1e-9, rtol=0)
    assert np.allclose(agreed.losses, run.losses, atol=1e-9, rtol=0)
    assert agreed.learner.weights == pytest.approx(run.learner.weights, abs=1e-9)


@pytest.mark.parametrize("key", ADVISED)
def test_all_asleep(key, plain):
    x, y = played(key, 12, N, allocation=False)
    x[7] = np.nan
    with pytest.raises(BadInput, match=r"row 8\b.*asleep"):
        play(key, x, y)
    run = play(key, x, y, asleep="last")
    assert run.predictions[7] == run.predictions[6]
    assert run.facts["rounds all asleep"] == 1
    if not game_of(key).traits().draws:
        assert run.losses[7] == game_of(key).realised_cost(run.actions[7], y[7])
    x[0] = np.nan
    with pytest.raises(BadInput, match=r"row 1.*no prediction to repeat"):
        play(key, x, y, asleep="last")
    live = started(key, N, 12, allocation=False)
    with pytest.raises(BadInput, match="no prediction to repeat"):
        live.predict(x[0])
    last = live.predict(x[1])
    live.update(x[1], y[1])
    assert live.predict(x[0]) == last


@pytest.mark.parametrize("key", [key for key in KEYS if takes(key, False) != "losses"])
def test_a_round_without_an_answer(key, plain):
    """It is predicted, not learned from, not charged, and counted."""
    x, y = played(key, 20, N, allocation=False)
    y[[0, 6, 7, 19]] = np.nan
    told = ~np.isnan(y)
    run = play(key, x, y, horizon=20)
    assert run.rounds == len(run.predictions) == 20
    assert run.answered == 16
    assert run.facts["rounds without an answer"] == 4
    assert np.array_equal(np.isnan(run.losses), ~told)
    assert run.loss == pytest.approx(run.losses[told].sum())
    assert not np.isnan(run.actions).any()
    fewer = play(key, x[told], y[told], horizon=20)
    assert same(run.learner.state, fewer.learner.state)
    assert run.loss == pytest.approx(fewer.loss)
    if takes(key, False) != "features":
        assert list(run.experts.L) == pytest.approx(list(fewer.experts.L))
        assert np.array_equal(run.weights[told], fewer.weights)
    assert [str(v) for v in run.certificate] == [str(v) for v in fewer.certificate]
    live = started(key, x.shape[1], 20, allocation=False)
    for t in range(20):
        live.update(x[t], y[t])
    assert same(live.state, run.learner.state)


@pytest.mark.parametrize("key", [key for key in KEYS if takes(key, False) != "losses"])
def test_no_round_has_an_answer(key, plain):
    x, _ = played(key, 5, N, allocation=False)
    nothing = np.full(5, np.nan)
    if takes(key, False) == "features":
        run = play(key, x, nothing)
        assert run.loss == run.answered == 0
        assert {v.verdict for v in run.certificate} <= {"unknown"}
        return
    run = play(key, x, nothing, interval=None)
    assert run.loss == run.answered == 0
    assert not np.isnan(run.actions).any()
    assert {v.verdict for v in run.certificate} == {"unknown"}


@pytest.mark.parametrize("key", [key for key in KEYS if "loss" in hints(learners()[key])])
def test_every_loss_is_learned_from_or_refused(key, plain):
    """With the rates that follow from it; also where an expert is sure of what does not happen."""
    learned = set()
    for word, right in itertools.product(losses.NAMES, (1.0, 0.9)):
        if word == "zero-one" and right < 1.0:
            continue
        x, y = np.array([(right, 1.0 - right)] * 8), np.ones(8)
        for data in ((x, y), (iter([(x, y)]),)):  # told how many rounds there are, and not
            said = ""
            try:
                run = ls.play(learner(key, loss=word), *data)
            except BadInput as refused:
                said = str(refused)
            if said:
                assert key in said or "infinite" in said, (word, said)
                continue
            learned.add(word)
            assert np.isfinite(run.weights).all(), word
            assert run.learner.weights[0] > 0.51, (word, right, run.learner.weights)
    assert "square" in learned


@pytest.mark.parametrize("key", [key for key in KEYS if takes(key) != "features"])
def test_one_expert_is_followed(key, plain):
    x, y = played(key, 10, 1)
    run = play(key, x, y)
    assert run.weights == pytest.approx(np.ones((10, 1)))
    assert run.regret == pytest.approx(0.0, abs=1e-9)
    assert "broken" not in {v.verdict for v in run.certificate}


# What is refused.


@pytest.mark.parametrize(
    "key", [key for key in KEYS if takes(key, False) in ("labels", "features")]
)
def test_an_unknown_label_is_named(key, plain):
    x, y = played(key, 9, N, allocation=False)
    later = iter([(x[:4], y[:4]), (x[4:], spoiled(y[4:], 2, 7.0))])
    with pytest.raises(
        BadInput, match=r"row 7, column 'outcome': 7 is not one of the known labels 0, 1"
    ):
        ls.play(made(key), later, labels="outcome" if takes(key) == "features" else True)
    if takes(key) == "labels":
        later = iter([(x[:4], y[:4]), (spoiled(x[4:], (2, 1), 7.0), y[4:])])
        with pytest.raises(
            BadInput, match=r"row 7, column '(expert|feature) 2': 7 is not one of the known"
        ):
            ls.play(made(key), later)


# What it says of itself.


@pytest.mark.parametrize("key", KEYS)
def test_it_carries_its_theorem(key):
    guarantees = learners()[key].guarantees
    assert guarantees
    assert len({g.id for g in guarantees}) == len(guarantees)
    for g in guarantees:
        assert g.id
        assert g.name
        assert "<=" in g.statement
        assert g.source
        assert g.uses
        assert g.against in ("expert", "sequence", "modes", "mean", "none")
        assert g.measures in ("regret", "shown regret", "mistakes")
        assert g.mode == "surely"


@pytest.mark.parametrize("key", KEYS)
def test_memory_does_not_grow_with_the_rounds(key, plain):
    if getattr(learners()[key], "grows", False):
        pytest.skip(f"{key} says that its state grows")
    x, y = played(key, 500, N)
    sizes, files = [], []
    for T in (50, 500):
        run = play(key, None if x is None else x[:T], y[:T], certify=False, record="none")
        sizes.append(sum(v.nbytes for v in leaves(run.learner.state)))
        files.append(len(store.to_bytes(run.learner)))
    assert sizes[0] == sizes[1]
    assert abs(files[0] - files[1]) < 64  # numbers take more or fewer bytes there


def test_tangents_are_what_the_gradient_learners_play():
    """Those whose bound is carried over to mixtures: the certificate says so."""
    found = [key for key in ADVISED if isinstance(made(key).game(False), Tangent)]
    assert found
    for key in found:
        x, y = played(key, 10, 3, allocation=False)
        verdicts = play(key, x, y, engine="plain").certificate
        mixed = {"best fixed mixture", "a good fixed mixture"}
        assert mixed & {v.comparator for v in verdicts}
