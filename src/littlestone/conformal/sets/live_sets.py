"""What `Intervals` and `PredictionSets` share: one round at a time, late truths, and files."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...core.errors import BadFile, BadInput
from ...core.learner import Learner
from ...core.registry import learners
from ...live import store
from .choose_learners import makes_sets, no_sets
from .guard import Guard
from .models import Model, adapted, packed

AnyLearner = Learner[Any, Any, Any, Any]


@dataclass(eq=False)
class SetTicket:
    """A round whose truth is not known yet: its example, its set, and the ticket of the learner of sets."""

    x: Any
    prediction: Any  # (lower, upper), or a list of labels
    ticket: Any
    score: Any = None  # of labels: the probabilities as they were

    @property
    def id(self) -> str:
        return str(self.ticket.id)

    def to_bytes(self) -> bytes:
        """The ticket for a database or a message; `littlestone.from_bytes` brings it back."""
        return store.seal_body(
            {"kind": "set ticket", "ticket": store.pack(self.ticket), "round": waiting_round(self)}
        )


class LiveSets:
    """A model, and a learner of sets that follows its errors."""

    kind = ""
    model: Any
    level: float

    def __init__(self, model: Any, sets: AnyLearner) -> None:
        self.wrapped: Model = adapted(model)
        self.model = model
        self.sets = sets
        self.level = float(sets.parameters["level"])
        self.rounds = 0  # that were played or asked: the clock of the seasons
        self.known = 0  # whose truth is known
        self.missed = 0
        self.guard: Guard | None = None  # T-COVER around the learner, where that was asked for
        self.waiting: dict[str, SetTicket] = {}

    # What a subclass says.

    def seen(self, x: Any) -> tuple[Any, Any]:
        """What the learner of sets is shown of an example, and what a score needs."""
        raise NotImplementedError

    def said(self, limits: Any, score: Any) -> Any:
        """The set, as the user sees it."""
        raise NotImplementedError

    def truth(self, y: Any, score: Any) -> float:
        """The truth, as the learner of sets sees it."""
        raise NotImplementedError

    def holds(self, prediction: Any, y: Any) -> bool:
        raise NotImplementedError

    # One round at a time.

    def predict(self, x: Any = None) -> Any:
        """The set of this round; nothing is learned."""
        with self.unless_refused():
            z, score = self.seen(x)
            return self.said(self.sets.predict(z), score)

    def update(self, x: Any, y: Any) -> Self:
        """Learn the truth of an example: the model, and the learner of sets. NaN or None: no truth."""
        with self.unless_refused():
            z, score = self.seen(x)
            gone = missing(y)
            truth = math.nan if gone else self.truth(y, score)
            prediction = self.said(self.sets.predict(z), score)
            if not gone:
                self.wrapped.learn(x, y)  # it may refuse the example: nothing has been learned yet
            self.sets.update(z, truth)
        if not gone:
            self.count(prediction, y)
        self.rounds += 1
        return self

    @contextlib.contextmanager
    def unless_refused(self) -> Iterator[None]:
        """Where a round is refused, learners that had not begun have not begun."""
        own = [self.sets, *([self.model] if isinstance(self.model, Learner) else [])]
        fresh = [one for one in own if one.live is None]
        try:
            yield
        except BaseException:
            for one in fresh:
                one.attach(None)
            raise

    def ask(self, x: Any = None) -> SetTicket:
        """The set of this round, for a truth that comes later."""
        with self.unless_refused():
            z, score = self.seen(x)
            ticket = self.sets.ask(z)
        made = SetTicket(x, self.said(ticket.prediction, score), ticket, score)
        self.rounds += 1
        self.waiting[made.id] = made
        if self.guard is not None:
            self.guard.crowd = max(self.guard.crowd, len(self.waiting) - 1)
        return made

    def tell(self, ticket: Any, y: Any) -> Self:
        """Learn the truth y of an earlier round, by its ticket or the ticket's id; None: it never comes."""
        name = ticket if isinstance(ticket, str) else getattr(ticket, "id", None)
        ticket_kept = self.waiting.get(str(name))
        if ticket_kept is None:
            raise BadInput(
                f"{name!r} is no open ticket of this learner: each ticket is told once, to the learner that issued it"
            )
        if missing(y):
            self.sets.tell(ticket_kept.ticket, math.nan)
            del self.waiting[ticket_kept.id]
            return self
        truth = self.truth(y, ticket_kept.score)
        self.wrapped.learn(ticket_kept.x, y)
        self.sets.tell(ticket_kept.ticket, truth)
        del self.waiting[ticket_kept.id]
        self.count(ticket_kept.prediction, y)
        return self

    def reopen(self, ticket: SetTicket) -> bool:
        """Wait again for the truth of a ticket that was issued after this was saved; False where it has its round."""
        if not isinstance(ticket, SetTicket):
            raise BadInput(
                f"reopen needs a ticket that ask returned, not {ticket!r:.80}", field="ticket", value=ticket
            )  # fmt: skip
        if not self.sets.reopen(ticket.ticket):
            return False
        self.rounds += 1
        self.waiting[ticket.id] = ticket
        if self.guard is not None:
            self.guard.crowd = max(self.guard.crowd, len(self.waiting) - 1)
        return True

    def count(self, prediction: Any, y: Any) -> None:
        self.known += 1
        self.missed += not self.holds(prediction, y)
        if self.guard is not None:
            self.guard.learn(y < prediction[0], y > prediction[1])

    @property
    def coverage(self) -> float:
        """The share of the truths so far that were in their set; NaN before the first."""
        return 1.0 - self.missed / self.known if self.known else math.nan

    # Files.

    def save(self, path: str | Path) -> Path:
        """Write everything to one file. A model of another library is not in it: keep it with that library's means."""
        return store.write(path, self.body())

    def to_bytes(self) -> bytes:
        """What that file would hold; `littlestone.from_bytes` brings it back."""
        return store.seal_body(self.body())

    def body(self) -> dict[str, Any]:
        """What a file holds."""
        return {
            "kind": self.kind,
            "sets": store.to_bytes(self.sets),
            "model": packed(self.wrapped),
            "counts": [self.rounds, self.known, self.missed],
            "waiting": [waiting_round(ticket) for ticket in self.waiting.values()],
            "settings": self.settings(),
            "guard": None if self.guard is None else dict(vars(self.guard)),
        }  # fmt: skip

    def settings(self) -> dict[str, Any]:
        """What `__init__` was given, beside model and learner."""
        return {}

    @classmethod
    def revive(cls, body: dict[str, Any], model: Any = None) -> Self:
        """From what a file holds."""
        sets = store.from_bytes(body["sets"], path="the learner of sets")
        if body["model"] is not None:
            model = store.from_bytes(body["model"], path="the model")
        made = cls.__new__(cls)
        LiveSets.__init__(made, model, sets)
        vars(made).update(body["settings"])
        made.rounds, made.known, made.missed = body["counts"]
        made.guard = None if body.get("guard") is None else Guard(**body["guard"])
        open_ = {ticket.id: ticket for ticket in sets.tickets}
        for name, x, prediction, score in body["waiting"]:
            made.waiting[name] = as_ticket(x, prediction, score, open_[name])
        return made

    @classmethod
    def load(cls, path: str | Path, model: Any = None) -> Self:
        """What was saved; `model` is the model, where it is one of another library."""
        body = store.read(path)
        if body.get("kind") != cls.kind:
            raise BadFile(f"{path} does not hold {cls.__name__}")
        return cls.revive(body, model)


