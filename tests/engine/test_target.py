"""Rules are compiled for a declared processor, whatever the machine; `engine_id` says for which one."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.engine import target
from littlestone.engine.compile import has_numba
from littlestone.live import store

compiled = pytest.mark.skipif(
    not has_numba(), reason="numba is not installed: compiled rules not tested"
)

# Says what rules are compiled for; compiles a small function of ours, and one of the user's before and after it.
TELL = """
import json
import numba, numpy as np
import littlestone as ls

def mine(x):
    return x + 1.0

theirs = numba.njit(mine)
theirs(1.0)
from littlestone.engine import compiled_checks
assert compiled_checks.outside(np.ones(3), 0.0, 0.5) == 3
later = numba.njit(lambda x: x + 2.0)
later(1.0)

def cpu(f):
    return next(iter(f.overloads.values())).library.codegen.magic_tuple()[1]

found = {"ours": cpu(compiled_checks.outside), "theirs": cpu(theirs), "later": cpu(later)}
print(json.dumps(found | {"id": ls.engine_id()}))
"""


def told(cache, **variables):
    """What a fresh interpreter with these variables tells."""
    inherited = {
        k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "LITTLESTONE_"))
    }
    env = inherited | {"NUMBA_CACHE_DIR": str(cache)} | variables
    done = subprocess.run(
        [sys.executable, "-c", TELL], env=env, capture_output=True, text=True, encoding="utf-8"
    )
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


@compiled
def test_ours_is_compiled_for_the_baseline_and_the_users_for_the_host(tmp_path):
    import llvmlite.binding as llvm

    baseline = target.BASELINES.get(target.architecture(), ("",))
    contained = target.has_levels(llvm.get_host_cpu_features())
    expected = next((name for name in baseline if name in contained), llvm.get_host_cpu_name())
    found = told(tmp_path)
    assert found["ours"] == expected
    assert found["theirs"] == found["later"] == llvm.get_host_cpu_name()
    assert f", {expected}, " in found["id"] or f", host {expected}, " in found["id"]


@compiled
@pytest.mark.skipif(target.architecture() != "x86-64", reason="not an x86-64: other levels")
def test_other_targets_are_taken_and_told(tmp_path):
    lowest = told(tmp_path, LITTLESTONE_TARGET="x86-64")
    assert lowest["ours"] == "x86-64"
    assert ", x86-64, " in lowest["id"]
    asked = told(tmp_path, NUMBA_CPU_NAME="nehalem", NUMBA_CPU_FEATURES="")
    assert asked["ours"] == asked["theirs"] == "nehalem"
    assert "nehalem" in asked["id"]
    host = told(tmp_path, LITTLESTONE_TARGET="host")
    assert f", host {host['ours']}, " in host["id"]
    assert "on this processor it may be" in told(tmp_path, LITTLESTONE_TARGET="z80")


@compiled
def test_a_target_that_the_processor_lacks_is_refused(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_TARGET", "pdp-11")
    target.target.cache_clear()
    try:
        with pytest.raises(BadInput, match=r"LITTLESTONE_TARGET is 'pdp-11'; .* it may be .*host"):
            target.target()
    finally:
        target.target.cache_clear()


def test_the_first_level_that_a_processor_contains_is_the_baseline(monkeypatch):
    monkeypatch.setattr(target, "architecture", lambda: "x86-64")
    old = dict.fromkeys(target.V2, True) | {"avx2": False}
    assert target.has_levels(old) == ["x86-64-v2", "x86-64"]
    assert target.has_levels(old | dict.fromkeys(target.V3, True))[0] == "x86-64-v3"
    monkeypatch.setattr(target, "architecture", lambda: "aarch64")
    assert target.has_levels({}) == ["generic"]
    monkeypatch.setattr(target, "architecture", lambda: "")
    assert target.has_levels(old) == []


def test_files_and_runs_hold_the_engine_id(plain, tmp_path):
    run = ls.play("hedge", np.eye(3))
    assert run.engine_id == ls.engine_id() == ls.engine_id("plain")
    assert f"littlestone {ls.__version__}, plain, numpy {np.__version__}" == run.engine_id
    path = run.learner.save(tmp_path / "m.ls")
    assert store.read(path)["live"]["engine_id"] == run.engine_id
    assert ls.load(path).digest() == run.learner.digest()


@compiled
def test_the_engine_id_names_what_decides_bits():
    import numba

    said = ls.engine_id("compiled")
    for word in (f"littlestone {ls.__version__}", f"numba {numba.__version__}", "LLVM ", "SVML"):
        assert word in said
    assert target.target().name in said
