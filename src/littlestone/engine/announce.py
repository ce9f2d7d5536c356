"""Say that code is being compiled: the first play takes seconds, the next ones do not, and a user should know why."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import NamedTuple

LOG = logging.getLogger("littlestone")
LOG.addHandler(logging.NullHandler())  # a program that sets up no logging sees nothing of ours


class Announcer:
    """One line on standard error, the first time that something is compiled and where a person is watching.

    Each compilation goes to the logger "littlestone" as well, at the level INFO.
    """

    def __init__(self) -> None:
        self.announced = False  # in this process
        self.quiet = 0  # how many callers say it in their own way
        self.now: str | None = (
            None  # what was compiled last: as `compiling` has it; None: not known
        )

    def compiling(self, name: str, why: str = "") -> None:
        """Code for the learner class `name`, and how it is played, was not cached; "": code that learners share.

        `why` says why the code that came with the package cannot be used.
        """
        self.now = name
        if not name:
            return
        LOG.info("compiling %s%s", name, f" ({why})" if why else "")
        if self.announced or self.quiet or not is_watched():
            return
        self.announced = True
        because = f" ({why})" if why else ""
        print(
            f"littlestone: compiling {name}; that takes some seconds, once: the result is kept for the next time"
            f"{because}",
            file=sys.stderr,
            flush=True,
        )


class Plays(NamedTuple):
    """What a compiled function plays: a learner, and by which loop."""

    learner: str
    loop: str


# How a learner is played, by the name of the loop and by the classes that it is compiled for.
LOOPS = {"delayed": "with late feedback", "keyed": "for many keys"}
CLASSES = {"Sleeping": "with sleeping experts", "Rows": "for sparse examples"}


def in_words(plays: Plays, classes: Iterable[str]) -> str:
    """A learner, and how it is played: each of these is compiled by itself.

    >>> in_words(Plays("Tracker", "delayed"), ["Tangent", "Sleeping"])
    'Tracker with late feedback and with sleeping experts'
    """
    there = set(classes)
    ways = [LOOPS[plays.loop]] if plays.loop in LOOPS else []
    ways += [words for name, words in CLASSES.items() if name in there]
    return f"{plays.learner} {' and '.join(ways)}".strip()


def is_watched() -> bool:
    """Is standard error a terminal, or a notebook?"""
    try:
        return sys.stderr.isatty() or "ipykernel" in sys.modules
    except (AttributeError, ValueError):  # there is none, or it was closed
        return False


announcer = Announcer()
