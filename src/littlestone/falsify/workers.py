"""Search on the other cores, where runs are played by Python: one process on each, with a seed of its own.

A worker is this file, run as a module: it reads what to search for from standard input, and leaves the state of its
search in a file, which is merged with the others at the end. Nothing is pickled, and no script is imported again.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.errors import LittlestoneError
from .compiled_volley import CORES
from .hunt import KEPT, AttackerTally, Hunt
from .search import attackers, search
from .search_state import from_json, read_state, write
from .target import Target

WORTH = 4.0  # in searches of at least so many seconds another process is worth its start
APART = 7919  # seeds of workers lie so far apart


@contextlib.contextmanager
def share_work(hunt: Hunt, names: list[str]) -> Iterator[list[str]]:
    """Search on the other cores meanwhile, and add what they find to `hunt` at the end; yields notes on what failed."""
    notes: list[str] = []
    task = describe_search(hunt, names)
    if task is None:
        yield notes
        return
    with tempfile.TemporaryDirectory(prefix="littlestone-") as folder:
        started = []
        for i in range(1, CORES):
            path = Path(folder) / f"{i}.json"
            mine = task | {"seed": hunt.seed + APART * (i + CORES * hunt.epoch), "state": str(path)}
            worker = subprocess.Popen(
                [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            assert worker.stdin is not None
            worker.stdin.write(json.dumps(mine).encode())
            worker.stdin.close()
            started.append((worker, path))
        try:
            yield notes
            for worker, path in started:
                try:
                    if worker.wait(timeout=30.0) == 0:
                        merge(hunt, path)
                except (subprocess.TimeoutExpired, LittlestoneError) as problem:
                    notes.append(str(problem))
        finally:
            for worker, _ in started:
                worker.kill()
                worker.wait()


def describe_search(hunt: Hunt, names: list[str]) -> dict[str, Any] | None:
    """The search in JSON; None where JSON cannot hold it, or the search is too short."""
    target = hunt.target
    if hunt.compiled or hunt.seconds is None or hunt.seconds < WORTH or CORES < 2:
        return None
    given = {name: target.learner.parameters[name] for name in target.given}
    known = {g.id: g for g in target.learner.guarantees}
    if known.get(target.theorem.id) is not target.theorem or callable(target.conjecture):
        return None
    if not all(isinstance(v, (bool, int, float, str)) for v in given.values()):
        return None
    if type(target.learner).__module__.partition(".")[0] != __name__.partition(".")[0]:
        return None  # another process does not know a learner of the user's own
    return {
        "learner": target.key,
        "parameters": given,
        "theorem": target.theorem.id,
        "bound": target.expression,
        "where": target.where,
        "seconds": hunt.seconds,
        "sizes": hunt.sizes,
        "using": names,
    }


def merge(hunt: Hunt, path: Path) -> None:
    """Add another search of the same theorem to this one."""
    other = Hunt(hunt.target)
    read_state(other, path)
    hunt.runs += other.runs
    for name, tally in other.tallies.items():
        mine = hunt.tallies.setdefault(name, AttackerTally())
        mine.runs, mine.seconds = mine.runs + tally.runs, mine.seconds + tally.seconds
        mine.ratio = max(mine.ratio, tally.ratio)
    hunt.elite = sorted([*hunt.elite, *other.elite], key=lambda e: -e.ratio)[:KEPT]
    for said, case in json.loads(path.read_text(encoding="utf-8")).get("failures", []):
        hunt.target.failures.append((said, from_json(case)))


def work(task: dict[str, Any]) -> None:
    """Do the search that `task` describes, and write its state to the file that it names."""
    statement = (task["learner"], task["theorem"], task["bound"], task["where"])
    target = Target(*statement, **task["parameters"])
    sizes = tuple(task["sizes"]) if task["sizes"] else None
    hunt = Hunt(target, task["seed"], task["seconds"], None, sizes)
    search(hunt, attackers(task["using"]), confirm=lambda target, case: True)
    write(hunt, task["state"])


if __name__ == "__main__":
    work(json.load(sys.stdin))
