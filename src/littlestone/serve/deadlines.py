"""Decisions that never hear back: when their time to wait is over, the default outcome is told."""

from __future__ import annotations

import asyncio
from functools import partial

from .problems import Problem
from .service import Answer, Service
from .store import now
from .writer import Writer


async def tell_defaults(writer: Writer, every: float = 0.5) -> None:
    """Tell the default outcome of each decision that is overdue, for as long as the service runs.

    The log says which ones they are, so that a restart forgets none.
    """
    while True:
        await asyncio.sleep(every)
        found: list[tuple[str, str]] = []
        try:
            await writer.do(partial(overdue, found=found), "")
            for name, id_ in found:
                await writer.do(partial(expire, name=name, id_=id_), name)
        except Problem:
            continue  # the queue is full: later


def overdue(service: Service, found: list[tuple[str, str]]) -> Answer:
    """Find the decisions that are overdue."""
    found += service.store.overdue(now())
    return 200, {}


def expire(service: Service, name: str, id_: str) -> Answer:
    """The default outcome of one decision."""
    return service.expire(name, id_)
