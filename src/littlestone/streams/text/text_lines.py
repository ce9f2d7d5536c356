"""One line of text, parsed in Python: its row, or what is wrong with it."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NOT_FINITE = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
WORD = 30  # characters of a word that a message shows


class BadLine(Exception):
    """What is wrong with a line, in a few words."""


class Row(NamedTuple):
    """The row of one line."""

    y: float  # NaN: no label
    h: float  # importance
    index: list[int]  # type: ignore[assignment]
    value: list[float]
    letters: bytes = b""  # the first of each entry's namespace
    tag: bytes = b""
    based: bool = False  # a third number before the bar


def number(word: bytes, what: str) -> float:
    """A finite number as every format here writes it, correctly rounded.

    >>> number(b"-1.5e3", "label")
    -1500.0
    """
    if NUMBER.fullmatch(word):
        v = float(word)
        if math.isfinite(v):
            return v
        raise BadLine(f"{what} is {quote_text(word)}, too large a number")
    finite = "a finite number" if NOT_FINITE.fullmatch(word) else "a number"
    raise BadLine(f"{what} is {quote_text(word)}, not {finite}")


def weight(word: bytes) -> float:
    """The importance of a line.

    >>> weight(b"-2")
    Traceback (most recent call last):
    ...
    littlestone.streams.text.text_lines.BadLine: importance is '-2', less than 0
    """
    h = number(word, "importance")
    if h < 0.0:
        raise BadLine(f"importance is {quote_text(word)}, less than 0")
    return h


def without_return(text: bytes) -> bytes:
    r"""A line without the carriage return that Windows writes at its end.

    >>> without_return(b"1 3:2\r")
    b'1 3:2'
    """
    text = text.removesuffix(b"\r")
    if b"\r" in text:
        raise BadLine("a carriage return in the middle of the line (lines end with \\n or \\r\\n)")
    return text


def quote_text(text: bytes, size: int = WORD) -> str:
    """Text for a message: in quotes, and cut if it is long.

    >>> quote_text(b"+1 3:0.5 17:1", 8)
    "'+1 3:0.5…'"
    """
    words = text[: 4 * size + 4].decode("utf-8", "replace")
    return repr(words if len(words) <= size else words[:size] + "…")
