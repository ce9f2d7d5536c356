"""Which columns are the experts, the outcome and the key: by name, by glob, all the others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from littlestone.core.errors import BadInput

from .labels import Coding


class Column(NamedTuple):
    """A column of a table, as far as choosing needs to know it."""

    name: str
    kind: str  # number, boolean, text, empty, index, date, timestamp, ...
    remark: str = ""  # why it is not what it seems: "row 17 is 'abc'"

    def __str__(self) -> str:
        return f"{self.name!r} ({self.kind}{': ' if self.remark else ''}{self.remark})"


class Wanted(NamedTuple):
    """What the caller asked of a table."""

    outcome: str | None = None
    experts: tuple[str, ...] | None = None  # None: all the others
    by: str | None = None
    losses: bool = False  # the allocation game: the chosen columns are losses, nothing is predicted
    coding: Coding | None = None  # outcomes are classes, and so may be the advice
    apart: bool = False  # the outcomes do not come from this table


class Choice(NamedTuple):
    """Positions of the columns to read."""

    experts: tuple[int, ...]
    outcome: int | None
    by: int | None
    classes: tuple[int, ...] = ()  # those of them that hold classes
    notes: tuple[str, ...] = ()


def choose(columns: Sequence[Column], wanted: Wanted) -> Choice:
    """Find the columns asked for, or say which ones there are.

    >>> table = [Column("date", "timestamp"), Column("y", "number"), Column("a", "number")]
    >>> choose(table, Wanted(outcome="y"))
    Choice(experts=(2,), outcome=1, by=None, classes=(), notes=("left out: 'date' (timestamp)",))
    >>> choose(table, Wanted(outcome="Y"))
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: outcome: no column is called 'Y'; did you mean 'y'? ...
    """
    coded, coded_advice = wanted.coding is not None, bool(wanted.coding and wanted.coding.advice)
    outcome = _outcome(columns, wanted, coded)
    by = None if wanted.by is None else _find(columns, wanted.by, "by")
    if by is not None and by == outcome:
        raise BadInput(f"by: {wanted.by!r} is the outcome; it cannot be the key too")
    others = [i for i in range(len(columns)) if i not in (outcome, by)]
    named: list[int] = []
    if wanted.experts is None:
        candidates = others
    else:
        named, candidates = _match(columns, wanted.experts, outcome, by, others)
    for i in named:
        if columns[i].kind not in _allowed(coded_advice):
            raise BadInput(f"experts: {columns[i]} does not hold {_said(coded_advice)}")
    kinds = _kinds(columns, candidates, outcome, wanted.coding)
    chosen = [i for i in candidates if i in named or columns[i].kind in kinds]
    left = [columns[i] for i in candidates if i not in chosen]
    if not chosen:
        there = listed(left or columns)
        raise BadInput(f"no experts: no {_said(coded_advice)} among the columns {there}")
    _unique(columns, [*chosen, outcome, by])
    notes = (f"left out: {listed(left)}",) if left else ()
    classes = [*(chosen if coded_advice else []), *([outcome] if coded else [])]
    return Choice(tuple(chosen), outcome, by, tuple(i for i in classes if i is not None), notes)


def listed(columns: Sequence[Column], most: int = 20) -> str:
    """
    >>> listed([Column("day", "date"), Column("a", "text", "row 2 is 'x'")])
    "'day' (date), 'a' (text: row 2 is 'x')"
    """
    shown = ", ".join(str(c) for c in columns[:most])
    return shown if len(columns) <= most else f"{shown} and {len(columns) - most} more"


def _said(coded: bool) -> str:
    return "numbers or labels" if coded else "numbers"


def _allowed(coded: bool) -> set[str]:
    """What may be in a column that somebody named."""
    return {"number", "boolean", "empty", "index"} | ({"text"} if coded else set())


def _outcome(columns: Sequence[Column], wanted: Wanted, coded: bool) -> int | None:
    allowed = _allowed(coded)
    if wanted.outcome is None:
        if wanted.losses or wanted.apart:
            return None
        numeric = _names(c.name for c in columns if c.kind in allowed - {"empty", "index"})
        raise BadInput(
            "which column is the outcome? Name it with outcome= (--outcome); "
            f"the columns that could be: {numeric or 'none'}"
        )
    if wanted.losses:
        raise BadInput("outcome: with losses there is nothing to predict; leave outcome= out")
    if wanted.apart:
        raise BadInput("outcome: the outcomes were given apart; leave outcome= out")
    i = _find(columns, wanted.outcome, "outcome")
    if columns[i].kind not in allowed:
        hint = "; labels=True reads classes" if columns[i].kind == "text" else ""
        raise BadInput(f"outcome: {columns[i]} does not hold {_said(coded)}{hint}")
    return i


def _kinds(
    columns: Sequence[Column],
    candidates: Sequence[int],
    outcome: int | None,
    coding: Coding | None,
) -> set[str]:
    """What nobody named is taken if it is of the kind that the game needs.

    A boolean among numbers is more often a flag ("holiday") than a forecast, so it is an expert
    only where classes are predicted, or where there is nothing else.
    """
    there = {columns[i].kind for i in candidates}
    if coding is None:
        return {"number"} if "number" in there else {"boolean"}
    if not coding.advice:
        return {"number", "boolean"}  # features
    like = there if outcome is None else {columns[outcome].kind}
    return (
        {"text"} if "text" in like and not like & {"number", "boolean"} else {"number", "boolean"}
    )


def _match(
    columns: Sequence[Column],
    patterns: Sequence[str],
    outcome: int | None,
    by: int | None,
    others: Sequence[int],
) -> tuple[list[int], list[int]]:
    """(those named in full, all that match), each in the order asked for; '!glob' takes away."""
    names = [c.name for c in columns]
    keep = [p for p in patterns if p in names or not p.startswith("!")]
    drop = [p[1:] for p in patterns if p not in keep]
    named: list[int] = []
    matched: list[int] = [] if keep else list(others)
    for pattern in keep:
        if pattern in names:
            i = _find(columns, pattern, "experts")
            if i in (outcome, by):
                role = "outcome" if i == outcome else "key"
                raise BadInput(f"experts: {pattern!r} is the {role}; it cannot be an expert too")
            named.append(i)
            hits = [i]
        else:
            hits = [i for i in others if fnmatchcase(names[i], pattern)]
            if not hits:
                _find(columns, pattern, "experts")
        matched += [i for i in hits if i not in matched]
    for pattern in drop:
        if not any(fnmatchcase(name, pattern) for name in names):
            _find(columns, pattern, "experts")
    return named, [i for i in matched if not any(fnmatchcase(names[i], p) for p in drop)]


def _find(columns: Sequence[Column], name: str, role: str) -> int:
    names = [c.name for c in columns]
    if names.count(name) > 1:
        raise BadInput(f"{role}: {names.count(name)} columns are called {name!r}; rename them")
    if name in names:
        return names.index(name)
    lowered = {n.lower(): n for n in names}
    close = difflib.get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.5)
    hint = f"did you mean {lowered[close[0]]!r}? The" if close else "the"
    what = "no column matches" if any(c in name for c in "*?[") else "no column is called"
    raise BadInput(f"{role}: {what} {name!r}; {hint} columns are {_names(names)}")


def _names(names: Iterable[str], most: int = 20) -> str:
    quoted = [repr(n) for n in names]
    extra = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return ", ".join(quoted[:most]) + extra


def _unique(columns: Sequence[Column], chosen: Iterable[int | None]) -> None:
    seen: set[str] = set()
    for name in (columns[i].name for i in chosen if i is not None):
        if name in seen:
            raise BadInput(f"two columns are called {name!r}; rename one of them")
        seen.add(name)
