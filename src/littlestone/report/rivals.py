"""Fixed linear predictors that a run over examples is compared with, and the one that its regret is to."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import losses
from ..hindsight.search import by_name
from ..hindsight.search.best_linear import BEST, FOUND, was_searched
from ..hindsight.search.candidates import GRID, candidates
from ..hindsight.search.kept_rounds import KeptRounds
from ..hindsight.search.several_classes import NUMBERS, PENALISED, minimisers_in_any_unit
from ..run.run import Run
from .each_round import each_round, kept_rounds, known_rounds, loss_of

ZERO = "always 0"


@dataclass
class Predictor:
    """A linear predictor found in hindsight."""

    name: str
    u: Any


@dataclass
class Rival:
    """The fixed predictor that lost least, of those that are known."""

    name: str
    loss: float
    u: Any = None  # None: not known round by round


_known: weakref.WeakKeyDictionary[Run, list[Predictor]] = weakref.WeakKeyDictionary()
_rivals: weakref.WeakKeyDictionary[Run, Rival | None] = weakref.WeakKeyDictionary()


def find_rival(run: Run) -> Rival | None:
    """The predictor that the regret is to."""
    if run not in _rivals:
        _rivals[run] = least_loss(run)
    return _rivals[run]


def least_loss(run: Run) -> Rival | None:
    """The comparator of the run, or the best linear predictor where a search found a better one."""
    known = not math.isnan(run.comparator_loss)
    name, first = run.comparator if known else BEST, leader(run)
    u, rounds, every = weights_of(run, name, first), kept_rounds(run), predictors(run)
    if u is None and every:
        name, u = known_weights(name, known, every, max(first, 0), rounds is not None)
    if u is None or rounds is None:
        return Rival(name, run.comparator_loss) if known else None
    times = run.rounds / len(rounds.y)
    found = Rival(name, times * float(each_round(run, u)["L"].sum()), u)
    last = predictors(run)[-1]
    if last.name in (name, ZERO) or not was_searched(last.name):
        return found
    other = Rival(last.name, times * float(each_round(run, last.u)["L"].sum()), last.u)
    return min(found, other, key=lambda one: one.loss)


def known_weights(
    name: str, known: bool, every: list[Predictor], first: int, kept: bool
) -> tuple[str, Any]:
    """A comparator whose losses are not known round by round: its name and weights, or those of one like it.

    `known`: its total loss is; `first`: which of the predictors lost least; `kept`: the rounds are.
    """
    if was_searched(name):  # one of those that theorems were compared with
        return (name if known else every[first].name), every[first].u
    last = every[-1]
    # any other predictor may be worse than the comparator
    if kept and (not known or was_searched(last.name)):
        return last.name, last.u
    return name, None


def leader(run: Run) -> int:
    """Which of the linear comparators of the certificate lost least; -1 where it has none."""
    found = run.compared.get("linear")
    return -1 if found is None or found.why or not len(found.L) else int(np.argmin(found.L))


def weights_of(run: Run, name: str, index: int = -1) -> Any | None:
    """The weights of a predictor; of several with one name, of the one at `index` of its comparators."""
    every = predictors(run)
    if 0 <= index < len(every) and every[index].name == name:
        return every[index].u
    return next((p.u for p in every if p.name == name), None)


def predictors(run: Run) -> list[Predictor]:
    """The linear predictors that are known: those that theorems were compared with, and the best."""
    if run not in _known:
        _known[run] = search_predictors(run)
    return _known[run]


def search_predictors(run: Run) -> list[Predictor]:
    """The linear predictors, found by searching the rounds that were kept."""
    rounds = kept_rounds(run)
    if rounds is None or not np.isfinite(rounds.y).any():
        return []
    if rounds.several:
        return of_classes(run, rounds)
    loss = loss_of(rounds)
    if not isinstance(loss, losses.KINDS):
        return []
    compared = run.compared.get("linear")
    if leader(run) < 0 or compared is None:
        return (
            []
            if run.best is None or not len(run.best.u)
            else [Predictor(run.best.name, run.best.u)]
        )
    found = compared_predictors(rounds, loss, len(compared.L))
    if run.own_best is not None:
        found.append(Predictor(run.own_best.how, run.own_best.u))
    if was_searched(run.comparator) and run.best is not None and len(run.best.u):
        found.append(Predictor(run.comparator, run.best.u))
    elif len(compared.L) < GRID:  # the search used up its work before the best of them was found
        charged = losses.Hinge() if isinstance(loss, losses.ZeroOne) else loss
        found.append(searched_best(rounds, charged, rounds.intercept))
    return found


def compared_predictors(rounds: KeptRounds, loss: Any, count: int) -> list[Predictor]:
    """The predictors that theorems were compared with; comparators keep no weights, and a search of the same
    examples finds the same ones."""
    if count == 1:
        return [Predictor(ZERO, np.zeros(rounds.shape.n))]
    again = candidates(
        rounds.x, rounds.signed, loss, rounds.h, intercept=rounds.intercept, width=rounds.width
    )
    names = map(by_name.in_words, again.names)
    return [Predictor(name, u) for name, u in zip(names, again.u, strict=True)]


def searched_best(rounds: KeptRounds, loss: Any, constant: bool) -> Predictor:
    """The predictor with the least total loss, as far as a bounded search goes."""
    best = by_name.least_loss(rounds, loss, constant)
    return Predictor(best.name, best.u)


def of_classes(run: Run, rounds: KeptRounds) -> list[Predictor]:
    """With several classes predictors are matrices, a row a class; for probabilities of two, one row is enough."""
    K = rounds.shape.classes
    if leader(run) >= 0:
        X, y, h = known_rounds(rounds, rounds.intercept)
        found = {ZERO: np.zeros((K, X.shape[1]))}
        found |= minimisers_in_any_unit(X, y, h, K, rounds.intercept)
        return [Predictor(name, U) for name, U in found.items()]
    if not rounds.probabilities:
        return []
    if np.nanmax(rounds.codes) <= 1.0:
        return [searched_best(rounds, losses.Logistic(), True)]
    if len(rounds.y) * K > NUMBERS or K * rounds.width > NUMBERS // 100:
        return []  # it would take too long
    X, y, h = known_rounds(rounds, True)
    every = minimisers_in_any_unit(X, y, h, K, True)
    penalised = {k: U for k, U in every.items() if k.startswith(PENALISED)}
    return [Predictor(FOUND, U) for U in list(penalised.values())[-1:]]  # with the smallest penalty
