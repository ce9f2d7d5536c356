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
    rows = re.findall(
        r"^\| (?!promise|word|\*|---)", (DOCS / "promises.md").read_text("utf-8"), re.M
    )
    assert len(PROMISES) == len(rows) > 10


def test_the_words_of_verdicts_are_those_of_the_page():
    from littlestone.core.one_word import OF_THEOREMS

    page = (DOCS / "promises.md").read_text("utf-8")
    assert set(re.findall(r"^\| \*(\w+)\* \|", page, re.M)) == set(OF_THEOREMS)


def test_every_category_of_warnings_is_on_the_page():
    from littlestone.core import errors

    page = (DOCS / "settings.md").read_text("utf-8")
    ours = [n for n, v in vars(errors).items() if isinstance(v, type) and issubclass(v, Warning)]
    assert len(ours) >= 3
    assert [name for name in ours if f"`littlestone.core.errors.{name}`" not in page] == []
    # and each warning that is given has one of them
    given = [
        (file.name, text)
        for file in (ROOT / "src").rglob("*.py")
        for text in re.findall(r"warnings\.warn\((.*?)\n? *\)\n", file.read_text("utf-8"), re.S)
    ]
    assert given
    assert [name for name, text in given if not any(one in text for one in ours)] == []


def test_exit_codes_are_on_the_page():
    from littlestone.serve.writer import COMMIT_FAILED, WRITER_DIED

    page = (DOCS / "settings.md").read_text("utf-8")
    codes = re.findall(r"^\| (\d+(?: \+ n)?) \|", page, re.M)
    assert codes == ["0", "1", "2", str(COMMIT_FAILED), str(WRITER_DIED), "130", "128 + n"]


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
