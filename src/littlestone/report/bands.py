"""Many runs of one bandit, for the page and the figure: the mean regret, and where most runs lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..core.extras import import_extra
from ..run.certify import PSEUDO
from ..run.seeds import SeedRuns
from . import page
from .sections import Section, certificate_line, document
from .words import GIVEN, word

BAND = (0.05, 0.95)  # the band is between these quantiles of the runs
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999", "#F0E442")


def report(runs: list[SeedRuns], path: str | Path, title: str = "") -> Path:
    """One self-contained page."""
    return page.write(payload(runs, title), path)


def payload(runs: list[SeedRuns], title: str = "") -> dict[str, Any]:
    """What `page.write` takes."""
    first = runs[0]
    several = f"{len(runs)} learners compared"
    what = f"{first.seeds:,} runs of {first.rounds:,} rounds, {len(first.names)} arms"
    title = title or (first.label if len(runs) == 1 else several)
    return document(title, f"{Path(first.source).name}, {what}", [section(run) for run in runs])


def measured_by(run: SeedRuns) -> bool:
    """Is the theorem in the headline about the regret to the arm with the best mean?"""
    return run.headline is not None and run.headline.guarantee.measures == PSEUDO


def section(run: SeedRuns) -> dict[str, Any]:
    """All runs of one learner as a section of the page."""
    pseudo = measured_by(run)
    learner, best = run.losses_so_far.mean(axis=0), run.best_so_far.mean(axis=0)
    made = Section(
        name=run.key,
        learner=type(run.learner).__name__,
        label=run.label,
        summary=summary(run),
        certificate=[certificate_line(v) for v in run.certificate],
        t=run.t.tolist(),
        cumulative=[
            {"name": run.label, "kind": "learner", "values": learner.tolist()},
            {"name": "best arm", "kind": "comparator", "values": best.tolist()},
        ],
        seeds={
            "runs": run.seeds,
            "what": "regret to the best arm in means" if pseudo else "regret to the best arm",
            "lines": lines(run, pseudo),
        },
        parameters={k: word(v) for k, v in run.learner.parameters.items()},
        data={
            "source": run.source,
            "arms": len(run.names),
            "rounds": run.rounds,
            "runs": run.seeds,
            "first seed": run.first,
        },
    )
    return vars(made)


def lines(run: SeedRuns, pseudo: bool) -> list[dict[str, Any]]:
    """The mean regret, where most runs lie, the bound of the headline, and the lower bound of Lai and Robbins."""
    band = run.band(*BAND, pseudo=pseudo)
    found = [
        {"name": f"{BAND[1]:.0%} of the runs are below", "kind": "edge", "values": band["high"].tolist()},
        {"name": f"{BAND[0]:.0%} of the runs are below", "kind": "edge", "values": band["low"].tolist()},
        {"name": "mean", "kind": "learner", "values": band["mean"].tolist()},
    ]  # fmt: skip
    if run.headline is not None:
        _, bound = run.bound_curve(run.headline)
        found.append(
            {
                "name": f"bound, {run.headline.guarantee.id}",
                "kind": "comparator",
                "values": bound.tolist(),
            }
        )
    lower = run.lower_bound
    if np.isfinite(lower).any():
        found.append({"name": "Lai and Robbins: no consistent learner is below for ever", "kind": "comparator",
                      "values": lower.tolist()})  # fmt: skip
    return found


def summary(run: SeedRuns) -> dict[str, Any]:
    """The numbers of the table and of `--json`."""
    pseudo = measured_by(run)
    values = (run.pseudo_regrets if pseudo else run.regrets)[:, -1]
    low, high = run.limits(values)
    return {
        "rounds": run.rounds,
        "seeds": run.seeds,
        "loss": run.loss,
        "mean_loss": run.loss / run.rounds,
        "loss_name": GIVEN,
        "comparator": "best arm in means" if pseudo else "best arm",
        "comparator_loss": run.loss - float(values.mean()),
        "regret": float(values.mean()),
        "regret_limits": [low, high],
        "regret_quantiles": [float(np.quantile(values, q)) for q in BAND],
        "pseudo_regret": run.pseudo_regret,
        "bound": run.bound,
        "lower_bound": float(run.lower_bound[-1]),
        "theorem": None if run.headline is None else run.headline.guarantee.id,
        "seconds": run.seconds,
        "verdict": run.certificate.verdict,
    }


def figure(runs: list[SeedRuns]) -> Any:
    """A matplotlib figure: mean regret and band of each learner, bounds dashed."""
    Figure = import_extra("a plot", "matplotlib.figure").Figure
    picture = Figure(figsize=(9, 5), layout="constrained")
    axes = picture.subplots()
    for color, run in zip(COLORS, runs, strict=False):
        band = run.band(*BAND, pseudo=measured_by(run))
        axes.fill_between(run.t, band["low"], band["high"], color=color, alpha=0.15, linewidth=0)
        axes.plot(run.t, band["mean"], color=color, label=run.label)
        if run.headline is not None:
            t, bound = run.bound_curve(run.headline)
            axes.plot(t, bound, color=color, linestyle="--", linewidth=0.9,
                      label=f"{run.label}: bound, {run.headline.guarantee.id}")  # fmt: skip
    lower = runs[0].lower_bound
    if np.isfinite(lower).any():
        axes.plot(runs[0].t, lower, color="grey", linestyle=":", label="Lai and Robbins")
    axes.set_xlabel("round")
    axes.set_ylabel("regret")
    axes.legend(fontsize=8)
    return picture
