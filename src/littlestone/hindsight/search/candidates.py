"""Linear predictors for theorems that hold for every u: 0, a separator, and minimisers of penalised losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from littlestone.core import losses
from littlestone.core.stream import Array
from littlestone.hindsight.search.best_linear import prepare_examples, unit
from littlestone.hindsight.search.conjugates import Corners, Terms, terms
from littlestone.hindsight.search.design import Design
from littlestone.hindsight.search.newton import Search
from littlestone.hindsight.search.separators import Separator, hard_margin
from littlestone.hindsight.search.used_features import Narrowed, narrow_to_used

GRID = 8  # values of lam
SOME = 1e6  # numbers of the examples that minimisers are fitted to
ALIKE = 3.0  # a feature may be so many times smaller than most numbers and share their penalty
LONGEST = 1e150  # weights: their squares are floats
FINEST = 1e-140  # the least size of a feature, next to the largest, that counts as more than 0: its square is a float


@dataclass
class Candidates:
    """Some u, and what theorems ask about them, one entry each.

    loss is the sum of h_t loss(u . x_t, y_t); H and H2 are those of the hinge and its square, and
    mistakes is that of [y_t u . x_t <= 0], all three NaN where outcomes are numbers.
    """

    names: list[str] = field(default_factory=list)
    u: list[Array] = field(default_factory=list)
    U2: Array = field(default_factory=lambda: np.empty(0))  # |u|^2
    L1: Array = field(default_factory=lambda: np.empty(0))  # the sum of |u_i|
    H: Array = field(default_factory=lambda: np.empty(0))
    H2: Array = field(default_factory=lambda: np.empty(0))
    mistakes: Array = field(default_factory=lambda: np.empty(0))
    loss: Array = field(default_factory=lambda: np.empty(0))
    separator: Separator | None = None  # what is known about separability; None: not searched for

    def __len__(self) -> int:
        return len(self.names)

    def add(self, name: str, u: Array) -> None:
        self.names.append(name)
        self.u.append(u)


def candidates(
    X: Any,
    y: Any,
    loss: Any = "hinge",
    h: Any = None,
    *,
    intercept: bool = False,
    width: int = 0,
    seconds: float = 2.5,
    more: Mapping[str, Array] | None = None,
) -> Candidates:
    """Candidates for the best comparator of a theorem that holds for every u.

        0;  the hard-margin separator, if there is one;  any in `more`
        for lam = T^0.9 m, …, m / 10:  the minimiser of  sum_t h_t loss(u . x_t, y_t) + lam |u|^2 / 2
        where some features are small:  half as many, with the penalty  lam sum_i (s_i u_i)^2 / 2

    where m is the mean of |x_t|^2, and s_i the typical size of feature i. A bound that grows with |u|
    and with the loss of u is least near the first path. But its penalty, measured by the largest
    features, forbids the use of small ones; the second path is the same whatever units the features
    come in. Theorems hold for each candidate, well or badly found: so the minimisers are found on
    a part of long runs, each from the one before, and none is begun after the work of so many
    nominal `seconds` (see Clock: the same candidates on every machine), or half as many again for the
    second path. The zero-one loss has no such minimisers: those of the squared hinge and of the hinge
    stand in.

    One example at 2 with label +1: with |u| = 1/2 its margin is 1.

    >>> some = candidates([[2.0]], [1.0], "hinge")
    >>> some.names[:2], some.U2[:2].round(6).tolist(), some.H[:2].round(6).tolist()
    (['0', 'the separator of margin 2'], [0.0, 0.25], [1.0, 0.0])
    """
    few = None if more else narrow_to_used(X, width)
    if few is not None:
        found = candidates(
            few.rows, y, loss, h, intercept=intercept, width=len(few.places), seconds=seconds
        )
        return widen(found, few)
    made = losses.parse_loss(loss, examples=True)
    count = isinstance(made, losses.ZeroOne)
    labels = count or isinstance(made, losses.MARGIN)
    D, lost = prepare_examples(X, y, "hinge" if count else made, h, intercept, width)
    deadline = D.clock.now + seconds
    found = Candidates()
    found.add("0", np.zeros(D.d))
    if labels and D.T:
        found.separator = hard_margin(
            X,
            y,
            intercept=intercept,
            width=width,
            tolerance=0.01,
            seconds=0.4 * seconds,
            clock=D.clock,
        )
        if found.separator.u is not None:
            name = f"the separator of margin {found.separator.margin:.4g}"
            found.add(name, found.separator.u)
    for name, u in (more or {}).items():
        found.add(name, np.asarray(u, dtype=np.float64))
    if D.T and D.d:
        charged, many = (["squared-hinge", "hinge"], GRID - 2) if count else ([made], GRID)
        paths(found, D, lost, charged, many, deadline, in_units=False)
        if some_are_small(D):
            paths(found, D, lost, charged, GRID // 2, deadline + 0.5 * seconds, in_units=True)
    measure(found, D, lost, labels, count)
    return found


def widen(found: Candidates, few: Narrowed) -> Candidates:
    """The candidates with 0 for the features that are in no example."""
    found.u = [few.whole(u) for u in found.u]
    if found.separator is not None and found.separator.u is not None:
        found.separator = replace(found.separator, u=few.whole(found.separator.u))
    return found


def paths(
    found: Candidates,
    D: Design,
    lost: Terms,
    charged: Any,
    many: int,
    deadline: float,
    *,
    in_units: bool,
) -> None:
    """Find a path for each loss; the paths share the work that is left."""
    for j, each in enumerate(charged):
        last = D.clock.now + (deadline - D.clock.now) / (len(charged) - j)
        path(found, D, lost, each, many, last, in_units)


def some_are_small(D: Design) -> bool:
    """Is a coordinate so much smaller than most numbers that one penalty for all would forbid its use?"""
    D = divide_by_unit(D)
    most = float(np.sqrt(float(D.norms2().sum()) / max(1, D.filled())))
    return (
        ALIKE * float(D.typical().min()) < most < np.inf
    )  # inf: beside the constant all features round to 0


def divide_by_unit(D: Design) -> Design:
    """The examples divided by `unit`, so that their squares are floats."""
    scale = unit(D)
    return D if scale == 1.0 else D.times(1.0 / scale)


def path(
    found: Candidates, D: Design, lost: Terms, loss: Any, many: int, deadline: float, in_units: bool
) -> None:
    """Minimisers for lam from large to small, each search starting where the last one ended.

    `in_units`: the penalty is on s_i u_i, the weights of features in units of their typical size s_i.
    """
    step = max(1, min(int(D.numbers() // SOME), D.T // (20 * D.d)))
    scale = unit(D)
    D = divide_by_unit(D)
    if in_units:
        size = D.typical()
        D = D.scaled(1.0 / np.maximum(size, FINEST * size.max()))
    D = D.some(slice(None, None, step))
    part = terms(loss, lost.y[::step], lost.h[::step] * step)
    T, mean = float(part.h.sum()), middle(D.norms2(), part.h, in_units)
    if isinstance(part, Corners):
        mean /= part.size  # such a loss grows with the outcomes, its square with their square
    u = np.zeros(D.d)
    if not 0.0 < mean < np.inf:
        return  # all examples are 0, and so is every score; or beside the constant all features round to 0
    for lam in np.geomspace(max(1.0, T**0.9) * mean, 0.1 * mean, many):
        search = Search(D, part, lam=float(lam), deadline=deadline)
        search.run(u, 1e-3, most=60)
        if not np.array_equal(search.u, u):
            u = search.u
            name = f"least {losses.name(losses.parse_loss(loss, examples=True))} loss"
            if not in_units:
                found.add(f"{name}, lam {lam * scale**2:.3g}", u / scale)
            elif np.abs(own := weights(D.unit, u, scale)).max() < LONGEST:
                found.add(f"{name} in units of the features, lam {lam:.3g}", own)
        if search.late():
            return


def weights(units: Array, u: Array, scale: float) -> Array:
    """The weights u in the units of the features; infinite where a feature is too small for a float."""
    with np.errstate(over="ignore"):
        return np.asarray(units * u / scale)


def middle(norms2: Array, h: Array, geometric: bool) -> float:
    """The mean of |x_t|^2; or the geometric mean of those that are not 0, which a few long examples do not move."""
    if not geometric:
        return float(h @ norms2) / float(h.sum())
    some = norms2 > 0.0
    return float(np.exp(np.average(np.log(norms2[some]), weights=h[some]))) if some.any() else 0.0


def measure(found: Candidates, D: Design, lost: Terms, labels: bool, zero_one: bool) -> None:
    """Compute norms, losses and mistakes of each candidate."""
    each = np.full((6, len(found)), np.nan)
    for k, u in enumerate(found.u):
        z = D.scores(u)
        each[0, k], each[1, k] = u @ u, np.abs(u).sum()
        if labels:
            short = np.maximum(0.0, 1.0 - lost.y * z)
            each[2, k], each[3, k] = lost.h @ short, lost.h @ (short * short)
            each[4, k] = lost.h @ (lost.y * z <= 0.0)
        each[5, k] = each[4, k] if zero_one else lost.value(z)
    found.U2, found.L1, found.H, found.H2, found.mistakes, found.loss = each
