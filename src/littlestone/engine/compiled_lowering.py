"""Fewer steps on the way from Python to LLVM's instructions: those that change nothing in what comes out.

Numba counts the references of all arrays of a state wherever the state is used, and reads every field of every array
to find its owner: of the 83,000 lines of instructions for online-linear 23,000 did nothing else. It tries every way to
add two things, of lists, strings and arrays among them, each time that two numbers are added. And it asks for each
function whether another library has registered anything since the last one.
"""

from __future__ import annotations

import contextlib
import gc
import operator
from collections.abc import Iterator
from typing import Any

from numba import types
from numba.core import event, imputils, postproc, typed_passes
from numba.core.runtime import context as nrt
from numba.core.typing import templates
from numba.core.typing.context import BaseContext

Lowering: Any = getattr(typed_passes, "NativeLowering", object)
References: Any = getattr(nrt, "NRTContext", object)
Typing: Any = BaseContext
Lifetimes: Any = getattr(postproc, "PostProcessor", object)
events: Any = event
passes: Any = postproc
known_types: Any = types
Typed: Any = getattr(templates, "builtin_registry", None)
Lowered: Any = getattr(imputils, "builtin_registry", None)
# What of Numba's inner workings is used below; a version that has changed them goes its own way.
USED = {
    Lowering: ("run_pass",),
    References: ("get_meminfos",),
    Typing: ("resolve_function_type", "refresh"),
    Lifetimes: ("run",),
    events: ("install_timer",),
    passes: ("VariableLifetime", "transforms"),
    Typed: ("functions", "attributes", "globals"),
    Lowered: ("functions", "getattrs", "setattrs", "casts", "constants"),
}
NUMBERS: list[Any] = [known_types.Integer, known_types.Float, known_types.Boolean]  # and lanes
# Operators: the type of what they give for numbers depends on the types of these alone.
OPERATORS = frozenset(
    f for name, f in vars(operator).items() if callable(f) and not name.startswith("_")
)


# When Python looks for garbage while Numba compiles: after 50,000 new objects, where it would after 700, and not among
# the old ones, nearly all of which stay. That was a tenth of the first call ever of online-linear (1.1 s of 11); the
# process takes 263 MB of memory for 256.
UNHURRIED = 50_000, 10, 1_000


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


lifetimes = Lifetimes.run


def when_asked(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Numba's `PostProcessor.run`: how long variables live, computed anew after nine of the passes over a function.

    The last of them needs it, and asks for `del` statements. For the others it is computed when somebody asks.
    """
    ir = self.func_ir
    if emit_dels or ir.is_generator:
        lifetimes(self, emit_dels=emit_dels, extend_lifetimes=extend_lifetimes)
        return
    ir.blocks = passes.transforms.canonicalize_cfg(ir.blocks)
    ir.variable_lifetime = passes.VariableLifetime(ir.blocks)
    ir.generator_info = None


def untimed(kind: str, callback: Any) -> contextlib.AbstractContextManager[None]:
    """Numba measures for each function, those that it calls included, how long locks were held: 60,000 times."""
    return contextlib.nullcontext()


class Quick:
    """Numba's contexts, for as long as one function is compiled with all that it calls."""

    def __init__(self, typing: Any, target: Any) -> None:
        self.typing, self.target = typing, target
        self.resolve = typing.resolve_function_type
        self.refreshes = target.refresh, typing.refresh
        self.found: dict[Any, Any] = {}  # signatures
        self.seen = registered(typing, target)  # Numba has just refreshed them

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a call; that of numbers added, compared …, and of our own primitives, is looked up once."""
        name = getattr(func, "typing_key", None)
        plain = name in OPERATORS and all(isinstance(a, tuple(NUMBERS)) for a in args)
        if kws or not (plain or hasattr(name, "_defn")):  # which is the definition of a primitive
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
        replaced = (
            (Lifetimes, "run", when_asked, lifetimes),
            (events, "install_timer", untimed, events.install_timer),
        )
        for owner, name, f in (*shadows, *(r[:3] for r in replaced)):
            setattr(owner, name, f)
        threshold = gc.get_threshold()
        gc.set_threshold(*UNHURRIED)
        try:
            yield
        finally:
            gc.set_threshold(*threshold)
            for owner, name, _ in shadows:
                delattr(owner, name)
            for owner, name, _, f in replaced:
                setattr(owner, name, f)


def known() -> bool:
    """Does this Numba work inside as is expected above?"""
    from numba.core.registry import cpu_target

    contexts = cpu_target.typing_context, cpu_target.target_context
    inside = all(hasattr(c, name) for c, names in USED.items() for name in names)
    return inside and all(hasattr(c, "_registries") for c in contexts)
