"""Mixtures of unlike learners: their rules against sums and products written out, and the theorems on hard streams."""

from __future__ import annotations

import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.numeric import softmin
from littlestone.core.scratch import kept_leaves
from littlestone.linear.parts.outer_mixture import HIGH, LOW
from littlestone.mixtures import mixture, mixture_regression
from littlestone.mixtures.parts.label_before import (
    init_label_before,
    set_label_probabilities,
    update_label_before,
)
from littlestone.mixtures.parts.least_squares_stack import (
    FORGETTING,
    init_stack,
    stacked,
    update_stack,
)
from littlestone.mixtures.parts.square_aggregation import aggregate
from littlestone.refitted import window_neighbours
from littlestone.testing.compare import same
from littlestone.trees.mondrian_forest import MondrianForest

pytestmark = pytest.mark.usefixtures("plain")

SMALL = ls.OnlineKernel(frequencies=1)
FEW = MondrianForest(trees=1)
NEVER = ls.RefittedBoosting(first=1000)


def small() -> ls.Mixture:
    return ls.Mixture(kernel=SMALL, forest=FEW)


def small_numbers() -> ls.MixtureRegression:
    return ls.MixtureRegression(kernel=ls.OnlineKernelRegression(frequencies=1))


def rows(T: int, d: int = 2, seed: int = 0):
    return np.random.default_rng(seed).normal(size=(T, d))


def test_weights_are_those_of_bayes():
    X, y = rows(25), [0, 1, 1, 2, 0] * 5
    learner = small().start(2, labels=[0, 1, 2])
    product, logs = np.full(mixture.EXPERTS, 1.0 / mixture.EXPERTS), 0.0
    for x, label in zip(X, y, strict=True):
        found = learner.predict_proba(x)
        p = learner.state.expert_chances.copy()
        assert p.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        expected = product @ p / product.sum()
        assert [found[c] for c in range(3)] == pytest.approx(expected, abs=1e-12)
        product = product * p[:, label]
        logs -= math.log(expected[label])
        learner.update(x, label)
    # the mixture gives the outcomes the mean of the probabilities that its experts give them
    assert logs == pytest.approx(-math.log(product.sum()), abs=1e-9)
    best = learner.state.losses.min()
    assert learner.state.loss == pytest.approx(logs, abs=1e-9)
    assert logs <= best + math.log(mixture.EXPERTS)


def test_powers_of_the_parts_are_experts():
    learner = small().start(2, labels=["a", "b"])
    for x, label in zip(rows(12), "aabbabaabbba", strict=True):
        learner.update(x, label)
    learner.predict([0.3, -0.3])
    p = learner.state.expert_chances
    for j in range(mixture.PARTS):
        for k in range(mixture.POWERS):
            power = p[3 * j] ** (2**k)
            assert p[3 * j + k] == pytest.approx(power / power.sum(), abs=1e-12)


def adversarial_labels(T: int) -> float:
    """Each label is the one that the mixture thinks least of; the loss beyond that of the best expert."""
    learner = small().start(1, labels=[0, 1])
    for t in range(T):
        p = learner.predict_proba([t % 3])
        learner.update([t % 3], min(p, key=p.get))
    return float(learner.state.loss - learner.state.losses.min())


def test_no_label_beats_the_theorem():
    assert 0.0 < adversarial_labels(60) <= math.log(mixture.EXPERTS)


def test_theorems_are_kept_on_a_stream_where_labels_stay():
    y = np.repeat([0, 1, 0, 1, 0], 16)
    run = ls.play(small(), rows(80), y)
    alone = ls.play(SMALL, rows(80), y)
    assert {v.guarantee.id: v.verdict for v in run.certificate} == {
        "T-MIXTURE": "kept",
        "T-MIXTURE-LINE": "kept",
        "T-MIXTURE-BEST": "kept",
    }
    assert run.loss < 0.8 * alone.loss  # the label before carries


