"""How often labels were right as the rounds went by."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..run.run import Run
from .curves import along, answered, predictor_curve
from .dates import dates
from .each_round import kept_rounds
from .rivals import find_rival
from .simple import simple

BLOCKS = 60  # there are at most so many blocks of rounds
FEWEST = 50  # a block has at least so many rounds, since fewer say little,
SEVERAL = 8  # but a short run has so many blocks all the same


def accuracy(run: Run) -> dict[str, Any] | None:
    """The share of right labels in each block and so far: the learner's, the comparator's, that of simple answers."""
    totals = answered(run)
    if totals is None:
        return None
    t, total, wrong = run.trace["t"], totals[1], run.trace["mistakes"]
    rounds = int(t[-1] - run.transcript.started)
    each = max(1, min(FEWEST, rounds // SEVERAL))
    blocks = max(1, min(BLOCKS, len(t), rounds // each))
    ends = np.linspace(0, len(t) - 1, blocks + 1).round().astype(int)[1:]

    def shares(wrong: Any) -> list[float]:
        """The share of each block; NaN where no round had an answer."""
        with np.errstate(invalid="ignore", divide="ignore"):
            missed = np.diff(wrong[ends], prepend=0.0) / np.diff(total[ends], prepend=0.0)
        found: list[float] = (1.0 - missed).tolist()
        return found

    rows = [{"name": run.key, "kind": "learner", "values": shares(wrong)}]
    with np.errstate(invalid="ignore", divide="ignore"):
        so_far = 1.0 - wrong[ends] / total[ends]
    rows.append(
        {"name": f"{run.key}, all rounds so far", "kind": "total", "values": so_far.tolist()}
    )
    who = find_rival(run)
    if who is not None and who.u is not None:
        values = shares(predictor_curve(run, who.u)["wrong"])
        rows.append({"name": who.name, "kind": "comparator", "values": values})
    if kept_rounds(run) is not None:
        rows += [
            {"name": name, "kind": "expert", "values": shares(along(run, each))}
            for name, each in simple(run)
        ]
    return {
        "t": t[ends].tolist(),
        "dates": dates(run, t[ends]),
        "rounds": round(rounds / blocks),
        "lines": rows,
    }
