"""Series of one number a row: which lags, and what predictions start from.

    pip download --no-deps -d FOLDER statsmodels sktime vega_datasets
    python -m benchmarks.lags FOLDER [--learner online-linear] [--absolute]

Each series is played row by row with lags, by the rule that `littlestone run` has where nothing else is there to learn
from (1, 2, 3, a season and one row more) and by others. Printed is the error from the second row on, over that of the
value before (RMSE; --absolute: MAE), and beside it that of the value a season before and of the mean so far. The last
lines are geometric means, of every other series and of all: the rule and the way were chosen on these series, and the
halves show how much that depends on which. Series come with River, and with the wheels of statsmodels, sktime and
vega_datasets in FOLDER, of which nothing is installed.

The ways:

    change   predictions start from the nearest lag, and features are how far others are from it (`lags=`)
    offset   predictions start from the nearest lag, and features are the lags as they are
    lags     the lags as they are, and predictions start from 0
"""

from __future__ import annotations

import argparse
import io
import math
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import littlestone as ls
from littlestone.core.stream import Array
from littlestone.encode.lags import Lags

RULES = {
    "1": lambda s: [1],
    "1 s s+1": lambda s: [1, s, s + 1],
    "1 2 3 s": lambda s: [1, 2, 3, s],
    "1 2 3 s s+1": lambda s: [1, 2, 3, s, s + 1],
    "1 to s": lambda s: [*range(1, s + 1)],
}
CHOSEN = "1 2 3 s s+1"
WAYS = ("change", "offset", "lags")


class Source(NamedTuple):
    """Where a series is: a file of River, or of a wheel, its column and its season (0: none)."""

    path: str
    column: str
    season: int = 0


RIVER = {
    "air passengers": Source("datasets/airline-passengers.csv", "passengers", 12),
    "air US": Source("drift/datasets/airline_passengers.csv", "Total Passengers", 12),
    "bitcoin": Source("drift/datasets/bitcoin.csv", "price"),
    "brent": Source("drift/datasets/brent_crude_oil.csv", "DPB", 5),
    "coal": Source("drift/datasets/uk_coal_employment.csv", "Employment"),
    "approval": Source("datasets/trump_approval.csv.gz", "five_thirty_eight", 7),
    "water flow": Source("datasets/water-flow.csv", "Water flow [l/s]", 24),
}
WHEELS = {
    "co2": Source("statsmodels/datasets/co2/co2.csv", "co2", 52),
    "copper": Source("statsmodels/datasets/copper/copper.csv", "COPPERPRICE"),
    "electrical": Source(
        "statsmodels/datasets/elec_equip/elec_equip.csv", "STS.M.I7.W.TOVT.NS0016.4.000", 12
    ),
    "gdp": Source("statsmodels/datasets/macrodata/macrodata.csv", "realgdp", 4),
    "inflation": Source("statsmodels/datasets/macrodata/macrodata.csv", "infl", 4),
    "lynx": Source("sktime/datasets/data/Lynx/Lynx.csv", "0"),
    "nile": Source("statsmodels/datasets/nile/nile.csv", "volume"),
    "nonfarm": Source("vega_datasets/_data/us-employment.csv", "nonfarm", 12),
    "prescriptions": Source("sktime/datasets/data/PBS_dataset/PBS_dataset.csv", "Scripts", 12),
    "rain": Source("vega_datasets/_data/seattle-weather.csv", "precipitation", 7),
    "seat belts": Source("sktime/datasets/data/seatbelts/seatbelts.csv", "KSI", 12),
    "shampoo": Source("sktime/datasets/data/ShampooSales/ShampooSales.csv", "Sales", 12),
    "solar": Source("sktime/datasets/data/solar/solar.csv", "solar_gen", 48),
    "sunspots": Source("statsmodels/datasets/sunspots/sunspots.csv", "SUNACTIVITY"),
    "temperature": Source("vega_datasets/_data/seattle-weather.csv", "temp_max", 7),
    "temperature SF": Source("vega_datasets/_data/sf-temps.csv", "temp", 24),
    "temperature Seattle": Source("vega_datasets/_data/seattle-temps.csv", "temp", 24),
    "unemployment": Source("statsmodels/datasets/macrodata/macrodata.csv", "unemp", 4),
    "wind": Source("vega_datasets/_data/seattle-weather.csv", "wind", 7),
}


