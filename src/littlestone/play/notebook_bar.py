"""The progress bar of a notebook: it appears when a run takes long, and disappears when it is over."""

from __future__ import annotations

import sys
import time
from html import escape
from typing import Any, Self

PATIENCE = 1.0  # the bar appears after so many seconds
TICK = 0.25  # seconds between two pictures of it


class NotebookBar:
    """Is called with the rounds done, as `progress` is. HTML that IPython shows, so no widgets are needed."""

    def __init__(self, learner: str, total: int | None) -> None:
        self.learner, self.total = learner, total
        self.began = self.shown_at = time.perf_counter()
        self.last, self.before = (
            0,
            0,
        )  # rounds of this run, and of earlier ones, where there are several
        self.handle: Any = None  # what is on the page, once it is there

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.handle is not None:
            self.show("")

    def __call__(self, done: int, loss: float) -> None:
        if done < self.last:  # the run of another key begins
            self.before += self.last
        self.last = done
        done, now = self.before + done, time.perf_counter()
        if self.handle is None:
            due = now - self.began >= PATIENCE and done != self.total
        else:
            due = now - self.shown_at >= TICK
        if due:
            self.shown_at = now
            self.show(bar(self.learner, done, self.total, now - self.began))

    def show(self, html: str) -> None:
        display = sys.modules["IPython"].display
        if self.handle is None:
            self.handle = display.display(display.HTML(html), display_id=True)
        else:
            self.handle.update(display.HTML(html))


def bar(learner: str, done: int, total: int | None, seconds: float) -> str:
    """
    >>> bar("hedge", 500, 1000, 2.0)
    'hedge <progress value="500" max="1000"></progress> 500 of 1,000 rounds, 250 rounds/s, 2 s left'
    >>> bar("hedge", 500, None, 2.0)
    'hedge <progress></progress> 500 rounds, 250 rounds/s'
    """
    speed = done / max(seconds, 1e-9)
    if not total:
        return f"{escape(learner)} <progress></progress> {done:,} rounds, {speed:,.0f} rounds/s"
    left = f", {(total - done) / speed:,.0f} s left" if speed and done < total else ""
    picture = f'<progress value="{done}" max="{total}"></progress>'
    return f"{escape(learner)} {picture} {done:,} of {total:,} rounds, {speed:,.0f} rounds/s{left}"
