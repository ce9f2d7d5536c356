"""All that reaches into Numba's private parts: three things, and what each of them buys.

    linking     rules are linked into their loop without machine code of their own: a first call takes two thirds of the
                time, and a rule computes the same bits in every loop
    target      code for a declared processor, while functions of the user are compiled for theirs
    cache       a file for each signature, found in any of several folders, loaded without getting Numba ready to
                compile: a second process comes to its first result in half of the time

It is imported only where these parts are as they are expected to be (`probe.py` tries a version of Numba once, in a
child process). Where they are not, or LITTLESTONE_INTERNALS=off is set, `numba_ways` takes Numba's public ways: rules
are compiled for the host, and kept in Numba's own cache. Nothing is lost in the run, and a first call takes about 1.5
times as long.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

import llvmlite.binding as llvm
from numba import __version__ as numba_version
from numba.core import caching as numba_caching
from numba.core import codegen, compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment as numba_lookup
from numba.core.registry import cpu_target
from numba.core.runtime import nrt as numba_runtime

from . import packaged_code
from .announce import Plays, announcer, in_words
from .compile_clock import loaded, loading
from .compiled_files import read_code, write_code
from .compiled_places import folders, readable_owners, writable
from .compiled_records import arguments, records_in
from .reach import code_text, fingerprint, module_code, ours
from .target import target, what_decides_bits

caching: Any = numba_caching
nrt: Any = numba_runtime
lookup_environment: Any = numba_lookup


# Linking.
#
# Numba makes machine code of every function that it compiles, also of one that is only ever inlined into another. Here
# that is left to the outermost function: the first call ever of hedge takes 2.8 s of CPU for 3.1, of online-linear 8.1
# for 9.8. And a function may have its sums put into another order (`fastmath`) when it is compiled for itself, but not
# again in each place that it is inlined into: so a rule computes the same in every loop, to the last bit, whether it is
# called for one row or for many.

Library: Any = codegen.JITCodeLibrary
Compiler: Any = compiler.Compiler
ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of their environments begin
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


# Lines of instructions. A function that calls more of them is optimised with the shortest of what it calls, as many as
# fit, and without the others, which have been; the outermost function is optimised with all of it. Otherwise a rule at
# the bottom is optimised again in each function on the way up. With that LLVM's passes over online-linear take
# less.
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
    large = False  # does it call much?
    lines = 0  # of instructions, with those of the functions that it calls

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
        state = self.state
        if state.library is None:
            state.library = Whole(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        made = super()._compile_core()
        for v in made.library._final_module.global_variables:
            # what a function needs to make Python objects, to print them for instance
            env = lookup_environment(v.name) if v.name.startswith(ENVIRONMENT) else None
            if env is not None:
                made.library.codegen.set_env(v.name, env)
        return made


INNER: Any = {"pipeline_class": Inner}  # options of functions that compiled code alone calls
OUTER: Any = {"pipeline_class": Outer}  # ... and of those that Python calls


# The target.

Codegen: Any = codegen.JITCPUCodegen


class ForTarget(Codegen):  # type: ignore[misc]
    """Numba's way to machine code, for a processor that is named and not for the one it runs on."""

    def _get_host_cpu_name(self) -> str:
        return target().cpu

    def _get_host_cpu_features(self) -> str:
        return ""  # those that the processor of this name has


@functools.cache
def made_for_target() -> Any:
    return ForTarget("littlestone")


@contextlib.contextmanager
def for_target() -> Iterator[None]:
    """Compile (and load) for our target meanwhile; functions of the user's own are compiled as before.

    Other threads wait: the lock is that of Numba's compiler.
    """
    if not target().cpu:
        yield
        return
    with global_compiler_lock:
        context: Any = cpu_target.target_context
        theirs = context._internal_codegen
        context._internal_codegen = made_for_target()
        try:
            yield
        finally:
            context._internal_codegen = theirs


def compiles_for_target(dispatcher: Any) -> Any:
    """The function that Numba compiles when it is called; it is compiled for our target."""
    compile_ = dispatcher.compile

    @functools.wraps(compile_)
    def compiled(sig: Any) -> Any:
        with for_target():
            return compile_(sig)

    dispatcher.compile = compiled
    return dispatcher


# The cache.
#
# Numba keeps all signatures of a function in one index and numbers their files as it goes, so that two processes that
# save two signatures at once may each get the other's code. It also knows a NamedTuple by its name alone: a state whose
# fields are put in another order would be given the code made for the old order. Both end when the name of the file
# carries the signature and what can be reached from its NamedTuples.
#
# And Numba gets ready to compile before it loads anything: it imports all that it can compile, SciPy's linear algebra
# among it. A second process came to its first result in 0.9 s that way, in 0.5 s without (`import numba`: 0.3 s).


