"""The compiled forms of the functions that are marked `has_compiled_form`. Imported only when something is compiled."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from numba import njit, types
from numba.extending import overload

from ..core.numeric import decay, decay_one, inner, least, log_more, log_one, most, softmin, uniform
from ..core.vectors import (
    Constant,
    Rows,
    add,
    as_row,
    dense,
    dot,
    expect,
    index,
    norm2,
    out_of_range,
    read,
    row,
    shift,
    size,
    start,
    value,
    write,
)
from . import compiled_lanes as wide
from . import numba_ways
from .compiled_borrow import (
    bits,
    constant,
    exponent,
    fetch,
    fetch_early,
    fraction,
    maximum,
    minimum,
    piece,
    unbits,
)
from .compiled_fours import (
    add_in_fours,
    dot_in_fours,
    lie_in_fours,
    shift_in_fours,
    sum_of_sizes,
)
from .lanes import (
    columns,
    decays,
    four,
    gather,
    lanes,
    largest,
    logs,
    pick,
    positive,
    put,
    put_block,
    put_columns,
    put_rows,
    roots,
    rows_of,
    scatter,
    total,
    values,
)

FAST = {"reassoc", "contract", "nsz"}
# LLVM inlines rules, and keeps the flags of each. Without forceinline and NumPy's error model (no exception where a
# number is divided by zero) calls and reference counts cost more than the mathematics. They are called by compiled code
# alone: to let Python or C call them too would take a quarter of the time that they are compiled in.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "fastmath": FAST,
    "error_model": "numpy",
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
INNER: dict[str, Any] = {**OPTIONS, **numba_ways.INNER}
LOOP: dict[str, Any] = {
    "nogil": True,
    "fastmath": FAST,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    **numba_ways.OUTER,
}
summed: Any = njit(**INNER)(sum_of_sizes)
unsigned = np.uint64  # an index that may be negative counts from the end: three more instructions
# Without reassociation, which would make x of x + MAGIC - MAGIC.
EXACT: dict[str, Any] = {**INNER, "fastmath": {"contract"}}
INLINE: Any = "never"
SOON = 128  # how many indices ahead a learner is told of: a few rows
NEXT = 512  # how many indices ahead memory is asked for: 4 to 50 rows
AHEAD = 4096  # and how many values
MAGIC = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer, kept in the low bits
LOG2E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # k * LN2_HIGH is exact


def twin(
    of: Callable[..., Any], options: dict[str, Any] = INNER
) -> Callable[[Callable[..., Any]], None]:
    """Register the compiled form of a function. Numba wants it without annotations, the type checker wants them."""

    def bare(f: Any) -> Any:
        f.__annotations__ = {}
        return f

    def give(typed: Callable[..., Any]) -> None:
        names = ", ".join(inspect.signature(typed).parameters)
        scope: dict[str, Any] = {"typed": typed, "bare": bare}
        exec(f"def untyped({names}): return bare(typed({names}))", scope)
        overload(of, jit_options=cast(Any, options), inline=INLINE)(scope["untyped"])

    return give


def by_kind(rule: Any, form: Any) -> Callable[..., Any]:
    """A rule and its form for sparse examples (`for_sparse`) as one: the type of `x` decides."""
    names = ", ".join(inspect.signature(rule.py_func).parameters)
    scope: dict[str, Any] = {"rule": rule, "form": form, "Array": types.Array}
    of_dense, of_sparse = (f"lambda {names}: {f}({names})" for f in ("rule", "form"))
    exec(f"def either({names}): pass", scope)
    exec(
        f"def typed({names}): return ({of_dense}) if isinstance(x, Array) else ({of_sparse})", scope
    )
    overload(scope["either"], jit_options=cast(Any, INNER), inline=INLINE)(scope["typed"])
    return scope["either"]  # type: ignore[no-any-return]


class Followed(NamedTuple):
    """A sparse example, and as many indices of those that come soon after it; see `expect`."""

    index: Any
    value: Any
    ahead: Any


class Raised(NamedTuple):
    """The same with a constant 1 as coordinate 0: of what is ahead, features are still to move up by one."""

    index: Any
    value: Any
    ahead: Any


@twin(row)
def _row(X: Any, t: Any) -> Any:
    if hasattr(X, "instance_class"):
        if X.instance_class is Rows:

            def sparse(X: Any, t: Any) -> Any:
                a, b = X.indptr[unsigned(t)], X.indptr[unsigned(t + 1)]
                for k in range(a, b, 8):  # eight values fill a line of the cache
                    fetch(X.index, k + NEXT)
                    fetch(X.value, k + AHEAD)
                ahead = min(a + SOON, X.index.shape[0] - (b - a))  # none lies behind the end
                return Followed(
                    piece(X.index, a, b - a), piece(X.value, a, b - a), piece(X.index, ahead, b - a)
                )

            return sparse
        if X.instance_class is Constant:
            return _constant_row(isinstance(X[0], types.Array))
        scope: dict[str, Any] = {"C": X.instance_class, "row": row}
        parts = ", ".join(f"row(X[{i}], t)" for i in range(len(X)))
        exec(f"def many(X, t): return C({parts})", scope)
        return scope["many"]
    if isinstance(X, types.Array) and X.ndim == 1:
        return lambda X, t: X[unsigned(t)]
    return lambda X, t: X[t]


def _constant_row(dense: bool) -> Any:
    def of_dense(X: Any, t: Any) -> Any:
        X.value[0] = 1.0
        for i in range(X.X.shape[1]):
            X.value[i + 1] = X.X[t, i]
        return X.value

    def of_sparse(X: Any, t: Any) -> Any:
        x = row(X.X, t)
        m = size(x)
        index_, value_ = piece(X.index, 1, m), piece(X.value, 1, m)
        X.index[0], X.value[0] = 0, 1.0
        for k in range(m):
            index_[k] = x.index[k] + 1
            value_[k] = x.value[k]
        return Raised(piece(X.index, 0, m + 1), piece(X.value, 0, m + 1), x.ahead)

    return of_dense if dense else of_sparse


@twin(expect)
def _expect(A: Any, x: Any, k: Any, after: Any) -> Any:
    kind = getattr(x, "instance_class", None)
    if kind is Followed:
        return lambda A, x, k, after: fetch_early(A, np.int64(x.ahead[unsigned(k)]) + after)
    if kind is Raised:

        def raised(A: Any, x: Any, k: Any, after: Any) -> None:
            if k > 0:
                fetch_early(A, np.int64(x.ahead[unsigned(k - 1)]) + 1 + after)

        return raised
    return lambda A, x, k, after: None


@twin(start)
def _start(X: Any, t: Any, n: Any) -> Any:
    kind = getattr(X, "instance_class", None)
    if kind is Constant:
        return lambda X, t, n: start(X.X, t, n)
    if kind is Rows:
        return lambda X, t, n: X.indptr[min(t, X.indptr.shape[0] - 1)]
    return lambda X, t, n: t * n


@twin(write)
def _write(W: Any, w: Any, d: Any) -> Any:
    if isinstance(d, types.Array):

        def whole(W: Any, w: Any, d: Any) -> None:
            for i in range(W.shape[1]):
                W[w, i] = d[i]

        return whole

    def one(W: Any, w: Any, d: Any) -> None:
        if W.shape[1] > 0:
            W[w, 0] = d

    return one


@twin(read)
def _read(W: Any, w: Any, like: Any) -> Any:
    if isinstance(like, types.Array):
        return lambda W, w, like: W[w]
    return lambda W, w, like: W[w, 0]


@twin(size)
def _size(x: Any) -> Any:
    return (lambda x: x.shape[0]) if isinstance(x, types.Array) else (lambda x: x.index.shape[0])


@twin(as_row)
def _as_row(v: Any) -> Any:
    return lambda v: constant(v)


@twin(dense)
def _dense(x: Any) -> Any:
    return (lambda x: True) if isinstance(x, types.Array) else (lambda x: False)


@twin(index)
def _index(x: Any, k: Any) -> Any:
    if isinstance(x, types.Array):
        return lambda x, k: k
    # unsigned: to allow for negative indices, which count from the end, doubles the work of a sum
    return lambda x, k: np.uint32(x.index[unsigned(k)])


@twin(value)
def _value(x: Any, k: Any) -> Any:
    return (
        (lambda x, k: x[k]) if isinstance(x, types.Array) else (lambda x, k: x.value[unsigned(k)])
    )


@twin(dot)
def _dot(w: Any, x: Any) -> Any:
    def one_by_one(w: Any, x: Any) -> float:
        s = 0.0
        for k in range(size(x)):
            s += w[index(x, k)] * value(x, k)
        return s

    # Four sums: of one sum each term waits for the last, and LLVM's own vectors gather by an instruction that is
    # slower than four loads (30 of 1,024 features: 25 ns, where one sum took 70). Memory is asked in between: thirty
    # requests in a row fill the processor's queue of them, and all else waits (30 of 2^18: 64 ns, in a row 118).
    def sparse(w: Any, x: Any) -> float:
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        n = size(x)
        whole = n - n % 4
        for k in range(0, whole, 4):
            expect(w, x, k, 0)
            expect(w, x, k + 1, 0)
            expect(w, x, k + 2, 0)
            expect(w, x, k + 3, 0)
            a += w[index(x, k)] * value(x, k)
            b += w[index(x, k + 1)] * value(x, k + 1)
            c += w[index(x, k + 2)] * value(x, k + 2)
            d += w[index(x, k + 3)] * value(x, k + 3)
        for k in range(whole, n):
            expect(w, x, k, 0)
            a += w[index(x, k)] * value(x, k)
        return (a + b) + (c + d)

    if isinstance(x, types.Array):
        return dot_in_fours if lie_in_fours(w, x) else one_by_one
    return sparse


@twin(add)
def _add(w: Any, c: Any, x: Any) -> Any:
    def compiled(w: Any, c: Any, x: Any) -> None:
        for k in range(size(x)):
            w[index(x, k)] += c * value(x, k)

    return add_in_fours if lie_in_fours(w, x) else compiled


@twin(shift)
def _shift(w: Any, c: Any, x: Any) -> Any:
    def one_by_one(w: Any, c: Any, x: Any) -> tuple[float, float]:
        change, n = 0.0, 0.0
        for k in range(size(x)):
            i, v = index(x, k), value(x, k)
            old = w[i]
            new = old + c * v
            w[i] = new
            change += v * (old + new)
            n += v * v
        return c * change, n

    return shift_in_fours if lie_in_fours(w, x) else one_by_one


@twin(norm2)
def _norm2(x: Any) -> Any:
    def compiled(x: Any) -> float:
        s = 0.0
        for k in range(size(x)):
            s += value(x, k) * value(x, k)
        return s

    return compiled


@twin(uniform)
def _uniform(seed: Any, t: Any, k: Any) -> Any:
    def compiled(seed: Any, t: Any, k: Any) -> float:
        z = (
            np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15)
            + np.uint64(t) * np.uint64(0xD1B54A32D192ED03)
            + np.uint64(k) * np.uint64(0x8CB92BA72F3D8DD7)
        )
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return float((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * (1.0 / 9007199254740992.0)

    return compiled


@njit(**EXACT)  # type: ignore[untyped-decorator]
def exp_near_zero(r: Any) -> Any:
    """exp(r) for |r| <= ln 2 / 2 by the polynomial of `decay`; its terms are added in pairs that run side by side."""
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + 1.0000000000000064 * r) + (0.4999999999999728 + 0.1666666666655757 * r) * r2
    high = (0.04166666666842881 + 0.008333333384726915 * r) + (
        0.0013888888498675232 + 0.00019841171305993096 * r
    ) * r2
    top = (2.480191794837246e-05 + 2.763980104261844e-06 * r) + 2.7488417085710377e-07 * r2
    return low + r4 * (high + r4 * top)


@twin(decay, EXACT)
def _decay(z: Any) -> Any:
    def compiled(z: Any) -> float:
        t = z * LOG2E + MAGIC
        k = t - MAGIC  # z = k ln 2 + r, |r| <= ln 2 / 2
        r = (z - k * LN2_HIGH) - k * LN2_LOW
        q = 2.7488417085710377e-07  # a minimax polynomial of degree 10, by Remez exchange: 2.1e-16
        q = q * r + 2.763980104261844e-06
        q = q * r + 2.480191794837246e-05
        q = q * r + 0.00019841171305993096
        q = q * r + 0.0013888888498675232
        q = q * r + 0.008333333384726915
        q = q * r + 0.04166666666842881
        q = q * r + 0.1666666666655757
        q = q * r + 0.4999999999999728
        q = q * r + 1.0000000000000064
        q = q * r + 1.0
        v = unbits(bits(q) + (bits(t) << 52))  # times 2^k
        return 0.0 if z < -708.0 else v

    return compiled


@twin(decay_one, EXACT)
def _decay_one(z: Any) -> Any:
    def compiled(z: Any) -> float:
        t = z * LOG2E + MAGIC
        k = t - MAGIC
        r = (z - k * LN2_HIGH) - k * LN2_LOW
        v = unbits(bits(exp_near_zero(r)) + (bits(t) << 52))
        return 0.0 if z < -708.0 else v

    return compiled


@twin(log_more, EXACT)
def _log_more(e: Any) -> Any:
    def compiled(e: Any) -> float:
        s = e / (2.0 + e)  # ln(1 + e) = 2 artanh(s), and s <= 1/3
        z = s * s
        z2 = z * z
        z4 = z2 * z2
        low = (0.33333333333333487 + 0.19999999999780063 * z) + (
            0.14285714338330496 + 0.11111106278964857 * z
        ) * z2
        high = (0.09091130554209872 + 0.07686637438179002 * z) + (
            0.0675117123587855 + 0.051613346352495405 * z
        ) * z2
        q = low + z4 * (high + z4 * 0.08435350330548605)
        return 2.0 * s + 2.0 * s * (z * q)  # type: ignore[no-any-return]

    return compiled


@twin(decays, EXACT)
def _decays(z: Any) -> Any:
    def compiled(z: Any) -> Any:
        t = z * LOG2E + MAGIC
        k = t - MAGIC
        r = (z - k * LN2_HIGH) - k * LN2_LOW
        return wide.pick(z, -708.0, 0.0, wide.powered(exp_near_zero(r), t))

    return compiled


@njit(**EXACT)  # type: ignore[untyped-decorator]
def logarithm(m: Any, k: Any) -> Any:
    """ln(m 2^k) for m from sqrt(1/2) to sqrt(2): ln m = 2 artanh(s), interpolated at Chebyshev's nodes."""
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    z2 = z * z
    low = (0.3333333333333335 + 0.19999999999949722 * z) + (
        0.14285714313001635 + 0.11111105565129939 * z
    ) * z2
    high = (0.09091444727837474 + 0.07665855309105386 * z) + 0.07308292712444311 * z2
    q = low + (z2 * z2) * high
    return k * LN2_HIGH + ((s + s) + ((s + s) * (z * q) + k * LN2_LOW))


