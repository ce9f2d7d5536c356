"""libsvm text -> rows, straight from bytes; compiled, without the interpreter's lock. For VW text, see `compiled_vw`.

    1  compare 64 bytes at a time with every separator: one bit a byte; write down where the bits are
    2  from separator to separator:  label, (name or index, value), (name or index, value), …, end of line

Stage 2 never searches for the end of a token, so that the processor works on several at once. Whatever is out of the
ordinary in a line stops the loop before that line: `text_parser` hands it to the Python parser of its format, which
reads it or says what is wrong with it.

About 1 GB/s on one core, or 10 ns a feature; VW text 1.4 GB/s, or 5 to 8.
G. Langdale and D. Lemire, Parsing gigabytes of JSON per second, VLDB Journal 28 (2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled_bytes import (
    COLON,
    HASH,
    INT,
    LINE,
    RETURN,
    SPACE,
    U,
    apart,
    byte,
    called,
    eight,
    is_white,
    loop,
    part,
    place,
    put_float,
    put_int,
)
from .compiled_numbers import FULL, ZEROS, all_digits, joined, number, some_number

# What the loops over lines know, and hand back: the place of each number in the array `now`. After them come the
# features of a few lines that are read together: names, notes and values, a word each.
SEP, ROW, ENTRY, BLANK, UNSORTED, BASED, TOP, NAMES = range(8)
MANY = 1024  # words of each kind: 24 kB, which stay in the first cache
NOTES, VALUES = NAMES + MANY, NAMES + 2 * MANY
NOW = NAMES + 3 * MANY
QID = U(0x646971)  # "qid"
ROWS, EMPTY, ODD = 0, 1, 2  # what a line is: a row, nothing, or out of the ordinary
NO_SVMLIGHT = ODD, 0, 0, np.nan, -1, 0


@called
def long_index(a: Any, b: Any) -> Any:
    """Nine digits or more; -1 where it is something else."""
    apart()
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
