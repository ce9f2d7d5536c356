"""Losses of a score over many rounds at once: value, slope, curvature, and the conjugate for lower bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from littlestone.core import losses
from littlestone.core.errors import BadInput
from littlestone.core.stream import Array


class Terms:
    """sum_t h_t l_t(z_t), where l_t is a convex loss of the score z_t given the outcome y_t.

    Every slope a that l_t has anywhere bounds it from below: l_t(z) >= a z - l*_t(a). With scores
    z = X u that is, for every u of norm at most U,

        sum_t h_t l_t(x_t . u)  >=  - sum_t h_t l*_t(a_t)  -  U |sum_t h_t a_t x_t|,

    whatever solver the slopes a came from (Fenchel's dual). `dual` is the first sum.
    """

    def __init__(self, y: Array, h: Array) -> None:
        self.y, self.h = y, h
        self.size = float(np.abs(y).mean()) if len(y) else 1.0  # of a typical outcome
        self.size = self.size or 1.0

    def each(self, z: Array) -> Array:
        """The loss of each round, of importance 1."""
        raise NotImplementedError

    def slopes(self, z: Array) -> tuple[Array, Array]:
        """Slope and curvature in each round."""
        raise NotImplementedError

    def conjugate(self, a: Array) -> Array:
        raise NotImplementedError

    def within(self, a: Array) -> Array:
        """The nearest slopes that the losses have."""
        return a

    def value(self, z: Array) -> float:
        return float(self.h @ self.each(z))

    def dual(self, a: Array) -> float:
        return float(self.h @ self.conjugate(a))


class Squares(Terms):
    """(z - y)^2, with conjugate a y + a^2 / 4."""

    def each(self, z: Array) -> Array:
        return (z - self.y) ** 2

    def slopes(self, z: Array) -> tuple[Array, Array]:
        return 2.0 * (z - self.y), np.full(len(z), 2.0)

    def conjugate(self, a: Array) -> Array:
        return a * self.y + 0.25 * a * a


class Logs(Terms):
    """ln(1 + exp(-y z)): with s = -y a in [0, 1] the conjugate is s ln s + (1-s) ln(1-s)."""

    def each(self, z: Array) -> Array:
        return np.logaddexp(0.0, -self.y * z)

    def slopes(self, z: Array) -> tuple[Array, Array]:
        with np.errstate(over="ignore"):  # 1 / inf is 0, as it should be
            s = 1.0 / (1.0 + np.exp(self.y * z))
        return -self.y * s, s * (1.0 - s)

    def within(self, a: Array) -> Array:
        return self.y * np.clip(self.y * a, -1.0, 0.0)

    def conjugate(self, a: Array) -> Array:
        s = np.clip(-self.y * a, 0.0, 1.0)
        return np.asarray(sum(p * np.log(np.where(p > 0.0, p, 1.0)) for p in (s, 1.0 - s)))


class SquaredHinges(Terms):
    """max(0, 1 - y z)^2: with s = -y a >= 0 the conjugate is s^2/4 - s."""

    def each(self, z: Array) -> Array:
        return np.maximum(0.0, 1.0 - self.y * z) ** 2

    def slopes(self, z: Array) -> tuple[Array, Array]:
        short = np.maximum(0.0, 1.0 - self.y * z)
        return -2.0 * self.y * short, np.where(short > 0.0, 2.0, 0.0)

    def within(self, a: Array) -> Array:
        return self.y * np.minimum(self.y * a, 0.0)

    def conjugate(self, a: Array) -> Array:
        s = np.maximum(-self.y * a, 0.0)
        return 0.25 * s * s - s


class Corners(Terms):
    """Two lines that meet at the kink: slope `low` <= 0 before it, `high` >= 0 after it, a minimum of 0.

    Hinge, perceptron, absolute and pinball loss are all of this form; the conjugate is a kink. A
    corner has no curvature to work with. It is rounded off around a guess b of the slope,

        max over a in [low, high] of  a (z - kink) - mu (a - b)^2 / 2,

    whose slope is min(max(b + (z - kink)/mu, low), high). Where that is taken as the next guess, the
    minimisers reach those of the sharp corners (the method of multipliers), and mu need not vanish.
    """

    def __init__(self, y: Array, h: Array, low: Array, high: Array, kink: Array) -> None:
        super().__init__(y, h)
        self.low, self.high, self.kink = low, high, kink
        self.guess = np.clip(np.zeros(len(y)), low, high)
        self.mu = 0.0  # not chosen yet

    def begin(self, z: Array) -> None:
        """Choose mu by the distance of scores from their kinks."""
        self.mu = self.mu or float(np.average(np.abs(z - self.kink), weights=self.h)) or 1.0

    def each(self, z: Array) -> Array:
        past = z - self.kink
        return np.maximum(self.low * past, self.high * past)

    def slopes(self, z: Array) -> tuple[Array, Array]:
        free = self.guess + (z - self.kink) / self.mu
        a = np.clip(free, self.low, self.high)
        return a, np.where(a == free, 1.0 / self.mu, 0.0)

    def within(self, a: Array) -> Array:
        return np.clip(a, self.low, self.high)

    def conjugate(self, a: Array) -> Array:
        return a * self.kink


def terms(loss: Any, y: Array, h: Array) -> Terms:
    """The losses of a run, given its outcomes (-1 or +1 for losses of two classes) and importances."""
    made = losses.parse_loss(loss, examples=True)
    one = np.ones(len(y))
    if isinstance(made, losses.MARGIN) and not np.isin(y, (-1.0, 1.0)).all():
        t = int(np.argmax(~np.isin(y, (-1.0, 1.0))))
        raise BadInput(f"outcome {t}: {losses.name(made)} loss needs -1 or +1, not {y[t]}")
    if isinstance(made, losses.Square):
        return Squares(y, h)
    if isinstance(made, losses.Logistic):
        return Logs(y, h)
    if isinstance(made, losses.SquaredHinge):
        return SquaredHinges(y, h)
    if isinstance(made, losses.Absolute):
        return Corners(y, h, -one, one, y)
    if isinstance(made, losses.Pinball):
        return Corners(y, h, -made.quantile * one, (1.0 - made.quantile) * one, y)
    if isinstance(made, (losses.Hinge, losses.PerceptronLoss)):
        kink = y if isinstance(made, losses.Hinge) else 0.0 * y
        return Corners(y, h, np.where(y > 0, -1.0, 0.0), np.where(y > 0, 0.0, 1.0), kink)
    raise BadInput(f"no best linear predictor is computed for the {losses.name(made)} loss")
