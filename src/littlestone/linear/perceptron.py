"""The perceptron: a linear separator learned from its own mistakes."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import SAME_IMPORTANCE, Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Bit, Choice, Positive
from ..core.stream import Array
from ..core.vectors import add, dot
from ..games import Game, Labels, Shape
from .parts.unit_steps import SUMS, Scales, take_step, unseen, write_sums


class State(NamedTuple):
    w: Array  # normal of the separator
    units: Scales
    sums: Array
    updates: int


ZERO = Assumption("it starts from 0", lambda s: None if s.from_zero else "it starts somewhere else")
ALIVE = Assumption(
    "it learns wherever y <w, x> <= 0, or wherever its label is wrong",
    lambda s: "it learns only where y <w, x> < 0, and is stuck at 0" if s.strict else None,
)
PLAIN = Assumption(
    "features are taken as they are: normalise=False, or no unit other than 1 and nothing cut",
    lambda s: f"{s.odd:g} steps were in units of the features" if s.odd else None,
)
ONCE = Assumption(
    "one pass over the rounds", lambda s: None if s.passes == 1 else f"there were {s.passes}"
)


def novikoff(s: Symbols) -> Any:
    """R^2 |u|^2 for those u that separate with margin 1."""
    return np.where(s.H == 0, s.R2 * s.U2, np.inf)


NOVIKOFF = Guarantee(
    "T-PERC",
    "Novikoff's bound",
    "updates <= R^2 |u|^2 for every u with y_t <u, x_t> >= 1 in every round: (R / margin)^2",
    "Novikoff 1962",
    novikoff,
    against="linear",
    measures="updates|mistakes",
    assumptions=(ZERO, SAME_IMPORTANCE, ALIVE, PLAIN),
    uses=("R2", "U2", "H"),
    infinite="no line that separates the classes was found",
    when=lambda s: s.passes == 1,
)
CYCLE = Guarantee(
    "T-PERC-CYCLE",
    "Novikoff's bound over passes",
    "updates in all passes together <= R^2 |u|^2 for every u with y_t <u, x_t> >= 1 in every round",
    "notes, the perceptron over cyclic passes",
    novikoff,
    against="linear",
    measures="updates|mistakes",
    assumptions=(ZERO, SAME_IMPORTANCE, ALIVE, PLAIN),
    uses=("R2", "U2", "H"),
    infinite="no line that separates the classes was found",
    when=lambda s: s.passes > 1,
)
INSEPARABLE = Guarantee(
    "T-PERC-INSEP",
    "the perceptron on data that no line separates",
    "updates <= (R |u| + sqrt(sum_t max(0, 1 - y_t <u, x_t>)^2))^2 for every u",
    "Freund and Schapire 1999, after Klasner and Simon",
    lambda s: (np.sqrt(s.R2 * s.U2) + np.sqrt(s.H2)) ** 2,
    against="linear",
    measures="updates|mistakes",
    assumptions=(ZERO, SAME_IMPORTANCE, ALIVE, PLAIN, ONCE),
    uses=("R2", "U2", "H2"),
)
IN_UNITS = Guarantee(
    "T-PERC-UNITS",
    "Novikoff's bound in units of the features",
    "updates <= H(u) + |u| R (sqrt(S) + C) for every u, R the largest |x_i|, S the sum of |x|^2 in units over the "
    "updates and of what changing units adds, C what was cut",
    "Novikoff 1962; Ross, Mineiro and Langford 2013; derived here",
    lambda s: s.H + np.sqrt(s.U2) * s.Rinf * (np.sqrt(s.spread) + s.cross),
    against="linear",
    measures="updates|mistakes",
    assumptions=(ZERO, SAME_IMPORTANCE, ALIVE),
    uses=("U2", "H", "Rinf", "spread", "cross"),
    when=lambda s: s.normalise,
)


class Perceptron(Learner[State, Any, float, Outcome]):
    """Learn a linear separator from its own mistakes.

        w = 0
        each round:  predict sign(<w, x>);  on a mistake  w += eta y x

    O(d) a round, O(nonzeros) on sparse examples, which are taken as they are. `normalise=True` scales features as they
    come, w_i += eta y x_i / unit_i^2: the unit of a feature is its second largest value in the mistakes so far, longer
    values are cut there, and weights shrink as units grow, so that no scale matters and one extreme example does little
    harm; where all features are 0, 1 or -1 it changes nothing. What counts as a mistake: `test="margin"`: y <w, x> <=
    0, so that a score of 0 is one whatever the label; "sign": the label sign(<w, x>), where a score of 0 has the label
    `zero`; "strict": y <w, x> < 0, which never learns anything from w = 0. With w = 0 at the start, eta changes no
    prediction. `w0` puts the first weights somewhere else.

    >>> learner = Perceptron()
    >>> for x, y in ([-2, -2], -1), ([1, 0], -1):
    ...     learner = learner.update(x, y)
    >>> learner.state.w.tolist(), learner.predict([1, 0])
    ([1.0, 2.0], 1)

    The last weights may err on examples seen before (X-PERC-LAST). Rosenblatt (1958); Novikoff (1962). The neuron
    of McCulloch and Pitts (1943) has no such rule (E-HISTORY). T-PERC-INSEP is T-PERC on lifted examples (A-PERC-LIFT).
    Ledger: A-PERC-UCL, A-PERC-SIGN, A-PERC-ETA, A-PERC-SGD; T-PERC, T-PERC-INSEP, T-PERC-CYCLE, T-PERC-UNITS;
    E-DELTA, E-PERC-SGD.
    """

    eta: Positive = 1.0
    test: Annotated[str, Choice(("margin", "sign", "strict"))] = "margin"
    zero: Bit = 1
    w0: tuple[float, ...] = ()
    normalise: bool = False
    intercept: bool = False
    examples = True
    labels = True
    diagnostics = ("updates", "spread", "cross", "odd")
    smallest = 1e-140
    guarantees = (NOVIKOFF, INSEPARABLE, CYCLE, IN_UNITS)

    def begin(self, shape: Shape) -> State:
        w = np.zeros(shape.n)
        if len(self.w0) > shape.n:
            raise BadInput(
                f"perceptron: w0 has {len(self.w0)} weights; there are {shape.n} coordinates"
            )
        w[: len(self.w0)] = self.w0
        return State(w, unseen(shape.n if self.normalise else 0), np.zeros(SUMS), 0)

    def decide(self, state: State, x: Any) -> float:
        return dot(state.w, x)

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if wrong(self.test, self.zero, score, f.y):  # type: ignore[arg-type]  # a word is its number here
            if self.normalise:
                take_step(
                    state.units, state.w, state.sums, self.eta * f.h * f.y, x, f.y, self.eta * f.h
                )
            else:
                add(state.w, self.eta * f.h * f.y, x)
            return State(state.w, state.units, state.sums, state.updates + 1)
        return state

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.updates
        write_sums(state.sums, M)

    def symbols(self) -> dict[str, Any]:
        return {"from_zero": not any(self.w0), "strict": self.test == "strict"}

    def game(self, allocation: bool) -> Game:
        return Labels(self.zero)


def wrong(test: int, zero: int, score: float, y: float) -> bool:
    """Is it a mistake? By the margin (0), by the sign (1), or strictly (2)."""
    if test == 1 and score == 0.0:
        return y != 2 * zero - 1
    return (y * score < 0.0) | ((test == 0) & (score == 0.0))  # one branch at most
