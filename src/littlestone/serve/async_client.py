"""`connect_async(url)`: the client in a coroutine; requests run in threads, each with a connection of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self, TypeVar

from .client import Client, RemoteLearner, connect

T = TypeVar("T")


class AsyncClient:
    """Connections to a service; at most so many requests are on their way at once.

    A request that fails on the way is sent again with the same id, as `Client` does; one whose coroutine is cancelled
    may still be done.
    """

    def __init__(self, url: str, key: str = "", connections: int = 16) -> None:
        connect(url, key).close()  # an address that is none is refused at once
        self.url, self.key = url, key
        self.threads = ThreadPoolExecutor(connections, "littlestone")
        self.own = threading.local()
        self.made: list[Client] = []

    def client(self) -> Client:
        """The client of this thread."""
        if "client" not in vars(self.own):
            self.own.client = connect(self.url, self.key)
            self.made.append(self.own.client)
        found: Client = self.own.client
        return found

    async def run(self, call: Callable[[Client], T]) -> T:
        """Call a function with a client, in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, lambda: call(self.client()))

    async def learner(self, name: str, learner: str | None = None, /, **spec: Any) -> AsyncLearner:
        """The learner of this name; with a spec it is made where it is not there yet."""
        await self.run(lambda c: c.learner(name, learner, **spec))
        return AsyncLearner(self, name)

    async def learners(self) -> list[str]:
        """The names of all learners."""
        return await self.run(lambda c: c.learners())

    async def close(self) -> None:
        """Close the connections."""
        await asyncio.to_thread(self.threads.shutdown)
        for client in self.made:
            client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncLearner:
    """A learner in a service: the verbs of `RemoteLearner`, each to be awaited."""

    def __init__(self, client: AsyncClient, name: str) -> None:
        self.client, self.name = client, name

    async def run(self, call: Callable[[RemoteLearner], T]) -> T:
        """Call a verb in a thread."""
        return await self.client.run(lambda c: call(RemoteLearner(c, self.name)))

    async def ask(self, x: Any = None, *, id: str | None = None, **more: Any) -> dict[str, Any]:
        """A decision, with its `id`."""
        return await self.run(lambda one: one.ask(x, id=id, **more))

    async def tell(self, decision: str | dict[str, Any], y: Any = None, **outcome: Any) -> None:
        """The outcome of a decision."""
        await self.run(lambda one: one.tell(decision, y, **outcome))

    async def activate(self, decision: str | dict[str, Any]) -> None:
        """A decision that was deferred has been shown."""
        await self.run(lambda one: one.activate(decision))

    async def batch(self, operations: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Many operations in one commit."""
        return await self.run(lambda one: one.batch(operations))

    async def certificate(self, at: int | None = None) -> dict[str, Any]:
        """What can be claimed of it now, or could be after event `at`."""
        return await self.run(lambda one: one.certificate(at))

    async def describe(self) -> dict[str, Any]:
        """Rounds, open decisions, the mean."""
        return await self.run(lambda one: one.describe())

    async def log(self, path: str | Path, after: int = 0) -> Path:
        """Write the decisions whose outcome is known to a Parquet file."""
        return await self.run(lambda one: one.log(path, after))

    async def remove(self, ids: list[str] | None = None, prefix: str | None = None) -> int:
        """Remove the decisions of one person; how many."""
        return await self.run(lambda one: one.remove(ids, prefix))

    async def resume(self) -> None:
        """Let it decide again after a guard has sent it back to its baseline."""
        await self.run(lambda one: one.resume())

    async def fork(self, name: str, seq: int | None = None) -> AsyncLearner:
        """A new learner that begins as this one was after event `seq`."""
        await self.run(lambda one: one.fork(name, seq))
        return AsyncLearner(self.client, name)


def connect_async(url: str, key: str = "", connections: int = 16) -> AsyncClient:
    """A client of the service at this address, for coroutines: `async with connect_async(url) as client: …`.

    >>> connect_async("ftp://somewhere")
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: url must be like http://127.0.0.1:8080, not 'ftp://somewhere'
    """
    return AsyncClient(url, key, connections)
