"""How rounds are played that a learner is given as losses, advice, examples or arms.

The checks are the same for every learner; what differs is how a round is predicted and learned, and what a run calls
its decisions. Each kind says that in one class, with nothing but the public methods of learners and runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls

from ..core.game import SEVERAL
from ..core.guarantee import PERFECT
from ..core.losses import LogLoss
from ..core.vectors import Rows

Rounds = tuple[Any, Any]  # x and y, as in Row


class Kind:
    """The rounds of one kind of game."""

    width = 5  # experts, features or arms of rounds that are drawn at random
    recorded: tuple[str, ...] = ()  # what a run records of each round
    decisions = "weights"  # what a run calls its decisions
    field = "expert"  # what messages call a column

    def __init__(self, learner: Any, x: Any = None) -> None:
        self.learner = learner
        self.traits = learner.game(x is None).traits()

    # Rounds.

    def drawn(self, rng: Any, T: int, n: int) -> Rounds:
        """T rounds at random."""
        raise NotImplementedError

    def late(self, x: Any, y: Any) -> Rounds:
        """The same rounds, as late feedback can have them."""
        return x, y

    @property
    def needs_truth(self) -> bool:
        """Do its theorems assume that an expert is always right?"""
        return any(PERFECT in g.assumptions or g.against == "none" for g in self.learner.guarantees)

    # Runs.

    def play(self, learner: Any, x: Any, y: Any, **options: Any) -> Any:
        """The run of a learner over whole arrays."""
        raise NotImplementedError

    def play_in(self, sizes: tuple[int, ...], learner: Any, x: Any, y: Any, **options: Any) -> Any:
        """The run over the same rounds, in batches of these sizes."""
        return ls.play(learner, pieces(x, y, sizes), losses=x is None, **options)

    def seed_of_copy(self, seed: int, j: int) -> int:
        """The seed of the j-th of several interleaved copies."""
        return seed

    # One round at a time.

    def begun(self, learner: Any, x: Any, y: Any, rounds: int) -> Any:
        """The learner, started with what `play` would know of these rounds before the first."""
        raise NotImplementedError

    def ask(self, learner: Any, x: Any, t: int) -> Any:
        """A ticket for round t."""
        return learner.ask(x[t])

    def tell(self, learner: Any, ticket: Any, y: Any, t: int) -> None:
        """What became of round t."""
        learner.tell(ticket, y[t])

    def predict(self, learner: Any, x: Any, t: int) -> Any:
        return learner.predict(x[t])

    def learn(self, learner: Any, x: Any, y: Any, t: int, run: Any = None) -> None:
        """Let a learner learn from round t; `run` is what `play` made of the same rounds, where that is known."""
        learner.update(x[t], y[t])

    def predicted(self, run: Any, t: int) -> Any:
        """What `predict` must have returned in round t."""
        return run.predictions[t]

    # What is refused: what is wrong, and words that the message must hold.

    def bad_streams(self, x: Any, y: Any) -> Iterator[tuple[Rounds, str]]:
        raise NotImplementedError

    def bad_rounds(self, x: Any, y: Any, t: int) -> Iterator[tuple[Any, ...]]:
        """Arguments that `update` must refuse."""
        raise NotImplementedError

    def bad_later(self, x: Any, y: Any) -> Rounds:
        """Rounds of which the one before the last holds a number that has no meaning."""
        raise NotImplementedError


class Losses(Kind):
    """Losses alone: the decision is a distribution over experts, which pays its mean loss."""

    recorded = ("predictions", "actions", "losses", "realised", "weights")

    def drawn(self, rng: Any, T: int, n: int) -> Rounds:
        return None, rng.random((T, n))

    def play(self, learner: Any, x: Any, y: Any, **options: Any) -> Any:
        return ls.play(learner, y, **(interval_for(learner) | options))

    def play_in(self, sizes: tuple[int, ...], learner: Any, x: Any, y: Any, **options: Any) -> Any:
        return super().play_in(sizes, learner, None, y, **(interval_for(learner) | options))

    def begun(self, learner: Any, x: Any, y: Any, rounds: int) -> Any:
        return learner.start(
            np.shape(y)[1], rounds=rounds, allocation=True, **interval_for(learner)
        )

    def ask(self, learner: Any, x: Any, t: int) -> Any:
        return learner.ask()

    def predict(self, learner: Any, x: Any, t: int) -> Any:
        return learner.predict()

    def learn(self, learner: Any, x: Any, y: Any, t: int, run: Any = None) -> None:
        learner.update(y[t])

    def predicted(self, run: Any, t: int) -> Any:
        return run.weights[t]

    def bad_streams(self, x: Any, y: Any) -> Iterator[tuple[Rounds, str]]:
        for value in (math.nan, math.inf, -math.inf):
            yield (None, spoiled(y, (5, 1), value)), rf"row 6, column 'expert 2'.*{value}"
        yield (None, y[0]), "two dimensions"
        yield (None, y[:0]), "no rows"
        yield (None, y[:, :0]), "no experts"
        yield (None, [[0.0, 1.0], [0.0]]), "row 2 has 1 value"
        if self.learner.bounded:
            yield (None, spoiled(y, (5, 1), 1.5)), r"row 6, column 'expert 2'.* 1.5, outside"

    def bad_rounds(self, x: Any, y: Any, t: int) -> Iterator[tuple[Any, ...]]:
        good = y[t]
        for bad in (
            spoiled(good, 1, math.nan),
            spoiled(good, 1, math.inf),
            good[:-1],
            [good],
            "abc",
        ):
            yield (bad,)
        if self.learner.bounded:
            yield (good * 3 + 1,)

    def bad_later(self, x: Any, y: Any) -> Rounds:
        return None, spoiled(y, (-2, 1), math.nan)


class Advice(Kind):
    """Advice of experts, and outcomes: the decision is a distribution over experts."""

    recorded = ("predictions", "actions", "losses", "realised", "weights")

    def drawn(self, rng: Any, T: int, n: int) -> Rounds:
        if self.learner.labels:
            x = rng.integers(0, 2, (T, n)).astype(float)
            return x, x[:, -1].copy() if self.needs_truth else rng.integers(0, 2, T).astype(float)
        y = rng.random(T)
        if isinstance(self.traits.loss, LogLoss):
            y = np.round(y)
        return rng.uniform(0.05, 0.95, (T, n)), y

    def late(self, x: Any, y: Any) -> Rounds:
        """Late news can use up a version space, unless the right expert and all outcomes are constant."""
        if not self.needs_truth:
            return x, y
        x = x.copy()
        x[:, -1] = 0.0
        return x, np.zeros(len(y))

    def play(self, learner: Any, x: Any, y: Any, **options: Any) -> Any:
        return ls.play(learner, x, y, **(interval_for(learner) | options))

    def play_in(self, sizes: tuple[int, ...], learner: Any, x: Any, y: Any, **options: Any) -> Any:
        return super().play_in(sizes, learner, x, y, **(interval_for(learner) | options))

    def begun(self, learner: Any, x: Any, y: Any, rounds: int) -> Any:
        known = {"labels": (0, 1)} if learner.labels else {}
        options = interval_for(learner) | known
        return learner.start(np.shape(x)[1], rounds=rounds, allocation=False, **options)

    def bad_streams(self, x: Any, y: Any) -> Iterator[tuple[Rounds, str]]:
        for value in (math.inf, -math.inf):
            yield (spoiled(x, (5, 1), value), y), rf"row 6, column 'expert 2'.*{value}"
        yield (x, spoiled(y, 5, math.inf)), r"row 6\b.*inf"
        yield (x, y[:-1]), f"{len(y) - 1} for {len(y)} rows"
        yield (x[0], y), "two dimensions"
        yield (x[:0], y[:0]), "no rows"
        yield ([*x.tolist()[:-1], [0.0]], y), f"row {len(y)} has 1 value"
        if not self.learner.labels:  # for those any text may be a label
            text = [
                ["?" if (t, i) == (5, 1) else 0.5 for i in range(x.shape[1])] for t in range(len(y))
            ]
            yield (text, y), r"row 6, column 'expert 2': '\?' is not a number"
            if self.learner.bounded:
                yield (spoiled(x, (5, 1), 1.5), y), r"row 6, column 'expert 2'.* 1.5, outside"
                yield (x, spoiled(y, 5, -0.5)), r"row 6\b.* -0.5, outside"

    def bad_rounds(self, x: Any, y: Any, t: int) -> Iterator[tuple[Any, ...]]:
        good, outcome = x[t], y[t]
        for bad in (spoiled(good, 1, math.inf), good[:-1], [good], good[0], "abc"):
            yield bad, outcome
        for bad in (math.inf, "abc", [0.0, 1.0]):
            yield good, bad
        if self.learner.labels:
            yield spoiled(good, 1, 0.5), outcome
            yield good, 7
        elif self.learner.bounded:
            yield spoiled(good, 1, 1.5), outcome
            yield good, -0.5

    def bad_later(self, x: Any, y: Any) -> Rounds:
        return spoiled(x, (-2, 1), math.inf), y


class Examples(Kind):
    """Examples and outcomes: the decision is a score, one for each class, or a point."""

    width = 4
    recorded = ("predictions", "scores", "losses")
    decisions = "scores"
    field = "feature"

    def __init__(self, learner: Any, x: Any = None) -> None:
        self.learner = learner
        self.traits = learner.game(False).traits()

    def drawn(self, rng: Any, T: int, n: int) -> Rounds:
        if self.learner.boolean:
            x = rng.integers(0, 2, (T, n)).astype(float)
            both = "conjunction" in self.learner.key
            right = x[:, 0] * x[:, 1] > 0 if both else x[:, 0] + x[:, 1] > 0
            return x, np.where(right, 1, -1)
        x = rng.normal(size=(T, n))  # not rounded: a score of 0 in one engine is 1e-17 in another
        score = x @ np.arange(1.0, n + 1) + 0.3 * rng.normal(size=T)
        if self.traits.classes == SEVERAL:
            return x, np.argmax(x[:, :3] + 0.3 * rng.normal(size=(T, 3)), axis=1)
        return x, np.where(score > 0, 1, -1) if self.traits.classes else score

    def labels(self, y: Any) -> tuple[Any, ...] | None:
        """The classes, in the order of their codes."""
        return tuple(sorted(set(np.asarray(y).tolist()))) if self.learner.labels else None

    def stream(
        self,
        x: Any,
        y: Any,
        *,
        labels: Any = None,
        sizes: tuple[int, ...] = (),
        importance: Any = None,
        width: int = 0,
    ) -> Any:
        """Rounds as `play` reads them, whole or in batches of these sizes."""
        labels = self.labels(y) if labels is None else labels
        codes = np.asarray(y, float)
        if labels is not None:
            codes = np.array([labels.index(v) for v in np.asarray(y).tolist()], float)
        dense = isinstance(x, np.ndarray)
        batches, at = [], 0
        for size in sizes or (len(codes),):
            part = slice(at, at + size)
            h = None if importance is None else importance[part]
            batches.append(ls.Batch(x[part] if dense else x, codes[part], at, h=h, width=width))
            at += size
        names = tuple(f"f{i}" for i in range(x.shape[1])) if dense else ()
        return ls.Stream(
            batches, names, rounds=len(codes), whole=not sizes, labels=labels, features=True
        )

    def play(self, learner: Any, x: Any, y: Any, **options: Any) -> Any:
        given = {k: options.pop(k) for k in STREAM if k in options}
        x = x if isinstance(x, Rows) else np.asarray(x, float)
        return ls.play(learner, self.stream(x, y, **given), losses=False, **options)

    def play_in(self, sizes: tuple[int, ...], learner: Any, x: Any, y: Any, **options: Any) -> Any:
        return self.play(learner, x, y, sizes=sizes, **options)

    def begun(self, learner: Any, x: Any, y: Any, rounds: int) -> Any:
        return learner.start(np.shape(x)[1], rounds=rounds, labels=self.labels(y))

    def bad_streams(self, x: Any, y: Any) -> Iterator[tuple[Rounds, str]]:
        for value in (math.nan, math.inf, -math.inf, 1e200):
            words = rf"row 6\b.*{'nan' if value != value else str(value).replace('+', '.')}"
            yield (spoiled(x, (5, -1), value), y), "row 6" if self.learner.boolean else words
        if not self.learner.boolean:
            yield (spoiled(x, (5, -1), math.nan), y), r"row 6, column 'f\d+': feature is nan"
        if self.learner.labels and self.traits.classes == 2:
            yield (x, np.arange(len(y)) % 3), "two classes"
        if not self.learner.labels and self.traits.needs_outcome:
            for value in (math.inf, 1e200):
                yield (x, spoiled(np.asarray(y, float), 3, value)), "row 4"

    def bad_rounds(self, x: Any, y: Any, t: int) -> Iterator[tuple[Any, ...]]:
        good, outcome = x[t], y[t]
        words = ["a"] * len(good)
        for bad in (good[:-1], np.full(len(good), np.nan), [words], words, {"a": 1}):
            yield bad, outcome
        for bad in ([1, 2], math.inf):
            yield good, bad
        if self.traits.needs_outcome:
            yield good, None
        if self.traits.classes == 2:
            yield good, "a third label"
        if not self.learner.labels:
            yield good, "a word"

    def bad_later(self, x: Any, y: Any) -> Rounds:
        return spoiled(x, (-2, -1), math.nan), y


class Arms(Kind):
    """A bandit: the decision is a probability for each arm, and one loss is seen."""

    width = 4
    recorded = ("arms", "propensities", "losses", "realised")
    decisions = "propensities"
    field = "arm"

    def __init__(self, learner: Any, x: Any = None) -> None:
        self.learner = learner
        self.traits = learner.game(True).traits()

    def drawn(self, rng: Any, T: int, n: int) -> Rounds:
        """Losses, and two features for the learners that look at them."""
        y = self.losses(rng, T, n)
        return rng.uniform(-0.5, 0.5, (T, 2)) if self.learner.contexts else None, y

    @staticmethod
    def losses(rng: Any, T: int, n: int) -> Any:
        """Losses in eighths, T x n: the best arm changes in the middle."""
        means = np.linspace(0.2, 0.8, n)
        means = np.where(np.arange(T)[:, None] < T // 2, means, means[::-1])
        return np.floor(np.clip(means + rng.uniform(-0.3, 0.3, (T, n)), 0, 1) * 8) / 8

    def play(self, learner: Any, x: Any, y: Any, **options: Any) -> Any:
        return ls.play(learner, y, features=x, **({"interval": (0, 1)} | options))

    def play_in(self, sizes: tuple[int, ...], learner: Any, x: Any, y: Any, **options: Any) -> Any:
        options = {"interval": (0, 1), "features": x} | options
        return ls.play(learner, pieces(None, y, sizes), **options)

    def seed_of_copy(self, seed: int, j: int) -> int:
        return seed + 0x9E3779B1 * j

    def begun(self, learner: Any, x: Any, y: Any, rounds: int) -> Any:
        features = 0 if x is None else int(np.size(x[0]))
        return learner.start(np.shape(y)[1], rounds=rounds, features=features, interval=(0, 1))

    def context(self, x: Any, t: int) -> Any:
        return None if x is None else x[t]

    def ask(self, learner: Any, x: Any, t: int) -> Any:
        return learner.ask(self.context(x, t))

    def tell(self, learner: Any, ticket: Any, y: Any, t: int) -> None:
        learner.tell(ticket, y[t][ticket.prediction])

    def predict(self, learner: Any, x: Any, t: int) -> Any:
        return learner.predict(self.context(x, t))

    def learn(self, learner: Any, x: Any, y: Any, t: int, run: Any = None) -> None:
        arm = self.predict(learner, x, t) if run is None else int(run.arms[t])
        learner.update(self.context(x, t), arm, y[t][arm])

    def predicted(self, run: Any, t: int) -> Any:
        return run.arms[t]

    def bad_streams(self, x: Any, y: Any) -> Iterator[tuple[Rounds, str]]:
        for value in (math.nan, math.inf, 7.0):
            yield (x, spoiled(y, (5, 2), value)), rf"row 6.*arm 2.*{value:g}"
        yield (None if x is None else x[:0], y[:0]), "no rows"
        if x is None:
            yield (np.zeros((len(y), 2)), y), "looks at no features"
        else:
            yield (None, y), "needs features"
            yield (x[:-1], y), "rows; there are"
            yield (spoiled(x, (3, ..., 0), math.nan), y), "features"

    def bad_rounds(self, x: Any, y: Any, t: int) -> Iterator[tuple[Any, ...]]:
        good, n = self.context(x, t), len(y[t])
        for arm in (n, -1, 0.5, None, "first"):
            yield good, arm, 0.5
        for loss in (1.5, -0.1, math.nan, math.inf, "much", [0.5, 0.5], None):
            yield good, 0, loss
        yield [1.0] * 3, 0, 0.5
        yield [[math.nan] * n] * 3, 0, 0.5

    def bad_later(self, x: Any, y: Any) -> Rounds:
        return x, spoiled(y, (-2, 1), math.nan)


STREAM = ("labels", "sizes", "importance", "width")  # options that belong to the rounds


def kind_of(learner: Any, x: Any) -> Kind:
    """How the rounds of a learner are played; `x` is None where it plays over losses alone."""
    if learner.bandit:
        return Arms(learner)
    if learner.examples:
        return Examples(learner)
    return Losses(learner) if x is None else Advice(learner, x)


def interval_for(learner: Any) -> dict[str, Any]:
    """The interval, for those that need one: rounds that are drawn at random lie in [0, 1]."""
    return {"interval": (0.0, 1.0)} if learner.bounded else {}


def pieces(x: Any, y: Any, sizes: tuple[int, ...]) -> Iterator[Any]:
    """The same rounds as an iterator of batches."""
    at = 0
    for size in sizes:
        part = slice(at, at + size)
        yield y[part] if x is None else (x[part], y[part])
        at += size


def spoiled(v: Any, spot: Any, value: Any) -> Any:
    """A copy with one entry changed."""
    v = np.array(v, float)
    v[spot] = value
    return v
