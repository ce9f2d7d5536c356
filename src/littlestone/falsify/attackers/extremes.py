"""Extreme sizes and numbers: one expert, one round, equal experts, ties, zeros, denormals, long runs of a constant."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from ...core.losses import is_log_loss
from ...core.stream import Array
from ..attack import Case, Volley, one
from ..hunt import Hunt
from ..material import setting, truth

TINY = 5e-324  # the smallest number there is
LONG = 200_000
LONGEST = 10_000_000


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Play each extreme case with two settings; the longest run only where there is time for it."""
    target, rng = hunt.target, hunt.rng
    if target.places:
        return
    for _ in range(2):
        for kind in target.kinds:
            for T, n in (
                [hunt.sizes] if hunt.sizes else [(1, 1), (1, 2), (3, 1), (2, 3), (12, 2), (7, 5)]
            ):
                given = setting(target, rng, kind, n, T)
                if given is not None:
                    for case in cases(hunt, kind, T, n, given):
                        yield one(case)
    if hunt.sizes is None and target.kinds[0] == "losses" and hunt.compiled:
        yield from long_runs(hunt)


def long_runs(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Long runs of two experts, one of which always loses most."""
    target, sequence = hunt.target, hunt.target.guarantee.against == "sequence"
    for T in (LONG, LONGEST):
        given = setting(target, hunt.rng, "losses", 2, T)
        if given is None or (sequence and T > LONG) or (T == LONGEST and not hunt.patient):
            return
        low, high = given["interval"] or (0.0, 1.0)
        y = np.empty((T, 2))
        y[:, 0], y[:, 1] = low, high
        yield one(Case(y, **given))


def cases(hunt: Hunt, kind: str, T: int, n: int, given: dict[str, Any]) -> Iterator[Case]:
    if kind in ("losses", "advice"):
        yield from constant_columns(kind, T, n, given)
    elif kind == "labels":
        for v in (0.0, 1.0):
            x = np.full((T, n), v)
            yield Case(x[:, -1].copy(), x, **given)
            if not hunt.target.needs_truth:
                yield Case(1.0 - x[:, -1], x, **given)
    elif kind == "boolean":
        for v in (0.0, 1.0):
            x = np.full((T, n), v)
            yield Case(truth(hunt.target, x, 1), x, k=1, **given)
        x = np.eye(n)[np.arange(T) % n]
        yield Case(truth(hunt.target, x, 1), x, k=1, **given)
    elif "cover" not in hunt.target.key and "disjunctions" not in hunt.target.key:
        for size in (0.0, 1.0, 1e-150, 1e-30, 1e30):
            x = np.full((T, n), size)
            label = np.zeros(T) if kind == "classes" else np.where(np.arange(T) % 2, -1.0, 1.0)
            yield Case(label, x, **given)
            yield Case(np.zeros(T) if kind == "classes" else np.ones(T), x, **given)


def constant_columns(kind: str, T: int, n: int, given: dict[str, Any]) -> Iterator[Case]:
    """Losses or advice that never change: all the same, or one column apart, at the ends of their interval too."""
    low, high = given["interval"] or (0.0, 1.0)
    infinite = is_log_loss(given["parameters"].get("loss"))
    values = [low, high, 0.5 * (low + high)]
    if low == 0.0 and not infinite:
        values += [TINY, 2.3e-308, np.nextafter(high, low)]
    for v in values:
        x = np.full((T, n), v)
        yield from repeat_round(kind, x, high, given)
        x[:, 0] = low if v != low else high
        yield from repeat_round(kind, x, low, given)


def repeat_round(kind: str, x: Array, y: float, given: dict[str, Any]) -> Iterator[Case]:
    """A case: losses as they are, or advice with the outcome y in every round."""
    yield (
        Case(x.copy(), **given) if kind == "losses" else Case(np.full(len(x), y), x.copy(), **given)
    )
