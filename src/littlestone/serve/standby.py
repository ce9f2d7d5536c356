"""A process beside others on one log in PostgreSQL: it waits for the lease, then serves; until then it answers 503."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable
from contextlib import AsyncExitStack

from starlette.types import ASGIApp, Receive, Scope, Send

from ..core.errors import LittlestoneError
from .application import Application, answer, problem_response
from .lease import LEASE_LOST, Lease
from .problems import Problem
from .service import Service, exit_at_once
from .store import Store

LOADED_FIRST = 50  # learners that a standby loads while it waits


class Standby:
    """The service, once the lease is free."""

    def __init__(self, lease: Lease, make: Callable[[Store, Lease], Application]) -> None:
        self.lease, self.make = lease, make
        self.app: ASGIApp | None = None
        self.stack = AsyncExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.live(receive, send)
        elif self.app is not None:
            await self.app(scope, receive, send)
        elif scope["path"] == "/healthz":
            await answer((200, {"status": "standby"}))(scope, receive, send)
        else:
            problem = Problem(503, "standby", "another process holds the lease of this log")
            await problem_response(problem)(scope, receive, send)

    async def live(self, receive: Receive, send: Send) -> None:
        """Wait for the lease beside the server, from its start to its end."""
        await receive()
        waiting = asyncio.create_task(self.work())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await self.stack.aclose()
        if self.app is None:
            self.lease.release()
        await send({"type": "lifespan.shutdown.complete"})

    async def work(self) -> None:
        """Take the lease as soon as it is free, and serve from then on."""
        try:
            if not await asyncio.to_thread(self.lease.take):
                await asyncio.to_thread(load_some, self.lease.store)
                while not await asyncio.to_thread(self.lease.take):
                    await asyncio.sleep(min(0.25, self.lease.seconds / 10))
            found = self.make(self.lease.store, self.lease)
            app = found.starlette()
            await self.stack.enter_async_context(found.lifespan(app))
            self.app = app
            print("littlestone: holds the lease, and serves", file=sys.stderr, flush=True)
        except Exception as problem:
            traceback.print_exc(file=sys.stderr)
            exit_at_once(LEASE_LOST, f"the log could not be taken over: {problem}")


def load_some(store: Store) -> None:
    """Load learners of the log once, so that their code is there when the lease is."""
    service = Service(store)
    for row in store.learners(limit=LOADED_FIRST):
        try:
            service.load(row)
        except LittlestoneError as problem:
            print(f"{row.name}: {problem}", file=sys.stderr)
