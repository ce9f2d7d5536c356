"""Logs of decisions: which arm was played, what came of it, and how probable the arm was."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self, TypedDict

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from ..encode.named_rows import columns_of, some
from ..run.run import Run
from ..settings.setting import named_by_user
from .log_columns import column, number_arms, open_log, refuse, whole
from .log_contexts import Contexts, as_table, given_contexts, read_contexts


class Columns(TypedDict, total=False):
    """Which column of a frame or file is what: the options of `LoggedDecisions.read`."""

    arm: str
    reward: str | None
    loss: str | None
    propensity: str | float
    context: Sequence[str] | str
    position: str | None
    n: int | None
    interval: tuple[float, float]
    adaptive: bool


class LoggedDecisions:
    """T decisions of a policy that is no longer at hand, each with the probability that it had.

        arms           T whole numbers in 0, ..., n - 1; or names, which are numbered in their order
        rewards        T numbers in `interval`; or losses=
        propensities   T numbers in (0, 1]: how probable the arm was that was played; or one for all rows
        contexts       what the policy could look at: T x d numbers, a frame, a list of dicts; None: nothing
        positions      T whole numbers: where the arm was shown
        n              the number of arms; None: as many as are seen
        adaptive       True where the policy learned from these very rows: they depend on each other then

    Everything is checked once, here; the first bad value is named with its column and row (from 1).
    `outcomes` holds what was logged, `losses` the same as losses in [0, 1], which is what learners take.

    >>> log = LoggedDecisions([0, 1, 1], rewards=[1.0, 0.0, 1.0], propensities=0.5)
    >>> log
    LoggedDecisions(3 rows, 2 arms, rewards in [0, 1], mean 0.6667, propensities 0.5 to 0.5)
    >>> log.losses
    array([0., 1., 0.])
    >>> LoggedDecisions([0, 1], rewards=[1.0, 0.0], propensities=[0.5, 1.5])
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: propensity, row 2: 1.5 is not in (0, 1]
    """

    def __init__(
        self,
        arms: Any,
        rewards: Any = None,
        propensities: Any = None,
        *,
        losses: Any = None,
        contexts: Any = None,
        positions: Any = None,
        n: int | None = None,
        interval: tuple[float, float] = (0.0, 1.0),
        adaptive: bool = False,
        columns: dict[str, str] | None = None,
    ) -> None:
        if (rewards is None) == (losses is None):
            raise BadInput("a log holds rewards or losses: give one of the two")
        if propensities is None:
            raise BadInput("propensities: without them nothing is known about other policies")
        self.gains = losses is None  # is a larger outcome better?
        self.adaptive = adaptive
        names_of_columns = {"arm": "arm", "propensity": "propensity", "position": "position"}
        names_of_columns["outcome"] = "reward" if self.gains else "loss"
        names_of_columns |= columns or {}
        self.arms, self.names = number_arms(arms, n, names_of_columns["arm"])
        T = len(self.arms)
        self.n = len(self.names)
        low, high = self.interval = float(interval[0]), float(interval[1])
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise BadInput(f"interval must be two numbers, low < high, not {interval!r}")
        self.outcomes = column(rewards if self.gains else losses, T, names_of_columns["outcome"])
        refuse(
            (self.outcomes >= low) & (self.outcomes <= high),
            self.outcomes,
            names_of_columns["outcome"],
            f"is not in [{low:g}, {high:g}]; say interval=(low, high)",
        )
        if np.ndim(propensities) == 0:
            propensities = np.full(T, propensities)
        self.propensities = column(propensities, T, names_of_columns["propensity"])
        inside = (self.propensities > 0.0) & (self.propensities <= 1.0)
        refuse(inside, self.propensities, names_of_columns["propensity"], "is not in (0, 1]")
        self.positions = (
            None if positions is None else whole(positions, T, names_of_columns["position"])
        )
        if contexts is not None and not isinstance(contexts, Contexts):
            contexts = given_contexts(contexts, T)
        self.known: Contexts | None = contexts

    @classmethod
    def read(
        cls,
        data: Any,
        *,
        arm: str,
        reward: str | None = None,
        loss: str | None = None,
        propensity: str | float,
        context: Sequence[str] | str = (),
        position: str | None = None,
        n: int | None = None,
        interval: tuple[float, float] = (0.0, 1.0),
        adaptive: bool = False,
    ) -> Self:
        """A log from a frame, a list of dicts or a file (CSV, Parquet, JSON lines), by the names of the columns.

        `propensity` may be a number: 1/80 of a log that was drawn uniformly from 80 arms. `context` are names or
        globs; a column of text becomes one column of 0 and 1 for each of its values.
        """
        outcome = reward if loss is None else loss
        if outcome is None or (reward is not None and loss is not None):
            raise BadInput("name the column of the outcomes: reward= or loss=, one of the two")
        data = as_table(data)
        if not isinstance(data, str | os.PathLike) and columns_of(data) is None:
            raise BadInput(
                f"a log is read from a frame, a list of dicts or a file, not {type(data).__name__}"
            )
        context = [context] if isinstance(context, str) else list(context)
        # a dict, as one column may be two of these
        columns_read = dict.fromkeys((outcome, propensity, position))
        numeric = [c for c in columns_read if isinstance(c, str)]
        table, played = open_log(data, experts=numeric, losses=True, by=arm)
        values = dict(zip(numeric, table.T, strict=True))
        seen = read_contexts(data, outcome, context) if context else None
        y = values[outcome]
        return cls(
            played,
            y if loss is None else None,
            values[propensity] if isinstance(propensity, str) else propensity,
            losses=None if loss is None else y,
            contexts=seen,
            positions=None if position is None else values[position],
            n=n,
            interval=interval,
            adaptive=adaptive,
            columns={
                "arm": arm,
                "outcome": outcome,
                "propensity": str(propensity),
                "position": str(position),
            },
        )

    @classmethod
    def of(cls, run: Any, contexts: Any = None) -> Self:
        """The log of a bandit's own run: its arms, their losses, and its propensities."""
        if not isinstance(run, Run) or not run.traits.kind.has_arms:
            what = f"a run of {run.transcript.learner.key}" if isinstance(run, Run) else repr(run)
            raise BadInput(f"a log is made of the run of a bandit, not of {what:.80}")
        arms, p = run.arms, run.propensities
        made = cls(
            arms,
            losses=run.realised,
            propensities=p[np.arange(len(arms)), arms],
            contexts=contexts,
            n=p.shape[1],
            interval=run.traits.interval or (0.0, 1.0),
            adaptive=True,
        )
        if named_by_user(run.names):
            made.names = tuple(run.names)
        return made

    @property
    def contexts(self) -> Array | None:
        """T x d numbers, as learners take them."""
        return None if self.known is None else self.known.numbers

    @property
    def named(self) -> bool:
        """Do the arms have names, or are they numbered?"""
        return any(isinstance(name, str) for name in self.names)

    def number(self, arm: Any, where: str) -> int:
        """The number of an arm that is called by its name or its number; `where` begins the message about another."""
        if isinstance(arm, str):
            if arm in self.names:
                return self.names.index(arm)
            arms = some(self.names) if self.named else f"0, ..., {self.n - 1}, without names"
            raise BadInput(f"{where}: {arm!r:.60} is none of the arms of the log: {arms}")
        if isinstance(arm, bool) or not isinstance(arm, (int, np.integer)):
            raise BadInput(f"{where}: {arm!r:.60} is no arm: give its name or its number")
        if not 0 <= arm < self.n:
            raise BadInput(f"{where}: {arm} is not an arm in 0, ..., {self.n - 1}")
        return int(arm)

    @property
    def losses(self) -> Array:
        """Losses in [0, 1], as learners take them."""
        low, high = self.interval
        apart = high - self.outcomes if self.gains else self.outcomes - low
        return np.asarray(apart / (high - low))

    @property
    def uniform(self) -> bool:
        """Was every arm as probable as every other, in every row?"""
        return bool(np.all(np.abs(self.propensities * self.n - 1.0) < 1e-9))

    def floor(self, known: float | None = None) -> float:
        """The smallest propensity of any arm: `known` where it is given, or else the smallest that was logged."""
        least = float(self.propensities.min())
        if known is None:
            return least
        if not 0.0 < known <= least * (1.0 + 1e-9):  # 0.6/3 may be a little less than 0.2
            raise BadInput(
                f"floor must be in (0, {least:g}], the smallest propensity, not {known!r}"
            )
        return min(float(known), least)

    def where(self, rows: Any) -> LoggedDecisions:
        """The log of some of the rows, such as `log.positions == 1`; the arms stay what they are."""
        picked = np.asarray(rows)
        fewer = LoggedDecisions.__new__(LoggedDecisions)
        fewer.__dict__.update(self.__dict__)
        for name in ("arms", "outcomes", "propensities", "positions"):
            values = getattr(self, name)
            setattr(fewer, name, None if values is None else values[picked])
        fewer.known = None if self.known is None else self.known.where(picked)
        if not len(fewer):
            raise BadInput("no row of the log is left")
        return fewer

    def __len__(self) -> int:
        return len(self.arms)

    def __repr__(self) -> str:
        (low, high), p = self.interval, self.propensities
        d = 0 if self.contexts is None else self.contexts.shape[1]
        seen = f", {d} context feature{'s' * (d > 1)}" if d else ""
        what = "rewards" if self.gains else "losses"
        return (
            f"LoggedDecisions({len(self):,} row{'s' * (len(self) != 1)}, {self.n} arms{seen}, {what} in "
            f"[{low:g}, {high:g}], mean {self.outcomes.mean():.4g}, "
            f"propensities {p.min():.4g} to {p.max():.4g})"
        )


def log_of(data: Any, columns: Columns) -> LoggedDecisions:
    """The log itself, or the one that is read from a frame or a file by the names of its columns."""
    if isinstance(data, LoggedDecisions):
        if columns:
            raise BadInput(
                f"{next(iter(columns))}: a LoggedDecisions is read already; it names columns of a frame or a file"
            )
        return data
    for name, what in (("arm", "the arm that was played"), ("propensity", "how probable it was")):
        if name not in columns:
            raise BadInput(
                f"this is no LoggedDecisions but {type(data).__name__}: name its columns, "
                f"arm=, reward= or loss=, propensity=; {name} is missing, {what}"
            )
    return LoggedDecisions.read(data, **columns)
