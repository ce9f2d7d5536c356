"""What a claim rests on: taken on the user's word, or measured on the test rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadInput
from .claim import Ground
from .group_limits import units_of
from .row_groups import RowGroups
from .suspicion import LEVEL, clustering, drift, neighbour_clustering, shared_rows

WORD = "on your word"
FEW = 10  # groups
WIDE = 2.0  # times as many rows as there are, if all groups were as large as the largest


def leak_ground(X: Any, train: Any) -> Ground:
    """The model did not see the test rows: looked for among the training rows where they are given."""
    text = "the model did not see the test rows"
    if train is None:
        return Ground(text, WORD)
    if X is None:
        raise BadInput(
            "train: to look for its rows among the test rows, give the test rows (X_test) too"
        )
    same = shared_rows(X, train)
    if not len(same):
        return Ground(text, f"measured, none of them is among {count(train):,} training rows")
    first = ", ".join(str(int(i) + 1) for i in same[:5])
    more = ", …" if len(same) > 5 else ""
    how = f"{len(same):,} of them are training rows (test rows {first}{more}): take them out"
    return Ground(text, how, False)


def count(rows: Any) -> int:
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def sampling_grounds(rows: RowGroups) -> list[Ground]:
    """What the user says of how the rows were drawn."""
    if rows.plain:
        return [Ground("the test rows are independent draws of the rows to come", WORD)]
    if rows.group is None:
        heaviest = float(rows.weights.max())
        return [
            Ground("the test rows are independent draws, and count as their weights say", WORD),
            Ground(f"no row to come weighs more than {heaviest:g}, the heaviest here", WORD),
        ]
    found = [
        Ground(f"the {rows.groups:,} groups are independent draws of the groups to come", WORD)
    ]
    if not rows.each_group_once:
        w = np.bincount(rows.group, rows.weights)
        what = (
            f"has more than {w.max():,.0f} rows"
            if rows.weights is None
            else f"weighs more than {w.max():g}"
        )
        found.append(Ground(f"no group to come {what}, as the largest here", WORD))
    return found


def order_grounds(wrong: Any, rows: RowGroups) -> list[Ground]:
    """Errors do not drift, nor come in runs: along the rows, or along the groups as they first appear."""
    what = "rows"
    if rows.group is not None:
        what = "groups"
        mean = np.bincount(rows.group, wrong) / np.bincount(rows.group)
        wrong = mean > np.median(mean)
    p = drift(wrong)
    text = f"errors do not drift along the {what}"
    how = f"they lie too early or too late for chance (p = {p:.1g}): the {what} are not in random order"
    found = [Ground(text, f"measured, p = {p:.2g}") if p >= LEVEL else Ground(text, how, False)]
    near = neighbour_clustering(wrong)
    text, p = f"errors do not cluster in neighbouring {what}", near.p
    if p >= LEVEL:
        return [*found, Ground(text, f"measured, p = {p:.2g}")]
    errors, step = f"the {int(np.sum(wrong)):,} errors", "say what they share with groups="
    if what == "groups":
        errors = f"the {int(np.sum(wrong)):,} groups with more errors than others"
        step = "make one group of those that belong together"
    how = f"{errors} {near.seen} (p = {p:.1g}): {what} that share something are not independent; {step}"
    return [*found, Ground(text, how, False)]


def group_notes(wrong: Any, rows: RowGroups) -> list[str]:
    """Whether errors cluster by group, and what makes limits over groups wide."""
    if rows.group is None:
        return []
    p = clustering(wrong, rows.group)
    found = [
        f"measured: errors cluster by group (p = {p:.2g}); limits that took rows for independent would be too narrow"
        if p < LEVEL
        else f"measured: no clear sign that errors cluster by group (p = {p:.2g}); the limits are over groups anyway"
    ]
    units = units_of(wrong, rows.group, rows.weights)
    total = float(units.weight.sum())
    if len(units.weight) * units.largest > WIDE * total:
        found.append(
            f"note: one group is {units.largest / total:.2%} of all, which makes the limits wide; weights='group' lets "
            "every group count once"
        )
    if rows.groups < FEW:
        found.append(
            f"note: {rows.groups:,} groups are few, which makes the limits wide; by= gives limits for each of them"
        )
    return found


def selection_ground(chosen: int, named: bool) -> list[Ground]:
    """How many models the rows chose from."""
    if chosen < 2:
        return []
    text = f"these {chosen:,} models were tried on these rows, no others"
    return [Ground(text if named else f"{chosen:,} models were tried on these rows, no more", WORD)]
