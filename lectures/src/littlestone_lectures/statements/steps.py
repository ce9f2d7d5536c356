"""One step at a time: what a single update of a perceptron or of gradient descent does; and two identities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement


def walks(d: int) -> Iterator[tuple[Any, Any, Any, float]]:
    """Examples, labels that u gives them, u of length 1, and the margin; whole numbers often."""
    rng = np.random.default_rng(d)
    for _ in range(600):
        u = rng.normal(size=d)
        u /= np.linalg.norm(u)
        X = rng.normal(size=(12, d))
        if rng.random() < 0.5:
            X = np.round(2 * X)
        margins = X @ u
        X = X[np.abs(margins) > 1e-3]
        if len(X):
            y = np.sign(X @ u)
            yield X, y, u, float(np.abs(X @ u).min())


def walked(i: Any) -> list[tuple[Any, Any, float]]:
    X, y, _, _ = i
    w, found = np.zeros(X.shape[1]), []
    for _ in range(3):
        for x, label in zip(X, y, strict=True):
            if label * (w @ x) <= 0:
                before = w
                w = w + label * x
                found.append((before, w, float(x @ x)))
    return found


def pythagoras(i: Any) -> tuple[float, float]:
    return max((float(b @ b - a @ a) - x2 for a, b, x2 in walked(i)), default=0.0), 0.0


def upper(i: Any) -> tuple[float, float]:
    steps = walked(i)
    R2 = float((i[0] ** 2).sum(axis=1).max())
    return max(
        (float(b @ b) / ((M + 1) * R2) for M, (_, b, _) in enumerate(steps)), default=0.0
    ), 1.0


def lower(i: Any) -> tuple[float, float]:
    steps, u, gamma = walked(i), i[2], i[3]
    return max(
        ((M + 1) * gamma - float(b @ u) for M, (_, b, _) in enumerate(steps)), default=0.0
    ), 0.0


def three(id: str, text: str, sides: Any, attained: bool) -> Statement:
    return Statement(
        id, text, sides, walks, (1, 2, 3, 5), attained=attained, how="separable examples, three passes", short=2
    )  # fmt: skip


PYTH = three("T-PERC-PYTH", "on an update |w'|^2 <= |w|^2 + |x|^2", pythagoras, True)
UP = three("T-PERC-UP", "|w|^2 <= M R^2 after M updates", upper, True)
LOW = three("T-PERC-LOW", "<w, v> >= M gamma after M updates", lower, True)


def points(n: int) -> Iterator[tuple[Any, Any]]:
    rng = np.random.default_rng(n)
    for _ in range(60):
        yield rng.normal(size=n), rng.normal(size=n)


def anova(i: Any) -> tuple[float, float]:
    x, z = i
    n = len(x)
    subsets = (S for k in range(n + 1) for S in combinations(range(n), k))
    return sum(math.prod(x[j] * z[j] for j in S) for S in subsets), float(np.prod(1 + x * z))


ANOVA = Statement(
    "T-ANOVA",
    "sum over S of prod_(i in S) x_i z_i = prod_i (1 + x_i z_i)",
    anova,
    points,
    (1, 2, 3, 4, 6, 8),
    equal=True,
    how="real vectors at random",
    short=4,
)


def certificates(n: int) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """Monotone DNFs over n variables, of one to three terms."""
    terms = [t for k in range(1, n + 1) for t in combinations(range(n), k)]
    for k in (1, 2, 3):
        for dnf in combinations(terms, k):
            yield dnf, n


def dnf_norm(i: Any) -> tuple[float, float]:
    """The shortfall of the certificate (2 on its terms, -1 on the empty monomial) on any point: 0; its norm: 4k + 1."""
    dnf, n = i
    short = 0.0
    for x in product((0, 1), repeat=n):
        on = sum(all(x[j] for j in t) for t in dnf)
        short = max(short, 1 - (1 if on else -1) * (2 * on - 1))
    return short + (4 * len(dnf) + 1), 4 * len(dnf) + 1


ANOVA_CERT = Statement(
    "T-ANOVA",
    "a monotone DNF of k terms has a certificate of margin 1 and squared norm 4k + 1 over the monomials",
    dnf_norm,
    certificates,
    (1, 2, 3),
    attained=True,
    how="all DNFs of one to three terms",
)


def descents(d: int) -> Iterator[tuple[Any, Any, Any, int, float]]:
    rng = np.random.default_rng(d)
    for _ in range(3000):
        yield (
            rng.normal(size=d),
            rng.normal(size=d),
            rng.normal(size=d),
            int(rng.choice((-1, 1))),
            float(10 ** rng.uniform(-2, 1)),
        )


def slope(i: Any) -> Any:
    w, _, x, y, _ = i
    return -y * x if y * float(w @ x) < 1 else np.zeros(len(w))


def convexity(i: Any) -> tuple[float, float]:
    w, u, x, y, _ = i
    left = max(0.0, 1 - y * float(w @ x)) - max(0.0, 1 - y * float(u @ x))
    return left - float((w - u) @ slope(i)), 0.0


def step(i: Any) -> tuple[float, float]:
    w, u, _, _, eta = i
    z = slope(i)
    after = w - eta * z
    right = (
        float((w - u) @ (w - u)) - float((after - u) @ (after - u)) + eta**2 * float(z @ z)
    ) / (2 * eta)
    return float((w - u) @ z), right


OGD_CONVEX = Statement(
    "T-OGD-ROUND",
    "hinge(w) - hinge(u) <= (w - u).z for the subgradient z",
    convexity,
    descents,
    (1, 2, 3, 6),
    attained=True,
    how="at random",
    short=2,
)
OGD_STEP = Statement(
    "T-OGD-ROUND",
    "(w - u).z = (|w - u|^2 - |w' - u|^2 + eta^2 |z|^2) / (2 eta)",
    step,
    descents,
    (1, 2, 3, 6),
    equal=True,
    how="at random",
    short=2,
)


def ball(v: Any) -> Any:
    return v / max(1.0, float(np.linalg.norm(v)))


def contraction(i: Any) -> tuple[float, float]:
    w, u, g, _, eta = i
    theta, best = ball(w), ball(u)
    after = ball(theta - eta * g)
    left = float(g @ (theta - best))
    before, now = theta - best, after - best
    return left, (float(before @ before) - float(now @ now)) / (2 * eta) + eta / 2 * float(g @ g)


PGD_ROUND = Statement(
    "T-PGD-ROUND",
    "g.(theta - u) <= (|theta - u|^2 - |theta' - u|^2)/(2 eta) + eta |g|^2/2, theta' projected onto a ball",
    contraction,
    descents,
    (1, 2, 3, 6),
    attained=True,
    how="at random, in the unit ball",
    short=2,
)


def spreads(m: int) -> Iterator[tuple[Any, Any]]:
    rng = np.random.default_rng(m)
    for j in range(500):
        norms, sizes = rng.exponential(size=m), rng.integers(1, 50, m).astype(float)
        yield (norms if j else sizes), sizes


def cauchy(i: Any) -> tuple[float, float]:
    a, T = i
    return float(np.sqrt(a * T).sum()), float(np.sqrt(a.sum() * T.sum()))


META_OGD = Statement(
    "T-META-OGD",
    "sum_i sqrt(|h_i|^2 X^2 T_i) <= sqrt(sum_i |h_i|^2 X^2 T)",
    cauchy,
    spreads,
    (1, 2, 3, 5, 9),
    attained=True,
    how="norms and lengths at random",
    short=3,
)

STATEMENTS = (PYTH, UP, LOW, ANOVA, ANOVA_CERT, OGD_CONVEX, OGD_STEP, PGD_ROUND, META_OGD)
