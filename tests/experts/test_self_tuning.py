"""AdaHedge, Squint, ML-Poly and BOA: worked rounds, theorems under attack, invariances, figures on real prices."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.guarantee import Symbols
from littlestone.core.learner import measure_symbols
from littlestone.experts.squint import RATES
from littlestone.games import Losses, Shape
from littlestone.settings.fit import first_state

EVERY = ["adahedge", "squint", "ml-poly", "boa"]
every = pytest.mark.parametrize("key", EVERY)
plain = functools.partial(ls.play, engine="plain")


@pytest.fixture(autouse=True)
def engine(request, monkeypatch):
    """Rounds one at a time in plain Python too: the generic suites compare the engines."""
    if "data_dir" not in request.fixturenames:
        monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


# The same algorithms again, from the literature: plain NumPy, whole history, nothing in place.


def adahedge(L, gaps):
    """The weights at total losses L and mixability gaps that sum to `gaps`."""
    if gaps == 0:
        return (L.min() == L) / (L.min() == L).sum()
    w = np.exp(-np.log(len(L)) / gaps * (L - L.min()))
    return w / w.sum()


def play_adahedge(losses):
    L, gaps, out = np.zeros(losses.shape[1]), 0.0, []
    for ell in losses:
        p = adahedge(L, gaps)
        out.append(p)
        if gaps == 0:
            mix = (L + ell).min() - L.min()
        else:
            eta = np.log(len(L)) / gaps
            mix = -np.log(p @ np.exp(-eta * ell)) / eta
        L, gaps = L + ell, gaps + p @ ell - mix
    return np.array([*out, adahedge(L, gaps)])


def play_second_order(losses, weights):
    """Weights as a function of all regrets so far."""
    n = losses.shape[1]
    out, r = [np.full(n, 1 / n)], np.zeros((0, n))
    for ell in losses:
        r = np.vstack([r, out[-1] @ ell - ell])
        w = weights(r)
        out.append(w / w.sum() if w.sum() > 0 else np.full(n, 1 / n))
    return np.array(out)


def ml_poly(r):
    return (
        np.maximum(r.sum(0), 0) / ((r**2).max() + (r**2).sum(0))
        if r.any()
        else np.zeros(r.shape[1])
    )


def squint(r):
    if not r.any():
        return np.ones(r.shape[1])
    first = np.abs(r[r.any(axis=1)][0]).max()
    rates = [
        (j, 2.0**-j / first) for j in range(1, 200) if 2.0**-j / first <= 0.5 / np.abs(r).max()
    ]
    terms = [
        eta / (j * (j + 1)) * np.exp(eta * r.sum(0) - eta**2 * (r**2).sum(0))
        for j, eta in rates[:RATES]
    ]
    return np.sum(terms, axis=0) * first


def boa(r):
    n = r.shape[1]
    S, V, E, eta = np.zeros(n), np.zeros(n), 0.0, np.zeros(n)
    for row in r:
        largest = max(E, np.abs(row).max())
        if largest == 0:
            continue
        S, V, E = S + row - eta * (row * E / largest) ** 2, V + row**2, largest
        with np.errstate(divide="ignore"):
            eta = np.minimum(0.5 / E, np.sqrt(np.log(n) / V))
    return eta * np.exp(eta * S) if E else np.ones(n)


ORACLE = {
    "adahedge": play_adahedge,
    "ml-poly": functools.partial(play_second_order, weights=ml_poly),
    "squint": functools.partial(play_second_order, weights=squint),
    "boa": functools.partial(play_second_order, weights=boa),
}


# Streams.


def blocks(n, values=(0.0, 0.3, 1.0), most=25):
    """Blocks of repeated rounds, each block on a scale of its own: ranges that grow are what a proof may miss."""
    row = st.lists(st.sampled_from(values), min_size=n, max_size=n)
    piece = st.tuples(row, st.integers(1, most), st.sampled_from([1e-6, 0.5, 1.0, 7.0, 1e4]))
    return st.lists(piece, min_size=1, max_size=7).map(
        lambda pieces: np.array(
            [np.array(r) * scale for r, times, scale in pieces for _ in range(times)]
        )
    )


def world(key, answer, rounds, n):
    """Losses chosen by `answer(weights, t)`, against a learner that plays along."""
    learner = ls.learner(key)
    params, state, losses = learner.params, first_state(learner, Shape(n)), []
    for t in range(rounds):
        p = params.decide(state, np.zeros(0))
        ell = np.array(answer(p, t), float)
        losses.append(ell)
        state = params.learn(state, np.zeros(0), p, Losses(ell, float(p @ ell)))
    return np.array(losses)


def heavy(p, t):  # ADV-HEAVY
    return np.arange(len(p)) == np.argmax(p)


def half(p, t):  # ADV-HALF
    order = np.argsort(-p, kind="stable")
    held = int(np.searchsorted(np.cumsum(p[order]), 0.5 - 1e-12)) + 1
    return np.isin(np.arange(len(p)), order[:held])


def constant(p, t):  # ADV-CONST
    return np.arange(len(p)) != 1


def growing(p, t):  # the heaviest loses, ever more
    return heavy(p, t) * 1.3**t


def leaps(p, t):  # the heaviest loses; every 50 rounds the scale leaps
    return heavy(p, t) * 100.0 ** (t // 50)


def comeback(p, t):  # long so far behind that the weight is gone, then ahead at once
    return (
        [0.0, 1.0, *[1.0] * (len(p) - 2)] if t % 1000 < 999 else [1e5, 0.0, *[1.0] * (len(p) - 2)]
    )


def turning(p, t):  # in one round an expert gains what it lost in many
    return heavy(p, t) * (1.0 if t % 20 else 40.0)


ADVERSARIES = [heavy, half, constant, growing, leaps, comeback, turning]


# The theorems, for every expert after every round.


def tightest(run):
    """The largest regret / bound over guarantees, rounds and experts; a bound of 0 allows no regret at all."""
    s = run.transcript
    known = measure_symbols(s.learner, s.game, s.shape)
    worst = {}
    for g in s.learner.guarantees:
        worst[g.id] = -np.inf
        for row in s.folds.trace.rows:
            notes = dict(zip(s.learner.diagnostics, row["notes"].tolist(), strict=True))
            bound = g.bound(Symbols(**(vars(known) | row | notes)))
            bound = np.broadcast_to(np.asarray(bound, float), row["R"].shape)
            slack = 1e-9 * (abs(row["loss"]) + np.abs(row["L"]) + 1e-300)
            assert (bound >= 0).all()
            assert (row["R"] <= bound + slack).all(), (
                f"{g.id}: {row['R']} > {bound} in round {row['T']}"
            )
            ratio = row["R"] / np.where(bound > 0, bound, np.inf)
            worst[g.id] = max(worst[g.id], float(ratio.max()))
    return worst


@every
def test_weights_are_those_of_the_literature(key):
    rng = np.random.default_rng(5)
    for n in (2, 3, 8):
        losses = rng.random((60, n)) * np.linspace(1, 9, 60)[:, None]
        run = plain(key, losses)
        weights = np.vstack([run.weights, run.learner.weights])
        np.testing.assert_allclose(weights, ORACLE[key](losses), rtol=1e-9, atol=1e-12)


@every
@given(losses=blocks(3))
@settings(max_examples=40)
@example(np.zeros((3, 3)))
@example(np.array([[0.0, 0.0, 0.0], [0.1, 0.1, 0.1], [0.0, 1.0, 0.0], [0.0, 1e4, 1.0]]))
def test_no_block_stream_beats_the_theorem(key, losses):
    run = plain(key, losses)
    tightest(run)
    assert run.certificate.verdict == "kept"


@pytest.mark.parametrize("answer", ADVERSARIES)
@every
def test_no_adversary_beats_the_theorem(key, answer):
    for n in (2, 5):
        rounds = {comeback: 1010, growing: 200}.get(answer, 400)
        losses = world(key, answer, rounds, n)
        run = plain(key, losses)
        worst = tightest(run)
        assert run.certificate.verdict == "kept"
        if answer is heavy and n == 2:
            assert all(ratio > 0.09 for ratio in worst.values()), worst  # the bounds are not idle


ADVICE = st.lists(
    st.tuples(
        st.lists(st.sampled_from([0.0, 0.4, 1.0, 30.0, np.nan]), min_size=3, max_size=3).filter(
            lambda row: not np.isnan(row).all()
        ),
        st.sampled_from([0.0, 0.5, 1.0, 50.0]),
        st.integers(1, 20),
    ),
    min_size=1,
    max_size=6,
)


@every
@given(
    pieces=ADVICE,
    loss=st.sampled_from(["square", "absolute", "pinball:0.9"]),
    gradient=st.booleans(),
    delay=st.sampled_from([0, 0, 3]),
)
@settings(max_examples=40)
def test_no_advice_beats_the_theorem(key, pieces, loss, gradient, delay):
    x = np.array([row for row, _, times in pieces for _ in range(times)])
    y = np.array([out for _, out, times in pieces for _ in range(times)])
    run = plain(ls.learner(key, loss=loss, gradient=gradient), x, y, delay=delay, interleave=True)
    assert {v.verdict for v in run.certificate} == {"kept"}, str(run.certificate)
    if not delay:
        tightest(run)


def test_late_feedback_is_kept_by_the_gap_of_adahedge():
    """2 Delta bounds the regret over the rounds learned even when each was decided long before."""
    learner = ls.AdaHedge()
    params, state = learner.params, first_state(learner, Shape(3))
    rng = np.random.default_rng(2)
    waiting, regret = [], np.zeros(3)
    for t in range(400):
        waiting.append(params.decide(state, np.zeros(0)).copy())
        if t >= 30:
            p = waiting.pop(0)
            ell = rng.random(3) * np.roll([1.0, 2.0, 3.0], t // 100)
            state = params.learn(state, np.zeros(0), p, Losses(ell, float(p @ ell)))
            regret += p @ ell - ell
            assert regret.max() <= 2 * state.Delta + 1e-9


# Invariances and corners.


@every
@pytest.mark.parametrize(("scale", "shift"), [(1e6, 0.0), (1e-6, 0.0), (1.0, 1e3), (3.7, -20.0)])
def test_scale_and_shift_change_nothing(key, scale, shift):
    rng = np.random.default_rng(1)
    losses = rng.random((300, 4)) * np.repeat([1.0, 30.0, 2.0], 100)[:, None]
    before, after = plain(key, losses), plain(key, losses * scale + shift)
    rtol = 1e-9 if shift == 0 else 1e-7  # a shift costs digits of the losses themselves
    np.testing.assert_allclose(after.weights, before.weights, rtol=rtol, atol=1e-11)
    for old, new in zip(before.certificate, after.certificate, strict=True):
        assert new.bound == pytest.approx(scale * old.bound, rel=1e-6)


@every
@pytest.mark.parametrize("gradient", [True, False])
def test_prices_in_cents_are_prices_in_euros(key, gradient):
    rng = np.random.default_rng(4)
    y = rng.normal(30, 5, 200)
    x = y[:, None] + rng.normal(0, [1, 2, 3], (200, 3))
    learner = ls.learner(key, gradient=gradient)
    euros, cents = plain(learner, x, y), plain(learner, 100 * x - 500, 100 * y - 500)
    np.testing.assert_allclose(cents.weights, euros.weights, rtol=1e-7, atol=1e-10)


@every
def test_equal_losses_teach_nothing(key):
    run = plain(key, np.full((50, 7), 0.1))
    assert run.weights == pytest.approx(np.full((50, 7), 1 / 7), abs=1e-15)
    assert run.certificate.verdict == "kept"
    after = run.learner.update(np.zeros(7)).update(np.arange(7.0))
    fresh = ls.learner(key).start(7).update(np.arange(7.0))
    assert after.weights == pytest.approx(fresh.weights, abs=1e-12)


@every
def test_a_single_expert_is_followed(key):
    run = plain(key, np.array([[1.0], [5.0], [0.0]]))
    assert run.weights.tolist() == [[1.0]] * 3
    assert run.certificate.verdict == "kept"
    assert run.regret == 0


@every
def test_long_runs_and_wild_scales_stay_finite(key):
    losses = np.zeros((400, 3))
    losses[:, 1] = 1e8
    losses[:, 2] = np.where(np.arange(400) % 2, 1e-8, 0.0)
    run = plain(key, losses)
    assert np.isfinite(run.weights).all()
    assert run.weights.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    tightest(run)
    state = run.learner.state  # as after many more rounds, all of them alike
    for part in state:
        if isinstance(part, np.ndarray) and not np.allclose(part.sum(), 1.0):
            part *= 1e12
    weights = run.learner.update([0.0, 1.0, 0.5]).weights
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)


@every
def test_an_infinite_loss_is_refused_and_leaves_no_trace(key):
    learner = ls.learner(key, loss="log", gradient=False)
    learner.start(2, allocation=False)
    learner.update([0.2, 0.7], 1.0)
    before = [np.array(v) for v in learner.state]
    for advice in ([0.0, 0.7], [0.0, 0.0]):
        with pytest.raises(BadInput, match="infinite"):
            learner.update(advice, 1.0)
    assert all(np.array_equal(a, b) for a, b in zip(before, learner.state, strict=True))
    assert ls.learner(key, loss="log", gradient=True).update([0.0, 0.7], 1.0).weights[1] > 0.5


@every
def test_labels_are_drawn_not_mixed(key):
    run = plain(ls.learner(key, loss="zero-one"), [[0, 1], [0, 1], [1, 0]], [0, 0, 1])
    assert set(run.predictions) <= {0, 1}
    assert run.losses[0] == pytest.approx(0.5)
    assert run.certificate.verdict == "kept"


def test_adahedge_counts_an_expert_whose_weight_is_gone():
    """Expert 2 falls 1100 behind, its weight underflows to 0, then it gains 10^5 in a single round."""
    learner = ls.AdaHedge().start(2)
    for _ in range(1100):
        learner.update([0.0, 1.0])
    assert learner.weights[1] == 0.0
    learner.update([1e5, 0.0])
    # the mix loss of that round is about 1100, what expert 2 was behind; the learner paid 10^5
    assert learner.state.Delta == pytest.approx(1e5 - 1100, rel=1e-3)


def test_adahedge_takes_the_mean_of_the_losses_not_the_loss_of_the_mean():
    learner = ls.AdaHedge().update([0.0, 1.0], 0.5)  # both lose 1/4, their mean nothing
    assert learner.state.Delta == 0.0
    learner = ls.AdaHedge().update([0.0, 1.0], 1.0)  # 1 and 0; the mean 1/4
    assert learner.state.Delta == pytest.approx(0.5)


def test_squint_moves_its_rates_with_the_range():
    learner = ls.Squint().start(2)
    learner.update([0.0, 1.0])  # the largest regret is 1/2, the rates are 1, 1/2, ...
    assert (learner.state.first, learner.state.top) == (0.5, 1)
    learner.update([0.0, 1000.0])
    state = learner.state
    assert 2.0**-state.top / state.first <= 0.5 / state.E < 2.0 ** (1 - state.top) / state.first
    assert 0 < state.late < 1e-5
    assert state.growth == pytest.approx(1 - 0.5 / state.E)


@pytest.mark.parametrize("key", ["squint", "ml-poly", "boa"])
def test_what_the_bound_needs_is_noted(key):
    losses = np.array([[1.0, 1.0], [0.0, 1.0], [3.0, 0.0], [0.0, 0.1], [2.0, 20.0]])
    run = plain(key, losses)
    E = np.maximum.accumulate(np.abs(run.losses[:, None] - losses).max(axis=1))
    notes = dict(zip(run.learner.diagnostics, run.transcript.copies[0].notes, strict=True))
    assert notes["first"] == E[1] == 0.5
    assert notes["growth"] == pytest.approx(np.sum(1 - E[1:-1] / E[2:]))
    assert notes.get("E", E[-1]) == pytest.approx(E[-1])


# Real prices: eight forecasters, hourly feedback.

EIGHT = ["DNN ?", "LEAR [0-9]*"]


@pytest.mark.parametrize(
    ("market", "limits"),
    [
        ("NP", {"ml-poly": 10.10, "boa": 10.365}),
        ("DE", {"ml-poly": 31.45, "boa": 32.172}),
    ],
)
def test_real_prices(data_dir, market, limits):
    path = data_dir / f"Forecasts_{market}_DNN_LEAR_ensembles.csv"
    for key, limit in limits.items():
        run = ls.play(key, path, outcome="Real price", experts=EIGHT)
        assert len(run.transcript.names) == 8
        assert run.mean_loss <= limit
        assert {v.verdict for v in run.certificate} == {"kept"}
    for key, limit in (("adahedge", limits["boa"]), ("squint", 1.025 * limits["boa"])):
        run = ls.play(ls.learner(key, gradient=True), path, outcome="Real price", experts=EIGHT)
        assert run.mean_loss <= limit
        assert {v.verdict for v in run.certificate} == {"kept"}
