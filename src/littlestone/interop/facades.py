"""What the facades share: which learners they offer, as what kind, and how the class of a facade is made."""

from __future__ import annotations

import inspect
from typing import Any

from ..core import losses
from ..core.errors import BadInput
from ..core.game import PER_COORDINATE, Traits
from ..core.learner import Learner, defaults
from ..core.registry import learners

AnyLearner = Learner[Any, Any, Any, Any]


def offered() -> list[type[AnyLearner]]:
    """The learners over examples that predict labels or numbers."""
    return [
        cls
        for cls in learners().values()
        if cls.examples
        and not cls.__module__.startswith(
            ("littlestone.experts.", "littlestone.matrices.", "littlestone.graphs.")
        )
        and predicts_one(cls().game(False).traits())
    ]


def predicts_one(traits: Traits) -> bool:
    """Is an action one label or one number, not a set or a point?"""
    return traits.action != "set" and traits.decision != PER_COORDINATE


def kinds(cls: type[AnyLearner]) -> dict[str, dict[str, Any]]:
    """ "Classifier" and "Regressor", where the learner can be one -> the parameters that make it one."""
    found: dict[str, dict[str, Any]] = {"Classifier" if cls().labels else "Regressor": {}}
    if "loss" in defaults(cls):
        other = "Regressor" if "Classifier" in found else "Classifier"
        for loss in ("square", "absolute") if other == "Regressor" else ("logistic", "hinge"):
            try:
                made: Any = cls(loss=loss)  # type: ignore[call-arg]
                made.game(False)
            except BadInput:
                continue
            if made.labels == (other == "Classifier"):
                found.setdefault(other, {"loss": loss})
    return found


def facade_name(cls: type[AnyLearner], kind: str) -> str:
    """What a facade is called: OnlineLinearRegression as a Regressor is OnlineLinearRegressor.

    >>> from littlestone.linear.online_linear_regression import OnlineLinearRegression
    >>> facade_name(OnlineLinearRegression, "Regressor")
    'OnlineLinearRegressor'
    """
    return cls.__name__.removesuffix("Regression" if kind == "Regressor" else "\0") + kind


FORMER = {"OnlineLinearRegressionRegressor": "OnlineLinearRegressor"}  # earlier names


def as_kind_of(name: str, learner: AnyLearner, labels: bool) -> AnyLearner:
    """The learner of the facade `name`, or a refusal: a loss for labels makes no regressor, nor the other way round."""
    if learner.labels == labels:
        return learner
    wants, has = ("labels", "numbers") if labels else ("numbers", "labels")
    loss = losses.name(learner.parameters["loss"])  # only a loss can make labels of numbers
    raise BadInput(
        f"{name} learns {wants}, and loss={loss!r} is for {has}: "
        f"see {learner.__class__.__name__}{'Classifier' if learner.labels else 'Regressor'}"
    )


def write_defaults(cls: type[AnyLearner]) -> dict[str, Any]:
    """The defaults of a learner as a user writes them: a loss by its name."""
    return {
        k: losses.name(v) if isinstance(v, losses.KINDS) else v for k, v in defaults(cls).items()
    }


def facade(
    cls: type[AnyLearner], kind: str, base: type, given: dict[str, Any], module: str, note: str
) -> type[Any]:
    """A class for one learner; its constructor only stores, and its signature says what."""

    def init(self: Any, **parameters: Any) -> None:
        for name, default in given.items():
            setattr(self, name, parameters.pop(name, default))
        if parameters:
            raise TypeError(f"{type(self).__name__} has no parameter {next(iter(parameters))!r}")

    P = inspect.Parameter
    init.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            P("self", P.POSITIONAL_OR_KEYWORD),
            *(P(name, P.KEYWORD_ONLY, default=v) for name, v in given.items()),
        ]
    )
    text = f"{inspect.getdoc(cls)}{note}"
    members = {"__init__": init, "_learner": cls, "__module__": module, "__doc__": text}
    return type(facade_name(cls, kind), (base,), members)
