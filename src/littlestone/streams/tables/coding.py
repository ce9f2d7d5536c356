"""What of the data is coded as classes, and whether outcomes look like classes at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array

from ...encode.distinct import distinct_numbers
from ...encode.labels import LabelEncoder
from ...encode.values import as_label, list_some, missing
from .written_numbers import LOOK, SLIPS, is_number

CLASSES, OFTEN = 20, 10  # see looks_like_labels
NAMES = 1000  # different texts, most of them there once, are no classes unless a user says so
FEW_NAMES = 50  # ... nor are more than these where nine rows of ten hold a text of their own
PROSE = 80  # characters of a text, on average: more are sentences, and no label
FEW_NUMBERS = "it holds few different whole numbers, each of them often"
FORECAST = "it holds whole numbers that other columns come close to"
GRADES = "it holds whole numbers on one scale: those in the middle are the most frequent"
COUNTS = "it holds counts (small whole numbers, and a few large ones)"
GRADE = 5  # so many of them at least


class Coding(NamedTuple):
    """What is coded as classes: the outcomes, and the advice where the columns are not features."""

    labels: LabelEncoder | None = None  # None: those that are found first
    advice: bool = True
    grow: bool = False  # a label that was not found first is learned when it comes
    auto: bool = False  # outcomes are classes only if they look like it
    sure: bool = False  # the caller says that they are classes, whatever they look like

    def decide(
        self, arrays: Iterable[NDArray[Any]], forecasts: Callable[[], bool] | None = None
    ) -> tuple[LabelEncoder | None, str]:
        """The labels given, or those of the first rounds, None if these are numbers; and the reason.

        `forecasts` tells whether the columns are on the scale of the outcomes.
        """
        if self.labels is not None:
            return self.labels, "its classes are declared"
        found = [values.reshape(-1) for values in arrays]
        if not (self.sure or self.advice or all(v.dtype.kind in "biuf" for v in found)):
            refuse_text([values for values in found if values.dtype.kind == "O"])
        if self.auto:
            return self.guess(found, forecasts)
        return LabelEncoder.find(found, fixed=not self.grow), ""

    def guess(
        self, found: list[NDArray[Any]], forecasts: Callable[[], bool] | None
    ) -> tuple[LabelEncoder | None, str]:
        """The labels, if outcomes look like classes; None if they look like numbers; and the reason."""
        one = len(found) == 1 and found[0].dtype.kind in "iuf"
        values = found[0] if one else np.concatenate([*found, np.empty(0)])
        classes, why = judge_outcomes(values)
        if classes and forecasts is not None and why == FEW_NUMBERS and forecasts():
            return None, FORECAST
        return (LabelEncoder.find(found, fixed=not self.grow) if classes else None), why


def refuse_text(arrays: Sequence[NDArray[Any]]) -> None:
    """Refuse outcomes that were written as text, and are no classes."""
    refuse_numbers(arrays)
    refuse_names(arrays)


def refuse_numbers(arrays: Sequence[NDArray[Any]]) -> None:
    """Refuse outcomes that are text and nearly all numbers: to call them classes would be wrong, and silent.

    A few numbers as text, "0" to "9", are labels.

    >>> refuse_numbers([np.array(["1.5", "2", "oops", *map(str, range(30))], dtype=object)])
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: outcome: nearly all are numbers, but row 3 is 'oops'; ...
    """
    every = [v for values in arrays for v in values.tolist()]
    rows = [(i, v) for i, v in enumerate(every) if not missing(v)]
    texts = [v for _, v in rows if isinstance(v, str)]
    if len(texts) * 2 < len(rows) or not mostly_numbers(texts[:LOOK]):
        return
    odd = [(i, v) for i, v in rows if not is_number(v)]
    if len(odd) > SLIPS * len(rows) or (not odd and len(set(texts)) <= CLASSES):
        return
    way = "or say that every text is a class: task='classification'"
    if odd:
        row, value = odd[0]
        raise BadInput(
            f"outcome: nearly all are numbers, but row {row + 1} is {value!r}; correct it, {way}"
        )
    raise BadInput(
        f"outcome: numbers written as text, as in {texts[0]!r}; make them numbers, {way}"
    )


def mostly_numbers(texts: Sequence[str]) -> bool:
    """Are more than half of the texts written as numbers?"""
    return sum(is_number(v) for v in texts) * 2 > len(texts)


def refuse_names(arrays: Sequence[NDArray[Any]]) -> None:
    """Refuse outcomes of text that hardly ever comes twice, or is prose: hours of work, and nothing can be learned.

    >>> refuse_names([np.array([f"order {i}" for i in range(1500)], dtype=object)])
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: outcome: 1,500 different texts in 1,500 rows, as in 'order 0': ...
    """
    texts = [v for values in arrays for v in values.tolist() if isinstance(v, str)]
    values = set(texts)
    distinct = len(values)
    once = distinct > (0.5 if distinct > NAMES else 0.9) * len(texts)
    prose = sum(map(len, values)) > PROSE * distinct
    if distinct > FEW_NAMES and (once or prose):
        what = "names rows" if once else "holds sentences"
        raise BadInput(
            f"outcome: {distinct:,} different texts in {len(texts):,} rows, as in {texts[0]!r:.60}: such a column "
            f"{what} rather than classes; name another outcome, or say that every text is a class: "
            "task='classification'"
        )


def looks_like_labels(values: Iterable[object]) -> bool:
    """Are outcomes classes, or numbers to be predicted? A guess, from those of the first rounds.

    Text, categories, true and false are classes. Numbers are classes if there are two different
    ones at most, whole or repeated; or if all are whole, there are at most 20 different ones, and
    each comes 10 times on average: 1, 2, 3 are classes. Five or more consecutive ones, of which
    those in the middle are the most frequent, are grades, and so numbers; and so are counts, five
    or more consecutive ones and rarer ones beyond, with gaps between them.
    What is missing does not count; if everything is, or one fraction is all there is, there is
    no telling, and they are numbers.

    >>> looks_like_labels([0, 1, 1]), looks_like_labels(["a", "b"]), looks_like_labels([True])
    (True, True, True)
    >>> looks_like_labels([1.5, 2.5, 3.5]), looks_like_labels(range(100)), looks_like_labels([0.5])
    (False, False, False)
    >>> looks_like_labels([1, 2, 3] * 10), looks_like_labels([1, 2, 3] * 9)
    (True, False)
    >>> looks_like_labels([1, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 5] * 9)
    False
    """
    return judge_outcomes(values)[0]


def judge_outcomes(values: Iterable[object]) -> tuple[bool, str]:
    """Whether outcomes look like labels, and the reason."""
    array: NDArray[Any] = (
        values if isinstance(values, np.ndarray) else np.array(list(values), dtype=object)
    )
    if array.dtype.kind == "b":
        return True, "it is true or false"
    if array.dtype.kind in "iuf":
        return judge_numbers(array.reshape(-1))
    found = [as_label(v) for v in array.reshape(-1).tolist() if not missing(v)]
    if any(isinstance(v, str) for v in found):
        return True, "it holds text"
    if any(isinstance(v, bool) for v in found):
        return True, "it is true or false"
    return judge_numbers(as_numbers([v for v in found if isinstance(v, int | float)]))


def judge_numbers(known: NDArray[Any]) -> tuple[bool, str]:
    """The same, of outcomes that are all numbers; NaN where one is missing."""
    distinct = distinct_numbers(known, most=CLASSES + 3)  # of which three may not be finite
    distinct = distinct[np.isfinite(distinct)].astype(np.float64)
    whole, count = (
        bool((distinct == np.floor(distinct)).all()),
        np.count_nonzero(np.isfinite(known)),
    )
    if distinct.size <= 2:
        if distinct.size > 0 and (whole or 2 <= distinct.size < count):
            only = "only one value" if distinct.size == 1 else "two different values"
            return True, f"it has {only}"
        if not distinct.size:
            return False, "it is empty in the rows that were looked at"
        return False, "it holds numbers"
    if whole and distinct.size <= CLASSES and count >= OFTEN * distinct.size:
        times = np.array([np.count_nonzero(known == value) for value in distinct])
        if one_peak(times, distinct):
            return False, GRADES
        return (False, COUNTS) if long_tail(times, distinct) else (True, FEW_NUMBERS)
    return False, "it holds numbers"


def as_numbers(values: list[int | float]) -> Array:
    """Numbers as an array; a whole number may be written with more digits than any float has."""
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        large = max(values, key=abs)
        raise BadInput(f"outcome: a number is too large to compute with: {large!s:.40}…") from None


def one_peak(times: Array, distinct: Array) -> bool:
    """Are the numbers on one scale: consecutive ones, five or more, rare at both ends and most frequent inside?

    Grades are: 3 to 8 points, of which 5 and 6 are given most. Classes that were numbered have no order. `times` says
    how often each of them comes.
    """
    if distinct.size < GRADE or distinct[-1] - distinct[0] != distinct.size - 1:
        return False
    top = int(times.argmax())
    rises = bool((np.diff(times[: top + 1]) > 0).all() and (np.diff(times[top:]) < 0).all())
    return rises and 2 * max(times[0], times[-1]) <= times[top]


def long_tail(times: Array, distinct: Array) -> bool:
    """Are the numbers counts: five or more consecutive ones, and beyond a gap others, none of them more frequent?

    >>> visits = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 7.0, 12.0])
    >>> long_tail(np.array([90, 40, 12, 5, 3, 1, 1]), visits)
    True
    """
    gaps = np.flatnonzero(np.diff(distinct) > 1.0)
    first = int(gaps[0]) + 1 if gaps.size else 0
    return first >= GRADE and bool(times[first:].max() <= times[:first].min())


def taken_for(outcome: str, labels: Sequence[object] | None) -> tuple[str, ...]:
    """A note that says what outcomes were taken for, where the user did not say whether they are classes."""
    if labels is None:
        return (f"{outcome!r} is taken for a number; labels=True (--labels) makes it a class",)
    if any(isinstance(label, str | bool) for label in labels):
        return ()  # text and truth values can only be classes
    shown = list_some(labels, 6)
    return (f"{outcome!r} is taken for a class, one of {shown}; labels=False makes it a number",)
