"""`warm`: compile learners beforehand, in child processes, so that their first run starts at once."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import click

from ..core.machine import cores
from .options import WHOLE, Command, option

# What a child does: warm one learner and say in JSON what was played, or why nothing was.
CHILD = """
import json, sys
from littlestone.core.errors import LittlestoneError
from littlestone.play.warm import warm
try:
    print(json.dumps({"played": warm(sys.argv[1])}))
except LittlestoneError as problem:
    print(json.dumps({"problem": str(problem)}))
"""


@click.command("warm", cls=Command, short_help="Compile learners beforehand.")
@click.argument("keys", nargs=-1, metavar="[LEARNER]...")
@option(
    "--jobs", "-j", group="How", type=WHOLE, metavar="NUMBER",
    help="So many processes at a time; one for each core, if not given.",
)  # fmt: skip
@option(
    "--usual", group="Which", is_flag=True,
    help="Those that commands take where no learner is named, and the first ones of the tutorials.",
)  # fmt: skip
@option("--json", "as_json", group="Results", is_flag=True, help="JSON instead of lines.")
def warm(keys: tuple[str, ...], jobs: int | None, usual: bool, as_json: bool) -> None:
    """Compile learners now, so that their first run starts at once: all of them, or those named.

    The first run of a learner on a machine compiles its rules, which takes seconds. The result is
    kept on disk and serves every later process. Call this when an image is built or a service is
    installed. Each learner is compiled in a process of its own, with a few made-up rounds: with
    feedback at once, late and by key, in whole runs and one round at a time, dense and sparse.
    Learners that were compiled before take about two seconds each.

    \b
    littlestone warm tracker online-linear    these two
    littlestone warm --usual                  those that are met first
    littlestone warm                          all of them, which takes minutes
    NUMBA_CACHE_DIR=/srv/cache littlestone warm    keep the result in that folder

    A service must see the same NUMBA_CACHE_DIR, or none in both cases. It may be another user, and
    the folder may be read-only.
    """
    from ..core import registry
    from ..core.errors import BadInput
    from ..engine.compile import has_numba
    from ..play.warm import USUAL

    every = list(registry.learners())
    for key in keys:
        registry.learner(key)  # raises for an unknown key
    if not has_numba():
        raise BadInput(
            "there is nothing to compile: rules run plain here, as Numba is missing or LITTLESTONE_ENGINE=plain is set"
        )
    chosen = list(dict.fromkeys((*keys, *(USUAL if usual else ())))) or every
    began = time.perf_counter()
    found = dict(follow_jobs(chosen, jobs or cores(), as_json))
    failed = {key: out for key, out in found.items() if "problem" in out}
    if as_json:
        click.echo(json.dumps([{"learner": key, **found[key]} for key in chosen]))
    else:
        seconds = time.perf_counter() - began
        ready = len(chosen) - len(failed)
        click.echo(f"compiled {ready} learner{'s' * (ready != 1)} in {seconds:.0f} s")
    for key in sorted(failed):
        click.echo(f"littlestone: {key}: {failed[key]['problem']}", err=True)
    if failed:
        sys.exit(1)


def follow_jobs(keys: list[str], jobs: int, quiet: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the result of each learner as it ends; show a bar on a terminal, else print a line each."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from .console import console

    out = console(stderr=True)
    columns = (TextColumn("compiling {task.fields[now]}"), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, TimeElapsedColumn(), console=out, disable=not out.is_terminal or quiet)
    with bar, ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(child, key): key for key in keys}
        task = bar.add_task("", total=len(keys), now=keys[0])
        for one in as_completed(waiting):
            key, said = waiting.pop(one), one.result()
            bar.update(task, advance=1, now=next(iter(waiting.values()), "done"))
            if not out.is_terminal and not quiet:
                words = ", ".join(said.get("played", ["left out"]))
                out.print(f"{key}: {words}, {said['seconds']:.1f} s")
            yield key, said


def child(key: str) -> dict[str, Any]:
    """Warm one learner in a process of its own; return what it prints."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CHILD, key],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    seconds = round(time.perf_counter() - began, 2)
    try:
        said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        said = {"problem": f"the process that compiles it failed: {last}"}
    return {**said, "seconds": seconds}
