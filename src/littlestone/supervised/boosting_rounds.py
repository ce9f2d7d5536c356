"""What boosting did, round by round, and the theorems about it.

D_1 = 1/m
each round:  h_t = a hypothesis with a small error  e_t = D_t(h_t(x) != y)
             a_t = ln((1 - e_t) / e_t) / 2
             D_{t+1}(i) = D_t(i) exp(-a_t y_i h_t(x_i)) / Z_t,  Z_t = 2 sqrt(e_t (1 - e_t))
predict the sign of  f = sum_t a_t h_t
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.guarantee import Certificate, Guarantee, Symbols, Verdict, judge
from ..core.stream import Array
from .stumps import TIE

TRAINING = Guarantee(
    "T-BOOST-TRAINING", "the training error of AdaBoost",
    "rows with y f(x) <= 0, out of m, are at most m prod_t Z_t = sum_i exp(-y_i f(x_i)), Z_t = 2 sqrt(e_t (1 - e_t)); "
    "with the edges g_t = 1/2 - e_t that is at most m exp(-2 sum_t g_t^2)",
    "Freund & Schapire 1997; lectures on supervised learning, 4",
    lambda s: s.T * s.product, against="none", measures="mistakes", uses=("T", "product"),
)  # fmt: skip
MARGINS = Guarantee(
    "T-BOOST-MARGINS", "the margins of AdaBoost",
    "for every theta, rows with margin y f(x) / sum_t a_t at most theta, out of m, are at most "
    "m prod_t 2 sqrt(e_t^(1 - theta) (1 - e_t)^(1 + theta))",
    "Schapire, Freund, Bartlett & Lee 1998; lectures on supervised learning, 4",
    lambda s: s.T * s.product, against="none", measures="mistakes", uses=("T", "product", "theta"),
)  # fmt: skip


@dataclass
class Rounds:
    """The rounds of boosting, without the hypotheses: arrays have one entry for each round."""

    errors: Array  # e_t, the weighted error of h_t
    training: Array  # the share of rows, by their first weights, with y f(x) <= 0
    least: Array  # the smallest margin of a row
    weights: Array  # D after the last round: the weight of each row
    perfect: bool = False  # the last hypothesis makes no error: it is the whole model

    def __len__(self) -> int:
        return len(self.errors)

    @property
    def alphas(self) -> Array:
        """The weight of each hypothesis; 1 and zeros before it where the last is perfect (E-BOOST-ZERO)."""
        if self.perfect:
            last: Array = np.eye(len(self.errors))[-1]
            return last
        found: Array = 0.5 * np.log((1.0 - self.errors) / self.errors)
        return found

    @property
    def log_bounds(self) -> Array:
        """ln of prod Z up to each round; -inf where a hypothesis is perfect."""
        with np.errstate(divide="ignore"):
            found: Array = np.cumsum(0.5 * np.log(4.0 * self.errors * (1.0 - self.errors)))
        return found

    @property
    def bounds(self) -> Array:
        """prod Z up to each round: the training error is at most that."""
        return np.exp(self.log_bounds)

    @property
    def edge_bounds(self) -> Array:
        """exp(-2 sum g^2) up to each round, for the edges g = 1/2 - e: prod Z is at most that."""
        found: Array = np.exp(-2.0 * np.cumsum((0.5 - self.errors) ** 2))
        return found

    def margin_bound(self, theta: Any) -> Any:
        """The largest share of rows that may have a margin of at most theta, after the last round."""
        if self.perfect:
            return np.where(np.asarray(theta) < 1.0, 0.0, 1.0)
        e = self.errors
        low, high = np.log(e).sum(), np.log1p(-e).sum()
        return np.exp(len(e) * np.log(2.0) + 0.5 * ((1.0 - theta) * low + (1.0 + theta) * high))


def boosted(
    weak: Callable[[Any], tuple[Any, Array]], y: Array, D: Array, rounds: int
) -> tuple[list[Any], Rounds]:
    """AdaBoost with any weak learner: `weak(D)` gives a hypothesis and its labels -1, 1 on the rows.

    It ends before a round whose hypothesis has no edge, and after one whose hypothesis makes no error.
    """
    D, first = D.copy(), D.copy()
    F, mass = np.zeros(len(y)), 0.0
    found: list[Any] = []
    errors, training, least = [], [], []
    perfect = False
    for _ in range(rounds):
        h, labels = weak(D)
        off = labels != y
        bad, good = float(D[off].sum()), float(D[~off].sum())
        if good - bad <= TIE * (good + bad):
            break
        found.append(h)
        errors.append(bad / (bad + good))
        if bad == 0.0:
            perfect = True
            training.append(0.0)
            least.append(1.0)
            break
        alpha = 0.5 * np.log(good / bad)
        F, mass = F + alpha * labels, mass + alpha
        D = D * np.where(off, 0.5 / bad, 0.5 / good)
        margin = y * F
        training.append(float(first[margin <= 0.0].sum()))
        least.append(float(margin.min()) / mass)
    done = np.array(errors), np.array(training), np.array(least)
    return found, Rounds(*done, D, perfect)


def certificate(rounds: Rounds, margins: Array, first: Array) -> Certificate:
    """The verdicts on both theorems, from the margins and the first weights of the rows that were boosted."""
    m = len(margins)
    if not len(rounds):
        return Certificate([], ["no hypothesis has an edge, so nothing was boosted"])
    order = np.argsort(margins, kind="stable")
    share = np.cumsum(first[order])  # of rows with a margin of at most this one
    theta = margins[order]
    last = np.append(theta[1:] > theta[:-1], True)
    theta, share = theta[last], np.minimum(share[last], 1.0)
    bound = rounds.margin_bound(theta)
    worst = int(np.argmax(share - bound))
    trained = Symbols(
        T=m, mistakes=m * float(rounds.training[-1]), product=float(rounds.bounds[-1])
    )
    spread = Symbols(
        T=m, mistakes=m * float(share[worst]), product=float(bound[worst]), theta=theta
    )
    found = [judged(TRAINING, trained), judged(MARGINS, spread)]
    found[1].comparator = f"rows with margin at most {theta[worst]:.4g}, where it is closest"
    found[0].comparator = f"rows with y f(x) <= 0, after {len(rounds):,} rounds"
    return Certificate(found)


def judged(g: Guarantee, s: Symbols) -> Verdict:
    return judge(g, None, [s], float(s.mistakes))
