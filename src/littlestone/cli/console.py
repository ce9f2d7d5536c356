"""Where results are printed: a terminal, a pipe, or a log."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def console(stderr: bool = False) -> Console:
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        made.width = 160  # a pipe has no width: do not cut tables to 80
    return made


@contextlib.contextmanager
def progress(label: str, total: int | None) -> Iterator[Callable[[int, float], None]]:
    """A bar with rounds/s and the running loss, once a run has lasted a second; on standard error."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:,.0f} rounds/s, loss {task.fields[mean]:.5g} a round"),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
    )
    began = time.perf_counter()
    task = None

    def tell(rounds: int, loss: float) -> None:
        nonlocal task
        elapsed = time.perf_counter() - began
        if elapsed < 1.0:
            return
        fields: Any = {"rate": rounds / elapsed, "mean": loss / max(1, rounds)}
        if task is None:
            bar.start()
            task = bar.add_task(label, total=total, completed=rounds, **fields)
        bar.update(task, completed=rounds, **fields)

    try:
        yield tell
    finally:
        bar.stop()
