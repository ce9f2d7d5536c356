"""Rounds at random for the learners of the rows, and learners that are ready for their first round."""

from __future__ import annotations

from typing import Any

import numpy as np

from littlestone.testing import Row
from littlestone.testing.compare import leaves, same
from littlestone.testing.kinds import Advice, Examples, Kind, Losses
from littlestone.testing.kinds import interval_for as interval_of
from littlestone.testing.subject import Subject
from littlestone.testing.ways import without_zeros as sparse
from support.rows import OURS, made, row

__all__ = ["leaves", "same", "sparse"]


def subject(key: str) -> Subject:
    """A learner with its row, as the checks take it."""
    return Subject(made(key), row(key))


# Learners over experts.


def allocates(key: str) -> bool:
    return row(key).x is None


def kind(key: str, allocation: bool | None = None) -> Kind:
    """How its rounds are played: as in the row, or over losses alone, or with advice."""
    if allocation is None or OURS[key].examples:
        return subject(key).kind
    return Losses(made(key)) if allocation else Advice(made(key), ())


def takes(key: str, allocation: bool | None = None) -> str:
    """What the rounds hold: losses, advice, labels or features."""
    found = kind(key, allocation)
    if isinstance(found, Losses):
        return "losses"
    if isinstance(found, Examples):
        return "features"
    return "labels" if found.learner.labels else "advice"


def needs_truth(key: str) -> bool:
    """Is it for streams on which an expert is always right?"""
    return subject(key).kind.needs_truth


def played(
    key: str, T: int, n: int = 5, seed: int = 0, allocation: bool | None = None
) -> tuple[Any, Any]:
    """T rounds (x, y) at random; x is None in the allocation game."""
    if (found := row(key)).sample is not None:
        return found.sample(T, n, seed)
    return kind(key, allocation).drawn(np.random.default_rng(seed), T, n)


def declared(key: str) -> dict[str, Any]:
    """The interval, for those that need one."""
    return interval_of(OURS[key])


def started(key: str, n: int, rounds: int, allocation: bool | None = None, **options: Any) -> Any:
    """The learner of the row, ready for its first round."""
    learner = made(key)
    if learner.labels:
        options.setdefault("labels", (0, 1))
    over = allocates(key) if allocation is None else allocation
    return learner.start(n, rounds=rounds, allocation=over, **(declared(key) | options))


# Learners over examples.


def sample(key: str, T: int, seed: int = 0, d: int = 4) -> tuple[Any, Any]:
    """T rounds that suit a learner: dense examples, and labels or numbers."""
    found: Row = row(key)
    if found.sample is not None:
        return found.sample(T, found.width or d, seed)
    return subject(key).kind.drawn(np.random.default_rng(seed), T, found.width or d)


def labels_of(key: str, y: Any) -> tuple[Any, ...] | None:
    """The classes in the order that `play` codes them in."""
    found = subject(key).kind
    assert isinstance(found, Examples)
    return found.labels(y)