def missing(y: Any) -> bool:
    return y is None or (isinstance(y, (float, np.floating)) and math.isnan(float(y)))


def as_lists(v: Any) -> Any:
    """Arrays and tuples as lists, which a file can hold."""
    if isinstance(v, (np.ndarray, np.generic)):
        return v.tolist()
    if isinstance(v, tuple):
        return [as_lists(one) for one in v]
    return [as_lists(one) for one in v] if isinstance(v, list) else v


def waiting_round(ticket: SetTicket) -> list[Any]:
    """An open round as a file holds it."""
    return [ticket.id, as_lists(ticket.x), as_lists(ticket.prediction), pairs(ticket.score)]


def as_ticket(x: Any, prediction: Any, score: Any, ticket: Any) -> SetTicket:
    """An open round again, of what a file holds; labels come with their scores, limits without."""
    if score is None:
        return SetTicket(x, tuple(prediction), ticket)
    return SetTicket(x, prediction, ticket, dict(score))


def pairs(scores: dict[Any, float] | None) -> Any:
    """The scores of labels, which need not be text."""
    return None if scores is None else [[as_lists(k), float(v)] for k, v in scores.items()]


def learner_of_sets(learner: Any, level: float, more: dict[str, Any]) -> AnyLearner:
    """A learner of sets by its key, with its level and what else is known; or as the user made it."""
    if isinstance(learner, Learner):
        if not makes_sets(learner):
            raise no_sets(learner.key)
        return learner
    cls: Any = learners().get(learner) if isinstance(learner, str) else None
    if cls is None or not makes_sets(cls()):
        raise no_sets(learner if isinstance(learner, str) else repr(learner))
    known = cls().parameters
    made: AnyLearner = cls(level=level, **{k: v for k, v in more.items() if k in known})
    return made


def from_body(body: dict[str, Any]) -> Any:
    """What `littlestone.load` brings back of a file of sets."""
    from .chain_files import from_body as chain_from_body
    from .live_intervals import Intervals
    from .prediction_sets import PredictionSets

    if body["kind"] == "set ticket":
        _, x, prediction, score = body["round"]
        return as_ticket(x, prediction, score, store.unpack(body["ticket"], store.KNOWN))
    kinds: dict[str, type[LiveSets]] = {"intervals": Intervals, "prediction sets": PredictionSets}
    if body["kind"] not in kinds:
        return chain_from_body(body)
    if body["model"] is None and body.get("settings", {}).get("foreign"):
        name = kinds[body["kind"]].__name__
        raise BadFile(f"{body['kind']} around a model of another library: {name}.load(path, model)")
    return kinds[body["kind"]].revive(body)
