"""Exponential weights: Hedge and its relatives, which share one update and differ in what they play."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.guarantee import BOUNDED, Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.numeric import softmin
from ..core.parameters import Interval, Rate
from ..core.stream import Array
from ..games import Advice, Allocation, Draw, Game, Losses, Shape


class State(NamedTuple):
    L: Array  # total loss of each expert, less ln(prior) / eta
    p: Array  # the weights that follow from it
    t: int  # rounds so far
    c: float  # the rate of round t is c / sqrt(t), where no eta is set


class Exponential(Learner[State, Array, Array, Losses], abstract=True):
    """w_i ∝ exp(-eta L_i): the update that the whole family shares."""

    eta: Rate = None

    def begin(self, shape: Shape) -> State:
        c = 2 * math.sqrt(math.log(max(2, shape.n))) / shape.span
        return State(np.zeros(shape.n), np.full(shape.n, 1.0 / shape.n), 0, c)

    def newcomers(self) -> str:
        if self.eta is not None:
            return f"with 1/n of the weight; {self.guarantees[0].id} covers it, in the rounds since it came"
        return (
            "with 1/n of the weight; no theorem covers it: those for a rate that falls are about experts that were "
            "there from the first round"
        )

    def grow(self, old: State, new: State, shape: Shape) -> State:
        """An expert that slept so far has lost the mix loss of the others: its weight is 1/n, theirs keep their ratios.

        The mix losses of all rounds together, at the rate eta, are then at most L_i + ln n / eta for the new number n
        of experts: of those that were there before because ln n grew by what their share fell, and of a newcomer
        because it has 1/n of the weight in its first round. So a bound for n experts holds for both.
        """
        last = old._replace(t=old.t - 1)  # the rate of the last round
        eta, least = self.params.rate(last), float(old.L.min())
        lost = least - math.log(np.exp(-eta * (old.L - least)).mean()) / eta
        L = np.append(old.L, np.full(shape.n - old.L.shape[0], lost))
        softmin(L, eta, new.p)
        return State(L, new.p, old.t, old.c)

    def rate(self, state: State) -> float:
        return self.eta if self.eta > 0.0 else state.c / math.sqrt(state.t + 2.0)  # type: ignore[return-value, operator]

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        for i in range(f.ell.shape[0]):
            state.L[i] += f.ell[i]
        softmin(state.L, self.rate(state), state.p)
        return State(state.L, state.p, state.t + 1, state.c)


def hoeffding(s: Symbols) -> Any:
    return np.log(s.n) / s.eta + s.eta * s.B**2 * s.T / 8


def late_hoeffding(s: Symbols) -> Any:
    """One copy with late feedback: number outcomes as they come, and let q_k be the weights after k - 1 of them.

    Played at once, the q_k would have the regret of `hoeffding` to every expert. The round whose outcome is number k
    was played with q_a, a <= k: `lag` = k - a others came in between. One outcome moves the weights by at most
    eta B / 4 in total variation (KL(q_k | q_k+1) <= eta^2 B^2 / 8 by Hoeffding's lemma, and Pinsker), which changes
    the loss of a round by at most eta B^2 / 4. Summed: eta B^2 lags / 4. A round without an outcome costs B at most.
    """
    return hoeffding(s) + s.eta * s.B**2 * s.lags / 4 + s.B * s.never


def fixed_rate(s: Symbols) -> bool:
    return bool(s.eta > 0)


T_EWA = Guarantee(
    "T-EWA",
    "exponential weights",
    "loss - L_i <= ln n / eta + eta B^2 T / 8 for every expert i; "
    "eta = sqrt(8 ln n / T) / B makes it B sqrt(T ln n / 2)",
    "Cesa-Bianchi & Lugosi 2006, theorem 2.2",
    hoeffding,
    assumptions=(BOUNDED,),
    when=fixed_rate,
    uses=("T", "n", "B", "eta"),
)
T_EWA_ANYTIME = Guarantee(
    "T-EWA-ANYTIME",
    "exponential weights without a horizon",
    "loss - L_i <= B sqrt(T ln n) for every expert i, at eta_t = 2 sqrt(ln n / t) / B",
    "Bubeck 2011, theorem 2.3",
    lambda s: s.B * np.sqrt(s.T * np.log(s.n)),
    assumptions=(BOUNDED,),
    when=lambda s: not fixed_rate(s),
    uses=("T", "n", "B"),
)
T_DELAY_HEDGE = Guarantee(
    "T-DELAY-HEDGE",
    "exponential weights that learn late",
    "loss - L_i <= ln n / eta + eta B^2 (T + 2 lags) / 8 + B never for every expert i, one copy, outcomes in any "
    "order; lags <= the sum of the delays, so eta = sqrt(8 ln n / (T + 2 d T)) / B makes it "
    "B sqrt((1 + 2d) T ln n / 2) at delay d",
    "after Weinberger & Ordentlich 2002, Joulani, György & Szepesvári 2013, and Quanrud & Khashabi 2015; proved in "
    "experts/exponential_weights.py",
    late_hoeffding,
    assumptions=(BOUNDED,),
    when=fixed_rate,
    uses=("T", "n", "B", "eta", "lags", "never"),
    delayed=True,
)
T_HEDGE = Guarantee(
    "T-HEDGE",
    "Hedge (with T-HEDGE-B for losses in [0, B] and T-HEDGE-01 for mistakes)",
    "loss - L_i <= ln n / eta + eta B^2 T / 2 for every expert i; "
    "eta = sqrt(2 ln n / T) / B makes it B sqrt(2 T ln n)",
    "Freund & Schapire 1997; UCL COMP0078, HEDGE",
    lambda s: np.log(s.n) / s.eta + s.eta * s.B**2 * s.T / 2,
    assumptions=(BOUNDED,),
    when=fixed_rate,
    uses=("T", "n", "B", "eta"),
)
T_RWM = Guarantee(
    "T-RWM",
    "randomized weighted majority",
    "expected mistakes <= ln n / (1 - beta) + (2 - beta) L_i for every expert i, beta in [1/2, 1); "
    "beta = max(1/2, 1 - sqrt(ln n / T)) makes it L_i + 2 sqrt(T ln n)",
    "Littlestone & Warmuth 1994",
    lambda s: np.log(s.n) / (1 - s.beta) + (2 - s.beta) * s.L,
    measures="mistakes",
    assumptions=(
        Assumption(
            "beta is at least 1/2", lambda s: None if s.beta >= 0.5 else f"beta is {s.beta:g}"
        ),
    ),
    uses=("n", "beta", "L"),
)


class ExponentialWeights(Exponential):
    """Predict the weighted mean of the experts, or follow one drawn by weight.

        w_i = 1/n
        each round:  predict sum_i w_i x_i (or x_i, i ~ w);  w_i *= exp(-eta loss(x_i, y)), normalised

    O(n) a round; cumulative losses are kept, so nothing underflows. Left unset, eta is sqrt(8 ln n / T) / B where
    the number of rounds is known, and 2 sqrt(ln n / t) / B in round t otherwise; B is the largest loss.

    >>> learner = ExponentialWeights(eta=1.0, loss="absolute").start(
    ...     2, interval=(0, 1), allocation=False
    ... )
    >>> learner.update([0.0, 1.0], 0.0).weights.round(4).tolist()
    [0.7311, 0.2689]

    Littlestone & Warmuth (1994); Vovk (1990). Ledger: A-EWA, A-EWA-MEAN; T-EWA-POT, T-HOEFFDING, T-DELAY-HEDGE.
    """

    loss: Loss | str = "square"
    draw: bool = False
    bounded = True
    delay_factor = 2.0  # T-DELAY-HEDGE
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_EWA, T_EWA_ANYTIME, T_DELAY_HEDGE)

    def game(self, allocation: bool) -> Game:
        if allocation:
            return Allocation()
        loss = losses.parse_loss(self.loss)
        # a mean of labels is no label: the zero-one loss is for draws
        return Draw(loss) if self.draw or isinstance(loss, losses.ZeroOne) else Advice(loss)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.eta is None and not math.isfinite(shape.span):
            raise BadInput(
                f"{self.key}: this loss has no largest value: set eta, or take weighted-average"
            )
        if self.eta is None and shape.T and shape.n > 1:
            return self.replace(eta=math.sqrt(8 * math.log(shape.n) / shape.T) / shape.span)
        return self


class Hedge(ExponentialWeights):
    """Spread one unit over the experts, in proportion to exp(-eta times what each has lost).

        v_i = 1/n
        each round:  play v, pay v . ell;  v_i *= exp(-eta ell_i), normalised

    The allocation game: losses in [0, B], no advice needed (`update(losses)`); with advice and outcomes it mixes,
    or draws under the zero-one loss. O(n) a round. The rate follows T-EWA, whose constant is half of T-HEDGE's.

    >>> learner = Hedge(eta=1.0)
    >>> learner.update([0.0, 1.0]).predict().round(4).tolist()
    [0.7311, 0.2689]

    Freund & Schapire (1997). Ledger: A-HEDGE, A-HEDGE-B, A-HEDGE-01; T-HEDGE-B, T-HEDGE-01, T-HEDGE-PROG.
    """

    guarantees = (T_EWA, T_EWA_ANYTIME, T_HEDGE, T_DELAY_HEDGE)


class RandomizedWeightedMajority(Exponential):
    """Follow an expert drawn by weight; an expert that errs keeps a fraction beta of its weight.

        w_i = 1
        each round:  predict 1 with probability sum of w_i over experts that say 1, over the sum of w;
                     w_i *= beta if expert i erred

    O(n) a round. Left unset, beta is max(1/2, 1 - sqrt(ln n / T)), and 1/2 where T is not known.

    >>> learner = RandomizedWeightedMajority(beta=0.5)
    >>> learner.update([1, 0, 0], 0).weights.tolist()
    [0.2, 0.4, 0.4]

    The loss of an expert is 1 where its label is not the outcome, which printed pseudo-code forgets to receive (E-RWM).
    Littlestone & Warmuth (1994). Ledger: A-RWM.
    """

    beta: Annotated[float | None, Interval(0.0, 1.0, "()")] = None
    labels = True
    guarantees = (T_RWM,)

    def newcomers(self) -> str:
        return f"with 1/n of the weight; {T_RWM.id} covers it, in the rounds since it came"

    def rate(self, state: State) -> float:
        return -math.log(self.beta)  # type: ignore[arg-type]

    def game(self, allocation: bool) -> Game:
        if allocation:
            raise BadInput(f"{self.key} needs advice and outcomes; for losses alone there is hedge")
        return Draw(losses.ZeroOne())

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.beta is not None:
            return self
        return self.replace(
            beta=max(0.5, 1 - math.sqrt(math.log(shape.n) / shape.T)) if shape.T else 0.5
        )
