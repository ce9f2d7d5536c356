"""Runs in the form that the page takes: at most 600 points a curve, a dozen curves a chart."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..core.guarantee import Verdict
from ..run.run import Run
from . import page
from .accuracy import accuracy
from .curves import bound_curve, charted
from .dates import dates
from .network import cut_chart, network
from .plain_sentence import plain_sentence
from .readers import reader
from .references import references
from .reliability import picture
from .sections import Section, certificate_line, document
from .words import GAMES, loss_name, word

POINTS = 600
RUNS = 32  # a page shows at most so many runs
EXPLAINED = 4  # on a page of at most so many runs each is explained, which takes more runs
AT_ONCE = "Each outcome was known before the next prediction was due. If yours come later, play with delay= as well."


def report(runs: list[Run], path: str | Path, title: str = "", test: Any = None) -> Path:
    """One self-contained page for one run or several; `test` says how well the last one did on other examples."""
    return page.write(payload(runs, title, test), path)


def payload(runs: list[Run], title: str = "", test: Any = None) -> dict[str, Any]:
    """What `page.write` takes."""
    first, every, last = runs[0], len(runs), runs[-1]
    mixed = len({bool(run.transcript.delay) for run in runs}) > 1
    # a run with late outcomes, as the user will have them, comes before one that knew them at once
    runs = sorted(runs, key=lambda run: mixed and not run.transcript.delay)
    keyed = every > 1 and all(run.stream is first.stream for run in runs)  # one run a key
    rounds = sum(run.rounds for run in runs) if keyed else first.rounds
    subtitle = f"{Path(first.stream.source).name}, {rounds:,} rounds, {reader(first).size(first)}"
    if every > RUNS:
        subtitle += f"; {RUNS} of {every:,} runs are shown"
        runs = runs[:RUNS]
    several = f"{first.key}, {every:,} keys" if keyed else f"{every:,} runs compared"
    sections = []
    for run in runs:
        made = section(run, len(runs) <= EXPLAINED, test if run is last else None)
        if mixed and not run.transcript.delay:
            made |= {"ahead": True, "label": f"{made['label']}, feedback at once"}
        sections.append(made)
    return document(title or (first.label if every == 1 else several), subtitle, sections)


def section(run: Run, explained: bool = True, test: Any = None) -> dict[str, Any]:
    """One run as a section of the page."""
    read, notes = reader(run), [*run.notes, *feedback(run)]
    verdicts = sorted(run.certificate, key=lambda v: v is not run.headline)  # the headline's first
    made = Section(
        name=run.key,
        learner=type(run.learner).__name__,
        label=run.label,
        kind=read.kind,
        summary=summary(run),
        certificate=[certificate_line(v) for v in verdicts],
        parameters={k: word(v) for k, v in run.parameters.items()},
        data={k: word(v) for k, v in facts(run).items()},
        notes=notes,
        explain=read.parts(run) if explained else None,
    )
    on_graph = "graph" in run.parameters
    made.network = network(run) if on_graph else None
    made.calibration = picture(run) if run.has_probabilities else None
    if test is not None:
        made.summary["test"] = test.accuracy
        made.notes = [str(test), *notes]
    if run.transcript.folds.trace.t:
        t = run.trace["t"]
        at = thinned(len(t))
        made.t, made.dates = t[at].tolist(), dates(run, t[at])
        made.cumulative = read.cumulative(run, at)
        made.regret = [r for v in verdicts if (r := regret(run, v, at)) is not None]
        if run.classifies:
            made.accuracy, made.mistakes = accuracy(run), run.trace["mistakes"][at].tolist()
        made.charts = cut_chart(run, made.t, made.mistakes) if on_graph else []
        made.weights = read.weights(run)
    return vars(made)


def feedback(run: Run) -> list[str]:
    """A note where outcomes came at once: feedback that really comes late makes a learner do worse."""
    alone = run.traits.kind.shows_losses
    return [] if run.transcript.delay or alone else [AT_ONCE]


def summary(run: Run) -> dict[str, Any]:
    """The numbers of the table and of `--json`."""
    found = {
        "rounds": run.rounds,
        "answered": run.answered,
        "loss": run.loss,
        "mean_loss": run.mean_loss,
        "loss_name": loss_name(run),
        "comparator": run.comparator,
        "comparator_loss": run.comparator_loss,
        "regret": run.regret,
        "bound": run.bound,
        "theorem": None if run.headline is None else run.headline.guarantee.id,
        "seconds": run.seconds,
        "compiling": run.transcript.compiling,
        "verdict": run.certificate.verdict,
        "sentence": plain_sentence(run),
        "engine_id": run.engine_id,
    }
    return found | reader(run).summary(run)


def facts(run: Run) -> dict[str, Any]:
    """What was played, and what simple answers would have cost."""
    found = run.facts | {"game": GAMES.get(run.facts["game"], run.facts["game"])}
    found["source"] = Path(str(found["source"])).name
    found |= reader(run).facts(run)
    total = run.importance
    for r in references([run]):
        if not run.classifies:
            found[r.name] = f"{r.loss / total:.5g} a round"
        elif not math.isnan(r.mistakes):
            found[r.name] = f"{1.0 - r.mistakes / total:.2%} right"
    return found


def thinned(n: int) -> Any:
    """At most POINTS of n positions, the last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, POINTS)).round().astype(int))


def regret(run: Run, v: Verdict, at: Any) -> dict[str, Any] | None:
    """The curve of one theorem, with its bound; None where it cannot be followed."""
    curve = bound_curve(run, v)
    if curve is None:
        return None
    _, measured, bound = curve
    what = charted(run, v) if run.traits.kind.has_examples else "regret"
    against = f"to {v.comparator}" if what == "regret" else f"against {v.comparator}"
    return {
        "what": what.capitalize(),
        "name": "" if v.guarantee.against == "none" and what != "regret" else against,
        "values": measured[at].tolist(),
        "bound": bound[at].tolist(),
        "theorem": v.guarantee.id,
    }
