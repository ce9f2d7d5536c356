"""How many functions, modules and changes of package a reader steps through to follow a call; see tools/walk.py.

The budgets are what is reached: lower them where a call gets shorter, and never raise them.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

BUDGETS = {  # functions, modules, changes of package
    "perceptron": (131, 40, 61),
    "hedge": (107, 35, 50),
    "tracker": (109, 38, 53),
    "run": (600, 123, 203),
    "run_default": (639, 138, 223),  # five parts begin, and a mixture of them
    "certificate": (45, 8, 21),
    "separator": (129, 24, 32),
}


@pytest.fixture(scope="module")
def tool():
    path = Path(__file__).parents[2] / "tools" / "walk.py"
    spec = importlib.util.spec_from_file_location("walk_tool", path)
    made = importlib.util.module_from_spec(spec)
    sys.modules["walk_tool"] = made
    spec.loader.exec_module(made)
    yield made
    del sys.modules["walk_tool"]


@pytest.mark.parametrize("call", BUDGETS)
def test_the_walk_does_not_grow(call, tool, monkeypatch):
    pytest.importorskip("numba")  # plain rules would be walked through as well
    monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)
    found = tool.CALLS[call]()
    listed = "\n".join(found.functions)
    each = zip(("functions", "modules", "changes"), found.counts, BUDGETS[call], strict=True)
    for what, count, most in each:
        assert count <= most, f"{count} {what}, of at most {most}:\n{listed}"


def test_every_call_of_the_tool_has_a_budget(tool):
    assert set(tool.CALLS) == set(BUDGETS)


def test_a_function_is_counted_once_leaves_included(tool):
    from littlestone.core.registry import learner

    learner("hedge")
    found = tool.walk(lambda: [learner("hedge", eta=0.5), learner("hedge", eta=0.5)])
    assert found.functions.count("core.registry:learner") == 1
    assert "core.parameters:convert" in found.functions  # a leaf
    assert found.functions[0] == "core.registry:learner"


def test_changes_are_counted_from_package_to_package(tool):
    found = tool.Walk(["play.play:play", "core.rows:part", "core.errors:join", "play.play:stop"])
    assert found.modules == ["play.play", "core.rows", "core.errors"]
    assert found.counts == (4, 3, 2)
