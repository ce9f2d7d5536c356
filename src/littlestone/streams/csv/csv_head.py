"""What the first bytes of a CSV file tell: where records end, the separator, the names."""

from __future__ import annotations

import csv
import io
import re

from littlestone.core.errors import BadFile

from ..encodings import OTHERS
from ..source import Source
from ..tables.kinds import UNNAMED

HEAD = 4 << 20  # bytes from which types are inferred
SEPARATORS = ",;\t|"
TITLES = 20  # lines that a title may have
NUMBER = r"[-+]?[\d.]+(e[-+]?\d+)?"


def record_end(text: bytes, start: int) -> int:
    r"""Just after the first line break outside quotes, or the end of the text.

    >>> record_end(b'a,"b\nc"\n1,2\n', 0)
    8
    """
    newline = _newline(text)
    end, quotes = start, 0
    while (at := text.find(newline, end)) >= 0:
        quotes += text.count(b'"', end, at)
        end = at + 1
        if quotes % 2 == 0:
            return end
    # Quotes that never match are not quotes.
    return len(text) if not quotes else text.find(newline, start) + 1 or len(text)


def last_record_end(text: bytes) -> int:
    r"""Just after the last line break outside quotes.

    >>> last_record_end(b'1,2\n3,"4\n5')
    4
    """
    newline = _newline(text)
    last = end = text.rfind(newline) + 1
    quotes = text.count(b'"', 0, end)
    while quotes % 2 and end:
        before = text.rfind(newline, 0, end - 1) + 1
        quotes -= text.count(b'"', before, end)
        end = before
    return end or last


def is_unclosed(text: bytes, separator: str) -> bool:
    r"""Whether a quoted value has no end. Only at the front of a value does a quote open one.

    >>> [is_unclosed(text, ",") for text in (b'1,"ye', b'1,"a ""b"\n', b'1,5" wide\n', b'1,"a\nb')]
    [True, False, False, True]
    """
    if text.count(b'"') % 2 == 0:  # quotes that open, close, and stand for themselves come in pairs
        return False
    front = b"".join((rb"(?:(?<=[\r\n", re.escape(separator).encode(), rb"])|\A) ?"))
    values = re.finditer(front + rb'"[^"]*(?:""[^"]*)*("?)', text)
    return any(not value[1] for value in values)


def decimal_comma(rows: bytes) -> bool:
    r"""Whether numbers are written 3,14 (where ; separates them).

    >>> decimal_comma(b"3,14;2\n"), decimal_comma(b"3.14;2\n")
    (True, False)
    """
    number = rb"(?:^|;)\s*-?\d+%b\d+\s*(?=;|\r|\n|$)"
    comma, point = (re.search(number % mark, rows, re.MULTILINE) for mark in (rb",", rb"\."))
    return comma is not None and point is None


def _newline(text: bytes) -> bytes:
    return b"\n" if b"\n" in text else b"\r"


def read_head(source: Source) -> bytes:
    """At least two records, however long they are."""
    size = HEAD
    head = source.peek(size)
    while len(head) == size and record_end(head, record_end(head, 0)) == len(head):
        size *= 2
        head = source.peek(size)
    return head


def preamble(head: bytes, begin: int) -> tuple[str, int]:
    r"""What Excel and others write above the names: the separator of a line "sep=;", and where the names begin.

    Lines that begin with # are comments.

    >>> preamble(b"sep=;\n# prices\n# in euro\ny;a\n1;2\n", 0)
    (';', 25)
    """
    separator = ""
    while begin < len(head):
        end = head.find(b"\n", begin) + 1 or len(head)
        line = head[begin:end].strip()
        said = re.fullmatch(rb"sep=(.|\\t)", line, re.IGNORECASE)
        if said is not None:
            separator = said[1].decode().replace("\\t", "\t")
        elif line and not line.startswith(b"#"):
            break
        begin = end
    return separator, begin


def title(head: bytes, begin: int, separator: str = "") -> int:
    r"""Where the names begin, behind lines that hold a title: they have one value, and the names that follow have more.

    >>> (
    ...     title(b"Sales of June\n\nday,sold\n1,2\n", 0),
    ...     title(b"day,sold\n1,2\n", 0),
    ...     title(b"day\n1\n", 0),
    ... )
    (15, 0, 0)
    """
    at, found = begin, begin
    for _ in range(TITLES):
        end = record_end(head, at)
        if end >= len(head):
            return begin
        now, then = (
            fields(head[at:end], separator),
            fields(head[end : record_end(head, end)], separator),
        )
        names = [v for v in now if v]
        if len(names) > 1:
            sound = found > begin and len(now) == len(then) and not any(map(_is_number, names))
            return found if sound else begin
        if len(now) == 2:  # an index without a name, and one column
            return begin
        at = found = end
    return begin


def fields(record: bytes, separator: str = "") -> list[str]:
    """The values of a record, without blanks."""
    text = record.decode("utf-8", "replace")
    separator = separator or max(SEPARATORS, key=re.sub(r'"[^"]*"', "", text).count)
    return [
        v.strip() for v in next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
    ]


def header(line: bytes, name: str, separator: str = "") -> tuple[str, list[str]]:
    """The separator, and the names of the columns."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise BadFile(
            f"{name} is not a CSV file in UTF-8: its first line has other characters; {OTHERS}"
        ) from None
    bare = re.sub(r'"[^"]*"', "", text)  # a separator between quotes separates nothing
    separator = separator or max(SEPARATORS, key=bare.count)  # the comma, if there is none
    fields = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    names = [field.strip() for field in fields]
    # 2016, 2017, ... may be names; 24.08 is a price, and the header is missing
    if all(map(_is_number, names)) and any("." in n for n in names):
        raise BadFile(f"{name}: the first line holds numbers; it should name the columns")
    return separator, names


def perhaps_a_row(names: list[str]) -> bool:
    """Whether there are numbers among the names that do not merely count the columns.

    >>> perhaps_a_row(["1", "10", "no"]), perhaps_a_row(["2016", "2017"]), perhaps_a_row(["a", "y"])
    (True, True, False)
    >>> (
    ...     perhaps_a_row(["0", "1", "2"]),
    ...     perhaps_a_row(["1", "2", "y"]),
    ...     perhaps_a_row(["", "0", "1"]),
    ... )
    (False, False, False)
    """
    names = names[1:] if names[0] in UNNAMED else names  # an index that was written out
    if names and not _is_number(names[-1]):
        names = names[:-1]
    counted = [[str(i) for i in range(start, start + len(names))] for start in (0, 1)]
    return any(map(_is_number, names)) and names not in counted


def _is_number(name: str) -> bool:
    return re.fullmatch(NUMBER, name, re.IGNORECASE) is not None
