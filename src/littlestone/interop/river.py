"""Every learner that takes named features as a River model.

    from littlestone.interop.river import OnlineLinearClassifier, OGDRegressor

The classes are made from the registry: `models()` lists them. Examples are dicts; features may come and go, text is a
feature of its own (name=text). `learn_many` is exactly the loop of `learn_one`.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from itertools import repeat
from typing import Any

from ..core.extras import missing_extra

try:
    from river import base
except ModuleNotFoundError as problem:
    raise missing_extra("littlestone.interop.river", "river", problem) from None

from ..core.errors import BadInput
from ..core.game import SEVERAL
from ..core.learner import Learner, defaults
from ..live import store
from ..live.begin import begin, entries_of
from ..live.live import Live
from .facades import FORMER, as_kind_of, facade, facade_name, kinds, offered, write_defaults
from .river_experts import BanditPolicy, ExpertsRegressor
from .river_intervals import IntervalRegressor

AnyLearner = Learner[Any, Any, Any, Any]


class Model:
    """What classifiers and regressors share."""

    _learner: type[AnyLearner]
    _live: Any = None

    def learner(self) -> AnyLearner:
        """The Littlestone learner with these parameters, not begun."""
        given = {
            name: getattr(self, name) for name in defaults(self._learner) if hasattr(self, name)
        }
        return as_kind_of(
            type(self).__name__, self._learner(**given), isinstance(self, base.Classifier)
        )

    @property
    def live(self) -> Live:
        """What has been learned."""
        return self.live_for({})

    def live_for(self, x: dict[Any, Any]) -> Live:
        """What has been learned; a model that has not begun begins with this example."""
        if self._live is None:
            made = self.learner()
            first = entries_of(x) if made.categories else 0
            self._live = made.attach(begin(made, 0, sparse=True, first=first))
        return self._live.live  # type: ignore[no-any-return]

    def shown(self, x: dict[Any, Any], ask: Callable[[Any], Any]) -> Any:
        """What `ask` returns for an example as the learner takes it: features whose value is missing are left out.

        Few examples have such a value (None, NaN, pandas.NA), so it is looked for only after `ask` has refused the
        example; a refusal changes nothing in the learner, and one that had not begun has not begun.
        """
        boolean = self._learner.boolean
        try:
            try:
                return ask(positive(x) if boolean else x)
            except BadInput:
                there = {k: v for k, v in x.items() if not is_missing(v)}
                if len(there) == len(x):
                    raise
                return ask(positive(there) if boolean else there)
        except BadInput:
            if not self.live.t:
                self._live = None
            raise

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn from an example; w is its importance."""
        live = self.live_for(x)
        self.shown(x, lambda some: live.update(some, y, w))

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn from the rows of a frame, one after another; w is an importance, or one for each row."""
        weights: Iterable[Any] = w if hasattr(w, "__len__") else repeat(w, len(X))
        before = copy(self._live)
        try:
            for x, one, h in zip(X.to_dict("records"), y, weights, strict=True):
                self.learn_one(x, one, h)
        except BaseException:  # no row of a frame that is refused is learned from
            self._live = before
            raise

    def predict_many(self, X: Any) -> Any:
        """The predictions for the rows of a frame."""
        import pandas as pd

        found = [self.predict_one(x) for x in X.to_dict("records")]
        return pd.Series(found, index=X.index, dtype=None if found else object)

    def predict_one(self, x: dict[Any, Any]) -> Any:
        """The prediction; nothing is learned."""
        return self.shown(x, self.live_for(x).predict)

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of the model as it would be saved; River's own walk goes from compiled code through all of Numba."""
        saved = b"" if self._live is None else store.to_bytes(self._live)
        return sys.getsizeof(self) + len(saved)

    def __getstate__(self) -> Any:
        state = dict(vars(self))
        if state.get("_live") is not None:
            state["_live"] = store.to_bytes(state["_live"])
        return state

    def __setstate__(self, state: Any) -> None:
        if isinstance(state.get("_live"), bytes):
            state = {**state, "_live": store.from_bytes(state["_live"], path="a pickled model")}
        vars(self).update(state)


