"""Generic checks, crossed with the registry: a learner that has one file and one row is tested by these.

Each learner is compiled once, on a few rounds of its row's kind; everything else is checked in plain Python.
"""

import inspect
import itertools
import json
import math
import re
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from support.rows import (
    KEYS,
    ROWS,
    declared,
    leaves,
    made,
    needs_truth,
    played,
    row,
    same,
    started,
    takes,
)

import littlestone as ls
from littlestone import games
from littlestone.cli.main import main
from littlestone.core import losses, vectors
from littlestone.core.errors import BadInput
from littlestone.core.learner import hints
from littlestone.core.parameters import Choice, Interval, split
from littlestone.core.registry import learner, learners
from littlestone.engine.compile import has_numba, ready
from littlestone.engine.loops import rounds
from littlestone.engine.memory import copy
from littlestone.games import DRAWN, Labels, Substitution, Tangent, Vote, inside

ENGINES = ["plain", "compiled"]
ADVISED = [key for key in KEYS if takes(key, False) in ("advice", "labels")]  # experts may sleep
T, N = 72, 5


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    use(request.param, monkeypatch)
    return request.param


@pytest.fixture
def plain(monkeypatch):
    use("plain", monkeypatch)


def use(which, monkeypatch):
    if which == "plain":
        monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    else:
        if not has_numba():
            pytest.skip("numba is not installed: compiled rules not tested")
        monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)


def play(key, x, y, learner=None, **options):
    """Play advice (or features) and outcomes, or losses where x is None."""
    learner = made(key) if learner is None else learner
    options = declared(key) | options
    return ls.play(learner, y, **options) if x is None else ls.play(learner, x, y, **options)


def pieces(x, y, sizes):
    """The same rounds as an iterator of batches."""
    at = 0
    for size in sizes:
        part = slice(at, at + size)
        yield y[part] if x is None else (x[part], y[part])
        at += size
    assert at == len(y)


def one_row(x, y, t):
    return (y[t],) if x is None else (x[t], y[t])


# The rows.


@pytest.mark.parametrize("key", KEYS)
def test_every_learner_has_a_row(key):
    assert row(key).theorem in [g.id for g in learners()[key].guarantees]


def test_every_row_has_a_learner():
    assert sorted(r.key for r in ROWS) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_the_worked_row(key, engine):
    r = row(key)
    run = play(key, r.x, r.y, **r.options)
    assert run.facts["engine"] == engine
    assert run.loss == pytest.approx(r.loss, abs=2e-6)
    if r.predictions is not None:
        assert run.predictions == pytest.approx(r.predictions, abs=2e-6)
    if r.weights is not None:
        assert run.weights == pytest.approx(np.array(r.weights[:-1]), abs=2e-6)
        assert run.learner.weights == pytest.approx(r.weights[-1], abs=2e-6)
    for name, value in r.state.items():
        assert getattr(run.learner.state, name) == pytest.approx(value, abs=2e-6)
    verdict = next(v for v in run.certificate if v.guarantee.id == r.theorem)
    assert verdict.verdict == "kept"
    assert verdict.bound == pytest.approx(r.bound, abs=1e-5)
    assert "broken" not in {v.verdict for v in run.certificate}


# One rule, two engines, four ways to play.


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", KEYS)
def test_a_compiled_step_is_a_plain_step(key, monkeypatch):
    use("plain", monkeypatch)
    x, y = played(key, 24, N)
    live = started(key, (y if x is None else x).shape[1], 24)._live
    for t in range(24):
        twins = [
            type(live)(live.learner, live.game, live.shape, labels=live.labels, state=copy(live.state),
                 t=live.t, which=which, room_=copy(live.room), **live.more())
            for which in ENGINES
        ]  # fmt: skip
        example = None if x is None else x[t]
        tickets = [twin.ask(example) for twin in twins]
        # what is compared is the decision: in the last bit labels and draws may go either way
        close(tickets[0].decision, tickets[1].decision)
        if not isinstance(live.game, (*DRAWN, Vote, Labels)):
            close(tickets[0].action, tickets[1].action)
        after = []
        for twin in twins:
            twin.t -= 1
            twin.update(*one_row(x, y, t), *([None] if x is None else []))
            after.append(twin.ask(example).decision)
        close(*after)
        live.update(*one_row(x, y, t), *([None] if x is None else []))


