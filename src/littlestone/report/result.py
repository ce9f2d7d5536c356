"""A page of anything that has a title, a summary, a certificate and curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Certificate
from . import page
from .payload import thinned
from .sections import Section, certificate_line, document

LINES = (
    "learner",
    "bound",
    "second",
    "forecast",
    "truth",
)  # how the lines of a chart look, in turn


class Reported(Protocol):
    """What a page is made of: `Result` is one, and so is anything else with these four."""

    @property
    def title(self) -> str: ...
    @property
    def summary(self) -> Mapping[str, Any]: ...
    @property
    def certificate(self) -> Certificate: ...
    @property
    def curves(self) -> Mapping[str, Mapping[str, Any]]: ...


@dataclass(frozen=True)
class Result:
    """A title, numbers by name, what theorems say, and charts: title -> name of a line -> its values, one a round."""

    title: str
    summary: Mapping[str, Any]
    certificate: Certificate
    curves: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def report_result(found: Reported, path: str | Path) -> Path:
    """Write the page."""
    charts = [chart(title, lines) for title, lines in found.curves.items()]
    shown = {name: word(v) for name, v in found.summary.items()}
    made = Section(
        name=found.title,
        label=found.title,
        kind="examples",
        learner=found.title,
        summary={
            "rounds": max((c["t"][-1] for c in charts), default=0),
            "verdict": found.certificate.verdict,
        },
        certificate=[certificate_line(v) for v in found.certificate],
        data=shown,
        notes=list(found.certificate.notes),
        charts=charts,
        t=charts[0]["t"] if charts else [],
    )
    said = "; ".join(f"{name}: {v}" for name, v in shown.items())
    made.words = {"headline": f"{found.title}. {said}".rstrip(". ") + ".", "data": "In numbers"}
    return page.write(
        document(found.title, f"verdict: {found.certificate.verdict}", [vars(made)]), path
    )


def chart(title: str, lines: Mapping[str, Any]) -> dict[str, Any]:
    """Lines of equal length, thinned."""
    values = {name: np.asarray(v, float) for name, v in lines.items()}
    sizes = {name: v.shape for name, v in values.items()}
    if not values or len(set(sizes.values())) > 1 or any(v.ndim != 1 for v in values.values()):
        raise BadInput(f"curves: the lines of {title!r} must be equally long, not {sizes}")
    at = thinned(len(next(iter(values.values()))))
    drawn = [
        {"name": name, "kind": LINES[i % len(LINES)], "values": v[at].tolist()}
        for i, (name, v) in enumerate(values.items())
    ]
    return {"kind": title, "title": title, "about": "", "t": (at + 1).tolist(), "dates": None,
            "lines": drawn, "bands": []}  # fmt: skip


def word(v: Any) -> str:
    """A number in a few digits, anything else as it is."""
    if isinstance(v, (bool, str)) or not isinstance(v, (int, float, np.number)):
        return str(v)
    return f"{v:,}" if isinstance(v, (int, np.integer)) else f"{v:.4g}"
