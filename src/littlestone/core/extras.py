"""Libraries that only some uses need: what to install where one is missing, in a sentence."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import BadInput

# library: the extra of pyproject.toml that brings it
EXTRAS = {
    "apsw": "serve",
    "distributed": "scale",
    "hnswlib": "hnswlib",
    "littlestone_lectures": "lectures",
    "matplotlib": "plot",
    "networkx": "graphs",
    "pandas": "frames",
    "psycopg": "postgres",
    "river": "river",
    "starlette": "serve",
    "uvicorn": "serve",
}


class MissingExtra(BadInput, ImportError):
    """A library is not installed that is needed here; the message says how to get it."""


def import_extra(what: str, module: str) -> Any:
    """Import a module of an optional library, for `what` the user asked for.

    >>> import_extra("a plot", "math").pi
    3.141592653589793
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as problem:
        raise missing_extra(what, module.partition(".")[0], problem) from None


def missing_extra(what: str, library: str, problem: ModuleNotFoundError) -> ImportError:
    """The error that says how to install a library; the problem itself where another module is missing."""
    if (problem.name or "").partition(".")[0] != library:
        return problem
    return MissingExtra(
        f'{what} needs {library}, which is not installed: pip install "littlestone[{EXTRAS[library]}]"'
    )
