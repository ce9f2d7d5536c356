"""A stream as it is played: to which rows, and to which labels, the predictions of a chunk belong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..core.stream import Batch, Stream
from ..report.simple import Tally
from ..settings.labels import Coder, coder
from .learner_spec import AnyLearner


class Chunk:
    """What was predicted in some rounds: labels as places in `Followed.names`, and whether they were right."""

    def __init__(self, predictions: Any, losses: Any, right: Any, importance: Any) -> None:
        self.predictions, self.losses = predictions, losses
        self.right, self.importance = right, importance  # None: no labels; every round counts alike


class Followed:
    """Gives out the batches of a stream and takes what is predicted in them, while `play` is at work.

    A learner codes labels as they come, each key for itself, and one that was loaded brings labels of its own: so
    codes are turned into places in one list of names, which grows.
    """

    def __init__(self, stream: Stream, learner: AnyLearner, resume: bool = False) -> None:
        self.stream, self.learner = stream, learner
        self.names: list[Any] = []
        self.coders: dict[Any, Coder | None] = {}
        self.tallies: dict[Any, Tally] = {}
        live = learner.live if resume and learner.examples else None
        self.known = None if live is None else list(live.labels or ())
        self.listeners: list[Callable[[Chunk], None]] = []
        self.done: list[Callable[[Batch, int], None]] = []  # called after each batch, with its pass
        self.batch: Batch | None = None
        self.order: Any = None
        self.at, self.first, self.passes = 0, -1, 1
        self.played = False
        inside, again = stream.batches, stream.again
        stream.batches = Handed(self, inside)
        if isinstance(inside, list):
            stream.again = lambda: Handed(self, inside)
        elif again is not None:
            stream.again = lambda: Handed(self, again())

    def begin(self, batch: Batch) -> None:
        self.batch, self.at, self.played = batch, 0, False
        self.order = played_order(batch)

    def finish(self, batch: Batch) -> None:
        if self.played:  # else it was only looked at
            for tell in self.done:
                tell(batch, self.passes)

    def sink(self, t: int, predictions: Any, losses: Any) -> None:
        """What `play` hands over, chunk by chunk, in the order of play."""
        batch = self.batch
        assert batch is not None
        if not self.played:
            self.played = True
            self.passes += batch.first <= self.first
            self.first = batch.first
        rows: Any = slice(self.at, self.at + len(losses))
        rows = rows if self.order is None else self.order[rows]
        self.at += len(losses)
        key = None if batch.key is None else batch.key[rows[0]]
        h = None if batch.h is None else batch.h[rows]
        said, right = self.judged(self.coder(key), predictions, batch.y[rows])
        if right is not None:
            tally = self.tallies.setdefault(key, Tally())
            tally.add(batch.y[rows], np.ones(len(losses)) if h is None else h)
        for listen in self.listeners:
            listen(Chunk(said, losses, right, h))

    def judged(self, coder: Coder | None, predictions: Any, y: Any) -> tuple[Any, Any]:
        """Predictions as places in `names`, and which are right (NaN: no answer)."""
        labels = self.stream.labels
        if coder is None or labels is None:
            self.names = list(labels or ())
            return predictions, None
        if self.stream.found and not coder.most:  # a class exists from its first occurrence
            coder.meet(y, labels)
        else:
            for label in labels:
                coder.code(label)
        ours = [self.place(coder.label(c)) for c in range(len(coder))]
        theirs = np.array([self.place(label) for label in labels])
        known, none = ~np.isnan(y), np.isnan(predictions)
        if none.any():  # no class was known yet
            ours.append(self.place(None))
        said = np.array(ours)[np.where(none, -1, predictions).astype(np.int64)]
        right = np.where(known, said == theirs[np.where(known, y, 0.0).astype(np.int64)], np.nan)
        return said, right

    def coder(self, key: Any) -> Coder | None:
        """The codes that the session gives out (settings/examples.py); None: there are none."""
        if not self.learner.examples:
            return None
        if key not in self.coders:
            game, labels = self.learner.game(False), list(self.stream.labels or ())
            if self.known is not None:
                labels = self.known
            elif len(labels) == 1 and game.traits().classes == 2:
                labels = []  # as `settings.examples` does: 1 is the second class all the same
            elif self.stream.found and game.traits().classes != 2:
                labels = []  # they are learned as they come
            self.coders[key] = coder(self.learner, game, labels)
        return self.coders[key]

    def place(self, label: Any) -> int:
        if label not in self.names:
            self.names.append(label)
        return self.names.index(label)


class Handed:
    """Batches, as they are; whoever follows them hears of each before and after it is played."""

    def __init__(self, follower: Followed, batches: Iterable[Batch]) -> None:
        self.follower, self.batches = follower, batches

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.batches:
            self.follower.begin(batch)
            yield batch
            self.follower.finish(batch)


def played_order(batch: Batch) -> Any:
    """With keys, `play` takes the rows of a batch key by key."""
    if batch.key is None:
        return None
    keys = dict.fromkeys(batch.key.tolist())
    return np.concatenate([np.flatnonzero(batch.key == key) for key in keys])
