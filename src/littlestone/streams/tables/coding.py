"""What of the data is coded as classes, and whether outcomes look like classes at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .labels import Labels
from .values import listed, missing, plain

CLASSES, OFTEN = 20, 10  # see looks_like_labels


class Coding(NamedTuple):
    """What is to be coded: outcomes are classes, and the advice is too unless it is features."""

    labels: Labels | None = None  # None: those that are found first
    advice: bool = True
    grow: bool = False  # a label that was not found first is learned when it comes
    auto: bool = False  # outcomes are classes only if they look like it

    def coder(self, arrays: Iterable[NDArray[Any]]) -> Labels | None:
        """The labels given, or those of the first rounds; None if these are numbers."""
        if self.labels is not None:
            return self.labels
        found = [values.reshape(-1) for values in arrays]
        if self.auto and not looks_like_labels(np.concatenate([*found, np.empty(0)])):
            return None
        return Labels.found(found, grow=self.grow)


def looks_like_labels(values: Iterable[object]) -> bool:
    """Are outcomes classes, or numbers to be predicted? A guess, from those of the first rounds.

    Text, categories, true and false are classes. Numbers are classes if there are two different
    ones at most, whole or repeated; or if all are whole, there are at most 20 different ones, and
    each comes 10 times on average: 1 to 5 stars are classes, and so are counts if they are small.
    What is missing does not count; if everything is, or one fraction is all there is, there is
    no telling, and they are numbers.

    >>> looks_like_labels([0, 1, 1]), looks_like_labels(["a", "b"]), looks_like_labels([True])
    (True, True, True)
    >>> looks_like_labels([1.5, 2.5, 3.5]), looks_like_labels(range(100)), looks_like_labels([0.5])
    (False, False, False)
    >>> looks_like_labels([1, 2, 3] * 10), looks_like_labels([1, 2, 3] * 9)
    (True, False)
    """
    array: NDArray[Any] = (
        values if isinstance(values, np.ndarray) else np.array(list(values), dtype=object)
    )
    if array.dtype.kind == "b":
        return True
    if array.dtype.kind in "iuf":
        known = np.asarray(array.reshape(-1), dtype=np.float64)
    else:
        found = [plain(v) for v in array.reshape(-1).tolist() if not missing(v)]
        if any(isinstance(v, str | bool) for v in found):
            return True
        known = np.array([v for v in found if isinstance(v, int | float)], dtype=np.float64)
    known = known[np.isfinite(known)]
    distinct = np.unique(known)
    whole = bool((distinct == np.floor(distinct)).all())
    if distinct.size <= 2:
        return distinct.size > 0 and (whole or 2 <= distinct.size < known.size)
    return whole and distinct.size <= CLASSES and known.size >= OFTEN * distinct.size


def taken_for(
    outcome: str, labels: Sequence[object] | None, coding: Coding | None
) -> tuple[str, ...]:
    """Where nobody said whether outcomes are classes: what they were taken for."""
    if coding is None or not coding.auto:
        return ()
    if labels is None:
        return (f"{outcome!r} is taken for a number; labels=True (--labels) makes it a class",)
    if any(isinstance(label, str | bool) for label in labels):
        return ()  # what else?
    shown = listed(labels, 6)
    return (f"{outcome!r} is taken for a class, one of {shown}; labels=False makes it a number",)
