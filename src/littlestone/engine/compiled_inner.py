"""Functions that compiled code alone calls: linked into their callers, without machine code of their own.

Numba makes machine code of every function that it compiles, also of one that is only ever inlined into another. Here
that is left to the outermost function: the first call ever of hedge takes 2.8 s of CPU for 3.1, of online-linear 8.1
for 9.8. And a function may have its sums put into another order (`fastmath`) when it is
compiled for itself, but not again in each place that it is inlined into: so a rule computes the same in every loop, to
the last bit, whether it is called for one row or for many.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core import codegen, compiler
from numba.core.environment import lookup_environment as numba_lookup

from . import compiled_lowering

Library: Any = getattr(codegen, "JITCodeLibrary", object)
Compiler: Any = compiler.Compiler
DENSE: Any = types.Array(types.float64, 1, "C")
lookup_environment: Any = numba_lookup
ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of their environments begin
# What of Numba's inner workings is used below; a version that has changed them compiles as it likes.
USED = (
    "_finalize_dynamic_globals",
    "_verify_declare_only_symbols",
    "_optimize_functions",
    "_optimize_final_module",
    "_get_module_for_linking",
    "enable_object_caching",
)
# The leave to put sums into another order, in the text of LLVM's instructions.
REORDER = re.compile(r" (?:reassoc|nsz)(?: (?:reassoc|nsz|contract|arcp|afn))* ")
# Two kinds of instructions keep it, since their machine code is the same wherever they are inlined, and much slower
# without it: the sum of the lanes of a vector (one lane after the other, instead of in pairs), and the least or the
# largest of two numbers (the signs of zeros are compared). Hedge over 8 experts takes 26 ns a round instead of 31.
KEEP = re.compile(r"@llvm\.(?:vector\.reduce|minimum|maximum)\.")


def in_order(text: str) -> str:
    """Instructions of LLVM, without the leave to put sums into another order."""
    return "\n".join(
        line if KEEP.search(line) else REORDER.sub(" contract ", line) for line in text.split("\n")
    )


def optimised(library: Any, module: Any) -> None:
    """Optimise the functions of a module one by one; Numba prepares to optimise those, too, that are only declared."""
    module.data_layout = library.codegen._data_layout
    for f in module.functions:
        if not f.is_declaration:
            passes, builder = library.codegen._function_pass_manager()
            passes.run(f, builder)


# What LLVM is told of a rule that few rounds need (`rarely`): to call it, and to make it small and not fast.
APART = ("noinline", "optsize", "cold")
# Lines of instructions. A function that calls more of them is optimised with the shortest of what it calls, as many as
# fit, and without the others, which have been; the outermost function is optimised with all of it. Otherwise a rule at
# the bottom is optimised again in each function on the way up. With that, and with rare rules apart, LLVM's passes over
# online-linear take a third less (4.9 s, now 3.1).
# The short ones are those that a loop calls for each number: a loop that calls `decay` cannot have its sums put into
# another order, and later it may not. Without them multitask took 2.6 times as long over 1,000 experts (6.9 us, now
# 2.7), the kernel perceptron 1.4 times.
LARGE = 350


def lines_of(library: Any) -> int:
    """How long the code of a function is; that of Numba's own, its `max` for instance, is short and counts as none."""
    return getattr(library, "lines", 0)


def shortest(libraries: list[Any]) -> list[Any]:
    """The shortest of what a function calls, as many as have LARGE lines together."""
    ascending = sorted(libraries, key=lines_of)
    together = accumulate(map(lines_of, ascending))
    return [v for v, lines in zip(ascending, together, strict=True) if lines <= LARGE]


class Whole(Library):  # type: ignore[misc]
    """The code of a function that others of them are linked into."""

    def _optimize_functions(self, ll_module: Any) -> None:
        optimised(self, ll_module)


class Linked(Library):  # type: ignore[misc]
    """The code of a function that waits to be linked into that of its callers."""

    _final_module: Any
    apart = False  # is it called, and never inlined?
    large = False  # does it call much?
    lines = 0  # of instructions, with those of the functions that it calls

    def add_ir_module(self, ir_module: Any) -> None:
        for f in ir_module.functions if self.apart else ():
            if not f.is_declaration:
                f.attributes.discard("alwaysinline")
                for word in APART:
                    f.attributes.add(word)
        super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self.codegen._data_layout

    def finalize(self) -> None:
        """Link it with what it calls; where that is much, optimise it before, with the shortest of that alone."""
        called = list(dict.fromkeys(self._linking_libraries))
        short = shortest(called)
        self.large = len(short) < len(called)
        if self.large:
            for library in short:
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            super()._optimize_final_module()
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise it, and let callers that it is inlined into change the order of its sums no more."""
        if not self.large:
            super()._optimize_final_module()
        name = self._final_module.name
        text = in_order(str(self._final_module))
        self.lines = text.count("\n")
        self._final_module = llvm.parse_assembly(text)
        self._final_module.name = name

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


def rare(state: Any) -> bool:
    """Is it a rule that is marked `rarely`; and is its example, if it has one, dense?"""
    kinds = dict(zip(state.func_id.arg_names, state.args, strict=False))
    return hasattr(state.func_id.func, "rarely") and isinstance(kinds.get("x", DENSE), types.Array)


class Inner(Compiler):  # type: ignore[misc]
    """Numba's compiler, stopped before there is machine code."""

    def _compile_core(self) -> Any:
        state = self.state
        compiled_lowering.with_owners(state)
        state.flags.no_compile = True
        if state.library is None:
            state.library = Linked(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.apart = rare(state)
        made = super()._compile_core()
        # Callers find a function by what Python would call. That must be a built-in function, another one for each;
        # this one raises an error whatever it is called with.
        entry: Any = set().pop
        state.targetctx.insert_user_function(entry, made.fndesc, [made.library])
        state.reload_init.extend(made.library._reload_init)
        return made._replace(entry_point=entry)


class Outer(Compiler):  # type: ignore[misc]
    """Numba's compiler, for a function that others of them are linked into."""

    def __init__(self, typingctx: Any, targetctx: Any, *rest: Any) -> None:
        super().__init__(typingctx, targetctx, *rest)
        self.quick = compiled_lowering.Quick(typingctx, targetctx)

    def _compile_core(self) -> Any:
        state = self.state
        compiled_lowering.with_owners(state)
        if state.library is None:
            state.library = Whole(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        with self.quick.used():
            made = super()._compile_core()
        for v in made.library._final_module.global_variables:
            # what a function needs to make Python objects, to print them for instance
            env = lookup_environment(v.name) if v.name.startswith(ENVIRONMENT) else None
            if env is not None:
                made.library.codegen.set_env(v.name, env)
        return made


def known() -> bool:
    """Does this Numba work inside as `Linked` and `Inner` expect?"""
    inside = all(hasattr(Library, name) for name in USED) and hasattr(Compiler, "_compile_core")
    return inside and compiled_lowering.known()


OPTIONS: Any = {"pipeline_class": Inner} if known() else {}
OUTER: Any = {"pipeline_class": Outer} if known() else {}