class Places(caching._SourceFileBackedLocatorMixin, caching._CacheLocator):  # type: ignore[misc]
    """The folders of a function's compiled code; those that cannot be written are read all the same."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self.folders = folders(file)

    def get_cache_path(self) -> str:
        """The folder to write to; "" where all are left out."""
        return next(filter(writable, self.folders), next(iter(self.folders), ""))

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Places | None:
        return cls(function, file) if os.path.exists(file) else None


def names_alone(names: list[str]) -> bytes:
    """What LLVM is told of machine code that is loaded: the names that can be found in it, and nothing else."""
    lines = (f'@"{name}" = global ptr null' for name in dict.fromkeys(names))
    bits: bytes = llvm.parse_assembly("\n".join(lines)).as_bitcode()
    return bits


class Lean(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """What is written of a compiled function: its machine code, and what is needed to call it.

    Numba also writes what nobody asks for here, twice as much as the code: the code once more for LLVM, so that it can
    be linked into other functions; the types that were inferred, as a text; and the environments of functions that were
    inlined and are never named. To load one of those imports the module of its function, and one is numba.np.arrayobj,
    in every function that makes an array: 20 ms.
    """

    _locator_classes: Any = (Places, *caching.CacheImpl._locator_classes)

    def reduce(self, made: Any) -> Any:
        library, desc, *rest, environments = super().reduce(made)
        module = made.library._final_module
        code = str(module)
        used = [e for e in environments if code.count(e.env_name) > 1]  # once where it is declared
        if isinstance(made.library, Whole):  # only Python calls it
            names = [f.name for f in module.functions if not f.is_declaration]
            names += [desc.env_name, *(e.env_name for e in used)]
            name, kind, (machine_code, _) = library
            library = name, kind, (machine_code, names_alone(names))
        rest[TYPES_IN_WORDS] = ""
        return library, desc, *rest, tuple(used)


TYPES_IN_WORDS = (
    4  # their place in what Numba writes, after the code and what describes the function
)


@functools.cache
def own_code() -> str:
    """What this file does: another way to link is a change of all that was linked."""
    return hashlib.sha256(code_text(module_code(sys.modules[__name__])).encode()).hexdigest()


class SignatureCache(caching.FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, with a file of its own for each signature, in one of several folders.

    `plays` is what the function plays, for users who wait; without that nothing is announced.
    """

    _impl_class = Lean

    def __init__(self, function: Callable[..., Any], plays: Plays | None) -> None:
        super().__init__(function)
        self.plays = plays

    def flush(self) -> None:
        """Nothing is taken back: what was made of other sources has another name."""

    def name_of(self, sig: Any, code: Any) -> str:
        """The name of the file of one signature, whatever folder it is in."""
        f = self._py_func
        records = dict.fromkeys(c for kind in arguments(sig) for c in records_in(kind))
        # The file that the function is said to be in counts only where the hash does not cover its code.
        stamp = "" if ours(f.__module__) else self._impl.locator.get_source_stamp()
        facts = numba_version, code.magic_tuple(), what_decides_bits(), stamp
        text = f"{arguments(sig)} {facts} {own_code()}"
        digest = hashlib.sha256(fingerprint((f, *records), text).encode())
        return f"{self._impl.filename_base}.{digest.hexdigest()[:16]}"

    def places(self) -> list[str]:
        """The folders to read."""
        locator = self._impl.locator
        own = locator.folders if isinstance(locator, Places) else [self._cache_path]
        packaged = packaged_code.folder()
        return [packaged, *own] if packaged else own

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with loading():
            # Compiled code needs Numba's counts of references; what Numba needs to compile, it imports when it does.
            start_counting(target_context)
            return self._load_overload(sig, target_context)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        name, owners = self.name_of(sig, target_context.codegen()), readable_owners()
        for folder in self.places():
            code = read_code(folder, name, owners)
            if code is None:
                continue
            # Sealed, but not as this version of Numba wrote it: it is compiled and written again.
            with contextlib.suppress(Exception):
                found = self._impl.rebuild(target_context, caching.pickle.loads(code))
                loaded(folder == packaged_code.folder())
                return found
        met = [c.__name__ for kind in arguments(sig) for c in records_in(kind)]
        plays = "" if self.plays is None else in_words(self.plays, met)
        announcer.compiling(plays, packaged_code.why_not())
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):  # it costs time, the next time
            self._save_overload(sig, data)

    def _save_overload(self, sig: Any, data: Any) -> None:
        if self._cache_path and self._impl.check_cachable(data):
            name = self.name_of(sig, data.codegen)
            write_code(self._cache_path, name, caching.dumps(self._impl.reduce(data)))


class Counting(caching.CodeLibraryCacheImpl):  # type: ignore[misc]
    """How the functions that count references are written: as a library, not as one function."""

    _filename_prefix = "counting"
    _locator_classes: Any = Lean._locator_classes


class CountingCache(SignatureCache):
    """The functions that count references, on disk."""

    _impl_class = Counting


def start_counting(target: Any) -> None:
    """Let compiled code count references. Numba compiles what does that in every process: 20 ms; from disk, 3."""
    if nrt.config.DEBUG_NRT or not hasattr(nrt.nrtdynmod, "create_nrt_module"):
        nrt.rtsys.initialize(target)
        return
    with global_compiler_lock:
        theirs = nrt.nrtdynmod.compile_nrt_functions
        nrt.nrtdynmod.compile_nrt_functions = counting
        try:
            nrt.rtsys.initialize(target)  # once in a process; then it does nothing
        finally:
            nrt.nrtdynmod.compile_nrt_functions = theirs


def references() -> None:
    """What the functions that count references are kept under: it names nothing, so nothing makes them anew."""


def counting(target: Any) -> Any:
    """The functions that count references, from disk or compiled."""
    try:
        cache = CountingCache(references, None)
    except RuntimeError:  # there is no directory for it
        cache = None
    processor = target.codegen().magic_tuple()
    found = cache and cache._load_overload(processor, target)
    if found is None:
        module, found = nrt.nrtdynmod.create_nrt_module(target)
        found.enable_object_caching()
        found.add_ir_module(module)
        found.finalize()
        if cache:
            cache.save_overload(processor, found)
    return found


def cached(made: Any, plays: Plays | None) -> None:
    """Keep the machine code of a function that Numba compiles when it is called."""
    made._cache = SignatureCache(made.py_func, plays)
