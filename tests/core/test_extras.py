"""What the package imports is declared, and a missing extra is one sentence with the command that installs it."""

import ast
import importlib
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.extras import EXTRAS, MissingExtra, import_extra
from littlestone.falsify.picture import figure
from littlestone.report.bands import figure as bands
from littlestone.scale.sweep import Sweep
from littlestone.supervised.pictures import panels

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DISTRIBUTIONS = {
    "sklearn": "scikit-learn",
    "distributed": "dask",
    "littlestone_lectures": "littlestone-lectures",
}  # where the name is another


def distributions(requirements):
    return {re.match(r"[\w-]+", text)[0] for text in requirements}


BY_EXTRA = {k: distributions(v) for k, v in PROJECT["optional-dependencies"].items()}
ALWAYS = distributions(PROJECT["dependencies"])


def imported():
    """The libraries that the sources name in imports, and the first file that does."""
    found = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            for name in names:
                found.setdefault(name.partition(".")[0], path.name)
    known = sys.stdlib_module_names | {
        "littlestone",
        "_typeshed",
    }  # the last is what type checkers bring
    return {k: v for k, v in found.items() if k not in known}


def test_every_library_that_is_imported_is_declared():
    declared = ALWAYS.union(*BY_EXTRA.values())
    libraries = imported()
    assert {"numba", "llvmlite", "river"} <= libraries.keys()
    assert {k: v for k, v in libraries.items() if DISTRIBUTIONS.get(k, k) not in declared} == {}


@pytest.mark.parametrize("library", EXTRAS)
def test_the_command_installs_the_library(library):
    assert DISTRIBUTIONS.get(library, library) in BY_EXTRA[EXTRAS[library]]


def again(module):
    """Import a module as if it had not been imported before."""
    return lambda: importlib.import_module(f"littlestone.interop.{module}")


def played():
    return ls.play("hedge", np.zeros((4, 2)), np.zeros(4), interval=(0, 1), engine="plain")


USES = {
    "plot": ("matplotlib", lambda: played().plot()),
    "bands": ("matplotlib", lambda: bands([])),
    "panels": ("matplotlib", lambda: panels(1)),
    "picture": ("matplotlib", lambda: figure("t", np.arange(2), np.zeros(2), np.zeros(2), "")),
    "frame": ("pandas", lambda: played().to_frame()),
    "sweep": ("pandas", lambda: Sweep([]).to_frame()),
    "graphml": ("networkx", lambda: ls.graph("g.graphml")),
    "hnswlib": ("hnswlib", lambda: ls.graph(np.eye(3), "knn", k=1, search="hnswlib")),
    "river": ("river", again("river")),
    "river experts": ("river", again("river_experts")),
    "river intervals": ("river", again("river_intervals")),
}


@pytest.mark.parametrize("use", USES)
def test_a_missing_extra_is_a_sentence(use, monkeypatch, tmp_path):
    library, act = USES[use]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.graphml").write_text("", encoding="utf-8")
    for name in [m for m in sys.modules if m.partition(".")[0] == library or "interop.river" in m]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra) as problem:
        act()
    said = str(problem.value)
    assert said.endswith(
        f'needs {library}, which is not installed: pip install "littlestone[{EXTRAS[library]}]"'
    )
    assert isinstance(problem.value, (ImportError, ls.BadInput))


def test_what_a_library_lacks_itself_is_not_hidden(tmp_path, monkeypatch):
    (tmp_path / "river.py").write_text("import no_such_module", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "river", raising=False)
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        import_extra("this", "river")
