"""OnlineLinear and OnlineLinearRegression: units and extremes do not matter, shifts are followed, theorems are kept."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.outcome import Outcome
from littlestone.core.vectors import Sparse
from littlestone.games import Shape
from littlestone.linear.online_linear import OnlineLinear
from littlestone.linear.online_linear_regression import OnlineLinearRegression, update_noise
from littlestone.linear.parts.discounted_bayes import (
    CUMULATIVE_LOSS,
    CURVATURE,
    FORGETTING,
    GRADIENT,
    MIX_WEIGHTS,
    MODELS,
    NOISE_VARIANCE,
    SCORE_MEAN,
    STACK_WEIGHTS,
    implicit_gradient,
    init_experts,
)
from littlestone.linear.parts.discounted_bayes import SCORE_VARIANCE as SPREAD_OF_SCORES
from littlestone.linear.parts.feature_scaling import (
    CENTRE,
    NONZERO_COUNT,
    OUTLIER,
    SPREAD,
    commit_scaler,
    init_scaler,
    is_cached,
    is_extreme,
    observe_value,
    standardise,
)
from littlestone.linear.parts.outer_mixture import HIGH, LOW
from littlestone.linear.parts.row_sum import (
    SCALE_USED,
    STANDARDISED_SUM,
    SUM_PRIOR_FACTOR,
    add_sum_to_score,
    commit_sum,
    init_row_sum,
    standardise_sum,
    update_sum,
)
from littlestone.linear.parts.stacking import (
    LOGIT,
    PROBABILITY,
    SHRUNKEN_ROW,
    SHRUNKEN_SCORE,
    SHRUNKEN_WEIGHT,
    STACK_PRIOR_VARIANCE,
    STACK_PROCESS_NOISE,
    init_stack_cov,
    shrunken_score,
    stack_newton_step,
)

DATA = Path(__file__).parents[3] / "shared" / "data"
FEW = settings(max_examples=20, deadline=None)


@pytest.fixture(scope="module", autouse=True)
def plain() -> Iterator[None]:
    """Compiled and plain rules are compared elsewhere, for every learner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LITTLESTONE_ENGINE", "plain")
        yield


def play(X: Any, y: Any, key: str = "online-linear", **more: Any) -> Any:
    return ls.play(key, X, y, **more)


BOTH = (-1, 1)  # declared, so that both classes have scores from the first round on


def separated(rows: int = 400, d: int = 4, seed: int = 0) -> tuple[Any, Any]:
    r = np.random.default_rng(seed)
    X, w = r.normal(size=(rows, d)), r.normal(size=d)
    return X, np.where(X @ w > 0, 1, -1)


# The rule, worked.


def test_two_rounds_by_hand() -> None:
    """One feature that is always 1 says nothing: only the intercept learns. Class 1, twice."""
    run = play([[1.0], [1.0]], [1, 1], labels=(0, 1))
    # round 1: nobody knows anything. A score has the variance 10 / 2 in the intercept, and settles at u
    u = brentq(lambda u: u - 5 / (1 + math.exp(u)), 0, 5)
    e = 1 / (1 + math.exp(u))
    # round 2: precision 1/5, and what the round has taught, as far as it is kept
    r = [1 / (0.2 + k * e * (1 - e)) for k in FORGETTING]
    worth = [u / math.sqrt(1 + math.pi / 8 * v) for v in r]
    # the stack is the mean of the four; the last class was 1, but its weight is still 0
    # coin betting: intercept and feature have the wealth 16 / 2, a coin of 1/2 each, and V = 1 / (1 - 1/8)^2
    q = 1 - 1 / 8
    bet = 2 * 8 * q * (q / 2) / 2
    p = np.array([1 / (1 + math.exp(-s)) for s in [*worth, sum(worth) / 4, bet]])
    first = np.array([51 / 256] * 5 + [1 / 256])
    assert run.loss == pytest.approx(math.log(2) - math.log(first @ p), abs=1e-6)
    assert run.learner.state.experts[MIX_WEIGHTS, :6] == pytest.approx(
        2 / 3 * first * p / (first @ p) + first / 3, abs=1e-6
    )


