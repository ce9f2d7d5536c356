"""What the report reads from a run: `RunReader` reads what every run has, `readers.py` lists those for its kinds."""

from __future__ import annotations

from typing import Any

from ..run.run import Run
from .simple import Reference
from .words import entrants


class RunReader:
    """What the report reads from a run of one kind; `at` says which rounds of the trace are drawn."""

    kind = "experts"  # how the page words its charts

    def size(self, run: Run) -> str:
        """How many experts, arms or features there are, in words."""
        return f"{len(run.names):,} {entrants(run)}"

    def summary(self, run: Run) -> dict[str, Any]:
        """Numbers beside those that every run has, or instead of them."""
        return {}

    def facts(self, run: Run) -> dict[str, Any]:
        """Facts about what was played, beside those in `run.facts`."""
        return {}

    def references(self, runs: list[Run]) -> list[Reference]:
        """What simple answers would have cost, over one run, or over one a key together."""
        return []

    def simple_references(self, runs: list[Run]) -> list[Reference]:
        """Those of them that nobody has to search for: they could have been given beforehand."""
        return []

    def cumulative(self, run: Run, at: Any) -> list[dict[str, Any]]:
        """The losses up to each round: the learner's, and those that it is compared with."""
        return [{"name": run.key, "kind": "learner", "values": run.trace["loss"][at].tolist()}]

    def weights(self, run: Run) -> dict[str, Any] | None:
        """The weights along the run, with rounds of their own."""
        return None

    def parts(self, run: Run) -> list[dict[str, Any]] | None:
        """The part that each expert had in the run."""
        return None
