"""The service in this process, without a socket: requests go to its ASGI application."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from littlestone.serve.application import Application
from littlestone.serve.run import application


class Inside:
    """A service on a folder; calling it sends a request."""

    def __init__(self, folder: Path, **known: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.folder, self.known = folder, known
        self.app: Application
        self.run(self.begin())

    def run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    async def begin(self) -> None:
        self.app = application(self.folder, durable=False, **self.known)
        self.asgi = self.app.starlette()
        self.context = self.app.lifespan(self.asgi)
        await self.context.__aenter__()

    def restart(self) -> None:
        """Forget what is in memory, and begin again from the log."""
        self.run(self.context.__aexit__(None, None, None))
        self.run(self.begin())

    def crash(self) -> None:
        """The same without the snapshots that are written at an end."""
        self.app.service.snapshot_all = lambda: None  # type: ignore[method-assign]
        self.restart()

    def close(self) -> None:
        self.run(self.context.__aexit__(None, None, None))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()

    def __enter__(self) -> Inside:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        status, _, raw = self.answer(method, path, body, **headers)
        try:
            return status, json.loads(raw)
        except ValueError:
            return status, raw

    def answer(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """The status, the headers and the body of an answer."""
        raw = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        return self.run(self.send(method, path, raw, headers))

    async def send(
        self, method: str, path: str, raw: bytes, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        given = {"host": "localhost", "content-type": "application/json", **headers}
        plain, _, query = path.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": unquote(plain), "raw_path": plain.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items()],
            "client": ("127.0.0.1", 1), "server": ("localhost", 80),
        }  # fmt: skip
        asked = [{"type": "http.request", "body": raw, "more_body": False}]
        told: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return asked.pop() if asked else await asyncio.Event().wait() and {}

        async def send(message: dict[str, Any]) -> None:
            told.append(message)

        await self.asgi(scope, receive, send)
        found = {k.decode(): v.decode() for k, v in told[0]["headers"]}
        return told[0]["status"], found, b"".join(m.get("body", b"") for m in told[1:])


def digests(service: Inside, name: str) -> None:
    """What is in memory is what all events say, and what the newest snapshot and the rest say, bit for bit."""
    memory = service.app.service.entry(name)
    row = service.app.service.store.learner(name)
    for snapshots in (False, True):
        other = service.app.service.load(row, snapshots=snapshots)
        assert other.learner.digest(tickets=True) == memory.learner.digest(tickets=True)
        assert (other.totals, other.seq) == (memory.totals, memory.seq)
        live, now = other.learner.live, memory.learner.live
        assert (live.alarm is None) == (now.alarm is None)
        assert live.alarm is None or live.alarm.body() == now.alarm.body()
