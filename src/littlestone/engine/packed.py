"""A live learner in compiled form: all that a round needs lies in memory, ready for the next one.

Handing a state with a dozen arrays and numbers to compiled code takes longer than the round itself. So it is handed
over once, without its owners (whoever packs it holds them), and read back when somebody asks for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.vectors import Sparse, row, spoiled
from .compile import inlined, saved
from .loops import glance, step
from .memory import tree

PREDICT = """(fixed, moving, t):
    self, game, X, seed, most = load(fixed)
    x = {example}
    v = {numbers}
    if spoiled(v, 0, v.shape[0], -most, most):
        return np.nan
    return loop(self, game, read(moving), x, seed, t)"""
UPDATE = """(fixed, moving, y, h, t):
    self, game, X, seed, most = load(fixed)
    x = {example}
    v = {numbers}
    if spoiled(v, 0, v.shape[0], -most, most):
        return False
    write(moving, loop(self, game, read(moving), x, y, h, seed, t))
    return True"""
PACK = """(fixed, moving, values, state):
    store(fixed, borrow(values))
    write(moving, borrow(state))"""
UNPACK = "(moving): return scalars(read(moving))"


class Packed:
    """Predict and update without a Python object in sight; the arrays of the state must stay where they are."""

    def __init__(self, values: tuple[Any, ...], state: Any) -> None:
        """`values`: parameters, game, where examples are put (a row, or sparse rows), seed, the largest number."""
        import numba

        from . import compiled_borrow

        kind: Any = numba.typeof
        load, store, size = compiled_borrow.packing(kind(values))
        read, write, room = compiled_borrow.packing(kind(state))
        self.fixed, self.moving = np.zeros(size // 8 + 1), np.zeros(room // 8 + 1)
        self.values, self.state = values, state  # the owners of the arrays
        classes = tuple(dict.fromkeys([*tree(values[0]), *tree(values[1])]))
        scope = {
            "load": load, "store": store, "read": read, "write": write, "borrow": compiled_borrow.borrow,
            "scalars": compiled_borrow.scalars, "row": row, "spoiled": spoiled, "np": np,
        }  # fmt: skip
        sparse = not isinstance(values[2], np.ndarray)
        text = {
            "example": "row(X, 0)" if sparse else "X",
            "numbers": "x.value" if sparse else "x",
        }
        types = f"{kind(values)} {kind(state)}"

        def made(loop: Any, what: str, body: str, *like: Any) -> Any:
            more = {**scope, "loop": inlined(loop, classes)} if loop else scope
            f = saved(what, body.format(**text), more, classes, types)
            signature = tuple(map(kind, like))
            f.compile(signature)  # type: ignore[attr-defined]
            return f.overloads[signature].entry_point  # type: ignore[attr-defined]  # past the dispatch

        both = self.fixed, self.moving
        pack = made(None, "pack", PACK, *both, values, state)
        self._predict = made(glance, "predict", PREDICT, *both, 0)
        self._update = made(step, "update", UPDATE, *both, 0.0, 0.0, 0)
        self._unpack = made(None, "unpack", UNPACK, self.moving)
        pack(*both, values, state)

    def predict(self, t: int) -> Any:
        """The action for the example that is there; NaN where its numbers are not as they should be."""
        return self._predict(self.fixed, self.moving, t)

    def update(self, y: float, h: float, t: int) -> Any:
        """Learn from it, unless its numbers are not as they should be: was it learned?"""
        return self._update(self.fixed, self.moving, y, h, t)

    def numbers(self) -> Any:
        """What of the state is not in its arrays, as one flat tuple."""
        return self._unpack(self.moving)

    def __deepcopy__(self, _: Any) -> None:
        """Memory of another learner is no use to a copy."""

    def __reduce__(self) -> Any:
        return (type(None), ())


def clean(v: Any, most: float) -> bool:
    """Are the numbers of an example as they should be?"""
    return not spoiled(v, 0, v.shape[0], -most, most)


def numbers(x: Any) -> Any:
    """The numbers of one example."""
    return x.value if isinstance(x, Sparse) else x
