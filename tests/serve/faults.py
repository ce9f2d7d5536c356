"""Bugs to plant: each is one that a durable service could have, and some test must catch it."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import replace

from littlestone.serve import keys, lease, postgres_store, service, writer
from littlestone.serve.postgres_store import PostgresStore
from littlestone.serve.requests import Outcome
from littlestone.serve.service import Service
from littlestone.serve.sqlite_store import SQLiteStore
from littlestone.serve.store import DECIDED, TOLD, Batch, Store
from littlestone.serve.writer import Writer

FAULTS: dict[str, Callable[[], None]] = {}
STORES: list[type[Store]] = [SQLiteStore, PostgresStore]
PLACES: list[object] = [
    keys,
    lease,
    service,
    writer,
    Service,
    *STORES,
    Writer,
]  # where bugs are planted
Change = Callable[[Store, Batch], object]


def nothing(store: Store, batch: Batch) -> None:
    """Leave it as it is."""


def fault(f: Callable[[], None]) -> Callable[[], None]:
    FAULTS[f.__name__.replace("_", "-")] = f
    return f


@fault
def answer_before_commit() -> None:
    """A request is answered, and committed later."""
    commit = Writer.commit

    async def work(self: Writer) -> None:
        taken = [self.queue.popleft() for _ in range(len(self.queue))]
        for operation, name, future in taken:
            future.set_result(self.service.apply(operation, name))
        await commit(self)
        self.service.after_commit()

    Writer.work = work


@fault
def snapshot_one_event_ahead() -> None:
    """A snapshot claims an event that it does not hold."""
    snapshot = Service.snapshot

    def shifted(self, entry):
        snapshot(self, entry)
        last = self.batch.snapshots[-1]
        self.batch.snapshots[-1] = last._replace(seq=last.seq + 1)

    Service.snapshot = shifted


@fault
def changes_lost_on_eviction() -> None:
    """A learner that leaves the memory takes its uncommitted events with it."""
    take = Service.take_batch

    def lossy(self):
        full = len(self.entries) > self.limits.in_memory
        if full:
            gone = next(iter(self.entries.values())).row.id
            self.batch.events = [e for e in self.batch.events if e.learner != gone]
        return take(self)

    Service.take_batch = lossy


@fault
def duplicate_is_applied_twice() -> None:
    """A repeated outcome is learned from again."""
    known = Service.known

    def forgetful(self, entry, kind, id_):
        return None if kind == TOLD else known(self, entry, kind, id_)

    Service.known = forgetful


@fault
def repeated_question_is_decided_again() -> None:
    """A repeated question gets another answer."""
    decide = Service.decide

    def again(self, name, id_, question):
        entry = self.entry(name)
        if self.known(entry, DECIDED, id_) is not None:
            answer = service.answer_of(entry.learner, id_, service.ask(entry.learner, question))
            return 200, answer
        return decide(self, name, id_, question)

    Service.decide = again


@fault
def outcome_of_another_decision() -> None:
    """An outcome reaches the oldest open decision, whichever it was meant for."""
    tell = service.tell

    def wrong(learner, ticket, outcome):
        tell(learner, learner.tickets[0].id if learner.tickets else ticket, outcome)

    service.tell = wrong


@fault
def names_are_lost() -> None:
    """A ticket in the log lacks the names that its round brought."""
    write = Service.write

    def nameless(self, entry, kind, id_, round_, body, ticket, cost):
        if ticket is not None:
            held = service.Ticket.from_bytes(ticket)
            ticket = replace(held, names=None).to_bytes()
        write(self, entry, kind, id_, round_, body, ticket, cost)

    Service.write = nameless


@fault
def refused_round_leaves_a_decision() -> None:
    """A whole round whose outcome is refused leaves its decision open."""

    def careless(self, name, id_, question, outcome):
        found = self.decide(name, id_, question)
        self.tell(name, id_, outcome)
        return found

    Service.play_round = careless


@fault
def refused_outcome_is_logged() -> None:
    """An outcome that the learner refuses is in the log all the same."""
    tell = service.tell

    def lenient(learner, ticket, outcome):
        try:
            tell(learner, ticket, outcome)
        except service.LittlestoneError:
            if outcome.reward is None or outcome.reward < 100:
                raise

    service.tell = lenient


@fault
def never_is_a_loss_of_nothing() -> None:
    """An outcome that never comes is taken for the best one when the log is replayed."""
    replay = Service.replay
    tell = service.tell

    def other(self, entry, event):
        def told(learner, ticket, outcome):
            if outcome.never and learner.bandit:
                outcome = Outcome(loss=learner.live.setting.low)
            tell(learner, ticket, outcome)

        service.tell = told
        try:
            replay(self, entry, event)
        finally:
            service.tell = tell

    Service.replay = other


def change_commit(before: Change = nothing, after: Change = nothing) -> None:
    """Do something to each batch before or after it is committed, in either store."""

    def changed(commit):
        def do(self, batch):
            before(self, batch)
            commit(self, batch)
            after(self, batch)

        return do

    for kind in STORES:
        kind.commit = changed(kind.commit)


@fault
def decisions_stay_open() -> None:
    """The table of open decisions keeps those that were told."""
    change_commit(lambda store, batch: batch.closed.clear())


@fault
def first_snapshot_is_kept_for_ever() -> None:
    """Later snapshots are thrown away with the events before them."""

    def cut(store, batch):
        for s in batch.snapshots:
            store.do("delete from event where learner=? and seq<?", (s.learner, s.seq - 5))

    change_commit(after=cut)


@fault
def half_changed_learner_goes_on() -> None:
    """After an unexpected exception the learner in memory is used as it is."""

    def after(self):
        self.broken.clear()

    Service.after_commit = after


@fault
def replay_asks_again() -> None:
    """A replay asks anew where it should reopen the ticket."""
    replay = Service.replay

    def asking(self, entry, event):
        if event.kind == DECIDED:
            service.ask(
                entry.learner, service.Question(service.LOGGED.decode(event.body).question.x)
            )
            entry.seq = event.seq
        else:
            replay(self, entry, event)

    Service.replay = asking


@fault
def fork_ignores_its_event() -> None:
    """A fork takes all events."""

    def forget(store, batch):
        batch.forks[:] = [(source, target, 1 << 60) for source, target, _ in batch.forks]

    change_commit(forget)


@fault
def key_compared_by_prefix() -> None:
    """A key with the right id opens."""
    keys.hmac = type("Loose", (), {"compare_digest": staticmethod(lambda a, b: hmac is not None)})


@fault
def writer_dies_silently() -> None:
    """The process stays when its writer is gone."""
    Writer.ended = lambda self, task: None


@fault
def failed_commit_is_ignored() -> None:
    """A commit that fails is taken for one that did not."""
    writer.exit_at_once = lambda code, why: None


@fault
def open_decisions_are_lost_with_a_snapshot() -> None:
    """A learner that is loaded from its snapshot does not know which decisions are open."""
    service.keep_open = lambda learner, tickets: None


@fault
def lease_is_not_fenced() -> None:
    """A process that has lost its lease writes on, over what another one has written."""
    send = PostgresStore.send

    def careless(self, text, values=()):
        if text == postgres_store.HAS_LEASE:
            return
        if text.startswith("insert into") and "conflict" not in text:
            text += " on conflict do nothing"
        send(self, text, values)

    PostgresStore.send = careless


@fault
def lease_is_taken_from_a_live_worker() -> None:
    """A standby does not look whether the lease is over."""
    known = lease.TAKE_LEASE
    lease.TAKE_LEASE = known.partition(" and expires<")[0] + " returning token"
