"""Vowpal Wabbit's text -> rows, straight from bytes; compiled, without the interpreter's lock.

Lines are read together, up to 1,024 features of them, in two steps:

    1  from separator to separator (`compiled_bytes`): the bytes of each name and of each value, to words of 64 bits
    2  all names to hashes, all values to numbers: without a branch, so that LLVM makes eight at a time of it

5 to 8 ns a feature with its separators, where names and values one at a time took 8 to 12. What such words cannot hold
(weights of namespaces, values that are text, features without names) is read one by one, the lines around it as well;
what is out of the ordinary even then stops the loop, as in `compiled_text`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled_bytes import (
    BAR,
    COLON,
    INT,
    LINE,
    QUOTE,
    RETURN,
    SPACE,
    U,
    apart,
    bits_of,
    byte,
    called,
    eight,
    is_digit,
    is_white,
    loop,
    part,
    place,
    put_byte,
    put_eight,
    put_float,
    put_int,
)
from .compiled_hash import HASHED, hashed, hashes, some_hash
from .compiled_numbers import MINUS, ONE, READ, ZEROS, number, short_numbers, some_number
from .compiled_text import (
    BASED,
    BLANK,
    EMPTY,
    ENTRY,
    MANY,
    NAMES,
    NOTES,
    ODD,
    ROW,
    ROWS,
    SEP,
    VALUES,
)

MOST = np.finfo(np.float64).max
NO_HEAD, NO_FEATURES = (ODD, 0, np.nan, 1.0, 0, 0, 0), (ODD, 0, 0, 0)
TRIES = 8  # after so many lines, or groups of lines, that had to be read one by one, all are


@called
def vw_head(t: Any, seps: Any, s: Any) -> Any:
    """What stands before the first bar of a line -> what the line is, the bar's place; label, weight, words, tag."""
    apart()
    a = place(seps + 4 * s - 4) + 1 if s > 0 else 0
    p = place(seps + 4 * s)
    c = byte(t + p)
    label, weight, words, tag, tag_end = np.nan, 1.0, 0, 0, 0
    while True:
        if p > a:  # a word before the first bar
            if tag_end > 0:
                return NO_HEAD
            first = byte(t + a)
            if c == BAR or first == QUOTE:
                tag, tag_end = a + INT(first == QUOTE), p
            else:
                v = some_number(t + a, t + p)
                if v != v or words > 2:
                    return NO_HEAD
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
        return EMPTY, s + 1 + INT(c == RETURN), label, weight, words, tag, tag_end
    if c != BAR or weight < 0.0:
        return NO_HEAD
    return ROWS, s, label, weight, words, tag, tag_end


@part
def vw_features(
    t: Any,
    seps: Any,
    s: Any,
    mask: Any,
    control: Any,
    ind: Any,
    val: Any,
    let: Any,
    k: Any,
) -> Any:
    """The features of a line, from the bar at separator s on -> what it is, the next separator, entry; values of 0."""
    zeros, c = 0, BAR
    p = place(seps + 4 * s)
    while c == BAR:
        a = p + 1
        s += 1
        p = place(seps + 4 * s)
        c = byte(t + p)
        seed, scale, letter, nameless = U(0), 1.0, SPACE, U(0)
        if p > a:
            letter = byte(t + a)
            if control and (letter <= SPACE or byte(t + p - 1) <= SPACE):
                return NO_FEATURES
            seed = some_hash(t + a, t + p, U(0))
            if c == COLON:
                a = p + 1
                s += 1
                p = place(seps + 4 * s)
                c = byte(t + p)
                scale = some_number(t + a, t + p)
                if scale != scale:
                    return NO_FEATURES
        while is_white(c):
            a = p + 1
            s += 1
            p = place(seps + 4 * s)
            c = byte(t + p)
            if p == a and c != COLON:
                continue  # two spaces, or one at the end
            e, v, g = p, scale, seed
            if control and e > a and (byte(t + a) <= SPACE or byte(t + e - 1) <= SPACE):
                return NO_FEATURES
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
                        return NO_FEATURES
                    if first == U(43) or first == U(45) or begins == U(105) or begins == U(110):
                        return NO_FEATURES
                    v = 1.0
                    g = some_hash(t + e + 1, t + p, g)  # name:text
                elif e == a:
                    g = seed + nameless
                    nameless += U(1)
            put_int(ind + 4 * k, INT(g & mask))
            put_float(val + 8 * k, v)
            if let != 0:
                put_byte(let + k, letter)
            # A value of 0 is left out later: where the place of the next entry waited for this value, loads waited for
            # stores to places that were not known yet (19 ns a feature, not 8).
            k += 1
            zeros += INT(v == 0.0)
    if c == RETURN and byte(t + p + 1) == LINE:
        s += 1
    elif c != LINE:
        return NO_FEATURES
    return ROWS, s + 1, k, zeros


