"""The public names and their signatures, and the options of commands: `python tools/public_api.py --write` keeps them.

tests/core/test_public_api.py compares them with tests/core/public_api.txt, so that none changes unseen.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import littlestone as ls
from littlestone import group_names
from littlestone.cli.main import main as command_line
from littlestone.core.learner import Learner

KEPT = Path(__file__).resolve().parent.parent / "tests" / "core" / "public_api.txt"


def lines() -> Iterator[str]:
    """Each public name with what it takes, with the methods of classes but for learners; then the commands."""
    for name in sorted(ls._WHERE):
        yield from described(name, getattr(ls, name))
    for group in sorted(ls._GROUPS):
        for name in sorted(names_in(group)):
            place = f"{group}.{name}"
            found = getattr(getattr(ls, group), name)
            if name in ls._WHERE and found is getattr(ls, name):
                yield f"{place} is {name}"
            else:
                yield from described(place, found)
    yield from commands(command_line, "littlestone")


def commands(group: click.Group, name: str) -> Iterator[str]:
    """Each command of the command line, with its arguments and options."""
    for key, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {key}")
            continue
        taken = [p.human_readable_name for p in command.params if isinstance(p, click.Argument)]
        yield f"$ {' '.join([name, key, *taken])}"
        options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
        for option in sorted(options, key=lambda o: o.opts):
            words = ", ".join([*option.opts, *option.secondary_opts])
            yield f"$ {name} {key} {words}{'' if option.is_flag else ' ...'}"


def names_in(group: str) -> list[str]:
    """The public names of a group."""
    module = getattr(ls, group)
    listed = list(group_names.names_of(ls._GROUPS[group]))
    return listed or [n for n in dir(module) if getattr(ls, n, None) is getattr(module, n)]


def described(name: str, v: Any) -> Iterator[str]:
    """A name, and what can be called with what."""
    if isinstance(v, ModuleType):
        yield f"{name}: module"
    elif isinstance(v, type):
        yield f"{name}{signature(v)}"
        if v is Learner or not issubclass(v, (Learner, BaseException)):
            ours = [vars(c) for c in reversed(v.__mro__) if c.__module__.startswith(ls.__name__)]
            for part, found in sorted({k: f for each in ours for k, f in each.items()}.items()):
                if not part.startswith("_"):
                    yield from of_class(f"{name}.{part}", found)
    elif callable(v):
        yield f"{name}{signature(v)}"
    else:
        yield f"{name}: {type(v).__name__}"


def of_class(name: str, v: Any) -> Iterator[str]:
    """A method with its signature; what is read, by its name alone."""
    found = v.__func__ if isinstance(v, (classmethod, staticmethod)) else v
    yield f"{name}{signature(found)}" if inspect.isfunction(found) else name


def signature(v: Any) -> str:
    """What it takes, without types: those may become wider."""
    try:
        taken = inspect.signature(v)
    except ValueError:
        return "(...)"
    if not inspect.isfunction(v) and "/" in str(taken):
        return "(...)"  # made in C: what is known of it differs by version of Python
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in taken.parameters.values()]
    return str(taken.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def main() -> int:
    text = "\n".join(lines()) + "\n"
    if sys.argv[1:] == ["--write"]:
        KEPT.write_text(text, "utf-8")
        print(f"{KEPT}: {text.count(chr(10))} lines")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
