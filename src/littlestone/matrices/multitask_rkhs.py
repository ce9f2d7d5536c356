"""Several tasks whose best function of a kernel keeps coming back, one round at a time (A-MT-RKHS)."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Interval, Rate
from ..core.scratch import Buffer, Scratch
from ..core.shared_methods import with_methods
from ..core.stream import Array
from ..games import Coin, Game, Shape
from ..kernels.functions.algebra import Kernel
from ..kernels.functions.names import kernel_named, takes_sets, takes_strings
from .meg_imcsi import SLOW, bound_of_comparators, count_update, rate_of
from .pairs_met import COUNT, NUMBERS, PACE, STEPS, SWIFT, TRACE, UPDATES
from .path_tree import leaf_resistance
from .quadrature import lanczos

FIRST = 16  # updates that there is room for at first; the room doubles when it is full
STEPS_FIRST = 24  # steps of Lanczos that there is room for at first
LIMIT = 8192  # updates: a square matrix of so many rows takes half a gigabyte
USUAL = 16.0  # the complexity of each mode where none is given
LATEST = 1 << 40  # positions in time
POSITIONS = NUMBERS  # in N: positions in time, ...
RESISTANCE = NUMBERS + 1  # ... and the largest P(t, t)

Tasks = Annotated[int, Interval(1, 1 << 20, "[]", True)]
Modes = Annotated[int, Interval(1, 1 << 20, "[]", True)]
Length = Annotated[int | None, Interval(1, 1 << 30, "[]", True)]
Complexity = Annotated[float | None, Interval(1.0, math.inf, "[)")]
Top = Annotated[float, Interval(0.0, math.inf, "()")]


T_MT_RKHS_ONLINE = Guarantee(
    "T-MT-RKHS-ONLINE",
    "switching multitask over the space of a kernel, one round at a time",
    "expected mistakes - mistakes of h <= m^(1/2) ((C/m) ln(2N) / eta + 2 sum of eta over the updates) / 2 for every "
    "choice of one of m sign functions in each round whose complexity, sum_j |h_j|^2 X^2 + m R sum_j |c_j|^2, is at "
    "most C: N positions in time, c_j the indicator of the positions of mode j, |c_j| its norm for the path-tree "
    "kernel P, R the largest P(t, t); at eta = sqrt(C ln(2N) / (2 T m)) this is sqrt(2 C T ln(2N))",
    "Herbster, Pasteris & Tse 2020; the factor 4 of the original is not needed; for falling rates as T-MEG",
    bound_of_comparators,
    against="own",
    assumptions=(EVEN, SLOW),
    uses=("margin", "dimension", "rows", "columns", "pace", "swift"),
    infinite="no hypotheses that were compared with are simple enough for this complexity and number of modes",
)


def write_products(state: Any, self: Any, c: Any, f: Any, n: int) -> None:
    """f = G c, for the updates and, as the last place, the round that is asked about."""
    last, g = n - 1, state.g
    total = g[last] * c[last]
    for r in range(last):
        total += g[r] * c[r]
        f[r] = g[r] * c[last]
    for s in range(last):
        v = c[s]
        if v != 0.0:
            for r in range(last):
                f[r] += v * state.G[s, r]
    f[last] = total


def write_image(state: Any, q: Any, w: Any, n: int, eta: float) -> None:
    """w += A q, from the inner products q."""
    for s in range(n - 1):
        w[s] += eta * state.mass[s] * q[s]


@with_methods(write_products=write_products, write_image=write_image)
class State(NamedTuple):
    V: Buffer  # the vectors q_1, q_2, … of Lanczos by their coefficients; beneath them their inner products
    H: Buffer  # the tridiagonal matrix, and room for its eigenvalues
    g: Buffer  # the inner products of the features of this round with those of the updates, and with themselves
    S: Array  # of each update: its instance, ...
    position: Array  # ... its position in time, ...
    mass: Array  # ... its label times its importance
    G: Array  # the inner products of the features of the updates
    visits: Array  # of each task: how many of its rounds were learned from
    N: Annotated[Array, Scratch(STEPS)]  # numbers, in the order of pairs_met.py


class MultitaskRKHS(Learner[State, Any, float, Outcome]):
    """Follow functions in the space of a kernel that keep coming back, in several tasks at once.

        x_t = [K(z_t, .) / sqrt(2 X^2) ; P(p_t, .) / sqrt(2 R)]     of the instance z_t at the position p_t in time
        ybar_t = D / (2N) x_t' exp(eta sum over s in U of y_s x_s x_s') x_t - 1,     D = C / m
        predict sign(ybar_t - Y), Y uniform on (-1/sqrt(m), 1/sqrt(m));  if y_t ybar_t <= 1/sqrt(m) put t into U

    An example is [task, features of the instance ...], tasks counted from 0. Each round is one of a table: a row for
    every instance, a column for every position in time, and in it what the hypothesis of that position says of that
    instance. The tasks are laid end to end, each with room for `length` rounds, rounded up to a power of two (so that
    a task is a subtree of the path tree P); N is the number of positions. `length` is at least the rounds of the
    longest task; left out, it is the number of all rounds.

    `modes` m is how many different hypotheses there are, `complexity` C how complex they are together:
    sum_j |h_j|^2 X^2 and what the times of their changes cost (see T-MT-RKHS-ONLINE; left out, 16 m). `top` is X^2, at
    least the largest K(z, z): 1 for kernels of the distance. `eta` follows the theorem, tuned to the number of rounds;
    where that is not known the rate falls with the updates.

    A round costs about a dozen steps of Lanczos, each O(updates^2); there is no eigendecomposition. A round of
    importance h that is learned from counts as h rounds.

    >>> learner = MultitaskRKHS(tasks=2, length=8)
    >>> for _ in range(3):  # the tasks disagree
    ...     learner = learner.update([0, 1.5], 1).update([1, 1.5], -1)
    >>> learner.predict([0, 1.5]), learner.predict([1, 1.5])
    (1, -1)

    Herbster, Pasteris & Tse (2020). Ledger: A-MT-RKHS; T-MT-RKHS, E-CEIL, E-TIMECOL, E-PATHTREE.
    """

    kernel: Kernel | str = "gaussian"
    tasks: Tasks = 1
    modes: Modes = 2
    length: Length = None
    complexity: Complexity = None
    top: Top = 1.0
    eta: Rate = None
    key = "multitask-rkhs"
    examples = True
    labels = True
    sparse = False
    fixed = False  # `learn` may hand back larger arrays
    diagnostics = ("updates", "pace", "swift")
    guarantees = (T_MT_RKHS_ONLINE,)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "kernel", kernel_named(self.kernel, self.key))
        if takes_sets(self.kernel) or takes_strings(self.kernel):
            raise BadInput(f"{self.key}: kernel: its instances are vectors, not sets or strings")
        if self.complexity is None:
            object.__setattr__(self, "complexity", USUAL * self.modes)
        if self.length is not None and positions(self.tasks, self.length) > LATEST:
            raise BadInput(
                f"{self.key}: tasks={self.tasks} of length={self.length:,} are too many rounds"
            )

    def game(self, allocation: bool) -> Game:
        return Coin()

    def tuned(self, shape: Shape, game: Game) -> MultitaskRKHS:
        if self.length is None:
            if not shape.T:
                raise BadInput(
                    f"{self.key}: say how many rounds the longest task has at most: length=…, or the number of rounds"
                )
            return self.replace(length=int(shape.T)).tuned(shape, game)
        if self.eta is not None or not shape.T:
            return self
        N = positions(self.tasks, self.length)
        C = float(self.complexity or 0.0)
        return self.replace(eta=math.sqrt(C * math.log(2 * N) / (2 * shape.T * self.modes)))

    def symbols(self) -> dict[str, Any]:
        N = positions(self.tasks, self.length or 2)
        return {
            "dimension": float(self.complexity or 0.0) / self.modes,
            "margin": 1.0 / math.sqrt(self.modes),
            "rows": N,
            "columns": N,
        }

    def comparators(self, rounds: Any) -> Comparators:
        """Hypotheses of the run to compare with: one for all, one a group of tasks, several in turns."""
        from .task_comparators import comparators

        return comparators(self, rounds)

    def begin(self, shape: Shape) -> State:
        if shape.n < 2:
            raise BadInput(
                f"{self.key} learns from examples [task, features ...]; these have {shape.n}"
            )
        N, places = np.zeros(NUMBERS + 2), positions(self.tasks, self.length or 2)
        N[TRACE] = math.log(float(self.complexity or 1.0) / self.modes)
        N[POSITIONS], N[RESISTANCE] = places, 2.0 * float(leaf_resistance(places))
        return State(
            np.zeros((2 * STEPS_FIRST + 2, FIRST + 1)),
            np.zeros((5, STEPS_FIRST + 1)),
            np.zeros(FIRST + 1),
            np.zeros((FIRST, shape.n - 1)),
            np.zeros(FIRST),
            np.zeros(FIRST),
            np.zeros((FIRST, FIRST)),
            np.zeros(self.tasks),
            N,
        )

    def decide(self, state: State, x: Any) -> float:
        n = write_features(self, state, x)
        for s in range(n):
            state.V[0, s] = 0.0
        state.V[0, n - 1] = 1.0
        D, wide = dimension(self), 2.0 * state.N[POSITIONS]
        eta = rate_of(self.eta, D * math.log(wide), state.N[COUNT])
        return (lanczos(self, state, n, eta, D / wide) - 1.0) * math.sqrt(self.modes)

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score <= 1.0:
            self.decide(state, x)  # which writes its features, and counts its steps
        return self.learn_now(state, x, score, f)

    def learn_now(self, state: State, x: Any, score: float, f: Outcome) -> State:
        N = state.N
        if f.y * score <= 1.0:
            D = dimension(self)
            eta = rate_of(self.eta, D * math.log(2.0 * N[POSITIONS]), N[COUNT])
            state = roomy(state)  # first, for it may refuse
            put_update(self, state, x, f.h * f.y)
            count_update(N, self.eta == 0.0, D, eta, score / math.sqrt(self.modes), f)
        state.visits[int(x[0])] += 1.0
        return state

    def write_diagnostics(self, state: State, R: Array) -> None:
        R[0], R[1], R[2] = state.N[UPDATES], state.N[PACE], state.N[SWIFT]


def room_of_task(length: int) -> int:
    """Positions of a task: the first power of two that is at least its rounds, and at least 2.

    >>> [room_of_task(n) for n in (1, 2, 5, 8)]
    [2, 2, 8, 8]
    """
    return 1 << max(int(length) - 1, 1).bit_length()


def positions(tasks: int, length: int) -> int:
    """Positions in time of all tasks."""
    return tasks * room_of_task(length)


def dimension(self: Any) -> float:
    """D of MEG-IMCSI."""
    return float(self.complexity) / float(self.modes)


def position_of(self: Any, state: State, x: Any) -> float:
    """The next position of the task of this round."""
    task = place_of_task(x[0], self.tasks)
    if state.visits[task] >= self.length:
        raise BadInput("this task has more rounds than `length`: say how many the longest task has")
    return float(task * (state.N[POSITIONS] / self.tasks) + state.visits[task])


def place_of_task(v: float, tasks: int) -> int:
    """The first feature as a task; compiled code has no other check."""
    if not (v >= 0.0 and v < tasks and v == math.floor(v)):
        raise BadInput(
            "the first feature must be the task, a whole number from 0 on, below `tasks`"
        )
    return int(v)


def path_tree_at(t: float, u: float, top: float) -> float:
    """P(t, u): the largest entry less the height of the lowest common ancestor."""
    while t != u:
        t, u = math.floor(0.5 * t), math.floor(0.5 * u)
        top -= 1.0
    return top


def write_features(self: Any, state: State, x: Any) -> int:
    """The inner products of this round's features with those of the updates; how many, with its own."""
    kernel, g, n = self.kernel, state.g, int(state.N[COUNT])
    t, z, top = position_of(self, state, x), x[1:], state.N[RESISTANCE]
    own = kernel.self_of(z)
    if own > self.top * (1.0 + 1e-12):
        raise BadInput("K(x, x) of this instance is above `top`, the largest there may be")
    for s in range(n):
        near = path_tree_at(t, state.position[s], top)
        g[s] = 0.5 * (kernel.of(z, state.S[s]) / self.top + near / top)
    g[n] = 0.5 * (own / self.top + 1.0)
    return n + 1


