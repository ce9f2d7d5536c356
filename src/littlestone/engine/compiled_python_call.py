"""Calls of Python from compiled code: arrays are handed over by their addresses, under Python's lock.

    python_call(f)      a function for compiled code that calls f (see core/python_call.py)

It uses CPython's own interface alone, so that the code can be kept on disk: no address of this process is in it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils as untyped

from ..core.python_call import name_of
from .compiled_borrow import primitive
from .numba_ways import INNER

cgutils: Any = untyped
CALLER = "littlestone.core.python_call"
LONG, INT, DOUBLE = ir.IntType(64), ir.IntType(32), ir.DoubleType()
KINDS: dict[Any, str] = {types.float64: "d", types.int64: "q"}


def kind_of(ty: Any) -> str:
    """How an argument is written for `call_by_address`."""
    if isinstance(ty, types.Array) and ty.layout == "C" and ty.dtype in KINDS:
        return f"{KINDS[ty.dtype]}{ty.ndim}"
    if isinstance(ty, (types.Integer, types.Boolean)):
        return "q0"
    if ty == types.float64:
        return "d0"
    raise TypeError(f"compiled code cannot hand {ty} to Python")


def numbers_of(ctx: Any, b: Any, ty: Any, v: Any) -> list[Any]:
    """The address and the lengths of an array, or a number."""
    if isinstance(ty, types.Array):
        a = ctx.make_array(ty)(ctx, b, v)
        return [b.ptrtoint(a.data, LONG), *cgutils.unpack_tuple(b, a.shape)]
    return [v if ty == types.float64 else ctx.cast(b, v, ty, types.int64)]


@functools.cache
def python_call(f: Callable[..., float]) -> Any:
    """The function f, which is marked `runs_in_python`, for compiled code."""
    name = name_of(f)

    @primitive
    def call(context: Any, arguments: Any) -> Any:
        kinds = " ".join(kind_of(ty) for ty in arguments)

        def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
            numbers: list[Any] = []
            for i, ty in enumerate(arguments):
                numbers += numbers_of(ctx, b, ty, b.extract_value(args[0], i))
            python = ctx.get_python_api(b)
            ensure = ir.FunctionType(INT, [])
            release = ir.FunctionType(ir.VoidType(), [INT])
            state = b.call(
                cgutils.get_or_insert_function(b.module, ensure, "PyGILState_Ensure"), []
            )
            failed = cgutils.alloca_once_value(b, cgutils.true_bit)
            result = cgutils.alloca_once_value(b, DOUBLE(0.0))
            caller = python.import_module(ctx.insert_const_string(b.module, CALLER))
            with python.if_object_ok(caller):
                method = python.object_getattr_string(caller, "call_by_address")
                python.decref(caller)
                given = [
                    python.string_from_string(ctx.insert_const_string(b.module, text))
                    for text in (name, kinds)
                ] + [
                    python.float_from_double(v)
                    if v.type == DOUBLE
                    else python.long_from_longlong(v)
                    for v in numbers
                ]
                found = python.call_function_objargs(method, given)
                for v in (*given, method):
                    python.decref(v)
                with python.if_object_ok(found):
                    b.store(python.float_as_double(found), result)
                    b.store(cgutils.false_bit, failed)
                    python.decref(found)
            b.call(cgutils.get_or_insert_function(b.module, release, "PyGILState_Release"), [state])
            with b.if_then(b.load(failed), likely=False):
                ctx.call_conv.return_exc(b)
            return b.load(result)

        return types.float64(arguments), emit

    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    scope: dict[str, Any] = {"call": call}
    exec(f"def {f.__name__}({', '.join(names)}): return call(({', '.join(names)},))", scope)
    return njit(**{**INNER, "forceinline": False})(scope[f.__name__])
