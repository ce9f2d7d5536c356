"""Adversaries of learners whose examples are places: the vertices of a graph, the points of a class of hypotheses.

For a labelling that is fixed beforehand they ask, again and again, a place of which the learner's answer is wrong
(ADV-MISPICK). For a class of hypotheses they walk down its mistake tree: they ask a point both of whose labels leave as
deep a tree as can be, and answer with the label that was not predicted. Littlestone (1988): no learner errs less.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from ...core.errors import LittlestoneError
from ...core.stream import Array
from ...experts.mistake_trees import MistakeTrees
from ..attack import Case, Volley, one
from ..hunt import Hunt
from ..material import setting
from ..opponent import Opponent
from ..worlds import labels

ORDERS = ("first", "last", "random", "middle")
FEW = 5  # with at most so many places every labelling is tried
SOME = 6  # with more places so many labellings are drawn
LONGEST = 60


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Draw a graph or a class, play its labellings in every order, and then draw another one."""
    target, rng = hunt.target, hunt.rng
    if target.places == 0:
        return
    kind, refused = target.kinds[0], 0
    while refused < 50:
        given = setting(target, rng, kind, 1, hunt.size(10)[0])
        refused += 1
        if given is None:
            continue
        learner = target.learner.replace(**given["parameters"])
        if learner.limits is None or len(learner.limits) != 1:
            return
        for x, y in play_places(hunt, learner, kind):
            refused = 0
            yield one(Case(y, x, **given))


def play_places(hunt: Hunt, learner: Any, kind: str) -> Iterator[tuple[Array, Array]]:
    try:
        if "hypotheses" in learner.parameters:
            yield rounds(*mistaken_walk(learner))
            return
        classes = 2 if kind == "two" else int(hunt.rng.choice([2, 2, 2, 3]))
        for u in labellings(hunt, learner, classes):
            for order in ORDERS:
                yield rounds(*mispicked(learner, u, classes, order, hunt.rng, kind))
            if hunt.rng.random() < 0.3:  # some labels are turned over, and places asked again
                yield rounds(*contradicted(learner, u, classes, hunt.rng, kind))
    except LittlestoneError:
        return


def rounds(places: list[int], y: list[float]) -> tuple[Array, Array]:
    return np.array(places, float)[:, None], np.array(y, float)


def labellings(hunt: Hunt, learner: Any, classes: int) -> Iterator[Any]:
    n = learner.limits[0]
    if classes == 2 and n <= FEW:
        for u in itertools.product((0.0, 1.0), repeat=n - 1):
            yield np.array((0.0, *u))
            yield np.array((1.0, *(1.0 - v for v in u)))
        return
    for _ in range(SOME):
        yield labels(learner, hunt.rng, classes)


def mispicked(
    learner: Any, u: Any, classes: int, order: str, rng: Any, kind: str
) -> tuple[list[int], list[float]]:
    """Places whose answer is wrong for the labelling u, one after the other, until there is none; at least one."""
    game, n = Opponent(learner, 1, classes), len(u)
    places: list[int] = []
    while len(places) < LONGEST:
        wrong = [v for v in range(n) if game.answer(np.array([float(v)])) != u[v]]
        if not wrong:
            break
        at = {"first": 0, "last": -1, "middle": len(wrong) // 2}.get(order)
        v = wrong[int(rng.integers(len(wrong))) if at is None else at]
        game.learn(np.array([float(v)]), float(u[v]))
        places.append(v)
    places = places or [0]
    return places, [coded(float(u[v]), kind) for v in places]


def contradicted(
    learner: Any, u: Any, classes: int, rng: Any, kind: str
) -> tuple[list[int], list[float]]:
    """Random places; now and then the label that was not predicted, whatever the labelling says."""
    game = Opponent(learner, 1, classes)
    places: list[int] = []
    y: list[float] = []
    for _ in range(int(rng.integers(2, 25))):
        v = int(rng.integers(len(u)))
        x = np.array([float(v)])
        label = float(u[v]) if rng.random() < 0.7 else float((game.answer(x) + 1) % classes)
        game.learn(x, label)
        places.append(v)
        y.append(coded(label, kind))
    return places, y


def coded(label: float, kind: str) -> float:
    """The label as cases hold it: -1 or +1 where there are two classes."""
    return 2.0 * label - 1.0 if kind == "two" else label


def mistaken_walk(learner: Any) -> tuple[list[int], list[float]]:
    """Walk down the mistake tree of a class: this makes as many mistakes as its dimension."""
    S = np.unique(learner.hypotheses.signs > 0.0, axis=0)
    trees, game = MistakeTrees(S, "falsify"), Opponent(learner)
    V = (1 << len(S)) - 1
    places: list[int] = []
    y: list[float] = []
    while trees.dimension(V) > 0:
        sides = [(V & ~c, V & c) for c in trees.columns]
        deep = [
            min(trees.dimension(a) if a else -1, trees.dimension(b) if b else -1) for a, b in sides
        ]
        j = int(np.argmax(deep))
        x = np.array([float(j)])
        label = 1.0 - float(game.answer(x))
        game.learn(x, label)
        V = sides[j][int(label)]
        places.append(j)
        y.append(2.0 * label - 1.0)
    if not places:  # there is one hypothesis only: play what it says
        label = float(S[0, 0])
        return [0], [2.0 * label - 1.0]
    return places, y
