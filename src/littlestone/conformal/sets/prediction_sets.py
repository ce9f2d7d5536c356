"""`ls.PredictionSets`: a set of labels around any classifier, one round at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import BadInput
from .live_sets import LiveSets, learner_of_sets

SCORES = ("lac", "aps", "raps")
PENALTY, FREE = 0.01, 2  # RAPS: what each label costs beyond the first two


def lac(p: dict[Any, float]) -> dict[Any, float]:
    """One less the probability (least ambiguous set-valued classifiers).

    >>> lac({"a": 0.75, "b": 0.25})
    {'a': 0.25, 'b': 0.75}
    """
    return {label: 1.0 - v for label, v in p.items()}


def aps(p: dict[Any, float], penalty: float = 0.0, free: int = 0) -> dict[Any, float]:
    """The probability of all labels that are at least as likely (adaptive prediction sets).

    >>> aps({"a": 0.25, "b": 0.5, "c": 0.25})
    {'b': 0.5, 'a': 0.75, 'c': 1.0}
    """
    found, total = {}, 0.0
    for rank, label in enumerate(sorted(p, key=lambda k: -p[k]), start=1):
        total += p[label]
        found[label] = total + penalty * max(0, rank - free)
    return found


class PredictionSets(LiveSets):
    """Sets of labels that hold the true one in a share `level` of the rounds, on any sequence.

    classifier: a learner of ours with probabilities, a classifier of scikit-learn or of River, a function that returns
    a dict of probabilities; or None, and examples are such dicts.
    score: "lac" (one less the probability), "aps" (labels in the order of their probabilities) or "raps" (the same
    with a price for labels after the second). learner: which one follows the scores. A set that would be empty holds
    the likeliest label. A label that the classifier does not know yet has the probability 0, and is missed.

    >>> sets = PredictionSets(None, level=0.75, score="lac")
    >>> p = {"rain": 0.7, "sun": 0.2, "snow": 0.1}
    >>> sets.predict(p)  # nothing is known yet
    ['rain', 'sun', 'snow']
    >>> for y in ("rain", "rain", "sun", "rain") * 10:
    ...     sets = sets.update(p, y)
    >>> sets.predict(p), 0.7 <= sets.coverage
    (['rain'], True)
    """

    kind = "prediction sets"

    def __init__(
        self, classifier: Any, level: float = 0.9, score: str = "aps", learner: Any = "aci"
    ) -> None:
        if score not in SCORES:
            raise BadInput(f"score must be one of {', '.join(map(repr, SCORES))}, not {score!r}")
        sets = learner_of_sets(learner, level, {})
        if "spread" in sets.parameters:
            raise BadInput(
                f"{sets.key} follows two tails, and labels have one: aci, quantile-tracker, …"
            )
        self.score = score
        super().__init__(classifier, sets)

    def settings(self) -> dict[str, Any]:
        return {"score": self.score, "foreign": self.model is not None and not self.wrapped.ours}

    def seen(self, x: Any) -> tuple[Any, Any]:
        p = self.wrapped.probabilities(x)
        for label, v in p.items():
            if not -1e-9 <= v <= 1.0 + 1e-9:
                raise BadInput(f"the probability of {label!r} is {v!r}; it must be between 0 and 1")
        if self.score == "lac":
            return np.zeros(1), lac(dict(sorted(p.items(), key=lambda pair: -pair[1])))
        penalty, free = (PENALTY, FREE) if self.score == "raps" else (0.0, 0)
        return np.zeros(1), aps(p, penalty, free)

    def said(self, limits: Any, score: Any) -> list[Any]:
        inside = [label for label, v in score.items() if v <= float(limits[1]) + 1e-12]
        return inside or list(score)[:1]

    def truth(self, y: Any, score: Any) -> float:
        worst = 1.0 + PENALTY * max(0, len(score) + 1 - FREE) * (self.score == "raps")
        return float(score.get(y, worst))

    def holds(self, prediction: Any, y: Any) -> bool:
        return y in prediction