def test_the_label_before_is_a_distribution():
    before, p, rng = init_label_before(4), np.zeros(4), np.random.default_rng(1)
    same = 0
    for t in range(50):
        set_label_probabilities(before, p)
        assert p.sum() == pytest.approx(1.0, abs=1e-12)
        assert p.min() > 0.0
        last, y = int(before.repeats[0]), int(rng.integers(3))
        if t:
            assert p[last] == pytest.approx((same + 0.5) / t, abs=1e-12)
            same += y == last
        update_label_before(before, y, 1.0)


def test_aggregation_is_mixable_and_stays_between():
    rng = np.random.default_rng(2)
    for _ in range(200):
        a, v = rng.uniform(-1, 1, 4), rng.dirichlet(np.ones(4))
        p = aggregate(3.0 + 2.0 * a, v, 3.0, 2.0)
        assert 3.0 + 2.0 * a.min() - 1e-12 <= p <= 3.0 + 2.0 * a.max() + 1e-12
        for y in np.linspace(1.0, 5.0, 9):  # B = 4: mixable at 2/16
            mixed = -8.0 * math.log(v @ np.exp(-((3.0 + 2.0 * a - y) ** 2) / 8.0))
            assert (p - y) ** 2 <= mixed + 1e-9


def test_the_stack_is_a_ridge_with_forgetting():
    rng, stack = np.random.default_rng(3), init_stack(3)
    F, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    for f, target in zip(F, y, strict=True):
        update_stack(stack, f, target, 1.0)
    h = FORGETTING ** np.arange(39, -1, -1.0)
    A = (F.T * h) @ F + FORGETTING**40 * np.eye(3)
    b = (F.T * h) @ y + FORGETTING**40 / 3.0
    assert stack.w == pytest.approx(np.linalg.solve(A, b), abs=1e-9)
    assert stacked(stack, F[0]) == pytest.approx(stack.w @ F[0])


def test_experts_that_have_lost_more_than_exp_can_say_weigh_nothing():
    """After 25,000 rounds the losses of the worst part and of the best were more than 1,420 apart."""
    learner = small_numbers().start(1)
    for t in range(6):
        learner = learner.update([t % 2], float(t % 2))
    lost = learner.state.relative_losses
    lost[:] = 1e6 * np.arange(len(lost), 0, -1.0)
    learner.predict([1.0])
    assert learner.state.mix.tolist() == [0.0] * (len(lost) - 1) + [1.0]


def test_the_mean_by_likelihoods_has_most_of_the_prior_weight():
    learner = small_numbers().start(1)
    for t in range(9):
        learner = learner.update([math.sin(t)], math.cos(t))
    learner.predict([0.3])
    n, least = mixture_regression.EXPERTS, mixture_regression.LEAST_PRIOR
    prior = np.full(n, 1.0 / least)
    prior[mixture_regression.SHARING] = 1.0 - (n - 1) / least
    assert prior[-1] == 63 / 64
    weights = prior * np.exp(-0.5 * learner.state.relative_losses)
    assert learner.state.mix == pytest.approx(weights / weights.sum(), abs=1e-12)


def test_one_outcome_of_1e12_does_not_ruin_later_predictions():
    """No expert predicts more than 30 spreads from the centre: the value before was wrong by 10^12."""
    learner, errors = small_numbers().start(1), []
    for t in range(120):
        y = 1e12 if t == 60 else math.sin(0.3 * t)
        if t > 60:
            errors.append(abs(learner.predict([math.cos(0.3 * t)]) - y))
        learner = learner.update([math.cos(0.3 * t)], y)
    assert max(errors) < 30.0
    assert np.mean(errors[-20:]) < 10.0


def test_softmin_is_of_losses():
    with pytest.raises(ValueError, match="eta"):
        softmin(np.zeros(2), -0.5, np.zeros(2))


