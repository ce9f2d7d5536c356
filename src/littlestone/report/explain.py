"""Which experts had the most weight, when, and what leaving each of them out would have cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import losses
from ..core.errors import LittlestoneError
from ..core.game import Traits
from ..core.notebook import InNotebook
from ..core.stream import Batch
from ..encode.stream import Stream
from ..play.options import PlayOptions
from ..play.play_stream import play_stream
from ..run.run import Run

REPLAYS = 64  # at most so many experts are left out in turn, since each costs a run


@dataclass
class Part:
    """One expert's part in a run."""

    expert: str
    share: float  # its mean weight
    first: int  # the rounds (from 1) of the longest stretch in which it weighed most; 0: never
    last: int
    led: float  # the fraction of rounds in which it weighed most
    leave_out: float | None  # how much more the run would have lost without it; None: not computed

    @property
    def when(self) -> str:
        return f"rounds {self.first:,}-{self.last:,}" if self.first else "never"


@dataclass
class Explanation(InNotebook):
    """The parts of all experts, the heaviest first."""

    parts: list[Part]
    why: str = ""  # why nothing was left out in turn

    def __str__(self) -> str:
        wide = max([6, *(len(p.expert) for p in self.parts)])
        lines = [f"{'expert':{wide}}  mean weight     led  longest lead          loss without it"]
        for p in self.parts:
            without = "" if p.leave_out is None else f"{p.leave_out:+.6g}"
            lines.append(
                f"{p.expert:{wide}}  {p.share:11.3f}  {p.led:6.1%}  {p.when:20}  {without:>15}"
            )
        return "\n".join([*lines, self.why] if self.why else lines)


def explain(run: Run, replay: bool = True) -> Explanation:
    """Read the weights of a run; where its rounds are still in memory, play it without each expert."""
    if run.traits.kind.has_examples:
        leads = run.learner.leads(run.learner.state)
        if leads:
            why = "parts learn from each other's rounds: what leaving one out would have cost was not computed"
            return Explanation([Part(*lead, None) for lead in leads], why)
        raise LittlestoneError(
            f"{run.key} has no experts to explain it by; its weights are in run.learner.state"
        )
    t, W = run.weight_trace
    parts = []
    lead = W.argmax(axis=1) if len(W) else np.empty(0, int)
    why = say_why_not_replayed(run)
    for i, name in enumerate(run.names):
        first, last = stretch(lead == i, t)
        cost = without(run, i) if replay and not why else None
        share = float(W[:, i].mean()) if len(W) else float("nan")
        parts.append(
            Part(name, share, first, last, float(np.mean(lead == i)) if len(W) else 0.0, cost)
        )
    return Explanation(sorted(parts, key=lambda p: -p.share), why if replay else "")


def say_why_not_replayed(run: Run) -> str:
    """Why it cannot be said what leaving an expert out would have cost; "" where it can."""
    s, n = run.transcript, len(run.names)
    if s.data is None or s.delay or s.resumed:
        return (
            "leaving experts out needs the rounds in memory, from the first on, and prompt feedback: "
            "not computed"
        )
    if run.traits.kind.has_arms:
        return "with another set of arms other arms would have been drawn: leaving them out was not tried"
    if n < 2 or n > REPLAYS:
        return f"leaving experts out is done for 2 to {REPLAYS} experts: not computed"
    return ""


def stretch(mine: np.ndarray, t: np.ndarray) -> tuple[int, int]:
    """The longest stretch of rounds, counted from 1."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mine.astype(int), [0]])))
    if not len(edges):
        return 0, 0
    starts, stops = edges[::2], edges[1::2]
    j = int(np.argmax(stops - starts))
    return int(t[starts[j]]) + 1, int(t[stops[j] - 1]) + 1


def without(run: Run, i: int) -> float | None:
    """How much more the run would have lost with one expert less."""
    s, data, alone = run.transcript, run.transcript.data, run.traits.kind.losses_alone
    assert data is not None
    rest = [j for j in range(len(run.names)) if j != i]
    # in a game of losses alone, x is the task of the round
    x = data.x if data.x is None or alone else np.ascontiguousarray(data.x[:, rest])
    y = np.ascontiguousarray(data.y[:, rest]) if alone else data.y
    names = tuple(run.names[j] for j in rest)
    stream = Stream([Batch(x, y)], names, rounds=len(y), whole=True, labels=s.labels)
    try:
        options = PlayOptions(
            certify=False, seed=s.seed, record="none", asleep="last",
            interval=interval(s.traits) if s.learner.bounded else None, engine=s.engine,
        )  # fmt: skip
        other = play_stream(s.requested, stream, options, allocation=alone)
    except LittlestoneError:  # a version space may be empty without this expert
        return None
    return float(other.loss - run.loss)


def interval(traits: Traits) -> tuple[float, float] | None:
    """The interval that losses, or advice and outcomes, were known to lie in."""
    loss = traits.loss
    if traits.interval is not None or loss is None or not losses.has_interval(loss):
        return traits.interval
    return loss.low, loss.high
