"""The best fixed point of a convex set in hindsight: theta, what it loses, and how much less any other could."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.convex_losses import Custom, Distance, Family, Linear, Prediction
from littlestone.core.convex_sets import Ball, Intersection, Set, room
from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.hindsight.search.best_linear import best_linear
from littlestone.hindsight.search.conjugates import Corners, terms
from littlestone.hindsight.search.cutting_planes import low, nearest

WORK = 4e9  # multiplications that a search may take
STEPS = 3000  # of a search
CALLS = 200_000  # calls of a loss given in Python


class Best(NamedTuple):
    """No point of the set loses less than loss - gap."""

    theta: Array
    loss: float
    gap: float


class Seen(NamedTuple):
    """What is known of F = sum_t f_t at a point: F(q) >= floor + <g, q - theta> for every q."""

    value: float  # F(theta)
    smooth: float  # a smooth function below F, equal to it where F is smooth
    g: Array  # its gradient
    floor: float


class Losses:
    """The sum of the losses of many rounds, as a function of theta."""

    rounded = False  # does it have kinks that are rounded off?

    def see(self, theta: Array) -> Seen:
        raise NotImplementedError

    def sharpen(self) -> None:
        """Round kinks off less."""


class Predictions(Losses):
    """Losses of <theta, x>: slopes a in each round give F(q) >= sum_t h_t (a_t <x_t, q> - f*_t(a_t)).

    A kink is rounded off around a guess b of the slope: max over slopes a of a (z - kink) - mu (a - b)^2 / 2. The
    slopes found are the next guess (the method of multipliers).
    """

    def __init__(self, loss: Any, X: Array, y: Array, h: Array) -> None:
        self.X, self.terms = X, terms(loss, y, h)
        self.kinks = self.terms if isinstance(self.terms, Corners) else None
        self.rounded = self.kinks is not None
        self.a = self.b = np.zeros(len(y))
        if self.kinks is not None:
            self.a = self.b = np.clip(self.b, self.kinks.low, self.kinks.high)
            self.mu = float(np.average(np.abs(self.kinks.kink), weights=h)) or 1.0

    def see(self, theta: Array) -> Seen:
        z, h = self.X @ theta, self.terms.h
        if self.kinks is None:
            self.a = self.terms.slopes(z)[0]
        else:
            rounded = self.b + (z - self.kinks.kink) / self.mu
            self.a = np.clip(rounded, self.kinks.low, self.kinks.high)
        floor = smooth = float(h @ (self.a * z)) - self.terms.dual(self.a)
        if self.rounded:
            smooth -= 0.5 * self.mu * float(h @ (self.a - self.b) ** 2)
        return Seen(self.terms.value(z), smooth, self.X.T @ (h * self.a), floor)

    def sharpen(self) -> None:
        self.b, self.mu = self.a, 0.3 * self.mu


class Distances(Losses):
    """|theta - x|, rounded off within mu of x: there the slope is (theta - x) / mu."""

    rounded = True

    def __init__(self, X: Array, h: Array) -> None:
        self.X, self.h = X, h
        self.mu = float(h @ np.linalg.norm(X - X.mean(axis=0), axis=1)) / float(h.sum()) or 1.0

    def see(self, theta: Array) -> Seen:
        v = theta - self.X
        far = np.linalg.norm(v, axis=1)
        a = v / np.maximum(far, self.mu)[:, None]
        smooth = np.where(far < self.mu, 0.5 * far * far / self.mu, far - 0.5 * self.mu)
        floor = self.h @ np.einsum("ij,ij->i", a, v)
        return Seen(float(self.h @ far), float(self.h @ smooth), self.h @ a, float(floor))

    def sharpen(self) -> None:
        self.mu *= 0.3


class Callables(Losses):
    """Losses given as Python callables."""

    def __init__(self, family: Custom, X: Array, y: Array, h: Array) -> None:
        self.family, self.X, self.y, self.h = family, X, y, h

    def see(self, theta: Array) -> Seen:
        value, g, one = 0.0, np.zeros(len(theta)), np.zeros(len(theta))
        for x, y, h in zip(self.X, self.y.tolist(), self.h.tolist(), strict=True):
            self.family.slope_into(theta, x, y, one)
            value += h * self.family.at(theta, x, y)
            g += h * one
        return Seen(value, value, g, value)


def best_point(
    family: Family, B: Set, X: Any, y: Any = None, h: Any = None, tolerance: float = 1e-6
) -> Best:
    """The point of B with the least sum_t h_t f_t(theta): y are outcomes (-1 or +1 for two classes), h importances.

    Linear losses have it in closed form (the support function of the set), squared distances too (the projection of
    their mean). For others it is searched for until no point can lose less by more than `tolerance` times the loss, or
    the work is done; the gap says how far that came. It is a certificate of its own: every subgradient of F, at any
    point, bounds F from below everywhere, and a linear function has a known minimum on the set.

    On [-1, 1], slopes 1/2, -1, 1, -1: their sum is -1/2, so 1 is best, at -1/2.

    >>> from littlestone.core.convex_sets import Box
    >>> best_point(Linear(), Box(), [[0.5], [-1.0], [1.0], [-1.0]])
    Best(theta=array([1.]), loss=-0.5, gap=0.0)
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2 or not len(X):
        raise BadInput(f"the data of the rounds must be a matrix, one row each; got {X.shape}")
    T, n = X.shape
    y = np.zeros(T) if y is None else np.asarray(y, dtype=np.float64)
    h = np.ones(T) if h is None else np.asarray(h, dtype=np.float64)
    known = (h > 0.0) & (~np.isnan(y) | family.blind())
    if not known.all():
        X, y, h = X[known], y[known], h[known]
    closed = closed_form(family, B, X, h)
    if closed is not None:
        return closed
    if isinstance(family, Custom):
        return subgradients(
            Callables(family, X, y, h), B, n, tolerance, min(max(50, CALLS // len(X)), STEPS)
        )
    if isinstance(family, Prediction) and isinstance(B, Ball) and B.norm == 2.0:
        found = best_linear(X, y, family.loss, U=B.radius, h=h, tolerance=tolerance)
        return Best(found.u, found.loss, found.gap)
    F = Predictions(family.loss, X, y, h) if isinstance(family, Prediction) else Distances(X, h)
    return search(F, B, n, tolerance, int(min(max(100.0, WORK / (16.0 * X.size)), STEPS)))


def closed_form(family: Family, B: Set, X: Array, h: Array) -> Best | None:
    """The best point of linear losses, of squared distances, and of no rounds at all; None for other losses."""
    n = X.shape[1]
    if not len(X):
        return Best(nearest(B, np.zeros(n)), 0.0, 0.0)
    if isinstance(family, Linear):
        loss, theta, floor = low(B, family.scale * (h @ X), nearest(B, np.zeros(n)))
        return Best(theta, loss, max(0.0, loss - floor) if math.isfinite(loss) else 0.0)
    if isinstance(family, Distance) and family.power == 2:
        mean = np.average(X, axis=0, weights=h)
        theta = nearest(B, mean)
        g = 2.0 * h.sum() * (theta - mean)
        slack = float(g @ theta) - low(B, g, theta)[2] if room(B, n).size else 0.0
        return Best(theta, float(h @ ((theta - X) ** 2).sum(axis=1)), max(0.0, slack))
    return None


def search(F: Losses, B: Set, n: int, tolerance: float, most: int) -> Best:
    """Accelerated projected gradient on a smooth function below F, which is sharpened as it is minimised.

        each step:  p = projection of v - gradient(v) / K;   v = p + momentum (p - last p);   K doubles where it is
                    too small to bound the curvature; momentum starts anew where the step goes uphill
        sharpen     where the gap comes from the rounding and no more from the search

    Nesterov (1983); Beck and Teboulle (2009); O'Donoghue and Candès (2015) for the restarts.
    """
    theta, often = nearest(B, np.zeros(n)), 10 if isinstance(B, Intersection) else 1
    best, floor, K = Best(theta, math.inf, math.inf), -math.inf, 0.0
    enough = 1e-6 * F.see(theta).value  # a loss that counts as 0
    v, last, momentum = theta, theta, 1.0
    for k in range(1, most + 1):
        here = F.see(v)
        K = K or start(F, here, v)
        p, there, K = step(F.see, B, v, here, 0.9 * K)
        if there.value < best.loss:
            best = best._replace(theta=p, loss=there.value)
        if k % often == 0 or k == most:
            far = float(there.g @ p) - low(B, there.g, p)[2]
            floor = max(floor, there.floor - far)
            if best.loss - floor <= tolerance * max(best.loss, enough):
                break
            if F.rounded and far <= 0.3 * (there.value - there.floor):
                F.sharpen()
                v, last, momentum, K = p, p, 1.0, 3.0 * K
                continue
        if float((v - p) @ (p - last)) > 0.0:
            momentum = 1.0
        grown = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum))
        v, last, momentum = p + ((momentum - 1.0) / grown) * (p - last), p, grown
    return best._replace(gap=max(0.0, best.loss - floor))


