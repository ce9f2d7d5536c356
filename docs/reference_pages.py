"""The reference: a page a learner, a page for each other public name, a page a group, and their list."""

from __future__ import annotations

import inspect
import itertools
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import GenericAlias
from typing import Any, get_args

from docstring_markdown import DOCS, cell, example, linked, prose, purpose, sentence, text
from theorem_comparators import COMPARED, COVERS, MISSES

import littlestone as ls
from littlestone import games
from littlestone.core import losses
from littlestone.core.errors import BadInput
from littlestone.core.guarantee import MEANING, Guarantee
from littlestone.core.learner import Learner, defaults, hints
from littlestone.core.parameters import split_hint
from littlestone.core.registry import learners
from littlestone.group_names import names_of
from littlestone.learner_packages import LEARNER_PACKAGES

ROOT = DOCS.parent
FOLDER = DOCS / "reference"
NOTE = "<!-- Written by docs/build.py from the code: edit the docstrings, then `make docs`. -->\n"
TOP = "littlestone"  # the group of the names that are in no other
Class = type[Learner[Any, Any, Any, Any]]


def ours() -> dict[str, Class]:
    """The learners of the package; a process may have defined others."""
    return {k: c for k, c in learners().items() if c.__module__.startswith("littlestone.")}


def theorems() -> dict[str, tuple[Guarantee, list[str]]]:
    """Each Guarantee of the registry by its id, and the learners that carry it."""
    found: dict[str, tuple[Guarantee, list[str]]] = {}
    for key, cls in ours().items():
        for g in cls.guarantees:
            found.setdefault(g.id, (g, []))[1].append(key)
    return found


@cache
def groups() -> dict[str, dict[str, Any]]:
    """Every public name, by group: those of a group, and those that are on the top only."""
    found: dict[str, dict[str, Any]] = {TOP: {}}
    for group, module in ls._GROUPS.items():
        names = names_of(group) if group == module else in_module(module)
        found[group] = {name: getattr(getattr(ls, group), name) for name in sorted(names)}
    for name in ls._WHERE:
        what = getattr(ls, name)
        if not any(names.get(name) is what for names in found.values()):
            found[TOP][name] = what
    return found


def in_module(module: str) -> list[str]:
    """The names of the list that are in this module."""
    return [name for name, where in ls._WHERE.items() if where == module]


@cache
def places() -> dict[tuple[str, str], Path]:
    """The page of each name: a learner's is called by its key; of `graph` and `Graph` the first has a tail."""
    found: dict[tuple[str, str], Path] = {}
    for group, names in groups().items():
        taken: set[str] = {"index"}
        for name, what in sorted(names.items(), key=lambda item: item[0].islower()):
            slug = what.key if is_learner(what) else name.lower()
            slug = f"{slug}-function" if slug in taken else slug
            taken.add(slug)
            found[group, name] = FOLDER / group / f"{slug}.md"
    return found


def is_learner(what: Any) -> bool:
    return inspect.isclass(what) and issubclass(what, Learner) and what in ours().values()


@cache
def learner_pages() -> dict[str, Path]:
    """The page of each learner, by key."""
    every = {
        what: places()[g, name]
        for g, names in groups().items()
        for name, what in names.items()
        if is_learner(what)
    }
    missing = [key for key, cls in ours().items() if cls not in every]
    if missing:
        raise SystemExit(f"docs/build.py: no public name for {', '.join(missing)}")
    return {key: every[cls] for key, cls in ours().items()}


def pages() -> dict[Path, str]:
    """Every page of the reference."""
    found = {DOCS / "reference.md": contents()}
    for group, names in groups().items():
        found[FOLDER / group / "index.md"] = group_page(group)
        for name, what in names.items():
            page = places()[group, name]
            found[page] = (
                learner_page(what, page) if is_learner(what) else name_page(group, name, what, page)
            )
    return found


def relative(to: Path, page: Path) -> str:
    return Path(os.path.relpath(to, page.parent)).as_posix()


# The list.


def contents() -> str:
    page = DOCS / "reference.md"
    parts = [
        "# Reference\n",
        NOTE,
        "Every public name has a page. A learner's page has its rule, parameters, theorems and an example; "
        "`littlestone show KEY` prints the same. Which one to take: [over experts](experts/overview.md), "
        "[over examples](linear/overview.md).\n",
        "## Groups\n",
        *(
            f"- [{group}]({relative(FOLDER / group / 'index.md', page)}): {about(group)}"
            for group in groups()
        ),
        "\n## Learners\n",
        "| learner | purpose | theorems |\n| --- | --- | --- |",
        *(row(key, cls, page) for key, cls in ours().items()),
        "",
        "## Games\n",
        "How a decision becomes a prediction, and what the learner is shown: [games](experts/games.md).\n",
        *(described(game, page) for game in get_args(games.Game)),
        "\n## Symbols\n",
        "What the bounds are made of, beside the parameters and what a learner notes down itself:\n",
        *(f"- `{name}`: {meaning}" for name, meaning in MEANING.items()),
        "",
    ]
    return "\n".join(parts)


