"""An estimator of scikit-learn's kind as text: its class and its parameters, from which it is made anew.

>>> from sklearn.neighbors import KNeighborsClassifier
>>> said = describe_estimator(KNeighborsClassifier(3))
>>> made = build_estimator(said)
>>> type(made).__name__, made.n_neighbors
('KNeighborsClassifier', 3)

What is fitted is never part of it: a file holds this text and the rows, and no code.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import numpy as np

from ..core.errors import BadInput

LIBRARY = (
    "sklearn"  # whose modules a file may import; those of other libraries the user has imported
)


def is_estimator(v: object) -> bool:
    """Is it an estimator that is not fitted to anything yet: has it parameters, and methods to fit and to predict?"""
    return not isinstance(v, type) and all(
        callable(getattr(v, name, None)) for name in ("get_params", "set_params", "fit", "predict")
    )


def describe_estimator(estimator: Any) -> str:
    """The estimator as text. It is fitted on one core, and where it draws and has no seed the seed is 0."""
    from sklearn.base import clone, is_clusterer, is_outlier_detector

    if is_clusterer(estimator) or is_outlier_detector(estimator):
        raise BadInput(
            f"{type(estimator).__name__} learns from no outcomes: take a classifier or a regressor, such as "
            "KNeighborsClassifier(3)"
        )
    try:
        fresh = clone(estimator)
    except (TypeError, RuntimeError) as problem:
        raise BadInput(
            f"{type(estimator).__name__} cannot be made anew of its parameters: {problem}"
        ) from None
    for name, v in fresh.get_params().items():
        last = name.rpartition("__")[2]
        if last == "random_state" and v is None:
            fresh.set_params(**{name: 0})
        if last == "n_jobs" and v is not None:
            fresh.set_params(**{name: None})
    return json.dumps(encoded(fresh), sort_keys=True)


def encoded(v: Any) -> Any:
    """A parameter as JSON knows it."""
    if v is None or isinstance(v, (bool, int, float, str)):
        return v
    if isinstance(v, np.generic):
        return v.item()
    if isinstance(v, (list, tuple)):
        return {"list" if isinstance(v, list) else "tuple": [encoded(part) for part in v]}
    if isinstance(v, dict) and all(isinstance(name, str) for name in v):
        return {"dict": {name: encoded(part) for name, part in v.items()}}
    if not isinstance(v, type) and callable(getattr(v, "get_params", None)):
        parameters = {name: encoded(part) for name, part in v.get_params(deep=False).items()}
        where = f"{type(v).__module__}:{type(v).__qualname__}"
        return {"estimator": where, "parameters": parameters}
    raise BadInput(
        f"a parameter of the estimator is a {type(v).__name__}, {v!r:.60}: parameters must be numbers, text, lists and "
        "estimators, so that it can be saved"
    )


def build_estimator(said: str) -> Any:
    """The estimator of a text, not fitted."""
    try:
        return decoded(json.loads(said))
    except (ValueError, KeyError, AttributeError, TypeError) as problem:
        raise BadInput(f"{said[:80]} describes no estimator: {problem}") from None


def decoded(v: Any) -> Any:
    if not isinstance(v, dict):
        return v
    if "estimator" in v:
        return estimator_class(v["estimator"])(
            **{name: decoded(part) for name, part in v["parameters"].items()}
        )
    if "dict" in v:
        return {name: decoded(part) for name, part in v["dict"].items()}
    if "list" in v:
        return [decoded(part) for part in v["list"]]
    return tuple(decoded(part) for part in v["tuple"])


def estimator_class(where: str) -> Any:
    """The class that a text names: of scikit-learn, or of a module that was imported already."""
    from sklearn.base import BaseEstimator

    module, _, name = where.partition(":")
    if module.partition(".")[0] == LIBRARY:
        importlib.import_module(module)
    if module not in sys.modules:
        raise BadInput(f"it needs {name} of {module}: import that module first")
    found = getattr(sys.modules[module], name)
    if not (isinstance(found, type) and issubclass(found, BaseEstimator)):
        raise BadInput(f"{where} is not an estimator")
    return found


def name_estimator(said: str) -> str:
    """The name of its class.

    >>> name_estimator('{"estimator": "sklearn.svm:SVC", "parameters": {}}')
    'SVC'
    """
    try:
        found: str = json.loads(said)["estimator"].partition(":")[2]
    except (ValueError, KeyError, AttributeError, TypeError):
        raise BadInput(f"{said[:80]} describes no estimator") from None
    return found


def parse_estimator(owner: str, v: Any, numbers: bool) -> str:
    """An estimator, or its text, for a learner of numbers or of classes."""
    said = v if isinstance(v, str) and v.startswith("{") else None
    if said is None and is_estimator(v):
        said = describe_estimator(v)
    if said is None:
        raise BadInput(
            f"{owner}: estimator must be one of scikit-learn's kind that is not fitted, such as "
            f"{'Ridge()' if numbers else 'KNeighborsClassifier(3)'}, not {v!r:.80}",
            field="estimator",
            value=v,
        )
    name_estimator(said)
    return said


def predicts_numbers(v: Any) -> bool:
    """Does an estimator predict numbers, and not classes?"""
    from sklearn.base import is_regressor

    return bool(is_regressor(v))
