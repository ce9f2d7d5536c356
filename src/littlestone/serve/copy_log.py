"""Copy a log whole, while it is in use: from a file into another one, into PostgreSQL, and back; and check one.

A copy is a backup; to restore one is to copy it back. A check plays every learner from its first event again, on the
version and the engine that are installed here, and compares what its snapshots say.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..core.errors import BadInput, LittlestoneError
from .service import Service
from .snapshots import whole_snapshot
from .sqlite_store import FILE, SQLiteStore
from .store import ALL, LearnerRow, Store, Value

SMALL = ("engine", "learner", "api_key", "audit")  # tables that are copied at once
OF_LEARNERS = ("event", "open", "snapshot")  # those that are copied learner by learner
AT_ONCE = 1000  # learners that are read at once


class Copied(NamedTuple):
    """How much was copied."""

    learners: int
    events: int


class Checked(NamedTuple):
    """What a check has found: sentences about learners that are not as they must be."""

    learners: int
    events: int
    snapshots: int  # of this engine, which were compared
    wrong: list[str]


def is_postgres(where: str) -> bool:
    """Does this name a database of PostgreSQL, not a folder?"""
    return where.startswith(("postgresql:", "postgres:"))


def opened(where: str, readonly: bool = False) -> Store:
    """The log in this folder or database."""
    if is_postgres(where):
        from .postgres_store import PostgresStore

        return PostgresStore(where, readonly=readonly)
    if readonly and not (Path(where) / FILE).exists():
        raise BadInput(
            f"{where} holds no log: there is no {FILE} in it", field="source", value=where
        )
    return SQLiteStore(Path(where), readonly=readonly)


@contextmanager
def transaction(store: Store, begin: str) -> Iterator[None]:
    """One transaction, which is undone where something goes wrong."""
    store.do(begin)
    try:
        yield
    except BaseException:
        store.do("rollback")
        raise
    store.do("commit")


def copy_log(source: Store, target: Store) -> Copied:
    """Copy all of a log, as it is at one moment, into one that is empty."""
    events = 0
    with transaction(source, source.begin_reading), transaction(target, "begin"):
        if target.count_learners() or target.row("select id from api_key limit 1"):
            raise BadInput(
                f"{target.where} holds a log already: copy into one that is empty",
                field="target",
                value=target.where,
            )
        target.do("delete from engine")
        for table in SMALL:
            target.insert(table, list(source.rows(f"select * from {table}")))
        for row in all_learners(source):
            for table in OF_LEARNERS:
                for rows in pieces(source, table, row.id):
                    target.insert(table, rows)
                    events += len(rows) if table == "event" else 0
        return Copied(source.count_learners(), events)


def all_learners(store: Store) -> Iterator[LearnerRow]:
    """Every learner, by name."""
    found = store.learners(limit=AT_ONCE)
    while found:
        yield from found
        found = store.learners(found[-1].name, AT_ONCE)


def pieces(store: Store, table: str, learner: int) -> Iterator[list[tuple[Value, ...]]]:
    """The rows of a table about one learner, some at a time."""
    if table == "snapshot":
        yield list(store.snapshots(learner))
        return
    if table == "open":
        yield list(store.open(learner, limit=ALL))
        return
    piece: list[tuple[Value, ...]] = []
    for event in store.events(learner):
        piece.append(event)
        if len(piece) == AT_ONCE:
            yield piece
            piece = []
    yield piece


def check_log(store: Store) -> Checked:
    """Play each learner from its first event, and compare its snapshots; nothing is written."""
    service, events, snapshots, wrong = Service(store), 0, 0, list[str]()
    for row in all_learners(store):
        try:
            whole = service.load(row, snapshots=False)
            for saved in store.snapshots(row.id):
                if saved.engine == whole.engine:
                    snapshots += 1
                    if whole_snapshot(saved) is None:
                        wrong.append(f"{row.name}: the snapshot of event {saved.seq} is damaged")
            short = service.load(row)
        except LittlestoneError as problem:
            wrong.append(f"{row.name}: {problem}")
            continue
        events += whole.seq
        if short.learner.digest(tickets=True) != whole.learner.digest(tickets=True):
            wrong.append(f"{row.name}: its snapshot and the events after it give another state")
        if {t.round for t in whole.learner.tickets} != {
            o.round for o in store.open(row.id, limit=ALL)
        }:
            wrong.append(f"{row.name}: other decisions are open than its log says")
    return Checked(store.count_learners(), events, snapshots, wrong)
