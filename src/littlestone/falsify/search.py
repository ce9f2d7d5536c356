"""The search: attackers take turns until a budget of seconds or runs is spent, and the closest run is kept.

A case beyond a bound is played again by the plain rules, shrunk, and checked in exact arithmetic, before the word
"broken" is used.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from .attack import Case, Volley
from .attackers import ATTACKERS
from .hunt import Attack, AttackerTally, Elite, Hunt, Progress
from .target import Target

# in a search whose budget is runs, a run of these attackers counts for so many runs of the others, after the first
# FIRST ones: finding it (in Python) takes so much longer than playing a run (by compiled code)
DEAR = {"tree": 300, "greedy": 100, "exhaustive": 100, "literature": 20, "sweep": 4}
FIRST = 24
LONG = 200  # a run of T rounds counts for T / LONG runs, and at least for one
REWARD = (
    0.5  # what an attacker has used up is multiplied by this when it comes closer than all before
)

Confirm = Callable[[Target, Case], bool]  # does the case break the bound, all rounding set aside?


def attackers(names: Iterable[str] | None = None) -> dict[str, Attack]:
    """All attackers, or those of these names; "named" is what "literature" was called up to 0.9."""
    if names is None:
        return dict(ATTACKERS)
    names = ["literature" if name == "named" else name for name in names]
    unknown = [name for name in names if name not in ATTACKERS]
    if unknown:
        raise BadInput(f"there is no attacker {unknown[0]!r}; there are {', '.join(ATTACKERS)}")
    return {name: ATTACKERS[name] for name in names}


def search(
    hunt: Hunt,
    using: dict[str, Attack] | None = None,
    progress: Progress | None = None,
    confirm: Confirm | None = None,
) -> Elite | None:
    """Let attackers take turns; returns the case that broke the bound, or None when the budget is spent.

    The next turn is that of the attacker that has used least: least time, or fewest runs where the budget is runs, so
    that a search by runs is the same again with the same seed. An attacker that comes closer than all before gets more
    turns.
    """
    using = attackers() if using is None else using
    turns: dict[str, Generator[Volley, Array, None]] = {n: a(hunt) for n, a in using.items()}
    answers: dict[str, Any] = dict.fromkeys(turns)
    for name in turns:
        hunt.tallies.setdefault(name, AttackerTally())
    had = dict.fromkeys(turns, 0.0)
    while turns and hunt.left > 0.0:
        name = min(turns, key=lambda n: had[n])
        began = time.perf_counter()
        try:
            volley = turns[name].send(answers[name])
        except StopIteration:
            del turns[name]
            continue
        waited = hunt.target.compiled.waited
        ratios = hunt.target.ratios(volley)
        answers[name] = ratios
        found = hunt.note(volley, ratios, name)
        compiling = hunt.target.compiled.waited - waited
        hunt.began += compiling  # this is done once, and is not charged to the attacker
        took = time.perf_counter() - began - compiling
        hunt.tallies[name].seconds += took
        dear = DEAR.get(name, 1) if hunt.played_together and hunt.tallies[name].runs > FIRST else 1
        had[name] += took if hunt.budget is None else count_volley(volley) * dear
        if found is not None:
            had[name] *= REWARD
        if hunt.budget is None:  # a search by runs must not depend on the machine
            hunt.adapt(took)
        if found is not None and found.ratio > 1.0 and broken(hunt, found, confirm):
            return found
        if progress is not None:
            progress(hunt)
    return None


def count_volley(volley: Volley) -> int:
    """How many runs a volley counts for, in a search whose budget is runs: long ones for more."""
    return len(volley) * max(1, int(np.shape(volley.y)[1]) // LONG)


def broken(hunt: Hunt, e: Elite, confirm: Confirm | None) -> bool:
    """Is a case beyond the bound, and not by rounding alone? One that is not counts as attaining the bound."""
    if hunt.target.trial(e.case).exceeds and (confirm is None or confirm(hunt.target, e.case)):
        return True
    hunt.forget(e)
    return False
