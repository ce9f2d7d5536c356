"""Methods of NamedTuples in compiled code: `game.act(…)` calls the compiled form of the method of that class.

Numba's own `overload_method` would do, but it compiles a wrapper around each method, and that twice, once to find the
type and once to call it: 7 of the 27 seconds of a first `play("hedge", …)`. Here the method is called as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba import extending as numba_extending
from numba import types
from numba.core.typing import templates

template: Any = templates
kinds: Any = types
extending: Any = numba_extending


class Method(kinds.BoundFunction):  # type: ignore[misc]
    """The type of `value.method`."""

    def get_impl_key(self, sig: Any) -> Any:
        """The key under which the caller finds the machine code."""
        return self.template.rule.get_overload(sig.args)


@extending.register_model(Method)  # type: ignore[untyped-decorator]
def as_its_value(manager: Any, kind: Any) -> Any:
    """In memory a method is the value that it belongs to."""
    return manager[kind.this]


def method(rule_: Any, kind: Any) -> Method:
    """A compiled rule, as the method of a value of this type."""

    class Typed(template.AbstractTemplate):  # type: ignore[misc]
        key = (rule_, "method")
        rule = staticmethod(rule_)  # or Python would bind it

        def generic(self, args: Any, kws: Any) -> Any:
            found = kinds.Dispatcher(self.rule).get_call_type(
                self.context, (self.this, *args), dict(kws)
            )
            return None if found is None else found.as_method()

    return Method(Typed, kind)


def install(compiled: Callable[[FunctionType, Any], Any]) -> None:
    """Let compiled code call the public methods of every NamedTuple; `compiled` makes their compiled form."""

    @template.infer_getattr
    class Methods(template.AttributeTemplate):  # type: ignore[misc]
        key = types.BaseNamedTuple

        def generic_resolve(self, value: Any, name: str) -> Any:
            f = getattr(value.instance_class, name, None)
            if name.startswith("_") or not isinstance(f, FunctionType):
                return None
            return method(compiled(f, value), value)
