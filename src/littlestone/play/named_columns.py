"""The columns of another table, by their names: in another order, some gone and some new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Batch
from ..encode.named_rows import some
from ..encode.stream import Stream
from ..settings.setting import named_by_user
from ..streams.options import Trained

if TYPE_CHECKING:
    from ..live.live import Live
    from .request import AnyLearner


def trained_features(learner: AnyLearner) -> list[str] | None:
    """The columns that a learner over examples was trained on, where they have names."""
    live = learner.live if learner.examples else None
    if live is None:
        return None
    lags = live.setting.lags
    own = live.names if lags is None else lags.without(live.names or ())
    names = own if named_by_user(own) else None
    return list(live.setting.categories.names or names or live.setting.hashed.names) or None


def text_features(learner: AnyLearner) -> tuple[str, ...]:
    """The columns among them that held text."""
    live = learner.live if learner.examples else None
    if live is None:
        return ()
    hashed = tuple(name for name, text in live.setting.hashed.columns if text)
    return hashed + tuple(c.name for c in live.setting.categories.columns if c.values is not None)


def trained_on(learner: AnyLearner) -> Trained:
    """What was trained on columns that are named, and which of them held text."""
    return Trained(learner.key, text_features(learner))


def by_name(stream: Stream, learners: Iterable[AnyLearner], losses: bool) -> Stream:
    """The stream with its columns in the order of the experts that learners know, and those that are new behind them.

    An expert that is gone gives no advice (NaN): it sleeps. One that is new joins, where the learner can let it in.
    `stream.changes` says which. Losses cannot be missing.
    """
    live = max((one.begun() for one in learners), key=lambda one: len(one.names or ()))
    learner, known = live.learner, live.names or ()
    if not (named_by_user(known) and named_by_user(stream.names)) or stream.names == known:
        return stream
    gone = [name for name in known if name not in stream.names]
    new = [name for name in stream.names if name not in known]
    refuse_strangers(live, stream, gone, new, losses)
    names = (*known, *new)
    place = {name: i for i, name in enumerate(stream.names)}
    change_batches(stream, pick_columns([place.get(name, -1) for name in names], losses))
    stream.names = names
    stream.changes = tuple(changes(learner, gone, new))
    return stream


def change_batches(stream: Stream, change: Callable[[Batch], Batch]) -> None:
    """Let every batch of a stream be changed when it is read."""
    batches, again = stream.batches, stream.again
    changed = map(change, batches)
    stream.batches = list(changed) if isinstance(batches, list) else changed
    if again is not None:
        stream.again = lambda: map(change, again())


def refuse_strangers(
    live: Live, stream: Stream, gone: list[str], new: list[str], losses: bool
) -> None:
    """Refuse experts with which the learner cannot go on: none that it knows, a loss missing, one that cannot join."""
    learner, known = live.learner, live.names or ()
    if len(gone) == len(known):
        raise BadInput(
            f"none of the experts that {learner.key} was trained on is here: they are {some(known)}; "
            f"the columns here are {some(stream.names)}"
        )
    if gone and losses:
        raise BadInput(
            f"{learner.key} was trained on the losses of {gone[0]!r}, and no column is called so"
            f"{maybe_renamed(gone, new)}: every expert needs a loss in each round; add the column, or begin afresh "
            "without it"
        )
    if new and not learner.newcomers():
        raise BadInput(
            f"{new[0]!r} is an expert that {learner.key} was not trained on{maybe_renamed(gone, new)}, and none can "
            f"join this learner later: leave it out with experts=['!{new[0]}'], or begin afresh with all columns"
        )


def pick_columns(columns: list[int], losses: bool) -> Callable[[Batch], Batch]:
    """What makes a batch with these columns of another; -1: one that is not there."""
    index = np.array(columns)

    def pick(batch: Batch) -> Batch:
        given = batch.y if losses else batch.x
        made = np.ascontiguousarray(given[:, index])
        made[:, index < 0] = np.nan
        return batch._replace(y=made) if losses else batch._replace(x=made)

    return pick


def changes(learner: AnyLearner, gone: list[str], new: list[str]) -> Iterator[str]:
    """What became of experts that are not here, and of those that were not there before."""
    if gone:
        sleep = (
            "it sleeps: it gives no advice" if len(gone) == 1 else "they sleep: they give no advice"
        )
        yield f"not here: {list_names(gone)}, which {learner.key} was trained on; {sleep}"
    if new:
        joins = "joins" if len(new) == 1 else "join"
        yield f"new: {list_names(new)} {joins} {learner.key} {learner.newcomers()}; experts=['!{new[0]}'] leaves it out"
    if gone and new:
        yield f"if {list_names(new)} is {list_names(gone)} under another name, rename the column"


def maybe_renamed(gone: list[str], new: list[str]) -> str:
    """
    >>> maybe_renamed(["b"], ["b2"])
    " (if 'b2' is 'b' under another name, rename the column)"
    """
    if not gone or not new:
        return ""
    return f" (if {list_names(new)} is {list_names(gone)} under another name, rename the column)"


def list_names(names: list[str]) -> str:
    """
    >>> list_names(["a", "b"])
    "'a', 'b'"
    """
    return some([repr(name) for name in names], 5)
