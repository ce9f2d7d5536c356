"""Names of features -> places among 2^bits, the same in every process and every format."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput

Hashes = NDArray[np.uint32]

PLACES = 18
# Where bits are not given: 2^PLACES for names and text; the numbers of libsvm are kept as they are.
BITS: Any = None
MOST_BITS = 31  # an index is an int32
LONG = 1024  # bytes: a text that is longer is digested first, as the loop below is over its words
FNV = np.uint32(0x01000193)
GOLDEN = 0x9E3779B97F4A7C15  # 2^64 / the golden ratio


REMEMBERED: dict[str, dict[Any, Any] | None] = {"names": None, "products": None}
MOST_NAMES = 5_000_000  # that are remembered


def remember(
    names: dict[Any, int] | None, products: dict[int, tuple[int, ...]] | None = None
) -> None:
    """From now on, put every name that is hashed into this dict, with its hash; None: no more of that.

    `products`: the hash of each product of features, with those of its parts. A table of weights needs the names,
    which nothing else keeps.
    """
    REMEMBERED["names"], REMEMBERED["products"] = names, products


def hashes(names: Sequence[str | bytes]) -> Hashes:
    """MurmurHash3 (32 bits, seed 0) of each name: Vowpal Wabbit's, for features of no namespace.

    One NumPy pass over all names for every four bytes of the longest.

    >>> [hex(h) for h in hashes(["", "a", "hello", "hello, world"])]
    ['0x0', '0x3c2569b2', '0x248bfa47', '0x149bbb7f']

    Appleby (2008), https://github.com/aappleby/smhasher.
    """
    texts = [_bytes(name) for name in names]
    sizes = np.array([len(t) for t in texts], dtype=np.int64)
    starts = np.array([0, *accumulate(len(t) for t in texts)], dtype=np.int64)[:-1]
    data = np.frombuffer(b"".join(texts) + bytes(4), dtype=np.uint8).astype(np.uint32)
    h = np.zeros(len(texts), dtype=np.uint32)
    words = sizes >> 2
    for k in range(int(words.max(initial=0))):
        i = np.flatnonzero(words > k)
        h[i] = _rotated(h[i] ^ _mixed(_word(data, starts[i] + 4 * k)), 13) * np.uint32(
            5
        ) + np.uint32(0xE6546B64)
    tail = np.array([0, 0xFF, 0xFFFF, 0xFFFFFF], dtype=np.uint32)[sizes & 3]
    h ^= _mixed(_word(data, starts + 4 * words) & tail)
    h ^= sizes.astype(np.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h ^= h >> np.uint32(shift)
        h *= np.uint32(factor)
    found = h ^ (h >> np.uint32(16))
    kept = REMEMBERED["names"]
    if kept is not None and len(kept) < MOST_NAMES:
        kept.update(zip(names, found.tolist(), strict=True))
    return found


def places(names: Sequence[str | bytes], bits: int) -> NDArray[np.int32]:
    """The place of each name among 2^bits.

    >>> places(["colour=red", "size"], 4).tolist()
    [1, 10]
    """
    return (hashes(names) & np.uint32((1 << bits) - 1)).astype(np.int32)


def hash_product(parts: Sequence[Any]) -> Any:
    """The hash of an interaction, from the hashes of its parts: FNV-1, as Vowpal Wabbit does it."""
    h = parts[0]
    for other in parts[1:]:
        h = (h * FNV) ^ other
    kept = REMEMBERED["products"]
    if kept is not None and len(kept) < MOST_NAMES:
        each = np.unique(np.stack([*parts, h], axis=1), axis=0).tolist()
        kept.update((row[-1], tuple(row[:-1])) for row in each)
    return h


def checked_bits(bits: object) -> int:
    if bits is BITS:
        return PLACES
    if not isinstance(bits, int) or isinstance(bits, bool) or not 1 <= bits <= MOST_BITS:
        raise BadInput(f"bits must be a whole number from 1 to {MOST_BITS}, not {bits!r}")
    return bits


def fold_index(index: int | NDArray[np.integer[Any]], bits: int) -> Any:
    """Numbers of features among 2^bits: one that is too large is hashed (Knuth's multiplication), the others stay.

    >>> fold_index(7, 4), fold_index(10**12, 4), fold_index(np.array([7, 16, 17]), 4).tolist()
    (7, 14, [7, 14, 8])
    """
    if isinstance(index, int):
        return index if index < 1 << bits else index * GOLDEN % (1 << 64) >> (64 - bits)
    spread = index.astype(np.uint64) * np.uint64(GOLDEN) >> np.uint64(64 - bits)
    return np.where(index < 1 << bits, index, spread.astype(index.dtype))


def _bytes(name: str | bytes) -> bytes:
    text = name.encode(errors="surrogatepass") if isinstance(name, str) else name
    if len(text) <= LONG:
        return text
    import hashlib

    return hashlib.blake2b(text, digest_size=16).digest()


def _word(data: NDArray[np.uint32], at: NDArray[np.int64]) -> Hashes:
    """The four bytes from there on, the first the lowest."""
    w = data[at]
    for i in (1, 2, 3):
        w |= data[np.minimum(at + i, len(data) - 1)] << np.uint32(8 * i)
    return w


def _mixed(word: Hashes) -> Hashes:
    return _rotated(word * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)


def _rotated(h: Hashes, by: int) -> Hashes:
    return (h << np.uint32(by)) | (h >> np.uint32(32 - by))
