"""The adversaries that the literature names, played against the learner's own rules. Ledger: section 0.4.

ADV-FLIP, ADV-COIN, ADV-HEAVY, ADV-HALF, ADV-CONST and ADV-SEG against experts; ADV-ORTHO, ADV-HADAMARD, ADV-FLIP,
ADV-MISPICK, ADV-FILL and the exact game of Winnow against learners from examples.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from ...core.errors import LittlestoneError
from ...core.stream import Array
from ...environments import adversaries, linear_adversaries
from ...environments.exhaustive_winnow import worst_winnow
from ..attack import Case, Volley, one
from ..hunt import Hunt
from ..material import rounds, setting, truth

ROUNDS = (4, 8, 16, 40, 100)
SMALLEST = 2  # the least number of experts, or of features
WIDE = (64, 256)  # with so many features, mistakes show which logarithm a bound of Winnow has
POOL = 24  # the next example is picked from so many


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Play every adversary at every size, then again with other settings."""
    while True:
        any_case = False
        for case in cases(hunt):
            any_case = True
            yield one(case)
        if not any_case:
            return


def cases(hunt: Hunt) -> Iterator[Case]:
    target = hunt.target
    for kind in target.kinds:
        if kind in ("losses", "advice", "labels"):
            yield from against_experts(hunt, kind)
        else:
            yield from against_examples(hunt, kind)


def sizes(hunt: Hunt, features: bool = False) -> Iterator[tuple[int, int]]:
    if hunt.sizes is not None:
        yield hunt.sizes
        return
    for n in (SMALLEST, 4, 8):
        for T in (n,) if features else ROUNDS:
            yield T, n


def against_experts(hunt: Hunt, kind: str) -> Iterator[Case]:
    target, rng = hunt.target, hunt.rng
    for T, n in sizes(hunt):
        given = setting(target, rng, kind, n, T)
        if given is None:
            continue
        learner = target.learner.replace(**given["parameters"])
        seed = int(rng.integers(2**31))
        if kind == "losses":
            low, high = given["interval"] or (0.0, 1.0)
            turns: list[Any] = [adversaries.coin, adversaries.heavy, adversaries.half]
            turns += [adversaries.constant(0), adversaries.flip(), adversaries.segments([T // 2])]
            for adversary in turns:
                try:
                    _, losses = adversaries.duel(learner, adversary, T, n, seed)
                except LittlestoneError:
                    continue
                yield Case(low + (high - low) * losses, **given)
            continue
        advice = rng.integers(0, 2, (T, n)).astype(float)
        if rng.random() < 0.5:  # the experts are in two camps, which always disagree
            advice[:] = np.arange(n) % 2
        if target.needs_truth:
            yield Case(*halves(learner, T, n)[::-1], **given)
            continue
        answers = [adversaries.opposite, adversaries.following([t * n // T for t in range(T)])]
        for answer in answers:
            try:
                _, y = adversaries.contest(learner, answer, advice, seed)
            except LittlestoneError:
                continue
            yield Case(y, advice, **(given | {"interval": None}))


def halves(learner: Any, T: int, n: int) -> tuple[Array, Array]:
    """Advice and outcomes: half of the experts that were right so far (or the first of them) say 1; the outcome is 0.

    Ledger: T-PERFECT-LB, T-CONSISTENT.
    """
    x, y = np.zeros((T, n)), np.zeros(T)
    alone = learner.key == "consistent"
    alive = list(range(n))
    for t in range(T):
        if len(alive) == 1:
            break
        first = alive[:1] if alone else alive[: (len(alive) + 1) // 2]
        x[t, first] = 1.0
        rest = [i for i in range(n) if i not in alive]
        x[t, rest] = 1.0 if alone else 0.0
        alive = [i for i in alive if i not in first]
    return x, y


def against_examples(hunt: Hunt, kind: str) -> Iterator[Case]:
    target, rng = hunt.target, hunt.rng
    for _, n in sizes(hunt, True):
        given = setting(target, rng, kind, n, 2 * n)
        if given is None:
            continue
        learner = target.learner.replace(**given["parameters"])
        if kind == "boolean":
            yield from boolean(hunt, learner, n, given)
        elif kind in ("two", "convex", "numbers") and "cover" not in target.key:
            X, y = linear_adversaries.orthonormal(n)
            yield Case(y, X, **given)
            yield Case(-y, X, **given)
            if n & (n - 1) == 0:
                H, h = linear_adversaries.hadamard(n)
                yield Case(h, H, **given)
                yield Case(-h, -H, **given)
        if kind == "two":
            yield from watch_labels(hunt, learner, n, given)


def watch_labels(hunt: Hunt, learner: Any, n: int, given: dict[str, Any]) -> Iterator[Case]:
    """Cases whose labels were not predicted, and cases of examples that are misclassified now."""
    x, y, k = rounds(hunt.target, hunt.rng, "two", 1, POOL, n, given)
    try:
        if not hunt.target.needs_truth:
            yield Case(linear_adversaries.flip(learner, x[0]), x[0], **given)
        for how in ("most", "least", "random"):
            at = linear_adversaries.mispick(learner, x[0], y[0], how, most=60)
            if len(at):
                yield Case(y[0][at], x[0][at], k=k, **given)
    except (LittlestoneError, AttributeError, TypeError, ValueError):
        return  # its rules need more than an example and a label


def boolean(hunt: Hunt, learner: Any, n: int, given: dict[str, Any]) -> Iterator[Case]:
    target = hunt.target
    winnow = learner.key in ("winnow1", "winnow2")
    for k in (1, 2):
        wide = WIDE if hunt.sizes is None and n == SMALLEST else ()
        for d in (n, *wide) if winnow else ():
            try:
                X, y = linear_adversaries.fill(learner, d, k)
            except LittlestoneError:
                continue
            if len(X):
                yield Case(y, X, k=k, **given)
    for k in (1, 2):
        X = np.eye(n)[k:] if n > k else np.eye(n)
        yield Case(truth(target, X, k), X, k=k, **given)
        X = np.array([[(b >> i) & 1 for i in range(n)] for b in range(2 ** min(n, 4))], float)
        try:
            for how in ("most", "least"):
                at = linear_adversaries.mispick(learner, X, truth(target, X, k), how, most=200)
                if len(at):
                    yield Case(truth(target, X[at], k), X[at], k=k, **given)
        except (LittlestoneError, AttributeError, TypeError, ValueError, IndexError):
            pass
        if winnow and n <= 6:
            strict = not learner.game(False).traits().zero
            worst = worst_winnow(n, k, learner.key == "winnow2", strict)
            if len(worst.X):
                yield Case(worst.y, worst.X, k=k, **given)
