"""The compiled loop over many short runs: it plays the learner's own rules, and keeps the totals of each run only.

It imports nothing above the engine: its compiled form is kept under a name that covers all that this file can reach.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..core.named_tuples import is_named_tuple
from ..core.vectors import row
from ..engine import compile as engine
from ..engine.memory import classes_of, copy
from ..games import Losses


class RunTotals(NamedTuple):
    """The totals of each run of a volley; an array without rows is not filled."""

    loss: np.ndarray  # B
    L: np.ndarray  # B x n: what each expert lost
    R: np.ndarray  # B x n: the regrets as shown, their squares, and the largest
    V: np.ndarray
    r: np.ndarray  # B
    S: np.ndarray  # B x K+1: what the best sequence with at most k shifts lost
    M: np.ndarray  # B x notes


class Desk(NamedTuple):
    """Scratch space of one thread."""

    E: np.ndarray  # T x n: the experts' losses
    F: np.ndarray  # T x n: the regrets shown, where they are not cost less loss
    best: np.ndarray  # K+1 x n: the best sequences that end in an expert


def copy_into(to: Any, of: Any) -> None:
    """Copy the numbers of `of` into the array `to`."""
    a, b = to.reshape(-1), of.reshape(-1)
    for i in range(a.shape[0]):
        a[i] = b[i]


def restart(first: Any, state: Any) -> Any:
    """Reset `state` to the first state, in its own arrays; `restarting` makes one for each kind of state."""
    return copy(first)


def runs(
    self: Any, game: Any, first: Any, state: Any, X: Any, Y: Any, room: Any, totals: Any, desk: Any,
    begin: int, end: int,
) -> int:  # fmt: skip
    """Play the runs from `begin` to `end`, each from the first state."""
    n, T = totals.L.shape[1], Y.shape[1]
    for b in range(begin, end):
        state = restart(first, state)
        loss, top = 0.0, 0.0
        for i in range(n):
            totals.L[b, i] = 0.0
            if totals.R.shape[0] > 0:
                totals.R[b, i], totals.V[b, i] = 0.0, 0.0
        for k in range(totals.S.shape[1]):
            for i in range(n):
                desk.best[k, i] = 0.0
        for t in range(T):
            x, y = row(X[b], t), row(Y[b], t)
            d = self.decide(state, x)
            a = game.act(self, d, x, 0.0, room)
            f = game.feedback(d, a, x, y, room)
            cost = game.cost(d, a, y, f)
            game.keep(f, a, x, y, desk.E, desk.F, t)
            loss += cost
            for i in range(n):
                totals.L[b, i] += desk.E[t, i]
            if totals.R.shape[0] > 0:
                for i in range(n):
                    r = desk.F[t, i] if desk.F.shape[0] > 0 else cost - desk.E[t, i]
                    totals.R[b, i] += r
                    totals.V[b, i] += r * r
                    top = max(top, abs(r))
            if totals.S.shape[1] > 0:
                extend(desk.best, desk.E, t)
            state = self.learn(state, x, d, f)
        totals.loss[b] = loss
        if totals.r.shape[0] > 0:
            totals.r[b] = top
        for k in range(totals.S.shape[1]):
            low = desk.best[k, 0]
            for i in range(1, n):
                low = min(low, desk.best[k, i])
            totals.S[b, k] = low
        if totals.M.shape[1] > 0:
            self.write_diagnostics(state, totals.M[b])
    return end - begin


def weights(self: Any, first: Any, state: Any, x: Any, Y: Any, P: Any) -> int:
    """The decision after each of many sequences of losses (B x T x n), which may lie beyond the usual interval."""
    for b in range(P.shape[0]):
        state = restart(first, state)
        for t in range(Y.shape[1]):
            d = self.decide(state, x)
            state = self.learn(state, x, d, Losses(Y[b, t], 0.0))
        d = self.decide(state, x)
        for i in range(P.shape[1]):
            P[b, i] = d[i]
    return len(P)


def extend(best: Any, E: Any, t: int) -> None:
    """Extend the best sequences with at most k shifts, by their last expert, by round t."""
    K, n = best.shape[0] - 1, best.shape[1]
    for j in range(K):
        k = K - j
        low = best[k - 1, 0]
        for i in range(1, n):
            low = min(low, best[k - 1, i])
        for i in range(n):
            best[k, i] = E[t, i] + min(best[k, i], low)
    for i in range(n):
        best[0, i] += E[t, i]


def restarting(state: Any) -> Any:
    """Make `restart` for states like this one: it writes over the arrays, and resets the numbers."""
    classes: dict[str, type] = {}
    lines: list[str] = []

    def text(v: Any, name: str) -> str:
        if isinstance(v, np.ndarray):
            lines.append(f"    put(state{name}, first{name})")
            return f"state{name}"
        if is_named_tuple(v):
            word = f"C{len(classes)}"
            classes[word] = type(v)
            return f"{word}({', '.join(text(part, f'{name}[{i}]') for i, part in enumerate(v))})"
        return f"first{name}"

    made = text(state, "")
    scope: dict[str, Any] = {**classes, "put": copy_into, "__name__": __name__}
    exec("\n".join(["def restart(first, state):", *lines, f"    return {made}"]), scope)
    return engine.jit(scope["restart"])


LOOPS: dict[Any, Any] = {}  # compiled in this process


def compile_many(loop: Any, params: Any, game: Any, first: Any) -> Any:
    """A loop for one learner and game; the next process finds it on disk."""
    classes = kinds_of(params, game, first)
    if (loop, classes) not in LOOPS:
        scope = {**loop.__globals__, "restart": restarting(first)}
        code: Any = FunctionType(loop.__code__, scope, loop.__name__)
        names = loop.__code__.co_varnames[: loop.__code__.co_argcount]
        # imported here, since it imports numba, which not every process needs
        from ..engine import compiled_borrow

        lent = ", ".join(f"borrow({a})" for a in names)
        inner = {"loop": engine.inlined(code), "borrow": compiled_borrow.borrow}
        body = f"({', '.join(names)}): return loop({lent})"
        LOOPS[loop, classes] = engine.saved(f"many_{loop.__name__}", body, inner, classes, "")
    return LOOPS[loop, classes]


def kinds_of(params: Any, game: Any, first: Any) -> tuple[type, ...]:
    """The classes that compiled code is made for."""
    parts = [*classes_of(params, game, first), RunTotals]
    return tuple(dict.fromkeys(parts))
