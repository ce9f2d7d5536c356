"""JSON lines: one object a line, decoded by msgspec in blocks of bounded memory.

The fields of an object within an object have dotted names: "a.b".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from littlestone.core.errors import BadInput
from littlestone.encode.nested_fields import flatten_record

from ..bad_lines import BadLines
from ..line_blocks import line_blocks
from ..source import Source

BOM = b"\xef\xbb\xbf"
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
NAMED = re.compile(rb'"\s*:')  # behind every name, and perhaps in a text: never fewer than names


class Block(NamedTuple):
    """Some records, the numbers of their lines, and the lines."""

    records: list[dict[str, Any]]
    first: int  # the number of the first line
    text: bytes
    numbers: list[int] | None = None  # of the lines; None: of those that are not blank

    def lines(self) -> list[int]:
        if self.numbers is not None:
            return self.numbers
        lines = self.text.split(b"\n")
        return [self.first + i for i, line in enumerate(lines) if line.strip()]

    def line(self, number: int) -> bytes:
        return self.text.split(b"\n")[number - self.first]


class JsonLines:
    """The records of a file, block by block."""

    def __init__(self, source: Source, on_bad_line: str = "error") -> None:
        self.source = source
        self.bad = BadLines(source.name, on_bad_line)
        self._decode = msgspec.json.Decoder(dict[str, int | float | str | bool | None])
        self._nested = msgspec.json.Decoder(dict[str, Any])

    def blocks(self) -> Iterator[Block]:
        stream = self.source.stream()
        try:
            for line, text in line_blocks(self.source, stream):
                if line == 1:
                    text = text.removeprefix(BOM)
                block = self._block(line, text)
                if block.records:
                    yield block
        finally:
            self.source.close()

    def _block(self, line: int, text: bytes) -> Block:
        for decoder, names in ((self._decode, len), (self._nested, _names)):
            try:
                records = decoder.decode_lines(text)
                # fewer or more than one a line, blank lines at least, or a name that is there twice: then line by line
                each = len(records) == text.count(b"\n") + (not text.endswith(b"\n"))
                if each and len(NAMED.findall(text)) == sum(map(names, records)):
                    flat = names is len
                    return Block(
                        records if flat else [dict(flatten_record(r)) for r in records], line, text
                    )
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, BadInput):
                continue
        records, numbers = list[dict[str, Any]](), list[int]()
        for number, one in enumerate(text.split(b"\n"), line):
            if not one.strip():
                continue
            try:
                record = self._record(one)
                if len(NAMED.findall(one)) > _names(record) and (name := _twice(one)) is not None:
                    self.bad.found(number, one.strip(), f"field {name!r} is there twice")
                    continue
                records.append(dict(flatten_record(record)))
                numbers.append(number)
            except BadInput as error:
                self.bad.found(number, one.strip(), str(error))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                self.bad.found(number, one.strip(), _why(one, error))
                self.bad.cut = not text.endswith(b"\n") and _cut_off(one, error)
        return Block(records, line, text, numbers)

    def _record(self, line: bytes) -> dict[str, Any]:
        """An object whose fields may be lists or objects; code that reads such a field refuses it."""
        try:
            return self._decode.decode(line)
        except msgspec.ValidationError:
            record = self._nested.decode(line)
            if any(isinstance(value, list | dict) for value in record.values()):
                return record
            raise


def _why(line: bytes, error: Exception) -> str:
    """What is wrong with a line: the field and its value, where it is JSON at all.

    >>> _why(b'[{"a": 1}]', ValueError())
    "[{'a': 1}] is not a JSON object"
    """
    try:
        found = msgspec.json.decode(line)
    except msgspec.MsgspecError as worse:
        if half := _half_a_character(line):
            return f"a text holds {half}, which is half of a character (a lone surrogate)"
        if "truncated" in str(worse):
            return "the JSON object has no end (a file that is cut off?)"
        if "range" in str(worse):
            return f"a number is out of range ({worse})"
        return f"not JSON ({worse})"
    except UnicodeDecodeError:
        return "not UTF-8 text; encoding= (--encoding) says how it is written"
    except RecursionError:
        return "not a flat JSON object: nested too deep"
    if not isinstance(found, dict):
        return f"{found!r:.60} is not a JSON object"
    return f"not a JSON object of numbers and text ({error})"


def _cut_off(line: bytes, error: Exception) -> bool:
    return "truncated" in str(error) and not _half_a_character(line)


def _half_a_character(line: bytes) -> str:
    r"""The first escape \ud800 ... \udfff without its other half, in a line that is JSON but for that.

    >>> _half_a_character(rb'{"a": "\ud83d\ude00 \ud800"}')
    '\\ud800'
    """
    if SURROGATE.search(line) is None:
        return ""
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""
    lone = next((c for c in text if "\ud800" <= c <= "\udfff"), "")
    return f"\\u{ord(lone):04x}" if lone else ""


def _names(value: object) -> int:
    """How many names there are in an object, those within it too.

    >>> _names({"a": 1, "b": [{"c": 2}, 3]})
    3
    """
    if isinstance(value, dict):
        return len(value) + sum(_names(v) for v in value.values() if type(v) in (dict, list))
    return sum(map(_names, value)) if isinstance(value, list) else 0


def _twice(line: bytes) -> str | None:
    """The first field that an object has more than once.

    >>> _twice(b'{"a": 1, "b": 2, "a": 3}')
    'a'
    """
    names = [name for name, _ in json.loads(line, object_pairs_hook=list)]
    return next((name for i, name in enumerate(names) if name in names[:i]), None)
