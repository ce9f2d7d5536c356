"""The tutorials as notebooks: their cells are what the doctests of the tutorials run, and one is run as it is."""

from __future__ import annotations

import ast
import doctest
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def code_of(path: Path) -> list[str]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_every_tutorial_with_examples_is_a_notebook():
    pages = (DOCS / "tutorials").glob("*.md")
    typed = {p.stem for p in pages if "\n>>> " in p.read_text(encoding="utf-8")}
    assert {p.stem for p in NOTEBOOKS} == typed


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_are_the_examples_of_the_tutorial(path):
    page = (DOCS / "tutorials" / f"{path.stem}.md").read_text(encoding="utf-8")
    page = page.replace("\n```", "\n\n```")  # the mark of a block is no output
    examples = doctest.DocTestParser().get_examples(page)
    run = [e.source for e in examples if not e.options.get(doctest.SKIP)]
    assert ast.dump(ast.parse("\n".join(code_of(path)))) == ast.dump(ast.parse("".join(run)))


def test_a_notebook_runs_from_its_first_cell_to_its_last(plain, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    cells = code_of(DOCS / "notebooks" / "decide-by-probabilities.ipynb")
    for source in cells:
        exec(compile(source, "cell", "exec", dont_inherit=True), names)
    assert len(cells) > 3
