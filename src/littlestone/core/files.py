"""Files that are written whole: a reader sees the old file or the new one, never a part."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from .errors import BadFile

WINDOWS = os.name == "nt"
WAITS = (0.01, 0.05, 0.2, 0.75)  # seconds between attempts to replace a file that is open


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file: first beside it, then in its place."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise BadFile(f"{path} cannot be written: {problem.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)  # as other files are made; a temporary one is private
        replace_file(name, path)
    except BaseException as problem:
        Path(name).unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise BadFile(f"{path} cannot be written: {problem.strerror}") from None
        raise
    return path


def replace_file(part: str | Path, path: str | Path) -> None:
    """Put a finished file in the place of another.

    Windows does not replace a file that somebody has open. Most who read a file close it soon, so wait for a second.
    """
    for wait in WAITS:
        try:
            os.replace(part, path)
        except PermissionError:
            if not WINDOWS:
                raise
            time.sleep(wait)
        else:
            return
    try:
        os.replace(part, path)
    except PermissionError as problem:
        raise PermissionError(
            problem.errno, "another program has it open; close it there", str(path)
        ) from None
