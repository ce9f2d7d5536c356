"""Worked rows of the learners over kernels."""

from __future__ import annotations

from littlestone.testing import Row

ROWS = [
    # K(x, x) = 9, and x_1 x_2 has squared norm 1/2; rounds 1 and 3 score 0, which is learned from though
    # the label is right.
    Row(
        "kernel-perceptron",
        {"kernel": "polynomial:2"},
        [(1, 1), (1, -1), (-1, -1), (-1, 1)],
        [1, 0, 1, 0],
        [1, 1, 1, 1],
        None,
        2,
        "T-PERC-KERNEL",
        4.5,
    ),
    # X-KOGD-ID with four examples: |h| = 2, eta = 1, every score is 0.
    Row(
        "kernel-ogd",
        {"kernel": "delta", "U": 2.0},
        [(0,), (1,), (2,), (3,)],
        [1, 0, 1, 1],
        None,
        [0, 0, 0, 0],
        2.0,
        "T-KOGD",
        2.0,
    ),
    # One example with two labels: scores 0, 1, 0; h = 0 has three squared hinge losses of 1.
    Row(
        "fourier-perceptron",
        {"beta": 1.0},
        [(0,), (0,), (0,)],
        [1, 0, 1],
        [1, 1, 1],
        [0, 1, 0],
        1,
        "T-PERC-KERNEL-INSEP",
        3.0,
    ),
    # Scores 0, .4, .8; h = 1 interpolates: (1/.8 + 3 * .4/2) / 2.
    Row(
        "fourier-ogd",
        {"beta": 1.0, "eta": 0.4},
        [(0,), (0,), (0,)],
        [1, 1, 1],
        None,
        [0, 0.4, 0.8],
        0.9,
        "T-KOGD",
        0.925,
    ),
]
