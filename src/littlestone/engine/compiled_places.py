"""Where compiled code is kept: one list of folders for readers and writers, whoever they are.

First the code that came with the package (`packaged_code.py`), which is only read. Then, with NUMBA_CACHE_DIR, that
folder alone. Without it beside the sources, as Python keeps its own compiled files, and where that cannot be written in
the folder of the user. All of them are read: what one user has compiled beside the sources, when an image was built for
instance, serves every other user, and a folder that cannot be written is read all the same.

A folder that other users may write is left out, but for one that NUMBA_CACHE_DIR names: whose files are read there,
`compiled_files.py` decides.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from typing import Any

from numba import config as numba_config

from ..core.machine import user_cache
from . import compiled_files

config: Any = numba_config


def folders(file: str) -> list[str]:
    """The folders in which code for a source file may be, the one to write to first where it can be written."""
    above = os.path.dirname(os.path.abspath(file))
    own = f"{os.path.basename(above)}_{hashlib.sha256(above.encode()).hexdigest()[:40]}"
    if config.CACHE_DIR:
        return [os.path.join(config.CACHE_DIR, own)]
    mine = user_cache()
    every = [os.path.join(above, "__pycache__"), *([os.path.join(mine, own)] if mine else [])]
    return [folder for folder in every if not open_to_others(folder)]


@functools.cache
def open_to_others(folder: str) -> bool:
    """May others write here? A folder that is not there yet is ours to make."""
    with contextlib.suppress(OSError):
        return not compiled_files.only_written_by(os.stat(folder), readable_owners())
    return False


def readable_owners() -> frozenset[int]:
    """The users whose code is read."""
    named = [config.CACHE_DIR] if config.CACHE_DIR else []
    return compiled_files.owners(__file__, *named)


def writable(folder: str) -> bool:
    """Can files be made there? It is made where it was not."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)
