"""Save a learner while it learns: every so often, and when the run is stopped by Ctrl-C or SIGTERM."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Self

from ..core.errors import BadInput, LittlestoneError
from ..live import store
from .command_options import CommandOptions

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
PRIVATE = "?" * 8  # a pattern for what is added to the name of a file while it is written


class Stopped(LittlestoneError):
    """The run was stopped, and what was learned is saved."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.code = 128 + number


def interval(text: str) -> tuple[float, int]:
    """Seconds, or rounds, of --save-every; 0 for the one that is not meant.

    >>> interval("60s"), interval("5m"), interval("100000")
    ((60.0, 0), (300.0, 0), (0.0, 100000))
    """
    found = re.fullmatch(r"(\d+)([smh]?)", text.replace(",", "").replace("_", ""))
    if found is None or not int(found[1]):
        raise BadInput(
            f"--save-every {text}: write a time, as in 60s, 5m or 1h, or a number of rounds, as in 100000"
        )
    number = int(found[1])
    return (number * UNITS[found[2]], 0) if found[2] else (0.0, number)


class Checkpoints:
    """Writes the learner to the file of --save; each time the file is replaced as a whole.

    `Session` calls it between slices of about 50 ms, where the state of the learner is that of the rounds so far.
    """

    def __init__(self, options: CommandOptions) -> None:
        self.path, self.skipped = options.save, options.skip
        self.passes, self.by = options.passes, options.by_column
        self.learners_without = options.learners_without
        self.seconds, self.rounds = interval(options.save_every) if options.save_every else (0.0, 0)
        self.last, self.at = time.monotonic(), 0
        self.stopped = 0  # the number of the signal that asked for the end
        self.playing = False
        self.stream: Any = None  # which is played
        self.before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if self.path is None:
            return self
        path = Path(self.path)
        for left in path.parent.glob(
            f".{path.name}.{PRIVATE}"
        ):  # left by a run that was killed while it wrote
            left.unlink(missing_ok=True)
        try:
            for number in (signal.SIGINT, signal.SIGTERM):
                self.before[number] = signal.signal(number, self.ask)
        except ValueError:  # only the main thread may handle signals
            pass
        return self

    def __exit__(self, *problem: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)
        self.before.clear()

    def ask(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal: end the run after this slice; at once if no slice is played, or at the second signal."""
        if self.stopped or not self.playing:
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)
        self.stopped = number

    def __call__(self, learner: Any, live: Any, rounds: int) -> None:
        """Save if it is time: `rounds` of this run are over, and `live` is the learner after them."""
        self.playing = True
        due = self.seconds and time.monotonic() - self.last >= self.seconds
        due = due or (self.rounds and rounds - self.at >= self.rounds)
        if not due and not self.stopped:
            return
        live.setting.named_as(self.stream)
        store.save(learner.replace().attach(live), str(self.path))
        self.saved(rounds)

    def of_keys(self, sessions: Mapping[Any, Any], done: int) -> None:
        """Save if it is time: all keys have learned from the first `done` rows of the file."""

        def write() -> None:
            learners = self.learners_without(sessions)
            for key, session in sessions.items():
                live = session.live_after(session.t)
                live.setting.named_as(self.stream)
                learners[key] = session.learner.replace().attach(live)
            store.save_by_key(learners, str(self.path))

        self.between(write, done)

    def between(self, write: Callable[[], None], done: int) -> None:
        """Call `write` if it is time: the learners that it saves learned from the first `done` rows of the file."""
        self.playing = True
        rounds = done - self.skipped
        due = self.seconds and time.monotonic() - self.last >= self.seconds
        due = due or (self.rounds and rounds - self.at >= self.rounds)
        if due or self.stopped:
            write()
            self.saved(rounds)

    def saved(self, rounds: int) -> None:
        self.last, self.at = time.monotonic(), rounds
        if self.stopped:
            self.playing = False
            raise Stopped(
                f"stopped after {self.skipped + rounds:,} rows; what was learned is in {self.path}. To go on, run the "
                f"same again with --load {self.path} {self.rest(rounds)} and without --learner, --loss, -p and --seed",
                self.stopped,
            )

    def rest(self, rounds: int) -> str:
        """Say which rows are left."""
        done = self.skipped + rounds
        if self.passes == 1:
            return f"--skip {done}"
        length = self.stream.rounds  # of the first pass, without the rows that were skipped
        if length is None or rounds < length:
            return f"--skip {done}"
        over, more = divmod(rounds - length, length + self.skipped)
        return f"--skip {more} --passes {self.passes - 1 - over}"
