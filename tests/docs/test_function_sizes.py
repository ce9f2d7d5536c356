"""No function of the trunk has more than 60 lines of code, or a complexity above 15: such a one does several things.

The trunk is what every run goes through. Complexity counts the ways through a function: one, and one more for each
branch, loop, handler, comprehension, case, and each further condition of `and` and `or` (McCabe's number, as most tools
count it). Functions within a function count for themselves. Lines of code are those that are neither blank nor a
comment, without the docstring.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "littlestone"
TRUNK = ("core", "games", "engine", "settings", "live", "play", "run", "hindsight")
LINES, COMPLEXITY = 60, 15
# Larger ones, and why they stay in one piece.
EXCEPTIONS = {
    "engine/reach.py:piece": "a case for each kind of value that compiled code can name",
    "engine/reach.py:text_of": "likewise, for each kind of constant",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
BRANCHES = (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension, ast.match_case)  # fmt: skip


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """What a function is made of, without the bodies of functions that are written in it."""
    todo = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, Function):
            todo += ast.iter_child_nodes(node)


def complexity(function: Function) -> int:
    """How many ways there are through a function."""
    found = 1
    for node in own_nodes(function):
        found += isinstance(node, BRANCHES)
        found += len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0
        found += len(node.ifs) if isinstance(node, ast.comprehension) else 0
    return found


def count_lines(function: Function, source: list[str]) -> int:
    """The lines of code of a function; `source`: the lines of its file."""
    lines = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    if ast.get_docstring(function) is not None:
        text = function.body[0]
        said = range(text.lineno, (text.end_lineno or text.lineno) + 1)
        lines = [i for i in lines if i not in said]
    return sum(source[i - 1].strip()[:1] not in ("", "#") for i in lines)


def too_large(text: str, file: str) -> dict[str, tuple[int, int]]:
    """Functions of a file that are too large: by file and name, their lines and their complexity."""
    found, source = {}, text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Function):
            size = count_lines(node, source), complexity(node)
            if size[0] > LINES or size[1] > COMPLEXITY:
                found[f"{file}:{node.name}"] = size
    return found


@pytest.mark.parametrize("package", TRUNK)
def test_no_function_of_the_trunk_is_too_large(package):
    found: dict[str, tuple[int, int]] = {}
    files = sorted((SOURCE / package).rglob("*.py"))
    assert files
    for path in files:
        file = path.relative_to(SOURCE).as_posix()
        found |= too_large(path.read_text(encoding="utf-8"), file)
    expected = {name for name in EXCEPTIONS if name.startswith(f"{package}/")}
    assert found.keys() == expected, f"lines and complexity: {found}"


BRANCHED = '''
def f(x):
    """Says what it does,
    in two lines."""
    # a comment
    if x and x > 1 or x < 0:

        return [v for v in x if v]
    def g(y):
        return 1 if y else 2
    return x
'''


def test_ways_and_lines_are_counted_as_described():
    f, g = [n for n in ast.walk(ast.parse(BRANCHED)) if isinstance(n, Function)]
    assert (complexity(f), complexity(g)) == (1 + 1 + 2 + 2, 2)
    source = BRANCHED.splitlines()
    assert (count_lines(f, source), count_lines(g, source)) == (6, 2)


def test_a_function_that_is_too_large_is_found():
    long = "def f():\n" + "    x = 1\n" * LINES
    deep = "def f(x):\n" + "    if x: pass\n" * COMPLEXITY
    assert too_large(long, "a.py") == {"a.py:f": (LINES + 1, 1)}
    assert too_large(deep, "a.py") == {"a.py:f": (COMPLEXITY + 1, COMPLEXITY + 1)}
    assert not too_large("def f(x):\n    if x: pass\n", "a.py")
