"""Finite worlds, exactly: best rules by enumeration, W4, W24, W25, errors and their parts, the two-sample trick."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from littlestone import theory
from littlestone.core.errors import BadInput


def tables(seed, rows=3, columns=3):
    rng = np.random.default_rng(seed)
    w = rng.integers(0, 6, (rows, columns)) + np.eye(rows, columns, dtype=int)
    return [[Fraction(int(v), int(w.sum())) for v in row] for row in w]


@pytest.mark.parametrize("seed", range(5))
def test_no_rule_is_better(seed):
    """T1.3-T1.5: by enumeration, over labels and over a grid of numbers; off the mean the error rises by p(x) h^2."""
    p, values = tables(seed), [0, 1, 3]
    world = theory.World(p, values)
    grid = [Fraction(k, 8) for k in range(25)]
    every = list(itertools.product(values, repeat=3))
    assert world.best("zero-one").error == min(world.risk(f, "zero-one") for f in every)
    assert world.best("absolute").error == min(world.risk(f, "absolute") for f in every)
    for loss in ("square", "absolute"):
        best = world.best(loss)
        for x, v in itertools.product(range(3), grid):
            other = list(best.predictions)
            other[x] = v
            assert world.risk(other, loss) >= best.error
            if loss == "square":
                h = v - best.predictions[x]
                assert world.risk(other, loss) - best.error == sum(p[x]) * h**2


def test_w4_bias_and_variance():
    half = Fraction(1, 2)
    found = theory.bias_variance(
        2, [(1, half), (-1, half)], 3, lambda y: Fraction(4, 5) * Fraction(sum(y), 3)
    )
    assert found == (1, Fraction(4, 25), Fraction(16, 75), Fraction(103, 75))
    assert found.noise + found.bias2 + found.variance == found.total
    lopsided = [(2, Fraction(1, 3)), (-1, Fraction(2, 3))]
    for learner in (max, min, lambda y: Fraction(sum(y), 2) ** 2):
        found = theory.bias_variance(1, lopsided, 2, learner)
        assert found.noise + found.bias2 + found.variance == found.total


def test_w25_no_free_lunch():
    values = {1: Fraction(1, 4), 2: Fraction(9, 32), 3: Fraction(125, 432)}
    for m, average in values.items():

        def remember(seen, m=m):
            return [seen.get(i, 0) for i in range(2 * m)]

        assert (
            theory.no_free_lunch(m, remember).average
            == average
            == (1 - Fraction(1, 2 * m)) ** m / 2
        )
    # all 256 learners for m = 1: a learner answers each of the four samples with one of four labelings
    answers = list(itertools.product((0, 1), repeat=2))
    samples = [(i, v) for i in (0, 1) for v in (0, 1)]
    worst = []
    for choice in itertools.product(answers, repeat=4):
        table = dict(zip(samples, choice, strict=True))
        worst.append(
            theory.no_free_lunch(1, lambda seen, table=table: table[next(iter(seen.items()))]).worst
        )
    assert len(worst) == 256
    assert min(worst) == Fraction(1, 4)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_sets_of_points_stand_for_all_samples(m):
    """A learner that treats points and labels unlike, beside the sum over all labelings and samples one by one."""
    n = 2 * m

    def lopsided(seen):
        return [seen.get(i, (sum(seen.values()) + i) % 2) for i in range(n - 1)] + [1]

    errors = {}
    for labels in itertools.product((0, 1), repeat=n):
        wrong = 0
        for drawn in itertools.product(range(n), repeat=m):
            said = lopsided({i: labels[i] for i in drawn})
            wrong += sum(a != b for a, b in zip(said, labels, strict=True))
        errors[labels] = Fraction(wrong, n * n**m)
    found = theory.no_free_lunch(m, lopsided)
    assert found.average == sum(errors.values()) / len(errors)
    assert found.worst == max(errors.values()) == errors[found.labels]


def test_no_free_lunch_with_five_rows():
    found = theory.no_free_lunch(5, lambda seen: [seen.get(i, 1) for i in range(10)])
    assert found.average == Fraction(9, 10) ** 5 / 2
    assert found.labels == (0,) * 10
    assert found.worst == Fraction(9, 10) ** 5  # a point is right only where it was drawn


def test_the_lower_bound_s_distribution():
    hard = theory.lower_bound_distribution(9, Fraction(1, 10))
    assert sum(hard.chances) == 1
    assert hard.error(hard.rows - 1) >= hard.eps > hard.error(40)
    # what no learner beats, drawn: labels at random where a point was not seen
    wrong = []
    for seed in range(2000):
        labels, points, seen = hard.draw(5, seed)
        said = np.random.default_rng(seed + 10**6).integers(0, 2, 9)
        said[points] = seen
        wrong.append(np.array(hard.chances, float) @ (said != labels))
    assert np.mean(wrong) == pytest.approx(float(hard.error(5)), abs=4 * np.std(wrong) / 2000**0.5)


def test_representative_samples():
    rng = np.random.default_rng(3)
    H, labels = rng.choice([-1, 1], (6, 4)), rng.choice([-1, 1], 4)
    D, eps, m = [Fraction(k, 10) for k in (1, 2, 3, 4)], Fraction(1, 4), 3
    chance = Fraction(0)
    for sample in itertools.product(range(4), repeat=m):
        found = theory.representative(H, D, labels, sample, eps)
        gaps = [
            abs(Fraction(int(off[list(sample)].sum()), m) - sum(D[i] for i in np.flatnonzero(off)))
            for off in labels != H
        ]
        assert found.deviation == max(gaps) == gaps[found.row]
        assert found.holds == (max(gaps) <= eps)
        if found.holds:  # then the minimiser is nearly the best (T-REPRESENTATIVE)
            chosen = theory.erm(H, D, labels, sample)
            assert chosen.estimation <= 2 * eps
            chance += np.prod([D[i] for i in sample])
    assert theory.chance_of_representative(H, D, labels, m, eps) == chance
    bound = 1 - 2 * len(H) * np.exp(-2 * m * float(eps) ** 2)
    assert chance >= bound


def test_empirical_risk_with_noise():
    """The error of a hypothesis is that of its points and of what noise does to their labels."""
    H, D, labels = [[1, 1, -1], [1, -1, -1], [-1, -1, 1]], [Fraction(1, 3)] * 3, [1, -1, -1]
    noise = Fraction(1, 4)
    for row, S in enumerate(H):
        direct = sum(
            p * (noise if s == y else 1 - noise) for p, s, y in zip(D, S, labels, strict=True)
        )
        # outcomes that the hypothesis of this row alone agrees with
        found = theory.erm(H, D, labels, [0, 1, 2], noise=noise, seen=S)
        assert (found.row, found.empirical, found.error) == (row, 0, direct)
        assert found.approximation == noise


def test_w24_nearly_tight():
    table = ((9, 10, 47, 0.062628), (19, 20, 120, 0.039777), (49, 50, 426, 0.008931))
    for N, share, m, value in table:
        eps = Fraction(1, share)
        assert float(theory.unseen_cell(N, eps, m)) == pytest.approx(value, abs=5e-7)
    delta = Fraction(1, 10)
    assert (
        theory.unseen_cell(9, Fraction(1, 10), 43)
        <= delta
        < theory.unseen_cell(9, Fraction(1, 10), 42)
    )


def test_errors_and_their_parts():
    H = theory.thresholds(range(4))
    D, labels = [Fraction(1, 10), Fraction(2, 10), Fraction(3, 10), Fraction(4, 10)], [-1, 1, -1, 1]
    for sample in itertools.product(range(4), repeat=2):
        found = theory.erm(H, D, labels, sample)
        assert found.error == found.approximation + found.estimation  # T7.20
        assert found.approximation == Fraction(2, 10)
        others = [theory.erm(H, D, labels, sample, ties).error for ties in ("first", "last")]
        assert found.error >= max(others)
        # T7.17: an eps-representative sample makes the choice 2 eps good
        off = np.asarray(H) != labels
        true = [sum((D[i] for i in np.flatnonzero(row)), Fraction(0)) for row in off]
        seen = [Fraction(int(row[list(sample)].sum()), 2) for row in off]
        eps = max(abs(a - b) for a, b in zip(true, seen, strict=True))
        assert found.estimation <= 2 * eps


def test_two_samples():
    """T7.13 holds for m >= 1/eps, and E80: not without that."""
    for eps in (Fraction(1, 4), Fraction(1, 10), Fraction(1, 20)):
        for m in (int(1 / eps), int(2 / eps), int(5 / eps)):
            for error in (eps, 2 * eps, Fraction(1, 2), Fraction(9, 10)):
                left, right = theory.two_samples(error, eps, m)
                assert left <= right
    left, right = theory.two_samples(Fraction(11, 100), Fraction(1, 10), 1)
    assert left > right


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: theory.World([[0.5, 0.6]], [0, 1]), "add up to 1.1, not to 1"),
        (lambda: theory.World([[-0.5, 1.5]], [0, 1]), "p of row 1, column 1 is -0.5"),
        (lambda: theory.World([[1.0]], [0, 1]), "must have 2 probabilities"),
        (
            lambda: theory.World([[1.0]], [0]).best("hinge"),
            "loss must be one of square, absolute, zero-one",
        ),
        (lambda: theory.World([[1.0]], [0]).risk([1, 2]), "each of the 1 x, not 2"),
        (lambda: theory.bias_variance(0, [(1, 1.0)], 2, max), "mean 0"),
        (lambda: theory.bias_variance(0, [(1, 0.5), (-1, 0.5)], 40, max), "too many"),
        (lambda: theory.erm([[1, -1]], [0.5, 0.5], [1, 0], [0]), "one entry a point, 2"),
        (lambda: theory.erm([[1, -1]], [0.5, 0.5], [1, 1], [2]), "0 to 1"),
        (lambda: theory.erm([[1, -1]], [0.5, 0.5], [1, 1], [0], "any"), "worst, first, last"),
        (lambda: theory.no_free_lunch(9, dict), "too many to go through"),
        (lambda: theory.no_free_lunch(1, lambda seen: [0]), "must label all 2 points"),
        (lambda: theory.lower_bound_distribution(1, 0.1), "d must be a whole number, 2 or more"),
        (lambda: theory.lower_bound_distribution(3, 0.3), "above 0 and at most 1/4, not 0.3"),
        (lambda: theory.representative([[1]], [1], [1], [1], 0.1), "numbers of points, 0 to 0"),
        (lambda: theory.representative([[1]], [0.5], [1], [0], 0.1), "add up to 1, not to 0.5"),
        (
            lambda: theory.chance_of_representative([[1, 1]], [0.5, 0.5], [1, 1], 0, 0.1),
            "m = 0 has 0 samples",
        ),
        (lambda: theory.erm([[1]], [1], [1], [0], noise=0.7), "a chance from 0 to 1/2, not 0.7"),
        (lambda: theory.erm([[1]], [1], [1], [0], seen=[0]), "an outcome, -1 or 1, for each"),
        (lambda: theory.unseen_cell(9, 0.2, 3), "must have a total"),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(BadInput, match=says):
        call()
