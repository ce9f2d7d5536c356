"""Play the rounds of a run again, to get its hypotheses: one before each round."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.game import PER_COORDINATE, SEVERAL
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.rows import count, part
from ..core.stream import Array, Batch
from ..core.vectors import Rows, row
from ..encode.example_rows import matrix
from ..engine.checks import HUGE, array, refuse
from ..engine.memory import copy
from ..live.live import Live
from ..play.options import PlayOptions
from ..play.play import play
from ..play.play_stream import play_stream
from ..run.run import Run
from ..settings.setting import number_names
from .conversion import held_back, is_number


class Replay:
    """A run over T rounds that are in memory, all of them answered, none weighted, in one pass.

    `walk` visits the T hypotheses in turn: the live learner as it was before each round.
    """

    def __init__(self, run: Run) -> None:
        if not isinstance(run, Run):
            raise BadInput(f"a run of one learner is needed, not {type(run).__name__}")
        self.run, self.transcript, self.traits = run, run.transcript, run.traits
        data = self.transcript.data
        if data is None:
            raise BadInput("the rounds of this run were not kept in memory")
        if data.x is None:
            raise BadInput("losses alone predict nothing: advice and outcomes are needed")
        self.examples = self.traits.kind.has_examples
        if self.examples and self.traits.decision == PER_COORDINATE:
            raise BadInput(f"{run.key} plays points against losses: it predicts nothing")
        self.T, self.game = len(data.y), run.game
        for wrong, why in (
            (self.transcript.started > 0, "it went on from an earlier run"),
            (self.transcript.delay > 0, "feedback came late"),
            (self.transcript.passes > 1, "it saw its examples more than once"),
            (run.answered < self.T, "some rounds had no answer"),
            (self.transcript.facts.get("missing advice", 0) > 0, "some advice was missing"),
            (
                self.transcript.setting.compact,
                "its indices have large gaps: hash them (bits=18)",
            ),
            (data.h is not None and (data.h != 1.0).any(), "rounds have different importance"),
        ):
            if wrong:
                raise BadInput(f"online to batch needs T rounds, each seen once and alike: {why}")
        if run.stream.found and self.traits.classes == SEVERAL:
            self.run = self.declared()
            self.transcript = self.run.transcript
        self.x, self.y = data.x, self.transcript.codes
        # the stream knows the labels, and how they are coded
        self.live: Live = self.run.learner.begun().copied()

    def declared(self) -> Run:
        """The same rounds, with all classes declared: every hypothesis tells all of them apart."""
        kept, data = self.transcript, self.transcript.data
        assert data is not None
        batch = Batch(data.x, data.y)
        stream = replace(self.run.stream, batches=[batch], rounds=self.T, whole=True, found=False)
        again = play_stream(
            self.run.learner.replace(), stream, PlayOptions(seed=kept.seed, horizon=self.T, engine=kept.engine),
            allocation=False,
        )  # fmt: skip
        assert isinstance(again, Run)
        return again

    def fresh(self) -> Live:
        """The learner before its first round."""
        live = self.live
        return Live(self.uncoded(live), seed=live.seed, engine=live.engine)

    def uncoded(self, live: Live) -> Any:
        """The setting of a live learner that `walk` plays: advice is kept in codes, and must not be coded again."""
        s = live.setting
        if self.examples:
            return s.copied()
        return type(s)(s.learner, s.game, s.shape, names=s.names)

    def after(self, t: int) -> Live:
        """The learner after t rounds."""
        if t == 0:
            return self.fresh()
        kept, data = self.transcript, self.transcript.data
        assert data is not None  # or there would be no Replay
        batch = Batch(part(self.x, 0, t), data.y[:t])  # with the codes of the stream
        stream = replace(self.run.stream, batches=[batch], rounds=t, whole=True)
        options = PlayOptions(
            certify=False, record="none", seed=kept.seed, horizon=self.T, engine=kept.engine
        )
        again = play_stream(self.run.learner.replace(), stream, options, allocation=False)
        live: Live = again.learner.begun()  # type: ignore[union-attr]
        return Live(
            self.uncoded(live), seed=live.seed, state=copy(live.state), t=live.t, engine=live.engine,
            scratch=copy(live.scratch),
        )  # fmt: skip

    def walk(self, live: Live, conservative: bool = False) -> Iterator[tuple[int, bool]]:
        """Each round, with the hypothesis before it in `live`; was its label right (where there are labels)?

        A conservative walk learns only from mistakes.
        """
        for t in range(self.T):
            right = conservative and self.acts(live, row(self.x, t)) == self.y[t]
            yield t, right
            if not right:
                self.learn(live, t)

    def acts(self, live: Live, x: Any) -> float:
        """The action for one example, or one row of advice, coded."""
        action, setting = live.predict(x), cast(Any, live.setting)
        return float(setting.code_outcome(action)) if self.examples else float(action)

    def learn(self, live: Live, t: int) -> None:
        """Let the learner learn from round t."""
        y: Any = float(self.y[t])
        if self.examples and live.coder is not None:
            y = live.coder.label(y)
        live.update(row(self.x, t), y)

    def many(self, live: Live, X: Any) -> tuple[Any, Any]:
        """Decisions and actions (coded) for many examples, or rows of advice."""
        if self.examples:
            return live.many(X)
        actions = np.array([self.acts(live, x) for x in X])
        return actions, actions

    # Predictions and their losses.

    @property
    def counts_mistakes(self) -> bool:
        """Is the loss the number of mistakes, in expectation where labels are drawn?"""
        return bool(self.traits.counts_mistakes)

    def span(self, given: float | None) -> float:
        """The largest loss M: as given, or that of the loss on a declared interval; NaN where neither is known."""
        loss = self.traits.loss
        known = 1.0 if self.counts_mistakes else math.nan
        declared = self.transcript.declared or isinstance(loss, (losses.LogLoss, losses.ZeroOne))
        if not self.examples and declared and loss is not None and losses.has_interval(loss):
            known = losses.span(loss)
        if given is None:
            return known if math.isfinite(known) else math.nan
        if not is_number(given) or not 0.0 < given < math.inf:
            raise BadInput(f"span, the largest loss, must be a number above 0, not {given!r:.60}")
        worst = float(np.max(self.run.losses))
        if worst > given:
            raise BadInput(f"span={given}: a round lost {worst:.6g}; span must be the largest loss")
        if given < 1.0 and self.counts_mistakes and not self.traits.draws:
            raise BadInput(f"span={given}: a mistake costs 1; span must be the largest loss")
        return float(given)

    @property
    def mistakes(self) -> float | None:
        """The mistakes of the run, expected ones where labels are drawn; None where there are no labels."""
        drawn = self.traits.draws and isinstance(self.traits.loss, losses.ZeroOne)
        if self.counts_mistakes or drawn:
            return float(self.run.loss)
        if self.traits.classes:
            return float(self.run.mistakes)
        return None

    def refuse_mistakes(self, bound: float, more: float = 0.0) -> None:
        """Refuse a bound on mistakes that this run exceeds, or the `more` mistakes of another walk."""
        if self.mistakes is None:
            raise BadInput(
                f"mistakes={bound:g}: only labels can be wrong; these predictions are numbers"
            )
        there = max(self.mistakes, more)
        if there > bound * (1.0 + 1e-9):  # expected mistakes are sums of rounded numbers
            raise BadInput(
                f"mistakes={bound:g}: there were {there:.6g}, so that is no bound on them"
            )

    def coded(self, X: Any, y: Any) -> tuple[Any, Array]:
        """Examples and outcomes as the game knows them."""
        s: Any = self.live.setting
        if self.examples:
            codes = np.array([s.code_outcome(v) for v in np.asarray(y).tolist()], dtype=np.float64)
            return matrix(X), codes
        n = self.x.shape[1]
        if s.labels is None:
            rows, outcomes = array(X, "advice", 2), array(y, "outcomes", 1)
        else:
            rows = [s.codes(x) for x in X]
            outcomes = np.array([s.code(v) for v in y], dtype=np.float64)
        for r, x in enumerate(rows):
            if len(x) != n:
                raise BadInput(f"row {r + 1}: advice must have {n} entries, not {len(x)}")
        advice = np.asarray(rows, dtype=np.float64).reshape(len(rows), n)
        refuse(advice, -HUGE, HUGE, 0, number_names(n), "advice", False)
        return advice, outcomes

    def tested(self, test: tuple[Any, Any]) -> tuple[Any, Array]:
        """Examples to test on, coded; each of them has an outcome."""
        X, y = self.coded(*test)
        missing = np.flatnonzero(np.isnan(y))
        if len(missing):
            raise BadInput(f"test: row {missing[0] + 1} has no outcome")
        return X, y

    def written(self, actions: Array) -> Any:
        """Actions as the user writes them."""
        return self.live.setting.decode(actions)

    def costs(self, decisions: Any, actions: Array, y: Array) -> Array:
        """What each prediction costs."""
        found = np.empty(len(y))
        for t in range(len(y)):
            if self.examples:
                truth = Outcome(float(y[t]), 1.0)
                d, a = decisions[t], float(actions[t])
                shown = self.game.feedback(d, a, None, truth, None)
                found[t] = self.game.cost(d, a, truth, shown)
            else:
                found[t] = self.game.realised_cost(float(actions[t]), float(y[t]))
        return found

    @property
    def mixes(self) -> bool:
        """Is the prediction linear in the weights of the experts?"""
        return bool(self.traits.averages)


def find_rounds(
    played: Any, X: Any, y: Any, holdout: float, test: Any
) -> tuple[Replay, tuple[Any, Any] | None]:
    """The rounds to convert, and examples to test on: from a run, or from a learner and a sample.

    Of a sample the last `holdout` part is not learned from, unless `test` is given.
    """
    holdout, test = held_back(holdout), pair_test(test)
    if isinstance(played, Run):
        if X is not None or y is not None:
            raise BadInput("a run has its own examples: give either a run, or a learner and X, y")
        return Replay(played), test
    if not isinstance(played, (Learner, str)) or X is None or y is None:
        raise BadInput("give a run, or a learner (or its key) and a sample X, y")
    X = X if hasattr(X, "shape") else np.asarray(X)
    X, y, test = divided(X, np.asarray(y), holdout, test)
    return Replay(play(played, X, y)), test


def divided(X: Any, y: Any, holdout: float, test: Any) -> tuple[Any, Any, Any]:
    """What is learned from, and what is tested on: the last part of the sample, unless there is a test."""
    T = length(X)
    if length(y) != T:
        raise BadInput(f"there are {T} examples and {length(y)} outcomes")
    m = T - int(holdout * T)
    if test is not None or m == T:
        return X, y, test
    return X[:m], y[:m], (X[m:], y[m:])


def pair_test(test: Any) -> Any:
    """(X, y) with as many examples as outcomes; None where there is no test."""
    if test is None:
        return None
    if not isinstance(test, (tuple, list)) or len(test) != 2:
        raise BadInput(f"test must be a pair (X, y), not {test!r:.60}")
    X, y = test
    if length(X) != length(y):
        raise BadInput(f"test: there are {length(X)} examples and {length(y)} outcomes")
    return X, y


def length(v: Any) -> int:
    """How many rows are there?"""
    if isinstance(v, Rows):
        return count(v)
    shape = getattr(v, "shape", None)
    if shape == () or isinstance(v, str) or not (shape or hasattr(v, "__len__")):
        raise BadInput(f"examples and outcomes must be lists or arrays, not {v!r:.60}")
    return int(shape[0] if shape else len(v))
