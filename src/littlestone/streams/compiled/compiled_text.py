"""libsvm and Vowpal Wabbit text -> rows, straight from bytes; compiled, without the interpreter's lock.

    1  compare 64 bytes at a time with every separator: one bit a byte; write down where the bits are
    2  from separator to separator:  label, (name or index, value), (name or index, value), …, end of line

Stage 2 never searches for the end of a token, so that the processor works on several at once. Whatever is out of the
ordinary in a line stops the loop before that line: `text_parser` hands it to the Python parser of its format, which
reads it or says what is wrong with it.

1 GB/s on one core, or 10 ns a feature.
G. Langdale and D. Lemire, Parsing gigabytes of JSON per second, VLDB Journal 28 (2019);
A. Appleby, MurmurHash3 (2011, public domain).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled_bytes import (
    BAR,
    COLON,
    HASH,
    INT,
    LINE,
    QUOTE,
    RETURN,
    SPACE,
    U32,
    U,
    byte,
    called,
    eight,
    four,
    is_digit,
    is_white,
    loop,
    part,
    place,
    put_byte,
    put_float,
    put_int,
)
from .compiled_numbers import FULL, ZEROS, all_digits, joined, number, some_number

# What the loops over lines know, and hand back: the place of each number in the array `now`.
SEP, ROW, ENTRY, BLANK, UNSORTED, BASED, TOP, NOW = range(8)
QID = U(0x646971)  # "qid"
MOST = np.finfo(np.float64).max
ROWS, EMPTY, ODD = 0, 1, 2  # what a line is: a row, nothing, or out of the ordinary
NO_SVMLIGHT, NO_VW = (ODD, 0, 0, np.nan, -1, 0), (ODD, 0, 0, np.nan, 1.0, 0, 0, 0)


@called
def long_index(a: Any, b: Any) -> Any:
    """Nine digits or more; -1 where it is something else."""
    v = 0 if a < b else -1
    while a < b:
        c = byte(a) - U(48)
        if c > U(9):
            return -1
        v = min(v * 10 + INT(c), 1 << 40)
        a += 1
    return v


@part
def svmlight_line(t: Any, seps: Any, s: Any, limit: Any, ind: Any, val: Any, k: Any) -> Any:
    """One line from separator s on -> what it is, the next separator, entry; label, top index, disorder."""
    a = place(seps + 4 * s - 4) + 1 if s > 0 else 0
    p = place(seps + 4 * s)
    c = byte(t + p)
    while p == a and is_white(c):
        s, a = s + 1, a + 1
        p = place(seps + 4 * s)
        c = byte(t + p)
    kind, label, last, top, unsorted = ROWS, np.nan, -1, -1, 0
    if c == COLON:  # no label: back to what stands before the first feature
        s, p, c = s - 1, a - 1, SPACE
    elif p > a:
        label = some_number(t + a, t + p)
        if label != label:
            return NO_SVMLIGHT
    else:
        kind = EMPTY
    while is_white(c):
        a = p + 1
        s += 1
        p = place(seps + 4 * s)
        c = byte(t + p)
        if c != COLON:
            if p == a:
                continue  # two spaces, or one at the end
            return NO_SVMLIGHT
        e = p
        s += 1
        p = place(seps + 4 * s)
        c = byte(t + p)
        v = number(t + e + 1, t + p)
        d = (eight(t + e - 8) ^ ZEROS) & (FULL << U(64 - 8 * (e - a)))
        if 0 < e - a <= 8 and all_digits(d):
            j = INT(joined(d))
        elif v == v and e - a == 3 and eight(t + a) & U(0xFFFFFF) == QID:
            continue
        else:
            j = long_index(t + a, t + e)
        if v != v or j < 0 or j > limit:
            return NO_SVMLIGHT
        put_int(ind + 4 * k, j)
        put_float(val + 8 * k, v)
        k += 1
        unsorted += INT(j <= last)
        top = max(top, j)
        last = j
    if c == HASH:
        while c != LINE:
            s += 1
            c = byte(t + place(seps + 4 * s))
    elif c == RETURN and byte(t + p + 1) == LINE:
        s += 1
    elif c != LINE:
        kind = ODD
    return kind, s + 1, k, label, top, unsorted


@loop
def svmlight_rows(
    t: int, places: Any, n: int, limit: int, now: Any, y: Any, ptr: Any, index: Any, value: Any
) -> bool:
    """Rows from the separator now[SEP] on; False: the line there is out of the ordinary."""
    seps, ind, val = INT(places.ctypes.data), INT(index.ctypes.data), INT(value.ctypes.data)
    s, row, k = now[SEP], now[ROW], now[ENTRY]
    while s < n:
        kind, s, k, label, top, unsorted = svmlight_line(t, seps, s, limit, ind, val, k)
        if kind == ODD:
            return False
        if kind == ROWS:
            y[row] = label
            row += 1
            ptr[row] = k
            now[TOP] = max(now[TOP], top)
            now[UNSORTED] += unsorted
        else:
            now[BLANK] += 1
        now[SEP], now[ROW], now[ENTRY] = s, row, k
    return True


@part
def turned(x: Any, r: Any) -> Any:
    return U32(x << U32(r)) | U32(x >> U32(32 - r))


@part
def stirred(k: Any) -> Any:
    return U32(turned(U32(k * U32(0xCC9E2D51)), 15) * U32(0x1B873593))


@part
def murmur(a: Any, b: Any, seed: Any) -> Any:
    """MurmurHash3 of the bytes [a, b). Numba widens what it multiplies or shifts: hence U32 all over the place."""
    h, n, p = U32(seed), b - a, a
    while p + 4 <= b:
        h = U32(turned(U32(h ^ stirred(four(p))), 13) * U32(5) + U32(0xE6546B64))
        p += 4
    rest = four(p) & U32(
        (U(1) << U(8 * (n & 3))) - U(1)
    )  # 0 where nothing is left, which changes nothing
    h = U32(h ^ stirred(U32(rest)))
    h = U32(h ^ U32(n))
    h = U32(U32(h ^ U32(h >> U32(16))) * U32(0x85EBCA6B))
    h = U32(U32(h ^ U32(h >> U32(13))) * U32(0xC2B2AE35))
    return U(U32(h ^ U32(h >> U32(16))))


@part
def hashed(a: Any, b: Any, seed: Any) -> Any:
    """As Vowpal Wabbit: a name of digits is a number, added to the seed; any other is hashed."""
    if is_digit(byte(a)):
        number, p = U(0), a
        while p < b and is_digit(byte(p)):
            number = number * U(10) + (byte(p) - U(48))
            p += 1
        if p == b:
            return number + seed
    return murmur(a, b, seed)


@called
def some_hash(a: Any, b: Any, seed: Any) -> Any:
    return hashed(a, b, seed)


@part
def vw_line(
    t: Any, seps: Any, s: Any, mask: Any, control: Any, ind: Any, val: Any, let: Any, k: Any
) -> Any:
    """One line from separator s on -> what it is, the next separator, entry; label, weight, words, tag."""
    a = place(seps + 4 * s - 4) + 1 if s > 0 else 0
    p = place(seps + 4 * s)
    c = byte(t + p)
    label, weight, words, tag, tag_end = np.nan, 1.0, 0, 0, 0
    while True:
        if p > a:  # a word before the first bar
            if tag_end > 0:
                return NO_VW
            first = byte(t + a)
            if c == BAR or first == QUOTE:
                tag, tag_end = a + INT(first == QUOTE), p
            else:
                v = some_number(t + a, t + p)
                if v != v or words > 2:
                    return NO_VW
                label = v if words == 0 else label
                weight = v if words == 1 else weight
                words += 1
        if c != SPACE:
            break
        s += 1
        a = p + 1
        p = place(seps + 4 * s)
        c = byte(t + p)
    if words + tag_end == 0 and (c == LINE or (c == RETURN and byte(t + p + 1) == LINE)):
        return EMPTY, s + 1 + INT(c == RETURN), k, label, weight, words, tag, tag_end
    if c != BAR or weight < 0.0:
        return NO_VW
    while c == BAR:
        a = p + 1
        s += 1
        p = place(seps + 4 * s)
        c = byte(t + p)
        seed, scale, letter, nameless = U(0), 1.0, SPACE, U(0)
        if p > a:
            letter = byte(t + a)
            if control and (letter <= SPACE or byte(t + p - 1) <= SPACE):
                return NO_VW
            seed = some_hash(t + a, t + p, U(0))
            if c == COLON:
                a = p + 1
                s += 1
                p = place(seps + 4 * s)
                c = byte(t + p)
                scale = some_number(t + a, t + p)
                if scale != scale:
                    return NO_VW
        while is_white(c):
            a = p + 1
            s += 1
            p = place(seps + 4 * s)
            c = byte(t + p)
            if p == a and c != COLON:
                continue  # two spaces, or one at the end
            e, v, g = p, scale, seed
            if control and e > a and (byte(t + a) <= SPACE or byte(t + e - 1) <= SPACE):
                return NO_VW
            if e > a:
                g = hashed(t + a, t + e, seed)
            if c == COLON:
                s += 1
                p = place(seps + 4 * s)
                c = byte(t + p)
                v = number(t + e + 1, t + p) * scale
                # one comparison, of a number that is none and of one that is too large: 4% of the time of dense text
                if not abs(v) <= MOST:
                    first = byte(t + e + 1)
                    begins = first | U(32)  # nan, inf, or a number that is none
                    if control or p == e + 1 or c == BAR or is_digit(first) or first == U(46):
                        return NO_VW
                    if first == U(43) or first == U(45) or begins == U(105) or begins == U(110):
                        return NO_VW
                    v = 1.0
                    g = some_hash(t + e + 1, t + p, g)  # name:text
                elif e == a:
                    g = seed + nameless
                    nameless += U(1)
            put_int(ind + 4 * k, INT(g & mask))
            put_float(val + 8 * k, v)
            if let != 0:
                put_byte(let + k, letter)
            k += INT(v != 0.0)
    if c == RETURN and byte(t + p + 1) == LINE:
        s += 1
    elif c != LINE:
        return NO_VW
    return ROWS, s + 1, k, label, weight, words, tag, tag_end


@loop
def vw_rows(
    t: int,
    places: Any,
    n: int,
    bits: int,
    control: bool,
    now: Any,
    y: Any,
    h: Any,
    ptr: Any,
    index: Any,
    value: Any,
    letters: Any,
    tags: Any,
) -> bool:
    """Rows from the separator now[SEP] on; False: the line there is out of the ordinary."""
    seps, ind, val = INT(places.ctypes.data), INT(index.ctypes.data), INT(value.ctypes.data)
    let = INT(letters.ctypes.data) if letters.shape[0] > 0 else 0
    mask = (U(1) << U(bits)) - U(1)
    s, row, k = now[SEP], now[ROW], now[ENTRY]
    while s < n:
        kind, s, k, label, weight, words, tag, tag_end = vw_line(
            t, seps, s, mask, control, ind, val, let, k
        )
        if kind == ODD:
            return False
        if kind == ROWS:
            y[row] = label if weight > 0.0 else np.nan
            h[row] = weight
            if tags.shape[0] > 0:
                tags[row, 0], tags[row, 1] = tag, tag_end
            row += 1
            ptr[row] = k
            now[BASED] += INT(words == 3)
        else:
            now[BLANK] += 1
        now[SEP], now[ROW], now[ENTRY] = s, row, k
    return True
