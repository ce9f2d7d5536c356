"""Rules are linked into the loop that calls them: no machine code of their own, the same results."""

import os
import re
import subprocess
import sys

import pytest

numba = pytest.importorskip("numba")

import numpy as np  # noqa: E402

from littlestone.core.numeric import decay  # noqa: E402
from littlestone.core.vectors import dot  # noqa: E402
from littlestone.engine import numba_internals  # noqa: E402
from littlestone.engine.compile import inner, jit  # noqa: E402


def double(x):
    return 2.0 * x


def increased(x):
    return double(x) + 1.0


def test_a_function_is_linked_into_its_caller():
    assert jit(increased)(3.0) == 7.0
    (made,) = inner(double).overloads.values()
    assert isinstance(made.library, numba_internals.Linked)


def test_a_linked_function_cannot_be_called_from_python_by_mistake():
    jit(increased)(3.0)
    with pytest.raises(KeyError):
        inner(double)(3.0)


def test_callers_may_not_put_sums_into_another_order():
    text = "%a = fadd reassoc nsz contract double %x, %y\n%b = fmul contract double %a, %a\n"
    kept = "%a = fadd contract double %x, %y\n%b = fmul contract double %a, %a\n"
    assert numba_internals.in_order(text) == kept
    jit(increased)(3.0)
    (made,) = inner(double).overloads.values()
    assert "fmul contract double" in str(made.library._final_module)
    assert "reassoc" not in str(made.library._final_module)


def test_sums_of_lanes_are_taken_in_pairs_and_signs_of_zeros_are_not_compared():
    lanes = "%c = call reassoc nsz contract double @llvm.vector.reduce.fadd.v4f64(double 0.0, <4 x double> %v)"
    least = "%d = call reassoc nsz contract <4 x double> @llvm.minimum.v4f64(<4 x double> %v, <4 x double> %w)"
    for text in (lanes, least):
        assert numba_internals.in_order(text) == text


def quadrupled(x):
    return double(double(x))


def test_a_function_that_calls_much_is_optimised_without_what_it_calls(monkeypatch):
    monkeypatch.setattr(numba_internals, "LARGE", 0)
    assert jit(increased_twice)(3.0) == 26.0
    (made,) = inner(quadrupled).overloads.values()
    assert made.library.large
    assert " call " in str(made.library._final_module)


def increased_twice(x):
    return quadrupled(quadrupled(x)) / 2.0 + 2.0


def summed_decays(v):
    s = dot(v, v)
    for i in range(v.shape[0]):
        s += decay(-v[i])
    return s


def twice_summed_decays(v):
    return 2.0 * summed_decays(v)


def test_a_function_that_calls_much_is_optimised_with_the_shortest_of_what_it_calls(monkeypatch):
    """So that a sum of what a short one gives is taken four at a time: later it may not be put into another order."""
    monkeypatch.setattr(numba_internals, "LARGE", 100)  # `decay` has 49 lines, `dot` 186
    v = np.linspace(0.0, 3.0, 21)
    assert jit(twice_summed_decays)(v) == pytest.approx(2.0 * (v @ v + np.exp(-v).sum()), rel=1e-14)
    (made,) = inner(summed_decays).overloads.values()
    assert made.library.large
    rule = str(made.library._final_module.get_function(made.fndesc.llvm_func_name))
    assert re.search(r"call .*dot_in_fours", rule)
    assert re.search(r"call .*@llvm\.vector\.reduce\.fadd", rule)


PRINTS = """
from littlestone.engine.compile import jit

def told(x):
    if x > 5.0:
        raise ValueError("too much", x)
    print("score", x, "now")
    return x

def outer(x):
    return told(x)

assert jit(outer)(2.5) == 2.5
try:
    jit(outer)(6.0)
except ValueError as problem:
    print(problem.args)
"""


def test_a_linked_function_may_print_and_raise(tmp_path):
    """In a process of its own: printing without what Python objects need stopped it for ever."""
    file = tmp_path / "prints.py"
    file.write_text(PRINTS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    assert done.stdout.splitlines() == ["score 2.5 now", "('too much', 6.0)"]


KEPT = """
import sys
import numpy as np
from littlestone.engine import compiled_cache, twins
from littlestone.engine.compile import with_helpers
from numba.core.runtime import nrtdynmod

counting, compile_counting = [], nrtdynmod.create_nrt_module
nrtdynmod.create_nrt_module = lambda target: counting.append(1) or compile_counting(target)

def told(x):
    if x > 5.0:
        raise ValueError("too much", x)
    print("score", x, "now")
    return x

def outer(x):
    return np.full(3, told(x)).copy()

outer = compiled_cache.kept(with_helpers(outer), **twins.LOOP)
print(outer(2.5).tolist())
try:
    outer(6.0)
except ValueError as problem:
    print(problem.args)
print(sum(outer.stats.cache_hits.values()), len(counting))
print([name in sys.modules for name in ("numba.np.arrayobj", "scipy.linalg")])
"""


def test_what_is_found_on_disk_prints_and_raises_as_well(tmp_path):
    """The file holds those environments that the code names: for others no module is imported.

    What counts references is found on disk, too.
    """
    file = tmp_path / "kept.py"
    file.write_text(KEPT, encoding="utf-8")
    given = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    told = [
        subprocess.run(
            [sys.executable, str(file)],
            env=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=True,
        ).stdout.splitlines()
        for _ in range(2)
    ]
    said = ["score 2.5 now", "[2.5, 2.5, 2.5]", "('too much', 6.0)"]
    assert told == [[*said, "0 1", "[True, True]"], [*said, "1 0", "[False, False]"]]
