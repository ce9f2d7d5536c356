"""Each promise names a test that is there, and the page of settings names every variable that is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ROW = re.compile(r"^\| (.*\.) \| \[.*\]\(\.\./(tests/\S+\.py)\) \|$", re.M)
PROMISES = ROW.findall((DOCS / "promises.md").read_text("utf-8"))


@pytest.mark.parametrize(("promise", "test"), PROMISES)
def test_a_promise_has_a_test(promise, test):
    assert re.search(r"^def test_", (ROOT / test).read_text("utf-8"), re.M), promise


def test_all_rows_were_read():
    rows = re.findall(r"^\| (?!promise|---)", (DOCS / "promises.md").read_text("utf-8"), re.M)
    assert len(PROMISES) == len(rows) > 10


def test_every_variable_that_is_read_is_on_the_page():
    page = (DOCS / "settings.md").read_text("utf-8")
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "lectures" / "src").rglob("*.py")]
    read = {n for f in files for n in re.findall(r'"(LITTLESTONE_\w+)"', f.read_text("utf-8"))}
    assert {"LITTLESTONE_ENGINE", "LITTLESTONE_DATA"} <= read
    assert [name for name in sorted(read) if f"`{name}`" not in page] == []


def test_a_release_names_its_repository():
    """What tools/package_metadata.py makes of the README: no link is left that only works in a clone."""
    import importlib.util

    pytest.importorskip("hatchling")
    path = ROOT / "tools" / "package_metadata.py"
    spec = importlib.util.spec_from_file_location("package_metadata", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    text = tool.absolute(
        (ROOT / "README.md").read_text("utf-8"), "https://git.example/a/b", "v1.2.3"
    )
    assert "](https://git.example/a/b/raw/v1.2.3/docs/images/share.png)" in text
    assert "](https://git.example/a/b/blob/v1.2.3/docs/certificates.md)" in text
    assert re.findall(r"\]\((?!https:)[^)]*\)", text) == []
