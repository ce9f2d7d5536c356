"""`predict`: predict new rows with a saved learner; nothing is learned, and no outcome is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import BadInput
from ..core.options import Flag
from .command_options import CommandOptions, parse
from .options import READING, Command, declared
from .predict_by_key import ROW, KnownKeys, answers_by_key

if TYPE_CHECKING:
    from ..core.costs import Costs
    from ..core.stream import Batch
    from ..encode.stream import Stream
    from ..play.request import Request
    from ..streams.files import OpenFile
    from .learner_spec import AnyLearner

NONE = "\0"  # a name that no column has


@click.command(cls=Command, short_help="Predict new rows with a saved learner.")
@click.argument("load", metavar="MODEL")
@click.argument("file", metavar="FILE", required=False)
@declared(
    "predictions", "probabilities", "threshold", "cost", "id", "by", "horizons", *READING, "interactions",
    predictions=Flag(("-o", "--output"), "OUT.csv", "where predictions go: .csv or .parquet", "standard output"),
    id=Flag(metavar="COLUMN", help="a column to write beside each prediction"),
    by=Flag(metavar="COLUMN", help="the column of keys, where MODEL holds a learner for each key"),
    horizons=Flag(("--horizon",), "COLUMN", "as when it was trained: the column of horizons, or columns of forecasts "
                  "such as '*_h{}'"),
    interactions=Flag(("-q", "--interact"), "AB", "as when it was trained", several=True),
)  # fmt: skip
@click.pass_context
def predict(ctx: click.Context, /, **_: Any) -> None:
    """Predict the rows of FILE with the learner in MODEL, which `littlestone run --save` wrote.

    FILE needs the columns that the learner was trained on, in any order and among others, and no outcome. It is - for
    standard input. With --by a key that was never seen gets the first answer of a learner that begins, and its rows
    have cold_start true. What `littlestone intervals --save` wrote gives the intervals of the rows that come next. A
    learner over losses has no rows to predict: without FILE, the weights of its experts or arms.

    \b
    littlestone predict m.ls tomorrow.csv -o out.csv
    littlestone predict m.ls tomorrow.csv --id customer --probabilities
    littlestone predict m.ls tomorrow.csv --cost no,yes=5
    littlestone predict shops.ls tomorrow.csv --by shop
    littlestone predict ahead.ls today.csv --horizon '*_h{}'
    cat tomorrow.csv | littlestone predict m.ls - > out.csv
    """
    from ..live.store import holds_intervals
    from . import learner_spec, play, write

    options = parse(ctx)
    options = replace(options, predictions=options.predictions or "-")
    outputs = {"--output": None if options.predictions == "-" else options.predictions}
    write.check_outputs({"FILE": options.file, "MODEL": options.load}, outputs)
    if holds_intervals(options.load):
        from . import interval_files

        interval_files.predict(options)
        return
    options, learner = learner_spec.load(options)
    if learner.begun().traits.kind.shows_losses:
        weights(learner, options)
        return
    if options.file is None:
        raise BadInput(
            f"which rows? Name a FILE with the columns of {learner.key}, or - for standard input"
        )
    by_key = None if options.by_key is None else KnownKeys(options.by_key, str(options.by_column))
    with play.parse_once(options.file, options) as file:
        assert file is not None
        with play.errors_name(file, options.name, options.id):
            stream = rows_to_predict(learner, options, file)
            with write.Predictions(options.predictions, options.id) as out:
                assert out is not None
                for batch in stream.batches:
                    out.put(
                        prediction_columns(learner, batch, options)
                        if by_key is None
                        else answers_by_key(batch, options, by_key, prediction_columns)
                    )
    if by_key is not None and by_key.new:
        click.echo(f"note: {by_key.note()}", err=True)
    for note in (*stream.changes, *stream.notes):
        if "taken for" not in note:
            click.echo(f"note: {note}", err=True)


def weights(learner: AnyLearner, options: CommandOptions) -> None:
    """The next decision of a learner over losses: a weight, or a probability, for each expert or arm."""
    from . import write

    live = learner.begun()
    if options.file is not None:
        raise BadInput(
            f"FILE: {learner.key} was trained on losses, and needs no rows to decide; leave FILE out"
        )
    w = live.weights()
    one = "arm" if live.traits.kind.has_arms else "expert"
    names = list(live.names or (f"{one} {i + (one == 'expert')}" for i in range(len(w))))
    with write.Predictions(options.predictions, None) as out:
        assert out is not None
        out.put({one: names, "probability" if one == "arm" else "weight": w})


def rows_to_predict(learner: AnyLearner, options: CommandOptions, file: OpenFile) -> Stream:
    """The rows of FILE, the columns by the names that the learner was trained on."""
    from ..play.lagged import refuse_gaps
    from ..play.named_columns import by_name
    from ..play.rounds import open_table
    from ..streams.tables.wide_horizons import forecasts_by_horizon, is_template
    from .data_kind import form_of
    from .play import request_for

    live = learner.begun()
    known = live.setting.categories.names or live.setting.hashed.names or live.names or ()
    if options.id is not None and options.id in known:
        raise BadInput(
            f"--id: {learner.key} predicts from {options.id!r}; name another column, or leave --id out"
        )
    text, wide = form_of(file) in ("libsvm", "vw"), is_template(options.horizons)
    request = request_for(learner, options, file)
    request = request.read_with(
        outcome=None if text else NONE,
        by=None if wide else options.by_column or options.id,
        optional=True,
        labels=False,
    )
    if wide:
        rows = open_table(request.read_with(experts=list(options.experts or ()), losses=False))
        return by_name(forecasts_by_horizon(rows, str(options.horizons)), [learner], losses=False)
    lags = live.setting.lags
    if lags is not None:
        if options.by_column is not None:
            raise BadInput(
                f"{learner.key} of each key learned from outcomes of earlier rows (lags): `littlestone run FILE --load "
                "MODEL` predicts the rows that come, and learns from them"
            )
        request = request.read_with(outcome=lags.outcome, lags=lags.rows)
        stream = open_table(request.play_with(resume=True))
        refuse_gaps(stream, lags, learner.key)
    elif learner.examples:
        stream = open_table(request)
    else:
        stream = by_name(open_table(ask_for_experts(request, learner)), [learner], losses=False)
    if not live.sparse:
        refuse_other_columns(learner, stream)
    return stream


def refuse_other_columns(learner: AnyLearner, stream: Stream) -> None:
    """Refuse rows of other columns than the learner was trained on."""
    live = learner.begun()
    if len(stream.names) != len(live.names or stream.names):
        what = "features" if learner.examples else "experts"
        raise BadInput(
            f"{learner.key} was trained on {len(live.names or ())} {what}; here are {len(stream.names)}"
        )
    live.setting.same_names(stream.names)


def ask_for_experts(request: Request, learner: AnyLearner) -> Request:
    """The request, for the columns of the experts that the learner was trained on."""
    from ..play.named_columns import trained_on
    from ..settings.setting import named_by_user

    live = learner.begun()
    named = named_by_user(live.names)
    return request.read_with(
        experts=list(live.names or ()) if named else None, features=None, losses=False,
        labels=tuple(live.labels) if live.labels is not None else False,
        trained=trained_on(learner) if named else None,
    )  # fmt: skip


def prediction_columns(
    learner: AnyLearner, batch: Batch, options: CommandOptions
) -> dict[str, Any]:
    """The columns of the predictions for a batch, by name."""
    import numpy as np

    from ..core.costs import costs_of
    from .probabilities import refuse_none
    from .write import DECISION

    live = learner.begun()
    rows = len(batch.y)
    columns: dict[str, Any] = {ROW: np.arange(rows) + batch.first + 1}
    if batch.key is not None:
        columns[str(options.id) if options.id not in (ROW, "prediction") else "id"] = (
            batch.key.tolist()
        )
    if learner.examples:
        scores, said = live.many(live.setting.fill_in(batch).x)
        columns["prediction"] = live.setting.decode(said)
        if said.ndim > 1:  # a vector for each row
            del columns["prediction"]
            columns |= {f"prediction {j + 1}": said[:, j] for j in range(said.shape[1])}
        if (costs := costs_of(options.costs)) is not None:
            columns[DECISION] = decisions(learner, scores, said, costs)
        if options.probabilities:
            columns |= probabilities(learner, scores)
        return columns
    if options.probabilities:
        refuse_none(learner)
    for name in ("threshold", "cost"):
        if name in options.written:
            raise BadInput(f"--{name}: {learner.key} combines forecasts, which have no classes")
    columns["prediction"] = list(combine_advice(live, batch))
    return columns


def combine_advice(live: Any, batch: Batch) -> Iterator[Any]:
    """The combination of the advice of each row."""
    for i, advice in enumerate(batch.x):
        x = advice
        if live.labels is not None:
            x = [live.labels[int(c)] if c == c else c for c in advice]
        try:
            yield live.predict(x)
        except BadInput as problem:
            raise BadInput(f"row {batch.first + i + 1}: {problem}") from None


def decisions(learner: AnyLearner, scores: Any, said: Any, costs: Costs) -> list[Any]:
    """The label of least expected cost in each row."""
    import numpy as np

    from ..core.game import SEVERAL
    from ..core.probabilities import of_scores
    from .probabilities import refuse_none

    refuse_none(learner)
    live = learner.begun()
    names = [live.coder.label(c) for c in range(len(live.coder))]
    costs.refuse_unknown(names)
    p = of_scores(scores, live.traits.classes)
    known = np.ones(p.shape, bool)
    if live.traits.classes == SEVERAL:
        known = ~np.isnan(scores.reshape(p.shape))
    found: list[Any] = live.setting.decode(
        costs.decide(np.nan_to_num(p), known, said, names[: p.shape[1]])
    ).tolist()
    return found


def probabilities(learner: AnyLearner, scores: Any) -> dict[str, Any]:
    """The probability of each class, from scores that are its logarithm."""
    from ..core.probabilities import of_scores
    from .probabilities import column, refuse_none

    refuse_none(learner)
    live = learner.begun()
    names = [live.coder.label(c) for c in range(len(live.coder))]
    # one that begins takes the classes that are known for all there are
    unseen = live.coder.unseen(live.t) if live.t else 0.0
    p = of_scores(scores, live.traits.classes, unseen)
    return {column(name): p[:, j] for j, name in enumerate(names)}
