"""How many functions a reader steps through to follow `ls.play("tracker", A, y)`; see tools/walk.py."""

import importlib.util
import sys
from pathlib import Path

import pytest

FUNCTIONS, MODULES = 30, 12


@pytest.fixture(scope="module")
def tool():
    path = Path(__file__).parents[2] / "tools" / "walk.py"
    spec = importlib.util.spec_from_file_location("walk_tool", path)
    made = importlib.util.module_from_spec(spec)
    sys.modules["walk_tool"] = made
    spec.loader.exec_module(made)
    yield made
    del sys.modules["walk_tool"]


def test_the_walk_does_not_grow(tool, monkeypatch):
    pytest.importorskip("numba")  # plain rules would be walked through as well
    monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)
    found = tool.walk(tool.tracker())
    assert len(found.callers) <= FUNCTIONS, "\n".join(found.callers)
    assert len(found.modules) <= MODULES, "\n".join(found.modules)
    assert found.callers[0] == "door.play:play"


def test_a_caller_is_counted_once_and_a_leaf_is_none(tool):
    from littlestone.core.registry import learner

    found = tool.walk(lambda: [learner("hedge"), learner("hedge")])
    assert found.callers.count("core.registry:learner") == 1
    assert "core.registry:loaded" in found.functions
    assert "core.registry:loaded" not in found.callers
