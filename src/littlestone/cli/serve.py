"""`serve` and `keys`: the durable learner service, and who may use it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from ..core.extras import needed
from .options import WHOLE, Command, option

DATA = option(
    "--data", group="Files", metavar="DIR", default="littlestone-data", show_default=True,
    help="The folder of the log; it is made where it is not there.",
)  # fmt: skip


def check_extra() -> None:
    """Say how to install what the service needs."""
    for library in ("apsw", "starlette", "uvicorn"):
        needed("the service", library)


@click.command(
    "serve", cls=Command, short_help="Serve learners over HTTP; what is acknowledged is never lost."
)
@DATA
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
def serve(data: str, host: str, port: int, webhook: str | None, demo: bool) -> None:
    """Serve learners over HTTP: ask for a decision now, tell its outcome later.

    Each decision and outcome is in a log on the disk before it is answered, and a learner is what
    its log says: after kill -9 or a power cut the service goes on where it was. The page at the
    address that is printed shows how each learner does. Other machines are served once there is a
    key: `littlestone keys add`.

    \b
    littlestone serve
    littlestone serve --data /var/lib/littlestone --port 8080
    """
    check_extra()
    from ..serve.run import serve as start

    start(Path(data), host, port, demo=demo, webhook=webhook)


@click.group("keys", short_help="Keys of the service: add, list, revoke.")
def keys() -> None:
    """Keys of `littlestone serve`. The log keeps the SHA-256 of each; a key is shown once."""


@keys.command("add", cls=Command)
@click.argument("name")
@DATA
@option(
    "--scopes", group="What it may do", default="decide,read", show_default=True,
    help="read, decide and admin, separated by commas; admin may do everything.",
)  # fmt: skip
def add(name: str, data: str, scopes: str) -> None:
    """Make a key with this NAME and print it."""
    check_extra()
    from ..serve.keys import add_key
    from ..serve.store import Store

    click.echo(add_key(Store(Path(data)), name, tuple(s.strip() for s in scopes.split(","))))


@keys.command("list", cls=Command)
@DATA
def list_(data: str) -> None:
    """List the keys: id, name, scopes, when they were made."""
    check_extra()
    from ..serve.keys import Keys
    from ..serve.store import Store

    for key in Keys(Store(Path(data))).all().values():
        made = datetime.fromtimestamp(key.created, UTC).strftime("%Y-%m-%d")
        state = "revoked" if key.revoked is not None else ",".join(sorted(key.scopes))
        click.echo(f"{key.id}  {key.name}  {state}  {made}")


@keys.command("revoke", cls=Command)
@click.argument("key_id", metavar="ID")
@DATA
def revoke(key_id: str, data: str) -> None:
    """Let the key with this ID open nothing any more; a running service notices."""
    check_extra()
    from ..serve.keys import revoke_key
    from ..serve.store import Store

    revoke_key(Store(Path(data)), key_id)
    click.echo(f"revoked: {key_id}")
