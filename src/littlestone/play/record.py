"""What a run writes down: every round while there is room, an evenly thinned trace beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..core.game import ONE
from ..engine.loops import Out
from .callbacks import Wants

if TYPE_CHECKING:
    from .callbacks import Played
    from .session import Session

ROOM = 4_000_000  # numbers that an array of a run may hold under record="auto"
THIN = 4096  # rounds that the trace keeps beyond that
SHARED = 1 << 20  # numbers of rounds that all runs share, at most
NUMBERS = np.arange(0)  # these numbers, as far as a run has needed them


class Record:
    """Rows of numbers, one a round: all of them, none, or every `every`-th once there are too many."""

    def __init__(self, width: int, mode: str = "auto", expected: int | None = None) -> None:
        self.width, self.mode, self.every = max(1, width), mode, 1
        self.rounds: list[Any] = []
        self.blocks: list[Any] = []
        self.kept = 0
        if mode == "auto" and expected and expected * self.width > ROOM:
            self._thin(expected)

    def _thin(self, rounds: int) -> None:
        """Double the step until that many rounds would fit, and drop what falls between."""
        while rounds // self.every >= THIN:
            self.every *= 2
        t, block = self.gather()
        keep = t % self.every == 0
        self.rounds, self.blocks, self.kept = [t[keep]], [block[keep]], int(keep.sum())

    @property
    def thinned(self) -> bool:
        return self.every > 1

    def plan(self, t0: int, rounds: int, like: tuple[int, Any] = (0, None)) -> tuple[int, Any]:
        """How to record a chunk: its step (0: not at all), and the numbers of the rounds that it keeps.

        `like` is what another record said of the same chunk: the same numbers, where their steps are the same.
        """
        if self.mode == "none":
            return 0, np.empty(0, np.int64)
        if self.mode == "auto":
            limit = THIN if self.every > 1 else ROOM // self.width
            if self.kept + rounds // self.every > limit:
                self._thin(t0 + rounds)
        if like[0] == self.every:
            return like
        end = t0 + rounds
        if self.every > 1 or end > SHARED:
            first = -(-t0 // self.every) * self.every
            return self.every, np.arange(first, end, self.every, dtype=np.int64)
        # Memory that is written for the first time costs 2 ns a number, of the 60 ns that a perceptron takes for a row:
        # all runs share the numbers. Records keep their views, and with them the array of that time. It grows by
        # doubling, so that all arrays together are at most twice the last: grown chunk by chunk, they took 480 MB for
        # a million rounds of 64 experts.
        global NUMBERS
        if len(NUMBERS) < end:
            NUMBERS = np.arange(min(SHARED, max(end, 2 * len(NUMBERS))), dtype=np.int64)
            NUMBERS.flags.writeable = False
        return 1, NUMBERS[t0:end]

    def add(self, t: Any, block: Any) -> None:
        if len(t):
            self.rounds.append(t)
            self.blocks.append(block)
            self.kept += len(t)

    def with_width(self, width: int) -> Record:
        """The same record with more columns; rounds before had no such numbers."""
        made = Record(width, self.mode)
        made.every = self.every
        t, rows = self.gather()
        if len(t):
            rows = rows.reshape(len(t), -1)
            made.add(t, np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=np.nan))
        return made

    def gather(self) -> tuple[Any, Any]:
        """The rounds kept (from 0), and their rows."""
        if not self.blocks:
            return np.empty(0, np.int64), np.empty((0, self.width) if self.width > 1 else 0)
        if len(self.blocks) > 1:
            self.rounds, self.blocks = [np.concatenate(self.rounds)], [np.concatenate(self.blocks)]
        return self.rounds[0], self.blocks[0]


class Records:
    """What a run writes down of its rounds: decisions, actions, costs, and what was drawn, where draws are charged."""

    wants: ClassVar[Wants] = Wants()

    def __init__(
        self, widths: tuple[int, int], draws: bool, mode: str, expected: int | None
    ) -> None:
        """`widths`: of decisions and actions; `expected`: rounds, where that is known."""
        self.widths = widths
        self.decisions, self.actions = (Record(width, mode, expected) for width in widths)
        self.costs = Record(1, mode, expected)
        self.realised = Record(1, mode, expected) if draws else None

    def widen(self, decisions: int, actions: int) -> None:
        """Let decisions and actions have more numbers from now on."""
        if decisions != self.widths[0]:
            self.decisions = self.decisions.with_width(decisions)
        if actions != self.widths[1]:
            self.actions = self.actions.with_width(actions)
        self.widths = decisions, actions

    def on_rounds(self, session: Session, played: Played) -> None:
        """Keep what is to be kept of a chunk."""
        t, out = played.first, played.out
        plan = self.decisions.every if len(played.kept) else 0, played.kept
        W = out.decisions
        if session.every_decision:  # of which the record keeps some
            plan = self.decisions.plan(t, played.rows)
            W = W if len(plan[1]) == played.rows else W[plan[1] - t]
        self.decisions.add(plan[1], W)
        A = out.actions[:, 0] if session.setting.traits.width == ONE else out.actions
        for record, numbers in (
            (self.actions, A),
            (self.costs, out.costs),
            (self.realised, out.realised),
        ):
            if record is not None:
                plan = record.plan(t, played.rows, plan)
                record.add(
                    plan[1], numbers if len(plan[1]) == played.rows else numbers[plan[1] - t]
                )


def slice_out(out: Out, at: int, rows: int, decisions: slice, marks: Any) -> Out:
    """What a slice writes of a chunk's record: which decisions, and notes of the rows `marks`."""

    def cut(v: Any) -> Any:
        return v[at : at + rows] if len(v) else v

    M = out.notes
    if len(M):
        M = M[slice(*marks.searchsorted((at, at + rows)).tolist())]
    return Out._make([*map(cut, out[:5]), out.decisions[decisions], M])
