"""One example at a time, for learners over examples: dense, sparse, or by name.

The first example says whether examples are dense (a list of numbers) or sparse (a dict of named features, a sparse
row). Sparse ones may bring features, and any may bring classes, that were not there before: the state grows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.csr import is_sparse, rows_of
from ..core.errors import BadInput
from ..core.outcome import Outcome
from ..core.rows import BIG, capacity, count, flat, width_of, with_constant
from ..core.vectors import Constant, Rows, Sparse, row
from ..engine.checks import array, refuse, refuse_indices
from ..engine.compile import direct, engine, opaque, ready
from ..engine.loops import Out, glance, rounds, step
from ..engine.memory import copy, read_only, rebuilt, spaced
from ..engine.packed import Packed, clean, numbers
from ..games import DRAWN, Classes, Convex, Game, Labels, Margin, Room, Shape, room
from ..games import Coin as DrawnLabel
from ..settings.growth import grown
from ..settings.labels import Coder
from .live import NONE1, NONE2, Live, Ticket, begin, duplicated, entries, numbered, tell

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]

TWO = (Labels, Margin, DrawnLabel)  # games of two classes


class LiveExamples(Live):
    """A learner over examples that has begun."""

    _state: Any
    _moved: bool

    def __init__(
        self,
        learner: AnyLearner,
        game: Game,
        shape: Shape,
        *,
        seed: int = 0,
        labels: Any = None,
        state: Any = None,
        t: int = 0,
        which: str | None = None,
        room_: Room | None = None,
        width: int = -1,
        features: dict[Any, int] | None = None,
        bits: int | None = None,
    ) -> None:
        """`width`: the features of a dense example; -1 where examples are sparse.

        `bits`: names were hashed to 2^bits places; None: they were not; 0: an earlier version did not write it down.
        """
        self.learner, self.game, self.shape, self.seed, self.t = learner, game, shape, seed, t
        self.coder = coder(learner, game, labels)
        self.names: tuple[str, ...] | None = None
        self.params = learner.params
        self.which = "plain" if opaque(self.params) else which or engine()
        self.intercept = bool(getattr(learner, "intercept", False))
        self.limits: tuple[int, ...] | None = getattr(learner, "limits", None)
        self._packed: Packed | None = None
        self.state = spaced(begin(learner, shape) if state is None else state)
        self.room = spaced(room(shape._replace(n=scratch(game, shape))) if room_ is None else room_)
        self.stop = self.room.stop
        self.allocation = False
        self.several = isinstance(game, Classes)
        self.width, self.features = width, {} if features is None else features
        self.bits = bits
        self.Y = Outcome(np.zeros(1), np.ones(1))
        self.answer = read_only(self.Y)
        self.buffers(64)
        self.vectors = decides_vectors(game)
        self.wide()
        self._loops: dict[bool, Any] = {}
        self.tickets: dict[int, Ticket] = {}
        self.own_loss = opaque(game)  # functions of the user, which may say anything
        self.blind = isinstance(game, Convex) and bool(game.family.blind())  # it needs no outcome
        # the room is needed, or arrays of the state may move: then the loop of many rows
        self.scratch = isinstance(game, Convex) or not learner.fixed
        self._next = rebuilt(self.state)

    @property
    def state(self) -> Any:
        """What it has learned; read back where rounds were played in compiled form."""
        if self._moved and self._packed is not None:
            self._state, self._moved = self._next(self._state, self._packed.numbers()), False
        return self._state

    @state.setter
    def state(self, new: Any) -> None:
        self._state, self._moved, self._packed = new, False, None

    @property
    def packed(self) -> Packed:
        if self._packed is None:
            x = self.x if self.sparse else self.row
            self._packed = Packed((self.params, self.game, x, self.seed, BIG), self._state)
        return self._packed

    @property
    def labels(self) -> Any:  # type: ignore[override]
        return None if self.coder is None else self.coder.known

    def more(self) -> dict[str, Any]:
        return {"width": self.width, "features": dict(self.features), "bits": self.bits}

    @property
    def sparse(self) -> bool:
        return self.width < 0

    def buffers(self, size: int) -> None:
        """Room for one example; the loop gets read-only views, as it does from `play`."""
        self.state = self.state  # what is packed knows the old place
        if self.sparse:
            self.X: Any = Rows(np.zeros(2, np.int64), np.zeros(size, np.int32), np.zeros(size))
            views = read_only(self.X)
            self.flat = views.value
            self.x = views
            if self.intercept:
                self.x = Constant(views, np.zeros(size + 1, np.int32), np.zeros(size + 1))
        else:
            self.X = np.zeros((1, self.width))
            views = read_only(self.X)
            self.flat = views.reshape(-1)
            self.x = with_constant(views, self.intercept)
            self.row = np.ones(self.width + 1) if self.intercept else self.X[0]

    def wide(self) -> None:
        """What the loop writes: as many scores as there are classes."""
        self.W = np.zeros((1, width_of_decision(self.game, self.shape)))
        drawn = np.zeros(1) if isinstance(self.game, DRAWN) else NONE1
        self.out = Out(np.zeros(1), np.zeros(1), drawn, NONE2, NONE2, NONE2, NONE2)
        self.asking = self.out._replace(W=self.W)

    # Examples.

    def example(self, x: Any, new: bool = True) -> None:
        """Put an example into X; `new` features are given a place, or else left out."""
        if self.sparse:
            self.sparse_example(x, new)
            return
        a = x if isinstance(x, np.ndarray) and x.dtype == np.float64 else dense(x)
        if a.shape != self.flat.shape:
            raise BadInput(
                f"an example must have {self.width} features, as the first one, not {entries(a)}"
            )
        if self.limits is not None:
            refuse_indices(a[None], self.limits, -1, self.names or numbered(self.width))
        self.X[0] = a
        if self.intercept:
            self.row[1:] = a

    def sparse_example(self, x: Any, new: bool) -> None:
        index, value = self.named_features(x, new) if isinstance(x, Mapping) else indexed(x)
        top = int(index.max()) + 1 if len(index) else 0
        room = self.shape.n - int(self.intercept)
        if top > room:
            if new:
                self.grow(width=top)
            else:
                inside = index < room
                index, value = index[inside], value[inside]
        m = len(index)
        if m > len(self.X.index):
            self.buffers(2 * m)
            self._loops.clear()
        self.X.indptr[1], self.X.index[:m], self.X.value[:m] = m, index, value

    def named_features(self, x: Mapping[Any, Any], new: bool) -> tuple[Any, Any]:
        """A dict of features: text is a feature of its own, "name=text"; None is one that is missing.

        New names get their places in alphabetical order, and features stand in the order of their places: what is
        learned does not depend on the order of a dict, bit for bit.
        """
        places, pairs = self.features, []
        unknown: dict[Any, Any] = {}
        for name, v in x.items():
            if isinstance(v, str):
                name, v = f"{name}={v}", 1.0
            elif v is None:
                continue
            at = places.get(name)
            if at is not None:
                pairs.append((at, v))
            elif new:
                unknown[name] = v
        fresh = {name: len(places) + i for i, name in enumerate(sorted(unknown, key=str))}
        pairs += [(at, unknown[name]) for name, at in fresh.items()]
        try:
            pairs.sort()
            numbers = np.array([v for _, v in pairs], np.float64)
            index = np.array([at for at, _ in pairs], np.int32)
            if numbers.ndim != 1:  # lists of one length
                raise TypeError
        except (TypeError, ValueError, OverflowError):
            name, v = next((k, v) for k, v in x.items() if not (v is None or plain(v)))
            raise BadInput(f"feature {name!r} must be a number or text, not {v!r:.80}") from None
        if not (np.abs(numbers) <= BIG).all():
            self.bad_value({**places, **fresh}, index.tolist(), numbers)
        places.update(fresh)
        return index, numbers

    def bad_value(self, places: dict[Any, int], index: list[int], numbers: Any) -> None:
        names = {at: name for name, at in places.items()}
        k = int(np.argmin(np.abs(numbers) <= BIG))
        said = (
            "must be a finite number"
            if not np.isfinite(numbers[k])
            else "is too large to compute with"
        )
        raise BadInput(f"feature {names[index[k]]!r} is {numbers[k]:g}; it {said}")

    def grow(self, width: int = 0, classes: int = 0) -> None:
        """Make room for later features or classes."""
        n = max(self.shape.n, capacity(width, self.intercept, True) if width else 0)
        classes = max(self.shape.classes, classes)
        if (n, classes) == (self.shape.n, self.shape.classes):
            return
        wider = classes != self.shape.classes
        self.shape = self.shape._replace(n=n, classes=classes)
        self.state = grown(self.learner, self.state, self.shape)
        if wider:
            self.wide()

    # Rounds.

    def once(self, out: Out, learn: bool, every: int) -> Any:  # type: ignore[override]
        arguments = (
            self.params, self.game, self.state, self.x, self.answer, self.flat, out, self.room, self.seed, self.t,
            learn, every, 0, -BIG, BIG,
        )  # fmt: skip
        found = self._loops.get(True)
        if found is None:
            loop = ready(rounds, self.params, self.game, self.which)
            state = loop(*arguments)
            self._loops[True] = direct(loop, arguments)
            return state
        return found(*arguments)

    def round(self, out: Out, learn: bool, every: int) -> Any:
        if self.learner.boolean:
            self.refuse_grey()
        state = self.once(out, learn, every)
        if self.stop[0] >= 0.0:
            self.stop[0] = -1.0
            self.refuse_example()
        return state

    def refuse_example(self) -> None:
        """Name the feature that is not a number, or too large."""
        if self.sparse:
            m = int(self.X.indptr[1])
            names = tuple(map(str, self.X.index[:m].tolist()))
            refuse(self.X.value[None, :m], -BIG, BIG, -1, names, "feature", False)
        refuse(self.X, -BIG, BIG, -1, self.names or numbered(self.width), "feature", False)
        raise AssertionError("a block was refused that holds nothing to refuse")

    def refuse_grey(self) -> None:
        v = self.X.value[: int(self.X.indptr[1])] if self.sparse else self.X[0]
        grey(v, self.learner.key)

    def quick(self) -> Any:
        """The example, checked; for one row in plain Python."""
        x = row(self.x, 0) if self.sparse else self.row
        if not clean(numbers(x), BIG):
            self.refuse_example()
        return x

    def who(self, x: Any) -> LiveExamples:
        """Who says what of an example: a copy that has met its features, where new ones weigh something already."""
        if not (self.sparse and self.learner.innate) or self.knows(x):
            return self
        other: Any = duplicated(self)
        other.example(x)
        return other  # type: ignore[no-any-return]

    def knows(self, x: Any) -> bool:
        """Has every feature of an example a place?"""
        if isinstance(x, Mapping):
            words = (f"{k}={v}" if isinstance(v, str) else k for k, v in x.items() if v is not None)
            return all(word in self.features for word in words)
        index = indexed(x)[0]
        return not len(index) or int(index.max()) < self.shape.n - int(self.intercept)

    def predict(self, x: Any) -> Any:
        if x is None and isinstance(self.game, Convex):
            return self.weights()
        if (other := self.who(x)) is not self:
            return other.predict(x)
        self.example(x, False)
        if self.scratch:
            self.round(self.out, False, 0)
            return self.named(self.out.A[0])
        if self.learner.boolean:
            self.refuse_grey()
        if self.which == "plain":
            a = glance(self.params, self.game, self.state, self.quick(), self.seed, self.t)
        else:
            a = self.packed.predict(self.t)
            if a != a:
                self.refuse_example()
        return self.named(a)

    def predict_any(self, x: Any) -> Any:
        """One example, or many."""
        if isinstance(x, Mapping) or getattr(x, "ndim", 2) == 1 or isinstance(x, Sparse):
            return self.predict(x)
        if (
            isinstance(x, (list, tuple))
            and x
            and not isinstance(x[0], (list, tuple, Mapping, np.ndarray))
        ):
            return self.predict(x)
        if isinstance(x, (list, tuple)) and x and isinstance(x[0], Mapping):
            return np.array([self.predict(one) for one in x])
        a = self.many(x)[1]
        return a if self.coder is None else self.coder.labels(a)

    def many(self, x: Any) -> tuple[Any, Any]:
        """Decisions and actions for many examples, learning from none."""
        X = matrix(x)
        if isinstance(X, Rows) != self.sparse:
            raise BadInput(
                f"{self.learner.key} began with {'sparse' if self.sparse else 'dense'} examples; these are not"
            )
        T = count(X)
        if self.sparse:
            room = self.shape.n - int(self.intercept)
            if width_of(X) > room and self.learner.innate:
                other: Any = duplicated(self)
                other.grow(width=width_of(X))
                return other.many(X)  # type: ignore[no-any-return]
            if width_of(X) > room:  # features it has never seen weigh nothing
                X = within(X, room)
        elif X.shape[1] != self.width:
            raise BadInput(
                f"an example must have {self.width} features, as the first one, not {X.shape[1]}"
            )
        if self.learner.boolean:
            grey(flat(X), self.learner.key)
        width = self.W.shape[1]
        out = Out(
            np.empty(T), np.empty(T), np.empty(T if isinstance(self.game, DRAWN) else 0), NONE2, NONE2,
            np.empty((T, width)), NONE2,
        )  # fmt: skip
        Y = read_only(Outcome(np.zeros(T), np.ones(T)))
        loop = ready(rounds, self.params, self.game, self.which)
        X = read_only(X)
        self.stop[0] = -1.0
        loop(
            self.params, self.game, self.state, with_constant(X, self.intercept), Y, flat(X), out, self.room,
            self.seed, self.t, False, 1, 0, -BIG, BIG,
        )  # fmt: skip
        if self.stop[0] >= 0.0:
            self.stop[0] = -1.0
            refuse(flat(X) if self.sparse else X, -BIG, BIG, 0, self.names or (), "feature", False)
        return (out.W if self.vectors else out.W[:, 0]), out.A

    def update(self, x: Any, y: Any, importance: float = 1.0) -> None:
        if y is None and self.blind:
            y = 0.0
        if y is None:
            raise BadInput(
                f"{self.learner.key} needs examples and outcomes: update(x, y); "
                "a round without an answer has the outcome nan"
            )
        if not heavy(importance):
            raise BadInput(f"importance must be a number of at least 0, not {importance!r:.80}")
        known = len(self.coder.codes) if self.coder is not None else 0
        code = self.outcome(y)  # before the example: a label that is refused leaves all as it was
        try:
            self.learn_from(x, code, importance)
        except BadInput as problem:
            if self.coder is not None and len(self.coder.codes) > known:
                self.coder.forget(y)
            if isinstance(problem, BadLoss):
                raise BadInput(f"round {self.t + 1}: {problem}") from problem.__cause__
            raise
        self.t += 1

    def learn_from(self, x: Any, code: float, importance: float) -> None:
        """One round, or a refusal."""
        self.example(x)
        if self.several and code >= self.shape.classes:
            self.quick()  # an example that is refused makes no room for its class
            self.grow(classes=len(self.coder or ()))
        if self.scratch:
            self.Y.y[0], self.Y.h[0] = code, importance
            before = copy(self.state) if self.own_loss else None
            self.state = self.round(self.out, True, 0)
            if before is not None and np.isinf(self.out.C[0]):  # as `play` refuses it
                self.state = before
                raise BadLoss("the loss is infinite", self.flat)
        else:
            if self.learner.boolean:
                self.refuse_grey()
            if self.which == "plain":
                told = code, float(importance)
                self.state = step(
                    self.params, self.game, self.state, self.quick(), *told, self.seed, self.t
                )
            elif self.packed.update(code, float(importance), self.t):
                self._moved = True
            else:
                self.refuse_example()

    def outcome(self, y: Any) -> float:
        if self.coder is not None:
            return self.coder.code(y)
        try:
            v = float(y)
        except (TypeError, ValueError):
            raise BadInput(f"the outcome must be a number, not {y!r}") from None
        if not abs(v) <= BIG and v == v:
            raise BadInput(f"the outcome is {v:g}; it must be a finite number or missing")
        return v

    def named(self, a: float) -> Any:
        return float(a) if self.coder is None else self.coder.label(a)

    def ask_score(self, x: Any) -> Any:
        """The decision for an example: a score, or one for each class; nothing is learned."""
        if (other := self.who(x)) is not self:
            return other.ask_score(x)
        self.example(x, False)
        self.round(self.asking, False, 1)
        return self.W[0].tolist() if self.vectors else float(self.W[0, 0])

    def ask(self, x: Any) -> Ticket:
        self.example(x)
        self.round(self.asking, False, 1)
        decision = self.W[0].copy() if self.vectors else float(self.W[0, 0])
        action = float(self.out.A[0])
        m = int(self.X.indptr[1]) if self.sparse else 0
        kept: Any = (
            Sparse(self.X.index[:m].copy(), self.X.value[:m].copy())
            if self.sparse
            else self.X[0].copy()
        )
        ticket = Ticket(self.t, kept, self.named(action), decision, action)
        self.t += 1
        return ticket

    def tell(self, ticket: Ticket, y: Any) -> None:
        code = self.outcome(y)
        if code != code:
            return
        self.example(ticket.x)
        if self.several and code >= self.shape.classes:
            self.grow(classes=len(self.coder or ()))
        decision = ticket.decision
        if self.vectors and len(decision) < self.W.shape[1]:  # classes that came since had no score
            decision = np.append(decision, np.zeros(self.W.shape[1] - len(decision)))
        learn = ready(tell, self.params, self.game, self.which)
        x = row(self.x, 0)
        try:
            self.state = learn(
                self.params, self.game, self.state, x, Outcome(code, 1.0), decision, ticket.action, self.room
            )  # fmt: skip
        except BadLoss as problem:
            raise BadInput(f"round {ticket.round + 1}: {problem}") from problem.__cause__

    def weights(self) -> Any:
        if isinstance(self.game, Convex):
            return np.array(self.params.decide(self.state, self.flat), float)
        if not hasattr(self.state, "w"):
            raise BadInput(
                f"{self.learner.key} decides by example: see learner.state, or predict(x)"
            )
        return self.state.w.copy()


def coder(learner: AnyLearner, game: Game, labels: Any) -> Coder | None:
    """Two classes, several, or none at all."""
    if isinstance(game, TWO) or getattr(game, "signed", 0) == 1:
        return Coder(2, labels, learner.key)
    return Coder(0, labels, learner.key) if isinstance(game, Classes) else None


def decides_vectors(game: Game) -> bool:
    return isinstance(game, (Classes, Convex))


def width_of_decision(game: Game, shape: Shape) -> int:
    if isinstance(game, Classes):
        return shape.classes
    return shape.n if decides_vectors(game) else 1


def scratch(game: Game, shape: Shape) -> int:
    """How much room a game of examples needs: only where losses are shown as vectors."""
    return shape.n if decides_vectors(game) and not isinstance(game, Classes) else 1


def grey(v: Any, owner: str) -> None:
    """Refuse features that are neither 0 nor 1."""
    bad = (v != 0.0) & (v != 1.0)
    if bad.any():
        raise BadInput(
            f"a feature is {float(v[np.argmax(bad)]):g}; {owner} learns from features that are 0 or 1 "
            "(littlestone.linear.boolean.binarise makes them)"
        )


def heavy(h: Any) -> bool:
    """Is it an importance: one number, 0 or more?"""
    try:
        return bool(0.0 <= h <= BIG)
    except (TypeError, ValueError):
        return False


def plain(v: Any) -> bool:
    """Is it text, or one number that floats can hold?"""
    try:
        return isinstance(v, str) or (np.ndim(v) == 0 and float(v) is not None)
    except (TypeError, ValueError, OverflowError):
        return False


def dense(x: Any) -> Any:
    if isinstance(x, Mapping):
        raise BadInput(
            "the first example was a list of numbers, this one is a dict: choose one of the two"
        )
    return array(x, "an example", 1)


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


def start_examples(
    learner: AnyLearner,
    n: int,
    *,
    rounds: int = 0,
    labels: Any = None,
    seed: int = 0,
    sparse: bool = False,
) -> LiveExamples:
    """Begin: n features (sparse examples may bring more later)."""
    learner, game, shape = fit_examples(learner, n, rounds, labels, sparse)
    return LiveExamples(learner, game, shape, seed=seed, labels=labels, width=-1 if sparse else n)


def fit_examples(
    learner: AnyLearner, n: int, rounds: int, labels: Any, sparse: bool
) -> tuple[AnyLearner, Game, Shape]:
    """The game, its shape, and the learner with the rates that its theorem asks for."""
    game = learner.game(False)
    if sparse and (not learner.sparse or isinstance(game, Convex)):
        raise BadInput(f"{learner.key} takes dense examples (lists of numbers), not sparse ones")
    classes = max(1, len(labels or ())) if isinstance(game, Classes) else 2
    intercept = bool(getattr(learner, "intercept", False))
    there = n + int(intercept) if n > 0 else 0
    shape = Shape(capacity(n, intercept, sparse), int(rounds or 0), 1.0, classes, there)
    # rates follow from the features that there are, not from the room for more: dense or sparse, they are the same
    known = shape._replace(n=there) if there else shape
    return learner.tuned(known, game), game, shape


def of_example(learner: AnyLearner, x: Any) -> Live:
    found = learner._live
    if found is None:
        if x is None:
            raise BadInput(f"{learner.key} learns from examples: predict(x), update(x, y)")
        sparse = isinstance(x, (Mapping, Sparse)) or hasattr(x, "tocsr")
        found = start_examples(learner, 0 if sparse else len(dense(x)), sparse=sparse)
        object.__setattr__(learner, "_live", found)
    return found
