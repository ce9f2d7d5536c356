"""Results as JSON, for machines."""

from __future__ import annotations

import json
import math
from typing import Any

from ..report.payload import line, summary, word
from ..report.references import references
from .play import Played


def rows(played: list[Played]) -> str:
    """One object a run; what is not a number is null."""
    return json.dumps([clean(row(p)) for p in played], allow_nan=False, default=str)


def row(p: Played) -> dict[str, Any]:
    run = p.run
    return {
        "learner": run.key,
        "label": run.label,
        **({} if p.key is None else {"key": p.key}),
        "delay": p.delay,
        **summary(run),
        "certificate": str(run.certificate),
        "theorems": [line(run, v) for v in run.certificate],
        "references": {r.kind: r.loss for r in references([run])},
        "parameters": {
            k: v if v is None or isinstance(v, (int, float, str)) else word(v)
            for k, v in run.parameters.items()
        },
        "source": run.stream.source,
        "notes": run.notes,
    }


def clean(v: Any) -> Any:
    """JSON has no NaN and no infinity."""
    if isinstance(v, float):
        return v if math.isfinite(v) else None
    if isinstance(v, dict):
        return {k: clean(part) for k, part in v.items()}
    return [clean(part) for part in v] if isinstance(v, list) else v
