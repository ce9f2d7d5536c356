"""The page for newcomers says what is so: its protocols have the signatures that it shows, its files are there."""

import inspect
import re
from pathlib import Path

import pytest

from littlestone.core.learner import Learner
from littlestone.games import GAMES
from littlestone.hindsight.folds.expert_folds import ExpertFolds
from littlestone.hindsight.folds.totals import ExampleFolds
from littlestone.settings import Setting

ROOT = Path(__file__).resolve().parents[2]
DOCS, SOURCE = ROOT / "docs", ROOT / "src" / "littlestone"
PAGE = (DOCS / "design.md").read_text(encoding="utf-8")
PROTOCOLS = {
    "learner": [Learner],
    "game": list(GAMES),
    "setting": [Setting, *Setting.kinds.values()],
    "fold": [ExpertFolds, ExampleFolds],
}


def shown(protocol: str) -> dict[str, list[str]]:
    """The methods that the page shows of a protocol, with their parameters."""
    _, _, after = PAGE.partition(f"**A {protocol}**")
    text = after.partition("\n**")[0].partition("\n## ")[0]
    bullets = [line.partition("`:")[0] for line in text.splitlines() if line.startswith("- `")]
    calls = re.findall(r"(\w+)\((.*?)\)", " ".join(bullets))
    return {name: re.findall(r"\w+", said) for name, said in calls}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_protocol_has_the_signatures_that_the_page_shows(protocol):
    methods = shown(protocol)
    assert len(methods) > 1
    for name, said in methods.items():
        for owner in PROTOCOLS[protocol]:
            if protocol == "fold" and name == "totals":
                continue  # a class, or a function that makes one
            found = list(inspect.signature(getattr(owner, name)).parameters)
            found = [one for one in found if one != "self"]
            assert found[: len(said)] == said, f"{owner.__name__}.{name}{found}"


PAGES = [DOCS / "design.md", *sorted((DOCS / "design").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_the_pages_name_are_there(page):
    named = re.findall(r"`((?:src/littlestone/)?[a-z_/]+/[a-z_]+\.py)`", page.read_text("utf-8"))
    folders = (SOURCE, SOURCE.parent, ROOT)
    missing = [name for name in named if not any((at / name).exists() for at in folders)]
    assert not missing
    assert page.name in {"limits.md"} or named


def test_a_call_of_the_walk_is_a_function_of_its_module():
    _, _, walk = PAGE.partition("In short:\n\n")
    lines = walk.partition("\n\n")[0].splitlines()
    modules = [line.split()[0] for line in lines if not line.startswith(" " * 8)]
    assert len(modules) > 6
    for module in modules:
        assert (SOURCE / f"{module.replace('.', '/')}.py").exists(), module
