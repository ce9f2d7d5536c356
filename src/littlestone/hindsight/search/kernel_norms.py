"""Functions in the space of a kernel to compare with: the one that interpolates the labels, the one that separates
them with the smallest norm, and soft compromises, each with its norm and what it loses.

All of them are h = sum_i c_i K(x_i, .) over the examples themselves (nothing outside their span does better), so the
Gram matrix is all that is needed: h(x_j) = (K c)_j and |h|^2 = c' K c. Whatever c is, these numbers belong to a
function, so a bound that holds for every h may be checked at it: nothing here has to be optimal to be right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.guarantee import Comparators
from ...core.stream import Array
from ...core.vectors import Rows
from .kept_rounds import KeptRounds

UNFOUND = "no function that separates the examples was found, and one of large norm may exist"
LIMIT = 2000  # examples whose Gram matrix is made: 32 MB
COSTS = (0.1, 1.0, 10.0, 100.0)  # of a unit of hinge loss, times the largest K(x, x)
SWEEPS = 15  # over all examples, for each of these


@dataclass
class Functions:
    """Functions h to compare with, one an entry."""

    names: list[str]
    c: list[Array]  # coefficients over the examples
    U2: Array  # |h|^2
    H: Array  # total hinge loss, with importance
    H2: Array  # total squared hinge loss
    L: Array  # mistakes; a value of 0 is one


def interpolating_norm(K: Array, y: Array) -> float:
    """The smallest |h|^2 with h(x_i) = y_i for all i, which is y' K^-1 y; infinite where there is no such h.

    >>> interpolating_norm(np.eye(3), np.array([1.0, -1.0, 1.0]))
    3.0
    >>> interpolating_norm(
    ...     np.ones((2, 2)), np.array([1.0, -1.0])
    ... )  # the same example with two labels
    inf
    """
    c = interpolant(K, y)
    return np.inf if c is None else max(float(c @ (K @ c)), 0.0)


def interpolant(K: Array, y: Array) -> Array | None:
    """c with K c = y, or None."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    try:
        c: Array = cho_solve(cho_factor(K), y)
    except LinAlgError:  # singular, which does not rule out that it has a solution
        if len(y) > 500:
            return None
        w, E = np.linalg.eigh(K)
        good = w > len(w) * np.finfo(float).eps * max(float(w[-1]), 0.0)
        c = E[:, good] @ ((E[:, good].T @ y) / w[good])
    return c if np.abs(K @ c - y).max(initial=0.0) <= 1e-6 else None


def hard_margin(
    K: Array, y: Array, a: Array | None = None, sweeps: int = 1000
) -> tuple[float, float, Array]:
    """The smallest |u|^2 with y_i u(x_i) >= 1 for all i: the one found, a bound from below, and coefficients.

    Without an offset, as the perceptron has none. The function found is scaled until it is feasible, so its norm is
    an upper bound; infinite where nothing found separates the examples. `a` says where the search begins.

    >>> K = np.array([[1.0, 0.0], [0.0, 4.0]])
    >>> found, below, c = hard_margin(K, np.array([1.0, -1.0]))
    >>> round(found, 6), round(below, 6), c.round(6).tolist()
    (1.25, 1.25, [1.0, -0.25])
    """
    a = np.zeros(len(y)) if a is None else a
    a, below = descent(K, y, np.full(len(y), np.inf), a, sweeps)
    c: Array = a * y
    least = float((y * (K @ c)).min(initial=np.inf))
    if not 0.0 < least < np.inf:
        return np.inf, below, c
    c = c / least
    return max(float(c @ (K @ c)), 0.0), below, c


def descent(K: Array, y: Array, top: Array, a: Array, sweeps: int) -> tuple[Array, float]:
    """Maximise sum a - a' Q a / 2 over 0 <= a <= top, Q_ij = y_i y_j K_ij, one coordinate at a time.

        each step:  a_i += (1 - (Q a)_i) / Q_ii, cut to [0, top_i]

    That is the dual of |u|^2 / 2 + sum_i top_i max(0, 1 - y_i u(x_i)). Returned with twice its value, which is a bound
    from below on |u|^2 for every u with y_i u(x_i) >= 1. O(n) a step. Hsieh et al. (2008).
    """
    a, f = a.copy(), K @ (a * y)
    diagonal, rng = np.diag(K), np.random.default_rng(0)
    live = np.flatnonzero(diagonal > 0.0)
    for _ in range(sweeps):
        worst = 0.0
        for i in rng.permutation(live):
            g = 1.0 - y[i] * f[i]
            new = min(max(a[i] + g / diagonal[i], 0.0), top[i])
            step = new - a[i]
            if step != 0.0:
                f += step * y[i] * K[i]
                a[i] = new
                worst = max(worst, abs(step) * diagonal[i])
        if worst < 1e-10 or not np.isfinite(worst) or a.max(initial=0.0) > 1e12:
            break
    return a, float(2.0 * a.sum() - (a * y) @ (K @ (a * y)))


