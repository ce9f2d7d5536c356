"""Vowpal Wabbit's text: [label [importance [base]]] ['tag]|namespace[:weight] feature[:value] … |namespace …"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput

from ..source import Source
from .text_lines import NOT_FINITE, NUMBER, BadLine, Row, number, quote_text, weight, without_return
from .text_parts import Part, Sums
from .text_rows import TextStream, open_text, speaks
from .vw_hash import hash_name
from .vw_interactions import Interactions, letter_sets

SPACE = re.compile(rb"[ \t]")
NUMERIC = re.compile(rb"[+-]?\.?[0-9]")  # how a number begins


def vw_stream(
    source: str | os.PathLike[str] | Source,
    *,
    bits: int = 18,
    interactions: Sequence[str] = (),
    namespaces: Sequence[str] = (),
    tags: bool = False,
    on_bad_line: str = "error",
) -> TextStream:
    """Sparse examples from a file in Vowpal Wabbit's text format (.gz too; '-' is standard input), in constant memory.

        each line:  label importance base 'tag |namespace:weight name:value name … |namespace …
        index of a feature = hash(name, hash(namespace)) mod 2^bits;  its value is 1 where none is written

    Names are hashed as `vw` does by default (a name of digits is a number, not hashed; name:text is a feature of its
    own), so that the same features collide. Also as in `vw`: a word that touches the first bar is a tag, not a label;
    features of value 0 are left out; a line without a label has y = NaN, and so has one of importance 0. Unlike `vw`:
    numbers are read in double precision, a number that is none is an error instead of the end of the line, the values
    of a feature that occurs twice are added up, no constant is added, and the base is not used.

    bits          features are hashed to 2^bits numbers
    interactions  such as "ab": products of each feature of the namespaces that begin with a and each of those that
                  begin with b; any number of letters
    namespaces    "ab": only features of namespaces that begin with a or b; "!a": none of those that begin with a
    tags          keep them: `stream.tags` are those of the batch that was handed out last
    on_bad_line   "error": a malformed line stops the run, with its number and text; "skip": it is counted

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "train.vw")
    >>> _ = path.write_text("1 2.0 'first| 3:0.5 7\\n-1 |f 3\\n", encoding="utf-8")
    >>> (batch,) = vw_stream(path).batches
    >>> batch.y, batch.h, batch.x.index, batch.x.value
    (array([ 1., -1.]), array([2., 1.]), array([    3,     7, 34878], dtype=int32), array([0.5, 1. , 1. ]))
    """
    if not 1 <= bits <= 31:
        raise BadInput(f"bits must be between 1 and 31, not {bits}")
    form = VwText(bits, letter_sets(interactions), tags, namespaces)
    return open_text(source, form, on_bad_line)


def looks_like_vw(head: bytes) -> bool:
    """Could the first bytes of a file be Vowpal Wabbit's?

    >>> looks_like_vw(b"1 |f a b:2\\n"), looks_like_vw(b"time|price\\n1|2\\n")
    (True, False)
    """
    return speaks(VwText(18, [], False), head)


class VwText:
    """How a line of VW text is parsed, in Python and by the compiled loop."""

    special = b"|"

    def __init__(
        self, bits: int, sets: list[bytes], tags: bool, namespaces: Sequence[str] = ()
    ) -> None:
        self.kept = letters_kept(namespaces)
        self.chosen = bytes("".join(p.removeprefix("!") for p in namespaces), "latin-1", "replace")
        self.bits, self.tags, self.letters = bits, tags, bool(sets or namespaces)
        self.crosses = bool(sets)
        self.interactions = Interactions(sets, bits)

    def line(self, text: bytes) -> Row | None:
        """
        >>> VwText(18, [], False).line(b"1 0.5 'why|f a b:2 | 7:3")
        Row(y=1.0, h=0.5, index=[14355, 146788, 7], value=[1.0, 2.0, 3.0], letters=b'ff ', tag=b'why', ...)
        >>> VwText(18, [], False).line(b"1 |f a:2x")
        Traceback (most recent call last):
        ...
        littlestone.streams.text.text_lines.BadLine: value of feature 'a' is '2x', not a number
        """
        text = without_return(text)
        head, *spaces = text.split(b"|")
        if not spaces:
            if not text.strip(b" \t"):
                return None
            raise BadLine("there is no '|' between label and features")
        y, h, based, tag = self.head(head)
        row = Row(y if h > 0.0 else float("nan"), h, [], [], b"", tag, based)
        letters = bytearray()
        for i, space in enumerate(spaces):
            letter = self.namespace(space, row, last=i == len(spaces) - 1)
            letters += letter * (len(row.index) - len(letters))
        return row._replace(letters=bytes(letters))

    def head(self, head: bytes) -> tuple[float, float, bool, bytes]:
        """Label, importance, whether there is a base, and tag."""
        head = head.partition(b"\t")[2] if b"\t" in head else head  # as vw does
        words = [word for word in head.split(b" ") if word]
        tag = b""
        if words and (not head.endswith(b" ") or words[-1].startswith(b"'")):
            tag = words.pop().removeprefix(b"'")
        if len(words) > 3:
            raise BadLine("there are more than label, importance and base before the first '|'")
        y = number(words[0], "label") if words else float("nan")
        h = weight(words[1]) if len(words) > 1 else 1.0
        if len(words) > 2:
            number(words[2], "base")
        return y, h, len(words) > 2, tag

    def namespace(self, space: bytes, row: Row, *, last: bool) -> bytes:
        """Append the features of one namespace; -> its first letter."""
        title, *words = SPACE.split(space)
        name, colon, written = title.partition(b":")
        if colon and not name:
            raise BadLine("a '|' is followed by a colon")
        seed = hash_name(name, 0) if name else 0
        scale = number(written, f"weight of namespace {quote_text(name)}") if colon else 1.0
        nameless = 0
        for i, word in enumerate(words):
            if not word:
                continue
            name, colon, written = word.partition(b":")
            key, v = hash_name(name, seed) if name else seed, scale
            if not colon:
                pass
            elif not written:
                raise BadLine(f"feature {quote_text(name)} has a colon and no value")
            elif self.numeric(written):
                v *= number(written, f"value of feature {quote_text(name)}")
                if v - v != 0.0:
                    raise BadLine(
                        f"value of feature {quote_text(name)}, times weight, is too large"
                    )
                if not name:
                    key, nameless = seed + nameless, nameless + 1
            elif i == len(words) - 1 and not last:
                raise BadLine(f"text {quote_text(written)} is followed by '|': a space is missing")
            else:
                key, v = hash_name(written, key), 1.0
            if v != 0.0:
                row.index.append(key & ((1 << self.bits) - 1))
                row.value.append(v)
        return title[:1] or b" "

    def numeric(self, written: bytes) -> bool:
        """Is that meant to be a number? If not, it is text."""
        return bool(
            NUMBER.fullmatch(written) or NUMERIC.match(written) or NOT_FINITE.fullmatch(written)
        )

    def rows(
        self, t: int, places: Any, n: int, control: bool, now: NDArray[np.int64], room: Part
    ) -> bool:
        from ..compiled.compiled_vw import vw_rows

        return bool(
            vw_rows(
                t,
                places,
                n,
                self.bits,
                control,
                now,
                room.y,
                room.h,
                room.ptr,
                room.index,
                room.value,
                room.letters,
                room.spans,
            )
        )

    def finish(self, part: Part, sums: Sums) -> Iterator[Part]:
        if self.chosen:
            part = of_namespaces(part, self.kept)
        for piece in self.interactions.added(part) if self.crosses else [part]:
            sums.add_up(piece)
            piece.width = 1 << self.bits
            yield piece

    def unmet(self, letters: set[int]) -> Iterator[str]:
        for letter in sorted(set(self.chosen) - letters):
            yield f"no namespace begins with {chr(letter)!r}: to keep or to ignore it changes nothing"
        for chosen in self.interactions.sets:
            missing = sorted(set(chosen) - letters)
            if missing:
                words = " or ".join(repr(chr(letter)) for letter in missing)
                name = chosen.decode("latin-1")
                yield f"interactions: no namespace begins with {words}, so {name!r} adds nothing"


def letters_kept(namespaces: Sequence[str]) -> NDArray[np.bool_]:
    """Which of the 256 first letters of namespaces are kept.

    >>> kept = letters_kept(["!ab"])
    >>> bool(kept[ord("a")]), bool(kept[ord("c")])
    (False, True)
    """
    letters_kept = "".join(p for p in namespaces if not p.startswith("!"))
    away = "".join(p[1:] for p in namespaces if p.startswith("!"))
    kept = np.full(256, not letters_kept)
    kept[list(bytes(letters_kept, "latin-1", "replace"))] = True
    kept[list(bytes(away, "latin-1", "replace"))] = False
    return kept


def of_namespaces(part: Part, kept: NDArray[np.bool_]) -> Part:
    """The part without the features of other namespaces."""
    entries = int(part.ptr[-1])
    stay = kept[part.letters[:entries]]
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(stay)])
    part.ptr = before[part.ptr]
    part.index, part.value = part.index[:entries][stay], part.value[:entries][stay]
    part.letters = part.letters[:entries][stay]
    return part
