"""Theorems in a form that no learner carries under that id: other losses, priors, copies; learners of the tutorial."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from littlestone.core.registry import learner
from littlestone.falsify.attackers.balance import balanced
from littlestone.falsify.statement import Statement
from littlestone.play.play import play


def hedged(n: int) -> Iterator[tuple[Any, float]]:
    """Losses 0 and 1, and a range B: halves that lose in turn, constants, and at random."""
    rng = np.random.default_rng(n)
    for T in (1, 4, 30, 100):
        eta = math.sqrt(2 * math.log(n) / T)
        for B in (1.0, 0.01, 7.0):
            yield balanced(T, n, eta, T // 2), B
            yield balanced(T, n, eta, T), B
            yield np.round(rng.random((T, n))), B


def hedge_regret(i: Any, labels: bool) -> tuple[float, float]:
    """The regret of Hedge at the rate of T-HEDGE, and B sqrt(2 T ln n); for labels, expected mistakes (B = 1)."""
    ell, B = i
    T, n = ell.shape
    B = 1.0 if labels else B
    made = learner("hedge", eta=math.sqrt(2 * math.log(n) / T) / B, loss="zero-one")
    if labels:  # an expert who errs says 1, and all outcomes are 0
        run = play(made, ell, np.zeros(T), engine="plain", record="none")
    else:
        run = play(made, B * ell, interval=(0, B), engine="plain", record="none")
    return float(run.loss - B * ell.sum(axis=0).min()), B * math.sqrt(2 * T * math.log(n))


def with_prior(n: int) -> Iterator[tuple[Any, Any, Any]]:
    rng = np.random.default_rng(n)
    for T in (1, 3, 10, 40):
        for _ in range(4):
            prior = rng.dirichlet(np.full(n, 0.5)) * 0.99 + 0.01 / n
            x = np.round(rng.random((T, n)))
            x[:] = x[0] if rng.random() < 0.5 else x
            yield x, np.round(rng.random(T)) if rng.random() < 0.3 else np.full(T, x[0, 0]), prior


def prior_regret(i: Any) -> tuple[float, float]:
    """Of the expert whose bound comes closest: the square loss beyond it, and ln(1/prior) / eta at eta = 1/2."""
    x, y, prior = i
    made = learner("weighted-average", prior=tuple((prior / prior.sum()).tolist()))
    run = play(made, x, y, interval=(0, 1), engine="plain", record="none")
    eta = run.parameters["eta"]
    regret = run.loss - ((x - y[:, None]) ** 2).sum(axis=0)
    price = np.log(prior.sum() / prior) / eta
    at = int(np.argmax(regret / price))
    return float(regret[at]), float(price[at])


def late(T: int) -> Iterator[tuple[Any, int]]:
    rng = np.random.default_rng(T)
    for n, delay in product((2, 3), (1, 2, 5)):
        yield np.round(rng.random((T, n))), delay


def copies(i: Any) -> tuple[float, float]:
    """The loss of d + 1 copies that take turns, and the sum of the losses of as many prompt runs on their rounds."""
    ell, delay = i
    given: dict[str, Any] = {"interval": (0, 1), "engine": "plain", "record": "none"}
    whole = play(learner("hedge", eta=0.3), ell, delay=delay, **given).loss
    parts = [ell[a :: delay + 1] for a in range(delay + 1)]
    return float(whole), sum(
        float(play(learner("hedge", eta=0.3), part, **given).loss) for part in parts if len(part)
    )


def short_games(T: int) -> Iterator[Any]:
    """All 0/1 losses of two and three experts with n T <= 10."""
    for n in (2, 3):
        if n * T <= 10:
            for rows in product(product((0.0, 1.0), repeat=n), repeat=T):
                yield np.array(rows)


def leaders(ell: Any) -> tuple[float, float]:
    """What follow the leader loses beyond the best expert, and in how many rounds its leader changed."""
    L, lost, changes = np.zeros(ell.shape[1]), 0.0, 0
    leader = 0
    for row in ell:
        lost += row[leader]
        L += row
        now = int(np.argmin(L))
        changes += now != leader
        leader = now
    return float(lost - L.min()), float(changes)


def separable(d: int) -> Iterator[tuple[Any, Any, Any, float]]:
    """Examples, labels, a u with y <u, x> >= 1, and the margin b that the perceptron asks for."""
    for b in (0.0, 0.5, 3.0):
        yield np.eye(d), np.ones(d), np.ones(d), b
    rng = np.random.default_rng(d)
    for _ in range(100):
        u = rng.normal(size=d)
        X = rng.normal(size=(20, d))
        margins = X @ u
        keep = np.abs(margins) > 0.05
        X, margins = X[keep], margins[keep]
        if len(X):
            least = np.abs(margins).min()
            yield X, np.sign(margins), u / least, float(rng.choice([0.0, 0.1, 1.0, 10.0]))


def margin_updates(i: Any) -> tuple[float, float]:
    """Updates of the perceptron with margin b, pass after pass until there is none, and (R^2 + 2b) |u|^2."""
    X, y, u, b = i
    w, updates = np.zeros(X.shape[1]), 0
    bound = float(((X**2).sum(axis=1).max() + 2 * b) * (u @ u))
    before = -1
    while before < updates <= bound + 1:
        before = updates
        for x, label in zip(X, y, strict=True):
            if label * float(w @ x) <= b:
                w, updates = w + label * x, updates + 1
    return float(updates), bound


def differences(F: int) -> Iterator[tuple[int, float]]:
    for K in np.linspace(0.02, 1.0, 25):
        yield F, float(K)


def fourier_variance(i: Any) -> tuple[float, float]:
    """The variance of F random features' kernel, by quadrature over normal frequencies, and (1 - K^2)^2 / (2F)."""
    F, K = i
    at, weight = np.polynomial.hermite_e.hermegauss(120)
    weight = weight / weight.sum()
    cos = np.cos(math.sqrt(-2 * math.log(K)) * at)  # E cos(s z) = exp(-s^2/2) = K
    return float(weight @ (cos - K) ** 2) / F, (1 - K * K) ** 2 / (2 * F)


