"""The search: attackers take turns until a budget of seconds or runs is spent, and the closest run is kept.

What is found beyond a bound is played again by the plain rules, shrunk, and checked in exact arithmetic, before the
word "broken" is used. A search writes its state to a file where it is asked to, and goes on from there.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import BadFile, BadInput
from ..core.stream import Array
from .attack import Attack, Case, Trial, Volley
from .target import Target

KEPT = 12  # cases that are remembered, to begin again from
CELLS = 400_000  # numbers of a volley for the compiled loop: a twentieth of a second
TURN = 0.1  # seconds
FEW = 8  # runs of a volley where each is played by itself
PATIENT = 60.0  # seconds from which on it is worth compiling a learner for other losses
# what a run of theirs is worth of others' runs, where those are what is counted
DEAR = {"tree": 300, "greedy": 20, "exhaustive": 10}
REWARD = 0.5  # of what an attacker has had is forgotten when it comes closer than all before
VERSION = 1

Progress = Callable[["Hunt"], None]


@dataclass
class Elite:
    """A case that came close."""

    ratio: float
    case: Case
    attacker: str


@dataclass
class Tally:
    """What one attacker has done."""

    runs: int = 0
    ratio: float = 0.0
    seconds: float = 0.0


@dataclass
class Hunt:
    """A search under way: what attackers see of it, and what is left of it."""

    target: Target
    seed: int = 0
    seconds: float | None = None
    budget: int | None = None  # runs
    sizes: tuple[int, int] | None = None  # rounds and experts (or features), where they are fixed
    epoch: int = 0  # how often it was resumed
    runs: int = 0
    elite: list[Elite] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)
    alarms: list[Case] = field(default_factory=list)  # cases that rounding took beyond the bound
    spent: float = 0.0
    cells: int = CELLS  # numbers of a volley, as quick as this learner and this machine are
    began: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng([self.seed, self.epoch])

    # What attackers ask.

    @property
    def best(self) -> Elite | None:
        return self.elite[0] if self.elite else None

    @property
    def ratio(self) -> float:
        return self.elite[0].ratio if self.elite else 0.0

    @property
    def swift(self) -> bool:
        """Are volleys played by a compiled loop?"""
        from ..engine.compile import has_numba

        late = self.target.guarantee.delayed
        return not self.target.learner.examples and not late and has_numba()

    @property
    def patient(self) -> bool:
        return not self.swift or (self.seconds or 0.0) >= PATIENT

    def size(self, turn: int = 0) -> tuple[int, int]:
        """How many rounds, and experts or features, to try next: small ones first, and more often."""
        if self.sizes is not None:
            return self.sizes
        rng, top = self.rng, min(6 + turn, 60)
        T = int(rng.integers(1, top + 1))
        n = int(rng.choice([2, 2, 3, 3, 4, 5, 6, 8]))
        if self.target.learner.examples:
            n = int(rng.choice([1, 2, 2, 3, 4, 6]))
            if "cover" in self.target.key or hasattr(self.target.learner, "limits"):
                n = 2
        return T, n

    def many(self, T: int, n: int, kind: str = "", given: dict[str, Any] | None = None) -> int:
        """How many runs of that size and setting make a good volley."""
        if not self.swift or not self.target.swift.ready(
            kind or self.target.kinds[0], n, T, given or {}
        ):
            return FEW
        most = 8192 if self.budget is None else max(16, self.budget // 20)
        return int(np.clip(self.cells // (T * n), 16, most))

    @property
    def now(self) -> float:
        """Seconds searched, those before it was resumed among them."""
        return self.spent + time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """The part of the budget that is not spent: 1 at the start, 0 at the end."""
        parts = [1.0]
        if self.seconds is not None:
            parts.append(1.0 - (time.perf_counter() - self.began) / self.seconds)
        if self.budget is not None:
            parts.append(1.0 - self.runs / self.budget)
        return max(0.0, min(parts))

    # What the search does.

    def adapt(self, took: float) -> None:
        """Volleys of about a tenth of a second, so that all attackers have their turns."""
        if took > 2 * TURN:
            self.cells = max(self.cells // 2, CELLS // 256)
        elif took < TURN / 4:
            self.cells = min(self.cells * 2, CELLS)

    def note(self, volley: Volley, ratios: Array, attacker: str) -> Elite | None:
        """Count a volley; the case that came closest so far, if it is one of this volley's."""
        self.runs += len(volley)
        tally = self.tallies[attacker]
        tally.runs += len(volley)
        b = int(np.argmax(ratios))
        top = float(ratios[b])
        tally.ratio = max(tally.ratio, top)
        if len(self.elite) == KEPT and top <= self.elite[-1].ratio:
            return None
        made = Elite(top, volley.case(b), attacker)
        first = not self.elite or top > self.elite[0].ratio
        # of one size and setting only the best is remembered, so that the others are not all like it
        like = [e for e in self.elite if alike(e.case, made.case)]
        if like and like[0].ratio >= top:
            return None
        self.elite = [e for e in self.elite if not alike(e.case, made.case)] + [made]
        self.elite = sorted(self.elite, key=lambda e: -e.ratio)[:KEPT]
        return made if first else None

    def forget(self, found: Elite) -> None:
        """A case that rounding took beyond the bound counts as one that attains it."""
        self.alarms.append(found.case)
        found.ratio = 1.0


def alike(a: Case, b: Case) -> bool:
    return (
        np.shape(a.y) == np.shape(b.y) and a.setting == b.setting and (a.x is None) == (b.x is None)
    )


