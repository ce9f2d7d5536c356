"""A learner: its fields are parameters, its rules are pure, its state is explicit.

    class Perceptron(Learner[State, Vector, float, float]):      # state, example, decision, feedback
        eta: Positive = 1.0

        def begin(self, shape): …                # the first state
        def decide(self, state, x): …            # the natural decision: weights, a score
        def learn(self, state, x, d, f): …       # the next state, from what the game shows

In the rules `self` is a NamedTuple of the parameters with the rules as methods, in plain and compiled code alike;
a parameter left unset is 0 there.
"""

from __future__ import annotations

import functools
import math
import re
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from types import FunctionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
    dataclass_transform,
    get_type_hints,
    overload,
)
from weakref import WeakValueDictionary

from . import losses
from .errors import BadInput, NotKept
from .game import Game, Shape
from .guarantee import Certificate, Guarantee, Symbols
from .hooks import hook
from .live_learner import LiveAlarm, LiveBooks, LiveLearner, OpenTicket, live_functions
from .losses import parse_loss
from .named_tuples import field_or_none
from .notebook import InNotebook
from .parameters import Choice, coerce, split_hint
from .rows import corner

if TYPE_CHECKING:
    from pathlib import Path

    from .live_learner import Label, Prediction, Probabilities
    from .stream import Array

S = TypeVar("S")
X = TypeVar("X")
D = TypeVar("D")
F = TypeVar("F")
R = TypeVar("R")


class Lead(NamedTuple):
    """One part's part in what a mixture predicted."""

    name: str
    share: float  # its mean weight
    first: int  # the rounds (from 1) of the longest stretch in which it weighed most; 0: never
    last: int
    led: float  # the fraction of rounds in which it weighed most


