"""Lines of text -> a Stream of sparse examples: the compiled loop for ordinary lines, the plain rule for the rest."""

from __future__ import annotations

import contextlib
import os
import stat
import weakref
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from littlestone.core.engine import has_numba
from littlestone.core.errors import BadFile, BadInput
from littlestone.core.stream import Batch, Stream

from .source import Source
from .text_chunks import MARK, Chunk, ahead, chunks, line_from
from .text_lines import BadLine, Row, shown
from .text_parts import BadRow, Part, together

# Bytes: what is no longer is kept in memory, so that every comparator can be had.
WHOLE = 16 << 20
SHOWN = 80  # characters of a malformed line
NAMED = 5  # malformed lines that are kept in the books


class Format(Protocol):
    """How lines are read; `svmlight.Svmlight` and `vw_text.VwText`."""

    special: bytes  # a separator besides spaces, colons and ends of lines
    letters: bool  # are the letters of namespaces wanted?
    tags: bool

    def line(self, text: bytes) -> Row | None:
        """One line without its end, by the plain rule; None where there is nothing in it. Raises BadLine."""

    def rows(
        self, t: int, places: Any, n: int, control: bool, now: NDArray[np.int64], room: Part
    ) -> bool:
        """Lines by the compiled loop, from now[SEP] on; False: the line there wants the plain rule."""

    def finish(self, part: Part) -> Iterator[Part]:
        """What is left to do when the rows of a part have been read. Raises BadRow."""


@dataclass
class TextStream(Stream):
    """A stream that keeps books of its lines: when all are read, lines = rows + blank + skipped."""

    lines: int = 0
    rows: int = 0
    blank: int = 0  # lines with nothing in them, or only a comment
    skipped: int = 0  # malformed lines
    bad: tuple[str, ...] = ()  # the first few of them, and what is wrong with each
    tags: list[str] | None = None  # of the rows of the batch that was handed out last