class Classifier(Model, base.MiniBatchClassifier):
    """A learner of classes."""

    @property
    def _multiclass(self) -> bool:
        return bool(self.learner().game(False).traits().classes == SEVERAL)

    def predict_one(self, x: dict[Any, Any], **_: Any) -> Any:
        """The learner's label; before it has seen any: False, or None if it is for several classes."""
        live = self.live_for(x)
        if len(met(live)) > 1:
            return self.shown(x, live.predict)
        p = self.predict_proba_one(x)
        return max(p, key=p.__getitem__) if p else None

    def predict_proba_one(self, x: dict[Any, Any], **_: Any) -> dict[Any, float]:
        """Probabilities; 1 for the learner's label where its scores do not mean probabilities.

        A first class that is not True or False has the probability 1 until another class is seen.
        """
        live = self.live_for(x)
        d = self.shown(x, live.ask_score)
        known, traits = met(live), live.game.traits()
        if traits.classes == SEVERAL:
            return share_classes(d, known, traits.scores) if known else {}
        if len(known) == 1 and not isinstance(known[0], bool):
            return {known[0]: 1.0}
        low, high = live.labels if len(known) == 2 else (False, True)
        if traits.draws:  # the chance of the label that `predict_one` draws
            one = min(max(0.5 * (1.0 + d), 0.0), 1.0)
        elif traits.scores:
            one = 0.5 * (1.0 + math.tanh(0.5 * d))
        else:
            one = 1.0 if d > 0 else 0.0 if d < 0 else 0.5
        return {low: 1.0 - one, high: one}

    def predict_proba_many(self, X: Any) -> Any:
        """The probabilities for the rows of a frame, a column a class."""
        import pandas as pd

        rows = [self.predict_proba_one(x) for x in X.to_dict("records")]
        if rows:
            return pd.DataFrame(rows, index=X.index)
        return pd.DataFrame(index=X.index, columns=met(self.live), dtype=float)


class Regressor(Model, base.MiniBatchRegressor):
    """A learner of numbers."""


def met(live: Live) -> list[Any]:
    """The classes that have been seen."""
    return [y for y in live.labels or () if y is not None]


def is_missing(v: Any) -> bool:
    try:
        return bool(v is None or v != v)
    except (TypeError, ValueError):  # the truth of pandas.NA is unknown, that of an array as well
        return type(v).__name__ == "NAType"


def positive(x: dict[Any, Any]) -> dict[Any, Any]:
    """The example as learners over Boolean features take it: is a number positive?"""
    try:
        return {k: v if isinstance(v, str) else float(v > 0) for k, v in x.items() if v is not None}
    except (TypeError, ValueError):
        bad = next(
            (k, v) for k, v in x.items() if v is not None and not isinstance(v, (str, int, float))
        )
        raise BadInput(f"feature {bad[0]!r} must be a number or text, not {bad[1]!r:.80}") from None


def parameters(cls: type[AnyLearner], changes: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a model, but for tuples: River would take them for lists of models."""
    given = {k: v for k, v in (write_defaults(cls) | changes).items() if type(v) is not tuple}
    return given | ({"intercept": True} if "intercept" in given else {})


@functools.cache
def models() -> dict[str, type[Any]]:
    """Every model by its name."""
    note = "\n\nExamples are dicts; features may come and go."
    return {
        facade_name(cls, kind): facade(
            cls,
            kind,
            Classifier if kind == "Classifier" else Regressor,
            parameters(cls, changes),
            __name__,
            note,
        )
        for cls in offered()
        if cls.sparse
        for kind, changes in kinds(cls).items()
    }


def __getattr__(name: str) -> Any:
    name = FORMER.get(name, name)
    if name.startswith("_") or name not in models():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return models()[name]


def __dir__() -> list[str]:
    return sorted([*globals(), *models()])


__all__ = [
    "BanditPolicy",
    "Classifier",
    "ExpertsRegressor",
    "IntervalRegressor",
    "Regressor",
    "models",
]


def share_classes(d: Any, known: Sequence[Any], scores: bool) -> dict[Any, float]:
    """Probabilities of several classes; 1 for the best one where scores do not mean probabilities.

    >>> share_classes([0.0, 0.0], ["a", "b"], True), share_classes([1.0, 3.0], ["a", "b"], False)
    ({'a': 0.5, 'b': 0.5}, {'a': 0.0, 'b': 1.0})
    """
    top = max(d)
    if scores:
        e = [math.exp(v - top) for v in d]
        return {y: v / sum(e) for y, v in zip(known, e, strict=True)}
    best = next(i for i, v in enumerate(d) if v == top)
    return {y: float(i == best) for i, y in enumerate(known)}
