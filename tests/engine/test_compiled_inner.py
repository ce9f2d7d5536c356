"""Rules are linked into the loop that calls them: no machine code of their own, the same results."""

import subprocess
import sys

import pytest

numba = pytest.importorskip("numba")

from littlestone.engine import compiled_inner  # noqa: E402
from littlestone.engine.compile import inner, jit  # noqa: E402


def double(x):
    return 2.0 * x


def increased(x):
    return double(x) + 1.0


def test_a_function_is_linked_into_its_caller():
    assert jit(increased)(3.0) == 7.0
    (made,) = inner(double).overloads.values()
    assert isinstance(made.library, compiled_inner.Linked)


def test_a_linked_function_cannot_be_called_from_python_by_mistake():
    jit(increased)(3.0)
    with pytest.raises(KeyError):
        inner(double)(3.0)


def test_callers_may_not_put_sums_into_another_order():
    text = "%a = fadd reassoc nsz contract double %x, %y\n%b = fmul contract double %a, %a\n"
    kept = "%a = fadd contract double %x, %y\n%b = fmul contract double %a, %a\n"
    assert compiled_inner.REORDER.sub(" contract ", text) == kept
    jit(increased)(3.0)
    (made,) = inner(double).overloads.values()
    assert "fmul contract double" in str(made.library._final_module)
    assert "reassoc" not in str(made.library._final_module)


def test_another_version_of_numba_compiles_as_it_likes(monkeypatch):
    assert compiled_inner.known()
    monkeypatch.setattr(compiled_inner, "USED", ("_a_method_that_is_gone",))
    assert not compiled_inner.known()


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
    file.write_text(PRINTS)
    done = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.splitlines() == ["score 2.5 now", "('too much', 6.0)"]
