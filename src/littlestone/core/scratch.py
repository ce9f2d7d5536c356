"""Scratch: parts of a state that `decide` writes anew before anybody reads them, and that no digest covers.

    class State(NamedTuple):
        w: Array
        v: Buffer  # the decision
        A: Annotated[Array, Scratch(2)]  # its row 2 alone

What a learner will do does not depend on its scratch: two states that differ in nothing else are the same state.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from typing import Annotated, Any, ForwardRef, get_args, get_origin

from .named_tuples import field_names
from .stream import Array


class Scratch:
    """Marks a field of a state as scratch: all of it, some rows of an array, or some fields of a record.

    A part of an array is a row, or an index of NumPy's: `Scratch(np.s_[:, 1:])`.
    """

    def __init__(self, *parts: int | str | slice | tuple[slice, ...]) -> None:
        self.parts = parts

    def places(self) -> Iterator[Any]:
        """The parts of an array, as indices that give views."""
        for i in self.parts:
            yield slice(i, i + 1) if isinstance(i, int) else i


Buffer = Annotated[Array, Scratch()]  # an array that is scratch


@functools.cache
def scratch_of(cls: type) -> dict[str, Scratch]:
    """The fields of a NamedTuple class that are marked."""
    found = {}
    for name, hint in vars(cls).get("__annotations__", {}).items():
        try:
            kind = evaluate_hint(hint, cls)
        except NameError:  # a name that only type checkers know: such a field is not marked
            continue
        if get_origin(kind) is Annotated:
            for mark in get_args(kind)[1:]:
                if isinstance(mark, Scratch):
                    found[name] = mark
    return found


def evaluate_hint(hint: Any, cls: type) -> Any:
    """An annotation as Python sees it: those of modules with postponed annotations are texts."""
    text = hint.__forward_arg__ if isinstance(hint, ForwardRef) else hint
    return eval(text, vars(sys.modules[cls.__module__])) if isinstance(text, str) else hint


def parts_of(v: Any, mark: Scratch | None = None) -> Iterator[tuple[Any, Scratch | None]]:
    """The arrays and numbers of a state in their order, each with its mark."""
    if isinstance(v, tuple) and (mark is None or mark.parts):
        fields = field_names(v)
        marks = scratch_of(type(v)) if fields else {}
        for i, part in enumerate(v):
            name = fields[i] if fields else ""
            all_of_it = mark is not None and name in mark.parts
            yield from parts_of(part, Scratch() if all_of_it else marks.get(name))
    elif isinstance(v, tuple):
        for part in v:
            yield from parts_of(part, mark)
    else:
        yield v, mark


def kept_leaves(state: Any) -> Iterator[Any]:
    """The arrays and numbers of a state in their order, without scratch; parts that are scratch are 0."""
    for v, mark in parts_of(state):
        if mark is None:
            yield v
        elif mark.parts:
            v = v.copy()
            for place in mark.places():
                v[place] = 0
            yield v


def scratch_arrays(state: Any) -> Iterator[Any]:
    """The arrays of a state, and the parts of its arrays, that are scratch."""
    for v, mark in parts_of(state):
        if mark is not None:
            yield from [v[place] for place in mark.places()] or [v]
