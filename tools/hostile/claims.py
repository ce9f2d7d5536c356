"""Claims about models whose error is known: how often `ls.certify` claims what is false.

A world has a true error, rows that are independent or come in groups which err together, rows that count alike or not,
models that are all equally good and are chosen by the test rows, and a rival. Each statement of a claim may be false
with probability delta. Its rate over many worlds is compared with delta by an exact binomial test: it is above its
level where so many false ones, or more, had probability below `LEVEL` over the number of tests.
"""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom

import littlestone as ls

LEVEL = 0.001  # the chance that a campaign without a fault reports one
DELTAS = (0.01, 0.05, 0.2)
SELECTED = (
    1,
    3,
    40,
)  # three are given by name; of forty only the best is given, and how many there were
ERRORS = (0.02, 0.1, 0.3, 0.5)


class Cell(NamedTuple):
    """A way to make a claim."""

    selected: int
    rival: bool
    groups: bool
    weights: bool
    delta: float


class World(NamedTuple):
    """Errors of models on test rows, and what is true of every model and of the rival."""

    errors: Any  # a row a model
    rival: Any
    group: Any
    weights: Any
    error: float
    rival_error: float


def cells() -> list[Cell]:
    yes_no = (False, True)
    return [Cell(*v) for v in itertools.product(SELECTED, yes_no, yes_no, yes_no, DELTAS)]


def world(rng: np.random.Generator, cell: Cell) -> World:
    """Units (rows, or groups of rows that err together) of two kinds; the heavy ones err more often."""
    G = int(rng.integers(15, 60)) if cell.groups else int(rng.integers(20, 200))
    heavy = rng.random(G) < 0.4
    while not heavy.any():  # the largest weight is known beforehand, as a ground of the claim says
        heavy = rng.random(G) < 0.4
    base, rise = float(rng.choice(ERRORS)), float(rng.choice((1.0, 1.8)))
    sizes = (int(rng.choice((2, 8))), 8) if cell.groups else (1, 1)  # of light and of heavy units
    weigh = (1.0, 4.0) if cell.weights else (1.0, 1.0)
    mass = np.array([0.6 * sizes[0] * weigh[0], 0.4 * sizes[1] * weigh[1]])
    error = float(mass @ [base, base * rise] / mass.sum())
    ahead = float(rng.choice((1.0, 0.8)))  # the rival is as good as the models, or better
    chance = np.where(heavy, base * rise, base) * np.append(np.ones(cell.selected), ahead)[:, None]
    bad = rng.random(chance.shape) < chance
    unit = np.repeat(np.arange(G), np.where(heavy, sizes[1], sizes[0]))
    if rng.random() < 0.5:
        unit = rng.permutation(unit)
    group = unit if cell.groups else None
    weights = np.where(heavy, weigh[1], weigh[0])[unit] if cell.weights else None
    return World(bad[:-1, unit], bad[-1, unit], group, weights, error, ahead * error)


def statements(rng: np.random.Generator, cell: Cell, told: bool = True) -> dict[str, bool]:
    """Each statement of one claim, and whether it is false; `told`: groups and selection are told."""
    w = world(rng, cell)
    truth = np.zeros(w.errors.shape[1], int)
    predictions = w.errors.astype(int)
    options: dict[str, Any] = {"delta": cell.delta, "weights": w.weights}
    if told:
        options["groups"] = w.group
        if rng.random() < 0.3:
            options["by"] = rng.integers(0, 3, len(truth))
    if cell.rival:
        options["rival"] = w.rival.astype(int)
    best = int(np.argmin(np.average(w.errors, axis=1, weights=w.weights)))
    given: Any = predictions[best]
    if told and cell.selected == 3:
        given = {str(i): p for i, p in enumerate(predictions)}
    elif told:
        options["selected_from"] = cell.selected
    claim = ls.certify(given, None, truth, **options)
    promised = claim.verdict == "promised"
    found = {
        "upper": promised and claim.upper < w.error,
        "limits": promised and not claim.limits.low <= w.error <= claim.limits.high,
    }
    if claim.by:
        found["by"] = any(not v.why and v.upper < w.error for v in claim.by.values())
    if claim.models:
        found["models"] = any(not v.why and v.upper < w.error for v in claim.models.values())
    if claim.versus:  # all are equally good
        found["versus"] = any(c.verdict in ("better", "worse") for c in claim.versus.values())
    if claim.rival is not None:
        less = w.error - w.rival_error
        known = claim.rival.verdict
        found["rival"] = known == "better" or (known == "worse" and less == 0.0)
        low, high = claim.rival.difference
        found["difference"] = known != "vacuous" and not low - 1e-12 <= less <= high + 1e-12
    return found


@dataclass
class Rates:
    """How often each statement was false, by cell."""

    made: Counter[tuple[str, Cell]] = field(default_factory=Counter)
    false: Counter[tuple[str, Cell]] = field(default_factory=Counter)

    def rates(self) -> dict[str, tuple[int, int, float]]:
        """False statements, statements and delta: of each cell, and of all cells with one delta."""
        found: dict[str, tuple[int, int, float]] = {}
        for (what, cell), n in sorted(self.made.items()):
            names = (f"{what}, delta {cell.delta:g}", f"{what}, {cell}")
            for name in names:
                k, m, _ = found.get(name, (0, 0, 0.0))
                found[name] = (k + self.false[what, cell], m + n, cell.delta)
        return found

    def above(self) -> list[str]:
        """What is above its level."""
        every = self.rates()
        return [
            f"{name}: {k:,} of {n:,} are false, {k / n:.2g} where {delta:g} is stated"
            for name, (k, n, delta) in every.items()
            if binom.sf(k - 1, n, delta) < LEVEL / len(every)
        ]


def simulate(runs: int, seed: int = 0, told: bool = True) -> Rates:
    """So many claims in each cell."""
    found = Rates()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, cell in enumerate(cells()):
            for k in range(runs):
                rng = np.random.default_rng([seed, i, k])
                for what, false in statements(rng, cell, told).items():
                    found.made[what, cell] += 1
                    found.false[what, cell] += bool(false)
    return found


def report(runs: int, seed: int = 0) -> int:
    """Simulate, print the rates, and say how many are above their level."""
    found = simulate(runs, seed)
    for name, (k, n, delta) in found.rates().items():
        if name.endswith(f"delta {delta:g}"):
            print(f"claims, {name}: {k:,} of {n:,} are false, {k / n:.2g}")
    above = found.above()
    for text in above:
        print(f"claims, {text}")
    print(f"{len(above)} rates of false claims above their level (seed {seed})")
    return len(above)
