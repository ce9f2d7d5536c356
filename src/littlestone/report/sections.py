"""What a page is made of: a title, and sections of plain numbers and names. `page.py` draws it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Any

from .. import __version__
from ..core.guarantee import Verdict


@dataclass
class Section:
    """One run on a page, or anything else that has a label, a summary and a certificate.

    Curves have one value for each round of `t`. What is left out is not drawn.
    """

    name: str  # short, for legends
    label: str  # the title of the section
    summary: dict[str, Any]  # the numbers of the headline and of the table
    certificate: list[dict[str, Any]]  # `certified` makes them of verdicts
    learner: str = ""  # the subject of the headline's sentence
    kind: str = "experts"  # how the charts are worded: "experts" or "examples"
    t: list[int] = field(default_factory=list)  # rounds
    dates: list[int] | None = None  # when they were, in seconds since 1970
    cumulative: list[dict[str, Any]] = field(default_factory=list)  # losses up to each round
    regret: list[dict[str, Any]] = field(default_factory=list)  # with the bound of a theorem each
    seeds: dict[str, Any] | None = None  # many runs: their mean, and where most of them lie
    accuracy: dict[str, Any] | None = None  # in blocks of rounds
    mistakes: list[float] | None = None  # up to each round
    weights: dict[str, Any] | None = None  # of the experts
    # charts of its own, before all others: kind, title, about, t, dates, lines (name, kind, values), bands, shares
    charts: list[dict[str, Any]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)  # name, about, heads, rows
    network: dict[str, Any] | None = None  # a small graph: places, edges and labels of its vertices
    calibration: dict[str, Any] | None = None  # of probabilities: said and observed, in bins
    parameters: dict[str, str] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)  # what was played
    notes: list[str] = field(default_factory=list)
    explain: list[dict[str, Any]] | None = None  # the part of each expert
    words: dict[str, str] = field(
        default_factory=dict
    )  # texts of its own: "headline", "chart", "chart about", …
    ahead: bool = False  # did it know outcomes before the other runs on the page?


def document(title: str, subtitle: str, sections: list[dict[str, Any]]) -> dict[str, Any]:
    """A whole page, as `page.write` takes it; a section is `vars` of a `Section`."""
    return {
        "title": title,
        "subtitle": subtitle,
        "version": __version__,
        "created": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"),
        "runs": sections,
    }


def certificate_line(v: Verdict) -> dict[str, Any]:
    """A line of the certificate."""
    g = v.guarantee
    return {
        "id": g.id,
        "name": g.name,
        "statement": g.statement,
        "source": g.source,
        "mode": g.mode,
        "measures": v.what,
        "verdict": v.verdict,
        "measured": v.measured,
        "bound": v.bound,
        "slack": v.slack,
        "comparator": v.comparator or v.after,
        "why": v.why,
    }
