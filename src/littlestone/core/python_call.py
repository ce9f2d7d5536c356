"""Functions that stay Python where rules are compiled: compiled code calls them and waits.

For the rare round of a learner whose work is done by another library, such as a fit of a model by scikit-learn. A
function of this kind takes arrays (C-contiguous, of float64 or int64), which it may write into, and numbers, and
returns a number. An error in it is raised where the loop was called.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .vectors import has_compiled_form

F = TypeVar("F", bound=Callable[..., Any])
RUN_IN_PYTHON: dict[str, Any] = {}  # the functions that are marked, by module and name
KINDS: dict[str, Any] = {"d": ctypes.c_double, "q": ctypes.c_int64}


def runs_in_python(f: F) -> F:
    """Mark a function that compiled rules call as it is."""
    RUN_IN_PYTHON[name_of(f)] = f
    return has_compiled_form(f)


def name_of(f: Callable[..., Any]) -> str:
    """The module and the name of a function: the same in every process."""
    return f"{f.__module__}:{f.__name__}"


def call_by_address(name: str, kinds: str, *numbers: Any) -> float:
    """Call a marked function from compiled code, which has the addresses and the lengths of arrays.

    `kinds`: of each argument "d" or "q", float or integer, and the dimensions of an array, as in "d2 q1 d0".

    The module of the function has been imported: the rule that names it is there.

    >>> @runs_in_python
    ... def add_up(v, more):
    ...     return v.sum() + more
    >>> a = np.arange(4.0)
    >>> call_by_address(name_of(add_up), "d1 d0", a.ctypes.data, 4, 0.5)
    6.5
    """
    rest, arguments = iter(numbers), []
    for kind in kinds.split():
        dimensions = int(kind[1:])
        if dimensions == 0:
            arguments.append(next(rest))
            continue
        address = next(rest)
        arguments.append(array_at(address, kind[0], [next(rest) for _ in range(dimensions)]))
    return float(RUN_IN_PYTHON[name](*arguments))


def array_at(address: int, kind: str, shape: list[int]) -> Any:
    """The array of this shape that lies in memory: it does not own it."""
    length = int(np.prod(shape))
    if length == 0:
        return np.zeros(shape, kind)
    memory = (KINDS[kind] * length).from_address(address)
    return np.frombuffer(memory, kind).reshape(shape)
