"""Tracking the best sequence of experts by sharing weight: fixed share and variable share."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple, Self

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.guarantee import BOUNDED, Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.numeric import decay, entropy, least, normalise, xlog
from ..core.parameters import Interval, Rate, Share
from ..core.stream import Array
from ..games import Advice, Allocation, Draw, Game, Losses, Shape, Substitution

TINY = 1e-300  # no weight falls below it: one that underflowed to 0 would never come back


class Tracking(Learner[Any, Array, Array, Losses], abstract=True):
    """What trackers share: the games they play, and a rate that follows from the loss."""

    loss: Loss | str = "square"
    eta: Rate = None
    alpha: Share = None
    substitution: bool = False
    bounded = True

    def game(self, allocation: bool) -> Game:
        loss = losses.parse_loss(self.loss)
        if self.substitution and (
            allocation or not isinstance(loss, (losses.Square, losses.LogLoss))
        ):
            what = "advice and outcomes" if allocation else "the square or the log loss"
            raise BadInput(f"{self.key}: substitution needs {what}")
        if allocation:
            return Allocation()
        if isinstance(loss, losses.ZeroOne):  # a mean of labels is no label
            return Draw(loss)
        # for the log loss, Vovk's prediction is the weighted average
        substitute = self.substitution and isinstance(loss, losses.Square)
        return Substitution(loss) if substitute else Advice(loss)

    def mixing(self, game: Game) -> float:
        """The largest rate at which the loss stays below the mix loss; 0 where there is none."""
        if isinstance(game, Allocation):
            return 0.0
        of = losses.mixable if self.substitution else losses.exp_concave
        return of(losses.parse_loss(self.loss))


# The mathematics that trackers share. A round costs at most the mix loss m = -ln(sum_i p_i exp(-eta ell_i)) / eta
# where eta <= exp-concavity (mixability, with substitution), and at most m + eta B^2 / 8 where losses lie in a
# range of B (Hoeffding). And eta (m - ell_i) = ln v_i - ln p_i for every expert i, where v is the posterior of p;
# so along a sequence of experts the regret in mix loss, times eta, is at most ln(1 / p_1) and, from round to
# round, ln(v_i / p_j): what the next weight p_j of its next expert has lost to the posterior v_i of this one.


def weigh(p: Any, eta: float, ell: Any) -> float:
    """p_i *= exp(-eta (ell_i - least ell)) in place, and their sum; as it was, if every loss is infinite."""
    m, mass = least(ell), 0.0
    if not m < math.inf:
        return 1.0
    for i in range(p.shape[0]):
        v = p[i] * decay(-eta * (ell[i] - m))
        p[i] = v
        mass += v
    return mass


def posterior(p: Any, eta: float, ell: Any) -> None:
    """p_i *= exp(-eta ell_i), normalised, in place; as it was, if every loss is infinite."""
    weigh(p, eta, ell)
    normalise(p)


def share(p: Any, alpha: float, mass: float) -> None:
    """Every expert hands on a fraction alpha of its part of the mass, in equal parts to the others."""
    n = p.shape[0]
    part = alpha / (n - 1.0) if n > 1 else 0.0
    keep = (1.0 - alpha - part) / mass if n > 1 else 1.0 / mass
    for i in range(n):
        p[i] = max(keep * p[i] + part, TINY)


def temper(p: Any, power: float) -> None:
    """p_i^power, normalised, in place."""
    for i in range(p.shape[0]):
        p[i] = decay(power * math.log(p[i]))
    normalise(p)


def fair_rate(n: int, alpha: float, T: int) -> float:
    """sqrt(8 C / T), which minimises C / eta + eta T / 8, for as many shifts as the share rate expects in T rounds.

    That is alpha (T-1) of them, or ln T where the share rate is 1/(t+1) (alpha < 0).
    """
    n = max(n, 2)
    C = math.log(n)
    if alpha >= 0.0:
        C += (T - 1.0) * (entropy(alpha) + alpha * math.log(n - 1.0))
    else:
        C += math.log(T) * (1.0 + math.log(n - 1.0) + math.log(max(T - 1.0, 1.0)))
    return math.sqrt(8.0 * C / T)


def rates(s: Symbols) -> tuple[float, float]:
    """The rate of the last round, and the sum of all rates so far."""
    if s.eta > 0:
        return s.eta, s.eta * s.T
    alpha = s.alpha if s.alpha >= 0 else -1.0
    eta, total, first = math.inf, 0.0, 1
    while first <= s.T:
        eta = min(eta, fair_rate(s.n, alpha, 2 * first - 1) / s.B)
        total += eta * (min(s.T, 2 * first - 1) - first + 1)
        first *= 2
    return eta, total


def sharing(s: Symbols, k: Any) -> Any:
    """ln(1/probability) of T-1 steps of which k are shifts, before saying where to.

    Staying costs ln(1/(1-alpha)), a shift ln(1/alpha). At alpha_t = 1/(t+1) staying costs ln((t+1)/t), ln T in all;
    a shift after round t costs ln(t+1) instead, which is ln t <= ln(T-1) more.
    """
    if s.alpha >= 0:
        return -xlog(k, s.alpha) - xlog(s.T - 1 - k, 1 - s.alpha)
    return np.log(s.T) + xlog(k, s.T - 1)


def nats(s: Symbols) -> Any:
    """What fixed share pays, times eta, for a sequence with at most k shifts; linear in k, so one end is the most."""
    k = np.minimum(s.k, s.T - 1)
    return np.log(s.n) + np.maximum(sharing(s, k) + xlog(k, s.n - 1), sharing(s, 0 * k))


def limit(s: Symbols) -> float:
    return float(s.mixable if s.substitution else s.exp_concave)


def mixes(s: Symbols) -> bool:
    return bool(s.eta <= limit(s) * (1 + 1e-12))


def hoeffding(s: Symbols) -> bool:
    """Does only the range of the losses keep the loss near the mix loss?"""
    return not s.substitution and not mixes(s)


MIXES = Assumption(
    "eta is at most the exp-concavity of the loss (with substitution: its mixability)",
    lambda s: None if mixes(s) else f"eta is {s.eta:g}, the limit {limit(s):g}",
)
LITTLE = Assumption(
    "alpha is at most 1 - 1/n",
    lambda s: None if s.alpha <= 1 - 1 / s.n else f"alpha is {s.alpha:g}",
)

T_FIXED_SHARE = Guarantee(
    "T-FIXED-SHARE",
    "fixed share",
    "loss - L <= (k ln(1/alpha) + (T-1-k) ln(1/(1-alpha)) + k ln(n-1) + ln n) / eta for every sequence of experts "
    "with k shifts; alpha = k/(T-1) makes it at most (k ln((T-1)/k) + k + k ln(n-1) + ln n) / eta",
    "Herbster & Warmuth 1998",
    lambda s: nats(s) / s.eta,
    against="sequence",
    assumptions=(MIXES,),
    when=lambda s: limit(s) > 0 and s.alpha >= 0,
    uses=("T", "n", "k", "eta", "alpha"),
)
T_FS_ANYTIME = Guarantee(
    "T-FS-ANYTIME",
    "fixed share without a horizon",
    "loss - L <= (ln n + k ln(n-1) + k ln(T-1) + ln T) / eta for every sequence of experts with k shifts, "
    "at alpha_t = 1/(t+1)",
    "Herbster & Warmuth 1998, with a share rate that falls",
    lambda s: nats(s) / s.eta,
    against="sequence",
    assumptions=(MIXES,),
    when=lambda s: limit(s) > 0 and not s.alpha >= 0,
    uses=("T", "n", "k", "eta"),
)
T_FS_ALLOC = Guarantee(
    "T-FS-ALLOC",
    "fixed share over losses in a range",
    "loss - L <= C / eta_T + (eta_1 + ... + eta_T) B^2 / 8 for every sequence of experts with k shifts, C as in "
    "T-FIXED-SHARE (T-FS-ANYTIME); eta = sqrt(8 C / T) / B makes it B sqrt(C T / 2)",
    "Herbster & Warmuth 1998; Cesa-Bianchi & Lugosi 2006, theorem 5.2",
    lambda s: nats(s) / rates(s)[0] + rates(s)[1] * s.B**2 / 8,
    against="sequence",
    assumptions=(BOUNDED,),
    when=hoeffding,
    uses=("T", "n", "k", "B", "eta", "alpha"),
)


class State(NamedTuple):
    p: Array  # the shared weights
    t: int  # rounds so far
    eta: float  # the rate of the next round
    alpha: float  # the share rate; -1 where it is 1/(t+1)
    B: float  # the largest loss


class FixedShare(Tracking):
    """Follow the best sequence of experts: after every round each expert shares a little of its weight.

        p_i = 1/n
        each round:  predict p . x;  v_i = p_i exp(-eta loss(x_i, y)), normalised;
                     p_i = (1-alpha) v_i + alpha (1 - v_i) / (n-1)

    O(n) a round; weights are normalised each round, and sharing keeps them from vanishing. Left unset, alpha is
    1/(t+1) after round t, and eta the exp-concavity of the loss, or its mixability with Vovk's prediction
    (`substitution`). Where the loss has neither, and over losses alone, eta is sqrt(8 C / T) / B for as many shifts
    as alpha expects in T rounds: alpha (T-1), or ln T. Where T is not known, that holds from each power of two to
    the next; as eta falls to rho eta, weights become p_i^rho, normalised.

    >>> learner = FixedShare(loss="log", alpha=0.1)
    >>> learner.update([0.9, 0.1], 1.0).weights.round(4).tolist()
    [0.82, 0.18]

    Herbster & Warmuth (1998). Ledger: A-FIXED-SHARE, A-FS-ALLOC; T-FS-EXACT,
    and A-META-SEQ, T-META-PRIOR, T-SEQ-COUNT for the sequences that it stands for.
    """

    guarantees = (T_FIXED_SHARE, T_FS_ANYTIME, T_FS_ALLOC)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.eta is not None:
            return self
        eta = self.mixing(game)
        if not eta > 0 and shape.T:
            eta = fair_rate(shape.n, unset(self.alpha), shape.T) / shape.span
        return self.replace(eta=eta) if eta > 0 else self

    def newcomers(self) -> str:
        if not self.eta:
            return (
                "with 1/n of the weight; no theorem covers it: those for a rate that falls are about experts that were "
                "there from the first round"
            )
        found = T_FS_ANYTIME if self.alpha is None else T_FIXED_SHARE
        return f"with 1/n of the weight; {found.id} covers the sequences that use it from its first round on"

    def grow(self, old: State, new: State, shape: Shape) -> State:
        """An expert that slept so far has the weight 1/n; those of the others keep their ratios.

        A sequence that shifts to the newcomer in its first round pays ln n for that: no more than what the theorem
        allows, for the new n, for one shift and the larger ln n. One of the others pays by how much ln n grew.
        """
        return old._replace(p=with_newcomers(old.p, shape.n))

    def begin(self, shape: Shape) -> State:
        alpha = unset(self.alpha)
        eta = self.eta or fair_rate(shape.n, alpha, 1) / shape.span
        return State(np.full(shape.n, 1.0 / shape.n), 0, eta, alpha, shape.span)

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        t, eta = state.t + 1, state.eta
        mass = weigh(state.p, eta, f.ell)
        share(state.p, state.alpha if state.alpha >= 0.0 else 1.0 / (t + 1.0), mass)
        if self.eta == 0.0 and (t & (t + 1)) == 0:  # rounds t+1 to 2t+1 have one rate
            eta = min(eta, fair_rate(state.p.shape[0], state.alpha, 2 * t + 1) / state.B)
            # p^rho sums to at most n^(1-rho), so that ln(p) / eta loses (1/eta' - 1/eta) ln n, ln n / eta_T in all
            temper(state.p, eta / state.eta)
        return State(state.p, t, eta, state.alpha, state.B)


def with_newcomers(p: Array, n: int) -> Array:
    """Weights of n experts, 1/n for each that is new.

    >>> with_newcomers(np.array([0.75, 0.25]), 4).tolist()
    [0.375, 0.125, 0.25, 0.25]
    """
    here = p.shape[-1]
    new = np.full((*p.shape[:-1], n - here), 1.0 / n)
    return np.concatenate([p * (here / n), new], axis=-1)


def unset(alpha: float | None) -> float:
    return -1.0 if alpha is None else alpha


def variable(s: Symbols) -> Any:
    """In units of B the loss lies in [0, 1] and the rate is eta B; multiplied by B again."""
    lost = -math.log1p(-s.alpha) * s.L / (s.eta * s.B) + s.k * s.B
    with np.errstate(divide="ignore"):
        return lost + (np.log(s.n) + xlog(s.k, (s.n - 1) / np.float64(s.alpha))) / s.eta


T_VARIABLE_SHARE = Guarantee(
    "T-VARIABLE-SHARE",
    "variable share",
    "loss - L <= L ln(1/(1-alpha)) / (eta B) + ln n / eta + k (B + ln((n-1)/alpha) / eta) for every sequence of "
    "experts with k shifts: the number of rounds is not in it",
    "Herbster & Warmuth 1998",
    variable,
    against="sequence",
    assumptions=(MIXES, BOUNDED, LITTLE),
    when=lambda s: limit(s) > 0,
    uses=("n", "k", "L", "B", "eta", "alpha"),
)
T_VS_ALLOC = Guarantee(
    "T-VS-ALLOC",
    "variable share over losses in a range",
    "loss - L <= the bound of T-VARIABLE-SHARE + eta B^2 T / 8 for every sequence of experts with k shifts",
    "Herbster & Warmuth 1998, with Hoeffding's lemma",
    lambda s: variable(s) + s.eta * s.B**2 * s.T / 8,
    against="sequence",
    assumptions=(BOUNDED, LITTLE),
    when=hoeffding,
    uses=("T", "n", "k", "L", "B", "eta", "alpha"),
)


class VariableShareState(NamedTuple):
    p: Array  # the shared weights
    given: Array  # what each expert gives away this round
    c: float  # ln(1 - alpha) / B: an expert keeps exp(c ell) of its weight


class VariableShare(Tracking):
    """Follow the best sequence of experts: an expert shares the more of its weight, the more it loses.

        p_i = 1/n
        each round:  predict p . x;  v_i = p_i exp(-eta ell_i), normalised;  s_i = 1 - (1-alpha)^(ell_i / B);
                     p_i = (1 - s_i) v_i + sum over j != i of s_j v_j / (n-1)

    ell_i = loss(x_i, y) lies in [0, B]. O(n) a round, two exponentials an expert. An expert that loses nothing shares
    nothing, so long quiet stretches cost nothing. The best alpha is k / (k + L/B) for k shifts and loss L; the
    default of 1/100 is one shift for every 99 B that the best sequence loses. Left unset, eta is the exp-concavity
    of the loss, or its mixability with Vovk's prediction (`substitution`).

    >>> learner = VariableShare(alpha=0.5).start(2, interval=(0, 1), allocation=False)
    >>> learner.update([0.0, 1.0], 0.0).weights.round(4).tolist()
    [0.8112, 0.1888]

    Herbster & Warmuth (1998). Ledger: A-VARIABLE-SHARE.
    """

    alpha: Annotated[float, Interval(0.0, 1.0, "[)")] = 0.01
    guarantees = (T_VARIABLE_SHARE, T_VS_ALLOC)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if isinstance(game, Allocation) and game.low != 0.0:
            raise BadInput(
                f"{self.key}: losses must lie in [0, B], not [{game.low:g}, {game.high:g}]"
            )
        if not math.isfinite(shape.span):
            raise BadInput(f"{self.key}: the loss must be bounded: try fixed-share")
        if self.eta is not None:
            return self
        eta = self.mixing(game)
        if not eta > 0:
            raise BadInput(
                f"{self.key}: eta follows from an exp-concave loss only: set it, or try fixed-share"
            )
        return self.replace(eta=eta)

    def begin(self, shape: Shape) -> VariableShareState:
        p = np.full(shape.n, 1.0 / shape.n)
        return VariableShareState(p, np.zeros(shape.n), math.log1p(-self.alpha) / shape.span)

    def decide(self, state: VariableShareState, x: Array) -> Array:
        return state.p

    def learn(self, state: VariableShareState, x: Array, p: Array, f: Losses) -> VariableShareState:
        n = state.p.shape[0]
        posterior(state.p, self.eta, f.ell)  # type: ignore[arg-type]
        if n > 1:
            pool = 0.0
            for i in range(n):
                state.given[i] = state.p[i] * (1.0 - decay(state.c * f.ell[i]))
                pool += state.given[i]
            for i in range(n):
                mine = state.given[i]
                state.p[i] = max(state.p[i] - mine + (pool - mine) / (n - 1.0), TINY)
        return state
