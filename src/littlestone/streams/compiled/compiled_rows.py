"""Sparse rows -> sparse rows: repeated indices added up, interactions multiplied out; compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..text.vw_hash import PRIME as PLAIN_PRIME
from .compiled_bytes import INT, U, loop, lowest, part

PRIME = U(PLAIN_PRIME)
GOLDEN, WORD = U(2654435769), U(0xFFFFFFFF)  # 2^32 over the golden ratio


@part
def same(index: Any, a: Any, b: Any, n: Any) -> Any:
    """Are the n indices from a on those from b on? All are compared: without a branch they go 16 at a time."""
    if index[a] != index[b]:
        return False
    differ = index[a] ^ index[b]
    for i in range(n):
        differ |= index[U(a + i)] ^ index[U(b + i)]
    return differ == 0


@loop
def add_up(ptr: Any, index: Any, value: Any, table: Any, base: int) -> int:
    """Let each index occur once a row; -> the number of the first row whose sum is infinite, or -1.

    The table is a hash table with open addressing, never emptied: of an index in this row it holds base + its place,
    and whatever is smaller than base + the row's first place is from an earlier row. A row with the indices of the row
    before, in their order, has none twice, as that one had none: dense data are such rows, and comparing takes a
    seventh of the time. Places are unsigned: Numba lets others count from the end, which took 40% of the time.
    """
    m = U(table.shape[0] - 1)
    shift = U(32 - lowest(U(table.shape[0])))
    k, last = 0, 0
    for row in range(ptr.shape[0] - 1):
        begin, end, start = ptr[row], ptr[row + 1], k
        ptr[row] = k
        n, before, last = end - begin, last, start
        if n == start - before and n > 0 and same(index, before, begin, n):
            if begin > start:
                for i in range(n):
                    index[start + i] = index[begin + i]
                    value[start + i] = value[begin + i]
            k += n
            continue
        for i in range(begin, end):
            j, v = index[U(i)], value[U(i)]
            # of the high bits: indices may be multiples of a power of two
            slot = (U(j) * GOLDEN & WORD) >> shift
            at = table[slot] - base
            while at >= start and index[U(at)] != j:
                slot = (slot + U(1)) & m
                at = table[slot] - base
            if at >= start:
                value[U(at)] += v
                if value[U(at)] - value[U(at)] != 0.0:
                    return row
            else:
                table[slot] = base + k
                index[U(k)] = j
                value[U(k)] = v
                k += 1
    ptr[ptr.shape[0] - 1] = k
    return -1


@loop
def crossings(ptr: Any, letters: Any, sets: Any) -> Any:
    """Entries of each row, with its products of features, one of each letter of a set."""
    sizes = np.zeros(ptr.shape[0] - 1, np.int64)
    for row in range(sizes.shape[0]):
        size = float(ptr[row + 1] - ptr[row])
        for r in range(sets.shape[0]):
            ways, times = 1.0, 0
            for order in range(sets.shape[1]):
                if sets[r, order] == 0:
                    break
                n = 0
                for i in range(ptr[row], ptr[row + 1]):
                    n += INT(letters[i] == sets[r, order])
                times = times + 1 if order > 0 and sets[r, order] == sets[r, order - 1] else 1
                ways = ways * (n + times - 1) / times  # of one letter: combinations
            size += ways
        sizes[row] = INT(min(size, 4e18))
    return sizes


@loop
def cross(
    ptr: Any, index: Any, value: Any, letters: Any, sets: Any, bits: int, out: Any, at: Any, to: Any
) -> int:
    """Rows with their products of features, one of each letter of a set; -> as `add_up`."""
    mask = (U(1) << U(bits)) - U(1)
    k, depth = 0, sets.shape[1]
    most = 1
    for row in range(ptr.shape[0] - 1):
        most = max(most, ptr[row + 1] - ptr[row])
    members = np.empty((depth, most), np.int64)  # entries of each letter of the set
    count = np.zeros(depth, np.int64)
    odometer = np.zeros(depth, np.int64)
    out[0] = 0
    for row in range(ptr.shape[0] - 1):
        begin, end = ptr[row], ptr[row + 1]
        for i in range(begin, end):
            at[k] = index[i]
            to[k] = value[i]
            k += 1
        for r in range(sets.shape[0]):
            order = 0
            possible = True
            while order < depth and sets[r, order] != 0:
                n = 0
                for i in range(begin, end):
                    if letters[i] == sets[r, order]:
                        members[order, n] = i
                        n += 1
                count[order] = n
                possible = possible and n > 0
                odometer[order] = 0
                order += 1
            last = order - 1
            while possible:
                g, v = U(0), 1.0
                for o in range(last):
                    i = members[o, odometer[o]]
                    g = (g * PRIME) ^ U(index[i])
                    v *= value[i]
                g *= PRIME
                for o in range(odometer[last], count[last]):
                    i = members[last, o]
                    w = v * value[i]
                    at[k] = INT((g ^ U(index[i])) & mask)
                    to[k] = w
                    k += INT(w != 0.0)
                    if w - w != 0.0:
                        return row
                o = last - 1
                while o >= 0 and odometer[o] == count[o] - 1:
                    o -= 1
                if o < 0:
                    break
                odometer[o] += 1
                for below in range(o + 1, order):  # of one letter: combinations, not permutations
                    same = sets[r, below] == sets[r, below - 1]
                    odometer[below] = odometer[below - 1] if same else 0
        out[row + 1] = k
    return -1
