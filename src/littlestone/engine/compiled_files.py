"""Files of machine code: one for each compiled function and signature, which nobody else could have written.

What is read from disk runs in this process. So a file is read only where its owner is this user, the administrator, or
whoever owns the sources of this package (or the folder that NUMBA_CACHE_DIR names), and where nobody else may write
it. It holds its own name and a checksum: a file that was cut off, changed or renamed counts as none, and the function
is compiled again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat

HEAD = b"littlestone machine code 1\n"
SUFFIX = ".code"


def read_code(folder: str, name: str, owners: frozenset[int]) -> bytes | None:
    """The machine code under this name in a folder; None where there is none that can be trusted."""
    with (
        contextlib.suppress(OSError),
        open(os.path.join(folder, name + SUFFIX), "rb") as file,
    ):
        if only_written_by(os.fstat(file.fileno()), owners):
            return unsealed(name, file.read())
    return None


def write_code(folder: str, name: str, code: bytes) -> None:
    """Keep machine code in a folder, for other processes to find: all of the file, or nothing of it."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + SUFFIX)
    half = f"{path}.{secrets.token_hex(8)}"
    # Not for others to write, whatever the mask of this process is.
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
    try:
        with open(handle, "wb") as file:
            file.write(sealed(name, code))
        os.replace(half, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(half)
        raise


def sealed(name: str, code: bytes) -> bytes:
    """The content of a file: a line, a checksum, and the code."""
    return HEAD + checksum(name, code) + code


def unsealed(name: str, content: bytes) -> bytes | None:
    """The code in the content of a file; None where it is not what was written under this name.

    >>> unsealed("hedge", sealed("hedge", b"code"))
    b'code'
    >>> (
    ...     unsealed("tracker", sealed("hedge", b"code")),
    ...     unsealed("hedge", sealed("hedge", b"code")[:-1]),
    ... )
    (None, None)
    """
    head, rest = content[: len(HEAD)], content[len(HEAD) :]
    said, code = rest[:32], rest[32:]
    return code if head == HEAD and said == checksum(name, code) else None


def checksum(name: str, code: bytes) -> bytes:
    """The checksum of code and of the name that it is found by."""
    return hashlib.sha256(name.encode() + b"\0" + code).digest()


def owners(*folders: str) -> frozenset[int]:
    """Whose files are read: this user's, the administrator's, and those of the owners of these folders."""
    if os.name != "posix":
        return frozenset()
    found = {0, os.geteuid()}
    for folder in folders:
        with contextlib.suppress(OSError):
            found.add(os.stat(folder).st_uid)
    return frozenset(found)


def only_written_by(info: os.stat_result, owners: frozenset[int]) -> bool:
    """Can a file or folder be written by these users alone? A group may, where it may write our own sources, too."""
    if os.name != "posix":  # Windows has no such bits
        return True
    if info.st_uid not in owners or info.st_mode & stat.S_IWOTH:
        return False
    if not info.st_mode & stat.S_IWGRP:
        return True
    source = os.stat(__file__)
    return bool(source.st_mode & stat.S_IWGRP) and source.st_gid == info.st_gid
