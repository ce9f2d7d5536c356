"""The last intervals of a long table: what a page is drawn from, in bounded memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.stream import Array
from .chain import Chain, Piece
from .interval_run import Before, runs_of

ROOM = 400_000  # rounds that are kept at most; when there are more, the older half is let go


class LastIntervals:
    """The pieces of a chain, as they come."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.before = dict.fromkeys(chain.stages, Before())
        self.pieces: list[tuple[Piece, Array, Any]] = []
        self.rounds = 0

    def add(self, piece: Piece, y: Array, times: Any) -> None:
        self.pieces.append((piece, y, times))
        self.rounds += len(y)
        if self.rounds > ROOM:
            whole, y, times = self.whole()
            cut = len(y) - ROOM // 2
            for q, old in self.before.items():
                low, high, v = whole.lower[q][:cut], whole.upper[q][:cut], y[:cut]
                known = ~(np.isnan(v) | np.isnan(low))
                self.before[q] = Before(
                    old.rounds + cut, old.known + int(known.sum()), old.below + int((v < low).sum()),
                    old.above + int((v > high).sum()),
                )  # fmt: skip
            last = Piece(
                whole.forecast[cut:].copy(),
                {q: v[cut:].copy() for q, v in whole.lower.items()},
                {q: v[cut:].copy() for q, v in whole.upper.items()},
            )
            self.pieces = [(last, y[cut:].copy(), None if times is None else times[cut:])]
            self.rounds = ROOM // 2

    def whole(self) -> tuple[Piece, Array, Any]:
        """All pieces as one."""
        if len(self.pieces) == 1:
            return self.pieces[0]
        parts = [p for p, _, _ in self.pieces]
        times = [t for _, _, t in self.pieces]
        piece = Piece(
            np.concatenate([p.forecast for p in parts]),
            {q: np.concatenate([p.lower[q] for p in parts]) for q in self.chain.stages},
            {q: np.concatenate([p.upper[q] for p in parts]) for q in self.chain.stages},
        )
        y = np.concatenate([y for _, y, _ in self.pieces])
        return piece, y, None if any(t is None for t in times) else np.concatenate(times)

    def runs(self, name: str) -> Any:
        """The run of each level, as a mapping."""
        piece, y, times = self.whole()
        return runs_of(self.chain, piece, y, times, name, before=self.before)
