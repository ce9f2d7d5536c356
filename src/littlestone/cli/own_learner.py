"""A learner of the user's own, written FILE.py:CLASS at the command line."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from ..core.errors import BadFile, BadInput, on_one_line
from ..core.learner import Learner


def key_in_file(file: str, name: str) -> str:
    """The key of a class of learners in a file, which is imported: its code runs, as that of any script does."""
    path = Path(file).resolve()
    if not path.is_file():
        raise BadFile(f"{file}: there is no such file")
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # the file may import others beside it, as a script may
    try:
        module = import_module(path.stem)
    except Exception as problem:  # whatever the user's code raises
        raise BadFile(
            f"{file} cannot be imported: {type(problem).__name__}: {on_one_line(problem)}"
        ) from problem
    if Path(module.__file__ or "").resolve() != path:
        raise BadFile(f"{file}: another module is called {path.stem!r}; rename the file")
    own = {
        n: v
        for n, v in vars(module).items()
        if isinstance(v, type) and issubclass(v, Learner) and not v.abstract
    }
    if name not in own:
        here = [n for n, v in own.items() if v.__module__ == module.__name__]
        there = f"its learners: {', '.join(here)}" if here else "it has none"
        raise BadInput(f"{file} has no learner called {name!r}; {there}")
    return own[name].key
