"""Work that is done before its results are needed, by another thread: of use where compiled code holds no lock."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
Hand = TypeVar("Hand")
Job = TypeVar("Job")
NAME = "littlestone-read-ahead"
DEPTH = 3  # results that may wait
PATIENCE = 1.0  # seconds: a thread may wait for ever for a pipe that is not written to


def read_ahead(items: Generator[T, None, None], depth: int = DEPTH) -> Generator[T, None, None]:
    """The same items, made on another thread, at most `depth` of them before they are needed.

    An error is raised where the item would have come; a caller that stops early stops the thread, too.

    >>> list(read_ahead(n * n for n in range(4)))
    [0, 1, 4, 9]
    """
    done: queue.SimpleQueue[tuple[list[T], BaseException | None]] = queue.SimpleQueue()
    room = threading.Semaphore(depth)
    stopped = threading.Event()

    def work() -> None:
        failure: BaseException | None = None
        try:
            while room.acquire() and not stopped.is_set():
                done.put(([next(items)], None))
        except StopIteration:
            pass
        except BaseException as error:
            failure = error
        finally:
            items.close()
            done.put(([], failure))

    thread = threading.Thread(target=work, name=NAME, daemon=True)
    thread.start()
    try:
        yield from _take_done(done, room)
    finally:
        stopped.set()
        room.release()
        thread.join(PATIENCE)


def _take_done(done: Any, room: threading.Semaphore) -> Iterator[Any]:
    while True:
        item, failure = done.get()
        if failure is not None:
            raise failure
        if not item:
            return
        room.release()
        yield item.pop()  # so that only the caller holds on to it


class Done(NamedTuple):
    result: Any
    failure: Exception | None = None
    last: bool = False  # there is no more to do


def share_work(
    take: Callable[[Hand], Job | None],
    work: Callable[[Hand, Job], T],
    hands: tuple[Hand, Hand],
    depth: int = DEPTH,
) -> Generator[T, None, None]:
    """work(hand, take(hand)) until nothing is left to take, in its order: by a thread that goes ahead, and by
    the reader of the results, instead of waiting for them.

    So two threads are busy whether the work or the use of its results takes longer. Only one takes at a time; each
    works with a hand of its own. An error is raised where the result would have come.

    >>> numbers = iter(range(6))
    >>> list(
    ...     share_work(lambda hand: next(numbers, None), lambda hand, n: n * n, ("theirs", "mine"))
    ... )
    [0, 1, 4, 9, 16, 25]
    """
    work_ = _Shared(take, work, depth)
    theirs, mine = hands
    thread = threading.Thread(target=work_.go_ahead, args=(theirs,), name=NAME, daemon=True)
    thread.start()
    number = 0
    try:
        while True:
            while work_.idle(number):
                work_.one(mine)
            done = work_.get(number)
            if done.failure is not None:
                raise done.failure
            if done.last:
                return
            number += 1
            result = done.result
            del done
            yield result
            del result  # so that only the caller holds on to it
    finally:
        work_.stop()
        thread.join(PATIENCE)


class _Shared:
    """Numbered results, and locks that decide which thread makes the next one."""

    def __init__(self, take: Any, work: Any, depth: int) -> None:
        self.take, self.work, self.depth = take, work, depth
        self.taking, self.change = threading.Lock(), threading.Condition()
        self.done: dict[int, Done] = {}
        self.taken, self.over = 0, False

    def one(self, hand: Any) -> None:
        """Take the next job, do it, and store its result under its number."""
        with self.taking:
            if self.over:
                return
            number, self.taken = self.taken, self.taken + 1
            try:
                job, failure = self.take(hand), None
            except Exception as error:
                job, failure = None, error
            self.over = job is None
        done = Done(None, failure, last=True)
        if job is not None:
            try:
                done = Done(self.work(hand, job))
            except Exception as error:
                done = Done(None, error)
        with self.change:
            self.done[number] = done
            self.change.notify_all()

    def go_ahead(self, hand: Any) -> None:
        while not self.over:
            with self.change:
                self.change.wait_for(lambda: self.over or len(self.done) < self.depth)
            self.one(hand)

    def idle(self, number: int) -> bool:
        """Is this result not ready, and is there another job to do meanwhile?"""
        with self.change:
            return number not in self.done and not self.over and len(self.done) < self.depth

    def get(self, number: int) -> Done:
        with self.change:
            self.change.wait_for(lambda: number in self.done)
            found = self.done.pop(number)
            self.change.notify_all()
        return found

    def stop(self) -> None:
        with self.change:
            self.over = True
            self.change.notify_all()
