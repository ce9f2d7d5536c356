"""Fits run on one thread: on two busy cores, threads of OpenMP that spin while they wait took 70 times as long."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

VARIABLE = "OMP_NUM_THREADS"


@contextlib.contextmanager
def on_one_thread() -> Iterator[None]:
    """One thread for linear algebra and OpenMP. With the variable set scikit-learn starts no process to count cores."""
    from threadpoolctl import threadpool_limits

    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "1"
    try:
        with threadpool_limits(1):
            yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
