"""The log in SQLite: learners, events, open decisions, snapshots and keys in one file, and one transaction a batch.

Write-ahead log with synchronous=FULL: a commit that has returned survives a power cut.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

from ..core.errors import BadFile
from ..engine.target import engine_id

SQLiteValue = None | int | float | bytes | str
FORMAT = 1
FILE = "littlestone.db"
DECIDED, TOLD, ACTIVATED, KEYED, RESUMED = 1, 2, 3, 4, 5  # kinds of events
AT_ONCE = 64  # rows of one statement

TABLES = """
create table if not exists engine(id integer primary key, name text unique not null);
create table if not exists learner(id integer primary key, name text unique not null, spec blob not null,
  mark integer not null, engine integer not null, created real not null, forked text);
create table if not exists event(learner integer, seq integer, kind integer not null, id text not null,
  round integer not null, body blob not null, ticket blob, cost real, engine integer not null, at real not null,
  primary key(learner, seq)) without rowid;
create unique index if not exists event_id on event(learner, kind, id);
create table if not exists open(learner integer, round integer, id text not null, at real not null, deadline real,
  primary key(learner, round)) without rowid;
create index if not exists open_deadline on open(deadline) where deadline is not null;
create table if not exists snapshot(learner integer, seq integer, body blob not null, digest text not null,
  totals blob not null, engine integer not null, primary key(learner, seq)) without rowid;
create table if not exists api_key(id text primary key, name text not null, digest blob not null,
  scopes text not null, created real not null, revoked real);
