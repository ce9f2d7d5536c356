"""Bytes from a path or standard input, unpacked if need be, and what can go wrong with them."""

from __future__ import annotations

import bz2
import contextlib
import difflib
import gzip
import io
import lzma
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, NoReturn

from littlestone.core.errors import BadFile

from .archives import ZIP, member
from .encodings import UTF16, Recoded, checked_encoding

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

PARQUET = b"PAR1"
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
# Formats that are mistaken for CSV: an error names them, instead of calling the file damaged.
FOREIGN = {
    ZIP: "a zip file, which cannot be read from a pipe: unzip -p FILE | littlestone run -",
    b"ARROW1": "an Arrow (Feather) file; save the table as CSV or Parquet",
}
# A whole line that tells something about a format: neither blank nor a comment (% in ARFF, # in libsvm).
TELLING = re.compile(rb"(?:^|\n)(?:\xef\xbb\xbf)?[^\S\n]*[^\s%#\xef][^\n]*\n")


class Source:
    """An open file: a name for messages, a look at its first bytes, and a stream of them all."""

    def __init__(self, path: str | os.PathLike[str], encoding: str | None = None) -> None:
        """`encoding`: of text; None: UTF-8, or UTF-16 where it begins with its mark."""
        encoding = checked_encoding(encoding)
        self.name = "standard input" if str(path) == "-" else str(path)
        self.path: Path | None = None  # of a file on disk
        self.called: PurePath | None = None  # what its extension is seen from
        self.packed = ""  # how it is packed, once that is seen
        self.recoded = False  # its text is not UTF-8, and is read as such
        self._open = contextlib.ExitStack()
        try:
            with self.reading():
                head, raw = self._bytes(path)
                if head.startswith(UTF16) and encoding is None:
                    encoding = "utf-16"
                if encoding is not None and not head.startswith(PARQUET):
                    recoded = Recoded(io.BufferedReader(Joined(head, raw)), encoding, self.name)
                    raw, head = io.BufferedReader(recoded), b""
                    self.recoded = True
                self._head, self._raw = head, raw
                self.magic = self.peek(8)
            if not self.magic:
                raise BadFile(f"{self.name} is empty")
            for magic, what in FOREIGN.items():
                if self.magic.startswith(magic):
                    raise BadFile(f"{self.name} is {what}")
        except BaseException:
            self.close()
            raise

    def _bytes(self, path: str | os.PathLike[str]) -> tuple[bytes, IO[bytes]]:
        """The first bytes, unpacked, and where the others are read."""
        raw: IO[bytes]
        if str(path) == "-":
            raw = sys.stdin.buffer
        else:
            self.path = self.called = _find_file(path)
            raw = self._open.enter_context(self.path.open("rb"))
        head = raw.read(max(map(len, PACKED)))
        self.packed = next((p for magic, p in PACKED.items() if head.startswith(magic)), "")
        if head.startswith(ZIP) and self.path is not None and self.path.is_file():
            self.called, inside = member(self.path, self.name)
            raw = io.BufferedReader(Joined(b"", self._open.enter_context(inside)))
            head, self.packed = raw.read(len(PARQUET)), "zip"
        elif self.packed:
            raw = self._unpacked(io.BufferedReader(Joined(head, raw)))
            head = raw.read(len(PARQUET))
        return head, raw

    def peek(self, size: int) -> bytes:
        """The first `size` bytes, fewer only at the end of the file; they will be read again."""
        seekable = self.path and not self.packed and not self.recoded
        if size > 2 * len(self._head) and seekable and self._raw.seekable():
            self._raw.seek(0)  # to read all of it again is faster than to join two pieces
            self._head = b""
        while len(self._head) < size:
            more = self._raw.read(size - len(self._head))
            if not more:
                break
            self._head = self._head + more if self._head else more
        return self._head[:size]

    def look(self, size: int) -> bytes:
        """A line at least that is neither blank nor a comment, and of a pipe no more than is there;
        they will be read again.
        """
        if self.path is not None and self.path.is_file() and not self.packed:
            return self.peek(size)
        while len(self._head) < size and not TELLING.search(self._head):
            more = _some(self._raw, size - len(self._head))
            if not more:
                break
            self._head += more
        return self._head[:size]

    @property
    def live(self) -> bool:
        """Is it a pipe, so that bytes must be read as they arrive?"""
        return self.path is None and not self.packed

    def stream(self, skip: int = 0) -> io.BufferedReader:
        """All bytes from `skip` on (which must have been peeked); to be called once."""
        head, self._head = self._head[skip:], b""
        return io.BufferedReader(Joined(head, self._raw), buffer_size=1 << 16)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Errors of the operating system, of gzip and of zstd, in the user's words."""
        try:
            yield
        except (
            EOFError,
            gzip.BadGzipFile,
            zlib.error,
            lzma.LZMAError,
            zipfile.BadZipFile,
        ) as error:
            self._broken(cut=isinstance(error, EOFError))
        except OSError as error:
            if self.packed == "zstd" and error.errno is None:  # pyarrow's own
                self._broken(cut="Truncated" in str(error))
            raise BadFile(f"{self.name} cannot be read: {error.strerror or error}") from None

    def close(self) -> None:
        self._open.close()

    def _unpacked(self, packed: IO[bytes]) -> IO[bytes]:
        if self.packed == "gzip":
            return io.BufferedReader(self._open.enter_context(gzip.GzipFile(fileobj=packed)))
        if self.packed == "bzip2":
            return io.BufferedReader(self._open.enter_context(bz2.BZ2File(packed)))
        if self.packed == "xz":
            return io.BufferedReader(self._open.enter_context(lzma.LZMAFile(packed)))
        import pyarrow as pa

        unpacked: IO[bytes] = self._open.enter_context(pa.CompressedInputStream(packed, "zstd"))
        return unpacked

    def _broken(self, *, cut: bool) -> NoReturn:
        what = "cut off" if cut else "damaged"
        raise BadFile(
            f"{self.name} is {what}: its {self.packed} data end too soon or do not add up"
        ) from None


class Joined(io.RawIOBase):
    """Bytes already read, and then the rest of the stream that they came from."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = memoryview(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        target = memoryview(buffer)
        if self._head:
            n = min(len(target), len(self._head))
            target[:n] = self._head[:n]
            self._head = self._head[n:]
            return n
        data = _some(self._rest, len(target))
        target[: len(data)] = data
        return len(data)


def _some(stream: IO[bytes], size: int) -> bytes:
    """Read the bytes that have arrived, without waiting for more; nothing only at the end."""
    read: Any = getattr(stream, "read1", None)
    found: bytes = stream.read(size) if read is None else read(size)
    return found


def _find_file(path: str | os.PathLike[str]) -> Path:
    """The path, if there is such a file; else an error that suggests what the user may have meant."""
    found = Path(path).expanduser()
    if found.is_dir():
        raise BadFile(f"{path} is a folder; name a file in it")
    if found.exists():
        return found
    folder = found.parent
    if not folder.is_dir():
        raise BadFile(f"there is no file {str(path)!r}, and no folder {str(folder)!r}")
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    close = difflib.get_close_matches(found.name, names, n=3, cutoff=0.5)
    close = close or [n for n in names if n.split(".")[0] == found.name.split(".")[0]]
    hint = f"; did you mean {' or '.join(repr(n) for n in close)}?" if close else ""
    raise BadFile(f"there is no file {str(path)!r}{hint}")
