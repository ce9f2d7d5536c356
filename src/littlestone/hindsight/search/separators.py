"""The linear separator of largest margin (the hard-margin machine), or a reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.stream import Array
from littlestone.hindsight.folds.mixtures import least
from littlestone.hindsight.search.best_linear import prepare_examples
from littlestone.hindsight.search.clock import Clock
from littlestone.hindsight.search.design import Design

ZERO = 1e-7  # a convex combination of the examples that is so short, relative to them, counts as 0
EPS = float(np.finfo(float).eps)
ROOM = 2000  # examples that are looked at together


@dataclass(frozen=True)
class Separator:
    """What is known about separators of labelled examples.

    separable is True (u is one), False (`weights` of `rows` say why not), or None: neither was found
    with the work allowed. No separator has a margin above `most`; u has the margin `margin`.
    """

    separable: bool | None
    u: Array | None  # y u . x >= 1 in every round
    margin: float  # 1 / |u|; 0 where there is no u
    most: float  # |sum of weights y x|, a convex combination: no margin is larger
    R: float  # the length of the longest example
    rows: NDArray[np.intp]
    weights: Array

    @property
    def gap(self) -> float:
        """How much larger the largest margin may be."""
        return self.most - self.margin

    @property
    def mistakes(self) -> float:
        """R^2 |u|^2: no perceptron makes more updates (T-PERC)."""
        return (self.R / self.margin) ** 2 if self.margin else np.inf


def hard_margin(
    X: Any,
    y: Any,
    *,
    intercept: bool = False,
    width: int = 0,
    tolerance: float = 1e-4,
    seconds: float = 10.0,
    clock: Clock | None = None,
) -> Separator:
    """The shortest u with y_t u . x_t >= 1 in every round, or a reason why there is none.

        S = a few examples
        repeat:  w = the shortest convex combination of y_t x_t, t in S
                 S = those that w is made of, and those with the least y_t w . x_t
        until    every y_t w . x_t >= (1 - tolerance) |w|^2:  u = w / min_t y_t w . x_t
        or       w is almost 0:  no direction is right about all of S

    Both answers certify themselves: u is checked against every example (and made longer by what
    rounding may hide), and a convex combination of length m rules out every margin above m. The
    first search measures features by their typical size, which changes no answer but "how far";
    the second, where there is a separator, finds the largest margin. Rounds with y = NaN are left out.
    It stops after the work of so many nominal `seconds`, which `clock` counts, if one is given (see Clock).

    The two examples allow the margin 1, with u = (1, 0); a third, opposite to the first, allows none:

    >>> found = hard_margin([[1.0, 1.0], [-1.0, 1.0]], [1.0, -1.0])
    >>> found.separable, found.u.round(6).tolist(), round(found.margin, 6)
    (True, [1.0, 0.0], 1.0)
    >>> hard_margin([[1.0, 1.0], [-1.0, 1.0], [1.0, 1.0]], [1.0, -1.0, -1.0]).separable
    False

    Novikoff (1962); Wolfe (1976); Boser, Guyon and Vapnik (1992). Ledger: T-PERC.
    """
    D, terms = prepare_examples(X, y, "hinge", None, intercept, width)
    D.clock = D.clock if clock is None else clock
    norms2 = D.norms2()
    R = float(np.sqrt(norms2.max(initial=0.0)))
    no_rows = np.empty(0, np.intp)
    if D.T == 0:
        return Separator(True, np.zeros(D.d), np.inf, np.inf, R, no_rows, np.empty(0))
    if norms2.min() == 0.0:  # every u scores 0 on an example of length 0: none has it right
        return Separator(False, None, 0.0, 0.0, R, norms2.argsort()[:1], np.ones(1))
    deadline = D.clock.now + seconds
    typical = 1.0 / D.typical()
    easy = typical.max() <= 1e3 * typical.min()
    search = Margin(D, terms.y, np.ones(D.d) if easy else typical, deadline)
    search.run(no_rows, tolerance if easy else 0.5)
    if not easy and search.u is not None:
        u, rows = search.u, search.rows
        search = Margin(D, terms.y, np.ones(D.d), deadline)
        search.keep(u)
        search.run(rows, tolerance)
    combination = D.some(search.rows).adjoint(search.weights * terms.y[search.rows])
    most = float(np.linalg.norm(combination))
    if search.u is None:
        return Separator(
            False if search.none else None, None, 0.0, most, R, search.rows, search.weights
        )
    margin = 1.0 / float(np.linalg.norm(search.u))
    return Separator(True, search.u, margin, max(most, margin), R, search.rows, search.weights)


class Margin:
    """The search for the shortest convex combination of y_t x_t, with features in given units."""

    def __init__(self, D: Design, y: Array, unit: Array, deadline: float) -> None:
        self.D, self.y, self.deadline = D.scaled(unit), y, deadline
        self.u: Array | None = None  # in the examples' own units
        self.none = False
        self.rows: NDArray[np.intp] = np.empty(0, np.intp)
        self.weights: Array = np.empty(0)

    def run(self, rows: NDArray[np.intp], tolerance: float) -> None:
        D, y = self.D, self.y
        length = float(np.sqrt(D.norms2().max()))
        w = D.adjoint(y / D.T)
        batch = min(D.T, max(32, min(D.d, ROOM // 4)))
        S = np.union1d(rows, self.lowest(y * D.scores(w), batch))
        shortest = np.inf
        while True:
            some = D.some(S)
            q, _, _ = least(some.inner() * np.outer(y[S], y[S]), D.clock, self.deadline)
            w = some.adjoint(q * y[S])
            margins = y * D.scores(w)
            size2 = float(w @ w)
            if size2 >= shortest * (1.0 - 1e-12):  # rounding: no combination got shorter
                return
            shortest = size2
            self.rows, self.weights = S[q > 0.0], q[q > 0.0]
            lowest = float(margins.min())
            if lowest > 0.0:
                self.keep(w / lowest * D.unit)
            self.none = size2 <= (ZERO * length) ** 2
            if self.none or lowest >= (1.0 - tolerance) * size2 or D.clock.now > self.deadline:
                return
            below = self.lowest(margins, batch)
            S = np.union1d(self.rows, below[margins[below] < size2])

    def lowest(self, margins: Array, many: int) -> NDArray[np.intp]:
        return np.argpartition(margins, many - 1)[:many]

    def keep(self, u: Array) -> None:
        """u, made longer by what rounding may have hidden, if it is shorter than the one before."""
        own = self.D.scaled(np.ones(self.D.d))
        slack = own.longest() * EPS * float(np.sqrt(own.norms2().max() * (u @ u)))
        lowest = float((self.y * own.scores(u)).min()) - slack
        if lowest > 0.0 and (self.u is None or u @ u < lowest**2 * (self.u @ self.u)):
            self.u = u / lowest
