"""The head of an ARFF file: its attributes; and how ARFF writes values, names and quotes."""

from __future__ import annotations

import re
from typing import IO, NamedTuple

from littlestone.core.errors import BadFile

from ..bad_lines import shorten_line
from ..encodings import OTHERS
from ..line_blocks import LONGEST
from ..source import Source
from ..tables.choice import Column

# A value: between quotes of either kind, a backslash before what is not itself, or bare.
VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*?))\s*(?:,|$)""")
NAME = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))""")
NUMERIC = ("numeric", "real", "integer")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Attribute(NamedTuple):
    """A column as ARFF declares it."""

    name: str
    kind: str  # numeric, nominal, string, date
    values: tuple[str, ...] = ()  # of a nominal attribute

    @property
    def numbers(self) -> bool:
        """0 and 1 are numbers, though declared as names; so is what is declared numeric."""
        return self.kind == "numeric" or (self.kind == "nominal" and set(self.values) <= {"0", "1"})

    @property
    def labels(self) -> list[object] | None:
        """All classes that there are, in order, where that is declared; as numbers if all are."""
        if self.kind != "nominal":
            return None
        try:
            numbers = {float(value) for value in self.values}
        except ValueError:
            return [*sorted(self.values)]
        return [*(sorted(numbers) if len(numbers) == len(self.values) else sorted(self.values))]

    @property
    def column(self) -> Column:
        kinds = {"nominal": "text", "string": "text", "numeric": "number"}
        return Column(self.name, "number" if self.numbers else kinds.get(self.kind, self.kind))


def attributes(source: Source, stream: IO[bytes]) -> tuple[list[Attribute], int]:
    """What is declared up to @data, and how many lines that took."""
    found: list[Attribute] = []
    line = 0
    while True:
        with source.reading():
            raw = stream.readline(LONGEST)
        line += 1
        if not raw:
            raise BadFile(f"{source.name} is cut off or not an ARFF file: there is no @data line")
        try:
            text = raw.removeprefix(b"\xef\xbb\xbf").decode().strip()
        except UnicodeDecodeError:
            raise BadFile(
                f"{source.name}, line {line}: not UTF-8 text; {OTHERS}: {shorten_line(raw)}"
            ) from None
        word, _, rest = text.partition(" ") if " " in text else text.partition("\t")
        keyword = word.lower()
        if not text or text.startswith("%") or keyword == "@relation":
            continue
        if keyword == "@data":
            break
        if keyword != "@attribute" or (attribute := parse_attribute(rest)) is None:
            raise BadFile(
                f"{source.name}, line {line}: not an ARFF declaration: {shorten_line(text)}"
            )
        if attribute.kind == "relational":
            raise BadFile(f"{source.name}, line {line}: relational attributes cannot be read")
        found.append(attribute)
    if not found:
        raise BadFile(f"{source.name} declares no attributes")
    return found, line


def parse_attribute(text: str) -> Attribute | None:
    """
    >>> parse_attribute("'unit price' REAL")
    Attribute(name='unit price', kind='numeric', values=())
    >>> parse_attribute("colour {red, 'light blue'}")
    Attribute(name='colour', kind='nominal', values=('red', 'light blue'))
    """
    match = NAME.match(text)
    if match is None:
        return None
    name, rest = _bare(match), text[match.end() :].strip()
    if rest.startswith("{"):
        inside = re.fullmatch(r"\{(.*)\}\s*(%.*)?", rest)
        values = None if inside is None else split_row(inside[1])
        if values is None or any(v is None for v in values):
            return None
        return Attribute(name, "nominal", tuple(v for v in values if v is not None))
    word = rest.split(maxsplit=1)[0].lower() if rest else ""
    if word in NUMERIC:
        return Attribute(name, "numeric")
    return Attribute(name, word) if word in ("string", "date", "relational") else None


def split_row(text: str) -> list[str | None] | None:
    r"""The values of a row; None for ?, and None for the row if a quote has no end.

    >>> split_row("1.5, 'light blue',?, it's,'don\\'t'")
    ['1.5', 'light blue', None, "it's", "don't"]
    """
    values: list[str | None] = []
    at = 0
    while True:
        found = VALUE.match(text, at)
        if found is None or (found[3] is not None and found[3][:1] in ("'", '"')):
            return None
        values.append(None if found[3] == "?" else _bare(found))
        at = found.end()
        if at >= len(text):
            if text[at - 1 : at] == "," and found[0].endswith(","):
                values.append("")
            return values


def _bare(found: re.Match[str]) -> str:
    quoted = found[1] if found[1] is not None else found[2]
    if quoted is None:
        return found[3]
    return re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), quoted)
