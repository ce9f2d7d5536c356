"""Fits run on one thread: on two busy cores, threads of OpenMP that spin while they wait took 70 times as long."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

VARIABLE = "OMP_NUM_THREADS"
lock = threading.Lock()
before: list[
    str | None
] = []  # what the variable was for each fit that runs now; fits may run side by side


@contextlib.contextmanager
def on_one_thread(libraries: str | None = None) -> Iterator[None]:
    """One thread for OpenMP and linear algebra, or for one of them ("openmp", "blas").

    The threads of linear algebra are those of the whole process, the others those of the calling thread. With the
    variable set scikit-learn starts no process to count cores.
    """
    from threadpoolctl import threadpool_limits

    with lock:
        before.append(os.environ.get(VARIABLE) if not before else before[0])
        os.environ[VARIABLE] = "1"
    try:
        with threadpool_limits(1, user_api=libraries):
            yield
    finally:
        with lock:
            old = before.pop()
            if not before and old is None:
                os.environ.pop(VARIABLE, None)
            elif not before and old is not None:
                os.environ[VARIABLE] = old
