"""What a request may hold, with bounds; msgspec checks it before the writer sees it."""

from __future__ import annotations

import re
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from .problems import Problem

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MOST_BYTES = 1 << 20  # of a body
MOST_OPERATIONS = 1000  # of a batch

Word = Annotated[str, Meta(min_length=1, max_length=200)]
Words = Annotated[list[Word], Meta(min_length=1, max_length=10_000)]
Number = Annotated[float, Meta(ge=-1e300, le=1e300)]
Label = bool | int | Number | Annotated[str, Meta(max_length=200)]
Value = bool | Number | Annotated[str, Meta(max_length=10_000)] | None
Row = (
    Annotated[list[Value], Meta(max_length=100_000)]
    | Annotated[dict[Word, Value], Meta(max_length=100_000)]
    | Annotated[str, Meta(max_length=100_000)]
    | Number
    | None
)
Losses = (
    Number
    | Annotated[list[Number], Meta(max_length=10_000)]
    | Annotated[dict[Word, Number], Meta(max_length=10_000)]
)


class Outcome(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What became of a decision: one of `reward`, `loss`, `y` and `never`."""

    reward: Number | None = None
    loss: Losses | None = None
    y: Label | Annotated[list[Number], Meta(max_length=10_000)] | None = None
    never: bool = False
    importance: Annotated[float, Meta(ge=0, le=1e300)] | None = None

    def check(self) -> None:
        """Refuse an outcome that says nothing, or two things."""
        said = [v for v in (self.reward, self.loss, self.y) if v is not None]
        if len(said) + self.never != 1:
            raise Problem(
                422,
                "no outcome" if not said else "several outcomes",
                'say one of "reward", "loss", "y" and "never": true',
                field="outcome",
            )


class Baseline(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Today's policy, which a bandit is compared with."""

    arm: Word | int | None = None  # what it shows; None: each question says so
    share: Annotated[float, Meta(gt=0, lt=1)] = 0.1  # of the decisions that are the baseline's
    level: Annotated[float, Meta(gt=0, lt=1)] = 0.05  # of a false alarm, and of the interval
    margin: Annotated[float, Meta(ge=0, le=1e300)] = 0.0  # so much less reward is tolerated
    guard: bool = True  # return to the baseline when the learner is worse


class AlarmSpec(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """When a learner rings: its loss is above a claim, or above that of a reference period."""

    level: Annotated[float, Meta(gt=0, lt=1)]
    claimed: Annotated[float, Meta(gt=0, lt=1)] | None = None
    reference: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    largest: Annotated[float, Meta(gt=0, le=1e300)] | None = None


class Spec(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A learner: which one, and what is known before its first round."""

    learner: Word
    parameters: Annotated[
        dict[Word, bool | int | Number | Word | list[Number] | None], Meta(max_length=100)
    ] = {}
    n: Annotated[int, Meta(ge=1, le=10_000)] | None = None  # arms, experts or features
    names: Words | None = None  # of arms, experts or features
    features: Words | Annotated[int, Meta(ge=0, le=10_000)] | None = None  # of a bandit's context
    interval: tuple[Number, Number] | None = None  # on which losses, rewards or outcomes live
    labels: Annotated[list[Label], Meta(min_length=1, max_length=10_000)] | None = None
    rounds: Annotated[int, Meta(ge=0, le=1 << 50)] = 0
    seed: Annotated[int, Meta(ge=0, le=(1 << 63) - 1)] = 0
    losses: bool = False  # experts without advice: a round brings the loss of each
    books: bool = False  # measure regret and theorems as rounds go by
    wait: Annotated[float, Meta(gt=0, le=1e9)] | None = None  # seconds until `default` is told
    default: Outcome | None = None
    baseline: Baseline | None = None
    alarm: AlarmSpec | None = None


class Question(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A decision that is asked for: what is known of the round."""

    x: Row = None
    available: Annotated[list[Word | int], Meta(min_length=1, max_length=10_000)] | None = None
    arm: Word | int | None = None  # the arm that something else took, ...
    propensity: Annotated[float, Meta(gt=0, le=1)] | None = None  # ... and with which probability
    baseline: Word | int | None = None  # the arm that today's policy would take in this round
    deferred: bool = False  # it may not be shown: learned from only once it was activated


class Round(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A whole round: what was known, and what became of it."""

    outcome: Outcome
    id: Word | None = None  # None: the Idempotency-Key
    x: Row = None
    available: Annotated[list[Word | int], Meta(min_length=1, max_length=10_000)] | None = None
    arm: Word | int | None = None
    propensity: Annotated[float, Meta(gt=0, le=1)] | None = None
    baseline: Word | int | None = None

    def question(self) -> Question:
        """The part that is known before the decision."""
        return Question(self.x, self.available, self.arm, self.propensity, self.baseline)


class Operation(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One of many: a decision, an activation or an outcome; a decision and its outcome are a whole round."""

    id: Word
    decide: Question | None = None
    tell: Outcome | None = None
    activate: bool = False


class Operations(Struct, forbid_unknown_fields=True):
    """Operations on one learner, in their order, that are committed together."""

    operations: list[Operation]


class Removal(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The decisions of one person: by their ids, or by what the ids begin with."""

    ids: Annotated[list[Word], Meta(max_length=10_000)] = []
    prefix: Word | None = None


class Nothing(Struct, forbid_unknown_fields=True):
    """A body that says nothing."""


class Fork(Struct, forbid_unknown_fields=True):
    """The name of the learner that begins as another one was."""

    name: Word


S = TypeVar("S", bound=Struct)
ENCODER = msgspec.json.Encoder(order="deterministic")
DECODERS: dict[type, msgspec.json.Decoder[Struct]] = {}


def encode(v: object) -> bytes:
    """JSON in which equal requests are equal bytes."""
    return ENCODER.encode(v)


def decode(raw: bytes, kind: type[S]) -> S:
    """A request of this kind, or a problem that says where it is not as it must be.

    >>> decode(b'{"x": {"age": 4}}', Question)
    Question(x={'age': 4.0}, available=None, arm=None, propensity=None, baseline=None, deferred=False)
    >>> decode(b'{"y": NaN}', Outcome)
    Traceback (most recent call last):
    ...
    littlestone.serve.problems.Problem: 422 not as the schema says: JSON is malformed: invalid character (byte 6)
    """
    if kind not in DECODERS:
        DECODERS[kind] = msgspec.json.Decoder(kind)
    try:
        found = DECODERS[kind].decode(raw or b"{}")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise Problem(422, "not as the schema says", str(problem)) from None
    assert isinstance(found, kind)
    return found


def checked_name(name: str, what: str) -> str:
    """A name of a learner or an id of a decision, or a problem."""
    if NAME.fullmatch(name) is None:
        raise Problem(
            422,
            f"bad {what}",
            f"{what} must be 1 to 100 letters, digits, '.', '_' or '-', and begin with a letter or digit, "
            f"not {name!r:.60}",
            field=what,
        )
    return name
