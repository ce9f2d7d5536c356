"""The errors that a user may cause. The command line prints their message without a traceback."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

FRAMES = (
    "LITTLESTONE_TRACEBACK"  # where this is "full", notebooks show the frames of errors of ours
)


class LittlestoneError(Exception):
    """The base of every error that Littlestone raises on purpose.

    IPython and notebooks show one line of it. The frames: `%env LITTLESTONE_TRACEBACK=full`, and then `%tb`.
    """

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows instead of a traceback."""
        if os.environ.get(FRAMES) == "full":
            import traceback

            return "".join(traceback.format_exception(self)).splitlines()
        return [f"{type(self).__name__}: {self}"]


class BadInput(LittlestoneError, ValueError):
    """Data or parameters that cannot be used; the message names the field, the row and the value."""


class BadFile(LittlestoneError, ValueError):
    """A file that cannot be read: missing, cut off, altered, or not what it claims to be."""


class FileReplaced(UserWarning):
    """A page was written where a file was before."""


def on_one_line(problem: object) -> str:
    """What another library says of a file, as part of a message of ours.

    >>> on_one_line(ValueError("bad page\\n  header "))
    'bad page header'
    """
    return " ".join(str(problem).split())


class NotFinite(BadInput, ArithmeticError):
    """A learner decided something that is not a finite number; the message names the learner and the round."""


def not_finite(key: str, t: int, values: Iterable[float], where: str = "") -> NotFinite:
    """Make the error that says: the decision of round t, counted from 0, holds a value that is not finite."""
    value = next((v for v in values if not math.isfinite(v)), math.nan)
    row = f"{where}: " if where else ""
    return NotFinite(
        f"{row}{key}: the decision of round {t + 1} is {value:g}, something that is not a number: numbers before it "
        "are too large, or too small, to compute with; divide features and outcomes, or losses, by a constant"
    )


class BadRule(LittlestoneError, TypeError):
    """A rule of a learner cannot be compiled; the message names the learner, the rule, the file and the line."""


class NotKept(LittlestoneError, AttributeError):
    """Something was asked of a run that it did not record; the message says how to record it."""


class NotRealizable(LittlestoneError, ValueError):
    """A version-space learner has ruled out every hypothesis: none of them is right in every round."""