def close(a, b):
    assert np.asarray(a) == pytest.approx(np.asarray(b), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("key", KEYS)
def test_one_at_a_time_in_chunks_whole_and_resumed_are_equal(key, engine):
    x, y = played(key, T, N)
    whole = play(key, x, y, horizon=T)
    width = (y if x is None else x).shape[1]
    lines = whole.weights if x is None else whole.predictions

    # in chunks, of sizes 1, 7 and 64
    batches = pieces(x, y, (1, 7, 64))
    chunks = ls.play(made(key), batches, losses=x is None, horizon=T, **declared(key))
    for name in ("predictions", "actions", "losses", "realised"):
        assert np.array_equal(getattr(whole, name), getattr(chunks, name)), name
    if takes(key) != "features":
        assert np.array_equal(whole.weights, chunks.weights)
    assert same(whole.learner.state, chunks.learner.state)

    # one at a time, predicting first
    learner = started(key, width, T)
    for t in range(T):
        if x is None:
            assert np.array_equal(learner.predict(), lines[t]), t
            learner.update(y[t])
        else:
            assert learner.predict(x[t]) == lines[t], t
            learner.update(x[t], y[t])
    assert same(whole.learner.state, learner.state)

    # one at a time, without predicting
    learner = started(key, width, T)
    for t in range(T):
        learner.update(*one_row(x, y, t))
    assert same(whole.learner.state, learner.state)

    # resumed, twice
    half = play(key, None if x is None else x[:9], y[:9], horizon=T)
    before = copy(half.learner.state)
    rest = [
        play(key, None if x is None else x[9:], y[9:], learner=half.learner, resume=True)
        for _ in range(2)
    ]
    assert same(half.learner.state, before)
    for run in rest:
        assert np.array_equal(np.append(half.losses, run.losses), whole.losses)
        assert np.array_equal(np.append(half.predictions, run.predictions), whole.predictions)
        assert same(run.learner.state, whole.learner.state)
        assert run.rounds == T - 9


@pytest.mark.parametrize("key", KEYS)
def test_play_begins_afresh_and_leaves_its_argument_alone(key, plain):
    x, y = played(key, 12, N)
    learner = made(key)
    first = play(key, x, y, learner=learner)
    assert learner._live is None
    again = play(key, x, y, learner=first.learner)
    assert np.array_equal(first.losses, again.losses)
    assert same(first.learner.state, again.learner.state)


@pytest.mark.parametrize("key", KEYS)
def test_seeds_reproduce(key, plain):
    x, y = played(key, 40, N)
    runs = [play(key, x, y, seed=seed) for seed in (3, 3, 4)]
    assert np.array_equal(runs[0].predictions, runs[1].predictions)
    assert np.array_equal(runs[0].losses, runs[2].losses)  # expected losses know of no seed
    drawn = isinstance(runs[0]._s.game, DRAWN)
    if drawn and (runs[0].weights.max(axis=1) == 1.0).all():
        drawn = False  # who puts all weight on one expert draws that one, whatever the seed
    assert np.array_equal(runs[0].predictions, runs[2].predictions) is not drawn


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", KEYS)
def test_one_signature(key, monkeypatch):
    """Writable, strided, float32 and whole numbers, recorded or not, live or not: compiled once."""
    use("compiled", monkeypatch)
    x, y = played(key, 8, N)
    run = play(key, x, y)
    dispatcher = ready(rounds, run._s.params, run._s.game, "compiled")
    assert len(dispatcher.signatures) == 1
    if takes(key) == "advice":
        x = np.round(x * 4) / 4 * 0.98 + 0.01 if "entropic" in str(row(key).parameters) else x

    def as_both(f):
        return None if x is None else f(x), f(y)

    def strided(v):
        wide = np.zeros((2 * len(v), *v.shape[1:]))
        wide[::2] = v
        return wide[::2]

    def frozen(v):
        v = v.copy()
        v.flags.writeable = False
        return v

    whole = [None if x is None else np.round(x), np.round(y)]
    if takes(key) in ("labels", "features"):
        whole = [x, y]
    if takes(key) == "advice" and "entropic" in str(row(key).parameters):
        whole = [None, None]  # an expert that is sure of the wrong thing has infinite loss
    forms = [
        as_both(f) for f in (frozen, strided, np.float32, np.asfortranarray, np.ndarray.tolist)
    ]
    if whole[1] is not None:
        forms.append(tuple(None if v is None else v.astype(np.int32) for v in whole))
    for u, v in forms:
        play(key, u, v, certify=False)
    for options in (
        {"record": "none"},
        {"seed": 5},
        {"delay": 1, "interleave": True},
        {"shifts": 1},
    ):
        play(key, x, y, **options)
    live = started(key, (y if x is None else x).shape[1], 8)
    for t in range(3):
        live.predict(*([] if x is None else [x[t].astype(np.float32)]))
        live.update(*one_row(x, y, t))
    assert len(dispatcher.signatures) == 1, dispatcher.signatures


# Late feedback.


@pytest.mark.parametrize("key", KEYS)
def test_interleaved_copies_are_streams_of_their_own(key, plain):
    x, y = played(key, 40, N)
    run = play(key, x, y, delay=3, interleave=True)
    for j in range(4):
        alone = play(key, None if x is None else x[j::4], y[j::4], horizon=10)
        assert np.array_equal(run.losses[j::4], alone.losses)
        if takes(key) != "features":
            assert np.array_equal(run.weights[j::4], alone.weights)
        if not isinstance(run._s.game, DRAWN):
            assert np.array_equal(run.predictions[j::4], alone.predictions)
        assert same(run._s.copies[j].live.state, alone.learner.state)
    assert run.loss == pytest.approx(sum(run.losses))
    assert run.certificate.verdict in ("kept", "unknown")


@pytest.mark.parametrize("key", [key for key in KEYS if takes(key) != "features"])
def test_one_copy_is_told_late(key, plain):
    late(key)


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", ["fixed-share"])
def test_one_copy_is_told_late_compiled(key, monkeypatch):
    use("compiled", monkeypatch)
    late(key)


def late(key):
    x, y = played(key, 30, N, seed=1)
    if needs_truth(key):  # a version space may be used up by rounds that it heard of too late
        y = np.zeros(30)
        x[:, -1] = 0.0
    run = play(key, x, y, delay=3, interleave=False)
    learner, tickets = started(key, N, 30), []
    for t in range(30):
        tickets.append(learner.ask(*([] if x is None else [x[t]])))
        if t >= 3:
            learner.tell(tickets[t - 3], y[t - 3])
    for t in (27, 28, 29):
        learner.tell(tickets[t], y[t])
    assert np.array_equal([ticket.decision for ticket in tickets], run.weights)
    if x is not None:
        assert np.array_equal([ticket.prediction for ticket in tickets], run.predictions)
    assert same(learner.state, run.learner.state)
    prompt = play(key, x, y)
    assert not np.array_equal(prompt.weights, run.weights)  # the delay did something
    # and in pieces
    parts = pieces(x, y, (2, 20, 8))
    split_up = ls.play(
        made(key), parts, losses=x is None, horizon=30, delay=3, interleave=False, **declared(key)
    )
    assert np.array_equal(split_up.weights, run.weights)
    assert same(split_up.learner.state, run.learner.state)


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


def own_losses(run, x, y):
    """What each expert awake loses, by the loss itself."""
    loss = getattr(inside(run._s.game), "loss", losses.ZeroOne())
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
    w, game = awake_weights(run, x), inside(run._s.game)
    advice = np.where(asleep, 0.0, x)
    if isinstance(game, Vote):
        ones = (w * advice).sum(axis=1)
        clear = abs(ones - 0.5) > 1e-9
        assert clear.any()
        assert np.array_equal(run.predictions[clear], (ones > 0.5)[clear])
    elif isinstance(game, DRAWN):
        E = np.where(asleep, 0.0, own_losses(run, x, y))
        assert run.losses == pytest.approx((w * E).sum(axis=1), abs=1e-12)
        for t in range(len(y)):
            assert run.predictions[t] in x[t, w[t] > 0]
    elif isinstance(game, Substitution):
        eta, low, high = run.parameters["eta"], game.loss.low, game.loss.high
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
    E = own_losses(run, x, y)
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
    if isinstance(run._s.game, (Substitution, *DRAWN)):
        # a sleeper who repeats a draw, or Vovk's prediction, changes the next one: look at the weights instead
        E = np.where(asleep, run.losses[:, None], own_losses(run, x, y))
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
    if not isinstance(run._s.game, DRAWN):
        assert run.losses[7] == inside(run._s.game).paid(run.actions[7], y[7])
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


# Files.


@pytest.mark.parametrize("key", KEYS)
def test_saved_and_loaded_goes_on_as_if_never_saved(key, engine, tmp_path):
    x, y = played(key, 40, N)
    run = play(key, None if x is None else x[:20], y[:20], horizon=40)
    path = run.learner.save(tmp_path / "model.ls")
    loaded = ls.load(path)
    assert type(loaded) is learners()[key]
    assert repr(loaded.parameters) == repr(run.learner.parameters)  # an interval may be NaN
    assert same(loaded.state, run.learner.state)
    assert loaded._live.which == engine

    def ahead(learner, t):
        return learner.predict() if x is None else learner.predict(x[t])

    assert np.array_equal(ahead(loaded, 20), ahead(run.learner, 20))
    for t in range(20, 40):
        assert np.array_equal(ahead(loaded, t), ahead(run.learner, t))
        loaded.update(*one_row(x, y, t))
        run.learner.update(*one_row(x, y, t))
    assert same(loaded.state, run.learner.state)
    whole = play(key, x, y)
    assert same(loaded.state, whole.learner.state)
    rest = play(key, None if x is None else x[20:], y[20:], learner=ls.load(path), resume=True)
    assert same(rest.learner.state, whole.learner.state)


@pytest.mark.parametrize("key", KEYS)
def test_a_learner_that_has_not_begun_is_saved_too(key, tmp_path):
    loaded = ls.load(made(key).save(tmp_path / "model.ls"))
    assert repr(loaded.parameters) == repr(made(key).parameters)
    assert loaded._live is None


# What is refused.


def beyond(hint):
    """Values of a parameter that lie outside its declared range."""
    kind, declared, optional = split(hint)
    if isinstance(declared, Choice):
        return ["no such word"]
    if kind is bool:
        return ["yes", 2, None]
    bad = [] if optional else [None]
    if kind in (float, int):
        bad += [math.nan, math.inf, -math.inf, "0.5", [0.5]]
    if isinstance(declared, Interval):
        low, high, closed = declared.low, declared.high, declared.closed
        bad += [low - 1] + ([low] if closed[0] == "(" else [])
        if math.isfinite(high):
            bad += [high + 1] + ([high] if closed[1] == ")" else [])
        if declared.whole:
            bad += [low + 0.5]
    elif kind not in (float, int):
        bad += ["abc", 7]
    return bad


@pytest.mark.parametrize("key", KEYS)
def test_parameters_out_of_range(key):
    for name, hint in hints(learners()[key]).items():
        values = ["no-such-loss", 3, None] if name == "loss" else beyond(hint)
        assert values
        for value in values:
            with pytest.raises(BadInput) as told:
                learner(key, **{name: value})
            for word in (key, name, repr(value)):
                assert word in str(told.value), (name, value, str(told.value))
    with pytest.raises(BadInput, match=f"{key} has no parameter 'gain'"):
        learner(key, gain=1.0)


@pytest.mark.parametrize("key", KEYS)
def test_whole_numbers_are_numbers(key):
    """eta=1 and eta=1.0 are one signature: values are coerced to the declared type."""
    for name, hint in hints(learners()[key]).items():
        kind, declared, _ = split(hint)
        if kind is float and isinstance(declared, Interval) and declared.holds(1):
            assert type(getattr(learner(key, **{name: 1}), name)) is float
        if kind is bool:
            assert getattr(learner(key, **{name: 1}), name) is True


def spoiled(v, spot, value):
    v = v.copy()
    v[spot] = value
    return v


def bad_data(key, x, y):
    """What is wrong, and what the message must say."""
    kind = takes(key)
    column = ", column '(expert|feature) 2'"
    if kind == "losses":
        for value in (math.nan, math.inf, -math.inf):
            yield (None, spoiled(y, (5, 1), value)), rf"row 6{column}"
        yield (None, y[0]), "two dimensions"
        yield (None, y[:0]), "no rows"
        yield (None, y[:, :0]), "no experts"
        yield (None, [[0.0, 1.0], [0.0]]), "row 2 has 1 value"
        if declared(key):
            yield (None, spoiled(y, (5, 1), 1.5)), rf"row 6{column}.* 1.5, outside"
        return
    yield (spoiled(x, (5, 1), math.inf), y), r"row 6, column '(expert|feature) 2'"
    yield (spoiled(x, (5, 1), -math.inf), y), r"row 6, column '(expert|feature) 2'"
    yield (x, spoiled(y, 5, math.inf)), r"row 6\b"
    yield (x, y[:-1]), f"{len(y) - 1} for {len(y)} rows"
    yield (x[0], y), "two dimensions"
    yield (x[:0], y[:0]), "no rows"
    yield ([*x.tolist()[:-1], [0.0]], y), f"row {len(y)} has 1 value"
    if kind != "labels":  # for those any text may be a label
        text = [["?" if t == 5 and i == 1 else 0.5 for i in range(x.shape[1])] for t in range(9)]
        yield (text, y), r"row 6, column '(expert|feature) 2': '\?' is not a number"
    if kind == "features":
        yield (spoiled(x, (5, 1), math.nan), y), "row 6, column '(expert|feature) 2'"
    if kind == "advice" and declared(key):
        yield (spoiled(x, (5, 1), 1.5), y), rf"row 6{column}.* 1.5, outside"
        yield (x, spoiled(y, 5, -0.5)), r"row 6\b.* -0.5, outside"


@pytest.mark.parametrize("key", KEYS)
def test_bad_data_are_refused_by_row_and_column(key, plain):
    x, y = played(key, 9, N)
    for (u, v), words in bad_data(key, x, y):
        fresh = made(key)
        with pytest.raises(BadInput, match=words):
            play(key, u, v, learner=fresh)
        assert fresh._live is None


@pytest.mark.parametrize("key", KEYS)
def test_a_bad_row_in_a_later_chunk_leaves_the_learner_as_it_was(key, plain):
    x, y = played(key, 30, N)
    run = play(key, None if x is None else x[:10], y[:10], horizon=30)
    before, t = copy(run.learner.state), run.learner._live.t
    if x is None:
        bad = [y[10:20], spoiled(y[20:], (4, 1), math.nan)]
    else:
        bad = [(x[10:20], y[10:20]), (spoiled(x[20:], (4, 1), math.inf), y[20:])]
    with pytest.raises(BadInput, match=r"row 15, column '(expert|feature) 2'"):
        ls.play(run.learner, iter(bad), losses=x is None, resume=True)
    assert same(run.learner.state, before)
    assert run.learner._live.t == t


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


@pytest.mark.parametrize("key", KEYS)
def test_a_bad_round_leaves_a_live_learner_as_it_was(key, engine):
    x, y = played(key, 6, N)
    width = (y if x is None else x).shape[1]
    live = started(key, width, 6)
    for t in range(4):
        live.update(*one_row(x, y, t))
    before, t = copy(live.state), live._live.t
    kind = takes(key)
    if kind == "losses":
        good = y[4]
        bad = [spoiled(good, 1, v) for v in (math.nan, math.inf)] + [good[:-1], [good], "abc"]
        bad = [(v,) for v in bad] + ([(good * 3 + 1,)] if declared(key) else [])
    else:
        good, told = x[4], y[4]
        bad = [(v, told) for v in (spoiled(good, 1, math.inf), good[:-1], [good], good[0], "abc")]
        bad += [(good, v) for v in (math.inf, "abc", [0.0, 1.0])]
        if kind == "labels":
            bad += [(spoiled(good, 1, 0.5), told)]
        if kind != "advice":
            bad += [(good, 7)]
        if kind == "features":
            bad += [(spoiled(good, 1, math.nan), told)]
        if kind == "advice" and declared(key):
            bad += [(spoiled(good, 1, 1.5), told), (good, -0.5)]
    for example in bad:
        with pytest.raises(BadInput):
            live.update(*example)
        assert same(live.state, before), example
        assert live._live.t == t
    for t in (4, 5):
        live.update(*one_row(x, y, t))
    whole = play(key, x, y)
    assert same(live.state, whole.learner.state)


# What it says of itself.


def test_listed():
    result = CliRunner().invoke(main, ["list"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    shown = json.loads(CliRunner().invoke(main, ["list", "--json"]).output)
    about = {entry["learner"]: entry for entry in shown}
    for key in KEYS:
        assert re.search(rf"^\s*{re.escape(key)}\s", result.output, re.M), key
        for g in learners()[key].guarantees:
            assert g.id in about[key]["theorems"]


@pytest.mark.parametrize("key", KEYS)
def test_shown(key):
    result = CliRunner().invoke(main, ["show", key], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    for word in (key, *hints(learners()[key]), *(g.id for g in learners()[key].guarantees)):
        assert word in result.output


@pytest.mark.parametrize("key", KEYS)
def test_documented(key):
    cls = learners()[key]
    assert getattr(ls, cls.__name__) is cls
    lines = inspect.cleandoc(cls.__doc__).split("\n")
    assert cls.__doc__ != getattr(cls.__mro__[1], "__doc__", None)
    assert lines[0].endswith((".", "!")), "one line that says what it is for"
    assert not lines[1]
    assert any(line.startswith("    ") and "each round" in line for line in lines), "pseudo-code"
    assert any(line.startswith(">>> ") for line in lines), "a doctest"
    assert re.search(
        r"O\(\w+\) a|operations a round|exponentials an expert and round", cls.__doc__
    ), "its cost"
    last = " ".join(lines).rpartition(">>>")[2]
    assert re.search(r"Ledger: |\(\d{4}\)", last), "a reference"


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
        assert g.against in ("expert", "sequence", "modes", "none")
        assert g.measures in ("regret", "shown regret", "mistakes")
        assert g.mode == "surely"


@pytest.mark.parametrize("key", KEYS)
def test_memory_does_not_grow_with_the_rounds(key, plain):
    if getattr(learners()[key], "grows", False):
        pytest.skip(f"{key} says that its state grows")
    x, y = played(key, 500, N)
    sizes = []
    for T in (50, 500):
        run = play(key, None if x is None else x[:T], y[:T], certify=False, record="none")
        live = run.learner._live
        sizes.append(sum(v.nbytes for v in [*leaves(live.state), *leaves(live.room)]))
    assert sizes[0] == sizes[1]


def test_no_field_is_called_like_a_method():
    """Numba looks methods up by name alone: one called like a field of any NamedTuple hides that field."""
    modules = {games, losses, vectors} | {sys.modules[learners()[key].__module__] for key in KEYS}
    tuples = {
        v
        for module in modules
        for v in vars(module).values()
        if isinstance(v, type) and issubclass(v, tuple) and hasattr(v, "_fields")
    } | {learners()[key].Params for key in KEYS}
    assert len(tuples) > len(KEYS)
    methods = {
        name: cls
        for cls in tuples
        for name, f in vars(cls).items()
        if inspect.isfunction(f) and not name.startswith("_")
    }
    assert {"at", "slope", "act", "show", "cost", "decide", "learn", "note"} <= set(methods)
    for cls in tuples:
        for field in cls._fields:
            assert field not in methods, (
                f"{cls.__qualname__}.{field} and {methods[field].__qualname__}"
            )


def test_tangents_are_what_the_gradient_learners_play():
    """Those whose bound is carried over to mixtures: the certificate says so."""
    found = [key for key in ADVISED if isinstance(made(key).game(False), Tangent)]
    assert found
    for key in found:
        x, y = played(key, 10, 3, allocation=False)
        verdicts = play(key, x, y, engine="plain").certificate
        assert "best fixed mixture" in {v.comparator for v in verdicts}
