"""A worked row: a few rounds of one learner, and what must come out of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Row:
    """What goes into a learner, and what comes out: worked by hand, right to six decimals.

    What a round is depends on what the learner's game gives it:

    - **losses**: x is None, y has one row of losses a round;
    - **advice**: x has one row a round, one number (or label) an expert; y has the outcomes;
    - **examples**: x has one example a row, y the labels as a user writes them, or the numbers;
    - **arms**: `arms` has the arm that is pulled in each round, y what it cost, x the features of the rounds or None.

    `decisions` are weights, scores or propensities, one row a round. There may be one row more: the decision after the
    last round, for the last x. What is None (or empty) was not worked out, and is not compared.

    >>> row = Row(
    ...     key="hedge",
    ...     parameters={"eta": 1.0},
    ...     y=[(0, 1)],
    ...     decisions=[(0.5, 0.5), (0.731059, 0.268941)],
    ... )
    >>> row.rounds
    1
    """

    key: str = ""  # the learner, and ...
    parameters: dict[str, Any] = field(default_factory=dict)  # ... its parameters
    x: Any = None
    y: Any = None
    predictions: Any = None  # labels as a user writes them, numbers; None where the game draws
    decisions: Any = None
    loss: float | None = None  # in total, expected where the game draws
    theorem: str | None = None  # the id of one of its guarantees; None where it has none
    bound: float | None = None  # what that guarantee says of this run, ...
    state: dict[str, Any] = field(default_factory=dict)  # parts of the last state, by name
    options: dict[str, Any] = field(default_factory=dict)  # more arguments of `play`
    arms: Any = None  # of bandits: the arm that is pulled in each round
    symbols: dict[str, Any] | None = (
        None  # ... or of a run with these symbols, where they are given
    )
    extreme: dict[str, Any] = field(default_factory=dict)  # parameters that are hard on it
    # Must sparse examples give the same decisions as dense ones? Not where dense features are centred, or where a
    # decision counts features that have never been there.
    sparse_is_dense: bool = True
    width: int | None = None  # experts, features or arms of the rounds that are drawn at random
    # Rounds for the checks that need more of them than the row has: sample(T, n, seed) -> (x, y). None: drawn at
    # random, as the learner's declarations allow.
    sample: Callable[[int, int, int], tuple[Any, Any]] | None = None

    @property
    def rounds(self) -> int:
        """How many rounds it has."""
        return len(self.y)
