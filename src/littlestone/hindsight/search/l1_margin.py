"""The linear separator of largest margin in the l1 norm: the comparator of multiplicative updates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from littlestone.core.guarantee import Comparators
from littlestone.core.stream import Array
from littlestone.core.vectors import Rows
from littlestone.hindsight.search.clock import SECOND, Clock

PIVOT = 4.0  # units of work for each number of a program, for each step of the simplex method
FIRST = 64  # rows of the first program; as many are added as it has


class Separator(NamedTuple):
    """A direction with |v|_1 = 1, and its margin, the smallest y_t <v, x_t>: 0 or less where nothing separates."""

    v: Array
    margin: float
    done: bool = True  # False: there was too much work, and there may be a better one


def l1_margin(
    X: Any, y: Array, nonnegative: bool = False, intercept: bool = False, seconds: float = 10.0
) -> Separator:
    """Maximise rho subject to y_t <v, x_t> >= rho for all t and |v|_1 <= 1, by linear programming.

        rows = some examples
        repeat:  solve the program for these rows;  add the examples that it has wrong or too near

    X is a matrix, a sparse one, or Rows; labels y are -1 and +1. `nonnegative` asks for v >= 0; with `intercept`
    coordinate 0 is a constant. The program over some rows has a margin no smaller than that over all, so it stops when
    all rows reach it, or when it falls to 0, or after the work of so many nominal `seconds` (see Clock). Whatever
    rounding does, the margin returned is that of the v returned, which is all that a theorem about every v needs.

    >>> X = np.array([[2.0, 1.0], [0.0, 1.0], [-1.0, 1.0]])
    >>> l1_margin(X, np.ones(3), nonnegative=True).v.tolist()
    [0.0, 1.0]
    >>> l1_margin(X, np.array([1.0, -1.0, -1.0]))
    Separator(v=array([ 0.5, -0.5]), margin=0.5, done=True)

    Mangasarian (1965); Schapire, Freund, Bartlett & Lee (1998).
    """
    Z = signed_rows(X, y, intercept)
    T, d = Z.shape
    scale = float(abs(Z).max()) if Z.nnz else 1.0  # the solver's tolerances are absolute
    rows = np.unique(np.linspace(0, T - 1, min(FIRST, T)).astype(np.int64))
    v, clock = np.zeros(d), Clock()
    while Z.nnz and clock.now < seconds:
        v, rho = program(Z[rows] / scale, nonnegative, clock, seconds)
        margins = (Z @ v) / scale
        short = margins < rho - 1e-9
        short[rows] = False
        if rho <= 1e-9 or not short.any():
            break
        worst = np.argsort(np.where(short, margins, np.inf), kind="stable")[: len(rows)]
        rows = np.union1d(rows, worst[short[worst]])
    size = float(np.abs(v).sum())
    if size == 0.0:
        return Separator(v, 0.0, clock.now < seconds)
    v = v / size
    return Separator(v, float((Z @ v).min()), clock.now < seconds)


def separators(X: Any, y: Array, intercept: bool = False) -> Comparators:
    """u with y_t <u, x_t> >= 1 in every round and |u|_1 as small as can be: with weights >= 0, and with any.

    Symbols: U1 = |u|_1, low = the smallest weight, H = the hinge loss, 0, or infinite where nothing separates.
    """
    found = [l1_margin(X, y, nonnegative, intercept) for nonnegative in (True, False)]
    words = ["separator with weights >= 0", "separator"]
    some = [(s, w) for s, w in zip(found, words, strict=True) if s.margin > 0.0]
    more = {
        "U1": np.array([1.0 / s.margin for s, _ in some] or [np.inf]),
        "low": np.array([float(s.v.min()) for s, _ in some] or [0.0]),
        "H": np.array([0.0 for _ in some] or [np.inf]),
    }

    def name(i: int) -> str:
        return f"{some[i][1]}, l1 margin {some[i][0].margin:.4g}" if some else "no separator"

    why = (
        "no separator was found with the work allowed"
        if not some and not all(s.done for s in found)
        else ""
    )
    return Comparators("separator", name, np.zeros(max(1, len(some))), more, why)


def signed_rows(X: Any, y: Array, intercept: bool) -> Any:
    """The rows y_t x_t as a sparse matrix, with the constant where there is one."""
    from scipy.sparse import csr_array, diags_array

    if isinstance(X, Rows):
        width = int(X.index.max(initial=-1)) + 1
        X = csr_array((X.value, X.index, X.indptr), shape=(len(X.indptr) - 1, width))
    some: Any = csr_array(X, dtype=np.float64)
    if intercept:
        some = beside(np.ones((some.shape[0], 1)), some)
    return csr_array(diags_array(np.asarray(y, float)) @ some)


def program(Z: Any, nonnegative: bool, clock: Clock, seconds: float) -> tuple[Array, float]:
    """max rho: Z v >= rho, sum |v_i| <= 1; the parts of v of either sign are variables of their own."""
    from scipy.optimize import linprog

    T, d = Z.shape
    both = -Z if nonnegative else beside(-Z, Z)
    n = both.shape[1]
    pivot = PIVOT * (both.nnz + T + n)
    A = beside(both, np.ones((T, 1)))
    cost = np.append(np.zeros(n), -1.0)
    total = np.append(np.ones(n), 0.0)[None, :]
    found: Any = linprog(
        cost,
        A_ub=beside(A.T, total.T).T,
        b_ub=np.append(np.zeros(T), 1.0),
        bounds=[(0.0, None)] * n + [(None, None)],
        method="highs",
        options={"maxiter": 100 + int((seconds - clock.now) * SECOND / pivot)},
    )
    clock.spend(pivot * float(found.nit or 0))
    if found.x is None:
        return np.zeros(d), 0.0
    w: Array = np.maximum(found.x[:n], 0.0)
    return (w if nonnegative else w[:d] - w[d:]), float(-found.fun)


def beside(A: Any, B: Any) -> Any:
    from scipy.sparse import csr_array, hstack

    parts: Any = [csr_array(A), csr_array(B)]
    return hstack(parts, format="csr")
