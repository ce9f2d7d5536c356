"""The loop over many keys: each has a state of its own, and the states lie stacked in a few arrays.

A state is a tree of NamedTuples with arrays and numbers. Stacked, each array of m numbers is a matrix with a row of m
numbers a key, and each number is an array with one entry a key. The compiled loop lifts the state of a key off the
stack into one state in memory, plays the rounds of the key with the very loop that plays them alone (`loops.rounds`),
and lays the new state back. So a key costs no call from Python, and no bit differs from a run of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.named_tuples import is_named_tuple
from ..core.vectors import Constant
from .compile import compiled, inner, saved
from .loops import play_rounds
from .memory import classes_of, layout

NUMBERS = {float: np.float64, int: np.int64}
BODY = """(self, game, state, stack, X, Y, Z, out, room, first, stops, seed, low, high):
    n = Z.shape[0] // max(1, first[-1])
    for k in range(first.shape[0] - 1):
        a, b = first[k], first[k + 1]
        {lift}
        room.last[:] = np.nan
        room.stop[0] = -1.0
        new = loop(
            self, game, {state}, {X}, {Y}, Z[a * n : b * n], {out}, room, seed, 0, 1, 0, 0, low, high
        )
        same = True
        {lay}
        stops[k] = room.stop[0] if same else 0.0"""


def stackable(state: Any) -> bool:
    """Is a state made of NamedTuples, arrays of numbers and numbers alone?"""
    if isinstance(state, np.ndarray):
        return not state.dtype.hasobject
    if is_named_tuple(state):
        return all(map(stackable, state))
    return type(state) in NUMBERS


def leaves(v: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The arrays and numbers of a value, each with the text that finds it."""
    if is_named_tuple(v):
        for i, part in enumerate(v):
            yield from leaves(part, f"{name}[{i}]")
    else:
        yield name, v


def stack_states(state: Any, keys: int) -> tuple[Any, ...]:
    """As many states as there are keys, all equal to this one."""
    found = []
    for _, v in leaves(state, ""):
        if isinstance(v, np.ndarray):
            rows: Any = np.empty((keys, v.size), v.dtype)
            rows[:] = v.reshape(-1)
        else:
            rows = np.full(keys, v, NUMBERS[type(v)])
        found.append(rows)
    return tuple(found)


def unstack_state(stack: tuple[Any, ...], k: int, like: Any) -> Any:
    """The state of one key, its arrays its own."""
    rows = iter(stack)

    def made(v: Any) -> Any:
        if is_named_tuple(v):
            return type(v)(*map(made, v))
        own = next(rows)[k]
        return own.reshape(v.shape).copy() if isinstance(v, np.ndarray) else type(v)(own)

    return made(like)


def lift(rows: Any, k: int, a: Any) -> None:
    """Copy row k of the stack into an array of the state."""
    v = a.reshape(-1)
    for i in range(v.shape[0]):
        v[i] = rows[k, i]


def lay(rows: Any, k: int, a: Any) -> bool:
    """Copy an array of the state into row k of the stack; False where it has grown or shrunk."""
    v = a.reshape(-1)
    if v.shape[0] != rows.shape[1]:
        return False
    for i in range(v.shape[0]):
        rows[k, i] = v[i]
    return True


class Written:
    """The text of the loop for states and rounds of one layout, and the classes that it names."""

    def __init__(self, state: Any, X: Any, Y: Any, out: Any) -> None:
        self.classes: dict[str, type] = {}
        lifted, laid = [], []
        self.at: dict[str, int] = {}  # where in the stack a leaf of the state lies
        for place, (name, v) in enumerate(leaves(state, "state")):
            new = "new" + name.removeprefix("state")
            if isinstance(v, np.ndarray):
                lifted.append(f"lift(stack[{place}], k, {name})")
                laid.append(f"same = lay(stack[{place}], k, {new}) and same")
            else:
                laid.append(f"stack[{place}][k] = {new}")
            self.at[name] = place
        line = "\n        "
        self.text = BODY.format(
            lift=line.join(lifted) or "pass",
            lay=line.join(laid) or "pass",
            state=self.made(state, "state", self.leaf),
            X=self.made(X, "X", self.part),
            Y=self.made(Y, "Y", self.part),
            out=self.made(out, "out", self.part),
        )

    def made(self, v: Any, name: str, leaf: Callable[[Any, str], str]) -> str:
        """The text that makes a value of the same tree, of the text for each of its leaves."""
        if not is_named_tuple(v):
            return leaf(v, name)
        parts = [self.made(part, f"{name}[{i}]", leaf) for i, part in enumerate(v)]
        if isinstance(v, Constant):  # its other parts are buffers for one row
            parts[1:] = [f"{name}[1]", f"{name}[2]"]
        kind = f"C{len(self.classes)}"
        self.classes[kind] = type(v)
        return f"{kind}({', '.join(parts)})"

    def leaf(self, v: Any, name: str) -> str:
        """A leaf of a state: an array that was filled, or the key's own number."""
        if isinstance(v, np.ndarray):
            return name
        return f"{type(v).__name__}(stack[{self.at[name]}][k])"

    def part(self, v: Any, name: str) -> str:
        """The rows of one key; an array without rows stays as it is."""
        return f"{name}[a:b]" if len(v) else name


loops: dict[Any, Callable[..., Any]] = {}  # by engine, classes and layout


def keyed_loop(
    params: Any, game: Any, state: Any, X: Any, Y: Any, out: Any, engine: str
) -> Callable[..., Any]:
    """The loop over keys on the engine asked for, for a learner, its game, and values of these layouts."""
    classes = classes_of(params, game)
    written = tuple(len(v) > 0 for v in out)
    key = engine, classes, layout((state, X, Y, out)), written
    found = loops.get(key)
    if found is None:
        text = Written(state, X, Y, out)
        scope: dict[str, Any] = {**text.classes, "np": np}
        if engine == "plain":
            scope |= {"lift": lift, "lay": lay, "loop": play_rounds}
            exec(f"def keyed{text.text}", scope)
            found = scope["keyed"]
        else:
            scope |= {
                "lift": inner(lift),
                "lay": inner(lay),
                "loop": compiled(play_rounds, classes),
            }
            kinds = " ".join(f"{c.__module__}.{c.__qualname__}" for c in text.classes.values())
            found = saved("keyed", text.text, scope, classes, kinds)
        loops[key] = found
    return found