def fourier_tail(i: Any) -> tuple[float, float]:
    """How often F features miss the kernel by e, over many draws, and the most that 2 exp(-F e^2 / 2) allows."""
    from .batch import most

    F, K = i
    rng = np.random.default_rng([F, int(1000 * K)])
    angle = math.sqrt(-2 * math.log(K)) * rng.normal(size=(400, F))
    e = math.sqrt(2 * math.log(2 / 0.2) / F)  # the right side is 0.2
    return float((np.abs(np.cos(angle).mean(axis=1) - K) >= e).sum()), most(0.2, 400)


def networks(n: int) -> Iterator[Any]:
    """Weights of the edges between n vertices; some graphs have several parts."""
    rng = np.random.default_rng(n)
    for _ in range(60):
        upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < rng.choice([0.2, 0.5, 1.0])), 1)
        yield upper + upper.T


def foster(W: Any) -> tuple[float, float]:
    """The sum of weight times effective resistance over the edges, and n less the number of parts."""
    L = np.diag(W.sum(axis=1)) - W
    P = np.linalg.pinv(L, hermitian=True)
    r = np.diag(P)[:, None] + np.diag(P)[None, :] - 2 * P
    return float((W * r).sum() / 2), float(np.linalg.matrix_rank(L, hermitian=True))


STATEMENTS = (
    Statement(
        "T-FOSTER", "the sum over edges of weight times effective resistance is n less the number of parts",
        foster, networks, (2, 3, 5, 12), equal=True, how="weighted graphs at random",
        show=lambda W: f"{len(W)} vertices", short=3,
    ),
    Statement(
        "T-HEDGE-01", "expected mistakes of Hedge beyond the best expert's <= sqrt(2 T ln n)",
        lambda i: hedge_regret(i, True), hedged, (2, 3, 8), how="halves in turn, constants, coins",
        show=lambda i: f"T = {len(i[0])}, n = {i[0].shape[1]}", short=1,
    ),
    Statement(
        "T-HEDGE-B", "losses in [0, B]: the regret of Hedge <= B sqrt(2 T ln n) at eta = sqrt(2 ln n / T) / B",
        lambda i: hedge_regret(i, False), hedged, (2, 3, 8), how="halves in turn, constants, coins; B = 1, .01, 7",
        show=lambda i: f"T = {len(i[0])}, n = {i[0].shape[1]}, B = {i[1]:g}", short=1,
    ),
    Statement(
        "T-WA-PRIOR", "weighted average from a prior, square loss: loss - L_i <= ln(1/prior_i) / eta",
        prior_regret, with_prior, (2, 3, 6), how="advice 0 and 1, blocks and coins, priors at random",
        show=lambda i: f"T = {len(i[1])}, n = {len(i[2])}", short=1,
    ),
    Statement(
        "T-DELAY-COPIES", "d + 1 copies in turns lose what as many prompt runs lose on their rounds",
        copies, late, (1, 2, 7, 20), equal=True, how="hedge, coins, delays 1, 2 and 5",
        show=lambda i: f"T = {len(i[0])}, delay {i[1]}", short=2,
    ),
    Statement(
        "T-FTL-CHANGES", "follow the leader: loss - L_i <= the number of rounds in which the leader changed",
        leaders, short_games, (1, 2, 3, 4, 5), attained=True, how="all 0/1 losses with n T <= 10",
        show=lambda ell: str(ell.tolist()), short=4,
    ),
    Statement(
        "T-PERC-MARGIN", "the perceptron with margin b makes at most (R^2 + 2b) |u|^2 updates",
        margin_updates, separable, (1, 2, 5), attained=True, how="separable examples until none is learned from",
        show=lambda i: f"{len(i[1])} examples, b = {i[3]:g}", short=2,
    ),
    Statement(
        "T-FOURIER", "E (Khat - K)^2 = (1 - K^2)^2 / (2F)",
        fourier_variance, differences, (1, 4, 64), equal=True, how="25 values of K, quadrature",
        show=lambda i: f"F = {i[0]}, K = {i[1]:.3g}", short=1,
    ),
    Statement(
        "T-FOURIER", "P(|Khat - K| >= e) <= 2 exp(-F e^2 / 2)",
        fourier_tail, differences, (1, 4, 64), how="25 values of K, 400 draws each, e of chance 0.2",
        show=lambda i: f"F = {i[0]}, K = {i[1]:.3g}", short=1,
    ),
)  # fmt: skip
