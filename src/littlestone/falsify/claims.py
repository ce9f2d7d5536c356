"""Attack a statement or an erratum by its id, as it stands or with a bound of the user's own in its place."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core import registry
from ..core.errors import BadInput
from ..core.guarantee import Symbols
from .condition import Condition, condition
from .erratum import Erratum
from .expression import Expression, parse_expression
from .finding import Finding, number
from .lookup import attackable, learners_of, statement, symbols_of
from .statement import Found, Instance, Sides, Statement, search

Ends = Callable[[int], bool]


@dataclass
class ClaimFinding:
    """What the search through the instances of a statement, or of an erratum, saw."""

    theorem: str
    statement: str
    search: Found
    show: Callable[[Instance], str]
    equal: bool
    how: str
    expression: str | None = None
    where: str | None = None
    corrected: str | None = None  # of an erratum
    correction: Callable[[], Found] | None = (
        None  # attacks it; `corrected_search` has what that saw
    )
    seconds: float = 0.0
    others: tuple[ClaimFinding, ...] = ()

    @property
    def broken(self) -> bool:
        return self.search.broken is not None

    @property
    def verdict(self) -> str:
        if self.broken:
            return "broken"
        return "survived" if self.search.instances else "untested"

    @property
    def runs(self) -> int:
        """The instances that were tried."""
        return self.search.instances

    @property
    def ratio(self) -> float:
        """The largest left / right; of an equation the largest difference."""
        return self.search.ratio if self.search.instances else 0.0

    @property
    def instance(self) -> Instance:
        """The smallest counterexample, or where both sides came closest."""
        return self.search.at if self.search.broken is None else self.search.broken[0]

    @functools.cached_property
    def corrected_search(self) -> Found | None:
        """The attack on the corrected statement of an erratum: made when it is first asked for."""
        return None if self.correction is None else self.correction()

    @property
    def at(self) -> str:
        return " ".join(self.show(self.instance).split()) if self.search.instances else ""

    def __str__(self) -> str:
        lines = [f"{self.theorem}: {self.verdict}, {self.runs:,} instances ({self.how})"]
        lines.append(f"  {self.statement}")
        if self.expression is not None:
            lines.append(f"  with the bound {self.expression}")
        if self.search.broken is not None:
            _, left, right = self.search.broken
            lines.append(f"  smallest counterexample: {self.at}")
            lines.append(
                f"  {left:.6g} {'should equal' if self.equal else 'should be at most'} {right:.6g}"
            )
        elif self.search.instances:
            what = "largest difference" if self.equal else "largest ratio"
            lines.append(f"  {what} {self.ratio:.6g}, at {self.at}")
        if self.corrected is not None and self.corrected_search is not None:
            fate = "survived" if self.corrected_search.broken is None else "fell after"
            lines.append(
                f"  corrected: {self.corrected}: {fate} {self.corrected_search.instances:,} instances"
            )
        return "\n".join([*lines, *map(str, self.others)])

    def __repr__(self) -> str:
        return f"<{self.theorem}: {self.verdict}, ratio {self.ratio:.4f}, {self.runs:,} instances>"

    def record(self) -> dict[str, Any]:
        """As JSON."""
        left, right = self.search.broken[1:] if self.search.broken else (math.nan, math.nan)
        again = self.corrected_search
        return {
            "theorem": self.theorem,
            "statement": self.statement,
            "expression": self.expression,
            "where": self.where,
            "broken": self.broken,
            "verdict": self.verdict,
            "ratio": number(self.ratio),
            "measured": number(left),
            "bound": number(right),
            "runs": self.runs,
            "instances": self.how,
            "at": self.at,
            "corrected": self.corrected,
            "corrected_survived": None if again is None else again.broken is None,
            "seconds": self.seconds,
        }


def falsify_claim(
    id: str,
    *,
    bound: str | None = None,
    where: str | None = None,
    seconds: float | None = None,
    runs: int | None = None,
    **others: Any,
) -> ClaimFinding | Finding:
    """Attack a statement by its id: every instance of its check, the smallest first.

    bound       in place of the right side: an expression of `bound`, which is the right side as it stands, and of the
                numbers that the instances name (`ls.statement(id).symbols`)
    where       a condition on the same symbols: only instances that meet it count
    seconds     end the search after so long; `runs`: after so many instances. All of them are tried by default

    A theorem that only learners carry is attacked in runs of these learners.
    """
    name = statement(id).id  # refuses an unknown id
    claims, errata = attackable(name)
    if not claims and not errata:
        return falsify_carriers(name, bound, where, seconds, runs, others)
    unused = [option for option, value in others.items() if value]
    if unused:
        raise BadInput(f"{unused[0]}: {name} is attacked instance by instance, without a learner")
    if errata and (bound is not None or where is not None):
        raise BadInput(
            f"{name}: bound and where are for statements; an erratum is refuted as it is printed"
        )
    ends = budget(seconds, runs)
    found = [attack_statement(s, bound, where, ends) for s in claims]
    found += [attack_erratum(e, ends) for e in errata]
    found.sort(key=lambda f: (not f.broken, f.equal, -f.ratio))
    found[0].others = tuple(found[1:])
    return found[0]


def budget(seconds: float | None, runs: int | None) -> Ends:
    last = math.inf if seconds is None else time.perf_counter() + seconds
    return lambda many: (runs is not None and many >= runs) or time.perf_counter() > last


def attack_statement(
    s: Statement, bound: str | None, where: str | None, ends: Ends
) -> ClaimFinding:
    began = time.perf_counter()
    known = symbols_of(s)
    expression = None if bound is None else parse_expression(bound, known)
    asked = None if where is None else condition(where, known)
    sides = s.sides if expression is None and asked is None else replace_side(s, expression, asked)
    own = expression is not None
    found = search(sides, s.instances, s.sizes, s.equal, first=own, ends=ends)
    took = time.perf_counter() - began
    return ClaimFinding(s.id, s.text, found, s.show, s.equal, s.how, bound, where, seconds=took)


def replace_side(s: Statement, bound: Expression | None, where: Condition | None) -> Sides:
    """The two sides with the user's bound on the right; instances that do not meet the condition hold."""

    def sides(i: Instance) -> tuple[float, float]:
        left, right = s.sides(i)
        named = Symbols(bound=right, **({} if s.symbols is None else s.symbols(i)))
        if where is not None and not where(named):
            return (0.0, 0.0) if s.equal else (-math.inf, math.inf)
        return left, right if bound is None else float(bound(named))

    return sides


