"""Boolean comparators of Boolean examples: disjunctions, conjunctions and DNFs that make no mistake, or few.

Some bounds fall with the number of literals k and some rise with it, so both the largest rule and a small one are
found; a theorem must hold for each. Labels are -1 and +1. A smallest disjunction is only searched for while that is
cheap, because the problem is NP-hard (Ledger: T-NP).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.guarantee import Comparators
from ...core.rows import take
from ...core.stream import Array
from ...core.vectors import Rows
from .kept_rounds import KeptRounds
from .l1_margin import separators

NODES = 20_000  # of the search for a smallest cover
GROWN = 12  # features of the largest disjunction that is tried where none is without mistakes
Indices = NDArray[np.int64]
NONE = np.empty(0, np.int64)


def columns(X: Any, intercept: bool = False) -> Any:
    """The features as the columns of a sparse matrix, the constant first where there is one."""
    from scipy.sparse import csc_array, csr_array, hstack

    if isinstance(X, Rows):
        width = int(X.index.max(initial=-1)) + 1
        X = csr_array((X.value, X.index, X.indptr), shape=(len(X.indptr) - 1, width))
    made: Any = csc_array(X, dtype=np.float64)
    if intercept:
        parts: Any = [csc_array(np.ones((made.shape[0], 1))), made]
        made = hstack(parts, format="csc")
    made.eliminate_zeros()
    return made


def largest_disjunction(X: Any, y: Array) -> Indices | None:
    """All features that are never on when the label is -; None where these leave a + out: then no disjunction fits.

    >>> largest_disjunction([[1, 0, 0], [0, 1, 1], [0, 0, 1]], np.array([1, -1, -1])).tolist()
    [0]
    """
    A = columns(X)
    found = np.flatnonzero((A[y < 0] != 0).sum(axis=0) == 0)
    return found if (A[y > 0][:, found].sum(axis=1) > 0).all() else None


def small_disjunction(X: Any, y: Array) -> tuple[Indices, bool] | None:
    """A smallest disjunction that makes no mistake, if the search for it ends; else one chosen greedily, and False.

        take the + with the fewest features that would explain it;  try each of these, and go on

    >>> small_disjunction([[1, 1, 0], [1, 0, 1], [0, 0, 1]], np.ones(3))[0].tolist()
    [0, 2]
    """
    allowed = largest_disjunction(X, y)
    if allowed is None:
        return None
    A = columns(X)[y > 0][:, allowed].tocsr()
    rows = {tuple(A.indices[a:b].tolist()) for a, b in zip(A.indptr, A.indptr[1:], strict=False)}
    sets = sorted((frozenset(r) for r in rows), key=len)
    best, nodes = greedy(sets), 0
    stack: list[tuple[frozenset[int], int]] = [(frozenset(), 0)]
    while stack and nodes < NODES:
        nodes += 1
        chosen, at = stack.pop()
        while at < len(sets) and sets[at] & chosen:
            at += 1
        if at == len(sets):
            best = chosen if len(chosen) < len(best) else best
        elif len(chosen) + 1 < len(best):
            stack += [(chosen | {i}, at + 1) for i in sets[at]]
    return np.sort(allowed[sorted(best)]), not stack


def greedy(sets: list[frozenset[int]]) -> frozenset[int]:
    """Features that hit every set: again and again the one that hits most of those left."""
    chosen: set[int] = set()
    left = list(sets)
    while left:
        counts: dict[int, int] = {}
        for some in left:
            for i in some:
                counts[i] = counts.get(i, 0) + 1
        chosen.add(max(sorted(counts), key=lambda i: counts[i]))
        left = [some for some in left if not some & chosen]
    return frozenset(chosen)


def small_dnf(X: Any, y: Array) -> list[Indices] | None:
    """Terms of a monotone DNF that makes no mistake: each is shortened while no - satisfies it; None where none fits.

    >>> [t.tolist() for t in small_dnf([[1, 1, 0], [1, 0, 1], [0, 1, 1]], np.array([1, -1, -1]))]
    [[0, 1]]
    """
    A = columns(X).toarray() != 0
    minus, left = A[y < 0], np.unique(A[y > 0], axis=0)
    terms: list[Indices] = []
    while len(left):
        term = np.flatnonzero(left[0])
        if minus[:, term].all(axis=1).any():
            return None
        for i in term.copy():
            shorter = term[term != i]
            if not minus[:, shorter].all(axis=1).any():
                term = shorter
        terms.append(term)
        left = left[~left[:, term].all(axis=1)]
    return terms


def attribute_errors(A: Any, y: Array, features: Indices) -> float:
    """1 for a + on which no feature is on, j for a - on which j are (T-WINNOW2-NOISE)."""
    on = np.asarray(A[:, features].sum(axis=1)).ravel()
    return float((on[y > 0] == 0).sum() + on[y < 0].sum())


# Comparators, as certificates ask for them.


def disjunction(X: Any, y: Array, intercept: bool = False) -> Comparators:
    """A small disjunction without a mistake, and the largest; k is infinite where there is none."""
    X = columns(X, intercept)
    large, small = largest_disjunction(X, y), small_disjunction(X, y)
    if large is None or small is None:
        return none("disjunction")
    kinds = ["a smallest" if small[1] else "a small", "the largest"]
    return disjunctions_found("disjunction", kinds, [small[0], large])


def conjunction(X: Any, y: Array, intercept: bool = False) -> Comparators:
    """The largest conjunction of literals without a mistake: all that hold whenever the label is +."""
    A = columns(X, intercept).toarray() != 0
    yes = A[y > 0]
    always, never = yes.all(axis=0), ~yes.any(axis=0)
    fits = (A[y < 0] != always)[:, always | never].any(axis=1).all()
    if len(yes) and not fits:
        return none("conjunction")
    k = float((always | never).sum()) if len(yes) else float(A.shape[1])
    return Comparators(
        "conjunction", lambda i: f"conjunction of {k:g} literals", np.zeros(1), {"k": np.array([k])}
    )


def dnf(X: Any, y: Array, literals: bool = False) -> Comparators:
    """A DNF with few terms without a mistake."""
    if literals:
        A = columns(X).toarray()
        X = np.hstack([A, 1.0 - A])
    terms = small_dnf(X, y)
    if terms is None:
        return none("dnf")
    k = float(len(terms))
    return Comparators("dnf", lambda i: f"DNF of {k:g} terms", np.zeros(1), {"k": np.array([k])})


def noisy_disjunction(X: Any, y: Array, intercept: bool = False) -> Comparators:
    """Disjunctions grown one feature at a time, each time by the one that leaves the fewest attribute errors."""
    A = columns(X, intercept).tocsr()
    plus, minus = A[y > 0], np.asarray(A[y < 0].sum(axis=0)).ravel()
    chosen, found = NONE, [NONE]
    uncovered = np.ones(plus.shape[0], bool)
    for _ in range(min(GROWN, A.shape[1])):
        gain = np.asarray(plus[uncovered].sum(axis=0)).ravel() - minus
        gain[chosen] = -np.inf
        best = int(np.argmax(gain))
        chosen = np.append(chosen, best)
        found.append(np.sort(chosen))
        uncovered &= np.asarray(plus[:, [best]].sum(axis=1)).ravel() == 0
    made = disjunctions_found("noisy disjunction", ["a"] * len(found), found)
    made.more["A"] = np.array([attribute_errors(A, y, f) for f in found])
    wrong = [(np.asarray(A[:, f].sum(axis=1)).ravel() > 0) != (y > 0) for f in found]
    made.L = np.array([float(w.sum()) for w in wrong])
    return made


def disjunctions_found(kind: str, words: list[str], found: list[Indices]) -> Comparators:
    """Comparators that are the disjunctions of `found`, each a list of features; `words` describe them."""

    def name(i: int) -> str:
        some = ", ".join(str(j + 1) for j in found[i][:6].tolist())
        more = ", …" if len(found[i]) > 6 else ""
        many = "1 feature" if len(found[i]) == 1 else f"{len(found[i])} features"
        return f"{words[i]} disjunction ({many}: {some}{more})"

    k = np.array([float(len(f)) for f in found])
    return Comparators(kind, name, np.zeros(len(found)), {"k": k})


def none(kind: str) -> Comparators:
    """The comparators where no rule is without mistakes: k is infinite, which makes every bound infinite."""
    return Comparators(kind, lambda i: f"no {kind}", np.zeros(1), {"k": np.array([np.inf])})


# By the names that theorems give them.


def signed_examples(rounds: KeptRounds) -> tuple[Any, Array]:
    """The examples that were learned from, and their labels as -1 and +1."""
    rows = np.flatnonzero(rounds.known)
    return take(rounds.x, rows), rounds.signed[rows]


def of_rounds(
    make: Callable[[Any, Array, bool], Comparators],
) -> Callable[[KeptRounds], Comparators]:
    """Make a function of kept rounds of one of examples and labels; the rounds may have been played several times."""

    def made(rounds: KeptRounds) -> Comparators:
        found = make(*signed_examples(rounds), rounds.intercept)
        found.L = found.L * rounds.passes  # errors are made again in every pass
        if "A" in found.more:
            found.more["A"] = found.more["A"] * rounds.passes
        return found

    return made


KINDS: dict[str, Callable[[KeptRounds], Comparators]] = {
    "disjunction": of_rounds(disjunction),
    "conjunction": of_rounds(conjunction),
    "noisy disjunction": of_rounds(noisy_disjunction),
    "dnf": lambda rounds: dnf(*signed_examples(rounds), bool(rounds.learner.literals)),
    "separator": of_rounds(separators),
}
