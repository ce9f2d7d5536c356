"""One loop for every game, plain and compiled.

The compiled form is made of the plain one: each rule is rebound with the helpers it names replaced by compiled
ones, the loop is inlined into a one-line wrapper, and the wrapper's name carries a hash of all that the compiled code
can reach. So the next process finds it in the disk cache, and a change of a rule, a helper or a twin compiles again
what uses it, and nothing else.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from ..core.python_call import RUN_IN_PYTHON
from . import compile_clock
from .memory import classes_of, layout


def engine() -> str:
    """Which engine runs the rules: "compiled", or "plain" where Numba is missing or not wanted."""
    wanted = os.environ.get("LITTLESTONE_ENGINE") != "plain"
    return "compiled" if wanted and numba_imports() else "plain"


def has_numba() -> bool:
    """May rules be compiled: is Numba wanted, installed, and does it support this Python and NumPy?"""
    return engine() == "compiled"


@functools.cache
def numba_imports() -> bool:
    """Can Numba be imported? Only then does it say that it does not support this Python or this NumPy."""
    try:
        importlib.import_module("numba")
    except ImportError:
        return False
    from . import probe

    compile_clock.start()
    return probe.verdict() != probe.NOTHING


def ready(loop: Callable[..., Any], params: Any, game: Any, which: str) -> Callable[..., Any]:
    """The loop for one learner and game, on the engine asked for."""
    if which == "plain" or opaque(params) or opaque(game):
        return without_warnings(loop)
    return compiled(loop, classes_of(params, game))


@functools.cache
def without_warnings(loop: Callable[..., Any]) -> Callable[..., Any]:
    """The plain loop, in which numbers overflow without a warning, as in machine code: results are checked after it."""
    return np.errstate(over="ignore", invalid="ignore")(loop)


def opaque(v: Any) -> bool:
    """Does it hold functions that a user wrote in Python? Those cannot be compiled."""
    if isinstance(v, tuple):
        return getattr(type(v), "opaque", False) or any(map(opaque, v))
    return False


@functools.cache
def compiled(loop: FunctionType, classes: tuple[type, ...]) -> Callable[..., Any]:
    """The loop, compiled for the classes of one learner, its parameters and its game."""
    with compile_clock.loading():
        from . import compiled_borrow

        names = list(inspect.signature(loop).parameters)
        lent = ", ".join(f"borrow({a})" for a in names)
        scope = {
            "loop": inlined(loop),
            "borrow": compiled_borrow.borrow,
            "keep": compiled_borrow.keep,
        }
        body = f"({', '.join(names)}): return keep(loop({lent}), state)"
        return saved(loop.__name__, body, scope, classes, "")


def inlined(loop: FunctionType) -> Any:
    """The loop with compiled helpers, to become part of the compiled function that calls it."""
    import numba

    from . import twins

    methods()
    return numba.njit(inline="always", **twins.LOOP)(with_helpers(loop))


def saved(
    what: str, body: str, scope: dict[str, Any], classes: tuple[type, ...], types: str
) -> Callable[..., Any]:
    """Compile a few lines; their file is that of the first class, so that the next process finds them compiled."""
    from . import compiled_cache, compiled_errors, twins
    from .reach import fingerprint

    owner = classes[0]
    file = getattr(sys.modules[owner.__module__], "__file__", None) or "<littlestone>"
    scope = {**scope, "__name__": owner.__module__}
    exec(compile(f"def wrapper{body}", file, "exec"), scope)
    kinds = " ".join(f"{c.__module__}.{c.__qualname__}" for c in classes)
    digest = fingerprint((scope.pop("wrapper"), *classes), f"{kinds} {types} {builders()}")
    name = f"{owner.__qualname__.replace('.', '_')}_{what}_{digest[:12]}"
    exec(compile(f"def {name}{body}", file, "exec"), scope)
    made = compiled_cache.kept(scope[name], owner.__qualname__.partition(".")[0], **twins.LOOP)
    compiled_errors.explain_errors(made, classes)
    return made  # type: ignore[no-any-return]


@functools.cache
def builders() -> str:
    """The code that makes compiled functions of plain ones: another way to make them is a change, too."""
    from .reach import code_text

    made_by = (inlined, saved, inner, with_helpers, methods)
    return " ".join(code_text(inspect.unwrap(f).__code__) for f in made_by)


entries: dict[Any, Callable[..., Any]] = {}  # machine code by function and layout of arguments


def direct(loop: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The machine code for arguments of just these types, past Numba's dispatch (0.5 us an argument).

    Only for callers whose arguments never change their types, as those of a live learner.
    """
    if not hasattr(loop, "overloads"):
        return loop  # type: ignore[no-any-return]  # plain Python, perhaps without Numba
    key = loop, layout(arguments)
    found = entries.get(key)
    if found is None:
        import numba

        kind: Any = numba.typeof
        made = loop.overloads.get(tuple(map(kind, arguments)))
        if made is None:
            return loop  # type: ignore[no-any-return]
        found = entries[key] = made.entry_point
    return found


@functools.cache
def jit(f: FunctionType) -> Callable[..., Any]:
    """Compile `f` with the helpers it names, to be called from Python; `f` itself stays plain Python."""
    import numba

    from . import numba_ways, twins

    options = {**twins.OPTIONS, **numba_ways.OUTER, "no_cpython_wrapper": False}
    made: Any = numba.njit(with_helpers(f), **options)
    return numba_ways.compiles_for_target(made)  # type: ignore[no-any-return]


@functools.cache
def inner(f: FunctionType, kind: Any = None) -> Callable[..., Any]:
    """The same, to be called from compiled code alone.

    `kind` is the type whose method it is. Each has a compiled form of its own: the method of a sum of two sums calls
    the method of the same name of its parts, and Numba would take that for a function that calls itself.
    """
    import numba

    from . import twins

    made = numba.njit(with_helpers(f), **twins.INNER)
    form = getattr(f, "sparse_form", None)
    return made if form is None else twins.by_kind(made, inner(form))


def with_helpers(f: FunctionType) -> FunctionType:
    """The function again, with the compiled forms of the helpers that it names."""
    from . import twins
    from .reach import globals_in

    scope = {**f.__globals__, **{name: inner(g) for name, g in helpers(f)}}
    for name in globals_in(f.__code__):
        g: Any = scope.get(name)
        if isinstance(g, FunctionType) and g in twins.AT_ONCE:
            scope[name] = twins.AT_ONCE[g]
        elif isinstance(g, FunctionType) and g in RUN_IN_PYTHON.values():
            from .compiled_python_call import python_call

            scope[name] = python_call(g)
    made = FunctionType(f.__code__, scope, f.__name__, f.__defaults__)
    made.__dict__.update(f.__dict__)  # its marks
    return made


def helpers(f: FunctionType) -> Iterator[tuple[str, FunctionType]]:
    """The plain functions that `f` names, those of the standard library and of NumPy left out."""
    from .reach import globals_in, is_helper

    for name in globals_in(f.__code__):
        g: Any = f.__globals__.get(name)
        if is_helper(g):
            yield name, g


@functools.cache
def methods() -> None:
    """Make the public methods of NamedTuples callable in compiled code, looked up by class."""
    from . import compiled_methods

    compiled_methods.install(inner)
