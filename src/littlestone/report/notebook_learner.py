"""A learner as a notebook shows it: its parameters, the rounds so far, names, and the largest weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import LittlestoneError
from ..core.learner import Learner
from .explain_example import named_weights
from .page import in_words

AnyLearner = Learner[Any, Any, Any, Any]
LONG = 60  # characters of a parameter, such as a matrix
NAMES = 6  # so many names are listed
GIVEN = {"advice": "experts", "losses": "experts", "arms": "arms", "examples": "features"}
Table = tuple[list[str], list[list[str]]]


def describe_learner(learner: AnyLearner) -> list[str]:
    """Sentences: the learner with its parameters, and what it has seen."""
    live = learner.live
    used = learner if live is None else live.learner  # rates that were left unset are filled in
    given = [f"{name} = {shortened(v)}" for name, v in used.parameters.items() if v is not None]
    unset = [name for name, v in used.parameters.items() if v is None]
    first = f"{learner.key}: {', '.join(given) or 'no parameters to set'}"
    if unset:
        first += f"; not set: {', '.join(unset)}"
    if live is None:
        return [first, "it has not seen a round yet"]
    seen = f"{live.t:,} {'round' if live.t == 1 else 'rounds'} so far"
    names = known_names(live)
    if names:
        seen += f"; {len(names):,} {GIVEN[live.traits.kind.name]}: {list_names(names)}"
    if live.traits.classes and live.labels:
        seen += f"; classes: {list_names([str(label) for label in live.labels])}"
    return [first, seen]


def largest_weights(learner: AnyLearner, most: int) -> tuple[Table | None, str]:
    """The largest weights by name, with several classes a column each; and what else there is to say of them."""
    live = learner.live
    if live is None or learner.contexts:  # what a bandit does depends on the features of the round
        return None, ""
    try:
        heads, rows = weights_by_name(learner, live)
    except LittlestoneError as problem:
        return None, str(problem).removeprefix("named_weights: ")
    rows.sort(key=lambda row: -max(abs(w) for w in row[1]))
    shown = [[name, *map(in_words, each)] for name, each in rows[:most]]
    more = f"and {len(rows) - most:,} more" if len(rows) > most else ""
    return (([*heads], shown) if shown else None), more


def weights_by_name(
    learner: AnyLearner, live: Any
) -> tuple[list[str], list[tuple[str, list[float]]]]:
    """The heads of a table, and the weights of each name."""
    what = GIVEN[live.traits.kind.name].removesuffix("s")
    if live.traits.kind.has_examples and not live.decides_alone:
        found = named_weights(learner)
        if found and all(isinstance(each, dict) for each in found.values()):
            classes = list(found.values())
            rows = [(name, [each[name] for each in classes]) for name in classes[0]]
            return [what, *(f"weight for {label}" for label in found)], rows
        return [what, "weight"], [(str(name), [float(w)]) for name, w in found.items()]
    W = np.atleast_1d(learner.weights)
    if W.ndim > 1:
        return [what, "weight"], []
    names = known_names(live)
    if len(names) != len(W):
        names = [f"{what} {i + 1}" for i in range(len(W))]
    return [what, "weight"], [(name, [float(w)]) for name, w in zip(names, W, strict=True)]


def known_names(live: Any) -> list[str]:
    """The names of experts, arms or features, as far as the learner knows them."""
    if live.traits.kind.has_examples and live.sparse:
        return [str(name) for name in live.setting.features]
    return [str(name) for name in live.names or ()]


def list_names(names: list[str]) -> str:
    """
    >>> list_names(["a", "b"]), list_names([*"abcdefgh"])
    ('a, b', 'a, b, c, d, e, f, …')
    """
    return ", ".join([*names[:NAMES], *(["…"] if len(names) > NAMES else [])])


def shortened(value: Any) -> str:
    """
    >>> shortened("x"), len(shortened(list(range(100))))
    ('x', 60)
    """
    text = " ".join((value if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"
