"""The falsifier: short runs of Hedge a second, and the exact worst case of a small game."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.environments.exhaustive import worst_hedge
from littlestone.falsify.attack import Volley
from littlestone.falsify.minimax import worst_case
from littlestone.falsify.target import Target

from .clock import race
from .figure import Figure

N, T = 4, 50
CORES = 2
ASKED = 1e6  # short runs a second on two cores


def measure(quick: bool) -> Iterator[Figure]:
    runs, seconds = (40_000, 1.0) if quick else (200_000, 8.0)
    target = Target("hedge", "T-EWA")
    losses = np.random.default_rng(0).integers(0, 2, (runs, T, N)).astype(float)
    volley = Volley(losses, interval=(0.0, 1.0))
    compiled = target.compiled
    fitted = compiled.fit(volley)
    eta = math.sqrt(8 * math.log(N) / T)
    loop = by_hand()
    totals = np.empty(runs)
    target.ratios(volley)
    loop(losses, eta, totals)
    walls: list[float] = []

    def timed() -> None:
        began = time.perf_counter()
        target.ratios(volley)
        walls.append(time.perf_counter() - began)

    best = race(
        {
            "rules": lambda: compiled.played(volley, fitted),
            "scored": timed,
            "by hand": lambda: loop(losses, eta, totals),
        },
        seconds,
    )
    what = f"a run of Hedge, n = {N}, T = {T}"
    yield Figure(
        f"{what}: its own rules, on two cores", best["rules"] / runs / CORES, "s",
        "a loop by hand, on one core", best["by hand"] / runs, 1.0 / ASKED,
        note=f"{CORES * runs / best['rules']:,.0f} runs a second on two cores, by their CPU time",
    )  # fmt: skip
    yield Figure(
        f"{what}: scored against T-EWA, on two cores",
        best["scored"] / runs / CORES,
        "s",
        "a loop by hand, on one core",
        best["by hand"] / runs,
        1.0 / ASKED,
        note=f"{runs / min(walls):,.0f} runs a second by the clock, on this machine as busy as it was",
    )
    rounds = 40
    found = worst_case(ls.Hedge(), rounds, N)
    assert found is not None
    rate = math.sqrt(8 * math.log(N) / rounds)
    best = race(
        {
            "compiled": lambda: worst_case(ls.Hedge(), rounds, N),
            **({} if quick else {"memoised": lambda: worst_hedge(rounds, N, rate)}),
        },
        seconds,
        1,
    )
    ratio = found.regret / math.sqrt(rounds * math.log(N) / 2)
    yield Figure(
        f"exact worst case of Hedge, n = {N}, T = {rounds}, losses 0 and 1", best["compiled"], "s",
        "plain Python with memoisation", best.get("memoised", math.nan), 1.0,
        note=f"regret {found.regret:.6f}, {ratio:.4f} of the bound",
    )  # fmt: skip


@functools.cache
def by_hand() -> Any:
    """Hedge as one would write it for Numba, with losses in memory."""
    import numba

    @numba.njit(fastmath=True)  # type: ignore[untyped-decorator]
    def loop(losses: Any, eta: float, totals: Any) -> None:
        B, T, n = losses.shape
        L, w = np.empty(n), np.empty(n)
        for b in range(B):
            L[:] = 0.0
            total = 0.0
            for t in range(T):
                low, s = L.min(), 0.0
                for i in range(n):
                    w[i] = np.exp(-eta * (L[i] - low))
                    s += w[i]
                cost = 0.0
                for i in range(n):
                    cost += w[i] * losses[b, t, i]
                    L[i] += losses[b, t, i]
                total += cost / s
            totals[b] = total - L.min()

    return loop
