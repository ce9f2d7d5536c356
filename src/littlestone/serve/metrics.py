"""Numbers of the service, in the text format that Prometheus reads."""

from __future__ import annotations

from .compile_kind import Compilation
from .service import Service
from .writer import Writer


def commit_quantile(writer: Writer, q: float) -> float:
    """Seconds that a commit took, of the last thousand.

    The smallest number that at least a share q of them does not exceed.
    """
    times = sorted(writer.times)
    return times[min(len(times) - 1, int(q * len(times)))] if times else 0.0


def metrics(service: Service, writer: Writer, compilation: Compilation) -> str:
    """All metrics, a line each."""
    live = list(service.entries.values())
    trials = [e.totals.trial for e in live if e.totals.trial is not None]
    rows = [
        ("requests_total", "counter", "requests that were answered by the writer", writer.requests),
        ("commits_total", "counter", "transactions", writer.batches),
        ("commit_seconds_p50", "gauge", "median of the last commits", commit_quantile(writer, 0.5)),
        ("commit_seconds_p99", "gauge", "slowest of a hundred", commit_quantile(writer, 0.99)),
        ("queue_length", "gauge", "requests that wait", len(writer.queue)),
        ("learners", "gauge", "learners in the log", service.count),
        ("learners_in_memory", "gauge", "learners in memory", len(service.entries)),
        ("loads_total", "counter", "learners that were loaded from the log", service.loads),
        ("replayed_events_total", "counter", "events that were done again", service.replayed),
        ("evictions_total", "counter", "learners that left the memory", service.evicted),
        ("kinds_not_warm", "gauge", "kinds that wait to be compiled", len(compilation.waiting)),
        ("open_decisions", "gauge", "of the learners in memory", sum(e.open for e in live)),
        (
            "alarms",
            "gauge",
            "learners in memory whose alarm rang",
            sum(e.totals.rang > 0 for e in live),
        ),
        (
            "returned",
            "gauge",
            "learners in memory that a guard sent back",
            sum(t.returned is not None for t in trials),
        ),
        ("log_bytes", "gauge", "size of the log", service.store.size()),
    ]
    return "".join(
        f"# HELP littlestone_{name} {text}\n# TYPE littlestone_{name} {kind}\nlittlestone_{name} {value:.9g}\n"
        for name, kind, text, value in rows
    )
