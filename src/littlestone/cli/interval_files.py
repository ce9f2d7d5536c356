"""Files of intervals at the command line: what --load brings back, and `predict` with one."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from ..conformal.sets.chain import Chain, Piece
from ..core.errors import BadInput
from ..core.registry import learner as by_key
from ..core.stream import Array, Batch
from ..live import store
from ..play.rounds import open_table
from . import play, write
from .command_options import CommandOptions
from .interval_columns import limits
from .predict import NONE
from .predict_by_key import COLD, ROW, note_on_new_keys


def load_chains(options: CommandOptions) -> dict[Any, Chain] | None:
    """The chains of --load by key; one alone has the key None."""
    if options.load is None:
        return None
    found = store.load(options.load)
    if isinstance(found, Chain):
        if options.by_column:
            raise BadInput(
                f"--load and --by: {options.load} holds intervals of all rows, not of each key; leave --by out"
            )
        return {None: found}
    if not isinstance(found, dict) or not all(isinstance(v, Chain) for v in found.values()):
        raise BadInput(
            f"{options.load} holds a learner, and no intervals: littlestone run FILE --load {options.load}"
        )
    if not options.by_column:
        raise BadInput(
            f"{options.load} holds intervals of {len(found):,} keys: say which column holds the keys, with --by"
        )
    return found


def predict(options: CommandOptions) -> None:
    """Write the intervals of the rows of FILE, which come after those that were learned from."""
    chains = load_chains(options)
    assert chains is not None
    if options.file is None:
        raise BadInput(
            "which rows? Name a FILE with the columns of the forecasts, or - for standard input"
        )
    if options.probabilities:
        raise BadInput("--probabilities: intervals have none")
    if options.id is not None and options.by_column is not None:
        raise BadInput("--id and --by: with --by the key is written beside each prediction")
    with play.parse_once(options.file, options) as file:
        assert file is not None
        with play.errors_name(file, options.name, options.id):
            request = play.request_for(by_key("tracker"), options, file)
            names = list(next(iter(chains.values())).names)
            request = request.read_with(
                experts=names, outcome=NONE, by=options.by_column or options.id, optional=True, labels=False,
                features=None, losses=False,
            )  # fmt: skip
            stream = open_table(request)
            ahead, new = dict.fromkeys(chains, 0), dict[Any, int]()
            with write.Predictions(options.predictions, options.id) as out:
                assert out is not None
                for batch in stream.batches:
                    times = stream.times
                    times = None if times is None or len(times) != len(batch.y) else times
                    out.put(rows(chains, batch, times, ahead, new, options))
    if new:
        click.echo(
            f"note: {note_on_new_keys(str(options.by_column), new, 'the mean of its forecasts, and no limits')}",
            err=True,
        )


def rows(
    chains: dict[Any, Chain],
    batch: Batch,
    times: Any,
    ahead: dict[Any, int],
    new: dict[Any, int],
    options: CommandOptions,
) -> dict[str, Any]:
    """The columns that are written for a batch; `ahead`: rows of each key before it.

    `new`: keys of which nothing was learned, and how many rows they have.
    """
    cold = np.zeros(len(batch.y), bool)
    made: dict[str, Any] = {ROW: np.arange(len(batch.y)) + batch.first + 1}
    if batch.key is not None:
        key_column = options.by_column or options.id
        made["id" if key_column in (ROW, "forecast", "lower", "upper") else str(key_column)] = list(
            batch.key
        )
    said: list[tuple[Any, Piece]] = []
    keys = None if options.by_column is None else batch.key
    for key in chains if keys is None else list(dict.fromkeys(keys.tolist())):
        own: Any = slice(None) if keys is None else keys == key
        x = np.ascontiguousarray(batch.x[own])
        if key not in chains:
            cold[own], new[key] = True, new.get(key, 0) + len(x)
            said.append((own, first_answer(next(iter(chains.values())), x)))
            continue
        piece = chains[key].predict(
            x, None if times is None else times[own], ahead[key], batch.first
        )
        ahead[key] += len(x)
        said.append((own, piece))
    made |= limits(said, len(batch.y))
    return made if options.by_column is None else {**made, COLD: cold.tolist()}


def first_answer(chain: Chain, x: Array) -> Piece:
    """What can be said of a key of which nothing was learned: the mean of its forecasts, and intervals without end."""
    awake = ~np.isnan(x)
    count = awake.sum(axis=1)
    mean = np.where(awake, x, 0.0).sum(axis=1) / np.maximum(count, 1)
    forecast = np.where(count > 0, mean, np.nan)
    low, high = (np.where(count > 0, end, np.nan) for end in (-np.inf, np.inf))
    return Piece(forecast, dict.fromkeys(chain.stages, low), dict.fromkeys(chain.stages, high))
