"""`serve` and `keys`: the durable learner service, and who may use it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..core.extras import import_extra
from .options import WHOLE, Command, option

if TYPE_CHECKING:
    from ..serve.store import Store

DATA = option(
    "--data", group="Files", metavar="DIR", default="littlestone-data", show_default=True,
    help="The folder of the log; it is made where it is not there.",
)  # fmt: skip
POSTGRES = option(
    "--postgres", group="Files", metavar="URL", envvar="LITTLESTONE_POSTGRES",
    help="Keep the log in this PostgreSQL database instead; also LITTLESTONE_POSTGRES.",
)  # fmt: skip


def check_extra(postgres: str | None = None) -> None:
    """Say how to install what the service needs."""
    for library in ("apsw", "starlette", "uvicorn", *(["psycopg"] if postgres else [])):
        import_extra("the service", library)


def log_of(data: str, postgres: str | None) -> Store:
    """The log that the options name."""
    check_extra(postgres)
    if postgres:
        from ..serve.postgres_store import PostgresStore

        return PostgresStore(postgres)
    from ..serve.sqlite_store import SQLiteStore

    return SQLiteStore(Path(data))


@click.command(
    "serve", cls=Command, short_help="Serve learners over HTTP; what is acknowledged is never lost."
)
@DATA
@POSTGRES
@option(
    "--lease", group="Files", type=click.FloatRange(0.2, 3600), metavar="SECONDS", default=10.0, show_default=True,
    help="With --postgres: how long after its end a standby takes over.",
)  # fmt: skip
@option(
    "--host",
    group="Where",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on.",
)
@option(
    "--port",
    group="Where",
    type=WHOLE,
    default=8080,
    show_default=True,
    help="The port; 0: any that is free.",
)
@option(
    "--webhook",
    group="Where",
    metavar="URL",
    help="Send what a guard or an alarm finds to this address.",
)
@option(
    "--demo",
    group="Try it",
    is_flag=True,
    help="Let a simulated application ask and tell three learners.",
)
def serve(
    data: str,
    postgres: str | None,
    lease: float,
    host: str,
    port: int,
    webhook: str | None,
    demo: bool,
) -> None:
    """Serve learners over HTTP: ask for a decision now, tell its outcome later.

    Each decision and outcome is in a log on the disk before it is answered, and a learner is what
    its log says: after kill -9 or a power cut the service goes on where it was. The page at the
    address that is printed shows how each learner does. Other machines are served once there is a
    key: `littlestone keys add`.

    \b
    littlestone serve
    littlestone serve --data /var/lib/littlestone --port 8080
    littlestone serve --postgres postgresql://app@db/learners
    """
    check_extra(postgres)
    from ..serve.run import serve as start

    start(Path(data), host, port, postgres=postgres, lease=lease, demo=demo, webhook=webhook)


@click.group("keys", short_help="Keys of the service: add, list, revoke.")
def keys() -> None:
    """Keys of `littlestone serve`. The log keeps the SHA-256 of each; a key is shown once."""


@keys.command("add", cls=Command)
@click.argument("name")
@DATA
@POSTGRES
@option(
    "--scopes", group="What it may do", default="decide,read", show_default=True,
    help="read, decide and admin, separated by commas; admin may do everything.",
)  # fmt: skip
def add(name: str, data: str, postgres: str | None, scopes: str) -> None:
    """Make a key with this NAME and print it."""
    log = log_of(data, postgres)
    from ..serve.keys import add_key

    click.echo(add_key(log, name, tuple(s.strip() for s in scopes.split(","))))


@keys.command("list", cls=Command)
@DATA
@POSTGRES
def list_(data: str, postgres: str | None) -> None:
    """List the keys: id, name, scopes, when they were made."""
    log = log_of(data, postgres)
    from ..serve.keys import Keys

    for key in Keys(log).all().values():
        made = datetime.fromtimestamp(key.created, UTC).strftime("%Y-%m-%d")
        state = "revoked" if key.revoked is not None else ",".join(sorted(key.scopes))
        click.echo(f"{key.id}  {key.name}  {state}  {made}")


@keys.command("revoke", cls=Command)
@click.argument("key_id", metavar="ID")
@DATA
@POSTGRES
def revoke(key_id: str, data: str, postgres: str | None) -> None:
    """Let the key with this ID open nothing any more; a running service notices."""
    log = log_of(data, postgres)
    from ..serve.keys import revoke_key

    revoke_key(log, key_id)
    click.echo(f"revoked: {key_id}")


@click.group("log", short_help="The log of the service: copy it (backup, restore), check it.")
def log() -> None:
    """Copies and checks of the log of `littlestone serve`: a folder, or postgresql://…"""


@log.command("copy", cls=Command)
@click.argument("source")
@click.argument("target")
def copy(source: str, target: str) -> None:
    """Copy the log SOURCE into TARGET, which must be empty; a service may be at work on SOURCE.

    Each is a folder or the URL of a PostgreSQL database. So this is a backup, its restoration, and
    the way from a file to a database and back.

    \b
    littlestone log copy shop backup-monday
    littlestone log copy backup-monday postgresql://app@db/learners
    """
    check_extra(next((w for w in (source, target) if w.startswith("postgres")), None))
    from ..serve.copy_log import copy_log, opened

    begin, end = opened(source, readonly=True), opened(target)
    try:
        copied = copy_log(begin, end)
    finally:
        begin.close()
        end.close()
    click.echo(f"copied: {copied.learners:,} learners, {copied.events:,} events")


@log.command("check", cls=Command)
@click.argument("place", metavar="LOG")
def check(place: str) -> None:
    """Play every learner of LOG from its first event, on this version; compare its snapshots.

    Nothing is written. The exit code is 1 where a learner is not as its log says. Before an
    upgrade: let the new version check a copy.
    """
    check_extra(place if place.startswith("postgres") else None)
    from ..serve.copy_log import check_log, opened

    store = opened(place, readonly=True)
    try:
        found = check_log(store)
    finally:
        store.close()
    for line in found.wrong:
        click.echo(line)
    click.echo(
        f"checked: {found.learners:,} learners, {found.events:,} events, {found.snapshots:,} snapshots of this "
        f"engine; {len(found.wrong) or 'nothing'} wrong"
    )
    if found.wrong:
        raise SystemExit(1)
