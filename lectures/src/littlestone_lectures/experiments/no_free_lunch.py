"""No free lunch for a classifier of yours: labels of 2m points on which it fails; lecture 1 (X-NFL)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput

from .experiment import Curve, Experiment, at_least
from .fits import fresh, named

EXACT = 50_000  # fits of an exact enumeration: m = 5 has 28,004
SAMPLES = 200  # that stand for all where these are too many


class Lunch(NamedTuple):
    """The labels of 2m points on which a classifier errs most, and what it errs on average over all labels."""

    labels: tuple[int, ...]
    worst: float
    average: float
    bound: float
    exact: bool

    def __str__(self) -> str:
        how = (
            "the largest over all labels and samples"
            if self.exact
            else "the largest that was found"
        )
        return (
            f"labels {self.labels}: expected error {self.worst:.4f}, {how}\n"
            f"average over labels {self.average:.4f}, at least {self.bound:.4f} for every learner"
        )


def no_free_lunch_for(model: Any, m: int = 2, *, tries: int = 200, seed: int = 0) -> Lunch:
    """The labels of 2m points on a line on which a classifier errs most after m draws (T-NFL).

    Up to m = 5 over all labels and all samples; a sample is given in the order of its points, so that it is fitted
    once whatever the order of the draws. Beyond, `tries` labelings are tried on 200 random samples: half of them at
    random, which gives the average; then one label is flipped at a time, where the classifier errs least. The worst
    one is then measured on samples of its own.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> no_free_lunch_for(KNeighborsClassifier(1), m=1).average
    0.25
    """
    at_least("m", m, 1)
    at_least("tries", tries, 2)
    bound = least_error(m)
    if fits(m) <= EXACT:
        return Lunch(*enumerated(model, m), bound, True)
    return Lunch(*searched(model, m, tries, np.random.default_rng(seed)), bound, False)


def no_free_lunch(
    models: Any = None, *, sizes: Sequence[int] = (2, 5, 10, 20), targets: int = 1000, seed: int = 0
) -> Experiment:
    """Errors on all of 2m points after m draws, over random labels: at least (1 - 1/2m)^m / 2 on average (T-NFL).

    models   classifiers of scikit-learn, a list or a dict with their names; by default one neighbour

    >>> run = no_free_lunch(sizes=(2,), targets=50)
    >>> run.value("m = 2, at least")
    0.28125
    """
    from sklearn.neighbors import KNeighborsClassifier

    at_least("targets", targets, 1)
    each = named({"1 neighbour": KNeighborsClassifier(1)} if models is None else models)
    run = Experiment(
        f"random labels of 2m points, m draws, {targets} targets", "m", "error on 2m points", "x"
    )
    means: dict[str, list[float]] = {name: [] for name in (*each, "at least")}
    for m in sizes:
        at_least("a size", m, 1)
        rng = np.random.default_rng((seed, m))
        X = rng.normal(size=(2 * m, 3))
        errors: dict[str, list[float]] = {name: [] for name in each}
        for _ in range(targets):
            labels, rows = rng.integers(2, size=2 * m), rng.integers(2 * m, size=m)
            for name, model in each.items():
                if len(np.unique(labels[rows])) == 1:  # some classifiers refuse a single class
                    said = np.full(2 * m, labels[rows[0]])
                else:
                    said = fresh(model).fit(X[rows], labels[rows]).predict(X)
                errors[name].append(float(np.mean(said != labels)))
        for name, values in errors.items():
            means[name].append(run.add(f"m = {m}, {name}", values))
        means["at least"].append(run.add(f"m = {m}, at least", least_error(m)))
    run.curves = [Curve(name, list(sizes), values) for name, values in means.items()]
    return run


def least_error(m: int) -> float:
    """What every learner errs on average over all labels of 2m points, after m draws."""
    return 0.5 * (1.0 - 1.0 / (2 * m)) ** m


def fits(m: int) -> int:
    """How many samples of m draws with labels there are, up to their order.

    >>> fits(2), fits(4), fits(5)
    (32, 2816, 28004)
    """
    n = 2 * m
    return sum(math.comb(n, k) * math.comb(m - 1, k - 1) * 2**k for k in range(1, m + 1))


def enumerated(model: Any, m: int) -> tuple[tuple[int, ...], float, float]:
    """The worst labels, their expected error, and the average over all labels."""
    points, n = np.arange(2.0 * m)[:, None], 2 * m
    labelings = np.array(list(product((0, 1), repeat=n)), np.int8)
    errors = np.zeros(len(labelings))
    for sample in combinations_with_replacement(range(n), m):
        counts = Counter(sample)
        chance = math.factorial(m) / math.prod(map(math.factorial, counts.values())) / n**m
        code = labelings[:, list(counts)] @ (1 << np.arange(len(counts)))
        for number in range(1 << len(counts)):
            label = {i: number >> j & 1 for j, i in enumerate(counts)}
            said = answers(model, points, sample, [label[i] for i in sample])
            these = code == number
            errors[these] += chance * (labelings[these] != said).mean(axis=1)
    worst = int(np.argmax(errors))
    return tuple(labelings[worst].tolist()), float(errors[worst]), float(errors.mean())


def searched(model: Any, m: int, tries: int, rng: Any) -> tuple[tuple[int, ...], float, float]:
    """The same where labels and samples are too many: some of them, and then one label flipped at a time."""
    points, n = np.arange(2.0 * m)[:, None], 2 * m

    def draws() -> list[tuple[int, ...]]:
        return [tuple(sorted(row)) for row in rng.integers(0, n, (SAMPLES, m)).tolist()]

    def misses(labels: Any, samples: list[tuple[int, ...]]) -> Any:
        """How often the classifier errs on each point."""
        each = [answers(model, points, s, labels[list(s)]) != labels for s in samples]
        return np.mean(each, axis=0)

    samples = draws()
    first = [rng.integers(0, 2, n) for _ in range(max(1, tries // 2))]
    seen = [misses(labels, samples) for labels in first]
    average = float(np.mean(seen))
    at = int(np.argmax([each.mean() for each in seen]))
    best, errors, left = first[at], seen[at], tries - len(first)
    waiting = list(np.argsort(errors))
    while waiting and left > 0:
        other, left = best.copy(), left - 1
        other[waiting.pop(0)] ^= 1
        here = misses(other, samples)
        if here.mean() > errors.mean():
            best, errors = other, here
            waiting = list(np.argsort(errors))
    return tuple(best.tolist()), float(misses(best, draws()).mean()), average


def answers(model: Any, points: Any, sample: tuple[int, ...], labels: Any) -> Any:
    """What the model says of all points after a sample; of one class only, that class."""
    if len(set(labels)) == 1:
        return np.full(len(points), labels[0])
    try:
        return np.asarray(fresh(model).fit(points[list(sample)], labels).predict(points))
    except ValueError as problem:
        raise BadInput(f"{model} cannot be fitted to {len(sample)} rows: {problem}") from None
