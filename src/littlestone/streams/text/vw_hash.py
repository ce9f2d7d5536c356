"""Vowpal Wabbit's hash of a feature's name, in plain Python; compiled_hash holds its twin."""

from __future__ import annotations

PRIME = 16777619  # of interactions: hash(a, b) = PRIME hash(a) xor hash(b)
WORD = 0xFFFFFFFF
BLANKS = bytes(range(33))


def hash_name(name: bytes, seed: int) -> int:
    """A name of digits is a number, added to the seed; any other is hashed from the seed on.

    >>> hash_name(b"12", 5), hash_name(b"a", hash_name(b"f", 0)) % 2**18
    (17, 14355)
    """
    name = name.strip(BLANKS)  # control characters; spaces cannot be there
    if not name or name.isdigit():
        return (digits(name) + seed) & 0xFFFFFFFFFFFFFFFF
    return murmur(name, seed & WORD)


def digits(name: bytes) -> int:
    """Of a number that is too long for 64 bits, the last 64."""
    value = 0
    for c in name:
        value = (10 * value + c - 48) & 0xFFFFFFFFFFFFFFFF
    return value


def murmur(key: bytes, seed: int) -> int:
    """MurmurHash3, 32 bits (A. Appleby 2011)."""
    h = seed
    whole = len(key) & ~3
    for i in range(0, whole, 4):
        h ^= stir(int.from_bytes(key[i : i + 4], "little"))
        h = (rotate(h, 13) * 5 + 0xE6546B64) & WORD
    h ^= stir(int.from_bytes(key[whole:], "little")) ^ len(key)
    h = (h ^ h >> 16) * 0x85EBCA6B & WORD
    h = (h ^ h >> 13) * 0xC2B2AE35 & WORD
    return h ^ h >> 16


def stir(k: int) -> int:
    return rotate(k * 0xCC9E2D51 & WORD, 15) * 0x1B873593 & WORD


def rotate(x: int, r: int) -> int:
    return (x << r | x >> 32 - r) & WORD
