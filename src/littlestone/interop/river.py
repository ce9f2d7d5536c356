"""Every learner that takes named features as a River model.

    from littlestone.interop.river import OnlineLinearClassifier, OGDRegressor

The classes are made from the registry: `models()` lists them. Examples are dicts; features may come and go, text is a
feature of its own (name=text). `learn_many` is exactly the loop of `learn_one`.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from river import base

from ..core import store
from ..core.games import Classes
from ..core.learner import Learner, defaults
from ..core.live_examples import LiveExamples, start_examples
from .facades import facade, kinds, offered, probabilities, written

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
        return self._learner(**given)

    @property
    def live(self) -> LiveExamples:
        """What has been learned."""
        if self._live is None:
            made = self.learner()
            labels = self._first_labels(made)
            made._live = start_examples(made, 0, sparse=True, labels=labels)
            self._live = made
        return self._live._live  # type: ignore[no-any-return]

    def _first_labels(self, learner: AnyLearner) -> Any:
        return None

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn from an example; w is its importance."""
        self.live.update(shown(self._learner, x), y, w)

    def learn_many(self, X: Any, y: Any, w: float = 1.0) -> None:
        """Learn from the rows of a frame, one after another."""
        for x, one in zip(X.to_dict("records"), y, strict=True):
            self.learn_one(x, one, w)

    def predict_many(self, X: Any) -> Any:
        """The predictions for the rows of a frame."""
        import pandas as pd

        return pd.Series([self.predict_one(x) for x in X.to_dict("records")], index=X.index)

    def predict_one(self, x: dict[Any, Any]) -> Any:
        """The prediction; nothing is learned."""
        return self.live.predict(shown(self._learner, x))

    def __getstate__(self) -> Any:
        state = dict(vars(self))
        if state.get("_live") is not None:
            state["_live"] = store.to_bytes(state["_live"])
        return state

    def __setstate__(self, state: Any) -> None:
        if isinstance(state.get("_live"), bytes):
            state = {**state, "_live": store.from_bytes(state["_live"], "a pickled model")}
        vars(self).update(state)


class Classifier(Model, base.MiniBatchClassifier):
    """A learner of classes."""

    @property
    def _multiclass(self) -> bool:
        return isinstance(self.learner().game(False), Classes)

    def _first_labels(self, learner: AnyLearner) -> Any:
        # River's two classes are False and True until something else is seen
        return None

    def predict_one(self, x: dict[Any, Any], **_: Any) -> Any:
        p = self.predict_proba_one(x)
        return max(p, key=p.__getitem__) if p else None

    def predict_proba_one(self, x: dict[Any, Any], **_: Any) -> dict[Any, float]:
        """Probabilities; of a learner whose scores mean none, 1 for its label."""
        live = self.live
        d = live.ask_score(shown(self._learner, x))
        if self._multiclass:
            known = live.labels
            if not known:
                return {}
            top = max(d)
            if probabilities(live.game):
                e = [math.exp(v - top) for v in d]
                return {y: v / sum(e) for y, v in zip(known, e, strict=True)}
            best = next(i for i, v in enumerate(d) if v == top)
            return {y: float(i == best) for i, y in enumerate(known)}
        low, high = self._two(live)
        hard = 1.0 if d > 0 else 0.0 if d < 0 else 0.5
        one = 0.5 * (1.0 + math.tanh(0.5 * d)) if probabilities(live.game) else hard
        return {low: 1.0 - one, high: one}

    @staticmethod
    def _two(live: LiveExamples) -> tuple[Any, Any]:
        known = live.labels
        if known == [None, None]:
            return False, True
        coder = live.coder
        assert coder is not None
        return coder.label(0), coder.label(1)


class Regressor(Model, base.MiniBatchRegressor):
    """A learner of numbers."""


def shown(cls: type[AnyLearner], x: dict[Any, Any]) -> dict[Any, Any]:
    """An example as the learner takes it: learners over Boolean features ask whether a number is positive."""
    if not cls.boolean:
        return x
    return {k: v if isinstance(v, str) else float(v > 0) for k, v in x.items() if v is not None}


def parameters(cls: type[AnyLearner], changes: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a model; River takes a list of numbers for something else."""
    given = {k: v for k, v in (written(cls) | changes).items() if type(v) is not tuple}
    return given | ({"intercept": True} if "intercept" in given else {})


@functools.cache
def models() -> dict[str, type[Any]]:
    """Every model by its name."""
    note = "\n\nExamples are dicts; features may come and go."
    return {
        f"{cls.__name__}{kind}": facade(
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
    if name.startswith("_") or name not in models():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return models()[name]


def __dir__() -> list[str]:
    return sorted([*globals(), *models()])


__all__ = ["Classifier", "Regressor", "models"]
