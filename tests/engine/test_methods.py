"""Methods of NamedTuples in compiled code: found by class, and compiled once."""

from typing import Any, NamedTuple

import pytest

from littlestone.engine import compile as engine

pytestmark = pytest.mark.skipif(
    not engine.has_numba(), reason="numba is not installed: nothing is compiled"
)


class Scaled(NamedTuple):
    by: float

    def at(self, x, more=1.0):
        return self.by * x + more


class Both(NamedTuple):
    """A sum, perhaps of sums: its method calls the method of the same name of its parts."""

    left: Any
    right: Any

    def at(self, x):
        return self.left.at(x) + self.right.at(x)


class Named(NamedTuple):
    """A field with the name of the method of another class."""

    at: float
    scale: float

    def times(self, x):
        return self.scale * x * self.at


def value(f, x):
    return f.at(x)


def with_more(f, x):
    return f.at(x, more=5.0) + f.at(x, 7.0)


def mixed(f, g, x):
    return f.at(x) + g.at + g.times(x)


@pytest.fixture
def loads(monkeypatch):
    """The functions that Numba compiles, one entry each time."""
    from numba.core.dispatcher import Dispatcher

    found, before = [], Dispatcher.compile

    def counted(self, sig):
        if sig not in self.overloads and tuple(sig) not in self.overloads:
            found.append(self.py_func.__name__)
        return before(self, sig)

    monkeypatch.setattr(Dispatcher, "compile", counted)
    engine.methods()
    return found


def test_a_method_is_compiled_once_and_has_no_wrapper(loads):
    assert engine.jit(value)(Scaled(3.0), 2.0) == 7.0
    assert sorted(loads) == ["at", "value"]


def test_a_method_may_call_the_method_of_the_same_name_of_its_parts():
    one = Both(Scaled(1.0), Scaled(10.0))
    f = Both(one, Both(one, Scaled(100.0)))
    assert engine.jit(value)(f, 2.0) == f.at(2.0) == 249.0


def test_defaults_and_named_arguments():
    assert engine.jit(with_more)(Scaled(2.0), 1.0) == with_more(Scaled(2.0), 1.0) == 16.0


def test_a_field_may_have_the_name_of_the_method_of_another_class():
    given = Scaled(2.0), Named(5.0, 3.0), 1.0
    assert engine.jit(mixed)(*given) == mixed(*given) == 23.0


def test_an_unknown_method_is_refused():
    from numba.core.errors import TypingError

    def missing(f, x):
        return f.nothing(x)

    with pytest.raises(TypingError, match="nothing"):
        engine.jit(missing)(Scaled(1.0), 1.0)
