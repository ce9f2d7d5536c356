"""Bytes at addresses: the few instructions that parsers of text are made of; compiled, without the interpreter's lock.

Bytes are addressed as plain numbers, because Numba counts references to arrays in every call. The buffer has 64 bytes
to spare on both sides, so that no load needs a check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped

from littlestone.engine import numba_ways
from littlestone.engine.compiled_borrow import primitive
from littlestone.engine.compiled_cache import kept

cgutils: Any = untyped
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
U: Any = np.uint64
U32: Any = np.uint32
INT: Any = np.int64


def part(rule: Callable[..., Any]) -> Any:
    """A piece of a loop, inlined into it."""
    return numba.njit(forceinline=True, **OPTIONS, **numba_ways.INNER)(rule)


def called(rule: Callable[..., Any]) -> Any:
    """A piece that is called, because it is long or rarely reached; `apart` keeps LLVM from inlining it.

    It would be inlined in any case if it inherited that wish from a `part` that calls it.
    """
    return numba.njit(forceinline=False, **OPTIONS)(rule)


def loop(rule: Callable[..., Any]) -> Any:
    """A loop for Python to call, cached on disk where that is possible."""
    return kept(rule, **OPTIONS)


I8, I32, I64, I128 = (ir.IntType(bits) for bits in (8, 32, 64, 128))
F64 = ir.DoubleType()
WIDE = 64
BYTES = ir.VectorType(I8, WIDE)
pair: Any = types.UniTuple


def load(kind: Any, numba_type: Any) -> Any:
    """The number at an address, wherever that lies."""

    @primitive
    def at(context: Any, address: Any) -> Any:
        def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
            v = b.load(b.inttoptr(args[0], kind.as_pointer()), align=1)
            value_type = ctx.get_value_type(numba_type)
            return v if v.type == value_type else b.zext(v, value_type)

        return numba_type(types.int64), emit

    return at


byte, four, eight = load(I8, types.uint64), load(I32, types.uint32), load(I64, types.uint64)
place = load(I32, types.int64)  # of a separator; never negative, so that zeros may fill it up


def store(kind: Any, numba_type: Any) -> Any:
    @primitive
    def at(context: Any, address: Any, v: Any) -> Any:
        def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
            v = args[1] if args[1].type == kind else b.trunc(args[1], kind)
            b.store(v, b.inttoptr(args[0], kind.as_pointer()), align=1)
            return ctx.get_dummy_value()

        return types.void(types.int64, numba_type), emit

    return at


put_byte, put_int, put_eight, put_float = (
    store(I8, types.uint64),
    store(I32, types.int64),
    store(I64, types.uint64),
    store(F64, types.float64),
)


@primitive
def compared(context: Any, address: Any, special: Any) -> Any:
    """Of 64 bytes, one bit each: is it a separator, a line's end, a space or tab, another control character?"""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        v = b.load(b.inttoptr(args[0], BYTES.as_pointer()), align=1)
        undefined = ir.Constant(BYTES, ir.Undefined)
        first = b.insert_element(undefined, b.trunc(args[1], I8), ir.Constant(I32, 0))
        lanes = ir.Constant(ir.VectorType(I32, WIDE), [0] * WIDE)

        def all_of(c: bytes) -> Any:
            return ir.Constant(BYTES, [c[0]] * WIDE)

        def equal(c: bytes) -> Any:
            return b.icmp_unsigned("==", v, all_of(c))

        white = b.or_(equal(b" "), equal(b"\t"))
        line = equal(b"\n")
        end = b.or_(line, equal(b"\r"))
        given = b.icmp_unsigned("==", v, b.shuffle_vector(first, undefined, lanes))
        separator = b.or_(b.or_(white, end), b.or_(equal(b":"), given))
        control = b.and_(b.icmp_unsigned("<", v, all_of(b" ")), b.not_(separator))
        bits = [b.bitcast(m, I64) for m in (separator, line, white, control)]
        return ctx.make_tuple(b, sig.return_type, bits)

    return pair(types.uint64, 4)(types.int64, types.int64), emit


def counted(name: str) -> Any:
    """Bits of a word: how many are set, or are zero at one of its ends."""

    @primitive
    def of(context: Any, word: Any) -> Any:
        def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
            flags = [] if name == "llvm.ctpop" else [ir.Constant(ir.IntType(1), 0)]
            kind = ir.FunctionType(I64, [I64] + [flag.type for flag in flags])
            return b.call(b.module.declare_intrinsic(name, [I64], kind), [*args, *flags])

        return types.int64(types.uint64), emit

    return of


ones, lowest, leading = counted("llvm.ctpop"), counted("llvm.cttz"), counted("llvm.ctlz")


@primitive
def product(context: Any, x: Any, y: Any) -> Any:
    """All 128 bits of a product: the high and the low 64."""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        p = b.mul(b.zext(args[0], I128), b.zext(args[1], I128))
        high = b.trunc(b.lshr(p, ir.Constant(I128, 64)), I64)
        return ctx.make_tuple(b, sig.return_type, [high, b.trunc(p, I64)])

    return pair(types.uint64, 2)(types.uint64, types.uint64), emit


SIXTEEN = ir.VectorType(I8, 16)
# For each place of a dot, and none: which of 16 bytes are at or before it. For a number of bytes: the last so many.
BEFORE = b"".join(bytes([255] * (p + 1) + [0] * (15 - p)) for p in range(16)) + bytes(16)
LAST = bytes(16) + bytes([255] * 16)


