"""Text in blocks of whole lines, each with the number of its first line."""

from __future__ import annotations

import io
from collections.abc import Iterator

from littlestone.core.errors import BadFile

from .source import Source

BLOCK = 1 << 20  # bytes
LONGEST = 1 << 26  # bytes: a line that is longer is none


def line_blocks(
    source: Source, stream: io.BufferedReader, line: int = 1
) -> Iterator[tuple[int, bytes]]:
    """Blocks that end with a line; only the last one may end without a line break."""
    rest = b""
    while True:
        with source.reading():
            more = stream.read1(BLOCK) if source.live else stream.read(BLOCK)
        if not more:
            break
        rest += more
        end = rest.rfind(b"\n") + 1
        if end:
            yield line, rest[:end]
            line += rest.count(b"\n", 0, end)
            rest = rest[end:]
        elif len(rest) > LONGEST:
            raise BadFile(f"{source.name}, line {line}: longer than {LONGEST >> 20} MB")
    if rest.strip():
        yield line, rest
