"""Forecasts of several horizons in one row: what was forecast 1, 2, 3 rows ahead, each in a column of its own.

A template names the columns: `*` is the forecaster, `{}` the number of rows ahead. `gfs_h2` fits `*_h{}`: it is what
gfs said in this row about the outcome of the row after next. Each horizon becomes a key with rounds of its own: the
forecasts of row t, and the outcome of row t + 2. The forecasts of the last rows are rounds without an outcome: they
are predicted, and nothing is learned from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array, Batch
from ...encode.stream import Stream

AHEAD = "{}"  # in a template: the number of rows ahead
KEY = "horizon"  # what the keys are called


def is_template(delay: object) -> TypeGuard[str]:
    """Does `delay=` name columns of several horizons?

    >>> is_template("*_h{}"), is_template("horizon"), is_template(3)
    (True, False, False)
    """
    return isinstance(delay, str) and AHEAD in delay


def columns_to_read(template: str) -> str:
    """The glob of the columns that a template may name.

    >>> columns_to_read("*_h{}")
    '*_h*'
    """
    if template.count(AHEAD) != 1 or template.count("*") > 1 or template == AHEAD:
        raise BadInput(
            f"columns of several horizons, {template!r}: write * for the forecaster, once, and {AHEAD} for the "
            "number of rows ahead, once, as in '*_h{}', which names gfs_h1 and gfs_h2"
        )
    return template.replace(AHEAD, "*")


def forecaster_and_horizon(template: str, column: str) -> tuple[str, int] | None:
    """Whose forecast a column holds, and how many rows ahead; None where the template does not fit.

    >>> forecaster_and_horizon("*_h{}", "gfs_h2"), forecaster_and_horizon("load+{}", "load+24")
    (('gfs', 2), ('load', 24))
    >>> forecaster_and_horizon("*_h{}", "x_high")
    """
    parts = re.split(r"(\*|\{\})", template)
    pattern = "".join(
        {"*": "(?P<who>.+)", AHEAD: "(?P<ahead>[0-9]{1,9})"}.get(part, re.escape(part))
        for part in parts
    )
    found = re.fullmatch(pattern, column)
    if found is None:
        return None
    who = found.groupdict().get("who") or template.replace(AHEAD, "").strip(" _-+.")
    return who, int(found["ahead"])


class Horizons(NamedTuple):
    """The columns of each horizon: which forecaster's are where."""

    names: tuple[str, ...]  # of the forecasters
    ahead: tuple[int, ...]  # the horizons, in rows, from the nearest
    columns: tuple[
        tuple[int, ...], ...
    ]  # of each horizon: the column of each forecaster; -1: it has none

    def forecasts(self, x: Array, which: int) -> Array:
        """What all forecasters say for one horizon; one that has no such column sleeps."""
        columns = np.array(self.columns[which])
        chosen = x[:, np.maximum(columns, 0)]
        return np.where(columns < 0, np.nan, chosen)

    def in_words(self) -> str:
        shown = [f"{h:,}" for h in self.ahead]
        many = ", ".join(shown[:-1]) + f" and {shown[-1]}" if len(shown) > 1 else shown[0]
        return f"{many} row{'s' * (self.ahead != (1,))} ahead"


def find_horizons(template: str, columns: Iterable[str]) -> Horizons:
    """The horizons that a template finds among columns.

    >>> find_horizons("*_h{}", ["a_h1", "a_h2", "b_h2", "x_high"])
    Horizons(names=('a', 'b'), ahead=(1, 2), columns=((0, -1), (1, 2)))
    """
    columns = list(columns)
    place: dict[tuple[str, int], int] = {}
    for at, column in enumerate(columns):
        found = forecaster_and_horizon(template, column)
        if found is None:
            continue
        if found in place:
            raise BadInput(
                f"columns {columns[place[found]]!r} and {column!r} are both {found[0]!r}, {found[1]} rows ahead: "
                "leave one of them out"
            )
        place[found] = at
    if not place:
        shown = ", ".join(repr(c) for c in columns[:10])
        raise BadInput(
            f"no column fits {template!r}, where {AHEAD} is a number of rows ahead; columns: {shown}"
        )
    names = tuple(dict.fromkeys(who for who, _ in place))
    ahead = tuple(sorted({h for _, h in place}))
    if ahead[0] < 1:
        column = columns[next(at for (_, h), at in place.items() if h == 0)]
        raise BadInput(
            f"column {column!r} is 0 rows ahead: a forecast of its own row needs no horizon; leave it out"
        )
    return Horizons(
        names, ahead, tuple(tuple(place.get((who, h), -1) for who in names) for h in ahead)
    )


