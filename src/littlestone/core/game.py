"""What a learner knows before the first round."""

from __future__ import annotations

from typing import Any, NamedTuple

Game = Any  # a NamedTuple of the room `games`; its methods are listed in games/experts.py


class Shape(NamedTuple):
    """What a learner knows before the first round."""

    n: int  # experts, or features
    T: int = 0  # rounds, 0 where nobody knows
    span: float = 1.0  # the largest difference between two losses
    classes: int = 2  # labels, where outcomes are labels
    # of a bandit: the length of what is known of a round; of sparse examples: how many features there were when it
    # began, 0 where nobody knows (`n` is the room for them)
    features: int = 0


def inside(game: Any) -> Any:
    """The game under a wrapper such as `Sleeping`."""
    return getattr(game, "game", game)
