"""The table at the end of a run, and what a reader should know about it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..core import losses
from ..core.run import Run
from ..report.references import references
from .console import console, count
from .play import Played

STYLES = {"kept": "green", "broken": "bold red", "none": "dim"}
ROWS = 60  # of the table; a stream with more keys shows these and the sum
NARROW = 110  # columns: below that, the table leaves out what the list under it says again
WIDTH = 100  # columns of prose
REASONS = 12  # why a theorem is not kept: so many lines at most
MEANING = {
    "kept": "for every comparator of the theorem the regret stayed within its bound",
    "vacuous": "an assumption of the theorem fails on these data, so that it promises nothing",
    "unknown": "this run cannot tell whether the theorem holds",
    "broken": "the regret exceeds the bound, which must not happen: please report it",
    "none": "no theorem of this learner speaks of such a run",
}


def table(played: list[Played], by: str | None, notes: list[str]) -> None:
    """Learner, loss, best comparator, regret, bound, certificate; then yardsticks, and what it all means."""
    out = console()
    out.print(title(played))
    out.print()
    grid(out, played, by)
    out.print()
    ladder(out, played)
    out.print()
    for line in [*legend(played), *(f"note: {note}" for note in notes)]:
        wrapped(out, line)


def title(played: list[Played]) -> str:
    run = played[0].run
    source = run.stream.source
    name = source if source.startswith("built-in") else Path(source).name
    rounds = sum(p.run.rounds for p in groups(played)[0])
    what = "features" if run.facts["game"] == "labels" else "experts"
    size = f"{count(rounds, 'rounds')}, {count(len(run.names), what)}"
    return f"[bold]{escape(name)}[/bold]: {size}, {loss_name(run)}"


def loss_name(run: Run) -> str:
    game, loss = run.facts["game"], run.parameters.get("loss")
    if game == "allocation":
        return "losses as given"
    if game in ("vote", "labels") or not isinstance(loss, losses.KINDS):
        return "mistakes counted"
    quantile = f":{loss.quantile:g}" if isinstance(loss, losses.Pinball) else ""
    return f"{losses.name(loss)}{quantile} loss"


def groups(played: list[Played]) -> list[list[Played]]:
    """The runs of each learner at each delay: one, or one a key."""
    found: dict[tuple[str, int], list[Played]] = {}
    for p in played:
        found.setdefault((p.learner, p.delay), []).append(p)
    return list(found.values())


# The table.


@dataclass
class Line:
    """A row of the table: a run, or with keys the sum of a learner's runs."""

    key: str
    learner: str
    loss: float
    mean: float
    comparator: str
    comparator_loss: float
    regret: float
    bound: float
    verdict: str
    theorem: str = ""


def line_of(p: Played) -> Line:
    run = p.run
    return Line(
        str(p.key),
        p.name,
        run.loss,
        run.mean_loss,
        run.comparator,
        run.comparator_loss,
        run.regret,
        run.bound,
        run.certificate.verdict,
        theorem(run),
    )


def sum_of(runs: list[Played]) -> Line:
    def total(name: str) -> float:
        return math.fsum(getattr(p.run, name) for p in runs)

    found = {p.run.certificate.verdict for p in runs}
    worst = next(v for v in ("broken", "none", "vacuous", "unknown", "kept") if v in found)
    sums = total("comparator_loss"), total("regret"), total("bound")
    return Line("all", runs[0].name, total("loss"), mean(runs), "of each key", *sums, worst)


def mean(runs: list[Played]) -> float:
    answered = sum(p.run.answered for p in runs)
    return math.fsum(p.run.loss for p in runs) / answered if answered else math.nan


def theorem(run: Run) -> str:
    """The theorem of the bound, and how many more were kept."""
    if run.headline is None:
        return ""
    kept = {v.guarantee.id for v in run.certificate if v.verdict == "kept"}
    more = len(kept - {run.headline.guarantee.id})
    return run.headline.guarantee.id + (f", {more} more" if more else "")


def grid(out: Console, played: list[Played], by: str | None) -> None:
    rows = side_by_side(played) if by else played
    lines = [line_of(p) for p in rows[:ROWS]] + [sum_of(g) for g in groups(played) if by]
    wide = out.width >= NARROW
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    columns: list[list[str]] = []

    def words(title: str, texts: list[str]) -> None:
        made.add_column(escape(title), overflow="fold")
        columns.append([escape(text) for text in texts])

    def numbers(title: str, values: list[float]) -> None:
        made.add_column(title, justify="right", no_wrap=True)
        columns.append(aligned(values))

    if by:
        words(by, [line.key for line in lines])
    words("learner", [line.learner for line in lines])
    numbers("loss", [line.loss for line in lines])
    if wide:
        numbers("a round", [line.mean for line in lines])
    words("best comparator", [line.comparator for line in lines])
    if wide:
        numbers("its loss", [line.comparator_loss for line in lines])
    numbers("regret", [line.regret for line in lines])
    numbers("bound", [line.bound for line in lines])
    made.add_column("certificate", no_wrap=True)
    columns.append([certificate(line, wide) for line in lines])
    for row in zip(*columns, strict=True):
        made.add_row(*row)
    out.print(made)
    if len(rows) > ROWS:
        out.print(f"and {len(rows) - ROWS:,} rows more: --json has them all", style="dim")