@pytest.mark.parametrize("case", ["far end", "jumps", "rising"])
def test_no_outcome_beats_the_theorem_for_numbers(case):
    learner, seen, rng = small_numbers().start(1), [], np.random.default_rng(4)
    for t in range(60):
        x = [math.sin(t)]
        p = learner.predict(x)
        y = float(rng.normal())
        if case == "far end" and len(seen) > 2:
            y = min(seen) if p > 0.5 * (min(seen) + max(seen)) else max(seen)
        elif case == "jumps":
            y *= 3.0 ** (t // 6)
        elif case == "rising":
            y = float(t)
        if seen:
            assert min(seen) <= p <= max(seen)
        seen.append(y)
        learner.update(x, y)
    state = learner.state
    stats = state.kernel.linear.outer.stats
    B = stats[HIGH] - stats[LOW]
    excess = state.excess.max()
    assert excess <= (0.8 + 0.5 * math.log(mixture_regression.EXPERTS)) * B**2
    assert excess != 0.0


def test_excess_is_what_it_says():
    learner, total, parts = small_numbers().start(1), 0.0, np.zeros(mixture_regression.EXPERTS)
    for t, y in enumerate([2.0, 3.0, 2.5, 7.0, 1.0, 2.0, 6.0, 6.5, 6.0]):
        p = learner.predict([float(t)])
        a = learner.state.predictions.copy()
        total, parts = total + (p - y) ** 2, parts + (a - y) ** 2
        learner.update([float(t)], y)
    assert learner.state.excess == pytest.approx(total - parts, abs=1e-9)


def test_the_value_before_carries_a_random_walk():
    y = np.random.default_rng(5).normal(size=80).cumsum()
    X = rows(80, 1)
    run = ls.play(small_numbers(), X, y)
    alone = ls.play(ls.OnlineKernelRegression(frequencies=1), X, y)
    assert run.certificate.verdict == "kept"
    assert run.loss < 1.1 * alone.loss


def test_auto_is_the_mixture_for_classes_and_for_numbers():
    assert ls.learner("auto").key == "mixture"
    X = rows(6)
    assert ls.play("auto", X, list("aabbab"), certify=False).key == "mixture"
    numbers = [0.5, 1.25, 2.5, 3.75, 4.125, 0.1]
    assert ls.play("auto", X, numbers, certify=False).key == "mixture-regression"


def test_files_hold_the_parts(tmp_path):
    for learner, labels in ((small(), "abbaab"), (small_numbers(), [1.0, 3.0, 2.5, 0.0, 1.0, 2.0])):
        for x, y in zip(rows(6), labels, strict=True):
            learner.update(x, y)
        path = learner.save(tmp_path / f"{learner.key}.ls")
        again = ls.load(path)
        assert again.digest() == learner.digest()
        assert again.kernel.frequencies == 1
        assert again.predict([0.5, 0.5]) == learner.predict([0.5, 0.5])


def test_a_later_class_and_many_features():
    learner = small()
    for x, y in zip(rows(9), "aabbacbca", strict=True):
        learner.update(x, y)
    assert set(learner.predict_proba([0.0, 0.0])) == {"a", "b", "c"}
    wide = small()
    for x, y in zip(rows(3, 600), "aba", strict=True):
        wide.update(x, y)
    assert wide.state.forest_plays == 0
    p = wide.state.part_logs
    assert p[mixture.FOREST].tolist() == p[mixture.KERNEL].tolist()


def test_explain_says_which_part_carried_when():
    y = np.repeat([0, 1, 0, 1, 0], 16)
    explained = ls.play(small(), rows(80), y, certify=False).explain()
    by_name = {p.expert: p for p in explained.parts}
    assert set(by_name) == set(mixture.NAMES)
    assert sum(p.share for p in explained.parts) == pytest.approx(1.0, abs=1e-12)
    assert sum(p.led for p in explained.parts) == pytest.approx(1.0, abs=1e-12)
    carried = explained.parts[0]
    assert carried.expert == "label before"
    assert carried.last - carried.first >= 40
    walk = ls.play(small_numbers(), rows(30, 1), rows(30, 1, 5).cumsum(), certify=False).explain()
    assert {p.expert for p in walk.parts} == set(mixture_regression.NAMES)
    with pytest.raises(ls.errors.LittlestoneError, match="has no experts to explain it by"):
        ls.play("perceptron", rows(6), [1, -1] * 3, certify=False).explain()


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: ls.Mixture(kernel=3), "kernel"),
        (lambda: ls.Mixture(forest=ls.Perceptron()), "forest"),
        (lambda: ls.MixtureRegression(kernel=ls.OnlineKernel()), "kernel"),
    ],
)
def test_a_part_of_another_kind_is_refused(make, field):
    with pytest.raises(BadInput, match=rf"mixture(-regression)?: {field} must be a \w+, such as"):
        make()