def put_update(self: Any, state: State, x: Any, y: float) -> None:
    """Keep this round, the inner products of which are in g."""
    n = int(state.N[COUNT])
    for i in range(state.S.shape[1]):
        state.S[n, i] = x[i + 1]
    state.position[n], state.mass[n] = position_of(self, state, x), y
    for s in range(n + 1):
        state.G[n, s] = state.g[s]
        state.G[s, n] = state.g[s]


def roomy(state: State) -> State:
    """The same, with room for one more update and twice the steps of the last quadrature."""
    N, room, K = state.N, state.mass.shape[0], state.H.shape[1] - 1
    n, places, steps = int(N[COUNT]), room, K
    if n + 1 >= room:
        places = 2 * room
    if 2 * int(N[STEPS]) > K and room + 2 > K:
        steps = 2 * K
    if places == room and steps == K:
        return state
    if places > LIMIT:
        raise BadInput("8,192 rounds were learned from: there is no room for more")
    g, S, position = np.zeros(places + 1), np.zeros((places, state.S.shape[1])), np.zeros(places)
    mass, G = np.zeros(places), np.zeros((places, places))
    for s in range(n + 1):
        g[s] = state.g[s]
    for s in range(n):
        position[s], mass[s] = state.position[s], state.mass[s]
        for i in range(S.shape[1]):
            S[s, i] = state.S[s, i]
        for r in range(n):
            G[s, r] = state.G[s, r]
    V, H = np.zeros((2 * steps + 2, places + 1)), np.zeros((5, steps + 1))
    return State(V, H, g, S, position, mass, G, state.visits, N)
