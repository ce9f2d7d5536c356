"""Runs of many keys that were played together: numbers of all rows at once, the run of a key when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from ..core.errors import NotKept
from ..core.learner import Learner
from .run import Run, Runs


class KeyRows(Protocol):
    """Rows by key: those of key k are order[first[k] : first[k + 1]]."""

    @property
    def names(self) -> list[Any]: ...
    @property
    def order(self) -> np.ndarray: ...
    @property
    def first(self) -> np.ndarray: ...
    @property
    def counts(self) -> np.ndarray: ...


class KeyLearners(Protocol):
    """The states of all keys after their last rounds."""

    @property
    def nbytes(self) -> int: ...
    def learner(self, k: int, rounds: int) -> Learner[Any, Any, Any, Any]: ...
    def remarks(self, k: int) -> list[str]: ...
    def actions(self, A: np.ndarray) -> np.ndarray: ...
    def decode(self, A: np.ndarray) -> Any: ...


class KeyedRuns(Runs):
    """What `play(by=…)` returns for many keys.

    `predictions` and `losses` are in the order of the rows of the table, and `learners` has the learner of each key.
    A run of one key, with its certificate, is made when it is asked for (`runs[key]`): its rounds are then played once
    more, by themselves, and give the same numbers to the last bit.
    """

    def __init__(
        self, keys: KeyRows, A: np.ndarray, C: np.ndarray, P: np.ndarray, stacks: KeyLearners,
        alone: Callable[[int], Run], record: str,
    ) -> None:  # fmt: skip
        """A, C and P: actions, costs and what was paid, a row each; `alone` plays a key by itself."""
        super().__init__()
        self.keyed, self.A, self.C, self.P, self.stacks = keys, A, C, P, stacks
        self.alone, self.kept = alone, record != "none"
        self.number = {key: k for k, key in enumerate(keys.names)}

    seconds = 0.0  # of playing; compiling, which is done once, is not counted

    def totals(self) -> Iterator[tuple[Any, Run | KeyTotals]]:
        """Each key with its totals; only the first key is played once more."""
        first = self.by_itself(0)
        answered = np.add.reduceat(
            ~np.isnan(self.C[self.keyed.order]), self.keyed.first[:-1], dtype=int
        )
        totals = zip(
            self.loss_by_key.items(), answered.tolist(), self.keyed.counts.tolist(), strict=True
        )
        for k, ((key, loss), many, rounds) in enumerate(totals):
            if key in self.made and k:
                yield key, self.made[key]
            else:
                notes = [*first.stream.notes, *self.stacks.remarks(k)]
                yield (
                    key,
                    KeyTotals(
                        first, key, rounds, many, loss, self.seconds * rounds / len(self.C), notes
                    ),
                )

    def by_itself(self, k: int) -> Run:
        """The run of the key with this number."""
        key = self.keyed.names[k]
        if key not in self.made:
            self.made[key] = self.alone(k)
        return self.made[key]

    def __getitem__(self, key: Any) -> Run:
        return self.by_itself(self.number[key])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.number)

    def __len__(self) -> int:
        return len(self.number)

    def __contains__(self, key: Any) -> bool:
        return key in self.number

    def of_rows(self, v: np.ndarray) -> np.ndarray:
        """What was recorded of every row."""
        if not self.kept:
            raise NotKept('rounds were not recorded: play with record="auto" or record="all"')
        return v

    @property
    def predictions(self) -> Any:
        return self.stacks.decode(self.of_rows(self.A))

    @property
    def losses(self) -> np.ndarray:
        return self.of_rows(self.C)

    @property
    def realised(self) -> np.ndarray:
        return self.of_rows(self.P if len(self.P) else self.C)

    @property
    def loss(self) -> float:
        return float(np.nansum(self.C))

    @property
    def rounds(self) -> int:
        return len(self.C)

    @property
    def loss_by_key(self) -> dict[Any, float]:
        sums = np.add.reduceat(np.nan_to_num(self.C)[self.keyed.order], self.keyed.first[:-1])
        return dict(zip(self.keyed.names, sums.tolist(), strict=True))

    @property
    def rounds_by_key(self) -> dict[Any, int]:
        return dict(zip(self.keyed.names, self.keyed.counts.tolist(), strict=True))

    @property
    def state_bytes(self) -> int:
        """The memory of all states together; that of one key is so much over `len(runs)`."""
        return int(self.stacks.nbytes)

    @property
    def learners(self) -> Mapping[Any, Learner[Any, Any, Any, Any]]:
        return Learners(self)


class KeyTotals:
    """The totals of one key, for tables; what is the same for all keys is that of the run of the first, `like`."""

    def __init__(
        self, like: Run, key: Any, rounds: int, answered: int, loss: float, seconds: float, notes: list[str]
    ) -> None:  # fmt: skip
        self.label, self.key, self.names = f"{like.key}, {key}", like.key, like.names
        self.stream, self.traits, self.transcript = like.stream, like.traits, like.transcript
        self.classifies = like.classifies
        self.rounds, self.answered, self.importance, self.loss = (
            rounds,
            answered,
            float(answered),
            loss,
        )
        self.seconds, self.notes = seconds, notes

    has_probabilities = False  # they were not measured, key by key

    @property
    def mean_loss(self) -> float:
        return self.loss / self.answered if self.answered else math.nan


class Learners(Mapping[Any, Learner[Any, Any, Any, Any]]):
    """The learner of each key, made of its state when it is asked for."""

    def __init__(self, runs: KeyedRuns) -> None:
        self.runs = runs

    def __getitem__(self, key: Any) -> Learner[Any, Any, Any, Any]:
        runs = self.runs
        if key in runs.made:  # it was played by itself
            return runs.made[key].learner
        k = runs.number[key]
        return runs.stacks.learner(k, int(runs.keyed.counts[k]))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.runs.number)

    def __len__(self) -> int:
        return len(self.runs.number)
