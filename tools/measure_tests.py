"""A plugin of pytest that writes down what each test takes: seconds of the processor, and whether it starts a process.

    LITTLESTONE_ENGINE=plain PYTHONPATH=.:src pytest -p tools.measure_tests --measured times.json

A function whose tests have taken LIMIT seconds is slow, however long the others take: they are left out.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# What Python says to an audit hook when another process begins.
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system")
LIMIT = 1.0

found: dict[str, tuple[float, bool]] = {}  # of each test: seconds, and whether it starts a process
taken: Counter[str] = Counter()  # seconds of each function, all of its cases together
started = [0]


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    started[0] += event in STARTS


def stop(*_: object) -> None:
    raise TimeoutError("it is slow")


def function_of(item: pytest.Item) -> str:
    """The function of a test, all of its cases together."""
    return item.nodeid.partition("[")[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--measured", metavar="FILE", help="where the times of the tests go, as JSON")


def pytest_configure() -> None:
    sys.addaudithook(watch)
    signal.signal(signal.SIGVTALRM, stop)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if taken[function_of(item)] > LIMIT:
        pytest.skip("the function is slow")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before, began = started[0], time.process_time()
    done = yield
    seconds = time.process_time() - began
    left_out = taken[function_of(item)] > LIMIT
    taken[function_of(item)] += seconds
    found[item.nodeid] = (LIMIT if left_out else round(seconds, 4), started[0] > before)
    return done


def pytest_sessionfinish(session: pytest.Session) -> None:
    where = session.config.getoption("--measured")
    if where:
        Path(where).write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
