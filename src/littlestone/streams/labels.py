"""Classes as the user wrote them, and the codes 0 .. C-1 that learners count with."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array

from .check import place

MANY = 100  # more labels than this, not all of them whole numbers or text, are no labels
FEW = 8
BLOCK = 1 << 16  # numbers coded at a time: the temporaries stay small


class Coding(NamedTuple):
    """What is to be coded: outcomes are classes, and the advice is too unless it is features."""

    labels: Labels | None = None  # None: those that are found first
    advice: bool = True


def missing(value: object) -> bool:
    """None, NaN, pandas' NA and NaT.

    >>> [missing(v) for v in (None, float("nan"), 0, "", "NaN")]
    [True, True, False, False, False]
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | Decimal) and bool(value != value)


class Labels:
    """A fixed list of labels; the code of a label is its position.

    >>> labels = Labels.found([np.array([["no", "yes"], ["yes", None]], dtype=object)])
    >>> labels.known
    ('no', 'yes')
    >>> labels.code(np.array(["yes", None, "no"], dtype=object), ["answer"])
    array([ 1., nan,  0.])
    """

    def __init__(self, known: Iterable[object]) -> None:
        given = tuple(known)
        self.known = tuple(_plain(label) for label in given)
        for label, plain in zip(given, self.known, strict=True):
            if plain is None or missing(label):
                raise BadInput(f"labels: {label!r} is neither a number nor text")
            if isinstance(plain, int) and abs(plain) > 2**53:
                raise BadInput(f"labels: {plain} is too large to be exact; write labels as text")
        if not self.known:
            raise BadInput("labels: at least one is needed")
        self.codes = {label: float(i) for i, label in enumerate(self.known)}
        if len(self.codes) < len(self.known):
            raise BadInput(f"labels: one of {_listed(self.known)} occurs twice")
        # Numbers are found by bisection, so numeric labels are also kept in order.
        pairs = sorted((float(v), c) for v, c in self.codes.items() if isinstance(v, int | float))
        self._numbers = np.array([v for v, _ in pairs])
        self._number_codes = np.array([c for _, c in pairs])

    @classmethod
    def found(cls, arrays: Iterable[NDArray[Any]]) -> Labels:
        """The distinct values of all arrays, in order.

        One class may be rare, so what is within {0, 1} has both labels even if one never occurs,
        and likewise {-1, 1}.

        >>> Labels.found([np.array([1.0, 1.0])]).known, Labels.found([np.array([-1])]).known
        ((0, 1), (-1, 1))
        """
        seen: set[object] = set()
        for values in arrays:
            seen |= _distinct(values)
        if not seen:
            raise BadInput("no labels: every outcome and every piece of advice is missing")
        if all(isinstance(v, bool) for v in seen):
            return cls((False, True))
        for pair in ((0, 1), (-1, 1)):
            if seen <= set(pair):
                return cls(pair)
        if len(seen) > MANY and any(isinstance(v, float) for v in seen):
            raise BadInput(
                f"{len(seen):,} different values, fractions among them, are numbers rather than "
                "classes; name the columns that hold classes with experts="
            )
        return cls(sorted(seen, key=lambda v: (isinstance(v, str), v)))

    def code(self, values: NDArray[Any], names: Sequence[str], first: int = 0) -> Array:
        """Codes as floats, NaN for what is missing; `names` are the columns of `values`."""
        out = np.empty(values.shape)
        source, target = values.reshape(-1), out.reshape(-1)
        for i in range(0, source.size, BLOCK):
            piece = source[i : i + BLOCK]
            coded = (
                self._of_numbers(piece) if piece.dtype.kind in "biuf" else self._of_objects(piece)
            )
            target[i : i + BLOCK] = coded
            unknown = coded < 0
            if unknown.any():
                spot = int(unknown.argmax())
                row, column = divmod(i + spot, len(names))
                raise BadInput(
                    f"{place(first + row, names[column])}: {_shown(piece[spot])} is not one of the "
                    f"known labels {_listed(self.known)}"
                )
        return out

    def _of_numbers(self, values: NDArray[Any]) -> Array:
        v = np.asarray(values, dtype=np.float64)
        if self._numbers.size <= FEW:  # comparing with each is faster than bisection
            coded = np.where(np.isnan(v), np.nan, -1.0)
            for number, code in zip(self._numbers, self._number_codes, strict=True):
                coded += (v == number) * (code + 1.0)
            return coded
        at = np.minimum(np.searchsorted(self._numbers, v), self._numbers.size - 1)
        coded = np.where(self._numbers[at] == v, self._number_codes[at], -1.0)
        coded[np.isnan(v)] = np.nan
        return coded

    def _of_objects(self, values: NDArray[Any]) -> Array:
        codes = self.codes
        found = (np.nan if missing(v) else codes.get(_plain(v), -1.0) for v in values.tolist())
        return np.fromiter(found, dtype=np.float64, count=values.size)


def _distinct(values: NDArray[Any]) -> set[object]:
    flat = values.reshape(-1)
    if flat.dtype.kind not in "biuf":
        found = {_plain(v) for v in flat.tolist() if not missing(v)}
        return {v for v in found if v is not None and v not in (np.inf, -np.inf)}
    known = np.unique(flat[:BLOCK])
    for i in range(BLOCK, flat.size, BLOCK):  # classes are few: look before sorting
        piece = flat[i : i + BLOCK]
        if known.size <= FEW:
            strange = piece == piece  # all but NaN
            for value in known:
                strange &= piece != value
        else:
            at = np.minimum(np.searchsorted(known, piece), known.size - 1)
            strange = (known[at] != piece) & (piece == piece)
        new = piece[strange]
        if new.size:
            known = np.union1d(known, new)
    return {_plain(v) for v in known.tolist() if np.isfinite(v)}


def _plain(label: object) -> object:
    """A Python value, whole numbers as int: 1, 1.0 and np.int8(1) are one label. None: no label."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, bool | str | int):
        return label
    if isinstance(label, numbers.Real | Decimal):
        number = float(label)
        return int(number) if number.is_integer() else number
    return None


def _shown(value: object) -> str:
    plain = _plain(value)
    return repr(value if plain is None else plain)


def _listed(labels: Sequence[object], most: int = 12) -> str:
    """
    >>> _listed(["cat", "dog"])
    "'cat', 'dog'"
    """
    shown = ", ".join(repr(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"
