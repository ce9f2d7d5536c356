"""An append-only log of tickets: tickets and outcomes since a learner was saved survive a crash.

Each record is its length, a checksum and a msgpack map: a ticket that was issued, or a round and its outcome.
A record is on disk before the ticket is handed out. A crash may cut off the last record, which then counts for nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..core.errors import BadFile, BadInput
from ..core.files import write_whole
from .late import refuse_stranger
from .store import KNOWN, pack, unpack
from .tickets import Ticket

MAGIC = b"LITTLESTONE TICKETS 1\n"
HEAD = struct.Struct("<I8s")


class TicketLog:
    """Appends the tickets that a learner issues, and their outcomes, to a file."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.saved = False  # does a saved learner hold all that was written here?
        good = records(self.path)[1] if self.path.exists() else 0
        if good:
            with self.writing(), self.path.open("r+b") as file:
                file.truncate(good)  # what a crash cut off
        else:
            self.append(MAGIC, "wb")

    def log_ticket(self, ticket: Ticket) -> None:
        """Write a ticket, with the names that have come since the last one."""
        self.add({"ticket": pack(ticket)})

    def log_outcome(self, ticket: Ticket, y: Any, importance: float = 1.0) -> None:
        record = {"round": ticket.round, "mark": ticket.mark, "y": pack(loggable(y))}
        self.add(record if importance == 1.0 else record | {"importance": float(importance)})

    def refuse_outcome(self, y: Any) -> None:
        """Refuse an outcome that cannot be written, before it is learned from."""
        loggable(y)

    def shorten(self, tickets: list[Ticket]) -> None:
        """Replace the file by one that holds the open tickets, and nothing else."""
        if not self.saved:
            raise BadInput(
                f"{self.path} holds tickets or outcomes from after the learner was saved: save it first"
            )
        raw = MAGIC + b"".join(encode_record({"ticket": pack(ticket)}) for ticket in tickets)
        write_whole(self.path, raw)

    def add(self, record: dict[str, Any]) -> None:
        self.saved = False
        self.append(encode_record(record))

    def append(self, raw: bytes, mode: str = "ab") -> None:
        """Write to the end of the file, and wait until it is on disk."""
        with self.writing(), self.path.open(mode, buffering=0) as file:
            end = file.tell()
            try:
                file.write(raw)
                os.fsync(file.fileno())
            except OSError:
                file.truncate(end)  # no part of a record before the next one
                raise

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise BadFile(f"{self.path} cannot be written: {problem.strerror}") from None


def recover(live: Any, path: str | Path) -> int:
    """Do again what a log says happened after a learner was saved; return how many records were new to it."""
    path, new = Path(path), 0
    if not path.exists():
        return 0
    for record in records(path)[0]:
        if "ticket" in record:
            ticket = unpack(record["ticket"], KNOWN)
            refuse_stranger(live, ticket, "log was written")
            new += live.reopen(ticket)
        elif record["mark"] == live.tickets.mark and (kept := live.tickets.kept(record["round"])):
            live.tell(kept, unpack(record["y"], KNOWN), record.get("importance", 1.0))
            new += 1
    return new


def records(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The whole records of a log, and the bytes that they take."""
    try:
        raw = path.read_bytes()
    except OSError as problem:
        raise BadFile(f"{path} cannot be read: {problem.strerror}") from None
    if not raw.startswith(MAGIC):
        if MAGIC.startswith(raw):
            return [], 0
        raise BadFile(f"{path} is not a log of tickets")
    found: list[dict[str, Any]] = []
    at = len(MAGIC)
    while at + HEAD.size <= len(raw):
        size, mark = HEAD.unpack_from(raw, at)
        body = raw[at + HEAD.size : at + HEAD.size + size]
        last = at + HEAD.size + size >= len(raw)
        if len(body) < size or checksum(body) != mark:
            if not last:
                raise BadFile(f"{path} is damaged after {len(found)} records")
            break
        found.append(msgspec.msgpack.decode(body))
        at += HEAD.size + size
    return found, at


def encode_record(record: dict[str, Any]) -> bytes:
    """A record as it is written."""
    raw = msgspec.msgpack.encode(record)
    return HEAD.pack(len(raw), checksum(raw)) + raw


def checksum(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=8).digest()


def loggable(y: Any) -> Any:
    """The outcome y as the log can hold it: a list becomes a tuple; raise where it cannot be written."""
    if isinstance(y, (list, tuple)):
        return tuple(loggable(v) for v in y)
    try:
        pack(y)
    except BadFile:
        raise BadInput(f"{y!r:.80} cannot be written into the log of tickets") from None
    return y