def side_by_side(played: list[Played]) -> list[Played]:
    """With keys: the learners under each key, keys in the order of the stream."""
    found: dict[Any, list[Played]] = {}
    for p in played:
        found.setdefault(p.key, []).append(p)
    return [p for members in found.values() for p in members]


def certificate(line: Line, wide: bool) -> str:
    text = f"[{STYLES.get(line.verdict, 'yellow')}]{line.verdict}[/]"
    return f"{text} ({escape(line.theorem)})" if line.theorem and wide else text


# The list under it.


def ladder(out: Console, played: list[Played]) -> None:
    """The loss a round of every learner and of the simple answers, the smallest first."""
    every = groups(played)
    rungs = [(mean(g), g[0].name, True) for g in every]
    answered = sum(p.run.answered for p in every[0])
    if answered and len({loss_name(p.run) for p in played}) == 1:
        simple = references([p.run for p in every[0]])
        rungs += [(r.loss / answered, r.name, False) for r in simple]
    rungs.sort(key=lambda rung: (math.isnan(rung[0]), rung[0]))
    made = Table.grid(padding=(0, 2, 0, 0))
    made.add_column(justify="right", no_wrap=True)
    texts = aligned([loss for loss, _, _ in rungs], apart=True)
    for text, (_, name, own) in zip(texts, rungs, strict=True):
        style = "bold" if own else "dim"
        made.add_row(f"  {text}", f"[{style}]{escape(name)}[/]")
    what = "mistakes" if loss_name(played[0].run).startswith("mistakes") else "loss"
    out.print(f"{what} a round, beside simple answers (best …: chosen in hindsight)")
    out.print(made)


# What it means.


def legend(played: list[Played]) -> list[str]:
    runs = [p.run for p in played]
    first, late = runs[0], max(p.delay for p in played)
    better = " (negative: the learner did better)" if any(r.regret < 0 for r in runs) else ""
    lines = [
        f"regret: the loss less that of the best comparator{better}; bound: the most that its "
        "theorem allows"
    ]
    verdicts = dict.fromkeys(r.certificate.verdict for r in runs)
    verdicts |= dict.fromkeys(v.verdict for r in runs for v in r.certificate)
    lines += [f"{verdict}: {MEANING[verdict]}" for verdict in verdicts]
    if late:
        key = " of its key" if played[0].key is not None else ""
        lines.append(
            f"{count(late, 'rounds')} late: predicted without the outcomes of the last "
            f"{count(late, 'rounds')}{key}; the other rows knew them"
        )
    elif first.facts["game"] != "allocation" and not first.stream.source.startswith("built-in"):
        lines.append(
            "feedback: each outcome was known before the next prediction was due; if yours come "
            "later, add --delay ROUNDS"
        )
    if len({loss_name(r) for r in runs}) > 1:
        lines.append("the learners were charged different losses: do not compare them")
    if any(r.facts.get("missing advice") for r in runs):
        lines.append("an expert without advice is charged what the learner lost in that round")
    silent = sum(p.run.facts.get("rounds without an answer", 0) for p in groups(played)[0])
    if silent:
        lines.append(f"{count(silent, 'rounds')} without an outcome: predicted, not counted")
    reasons = dict.fromkeys(
        f"{p.name}: {v}" for p in played for v in p.run.certificate if v.verdict != "kept"
    )
    return lines + list(reasons)[:REASONS]


def wrapped(out: Console, line: str) -> None:
    for i, part in enumerate(textwrap.wrap(line, min(out.width, WIDTH) - 2)):
        out.print(("  " if i else "") + escape(part), style="dim")


# Numbers.


def aligned(values: Sequence[float], apart: bool = False) -> list[str]:
    """Numbers of one column: six digits for the largest, as many decimals for the others.

    With `apart`, up to four decimals more, so that different numbers look different.

    >>> aligned([132895.1, -47496.216, float("nan")]), aligned([7.60617, 11.01574]), aligned([3e-7])
    (['132,895', '-47,496', '-'], ['7.6062', '11.0157'], ['3e-07'])
    >>> aligned([0.99706, 0.99714], apart=True)
    ['0.99706', '0.99714']
    """
    finite = [v for v in values if math.isfinite(v)]
    top = max(map(abs, finite), default=0.0)
    if 0 < top < 1e-3 or top >= 1e12:
        return [f"{v:.4g}" if math.isfinite(v) else said(v) for v in values]
    digits = max(0, min(4, 5 - math.floor(math.log10(top)))) if top else 0
    if apart and top:
        different = len({round(v / top, 6) for v in finite})
        enough = (
            d for d in range(digits, digits + 5) if len({round(v, d) for v in finite}) >= different
        )
        digits = next(enough, digits)
    return [f"{v:,.{digits}f}" if math.isfinite(v) else said(v) for v in values]


def said(v: float) -> str:
    return "-" if math.isnan(v) else "inf" if v > 0 else "-inf"