def about(group: str) -> str:
    if group == TOP:
        return "Verbs and types: play, compare, load, Run, Learner."
    return purpose(getattr(ls, group))


def row(key: str, cls: Class, page: Path) -> str:
    ids = ", ".join(linked(g.id, page) for g in cls.guarantees)
    return f"| [{key}]({relative(learner_pages()[key], page)}) | {cell(prose(purpose(cls), page))} | {ids} |"


def described(game: type, page: Path) -> str:
    return f"- {game.__name__}: {prose(purpose(game), page)}"


def group_page(group: str) -> str:
    page = FOLDER / group / "index.md"
    shown = "littlestone" if group == TOP else f"littlestone.{group}"
    lines = [f"# {shown}\n", NOTE, f"{about(group)}\n", "| name | what it is |", "| --- | --- |"]
    for name, what in groups()[group].items():
        said = cell(prose(purpose(what) if documented(what) else "", page))
        lines.append(f"| [{name}]({relative(places()[group, name], page)}) | {said} |")
    return "\n".join([*lines, ""])


# A learner.


def learner_page(cls: Class, page: Path) -> str:
    doc = cls.__doc__ or ""
    lines = [f"# {cls.key}\n", NOTE, *(f"{part}\n" for part in text(doc, page))]
    shown = example(doc, sys.modules[cls.__module__])
    if shown:
        lines += ["## Example\n", shown, ""]
    lines += [
        "## Parameters\n",
        f"`littlestone.{cls.__name__}`{origin(cls, page)}. {guide(cls.key, page)}\n",
    ]
    lines += [*parameters(cls, page), "", "## Games\n", *played(cls), ""]
    return "\n".join([*lines, "## Theorems\n", *(theorem(g, page) for g in cls.guarantees)])


def origin(what: Any, page: Path) -> str:
    """Where its source is."""
    file = inspect.getsourcefile(what)
    if file is None or not file.startswith(str(ROOT)):
        return ""
    path = Path(file).relative_to(ROOT)
    return f", in [{path.as_posix().removeprefix('src/')}]({relative(ROOT / path, page)})"


def guide(key: str, page: Path) -> str:
    """A link to the page that explains the learner."""
    for folder in LEARNER_PACKAGES:
        for found in sorted((DOCS / folder.partition(".")[0]).glob("*.md")):
            if f"\n## {key}\n" in found.read_text(encoding="utf-8"):
                return f"Explained in [{found.parent.name}: {found.stem}]({relative(found, page)}#{key})."
    return ""


def parameters(cls: Class, page: Path) -> Iterator[str]:
    if not defaults(cls):
        yield "none"
        return
    yield "| name | default | what it may be |"
    yield "| --- | --- | --- |"
    for name, default in defaults(cls).items():
        kind, declared, optional = split_hint(hints(cls)[name])
        if name == "loss":
            words = ", ".join(f"`{word}`" for word in loss_names(cls))
            said = f"one of {words}, or a loss object"
        elif declared is not None:
            said = prose(str(declared), page)
        else:
            kinds = {bool: "yes or no", tuple[float, ...]: "numbers"}
            said = prose(kinds.get(kind, str(kind)), page)
        shown = "unset" if default is None else repr(default)
        more = "; may be left unset" if optional else ""
        yield f"| `{name}` | `{cell(shown)}` | {cell(said)}{more} |"


def loss_names(cls: Class) -> tuple[str, ...]:
    """The losses that the learner could be given, by name."""
    return tuple(losses.NAMES | losses.SCORES if cls.examples else losses.NAMES)


def played(cls: Class) -> Iterator[str]:
    """The games that the learner plays, the one of its defaults first."""
    for allocation, what in ((False, "examples and outcomes"), (True, "losses alone")):
        first, *others = [g.__name__ for g in dict.fromkeys(variants(cls, allocation))] or ["none"]
        more = f" (other parameters: {', '.join(others)})" if others else ""
        yield f"- {what}: {first}{more}"


