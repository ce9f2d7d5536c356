"""Results as JSON, for machines."""

from __future__ import annotations

import json
import math
from typing import Any

from ..report.comparison_table import Played
from ..report.payload import summary
from ..report.references import references
from ..report.reliability import cost_references, decided
from ..report.sections import certificate_line
from ..report.words import word
from .examine import Tested


def rows(played: list[Played], tested: Tested | None = None) -> str:
    """One object a run; what is not a number is null."""
    every = [row(p) for p in played]
    if tested is not None:
        every[-1]["test"] = tested.row()
    return dump_json(every)


def test_row(tested: Tested) -> str:
    """The same for a test alone: nothing was learned."""
    return dump_json([{"learner": tested.learner, "rounds": 0, "test": tested.row()}])


def dump_json(every: list[dict[str, Any]]) -> str:
    return json.dumps([clean(one) for one in every], allow_nan=False, default=str)


def row(p: Played) -> dict[str, Any]:
    run, simple = p.run, references([p.run])
    wrong = {r.kind: r.mistakes for r in simple if not math.isnan(r.mistakes)}
    return {
        "learner": run.key,
        "label": run.label,
        **({} if p.key is None else {"key": p.key}),
        "delay": run.transcript.delay,
        **summary(run),
        "certificate": str(run.certificate),
        "theorems": [certificate_line(v) for v in run.certificate],
        "references": {r.kind: r.loss for r in simple if not math.isnan(r.loss)},
        **({"reference_mistakes": wrong} if wrong else {}),
        **costs(p),
        "parameters": {
            k: v if v is None or isinstance(v, (int, float, str)) else word(v)
            for k, v in run.parameters.items()
        },
        "task": p.task,
        "source": run.stream.source,
        "notes": run.notes,
    }


def costs(p: Played) -> dict[str, Any]:
    """What simple decisions would have cost, where costs were said."""
    if not decided([p.run]):
        return {}
    return {"reference_costs": {r.kind: r.loss for r in cost_references([p.run])}}


def clean(v: Any) -> Any:
    """Replace NaN and infinity, which JSON does not have, by null."""
    if isinstance(v, float):
        return v if math.isfinite(v) else None
    if isinstance(v, dict):
        return {k: clean(part) for k, part in v.items()}
    return [clean(part) for part in v] if isinstance(v, list) else v
