"""What is read from the log: its lines, open decisions, and the mean as rounds went by."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from .problems import Problem
from .requests import encode
from .service import DELAYS
from .store import ACTIVATED, DECIDED, KEYED, RESUMED, TOLD, LearnerRow, Store, now

PIECE = 1000  # events that are read at a time
WORDS = {DECIDED: "decision", TOLD: "outcome", ACTIVATED: "activation", RESUMED: "resumed"}


def learner_row(reader: Store, name: str) -> LearnerRow:
    """The row of a learner, or a problem."""
    row = reader.learner(name)
    if row is None:
        raise Problem(404, "unknown learner", f"there is no learner {name!r}")
    return row


def last_event(reader: Store, learner: int) -> int:
    """The number of a learner's last event."""
    return reader.number("select coalesce(max(seq), 0) from event where learner=?", (learner,))


def log_lines(reader: Store, learner: int, after: int) -> tuple[int, bytes]:
    """The next lines of a log, one JSON object an event, and the number of the last of them."""
    rows, seq = [], after
    for event in reader.events(learner, after, PIECE):
        seq = event.seq
        if event.kind == KEYED:  # how a request was answered; what it did has events of its own
            continue
        held: dict[str, Any] = msgspec.json.decode(event.body)
        line = {
            "seq": seq,
            "event": WORDS[event.kind],
            "id": event.id,
            "round": event.round,
            "at": event.at,
            **held,
        }
        rows.append(encode(line))
    return seq, b"".join(row + b"\n" for row in rows)


def open_decisions(
    reader: Store, name: str, after: int, limit: int
) -> tuple[int, dict[str, object]]:
    """Decisions whose outcome is not known yet, in the order of their rounds."""
    row = learner_row(reader, name)
    found = reader.open(row.id, after, limit)
    rows = [
        {"id": o.id, "round": o.round, "at": o.at, "age": now() - o.at, "deadline": o.deadline}
        for o in found
    ]
    more = found[-1].round if len(found) == limit else None
    return 200, {"decisions": rows, "after": more}


def ages(reader: Store, learner: int) -> dict[str, int]:
    """How many of the open decisions, the oldest thousand of them, are of each class of age."""
    at, found = now(), Counter[str]()
    for one in reader.open(learner):
        found[str(sum(at - one.at >= limit for limit in DELAYS))] += 1
    return dict(found)


def history(reader: Store, name: str, points: int) -> tuple[int, dict[str, object]]:
    """The mean cost as outcomes came: at most so many points, each over the outcomes up to it."""
    row = learner_row(reader, name)
    last = last_event(reader, row.id)
    step = max(1, -(-last // max(1, points)))
    text = (
        "select max(seq), count(cost), sum(cost), max(at) from event "
        "where learner=? and cost is not null group by seq/? order by 1"
    )
    seqs, means, at, n, total = [], [], [], 0, 0.0
    for seq, count, cost, when in reader.rows(text, (row.id, step)):
        n, total = n + int(str(count)), total + float(str(cost))
        seqs.append(seq)
        means.append(total / n)
        at.append(when)
    return 200, {"events": last, "seq": seqs, "mean": means, "at": at}
