"""Kernels of strings that share subsequences: letters in the same order, with gaps between them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.stream import Array
from ...core.vectors import size
from .algebra import kernel
from .arithmetic import bounded
from .letters import spelling, spelt
from .string_grams import pair_strings
from .string_recursions import all_matched, matched, narrow_matched


def only(p: int, weight: float = 1.0) -> Array:
    weights = np.zeros(p + 1)
    weights[p] = weight
    return weights


@kernel
class GapWeighted(NamedTuple):
    """Common subsequences of p letters, each weighted decay^(letters it spans) in either string (A-STRINGS).

    Its features: for every word u of p letters, the sum of decay^span over the places where u is a subsequence. With
    `blended` also those of fewer letters, 1, …, p. O(p n m) for strings of n and m letters.

    >>> GapWeighted(2, 0.5)("cat", "car")  # c-a spans two letters of each
    0.0625
    >>> GapWeighted(2, 0.5)("cat", "cart")  # c-a twice 2, c-t 3 and 4, a-t 2 and 3
    0.1015625
    """

    p: int = 3
    decay: float = 0.5
    blended: bool = False

    def of(self, x: Any, z: Any) -> float:
        s, t = spelling(x, z.shape[0]), spelling(z, z.shape[0])
        found, total = matched(s, t, self.p, self.decay, self.decay), 0.0
        for q in range(1 if self.blended else self.p, self.p + 1):
            total += self.decay ** (2.0 * q) * found[q]
        return total

    def self_of(self, x: Any) -> float:
        s = spelling(x, size(x))
        found, total = matched(s, s, self.p, self.decay, self.decay), 0.0
        for q in range(1 if self.blended else self.p, self.p + 1):
            total += self.decay ** (2.0 * q) * found[q]
        return total

    def _weights(self) -> Array:
        weights: Array = np.power(self.decay, 2.0 * np.arange(self.p + 1), dtype=np.float64)
        weights[: 1 if self.blended else self.p] = 0.0
        return weights

    def _gram(self, X: Any, Z: Any) -> Array:
        return pair_strings(X, Z, "GEOMETRIC", self._weights(), self.decay)

    def _diagonal(self, X: Any) -> Array:
        return pair_strings(X, X, "GEOMETRIC", self._weights(), self.decay, own=True)[:, 0]

    def _suits(self, X: Any, what: str) -> None:
        spelt(X, what)


@kernel
class FixedLength(NamedTuple):
    """Common subsequences of p letters, whatever they span: the gap-weighted kernel without decay. O(p n m).

    >>> [FixedLength(p)("gatta", "cata") for p in range(5)]
    [1.0, 6.0, 5.0, 2.0, 0.0]
    """

    p: int = 3

    def of(self, x: Any, z: Any) -> float:
        s, t = spelling(x, z.shape[0]), spelling(z, z.shape[0])
        return bounded(matched(s, t, self.p, 1.0, 1.0)[self.p])

    def self_of(self, x: Any) -> float:
        s = spelling(x, size(x))
        return bounded(matched(s, s, self.p, 1.0, 1.0)[self.p])

    def _gram(self, X: Any, Z: Any) -> Array:
        return pair_strings(X, Z, "GEOMETRIC", only(self.p))

    def _diagonal(self, X: Any) -> Array:
        return pair_strings(X, X, "GEOMETRIC", only(self.p), own=True)[:, 0]

    def _suits(self, X: Any, what: str) -> None:
        spelt(X, what)


@kernel
class AllSubsequences(NamedTuple):
    """Common subsequences of every length: the sum of decay^(2p) FixedLength(p) over p = 0, 1, 2, …, in O(n m).

    The empty one counts 1. Without decay there are up to 2^n: for hundreds of letters take one that forgets long ones.

    >>> AllSubsequences()("gatta", "cata")
    14.0
    """

    decay: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        s, t = spelling(x, z.shape[0]), spelling(z, z.shape[0])
        return bounded(all_matched(s, t, self.decay**2.0))

    def self_of(self, x: Any) -> float:
        s = spelling(x, size(x))
        return bounded(all_matched(s, s, self.decay**2.0))

    def _gram(self, X: Any, Z: Any) -> Array:
        return pair_strings(X, Z, "EVERY", only(1), self.decay**2.0)

    def _diagonal(self, X: Any) -> Array:
        return pair_strings(X, X, "EVERY", only(1), self.decay**2.0, own=True)[:, 0]

    def _suits(self, X: Any, what: str) -> None:
        spelt(X, what)


@kernel
class GapNumber(NamedTuple):
    """Common subsequences of p letters, each weighted decay^(number of its gaps), however long these are. O(p n m).

    >>> GapNumber(2, 0.5)("gatta", "cata"), GapNumber(3, 0.5)("gatta", "cata")
    (3.25, 1.0)
    """

    p: int = 3
    decay: float = 0.5

    def of(self, x: Any, z: Any) -> float:
        s, t = spelling(x, z.shape[0]), spelling(z, z.shape[0])
        return bounded(matched(s, t, self.p, self.decay, 1.0)[self.p])

    def self_of(self, x: Any) -> float:
        s = spelling(x, size(x))
        return bounded(matched(s, s, self.p, self.decay, 1.0)[self.p])

    def _gram(self, X: Any, Z: Any) -> Array:
        return pair_strings(X, Z, "NUMBERED", only(self.p), self.decay)

    def _diagonal(self, X: Any) -> Array:
        return pair_strings(X, X, "NUMBERED", only(self.p), self.decay, own=True)[:, 0]

    def _suits(self, X: Any, what: str) -> None:
        spelt(X, what)


@kernel
class RestrictedGapWeighted(NamedTuple):
    """Common subsequences of p letters that skip at most `gaps` letters, each weighted decay^(letters skipped).

    With no limit on the letters skipped it is GapWeighted / decay^(2p). O(p n m (p + gaps)^2), at most.

    >>> RestrictedGapWeighted(2, 1, 0.5)("gatta", "cata")
    3.0
    """

    p: int = 3
    gaps: int = 2
    decay: float = 0.5

    def of(self, x: Any, z: Any) -> float:
        s, t = spelling(x, z.shape[0]), spelling(z, z.shape[0])
        return narrow_matched(s, t, self.p, self.p + self.gaps, self.decay)

    def self_of(self, x: Any) -> float:
        s = spelling(x, size(x))
        return narrow_matched(s, s, self.p, self.p + self.gaps, self.decay)

    def _gram(self, X: Any, Z: Any) -> Array:
        return pair_strings(X, Z, "WINDOWS", only(self.p), self.decay, self.p + self.gaps)

    def _diagonal(self, X: Any) -> Array:
        wide = self.p + self.gaps
        return pair_strings(X, X, "WINDOWS", only(self.p), self.decay, wide, own=True)[:, 0]

    def _suits(self, X: Any, what: str) -> None:
        spelt(X, what)
