"""The label before: how often labels repeat, and how often each label is.

    P(the label before) = (repeats + 1/2) / (rounds + 1)
    P(another label c) = (1 - that) (n_c + 1/2) / sum over the other labels of (n + 1/2)

Krichevsky & Trofimov's estimates. Before the first label each has the same probability.

>>> before, p = init_label_before(3), np.zeros(3)
>>> for y in (2, 2, 0):
...     update_label_before(before, y, 1.0)
>>> set_label_probabilities(before, p)  # of two labels with one before them, one was the same
>>> (p * 8).round(12).tolist()
[4.0, 0.666666666667, 3.333333333333]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.stream import Array

# Entries of `repeats`: the label before (-1: none); rounds with one; those of them in which the label was the same.
LABEL, ROUNDS, SAME, REPEAT_ENTRIES = range(4)
KT = 0.5


class LabelBefore(NamedTuple):
    label_counts: Array
    repeats: Array


def init_label_before(K: int) -> LabelBefore:
    """Before the first label, of K classes."""
    repeats = np.zeros(REPEAT_ENTRIES)
    repeats[LABEL] = -1.0
    return LabelBefore(label_counts=np.zeros(K), repeats=repeats)


def set_label_probabilities(before: LabelBefore, p: Array) -> None:
    """The probability of each class, by the label before."""
    counts, repeats, K = before.label_counts, before.repeats, p.shape[0]
    last, others, same = int(repeats[LABEL]), 0.0, 0.0
    for c in range(K):
        if c != last:
            others += counts[c] + KT
    if last >= 0:
        same = (repeats[SAME] + KT) / (repeats[ROUNDS] + 2.0 * KT) if K > 1 else 1.0
    for c in range(K):
        p[c] = same if c == last else (1.0 - same) * (counts[c] + KT) / others


def update_label_before(before: LabelBefore, y: int, h: float) -> None:
    """Learn a label of importance h."""
    repeats = before.repeats
    if repeats[LABEL] >= 0.0:
        repeats[ROUNDS] += h
        if y == int(repeats[LABEL]):
            repeats[SAME] += h
    before.label_counts[y] += h
    repeats[LABEL] = y
