"""Digits -> the number that they write, correctly rounded; compiled.

Up to eight characters are one chain of multiplications in one register: no loop, so no branch that is mispredicted.
More of them, and exponents, end in a product of 64 x 128 bits, which rounds correctly in all cases but one: when more
than 19 digits are written and those left out might matter. Then the answer is NaN, and Python's `float` has to tell.

D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51 (2021);
N. Mushtak and D. Lemire, Fast number parsing without fallback, the same, 53 (2023).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled_bytes import (
    INT,
    U,
    byte,
    called,
    double,
    eight,
    is_digit,
    leading,
    lowest,
    part,
    product,
)

ZEROS = U(0x3030303030303030)  # "00000000"
DOTS = U(0x1E1E1E1E1E1E1E1E)  # "........" xor "00000000"
HIGH, REST = U(0x8080808080808080), U(0x7F7F7F7F7F7F7F7F)
ABOVE9 = U(0x7676767676767676)  # added to a byte above 9, sets its high bit
FULL = U(0xFFFFFFFFFFFFFFFF)
PAIRS, FIRST_MUL, LAST_MUL = U(0x000000FF000000FF), U(100 + (1000000 << 32)), U(1 + (10000 << 32))
TENS = np.array([10.0**i for i in range(23)])  # exact
# What eight digits are divided by, where the dot was byte 0, …, 7, or nowhere (8); below 0 from 16 on, for numbers with
# a minus: so the sign costs no instruction of its own.
SHIFTS = np.array([10.0 ** max(0, 7 - i) for i in range(8)] + [1.0] * 8)
SHIFTS = np.concatenate([SHIFTS, -SHIFTS])
SMALLEST, LARGEST = -342, 308  # w 10^q with 0 < w < 2^64 is 0 below, infinite above


def fives() -> np.ndarray:
    """The leading 128 bits of 5^q; for -27 <= q < 0, where quotients may be exact, rounded up."""
    table = np.empty((LARGEST - SMALLEST + 1, 2), np.uint64)
    for q in range(SMALLEST, LARGEST + 1):
        power = 5 ** abs(q)
        c = power if q >= 0 else (1 << (2 * power.bit_length() + 128)) // power
        excess = c.bit_length() - 128
        c = (c >> excess if excess > 0 else c << -excess) + (-27 <= q < 0)
        table[q - SMALLEST] = c >> 64, c & (2**64 - 1)
    return table


FIVES = fives()


@part
def all_digits(d: Any) -> Any:
    """Are the eight bytes of d at most 9?"""
    return ((d + ABOVE9) | d) & HIGH == U(0)


@part
def joined(d: Any) -> Any:
    """Eight digits, the first in the lowest byte -> the number that they write."""
    d = d * U(10) + (d >> U(8))
    return ((d & PAIRS) * FIRST_MUL + ((d >> U(16)) & PAIRS) * LAST_MUL) >> U(32)


@part
def undotted(d: Any) -> Any:
    """Eight bytes without the dot among them, the byte that it was (8 where there is none), and whether there is one.

    Of two dots, one stays.
    """
    x = d ^ DOTS
    dot = ~(((x & REST) + REST) | x | REST)  # the high bit of each byte that is one
    before = (dot >> U(7)) - U(1)
    there = dot != U(0)
    closed = ((d & before) << U(8)) | (d & ~((before << U(8)) | U(255)))
    return closed if there else d, lowest(dot) >> 3, INT(there)


@called
def scaled(w: Any, q: Any) -> Any:
    """w 10^q, correctly rounded; NaN where that is infinite (Lemire 2021, Algorithm 1)."""
    if w == U(0) or q < SMALLEST:
        return 0.0
    if q > LARGEST:
        return np.nan
    if w <= U(1 << 53) and -22 <= q <= 22:  # both are exact, so that one rounding remains
        return np.float64(w) * TENS[q] if q >= 0 else np.float64(w) / TENS[-q]
    zeros = leading(w)
    w <<= U(zeros)
    high, low = product(w, FIVES[q - SMALLEST, 0])
    if high & U(0x1FF) == U(0x1FF):  # the bits below may carry
        more, _ = product(w, FIVES[q - SMALLEST, 1])
        low += more
        if low < more:
            high += U(1)
    top = INT(high >> U(63))
    m = high >> U(top + 9)
    e = ((217706 * q) >> 16) + 63 + top - zeros + 1023  # 217706 / 2^16 = log2(10)
    if e <= 0:  # subnormal
        if e <= -63:
            return 0.0
        m >>= U(1 - e)
        m += m & U(1)
        return double(m >> U(1))
    if low <= U(1) and -4 <= q <= 23 and m & U(3) == U(1) and m << U(top + 9) == high:
        m &= ~U(1)  # exactly half way: to even
    m += m & U(1)
    m >>= U(1)
    if m >= U(1 << 53):
        m = U(1 << 52)
        e += 1
    if e >= 2047:
        return np.nan
    return double((m & U((1 << 52) - 1)) | (U(e) << U(52)))


@called
def any_number(a: Any, b: Any) -> Any:
    """The number without sign in [a, b), of any length; NaN where there is none, or where only `float` can tell."""
    w, q, digits, point, more, p = U(0), 0, 0, False, False, a
    while p < b:
        if b - p >= 8 and w < U(10**11):
            d = eight(p) ^ ZEROS
            if all_digits(d):
                w = w * U(10**8) + joined(d)
                q -= 8 if point else 0
                digits += 8
                p += 8
                continue
        c = byte(p)
        if is_digit(c):
            if w < U(10**18):
                w = w * U(10) + (c - U(48))
                q -= 1 if point else 0
            else:  # 19 digits are there: of the others, only whether one is not 0 can count
                more |= c != U(48)
                q += 0 if point else 1
            digits += 1
        elif c == U(46) and not point:
            point = True
        else:
            break
        p += 1
    if digits == 0:
        return np.nan
    if p < b:
        if byte(p) | U(32) != U(101):
            return np.nan
        p += 1
        down = byte(p) == U(45)
        p += INT(down or byte(p) == U(43))
        if p >= b:
            return np.nan
        e = 0
        while p < b:
            c = byte(p) - U(48)
            if c > U(9):
                return np.nan
            e = min(e * 10 + INT(c), 1 << 40)
            p += 1
        q += -e if down else e
    v = scaled(w, q)
    return np.nan if more and v != scaled(w + U(1), q) else v


@called
def medium(a: Any, b: Any) -> Any:
    """The number without sign in [a, b), if it is at most 16 characters and perhaps an exponent such as e-02."""
    m, e = b, 0
    if (
        b - a > 4
        and byte(b - 4) | U(32) == U(101)
        and is_digit(byte(b - 2))
        and is_digit(byte(b - 1))
    ):
        sign = byte(b - 3)
        size = INT(byte(b - 2)) * 10 + INT(byte(b - 1)) - 528
        if sign == U(45) or sign == U(43):
            m, e = b - 4, -size if sign == U(45) else size
    n = m - a
    if n <= 16:
        last, first = eight(m - 8) ^ ZEROS, U(0)
        if n <= 8:
            last &= FULL << U(64 - 8 * n)
        else:
            first = (eight(m - 16) ^ ZEROS) & (FULL << U(128 - 8 * n))
        last, at, dot = undotted(last)
        after = 7 - at
        if dot:
            last |= first >> U(56)
            first <<= U(8)
        else:
            first, at, dot = undotted(first)
            after = (15 - at) * dot
        if all_digits(first) and all_digits(last) and n > dot:
            return scaled(joined(first) * U(10**8) + joined(last), e - after)
    return any_number(a, b)


@part
def number(a: Any, b: Any) -> Any:
    """The number in [a, b); NaN where there is none that is finite, or where only `float` can tell."""
    c = byte(a)
    down = c == U(45)
    a += INT(down) | INT(c == U(43))
    n = b - a
    if n <= 0:
        return np.nan
    if n <= 8:
        d, at, dot = undotted((eight(b - 8) ^ ZEROS) & (FULL << U(64 - 8 * n)))
        if all_digits(d) and n > dot:
            return np.float64(INT(joined(d))) / SHIFTS[U(at) | U(down) << U(4)]
    v = medium(a, b)
    return -v if down else v


@called
def some_number(a: Any, b: Any) -> Any:
    return number(a, b)
