"""How a lower package calls a function of a higher one: a run writes its report, a learner begins its first round.

A lower package never imports a higher one. It asks here, by name. `littlestone/__init__.py`, which is above all
packages, says where each name is found; the package is imported when its name is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_finders: list[Callable[[str], Any]] = []


def register(find: Callable[[str], Any]) -> None:
    """Ask `find` for names from now on."""
    _finders[:] = [find]


def hook(name: str) -> Any:
    """What a higher package offers under this name: a function, or a module of functions."""
    return _finders[0](name)
