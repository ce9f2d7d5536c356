"""Intervals around a scikit-learn regressor: `predict_interval` beside `predict`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.linear_model import Ridge
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ..conformal.sets.intervals import intervals
from ..conformal.sets.live_intervals import Intervals
from ..core.errors import BadInput
from ..live import store


def learns(self: Any) -> bool:
    return hasattr(self.estimator, "partial_fit")


class IntervalRegressor(MetaEstimatorMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor with intervals that hold the truth in a share `level` of the rows, on any sequence.

    `fit` fits the regressor to the first rows, and plays the learner of sets over the errors of the last ones (the
    share `calibration`), in their order. `partial_fit`, where the regressor has it, goes on row by row: first the
    error, then the regressor. `predict_interval` gives one row (lower, upper) an example.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 1))
    >>> model = IntervalRegressor(level=0.8).fit(X, X[:, 0] + 0.5 * rng.normal(size=400))
    >>> model.predict_interval([[2.0]]).round(1).tolist()
    [[1.3, 2.6]]
    """

    def __init__(
        self,
        estimator: Any = None,
        level: float = 0.9,
        learner: Any = "cover",
        calibration: float = 0.3,
    ) -> None:
        self.estimator = estimator
        self.level = level
        self.learner = learner
        self.calibration = calibration

    def _regressor(self) -> Any:
        return Ridge() if self.estimator is None else clone(self.estimator)

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the regressor to the first rows, and the intervals to the last."""
        if not 0.0 < self.calibration < 1.0:
            raise BadInput(f"calibration must be a share between 0 and 1, not {self.calibration!r}")
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        cut = max(1, min(len(y) - 1, round(len(y) * (1.0 - self.calibration)))) if len(y) > 1 else 1
        self.estimator_ = self._regressor().fit(X[:cut], y[:cut])
        rest = slice(cut if cut < len(y) else 0, None)
        found = intervals(self.estimator_.predict(X[rest]), y[rest], self.level, self.learner)
        self.sets_ = found.learner
        return self

    @available_if(learns)  # type: ignore[untyped-decorator,unused-ignore]
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Go on with more rows, one after another."""
        first = getattr(self, "estimator_", None) is None
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64, reset=first)
        if first:
            self.estimator_ = self._regressor()
            score = "signed" if self.learner == "cover" else "absolute"
            self.sets_ = Intervals(None, self.level, self.learner, score=score).sets
        for t in range(len(y)):
            if not first or t:
                self.sets_.update(self.estimator_.predict(X[t : t + 1]).astype(float), y[t])
            self.estimator_.partial_fit(X[t : t + 1], y[t : t + 1])
        return self

    def predict(self, X: Any) -> Any:
        """The forecasts of the regressor."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(validate_data(self, X, reset=False, dtype=np.float64))

    def predict_interval(self, X: Any) -> Any:
        """The limits of each example, one row each; they are what the next round would have, for all of them."""
        base = np.asarray(self.predict(X), dtype=float)
        return np.array([self.sets_.predict(v) for v in base[:, None]]).reshape(len(base), 2)

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        if "sets_" in state:
            state["sets_"] = store.to_bytes(state["sets_"])
        return state

    def __setstate__(self, state: Any) -> None:
        if isinstance(state.get("sets_"), bytes):
            state = {**state, "sets_": store.from_bytes(state["sets_"], path="a pickled model")}
        super().__setstate__(state)
