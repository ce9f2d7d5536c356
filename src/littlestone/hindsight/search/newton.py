"""Newton's method for a sum of convex losses of linear scores, in a ball, with a bound from below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from littlestone.core.stream import Array
from littlestone.hindsight.search.conjugates import Corners, Terms
from littlestone.hindsight.search.design import DENSE as PRODUCT
from littlestone.hindsight.search.design import ROUND, Design

DENSE = 1200  # coordinates up to which the curvature is written out as a matrix
FEW = 100  # coordinates up to which NumPy inverts that matrix
KRYLOV = 60  # directions in which it is looked at beyond that
NEAR = 1e-8  # how closely the minimiser of a model keeps to the sphere
ROUNDING = 1e-12  # what sums of many terms may have lost, relative to them


@dataclass
class Search:
    """Minimise sum_t h_t l_t(x_t . u) over |u| <= 1, or that plus lam |u|^2 / 2 over all u.

        each step:  s = the best step by the second-order model at u, u + s in the ball
                    u = the best point between u and u + s
        corners:    where u is nearly best for the rounded corners, their slopes are the new guess,
                    and mu shrinks

    Every step also has slopes a, and with them a bound from below (see Terms); the best bound and
    the best u are kept. O(T d^2) a step for dense examples, and less where few rounds have
    curvature, as with corners; O(T d) a direction, up to 60, beyond 1200 coordinates.

    Rockafellar (1976), on the method of multipliers; Moré and Sorensen (1983), on models in a ball.
    """

    D: Design
    terms: Terms
    lam: float = 0.0  # 0: in the ball
    deadline: float = np.inf  # on the clock of the examples, which counts work
    u: Array = field(default_factory=lambda: np.empty(0))  # the best so far
    least: float = np.inf  # what it loses, lam |u|^2 / 2 included
    lower: float = 0.0  # no point loses less
    steps: int = 0
    pull: float = 0.0  # the multiplier of the ball in the last model

    @property
    def gap(self) -> float:
        return max(0.0, self.least - self.lower)

    def see(self, u: Array, loss: float) -> None:
        total = loss + 0.5 * self.lam * float(u @ u)
        if total < self.least:
            self.least, self.u = total, u

    def bound(self, a: Array, g: Array) -> None:
        """Slopes a, with g = X' (h a), bound every loss from below."""
        dual = self.terms.dual(a)
        self.lower = max(self.lower, -dual - ROUNDING * abs(dual) - self.price(g))

    def price(self, g: Array) -> float:
        """The largest -g . u - lam |u|^2 / 2."""
        size = float(np.linalg.norm(g))
        return size * size / (2.0 * self.lam) if self.lam else size

    def far(self, u: Array, g: Array) -> float:
        """The part of the gap that would be 0 at the minimiser for slopes like these."""
        return self.price(g) + float(g @ u) + 0.5 * self.lam * float(u @ u)

    def late(self) -> bool:
        return self.D.clock.now > self.deadline

    def run(self, u: Array, tolerance: float, most: int = 300) -> None:
        """Search from u until the gap is at most `tolerance` times what is lost, or nothing moves."""
        terms, h = self.terms, self.terms.h
        z = self.D.scores(u)
        enough = 1e-6 * terms.value(np.zeros(self.D.T))  # a loss that counts as 0
        if isinstance(terms, Corners):
            terms.begin(z)
        inner = idle = 0
        for _ in range(most):
            before, loss = self.gap, terms.value(z)
            a, c = terms.slopes(z)
            g = self.D.adjoint(h * a)
            self.see(u, loss)
            self.bound(a, g)
            if self.gap <= tolerance * max(self.least, enough) or self.late():
                return
            if isinstance(terms, Corners):
                # two reasons for a gap: u is not best for these corners, or they are too round
                loose = loss - float((h * a) @ z) + terms.dual(a)
                if self.far(u, g) <= 0.3 * loose:
                    terms.guess = a
                    terms.mu *= 0.2 if inner <= 3 else 0.5 if inner <= 8 else 1.0
                    a, c = terms.slopes(z)
                    g, inner = self.D.adjoint(h * a), 0
            down = g + self.lam * u
            s = self.model(u, down, h * c)
            gain, zs = -float(down @ s), self.D.scores(s)
            stuck = not gain > 1e-15 * self.least and self.gap > 0.9 * before
            idle = idle + 1 if stuck else 0
            if idle == 4:
                return
            a = terms.within(a + c * zs)  # the slopes that the model expects at u + s
            self.bound(a, self.D.adjoint(h * a))
            t = self.line(u, s, z, zs, -gain) if gain > 1e-13 * self.least else 1.0
            u, z = u + t * s, z + t * zs
            self.steps, inner = self.steps + 1, inner + 1

    def line(self, u: Array, s: Array, z: Array, zs: Array, first: float) -> float:
        """How far from u towards u + s: the derivative, `first` < 0 at u, is about 0 there."""

        def derivative(t: float) -> float:
            self.D.clock.spend(ROUND * self.D.T)
            a, _ = self.terms.slopes(z + t * zs)
            return float((self.terms.h * a) @ zs) + self.lam * float(u @ s + t * (s @ s))

        low, high, left, right = 0.0, 1.0, first, derivative(1.0)
        if right <= -0.3 * first:
            return 1.0
        for k in range(40):
            share = 0.5 if k % 4 == 3 else min(max(left / (left - right), 0.02), 0.98)
            t = low + (high - low) * share
            now = derivative(t)
            if abs(now) <= -0.1 * first:
                return t
            if now < 0.0:
                low, left = t, now
            else:
                high, right = t, now
        return low or high

    def model(self, u: Array, g: Array, c: Array) -> Array:
        """The best step s by the model g . s + s' H s / 2, with H = X' diag(c) X + lam."""
        if self.D.d > DENSE:
            return self.krylov(u, g, c)
        H = self.D.gram(c)
        H.flat[:: self.D.d + 1] += self.lam
        return self.ball(H, u, g)

    def krylov(self, u: Array, g: Array, c: Array) -> Array:
        """The same with u + s among the combinations of u, g, H g, H^2 g, …"""
        Q, HQ = np.empty((KRYLOV, self.D.d)), np.empty((KRYLOV, self.D.d))
        k, moved = 0, bool(u.any())
        q = u if moved else g  # the next direction
        goal = 0.1 * float(np.linalg.norm(g - (g @ u) / max(float(u @ u), 1e-300) * u))
        if not q.any():  # at the least, with nothing to move
            return np.zeros(self.D.d)
        while True:
            size, spent = measure_direction(q, HQ, k)
            if spent and k == 1 and moved:  # g points along u: there may be curvature beside it
                q = HQ[0] - (Q[0] @ HQ[0]) * Q[0]
                size, spent = measure_direction(q, HQ, k)
            if spent or self.tries_step(k):
                H = Q[:k] @ HQ[:k].T
                y = self.ball(0.5 * (H + H.T), Q[:k] @ u, Q[:k] @ g)
                if spent or self.late() or size * abs(float(y[-1])) <= goal:
                    step: Array = y @ Q[:k]
                    return step
            Q[k] = q / size
            self.D.clock.spend(4.0 * (k + 2.0) * self.D.d)
            HQ[k] = self.D.adjoint(c * self.D.scores(Q[k])) + self.lam * Q[k]
            k += 1
            q = g if k == 1 and moved else HQ[k - 1]
            q = q - Q[:k].T @ (Q[:k] @ q)

    def tries_step(self, k: int) -> bool:
        """Is the step of the first k directions good enough, perhaps? It is tried now and then."""
        return k > 1 and (k % 6 == 0 or self.late())

    def ball(self, H: Array, u: Array, g: Array) -> Array:
        """The s that minimises g . s + s' H s / 2, with |u + s| <= 1 unless there is a lam.

        It solves (H + pull) s = -(g + pull u), with the least pull >= 0 that keeps u + s in the ball.
        1/|u + s| is almost linear in the pull, so that Newton's method finds it in a few steps.
        """
        s, extra, pull = np.zeros(len(g)), 1e-14, self.pull
        for _ in range(40):
            self.D.clock.spend(PRODUCT * len(g) ** 3 / 3.0 + 4.0 * len(g) ** 2)
            try:
                solve = solver(H, pull, extra)
            except np.linalg.LinAlgError:
                extra *= 30.0
                continue
            s = -solve(g + pull * u)
            v = u + s
            size = float(np.linalg.norm(v))
            inside = size <= 1.0 and pull == 0.0
            if self.lam or inside or abs(size - 1.0 + NEAR) <= NEAR:
                break
            pull = max(0.0, pull + (size / (1.0 - NEAR) - 1.0) * size**2 / float(v @ solve(v)))
        self.pull = pull
        size = float(np.linalg.norm(u + s))
        return s if self.lam or size <= 1.0 else (u + s) / size - u


def solver(H: Array, pull: float, extra: float) -> Callable[[Array], Array]:
    """r -> (H + pull)^-1 r, where H is almost positive definite."""
    A = H.copy()
    A.flat[:: len(A) + 1] += pull
    unit = np.sqrt(A.diagonal())  # with a diagonal of ones no feature drowns in another
    unit[unit == 0.0] = 1.0
    A /= unit
    A /= unit[:, None]
    A.flat[:: len(A) + 1] = 1.0 + extra
    if len(A) <= FEW:  # without SciPy, whose import takes longer than a search
        inverse = np.linalg.inv(np.linalg.cholesky(A))
        return lambda r: inverse.T @ (inverse @ (r / unit)) / unit
    from scipy.linalg import cho_factor, cho_solve

    L = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
    return lambda r: np.asarray(cho_solve(L, r / unit, check_finite=False) / unit)


def measure_direction(q: Array, HQ: Array, k: int) -> tuple[float, bool]:
    """The length of a k-th direction, and whether it is none: nothing is left, or there is no room for it."""
    size = float(np.linalg.norm(q))
    return size, k == KRYLOV or (k > 0 and bool(size <= 1e-10 * np.linalg.norm(HQ[k - 1])))