class Reader:
    """The rows of one source, in one format."""

    def __init__(self, source: Source, form: Format, on_bad_line: str) -> None:
        self.source, self.form, self.skip = source, form, on_bad_line == "skip"
        self.lines = self.rows = self.blank = self.skipped = self.based = self.unlabelled = 0
        self.bad: list[tuple[int, str]] = []
        self.cut = 0  # the number of a malformed last line that has no end
        self.places = np.empty(0, np.int32)

    def parts(self) -> Generator[Part, None, None]:
        """All rows, about a megabyte of text at a time."""
        for chunk in chunks(self.source):
            part = self.compiled(chunk) if has_numba() else self.plain(chunk)
            if not len(part.y):
                continue
            self.unlabelled += int(np.isnan(part.y).sum())
            first, self.rows = self.rows, self.rows + len(part.y)
            try:
                yield from self.form.finish(part)
            except BadRow as error:
                row, what = error.args
                raise BadFile(f"{self.source.name}, row {first + row + 1}: {what}") from None
        if self.lines != self.rows + self.blank + self.skipped:
            raise RuntimeError(f"{self.source.name}: a line was lost; please report it")

    def plain(self, chunk: Chunk) -> Part:
        found: list[Row] = []
        text = bytes(chunk.text)
        begin = 0
        while begin < len(text):
            end = text.index(b"\n", begin)
            row = self.read(text[begin:end], chunk.cut and end == len(text) - 1)
            if row is not None:
                found.append(row)
            begin = end + 1
        size = sum(len(row.index) for row in found)
        part = Part.empty(len(found), size, letters=self.form.letters, tags=False)
        k = 0
        for r, row in enumerate(found):
            k = part.put(r, k, row)
        if self.form.tags:
            part.tags = [str(row.tag, "utf-8", "replace") for row in found]
        part.unsorted = True
        return part

    def compiled(self, chunk: Chunk) -> Part:
        from . import compiled_text as c
        from .compiled_bytes import separators

        if len(self.places) < len(chunk.buffer):
            self.places = np.empty(len(chunk.buffer), np.int32)
        places, text, form = self.places, chunk.text, self.form
        n, lines, white, control = separators(chunk.address, chunk.size, ord(form.special), places)
        # No more entries than these: a feature follows a space, or begins a line.
        part = Part.empty(lines, white + lines, letters=form.letters, tags=form.tags)
        now = np.zeros(c.NOW, np.int64)
        now[c.TOP] = -1
        told: dict[int, bytes] = {}  # tags read by the plain rule
        before = self.lines - self.blank - self.skipped
        while not form.rows(chunk.address, places, n, control > 0, now, part):
            s, r, k = int(now[c.SEP]), int(now[c.ROW]), int(now[c.ENTRY])
            begin = int(places[s - 1]) + 1 if s else 0
            line = line_from(text, begin)
            end = begin + len(line)
            self.lines = before + self.blank + self.skipped + r + int(now[c.BLANK])
            row = self.read(line, chunk.cut and end == chunk.size - 1)
            if row is not None:
                now[c.ENTRY] = part.put(r, k, row)
                now[c.ROW] = r + 1
                now[c.UNSORTED] += 1
                told[r] = row.tag
            now[c.SEP] = np.searchsorted(places[:n], np.int32(end), side="right")
        self.blank += int(now[c.BLANK])
        self.based += int(now[c.BASED])
        self.lines = before + self.blank + self.skipped + int(now[c.ROW])
        part.cut(int(now[c.ROW]), int(now[c.ENTRY]))
        part.width = max(part.width, 1 + int(now[c.TOP]))
        part.unsorted = bool(now[c.UNSORTED])
        if form.tags:
            part.tags = [str(text[a:b], "utf-8", "replace") for a, b in part.spans.tolist()]
            for r, tag in told.items():
                part.tags[r] = str(tag, "utf-8", "replace")
        return part

    def read(self, text: bytes, cut: bool) -> Row | None:
        """One line by the plain rule; what is wrong with it is told, or counted."""
        self.lines += 1
        try:
            row = self.form.line(text)
        except BadLine as error:
            where = f"line {self.lines:d}: {error}: {shown(text, SHOWN)}"
            if not self.skip:
                name = self.source.name
                message = f"{name} is cut off in the middle of " if cut else f"{name}, "
                raise BadFile(message + where) from None
            self.skipped += 1
            self.cut = self.lines if cut else 0
            if len(self.bad) < NAMED:
                self.bad.append((self.lines, where))
            return None
        if row is None:
            self.blank += 1
        else:
            self.based += row.based
        return row

    def stream(self) -> TextStream:
        """All rows in one batch where the text is short; else a part at a time, read ahead on another thread."""
        stream = TextStream([], (), "label", source=self.source.name, features=True)
        parts = self.parts()
        kept: list[Part] = []
        size = 0
        if not self.known_longer(WHOLE):
            for part in parts:
                kept.append(part)
                size += part.value.nbytes + part.y.nbytes
                if size > WHOLE:
                    break
            else:
                self.settle(stream)
                part = together(kept)
                stream.batches, stream.whole = [part.batch(0)], True
                stream.tags = part.tags if self.form.tags else None
                return stream
        stream.batches = self.batches(weakref.ref(stream), kept, parts)
        return stream

    def batches(
        self,
        alive: weakref.ref[TextStream],  # a stream that nobody reads must let go of its file
        kept: list[Part],
        parts: Generator[Part, None, None],
    ) -> Iterator[Batch]:
        """What was kept, let go of as it is read, and then the rest."""
        rest = ahead(parts) if has_numba() else parts
        first = 0
        kept.reverse()
        try:
            while (part := kept.pop() if kept else next(rest, None)) is not None:
                if self.form.tags and (stream := alive()) is not None:
                    stream.tags = part.tags
                stream = None
                yield part.batch(first)
                first += len(part.y)
        finally:
            rest.close()
            with contextlib.suppress(ValueError):  # it still runs: a thread that waits for a pipe
                parts.close()
        self.settle(alive())

    def known_longer(self, size: int) -> bool:
        """Is the text longer than that, as far as can be told before it is read?"""
        path = self.source.path
        status = None if path is None else path.stat()
        return status is not None and stat.S_ISREG(status.st_mode) and status.st_size > size

    def settle(self, stream: TextStream | None) -> None:
        """Close the books, if anybody is there to see them."""
        notes = []
        if self.skipped:
            named = ", ".join(f"{line:d}" for line, _ in self.bad)
            more = ", …" if self.skipped > len(self.bad) else ""
            notes.append(f"{_count(self.skipped, 'malformed line')} skipped: {named}{more}")
        if self.cut:
            notes.append(f"the file is cut off in the middle of line {self.cut:d}")
        if not self.rows:
            why = f" ({'; '.join(notes)})" if notes else ""
            raise BadInput(f"no rows in {self.source.name}{why}")
        if self.unlabelled:
            notes.append(f"{_count(self.unlabelled, 'row')} without a label: not learned")
        if self.based:
            notes.append(f"{_count(self.based, 'line')} with a base (third number): not used")
        if stream is None:
            return
        stream.lines, stream.rows, stream.blank = self.lines, self.rows, self.blank
        stream.skipped, stream.bad = self.skipped, tuple(where for _, where in self.bad)
        stream.rounds, stream.notes = self.rows, tuple(notes)


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def open_text(path: str | os.PathLike[str] | Source, form: Format, on_bad_line: str) -> TextStream:
    """A stream from a file, or from what has been opened already."""
    if on_bad_line not in ("error", "skip"):
        raise BadInput(f"on_bad_line={on_bad_line!r}: 'error' or 'skip'")
    source = path if isinstance(path, Source) else Source(path)
    return Reader(source, form, on_bad_line).stream()


def speaks(form: Format, head: bytes, lines: int = 20) -> bool:
    """Could the first bytes of a file be in this format? All whole lines among them are, and there are features."""
    text = head.removeprefix(MARK)
    whole = text[: text.rfind(b"\n") + 1] or text
    features = 0
    try:
        for line in whole.split(b"\n")[:lines]:
            row = form.line(line)
            features += len(row.index) if row else 0
    except BadLine:
        return False
    return features > 0
