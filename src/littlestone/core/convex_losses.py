"""Families of convex losses f_t(theta), one a round, made of the round's data x and y.

A family is a NamedTuple with methods that run plain and compiled:

    at(theta, x, y)                f_t(theta)
    slope_into(theta, x, y, g)     a subgradient of f_t at theta, written into g
    said(theta, x)                 the number that stands for the decision, before y is known
    blind()                        can the loss be computed without y?

`Custom` takes any convex loss as two Python callables; a run with it is played by the plain loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import losses
from .errors import BadInput
from .losses import Loss
from .vectors import dot


class BadLoss(BadInput):
    """A loss of the user's own failed. It holds x, a row of the examples, by which the caller finds the round."""

    def __init__(self, text: str, x: Any) -> None:
        super().__init__(text)
        self.x = x


class Linear(NamedTuple):
    """f(theta) = scale <x, theta>: x is the gradient; scale = -1 where x holds gains."""

    scale: float = 1.0

    def at(self, theta: Any, x: Any, y: float) -> float:
        return self.scale * dot(theta, x)

    def slope_into(self, theta: Any, x: Any, y: float, g: Any) -> None:
        for i in range(g.shape[0]):
            g[i] = self.scale * x[i]

    def predicted_number(self, theta: Any, x: Any) -> float:
        return self.scale * dot(theta, x)

    def blind(self) -> bool:
        return True


class Prediction(NamedTuple):
    """f(theta) = loss(<theta, x>, y), for a loss that is convex in its prediction."""

    loss: Loss

    def at(self, theta: Any, x: Any, y: float) -> float:
        return self.loss.at(dot(theta, x), y)

    def slope_into(self, theta: Any, x: Any, y: float, g: Any) -> None:
        c = self.loss.slope(dot(theta, x), y)
        for i in range(g.shape[0]):
            g[i] = c * x[i]

    def predicted_number(self, theta: Any, x: Any) -> float:
        return dot(theta, x)

    def blind(self) -> bool:
        return False


class Distance(NamedTuple):
    """f(theta) = |theta - x|^power: power 2 leads to means, power 1 to (spatial) medians."""

    power: int = 2

    def at(self, theta: Any, x: Any, y: float) -> float:
        s = 0.0
        for i in range(theta.shape[0]):
            s += (theta[i] - x[i]) * (theta[i] - x[i])
        return s if self.power == 2 else math.sqrt(s)

    def slope_into(self, theta: Any, x: Any, y: float, g: Any) -> None:
        if self.power == 2:
            for i in range(g.shape[0]):
                g[i] = 2.0 * (theta[i] - x[i])
            return
        far = self.at(theta, x, y)
        for i in range(g.shape[0]):
            g[i] = (theta[i] - x[i]) / far if far > 0.0 else 0.0

    def predicted_number(self, theta: Any, x: Any) -> float:
        return self.at(theta, x, 0.0)

    def blind(self) -> bool:
        return True


class Custom(NamedTuple):
    """Any convex loss: value(theta, x, y), and one of its subgradients there, as Python callables.

    That the loss is convex cannot be checked, and the theorems are only about losses that are.

    >>> largest = Custom(
    ...     lambda theta, x, y: float(max(abs(theta - x))),
    ...     lambda theta, x, y: np.sign(theta - x) * (abs(theta - x) == max(abs(theta - x))),
    ... )
    >>> largest.at(np.zeros(2), np.array([1.0, 3.0]), 0.0)
    3.0
    """

    value: Callable[[Any, Any, float], float]
    subgradient: Callable[[Any, Any, float], Any]
    outcome: bool = False  # does the loss need y? then a round without one is not learned from

    opaque = True  # type: ignore[misc]  # no compiled loop can call Python: this one is played plain

    def at(self, theta: Any, x: Any, y: float) -> float:
        given = call_users_function("value", self.value, theta, x, y)
        made = numbers(given)
        if made is None or made.ndim != 0:
            raise BadLoss(f"value must return one number, not {given!r:.80}{where(theta, x, y)}", x)
        if math.isnan(made):
            raise BadLoss(f"the loss is NaN{where(theta, x, y)}", x)
        return float(made)

    def slope_into(self, theta: Any, x: Any, y: float, g: Any) -> None:
        given = call_users_function("subgradient", self.subgradient, theta, x, y)
        made = numbers(given)
        if made is None or made.shape != np.shape(theta) or not np.isfinite(made).all():
            shown = given.tolist() if isinstance(given, np.ndarray) else given
            raise BadLoss(
                f"a subgradient must be {len(theta)} finite numbers, not {shown!r:.80}{where(theta, x, y)}",
                x,
            )
        g[:] = made

    def predicted_number(self, theta: Any, x: Any) -> float:
        return dot(theta, x)

    def blind(self) -> bool:
        return not self.outcome