@primitive
def decimal(context: Any, end: Any, size: Any) -> Any:
    """The 1 to 16 bytes before `end`, digits with a dot among them or not -> the number that the digits write, its last
    eight digits apart; the place of the dot among 16 bytes, 16 where there is none; digits; is it something else?

    The bytes before the dot are taken from one place further on, so that the digits stand together. Neighbours are
    joined, 2, 4 and 8 at a time, by a product whose upper half is 10 (100, 10^4) times one plus the other.
    """

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        def all_of(kind: Any, number: int) -> Any:
            return ir.Constant(kind, [number] * kind.count)

        def load(address: Any) -> Any:
            return b.load(b.inttoptr(address, SIXTEEN.as_pointer()), align=1)

        def table(content: bytes, at: Any) -> Any:
            kind = ir.ArrayType(I8, len(content))
            constant = cgutils.global_constant(b, "table", ir.Constant(kind, bytearray(content)))
            return load(b.add(b.ptrtoint(constant, I64), at))

        def joined(v: Any, bits: int, ten: int) -> Any:
            kind = ir.VectorType(ir.IntType(2 * bits), 64 // bits)
            v = b.bitcast(v, kind)
            return b.lshr(b.mul(v, all_of(kind, (ten << bits) + 1)), all_of(kind, bits))

        end, size = args
        here, behind = (load(b.sub(end, ir.Constant(I64, n))) for n in (16, 17))
        dots = b.zext(
            b.bitcast(b.icmp_unsigned("==", here, all_of(SIXTEEN, 46)), ir.IntType(16)), I64
        )
        inside = b.shl(ir.Constant(I64, -1), b.sub(ir.Constant(I64, 16), size))
        dots = b.or_(b.and_(dots, inside), ir.Constant(I64, 1 << 16))
        dot = b.cttz(dots, ir.Constant(ir.IntType(1), 1))
        digits = b.add(b.sub(size, ir.Constant(I64, 1)), b.lshr(dot, ir.Constant(I64, 4)))
        moved = table(BEFORE, b.shl(dot, ir.Constant(I64, 4)))
        v = b.or_(b.and_(here, b.not_(moved)), b.and_(behind, moved))
        v = b.and_(b.sub(v, all_of(SIXTEEN, 48)), table(LAST, digits))
        wrong = b.bitcast(b.icmp_unsigned(">", v, all_of(SIXTEEN, 9)), ir.IntType(16))
        v = b.bitcast(joined(joined(v, 8, 10), 16, 100), ir.VectorType(I64, 2))
        halves = [b.extract_element(v, ir.Constant(I32, i)) for i in range(2)]
        times = ir.Constant(I64, (10**4 << 32) + 1)
        halves = [b.lshr(b.mul(half, times), ir.Constant(I64, 32)) for half in halves]
        wrong = b.zext(b.icmp_unsigned("!=", wrong, ir.Constant(wrong.type, 0)), I64)
        return ctx.make_tuple(b, sig.return_type, [*halves, dot, digits, wrong])

    return pair(types.uint64, 5)(types.int64, types.int64), emit


@primitive
def double(context: Any, bits: Any) -> Any:
    return types.float64(types.uint64), lambda ctx, b, sig, args: b.bitcast(args[0], F64)


@primitive
def apart(context: Any) -> Any:
    """Keep the function in which this stands out of its callers: LLVM would inline it however rarely it is reached, and
    then loops have too few registers left for what they do in every turn."""

    def emit(ctx: Any, b: Any, sig: Any, args: Any) -> Any:
        b.function.attributes.add("noinline")
        return ctx.get_dummy_value()

    return types.void(), emit


@primitive
def bits_of(context: Any, number: Any) -> Any:
    return types.uint64(types.float64), lambda ctx, b, sig, args: b.bitcast(args[0], I64)


SPACE, TAB, COLON, BAR, HASH, QUOTE = U(32), U(9), U(58), U(124), U(35), U(39)
LINE, RETURN = U(10), U(13)


@part
def is_white(c: Any) -> Any:
    return (c == SPACE) | (c == TAB)


@part
def is_digit(c: Any) -> Any:
    return c - U(48) <= U(9)


@loop
def separators(text: int, size: int, special: int, places: Any) -> Any:
    """Write down where the separators are; -> how many there are, lines, spaces, other control characters."""
    out, lines, white, control = INT(places.ctypes.data), 0, 0, 0
    start = out
    for i in range(0, size, WIDE):
        m, line, space, odd = compared(text + i, special)
        if size - i < WIDE:
            inside = (U(1) << U(size - i)) - U(1)
            m, line, space, odd = m & inside, line & inside, space & inside, odd & inside
        lines += ones(line)
        white += ones(space)
        control += ones(odd)
        n, o = ones(m), out
        for _ in range(8):  # too many are overwritten by the next: cheaper than to count
            put_int(o, i + lowest(m))
            m &= m - U(1)
            o += 4
        # There are 9 to 12 of them in most texts: to write eight more in any case took 15% more time.
        if n > 8:
            for _ in range(4):
                put_int(o, i + lowest(m))
                m &= m - U(1)
                o += 4
        if n > 12:
            for _ in range(4):
                put_int(o, i + lowest(m))
                m &= m - U(1)
                o += 4
        while m != U(0):
            put_int(o, i + lowest(m))
            m &= m - U(1)
            o += 4
        out += 4 * n
    return (out - start) // 4, lines, white, control
