"""Say that code is being compiled: the first play takes seconds, the next ones do not, and a user should know why."""

from __future__ import annotations

import logging
import sys

LOG = logging.getLogger("littlestone")


class Announcer:
    """One line on standard error, the first time that something is compiled and where a person is watching.

    Each compilation goes to the logger "littlestone" as well, at the level INFO.
    """

    def __init__(self) -> None:
        self.announced = False  # in this process
        self.quiet = 0  # how many callers say it in their own way

    def compiling(self, name: str) -> None:
        """Code for the learner class `name` was not in the cache."""
        LOG.info("compiling %s", name)
        if self.announced or self.quiet or not watched():
            return
        self.announced = True
        print(
            f"littlestone: compiling {name}; that takes some seconds, once: the result is kept for the next time",
            file=sys.stderr,
            flush=True,
        )


def watched() -> bool:
    """Is standard error a terminal, or a notebook?"""
    try:
        return sys.stderr.isatty() or "ipykernel" in sys.modules
    except (AttributeError, ValueError):  # there is none, or it was closed
        return False


announcer = Announcer()
