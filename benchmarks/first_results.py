"""CPU seconds of a new process to its first result: from the wheel with machine code, and without it.

`make wheel` first. The wheel is installed into a folder of its own. With it each process has a home that is not there,
and no folder to keep code in. Without it (the same files, but the machine code) each process begins with an empty
folder. Beside both: Numba compiles the loop of Hedge as a textbook has it, in a process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .clock import ROOT, environment
from .figure import Figure

FROM_WHEEL = 1.2  # seconds
# Times the loop of a textbook, without the wheel.
WITHOUT = {"hedge": 2.0, "tracker": 4.0, "online-linear": 8.0, "mixture": 15.0}

TEXTBOOK = """
import json, time
import numpy as np
from numba import njit

@njit
def hedge(L, eta):
    T, n = L.shape
    w = np.ones(n) / n
    total = 0.0
    for t in range(T):
        total += np.dot(w, L[t])
        w = w * np.exp(-eta * L[t])
        w /= w.sum()
    return total, w

hedge(np.random.default_rng(0).random((100, 4)), 0.1)
print(json.dumps([time.process_time(), 0]))
"""
PLAY = """
import json, sys, time
import numpy as np
import littlestone as ls
from littlestone.core import registry
from littlestone.engine.compile_clock import counts
assert ls.__file__.startswith(sys.argv[2]), ls.__file__
learner = registry.learner(sys.argv[1])
rng = np.random.default_rng(0)
X = rng.random((200, 4))
y = X[:, 0]
if learner.bandit:
    run = ls.play(learner, X, interval=(0.0, 1.0))
elif learner.key in ("cover", "aci"):
    run = ls.play(learner, X[:, :1], y)
elif learner.examples:
    run = ls.play(learner, X, (X[:, 0] > X[:, 1]).astype(float))
else:
    run = ls.play(learner, X, y)
assert np.isfinite(run.loss)
assert run.certificate is not None
print(json.dumps([time.process_time(), counts()["compiled"]]))
"""


def measure(quick: bool) -> Iterator[Figure]:
    turns = 1 if quick else 3
    with tempfile.TemporaryDirectory(prefix="littlestone-") as name:
        package, bare = Path(name) / "with", Path(name) / "without"
        learners = installed(package)
        shutil.copytree(package, bare)
        shutil.rmtree(bare / "littlestone" / "engine" / "machine_code")
        textbook = min(process(TEXTBOOK)[0] for _ in range(max(2, turns)))
        for key in learners:
            found = [process(PLAY, key, package, HOME="/nonexistent") for _ in range(turns + 1)]
            if any(compiled for _, compiled in found):
                raise RuntimeError(f"{key} was compiled")
            yield Figure(
                f"{key}: first result from the wheel, CPU",
                min(seconds for seconds, _ in found),
                "s",
                "Numba compiles a textbook's Hedge",
                textbook,
                FROM_WHEEL,
                note="nothing compiled, nothing written",
            )
        for key, times in WITHOUT.items():
            if key not in learners or (quick and key != "hedge"):
                continue
            caches = [Path(name) / f"cache-{key}-{turn}" for turn in range(1 if quick else 2)]
            seconds, compiled = min(
                process(PLAY, key, bare, NUMBA_CACHE_DIR=str(cache)) for cache in caches
            )
            yield Figure(
                f"{key}: first result ever, without the wheel's code, CPU",
                seconds,
                "s",
                "Numba compiles a textbook's Hedge",
                textbook,
                times,
                "ratio",
                note=f"{compiled} functions compiled",
            )


def installed(package: Path) -> list[str]:
    """Install the newest wheel with machine code; the learners whose code is in it."""
    wheels = sorted(
        (ROOT / "dist").glob("littlestone-*-manylinux*.whl"), key=lambda w: w.stat().st_mtime
    )
    if not wheels:
        raise RuntimeError("skipped: there is no wheel with machine code in dist/ (make wheel)")
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-index", "--target"]
    subprocess.run([*pip, package, wheels[-1]], check=True)
    code = package / "littlestone" / "engine" / "machine_code"
    facts: dict[str, Any] = json.loads((code / "made-for.json").read_text("utf-8"))
    return str(facts["learners"]).split(", ")


def process(
    code: str, key: str = "", package: Path | None = None, **more: str
) -> tuple[float, int]:
    """CPU seconds of a process until it has its result, and how many functions it compiled."""
    kept = {k: v for k, v in environment().items() if not k.startswith(("LITTLESTONE_", "NUMBA_"))}
    path = {"PYTHONPATH": os.fspath(package)} if package else {}
    done = subprocess.run(
        [sys.executable, "-c", code, key, os.fspath(package or "")],
        env=kept | path | more,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd="/",
    )
    if done.returncode:
        raise RuntimeError(f"a process with {key} failed:\n{done.stderr[-2000:]}")
    seconds, compiled = json.loads(done.stdout.splitlines()[-1])
    return float(seconds), int(compiled)
