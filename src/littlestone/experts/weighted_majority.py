"""Weighted majority: an expert that errs loses weight, not its vote."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple, Self

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.numeric import softmin, xlog
from ..core.parameters import Bit, Interval
from ..core.stream import Array
from ..engine.checks import array
from ..games import Game, Losses, Shape, Vote
from .halving import narrow
from .halving_disjunctions import affordable, subsets


class State(NamedTuple):
    M: Array  # errors of each expert, in the rounds that count
    p: Array  # beta^M, normalised


def potential(s: Symbols) -> Any:
    """Each mistake costs the total weight a factor (1 + beta)/2; expert i alone holds beta^L_i of it."""
    return (np.log(s.n) - xlog(s.L, s.beta)) / math.log(2 / (1 + s.beta))


T_WM = Guarantee(
    "T-WM",
    "weighted majority",
    "mistakes <= (ln(1/beta) L_i + ln n) / ln(2/(1+beta)) for every expert i",
    "Littlestone & Warmuth 1994",
    potential,
    measures="mistakes",
    uses=("n", "beta", "L"),
)
T_WM_263 = Guarantee(
    "T-WM-263",
    "weighted majority at beta = 1/e",
    "mistakes <= 2.633 (L_i + ln n) for every expert i",
    "Littlestone & Warmuth 1994; UCL COMP0078",
    lambda s: 2.633 * (s.L + np.log(s.n)),
    measures="mistakes",
    uses=("n", "L"),
    when=lambda s: math.isclose(s.beta, math.exp(-1), rel_tol=1e-9),
)
T_WM_2REGRET = Guarantee(
    "T-WM-2REGRET",
    "weighted majority against twice the best",
    "mistakes <= (2 + eps) L_i + 2 ln n / eps for every expert i, eps = 1 - beta <= 0.6; "
    "eps = min(1/2, sqrt(2 ln n / T)) makes it 2 L_i + 2 sqrt(2 T ln n)",
    "Littlestone & Warmuth 1994; UCL COMP0078, problem 3.2",
    lambda s: (3 - s.beta) * s.L + 2 * np.log(s.n) / (1 - s.beta),
    measures="mistakes",
    uses=("n", "beta", "L"),
    when=lambda s: bool(s.beta >= 0.4),
)


class WeightedMajority(Learner[State, Array, Array, Losses]):
    """Predict the label that carries most weight; an expert that errs keeps a fraction beta of its weight.

        w_i = 1
        each round:  predict the label with the largest sum of w_i over the experts that predict it;
                     w_i *= beta if expert i erred

    O(n) a round; errors are counted and weights follow from them, so nothing underflows. `always=False` changes
    weights only in rounds that the learner itself got wrong. Left unset, beta is 1 - min(1/2, sqrt(2 ln n / T)), as
    T-WM-2REGRET asks, and 1/2 where T is not known; beta = 0 is halving. A tie goes to the larger label (`tie=1`) or
    the smaller. No deterministic learner can promise less than twice the best expert's mistakes.

    >>> learner = WeightedMajority(beta=0.5)
    >>> learner.update([1, 0, 0], 0).weights.tolist()
    [0.2, 0.4, 0.4]

    Littlestone & Warmuth (1994). Ledger: A-WM-EVERY, A-WM-MISTAKE, A-WM-DISJ; T-WM-DISJ; E-NEQ, E-WM-EQ, E-WM-263.
    """

    beta: Annotated[float | None, Interval(0.0, 1.0, "[)")] = None
    always: bool = True
    tie: Bit = 1
    labels = True
    guarantees = (T_WM, T_WM_263, T_WM_2REGRET)

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n), np.full(shape.n, 1.0 / shape.n))

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        if self.always or f.own > 0.0:
            if self.beta == 0.0:
                narrow(state.p, x, f.ell)  # it may refuse: before anything is written
            for i in range(f.ell.shape[0]):
                state.M[i] += f.ell[i]
            if self.beta > 0.0:  # type: ignore[operator]
                softmin(state.M, -math.log(self.beta), state.p)  # type: ignore[arg-type]
        return State(state.M, state.p)

    def game(self, allocation: bool) -> Game:
        if allocation:
            raise BadInput(f"{self.key} needs advice and outcomes; for losses alone there is hedge")
        return Vote(self.tie)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.beta is not None:
            return self
        if shape.T == 0 or shape.n == 1:
            return self.replace(beta=0.5)
        return self.replace(beta=1 - min(0.5, math.sqrt(2 * math.log(shape.n) / shape.T)))


def disjunctions(x: Any, k: int) -> Array:
    """The advice of every disjunction of k features (not 0 counts as 1): experts for a majority (A-WM-DISJ).

    Rows are rounds; columns are the k-subsets of the features, in lexicographic order. With weighted majority at
    beta = 1/e, mistakes <= 2.633 (M + k ln(d e / k)) where M are those of the best disjunction (T-WM-DISJ).

    >>> disjunctions([[1, 0, 0], [0, 0, 1]], 2).tolist()
    [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]
    """
    features = array(x, "features", 2) != 0.0
    affordable("disjunctions", features.shape[1], k, True)
    J = subsets(features.shape[1], k, True)
    advice = np.zeros((len(features), len(J)), dtype=bool)
    for c in range(k):
        advice |= features[:, J[:, c]]
    return advice.astype(np.float64)
