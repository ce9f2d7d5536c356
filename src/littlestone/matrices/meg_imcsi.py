"""Matrix exponentiated gradient for matrix completion with side information (MEG-IMCSI), by Lanczos quadrature."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from ..core.guarantee import EVEN, Assumption, Comparators, Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Interval, Rate
from ..core.stream import Array
from ..games import Coin, Game, Shape
from .comparators import comparators
from .pairs import Size, begins_with_pairs, place_of
from .pairs_met import COUNT, PACE, SWIFT, TRACE, UPDATES, State, begin_pairs, remembered
from .quadrature import quadrature
from .side_information import side

Margin = Annotated[float, Interval(0.0, 1.0, "(]")]
Dimension = Annotated[float | None, Interval(1.0, math.inf, "[)")]


def bound_of_comparators(s: Symbols) -> Any:
    """The bound, for the comparators that it is about: others are not promised anything."""
    total = (s.dimension * math.log(s.rows + s.columns) / max(s.pace, 1e-300) + 2 * s.swift) / (
        2 * s.margin
    )
    fits = (s.maxnorm * s.margin <= 1 + 1e-9) & (s.quasi <= s.dimension * (1 + 1e-9))
    return np.where(fits, total if s.updates > 0 else 0.0, np.inf)


THREE = Assumption(
    "rows and columns are at least 3 together",
    lambda s: None if s.rows + s.columns >= 3 else "there are 2",
)
SLOW = Assumption(
    "eta is at most 1.79",
    lambda s: (
        None
        if not s.eta > 1.79
        else f"eta is {s.eta:g}: there are too few rounds for so large a matrix"
    ),
)
T_MEG = Guarantee(
    "T-MEG",
    "matrix exponentiated gradient with side information",
    "expected mistakes - mistakes of U <= (D ln(m + n) / eta + 2 sum of eta over the updates) / (2 margin) for every "
    "matrix U of two signs with max-norm at most 1/margin and quasi-dimension at most D; at eta = sqrt(D ln(m + n) / "
    "(2 T)) this is at most sqrt(2 D ln(m + n) T) / margin",
    "Herbster, Pasteris & Tse 2020; the factor 4 of the original is not needed; for falling rates as in follow the "
    "regularised leader",
    bound_of_comparators,
    against="own",
    assumptions=(EVEN, THREE, SLOW),
    uses=("margin", "dimension", "rows", "columns", "pace", "swift"),
    infinite="no matrix that was compared with is simple enough for this margin and quasi-dimension",
)


class MEGIMCSI(Learner[State, Any, float, Outcome]):
    """Complete a matrix of two labels, entry by entry, with kernels over its rows and columns.

        x_t = [M^(1/2) e_i / sqrt(2 R_M) ; N^(1/2) e_j / sqrt(2 R_N)]     of the entry (i, j) that is asked for
        ybar_t = D / (m + n) x_t' exp(eta sum over s in U of y_s x_s x_s') x_t - 1
        predict sign(ybar_t - Y), Y uniform on (-margin, margin);  if y_t ybar_t <= margin put t into U

    An example is [i, j], counted from 0; `rows` and `columns` are numbers, or bounds on them where these are
    not known beforehand. `row_kernel` and `column_kernel` are positive semidefinite matrices M and N, dense or sparse,
    or "path-tree" where columns are moments in time (left out: the identity, nothing is known); R_M is the largest
    M(i, i). `margin` is at most one over the max-norm of a good matrix, `quasi_dimension` D at least its
    quasi-dimension (left out: m + n, which is enough without kernels). `eta` follows the theorem, tuned to the number
    of rounds; where it is not known the rate falls with the updates.

    No matrix is made: x' exp(A) x is a quadrature of about a dozen steps of Lanczos, each of which costs one pass
    over the pairs learned from and one product with each kernel. The error of ybar is below 1e-13. A round of
    importance h that is learned from counts as h rounds.

    >>> learner = MEGIMCSI(rows=2, columns=2, margin=1, eta=0.832555)
    >>> for i, j, y in ((0, 0, 1), (0, 1, -1), (1, 0, -1)):
    ...     learner = learner.update([i, j], y)
    >>> round(learner.ask([1, 1]).decision, 4)  # X-MEG-TRACE
    -0.2624

    Herbster, Pasteris & Tse (2020); Golub & Meurant (2010). Ledger: A-MEG-IMCSI; T-MEG, E-MEG-GAMMA, E-MEG-4.
    """

    rows: Size = 1000
    columns: Size = 1000
    margin: Margin = 0.5
    quasi_dimension: Dimension = None
    eta: Rate = None
    row_kernel: Any = None
    column_kernel: Any = None
    key = "meg-imcsi"
    examples = True
    labels = True
    sparse = False
    fixed = False  # `learn` may hand back larger arrays
    diagnostics = ("updates", "pace", "swift")
    guarantees = (T_MEG,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.quasi_dimension is None:
            object.__setattr__(self, "quasi_dimension", float(self.rows + self.columns))
        for name, size in (("row_kernel", self.rows), ("column_kernel", self.columns)):
            made = side(getattr(self, name), size, f"{self.key}: {name}")
            object.__setattr__(self, name, made)

    @property
    def limits(self) -> tuple[int, int]:
        """Features are places in a table of so many rows and columns."""
        return self.rows, self.columns

    def game(self, allocation: bool) -> Game:
        return Coin()

    def tuned(self, shape: Shape, game: Game) -> MEGIMCSI:
        if self.eta is not None or not shape.T:
            return self
        D = float(self.quasi_dimension or 0.0)
        return self.replace(eta=math.sqrt(D * math.log(self.rows + self.columns) / (2 * shape.T)))

    def symbols(self) -> dict[str, Any]:
        return {"dimension": self.quasi_dimension}

    def comparators(self, rounds: Any) -> Comparators:
        """Simple matrices to compare with, made of the rounds that were kept."""
        return comparators(self, rounds)

    def begin(self, shape: Shape) -> State:
        begins_with_pairs(self.key, shape)
        spot, places = np.full(self.rows + self.columns, -1, np.int64), 0
        for kernel, begin, size in (
            (self.row_kernel, 0, self.rows),
            (self.column_kernel, self.rows, self.columns),
        ):
            if kernel.is_known:
                spot[begin : begin + size] = np.arange(places, places + size)
                places += size
        return begin_pairs(places, spot, math.log(float(self.quasi_dimension or 1.0)))

    def decide(self, state: State, x: Any) -> float:
        i, j = place_of(x[0], self.rows), place_of(x[1], self.columns)
        a, b = state.spot[i], state.spot[self.rows + j]
        D = float(self.quasi_dimension)  # type: ignore[arg-type]
        q = quadrature(self, state, a, b, rate(self, state.N), D / (self.rows + self.columns))
        return (q - 1.0) / self.margin

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score <= 1.0:
            self.decide(state, x)  # which counts its steps: room is made for twice as many
        return self.learn_now(state, x, score, f)

    def learn_now(self, state: State, x: Any, score: float, f: Outcome) -> State:
        N = state.N
        if f.y * score <= 1.0:
            D = float(self.quasi_dimension)  # type: ignore[arg-type]
            count_update(N, self.eta == 0.0, D, rate(self, N), self.margin * score, f)
            state = remembered(self, state, int(x[0]), int(x[1]), f.h * f.y)
        return state

    def write_diagnostics(self, state: State, R: Array) -> None:
        R[0], R[1], R[2] = state.N[UPDATES], state.N[PACE], state.N[SWIFT]


def rate(self: Any, N: Any) -> float:
    """eta; where the number of rounds is not known, one that falls with the updates."""
    return rate_of(self.eta, self.quasi_dimension * math.log(self.rows + self.columns), N[COUNT])


def rate_of(eta: Any, nats: float, updates: float) -> float:
    """eta; where it is not set, one that falls with the updates: `nats` are D ln(m + n)."""
    made = float(eta)
    return made if made != 0.0 else min(1.0, math.sqrt(nats / (4.0 * (updates + 1.0))))


def count_update(N: Any, falls: bool, D: float, eta: float, ybar: float, f: Outcome) -> None:
    """Count one more update at the rate eta, which `falls` or does not, and bound the trace of W after it."""
    if falls:  # the next rate is smaller, and what has shrunk grows again
        N[TRACE] = log_sum(N[TRACE], math.log(D))
    if f.y > 0.0:  # Golden & Thompson: the trace grows by a (exp(eta) - 1), a = ybar + 1, at most
        N[TRACE] = log_sum(N[TRACE], math.log(max(ybar + 1.0, 1e-300)) + log_growth(eta * f.h))
    N[PACE] = eta
    N[SWIFT] += eta
    N[COUNT] += 1.0
    N[UPDATES] += f.h


def log_sum(a: float, b: float) -> float:
    """ln(e^a + e^b)."""
    top = max(a, b)
    return top + math.log(math.exp(a - top) + math.exp(b - top))


def log_growth(v: float) -> float:
    """ln(e^v - 1)."""
    return v if v > 30.0 else math.log(max(math.exp(v) - 1.0, 1e-300))
