"""Find the format of a file: the caller names it, or its extension or its first lines show it."""

from __future__ import annotations

import re

from littlestone.core.errors import BadFile, BadInput

from .source import PARQUET, Source

EXTENSIONS = {
    "csv": "csv",
    "tsv": "csv",
    "parquet": "parquet",
    "pq": "parquet",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "arff": "arff",
    "libsvm": "libsvm",
    "svm": "libsvm",
    "svmlight": "libsvm",
    "vw": "vw",
}
FORMATS = ("csv", "parquet", "jsonl", "arff", "libsvm", "vw")
PACKED = ("gz", "zst", "zstd", "bz2", "xz", "zip")  # behind the extension
LOOK = 1 << 16  # bytes to look at
LINES = 10

NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
LIBSVM = re.compile(rb"\s*%b(?:,%b)*(?:\s+(?:qid|\d+):%b)*\s*(?:#.*)?" % ((NUMBER,) * 3))
PAIR = re.compile(rb"\s\d+:%b" % NUMBER)
# Before the first bar VW has a label, weights and a tag; "price|day" is the header of a CSV file.
VW = re.compile(rb"\s*(?:(?:%b\s+)*%b\s+(?:'?[^\s|]+)?|'[^\s|]*)?\|" % (NUMBER, NUMBER))


def format_of(source: Source, given: str | None = None) -> str:
    """One of FORMATS.

    The name decides where it tells (.csv, .tsv, .parquet, .jsonl, .ndjson, .arff, .libsvm, .svm,
    .svmlight, .vw, each with .gz, .zst, .bz2, .xz or .zip behind it); else the first lines do: libsvm is a number
    and pairs 3:0.5, VW has a bar after at most a few numbers and a tag, JSON lines begin with a
    brace, ARFF with @relation. What is none of these is taken for CSV.
    """
    if given is not None:
        format_given = EXTENSIONS.get(given.lower().lstrip("."), given.lower())
        if format_given not in FORMATS:
            raise BadInput(f"format={given!r}: one of {', '.join(FORMATS)}")
        return format_given
    if source.magic.startswith(PARQUET):
        return "parquet"
    suffixes = [] if source.called is None else [s[1:].lower() for s in source.called.suffixes]
    while suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    if suffixes and suffixes[-1] in EXTENSIONS:
        return EXTENSIONS[suffixes[-1]]
    with source.reading():
        head = source.look(LOOK)
    return detect_format(head, source.name)


def detect_format(head: bytes, name: str = "the file") -> str:
    r"""
    >>> (
    ...     detect_format(b"-1 3:1 11:0.5\n+1 2:1\n"),
    ...     detect_format(b"1 2 'tag|f a b:2\n"),
    ...     detect_format(b"y|a\n1|2\n"),
    ... )
    ('libsvm', 'vw', 'csv')
    >>> (
    ...     detect_format(b'{"y": 1}\n'),
    ...     detect_format(b"% a comment\n@RELATION r\n"),
    ...     detect_format(b"y,a\n"),
    ... )
    ('jsonl', 'arff', 'csv')
    """
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]
    if len(head) >= LOOK and len(lines) > 1:
        lines.pop()  # which may end anywhere
    if not lines:
        return "csv"
    first = next((line for line in lines if not line.lstrip().startswith(b"%")), b"").lstrip()
    if re.match(rb"@(relation|attribute|data)\b", first, re.IGNORECASE):
        return "arff"
    if first.startswith(b"{"):
        return "jsonl"
    if re.match(rb"\[\s*([\[{]|$)", first):
        raise BadFile(f"{name} is one JSON array; write one object a line (JSON lines)")
    return format_of_rows([line for line in lines if not line.lstrip().startswith(b"#")][:LINES])


def format_of_rows(lines: list[bytes]) -> str:
    """The format of lines that are rows, or headed by the names of columns."""
    # Half of the lines are enough: one that is malformed is to be reported as such.
    if 2 * sum(VW.match(line) is not None for line in lines) >= max(1, len(lines)):
        return "vw"
    if any(map(PAIR.search, lines)):
        # a line longer than what was looked at has no end to match
        fits = [LIBSVM.fullmatch(line) or len(line) > LOOK // 2 for line in lines]
        if 2 * sum(map(bool, fits)) >= len(lines):
            return "libsvm"
    return "csv"
