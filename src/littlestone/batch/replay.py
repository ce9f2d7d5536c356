"""The rounds of a run, played again: the hypotheses that it went through, one before each round."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..core import losses
from ..core.checks import array
from ..core.engine import spaced
from ..core.errors import BadInput
from ..core.examples import count, part
from ..core.games import Advice, Classes, Coin, Convex, Draw, Labels, Tangent, Vote, inside
from ..core.learner import Learner
from ..core.live import Live, begin, twin
from ..core.live_examples import LiveExamples, matrix
from ..core.outcome import Outcome
from ..core.play import play
from ..core.run import Run
from ..core.stream import Array, Batch
from ..core.vectors import row


class Replay:
    """A run over T rounds that are in memory, all of them answered, none weighted, in one pass.

    `walk` visits the T hypotheses in turn: the live learner as it was before each round.
    """

    def __init__(self, run: Run) -> None:
        if not isinstance(run, Run):
            raise BadInput(f"a run of one learner is needed, not {type(run).__name__}")
        if run._data is None:
            raise BadInput("the rounds of this run were not kept in memory")
        self.run, self.x, self.y = run, run._data.x, run._data.y
        if self.x is None:
            raise BadInput("losses alone predict nothing: advice and outcomes are needed")
        self.T = len(self.y)
        self.examples = bool(run.learner.examples)
        self.game: Any = inside(run._s.game)
        if isinstance(self.game, Convex):
            raise BadInput(f"{run.key} plays points against losses: it predicts nothing")
        names = run.stream.labels
        if self.examples and names is not None:  # the learner may have codes of its own
            live: Any = run.learner._live
            codes = np.array([live.outcome(name) for name in names], dtype=np.float64)
            known = ~np.isnan(self.y)
            self.y = np.where(known, codes[np.where(known, self.y, 0.0).astype(int)], np.nan)
        weights = getattr(run._data, "h", np.ones(self.T))
        for wrong, why in (
            (run._s.started > 0, "it went on from an earlier run"),
            (run._s.delay > 0, "feedback came late"),
            (getattr(run, "passes", 1) > 1, "it saw its examples more than once"),
            (run.answered < self.T, "some rounds had no answer"),
            (run._s.facts.get("missing advice", 0) > 0, "some advice was missing"),
            (not (weights == 1.0).all(), "rounds have different importance"),
        ):
            if wrong:
                raise BadInput(f"online to batch needs T rounds, each seen once and alike: {why}")

    def fresh(self) -> Live:
        """The learner before its first round."""
        live = twin(self.run.learner)
        live.state, live.t = spaced(begin(live.learner, live.shape)), 0
        return live

    def after(self, t: int) -> Live:
        """The learner after t rounds."""
        if t == 0:
            return self.fresh()
        batch = Batch(part(self.x, 0, t), self.y[:t])
        stream = replace(self.run.stream, batches=[batch], rounds=t, whole=True)
        s = self.run._s
        again = play(
            self.run.learner.but(), stream, allocation=False, certify=False, record="none", seed=s.seed,
            horizon=self.T, engine=s.which,
        )  # fmt: skip
        return twin(again.learner)  # type: ignore[union-attr]

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
        """The action for one example, coded."""
        if isinstance(live, LiveExamples):
            return float(live.outcome(live.predict(x)))
        live.X[0] = x
        live.round(live.out, False, 0)
        return float(live.out.A[0])

    def learn(self, live: Live, t: int) -> None:
        if isinstance(live, LiveExamples):
            live.update(row(self.x, t), live.named(self.y[t]))
            return
        live.X[0], live.Y[0] = self.x[t], self.y[t]
        live.state = live.round(live.out, True, 0)
        live.t += 1

    def many(self, live: Live, X: Any) -> tuple[Any, Any]:
        """Decisions and actions (coded) for many examples, or rows of advice."""
        if isinstance(live, LiveExamples):
            return live.many(X)
        actions = np.array([self.acts(live, x) for x in X])
        return actions, actions

    # What is predicted, and what it costs.

    @property
    def counts_mistakes(self) -> bool:
        """Is the loss the number of mistakes, in expectation where labels are drawn?"""
        return isinstance(self.game, (Labels, Coin, Vote)) or (
            isinstance(self.game, Classes) and not self.game.probabilities
        )

    def span(self, given: float | None) -> float:
        """The largest loss M; NaN where nothing says it."""
        loss = getattr(self.game, "loss", None)
        known = 1.0 if self.counts_mistakes else math.nan
        if not self.examples and loss is not None and losses.declared(loss):
            known = losses.span(loss)
        if given is None:
            return known if math.isfinite(known) else math.nan
        worst = float(np.max(self.run.losses))
        if not given > 0.0 or worst > given:
            raise BadInput(f"span={given}: a round lost {worst:.6g}; span must be the largest loss")
        return float(given)

    def coded(self, X: Any, y: Any) -> tuple[Any, Array]:
        """Examples and outcomes as the game knows them."""
        live = self.run.learner._live
        assert live is not None
        if self.examples:
            codes = np.array([live.outcome(v) for v in np.asarray(y).tolist()], dtype=np.float64)
            return matrix(X), codes
        if live.labels is None:
            return array(X, "advice", 2), array(y, "outcomes", 1)
        rows = [live.codes(x) for x in X]
        return np.array(rows), np.array([live.code(v) for v in y], dtype=np.float64)

    def named(self, actions: Array) -> Any:
        """Actions as the user writes them."""
        live: Any = self.run.learner._live
        if self.examples:
            return actions if live.coder is None else live.coder.labels(actions)
        return actions if live.labels is None else np.array(live.labels)[actions.astype(int)]

    def costs(self, decisions: Any, actions: Array, y: Array) -> Array:
        """What each prediction costs."""
        found = np.empty(len(y))
        for t in range(len(y)):
            if self.examples:
                truth = Outcome(float(y[t]), 1.0)
                d, a = decisions[t], float(actions[t])
                shown = self.game.show(d, a, None, truth, None)
                found[t] = self.game.cost(d, a, truth, shown)
            else:
                found[t] = self.game.paid(float(actions[t]), float(y[t]))
        return found

    @property
    def mixes(self) -> bool:
        """Is the prediction linear in the weights of the experts?"""
        return isinstance(self.game, (Advice, Tangent, Draw))


def given(
    played: Any, X: Any, y: Any, holdout: float, test: Any
) -> tuple[Replay, tuple[Any, Any] | None]:
    """The rounds to convert, and examples to test on: from a run, or from a learner and a sample.

    Of a sample the last `holdout` part is not learned from, unless `test` is given.
    """
    if isinstance(played, Run):
        if X is not None or y is not None:
            raise BadInput("a run has its own examples: give either a run, or a learner and X, y")
        return Replay(played), test
    if not isinstance(played, (Learner, str)) or X is None or y is None:
        raise BadInput("give a run, or a learner (or its key) and a sample X, y")
    facade = importlib.import_module("littlestone.facade")  # it may import this room
    X = X if hasattr(X, "shape") else np.asarray(X)
    T, y = count(matrix(X)) if hasattr(X, "tocsr") else len(X), np.asarray(y)
    if len(y) != T:
        raise BadInput(f"there are {T} examples and {len(y)} outcomes")
    if test is None:
        if not 0.0 <= holdout < 1.0:
            raise BadInput(f"holdout, a part of the sample, must be in [0, 1), not {holdout}")
        m = T - int(holdout * T)
        if m < T:
            test = (X[m:], y[m:])
        X, y = X[:m], y[:m]
    return Replay(facade.play(played, X, y)), test
