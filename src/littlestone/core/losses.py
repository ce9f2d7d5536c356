"""Losses: what a prediction costs, its slope, its range, and the constants that theory asks for.

A loss is a NamedTuple, so that the same methods run plain and compiled: `at` is its value and `slope` its
(sub)derivative in the prediction. Everything else is for Python: `span` (the largest value on the interval),
`exp_concave` (the largest eta with exp(-eta loss) concave: the rate at which a weighted average predicts) and
`mixable` (the rate at which Vovk's substitution predicts); 0 says that there is none.

An interval of NaN was not declared: a run learns it from the data where it needs it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from .errors import BadInput
from .numeric import decay_one, log_more


def write_loss(loss: Any) -> str:
    """How a loss is written in Python; an interval that was not declared is left out.

    >>> Square(), Square(0, 10), Pinball(quantile=0.9)
    (Square(), Square(low=0, high=10), Pinball(quantile=0.9))
    """
    parts = [f"{k}={v!r}" for k, v in zip(loss._fields, loss, strict=True) if v == v]
    return f"{type(loss).__name__}({', '.join(parts)})"


class ZeroOne(NamedTuple):
    """1 for a mistake, 0 otherwise."""

    low: float = 0.0
    high: float = 1.0

    def at(self, p: float, y: float) -> float:
        return 1.0 if p != y else 0.0

    def slope(self, p: float, y: float) -> float:
        return 0.0


class Absolute(NamedTuple):
    """|p - y|; its mixtures aim at the median."""

    low: float = math.nan
    high: float = math.nan

    def __repr__(self) -> str:
        return write_loss(self)

    def at(self, p: float, y: float) -> float:
        return abs(p - y)

    def slope(self, p: float, y: float) -> float:
        return 1.0 if p > y else -1.0 if p < y else 0.0


class Square(NamedTuple):
    """(p - y)^2, exp-concave at 1/(2 (b-a)^2) and mixable at 2/(b-a)^2 on [a, b] (T-WA, T-AA-SQ)."""

    low: float = math.nan
    high: float = math.nan

    def __repr__(self) -> str:
        return write_loss(self)

    def at(self, p: float, y: float) -> float:
        return (p - y) * (p - y)

    def slope(self, p: float, y: float) -> float:
        return 2.0 * (p - y)


class LogLoss(NamedTuple):
    """y ln(y/p) + (1-y) ln((1-y)/(1-p)) on [0, 1], the log loss for y in {0, 1}; infinite where p rules y out."""

    low: float = 0.0
    high: float = 1.0

    def at(self, p: float, y: float) -> float:
        total = 0.0
        if y > 0.0:
            total += y * np.log(y / p) if p > 0.0 else np.inf
        if y < 1.0:
            total += (1.0 - y) * np.log((1.0 - y) / (1.0 - p)) if p < 1.0 else np.inf
        return total

    def slope(self, p: float, y: float) -> float:
        # at the ends the slope is infinite; just inside them it is finite and of the right sign
        q = min(max(p, 1e-15), 1.0 - 1e-15)
        return (q - y) / (q * (1.0 - q))


class Pinball(NamedTuple):
    """q (y - p) from below, (1-q) (p - y) from above; its mixtures aim at the q-quantile."""

    low: float = math.nan
    high: float = math.nan
    quantile: float = 0.5

    def __repr__(self) -> str:
        return write_loss(self)

    def at(self, p: float, y: float) -> float:
        return self.quantile * (y - p) if y >= p else (1.0 - self.quantile) * (p - y)

    def slope(self, p: float, y: float) -> float:
        return -self.quantile if y > p else 1.0 - self.quantile if y < p else 0.0


# Losses of a score, where the outcome is one of two classes, -1 or +1.


class Hinge(NamedTuple):
    """max(0, 1 - y p): none for a score on the right side with margin 1."""

    low: float = math.nan
    high: float = math.nan

    def __repr__(self) -> str:
        return write_loss(self)

    def at(self, p: float, y: float) -> float:
        return max(0.0, 1.0 - y * p)

    def slope(self, p: float, y: float) -> float:
        return -y if y * p < 1.0 else 0.0


class SquaredHinge(NamedTuple):
    """max(0, 1 - y p)^2."""

    low: float = math.nan
    high: float = math.nan

    def __repr__(self) -> str:
        return write_loss(self)

    def at(self, p: float, y: float) -> float:
        short = max(0.0, 1.0 - y * p)
        return short * short

    def slope(self, p: float, y: float) -> float:
        return -2.0 * y * max(0.0, 1.0 - y * p)


class Logistic(NamedTuple):
    """ln(1 + exp(-y p)): minus the logarithm of the probability that the score p gives to y."""

    low: float = math.nan
    high: float = math.nan

    def __repr__(self) -> str:
        return write_loss(self)

    def at(self, p: float, y: float) -> float:
        return log_more(decay_one(-abs(p))) + max(
            0.0, -y * p
        )  # no branch: a processor cannot predict labels

    def slope(self, p: float, y: float) -> float:
        e = decay_one(-abs(p))
        right = 1.0 / (1.0 + e)  # the larger of the two probabilities
        return -y * (e * right if y * p > 0.0 else right)


class PerceptronLoss(NamedTuple):
    """max(0, -y p): how far a score is on the wrong side."""

    low: float = math.nan
    high: float = math.nan

    def __repr__(self) -> str:
        return write_loss(self)

    def at(self, p: float, y: float) -> float:
        return max(0.0, -y * p)

    def slope(self, p: float, y: float) -> float:
        return -y if y * p <= 0.0 else 0.0


Loss = (
    ZeroOne
    | Absolute
    | Square
    | LogLoss
    | Pinball
    | Hinge
    | SquaredHinge
    | Logistic
    | PerceptronLoss
)
L = TypeVar("L", bound=Loss)

NAMES: dict[str, type[Loss]] = {
    "zero-one": ZeroOne,
    "absolute": Absolute,
    "square": Square,
    "log": LogLoss,
    "pinball": Pinball,
    "quantile": Pinball,
}
SCORES: dict[str, type[Loss]] = {  # only for learners over examples
    "hinge": Hinge,
    "squared-hinge": SquaredHinge,
    "logistic": Logistic,
    "perceptron": PerceptronLoss,
}
MARGIN = (Hinge, SquaredHinge, Logistic, PerceptronLoss)  # of a score, for two classes
KINDS = tuple(dict.fromkeys([*NAMES.values(), *SCORES.values()]))


def is_log_loss(given: object) -> bool:
    """Is this the log loss, or its name?

    >>> is_log_loss("log"), is_log_loss(LogLoss()), is_log_loss("logistic")
    (True, True, False)
    """
    return isinstance(given, LogLoss) or given == "log"


def parse_loss(loss: object, owner: str = "loss", examples: bool = False) -> Loss:
    """Make a loss of what the user wrote: a loss, its name, or "pinball:0.9".

    >>> parse_loss("square")
    Square()
    >>> parse_loss("pinball:0.9").quantile
    0.9
    >>> parse_loss("hinge", examples=True)
    Hinge()
    """
    names = NAMES | SCORES if examples else NAMES
    made: Any = loss
    if isinstance(loss, str):
        word, _, argument = loss.partition(":")
        made = names[word]() if word in names else None
        if argument and isinstance(made, Pinball):
            try:
                made = Pinball(quantile=float(argument))
            except ValueError:
                raise BadInput(
                    f"{owner}: pinball:{argument}: write a quantile, as in pinball:0.9"
                ) from None
        elif argument:
            made = None
    if not isinstance(made, tuple(names.values())):
        raise BadInput(
            f"{owner}: loss must be one of {', '.join(names)} (pinball:0.9 for a quantile) or a loss object, "
            f"not {loss!r}"
        )
    try:
        found = cast(Loss, type(made)(*map(float, cast(Any, made))))
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{owner}: the loss must hold numbers: {made!r:.80}") from None
    refuse_numbers(found, owner)
    return found


def refuse_numbers(loss: Loss, owner: str) -> None:
    """Refuse a loss whose interval, or whose quantile, is none."""
    low, high = loss.low, loss.high
    undeclared = math.isnan(low) and math.isnan(high)
    if not undeclared and not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise BadInput(
            f"{owner}: the interval of the loss must have low < high, not [{low}, {high}]"
        )
    if isinstance(loss, Pinball) and not 0.0 < loss.quantile < 1.0:
        raise BadInput(f"{owner}: quantile must be a number in (0, 1), not {loss.quantile!r}")
    if isinstance(loss, (LogLoss, ZeroOne)) and (low, high) != (0.0, 1.0):
        raise BadInput(f"{owner}: the {name(loss)} loss is defined on [0, 1] only")


named = parse_loss  # its name up to 0.9, for learners that are written elsewhere


def name(loss: Loss) -> str:
    return next(word for word, kind in (NAMES | SCORES).items() if kind is type(loss))


def has_interval(loss: Loss) -> bool:
    return not math.isnan(loss.low)


def on_interval(loss: L, low: float, high: float) -> L:
    """The same loss on a declared interval (the ones on [0, 1] stay there)."""
    return loss if isinstance(loss, (LogLoss, ZeroOne)) else loss._replace(low=low, high=high)  # type: ignore[return-value]


def span(loss: Loss) -> float:
    """The largest loss on the interval.

    >>> span(Square(0, 10)), span(Pinball(0, 10, 0.9)), span(LogLoss())
    (100.0, 9.0, inf)
    """
    width = loss.high - loss.low
    if isinstance(loss, Square):
        if width > 1e150:
            raise BadInput(
                f"the interval [{loss.low:g}, {loss.high:g}] is too long to square: divide advice and outcomes "
                "by a constant"
            )
        return float(width**2)
    if isinstance(loss, Pinball):
        return float(width * max(loss.quantile, 1.0 - loss.quantile))
    return math.inf if isinstance(loss, LogLoss) else float(width)


def exp_concave(loss: Loss) -> float:
    """The largest eta at which a weighted average predicts no worse than the mix loss.

    >>> (
    ...     exp_concave(Square(0, 1)),
    ...     exp_concave(Square(0, 10)),
    ...     exp_concave(LogLoss()),
    ...     exp_concave(Absolute(0, 1)),
    ... )
    (0.5, 0.005, 1.0, 0.0)
    """
    if isinstance(loss, Square):
        return 0.5 / (loss.high - loss.low) ** 2
    return 1.0 if isinstance(loss, LogLoss) else 0.0


def mixable(loss: Loss) -> float:
    """The largest eta at which Vovk's substitution predicts no worse than the mix loss.

    >>> mixable(Square(0, 1)), mixable(LogLoss()), mixable(Absolute(0, 1))
    (2.0, 1.0, 0.0)
    """
    if isinstance(loss, Square):
        return 2.0 / (loss.high - loss.low) ** 2
    return 1.0 if isinstance(loss, LogLoss) else 0.0