@part
def usual_features(t: Any, seps: Any, s: Any, name: Any, end: Any) -> Any:
    """As `vw_features`, for features with names in namespaces without weights, as many as fit before `end`
    -> what the line is, the next separator, features; how many have values.

    Names and values are left as words, with notes, for `hashes` and `short_numbers`.
    """
    begin, values, c = name, 0, BAR
    p = place(seps + 4 * s)
    while c == BAR:
        a = p + 1
        s += 1
        p = place(seps + 4 * s)
        c = byte(t + p)
        seed = some_hash(t + a, t + p, U(0)) if p > a else U(0)
        while is_white(c):
            a = p + 1
            s += 1
            p = place(seps + 4 * s)
            c = byte(t + p)
            n = p - a
            if n == 0 and c != COLON:
                continue  # two spaces, or one at the end
            if n == 0 or name == end:
                return NO_FEATURES
            letters, note = eight(t + a), U(n) | (seed << U(32))
            if n < 8 and not is_digit(letters & U(255)):
                letters &= (U(1) << U(8 * n)) - U(1)
            else:
                letters, note = some_hash(t + a, t + p, seed), HASHED
            v = ONE
            if c == COLON:
                written = t + p + 1
                s += 1
                p = place(seps + 4 * s)
                c = byte(t + p)
                first = byte(written)
                down = first == U(45)
                e = written + (INT(down) | INT(first == U(43))) - t
                v = (eight(t + e) ^ ZEROS) << U(64 - 8 * (p - e) & 63)
                if U(p - e - 1) < U(8) and v < MINUS:
                    v |= U(down) << U(63)
                else:
                    x = some_number(written, t + p)
                    if x != x:
                        return NO_FEATURES
                    v, note = bits_of(x), note | READ
                values += 1
            put_eight(name, letters)
            put_eight(name + 8 * MANY, note)
            put_eight(name + 16 * MANY, v)
            name += 8
    if c == RETURN and byte(t + p + 1) == LINE:
        s += 1
    elif c != LINE:
        return NO_FEATURES
    return ROWS, s + 1, (name - begin) >> 3, values


@called
def without_zeros(ind: Any, val: Any, let: Any, begin: Any, end: Any) -> Any:
    """Leave out the entries of value 0 from `begin` to `end`; -> the new end."""
    apart()
    k = begin
    for i in range(begin, end):
        v = eight(val + 8 * i)
        put_int(ind + 4 * k, place(ind + 4 * i))
        put_eight(val + 8 * k, v)
        if let != 0:
            put_byte(let + k, byte(let + i))
        k += INT(v << U(1) != U(0))  # all but the sign
    return k


@called
def finished(
    now: Any,
    written: Any,
    mask: Any,
    first: Any,
    row: Any,
    ptr: Any,
    k: Any,
    end: Any,
    index: Any,
    value: Any,
) -> Any:
    """Step 2, for the rows from `first` to `row` and their entries from k to `end`; `written`: some have values.

    -> are all values numbers; where the entries end, when those of value 0 are left out
    """
    apart()
    n, zeros, fine = end - k, 0, True
    if written:
        fine, zeros = short_numbers(now, VALUES, NOTES, n, value, k)
    else:
        for i in range(n):
            value[U(k) + U(i)] = 1.0
    hashes(now, NAMES, NOTES, n, mask, index, k)
    if fine and zeros > 0:
        begin = k
        for r in range(first, row):
            after = ptr[r + 1]
            for i in range(begin, after):
                v = value[U(i)]
                index[U(k)], value[U(k)] = index[U(i)], v
                k += INT(v != 0.0)
            begin, ptr[r + 1] = after, k
        end = k
    return fine, end


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
    words = INT(now.ctypes.data) + 8 * NAMES
    s, row, k, blank, based = now[SEP], now[ROW], now[ENTRY], now[BLANK], now[BASED]
    group, base = (s, row, blank, based), k  # where the lines that are being read together begin
    written, tries, single = 0, TRIES if let == 0 and not control else 0, s
    while s < n or k > base:
        start, kind, together = s, ODD, False
        label, weight, numbers, tag, tag_end = np.nan, 1.0, 0, 0, 0
        if s < n:
            kind, s, label, weight, numbers, tag, tag_end = vw_head(t, seps, s)
        if kind == ROWS and tries > 0 and start >= single:
            what, after, m, more = usual_features(
                t, seps, s, words + 8 * (k - base), words + 8 * MANY
            )
            if what == ROWS:
                together, s, k, written = True, after, k + m, written + more
        if kind != EMPTY and not together and k > base:  # the group ends before this line
            fine, k = finished(now, written > 0, mask, group[1], row, ptr, base, k, index, value)
            if fine:
                s, tries = start, TRIES
            else:  # once more, one by one
                k, single, tries = base, start, tries - 1
                s, row, blank, based = group
            group, base, written = (s, row, blank, based), k, 0
            continue
        if kind == ROWS and not together:
            kind, s, k, zeros = vw_features(t, seps, s, mask, control, ind, val, let, k)
            if zeros > 0:
                k = without_zeros(ind, val, let, base, k)
            tries -= INT(tries > 0 and start >= single)
        if kind == ODD:
            s, k = start, base
            break
        if kind == EMPTY:
            blank += 1
        else:
            y[row] = label if weight > 0.0 else np.nan
            h[row] = weight
            if tags.shape[0] > 0:
                tags[row, 0], tags[row, 1] = tag, tag_end
            row += 1
            ptr[row] = k
            based += INT(numbers == 3)
        if not together and (kind == ROWS or k == base):
            group, base = (s, row, blank, based), k
    now[SEP], now[ROW], now[ENTRY], now[BLANK], now[BASED] = s, row, k, blank, based
    return bool(s >= n)
