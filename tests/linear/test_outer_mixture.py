"""The outer mixture over numbers: each step of its proof, and the theorem, on streams that were made to break them."""

from __future__ import annotations

import inspect
import math
import types

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.vectors import Sparse
from littlestone.linear.parts import best_number_line, outer_mixture
from littlestone.linear.parts.best_number_line import regret_bound_to
from littlestone.linear.parts.coin_betting import FEATURES_BEGUN, INVERSE_SCALE, REWARD, WEALTH
from littlestone.linear.parts.outer_mixture import (
    BEGUN,
    CENTRE,
    COIN,
    COIN_PRIOR,
    HIGH,
    LOSS_DIFFERENCE,
    LOW,
    MIXTURE_PRICE,
    OPENING,
    OWN,
)

pytestmark = pytest.mark.usefixtures("plain")

KEYS = ("online-linear-regression", "online-kernel-regression")
BEST = "T-ONLINE-LINEAR-REGRESSION-BEST"


class Played:
    """What happened in rounds in which `outcome` chose, by what it saw."""

    def __init__(self, X, outcome, own, module=outer_mixture):
        self.outer, self.X = module.init_outer(X.shape[1]), X
        stats, rows = self.outer.stats, []
        for t, x in enumerate(X):
            mine = own(t, stats)
            p = module.mix_with_coin(self.outer, x, mine if t else 0.0)
            y = outcome(t, stats, p)
            low, high, begun = stats[LOW], stats[HIGH], stats[BEGUN]
            jump = low < high and not low <= y <= high
            weighed = bool(begun) and low < high and not jump
            if jump or weighed:
                for part in (p, stats[OWN], stats[COIN]):
                    edge = 1e-12 * max(high - low, abs(low), abs(high))
                    assert low - edge <= part <= high + edge
            rows.append((p, y, stats[OWN], stats[COIN], jump, weighed))
            module.update_outer(self.outer, x, y, 1.0)
        self.p, self.y, self.own, self.bets, jump, weighed = map(np.array, zip(*rows, strict=True))
        self.jump, self.weighed = jump.astype(bool), weighed.astype(bool)
        self.B = stats[HIGH] - stats[LOW]

    def lost(self, who, rounds):
        return float((((who - self.y) / self.unit) ** 2)[rounds].sum())

    @property
    def unit(self):
        """Losses are compared in squares of the interval, so that no size of the outcomes matters."""
        return self.B or 1.0

    def scores(self, u):
        return self.X @ u[1:] + u[0]


def check(run, comparators):
    """Each step of the proof, in squares of the last interval."""
    unit, stats = run.unit, run.outer.stats
    rest = ~run.jump & ~run.weighed
    opening = stats[OPENING] / unit / unit
    assert run.lost(run.p, rest) == pytest.approx(opening, rel=1e-9)
    assert run.lost(run.p, run.jump) <= 4 / 5 * (1 + 1e-12)
    mixed, own, bets = (run.lost(who, run.weighed) for who in (run.p, run.own, run.bets))
    assert mixed <= own - 0.5 * math.log(1 - COIN_PRIOR) + 1e-9 * (1 + own)
    assert mixed <= bets - 0.5 * math.log(COIN_PRIOR) + 1e-9 * (1 + bets)
    assert 3 * (run.y.max() - run.y.min()) * (1 + 1e-12) >= run.B
    for u in comparators:
        z, price = run.scores(u), regret_bound_to(run.outer, u) / unit / unit
        assert bets - run.lost(z, run.weighed) <= price + 1e-9 * (1 + bets + price)
        everything = np.ones(len(z), bool)
        regret = run.lost(run.p, everything) - run.lost(z, everything)
        assert regret <= (opening + MIXTURE_PRICE + price) * (1 + 1e-9) + 1e-9


def comparators(run, rng):
    """The best ones, on their way there and beyond; others far away; 0 and a constant."""
    n = run.X.shape[1] + 1
    A = np.column_stack([np.ones(len(run.X)), run.X])
    size = np.abs(A).max(axis=0)
    size[size == 0.0] = 1.0
    for rounds in (np.ones(len(A), bool), run.weighed):
        w = np.linalg.lstsq(A[rounds] / size, (run.y - run.y[0])[rounds], rcond=None)[0] / size
        for much in (0.1, 1.0, 3.0, 1e3):
            yield much * w + np.eye(n)[0] * run.y[0]
    yield np.zeros(n)
    yield run.y[-1] * np.eye(n)[0]
    for far in (1e-3, 1.0, 1e3):
        yield far * rng.normal(size=n) * run.unit / size


