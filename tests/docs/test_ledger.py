"""The docs say what the code says: ids, learners, links and generated pages."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from littlestone.core.registry import guarantees, learners

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Two letters at least after the dash: T-1 is a number of rounds, and [A-Z0-9] a class of characters.
ID = re.compile(r"(?<![\w-])(?!A-Z)(?:[ATEX]|ADV)-[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)*")
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
CODE = [
    f
    for folder in ("src", "lectures", "tests", "examples")
    for f in sorted((ROOT / folder).rglob("*.py"))
]
OURS = {k: c for k, c in learners().items() if c.__module__.startswith("littlestone.")}


def entries() -> list[str]:
    return re.findall(r"^#### (\S+)$", (DOCS / "ledger.md").read_text(encoding="utf-8"), re.M)


def links(page: Path) -> list[str]:
    """The relative links of a page, those in code left out."""
    text = re.sub(
        r"```.*?```|`[^`\n]*`|^    [^\n]*$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S
    )
    return [h for h in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"[a-z]+:", h)]


@functools.cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_what_counts_as_an_id():
    # written with ~ for -, so that this file too holds only ids of the ledger
    seen = "T~AB~2CD, (X~AB) [ADV~AB]; E~ABC01: [A~Z0~9], T~1, T~1~k, [A~Z], T~X, sum_T~AB, UT~AB"
    ids = ["T~AB~2CD", "X~AB", "ADV~AB", "E~ABC01"]
    assert ID.findall(seen.replace("~", "-")) == [name.replace("~", "-") for name in ids]


@pytest.mark.parametrize("file", [*CODE, *PAGES], ids=lambda f: f.relative_to(ROOT).as_posix())
def test_every_id_is_in_the_ledger(file):
    assert set(ID.findall(file.read_text(encoding="utf-8"))) <= set(entries())


def test_every_theorem_is_in_the_ledger():
    ids = {g.id for cls in OURS.values() for g in cls.guarantees}
    assert len(ids) > 20
    ids |= {id for id, g in guarantees().items() if g.bound.__module__.startswith("littlestone.")}
    assert {"T-VALIDATION-EXACT", "T-BOOST-TRAINING", "T-SVM-LOO", "T-WEAKEST-LINK"} <= ids
    assert ids <= set(entries())


def test_an_id_has_one_entry():
    found = entries()
    assert len(found) == len(set(found))
    assert all(ID.fullmatch(name) for name in found)


@pytest.mark.parametrize("key", OURS)
def test_every_learner_has_a_page_that_plays_it(key):
    room = OURS[key].__module__.split(".")[1]
    alone = (
        "experts",
        "memory",
        "bandits",
        "matrices",
        "graphs",
        "conformal",
        "trees",
        "refitted",
        "mixtures",
    )
    folders = (room,) if room in alone else ("linear", "kernels", "convex")
    pages = [
        p.read_text(encoding="utf-8")
        for f in folders
        for p in (DOCS / f).glob("*.md")
        if p.name != "overview.md"
    ]
    found = [re.search(rf"^## {key}\n(.*?)(?=^## |\Z)", text, re.M | re.S) for text in pages]
    parts = [m[1] for m in found if m]
    assert len(parts) == 1, f"{key} has {len(parts)} entries in docs/{', docs/'.join(folders)}"
    for word in ("*When:*", "*Theorem:*", "*Cost:*", ">>> "):
        assert word in parts[0], word
    assert f'"{key}"' in parts[0] or f"{OURS[key].__name__}(" in parts[0]
    tables = {"experts": "experts/overview.md", "memory": "experts/overview.md"}
    tables |= {"bandits": "bandits/index.md", "matrices": "matrices/index.md"}
    tables |= {"mixtures": "mixtures/index.md"}
    tables |= {"graphs": "graphs/index.md", "conformal": "conformal/index.md"}
    tables |= {"trees": "trees/index.md", "refitted": "refitted/index.md"}
    assert f"#{key})" in (DOCS / tables.get(room, "linear/overview.md")).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda f: f.relative_to(ROOT).as_posix())
def test_links_resolve(page):
    for href in links(page):
        path, _, anchor = href.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), href
        assert ROOT in there.parents, href
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), href


def test_links_are_found():
    assert len(links(DOCS / "index.md")) > 10
    assert len(links(DOCS / "reference.md")) > 100


def test_generated_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, DOCS / "build.py", "--check"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_page_is_in_the_contents():
    contents = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        if page.name != "index.md" and DOCS / "reference" not in page.parents:
            assert f"({page.relative_to(DOCS).as_posix()})" in contents, page
