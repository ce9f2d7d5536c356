"""Models around which sets are made: learners of ours, scikit-learn's and River's estimators, functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.learner import Learner
from ...live import store


class Model:
    """A model of any library: how it forecasts, and how it learns."""

    ours = False  # a learner of ours, which a file can hold

    def __init__(self, model: Any) -> None:
        self.model = model

    def forecast(self, x: Any) -> Any:
        """A number; or several."""
        return self.model(x)

    def probabilities(self, x: Any) -> dict[Any, float]:
        """The probability of each class that is known."""
        found = self.model(x)
        if not isinstance(found, dict):
            raise BadInput(
                f"the model must say how probable each class is, as a dict, not {found!r:.80}"
            )
        return found

    def learn(self, x: Any, y: Any) -> None:
        """Learn from the truth of an example; a function learns nothing."""


class Given(Model):
    """No model: an example is the forecast itself, or several."""

    def forecast(self, x: Any) -> Any:
        return x

    def probabilities(self, x: Any) -> dict[Any, float]:
        if not isinstance(x, dict):
            raise BadInput(
                f"without a classifier an example is a dict of probabilities, not {x!r:.80}"
            )
        return x


class Ours(Model):
    """A learner of Littlestone."""

    ours = True

    def forecast(self, x: Any) -> Any:
        found = self.model.predict(x)
        if isinstance(found, (str, bytes)):
            raise BadInput(f"{self.model.key} predicts labels: use PredictionSets")
        return found

    def probabilities(self, x: Any) -> dict[Any, float]:
        if self.model.live is None or not self.model.classes:
            return {}
        found: dict[Any, float] = self.model.predict_proba(x)
        return found

    def learn(self, x: Any, y: Any) -> None:
        self.model.update(x, y)


class Rivers(Model):
    """A model of River: one example at a time, each a dict."""

    def forecast(self, x: Any) -> Any:
        return self.model.predict_one(x)

    def probabilities(self, x: Any) -> dict[Any, float]:
        found: dict[Any, float] = self.model.predict_proba_one(x)
        return found

    def learn(self, x: Any, y: Any) -> None:
        self.model.learn_one(x, y)


class Sklearns(Model):
    """An estimator of scikit-learn: it learns where it has `partial_fit`, and stays as it was fitted elsewhere."""

    def forecast(self, x: Any) -> Any:
        if not self.fitted:
            return 0.0  # before the first example
        found = np.asarray(self.model.predict(row(x)), dtype=float)[0]
        return found if found.ndim else float(found)

    def probabilities(self, x: Any) -> dict[Any, float]:
        if not self.fitted:
            return {}
        p = np.asarray(self.model.predict_proba(row(x)), dtype=float)[0]
        return dict(zip(self.model.classes_.tolist(), p.tolist(), strict=True))

    @property
    def fitted(self) -> bool:
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import check_is_fitted

        try:
            check_is_fitted(self.model)
        except NotFittedError:
            if not hasattr(self.model, "partial_fit"):
                raise BadInput(
                    f"{type(self.model).__name__} is not fitted and cannot learn one example at a time: fit it first"
                ) from None
            return False
        return True

    def learn(self, x: Any, y: Any) -> None:
        if hasattr(self.model, "partial_fit"):
            from sklearn.base import is_classifier

            if is_classifier(self.model) and not self.fitted:
                raise BadInput(
                    f"{type(self.model).__name__} must know all classes before its first example: call its partial_fit "
                    "with classes= once"
                )
            self.model.partial_fit(row(x), np.array([y]))


def row(x: Any) -> Any:
    """One example as a matrix of one row."""
    found = np.asarray(x, dtype=float)
    if found.ndim != 1:
        raise BadInput(f"an example must be a list of numbers, not of shape {found.shape}")
    return found[None]


def adapted(model: Any) -> Model:
    """Wrap a model by the methods that it has: one of ours, scikit-learn's, River's, or a function."""
    if model is None:
        return Given(None)
    if isinstance(model, Learner):
        return Ours(model)
    if hasattr(model, "learn_one"):
        return Rivers(model)
    if hasattr(model, "predict") and hasattr(model, "fit"):
        return Sklearns(model)
    if callable(model):
        return Model(model)
    raise BadInput(
        f"a model must be a learner, a scikit-learn or River estimator, or a function, not {model!r:.80}"
    )


def packed(model: Model) -> bytes | None:
    """A learner of ours as bytes; None for models that their own libraries keep."""
    return store.to_bytes(model.model) if model.ours else None