def attack_erratum(e: Erratum, ends: Ends) -> ClaimFinding:
    began = time.perf_counter()
    wrong = search(e.claim, e.instances, e.sizes, e.equal, first=True, ends=ends)
    equal = e.equal if e.right_equal is None else e.right_equal
    took = time.perf_counter() - began
    return ClaimFinding(
        e.id, f"printed: {e.printed}", wrong, e.show, e.equal, e.space, corrected=e.corrected,
        correction=lambda: search(e.right, e.instances, e.sizes, equal, ends=ends), seconds=took,
    )  # fmt: skip


def falsify_carriers(
    id: str,
    bound: str | None,
    where: str | None,
    seconds: float | None,
    runs: int | None,
    others: dict[str, Any],
) -> Finding:
    """Attack a theorem in runs of each learner that carries it; the closest finding has the others."""
    from .target import SURELY
    from .theorems import SECONDS, falsify_theorem

    keys = [
        key
        for key in learners_of(id)
        if any(g.id == id and g.mode == SURELY for g in registry.learners()[key].guarantees)
    ]
    if not keys:
        held = registry.guarantees().get(id)
        why = (
            f"it holds {held.mode}"
            if held is not None
            else f"it is no statement with a check: littlestone show {id}"
        )
        raise BadInput(f"{id}: no search attacks it; {why}")
    if seconds is None and runs is None:
        seconds = SECONDS
    each: list[Finding] = []
    for key in keys:
        part = None if seconds is None else seconds / len(keys)
        share = None if runs is None else max(1, runs // len(keys))
        each.append(
            falsify_theorem(
                key, theorem=id, bound=bound, where=where, seconds=part, runs=share, **others
            )
        )
    each.sort(key=lambda f: (not f.broken, -f.ratio))
    each[0].others = tuple(each[1:])
    return each[0]
