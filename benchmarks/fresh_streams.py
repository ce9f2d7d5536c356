"""Streams that played no part in the design of online-linear: written down after its code was frozen, and played once.

Generators of River that were not used before, other concepts and seeds of those that were, other questions asked of
bundled data. A design that is changed after looking at them needs new ones.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from .example_streams import Stream, codes, ordered, river, signs

ROWS = 5000


def two_classes() -> dict[str, Callable[[], Stream]]:
    synth = import_module("river.datasets.synth")
    from sklearn import datasets as bundled

    def made(stream: Any) -> Callable[[], Stream]:
        return lambda: signs(river(stream, ROWS))

    def drift(one: Any, two: Any) -> Callable[[], Stream]:
        return made(synth.ConceptDriftStream(one, two, position=2500, width=200, seed=11))

    found = {
        f"Agrawal {k}": made(synth.Agrawal(classification_function=k, seed=11))
        for k in (0, 1, 2, 3, 4, 5, 7, 8, 9)
    }
    found |= {f"Sine {k}": made(synth.Sine(classification_function=k, seed=11)) for k in range(4)}
    found |= {
        f"STAGGER {k}": made(synth.STAGGER(classification_function=k, seed=11)) for k in range(3)
    }
    found |= {f"Mixed {k}": made(synth.Mixed(classification_function=k, seed=11)) for k in range(2)}
    found |= {f"SEA {k}": made(synth.SEA(variant=k, seed=11, noise=0.2)) for k in (1, 3)}
    return found | {
        "RandomTree": made(synth.RandomTree(seed_tree=11, seed_sample=12)),
        "RandomRBF": made(synth.RandomRBF(seed_model=11, seed_sample=12, n_features=20)),
        "Hyperplane, fast": made(synth.Hyperplane(seed=11, n_features=20, n_drift_features=10, mag_change=0.05)),
        "Sine 0, then 1": drift(synth.Sine(0, seed=11), synth.Sine(1, seed=12)),
        "STAGGER 0, then 2": drift(synth.STAGGER(0, seed=11), synth.STAGGER(2, seed=12)),
        "Agrawal 0, then 4": drift(synth.Agrawal(0, seed=11), synth.Agrawal(4, seed=12)),
        "digits, below 5": lambda: ordered(bundled.load_digits, lambda y: np.where(y < 5, 1, -1)),
        "digits, sorted": lambda: by_class(bundled.load_digits),
    }  # fmt: skip


def by_class(load: Callable[..., Any]) -> Stream:
    """The order of a sorted file: even or odd, all of one digit after all of another."""
    X, y = load(return_X_y=True)
    order = np.argsort(y, kind="stable")
    return np.ascontiguousarray(X[order], float), np.where(y[order] % 2, 1, -1)


def several_classes() -> dict[str, Callable[[], Stream]]:
    synth = import_module("river.datasets.synth")

    def made(stream: Any) -> Callable[[], Stream]:
        return lambda: codes(river(stream, ROWS))

    return {
        "LED, 20% noise": made(synth.LED(seed=11, noise_percentage=0.2, irrelevant_features=True)),
        "Waveform, no noise": made(synth.Waveform(seed=11)),
        "RandomRBF, 5": made(synth.RandomRBF(seed_model=11, seed_sample=12, n_classes=5)),
        "RandomTree, 4": made(synth.RandomTree(seed_tree=11, seed_sample=12, n_classes=4)),
    }


def numbers() -> dict[str, Callable[[], Stream]]:
    datasets, synth = import_module("river.datasets"), import_module("river.datasets.synth")
    return {
        "Mv": lambda: river(synth.Mv(seed=11), ROWS),
        "Friedman, seed 11": lambda: river(synth.Friedman(seed=11), ROWS),
        "Friedman, abrupt drift": lambda: river(
            synth.FriedmanDrift(drift_type="gra", position=(1500, 3500), seed=11), ROWS
        ),
        "WaterFlow": lambda: river(datasets.WaterFlow()),
    }
