"""Passive-aggressive learning: the smallest change of the weights that satisfies the round."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.outcome import Outcome
from ..core.parameters import Bit, Choice, Positive
from ..core.stream import Array
from ..core.vectors import add, dot, index, norm2, size, value
from ..games import Game, Shape
from .ftrl_proximal import AtLeast0
from .parts.descent import CROSS, PATH, REFITTED, refit
from .parts.implicit import ABSOLUTE, HINGE, classifies, kind
from .parts.rates import scored
from .parts.units import SHORTEST, Units, cut_to_unit, fits, score_cut, second, unseen

PLAIN, ONE, TWO = range(3)  # without a limit; PA-I; PA-II


class State(NamedTuple):
    w: Array
    units: Units
    sums: Array  # what the bound pays as units change
    steep: float  # 1: the squared length of a unit
    low: float  # the unit of the outcomes, where they are numbers, and the largest of them
    most: float
    gain: float  # the sum of tau (2 loss - tau |x|^2)
    squares: float  # the sum of loss^2
    longest: float  # the longest step tau, over the importance of its round
    widest: float  # the largest |x|^2 of an update, and the smallest
    narrowest: float
    cuts: int  # updates with an example that was cut, or a weight that shrank with its unit
    updates: int
    numbers: bool  # are outcomes numbers?


def away(s: Symbols) -> Any:
    """The squared distance to u at the start, and what changes of units add to it."""
    long = np.sqrt(s.U2) * (s.Rinf if s.normalise else 1.0)
    return s.alpha * long**2 + s.path + 2 * s.cross * long


def progress(s: Symbols) -> Any:
    total = away(s) + 2 * s.longest * s.L
    if s.variant_number == PLAIN and s.two and s.even and s.cuts == 0 and s.narrowest > 0:
        missed = s.H2 / s.narrowest
        total = np.minimum(total, (np.sqrt(missed) + np.sqrt(missed + away(s))) ** 2)
    return total


def label_progress(s: Symbols) -> Any:
    """A mistake gains at least 1/|x|^2, min(C, 1/|x|^2) under PA-I, 1/(|x|^2 + 1/(2C)) under PA-II."""
    floor = s.widest + (0.0 if s.variant_number == PLAIN else 1 / (2 * s.C))
    if s.variant_number == ONE:
        floor = max(s.widest, 1 / s.C)
    return floor * progress(s) + s.cuts


T_PA = Guarantee(
    "T-PA",
    "progress of passive-aggressive steps",
    "sum_t tau_t (2 loss_t - tau_t |x_t|^2) <= |u|^2 + 2 sum_t tau_t loss_t(u) for every u: every step comes closer to "
    "all that satisfy the round (in units of the features: R^2 |u|^2, and what changes of units cost)",
    "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, lemma 1 and theorem 4",
    progress,
    against="linear",
    measures="gain",
    uses=("U2", "L", "longest"),
)
T_PA_MISTAKES = Guarantee(
    "T-PA-MISTAKES",
    "mistakes of passive-aggressive learning",
    "mistakes <= max(R^2, 1/C) (|u|^2 + 2 C L(u)) for every u (PA-I), with R the largest |x|",
    "Crammer et al. 2006, theorem 5",
    label_progress,
    against="linear",
    measures="mistakes",
    assumptions=(EVEN,),
    when=lambda s: s.two,
    uses=("U2", "L", "C"),
)
T_PA_SQUARES = Guarantee(
    "T-PA-SQUARES",
    "squared losses of PA-II",
    "sum_t loss_t^2 <= (R^2 + 1/(2C)) (|u|^2 + 2 C sum_t loss_t(u)^2) for every u",
    "Crammer et al. 2006, theorem 6",
    lambda s: (s.widest + 1 / (2 * s.C)) * (away(s) + 2 * s.C * s.H2),
    against="linear",
    measures="squares",
    assumptions=(
        EVEN,
        Assumption("every example fits its units", lambda s: None if s.cuts == 0 else f"{s.cuts:g} did not"),
    ),
    when=lambda s: s.two and s.variant_number == TWO,
    uses=("U2", "H2", "C"),
)  # fmt: skip


class PassiveAggressive(Learner[State, Any, float, Outcome]):
    """Stay passive while the loss is 0; else make the smallest change after which it would be 0, or nearly.

        each round:  predict p = <w, x>;  loss = max(0, 1 - y p), or max(0, |p - y| - epsilon) for numbers
                     tau = loss/|x|^2 (variant 0), min(C, loss/|x|^2) (I), loss/(|x|^2 + 1/(2C)) (II)
                     w += tau y x (numbers: sign(y - p) in place of y)

    O(nonzeros) a round, and no rate that falls: it follows data that drift. Where no line separates the classes, or
    outcomes are noisy, variant 0 follows each round all the way, and I or II is better. `loss="absolute"` is for
    numbers. `normalise=True` scales features as they come: in units of their second largest value, longer ones cut; for
    numbers C is then in units of the second largest, and no loss counts as more than two of these. An importance h
    multiplies C.

    >>> learner = PassiveAggressive()
    >>> learner.update([3.0, 4.0], 1).state.w.round(6).tolist()  # x / 25
    [0.12, 0.16]

    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006). Ledger: T-PA, T-PA-MISTAKES, T-PA-SQUARES.
    """

    loss: Loss | str = "hinge"
    variant: Annotated[str, Choice(("0", "I", "II"))] = "0"
    C: Positive = 0.1
    epsilon: AtLeast0 = 0.0
    normalise: bool = False
    zero: Bit = 1
    intercept: bool = False
    examples = True
    diagnostics = (
        "alpha",
        "path",
        "cross",
        "gain",
        "squares",
        "longest",
        "widest",
        "narrowest",
        "cuts",
        "updates",
    )
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_PA, T_PA_MISTAKES, T_PA_SQUARES)

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return classifies(self.loss)

    def begin(self, shape: Shape) -> State:
        number = kind(self.loss, self.key, (HINGE, ABSOLUTE)) == ABSOLUTE
        return State(
            w=np.zeros(shape.n),
            units=unseen(shape.n),
            sums=np.zeros(6),
            steep=1.0,
            low=0.0 if number else 1.0,
            most=0.0,
            gain=0.0,
            squares=0.0,
            longest=0.0,
            widest=0.0,
            narrowest=0.0,
            cuts=0,
            updates=0,
            numbers=number,
        )

    def decide(self, state: State, x: Any) -> float:
        return score_cut(state.w, state.units.q, x) if self.normalise else dot(state.w, x)

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        low, most = state.low, state.most
        if state.numbers:
            low, most = second(low, most, abs(f.y))
        short, sign = self.missing(p, f.y, state.numbers)
        if short == 0.0:
            return state
        odd, lost, now = 0, 0.0, p
        if self.normalise:
            q = state.units.q
            n, odd = fits(q, x)
            if odd > 0:
                n, _, _ = refit(state, x)
                now = score_cut(state.w, q, x)
                short, sign = self.missing(now, f.y, state.numbers)
        else:
            n = norm2(x)
        if state.numbers and self.normalise:
            short = min(short, 2.0 * max(low, 0.0))  # the first outcome only sets their unit
        if (
            n < SHORTEST or short == 0.0
        ):  # nothing to learn from, though the label may have been wrong
            return cut(state, low, most)
        unit = low if self.normalise else 1.0
        tau = step(self.variant, short, n, self.C * f.h, unit)
        if self.normalise:
            lost = push(state, tau * sign, x, odd > 0)
            state.sums[CROSS] += tau * lost
        else:
            add(state.w, tau * sign, x)
        first = state.updates == 0
        return State(
            w=state.w,
            units=state.units,
            sums=state.sums,
            steep=1.0,
            low=low,
            most=most,
            gain=state.gain + tau * (2.0 * short - tau * n),
            squares=state.squares + short * short,
            longest=max(state.longest, tau / f.h),
            widest=max(state.widest, n),
            narrowest=n if first else min(state.narrowest, n),
            cuts=state.cuts + (1 if lost > 0.0 or now != p else 0),
            updates=state.updates + 1,
            numbers=state.numbers,
        )

    def missing(self, p: float, y: float, number: bool) -> tuple[float, float]:
        """The loss, and the sign of the step that lowers it."""
        if number:
            return max(0.0, abs(y - p) - self.epsilon), 1.0 if y > p else -1.0
        return max(0.0, 1.0 - y * p), y

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = 1.0 + (2.0 if state.sums[REFITTED] > 0.0 else 0.0)
        M[1] = state.sums[PATH]
        M[2] = state.sums[CROSS]
        M[3] = state.gain
        M[4] = state.squares
        M[5] = state.longest
        M[6] = state.widest
        M[7] = state.narrowest
        M[8] = state.cuts
        M[9] = state.updates

    def symbols(self) -> dict[str, Any]:
        return {
            "two": classifies(self.loss),
            "variant_number": ("0", "I", "II").index(self.variant),
        }

    def game(self, allocation: bool) -> Game:
        kind(self.loss, self.key, (HINGE, ABSOLUTE))
        return scored(self, self.zero)


def cut(state: State, low: float, most: float) -> State:
    """The state after a round that has a loss and teaches nothing."""
    return State(
        w=state.w,
        units=state.units,
        sums=state.sums,
        steep=1.0,
        low=low,
        most=most,
        gain=state.gain,
        squares=state.squares,
        longest=state.longest,
        widest=state.widest,
        narrowest=state.narrowest,
        cuts=state.cuts + 1,
        updates=state.updates,
        numbers=state.numbers,
    )


def step(variant: Any, short: float, n: float, C: float, unit: float) -> float:
    """tau, by the variant."""
    if variant == TWO:
        return short / (n + 0.5 / C)
    return min(short / n, C * unit) if variant == ONE else short / n


def push(state: Any, t: float, x: Any, odd: bool) -> float:
    """w += t x in units; how much of x was cut."""
    w, q, lost = state.w, state.units.q, 0.0
    if odd:
        for k in range(size(x)):
            i = index(x, k)
            v = cut_to_unit(value(x, k), q[i])
            lost += abs(value(x, k) - v) * abs(q[i])
            w[i] += t * v * q[i] * q[i]
    else:
        for k in range(size(x)):
            i = index(x, k)
            w[i] += t * value(x, k) * q[i] * q[i]
    return lost
