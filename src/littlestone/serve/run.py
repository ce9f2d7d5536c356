"""Start the service: the log, the writer, the routes, and uvicorn in front of them."""

from __future__ import annotations

import socket
from pathlib import Path

import uvicorn

from ..core.errors import BadInput
from .application import Application
from .folder_lock import FolderLock
from .keys import Keys
from .service import Limits, Service
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
    store = Store(folder, durable)
    reader = Store(folder, readonly=True)
    service = Service(store, limits)
    return Application(service, reader, Writer(service, longest, delay), loopback, lock)


def serve(
    folder: Path,
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    limits: Limits | None = None,
    delay: float = 0.0,
    durable: bool = True,
    demo: bool = False,
    webhook: str | None = None,
) -> None:
    """Answer requests until the process is told to end."""
    loopback = host in LOOPBACK
    found = application(folder, loopback=loopback, limits=limits, delay=delay, durable=durable)
    if not loopback and not Keys(found.reader).required():
        found.close()
        raise BadInput(
            f"--host {host} is open to other machines, and there is no key: make one with "
            f"`littlestone keys add NAME --data {folder}`, or stay on 127.0.0.1",
            field="host",
            value=host,
        )
    found.webhook = None if webhook is None else Webhook(webhook)
    sock = bound(host, port)
    print(
        f"littlestone: http://{host}:{sock.getsockname()[1]}/  data: {found.service.store.path}",
        flush=True,
    )
    if demo:
        from .demo import play_demo

        play_demo(f"http://{host}:{sock.getsockname()[1]}")
    config = uvicorn.Config(
        found.starlette(), log_level="warning", access_log=False, timeout_graceful_shutdown=5,
        server_header=False, h11_max_incomplete_event_size=1 << 16, limit_concurrency=2000,
    )  # fmt: skip
    uvicorn.Server(config).run([sock])


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
