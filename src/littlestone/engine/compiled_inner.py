"""Functions that compiled code alone calls: linked into their callers, without machine code of their own.

Numba optimises every function that it compiles and makes machine code of it, also of one that is only ever inlined
into another, and then optimises that again. Leaving both to the outermost function took a first `play` of
online-linear from 12.4 to 8.5 seconds of CPU and one of hedge from 3.9 to 3.5; what is computed is the same, bit for
bit.
"""

from __future__ import annotations

from typing import Any

from numba.core import codegen, compiler
from numba.core.environment import lookup_environment as numba_lookup

Library: Any = getattr(codegen, "JITCodeLibrary", object)
Compiler: Any = compiler.Compiler
lookup_environment: Any = numba_lookup
ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of their environments begin
# What of Numba's inner workings is used below; a version that has changed them compiles as it likes.
USED = ("_finalize_dynamic_globals", "_verify_declare_only_symbols", "_optimize_final_module")


class Linked(Library):  # type: ignore[misc]
    """The code of a function that waits to be linked into that of its callers."""

    def _optimize_final_module(self) -> None:
        """Leave it to the caller, which optimises all that is linked into it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class Inner(Compiler):  # type: ignore[misc]
    """Numba's compiler, stopped before there is machine code."""

    def _compile_core(self) -> Any:
        state = self.state
        state.flags.no_compile = True
        if state.library is None:
            state.library = Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        made = super()._compile_core()
        # Callers find a function by what Python would call. That must be a built-in function, another one for each;
        # this one raises an error whatever it is called with.
        entry: Any = set().pop
        state.targetctx.insert_user_function(entry, made.fndesc, [made.library])
        state.reload_init.extend(made.library._reload_init)
        return made._replace(entry_point=entry)


class Outer(Compiler):  # type: ignore[misc]
    """Numba's compiler, for a function that others of them are linked into."""

    def _compile_core(self) -> Any:
        made = super()._compile_core()
        for v in made.library._final_module.global_variables:
            # what a function needs to make Python objects, to print them for instance
            env = lookup_environment(v.name) if v.name.startswith(ENVIRONMENT) else None
            if env is not None:
                made.library.codegen.set_env(v.name, env)
        return made


def known() -> bool:
    """Does this Numba work inside as `Linked` and `Inner` expect?"""
    return all(hasattr(Library, name) for name in USED) and hasattr(Compiler, "_compile_core")


OPTIONS: Any = {"pipeline_class": Inner} if known() else {}
OUTER: Any = {"pipeline_class": Outer} if known() else {}