def comparators(K: Array, y: Array, h: Array | None = None) -> Functions:
    """0, the interpolating function, soft margins, and a large margin; y is -1 or +1, h the importance.

    >>> found = comparators(np.eye(2), np.array([1.0, -1.0]))
    >>> found.names[-1], round(float(found.U2[-1]), 6), float(found.H[-1])
    ('separating function of small norm', 2.0, 0.0)
    """
    if K.shape != (len(y), len(y)):
        raise BadInput(
            f"the Gram matrix of {len(y)} examples must be square, not of shape {K.shape}"
        )
    if not np.isin(y, (-1.0, 1.0)).all():
        raise BadInput("labels must be -1 or +1")
    h = np.ones(len(y)) if h is None else h
    found: dict[str, Array] = {"always 0": np.zeros(len(y))}
    through = interpolant(K, y)
    if through is not None:
        found["interpolating function"] = through
    a, scale = np.zeros(len(y)), max(float(np.diag(K).max(initial=0.0)), 1e-300)
    for cost in COSTS:
        a, _ = descent(K, y, cost / scale * h, a, SWEEPS)
        found[f"soft margin, cost {cost:g}"] = a * y
    norm, _, c = hard_margin(K, y, a, max(4 * SWEEPS, min(1000, 20_000 // max(1, len(y)))))
    if np.isfinite(norm):
        found["separating function of small norm"] = c
    return measure_candidate(K, y, h, found)


def measure_candidate(K: Array, y: Array, h: Array, found: dict[str, Array]) -> Functions:
    U2, H, H2, L = [], [], [], []
    for name, c in found.items():
        f = K @ c
        short = np.maximum(0.0, 1.0 - y * f)
        off = float(short.max(initial=0.0))
        if off < 1e-6:  # only rounding is missing: made a little longer, h loses nothing
            c, f, short = c / (1.0 - off), f / (1.0 - off), np.zeros(len(y))
            found[name] = c
        U2.append(max(float(c @ f), 0.0))
        H.append(float(h @ short))
        H2.append(float(h @ short**2))
        L.append(float(h @ (y * f <= 0.0)))
    return Functions(list(found), list(found.values()), *map(np.array, (U2, H, H2, L)))


def kernel(rounds: KeptRounds) -> Comparators:
    """Comparators of a kernel learner, with |f|^2 at the last change of its scales (W2)."""
    if len(rounds.states) > 1:
        return Comparators(
            "kernel", str, np.zeros(0), why="each of several copies has a kernel of its own"
        )
    known = rounds.known
    T = int(known.sum())
    if T > LIMIT:
        why = f"too many rounds: {T:,}, and a Gram matrix is made of {LIMIT:,} at most"
        return Comparators("kernel", str, np.zeros(0), why=why)
    learner, (state,) = rounds.learner, rounds.states
    K = learner.gram(state, dense(rounds.x, rounds.shape.n)[known])
    found = comparators(K, rounds.signed[known], rounds.h[known])
    more = {"H": found.H * rounds.passes, "H2": found.H2 * rounds.passes}
    more |= {"U2": found.U2, "W2": learner.norm2_at_last_scaling(state)}
    missing = "" if has_both_labels(K, rounds.signed[known]) else UNFOUND
    L = found.L * rounds.passes
    return Comparators("kernel", found.names.__getitem__, L, more, missing=missing)


def has_both_labels(K: Array, y: Array) -> bool:
    """Has an example both labels? Then no function separates them.

    >>> has_both_labels(np.ones((2, 2)), np.array([1.0, -1.0]))
    True
    >>> has_both_labels(np.eye(2), np.array([1.0, -1.0]))
    False
    """
    d = np.diag(K)
    same = (d[:, None] == K) & (d[None, :] == K)
    return bool((same & (y[:, None] != y[None, :])).any())


def dense(x: Any, d: int) -> Array:
    """Examples as a matrix of d columns."""
    if isinstance(x, Rows):
        from scipy.sparse import csr_array

        wide: Array = csr_array(
            (x.value, x.index, x.indptr), shape=(len(x.indptr) - 1, d)
        ).toarray()
        return wide
    return np.asarray(x, dtype=np.float64)
