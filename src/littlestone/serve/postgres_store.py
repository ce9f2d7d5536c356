"""The log in PostgreSQL: the same tables, of which one process at a time holds the lease.

A commit is one round trip: it renews the lease, writes, and fails as a whole where another process has taken the lease.
The primary key (learner, seq) stands behind that: no event can take the place of another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import psycopg
from psycopg import conninfo

from ..core.errors import BadFile, BadInput
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

TYPES = (
    ("blob", "bytea"),
    (" real", " double precision"),
    ("integer", "bigint"),
    (" without rowid", ""),
)
LEASE_TABLES = """
create table if not exists format(id bigint primary key, number bigint not null);
create table if not exists lease(id bigint primary key, token bigint not null, holder text not null,
  expires double precision not null);
insert into lease values(1, 0, '', 0);
"""
CLOCK = "extract(epoch from clock_timestamp())"  # the server's: the processes' own may differ
TAKE_LEASE = (
    f"update lease set token=token+1, holder=?, expires={CLOCK}+? where id=1 and expires<{CLOCK} "
    "returning token"
)
RENEW_LEASE = f"update lease set expires={CLOCK}+? where id=1 and token=? returning token"
HAS_LEASE = "select 1/count(*) from lease where id=1 and token=?"  # an error where it has not
GIVE_LEASE_BACK = "update lease set expires=0 where id=1 and token=?"
COLUMNS = {
    "learner": ("bigint", "text", "bytea", "bigint", "bigint", "float8", "text"),
    "event": ("bigint", "bigint", "bigint", "text", "bigint", "bytea", "bytea", "float8", "bigint", "float8"),
    "open": ("bigint", "bigint", "text", "float8", "float8"),
    "audit": ("float8", "text", "text", "text"),
    "engine": ("bigint", "text"),
    "snapshot": ("bigint", "bigint", "bytea", "text", "bytea", "bigint"),
    "api_key": ("text", "text", "bytea", "text", "float8", "float8"),
}  # fmt: skip


class Held(NamedTuple):
    """A lease: its number, and for how many seconds it is renewed."""

    token: int
    seconds: float


class PostgresStore(Store):
    """One connection to the database."""

    begin_reading = "begin isolation level repeatable read"

    def __init__(self, url: str, durable: bool = True, readonly: bool = False) -> None:
        super().__init__(readonly)
        self.url = url
        self.held: Held | None = None
        self.bytes_on_disk = 0  # as of the last renewal of the lease
        self.db = connected(url)
        info = self.db.info
        self.where = f"postgresql://{info.host}:{info.port}/{info.dbname}"
        self.prepare(durable, readonly)

    def prepare(self, durable: bool, readonly: bool) -> None:
        """Set how it writes, and make the tables."""
        if readonly:
            self.do("set default_transaction_read_only=on")
            return
        if durable and self.row("show fsync") == ("off",):
            raise BadInput(
                f"{self.where} runs with fsync=off: a power cut would lose what was acknowledged; switch it on",
                field="postgres",
                value=self.where,
            )
        self.do(f"set synchronous_commit={'on' if durable else 'off'}")
        if not self.has_tables():
            self.make_tables()
        found = self.number("select number from format")
        if found != FORMAT:
            raise BadFile(
                f"{self.where} has format {found}; this version writes {FORMAT}: use the version that wrote it"
            )

    def has_tables(self) -> bool:
        """Are there tables? Where they are, nothing of them is touched: another process may be at work."""
        return self.row("select to_regclass('format')") != (None,)

    def make_tables(self) -> None:
        """Make all tables, where no other process does so at the same moment."""
        text = TABLES + LEASE_TABLES
        for ours, theirs in TYPES:
            text = text.replace(ours, theirs)
        with self.db.transaction():
            self.do("select pg_advisory_xact_lock(7214)")
            if not self.has_tables():
                self.db.execute(text.encode())
                self.do("insert into format values(1, ?)", (FORMAT,))

    def rows(self, text: str, values: Sequence[Value] = ()) -> Iterator[tuple[Any, ...]]:
        cursor = self.db.execute(text.replace("?", "%s").encode(), values)
        return iter(cursor.fetchall() if cursor.description else ())

    def size(self) -> int:
        return self.bytes_on_disk

    def keys_version(self) -> int:
        return self.number("select 2*count(*)+count(revoked) from api_key")

    def reader(self) -> PostgresStore:
        return PostgresStore(self.url, readonly=True)

    def close(self) -> None:
        self.db.close()

    def commit(self, batch: Batch) -> None:
        with self.db.pipeline():
            self.send("begin")
            if self.held is not None:
                self.send(RENEW_LEASE, (self.held.seconds, self.held.token))
                self.send(HAS_LEASE, (self.held.token,))
            self.insert("learner", [row.with_engine(e) for row, e in batch.learners])
            self.insert("event", batch.events)
            self.insert("open", batch.opened)
            for closed in batch.closed:
                self.send(CLOSE, closed)
            for source, target, seq in batch.forks:
                self.send(FORK_EVENTS, (target, source, seq))
                self.send(FORK_OPEN, (target, target))
            for s in batch.snapshots:
                self.send(KEEP_SNAPSHOT, s)
                self.send(KEEP_TWO, (s.learner, s.learner))
            self.insert("audit", batch.audit)
            for learner in batch.forgotten:
                self.send(FORGET_SNAPSHOTS, learner)
            for values in batch.blanks():
                self.send(BLANK_EVENT, values)
            self.send("commit")
        if (
            batch.forgotten
        ):  # the tables are written anew: no byte of what was removed stays in them
            self.do("vacuum full event")
            self.do("vacuum full snapshot")

    def send(self, text: str, values: Sequence[object] = ()) -> None:
        """Send a statement whose answer is not waited for."""
        self.db.execute(text.replace("?", "%s").encode(), values)

    def insert(self, table: str, rows: Sequence[tuple[Value, ...]]) -> None:
        if rows:
            lists = ",".join(f"?::{kind}[]" for kind in COLUMNS[table])
            columns = [list(column) for column in zip(*rows, strict=True)]
            self.send(f"insert into {table} select * from unnest({lists})", columns)


def connected(url: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection, or one sentence that says why there is none."""
    try:
        known = conninfo.conninfo_to_dict(url)
        known.setdefault("connect_timeout", 10)
        known.setdefault("application_name", "littlestone")
        return psycopg.connect(conninfo.make_conninfo("", **known), autocommit=True)
    except psycopg.Error as problem:
        why = str(problem).strip().splitlines()[-1]
        raise BadInput(
            f"--postgres cannot be reached: {why}", field="postgres", value="(not shown)"
        ) from None
