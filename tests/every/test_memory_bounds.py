"""Compiled loops check no index: they must not read behind the arrays that they are given."""

import subprocess
import sys

import pytest

from littlestone.engine.compile import numba_imports

pytestmark = [
    pytest.mark.skipif(not numba_imports(), reason="nothing is compiled without Numba"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs mmap and mprotect as Linux has them"),
]

GUARDED = """
import ctypes, mmap, sys
import numpy as np

libc = ctypes.CDLL(None, use_errno=True)
held = []

def guarded(a):
    "The same array, which ends where memory does: whoever reads on is killed."
    a = np.ascontiguousarray(a)
    size = -(-a.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    room = mmap.mmap(-1, size + mmap.PAGESIZE)
    held.append(room)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    assert libc.mprotect(ctypes.c_void_p(start + size), mmap.PAGESIZE, 0) == 0
    found = np.frombuffer(room, a.dtype, a.size, size - a.nbytes).reshape(a.shape)
    found[...] = a
    return found

import littlestone as ls
from littlestone.play.options import PlayOptions
from littlestone.play.play_stream import play_stream
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream
from littlestone.core.vectors import Rows

rng = np.random.default_rng(0)
for name in sys.argv[1:]:
    for T, d in (5, 3), (301, 33), (1000, 7):
        X, y = rng.normal(size=(T, d)), (rng.random(T) < 0.5).astype(float)
        names = tuple(map(str, range(d)))
        rows = Rows(*map(guarded, (np.arange(T + 1) * d, np.tile(np.arange(d, dtype=np.int32), T), X.ravel())))
        for x, names in (guarded(X), names), (rows, ()):
            batch = Batch(x, guarded(y), width=d)
            stream = Stream([batch], names, rounds=T, whole=True, labels=(0, 1), features=True)
            for intercept in (False, True)[: 2 if name == "perceptron" and names else 1]:
                given = {} if name == "online-linear" else {"intercept": intercept}
                quiet = PlayOptions(certify=False, record="none")
                run = play_stream(ls.learner(name, **given), stream, quiet, allocation=False)
                assert np.isfinite(run.mean_loss)
L = guarded(rng.random((501, 9)))
for name in ("hedge",):
    assert np.isfinite(ls.play(name, L, losses=True, certify=False, record="none").mean_loss)
print("nothing was read behind an array")
"""


def test_nothing_is_read_behind_the_rows():
    names = ["perceptron", "online-linear"]
    done = subprocess.run(
        [sys.executable, "-c", GUARDED, *names],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "nothing was read behind an array\n"
