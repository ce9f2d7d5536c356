"""A function f(x) = sum_j a_j K(s_j, x), kept as its support vectors s_j and their coefficients a_j."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.learner import Learner
from ...core.outcome import Outcome
from ...core.parameters import EXACT, Choice, Interval
from ...core.scratch import Scratch
from ...core.stream import Array
from ...core.vectors import dot, norm2
from ...games import Shape
from ..functions.algebra import Kernel
from ..functions.gram import gram
from ..functions.names import kernel_named, refuse_width, takes_sets, takes_strings
from .scales import SEEN, brought, columns, rescale, watch

LIMIT = 1 << 27  # numbers that the support vectors may take: 1 GB
FIRST = 16  # support vectors that there is room for at first; the room doubles when it is full
Budget = Annotated[int | None, Interval(1, EXACT, "[]", True)]
Seed = Annotated[int, Interval(0, 2.0**53, "[]", True)]


class State(NamedTuple):
    S: Array  # the support vectors, one a row
    # of each: its coefficient a, |s|^2, and room for an inner product
    A: Annotated[Array, Scratch(DOT)]
    F: Annotated[Array, Scratch(SEEN)]  # of each feature: what scales.py knows of it
    N: Array  # numbers, in the order below


COEFFICIENT, SQUARE, DOT = 0, 1, 2  # rows of A
M = 0  # support vectors
TOP = 1  # the largest |s|^2
HEAD = 2  # the oldest support vector, once the budget is full
ROUNDS = 3
COUNT = 4  # rounds that it learned from, ...
UPDATES = 5  # ... each with its importance
K = 6  # the largest K(x, x) of such a round
HEAVIEST = 7  # the largest importance of one
RISES = 8  # how often K rose after the first removal
DROPS = 9  # support vectors that were removed
EARLY = 10  # updates (or expected mistakes) before the scales last changed
MASS = 11  # the sum of |a_j| just after that, ...
KEPT = 12  # ... and the number of support vectors
OWN = 13  # further numbers of each learner


class Expansion(Learner[State, Any, float, Outcome], abstract=True):
    """What learners over kernels share: the kernel, the budget, the scales."""

    kernel: Kernel | str = "gaussian"
    budget: Budget = None  # of support vectors; None: as many as there are
    forget: Annotated[str, Choice(("oldest", "random"))] = "oldest"  # which to drop for the next
    scale: bool | None = None  # None: for the gaussian and laplace kernels whose beta was left open
    seed: Seed = 0  # of the draws of forget="random"
    examples = True
    labels = True
    fixed = False  # `learn` may hand back larger arrays
    smallest = 1e-250  # quotients of smaller numbers leave the range of floats

    def __post_init__(self) -> None:
        if self.scale is None:
            by_name = isinstance(self.kernel, str)
            object.__setattr__(
                self, "scale", by_name and self.kernel in ("gaussian", "rbf", "laplace")
            )
        object.__setattr__(self, "kernel", kernel_named(self.kernel, self.key))
        super().__post_init__()
        object.__setattr__(self, "boolean", takes_sets(self.kernel))
        if self.boolean and self.scale:
            raise BadInput(f"{self.key}: scale=True: sets are 0/1 vectors, and have no scale")
        object.__setattr__(self, "strings", takes_strings(self.kernel))
        # a letter beyond the end of every string so far is a letter all the same
        object.__setattr__(self, "weighs_unseen", takes_strings(self.kernel))
        if takes_strings(self.kernel) and self.scale:
            raise BadInput(f"{self.key}: scale=True: the letters of strings have no scale")

    def begin(self, shape: Shape) -> State:
        d = shape.n
        refuse_width(self.kernel, shape.features or d, d, self.key)
        if FIRST * d > LIMIT:
            raise BadInput(
                f"{self.key} keeps whole examples: {d:,} features are too many (at most {LIMIT // FIRST:,}); "
                "hash them to fewer, or take a linear learner"
            )
        F = columns(d, bool(self.scale))
        return State(np.zeros((FIRST, d)), np.zeros((3, FIRST)), F, np.zeros(OWN + 6))

    def symbols(self) -> dict[str, Any]:
        return {"oldest": self.forget == "oldest", "bounded": self.budget is not None}

    def gram(self, state: State, X: Any) -> Array:
        """The Gram matrix of examples, the rows of a dense matrix, as this state sees them."""
        F = state.F.copy()
        Z = np.array([brought(x, F).copy() for x in X], dtype=np.float64)
        return gram(self.kernel, Z.reshape(len(X), F.shape[1]))

    def norm2_at_last_scaling(self, state: State) -> float:
        """|f|^2 when the scales last changed; without a budget no coefficient has changed since."""
        m = int(state.N[KEPT])
        if self.budget is not None:
            return float(state.N[K] * state.N[MASS] ** 2)  # at most
        a = state.A[COEFFICIENT, :m]
        return max(float(a @ gram(self.kernel, state.S[:m]) @ a), 0.0)


def expand(kernel: Any, state: Any, z: Any) -> float:
    """f(z): from inner products and stored norms where that is accurate, else from the kernel itself."""
    A, m, zz, total = state.A, int(state.N[M]), norm2(z), 0.0
    if kernel.by_dot(zz, state.N[TOP]):
        for j in range(m):
            A[DOT, j] = dot(state.S[j], z)
        for j in range(m):
            total += A[COEFFICIENT, j] * kernel.from_dot(A[DOT, j], zz, A[SQUARE, j])
    else:
        for j in range(m):
            total += A[COEFFICIENT, j] * kernel.of(z, state.S[j])
    return total


def rescaled(state: State, x: Any, early: float) -> None:
    """Watch the features; when it is time, bring them and the support vectors to their new scales."""
    A, N, t = state.A, state.N, int(state.N[ROUNDS])
    watch(x, t, state.F)
    if t > 1 and t & (t - 1) == 0 and rescale(t, state.F, state.S, int(N[M])):
        N[TOP], N[MASS], N[KEPT], N[EARLY] = 0.0, 0.0, N[M], early
        for j in range(int(N[M])):
            A[SQUARE, j] = norm2(state.S[j])
            N[TOP] = max(N[TOP], A[SQUARE, j])
            N[MASS] += abs(A[COEFFICIENT, j])


def put_support(state: State, j: int, z: Any, c: float) -> None:
    """c K(z, .) in the place of the j-th support vector, or as the next one."""
    A, N, old, new = state.A, state.N, state.A[SQUARE, j], norm2(z)
    for i in range(z.shape[0]):
        state.S[j, i] = z[i]
    A[COEFFICIENT, j], A[SQUARE, j], N[M] = c, new, max(N[M], j + 1.0)
    if old == N[TOP] and old > new:  # the longest one is gone
        N[TOP] = 0.0
        for i in range(int(N[M])):
            N[TOP] = max(N[TOP], A[SQUARE, i])
    N[TOP] = max(N[TOP], new)


def roomy(state: State, budget: float) -> State:
    """The same, with room for one more support vector; where the budget is full, no more are needed."""
    m, d = state.S.shape
    if int(state.N[M]) < m or 0 < budget <= m:
        return state
    if 2 * m * d > LIMIT:
        raise BadInput(
            "the support vectors take more than a gigabyte: set a budget, or take a fourier learner"
        )
    S, A = np.zeros((2 * m, d)), np.zeros((3, 2 * m))
    for j in range(m):
        A[COEFFICIENT, j] = state.A[COEFFICIENT, j]
        A[SQUARE, j] = state.A[SQUARE, j]
        for i in range(d):
            S[j, i] = state.S[j, i]
    return State(S, A, state.F, state.N)
