"""Switching with memory over several tasks: its rule in plain arithmetic, and what a comparator costs.

    pi = 1/n over hypotheses;  w^i = 1/m for each task i: how likely each hypothesis is awake there
    each round, task i:  play v ∝ pi w^i;  d = w^i exp(-eta c);  b = (pi . w^i) / (pi . d);  e = 1 - w^i + b d
                         pi *= e;  w^i = (phi (1 - w^i) + theta b d) / e

Herbster, Pasteris & Tse (2020), after Koolen, Adamskiy & Warmuth (2012). Ledger: A-MT-FINITE, T-MT-FINITE.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product


def entropy(p: float) -> float:
    return -sum(q * math.log(q) for q in (p, 1 - p) if q > 0)


def complexity(n: int, tasks: int, modes: int, k: int, T: int) -> float:
    """C of T-MT-FINITE, in nats.

    >>> round(complexity(16, 3, 4, 5, 16), 4)
    35.8903
    """
    free = T - tasks
    return (
        modes * math.log(n / modes)
        + tasks * modes * entropy(1 / modes)
        + free * entropy(k / free)
        + (modes - 1) * free * entropy(k / ((modes - 1) * free))
    )


def specialists(
    order: Sequence[int],
    costs: Sequence[Sequence[float]],
    n: int,
    tasks: int,
    modes: int,
    k: int,
    eta: float,
) -> list[float]:
    """The expected loss of each round; `order` says which task it is, `costs` what each hypothesis costs.

    >>> tasks, costs = [0, 1, 0, 0], [(0, 1, 1), (1, 0, 1), (0, 1, 0), (1, 0, 1)]
    >>> [round(x, 6) for x in specialists(tasks, costs, 3, 2, 2, 1, 1.782710)]
    [0.666667, 0.770408, 0.434419, 0.72559]
    """
    free = len(order) - tasks
    theta, phi = 1 - k / free, k / ((modes - 1) * free)
    pi = [1 / n] * n
    w = [[1 / modes] * n for _ in range(tasks)]
    found = []
    for i, c in zip(order, costs, strict=True):
        awake = w[i]
        v = [p * a for p, a in zip(pi, awake, strict=True)]
        mass = sum(v)
        found.append(sum(a * b for a, b in zip(v, c, strict=True)) / mass)
        d = [a * math.exp(-eta * b) for a, b in zip(awake, c, strict=True)]
        b = mass / sum(p * a for p, a in zip(pi, d, strict=True))
        e = [1 - a + b * x for a, x in zip(awake, d, strict=True)]
        pi = [p * x for p, x in zip(pi, e, strict=True)]
        w[i] = [
            (phi * (1 - a) + theta * b * x) / z if z > 0 else 0.0
            for a, x, z in zip(awake, d, e, strict=True)
        ]
    return found


def by_patterns(
    order: Sequence[int],
    costs: Sequence[Sequence[float]],
    n: int,
    tasks: int,
    modes: int,
    k: int,
    eta: float,
) -> list[float]:
    """The same by brute force: every hypothesis with every pattern of being awake is a specialist (T-MT-EXACT)."""
    T = len(order)
    free = T - tasks
    theta, phi = 1 - k / free, k / ((modes - 1) * free)
    weights: dict[tuple[int, tuple[int, ...]], float] = {}
    for h in range(n):
        for awake in product((0, 1), repeat=T):
            p, last = 1 / n, [-1] * tasks
            for i, a in zip(order, awake, strict=True):
                on = 1 / modes if last[i] < 0 else theta if last[i] else phi
                p *= on if a else 1 - on
                last[i] = a
            weights[h, awake] = p
    found = []
    for t, c in enumerate(costs):
        up = [key for key in weights if key[1][t]]
        mass = sum(weights[key] for key in up)
        found.append(sum(weights[key] * c[key[0]] for key in up) / mass)
        for key in up:
            weights[key] *= math.exp(-eta * c[key[0]])
        now = sum(weights[key] for key in up)
        for key in up:
            weights[key] *= mass / now
    return found
