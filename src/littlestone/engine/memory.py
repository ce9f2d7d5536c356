"""The memory behind states and rounds: copies, read-only views, and what a value is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

LINE = 8  # numbers of a line of the cache
GAP = 256  # bytes between an array and anything else
SPARE = 3  # times its size: what an array that has grown can grow by, in place


def read_only(v: Any) -> Any:
    """The same arrays as read-only views: a rule that writes into one does not compile."""
    if isinstance(v, np.ndarray):
        v = v.view()
        v.flags.writeable = False
        return v
    return type(v)(*map(read_only, v)) if hasattr(v, "_fields") else v


PAGES = 1 << 16  # bytes that are copied together


def fill(apart: Any, v: Any) -> None:
    """Copy a large array into zeros, only what is not 0: memory that was never written costs nothing."""
    if v.dtype.hasobject or not v.flags.c_contiguous:
        apart[...] = v
        return
    new, old = apart.reshape(-1).view(np.uint8), v.reshape(-1).view(np.uint8)
    for a in range(0, v.nbytes, PAGES):
        part = old[a : a + PAGES]
        if part.any():
            new[a : a + PAGES] = part


def padded_copy(v: Any, copied: bool = True, spare: int = 0) -> Any:
    """A state whose arrays have memory of their own, 256 bytes clear of anything else; zeros if it is not copied.

    LLVM asks at run time whether two arrays lie close together, and takes the scalar path if so; that is slower, and
    rounds differently, so that chunks would stop being equal to the whole run bit for bit. Behind each array there may
    be zeros to spare, so many times its own size, into which it can grow (`extended`): they cost nothing until written.
    """
    if isinstance(v, np.ndarray):
        raw = np.zeros((1 + spare) * v.nbytes + 2 * GAP + 64, np.uint8)
        start = GAP + (-raw.__array_interface__["data"][0] - GAP) % 64
        apart = raw[start : start + v.nbytes].view(v.dtype).reshape(v.shape)
        if copied and v.nbytes > 4 * PAGES:
            fill(apart, v)
        elif copied:
            apart[...] = v
        return apart
    return type(v)(*[padded_copy(one, copied, spare) for one in v]) if hasattr(v, "_fields") else v


def extended(old: Any, new: Any) -> Any:
    """`new`, whose arrays of zeros that have only more rows than those of `old` lie where these do, and hold them.

    That is so where zeros to spare lie behind the old ones; `corner` then finds them in place, and nothing is copied.
    """
    if isinstance(old, np.ndarray):
        raw, rows = old.base, len(old) if old.ndim else 0
        if raw is None or old.shape[1:] != new.shape[1:] or not 0 < rows < len(new):
            return new
        at = old.__array_interface__["data"][0] - raw.__array_interface__["data"][0]
        fits = raw.dtype == np.uint8 and raw.ndim == 1 and at + new.nbytes + GAP <= raw.nbytes
        if not (fits and old.flags.c_contiguous and new.dtype == old.dtype):
            return new
        if new[rows:].reshape(-1).view(np.uint8).any():
            return new
        return raw[at : at + new.nbytes].view(old.dtype).reshape(new.shape)
    if isinstance(old, tuple):
        return type(new)(*[extended(a, b) for a, b in zip(old, new, strict=True)])
    return new


def settle(state: Any, old: Any) -> Any:
    """A state that has grown out of `old`, which is not needed any more: its arrays stay, others get memory to grow."""
    there = {id(v.base) for v in arrays(old) if v.base is not None}

    def settled(v: Any) -> Any:
        if isinstance(v, np.ndarray):
            return v if id(v.base) in there else padded_copy(v, spare=SPARE)
        return type(v)(*map(settled, v)) if hasattr(v, "_fields") else v

    return settled(state)


def zeros(shape: tuple[int, ...]) -> Any:
    """An array of zeros, 256 bytes clear of anything else, that begins with a line of the cache."""
    return padded_copy(np.broadcast_to(0.0, shape), copied=False)


def interleave_columns(state: Any, n: int) -> Any:
    """A state in which all that is known of a feature lies side by side, where several arrays have a number a feature.

    A sparse example needs what is known of a few features among many. In arrays of its own, each number of a feature
    is in another line of the cache, and a round waits for all of these lines; side by side it waits for one a feature
    (perceptron and logistic, 30 of 2^18 features: half of the time). The arrays are columns of one block: rules, files
    and users find the same numbers at the same places.
    """
    rows = [v for v in arrays(state) if v.shape == (n,) and v.dtype == np.float64]
    if n < 2 or len(rows) < 2:
        return padded_copy(state)
    width = 1 << (len(rows) - 1).bit_length() if len(rows) < LINE else -(-len(rows) // LINE) * LINE
    columns = iter(zeros((n, width)).T)

    def laid(v: Any) -> Any:
        if isinstance(v, np.ndarray) and v.shape == (n,) and v.dtype == np.float64:
            column = next(columns)
            if v.any():  # the block is 0 already, and to write a column goes through all its lines
                column[...] = v
            return column
        return type(v)(*map(laid, v)) if hasattr(v, "_fields") else padded_copy(v)

    return laid(state)


def copy(state: Any) -> Any:
    """A state that shares no array with the one given, and lies in memory as that one does."""
    columns = [len(v) for v in arrays(state) if v.ndim == 1 and not v.flags.c_contiguous]
    return interleave_columns(state, columns[0]) if columns else padded_copy(state)


def layout(v: Any) -> Any:
    """All that Numba's type of a value depends on: values of equal layouts have equal types in compiled code.

    It is found in a tenth of the time that Numba takes for the type itself.
    """
    if isinstance(v, np.ndarray):
        f = v.flags
        return v.dtype, v.ndim, f.c_contiguous, f.f_contiguous, f.writeable, f.aligned
    if isinstance(v, tuple):
        return (type(v), *map(layout, v))
    return (int, v.bit_length() > 63) if type(v) is int else type(v)


makers: dict[Any, Callable[[Any, Any], Any]] = {}  # by the layout of the state


def rebuilt(state: Any) -> Callable[[Any, Any], Any]:
    """A function that makes the next state: of the arrays of an old state, and a flat tuple of its other numbers."""
    key = layout(state)
    if key not in makers:
        makers[key] = maker(state)
    return makers[key]


def maker(state: Any) -> Callable[[Any, Any], Any]:
    """`rebuilt`, for the first state of its layout: the function is written as text, which runs fastest."""
    classes: dict[str, type] = {}
    number = 0

    def text(v: Any, name: str) -> str:
        nonlocal number
        if isinstance(v, np.ndarray):
            return name
        if hasattr(v, "_fields"):
            kind = f"C{len(classes)}"
            classes[kind] = type(v)
            return f"{kind}({', '.join(text(part, f'{name}[{i}]') for i, part in enumerate(v))})"
        number += 1
        return f"s[{number - 1}]"

    body = text(state, "old")
    return eval(f"lambda old, s: {body}", dict(classes))  # type: ignore[no-any-return]


def arrays(v: Any) -> Iterator[Any]:
    """The arrays of a state, or of anything made of tuples and lists."""
    if isinstance(v, np.ndarray):
        yield v
    elif isinstance(v, (tuple, list)):
        for one in v:
            yield from arrays(one)


def classes_of(*values: Any) -> tuple[type, ...]:
    """The NamedTuple classes that values are made of, each once."""
    found: dict[type, None] = {}

    def visit(v: Any) -> None:
        if hasattr(v, "_fields"):
            found[type(v)] = None
        if isinstance(v, tuple):
            for part in v:
                visit(part)

    visit(values)
    return tuple(found)
