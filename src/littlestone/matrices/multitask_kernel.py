"""Several tasks whose best hypothesis keeps coming back, each a function in the space of a kernel (A-MT-RKHS).

The tasks are laid end to end, so that every round has a position in time; row = the instance, column = the position,
entry = what the hypothesis of that position says of that instance. Over instances there is the kernel of the
hypotheses, over positions the path-tree kernel, for which hypotheses that seldom change are simple. One matrix, one
run of MEG-IMCSI:

    margin = 1/sqrt(m);  D = C/m;  eta = sqrt(C ln(2T) / (2 T m))
    C >= sum over the m modes of |h|^2 X^2  +  2 (s + k - 1) m ceil(log2 T)^2  +  2 m^2

for s tasks, k switches within tasks, m modes and T rounds. Herbster, Pasteris & Tse (2020). Ledger: A-MT-RKHS;
T-MT-RKHS, E-CEIL, E-TIMECOL, E-PROOFSKETCH (the term of the positions is tr(C' P^-1 C) R_N, of order k (log T)^2).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array, Batch
from ..encode.stream import Stream
from ..kernels.functions.gram import gram
from ..play.play_stream import play_stream
from .meg_imcsi import MEGIMCSI
from .path_tree import height
from .side_information import side

LIMIT = 8000  # rounds: two matrices of so many rows and columns


class Tasks(NamedTuple):
    """What was played."""

    scores: Array  # of each round: ybar / margin; clipped to [-1, 1] it is the expectation of the prediction
    losses: Array  # the probability of a mistake
    loss: float  # expected mistakes
    bound: float  # on the regret (T-MT-RKHS), with the 4 that is not needed left out; without a complexity: bound_at
    learner: MEGIMCSI  # of several: the one with the least loss
    run: Any
    complexities: tuple[float, ...]  # one; without a complexity all that were mixed
    price: float  # what the mixture costs: sqrt(T ln(how many) / 2)

    def bound_at(self, complexity: float) -> float:
        """The bound on the regret to hypotheses of this complexity; infinite above all that were mixed."""
        T = self.learner.rows
        fits = [c for c in self.complexities if c >= complexity * (1.0 - 1e-12)]
        return regret_bound(min(fits), T) + self.price if fits else math.inf


def regret_bound(C: float, T: int) -> float:
    """sqrt(2 C T ln(2T)), of T-MT-RKHS."""
    return math.sqrt(2.0 * C * T * math.log(2 * T))


def complexity(norms: Any, top: float, tasks: int, switches: int, modes: int, rounds: int) -> float:
    """C: `norms` are the |h|^2 of the modes, `top` is X^2.

    >>> complexity(
    ...     [], 1.0, tasks=3, switches=5, modes=4, rounds=16
    ... )  # X-ILLUSTRATION: all but the norms
    928.0
    """
    squares = float(np.sum(np.asarray(norms, float))) * top
    return squares + 2.0 * (tasks + switches - 1) * modes * height(rounds) ** 2 + 2.0 * modes**2


def positions(tasks: Any, lengths: Any = None) -> tuple[Any, int]:
    """The column of each round, and how many there are: tasks laid end to end, in the order of their labels.

    `lengths` are the rounds of each task, or upper bounds on them; left out they are counted, which needs the whole
    list (E-TIMECOL).

    >>> positions(["a", "b", "a", "b", "b"])
    (array([0, 2, 1, 3, 4]), 5)
    """
    names, code = np.unique(np.asarray(tasks), return_inverse=True)
    counts = np.bincount(code, minlength=len(names))
    if lengths is None:
        room = counts
    else:
        room = np.array([int(lengths[name]) for name in names.tolist()])
        if (counts > room).any():
            at = int(np.argmax(counts > room))
            raise BadInput(
                f"task {names[at]} has {counts[at]} rounds, more than its length {room[at]}"
            )
    total = int(room.sum()) if lengths is None else int(sum(int(v) for v in lengths.values()))
    begins = dict(zip(names.tolist(), (np.cumsum(room) - room).tolist(), strict=True))
    if lengths is not None:  # tasks that never come keep their places
        at, begins = 0, {}
        for name, v in lengths.items():
            begins[name] = at
            at += int(v)
    seen: dict[Any, int] = {}
    made = np.empty(len(code), np.int64)
    for t, name in enumerate(names[code].tolist()):
        made[t] = begins[name] + seen.get(name, 0)
        seen[name] = seen.get(name, 0) + 1
    return made, total


def play_tasks(
    tasks: Any,
    x: Any,
    y: Any,
    *,
    kernel: Any = "gaussian",
    modes: int = 2,
    complexity: float | None = None,
    top: float | None = None,
    lengths: Any = None,
) -> Tasks:
    """Play a list of rounds (task, example, label of -1 or +1) through one matrix.

    `complexity` is C, `top` is X^2 (left out: the largest K(x, x) of the list). A round is about a dozen steps of
    Lanczos, each O(T^2); there is no O(T^3) a round, which the notes have.

    Without `complexity` those between modes and T modes, each twice the one before, are mixed by Hedge at the rate
    sqrt(8 ln N / T): for hypotheses of any complexity C among these the regret is at most that of T-MT-RKHS at 2 C,
    and sqrt(T ln N / 2) more (T-MT-RKHS-ANY). It takes N times as long.

    >>> tasks, x, y = [0, 1] * 8, [[1.0], [-1.0]] * 8, [1, -1] * 8
    >>> made = play_tasks(tasks, x, y, kernel="linear", modes=1, complexity=60.0)
    >>> bool(made.loss < 8 < made.bound)
    True
    >>> made = play_tasks(tasks, x, y, kernel="linear", modes=1)
    >>> made.complexities, round(made.price, 3)
    ((1.0, 2.0, 4.0, 8.0, 16.0), 3.588)
    """
    y = np.asarray(y, float)
    column, T = positions(tasks, lengths)
    K = gram(kernel, x)
    n = len(y)
    if not (len(column) == len(K) == n) or n == 0:
        raise BadInput(f"there are {len(column)} tasks, {len(K)} examples and {n} labels")
    if not np.isin(y, (-1.0, 1.0)).all():
        t = int(np.argmax(~np.isin(y, (-1.0, 1.0))))
        raise BadInput(f"row {t + 1}: the label is {y[t]:g}; it must be -1 or +1")
    if T < 2 or T > LIMIT:
        raise BadInput(f"there must be from 2 to {LIMIT:,} rounds, not {T:,}")
    if not modes >= 1 or (complexity is not None and not complexity >= modes):
        raise BadInput(
            f"complexity must be at least {modes}, the number of modes, not {complexity!r}"
        )
    if n < T:  # rows that never come: nothing is asked about them
        K = np.pad(K, ((0, T - n), (0, T - n)))
    rows = side(K, T, "the kernel of the examples", top)
    pairs = np.stack([np.arange(n), column], axis=1).astype(np.float64)
    grid = [float(complexity)] if complexity is not None else doubled(modes, T)
    played = [played_at(C, T, modes, rows, pairs, y) for C in grid]
    if complexity is not None:
        learner, run = played[0]
        return Tasks(
            run.scores,
            run.losses,
            run.loss,
            regret_bound(grid[0], T),
            learner,
            run,
            tuple(grid),
            0.0,
        )
    losses = np.array([run.losses for _, run in played])
    weights = hedged(losses, math.sqrt(8.0 * math.log(len(grid)) / n))
    mixed = (weights * losses).sum(axis=0)
    best = int(np.argmin(losses.sum(axis=1)))
    price = math.sqrt(n * math.log(len(grid)) / 2.0)
    # a mistake has the probability (1 - y score) / 2
    return Tasks(
        y * (1.0 - 2.0 * mixed),
        mixed,
        float(mixed.sum()),
        math.nan,
        *played[best],
        tuple(grid),
        price,
    )


def doubled(modes: int, T: int) -> list[float]:
    """Complexities from modes to T modes, each twice the one before.

    >>> doubled(2, 10)
    [2.0, 4.0, 8.0, 16.0, 32.0]
    """
    return [float(modes * 2**j) for j in range(1 + math.ceil(math.log2(T)))]


def hedged(losses: Array, eta: float) -> Array:
    """The weights of Hedge before each round, a row for each of its experts."""
    before = np.cumsum(losses, axis=1) - losses
    w = np.exp(-eta * (before - before.min(axis=0)))
    made: Array = w / w.sum(axis=0)
    return made


def played_at(
    C: float, T: int, modes: int, rows: Any, pairs: Array, y: Array
) -> tuple[MEGIMCSI, Any]:
    """MEG-IMCSI tuned to this complexity, and its run."""
    learner = MEGIMCSI(
        rows=T,
        columns=T,
        margin=1.0 / math.sqrt(modes),
        quasi_dimension=C / modes,
        eta=math.sqrt(C * math.log(2 * T) / (2 * T * modes)),
        row_kernel=rows,
        column_kernel="path-tree",
    )
    stream = Stream(
        [Batch(pairs, (y + 1.0) / 2.0)],
        ("row", "column"),
        rounds=len(y),
        whole=True,
        labels=(-1, 1),
        features=True,
    )
    run: Any = play_stream(learner, stream, allocation=False)
    return learner, run
