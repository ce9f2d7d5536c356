"""Does this version of Numba work inside as `numba_internals` expects? A child process tries it, once.

A version that has changed inside may raise an error, or end the process: LLVM aborts where it cannot make code. So it
is tried where that harms nobody. What was found is kept beside the compiled code, for this version, machine and source.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path

SWITCH = "LITTLESTONE_INTERNALS"  # "off": Numba's private parts are left alone; "on": they are used, untried
INTERNALS, PUBLIC, NOTHING = "internals", "public", "nothing"
# Versions that were run on Linux and x86-64, the lowest and the newest one: there they need not be tried.
TESTED = ("0.63.1", "0.68.1")

# A rule of each kind: a loop over dense and over sparse rows, one round at a time, lanes.
RULES = """
import numpy as np
import littlestone as ls
from scipy.sparse import csr_array
from littlestone.engine.compile import jit
from littlestone.engine.lanes import four, total

def sums(A):
    return total(four(A, 0, 0) * 2.0)

X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
y = [1, -1, -1, 1]
assert jit(sums)(np.ones((1, 4))) == 8.0
dense = ls.play(ls.Perceptron(), X, y, certify=False, engine="compiled").learner
sparse = ls.play(ls.Perceptron(), csr_array(X), y, certify=False, engine="compiled").learner
assert dense.predict(X[0]) == sparse.predict(csr_array(X[:1])) == 1
dense.update(X[0], -1).update(X[0], -1)
assert dense.predict(X[0]) == -1
print("works")
"""


@functools.cache
def verdict() -> str:
    """What of Numba can be used: its private parts, its public ones alone, or nothing."""
    import numba

    wanted = os.environ.get(SWITCH, "")
    if wanted in ("on", "off"):
        return INTERNALS if wanted == "on" else PUBLIC
    if numba.__version__ in TESTED and (sys.platform, platform.machine()) == ("linux", "x86_64"):
        return INTERNALS
    for file in remembered(numba.__version__):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if (found := file.read_text("ascii").strip()) in (INTERNALS, PUBLIC, NOTHING):
                return found
    found = tried()
    for file in remembered(numba.__version__):
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{found}\n", "ascii")
            break
    return found


def used() -> bool:
    """Are Numba's private parts used?"""
    return verdict() == INTERNALS


def tried() -> str:
    """What works when it is tried, in child processes."""
    for switch, found in (("on", INTERNALS), ("off", PUBLIC)):
        env = os.environ | {
            SWITCH: switch,
            "LITTLESTONE_ENGINE": "",
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        done = subprocess.run(
            [sys.executable, "-c", RULES],
            env=env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if done.stdout.strip() == "works":
            return found
    return NOTHING


def remembered(version: str) -> list[Path]:
    """The files that may say what was found, the first one first."""
    from .compiled_places import folders

    source = Path(__file__).with_name("numba_internals.py").read_bytes()
    python = f"{sys.version_info[0]}{sys.version_info[1]}"
    what = f"{version}-{sys.platform}-{platform.machine()}-py{python}"
    name = f"probe-{what}-{hashlib.sha256(source).hexdigest()[:12]}.txt"
    return [Path(folder) / name for folder in folders(__file__)]
