"""Labels as the user writes them, and the codes 0, 1, … that learners and games count in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.stream import Array
from ..engine import columns
from .distinct import BLOCK, FEW, distinct_numbers, first_places, refuse_measurements
from .values import as_label, list_some, missing, name_cell

SOME = 256  # rows in which new labels are looked for to begin with
MINUS, PLUS = (0, -1), (1,)  # labels that are always the first and the second of two classes
PLAIN = (str, int, float, bool)
EXACT = 2**53  # whole numbers beyond it are not all told apart by floats


class LabelEncoder:
    """A list of labels, of one row or of many; the code of a label is its position, and never changes.

    A label that is not there is appended when it comes, unless the list is `fixed`. Of two classes (`most` = 2),
    1 (or True) is the second and 0, -1 (or False) the first, whichever comes first; other labels are coded in the
    order in which they come.

    >>> two = LabelEncoder(most=2)
    >>> [two.code(y) for y in (1, -1, 1)], two.known
    ([1.0, 0.0, 1.0], [-1, 1])
    >>> labels = LabelEncoder.find(
    ...     [np.array([["no", "yes"], ["yes", None]], dtype=object)], fixed=True
    ... )
    >>> labels.known, labels.code_cells(np.array(["yes", None, "no"], dtype=object), ["answer"])
    (['no', 'yes'], array([ 1., nan,  0.]))
    >>> growing = LabelEncoder.declare(["no", "yes"])
    >>> growing.code_cells(np.array(["perhaps", "yes"], dtype=object), ["answer"]), growing.known
    (array([2., 1.]), ['no', 'yes', 'perhaps'])
    """

    def __init__(
        self,
        known: Iterable[Any] | None = None,
        *,
        most: int = 0,
        owner: str = "",
        declared: bool = False,
        fixed: bool = False,
    ) -> None:
        """At most `most` classes; any number of them where it is 0. `declared`: the user named them all."""
        self.most, self.owner, self.declared, self.fixed = most, owner, declared, fixed
        self.known: list[Any] = list(known or ())
        if most and len(self.known) > most:
            self.refuse_class(self.known[most])
        self.known += [None] * (most - len(self.known))
        self.codes = {y: float(c) for c, y in enumerate(self.known) if y is not None}
        self._numbers, self._number_codes, self._indexed = np.empty(0), np.empty(0), -1

    @classmethod
    def declare(cls, labels: Iterable[object], *, fixed: bool = False) -> LabelEncoder:
        """The labels that a user or a file names."""
        given = [as_class(label) for label in labels]
        if not given and fixed:
            raise BadInput("labels: at least one is needed")
        if len(set(given)) < len(given):
            raise BadInput(f"labels: one of {list_some(given)} occurs twice")
        return cls(given, fixed=fixed)

    @classmethod
    def find(cls, arrays: Iterable[NDArray[Any]], *, fixed: bool = False) -> LabelEncoder:
        """The distinct values of all arrays, in order.

        One class may be rare, so of `fixed` labels what is within {0, 1} has both labels even if one never occurs,
        and likewise {-1, 1}. Where labels may be added, the other one comes if it comes.

        >>> [LabelEncoder.find([np.array([y])], fixed=True).known for y in (1.0, -1)]
        [[0, 1], [-1, 1]]
        """
        found: set[Any] = set()
        for values in arrays:
            flat = values.reshape(-1)
            if flat.dtype.kind in "biuf":
                found |= {as_label(v) for v in distinct_numbers(flat).tolist() if np.isfinite(v)}
            else:
                found |= {as_label(v) for v in flat.tolist() if not missing(v)}
        found -= {None, np.inf, -np.inf}
        if fixed and not found:
            raise BadInput("no labels: every outcome and every piece of advice is missing")
        if fixed and all(isinstance(v, bool) for v in found):
            return cls([False, True], fixed=True)
        for pair in ([0, 1], [-1, 1]):
            if fixed and found <= set(pair):
                return cls(pair, fixed=True)
        refuse_measurements(found)
        for label in found:
            if isinstance(label, int):
                refuse_inexact(label, "labels")
        return cls(sorted(found, key=lambda v: (isinstance(v, str), v)), fixed=fixed)

    def __len__(self) -> int:
        return len(self.known)

    # One label.

    def code(self, y: Any) -> float:
        """The code of a label; NaN where there is none."""
        try:
            return self.codes[y]
        except (KeyError, TypeError):
            return self.learn(y)

    def learn(self, y: Any) -> float:
        """The code of a label that may be new, missing or none at all."""
        if isinstance(y, np.generic):
            y = y.item()
        if y is None or (isinstance(y, float) and y != y):
            return float("nan")
        if not isinstance(y, PLAIN):
            raise BadInput(f"the outcome must be one label, a number or text, not {y!r:.80}")
        if y in self.codes:
            return self.codes[y]
        if isinstance(y, float) and y in (np.inf, -np.inf):
            raise BadInput(f"the outcome is {y}, which is no label")
        refuse_inexact(y, "the outcome")
        return self.add(y)

    def add(self, label: Any) -> float:
        """Give a new label its code."""
        at = self.free_place(label)
        if at == len(self.known):
            self.known.append(label)
        else:
            self.known[at] = label
        self.codes[label] = float(at)
        return float(at)

    def free_place(self, label: Any) -> int:
        """The place that a new label gets."""
        if not self.most:
            return len(self.known)
        empty = [c for c, known in enumerate(self.known) if known is None]
        if not empty:
            self.refuse_class(label)
        wanted = empty[0]
        if not isinstance(label, str):
            wanted = 1 if label in PLUS else 0 if label in MINUS else wanted
        return wanted if wanted in empty else empty[0]

    def forget(self, y: Any) -> None:
        """Take back the label that was learned last: its example was refused."""
        at = int(self.codes.pop(y.item() if isinstance(y, np.generic) else y))
        self._indexed = -1
        if self.most:
            self.known[at] = None
        else:
            del self.known[at]

    def refuse_class(self, label: Any) -> NoReturn:
        """Refuse a third class of two."""
        some = ", ".join(repr(k) for k in self.known[: self.most])
        raise BadInput(
            f"the outcome: unknown label {label!r:.80}; {self.owner} tells two classes apart, and they are {some}: "
            "for more, use a learner for several classes (multiclass-perceptron, softmax, online-linear)"
        )

    # Many labels.

    def code_cells(self, values: NDArray[Any], names: Sequence[str], first: int = 0) -> Array:
        """Codes as floats, NaN for what is missing; `names` are the columns of `values`, to name a cell in an error."""
        new = np.empty if values.size < columns.LEAST else columns.column
        out: Array = new(values.size).reshape(values.shape)
        source, target = values.reshape(-1), out.reshape(-1)
        for i in range(0, source.size, BLOCK):
            piece = source[i : i + BLOCK]
            if self._write_two(piece, target[i : i + BLOCK]):
                continue
            codes = self._find_codes(piece)
            unknown = codes < 0
            if unknown.any() and not self.fixed:
                self._add_each(piece[unknown])
                codes = self._find_codes(piece)
                unknown = codes < 0
            if unknown.any():
                spot = int(unknown.argmax())
                row, column = divmod(i + spot, len(names))
                self._refuse_cell(piece[spot], name_cell(first + row, names[column]))
            target[i : i + BLOCK] = codes
        return out

    def _write_two(self, piece: NDArray[Any], target: Array) -> bool:
        """Write the codes of numbers where two numbers are labels; False where a number is neither, or missing.

        It is the usual case, and takes a third of the time of `_find_codes` and what follows it.
        """
        if piece.dtype.kind not in "biuf":
            return False
        numbers, codes = self._number_index()
        if numbers.size != 2:
            return False
        # compared with whole numbers, whole ones need not be made floats first
        whole = piece.dtype.kind in "iu"
        first, second = (
            piece == (int(label) if whole and label.is_integer() else label)
            for label in numbers.tolist()
        )
        if np.count_nonzero(first) + np.count_nonzero(second) != piece.size:
            return False
        if codes.tolist() == [0.0, 1.0]:
            target[...] = second
        else:
            np.copyto(target, codes[0])
            np.copyto(target, codes[1], where=second)
        return True

    def _find_codes(self, piece: NDArray[Any]) -> Array:
        """The codes of values; NaN where one is missing, -1 where it is no label that is known."""
        if piece.dtype.kind in "biuf":
            return self._codes_of_numbers(piece)
        codes = self.codes

        def find_code(value: Any) -> float:
            return np.nan if missing(value) else codes.get(as_label(value), -1.0)

        found = (
            codes[v] if type(v) in PLAIN and v in codes else find_code(v) for v in piece.tolist()
        )
        return np.fromiter(found, dtype=np.float64, count=piece.size)

    def _codes_of_numbers(self, values: NDArray[Any]) -> Array:
        v = np.asarray(values, dtype=np.float64)
        numbers, codes = self._number_index()
        if numbers.size <= FEW:  # comparing with each is faster than bisection
            found = np.where(np.isnan(v), np.nan, -1.0)
            for number, code in zip(numbers, codes, strict=True):
                found += (v == number) * (code + 1.0)
            return found
        at = np.minimum(np.searchsorted(numbers, v), numbers.size - 1)
        found = np.where(numbers[at] == v, codes[at], -1.0)
        found[np.isnan(v)] = np.nan
        return found

    def _number_index(self) -> tuple[Array, Array]:
        """The labels that are numbers, in order, and their codes: numbers are found by bisection."""
        if self._indexed != len(self.codes):
            pairs = sorted(
                (float(v), c) for v, c in self.codes.items() if isinstance(v, int | float)
            )
            self._numbers = np.array([v for v, _ in pairs])
            self._number_codes = np.array([c for _, c in pairs])
            self._indexed = len(self.codes)
        return self._numbers, self._number_codes

    def _add_each(self, values: NDArray[Any]) -> None:
        """Labels in the order in which they came, so that it does not matter how rounds are cut."""
        for value in dict.fromkeys(as_label(v) for v in values.tolist()):
            if value is not None and value not in (np.inf, -np.inf):
                self.add(as_class(value))
        refuse_measurements(self.known)

    def _refuse_cell(self, value: object, where: str) -> NoReturn:
        label = as_label(value)
        shown = repr(value if label is None else label)
        if not self.fixed:
            raise BadInput(f"{where}: {shown} is not a label: a number or text")
        raise BadInput(f"{where}: {shown} is not one of the known labels {list_some(self.known)}")

    def meet(self, y: Any, labels: Sequence[Any]) -> tuple[Any, tuple[int, ...]]:
        """Learn the labels of a batch in the order in which they occur; y holds places in `labels`, or NaN.

        Returns the codes of `labels` (NaN where one has not occurred), and the rows in which one occurs first.

        >>> LabelEncoder().meet(np.array([2.0, 0.0, np.nan, 2.0]), ("a", "b", "c"))
        (array([ 1., nan,  0.]), (0, 1))
        """
        codes, rows = self.known_codes(labels), list[int]()
        begin, size = 0, SOME
        while begin < len(y) and np.isnan(codes).any():
            for r in first_places(y[begin : begin + size], codes):
                codes[int(y[begin + r])] = self.code(labels[int(y[begin + r])])
                rows.append(begin + r)
            begin, size = begin + size, 4 * size
        return codes, tuple(rows)

    def known_codes(self, labels: Sequence[Any]) -> Any:
        """The codes of labels; NaN where one is not known."""
        return np.array([self.codes.get(label, np.nan) for label in labels], dtype=np.float64)

    # Codes become labels.

    def label(self, code: float) -> Any:
        """The label of a code; None before the first label was seen."""
        at, known = int(code), self.known
        found = known[at] if at < len(known) else None
        return found if found is not None or not self.most else guess_other(known[1 - at])

    def labels(self, codes: Any) -> Any:
        """The labels of many codes; None where no class was known, and the code is NaN."""
        names = [self.label(c) for c in range(len(self.known))] or [None]
        none = np.isnan(codes)
        if not none.any():
            return np.array(names)[codes.astype(int)]
        labels = np.array([*names, None], dtype=object)
        return labels[np.where(none, len(names), codes).astype(int)]

    def unseen(self, t: Any) -> Any:
        """The probability of a class that has not occurred before round t = 0, 1, …, as `reserved` says.

        >>> LabelEncoder(["a"]).unseen(1), LabelEncoder(["a", "b"], declared=True).unseen(1)
        (0.25, 0.0)
        """
        return 0.0 * t if self.most or self.declared else reserved(t)


def as_class(label: object) -> object:
    """The label as a Python value, if it can be one."""
    value = as_label(label)
    if value is None or missing(label):
        raise BadInput(f"labels: {label!r} is neither a number nor text")
    refuse_inexact(value, "labels")
    return value


def refuse_inexact(label: object, what: str) -> None:
    """Refuse a whole number that floats do not tell from its neighbours."""
    if isinstance(label, int) and abs(label) > EXACT:
        raise BadInput(f"{what}: {label!r:.40} is too large to be exact; write labels as text")


def reserved(t: Any) -> Any:
    """The probability that is kept in round t = 0, 1, … for a class that has not occurred: 1/(t + 1)^2.

    Known classes share the rest. To keep it costs -ln(1 - 1/(t + 1)^2) in each round of a known class, less than ln 2
    over all rounds, since prod_{t = 1}^{N} (1 - 1/(t + 1)^2) = (N + 2)/(2 N + 2). A class that occurs first in round t
    costs 2 ln(t + 1). Where no class is known the next one is new for certain, and costs nothing.

    >>> [reserved(t) for t in range(3)]
    [1.0, 0.25, 0.1111111111111111]
    """
    return 1.0 / (t + 1.0) ** 2


def guess_other(label: Any) -> Any:
    """Guess the label of the second of two classes from that of the first."""
    if isinstance(label, bool):
        return not label
    if isinstance(label, (int, float)) and label in (1, 0, -1):
        return -1 if label == 1 else 1
    return label


def look_alikes(labels: Any) -> list[str]:
    """A note about labels that differ only in capitals or spaces; no note where there are none.

    >>> look_alikes(["Yes", "no", "yes ", 3])
    ["classes that differ only in capitals or spaces count as different ones: 'Yes' and 'yes '"]
    """
    groups: dict[str, list[str]] = {}
    for label in labels or ():
        if isinstance(label, str):
            groups.setdefault(" ".join(label.casefold().split()), []).append(label)
    some = [" and ".join(map(repr, g[:4])) for g in groups.values() if len(g) > 1][:3]
    note = "classes that differ only in capitals or spaces count as different ones: "
    return [note + "; ".join(some)] if some else []
