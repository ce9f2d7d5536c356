"""Every test can fail: its text, or a helper of its own file or of the tests that it calls, asserts something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
RAISES = {"raises", "warns", "fail"}  # of pytest


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def asserts(function: ast.FunctionDef) -> bool:
    """Does it hold an assert, a pytest.raises, or a call such as np.testing.assert_allclose?"""
    nodes = list(ast.walk(function))
    called = [
        n.func.attr for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
    ]
    return any(isinstance(n, ast.Assert) for n in nodes) or any(
        name in RAISES or name.startswith("assert_") for name in called
    )


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
    own = {f.name: f for f in functions(tree)}
    found = {name for name, f in own.items() if asserts(f)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            other = node.module.replace(".", "/") + ".py"
            if other in trees and other not in seen:
                theirs = asserting(other, trees, (*seen, file))
                found |= {a.asname or a.name for a in node.names if a.name in theirs}
            if node.module.startswith("littlestone.testing"):
                found |= {a.asname or a.name for a in node.names if a.name.startswith("check")}
    while more := {name for name, f in own.items() if name not in found and calls(f) & found}:
        found |= more
    return found


def silent(file: str, trees: dict[str, ast.Module]) -> list[str]:
    """The tests of a file that assert nothing."""
    found = asserting(file, trees)
    every = [f.name for f in functions(trees[file]) if f.name.startswith("test_")]
    return [name for name in every if name not in found]


TREES = {f.relative_to(TESTS).as_posix(): ast.parse(f.read_text()) for f in TESTS.rglob("*.py")}


@pytest.mark.parametrize("file", sorted(TREES))
def test_every_test_asserts_something(file):
    assert silent(file, TREES) == []


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
        "a/test_two.py": """
from a.test_one import deeper as d, play
from littlestone.testing import check_learner, checks
def test_imported(): d()
def test_public(): check_learner(x, row)
def test_nothing(): play()
""",
    }
    found = {file: silent(file, {k: ast.parse(v) for k, v in trees.items()}) for file in trees}
    assert found == {
        "a/test_one.py": ["test_nothing", "test_method"],
        "a/test_two.py": ["test_nothing"],
    }
