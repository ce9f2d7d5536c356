"""Learners in memory, and what an operation does to one of them: it is applied, and written into the batch.

A learner in memory is a cache of its log. One that is not there is loaded: the newest snapshot of this engine, and the
events after it, by their tickets, so that no answer that was given is asked again. Nothing here waits or answers.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import msgspec

from ..core.errors import LittlestoneError
from ..engine.memory import arrays
from ..live.tickets import Ticket
from .problems import Problem, refused_by_learner
from .requests import Outcome, Question, Spec, encode
from .rounds import AnyLearner, answer_of, as_json, ask, begin, cost_of, measure, not_loaded, tell
from .snapshots import keep_open, state_bytes, whole_snapshot
from .store import (
    ACTIVATED,
    DECIDED,
    RESUMED,
    TOLD,
    Batch,
    Event,
    LearnerRow,
    Opened,
    Snapshot,
    Store,
    now,
)
from .trial import Beside, Trial, choose, described, settle

Answer = tuple[int, dict[str, object]]
DELAYS = (1.0, 10.0, 60.0, 600.0, 3600.0, 86400.0)  # seconds: classes of delays and ages
SNAPSHOT_AT_LEAST = 100  # events between two snapshots
EVENT_BYTES = 64  # so much of the writing of snapshots falls to each event


class Limits(msgspec.Struct):
    """How much a service takes on."""

    learners: int = 100_000
    in_memory: int = 10_000  # learners that are kept in memory
    state: int = 64 << 20  # bytes of one learner
    snapshot_every: int = 1000  # events of a learner, at most
    open: int = 200_000  # decisions of one learner that wait for their outcome


class Totals(msgspec.Struct):
    """What is counted of a learner beside its state."""

    told: int = 0
    never: int = 0
    expired: int = 0
    costed: int = 0
    cost: float = 0.0
    rewards: bool = False  # were outcomes told as rewards?
    arms: dict[str, list[float]] = {}  # of each arm: pulled, told, cost
    delays: dict[str, int] = {}  # outcomes by how late they came: of each class of DELAYS
    trial: Trial | None = None  # beside a baseline
    rang: int = 0  # the event with which the alarm rang


class Logged(msgspec.Struct, omit_defaults=True):
    """The body of an event DECIDED."""

    question: Question
    answer: dict[str, Any]
    beside: Beside | None = None


class Settled(msgspec.Struct, omit_defaults=True):
    """The body of an event TOLD."""

    outcome: Outcome
    expired: bool = False


LOGGED, SETTLED = msgspec.json.Decoder(Logged), msgspec.json.Decoder(Settled)
TOTALS, SPEC = msgspec.json.Decoder(Totals), msgspec.json.Decoder(Spec)


class Entry:
    """A learner in memory, after its event `seq`."""

    __slots__ = ("changes", "engine", "learner", "row", "saved", "seq", "size", "spec", "totals")

    def __init__(self, row: LearnerRow, spec: Spec, learner: AnyLearner, engine: int) -> None:
        self.row, self.spec, self.learner, self.engine = row, spec, learner, engine
        self.seq = self.saved = self.size = 0
        self.totals = Totals(trial=None if spec.baseline is None else Trial())
        self.changes: list[str] = []  # what is to be reported once it is committed

    @property
    def open(self) -> int:
        """How many decisions are open."""
        return len(self.learner.live.tickets)

    def ticket_id(self, round_: int) -> str:
        """The id of the ticket of a round."""
        return f"{self.row.mark:x}-{round_}"


class Service:
    """All learners of one log."""

    def __init__(self, store: Store, limits: Limits | None = None) -> None:
        self.store, self.limits = store, limits or Limits()
        self.entries: OrderedDict[str, Entry] = OrderedDict()
        self.dirty: dict[str, Entry] = {}  # changed since the last commit
        self.broken: set[str] = set()  # to be loaded again
        self.batch = Batch()
        self.fresh: dict[tuple[int, int, str], Event] = {}  # events of this batch
        self.made: dict[str, LearnerRow] = {}  # learners of this batch
        self.next_id = store.last_learner() + 1
        self.count = store.count_learners()
        self.loads = self.replayed = self.evicted = 0

    # A batch.

    def apply(self, operation: Callable[[Service], Answer], name: str) -> Answer | None:
        """Do an operation in memory, and return what to answer once it is committed; None: in the next batch.

        What a learner refuses changes nothing. Any other exception is ours: the learner may be half changed, and is
        loaded from its log again.
        """
        if name in self.broken:
            return None
        written = self.batch.lengths()
        try:
            return operation(self)
        except Problem as problem:
            return problem.status, problem.body()
        except LittlestoneError as refusal:
            found = refused_by_learner(refusal)
            return found.status, found.body()
        except Exception as problem:
            traceback.print_exc(file=sys.stderr)
            self.broken.add(name)
            for event in self.batch.cut_off(written):
                self.fresh.pop((event.learner, event.kind, event.id), None)
            self.made.pop(name, None)
            return 500, Problem(500, "internal error", type(problem).__name__).body()

    def take_batch(self) -> tuple[Batch, list[Entry]]:
        """What is to be committed now, with the snapshots that are due, and the learners that it is about."""
        for name, entry in self.dirty.items():
            if entry.seq - entry.saved >= self.snapshot_every(entry) and name not in self.broken:
                self.snapshot(entry)
        while len(self.entries) > self.limits.in_memory:
            name, entry = self.entries.popitem(last=False)
            if entry.seq > entry.saved and name not in self.broken:
                self.snapshot(entry)
            self.evicted += 1
        batch, dirty = self.batch, list(self.dirty.values())
        self.batch, self.dirty, self.fresh, self.made = Batch(), {}, {}, {}
        return batch, dirty

    def after_commit(self) -> None:
        """Forget the learners that an exception may have left half changed."""
        for name in self.broken:
            self.entries.pop(name, None)
        self.broken.clear()

    def snapshot_all(self) -> None:
        """Put a snapshot of every learner that has changed into the batch, before the service ends."""
        for entry in self.entries.values():
            if entry.seq > entry.saved:
                self.snapshot(entry)

    def snapshot_every(self, entry: Entry) -> int:
        """After how many events: a small learner is loaded in milliseconds, a large one is not written all the time."""
        return min(self.limits.snapshot_every, max(SNAPSHOT_AT_LEAST, entry.size // EVENT_BYTES))

    def snapshot(self, entry: Entry) -> None:
        body = state_bytes(entry.learner)
        entry.size = sum(array.nbytes for array in arrays(entry.learner.live.state))
        entry.saved = entry.seq
        digest = entry.learner.digest()
        row = entry.row.id, entry.seq, body, digest, encode(entry.totals), entry.engine
        self.batch.snapshots.append(Snapshot(*row))

    # Loading.

    def entry(self, name: str) -> Entry:
        """The learner of this name."""
        found = self.entries.get(name)
        if found is None:
            row = self.store.learner(name)
            if row is None:
                raise Problem(404, "unknown learner", f"there is no learner {name!r}")
            try:
                found = self.load(row)
            except LittlestoneError as problem:
                raise not_loaded(name, problem) from None
            self.entries[name] = found
        self.entries.move_to_end(name)
        return found

    def load(self, row: LearnerRow, snapshots: bool = True, until: int = 1 << 62) -> Entry:
        """A learner from its newest snapshot and the events after it, or from its first event; up to event `until`."""
        spec = SPEC.decode(row.spec)
        learner = begin(spec, row.mark)
        entry = Entry(row, spec, learner, self.store.engine(learner.live.engine))
        for saved in self.store.snapshots(row.id) if snapshots else ():
            if saved.engine != entry.engine or saved.seq > until:
                continue  # another engine computes other bits: replay
            found = whole_snapshot(saved)
            if found is None:
                print(f"{row.name}: the snapshot of event {saved.seq} is damaged", file=sys.stderr)
                continue
            keep_open(found, self.store.open_tickets(row.id, saved.seq))
            entry.learner, entry.seq = found, saved.seq
            entry.totals = TOTALS.decode(saved.totals)
            break
        entry.saved = entry.seq
        for event in self.store.events(row.id, entry.seq):
            if event.seq > until:
                break
            self.replay(entry, event)
        entry.changes.clear()  # they were reported when they happened
        self.loads += 1
        return entry

    def replay(self, entry: Entry, event: Event) -> None:
        """Do an event of the log again; what was answered is not asked again."""
        if event.kind == DECIDED:
            assert event.ticket is not None
            entry.learner.reopen(Ticket.from_bytes(event.ticket))
            self.count_decision(entry, LOGGED.decode(event.body).answer)
        elif event.kind == TOLD:
            settled = SETTLED.decode(event.body)
            tell(entry.learner, entry.ticket_id(event.round), settled.outcome)
            decided = self.store.event(event.learner, DECIDED, event.id)
            assert decided is not None
            self.count_outcome(entry, decided, event, settled)
        elif event.kind == RESUMED:
            entry.totals.trial = resumed(entry.totals.trial)
        entry.seq = event.seq
        self.replayed += 1

    def known(self, entry: Entry, kind: int, id_: str) -> Event | None:
        """What happened to a decision, in the log or in this batch."""
        found = self.fresh.get((entry.row.id, kind, id_))
        return self.store.event(entry.row.id, kind, id_) if found is None else found

    def write(
        self,
        entry: Entry,
        kind: int,
        id_: str,
        round_: int,
        body: bytes,
        ticket: bytes | None,
        cost: float | None,
    ) -> None:
        """Put an event into the batch; the learner has taken it."""
        entry.seq += 1
        event = Event(
            entry.row.id, entry.seq, kind, id_, round_, body, ticket, cost, entry.engine, now()
        )
        self.batch.events.append(event)
        self.fresh[entry.row.id, kind, id_] = event
        self.dirty[entry.row.name] = entry

    # Operations.

    def make(self, name: str, spec: Spec, forked: str | None = None, mark: int = 0) -> Answer:
        """A learner of this name; the same one again is no error."""
        raw = encode(spec)
        row = self.made.get(name) or self.store.learner(name)
        if row is not None:
            if row.spec == raw and forked in (None, row.forked):
                return 200, self.describe(self.entry(name))
            raise Problem(
                409, "another learner has this name", f"{name!r} is there with another spec"
            )
        if self.count >= self.limits.learners:
            raise Problem(429, "too many learners", f"at most {self.limits.learners:,} are kept")
        if spec.default is not None:
            spec.default.check()
        id_ = self.next_id
        row = LearnerRow(id_, name, raw, mark or id_, now(), forked)
        learner = begin(spec, row.mark)
        size = sum(array.nbytes for array in arrays(learner.live.state))
        if size > self.limits.state:
            raise Problem(
                413, "learner too large", f"{size:,} bytes; at most {self.limits.state:,}"
            )
        entry = Entry(row, spec, learner, self.store.engine(learner.live.engine))
        self.next_id, self.count = id_ + 1, self.count + 1
        self.batch.learners.append((row, entry.engine))
        self.made[name] = row
        if forked is None:
            self.entries[name] = entry
            self.dirty[name] = entry
        return 201, self.describe(entry)

    def decide(self, name: str, id_: str, question: Question) -> Answer:
        """A decision; asked again, it is the same one."""
        entry = self.entry(name)
        before = self.known(entry, DECIDED, id_)
        if before is not None:
            logged = LOGGED.decode(before.body)
            if encode(logged.question) != encode(question):
                raise Problem(
                    409,
                    "another question has this id",
                    f"decision {id_!r} was asked with other data",
                )
            return 200, logged.answer
        if entry.size > self.limits.state:
            raise Problem(
                413,
                "learner too large",
                f"{name!r} takes {entry.size:,} bytes; at most {self.limits.state:,}",
            )
        if entry.open >= self.limits.open:
            raise Problem(
                429, "too many open decisions", f"{entry.open:,} decisions of {name!r} wait for their outcome"
            )  # fmt: skip
        asked, beside = self.compared(entry, question)
        ticket = ask(entry.learner, asked)
        answer = answer_of(entry.learner, id_, ticket)
        if beside is not None and question.arm is None:
            answer["by"] = beside.by
        body = encode(Logged(question, answer, beside))
        self.write(entry, DECIDED, id_, ticket.round, body, ticket.to_bytes(), None)
        at = self.batch.events[-1].at
        deadline = None if entry.spec.wait is None else at + entry.spec.wait
        self.batch.opened.append(Opened(entry.row.id, ticket.round, id_, at, deadline))
        self.count_decision(entry, answer)
        return 201, answer

    def tell(self, name: str, id_: str, outcome: Outcome, expired: bool = False) -> Answer:
        """The outcome of a decision; the same one again is no error."""
        entry = self.entry(name)
        decided = self.known(entry, DECIDED, id_)
        if decided is None:
            raise Problem(404, "unknown decision", f"{name!r} was not asked for a decision {id_!r}")
        logged = LOGGED.decode(decided.body)
        if logged.question.deferred and self.known(entry, ACTIVATED, id_) is None:
            if not expired and not outcome.never:
                raise Problem(
                    409, "not activated", f"decision {id_!r} was deferred: PUT …/activate when it was shown"
                )  # fmt: skip
            outcome = Outcome(never=True)  # nobody has seen it
        before = self.known(entry, TOLD, id_)
        if before is not None:
            settled = SETTLED.decode(before.body)
            if encode(settled.outcome) == encode(outcome) or expired:
                return 200, {"id": id_, "round": before.round}
            detail = f"decision {id_!r} has another outcome already"
            if settled.expired:
                detail += ": its time to wait was over, and the default was told"
            raise Problem(409, "another outcome was told", detail)
        tell(entry.learner, entry.ticket_id(decided.round), outcome)
        settled = Settled(outcome, expired)
        cost = cost_of(entry.learner, logged.answer["prediction"], outcome)
        self.write(entry, TOLD, id_, decided.round, encode(settled), None, cost)
        self.batch.closed.append((entry.row.id, decided.round))
        self.count_outcome(entry, decided, self.batch.events[-1], settled)
        return 201, {"id": id_, "round": decided.round}

    def compared(self, entry: Entry, question: Question) -> tuple[Question, Beside | None]:
        """The question as the learner is asked it, where a baseline decides some of the rounds."""
        plan, trial = entry.spec.baseline, entry.totals.trial
        if plan is not None and trial is not None:
            return choose(entry.learner, plan, trial, question)
        if question.baseline is not None:
            raise Problem(
                422, "no baseline", f"{entry.row.name!r} was made without a baseline: leave it out",
                field="baseline", value=question.baseline,
            )  # fmt: skip
        return question, None

    def activate(self, name: str, id_: str) -> Answer:
        """A decision that was deferred has been shown: it waits for its outcome from now on."""
        entry = self.entry(name)
        decided = self.known(entry, DECIDED, id_)
        if decided is None:
            raise Problem(404, "unknown decision", f"{name!r} was not asked for a decision {id_!r}")
        found = {"id": id_, "round": decided.round}
        deferred = LOGGED.decode(decided.body).question.deferred
        if not deferred or self.known(entry, ACTIVATED, id_) is not None:
            return 200, found
        if self.known(entry, TOLD, id_) is not None:
            raise Problem(
                409, "too late", f"the time to wait for {id_!r} was over before it was activated"
            )
        self.write(entry, ACTIVATED, id_, decided.round, b"{}", None, None)
        return 201, found

    def resume(self, name: str) -> Answer:
        """Let a learner decide again that a guard has sent back; the test begins anew."""
        entry = self.entry(name)
        trial = entry.totals.trial
        if trial is None or trial.returned is None:
            raise Problem(409, "nothing to resume", f"no guard has returned {name!r} to a baseline")
        self.write(entry, RESUMED, str(entry.seq + 1), -1, b"{}", None, None)
        entry.totals.trial = resumed(trial)
        return 200, self.describe(entry)

    def look_up(self, name: str, id_: str) -> Answer:
        """A decision as it was answered, and its outcome where it is known."""
        entry = self.entry(name)
        decided = self.known(entry, DECIDED, id_)
        if decided is None:
            raise Problem(404, "unknown decision", f"{name!r} was not asked for a decision {id_!r}")
        told = self.known(entry, TOLD, id_)
        outcome = None if told is None else SETTLED.decode(told.body).outcome
        return 200, {**LOGGED.decode(decided.body).answer, "outcome": outcome}

    def play_round(self, name: str, id_: str, question: Question, outcome: Outcome) -> Answer:
        """A decision and its outcome at once."""
        entry = self.entry(name)
        if self.known(entry, DECIDED, id_) is None:
            probe = entry.learner.__copy__()  # an outcome that is refused leaves no decision behind
            ticket = ask(probe, self.compared(entry, question)[0])
            tell(probe, ticket.id, outcome)
        status, answer = self.decide(name, id_, question)
        self.tell(name, id_, outcome)
        return status, answer

    def expire(self, name: str, id_: str) -> Answer:
        """The default outcome of a decision that was not heard of in time."""
        default = self.entry(name).spec.default or Outcome(never=True)
        try:
            return self.tell(name, id_, default, expired=True)
        except LittlestoneError:  # the default is none that this learner can take
            return self.tell(name, id_, Outcome(never=True), expired=True)

    def fork(self, name: str, new: str, seq: int | None) -> Answer:
        """A new learner that begins as this one was after its event `seq`."""
        entry = self.entry(name)
        seq = entry.seq if seq is None else seq
        if not 0 <= seq <= entry.seq:
            raise Problem(
                422,
                "no such event",
                f"{name!r} has events 1 to {entry.seq}, not {seq}",
                field="seq",
                value=seq,
            )
        status, body = self.make(new, entry.spec, f"{name}@{seq}", entry.row.mark)
        if status == 201:
            self.batch.forks.append((entry.row.id, self.made[new].id, seq))
        return status, {**body, "events": seq}

    # What is counted and said.

    def count_decision(self, entry: Entry, answer: dict[str, Any]) -> None:
        if entry.learner.bandit:
            arm = entry.totals.arms.setdefault(str(answer["prediction"]), [0, 0, 0.0])
            arm[0] += 1

    def count_outcome(self, entry: Entry, decided: Event, told: Event, settled: Settled) -> None:
        totals, cost, logged = entry.totals, told.cost, LOGGED.decode(decided.body)
        totals.told += 1
        totals.never += settled.outcome.never
        totals.expired += settled.expired
        if not settled.expired:
            late = str(sum(told.at - decided.at >= limit for limit in DELAYS))
            totals.delays[late] = totals.delays.get(late, 0) + 1
        self.test(entry, logged.beside, settled, told)
        if cost is None:
            return
        totals.costed += 1
        totals.cost += cost
        totals.rewards |= settled.outcome.reward is not None
        if entry.learner.bandit:
            arm = totals.arms[str(logged.answer["prediction"])]
            arm[1] += 1
            arm[2] += cost

    def test(self, entry: Entry, beside: Beside | None, settled: Settled, told: Event) -> None:
        """Fold an outcome into the tests; what they find is reported once it is committed."""
        plan, trial, live = entry.spec.baseline, entry.totals.trial, entry.learner.live
        if plan is not None and trial is not None:
            known = None
            if beside is not None and told.cost is not None and settled.outcome.importance is None:
                low, high = live.setting.low, live.setting.high
                known = min(1.0, max(0.0, (high - told.cost) / (high - low))), beside
            if settle(trial, plan, entry.learner, told.round, told.seq, known):
                entry.changes.append("returned to the baseline")
        if live.alarm is not None and live.alarm.rang is not None and not entry.totals.rang:
            entry.totals.rang = told.seq
            entry.changes.append("alarm")

    def describe(self, entry: Entry) -> dict[str, object]:
        """What GET says of a learner."""
        t, live = entry.totals, entry.learner.live
        mean = t.cost / t.costed if t.costed else None
        found: dict[str, object] = {
            "name": entry.row.name,
            "learner": entry.spec.learner,
            "spec": entry.spec,
            "rounds": live.t,
            "open": entry.open,
            "told": t.told,
            "never": t.never,
            "expired": t.expired,
            "events": entry.seq,
            "created": entry.row.created,
            "forked": entry.row.forked,
            "measure": measure(entry.learner),
            "mean": mean,
        }
        if t.rewards and mean is not None:
            low, high = live.setting.low, live.setting.high
            found |= {"measure": "reward", "mean": low + high - mean}
        if entry.spec.baseline is not None and t.trial is not None:
            low, high = live.setting.low, live.setting.high
            found["baseline"] = described(t.trial, entry.spec.baseline, low, high)
        if live.alarm is not None:
            a = live.alarm
            found["alarm"] = {
                "rang": t.rang or None, "level": a.level, "claim": a.claim, "p_value": a.p_value,
                "rounds": a.tested, "mean": a.mean if a.tested else None, "certified": a.next,
            }  # fmt: skip
        return found

    def read(self, name: str, digest: bool = False) -> Answer:
        """What is known of a learner now."""
        entry = self.entry(name)
        found = self.describe(entry)
        if digest:
            found["digest"] = entry.learner.digest(tickets=True)
        return 200, found

    def shares(self, entry: Entry) -> dict[str, float]:
        """The weight of each expert, or the share of rounds in which each arm was pulled."""
        live, arms = entry.learner.live, entry.totals.arms
        if arms:
            total = sum(v[0] for v in arms.values())
            return {name: v[0] / total for name, v in arms.items()}
        if not live.traits.kind.has_experts:
            return {}
        weights = as_json(entry.learner.weights)
        names = live.names or [f"expert {i + 1}" for i in range(len(weights))]
        return dict(zip(names, weights, strict=False))


def resumed(trial: Trial | None) -> Trial | None:
    """The trial begins anew; rounds whose outcome is not known yet count in the new one."""
    return None if trial is None else Trial(next=trial.next, waiting=trial.waiting)


def exit_at_once(code: int, why: object) -> None:
    """End the process: what was not acknowledged is not promised, and what was is in the log."""
    print(f"littlestone serve: {why}", file=sys.stderr, flush=True)
    os._exit(code)
