"""What decisions cost, and the decision of least expected cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import BadInput
from .label_text import as_text

POSITIVE = ("true", "yes", "y", "t", "1")  # words for the class that a threshold is about
FORM = 'costs must be a dict such as {("no", "yes"): 5}: what was decided, what was true, and what that costs'


@dataclass(frozen=True)
class Costs:
    """What it costs to decide for one class where another is true: 1 for a mistake that is not listed, else 0.

    With a threshold the class that it is about is decided for from that probability on. That is least expected cost
    where a false alarm costs 1 and a miss (1 - threshold)/threshold.

    >>> costs = costs_of({("no", "yes"): 5})
    >>> costs.matrix(["no", "yes"]).tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    >>> costs_of(None, 0.2).matrix([0, 1]).tolist()
    [[0.0, 4.0], [1.0, 0.0]]
    """

    listed: Mapping[tuple[str, str], float] = field(default_factory=dict)
    threshold: float | None = None
    positive: str | None = None  # the class of the threshold, where the user named it

    @property
    def names(self) -> set[str]:
        """The classes that the user named."""
        return {name for pair in self.listed for name in pair} | (
            set() if self.positive is None else {self.positive}
        )

    def __str__(self) -> str:
        """What the user said, in words.

        >>> str(costs_of({("no", "yes"): 5}))
        'to decide for no where yes is true costs 5, other mistakes 1'
        >>> str(costs_of(None, 0.2))
        'threshold 0.2: a false alarm costs 1, a miss 4'
        """
        if self.threshold is not None:
            miss = (1.0 - self.threshold) / self.threshold
            return f"threshold {self.threshold:g}: a false alarm costs 1, a miss {miss:.4g}"
        some = [
            f"to decide for {said} where {true} is true costs {cost:g}"
            for (said, true), cost in self.listed.items()
        ]
        more = len(some) - 3
        return ", ".join([*some[:3], *[f"{more} more"] * (more > 0), "other mistakes 1"])

    def refuse_unknown(self, labels: Iterable[object]) -> None:
        """Refuse a class that is not among these labels, which are all that there are."""
        known = {as_text(label): label for label in labels if label is not None}
        for name in sorted(self.names - set(known)):
            what = "costs" if self.threshold is None else "threshold"
            raise BadInput(
                f"{what}: no class is called {name!r}; there are {', '.join(map(repr, known))}"
            )

    def matrix(self, labels: Sequence[object]) -> Any:
        """The costs of deciding (rows) for one of these labels where one (columns) is true."""
        at: dict[str, list[int]] = {}
        for i, label in enumerate(labels):
            at.setdefault(as_text(label), []).append(i)
        same = np.empty(len(labels), np.int64)  # labels that are written alike are one class
        for number, places in enumerate(at.values()):
            same[places] = number
        M = (same[:, None] != same).astype(np.float64)
        listed = self.listed if self.threshold is None else self.of_threshold(labels)
        for (said, true), cost in listed.items():
            M[np.ix_(at.get(said, []), at.get(true, []))] = cost
        return M

    def of_threshold(self, labels: Sequence[object]) -> dict[tuple[str, str], float]:
        """The costs whose least expected one is decided by the threshold; none before two classes are known."""
        assert self.threshold is not None
        texts = list(dict.fromkeys(as_text(label) for label in labels if label is not None))
        if len(texts) > 2:
            raise BadInput(
                f"threshold: it is for two classes, and there are more ({', '.join(map(repr, texts[:4]))}): "
                "say what mistakes cost instead (costs=, or --cost DECIDED,TRUE=5)"
            )
        if len(texts) < 2:
            return {}
        yes = self.positive or positive_of(labels)
        no = next(text for text in texts if text != yes)
        return {(no, yes): (1.0 - self.threshold) / self.threshold, (yes, no): 1.0}

    def decide(self, p: Any, known: Any, said: Any, labels: Sequence[object]) -> Any:
        """The code of least expected cost in each row.

        p: the probability of each class; `known`: which classes were known in each row; `said`: the label that was
        predicted (NaN: none), which is decided for where nothing costs less.
        """
        M = self.matrix(labels)
        expected = np.zeros(p.shape)
        for k in range(
            p.shape[1]
        ):  # not one product: its last bits would depend on the rows beside
            expected += np.where(known[:, k], p[:, k], 0.0)[:, None] * M[:, k]
        expected[~known] = np.inf
        best = expected.argmin(axis=1)
        rows, none = np.arange(len(p)), np.isnan(said)
        own = np.where(none, 0, said).astype(np.int64)
        found = np.where(expected[rows, own] <= expected[rows, best], own, best)
        return np.where(none, np.nan, found)


def positive_of(labels: Sequence[object]) -> str:
    """Which of two classes a threshold is about, where the user did not say: 1, True, "yes", the larger number."""
    texts = [as_text(label) for label in labels if label is not None]
    found = [text for text in dict.fromkeys(texts) if text.casefold() in POSITIVE]
    if len(found) == 1:
        return found[0]
    numbers = [label for label in labels if isinstance(label, (int, float, np.number))]
    if numbers and len(numbers) == len(texts):
        return as_text(max(numbers))
    a, b = dict.fromkeys(texts)
    raise BadInput(
        f"threshold: is it about {a!r} or {b!r}? Say which: threshold={{{b!r}: 0.2}}, or --threshold {b}=0.2"
    )


def second_of(labels: Sequence[object]) -> int:
    """Which of at most two classes, from 0, is shown where one is enough: 1, True, "yes", the larger number; the last.

    >>> second_of(["yes", "no"]), second_of([0, 1]), second_of(["a", "b"]), second_of(["a"])
    (0, 1, 1, 0)
    """
    try:
        return [as_text(label) for label in labels].index(positive_of(labels))
    except (BadInput, ValueError):
        return max(0, len(labels) - 1)


def costs_of(costs: Any = None, threshold: Any = None) -> Costs | None:
    """What `play(costs=…, threshold=…)` says; None where it says nothing."""
    if costs is not None and threshold is not None:
        raise BadInput("costs and threshold: a threshold stands for costs; leave one of them out")
    if threshold is not None:
        return of_threshold(threshold)
    if costs is None or isinstance(costs, Costs):
        return costs
    if not isinstance(costs, Mapping) or not costs:
        raise BadInput(f"{FORM}; not {costs!r:.80}")
    listed: dict[tuple[str, str], float] = {}
    for pair, value in costs.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise BadInput(f"{FORM}; not {pair!r:.80}")
        listed[as_text(pair[0]), as_text(pair[1])] = finite(value, f"costs: {pair!r:.80}")
    return Costs(listed)


def of_threshold(threshold: Any) -> Costs:
    """A threshold: a number, or a dict of the class that it is about to a number."""
    name = None
    if isinstance(threshold, Mapping):
        if len(threshold) != 1:
            raise BadInput(
                f"threshold: it is about one class, not {len(threshold)}: {{'yes': 0.2}}"
            )
        ((name, threshold),) = threshold.items()
    value = finite(threshold, "threshold")
    if not 0.0 < value < 1.0:
        raise BadInput(f"threshold must be a probability, above 0 and below 1, not {value:g}")
    return Costs(threshold=value, positive=None if name is None else as_text(name))


def finite(value: Any, what: str) -> float:
    if isinstance(value, (bool, str)):
        raise BadInput(f"{what}: it must be a number, not {value!r:.80}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput(f"{what}: it must be a number, not {value!r:.80}") from None
    if not math.isfinite(number):
        raise BadInput(f"{what}: it must be a finite number, not {number}")
    return number
