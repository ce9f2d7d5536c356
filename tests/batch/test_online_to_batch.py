"""Online to batch: predictors against brute force, bounds against the distribution that examples come from."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import binomtest, chisquare

import littlestone as ls
from littlestone.batch import committee, online_to_batch
from littlestone.batch.conversion import deviation
from littlestone.batch.longest_survivor import longest_survivor
from littlestone.batch.online_to_batch import average, ewa, random_stop
from littlestone.batch.replay import Replay
from littlestone.core.errors import BadInput
from littlestone.core.learner import Learner
from littlestone.core.losses import Absolute, Hinge
from littlestone.core.outcome import Outcome
from littlestone.core.parameters import Bit, Positive
from littlestone.core.stream import Array
from littlestone.core.vectors import add, dot
from littlestone.engine.memory import copy
from littlestone.games import Game, Labels, Margin, Regression, Shape

pytestmark = pytest.mark.usefixtures("plain")


# Learners small enough to see through; what they learn is not the point here.


class State(NamedTuple):
    w: Array
    b: float


class Steps(Learner[State, object, float, Outcome]):
    """Gradient steps on the hinge, the absolute loss, or (`kind` 0) a perceptron that counts mistakes."""

    eta: Positive = 0.3
    kind: int = 0
    bend: Bit = 0  # 1: the score is not <w, x>
    intercept: bool = False
    examples = True

    @property
    def labels(self):
        return self.kind < 2

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n), 0.0)

    def decide(self, state: State, x: object) -> float:
        return dot(state.w, x) + self.bend * state.b

    def learn(self, state: State, x: object, score: float, f: Outcome) -> State:
        step = 0.0
        if self.kind == 2:
            step = 1.0 if f.y > score else -1.0
        elif f.y * score <= (0.0 if self.kind == 0 else 1.0):
            step = f.y
        if step != 0.0:
            add(state.w, self.eta * step, x)
            return State(state.w, state.b + 0.1 * step)
        return state

    def game(self, allocation: bool) -> Game:
        return (Labels(1), Margin(Hinge(), 1), Regression(Absolute()))[self.kind]


LABELS, HINGE, NUMBERS = 0, 1, 2


def sample(seed: int, T: int, kind: int = LABELS, d: int = 3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, d))
    score = X @ np.arange(1.0, d + 1) + rng.normal(size=T)
    return X, (score if kind == NUMBERS else np.where(score > 0, 1, -1))


def hypotheses(run):
    """The states before each round, by the rules themselves."""
    learner, data = run.learner, run.transcript.data
    params, live = learner.params, learner.live
    state, found = learner.begin(live.shape), []
    one = np.ones((len(data.y), int(live.intercept)))
    for x, y in zip(np.hstack((one, data.x)), data.y, strict=True):
        found.append(copy(state))
        f = Outcome(2 * y - 1 if learner.labels else y, 1.0)
        state = params.learn(state, x, params.decide(state, x), f)
    return found


def rate_is_above(violations: int, runs: int, delta: float) -> bool:
    """Would a rate of at most delta give so many violations with probability below 1e-4?"""
    return binomtest(violations, runs, delta, alternative="greater").pvalue < 1e-4


# ---- random stop


def test_a_random_stop_is_the_hypothesis_before_its_round():
    X, y = sample(0, 60)
    run = ls.play(Steps(), X, y)
    states, new = hypotheses(run), np.random.default_rng(1).normal(size=(20, 3))
    seen = []
    for seed in range(300):
        found = random_stop(run, seed=seed)
        t = int(found.title.split("round ")[1].split(" ")[0])
        seen.append(t)
        if seed < 30:
            assert found.scores(new) == pytest.approx(new @ states[t - 1].w)
            labels = np.where(new @ states[t - 1].w >= 0, 1, -1)
            assert found.predict(new).tolist() == labels.tolist()
    counts = np.bincount(seen, minlength=61)
    assert chisquare(counts[1:]).pvalue > 1e-3  # every round alike, ...
    assert (min(seen), max(seen)) == (1, 60)  # ... the first and the last too


def test_random_stops_keep_their_bound_exactly():
    """T-O2B-RANDOM-T on all samples of thresholds: halving errs on at most lg 5 of any sequence."""
    points, m = 4, 3
    experts = np.array([[int(x >= s) for s in range(points + 1)] for x in range(points)])
    worst = 0.0
    for target in range(points + 1):
        risk = 0.0
        for xs in itertools.product(range(points), repeat=m):
            run = ls.play("halving", experts[list(xs)], experts[list(xs), target])
            replay = Replay(run)
            live = replay.fresh()
            for _ in replay.walk(live):
                wrong = [replay.acts(live, experts[x]) != experts[x, target] for x in range(points)]
                risk += np.mean(wrong) / m / points**m
        worst = max(worst, risk)
        assert risk <= math.floor(math.log2(points + 1)) / m
    assert worst > 0.2  # and it is not kept for free


def test_bounds_of_a_random_stop():
    X, y = sample(0, 100)
    found = random_stop(Steps(), X, y, mistakes=14, delta=0.1, holdout=0.3)
    stop, lemma = found.bounds
    assert (stop.id, stop.value, stop.delta) == ("T-O2B-RANDOM-T", 0.2, None)
    assert lemma.value == pytest.approx(found.mean_loss + math.sqrt(math.log(10) / 140))
    assert found.bound == min(stop.value, lemma.value)
    assert found.holdout.examples == 30


# ---- average


@pytest.mark.parametrize("kind", [HINGE, NUMBERS])
@pytest.mark.parametrize("bend", [0, 1])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_average_is_that_of_all_predictions(kind, bend, intercept):
    X, y = sample(2, 80, kind)
    run = ls.play(Steps(kind=kind, bend=bend, intercept=intercept), X, y)
    found, states = average(run), hypotheses(run)
    new = np.random.default_rng(1).normal(size=(20, 3))
    full = np.hstack((np.ones((20, int(intercept))), new))
    each = np.array([full @ s.w + bend * s.b for s in states])
    assert found.scores(new) == pytest.approx(each.mean(axis=0))
    if kind == NUMBERS:
        assert found.predict(new) == pytest.approx(each.mean(axis=0))
    else:
        assert found.predict(new).tolist() == np.where(each.mean(axis=0) >= 0, 1, -1).tolist()


def test_linear_learners_are_averaged_as_one_vector_and_others_are_not(monkeypatch):
    X, y = sample(2, 80, HINGE)
    seen = []
    monkeypatch.setattr(
        online_to_batch, "gather", lambda r, s, f=committee.gather: seen.append(1) or f(r, s)
    )
    average(ls.play(Steps(kind=HINGE), X, y))
    assert not seen
    average(ls.play(Steps(kind=HINGE, bend=1), X, y))
    assert seen


def test_sparse_examples_average_as_dense_ones_do():
    X, y = sample(2, 80, HINGE)
    X[np.abs(X) < 0.7] = 0.0
    for bend in (0, 1):
        learner = Steps(kind=HINGE, intercept=True, bend=bend)
        dense, sparse = average(learner, X, y), average(learner, csr_array(X), y)
        assert sparse.scores(csr_array(X)) == pytest.approx(dense.scores(X))
        assert sparse.holdout == dense.holdout


def test_labels_vote():
    X, y = sample(2, 81)
    words = np.where(y > 0, "yes", "no")
    run = ls.play(Steps(), X, words)
    found = average(run, delta=0.05)
    new = np.random.default_rng(1).normal(size=(50, 3))
    votes = np.array([np.where(new @ s.w >= 0, 1, -1) for s in hypotheses(run)])
    want = np.where(votes.sum(axis=0) > 0, "yes", "no")
    assert found.predict(new).tolist() == want.tolist()
    (bound,) = found.bounds
    assert bound.id == "T-O2B-VOTE"
    assert bound.value == pytest.approx(2 * (run.mean_loss + deviation(1.0, 81, 0.05)))


def test_too_many_hypotheses_are_sampled_and_the_bound_says_so(monkeypatch):
    X, y = sample(2, 300, NUMBERS)
    run = ls.play(Steps(kind=NUMBERS, bend=1), X, y)
    span = float(run.losses.max())
    whole = average(run, span=span)
    monkeypatch.setattr(committee, "KEPT", 40)
    some = average(run, span=span, delta=0.1)
    assert any("sample of 40" in note for note in some.notes)
    wide = deviation(span, 300, 0.05) + deviation(span, 40, 0.05)
    assert some.bounds[0].value == pytest.approx(run.mean_loss + wide)
    new = np.random.default_rng(1).normal(size=(20, 3))
    members, all_of_them = committee.gather(Replay(run), 0)
    assert (len(members), all_of_them) == (40, False)
    chosen = np.random.default_rng(0).permutation(300)[:40]
    want = {tuple(hypotheses(run)[t].w) for t in chosen}
    assert {tuple(state.w) for state, _ in members} == want
    assert some.scores(new) == pytest.approx(whole.scores(new), abs=2.0)


def test_equal_hypotheses_are_kept_once():
    X, y = sample(2, 400)
    run = ls.play(Steps(), X, y)
    members, all_of_them = committee.gather(Replay(run), 0)
    assert all_of_them
    assert sum(c for _, c in members) == 400
    assert len(members) < 200


# ---- experts


def test_mixtures_average_to_the_mean_of_the_weights():
    rng = np.random.default_rng(0)
    advice, y = rng.random((50, 4)), rng.random(50)
    run = ls.play(ls.Hedge(eta=0.8, loss="absolute"), advice, y, record="all", interval=(0, 1))
    p = run.weights.mean(axis=0)
    found = average(run, delta=0.1, test=(advice, y))
    assert found.predict(advice) == pytest.approx(advice @ p)
    assert found.holdout.mean == pytest.approx(np.abs(advice @ p - y).mean())
    risk, beyond = found.bounds
    regret = run.loss - np.abs(advice - y[:, None]).sum(axis=0).min()
    assert risk.value == pytest.approx(run.mean_loss + math.sqrt(math.log(10) / 100))
    assert beyond.value == pytest.approx(regret / 50 + 2 * math.sqrt(math.log(20) / 100))
    assert found.bound == risk.value


def test_drawn_experts_are_drawn_by_the_mean_of_the_weights():
    rng = np.random.default_rng(0)
    advice = rng.integers(0, 2, (60, 3))
    y = np.where(rng.random(60) < 0.8, advice[:, 0], 1 - advice[:, 0])
    run = ls.play("randomized-weighted-majority", advice, y, record="all")
    p, found = run.weights.mean(axis=0), average(run, test=(advice, y))
    assert found.holdout.mean == pytest.approx(((advice != y[:, None]) @ p).mean())
    assert set(found.predict(advice).tolist()) <= {0, 1}
    many = found.predict(np.tile([1, 0, 0], (4000, 1)))
    assert many.mean() == pytest.approx(p[0], abs=0.03)


def test_the_interval_matters():
    """Losses on [0, 10] are ten times as large, and so is what they may deviate."""
    rng = np.random.default_rng(0)
    advice, y = rng.random((50, 4)), rng.random(50)
    one = ewa(advice, y, interval=(0, 1), holdout=0.0)
    ten = ewa(10 * advice, 10 * y, interval=(0, 10), holdout=0.0)
    for a, b in zip(one.bounds, ten.bounds, strict=True):
        assert b.value == pytest.approx(10 * a.value)
    T, N = 50, 4
    want = math.sqrt(math.log(N) / (2 * T)) + 2 * math.sqrt(math.log(40) / (2 * T))
    assert one.bounds[-1].id == "T-O2B-EWA"
    assert one.bounds[-1].value == pytest.approx(want)


def test_a_range_that_the_sample_suggests_is_no_range():
    """Rare outcomes of 1000 are in few samples: a bound from the range of the others was below the risk in most."""
    rng = np.random.default_rng(0)
    advice, y = rng.random((50, 4)), rng.random(50)
    for loss in ("absolute", "square"):
        found = ewa(advice, y, loss=loss, holdout=0.0)
        assert found.bounds == []
        assert "no bound: the largest loss M must be known beforehand" in str(found)
        assert ewa(advice, y, loss=loss, interval=(0, 1), holdout=0.0).bounds


# ---- how often bounds fail


# four rows of advice, equally likely, and the chance that the outcome is 1 after each
ADVICE = np.array([[0.0, 0.0, 0.2], [1.0, 1.0, 0.8], [0.1, 0.9, 0.5], [0.0, 0.1, 1.0]])
CHANCE = np.array([0.4, 0.6, 0.5, 0.3])


def risk_of(p: Array) -> float:
    """E |p . x - y|, exactly."""
    mean = ADVICE @ p
    return float((CHANCE * (1 - mean) + (1 - CHANCE) * mean).mean())


def drawn(rng, T: int):
    rows = rng.integers(0, len(ADVICE), T)
    return ADVICE[rows], (rng.random(T) < CHANCE[rows]).astype(float)


def test_risk_bounds_fail_no_more_often_than_they_may():
    """T-O2B-LEMMA4, T-O2B-THM5 and T-O2B-EWA on a distribution whose risks are known exactly."""
    rng, runs, T, delta = np.random.default_rng(7), 250, 30, 0.2
    best = min(risk_of(p) for p in np.eye(3))
    fails = dict.fromkeys(["lemma", "average", "beyond", "ewa", "too small"], 0)
    for _ in range(runs):
        advice, y = drawn(rng, T)
        found = ewa(advice, y, interval=(0, 1), delta=delta, holdout=0.0)
        replay = Replay(ls.play(ls.ExponentialWeights(loss="absolute"), advice, y))
        live, risks, p = replay.fresh(), [], np.zeros(3)
        for t, _ in replay.walk(live):
            now = live.params.decide(live.state, advice[t])
            risks.append(risk_of(now))
            p += now / T
        assert found.predict(np.eye(3)) == pytest.approx(p)
        assert risk_of(p) <= np.mean(risks) + 1e-12  # convexity, surely
        risk, beyond, free = (b.value for b in found.bounds)
        fails["lemma"] += np.mean(risks) > risk
        fails["average"] += risk_of(p) > risk
        fails["beyond"] += risk_of(p) - best > beyond
        fails["ewa"] += risk_of(p) - best > free
        fails["too small"] += np.mean(risks) > found.mean_loss + deviation(1, T, delta) / 6
    assert rate_is_above(fails.pop("too small"), runs, delta)  # the test can tell
    for name, count in fails.items():
        assert not rate_is_above(count, runs, delta), name


def noisy_linear(rng, T: int):
    """Points on a circle; labels that a line gets right with probability 0.9."""
    angle = 2 * np.pi * np.arange(12) / 12 + 0.1
    points = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    right = np.where(points[:, 0] > 0, 1, -1)
    rows, flip = rng.integers(0, 12, T), rng.random(T) < 0.1
    return points, right, points[rows], np.where(flip, -right[rows], right[rows])


def test_votes_fail_no_more_often_than_they_may():
    """T-O2B-VOTE, and that a vote errs at most twice as often as its members do, surely."""
    rng, runs, T, delta = np.random.default_rng(3), 150, 40, 0.2
    failed = 0
    for _ in range(runs):
        points, right, X, y = noisy_linear(rng, T)
        run = ls.play(Steps(), X, y)
        found = average(run, delta=delta)
        wrong = np.where(found.predict(points) == right, 0.1, 0.9).mean()
        each = [
            np.where(np.where(points @ s.w >= 0, 1, -1) == right, 0.1, 0.9).mean()
            for s in hypotheses(run)
        ]
        assert wrong <= 2 * np.mean(each) + 1e-12
        failed += wrong > found.bound
    assert not rate_is_above(failed, runs, delta)


# ---- longest survivor


def by_hand(X, y, eta=0.3):
    """The rule, as simply as it can be written."""
    w, best, n, mistakes = np.zeros(X.shape[1]), (0, 0, np.zeros(X.shape[1])), 0, 0
    for x, label in zip(X, y, strict=True):
        if (1 if w @ x >= 0 else -1) == label:
            n += 1
            if n > best[0]:
                best = n, mistakes, w.copy()
        else:
            w, n, mistakes = w + eta * label * x, 0, mistakes + 1
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_longest_survivor_by_hand(seed):
    X, y = sample(seed, 70)
    n, i, w = by_hand(X, y)
    found = longest_survivor(ls.play(Steps(), X, y), delta=0.1)
    assert f"after {i:,} mistake{'s' * (i != 1)}, right for {n:,} rounds" in found.title
    new = np.random.default_rng(1).normal(size=(30, 3))
    assert found.scores(new) == pytest.approx(new @ w)
    assert found.bound == pytest.approx(1 - (0.1 / ((i + 1) * (i + 2))) ** (1 / n))
    known = longest_survivor(ls.play(Steps(), X, y), delta=0.1, mistakes=60)
    assert known.bound == pytest.approx(1 - (0.1 / 61) ** (1 / n))
    assert known.bound <= math.log(61 / 0.1) / n


def test_a_learner_that_never_stops_learning_learns_only_from_mistakes_here():
    X, y = sample(1, 70, HINGE)
    run = ls.play(Steps(kind=HINGE), X, y)
    found = longest_survivor(run)
    n, i, w = by_hand(
        X, y
    )  # the step of the hinge is that of the perceptron where the label is wrong
    assert f"after {i:,} mistake" in found.title
    assert f"right for {n:,} rounds" in found.title
    assert found.scores(X) == pytest.approx(X @ w)


def test_a_survivor_of_the_end_and_one_that_is_never_right():
    same = ls.play(Steps(), np.ones((9, 1)), [1] * 9)
    assert "after 0 mistakes, right for 9 rounds" in longest_survivor(same).title
    flips = ls.play(Steps(), np.ones((8, 1)), [-1, 1] * 4)
    never = longest_survivor(flips)
    assert "right for 0 rounds" in never.title
    assert never.bound == 1.0


def test_survivors_fail_no_more_often_than_they_may():
    """T-O2B-SURVIVOR: experts that all have risk 1/5, followed until they err: the luckiest is returned."""
    rng, runs, T, delta = np.random.default_rng(5), 200, 60, 0.1
    failed = alone = 0
    for _ in range(runs):
        advice = (rng.random((T, T + 1)) < 0.2).astype(int)
        found = longest_survivor(
            ls.play("consistent", advice, np.zeros(T, int), labels=[0, 1]), delta=delta
        )
        n = int(found.title.split("right for ")[1].split(" ")[0])
        failed += found.bound < 0.2
        alone += 1 - delta ** (1 / n) < 0.2  # as if the survivor had been chosen beforehand
    assert not rate_is_above(failed, runs, delta)
    assert rate_is_above(alone, runs, delta)


def test_a_bound_that_is_none_is_refused():
    X, y = sample(0, 60)
    with pytest.raises(BadInput, match=r"mistakes=1: there were \d+, so that is no bound"):
        longest_survivor(ls.play(Steps(), X, y), mistakes=1)


def test_no_bound_is_below_what_the_run_did():
    """A bound for every sequence is one for this run; as many mistakes as there were may be all there ever are."""
    X, y = sample(0, 60)
    run = ls.play(Steps(), X, y)
    there = int(run.mistakes)
    with pytest.raises(BadInput, match=f"mistakes={there - 1}: there were {there}, so that is no"):
        random_stop(run, mistakes=there - 1)
    assert random_stop(run, mistakes=there).bounds[0].value == there / 60
    X, y = sample(5, 60)
    hinge = ls.play(Steps(kind=HINGE), X, y)  # its loss is not its mistakes, ...
    there = int(hinge.mistakes)
    assert hinge.loss > there > longest_survivor(hinge).mean_loss * 60  # ... which come in both
    for rule in (random_stop, longest_survivor):
        with pytest.raises(BadInput, match=f"there were {there}, so that is no bound"):
            rule(hinge, mistakes=there - 1)
        rule(hinge, mistakes=there)
    advice = np.eye(3, dtype=int)[np.arange(12) % 3]
    drawn = ls.play("randomized-weighted-majority", advice, np.ones(12, int))  # expected ones
    with pytest.raises(BadInput, match=f"there were {drawn.loss:.6g}"):
        random_stop(drawn, mistakes=drawn.loss - 0.01)
    random_stop(drawn, mistakes=drawn.loss)
    numbers = ls.play(Steps(kind=NUMBERS), *sample(0, 60, NUMBERS))
    with pytest.raises(BadInput, match="mistakes=60: only labels can be wrong"):
        random_stop(numbers, mistakes=60)


def test_a_span_that_is_none_is_refused():
    run = ls.play(Steps(), np.ones((9, 1)), [1] * 9)  # no mistake, but the next one costs 1
    for rule in (random_stop, average):
        with pytest.raises(BadInput, match=r"span=0.5: a mistake costs 1"):
            rule(run, span=0.5)
        assert rule(run, span=1.0).bound == rule(run).bound


def test_a_run_that_saw_one_class_is_stopped_too():
    """Its label has one code in the stream, the first, and another with the learner, who knows +1 from -1."""
    run = ls.play(Steps(), np.ones((9, 1)), [1] * 9)
    for seed in range(5):
        assert random_stop(run, seed=seed).predict([[1.0]]).tolist() == [1]


# ---- labels that are drawn


@pytest.mark.parametrize(
    "learner",
    [ls.learner("kernel-ogd"), ls.learner("fourier-ogd", frequencies=16)],
    ids=lambda learner: learner.key,
)
def test_votes_of_drawn_labels_are_split_by_their_probabilities(learner):
    X, y = sample(4, 120)
    run = ls.play(learner, X[:100], y[:100])
    replay, found = Replay(run), average(run, test=(X[100:], y[100:]))
    live, chance = replay.fresh(), np.zeros(20)
    for _ in replay.walk(live):
        chance += np.clip((1 + live.many(X[100:])[0]) / 2, 0, 1) / 100
    assert found.scores(X[100:])[:, 1] == pytest.approx(chance)
    wanted = np.where(chance > 0.5, 1, -1)
    assert found.predict(X[100:]).tolist() == wanted.tolist()
    assert found.holdout.mean == (wanted != y[100:]).mean()
    wrong = np.where(y[100:] > 0, 1 - chance, chance)  # of a random stop, on average
    assert found.holdout.mean <= 2 * wrong.mean()
    assert found.bounds[0].value == pytest.approx(2 * (run.mean_loss + deviation(1.0, 100, 0.05)))
    assert average(learner, X[:100], y[:100]).holdout.examples == 20


def test_doubts_do_not_become_mistakes():
    """Half of the hypotheses toss a coin, half are sure and right: votes of signs would err, split votes do not."""
    run = ls.play(ls.learner("kernel-ogd", kernel="linear", eta=1.0), np.eye(2), [1, 1])
    replay = Replay(run)
    states = [begun._replace(A=begun.A.copy(), S=begun.S.copy(), N=begun.N.copy())
              for begun in [replay.fresh().state] * 3]  # fmt: skip
    for state, score in zip(states, (-0.1, -0.1, 1.0), strict=True):
        state.A[0, 0], state.A[1, 0], state.S[0, 0], state.N[0] = score, 1.0, 1.0, 1.0
    team = committee.Committee(replay, replay.fresh(), [(state, 1.0) for state in states])
    shares, labels = team.many(np.array([[1.0, 0.0]]))
    assert shares == pytest.approx(np.array([[1 - 1.9 / 3, 1.9 / 3]]))
    assert labels.tolist() == [1.0]


# ---- what is printed, and what is refused


@pytest.mark.parametrize("rule", [random_stop, average, longest_survivor])
def test_the_bound_is_printed_beside_the_hold_out(rule):
    X, y = sample(0, 100)
    found = rule(Steps(), X, y)
    text = str(found)
    assert "(T-O" in text
    assert f"{found.bound:.4g}" in text
    assert f"hold-out {found.holdout.mean:.4g}" in text
    assert "on 20 examples" in text
    wrong = (found.predict(X[80:]) != y[80:]).mean()  # nobody has learned from these
    assert found.holdout.mean == pytest.approx(wrong)
    alone = rule(ls.play(Steps(), X[:80], y[:80]), test=(X[80:], y[80:]))
    assert str(alone) == text
    assert "no hold-out" in str(rule(ls.play(Steps(), X, y)))


def test_regression_has_a_bound_where_its_largest_loss_is_known():
    X, y = sample(0, 100, NUMBERS)
    run = ls.play(Steps(kind=NUMBERS), X, y)
    free = average(run)
    assert math.isnan(free.bound)
    assert "no bound" in str(free)
    assert average(run, span=50.0).bound == pytest.approx(
        run.mean_loss + deviation(50.0, 100, 0.05)
    )
    with pytest.raises(BadInput, match="a round lost"):
        average(run, span=0.5)
    with pytest.raises(BadInput, match="only labels can be right"):
        longest_survivor(run)


def test_refusals():
    X, y = sample(0, 20)
    run = ls.play(Steps(), X, y)
    for delta in (0.0, 1.0, -1, "x"):
        with pytest.raises(BadInput, match="delta must be a number in"):
            average(run, delta=delta)
    with pytest.raises(BadInput, match="either a run, or a learner"):
        average(run, X, y)
    with pytest.raises(BadInput, match="give a run, or a learner"):
        average(Steps(), X)
    with pytest.raises(BadInput, match="20 examples and 19 outcomes"):
        average(Steps(), X, y[:-1])
    with pytest.raises(BadInput, match="holdout"):
        average(Steps(), X, y, holdout=1.0)
    with pytest.raises(BadInput, match="more than once"):
        average(ls.play(Steps(), X, y, passes=2))
    with pytest.raises(BadInput, match="different importance"):
        average(ls.play(Steps(), X, y, importance=np.arange(1.0, 21.0)))
    with pytest.raises(BadInput, match="no answer"):
        average(ls.play(Steps(kind=NUMBERS), X, np.where(np.arange(20) == 3, np.nan, 1.0)))
    with pytest.raises(BadInput, match="feedback came late"):
        average(ls.play(Steps(), X, y, delay=2))
    with pytest.raises(BadInput, match="went on"):
        average(ls.play(run.learner, X, y, resume=True))
    with pytest.raises(BadInput, match="losses alone"):
        average(ls.play("hedge", [[0.0, 1.0]]))


ARGUMENTS = {
    "mistakes": ("a", math.nan, math.inf, -1, True),
    "delta": ("a", None, math.nan, -1, 2.0, 1j),
    "span": ("a", math.nan, math.inf, -1, 0),
    "holdout": ("a", None, math.nan, -1, 2.0, True),
    "seed": ("a", None, math.nan, -1, 2.0, 1 << 63),
}
TAKEN = {
    random_stop: ("mistakes", "delta", "span", "holdout", "seed"),
    average: ("delta", "span", "holdout", "seed"),
    longest_survivor: ("mistakes", "delta", "holdout"),
    ewa: ("delta", "holdout"),
}


@pytest.mark.parametrize(
    ("rule", "name"), [(rule, name) for rule in TAKEN for name in TAKEN[rule]],
    ids=lambda v: getattr(v, "__name__", v),
)  # fmt: skip
def test_bad_numbers_are_named(rule, name):
    X, y = sample(0, 20)
    data = (np.eye(2)[[0, 1] * 10], np.zeros(20)) if rule is ewa else (Steps(), X, y)
    rule(*data)  # all is well otherwise
    for value in ARGUMENTS[name]:
        with pytest.raises(BadInput, match=rf"^{name}\b.* must be .*, not {value!r}$"):
            rule(*data, **{name: value})


@pytest.mark.parametrize("rule", [random_stop, average, longest_survivor])
def test_a_test_is_examples_with_their_outcomes(rule):
    X, y = sample(0, 40)
    run = ls.play(Steps(), X, y)
    for played in ((run,), (Steps(), X, y)):
        with pytest.raises(BadInput, match="test: there are 40 examples and 3 outcomes"):
            rule(*played, test=(X, y[:3]))
        with pytest.raises(BadInput, match="test: there are 3 examples and 40 outcomes"):
            rule(*played, test=(csr_array(X[:3]), list(y)))
        for test in (5, "ab", (X,), (X, y, y)):
            with pytest.raises(BadInput, match="test must be a pair"):
                rule(*played, test=test)
        with pytest.raises(BadInput, match="must be lists or arrays, not 1"):
            rule(*played, test=(X[:1], 1))
    with pytest.raises(BadInput, match="test: row 2 has no outcome"):
        rule(run, test=(X[:3], [1, None, 1]))


def test_advice_is_checked_before_it_is_mixed():
    advice, y = np.eye(3)[[0, 1, 2] * 4], np.zeros(12)
    with pytest.raises(BadInput, match="12 examples and 11 outcomes"):
        ewa(advice, y[:11])
    with pytest.raises(BadInput, match="test: there are 12 examples and 4 outcomes"):
        ewa(advice, y, test=(advice, y[:4]))
    found = ewa(advice, y)
    assert found.holdout.examples == 2
    with pytest.raises(BadInput, match="row 1: advice must have 3 entries, not 2"):
        found.predict([[0.0, 1.0]])
    with pytest.raises(BadInput, match="row 2, column '3': advice is nan"):
        found.predict([[0.0, 1.0, 0.0], [0.0, 1.0, math.nan]])
    words = average(ls.play("weighted-majority", [["a", "b"]] * 4, ["a"] * 4))
    assert words.predict([["b", "a"]]).tolist() == ["b"]
    with pytest.raises(BadInput, match="row 2: advice must have 2 entries, not 1"):
        words.predict([["a", "b"], ["a"]])


@pytest.mark.parametrize("T", [1, 2])
def test_a_bound_above_every_loss_says_so(T):
    """On two examples a risk of "at most 2.7" says nothing; nobody errs more often than always."""
    X, y = np.eye(2), np.array([1, -1])
    run = ls.play("perceptron", X[:T], y[:T], engine="plain")
    for found in (random_stop(run), average(run)):
        assert found.bound > 1.0
        assert "it takes more rounds to say something, as no loss is above 1" in str(found)
    long = ls.play("perceptron", np.tile(X, (400, 1)), np.tile(y, 400), engine="plain")
    assert "more rounds" not in str(random_stop(long))
