"""A linear model as JSON, for programs in other languages: names, weights, intercepts, classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner
from .lines import line

FORMAT = "littlestone-linear-1"


def export_linear(learner: Learner[Any, Any, Any, Any]) -> dict[str, Any]:
    """What a scorer needs of a learner whose scores are <w, x> + b, ready for `json.dumps`.

        score_c = intercept[c] + sum over the features of weights[c][name] * x[name]
        no classes: the prediction is the score
        two classes: classes[1] if the score is 0 or more, else classes[0]
        more: the class with the largest score, the first of those that are equal

    A feature that has no weight counts 0. Refused: learners whose scores are not linear in the features as they are
    (kernels, votes, Boolean features, `normalise=True`, the defaults), and names that were hashed.

    >>> import littlestone as ls
    >>> model = ls.Perceptron().start(2, labels=("no", "yes"), names=("a", "b"))
    >>> export_linear(model.update([1.0, 2.0], "no"))["weights"]
    [{'a': -1.0, 'b': -2.0}]
    """
    live: Any = learner.begun()
    named = places_by_name(learner, "export_linear")
    scaled = vars(learner).get("normalise", False)
    found = None
    if not learner.boolean and not scaled:
        found = line(learner, max(named.values()) + 1)
    if found is None:
        raise BadInput(
            f"export_linear: the scores of {learner.key} are not linear in the features as they are; "
            "take a linear learner without normalise=True, such as logistic"
        )
    W, b = found
    return {
        "format": FORMAT,
        "learner": learner.key,
        "classes": None if live.labels is None else [np.asarray(c).item() for c in live.labels],
        "weights": [{str(n): float(w[i]) for n, i in named.items() if i < len(w)} for w in W],
        "intercept": [float(v) for v in b],
    }


def places_by_name(learner: Learner[Any, Any, Any, Any], caller: str) -> dict[Any, int]:
    """The place of each feature by its name; refused where names were hashed, or columns coded."""
    live: Any = learner.begun()
    named: dict[Any, int] = live.setting.features
    if not live.sparse:
        named = {name: i for i, name in enumerate(names_of(live))}
    if not named or live.setting.categories.columns:
        raise BadInput(
            f"{caller}: {learner.key} has hashed or coded its features: give it rows of numbers, or dicts"
        )
    return named


def names_of(live: Any) -> list[str]:
    """The names of dense features; by number where they have none."""
    return [str(n) for n in live.names or (f"feature {i + 1}" for i in range(live.width))]
