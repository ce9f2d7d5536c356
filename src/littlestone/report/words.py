"""A run in words: its game, its loss, the size of its examples, its parameters."""

from __future__ import annotations

import math
from typing import Any

from ..core import losses
from ..core.named_tuples import is_named_tuple
from ..run.run import Run

GAMES = {  # by the name that `run.facts` has for a game
    "allocation": "losses of each expert",
    "advice": "mixtures of the advice",
    "substitution": "mixtures of the advice, by Vovk's substitution",
    "tangent": "mixtures of the advice, charged the tangent of the loss",
    "vote": "votes",
    "draw": "an expert drawn by weight",
    "labels": "labels of examples",
    "margin": "labels of examples, by the size of a score",
    "regression": "numbers from examples",
    "classes": "labels of examples, several classes",
    "coin": "labels of examples, drawn",
    "convex": "points of a convex set",
    "bandit": "one arm a round, whose loss alone is seen",
}
MISTAKES = "mistakes counted"
GIVEN = "losses as given"


def entrants(run: Run) -> str:
    """What the learner chooses from."""
    return "arms" if run.traits.kind.has_arms else "experts"


def loss_name(run: Run) -> str:
    """The name of the loss of a round."""
    traits, loss = run.traits, run.traits.loss
    if traits.kind.shows_losses:
        return GIVEN
    if traits.action == "set":
        return "missed truths"
    if traits.scores or isinstance(loss, losses.Logistic):
        return "log loss"  # for two classes this is the logistic loss
    if traits.counts_mistakes:
        return "expected mistakes" if traits.draws else MISTAKES
    if loss is None and "family" in run.parameters:  # the losses come from this family
        return f"{word(run.parameters['family']).partition('(')[0].lower()} losses"
    if not isinstance(loss, losses.KINDS):
        return f"{run.facts['game']} loss"
    if isinstance(loss, losses.ZeroOne) and "loss" not in run.parameters:
        return MISTAKES  # the learner knows no other loss
    quantile = f":{loss.quantile:g}" if isinstance(loss, losses.Pinball) else ""
    return f"{losses.name(loss)}{quantile} loss"


def features(run: Run) -> str:
    """How many features the examples have; of sparse ones, how many there is room for."""
    n, columns = run.transcript.feature_count, len(run.stream.columns)
    if columns and run.stream.bits is not None:
        return f"{columns:,} column{'s' * (columns != 1)} hashed to {n:,} features"
    return f"{n:,} feature{'s' * (n != 1)}{', sparse' * run.transcript.sparse}"


def word(v: Any) -> str:
    """A parameter or fact, as a person writes it."""
    if isinstance(v, float):
        return "not known" if math.isnan(v) else f"{v:.6g}"
    if isinstance(v, str | bool):
        return str(v)
    if isinstance(v, int):
        return f"{v:,}"
    if v is None:
        return "unset"
    if isinstance(v, losses.KINDS) and not losses.has_interval(v):
        return losses.name(v)
    if is_named_tuple(v):
        return f"{type(v).__name__}({', '.join(f'{k}={word(p)}' for k, p in v._asdict().items())})"
    return str(v)
