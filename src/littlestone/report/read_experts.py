"""What the report reads from a run over experts or arms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..run.run import Run
from ..run.run_kinds import AWAKE
from .dates import dates
from .explain import explain
from .reader import RunReader
from .simple import Reference, look_at_nothing, summed_up
from .words import entrants

BANDS = 200  # a chart of weights has at most so many means: more would be too narrow to see
CURVES = 10  # so many experts are drawn by name; the rest are summed up
REPLAYED = 20_000_000  # experts are left out where rounds times experts squared is at most this: it costs n more runs


class OverExperts(RunReader):
    """The experts' own losses and weights are drawn beside the learner."""

    def references(self, runs: list[Run]) -> list[Reference]:
        """The best in hindsight, all experts alike, a constant, and the value before."""
        each = " of each key" if len(runs) > 1 else ""
        L = np.sum([run.experts.L for run in runs], axis=0)
        found = best_experts(runs, L)
        more: list[tuple[str, str, Callable[[Run], float | None]]] = [
            ("best_mixture", "best fixed mixture" + each, lambda run: second(run.mixture)),
            ("best_linear", "best linear combination" + each, lambda run: second(run.linear)),
        ]
        for kind, name, of in more:
            lost = [loss for run in runs if (loss := of(run)) is not None]
            # a linear combination without an error means that the outcome is constant, not that it can be predicted
            exact = kind == "best_linear" and sum(lost) <= 1e-9 * L.max()
            if len(lost) == len(runs) and not exact:
                found.append(Reference(kind, name, math.fsum(lost)))
        return found + self.simple_references(runs)

    def simple_references(self, runs: list[Run]) -> list[Reference]:
        found = summed_up([look_at_nothing(run) for run in runs])
        lost = [loss for run in runs if (loss := run.uniform_loss) is not None]
        if len(lost) == len(runs):
            alike = f"all {entrants(runs[0])} alike"
            found.insert(0, Reference("uniform", alike, math.fsum(lost)))
        return found

    def cumulative(self, run: Run, at: Any) -> list[dict[str, Any]]:
        """The learner, its best experts, and the best sequences with few and with many shifts."""
        curves, trace = super().cumulative(run, at), run.trace
        L = trace["L"][at]
        for i in np.argsort(L[-1], kind="stable")[:CURVES]:
            curves.append({"name": run.names[i], "kind": "expert", "values": L[:, i].tolist()})
        if "shifting" in trace:
            values = trace["shifting"][at]
            for k in sorted({1, 4, values.shape[1] - 1} & set(range(1, values.shape[1]))):
                name = f"best sequence, {k} shift{'s' * (k > 1)}"
                curves.append({"name": name, "kind": "comparator", "values": values[:, k].tolist()})
        return curves

    def weights(self, run: Run) -> dict[str, Any] | None:
        """The weights of the heaviest experts, the others added up; of a long run, means of many rounds."""
        t, W = run.weight_trace
        if not len(t):
            return None
        t, W, over = smoothed(t + 1, W)
        top = np.sort(np.argsort(-W.mean(axis=0), kind="stable")[:CURVES])
        rest = W.sum(axis=1) - W[:, top].sum(axis=1)
        names, values = [run.names[i] for i in top], [W[:, i].tolist() for i in top]
        if len(top) < W.shape[1]:
            names.append("others")
            values.append(np.maximum(rest, 0.0).tolist())
        return {
            "t": t.tolist(),
            "dates": dates(run, t),
            "over": over,
            "names": names,
            "values": values,
        }

    def parts(self, run: Run) -> list[dict[str, Any]] | None:
        if not len(run.weight_trace[0]):
            return None
        quick = run.rounds * len(run.names) ** 2 <= REPLAYED
        return [
            {"expert": p.expert, "share": p.share, "when": p.when, "leave_out": p.leave_out}
            for p in explain(run, replay=quick).parts[:CURVES]
        ]


def best_experts(runs: list[Run], L: Any) -> list[Reference]:
    """The best expert of a run; of many keys, the best of all rows, and the best of each key."""
    one = entrants(runs[0]).removesuffix("s")
    if len(runs) == 1:
        i = runs[0].kind.best_expert
        return [Reference("best_expert", runs[0].kind.expert_name(i), float(L[i]))]
    rounds = sum(run.answered for run in runs)
    awake = np.sum([run.kind.awake * run.answered for run in runs], axis=0) / rounds
    often = np.flatnonzero(awake >= AWAKE)
    found = []
    if len(often):
        i = int(often[np.argmin(L[often])])
        found = [Reference("best_expert", f"best {one} ({runs[0].names[i]})", float(L[i]))]
    best = math.fsum(float(run.experts.L[run.kind.best_expert]) for run in runs)
    return [*found, Reference("best_expert_of_each_key", f"best {one} of each key", best)]


def smoothed(t: Any, W: Any) -> tuple[Any, Any, int]:
    """At most BANDS rows: means of weights of consecutive rounds; and the rounds of each mean.

    >>> smoothed(np.array([1, 2, 3]), np.eye(3))[2]
    1
    >>> t, W, over = smoothed(np.arange(1, 1001), np.arange(1000.0)[:, None])
    >>> len(t), over, t[:2].tolist(), W[:2, 0].tolist(), int(t[-1])
    (200, 5, [5, 10], [2.0, 7.0], 1000)
    """
    if len(t) <= BANDS:
        return t, W, 1
    ends = np.linspace(0, len(t), BANDS + 1).round().astype(int)
    means = np.add.reduceat(W, ends[:-1], axis=0) / np.diff(ends)[:, None]
    return t[ends[1:] - 1], means, round((t[-1] - t[0] + 1) / BANDS)


def second(pair: tuple[object, float] | None) -> float | None:
    return None if pair is None else pair[1]
