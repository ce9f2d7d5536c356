"""A claim about a model as a page: the sentence, a picture of its limits as the rows came, and what it rests on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.intervals import binomial
from . import page
from .payload import thinned
from .sections import Section, certificate_line, document

if TYPE_CHECKING:
    from ..supervised.claim import Claim, Limits
    from ..supervised.comparison import Comparison

ABOUT = {
    "promised": "promised: the grounds below hold, and the claim was not checked on fresh rows yet.",
    "vacuous": "vacuous: one of the grounds below does not hold, so nothing may be claimed.",
}


def report_claim(claim: Claim, path: str | Path) -> Path:
    """Write the page."""
    made = Section(
        name=claim.name,
        label=claim.sentence,
        kind="examples",
        learner=claim.name,
        summary=summary(claim),
        certificate=[certificate_line(v) for v in claim.certificate],
        data={g.text: g.how for g in claim.grounds},
        notes=[*claim.tables, *claim.notes],
    )
    word = "errors" if claim.errors is not None else "loss"
    made.words = {
        "headline": claim.sentence[:1].upper() + claim.sentence[1:] + ".",
        "chart": f"{word.capitalize()} as the rows came",
        "chart about": f"The {word} up to each test row, between the limits that these rows alone would have given. "
        "Rows in random order give a line without bends.",
        "certificate about": ABOUT[claim.verdict],
        "rounds": "Test rows",
        "data": "What it rests on",
    }
    at = thinned(claim.rows)
    made.t = (at + 1).tolist()
    total = np.cumsum(claim.losses)
    made.cumulative = [
        {"name": f"{claim.name}: {word} up to each row", "values": total[at].tolist()}
    ]
    if claim.guarantee.id == "T-VALIDATION-EXACT":  # limits over groups do not grow row by row
        low, high = limits(total, at, claim.delta / claim.selected_from)
        made.cumulative += [
            {"name": "lower limit, errors of so many rows", "values": low},
            {"name": "upper limit, errors of so many rows", "values": high},
        ]
    return page.write(
        document(f"What may be claimed of {claim.name}", f"{claim.rows:,} test rows", [vars(made)]),
        path,
    )


def limits(total: Any, at: Any, delta: float) -> tuple[list[float], list[float]]:
    """The exact limits that the first rows alone would have given, as numbers of errors."""
    found = [binomial(float(total[i]) / (i + 1), i + 1.0, delta) for i in at]
    rows = [int(i) + 1 for i in at]
    return (
        [v.low * m for v, m in zip(found, rows, strict=True)],
        [v.high * m for v, m in zip(found, rows, strict=True)],
    )


def summary(claim: Claim) -> dict[str, Any]:
    """The numbers of the page, and of `--json`."""
    found: dict[str, Any] = {
        "model": claim.name,
        "rows": claim.rows,
        "rounds": claim.rows,
        "loss": claim.loss,
        "low": claim.limits.low,
        "high": claim.limits.high,
        "claim": claim.upper,
        "hoeffding": claim.hoeffding,
        "confidence": 1.0 - claim.delta,
        "selected_from": claim.selected_from,
        "verdict": claim.verdict,
    }
    if claim.errors is not None:
        found |= {"errors": claim.errors, "accuracy": 1.0 - claim.loss}
    else:
        found |= {"mean_loss": claim.loss}
    if claim.groups:
        found["groups"] = claim.groups
    return found


def tables(claim: Claim) -> dict[str, Any]:
    """The rival, the other models and the parts of the rows as numbers, for `--json`."""
    found: dict[str, Any] = {}
    if claim.rival is not None:
        found["rival"] = describe_comparison(claim.rival)
    if claim.models:
        found["models"] = {name: row(v) for name, v in claim.models.items()}
    if claim.versus:
        found["versus"] = {name: describe_comparison(c) for name, c in claim.versus.items()}
    if claim.by:
        found["by"] = {str(name): row(v) for name, v in claim.by.items()}
    return found


def row(v: Limits) -> dict[str, Any]:
    found: dict[str, Any] = {"rows": v.rows, "loss": v.mean, "low": v.both.low, "high": v.both.high}
    found |= {"claim": v.upper, "hoeffding": v.hoeffding}
    found["verdict"] = "vacuous" if v.why else "promised"
    return found if v.errors is None else found | {"errors": v.errors}


def describe_comparison(c: Comparison) -> dict[str, Any]:
    found: dict[str, Any] = {"verdict": c.verdict, "p": c.p, "among": c.among}
    return found | {"share": list(c.share), "difference": list(c.difference)}
