"""Many configurations, and many seeds, over the same data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..core import registry
from ..core.errors import BadInput
from ..core.extras import import_extra
from ..core.learner import Learner
from ..play.play import play as play_here
from .tables import files_of, is_paths, read_once
from .worker_memory import on_worker


class Sweep(list[dict[str, Any]]):
    """A row for each configuration and seed: learner, seed, rounds, loss, mean_loss, and mistakes of classifiers."""

    @property
    def best(self) -> dict[str, Any]:
        """The configuration with the least loss a round, on average over its seeds."""
        each: dict[str, list[float]] = {}
        for row in self:
            each.setdefault(row["learner"], []).append(row["mean_loss"])
        means = {name: sum(v) / len(v) for name, v in each.items()}
        name = min(means, key=lambda name: means[name])
        return {"learner": name, "mean_loss": means[name], "seeds": len(each[name])}

    def to_frame(self) -> Any:
        """The rows as a pandas frame."""
        return import_extra("to_frame", "pandas").DataFrame(list(self))


def sweep(
    configurations: Any,
    data: Any,
    outcomes: Any = None,
    *,
    seeds: int | Iterable[int] = 1,
    client: Any = None,
    **options: Any,
) -> Sweep:
    """Play every configuration with every seed over the same data; the same numbers with a client and without.

    configurations: learners or their keys, in a list, or by a name of yours in a dict.
    data: as for `ls.play`, or files ("data/*.parquet"), which each worker reads once and keeps.
    seeds: how many (0, 1, …), or which.
    options: those of `ls.play`; nothing is certified or recorded.

    >>> import littlestone as ls
    >>> losses = [[0.0, 1.0], [0.0, 1.0]]
    >>> rates = {"slow": ls.Hedge(eta=1.0), "fast": ls.Hedge(eta=9.0)}
    >>> found = ls.scale.sweep(rates, losses, engine="plain")
    >>> found.best["learner"], round(found[1]["loss"], 4)
    ('fast', 0.5001)
    """
    learners = names_of(configurations)
    chosen = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    if not chosen:
        raise BadInput("seeds: there is none; seeds=1 plays once")
    for name in ("certify", "record", "seed", "by"):
        if name in options:
            raise BadInput(f"{name}: scale.sweep does not take it")
    given: Any = tuple(files_of(data)) if is_paths(data) else (data, outcomes)
    tasks = [(name, learner, seed) for name, learner in learners.items() for seed in chosen]
    if client is None:
        return Sweep([one(*task, given, options) for task in tasks])
    if not is_paths(data):
        [given] = client.scatter([given], broadcast=True, hash=False)
    columns = list(zip(*tasks, strict=True))
    rows = client.map(
        on_worker, [one] * len(tasks), *columns, given=given, options=options, pure=False
    )
    return Sweep(client.gather(rows))


def names_of(configurations: Any) -> dict[str, Learner[Any, Any, Any, Any]]:
    """Learners by name."""
    if isinstance(configurations, Mapping):
        return {str(name): registry.learner(v) for name, v in configurations.items()}
    if isinstance(configurations, (str, Learner)):
        configurations = [configurations]
    found: dict[str, Learner[Any, Any, Any, Any]] = {}
    for each in configurations:
        learner = registry.learner(each)
        name = each if isinstance(each, str) else repr(learner)
        if name in found:
            raise BadInput(f"configurations: {name} is there twice; give names in a dict")
        found[name] = learner
    if not found:
        raise BadInput("configurations: there is none to play")
    return found


def one(name: str, learner: Any, seed: int, given: Any, options: Any) -> dict[str, Any]:
    """One configuration with one seed."""
    files = bool(given) and isinstance(given[0], str)
    data, outcomes = (read_once(given), None) if files else given
    run = play_here(learner, data, outcomes, seed=seed, certify=False, record="none", **options)
    row = {
        "learner": name, "seed": seed, "rounds": run.rounds, "loss": run.loss, "mean_loss": run.mean_loss,
    }  # fmt: skip
    return row | ({"mistakes": run.mistakes} if run.classifies else {})
