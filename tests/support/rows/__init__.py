"""One worked row a learner: what goes in, what must come out, to be checked by hand (`littlestone.testing.Row`)."""

from __future__ import annotations

from typing import Any

from littlestone.core.registry import learners
from littlestone.testing import Row

from . import (
    bandits,
    conformal,
    convex,
    experts,
    graphs,
    kernels,
    linear,
    matrices,
    mixtures,
    refitted,
    trees,
)

FAMILIES = (
    experts,
    linear,
    kernels,
    convex,
    matrices,
    graphs,
    conformal,
    bandits,
    trees,
    refitted,
    mixtures,
)
ROWS = [row for family in FAMILIES for row in family.ROWS]

OURS = {k: cls for k, cls in learners().items() if cls.__module__.startswith("littlestone.")}
ALL = list(OURS)
ROOM = {key: cls.__module__.split(".")[1] for key, cls in OURS.items()}  # experts, linear, …
EXPERT_KEYS = [key for key in ALL if ROOM[key] in ("experts", "memory")]
BANDIT_KEYS = [key for key in ALL if OURS[key].bandit]
EXAMPLE_KEYS = [key for key in ALL if key not in EXPERT_KEYS + BANDIT_KEYS]


def row(key: str) -> Row:
    """The worked row of a learner; one that has none is not finished."""
    found = [r for r in ROWS if r.key == key]
    assert found, (
        f"{key} has no row: work one by hand and add it to tests/support/rows/{ROOM[key]}.py"
    )
    return found[0]


def made(key: str) -> Any:
    """The learner of the row, not begun."""
    return OURS[key](**row(key).parameters)
