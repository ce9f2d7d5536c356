"""libsvm and SVMlight text: label index:value index:value … # comment."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput

from ...encode.hashing import fold_index
from ..source import Source
from .text_lines import BadLine, Row, number, quote_text, weight, without_return
from .text_parts import Part, Sums
from .text_rows import TextStream, open_text, speaks

SPACES = re.compile(rb"[ \t]+")
MOST = (1 << 31) - 1
# There is a weight for each number below an index: a larger one is a mistake, or hashed already, unless bits are said.
USUAL = (1 << 26) - 1

LONGEST = 20  # digits of a number that is hashed: 64 bits
HINT = "bits=22 hashes such indices to 2^22 weights"


def svmlight_stream(
    source: str | os.PathLike[str] | Source,
    *,
    on_bad_line: str = "error",
    limit: int | None = None,
    bits: int | None = None,
) -> TextStream:
    """Sparse examples from a libsvm or SVMlight file (.gz too; '-' is standard input), in constant memory.

        each line:  label index:value index:value …      # what follows a number sign is not read

    Indices are kept as they are written: the first lines of a stream do not show whether they begin at 0 or at 1, and
    one weight that is never used costs nothing. They need not increase, though libsvm's own tools want it so; the
    values of an index that occurs twice in a row are added up, as writers of hashed features expect. A line without a
    label has y = NaN. `qid:` and `sid:` are left out, `cost:` is the importance of the line.

    on_bad_line  "error": a malformed line stops the run, with its number and text; "skip": it is counted
    limit        the largest index allowed; by default 2^26 - 1, as there will be a weight for each
    bits         indices from 2^bits on, however large, are hashed to numbers below; the others are kept

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "train.libsvm")
    >>> _ = path.write_text("+1 3:0.5 7:-2  # the first\\n-1 3:1e-1\\n", encoding="utf-8")
    >>> (batch,) = svmlight_stream(path).batches
    >>> batch.y, batch.x.indptr, batch.x.index, batch.x.value
    (array([ 1., -1.]), array([0, 2, 3]), array([3, 7, 3], dtype=int32), array([ 0.5, -2. ,  0.1]))
    """
    if limit is not None and not 0 <= limit <= MOST:
        raise BadInput(f"limit must be between 0 and {MOST}, not {limit}")
    if bits is not None and limit is not None:
        raise BadInput("limit and bits: with bits there is no index that is too large")
    return open_text(source, Svmlight(USUAL if limit is None else limit, bits), on_bad_line)


def looks_like_svmlight(head: bytes) -> bool:
    """Could the first bytes of a file be libsvm's?

    >>> looks_like_svmlight(b"+1 3:0.5\\n-1 4:1\\n"), looks_like_svmlight(b"time,price\\n1,2\\n")
    (True, False)
    """
    return speaks(Svmlight(MOST), head)


class Svmlight:
    """How a line of libsvm text is parsed, in Python and by the compiled loop."""

    special, letters, tags = b"#", False, False

    def __init__(self, limit: int, bits: int | None = None) -> None:
        self.limit, self.bits = limit if bits is None else MOST, bits

    def line(self, text: bytes) -> Row | None:
        """
        >>> Svmlight(MOST).line(b"-1 qid:4 1:0.5 3:2 # why")
        Row(y=-1.0, h=1.0, index=[1, 3], value=[0.5, 2.0], ...)
        >>> Svmlight(MOST).line(b"+1 3:abc")
        Traceback (most recent call last):
        ...
        littlestone.streams.text.text_lines.BadLine: value of feature 3 is 'abc', not a number
        """
        body, comment, _ = text.partition(b"#")
        body = body if comment else without_return(body)
        words = [word for word in SPACES.split(body) if word]
        if not words:
            return None
        y, h = float("nan"), 1.0
        if b":" not in words[0]:
            y = self.label(words.pop(0))
        index: list[int] = []
        value: list[float] = []
        for word in words:
            name, colon, written = word.partition(b":")
            if not colon:
                raise BadLine(f"{quote_text(word)} is not index:value")
            if name.isdigit():
                index.append(self.index(name))
                value.append(number(written, f"value of feature {index[-1]}"))
            elif name == b"cost":
                h = weight(written)
            elif name in (b"qid", b"sid"):
                number(written, name.decode())
            else:
                raise BadLine(f"index {quote_text(name)} is not a whole number")
        return Row(y if h > 0.0 else float("nan"), h, index, value)

    def label(self, word: bytes) -> float:
        if b"," in word:
            raise BadLine(f"label is {quote_text(word)}: lines with several labels cannot be used")
        return number(word, "label")

    def index(self, name: bytes) -> int:
        digits = name.lstrip(b"0") or b"0"
        if self.bits is not None:
            if len(digits) > LONGEST:
                raise BadLine(f"index {quote_text(name)} has more than {LONGEST} digits")
            return int(fold_index(int(digits), self.bits))
        if len(digits) > len(str(MOST)) or int(digits) > self.limit:
            hint = f" ({HINT})" if self.limit == USUAL else ""
            raise BadLine(f"index {quote_text(name)} is larger than {self.limit}{hint}")
        return int(digits)

    def rows(
        self, t: int, places: Any, n: int, control: bool, now: NDArray[np.int64], room: Part
    ) -> bool:
        from ..compiled.compiled_text import svmlight_rows

        return bool(
            svmlight_rows(t, places, n, self.limit, now, room.y, room.ptr, room.index, room.value)
        )

    def finish(self, part: Part, sums: Sums) -> Iterator[Part]:
        if self.bits is not None and part.width > 1 << self.bits:
            part.index = fold_index(part.index, self.bits)
            part.width, part.unsorted = 1 + int(part.index.max(initial=-1)), True
        if part.unsorted:
            sums.add_up(part)
        yield part

    def unmet(self, letters: set[int]) -> Iterator[str]:
        yield from ()
