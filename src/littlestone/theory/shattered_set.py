"""The search for a shattered set: k points on which a sign matrix shows all 2^k patterns.

`shattered` is compiled where Numba is (compiled_shattered_set.py): a random 1024 x 32 matrix has 8 shattered points,
and to refute 9 takes 1.7 million looks at a column: half a second. The same text in plain Python is for small matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..engine.compile import has_numba

LIMIT = 20_000_000_000  # a compiled search reads at most so many words of 64 hypotheses, in about a minute
PLAIN_LIMIT = 2_000_000  # the same without Numba
ROOM = 1 << 27  # the patterns of a search take at most so many words: 1 GB
SMALL = 500  # for a matrix of at most so many entries plain Python is faster than loading Numba
FOUND, TOO_MANY = 1, -1


def shattered(C: Any, n: int, k: int, limit: int, chosen: Any) -> int:
    """Write k rows of C that show all 2^k patterns into `chosen`; 1 if there are any, 0 if not, -1 at the limit.

    A row of C is a point, as a bitmask of the n hypotheses that are +1 there, 64 a word. A set of s points is part of a
    shattered set of k only if each of its 2^s patterns is shown 2^(k-s) times or more. What fails that test beside a
    set fails beside every larger one, so each set hands down the list of those that passed, and where the list is
    too short the search turns back. P holds the hypotheses that show each pattern of the points chosen so far: those of
    s points from row 2^s - 1 on.
    """
    m, W = C.shape
    P = np.zeros((2 << k, W), np.uint64)
    size = np.zeros(2 << k, np.int64)
    others = np.zeros((k + 1, m), np.int64)
    count = np.zeros(k + 1, np.int64)
    at = np.zeros(k + 1, np.int64)
    one, two, four = np.uint64(1), np.uint64(2), np.uint64(4)
    pairs, nibbles = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    octets, low = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x7F)
    for i in range(n):
        P[0, i // 64] |= one << np.uint64(i % 64)
    size[0] = n
    depth, work, entering = 0, 0, True
    while depth >= 0:
        if depth == k:
            return 1
        base = (1 << depth) - 1
        if entering:
            need, passed = 1 << (k - depth - 1), 0
            first = 0 if depth == 0 else at[depth - 1] + 1
            last = m if depth == 0 else count[depth - 1]
            for c in range(first, last):
                j = c if depth == 0 else others[depth - 1, c]
                fits, p = True, base
                while fits and p < base + (1 << depth):
                    ones = np.uint64(0)
                    for w in range(W):  # count the bits that the two have in common
                        v = P[p, w] & C[j, w]
                        v = v - ((v >> one) & pairs)
                        v = (v & nibbles) + ((v >> two) & nibbles)
                        v = (v + (v >> four)) & octets
                        v = v + (v >> np.uint64(8))
                        v = v + (v >> np.uint64(16))
                        ones += (v + (v >> np.uint64(32))) & low
                    fits = need <= np.int64(ones) <= size[p] - need
                    p += 1
                work += (p - base) * W
                if fits:
                    others[depth, passed] = j
                    passed += 1
            if work > limit:
                return -1
            count[depth], at[depth] = passed, -1
        at[depth] += 1
        if count[depth] - at[depth] < k - depth:
            depth, entering = depth - 1, False
            continue
        j = others[depth, at[depth]]
        chosen[depth] = j
        put = (2 << depth) - 1
        for p in range(base, base + (1 << depth)):
            total = np.uint64(0)
            for w in range(W):
                v = P[p, w] & C[j, w]
                P[put, w] = P[p, w] ^ v
                P[put + 1, w] = v
                v = v - ((v >> one) & pairs)
                v = (v & nibbles) + ((v >> two) & nibbles)
                v = (v + (v >> four)) & octets
                v = v + (v >> np.uint64(8))
                v = v + (v >> np.uint64(16))
                total += (v + (v >> np.uint64(32))) & low
            size[put] = size[p] - np.int64(total)
            size[put + 1] = np.int64(total)
            put += 2
        depth, entering = depth + 1, True
    return 0


def shattered_columns(S: NDArray[np.bool_], k: int) -> tuple[int, ...] | None:
    """k columns of S that show all 2^k patterns, or None where no k columns do.

    >>> S = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 0]], bool)
    >>> shattered_columns(S, 2), shattered_columns(S, 3)
    ((0, 1), None)
    """
    if k > S.shape[1] or 1 << k > len(S):
        return None
    packed = np.packbits(S.T, axis=1, bitorder="little")
    C = np.zeros((S.shape[1], 8 * -(-len(S) // 64)), np.uint8)
    C[:, : packed.shape[1]] = packed
    C = C.view("<u8").astype(np.uint64)
    if (2 << k) * C.shape[1] > ROOM:
        raise BadInput(
            f"vc_dimension: it is {k - 1} or more; there is no room to search {len(S):,} hypotheses for {k} shattered "
            "points; give fewer hypotheses"
        )
    search, limit = shattered, PLAIN_LIMIT
    if has_numba() and S.size > SMALL:
        from .compiled_shattered_set import compiled

        search, limit = compiled, LIMIT
    chosen = np.zeros(k, np.int64)
    found = search(C, len(S), k, limit, chosen)
    if found == TOO_MANY:
        raise BadInput(
            f"vc_dimension: it is {k - 1} or more, and a search for {k} shattered points among {S.shape[1]} takes too "
            "long; give fewer points or fewer hypotheses"
        )
    return tuple(int(j) for j in chosen) if found == FOUND else None
