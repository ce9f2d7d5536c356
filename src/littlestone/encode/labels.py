"""Labels as the user writes them, and the codes 0, 1, … that the games count in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.game import Game

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]

SOME = 256  # rows in which new labels are looked for to begin with
MINUS, PLUS = (0, -1), (1,)  # labels that are always the first and the second of two classes


class Coder:
    """The classes met so far; a new one is learned when it appears.

    Of two classes, 1 (or True) is the second and 0, -1 (or False) the first, whichever comes first; other labels are
    coded in the order in which they appear.

    >>> coder = Coder(2)
    >>> [coder.code(y) for y in (1, -1, 1)], coder.known
    ([1.0, 0.0, 1.0], [-1, 1])
    """

    def __init__(
        self,
        most: int = 0,
        known: Sequence[Any] | None = None,
        owner: str = "",
        declared: bool = False,
    ) -> None:
        """At most `most` classes; any number of them where it is 0. `declared`: the user named them all."""
        self.most, self.owner, self.declared = most, owner, declared
        self.known: list[Any] = list(known or [])
        if most and len(self.known) > most:
            raise self.crowded(self.known[most])
        while len(self.known) < most:
            self.known.append(None)
        self.codes = {y: float(c) for c, y in enumerate(self.known) if y is not None}

    def __len__(self) -> int:
        return len(self.known)

    def unseen(self, t: Any) -> Any:
        """The probability of a class that has not occurred before round t = 0, 1, …, as `reserved` says.

        >>> Coder(known=["a"]).unseen(1), Coder(known=["a", "b"], declared=True).unseen(1)
        (0.25, 0.0)
        """
        return 0.0 * t if self.most or self.declared else reserved(t)

    def code(self, y: Any) -> float:
        """The code of a label; NaN where there is none."""
        try:
            return self.codes[y]
        except (KeyError, TypeError):
            return self.learn(y)

    def learn(self, y: Any) -> float:
        if isinstance(y, np.generic):
            y = y.item()
        if y is None or (isinstance(y, float) and y != y):
            return float("nan")
        if not isinstance(y, (str, bool, int, float)):
            raise BadInput(f"the outcome must be one label, a number or text, not {y!r:.80}")
        if y in self.codes:
            return self.codes[y]
        if isinstance(y, int) and abs(y) > 2**53:
            raise BadInput(f"the outcome: {y!r:.40} is too large to be exact; write labels as text")
        if isinstance(y, float) and y in (np.inf, -np.inf):
            raise BadInput(f"the outcome is {y}, which is no label")
        at = self.free(y)
        if at == len(self.known):
            self.known.append(y)
        else:
            self.known[at] = y
        self.codes[y] = float(at)
        return float(at)

    def forget(self, y: Any) -> None:
        """Take back the label that was learned last: its example was refused."""
        at = int(self.codes.pop(y.item() if isinstance(y, np.generic) else y))
        if self.most:
            self.known[at] = None
        else:
            del self.known[at]

    def free(self, y: Any) -> int:
        """The code that a new label gets."""
        if not self.most:
            return len(self.known)
        empty = [c for c, known in enumerate(self.known) if known is None]
        if not empty:
            raise self.crowded(y)
        if isinstance(y, (bool, int, float)):
            code = 1 if y in PLUS else 0 if y in MINUS else empty[0]
            return code if code in empty else empty[0]
        return empty[0]

    def crowded(self, y: Any) -> BadInput:
        some = ", ".join(repr(k) for k in self.known[: self.most])
        return BadInput(
            f"the outcome: unknown label {y!r:.80}; {self.owner} tells two classes apart, and they are {some}: "
            "for more, use a learner for several classes (multiclass-perceptron, softmax, online-linear)"
        )

    def label(self, code: float) -> Any:
        """The label of a code; None before the first label was seen."""
        at, known = int(code), self.known
        found = known[at] if at < len(known) else None
        return found if found is not None or not self.most else other(known[1 - at])

    def labels(self, codes: Any) -> Any:
        """The labels of many codes; None where no class was known, and the code is NaN."""
        names = [self.label(c) for c in range(len(self.known))] or [None]
        none = np.isnan(codes)
        if not none.any():
            return np.array(names)[codes.astype(int)]
        labels = np.array([*names, None], dtype=object)
        return labels[np.where(none, len(names), codes).astype(int)]

    def known_codes(self, labels: Sequence[Any]) -> Any:
        """The codes of labels; NaN where one is not known."""
        return np.array([self.codes.get(label, np.nan) for label in labels], dtype=np.float64)

    def meet(self, y: Any, labels: Sequence[Any]) -> tuple[Any, tuple[int, ...]]:
        """Learn the labels of a batch in the order in which they occur; y holds places in `labels`, or NaN.

        Returns the codes of `labels` (NaN where one has not occurred), and the rows in which one occurs first.

        >>> Coder().meet(np.array([2.0, 0.0, np.nan, 2.0]), ("a", "b", "c"))
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


def reserved(t: Any) -> Any:
    """The probability that is kept in round t = 0, 1, … for a class that has not occurred: 1/(t + 1)^2.

    Known classes share the rest. To keep it costs -ln(1 - 1/(t + 1)^2) in each round of a known class, less than ln 2
    over all rounds, since prod_{t = 1}^{N} (1 - 1/(t + 1)^2) = (N + 2)/(2 N + 2). A class that occurs first in round t
    costs 2 ln(t + 1). Where no class is known the next one is new for certain, and costs nothing.

    >>> [reserved(t) for t in range(3)]
    [1.0, 0.25, 0.1111111111111111]
    """
    return 1.0 / (t + 1.0) ** 2


def first_places(y: Any, codes: Any) -> list[int]:
    """Where labels without a code occur first, in the order in which they do; y holds places in `codes`, or NaN."""
    there = np.flatnonzero(~np.isnan(y))
    strange = there[np.isnan(codes[y[there].astype(int)])]
    _, first = np.unique(y[strange], return_index=True)
    return sorted(strange[first].tolist())


def other(y: Any) -> Any:
    """Guess the label of the second of two classes from that of the first."""
    if isinstance(y, bool):
        return not y
    if isinstance(y, (int, float)) and y in (1, 0, -1):
        return -1 if y == 1 else 1
    return y


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


def coder(learner: AnyLearner, game: Game, labels: Any, declared: bool) -> Coder | None:
    """Make the coder of two classes, or of several; None where outcomes are numbers."""
    classes = game.traits().classes
    return None if classes == 0 else Coder(max(classes, 0), labels, learner.key, declared)


def refuse_labels(learner: AnyLearner, game: Game, labels: Any) -> None:
    if game.traits().classes == 2 and labels is not None and len(labels) > 2:
        some = ", ".join(repr(y) for y in labels[:5])
        raise BadInput(
            f"{learner.key} tells two classes apart; here are {len(labels)}: {some}"
            f"{', …' if len(labels) > 5 else ''}; "
            "for several classes: multiclass-perceptron, multiclass-passive-aggressive, softmax"
        )
