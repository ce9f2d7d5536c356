"""What fixed weights lose in each round of a run over examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import losses
from ..hindsight.search.conjugates import terms
from ..hindsight.search.design import Design
from ..hindsight.search.kept_rounds import KeptRounds
from ..hindsight.search.several_classes import design, margins
from ..run.run import Run


def kept_rounds(run: Run) -> KeptRounds | None:
    """The rounds of a run over examples; None where they were not kept."""
    return KeptRounds.of(run.transcript)


def loss_of(rounds: KeptRounds) -> Any:
    """The loss that fixed predictors are charged; for the probabilities of classes, the logistic loss."""
    return losses.Logistic() if rounds.probabilities else rounds.loss


def known_rounds(rounds: KeptRounds, constant: bool) -> tuple[Any, Any, Any]:
    """Examples, classes and importance of the rounds with an answer."""
    known = rounds.known
    X = design(rounds.x, rounds.width, constant)[known]
    return X, rounds.codes[known].astype(int), rounds.h[known]


def each_round(run: Run, u: Any) -> dict[str, Any]:
    """What the weights u lose in each round (L); answers, importance, mistakes, hinge losses, squares of scores."""
    rounds = kept_rounds(run)
    assert rounds is not None
    known = rounds.known
    found = {"T": known * 1.0, "importance": np.where(known, rounds.h, 0.0)}
    if u.ndim > 1:
        return found | scored_classes(rounds, u)
    # theorems charge a score of 0 as a mistake; the run's best predictors have a label there, as the learner has
    own = any(b is not None and u is b.u for b in (run.best, run.own_best))
    return found | scored(rounds, u, own)


def scored(rounds: KeptRounds, u: Any, label_at_0: bool = False) -> dict[str, Any]:
    """`each_round` for weights that give one score; `label_at_0`: a score of 0 is no mistake if its label is right."""
    constant = len(u) > rounds.width
    z = Design(rounds.x, constant, len(u) - int(constant)).scores(u)
    known, loss = rounds.known, loss_of(rounds)
    h, y = np.where(known, rounds.h, 0.0), np.where(known, rounds.signed, 1.0)
    found = {"Q": np.where(known, z * z, 0.0)}
    if rounds.traits.classes:
        short = np.maximum(0.0, 1.0 - y * z)
        z = np.where(z == 0.0, rounds.traits.zero - 0.5, z) if label_at_0 else z
        found |= {"wrong": h * (y * z <= 0.0), "H": h * short, "H2": h * short * short}
    if isinstance(loss, losses.ZeroOne):
        return found | {"L": found["wrong"]}
    return found | {"L": h * terms(loss, y, h).each(z)}


def scored_classes(rounds: KeptRounds, U: Any) -> dict[str, Any]:
    """`each_round` for a matrix U that gives a score to each class."""
    X, y, h = known_rounds(rounds, U.shape[1] > rounds.width)
    Z, lead = X @ U.T, margins(X, y, U)
    top = Z.max(axis=1)
    log = np.log(np.exp(Z - top[:, None]).sum(axis=1)) + top - Z[np.arange(len(y)), y]
    short = np.maximum(0.0, 1.0 - lead)
    each = {"wrong": h * (lead <= 0.0), "H": h * short, "H2": h * short * short}
    each["L"] = h * log if rounds.probabilities else each["wrong"]
    known = rounds.known
    found = {name: np.zeros(len(known)) for name in each}
    for name, values in each.items():
        found[name][known] = values
    return found
