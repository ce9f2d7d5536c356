"""Start the service: the log, the writer, the routes, and uvicorn in front of them."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from ..core.errors import BadInput
from .application import Application
from .folder_lock import Claim, FolderLock
from .keys import Keys
from .service import Limits, Service
from .sqlite_store import SQLiteStore
from .store import Store
from .webhook import Webhook
from .writer import Writer

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def application(
    folder: Path,
    *,
    loopback: bool = True,
    limits: Limits | None = None,
    delay: float = 0.0,
    longest: int = 20_000,
    durable: bool = True,
) -> Application:
    """The service on the log in a folder, without a server in front of it."""
    lock = FolderLock(folder)
    store = SQLiteStore(folder, durable)
    return application_on(store, lock, loopback, limits, delay, longest)


def application_on(
    store: Store,
    claim: Claim,
    loopback: bool = True,
    limits: Limits | None = None,
    delay: float = 0.0,
    longest: int = 20_000,
    webhook: Webhook | None = None,
) -> Application:
    """The service on a log that is open, and that nobody else works on."""
    writer = Writer(Service(store, limits), longest, delay)
    return Application(writer.service, store.reader(), writer, loopback, claim, webhook)


def serve(
    folder: Path,
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    postgres: str | None = None,
    lease: float = 10.0,
    limits: Limits | None = None,
    delay: float = 0.0,
    durable: bool = True,
    demo: bool = False,
    webhook: str | None = None,
) -> None:
    """Answer requests until the process is told to end."""
    loopback = host in LOOPBACK
    hook = None if webhook is None else Webhook(webhook)
    app: ASGIApp
    if postgres is None:
        found = application(folder, loopback=loopback, limits=limits, delay=delay, durable=durable)
        found.webhook = hook
        refuse_without_keys(found.keys, host, f"--data {folder}", found.close)
        app, where = found.starlette(), found.service.store.where
    else:
        from .lease import Lease
        from .standby import Standby

        held = Lease(postgres, lease, durable)
        refuse_without_keys(Keys(held.store), host, "--postgres URL", held.release)
        make = partial(application_on, loopback=loopback, limits=limits, delay=delay, webhook=hook)
        app, where = Standby(held, make), held.store.where
    sock = bound(host, port)
    address = f"http://{host}:{sock.getsockname()[1]}/"
    print(f"littlestone: {address}  data: {where}", flush=True)
    if demo:
        from .demo import play_demo

        play_demo(address.rstrip("/"))
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=5, lifespan="on",
        server_header=False, limit_concurrency=2000,
        http="h11", h11_max_incomplete_event_size=1 << 16,  # httptools, where it is installed, has no such bound
    )  # fmt: skip
    uvicorn.Server(config).run([sock])


def refuse_without_keys(keys: Keys, host: str, log: str, close: Callable[[], None]) -> None:
    """Refuse to serve other machines as long as there is no key."""
    if host in LOOPBACK or keys.required():
        return
    close()
    raise BadInput(
        f"--host {host} is open to other machines, and there is no key: make one with "
        f"`littlestone keys add NAME {log}`, or stay on 127.0.0.1",
        field="host",
        value=host,
    )


def bound(host: str, port: int) -> socket.socket:
    """A socket on this address, or a refusal that says why there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(
        family, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # asyncio asks for the protocol: no Nagle
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(2048)
    except OSError as problem:
        sock.close()
        raise BadInput(
            f"--port {port} of {host} cannot be used: {problem.strerror}; take another one, or 0 for any",
            field="port",
            value=port,
        ) from None
    return sock