create table if not exists audit(at real not null, actor text not null, action text not null, target text not null);
"""


class LearnerRow(NamedTuple):
    """A learner as the log knows it."""

    id: int
    name: str
    spec: bytes
    mark: int
    created: float
    forked: str | None


class Event(NamedTuple):
    """Something that happened to a learner."""

    learner: int
    seq: int
    kind: int
    id: str
    round: int
    body: bytes
    ticket: bytes | None
    cost: float | None
    engine: int
    at: float


class Opened(NamedTuple):
    """A decision whose outcome is not known yet."""

    learner: int
    round: int
    id: str
    at: float
    deadline: float | None


class Snapshot(NamedTuple):
    """A learner after its event `seq`."""

    learner: int
    seq: int
    body: bytes
    digest: str
    totals: bytes
    engine: int


class Batch:
    """What one commit writes."""

    def __init__(self) -> None:
        self.learners: list[tuple[LearnerRow, int]] = []
        self.events: list[Event] = []
        self.opened: list[Opened] = []
        self.closed: list[tuple[int, int]] = []
        self.snapshots: list[Snapshot] = []
        self.forks: list[tuple[int, int, int]] = []  # from, to, seq
        self.audit: list[tuple[float, str, str, str]] = []
        self.blanked: list[Event] = []  # events that take the place of those of their number
        self.forgotten: list[tuple[int]] = []  # learners whose snapshots go

    def __bool__(self) -> bool:
        return any(self.lengths())

    def lengths(self) -> tuple[int, ...]:
        """How long each list is now."""
        return tuple(len(v) for v in vars(self).values())

    def cut_off(self, lengths: tuple[int, ...]) -> list[Event]:
        """Take back what was put in since then; return the events of it."""
        events = self.events[lengths[1] :]
        for rows, length in zip(vars(self).values(), lengths, strict=True):
            del rows[length:]
        return events


class Store:
    """One connection to the log. The writer has one of its own, and each reader has another."""

    def __init__(self, folder: Path, durable: bool = True, readonly: bool = False) -> None:
        self.path = folder / FILE
        if not readonly:
            folder.mkdir(parents=True, exist_ok=True)
        flags = apsw.SQLITE_OPEN_READWRITE | (0 if readonly else apsw.SQLITE_OPEN_CREATE)
        try:
            self.db = apsw.Connection(str(self.path), flags=flags)
            self.db.set_busy_timeout(10_000)
            self.prepare(durable, readonly)
        except (apsw.NotADBError, apsw.CantOpenError, apsw.CorruptError) as problem:
            raise BadFile(f"{self.path} is no log of this service: {problem}") from None
        self.engines: dict[str, int] = {}

    def prepare(self, durable: bool, readonly: bool) -> None:
        """Set how it writes, and make the tables."""
        if readonly:
            self.db.pragma("query_only", True)
            return
        self.db.pragma("journal_mode", "wal")
        self.db.pragma("synchronous", "full" if durable else "off")
        self.db.pragma("wal_autocheckpoint", 4000)
        found = self.db.pragma("user_version")
        if found not in (0, FORMAT):
            raise BadFile(
                f"{self.path} has format {found}; this version writes {FORMAT}: use the version that wrote it"
            )
        self.db.execute(TABLES)
        self.db.pragma("user_version", FORMAT)

    def size(self) -> int:
        """Bytes on the disk."""
        files = (self.path, self.path.with_name(FILE + "-wal"))
        return sum(f.stat().st_size for f in files if f.exists())

    def close(self) -> None:
        self.db.close()

    # Learners.

    def engine(self, which: str | None = None) -> int:
        """The number of the engine in use, which is written down when it is new."""
        name = engine_id(which)
        if name not in self.engines:
            self.db.execute("insert or ignore into engine(name) values(?)", (name,))
            row = self.db.execute("select id from engine where name=?", (name,)).fetchone()
            assert row is not None
            self.engines[name] = int(row[0])
        return self.engines[name]

    def learner(self, name: str) -> LearnerRow | None:
        """The learner of this name."""
        found = self.db.execute(
            "select id, name, spec, mark, created, forked from learner where name=?", (name,)
        ).fetchone()
        return None if found is None else LearnerRow(*found)

    def learners(self, after: str = "", limit: int = 1000) -> list[LearnerRow]:
        """Learners in the order of their names, from the one behind `after` on."""
        text = "select id, name, spec, mark, created, forked from learner where name>? order by name limit ?"
        return [LearnerRow(*row) for row in self.db.execute(text, (after, limit))]

    def count_learners(self) -> int:
        """How many learners there are."""
        return self.number("select count(*) from learner")

    def last_learner(self) -> int:
        """The largest id of a learner."""
        return self.number("select coalesce(max(id), 0) from learner")

    def number(self, text: str, values: tuple[SQLiteValue, ...] = ()) -> int:
        """The one number that a query finds."""
        row = self.db.execute(text, values).fetchone()
        return 0 if row is None else int(row[0])

    # Events.

    def event(self, learner: int, kind: int, id_: str) -> Event | None:
        """What happened to a decision."""
        row = self.db.execute(
            "select * from event where learner=? and kind=? and id=?", (learner, kind, id_)
        ).fetchone()
        return None if row is None else Event(*row)

    def events(self, learner: int, after: int = 0, limit: int = -1) -> Iterator[Event]:
        """Events behind number `after`, in their order."""
        text = "select * from event where learner=? and seq>? order by seq limit ?"
        for row in self.db.execute(text, (learner, after, limit)):
            yield Event(*row)

    def last_events(self, learner: int, n: int) -> list[Event]:
        """The last n events, in their order."""
        text = "select * from event where learner=? order by seq desc limit ?"
        return [Event(*row) for row in self.db.execute(text, (learner, n))][::-1]

    def snapshots(self, learner: int) -> list[Snapshot]:
        """The snapshots of a learner, the newest first."""
        text = "select * from snapshot where learner=? order by seq desc"
        return [Snapshot(*row) for row in self.db.execute(text, (learner,))]

    def open(self, learner: int, after: int = -1, limit: int = 1000) -> list[Opened]:
        """Open decisions behind round `after`, in the order of their rounds."""
        text = "select * from open where learner=? and round>? order by round limit ?"
        return [Opened(*row) for row in self.db.execute(text, (learner, after, limit))]

    def overdue(self, now: float, limit: int = 256) -> list[tuple[str, str]]:
        """Decisions whose time to wait is over: the learner's name and the decision's id."""
        text = (
            "select learner.name, open.id from open join learner on learner.id=open.learner "
            "where deadline is not null and deadline<=? order by deadline limit ?"
        )
        return [(str(a), str(b)) for a, b in self.db.execute(text, (now, limit))]

    def audited(self, limit: int) -> list[tuple[float, str, str, str]]:
        """The last operations of administrators, the newest first: when, who, what, and on what."""
        text = "select at, actor, action, target from audit order by at desc limit ?"
        return [
            (float(str(t)), str(a), str(b), str(c))
            for t, a, b, c in self.db.execute(text, (limit,))
        ]

    # Writing.

    def commit(self, batch: Batch) -> None:
        """Write a batch in one transaction; when this returns it is on the disk."""
        db = self.db
        db.execute("begin immediate")
        rows = [(r.id, r.name, r.spec, r.mark, e, r.created, r.forked) for r, e in batch.learners]
        self.insert("learner", rows)
        self.insert("event", batch.events)
        self.insert("open", batch.opened)
        db.executemany("delete from open where learner=? and round=?", batch.closed)
        for source, target, seq in batch.forks:
            self.fork(source, target, seq)
        for s in batch.snapshots:
            db.execute("insert or replace into snapshot values(?,?,?,?,?,?)", s)
            db.execute(
                "delete from snapshot where learner=? and seq not in "
                "(select seq from snapshot where learner=? order by seq desc limit 2)",
                (s.learner, s.learner),
            )
        self.insert("audit", batch.audit)
        self.blank(batch)
        db.execute("commit")
        if batch.forgotten:  # the file is written anew: no byte of what was removed stays
            db.execute("vacuum")
            db.execute("pragma wal_checkpoint(truncate)")

    def blank(self, batch: Batch) -> None:
        """Put other events into the place of some, and forget snapshots."""
        self.db.executemany("delete from snapshot where learner=?", batch.forgotten)
        self.db.executemany(
            "update event set id=?, body=?, ticket=?, cost=? where learner=? and seq=?",
            [(e.id, e.body, e.ticket, e.cost, e.learner, e.seq) for e in batch.blanked],
        )

    def insert(self, table: str, rows: Sequence[tuple[SQLiteValue, ...]]) -> None:
        """Insert rows, many in a statement."""
        for i in range(0, len(rows), AT_ONCE):
            part = rows[i : i + AT_ONCE]
            places = ",".join(["(" + ",".join("?" * len(part[0])) + ")"] * len(part))
            self.db.execute(
                f"insert into {table} values {places}",
                [v for row in part for v in row],
            )

    def fork(self, source: int, target: int, seq: int) -> None:
        """Give a learner the events of another one up to `seq`."""
        self.db.execute(
            "insert into event select ?, seq, kind, id, round, body, ticket, cost, engine, at from event "
            "where learner=? and seq<=?",
            (target, source, seq),
        )
        self.db.execute(
            "insert into open select ?, round, id, at, null from event e where learner=? and kind=1 and not exists "
            "(select 1 from event t where t.learner=e.learner and t.kind=2 and t.id=e.id)",
            (target, target),
        )

    def vacuum_into(self, path: Path) -> None:
        """Write a whole copy, while it is in use."""
        self.db.execute("vacuum into ?", (str(path),))


def now() -> float:
    """Seconds since 1970."""
    return time.time()