@dataclass_transform(kw_only_default=True, eq_default=False)
class Learner(InNotebook, Generic[S, X, D, F]):
    """What every learner is made of. Subclasses are dataclasses; the constructor only checks and stores."""

    key: ClassVar[str]
    Params: ClassVar[Callable[..., Any]]
    guarantees: ClassVar[tuple[Guarantee, ...]] = ()
    # names of the numbers that `write_diagnostics` writes down
    diagnostics: ClassVar[tuple[str, ...]] = ()
    notes_along: ClassVar[bool] = (
        True  # may a run take notes many times? No where one goes over a large state
    )
    bounded: ClassVar[bool] = False  # does it need to know an interval that losses live on?
    labels: ClassVar[bool] = False  # are outcomes classes?
    examples: ClassVar[bool] = False  # does it learn from examples, not from the advice of experts?
    # must it know all classes before the first round? Then those of a stream in memory are declared
    needs_classes: ClassVar[bool] = False
    boolean: ClassVar[bool] = False  # must features be 0 or 1?
    sparse: ClassVar[bool] = (
        True  # of learners over examples: may these be sparse, and bring new features?
    )
    # does a feature weigh something before it was ever there?
    weighs_unseen: ClassVar[bool] = False
    # is text of few values given to it as numbers (encode/categories.py)? To others it is hashed
    categories: ClassVar[bool] = False
    strings: ClassVar[bool] = False  # may examples be strings? Where the kernel is one of strings
    fixed: ClassVar[bool] = (
        True  # do the arrays of its state stay where they are, unless the core lets them grow?
    )
    keeps_rows: ClassVar[bool] = False  # do its states, and so its files, hold rows as they came?
    bandit: ClassVar[bool] = False  # does it see the loss of one arm only?
    contexts: ClassVar[bool] = False  # of bandits: does it look at features?
    tasked: ClassVar[bool] = (
        False  # over losses: does a round say which of several tasks it belongs to?
    )
    # rounds by which one round of waiting lengthens the horizon
    delay_factor: ClassVar[float] = 0.0
    # Its rules multiply features, or square losses: where none of a whole run is as large as that, products vanish.
    smallest: ClassVar[float] = 0.0
    abstract: ClassVar[bool] = False
    # of learners over examples: do they learn a constant, though none is added to the examples?
    own_constant: ClassVar[bool] = False
    # A parameter of some learners: is a constant added to each example, as its first coordinate?
    intercept = False
    # A parameter of some learners: are features scaled as they come? And the parameters that go without it only.
    normalise = False
    unscaled: ClassVar[tuple[str, ...]] = ()

    live: Any = None  # the learner as it has learned (live.Live); None before its first round
    # where the only feature is a place with a name: what looks its number up (`number`, `numbers`)
    vocabulary: Any = None

    _hints: ClassVar[dict[str, Any]]  # see `hints`
    _words: ClassVar[dict[str, tuple[str, ...]]]  # of which a parameter is one; (): it is no word
    _defaults: ClassVar[dict[str, Any]]  # of the parameters, by name
    _checked: ClassVar[dict[str, Any]]  # those that were checked, as they are kept

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__()
        cls.abstract = abstract
        if "key" not in vars(cls):
            cls.key = re.sub(
                r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", cls.__name__
            ).lower()
        if cls.examples and cls.game not in _refusing:
            cls.game = refuses_losses(cls.game)  # type: ignore[method-assign]
        dataclass(eq=False, kw_only=True)(cls)
        # In compiled code `self` is this NamedTuple: the parameters, with the rules as methods.
        cls._defaults, cls._checked = defaults(cls), {}
        names = tuple(cls._defaults) or ("none",)
        made: Any = namedtuple  # names are known only now, and type checkers want them written out
        P = made(f"{cls.__name__}Params", names)
        P.__module__, P.__qualname__ = (
            cls.__module__,
            f"{cls.__name__}.Params",
        )  # or the disk cache misses
        for ancestor in reversed(cls.__mro__[: cls.__mro__.index(Learner)]):
            for name, f in vars(ancestor).items():
                if (
                    isinstance(f, FunctionType)
                    and not name.startswith("_")
                    and name not in PYTHON_ONLY
                ):
                    setattr(P, name, f)
        if "write_diagnostics" not in vars(P):
            P.write_diagnostics = Learner.write_diagnostics
        for ancestor in cls.__mro__[: cls.__mro__.index(Learner)]:
            if "learn_now" in vars(ancestor):
                break
            if "learn" in vars(
                ancestor
            ):  # a class that writes `learn` anew inherits no `learn_now`
                P.learn_now = Learner.learn_now
                break
        cls.Params = P
        if not abstract:
            loaded[cls.key] = cls

    def __post_init__(self) -> None:
        for name, default in self._defaults.items():
            v = getattr(self, name)
            known = name in self._checked and (v is default or v is self._checked[name])
            made = self._checked[name] if known else self._check(name, v)
            if v is default:
                self._checked[name] = made
            object.__setattr__(self, name, made)
        for name in self.unscaled if self.normalise else ():
            if (v := getattr(self, name)) is not None:
                raise BadInput(
                    f"{self.key}: {name}={v:g} is for features as they are; with normalise=True it follows from "
                    "the data: leave one of them out"
                )

    def _check(self, name: str, v: Any) -> Any:
        """A parameter as its declared type; raise where it is none of its values."""
        hint = hints(type(self))[name]
        try:
            if name == "loss":
                return parse_loss(v, self.key, self.examples)
            return v if isinstance(v, Learner) else coerce(self.key, name, hint, v)
        except BadInput as problem:
            problem.about(name, v)
            raise

    # The rules, which a learner writes.

    def begin(self, shape: Shape) -> S:
        raise refuse_missing_method(self, "begin(self, shape)")

    def decide(self, state: S, x: X) -> D:
        raise NotImplementedError

    def learn(self, state: S, x: X, decision: D, feedback: F) -> S:
        raise NotImplementedError

    def learn_now(self, state: S, x: X, decision: D, feedback: F) -> S:
        """`learn`, in the round of the decision: `decide` was called last with this state and this example.

        For a learner that keeps what it has computed of the last example: here it need not look whether this is the
        one, and the loops that never see late feedback do not compile what it would do if it were not. Where it is not
        written it is `learn`.
        """
        return self.learn(state, x, decision, feedback)

    def write_diagnostics(self, state: S, M: Any) -> None:
        """Write the numbers that a data-dependent bound needs into M, in the order of `diagnostics`."""

    # What a learner declares in Python; compiled code does not call these.

    def game(self, allocation: bool) -> Game:
        """The game it plays: with advice and outcomes, or over losses alone."""
        raise refuse_missing_method(self, "game(self, allocation)")

    def tuned(self, shape: Shape, game: Game) -> Self:
        """The learner with the rates that its theorem asks for, where they were left unset."""
        return self

    def for_numbers(self) -> Learner[Any, Any, Any, Any] | None:
        """The learner to play instead where outcomes turn out to be numbers; None: this one plays."""
        return None

    def remark(self, shape: Shape) -> str:
        """What a user should know of a learner of this shape, such as a part of it that does not play; "": nothing."""
        return ""

    @property
    def limits(self) -> tuple[int, ...] | None:
        """Where features are places in a table: how many places each feature has. None: features are numbers."""
        return None

    @property
    def has_quantities(self) -> bool:
        """Have features a mean? Not so where they are 0 or 1, places in a table, vertices or letters."""
        places = self.limits is not None or self.vocabulary is not None
        return not (self.boolean or places or self.strings)

    def grow(self, old: S, new: S, shape: Shape) -> S:
        """The state `old` with room for more features or classes; `new` is a first state of that size."""
        made: S = corner(old, new)
        return made

    def newcomers(self) -> str:
        """How an expert joins in a later round, and what theory says of it; "": `grow` cannot let one in."""
        return ""

    def coefficients(self, state: S) -> Any:
        """The weights of the linear predictor that it predicts with; None where it is not a linear predictor."""
        return field_or_none(state, "w")

    def leads(self, state: S) -> list[Lead]:
        """Of a mixture of learners: which of its parts had the weight, and when; of other learners nothing."""
        return []

    def symbols(self) -> dict[str, Any]:
        """More symbols for its bounds, beside the parameters."""
        return {}

    @property
    def params(self) -> Any:
        """The parameters as compiled code sees them."""
        if "_words" not in vars(type(self)):  # unpickled in a process that has made none
            hints(type(self))
        words = self._words
        return self.Params(
            *[for_compiled_code(getattr(self, name), words[name]) for name in self._defaults]
            or [0.0]
        )

    @property
    def parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._defaults}

    def replace(self, **changes: Any) -> Self:
        """A fresh learner with some parameters changed."""
        return type(self)(**{**self.parameters, **changes})

    def __copy__(self) -> Self:
        """`copy.copy`: what it learns from here on, the other does not."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        return made if self.live is None else made.attach(self.live.copied())

    # One round at a time; the room `live` does it. One thread at a time may use a learner: for readers in other
    # threads make a frozen copy.

    def attach(self, live: Any) -> Self:
        """Let this learner go on from `live`."""
        self.live = live
        return self

    def begun(self) -> Any:
        """The live learner; raise where the learner has not begun."""
        if self.live is None:
            raise BadInput(
                f"{self.key} has not seen a round yet: call predict or update, or play it"
            )
        return self.live

    def start(
        self,
        n: int | Sequence[str] | None = None,
        *,
        rounds: int = 0,
        interval: tuple[float, float] | None = None,
        labels: Sequence[Any] | None = None,
        seed: int = 0,
        allocation: bool = True,
        names: Sequence[str] | None = None,
        sparse: bool = False,
        mark: int = 0,
    ) -> Self:
        """Begin, with what is known before the first round: how many experts, rounds, the interval, the labels.

        Without it a learner begins with its first example. `allocation=False` for advice and outcomes.

        `names`: what experts or features are called, instead of n or beside it: rounds are then dicts; an expert that
        is not in a dict of advice sleeps. `sparse=True`: examples bring their features, by name or index.
        `mark`: the number that tickets of this learner carry, from 1 to 2^62; it is drawn where it is left out.

        >>> import littlestone as ls
        >>> learner = ls.Tracker().start(names=["bank", "model"], allocation=False)
        >>> learner.update({"bank": 0.0, "model": 1.0}, 1.0).predict({"bank": 0.25})
        0.25
        """
        known = {
            "rounds": rounds,
            "interval": interval,
            "labels": labels,
            "seed": seed,
            "mark": mark,
        }
        more = {"allocation": allocation, "names": names, "sparse": sparse}
        return self.attach(live_functions().begin(self, n, **known, **more))

    def _first(self, x: Any, losses: bool, act: Callable[[LiveLearner], R]) -> R:
        """Begin with the round x, and do in it what `act` does; where that is refused, the learner has not begun."""
        live = live_functions().begin_with(self, x, losses or self.tasked)
        found = act(live)
        self.live = live
        return found

    @overload
    def predict(self, x: None = None) -> Array: ...

    @overload
    def predict(self, x: Any) -> Prediction: ...

    def predict(self, x: Any = None) -> Prediction:
        """The prediction (advice), the weights (allocation), or the label, for this round."""
        live: LiveLearner | None = self.live
        if live is None:
            return self._first(x, x is None, lambda live: live.predict(x))
        return live.predict(x)

    def predict_proba(self, x: Any) -> Probabilities:
        """The probability of each class, by its label; for many rows a matrix, a column for each of `classes`.

        Logistic, softmax, online-linear and learners that draw their labels have probabilities; others refuse. Where
        the classes were not declared, 1/(t + 1)^2 is kept after t rounds for one that has not occurred, and the known
        ones share the rest.
        """
        live: LiveLearner = self.begun()
        return live.predict_proba(x)

    @property
    def classes(self) -> list[Label]:
        """The labels that are known, in the order of the columns of `predict_proba`."""
        return list(self.begun().labels or ())

    def log_tickets(self, path: str | Path) -> Self:
        """Write every ticket to the end of a file as it is issued, and every outcome as `tell` gives it.

        After a crash, load the learner as it was saved last and call `recover(path)`: nothing that was asked is lost.
        """
        self.begun().log_tickets(path)
        return self

    def shorten_log(self) -> Self:
        """After `save`: let the log of tickets hold those that are still open, and nothing else.

        The new log replaces the old one at once, so that a crash leaves one of the two. It is refused where the learner
        issued a ticket or was told an outcome since it was saved. From then on `recover` needs the learner as it was
        saved last.
        """
        self.begun().shorten_log()
        return self

    def recover(self, path: str | Path) -> int:
        """Do again what a log of tickets says happened after this learner was saved; return how many records."""
        live: LiveLearner = self.begun()
        return live.recover(path)

    def update(self, x: Any, y: Any = None, importance: float = 1.0) -> Self:
        """Learn from a round: `update(losses)` in the allocation game, `update(advice, outcome)` otherwise.

        Learners over examples take an importance: twice the importance is twice the loss.
        """
        live = self.live
        if live is None:
            self._first(x, y is None, lambda live: live.update(x, y, importance))
        else:
            live.update(x, y, importance)
        return self

    def ask(self, x: Any = None) -> OpenTicket:
        """Predict now and learn later: the ticket holds the round, the example and the decision.

        A ticket has `to_bytes()` and `save(path)`; `littlestone.load` and `Ticket.from_bytes` bring it back.
        """
        live: LiveLearner | None = self.live
        return self._first(x, x is None, lambda live: live.ask(x)) if live is None else live.ask(x)

    def tell(self, ticket: OpenTicket | str, y: Any, importance: float = 1.0) -> Self:
        """Learn the outcome y of an earlier round, by its ticket, in any order; y = None: it will never be known.

        Learners over examples take an importance, as in `update`.
        """
        if self.live is None:
            raise BadInput(
                f"this {self.key} has issued no ticket yet: this one is of another learner"
            )
        self.live.tell(ticket, y, importance)
        return self

    def reopen(self, ticket: OpenTicket) -> bool:
        """Wait again for the outcome of a ticket that was issued after this learner was saved.

        For one that comes back from an earlier state: first every later ticket in the order of their rounds, with the
        names that they hold, then `tell` as usual. Return False where the learner has a round of that number already.
        """
        live: LiveLearner = self.begun()
        return live.reopen(ticket)

    # Regret as it happens.

    def keep_books(self) -> Self:
        """Measure regret and theorems as rounds go by, from the first one on: see `regret` and `certificate`.

        For learners over experts, once they know how many there are (`start`). Costs are folded in the order of the
        rounds, up to the oldest one whose outcome is still open: `books.certified` rounds. Books are saved with the
        learner.

        >>> import littlestone as ls
        >>> learner = ls.Hedge(eta=1.0).start(2, allocation=True).keep_books()
        >>> for losses in ([0.0, 1.0], [0.0, 1.0]):
        ...     _ = learner.update(losses)
        >>> round(learner.regret, 3), learner.certificate.verdict, learner.books.certified
        (0.769, 'kept', 2)
        """
        self.begun().keep_books()
        return self

    @property
    def books(self) -> LiveBooks:
        """How far its books go, and what is open."""
        found: LiveBooks | None = self.begun().current_books()
        if found is None:
            raise NotKept(
                f"this {self.key} keeps no books: call keep_books() before its first round"
            )
        return found

    @property
    def regret(self) -> float:
        """The loss less that of the best comparator, as `run.regret`, up to the oldest open round: see `keep_books`."""
        found: float = hook("live_certificate").live_regret(self.begun(), self.books)
        return found

    @property
    def certificate(self) -> Certificate:
        """Each theorem, up to the oldest open round: see `keep_books`. Where outcomes are late, most are vacuous."""
        found: Certificate = hook("live_certificate").live_certificate(self.begun(), self.books)
        return found

    def alarm(
        self,
        level: float | None = None,
        *,
        claimed: float | None = None,
        reference: int | None = None,
        largest: float | None = None,
    ) -> LiveAlarm:
        """Ring when the loss is above what was claimed, or above that of a reference period of so many outcomes.

        If the claim holds (given the rounds before, no round has a larger expected loss), the alarm ever rings with
        probability at most `level`, however often one looks. Losses are in [0, 1]: mistakes, misses, the loss of an arm
        or a mixture as a share of its interval, the absolute error of a forecast as a share of its interval, or of
        `largest`. Outcomes are folded in the order of their rounds, up to the oldest open one. The alarm is saved with
        the learner; `alarm()` returns it. Ledger: T-BETTING.

        >>> import littlestone as ls
        >>> learner = ls.Perceptron().start(1)
        >>> alarm = learner.alarm(level=0.01, claimed=0.1)
        >>> for i in range(40):
        ...     _ = learner.update([1.0], i % 2)
        >>> alarm.rang is not None, learner.alarm().p_value < 0.01
        (True, True)
        """
        live: LiveLearner = self.begun()
        if level is not None:
            return live.set_alarm(level, claimed, reference, largest)
        if live.alarm is None:
            raise NotKept(
                f"this {self.key} has no alarm: set one with alarm(level=0.01, claimed=0.2) or reference=500"
            )
        return live.alarm

    @property
    def tickets(self) -> list[OpenTicket]:
        """The open tickets: no outcome was told yet. In the order of their rounds; `save` keeps them."""
        live: LiveLearner | None = self.live
        return [] if live is None else list(live.open_tickets())

    @property
    def state(self) -> S:
        """The state it has learned, once it has begun."""
        state: S = self.begun().state
        return state

    @property
    def weights(self) -> Array:
        """The decision it would make now."""
        live: LiveLearner = self.begun()
        return live.weights()

    def explain(self, x: Any) -> Any:
        """Explain a prediction: what each feature of an example does to its score, the largest effect first.

        The effect of a feature is the score less the score without it; for a linear learner that is weight times
        value. Nothing is learned. One decision for each feature.
        """
        return hook("explain_example").explain_example(self, x)

    def named_weights(self) -> dict[Any, Any]:
        """The weight of each feature (or expert) by its name; with several classes a dict for each of them.

        Those of online-linear are the weights of its models on average: its scores are close to their sum.
        """
        found: dict[Any, Any] = hook("explain_example").named_weights(self)
        return found

    def frozen(self) -> Callable[..., Prediction]:
        """A function that predicts with what has been learned, and never learns: a copy, which threads may share.

        Learners over examples take one example or many: a matrix, CSR, a list of dicts.
        """
        live: LiveLearner = self.begun()
        return live.frozen()

    def digest(self, tickets: bool = False) -> str:
        """A fingerprint of the bits of parameters and state: learners of one kind that will do the same have the same.

        It holds no names of classes or fields, and nothing that a prediction writes: to predict, to save and load or to
        replay a log of tickets changes no digest. `tickets=True` covers the open tickets as well.
        """
        live: LiveLearner = self.begun()
        return live.digest(tickets)

    def save(self, path: str | Path, tickets: bool | Literal["all", "none"] = True) -> Path:
        """Write parameters and state to one file: atomic, versioned, checksummed; see `littlestone.load`.

        Without `tickets` the file holds only fingerprints of the open tickets: `tell` then needs a ticket that was
        kept elsewhere.
        """
        return live_functions().save(self, path, tickets)

    def to_bytes(self, tickets: bool | Literal["all", "none"] = "all") -> bytes:
        """What a file would hold, for a database or a message; `littlestone.from_bytes` brings the learner back.

        Parameters, state, names and labels, the id of the engine (`littlestone.engine_id`), and the open tickets: all
        of them, or with "none" a fingerprint of each. A ticket holds the names that came after the last `to_bytes` or
        `save`, so that the learner comes back from these bytes and the tickets since (`reopen`).
        """
        return live_functions().to_bytes(self, tickets)


PYTHON_ONLY = {
    "game",
    "tuned",
    "symbols",
    "begin",
    "grow",
    "newcomers",
    "coefficients",
    "leads",
    "attach",
    "start",
    "begun",
    "predict",
    "propensities",
    "update",
    "ask",
    "tell",
    "as_loss",
    "add_arm",
    "retire_arm",
    "examine",
    "digest",
    "save",
    "frozen",
    "explain",
    "named_weights",
    "shorten_log",
    "to_bytes",
    "reopen",
    "keep_books",
    "alarm",
}  # methods that never reach compiled code


def refuse_missing_method(learner: Any, method: str) -> BadInput:
    """A learner's class lacks a method that every learner has."""
    return BadInput(
        f"{type(learner).__name__} has no method {method}: a learner is a class with game, begin, decide and learn"
    )


