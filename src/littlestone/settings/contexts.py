"""What is known of a round before an arm is pulled, read by name: a dict, a row of a frame, or a row for each arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..encode.named_rows import columns_of, each_row, in_order, index_of, named_row, some


def by_column(
    x: Any, columns: tuple[str, ...] | None, arms: Sequence[str] | None, key: str
) -> tuple[Any, tuple[str, ...] | None]:
    """The numbers of a context in the order of `columns`, and those columns; x itself where it has no names.

    `columns` are those of the rounds before: None where there was none yet, and () where they had no names.
    A row for each arm is a frame, or a dict of rows by the arm's name; its entries have names too.

    >>> by_column({"b": 2.0, "a": 1.0}, ("a", "b"), None, "linucb")
    ([1.0, 2.0], ('a', 'b'))
    """
    rows = each_arm(x, arms)
    if rows is None:
        return x, columns
    given = tuple(rows[0])
    if columns == ():
        raise BadInput(
            f"these features have names ({some(given, 5)}), and {key} was trained on features without: "
            "pass the numbers alone, in the order in which it was trained"
        )
    if columns is None:  # advice is a column for each arm
        advice = arms is not None and set(arms) == set(given)
        columns = tuple(arms) if advice and arms is not None else given
    found = [context_numbers(in_order(row, columns, "feature"), columns) for row in rows]
    return (found[0] if len(rows) == 1 else found), columns


def context_numbers(values: Sequence[Any], columns: Sequence[str]) -> list[Any]:
    """The features of a round, in the order of their names; one that is text, or missing, is named."""
    for name, v in zip(columns, values, strict=True):
        if v is None:
            raise BadInput(f"feature {name!r} must be a number, not None")
        if isinstance(v, str):
            raise BadInput(
                f"feature {name!r} must be a number, not {v!r:.60}: give a feature for each of its values, 1 where it "
                f"is that one and else 0, such as {f'{name}={v}'!r:.60}"
            )
    return list(values)


def each_arm(x: Any, arms: Sequence[str] | None) -> list[Mapping[str, Any]] | None:
    """The rows of one context, each with names: one, or one for each arm; None where they have no names."""
    if isinstance(x, list) and x and all(isinstance(row, Mapping) for row in x):
        return list(map(with_text, x))
    if columns_of(x) is not None:
        return rows_of_frame(x, arms) or None
    row = named_row(x)
    if row is None:
        return None
    inner = [named_row(v) for v in row.values()]
    if inner and all(v is not None for v in inner):
        if arms is None:
            raise BadInput("features of each arm by its name: the arms have no names: start([…])")
        return list(map(with_text, in_order(dict(zip(row, inner, strict=True)), arms, "arm")))
    return [with_text(row)] if row else None


def rows_of_frame(x: Any, arms: Sequence[str] | None) -> list[Mapping[str, Any]]:
    """The rows of a frame; in the order of the arms, where the index of the frame names these."""
    rows: list[Mapping[str, Any]] = [with_text(row) for row in each_row(x)]
    index = index_of(x)
    names = [] if index is None else index.tolist()
    if arms is not None and set(names) == set(arms):
        return in_order(dict(zip(names, rows, strict=True)), arms, "arm")
    return rows


def with_text(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): v for name, v in row.items()}


def is_one(x: Any, features: int) -> bool:
    """Do these rows hold what is known of one round: a row for each arm, or for each adviser?"""
    if isinstance(x, list) and x and isinstance(x[0], Mapping):
        return sum(map(len, x)) == features
    return np.asarray(x, dtype=object).size == features


def many_contexts(x: Any, columns: tuple[str, ...] | None) -> list[Any]:
    """The contexts of many rounds, one by one; columns of a frame that the learner does not know are passed over."""
    rows = each_row(x)
    if columns_of(x) is None or not columns:
        return list(rows)
    return [
        dict(zip(columns, in_order(with_text(row), columns, "column", True), strict=True))
        for row in rows
    ]
