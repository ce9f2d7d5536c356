"""Subsequences of letters that are alike rather than the same, and letters that weigh differently."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array
from ...core.vectors import size
from .algebra import kernel
from .letters import lengths, spelling, spelt
from .string_grams import inside, leading
from .string_recursions import softly_matched


@kernel
class SoftGapWeighted(NamedTuple):
    """Subsequences of p letters that match softly: `similarity` of the letters, a positive semidefinite matrix.

    A letter that a subsequence spans weighs its `decay`, one number for all or one for each letter of the alphabet: the
    features of a string are the sums over its subsequences of the product of these weights (A-STRINGS). With the
    identity and one number it is GapWeighted. O(p n m); in learners its rule runs plain.

    >>> alike = [[1.0, 0.5], [0.5, 1.0]]
    >>> SoftGapWeighted("ct", alike, 1, 0.5)("c", "t")  # 0.5 * 0.5^2
    0.125
    """

    alphabet: str
    similarity: Any
    p: int = 3
    decay: Any = 0.5

    def of(self, x: Any, z: Any) -> float:
        return self._value(spelling(x, z.shape[0]), spelling(z, z.shape[0]))

    def self_of(self, x: Any) -> float:
        s = spelling(x, size(x))
        return self._value(s, s)

    def _value(self, s: Any, t: Any) -> float:
        A, w = np.asarray(self.similarity, dtype=float), self._decays()
        a, b = self._places(s), self._places(t)
        return float(softly_matched(a, b, A, w, self.p, np.zeros((self.p + 1, len(b) + 1))))

    def _decays(self) -> Array:
        return np.broadcast_to(np.asarray(self.decay, dtype=float), len(self.alphabet)).copy()

    def _places(self, M: Any) -> Any:
        """Where in the alphabet each letter is; after the end of a string anything."""
        codes = np.array([ord(c) for c in self.alphabet], dtype=np.float64)
        order = np.argsort(codes)
        found = order[np.minimum(np.searchsorted(codes[order], M), len(codes) - 1)]
        return found.astype(np.int64)

    def _all(self, X: Any, Z: Any, own: bool) -> Array:
        from .compiled_strings import soft_pairs

        X, Z = as_dense(X), as_dense(Z)
        K = np.zeros((len(X), 1 if own else len(Z)))
        A = np.ascontiguousarray(self.similarity, dtype=np.float64)
        soft_pairs(
            self._places(X), lengths(X), self._places(Z), lengths(Z), A, self._decays(), self.p, leading(X, Z), own, K
        )  # fmt: skip
        return inside(K)

    def _gram(self, X: Any, Z: Any) -> Array:
        return self._all(X, Z, own=False)

    def _diagonal(self, X: Any) -> Array:
        return self._all(X, X, own=True)[:, 0]

    def _suits(self, X: Any, what: str) -> None:
        spelt(X, what)
        M = as_dense(X)
        foreign = (M != 0.0) & ~np.isin(M, [ord(c) for c in self.alphabet])
        if foreign.any():
            i, j = (int(v) for v in np.argwhere(foreign)[0])
            raise BadInput(
                f"{what}: row {i + 1}, letter {j + 1} is {chr(int(M[i, j]))!r}, which is not in the alphabet "
                f"{self.alphabet!r:.60} of the SoftGapWeighted kernel"
            )


SoftGapWeighted.opaque = True  # type: ignore[attr-defined]  # a text and a matrix: rules with it are played plain


def refuse_soft(k: SoftGapWeighted, similarity: Array, what: str) -> None:
    """Refuse parameters that do not fit one another; `similarity` has been found positive semidefinite."""
    if not isinstance(k.alphabet, str) or not k.alphabet or len(set(k.alphabet)) != len(k.alphabet):
        raise BadInput(
            f"{what} alphabet must be a text of different letters, not {k.alphabet!r:.60}"
        )
    n = len(k.alphabet)
    if similarity.shape != (n, n):
        raise BadInput(
            f"{what} similarity must be of shape {(n, n)}, a row a letter, not {similarity.shape}"
        )
    try:
        decay = np.asarray(k.decay, dtype=np.float64)
    except (TypeError, ValueError):
        decay = np.array(np.nan)
    if decay.shape not in ((), (n,)) or not ((decay > 0.0) & (decay <= 1.0)).all():
        raise BadInput(
            f"{what} decay must be one number, or one a letter, above 0 and at most 1, not {k.decay!r:.60}"
        )
