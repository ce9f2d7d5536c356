"""Every test can fail: its text asserts something, or a helper does that it calls, of tests or littlestone.testing."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SOURCE = TESTS.parent / "src"
RAISES = {"raises", "warns", "fail"}  # of pytest


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def asserts(function: ast.FunctionDef) -> bool:
    """Does it assert, raise an AssertionError, or call pytest.raises, np.testing.assert_allclose or their like?"""
    nodes = list(ast.walk(function))
    called = [
        n.func.attr for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
    ]
    raised = [ast.unparse(n) for n in nodes if isinstance(n, ast.Raise)]
    if any(isinstance(n, ast.Assert) for n in nodes) or any("AssertionError(" in t for t in raised):
        return True
    return any(name in RAISES or name.startswith("assert_") for name in called)


def calls(function: ast.FunctionDef) -> set[str]:
    """The functions that it calls by their bare name."""
    return {
        node.func.id
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def asserting(file: str, trees: dict[str, ast.Module], seen: tuple[str, ...] = ()) -> set[str]:
    """The names by which a file calls functions that assert: its own, and those it imports from other tests."""
    tree = trees[file]
    folder = file.rpartition("/")[0]
    own = {f.name: f for f in functions(tree)}
    found = {name for name, f in own.items() if asserts(f)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            where = f"{folder}/" * bool(node.level) + node.module.replace(".", "/")
            for other in (f"{where}.py", f"{where}/__init__.py"):
                if other in trees and other not in seen:
                    theirs = asserting(other, trees, (*seen, file))
                    found |= {a.asname or a.name for a in node.names if a.name in theirs}
    while more := {name for name, f in own.items() if name not in found and calls(f) & found}:
        found |= more
    return found


def silent(file: str, trees: dict[str, ast.Module]) -> list[str]:
    """The tests of a file that assert nothing."""
    found = asserting(file, trees)
    every = [f.name for f in functions(trees[file]) if f.name.startswith("test_")]
    return [name for name in every if name not in found]


LECTURES = TESTS.parent / "lectures" / "tests"
FILES = {f.relative_to(TESTS).as_posix(): f for f in sorted(TESTS.rglob("*.py"))}
FILES |= {f"lectures/{f.name}": f for f in sorted(LECTURES.glob("*.py"))}
PUBLIC = (SOURCE / "littlestone" / "testing").glob("*.py")


@functools.cache
def parsed():
    """The syntax tree of each file, of tests and of the public checks."""
    files = {**FILES, **{f.relative_to(SOURCE).as_posix(): f for f in PUBLIC}}
    return {name: ast.parse(f.read_text(encoding="utf-8")) for name, f in files.items()}


@pytest.mark.parametrize("file", FILES)
def test_every_test_asserts_something(file):
    assert silent(file, parsed()) == []


def test_a_test_that_asserts_nothing_is_seen():
    trees = {
        "a/test_one.py": """
def helper(): assert False
def deeper(): helper()
def test_itself(): assert 1
def test_by_helper(): deeper()
def test_by_pytest():
    with pytest.raises(ValueError): f()
def test_by_numpy(): np.testing.assert_array_equal(a, b)
def test_nothing(): play(x)
def test_method(): x.helper()
""",
        "littlestone/testing/__init__.py": "from .checks import check_learner, made",
        "littlestone/testing/checks.py": """
def need(): raise AssertionError("no")
def check_learner(): need()
def made(): return 1
""",
        "a/test_two.py": """
from a.test_one import deeper as d, play
from littlestone.testing import check_learner, made
def test_imported(): d()
def test_public(): check_learner(x, row)
def test_nothing(): play(made())
""",
    }
    made = {name: ast.parse(text) for name, text in trees.items()}
    found = {file: silent(file, made) for file in ("a/test_one.py", "a/test_two.py")}
    assert found == {
        "a/test_one.py": ["test_nothing", "test_method"],
        "a/test_two.py": ["test_nothing"],
    }
