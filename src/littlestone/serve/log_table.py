"""The log as a table: a row a decision whose outcome is known, as Parquet, which `ls.play` and `offpolicy` read.

bandits     arm, propensity, and reward or loss; the features of the context under their names
experts     the advice of each under its name, and y; or the loss of each under its name
examples    the features under their names, and y
of all      log.id, log.round, log.at, log.told (seconds since 1970), log.prediction
"""

from __future__ import annotations

import io
from typing import Any

from .log_lines import last_event, learner_row
from .problems import Problem
from .requests import Spec
from .service import LOGGED, SETTLED, SPEC, Logged
from .store import DECIDED, TOLD, Event, Store

MOST_EVENTS = 1_000_000  # in one table


def log_table(reader: Store, name: str, after: int) -> bytes:
    """The decisions behind event `after` whose outcome is known, as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = table_rows(reader, name, after)
    columns: dict[str, list[Any]] = {}
    for row in rows:
        columns |= {column: [] for column in row if column not in columns}
    for column, values in columns.items():
        values += [row.get(column) for row in rows]
    table = pa.table({k: array(v) for k, v in columns.items()})
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def array(values: list[Any]) -> Any:
    """A column; where it holds both numbers and text it is text."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if v is None else str(v) for v in values])


def table_rows(reader: Store, name: str, after: int) -> list[dict[str, Any]]:
    """The rows, in the order of the decisions."""
    row = learner_row(reader, name)
    if last_event(reader, row.id) - after > MOST_EVENTS:
        raise Problem(
            413, "log too long", f"a table has at most {MOST_EVENTS:,} events: say after=, or take log.ndjson",
            field="after", value=after,
        )  # fmt: skip
    spec = SPEC.decode(row.spec)
    decided: dict[str, tuple[Event, Logged]] = {}
    found: dict[int, dict[str, Any]] = {}
    for event in reader.events(row.id, after):
        if event.kind == DECIDED:
            decided[event.id] = event, LOGGED.decode(event.body)
        elif event.kind == TOLD and event.id in decided:
            asked, logged = decided.pop(event.id)
            outcome = SETTLED.decode(event.body).outcome
            if outcome.never:
                continue
            found[asked.seq] = {
                "log.id": asked.id, "log.round": asked.round, "log.at": asked.at, "log.told": event.at,
                **answered(logged, outcome), **given(spec, logged.question.x),
            }  # fmt: skip
    return [found[seq] for seq in sorted(found)]


def answered(logged: Logged, outcome: Any) -> dict[str, Any]:
    """What was decided, and what became of it."""
    said, answer = {}, logged.answer
    if "probability" in answer:
        said = {"arm": answer["prediction"], "propensity": answer["probability"]}
    elif not isinstance(answer["prediction"], (list, dict)):
        said = {"log.prediction": answer["prediction"]}
    if isinstance(outcome.loss, dict):
        said |= outcome.loss
    elif isinstance(outcome.loss, list):
        said |= {f"x{i}": v for i, v in enumerate(outcome.loss)}
    elif outcome.loss is not None:
        said["loss"] = outcome.loss
    if outcome.reward is not None:
        said["reward"] = outcome.reward
    if outcome.y is not None:
        said["y"] = outcome.y
    if outcome.importance is not None:
        said["log.importance"] = outcome.importance
    return said


def given(spec: Spec, x: Any) -> dict[str, Any]:
    """What was known of the round, by name."""
    if x is None:
        return {}
    if isinstance(x, dict):
        return x
    if not isinstance(x, list):
        return {"x": x}
    names: Any = spec.features if isinstance(spec.features, list) else spec.names
    if not isinstance(names, list) or len(names) != len(x):
        names = [f"x{i}" for i in range(len(x))]
    return dict(zip(names, x, strict=True))
