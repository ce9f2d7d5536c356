"""The transcript of a bandit's run: arms, their propensities, what they cost and what was promised."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.guarantee import Family, Guarantee, Symbols, Verdict
from ..session.session import Copy
from .run import Run

PSEUDO = "pseudo-regret"  # what is measured against the best arm in means
ONE_DRAW = "one draw tells little of an expectation: play with seeds=N"


class BanditRun(Run):
    """As any run; `losses` are expected over the draw of the round, `realised` are those that were seen."""

    @property
    def arms(self) -> Any:
        """The arm that was pulled in each round."""
        return self.actions.astype(int)

    @property
    def propensities(self) -> Any:
        """The probability of each arm in each round, T x n."""
        return self.weights

    @functools.cached_property
    def experts(self) -> Family:
        return replace(super().experts, names=lambda i: f"best arm ({self.names[i]})")

    @property
    def uniform_loss(self) -> float | None:
        """What pulling arms at random would have cost, on average."""
        return float(self.experts.L.mean()) if self._s.certify else None

    def _symbols(self, part: Copy, family: Family | None, kind: str) -> Symbols:
        known = super()._symbols(part, family, kind)
        session: Any = self._s
        known.__dict__.update(of_world(self.stream.world), slept=session.slept)
        low = session.game.low  # the best total reward on [0, 1]: losses are low + high - reward
        known.__dict__.update(G=known.T - (np.min(part.totals.L) - known.T * low) / known.B)
        return known

    @functools.cached_property
    def pseudo_regret(self) -> float:
        """The regret to the best arm in means, where they are known: NaN elsewhere."""
        session: Any = self._s
        world = self.stream.world
        if world is None or session.slept:  # which arms were there is not kept
            return math.nan
        t, p = self.weight_trace
        if len(t) < self.rounds:
            return math.nan
        means = world.means_at(t)
        return float(((p * means).sum(axis=1) - means.min(axis=1)).sum())

    def _judged(self, g: Guarantee, family: Family | None, parts: list[Symbols]) -> Verdict:
        if g.measures == PSEUDO:
            found = unmet(g, parts)
            if found is None:
                bound = float(sum(float(g.bound(s)) for s in parts))
                found = Verdict(
                    g, "unknown", ONE_DRAW, "best arm in means", self.pseudo_regret, bound
                )
            return found
        found = super()._judged(g, family, parts)
        if g.mode != "surely" and found.verdict in ("kept", "broken"):
            return replace(found, verdict="unknown", why=ONE_DRAW)
        return found

    @functools.cached_property
    def headline(self) -> Verdict | None:
        found = super().headline
        if found is not None and found.guarantee.measures == "regret":
            return found
        told = [
            v
            for v in self.certificate
            if v.guarantee.against in ("expert", "sequence")
            and v.guarantee.measures == "regret"
            and math.isfinite(v.regret_bound)
        ]
        return min(told, key=lambda v: v.comparator_loss + v.regret_bound, default=None)


def unmet(g: Guarantee, parts: list[Symbols]) -> Verdict | None:
    """The first assumption that fails, if one does."""
    for s in parts:
        for assumption in g.assumptions:
            seen = assumption.check(s)
            if seen is not None:
                return Verdict(g, "vacuous", f"{assumption.text}: {seen}")
    return None


def of_world(world: Any) -> dict[str, Any]:
    """What theorems about independent losses ask for: are they, and how far is each arm from the best?"""
    length = getattr(world, "length", math.nan)  # of theta, where means are linear in features
    if world is None or not world.still:
        why = "nobody said that they are" if world is None else "their means change"
        return {
            "theta": length,
            "iid": False,
            "iid_why": why,
            "gaps": np.array([math.nan]),
            "means": np.array([math.nan]),
        }
    mu = world.means[0]
    return {"theta": length, "iid": True, "iid_why": "", "gaps": mu - mu.min(), "means": mu}