def all_series(folder: Path) -> Iterator[tuple[str, Array, int]]:
    """The name, the outcomes and the season of each series; what is missing is as the value before."""
    for name, source in RIVER.items():
        yield name, column_of(pd.read_csv(str(files("river") / source.path)), source), source.season
    wheels = {path.name.partition("-")[0]: zipfile.ZipFile(path) for path in folder.glob("*.whl")}
    for name, source in WHEELS.items():
        wheel = wheels.get(source.path.partition("/")[0])
        if wheel is not None:
            table = pd.read_csv(io.BytesIO(wheel.read(source.path)))
            yield name, column_of(table, source), source.season


def column_of(table: Any, source: Source) -> Array:
    """The outcomes of a series."""
    found: Array = table[source.column].ffill().dropna().to_numpy(float)
    return found


def predict_series(learner: str, y: Array, rows: list[int], way: str) -> Array:
    """What a learner predicts of each row, before it sees it."""
    if way == "change":
        frame = pd.DataFrame({"y": y})
        run = ls.play(learner, frame, outcome="y", lags=rows, task="regression", certify=False)
        return np.asarray(run.predictions)
    lags = Lags(tuple(sorted(set(rows))))
    x, there = lags.take(y)
    plain = lags.outcomes(x)
    offset = way == "offset"
    start = plain[:, 0] if offset else np.zeros(len(y))
    worth = there.astype(float) if offset else np.ones(len(y))
    run = ls.play(learner, plain, y - start, importance=worth, task="regression", certify=False)
    return np.asarray(run.predictions) + start


def error(y: Array, predictions: Array, absolute: bool) -> float:
    """The error from the second row on."""
    off = (predictions - y)[1:]
    return float(np.abs(off).mean() if absolute else math.sqrt(np.mean(off * off)))


def measure(learner: str, y: Array, season: int, absolute: bool) -> dict[str, float]:
    """The errors of all ways and rules on one series, over that of the value before."""
    before = Lags((1,)).take(y)[0][:, 0]
    unit = error(y, before, absolute)
    count = np.maximum(1, np.arange(len(y)))
    found = {"mean": error(y, np.concatenate([[0.0], np.cumsum(y)[:-1]]) / count, absolute) / unit}
    found["season"] = math.nan
    if season:
        lags = Lags((1, season))
        found["season"] = error(y, lags.outcomes(lags.take(y)[0])[:, 1], absolute) / unit
    ways = [(CHOSEN, way) for way in WAYS] + [(r, "change") for r in RULES if r != CHOSEN]
    for rule, way in ways:
        rows = RULES[rule](season) if season else {"1": [1], "1 s s+1": [1]}.get(rule, [1, 2, 3])
        said = predict_series(learner, y, rows, way)
        found[f"{way}: {rule}"] = error(y, said, absolute) / unit
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lags", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the wheels are")
    parser.add_argument("--learner", default="online-linear")
    parser.add_argument("--absolute", action="store_true", help="MAE instead of RMSE")
    said = parser.parse_args()
    found = {}
    for name, y, season in all_series(said.folder):
        found[name] = {"rows": len(y), "s": season} | measure(
            said.learner, y, season, said.absolute
        )
    table = pd.DataFrame(found).T
    errors = table.drop(columns=["rows", "s"])
    for part, rows in (("odd", errors[::2]), ("even", errors[1::2]), ("all", errors)):
        table.loc[f"mean, {part}"] = np.exp(np.log(rows).mean())
    table.loc["worst"] = errors.max()
    table.loc["better than the value before"] = (errors < 1.0).sum()
    print(f"{said.learner}, {'MAE' if said.absolute else 'RMSE'} over that of the value before")
    print(table.to_string(float_format=lambda v: f"{v:.3f}".removesuffix(".000"), na_rep="-"))


if __name__ == "__main__":
    main()
