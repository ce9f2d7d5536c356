"""Fixtures: a log in SQLite and one in PostgreSQL, whose server is shared by all tests."""

import pytest
from serve.faults import FAULTS, PLACES


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: PostgreSQL not tested")
    from serve.postgres import PostgresServer, binaries

    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: nothing of it is tested")
    server = PostgresServer(programs)
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def new_log(request, tmp_path):
    """A function that opens one log, the same at each call."""
    if request.param == "sqlite":
        from littlestone.serve.sqlite_store import SQLiteStore

        return lambda: SQLiteStore(tmp_path / "log", durable=False)
    from littlestone.serve.postgres_store import PostgresStore

    url = request.getfixturevalue("postgres").new_log()
    return lambda: PostgresStore(url, durable=False)


@pytest.fixture
def planted():
    """Plant a bug, and mend it after the test."""
    before = [dict(vars(place)) for place in PLACES]
    yield lambda name: FAULTS[name]()
    for place, held in zip(PLACES, before, strict=True):
        for name, v in held.items():
            if vars(place).get(name) is not v:
                setattr(place, name, v)