def refuses_losses(game: Callable[..., Game]) -> Callable[..., Game]:
    """The method `game` of a learner class, which refuses losses alone where the learner learns from examples.

    Every learner over examples gets this check, so that none of them writes it.
    """

    @functools.wraps(game)
    def checked(self: Learner[Any, Any, Any, Any], allocation: bool) -> Game:
        if allocation:
            raise BadInput(f"{self.key} needs examples and outcomes, not losses alone")
        return game(self, allocation)

    _refusing.add(checked)
    return checked


_refusing: set[Callable[..., Game]] = set()  # methods `game` that have the check
# Key -> class, of the files that were imported so far; classes that nobody uses any more are forgotten.
loaded: WeakValueDictionary[str, type[Learner[Any, Any, Any, Any]]] = WeakValueDictionary()


def hints(cls: type[Learner[Any, Any, Any, Any]]) -> dict[str, Any]:
    """The fields' annotations, with their ranges."""
    if "_hints" not in vars(cls):
        every = get_type_hints(cls, include_extras=True)
        cls._hints = {name: every[name] for name in cls._defaults}
        declared = {name: split_hint(hint)[1] for name, hint in cls._hints.items()}
        cls._words = {n: d.words if isinstance(d, Choice) else () for n, d in declared.items()}
    return cls._hints


