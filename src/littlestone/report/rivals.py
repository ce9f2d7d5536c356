"""Whom a run over examples is held against: fixed linear predictors of hindsight, and what each loses in a round."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import losses
from ..core.games import Classes, Coin, Labels
from ..core.hindsight import families
from ..core.hindsight.best_linear import best_linear
from ..core.hindsight.candidates import GRID, family
from ..core.hindsight.conjugates import terms
from ..core.hindsight.design import Design
from ..core.hindsight.several_classes import NUMBERS, design, margins, minimisers
from ..core.run_examples import ExampleRun

BEST, ZERO = "best linear predictor", "always 0"
SECONDS = 5.0  # to look for it


@dataclass
class Predictor:
    """A linear predictor of hindsight."""

    name: str
    u: Any


@dataclass
class Rival:
    """The fixed predictor that lost least, of those that are known."""

    name: str
    loss: float
    u: Any = None  # None: not known round by round


_known: weakref.WeakKeyDictionary[ExampleRun, list[Predictor]] = weakref.WeakKeyDictionary()
_rivals: weakref.WeakKeyDictionary[ExampleRun, Rival | None] = weakref.WeakKeyDictionary()


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


def rival(run: ExampleRun) -> Rival | None:
    """Whom the regret is to."""
    if run not in _rivals:
        _rivals[run] = sought(run)
    return _rivals[run]


def sought(run: ExampleRun) -> Rival | None:
    known = not math.isnan(run.comparator_loss)
    name, first = run.comparator if known else BEST, leader(run)
    if name == BEST and first >= 0:  # the best of the family, by its full name
        name = predictors(run)[first].name
    u = weights(run, name, first)
    if u is None or run._data is None:
        return Rival(name, run.comparator_loss) if known else None
    times = run.rounds / len(run._data.y)
    found = Rival(name, times * float(each_round(run, u)["L"].sum()), u)
    better = weights(run, BEST) if name != BEST else None
    if better is None:
        return found
    loss = times * float(each_round(run, better)["L"].sum())
    return Rival(BEST, loss, better) if loss < found.loss else found


def leader(run: ExampleRun) -> int:
    found = run._families.get("linear")
    return -1 if found is None or found.why or not len(found.L) else int(np.argmin(found.L))


def weights(run: ExampleRun, name: str, index: int = -1) -> Any | None:
    """The weights of a predictor; of several with one name, those of the one at `index` of its family."""
    every = predictors(run)
    if 0 <= index < len(every) and every[index].name == name:
        return every[index].u
    return next((p.u for p in every if p.name == name), None)


def predictors(run: ExampleRun) -> list[Predictor]:
    """The linear predictors that are known: the family that theorems were held against, and the best."""
    if run not in _known:
        _known[run] = searched(run)
    return _known[run]


def searched(run: ExampleRun) -> list[Predictor]:
    s, data = run._s, run._data
    if data is None or not np.isfinite(data.y).any():
        return []
    if isinstance(s.game, Classes):
        return of_classes(run)
    width, loss = s.shape.n - int(s.intercept), loss_of(run)
    if not isinstance(loss, losses.KINDS):
        return []
    some = run._families.get("linear")
    if leader(run) < 0 or some is None:
        best = run.best
        return [] if best is None or not len(best.u) else [Predictor(BEST, best.u)]
    if len(some.L) == 1:
        found = [Predictor(ZERO, np.zeros(s.shape.n))]
    else:  # the family keeps no weights; a search of the same examples comes to the same ones
        again = family(
            data.x, families.signed(run), loss, data.h, intercept=bool(s.intercept), width=width
        )
        names = map(families.in_words, again.names)
        found = [Predictor(name, u) for name, u in zip(names, again.u, strict=True)]
    if len(some.L) < GRID:  # time was up before the best of them was found
        charged = losses.Hinge() if isinstance(loss, losses.ZeroOne) else loss
        found.append(Predictor(BEST, searched_best(run, charged)))
    return found


def searched_best(run: ExampleRun, loss: Any, constant: bool | None = None) -> Any:
    """The weights with the least total loss, as far as a few seconds go."""
    s, data = run._s, run._data
    assert data is not None
    constant = bool(s.intercept) if constant is None else constant
    given = {"h": data.h, "intercept": constant, "width": s.shape.n - int(s.intercept)}
    return best_linear(data.x, families.signed(run), loss, seconds=SECONDS, **given).u


def of_classes(run: ExampleRun) -> list[Predictor]:
    """With several classes predictors are matrices, a row a class; of probabilities of two, a vector will do."""
    s, data, K = run._s, run._data, run._s.shape.classes
    assert data is not None
    width = s.shape.n - int(s.intercept)
    if leader(run) >= 0:
        X, y, h = known_rounds(run, bool(s.intercept))
        found = {ZERO: np.zeros((K, X.shape[1]))} | minimisers(X, y, h, K)
        return [Predictor(name, U) for name, U in found.items()]
    if not run._s.game.probabilities:  # type: ignore[union-attr]
        return []
    if np.nanmax(run.codes) <= 1.0:
        return [Predictor(BEST, searched_best(run, losses.Logistic(), True))]
    if len(data.y) * K > NUMBERS or K * width > NUMBERS // 100:
        return []  # it would take too long
    X, y, h = known_rounds(run, True)
    some = {k: U for k, U in minimisers(X, y, h, K).items() if k.startswith(BEST)}
    return [Predictor(BEST, U) for U in list(some.values())[-1:]]  # with the smallest penalty


def known_rounds(run: ExampleRun, constant: bool) -> tuple[Any, Any, Any]:
    """Examples, classes and importance of the rounds with an answer."""
    data = run._data
    assert data is not None
    known = np.isfinite(data.y) & (data.h > 0.0)
    X = design(data.x, run._s.shape.n - int(run._s.intercept), constant)[known]
    return X, run.codes[known].astype(int), data.h[known]


# Round by round.


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
