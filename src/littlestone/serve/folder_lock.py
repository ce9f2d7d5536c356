"""One service works on one folder: a lock that the system gives back when the process ends, however it ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from ..core.errors import BadInput

try:
    import fcntl
except (
    ModuleNotFoundError
):  # Windows: the key of events in the log is what keeps two writers apart there
    LOCKS = False
else:
    LOCKS = True


class Claim(Protocol):
    """What keeps other processes from working on the same log."""

    def release(self) -> None:
        """Let another process work on it."""


class FolderLock:
    """The lock of a folder, from here until `release`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        if not LOCKS:
            return
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.file)
            raise BadInput(
                f"--data {folder} is in use by another service: stop that one, or take another folder",
                field="data",
                value=str(folder),
            ) from None

    def release(self) -> None:
        """Give the folder back."""
        os.close(self.file)
