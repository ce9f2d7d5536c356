"""Which columns are experts or features, the outcome, key and weight: by name, by glob, the rest."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple, NoReturn

from littlestone.core.errors import BadInput

from ..options import ReadOptions
from .choice import Choice, Column
from .written_numbers import Style

TIMES = ("timestamp", "datetime", "date")  # kinds of columns that say when a row was
PLACES = (
    "vertex",
    "node",
    "id",
    "name",
)  # what people call the places of a graph; the first that is there counts
SURELY_NO_OUTCOME = {"empty", "index", "identifier"}
ROLES = ("outcome", "key", "weight")
OUTCOMES = ("label", "class", "target", "outcome", "y")  # what people call what is predicted


def choose(columns: Sequence[Column], request: ReadOptions) -> Choice:
    """Find the columns of a request; an error says which columns there are.

    >>> table = [Column("date", "timestamp"), Column("y", "number"), Column("a", "number")]
    >>> choose(table, ReadOptions(outcome="y"))[:5]
    ((2,), 1, None, (), ("left out: 'date' (timestamp)",))
    >>> choose(table, ReadOptions(outcome="Y"))
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: outcome: no column is called 'Y'; did you mean 'y'? ...
    """
    if request.on_bad_line != "error" or request.trained:
        columns = _correct_kinds(columns, request)
    roles, notes = _find_roles(columns, request)
    others = [i for i in range(len(columns)) if i not in roles]
    if request.vocabulary is not None:
        return _choose_place(columns, request, roles, others, notes)
    named: list[int] = []  # what the user named in full
    candidates = others  # what may be chosen
    if request.columns is not None:
        named, candidates, more = _find_named(columns, request, roles, others)
        notes += more
    chosen = _pick(columns, request, roles, named, candidates)
    there_is = set(chosen)
    left = [columns[i] for i in candidates if i not in there_is]
    if not chosen and not _may_lag(columns, request, roles.outcome):
        raise BadInput(_nothing(request, left or columns))
    _unique(columns, [*chosen, *roles])
    written = _find_written(columns, [*chosen, roles.outcome, roles.weights])
    notes += _notes_on_choice(columns, left, written)
    return Choice(
        tuple(chosen),
        roles.outcome,
        roles.by,
        _find_classes(request, chosen, roles.outcome),
        notes,
        roles.weights,
        tuple(i for i in chosen if _is_text(columns[i], request)),
        _time(columns, {*chosen, *roles}) if request.times else None,
        _find_slips(columns, range(len(columns))),
        written,
    )


def _notes_on_choice(
    columns: Sequence[Column], left: Sequence[Column], written: Sequence[tuple[int, Style]]
) -> tuple[str, ...]:
    """What was left out, and what is text and read as numbers."""
    notes = (f"left out: {list_columns(left)}",) if left else ()
    return notes + tuple(f"{columns[i].name!r} is text that is read as numbers" for i, _ in written)


def _find_classes(
    request: ReadOptions, chosen: Sequence[int], outcome: int | None
) -> tuple[int, ...]:
    """The columns that hold classes."""
    if request.coding is None:
        return ()
    advice = chosen if request.coding.advice else ()
    return (*advice, *(() if outcome is None else (outcome,)))


def _find_slips(columns: Sequence[Column], among: Iterable[int]) -> tuple[int, ...]:
    """Of these columns those of numbers, though a few values are none."""
    return tuple(i for i in among if columns[i].slip and columns[i].kind == "number")


def _find_written(
    columns: Sequence[Column], used: Sequence[int | None]
) -> tuple[tuple[int, Style], ...]:
    """Of the columns that are used those of text that is read as numbers, and how these are written."""
    styles = ((i, columns[i].written) for i in used if i is not None)
    return tuple((i, style) for i, style in styles if style is not None)


def _pick(
    columns: Sequence[Column],
    request: ReadOptions,
    roles: Roles,
    named: Sequence[int],
    candidates: Sequence[int],
) -> list[int]:
    """Of the candidates those that were named, and those of the kind that the game needs."""
    kinds = _kinds(columns, candidates, roles.outcome, request)
    if not request.examples and "text" not in kinds:
        for i in (
            candidates
        ):  # a column of numbers with one bad cell is an error: a note might be overlooked
            if columns[i].kind == "text" and columns[i].remark:
                raise BadInput(_slip(columns[i], request))
    by_name = set(named)
    return [i for i in candidates if i in by_name or columns[i].kind in kinds]


def _may_lag(columns: Sequence[Column], request: ReadOptions, outcome: int | None) -> bool:
    """Can the outcomes of earlier rows be all that is learned from: is the outcome a column of numbers?"""
    if outcome is None:  # rows to be predicted
        return request.optional and request.lags is not None
    if not request.examples or columns[outcome].kind not in ("number", "empty"):
        return False
    return request.lags is not None or (request.bare and request.columns is None)


def _nothing(request: ReadOptions, there: Sequence[Column]) -> str:
    """The message that no column can be chosen."""
    add = (
        "; add columns to learn from, or let the outcomes of earlier rows be features, where they are numbers: "
        "lags=[1, 2, 12] (--lags 1,2,12)"
        if request.examples
        else ""
    )
    return (
        f"no {request.role}: no {_values_of(request)} among the columns {list_columns(there)}{add}"
    )


class Roles(NamedTuple):
    """The columns that are something else than experts or features; None where there is none."""

    outcome: int | None
    by: int | None
    weights: int | None

    @property
    def taken(self) -> dict[int, str]:
        """What these columns are called."""
        found = zip(self, ROLES, strict=True)
        return {i: role for i, role in found if i is not None}


def _find_roles(columns: Sequence[Column], request: ReadOptions) -> tuple[Roles, tuple[str, ...]]:
    outcome, notes = _outcome(columns, request, request.coding is not None)
    by = weights = None
    if request.by_column is not None:
        by = _other(columns, request.by_column, "by", {outcome: "the outcome"})
    if request.weights_column is not None:
        taken = {outcome: "the outcome", by: "the key"}
        weights = _other(columns, request.weights_column, "weights", taken)
        if columns[weights].kind not in _allowed_kinds(False):
            raise BadInput(f"weights: {columns[weights]} does not hold numbers")
    return Roles(outcome, by, weights), notes


def _find_named(
    columns: Sequence[Column], request: ReadOptions, roles: Roles, others: list[int]
) -> tuple[list[int], list[int], tuple[str, ...]]:
    """The columns that the user named in full, all that match, and notes."""
    if request.trained:
        named, notes = _trained_on(columns, request, roles.taken, others)
        candidates = named
    else:
        named, candidates = _match(columns, request, roles.taken, others)
        notes = ()
    if named:
        _refuse_kinds(columns, request, named)
    return named, candidates, notes


def _refuse_kinds(columns: Sequence[Column], request: ReadOptions, named: Sequence[int]) -> None:
    """Refuse columns that were named and hold something else than what is asked for."""
    text = bool(request.examples or (request.coding and request.coding.advice))
    for i in named:
        if request.trained and columns[i].kind == "text" and not text:
            raise BadInput(_no_numbers(columns[i], request.trained.learner))
        if columns[i].kind not in _allowed_kinds(text):
            raise BadInput(f"{request.role}: {columns[i]} does not hold {_values_of(request)}")


def _choose_place(
    columns: Sequence[Column],
    request: ReadOptions,
    roles: Roles,
    others: Sequence[int],
    notes: tuple[str, ...],
) -> Choice:
    """The one column that names a place (a vertex of a graph), which is read as text whatever it holds."""
    place, more = _find_place(columns, request, roles, others)
    left = [columns[i] for i in others if i != place]
    notes += (*more, f"left out: {list_columns(left)}") if left else more
    used = [i for i in (roles.outcome, roles.weights) if i is not None]
    return Choice(
        (place,), roles.outcome, roles.by, _find_classes(request, (), roles.outcome), notes, roles.weights,
        (place,), None, _find_slips(columns, used),
        _find_written(columns, used),
    )  # fmt: skip


def _find_place(
    columns: Sequence[Column], request: ReadOptions, roles: Roles, others: Sequence[int]
) -> tuple[int, tuple[str, ...]]:
    """The column that names a place; a note, where its name alone tells it from others."""
    found = [i for i in others if columns[i].kind not in ("empty", *TIMES)]
    if request.columns is not None:
        found = _match(columns, request, roles.taken, others)[1]
    elif len(found) > 1 and (place := _usual_place(columns, found)) is not None:
        name = columns[place].name
        return place, (
            f"{name!r} names the vertices; name another column with features= (--features)",
        )
    if len(found) != 1:
        there = list_columns([columns[i] for i in found or others]) or "none"
        raise BadInput(
            "features: one column names the vertices; which one? Name it with features= (--features); "
            f"there are {there}"
        )
    return found[0], ()


def _usual_place(columns: Sequence[Column], found: Sequence[int]) -> int | None:
    """Of several columns the one with a usual name of a place."""
    called = {columns[i].name.strip().lower(): i for i in reversed(found)}
    return next((called[word] for word in PLACES if word in called), None)


def _time(columns: Sequence[Column], taken: Container[int | None]) -> int | None:
    """The first column of dates that is nothing else."""
    dates = (i for i, c in enumerate(columns) if c.kind in TIMES and i not in taken)
    return next(dates, None)


def list_columns(columns: Sequence[Column], most: int = 20) -> str:
    """
    >>> list_columns([Column("day", "date"), Column("a", "text", "row 2 is 'x'")])
    "'day' (date), 'a' (text: row 2 is 'x')"
    """
    shown = ", ".join(str(c) for c in columns[:most])
    return shown if len(columns) <= most else f"{shown} and {len(columns) - most} more"


def _values_of(request: ReadOptions) -> str:
    if request.examples:
        return "numbers or text"
    return "numbers or labels" if request.coding and request.coding.advice else "numbers"


def _allowed_kinds(text: bool) -> set[str]:
    """The kinds of values that a column may hold that the user named."""
    return {"number", "boolean", "empty", "index", "identifier"} | ({"text"} if text else set())


def _is_text(column: Column, request: ReadOptions) -> bool:
    """Whether a feature is text, to be hashed: not if nearly all of it is numbers."""
    if not request.examples or column.kind != "text":
        return False
    if column.slip:
        raise BadInput(_slip(column, request))
    return True


def _slip(column: Column, request: ReadOptions) -> str:
    where = f" ({column.where})" if column.where else ""
    out = f"the column out with {request.role}=['!{column.name}']"
    skip = ", or skip such lines of a text file with on_bad_line='skip'" if column.slip else ""
    return (
        f"{request.role}: {column.name!r} holds numbers, but {column.remark}{where}; correct it"
        f"{',' if skip else ' or'} leave {out}{skip}"
    )


def _outcome(
    columns: Sequence[Column], request: ReadOptions, coded: bool
) -> tuple[int | None, tuple[str, ...]]:
    allowed = _allowed_kinds(coded)
    if request.outcome is None:
        if request.losses or request.apart:
            return None, ()
        possible = [i for i, c in enumerate(columns) if c.kind in allowed - SURELY_NO_OUTCOME]
        if request.examples:
            return _guess_outcome(columns, request, possible)
        there = names_of(columns[i].name for i in possible)
        raise BadInput(
            "which column is the outcome? Name it with outcome= (--outcome), or say losses=True where columns "
            f"hold losses; the columns that could be: {there or 'none'}"
        )
    if request.losses:
        raise BadInput("outcome: with losses there is nothing to predict; leave outcome= out")
    if request.apart:
        raise BadInput("outcome: the outcomes were given apart; leave outcome= out")
    if request.optional and all(c.name != request.outcome for c in columns):
        return None, ()
    i = _find(columns, request.outcome, "outcome")
    _refuse_outcome(columns[i], request, coded)
    return i, ()


def _refuse_outcome(column: Column, request: ReadOptions, coded: bool) -> None:
    """Refuse a column that cannot be the outcome."""
    where = f" ({column.where})" if column.where else ""
    if column.slip and column.kind == "text" and not _sure(request):
        raise BadInput(
            f"outcome: {column.name!r} holds numbers, but {column.remark}{where}; correct it, skip such "
            "lines of a text file with on_bad_line='skip', or say that every text is a class: "
            "task='classification'"
        )
    if column.kind not in _allowed_kinds(coded):
        hint = "; labels=True reads classes" if column.kind == "text" else ""
        raise BadInput(
            f"outcome: {column} does not hold {'numbers or labels' if coded else 'numbers'}{hint}{where}"
        )


def _sure(request: ReadOptions) -> bool:
    """Did the caller say that outcomes are classes?"""
    return request.coding is not None and (request.coding.sure or request.coding.advice)


def _guess_outcome(
    columns: Sequence[Column], request: ReadOptions, possible: Sequence[int]
) -> tuple[int | None, tuple[str, ...]]:
    """The column with a usual name of an outcome (see OUTCOMES), or the last one."""
    taken = {
        request.by_column,
        request.weights_column,
        *((request.columns or ()) if request.optional else ()),
    }
    possible = [i for i in possible if columns[i].name not in taken]
    candidates = [i for i in possible if columns[i].name.strip().lower() in OUTCOMES]
    if len(candidates) == 1:
        why = "by its name"
    elif possible:
        candidates, why = [possible[-1]], "the last column"
    elif request.optional:
        return None, ()
    else:
        raise BadInput(
            "which column is the outcome? Name it with outcome= (--outcome); "
            f"the columns are {list_columns(columns)}"
        )
    name = columns[candidates[0]].name
    return candidates[0], (
        f"the outcome is {name!r}, {why}; name another with outcome= (--outcome)",
    )


def _other(columns: Sequence[Column], name: str, role: str, taken: dict[int | None, str]) -> int:
    """The column of the keys or of the weights, which is nothing else."""
    i = _find(columns, name, role)
    if i in taken:
        this = {"by": "key", "weights": "weight"}[role]
        raise BadInput(f"{role}: {name!r} is {taken[i]}; it cannot be the {this} too")
    return i


def _kinds(
    columns: Sequence[Column],
    candidates: Sequence[int],
    outcome: int | None,
    request: ReadOptions,
) -> set[str]:
    """Columns that the user did not name are taken if they are of the kind that the game needs.

    A boolean among numbers is more often a flag ("holiday") than a forecast, so it is an expert
    only where classes are predicted, or where there is nothing else.
    """
    if request.examples:
        return {"number", "boolean", "text"}
    there = {columns[i].kind for i in candidates}
    if request.coding is None:
        return {"number"} if "number" in there else {"boolean"}
    if not request.coding.advice:
        return {"number", "boolean"}  # features
    like = there if outcome is None else {columns[outcome].kind}
    return (
        {"text"} if "text" in like and not like & {"number", "boolean"} else {"number", "boolean"}
    )


def _match(
    columns: Sequence[Column],
    request: ReadOptions,
    taken: dict[int, str],
    others: Sequence[int],
) -> tuple[list[int], list[int]]:
    """(columns named in full, all that match), each in the order of the request; '!glob' takes away."""
    names, role = [c.name for c in columns], request.role
    keep, drop = _split_patterns(request.columns or (), names)
    named: list[int] = []
    matched: dict[int, None] = dict.fromkeys(() if keep else others)
    for pattern in keep:
        if pattern in names:
            named.append(_find_free(columns, request, taken, pattern))
            hits = named[-1:]
        else:
            hits = [i for i in others if fnmatchcase(names[i], pattern)]
            if not hits:
                _find(columns, pattern, role)
        matched |= dict.fromkeys(hits)
    for pattern in drop:
        _refuse_no_match(columns, pattern, role)
    return named, [i for i in matched if not any(fnmatchcase(names[i], p) for p in drop)]


def _split_patterns(patterns: Sequence[str], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Patterns that add columns, and those that take some away, without their '!'; a name may begin with one."""
    keep = [p for p in patterns if p in names or not p.startswith("!")]
    return keep, [p[1:] for p in patterns if p not in keep]