def for_compiled_code(v: Any, words: tuple[str, ...]) -> Any:
    """A parameter as compiled code sees it: None is 0, a learner is its parameters, one of some `words` its number."""
    if isinstance(v, Learner):
        return v.params
    if isinstance(v, str):
        return words.index(v) if words else 0
    if v is None or isinstance(v, list) or type(v) is tuple:
        return 0.0  # unset; or a list of numbers, which only `begin` reads
    return v


def defaults(cls: type[Learner[Any, Any, Any, Any]]) -> dict[str, Any]:
    """The parameters of a learner class and their default values."""
    return {f.name: None if f.default is MISSING else f.default for f in fields(cls)}  # type: ignore[arg-type]


def measure_symbols(learner: Learner[Any, Any, Any, Any], game: Game, shape: Shape) -> Symbols:
    """The symbols that do not depend on the data: parameters, sizes, the constants of the loss."""
    loss = game.traits().loss
    s: dict[str, Any] = {"n": shape.n, "B": shape.span}
    for name, v in learner.parameters.items():
        if isinstance(v, (int, float)) or v is None:
            s[name] = math.nan if v is None else v
    if isinstance(loss, losses.KINDS):
        s |= {"exp_concave": losses.exp_concave(loss), "mixable": losses.mixable(loss)}
    else:
        s |= {"exp_concave": 0.0, "mixable": 0.0}
    return Symbols(**(s | learner.symbols()))
