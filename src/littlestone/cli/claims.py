"""`littlestone certify` and `littlestone plan`: what may be claimed of a model, and how many rows a claim takes."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import BadInput
from .console import in_options
from .options import declared

if TYPE_CHECKING:
    from ..supervised.claim import Claim


@click.command(short_help="Say what may be claimed of a model, by its predictions.")
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--truth", required=True, metavar="COLUMN", help="the column that holds the truth")
@click.option(
    "--prediction",
    required=True,
    multiple=True,
    metavar="COLUMN",
    help="the column that holds the model's predictions; more than once: the best of these models, corrected for it",
)
@click.option(
    "--rival", metavar="COLUMN", help="the predictions of another model: an exact paired comparison"
)
@click.option(
    "--selected-from",
    type=int,
    metavar="N",
    help="how many models these rows chose this one from; by default as many as are given",
)
@click.option(
    "--groups",
    metavar="COLUMN",
    help="what rows share (a patient, a day): groups are independent, rows need not be",
)
@click.option("--weights", metavar="COLUMN", help="how much each row counts")
@click.option("--each-group-once", is_flag=True, help="weigh rows so that every group counts once")
@click.option(
    "--by", metavar="COLUMN", help="limits for each part of the rows as well; all hold together"
)
@click.option(
    "--delta",
    type=float,
    default=0.05,
    show_default=True,
    help="the claim fails with at most this probability",
)
@click.option(
    "--loss",
    type=click.Choice(["zero-one", "absolute", "square"]),
    default="zero-one",
    show_default=True,
)
@click.option("--interval", type=float, nargs=2, metavar="LOW HIGH",
              help="the smallest and the largest loss that a row could have, for absolute and square")  # fmt: skip
@declared("format", "encoding", "decimal")
@click.option("--report", type=click.Path(dir_okay=False), help="write a page with a picture")
@click.option("--json", "as_json", is_flag=True, help="one object for programs")
def certify(
    file: str, truth: str, prediction: tuple[str, ...], rival: str | None, selected_from: int | None,
    groups: str | None, weights: str | None, each_group_once: bool, by: str | None, delta: float, loss: str,
    interval: tuple[float, float] | None, report: str | None, as_json: bool,
    format: str | None, encoding: str | None, decimal: str | None,
) -> None:  # fmt: skip
    """What may be claimed of a model, from a file of its predictions on rows that had no part in making it.

    \b
    littlestone certify predictions.csv --truth y --prediction p
    littlestone certify predictions.csv --truth y --prediction tree --rival forest --selected-from 12
    littlestone certify predictions.csv --truth y --prediction tree --prediction forest --by region
    littlestone certify predictions.csv --truth y --prediction p --groups patient

    The file is a table (CSV, Parquet, JSON lines) with one row a test example, in the order in which they came. The
    error gets exact limits, corrected for how many models were tried on these rows; errors that drift along the rows
    or cluster in neighbouring ones refute the claim. Any language can write the file; no model is loaded.
    """
    from ..streams.options import ReadOptions
    from ..streams.tables.whole_table import read_columns
    from ..supervised.certify import certify as certified
    from ..supervised.row_groups import EACH_GROUP_ONCE
    from ..supervised.typed_values import series

    if each_group_once and weights:
        raise BadInput("--weights and --each-group-once: give one of the two")
    more = [name for name in (rival, groups, weights, by) if name]
    read = ReadOptions(format=format, encoding=encoding, decimal=decimal)
    found = read_columns(file, [truth, *prediction, *more], read)
    columns: dict[str | None, Any] = {name: series(column) for name, column in found.items()}
    models = {name: columns[name] for name in prediction}
    alone = prediction[0] if len(models) == 1 else ""
    claim = certified(
        columns[alone] if alone else models, None, columns[truth], delta=delta, loss=loss,
        selected_from=selected_from, interval=interval or None, name=alone,
        rival=columns.get(rival) if alone or rival not in models else rival, groups=columns.get(groups),
        by=columns.get(by), weights=EACH_GROUP_ONCE if each_group_once else columns.get(weights),
    )  # fmt: skip
    if claim.errors is not None:
        claim.notes += note_on_constant(columns[truth], claim.errors)
    show_claim(claim, as_json)
    if report:
        click.echo(f"page: {claim.report(report)}", err=True)


def show_claim(claim: Claim, as_json: bool) -> None:
    """Print the claim, line by line, or as one object."""
    if as_json:
        show_json(claim)
        return
    for line in str(claim).splitlines():
        click.echo(" " * (len(line) - len(line.lstrip())) + in_options(line))


def show_json(claim: Claim) -> None:
    """Print one object: the sentence, what it rests on, and its numbers."""
    from ..report.claim import summary, tables

    shown = {
        "sentence": in_options(claim.sentence),
        "grounds": [in_options(str(g)) for g in claim.grounds],
        "notes": [in_options(note) for note in claim.notes],
    }
    click.echo(json.dumps(summary(claim) | shown | tables(claim)))


def note_on_constant(truth: Any, errors: int) -> list[str]:
    """A line where one label, always, makes no more errors than the model; none where the model is better.

    >>> import numpy as np
    >>> note_on_constant(np.array(["no", "no", "yes"]), 1)
    ["note: always 'no' makes 1 error in these rows, and the model 1: it is no better than a constant"]
    """
    labels = Counter(truth.tolist())
    label, count = labels.most_common(1)[0]
    wrong = len(truth) - count
    if wrong > errors:
        return []
    return [
        f"note: always {label!r} makes {wrong:,} error{'s' * (wrong != 1)} in these rows, and the model {errors:,}: "
        "it is no better than a constant"
    ]


@click.command(short_help="Say how many rows to label for a claim.")
@click.option(
    "--claim", type=float, metavar="ERROR", help="the error is to be claimed to be at most this"
)
@click.option(
    "--expect",
    type=float,
    default=0.0,
    show_default=True,
    metavar="ERROR",
    help="what it probably is",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="of the claim")
@click.option(
    "--power", type=float, default=0.9, show_default=True, help="the chance that the claim succeeds"
)
@click.option(
    "--rows", type=int, help="instead of --claim: the smallest claim that so many rows can show"
)
@click.option(
    "--selected-from",
    type=int,
    default=1,
    metavar="N",
    help="how many models the rows will choose from",
)
@click.option(
    "--hypotheses", type=int, metavar="H", help="instead: training on a finite class of hypotheses"
)
@click.option(
    "--vc", type=int, metavar="D", help="instead: training on a class of this VC dimension"
)
@click.option(
    "--kind",
    type=click.Choice(["realisable", "uniform", "agnostic"]),
    default="realisable",
    show_default=True,
)
@click.option("--json", "as_json", is_flag=True, help="one object for programs")
def plan(as_json: bool, **asked: Any) -> None:
    """How many rows to label, so that a claim about the error of a model succeeds.

    \b
    littlestone plan --claim .05                    no error expected: 59 rows
    littlestone plan --claim .05 --expect .03       832 rows
    littlestone plan --rows 200 --expect .03        what 200 rows can show
    littlestone plan --claim .1 --hypotheses 100    rows to train on, for a finite class
    littlestone plan --rows 5000 --vc 3             what 5,000 rows allow, for a class of VC dimension 3
    """
    from ..supervised.plan import plan as planned

    found = planned(**asked)
    click.echo(json.dumps(vars(found)) if as_json else str(found))
