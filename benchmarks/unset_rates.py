"""The rate that normalized-adaptive takes where none is set: `python -m benchmarks.unset_rates` compares 1 with 0.6.

Mean losses, test then train, on every stream of `example_streams` and `fresh_streams` whose data are at hand.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import littlestone as ls

from . import example_streams, fresh_streams

QUIET: dict[str, Any] = {"certify": False, "record": "none"}


def ratios(kind: str, loss: str) -> dict[str, float]:
    """The loss at the rate 1 over that at 0.6, stream by stream."""
    found = {}
    for family in (example_streams, fresh_streams):
        for name, load in getattr(family, kind)().items():
            try:
                X, y = load()
            except FileNotFoundError as problem:
                print(f"{name}: left out: {problem}", file=sys.stderr)
                continue
            one, less = (
                ls.learner("normalized-adaptive", loss=loss, intercept=True, eta=eta)
                for eta in (1.0, 0.6)
            )
            run, other = (ls.play(learner, X, y, **QUIET) for learner in (one, less))
            found[f"{name} ({family.__name__.split('.')[-1]})"] = run.mean_loss / other.mean_loss
    return found


def main() -> None:
    for kind, loss in ("two_classes", "logistic"), ("numbers", "square"):
        found = ratios(kind, loss)
        values = np.array(list(found.values()))
        worst = max(found, key=found.__getitem__)
        print(
            f"{kind}, {loss} loss, {len(values)} streams: {np.exp(np.log(values).mean()):.3f} "
            f"(geometric mean), {np.median(values):.3f} (median), {values.max():.3f} on {worst}"
        )


if __name__ == "__main__":
    main()
