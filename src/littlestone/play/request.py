"""A request: what a user asked `play` for, in Python or on the command line, as one object that never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from ..core import registry
from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.options import Rule, declarations
from ..streams.options import ReadOptions
from ..streams.tables.wide_horizons import is_template
from .delay import key_delays
from .options import PlayOptions

AnyLearner = Learner[Any, Any, Any, Any]

READ, PLAY = ReadOptions(), PlayOptions()
READING = frozenset(name for name, _, _ in declarations(ReadOptions))
# The options of `ls.play`, by name, and their rules.
PUBLIC: Mapping[str, Rule] = {
    name: rule
    for name, rule, _ in (*declarations(ReadOptions), *declarations(PlayOptions))
    if rule.public
}


@dataclass(frozen=True, eq=False)  # it may hold arrays, whose == is an array
class Request:
    """A learner, the data, how to read and how to play them.

    Options are checked by themselves when they are made; here it is checked that they go with the learner.
    """

    learner: AnyLearner
    data: Any  # arrays, a frame, a path, an iterator of batches, a Stream, an environment
    outcomes: Any = None
    read: ReadOptions = READ
    play: PlayOptions = PLAY

    def __post_init__(self) -> None:
        """Refuse what this learner cannot be played with, whatever the data."""
        learner = self.learner
        self.play.refuse_learner(learner)
        if learner.bandit and (self.outcomes is not None or self.read.outcome is not None):
            raise BadInput(
                f"{learner.key} is a bandit: it needs losses (or rewards), one for each arm"
            )
        if self.read.lags is not None and not learner.examples:
            does = "pulls arms" if learner.bandit else "combines experts"
            raise BadInput(
                f"lags: they are features, and {learner.key} {does}: play a learner over examples, such as "
                "online-linear"
            )
        if self.read.tasks is not None and "tasks" not in learner.parameters:
            raise BadInput(f"tasks: {learner.key} knows of no tasks; multitask does")

    def read_with(self, **options: Any) -> Request:
        """The same request, with other options of reading."""
        return replace(self, read=replace(self.read, **options))

    def play_with(self, **options: Any) -> Request:
        """The same request, with other options of playing."""
        return replace(self, play=replace(self.play, **options))


def make_request(
    learner: AnyLearner | str | Mapping[Any, AnyLearner], data: Any, outcomes: Any, options: Mapping[str, Any]
) -> Request:  # fmt: skip
    """The request of a call of `ls.play` with these keywords.

    >>> asked = make_request("hedge", [[0.0, 1.0]], None, {"seed": 3, "losses": True})
    >>> asked.learner.key, asked.play.seed, asked.read.losses
    ('hedge', 3, True)
    """
    given = dict(options)
    if isinstance(learner, Mapping):
        given["by_key"] = dict(learner)
        template = is_template(options.get("delay"))
        keys = options["delay"] if template else options.get("by")
        learner = first_of(learner, keys, bool(options.get("resume")))
    made = registry.learner(learner)
    refuse_unknown(made, options)
    for option in ("outcome", "by", "weights"):
        if option in given:
            given[option] = column_name(given[option])
    if "outcome" in given:
        given["outcome"] = outcome_column(given["outcome"])
    delay = given.get("delay", 0)
    if not isinstance(delay, int) and not is_template(delay):
        given["delay"] = key_delays(delay, given.get("by"))
    if given.get("progress") is False:
        given["progress"] = None
    return Request(
        made,
        data,
        outcomes,
        ReadOptions(**{name: v for name, v in given.items() if name in READING}),
        PlayOptions(**{name: v for name, v in given.items() if name not in READING}),
    )


def outcome_column(outcome: Any) -> str | None:
    """The name of the column that holds the outcomes."""
    if isinstance(outcome, tuple):  # of a frame whose columns have several levels
        return str(outcome)
    if outcome is None or isinstance(outcome, str):
        return outcome
    raise BadInput(
        f"outcome must be the name of a column, not {outcome!r:.80}; outcomes= takes an array"
    )


def refuse_unknown(learner: AnyLearner, options: Mapping[str, Any]) -> None:
    """Refuse keywords that `play` does not have, or has for bandits alone."""
    for name, value in options.items():
        if name not in PUBLIC:
            raise TypeError(f"play() got an unexpected keyword argument {name!r}")
        rule = PUBLIC[name]
        alone = rule.kinds == ("arms",) and not rule.elsewhere and not learner.bandit
        if alone and value is not None and value is not False:
            raise TypeError(
                f"play() got an unexpected keyword argument {name!r}: {learner.key} is no bandit"
            )


def first_of(learners: Mapping[Any, AnyLearner], by: Any, resume: bool) -> AnyLearner:
    """One of several learners, each of which goes on with the rows of its key."""
    if not learners or by is None or not resume:
        raise BadInput(
            "learners by key go on with the rows of their keys: say which column holds these, with by= and resume=True"
        )
    return next(iter(learners.values()))


def column_name(given: Any) -> Any:
    """The name of a column as text; pandas calls columns 0, 1, … where a file had no names."""
    number = isinstance(given, Integral) and not isinstance(given, bool)
    return str(given) if number else given
