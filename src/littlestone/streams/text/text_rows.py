"""Lines of text -> a Stream of sparse examples, in constant memory; long files by two threads."""

from __future__ import annotations

import contextlib
import os
import stat
import weakref
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from littlestone.core.errors import BadFile, BadInput
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream
from littlestone.engine.compile import has_numba

from ..source import Source
from .read_ahead import read_ahead, share_work
from .text_chunks import MARK, Lines, chunks
from .text_lines import BadLine
from .text_parser import Format, Found, LineCounts, Malformed, Parser
from .text_parts import BadRow, Part, together

# Bytes: what is no longer is kept in memory, so that every comparator can be had.
WHOLE = 16 << 20
# Bytes, a few chunks: what is longer is parsed by two threads, whether it is kept or not.
LONG = 3 << 20


@dataclass
class TextStream(Stream):
    """A stream that counts its lines: when all are read, lines = rows + blank + skipped."""

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
        self.counts = LineCounts()

    def parser(self) -> Parser:
        return Parser(self.form, self.skip)

    def alone(self) -> Generator[Found, None, None]:
        """All rows, about a megabyte of text at a time."""
        parser = self.parser()
        return (parser.found(chunk) for chunk in chunks(self.source))

    def by_two(self) -> Generator[Found, None, None]:
        """The same, parsed by two threads: one that reads ahead, and the one that takes the results."""
        lines, hands = Lines(self.source), (self.parser(), self.parser())
        try:
            yield from share_work(lambda parser: parser.take(lines), Parser.whole, hands)
        finally:
            lines.close()

    def parts(self, found: Generator[Found, None, None]) -> Generator[Part, None, None]:
        """The parts of all chunks that were parsed; their lines are added to the counts."""
        counts, name = self.counts, self.source.name
        try:
            for parts, more in found:
                yield from parts
                counts.add(more)
        except BadRow as error:
            row, what = error.args
            raise BadFile(f"{name}, row {counts.rows + row + 1}: {what}") from None
        except Malformed as error:
            number, what, cut = error.args
            where = f"{name} is cut off in the middle of " if cut else f"{name}, "
            raise BadFile(f"{where}line {counts.lines + number:d}: {what}") from None
        finally:
            found.close()
        if counts.lines != counts.rows + counts.blank + counts.skipped:
            raise RuntimeError(f"{name}: a line was lost; please report it")

    def stream(self) -> TextStream:
        """All rows in one batch where they are kept; else a part at a time. Two threads parse what is long."""
        stream = TextStream([], (), "label", source=self.source.name, features=True)
        # Interactions may multiply what a chunk holds: then it is handed on piece by piece, as one thread can.
        two = has_numba() and not self.form.letters and self.known_longer(min(LONG, WHOLE))
        parts = self.parts(self.by_two() if two else self.alone())
        kept: list[Part] = []
        size = 0
        if not self.known_longer(WHOLE):
            for part in parts:
                kept.append(part)
                size += part.value.nbytes + part.y.nbytes
                if size > WHOLE:
                    break
            else:
                self.finish(stream)
                part = together(kept)
                stream.batches, stream.whole = [part.batch(0)], True
                stream.tags = part.tags if self.form.tags else None
                return stream
        stream.batches = self.batches(weakref.ref(stream), kept, parts, has_numba() and not two)
        return stream

    def batches(
        self,
        alive: weakref.ref[TextStream],  # a stream without a reader must let go of its file
        kept: list[Part],
        parts: Generator[Part, None, None],
        another: bool,  # thread, to read ahead
    ) -> Iterator[Batch]:
        """The parts that were kept, each freed as it is read, and then the rest."""
        rest = read_ahead(parts) if another else parts
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
        self.finish(alive())

    def known_longer(self, size: int) -> bool:
        """Is it known, before the text is read, that it is longer than that?"""
        path = self.source.path
        status = None if path is None else path.stat()
        return status is not None and stat.S_ISREG(status.st_mode) and status.st_size > size

    def finish(self, stream: TextStream | None) -> None:
        """After the last line: write counts and notes into the stream, if it exists; refuse a file without rows."""
        counts = self.counts
        notes = [*counts.notes(), *self.form.unmet(counts.letters)]
        if not counts.rows:
            why = f" ({'; '.join(notes)})" if notes else ""
            raise BadInput(f"no rows in {self.source.name}{why}")
        if stream is None:
            return
        stream.lines, stream.rows, stream.blank = counts.lines, counts.rows, counts.blank
        stream.skipped = counts.skipped
        stream.bad = tuple(f"line {line:d}: {what}" for line, what in counts.bad)
        stream.rounds, stream.notes = counts.rows, tuple(notes)


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
