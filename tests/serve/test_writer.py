"""The writer: answers after the commit, exits where a commit fails or it dies, refuses what is too much."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import current_thread

import pytest

from littlestone.serve import writer as module
from littlestone.serve.problems import Problem
from littlestone.serve.requests import Question, Spec
from littlestone.serve.service import Limits, Service
from littlestone.serve.sqlite_store import SQLiteStore
from littlestone.serve.writer import COMMIT_FAILED, WRITER_DIED, Writer

pytestmark = pytest.mark.usefixtures("plain")


def run_apart(coroutine):
    """Run it in a thread: a browser of other tests may have left a loop running in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, coroutine).result()


class Exited(SystemExit):
    """In place of the end of the process."""


@pytest.fixture
def exits(monkeypatch):
    """The exit codes, instead of exits."""
    codes = []

    def leave(code, why):
        codes.append(code)
        raise Exited

    monkeypatch.setattr(module, "exit_at_once", leave)
    return codes


def made(folder, **limits):
    service = Service(SQLiteStore(folder, durable=False), Limits(**limits))
    service.make("a", Spec("exp3", n=2))
    return service


def test_requests_that_wait_are_one_commit(tmp_path):
    async def main():
        writer = Writer(made(tmp_path))
        writer.start()
        asked = [
            writer.do(lambda s, i=i: s.decide("a", str(i), Question()), "a") for i in range(50)
        ]
        answers = await asyncio.gather(*asked)
        batches = writer.batches
        await writer.stop()
        return answers, batches

    answers, batches = run_apart(main())
    assert [body["round"] for _, body in answers] == list(range(50))
    assert batches == 1


def test_a_failed_commit_ends_the_process(tmp_path, exits, monkeypatch):
    async def main():
        service = made(tmp_path)
        writer = Writer(service)
        writer.ended = lambda task: task.exception()
        writer.start()
        monkeypatch.setattr(service.store, "commit", lambda batch: 1 / 0)
        asked = asyncio.ensure_future(writer.do(lambda s: s.decide("a", "1", Question()), "a"))
        await asked  # it is never answered

    with pytest.raises(Exited):
        run_apart(main())
    assert exits == [COMMIT_FAILED]


def test_a_writer_that_dies_ends_the_process(tmp_path, exits):
    async def main():
        writer = Writer(made(tmp_path))
        writer.start()
        await asyncio.sleep(0)
        writer.task.cancel()
        await asyncio.sleep(0.05)

    with pytest.raises(Exited):
        run_apart(main())
    assert exits == [WRITER_DIED]


def test_a_full_queue_refuses(tmp_path):
    async def main():
        writer = Writer(made(tmp_path), longest=3)
        asked = [asyncio.ensure_future(writer.do(lambda s: s.read("a"), "a")) for _ in range(4)]
        await asyncio.sleep(0)
        with pytest.raises(Problem) as found:
            await asked[3]
        writer.start()
        await writer.stop()
        return found.value, [(await one)[0] for one in asked[:3]]

    problem, answers = run_apart(main())
    assert problem.status == 503
    assert answers == [200, 200, 200]


def test_limits(tmp_path):
    service = made(tmp_path, learners=2, state=20_000)
    assert service.apply(lambda s: s.make("b", Spec("exp3", n=2)), "b")[0] == 201
    assert service.apply(lambda s: s.make("c", Spec("exp3", n=2)), "c")[0] == 429
    service = made(tmp_path / "other", state=20_000)
    found = service.apply(lambda s: s.make("wide", Spec("exp3", n=5000)), "wide")
    assert (found[0], found[1]["title"]) == (413, "learner too large")


def test_one_that_asks_alone_is_committed_on_the_loop(tmp_path, monkeypatch):
    """After twenty quick commits, and only where one request at a time comes."""
    monkeypatch.setattr(module, "QUICK", 60.0)

    async def main():
        service = made(tmp_path)
        writer, threads, commit = Writer(service), [], service.store.commit
        service.store.commit = lambda batch: (threads.append(current_thread().name), commit(batch))
        writer.start()
        for i in range(40):
            await writer.do(lambda s, i=i: s.decide("a", str(i), Question()), "a")
        together = [
            writer.do(lambda s, i=i: s.decide("a", f"t{i}", Question()), "a") for i in range(9)
        ]
        await asyncio.gather(*together)
        await writer.stop()
        return threads

    threads = run_apart(main())
    apart = [name.startswith("commit") for name in threads]
    assert all(apart[:20])
    assert not any(apart[30:40])
    assert apart[40]
