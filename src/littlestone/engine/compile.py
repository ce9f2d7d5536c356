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
from typing import Any

from .memory import tree

PACKAGE = __name__.partition(".")[0]


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
