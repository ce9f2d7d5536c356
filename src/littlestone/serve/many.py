"""Many operations on one learner in one request, and requests that were sent twice under one key."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import msgspec

from ..core.errors import LittlestoneError
from .problems import Problem, refused_by_learner
from .requests import Operation, checked_name
from .service import Answer, Service
from .store import KEYED


class Kept(msgspec.Struct):
    """The body of an event KEYED: what a request under this key was, and how it was answered."""

    digest: str
    status: int
    answer: dict[str, object]


KEPT = msgspec.json.Decoder(Kept)


def do_all(service: Service, name: str, operations: list[Operation]) -> Answer:
    """Do operations in their order; each is answered by itself, and one that is refused changes nothing."""
    service.entry(name)
    return 200, {"results": [do_one(service, name, one) for one in operations]}


def do_one(service: Service, name: str, one: Operation) -> dict[str, object]:
    """One of them: its status, and its answer or its problem."""
    try:
        status, found = done(service, name, one)
    except Problem as problem:
        status, found = problem.status, problem.body()
    except LittlestoneError as refusal:
        status, found = refused_by_learner(refusal).status, refused_by_learner(refusal).body()
    return {**found, "id": one.id, "status": status}


def done(service: Service, name: str, one: Operation) -> Answer:
    """Do what one operation says."""
    id_ = checked_name(one.id, "id")
    if one.tell is not None:
        one.tell.check()
    if one.activate and one.decide is None and one.tell is None:
        return service.activate(name, id_)
    if one.activate or (one.decide is None and one.tell is None):
        raise Problem(
            422, "no operation", 'say "decide", "tell", both of them, or "activate": true', field="id", value=id_
        )  # fmt: skip
    if one.decide is None:
        assert one.tell is not None
        return service.tell(name, id_, one.tell)
    if one.tell is None:
        return service.decide(name, id_, one.decide)
    return service.play_round(name, id_, one.decide, one.tell)


def fingerprint(method: str, path: str, raw: bytes) -> str:
    """What tells two requests under one key apart."""
    return hashlib.sha256(b"\n".join([method.encode(), path.encode(), raw])).hexdigest()


def once(
    service: Service, name: str, key: str, digest: str, operation: Callable[[Service], Answer]
) -> Answer:
    """Do what a request asks for, once for each Idempotency-Key; the answer is kept in the log."""
    entry = service.entry(name)
    id_ = f"{entry.row.id}:{key}"  # a fork has the events of another learner, and keys of its own
    before = service.known(entry, KEYED, id_)
    if before is not None:
        kept = KEPT.decode(before.body)
        if kept.digest != digest:
            raise Problem(
                422, "key was used", f"another request had the Idempotency-Key {key!r}",
                field="Idempotency-Key", value=key,
            )  # fmt: skip
        return kept.status, kept.answer
    status, answer = operation(service)
    body = msgspec.json.encode(Kept(digest, status, answer))
    service.write(entry, KEYED, id_, -1, body, None, None)
    return status, answer
