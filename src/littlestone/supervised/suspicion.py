"""Signs that test rows are not what the user says: rows that the model was trained on, errors that drift or cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from ..core.csr import is_sparse
from ..core.errors import BadInput
from .estimators import without_names
from .typed_values import codes, columns_of, pair_columns

EXACT = 200  # rows up to which the rank test is exact: its time grows with the product of errors and right answers
LEVEL = 0.001  # a drift, or a cluster, is reported where chance alone would show as much once in 1,000 test sets
DEALS = 4999  # how often errors are dealt to the groups at random: the least chance that can be told is 1/5,000
ENOUGH = 20  # deals as uneven as what was seen: then it is known to be usual
MOST = 1000  # groups that are looked at

TABLE = 1_000_000  # numbers that are dealt at once


def shared_rows(test: Any, train: Any) -> Any:
    """The numbers (from 0) of the test rows that stand, to the last bit, among the training rows.

    Values are compared as they are typed (`codes`), and columns by name where both tables have names. A row gets a
    random 64-bit fingerprint; rows with equal fingerprints are then compared entry by entry. O((m + n) d) time and
    memory.

    >>> shared_rows(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])).tolist()
    [1]
    """
    if is_sparse(test) or is_sparse(train):
        return shared_sparse(test, train)
    both = pair_columns(columns_of(test, "the test rows"), columns_of(train, "the training rows"))
    pairs = [codes(u, v) for u, v in both]
    a, b = (np.column_stack([pair[side] for pair in pairs]) for side in (0, 1))
    odd = odd_numbers(a.shape[1])
    return matched((a * odd).sum(1), (b * odd).sum(1), lambda i, j: np.array_equal(a[i], b[j]))


def odd_numbers(n: int) -> Any:
    """Factors of a fingerprint, one a column."""
    return np.random.default_rng(0).integers(0, 2**63, n, dtype=np.uint64) * 2 + 1


def matched(first: Any, second: Any, same: Callable[[int, int], bool]) -> Any:
    """The entries of `first` that have an equal one in `second` for which `same` is true as well."""
    order = np.argsort(second, kind="stable")
    place = np.searchsorted(second[order], first)
    found = []
    for i in np.flatnonzero(place < len(second)):
        j = int(place[i])
        while j < len(second) and second[order[j]] == first[i]:
            if same(int(i), int(order[j])):
                found.append(int(i))
                break
            j += 1
    return np.array(found, int)


def shared_sparse(test: Any, train: Any) -> Any:
    """`shared_rows` for sparse rows: time and memory grow with the entries that are not 0.

    >>> from scipy.sparse import csr_array
    >>> shared_sparse(csr_array(np.eye(3)), csr_array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]])).tolist()
    [1]
    """
    a, b = sparse_rows(test, "the test rows"), sparse_rows(train, "the training rows")
    if a.shape[1] != b.shape[1]:
        raise BadInput(
            f"train: the training rows have {b.shape[1]} columns and the test rows {a.shape[1]}; "
            "give the same columns of both"
        )
    odd = odd_numbers(a.shape[1])
    values = codes(a.data, b.data)
    prints: list[Any] = []
    for rows, code in zip((a, b), values, strict=True):
        each = np.zeros(rows.shape[0], np.uint64)
        where = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        np.add.at(each, where, code * odd[rows.indices])
        prints.append(each)

    def entries(rows: Any, code: Any, i: int) -> list[Any]:
        at = slice(rows.indptr[i], rows.indptr[i + 1])
        return [rows.indices[at], code[at]]

    def same(i: int, j: int) -> bool:
        pairs = zip(entries(a, values[0], i), entries(b, values[1], j), strict=True)
        return all(np.array_equal(u, v) for u, v in pairs)

    return matched(prints[0], prints[1], same)


def sparse_rows(x: Any, what: str) -> Any:
    """Rows in compressed form, columns in order, no zero written out."""
    from scipy.sparse import csr_array

    try:
        rows = csr_array(without_names(x), copy=True)
    except (TypeError, ValueError):
        raise BadInput(f"{what}: beside sparse rows they must be numbers") from None
    rows.sum_duplicates()
    rows.eliminate_zeros()
    rows.sort_indices()
    return rows


def drift(wrong: Any) -> float:
    """The chance that the errors of m rows in random order lie as early, or as late, as these do.

    It is the two-sided rank test of Mann and Whitney (1947) on the places of errors and of right answers; it sees an
    error rate that rises or falls along the rows. Beyond `EXACT` rows it takes the normal approximation, which for few
    errors says rather too large a chance: the sum of a few uniform places has lighter tails than a normal number.

    >>> drift(np.arange(200) < 20) < 1e-6, drift(np.arange(200) % 10 == 0) > 0.5
    (True, True)
    """
    from scipy.stats import mannwhitneyu

    places = np.flatnonzero(wrong), np.flatnonzero(~np.asarray(wrong, bool))
    if not len(places[0]) or not len(places[1]):
        return 1.0
    method: Literal["auto", "asymptotic"] = "auto" if len(wrong) <= EXACT else "asymptotic"
    return float(mannwhitneyu(*places, method=method).pvalue)


class Runs(NamedTuple):
    """Into how many runs of neighbouring rows the errors fall."""

    errors: int
    runs: int
    expected: float  # on average, were the rows in random order
    p: float  # the chance of so few runs


def runs(wrong: Any) -> Runs:
    """Do errors stand next to each other more often than chance would have it?

    k errors among m rows in random order fall into r runs with chance C(m - k + 1, r) C(k - 1, r - 1) / C(m, k): r of
    the m - k + 1 gaps between right answers hold the errors, and r - 1 cuts part them. It is a hypergeometric number,
    so the chance of so few runs is exact. Wald and Wolfowitz (1940).

    >>> runs(np.arange(200) % 10 == 0).p, runs(np.repeat(np.arange(20) % 10 == 0, 10)).p < 1e-9
    (1.0, True)
    """
    from scipy.stats import hypergeom

    wrong = np.asarray(wrong, bool)
    m, k = len(wrong), int(wrong.sum())
    r = int(wrong[:1].sum() + (wrong[1:] & ~wrong[:-1]).sum())
    if k in (0, m):
        return Runs(k, r, float(r), 1.0)
    p = min(1.0, float(hypergeom.cdf(r, m, m - k + 1, k)))
    return Runs(k, r, k * (m - k + 1) / m, p)


def clustering(wrong: Any, group: Any) -> float:
    """The chance that errors dealt to the rows at random would be as unevenly spread over the groups as these are.

    The measure is the sum over groups of errors^2 / rows. Errors are dealt to groups of these sizes (with a fixed seed)
    until they were `ENOUGH` times as uneven, in n deals: the chance is ENOUGH / n; or `DEALS` times, of which k were as
    uneven: (k + 1) / (DEALS + 1). It is at most a with probability at most a, if it does not matter to which group a
    row belongs. Besag and Clifford (1991). Of more than `MOST` groups so many are looked at, chosen at random.

    >>> clustering(np.repeat([1, 0, 0, 0, 0, 0], 5) == 1, np.repeat(np.arange(6), 5)) < 0.001
    True
    >>> clustering(np.tile([1, 0, 0, 0, 0], 6) == 1, np.repeat(np.arange(6), 5))
    1.0
    """
    wrong, group = np.asarray(wrong, bool), np.asarray(group)
    rng = np.random.default_rng(0)
    groups = int(group.max(initial=-1)) + 1
    if groups > MOST:
        some = np.isin(group, rng.choice(groups, MOST, replace=False))
        wrong, group = wrong[some], np.unique(group[some], return_inverse=True)[1]
    rows = np.bincount(group)
    k = int(wrong.sum())
    if len(rows) < 2 or k in (0, len(wrong)):
        return 1.0
    seen = float((np.bincount(group, wrong) ** 2 / rows).sum()) * (1.0 - 1e-12)
    more = made = 0
    while made < DEALS:
        times = min(max(100, made), DEALS - made, max(1, TABLE // len(rows)))
        dealt = rng.multivariate_hypergeometric(rows, k, times, method="marginals")
        as_uneven = np.flatnonzero((dealt**2 / rows).sum(axis=1) >= seen)
        if more + len(as_uneven) >= ENOUGH:
            return ENOUGH / (made + int(as_uneven[ENOUGH - more - 1]) + 1)
        more, made = more + len(as_uneven), made + times
    return (1.0 + more) / (1.0 + DEALS)


class Neighbours(NamedTuple):
    """Do errors cluster in neighbouring rows?"""

    p: float  # the chance of such clusters, or closer ones, were the rows in random order
    seen: str  # what shows it


def neighbour_clustering(wrong: Any) -> Neighbours:
    """The chance that errors in random places would cluster in neighbouring rows as these do, or more.

    Twice the smaller of two: that of so few `runs`, which sees errors side by side, and that of such uneven blocks of
    about sqrt(m) neighbours, which sees stretches with more errors than others.

    >>> rng = np.random.default_rng(0)
    >>> often = np.repeat(
    ...     rng.beta(0.5, 4.5, 30), 20
    ... )  # how often rows of each of 30 patients are wrong
    >>> (
    ...     neighbour_clustering(rng.random(600) < often).p < LEVEL,
    ...     neighbour_clustering(rng.random(600) < 0.1).p > 0.05,
    ... )
    (True, True)
    """
    m, side = len(wrong), runs(wrong)
    text = f"come in {side.runs:,} runs, where chance would give about {side.expected:.0f}"
    if side.p < LEVEL / 2.0:
        return Neighbours(2.0 * side.p, text)
    length = max(2, round(m**0.5))
    blocks = clustering(wrong, np.arange(m) // length)
    if blocks < side.p:
        text = f"are spread over stretches of {length:,} more unevenly than chance would have it"
    return Neighbours(min(1.0, 2.0 * min(side.p, blocks)), text)
