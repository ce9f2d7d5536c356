"""Whom a run over examples is held against: fixed linear predictors of hindsight, and what each loses in a round."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import losses
from ..games import Classes
from ..hindsight.search import families
from ..hindsight.search.best_linear import Best, best_linear
from ..hindsight.search.candidates import GRID, family
from ..hindsight.search.several_classes import NUMBERS, minimisers
from ..run.run_examples import OWN, ExampleRun
from .each_round import each_round, known_rounds, loss_of

BEST, ZERO = "best linear predictor", "always 0"
FOUND = "best linear predictor found"  # in the time there was: nobody has shown that it is the best
CLOSE = 0.01  # of its loss: how much less the best may lose
SECONDS = 5.0  # to look for it, of the clock that counts work


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


def rival(run: ExampleRun) -> Rival | None:
    """Whom the regret is to."""
    if run not in _rivals:
        _rivals[run] = sought(run)
    return _rivals[run]


def sought(run: ExampleRun) -> Rival | None:
    known = not math.isnan(run.comparator_loss)
    name, first = run.comparator if known else BEST, leader(run)
    if name == BEST:  # by its full name
        every = predictors(run)
        name = every[max(first, 0)].name if every else name
    u = weights(run, name, first)
    if u is None or run._data is None:
        return Rival(name, run.comparator_loss) if known else None
    times = run.rounds / len(run._data.y)
    found = Rival(name, times * float(each_round(run, u)["L"].sum()), u)
    last = predictors(run)[-1]
    if last.name in (name, ZERO) or last.name not in (BEST, FOUND):
        return found
    loss = times * float(each_round(run, last.u)["L"].sum())
    return Rival(last.name, loss, last.u) if loss < found.loss else found


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
        return [] if run.best is None or not len(run.best.u) else [shown_best(run, run.best)]
    if len(some.L) == 1:
        found = [Predictor(ZERO, np.zeros(s.shape.n))]
    else:  # the family keeps no weights; a search of the same examples comes to the same ones
        again = family(
            data.x, families.signed(run), loss, data.h, intercept=bool(s.intercept), width=width
        )
        names = map(families.in_words, again.names)
        found = [Predictor(name, u) for name, u in zip(names, again.u, strict=True)]
    if run._own_best is not None:
        found.append(Predictor(OWN, run._own_best.u))
    if len(some.L) < GRID:  # time was up before the best of them was found
        charged = losses.Hinge() if isinstance(loss, losses.ZeroOne) else loss
        found.append(searched_best(run, charged))
    return found


def searched_best(run: ExampleRun, loss: Any, constant: bool | None = None) -> Predictor:
    """The one with the least total loss, as far as a bounded search goes."""
    s, data = run._s, run._data
    assert data is not None
    constant = bool(s.intercept) if constant is None else constant
    given = {"h": data.h, "intercept": constant, "width": s.shape.n - int(s.intercept)}
    best = best_linear(data.x, families.signed(run), loss, seconds=SECONDS, **given)
    return shown_best(run, best)


def shown_best(run: ExampleRun, best: Best) -> Predictor:
    """Called the best if it is, but for a little."""
    close = best.gap <= max(CLOSE * best.loss, 1e-6 * run.answered)
    return Predictor(BEST if close else FOUND, best.u)


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
        return [searched_best(run, losses.Logistic(), True)]
    if len(data.y) * K > NUMBERS or K * width > NUMBERS // 100:
        return []  # it would take too long
    X, y, h = known_rounds(run, True)
    some = {k: U for k, U in minimisers(X, y, h, K).items() if k.startswith(BEST)}
    return [Predictor(FOUND, U) for U in list(some.values())[-1:]]  # with the smallest penalty
