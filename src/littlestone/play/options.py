"""How a learner is played: every option of a play, declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..core.errors import BadInput
from ..core.options import (
    BANDITS,
    DATA,
    DECISIONS,
    FEEDBACK,
    PLAYING,
    PROGRAMS,
    RESULTS,
    Flag,
    Options,
    declare,
)

if TYPE_CHECKING:  # the command line declares its options without NumPy
    import numpy as np

    from ..core.costs import Costs
    from ..core.learner import Learner
    from ..live.live import Live
    from .delay import KeyDelays
    from .session import Session

    AnyLearner = Learner[Any, Any, Any, Any]
    Delay = int | Sequence[float] | np.ndarray | Mapping[Any, int] | str | KeyDelays
    Importance = Sequence[float] | np.ndarray

Progress = Callable[[int, float], None]


class Checkpoint(Protocol):
    """Saves what was learned so far, now and then."""

    def __call__(self, learner: AnyLearner, live: Live, rounds: int) -> None:
        """After some rounds of one learner."""

    def of_keys(self, sessions: Mapping[Any, Session], rounds: int) -> None:
        """After some rounds of learners by key."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PlayOptions(Options):
    """How to play; values that no learner can be played with are refused when it is made.

    >>> PlayOptions(delay=3, record="none").delay
    3
    >>> PlayOptions(record="some")
    Traceback (most recent call last):
        ...
    littlestone.core.errors.BadInput: record must be one of auto, all, none, not 'some': leave it out for auto
    """

    importance: Importance | None = declare(
        None, "importance weights, one a round", DATA, kinds=("examples",)
    )
    interval: tuple[float, float] | None = declare(
        None, "where losses or outcomes lie, (low, high), where a theorem must know it beforehand", PLAYING, "interval",
        otherwise="the interval that the first rounds show",
        flag=Flag(metavar="LOW HIGH", help="where advice and outcomes (of losses: losses) lie, for learners that must "
                  "know", otherwise="seen from the data"),
    )  # fmt: skip
    horizon: int | None = declare(
        None, "how many rounds will come, where a theorem must know it and the data do not tell", PLAYING, "whole",
        least=1, otherwise="the number of rounds of the data",
    )  # fmt: skip
    seed: int = declare(
        0, "decides all draws", PLAYING, "whole", least=0, most=2**63 - 1, flag=Flag(metavar="NUMBER")
    )  # fmt: skip
    passes: int = declare(
        1, "how often a learner over examples goes over them", PLAYING, "whole", kinds=("examples",), least=1,
        flag=Flag(metavar="NUMBER"),
    )  # fmt: skip
    resume: bool = declare(
        False, "go on from where the learner is; with `by`, from the learners by key of earlier runs, `runs.learners`",
        PLAYING, "flag",
    )  # fmt: skip
    asleep: str = declare(
        "error", 'when all experts sleep: "error", or "last" to repeat the last action', PLAYING, "choice",
        kinds=("experts",), choices=("error", "last"),
        flag=Flag(help="where no expert gives advice: stop, or repeat the last prediction"),
    )  # fmt: skip
    engine: str | None = declare(
        None, '"plain" or "compiled"', PLAYING, "choice", choices=("plain", "compiled"),
        otherwise="compiled, where Numba can be used",
    )  # fmt: skip
    delay: Delay = declare(
        0, "rounds until an outcome is known: a number, or one for each round; infinity: never. With `by` also one "
        "for each key, {key: rounds}; or the column of `by` itself, whose keys are horizons: 1, 2, 3 rounds ahead; "
        'or columns such as "*_h{}", where * is a forecaster and {} how many rows ahead: a run for each horizon',
        FEEDBACK,
        flag=Flag(metavar="ROUNDS", number="whole", help="outcomes arrive so many rounds late. Prompt feedback is "
                  "played too, and shown beside"),
    )  # fmt: skip
    interleave: bool = declare(
        False, "with a delay, whether delay + 1 copies take turns: every theorem covers them, but they mostly lose "
        "more", FEEDBACK, "flag",
        flag=Flag(("--interleave/--one-copy",), help="with late feedback: one more learner than rounds of delay, which "
                  "take turns (every theorem covers them, but they mostly lose more), or one that learns late",
                  otherwise="one copy"),
    )  # fmt: skip
    costs: Mapping[tuple[Any, Any], float] | Costs | None = declare(
        None, "of learners with probabilities, what it costs to decide for one class where another is true: "
        '{("no", "yes"): 5}; a mistake that is not listed costs 1. `run.decisions` are those of least expected cost',
        DECISIONS,
    )  # fmt: skip
    threshold: float | Mapping[Any, float] | None = declare(
        None, 'of two classes, the probability from which on the second is decided for; or {"yes": 0.2}', DECISIONS,
        flag=Flag(metavar="0.2", help="of two classes, decide for the second (1, true, yes) from this probability on; "
                  "yes=0.2 names the class. The output says what these decisions cost"),
    )  # fmt: skip
    rounds: int | None = declare(
        None, "how many rounds an environment (`ls.Arms`) is played", BANDITS, "whole", kinds=("arms",), least=1,
        otherwise="all rounds of the data",
        flag=Flag(metavar="NUMBER", help="how many rounds are drawn", otherwise="10,000"),
    )  # fmt: skip
    seeds: int = declare(
        1, "how many runs, each with draws of its own", BANDITS, "whole", kinds=("arms",), least=1,
        elsewhere="the states of these learners do not depend on their draws, so expected losses are exact and one "
        "seed is enough; for other draws play with another seed",
        flag=Flag(metavar="NUMBER", help="so many runs, each with draws of its own: mean regret, and where most runs "
                  "lie", otherwise="one run, with its transcript"),
    )  # fmt: skip
    workers: int | None = declare(
        None, "how many threads share them", BANDITS, "whole", kinds=("arms",), least=1, otherwise="all cores"
    )  # fmt: skip
    certify: bool = declare(
        True, "compare with the best answers in hindsight, and judge the theorems", RESULTS, "flag",
        flag=Flag(("--certify/--no-certify",)),
    )  # fmt: skip
    shifts: int | None = declare(
        None, "comparators with up to this many shifts are computed", RESULTS, "whole", least=0,
        otherwise="as many as are quickly found",
    )  # fmt: skip
    record: str = declare(
        "auto", '"auto", "all" or "none": which rounds are kept for `run.predictions` and its like', RESULTS, "choice",
        choices=("auto", "all", "none"),
    )  # fmt: skip
    progress: Progress | None = declare(
        None, "called now and then with the rounds done and the loss so far. Not given, a notebook shows a bar where a "
        "run takes longer than a second; False: it does not", RESULTS, "function", takes="rounds and loss",
        otherwise="the bar of notebooks and of the command line; print shows the numbers",
    )  # fmt: skip
    sink: Callable[[int, Any, Any], None] | None = declare(
        None, "called with the number of the first round, predictions and losses of each piece", RESULTS, "function",
        takes="round, predictions and losses", otherwise="none",
    )  # fmt: skip
    by_key: Mapping[Any, AnyLearner] | None = declare(
        None, "with `by`, the learners that go on, by their keys; other keys get new learners", PROGRAMS, public=False
    )  # fmt: skip
    decisions: Callable[[Any], None] | None = declare(
        None, "called with the decisions of each piece, before `sink`", PROGRAMS, "function", takes="decisions",
        otherwise="none", public=False,
    )  # fmt: skip
    checkpoint: Checkpoint | None = declare(
        None, "called with learner, live learner and rounds after each piece", PROGRAMS, "function",
        takes="learner, live learner and rounds", otherwise="none", public=False,
    )  # fmt: skip

    def refuse_combination(self) -> None:
        if self.costs is not None or self.threshold is not None:
            from ..core.costs import costs_of

            costs_of(self.costs, self.threshold)  # which refuses what is no cost
        late = self.delay if isinstance(self.delay, Iterable) else [self.delay]
        if self.seeds > 1 and any(late):
            raise BadInput("seeds and delay do not go together: play each seed with its delay")
