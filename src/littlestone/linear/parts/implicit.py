"""Steps that never overshoot: where a loss is followed until it bends, not along its tangent.

Moving w by -s loss'(p) x / |x|^2 moves the score p = <w, x> by -s loss'(p). Two better ways to go a length s:

    proximal          the score q that minimises  loss(q) + (q - p)^2 / (2 s)                          (A-OGD-PROX)
    importance-aware  q(s) on the path  dq/ds = -loss'(q), q(0) = p: infinitely many small steps

Both stay between p and the tangent's step, and both have closed forms for the losses here, but for the logistic one,
which takes a few steps of Newton's method. Kulis and Bartlett (2010); Karampatziakis and Langford (2011).
"""

from __future__ import annotations

import math
from typing import Any

from ...core import losses
from ...core.errors import BadInput
from ...core.numeric import decay, decay_one

HINGE, SQUARED_HINGE, LOGISTIC, PERCEPTRON, SQUARE, ABSOLUTE, PINBALL = range(7)
KINDS = {
    losses.Hinge: HINGE,
    losses.SquaredHinge: SQUARED_HINGE,
    losses.Logistic: LOGISTIC,
    losses.PerceptronLoss: PERCEPTRON,
    losses.Square: SQUARE,
    losses.Absolute: ABSOLUTE,
    losses.Pinball: PINBALL,
}


def kind(loss: Any, owner: str, allowed: tuple[int, ...] = tuple(range(7))) -> int:
    """The loss as a number that compiled rules can ask for, or a refusal."""
    found = KINDS.get(type(loss), -1)
    if found not in allowed:
        words = ", ".join(
            losses.name(made()) for made, number in KINDS.items() if number in allowed
        )
        raise BadInput(f"{owner}: loss must be one of {words}, not {losses.name(loss)!r}")
    return found


def classifies(loss: Any) -> bool:
    """Is it a loss of a score for two classes?"""
    return isinstance(loss, losses.MARGIN)


def steepest(which: int, unit: float) -> float:
    """A slope beyond this is cut: scores and outcomes are expected within a unit (two classes: within 4)."""
    return 4.0 * unit if which == SQUARE else 10.0 if which == SQUARED_HINGE else math.inf


def proximal(which: int, tau: float, p: float, y: float, s: float) -> float:
    """The score that minimises loss(q, y) + (q - p)^2 / (2 s); tau is the quantile of the pinball loss.

    E-PROX: for the hinge loss the step ends where the loss does.

    >>> proximal(HINGE, 0.5, 0.0, 1.0, 5.0), proximal(SQUARE, 0.5, 0.0, 1.0, 0.5)
    (1.0, 0.5)
    """
    if which == SQUARE:
        return p + (y - p) * (2.0 * s / (1.0 + 2.0 * s))
    if which == SQUARED_HINGE:
        return p + y * max(0.0, 1.0 - y * p) * (2.0 * s / (1.0 + 2.0 * s))
    if which == LOGISTIC:
        return y * soft(y * p, s)
    return straight(which, tau, p, y, s)


def aware(which: int, tau: float, p: float, y: float, s: float) -> float:
    """The score after infinitely many small steps of total length s.

    >>> round(aware(SQUARE, 0.5, 0.0, 1.0, 0.5), 6)  # 1 - 1/e
    0.632121
    """
    if which == SQUARE:
        return p + (y - p) * (1.0 - decay(-2.0 * s))
    if which == SQUARED_HINGE:
        return p + y * max(0.0, 1.0 - y * p) * (1.0 - decay(-2.0 * s))
    if which == LOGISTIC:
        return y * climb(y * p, s)
    return straight(which, tau, p, y, s)


def straight(which: int, tau: float, p: float, y: float, s: float) -> float:
    """Losses made of two straight lines: go on until they meet. Both ways are the same."""
    if which >= ABSOLUTE:
        up, down = (1.0, 1.0) if which == ABSOLUTE else (tau, 1.0 - tau)
        return min(y, p + s * up) if p < y else max(y, p - s * down)
    end = 1.0 if which == HINGE else 0.0
    m = y * p
    return p if m >= end else y * min(end, m + s)


def climb(m: float, s: float) -> float:
    """The margin on the path dm/ds = 1/(1 + e^m) after s: m + d, with d + e^m (e^d - 1) = s."""
    if m > 36.0:  # e^m swallows the first d
        return m + math.log1p(s * decay(-m))
    if m < -30.0:  # e^m is nothing: go straight ahead, to -30 at most
        if m + s <= -30.0:
            return m + s
        s, m = s + m + 30.0, -30.0
    s = min(s, 1e250)
    e = decay_one(m)
    flat = 1.0 / (1.0 + e)
    d, bend = s * flat, e * flat  # the tangent's step, which goes too far
    if d <= 0.5:  # the series of the root in d, as far as the cube: nearly always
        d -= d * d * (0.5 * bend - d * bend * (0.5 * bend - 1.0 / 6.0))
    elif d > 1.0:
        d = min(d, math.log1p(s / e))
    for _ in range(
        30
    ):  # Householder's method of the third order: errors are taken to the fourth power
        if d < 1e-6:
            break
        r = e * decay_one(d)
        flat = 1.0 / (1.0 + r)
        newton, bend = (d + (r - e) - s) * flat, r * flat
        step = newton * (6.0 - 3.0 * newton * bend) / (6.0 - (6.0 - newton) * newton * bend)
        d -= step
        if step * step * (step * step) <= 1e-12 * d:
            break
    return m + d


def soft(m: float, s: float) -> float:
    """The margin that minimises ln(1 + e^-z) + (z - m)^2 / (2 s): the root of z - m = s / (1 + e^z)."""
    low, high = m, m + s * sigmoid(-m)
    z = high
    for _ in range(60):  # Newton's method, kept inside an interval that holds the root
        f = sigmoid(-z)
        gap = z - m - s * f
        if gap > 0.0:
            high = z
        else:
            low = z
        step = gap / (1.0 + s * f * (1.0 - f))
        if abs(step) <= 1e-12 * (1.0 + abs(z)):
            break
        z -= step
        if z <= low or z >= high:
            z = 0.5 * (low + high)
    return z


def sigmoid(m: float) -> float:
    """1 / (1 + e^-m)."""
    e = decay_one(-abs(m))
    q = 1.0 / (1.0 + e)
    return q if m >= 0.0 else e * q
