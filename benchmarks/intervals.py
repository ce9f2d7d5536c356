"""Prediction intervals at 90%: Winkler scores, coverage and the worst window on real prices and demand; time a round.

The data lie in `../shared/data` beside the project. The first 500 rounds are played and not scored. The peers' figures
are stated ones, the best of 17 configurations of packages in use; truths that are prompt flatter where prices are
published a day ahead, so both are measured.
"""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls

from .clock import ROOT
from .figure import Figure

FOLDER = ROOT.parent / "shared" / "data"
EXPERTS = (
    *(f"DNN {i}" for i in range(1, 5)),
    *(f"LEAR {days}" for days in (56, 84, 1092, 1456)),
)
AFTER = 500
# market and delay: Winkler score of the best peer, and the one to reach
STATED = {
    ("NP", 0): (9.52, 5.75),
    ("NP", 24): (14.23, 12.3),
    ("DE", 0): (18.26, 12.5),
    ("DE", 24): (24.77, 22.0),
}
WORST = {
    "NP": 0.868,
    "DE": 0.880,
}  # coverage of the peers in the worst window of 500 rounds, prompt
PEERS = "best of 17 peer configurations, as stated"


def measure(quick: bool) -> Iterator[Figure]:
    if not FOLDER.is_dir():
        raise FileNotFoundError("../shared/data: intervals were not measured")
    for (market, delay), (peer, target) in STATED.items():
        X, y = prices(market)
        found = ls.intervals(X, y, delay=delay, mix="mean", after=AFTER)
        yield from scored(f"{market}, {late(delay)}", found, peer, target)
        if not delay:
            yield Figure(f"cover, {market}, {late(delay)}, misses in the worst 500 rounds", 1 - found.measures.worst,
                         "", PEERS, 1 - WORST[market], 0.145)  # fmt: skip
    y = column("electricity.csv", ("nswdemand",))[:, 0]
    last = np.r_[y[0], y[:-1]]  # the demand of half an hour before
    found = ls.intervals(last, y, delay=24, after=AFTER)
    # the peers' base was another persistence forecast, which is not known here: no peer, and no target
    yield from scored(f"demand, {late(24)}", found, math.nan, None)
    X, y = prices("NP")
    yield from speed(X.mean(axis=1, keepdims=True), y)


def scored(name: str, found: Any, peer: float, target: float | None) -> Iterator[Figure]:
    simple = ", ".join(f"{m.name} {m.winkler:.4g}" for m in found.simple)
    kept = found.certificate.verdict
    yield Figure(f"cover, {name}, Winkler score", found.winkler, "",
                 "" if math.isnan(peer) else PEERS, peer, target, note=f"{simple}; {kept}")  # fmt: skip
    yield Figure(f"cover, {name}, coverage is off by", abs(found.coverage - 0.9), "", "", math.nan, 0.005,
                 note=f"worst window {found.measures.worst:.3f}")  # fmt: skip


def speed(x: Any, y: Any) -> Iterator[Figure]:
    took = min(timed(lambda: ls.play("cover", x, y, certify=False)) for _ in range(3)) / len(y)
    yield Figure(
        "cover, both tails, a round", took, "s", "MAPIE at its best, as stated", 1 / 510, 1 / 30_000
    )
    learner = ls.Cover().start(1, allocation=False)

    def live() -> None:
        for t in range(2000):
            learner.predict(x[t])
            learner.update(x[t], y[t])

    live()
    yield Figure(
        "cover, one live round", min(timed(live) for _ in range(3)) / 2000, "s", "", math.nan, 40e-6
    )


def timed(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def late(delay: int) -> str:
    return f"{delay} rounds late" if delay else "prompt"


def prices(market: str) -> tuple[Any, Any]:
    """The eight forecasters, and the real price."""
    rows = column(f"Forecasts_{market}_DNN_LEAR_ensembles.csv", (*EXPERTS, "Real price"))
    return np.ascontiguousarray(rows[:, :-1]), rows[:, -1].copy()


def column(file: str, names: tuple[str, ...]) -> Any:
    with (FOLDER / file).open(newline="") as lines:
        return np.array([[float(row[name]) for name in names] for row in csv.DictReader(lines)])


if __name__ == "__main__":
    from .__main__ import main

    raise SystemExit(main(["intervals"]))
