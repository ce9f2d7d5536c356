"""`ls.compare`: several learners over the same rounds, as `littlestone compare` plays them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ..core import registry
from ..core.errors import BadInput
from ..core.learner import Learner, hints
from ..core.notebook import InNotebook
from ..encode.stream import Stream
from ..play.play import play
from ..play.request import AnyLearner, Request, column_name
from ..play.rounds import holds_losses
from ..play.written_learner import learner_with, refuse_mixed, split_settings
from ..run.run import Run, Runs
from ..streams.files import OpenFile
from ..streams.options import ReadOptions
from .comparison_table import (
    Column,
    Played,
    best_first,
    columns,
    different_losses,
    groups,
    line_of,
    side_by_side,
    size_of,
    sum_of,
)
from .payload import report
from .plain_sentence import plain_sentence

if TYPE_CHECKING:
    from ..play.play import PlayKeywords

ROWS = 60  # the table shows at most so many rows


class Comparison(InNotebook, Mapping[str, Run | Runs]):
    """Runs of several learners over the same rounds, by name, the best first; with `by`, one run a key of each.

    It prints as a table, and `report` writes a page.

    >>> import littlestone as ls
    >>> losses = [[0.0, 1.0], [0.25, 1.0], [0.0, 0.5]]
    >>> found = ls.compare(["hedge", "fixed-share:alpha=0.25"], losses, engine="plain")
    >>> list(found), found.best is found["hedge"]
    (['hedge', 'fixed-share:alpha=0.25'], True)
    """

    def __init__(self, made: Mapping[str, Run | Runs], by: str | None = None) -> None:
        self.by = by
        played = [
            Played(run, name, 0, key)
            for name, runs in made.items()
            for key, run in (runs.items() if isinstance(runs, Runs) else [(None, runs)])
        ]
        best_first(played)
        self.played: tuple[Played, ...] = tuple(played)
        self.made = {p.learner: made[p.learner] for p in played}

    def __getitem__(self, name: str) -> Run | Runs:
        return self.made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.made)

    def __len__(self) -> int:
        return len(self.made)

    @property
    def best(self) -> Run | Runs:
        """The run that comes first: of the least loss a round; where all tell classes apart, of the best accuracy."""
        return next(iter(self.made.values()))

    @property
    def title(self) -> str:
        """What was played."""
        return ": ".join(size_of(self.played))

    @property
    def sentences(self) -> list[str]:
        """One plain sentence about each learner: would something simple have been better?"""
        said = [(g[0].name, plain_sentence(*(p.run for p in g))) for g in groups(self.played)]
        return [f"{name}: {text}" for name, text in said if text]

    @property
    def columns(self) -> list[Column]:
        """The table as text, column by column: a row a run; with `by` also the sum of each learner."""
        shown = side_by_side(self.played) if self.by else list(self.played)
        lines = [line_of(p) for p in shown[:ROWS]]
        lines += [sum_of(group) for group in groups(self.played)] if self.by else []
        return columns(lines, self.by, self.played[0].run.traits.kind.has_examples)

    @property
    def remarks(self) -> list[str]:
        """What a reader of the table should know: rows that it leaves out, and losses that cannot be compared."""
        more = len(self.played) - ROWS
        left = [f"and {more:,} rows more"] if more > 0 else []
        return left + different_losses([p.run for p in self.played])

    def report(self, path: str | Path = "comparison.html") -> Path:
        """Write one page with a section for each run."""
        return report([p.run for p in self.played], path)

    def __repr__(self) -> str:
        aligned = []
        for title, texts, number in self.columns:
            wide = max(map(len, (title, *texts)))
            aligned.append([t.rjust(wide) if number else t.ljust(wide) for t in (title, *texts)])
        rows = ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]
        return "\n".join([self.title, *self.sentences, "", *rows, *self.remarks])


def compare(
    learners: Sequence[AnyLearner | str] | Mapping[str, AnyLearner | str],
    data: Any,
    outcomes: Any = None,
    *,
    loss: str | None = None,
    by: str | None = None,
    **options: Unpack[PlayKeywords],
) -> Comparison:
    """Play several learners over the same rounds: a table, the best first, and a page of all of them.

    learners    keys, such as "tracker" or "fixed-share:alpha=0.1", and learners; or a dict of them, by names of yours
    loss        of those that are named by a key and take a loss. Left out, those that predict numbers are charged the
                square loss, so that they can be compared; others, and learners that are no keys, keep their own
    by          of a frame or file, a column; each learner plays the rows of each of its values apart

    Data and all other options are those of `play`. A file is read once where that can be done.

    >>> import littlestone as ls
    >>> advice = [[0.0, 1.0], [0.0, 1.0], [0.2, 1.0]]
    >>> print(
    ...     ls.compare(["tracker", "boa"], advice, [0.0, 0.1, 0.0], engine="plain")
    ... )  # doctest: +ELLIPSIS
    arrays: 3 rounds, 2 experts, square loss
    ...
    """
    named = named_learners(learners)
    if once(data.batches if isinstance(data, Stream) else data):
        raise BadInput(
            "data: an iterator can be read once, and every learner plays all rounds: give a list, a frame or a file"
        )
    seeds: Any = dict(options).get("seeds", 1)
    if seeds != 1:
        raise BadInput(
            f"seeds={seeds!r}: compare makes one run of each learner; ls.play(…, seeds=…) makes many runs of one"
        )
    for name, given in named.items():
        if isinstance(given, str):
            first = registry.learner(given.partition(":")[0])
            named[name] = parse_learner(given, loss or loss_for(first, data, outcomes, options))
    made = {name: registry.learner(one) for name, one in named.items()}
    refuse_mixed(list(made.values()))
    if loss is not None and not any("loss" in hints(type(one)) for one in made.values()):
        raise BadInput(f"loss={loss!r}: none of {', '.join(named)} takes a loss")
    if isinstance(data, OpenFile) or not isinstance(data, (str, os.PathLike)):
        return Comparison(play_each(made, data, outcomes, by, options), by)
    how = ("format", "on_bad_line", "encoding", "decimal")
    reading: Any = {k: v for k, v in options.items() if k in how}
    with contextlib.closing(OpenFile(data, ReadOptions(**reading))) as file:
        return Comparison(play_each(made, file, outcomes, by, options), by)


def play_each(
    learners: Mapping[str, AnyLearner], data: Any, outcomes: Any, by: str | None, options: Any
) -> dict[str, Run | Runs]:
    """The runs of these learners, by their names."""
    runs: dict[str, Run | Runs] = {}
    for name, one in learners.items():
        found: Any = play(one, data, outcomes, by=by, **options)
        for run in found.values() if isinstance(found, Runs) else [found]:
            run.label = run.label.replace(run.key, name, 1)
        runs[name] = found
    return runs


def named_learners(learners: Any) -> dict[str, Any]:
    """Learners by the names of their rows: those of the user, or keys, with a number behind where there are several."""
    if isinstance(learners, (str, Learner)):
        raise BadInput(
            f"learners: compare takes several, in a list, not {learners!r:.60}; ls.play plays one"
        )
    if isinstance(learners, Mapping):
        found = {str(name): given for name, given in learners.items()}
    else:
        found = {}
        for given in learners:
            if isinstance(given, str) and given in found:
                continue  # the same learner twice
            key = given if isinstance(given, str) else registry.learner(given).key
            name = next(n for n in number_keys(key) if n not in found)
            found[name] = given
    if not found:
        raise BadInput("learners: there are none; name some, as in ['tracker', 'boa']")
    return found


def once(data: Any) -> bool:
    """Can the data be read only once?"""
    return isinstance(data, Iterator)


def number_keys(key: str) -> Iterator[str]:
    """key, key (2), key (3), …"""
    yield key
    number = 1
    while True:
        number += 1
        yield f"{key} ({number})"


def parse_learner(spec: str, loss: str | None) -> AnyLearner:
    """A learner from NAME:alpha=0.1, with this loss where it takes one and says no other."""
    key, _, own = spec.partition(":")
    takes = loss is not None and "loss" in hints(type(registry.learner(key)))
    return learner_with(key, split_settings(own), {"loss": loss} if takes else {})


def loss_for(learner: AnyLearner, data: Any, outcomes: Any, options: PlayKeywords) -> str | None:
    """The loss that learners of this kind are compared by: the square loss of numbers; None: their own."""
    task, labels = options.get("task"), options.get("labels")
    if learner.bandit or (learner.labels and not learner.examples):
        return None
    if learner.examples:
        return "square" if task == "regression" or labels is False else None
    losses = options.get("losses")
    if losses is None and task is None:
        read = ReadOptions(outcome=column_name(options.get("outcome")))
        losses = holds_losses(Request(learner, data, outcomes, read))
    return None if losses or task == "losses" else "square"
