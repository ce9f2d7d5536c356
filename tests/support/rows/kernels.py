"""Worked rows of the learners over kernels."""

from __future__ import annotations

from littlestone.testing import Row

ROWS = [
    # K(x, x) = 9, and x_1 x_2 has squared norm 1/2; rounds 1 and 3 score 0, which is learned from though
    # the label is right.
    Row(
        key="kernel-perceptron",
        parameters={"kernel": "polynomial:2"},
        x=[(1, 1), (1, -1), (-1, -1), (-1, 1)],
        y=[1, 0, 1, 0],
        predictions=[1, 1, 1, 1],
        decisions=None,
        loss=2,
        theorem="T-PERC-KERNEL",
        bound=4.5,
    ),
    # X-KOGD-ID with four examples: |h| = 2, eta = 1, every score is 0.
    Row(
        key="kernel-ogd",
        parameters={"kernel": "delta", "U": 2.0},
        x=[(0,), (1,), (2,), (3,)],
        y=[1, 0, 1, 1],
        predictions=None,
        decisions=[0, 0, 0, 0],
        loss=2.0,
        theorem="T-KOGD",
        bound=2.0,
    ),
    # One example with two labels: scores 0, 1, 0; h = 0 has three squared hinge losses of 1.
    Row(
        key="fourier-perceptron",
        parameters={"beta": 1.0},
        x=[(0,), (0,), (0,)],
        y=[1, 0, 1],
        predictions=[1, 1, 1],
        decisions=[0, 1, 0],
        loss=1,
        theorem="T-PERC-KERNEL-INSEP",
        bound=3.0,
    ),
    # Scores 0, .4, .8; h = 1 interpolates: (1/.8 + 3 * .4/2) / 2.
    Row(
        key="fourier-ogd",
        parameters={"beta": 1.0, "eta": 0.4},
        x=[(0,), (0,), (0,)],
        y=[1, 1, 1],
        predictions=None,
        decisions=[0, 0.4, 0.8],
        loss=0.9,
        theorem="T-KOGD",
        bound=0.925,
    ),
]
