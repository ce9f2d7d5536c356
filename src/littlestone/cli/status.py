"""What is going on, on standard error: one line that comes when something lasts, and goes when it is done."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import click

from .console import console

TICK = 0.1  # seconds
PATIENCE = 1.0  # seconds before a terminal sees the line
COMPILING = 0.5  # seconds of compiling that nobody needs to hear of

Sink = Callable[[int, Any, Any], None]


class Status:
    """A line with the rounds played, rounds/s and the running loss; first "compiling tracker, once", if it must.

    A thread of its own looks and draws, so that the loop only has to count. Where standard error is no terminal,
    only the line about compiling is printed.
    """

    def __init__(self) -> None:
        self.what, self.learner = "", ""
        self.total: int | None = None
        self.rounds, self.answered, self.loss = 0, 0, 0.0
        self.since = time.perf_counter()  # when the first round came
        self._stopped = threading.Event()
        self._main = threading.get_ident()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Status:
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.stop()

    def stop(self) -> None:
        """The line goes; what is printed next has the screen for itself."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    # What the command says.

    def now(self, what: str) -> None:
        self.what, self.learner = what, ""

    def play(self, learner: str, total: int | None) -> Sink:
        """Count what is predicted: `play` hands chunks of predictions and losses to the function returned."""
        import numpy as np

        self.total, self.rounds, self.answered, self.loss = total, 0, 0, 0.0
        self.what, self.learner = f"beginning {learner}", learner

        def sink(t: int, predictions: Any, losses: Any) -> None:
            if not self.rounds:
                self.since = time.perf_counter()
            known = losses[~np.isnan(losses)]
            self.answered += len(known)
            self.loss += float(known.sum())
            self.rounds += len(losses)

        return sink

    # What the thread does.

    def _watch(self) -> None:
        out = console(stderr=True)
        shown: Any = None
        began, busy, told = time.perf_counter(), 0.0, ""
        try:
            while not self._stopped.wait(TICK):
                learner = self.learner
                busy = busy + TICK if learner and compiling(self._main) else 0.0
                if busy >= COMPILING and told != learner:
                    told = learner
                    if not out.is_terminal:
                        click.echo(f"compiling {learner}, once", err=True)
                if not out.is_terminal:
                    continue
                if shown is None and (busy >= COMPILING or time.perf_counter() - began >= PATIENCE):
                    from rich.live import Live

                    shown = Live(console=out, auto_refresh=False, transient=True)
                    shown.start()
                if shown is not None:
                    shown.update(self._line(busy >= COMPILING), refresh=True)
        finally:
            if shown is not None:
                shown.stop()

    def _line(self, compiles: bool) -> Any:
        from rich.progress_bar import ProgressBar
        from rich.spinner import Spinner
        from rich.table import Table

        line = Table.grid(padding=(0, 1))
        for _ in range(5):
            line.add_column(no_wrap=True)
        if compiles or not self.learner or not self.rounds:
            self._spinner = getattr(self, "_spinner", None) or Spinner("dots")
            line.add_row(
                self._spinner, f"compiling {self.learner}, once" if compiles else self.what
            )
            return line
        rate = self.rounds / max(time.perf_counter() - self.since, 1e-9)
        of = f" of {self.total:,}" if self.total else ""
        line.add_row(
            self.learner,
            ProgressBar(total=self.total, completed=self.rounds, width=12, pulse=not self.total),
            f"{self.rounds:,}{of}",
            f"{rate:,.0f} rounds/s",
            f"loss {self.loss / max(1, self.answered):.5g} a round",
        )
        return line


def compiling(thread: int) -> bool:
    """Is that thread inside Numba's compiler? Nothing is imported to find out, and what was cached never is."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if frame.f_globals.get("__name__") == "numba.core.compiler":
            return True
        frame = frame.f_back
    return False