def examples(rng, T):
    """Features of all sizes, some of which come and go, or grow."""
    X = rng.normal(size=(T, 5)) * 10.0 ** rng.integers(-8, 8, 5)
    if rng.random() < 0.3:
        X = np.sign(X)
    if rng.random() < 0.3:
        X *= 2.0 ** np.arange(T)[:, None]
    X[rng.random(X.shape) < 0.3] = 0.0
    X[: T // 2, 4] = 0.0
    return X


def opponent(rng, X, kind):
    """Outcomes that are fixed, or chosen by what is seen; and own predictions."""
    T, u = len(X), rng.normal(size=5)
    size = np.abs(X).max(axis=0)
    y = X / np.where(size > 0, size, 1.0) @ u + rng.normal() + 0.1 * rng.normal(size=T)
    y = {
        "line": y,
        "growing": y * 1.3 ** np.arange(T),
        "doubling": y * 2.0 ** np.arange(T),
        "huge": np.where(np.arange(T) == rng.integers(T), 1e12, y),
        "tiny": y * 1e-120,
        "large": y * 1e120,
        "constant": np.full(T, 3.0),
        "two values": np.where(y > y.mean(), 1.0, 0.0),
    }.get(kind, y)

    def far_end(t, stats, p):
        """The end of the interval that is further from the prediction, after a few outcomes that make it."""
        if t < 3:
            return float(t)
        return float(stats[HIGH] if p - stats[LOW] < stats[HIGH] - p else stats[LOW])

    def against_bets(t, stats, p):
        if t < 3:
            return float(t)
        return float(
            stats[HIGH] if stats[COIN] - stats[LOW] < stats[HIGH] - stats[COIN] else stats[LOW]
        )

    def one_side(t, stats, p):
        return float(t if t < 3 else np.where(X[t, 0] > 0.0, stats[HIGH], stats[LOW]))

    def turning(t, stats, p):
        """Nobody but the own prediction knows what comes; then a jump, after which it is as wrong as can be."""
        return 100.0 if t == T // 2 else float(flips[t]) if t < T // 2 else 0.0

    flips = rng.integers(0, 2, T)
    flips[:2] = 1, 0
    own = {
        0: lambda t, stats: noise[t],
        1: lambda t, stats: stats[LOW],
        2: lambda t, stats: stats[HIGH] if t % 2 else stats[LOW],
    }[int(rng.integers(3))]
    noise = rng.normal(size=T) * 10.0 ** rng.integers(-3, 3)
    if kind == "turning":
        return turning, lambda t, stats: float(flips[t]) if t <= T // 2 else 1e3
    chosen = {"far end": far_end, "against bets": against_bets, "one side": one_side}
    return chosen.get(kind, lambda t, stats, p: float(y[t])), own


KINDS = (
    "line", "growing", "doubling", "huge", "tiny", "large", "constant", "two values", "far end",
    "against bets", "one side", "turning", "together",
)  # fmt: skip


def all_at_once(module, features=40):
    """Features of two kinds learn one by one, and then all of one kind come together: a score far outside."""
    X = np.eye(features)[np.arange(8 * features + 3) % features]
    X[-3:] = np.arange(features) % 2

    def outcome(t, stats, p):
        return float(
            t if t < 3 else stats[HIGH] if X[t, 1::2].any() and t < len(X) - 3 else stats[LOW]
        )

    return Played(X, outcome, lambda t, stats: stats[LOW], module)


def attacked(kind, seed, module=outer_mixture):
    rng = np.random.default_rng(seed)
    X = examples(rng, int(rng.integers(2, 60)))
    once = kind == "together"
    run = all_at_once(module, 5 + seed) if once else Played(X, *opponent(rng, X, kind), module)
    check(run, comparators(run, rng))


@pytest.mark.parametrize("kind", KINDS)
def test_no_stream_breaks_a_step_of_the_proof(kind):
    for seed in range(30):
        attacked(kind, seed)


PLANTED = {
    "a largest gradient that is too small": (
        "4.0 * half, smallest_value(half)",
        "0.5 * half, smallest_value(half)",
    ),
    "coin betting not clipped": ("by_coin = min(max(by_coin, low), high)", "by_coin = by_coin"),
    "own prediction not clipped": ("own = min(max(own, low), high)", "own = own"),
    "a rate that is too large": ("0.5 * stats[LOSS_DIFFERENCE]", "4.0 * stats[LOSS_DIFFERENCE]"),
    "a difference that stays at a jump": (
        "stats[LOSS_DIFFERENCE] *= ",
        "stats[LOSS_DIFFERENCE] += 0.0 * ",
    ),
    "no margin beyond an outcome": ("= y + WIDENING * (y - low)", "= y"),
    "a slope of the wrong sign": ("(y - stats[COIN])\n", "(stats[COIN] - y)\n"),
    "plain mean in place of the substitution": (
        "math.atanh(v * s / (1.0 + v * math.sqrt(1.0 + s * s)))",
        "d * v / (1.0 + v)",
    ),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bugs_are_caught(bug):
    old, new = PLANTED[bug]
    source = inspect.getsource(outer_mixture)
    assert old in source
    module = types.ModuleType("planted")
    module.__package__ = outer_mixture.__package__
    exec(compile(source.replace(old, new), "planted", "exec"), module.__dict__)
    cases = [(kind, seed) for seed in range(30) for kind in KINDS]
    assert any(not stands(kind, seed, module) for kind, seed in cases)


def stands(kind, seed, module):
    try:
        attacked(kind, seed, module)
    except (AssertionError, ArithmeticError, ValueError):
        return False
    return True


def test_the_substitution_is_vovk_s():
    """Its formula with exponentials, against the one that is exact for small differences."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        low, B = rng.normal(), 10.0 ** rng.uniform(-2, 2)
        a, g = low + B * rng.random(2)
        lead = rng.normal() * 10.0
        v = np.array([1 - COIN_PRIOR, COIN_PRIOR]) * np.exp([-0.25 * lead, 0.25 * lead])
        outer = outer_mixture.init_outer(0)
        outer.stats[[BEGUN, LOW, HIGH, CENTRE, LOSS_DIFFERENCE]] = 1.0, low, low + B, g, lead

        def mix_loss(y, a=a, g=g, B=B, v=v):
            both = np.exp(-2 * (np.array([a, g]) - y) ** 2 / B**2)
            return -(B**2) / 2 * math.log(v @ both / v.sum())

        expected = low + B / 2 + (mix_loss(low) - mix_loss(low + B)) / (2 * B)
        p = outer_mixture.mix_with_coin(outer, np.zeros(0), a)
        assert p == pytest.approx(expected, abs=1e-9 * B)
        for y in low + B * rng.random(20):
            assert (p - y) ** 2 <= mix_loss(y) + 1e-9 * B**2


def test_the_rounds_of_a_small_stream_by_hand():
    """Outcomes 2, 2, 6, 3, 9: the interval is [0, 4] after the third, and [0, 13.5] after the last."""
    run = Played(
        np.zeros((5, 0)), lambda t, stats, p: [2.0, 2.0, 6.0, 3.0, 9.0][t], lambda t, stats: 1.0
    )
    stats = run.outer.stats
    assert run.p[:3].tolist() == [0.0, 2.0, 2.0]
    assert stats[OPENING] == 2.0**2 + 4.0**2
    assert stats[[CENTRE, LOW, HIGH]].tolist() == [2.0, 0.0, 13.5]
    # round 4: own 1, coin betting 2, weights 4095 to 1; y = 3; d = 1/2, middle -1/4
    v = math.exp(0.125) / 4095
    assert run.p[3] == pytest.approx(
        1 + math.log((1 + v * math.exp(0.5)) / (1 + v * math.exp(-0.5)))
    )
    assert stats[LOSS_DIFFERENCE] == pytest.approx((1.0 - 0.25) * (4 / 13.5) ** 2)
    # the constant begins with 16 times 2^2, its coin is 2 (3 - 2); the largest gradient is 8: sqrt(V) = 8 / (1 - 1/32)
    assert run.outer.coin.bettors[0, 0].tolist() == pytest.approx(
        [2.0, 64.0, 31 / 32 / 8, 1 / 16 - 2 * math.log(64)]
    )


def test_the_price_of_the_theorem_by_hand():
    """Rounds of the test above without features: opening 20, B = 13.5, and a constant of which the price is known."""
    run = ls.play("online-linear-regression", np.zeros((5, 1)), [2.0, 2.0, 6.0, 3.0, 9.0])
    v = next(v for v in run.certificate if v.guarantee.id == BEST)
    s = vars(run.kind.symbols(run.transcript.copies[0], None, "none"))
    assert (s["opening"], s["span"]) == (20.0, 13.5)
    assert v.verdict == "kept"
    assert v.bound == pytest.approx(
        20 + (4 / 5 + 6 * math.log(2)) * 13.5**2 + coin_regret(run, v), rel=1e-12
    )


def coin_regret(run, verdict):
    found = run.kind.comparators("own")
    return found.more["coin_regret"][verdict.index]


@pytest.mark.parametrize("value", [1e12, -1e150])
@pytest.mark.parametrize("at", [0, 1])
def test_an_extreme_outcome_at_the_beginning_does_not_widen_the_interval(at, value):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = X @ [1.0, 2.0, 3.0] + 5
    y[at] = value
    state = ls.play("online-linear-regression", X, y).learner.state
    assert state.outer.stats[HIGH] - state.outer.stats[LOW] < 100


def test_tiny_outcomes_are_predicted_without_bets():
    """Their squares vanish: there is nothing to promise, and nothing that is not a number."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30) * 1e-150
    run = ls.play("online-linear-regression", X, y)
    assert np.isfinite(run.predictions).all()
    assert np.abs(run.predictions).max() <= 2.5e-150 * 10
    assert not run.learner.state.outer.coin.bettors.any()
    assert {v.verdict for v in run.certificate} <= {"unknown", "kept"}


def test_features_that_come_while_nobody_bets_begin_later():
    outer = outer_mixture.init_outer(3)
    rows = [(0, 5.0), (1, 5.0), (2, 7.0), (0, 6.0)]
    for i, y in rows:
        x = Sparse(np.array([i]), np.array([1.0]))
        outer_mixture.mix_with_coin(outer, x, 0.0)
        outer_mixture.update_outer(outer, x, y, 1.0)
    assert (outer.coin.bettors[0, :, WEALTH] > 0.0).tolist() == [True, True, False, False]
    assert outer.coin.coin_counts[FEATURES_BEGUN] == 2.0


@pytest.mark.parametrize("key", KEYS)
def test_the_certificate_names_the_best_linear_predictor(key):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2)) * [1e-4, 1e4] + [0.0, 3e4]
    y = 1e6 + X @ [3e4, 2e-4] + 0.1 * rng.normal(size=300)
    run = ls.play(key, X, y)
    assert run.comparator == "best linear predictor"
    A = np.column_stack([np.ones(300), X])
    best = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    assert run.comparator_loss == pytest.approx(best @ best, rel=1e-6)
    verdict = next(v for v in run.certificate if v.guarantee.id == BEST)
    assert verdict.verdict == "kept"
    assert run.certificate.headline is verdict


