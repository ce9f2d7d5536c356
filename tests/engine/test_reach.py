"""Code of the user is hashed, wherever packages are installed; what libraries define is known by its name."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import littlestone
from littlestone.engine import reach
from littlestone.engine.compile import has_numba


def module(monkeypatch, name, file):
    made = ModuleType(name)
    made.__file__ = str(file)
    monkeypatch.setitem(sys.modules, name, made)
    return name


@pytest.fixture(autouse=True)
def forgotten():
    yield
    reach.ours.cache_clear()


def test_the_users_modules_are_ours_wherever_they_are(monkeypatch, tmp_path):
    for folder in (tmp_path, tmp_path / "my-site-packages-copy", tmp_path / "site-packages.bak"):
        reach.ours.cache_clear()
        assert reach.ours(module(monkeypatch, "my_learners", folder / "my_learners.py"))
    assert reach.ours("littlestone.engine.reach")
    assert not reach.ours("a_module_that_is_not_there")


def test_what_is_installed_is_not_ours(monkeypatch, tmp_path):
    purelib = Path(sysconfig.get_path("purelib"))
    assert not reach.ours(module(monkeypatch, "some_library", purelib / "some_library.py"))
    debian = str(tmp_path / "dist-packages")
    monkeypatch.setattr(reach.site, "getsitepackages", lambda: [debian])
    reach.installed.cache_clear()
    try:
        assert not reach.ours(module(monkeypatch, "from_debian", f"{debian}/from_debian.py"))
    finally:
        reach.installed.cache_clear()
    for name in ("os", "json.decoder", "math"):
        assert not reach.ours(name)


def test_numpy_is_not_ours_beside_the_users_modules(monkeypatch, tmp_path):
    monkeypatch.setattr(np, "__file__", str(tmp_path / "numpy" / "__init__.py"))
    assert not reach.ours("numpy")
    assert reach.ours(module(monkeypatch, "handler", tmp_path / "handler.py"))


# Hashes what the compiled loop of hedge can reach; nothing is compiled.
HASH = """
from littlestone.engine import twins
from littlestone.engine.loops import play_rounds
from littlestone.engine.reach import fingerprint, ours
import littlestone as ls, numpy
assert not ours("numpy"), numpy.__file__
print(fingerprint((play_rounds, ls.Hedge.Params), ""))
"""


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
def test_packages_of_another_folder_are_hashed_without_a_warning(tmp_path):
    """As after `pip install --target`: without `site`, Python does not know that packages are installed there."""
    libraries = tmp_path / "libs"
    libraries.symlink_to(sysconfig.get_path("purelib"))
    source = Path(littlestone.__file__).parent.parent
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{source}{os.pathsep}{libraries}"}
    hashed = [
        subprocess.run(
            [sys.executable, *flags, "-W", "error", "-c", HASH],
            env=env,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        for flags in (["-S"], [])
    ]
    assert hashed[0].returncode == 0, hashed[0].stderr[-2000:]
    assert hashed[0].stdout == hashed[1].stdout


def test_a_module_whose_loader_keeps_no_code_is_read_from_its_text(monkeypatch):
    """pytest's loader is one: where a plugin names a package, it loads all of the package."""
    from littlestone.engine import reach, target

    kept = reach.module_code(target)
    monkeypatch.setattr(target.__spec__, "loader", object())
    assert reach.code_text(reach.module_code(target)) == reach.code_text(kept)
