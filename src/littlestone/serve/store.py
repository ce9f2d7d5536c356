"""The log: learners, events, open decisions, snapshots and keys in tables, and one transaction a batch.

What SQLite and PostgreSQL have in common is here; each has a module of its own for how it connects, reads and commits.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..engine.target import engine_id

Value = None | int | float | bytes | str
FORMAT = 1
DECIDED, TOLD, ACTIVATED, KEYED, RESUMED = 1, 2, 3, 4, 5  # kinds of events
ALL = 1 << 62  # a limit that is none
PIECE = 1000  # events that are read at once

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

# What a commit does beside inserting rows.
CLOSE = "delete from open where learner=? and round=?"
KEEP_SNAPSHOT = (
    "insert into snapshot values(?,?,?,?,?,?) on conflict(learner, seq) do update set "
    "body=excluded.body, digest=excluded.digest, totals=excluded.totals, engine=excluded.engine"
)
KEEP_TWO = (
    "delete from snapshot where learner=? and seq not in "
    "(select seq from snapshot where learner=? order by seq desc limit 2)"
)
FORGET_SNAPSHOTS = "delete from snapshot where learner=?"
BLANK_EVENT = "update event set id=?, body=?, ticket=?, cost=? where learner=? and seq=?"
FORK_EVENTS = (
    "insert into event select ?, seq, kind, id, round, body, ticket, cost, engine, at from event "
    "where learner=? and seq<=?"
)
FORK_OPEN = (
    "insert into open select ?, round, id, at, null from event e where learner=? and kind=1 and not exists "
    "(select 1 from event t where t.learner=e.learner and t.kind=2 and t.id=e.id)"
)


class LearnerRow(NamedTuple):
    """A learner as the log knows it."""

    id: int
    name: str
    spec: bytes
    mark: int
    created: float
    forked: str | None

    def with_engine(self, engine: int) -> tuple[Value, ...]:
        """The row of the table: the engine that made the learner is in it."""
        return (*self[:4], engine, *self[4:])


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

    def blanks(self) -> list[tuple[Value, ...]]:
        """The values of `BLANK_EVENT`."""
        return [(e.id, e.body, e.ticket, e.cost, e.learner, e.seq) for e in self.blanked]

    def cut_off(self, lengths: tuple[int, ...]) -> list[Event]:
        """Take back what was put in since then; return the events of it."""
        events = self.events[lengths[1] :]
        for rows, length in zip(vars(self).values(), lengths, strict=True):
            del rows[length:]
        return events


class Store(ABC):
    """One connection to the log. The writer has one of its own, and each reader has another."""

    where: str  # what is printed of it
    begin_reading: str  # the statement that begins to read one state of it

    def __init__(self, readonly: bool) -> None:
        self.readonly = readonly
        self.engines: dict[str, int] = {}

    @abstractmethod
    def rows(self, text: str, values: Sequence[Value] = ()) -> Iterator[tuple[Any, ...]]:
        """Do a statement, whose places are question marks; the rows that it finds."""

    @abstractmethod
    def insert(self, table: str, rows: Sequence[tuple[Value, ...]]) -> None:
        """Insert whole rows into a table."""

    @abstractmethod
    def commit(self, batch: Batch) -> None:
        """Write a batch in one transaction; when this returns it is on the disk."""

    @abstractmethod
    def size(self) -> int:
        """Bytes on the disk."""

    @abstractmethod
    def keys_version(self) -> int:
        """Another number after another process may have changed the keys."""

    @abstractmethod
    def reader(self) -> Store:
        """Another connection to the same log, which only reads."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the log."""

    def do(self, text: str, values: Sequence[Value] = ()) -> None:
        """Do a statement that finds no rows."""
        for _ in self.rows(text, values):
            pass

    def row(self, text: str, values: Sequence[Value] = ()) -> tuple[Any, ...] | None:
        """The one row that a query finds, if any."""
        return next(iter(self.rows(text, values)), None)

    # Learners.

    def engine(self, which: str | None = None) -> int:
        """The number of the engine in use, which is written down when it is new; 0 where that cannot be done."""
        name = engine_id(which)
        if name not in self.engines:
            new = "insert into engine select coalesce(max(id), 0) + 1, ? from engine where true on conflict do nothing"
            if not self.readonly:
                self.do(new, (name,))
            self.engines[name] = self.number("select id from engine where name=?", (name,))
        return self.engines[name]

    def learner(self, name: str) -> LearnerRow | None:
        """The learner of this name."""
        text = "select id, name, spec, mark, created, forked from learner where name=?"
        found = self.row(text, (name,))
        return None if found is None else LearnerRow(*found)

    def learners(self, after: str = "", limit: int = 1000) -> list[LearnerRow]:
        """Learners in the order of their names, from the one behind `after` on."""
        text = "select id, name, spec, mark, created, forked from learner where name>? order by name limit ?"
        return [LearnerRow(*row) for row in self.rows(text, (after, limit))]

    def count_learners(self) -> int:
        """How many learners there are."""
        return self.number("select count(*) from learner")

    def last_learner(self) -> int:
        """The largest id of a learner."""
        return self.number("select coalesce(max(id), 0) from learner")

    def number(self, text: str, values: Sequence[Value] = ()) -> int:
        """The one number that a query finds."""
        row = self.row(text, values)
        return 0 if row is None else int(row[0])

    # Events.

    def event(self, learner: int, kind: int, id_: str) -> Event | None:
        """What happened to a decision."""
        text = "select * from event where learner=? and kind=? and id=?"
        row = self.row(text, (learner, kind, id_))
        return None if row is None else Event(*row)

    def events(self, learner: int, after: int = 0, limit: int = ALL) -> Iterator[Event]:
        """Events behind number `after`, in their order."""
        text = "select * from event where learner=? and seq>? order by seq limit ?"
        while limit > 0:
            piece = [Event(*row) for row in self.rows(text, (learner, after, min(limit, PIECE)))]
            yield from piece
            if len(piece) < PIECE:
                return
            after, limit = piece[-1].seq, limit - PIECE

    def last_events(self, learner: int, n: int) -> list[Event]:
        """The last n events, in their order."""
        text = "select * from event where learner=? order by seq desc limit ?"
        return [Event(*row) for row in self.rows(text, (learner, n))][::-1]

    def snapshots(self, learner: int) -> list[Snapshot]:
        """The snapshots of a learner, the newest first."""
        text = "select * from snapshot where learner=? order by seq desc"
        return [Snapshot(*row) for row in self.rows(text, (learner,))]

    def open(self, learner: int, after: int = -1, limit: int = 1000) -> list[Opened]:
        """Open decisions behind round `after`, in the order of their rounds."""
        text = "select * from open where learner=? and round>? order by round limit ?"
        return [Opened(*row) for row in self.rows(text, (learner, after, limit))]

    def open_tickets(self, learner: int, seq: int) -> Iterator[bytes]:
        """The tickets that were open after event `seq`, in the order of their rounds.

        They are those of decisions that are open now, and of those that were told later.
        """
        text = (
            "select d.round, d.ticket from open o join event d on d.learner=o.learner and d.kind=1 and d.id=o.id "
            "where o.learner=? and d.seq<=? union all "
            "select d.round, d.ticket from event t join event d on d.learner=t.learner and d.kind=1 and d.id=t.id "
            "where t.learner=? and t.kind=2 and t.seq>? and d.seq<=? order by 1"
        )
        for _, ticket in self.rows(text, (learner, seq, learner, seq, seq)):
            yield ticket

    def overdue(self, now: float, limit: int = 256) -> list[tuple[str, str]]:
        """Decisions whose time to wait is over: the learner's name and the decision's id."""
        text = (
            "select learner.name, open.id from open join learner on learner.id=open.learner "
            "where deadline is not null and deadline<=? order by deadline limit ?"
        )
        return [(str(a), str(b)) for a, b in self.rows(text, (now, limit))]

    def audited(self, limit: int) -> list[tuple[float, str, str, str]]:
        """The last operations of administrators, the newest first: when, who, what, and on what."""
        text = "select at, actor, action, target from audit order by at desc limit ?"
        return [
            (at, actor, action, target) for at, actor, action, target in self.rows(text, (limit,))
        ]


def now() -> float:
    """Seconds since 1970."""
    return time.time()
