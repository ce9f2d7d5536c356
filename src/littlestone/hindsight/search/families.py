"""Comparators for learners over examples, looked up by the name that a theorem gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import losses
from ...core.guarantee import Family
from ...core.rows import flat
from ...core.vectors import Rows
from ...games import Classes, Convex
from . import boolean, kernel_norms
from .several_classes import matrices

if TYPE_CHECKING:
    from ...run.run_examples import ExampleRun


def of(kind: str, run: ExampleRun) -> Family:
    """The family of comparators for one run."""
    return KINDS[kind](run)


def sizes(x: Any, intercept: bool) -> dict[str, Any]:
    """R2, Rinf and X2: the largest |x|^2 and |x_i|, the sum of |x|^2, with the constant where there is one."""
    if isinstance(x, Rows):
        squares = np.add.reduceat(np.append(x.value**2, 0.0), x.indptr[:-1])
        squares[x.indptr[1:] == x.indptr[:-1]] = 0.0
    else:
        squares = np.einsum("ij,ij->i", x, x)
    squares = squares + float(intercept)
    top = max(float(np.abs(flat(x)).max(initial=0.0)), float(intercept))
    return {
        "R2": float(squares.max(initial=0.0)),
        "Rinf": top,
        "X2": float(squares.sum()),
        "size": lambda p: size(x, intercept, p),
    }


def size(x: Any, intercept: bool, p: float) -> float:
    """The largest p-norm of an example."""
    v = np.abs(flat(x))
    top = max(float(v.max(initial=0.0)), float(intercept))
    if top == 0.0 or np.isinf(p):
        return top
    powers = (v / top) ** p
    if isinstance(x, Rows):
        sums = np.add.reduceat(np.append(powers, 0.0), x.indptr[:-1])
        sums[x.indptr[1:] == x.indptr[:-1]] = 0.0
    else:
        sums = powers.reshape(x.shape).sum(axis=1)
    constant = top**-p if intercept else 0.0  # where there is one, top is at least 1
    return float(top * (sums.max() + constant) ** (1.0 / p))


def signed(run: ExampleRun) -> Any:
    """Outcomes as losses take them: -1 and +1 for two classes, numbers as they are."""
    return 2.0 * run.codes - 1.0 if run._s.two else run._data.y


def loss_of(run: ExampleRun) -> Any:
    return getattr(run._s.game, "loss", losses.ZeroOne())


def linear(run: ExampleRun) -> Family:
    """Linear predictors: 0, the separator of largest margin, and minimisers of regularised losses."""
    from .candidates import family

    if isinstance(run._s.game, Classes):
        return matrices(run)
    data, s = run._data, run._s
    width = s.shape.n - int(s.intercept)
    found = family(data.x, signed(run), loss_of(run), data.h, intercept=s.intercept, width=width)
    counted = isinstance(loss_of(run), losses.ZeroOne)
    U = np.array(found.u)
    z = projections(data.x, U, s.intercept, width)
    known = ~np.isnan(data.y)
    more = {
        "U2": found.U2,
        "U1": found.L1,
        "H": found.H * run.passes,
        "H2": found.H2 * run.passes,
        "Q": (z[known] ** 2).sum(axis=0) * run.passes,
        "norms": lambda q: np.array([np.linalg.norm(u, q) for u in U]),
    }
    names = [in_words(name) for name in found.names]
    L = found.mistakes if counted else found.loss
    return Family("linear", names.__getitem__, L * run.passes, more)


def in_words(name: str) -> str:
    """
    >>> in_words("0"), in_words("least hinge loss, lam 239"), in_words("the separator of margin 2")
    ('always 0', 'best linear predictor, penalty 239', 'linear separator of margin 2')
    >>> in_words("least hinge loss in units of the features, lam 239")
    'best linear predictor in units, penalty 239'
    """
    if name == "0":
        return "always 0"
    if ", lam " in name:
        units = " in units" if " in units " in name else ""
        return f"best linear predictor{units}, penalty {name.rpartition(' ')[2]}"
    return name.replace("the separator", "linear separator")


def projections(x: Any, U: Any, intercept: bool, width: int) -> Any:
    """u . x of every round and every u."""
    V = U[:, int(intercept) :]
    if isinstance(x, Rows):
        from scipy.sparse import csr_array

        X: Any = csr_array((x.value, x.index, x.indptr), shape=(len(x.indptr) - 1, width))
    else:
        X = x
    return X @ V.T + (U[:, 0] if intercept else 0.0)


def best(run: ExampleRun) -> Any:
    """The best fixed linear predictor for the loss of the run; for mistakes, the one of the candidates with fewest."""
    from .best_linear import Best, best_linear

    data, s = run._data, run._s
    if isinstance(s.game, (Classes, Convex)):
        return None
    loss, width = loss_of(run), s.shape.n - int(s.intercept)
    if isinstance(loss, losses.ZeroOne):
        found = run.family("linear")
        assert found is not None
        i = int(np.argmin(found.L))
        return Best(np.zeros(0), float(found.L[i]) / run.passes, np.nan, found.names(i))
    return best_linear(
        data.x, signed(run), loss, h=data.h, intercept=s.intercept, width=width, seconds=5.0
    )


def convex(run: ExampleRun) -> Family:
    from .points import convex as points

    return points(run)


def own(run: ExampleRun) -> Family:
    """Comparators that the learner itself knows how to make of the rounds."""
    found: Family = run._s.learner.comparators(run)  # type: ignore[attr-defined]
    return found


KINDS = {
    "linear": linear,
    "convex": convex,
    "kernel": kernel_norms.kernel,
    "own": own,
    **boolean.KINDS,
}
