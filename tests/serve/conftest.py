"""Fixtures: a log in SQLite and one in PostgreSQL, whose server is shared by all tests."""

from functools import partial

import pytest
from serve.faults import FAULTS, PLACES
from serve.postgres import PostgresServer, binaries

from littlestone.serve.postgres_store import PostgresStore
from littlestone.serve.sqlite_store import SQLiteStore


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server."""
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: nothing of it is tested")
    server = PostgresServer(programs)
    yield server
    server.stop()


def opener(make):
    """A function that opens one log, the same at each call; what it opened is closed at the end."""
    opened = []
    yield lambda: opened.append(make()) or opened[-1]
    for store in opened:
        store.close()


@pytest.fixture
def sqlite(tmp_path):
    """A function that opens a log in a file."""
    yield from opener(partial(SQLiteStore, tmp_path / "log", durable=False))


@pytest.fixture
def postgres_log(postgres):
    """A function that opens a log in PostgreSQL."""
    yield from opener(partial(PostgresStore, postgres.new_log(), durable=False))


@pytest.fixture(params=["sqlite", "postgres_log"])
def new_log(request):
    """A function that opens a log, of either kind."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def plain_module():
    """As `plain`, for a service that all tests of a module use."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LITTLESTONE_ENGINE", "plain")
        yield


@pytest.fixture
def planted():
    """Plant a bug, and mend it after the test."""
    before = [dict(vars(place)) for place in PLACES]
    yield lambda name: FAULTS[name]()
    for place, held in zip(PLACES, before, strict=True):
        for name, v in held.items():
            if vars(place).get(name) is not v:
                setattr(place, name, v)
