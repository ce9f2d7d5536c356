"""What simple answers would have cost: the yardsticks that stand beside a learner's loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import numpy as np

from ..games import Regression
from ..run.run import Run
from ..run.run_examples import ExampleRun
from .each_round import counted, each_round
from .rivals import rival
from .simple import Reference, Tally, of_numbers, tallied
from .words import loss_name


def references(runs: list[Run]) -> list[Reference]:
    """All experts alike, and the best of hindsight, over one run, or over one a key together."""
    if not all(run.answered for run in runs):
        return []
    if runs[0].learner.examples:
        return of_examples(cast("list[ExampleRun]", runs))
    each = " of each key" if len(runs) > 1 else ""
    L = np.sum([run.experts.L for run in runs], axis=0)
    i = int(np.argmin(L))
    one, all_ = ("arm", "arms") if runs[0].learner.bandit else ("expert", "experts")
    found = [Reference("best_expert", f"best {one} ({runs[0].names[i]})", float(L[i]))]
    if each:
        best = math.fsum(float(run.experts.L.min()) for run in runs)
        found.append(Reference("best_expert_of_each_key", f"best {one}{each}", best))
    more: list[tuple[str, str, Callable[[Run], float | None]]] = [
        ("uniform", f"all {all_} alike", lambda run: run.uniform_loss),
        ("best_mixture", "best fixed mixture" + each, lambda run: second(run.mixture)),
        ("best_linear", "best linear combination" + each, lambda run: second(run.linear)),
    ]
    for kind, name, of in more:
        lost = [loss for run in runs if (loss := of(run)) is not None]
        # a linear combination that never errs says that the outcome is constant, not that somebody knew
        if len(lost) == len(runs) and not (kind == "best_linear" and sum(lost) <= 1e-9 * L.max()):
            found.append(Reference(kind, name, math.fsum(lost)))
    return found


def second(pair: tuple[object, float] | None) -> float | None:
    return None if pair is None else pair[1]


# Over examples.


def of_examples(runs: list[ExampleRun]) -> list[Reference]:
    """The best fixed linear predictor, and answers that look at no feature; of many keys, one sum each."""
    each = [of_one(run) for run in runs]
    kinds = [r.kind for r in each[0] if all(r.kind in {q.kind for q in more} for more in each)]
    if len(runs) == 1:
        return each[0]
    found = []
    for kind in kinds:
        same = [next(r for r in more if r.kind == kind) for more in each]
        names = {r.name for r in same}
        name = same[0].name if len(names) == 1 else GENERAL.get(kind, same[0].name)
        total, wrong = math.fsum(r.loss for r in same), math.fsum(r.mistakes for r in same)
        found.append(Reference(kind, f"{name}, of each key", total, wrong))
    return found


GENERAL = {
    "best_linear": "best linear predictor found",
    "most_frequent": "always the same",
    "constant": "always the same",
}


def of_one(run: ExampleRun) -> list[Reference]:
    found = [linear] if (linear := best_linear(run)) is not None else []
    data, names = run._data, run.stream.labels or ()
    told = tallied(run)
    if told is not None and run.classifies:
        return found + told.references(names, counted(run))
    if data is None:
        return found
    times = run.rounds / len(data.y)
    if run.classifies:
        tally = Tally()
        tally.add(data.y, data.h * times)
        return found + tally.references(names, counted(run))
    known = np.isfinite(data.y) & (data.h > 0.0)
    more = isinstance(run._s.game, Regression)
    return found + (of_numbers(run, data.y[known], data.h[known] * times) if more else [])


def best_linear(run: ExampleRun) -> Reference | None:
    who = rival(run)
    if who is None:
        return None
    found = Reference("best_linear", who.name, who.loss)
    if run.classifies and who.u is not None and run._data is not None:
        times = run.rounds / len(run._data.y)
        found.mistakes = times * float(each_round(run, who.u)["wrong"].sum())
    elif counted(run):
        found.mistakes = who.loss
    if run.classifies and not counted(run):
        found.name += f" (by {loss_name(run)})"  # so it is not the one with the fewest mistakes
    return found
