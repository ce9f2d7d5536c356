"""What this process may use of the machine: memory and cores."""

from __future__ import annotations

import contextlib
import math
import os
import sys


def cores() -> int:
    """The cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def user_cache() -> str:
    """The folder of this user for what can be made again; "" for a user without a home."""
    home = os.path.expanduser("~")
    given = {"win32": "LOCALAPPDATA", "darwin": ""}.get(sys.platform, "XDG_CACHE_HOME")
    usual = {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    if found := os.environ.get(given, ""):
        return os.path.join(found, "littlestone")
    return os.path.join(home, usual, "littlestone") if os.path.isabs(home) else ""


def memory() -> float:
    """Bytes that this process may use; infinite where the system does not say."""
    if sys.platform == "win32":
        return windows_memory()
    found = math.inf
    with contextlib.suppress(OSError, ValueError):  # a name that this system does not know
        found = float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    with (
        contextlib.suppress(OSError, ValueError),
        open("/sys/fs/cgroup/memory.max", encoding="ascii") as file,
    ):
        found = min(found, float(file.read()))  # of a container
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return found if limit == resource.RLIM_INFINITY else min(found, float(limit))


def windows_memory() -> float:
    """Bytes of memory that the machine has, as Windows says."""
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *((name, ctypes.c_uint64) for name in (
                "total", "free", "total_page", "free_page", "total_virtual", "free_virtual", "free_extended",
            )),
        ]  # fmt: skip

    status = Status()
    status.length = ctypes.sizeof(status)
    if not ctypes.CDLL("kernel32").GlobalMemoryStatusEx(ctypes.byref(status)):
        return math.inf
    return float(status.total)
