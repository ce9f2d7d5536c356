"""Fit a learner to what is known before the first round: its game, its shape, the rates that its theorem asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.game import Game, Shape, Traits
from ..engine.memory import extended, settle
from .setting import InitialInfo, Setting
from .sizes import refuse_size, too_large

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]


def fit_setting(learner: AnyLearner, known: InitialInfo, losses: bool) -> Setting:
    """Fit a learner to what is known; return its setting. `losses`: rounds bring losses, and no outcomes."""
    game = learner.game(losses)
    return Setting.kinds[game.traits().kind.name].fit(learner, game, known)


def fit_learner(
    learner: AnyLearner,
    game: Game,
    n: int,
    rounds: int,
    interval: tuple[float, float] | None,
    labels: Any,
) -> tuple[AnyLearner, Game, Shape]:
    """Put the interval into the loss (or into a game over losses), and the theorem's rates into the learner."""
    traits: Traits = game.traits()
    loss = learner.parameters.get(
        "loss"
    )  # a learner whose game has one loss for good takes no interval
    if interval is None and learner.bounded and loss is not None and not losses.has_interval(loss):
        interval = (0.0, 1.0)  # the interval of the theory, until another one is declared
    if interval is not None:
        low, high = float(interval[0]), float(interval[1])
        if not low < high:
            raise BadInput(f"interval must have low < high, not ({interval[0]}, {interval[1]})")
        if traits.interval is not None:
            game = type(game)(low, high)
        elif loss is not None:
            learner = learner.replace(loss=losses.on_interval(loss, low, high))
            game = learner.game(False)
    traits = game.traits()
    span = 1.0 if traits.loss is None else losses.span(traits.loss)
    if traits.interval is not None:
        span = traits.interval[1] - traits.interval[0]
    if span < 1e-300:  # the rates would overflow
        raise BadInput(
            f"the interval {interval} is too short to compute with: multiply by a constant"
        )
    shape = Shape(n, int(rounds or 0), float(span), len(labels) if labels else 2)
    refuse_size(learner, shape)
    return learner.tuned(shape, game), game, shape


def first_state(learner: AnyLearner, shape: Shape) -> Any:
    """The state before the first round, its numbers coerced to the types that the rules return."""
    try:
        return coerce_state(learner.begin(shape))
    except MemoryError:
        raise too_large(learner, shape) from None


def coerce_state(v: Any) -> Any:
    """A state whose numbers have the declared types, and whose arrays are contiguous."""
    if isinstance(v, tuple) and type(v) is not tuple:
        made: Any = type(v)
        kinds = made.__annotations__
        return made(
            *[
                float(part) if str(kinds[f]) in ("float", "<class 'float'>") else coerce_state(part)
                for f, part in zip(made._fields, v, strict=True)
            ]
        )
    if isinstance(v, np.ndarray):
        return np.ascontiguousarray(v)
    return int(v) if isinstance(v, (bool, int, np.integer)) else v


def grow_state(learner: AnyLearner, state: Any, shape: Shape) -> Any:
    """The state with room for more coordinates or classes; what it has learned stays."""
    return learner.grow(state, first_state(learner, shape), shape)


def grown_in_place(learner: AnyLearner, state: Any, shape: Shape) -> Any:
    """`grow_state`, where the old state is not needed any more: more classes lie behind the old ones, none is copied.

    Of 2^18 features and ten classes that come one by one a gigabyte would be copied.
    """
    return settle(learner.grow(state, extended(state, first_state(learner, shape)), shape), state)
