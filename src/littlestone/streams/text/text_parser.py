"""A chunk of lines -> rows: a compiled loop parses ordinary lines, Python the others; lines are counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from littlestone.engine.compile import has_numba

from .text_chunks import Chunk, Lines, line_from
from .text_lines import BadLine, Row, quote_text
from .text_parts import Part, Sums

SHOWN = 80  # characters of a malformed line
NAMED = 5  # malformed lines that are kept, to be named in a note


class Format(Protocol):
    """How lines are read: `svmlight.Svmlight` and `vw_text.VwText`. It keeps nothing: threads share it."""

    special: bytes  # a separator besides spaces, colons and ends of lines
    letters: bool  # does it need the first letters of namespaces?
    tags: bool

    def line(self, text: bytes) -> Row | None:
        """Parse one line, without its end, in Python; None where there is nothing in it. Raises BadLine."""

    def rows(
        self, t: int, places: Any, n: int, control: bool, now: NDArray[np.int64], room: Part
    ) -> bool:
        """Parse lines by the compiled loop, from now[SEP] on; False: it stopped at a line that Python must parse."""

    def finish(self, part: Part, sums: Sums) -> Iterator[Part]:
        """Finish a part whose rows have been read: add up repeated indices, multiply features. Raises BadRow."""

    def unmet(self, letters: set[int]) -> Iterator[str]:
        """Notes about requested namespaces that do not occur, where namespaces begin with these letters alone."""


class Malformed(Exception):
    """The number of a line in its chunk, what is wrong with it, and whether the file ends in it."""


@dataclass
class LineCounts:
    """How many lines were of which kind: when all are read, lines = rows + blank + skipped."""

    lines: int = 0
    rows: int = 0
    blank: int = 0  # lines with nothing in them, or only a comment
    skipped: int = 0  # malformed lines
    based: int = 0  # rows with a third number before the first bar
    unlabelled: int = 0  # rows
    cut: int = 0  # the number of a malformed last line that has no end
    bad: list[tuple[int, str]] = field(default_factory=list)  # the first malformed lines
    letters: set[int] = field(default_factory=set)  # that namespaces begin with, where wanted

    def add(self, more: LineCounts) -> None:
        """Add the counts of the lines that follow."""
        room = NAMED - len(self.bad)
        self.bad += [(self.lines + line, what) for line, what in more.bad[:room]]
        self.cut = self.lines + more.cut if more.cut else 0
        self.lines += more.lines
        self.rows += more.rows
        self.blank += more.blank
        self.skipped += more.skipped
        self.based += more.based
        self.unlabelled += more.unlabelled
        self.letters |= more.letters

    def notes(self) -> Iterator[str]:
        """Notes for the user about skipped, cut and unlabelled lines."""
        if self.skipped:
            numbers = ", ".join(f"{line:d}" for line, _ in self.bad)
            more = ", …" if self.skipped > len(self.bad) else ""
            yield f"{_count(self.skipped, 'malformed line')} skipped: {numbers}{more}"
        if self.cut:
            yield f"the file is cut off in the middle of line {self.cut:d}"
        if self.unlabelled:
            yield f"{_count(self.unlabelled, 'row')} without a label: not learned"
        if self.based:
            yield f"{_count(self.based, 'line')} with a base (third number): not used"


class Found(NamedTuple):
    parts: Iterable[Part]  # the rows of a chunk; to be taken before the parser is asked again
    counts: LineCounts  # of the chunk alone


class Parser:
    """Reads one chunk at a time. Two of them may work at once, each on a chunk of its own."""

    def __init__(self, form: Format, skip: bool) -> None:
        self.form, self.skip, self.sums = form, skip, Sums()
        self.buffer: NDArray[np.uint8] | None = None
        self.places = np.empty(0, np.int32)
        self.counts = LineCounts()

    def take(self, lines: Lines) -> Chunk | None:
        """The next chunk, in this parser's own buffer."""
        chunk = lines.take(self.buffer)
        self.buffer = None if chunk is None else chunk.buffer
        return chunk

    def found(self, chunk: Chunk) -> Found:
        """Rows and counts of a chunk. Raises Malformed; parts raise BadRow when they are taken."""
        self.counts = LineCounts()
        part = self.parse_compiled(chunk) if has_numba() else self.parse_plain(chunk)
        self.counts.rows = len(part.y)
        self.counts.unlabelled = int(np.isnan(part.y).sum())
        if self.form.letters:
            self.counts.letters.update(np.bincount(part.letters).nonzero()[0].tolist())
        parts = self.form.finish(part, self.sums) if len(part.y) else ()
        return Found(parts, self.counts)

    def whole(self, chunk: Chunk) -> Found:
        """As `found`, with all parts made already, and looked through: by the thread that has the time."""
        found = self.found(chunk)
        parts = list(found.parts)
        for part in parts:
            _ = part.weighted
        return found._replace(parts=parts)

    def parse_plain(self, chunk: Chunk) -> Part:
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

    def parse_compiled(self, chunk: Chunk) -> Part:
        from ..compiled import compiled_text as c
        from ..compiled.compiled_bytes import separators

        if len(self.places) < len(chunk.buffer):
            self.places = np.empty(len(chunk.buffer), np.int32)
        places, text, form = self.places, chunk.text, self.form
        n, lines, white, control = separators(chunk.address, chunk.size, ord(form.special), places)
        # No more entries than these: a feature follows a space, or begins a line.
        part = Part.empty(lines, white + lines, letters=form.letters, tags=form.tags)
        now = np.zeros(c.NOW, np.int64)
        now[c.TOP] = -1
        tags: dict[int, bytes] = {}  # of the lines that Python parsed
        counts = self.counts
        while not form.rows(chunk.address, places, n, control > 0, now, part):
            s, r, k = int(now[c.SEP]), int(now[c.ROW]), int(now[c.ENTRY])
            begin = int(places[s - 1]) + 1 if s else 0
            line = line_from(text, begin)
            end = begin + len(line)
            # r rows, the blank lines that the loop met, and the lines that Python read without making a row
            counts.lines = r + int(now[c.BLANK]) + counts.blank + counts.skipped
            row = self.read(line, chunk.cut and end == chunk.size - 1)
            if row is not None:
                now[c.ENTRY] = part.put(r, k, row)
                now[c.ROW] = r + 1
                now[c.UNSORTED] += 1
                tags[r] = row.tag
            now[c.SEP] = np.searchsorted(places[:n], np.int32(end), side="right")
        counts.blank += int(now[c.BLANK])
        counts.based += int(now[c.BASED])
        counts.lines = int(now[c.ROW]) + counts.blank + counts.skipped
        part.cut(int(now[c.ROW]), int(now[c.ENTRY]))
        part.width = max(part.width, 1 + int(now[c.TOP]))
        part.unsorted = bool(now[c.UNSORTED])
        if form.tags:
            part.tags = [str(text[a:b], "utf-8", "replace") for a, b in part.spans.tolist()]
            for r, tag in tags.items():
                part.tags[r] = str(tag, "utf-8", "replace")
        return part

    def read(self, text: bytes, cut: bool) -> Row | None:
        """Parse one line in Python; a malformed one is counted, or raises Malformed."""
        counts = self.counts
        counts.lines += 1
        cut = cut and b"\r" not in text  # or lines end otherwise, and the file is whole
        try:
            row = self.form.line(text)
        except BadLine as error:
            what = f"{error}: {quote_text(text, SHOWN)}"
            if not self.skip:
                raise Malformed(counts.lines, what, cut) from None
            counts.skipped += 1
            counts.cut = counts.lines if cut else 0
            if len(counts.bad) < NAMED:
                counts.bad.append((counts.lines, what))
            return None
        if row is None:
            counts.blank += 1
        else:
            counts.based += row.based
        return row


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
