"""How reliable probabilities are, and what decisions made by them cost: for the table, the page and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.calibration import BINS, Calibration
from ..core.extras import import_extra
from ..run.run import Run
from .simple import Reference

BEST = "0 is best"


def published(runs: Sequence[Run]) -> bool:
    """Were probabilities of classes measured in all of these runs?"""
    return all(run.has_probabilities for run in runs)


def decided(runs: Sequence[Run]) -> bool:
    """Were decisions made by costs in all of these runs?"""
    return published(runs) and all(run.reliability.costs is not None for run in runs)


def brier(runs: Sequence[Run]) -> float:
    """The Brier score of one run, or of one a key together."""
    parts = [run.reliability for run in runs]
    total = math.fsum(part.total for part in parts)
    return math.fsum(part.squares for part in parts) / total if total else math.nan


def brier_of_shares(runs: Sequence[Run]) -> float:
    """The Brier score of one who always says the shares that the classes have in the end, of each key."""
    parts = [run.reliability for run in runs]
    weights = [math.fsum(part.outcomes.values()) for part in parts]
    total = math.fsum(weights)
    if not total:
        return math.nan
    return math.fsum(
        w * part.brier_of_shares for w, part in zip(weights, parts, strict=True) if w
    ) / total  # fmt: skip


def calibration_error(runs: Sequence[Run]) -> float:
    """The mean distance between what was said and what was observed, in the bins of all runs."""
    return Calibration("", np.sum([run.calibration().sums for run in runs], axis=0)).error


def probability_line(name: str, runs: Sequence[Run]) -> str:
    """One line about the probabilities of a learner; empty where it has none."""
    if not published(runs) or math.isnan(brier(runs)):
        return ""
    return (
        f"probabilities of {name}: Brier score {brier(runs):.4f} ({BEST}; always the shares of the classes: "
        f"{brier_of_shares(runs):.4f}), calibration error {calibration_error(runs):.4f}"
    )


def numbers(run: Run) -> dict[str, Any]:
    """The numbers of the page and of `--json`; none where there are no probabilities."""
    if not published([run]):
        return {}
    found: dict[str, Any] = {
        "brier": run.brier,
        "brier_of_shares": run.reliability.brier_of_shares,
        "calibration_error": run.calibration().error,
    }
    if decided([run]):
        found |= {"cost": run.cost, "mean_cost": run.mean_cost}
    return found


def cost_references(runs: Sequence[Run]) -> list[Reference]:
    """What it would have cost to decide for the most probable label, or always for the same; of many keys, the sums."""
    labels = math.fsum(run.reliability.cost_of_labels for run in runs)
    found = [Reference("most_probable", "the most probable label", labels)]
    constants: dict[Any, float] = {}
    frequent: dict[Any, float] = {}
    for run in runs:
        for label, n in run.reliability.outcomes.items():
            frequent[label] = frequent.get(label, 0.0) + n
    for label in frequent:  # a key may not have met it
        constants[label] = math.fsum(run.reliability.cost_of_always(label) for run in runs)
    if not frequent:
        return found
    top, least = max(frequent, key=frequent.__getitem__), min(constants, key=constants.__getitem__)
    found.append(Reference("most_frequent", f"always {top}, the most frequent", constants[top]))
    if constants[least] < constants[top]:
        found.append(
            Reference("cheapest", f"always {least}, the cheapest constant", constants[least])
        )
    return found


def simple_costs(run: Run) -> dict[str, float]:
    """The costs of simple decisions, by name."""
    return {r.name: r.loss for r in cost_references([run])}


def picture(run: Run) -> dict[str, Any] | None:
    """The reliability diagram of a run that has probabilities, for the page."""
    if not run.reliability.total:
        return None
    found = run.calibration()
    return {
        "of": found.of,
        "error": found.error,
        **numbers(run),
        "bins": [list(b) for b in found.rows],
    }


def plot_calibration(found: Calibration) -> Any:
    """The reliability diagram with matplotlib: what was said, what was observed, and how often."""
    Figure = import_extra("a plot", "matplotlib.figure").Figure
    made = Figure(figsize=(5, 6), layout="constrained")
    top, bottom = made.subplots(2, 1, sharex=True, height_ratios=[4, 1])
    rows = found.rows
    top.plot([0, 1], [0, 1], color="grey", linestyle="--", label="as often as said")
    top.plot([b.said for b in rows], [b.observed for b in rows], "o-", label=found.of)
    top.set_ylabel("observed")
    top.legend()
    bottom.bar([b.low + 0.5 / BINS for b in rows], [b.rounds for b in rows], width=0.9 / BINS)
    bottom.set_xlabel(f"probability of {found.of}")
    bottom.set_ylabel("rounds")
    return made
