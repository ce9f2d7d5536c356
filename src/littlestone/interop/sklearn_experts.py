"""Learners over experts as scikit-learn regressors: each column is a forecast of the target, and a row is a round.

from littlestone.interop.sklearn import TrackerRegressor

StackingRegressor([("ridge", Ridge()), ("forest", RandomForestRegressor())], final_estimator=TrackerRegressor())
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.game import ONE
from ..core.learner import Learner, defaults
from ..core.registry import learners
from ..core.stream import Batch
from ..encode.stream import Stream
from ..live import store
from ..play.options import PlayOptions
from ..play.play_stream import play_stream
from .facades import facade, facade_name, write_defaults

AnyLearner = Learner[Any, Any, Any, Any]


class MixtureRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A learner that mixes forecasts: X has one column for each of them. NaN: that one is missing in this row."""

    _learner: type[AnyLearner]
    learner_: Any
    run_: Any

    def learner(self) -> AnyLearner:
        """The Littlestone learner with these parameters, not begun."""
        return self._learner(**{name: getattr(self, name) for name in defaults(self._learner)})

    def fit(self, X: Any, y: Any) -> Any:
        """Begin afresh, and play the rows in the order given."""
        self.learner_ = None
        return self._play(X, y)

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Play more rows, from where the learner is."""
        return self._play(X, y)

    def _play(self, X: Any, y: Any) -> Any:
        began = getattr(self, "learner_", None) is not None
        X, y = validate_data(self, X, y, reset=not began, y_numeric=True, **SHAPE)
        names = getattr(self, "feature_names_in_", None)
        column_names = tuple(map(str, range(X.shape[1]) if names is None else names))
        stream = Stream([Batch(X, np.ascontiguousarray(y, float))], column_names, "y", len(y), True)
        certify = bool(self.certify) and not began
        run: Any = play_stream(
            self.learner_ if began else self.learner(),
            stream,
            PlayOptions(certify=certify, record="none", resume=began),
            allocation=False,
        )
        self.learner_, self.run_ = run.learner, run if certify else None
        return self

    def predict(self, X: Any) -> Any:
        """The mixture of each row, by the weights as they are now."""
        check_is_fitted(self, "learner_")
        X = validate_data(self, X, reset=False, **SHAPE)
        live = self.learner_.live
        return np.array([live.predict(row) for row in X], float)

    @property
    def weights_(self) -> Any:
        """The weight of each column now."""
        check_is_fitted(self, "learner_")
        return self.learner_.weights

    @property
    def certificate_(self) -> Any:
        """Each theorem of the learner: kept, vacuous, unknown or broken by the run of `fit`."""
        check_is_fitted(self, "learner_")
        if getattr(self, "run_", None) is None:
            raise AttributeError(
                f"{type(self).__name__} has no certificate_: fit with certify=True keeps what it is made of"
            )
        return self.run_.certificate

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state.pop("run_", None)
        if state.get("learner_") is not None:
            state["learner_"] = store.to_bytes(state["learner_"])
        return state

    def __setstate__(self, state: Any) -> None:
        if isinstance(state.get("learner_"), bytes):
            learner = store.from_bytes(state["learner_"], path="a pickled estimator")
            state = {**state, "learner_": learner}
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.regressor_tags.poor_score = True  # columns that forecast nothing cannot be mixed well
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "learner_", None) is not None


SHAPE: dict[str, Any] = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}
NOTE = "\n\nX has one column for each expert: its forecast of y. Rows are rounds, in their order."


@functools.cache
def mixtures() -> dict[str, type[Any]]:
    """Every regressor over experts by its name."""
    found = {}
    for cls in learners().values():
        if cls.examples or cls.bandit or cls.labels or cls.tasked:
            continue
        traits = cls().game(False).traits()
        if traits.kind.has_advice and traits.width == ONE and not (traits.draws or traits.classes):
            given = write_defaults(cls) | {"certify": False}
            made = facade(
                cls, "Regressor", MixtureRegressor, given, "littlestone.interop.sklearn", NOTE
            )
            found[facade_name(cls, "Regressor")] = made
    return found


__all__ = ["MixtureRegressor", "mixtures"]
