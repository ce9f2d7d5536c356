"""The kernel perceptron: against scikit-learn's kernels and NumPy with stored norms, in a Python loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

import littlestone as ls

from .clock import race
from .figure import Figure

D, BETA, BUDGET = 50, 0.02, 500


def measure(quick: bool) -> Iterator[Figure]:
    T, seconds = (3000, 2.0) if quick else (10_000, 10.0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(T, D))
    y = np.where((X[:, 0] * X[:, 1] + 0.3 * X[:, 2] > 0) ^ (rng.random(T) < 0.1), 1, -1)
    kernel = f"gaussian:{BETA}"
    quiet: dict[str, Any] = {"certify": False, "record": "none"}
    run = ls.play(ls.learner("kernel-perceptron", kernel=kernel), X, y, **quiet)
    wrong = numpy_loop(X, y)
    if abs(run.mistakes - wrong) > 0.01 * wrong:
        raise AssertionError(f"the kernel perceptron errs {run.mistakes} times, NumPy's {wrong}")
    few = slice(0, T // 5)
    best = race(
        {
            "ours": lambda: ls.play(ls.learner("kernel-perceptron", kernel=kernel), X, y, **quiet),
            "ours few": lambda: ls.play(
                ls.learner("kernel-perceptron", kernel=kernel), X[few], y[few], **quiet
            ),
            "numpy": lambda: numpy_loop(X, y),
            "sklearn few": lambda: pairwise_loop(X[few], y[few]),
        },
        seconds,
        least=2,
    )
    name = f"kernel perceptron, Gaussian, d = {D}"
    n = T // 5
    yield Figure(f"{name}, {n:,} rounds", best["ours few"] / n, "s", "scikit-learn rbf_kernel in a loop",
                 best["sklearn few"] / n, 15.0, "faster")  # fmt: skip
    yield Figure(f"{name}, {T:,} rounds", best["ours"] / T, "s", "NumPy + BLAS, stored norms",
                 best["numpy"] / T, 1.0, "faster")  # fmt: skip
    bounded = {
        str(n): lambda n=n: ls.play(
            ls.learner("kernel-perceptron", kernel=kernel, budget=BUDGET), X[:n], y[:n], **quiet
        )
        for n in (T // 2, T)
    }
    half, whole = race(bounded, seconds / 2).values()
    second = (whole - half) / (T - T // 2)
    yield Figure(f"{name}, budget {BUDGET}, second half of {T:,} rounds", second, "s", "first half",
                 half / (T // 2), 1.25, "ratio", note="flat: at most 1.25 times")  # fmt: skip


def numpy_loop(X: Any, y: Any) -> int:
    S, norms, alpha, m, wrong = np.empty_like(X), np.empty(len(y)), np.empty(len(y)), 0, 0
    for x, label in zip(X, y.tolist(), strict=True):
        own = x @ x
        score = alpha[:m] @ np.exp(-BETA * (norms[:m] + own - 2.0 * (S[:m] @ x))) if m else 0.0
        wrong += (1 if score >= 0 else -1) != label
        if label * score <= 0:
            S[m], norms[m], alpha[m] = x, own, label
            m += 1
    return wrong


def pairwise_loop(X: Any, y: Any) -> int:
    S, alpha, m, wrong = np.empty_like(X), np.empty(len(y)), 0, 0
    for t, label in enumerate(y.tolist()):
        score = (rbf_kernel(X[t : t + 1], S[:m], gamma=BETA) @ alpha[:m]).item() if m else 0.0
        wrong += (1 if score >= 0 else -1) != label
        if label * score <= 0:
            S[m], alpha[m] = X[t], label
            m += 1
    return wrong
