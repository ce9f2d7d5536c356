"""Text is read and written in an encoding that is named: the one of the system differs between systems."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("benchmarks", "docs", "examples", "lectures", "src", "tests", "tools")
PROCESSES = ("run", "Popen", "check_output", "call", "check_call")
# how many arguments stand before the mode; those of os and of gzip open bytes
OPENERS = {"open": 1, "fdopen": 1, "NamedTemporaryFile": 0, "TemporaryFile": 0}
BYTES = ("os", "gzip", "archive")


def called(node: ast.Call) -> tuple[str, str]:
    """The name of the function, and of what it is an attribute of."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr, ast.unparse(node.func.value)
    return (node.func.id if isinstance(node.func, ast.Name) else ""), ""


def mode(node: ast.Call, name: str, owner: str, given: dict[str | None, ast.expr]) -> str:
    """How a file is opened; "b" where only the run can tell."""
    before = OPENERS[name] - (name == "open" and owner != "" and owner != "io")
    found = node.args[before] if len(node.args) > before else given.get("mode")
    if found is None:
        return "b" if name.endswith("TemporaryFile") else "r"
    return found.value if isinstance(found, ast.Constant) and isinstance(found.value, str) else "b"


def nameless(tree: ast.AST) -> Iterator[int]:
    """The lines on which text is read or written and no encoding is named."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name, owner = called(node)
        given = {k.arg: k.value for k in node.keywords}
        if "encoding" in given:
            continue
        if (
            (name == "read_text" and not node.args)
            or (name == "write_text" and len(node.args) == 1)
            or (name in OPENERS and owner not in BYTES and "b" not in mode(node, name, owner, given))
            or (name in PROCESSES and ({"text", "universal_newlines"} & given.keys()))
        ):  # fmt: skip
            yield node.lineno


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_encoding_is_named(folder):
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in nameless(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_an_encoding_that_is_not_named_is_seen():
    text = """
open(p)
open(p, "w")
path.open()
p.read_text()
p.write_text(t)
subprocess.run(c, text=True)
NamedTemporaryFile("w")
open(p, "rb"); path.open("wb"); os.open(p, 1); NamedTemporaryFile(); open(p, encoding="utf-8")
p.read_text("utf-8"); p.write_text(t, "utf-8"); subprocess.run(c); self.path.open(m)
"""
    assert sorted(nameless(ast.parse(text))) == [2, 3, 4, 5, 6, 7, 8]
