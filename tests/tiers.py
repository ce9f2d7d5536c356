"""Tiers of tests: a plugin of pytest that marks each test by what it needs, and `--quick` for those that need little.

    compiled     it asks for the compiled engine: its file or its case says so, or it is left out without Numba
    subprocess   it starts another process: its text says so, or its mark
    browser      it looks at a page in a browser
    slow         tests/slow.txt lists it: a file, or a pattern of the names of tests; or it plays real data
    exhaustive   tests/exhaustive.txt lists it: it compiles a form of a learner that another of its kind shows to work

`--quick` leaves all of these out, and plays the others in plain Python. A test that starts a process there fails, and
says which mark it needs. Files that slow.txt lists are not even read. Without `--all`, or the name of a test, pytest
leaves out what is exhaustive.
"""

from __future__ import annotations

import ast
import fnmatch
import functools
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
SLOW = TESTS / "slow.txt"
EXHAUSTIVE = TESTS / "exhaustive.txt"
MARKS = {
    "compiled": "it asks for the compiled engine",
    "subprocess": "it starts another process",
    "browser": "it looks at a page in a browser",
    "slow": "it takes long in plain Python: tests/slow.txt lists it",
    "exhaustive": "it compiles one more form of a learner: tests/exhaustive.txt lists it",
}
# Modules whose use means that a process begins.
STARTERS = {"subprocess", "multiprocessing", "distributed", "journeys.command"}
NEEDS_NUMBA = re.compile("numba|compiled|run plain here", re.IGNORECASE)
BUDGET = 60  # seconds of the processor for `--quick`


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="plain engine, no other process, no browser, nothing slow",
    )
    parser.addoption(
        "--all", action="store_true", help="what tests/exhaustive.txt lists as well", dest="every"
    )


def pytest_configure(config: pytest.Config) -> None:
    for name, says in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {says}")
    quick = config.getoption("--quick")
    named = any("::" in argument for argument in config.args)  # who names a test wants that one
    if quick:
        leave_out(config, *MARKS)
    elif not (config.getoption("every") or named):
        leave_out(config, "exhaustive")
    if quick:
        os.environ["LITTLESTONE_ENGINE"] = "plain"
        # Not an audit hook: Python would call it at each of its events, and the tests took half as long again.
        subprocess.Popen.__init__ = refusing(subprocess.Popen.__init__)  # type: ignore[method-assign]
        if sys.platform != "win32":
            os.fork = refusing(os.fork)


def leave_out(config: pytest.Config, *names: str) -> None:
    """Add to the tests that are asked for by their marks: none of these."""
    asked, none_of = config.option.markexpr, f"not ({' or '.join(names)})"
    config.option.markexpr = f"({asked}) and {none_of}" if asked else none_of


def refusing(start: Callable[..., Any]) -> Callable[..., Any]:
    """What starts a process, and fails in a test; libraries that are imported may ask the system something."""

    @functools.wraps(start)
    def refused(*arguments: Any, **more: Any) -> Any:
        test = os.environ.get("PYTEST_CURRENT_TEST", "")
        if "(call)" in test:
            raise AssertionError(f"{test} starts a process: mark it with pytest.mark.subprocess")
        return start(*arguments, **more)

    return refused


def lines_of(path: Path) -> list[str]:
    """The lines of a list, without comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [text for line in lines if (text := line.partition("#")[0].strip())]


@functools.cache
def slow() -> tuple[list[str], list[str]]:
    """The files, and the patterns of tests, that tests/slow.txt lists."""
    every = lines_of(SLOW)
    return [e for e in every if "::" not in e], [e for e in every if "::" in e]


@functools.cache
def exhaustive() -> list[str]:
    """The patterns of tests that tests/exhaustive.txt lists."""
    return lines_of(EXHAUSTIVE)


@functools.cache
def exhaustive_files() -> set[str]:
    """The files that these tests are in."""
    return {pattern.removeprefix("!").partition("::")[0] for pattern in exhaustive()}


def is_exhaustive(name: str) -> bool:
    """Is a test listed in exhaustive.txt? The last line that fits it decides; with ! it is kept."""
    listed = False
    for pattern in exhaustive():
        if matches(name, pattern.removeprefix("!")):
            listed = not pattern.startswith("!")
    return listed


def is_listed(path: str) -> bool:
    """Is a file, or a folder that it is in, among those that slow.txt lists?"""
    return any(path == one or path.startswith(f"{one}/") for one in slow()[0])


def matches(name: str, pattern: str) -> bool:
    """Does a test fit a pattern? Its brackets stand for themselves; * is anything."""
    return fnmatch.fnmatchcase(name, pattern.replace("[", "[[]")) or fnmatch.fnmatchcase(
        name, pattern.replace("[", "[[]") + "[[]*"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.getoption("--quick") or not collection_path.is_relative_to(ROOT):
        return None
    path = collection_path.relative_to(ROOT).as_posix()
    return True if is_listed(path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    by_file: dict[str, list[str]] = {}
    for pattern in slow()[1]:
        by_file.setdefault(pattern.partition("::")[0], []).append(pattern)
    for item in items:
        for mark in marks(item, by_file):
            item.add_marker(mark)


def marks(item: pytest.Item, by_file: dict[str, list[str]]) -> Iterator[str]:
    """The names of the marks that a test gets."""
    file = item.nodeid.partition("::")[0]
    if is_listed(file) or any(matches(item.nodeid, p) for p in by_file.get(file, ())):
        yield "slow"
    if file in exhaustive_files() and is_exhaustive(item.nodeid):
        yield "exhaustive"
    if not isinstance(item, pytest.Function):
        return
    if (
        "data_dir" in item.fixturenames
    ):  # real data: seconds in plain Python, and not there for everybody
        yield "slow"
    if "browser" in item.fixturenames:
        yield "browser"
    named = (
        item.path.name.startswith("test_compiled") or "compiled" in item.nodeid.partition("[")[2]
    )
    if named or any(
        NEEDS_NUMBA.search(mark.kwargs.get("reason", "")) for mark in item.iter_markers("skipif")
    ):
        yield "compiled"
    starting = starters(item.path)
    if starting & {item.originalname, *item.fixturenames}:
        yield "subprocess"


@functools.cache
def starters(path: Path) -> set[str]:
    """The functions of a file of tests, fixtures too, whose text starts a process, or calls one that does."""
    text = path.read_text(encoding="utf-8")
    if not any(name in text for name in STARTERS):
        return set()
    tree = ast.parse(text)
    found = {name for node in tree.body for name in starting_imports(node)}
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    while True:
        more = {
            name
            for name, function in functions.items()
            if name not in found
            and (names_in(function) & found or any(starting_imports(n) for n in ast.walk(function)))
        }
        if not more:
            return found & functions.keys()
        found |= more


def starting_imports(node: ast.AST) -> set[str]:
    """The names that an import of a module brings that starts processes."""
    if isinstance(node, ast.Import):
        return {(a.asname or a.name) for a in node.names if a.name.partition(".")[0] in STARTERS}
    if isinstance(node, ast.ImportFrom) and node.module in STARTERS:
        return {a.asname or a.name for a in node.names}
    return set()


def names_in(function: ast.FunctionDef) -> set[str]:
    """What a function mentions, the names of its fixtures too."""
    arguments = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
    return arguments | {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.getoption("--quick"):
        used = time.process_time()
        terminalreporter.write_line(f"quick: {used:.0f} s of the processor, of at most {BUDGET}")
