"""Linear predictors of numbers in hindsight, with an intercept, and the regret bound of coin betting to each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.guarantee import Comparators
from ...core.stream import Array
from ...hindsight.search.best_linear import BEST, FOUND
from ...hindsight.search.design import Design
from ...hindsight.search.kept_rounds import KeptRounds
from ...hindsight.search.several_classes import PENALISED
from .coin_betting import INVERSE_SCALE, regret_bound
from .outer_mixture import CENTRE, OuterMixture

RIDGE_PENALTIES = (
    1e7,
    1e6,
    1e5,
    1e4,
    1e3,
    1e2,
    1e1,
)  # over the loss of the centre: times a^2 they are losses
FEW = (1e5, 1e3, 1e1, 1e-1)  # where there are many coordinates
STEPS = 30  # of conjugate gradients for each of them
WORK = 2e9  # multiplications: minimisers are found on a part of longer runs
MANY = 500  # coordinates: with more there is no square matrix of them
BLOCK = 1 << 20  # numbers of the examples that are looked at together
LARGEST = 1e300  # of a sum of squares
LEAST = f"{PENALISED} square loss"  # the least that there is, without a penalty


def best_number_lines(rounds: KeptRounds, mixtures: list[OuterMixture]) -> Comparators:
    """The mean, the best linear predictor, and minimisers of the square loss with a penalty: the promise is for all.

    The penalty is on weights over INVERSE_SCALE, with which the promise grows, so that units do not matter to it.
    """
    known = rounds.known
    if not known.any():
        return Comparators("own", str, np.zeros(0), why="no round had an answer")
    D = Design(rounds.x, True, rounds.width)
    D = D if known.all() else D.some(known)
    y, h = rounds.y[known], rounds.h[known]
    mean = float(h @ y / h.sum())
    found = {"always 0": np.zeros(D.d), "the mean outcome": np.zeros(D.d)}
    found["the mean outcome"][0] = mean
    q = np.mean([m.coin.bettors[0, : D.d, INVERSE_SCALE] for m in mixtures], axis=0)
    centre = float(np.mean([m.stats[CENTRE] for m in mixtures]))
    far = y - centre
    if 1.0 / LARGEST < float(far @ far) < LARGEST:
        some = minimisers(D, far, q) if D.d <= MANY else by_gradients(D, far, q)
        found |= {name: u + centre * np.eye(1, D.d)[0] for name, u in some.items()}
    L = np.array([float(h @ (D.scores(u) - y) ** 2) for u in found.values()])
    # of the square loss alone it is the best; of loss and promise together none is proved to be
    best = BEST if LEAST in found and list(found)[int(np.argmin(L))] == LEAST else ""
    cost = [sum(regret_bound_to(m, u) for m in mixtures) for u in found.values()]
    return Comparators(
        "own",
        list(found).__getitem__,
        L * rounds.passes,
        {"coin_regret": np.array(cost)},
        best=best,
    )


def regret_bound_to(mixture: OuterMixture, u: Array) -> float:
    """The regret bound of the bettors of a mixture to u: its intercept is measured from the mixture's centre."""
    v = u.copy()
    v[0] -= mixture.stats[CENTRE]
    return regret_bound(mixture.coin, v[None, : mixture.coin.bettors.shape[1]])


def minimisers(D: Design, y: Array, q: Array) -> dict[str, Array]:
    """The least square loss, without and with penalties lam sum_i (u_i / q_i)^2."""
    step = max(1, int(D.T * float(D.d) ** 2 // WORK))
    top, A, b = triangle(D, y, step)
    found = {LEAST if step == 1 else FOUND: np.linalg.lstsq(A, b, rcond=None)[0] / top}
    part = y[::step]
    for penalty in RIDGE_PENALTIES:
        lam = penalty / float(part @ part)
        both = np.vstack([A * (top * q), np.sqrt(lam) * np.eye(D.d)])
        v = np.linalg.lstsq(both, np.concatenate([b, np.zeros(D.d)]), rcond=None)[0]
        found[f"{PENALISED} square loss, penalty {lam:.3g}"] = v * q
    return found


def by_gradients(D: Design, y: Array, q: Array) -> dict[str, Array]:
    """The same for many coordinates, close to the minimum: conjugate gradients, of which the first do the most."""
    from scipy.sparse.linalg import LinearOperator, lsqr

    step = max(1, int(D.numbers() * 2 * STEPS * len(FEW) // WORK))
    D, y = D.some(slice(None, None, step)).scaled(q), y[::step]
    X = LinearOperator((D.T, D.d), matvec=D.scores, rmatvec=D.adjoint)
    found = {}
    for penalty in FEW:
        lam = penalty / float(y @ y)
        v = lsqr(X, y, damp=float(np.sqrt(lam)), iter_lim=STEPS)[0]
        found[f"{PENALISED} square loss, penalty {lam:.3g}"] = q * v
    return found


def triangle(D: Design, y: Array, step: int) -> tuple[Array, Array, Array]:
    """The largest size of each coordinate; A and b such that |A v - b|^2 is, but for a constant, |X (v / top) - y|^2.

    Of every `step`-th round, block by block: as exact as with all of them at hand, in the memory of one block.
    """
    rows = max(D.d + 1, BLOCK // (D.d + 1))
    blocks = [slice(at * step, (at + rows) * step, step) for at in range(0, -(-D.T // step), rows)]
    top = np.ones(D.d)
    for part in blocks:
        top[1:] = np.maximum(top[1:] if part.start else 0.0, np.abs(dense(D, part)).max(axis=0))
    top[top == 0.0] = 1.0
    R: Any = np.zeros((0, D.d + 1))
    for part in blocks:
        Z = dense(D, part)
        new = np.hstack([np.ones((len(Z), 1)), Z / top[1:], y[part][:, None]])
        R = np.linalg.qr(np.vstack([R, new]), mode="r")
    return top, R[:, : D.d], R[:, D.d]


def dense(D: Design, part: slice) -> Array:
    """Some examples as a matrix, without the constant."""
    X = D.X[part]
    made: Array = X.toarray() if D.sparse else X
    return made
