"""Examples, dense or sparse, and what is to be said of each: a label or a number.

The first example says whether examples are dense (a list of numbers) or sparse (a dict of named features, a sparse
row). Sparse ones may bring features, and any may bring classes, that were not there before: the state grows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..core.csr import is_sparse, rows_of
from ..core.errors import BadInput
from ..core.game import ONE, PER_COORDINATE, SEVERAL, Game, Shape
from ..core.hashing import places
from ..core.outcome import Outcome
from ..core.rows import BIG, capacity, count, flat, part, width_of, with_constant
from ..core.vectors import Constant, Rows, Sparse
from ..core.views import view
from ..core.words import features
from ..engine.checks import array, outside, refuse, refuse_indices
from ..engine.memory import read_only
from ..hindsight.folds.counts import ExampleBooks
from .labels import Coder
from .named_rows import in_order, named_row
from .setting import Known, Setting, by_name, entries, named_by_user, numbered
from .sizes import refuse_size
from .vocabulary import one_number

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch, Stream

    AnyLearner = Learner[Any, Any, Any, Any]

ONES = np.empty(0)
NOTED = 1024  # coordinates of a state up to which notes are taken along the way


class Examples(Setting):
    """An example, then its outcome and its importance."""

    given = "examples"
    entrants = "features"
    infinite = "the loss is infinite"
    known = 0  # classes that have occurred, or were declared

    def __init__(
        self,
        learner: AnyLearner,
        game: Game,
        shape: Shape,
        *,
        labels: Any = None,
        names: Any = None,
        width: int = -1,
        features: dict[Any, int] | None = None,
        bits: int | None = None,
        columns: Any = (),
        interactions: Any = (),
        words: Any = (),
        ngram: int = 1,
    ) -> None:
        """`width`: the features of a dense example; -1 where examples are sparse.

        `bits`: names were hashed to 2^bits places; None: they were not; 0: an earlier version did not write it down.
        """
        self.width, self.features, self.bits = width, features or {}, bits
        self.columns = tuple((str(name), bool(text)) for name, text in columns)  # of a hashed table
        self.interactions = tuple(interactions)
        self.words, self.ngram = tuple(words), ngram
        self.intercept = bool(learner.intercept)
        self.coder = coder(learner, game, labels)
        self.recode: Any = (
            None  # codes of a stream -> codes that the learner knows; None: they are the same
        )
        self.room = 64  # nonzeros that the buffer of a sparse example holds
        super().__init__(learner, game, shape, names=names)
        self.low, self.high = -BIG, BIG
        self.needs_outcome = self.traits.needs_outcome

    @classmethod
    def fitted(cls, learner: AnyLearner, known: Known) -> Self:
        n, sparse, labels = known.n, known.sparse, known.labels
        found = known.found and learner.game(False).traits().classes == SEVERAL
        if known.batch is not None:
            n, sparse = known.batch.width or width_of(known.batch.x), is_rows(known.batch.x)
        game = learner.game(False)
        traits = game.traits()
        if sparse and (not learner.sparse or traits.decision == PER_COORDINATE):
            raise BadInput(
                f"{learner.key} takes dense examples (lists of numbers), not sparse ones"
            )
        labels = () if found else labels
        classes = max(1, len(labels or ())) if traits.classes == SEVERAL else 2
        there = n + int(learner.intercept) if n > 0 else 0
        room = capacity(n, bool(learner.intercept), sparse)
        shape = Shape(room, int(known.rounds or 0), 1.0, classes, there)
        refuse_size(learner, shape)
        # rates follow from the features that there are, not from the room for more: dense or sparse, they are the same
        tuned = learner.tuned(shape._replace(n=there) if there else shape, game)
        refuse_labels(learner, game, labels)
        if labels is not None and len(labels) == 1 and traits.classes == 2:
            labels = None  # one label alone: 1 is the second class all the same
        names = None if sparse else known.names
        return cls(tuned, game, shape, labels=labels, names=names, width=-1 if sparse else n)

    @property
    def labels(self) -> Any:
        return None if self.coder is None else self.coder.known

    @property
    def sparse(self) -> bool:  # type: ignore[override]
        return self.width < 0

    def more(self) -> dict[str, Any]:
        found = {"width": self.width, "features": dict(self.features), "bits": self.bits}
        if self.columns:
            found["columns"] = [list(column) for column in self.columns]
        if self.interactions:
            found["interactions"] = list(self.interactions)
        return found | ({"words": list(self.words), "ngram": self.ngram} if self.words else {})

    def copied(self) -> Self:
        made = type(self)(
            self.learner, self.game, self.shape, labels=None if self.labels is None else list(self.labels),
            names=self.names, **self.more(),
        )  # fmt: skip
        made.recode = self.recode
        return made

    def buffers(self) -> None:
        self.Y = Outcome(np.zeros(1), np.ones(1))
        answer = read_only(self.Y)
        if self.sparse:
            size = self.room
            self.X = Rows(np.zeros(2, np.int64), np.zeros(size, np.int32), np.zeros(size))
            seen = read_only(self.X)
            self.flat, x = seen.value, seen
            if self.intercept:
                x = Constant(seen, np.zeros(size + 1, np.int32), np.zeros(size + 1))
            self.row = x  # what compiled code for one example reads
        else:
            self.X = np.zeros((1, self.width))
            seen = read_only(self.X)
            self.flat, x = seen.reshape(-1), with_constant(seen, self.intercept)
            self.row = np.ones(self.width + 1) if self.intercept else self.X[0]
        self.views = x, answer

    # Many rounds.

    def matches(self, batch: Batch, names: tuple[str, ...]) -> None:
        width, sparse = batch.width or width_of(batch.x), is_rows(batch.x)
        if self.sparse != sparse or not (self.sparse or self.width == width):
            raise BadInput(
                f"{self.learner.key} was trained on {kind(self.sparse)} examples of {self.width} features; "
                f"these are {kind(sparse)}, of {width}"
            )
        if not sparse:
            self.same_names(names)

    def fit_in(self, batch: Batch, labels: Any, found: bool = False) -> Shape:
        width = batch.width or width_of(batch.x)
        if is_rows(batch.x) != self.sparse:
            raise BadInput("examples must be all dense or all sparse")
        if not self.sparse and width != self.width:
            raise BadInput(
                f"row {batch.first + 1}: an example must have {self.width} features, "
                f"as the first one, not {width}"
            )
        refuse_labels(self.learner, self.game, labels)
        classes, self.newcomers = 0, ()
        if labels is not None and self.coder is not None:
            classes = self.known = len(self.coder)
            if found and self.traits.classes == SEVERAL:
                codes, self.newcomers = self.coder.meet(batch.y, labels)
            else:
                codes = np.array([self.coder.code(y) for y in labels])
                classes = len(self.coder)
            same = np.array_equal(codes, np.arange(len(codes)))
            self.recode = None if same else codes
        self.grow(width if self.sparse else 0, classes)
        return self.shape

    def welcome(self) -> Shape:
        self.known += 1
        self.grow(classes=self.known)
        return self.shape

    def answered(self, y: Any) -> Any:
        return ~np.isnan(y.y) & (y.h > 0.0)

    def grow(self, width: int = 0, classes: int = 0) -> None:
        """Make room for later features or classes."""
        n = max(self.shape.n, capacity(width, self.intercept, True) if width else 0)
        if self.traits.classes != SEVERAL:
            classes = 0
        shape = self.shape._replace(n=n, classes=max(self.shape.classes, classes))
        if shape != self.shape:
            self.shape = shape

    @property
    def notes_along(self) -> bool:
        # those of a large state would take longer than the rounds
        return bool(self.learner.noted) and self.shape.n <= NOTED

    def books(
        self, *, certify: bool, rounds: int, started: int, whole: bool, shifts: int | None
    ) -> Any:
        return ExampleBooks(rounds)

    def fold(
        self, books: Any, totals: list[Any], t: int, x: Any, y: Any, out: Any, marks: Any
    ) -> None:
        books.fold(totals, t, out, y.h, ones(y.h), marks)

    def rounds(self, batch: Batch) -> tuple[Any, Any]:
        h = alike(len(batch.y)) if batch.h is None else batch.h
        return batch.x, Outcome(self.recoded(batch.y), h)

    def recoded(self, y: Any) -> Any:
        """Codes of a stream as the learner codes them."""
        if self.recode is None:
            return y
        known = ~np.isnan(y)
        return np.where(known, self.recode[np.where(known, y, 0.0).astype(int)], np.nan)

    def check(self, x: Any, y: Any, first: Any, outcome: str) -> None:
        if not ones(y.h) and outside(y.h, 0.0, BIG):
            refuse(y.h, 0.0, BIG, first, (), "importance", False)
        if self.coder is None and outside(y.y, -BIG, BIG):
            refuse(y.y, -BIG, BIG, first, (), outcome, True)
        if self.learner.boolean:
            self.refuse_fractions(x, first)
        if self.learner.limits is not None:
            refuse_indices(x, self.learner.limits, first, self.names or ())

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

    def instead(self, x: Any, y: Any, first: Any, facts: dict[str, Any], asleep: str) -> Game:
        if not isinstance(x, Rows):
            refuse(x, -BIG, BIG, first, self.names or (), "feature", False)
            return self.game
        k = int(np.argmax(~(np.abs(x.value) <= BIG)))
        r = int(np.searchsorted(x.indptr, k, "right")) - 1
        number = int(first[r]) if isinstance(first, np.ndarray) else first + r
        name = (str(int(x.index[k])),)
        refuse(x.value[None, k : k + 1], -BIG, BIG, number, name, "feature", False)
        return self.game

    def decode(self, actions: Any) -> Any:
        """Predictions as the user wrote them."""
        numbers = self.coder is None or self.traits.width != ONE
        return actions if numbers else self.coder.labels(actions)  # type: ignore[union-attr]

    # One round.

    def example(self, x: Any, new: bool = True) -> None:
        """Put an example into the buffers; `new` features are given a place, or else left out."""
        if self.sparse:
            self.sparse_example(x, new)
            return
        a = x if isinstance(x, np.ndarray) and x.dtype == np.float64 else self.dense(x)
        if a.shape != self.flat.shape:
            raise BadInput(
                f"an example must have {self.width} features, as the first one, not {entries(a)}"
            )
        if self.learner.limits is not None:
            names = self.names or numbered(self.width)
            refuse_indices(a[None], self.learner.limits, -1, names)
        self.X[0] = a
        if self.intercept:
            self.row[1:] = a

    def dense(self, x: Any) -> Any:
        """A list of numbers; or a dict or a row of a frame, where the learner was trained on features with names."""
        if isinstance(x, Mapping) and not named_by_user(self.names):
            raise BadInput(
                "the first example was a list of numbers, this one is a dict: choose one of the two"
            )
        x = one_number(self.learner.vocabulary, x)
        if isinstance(x, str):
            raise BadInput(f"an example must be numbers or a dict, not the text {x!r:.80}")
        found = by_name(self, x, "feature")
        return array(one_number(self.learner.vocabulary, found, found is not x), "an example", 1)

    def sparse_example(self, x: Any, new: bool) -> None:
        index, value = self.placed(x, new)
        top = int(index.max()) + 1 if len(index) else 0
        room = self.shape.n - int(self.intercept)
        if top > room:
            if new:
                self.grow(top)
            else:
                inside = index < room
                index, value = index[inside], value[inside]
        m = len(index)
        if m > len(self.X.index):
            self.room = 2 * m
            self.buffers()
        self.X.indptr[1], self.X.index[:m], self.X.value[:m] = m, index, value

    def placed(self, x: Any, new: bool) -> tuple[Any, Any]:
        """Places and values of the features of a sparse example: a sparse row, a row with names, a line of VW text."""
        if isinstance(x, str):
            if not self.bits or self.columns:
                raise BadInput(
                    f"{self.learner.key} was not trained on VW text: {x!r:.60} is no example"
                )
            index, value = view("vw_line")(x, self.bits, self.interactions)
            return index, value
        row = named_row(x)
        return indexed(x) if row is None else self.named_features(row, new)

    def named_as(self, stream: Stream) -> None:
        self.bits = stream.bits or self.bits
        self.columns = stream.columns or self.columns
        self.interactions = stream.interactions or self.interactions
        if stream.words:
            self.words, self.ngram = stream.words, stream.ngram

    def named_features(self, x: Mapping[Any, Any], new: bool) -> tuple[Any, Any]:
        """A dict of features: text is a feature of its own, "name=text"; None is one that is missing.

        New names get their places in alphabetical order, and features stand in the order of their places: what is
        learned does not depend on the order of a dict, bit for bit. Where the learner was trained on hashed names,
        names are hashed here too.
        """
        if self.bits:
            return self.hashed_features(x)
        known, pairs = self.features, []
        unknown: dict[Any, Any] = {}
        for name, v in x.items():
            if isinstance(v, str):
                name, v = f"{name}={v}", 1.0
            elif v is None:
                continue
            at = known.get(name)
            if at is not None:
                pairs.append((at, v))
            elif new:
                unknown[name] = v
        fresh = {name: len(known) + i for i, name in enumerate(sorted(unknown, key=str))}
        pairs += [(at, unknown[name]) for name, at in fresh.items()]
        try:
            pairs.sort()
            numbers = np.array([v for _, v in pairs], np.float64)
            index = np.array([at for at, _ in pairs], np.int32)
            if numbers.ndim != 1:  # lists of one length
                raise TypeError
        except (TypeError, ValueError, OverflowError):
            name, v = next((k, v) for k, v in x.items() if not (v is None or is_value(v)))
            raise BadInput(f"feature {name!r} must be a number or text, not {v!r:.80}") from None
        if not (np.abs(numbers) <= BIG).all():
            names = {at: name for name, at in {**known, **fresh}.items()}
            refuse_value([names[at] for at in index.tolist()], numbers)
        known.update(fresh)
        return index, numbers

    def hashed_features(self, x: Mapping[Any, Any]) -> tuple[Any, Any]:
        """The same for a learner that was trained on a table with text: names are hashed as they were there."""
        names, values = [], []
        if self.interactions:
            raise BadInput(
                f"{self.learner.key} was trained with interactions ({', '.join(self.interactions)}), which a dict does "
                "not have: predict a file with `littlestone predict`"
            )
        if self.columns:
            x = self.as_columns(x)
        for name, v in x.items():
            if v is None:
                continue
            if not is_value(v):
                raise BadInput(f"feature {name!r} must be a number or text, not {v!r:.80}")
            text = isinstance(v, str)
            if text and name in self.words:
                parts = features(str(name), v, self.ngram)
                names += parts
                values += [1.0] * len(parts)
                continue
            names.append(f"{name}={v}" if text else str(name))
            values.append(1.0 if text else float(v))
        numbers = np.array(values, np.float64)
        if not (np.abs(numbers) <= BIG).all():
            refuse_value(names, numbers)
        index = places(names, int(self.bits or 0))
        at, where = np.unique(index, return_inverse=True)
        return at.astype(np.int32), np.bincount(where, numbers, len(at))

    def as_columns(self, x: Mapping[Any, Any]) -> dict[str, Any]:
        """A row of the table of the training: text where the column held text, None where it is missing."""
        kinds = dict(self.columns)
        in_order(x, list(kinds), "column")
        made = {}
        for name, v in x.items():
            missing = v is None or v != v
            if not kinds[name] and isinstance(v, str):
                raise BadInput(f"column {name!r} must be a number, as in training, not {v!r:.60}")
            made[name] = None if missing else str(v) if kinds[name] else v
        return made

    def knows(self, x: Any) -> bool:
        """Has every feature of an example a place?"""
        if self.bits:
            return True
        row = named_row(x)
        if row is not None:
            words = (
                f"{k}={v}" if isinstance(v, str) else k for k, v in row.items() if v is not None
            )
            return all(word in self.features for word in words)
        index = indexed(x)[0]
        return not len(index) or int(index.max()) < self.shape.n - int(self.intercept)

    def answer(self, y: Any, action: Any = None) -> bool:
        code = self.outcome(y)
        self.Y.y[0], self.Y.h[0] = code, 1.0
        if code == code and self.traits.classes == SEVERAL and code >= self.shape.classes:
            self.grow(classes=len(self.coder or ()))
        return code == code

    def outcome(self, y: Any) -> float:
        if self.coder is not None:
            return self.coder.code(y)
        try:
            v = float(y)
        except (TypeError, ValueError, OverflowError):
            raise BadInput(f"the outcome must be a number, not {y!r:.80}") from None
        if not abs(v) <= BIG and v == v:
            raise BadInput(f"the outcome is {v:g}; it must be a finite number or missing")
        return v

    def refuse(self, sure: bool = True) -> None:
        """Name the feature in the buffers that is not a number, or too large; `sure`: there is one."""
        if self.sparse:
            m = int(self.X.indptr[1])
            names = tuple(map(str, self.X.index[:m].tolist()))
            refuse(self.X.value[None, :m], -BIG, BIG, -1, names, "feature", False)
        refuse(self.X, -BIG, BIG, -1, self.names or numbered(self.width), "feature", False)
        if sure:
            raise AssertionError("a block was refused that holds nothing to refuse")

    def instead_of_one(self, first: bool) -> Game:
        self.refuse()
        return self.game

    def refuse_fraction(self) -> None:
        """Refuse the example in the buffers where a feature is neither 0 nor 1."""
        v = self.X.value[: int(self.X.indptr[1])] if self.sparse else self.X[0]
        refuse_fraction(v, self.learner.key)

    def said(self, action: Any, decision: Any) -> Any:
        if self.traits.width != ONE:
            return action
        return float(action) if self.coder is None else self.coder.label(action)

    def kept(self) -> Any:
        if not self.sparse:
            return self.X[0].copy()
        m = int(self.X.indptr[1])
        return Sparse(self.X.index[:m].copy(), self.X.value[:m].copy())

    def restore(self, x: Any) -> None:
        self.example(x)


def coder(learner: AnyLearner, game: Game, labels: Any) -> Coder | None:
    """Codes of two classes, of several, or none where outcomes are numbers."""
    classes = game.traits().classes
    return None if classes == 0 else Coder(max(classes, 0), labels, learner.key)


def refuse_labels(learner: AnyLearner, game: Game, labels: Any) -> None:
    if game.traits().classes == 2 and labels is not None and len(labels) > 2:
        some = ", ".join(repr(y) for y in labels[:5])
        raise BadInput(
            f"{learner.key} tells two classes apart; here are {len(labels)}: {some}"
            f"{', …' if len(labels) > 5 else ''}; "
            "for several classes: multiclass-perceptron, multiclass-passive-aggressive, softmax"
        )


def refuse_fraction(v: Any, owner: str) -> None:
    """Refuse features that are neither 0 nor 1."""
    bad = (v != 0.0) & (v != 1.0)
    if bad.any():
        raise BadInput(
            f"a feature is {float(v[np.argmax(bad)]):g}; {owner} learns from features that are 0 or 1 "
            "(littlestone.linear.boolean.binarise makes them)"
        )


def refuse_value(names: list[Any], numbers: Any) -> None:
    """Name the first feature whose value is not finite, or too large."""
    k = int(np.argmin(np.abs(numbers) <= BIG))
    finite = np.isfinite(numbers[k])
    must = "is too large to compute with" if finite else "must be a finite number"
    raise BadInput(f"feature {names[k]!r} is {numbers[k]:g}; it {must}")


def is_value(v: Any) -> bool:
    """Is it text, or one number that floats can hold?"""
    try:
        return isinstance(v, str) or (np.ndim(v) == 0 and float(v) is not None)
    except (TypeError, ValueError, OverflowError):
        return False


def is_rows(x: Any) -> bool:
    return isinstance(x, Rows)


def kind(sparse: bool) -> str:
    return "sparse" if sparse else "dense"


def indexed(x: Any) -> tuple[Any, Any]:
    """Index and value of a sparse row."""
    if isinstance(x, Sparse):
        return np.asarray(x.index, np.int32), np.asarray(x.value, np.float64)
    if is_sparse(x):
        one = x if len(x.shape) == 2 else x.reshape(1, -1)
        if one.shape[0] != 1:
            raise BadInput(f"an example is one row, not {one.shape[0]}")
        _, index, value = rows_of(one)
        return index, value
    raise BadInput(f"the first example was sparse; this one is a {type(x).__name__}")


def matrix(x: Any) -> Any:
    """Many examples: a matrix, or the rows of a sparse one."""
    if isinstance(x, Rows):
        return x
    return rows_of(x) if is_sparse(x) else array(x, "examples", 2)


def within(X: Rows, width: int) -> Rows:
    """The rows without the features from `width` on."""
    keep = X.index < width
    before = np.concatenate([[0], np.cumsum(keep)])
    return Rows(before[X.indptr].astype(np.int64), X.index[keep], X.value[keep])


def alike(rows: int) -> Any:
    """Importances of rounds that count alike: ones, in an array that all runs share."""
    global ONES
    if len(ONES) < rows:
        ONES = np.ones(rows)
        ONES.flags.writeable = False
    return ONES[:rows]


def ones(h: Any) -> bool:
    """Are these importances the ones that all runs share?"""
    return h.base is ONES