def call_users_function(
    name: str, f: Callable[[Any, Any, float], Any], theta: Any, x: Any, y: float
) -> Any:
    """f(theta, x, y), where f is the user's; an exception in it becomes a BadLoss that names the round."""
    try:
        return f(still(theta), x, y)
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__
        raise BadLoss(f"{name} raised {said:.200}{where(theta, x, y)}", x) from problem


def numbers(given: Any) -> Any:
    """What a callable returned, as an array of numbers; None where it returned something else."""
    try:
        made = np.asarray(given)
        return None if given is None or made.dtype.kind in "SUVcMm" else made.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def where(theta: Any, x: Any, y: float) -> str:
    """The end of an error message: the data x and y of the round, and the point theta."""
    data = f"x = {np.asarray(x).tolist()!r:.60}" + (f", y = {y:g}" if y == y else "")
    return f", in the round of {data}, at theta = {np.array(theta).tolist()!r:.80}"


def still(theta: Any) -> Any:
    """A read-only view of theta."""
    view = np.asarray(theta).view()
    view.flags.writeable = False
    return view


Family = Linear | Prediction | Distance | Custom
KINDS = (Linear, Prediction, Distance, Custom)


def parse_family(given: object, owner: str = "family") -> Family:
    """Make a family of what the user wrote: a family, its name, or the name of a loss of predictions.

    >>> parse_family("linear"), parse_family("distance:1"), parse_family("hinge")
    (Linear(scale=1.0), Distance(power=1), Prediction(loss=Hinge()))
    """
    if isinstance(given, str):
        words: dict[str, Family] = {
            "linear": Linear(),
            "distance": Distance(2),
            "distance:1": Distance(1),
            "distance:2": Distance(2),
        }
        if given in words:
            return words[given]
        given = Prediction(losses.parse_loss(given, owner, True))
    elif isinstance(given, losses.KINDS):
        given = Prediction(given)
    if isinstance(given, Linear):
        return Linear(float(given.scale))
    if isinstance(given, Distance) and given.power in (1, 2):
        return Distance(int(given.power))
    if isinstance(given, Prediction):
        loss = losses.parse_loss(given.loss, owner, True)
        if isinstance(loss, (losses.ZeroOne, losses.LogLoss)):
            why = "not convex" if isinstance(loss, losses.ZeroOne) else "infinite for some scores"
            raise BadInput(
                f"{owner}: the {losses.name(loss)} loss of <theta, x> is {why}; take another one"
            )
        return Prediction(loss)
    if isinstance(given, Custom) and callable(given.value) and callable(given.subgradient):
        return given
    raise BadInput(
        f"{owner}: family must be linear, distance, distance:1, the name of a loss, or one of "
        f"Linear, Prediction, Distance and Custom of littlestone.core.convex_losses, not {given!r:.80}"
    )


def two_classes(family: Family) -> bool:
    """Is the outcome -1 or +1?"""
    return isinstance(family, Prediction) and isinstance(family.loss, losses.MARGIN)
