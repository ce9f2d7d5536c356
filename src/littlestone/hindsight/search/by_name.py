"""Comparators for learners over examples, looked up by the name that a theorem gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...core import losses
from ...core.game import ONE
from ...core.guarantee import Comparators
from ...core.rows import flat
from ...core.vectors import Rows
from . import boolean, kernel_norms
from .best_linear import Best, best_linear
from .candidates import candidates
from .clock import in_proportion
from .design import on_one_thread_if_small
from .fewest_mistakes import fewest_mistakes
from .kept_rounds import KeptRounds
from .points import convex
from .several_classes import PENALISED, matrices

NO_LOSS = "this game has no loss that linear predictors could be charged"


def comparators(kind: str, rounds: KeptRounds) -> Comparators:
    """The comparators that a theorem calls by this name (`Guarantee.against`)."""
    with on_one_thread_if_small(int(np.size(flat(rounds.x))), rounds.width):
        return KINDS[kind](rounds)


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


def linear(rounds: KeptRounds) -> Comparators:
    """Linear predictors: 0, the separator of largest margin, and minimisers of regularised losses."""
    if rounds.loss is None and not rounds.probabilities:
        return Comparators("linear", str, np.zeros(0), why=NO_LOSS)
    if rounds.several:
        return matrices(rounds)
    loss, intercept, width = rounds.loss, rounds.intercept, rounds.width
    found = candidates(rounds.x, rounds.signed, loss, rounds.h, intercept=intercept, width=width)
    U = np.array(found.u)
    z = projections(rounds.x, U, intercept, width)
    answered = ~np.isnan(rounds.y)
    more = {
        "U2": found.U2,
        "U1": found.L1,
        "H": found.H * rounds.passes,
        "H2": found.H2 * rounds.passes,
        "Q": (z[answered] ** 2).sum(axis=0) * rounds.passes,
        "norms": lambda q: np.array([np.linalg.norm(u, q) for u in U]),
    }
    names = [in_words(name) for name in found.names]
    L = found.mistakes if isinstance(loss, losses.ZeroOne) else found.loss
    return Comparators("linear", names.__getitem__, L * rounds.passes, more)


def in_words(name: str) -> str:
    """
    >>> in_words("0"), in_words("least hinge loss, lam 239"), in_words("the separator of margin 2")
    ('always 0', 'linear predictor by hinge loss, penalty 239', 'linear separator of margin 2')
    >>> in_words("least hinge loss in units of the features, lam 239")
    'linear predictor by hinge loss in units, penalty 239'
    """
    if name == "0":
        return "always 0"
    if ", lam " in name:
        loss, _, penalty = name.removeprefix("least ").partition(", lam ")
        return f"{PENALISED} {loss.replace(' of the features', '')}, penalty {penalty}"
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


def best(rounds: KeptRounds, linear: Callable[[], Comparators | None]) -> Best | None:
    """The best fixed linear predictor for the loss of the rounds; None where they have none, or several scores.

    The fewest mistakes are found where there are two weights at most. For more weights no fast way is known: there it
    is the one of the `linear` comparators with the fewest.
    """
    loss = rounds.loss
    if rounds.traits.decision != ONE or loss is None:
        return None
    if isinstance(loss, losses.ZeroOne):
        exact = fewest_mistakes(
            rounds.x, rounds.signed, rounds.h, intercept=rounds.intercept, width=rounds.width,
            zero=rounds.traits.zero,
        )  # fmt: skip
        if exact is not None:
            return exact
        found = linear()
        if found is None:
            return None
        i = int(np.argmin(found.L))
        return Best(np.zeros(0), float(found.L[i]) / rounds.passes, np.nan, found.names(i))
    return least_loss(rounds, loss, rounds.constant)


def least_loss(rounds: KeptRounds, loss: Any, constant: bool) -> Best:
    """The linear predictor with the least total loss, as far as a bounded search goes."""
    found = best_linear(
        rounds.x, rounds.signed, loss, h=rounds.h, intercept=constant, width=rounds.width,
        seconds=in_proportion(rounds.x),
    )  # fmt: skip
    return replace(found, origin=not (constant or rounds.traits.classes))


def own(rounds: KeptRounds) -> Comparators:
    """Comparators that the learner itself knows how to make of the rounds."""
    found: Comparators = rounds.learner.comparators(rounds)
    return found


KINDS: dict[str, Callable[[KeptRounds], Comparators]] = {
    "linear": linear,
    "convex": convex,
    "kernel": kernel_norms.kernel,
    "own": own,
    **boolean.KINDS,
}
