"""Learning on finite distributions, computed exactly: best rules, risks, bias and variance, errors and their parts.

Probabilities may be fractions, and then every answer is one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..experts.mistake_trees import sign_matrix

LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "square": lambda y, f: (y - f) ** 2,
    "absolute": lambda y, f: abs(y - f),
    "zero-one": lambda y, f: int(y != f),
}
MOST = 2_000_000  # at most so many outcomes are gone through


class BestRule(NamedTuple):
    """The best prediction for each x, and the expected loss of these: no rule has less."""

    predictions: list[Any]
    error: Any


class World:
    """A joint distribution of x and y: `p[x][y]`, a row an x, and the values of y, one a column.

    >>> coin = World([[Fraction(3, 8), Fraction(1, 8)], [Fraction(1, 8), Fraction(3, 8)]], [0, 1])
    >>> coin.best("zero-one")
    BestRule(predictions=[0, 1], error=Fraction(1, 4))
    >>> coin.best("square").error, coin.risk([0, 0], "zero-one")
    (Fraction(3, 16), Fraction(1, 2))

    Ledger: A-WORLD; A1.8, A1.9, T1.3-T1.5.
    """

    def __init__(self, p: Any, values: Sequence[Any]) -> None:
        self.p = [list(row) for row in p]
        self.values = list(values)
        if not self.p or any(len(row) != len(self.values) for row in self.p):
            raise BadInput(
                f"World: each row of p must have {len(self.values)} probabilities, one a value of y"
            )
        for i, row in enumerate(self.p):
            for j, v in enumerate(row):
                if not v >= 0:
                    raise BadInput(
                        f"World: p of row {i + 1}, column {j + 1} is {v}; it must be 0 or more"
                    )
        total = sum(map(sum, self.p))
        if abs(total - 1) > 1e-9:
            raise BadInput(f"World: the probabilities add up to {total}, not to 1")

    def best(self, loss: str = "zero-one") -> BestRule:
        """The conditional mean, a conditional median (the least), or a most frequent value (the first)."""
        check(loss)
        said = [self.at(row, loss) for row in self.p]
        return BestRule(said, self.risk(said, loss))

    def at(self, row: list[Any], loss: str) -> Any:
        mass = sum(row)
        if mass == 0:
            return self.values[0]
        if loss == "zero-one":
            return self.values[max(range(len(row)), key=lambda j: row[j])]
        if loss == "square":
            return sum(q * v for q, v in zip(row, self.values, strict=True)) / mass
        so_far: Any = 0
        for v, q in sorted(zip(self.values, row, strict=True)):
            so_far += q
            if 2 * so_far >= mass:
                return v
        return self.values[-1]

    def risk(self, predictions: Sequence[Any], loss: str = "zero-one") -> Any:
        """The expected loss of the rule that predicts predictions[x]."""
        V = check(loss)
        if len(predictions) != len(self.p):
            raise BadInput(
                f"World: give a prediction for each of the {len(self.p)} x, not {len(predictions)}"
            )
        pairs = zip(self.p, predictions, strict=True)
        return sum(q * V(v, f) for row, f in pairs for q, v in zip(row, self.values, strict=True))


class Parts(NamedTuple):
    """An expected square error, and its three parts: noise, bias and variance."""

    noise: Any
    bias2: Any
    variance: Any
    total: Any  # computed directly, over all outcomes


def bias_variance(
    target: Any,
    noise: Sequence[tuple[Any, Any]],
    rows: int,
    learner: Callable[[tuple[Any, ...]], Any],
) -> Parts:
    """The expected square error of a learner at a point, over all samples of `rows` observations there.

    target   what is observed is target + noise
    noise    pairs (value, probability), with mean 0
    learner  a function of the observations

    >>> half = Fraction(1, 2)
    >>> found = bias_variance(
    ...     2, [(1, half), (-1, half)], 3, lambda y: Fraction(4, 5) * Fraction(sum(y), 3)
    ... )
    >>> [round(float(v), 5) for v in found]
    [1.0, 0.16, 0.21333, 1.37333]

    Ledger: A-BIAS-VARIANCE; A1.10, T1.7.
    """
    if abs(sum(v * q for v, q in noise)) > 1e-12:
        raise BadInput("bias_variance: the noise must have mean 0")
    if len(noise) ** (rows + 1) > MOST:
        raise BadInput(
            f"bias_variance: {len(noise) ** (rows + 1):,} outcomes are too many: take fewer rows"
        )
    said: list[tuple[Any, Any]] = []
    for outcome in itertools.product(noise, repeat=rows):
        chance: Any = 1
        for _, q in outcome:
            chance = chance * q
        said.append((learner(tuple(target + v for v, _ in outcome)), chance))
    mean = sum(a * q for a, q in said)
    total = sum(q * r * (target + v - a) ** 2 for a, q in said for v, r in noise)
    return Parts(
        sum(v * v * q for v, q in noise), (target - mean) ** 2,
        sum(q * (a - mean) ** 2 for a, q in said), total,
    )  # fmt: skip


class Chosen(NamedTuple):
    """The hypothesis of least empirical error that was chosen, and the parts of its true error."""

    row: int
    empirical: Any
    error: Any
    approximation: Any  # the least error of the class
    estimation: Any  # what the choice adds to it
    tied: tuple[int, ...]  # all hypotheses of least empirical error


def erm(
    H: Any,
    D: Sequence[Any],
    labels: Sequence[int],
    sample: Sequence[int],
    ties: str = "worst",
    *,
    noise: Any = 0,
    seen: Sequence[int] | None = None,
) -> Chosen:
    """Empirical risk minimisation over a sign matrix: H has a hypothesis a row, D the chances of the points.

    labels  -1 or 1 for each point
    sample  the numbers of the points that were drawn
    ties    "worst": the minimiser with the largest true error, which bounds have to allow for; "first"; "last"
    noise   the chance that an outcome is not the label of its point, at most 1/2; errors count against outcomes
    seen    the outcomes of the sample, -1 or 1, where noise may have changed them; left out, the labels of its points

    >>> D = [Fraction(1, 4)] * 4
    >>> found = erm([[1, 1, 1, 1], [1, -1, -1, -1]], D, [1, 1, 1, -1], [0])
    >>> found.row, found.empirical, found.error, found.approximation, found.tied
    (1, Fraction(0, 1), Fraction(1, 2), Fraction(1, 4), (0, 1))

    With noise p a hypothesis that errs on a share e of the points has the error p + (1 - 2p) e:

    >>> noisy = erm(
    ...     [[1, 1, 1, 1], [1, -1, -1, -1]],
    ...     D,
    ...     [1, 1, 1, -1],
    ...     [0, 1],
    ...     noise=Fraction(1, 5),
    ...     seen=[1, -1],
    ... )
    >>> noisy.row, noisy.empirical, noisy.error, noisy.approximation
    (1, Fraction(0, 1), Fraction(1, 2), Fraction(7, 20))

    Ledger: A-ERM; A1.11, A7.5, A7.11, T7.20.
    """
    if ties not in ("worst", "first", "last"):
        raise BadInput(f"erm: ties must be one of worst, first, last, not {ties!r}")
    S = np.where(sign_matrix("erm", H), 1, -1)
    if len(D) != S.shape[1] or len(labels) != S.shape[1] or not set(labels) <= {-1, 1}:
        raise BadInput(f"erm: D and labels (-1 or 1) must have one entry a point, {S.shape[1]}")
    if not len(sample) or not all(0 <= i < S.shape[1] for i in sample):
        raise BadInput(
            f"erm: sample must hold numbers of points, 0 to {S.shape[1] - 1}, not {sample!r:.60}"
        )
    if not 0 <= noise <= Fraction(1, 2):
        raise BadInput(f"erm: noise must be a chance from 0 to 1/2, not {noise!r}")
    outcomes = np.asarray(labels)[list(sample)] if seen is None else np.asarray(seen)
    if len(outcomes) != len(sample) or not set(outcomes.tolist()) <= {-1, 1}:
        raise BadInput(
            f"erm: seen must have an outcome, -1 or 1, for each of the {len(sample)} draws"
        )
    errors = true_errors(S, D, labels, noise)
    wrong = (S[:, list(sample)] != outcomes).sum(axis=1)
    shares = [Fraction(int(k), len(sample)) for k in wrong]
    tied = [h for h, v in enumerate(shares) if v == min(shares)]
    row = {"worst": max(tied, key=lambda h: errors[h]), "first": tied[0], "last": tied[-1]}[ties]
    least = min(errors)
    return Chosen(row, shares[row], errors[row], least, errors[row] - least, tuple(tied))


def true_errors(S: Any, D: Sequence[Any], labels: Sequence[int], noise: Any = 0) -> list[Any]:
    """The chance that each hypothesis is not the outcome, which is the label of its point but for the noise."""
    off = np.asarray(labels) != S
    each = [sum((D[int(i)] for i in np.flatnonzero(row)), 0 * D[0]) for row in off]
    return [noise + (1 - 2 * noise) * e for e in each]


def unseen_cell(cells: int, mass: Any, m: int) -> Any:
    """The chance that m draws miss one of so many disjoint cells of this mass each: where PAC bounds are nearly tight.

    >>> round(float(unseen_cell(9, Fraction(1, 10), 47)), 6)
    0.062628

    Ledger: A-CELLS; T7.6, W24.
    """
    if not 0 < mass * cells <= 1:
        raise BadInput(f"unseen_cell: {cells} cells of mass {mass} must have a total in (0, 1]")
    from math import comb

    return sum((-1) ** (k + 1) * comb(cells, k) * (1 - k * mass) ** m for k in range(1, cells + 1))


def two_samples(error: Any, eps: Any, m: int) -> tuple[Any, Any]:
    """For one hypothesis of this error: P(no error on S), and 2 P(no error on S, at least eps/2 on a second sample).

    The first is at most the second if m >= 1/eps and error >= eps (T-TWO-SAMPLES), and not always else:

    >>> [float(v) for v in two_samples(Fraction(11, 100), Fraction(1, 10), 1)]
    [0.89, 0.1958]

    Ledger: A-TWO-SAMPLES; A7.13, T7.13 (E80).
    """
    from math import comb

    need = -((-eps * m) // 2)  # the least whole number that is eps m / 2 or more
    tail = sum(comb(m, k) * error**k * (1 - error) ** (m - k) for k in range(int(need), m + 1))
    clean = (1 - error) ** m
    return clean, 2 * clean * tail


def check(loss: str) -> Callable[[Any, Any], Any]:
    if loss not in LOSSES:
        raise BadInput(f"loss must be one of {', '.join(LOSSES)}, not {loss!r}")
    return LOSSES[loss]
