"""Values as typed: text is no number, whole numbers keep every digit, what is missing equals what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from numbers import Number
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from ..core.errors import BadInput

EXACT = 1 << 53  # whole numbers up to here are exact as floats
MISSING = ("missing",)


class Columns(NamedTuple):
    """The columns of a table, and their names where it has some."""

    names: list[Any] | None
    values: list[Any]  # an array a column
    rows: int


def columns_of(x: Any, what: str) -> Columns:
    """The columns of a frame, a matrix or a list of rows, each with the type it has.

    >>> found = columns_of([["a", 1], ["b", 2]], "the rows")
    >>> found.names, [v.tolist() for v in found.values]
    (None, [['a', 'b'], [1, 2]])
    """
    try:
        frame = nw.from_native(x, eager_only=True, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError as problem:
        raise BadInput(f"{what}: two columns have the same name: {problem}") from None
    if isinstance(frame, nw.DataFrame):
        return Columns(list(frame.columns), [series(v) for v in frame.iter_columns()], len(frame))
    if isinstance(frame, nw.Series):
        return Columns(None, [series(frame)], len(frame))
    # an array has one type; a list may have another in each row, and NumPy would make text of all of them
    a = x if isinstance(x, np.ndarray) else np.array(x, dtype=object)
    if a.ndim not in (1, 2):
        raise BadInput(f"{what} must be a matrix, one row an example; their shape is {a.shape}")
    return Columns(None, list(a.T) if a.ndim == 2 else [a], len(a))


def series(v: Any) -> Any:
    """A column of a frame as an array; whole numbers beside missing ones as Python's, since floats drop digits."""
    if v.dtype.is_float() or v.null_count() == 0:
        return v.to_numpy()
    made = np.empty(len(v), object)
    made[:] = v.to_list()
    return made


def pair_columns(test: Columns, train: Columns) -> list[tuple[Any, Any]]:
    """The columns of both tables side by side: by name where both have names, else by place."""
    if test.names is None or train.names is None:
        if len(test.values) != len(train.values):
            raise BadInput(
                f"train: the training rows have {len(train.values)} columns and the test rows "
                f"{len(test.values)}; give the same columns of both"
            )
        return list(zip(test.values, train.values, strict=True))
    for one, other, where in ((test, train, "training"), (train, test, "test")):
        for name in one.names or []:
            if name not in (other.names or []):
                raise BadInput(
                    f"train: the {where} rows have no column {name!r}; give the same columns of both"
                )
    known = dict(zip(train.names, train.values, strict=True))
    return [(v, known[name]) for name, v in zip(test.names, test.values, strict=True)]


def codes(a: Any, b: Any) -> tuple[Any, Any]:
    """A number of 64 bits for each value of two columns: equal just where the values are.

    >>> codes(np.array(["007", "7"]), np.array(["7"]))[1].tolist()
    [1]
    >>> big = codes(np.array([2**53, 2**53 + 1]), np.array([2.0**53]))
    >>> [bool(v == big[1][0]) for v in big[0]]
    [True, False]
    """
    if all(v.dtype.kind in "bi" for v in (a, b)):
        return tuple(v.astype(np.int64).view(np.uint64) for v in (a, b))
    exact = [
        (v.dtype.kind == "f" and v.dtype.itemsize <= 8)
        or (v.dtype.kind in "biu" and (not len(v) or (v.max() <= EXACT and v.min() >= -EXACT)))
        for v in (a, b)
    ]
    if all(exact):
        return bits(a), bits(b)
    number: dict[Any, int] = {}
    found = [
        np.array([number.setdefault(key_of(x), len(number)) for x in python_values(v)], np.uint64)
        for v in (a, b)
    ]
    return found[0], found[1]


def python_values(v: Any) -> list[Any]:
    """The values of an array as Python's; dates as dates, which nanoseconds would make numbers."""
    found: list[Any] = (v.astype("datetime64[us]") if v.dtype.kind == "M" else v).tolist()
    return found


def bits(v: Any) -> Any:
    """Floats as their bits; -0.0 and 0.0 are one number, and so is every NaN."""
    x = v.astype(np.float64) + 0.0
    x[np.isnan(x)] = np.nan
    return x.view(np.uint64)


def key_of(x: Any) -> Any:
    """What two values have in common just if they are equal as typed."""
    if is_missing(x):
        return MISSING
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, Number):
        return ("number", x)
    if isinstance(x, Mapping):
        return ("names", frozenset((key_of(k), key_of(v)) for k, v in x.items()))
    if isinstance(x, (list, tuple, np.ndarray)):
        return ("list", tuple(key_of(v) for v in x))
    try:
        hash(x)
    except TypeError:
        return (type(x).__name__, repr(x))
    kind = "text" if isinstance(x, str) else "date" if isinstance(x, date) else type(x).__name__
    return (kind, x)


def is_missing(x: Any) -> bool:
    """None, NaN, NaT, and the NA of pandas, which is not equal to itself either, nor unequal."""
    if x is None:
        return True
    if isinstance(x, (str, bytes, Mapping, list, tuple, np.ndarray)):
        return False
    try:
        return bool(x != x)
    except (TypeError, ValueError):
        return True


def grouped(values: Any, rows: int, what: str, X: Any = None) -> tuple[Any, list[Any]]:
    """The group of each row as a number from 0 in order of appearance, and the groups; `values` may name a column of X.

    >>> found = grouped(["b", "a", "b"], 3, "groups")
    >>> found[0].tolist(), found[1]
    ([0, 1, 0], ['b', 'a'])
    """
    if isinstance(values, str):
        values = named_column(values, X, what)
    table = columns_of(values, what)
    if len(table.values) != 1:
        raise BadInput(f"{what} must be one a row; here are {len(table.values)} columns")
    if table.rows != rows:
        raise BadInput(f"{what}: there are {table.rows:,} of them and {rows:,} test rows")
    number: dict[Any, int] = {}
    names: list[Any] = []
    found = np.empty(rows, np.int64)
    for i, x in enumerate(python_values(table.values[0])):
        key = key_of(x)
        if key is MISSING:
            raise BadInput(f"{what}: row {i + 1} has none; leave the row out, or fill it in")
        if key not in number:
            number[key] = len(names)
            names.append(x)
        found[i] = number[key]
    return found, names


def named_column(name: str, X: Any, what: str) -> Any:
    """A column of the test rows by its name."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise BadInput(
            f"{what}={name!r} names a column, and the test rows have no names: give one value a row, or a frame"
        )
    if name not in frame.columns:
        raise BadInput(
            f"{what}: the test rows have no column {name!r}; theirs are {', '.join(map(str, frame.columns))}"
        )
    return series(frame[name])
