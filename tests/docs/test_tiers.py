"""The marks of tests, and the list of slow ones: each line of it fits a test that there is."""

import ast
import functools
from pathlib import Path

import pytest
import tiers

ROOT = Path(__file__).resolve().parents[2]
FILES, PATTERNS = tiers.slow()


@pytest.mark.parametrize("path", FILES)
def test_what_is_listed_is_there(path):
    assert (ROOT / path).exists()


@functools.cache
def names(file):
    """The functions and classes of a file."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}


def test_each_pattern_names_a_test():
    wrong = []
    for pattern in (*PATTERNS, *(p.removeprefix("!") for p in tiers.exhaustive())):
        file, _, name = pattern.partition("::")
        if not (ROOT / file).is_file() or (
            file.startswith("tests/") and name.partition("[")[0] not in names(file)
        ):
            wrong.append(pattern)
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "pattern", "fits"),
    [
        ("t.py::test_a", "t.py::test_a", True),
        ("t.py::test_a[x]", "t.py::test_a", True),
        ("t.py::test_ab", "t.py::test_a", False),
        ("t.py::test_a[k: whole (plain)]", "t.py::test_a[*: whole (plain)]", True),
        ("t.py::test_a[k: late]", "t.py::test_a[*: whole (plain)]", False),
    ],
)
def test_a_pattern_fits_a_test_and_its_cases(name, pattern, fits):
    assert tiers.matches(name, pattern) is fits


def test_the_last_line_that_fits_decides_what_is_exhaustive(monkeypatch):
    monkeypatch.setattr(tiers, "exhaustive", lambda: ["t.py::test_a[*]", "!t.py::test_a[b*]"])
    names = ("t.py::test_a[x]", "t.py::test_a[b]", "t.py::test_b")
    assert [tiers.is_exhaustive(name) for name in names] == [True, False, False]


SOURCE = """
import subprocess
from journeys.command import littlestone as command
def helper(): subprocess.run([])
def fixture(): helper()
def test_itself(): subprocess.Popen([])
def test_by_helper(): helper()
def test_by_fixture(fixture): pass
def test_command(): command()
def test_inside():
    from multiprocessing import Pool
def test_none(): other()
"""


def test_a_test_that_starts_a_process_is_seen(tmp_path):
    (tmp_path / "test_one.py").write_text(SOURCE, encoding="utf-8")
    found = tiers.starters(tmp_path / "test_one.py")
    assert {name for name in found if name.startswith("test_")} == {
        "test_itself", "test_by_helper", "test_by_fixture", "test_command", "test_inside",
    }  # fmt: skip


def test_a_folder_that_is_listed_is_slow(request):
    assert tiers.is_listed("tests/docs/test_tiers.py")
    assert not tiers.is_listed("tests/docs_of_others.py")
    assert request.node.get_closest_marker("slow") is not None


def test_a_process_fails_in_the_quick_tier(monkeypatch):
    started = []
    start = tiers.refusing(lambda: started.append(1))
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "a test (setup)")
    start()
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "a test (call)")
    with pytest.raises(AssertionError, match=r"mark it with pytest\.mark\.subprocess"):
        start()
    assert started == [1]
