"""The page of intervals: the fan, misses inside their corridor, coverage, width, and which scale carried the weight."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..conformal.learners.corridor import above, below
from ..conformal.learners.cover import Cover
from ..conformal.learners.scales import names as scale_names
from ..conformal.sets.measures import STRETCH, Measures, rolling
from ..core.guarantee import Symbols
from . import page
from .payload import thinned
from .sections import Section, certificate_line, document
from .words import word

if TYPE_CHECKING:
    from ..conformal.sets.interval_run import IntervalRun

FAN = 2400  # the chart of the intervals has at most so many points, since it can be zoomed
LAST = 300  # the last rounds, so many, are drawn one by one
HEADS = [["Intervals"], ["Coverage", "n"], [f"Worst {STRETCH}", "n"], ["Mean width", "n"], ["Winkler score", "n"],
         ["Misses below", "n"], ["Misses above", "n"], ["Not finite", "n"]]  # fmt: skip
SEVERAL = 8  # a page has at most so many sections


def report_intervals(runs: list[IntervalRun], path: str | Path) -> Path:
    """One page for one run of intervals, or several: levels of the same rounds, keys, delays, learners."""
    first = runs[0]
    title = f"Intervals at {first.level:.0%}" if len(runs) == 1 else f"Intervals, {len(runs)} runs"
    about = f"{first.name or 'arrays'}, {first.before.rounds + len(first.outcomes):,} rounds"
    if first.before.rounds:
        about += f", of which the last {len(first.outcomes):,} are drawn"
    if len(runs) > SEVERAL:
        about += f"; {SEVERAL} of {len(runs):,} runs are shown"
    sections = [vars(section(run, runs)) for run in runs[:SEVERAL]]
    return page.write(document(title, about, sections), path)


def section(found: IntervalRun, others: list[IntervalRun]) -> Section:
    """One run as a section."""
    m, run = found.measures, found.run
    late = f", {run.transcript.delay} rounds late" if run.transcript.delay else ""
    made = Section(
        name=m.name,
        label=f"{found.name + ': ' if found.name and len(others) > 1 else ''}{m.name} at {found.level:.3g}{late}",
        kind="examples",
        learner=m.name,
        summary={
            "rounds": found.before.rounds + len(found.outcomes),
            "verdict": found.certificate.verdict,
        },
        certificate=[certificate_line(v) for v in found.certificate],
        parameters={k: word(v) for k, v in run.parameters.items()},
        notes=[*found.notes, *run.notes],
    )
    made.words = {
        "headline": headline(found),
        "weights": "Which scale carried the weight",
        "weights about": "Each band is the weight of one answer to the question how large errors are at present, of "
        "both tails and around both centres.",
    }
    made.tables = [{
        "name": "Beside the simple answers",
        "about": f"Over {m.rounds:,} rounds{f', the first {found.after:,} left out' if found.after else ''}. The "
        f"Winkler score is the width, plus {2 / (1 - found.level):.3g} times the distance of a miss: less is better.",
        "heads": HEADS,
        "rows": [row(v) for v in (m, *found.simple)],
    }]  # fmt: skip
    made.charts = [*fan(found, others), *corridors(found), *along(found)]
    made.weights = shares(found)
    made.t, made.dates = made.charts[0]["t"], made.charts[0]["dates"]
    return made


def headline(found: IntervalRun) -> str:
    m = found.measures
    return (
        f"The intervals held {m.coverage:.2%} of {m.rounds:,} truths, where {found.level:.3g} was asked for, and "
        f"{m.worst:.1%} in the worst {STRETCH} rounds in a row; they are {m.width:.4g} wide on average, and the "
        f"Winkler score is {m.winkler:.4g} ({found.simple[0].winkler:.4g} with the quantile of all the past, "
        f"{found.simple[1].winkler:.4g} of the last {STRETCH})."
    )


def row(m: Measures) -> list[Any]:
    return [
        m.name,
        f"{m.coverage:.4f}",
        f"{m.worst:.3f}",
        m.width,
        m.winkler,
        m.misses_below,
        m.misses_above,
        m.infinite,
    ]


def dates(found: IntervalRun, at: Any) -> list[int] | None:
    if found.times is None:
        return None
    when = found.times[at].astype("datetime64[s]").astype(np.int64)
    return None if (np.diff(when) <= 0).any() else when.tolist()


def draw_intervals(found: IntervalRun, at: Any, **more: Any) -> dict[str, Any]:
    return {"t": (at + 1 + found.before.rounds).tolist(), "dates": dates(found, at), **more}


def line(name: str, kind: str, values: Any) -> dict[str, Any]:
    return {
        "name": name,
        "kind": kind,
        "values": np.where(np.isfinite(values), values, np.nan).tolist(),
    }


def fan(found: IntervalRun, others: list[IntervalRun]) -> list[dict[str, Any]]:
    """The limits of this run, and of the other levels of the same rounds, around truth and forecast."""
    same = [r for r in others if r.outcomes is found.outcomes and r.measures.name == found.measures.name
            and r.run.transcript.delay == found.run.transcript.delay]  # fmt: skip
    same.sort(key=lambda r: -r.level)
    T = len(found.outcomes)
    whole = np.unique(np.linspace(0, T - 1, min(T, FAN)).round().astype(int))
    made = []
    for kind, at, title in (
        ("fan", whole, "Intervals, forecast and truth"),
        ("last", np.arange(max(0, T - LAST), T), f"The last {min(T, LAST)} rounds"),
    ):
        lines, bands = [], []
        for r in same:
            lines += [
                line(f"upper {r.level:.3g}", "edge", r.upper[at]),
                line(f"lower {r.level:.3g}", "edge", r.lower[at]),
            ]
            bands.append([len(lines) - 1, len(lines)])
        lines += [
            line("forecast", "forecast", found.forecast[at]),
            line("truth", "truth", found.outcomes[at]),
        ]
        thin = f" One round in {T / len(at):.3g} is drawn." if len(at) < T and kind == "fan" else ""
        made.append(draw_intervals(found, at, kind=kind, title=title, lines=lines, bands=bands, alone=kind == "last",
            about=f"The band is to hold {found.level:.0%} of the truths. Drag to zoom.{thin}"))  # fmt: skip
    return made if T > LAST else made[:1]


def corridors(found: IntervalRun) -> list[dict[str, Any]]:
    """The misses of each tail less those allowed, inside the corridor of T-COVER."""
    y, known = found.outcomes, ~(np.isnan(found.outcomes) | np.isnan(found.lower))
    tail, at = (1.0 - found.level) / 2, thinned(len(y))
    t = found.before.known + np.cumsum(known)
    missed = ((y < found.lower, found.before.below), (y > found.upper, found.before.above))
    E = [before + np.cumsum(known & v) - tail * t for v, before in missed]
    lines = []
    learner: Any = found.run.transcript.learner
    if isinstance(learner, Cover) or "kappa" in found.run.parameters:
        p, crowd = found.run.parameters, found.run.transcript.waiting.get("crowd", 0)
        known_then = [Symbols(**{**p, "T": int(v), "crowd": crowd}) for v in t[at]]
        lines.append(line("at most, T-COVER", "bound", np.array([above(s) for s in known_then])))
        if p.get("sharp"):
            lines.append(
                line("at least, T-COVER-BELOW", "bound", -np.array([below(s) for s in known_then]))
            )
    lines += [
        line("truth below the interval", "learner", E[0][at]),
        line("truth above the interval", "second", E[1][at]),
    ]
    title = "Misses of each tail, less what was asked for"
    return [draw_intervals(found, at, kind="corridor", lines=lines, title=title,
        about=f"E = misses - {tail:.3g} t of each tail. The theorem holds it inside the dashes.")]  # fmt: skip


def along(found: IntervalRun) -> list[dict[str, Any]]:
    """Coverage and width of the last 500 rounds, as rounds went by."""
    y, known = found.outcomes, ~(np.isnan(found.outcomes) | np.isnan(found.lower))
    where = np.flatnonzero(known)
    if not len(where):
        return []
    held = ((y >= found.lower) & (y <= found.upper))[where]
    wide = (found.upper - found.lower)[where]
    finite = np.isfinite(wide)
    wide = np.where(finite, np.maximum(wide, 0.0), np.mean(wide[finite]) if finite.any() else 0.0)
    pick = thinned(len(where))
    at = where[pick]
    return [
        draw_intervals(found, at, kind="coverage", title=f"Coverage of the last {STRETCH} rounds", shares=True,
              lines=[line("asked for", "bound", np.full(len(at), found.level)),
                     line("coverage", "learner", rolling(held)[pick])],
              about=f"The share of truths that were held, of the last {STRETCH} rounds (of all, before that)."),
        draw_intervals(found, at, kind="width", title=f"Width, mean of the last {STRETCH} rounds",
              lines=[line("width", "learner", rolling(wide)[pick])],
              about="Intervals that are not finite count as the mean width."),
    ]  # fmt: skip


def shares(found: IntervalRun) -> dict[str, Any] | None:
    """The weight of each scale as rounds went by; None for learners without scales."""
    learner: Any = found.run.transcript.learner
    if not isinstance(learner, Cover):
        return None
    t, rows = found.run.transcript.decisions.gather()
    names = scale_names(learner.season, learner.spread)
    K = 2 * len(names)
    if not len(t) or rows.shape[1] < K:
        return None
    rows = rows[1:, -K:] if len(t) > 1 else rows[:, -K:]  # the first decision has no weights yet
    t = t[-len(rows) :]
    both = rows[:, : len(names)] + rows[:, len(names) :]
    at = thinned(len(t))
    there, rounds = np.flatnonzero(~np.isnan(found.lower)), t[at] - found.run.transcript.started
    if not found.before.rounds:
        rounds = there[np.minimum(rounds, len(there) - 1)]
    top = [i for i in np.argsort(-both.mean(axis=0)) if both[:, i].mean() > 0.01]
    rest = both.sum(axis=1) - both[:, top].sum(axis=1)
    values = [both[at, i].tolist() for i in top] + [rest[at].tolist()]
    return {"names": [*(names[i] for i in top), "others"], "values": values, "t": (rounds + 1).tolist(),
            "dates": None if found.before.rounds else dates(found, rounds), "over": 1}  # fmt: skip
