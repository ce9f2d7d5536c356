"""Shares against static experts, and perceptron or Winnow; lectures 5 and 8, CMU slide 22 (X-SIM, X-HADAMARD)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.core.errors import BadInput

from .experiment import Curve, Experiment, at_least

Data = Callable[[int, int], tuple[Any, Any]]
COMPARATOR, SINGLE = "best sequence", "best single expert"


def share_learners(alpha: float = 0.024) -> dict[str, Any]:
    """The learners of the experiment: with Vovk's prediction at eta = 2, with the weighted average at 1/2 (E-SIM)."""
    return {
        "static, Vovk's prediction": ls.AggregatingAlgorithm(eta=2.0),
        "fixed share, Vovk's prediction": ls.FixedShare(eta=2.0, alpha=alpha, substitution=True),
        "variable share, Vovk's prediction": ls.VariableShare(
            eta=2.0, alpha=alpha, substitution=True
        ),
        "static, weighted average": ls.WeightedAverage(eta=0.5),
        "fixed share, weighted average": ls.FixedShare(eta=0.5, alpha=alpha),
        "variable share, weighted average": ls.VariableShare(eta=0.5, alpha=alpha),
    }


def share_losses(
    learners: Mapping[str, Any],
    *,
    rounds: int = 800,
    experts: int = 64,
    shifts: int = 3,
    seed: int = 0,
    certify: bool = False,
) -> dict[str, Any]:
    """The loss of each round: of the best sequence, the best expert, and each learner.

    certify  refuse a run whose certificate is not kept
    """
    from littlestone.environments.shifting import shifting_experts

    advice, outcomes, best = shifting_experts(rounds, experts, shifts, seed=seed)
    each = (advice - outcomes[:, None]) ** 2
    losses = {
        COMPARATOR: each[np.arange(len(best)), best],
        SINGLE: each[:, each.sum(axis=0).argmin()],
    }
    for name, learner in learners.items():
        run = ls.play(
            learner, advice, outcomes, interval=(0, 1), shifts=shifts, certify=certify, record="all"
        )
        if certify and run.certificate.verdict != "kept":
            raise BadInput(f"{name}, seed {seed}: {run.certificate}")
        losses[name] = run.losses
    return losses


def share_simulation(
    learners: Mapping[str, Any] | None = None,
    *,
    rounds: int = 800,
    experts: int = 64,
    shifts: int = 3,
    seeds: int = 5,
    seed: int = 0,
) -> Experiment:
    """Total square losses where the best expert shifts: `plot` draws the first seed round by round.

    >>> run = share_simulation({"tracker": ls.Tracker()}, rounds=40, experts=3, shifts=1, seeds=1)
    >>> [row.label for row in run.rows]
    ['best sequence', 'best single expert', 'tracker']
    """
    at_least("seeds", seeds, 1)
    models = share_learners() if learners is None else learners
    runs = [
        share_losses(models, rounds=rounds, experts=experts, shifts=shifts, seed=seed + s)
        for s in range(seeds)
    ]
    run = Experiment(f"total square loss, {rounds} rounds, {experts} experts, {shifts} shifts, {seeds} seeds",
                     "round", "total square loss")  # fmt: skip
    for name in runs[0]:
        run.add(name, [one[name].sum() for one in runs])
        run.curves.append(Curve(name, np.arange(1, rounds + 1), np.cumsum(runs[0][name])))
    return run


def first_coordinate_of_hadamard(n: int, seed: int) -> tuple[Any, Any]:
    """Rows of Sylvester's matrix, negated, since a score of 0 says +1: the label is the first coordinate."""
    from littlestone.environments.linear_adversaries import hadamard

    X, y = hadamard(n)
    return -X, -y


def disjunction(n: int, seed: int, relevant: int = 3, rounds: int = 1000) -> tuple[Any, Any]:
    """Half of the features are on; the relevant ones less often, so that both labels are as frequent."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rounds, n)) < 0.5).astype(float)
    X[:, :relevant] = rng.random((rounds, relevant)) < 1 - 0.5 ** (1 / relevant)
    return X, np.where(X[:, :relevant].max(axis=1) > 0, 1, -1)


def perceptron_or_winnow(
    data: Data = first_coordinate_of_hadamard,
    *,
    sizes: Sequence[int] = (4, 16, 64, 256),
    learners: Mapping[str, Any] | None = None,
    seeds: int = 1,
    seed: int = 0,
) -> Experiment:
    """Mistakes over the number of features: N for the perceptron and lg N for Winnow on Sylvester's matrix.

    data    a function of the number of features and a seed, with rows and labels -1 and 1; `disjunction` is another

    >>> run = perceptron_or_winnow(sizes=(16,))
    >>> run.value("16 features, perceptron"), run.value("16 features, winnow")
    (16.0, 4.0)
    """
    at_least("seeds", seeds, 1)
    models: dict[str, Any] = {"perceptron": ls.Perceptron(), "winnow": ls.WinnowEG(eta=1.0)}
    if learners is not None:
        models = dict(learners)
    run = Experiment("mistakes over the number of features", "features", "mistakes", "xy")
    means: dict[str, list[float]] = {name: [] for name in models}
    for n in sizes:
        for name, learner in models.items():
            counts = []
            for s in range(seeds):
                X, y = data(n, seed + s)
                played = ls.play(learner, X, y, labels=[-1, 1], certify=False, record="none")
                counts.append(float(played.mistakes))
            means[name].append(run.add(f"{n} features, {name}", counts))
    run.curves = [Curve(name, list(sizes), values) for name, values in means.items()]
    return run
