"""Vowpal Wabbit's hash of a feature's name; compiled. `text.vw_hash` is the same in plain Python.

A. Appleby, MurmurHash3 (2011, public domain).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled_bytes import U32, U, apart, byte, called, eight, four, is_digit, part

# A note: the word is a hash already. Otherwise it is a name; the note is its size, and 32 bits higher, the seed.
HASHED = U(255)


@part
def turned(x: Any, r: Any) -> Any:
    return U32(x << U32(r)) | U32(x >> U32(32 - r))


@part
def stirred(k: Any) -> Any:
    return U32(turned(U32(k * U32(0xCC9E2D51)), 15) * U32(0x1B873593))


@part
def mixed(h: Any, k: Any) -> Any:
    return U32(turned(U32(h ^ stirred(k)), 13) * U32(5) + U32(0xE6546B64))


@part
def ended(h: Any, rest: Any, n: Any) -> Any:
    """The hash of n bytes, of which the last (n mod 4), or 0 where there are none, are still to be mixed in."""
    h = U32(h ^ stirred(U32(rest)))
    h = U32(h ^ U32(n))
    h = U32(U32(h ^ U32(h >> U32(16))) * U32(0x85EBCA6B))
    h = U32(U32(h ^ U32(h >> U32(13))) * U32(0xC2B2AE35))
    return U(U32(h ^ U32(h >> U32(16))))


@part
def first_bytes(word: Any, n: Any) -> Any:
    return word & ((U(1) << U(8 * n)) - U(1))


@called
def long_murmur(a: Any, b: Any, seed: Any) -> Any:
    """MurmurHash3 of the bytes [a, b). Numba widens what it multiplies or shifts: hence U32 all over the place."""
    apart()
    h, n, p = U32(seed), b - a, a
    while p + 4 <= b:
        h = mixed(h, four(p))
        p += 4
    return ended(h, first_bytes(U(four(p)), n & 3), n)


@part
def murmur(a: Any, b: Any, seed: Any) -> Any:
    """The same. No processor can foretell whether a name has four bytes or more: below eight, there is no branch on it
    (names of two to six bytes: 3.4 ns, where the loop took 4.3)."""
    n = b - a
    if n >= 8:
        return long_murmur(a, b, seed)
    word, low = eight(a), U32(seed)
    some = U32(0) - U32(n >> 2)  # all bits where there are four bytes or more, else none
    h = U32(low ^ ((low ^ mixed(low, U32(word))) & some))
    return ended(h, first_bytes(word >> U(8 * (n & 4)), n & 3), n)


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
    apart()
    return hashed(a, b, seed)


@called
def hashes(words: Any, at: Any, notes: Any, n: Any, mask: Any, index: Any, k: Any) -> None:
    """Hashes of n names of up to seven bytes, each in one word, to the places of `index` from k on.

    The words begin at `at`, their notes at `notes`. LLVM makes eight at a time of it, as there is no branch: 0.8 ns a
    name, where one at a time took 4.
    """
    apart()
    for i in range(n):
        word, note = U(words[U(at) + U(i)]), U(words[U(notes) + U(i)])
        size, low = note & U(7), U32(note >> U(32))
        some = U32(0) - U32(size >> U(2))  # all bits where there are four bytes or more, else none
        h = U32(low ^ ((low ^ mixed(low, U32(word))) & some))
        g = ended(h, U32(word >> U(8 * (size & U(4)))), size)
        index[U(k) + U(i)] = np.int32((word if note & HASHED == HASHED else g) & mask)
