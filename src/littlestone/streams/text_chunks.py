"""Whole lines of text, about a megabyte at a time in one buffer; and work done ahead on another thread."""

from __future__ import annotations

import contextlib
import queue
import stat
import threading
from collections.abc import Generator, Iterator
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadFile

from .source import Source

BLOCK = (
    1 << 20
)  # bytes of text: its rows fit into the second cache, and what a batch costs in Python does not count
PAD = 64  # bytes to spare before and after the text, so that a parser may load words past its ends
LONGEST = 1 << 28  # bytes: a longer line is no line
MARK = b"\xef\xbb\xbf"  # of UTF-8, as Windows writes it

T = TypeVar("T")


class Chunk(NamedTuple):
    """Whole lines, each with its end. The buffer is used again for the next chunk."""

    buffer: NDArray[np.uint8]
    size: int  # bytes of text, from `PAD` on
    cut: bool = False  # the file ended without the end of this (last) line

    @property
    def text(self) -> memoryview:
        return self.buffer[PAD : PAD + self.size].data

    @property
    def address(self) -> int:
        return int(self.buffer.ctypes.data) + PAD


def chunks(source: Source, block: int | None = None) -> Generator[Chunk, None, None]:
    """All lines of a source, in memory that does not grow with it (but with its longest line).

    read into the buffer behind what is left over;  give away what ends with a line's end
    move the rest to the front
    """
    block = block or BLOCK
    buffer = np.zeros(PAD + block + PAD, np.uint8)
    left, first = 0, True
    with contextlib.ExitStack() as closing:
        closing.callback(source.close)
        stream = closing.enter_context(_plain(source) or source.stream())
        while True:
            with source.reading():
                got: int = stream.readinto(buffer[PAD + left : PAD + block].data) or 0  # type: ignore[attr-defined]
            size = left + got
            if first and size >= len(MARK):
                first = False
                if bytes(buffer[PAD : PAD + 3]) == MARK:
                    size -= 3
                    buffer[PAD : PAD + size] = buffer[PAD + 3 : PAD + 3 + size].copy()
            if not got:
                break
            text = buffer[PAD : PAD + size].data
            end = after_last_line(text, left)
            if end:
                yield Chunk(buffer, end)
                buffer[PAD : PAD + size - end] = buffer[PAD + end : PAD + size]
            elif size == block:  # a line that is longer than the buffer
                if block >= LONGEST:
                    raise BadFile(
                        f"{source.name}: a line of more than {LONGEST >> 20} MB; this is no text file of examples"
                    )
                block *= 2
                larger = np.zeros(PAD + block + PAD, np.uint8)
                larger[PAD : PAD + size] = buffer[PAD : PAD + size]
                buffer = larger
            left = size - end
        if size:
            buffer[PAD + size] = ord("\n")
            yield Chunk(buffer, size + 1, cut=True)


def after_last_line(text: memoryview, searched: int = 0) -> int:
    """Where the last whole line ends; 0 where there is none. The first `searched` bytes hold no line's end."""
    end, window = len(text), 1 << 12
    while end > searched:
        begin = max(searched, end - window)
        found = bytes(text[begin:end]).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end, window = begin, 2 * window
    return 0


def line_from(text: memoryview, begin: int) -> bytes:
    """The line that begins at a byte, without its end."""
    window = 1 << 12
    while True:
        piece = bytes(text[begin : begin + window])
        found = piece.find(b"\n")
        if found >= 0:
            return piece[:found]
        window *= 2


def _plain(source: Source) -> IO[bytes] | None:
    """A file on disk that is not compressed is read straight into the buffer, without a copy on the way."""
    if source.path is None or not stat.S_ISREG(source.path.stat().st_mode):
        return None
    raw: Any = source.path.open("rb", buffering=0)
    if raw.read(len(source.magic)) == source.magic:  # what Source would read, too
        raw.seek(0)
        return raw  # type: ignore[no-any-return]
    raw.close()
    return None


def ahead(items: Generator[T, None, None], depth: int = 3) -> Generator[T, None, None]:
    """The same items, made on another thread, at most `depth` of them before they are wanted.

    Compiled code that holds no lock then runs at the same time as whoever uses the items. An error comes out where
    the item would have; who stops early stops the thread, too.

    >>> list(ahead(n * n for n in range(4)))
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

    thread = threading.Thread(target=work, name="littlestone-read-ahead", daemon=True)
    thread.start()
    try:
        yield from _taken(done, room)
    finally:
        stopped.set()
        room.release()
        thread.join(timeout=1.0)  # not for ever: it may wait for a pipe that nobody writes to


def _taken(done: Any, room: threading.Semaphore) -> Iterator[Any]:
    while True:
        item, failure = done.get()
        if failure is not None:
            raise failure
        if not item:
            return
        room.release()
        yield item.pop()  # so that nobody holds on to it but who asked for it
