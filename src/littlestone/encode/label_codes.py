"""Classes as the user wrote them, and the codes 0 .. C-1 that learners count with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.stream import Array
from .values import as_label, listed, missing, name_cell

MANY = 100  # more labels than this, not all of them whole numbers or text, are no labels
FEW = 8
PLAIN = (str, int, float, bool)
# Numbers coded at a time. Their temporaries stay below 256 kB: of longer ones the system takes the memory back each
# time, and hands it out again page by page (12 ns a number with 1 << 16, 2 ns with 1 << 14).
BLOCK = 1 << 14
SOME = 256  # numbers that are sorted to begin with


class LabelCodes:
    """A list of labels; the code of a label is its position.

    It is fixed, unless it may grow: then `known` is a list to which a label that was not there is
    appended when it comes, so that the code of a label never changes.

    >>> labels = LabelCodes.found([np.array([["no", "yes"], ["yes", None]], dtype=object)])
    >>> labels.known
    ('no', 'yes')
    >>> labels.code(np.array(["yes", None, "no"], dtype=object), ["answer"])
    array([ 1., nan,  0.])
    >>> growing = LabelCodes(["no", "yes"], grow=True)
    >>> growing.code(np.array(["perhaps", "yes"], dtype=object), ["answer"]), growing.known
    (array([2., 1.]), ['no', 'yes', 'perhaps'])
    """

    known: tuple[object, ...] | list[object]

    def __init__(self, known: Iterable[object], *, grow: bool = False) -> None:
        given = [_label(label) for label in known]
        if not given and not grow:
            raise BadInput("labels: at least one is needed")
        if len(set(given)) < len(given):
            raise BadInput(f"labels: one of {listed(given)} occurs twice")
        self.grows = grow
        self.known = given if grow else tuple(given)
        self._index()

    @classmethod
    def found(cls, arrays: Iterable[NDArray[Any]], *, grow: bool = False) -> LabelCodes:
        """The distinct values of all arrays, in order.

        One class may be rare, so what is within {0, 1} has both labels even if one never occurs,
        and likewise {-1, 1}. Not so where labels may grow: there the other one comes if it comes.

        >>> LabelCodes.found([np.array([1.0, 1.0])]).known, LabelCodes.found([np.array([-1])]).known
        ((0, 1), (-1, 1))
        """
        seen: set[object] = set()
        for values in arrays:
            seen |= _distinct(values)
        if not grow:
            if not seen:
                raise BadInput("no labels: every outcome and every piece of advice is missing")
            if all(isinstance(v, bool) for v in seen):
                return cls((False, True))
            for pair in ((0, 1), (-1, 1)):
                if seen <= set(pair):
                    return cls(pair)
        _are_classes(seen)
        return cls(sorted(seen, key=lambda v: (isinstance(v, str), v)), grow=grow)

    def code(self, values: NDArray[Any], names: Sequence[str], first: int = 0) -> Array:
        """Codes as floats, NaN for what is missing; `names` are the columns of `values`."""
        out = np.empty(values.shape)
        source, target = values.reshape(-1), out.reshape(-1)
        for i in range(0, source.size, BLOCK):
            piece = source[i : i + BLOCK]
            if self._write_two(piece, target[i : i + BLOCK]):
                continue
            coded = self._codes(piece)
            unknown = coded < 0
            if unknown.any():
                if self.grows:
                    self._grow(piece[unknown])
                    coded = self._codes(piece)
                    unknown = coded < 0
                if unknown.any():
                    spot = int(unknown.argmax())
                    row, column = divmod(i + spot, len(names))
                    self._refuse(piece[spot], name_cell(first + row, names[column]))
            target[i : i + BLOCK] = coded
        return out

    def _write_two(self, piece: NDArray[Any], target: Array) -> bool:
        """Write the codes of numbers where two numbers are labels; False where a number is neither, or missing.

        It is the usual case, and takes a third of the time of `_codes` and what follows it.
        """
        if self._numbers.size != 2 or piece.dtype.kind not in "biuf":
            return False
        first, second = (piece == _like(label, piece.dtype) for label in self._numbers.tolist())
        if np.count_nonzero(first) + np.count_nonzero(second) != piece.size:
            return False
        if self._number_codes.tolist() == [0.0, 1.0]:
            target[...] = second
        else:
            np.copyto(target, self._number_codes[0])
            np.copyto(target, self._number_codes[1], where=second)
        return True

    def _codes(self, piece: NDArray[Any]) -> Array:
        return self._of_numbers(piece) if piece.dtype.kind in "biuf" else self._of_objects(piece)

    def _index(self) -> None:
        self.codes = {label: float(i) for i, label in enumerate(self.known)}
        # Numbers are found by bisection, so numeric labels are also kept in order.
        pairs = sorted((float(v), c) for v, c in self.codes.items() if isinstance(v, int | float))
        self._numbers = np.array([v for v, _ in pairs])
        self._number_codes = np.array([c for _, c in pairs])

    def _grow(self, values: NDArray[Any]) -> None:
        """Labels in the order in which they came, so that it does not matter how rounds are cut."""
        assert isinstance(self.known, list)
        for value in dict.fromkeys(as_label(v) for v in values.tolist()):
            if value is not None and value not in (np.inf, -np.inf):
                self.known.append(_label(value))
        _are_classes(self.known)
        self._index()

    def _refuse(self, value: object, where: str) -> NoReturn:
        if self.grows:
            raise BadInput(f"{where}: {_shown(value)} is not a label: a number or text")
        raise BadInput(
            f"{where}: {_shown(value)} is not one of the known labels {listed(self.known)}"
        )

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

        def code(value: Any) -> float:
            return np.nan if missing(value) else codes.get(as_label(value), -1.0)

        found = (codes[v] if type(v) in PLAIN and v in codes else code(v) for v in values.tolist())
        return np.fromiter(found, dtype=np.float64, count=values.size)


def _like(label: float, kind: np.dtype[Any]) -> float | int:
    """A number to compare with an array of a kind: with a whole one, whole numbers need not be made floats first."""
    return int(label) if kind.kind in "iu" and label.is_integer() else label


def _distinct(values: NDArray[Any]) -> set[object]:
    flat = values.reshape(-1)
    if flat.dtype.kind not in "biuf":
        found = {as_label(v) for v in flat.tolist() if not missing(v)}
        return {v for v in found if v is not None and v not in (np.inf, -np.inf)}
    return {as_label(v) for v in distinct_numbers(flat).tolist() if np.isfinite(v)}


def distinct_numbers(flat: NDArray[Any], most: float = np.inf) -> NDArray[Any]:
    """The distinct numbers of an array, in order; once there are more than `most`, the search ends.

    >>> distinct_numbers(np.array([2, 1, 2])), len(distinct_numbers(np.arange(1e6), most=20)) > 20
    (array([1, 2]), True)
    """
    known = np.unique(flat[:SOME])
    for i in range(SOME, flat.size, BLOCK):  # classes are few: look before sorting
        if known.size > most:
            break
        piece = flat[i : i + BLOCK]
        if known.size <= FEW:
            if sum(np.count_nonzero(piece == value) for value in known) == piece.size:
                continue
            strange = piece == piece  # all but NaN
            for value in known:
                strange &= piece != value
        else:
            at = np.minimum(np.searchsorted(known, piece), known.size - 1)
            strange = (known[at] != piece) & (piece == piece)
        new = piece[strange]
        if new.size:
            known = np.union1d(known, new)
    return known


def _label(label: object) -> object:
    """The label as a Python value, if it can be one."""
    value = as_label(label)
    if value is None or missing(label):
        raise BadInput(f"labels: {label!r} is neither a number nor text")
    if isinstance(value, int) and abs(value) > 2**53:
        raise BadInput(f"labels: {value} is too large to be exact; write labels as text")
    return value


def _are_classes(labels: Collection[object]) -> None:
    if len(labels) > MANY and any(isinstance(v, float) for v in labels):
        raise BadInput(
            f"{len(labels):,} different values, fractions among them, are numbers rather than "
            "classes; name the columns that hold classes with experts="
        )


def _shown(value: object) -> str:
    label = as_label(value)
    return repr(value if label is None else label)
