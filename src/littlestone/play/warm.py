"""Compile a learner before it is needed: a few rounds of each kind that it takes, whole and one at a time.

Compiled code does not depend on how many rounds, experts or features there are, so what is kept on disk here serves
every later run of the learner with default parameters.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..core import registry
from ..core.errors import BadInput, LittlestoneError
from ..core.losses import Pinball
from ..hindsight.folds.linear import Linear
from .play import play

# Numbers that suit every learner: features of 0 and 1 with a label that is the first of them, an expert that is right
X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
Y = X[:, 0].copy()
KEYS = ["a", "b", "a", "b", "a", "b"]
# What `run`, `compare`, `intervals` and `bandit` take where no learner is named, and the first ones of the tutorials.
USUAL = (
    "tracker", "hedge", "exponential-weights", "fixed-share", "ml-poly", "boa", "cover", "aci", "tsallis-inf",
    "perceptron", "logistic",
    "online-linear", "online-linear-regression", "online-kernel", "online-kernel-regression",
    "mixture", "mixture-regression",
)  # fmt: skip
DEFAULT = (
    "tracker"  # what combines forecasts where no learner is named: it is compiled in more ways
)
WIDTHS = (2, 1, 4)  # of features; learners of intervals take one forecast


def warm(key: str) -> list[str]:
    """Compile the learner with this key; what was played, in words.

    >>> import os
    >>> os.environ["LITTLESTONE_ENGINE"] = "plain"  # so that the example compiles nothing
    >>> warm("hedge")
    ['advice', 'losses', 'one round at a time']
    >>> del os.environ["LITTLESTONE_ENGINE"]
    """
    learner = make_learner(key)
    done: list[str] = []
    problem: LittlestoneError | None = None
    for what, call in ways(learner):
        try:
            call()
        except LittlestoneError as refusal:  # it takes no such rounds
            problem = refusal
        else:
            done += [what] if what not in done else []
    if not done:
        raise BadInput(f"{key} is left out: {problem}")
    return [*done, "one round at a time"]


def make_learner(key: str) -> Any:
    """The learner, with a small graph, a class of hypotheses or a second task where its rounds below need one."""
    learner = registry.learner(key)
    known = learner.parameters
    if known.get("graph", 0) is None:
        from ..graphs.algorithms.build import graph

        return learner.replace(graph=graph([(0, 1)]))
    if learner.examples and known.get("tasks") == 1:
        return learner.replace(tasks=2)
    if known.get("hypotheses", 0) is None:
        return learner.replace(hypotheses=[[0, 1], [1, 0], [0, 0]])
    return learner


def ways(learner: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """The kinds of rounds that a learner may take, each with a call that plays some of them."""
    if learner.bandit:
        yield "arms", lambda: arms(learner)
    elif learner.examples:
        for width in WIDTHS:
            yield "examples", partial(examples, learner, width)
        if learner.sparse:
            yield "sparse examples", lambda: sparse(learner)
    else:
        yield "advice", lambda: advice(learner)
        yield "losses", lambda: losses(learner)
        if learner.key == DEFAULT:
            yield "quantiles", lambda: quantiles(learner)
            yield "sleeping experts", lambda: sleeping(learner)


def certify_run(run: Any) -> Any:
    """The learner of a run whose certificate was made."""
    _ = run.certificate
    return run.learner


def in_every_way(learner: Any, data: Any, outcomes: Any, **more: Any) -> Any:
    """Play rounds with feedback at once, late and by key; the learner after the first of these.

    A learner that takes no late feedback, or no keys, is played without.
    """
    after = certify_run(play(learner, data, outcomes, **more))
    for options in ({"delay": 1}, {"by": KEYS}):
        with contextlib.suppress(LittlestoneError):
            play(learner, data, outcomes, **more, **options)
    return after


def one_at_a_time(learner: Any, x: Any, outcome: Any) -> None:
    """Play rounds one by one: what a learner says, what it learns at once, and what it learns from a ticket."""
    asked = () if x is None else (x,)
    for _ in range(2):
        learner.predict(*asked)
        learner.update(*(outcome,) if x is None else (x, outcome))
    with contextlib.suppress(LittlestoneError):
        first, second = learner.ask(*asked), learner.ask(*asked)
        learner.tell(second, outcome)
        learner.tell(first, outcome)


def advice(learner: Any) -> None:
    """Rounds with forecasts; and the best linear combination of them, which tables and pages compare a run with."""
    one_at_a_time(in_every_way(learner, X, Y), X[0], Y[0])
    Linear(2).add(np.vstack([X] * 50), np.tile(Y, 50))


def quantiles(learner: Any) -> None:
    """As `littlestone intervals` combines forecasts for its limits."""
    in_every_way(learner.replace(loss=Pinball(quantile=0.9)), X, Y)


def sleeping(learner: Any) -> None:
    advice = X.copy()
    advice[1, 0] = np.nan
    in_every_way(learner, advice, Y)


def losses(learner: Any) -> None:
    one_at_a_time(in_every_way(learner, X, None), None, X[0])


def examples(learner: Any, width: int) -> None:
    rows = np.hstack([X, X])[:, :width]
    one_at_a_time(in_every_way(learner, rows, Y), rows[0], Y[0])


def sparse(learner: Any) -> None:
    from scipy.sparse import csr_matrix

    one_at_a_time(in_every_way(learner, csr_matrix(X), Y), {"a": 1.0}, Y[1])


def arms(learner: Any) -> None:
    features = np.column_stack([Y, 1.0 - Y]) if learner.contexts else None
    learner = in_every_way(learner, X, None, features=features, interval=(0.0, 1.0))
    asked = () if features is None else (features[0],)
    for _ in range(2):
        learner.update(*(asked or (None,)), learner.predict(*asked), 0.5)
    with contextlib.suppress(LittlestoneError):
        first, second = learner.ask(*asked), learner.ask(*asked)
        learner.tell(second, 0.5)
        learner.tell(first, 0.5)
