"""The fields of records: what they hold, and which of them are read."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput

from ...encode.categories import NARROW
from ...encode.interactions import pairs
from ...encode.text_codes import write_as_text
from ...encode.values import missing
from ..options import ReadOptions
from .choice import Column
from .columns import OUTCOMES, TIMES, choose, names_of
from .written_dates import ISO, PERIOD

Record = Mapping[str, Any]
NESTED = ("list", "struct")  # as Parquet calls them
LOOK = 4096  # records that decide whether text is dates


def fields_of(records: Iterable[Record]) -> list[Column]:
    """What the fields of some records hold, in the order in which they appear."""
    kinds: dict[str, dict[type, Any]] = {}
    undated: set[str] = set()  # fields with a text that is no date
    for number, record in enumerate(records):
        for field, value in record.items():
            seen = kinds.setdefault(field, {})
            new = type(value) not in seen and not missing(value)
            if new:  # one value of each type will do
                seen[type(value)] = value
            looked_at = type(value) is str and (new or number < LOOK)
            if looked_at and field not in undated and not is_date(value):
                undated.add(field)
    return [
        Column(str(field), kind_of_field(seen, field not in undated))
        for field, seen in kinds.items()
    ]


def is_date(text: str) -> bool:
    """Is it a date as ISO 8601 writes it, a month or a quarter?"""
    return (ISO.fullmatch(text) or PERIOD.fullmatch(text)) is not None


def kind_of_field(seen: Mapping[type, Any], dates: bool) -> str:
    """What a field holds, by a value of each type in it; `dates`: all text in it is dates."""
    kind = _joint({_kind(v) for v in seen.values()})
    if kind == "text" and dates and list(seen) == [str]:
        return "date" if len(seen[str]) <= 10 else "timestamp"
    return kind


def dates_among(columns: Iterable[Column], request: ReadOptions) -> tuple[str, ...]:
    """The fields that hold dates and nothing else is asked of: they are no features, as in a table."""
    roles = (request.outcome, request.by_column, request.weights_column, *(request.columns or ()))
    return tuple(c.name for c in columns if c.kind in TIMES and c.name not in roles)


def stand_alone(columns: Iterable[Column], request: ReadOptions) -> bool:
    """Is there nothing in these records but dates and the outcome, with its key and its weight?"""
    if not request.bare or request.columns is not None:
        return False
    roles = (request.outcome, request.by_column, request.weights_column)
    others = [c for c in columns if c.kind not in TIMES and c.name not in roles]
    return all(request.outcome is None and c.name.strip().lower() in OUTCOMES for c in others)


def form_table(records: Sequence[Record], columns: Sequence[Column]) -> bool:
    """Are the records rows of a table: a few fields of numbers and text, each in half of the records or more?

    >>> rows = [{"age": 30, "city": "Rome"}, {"age": 41, "city": None}]
    >>> form_table(rows, fields_of(rows)), form_table([{"a": 1}, {"b": 1}, {"c": 1}], [])
    (True, False)
    """
    counts = Counter(chain.from_iterable(records))
    kinds = {c.kind for c in columns}
    if (
        not counts
        or len(counts) > NARROW
        or not kinds <= {"number", "boolean", "text", "empty", *TIMES}
    ):
        return False
    return 2 * min(counts.values()) >= len(records)


def table_of(records: Sequence[Record], columns: Sequence[Column]) -> Any:
    """The fields of records as a table of pyarrow's."""
    import pyarrow as pa

    made = {}
    for c in columns:
        values = [None if missing(v := record.get(c.name)) else v for record in records]
        if c.kind not in ("number", "boolean"):
            values = [None if v is None else write_as_text(v) for v in values]
        try:
            made[c.name] = pa.array(values)
        except (
            pa.ArrowException,
            OverflowError,
        ):  # whole numbers of more than 64 bits; of several types
            made[c.name] = pa.array(
                [None if v is None else number_of(v) for v in values], pa.float64()
            )
    return pa.table(made)


