"""Which reader a run has: one for each thing that a round can bring (`Traits.kind`)."""

from __future__ import annotations

from ..run.run import Run
from .read_examples import OverExamples
from .read_experts import OverExperts
from .reader import RunReader

READERS: dict[str, RunReader] = {
    "advice": OverExperts(),
    "losses": OverExperts(),
    "arms": OverExperts(),
    "examples": OverExamples(),
}


def reader(run: Run) -> RunReader:
    """The reader of a run; where rounds bring something else, the one that reads what every run has."""
    return READERS.get(run.traits.kind.name, RunReader())
