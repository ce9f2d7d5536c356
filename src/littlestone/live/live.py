"""A learner that has begun, one round at a time: the same loop as `play`, called with one row.

Its state and the loop are in `begun`, tickets in `late`, predictions for many rows in `many`.
One thread at a time may use a live learner. For readers in other threads: `frozen`, a copy that never learns.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Self

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.errors import BadInput, not_finite
from ..core.game import ONE
from ..core.outcome import Outcome
from ..core.rows import BIG
from ..core.vectors import Rows, row
from ..encode.named_rows import holds_rows
from ..encode.strings import holds_strings
from ..engine.loops import glance, step
from ..engine.memory import copy
from ..engine.packed import clean, numbers
from . import many
from .begun import LEARN
from .late import Late


class Live(Late):
    """A learner that has begun: it predicts, learns, and says what it would decide."""

    def predict(self, x: Any = None) -> Any:
        """The action for a round, as the user sees it; an array of them for many rows."""
        if x is None and self.decides_alone and not self.packs:
            return self.weights()
        if (type(x) is not np.ndarray or x.ndim != 1) and holds_rows(x) and not self.one_context(x):
            return self.predict_rows(x)
        if self.learner.strings and holds_strings(x):
            return self.predict_rows(x)
        if self.packs:
            return self.predict_example(x)
        return self.predict_next(x)

    def predict_next(self, x: Any = None) -> Any:
        """The action for one round."""
        s: Any = self.setting
        self.look_at(x)
        W, A = self._rows
        return s.said(A.item() if self.traits.width == ONE else A.copy(), W)

    def look_at(self, x: Any) -> None:
        """Decide and act on one round, into W and out.A; a feature that was never learned from gets no place."""
        s: Any = self.setting
        self.begin_round()
        try:
            if self.traits.given == "examples":
                s.example(x, False)
                if self.learner.boolean:
                    s.refuse_fraction()
            else:
                s.example(x)
            if s.shape is not self.shape or s.flat is not self._seen:
                self.fit()
            self.look()
        except BaseException:
            self.take_back()
            raise

    def predict_example(self, x: Any) -> Any:
        """The action for one example of a game without scratch space: in compiled form, or in plain Python."""
        s: Any = self.setting
        learner = self.learner
        if learner.innate and s.sparse and not s.knows(x):
            return self.introduced(x).predict_example(x)
        s.example(x, False)
        if s.flat is not self._seen:
            self.fit()
        if learner.boolean:
            s.refuse_fraction()
        if self.which == "plain":
            a = glance(self.params, self.game, self.state, self.checked_row(), self.seed, self.t)
        else:
            a = (self._packed or self.packed).predict(self.t)
        if not isfinite(a):
            s.refuse(False)
            raise not_finite(self.learner.key, self.t, [a])
        return float(a) if s.coder is None else s.coder.label(a)

    def introduced(self, x: Any) -> Self:
        """A copy with places for the features of x: in an `innate` learner new features have a weight at once."""
        other = self.copied()
        other.setting.example(x)
        other.fit()
        return other

    def checked_row(self) -> Any:
        """The example in the buffers, for one row in plain Python."""
        s: Any = self.setting
        x = row(s.row, 0) if s.sparse else s.row
        if not clean(numbers(x), BIG):
            s.refuse()
        return x

    def update(self, x: Any, y: Any = None, importance: float = 1.0) -> None:
        """Learn from a round, or raise and leave everything as it was."""
        self.begin_round()
        try:
            if self.traits.given == "examples":
                self.update_example(x, y, importance)
            else:
                self.setting.take(x, y, importance)
                self.state = self.round(self.out, LEARN, 0)
        except BaseException:
            self.take_back()
            raise
        self.begin_round()  # what would take this one back is not kept until the next one
        self.t += 1

    def update_example(self, x: Any, y: Any, importance: float) -> None:
        s: Any = self.setting
        if y is None and not s.needs_outcome:
            y = 0.0
        if y is None:
            raise BadInput(
                f"{self.learner.key} needs examples and outcomes: update(x, y); "
                "a round without an answer has the outcome nan"
            )
        if not is_importance(importance):
            raise BadInput(f"importance must be a number of at least 0, not {importance!r:.80}")
        code = s.coded(y)  # before the example: what is wrong with a label is said first
        try:
            self.learn_example(x, code, importance)
        except BadLoss as problem:
            raise BadInput(f"round {self.t + 1}: {problem}") from problem.__cause__

    def learn_example(self, x: Any, code: float, importance: float) -> None:
        """Learn from one example with the outcome `code`."""
        s: Any = self.setting
        s.example(x)
        if code >= self.shape.classes and s.coder is not None:
            self.checked_row()  # first: an example that is refused must not make room for its class
            s.grow(classes=len(s.coder))
        if s.shape is not self.shape or s.flat is not self._seen:
            self.make_room()
        if self.learner.boolean:
            s.refuse_fraction()
        if not self.packs:
            s.Y.y[0], s.Y.h[0] = code, importance
            before = copy(self.state) if self.guarded else None
            self.state = self.round(self.out, LEARN, 0)
            if before is not None and np.isinf(self.out.C[0]):  # as `play` refuses it
                self.state = before
                raise BadLoss("the loss is infinite", s.flat)
        elif self.which == "plain":
            self.state = step(
                self.params, self.game, self.state, self.checked_row(), code, float(importance), self.seed, self.t
            )  # fmt: skip
        elif (self._packed or self.packed).update(code, float(importance), self.t):
            self._moved = True
        else:
            s.refuse()

    # Decisions.

    def weights(self) -> Any:
        """The decision for the next round, whatever its example."""
        if self.traits.given == "arms":
            s: Any = self.setting
            return self.decide(np.zeros(s.features) if s.features else None)
        if self.traits.given == "examples" and not self.decides_alone:
            if not hasattr(self.state, "w"):
                raise BadInput(
                    f"{self.learner.key} decides by example: see learner.state, or predict(x)"
                )
            return self.state.w.copy()
        return np.array(self.params.decide(self.state, row(self.setting.views[0], 0)), dtype=float)

    def decide(self, x: Any) -> Any:
        """The decision for a round: weights, propensities, a score, or a score for each class."""
        s: Any = self.setting
        if s.sparse and self.learner.innate and not s.knows(x):
            return self.introduced(x).decide(x)
        self.look_at(x)
        return self.decision

    def ask_score(self, x: Any) -> Any:
        """The score of an example, or a list with one for each class; nothing is learned."""
        found = self.decide(x)
        return found.tolist() if isinstance(found, np.ndarray) else found

    # Many examples.

    def predict_any(self, x: Any = None) -> Any:
        """One row, or many; a sparse matrix of one row holds many."""
        rows = (hasattr(x, "tocsr") and x.ndim == 2) or isinstance(x, Rows)
        return self.predict_rows(x) if rows else self.predict(x)

    def predict_rows(self, x: Any) -> Any:
        """The predictions for many rows: a matrix, CSR, a frame, a list of rows or of dicts. Nothing is learned."""
        return many.predict_rows(self, x)

    def predict_proba(self, x: Any) -> Any:
        """The probability of each class by its label; for many rows a matrix, a column for each of `labels`."""
        return many.predict_proba(self, x)

    def many(self, x: Any) -> tuple[Any, Any]:
        """Decisions and actions for many examples, learning from none."""
        return many.charged(self, x, None)[:2]

    def charged(self, x: Any, outcomes: Outcome | None = None) -> tuple[Any, Any, Any]:
        """Decisions, actions, and what each action costs where outcomes (coded) are given; NaN elsewhere."""
        return many.charged(self, x, outcomes)

    def frozen(self) -> Callable[..., Any]:
        """A function that predicts with a copy of what has been learned, and never learns; one row, or many."""
        from threading import Lock

        copy_, lock = self.copied(), Lock()

        def predict(x: Any = None) -> Any:
            with lock:  # threads may share this function, and the buffers hold one round
                return copy_.predict_any(x)

        return predict


def is_importance(h: Any) -> bool:
    """Is it one number, 0 or more?"""
    try:
        return bool(0.0 <= h <= BIG)
    except (TypeError, ValueError):
        return False
