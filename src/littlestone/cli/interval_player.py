"""Play one learner over the batches of a file: the intervals of each key, their results, and what is saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..conformal.sets.chain import Chain, Piece
from ..conformal.sets.chain_files import save_by_key
from ..conformal.sets.interval_run import IntervalRun
from ..conformal.sets.last_intervals import LastIntervals
from ..conformal.sets.measures import Measures
from ..core.stream import Batch
from .interval_reference import ValueBefore


class PlayedIntervals(NamedTuple):
    """A row of the table: its name, its intervals, and how good those around the value before were."""

    name: str
    run: IntervalRun
    value_before: Measures


class Player:
    """One learner with one delay: a chain for each key (or one for all rows), and the intervals that it gave."""

    def __init__(
        self, spec: str, delay: int, make_chain: Callable[[int | None, bool], Chain], chains: Any
    ) -> None:
        self.spec, self.delay, self.make_chain = spec, delay, make_chain
        self.given: dict[Any, Chain] = chains or {}  # chains of a file, which go on
        self.chains: dict[Any, Chain] = dict(self.given)
        self.kept: dict[Any, LastIntervals] = {}
        self.value_before: dict[Any, ValueBefore] = {}

    def feed(self, batch: Batch, times: Any, rounds: dict[Any, int]) -> list[tuple[Any, Piece]]:
        """Play a batch, key by key; `rounds` of each key, where all are in memory."""
        said = []
        keys = [None] if batch.key is None else list(dict.fromkeys(batch.key.tolist()))
        for key in keys:
            rows: Any = slice(None) if key is None else batch.key == key
            if key not in self.chains:
                self.chains[key] = self.make_chain(rounds.get(key), key is not None)
            if key not in self.kept:
                self.kept[key] = LastIntervals(self.chains[key])
                self.value_before[key] = ValueBefore(self.chains[key].stages, self.delay)
            chain, x, y = self.chains[key], batch.x[rows], np.ascontiguousarray(batch.y[rows])
            when = None if times is None else times[rows]
            piece = chain.feed(x, y, when, batch.first)
            self.kept[key].add(piece, y, when)
            self.value_before[key].add(y)
            said.append((rows, piece))
        return said

    def save(self, path: str) -> None:
        if set(self.chains) == {None}:
            self.chains[None].save(path)
        else:
            save_by_key(self.chains, path)

    def runs(self, name: str) -> list[PlayedIntervals]:
        """The runs, each with the name of its row."""
        late = f", {self.delay} rounds late" if self.delay else ""
        made = []
        for key, kept in self.kept.items():
            before = "" if key is None else f"{key}: "
            for run in kept.runs(name if key is None else str(key)).each():
                simple = self.value_before[key].tallies[run.level].measures()
                row = f"{before}{self.spec} at {run.level:g}{late}"
                made.append(PlayedIntervals(row, run, simple))
        return made
