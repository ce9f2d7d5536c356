"""The errors that a user may cause. The command line prints their message without a traceback."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Self

FRAMES = (
    "LITTLESTONE_TRACEBACK"  # where this is "full", notebooks show the frames of errors of ours
)

PLAIN = (bool, int, float, str, type(None))


class LittlestoneError(Exception):
    """The base of every error that Littlestone raises on purpose.

    IPython and notebooks show one line of it. The frames: `%env LITTLESTONE_TRACEBACK=full`, and then `%tb`.
    """

    code = 2  # with which the command line ends

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows instead of a traceback."""
        if os.environ.get(FRAMES) == "full":
            import traceback

            return "".join(traceback.format_exception(self)).splitlines()
        return [f"{type(self).__name__}: {self}"]


class BadInput(LittlestoneError, ValueError):
    """Data or parameters that cannot be used; the message names the field, the row and the value.

    The same as data, for a program that answers another one: None where the message is about no single one.

    >>> import littlestone as ls
    >>> try:
    ...     ls.play("hedge", [[0.0, 1.0], [0.5, 7.0]], interval=(0, 1))
    ... except ls.BadInput as problem:
    ...     problem.as_dict()
    {'message': "row 2, column 'expert 2': loss is 7, outside the interval [0, 1]; declare a wider one with \
interval=(low, high)", 'field': 'loss', 'value': 7.0, 'row': 2, 'column': 'expert 2'}
    """

    def __init__(
        self,
        message: str = "",
        *,
        field: str | None = None,
        value: object = None,
        row: int | None = None,
        column: str | None = None,
    ) -> None:
        super().__init__(message)
        self.field = field  # the parameter, the argument or the part of a round that it is about
        self.value = value  # what that holds
        self.row = row  # of a table, counted from 1
        self.column = column  # of a table, or of a round: the expert, the arm, the feature

    def about(self, field: str, value: object = None) -> Self:
        """Say which field it is about, where that is not known yet."""
        if self.field is None:
            self.field, self.value = field, value
        return self

    def within(self, where: str, row: int | None = None) -> BadInput:
        """The same problem, in a message that says where it is."""
        row = self.row if row is None else row
        return BadInput(
            f"{where}: {self}", field=self.field, value=self.value, row=row, column=self.column
        )

    def as_dict(self) -> dict[str, object]:
        """Those of message, field, value, row and column that are known, as JSON can hold them."""
        value = self.value
        plain = isinstance(value, PLAIN) and not (
            isinstance(value, float) and not math.isfinite(value)
        )
        known = {
            "field": self.field,
            "value": value if plain else f"{value!r:.200}",
            "row": self.row,
            "column": self.column,
        }
        return {"message": str(self), **{k: v for k, v in known.items() if v is not None}}


class BadFile(LittlestoneError, ValueError):
    """A file that cannot be read: missing, cut off, altered, or not what it claims to be."""


class FileReplaced(UserWarning):
    """A page was written where a file was before."""


class SlowSearch(UserWarning):
    """A search that takes long has begun, and a library that is not installed would shorten it."""


class PluginLeftOut(UserWarning):
    """Another distribution offers learners that cannot be imported."""


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
        "are too large, or too small, to compute with; divide features and outcomes, or losses, by a constant",
        field="decision",
        value=value,
    )


class BadAction(BadInput):
    """A game took an action that it did not declare; the message names the learner, the round and the action."""


def undeclared_action(key: str, t: int, action: float, count: int, where: str = "") -> BadAction:
    """Make the error that says: the action of round t, counted from 0, is none of 0, …, count - 1."""
    row = f"{where}: " if where else ""
    known = "0 and 1" if count == 2 else f"0 to {count - 1}"
    return BadAction(
        f"{row}{key}: the action of round {t + 1} is {action:g}; its game declares {known} (traits: action, classes). "
        "act(…) returns the number of a label, an expert or an arm, counted from 0: of two labels 0 or 1, not -1 or +1",
        field="action",
        value=action,
    )


class BadRule(LittlestoneError, TypeError):
    """A rule of a learner cannot be compiled; the message names the learner, the rule, the file and the line."""


class NotKept(LittlestoneError, AttributeError):
    """Something was asked of a run that it did not record; the message says how to record it."""


class NotRealizable(LittlestoneError, ValueError):
    """A version-space learner has ruled out every hypothesis: none of them is right in every round."""
