"""What a learner is given, round after round; one class a kind: advice, losses, examples, arms.

A setting fits the learner, codes and names rows, refuses what cannot be played, and lets states grow. `Session` plays
many rounds through it and `Live` one at a time; neither knows which kind it has.

    many rounds   matches, fit_in, loop_inputs, numbers, check, fallback_game  (play/session.py)
    one round     example, put_outcome, fallback_game_of_row, as_prediction, copy_example, restore  (live/)
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..core.errors import BadInput
from ..core.game import ONE, PAIR, PER_CLASS, PER_COORDINATE, Game, RoundKind, Shape, Traits
from ..core.rows import flat
from ..encode.categories import NO_TEXT
from ..encode.hashed_names import HashedNames
from ..encode.lags import Lags
from ..encode.named_rows import in_order, named_row, some
from ..engine.checks import HUGE, refuse

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Array, Batch
    from ..encode.labels import LabelEncoder
    from ..encode.running_means import RunningMeans
    from ..encode.stream import Stream

    AnyLearner = Learner[Any, Any, Any, Any]

DECLARE = "; declare a wider one: loss=Square(low, high), or start(n, interval=(low, high))"
DECLARE_ARMS = "; declare a wider one: start(n, interval=(low, high))"
DECLARE_PLAY = "; declare a wider one with interval=(low, high)"


@dataclass
class InitialInfo:
    """What is known before the first round."""

    n: int = 0  # experts, arms, or features
    rounds: int = 0  # 0 where that is not known
    interval: tuple[float, float] | None = None
    labels: Any = None
    found: bool = (
        False  # the labels were found in the data: a class exists from its first occurrence
    )
    names: tuple[str, ...] | None = None  # of the columns, where a table named them
    sparse: bool = False  # of examples
    hashed: bool = False  # and whether names were hashed, to as many places as the user wants
    contexts: int = 0  # of bandits: the length of what is known of a round
    columns: tuple[str, ...] | None = None  # and what its entries are called
    batch: Batch | None = None  # the first rounds, where they are at hand
    whole: bool = False  # and whether they are all rounds
    table: int = 0  # the columns of the table, where text of few values makes more features than there are columns
    offset: int = -1  # the feature that predictions of numbers start from; -1: there is none
    remarks: list[str] = field(default_factory=list)  # what the user should know about the fit


class Setting:
    """What every kind of setting shares."""

    kind: ClassVar[RoundKind]
    kinds: ClassVar[
        dict[str, type[Setting]]
    ] = {}  # every kind of setting, by the name of its kind of rounds
    folds: ClassVar[Callable[..., Any]]  # where comparators and totals are folded, chunk by chunk
    infinite: ClassVar[str] = "the loss is infinite"  # what an infinite cost means
    column_word: ClassVar[str] = "experts"  # what columns are called in messages
    field: ClassVar[str] = "example"  # what a round brings is called in errors (BadInput.field)
    # coordinates of a state up to which a run keeps the learner's notes at several rounds, for charts
    largest_noted: ClassVar[float] = math.inf
    intercept = False
    sparse = False
    compact = False  # do indices that occur have places of their own, as there are large gaps between them?
    hashed = HashedNames()
    categories = NO_TEXT
    lags: Lags | None = None  # outcomes of earlier rounds that are features, and those still needed
    bits: int | None = None  # names of features were hashed to 2^bits places; None: they were not
    means: RunningMeans | None = None  # of the columns of a table, which fill in what is missing
    missing = ""  # what stands for numbers that are missing: "mean", "zero", "refuse"; "": nothing, NaN is refused
    action_count: (
        int | None
    )  # actions are numbered from 0: labels, experts, arms; None: they are not counted
    shifts: int | None = (
        None  # of the comparators to compute, at most; None: as many as are quickly found
    )
    sane: Batch | None = None  # a batch whose entries were all found to be in the interval
    slept = 0  # rounds in which an arm was not there
    newcomers: tuple[int, ...] = ()  # rows of the batch in which a class occurs for the first time
    late = False  # does a class found in the data exist from when its label arrives, some rounds later?
    sleeper: Any = None  # the game of rounds in which some advice is missing
    coder: LabelEncoder | None = None  # codes of labels, of examples
    width = -1  # features of a dense example; -1 where examples are sparse
    offers_all = False  # of arms: does the round in the buffers offer all of them?
    revision = 0  # how often the shape or the buffers have changed; live learners follow
    # The buffers of one round. The loop gets read-only views of them, as it does from `play`: one signature, one
    # compilation.
    X: Any
    Y: Any
    views: tuple[Any, Any]
    flat: Any  # the numbers of a round that the loop checks

    def __init__(
        self,
        learner: AnyLearner,
        game: Game,
        shape: Shape,
        *,
        labels: Any = None,
        names: Any = None,
    ) -> None:
        self.learner, self.game = learner, game
        self.names: tuple[str, ...] | None = names
        self._labels = labels
        self.undo: list[Callable[[], None]] = []  # what takes back what this round has changed
        self.traits: Traits = game.traits()
        self.resize(shape)
        self.low, self.high = map(float, self.allowed_range())
        self.buffers()

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            Setting.kinds[cls.kind.name] = cls

    @classmethod
    def fit(cls, learner: AnyLearner, game: Game, known: InitialInfo) -> Self:
        """Fit a learner, which plays this game, to what is known before its first round."""
        raise NotImplementedError

    def allowed_range(self) -> tuple[float, float]:
        """The interval (low, high); numbers outside of it are refused."""
        raise NotImplementedError

    def buffers(self) -> None:
        """Make room for one round."""
        raise NotImplementedError

    def more(self) -> dict[str, Any]:
        """What a saved file must hold to make this setting again, beside learner, game, shape and labels."""
        return {}

    def copied(self) -> Self:
        """A setting of its own for another live learner."""
        made = copy.copy(self)
        made.undo = []
        made.buffers()
        return made

    def take_back(self) -> None:
        """After a round was refused: forget the names, places, classes and room that it brought."""
        while self.undo:
            self.undo.pop()()

    def name_field(self, problem: BaseException, x: Any) -> None:
        """Let the refusal of a round say which field it is about, where it does not yet: what the round brought."""
        if isinstance(problem, BadInput):
            problem.about(self.field, x)

    @property
    def labels(self) -> Any:
        """The labels of the codes 0, 1, …; None where outcomes are numbers."""
        return self._labels

    def resize(self, shape: Shape) -> None:
        """Take another shape, and the lengths of decisions and actions that follow from it."""
        sizes = {ONE: 1, PAIR: 2, PER_CLASS: shape.classes, PER_COORDINATE: shape.n}
        self.shape, decision = shape, self.traits.decision
        self.revision += 1
        self.decision_width = sizes[decision] if isinstance(decision, str) else decision
        self.action_width = sizes[self.traits.width]
        counts = {"label": max(2, shape.classes), "expert": shape.n, "arm": shape.n}
        self.action_count = counts.get(self.traits.action) if self.action_width == 1 else None

    def widths(self, shape: Shape) -> tuple[int, int]:
        """How many numbers a decision and an action have, where states have this shape."""
        if shape == self.shape:
            return self.decision_width, self.action_width
        other = copy.copy(self)
        other.resize(shape)
        return other.decision_width, other.action_width

    # Many rounds.

    def matches(self, batch: Batch, names: tuple[str, ...]) -> None:
        """Refuse rounds that are not of the kind this learner was trained on."""
        if self.shape.n != len(names):
            raise BadInput(
                f"{self.learner.key} was trained on {self.shape.n} {self.column_word}; these are {len(names)}"
            )
        self.same_names(names)

    def same_names(self, names: tuple[str, ...]) -> None:
        """Refuse columns whose names are not those that this learner was trained on."""
        if named_by_user(self.names) and named_by_user(names) and self.names != names:
            raise BadInput(
                f"{self.learner.key} was trained on the {self.column_word} {', '.join(self.names or ())}; "
                f"these are {', '.join(names)}: choose the same columns, in that order"
            )

    def fill_in(self, batch: Batch) -> Batch:
        """Rounds that are only predicted, with what stands for the numbers that are missing."""
        return batch

    def named_as(self, stream: Stream) -> None:
        """Remember how a stream names its features, so that rows by name can be predicted later."""

    def remember(self, y: Any) -> None:
        """Take note of the outcomes of some rounds, where those of earlier rounds are features."""

    def fit_in(self, batch: Batch, labels: Any, found: bool = False) -> Shape:
        """Learn the labels of a batch, and the shape that states must have for it.

        Where labels were `found` in the data, room for a new class is made in the row in which it occurs first
        (`newcomers`, `welcome`), and not before; where outcomes come `late`, when its label arrives first.
        """
        return self.shape

    def welcome(self) -> Shape:
        """Make room for the next class of `newcomers`: the shape that states must have from its row on."""
        return self.shape

    def loop_inputs(self, batch: Batch) -> tuple[Any, Any]:
        """What the loop gets: what each round brings, and its outcome."""
        raise NotImplementedError

    def numbers(self, x: Any, y: Any) -> Any:
        """The numbers that the loop checks, in one row."""
        return flat(x)

    def check(self, x: Any, y: Any, first: Any, outcome: str) -> None:
        """Refuse what the loop does not check; `first` numbers the rows, `outcome` names what is predicted."""

    def find_undeclared(self, actions: Array) -> Any:
        """Which of T x k actions are none that the game declared; None where no round has such a one."""
        count, a = self.action_count, actions[:, 0]
        if count is None:
            return None
        if count == 2 and np.count_nonzero(a == 0.0) + np.count_nonzero(a == 1.0) == len(a):
            return None  # in half of the time
        bad = ~((a >= 0.0) & (a < count) & (a == np.floor(a)))
        return bad if bad.any() else None

    def fallback_game(self, x: Any, y: Any, first: Any, facts: dict[str, Any], asleep: str) -> Game:
        """After the loop met an entry outside the interval: raise, or return the game to play these rounds by."""
        raise NotImplementedError

    def have_outcomes(self, y: Any) -> Any:
        """Which rounds have an outcome?"""
        return np.ones(len(y), bool)

    def recode_outcomes(self, y: Any) -> Any:
        """Outcomes of a stream, as the learner codes them."""
        return y

    def decode(self, actions: Any) -> Any:
        """Actions as the user sees them: labels as the user wrote them."""
        return actions

    # One round.

    def example(self, x: Any) -> None:
        """Put what a round brings into the buffers."""
        raise NotImplementedError

    def take(self, x: Any, y: Any, importance: float) -> None:
        """Put a whole round into the buffers."""
        raise NotImplementedError

    def put_outcome(self, y: Any, action: Any = None) -> bool:
        """Put the outcome y (of an action) into the buffers; return False where it is missing."""
        raise NotImplementedError

    def fallback_game_of_row(self, first: bool) -> Game:
        """After the loop refused the round in the buffers: raise, or return the game to play it by."""
        raise NotImplementedError

    def as_prediction(self, action: Any, decision: Any) -> Any:
        """What `predict` returns; the decision is a buffer, which the next round writes over."""
        return float(action)

    def copy_example(self) -> Any:
        """The example in the buffers, as a ticket keeps it."""
        return self.X[0].copy() if self.X.size else None

    def restore(self, x: Any) -> None:
        """Put the example of a ticket into the buffers."""
        if x is not None:
            self.X[0] = x

    # A ticket holds numbers in their places. Their names, where rounds bring names, are in the log of tickets.

    @property
    def names_met(self) -> int:
        """How many names have come with rounds so far."""
        return 0

    def names_since(self, first: int) -> dict[str, Any] | None:
        """The names that came after the first ones, as a log holds them; None where there are none."""
        return None

    def reopen(self, x: Any, names: dict[str, Any] | None) -> None:
        """Meet the example of a ticket that was issued after the learner was saved, with the names that it brought."""


def named_by_user(names: tuple[str, ...] | None) -> bool:
    """Did a table name the columns, or were they only counted?"""
    return bool(names) and not all(is_counted_name(name, i) for i, name in enumerate(names or ()))


def is_counted_name(name: str, i: int) -> bool:
    """Is this the name that column i has where a table gives no names?"""
    return name in (f"expert {i + 1}", f"arm {i}", f"feature {i + 1}", str(i + 1), str(i))


def by_name(
    setting: Setting,
    x: Any,
    what: str,
    extra: bool = False,
    if_missing: float | None = None,
    names: tuple[str, ...] | None = None,
) -> Any:
    """The entries of a row in the order of the names that a learner was trained on; x itself where it has no names.

    `if_missing`: what stands for an entry whose name is not there; None: that is refused. `names`: those of the row,
    where they are not all that the learner was trained on.
    """
    row = named_row(x)
    if row is None:
        return x
    names = setting.names if names is None else names
    if not named_by_user(names):
        raise BadInput(
            f"this row has names ({some(list(row), 5)}), and {setting.learner.key} was trained on rows without: "
            "pass the numbers alone, in the order in which it was trained"
        )
    joins = "; play(learner, …, resume=True) lets it join" if setting.learner.newcomers() else ""
    names = names or ()
    if if_missing is not None:
        row = {**dict.fromkeys(names, if_missing), **row}
    return in_order(row, names, what, extra, joins)


def entries(a: Any) -> str:
    return str(len(a)) if a.ndim == 1 else f"shape {a.shape}"


def number_names(n: int) -> tuple[str, ...]:
    return tuple(f"{i + 1}" for i in range(n))


def one_number(
    y: Any, what: str, low: float, high: float, missing: bool = True, hint: str = DECLARE
) -> float:
    """A number that a user gave, in [low, high], or missing; `hint`: what to do about one outside."""
    try:
        v = float(y)
    except (TypeError, ValueError, OverflowError):
        bare = what.removeprefix("the ")
        raise BadInput(f"{what} must be a number, not {y!r:.80}", field=bare, value=y) from None
    if not low <= v <= high and (v == v or not missing):
        bare = what.removeprefix("the ")
        refuse(np.full(1, v), low, high, -1, (), bare, missing, hint if high < HUGE else "")
    return v
