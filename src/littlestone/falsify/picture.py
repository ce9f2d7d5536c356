"""The picture of a finding: how the measured number climbs towards the bound, above the rounds of the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.extras import import_extra
from ..core.stream import Array


def figure(title: str, at: Array, ratios: Array, rounds: Any, what: str) -> Any:
    """A matplotlib figure: `ratios` after the rounds `at`; below it `rounds` (T x n), which hold `what`."""
    Figure = import_extra("a picture", "matplotlib.figure").Figure
    fig = Figure(figsize=(8.0, 4.5), layout="constrained")
    above, below = fig.subplots(2, 1, sharex=True)
    above.plot(at, ratios, color="C0")
    above.axhline(1.0, color="C3", linewidth=1.0, linestyle="--")
    above.set_ylabel("measured / bound")
    above.set_ylim(0.0, max(1.1, 1.1 * float(np.max(ratios, initial=0.0))))
    above.set_title(title)
    table = np.asarray(rounds, float)
    T, n = table.shape
    below.imshow(
        table.T, aspect="auto", interpolation="nearest", cmap="Greys", extent=(0.5, T + 0.5, n, 0)
    )
    below.set_ylabel(what)
    below.set_yticks([])
    below.set_xlabel("round")
    return fig
