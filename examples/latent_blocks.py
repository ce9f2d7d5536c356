"""Complete a matrix of likes and dislikes: what do graphs over its rows and columns save?

    python examples/latent_blocks.py --rows 100 --rounds 2000

Two matrices. One has latent blocks (4 classes of rows, 4 of columns, a label in ten flipped), and two graphs whose
edges mostly join members of one class. The other one is ratings from 1 to 5 made binary (liked: at least 4): users and
films have tastes in 3 dimensions and a mean of their own, and what is known beforehand are noisy tastes, made kernels.
The table has the expected mistakes of each learner, over all rounds and over the last quarter of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.graphs.algorithms.laplacian import graph_kernel
from littlestone.kernels import gram
from littlestone.matrices.biclusters import latent_blocks, neighbours


def blocks(m: int, seed: int) -> tuple[Any, Any, Any]:
    """Latent blocks: the matrix, and a kernel for its rows and one for its columns."""
    made = latent_blocks(m, m, 4, 4, seed=seed)
    kernels = [graph_kernel(neighbours(c, seed=seed)) for c in (made.row_class, made.column_class)]
    return made.U, kernels[0], kernels[1]


def ratings(m: int, seed: int) -> tuple[Any, Any, Any]:
    """Ratings made binary, and Gaussian kernels of what is known of users and films."""
    rng = np.random.default_rng(seed)
    users, films = rng.normal(size=(m, 3)), rng.normal(size=(m, 3))
    means = 0.5 * rng.normal(size=(m, 1)) + 0.5 * rng.normal(size=(1, m))
    stars = np.clip(np.round(3.4 + means + 0.6 * users @ films.T), 1, 5)
    kernels = [
        gram("gaussian:0.3", side + 0.3 * rng.normal(size=side.shape)) for side in (users, films)
    ]
    return np.where(stars >= 4, 1, -1), kernels[0], kernels[1]


def main(argv: Sequence[str] | None = None) -> dict[str, dict[str, float]]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=100, help="rows, and columns")
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(argv)
    m, T = asked.rows, asked.rounds
    found: dict[str, dict[str, float]] = {}
    for name, (U, M, N) in (("blocks", blocks(m, asked.seed)), ("ratings", ratings(m, asked.seed))):
        rng = np.random.default_rng(asked.seed + 1)
        X = rng.integers(m, size=(T, 2))
        flipped = rng.random(T) < (0.1 if name == "blocks" else 0.0)
        y = np.where(flipped, -1, 1) * U[X[:, 0], X[:, 1]].astype(int)
        size: dict[str, Any] = {"rows": m, "columns": m}
        simple: dict[str, Any] = {"margin": 0.25, "eta": 1.0}
        learners: dict[str, Any] = {
            "meg-imcsi": ls.MEGIMCSI(**size, **simple),
            "meg-imcsi with side information": ls.MEGIMCSI(
                **size, **simple, row_kernel=M, column_kernel=N
            ),
            "matrix-factorisation": ls.MatrixFactorisation(**size),
            "row-majority": ls.RowMajority(**size),
        }
        print(f"{name}: {m} x {m}, {T:,} rounds      mistakes, of them in the last quarter")
        found[name] = {}
        for label, learner in learners.items():
            losses = ls.play(learner, X.astype(float), y, certify=False).losses
            found[name][label] = float(losses.sum())
            print(f"  {label:34} {losses.sum():8.1f} {losses[-(T // 4) :].sum():8.1f}")
    return found


if __name__ == "__main__":
    main()
