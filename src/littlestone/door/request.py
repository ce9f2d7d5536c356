"""A request: what a user asked `play` for, in Python or on the command line, as one object that never changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.options import declarations
from ..session.options import PlayOptions

AnyLearner = Learner[Any, Any, Any, Any]

TASKS = ("classification", "regression", "forecasting", "losses")


@dataclass(frozen=True, eq=False)  # it may hold arrays, whose == is an array
class Request:
    """A learner, the data, and how to play; a request that cannot be met with any data is refused when it is made."""

    learner: AnyLearner
    data: Any  # arrays, a frame, a path, an iterator of batches, a Stream, an environment

    # which of the data are what
    outcomes: Any = None
    outcome: str | None = None
    experts: Any = None
    by: Any = None
    task: str | None = None  # one of TASKS; None: seen from the learner and the data
    losses: bool | None = None  # None: seen from the data
    labels: Any = None
    features: Any = None  # of a bandit: what each round offers, as numbers
    trained: bool = (
        False  # are `features`, or `experts`, the columns that the learner was trained on?
    )
    weights: Any = None
    bits: int | None = None
    interactions: Any = ()
    text: Any = None  # columns that are read as words; None: those that look like it
    ngram: int = 1
    categories: bool | None = (
        None  # is text of few values read as numbers? None: as the learner has it
    )
    on_bad_line: str = "error"
    format: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    tasks: Any = None
    optional: bool = False  # data without outcomes are read as well, to be predicted

    # bandits alone
    rewards: bool = False
    available: Any = None
    rounds: int | None = None
    seeds: int = 1
    workers: int | None = None

    # how to play
    seed: int = 0
    interval: tuple[float, float] | None = None
    delay: Any = 0
    interleave: bool | None = None
    record: str = "auto"
    asleep: str = "error"
    horizon: int | None = None
    shifts: int | None = None
    importance: Any = None
    passes: int = 1
    resume: bool = False
    by_key: Any = None  # with `by`: the learners that go on, by their keys
    certify: bool = True
    costs: Any = (
        None  # what decisions cost that are made by probabilities: Costs, or what `costs_of` takes
    )
    threshold: Any = None
    engine: str | None = None
    progress: Callable[[int, float], None] | None = None
    sink: Callable[[int, Any, Any], None] | None = None
    decisions: Callable[[Any], None] | None = None
    checkpoint: Callable[[Any, Any, int], None] | None = None

    def __post_init__(self) -> None:
        """Refuse values that no learner, or not this one, can be played with."""
        learner = self.learner
        if self.task is not None and self.task not in TASKS:
            raise BadInput(f"task must be one of {', '.join(TASKS)}, not {self.task!r}")
        self.play_options.refuse_learner(learner)
        if learner.bandit and (self.outcomes is not None or self.outcome is not None):
            raise BadInput(
                f"{learner.key} is a bandit: it needs losses (or rewards), one for each arm"
            )
        if self.tasks is not None and "tasks" not in learner.parameters:
            raise BadInput(f"tasks: {learner.key} knows of no tasks; multitask does")

    @cached_property
    def play_options(self) -> PlayOptions:
        """How to play."""
        return PlayOptions(
            **{name: self.__dict__[name] for name, _, _ in declarations(PlayOptions)}
        )
