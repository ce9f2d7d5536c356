"""Random restarts: extreme values in blocks, with every setting that the theorem allows."""

from __future__ import annotations

from collections.abc import Generator

from ...core.stream import Array
from ..attack import Volley
from ..hunt import FEW, Hunt
from ..material import rounds, setting

PATIENCE = 50  # settings in a row that the theorem is not about, after which the attacker gives up


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Draw fresh rounds, again and again; their sizes grow as nothing is found.

    A compiled loop is quickest over many runs of one setting, so a setting is kept for a while.
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
