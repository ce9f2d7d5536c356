"""Fewer steps on the way from Python to LLVM's instructions: those that change nothing in what comes out.

Numba counts the references of all arrays of a state wherever the state is used, and reads every field of every array
to find its owner: of the 83,000 lines of instructions for online-linear 23,000 did nothing else. It tries every way to
add two things, of lists, strings and arrays among them, each time that two numbers are added. And it asks for each
function whether another library has registered anything since the last one.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from numba import types
from numba.core import imputils, typed_passes
from numba.core.runtime import context as nrt
from numba.core.typing import templates
from numba.core.typing.context import BaseContext

Lowering: Any = getattr(typed_passes, "NativeLowering", object)
References: Any = getattr(nrt, "NRTContext", object)
Typing: Any = BaseContext
known_types: Any = types
Typed: Any = getattr(templates, "builtin_registry", None)
Lowered: Any = getattr(imputils, "builtin_registry", None)
# What of Numba's inner workings is used below; a version that has changed them goes its own way.
USED = {
    Lowering: ("run_pass",),
    References: ("get_meminfos",),
    Typing: ("resolve_function_type", "refresh"),
    Typed: ("functions", "attributes", "globals"),
    Lowered: ("functions", "getattrs", "setattrs", "casts", "constants"),
}
# Operators: the type of what they give for numbers depends on the types of these alone.
OPERATORS = frozenset(
    f for name, f in vars(operator).items() if callable(f) and not name.startswith("_")
)


class Owners(References):  # type: ignore[misc]
    """Counts references, and looks for owners only where there may be one."""

    def get_meminfos(self, builder: Any, ty: Any, val: Any) -> Any:
        models = self._context.data_model_manager
        model = models[ty]
        found = [(ty, model.get_nrt_meminfo(builder, val))] if model.has_nrt_meminfo() else []
        for kind, field in model.traverse(builder):
            if models[kind].contains_nrt_meminfo():
                found += self.get_meminfos(builder, kind, field(val))
        return found


def with_owners(state: Any) -> None:
    """Let a function that is being compiled count references so."""
    if state.targetctx.enable_nrt:
        state.targetctx.nrt = Owners(state.targetctx, True)


def registered(typing: Any, target: Any) -> list[int]:
    """How much libraries have registered with Numba."""
    return [
        len(getattr(registry, name))
        for known, names in ((typing._registries, USED[Typed]), (target._registries, USED[Lowered]))
        for registry in known
        for name in names
    ]


class Quick:
    """Numba's contexts, for as long as one function is compiled with all that it calls."""

    def __init__(self, typing: Any, target: Any) -> None:
        self.typing, self.target = typing, target
        self.resolve = typing.resolve_function_type
        self.refreshes = target.refresh, typing.refresh
        self.found: dict[Any, Any] = {}  # signatures of operators
        self.seen = registered(typing, target)  # Numba has just refreshed them

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a call; that of numbers added, compared … is looked up once."""
        numbers = (known_types.Integer, known_types.Float, known_types.Boolean)
        plain = not kws and getattr(func, "typing_key", None) in OPERATORS
        if not plain or not all(isinstance(a, numbers) for a in args):
            return self.resolve(func, args, kws)
        key = func, tuple(args)
        found = self.found.get(key)
        if found is None:
            found = self.found[key] = self.resolve(func, args, kws)
        return found

    def refresh(self) -> None:
        """Take in what other libraries have registered since the last time."""
        now = registered(self.typing, self.target)
        if now != self.seen:
            self.seen = now
            for refresh in self.refreshes:
                refresh()

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """Numba's compiler lock is held meanwhile: no other thread compiles."""
        if "refresh" in vars(self.typing):  # one that is compiled for the sake of another
            yield
            return
        shadows = (
            (self.typing, "resolve_function_type", self.resolve_function_type),
            (self.typing, "refresh", self.refresh),
            (self.target, "refresh", self.refresh),
        )
        for owner, name, f in shadows:
            setattr(owner, name, f)
        try:
            yield
        finally:
            for owner, name, _ in shadows:
                delattr(owner, name)


def known() -> bool:
    """Does this Numba work inside as is expected above?"""
    from numba.core.registry import cpu_target

    contexts = cpu_target.typing_context, cpu_target.target_context
    inside = all(hasattr(c, name) for c, names in USED.items() for name in names)
    return inside and all(hasattr(c, "_registries") for c in contexts)
