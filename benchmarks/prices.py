"""Real prices and real forecasters: mean squared errors, with feedback at once and a day late.

The prices are day-ahead, so that hourly feedback does not exist; it is shown beside feedback that does.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import littlestone as ls
from littlestone.streams.open import open_stream
from littlestone.streams.options import ReadOptions

from .clock import ROOT
from .figure import Figure

DATA = ROOT.parent / "shared" / "data"
EXPERTS = [*(f"DNN {i}" for i in range(1, 5)), *(f"LEAR {w}" for w in (56, 84, 1092, 1456))]
MARKETS = {"NP": {"ml-poly": 10.10, "tracker": 7.8}, "DE": {"ml-poly": 31.45, "tracker": 27.2}}
LATE = 24  # hours


def measure(quick: bool) -> Iterator[Figure]:
    if not DATA.is_dir():
        raise FileNotFoundError(f"no folder {DATA}")
    yield from forecasters()
    yield from elsewhere()


def forecasters() -> Iterator[Figure]:
    """The two markets with published forecasters."""
    for market, targets in MARKETS.items():
        path = DATA / f"Forecasts_{market}_DNN_LEAR_ensembles.csv"
        stream = open_stream(path, None, ReadOptions(outcome="Real price", experts=EXPERTS))
        batches = list(stream.batches)
        advice = np.concatenate([b.x for b in batches])
        prices = np.concatenate([b.y for b in batches])
        uniform = float(np.mean((advice.mean(axis=1) - prices) ** 2))
        peer = "uniform mean"
        for delay in (0, LATE):
            when = f"{delay} h late" if delay else "hourly feedback"
            for key in ("tracker", "ml-poly", "boa"):
                run = ls.play(key, advice, prices, delay=delay)
                target = targets.get(key) if not delay else uniform if key == "tracker" else None
                name = f"{market}, {when}: {key}"
                yield Figure(name, run.mean_loss, "MSE", peer, uniform, target)
        name = f"{market}, in hindsight: best expert"
        yield Figure(name, float(run.experts.L.min()) / run.answered, "MSE", peer, uniform)
        if run.mixture is not None:
            name = f"{market}, in hindsight: best fixed mixture"
            yield Figure(name, run.mixture[1] / run.answered, "MSE", peer, uniform)


def elsewhere() -> Iterator[Figure]:
    """A market that played no part in any choice: New South Wales, with eight naive forecasters made of past prices.

    Prices are in percent of their range, one each half hour; forecasters that are a day late know nothing of that day.
    """
    import pandas as pd

    price = pd.read_csv(DATA / "electricity.csv")["nswprice"] * 100
    for delay in (0, 48):
        seen = price.shift(1 + delay)
        advice = np.column_stack(
            [
                *(price.shift(lag) for lag in ((1, 48, 336) if not delay else (49, 96, 336))),
                *(seen.rolling(window).mean() for window in (48, 336, 1440)),
                *(seen.ewm(alpha=alpha).mean() for alpha in (0.05, 0.3)),
            ]
        )[1600:]
        outcomes = price.to_numpy()[1600:]
        uniform = float(np.mean((advice.mean(axis=1) - outcomes) ** 2))
        when = "a day late" if delay else "prompt feedback"
        for key in ("tracker", "ml-poly", "boa"):
            run = ls.play(key, advice, outcomes, delay=delay)
            yield Figure(f"NSW, {when}: {key}", run.mean_loss, "MSE", "uniform mean", uniform)
        best = float(run.experts.L.min()) / run.answered
        yield Figure(
            f"NSW, {when}: best expert, in hindsight", best, "MSE", "uniform mean", uniform
        )
        if run.mixture is not None:
            mixed = run.mixture[1] / run.answered
            name = f"NSW, {when}: best fixed mixture, in hindsight"
            yield Figure(name, mixed, "MSE", "uniform mean", uniform)
