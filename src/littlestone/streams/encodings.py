"""Text in another encoding than UTF-8, read as UTF-8."""

from __future__ import annotations

import codecs
import io
from typing import IO, TYPE_CHECKING

from littlestone.core.errors import BadFile, BadInput

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

OTHERS = (
    "say how it is written: encoding='latin-1' for Western Europe, encoding='cp1252' for Windows"
)
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # the marks that UTF-16 text begins with


def checked_encoding(encoding: object) -> str | None:
    """The encoding by its usual name; None for UTF-8, which is read as it is.

    >>> checked_encoding("Latin1"), checked_encoding("UTF8"), checked_encoding(None)
    ('iso8859-1', None, None)
    """
    if encoding is None:
        return None
    try:
        found = codecs.lookup(str(encoding))
        if "\n".encode(found.name) and isinstance("".encode(found.name), bytes):
            return None if found.name in ("utf-8", "utf-8-sig", "ascii") else found.name
    except (LookupError, TypeError, ValueError):
        pass
    raise BadInput(
        f"encoding={encoding!r} is no encoding of text; latin-1, cp1252 (Windows), utf-16 and cp437 (DOS) are some"
    )


class Recoded(io.RawIOBase):
    """Text of any encoding as UTF-8; bytes that are no text in it are refused."""

    def __init__(self, source: IO[bytes], encoding: str, name: str) -> None:
        self._source, self._encoding, self._name = source, encoding, name
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="strict")
        self._ready, self._read = b"", 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        target = memoryview(buffer)
        while not self._ready:
            read = getattr(self._source, "read1", self._source.read)
            more: bytes = read(1 << 16)  # of a pipe, what is there
            try:
                self._ready = self._decoder.decode(more, final=not more).encode()
            except UnicodeError as problem:
                at = self._read + (problem.start if isinstance(problem, UnicodeDecodeError) else 0)
                raise BadFile(
                    f"{self._name} is not {self._encoding} text: byte {at:,} cannot be read; encoding= (--encoding) "
                    "says how it is written"
                ) from None
            self._read += len(more)
            if not more:
                break
        n = min(len(target), len(self._ready))
        target[:n], self._ready = self._ready[:n], self._ready[n:]
        return n
