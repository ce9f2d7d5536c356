"""Packages whose public names are found when they are first asked for: `ls.linear.Perceptron`.

The list of names is in `littlestone/__init__.py`. A name of the list wins over a file of the same name, whichever was
imported first: `ls.supervised.plan` is the function.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .hooks import hook


class Group(ModuleType):
    """A package that lists its public names, and imports their files when they are used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = hook("group_names").find(self.__name__.partition(".")[2], name)
        self.__dict__[name] = found
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        """Keep public names: the import of a file sets an attribute of its package."""
        if isinstance(value, ModuleType) and name in names_of(self.__name__):
            return
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        hidden = [name for name in self.__dict__ if name.startswith("__")]
        return sorted({*hidden, *names_of(self.__name__)})


def names_of(package: str) -> tuple[str, ...]:
    """The public names of the group that this package is."""
    found: tuple[str, ...] = tuple(hook("group_names").names_of(package.partition(".")[2]))
    return found


def make_group(package: str) -> None:
    """Let this package find its public names when they are first asked for."""
    sys.modules[package].__class__ = Group
