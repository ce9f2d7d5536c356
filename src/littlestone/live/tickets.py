"""Tickets: rounds that were asked and not yet told.

A ticket holds all that is needed to learn from its round later, so it can be kept anywhere: in the learner, in a file,
in a message. The learner keeps a copy of each open ticket, or a fingerprint of it where the copy was left behind, so
that each is told once, and only as it was asked.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.views import view


@dataclass(eq=False)
class Ticket:
    """A round that was asked and not yet told: its number, its example and what was decided."""

    round: int
    x: Any
    prediction: Any
    decision: Any
    action: Any
    learner: str = ""  # whose it is: the key, ...
    mark: int = 0  # ... and which of that kind

    @property
    def id(self) -> str:
        """A name of this ticket, for a message or a table: `learner.tell(id, y)` finds it where the learner kept it."""
        return f"{self.mark:x}-{self.round}"

    def save(self, path: str | Path) -> Path:
        """Write it to a file; `littlestone.load` brings it back, in this process or a later one."""
        return view("save_ticket")(self, path)  # type: ignore[no-any-return]

    def to_bytes(self) -> bytes:
        """What that file would hold; `Ticket.from_bytes` brings it back."""
        return view("ticket_to_bytes")(self)  # type: ignore[no-any-return]

    @staticmethod
    def from_bytes(raw: bytes) -> Ticket:
        return view("ticket_from_bytes")(raw)  # type: ignore[no-any-return]


FIELDS = tuple(f.name for f in fields(Ticket))


class Tickets:
    """The open rounds of one learner: a copy of the ticket, or a fingerprint where there is no copy."""

    def __init__(self) -> None:
        self.mark = 0  # which learner issued them; 0 before the first
        self.kept: dict[int, Ticket] = {}
        self.bare: dict[int, bytes] = {}  # fingerprints of tickets that are not kept here

    def __len__(self) -> int:
        return len(self.kept) + len(self.bare)

    def prints(self) -> dict[int, bytes]:
        """A fingerprint of each open ticket."""
        return self.bare | {t: fingerprint(ticket) for t, ticket in self.kept.items()}

    def issue(self, ticket: Ticket, key: str) -> Ticket:
        """Sign a ticket, and keep a copy: what its owner does to it changes nothing here."""
        if not self.mark:
            self.mark = 1 + secrets.randbits(62)
        ticket.learner, ticket.mark = key, self.mark
        self.keep(duplicate(ticket))
        return ticket

    def keep(self, ticket: Ticket) -> None:
        self.kept[ticket.round] = ticket
        self.bare.pop(ticket.round, None)

    def checked(self, ticket: Any, key: str, t: int) -> Ticket:
        """The ticket, or a refusal where it is not open, or not as it was issued; t rounds were asked so far."""
        if isinstance(ticket, str):
            ticket = self.found(ticket, key, t)
        if not isinstance(ticket, Ticket) or not isinstance(ticket.round, int):
            raise BadInput(f"tell needs a ticket that ask returned, not {ticket!r:.80}")
        this = f"the ticket of round {ticket.round + 1}"
        if not self.mark or ticket.mark != self.mark:
            owner = ticket.learner or "it does not say which"
            raise BadInput(f"{this} was issued by another learner ({owner}), not by this {key}")
        copy, bare = self.kept.get(ticket.round), self.bare.get(ticket.round)
        if copy is None and bare is None:
            if ticket.round >= t:
                raise BadInput(
                    f"{this} was asked after this learner was saved: it knows of {t} rounds"
                )
            raise BadInput(f"{this} was told before: each is told once")
        if not (fingerprint(ticket) == bare if copy is None else alike(ticket, copy)):
            raise BadInput(f"{this} is damaged: it does not hold what was asked")
        return ticket

    def found(self, name: str, key: str, t: int) -> Ticket:
        """The ticket of this id; a refusal where it is not kept here."""
        mark, _, number = name.rpartition("-")
        if not number.isdecimal() or mark != f"{self.mark:x}":
            raise BadInput(f"{name!r:.60} is no id of a ticket that this {key} issued")
        kept = self.kept.get(int(number))
        if kept is not None:
            return kept
        if int(number) in self.bare:
            raise BadInput(
                f"the ticket {name} is not kept in this {key}: tell it with the ticket itself"
            )
        why = "was told before: each is told once" if int(number) < t else "was never asked"
        raise BadInput(f"the ticket {name} {why}")

    def close(self, t: int) -> None:
        self.bare.pop(t, None)
        self.kept.pop(t, None)

    def copied(self) -> Tickets:
        made = Tickets()
        made.mark, made.bare = self.mark, dict(self.bare)
        made.kept = {t: duplicate(ticket) for t, ticket in self.kept.items()}
        return made


def fingerprint(ticket: Ticket) -> bytes:
    """Sixteen bytes that change when anything in the ticket changes."""
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
        digest.update(f"{type(plain(v)).__name__}:{plain(v)!r};".encode())


def alike(one: Ticket, other: Ticket) -> bool:
    """Do two tickets hold the same, bit for bit? A tenth of the work of two fingerprints."""
    return (
        one.round == other.round
        and one.mark == other.mark
        and one.learner == other.learner
        and same(one.action, other.action)
        and same(one.decision, other.decision)
        and same(one.prediction, other.prediction)
        and same(one.x, other.x)
    )


def same(a: Any, b: Any) -> bool:
    if a is b:
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
    a, b = plain(a), plain(b)
    return type(a) is type(b) and (bool(a == b) or repr(a) == repr(b))  # NaN is like NaN


def plain(v: Any) -> Any:
    return v.item() if isinstance(v, np.generic) else v


def duplicate(ticket: Ticket) -> Ticket:
    """The same ticket, in arrays of its own."""
    own = apart(ticket.x), apart(ticket.prediction), apart(ticket.decision), apart(ticket.action)
    return Ticket(ticket.round, *own, ticket.learner, ticket.mark)


def apart(v: Any) -> Any:
    """The same values, in arrays of their own."""
    if isinstance(v, np.ndarray):
        return v.copy()
    if isinstance(v, tuple):
        parts = map(apart, v)
        return type(v)(*parts) if hasattr(v, "_fields") else tuple(parts)
    return v
