"""A run in words: its game, its loss, the size of its examples, its parameters."""

from __future__ import annotations

import math
from typing import Any

from ..core import losses
from ..games import Classes, Coin, Convex
from ..run.run import Run
from ..run.run_bandit import BanditRun
from ..run.run_examples import ExampleRun

GAMES = {
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


def entrants(run: Run) -> str:
    """Who the learner chooses from."""
    return "arms" if isinstance(run, BanditRun) else "experts"


def loss_name(run: Run) -> str:
    """What a round is charged."""
    game, loss = run.facts["game"], run.parameters.get("loss")
    if isinstance(run, ExampleRun):
        own = run._s.game
        if isinstance(own, Coin):
            return "expected mistakes"
        if isinstance(own, Classes) and own.probabilities:
            return "log loss"
        if isinstance(own, Convex):
            return f"{word(own.family).partition('(')[0].lower()} losses"
        loss = getattr(own, "loss", None)
    if game in ("allocation", "bandit"):
        return "losses as given"
    if game in ("vote", "labels") or not isinstance(loss, losses.KINDS):
        return MISTAKES
    if isinstance(loss, losses.Logistic):
        return "log loss"  # of two classes they are the same
    quantile = f":{loss.quantile:g}" if isinstance(loss, losses.Pinball) else ""
    return f"{losses.name(loss)}{quantile} loss"


def features(run: ExampleRun) -> str:
    """How many features the examples have; of sparse ones, how many there is room for."""
    s = run._s
    n = s.shape.n - int(s.intercept)
    return f"{n:,} feature{'s' * (n != 1)}{', sparse' * bool(s.sparse)}"


def classifies(run: Run) -> bool:
    return isinstance(run, ExampleRun) and run.classifies


def importance(run: Run) -> float:
    """What totals are divided by: rounds with an answer, over examples their importance."""
    if isinstance(run, ExampleRun):
        return float(run._s.books.importance)  # type: ignore[attr-defined]
    return float(run.answered)


def word(v: Any) -> str:
    """A parameter or fact, as a person writes it."""
    if isinstance(v, float):
        return "not known" if math.isnan(v) else f"{v:.6g}"
    if isinstance(v, int) and not isinstance(v, bool):
        return f"{v:,}"
    if v is None:
        return "unset"
    if isinstance(v, losses.KINDS) and not losses.declared(v):
        return losses.name(v)
    if hasattr(v, "_fields"):
        return f"{type(v).__name__}({', '.join(f'{k}={word(p)}' for k, p in v._asdict().items())})"
    return str(v)
