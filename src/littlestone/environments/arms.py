"""Arms whose losses are drawn: the environments that bandits are simulated in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array, Batch
from ..encode.stream import Stream
from .worlds import KINDS, Drawn

ROWS = 1 << 16  # so many rounds are drawn at a time


class Arms:
    """Independent losses in [0, 1], a mean for each arm; several rows of means take turns of `segment` rounds.

    >>> arms = Arms([0.2, 0.8])
    >>> arms.losses(seed=0, rounds=10_000).mean(axis=0).round(1).tolist()
    [0.2, 0.8]

    Kinds: "bernoulli" losses are 0 or 1, "uniform" ones lie evenly around their mean, "constant" ones are their mean.
    """

    length = math.nan  # the length of theta, where means are linear in features

    def __init__(
        self, means: Sequence[float] | Any, kind: str = "bernoulli", segment: int = 0
    ) -> None:
        try:
            m = np.ascontiguousarray(np.atleast_2d(np.asarray(means, float)))
        except (TypeError, ValueError):
            raise BadInput(f"means must be numbers, not {means!r:.80}") from None
        if m.ndim != 2 or m.size == 0 or not ((m >= 0) & (m <= 1)).all():
            raise BadInput(f"means must be numbers in [0, 1], one for each arm, not {means!r:.80}")
        if kind not in KINDS:
            raise BadInput(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
        if not isinstance(segment, (int, np.integer)) or segment < 0:
            raise BadInput(f"segment must be a number of rounds, not {segment!r}")
        if len(m) > 1 and segment == 0:
            raise BadInput(
                "means has several rows: say with segment= for how many rounds each holds"
            )
        self.means, self.kind, self.segment = m, kind, int(segment)

    @property
    def n(self) -> int:
        return int(self.means.shape[1])

    @property
    def still(self) -> bool:
        """Are the means the same in all rounds?"""
        return len(self.means) == 1

    @property
    def world(self) -> Drawn:
        """The environment in the form that compiled code takes."""
        return Drawn(self.means, KINDS.index(self.kind), self.segment)

    def means_at(self, t: Any) -> Array:
        """The means in round t, counted from 0."""
        turn = np.asarray(t) // max(1, self.segment) if len(self.means) > 1 else np.zeros_like(t)
        return self.means[turn % len(self.means)]  # type: ignore[no-any-return]

    def losses(self, seed: int = 0, rounds: int = 1000, first: int = 0) -> Array:
        """T x n losses of the rounds from `first` on: those that compiled code draws, bit for bit."""
        t = np.arange(first, first + rounds)
        m = self.means_at(t)
        if self.kind == "constant":
            return np.ascontiguousarray(m)
        u = uniforms(seed, t, self.n)
        if self.kind == "bernoulli":
            return (u < m).astype(float)
        return m + np.minimum(m, 1 - m) * (2 * u - 1)

    def stream(self, rounds: int, seed: int = 0) -> Stream:
        """A stream of `rounds` rounds, drawn as they are played."""

        def batches() -> Iterator[Batch]:
            for at in range(0, rounds, ROWS):
                yield Batch(None, self.losses(seed, min(ROWS, rounds - at), at), at)

        names = tuple(f"arm {i}" for i in range(self.n))
        return Stream(
            batches(), names, rounds=rounds, source=f"built-in: {self}", again=batches, world=self
        )

    def __str__(self) -> str:
        return f"{self.n} {self.kind} arms" + (
            f", {len(self.means)} regimes" if not self.still else ""
        )


def uniforms(seed: int, t: Any, n: int) -> Array:
    """uniform(seed, t, 1 + i) for many rounds and arms at once; see `core.numeric.uniform`."""
    M = 0xFFFFFFFFFFFFFFFF
    with np.errstate(over="ignore"):
        z = np.uint64((seed * 0x9E3779B97F4A7C15) & M) + (
            t.astype(np.uint64)[:, None] * np.uint64(0xD1B54A32D192ED03)
            + np.arange(1, n + 1, dtype=np.uint64)[None, :] * np.uint64(0x8CB92BA72F3D8DD7)
        )
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    u: Array = (z >> np.uint64(11)).astype(float) * (1.0 / 9007199254740992.0)
    return u
