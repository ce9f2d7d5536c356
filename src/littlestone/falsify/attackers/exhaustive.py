"""The exact worst case over losses 0 and 1 of learners that look at sums only, size after size. Ledger: ADV-EXH."""

from __future__ import annotations

from collections.abc import Generator

from ...core.errors import LittlestoneError
from ...core.stream import Array
from ..attack import Case, Volley, one
from ..hunt import Hunt
from ..minimax import sizes, worst_case

RATES = (1.0, 0.7, 1.4, 0.4, 2.5)  # multiples of the theorem's own rate, where it allows any


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Play the worst case of each size once, at the theorem's tuning and at multiples of it."""
    target = hunt.target
    g = target.guarantee
    if "losses" not in target.kinds or g.against != "expert" or g.delayed:
        return
    for factor in RATES:
        if factor != 1.0 and "eta" not in target.free:
            return
        for T, n in [hunt.sizes] if hunt.sizes else sizes():
            try:
                learner = target.learner
                if factor != 1.0:
                    eta = target.played(Case(y=[[0.0] * n] * T)).parameters["eta"]
                    if eta is None:
                        return
                    learner = learner.replace(eta=factor * eta)
                found = worst_case(learner, T, n)
            except LittlestoneError:
                return
            if found is None:
                return
            changed = {} if factor == 1.0 else {"eta": learner.parameters["eta"]}
            interval = (0.0, 1.0) if learner.bounded else None
            yield one(Case(found.losses, parameters=changed, interval=interval))
