"""The best of many repeats, in CPU time: on a machine with other tenants, that is the time that was ours.

CPU time counts every thread of the process, so nothing looks faster for spreading itself out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[1]


def race(
    entries: Mapping[str, Callable[[], Any]], seconds: float, least: int = 3
) -> dict[str, float]:
    """The least time of each, taken in turns for so long, so that a slow spell hits all of them."""
    best = dict.fromkeys(entries, float("inf"))
    end, turns = time.perf_counter() + seconds, 0
    # One thread of BLAS: idle threads spin, and their time would count as that of the next entry.
    with threadpool_limits(1):
        while turns < least or time.perf_counter() < end:
            for name, run in entries.items():
                began = time.process_time()
                run()
                best[name] = min(best[name], time.process_time() - began)
            turns += 1
    return best


# For child processes: a function that gives the most memory, in bytes, that the process has had so far. VmHWM begins
# anew with the process; ru_maxrss, where there is no /proc, begins with the parent's.
PEAK = """
def peak():
    import resource, sys
    try:
        lines = open("/proc/self/status").read().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        scale = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
"""


NOT_OF_USERS = ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS")  # what this process alone has


def environment(**more: str) -> dict[str, str]:
    """The variables of a fresh interpreter, which keeps the bytecode of what it imports, as Python does by itself."""
    return {k: v for k, v in os.environ.items() if k not in NOT_OF_USERS} | more


def child(code: str, *arguments: object) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"a child process failed:\n{done.stderr[-2000:]}")
    return done.stdout
