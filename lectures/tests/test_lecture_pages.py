"""The pages of the lectures: listed, short, and with ids and names that exist."""

from __future__ import annotations

import re
from pathlib import Path

import littlestone_lectures
import pytest
from littlestone_lectures.errata import ERRATA
from littlestone_lectures.pages import LECTURES, contents, page

from littlestone.core.errors import BadInput
from littlestone.falsify.lookup import ids

ID = re.compile(r"(?<![\w-])(?:[ATEX]|ADV)-[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)*")
FOLDER = Path(littlestone_lectures.__file__).parent / "pages"


def test_every_page_is_listed():
    assert {path.stem for path in FOLDER.glob("*.md")} == set(LECTURES)
    assert [row["lecture"] for row in contents()] == list(LECTURES)
    with pytest.raises(BadInput, match="there is no lecture 'ucl-10'; did you mean ucl-1"):
        page("ucl-10")


@pytest.mark.parametrize("name", LECTURES)
def test_a_page_is_short_and_names_what_there_is(name):
    text = page(name)
    assert set(ID.findall(text)) <= set(ids())
    assert text.count(">>> ") >= 10
    assert len(re.sub(r"```.*?```", "", text, flags=re.S).split()) < 1500
    assert text.count("```") % 2 == 0
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        assert block.endswith("\n\n"), "a doctest ends with an empty line"


def test_most_errata_of_the_notes_are_on_a_page():
    named = set().union(*(ID.findall(page(name)) for name in LECTURES))
    # those about coverage are of papers on conformal inference, not of the notes
    papers = {"E-ACI-CLIP", "E-SF-OGD-CLIP", "E-DTACI", "E-REGRET-COVERAGE", "E-SAOCP"}
    assert {e.id for e in ERRATA} - papers - named == set()
