"""Kernels of strings that share substrings: letters side by side, exactly or nearly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array
from ...core.vectors import size
from .algebra import kernel
from .letters import spelling, spelt
from .string_grams import count_substrings, pair_strings
from .string_recursions import matched, near_both, near_matched
from .subsequences import only


@kernel
class Spectrum(NamedTuple):
    """Common substrings of p letters: the inner product of how often each occurs in either string (A-STRINGS).

    The Gram matrix counts them once for each string: O(p n) a string and O(n) a pair.

    >>> [Spectrum(p)("gatta", "cata") for p in (1, 2, 3)]
    [6.0, 2.0, 0.0]
    """

    p: int = 3

    def of(self, x: Any, z: Any) -> float:
        s, t = spelling(x, z.shape[0]), spelling(z, z.shape[0])
        return matched(s, t, self.p, 0.0, 0.0)[self.p]  # type: ignore[no-any-return]

    def self_of(self, x: Any) -> float:
        s = spelling(x, size(x))
        return matched(s, s, self.p, 0.0, 0.0)[self.p]  # type: ignore[no-any-return]

    def _gram(self, X: Any, Z: Any) -> Array:
        return count_substrings(X, Z, only(self.p))

    def _diagonal(self, X: Any) -> Array:
        return count_substrings(X, X, only(self.p), own=True)[:, 0]

    def _suits(self, X: Any, what: str) -> None:
        spelt(X, what)


@kernel
class BlendedSpectrum(NamedTuple):
    """Common substrings of 1, …, p letters, those of q letters weighted decay^(2q).

    >>> BlendedSpectrum(3)("gatta", "cata")
    8.0
    """

    p: int = 3
    decay: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        s, t = spelling(x, z.shape[0]), spelling(z, z.shape[0])
        found, total = matched(s, t, self.p, 0.0, 0.0), 0.0
        for q in range(1, self.p + 1):
            total += self.decay ** (2.0 * q) * found[q]
        return total

    def self_of(self, x: Any) -> float:
        s = spelling(x, size(x))
        found, total = matched(s, s, self.p, 0.0, 0.0), 0.0
        for q in range(1, self.p + 1):
            total += self.decay ** (2.0 * q) * found[q]
        return total

    def _weights(self) -> Array:
        weights: Array = np.power(self.decay, 2.0 * np.arange(self.p + 1), dtype=np.float64)
        return weights

    def _gram(self, X: Any, Z: Any) -> Array:
        return count_substrings(X, Z, self._weights())

    def _diagonal(self, X: Any) -> Array:
        return count_substrings(X, X, self._weights(), own=True)[:, 0]

    def _suits(self, X: Any, what: str) -> None:
        spelt(X, what)


@kernel
class Mismatch(NamedTuple):
    """Words of p letters that differ from a substring of either string in at most `mismatches` places.

    Its features: for each of the alphabet^p words, how many substrings are so near. So it depends on the size of the
    alphabet, also on letters that no string has. Without mismatches it is the spectrum kernel. O(n m).

    >>> Mismatch(2, 1, alphabet=4)("gatta", "cata")
    44.0
    """

    p: int = 3
    mismatches: int = 1
    alphabet: int = 4

    def of(self, x: Any, z: Any) -> float:
        s, t = spelling(x, z.shape[0]), spelling(z, z.shape[0])
        return near_matched(s, t, near_both(self.p, self.mismatches, self.alphabet))

    def self_of(self, x: Any) -> float:
        s = spelling(x, size(x))
        return near_matched(s, s, near_both(self.p, self.mismatches, self.alphabet))

    def _gram(self, X: Any, Z: Any) -> Array:
        refuse_letters(self.alphabet, (X, Z), "X and Z")
        return pair_strings(X, Z, "DISTANCES", near_both(self.p, self.mismatches, self.alphabet))

    def _diagonal(self, X: Any) -> Array:
        c = near_both(self.p, self.mismatches, self.alphabet)
        return pair_strings(X, X, "DISTANCES", c, own=True)[:, 0]

    def _suits(self, X: Any, what: str) -> None:
        spelt(X, what)
        refuse_letters(self.alphabet, (X,), what)


def refuse_letters(alphabet: int, matrices: tuple[Any, ...], what: str) -> None:
    found: set[float] = set()
    for M in matrices:
        found |= set(np.unique(as_dense(M)).tolist())
    found -= {0.0}
    if len(found) > alphabet:
        some = "".join(chr(int(c)) for c in sorted(found)[:12])
        raise BadInput(
            f"alphabet of the Mismatch kernel is {alphabet}, and {what} has {len(found)} different letters "
            f"({some}{'…' if len(found) > 12 else ''}): give the size of the alphabet that they come from"
        )
