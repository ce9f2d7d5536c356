"""What the page shows: numbers that are published after each commit, sent once a second as server-sent events."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool

from .certificates import Read, theorems
from .compile_kind import Compilation
from .log_lines import WORDS, ages
from .metrics import commit_quantile
from .requests import encode
from .service import DELAYS, Answer, Entry, Service
from .store import Event, Store, now
from .writer import Writer

MOST_SHOWN = 200  # learners, those that changed last
TAIL = 12  # events of one learner
JUDGED = 3  # learners a second
LISTENERS = 100


class Feed:
    """The numbers of learners as of their last commit."""

    def __init__(
        self, service: Service, writer: Writer, reader: Store, read: Read, compilation: Compilation
    ) -> None:
        self.service, self.writer, self.reader, self.read = service, writer, reader, read
        self.compilation = compilation
        self.shown: OrderedDict[str, dict[str, object]] = OrderedDict()
        self.tails: dict[str, deque[dict[str, object]]] = {}
        self.rates: dict[str, deque[tuple[float, int]]] = {}
        self.claims: dict[str, tuple[int, dict[str, object]]] = {}  # by event
        self.listeners = 0
        self.closed = asyncio.Event()

    def close(self) -> None:
        """End every stream."""
        self.closed.set()

    def publish(self, entries: list[Entry], events: list[Event]) -> None:
        """Take over what a commit has changed."""
        for entry in entries:
            name = entry.row.name
            self.shown[name] = {**self.service.describe(entry), "oldest": self.oldest(entry)}
            self.shown.move_to_end(name)
            rate = self.rates.setdefault(name, deque(maxlen=60))
            if not rate or now() - rate[-1][0] >= 1.0:
                rate.append((now(), entry.learner.live.t))
        for event in events[-TAIL * 4 :]:
            if event.kind not in WORDS:
                continue
            held = {
                "seq": event.seq,
                "kind": event.kind,
                "id": event.id,
                "at": event.at,
                "body": event.body.decode(),
            }
            self.tails.setdefault(str(event.learner), deque(maxlen=TAIL)).append(held)
        while len(self.shown) > MOST_SHOWN:
            name, _ = self.shown.popitem(last=False)
            self.rates.pop(name, None)
            self.claims.pop(name, None)

    def oldest(self, entry: Entry) -> int | None:
        """The round of the oldest open decision."""
        held = entry.learner.live.tickets.held
        return next(iter(held), None)

    def per_second(self, name: str) -> float:
        """Rounds a second, over the last minute."""
        rate = self.rates.get(name)
        if not rate or len(rate) < 2:
            return 0.0
        (t0, n0), (t1, n1) = rate[0], rate[-1]
        return (n1 - n0) / max(now() - t0, 1.0) if now() - t1 < 10 else 0.0

    async def events(self, name: str | None) -> AsyncIterator[bytes]:
        """The stream of one listener, about one learner or about all."""
        self.listeners += 1
        if name is not None:
            await self.show(name)
        try:
            while not self.closed.is_set():
                found = await self.all() if name is None else await self.one(name)
                yield b"data: " + encode(found) + b"\n\n"
                await self.pause()
        finally:
            self.listeners -= 1

    async def show(self, name: str) -> None:
        """Show a learner as it is in the log; it is loaded where it is not in memory."""

        def look(service: Service) -> Answer:
            entry = service.entry(name)
            tail = str(entry.row.id) in self.tails
            found = [] if tail else service.store.last_events(entry.row.id, TAIL)
            self.publish([entry], found)
            return 200, {}

        await self.writer.do(look, name)

    async def forget(self, name: str) -> None:
        """Let go of what was shown of a learner, and show it anew."""
        self.shown.pop(name, None)
        self.claims.pop(name, None)

        def look(service: Service) -> Answer:
            self.tails.pop(str(service.entry(name).row.id), None)
            return 200, {}

        await self.writer.do(look, name)
        await self.show(name)

    async def show_first(self, names: list[str]) -> None:
        """After a start: show learners that nobody has used yet."""
        for name in names:
            await self.show(name)

    async def pause(self) -> None:
        """Wait a second, or until the service ends."""
        try:
            await asyncio.wait_for(self.closed.wait(), 1.0)
        except TimeoutError:
            return

    async def all(self) -> dict[str, object]:
        """All learners that were used lately, and the service itself; theorems of a few of them are judged anew."""
        kept = [
            n
            for n in self.shown
            if (e := self.service.entries.get(n)) and e.learner.live.books is not None
        ]
        for name in sorted(kept, key=lambda n: self.claims.get(n, (0, {}))[0])[:JUDGED]:
            await self.certify(name, self.service.entries[name])
        rows = [
            {**row, "per_second": self.per_second(name), **self.claim(name)}
            for name, row in self.shown.items()
        ]
        service = {
            "learners": self.service.count,
            "queue": len(self.writer.queue),
            "commit_p99": commit_quantile(self.writer, 0.99),
            "requests": self.writer.requests,
            "bytes": self.service.store.size(),
            "not_warm": len(self.compilation.waiting),
        }
        return {"at": now(), "service": service, "learners": rows[::-1]}

    def claim(self, name: str) -> dict[str, object]:
        """The regret, the bound and the verdict that were computed last."""
        found = self.claims.get(name)
        keys = ("regret", "bound", "verdict", "certified")
        return {} if found is None else {k: found[1].get(k) for k in keys}

    async def one(self, name: str) -> dict[str, object]:
        """One learner, with its shares, the tail of its log, and what can be claimed of it."""
        entry = self.service.entries.get(name)
        if entry is None:
            return {"at": now(), "gone": True}
        row = self.shown.get(name) or self.service.describe(entry)
        await self.certify(name, entry, curve=True)
        known = self.claims.get(name)
        return {
            "at": now(),
            "learner": {**row, "per_second": self.per_second(name)},
            "shares": self.service.shares(entry),
            "arms": entry.totals.arms,
            "delays": by_class(entry.totals.delays),
            "ages": by_class(await self.read(lambda: ages(self.reader, entry.row.id))),
            "tail": list(self.tails.get(str(entry.row.id), ())),
            "certificate": None if known is None else {"event": known[0], **known[1]},
        }

    async def certify(self, name: str, entry: Entry, curve: bool = False) -> None:
        """Judge the theorems of a copy, off the writer, where books are kept and something has changed."""
        if entry.learner.live.books is None:
            return
        before = self.claims.get(name)
        if before is not None and before[0] == entry.seq and (not curve or "curve" in before[1]):
            return
        seq, copy = entry.seq, entry.learner.__copy__()
        self.claims[name] = seq, await run_in_threadpool(theorems, copy, curve)


def by_class(counts: dict[str, int]) -> list[list[object]]:
    """How many there are of each class of seconds: those below each limit, and the rest.

    >>> by_class({"0": 3, "6": 1})[:2]
    [[1.0, 3], [10.0, 0]]
    """
    return [[limit, counts.get(str(i), 0)] for i, limit in enumerate([*DELAYS, None])]