def _refuse_no_match(columns: Sequence[Column], pattern: str, role: str) -> None:
    """Refuse a pattern that no column matches."""
    if not any(fnmatchcase(c.name, pattern) for c in columns):
        _find(columns, pattern, role)


def _find_free(
    columns: Sequence[Column], request: ReadOptions, taken: dict[int, str], name: str
) -> int:
    """The column of this name, which is nothing else."""
    i = _find(columns, name, request.role)
    if i in taken:
        one = "a feature" if request.examples else "an expert"
        raise BadInput(f"{request.role}: {name!r} is the {taken[i]}; it cannot be {one} too")
    return i


def _trained_on(
    columns: Sequence[Column],
    request: ReadOptions,
    taken: dict[int, str],
    others: Sequence[int],
) -> tuple[list[int], tuple[str, ...]]:
    """The columns that a learner was trained on, in their order, and a note on features that are not among them.

    An expert that is missing is passed over, as long as another is here: it sleeps.
    """
    assert request.trained is not None
    learner = request.trained.learner
    wanted, names = request.columns or (), [c.name for c in columns]
    here = [name for name in wanted if name in names]
    if not request.examples and here:
        wanted = tuple(here)
    found = []
    for name in wanted:
        if name not in names:
            _refuse_missing(name, names, wanted, learner)
        i = _find(columns, name, request.role)
        _refuse_changed(columns[i], request, taken.get(i))
        found.append(i)
    kinds = ("number", "boolean", "text")
    more = [columns[i].name for i in others if i not in found and columns[i].kind in kinds]
    if not more or not request.examples or request.optional:
        return found, ()
    return found, (f"not used: {names_of(more)}, which {learner} was not trained on",)


