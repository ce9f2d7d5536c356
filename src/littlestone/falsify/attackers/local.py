"""Local search and evolution: the cases that came closest, changed a little, the best of them changed again."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ...core.stream import Array
from ..attack import Case, Volley, one
from ..change import kind_of, neighbours, resize_case
from ..hunt import Hunt
from ..material import first_volleys

GENERATIONS = 12  # after so many without progress another case has its turn
LONGEST = 200  # generations of one climb
LAST = 0.9  # a climb that is below this part of the closest ratio after GENERATIONS is given up


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Climb from one of the remembered cases; now and then make it longer, shorter, wider or narrower."""
    rng = hunt.rng
    while True:
        if not hunt.elite:
            yield from first_volleys(hunt.target, hunt.seed, hunt.sizes)
            if not hunt.elite:
                return
        # the best cases are chosen more often than the others
        i = min(int(rng.exponential(2.0)), len(hunt.elite) - 1)
        case, top = hunt.elite[i].case, hunt.elite[i].ratio
        if hunt.sizes is None and rng.random() < 0.5:
            case = resize_case(hunt.target, rng, case)
            top = float((yield one(case))[0])
        yield from climb(hunt, case, top)


def climb(hunt: Hunt, case: Case, top: float) -> Generator[Volley, Array, None]:
    """Play neighbours of a case, then neighbours of the best of them; an equal one is taken, to cross plateaus."""
    rng, stale = hunt.rng, 0
    kind = kind_of(hunt.target, case)
    B = min(hunt.many(case.rounds, case.n, kind, case.setting), 256)
    for generation in range(LONGEST):
        if stale >= GENERATIONS or (generation >= GENERATIONS and top < LAST * hunt.ratio):
            return
        other = hunt.elite[int(rng.integers(len(hunt.elite)))].case if hunt.elite else None
        volley = neighbours(hunt.target, rng, case, B, other)
        ratios = yield volley
        best = np.flatnonzero(ratios == ratios.max())
        b = int(rng.choice(best))
        stale = 0 if ratios[b] > top * (1.0 + 1e-6) else stale + 1
        if ratios[b] >= top:
            case, top = volley.case(b), float(ratios[b])
