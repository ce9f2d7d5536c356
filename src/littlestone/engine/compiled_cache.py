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
from numba.core.runtime import nrt

from .announce import announcer
from .compile_clock import loading
from .reach import fingerprint, ours

caching: Any = untyped
Rule = TypeVar("Rule", bound=Callable[..., Any])


class SignatureCache(caching.FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, with a file of its own for each signature.

    `learner` is the name of the learner that the function plays, for users who wait; without one nothing is announced.
    """

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
            nrt.rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        return None  # an error of reading was passed over

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        self._cache_file = self.file_of(sig)
        found = super()._load_overload(sig, target_context)
        if found is None and self.learner:
            announcer.compiling(self.learner)
        return found

    def _save_overload(self, sig: Any, data: Any) -> None:
        self._cache_file = self.file_of(sig)
        super()._save_overload(sig, data)


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