def _refuse_changed(column: Column, request: ReadOptions, role: str | None) -> None:
    """Refuse a column that a learner was trained on, and that is something else now; `role`: what else it is."""
    assert request.trained is not None
    learner, text = request.trained
    if role is not None:
        raise BadInput(
            f"{learner} was trained on {column.name!r}, and here it is the {role}: name another"
        )
    if request.examples and column.kind == "text" and column.name not in text:
        raise BadInput(_no_numbers(column, learner))


def _refuse_missing(
    name: str, names: Sequence[str], wanted: Sequence[str], learner: str
) -> NoReturn:
    """Say that a column of the training is not here."""
    close = _closest(name, [other for other in names if other not in wanted])
    hint = f"if {close!r} is it, rename it; the" if close else "the"
    raise BadInput(
        f"{learner} was trained on a column that is not here: no column is called {name!r}; "
        f"{hint} columns are {names_of(names)}"
    )


def _correct_kinds(columns: Sequence[Column], request: ReadOptions) -> Sequence[Column]:
    """The columns; what was text when a learner was trained is text, though all it holds are numbers.

    One with a few values that are no numbers counts as numbers if such lines are skipped.
    """
    if request.on_bad_line != "error":
        sure = request.outcome if request.coding is not None and request.coding.sure else None
        columns = [c._replace(kind="number") if c.slip and c.name != sure else c for c in columns]
    if request.trained is None or not request.trained.text:
        return columns
    text, kinds = request.trained.text, ("number", "boolean", "identifier", "text")
    return [
        c._replace(kind="text", remark="", slip=False, written=None)
        if c.name in text and c.kind in kinds
        else c
        for c in columns
    ]