def attackers(names: Iterable[str] | None = None) -> dict[str, Attack]:
    """All attackers, or those named."""
    from .attackers import ATTACKERS

    if names is None:
        return dict(ATTACKERS)
    unknown = [name for name in names if name not in ATTACKERS]
    if unknown:
        raise BadInput(f"there is no attacker {unknown[0]!r}; there are {', '.join(ATTACKERS)}")
    return {name: ATTACKERS[name] for name in names}


def search(
    hunt: Hunt,
    using: dict[str, Attack] | None = None,
    progress: Progress | None = None,
    confirm: Callable[[Target, Case], bool] | None = None,
) -> Elite | None:
    """Let attackers take turns; returns the case that broke the bound, or None when the budget is spent.

    The next turn is that of the attacker who has had least: of time, or of runs where those are what is counted, so
    that a search by runs is the same again with the same seed. Who comes closer than all before is rewarded.
    """
    using = attackers() if using is None else using
    turns: dict[str, Generator[Volley, Array, None]] = {n: a(hunt) for n, a in using.items()}
    answers: dict[str, Any] = dict.fromkeys(turns)
    for name in turns:
        hunt.tallies.setdefault(name, Tally())
    had = dict.fromkeys(turns, 0.0)
    while turns and hunt.left > 0.0:
        name = min(turns, key=lambda n: had[n])
        began = time.perf_counter()
        try:
            volley = turns[name].send(answers[name])
        except StopIteration:
            del turns[name]
            continue
        waited = hunt.target.swift.waited
        ratios = hunt.target.ratios(volley)
        answers[name] = ratios
        found = hunt.note(volley, ratios, name)
        compiling = hunt.target.swift.waited - waited
        hunt.began += compiling  # which is done once, and on nobody's account
        took = time.perf_counter() - began - compiling
        hunt.tallies[name].seconds += took
        had[name] += took if hunt.budget is None else len(volley) * DEAR.get(name, 1)
        if found is not None:
            had[name] *= REWARD
        if hunt.budget is None:  # a search by runs is the same whatever the machine
            hunt.adapt(took)
        if found is not None and found.ratio > 1.0:
            trial = hunt.target.trial(found.case)
            if trial.exceeds and (confirm is None or confirm(hunt.target, found.case)):
                return found
            hunt.forget(found)
        if progress is not None:
            progress(hunt)
    return None


# State.


def plain(case: Case) -> dict[str, Any]:
    """A case as JSON; numbers come back bit for bit."""
    return {
        "y": np.asarray(case.y).tolist(),
        "x": None if case.x is None else np.asarray(case.x).tolist(),
        **case.setting,
    }


def cased(kept: dict[str, Any]) -> Case:
    """A case from JSON."""
    kept = dict(kept)
    y, x, interval = kept.pop("y"), kept.pop("x"), kept.pop("interval")
    parameters = {
        k: tuple(v) if isinstance(v, list) else v for k, v in kept.pop("parameters").items()
    }
    return Case(
        np.array(y, float),
        None if x is None else np.array(x, float),
        parameters,
        tuple(interval) if interval is not None else None,
        **kept,
    )


def write(hunt: Hunt, path: str | Path) -> None:
    """The state of a search, written at once or not at all."""
    kept = {
        "version": VERSION,
        "learner": hunt.target.key,
        "theorem": hunt.target.theorem.id,
        "bound": hunt.target.asked if isinstance(hunt.target.asked, str) else None,
        "seed": hunt.seed,
        "epoch": hunt.epoch,
        "runs": hunt.runs,
        "seconds": hunt.now,
        "tallies": {k: vars(t) for k, t in hunt.tallies.items()},
        "elite": [
            {"ratio": min(e.ratio, 1e308), "attacker": e.attacker, "case": plain(e.case)}
            for e in hunt.elite
        ],
        "failures": [(said, plain(case)) for said, case in hunt.target.failures],
    }
    path = Path(path)
    beside = path.with_name(path.name + ".part")
    beside.write_text(json.dumps(kept))
    os.replace(beside, path)


def read(hunt: Hunt, path: str | Path) -> None:
    """Go on from a state: its runs count, its cases are begun from, and chance is another one."""
    try:
        kept = json.loads(Path(path).read_text())
        asked = hunt.target.asked if isinstance(hunt.target.asked, str) else None
        mine = (hunt.target.key, hunt.target.theorem.id, asked)
        of = (kept["learner"], kept["theorem"], kept["bound"])
        if kept["version"] != VERSION:
            raise BadFile(f"{path}: it was written by another version")
        if of != mine:
            raise BadInput(
                f"{path} is a search of {of[0]}, {of[1]}{f', bound {of[2]}' if of[2] else ''}; "
                f"this is one of {mine[0]}, {mine[1]}{f', bound {mine[2]}' if mine[2] else ''}"
            )
        hunt.epoch, hunt.seed = kept["epoch"] + 1, kept["seed"]
        hunt.runs, hunt.spent = kept["runs"], kept["seconds"]
        hunt.tallies = {k: Tally(**t) for k, t in kept["tallies"].items()}
        cases = [(e["ratio"], cased(e["case"]), e["attacker"]) for e in kept["elite"]]
    except (OSError, KeyError, TypeError, ValueError) as problem:
        if isinstance(problem, (BadInput, BadFile)):
            raise
        raise BadFile(f"{path}: not the state of a search ({problem})") from None
    hunt.elite = [Elite(ratio, case, who) for ratio, case, who in cases]
    hunt.__post_init__()


def verdict(trial: Trial) -> str:
    return trial.why or f"{trial.measured:.6g} against {trial.bound:.6g}"


def finite(v: float) -> float | None:
    return v if math.isfinite(v) else None
