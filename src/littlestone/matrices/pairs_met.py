"""The state of MEG-IMCSI: the pairs learned from, and room for the vectors of Lanczos."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.scratch import Buffer, Scratch
from ..core.shared_methods import with_methods
from ..core.stream import Array
from .side_information import multiply

FIRST = 16  # places and pairs that there is room for at first; the room doubles when it is full
STEPS_FIRST = 24  # steps of Lanczos that there is room for at first
LIMIT = 1 << 27  # numbers that the vectors of Lanczos may take: 1 GB


ROW, COLUMN, BEFORE = 0, 1, 2  # rows of `pair`
PLACES = 0  # places taken
PAIRS = 1
STEPS = 2  # of the last quadrature
COUNT = 3  # rounds that it learned from, ...
UPDATES = 4  # ... each with its importance
TRACE = 5  # ln of a bound on the trace of W
PACE = 6  # the rate of the last update
SWIFT = 7  # the sum of the rates of the updates
NUMBERS = 8


def write_products(state: Any, self: Any, c: Any, f: Any, n: int) -> None:
    """f = the kernels times c: the inner products of the vector with the features of all places."""
    begin = 0
    for which in range(2):
        kernel, size = self.row_kernel, self.rows
        if which == 1:
            kernel, size = self.column_kernel, self.columns
        if kernel.begins.shape[0] > 0 or kernel.dense.shape[0] > 0 or kernel.levels > 0:
            multiply(kernel, c, f, begin, size)
            begin += size
    for s in range(begin, n):
        f[s] = 0.5 * c[s]


def write_image(state: Any, q: Any, w: Any, n: int, eta: float) -> None:
    """w += A q, from the inner products q."""
    pair = state.pair
    for p in range(int(state.N[PAIRS])):
        r, c = pair[ROW, p], pair[COLUMN, p]
        v = eta * state.mass[p] * (q[r] + q[c])
        w[r] += v
        w[c] += v


@with_methods(write_products=write_products, write_image=write_image)
class State(NamedTuple):
    V: Buffer  # the vectors q_1, q_2, … of Lanczos by their coefficients; beneath them what the kernels make of them
    H: Buffer  # the tridiagonal matrix, and room for its eigenvalues
    spot: Any  # of each row, then of each column: its place in a vector, or -1 where it was not met
    pair: Any  # of each pair learned from: the places of row and column, and the pair before of the same row
    head: Any  # of each place: the last pair of that row, or -1
    mass: Array  # of each pair: the sum of its labels
    N: Annotated[Array, Scratch(STEPS)]  # numbers, in the order below


def begin_pairs(places: int, spot: Any, trace: float) -> State:
    """No pair met, `places` taken by rows and columns that have a kernel; ln of the trace of W."""
    room, N = max(places, FIRST), np.zeros(NUMBERS)
    N[PLACES], N[TRACE] = places, trace
    return State(
        np.zeros((2 * STEPS_FIRST + 2, room)),
        np.zeros((5, STEPS_FIRST + 1)),
        spot,
        np.full((3, FIRST), -1, np.int64),
        np.full(room, -1, np.int64),
        np.zeros(FIRST),
        N,
    )


def remembered(self: Any, state: State, i: int, j: int, y: float) -> State:
    """The state that has learned one more label of the pair (i, j)."""
    state = roomy(state)  # first, for it may refuse
    spot, pair, N = state.spot, state.pair, state.N
    for s in (i, self.rows + j):
        if spot[s] < 0:
            spot[s] = int(N[PLACES])
            N[PLACES] += 1.0
    r, c = spot[i], spot[self.rows + j]
    p = state.head[r]
    while p >= 0 and pair[COLUMN, p] != c:
        p = pair[BEFORE, p]
    if p < 0:
        p = int(N[PAIRS])
        N[PAIRS] += 1.0
        pair[ROW, p], pair[COLUMN, p], pair[BEFORE, p] = r, c, state.head[r]
        state.head[r] = p
        state.mass[p] = 0.0
    state.mass[p] += y
    return state


def roomy(state: State) -> State:
    """The same, with room for two more places, one more pair, and twice the steps of the last quadrature."""
    N, room, K = state.N, state.V.shape[1], state.H.shape[1] - 1
    places, steps = room, K
    if int(N[PLACES]) + 2 > room:
        places = 2 * room
    if 2 * int(N[STEPS]) > K and room + 2 > K:
        steps = 2 * K
    pair, mass, head, V, H = state.pair, state.mass, state.head, state.V, state.H
    if places != room or steps != K:
        if (2 * steps + 2) * places > LIMIT:
            raise BadInput("the rows and columns met take more than a gigabyte")
        V, H = np.zeros((2 * steps + 2, places)), np.zeros((5, steps + 1))
        head = np.full(places, -1, np.int64)
        for s in range(room):
            head[s] = state.head[s]
    if int(N[PAIRS]) == mass.shape[0]:
        m = mass.shape[0]
        pair, mass = np.full((3, 2 * m), -1, np.int64), np.zeros(2 * m)
        for p in range(m):
            mass[p] = state.mass[p]
            for k in range(3):
                pair[k, p] = state.pair[k, p]
    return State(V, H, state.spot, pair, head, mass, N)
