"""Four numbers side by side, as a type of Numba's: LLVM's vector of four doubles."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import extending as numba_extending
from numba import types
from numba.core import cgutils as untyped
from numba.core.typing import templates

from .compiled_borrow import LONG, SHORT, parted, primitive

cgutils: Any = untyped
template: Any = templates
kinds: Any = types
extending: Any = numba_extending
DOUBLES = ir.VectorType(ir.DoubleType(), 4)
LONGS = ir.VectorType(LONG, 4)


class Lanes(types.Type):
    """The type of four numbers side by side."""

    def __init__(self) -> None:
        super().__init__("Lanes")


LANES = Lanes()


@extending.register_model(Lanes)
class LanesModel(extending.models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, DOUBLES)


def spread(b: Any, kind: Any, v: Any) -> Any:
    """A single number, four times."""
    if isinstance(kind, Lanes):
        return v
    return together(b, [v] * 4)


def together(b: Any, numbers: Any) -> Any:
    """Four numbers, put side by side."""
    wide = ir.Constant(DOUBLES, ir.Undefined)
    for i, v in enumerate(numbers):
        wide = b.insert_element(wide, v, ir.Constant(ir.IntType(32), i))
    return wide


def operation(symbol: Any, name: str) -> None:
    """Type and emit one of + - * /, between two lanes, or between lanes and a number."""

    @template.infer_global(symbol)
    class Typed(template.AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            if any(isinstance(a, Lanes) for a in args) and all(
                isinstance(a, (Lanes, types.Number)) for a in args
            ):
                kinds = [a if isinstance(a, Lanes) else types.float64 for a in args]
                return template.signature(LANES, *kinds)
            return None

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        left, right = (spread(b, kind, v) for kind, v in zip(sig.args, args, strict=True))
        return getattr(b, name)(left, right)

    for kinds in ((Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)):
        extending.lower_builtin(symbol, *kinds)(emit)


for symbol, name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    operation(symbol, name)


@primitive
def lanes(context: Any, w: Any, x: Any, y: Any, z: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        return together(b, args)

    return LANES(*[types.float64] * 4), emit


def address(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
    """The address of A[i, j], or v[k], as that of four numbers."""
    array = ctx.make_array(sig.args[0])(ctx, b, args[0])
    at = cgutils.get_item_pointer(ctx, b, sig.args[0], array, args[1 : 1 + sig.args[0].ndim])
    return b.bitcast(at, DOUBLES.as_pointer())


@primitive
def four(context: Any, A: Any, i: Any, j: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        return b.load(address(ctx, b, sig, args), align=8)

    return LANES(A, types.intp, types.intp), emit


@primitive
def put(context: Any, A: Any, i: Any, j: Any, v: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        b.store(args[3], address(ctx, b, sig, args), align=8)
        return ctx.get_dummy_value()

    return types.void(A, types.intp, types.intp, LANES), emit


@primitive
def values(context: Any, v: Any, k: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        return b.load(address(ctx, b, sig, args), align=8)

    return LANES(v, types.intp), emit


@primitive
def put_values(context: Any, v: Any, k: Any, new: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        b.store(args[2], address(ctx, b, sig, args), align=8)
        return ctx.get_dummy_value()

    return types.void(v, types.intp, LANES), emit


def turned(b: Any, rows: Any) -> Any:
    """Four rows of four as four columns of four, by eight shuffles."""

    def shuffle(x: Any, y: Any, *order: int) -> Any:
        return b.shuffle_vector(x, y, ir.Constant(ir.VectorType(ir.IntType(32), 4), list(order)))

    even = [shuffle(rows[i], rows[i + 1], 0, 4, 2, 6) for i in (0, 2)]
    odd = [shuffle(rows[i], rows[i + 1], 1, 5, 3, 7) for i in (0, 2)]
    return [
        shuffle(*pair, *order) for order in ((0, 1, 4, 5), (2, 3, 6, 7)) for pair in (even, odd)
    ]


def rows(ctx: Any, b: Any, sig: Any, A: Any, at: Any) -> Any:
    """The addresses of some rows."""
    return [address(ctx, b, sig, (A, i, ir.Constant(LONG, 0))) for i in at]


@primitive
def columns(context: Any, A: Any, w: Any, x: Any, y: Any, z: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        read = [b.load(p, align=8) for p in rows(ctx, b, sig, args[0], args[1:])]
        return ctx.make_tuple(b, sig.return_type, turned(b, read))

    return kinds.UniTuple(LANES, 4)(A, *[types.intp] * 4), emit


@primitive
def put_columns(
    context: Any, A: Any, a: Any, c: Any, d: Any, e: Any, w: Any, x: Any, y: Any, z: Any
) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        at = rows(ctx, b, sig, args[0], args[1:5])
        for v, p in zip(turned(b, args[5:]), at, strict=True):
            b.store(v, p, align=8)
        return ctx.get_dummy_value()

    return types.void(A, *[types.intp] * 4, *[LANES] * 4), emit


def rows_from(ctx: Any, b: Any, sig: Any, A: Any, i: Any) -> Any:
    """The addresses of four rows of four numbers, one after the other: one is computed, and not four."""
    first = address(ctx, b, sig, (A, i, ir.Constant(LONG, 0)))
    return [b.gep(first, [ir.Constant(LONG, j)]) for j in range(4)]


def rows_at(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
    """The addresses of the rows of four features of an example: those of a dense one lie side by side."""
    A, x, k, after = args[:4]
    kind = sig.args[1]
    if isinstance(kind, types.Array):
        return rows_from(ctx, b, sig, A, b.add(k, after))
    of = kind[kind.fields.index("index")]
    indices = ctx.make_array(of)(ctx, b, b.extract_value(x, kind.fields.index("index")))
    found = []
    for j in range(4):
        at = cgutils.get_item_pointer(ctx, b, of, indices, [b.add(k, ir.Constant(LONG, j))])
        i = b.load(at)
        short = i if i.type == SHORT else b.trunc(i, SHORT)  # unsigned, as `index`
        found.append(b.add(b.zext(short, LONG), after))
    return rows(ctx, b, sig, A, found)


@primitive
def rows_of(context: Any, A: Any, x: Any, k: Any, after: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        read = [b.load(p, align=8) for p in rows_at(ctx, b, sig, args)]
        return ctx.make_tuple(b, sig.return_type, turned(b, read))

    return kinds.UniTuple(LANES, 4)(A, x, types.intp, types.intp), emit


@primitive
def put_rows(
    context: Any, A: Any, x: Any, k: Any, after: Any, p: Any, q: Any, r: Any, s: Any
) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        for v, at in zip(turned(b, args[4:]), rows_at(ctx, b, sig, args), strict=True):
            b.store(v, at, align=8)
        return ctx.get_dummy_value()

    return types.void(A, x, types.intp, types.intp, *[LANES] * 4), emit


@primitive
def put_block(context: Any, A: Any, i: Any, p: Any, q: Any, r: Any, s: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        at = rows_from(ctx, b, sig, args[0], args[1])
        for v, place in zip(turned(b, args[2:]), at, strict=True):
            b.store(v, place, align=8)
        return ctx.get_dummy_value()

    return types.void(A, types.intp, *[LANES] * 4), emit


def laid(ctx: Any, b: Any, kinds_: Any, arrays: Any) -> tuple[Any, Any]:
    """The arrays of a tuple; and whether they are columns side by side of one block (None: they cannot be).

    The first of the columns, and each row, must begin at 32 bytes: then four numbers from there on lie in the row.
    """
    found = [ctx.make_array(ty)(ctx, b, b.extract_value(arrays, i)) for i, ty in enumerate(kinds_)]
    if len(found) == 1 or any(ty.layout == "C" for ty in kinds_):
        return found, None
    steps = [b.extract_value(a.strides, 0) for a in found]
    places = [b.ptrtoint(a.data, LONG) for a in found]
    aligned = b.and_(b.or_(steps[0], places[0]), ir.Constant(LONG, 31))
    alike = b.icmp_unsigned("==", aligned, ir.Constant(LONG, 0))
    for i in range(1, len(found)):
        alike = b.and_(alike, b.icmp_unsigned("==", steps[i], steps[0]))
        next_to = b.add(places[i - 1], ir.Constant(LONG, 8))
        alike = b.and_(alike, b.icmp_unsigned("==", places[i], next_to))
    return found, alike


def spots(ctx: Any, b: Any, ty: Any, array: Any, at: Any) -> Any:
    """The addresses of some numbers of an array."""
    return [cgutils.get_item_pointer(ctx, b, ty, array, [i]) for i in at]


@primitive
def gather(context: Any, arrays: Any, w: Any, x: Any, y: Any, z: Any) -> Any:
    """Of each array the numbers at four places; where the arrays are columns of one block, a load a place."""
    kinds_ = tuple(arrays)

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        found, alike = laid(ctx, b, kinds_, args[0])
        out = [cgutils.alloca_once(b, DOUBLES) for _ in found]

        def apart() -> None:
            for ty, array, room in zip(kinds_, found, out, strict=True):
                numbers = [b.load(p) for p in spots(ctx, b, ty, array, args[1:])]
                b.store(together(b, numbers), room)

        if alike is None:
            apart()
        else:
            with b.if_else(alike, likely=True) as (beside, other):
                with beside:
                    at = spots(ctx, b, kinds_[0], found[0], args[1:])
                    read = [b.load(b.bitcast(p, DOUBLES.as_pointer()), align=8) for p in at]
                    for v, room in zip(turned(b, read), out, strict=False):
                        b.store(v, room)
                with other:
                    apart()
        return ctx.make_tuple(b, sig.return_type, [b.load(room) for room in out])

    return kinds.UniTuple(LANES, len(kinds_))(arrays, *[types.intp] * 4), emit


@primitive
def scatter(context: Any, arrays: Any, w: Any, x: Any, y: Any, z: Any, lanes: Any) -> Any:
    """Write what `gather` reads, the last place first."""
    kinds_ = tuple(arrays)

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        found, alike = laid(ctx, b, kinds_, args[0])
        new = [b.extract_value(args[5], i) for i in range(len(kinds_))]

        def apart() -> None:
            for ty, array, v in zip(kinds_, found, new, strict=True):
                for i, p in reversed([*enumerate(spots(ctx, b, ty, array, args[1:5]))]):
                    b.store(b.extract_element(v, ir.Constant(ir.IntType(32), i)), p)

        def beside() -> None:
            at = spots(ctx, b, kinds_[0], found[0], args[1:5])
            at = [b.bitcast(p, DOUBLES.as_pointer()) for p in at]
            # fewer than four columns: what is beside them is written as it is
            whole = [*new, *[ir.Constant(DOUBLES, ir.Undefined)] * (4 - len(new))]
            keep = [i if i < len(new) else i + 4 for i in range(4)]
            mask = ir.Constant(ir.VectorType(ir.IntType(32), 4), keep)
            for v, p in reversed([*zip(turned(b, whole), at, strict=True)]):
                row = v if len(new) == 4 else b.shuffle_vector(v, b.load(p, align=8), mask)
                b.store(row, p, align=8)

        if alike is None:
            apart()
        else:
            with b.if_else(alike, likely=True) as (block, other):
                with block:
                    beside()
                with other:
                    apart()
        return ctx.get_dummy_value()

    return types.void(arrays, *[types.intp] * 4, kinds.UniTuple(LANES, len(kinds_))), emit


@primitive
def largest(context: Any, v: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        a, *rest = (b.extract_element(args[0], ir.Constant(ir.IntType(32), i)) for i in range(4))
        for c in rest:
            a = b.select(b.fcmp_ordered("<", a, c), c, a)
        return a

    return types.float64(LANES), emit


@primitive
def total(context: Any, v: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        a, c, d, e = (b.extract_element(args[0], ir.Constant(ir.IntType(32), i)) for i in range(4))
        return b.fadd(b.fadd(a, c), b.fadd(d, e))

    return types.float64(LANES), emit


@primitive
def pick(context: Any, x: Any, y: Any, this: Any, that: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        wide = [spread(b, kind, v) for kind, v in zip(sig.args, args, strict=True)]
        return b.select(b.fcmp_ordered("<", wide[0], wide[1]), wide[2], wide[3])

    given = (x, y, this, that)
    return LANES(*[a if isinstance(a, Lanes) else types.float64 for a in given]), emit


@primitive
def positive(context: Any, v: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        above = b.fcmp_ordered(">", args[0], ir.Constant(DOUBLES, [0.0] * 4))
        bits = ir.IntType(4)
        return b.icmp_unsigned("==", b.bitcast(above, bits), ir.Constant(bits, 15))

    return types.boolean(LANES), emit


@primitive
def powered(context: Any, q: Any, k: Any) -> Any:
    """q times two to the power that is in the low bits of k."""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        q, k = (b.bitcast(v, LONGS) for v in args)
        return b.bitcast(b.add(q, b.shl(k, ir.Constant(LONGS, [52] * 4))), DOUBLES)

    return LANES(LANES, LANES), emit


@primitive
def roots(context: Any, v: Any) -> Any:
    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(DOUBLES, [DOUBLES])
        return b.call(cgutils.get_or_insert_function(b.module, kind, "llvm.sqrt.v4f64"), args)

    return LANES(LANES), emit


def constants(k: int) -> Any:
    """The integer k, four times."""
    return ir.Constant(LONGS, [k] * 4)


@primitive
def fractions(context: Any, v: Any) -> Any:
    """`fraction` of each."""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        low, _ = parted(b, DOUBLES, b.bitcast(args[0], LONGS), constants)
        return b.bitcast(low, DOUBLES)

    return LANES(LANES), emit


@primitive
def exponents(context: Any, v: Any) -> Any:
    """`exponent` of each."""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        return parted(b, DOUBLES, b.bitcast(args[0], LONGS), constants)[1]

    return LANES(LANES), emit
