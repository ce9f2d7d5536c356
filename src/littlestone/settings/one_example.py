"""One example at a time, dense or sparse: its features get their places, and its outcome its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..core.errors import BadInput
from ..core.game import ONE, SEVERAL, Game, Shape
from ..core.hooks import hook
from ..core.outcome import Outcome
from ..core.rows import BIG, capacity, with_constant
from ..core.vectors import Constant, Rows, Sparse
from ..encode.categories import Categories
from ..encode.compact_places import begin_table, compact, sparse_indices
from ..encode.example_rows import index_and_value, is_value, refuse_fraction, refuse_value
from ..encode.hashed_names import HashedNames
from ..encode.labels import LabelEncoder
from ..encode.lags import Lags
from ..encode.named_rows import in_order, named_row
from ..encode.nested_fields import flatten_record
from ..encode.running_means import RunningMeans
from ..encode.strings import one_string
from ..encode.text_codes import TextCodes
from ..encode.vocabulary import one_number
from ..engine.checks import array, refuse, refuse_indices
from ..engine.memory import read_only
from .filled_rows import FilledRows
from .setting import by_name, entries, named_by_user, number_names
from .sizes import refuse_gaps, refuse_size

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..encode.stream import Stream

    AnyLearner = Learner[Any, Any, Any, Any]


FLOAT64 = np.dtype(np.float64)  # NumPy has one of them: `is` takes 23 ns, `== np.float64` 61 ns


class OneExample(FilledRows):
    """An example, then its outcome and its importance."""

    column_word = "features"
    infinite = "the loss is infinite"
    known = 0  # classes that have occurred, or were declared
    ready: tuple[int, ...] | None = None  # the shape of arrays that can be taken in as they are
    # where features are places in a table: how many places each has; None: they are numbers
    limits: tuple[int, ...] | None

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
        compact: bool = False,
        categories: Any = (),
        lags: Any = (),
        texts: Any = (),
        declared: bool = False,
        met: int = 0,
        missing: Any = (),
        **names_hashed: Any,
    ) -> None:
        """`width`: the features of a dense example; -1 where examples are sparse.

        `features`: the places of named ones, where names are not hashed, or, where that is `compact`, of indices;
        `categories` and `lags`: their `to_save`; `texts`: the names that hold text, where it has codes; `declared`: the
        user named all classes; `met`: how many numbers sparse examples have held; `missing`: what stands for numbers
        that are missing, and `RunningMeans.to_save`; `bits` and so on: `HashedNames.to_save`.
        """
        if categories:
            self.categories = Categories.saved(categories)
        if lags:
            self.lags = Lags.saved(*lags)
        self.width, self.features, self.compact, self.met = width, features or {}, compact, met
        self.sparse = width < 0
        self.limits = learner.limits
        named = learner.categories and self.sparse
        self.codes = TextCodes(self.features, texts) if named else None
        if bits or names_hashed:
            self.hashed = HashedNames.saved(bits, **names_hashed)
        self.intercept = bool(learner.intercept)
        if classes := game.traits().classes:  # two, or several; 0: outcomes are numbers
            self.coder = LabelEncoder(
                labels, most=max(classes, 0), owner=learner.key, declared=declared
            )
        self.recode: Any = (
            None  # codes of a stream -> codes that the learner knows; None: they are the same
        )
        self.room = 64  # nonzeros that the buffer of a sparse example holds
        super().__init__(learner, game, shape, names=names)
        if missing:
            self.missing, *means = missing
            self.means = RunningMeans.saved(*means) if means else None
        self.needs_outcome = self.traits.needs_outcome

    def allowed_range(self) -> tuple[float, float]:
        return -BIG, BIG

    @property
    def labels(self) -> Any:
        return None if self.coder is None else self.coder.known

    @property
    def bits(self) -> int | None:  # type: ignore[override]
        return self.hashed.bits

    def more(self) -> dict[str, Any]:
        found = {"width": self.width, "features": dict(self.features)} | self.hashed.to_save()
        if self.coder is not None and self.coder.declared:
            found["declared"] = True
        if self.categories.columns:
            found["categories"] = self.categories.to_save()
        if self.lags is not None:
            found["lags"] = self.lags.to_save()
        if self.codes is not None and self.codes.values:
            found["texts"] = list(self.codes.values)
        if self.met:
            found["met"] = self.met
        if self.missing:
            found["missing"] = [self.missing, *(() if self.means is None else self.means.to_save())]
        return found | ({"compact": True} if self.compact else {})

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
            # one example in compiled form reads the constant too: written once, for both
            self.row = np.ones(self.width + int(self.intercept))
            self.features_of_row = self.row[int(self.intercept) :]
            self.features_of_row[:] = 0.0
            self.X = self.features_of_row.reshape(1, self.width)
            seen = read_only(self.X)
            self.flat, x = seen.reshape(-1), with_constant(seen, self.intercept)
            self.ready = self.flat.shape if self.limits is None else None
        self.views = x, answer

    def grow(self, width: int = 0, classes: int = 0) -> None:
        """Make room for later features or classes."""
        n = max(self.shape.n, capacity(width, self.intercept, True) if width else 0)
        if self.traits.classes != SEVERAL:
            classes = 0
        shape = self.shape._replace(n=n, classes=max(self.shape.classes, classes))
        if shape != self.shape:
            refuse_size(self.learner, shape)
            if n > self.shape.n and not self.bits:
                refuse_gaps(self.learner, shape, self.met, self.shape.n)
            self.undo.append(partial(self.resize, self.shape))
            self.resize(shape)

    def named_as(self, stream: Stream) -> None:
        if stream.bits or stream.columns or stream.records or stream.words or stream.interactions:
            self.hashed = self.hashed.as_in(stream)
        if stream.categories.columns:
            self.categories = stream.categories
        if stream.lags is not None and self.lags is None:
            self.lags = stream.lags.afresh()
        if stream.missing and not self.sparse:
            columns = self.categories.coded if self.categories.columns else self.width
            # what stands behind the lags has no gaps
            self.fill_by(stream.missing, columns if self.lags is None else self.lags.place)
        if stream.places is not None:
            self.features, self.compact = stream.places, True

    def example(self, x: Any, new: bool = True) -> None:
        """Put an example into the buffers; `new` features are given a place, or else left out."""
        # An array of numbers needs nothing else: 0.36 us instead of 0.65 us for 100 features, twice a round.
        if type(x) is np.ndarray and x.dtype is FLOAT64 and x.shape == self.ready:
            self.features_of_row[:] = x
            if self.means is not None:
                self.count_row(None, new)
            return
        self.gaps = None
        x = one_string(self.learner, x)
        if self.sparse:
            self.sparse_example(x, new)
            return
        if self.learner.strings and isinstance(x, Sparse):  # it began with a matrix of letters
            x = (
                x.value
                if len(x.value) >= self.width
                else np.pad(x.value, (0, self.width - len(x.value)))
            )
        a = x if isinstance(x, np.ndarray) and x.dtype == np.float64 else self.dense(x)
        if a.shape != self.flat.shape:
            raise BadInput(
                f"an example must have {self.width} features, as the first one, not {entries(a)}"
            )
        if self.limits is not None:
            names = self.names or number_names(self.width)
            refuse_indices(a[None], self.limits, -1, names)
        self.features_of_row[:] = a
        if self.means is not None:
            self.count_row(self.gaps, new)

    def dense(self, x: Any) -> Any:
        """A list of numbers; or a dict or a row of a frame, where the learner was trained on features with names.

        The outcomes of earlier rounds are not in it: they are remembered.
        """
        if self.lags is None:
            return self.numbers_of_row(x, self.names)
        names = self.lags.without(self.names or ())
        x = {} if x is None else x
        if isinstance(x, Mapping) and not names and not x:
            return self.lags.next()
        a = self.numbers_of_row(x, names)
        return a if len(a) == self.width else self.lags.insert(a, self.lags.next())

    def numbers_of_row(self, x: Any, names: tuple[str, ...] | None) -> Any:
        """The numbers of one row, whose features have these names."""
        if isinstance(x, Mapping) and not named_by_user(names):
            raise BadInput(
                "the first example was a list of numbers, this one is a dict: choose one of the two"
            )
        x = one_number(self.learner.vocabulary, x)
        if isinstance(x, str):
            raise BadInput(f"an example must be numbers or a dict, not the text {x!r:.80}")
        row = named_row(x) if self.categories.columns else None
        if row is not None:
            row = self.whole_record(row, self.categories.names)
            in_order(
                row, self.categories.names, "column"
            )  # refuses names that are unknown or missing
            numbers = array(self.categories.row(row), "an example", 1)
            return self.fill_gaps(numbers, self.categories.find_gaps(row))
        if self.hashed.records and isinstance(x, Mapping):
            x = self.whole_record(x, names or ())
        found = by_name(self, x, "feature", names=names)
        if found is not x and self.missing:
            return self.named_numbers(found)
        return array(one_number(self.learner.vocabulary, found, found is not x), "an example", 1)

    def whole_record(self, x: Mapping[Any, Any], names: Sequence[str]) -> Mapping[Any, Any]:
        """A row of the training; where that was records, what a record leaves out is missing, as in their table."""
        return {**dict.fromkeys(names), **flatten_record(x)} if self.hashed.records else x

    def sparse_example(self, x: Any, new: bool) -> None:
        index, value = self.find_places(x, new)
        if new:
            self.count_met(len(index))
        self.put(index, value, new)

    def count_met(self, numbers: int) -> None:
        self.undo.append(partial(setattr, self, "met", self.met))
        self.met += numbers

    def put(self, index: Any, value: Any, new: bool) -> None:
        """Put places and values into the buffers; there is room made for those that are new."""
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
            self.revision += 1
        self.X.indptr[1], self.X.index[:m], self.X.value[:m] = m, index, value

    def find_places(self, x: Any, new: bool) -> tuple[Any, Any]:
        """Places and values of the features of a sparse example: a sparse row, a row with names, a line of VW text."""
        if isinstance(x, str):
            if not self.bits or self.hashed.columns:
                raise BadInput(
                    f"{self.learner.key} was not trained on VW text: {x!r:.60} is no example"
                )
            index, value = hook("vw_line")(x, self.bits, self.hashed.interactions)
            return index, value
        row = named_row(x)
        if row is not None:
            return self.named_features(flatten_record(row), new)
        index, value = index_and_value(x)
        top, room = int(index.max(initial=-1)) + 1, self.shape.n - int(self.intercept)
        gaps = sparse_indices(top, self.met + len(index), room) and not (self.features or self.bits)
        if not self.compact and not (new and gaps):
            return index, value
        if not (np.abs(value) <= BIG).all():  # before places are given
            refuse_value(index.tolist(), value)
        self.undo.append(partial(self.keep_places, self.features, len(self.features), self.compact))
        if not self.compact:
            self.features, self.compact = begin_table(room), True
        found = compact(self.features, Rows(np.array([0, len(index)]), index, value), new)
        return found.index, found.value

    def keep_places(self, table: dict[Any, int], size: int, is_compact: bool) -> None:
        """Go back to a table of features, and to the first places of it."""
        while len(table) > size:
            table.popitem()
        self.features, self.compact = table, is_compact

    def named_features(self, x: Mapping[Any, Any], new: bool) -> tuple[Any, Any]:
        """A dict of features: text is a feature of its own, "name=text"; None is one that is missing.

        To learners that look for curves text is a number, too: its code (`TextCodes`).
        New names get their places in alphabetical order, and features stand in the order of their places: what is
        learned does not depend on the order of a dict, bit for bit. Where the learner was trained on hashed names,
        names are hashed here too.
        """
        if self.bits:
            return self.hashed.features(x, self.learner.key)
        known = self.features
        coded: dict[Any, float] = {}
        if self.codes is not None:
            x = self.codes.as_text(x)
            coded = self.codes.of(x, known)
        pairs, unknown = self.known_features([*x.items(), *coded.items()])
        if not new:
            unknown = {}
        fresh = {name: len(known) + i for i, name in enumerate(sorted(unknown, key=str))}
        pairs += [(at, unknown[name]) for name, at in fresh.items()]
        index, numbers = index_and_numbers(pairs, x)
        if not (np.abs(numbers) <= BIG).all():
            names = {at: name for name, at in {**known, **fresh}.items()}
            refuse_value([names[at] for at in index.tolist()], numbers)
        if fresh:
            self.undo.append(partial(self.keep_places, known, len(known), self.compact))
            known.update(fresh)
        if self.codes is not None and new:
            added = self.codes.remember(x, coded)
            if added:
                self.undo.append(partial(self.codes.forget, added))
        return index, numbers

    def known_features(self, items: list[tuple[Any, Any]]) -> tuple[list[Any], dict[Any, Any]]:
        """The values of features: pairs of a place and a value, and by name those that have no place yet."""
        known, pairs = self.features, []
        unknown: dict[Any, Any] = {}
        for name, v in items:
            if isinstance(v, str):
                name, v = f"{name}={v}", 1.0
            elif v is None:
                continue
            if self.compact and isinstance(name, str) and name.isdecimal():
                name = int(name)
            at = known.get(name)
            if at is None:
                unknown[name] = v
            else:
                pairs.append((at, v))
        return pairs, unknown

    def name_of(self, place: int) -> str:
        """What messages call the feature in this place."""
        return next((str(n) for n, i in self.features.items() if i == place), str(place))

    def knows(self, x: Any) -> bool:
        """Has every feature of an example a place?"""
        if self.bits:
            return True
        x = one_string(self.learner, x)
        row = named_row(x)
        if row is not None:
            row = flatten_record(row)
            words = (
                f"{k}={v}" if isinstance(v, str) else k for k, v in row.items() if v is not None
            )
            return all(word in self.features for word in words)
        index = index_and_value(x)[0]
        if self.compact:
            return all(i in self.features for i in index.tolist())
        return not len(index) or int(index.max()) < self.shape.n - int(self.intercept)

    def remember(self, y: Any) -> None:
        if self.lags is not None:
            self.lags.remember(y)

    def put_outcome(self, y: Any, action: Any = None) -> bool:
        code = self.code_outcome(y)
        self.Y.y[0], self.Y.h[0] = code, 1.0
        if code == code and self.traits.classes == SEVERAL and code >= self.shape.classes:
            self.grow(classes=len(self.coder or ()))
        return code == code

    def code_outcome(self, y: Any) -> float:
        """The outcome as the games count it; a new label gets the next code."""
        coder = self.coder
        if coder is None:
            return self.number(y)
        if isinstance(y, float | np.floating) and y % 1.0 > 0.0 and y not in coder.codes:
            self.refuse_number(float(y))
        before = len(coder.codes)
        code = coder.code(y)
        if len(coder.codes) > before:
            self.undo.append(partial(coder.forget, y))
        return code

    def number(self, y: Any) -> float:
        """The outcome where it is a number."""
        try:
            v = float(y)
        except (TypeError, ValueError, OverflowError):
            raise BadInput(f"the outcome must be a number, not {y!r:.80}") from None
        if not abs(v) <= BIG and v == v:
            raise BadInput(f"the outcome is {v:g}; it must be a finite number or missing")
        return v

    def refuse_number(self, y: float) -> None:
        """Refuse a fraction where `play`, which sees many outcomes at once, would take a learner of numbers instead."""
        other = self.learner.for_numbers()
        if other is not None:
            raise BadInput(
                f"the outcome {y:.12g} is a number, and {self.learner.key} tells classes apart, one round at a time: "
                f"{type(other).__name__}() predicts numbers, which `play` takes in its place; if it is a class, say "
                "which classes there are: start(n, labels=(…))"
            )

    def refuse(self, sure: bool = True) -> None:
        """Name the feature in the buffers that is not a number, or too large; `sure`: there is one."""
        if self.sparse:
            m = int(self.X.indptr[1])
            names = tuple(map(self.name_of, self.X.index[:m].tolist()))
            refuse(self.X.value[None, :m], -BIG, BIG, -1, names, "feature", False)
        else:
            refuse(self.X, -BIG, BIG, -1, self.names or number_names(self.width), "feature", False)
        if sure:
            raise AssertionError("a block was refused that holds nothing to refuse")

    def fallback_game_of_row(self, first: bool) -> Game:
        self.refuse()
        return self.game

    def refuse_fraction(self) -> None:
        """Refuse the example in the buffers where a feature is neither 0 nor 1."""
        v = self.X.value[: int(self.X.indptr[1])] if self.sparse else self.X[0]
        refuse_fraction(v, self.learner.key)

    def as_prediction(self, action: Any, decision: Any) -> Any:
        if self.traits.width != ONE:
            return action
        return float(action) if self.coder is None else self.coder.label(action)

    def copy_example(self) -> Any:
        if not self.sparse:
            return self.X[0].copy()
        m = int(self.X.indptr[1])
        return Sparse(self.X.index[:m].copy(), self.X.value[:m].copy())

    def restore(self, x: Any) -> None:
        if self.sparse:
            self.put(x.index, x.value, True)  # a ticket keeps places
        else:
            self.example(x, False)  # and numbers, which counted when it was issued

    # Names in a log of tickets.

    @property
    def names_met(self) -> int:
        """How many names came, or numbers were missing."""
        return len(self.features) if self.means is None else self.means.missed

    def names_since(self, first: int) -> dict[str, Any] | None:
        """New names; of dense examples, the places of what is missing in the one in the buffers."""
        if self.means is not None:
            here = np.flatnonzero([] if self.gaps is None else self.gaps)
            return {"gaps": here.tolist()} if len(here) else None
        new = [*islice(reversed(self.features), len(self.features) - first)][::-1]
        if not new:
            return None
        found: dict[str, Any] = {"first": first, "features": new, "compact": self.compact}
        return found | ({} if self.codes is None else {"texts": list(self.codes.values)})

    def reopen(self, x: Any, names: dict[str, Any] | None) -> None:
        if not self.sparse:
            if self.means is not None:
                gaps = np.zeros(self.means.columns, bool)
                gaps[[] if names is None else names["gaps"]] = True
                self.means.read_row(x, gaps)
            return
        if names is not None:
            self.learn_names(**names)
        self.count_met(len(x.index))

    def learn_names(self, first: int, features: Any, compact: bool, texts: Any = ()) -> None:
        """Give features the places from `first` on; those that have them already keep them."""
        known = self.features
        same = first <= len(known)
        if same and first < len(known):
            same = all(known.get(name, at) == at for at, name in enumerate(features, first))
        if not same:
            raise BadInput(
                f"this log names features from place {first} on, and this {self.learner.key} has {len(known)} others: "
                "recover needs the learner as it was saved last"
            )
        known.update({name: at for at, name in enumerate(features, first)})
        self.compact = compact
        if self.codes is not None:
            self.codes.read(features, texts)


def index_and_numbers(pairs: list[Any], x: Mapping[Any, Any]) -> tuple[Any, Any]:
    """Places in their order, and their numbers, of pairs of both; a value of x that is none is refused by its name."""
    try:
        pairs.sort()
        numbers = np.array([v for _, v in pairs], np.float64)
        if numbers.ndim != 1:  # lists of one length
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        name, v = next((k, v) for k, v in x.items() if not (v is None or is_value(v)))
        raise BadInput(f"feature {name!r} must be a number or text, not {v!r:.80}") from None
    return np.array([at for at, _ in pairs], np.int32), numbers