def _no_numbers(column: Column, learner: str) -> str:
    """The message about a column that held numbers when a learner was trained."""
    where = f" ({column.where})" if column.where else ""
    if not column.slip:
        here = column.remark or "here it is text"
        return f"{column.name!r} held numbers when {learner} was trained, but {here}{where}; correct it"
    return (
        f"{column.name!r} holds numbers, but {column.remark}{where}; correct it, or skip such lines of a text file "
        "with on_bad_line='skip'"
    )


def _find(columns: Sequence[Column], name: str, role: str) -> int:
    names = [c.name for c in columns]
    if names.count(name) > 1:
        doubt = columns[names.index(name)].doubt or "rename them"
        raise BadInput(f"{role}: {names.count(name)} columns are called {name!r}; {doubt}")
    if name in names:
        return names.index(name)
    close = _closest(name, names)
    hint = f"did you mean {close!r}? The" if close else "the"
    what = "no column matches" if any(c in name for c in "*?[") else "no column is called"
    if len(names) == 1 and name in names[0].split():
        raise BadInput(
            f"{role}: {what} {name!r}: the first line, {names[0]!r}, has blanks between its words, and columns are "
            "separated by commas, semicolons, tabs or bars"
        )
    raise BadInput(f"{role}: {what} {name!r}; {hint} columns are {names_of(names)}")


def _closest(name: str, names: Sequence[str]) -> str | None:
    """The name that is most like another; None where none is."""
    import difflib

    lowered = {n.lower(): n for n in names}
    close = difflib.get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.5)
    return lowered[close[0]] if close else None


def names_of(names: Iterable[str], most: int = 20) -> str:
    shown = [repr(n) for n in names]
    extra = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + extra


def _unique(columns: Sequence[Column], chosen: Iterable[int | None]) -> None:
    seen: set[str] = set()
    for name, doubt in ((columns[i].name, columns[i].doubt) for i in chosen if i is not None):
        if name in seen:
            raise BadInput(f"two columns are called {name!r}; {doubt or 'rename one of them'}")
        seen.add(name)
