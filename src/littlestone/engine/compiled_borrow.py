"""Arrays without an owner: inside a compiled loop nothing is reference counted.

The caller of a loop holds every array that the loop works on, so counting references in each round is waste (it
cost more than the mathematics at n = 8). `borrow` hands the arrays in without their owners. `keep` sees to it that
every array that comes back has an owner: it is the array that was handed in, or one that a rule made, or else a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils as untyped
from numba.extending import intrinsic, overload

from .numba_ways import INNER


def primitive(f: Callable[..., Any]) -> Any:
    """Numba's intrinsic, typed as what it is: a function for compiled code."""
    made: Any = intrinsic
    return made(f)


cgutils: Any = untyped
LONG, DOUBLE = ir.IntType(64), ir.DoubleType()
SHORT, BYTES = ir.IntType(32), ir.IntType(8).as_pointer()


def map_arrays(ctx: Any, b: Any, ty: Any, v: Any, change: Callable[[Any, Any], Any]) -> Any:
    """The same tree of values, with `change` applied to each array in it."""
    if isinstance(ty, types.Array):
        return change(ty, v)
    if isinstance(ty, types.BaseTuple):
        kinds: Any = ty
        parts = [map_arrays(ctx, b, t, b.extract_value(v, i), change) for i, t in enumerate(kinds)]
        return ctx.make_tuple(b, ty, parts)
    return v


@primitive
def borrow(context: Any, value: Any) -> Any:
    """The same value, whose arrays have no owner."""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        def strip(ty: Any, v: Any) -> Any:
            a = ctx.make_array(ty)(ctx, b, v)
            a.meminfo = cgutils.get_null_value(a.meminfo.type)
            a.parent = cgutils.get_null_value(a.parent.type)
            return a._getvalue()

        return map_arrays(ctx, b, sig.args[0], args[0], strip)

    return value(value), emit


@primitive
def constant(context: Any, row: Any) -> Any:
    """The same array, of the type of those that cannot be written."""
    return row.copy(readonly=True)(row), lambda ctx, b, sig, args: args[0]


@primitive
def piece(context: Any, row: Any, at: Any, size: Any) -> Any:
    """A part of a row, without an owner, and unchecked: to check that it lies inside costs more than a short part."""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        # Here: it takes 20 ms, and a process that finds its code on disk does not need it.
        from numba.np import arrayobj

        arrays: Any = arrayobj
        whole = ctx.make_array(sig.args[0])(ctx, b, args[0])
        part = ctx.make_array(sig.return_type)(ctx, b)
        arrays.populate_array(
            part,
            data=b.gep(whole.data, [args[1]]),
            shape=[args[2]],
            strides=[whole.itemsize],
            itemsize=whole.itemsize,
            meminfo=None,
        )
        return part._getvalue()

    return row(row, types.int64, types.int64), emit


def prefetch(near: int) -> Any:
    """Ask memory for A[at] ahead of its use. It may lie behind the end, since nothing is read."""

    @primitive
    def call(context: Any, A: Any, at: Any) -> Any:
        def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
            array = ctx.make_array(sig.args[0])(ctx, b, args[0])
            step = b.extract_value(array.strides, 0)
            place = b.gep(b.bitcast(array.data, BYTES), [b.mul(args[1], step)])
            kind = ir.FunctionType(ir.VoidType(), [BYTES, SHORT, SHORT, SHORT])
            call = b.module.declare_intrinsic("llvm.prefetch", [BYTES], kind)
            b.call(call, [place, SHORT(0), SHORT(near), SHORT(1)])  # to read, how near, and data
            return ctx.get_dummy_value()

        return types.void(A, types.int64), emit

    return call


# Into the nearest cache, and into the one behind it: of the nearest few requests can be open at a time, and where a
# state is larger than all caches, the numbers that a round needs at once wait behind those (perceptron, 30 of 2^18
# features: 199 ns a row with `fetch_early`, 288 with `fetch`).
fetch, fetch_early = prefetch(3), prefetch(2)


@njit(**{**INNER, "forceinline": False})  # type: ignore[untyped-decorator]
def copy_array(a: Any) -> Any:
    """An array that shares no memory with the one given."""
    return a.copy()


copied_type: Any = types.Dispatcher(copy_array)


def together(context: Any, new: Any, old: Any) -> Any:
    """The type of a value that is `new`, or `old` where an array of the two is the same."""
    if isinstance(new, types.Array):
        return context.unify_types(new, old)
    if isinstance(new, types.BaseTuple):
        kinds: Any = new
        parts = [together(context, *pair) for pair in zip(kinds, old, strict=True)]
        of: Any = types.BaseTuple
        return of.from_types(parts, getattr(new, "instance_class", None))
    return new


def copies(context: Any, kind: Any) -> dict[Any, Any]:
    """For each type of array in a value, the signature of the function that copies it."""
    if isinstance(kind, types.Array):
        return {kind: copied_type.get_call_type(context, (kind,), {})}
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        return {k: v for part in parts for k, v in copies(context, part).items()}
    return {}


