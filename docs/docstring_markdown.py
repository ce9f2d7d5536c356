"""Docstrings as Markdown: prose, pseudo-code and examples that run where they are shown."""

from __future__ import annotations

import ast
import builtins
import doctest
import inspect
import itertools
import os
import re
import textwrap
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

import littlestone as ls

DOCS = Path(__file__).resolve().parent
# Two letters at least after the dash: T-1 is a number of rounds, and [A-Z0-9] a class of characters.
LISTED = re.compile(r"^\w[\w=, ]*  +\S|^ ")  # a name, blanks, and what it means; or more of that
ID = re.compile(r"(?<![\w-])(?!A-Z)(?:[ATEX]|ADV)-[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)*")


def prose(text: str, page: Path) -> str:
    """Plain text as Markdown: only what stands in backticks is code, and nothing is emphasis or a tag."""
    parts = re.split(r"(`[^`\n]+`)", text)
    return "".join(p if p.startswith("`") else escaped(p, page) for p in parts)


def escaped(text: str, page: Path) -> str:
    text = re.sub(r"([*`])|(<)(?=[A-Za-z/])", r"\\\1\2", text)
    text = re.sub(r"(?<=\w)_(?=\w)|_", r"\\_", text)
    return ID.sub(lambda m: linked(m[0], page), text)


def linked(name: str, page: Path) -> str:
    """A link from a page to an entry of the ledger."""
    ledger = Path(os.path.relpath(DOCS / "ledger.md", page.parent)).as_posix()
    return f"[{name}]({ledger}#{name.lower()})"


def sentence(text: str) -> str:
    return text if text.endswith(".") else text + "."


def purpose(what: Any) -> str:
    """The first line of its docstring."""
    lines = (inspect.getdoc(what) or "").splitlines()
    return lines[0] if lines else ""


def paragraphs(doc: str) -> list[str]:
    """The blocks of a docstring, which empty lines part."""
    return [block for block in inspect.cleandoc(doc).split("\n\n") if block.strip()]


def text(doc: str, page: Path) -> list[str]:
    """The prose and pseudo-code of a docstring, without its examples."""
    made: list[str] = []
    for block in paragraphs(doc):
        if block.startswith(">>>"):
            continue
        lines = block.splitlines()
        if lines[0][0] != " " and all(map(LISTED.match, lines)):
            made.append(listed(lines, "  ", page))
            continue
        for code, run in itertools.groupby(lines, lambda line: line.startswith("    ")):
            joined = "\n".join(run)
            made.append(indented(joined, page) if code else prose(joined, page))
    return joined_blocks(made)


def indented(lines: str, page: Path) -> str:
    """Arguments as a list, anything else as it is."""
    flush = textwrap.dedent(lines)
    names = [line for line in flush.splitlines() if not line.startswith(" ")]
    if all(re.match(r"[a-z_]+: ", line) for line in names):
        return listed(flush.splitlines(), ": ", page)
    return f"```text\n{flush}\n```"


def listed(lines: list[str], mark: str, page: Path) -> str:
    """Names, a mark, and their meanings, as a list."""
    made: list[str] = []
    for line in lines:
        name, _, meaning = line.partition(mark)
        if line.startswith(" ") or not meaning:
            made[-1] += f" {prose(line.strip(), page)}"
        else:
            made.append(f"- `{name}`: {prose(meaning.strip(), page)}")
    return "\n".join(made)


def joined_blocks(blocks: list[str]) -> list[str]:
    """Neighbouring blocks of pseudo-code as one."""
    made: list[str] = []
    for block in blocks:
        if made and block.startswith("```") and made[-1].startswith("```"):
            made[-1] = made[-1].removesuffix("```") + "\n" + block.removeprefix("```text\n")
        else:
            made.append(block)
    return made


def cell(text: str) -> str:
    """Markdown that may stand in a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def example(doc: str, module: ModuleType) -> str:
    """The examples of a docstring as one block, with the imports that they need; "" where there are none."""
    blocks = [b for b in paragraphs(doc) if b.startswith(">>>")]
    if not blocks:
        return ""
    source = "".join(e.source for b in blocks for e in doctest.DocTestParser().get_examples(b))
    shown = [f">>> {line}" for line in imports(source, module)]
    package = module.__name__.rpartition(".")[0]
    lines = re.sub(
        r"^(>>> from )(\.+\w+)",
        lambda m: m[1] + resolve_name(m[2], package),
        "\n".join([*shown, *blocks]),
        flags=re.M,
    )
    return f"```pycon\n{lines}\n\n```"


def imports(source: str, module: ModuleType) -> Iterator[str]:
    """What an example takes from its module, as imports that a reader can type."""
    tree = ast.parse(source)
    used = {n.id: None for n in ast.walk(tree) if isinstance(n, ast.Name)}
    made = {
        a.asname or a.name
        for n in ast.walk(tree)
        if isinstance(n, ast.ImportFrom | ast.Import)
        for a in n.names
    }
    made |= {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    for name in sorted(used):
        if name in made or name in vars(builtins) or name not in vars(module):
            continue
        found = vars(module)[name]
        if isinstance(found, ModuleType):
            yield f"import {found.__name__} as {name}"
        elif name in ls._WHERE and getattr(ls, name) is found:
            yield f"from littlestone import {name}"
        else:
            yield f"from {module.__name__} import {name}"
