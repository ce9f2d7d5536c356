"""Digits -> the number that they write, correctly rounded; compiled.

Up to 16 characters are one chain of multiplications in one register: no loop, so no branch that is mispredicted; and of
many numbers of up to eight characters, eight are made at a time (`short_numbers`). More of them, and exponents, end in
a product of 64 x 128 bits, which rounds correctly in all cases but one: when more than 19 digits are written and those
left out might matter. Then the answer is NaN, and Python's `float` has to tell.

D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51 (2021);
N. Mushtak and D. Lemire, Fast number parsing without fallback, the same, 53 (2023).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled_bytes import (
    INT,
    U,
    apart,
    byte,
    called,
    decimal,
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
FIFTH = U(0x1010101010101010)  # a bit that "." xor "0" has, and no digit xor "0"
DOT = U(0x1E << 56)  # ".", alone
ONE, MINUS = U(1 << 56), U(1 << 63)  # "1"; what a number below 0 has besides
READ = U(1 << 8)  # a note: this word is a number already
ABOVE9 = U(0x7676767676767676)  # added to a byte above 9, sets its high bit
FULL = U(0xFFFFFFFFFFFFFFFF)
PAIRS, FIRST_MUL, LAST_MUL = U(0x000000FF000000FF), U(100 + (1000000 << 32)), U(1 + (10000 << 32))
TENS = np.array([10.0**i for i in range(23)])  # exact
# What the digits are divided by, where the dot was byte 0, …, 15, or nowhere (16); below 0 from 32 on, for numbers with
# a minus: so the sign costs no instruction of its own.
SHIFTS = np.array([10.0 ** (15 - i) for i in range(16)] + [1.0] * 16)
SHIFTS = np.concatenate([SHIFTS, -SHIFTS])
EXACT = U(2**53 // 10**8)  # what precedes eight digits of a number below 2^53
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
    apart()
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
    apart()
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
    apart()
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
    """The number in [a, b); NaN where there is none that is finite, or where only `float` can tell.

    Up to 16 characters are read at once, where the digits write a number below 2^53: it and a power of ten are exact.
    """
    c = byte(a)
    down = c == U(45)
    a += INT(down) | INT(c == U(43))
    n = b - a
    if U(n - 1) < U(16):
        first, last, dot, digits, wrong = decimal(b, n)
        if wrong == U(0) and digits > U(0) and first < EXACT:
            return np.float64(INT(first * U(10**8) + last)) / SHIFTS[dot | U(down) << U(5)]
    v = medium(a, b)
    return -v if down else v


@called
def some_number(a: Any, b: Any) -> Any:
    apart()
    return number(a, b)


@called
def short_numbers(words: Any, at: Any, notes: Any, n: Any, values: Any, k: Any) -> Any:
    """n numbers of up to eight characters, each in one word -> were all of them numbers, and how many are 0?

    The words begin at `at`, their notes at `notes`, and the numbers go to the values from k on. All places are
    unsigned, as in `compiled_rows.add_up`.

    A word has the last character in its highest byte, each xor "0"; its highest bit is the sign. The first byte with
    the fifth bit is taken for the dot, and must become 0 when a dot is taken from it, as the others must be at most 9.
    With the note READ, a word is a number already. LLVM makes eight at a time of it, as there is no branch: 1.2 ns a
    number, where one at a time took 5.
    """
    apart()
    wrong, zeros = U(0), 0
    for i in range(n):
        word, read = U(words[U(at) + U(i)]), U(words[U(notes) + U(i)]) & READ
        d = word & ~MINUS & (U(0) - U(read == U(0)))
        fifth = d & FIFTH
        dot = (fifth & (U(0) - fifth)) >> U(4)  # 1 in the byte of the dot
        e = d ^ ((dot << U(5)) - (dot << U(1)))
        wrong |= ((e + (ABOVE9 + (dot << U(3)) + dot)) | e) & HIGH
        wrong |= U(d == DOT)
        before = e & ((dot - U(1)) & (U(0) - U(dot != U(0))))
        v = np.float64(
            INT(joined(e + (before << U(8)) - before))
        )  # what precedes the dot, moved to it
        v /= SHIFTS[U(lowest(fifth) >> 3) + U(8)]
        v = v if word < MINUS else -v
        v = v if read == U(0) else double(word)
        values[U(k) + U(i)] = v
        zeros += INT(v == 0.0)
    return wrong == U(0), zeros
