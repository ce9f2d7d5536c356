"""Numbers of fifty digits that mix with floats, for rules that were written for floats.

A float is taken as the rational number that it is; every operation is rounded to DIGITS digits. NumPy calls the
methods `exp`, `log`, `sqrt`, … of the entries of an object array, so expressions of arrays work too.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from typing import Any

import numpy as np

from ..core.named_tuples import is_named_tuple

DIGITS = 50
CONTEXT = Context(prec=DIGITS, Emin=-(10**9), Emax=10**9, traps=[])


class Number:
    """A number of fifty digits.

    >>> third = Number(1) / 3
    >>> third * 3 == 1, abs(third * 3 - 1) < 1e-49
    (False, True)
    >>> float(Number(2).sqrt())
    1.4142135623730951
    """

    __slots__ = ("d",)

    def __init__(self, v: Any) -> None:
        self.d: Decimal = decimal(v)

    # Arithmetic.

    def __add__(self, other: Any) -> Any:
        return self._with(other, CONTEXT.add)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, CONTEXT.subtract)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, CONTEXT.multiply)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, CONTEXT.divide)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: CONTEXT.subtract(b, a))

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: CONTEXT.divide(b, a))

    def __pow__(self, other: Any) -> Any:
        return self._with(other, power)

    def __rpow__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: power(b, a))

    __radd__, __rmul__ = __add__, __mul__

    def _with(self, other: Any, f: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        try:
            return made(f(self.d, decimal(other)))
        except TypeError:
            return NotImplemented

    def __neg__(self) -> Number:
        return made(-self.d)

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return made(abs(self.d))

    # Comparison.

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Number, int, float, np.number)) and self.d == decimal(other)

    def __lt__(self, other: Any) -> bool:
        return less(self.d, decimal(other))

    def __gt__(self, other: Any) -> bool:
        return less(decimal(other), self.d)

    def __le__(self, other: Any) -> bool:
        return bool(self < other or self == other)

    def __ge__(self, other: Any) -> bool:
        return bool(self > other or self == other)

    def __hash__(self) -> int:
        return hash(self.d)

    def __bool__(self) -> bool:
        return self.d != 0

    # As other numbers.

    def __float__(self) -> float:
        return float(self.d)

    def __int__(self) -> int:
        return int(self.d)

    def __index__(self) -> int:
        if self.d != int(self.d):
            raise TypeError(f"{self} is no whole number")
        return int(self.d)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.d) if digits is None else made(round(self.d, digits))

    # Functions, by the names that NumPy calls.

    def exp(self) -> Number:
        return made(CONTEXT.exp(self.d))

    def log(self) -> Number:
        return made(CONTEXT.ln(self.d))

    def sqrt(self) -> Number:
        return made(CONTEXT.sqrt(self.d))

    def log2(self) -> Any:
        return self.log() / Number(2).log()

    def log10(self) -> Number:
        return made(CONTEXT.log10(self.d))

    def log1p(self) -> Any:
        with small(self.d) as context:
            return made(context.ln(context.add(self.d, 1)))

    def expm1(self) -> Any:
        with small(self.d) as context:
            return made(context.subtract(context.exp(self.d), 1))

    def floor(self) -> Number:
        return made(self.d.to_integral_value(ROUND_FLOOR))

    def ceil(self) -> Number:
        return made(self.d.to_integral_value(ROUND_CEILING))

    __floor__, __ceil__ = floor, ceil

    def tan(self) -> Number:
        """From the series of sine and cosine, which converge quickly where the angle is small."""
        with localcontext(CONTEXT) as context:
            least = Decimal(10) ** -(context.prec + 5)
            term, parts, k = Decimal(1), [Decimal(1), Decimal(0)], 0  # cosine, sine
            while abs(term) > least:
                k += 1
                term = term * self.d / k
                parts[k % 2] += -term if k % 4 in (2, 3) else term
            return made(parts[1] / parts[0])

    def tanh(self) -> Any:
        e = (self * -2).exp()
        return (1 - e) / (1 + e)

    def sinh(self) -> Any:
        return (self.expm1() - (-self).expm1()) / 2

    def atanh(self) -> Any:
        return (self.log1p() - (-self).log1p()) / 2

    def __repr__(self) -> str:
        return f"{self.d:.12g}"

    def __format__(self, spec: str) -> str:
        return format(float(self), spec)


@contextlib.contextmanager
def small(d: Decimal) -> Iterator[Context]:
    """A context with as many more digits as 1 + d needs to keep fifty digits of d."""
    more = max(0, -d.adjusted()) if d and d.is_finite() else 0
    context = CONTEXT.copy()
    context.prec += min(more, 1100)
    yield context


@contextlib.contextmanager
def precision(digits: int) -> Iterator[None]:
    """Compute with so many digits inside the `with` block."""
    before, CONTEXT.prec = CONTEXT.prec, digits
    try:
        yield
    finally:
        CONTEXT.prec = before


def made(d: Decimal) -> Number:
    v = Number.__new__(Number)
    v.d = d
    return v


def decimal(v: Any) -> Decimal:
    """A number as a Decimal, exactly."""
    if isinstance(v, Number):
        return v.d
    if isinstance(v, Decimal):
        return v
    if isinstance(v, (int, np.integer)):  # a bool too
        return CONTEXT.create_decimal(int(v))
    if isinstance(v, (float, np.floating)):
        return Decimal(float(v))  # exactly
    raise TypeError(f"{v!r} is no number")


def less(a: Decimal, b: Decimal) -> bool:
    return not a.is_nan() and not b.is_nan() and a < b


def power(a: Decimal, b: Decimal) -> Decimal:
    if a == 0 and b == 0:
        return Decimal(1)
    with localcontext(CONTEXT):
        return a**b


def numbers(v: Any) -> Any:
    """Floats and arrays of floats in numbers of fifty digits; whole numbers stay as they are."""
    if isinstance(v, np.ndarray):
        if v.dtype.kind == "f":
            return np.frompyfunc(Number, 1, 1)(v) if v.size else v.astype(object)
        return v.copy()
    if isinstance(v, (float, np.floating)):
        return Number(v)
    if is_named_tuple(v):
        return type(v)(*map(numbers, v))
    return v


# What takes the place of `math`, `np` and `float` in the rules.


def of(name: str) -> Any:
    """A function of numbers and of arrays of them."""
    one = np.frompyfunc(lambda v: getattr(Number(v), name)(), 1, 1)

    def f(v: Any) -> Any:
        return one(v) if isinstance(v, np.ndarray) else getattr(Number(v), name)()

    return f


class Mathematics:
    """`math`, in fifty digits."""

    inf, nan, e, pi = math.inf, math.nan, Number(1).exp(), math.pi
    exp, log1p, expm1 = (
        staticmethod(of("exp")),
        staticmethod(of("log1p")),
        staticmethod(of("expm1")),
    )
    sqrt, log2, tanh = staticmethod(of("sqrt")), staticmethod(of("log2")), staticmethod(of("tanh"))
    tan, sinh, atanh = staticmethod(of("tan")), staticmethod(of("sinh")), staticmethod(of("atanh"))
    floor, ceil = math.floor, math.ceil

    @staticmethod
    def log(v: Any, base: Any = None) -> Any:
        ln = Number(v).log()
        return ln if base is None else ln / Number(base).log()

    @staticmethod
    def isfinite(v: Any) -> bool:
        return bool(decimal(v).is_finite())

    @staticmethod
    def isinf(v: Any) -> bool:
        return bool(decimal(v).is_infinite())

    @staticmethod
    def isnan(v: Any) -> bool:
        return bool(decimal(v).is_nan())

    @staticmethod
    def copysign(v: Any, sign: Any) -> Any:
        return abs(Number(v)) * (-1 if decimal(sign).is_signed() else 1)

    @staticmethod
    def frexp(v: Any) -> tuple[Any, int]:
        """As in `math`: v = m 2^e; the exponent is that of its float."""
        e = math.frexp(float(v))[1]
        return Number(v) / Number(2) ** e, e

    @staticmethod
    def ldexp(m: Any, e: int) -> Any:
        return Number(m) * Number(2) ** e

    @staticmethod
    def hypot(x: Any, y: Any) -> Any:
        return (Number(x) * Number(x) + Number(y) * Number(y)).sqrt()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"math.{name} is not available in {DIGITS} digits")


class Arrays:
    """`np`, with functions in fifty digits and arrays that can hold them."""

    exp, log, sqrt, log2 = map(staticmethod, (of("exp"), of("log"), of("sqrt"), of("log2")))
    log1p, expm1, tanh = map(staticmethod, (of("log1p"), of("expm1"), of("tanh")))
    floor, ceil = map(staticmethod, (of("floor"), of("ceil")))

    @staticmethod
    def asarray(v: Any, dtype: Any = None) -> Any:
        made = np.asarray(v, dtype=object)
        return np.frompyfunc(lambda x: x if isinstance(x, Number) else Number(x), 1, 1)(made)

    array = asarray

    @staticmethod
    def zeros(shape: Any, dtype: Any = None) -> Any:
        return np.zeros(shape, dtype) if dtype is not None else np.full(shape, Number(0), object)

    @staticmethod
    def float64(v: Any) -> Any:
        return Number(v)

    @staticmethod
    def isnan(v: Any) -> Any:
        return np.frompyfunc(lambda x: decimal(x).is_nan(), 1, 1)(v)

    @staticmethod
    def isfinite(v: Any) -> Any:
        return np.frompyfunc(lambda x: decimal(x).is_finite(), 1, 1)(v)

    @staticmethod
    def isinf(v: Any) -> Any:
        return np.frompyfunc(lambda x: decimal(x).is_infinite(), 1, 1)(v)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def as_float(v: Any = 0.0) -> Any:
    """`float`: the number itself, where it has fifty digits."""
    return v if isinstance(v, Number) else Number(float(v))


SCOPE: dict[str, Any] = {"math": Mathematics(), "np": Arrays(), "float": as_float}