@twin(log_one, EXACT)
def _log_one(p: Any) -> Any:
    return lambda p: logarithm(fraction(p), exponent(p))


@twin(logs, EXACT)
def _logs(p: Any) -> Any:
    return lambda p: logarithm(wide.fractions(p), wide.exponents(p))


@twin(lanes)
def _lanes(a: Any, b: Any, c: Any, d: Any) -> Any:
    return lambda a, b, c, d: wide.lanes(a, b, c, d)


@twin(four)
def _four(A: Any, i: Any, j: Any) -> Any:
    return lambda A, i, j: wide.four(A, i, j)


@twin(values)
def _values(x: Any, k: Any) -> Any:
    if isinstance(x, types.Array):
        return lambda x, k: wide.values(x, k)
    return lambda x, k: wide.values(x.value, k)


@twin(columns)
def _columns(A: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return lambda A, a, b, c, d: wide.columns(A, a, b, c, d)


@twin(put_columns)
def _put_columns(A: Any, a: Any, b: Any, c: Any, d: Any, p: Any, q: Any, r: Any, s: Any) -> Any:
    return lambda A, a, b, c, d, p, q, r, s: wide.put_columns(A, a, b, c, d, p, q, r, s)


@twin(rows_of)
def _rows_of(A: Any, x: Any, k: Any, after: Any) -> Any:
    return lambda A, x, k, after: wide.rows_of(A, x, k, after)


@twin(put_rows)
def _put_rows(A: Any, x: Any, k: Any, after: Any, p: Any, q: Any, r: Any, s: Any) -> Any:
    return lambda A, x, k, after, p, q, r, s: wide.put_rows(A, x, k, after, p, q, r, s)


@twin(put_block)
def _put_block(A: Any, i: Any, p: Any, q: Any, r: Any, s: Any) -> Any:
    return lambda A, i, p, q, r, s: wide.put_block(A, i, p, q, r, s)


@twin(gather)
def _gather(arrays: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return lambda arrays, a, b, c, d: wide.gather(arrays, a, b, c, d)


@twin(scatter)
def _scatter(arrays: Any, a: Any, b: Any, c: Any, d: Any, new: Any) -> Any:
    return lambda arrays, a, b, c, d, new: wide.scatter(arrays, a, b, c, d, new)


@twin(largest)
def _largest(v: Any) -> Any:
    return lambda v: wide.largest(v)


@twin(total)
def _total(v: Any) -> Any:
    return lambda v: wide.total(v)


@twin(put)
def _put(A: Any, i: Any, j: Any, v: Any) -> Any:
    return lambda A, i, j, v: wide.put(A, i, j, v)


@twin(roots)
def _roots(v: Any) -> Any:
    return lambda v: wide.roots(v)


@twin(pick)
def _pick(a: Any, b: Any, x: Any, y: Any) -> Any:
    return lambda a, b, x, y: wide.pick(a, b, x, y)


@twin(positive)
def _positive(v: Any) -> Any:
    return lambda v: wide.positive(v)


# The lanes whose compiled form is a few instructions: these are put into a rule as they are, not as functions that are
# compiled first, once for each type. Not `total`: in a rule its sum might be put into another order.
AT_ONCE: dict[Any, Any] = {
    lanes: wide.lanes,
    four: wide.four,
    columns: wide.columns,
    put_columns: wide.put_columns,
    put: wide.put,
    rows_of: wide.rows_of,
    put_rows: wide.put_rows,
    put_block: wide.put_block,
    gather: wide.gather,
    scatter: wide.scatter,
    largest: wide.largest,
    roots: wide.roots,
    pick: wide.pick,
    positive: wide.positive,
}


@twin(least)
def _least(v: Any) -> Any:
    def compiled(v: Any) -> float:
        m = v[0]
        for i in range(v.shape[0]):
            m = minimum(m, v[i])
        return m  # type: ignore[no-any-return]

    return compiled


@twin(most)
def _most(v: Any) -> Any:
    def compiled(v: Any) -> float:
        m = v[0]
        for i in range(v.shape[0]):
            m = maximum(m, v[i])
        return m  # type: ignore[no-any-return]

    return compiled


@twin(inner)
def _inner(p: Any, x: Any) -> Any:
    def compiled(p: Any, x: Any) -> float:
        s = 0.0
        for i in range(p.shape[0]):
            s += p[i] * x[i]
        return s

    return compiled


@twin(softmin)
def _softmin(L: Any, eta: Any, p: Any) -> Any:
    def compiled(L: Any, eta: Any, p: Any) -> None:
        m, s = least(L), 0.0
        if m == np.inf:
            return
        for i in range(L.shape[0]):
            v = decay(-eta * (L[i] - m))
            p[i] = v
            s += v
        c = 1.0 / s
        for i in range(L.shape[0]):
            p[i] *= c

    return compiled


@twin(out_of_range)
def _out_of_range(Z: Any, a: Any, b: Any, low: Any, high: Any) -> Any:
    def compiled(Z: Any, a: Any, b: Any, low: Any, high: Any) -> bool:
        b = min(b, Z.shape[0])  # the last block may be shorter, and compiled code checks no index
        if low == -high and summed(Z, a, b) <= high:  # then so is each of them; false with a NaN
            return False
        # `piece`, not Z[a:b], which takes long to compile; counted from 0, since an index that may be negative does not
        # vectorise
        block, fine = piece(Z, a, max(b - a, 0)), 0
        for i in range(block.shape[0]):
            fine += (block[i] >= low) & (block[i] <= high)  # false for NaN
        return fine != block.shape[0]  # type: ignore[no-any-return]

    return compiled
