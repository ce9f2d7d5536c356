"""Rounds whose outcome is still to come: what must be kept of them, and for how long.

Nothing is kept of a round once its outcome has come, or where it never comes: memory is in proportion to what is
outstanding (twice that, and one chunk), and each round is moved a bounded number of times, whatever the delay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.label_text import as_text
from ..core.rows import count, part, take
from ..core.vectors import Rows

NEVER = -1  # the delay of an outcome that never comes
AT_LAST = -1  # the round after which an outcome came that is learned from before the next one
# What theorems about late feedback use, where every outcome came at once.
AT_ONCE = {"lags": 0, "lag": 0, "crowd": 0, "never": 0}


def delays(delay: Any, rounds: int | None, passes: int = 1) -> tuple[int, Any]:
    """The longest delay, and one for each round where they differ: what `play(delay=…)` may say.

    >>> delays(24, None)
    (24, None)
    >>> delays([0, 2.0, float("inf")], 3)
    (2, array([ 0,  2, -1]))
    """
    if isinstance(delay, (int, np.integer)) and not isinstance(delay, bool):
        if delay < 0:
            raise BadInput(f"delay must be a whole number of rounds, 0 or more, not {delay!r}")
        return int(delay), None
    if isinstance(delay, (str, bytes, bool)) or np.ndim(delay) != 1:
        raise BadInput(
            f"delay must be a whole number of rounds, or one for each round, not {delay!r:.80}"
        )
    try:
        given = np.asarray(delay, float)
    except (TypeError, ValueError):
        raise BadInput(f"delay must hold numbers of rounds, not {delay!r:.80}") from None
    if rounds is not None and len(given) != rounds:
        raise BadInput(f"delay has {len(given)} entries; there are {rounds} rounds")
    never = ~(given >= 0.0) | (given == np.inf)
    whole = np.where(never, 0.0, given)
    odd = whole != np.floor(whole)
    if odd.any():
        t = int(np.argmax(odd))
        raise BadInput(
            f"delay of round {t + 1} is {given[t]:g}: it must be a whole number of rounds; "
            "nan, inf or a negative number where the outcome never comes"
        )
    each = np.where(never, float(NEVER), np.minimum(whole, 2.0**62)).astype(np.int64)
    if not each.any():
        return 0, None
    return max(1, int(each.max())), np.tile(each, passes)


class KeyDelays(NamedTuple):
    """How late the outcomes of each key are, where keys differ: horizons, such as forecasts of 1, 2 and 3 days ahead.

    >>> KeyDelays("horizon").of(3), KeyDelays("shop", {"1": 0, "north": 7}).of("north")
    (3, 7)
    """

    by: str  # the column of the keys
    known: Mapping[str, Any] | None = None  # of each key, as text; None: a key is itself the delay

    def of(self, key: Any) -> int:
        """The delay of one key."""
        late = key
        if self.known is not None:
            if as_text(key) not in self.known:
                some = ", ".join(list(self.known)[:20])
                raise BadInput(
                    f"delay: nothing says how late the outcomes of {self.by} {key!r:.80} are; known: {some}"
                )
            late = self.known[as_text(key)]
        try:
            number = float(late)
        except (TypeError, ValueError):
            number = -1.0
        if isinstance(late, bool) or not (0.0 <= number < 2.0**62 and number == int(number)):
            raise BadInput(
                f"delay of {self.by} {key!r:.80}: it must be a whole number of rounds, 0 or more, not {late!r:.80}"
            )
        return int(number)


def key_delays(delay: Any, by: Any) -> Any:
    """What `play(by=…, delay=…)` says of the delays of keys: a dict, or the name of the column of keys."""
    if not isinstance(delay, (str, Mapping)):
        return delay
    if by is None or not isinstance(by, str):
        raise BadInput(
            f"delay={delay!r:.80}: delays of keys need by=, the column of the keys; without keys delay is a number "
            "of rounds, or one for each round"
        )
    if isinstance(delay, str):
        if delay != by:
            raise BadInput(
                f"delay={delay!r:.80} and by={by!r:.80}: a column of delays is the column of the keys as well; or "
                "say the delay of each key: delay={key: rounds}"
            )
        return KeyDelays(by)
    if not delay:
        raise BadInput("delay={}: it says how late the outcomes of each key are, {key: rounds}")
    return KeyDelays(by, {as_text(key): late for key, late in delay.items()})


def refuse_keys() -> None:
    raise BadInput(
        "delay: with by= it is one number for all rounds, or one for each key: delay={key: rounds}"
    )


def refuse_more(each: Any, rounds: int) -> None:
    """After the last round: refuse a list of delays whose length is not that of the run."""
    if each is not None and rounds != len(each):
        raise BadInput(f"delay has {len(each)} entries; there are {rounds} rounds")


class Shelf:
    """Rows of an array, of sparse examples, or of a NamedTuple of such, with room for more."""

    def __init__(self, like: Any) -> None:
        self.kind: Any = type(like)
        if isinstance(like, Rows):
            self.parts: list[Any] = [np.zeros(1, np.int64), like.index[:0], like.value[:0]]
        elif isinstance(like, tuple):
            self.parts = [Shelf(v) for v in like]
        else:
            self.parts = [np.empty((0, *like.shape[1:]), like.dtype)]

    def add(self, at: int, v: Any) -> None:
        """Put rows behind the first `at`."""
        if isinstance(v, Rows):
            indptr, index, value = self.parts
            m, end = count(v), int(indptr[at])
            size = int(v.indptr[-1] - v.indptr[0])
            self.parts = [
                put_behind(indptr, at + 1, v.indptr[1:] - v.indptr[0] + end, at + 1 + m),
                put_behind(index, end, v.index[v.indptr[0] : v.indptr[-1]], end + size),
                put_behind(value, end, v.value[v.indptr[0] : v.indptr[-1]], end + size),
            ]
        elif isinstance(v, tuple):
            for own, piece in zip(self.parts, v, strict=True):
                own.add(at, piece)
        else:
            self.parts = [put_behind(self.parts[0], at, v, at + len(v))]

    def first(self, used: int) -> Any:
        """The first rows, without copying them."""
        if issubclass(self.kind, Rows):
            return part(Rows(*self.parts), 0, used)
        if issubclass(self.kind, tuple):
            return self.kind(*[own.first(used) for own in self.parts])
        return self.parts[0][:used]

    def keep(self, rows: Any, used: int, more: int) -> None:
        """Keep these rows and no others, with room for more."""
        if isinstance(self.parts[0], Shelf):
            for own in self.parts:
                own.keep(rows, used, more)
        elif issubclass(self.kind, Rows):
            kept = take(self.first(used), rows)
            self.parts = [roomy(kept.indptr, more), kept.index, kept.value]
        else:
            old, m = self.parts[0], len(rows)
            self.parts = [np.empty((m + more, *old.shape[1:]), old.dtype)]
            np.take(old, rows, axis=0, out=self.parts[0][:m], mode="clip")


def roomy(a: Any, more: int) -> Any:
    b = np.empty((len(a) + more, *a.shape[1:]), a.dtype)
    b[: len(a)] = a
    return b


def put_behind(a: Any, at: int, v: Any, end: int) -> Any:
    """a with v from `at` on; a larger array where it does not fit."""
    if end > len(a):
        a = roomy(a[:at], max(end, 2 * at) - at)
    a[at:end] = v
    return a


class Outstanding:
    """The rounds that a single copy has not learned from yet.

    It also counts what the theorems about late feedback are made of. When the outcome of round t comes, `lag` others
    have come since t was played. Then

        lags       sum of the lags
        longest    the largest lag
        crowd      the most rounds that were outstanding when some outcome came, that one left out
        never      rounds whose outcome never comes
    """

    def __init__(self, delay: int, each: Any, wide: int, acts: int = 1, start: int = 0) -> None:
        """`start`: the number of the first round."""
        self.delay, self.each, self.start = delay, each, start
        self.shelves: tuple[Shelf, Shelf] | None = None
        self.D, self.A = Shelf(np.empty((0, wide))), Shelf(np.empty((0, acts)))
        self.used = 0  # rows on the shelves
        self.row = np.empty(0, np.int64)  # of each outstanding round, in the order of rounds
        self.due = np.empty(0, np.int64)  # the round after which its outcome comes
        self.came = np.empty(0, np.int64)  # how many outcomes had come when it was played
        self.arrived = self.played = 0
        self.lags = self.longest = self.crowd = self.never = 0
        self.drowsy = False  # is advice missing in a round that is waited for?

    def __len__(self) -> int:
        return len(self.row)

    def widen(self, wide: int, acts: int) -> None:
        """Decisions and actions have got more coordinates; those made before have zeros there."""
        for shelf, width in ((self.D, wide), (self.A, acts)):
            rows = shelf.parts[0]
            shelf.parts = [np.pad(rows, ((0, 0), (0, width - rows.shape[1])))]

    def add(self, x: Any, y: Any, sleepers: bool) -> int:
        """Put a chunk on the shelves, behind what is still waited for; return the row at which it begins."""
        if self.shelves is None:
            self.shelves = Shelf(x), Shelf(y)
        if self.used + count(y) > len(self.A.parts[0]):
            self.tidy(count(y), sleepers)
        self.drowsy = self.drowsy or (sleepers and bool(np.isnan(x).any()))
        begin = self.used
        self.used += count(y)
        for shelf, v in zip(self.shelves, (x, y), strict=True):
            shelf.add(begin, v)
        return begin

    def waiting(self, first: Any = ()) -> tuple[Any, ...]:
        """Copies of the examples, outcomes, decisions and actions of the rounds that are waited for, ...

        ... the round after which the outcome of each comes, and, less those that came in all, how many outcomes had
        come when it was played. With `go_on` a later session waits for the same rounds. `first`: rows whose outcomes
        have come, and are learned from before the next round.
        """
        row = np.concatenate([np.asarray(first, np.int64), self.row])
        X, Y, D, A = self.rows
        due = np.concatenate([np.full(len(first), AT_LAST), self.due])
        came = np.concatenate([np.zeros(len(first), np.int64), self.came - self.arrived])
        return take(X, row), take(Y, row), D[row], A[row], due, came

    def go_on(
        self, sleepers: bool, X: Any, Y: Any, D: Any, A: Any, due: Any = None, came: Any = None
    ) -> None:
        """Wait for the last rounds of an earlier session, which ended before round `start`.

        Files of 0.12 and before do not say when outcomes come: all of them are late by the same number of rounds.
        """
        if not (m := count(Y)):
            return
        begin = self.add(X, Y, sleepers)
        for shelf, v in ((self.D, D), (self.A, A)):
            shelf.parts[0][begin : begin + m] = v
        played = self.start - m + np.arange(m)
        self.row, self.played = begin + np.arange(m), m
        self.due = played + self.delay if due is None else due
        self.came = np.maximum(0, played - self.delay) - (self.start - m) if came is None else came

    def come(self) -> Any:
        """The rows whose outcomes came before the first round of this session; they are no longer waited for."""
        late = self.due >= self.start
        rows = self.row[~late]
        self.row, self.due, self.came = self.row[late], self.due[late], self.came[late]
        return rows

    def tidy(self, coming: int, sleepers: bool) -> None:
        """Take what has been learned from off the shelves; make room for a chunk, and as much as is waited for."""
        assert self.shelves is not None
        for shelf in (*self.shelves, self.D, self.A):
            shelf.keep(self.row, self.used, coming + len(self.row))
        self.used = len(self.row)
        self.row = np.arange(self.used)
        self.drowsy = sleepers and bool(np.isnan(self.shelves[0].first(self.used)).any())

    @property
    def rows(self) -> tuple[Any, Any, Any, Any]:
        """Examples, outcomes, decisions and actions, row by row."""
        assert self.shelves is not None
        X, Y = self.shelves
        return tuple(s.first(self.used) for s in (X, Y, self.D, self.A))

    def arrivals(self, t0: int, begin: int, T: int) -> tuple[Any, Any]:
        """Which rows are answered when the rounds t0, …, t0 + T - 1 are over: who[first[t] : first[t + 1]] after t.

        Outcomes come in the order of their arrival, and of those that come together in the order of their rounds.
        """
        now = np.arange(T)
        if self.each is None:
            due, played = now + (t0 + self.delay), now + 1
        else:
            at = t0 - self.start
            if at + T > len(self.each):
                raise BadInput(f"delay has {len(self.each)} entries; there are more rounds")
            late = self.each[at : at + T]
            known = late != NEVER
            now, played = now[known], np.cumsum(known)
            due = now + t0 + late[known]
            self.never += T - len(now)
        row, due = np.concatenate([self.row, begin + now]), np.concatenate([self.due, due])
        soon = due < t0 + T
        when = due[soon] - t0
        first = np.zeros(T + 1, np.int64)
        np.cumsum(np.bincount(when, minlength=T), out=first[1:])
        came = np.concatenate([self.came, self.arrived + first[now]])
        who, before = row[soon], came[soon]
        if (when[1:] < when[:-1]).any():
            order = np.argsort(when, kind="stable")
            who, when, before = who[order], when[order], before[order]
        self.count(before, self.played + played[when])
        self.played += len(now)
        self.row, self.due, self.came = row[~soon], due[~soon], came[~soon]
        return first, who

    def rest(self) -> Any:
        """The rows that are still waited for, in the order in which they are answered after the last round."""
        order = np.argsort(self.due, kind="stable")
        self.count(self.came[order], np.full(len(order), self.played))
        rows = self.row[order]
        self.row, self.due, self.came = self.row[:0], self.due[:0], self.came[:0]
        return rows

    def symbols(self) -> dict[str, int]:
        """What theorems about late feedback use."""
        return {"lags": self.lags, "lag": self.longest, "crowd": self.crowd, "never": self.never}

    def count(self, came: Any, played: Any) -> None:
        """Count the lags of some outcomes that have come.

        `came`: for each, how many outcomes had come when its round was played; `played`: rounds played by now.
        """
        if not len(came):
            return
        at = self.arrived + np.arange(len(came))
        lags = at - came
        self.lags += int(lags.sum())
        self.longest = max(self.longest, int(lags.max()))
        self.crowd = max(self.crowd, int((played - at).max()) - 1)
        self.arrived += len(came)