def by_horizon(stream: Stream, template: str) -> Stream:
    """The rounds of each horizon, with the horizon as their key, from a stream of rows with columns for all of them."""
    found = find_horizons(template, stream.names)
    far = found.ahead[-1]
    rounds = None if stream.rounds is None else stream.rounds * len(found.ahead)
    batches: Any = rounds_of(found, stream.batches)
    if stream.whole:
        batches = [join_horizons(found, list(batches))]
    example = (
        f"row 1 for {far} row{'s' * (far > 1)} ahead is scored by the outcome of row {far + 1:,}"
    )
    note = (
        f"the forecast of {example}; where columns are for their own row instead, play each horizon by itself: "
        f"experts {template.replace(AHEAD, str(far))!r}, delay {far}"
    )
    return replace(
        stream,
        batches=batches,
        names=found.names,
        rounds=rounds,
        again=None if stream.again is None else partial(read_again, found, stream.again),
        index=tile_rows(stream.index, len(found.ahead)),
        times=tile_rows(stream.times, len(found.ahead)),
        why=f"columns {template!r} are forecasts of {found.in_words()}",
        notes=(*stream.notes, note),
    )


def forecasts_by_horizon(stream: Stream, template: str) -> Stream:
    """The forecasts of each horizon in every row, to be predicted: no outcome is looked for."""
    found = find_horizons(template, stream.names)

    def batches() -> Iterator[Batch]:
        for batch in stream.batches:
            x = np.asarray(batch.x, float)
            for which in range(len(found.ahead)):
                yield one_horizon(found, which, x, np.full(len(x), np.nan), batch.first)

    return replace(stream, batches=batches(), names=found.names, whole=False, rounds=None)


def read_again(found: Horizons, read: Callable[[], Iterable[Batch]]) -> Iterator[Batch]:
    """`rounds_of`, for another pass."""
    return rounds_of(found, read())


def rounds_of(found: Horizons, batches: Iterable[Batch]) -> Iterator[Batch]:
    """A batch for each horizon and batch of rows: forecasts, and the outcomes that came with these rows.

    As many rows are kept as the farthest horizon looks ahead. What is left at the end has no outcome yet.
    """
    far = found.ahead[-1]
    recent: Array | None = None  # the rows whose outcomes are not all known, before this batch
    end = 0  # the number of the row after the last
    for batch in batches:
        x = np.asarray(batch.x, float)
        rows = x if recent is None else np.concatenate([recent, x])
        begin, end = batch.first + len(x) - len(rows), batch.first + len(x)
        for which, h in enumerate(found.ahead):
            first = max(batch.first - h, begin)  # the first row whose outcome is in this batch
            forecasts = rows[first - begin : max(end - h, first) - begin]
            if len(forecasts):
                y = batch.y[first + h - batch.first :]
                yield one_horizon(found, which, forecasts, y, first)
        recent = rows[-far:]
    if recent is None:
        return
    for which, h in enumerate(found.ahead):
        forecasts = recent[-h:]
        yield one_horizon(
            found, which, forecasts, np.full(len(forecasts), np.nan), end - len(forecasts)
        )


def one_horizon(found: Horizons, which: int, rows: Array, y: Array, first: int) -> Batch:
    """Rounds of one horizon."""
    key = np.empty(len(y), object)
    key[:] = found.ahead[which]
    return Batch(np.ascontiguousarray(found.forecasts(rows, which)), y, first, key)


def join_horizons(found: Horizons, batches: list[Batch]) -> Batch:
    """The rounds of a table in memory, one horizon after another, in one batch."""
    at = {h: [b for b in batches if b.key is not None and b.key[0] == h] for h in found.ahead}
    ordered = [b for h in found.ahead for b in at[h]]
    return Batch(
        np.concatenate([b.x for b in ordered]),
        np.concatenate([b.y for b in ordered]),
        0,
        np.concatenate([b.key for b in ordered if b.key is not None]),
    )


def tile_rows(rows: Any, times: int) -> Any:
    """What is known of each row, once for each horizon."""
    return None if rows is None else np.tile(np.asarray(rows), times)
