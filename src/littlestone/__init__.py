"""Littlestone: online learning whose learners carry their theorems.

import littlestone as ls
run = ls.play("tracker", advice, outcomes)
run.loss, run.regret, run.bound, run.certificate
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"

_WHERE = {
    "play": "facade",
    "learner": "facade",
    "load": "core.store",
    "Learner": "core.learner",
    "Run": "core.run",
    "Stream": "core.stream",
    "Batch": "core.stream",
    "Guarantee": "core.guarantee",
    "Assumption": "core.guarantee",
    "LittlestoneError": "core.errors",
    "BadInput": "core.errors",
    "BadFile": "core.errors",
    "ZeroOne": "core.losses",
    "Absolute": "core.losses",
    "Square": "core.losses",
    "Entropic": "core.losses",
    "Pinball": "core.losses",
    "Consistent": "experts.consistent",
    "Halving": "experts.halving",
    "HalvingCover": "experts.halving_cover",
    "HalvingDisjunctions": "experts.halving_disjunctions",
    "WeightedMajority": "experts.weighted_majority",
    "RandomizedWeightedMajority": "experts.exponential_weights",
    "ExponentialWeights": "experts.exponential_weights",
    "Hedge": "experts.exponential_weights",
    "WeightedAverage": "experts.weighted_average",
    "AggregatingAlgorithm": "experts.weighted_average",
    "FixedShare": "experts.fixed_share",
    "VariableShare": "experts.fixed_share",
    "MixingPastPosteriors": "experts.mixing_past_posteriors",
    "AdaHedge": "experts.adahedge",
    "Squint": "experts.squint",
    "MLPoly": "experts.ml_poly",
    "BOA": "experts.boa",
    "Tracker": "experts.tracker",
}
__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'littlestone' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(f"littlestone.{_WHERE[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])
