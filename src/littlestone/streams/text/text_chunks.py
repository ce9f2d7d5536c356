"""Whole lines of text, about a megabyte at a time, in buffers that are used again."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Generator
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadFile

from ..source import Source

BLOCK = (
    1 << 20
)  # bytes of text: its rows fit into the second cache, and what a batch costs in Python does not count
PAD = 64  # bytes to spare before and after the text, so that a parser may load words past its ends
LONGEST = 1 << 28  # bytes: a longer line is no line
MARK = b"\xef\xbb\xbf"  # of UTF-8, as Windows writes it


class Chunk(NamedTuple):
    """Whole lines, each with its end. The buffer is used again for another chunk."""

    buffer: NDArray[np.uint8]
    size: int  # bytes of text, from `PAD` on
    cut: bool = False  # the file ended without the end of this (last) line

    @property
    def text(self) -> memoryview:
        return self.buffer[PAD : PAD + self.size].data

    @property
    def address(self) -> int:
        return int(self.buffer.ctypes.data) + PAD


class Lines:
    """All lines of a source, in memory that does not grow with it (but with its longest line).

    put what was left over into the buffer, and read on behind it;  give away what ends with a line's end
    """

    def __init__(self, source: Source, block: int | None = None) -> None:
        self.source, self.block = source, block or BLOCK
        self.left = np.zeros(0, np.uint8)  # of a line whose end was not read yet
        self.closing = contextlib.ExitStack()
        self.stream: Any = None
        self.over = False

    def take(self, buffer: NDArray[np.uint8] | None = None) -> Chunk | None:
        """The next lines, in this buffer or (None, or too small a one) in another; None at the end."""
        if self.over:
            return None
        marked = self.stream is None and self._open()
        buffer, size = self._room(buffer, self.left), len(self.left)
        while True:
            before = size
            with self.source.reading():
                size += self.stream.readinto(buffer[PAD + size : PAD + self.block].data) or 0
            if size == before:
                break
            if marked and size >= len(MARK):
                marked, size = False, size - len(MARK)
                begin = PAD + len(MARK)
                buffer[PAD : PAD + size] = buffer[begin : begin + size].copy()
            text = buffer[PAD : PAD + size]
            if end := after_last_line(text.data, min(before, size)):
                self.left = text[end:].copy()
                return Chunk(buffer, end)
            if size == self.block:  # a line that is longer than the buffer
                if self.block >= LONGEST:
                    raise BadFile(
                        f"{self.source.name}: a line of more than {LONGEST >> 20} MB; "
                        "this is no text file of examples"
                    )
                self.block *= 2
                buffer = self._room(None, text)
        self.over = True
        if not size:
            return None
        buffer[PAD + size] = ord("\n")
        return Chunk(buffer, size + 1, cut=True)

    def close(self) -> None:
        self.over = True
        self.closing.close()

    def _open(self) -> bool:
        """Begin to read; return whether the text begins with the mark of UTF-8."""
        self.closing.callback(self.source.close)
        self.stream = self.closing.enter_context(_plain(self.source) or self.source.stream())
        return self.source.magic.startswith(MARK)

    def _room(self, buffer: NDArray[np.uint8] | None, text: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if buffer is None or len(buffer) < PAD + self.block + PAD:
            buffer = np.zeros(PAD + self.block + PAD, np.uint8)
        buffer[PAD : PAD + len(text)] = text
        return buffer


def chunks(source: Source, block: int | None = None) -> Generator[Chunk, None, None]:
    """All lines of a source, in one buffer."""
    lines = Lines(source, block)
    try:
        chunk = lines.take()
        while chunk is not None:
            yield chunk
            chunk = lines.take(chunk.buffer)
    finally:
        lines.close()


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
    if source.packed or source.recoded:
        return None
    raw = source.path.open("rb", buffering=0)
    if raw.read(len(source.magic)) == source.magic:  # what Source would read, too
        raw.seek(0)
        return raw
    raw.close()
    return None
