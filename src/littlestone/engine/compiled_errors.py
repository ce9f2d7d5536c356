"""Rules that cannot be compiled are refused in one line: the learner, its rule, what is wrong, the file and the line.

Numba says it in a page: every function that called the one with the mistake, each with its source.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from numba.core.errors import NumbaError

from ..core.errors import BadRule
from .compiled_records import arguments, records_in

NOISE = (
    "Failed in",
    "- Resolution failure",
    "During",
    "File ",
    "<source",
    "None",
    "There are",
    "Use of",
)
ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type (\w+)")
PLACE = re.compile(r"at (\S.*?\.py) \((\d+)\)")
SOURCE = re.compile(r'File "(.+?)", line (\d+):\s*\n\s*def (\w+)\(')


def explain_errors(dispatcher: Any, classes: Iterable[type]) -> None:
    """Let a function that Numba compiles when it is called refuse, in one line, what Numba cannot compile."""
    compile_: Callable[..., Any] = dispatcher.compile
    known = tuple(classes)

    def compile_or_refuse(sig: Any) -> Any:
        try:
            return compile_(sig)
        except (NumbaError, AttributeError, TypeError) as problem:
            met = (c for kind in arguments(sig) for c in records_in(kind))
            raise refuse_rule(str(problem), (*known, *met)) from None

    dispatcher.compile = compile_or_refuse


def refuse_rule(text: str, classes: tuple[type, ...]) -> BadRule:
    """What Numba says of a learner's rules, in one line; the first class is that of the learner's parameters."""
    learner = classes[0].__qualname__.removesuffix(".Params")
    source, place = SOURCE.search(text), PLACE.search(text)
    where = ""
    if source and place and Path(place.group(1)).parent != Path(__file__).parent:
        where = f".{source.group(3)} ({Path(place.group(1)).name}, line {place.group(2)})"
    return BadRule(
        f"{learner}{where}: {wrong(text, classes)}; LITTLESTONE_ENGINE=plain plays it without compiling"
    )


def wrong(text: str, classes: tuple[type, ...]) -> str:
    """What is wrong: an attribute that is not there, or Numba's first sentence about it."""
    found = ATTRIBUTE.search(text)
    if found is None:
        lines = [line.strip() for line in text.splitlines()]
        said = [s for s in lines if s and not s.startswith(NOISE)] or [text.strip()]
        more = f" {said[1].lstrip('> ')}" if said[0].endswith(":") and len(said) > 1 else ""
        return f"this cannot be compiled: {(said[0] + more).partition(', defined at')[0][:200]}"
    name, owner = found.groups()
    fields = next((c._fields for c in classes if c.__name__ == owner), ())  # type: ignore[attr-defined]
    near = difflib.get_close_matches(name, fields, 1)
    hint = (
        f"; did you mean {near[0]!r}?"
        if near
        else f"; there are {', '.join(fields)}"
        if fields
        else ""
    )
    return f"{owner.removesuffix('Params')} has no attribute {name!r}{hint}"