def test_a_refitted_model_carries_where_trees_are_right():
    X = rows(130, 3)
    y = (abs(X[:, 0]) > 0.6).astype(int)
    made = ls.Mixture(kernel=SMALL, forest=FEW, boosting=ls.RefittedBoosting(first=50))
    run, never = (ls.play(learner, X, y) for learner in (made, made.replace(boosting=NEVER)))
    assert (run.learner.state.boosting.model.refits, never.learner.state.boosting.model.refits) == (
        2,
        0,
    )
    assert run.certificate.verdict == "kept"
    assert run.loss < never.loss - 5
    assert run.explain().parts[0].expert == "refitted-boosting"


def test_numbers_get_a_refitted_model():
    X = rows(200, 2)
    y = 5.0 * (X[:, 0] > 0) + (X[:, 1] > 0)
    kernel = ls.OnlineKernelRegression(frequencies=1)
    made = ls.MixtureRegression(kernel=kernel, boosting=ls.RefittedBoostingRegression(first=50))
    run = ls.play(made, X, y)
    assert run.learner.state.boosting.model.refits == 2  # that of 200 rows is begun
    assert run.certificate.verdict == "kept"
    assert run.loss < 0.8 * ls.play(kernel, X, y).loss


def test_with_eleven_classes_boosting_leaves():
    """The others go on; live as in a run, and from a file."""
    X, y = rows(60, 2), np.concatenate([np.arange(30) % 10, np.arange(30) % 11])
    names = np.array(list("abcdefghijk"))[y]
    run = ls.play(small(), X, names)
    live = small()
    for t, (x, name) in enumerate(zip(X, names, strict=True)):
        live.update(x, name)
        assert live.state.boosting_plays == int(t < 40)
        if t == 45:
            live = ls.from_bytes(live.to_bytes())
    window = live.state.neighbours.window
    assert (window.seen, live.state.boosting.model.window.seen) == (60, 0)
    assert window.rows[:60].tolist() == X.tolist()
    pairs = zip(kept_leaves(run.learner.state), kept_leaves(live.state), strict=True)
    assert all(same((a,), (b,)) for a, b in pairs)
    spread = live.state.neighbours.features[window_neighbours.SCALE]
    assert spread == pytest.approx(1.0 / X.std(axis=0))


def test_a_wide_table_has_neither_trees_nor_neighbours():
    made = small().start(600, labels=[0, 1])
    for t in range(3):
        made.update(np.eye(600)[t], t % 2)
    assert (made.state.forest_plays, made.state.boosting_plays) == (0, 0)
    assert made.state.boosting.model.window.seen == made.state.neighbours.window.seen == 0
    for part in (mixture.FOREST, mixture.NEIGHBOURS, mixture.BOOSTING):
        assert made.state.part_logs[part] == pytest.approx(made.state.part_logs[mixture.KERNEL])


def test_trees_and_near_rows_carry_numbers_that_jump():
    X = rows(150, 2)
    y = 5.0 * (X[:, 0] > 0) * (X[:, 1] > 0)
    run = ls.play(small_numbers().replace(forest=ls.MondrianForestRegression(trees=2)), X, y)
    assert run.certificate.verdict == "kept"
    assert run.loss < 0.8 * ls.play(ls.OnlineKernelRegression(frequencies=1), X, y).loss
    state = run.learner.state
    assert (state.forest.t, state.nearest.window.seen) == (150, 150)
    run.learner.predict(X[7])
    distances = (((X - X[7]) / X.std(axis=0)) ** 2).sum(axis=1)
    nearest = y[np.argsort(distances)[:5]].mean()
    assert run.learner.state.predictions[mixture_regression.NEAREST] == pytest.approx(nearest)
    wide = small_numbers()
    for t in range(3):
        wide.update(np.eye(600)[t], float(t))
    assert (wide.state.trees_play, wide.state.forest.t, wide.state.nearest.window.seen) == (0, 0, 0)
