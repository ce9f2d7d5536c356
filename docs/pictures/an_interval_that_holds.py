"""The picture of the tutorial "An interval that holds".

python docs/pictures/an_interval_that_holds.py    writes docs/images/an-interval-that-holds.png
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import littlestone as ls
from littlestone.report.interval_figure import draw
from littlestone.report.interval_page import corridors, fan

IMAGES = Path(__file__).resolve().parent.parent / "images"


def main() -> None:
    rng = np.random.default_rng(7)
    hours = np.arange(2880)
    times = np.datetime64("2024-01-01T00") + hours * np.timedelta64(1, "h")
    forecast = 50 + 10 * np.sin(2 * np.pi * hours / 24)
    noise = np.where(hours % 24 < 8, 1.0, 4.0) * np.where(hours < 1440, 1.0, 2.0)
    truth = forecast + noise * rng.normal(size=2880)
    found = ls.intervals(forecast, truth, times=times, after=500)
    picture = Figure(figsize=(9, 5.2), layout="constrained")
    top, bottom = picture.subplots(2, 1)
    draw(top, fan(found, [found])[-1])
    draw(bottom, corridors(found)[0])
    bottom.set_xlabel("round")
    picture.savefig(IMAGES / "an-interval-that-holds.png", dpi=110)


if __name__ == "__main__":
    main()
