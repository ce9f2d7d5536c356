"""What simple answers would have cost: the yardsticks that stand beside a learner's loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.run import Run


@dataclass
class Reference:
    """One simple answer, and its total loss over all rounds."""

    kind: str
    name: str
    loss: float


def references(runs: list[Run]) -> list[Reference]:
    """All experts alike, and the best of hindsight, over one run, or over one a key together."""
    if not all(run.answered for run in runs) or runs[0].facts["game"] == "labels":
        return []
    each = " of each key" if len(runs) > 1 else ""
    L = np.sum([run.experts.L for run in runs], axis=0)
    i = int(np.argmin(L))
    found = [Reference("best_expert", f"best expert ({runs[0].names[i]})", float(L[i]))]
    if each:
        best = math.fsum(float(run.experts.L.min()) for run in runs)
        found.append(Reference("best_expert_of_each_key", f"best expert{each}", best))
    more: list[tuple[str, str, Callable[[Run], float | None]]] = [
        ("uniform", "all experts alike", lambda run: run.uniform_loss),
        ("best_mixture", "best fixed mixture" + each, lambda run: second(run.mixture)),
        ("best_linear", "best linear combination" + each, lambda run: second(run.linear)),
    ]
    for kind, name, of in more:
        losses = [loss for run in runs if (loss := of(run)) is not None]
        # a linear combination that never errs says that the outcome is constant, not that somebody knew
        if len(losses) == len(runs) and not (
            kind == "best_linear" and sum(losses) <= 1e-9 * L.max()
        ):
            found.append(Reference(kind, name, math.fsum(losses)))
    return found


def second(pair: tuple[object, float] | None) -> float | None:
    return None if pair is None else pair[1]
