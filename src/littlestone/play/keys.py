"""The rows of each key of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.game import SEVERAL
from ..core.rows import take
from ..core.stream import Batch
from ..encode.stream import Stream
from .callbacks import KeyedSink
from .delay import KeyDelays

if TYPE_CHECKING:
    from ..core.learner import Learner
    from .plan import Plan

    AnyLearner = Learner[Any, Any, Any, Any]

FEW = 256  # keys: so few are played one after the other, and nothing more is compiled for them
LONG = 20_000  # rows: so many are worth the import of other libraries


class Keys(NamedTuple):
    """Rows by key: those of key k are order[first[k] : first[k + 1]], in the order in which they came."""

    names: list[Any]  # in the order in which they come
    order: np.ndarray
    first: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        return np.diff(self.first)

    def rows(self, k: int) -> Any:
        """The rows of one key."""
        return self.order[self.first[k] : self.first[k + 1]]

    def of(self, some: Any) -> tuple[Any, Any]:
        """The rows of some keys, one key after the other, and where those of each begin."""
        if len(some) == len(self.names) and np.array_equal(some, np.arange(len(some))):
            return self.order, self.first
        sizes = self.counts[some]
        first = np.concatenate([[0], np.cumsum(sizes)])
        at = np.repeat(self.first[:-1][some] - first[:-1], sizes) + np.arange(first[-1])
        return self.order[at], first


def keys_of(batch: Batch) -> Keys:
    """The keys of a batch, found and sorted once.

    >>> keys_of(Batch(None, np.zeros((3, 2)), key=np.array(["b", "a", "b"], object))).names
    ['b', 'a']
    """
    assert batch.key is not None
    long = len(batch.key) > LONG
    codes = number_keys(batch.key) if long else None
    if codes is not None:
        counts = np.bincount(codes)
    else:
        listed = batch.key.tolist()
        number = {key: i for i, key in enumerate(dict.fromkeys(listed))}
        codes = np.fromiter(map(number.__getitem__, listed), np.int64, len(listed))
        counts = np.bincount(codes, minlength=len(number))
    first = np.concatenate([[0], np.cumsum(counts)])
    order = rows_by_key(codes, len(counts)) if long else np.argsort(codes, kind="stable")
    return Keys(batch.key[order[first[:-1]]].tolist(), order, first)


def number_keys(keys: Any) -> Any:
    """The number of each key, in the order in which they come; None where they are not all text or 64-bit numbers.

    At 10^5 keys a dict takes 550 ns a row, as each look goes to memory far away, and this takes 70.
    """
    import pyarrow as pa

    try:
        found = pa.array(keys, from_pandas=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None
    if not (pa.types.is_int64(found.type) or pa.types.is_string(found.type)):
        return None
    return found.dictionary_encode().indices.to_numpy()


def rows_by_key(codes: Any, keys: int) -> Any:
    """The rows in the order of their keys, by counting: 11 ns a row, where to sort them takes 105."""
    from scipy.sparse import coo_array

    T = len(codes)
    places = (codes, np.arange(T))
    return coo_array((np.ones(T, np.int8), places), shape=(keys, T)).tocsr().indices


def take_rows(batch: Batch, rows: Any) -> Batch:
    """Some rows of a batch, without their keys."""
    x = None if batch.x is None else take(batch.x, rows)
    h = None if batch.h is None else take(batch.h, rows)
    gaps = None if batch.gaps is None else batch.gaps[rows]
    return Batch(x, take(batch.y, rows), batch.first, h=h, gaps=gaps)


def may_stack(learner: AnyLearner, stream: Stream, plan: Plan) -> bool:
    """Can the keys of a stream be played together, as far as can be seen before the first round?"""
    how = plan.options
    alone = how.sink is None or isinstance(how.sink, KeyedSink)
    alone = alone and how.decisions is None and how.checkpoint is None
    late = plan.delay > 0 or isinstance(how.delay, KeyDelays)
    classes = learner.game(plan.losses).traits().classes
    grows = stream.found and classes == SEVERAL  # a class exists from its first occurrence
    plain = plan.costs is None and stream.lags is None
    return learner.fixed and alone and not late and not grows and plain
