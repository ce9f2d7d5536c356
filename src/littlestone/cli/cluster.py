"""Processes for `--workers` and `--scheduler`; a short job is done by one process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import click

from ..core.errors import BadInput
from ..core.extras import import_extra
from .command_options import CommandOptions

SHORT = 10.0  # for fewer seconds of work one process is faster: workers take 3 to 5 s to start
WAIT = 10  # seconds for a scheduler to answer


@contextlib.contextmanager
def client(options: CommandOptions, seconds: Callable[[], float]) -> Iterator[Any]:
    """A client of dask; None where one process is faster."""
    if options.scheduler is None and options.processes in (None, 1):
        yield None
        return
    distributed = import_distributed("--workers" if options.scheduler is None else "--scheduler")
    if options.scheduler is not None:
        with connect(distributed, options.scheduler) as there:
            if one_is_faster(seconds()):
                yield None
            else:
                yield there
        return
    if one_is_faster(seconds()):
        yield None
        return
    cluster = distributed.LocalCluster(
        n_workers=options.processes, threads_per_worker=1, dashboard_address=None, silence_logs=50
    )
    with cluster, distributed.Client(cluster) as here:
        yield here


def import_distributed(flag: str) -> Any:
    return import_extra(flag, "distributed")


@contextlib.contextmanager
def connect(distributed: Any, address: str) -> Iterator[Any]:
    """A client of the scheduler at an address."""
    try:
        made = distributed.Client(address, timeout=WAIT)
    except (OSError, ValueError, TypeError) as problem:
        why = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise BadInput(
            f"--scheduler {address}: no scheduler answers there ({why}); `dask scheduler` starts one and prints "
            "its address"
        ) from None
    with made:
        if not made.nthreads():
            raise BadInput(
                f"--scheduler {address}: it has no workers; `dask worker {address}` starts one"
            )
        yield made


def one_is_faster(seconds: float) -> bool:
    """Is one process faster, as there is little to do? Then say so."""
    if seconds >= SHORT:
        return False
    click.echo(
        f"about {seconds:.1f} s of work: one process is faster than several, and does it", err=True
    )
    return True