@primitive
def keep(context: Any, new: Any, old: Any) -> Any:
    """`new`, each of its arrays with an owner; `old` is what was handed in."""
    kind = together(context, new, old)
    signatures = copies(context, kind)

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        def array(ty: Any, v: Any, w: Any) -> Any:
            mine, theirs = (ctx.make_array(ty)(ctx, b, a) for a in (v, w))
            room = cgutils.alloca_once_value(b, w)
            alike = b.icmp_unsigned("==", mine.data, theirs.data)
            alike = b.and_(alike, b.icmp_unsigned("==", mine.nitems, theirs.nitems))
            with b.if_else(alike) as (same, other):
                with same:
                    ctx.nrt.incref(b, ty, w)
                with other, b.if_else(cgutils.is_not_null(b, mine.meminfo)) as (owned, lent):
                    with owned:
                        ctx.nrt.incref(b, ty, v)
                        b.store(v, room)
                    with lent:
                        how = signatures[ty]
                        made = ctx.get_function(copied_type, how)(b, (v,))
                        b.store(ctx.cast(b, made, how.return_type, ty), room)
            return b.load(room)

        def kept(ty: Any, v: Any, kinds: Any, w: Any, others: Any) -> Any:
            if isinstance(ty, types.Array):
                return array(ty, ctx.cast(b, v, kinds, ty), ctx.cast(b, w, others, ty))
            if isinstance(ty, types.BaseTuple):
                tree: Any = zip(ty, kinds, others, strict=True)  # type: ignore[call-overload]
                parts = [
                    kept(t, b.extract_value(v, i), k, b.extract_value(w, i), o)
                    for i, (t, k, o) in enumerate(tree)
                ]
                return ctx.make_tuple(b, ty, parts)
            return v

        return kept(sig.return_type, args[0], sig.args[0], args[1], sig.args[1])

    return kind(new, old), emit


def packing(kind: Any) -> tuple[Any, Any, int]:
    """Functions that read and write a value of this type in memory, its arrays without an owner; and its size."""
    from numba.core.registry import cpu_target

    ctx: Any = cpu_target.target_context
    size = int(ctx.get_abi_sizeof(ctx.get_value_type(kind)))

    def place(ctx: Any, b: Any, ty: Any, memory: Any) -> Any:
        data = ctx.make_array(ty)(ctx, b, memory).data
        return b.bitcast(data, ctx.get_value_type(kind).as_pointer())

    @primitive
    def load(context: Any, memory: Any) -> Any:
        def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
            return b.load(place(ctx, b, sig.args[0], args[0]))

        return kind(memory), emit

    @primitive
    def store(context: Any, memory: Any, value: Any) -> Any:
        def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
            b.store(args[1], place(ctx, b, sig.args[0], args[0]))
            return ctx.get_dummy_value()

        return types.void(memory, kind), emit

    return load, store, size


def scalars(new: Any) -> Any:
    """The numbers of a state that are not in arrays, in one flat tuple."""


def _scalars(new: Any) -> Any:
    def places(kind: Any, name: str) -> Any:
        if isinstance(kind, types.Array):
            return []
        if isinstance(kind, types.BaseTuple):
            parts: Any = kind
            return [p for i in range(len(parts)) for p in places(parts[i], f"{name}[{i}]")]
        return [name]

    scope: dict[str, Any] = {}
    found = places(new, "new")
    exec(f"def give(new): return ({', '.join(found)}{',' if found else ''})", scope)
    return scope["give"]


_scalars.__annotations__ = {}
overload(scalars, jit_options=INNER)(_scalars)


@primitive
def bits(context: Any, x: Any) -> Any:
    """The bits of a double, as an integer."""
    return types.int64(types.float64), lambda ctx, b, sig, args: b.bitcast(args[0], LONG)


@primitive
def unbits(context: Any, k: Any) -> Any:
    """The double that has these bits."""
    return types.float64(types.int64), lambda ctx, b, sig, args: b.bitcast(args[0], DOUBLE)


# x = fraction * 2^exponent, with a fraction from sqrt(1/2) to sqrt(2): what is above the bits of sqrt(1/2) is exponent
ROOT, ABOVE = 0x3FE6A09E00000000, -1 << 52


def parted(b: Any, whole: Any, bits_: Any, constant: Callable[[int], Any]) -> Any:
    """The bits of the fraction, and the exponent, of numbers that have the bits `bits_`."""
    over = b.sub(bits_, constant(ROOT))
    return b.sub(bits_, b.and_(over, constant(ABOVE))), b.sitofp(b.ashr(over, constant(52)), whole)


@primitive
def fraction(context: Any, x: Any) -> Any:
    """The fraction of x, from sqrt(1/2) to sqrt(2)."""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        low, _ = parted(b, DOUBLE, b.bitcast(args[0], LONG), LONG)
        return b.bitcast(low, DOUBLE)

    return types.float64(types.float64), emit


@primitive
def exponent(context: Any, x: Any) -> Any:
    """The exponent of x, as a double."""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        return parted(b, DOUBLE, b.bitcast(args[0], LONG), LONG)[1]

    return types.float64(types.float64), emit


def extreme(name: str) -> Any:
    """The minimum or maximum that LLVM can vectorise without being promised that there is no NaN."""

    @primitive
    def call(context: Any, x: Any, y: Any) -> Any:
        def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
            kind = ir.FunctionType(DOUBLE, [DOUBLE, DOUBLE])
            return b.call(b.module.declare_intrinsic(name, [DOUBLE], kind), args)

        return types.float64(types.float64, types.float64), emit

    return call


minimum, maximum = extreme("llvm.minimum"), extreme("llvm.maximum")
