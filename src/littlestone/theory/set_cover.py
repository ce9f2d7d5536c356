"""Why the smallest disjunction is hard to find: satisfiability reduces to set cover, set cover to disjunctions.

A ground set is covered by sets; as a matrix: a row an element, a column a set, 1 where the set holds the element.
A formula in conjunctive normal form is a list of clauses, a clause a list of literals, a literal +i or -i for the
i-th variable (counted from 1) or its negation. Solvers here try everything: they are for small instances, and
for checking the reductions (T-NP). Its convex stand-in is A-L1-HINGE. Karp (1972); Garey & Johnson (1979).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array

Clause = Sequence[int]
LIMIT = 1 << 24  # a solver tries at most so many choices


def matrix(rows: Iterable[Iterable[int]], sets: int) -> Array:
    """Rows as lists of the sets (counted from 1) that hold each element.

    >>> matrix([[1, 3], [2]], 3).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    listed = [list(row) for row in rows]
    A = np.zeros((len(listed), sets))
    for i, row in enumerate(listed):
        for j in row:
            if not 1 <= j <= sets:
                raise BadInput(f"row {i + 1}: there are sets 1 to {sets}, and no set {j}")
            A[i, j - 1] = 1.0
    return A


def covers(A: Any, size: int) -> Iterator[tuple[int, ...]]:
    """Every choice of `size` columns (counted from 0) that has a 1 in each row: A-SETCOVER by brute force."""
    on = np.asarray(A) != 0
    if comb(on.shape[1], size) > LIMIT:
        raise BadInput(f"covers: there are too many choices of {size} of {on.shape[1]} sets to try")
    for chosen in combinations(range(on.shape[1]), size):
        if on[:, list(chosen)].any(axis=1).all():
            yield chosen


def smallest_cover(A: Any) -> tuple[int, ...] | None:
    """The first cover of the smallest size, or None where even all sets leave an element out.

    >>> smallest_cover([[1, 0, 1], [0, 1, 1], [1, 1, 0]])
    (0, 1)
    """
    for size in range(np.asarray(A).shape[1] + 1):
        for chosen in covers(A, size):
            return chosen
    return None


def variables(clauses: Sequence[Clause]) -> list[int]:
    """The variables that occur, in order."""
    if any(literal == 0 for clause in clauses for literal in clause):
        raise BadInput("a literal is +i or -i for variable i = 1, 2, …, not 0")
    return sorted({abs(literal) for clause in clauses for literal in clause})


def satisfied(clauses: Sequence[Clause]) -> dict[int, bool] | None:
    """An assignment that makes every clause true, by trying all; None where there is none.

    >>> satisfied([[1, 2], [-1]]), satisfied([[1], [-1]])
    ({1: False, 2: True}, None)
    """
    names = variables(clauses)
    if 1 << len(names) > LIMIT:
        raise BadInput(f"satisfied: {len(names)} variables are too many to try all assignments")
    for values in product((False, True), repeat=len(names)):
        held = dict(zip(names, values, strict=True))
        if all(any(held[abs(v)] == (v > 0) for v in clause) for clause in clauses):
            return held
    return None


def cover_of_formula(clauses: Sequence[Clause]) -> tuple[Array, int]:
    """The set cover that a formula becomes, and its number of variables m (A-CNF2COVER).

        elements  c_1 … c_n, one a clause;  z_1 … z_m, one a variable
        sets      S_i = {c_j: clause j holds x_i} + {z_i};  S'_i = {c_j: clause j holds not x_i} + {z_i}

    The z need one of S_i, S'_i for every i, so no cover has fewer than m sets; one of exactly m chooses a value for
    each variable, and covers the c just if that satisfies the clauses. Columns: S_1, S'_1, S_2, S'_2, …

    >>> A, m = cover_of_formula([[1, -2]])
    >>> A.astype(int).tolist(), m  # the clause, then z_1 and z_2
    ([[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]], 2)
    """
    names = variables(clauses)
    n, m = len(clauses), len(names)
    A = np.zeros((n + m, 2 * m))
    for i, name in enumerate(names):
        for j, clause in enumerate(clauses):
            A[j, 2 * i] = name in clause
            A[j, 2 * i + 1] = -name in clause
        A[n + i, 2 * i : 2 * i + 2] = 1.0
    return A, m


def disjunction_of_cover(A: Any) -> tuple[Array, Array]:
    """Examples and labels that a disjunction fits just if its features are a cover (A-COVER2DISJ).

    Elements are positive examples, sets are features: the matrix itself, and no negative example.

    >>> X, y = disjunction_of_cover([[1, 0], [0, 1]])
    >>> X.tolist(), y.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0])
    """
    X: Array = (np.asarray(A) != 0).astype(np.float64)
    return X, np.ones(len(X))
