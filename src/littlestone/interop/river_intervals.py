"""Intervals around a River regressor, in River's own form: `predict_one(x, with_interval=True)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.extras import missing_extra

try:
    from river import base
except ModuleNotFoundError as problem:
    raise missing_extra("littlestone.interop.river", "river", problem) from None
from river.conf.interval import Interval

from ..conformal.sets.live_intervals import Intervals
from ..live import store


class IntervalRegressor(base.Wrapper, base.Regressor):  # type: ignore[type-arg]
    """A regressor of River with intervals that keep their coverage on any sequence.

    Parameters as in `river.conf.RegressionJackknife`; `learner` is one that makes prediction sets, and `season` the
    rounds after which errors repeat.

    >>> from river import linear_model
    >>> model = IntervalRegressor(linear_model.LinearRegression(), confidence_level=0.8)
    >>> for t in range(50):
    ...     model.learn_one({"a": t % 3}, t % 3 + 0.1 * (-1) ** t)
    >>> 1.0 in model.predict_one({"a": 1}, with_interval=True)
    True
    """

    def __init__(
        self, regressor: Any, confidence_level: float = 0.9, learner: str = "cover", season: int = 0
    ) -> None:
        self.regressor = regressor
        self.confidence_level = confidence_level
        self.learner = learner
        self.season = season
        score = "signed" if learner == "cover" else "absolute"
        self._sets = Intervals(None, confidence_level, learner, season=season, score=score)

    @property
    def _wrapped_model(self) -> Any:
        return self.regressor

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import linear_model, preprocessing

        yield {"regressor": preprocessing.StandardScaler() | linear_model.LinearRegression()}

    def learn_one(self, x: dict[Any, Any], y: float, **more: Any) -> None:
        """Let the intervals learn from the error first, and then the regressor."""
        self._sets.update(float(self.regressor.predict_one(x)), y)
        self.regressor.learn_one(x, y, **more)

    def predict_one(self, x: dict[Any, Any], with_interval: bool = False, **more: Any) -> Any:
        """The forecast of the regressor, or an interval around it."""
        found = self.regressor.predict_one(x, **more)
        return Interval(*self._sets.predict(float(found))) if with_interval else found

    def __getstate__(self) -> Any:
        return {**vars(self), "_sets": store.seal_body(self._sets.body())}

    def __setstate__(self, state: Any) -> None:
        body = store.open_envelope(state["_sets"], "a pickled model")
        vars(self).update({**state, "_sets": Intervals.revive(body)})
