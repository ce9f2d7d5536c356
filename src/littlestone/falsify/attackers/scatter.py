"""Random restarts: extreme values in blocks, every setting that the theorem allows."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from ...core.stream import Array
from ..attack import Volley
from ..material import rounds, setting
from ..search import FEW, Hunt

PATIENCE = 50  # settings that the theorem is not about, until nobody looks for more


def first(hunt: Hunt) -> Iterator[Volley]:
    """One small volley of each kind: what is compiled by it is compiled before the clock starts."""
    target = hunt.target
    rng = np.random.default_rng(hunt.seed)
    T, n = hunt.sizes or (4, 2 if target.learner.examples else 3)
    for kind in target.kinds:
        given = setting(target, rng, kind, n, T)
        if given is not None:
            x, y, k = rounds(target, rng, kind, 2, T, n, given)
            yield Volley(y, x, k=k, **given)


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Fresh rounds, again and again; sizes grow as nothing is found.

    A compiled loop likes many runs of one setting, so a setting is kept for a while.
    """
    target, rng = hunt.target, hunt.rng
    turn, refused = 0, 0
    while refused < PATIENCE:
        kind = str(rng.choice(target.kinds))
        T, n = hunt.size(turn)
        given = setting(target, rng, kind, n, T, hunt.patient)
        turn += 1
        if given is None:
            refused += 1
            continue
        refused = 0
        B = hunt.many(T, n, kind, given)
        for _ in range(4 if B > FEW else 1):
            x, y, k = rounds(target, rng, kind, B, T, n, given)
            yield Volley(y, x, k=k, **given)