def test_three_classes_by_hand() -> None:
    """Class 0 against two others that together weigh ln 2 more; a score has half the variance: 10 / 2 / 2."""
    run = play([[1.0]], [0], labels=(0, 1, 2))
    assert run.loss == pytest.approx(math.log(3))
    up = brentq(lambda u: u + math.log(2) - 2.5 / (1 + math.exp(u)), -5, 5)
    down = brentq(lambda u: u - math.log(2) - 2.5 / (1 + math.exp(u)), -5, 5)
    intercepts = run.learner.state.posterior[:, 0, 0]
    assert intercepts == pytest.approx(
        [up + math.log(2), math.log(2) - down, math.log(2) - down], abs=1e-5
    )


def test_regression_by_hand() -> None:
    """Outcomes 3, 5 and then an example: centre 3, spread 2; the intercept learns first from the third outcome."""
    run = play([[1.0]] * 4, [3.0, 5.0, 5.0, 0.0], "online-linear-regression")
    assert run.predictions[:3].tolist() == [0.0, 3.0, 3.0]
    # error 2, noise 2^2, variance of the intercept 10 * 2^2 / 2 = 20; then the centre moves by 3/5 of 2
    score = 2 * 20 / (4 + 20)
    # each model says so; the stack too, and its own step saw scores of 0, and the last outcome, 2 from the centre
    last = 0.1 * 2 * 2 / (4 + 4)
    stack = score + last * (5.0 - 4.2)
    hedge = gaussians([0] * 4, [4 + 20] * 4, 0, 4.0)
    own = 4.2 + 4 * hedge[0] * score + hedge[4] * stack
    assert run.learner.state.outer.stats[[LOW, HIGH]].tolist() == [-2.5, 5.0]
    assert own > 5.0  # which was the end of the interval [1, 5] then
    # two bettors, each with 16/2 times 2^2; a coin 2 (5 - 3) of each; V = 8^2, and then (8 / (1 - 1/8))^2
    q = (1 - 1 / 8) / 8
    bets = 3.0 + 2 * 32 / 2 * q * (4 * q)
    d, middle = (bets - 5.0) / 2, ((5.0 + bets) / 2 - 3.0) / 2
    v = math.exp(-d * middle) / 4095
    tilt = math.log((1 + v * math.exp(d)) / (1 + v * math.exp(-d)))
    assert run.predictions[3] == pytest.approx(5.0 + tilt, rel=1e-12)


def gaussians(s: Any, v: Any, stack: float, noise: float) -> list[float]:
    """Weights of the experts after an outcome 2 from the centre, and after sharing a quarter."""
    p = [
        math.exp(-((2 - a) ** 2) / 2 / b) / math.sqrt(b)
        for a, b in zip([*s, stack], [*v, noise], strict=True)
    ]
    return [0.75 * q / sum(p) + 0.05 for q in p]


@FEW
@given(st.floats(-30, 30), st.floats(1e-6, 1e3))
def test_a_step_settles_where_its_own_result_says(margin: float, r: float) -> None:
    p = implicit_gradient(np.full(len(FORGETTING), margin), np.full(len(FORGETTING), r))[0]
    exact = brentq(lambda u: u - margin - r * expit(-u), margin - 1e-9, margin + r + 1e-9)
    assert 0.0 <= p <= 1.0
    assert margin + r * p <= exact + 1e-5 * r * expit(-exact) + 1e-9  # not beyond
    assert margin + r * p == pytest.approx(exact, abs=1e-9 if r <= 10.0 else 1e-3 * r)


@pytest.mark.parametrize("r", [1e-300, 1e-30, 1e30, 1e300])
def test_a_step_of_any_importance_has_a_pull(r: float) -> None:
    margin = np.array([-30.0, -1.0, 1.0, 30.0])
    p = implicit_gradient(margin, np.full(4, r))
    assert p == pytest.approx(expit(-margin) if r < 1.0 else np.zeros(4), rel=1e-9, abs=1e-20)
    assert (p >= 0.0).all()


