"""The table at the end of a run."""

from __future__ import annotations

import math

from rich.markup import escape
from rich.table import Table

from ..core.run import Run
from .console import console

STYLES = {
    "kept": "green",
    "broken": "bold red",
    "vacuous": "yellow",
    "unknown": "yellow",
    "none": "dim",
}


def table(runs: list[Run]) -> None:
    """Learner, loss, best comparator, regret, bound, certificate; then what a reader should know."""
    out = console()
    first = runs[0]
    facts = first.facts
    out.print(
        f"[bold]{escape(facts['source'])}[/bold]: {first.rounds:,} rounds, {len(first.names):,} "
        f"{'experts' if first._s.experts else 'features'}"
    )
    grid = Table(box=None, pad_edge=False, header_style="bold")
    grid.add_column("learner")
    for name in ("loss", "a round"):
        grid.add_column(name, justify="right")
    grid.add_column("best comparator")
    for name in ("its loss", "regret", "bound"):
        grid.add_column(name, justify="right")
    grid.add_column("certificate")
    for run in runs:
        verdict = run.certificate.verdict
        theorem = f" ({run.headline.guarantee.id})" if run.headline is not None else ""
        grid.add_row(
            escape(run.label),
            number(run.loss),
            number(run.mean_loss),
            escape(run.comparator),
            number(run.comparator_loss),
            number(run.regret),
            number(run.bound),
            f"[{STYLES[verdict]}]{verdict}[/]{theorem}",
        )
    out.print(grid)
    best = references(first)
    if best:
        out.print("for comparison, a round: " + "; ".join(best), style="dim")
    if (
        first.facts["feedback"] == "at once"
        and all(not r._s.delay for r in runs)
        and not first._s.allocation
    ):
        out.print(
            "feedback: each outcome was known before the next prediction; --delay N shows late outcomes beside it",
            style="dim",
        )
    for note in dict.fromkeys(note for run in runs for note in run.notes):
        out.print(f"note: {escape(note)}", style="dim")
    for run in runs:
        for v in run.certificate:
            if v.verdict in ("vacuous", "broken") or (v.verdict == "unknown" and v.why):
                out.print(f"{escape(run.label)}: {escape(str(v))}", style="dim")


def references(run: Run) -> list[str]:
    """What simple answers would have cost: the best expert, the best fixed mixture, all experts alike."""
    if not run._s.experts or not run.answered:
        return []
    T, L = run.answered, run.experts.L
    i = int(L.argmin())
    found = [f"best expert {number(L[i] / T)} ({escape(run.names[i])})"]
    if run.mixture is not None:
        found.append(f"best fixed mixture {number(run.mixture[1] / T)}")
    if run.linear is not None:
        found.append(f"best linear combination {number(run.linear[1] / T)}")
    return found


def number(v: float) -> str:
    """Six digits at most, thousands set apart."""
    if math.isnan(v):
        return "-"
    if v == 0 or 1e-4 <= abs(v) < 1e9:
        digits = 0 if abs(v) >= 1e5 else 1 if abs(v) >= 1e4 else 2 if abs(v) >= 100 else 4
        return f"{v:,.{digits}f}"
    return f"{v:.4g}"
