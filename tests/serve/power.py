"""Power cuts: every write and sync of the log is recorded, and the disk is what one of them may have left behind.

A write is certain once its file was synced after it. Of the others a cut keeps any: none, all, or some sectors of some.
What was acknowledged before the cut must be in the log that is opened then, and each batch must be there whole or not
at all.

python -m serve.power [CUTS]       from the folder tests
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from littlestone.serve.requests import Outcome, Question, Spec
from littlestone.serve.service import Service
from littlestone.serve.sqlite_store import FILE, SQLiteStore

SECTOR = 512
NUMBERS = count()


class Step(NamedTuple):
    """What was done to a file (write, truncate, sync, delete), or that an answer was given."""

    what: str
    file: str = ""
    at: int = 0
    data: bytes = b""


class Recorder(apsw.VFS):
    """A file system that writes down what it is asked to do."""

    def __init__(self) -> None:
        self.name, self.steps = f"recorder-{next(NUMBERS)}", list[Step]()
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return RecordedFile(self.steps, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:  # noqa: N802
        super().xDelete(name, sync)
        self.steps.append(Step("delete", Path(name).name))


class RecordedFile(apsw.VFSFile):
    """One of its files."""

    def __init__(self, steps: list[Step], name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self.steps = steps
        self.file = Path(name if isinstance(name, str) else name.filename()).name

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self.steps.append(Step("write", self.file, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:  # noqa: N802
        super().xTruncate(size)
        self.steps.append(Step("truncate", self.file, size))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self.steps.append(Step("sync", self.file))


class RecordedStore(SQLiteStore):
    """The log on such a file system; without shared memory, which recorded files have none of."""

    def __init__(self, folder: Path, recorder: Recorder, synchronous: str) -> None:
        self.recorder, self.synchronous = recorder, synchronous
        super().__init__(folder)

    def connect(self, readonly: bool) -> apsw.Connection:
        db = apsw.Connection(str(self.path), vfs=self.recorder.name)
        db.pragma("locking_mode", "exclusive")
        return db

    def prepare(self, synchronous: str, readonly: bool) -> None:
        super().prepare(synchronous if self.synchronous == "full" else self.synchronous, readonly)
        self.db.pragma("wal_autocheckpoint", 25)  # pages: so that many cuts fall into checkpoints


class Recording(NamedTuple):
    """What was done to the files, and what each commit acknowledged; digests are those after it."""

    steps: list[Step]
    batches: list[list[tuple[int, int]]]  # learner and number of each event
    digests: list[dict[str, str]]


def recorded(folder: Path, commits: int, synchronous: str, seed: int) -> Recording:
    """Decisions and outcomes in batches, on a recorded file system."""
    r, recorder = random.Random(seed), Recorder()
    store = RecordedStore(folder, recorder, synchronous)
    service = Service(store)
    open_: list[tuple[str, str]] = []
    batches, digests = [], []
    for i in range(commits):
        if i < 3:
            service.make(f"l{i}", Spec("exp3", n=3, interval=(0.0, 1.0), seed=i))
        for _ in range(r.randrange(1, 7)):
            if open_ and r.random() < 0.5:
                name, id_ = open_.pop(r.randrange(len(open_)))
                service.tell(name, id_, Outcome(reward=r.random()))
            else:
                name, id_ = f"l{r.randrange(min(i + 1, 3))}", f"{i}-{len(open_)}-{r.random()}"
                service.decide(name, id_, Question())
                open_.append((name, id_))
        if r.random() < 0.2:
            service.snapshot_all()
        batch, _ = service.take_batch()
        store.commit(batch)
        recorder.steps.append(Step("answer"))
        batches.append([(event.learner, event.seq) for event in batch.events])
        digests.append({n: e.learner.digest(tickets=True) for n, e in service.entries.items()})
    steps = list(recorder.steps)
    store.close()
    recorder.unregister()
    return Recording(steps, batches, digests)


class Disk:
    """Files as a power cut may leave them."""

    def __init__(self) -> None:
        self.sure: dict[str, bytearray] = {}
        self.unsure: dict[str, list[Step]] = {}
        self.answers = 0

    def do(self, step: Step) -> None:
        """One more step before the cut."""
        if step.what == "answer":
            self.answers += 1
        elif step.what == "delete":
            self.sure.pop(step.file, None)
            self.unsure.pop(step.file, None)
        elif step.what == "sync":
            content = self.sure.setdefault(step.file, bytearray())
            for before in self.unsure.pop(step.file, []):
                change(content, before)
        else:
            self.unsure.setdefault(step.file, []).append(step)

    def cut(self, r: random.Random) -> dict[str, bytes]:
        """The content of each file after a cut here."""
        keep = r.choice((0.0, 0.0, 0.5, 0.9, 1.0))
        found = {name: bytearray(content) for name, content in self.sure.items()}
        for name, steps in self.unsure.items():
            content = found.setdefault(name, bytearray())
            for step in steps:
                for part in sectors(step):
                    if r.random() < keep:
                        change(content, part)
        return {name: bytes(content) for name, content in found.items()}


def sectors(step: Step) -> Iterator[Step]:
    """The parts of a write of which a disk may keep some."""
    if step.what != "write":
        yield step
        return
    start = 0
    while start < len(step.data):
        end = min(len(step.data), start + SECTOR - (step.at + start) % SECTOR)
        yield Step("write", step.file, step.at + start, step.data[start:end])
        start = end


def change(content: bytearray, step: Step) -> None:
    """Do a write or a truncation."""
    if step.what == "truncate":
        del content[step.at :]
        return
    if len(content) < step.at:
        content.extend(bytes(step.at - len(content)))
    content[step.at : step.at + len(step.data)] = step.data


def lost_by(recording: Recording, answers: int, folder: Path, deep: bool) -> str:
    """What is wrong with the log that a cut has left; nothing where all is well."""
    store = SQLiteStore(folder, durable=False)
    there = {(event, seq) for event, seq in store.rows("select learner, seq from event")}
    known, whole = set[tuple[int, int]](), 0
    for batch in recording.batches:
        if not set(batch) <= there:
            break
        known |= set(batch)
        whole += 1
    said = ""
    if whole < answers:
        said = f"{whole} of {answers} acknowledged commits"
    elif known != there:
        said = f"{len(there - known)} events of a batch that is not whole"
    elif deep and whole:
        service = Service(store)
        for name, digest in recording.digests[whole - 1].items():
            if service.entry(name).learner.digest(tickets=True) != digest:
                said = f"another state of {name}"
        if store.row("pragma integrity_check") != ("ok",):
            said = "a damaged file"
    store.close()
    return said


def power_cuts(
    folder: Path, cuts: int, synchronous: str = "full", seed: int = 0, commits: int = 60
) -> dict[str, Any]:
    """So many power cuts at any step of recordings of so many commits; how many logs were not as they must be."""
    r, wrong, done, recordings = random.Random(seed), [], 0, 0
    while done < cuts:
        recording = recorded(
            folder / f"recorded-{recordings}", commits, synchronous, r.randrange(1 << 30)
        )
        recordings += 1
        n = min(cuts - done, 500)
        places = sorted(r.randrange(len(recording.steps) + 1) for _ in range(n))
        disk, position = Disk(), 0
        for place in places:
            for step in recording.steps[position:place]:
                disk.do(step)
            position, done = place, done + 1
            after = folder / "after"
            after.mkdir(exist_ok=True)
            for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal"):
                (after / name).unlink(missing_ok=True)
            for name, content in disk.cut(r).items():
                (after / name).write_bytes(content)
            said = lost_by(recording, disk.answers, after, deep=done % 20 == 0)
            if said:
                wrong.append(said)
    return {"cuts": done, "recordings": recordings, "wrong": len(wrong), "first": wrong[:3]}


def main() -> None:
    cuts = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for synchronous, n in (("full", cuts), ("normal", min(cuts, 500))):
        with tempfile.TemporaryDirectory() as folder:
            found = power_cuts(Path(folder), n, synchronous, seed=random.randrange(1 << 30))
        print(f"synchronous={synchronous}: {found}", flush=True)


if __name__ == "__main__":
    main()
