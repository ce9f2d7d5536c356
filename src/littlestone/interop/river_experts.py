"""Learners over experts as a River ensemble, and bandits as a River policy."""

from __future__ import annotations

import math
from typing import Any

from ..core.extras import missing_extra

try:
    from river import base
except ModuleNotFoundError as problem:
    raise missing_extra("littlestone.interop.river", "river", problem) from None
from river.bandit.base import Policy

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.registry import learner as made_by
from ..live import store

AnyLearner = Learner[Any, Any, Any, Any]


class PickledAsFile:
    """A mixin that pickles what has been learned in the format of saved files."""

    def __getstate__(self) -> Any:
        state = dict(vars(self))
        if isinstance(state.get("_live"), Learner):
            state["_live"] = store.to_bytes(state["_live"])
        return state

    def __setstate__(self, state: Any) -> None:
        if isinstance(state.get("_live"), bytes):
            state = {**state, "_live": store.from_bytes(state["_live"], path="a pickled model")}
        vars(self).update(state)


class ExpertsRegressor(PickledAsFile, base.Ensemble[base.Regressor], base.Regressor):
    """Models of River as experts: a learner mixes their forecasts, and carries its theorem.

    models   regressors, which learn from every example
    learner  a learner over experts, or its key

    >>> from river import dummy, stats
    >>> model = ExpertsRegressor(
    ...     [dummy.StatisticRegressor(stats.Mean()), dummy.StatisticRegressor(stats.Max())]
    ... )
    >>> for y in (1.0, 5.0, 1.0, 1.0, 1.0):
    ...     model.learn_one({}, y)
    >>> 1.8 < model.predict_one({}) < 3.0, int(model.weights.argmax())
    (True, 0)
    """

    def __init__(self, models: list[base.Regressor], learner: str | AnyLearner = "tracker") -> None:
        super().__init__(models)  # type: ignore[arg-type]  # River means any iterable
        self.learner = learner
        self._live: Any = None

    @classmethod
    def _unit_test_params(cls) -> Any:
        from river import linear_model, preprocessing

        scaled = preprocessing.StandardScaler()
        yield {
            "models": [
                scaled | linear_model.LinearRegression(intercept_lr=0.1),
                preprocessing.StandardScaler() | linear_model.PARegressor(),  # type: ignore[no-untyped-call]
            ]
        }

    def began(self) -> AnyLearner:
        """The learner that mixes them."""
        if self._live is None:
            made = made_by(self.learner)
            if made.bandit or made.examples or made.labels:
                raise BadInput(
                    f"learner: {made.key} does not mix forecasts of numbers; tracker does"
                )
            self._live = made.replace().start(len(self), allocation=False)
        return self._live  # type: ignore[no-any-return]

    def advice(self, x: dict[Any, Any]) -> list[float]:
        """What each model forecasts; NaN where it says nothing, or no finite number."""
        said = [model.predict_one(x) for model in self]
        return [math.nan if v is None or not math.isfinite(v) else float(v) for v in said]

    def predict_one(self, x: dict[Any, Any]) -> float:
        """The mixture of the forecasts; 0 where no model forecasts anything."""
        said, learner = self.advice(x), self.began()
        return 0.0 if all(map(math.isnan, said)) else float(learner.predict(said))

    def learn_one(self, x: dict[Any, Any], y: float) -> None:
        """Weigh the models by what they forecast, and let each of them learn."""
        said, learner = self.advice(x), self.began()
        if not all(map(math.isnan, said)):
            learner.update(said, y)
        for model in self:
            model.learn_one(x, y)

    @property
    def weights(self) -> Any:
        """The weight of each model now."""
        return self.began().weights


class BanditPolicy(PickledAsFile, Policy):
    """A bandit of Littlestone as a policy of River: `pull` an arm, `update` it with its reward.

    learner   a bandit without features, or its key
    interval  where rewards lie
    seed      decides its draws

    The arms of the first `pull` are all there are; a later one may offer some of them.

    >>> policy = BanditPolicy("ucb1")
    >>> for _ in range(50):
    ...     arm = policy.pull(["blue", "red"])
    ...     policy.update(arm, float(arm == "red"))
    >>> policy._counts["red"] > 40
    True
    """

    def __init__(
        self,
        learner: str | AnyLearner = "exp3",
        interval: tuple[float, float] = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.learner, self.interval, self.seed = learner, interval, seed
        self._live: Any = None
        self._arms: list[Any] = []
        self._offered: list[bool] | None = None

    def _pull(self, arm_ids: list[Any]) -> Any:
        """The arm that the learner draws."""
        if self._live is None:
            made: Any = made_by(self.learner)
            if not made.bandit or made.contexts:
                raise BadInput(f"learner: {made.key} is no bandit without features; exp3 is")
            self._arms = list(arm_ids)
            low, high = self.interval
            self._live = made.replace().start(len(arm_ids), interval=(low, high), seed=self.seed)
        unknown = [arm for arm in arm_ids if arm not in self._arms]
        if unknown:
            raise BadInput(
                f"arm {unknown[0]!r} was not among those of the first pull: {self._arms}"
            )
        some = [arm in arm_ids for arm in self._arms]
        self._offered = None if all(some) else some
        return self._arms[self._live.predict(available=self._offered)]

    def pull(self, arm_ids: list[Any]) -> Any:
        """The arm to pull."""
        return self._pull(arm_ids)

    def update(self, arm_id: Any, *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learn the reward of an arm."""
        reward = reward_args[0] if reward_args else reward_kwargs.get("reward")
        if self._live is None or arm_id not in self._arms:
            raise BadInput(f"arm {arm_id!r} was never pulled")
        self._live.update(arm=self._arms.index(arm_id), reward=reward, available=self._offered)
        super().update(arm_id, reward)  # type: ignore[no-untyped-call]


__all__ = ["BanditPolicy", "ExpertsRegressor"]