@pytest.mark.parametrize("key", KEYS)
def test_sparse_examples_have_the_same_comparators(key):
    from scipy.sparse import csr_array

    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 4))
    X[rng.random(X.shape) < 0.5] = 0.0
    y = X @ [1.0, -2.0, 0.0, 3.0] + rng.normal(size=120)
    one, two = (ls.play(key, Z, y) for Z in (X, csr_array(X)))
    assert two.comparator_loss == pytest.approx(one.comparator_loss, rel=1e-9)
    assert two.certificate.verdict == "kept"


def test_many_features_have_comparators_too(monkeypatch):
    """Found by gradients, they are close to those that are found exactly."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 6)) * 10.0 ** rng.integers(-3, 3, 6)
    y = 5 + X / np.abs(X).max(axis=0) @ rng.normal(size=6) + 0.01 * rng.normal(size=200)
    run = ls.play("online-linear-regression", X, y)
    exact = run.kind.comparators("own")
    losses = {exact.names(i): loss for i, loss in enumerate(exact.L)}
    monkeypatch.setattr(best_number_line, "MANY", 2)
    monkeypatch.setattr(best_number_line, "FEW", (1e5, 1e3, 1e1))
    again = best_number_line.best_number_lines(run.kind.rounds, [run.learner.state.outer])
    assert len(again.L) == 5
    for i, loss in enumerate(again.L):
        assert loss == pytest.approx(losses[again.names(i)], rel=1e-3)


def test_importance_and_late_outcomes_make_it_vacuous_and_copies_add_up():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    h = np.where(np.arange(60) == 30, 2.0, 1.0)

    def verdict(**options):
        run = ls.play("online-linear-regression", X, y, **options)
        return next(v for v in run.certificate if v.guarantee.id == BEST)

    assert verdict(importance=h).verdict == "vacuous"
    assert verdict(delay=3, interleave=False).verdict == "vacuous"
    assert verdict(delay=3, interleave=True).verdict == "kept"


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_coin_betting_is_clipped_to_the_interval(sign):
    outer = outer_mixture.init_outer(1)
    outer.stats[[BEGUN, LOW, HIGH]] = 1.0, -1.0, 1.0
    coins = outer.coin.bettors[0]
    coins[:, WEALTH], coins[:, INVERSE_SCALE], coins[:, REWARD] = 1e6, 1.0, sign * 1e6
    assert abs(outer_mixture.mix_with_coin(outer, np.array([1.0]), 0.0)) <= 1.0
    assert outer.stats[COIN] == sign
