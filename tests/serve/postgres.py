"""A PostgreSQL server of the tests' own, in a temporary folder, run by a user without privileges."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg


def binaries() -> Path | None:
    """The folder of initdb and postgres; None where they are not installed."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "postgres").exists()), None)


def unprivileged() -> str | None:
    """Whom to run it as: PostgreSQL refuses root."""
    if os.geteuid():
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in known)


class PostgresServer:
    """A server on a free port of this machine, until `stop`."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="littlestone-postgres-"))
        self.user, self.schemas = unprivileged(), 0
        if self.user is not None:
            shutil.chown(self.folder, self.user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        data = str(self.folder / "data")
        more = [
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
            "-D",
            data,
        ]
        subprocess.run(
            [programs / "initdb", *more], user=self.user, check=True, stdout=subprocess.DEVNULL,
            cwd=self.folder,
        )  # fmt: skip
        settings = ["listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.folder}",
                    "shared_buffers=16MB", "max_connections=60", "autovacuum=off"]  # fmt: skip
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [programs / "postgres", "-D", data, *(part for s in settings for part in ("-c", s))],
                user=self.user, cwd=self.folder, stderr=log, stdout=log,
            )  # fmt: skip
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self.wait()

    def wait(self) -> None:
        """Wait until it answers."""
        for _ in range(600):
            try:
                psycopg.connect(self.url, connect_timeout=1).close()
            except psycopg.OperationalError:
                assert self.process.poll() is None, (self.folder / "log").read_text(
                    encoding="utf-8"
                )
                time.sleep(0.05)
            else:
                return
        raise AssertionError((self.folder / "log").read_text(encoding="utf-8"))

    def new_log(self) -> str:
        """The address of a log of its own."""
        self.schemas += 1
        name = f"log{self.schemas}"
        with psycopg.connect(self.url, autocommit=True) as db:
            db.execute(f"create schema {name}".encode())
        return f"{self.url}?options=-csearch_path%3D{name}"

    def stop(self) -> None:
        """End it, and remove what it has written."""
        self.process.send_signal(signal.SIGQUIT)  # at once: nobody needs it again
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)
