"""The picture of a finding: its rounds, and how the measured number climbs towards the bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput

if TYPE_CHECKING:
    from .finding import Finding


def figure(found: Finding) -> Any:
    """A matplotlib figure."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput("a picture needs matplotlib: pip install 'littlestone[plot]'") from None
    fig = Figure(figsize=(8.0, 4.5), layout="constrained")
    above, below = fig.subplots(2, 1, sharex=True)
    at, ratios = found.curve()
    above.plot(at, ratios, color="C0")
    above.axhline(1.0, color="C3", linewidth=1.0, linestyle="--")
    above.set_ylabel("measured / bound")
    above.set_ylim(0.0, max(1.1, 1.1 * float(np.max(ratios, initial=0.0))))
    word = "broken" if found.broken else "survived"
    above.set_title(f"{found.learner}, {found.name}: {word}, ratio {found.ratio:.4f}")
    rounds = np.asarray(found.y if found.x is None else found.x, float)
    T, n = rounds.shape
    below.imshow(
        rounds.T, aspect="auto", interpolation="nearest", cmap="Greys", extent=(0.5, T + 0.5, n, 0)
    )
    what = (
        "losses" if found.x is None else "features" if found.target.learner.examples else "advice"
    )
    below.set_ylabel(what)
    below.set_yticks([])
    below.set_xlabel("round")
    return fig
