"""Products of features of several namespaces, as Vowpal Wabbit makes and hashes them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput
from littlestone.engine.compile import has_numba

from .text_parts import BadRow, Part
from .vw_hash import PRIME

PIECE = 1 << 21  # entries of a part: interactions may multiply them, and memory is to stay constant
MOST = 1 << 27  # entries of a row


def letter_sets(interactions: Sequence[str]) -> list[bytes]:
    """The first letters of each interaction; one is not used twice, and equal letters stand together.

    >>> letter_sets(["ab", "ba", "cac"])
    [b'ab', b'acc']
    """
    if isinstance(interactions, str):
        interactions = [interactions]
    sets: dict[bytes, bytes] = {}
    for letters in interactions:
        first = [letter.encode()[:1] for letter in letters]
        if not 2 <= len(first) <= 8 or any(letter in b":|\t\n\r\0" for letter in first):
            raise BadInput(
                f"interactions: {letters!r} is not the first letters of two to eight namespaces"
            )
        ordered = b"".join(sorted(first))
        distinct = len(set(first)) == len(first)
        sets.setdefault(ordered, b"".join(first) if distinct else ordered)
    return list(sets.values())


class Interactions:
    """For each set of letters, all products of one feature of each; of equal letters, each combination once.

    index = ((index of the first * PRIME) xor index of the second) * PRIME …, mod 2^bits
    """

    def __init__(self, sets: Sequence[bytes], bits: int) -> None:
        self.sets, self.bits = sets, bits
        self.matrix = np.zeros((len(sets), max(map(len, sets), default=0)), np.uint8)
        for row, letters in zip(self.matrix, sets, strict=True):
            row[: len(letters)] = np.frombuffer(letters, np.uint8)

    def added(self, part: Part) -> Iterator[Part]:
        """The rows with their interactions, not too many at a time."""
        sizes = self.sizes(part)
        if sizes.max() > MOST:
            row = int(sizes.argmax())
            raise BadRow(row, f"{int(sizes[row]):,} interactions are too many for one row")
        begin = 0
        while begin < len(sizes):
            ends = np.cumsum(sizes[begin:])
            end = begin + max(1, int(np.searchsorted(ends, PIECE, side="right")))
            yield self.crossed(part, begin, end, int(ends[end - begin - 1]))
            begin = end

    def crossed(self, part: Part, begin: int, end: int, size: int) -> Part:
        out = Part.empty(end - begin, size, letters=False, tags=False)
        out.y, out.h, out.tags = part.y[begin:end], part.h[begin:end], part.tags[begin:end]
        ptr = part.ptr[begin : end + 1]
        if has_numba():
            from ..compiled.compiled_rows import cross

            bad = cross(
                ptr,
                part.index,
                part.value,
                part.letters,
                self.matrix,
                self.bits,
                out.ptr,
                out.index,
                out.value,
            )
        else:
            bad = self.multiply_plain(ptr, part, out)
        if bad >= 0:
            raise BadRow(begin + bad, "a product of features is too large")
        out.cut(end - begin, int(out.ptr[-1]))
        return out

    def sizes(self, part: Part) -> NDArray[np.int64]:
        """Entries of each row, with interactions."""
        if has_numba():
            from ..compiled.compiled_rows import crossings

            sizes: NDArray[np.int64] = crossings(part.ptr, part.letters, self.matrix)
            return sizes
        found = []
        for begin, end in itertools.pairwise(part.ptr.tolist()):
            letters, size = part.letters[begin:end].tobytes(), end - begin
            for chosen in self.sets:
                size += math.prod(
                    math.comb(letters.count(letter) + times - 1, times)
                    for letter, times in runs(chosen)
                )
            found.append(min(size, 1 << 62))
        return np.array(found, np.int64)

    def multiply_plain(self, ptr: NDArray[np.int64], part: Part, out: Part) -> int:
        k = 0
        for row, (begin, end) in enumerate(itertools.pairwise(ptr.tolist())):
            entries = [
                (int(part.index[i]), float(part.value[i]), int(part.letters[i]))
                for i in range(begin, end)
            ]
            for chosen in [None, *self.sets]:
                for g, v in products(entries, chosen) if chosen else (e[:2] for e in entries):
                    if v - v != 0.0:
                        return row
                    if v != 0.0:
                        out.index[k], out.value[k] = g & ((1 << self.bits) - 1), v
                        k += 1
            out.ptr[row + 1] = k
        return -1


def runs(letters: bytes) -> list[tuple[int, int]]:
    """Letters, and how often each stands there.

    >>> runs(b"aab")
    [(97, 2), (98, 1)]
    """
    return [(letter, len(list(same))) for letter, same in itertools.groupby(letters)]


def products(entries: list[tuple[int, float, int]], letters: bytes) -> Iterator[tuple[int, float]]:
    """Index and value of each product, before the mask.

    >>> list(products([(2, 3.0, 97), (5, 7.0, 98)], b"ab")) == [(2 * PRIME ^ 5, 21.0)]
    True
    """
    choices = [
        itertools.combinations_with_replacement([e for e in entries if e[2] == letter], times)
        for letter, times in runs(letters)
    ]
    for chosen in itertools.product(*choices):
        g, v = 0, 1.0
        for index, value, _ in itertools.chain(*chosen):
            g, v = (g * PRIME) ^ index, v * value
        yield g, v
