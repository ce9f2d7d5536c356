"""Tickets: rounds that were predicted (`ask`) and whose outcome is not known yet (`tell`).

A ticket holds all that is needed to learn from its round later, so it can be kept anywhere: in the learner, in a file,
in a message. The learner keeps a copy of each open ticket, or a fingerprint of it where it was saved without the
copies. So it can refuse a ticket that is told twice, or that was changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.named_tuples import is_named_tuple
from ..settings.arms import NOTHING

if TYPE_CHECKING:
    from pathlib import Path

    from .ticket_log import TicketLog


@dataclass(eq=False, slots=True)
class Ticket:
    """A round whose outcome is not known yet: its number, its example and what was decided."""

    round: int
    x: Any
    prediction: Any
    decision: Any
    action: Any
    learner: str = ""  # whose it is: the key, ...
    mark: int = 0  # ... and which of that kind
    # names of features or arms that came since the ticket before, where they have names: `reopen` needs them
    names: dict[str, Any] | None = None

    @property
    def id(self) -> str:
        """A name of this ticket, for a message or a table: `learner.tell(id, y)` finds it where the learner kept it."""
        return f"{self.mark:x}-{self.round}"

    def save(self, path: str | Path) -> Path:
        """Write it to a file; `littlestone.load` brings it back, in this process or a later one."""
        from .store import save_ticket

        return save_ticket(self, path)

    def to_bytes(self) -> bytes:
        """What that file would hold; `Ticket.from_bytes` brings it back."""
        from .store import ticket_to_bytes

        return ticket_to_bytes(self)

    @staticmethod
    def from_bytes(raw: bytes) -> Ticket:
        """The ticket again."""
        from .store import ticket_from_bytes

        return ticket_from_bytes(raw)


FLOAT = np.dtype(np.float64)
PLAIN = (float, int, str, type(None))
FIELDS = tuple(f.name for f in fields(Ticket))[:-1]  # what is learned from; names are beside it


class Held(NamedTuple):
    """What a ticket holds, in memory of its own; a decision of many numbers is held as their bytes.

    To make bytes of ten numbers, and to compare them, takes a tenth of the time of a copy of the ticket.
    """

    x: Any
    prediction: Any
    decision: Any
    action: Any
    learner: str

    def ticket(self, t: int, mark: int) -> Ticket:
        """The ticket of round t again, in arrays of its own."""
        d = self.decision
        d = np.frombuffer(d).copy() if type(d) is bytes else copy_apart(d)
        own = copy_apart(self.x), copy_apart(self.prediction), d, copy_apart(self.action)
        return Ticket(t, *own, self.learner, mark)


@dataclass(eq=False, repr=False)
class Tickets:
    """The open tickets of one learner: what each holds, or its fingerprint where the ticket is kept elsewhere."""

    mark: int = 0  # which learner issued them; 0 before the first
    held: dict[int, Held] = field(default_factory=dict)
    bare: dict[int, bytes] = field(default_factory=dict)  # fingerprints of those not kept here
    log: TicketLog | None = None  # where they are written, if anywhere
    names_written: int = 0  # names of features that are in a file, or in the log

    def __len__(self) -> int:
        return len(self.held) + len(self.bare)

    def kept(self, t: int) -> Ticket | None:
        """A copy of the ticket of round t; None where it is not kept here."""
        found = self.held.get(t)
        return None if found is None else found.ticket(t, self.mark)

    def all_kept(self) -> list[Ticket]:
        """Copies of the tickets that are kept here, in the order of their rounds."""
        return [self.held[t].ticket(t, self.mark) for t in sorted(self.held)]

    def prints(self) -> dict[int, bytes]:
        """A fingerprint of each open ticket."""
        return self.bare | {ticket.round: fingerprint(ticket) for ticket in self.all_kept()}

    def signature(self) -> int:
        """The mark of this learner's tickets: a number of its own, drawn when the first is issued."""
        if not self.mark:
            import secrets

            self.mark = 1 + secrets.randbits(62)
        return self.mark

    def keep(self, ticket: Ticket) -> None:
        """Copy what a ticket holds, so that changes to the ticket change nothing here."""
        d = ticket.decision
        d = d.tobytes() if are_numbers(d) else copy_apart(d)
        self.held[ticket.round] = Held(
            copy_apart(ticket.x),
            copy_apart(ticket.prediction),
            d,
            copy_apart(ticket.action),
            ticket.learner,
        )
        if self.bare:
            self.bare.pop(ticket.round, None)

    def checked(self, ticket: Any, key: str, t: int) -> Ticket:
        """Return the ticket, or raise where it is not open or not as it was issued; t: rounds so far."""
        if isinstance(ticket, str):
            ticket = self.found(ticket, key, t)
        if not isinstance(ticket, Ticket) or not isinstance(ticket.round, int):
            raise refuse_ticket(
                f"tell needs a ticket that ask returned, not {ticket!r:.80}", ticket
            )
        held = self.held.get(ticket.round)
        if held is not None and ticket.mark == self.mark and holds_same(ticket, held):
            return ticket
        this = f"the ticket of round {ticket.round + 1}"
        if not self.mark or ticket.mark != self.mark:
            owner = ticket.learner or "it does not say which"
            raise refuse_ticket(
                f"{this} was issued by another learner ({owner}), not by this {key}", ticket
            )
        bare = self.bare.get(ticket.round)
        if held is None and bare is None:
            if ticket.round >= t:
                raise refuse_ticket(
                    f"{this} was issued after this learner was saved: it knows of {t} rounds; reopen it first", ticket
                )  # fmt: skip
            raise refuse_ticket(f"{this} was told before: each is told once", ticket)
        if held is not None or fingerprint(ticket) != bare:
            raise refuse_ticket(
                f"{this} is damaged: it does not hold what it did when it was issued", ticket
            )
        return ticket

    def found(self, name: str, key: str, t: int) -> Ticket:
        """Return the ticket with this id, or raise where it is not kept here."""
        mark, _, number = name.rpartition("-")
        if not number.isdecimal() or mark != f"{self.mark:x}":
            raise refuse_ticket(f"{name!r:.60} is no id of a ticket that this {key} issued", name)
        kept = self.kept(int(number))
        if kept is not None:
            return kept
        if int(number) in self.bare:
            raise refuse_ticket(
                f"the ticket {name} is not kept in this {key}: tell it with the ticket itself", name
            )
        why = "was told before: each is told once" if int(number) < t else "was never issued"
        raise refuse_ticket(f"the ticket {name} {why}", name)

    def oldest(self, t: int) -> int:
        """The oldest open round; t where none is open."""
        return min(next(iter(self.held), t), min(self.bare, default=t), t)

    def close(self, t: int) -> None:
        self.bare.pop(t, None)
        self.held.pop(t, None)

    def copied(self) -> Tickets:
        return Tickets(self.mark, dict(self.held), dict(self.bare))


