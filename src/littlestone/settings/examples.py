"""Examples, dense or sparse; the learner predicts a label or a number for each.

The first example says whether examples are dense (a list of numbers) or sparse (a dict of named features, a sparse
row). Sparse ones may bring features, and any may bring classes, that were not there before: the state grows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..core.errors import BadInput
from ..core.game import EXAMPLES, ONE, PER_COORDINATE, SEVERAL, Game, Shape
from ..core.outcome import Outcome
from ..core.rows import BIG, are_units, capacity, count, flat, part, unit_weights, width_of
from ..core.vectors import Rows
from ..encode.example_rows import kind, refuse_fraction
from ..engine.checks import outside, refuse, refuse_indices
from ..games import with_offset
from ..hindsight.folds.totals import ExampleFolds
from .one_example import OneExample
from .setting import InitialInfo
from .sizes import refuse_gaps, refuse_size

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch
    from ..encode.labels import LabelEncoder

    AnyLearner = Learner[Any, Any, Any, Any]


class Examples(OneExample):
    """Many examples, then their outcomes and their importance."""

    kind = EXAMPLES
    folds = ExampleFolds
    largest_noted = 1024

    @classmethod
    def fit(cls, learner: AnyLearner, game: Game, known: InitialInfo) -> Self:
        n, sparse = known.n, known.sparse
        if known.offset >= 0:
            game = with_offset(game, known.offset + int(learner.intercept))
        traits = game.traits()
        if known.batch is not None:
            n, sparse = (
                known.batch.width or width_of(known.batch.x),
                isinstance(known.batch.x, Rows),
            )
        if sparse:
            refuse_sparse(learner, game)
        there = n + int(learner.intercept) if n > 0 else 0
        room = capacity(n, bool(learner.intercept), sparse)
        several = traits.classes == SEVERAL
        labels, declared = labels_to_begin_with(known, several)
        classes = max(1, len(labels or ())) if several else 2
        shape = Shape(room, known.rounds, 1.0, classes, known.table or there)
        refuse_size(learner, shape)
        if sparse and known.batch is not None and not known.hashed:
            refuse_gaps(learner, shape, len(known.batch.x.index))
        known.remarks += filter(None, [learner.remark(shape)])
        # rates follow from the features that there are, not from the room for more: dense or sparse, they are the same
        tuned = learner.tuned(shape._replace(n=there) if there else shape, game)
        refuse_labels(learner, game, labels)
        width, names = (-1, None) if sparse else (n, known.names)
        return cls(
            tuned, game, shape, labels=labels, names=names, width=width, declared=declared
        )  # fmt: skip

    # Many rounds.

    def matches(self, batch: Batch, names: tuple[str, ...]) -> None:
        width, sparse = batch.width or width_of(batch.x), isinstance(batch.x, Rows)
        if self.sparse != sparse or not (self.sparse or self.width == width):
            raise BadInput(
                f"{self.learner.key} was trained on {kind(self.sparse)} examples of {self.width} features; "
                f"these are {kind(sparse)}, of {width}"
            )
        if not sparse:
            self.same_names(names)

    def fit_in(self, batch: Batch, labels: Any, found: bool = False) -> Shape:
        width = batch.width or width_of(batch.x)
        if isinstance(batch.x, Rows) != self.sparse:
            raise BadInput("examples must be all dense or all sparse")
        if not self.sparse and width != self.width:
            raise BadInput(
                f"row {batch.first + 1}: an example must have {self.width} features, "
                f"as the first one, not {width}"
            )
        self.newcomers = ()
        if labels is not None and self.coder is not None:
            self.fit_labels(batch, self.coder, labels, found)
        if self.sparse:
            self.met += len(batch.x.index)
        if self.sparse or self.traits.classes == SEVERAL:
            self.grow(width if self.sparse else 0, self.known)
        return self.shape

    def fit_labels(self, batch: Batch, coder: LabelEncoder, labels: Any, found: bool) -> None:
        """Give the labels of a stream their codes: all at once, or where they were found, as they come."""
        refuse_labels(self.learner, self.game, labels)
        if not (found and self.traits.classes == SEVERAL):
            codes = np.array([coder.code(y) for y in labels])
            self.known = len(coder.known)
        else:
            self.known = len(coder.known)
            if self.late:
                codes = coder.known_codes(labels)
            else:
                codes, self.newcomers = coder.meet(batch.y, labels)
                refuse_size(self.learner, self.shape._replace(classes=len(coder)))
        same = np.array_equal(codes, np.arange(len(codes)))
        self.recode = None if same and not self.late else codes

    def welcome(self) -> Shape:
        self.known += 1
        self.grow(classes=self.known)
        return self.shape

    def have_outcomes(self, y: Any) -> Any:
        return ~np.isnan(y.y) & (y.h > 0.0)

    def loop_inputs(self, batch: Batch) -> tuple[Any, Any]:
        h = unit_weights(len(batch.y)) if batch.h is None else batch.h
        # labels that come late get their codes when they arrive
        same = self.late or self.recode is None
        return batch.x, Outcome(batch.y if same else self.recode_outcomes(batch.y), h)

    def recode_outcomes(self, y: Any) -> Any:
        """Codes of a stream as the learner codes them."""
        if self.recode is None:
            return y
        known = ~np.isnan(y)
        if not known.any():
            return y
        return np.where(known, self.recode[np.where(known, y, 0.0).astype(int)], np.nan)

    def check(self, x: Any, y: Any, first: Any, outcome: str) -> None:
        if not are_units(y.h) and outside(y.h, 0.0, BIG):
            refuse(y.h, 0.0, BIG, first, (), "importance", False)
        if self.coder is None and outside(y.y, -BIG, BIG):
            refuse(y.y, -BIG, BIG, first, (), outcome, True)
        if self.learner.boolean:
            self.refuse_fractions(x, first)
        if self.limits is not None:
            refuse_indices(x, self.limits, first, self.names or ())

    def refuse_fractions(self, x: Any, first: Any) -> None:
        """Name the first row with a feature that is neither 0 nor 1."""
        v = flat(x)
        if outside(v, 0.0, 1.0) or ((v != 0.0) & (v != 1.0)).any():
            for r in range(count(x)):
                try:
                    refuse_fraction(flat(part(x, r, r + 1)), self.learner.key)
                except BadInput as problem:
                    number = int(first[r]) if isinstance(first, np.ndarray) else first + r
                    raise BadInput(f"row {number + 1}: {problem}") from None

    def fallback_game(self, x: Any, y: Any, first: Any, facts: dict[str, Any], asleep: str) -> Game:
        if not isinstance(x, Rows):
            refuse(x, -BIG, BIG, first, self.names or (), "feature", False)
            return self.game
        k = int(np.argmax(~(np.abs(x.value) <= BIG)))
        r = int(np.searchsorted(x.indptr, k, "right")) - 1
        number = int(first[r]) if isinstance(first, np.ndarray) else first + r
        name = (self.name_of(int(x.index[k])),)
        refuse(x.value[None, k : k + 1], -BIG, BIG, number, name, "feature", False)
        return self.game

    def decode(self, actions: Any) -> Any:
        """Predictions as the user wrote them."""
        if self.coder is None or self.traits.width != ONE:
            return actions
        return self.coder.labels(actions)


def labels_to_begin_with(known: InitialInfo, several: bool) -> tuple[Any, bool]:
    """The labels that have codes before the first round, and whether the user named all `several` of them."""
    labels = known.labels
    if several:
        return (() if known.found else labels), not known.found and labels is not None
    if labels is not None and len(labels) == 1:
        labels = None  # one label alone: 1 is the second class all the same
    return labels, False


def refuse_labels(learner: AnyLearner, game: Game, labels: Any) -> None:
    """Refuse more than two labels where a learner tells two classes apart."""
    if game.traits().classes == 2 and labels is not None and len(labels) > 2:
        some = ", ".join(repr(y) for y in labels[:5])
        raise BadInput(
            f"{learner.key} tells two classes apart; here are {len(labels)}: {some}"
            f"{', …' if len(labels) > 5 else ''}; "
            "for several classes: multiclass-perceptron, multiclass-passive-aggressive, softmax"
        )


def refuse_sparse(learner: AnyLearner, game: Game) -> None:
    """Refuse sparse examples where a learner, or its decision, has a number for each feature."""
    if not learner.sparse or game.traits().decision == PER_COORDINATE:
        raise BadInput(f"{learner.key} takes dense examples (lists of numbers), not sparse ones")
