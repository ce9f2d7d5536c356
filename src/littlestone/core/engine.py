"""One loop for every game, plain and compiled.

The compiled form is made of the plain one: each rule is rebound with the helpers it names replaced by compiled
ones, the loop is inlined into a one-line wrapper whose file is the learner's own, and the wrapper's name carries
a hash of the source bytes of every module that the rules can reach. So the disk cache is found by the next
process, and a change of a rule, a helper or a twin recompiles whatever imports it.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from .numeric import uniform
from .outcome import Outcome
from .vectors import BLOCK, foresee, read, row, spoiled, start, write

PACKAGE = __name__.partition(".")[0]


class Out(NamedTuple):
    """What a loop writes down; an array of no rows is not written."""

    A: np.ndarray  # T: actions
    C: np.ndarray  # T: costs, expected where the game draws; NaN where the world gave no answer
    P: np.ndarray  # T: what the drawn action cost; nothing is drawn where there are no rows
    E: np.ndarray  # T x n: the experts' losses
    F: np.ndarray  # T x n: the regrets shown, where they are not cost less loss
    W: np.ndarray  # the decisions of every `every`-th round
    M: np.ndarray  # the learner's notes after every `mark`-th round


def rounds(
    self: Any,
    game: Any,
    state: Any,
    X: Any,
    Y: Any,
    Z: Any,
    out: Any,
    room: Any,
    seed: int,
    t0: int,
    learn: bool,
    every: int,
    mark: int,
    low: float,
    high: float,
) -> Any:
    """Play the rounds of X and Y, as many as `out` has room for, from `state`; they are numbered from t0.

    Z (the numbers of X, or of Y where there is no X, in one row) is checked a block ahead: at the first block with
    an entry that is not in [low, high] the loop stops and says where in `room.stop`. No check where low > high.
    """
    w, m, write_at, note_at, check_at = 0, 0, -1, -1, -1
    T = out.A.shape[0]
    n = Z.shape[0] // max(1, T)
    block = max(1, BLOCK // max(1, n))
    if low <= high:
        check_at = 0
    if every > 0:
        write_at = (every - t0 % every) % every
    if mark > 0:
        note_at = mark - 1 - t0 % mark
    for t in range(T):
        if t == check_at:
            if spoiled(Z, start(X, t, n), start(X, t + block, n), low, high):
                room.stop[0] = t
                return state
            check_at += block
        x, y = row(X, t), row(Y, t)
        foresee(self, state, X, t + 1)
        d = self.decide(state, x)  # the learner decides
        u = uniform(seed, t0 + t, 0) if out.P.shape[0] > 0 else 0.0  # drawn only where it is wanted
        a = game.act(self, d, x, u, room)  # the game acts on it
        out.A[t] = a
        room.last[0] = a
        if t == write_at:
            write(out.W, w, d)
            w, write_at = w + 1, write_at + every
        if learn:
            if game.known(y):
                f = game.show(d, a, x, y, room)  # the world answers
                out.C[t] = game.cost(d, a, y, f)
                if out.P.shape[0] > 0:
                    out.P[t] = game.paid(a, y)
                if out.E.shape[0] > 0:
                    game.keep(f, a, x, y, out.E, out.F, t)
                state = self.learn(state, x, d, f)  # the learner learns
            else:
                out.C[t] = np.nan
            if t == note_at:
                self.note(state, out.M[m])
                m, note_at = m + 1, note_at + mark
    return state


def delayed(
    self: Any,
    game: Any,
    state: Any,
    X: Any,
    Y: Any,
    out: Any,
    room: Any,
    seed: int,
    t0: int,
    begin: int,
    D: Any,
    A: Any,
    first: Any,
    who: Any,
    every: int,
    mark: int,
) -> Any:
    """The same, when outcomes arrive late, in any order or never, and there is one copy of the learner.

    X and Y begin with `begin` rows of rounds before t0 that may still be learned from; D and A have room for the
    decision and the action of each row. When round t is over, the rows who[first[t]], …, who[first[t + 1] - 1] are
    answered, in this order.
    """
    w, m = 0, 0
    for t in range(out.A.shape[0]):
        r, now = begin + t, t0 + t
        x, y = row(X, r), row(Y, r)
        d = self.decide(state, x)
        u = uniform(seed, now, 0) if out.P.shape[0] > 0 else 0.0
        a = game.act(self, d, x, u, room)
        out.A[t] = a
        room.last[0] = a
        write(D, r, d)
        A[r] = a
        if every > 0 and now % every == 0:
            write(out.W, w, d)
            w += 1
        if game.known(y):  # the world's books, not yet shown
            f = game.show(d, a, x, y, room)
            out.C[t] = game.cost(d, a, y, f)
            if out.P.shape[0] > 0:
                out.P[t] = game.paid(a, y)
            if out.E.shape[0] > 0:
                game.keep(f, a, x, y, out.E, out.F, t)
        else:
            out.C[t] = np.nan
        for k in range(first[t], first[t + 1]):  # earlier rounds are answered
            r = who[k]
            x, y, then, a = row(X, r), row(Y, r), read(D, r, d), A[r]
            if game.known(y):
                state = self.learn(state, x, then, game.show(then, a, x, y, room))
        if mark > 0 and (now + 1) % mark == 0:
            self.note(state, out.M[m])
            m += 1
    return state


def answered(
    self: Any, game: Any, state: Any, X: Any, Y: Any, D: Any, A: Any, who: Any, like: Any, room: Any
) -> Any:
    """The outcomes of the rows `who` arrive, and no round is played; `like` is a decision of the same kind."""
    for k in range(who.shape[0]):
        r = who[k]
        x, y, then, a = row(X, r), row(Y, r), read(D, r, like), A[r]
        if game.known(y):
            state = self.learn(state, x, then, game.show(then, a, x, y, room))
    return state


def glance(self: Any, game: Any, state: Any, x: Any, seed: int, t: int) -> Any:
    """The action for one example, and nothing else."""
    d = self.decide(state, x)
    return game.act(self, d, x, uniform(seed, t, 0), 0.0)


def step(self: Any, game: Any, state: Any, x: Any, y: float, h: float, seed: int, t: int) -> Any:
    """One round with one example, for games that need no scratch space."""
    told = Outcome(y, h)
    if game.known(told):
        d = self.decide(state, x)
        a = game.act(self, d, x, uniform(seed, t, 0), 0.0)
        state = self.learn(state, x, d, game.show(d, a, x, told, 0.0))
    return state


def engine() -> str:
    """Which engine runs the rules: "compiled", or "plain" where Numba is missing or not wanted."""
    return "compiled" if has_numba() else "plain"


def has_numba() -> bool:
    """May rules be compiled: is Numba wanted, installed, and at home in this Python and NumPy?"""
    return os.environ.get("LITTLESTONE_ENGINE") != "plain" and numba_imports()


@functools.cache
def numba_imports() -> bool:
    """Missing is one thing; that it supports no such Python, or no such NumPy, it says only when it is imported."""
    try:
        importlib.import_module("numba")
    except ImportError:
        return False
    return True


def ready(loop: Callable[..., Any], params: Any, game: Any, which: str) -> Callable[..., Any]:
    """The loop for one learner and game, on the engine asked for."""
    if which == "plain" or opaque(params) or opaque(game):
        return loop
    return compiled(loop, tuple(dict.fromkeys([*tree(params), *tree(game)])))


def opaque(v: Any) -> bool:
    """Does it hold functions that a user wrote in Python, which nobody can compile?"""
    return any(getattr(c, "opaque", False) for c in tree(v))


@functools.cache
def compiled(loop: FunctionType, classes: tuple[type, ...]) -> Callable[..., Any]:
    """The loop, compiled for the classes of one learner, its parameters and its game."""
    from . import compiled_borrow

    names = list(inspect.signature(loop).parameters)
    lent = ", ".join(f"borrow({a})" for a in names)
    scope = {
        "loop": inlined(loop, classes),
        "borrow": compiled_borrow.borrow,
        "keep": compiled_borrow.keep,
    }
    body = f"({', '.join(names)}): return keep(loop({lent}), state)"
    return saved(loop.__name__, body, scope, classes, "")


def inlined(loop: FunctionType, classes: tuple[type, ...]) -> Any:
    """The loop with compiled helpers, to be part of another compiled function."""
    import numba

    from . import twins

    for c in classes:
        methods(c)
    scope = {**loop.__globals__, **{n: jit(g) for n, g in helpers(loop)}}
    code = FunctionType(loop.__code__, scope, loop.__name__)
    return numba.njit(inline="always", **twins.LOOP)(code)


def saved(
    what: str, body: str, scope: dict[str, Any], classes: tuple[type, ...], types: str
) -> Callable[..., Any]:
    """Compile a few lines; their file is that of the first class, so that the next process finds them compiled."""
    import numba

    from . import twins

    # One name a signature: two processes that save two signatures under one name may each get the other's code
    # (Numba numbers the files of a name as it goes), so the classes, which make the signature, are part of it.
    digest = hashlib.sha256(" ".join(f"{c.__module__}.{c.__qualname__}" for c in classes).encode())
    digest.update(types.encode())
    for module in sources(classes):
        digest.update(module.encode() + b"\0" + source_bytes(module))
    owner = classes[0]
    file = getattr(sys.modules[owner.__module__], "__file__", None)
    name = f"{owner.__qualname__.replace('.', '_')}_{what}_{digest.hexdigest()[:12]}"
    scope = {**scope, "__name__": owner.__module__}
    exec(compile(f"def {name}{body}", file or "<littlestone>", "exec"), scope)
    if file is not None:
        try:
            return numba.njit(cache=True, **twins.LOOP)(scope[name])  # type: ignore[no-any-return]
        except RuntimeError:  # no directory that a cache could be written to: compile without one
            pass
    return numba.njit(**twins.LOOP)(scope[name])  # type: ignore[no-any-return]


def direct(loop: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The machine code for arguments of just these types, past Numba's dispatch (0.5 us an argument).

    Only for callers whose arguments never change their types, as those of a live learner.
    """
    if not hasattr(loop, "overloads"):
        return loop  # type: ignore[no-any-return]  # plain Python, perhaps without Numba
    import numba

    kind: Any = numba.typeof
    found = loop.overloads.get(tuple(map(kind, arguments)))
    return loop if found is None else found.entry_point  # type: ignore[no-any-return]


