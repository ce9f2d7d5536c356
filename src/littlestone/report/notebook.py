"""What a notebook shows: sentences and tables, in the colours of the notebook. Texts of users are escaped.

Each kind of thing that derives from `core.notebook.InNotebook` has its function here; others are shown as they print.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import singledispatch
from html import escape

from ..core.calibration import Calibration
from ..core.guarantee import Certificate
from ..core.learner import Learner
from ..run.run import Run, Runs
from ..run.seeds import SeedRuns
from ..supervised.class_sizes import Sizes
from ..supervised.plan import Plan
from . import bands
from .comparison import Comparison
from .explain import Explanation
from .explain_example import Explanation as ExampleExplanation
from .notebook_learner import AnyLearner, describe_learner, largest_weights
from .page import headline, in_words
from .payload import summary
from .sections import certificate_line

MARKS = {"kept": "✓", "broken": "✕", "unknown": "?", "vacuous": "○"}
SHOWN = 20  # a table shows so many rows


@singledispatch
def as_html(thing: object) -> str:
    """A thing as HTML: as it prints, unless its kind has a function below."""
    return f"<pre style='white-space:pre-wrap'>{escape(str(thing))}</pre>"


@as_html.register(Learner)
def learner_html(learner: AnyLearner) -> str:
    """Its parameters, the rounds so far, names, and the largest weights."""
    weights, more = largest_weights(learner, SHOWN)
    made = "" if weights is None else table(*weights)
    return paragraphs(*describe_learner(learner)) + made + paragraphs(more)


@as_html.register
def run_html(run: Run) -> str:
    """The result of the run, and its certificate."""
    if not run.transcript.certify:
        return paragraphs(repr(run).strip("<>"))
    lines = sorted(run.certificate, key=lambda v: v is not run.headline)
    found = {"learner": type(run.learner).__name__, "summary": summary(run)}
    said = headline(found | {"certificate": [certificate_line(v) for v in lines]})
    return paragraphs(said) + certificate_html(Certificate(lines))


@as_html.register
def seeds_html(runs: SeedRuns) -> str:
    """The mean result of many runs, and their certificate."""
    found = {"learner": type(runs.learner).__name__, "summary": bands.summary(runs)}
    said = headline(found | {"certificate": [certificate_line(v) for v in runs.certificate]})
    return paragraphs(f"{runs.seeds:,} runs. {said}") + certificate_html(runs.certificate)


@as_html.register
def runs_html(runs: Runs) -> str:
    """A row a key."""
    rows = [
        (key, f"{run.rounds:,}", in_words(run.loss), in_words(run.mean_loss))
        for key, run in list(runs.items())[:SHOWN]
    ]
    more = f"{len(runs) - SHOWN:,} more" if len(runs) > SHOWN else ""
    return table(("key", "rounds", "loss", "a round"), rows) + paragraphs(more)


@as_html.register
def comparison_html(found: Comparison) -> str:
    """A row a run, the best first, and a sentence for each learner."""
    columns = found.columns
    rows = zip(*(column.texts for column in columns), strict=True)
    said = "".join(f"<li>{escape(text)}</li>" for text in (*found.sentences, *found.remarks))
    made = table((column.title for column in columns), rows)
    return f"{paragraphs(found.title)}{made}<ul>{said}</ul>"


@as_html.register
def calibration_html(found: Calibration) -> str:
    """A row a bin, and the error."""
    heads, *rows = found.texts
    return table(heads, rows) + f"<p>calibration error {found.error:.4f}</p>"


@as_html.register
def certificate_html(certificate: Certificate) -> str:
    """A row a theorem; its statement is a tooltip."""
    if not len(certificate):
        return paragraphs("no theorem applies")
    rows = []
    for v in certificate:
        measured, bound = ("–" if math.isnan(x) else in_words(x) for x in (v.measured, v.bound))
        verdict = f"{MARKS.get(v.verdict, '')} {v.verdict}"
        rows.append((v.guarantee.id, verdict, measured, bound, v.comparator or v.after or v.why))
    titles = [v.guarantee.statement for v in certificate]
    return table(("theorem", "verdict", "measured", "bound", "against"), rows, titles)


@as_html.register
def explanation_html(found: Explanation) -> str:
    """A row an expert, the heaviest first."""
    rows = [
        (p.expert, in_words(p.share), f"{p.led:.1%}", p.when, in_words_or_none(p.leave_out))
        for p in found.parts[:SHOWN]
    ]
    more = f"and {len(found.parts) - SHOWN:,} more" if len(found.parts) > SHOWN else ""
    heads = "expert", "mean weight", "rounds led", "longest lead", "more loss without it"
    return table(heads, rows) + paragraphs(more, found.why)


@as_html.register
def example_html(found: ExampleExplanation) -> str:
    """The prediction and its score, and a row a feature, the largest effect first."""
    said = f"prediction: {found.prediction}; score: {in_words(found.score)}"
    rows = [
        (e.feature, e.value if isinstance(e.value, str) else in_words(e.value), in_words(e.effect))
        for e in found.effects[:SHOWN]
    ]
    more = f"and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
    return paragraphs(said) + table(("feature", "value", "effect"), rows) + paragraphs(more)


@as_html.register(Plan)
@as_html.register(Sizes)
def plan_html(plan: Plan | Sizes) -> str:
    """The sentences of a plan."""
    return paragraphs(*str(plan).splitlines())


def in_words_or_none(number: float | None) -> str:
    return "–" if number is None else in_words(number)


def paragraphs(*texts: str) -> str:
    """Each text that is not empty, as a paragraph."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts if text)


def table(
    heads: Iterable[str], rows: Iterable[Iterable[object]], titles: Iterable[str] = ()
) -> str:
    """A table of text, with all names escaped."""
    said = iter(titles)
    head = "".join(f"<th style='text-align:left'>{escape(h)}</th>" for h in heads)
    body = ""
    for row in rows:
        cells = "".join(f"<td style='text-align:left'>{escape(str(cell))}</td>" for cell in row)
        body += f'<tr title="{escape(next(said, ""))}">{cells}</tr>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
