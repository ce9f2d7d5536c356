"""The progress line on standard error: it appears when something takes long, and disappears when it is done."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import click

from ..engine.announce import announcer
from .console import console

if TYPE_CHECKING:
    from .follow import Chunk

TICK = 0.1  # seconds between two looks
PATIENCE = 1.0  # the line appears after so many seconds
COMPILING = 0.5  # compiling that takes more seconds is announced
# Seconds that it takes to compile a learner where nothing else runs (README: hedge 2, tracker 4, online-linear 9).
USUALLY, SECONDS = (
    5,
    {
        "mixture": 50,
        "mixture-regression": 35,
        "online-kernel": 20,
        "online-linear": 10,
        "logistic": 10,
    },
)
BAR = 12  # the width of the bar, in columns


class Status:
    """A line with the rounds played, rounds/s, MB/s, running loss and accuracy; what is compiled, if it must be.

    A thread of its own looks and draws, so that the loop only has to count. Where standard error is no terminal,
    only the line about compiling is printed.
    """

    def __init__(self) -> None:
        self.what, self.learner = "", ""
        self.total: int | None = None
        self.file = Bytes(None)
        self.rounds, self.answered, self.loss = 0, 0.0, 0.0
        self.labelled, self.right = 0.0, 0.0
        self.since = time.perf_counter()  # when the first round came
        self._stopped = threading.Event()
        self._main = threading.get_ident()
        self._thread: threading.Thread | None = None
        self._spinner: Any = None  # rich's, which turns as long as it is the same

    def __enter__(self) -> Status:
        announcer.quiet += 1  # the status line announces compiling
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Remove the line, so that what is printed next is not mixed with it."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            announcer.quiet -= 1

    # Called by the command.

    def now(self, what: str) -> None:
        self.what, self.learner = what, ""

    def play(self, learner: str, total: int | None, file: str | None = None) -> None:
        """Show that a learner begins; `count` is called with its rounds."""
        self.total, self.rounds, self.answered, self.loss = total, 0, 0.0, 0.0
        self.labelled, self.right = 0.0, 0.0
        self.file = Bytes(file)
        self.what, self.learner = f"beginning {learner}", learner

    def count(self, chunk: Chunk) -> None:
        import numpy as np

        if not self.rounds:
            self.since = time.perf_counter()
        h = 1.0 if chunk.importance is None else chunk.importance
        known = ~np.isnan(chunk.losses)
        self.answered += float((known * h).sum())
        self.loss += float(np.where(known, chunk.losses, 0.0).sum())
        if chunk.right is not None:
            labelled = ~np.isnan(chunk.right)
            self.labelled += float((labelled * h).sum())
            self.right += float((np.where(labelled, chunk.right, 0.0) * h).sum())
        self.rounds += len(chunk.losses)

    def count_rounds(self, rounds: int) -> None:
        """Set the number of rounds played, in all runs together."""
        if not self.rounds:
            self.since = time.perf_counter()
        self.rounds = rounds

    # Called by the thread.

    def _watch(self) -> None:
        out = console(stderr=True)
        shown: Any = None
        began, busy, announced = time.perf_counter(), 0.0, {""}
        try:
            while not self._stopped.wait(TICK):
                learner = self.learner
                busy = busy + TICK if learner and compiling(self._main) else 0.0
                said = compiling_once(learner, announcer.now) if busy >= COMPILING else ""
                if said not in announced and not out.is_terminal:
                    announced.add(said)
                    click.echo(said, err=True)
                if not out.is_terminal:
                    continue
                if shown is None and (busy >= COMPILING or time.perf_counter() - began >= PATIENCE):
                    from rich.live import Live

                    shown = Live(console=out, auto_refresh=False, transient=True)
                    shown.start()
                if shown is not None:
                    shown.update(self._line(busy >= COMPILING, out.width), refresh=True)
        finally:
            if shown is not None:
                shown.stop()

    def _line(self, compiles: bool, width: int) -> Any:
        from rich.progress_bar import ProgressBar
        from rich.spinner import Spinner
        from rich.table import Table

        line = Table.grid(padding=(0, 1))
        if compiles or not self.learner or not self.rounds:
            self._spinner = self._spinner or Spinner("dots")
            what = compiling_once(self.learner, announcer.now) if compiles else self.what
            line.add_row(self._spinner, what)
            return line
        read, part = self.file.read()
        part = self.rounds / self.total if self.total else part
        bar = ProgressBar(total=1.0, completed=part or 0.0, width=BAR, pulse=part is None)
        seconds = max(time.perf_counter() - self.since, 1e-9)
        cells = fitting(self.learner, self._words(seconds, part, read), BAR, width)
        for _ in cells:
            line.add_column(no_wrap=True)
        line.add_row(*(bar if cell is None else cell for cell in cells))
        return line

    def _words(self, seconds: float, part: float | None, read: int) -> list[str]:
        """The words of the line beside the bar, the most important first."""
        words = []
        if part:
            words.append(f"{part:.0%}")
            if (
                not self.file.before
            ):  # in a later pass over a file, `seconds` counts the earlier passes too
                words.append(f"{clock(seconds * (1.0 / part - 1.0))} left")
        if self.answered:
            words.append(f"loss {self.loss / self.answered:.5g} a round")
        if self.labelled:
            words.append(f"accuracy {self.right / self.labelled:.4f}")
        words.append(f"{self.rounds / seconds:,.0f} rounds/s")
        words.append(f"{self.rounds:,}" + (f" of {self.total:,}" if self.total else ""))
        if read:
            words.append(f"{read / 1e6 / seconds:,.1f} MB/s")
        return words


def compiling_once(learner: str, now: str | None = None) -> str:
    """What is compiled, and about how long that takes; `now`: as the announcer has it.

    >>> compiling_once("tracker", "Tracker with late feedback")
    'compiling tracker with late feedback, once on this machine (about 5 s, longer where it is busy)'
    >>> compiling_once("hedge", "")
    'compiling what learners share, once on this machine (some seconds)'
    """
    if now == "":
        return "compiling what learners share, once on this machine (some seconds)"
    way = (now or "").partition(" ")[2]
    key = learner.partition(":")[0]
    about = next((s for slow, s in SECONDS.items() if key.startswith(slow)), USUALLY)
    return f"compiling {learner}{' ' * bool(way)}{way}, once on this machine (about {about} s, longer where it is busy)"


def clock(seconds: float) -> str:
    """
    >>> clock(0.2), clock(75), clock(7_325)
    ('0:00', '1:15', '2:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def fitting(learner: str, words: list[str], bar: int, width: int) -> list[str | None]:
    """The cells of the line, None for the bar: as many words as a terminal has room for, the first ones first.

    Where not even the bar fits beside the first two, it goes, and then the learner's name.

    >>> words = ["62%", "0:04 left", "loss 0.25 a round", "9 rounds/s", "500 of 800"]
    >>> fitting("hedge", words, 12, 80)
    ['hedge', None, '62%', '0:04 left', 'loss 0.25 a round', '9 rounds/s', '500 of 800']
    >>> fitting("hedge", words, 12, 40), fitting("hedge", words, 12, 20)
    (['hedge', None, '62%', '0:04 left'], ['hedge', '62%', '0:04 left'])
    """
    starts: list[list[str | None]] = [[learner, None], [learner], []]
    for start in starts:
        cells = [*start, *words[:2]]
        if spent(cells, bar) <= width:
            break
    for word in words[2:]:
        if spent([*cells, word], bar) <= width:
            cells.append(word)
    return cells


def spent(cells: list[str | None], bar: int) -> int:
    """Columns that the cells take, with a space behind each."""
    return sum(bar if cell is None else len(cell) for cell in cells) + len(cells)


class Bytes:
    """How much of a file this process has read, as far as the system tells (Linux does); packed bytes, if it is packed.

    Readers open files in different ways, and some do it outside of Python. The system lists the position of every file
    that this process holds open.
    """

    def __init__(self, file: str | None) -> None:
        self.path = os.path.realpath(file) if file and os.path.isfile(file) else None
        self.size = os.path.getsize(self.path) if self.path else 0
        self.before, self.last = 0, 0  # bytes of earlier passes, and where this one is

    def read(self) -> tuple[int, float | None]:
        """Bytes read in all passes, and the share of the file that this pass has read; 0 and None: not known."""
        now = self._position() if self.path is not None else 0
        if not now:
            return 0, None
        if now < self.last:
            self.before += self.size
        self.last = now
        return self.before + now, now / self.size

    def _position(self) -> int:
        try:
            mine = [number for number in os.listdir("/proc/self/fd") if self._is_mine(number)]
            found = 0
            for number in mine:
                with open(f"/proc/self/fdinfo/{number}", encoding="utf-8") as info:
                    found = max(found, int(info.readline().split()[1]))
            return found
        except (OSError, ValueError):
            return 0

    def _is_mine(self, number: str) -> bool:
        try:
            return os.readlink(f"/proc/self/fd/{number}") == self.path
        except OSError:
            return False


def compiling(thread: int) -> bool:
    """Is that thread inside Numba's compiler? Nothing is imported to find out, and what was cached never is."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if frame.f_globals.get("__name__") == "numba.core.compiler":
            return True
        frame = frame.f_back
    return False
