"""A random client beside a model of what it must see: refusals, repeats, late outcomes, crashes, forks, evictions."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
from serve.torture import LEARNERS, outcome, question

from littlestone.serve.requests import Outcome, Question, Round, Spec, decode
from littlestone.serve.service import Limits, Service
from littlestone.serve.store import ALL, Store

LIMITS = Limits(in_memory=3, snapshot_every=40)


class Wrong(AssertionError):
    """The service did what the model does not allow."""


def typed(body: dict[str, Any], kind: Any) -> Any:
    return decode(msgspec.json.encode(body), kind)


class Machine:
    """Requests in batches; what was answered must stay so, through crashes."""

    def __init__(self, open_log: Callable[[], Store], seed: int) -> None:
        self.open_log, self.r = open_log, random.Random(seed)
        self.answers: dict[tuple[str, str], tuple[dict[str, Any], Any]] = {}
        self.outcomes: dict[tuple[str, str], dict[str, Any]] = {}
        self.names, self.forks = list(LEARNERS), 0
        self.kind = {name: name for name in LEARNERS}
        self.events = dict.fromkeys(LEARNERS, 0)
        self.begin()
        for name, spec in LEARNERS.items():
            made = typed(spec, Spec)
            self.expect(self.run(name, lambda s, n=name, m=made: s.make(n, m)), 201)
        self.commit()

    def begin(self) -> None:
        self.store = self.open_log()
        self.service = Service(self.store, LIMITS)

    def run(self, name: str, operation: Any) -> tuple[int, Any]:
        found = self.service.apply(operation, name)
        if found is None:  # after an exception: in the next batch
            self.commit()
            found = self.service.apply(operation, name)
            assert found is not None
        return found

    def commit(self) -> None:
        batch, _ = self.service.take_batch()
        if batch:
            self.store.commit(batch)
        self.service.after_commit()

    def crash(self) -> None:
        """Memory is gone; only what was committed is there."""
        self.store.close()
        self.begin()

    def expect(self, found: tuple[int, Any], *statuses: int) -> Any:
        if found[0] not in statuses:
            raise Wrong(f"{found} instead of {statuses}")
        return found[1]

    # Steps.

    def step(self) -> None:
        steps = [self.ask] * 6 + [self.tell] * 6 + [
            self.ask_again, self.tell_again, self.tell_otherwise, self.ask_otherwise, self.bad_outcome,
            self.round, self.bad_round, self.unknown, self.explode,
        ]  # fmt: skip
        for _ in range(self.r.randrange(1, 6)):  # one batch
            self.r.choice(steps)()
        self.commit()
        if self.r.random() < 0.05:
            self.fork()
        if self.r.random() < 0.15:
            self.crash()

    def pick(self, known: dict[tuple[str, str], Any]) -> tuple[str, str] | None:
        return self.r.choice(list(known)) if known else None

    def ask(self) -> None:
        name = self.r.choice(self.names)
        id_, body = f"d{len(self.answers)}", question(self.kind[name], self.r)
        asked = typed(body, Question)
        answer = self.expect(self.run(name, lambda s: s.decide(name, id_, asked)), 201)
        self.answers[name, id_] = body, answer
        self.events[name] += 1

    def ask_again(self) -> None:
        if (key := self.pick(self.answers)) is None:
            return
        body, answer = self.answers[key]
        again = self.expect(self.run(key[0], lambda s: s.decide(*key, typed(body, Question))), 200)
        if again != answer:
            raise Wrong(f"{again} instead of {answer}")

    def ask_otherwise(self) -> None:
        if (key := self.pick(self.answers)) is not None:
            other = typed({"x": [0.123] * 4}, Question)
            self.expect(self.run(key[0], lambda s: s.decide(*key, other)), 409)

    def tell(self) -> None:
        waiting = [key for key in self.answers if key not in self.outcomes]
        if waiting:
            key = self.r.choice(waiting)
            told = outcome(self.kind[key[0]], self.r)
            self.expect(self.run(key[0], lambda s: s.tell(*key, typed(told, Outcome))), 201)
            self.outcomes[key] = told
            self.events[key[0]] += 1

    def tell_again(self) -> None:
        if (key := self.pick(self.outcomes)) is not None:
            told = typed(self.outcomes[key], Outcome)
            self.expect(self.run(key[0], lambda s: s.tell(*key, told)), 200)

    def tell_otherwise(self) -> None:
        if (key := self.pick(self.outcomes)) is not None:
            other = (
                {"reward": 0.12345}
                if self.outcomes[key] != {"reward": 0.12345}
                else {"never": True}
            )
            self.expect(self.run(key[0], lambda s: s.tell(*key, typed(other, Outcome))), 409)

    def bad_outcome(self) -> None:
        waiting = [key for key in self.answers if key not in self.outcomes]
        if waiting:
            key = self.r.choice(waiting)
            told = typed({"reward": 777.0}, Outcome)
            self.expect(self.run(key[0], lambda s: s.tell(*key, told)), 422)

    def round(self) -> None:
        name = self.r.choice(self.names)
        id_, asked = f"d{len(self.answers)}", question(self.kind[name], self.r)
        told = outcome(self.kind[name], self.r)
        whole = typed({"id": id_, "outcome": told, **asked}, Round)
        answer = self.expect(
            self.run(name, lambda s: s.play_round(name, whole.id, whole.question(), whole.outcome)),
            201,
        )
        self.answers[name, id_], self.outcomes[name, id_] = (asked, answer), told
        self.events[name] += 2

    def bad_round(self) -> None:
        name = self.r.choice(self.names)
        whole = typed(
            {"id": "bad", "outcome": {"reward": 777.0}, **question(self.kind[name], self.r)}, Round
        )
        self.expect(
            self.run(name, lambda s: s.play_round(name, whole.id, whole.question(), whole.outcome)),
            422,
        )
        self.expect(self.run(name, lambda s: s.look_up(name, "bad")), 404)

    def unknown(self) -> None:
        name = self.r.choice(self.names)
        told = typed({"never": True}, Outcome)
        self.expect(self.run(name, lambda s: s.tell(name, "nobody", told)), 404)

    def explode(self) -> None:
        """An exception that nobody expects, with the learner half changed."""
        name = self.r.choice(self.names)
        asked = typed(question(self.kind[name], self.r), Question)

        def bad(service: Service) -> Any:
            service.decide(name, "lost", asked)
            raise RuntimeError("planted")

        self.expect(self.run(name, bad), 500)
        self.expect(self.run(name, lambda s: s.look_up(name, "lost")), 404)

    def fork(self) -> None:
        name = self.r.choice(list(LEARNERS))
        seq, new = self.r.randrange(self.events[name] + 1), f"fork{self.forks}"
        self.forks += 1
        self.expect(self.run(name, lambda s: s.fork(name, new, seq)), 201)
        self.commit()
        found = self.expect(self.run(new, lambda s: s.read(new, True)), 200)
        if found["events"] != seq or found["learner"] != LEARNERS[name]["learner"]:
            raise Wrong(f"{found} instead of {seq} events")

    # What must hold at any time.

    def check(self) -> None:
        self.commit()
        for row in self.store.learners():
            memory = self.service.entry(row.name)
            whole = self.service.load(row, snapshots=False)
            short = self.service.load(row)
            for other in (whole, short):
                if memory.learner.digest(tickets=True) != other.learner.digest(tickets=True):
                    raise Wrong(f"{row.name}: memory is not what the log says")
                if memory.totals != other.totals or memory.seq != other.seq:
                    raise Wrong(f"{row.name}: {memory.totals} and {other.totals}")
            rounds = {t.round for t in whole.learner.tickets}
            if rounds != {o.round for o in self.store.open(row.id, limit=ALL)}:
                raise Wrong(f"{row.name}: open decisions")
            if row.name in self.events and memory.seq != self.events[row.name]:
                raise Wrong(f"{row.name}: {memory.seq} events instead of {self.events[row.name]}")
        for (name, id_), (_, answer) in self.answers.items():
            found = self.expect(self.run(name, lambda s, n=name, i=id_: s.look_up(n, i)), 200)
            if {k: v for k, v in found.items() if k != "outcome"} != answer:
                raise Wrong(f"{name} {id_}: {found} instead of {answer}")
            if (found["outcome"] is None) != ((name, id_) not in self.outcomes):
                raise Wrong(f"{name} {id_}: outcome {found['outcome']}")

    def play(self, steps: int) -> None:
        for i in range(steps):
            self.step()
            if i % 50 == 49:
                self.check()
        self.crash()
        self.check()
        self.store.close()
