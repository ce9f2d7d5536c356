"""A live learner in compiled form: parameters, game and state lie in memory, where compiled code reads them.

To hand a state with a dozen arrays and numbers to compiled code takes longer than the round itself. So it is written
to memory once, and read back when `Live.state` is asked for. What lies there does not own its arrays: `Packed` keeps
the Python objects that do.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..core.vectors import Sparse, out_of_range, row
from .compile import inlined, saved
from .loops import act_on_row, learn_late, learn_row, pull
from .memory import classes_of, layout

PREDICT = """(fixed, moving, t):
    self, game, X, seed, most = load(fixed)
    x = {example}
    v = {numbers}
    if out_of_range(v, 0, v.shape[0], -most, most):
        return np.nan
    return loop(self, game, read(moving), x, seed, t)"""
UPDATE = """(fixed, moving, y, h, t):
    self, game, X, seed, most = load(fixed)
    x = {example}
    v = {numbers}
    if out_of_range(v, 0, v.shape[0], -most, most):
        return False
    write(moving, loop(self, game, read(moving), x, y, h, seed, t))
    return True"""
PULL = """(fixed, moving, t):
    self, game, X, Y, W, seed = load(fixed)
    return loop(self, game, read(moving), row(X, 0), seed, t, W)"""
TELL = """(fixed, moving, d, a):
    self, game, X, Y, W, seed = load(fixed)
    write(moving, loop(self, game, read(moving), X, Y, d, a, 0.0))"""
PACK = """(fixed, moving, values, state):
    store(fixed, borrow(values))
    write(moving, borrow(state))"""
UNPACK = "(moving): return scalars(read(moving))"


class EntryPoints:
    """The compiled functions of all live learners whose parameters, game, example and state have the same types.

    Each is compiled, or loaded from disk, when it is first used: 15 ms and 1 MB for each of the four (online-linear).
    """

    def __init__(self, values: tuple[Any, ...], state: Any) -> None:
        import numba

        from . import compiled_borrow

        kind: Any = numba.typeof
        self.kinds = kind(values), kind(state)
        load, store, size = compiled_borrow.packing(self.kinds[0])
        read, write, room = compiled_borrow.packing(self.kinds[1])
        self.sizes = size // 8 + 1, room // 8 + 1  # of the memory that they work on, in float64
        self.classes = classes_of(values[0], values[1])
        self.scope = {
            "load": load, "store": store, "read": read, "write": write, "borrow": compiled_borrow.borrow,
            "scalars": compiled_borrow.scalars, "row": row, "out_of_range": out_of_range, "np": np,
        }  # fmt: skip
        sparse = not isinstance(values[2], np.ndarray)
        self.text = {
            "example": "row(X, 0)" if sparse else "X",
            "numbers": "x.value" if sparse else "x",
        }

    def made(self, loop: Any, what: str, body: str, *more: Any) -> Any:
        """One entry point: `more` are the types of its arguments after the memory."""
        from numba import types

        scope = {**self.scope, "loop": inlined(loop)} if loop else self.scope
        f: Any = saved(what, body.format(**self.text), scope, self.classes, str(self.kinds))
        memory = types.float64[::1]
        signature = (memory, *more) if what == "unpack" else (memory, memory, *more)
        f.compile(signature)
        return f.overloads[signature].entry_point  # past Numba's dispatch

    @functools.cached_property
    def pack(self) -> Any:
        return self.made(None, "pack", PACK, *self.kinds)

    @functools.cached_property
    def predict(self) -> Any:
        from numba import types

        return self.made(act_on_row, "predict", PREDICT, types.int64)

    @functools.cached_property
    def update(self) -> Any:
        from numba import types

        return self.made(learn_row, "update", UPDATE, types.float64, types.float64, types.int64)

    @functools.cached_property
    def pull(self) -> Any:
        from numba import types

        return self.made(pull, "pull", PULL, types.int64)

    @functools.cached_property
    def tell(self) -> Any:
        from numba import types

        return self.made(learn_late, "tell", TELL, types.float64[::1], types.float64)

    @functools.cached_property
    def unpack(self) -> Any:
        return self.made(None, "unpack", UNPACK)


shared: dict[Any, EntryPoints] = {}  # by the layout of values and state


def entry_points(values: tuple[Any, ...], state: Any) -> EntryPoints:
    """Those for values and states of these types, the same for every learner of one kind and size."""
    key = layout((values, state))
    found = shared.get(key)
    return shared.setdefault(key, EntryPoints(values, state)) if found is None else found


class Packed:
    """Predict and update on what lies in memory; the arrays of the state must stay where they are."""

    def __init__(self, values: tuple[Any, ...], state: Any) -> None:
        """`values`: parameters, game, where examples are put (a row, or sparse rows), seed, largest number allowed.

        Of bandits: parameters, game, what a round offers, losses, where the decision is put, seed.
        """
        self.entry = entry_points(values, state)
        self.fixed, self.moving = map(np.zeros, self.entry.sizes)
        self.values, self.state = values, state  # the owners of the arrays
        self.entry.pack(self.fixed, self.moving, values, state)

    # These two are called once a round; as methods they took 0.23 us, so 0.21 us.

    @functools.cached_property
    def predict(self) -> Any:
        """predict(t): the action for the example that was put in its place; NaN where one of its numbers is refused."""
        return functools.partial(self.entry.predict, self.fixed, self.moving)

    @functools.cached_property
    def update(self) -> Any:
        """update(y, h, t): learn from the example with outcome y and importance h; False where a number is refused."""
        return functools.partial(self.entry.update, self.fixed, self.moving)

    def pull(self, t: int) -> Any:
        """The arm for round t; NaN where the decision, which is put in its place, is not finite."""
        return self.entry.pull(self.fixed, self.moving, t)

    def tell(self, d: Any, a: float) -> None:
        """Learn from the losses that were put in their place, with the decision and the arm of then."""
        self.entry.tell(self.fixed, self.moving, d, a)

    def numbers(self) -> Any:
        """The numbers of the state that are not in its arrays, as one flat tuple."""
        return self.entry.unpack(self.moving)

    def __deepcopy__(self, _: Any) -> None:
        """A copy of a learner packs its own state when it needs to."""

    def __reduce__(self) -> Any:
        return (type(None), ())


def is_clean(v: Any, most: float) -> bool:
    """Is each number of an example finite, and at most `most` in size?"""
    return not out_of_range(v, 0, v.shape[0], -most, most)


def numbers(x: Any) -> Any:
    """The numbers of one example."""
    return x.value if isinstance(x, Sparse) else x
