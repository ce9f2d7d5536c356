"""How reliable the probabilities of a run are, and what decisions made by them cost, folded chunk by chunk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.calibration import BINS, Calibration
from ...core.costs import Costs
from ...core.label_text import as_text
from ...core.probabilities import sum_rows
from ...engine.compile import has_numba

MANY = 1 << 17  # rounds: so many are worth the import of compiled code
BLOCK = 1 << 13  # numbers that are looked at together: they stay in the cache


class Said(NamedTuple):
    """What was said in some rounds, all with an outcome; classes by their codes."""

    p: Any  # the probability of each class
    known: Any  # whether that class was known
    unseen: Any  # the probability that was kept for a class that has not occurred
    label: Any  # the label that was predicted; NaN: no class was known, and nothing was said
    truth: Any  # the class that came; -1: one that had not occurred
    weight: Any  # the importance


class Reliability:
    """Squared distances between probabilities and outcomes, and how often what was so probable came true.

        Brier score   the mean of 1/2 sum_k (p_k - [k is true])^2, over the classes k and the one that has not occurred;
                      of two classes that is (p - y)^2
        bins          for each class (one against the rest), and for the label that was predicted

    Rounds in which no class was known have no probabilities and are left out. Cost a round: O(k), of memory O(k).
    """

    def __init__(self, costs: Costs | None = None, rounds: int = 0) -> None:
        """`rounds`: about how many are going to be folded, where that is known."""
        self.compiled = rounds >= MANY and has_numba()
        self.total = self.squares = 0.0
        self.top: Any = np.zeros((3, BINS))
        self.each: Any = np.zeros((3, 0, BINS))
        self.outcomes: dict[Any, float] = {}  # the importance of each label, over all rounds
        self.costs = costs
        self.cost = self.cost_of_labels = 0.0  # of decisions, and of the labels that were predicted

    def add(self, said: Said) -> None:
        """Fold some rounds."""
        there = ~np.isnan(said.label)
        if not there.all():
            said = Said(*(v[there] for v in said))
        p, known, unseen, label, truth, h = said
        rows, k = p.shape
        came, all_rows = truth >= 0, np.arange(rows)
        hit = np.zeros(p.shape)
        hit[all_rows[came], truth[came]] = 1.0
        away = sum_rows((p - hit) ** 2) + (unseen - ~came) ** 2
        self.total += float(h.sum())
        self.squares += float(0.5 * (h @ away))
        own = label.astype(np.int64)
        self.top += sums(p[all_rows, own], h, (own == truth).astype(np.float64))
        if k > self.each.shape[1]:
            self.each = np.pad(self.each, ((0, 0), (0, k - self.each.shape[1]), (0, 0)))
        for j in range(k):
            self.each[:, j] += sums(p[:, j], np.where(known[:, j], h, 0.0), hit[:, j])

    def add_two(self, p: Any, truth: Any, h: Any, names: Any) -> None:
        """Fold rounds of two classes, all with an outcome; p is the probability of the second, `names` the labels.

        Rounds are counted by bin and outcome at once: every run with probabilities pays for this, some 8 ns a round,
        and 4 where it is compiled, which gives the same bits.
        """
        if not self.each.shape[1]:
            self.each = np.zeros((3, 2, BINS))
        away = p - truth
        self.squares += float(h @ (away * away))
        self.total += float(h.sum())
        counts, said = counts_of_two(p, truth, h, self.compiled)
        n, came = counts.sum(axis=0), counts[1]
        self.each[:, 1] += n, said, came
        n, said, came = n[::-1], said[::-1], came[::-1]  # of the other class
        self.each[:, 0] += n, n - said, n - came
        self.count_outcomes(counts.sum(axis=1), names)

    def add_costs(self, said: Said, places: Any, labels: Any, names: Any) -> None:
        """Add what the decisions of least expected cost cost, and what the labels that were predicted would have.

        `labels`: those of the codes; `places`: the labels that came, as places in `names`.
        """
        assert self.costs is not None
        every = list(dict.fromkeys([*labels, *names]))
        at = {label: i for i, label in enumerate(every)}
        M, k = self.costs.matrix(every), said.p.shape[1]
        true = np.array([at[name] for name in names], np.int64)[places]
        own = np.array([at[label] for label in labels] or [0])
        mine = [*labels[:k], *[None] * (k - len(labels))]  # before the first label came
        decided = self.costs.decide(said.p, said.known, said.label, mine)
        self.cost += cost_of(M, decided, own, true, said.weight)
        self.cost_of_labels += cost_of(M, said.label, own, true, said.weight)

    def add_outcomes(self, places: Any, h: Any, names: Any) -> None:
        """Count the labels that came: places in `names`."""
        self.count_outcomes(np.bincount(places, h, minlength=1), names)

    def count_outcomes(self, found: Any, names: Any) -> None:
        """Add the importance of each label that came, in the order of `names`."""
        for place in np.flatnonzero(found).tolist():
            label = names[place]
            self.outcomes[label] = self.outcomes.get(label, 0.0) + float(found[place])

    @property
    def brier(self) -> float:
        return self.squares / self.total if self.total else float("nan")

    @property
    def brier_of_shares(self) -> float:
        """The Brier score of one who always says the shares that the classes had in the end."""
        total = sum(self.outcomes.values())
        if not total:
            return float("nan")
        return 0.5 * (1.0 - sum((n / total) ** 2 for n in self.outcomes.values()))

    def calibration(self, code: int | None, name: str) -> Calibration:
        """The bins of one class against the rest; of the label that was predicted where no class is named."""
        none = np.zeros((3, BINS))
        if code is None:
            return Calibration(name, self.top.copy())
        return Calibration(name, self.each[:, code].copy() if code < self.each.shape[1] else none)

    def strangers(self) -> list[str]:
        """A note about classes that the costs name and that never came."""
        if self.costs is None or not self.outcomes:
            return []
        came = {as_text(label) for label in self.outcomes}
        missing = sorted(self.costs.names - came)
        some = ", ".join(map(repr, missing))
        return [f"costs name classes that never came: {some}"] if missing else []

    def cost_of_always(self, label: Any) -> float:
        """What it would have cost to decide always for this label."""
        assert self.costs is not None
        labels = list(dict.fromkeys([label, *self.outcomes]))
        weights = np.array([self.outcomes.get(one, 0.0) for one in labels])
        return float(self.costs.matrix(labels)[0] @ weights)


def sums(p: Any, h: Any, came: Any) -> Any:
    """Of each bin: rounds, the sum of the probabilities, those that came true; all with their importance."""
    bins = bins_of(p)
    return np.stack([np.bincount(bins, w, minlength=BINS) for w in (h, h * p, h * came)])


def counts_of_two(p: Any, truth: Any, h: Any, fast: bool) -> tuple[Any, Any]:
    """By outcome and bin the importance of rounds, and by bin that of their probabilities; `fast`: compiled."""
    if fast:
        from .compiled_folds import count_two

        counts, said = np.zeros((2, BINS)), np.zeros(BINS)
        count_two(p, truth, h, counts, said)
        return counts, said
    bins = bins_of(p)
    counted = np.bincount(bins + BINS * truth, h, minlength=2 * BINS).reshape(2, BINS)
    return counted, np.bincount(bins, h * p, minlength=BINS)


def bins_of(p: Any) -> Any:
    """The bin of each probability."""
    return np.minimum((p * BINS).astype(np.int64), BINS - 1)


def cost_of(M: Any, decided: Any, own: Any, true: Any, h: Any) -> float:
    """What decisions cost; where none was made, as no class was known, as much as a mistake that is not listed."""
    none = np.isnan(decided)
    row = own[np.where(none, 0, decided).astype(np.int64)]
    return float(h @ np.where(none, 1.0, M[row, true]))