def choose_fields(
    columns: Sequence[Column], request: ReadOptions, nested: bool = False
) -> tuple[ReadOptions, tuple[str, ...]]:
    """The request, with the outcome's field named; fields have no order, so none is the last.

    `nested`: fields that are nested throughout are left out.
    """
    notes: tuple[str, ...] = ()
    if request.outcome is None and not request.apart:
        request, notes = find_outcome(columns, request)
    columns = usable_fields(columns, request, nested)
    choice = choose(columns, request)
    names = [columns[i].name for i in choice.experts]
    pairs(request.products, names, [False] * len(names))  # refuses names that do not exist
    left = tuple(note for note in choice.notes if "(empty)" not in note)  # it may come later
    return request, notes + left


def find_outcome(
    columns: Sequence[Column], request: ReadOptions
) -> tuple[ReadOptions, tuple[str, ...]]:
    """The request, with the outcome's field found by its name, and a note of it."""
    candidates = [c.name for c in columns if c.name.strip().lower() in OUTCOMES]
    if len(candidates) != 1 and not (request.optional and not candidates):
        raise BadInput(
            "which field is the outcome? Name it with outcome= (--outcome); "
            f"the fields are {names_of(c.name for c in columns)}"
        )
    notes = tuple(
        f"the outcome is {name!r}, by its name; name another with outcome= (--outcome)"
        for name in candidates
    )
    outcome = candidates[0] if candidates else None
    return replace(request, outcome=outcome, apart=not candidates), notes


def usable_fields(
    columns: Sequence[Column], request: ReadOptions, nested: bool
) -> Sequence[Column]:
    """The fields as columns of a table that are chosen among; of those no rule is known for, text is read."""
    # What a field holds may change from record to record; each value is looked at when it comes.
    dates = dates_among(columns, request)
    usable = {"number", "boolean", "text", "empty", *(NESTED if nested else ())}

    def as_text(c: Column) -> bool:
        if c.kind in TIMES:
            return c.name not in dates
        return c.kind not in usable or (c.kind in NESTED and c.name == request.outcome)

    columns = [c._replace(kind="text") if as_text(c) else c for c in columns]
    if request.coding is None:
        columns = [c._replace(kind="number") if c.name == request.outcome else c for c in columns]
    if request.columns is None:  # what is empty so far may come later, and is not left out
        roles = (request.outcome, request.by_column, request.weights_column)
        columns = [c for c in columns if c.kind != "empty" or c.name in roles]
    return columns


def wants(patterns: tuple[str, ...] | None, field: str) -> bool:
    """As for columns: names and globs, '!glob' takes away."""
    if patterns is None:
        return True
    keep = [p for p in patterns if not p.startswith("!") or p == field]
    drop = [p[1:] for p in patterns if p not in keep]
    kept = not keep or any(p == field or fnmatchcase(field, p) for p in keep)
    return kept and not any(fnmatchcase(field, p) for p in drop)


def is_value(value: object) -> bool:
    return isinstance(value, str | bool | numbers.Real | np.bool_ | Decimal)


def object_of(record: Record, name: str) -> str | None:
    """Why a field is missing: the record holds an object in its place; None where that is not so."""
    inner = (
        None if name in record else next((f for f in record if str(f).startswith(f"{name}.")), None)
    )
    return (
        inner and f"field {name!r} is an object here; its fields are {inner!r}, …: name one of them"
    )


def is_nested(value: object) -> bool:
    return isinstance(value, list | dict)


def number_of(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, dict):
        return "struct"
    return "number" if is_value(value) else type(value).__name__


def _joint(kinds: set[str]) -> str:
    if not kinds:
        return "empty"
    if len(kinds) == 1 and kinds <= set(NESTED):
        return next(iter(kinds))
    if kinds <= {"number", "boolean"}:
        return "boolean" if kinds == {"boolean"} else "number"
    return "text" if kinds <= {"number", "boolean", "text"} else "objects"
