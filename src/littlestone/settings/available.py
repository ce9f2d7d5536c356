"""Which arms are there to be pulled, as a user says it: True and False for each arm, or the names of those that are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from ..encode.named_rows import columns_of, in_order, named_row, some
from ..engine.checks import array


def arms_there(available: Any, arms: Sequence[str] | None, n: int) -> Array:
    """n times 1 or 0, from n times True or False, a dict of them by the arm's name, or the names of the arms there.

    >>> arms_there(["green"], ("red", "green"), 2)
    array([0., 1.])
    """
    row = named_row(available)
    if row is not None:
        known = with_names(arms, list(row))
        available = in_order({str(name): v for name, v in row.items()}, known, "available: arm")
    elif (names := names_in(available)) is not None:
        known = with_names(arms, names)
        for name in names:
            if name not in known:
                raise BadInput(f"available: {name!r:.60} is none of the arms: {some(known)}")
        available = np.isin(np.array(known, dtype=object), np.array(names, dtype=object))
    given: Array = array(available, "available", 1)
    if len(given) != n or not np.isin(given, (0.0, 1.0)).all():
        raise BadInput(
            f"available must be {n} times True or False, one for each arm, or the names of those that are there, "
            f"not {available!r:.80}"
        )
    if not given.any():
        raise BadInput("available: no arm is there to be pulled")
    return given


def names_in(available: Any) -> list[str] | None:
    """The names in a text, a list, a set or an array of text; None where there is anything else, or nothing."""
    if isinstance(available, str):
        return [available]
    if isinstance(available, np.ndarray) or columns_of(available) is not None:
        found = available.tolist() if isinstance(available, np.ndarray) else []
    else:
        found = list(available) if isinstance(available, (Sequence, set, frozenset)) else []
    return found if found and all(isinstance(v, str) for v in found) else None


def with_names(arms: Sequence[str] | None, given: Sequence[Any]) -> Sequence[str]:
    if arms is None:
        raise BadInput(
            f"available holds names ({some(given, 5)}), and the arms have none: start([…]) with the names of the "
            "arms, or say True or False for each arm"
        )
    return arms


def rows_there(available: Any, arms: Sequence[str] | None, n: int) -> Array:
    """What is there in each of many rounds, T x n: a matrix, a frame by its columns, or a list of rounds."""
    columns = columns_of(available)
    if columns is not None and arms is not None and any(isinstance(c, str) for c in columns):
        there = in_order({str(c): c for c in columns}, arms, "available: arm")
        return np.column_stack([array(available[c], f"available, arm {c!r}", 1) for c in there])
    if isinstance(available, (list, tuple)) and any(
        isinstance(row, Mapping) or names_in(row) is not None for row in available
    ):
        rows = []
        for r, row in enumerate(available):
            try:
                rows.append(arms_there(row, arms, n))
            except BadInput as problem:
                raise problem.within(f"row {r + 1}", r + 1) from None
        return np.array(rows)
    found: Array = array(available, "available", 2)
    return found
