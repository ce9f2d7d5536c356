"""Remove the decisions of one person: from the log, and from what was learned.

What is known of a round, its id and its outcome are taken out of the log, and the snapshots are deleted. Then the log
says: these rounds were decided, and nobody ever heard of them. The learner is loaded from it again, so that it is what
it would be had their outcomes never come. Answers that others were given stay as they were.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.errors import LittlestoneError
from ..core.vectors import Sparse
from ..live.tickets import Ticket
from .problems import Problem
from .requests import Outcome, Question, Removal, encode
from .service import LOGGED, SETTLED, Answer, Entry, Logged, Service, Settled
from .store import ACTIVATED, DECIDED, KEYED, TOLD, Event, now


def remove(service: Service, name: str, removal: Removal, actor: str) -> Answer:
    """Remove decisions from the log of a learner, and forget what it learned from them."""
    entry = service.entry(name)
    if not removal.ids and removal.prefix is None:
        raise Problem(422, "nothing to remove", 'say "ids" or "prefix"', field="ids", value=[])
    ids = {e.id for e in events_of(service, entry) if e.kind == DECIDED and is_meant(e.id, removal)}
    missing = [id_ for id_ in removal.ids if id_ not in ids]
    if missing:
        raise Problem(
            404, "unknown decision", f"{name!r} was not asked for a decision {missing[0]!r}; nothing was removed",
            field="ids", value=missing[0],
        )  # fmt: skip
    for id_ in ids:
        decided = service.known(entry, DECIDED, id_)
        if decided is not None and service.known(entry, TOLD, id_) is None:
            service.tell(name, id_, Outcome(never=True))
    events = list(events_of(service, entry))
    names = {word for e in events if e.kind == DECIDED and e.id not in ids for word in words(e)}
    blanked = [blank(entry, e, names) for e in events if e.kind == KEYED or e.id in ids]
    service.batch.blanked += blanked
    service.batch.forgotten.append((entry.row.id,))
    service.batch.audit.append((now(), actor, "remove", f"{name}: {len(ids)} decisions"))
    service.broken.add(name)  # it is loaded from the log again
    return 200, {"removed": len(ids), "events": entry.seq}


def is_meant(id_: str, removal: Removal) -> bool:
    """Is it a decision of this person?"""
    return id_ in removal.ids or (removal.prefix is not None and id_.startswith(removal.prefix))


def events_of(service: Service, entry: Entry) -> Iterable[Event]:
    """All events of a learner, those that are not committed yet included."""
    yield from service.store.events(entry.row.id)
    yield from [e for e in service.batch.events if e.learner == entry.row.id]


def words(event: Event) -> Iterable[str]:
    """The names of features that a question may have brought: of numbers, and of values of text."""
    x = LOGGED.decode(event.body).question.x
    for name, v in x.items() if isinstance(x, dict) else ():
        yield name
        yield f"{name}={v}"


def blank(entry: Entry, event: Event, names: set[str]) -> Event:
    """What stands in the log instead; `names`: those of features that others have, too."""
    id_ = f"removed-{event.kind}-{event.seq}"
    if event.kind in (KEYED, ACTIVATED):
        return event._replace(id=id_, body=b"{}")
    id_ = f"removed-{event.round}"  # of the decision and of its outcome
    if event.kind == TOLD:
        expired = SETTLED.decode(event.body).expired
        return event._replace(id=id_, body=encode(Settled(Outcome(never=True), expired)), cost=None)
    logged = LOGGED.decode(event.body)
    kept: dict[str, Any] = {**logged.answer, "id": id_}
    body = encode(Logged(Question(), kept, logged.beside))
    assert event.ticket is not None
    ticket = Ticket.from_bytes(event.ticket)
    live = entry.learner.live
    if live is not None and live.setting.means is not None:  # no number of it counts in a mean
        ticket.names = {"gaps": list(range(live.setting.means.columns))}
    elif ticket.names is not None:
        ticket.names = {k: renamed(v, names, event.seq) for k, v in ticket.names.items()}
    middle = 0.0 if entry.spec.interval is None else 0.5 * sum(entry.spec.interval)
    raw = replace(ticket, x=nothing(ticket.x, middle)).to_bytes()
    return event._replace(id=id_, body=body, ticket=raw)


def renamed(v: Any, names: set[str], seq: int) -> Any:
    """Names that came with a round; those that no other round has are replaced."""
    if not isinstance(v, list):
        return v
    return [one if one in names else f"removed {seq}.{i}" for i, one in enumerate(v)]


def nothing(x: Any, middle: float) -> Any:
    """A round of the same form that says nothing."""
    if isinstance(x, Sparse):
        return Sparse(x.index[:0], x.value[:0])
    if isinstance(x, np.ndarray):
        return np.full_like(x, middle)
    if isinstance(x, tuple):
        return tuple(nothing(part, middle) for part in x)
    if x is None or isinstance(x, int):
        return x
    raise LittlestoneError(f"a round of {type(x).__name__} cannot be removed")
