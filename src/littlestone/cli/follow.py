"""Follow a stream as it is played: find the rows and labels that the predictions of a chunk belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.costs import Costs
from ..core.errors import BadInput
from ..core.game import PER_CLASS, SEVERAL
from ..core.probabilities import of_scores
from ..core.stream import Batch
from ..encode.labels import LabelEncoder
from ..encode.stream import Stream
from ..play.callbacks import KeyedSink
from ..play.delay import KeyDelays
from ..play.keys import keys_of
from ..report.simple import LabelTally, NumberTally, Tally
from ..run.keyed import KeyedRuns
from .learner_spec import AnyLearner
from .probabilities import by_label


class Chunk(NamedTuple):
    """What was predicted in some rounds: labels as places in `Followed.names`, and whether they were right."""

    predictions: Any
    losses: Any
    right: Any  # None: no labels
    importance: Any  # None: every round counts alike
    p: Any = None  # the probability of each class, where that was asked for
    decided: Any = None  # the label of least expected cost, as a place, where costs were said


class Followed(KeyedSink):
    """Gives out the batches of a stream and takes what is predicted in them, while `play` is at work.

    A learner codes labels as they come, each key for itself, and one that was loaded brings labels of its own: so
    codes are turned into places in one list of names, which grows.
    """

    def __init__(
        self,
        stream: Stream,
        learner: AnyLearner,
        resume: bool = False,
        ids: bool = False,
        delay: int | KeyDelays = 0,
        by_key: Mapping[Any, AnyLearner] | None = None,
    ) -> None:
        """`ids`: the keys of the stream are written beside predictions, and split nothing.

        `delay`: rounds until an outcome is known; `by_key`: the learners that go on, where each key has its own.
        """
        self.delay = delay
        self.stream, self.learner, self.ids = stream, learner, ids
        self.scores: Any = None  # the scores of the next chunk, where they are asked for
        self.costs: Costs | None = None  # what decisions cost
        self.wants_columns = True  # are the probabilities themselves written?
        self.classes: list[Any] | None = None  # the probabilities of these classes are written
        self.names: list[Any] = []
        self.where: dict[Any, int] = {}  # the place of each name
        self.coders: dict[Any, LabelEncoder | None] = {}
        self.counts = True  # are the losses of simple answers counted as outcomes come?
        self.tallies: dict[Any, Tally] = {}
        going_on = (by_key or {None: learner}) if resume and learner.examples else {}
        self.known = {key: one.begun().coder for key, one in going_on.items()}
        self.listeners: list[Callable[[Chunk], None]] = []
        self.done: list[Callable[[Batch, int], None]] = []  # called after each batch, with its pass
        self.batch: Batch | None = None
        self.id: Any = None  # the ids of the rows of the batch
        self.order: Any = None
        self.at, self.first, self.passes = 0, -1, 1
        self.played = False
        inside, again = stream.batches, stream.again
        self.close: Callable[[], None] = getattr(inside, "close", lambda: None)  # of a file
        stream.batches = Handed(self, inside)
        if isinstance(inside, list):
            stream.again = lambda: Handed(self, inside)
        elif again is not None:
            stream.again = lambda: Handed(self, again())

    def take_scores(self, scores: Any) -> None:
        self.scores = scores

    def probabilities(self, coder: LabelEncoder, t: int, predictions: Any) -> tuple[Any, Any]:
        """Of the classes that are known when the first are written; a class that comes later has no column.

        And the decisions, as places in `names`; None where they were not asked for.
        """
        if self.classes is None:
            self.classes = list(self.stream.labels or ())
        unseen = coder.unseen(t + np.arange(len(self.scores)))
        classes = self.learner.game(False).traits().classes
        p = of_scores(self.scores, classes, unseen)
        decided = None
        if self.costs is not None:
            known = ~np.isnan(self.scores) if classes == SEVERAL else np.ones(p.shape, bool)
            labels: list[Any] = [coder.label(c) for c in range(len(coder))]
            mine = [*labels, None][: p.shape[1]]  # before the first label came
            codes = self.costs.decide(np.nan_to_num(p), known, predictions, mine)
            decided = self.places(codes, coder.label)
        if not self.wants_columns:
            return None, decided
        p = by_label(p, coder, self.classes)
        p[np.isnan(predictions)] = np.nan  # no class was known
        return p, decided

    def begin(self, batch: Batch) -> None:
        self.batch, self.at, self.played, self.order = batch, 0, False, None

    def finish(self, batch: Batch) -> None:
        if self.played:  # else it was only looked at
            self.played = False
            for tell in self.done:
                tell(batch, self.passes)

    def together(self, runs: KeyedRuns, batches: list[Batch]) -> None:
        """Take the results of many keys that were played together: all rows, in their order."""
        said, at = runs.stacks.actions(runs.A), 0
        self.names = list(self.stream.labels or ())
        for batch in batches:
            rows = slice(at, at + len(batch.y))
            self.order, self.played, at = None, True, rows.stop
            for listen in self.listeners:
                listen(Chunk(said[rows], runs.C[rows], None, batch.h))
            self.finish(batch)

    def handed(self, batches: list[Batch]) -> Iterable[Batch]:
        """Batches that were only looked at, once more, to be played."""
        return Handed(self, batches)

    def __call__(self, t: int, predictions: Any, losses: Any) -> None:
        """Take the results of `play`, chunk by chunk, in the order of play."""
        batch = self.batch
        assert batch is not None
        if not self.played:
            self.played = True
            if batch.key is not None:  # rows are played key by key
                self.order = keys_of(batch).order
            self.passes += batch.first <= self.first
            self.first = batch.first
        rows: Any = slice(self.at, self.at + len(losses))
        rows = rows if self.order is None else self.order[rows]
        self.at += len(losses)
        key = None if batch.key is None else batch.key[rows[0]]
        h = None if batch.h is None else batch.h[rows]
        coder, labels = self.coder(key), self.stream.labels
        said, right, p, decided = predictions, None, None, None
        if coder is None or labels is None:
            self.names = list(labels or ())
        else:
            said, right = self.match_labels(coder, labels, predictions, batch.y[rows])
        if self.counts and batch.y.ndim == 1:  # else they are losses of each expert
            self.count(key, batch.x, batch.y[rows], np.ones(len(losses)) if h is None else h, rows)
        if self.scores is not None and coder is not None:
            p, decided = self.probabilities(coder, t, predictions)
        for listen in self.listeners:
            listen(Chunk(said, losses, right, h, p, decided))

    def count(self, key: Any, x: Any, y: Any, h: Any, rows: Any) -> None:
        """Count what simple answers lose, which look at outcomes only; `rows`: where these are in x."""
        kind = NumberTally if self.stream.labels is None else LabelTally
        late = self.delay.of(key) if isinstance(self.delay, KeyDelays) else self.delay
        tally = self.tallies.setdefault(key, kind(late))
        tally.add(y, h)
        lags = self.stream.lags
        if lags is not None and isinstance(tally, NumberTally):
            tally.add_lags(y, h, lags.outcomes(x[rows]))

    def match_labels(
        self, coder: LabelEncoder, labels: Sequence[Any], predictions: Any, y: Any
    ) -> tuple[Any, Any]:
        """Predictions as places in `names`, and which are right (NaN: no answer)."""
        if not self.stream.found or coder.most:
            for label in labels:
                coder.code(label)
        theirs = self.places(y, lambda c: labels[c], coder)
        said = self.places(predictions, coder.label)
        return said, np.where(np.isnan(y), np.nan, said == theirs)

    def places(
        self, codes: Any, label: Callable[[int], Any], coder: LabelEncoder | None = None
    ) -> Any:
        """Codes as places in `names`, of None where there is no class; `coder` learns the labels that are new to it.

        Only the codes that occur are looked up: a file may have a label a row, and then there are as many chunks.
        """
        known, first, inverse = np.unique(
            np.where(np.isnan(codes), -1, codes).astype(np.int64),
            return_index=True,
            return_inverse=True,
        )
        place = np.empty(len(known), np.int64)
        for i in np.argsort(first).tolist():  # in the order in which they occur
            name = None if known[i] < 0 else label(int(known[i]))
            if coder is not None and name is not None:
                coder.code(name)
            place[i] = -1 if name is None and coder is not None else self.place(name)
        return place[inverse]

    def coder(self, key: Any) -> LabelEncoder | None:
        """The codes that the session gives out (settings/examples.py); None: there are none."""
        if not self.learner.examples:
            return None
        if key not in self.coders:
            game, labels = self.learner.game(False), list(self.stream.labels or ())
            if game.traits().width == PER_CLASS:
                raise BadInput(
                    f"{self.learner.key} acts by a number for each class, which a table of predictions has no columns "
                    "for: ls.play takes it in Python"
                )
            declared = game.traits().classes == SEVERAL and not self.stream.found
            before = self.known.get(key)
            if before is not None:
                labels, declared = list(before.known), before.declared
            elif len(labels) == 1 and game.traits().classes == 2:
                labels = []  # as `settings.examples` does: 1 is the second class all the same
            elif self.stream.found and game.traits().classes != 2:
                labels = []  # they are learned as they come
            classes, owner = game.traits().classes, self.learner.key
            self.coders[key] = (
                LabelEncoder(labels, most=max(classes, 0), owner=owner, declared=declared)
                if classes
                else None
            )
        return self.coders[key]

    def place(self, label: Any) -> int:
        """Where a label is in `names`, to which it is added; 1 and True are the same label, as they are to a coder."""
        at = self.where.setdefault(label, len(self.names))
        if at == len(self.names):
            self.names.append(label)
        return at


class Handed:
    """Batches, unchanged; `follower` is called before and after each is played."""

    def __init__(self, follower: Followed, batches: Iterable[Batch]) -> None:
        self.follower, self.batches = follower, batches

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.batches:
            if self.follower.ids:
                self.follower.id, batch = batch.key, batch._replace(key=None)
            self.follower.begin(batch)
            yield batch
            self.follower.finish(batch)
