"""Fits beside the rounds: on one thread of this process, begun in one round and taken in a later one.

What a fit gives follows from its rows alone, so it does not matter when, or whether, it was done beforehand: one that
was not begun in this process, as after a file was loaded or a process was forked, is done when it is taken.

>>> begin("three", lambda: 3)
>>> take("three", lambda: 3), take("four", lambda: 4)
(3, 4)
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

MOST = 8  # fits that are begun and not taken; the process waits for those that run before it ends


class Begun:
    """The fits of one process."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.thread = ThreadPoolExecutor(1, "littlestone-fit")
        self.fits: dict[Hashable, Future[Any]] = {}  # the oldest first


begun = Begun()


def begun_here() -> Begun:
    """The fits of this process: one that was forked has none, and no thread."""
    global begun
    if begun.process != os.getpid():
        begun = Begun()
    return begun


def begin(key: Hashable, fit: Callable[[], Any]) -> None:
    """Begin a fit; where too many are begun, or no thread can be started, it is left to `take`."""
    here = begun_here()
    with here.lock:
        if len(here.fits) >= MOST:  # one that is done may be of a learner that is there no more
            for old in [k for k, one in here.fits.items() if one.done()][:1]:
                del here.fits[old]
        if key in here.fits or len(here.fits) >= MOST:
            return
        try:
            here.fits[key] = here.thread.submit(fit)
        except RuntimeError:  # the process ends
            return


def take(key: Hashable, fit: Callable[[], Any]) -> Any:
    """What the fit gives; waits until it is done."""
    here = begun_here()
    with here.lock:
        found = here.fits.pop(key, None)
    return fit() if found is None else found.result()


def forget(key: Hashable) -> None:
    """Nobody will take this fit."""
    here = begun_here()
    with here.lock:
        found = here.fits.pop(key, None)
    if found is not None:
        found.cancel()
