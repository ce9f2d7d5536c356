"""Which learner makes the intervals, and which one mixes the forecasters before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import BadInput
from ...core.learner import Learner
from ...core.registry import learners
from ..learners.cover import Cover

if TYPE_CHECKING:
    AnyLearner = Learner[Any, Any, Any, Any]


def makes_sets(learner: AnyLearner) -> bool:
    return learner.examples and bool(learner.game(False).traits().action == "set")


def no_sets(name: str) -> BadInput:
    able = sorted(k for k, c in learners().items() if makes_sets(c()))
    return BadInput(f"{name} does not make prediction sets; these do: {', '.join(able)}")


def several_levels(level: Any, learner: Any) -> list[float] | None:
    """Levels in order; None where a learner brings its own."""
    many = isinstance(level, (list, tuple, np.ndarray))
    if not many:
        return None if isinstance(learner, Learner) else [level]
    if not len(level):
        raise BadInput("level must be a number between 0 and 1, or several of them; there are none")
    try:
        return sorted({float(v) for v in level})
    except (TypeError, ValueError):
        raise BadInput(f"level must be numbers between 0 and 1, not {level!r}") from None


def learners_of_levels(
    learner: AnyLearner | str,
    levels: list[float] | None,
    delay: int,
    season: tuple[float, ...],
    spread: bool,
    seasonal: bool,
) -> list[AnyLearner]:
    """The learner that was asked for, once for each level, in their order.

    `season` and `spread` are what is known of the rounds; `seasonal`: did the user ask for the season?
    """
    wanted: Any = [None] if levels is None else levels
    return [chosen_learner(learner, level, delay, season, spread, seasonal) for level in wanted]


def chosen_learner(
    learner: AnyLearner | str,
    level: float | None,
    delay: int,
    season: tuple[float, ...],
    spread: bool,
    seasonal: bool,
) -> AnyLearner:
    """The learner that was asked for, with its level; it must make prediction sets."""
    if isinstance(learner, str):
        chosen: Any = learners().get(learner)
        if chosen is None or not makes_sets(chosen()):
            raise no_sets(learner)
        known = chosen().parameters
        if "level" not in known:
            raise BadInput(
                f"{learner} has no level: play it with ls.play(ls.{chosen.__name__}(…), …)"
            )
        more: dict[str, Any] = {}
        if "late" in known:
            more["late"] = int(delay)
        if "season" in known:
            more |= {"season": season, "spread": int(spread)}
        elif seasonal and season:
            raise BadInput(f"season: {learner} knows nothing of seasons; cover does")
        made: AnyLearner = chosen(level=level, **more)
        return made
    if not isinstance(learner, Learner) or not makes_sets(learner):
        raise no_sets(learner.key if isinstance(learner, Learner) else repr(learner))
    return learner if level is None else learner.replace(level=level)


def mixer(mix: Any) -> Any:
    """The learner over experts that mixes the forecasts."""
    chosen: Any = learners().get(mix) if isinstance(mix, str) else mix
    one = chosen() if isinstance(chosen, type) else chosen
    if not isinstance(one, Learner) or one.examples or one.bandit or one.labels:
        raise BadInput(
            f"mix must be one of 'auto', 'tracker', 'mean', or another learner over experts, not {mix!r}"
        )
    return one


def follows_centres(learner: AnyLearner, delay: int) -> bool:
    """Are intervals around several centres mixed, where nothing else was asked for?

    Prompt alone: 24 rounds late the mean and tracker are as good as each other (Nord Pool 9.35 and 9.33, mixed 9.46).
    """
    return isinstance(learner, Cover) and delay == 0