# Units.


@FEW
@given(st.lists(st.integers(-60, 60), min_size=4, max_size=4))
def test_units_of_features_do_not_matter(powers: list[int]) -> None:
    """Powers of 2 change no digit, so that not a bit may differ."""
    X, y = separated(60)
    scaled = X * 2.0 ** np.array(powers)
    assert (play(X, y, labels=BOTH).scores == play(scaled, y, labels=BOTH).scores).all()
    numbers = X @ [1.0, 2.0, 3.0, 4.0]
    one, two = (play(Z, numbers, "online-linear-regression") for Z in (X, scaled))
    assert (one.predictions == two.predictions).all()


@FEW
@given(st.integers(-60, 60))
def test_units_of_outcomes_do_not_matter(power: int) -> None:
    X, _ = separated(60)
    y = X @ [1.0, 2.0, 3.0, 4.0] + 5
    one = play(X, y, "online-linear-regression").predictions
    two = play(X, y * 2.0**power, "online-linear-regression").predictions
    assert two == pytest.approx(one * 2.0**power, rel=1e-9)


def test_other_units_are_noticed() -> None:
    """A spread that is too small grows tenfold in a few rounds, and sooner if that happens again."""
    X, y = separated(500)
    X[250:] *= 1e6
    assert (play(X, y).predictions == y)[300:].mean() > 0.85
    place = play(X[:265], y[:265]).learner.state.scaler.stats
    assert (place[:, SPREAD] > 1e5).all()


def test_an_offset_is_taken_off() -> None:
    X, y = separated(500)
    assert play(X + np.array([1e4, -1e4, 0, 50]), y).accuracy > play(X, y).accuracy - 0.05


def test_the_names_of_two_classes_do_not_matter() -> None:
    X, y = separated(100)
    one, two = play(X, y, labels=BOTH).scores, play(X, -y, labels=BOTH).scores
    assert one == pytest.approx(two[:, ::-1], abs=1e-9)


# Extremes.


@FEW
@given(st.integers(0, 199), st.sampled_from([1e12, -1e12, 1e150, 1e-30]))
def test_one_extreme_example_does_little_harm(at: int, value: float) -> None:
    X, y = separated(300)
    clean = (play(X, y).predictions[200:] == y[200:]).mean()
    X[at] = value
    assert (play(X, y).predictions[200:] == y[200:]).mean() > clean - 0.1


@pytest.mark.parametrize("at", [0, 1, 2, 150])
@pytest.mark.parametrize("value", [1e12, -1e150])
def test_one_extreme_outcome_does_little_harm(at: int, value: float) -> None:
    X, _ = separated(300)
    y = X @ [1.0, 2.0, 3.0, 4.0] + 5
    y[at] = value
    run = play(X, y, "online-linear-regression")
    assert np.sqrt(np.mean((run.predictions - y)[200:] ** 2)) < 0.5 * np.std(y[200:])


NUMBERS = st.one_of(
    st.just(0.0),
    st.floats(-1e150, 1e150, allow_subnormal=True),
    st.sampled_from([1e150, -1e150, 5e-324, 1e-160, 1.0, -1.0]),
)


def arrays(state):
    if isinstance(state, np.ndarray):
        return [state]
    return [a for part in state for a in arrays(part)] if isinstance(state, tuple) else []


