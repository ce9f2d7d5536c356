"""`ls.Intervals`: intervals around any model, one round at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.rows import BIG
from .forecasts import spread_of_forecasts
from .guard import Guard
from .live_sets import LiveSets, learner_of_sets
from .seasons import parse_seasons

SCORES = ("signed", "absolute", "cqr")


class Intervals(LiveSets):
    """Intervals around the forecasts of a model that hold the truth in a share `level` of the rounds.

    model: a learner of ours that predicts numbers, a regressor of scikit-learn (with `partial_fit` it learns, else it
    stays as it was fitted) or of River, a function; or None, and examples are the forecasts themselves, one number or
    one a forecaster (whose mean is taken, and whose spread tells how wide an interval must be).
    score: "signed" follows both tails for themselves; "absolute" has one threshold for both sides; "cqr" takes a pair
    of quantile forecasts, or a pair of models, and moves their ends.
    late: by how many rounds truths are late, where they are told with `tell`. guarded: make a side infinite that has
    missed too often, so that T-COVER holds for any learner (`guard.verdict()` says so).

    >>> import littlestone as ls
    >>> model = ls.Intervals(ls.OGD(loss="square", eta=0.1), level=0.8)
    >>> for t in range(200):
    ...     model = model.update([1.0, t % 2], 3.0 * (t % 2) + (-1.0) ** (t // 2))
    >>> lower, upper = model.predict([1.0, 1.0])
    >>> lower < 3.0 < upper, 0.7 < model.coverage < 0.95
    (True, True)
    """

    kind = "intervals"

    def __init__(
        self,
        model: Any = None,
        level: float = 0.9,
        learner: Any = None,
        late: int = 0,
        season: Any = 0,
        score: str = "signed",
        forecasters: int = 1,
        guarded: bool = False,
    ) -> None:
        if score not in SCORES:
            raise BadInput(f"score must be one of {', '.join(map(repr, SCORES))}, not {score!r}")
        if isinstance(forecasters, bool) or not isinstance(forecasters, int) or forecasters < 1:
            raise BadInput(f"forecasters must be a whole number, 1 or more, not {forecasters!r}")
        pair = isinstance(model, (tuple, list))
        if pair and (score != "cqr" or len(model) != 2):
            raise BadInput("two models are a pair of quantile forecasts: score='cqr'")
        chosen = learner if learner is not None else ("aci" if score == "absolute" else "cover")
        more = {"late": late, "season": parse_seasons(season), "spread": int(forecasters > 1)}
        sets = learner_of_sets(chosen, level, more)
        both = "spread" in sets.parameters  # one threshold a tail
        if both == (score == "absolute"):
            allowed = "absolute" if not both else "signed' or 'cqr"
            if not (score == "cqr" and not both):
                raise BadInput(f"{sets.key}: score must be {allowed!r}, not {score!r}")
        self.score, self.forecasters = score, forecasters
        super().__init__(Pair(*model) if pair else model, sets)
        self.guard = Guard(self.level, int(late)) if guarded else None

    def settings(self) -> dict[str, Any]:
        foreign = self.model is not None and not self.wrapped.ours
        return {"score": self.score, "forecasters": self.forecasters, "foreign": foreign}

    def seen(self, x: Any) -> tuple[Any, Any]:
        said = self.wrapped.forecast(x)
        try:
            f = np.atleast_1d(np.asarray(said, dtype=float)).ravel()
        except (TypeError, ValueError):
            raise BadInput(f"the forecast must be a number, not {said!r:.80}") from None
        expected = 2 if self.score == "cqr" else self.forecasters
        if len(f) != expected:
            raise BadInput(f"a round has {len(f)} forecasts; there must be {expected}")
        if not np.isfinite(f).all():
            raise BadInput(f"the forecast is {f[~np.isfinite(f)][0]:g}; it must be a finite number")
        z = [*f] if self.score == "cqr" else [float(f.mean())]
        if self.score == "cqr" and f[0] > f[1]:
            raise BadInput(
                f"the lower quantile forecast, {f[0]:g}, is above the upper one, {f[1]:g}"
            )
        if self.sets.parameters.get("spread"):
            z.append(float(spread_of_forecasts(f[None])[0]))
        if self.sets.parameters.get("season"):
            z.append(float(self.rounds))
        return np.array(z), None

    def said(self, limits: Any, score: Any) -> tuple[float, float]:
        lower, upper = float(limits[0]), float(limits[1])
        return (lower, upper) if self.guard is None else self.guard.limits(lower, upper)

    def truth(self, y: Any, score: Any) -> float:
        try:
            v = float(y)
        except (TypeError, ValueError):
            raise BadInput(f"the outcome must be a number, not {y!r:.80}") from None
        if abs(v) > BIG:
            must = "a finite number" if math.isinf(v) else f"at most {BIG:g} in size"
            raise BadInput(f"the outcome is {v:g}; it must be {must}, or missing")
        return v

    def holds(self, prediction: Any, y: Any) -> bool:
        return bool(prediction[0] <= y <= prediction[1])


class Pair:
    """Two models as one: a pair of quantile forecasts."""

    def __init__(self, lower: Any, upper: Any) -> None:
        from .models import adapted

        self.lower, self.upper = adapted(lower), adapted(upper)

    def predict_one(self, x: Any) -> list[Any]:
        return [self.lower.forecast(x), self.upper.forecast(x)]

    def learn_one(self, x: Any, y: Any) -> None:
        self.lower.learn(x, y)
        self.upper.learn(x, y)
