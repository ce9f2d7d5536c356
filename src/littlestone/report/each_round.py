"""What fixed weights lose in each round of a run over examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import losses
from ..games import Classes, Coin, Labels
from ..hindsight.search import families
from ..hindsight.search.conjugates import terms
from ..hindsight.search.design import Design
from ..hindsight.search.several_classes import design, margins
from ..run.run_examples import ExampleRun


def counted(run: ExampleRun) -> bool:
    """Is a round's loss a mistake, or the chance of one?"""
    game = run._s.game
    return isinstance(game, (Labels, Coin)) or (
        isinstance(game, Classes) and not game.probabilities
    )


def loss_of(run: ExampleRun) -> Any:
    """The loss that fixed predictors are charged; of the probabilities of two classes, the logistic."""
    if isinstance(run._s.game, Classes):
        return losses.Logistic() if run._s.game.probabilities else losses.ZeroOne()
    return families.loss_of(run)


def known_rounds(run: ExampleRun, constant: bool) -> tuple[Any, Any, Any]:
    """Examples, classes and importance of the rounds with an answer."""
    data = run._data
    assert data is not None
    known = np.isfinite(data.y) & (data.h > 0.0)
    X = design(data.x, run._s.shape.n - int(run._s.intercept), constant)[known]
    return X, run.codes[known].astype(int), data.h[known]


def each_round(run: ExampleRun, u: Any) -> dict[str, Any]:
    """What the weights u lose in each round (L); answers, importance, mistakes, hinge losses, squares of scores."""
    data = run._data
    assert data is not None
    known = np.isfinite(data.y) & (data.h > 0.0)
    found = {"T": known * 1.0, "importance": np.where(known, data.h, 0.0)}
    return found | (scored(run, u) if u.ndim == 1 else scored_classes(run, u, known))


def scored(run: ExampleRun, u: Any) -> dict[str, Any]:
    data, first = run._data, len(u) > run._s.shape.n - int(run._s.intercept)
    assert data is not None
    z = Design(data.x, first, len(u) - int(first)).scores(u)
    known = np.isfinite(data.y) & (data.h > 0.0)
    h, loss = np.where(known, data.h, 0.0), loss_of(run)
    y = np.where(known, families.signed(run), 1.0)
    found = {"Q": np.where(known, z * z, 0.0)}
    if run._s.two:
        short = np.maximum(0.0, 1.0 - y * z)
        found |= {"wrong": h * (y * z <= 0.0), "H": h * short, "H2": h * short * short}
    if isinstance(loss, losses.ZeroOne):
        return found | {"L": found["wrong"]}
    return found | {"L": h * terms(loss, y, h).each(z)}


def scored_classes(run: ExampleRun, U: Any, known: Any) -> dict[str, Any]:
    constant = U.shape[1] > run._s.shape.n - int(run._s.intercept)
    X, y, h = known_rounds(run, constant)
    Z, lead = X @ U.T, margins(X, y, U)
    top = Z.max(axis=1)
    log = np.log(np.exp(Z - top[:, None]).sum(axis=1)) + top - Z[np.arange(len(y)), y]
    short = np.maximum(0.0, 1.0 - lead)
    each = {"wrong": h * (lead <= 0.0), "H": h * short, "H2": h * short * short}
    each["L"] = h * log if run._s.game.probabilities else each["wrong"]  # type: ignore[union-attr]
    found = {name: np.zeros(len(known)) for name in each}
    for name, values in each.items():
        found[name][known] = values
    return found
