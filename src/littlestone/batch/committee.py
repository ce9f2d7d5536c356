"""Many hypotheses as one predictor: their mean vector where that predicts the same, else all of them together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.game import ONE
from ..core.named_tuples import field_or_none
from ..core.stream import Array
from ..core.vectors import dot, row
from ..engine.memory import copy
from ..live.live import Live
from .replay import Replay

KEPT = 2000  # at most so many hypotheses are kept where their average is not one hypothesis
ROOM = 1 << 28  # they take at most so many bytes


class Committee:
    """Hypotheses with weights, which predict together."""

    def __init__(self, replay: Replay, live: Live, members: list[tuple[Any, float]]) -> None:
        self.replay, self.live, self.members = replay, live, members
        self.total = sum(c for _, c in members)

    def many(self, X: Any) -> tuple[Any, Any]:
        """Mean scores, and the actions of the game; or shares of votes, and the labels with the most votes."""
        replay, live = self.replay, self.live
        if len(self.members) == 1 and not replay.traits.draws:
            live.state = self.members[0][0]
            return replay.many(live, X)
        sums: Any = 0.0
        votes = replay.counts_mistakes
        for state, c in self.members:
            live.state = state
            decisions, actions = replay.many(live, X)
            sums = sums + c * (self.votes(decisions, actions) if votes else decisions)
        means = sums / self.total
        if votes:
            return means, means.argmax(axis=1).astype(np.float64)
        if not replay.examples:
            return means, means
        acts = [replay.game.act(None, d, None, 0.5, None) for d in means]
        return means, np.array(acts, dtype=np.float64)

    def votes(self, decisions: Any, actions: Array) -> Array:
        """A vote for each label; split by its probabilities where the label is drawn.

        So the share of a wrong label is the mean probability of a mistake, and it wins only where that is 1/2 or more.
        """
        shares = np.zeros((len(actions), max(2, self.live.shape.classes)))
        if self.replay.traits.draws:
            shares[:, 1] = np.clip(0.5 * (1.0 + decisions), 0.0, 1.0)
            shares[:, 0] = 1.0 - shares[:, 1]
        else:
            shares[np.arange(len(actions)), actions.astype(int)] = 1.0
        return shares


def linear_so_far(live: Live) -> bool:
    """May the hypothesis be a vector w, with the score <w, x>, and is the loss a function of the score?"""
    w, traits = field_or_none(live.state, "w"), live.game.traits()
    scores = traits.decision == ONE and traits.loss is not None
    return scores and isinstance(w, np.ndarray) and w.shape == (live.shape.n,)


def mean_weights(replay: Replay, live: Live) -> Array | None:
    """The mean of w before each round; None where scores turn out not to be <w, x>."""
    total, every = np.zeros(live.shape.n), max(1, replay.T // 100)
    for t, _ in replay.walk(live):
        if t % every == 0:
            x = with_one(live, row(replay.x, t))
            score, dots = float(live.params.decide(copy(live.state), x)), dot(live.state.w, x)
            if abs(score - dots) > 1e-9 * (1.0 + abs(score)):
                return None
        total += live.state.w
    return total / replay.T


def with_one(live: Live, x: Any) -> Any:
    """An example with the constant 1 in front, where the learner has an intercept."""
    if not live.intercept:
        return x
    if isinstance(x, np.ndarray):
        return np.concatenate(([1.0], x))
    return type(x)(np.append(0, x.index + 1), np.append(1.0, x.value))


def gather(replay: Replay, seed: int) -> tuple[list[tuple[Any, float]], bool]:
    """The hypotheses, each with its number of rounds; those of a random sample of rounds if there are too many."""
    live = replay.fresh()
    size = sum(v.nbytes for v in leaves(live.state) if isinstance(v, np.ndarray))
    most = max(1, min(KEPT, ROOM // max(1, size)))
    chosen = np.random.default_rng(seed).permutation(replay.T)[:most]
    members: list[tuple[Any, float]] = []
    sampled: dict[int, Any] = {}
    rounds_chosen = set(chosen.tolist())
    for t, _ in replay.walk(live):
        same = bool(members) and equal(members[-1][0], live.state)
        if len(members) <= most:  # all of them, as long as there is room
            if same:
                members[-1] = members[-1][0], members[-1][1] + 1.0
            else:
                members.append((copy(live.state), 1.0))
        if t in rounds_chosen:
            sampled[t] = members[-1][0] if equal(members[-1][0], live.state) else copy(live.state)
    if len(members) <= most:
        return members, True
    return [(state, 1.0) for state in sampled.values()], False


def equal(a: Any, b: Any) -> bool:
    """Are two states the same, number by number?"""
    return all(
        np.array_equal(v, w, equal_nan=True) for v, w in zip(leaves(a), leaves(b), strict=True)
    )


def leaves(state: Any) -> list[Any]:
    if isinstance(state, tuple):
        return [v for part in state for v in leaves(part)]
    return [state]
