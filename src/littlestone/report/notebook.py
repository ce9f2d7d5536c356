"""Runs and certificates as a notebook shows them: a sentence and a table, in the colours of the notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from ..core.calibration import Calibration
from ..core.guarantee import Certificate
from ..run.run import Run, Runs
from ..run.seeds import SeedRuns
from . import bands
from .comparison import Comparison
from .page import headline, in_words
from .payload import summary
from .sections import certified

MARKS = {"kept": "✓", "broken": "✕", "unknown": "?", "vacuous": "○"}
SHOWN = 20  # a table shows so many rows


def run_html(run: Run) -> str:
    """The result of the run, and its certificate."""
    if not run.transcript.certify:
        return f"<p>{escape(repr(run).strip('<>'))}</p>"
    lines = sorted(run.certificate, key=lambda v: v is not run.headline)
    found = {"learner": type(run.learner).__name__, "summary": summary(run)}
    said = headline(found | {"certificate": [certified(v) for v in lines]})
    return f"<p>{escape(said)}</p>{certificate_html(Certificate(lines))}"


def seeds_html(runs: SeedRuns) -> str:
    """The mean result of many runs, and their certificate."""
    found = {"learner": type(runs.learner).__name__, "summary": bands.summary(runs)}
    said = headline(found | {"certificate": [certified(v) for v in runs.certificate]})
    return f"<p>{runs.seeds:,} runs. {escape(said)}</p>{certificate_html(runs.certificate)}"


def runs_html(runs: Runs) -> str:
    """A row a key."""
    rows = [
        (key, f"{run.rounds:,}", in_words(run.loss), in_words(run.mean_loss))
        for key, run in list(runs.items())[:SHOWN]
    ]
    more = f"<p>{len(runs) - SHOWN:,} more</p>" if len(runs) > SHOWN else ""
    return table(("key", "rounds", "loss", "a round"), rows) + more


def comparison_html(found: Comparison) -> str:
    """A row a run, the best first, and a sentence for each learner."""
    columns = found.columns
    rows = zip(*(column.texts for column in columns), strict=True)
    said = "".join(f"<li>{escape(text)}</li>" for text in (*found.sentences, *found.remarks))
    made = table((column.title for column in columns), rows)
    return f"<p>{escape(found.title)}</p>{made}<ul>{said}</ul>"


def calibration_html(found: Calibration) -> str:
    """A row a bin, and the error."""
    heads, *rows = found.texts
    return table(heads, rows) + f"<p>calibration error {found.error:.4f}</p>"


def certificate_html(certificate: Certificate) -> str:
    """A row a theorem; its statement is a tooltip."""
    if not len(certificate):
        return "<p>no theorem applies</p>"
    rows = []
    for v in certificate:
        number = {
            k: "–" if math.isnan(x) else in_words(x) for k, x in (("m", v.measured), ("b", v.bound))
        }
        verdict = f"{MARKS.get(v.verdict, '')} {v.verdict}"
        rows.append(
            (v.guarantee.id, verdict, number["m"], number["b"], v.comparator or v.after or v.why)
        )
    titles = [v.guarantee.statement for v in certificate]
    return table(("theorem", "verdict", "measured", "bound", "against"), rows, titles)


def table(heads: Iterable[str], rows: Iterable[Iterable[Any]], titles: Iterable[str] = ()) -> str:
    """A table of text, with all names escaped."""
    said = iter(titles)
    head = "".join(f"<th style='text-align:left'>{escape(h)}</th>" for h in heads)
    body = ""
    for row in rows:
        cells = "".join(f"<td style='text-align:left'>{escape(str(cell))}</td>" for cell in row)
        body += f'<tr title="{escape(next(said, ""))}">{cells}</tr>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def as_html(thing: object) -> str:
    """A run, runs, a comparison or a certificate, as HTML."""
    kinds: Mapping[type, Any] = {
        Run: run_html,
        Runs: runs_html,
        SeedRuns: seeds_html,
        Comparison: comparison_html,
        Certificate: certificate_html,
        Calibration: calibration_html,
    }
    made: str = next(of for kind, of in kinds.items() if isinstance(thing, kind))(thing)
    return made
