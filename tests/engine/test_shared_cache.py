"""Compiled code is shared: what one user compiled another one reads, also where it cannot be written."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import littlestone
from littlestone.engine import compiled_places
from littlestone.engine.compile import has_numba

NOBODY = 65534
SOURCE = Path(littlestone.__file__).parent.parent
pytestmark = pytest.mark.skipif(
    not has_numba(), reason="numba is not installed: compiled rules not tested"
)

# Compiles a small function beside its source, or finds it compiled.
TELL = """
import json, os, sys
import numpy as np
import littlestone
from littlestone.engine import compiled_checks
assert littlestone.__file__.startswith(os.environ["PYTHONPATH"]), littlestone.__file__
assert compiled_checks.outside(np.ones(3), 0.0, 0.5) == 3
stats = compiled_checks.outside.stats
print(json.dumps([sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), os.getuid()]))
"""


@pytest.fixture
def open_folder():
    """A folder that every user can read, and this one alone can write. Those of pytest are closed to others."""
    with tempfile.TemporaryDirectory(prefix="littlestone-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def told(package, home, another=False, **more):
    """Hits and misses of a fresh interpreter, of this user or of another one."""
    home.mkdir(exist_ok=True)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(package), "HOME": str(home)} | more
    as_nobody = (
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if another else []
    )
    done = subprocess.run(
        [*as_nobody, sys.executable, "-c", TELL],
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd="/",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def another_user_can_run():
    """May this process become another user, who can read Python and its packages?"""
    if os.name != "posix" or os.getuid() != 0 or shutil.which("setpriv") is None:
        return False
    switch = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    done = subprocess.run(
        [*switch, sys.executable, "-c", "import numba"], capture_output=True, cwd="/"
    )
    return done.returncode == 0


@pytest.mark.skipif(not another_user_can_run(), reason="no other user can be taken here")
def test_what_root_compiled_another_user_reads(open_folder):
    """Beside the sources, and in a folder that NUMBA_CACHE_DIR names: neither can the other user write."""
    package, left_out = open_folder / "shared", shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE / "littlestone", package / "littlestone", ignore=left_out)
    assert told(package, open_folder / "root") == [0, 1, 0]
    assert told(package, open_folder / "nobody", another=True) == [1, 0, NOBODY]
    cache = {"NUMBA_CACHE_DIR": str(open_folder / "cache")}
    assert told(package, open_folder / "root", **cache) == [0, 1, 0]
    assert told(package, open_folder / "nobody", another=True, **cache) == [1, 0, NOBODY]


def test_a_folder_that_cannot_be_written_is_read(tmp_path, monkeypatch):
    """For any user: the folder is there and populated, and every try to write ends with an error."""
    from littlestone.engine import numba_internals as internals

    folder = tmp_path / "cache"
    monkeypatch.setattr(compiled_places.config, "CACHE_DIR", str(folder))
    rule = kept_rule()
    assert rule(2.0) == 4.0
    assert sum(rule.stats.cache_misses.values()) == 1
    assert any(folder.rglob("*.code"))

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(internals, "writable", lambda folder: False)
    monkeypatch.setattr(internals, "write_code", refuse)
    again = kept_rule()
    assert again(2.0) == 4.0
    assert sum(again.stats.cache_hits.values()) == 1
    assert again(3) == 6  # another signature is compiled, and cannot be kept
    assert sum(again.stats.cache_misses.values()) == 1


def kept_rule():
    from littlestone.engine.compiled_cache import kept

    def doubled(v):
        return 2.0 * v

    return kept(doubled)


def test_folders_are_that_of_the_variable_or_beside_the_source_and_of_the_user(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(compiled_places.config, "CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    beside, own = compiled_places.folders(__file__)
    assert beside == str(Path(__file__).parent / "__pycache__")
    assert own.startswith(str(tmp_path))
    monkeypatch.setattr(compiled_places.config, "CACHE_DIR", "/srv/cache")
    (given,) = compiled_places.folders(__file__)
    assert given.startswith("/srv/cache/engine_")
    file = tmp_path / "file"
    file.write_text("no folder", encoding="utf-8")
    assert not compiled_places.writable(str(file / "below"))
    assert compiled_places.writable(str(tmp_path / "new"))
