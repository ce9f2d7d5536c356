"""The tutorials as notebooks: what a reader types in cells that run, everything else as text."""

from __future__ import annotations

import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docstring_markdown import DOCS

TUTORIALS = DOCS / "tutorials"
NOTEBOOKS = DOCS / "notebooks"
TYPED = re.compile(r"^```(?:pycon|python)\n(>>>.*?)^```$", re.M | re.S)
BESIDE = re.compile(r"(\]\()([\w-]+\.md)")  # a link to another tutorial
SELF = re.compile(r"^\[As a notebook\].*\n\n", re.M)


def notebooks() -> dict[Path, str]:
    """Each notebook as JSON, by its path."""
    return {
        NOTEBOOKS / f"{page.stem}.ipynb": notebook(page.read_text(encoding="utf-8"))
        for page in sorted(TUTORIALS.glob("*.md"))
        if "\n>>> " in page.read_text(encoding="utf-8")
    }


def notebook(page: str) -> str:
    """A page as a notebook.

    >>> made = json.loads(notebook("# Adding\\n\\n```pycon\\n>>> 1 + 1\\n2\\n\\n```\\n"))
    >>> [(cell["cell_type"], "".join(cell["source"])) for cell in made["cells"]]
    [('markdown', '# Adding'), ('code', '1 + 1')]
    """
    content = {
        "cells": [{**cell, "id": f"cell-{i}"} for i, cell in enumerate(cells(page))],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def cells(page: str) -> Iterator[dict[str, Any]]:
    """Text and code in turns."""
    parts = TYPED.split(SELF.sub("", page))
    for text, typed in zip(parts[::2], [*parts[1::2], ""], strict=True):
        if text.strip():
            linked = BESIDE.sub(r"\1../tutorials/\2", text.strip())
            yield {"cell_type": "markdown", "metadata": {}, "source": lines(linked)}
        yield from code_cells(typed)


def code_cells(typed: str) -> Iterator[dict[str, Any]]:
    """Examples as cells: each ends where something is shown."""
    source = ""
    examples = doctest.DocTestParser().get_examples(typed)
    for example in examples:
        if example.options.get(doctest.SKIP):
            shown = f"```python\n{without_options(example.source)}```"
            yield {"cell_type": "markdown", "metadata": {}, "source": lines(shown)}
            continue
        source += without_options(example.source)
        if example.want or example is examples[-1]:
            yield code_cell(source.rstrip("\n"), example)
            source = ""


def without_options(source: str) -> str:
    """What is typed, without what is said to doctest."""
    return re.sub(r" *# doctest:.*", "", source)


def code_cell(source: str, example: doctest.Example) -> dict[str, Any]:
    """A cell with what it prints; one that shows an error says so by the usual tag."""
    shown = "" if example.exc_msg else example.want.rstrip("\n")
    output = {"name": "stdout", "output_type": "stream", "text": lines(shown)}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": ["raises-exception"]} if example.exc_msg else {},
        "outputs": [output] if shown else [],
        "source": lines(source),
    }


def lines(text: str) -> list[str]:
    return text.replace("<BLANKLINE>", "").splitlines(keepends=True)