@FEW
@given(
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, st.integers(0, 2)), min_size=1, max_size=25),
    st.floats(1e-9, 1e6),
)
def test_never_nan(rows: list[tuple[float, float, float, int]], importance: float) -> None:
    table = np.array(rows)
    h = np.where(np.arange(len(rows)) % 3 == 1, importance, 1.0)
    for y, labels in (table[:, 3].astype(int), (0, 1, 2)), ((table[:, 3] > 0).astype(int), (0, 1)):
        run = play(table[:, :2], y, importance=h, labels=labels)
        assert np.exp(run.scores).sum(axis=1) == pytest.approx(1.0)
        assert all(np.isfinite(part).all() for part in arrays(run.learner.state))
    y = np.clip(
        table[:, 2], -1e140, 1e140
    )  # the squares of larger ones, times importance, are infinite losses
    run = play(table[:, :2], y, "online-linear-regression", importance=h)
    assert np.isfinite(run.predictions).all()
    assert all(np.isfinite(part).all() for part in arrays(run.learner.state))


def test_a_number_that_is_none_is_refused() -> None:
    learner = OnlineLinear().update([1.0, 2.0], 1)
    with pytest.raises(BadInput, match="nan"):
        learner.update([math.nan, 2.0], 0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=30), st.booleans())
def test_units_stay_among_the_values(values: list[float], always: bool) -> None:
    centre = spread = turns = 0.0
    for k, v in enumerate(values):
        before = spread
        centre, spread, turns = observe_value(v, always, centre, spread, turns)
        assert min(*values, 0.0) <= centre <= max(*values, 0.0)
        assert 0.0 <= spread <= 2e6
        assert 0.0 < turns <= k + 1
        if turns > 2.0 and before > 0.0:
            assert spread <= OUTLIER * before


# Offsets.


@pytest.mark.parametrize("seed", [2, 5, 7])
@pytest.mark.parametrize("offset", [1000.0, -50.0])
def test_what_is_added_to_a_column_matters_little(seed: int, offset: float) -> None:
    """Of the first two values the one nearer to 0 was the centre: probabilities moved by up to .19."""
    r = np.random.default_rng(seed)
    X = r.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(float)
    columns = np.array([offset, 0.0, 0.0, offset])
    as_they_are, moved = (play(Z, y).probabilities[3:] for Z in (X, X + columns))
    assert np.abs(as_they_are - moved).max() < 0.05


def test_what_is_added_to_the_features_of_a_regression_matters_little() -> None:
    r = np.random.default_rng(0)
    X = r.normal(size=(300, 4))
    y = X[:, 0] + X[:, 1]
    as_they_are, moved = (
        play(Z, y, "online-linear-regression").predictions[3:] for Z in (X, X + 1000)
    )
    assert np.abs(as_they_are - moved).max() < 0.01


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=30), st.integers(-(10**6), 10**6))
def test_the_scaler_is_moved_by_what_is_added(values: list[int], offset: int) -> None:
    """Unless a value is ten thousand times the other of the first two."""
    first, other = values[0], next((v for v in values if v != values[0]), values[0])
    assume(not is_extreme(first, other) and not is_extreme(first + offset, other + offset))
    found = []
    for by in (0, offset):
        centre = spread = samples = 0.0
        for v in values:
            centre, spread, samples = observe_value(float(v + by), True, centre, spread, samples)
        found.append((centre - by, spread))
    assert found[1] == pytest.approx(found[0], abs=1e-6, rel=1e-6)


# Shifts.


def test_a_shift_is_followed() -> None:
    X, y = separated(600)
    y[300:] *= -1
    run = play(X, y)
    assert (run.predictions == y)[400:].mean() > 0.85
    hedge = run.learner.state.experts[MIX_WEIGHTS, :5]
    assert hedge[0] < 0.05  # the memory of all is worth nothing here


def test_what_stays_is_remembered() -> None:
    r = np.random.default_rng(0)
    X, y = separated(600)
    y = y * np.where(r.random(600) < 0.2, -1, 1)
    hedge = play(X, y).learner.state.experts[MIX_WEIGHTS, :5]
    assert hedge[3] < 0.02  # the memory of ten rounds follows the noise


def test_labels_that_stick_are_believed() -> None:
    r = np.random.default_rng(0)
    y = np.where(np.cumsum(r.random(600) < 0.1) % 2, 1, -1)
    assert play(r.normal(size=(600, 2)), y).accuracy > 0.85