def variants(cls: Class, allocation: bool) -> Iterator[type]:
    """The games of the defaults, and of every choice of switches and losses."""
    choices: dict[str, tuple[Any, ...]] = {
        name: (False, True) for name, hint in hints(cls).items() if split_hint(hint)[0] is bool
    }
    if "loss" in hints(cls):
        choices["loss"] = loss_names(cls)
    for values in [(), *itertools.product(*choices.values())]:
        try:
            yield type(cls(**dict(zip(choices, values, strict=False))).game(allocation))
        except BadInput:
            continue


def against(g: Guarantee) -> str:
    """What a theorem is against, in words."""
    if g.against not in ("own", "none"):
        return COVERS[g.against]
    if g.id not in COMPARED:
        raise SystemExit(f"docs/theorem_comparators.py does not say what {g.id} is against")
    return COMPARED[g.id]


def theorem(g: Guarantee, page: Path) -> str:
    lines = [f"### {g.id}\n", f"{prose(g.name, page).capitalize()} ({linked(g.id, page)}).\n"]
    lines.append(f"> {sentence(prose(g.statement, page))}\n")
    lines.append(f"- Compared with {against(g)}." if against(g) != MISSES else f"- {MISSES}.")
    lines.append(f"- Measured: {g.measures}; it holds {g.mode}.")
    if g.assumptions:
        lines.append(f"- Assumes: {prose('; '.join(map(str, g.assumptions)), page)}.")
    known = [f"`{s}`: {MEANING[s]}" for s in g.uses if s in MEANING]
    if known:
        lines.append(f"- Symbols: {'; '.join(known)}.")
    if g.when is not None:
        lines.append("- Listed in a certificate only where the parameters make it apply.")
    if g.late:
        lines.append("- Holds for a single copy of the learner when feedback comes late, too.")
    return "\n".join([*lines, f"- Source: {sentence(prose(g.source, page))}\n"])


# Another public name.


def documented(what: Any) -> bool:
    return inspect.isclass(what) or inspect.isfunction(what)


def name_page(group: str, name: str, what: Any, page: Path) -> str:
    shown = f"ls.{name}" if group == TOP or name in ls._WHERE else f"ls.{group}.{name}"
    lines = [f"# {name}\n", NOTE]
    if not documented(what):
        return "\n".join([*lines, f"`{shown}` is a constant: {constant(what)}.", ""])
    doc = inspect.cleandoc(what.__dict__.get("__doc__") or inspect.getdoc(what) or "")
    lines += [
        f"```python\n{signature(shown, what)}\n```\n",
        *(f"{part}\n" for part in text(doc, page)),
    ]
    block = example(doc, sys.modules[what.__module__])
    if block:
        lines += ["## Example\n", block, ""]
    if inspect.isclass(what):
        lines += list(methods(what, page))
    found = origin(what, page)
    return "\n".join(
        [*lines, f"Source{found}.\n".replace("Source, in", "Source:") if found else ""]
    )


def constant(what: Any) -> str:
    """The entries of a table or a tuple of names, or what a type stands for."""
    if isinstance(what, GenericAlias):
        return f"the type `{what}`"
    return ", ".join(f"`{entry if isinstance(entry, str) else entry.__name__}`" for entry in what)


def signature(shown: str, what: Any) -> str:
    """How it is called, one argument in a line where they are many."""
    try:
        found = inspect.signature(what)
    except (TypeError, ValueError):
        return f"{shown}(...)"
    arguments = [plain(str(p)) for p in found.parameters.values()]
    short = f"{shown}({', '.join(arguments)})"
    if len(short) <= 90:
        return short
    return f"{shown}(\n" + "".join(f"    {a},\n" for a in arguments) + ")"


def plain(argument: str) -> str:
    """An argument without the quotes around its type, and without places in memory.

    >>> plain("rounds: 'int' = 100"), plain("f=<function g at 0x7f>")
    ('rounds: int = 100', 'f=function g')
    """
    argument = re.sub(r"^([*\w]+): '([^']*)'", r"\1: \2", argument)
    return re.sub(r"<([\w. ]+?)(?: at 0x\w+)?>", r"\1", argument)


def methods(cls: type, page: Path) -> Iterator[str]:
    """The public methods that the class itself or a parent of ours defines, in a table."""
    found = [
        (name, value)
        for name, value in inspect.getmembers(cls, inspect.isroutine)
        if not name.startswith("_") and of_ours(value) and inspect.getdoc(value)
    ]
    if not found:
        return
    yield "## Methods\n"
    yield "| name | what it does |"
    yield "| --- | --- |"
    for name, value in found:
        yield f"| `{name}` | {cell(prose(purpose(value), page))} |"
    yield ""


def of_ours(method: Any) -> bool:
    """Whether a method is written in this package, and not inherited from another library."""
    python = inspect.isfunction(method) or inspect.ismethod(method)
    return python and method.__module__.startswith("littlestone")
