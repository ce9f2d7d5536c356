"""Experts: they give advice and the world answers with an outcome, or the world shows a loss for each of them."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.game import ADVICE, LOSSES, Game
from ..engine.checks import HUGE, all_experts_sleep, array, outside, reach, refuse, row_name
from ..engine.memory import read_only
from ..games import Sleeping
from ..hindsight.folds.expert_folds import ExpertFolds
from .fit import fit_learner
from .setting import (
    DECLARE,
    DECLARE_PLAY,
    InitialInfo,
    Setting,
    by_name,
    entries,
    number_names,
    one_number,
)

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch

    AnyLearner = Learner[Any, Any, Any, Any]


FLOAT64 = np.dtype(np.float64)  # NumPy has one of them: `is` takes 23 ns, `== np.float64` 61 ns


class Experts(Setting):
    """What advice and losses share."""

    folds = ExpertFolds
    infinite = "every expert that still has weight has infinite loss"

    def allowed_range(self) -> tuple[float, float]:
        traits, loss = self.traits, self.traits.loss
        if traits.classes:  # labels, coded 0, 1, …
            return 0.0, float(self.shape.classes - 1) if traits.kind.has_advice else HUGE
        if not self.learner.bounded and not isinstance(loss, losses.LogLoss):
            return -HUGE, HUGE
        if traits.interval is not None:
            return float(traits.interval[0]), float(traits.interval[1])
        if loss is None or isinstance(loss, losses.ZeroOne) or not losses.has_interval(loss):
            return -HUGE, HUGE  # labels of the zero-one loss may be any numbers
        return float(loss.low), float(loss.high)

    @classmethod
    def fit(cls, learner: AnyLearner, game: Game, known: InitialInfo) -> Self:
        if cls.kind.has_advice and known.batch is not None and known.batch.x is None:
            raise BadInput(
                "these batches are arrays without outcomes: say losses=True where they hold the losses of the "
                "experts, or give batches (advice, outcomes)"
            )
        interval, sane, labels = known.interval, None, known.labels
        if known.batch is not None and learns_interval(learner, game, interval):
            interval, sane = learned_interval(game, known)
        learner, game, shape = fit_learner(learner, game, known.n, known.rounds, interval, labels)
        if labels is None and game.traits().classes:
            labels = (0, 1)
        made = cls(learner, game, shape, labels=labels, names=known.names)
        made.sane = sane
        return made


class Losses(Experts):
    """A loss for each expert; a learner of several tasks is told which task a round belongs to."""

    kind = LOSSES
    field = "losses"

    def buffers(self) -> None:
        self.X = np.zeros((1, int(self.learner.tasked)))
        self.Y = np.zeros((1, self.shape.n))
        self.views = read_only(self.X), read_only(self.Y)
        self.flat = self.views[1].reshape(-1)

    # Many rounds.

    def loop_inputs(self, batch: Batch) -> tuple[Any, Any]:
        x = np.empty((len(batch.y), 0)) if batch.x is None else batch.x
        return x, batch.y

    def numbers(self, x: Any, y: Any) -> Any:
        return y.reshape(-1)

    def fallback_game(self, x: Any, y: Any, first: Any, facts: dict[str, Any], asleep: str) -> Game:
        names = self.names or number_names(self.shape.n)
        refuse(y, self.low, self.high, first, names, "loss", False, DECLARE_PLAY)
        return self.game

    # One round.

    def example(self, x: Any) -> None:
        if self.learner.tasked:
            self.X[0, 0] = self.task(x)
        elif x is not None:
            raise BadInput(f"{self.learner.key} began with losses alone: update(losses)")

    def task(self, i: Any) -> float:
        """Which task a round belongs to; the first where that is not said."""
        most = int(self.learner.parameters.get("tasks") or 1)
        if i is None:
            return 0.0
        number = isinstance(i, (int, float, np.number)) and not isinstance(i, bool)
        if not number or i not in range(most):
            raise BadInput(
                f"task must be a number from 0 to {most - 1}, not {i!r:.80}", field="task", value=i
            )
        return float(i)

    def take(self, x: Any, y: Any, importance: float) -> None:
        """Put a round into the buffers: losses x, of the task y."""
        refuse_importance(importance)
        self.example(y)
        self.Y[0] = self.losses(x)

    def put_outcome(self, y: Any, action: Any = None) -> bool:
        given = self.losses(y)
        self.Y[0] = given
        self.refuse()
        return True

    def losses(self, y: Any) -> Any:
        if not (isinstance(y, np.ndarray) and y.dtype == np.float64):
            y = array(by_name(self, y, "expert"), "losses", 1)
        a = y
        if a.shape != (self.shape.n,):
            raise BadInput(
                f"losses must have {self.shape.n} entries, as in the first round, not {entries(a)}"
            )
        return a

    def refuse(self) -> None:
        refuse(
            self.Y, self.low, self.high, -1, number_names(self.shape.n), "loss", False, DECLARE
        )  # fmt: skip

    def fallback_game_of_row(self, first: bool) -> Game:
        self.refuse()
        return self.game

    def as_prediction(self, action: Any, decision: Any) -> Any:
        return decision.copy()


class Advice(Experts):
    """The advice of each expert, then the outcome. Advice that is missing (NaN): that expert sleeps."""

    kind = ADVICE
    field = "advice"

    @functools.cached_property
    def sleeper(self) -> Game:
        return Sleeping(self.game)

    def buffers(self) -> None:
        self.X, self.Y = np.zeros((1, self.shape.n)), np.zeros(1)
        self.views = read_only(self.X), read_only(self.Y)
        self.flat = self.views[0].reshape(-1)

    # Many rounds.

    def loop_inputs(self, batch: Batch) -> tuple[Any, Any]:
        return batch.x, batch.y

    def numbers(self, x: Any, y: Any) -> Any:
        return x.reshape(-1)

    def have_outcomes(self, y: Any) -> Any:
        return ~np.isnan(y)

    def check(self, x: Any, y: Any, first: Any, outcome: str) -> None:
        if outside(y, self.low, self.high):
            refuse(y, self.low, self.high, first, (), outcome, True, DECLARE_PLAY)

    def fallback_game(self, x: Any, y: Any, first: Any, facts: dict[str, Any], asleep: str) -> Game:
        refuse(x, self.low, self.high, first, self.names or (), "advice", True, DECLARE_PLAY)
        silent = all_experts_sleep(x)
        if silent.any():
            r = int(np.argmax(silent))
            if asleep != "last":
                raise BadInput(
                    f"{row_name(first, r)}: every expert is asleep (no advice at all); "
                    'asleep="last" repeats the last prediction'
                )
            if silent[0] and not facts["rounds before"]:
                raise BadInput(
                    f"{row_name(first, 0)}: every expert is asleep, and there is no prediction to repeat"
                )
        absent = np.isnan(x)
        facts["missing advice"] += int(absent.sum())
        facts["asleep"] = facts["asleep"] + absent[self.have_outcomes(y)].sum(axis=0)
        facts["rounds all asleep"] += int(silent.sum())
        return self.sleeper

    # One round.

    def example(self, x: Any) -> None:
        if x is None:
            raise BadInput(
                f"{self.learner.key} began with advice and an outcome: update(advice, outcome)"
            )
        as_it_is = type(x) is np.ndarray and x.dtype is FLOAT64 and self.labels is None
        a = x if as_it_is else self.numbers_of(x)
        if a.shape != self.flat.shape:
            raise BadInput(
                f"advice must have {self.shape.n} entries, as in the first round, not {entries(a)}"
            )
        self.X[0] = a

    def numbers_of(self, x: Any) -> Any:
        """Advice as an array of numbers: a list, an array, a row with names, or labels."""
        if not isinstance(x, np.ndarray):
            x = by_name(self, x, "expert", if_missing=math.nan)
        if self.labels is not None:
            x = self.codes(x)
        return x if isinstance(x, np.ndarray) and x.dtype == np.float64 else array(x, "advice", 1)

    def take(self, x: Any, y: Any, importance: float) -> None:
        """Put a round into the buffers: advice x and outcome y."""
        refuse_importance(importance)
        if y is None:
            self.example(None)
        self.example(x)
        self.Y[0] = self.outcome(y)

    def put_outcome(self, y: Any, action: Any = None) -> bool:
        self.Y[0] = self.outcome(y)
        return bool(self.Y[0] == self.Y[0])

    def outcome(self, y: Any) -> float:
        if self.labels is not None:
            return self.code(y)
        return one_number(y, "the outcome", self.low, self.high)

    def code(self, y: Any, where: str = "the outcome") -> float:
        """The code of a label; NaN where it is missing."""
        if isinstance(y, np.generic):
            y = y.item()
        if y is None or (isinstance(y, float) and y != y):
            return float("nan")
        try:
            if getattr(y, "shape", ()):  # an array or a frame equals nothing
                raise ValueError
            return float(self.labels.index(y))
        except ValueError:
            some = ", ".join(map(repr, self.labels))
            raise BadInput(
                f"{where}: unknown label {y!r:.80}; the labels are {some}",
                field=where.removeprefix("the ").partition(",")[0], value=y,
            ) from None  # fmt: skip

    def codes(self, x: Any) -> Any:
        try:
            each = list(x)
        except TypeError:
            raise BadInput(f"advice must be a list of labels, not {x!r:.80}") from None
        return np.array([self.code(v, f"advice, column '{i + 1}'") for i, v in enumerate(each)])

    def fallback_game_of_row(self, first: bool) -> Game:
        refuse(
            self.X, self.low, self.high, -1, number_names(self.shape.n), "advice", True, DECLARE
        )  # fmt: skip
        if first and np.isnan(self.X).all():
            raise BadInput(
                "advice: every expert is asleep in the first round, and there is no prediction to repeat"
            )
        return self.sleeper

    def as_prediction(self, action: Any, decision: Any) -> Any:
        return float(action) if self.labels is None else self.labels[int(action)]

    def decode(self, actions: Any) -> Any:
        """Predictions as the user wrote them."""
        return actions if self.labels is None else np.array(self.labels)[actions.astype(int)]


def refuse_importance(importance: float) -> None:
    if importance != 1.0:
        raise BadInput(
            f"importance={importance!r}: learners over experts take none", field="importance", value=importance
        )  # fmt: skip


def learns_interval(learner: AnyLearner, game: Game, interval: Any) -> bool:
    """Does the interval that a learner is fitted to follow from its first rounds?"""
    if interval is not None or not learner.bounded:
        return False
    traits = game.traits()
    return not traits.kind.has_advice or not (
        traits.loss is None or losses.has_interval(traits.loss)
    )


def learned_interval(game: Game, known: InitialInfo) -> tuple[tuple[float, float], Any]:
    """[0, 1], unless the first rounds leave it: then the interval that they span, and a remark.

    Also: the batch itself, where its entries were all found to be in that interval.
    """
    traits, batch = game.traits(), known.batch
    assert batch is not None
    alone = not traits.kind.has_advice
    shown = batch.y if alone else batch.x
    low, high = reach(shown)
    sane = batch if np.isfinite(low + high) else None  # nothing is missing, nothing will be outside
    if sane is None:  # fmin and fmax pass over NaN, and give NaN where all is NaN
        low, high = (float(f.reduce(shown, axis=None)) for f in (np.fmin, np.fmax))
    if not alone:
        low = float(np.fmin(low, np.fmin.reduce(batch.y)))
        high = float(np.fmax(high, np.fmax.reduce(batch.y)))
    if (low >= 0.0 and high <= 1.0) or not np.isfinite(low + high):
        return (0.0, 1.0), sane  # the check of the rounds will name what is not finite
    if alone:
        low = min(low, 0.0)
    if not low < high:
        low, high = low - 0.5, low + 0.5
    where = "all rounds" if known.whole else "the first batch"
    known.remarks.append(
        f"interval [{low:g}, {high:g}] learned from {where}; interval=(low, high) declares it"
    )
    return (low, high), sane
