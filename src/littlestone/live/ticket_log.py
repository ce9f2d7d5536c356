"""An append-only log of tickets: what was asked and told since a learner was saved survives a crash.

Each record is its length, a checksum and a msgpack map: a ticket that was issued, or a round and what was told of it.
A record is on disk before the ticket is handed out. A crash may cut off the last record, which then counts for nothing.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from typing import Any

import msgspec

from ..core.errors import BadFile, BadInput
from .store import KNOWN, pack, unpack
from .tickets import Ticket

MAGIC = b"LITTLESTONE TICKETS 1\n"
HEAD = struct.Struct("<I8s")


class TicketLog:
    """Appends what a learner is asked and told to a file."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            _, good = records(self.path) if self.path.exists() else ([], 0)
            self.file = self.path.open("r+b" if self.path.exists() else "w+b")
            self.file.truncate(good)  # what a crash cut off
            self.file.seek(good)
            if not good:
                self.file.write(MAGIC)
                self.flush()
        except OSError as problem:
            raise BadFile(f"{path} cannot be written: {problem.strerror}") from None

    def asked(self, ticket: Ticket) -> None:
        self.add({"ticket": pack(ticket)})

    def told(self, ticket: Ticket, y: Any) -> None:
        self.add({"round": ticket.round, "mark": ticket.mark, "y": pack(plain(y))})

    def add(self, record: dict[str, Any]) -> None:
        raw = msgspec.msgpack.encode(record)
        self.file.write(HEAD.pack(len(raw), checksum(raw)) + raw)
        self.flush()

    def flush(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())

    def close(self) -> None:
        self.file.close()


def recover(live: Any, path: str | Path) -> int:
    """Do again what a log says of the rounds after a learner was saved; how many records were new to it."""
    path, new = Path(path), 0
    if not path.exists():
        return 0
    for record in records(path)[0]:
        if "ticket" in record:
            new += live.reopen(unpack(record["ticket"], KNOWN))
        elif record["round"] in live.tickets.kept and record["mark"] == live.tickets.mark:
            live.tell(live.tickets.kept[record["round"]], unpack(record["y"], KNOWN))
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
    found, at = [], len(MAGIC)
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


def checksum(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=8).digest()


def plain(y: Any) -> Any:
    """What was told, as a file can hold it."""
    if isinstance(y, (list, tuple)):
        return tuple(plain(v) for v in y)
    try:
        pack(y)
    except BadFile:
        raise BadInput(f"{y!r:.80} cannot be written into the log of tickets") from None
    return y
