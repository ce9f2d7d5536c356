"""The comparators of a run that use few different experts, as a certificate asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ...core.guarantee import Comparators
from ...core.transcript import Transcript
from .best_modes import BestModes, best_modes

WORK = 5e7  # steps (round, expert, switches) that the search of a certificate may take
LENGTH = 20_000_000  # rounds times switches whose best sequences are kept


class Played(Protocol):
    """What the search needs of a run: its best sequences, the learner's parameters, and the rounds that were kept."""

    @property
    def sequences(self) -> Comparators | None: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...
    @property
    def answered(self) -> int: ...
    @property
    def transcript(self) -> Transcript: ...


def few_modes(run: Played) -> Comparators | None:
    """For every k: the best choice with at most k switches, and at most as many experts as the learner declares.

    Where the best sequence with k switches uses no more experts, it is that. Where it uses more it is a lower bound,
    and for the switches that the learner was tuned to the best is searched for, where the rounds are in memory.
    """
    every = run.sequences
    if (
        every is None or run.parameters["modes"] is None
    ):  # without a declared number every sequence is compared with
        return every
    most = int(run.parameters["modes"])
    L, k, m = every.L.copy(), every.more["k"], every.more["m"]
    real = m <= most
    found = None if real.all() else search_few_modes(run, most)
    if found is not None:
        less = ~real & (k <= tuned_to(run))
        L = np.where(less, np.maximum(L, found.lower), L)
        L, k, m = (
            np.append(L, found.loss),
            np.append(k, found.switches),
            np.append(m, len(found.modes)),
        )
        real = np.append(real, True)

    def name(i: int) -> str:
        if real[i] and i < len(every.L):
            return every.names(i)
        few = f"at most {most} experts"
        if not real[i]:
            return f"the best choice of {few} with {k[i]} switches"
        sure = "best" if found is not None and found.exact else "good"
        return f"{sure} choice of {few}, {k[i]} switches"

    return Comparators("modes", name, L, {"k": k, "m": np.minimum(m, most)}, real=real)


def tuned_to(run: Played) -> int:
    """The number of switches that the learner's rates are made for."""
    steps = max(run.answered - int(run.parameters["tasks"]), 0)
    return round(float(run.parameters["alpha"] or 0.0) * steps)


def search_few_modes(run: Played, most: int) -> BestModes | None:
    """The best choice of at most `most` experts; None where the losses were not kept, or it is too much work."""
    data = run.transcript.data
    if (
        data is None
        or not run.transcript.traits.kind.losses_alone
        or len(run.transcript.copies) > 1
    ):
        return None
    T, n = data.y.shape
    k = min(tuned_to(run), T - 1)
    if T * (k + 1.0) > LENGTH or T * n * (k + 1.0) > WORK:
        return None
    tasks = data.x[:, 0] if data.x is not None and data.x.shape[1] else None
    return best_modes(data.y, k, most, tasks, work=WORK)