def test_an_outcome_that_wanders_is_followed() -> None:
    r = np.random.default_rng(0)
    y = np.cumsum(r.normal(size=600))
    p = play(r.normal(size=(600, 2)), y, "online-linear-regression").predictions
    assert np.mean((p - y)[300:] ** 2) < 3 * np.mean(np.diff(y) ** 2)


def test_what_fits_perfectly_is_never_quite_believed() -> None:
    experts, s = init_experts(), np.zeros(5)
    experts[NOISE_VARIANCE] = 1.0
    for _ in range(400):
        update_noise(experts, s, s, 0.0, 2.0, 1.0)
    assert experts[NOISE_VARIANCE, 3] == pytest.approx(4e-12)


# Theorems.


@pytest.mark.parametrize("block", [1, 3, 40])
@pytest.mark.parametrize("kind", ["online-linear", "online-linear-regression"])
def test_the_mixture_keeps_its_promise(kind: str, block: int) -> None:
    """Blocks that change sides, at which every memory is wrong in turn."""
    t = np.arange(240)
    X = np.column_stack([np.cos(t), t % 3])
    side = np.where(t // block % 2, 1, -1)
    y = np.where(X[:, 0] > 0, side, -side)
    run = play(X, y if kind == "online-linear" else y * (5.0 + t % 2), kind)
    verdict = run.certificate.verdicts[0]
    assert verdict.verdict == "kept"
    total = run.learner.state.experts[CUMULATIVE_LOSS]
    if kind == "online-linear":
        assert verdict.bound == pytest.approx(math.log(256 / 51 * 240))
        best = min(total[:5].min(), total[5] + math.log(51))
        assert verdict.measured == pytest.approx(total[6] - best)
        assert run.certificate.verdicts[1].verdict == "kept"
        assert run.certificate.verdicts[1].bound > math.log(256 * 240)
    else:
        assert verdict.bound == pytest.approx(math.log(5 * 240))
        assert verdict.measured == pytest.approx(total[5] - total[:5].min())
    assert play(X, side, importance=np.linspace(0.5, 2, 240)).certificate.verdict == "vacuous"


def test_the_books_of_the_mixture_are_those_of_the_game() -> None:
    X, y = separated(100)
    run = play(X, y, labels=sorted(set(y)))
    assert run.learner.state.experts[CUMULATIVE_LOSS, 6] == pytest.approx(run.loss)


# Examples of every kind.


def test_several_classes_and_classes_that_come_later() -> None:
    r = np.random.default_rng(0)
    X = r.normal(size=(500, 3)) + 4 * np.eye(3)[np.arange(500) % 3]
    names = np.array(["red", "green", "blue"])[np.arange(500) % 3]
    order = np.concatenate([np.flatnonzero(names[:200] != "blue"), np.arange(200, 500)])
    learner = OnlineLinear()
    right = 0
    for k in order:
        right += learner.predict(X[k]) == names[k]
        learner.update(X[k], names[k])
    assert learner.live is not None
    assert list(learner.live.labels or ()) == ["red", "green", "blue"]
    assert right > 0.9 * len(order)


def test_a_third_class_changes_nothing_between_the_first_two() -> None:
    X, y = separated(80)
    learner = play(X, y, labels=(-1, 1)).learner
    old, weights = learner.state, learner.state.posterior[0, :, :MODELS].copy()
    x = np.array([0.5, -0.25, 1.0, 0.0])
    before = learner.decide(old, x).copy()
    new = learner.grow(old, learner.begin(Shape(4, 0, 1.0, 3)), Shape(4, 0, 1.0, 3))
    assert (new.posterior[1, :, :MODELS] - new.posterior[0, :, :MODELS] == weights).all()
    after = learner.decide(new, x)
    assert (after[1] > after[0]) == (before[1] > before[0])
    assert np.exp(after).sum() == pytest.approx(1.0)


def test_features_that_come_and_go() -> None:
    r = np.random.default_rng(0)
    learner, right = OnlineLinear(), 0
    for t in range(400):
        words = {f"w{k}" for k in r.choice(12 if t < 200 else 20, 4)}
        y = sum(1 if int(w[1:]) % 2 else -1 for w in words) + 0.5 > 0
        x = dict.fromkeys(sorted(words), 1e-3)
        right += t >= 300 and learner.predict(x) == y
        learner.update(x, y)
    assert right > 85


def test_a_coordinate_that_misses_a_round_begins_again() -> None:
    learner = OnlineLinear()
    state = learner.begin(Shape(2, 0, 1.0, 2))
    both, one = (
        Sparse(np.array([0, 1]), np.array([5.0, 1.0])),
        Sparse(np.array([0]), np.array([7.0])),
    )
    rule = learner.params
    for x, y in ((both, 1), (Sparse(both.index, np.array([6.0, 2.0])), 0), (both, 1), (one, 1)):
        state = rule.learn(state, x, rule.decide(state, x), Outcome(float(y), 1.0))
    assert state.posterior[0, 2].any()
    state = rule.learn(state, both, rule.decide(state, both), Outcome(1.0, 1.0))
    assert not state.posterior[0, 2].any()
    assert state.posterior[0, 1].any()


def test_dense_equals_sparse() -> None:
    """Where no entry is 0: a sparse example says nothing of the coordinates that it leaves out."""
    from scipy.sparse import csr_array

    X, y = separated(80)
    one, two = (play(Z, y, labels=BOTH).scores for Z in (X, csr_array(X)))
    assert (one == two).all()


def test_what_is_learned_late_is_learned_from_its_own_example() -> None:
    """The state remembers the last example that it looked at; that may not be the one that is answered."""
    X, y = separated(40)
    for make in (OnlineLinear, OnlineLinearRegression):
        one, two = make(), make()
        for k in range(40):
            ticket = one.ask(X[k])
            one.ask(X[k] * 2 + 1)  # looked at, and never answered
            one.tell(ticket, y[k])
            two.update(X[k], y[k])
        assert one.predict([1.0, 0, 0, 0]) == two.predict([1.0, 0, 0, 0])
        assert (one.state.posterior == two.state.posterior).all()


def test_an_example_is_known_again_only_if_it_was_the_last() -> None:
    def row(**values: float) -> Sparse:
        return Sparse(np.array([int(k[1:]) for k in values]), np.array([*values.values()]))

    place = init_scaler(4)
    standardise(place, row(f1=1.0, f3=5.0), 0)
    standardise(place, row(f1=1.0, f2=2.0), 0)
    assert is_cached(place, row(f1=1.0, f2=2.0), 0)
    assert not is_cached(place, row(f1=1.0, f3=5.0), 0)  # as it was at the look before
    assert not is_cached(place, row(f1=1.0, f2=3.0), 0)
    assert not is_cached(place, row(f1=1.0), 0)
    assert not is_cached(place, row(f1=1.0, f2=2.0), 1)


def test_a_look_changes_nothing() -> None:
    X, y = separated(60)
    for make in (OnlineLinear, OnlineLinearRegression):
        one, two = make(), make()
        for x, label in zip(X, y, strict=True):
            one.predict(x + 3)
            one.predict(x)
            one.update(x, label)
            two.update(x, label)
        assert (one.state.posterior == two.state.posterior).all()


def test_importance_counts() -> None:
    """An example of importance 3 moves a prediction further than one of 1, and less than one of 30."""
    X, y = separated(60)
    x, moved = np.array([1.0, 1.0, -1.0, 2.0]), []
    for h in (1e-9, 1.0, 3.0, 30.0):
        learner = play(X, y, labels=(-1, 1)).learner
        learner.update(x, -1, importance=h)
        moved.append(learner.decide(learner.state, x)[0])
    assert moved == sorted(moved)
    assert moved[3] > moved[1] + 0.1
    learner.update(-x, 1, importance=1e9)  # never further than it takes to believe it
    assert abs(learner.state.outputs[:, SCORE_MEAN]).max() < 100
    learner.predict(-x)
    assert abs(learner.state.outputs[:, SCORE_MEAN]).max() < 100


@pytest.mark.skipif(not DATA.is_dir(), reason="no ../shared/data")
def test_one_pass_over_a1a() -> None:
    """A batch logistic regression with its best C errs on 15.7% of a1a.t."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(DATA / "a1a"), n_features=124)
    T, z = load_svmlight_file(str(DATA / "a1a.t"), n_features=124)
    found = play(X, y, certify=False).learner.frozen()(T[:3000])
    assert (found != z[:3000]).mean() < 0.165


# Tables of mostly zeros, and the sum of a row.


def rare(rows: int = 600, d: int = 40, share: float = 0.1, seed: int = 0) -> tuple[Any, Any]:
    """Counts, of which one in ten is not 0."""
    r = np.random.default_rng(seed)
    X = (r.random((rows, d)) < share) * r.integers(1, 4, size=(rows, d)).astype(float)
    return X, np.where(X @ r.normal(size=d) > 0.5, 1, -1)


def test_a_dense_table_of_mostly_zeros_is_as_good_as_sparse_rows() -> None:
    from scipy.sparse import csr_array

    X, y = rare()
    dense, sparse = (play(Z, y, labels=BOTH) for Z in (X, csr_array(X)))
    assert np.mean(dense.predictions == sparse.predictions) > 0.95
    assert dense.accuracy > sparse.accuracy - 0.02
    place = dense.learner.state.scaler.stats
    assert (place[:, NONZERO_COUNT] == -1.0).all()
    assert (place[:, CENTRE] == 0.0).all()
    assert dense.learner.state.mean_row_length == pytest.approx(
        1 + np.mean((X != 0).sum(axis=1)), abs=1
    )


def test_it_is_noticed_where_the_first_rows_are_full() -> None:
    X, y = rare()
    X[:3] = 1.0
    place = play(X, y).learner.state.scaler.stats
    assert (place[:, NONZERO_COUNT] == -1.0).all()


def test_a_column_that_is_always_there_stays_centred_beside_zeros() -> None:
    X, y = rare()
    X[:, 0] = 100.0 + np.arange(len(X)) % 5
    place = play(X, y).learner.state.scaler.stats
    assert place[0, NONZERO_COUNT] == len(X)
    assert place[0, CENTRE] == pytest.approx(102, abs=1)


def test_zeros_among_other_values_are_values() -> None:
    """Three of ten features are mostly 0: no more than half, so that nothing is left out."""
    X, y = separated(300, 10)
    X[:, :3] *= np.random.default_rng(1).random((300, 3)) < 0.1
    state = play(X, y).learner.state
    assert (state.scaler.stats[:, NONZERO_COUNT] > 0.0).all()
    assert not state.row_sum.stats.any()
    assert state.mean_row_length == 11.0


@pytest.mark.parametrize("key", ["online-linear", "online-kernel", "online-linear-regression"])
def test_mostly_zeros_in_parts_and_one_by_one(key: str) -> None:
    X, y = rare(120, 20)
    X[:2] = 1.0  # so that it is noticed on the way
    y = y.astype(float) if key.endswith("regression") else y
    more: Any = {} if key.endswith("regression") else {"labels": BOTH}
    whole = play(X, y, key, **more)
    part = play(X[50:], y[50:], play(X[:50], y[:50], key, **more).learner, resume=True)
    assert (part.predictions == whole.predictions[50:]).all()
    learner = play(X[:1], y[:1], key, **more).learner
    for x, label in zip(X[1:], y[1:], strict=True):
        learner = learner.update(x, label)
    assert learner.predict(X[7]) == whole.learner.predict(X[7])


def test_the_sum_of_a_row() -> None:
    """Two sparse features: the sum has a centre, and a scale of half a root of the number of features."""
    row_sum, scaler = init_row_sum(1), init_scaler(3)
    for t, (index, value) in enumerate([([0], [5.0]), ([1], [2.0]), ([1, 2], [2.0, 4.0])]):
        x = Sparse(np.array(index), np.array(value))
        standardise(scaler, x, t)
        standardise_sum(row_sum, scaler, x, 4.0)
        commit_scaler(scaler, x)
        commit_sum(row_sum)
    # the first feature was dense until then; after it came sums of 1, and of 1 + 1
    assert row_sum.stats[:3].tolist() == [1.0, 1.0, 2.0]
    assert row_sum.stats[SCALE_USED] == 1.0
    assert row_sum.stats[STANDARDISED_SUM] == 1.0
    outputs = np.zeros((4, MODELS))
    outputs[GRADIENT], outputs[CURVATURE] = 1.0, 0.5
    update_sum(row_sum, 0, 0.2, outputs)
    assert row_sum.posterior[0, 0, :MODELS] == pytest.approx(1 / (SUM_PRIOR_FACTOR * 0.2))
    add_sum_to_score(row_sum, 0, 0.2, outputs)
    assert outputs[SCORE_MEAN] == pytest.approx(1 / (SUM_PRIOR_FACTOR * 0.2))
    assert outputs[SPREAD_OF_SCORES] == pytest.approx(
        [1 / (SUM_PRIOR_FACTOR * 0.2 + 0.5 * k) for k in FORGETTING]
    )


def test_the_sum_is_in_the_weights_by_name() -> None:
    """All features count alike, and the weights that are printed have what the sum has learned."""
    X, _ = rare(800)
    y = np.where(X.sum(axis=1) > np.median(X.sum(axis=1)), 1, -1)
    learner = play(X, y, labels=BOTH).learner
    assert learner.state.row_sum.posterior[0, 0, 0] > 0.0
    score = X @ list(learner.named_weights().values())
    assert np.corrcoef(score, X.sum(axis=1))[0, 1] > 0.9


def test_a_stack_by_newtons_method() -> None:
    """One step, from the inverse of the covariance."""
    r = np.random.default_rng(0)
    experts, stack_cov, outputs = init_experts(6), init_stack_cov(), np.zeros((2, 7, 6))
    A = r.normal(size=(8, 8))
    stack_cov[:8] = C = A @ A.T / 100
    outputs[1, LOGIT], outputs[1, PROBABILITY, MODELS], stack_cov[SHRUNKEN_ROW, SHRUNKEN_SCORE] = (
        r.normal(size=6),
        0.3,
        0.7,
    )
    x = np.array([*outputs[1, LOGIT, :MODELS], -1.0, 1.0, outputs[1, LOGIT, 5], 0.7])
    after = np.linalg.inv(np.linalg.inv(C) + 0.3 * 0.7 * np.outer(x, x))
    stack_newton_step(experts, stack_cov, outputs, 1, 0, 1.0)
    found = [*experts[STACK_WEIGHTS], stack_cov[SHRUNKEN_ROW, SHRUNKEN_WEIGHT]]
    assert found == pytest.approx(np.array([0.25] * 4 + [0.0] * 4) + 0.7 * after @ x)
    assert stack_cov[:8] == pytest.approx(
        after + STACK_PROCESS_NOISE * np.eye(8) * (np.diag(after) < STACK_PRIOR_VARIANCE)
    )


def test_a_shrunken_score() -> None:
    """A weight of 2 deviations counts half, one of 0.2 next to nothing; the intercept is as it is."""
    scaler, x, b = init_scaler(2), Sparse(np.array([0, 1]), np.array([3.0, -3.0])), np.zeros((3, 8))
    standardise(scaler, x, 1)  # uncentred: 1 and -1 in units
    b[:, 0], b[:, MODELS] = [5.0, 2.0, 0.2], 0.75
    assert shrunken_score(b, scaler, x, 0.25) == pytest.approx(5.0 + 2.0 / 2 - 0.2 * 0.04 / 4.04)
