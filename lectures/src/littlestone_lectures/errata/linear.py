"""Errata about perceptrons and gradient descent on a margin."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import Any

from littlestone.falsify.erratum import Erratum

Vector = tuple[int, ...]
Round = tuple[Vector, int]  # an example and its label, -1 or +1
GRID = (-1, 0, 1)


def inner(a: Any, b: Any) -> float:
    return float(sum(x * y for x, y in zip(a, b, strict=True)))


def perceptron(
    rounds: tuple[Round, ...], wrong: Callable[[float, int], bool]
) -> tuple[int, list[Any]]:
    """The number of rounds with y <w, x> <= 0, and all weights; w += y x where `wrong` says so."""
    w: Any = (0,) * len(rounds[0][0])
    mistakes, path = 0, [w]
    for x, y in rounds:
        score = inner(w, x)
        mistakes += y * score <= 0
        if wrong(score, y):
            w = tuple(a + y * b for a, b in zip(w, x, strict=True))
        path.append(w)
    return mistakes, path


def separable(cells: int) -> Iterator[tuple[tuple[Round, ...], Vector]]:
    """T examples in {-1, 0, 1}^d and labels, d T = cells, d <= 3, with a u in {-1, 0, 1}^d of margin >= 1."""
    for d in range(1, min(cells, 3) + 1):
        if cells % d:
            continue
        for flat in product(GRID, repeat=cells):
            xs = [tuple(flat[t * d : (t + 1) * d]) for t in range(cells // d)]
            for u in product(GRID, repeat=d):
                scores = [inner(u, x) for x in xs]
                if all(abs(s) >= 1 for s in scores):
                    yield tuple((x, 1 if s > 0 else -1) for x, s in zip(xs, scores, strict=True)), u


def novikoff(i: tuple[tuple[Round, ...], Vector]) -> float:
    rounds, u = i
    return max(inner(x, x) for x, _ in rounds) * inner(u, u)


def in_words(i: Any) -> str:
    rounds, u = i
    return f"{', '.join(f'x = {x}, y = {y:+d}' for x, y in rounds)}; u = {u}"


SPACE = "T examples in {-1, 0, 1}^d with labels that some u in {-1, 0, 1}^d gives them with margin 1, d <= 3, by d T"
NEQ = Erratum(
    "E-NEQ",
    "the perceptron that updates where its label equals the outcome errs at most R^2 |u|^2 times",
    lambda i: (perceptron(i[0], lambda s, y: y * s > 0)[0], novikoff(i)),
    "the one that updates where they differ (a score of 0 counts as an error)",
    lambda i: (perceptron(i[0], lambda s, y: y * s <= 0)[0], novikoff(i)),
    SPACE,
    separable,
    tuple(range(1, 9)),
    show=in_words,
    short=6,
)
PERC_SGD = Erratum(
    "E-PERC-SGD",
    "gradient descent on max(0, -y <w, x>) that keeps w where y <w, x> = 0, from w = 0, errs at most R^2 |u|^2 times",
    lambda i: (perceptron(i[0], lambda s, y: y * s < 0)[0], novikoff(i)),
    "the one that moves there, too",
    lambda i: (perceptron(i[0], lambda s, y: y * s <= 0)[0], novikoff(i)),
    SPACE,
    separable,
    tuple(range(1, 9)),
    show=in_words,
    short=6,
)


def shortest_step(i: Any) -> tuple[float, float]:
    """The first |w|^2 that an update does not raise, and |w|^2 after it; (0, 0) where every update raises it."""
    _, path = perceptron(i[0], lambda s, y: y * s <= 0)
    for a, b in pairwise(path):
        if inner(b, b) < inner(a, a):
            return inner(a, a), inner(b, b)
    return 0.0, 0.0


def lower(i: Any) -> tuple[float, float]:
    """M - <w, u>: the lower bound on <w, u> grows by 1 with every update."""
    mistakes, path = perceptron(i[0], lambda s, y: y * s <= 0)
    return mistakes, inner(path[-1], i[1])


NORM_GROWS = Erratum(
    "E-NORM-GROWS",
    "each update of the perceptron makes |w| larger",
    shortest_step,
    "each update makes <w, u> larger by 1 at least",
    lower,
    SPACE,
    separable,
    tuple(range(1, 9)),
    show=in_words,
    short=6,
)


def spread(d: int) -> Iterator[tuple[int, int]]:
    """e_1, ..., e_d, all with one label, and the label that a score of 0 has."""
    for label in (1, -1):
        for zero in (-1, 1):
            yield d * label, zero


def orthonormal(i: tuple[int, int]) -> int:
    d, label, zero = abs(i[0]), (1 if i[0] > 0 else -1), i[1]
    w, mistakes = [0] * d, 0
    for j in range(d):
        guess = (w[j] > 0) - (w[j] < 0) or zero
        if guess != label:
            w[j] += label
            mistakes += 1
    return mistakes


PERC_TIGHT = Erratum(
    "E-PERC-TIGHT",
    "on e_1, ..., e_d with one label the perceptron errs R^2 |u|^2 = d times, however sign(0) is read (E-SIGN0)",
    lambda i: (float(abs(i[0])), float(orthonormal(i))),
    "it does where the label is not what sign(0) is read as, and errs at most d times in any case",
    lambda i: (orthonormal(i), abs(i[0]) * float((i[0] > 0) != (i[1] > 0))),
    "d, the label, and the label that a score of 0 has",
    spread,
    tuple(range(1, 41)),
    show=lambda i: f"d = {abs(i[0])}, labels {'+1' if i[0] > 0 else '-1'}, sign(0) = {i[1]:+d}",
)

# Data that no line separates.


def alternating(T: int) -> Iterator[tuple[float, tuple[int, ...], float]]:
    """One feature, always s; T labels; and rho in units of s, for v = 1."""
    for s in (1.0, 0.5, 0.2, 0.1, 0.05, 0.01):
        for y in product((1, -1), repeat=T):
            for rho in (1.0, 0.5, 2.0):
                yield s, y, rho * s


def inseparable(i: Any) -> tuple[int, float]:
    s, y, rho = i
    w, mistakes = 0.0, 0
    for label in y:
        if label * w * s <= 0:
            w += label * s
            mistakes += 1
    return mistakes, sum(max(0.0, rho - label * s) ** 2 for label in y)


def delta_printed(i: Any) -> tuple[float, float]:
    mistakes, squares = inseparable(i)
    return mistakes, (i[0] + squares) ** 2 / i[2] ** 2


def delta_right(i: Any) -> tuple[float, float]:
    mistakes, squares = inseparable(i)
    return mistakes, (i[0] + math.sqrt(squares)) ** 2 / i[2] ** 2


DELTA = Erratum(
    "E-DELTA",
    "on any data the perceptron errs at most (R + delta)^2 / rho^2 times, delta = sum_t d_t^2",
    delta_printed,
    "with delta = sqrt(sum_t d_t^2)",
    delta_right,
    "one feature that is always s, in {1, 1/2, 1/5, 1/10, 1/20, 1/100}; T labels; v = 1 and rho in {s/2, s, 2s}",
    alternating,
    tuple(range(1, 12)),
    show=lambda i: f"x = {i[0]}, labels {i[1]}, rho = {i[2]:g}",
    short=8,
)

# Gradient descent on the hinge loss.


def hinge(m: int) -> Iterator[tuple[tuple[int, ...], float, float]]:
    """Labels of m rounds with x = 1; U; u in units of U."""
    for y in product((1, -1), repeat=m):
        for U in (1.0, 0.5):
            for far in (1.0, -1.0, 2.0, 3.0):
                yield y, U, far * U


def hinge_regret(y: tuple[int, ...], U: float, u: float) -> float:
    eta, w, total = U / math.sqrt(len(y)), 0.0, 0.0
    for label in y:
        total += max(0.0, 1 - label * w) - max(0.0, 1 - label * u)
        w += eta * label if label * w < 1 else 0.0
    return total


OGD_ANYU = Erratum(
    "E-OGD-ANYU",
    "hinge-loss gradient descent at eta = U / (R sqrt m): regret to any u at most U R sqrt m",
    lambda i: (hinge_regret(*i), i[1] * math.sqrt(len(i[0]))),
    "to any u with |u| <= U",
    lambda i: (
        hinge_regret(*i),
        i[1] * math.sqrt(len(i[0])) if abs(i[2]) <= i[1] else math.inf,
    ),
    "m rounds with x = 1, every sequence of labels, U in {1/2, 1}, u in {-U, U, 2U, 3U}",
    hinge,
    tuple(range(1, 11)),
    show=lambda i: f"labels {i[0]}, U = {i[1]}, u = {i[2]}",
    short=8,
)


def steps(size: int) -> Iterator[tuple[float, float, int, float]]:
    """w, x, y, lambda on a grid."""
    for w in range(-size, size + 1):
        for x in range(1, size + 1):
            for y in (1, -1):
                for inverse in range(1, size + 1):
                    yield w / 2, x / 2, y, 1 / (2 * inverse)


def objective(v: float, i: Any) -> float:
    w, x, y, lam = i
    return float(max(0.0, 1 - y * v * x) + lam * (v - w) ** 2)


def least(i: Any) -> float:
    """The minimum of a convex function of one number, by thirds."""
    low, high = -100.0, 100.0
    for _ in range(200):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if objective(a, i) < objective(b, i) else (a, high)
    return objective(low, i)


def explicit(i: Any) -> float:
    w, x, y, lam = i
    return float(w if y * w * x >= 1 else w + y * x / (2 * lam))


def implicit(i: Any) -> float:
    w, x, y, lam = i
    return float(w if y * w * x >= 1 else w + min(1 / (2 * lam), (1 - y * w * x) / x**2) * y * x)


PROX = Erratum(
    "E-PROX",
    "the minimiser of hinge(w) + lambda |w - w_t|^2 is w_t + y x / (2 lambda) where y w_t x < 1",
    lambda i: (objective(explicit(i), i), least(i)),
    "it is w_t + tau y x, tau = min(1 / (2 lambda), (1 - y w_t x) / |x|^2)",
    lambda i: (objective(implicit(i), i), least(i)),
    "w and x in halves, y, lambda in {1/2, 1/4, 1/6, ...}",
    steps,
    (1, 2, 3, 4, 5),
    show=lambda i: f"w = {i[0]}, x = {i[1]}, y = {i[2]:+d}, lambda = {i[3]:g}",
    short=4,
)

# Randomised gradient descent with a kernel that is 1 everywhere: h = 1 interpolates the labels.


def tunings(T: int) -> Iterator[tuple[int, float]]:
    for U in (1.0, 0.5, 0.25, 2.0):
        yield T, U


def expected_mistakes(i: tuple[int, float]) -> float:
    T, U = i
    gamma, score, total = U / math.sqrt(T), 0.0, 0.0
    for _ in range(T):
        total += min(1.0, max(0.0, (1 - score) / 2))
        score += gamma if score <= 1 else 0.0
    return total


KOGD_TUNE = Erratum(
    "E-KOGD-TUNE",
    "randomised kernel gradient descent: expected mistakes <= |h| X sqrt(T) / 2, whatever its rate U / (X sqrt T)",
    lambda i: (expected_mistakes(i), 0.5 * math.sqrt(i[0])),
    "<= U X sqrt(T) / 2 for U >= |h|",
    lambda i: (expected_mistakes(i), 0.5 * i[1] * math.sqrt(i[0]) if i[1] >= 1 else math.inf),
    "T rounds, the kernel 1, labels +1, so that |h| = 1; U in {1/4, 1/2, 1, 2}",
    tunings,
    tuple(range(1, 201)),
    show=lambda i: f"T = {i[0]}, U = {i[1]}",
)

ERRATA = (NEQ, PERC_SGD, NORM_GROWS, PERC_TIGHT, DELTA, OGD_ANYU, PROX, KOGD_TUNE)