@functools.cache
def jit(f: FunctionType, kind: Any = None) -> Callable[..., Any]:
    """Compile `f` with the helpers it names; `f` itself stays plain Python.

    One for each `kind` that it is a method of: a sum of sums calls its own method, on another type.
    """
    import numba

    from . import twins

    scope = {**f.__globals__, **{n: jit(g) for n, g in helpers(f)}}
    return numba.njit(  # type: ignore[no-any-return]
        FunctionType(f.__code__, scope, f.__name__, f.__defaults__), **twins.OPTIONS
    )


def helpers(f: FunctionType) -> Iterator[tuple[str, FunctionType]]:
    """The plain functions that `f` names, those of the standard library and of NumPy left out."""

    def names(code: CodeType) -> Iterator[str]:
        # not co_names: that lists attributes too, and f.own is no call of a function `own`
        yield from (i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL")
        for c in code.co_consts:
            if isinstance(c, CodeType):
                yield from names(c)

    for name in sorted(set(names(f.__code__))):
        g = f.__globals__.get(name)
        if isinstance(g, FunctionType) and ours(g.__module__) and not hasattr(g, "twinned"):
            yield name, g


installed: set[str] = set()


def methods(cls: type) -> None:
    """Make the public methods of a NamedTuple class callable in compiled code, looked up by class."""
    from numba import extending, types

    from . import twins

    overload: Any = extending.overload_method
    for name, f in list(vars(cls).items()):
        if not isinstance(f, FunctionType) or name.startswith("_") or name in installed:
            continue
        installed.add(name)

        def find(obj: Any, *args: Any, name: str = name) -> Any:
            f = getattr(obj.instance_class, name, None)
            if f is None:
                return None
            rule = jit(f, obj)
            return lambda obj, *args: rule(obj, *args)

        scope: dict[str, Any] = {"find": find}
        exec("def typed(obj, *args): return find(obj, *args)", scope)
        for kind in (types.NamedTuple, types.NamedUniTuple):
            overload(kind, name, jit_options=twins.OPTIONS, inline=twins.INLINE)(scope["typed"])


def rebuilt(state: Any) -> Callable[[Any, Any], Any]:
    """How to make the next state of the arrays of this one and of a flat tuple of its other numbers."""
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


def tree(v: Any) -> Iterator[type]:
    """The NamedTuple classes that a value is made of."""
    if hasattr(v, "_fields"):
        yield type(v)
    if isinstance(v, tuple):
        for part in v:
            yield from tree(part)


def sources(classes: tuple[type, ...]) -> list[str]:
    """Every module that the classes reach by import, within this package and theirs."""
    seen: set[str] = set()
    todo = {c.__module__ for c in classes} | {__name__, f"{__package__}.twins"}
    while todo:
        name = todo.pop()
        if name in seen or not ours(name):
            continue
        seen.add(name)
        for v in vars(sys.modules[name]).values():
            todo.add(
                v.__name__ if isinstance(v, ModuleType) else getattr(v, "__module__", None) or ""
            )
    return sorted(seen)


@functools.cache
def ours(module: str | None) -> bool:
    """Is this code whose change must recompile: the package's, or that of whoever wrote the learner?"""
    if not module or module not in sys.modules:
        return False
    if module.partition(".")[0] == PACKAGE:
        return True
    file = getattr(sys.modules[module], "__file__", None)
    if file is None:
        return module == "__main__"
    return "site-packages" not in file and not file.startswith(os.path.dirname(os.__file__))


@functools.cache
def source_bytes(module: str) -> bytes:
    file = getattr(sys.modules[module], "__file__", None)
    if file is None or not file.endswith(".py"):
        return b""
    with open(file, "rb") as source:
        return source.read()


def read_only(v: Any) -> Any:
    """The same arrays, not to be written into: rules that try do not compile."""
    if isinstance(v, np.ndarray):
        v = v.view()
        v.flags.writeable = False
        return v
    return type(v)(*map(read_only, v)) if hasattr(v, "_fields") else v


def spaced(v: Any) -> Any:
    """A state whose arrays have memory of their own, 256 bytes clear of anything else.

    LLVM asks at run time whether two arrays lie close together, and takes the scalar path if so; that is slower, and
    rounds differently, so that chunks would stop being equal to the whole run bit for bit.
    """
    if isinstance(v, np.ndarray):
        gap = 256
        raw = np.zeros(v.nbytes + 2 * gap + 64, np.uint8)
        start = gap + (-raw.ctypes.data - gap) % 64
        apart = raw[start : start + v.nbytes].view(v.dtype).reshape(v.shape)
        apart[...] = v
        return apart
    return type(v)(*map(spaced, v)) if hasattr(v, "_fields") else v


def copy(v: Any) -> Any:
    """A state that shares no array with the one given."""
    if isinstance(v, np.ndarray):
        return spaced(v)
    return type(v)(*map(copy, v)) if hasattr(v, "_fields") else v
