"""The pictures of the tutorial "Perceptron or Winnow?".

python docs/pictures/perceptron_or_winnow.py    writes docs/images/perceptron-or-winnow-*.png (about a minute)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import littlestone as ls
from littlestone.environments.linear_adversaries import hadamard

mpl.use("Agg")
from matplotlib import pyplot as plt

IMAGES = Path(__file__).resolve().parent.parent / "images"
PERCEPTRON, WINNOW, THIRD = "#b5542a", "#2a6fb5", "#7a7a7a"
SEEDS = 5


def mistakes(key: str, X: Any, y: Any, **parameters: Any) -> int:
    run = ls.play(ls.learner(key, **parameters), X, y, certify=False, record="none")
    return int(run.mistakes)


def disjunction(n: int, k: int, rounds: int, seed: int) -> tuple[Any, Any]:
    """Half of the features are on; the k relevant ones less often, so that both labels are as frequent."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rounds, n)) < 0.5).astype(float)
    X[:, :k] = rng.random((rounds, k)) < 1 - 0.5 ** (1 / k)
    return X, np.where(X[:, :k].max(axis=1) > 0, 1, -1)


def few_on(n: int, k: int, rounds: int, seed: int, on: int = 4) -> tuple[Any, Any]:
    """Four features of n are on; the first k are relevant."""
    rng = np.random.default_rng(seed)
    X = np.zeros((rounds, n))
    for row in X:
        row[rng.choice(n, on, replace=False)] = 1.0
    return X, np.where(X[:, :k].max(axis=1) > 0, 1, -1)


def two_terms(n: int, rounds: int, seed: int) -> tuple[Any, Any]:
    """(x_1 and x_2) or (x_3 and x_4), among n features."""
    X = np.random.default_rng(seed).integers(0, 2, (rounds, n)).astype(float)
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0, 1, -1)


def means(rows: list[list[list[float]]]) -> Any:
    return np.array([np.mean(row, axis=0) for row in rows]).T


def axes(title: str, x: str, y: str) -> Any:
    _, ax = plt.subplots(figsize=(7.2, 4.2), dpi=110)
    dressed(ax, title, x, y)
    return ax


def dressed(ax: Any, title: str, x: str, y: str) -> None:
    ax.set(title=title, xlabel=x, ylabel=y)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#e6e6e6", linewidth=0.8)


def save(ax: Any, name: str) -> None:
    ax.legend(frameon=False)
    ax.figure.tight_layout()
    ax.figure.savefig(IMAGES / f"perceptron-or-winnow-{name}.png", metadata={"Software": None})
    plt.close(ax.figure)


def draw_hadamard() -> None:
    sizes = [2**j for j in range(1, 11)]
    rows = []
    for N in sizes:
        X, y = hadamard(N)
        rows.append([[mistakes("perceptron", -X, -y), mistakes("winnow-eg", -X, -y, eta=1.0)]])
    perceptron, winnow = means(rows)
    ax = axes("Rows of a Hadamard matrix, label = first coordinate", "features N", "mistakes")
    ax.loglog(sizes, perceptron, "o-", color=PERCEPTRON, label="perceptron: N, and its bound N")
    ax.loglog(sizes, winnow, "o-", color=WINNOW, label="winnow-eg: lg N")
    bound = 2 * np.log(sizes)
    ax.loglog(sizes, bound, ":", color=WINNOW, label="bound of winnow-eg: 2 ln N")
    save(ax, "hadamard")


def draw_features() -> None:
    sizes = [2**j for j in range(3, 13)]
    keys = ("perceptron-disjunction", "winnow2", "winnow1")
    rows = [
        [[mistakes(key, *disjunction(n, 3, 3000, s)) for key in keys] for s in range(SEEDS)]
        for n in sizes
    ]
    perceptron, second, first = means(rows)
    ax = axes("A disjunction of 3 features among n, 3,000 rounds", "features n", "mistakes")
    ax.semilogx(sizes, perceptron, "o-", color=PERCEPTRON, base=2, label="perceptron-disjunction")
    bound = [3 * 3 * int(np.log2(n)) - 5 for n in sizes]
    ax.semilogx(sizes, bound, ":", color=WINNOW, base=2, label="bound of winnow2: 9 lg n - 5")
    ax.semilogx(sizes, second, "o-", color=WINNOW, base=2, label="winnow2")
    ax.semilogx(sizes, first, "o-", color=THIRD, base=2, label="winnow1")
    ax.set_yscale("log")
    save(ax, "features")


def draw_relevant() -> None:
    relevant = [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128]
    keys = ("perceptron-disjunction", "winnow2")
    rows = [
        [[mistakes(key, *few_on(256, k, 6000, s)) for key in keys] for s in range(SEEDS)]
        for k in relevant
    ]
    perceptron, winnow = means(rows)
    ax = axes("256 features, 4 of them on, 6,000 rounds", "relevant features k", "mistakes")
    ax.plot(relevant, perceptron, "o-", color=PERCEPTRON, label="perceptron-disjunction")
    ax.plot(relevant, winnow, "o-", color=WINNOW, label="winnow2")
    save(ax, "relevant")


def draw_dnf() -> None:
    sizes = [4, 6, 8, 10, 12, 14, 16]
    rows = []
    for n in sizes:
        row = []
        for seed in range(3):
            X, y = two_terms(n, 2000, seed)
            kernel = mistakes("kernel-perceptron", X, y, kernel="all-subsets", scale=False)
            row.append([kernel, mistakes("dnf-winnow", X, y)])
        rows.append(row)
    kernel, winnow = means(rows)
    _, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), dpi=110)
    dressed(left, "(x1 and x2) or (x3 and x4), 2,000 rounds", "features n", "mistakes")
    left.plot(sizes, kernel, "o-", color=PERCEPTRON, label="kernel-perceptron")
    left.plot(sizes, winnow, "o-", color=WINNOW, label="dnf-winnow")
    left.legend(frameon=False)
    dressed(right, "what it has to remember", "features n", "numbers kept")
    right.semilogy(
        sizes, kernel * np.array(sizes), "o-", color=PERCEPTRON, label="mistakes times n"
    )
    right.semilogy(sizes, 2.0 ** np.array(sizes), "o-", color=WINNOW, label="2^n")
    save(right, "dnf")


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for draw in (draw_hadamard, draw_features, draw_relevant, draw_dnf):
        draw()
