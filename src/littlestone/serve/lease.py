"""Which process works on a log in PostgreSQL: the one that holds a row of it, for some seconds, and renews it.

A process that is killed or stopped renews nothing; when its lease is over, a standby takes it. Time is the server's.
Each commit names the number of the lease it was made under, so that a process that has lost it can write nothing.
"""

from __future__ import annotations

import os
import socket
import threading

from .postgres_store import (
    GIVE_LEASE_BACK,
    RENEW_LEASE,
    TAKE_LEASE,
    Held,
    PostgresStore,
)
from .service import exit_at_once

LEASE_LOST = 72  # exit code
LEASE = 10.0  # seconds
SIZE = "select pg_database_size(current_database())"


class Lease:
    """The lease of a log, once `take` has found it free; a thread renews it until `release`."""

    def __init__(self, url: str, seconds: float = LEASE, durable: bool = True) -> None:
        self.seconds = seconds
        self.store = PostgresStore(url, durable)
        self.own = PostgresStore(url)  # what renews it: the other one may be at work
        self.given_back = threading.Event()
        self.thread = threading.Thread(target=self.renew, name="lease", daemon=True)
        limit = f"{max(1, round(seconds * 1000))}ms"  # nothing of ours holds the row for longer
        for store in (self.store, self.own):
            store.do(f"set idle_in_transaction_session_timeout='{limit}'")

    def take(self) -> bool:
        """Take the lease where it is free; was it?"""
        token = self.own.number(TAKE_LEASE, (f"{socket.gethostname()}:{os.getpid()}", self.seconds))
        if token:
            self.store.held = Held(token, self.seconds)
            self.store.bytes_on_disk = self.own.number(SIZE)
            self.thread.start()
        return bool(token)

    def renew(self) -> None:
        """Renew the lease three times in its length; a process that cannot do so ends."""
        held = self.store.held
        assert held is not None
        try:
            while not self.given_back.wait(self.seconds / 3):
                if not self.own.number(RENEW_LEASE, (held.seconds, held.token)):
                    exit_at_once(LEASE_LOST, "another process has taken the lease")
                self.store.bytes_on_disk = self.own.number(SIZE)
        except Exception as problem:
            exit_at_once(LEASE_LOST, f"the lease could not be renewed: {problem!r}")

    def release(self) -> None:
        """Let a standby take over at once."""
        self.given_back.set()
        held = self.store.held
        if held is not None:
            self.thread.join()
            self.own.do(GIVE_LEASE_BACK, (held.token,))
        self.own.close()