def start(F: Losses, here: Seen, v: Array) -> float:
    """A first guess of the curvature, from a small step along the gradient."""
    long = float(np.linalg.norm(here.g))
    if long == 0.0:
        return 1.0
    e = 1e-4 * (1.0 + float(np.linalg.norm(v))) / long
    return float(np.linalg.norm(F.see(v - e * here.g).g - here.g)) / (e * long) or 1.0


def step(
    see: Callable[[Array], Seen], B: Set, v: Array, here: Seen, K: float
) -> tuple[Array, Seen, float]:
    """The projected step whose curvature K holds along it: the point, what is seen there, and K."""
    while True:
        p = nearest(B, v - here.g / K)
        there, d = see(p), p - v
        bound = here.smooth + float(here.g @ d) + 0.5 * K * float(d @ d)
        if there.smooth <= bound + 1e-13 * (abs(here.smooth) + abs(bound)) or K > 1e300:
            return p, there, K
        K *= 2.0


def subgradients(F: Losses, B: Set, n: int, tolerance: float, most: int) -> Best:
    """Projected subgradient descent; the mean of its cuts, weighted by the steps, bounds F from below.

    F(q) >= F(theta_k) + <g_k, q - theta_k>  for every k, and so for every mean of these
    """
    theta = nearest(B, np.zeros(n))
    D, best, floor = B.diameter(n), Best(theta, math.inf, math.inf), -math.inf
    D = D if math.isfinite(D) else 1.0
    weight, level, slope, long = 0.0, 0.0, np.zeros(n), 0.0
    for _ in range(most):
        here = F.see(theta)
        if here.floor < best.loss:
            best = Best(theta, here.floor, math.inf)
        long = math.hypot(long, *here.g.tolist())  # of all subgradients; squares may overflow
        eta = D / (math.sqrt(2.0) * long) if long else 1.0
        weight, level = weight + eta, level + eta * (here.floor - float(here.g @ theta))
        slope = slope + eta * here.g
        for g, c in (
            (here.g, here.floor - float(here.g @ theta)),
            (slope / weight, level / weight),
        ):
            floor = max(floor, c + low(B, g, theta)[2])
        if best.loss - floor <= tolerance * abs(best.loss):
            break
        theta = nearest(B, theta - eta * here.g)
    return best._replace(gap=max(0.0, best.loss - floor))
