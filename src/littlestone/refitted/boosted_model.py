"""Boosted trees with the rows that they are fitted to, and the rounds of the fits.

A fit begins when a row of a certain number has come, on a thread of its own, and is used from another row on, a
twentieth of the rows later. Both numbers follow from the rows alone, so it does not matter how long the fit takes: a
stream that is played at once, in parts, row by row, or from a file between the two has the same trees in each round. A
round waits for a fit only if it is not done by then.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from ..core.python_call import runs_in_python
from ..core.stream import Array
from . import background_fits
from .boosted_trees import (
    BoostedTrees,
    Fitted,
    empty_trees,
    fit_classes,
    fit_numbers,
    init_boosted_trees,
    write_classes,
    write_numbers,
)
from .row_window import (
    RowWindow,
    init_window,
    keep_row,
    most_rows,
    next_refit,
    window_without,
)

LAG = 20  # the part of its rows that a fit is used later


class BoostedModel(NamedTuple):
    window: RowWindow
    trees: BoostedTrees
    refit_at: int  # rows: the next fit begins when so many have come
    begun_at: int  # rows: when the fit began that is not used yet; 0: there is none
    begun_trees: int  # of it, an iteration
    fingerprint: int  # of its rows
    used_from: int  # rows: when that fit takes effect
    refits: int  # that were used


def init_boosted_model(n: int, K: int, first: int, wanted: int) -> BoostedModel:
    """Before the first row, of n features and K classes; K is 0 for numbers."""
    return BoostedModel(
        window=init_window(n, rows_with_lag(wanted, n)),
        trees=init_boosted_trees(max(1, K)),
        refit_at=first,
        begun_at=0,
        begun_trees=0,
        fingerprint=0,
        used_from=0,
        refits=0,
    )


def rows_with_lag(wanted: int, n: int) -> int:
    """How many rows are kept: those of a fit, and those that come before it is used."""
    rows = most_rows(wanted, n)
    return rows + rows // LAG


def is_fitted(model: BoostedModel) -> bool:
    return bool(model.trees.baseline.shape[0] > 0)


def learn_row(
    model: BoostedModel, z: Array, y: float, h: float, wanted: int, numbers: int
) -> BoostedModel:
    """Keep a row; begin a fit, and use one, where it is due. `numbers`: 1, or 0 where outcomes are classes."""
    n, trees = z.shape[0], model.trees
    window = keep_row(model.window, z, y, h, rows_with_lag(wanted, n))
    refit_at, begun_at, begun_trees = model.refit_at, model.begun_at, model.begun_trees
    fingerprint, used_from, refits = model.fingerprint, model.used_from, model.refits
    if begun_at == 0 and window.seen >= refit_at:
        refit_at = next_refit(window.seen)
        kept = min(window.seen, most_rows(wanted, n))
        begun_trees = trees_of_fit(window, kept, trees.scores, numbers)
        if n > 0 and begun_trees > 0:
            begun_at = window.seen
            used_from = begun_at + kept // LAG
            fingerprint = int(
                begin_fit(window.rows, window.outcomes, window.importances, begun_at, kept, numbers)
            )
    if begun_at > 0 and window.seen >= used_from:
        kept = min(begun_at, most_rows(wanted, n))
        trees = empty_trees(begun_trees, trees.columns, trees.scores)
        take_fit(
            window.rows, window.outcomes, window.importances, begun_at, kept, numbers, fingerprint, trees.links,
            trees.splits, trees.roots, trees.baseline, trees.columns,
        )  # fmt: skip
        begun_at, begun_trees, fingerprint, used_from = 0, 0, 0, 0
        refits += 1
    return BoostedModel(
        window=window,
        trees=trees,
        refit_at=refit_at,
        begun_at=begun_at,
        begun_trees=begun_trees,
        fingerprint=fingerprint,
        used_from=used_from,
        refits=refits,
    )


def trees_of_fit(window: RowWindow, kept: int, seen: Array, numbers: int) -> int:
    """How many trees an iteration a fit to the last `kept` rows has; 0 where they are of one class."""
    if numbers == 1:
        return 1
    found, room = 0, window.outcomes.shape[0]
    for c in range(seen.shape[0]):
        seen[c] = 0.0
    for t in range(window.seen - kept, window.seen):
        c = int(window.outcomes[t % room])
        if seen[c] == 0.0:
            seen[c] = 1.0
            found += 1
    return found if found > 2 else found - 1


def model_without(
    model: BoostedModel, forgotten: Array, first: int, wanted: int, numbers: int
) -> tuple[BoostedModel, int]:
    """The model without these rows, fitted to those that are left, and how many it held; in Python alone."""
    window, removed = window_without(model.window, forgotten)
    if removed == 0:
        return model, 0
    if model.begun_at > 0:
        background_fits.forget((model.fingerprint, numbers))
    kept = min(window.seen, most_rows(wanted, window.rows.shape[1]))
    trees = init_boosted_trees(len(model.trees.columns))
    count = trees_of_fit(window, kept, trees.scores, numbers) if kept else 0
    fits = is_fitted(model) or model.begun_at > 0
    if fits and count > 0 and window.rows.shape[1] > 0:
        trees = empty_trees(count, trees.columns, trees.scores)
        write_fit(
            fit(*rows_before(window.rows, window.outcomes, window.importances, window.seen, kept), numbers), numbers,
            *trees[:5],
        )  # fmt: skip
    refit_at = next_refit(window.seen) if fits and window.seen >= first else first
    return BoostedModel(
        window=window,
        trees=trees,
        refit_at=refit_at,
        begun_at=0,
        begun_trees=0,
        fingerprint=0,
        used_from=0,
        refits=model.refits,
    ), removed


# What is done in Python.


@runs_in_python
def begin_fit(
    rows: Array, outcomes: Array, importances: Array, end: int, kept: int, numbers: int
) -> float:
    """Begin a fit to the `kept` rows before row number `end`; their fingerprint, by which `take_fit` finds it."""
    fitted_to = rows_before(rows, outcomes, importances, end, kept)
    fingerprint = fingerprint_of(*fitted_to)
    background_fits.begin((fingerprint, numbers), lambda: fit(*fitted_to, numbers))
    return float(fingerprint)


@runs_in_python
def take_fit(
    rows: Array, outcomes: Array, importances: Array, end: int, kept: int, numbers: int, fingerprint: int, links: Any,
    splits: Array, roots: Any, baseline: Array, columns: Any,
) -> float:  # fmt: skip
    """Write the trees of a fit into the last five arrays."""

    def fit_now() -> Fitted:
        return fit(*rows_before(rows, outcomes, importances, end, kept), numbers)

    fitted = background_fits.take((fingerprint, numbers), fit_now)
    write_fit(fitted, numbers, links, splits, roots, baseline, columns)
    return 1.0


def write_fit(
    fitted: Fitted, numbers: int, links: Any, splits: Array, roots: Any, baseline: Array, columns: Any
) -> None:  # fmt: skip
    """The trees of a fit as flat arrays."""
    if numbers:
        write_numbers(fitted, links, splits, roots, baseline)
    else:
        write_classes(fitted, links, splits, roots, baseline, columns)


def fit(rows: Array, outcomes: Array, importances: Array, numbers: int) -> Fitted:
    return (fit_numbers if numbers else fit_classes)(rows, outcomes, importances)


def rows_before(
    rows: Array, outcomes: Array, importances: Array, end: int, kept: int
) -> tuple[Array, Array, Array]:
    """A copy of the `kept` rows before row number `end`, in the order in which they came."""
    at = np.arange(end - kept, end) % len(outcomes)
    return rows[at], outcomes[at], importances[at]


def fingerprint_of(rows: Array, outcomes: Array, importances: Array) -> int:
    """A number for these rows; columns of zeros do not count, so that features which come later do not change it."""
    used = np.flatnonzero(rows.any(axis=0))
    hash_ = hashlib.blake2b(digest_size=6)
    for v in (used, np.ascontiguousarray(rows[:, used]), outcomes, importances):
        hash_.update(f"{v.shape} ".encode() + v.tobytes())
    return 1 + int.from_bytes(hash_.digest(), "little")