def refuse_ticket(why: str, ticket: Any) -> BadInput:
    """The refusal of a ticket, by its id where it has one."""
    return BadInput(why, field="ticket", value=ticket.id if isinstance(ticket, Ticket) else ticket)


def fingerprint(ticket: Ticket) -> bytes:
    """Sixteen bytes that change when anything in the ticket changes."""
    import hashlib

    digest = hashlib.blake2b(digest_size=16)
    for name in FIELDS:
        update(digest, getattr(ticket, name))
    return digest.digest()


def update(digest: Any, v: Any) -> None:
    if isinstance(v, np.ndarray):
        digest.update(f"{v.dtype.str}{v.shape}".encode() + np.ascontiguousarray(v).tobytes())
    elif isinstance(v, tuple):
        digest.update(f"({len(v)}".encode())
        for part in v:
            update(digest, part)
    else:
        digest.update(f"{type(as_python(v)).__name__}:{as_python(v)!r};".encode())


def holds_same(ticket: Ticket, held: Held) -> bool:
    """Is a ticket equal to what the learner kept of it, bit for bit? A tenth of the work of a fingerprint."""
    d, then = ticket.decision, held.decision
    return (
        (are_numbers(d) and d.tobytes() == then if type(then) is bytes else same(d, then))
        and ticket.learner == held.learner
        and same(ticket.action, held.action)
        and same(ticket.prediction, held.prediction)
        and same(ticket.x, held.x)
    )


def are_numbers(v: Any) -> bool:
    """Is it a row of float64, so that its bytes say all of it?"""
    return type(v) is np.ndarray and v.ndim == 1 and (v.dtype is FLOAT or v.dtype == FLOAT)


def same(a: Any, b: Any) -> bool:
    if a is b or (type(a) is type(b) and type(a) in PLAIN and a == b):
        return True
    if isinstance(a, np.ndarray):
        return (
            isinstance(b, np.ndarray)
            and a.dtype == b.dtype
            and a.shape == b.shape
            and a.tobytes() == b.tobytes()
        )
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    a, b = as_python(a), as_python(b)
    return type(a) is type(b) and (bool(a == b) or repr(a) == repr(b))  # NaN is like NaN


def as_python(v: Any) -> Any:
    return v.item() if isinstance(v, np.generic) else v


def copy_apart(v: Any) -> Any:
    """The same values, in arrays of their own."""
    if v is NOTHING or type(v) in PLAIN:
        return v
    if isinstance(v, np.ndarray):
        return v.copy()
    if isinstance(v, tuple):
        parts = map(copy_apart, v)
        return type(v)(*parts) if is_named_tuple(v) else tuple(parts)
    return v
