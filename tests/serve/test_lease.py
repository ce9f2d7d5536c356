"""A log in PostgreSQL: one process holds the lease, one that lost it can write nothing, a standby takes over."""

import time

import pytest
from serve.takeover import takeovers

from littlestone.core.errors import BadInput
from littlestone.serve import lease as module
from littlestone.serve.lease import LEASE_LOST, Lease
from littlestone.serve.postgres_store import PostgresStore
from littlestone.serve.requests import Question, Spec
from littlestone.serve.service import Service

pytestmark = [pytest.mark.usefixtures("plain"), pytest.mark.subprocess]


class OneLease(Lease):
    """A lease that nobody renews, as if its process were stopped."""

    def renew(self):
        pass


@pytest.fixture
def new_lease(postgres):
    """A function that stands for another process at the same log; what it makes is closed at the end."""
    url, made = postgres.new_log(), []

    def make(seconds, kind=OneLease):
        made.append(kind(url, seconds))
        return made[-1]

    yield make
    for lease in made:
        lease.store.close()
        if not lease.own.db.closed:
            lease.release()


def decided(store, id_):
    """What a process would commit: a decision of the learner `a`, as it knows it."""
    service = Service(store)
    if store.learner("a") is None:
        service.make("a", Spec("exp3", n=2))
        store.commit(service.take_batch()[0])
    service.decide("a", id_, Question())
    return service.take_batch()[0]


def check_one_works(new_lease):
    worker, standby = new_lease(30.0), new_lease(30.0)
    assert worker.take()
    assert not standby.take()
    worker.release()
    assert standby.take()
    assert standby.store.held.token == 2


def check_fenced(new_lease):
    worker, standby = new_lease(0.05), new_lease(30.0)
    assert worker.take()
    late = decided(worker.store, "late")
    time.sleep(0.1)
    assert standby.take()
    standby.store.commit(decided(standby.store, "first"))
    with pytest.raises(Exception, match=r"division by zero|duplicate key"):
        worker.store.commit(late)
    assert [event.id for event in standby.store.events(1)] == ["first"]


def test_one_process_works_on_a_log(new_lease):
    check_one_works(new_lease)


def test_a_process_without_its_lease_writes_nothing(new_lease):
    check_fenced(new_lease)


def test_the_key_of_events_stands_behind_the_lease(new_lease):
    worker, other = new_lease(30.0), new_lease(30.0)
    late = decided(worker.store, "late")
    other.store.commit(decided(other.store, "first"))
    with pytest.raises(Exception, match="duplicate key"):
        worker.store.commit(late)


@pytest.mark.parametrize(
    ("name", "check"),
    [("lease-is-not-fenced", check_fenced), ("lease-is-taken-from-a-live-worker", check_one_works)],
)
def test_planted_bugs_of_leases_are_seen(new_lease, planted, name, check):
    planted(name)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check(new_lease)


def test_a_lost_lease_ends_the_process(new_lease, monkeypatch):
    codes = []
    monkeypatch.setattr(module, "exit_at_once", lambda code, why: codes.append((code, why)))
    worker = new_lease(0.3, Lease)
    assert worker.take()
    worker.store.do("update lease set token=token+1")
    until = time.monotonic() + 20
    while not codes and time.monotonic() < until:
        time.sleep(0.02)
    assert codes[0] == (LEASE_LOST, "another process has taken the lease")


def test_a_process_that_starts_waits_for_no_table(new_lease, postgres):
    """Nor does it lock one: another process may be in the middle of a commit."""
    worker = new_lease(30.0)
    worker.store.do("begin")
    worker.store.do("lock table event, open, snapshot, lease, learner in access exclusive mode")
    started = PostgresStore(f"{worker.store.url}%20-clock_timeout%3D3000")
    assert started.has_tables()
    started.close()
    worker.store.do("rollback")


def test_a_lease_is_renewed(new_lease):
    worker, standby = new_lease(1.5, Lease), new_lease(1.5)
    assert worker.take()
    time.sleep(2.0)
    assert not standby.take()


def test_a_standby_takes_over(postgres):
    """One process is killed, one is stopped; the time is that of a busy machine (`make takeovers` shows it)."""
    found = takeovers(postgres.new_log(), 2, lease=1.5, seconds=0.15)
    assert (found["takeovers"], found["lost"], found["differing"], found["problems"]) == (
        2,
        0,
        [],
        [],
    )
    assert found["acknowledged"] > 20
    assert set(found["codes"]) <= {-9, 70, LEASE_LOST}
    assert found["longest"] <= 1.5 + 10.0


def test_a_database_that_is_not_there_is_one_sentence():
    with pytest.raises(BadInput, match="--postgres cannot be reached") as found:
        PostgresStore("postgresql://app:secret@127.0.0.1:1/nothing")
    assert "secret" not in str(found.value)
