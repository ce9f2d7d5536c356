"""Play few different rounds, each repeated: every choice of two or three of them, and of how often each comes."""

from __future__ import annotations

import itertools
from collections.abc import Generator

import numpy as np

from ...core.stream import Array
from ..attack import Volley
from ..hunt import FEW, Hunt
from ..material import rounds, setting

LENGTHS = (1, 2, 3, 5, 8, 13, 21, 34)


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Draw a few rounds; play them in blocks of every length; begin again with others."""
    target, rng = hunt.target, hunt.rng
    missed = 0
    while missed < 50:
        kind = str(rng.choice(target.kinds))
        _, n = hunt.size()
        few = int(rng.integers(1, 4))
        T = hunt.sizes[0] if hunt.sizes else int(rng.choice(LENGTHS)) * few
        given = setting(target, rng, kind, n, T)
        if given is None or few > T:
            missed += 1
            continue
        missed = 0
        x, y, k = rounds(target, rng, kind, 1, few, n, given)
        orders = np.array(list(patterns(few, T)))
        room = hunt.many(T, n, kind, given)
        most = room if room > FEW else 4 * FEW
        if len(orders) > most:
            orders = orders[rng.choice(len(orders), most, replace=False)]
        for a in range(0, len(orders), room):
            at = orders[a : a + room]
            yield Volley(y[0][at], None if x is None else x[0][at], k=k, **given)


def patterns(few: int, T: int) -> list[list[int]]:
    """Orders of T rounds: blocks that are cut at every few places; all in turn; one, then all in turn."""
    found = [[t % few for t in range(T)]]
    step = max(1, T // 12)
    for cuts in itertools.combinations_with_replacement(range(0, T + 1, step), few - 1):
        found.append([sum(t >= c for c in cuts) for t in range(T)])
    for c in range(step, T, step):
        found.append([0 if t < c else t % few for t in range(T)])
        found.append([(t // c) % few for t in range(T)])
    return found
