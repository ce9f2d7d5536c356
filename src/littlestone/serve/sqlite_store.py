"""The log in SQLite: one file, which one process writes.

Write-ahead log with synchronous=FULL: a commit that has returned survives a power cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from ..core.errors import BadFile
from .store import (
    BLANK_EVENT,
    CLOSE,
    FORGET_SNAPSHOTS,
    FORK_EVENTS,
    FORK_OPEN,
    FORMAT,
    KEEP_SNAPSHOT,
    KEEP_TWO,
    TABLES,
    Batch,
    Store,
    Value,
)

FILE = "littlestone.db"
AT_ONCE = 64  # rows of one statement


class SQLiteStore(Store):
    """One connection to the file in a folder."""

    begin_reading = "begin"

    def __init__(self, folder: Path, durable: bool = True, readonly: bool = False) -> None:
        super().__init__(readonly)
        self.folder, self.path = folder, folder / FILE
        self.where = str(self.path)
        if not readonly:
            folder.mkdir(parents=True, exist_ok=True)
        try:
            self.db = self.connect(readonly)
            self.db.set_busy_timeout(10_000)
            self.prepare("full" if durable else "off", readonly)
        except (apsw.NotADBError, apsw.CantOpenError, apsw.CorruptError) as problem:
            raise BadFile(f"{self.path} is no log of this service: {problem}") from None

    def connect(self, readonly: bool) -> apsw.Connection:
        """Open the file."""
        flags = apsw.SQLITE_OPEN_READWRITE | (0 if readonly else apsw.SQLITE_OPEN_CREATE)
        return apsw.Connection(str(self.path), flags=flags)

    def prepare(self, synchronous: str, readonly: bool) -> None:
        """Set how it writes, and make the tables."""
        if readonly:
            self.db.pragma("query_only", True)
            return
        self.db.pragma("journal_mode", "wal")
        self.db.pragma("synchronous", synchronous)
        self.db.pragma("wal_autocheckpoint", 4000)
        found = self.db.pragma("user_version")
        if found not in (0, FORMAT):
            raise BadFile(
                f"{self.path} has format {found}; this version writes {FORMAT}: use the version that wrote it"
            )
        self.db.execute(TABLES)
        self.db.pragma("user_version", FORMAT)

    def rows(self, text: str, values: Sequence[Value] = ()) -> Iterator[tuple[Any, ...]]:
        return self.db.execute(text, values)

    def size(self) -> int:
        files = (self.path, self.path.with_name(FILE + "-wal"))
        return sum(f.stat().st_size for f in files if f.exists())

    def keys_version(self) -> int:
        version = self.db.pragma("data_version")
        assert isinstance(version, int)
        return version

    def reader(self) -> SQLiteStore:
        return SQLiteStore(self.folder, readonly=True)

    def close(self) -> None:
        self.db.close()

    def commit(self, batch: Batch) -> None:
        self.do("begin immediate")
        self.insert("learner", [row.with_engine(e) for row, e in batch.learners])
        self.insert("event", batch.events)
        self.insert("open", batch.opened)
        self.db.executemany(CLOSE, batch.closed)
        for source, target, seq in batch.forks:
            self.do(FORK_EVENTS, (target, source, seq))
            self.do(FORK_OPEN, (target, target))
        for s in batch.snapshots:
            self.do(KEEP_SNAPSHOT, s)
            self.do(KEEP_TWO, (s.learner, s.learner))
        self.insert("audit", batch.audit)
        self.db.executemany(FORGET_SNAPSHOTS, batch.forgotten)
        self.db.executemany(BLANK_EVENT, batch.blanks())
        self.do("commit")
        if batch.forgotten:  # the file is written anew: no byte of what was removed stays
            self.do("vacuum")
            self.do("pragma wal_checkpoint(truncate)")

    def insert(self, table: str, rows: Sequence[tuple[Value, ...]]) -> None:
        for i in range(0, len(rows), AT_ONCE):
            part = rows[i : i + AT_ONCE]
            places = ",".join(["(" + ",".join("?" * len(part[0])) + ")"] * len(part))
            self.do(f"insert into {table} values {places}", [v for row in part for v in row])
