"""Exercises with a seed for each student, and their answer key: everything is computed here, without a network."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput

from .classes import consistent_hypothesis
from .cuts import min_cut_uniqueness
from .kernels import is_kernel
from .trees import impurity_sums

CLOSE = 0.005  # numbers are asked for to two decimals


class Marked(NamedTuple):
    """Whether an answer is right, and why the right one is."""

    right: bool
    answer: Any
    why: str

    def __str__(self) -> str:
        return f"{'right' if self.right else f'wrong: it is {self.answer}'} ({self.why})"


@dataclass(frozen=True)
class Exercise:
    """One student's exercise: the question, the data that it is about, and the answer."""

    name: str
    student: str
    question: str
    data: Any
    answer: Any = field(repr=False)
    why: str = field(repr=False)

    def __str__(self) -> str:
        return f"{self.name}, {self.student}: {self.question}\n{self.data}"

    def check(self, answer: Any) -> Marked:
        """Mark an answer; a number may be off by half of its second decimal."""
        if isinstance(self.answer, (bool, str)) or self.answer is None:
            return Marked(answer == self.answer, self.answer, self.why)
        try:
            right = abs(float(answer) - float(self.answer)) <= CLOSE
        except (TypeError, ValueError):
            raise BadInput(f"{self.name}: the answer is a number, not {answer!r}") from None
        return Marked(right, self.answer, self.why)


Made = tuple[str, Any, Any, str]  # question, data, answer, why


def vc_dimension(rng: Any) -> Made:
    from littlestone.theory import vc_dimension as dimension

    H = rng.choice([-1, 1], (int(rng.integers(3, 14)), 6))
    found = dimension(H)
    why = f"points {list(found.points)} are shattered, by rows {list(found.rows)}"
    return (
        "The VC dimension of this class (a hypothesis a row, a point a column)?",
        H,
        int(found),
        why,
    )


def littlestone_dimension(rng: Any) -> Made:
    from .classes import shattered_tree

    H = rng.choice([-1, 1], (6, 4))
    found = shattered_tree(H)
    return (
        "How many mistakes can an adversary force (Littlestone's dimension)?",
        H,
        found.dimension,
        str(found),
    )


def consistent(rng: Any) -> Made:
    H, labels = rng.choice([-1, 1], (5, 5)), rng.choice([-1, 1], 5)
    if rng.random() < 0.5:
        labels = H[int(rng.integers(5))].copy()
    found = consistent_hypothesis(H, labels)
    question = f"Which row of this class agrees with the labels {labels.tolist()}? -1 if none does."
    return question, H, -1 if found.row is None else found.row, str(found)


def kernel(rng: Any) -> Made:
    while True:
        half = rng.integers(-2, 3, (3, 3))
        K = half @ half.T if rng.random() < 0.5 else (half + half.T) + 2 * np.eye(3, dtype=int)
        found = is_kernel("precomputed", K.astype(float))
        if abs(found.eigenvalue) > 0.05 or found.holds:
            return "Can this be the matrix of a kernel (True or False)?", K, found.holds, str(found)


def impurity(rng: Any) -> Made:
    leaves = rng.integers(1, 60, (3, 2))
    found = impurity_sums(leaves)
    question = "The sum of the Gini impurities of these leaves (a leaf a row, a class a column)?"
    return question, leaves, round(found.gini, 4), str(found)


def minimum_cut(rng: Any) -> Made:
    import littlestone as ls

    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6) if b == a + 1 or rng.random() < 0.4]
    found = min_cut_uniqueness(ls.graph(pairs, n=6), [0], [5])
    question = "The edges between 0 and 5 that a least cut takes away: how many (of weight 1 each)?"
    return question, pairs, found.weight, str(found)


def perceptron(rng: Any) -> Made:
    import littlestone as ls

    w = rng.integers(1, 4, 2)
    X = rng.integers(-3, 4, (8, 2)).astype(float)
    X = X[X @ w != 0]
    y = np.where(X @ w > 0, 1, -1)
    run = ls.play(ls.Perceptron(test="sign"), X, y, labels=[-1, 1], engine="plain", certify=False)
    rows = np.column_stack([X, y]).astype(int)
    wrong = np.flatnonzero(np.asarray(run.predictions) != y)
    why = f"in rows {(wrong + 1).tolist()}; sign(0) is +1"
    question = (
        "Mistakes of the perceptron that starts at w = 0 (x1, x2, label; a score of 0 says +1)?"
    )
    return question, rows, len(wrong), why


EXERCISES: dict[str, Callable[[Any], Made]] = {
    "vc-dimension": vc_dimension,
    "littlestone-dimension": littlestone_dimension,
    "consistent": consistent,
    "kernel": kernel,
    "impurity": impurity,
    "minimum-cut": minimum_cut,
    "perceptron": perceptron,
}


def seed_of(student: str, name: str, course: str = "") -> int:
    """The seed of one student's exercise: the same on every machine, another for another student or course."""
    text = "\0".join((course, name, student)).encode("utf-8")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def exercise(name: str, student: str, course: str = "") -> Exercise:
    """The exercise of this name, with data that are this student's own; `check(answer)` marks it.

    course  a word of the teacher's: with another one all data are others

    >>> sheet = exercise("impurity", "ann")
    >>> print(sheet.data)
    [[ 9  3]
     [50 53]
     [ 6 19]]
    >>> print(sheet.check(39.5))
    wrong: it is 65.0763 (misclassification 59, entropy 132.5483 bits, Gini 65.0763)
    """
    if name not in EXERCISES:
        raise BadInput(f"there is no exercise {name!r}; there are {', '.join(EXERCISES)}")
    question, data, answer, why = EXERCISES[name](
        np.random.default_rng(seed_of(student, name, course))
    )
    return Exercise(name, student, question, data, answer, why)


def answer_key(
    students: Iterable[str], names: Iterable[str] | None = None, course: str = ""
) -> list[dict[str, Any]]:
    """The answers of a class: a dictionary for each student, which `pandas.DataFrame` takes.

    >>> answer_key(["ann", "bob"], ["vc-dimension", "kernel"])
    [{'student': 'ann', 'vc-dimension': 2, 'kernel': False}, {'student': 'bob', 'vc-dimension': 2, 'kernel': False}]
    """
    names = list(EXERCISES if names is None else names)
    return [{"student": s} | {n: exercise(n, s, course).answer for n in names} for s in students]


def marks(answers: Mapping[str, Mapping[str, Any]], course: str = "") -> list[dict[str, Any]]:
    """How many answers of each student are right: `answers` has {exercise: answer} for each.

    >>> marks({"ann": {"kernel": False, "vc-dimension": 1}})
    [{'student': 'ann', 'right': 1, 'of': 2, 'wrong': ['vc-dimension']}]
    """
    rows = []
    for student, given in answers.items():
        wrong = [n for n, v in given.items() if not exercise(n, student, course).check(v).right]
        rows.append(
            {"student": student, "right": len(given) - len(wrong), "of": len(given), "wrong": wrong}
        )
    return rows
