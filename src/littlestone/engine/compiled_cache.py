"""Compiled code on disk: one file for each signature, which is found again as long as nothing it reaches has changed.

Numba keeps all signatures of a function in one index and numbers their files as it goes, so that two processes that
save two signatures at once may each get the other's code. It also knows a NamedTuple by its name alone: a state
whose fields are put in another order would be given the code made for the old order. Both end when the name of the
file carries the signature and what can be reached from its NamedTuples.

And Numba gets ready to compile before it loads anything: it imports all that it can compile, SciPy's linear algebra
among it. A second process came to its first result in 0.9 s that way, in 0.5 s without (`import numba`: 0.3 s).
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core import caching as untyped
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import nrt as untyped_runtime

from .announce import announcer
from .compile_clock import loading
from .reach import fingerprint, ours

caching: Any = untyped
nrt: Any = untyped_runtime
Rule = TypeVar("Rule", bound=Callable[..., Any])


class Lean(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """What is written of a compiled function: all that Numba writes, but for environments that its code never names.

    Most have been optimised away. To load one imports the module of its function, and one of those is
    numba.np.arrayobj, in every function that makes an array: 20 ms.
    """

    def reduce(self, made: Any) -> Any:
        *rest, environments = super().reduce(made)
        code = str(made.library._final_module)
        used = (e for e in environments if code.count(e.env_name) > 1)  # once where it is declared
        return *rest, tuple(used)


class SignatureCache(caching.FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, with a file of its own for each signature.

    `learner` is the name of the learner that the function plays, for users who wait; without one nothing is announced.
    """

    _impl_class = Lean

    def __init__(self, function: Callable[..., Any], learner: str) -> None:
        super().__init__(function)
        self.learner = learner

    def file_of(self, sig: Any) -> Any:
        """The file of one signature."""
        f = self._py_func
        records = dict.fromkeys(c for kind in arguments(sig) for c in records_in(kind))
        digest = hashlib.sha256(fingerprint((f, *records), str(arguments(sig))).encode())
        stamp = self._impl.locator.get_source_stamp()
        return caching.IndexDataCacheFile(
            cache_path=self._cache_path,
            filename_base=f"{self._impl.filename_base}.{digest.hexdigest()[:12]}",
            # The file that the function is said to be in counts only where the hash does not cover its code.
            source_stamp="" if ours(f.__module__) else stamp,
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with loading():
            # Compiled code needs Numba's counts of references; what Numba needs to compile, it imports when it does.
            start_counting(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        return None  # an error of reading was passed over

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        self._cache_file = self.file_of(sig)
        try:
            found = super()._load_overload(sig, target_context)
        except OSError:
            raise
        except (
            Exception
        ):  # a file that was cut off, as where a disk is full: it is compiled and written again
            self.flush()
            found = None
        if found is None and self.learner:
            announcer.compiling(self.learner)
        return found

    def _save_overload(self, sig: Any, data: Any) -> None:
        self._cache_file = self.file_of(sig)
        super()._save_overload(sig, data)


class Counting(caching.CodeLibraryCacheImpl):  # type: ignore[misc]
    """How the functions that count references are written: as a library, not as one function."""

    _filename_prefix = "counting"


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
        cache = CountingCache(references, "")
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


def arguments(sig: Any) -> tuple[Any, ...]:
    """The types of the arguments, of a signature or of a tuple of types."""
    return tuple(getattr(sig, "args", sig))


def records_in(kind: Any) -> Iterator[type]:
    """The NamedTuple classes that a type is made of."""
    if isinstance(kind, types.BaseTuple):
        found: Any = kind
        if hasattr(found, "instance_class"):
            yield found.instance_class
        for part in found:
            yield from records_in(part)


def kept(rule: Rule, learner: str = "", **options: Any) -> Rule:
    """The function, compiled by Numba on its first call and kept on disk, where a directory for that can be written."""
    made: Any = numba.njit(**options)(rule)
    with contextlib.suppress(RuntimeError):  # "no locator available": there is no such directory
        made._cache = SignatureCache(made.py_func, learner)
    return cast(Rule, made)
