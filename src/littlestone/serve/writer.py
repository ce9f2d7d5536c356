"""One writer: it takes the requests that wait, applies them, commits them at once, and then answers them.

A request is answered only when what it changed is on the disk. A commit that fails ends the process, and so does a
writer that dies: nothing is tried twice, and the log says what was acknowledged.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from .problems import Problem
from .service import Answer, Entry, Service, exit_at_once
from .store import Event

AT_ONCE = 512  # requests of one commit
LATELY, QUICK = 20, 0.02  # commits, and seconds that each took at most
LATELY, QUICK = 20, 0.02  # commits, seconds
COMMIT_FAILED, WRITER_DIED = 70, 71  # exit codes
Operation = Callable[[Service], Answer]
Request = tuple[Operation, str, "asyncio.Future[Answer]"]


class Writer:
    """The queue of requests, and the task that works it off."""

    def __init__(
        self,
        service: Service,
        longest: int = 20_000,
        delay: float = 0.0,
    ) -> None:
        self.service, self.longest = service, longest
        self.delay = delay  # seconds before each commit: tests make it slow with this
        self.queue: deque[Request] = deque()
        self.wake = asyncio.Event()
        self.thread = ThreadPoolExecutor(1, "commit")
        self.requests = self.batches = 0
        self.times: deque[float] = deque(maxlen=1000)  # seconds of the last commits
        self.published: Callable[[list[Entry], list[Event]], None] | None = None
        self.task: asyncio.Task[None] | None = None
        self.ending = False
        self.alone = False  # the last batch was one request, and none waited

    def start(self) -> None:
        """Begin to work."""
        self.task = asyncio.get_running_loop().create_task(self.run())
        self.task.add_done_callback(self.ended)

    def ended(self, task: asyncio.Task[None]) -> None:
        """A writer ends only when it is asked to."""
        if not self.ending:
            why = "it was cancelled" if task.cancelled() else repr(task.exception())
            exit_at_once(WRITER_DIED, f"the writer has died: {why}")

    async def stop(self) -> None:
        """Answer what waits, write a snapshot of every learner, and end."""
        self.ending = True
        self.wake.set()
        if self.task is not None:
            await self.task
        self.service.snapshot_all()
        await self.commit()
        self.thread.shutdown()

    async def do(self, operation: Operation, name: str) -> Answer:
        """Put an operation on the learner of this name into the queue; its answer, once it is committed."""
        if len(self.queue) >= self.longest or self.ending:
            raise Problem(503, "busy", f"{len(self.queue):,} requests are waiting")
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.queue.append((operation, name, future))
        self.wake.set()
        return await future

    async def run(self) -> None:
        """Work off the queue until `stop`."""
        while self.queue or not self.ending:
            await self.wake.wait()
            self.wake.clear()
            while self.queue:
                await self.work()

    async def work(self) -> None:
        """One batch: apply, commit, answer."""
        taken = [self.queue.popleft() for _ in range(min(AT_ONCE, len(self.queue)))]
        answered: list[tuple[asyncio.Future[Answer], Answer]] = []
        again: list[Request] = []
        for request in taken:
            operation, name, future = request
            answer = self.service.apply(operation, name)
            if answer is None:
                again.append(request)
            else:
                answered.append((future, answer))
        alone = len(taken) == 1 and not self.queue
        dirty, events = await self.commit(here=alone and self.alone)
        self.alone = alone
        self.service.after_commit()
        self.queue.extendleft(reversed(again))
        self.requests += len(answered)
        if self.published is not None and dirty:
            self.published(dirty, events)
        for future, answer in answered:
            if not future.done():  # the client went away
                future.set_result(answer)
        await asyncio.sleep(0)

    async def commit(self, here: bool = False) -> tuple[list[Entry], list[Event]]:
        """Commit what the service has changed; the learners and events that it is about.

        A thread does it, while the loop reads what comes next; `here`, on the loop: nobody else has asked lately, and
        a commit is quick.
        """
        batch, dirty = self.service.take_batch()
        if batch:
            began = time.perf_counter()
            if self.delay:
                await asyncio.sleep(self.delay)
            try:
                if here and self.quick():
                    self.service.store.commit(batch)
                else:
                    loop = asyncio.get_running_loop()
                    await loop.run_in_executor(self.thread, self.service.store.commit, batch)
            except BaseException as problem:
                exit_at_once(COMMIT_FAILED, f"the commit failed: {problem!r}")
            self.times.append(time.perf_counter() - began)
            self.batches += 1
        return dirty, batch.events

    def quick(self) -> bool:
        """Was no commit of late so slow that others would notice it?"""
        return len(self.times) >= LATELY and max(islice(reversed(self.times), LATELY)) < QUICK
