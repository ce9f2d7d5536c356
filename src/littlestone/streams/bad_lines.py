"""The policy for lines that cannot be read: stop at the first, or skip and count them."""

from __future__ import annotations

from typing import Protocol

from littlestone.core.errors import BadFile, BadInput

POLICIES = ("error", "skip")
SHOWN = 5  # line numbers named in the note
TEXT = 80  # characters of a line that a message shows


class Says(Protocol):
    """Makes an error of a message: one about a malformed line, or one about a value that makes no sense."""

    def __call__(self, message: str, /) -> Exception: ...


class BadLines:
    """The policy of one file, and the lines it has passed over.

    >>> bad = BadLines("data.csv", "skip")
    >>> bad.found(17, "1,x", "'x' is not a number")
    >>> bad.found(20, "1", "1 column, the header has 2")
    >>> bad.notes
    ("2 lines skipped as they cannot be read: 17, 20 (line 17: 'x' is not a number: '1,x')",)
    >>> BadLines("data.csv").found(17, "1,x", "'x' is not a number")
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadFile: data.csv, line 17: 'x' is not a number: '1,x'
    """

    def __init__(self, name: str, policy: str = "error") -> None:
        if policy not in POLICIES:
            raise BadInput(f"on_bad_line={policy!r}: 'error' or 'skip'")
        self.name, self.skip = name, policy == "skip"
        self.count = 0
        self.numbers: list[int] = []  # of the first lines skipped
        self.reason = ""
        self.cut = False

    def found(self, line: int, text: object, why: str, error: Says = BadFile) -> None:
        """Line numbers are counted from 1."""
        said = f"line {line:d}: {why}: {shorten_line(text)}"
        if not self.skip:
            raise error(f"{self.name}, {said}")
        if not self.numbers or line < self.numbers[0]:
            self.reason = said
        self.count += 1
        self.numbers = sorted([*self.numbers, line])[:SHOWN]

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.count:
            return ()
        lines = "line skipped as it" if self.count == 1 else "lines skipped as they"
        numbers = ", ".join(map(str, self.numbers)) + (", …" if self.count > SHOWN else "")
        return (
            f"{self.count:,} {lines} cannot be read: {numbers} ({self.reason})",
            *(["the last line is not complete: the file may be cut off"] if self.cut else []),
        )


def shorten_line(text: object) -> str:
    r"""A line as a message shows it: its beginning, on one line.

    >>> shorten_line(b"1,2\r\n")
    "'1,2'"
    """
    if isinstance(text, bytes | bytearray | memoryview):
        text = bytes(text[: 4 * TEXT]).decode(errors="replace")
    line = str(text).rstrip("\r\n")
    return repr(line if len(line) <= TEXT else line[:TEXT] + "…")
