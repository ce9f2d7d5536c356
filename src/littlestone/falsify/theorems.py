"""Search for a run that breaks a theorem of a learner: what `littlestone.falsify` does with one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core import registry
from ..core.errors import BadInput
from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from .attack import Case, Trial
from .exact import check
from .finding import Finding
from .hunt import Elite, Hunt, Progress
from .material import first_volleys
from .minimax import worst_case
from .printed_verdict import contradiction
from .search import attackers, broken, search
from .search_state import read_state, write
from .shrink import shrink
from .target import SURELY, Target
from .workers import share_work

SECONDS = 10.0
COMPARED = 3  # the certificates of so many of the closest runs are read
SHORT = 5000  # runs of at most so many rounds are played again for their certificate
EVERY = 2.0  # seconds between two writings of the state


def falsify_theorem(
    learner: str | Learner[Any, Any, Any, Any],
    *,
    bound: str | Callable[[Symbols], Any] | None = None,
    where: str | None = None,
    theorem: str | Guarantee | None = None,
    seconds: float | None = None,
    runs: int | None = None,
    seed: int = 0,
    sizes: tuple[int, int] | None = None,
    using: Iterable[str] | None = None,
    resume: str | Path | None = None,
    state: str | Path | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Finding:
    """Look for a run that breaks a theorem of a learner, or a bound that you conjecture; say how close it came.

    learner     a key, or a learner; more `parameters` of it may follow, and are then left alone
    theorem     the id of one of its theorems; left out, all that hold surely are attacked, each with its share of the
                budget, and the one that came closest is returned (the `others` are with it)
    bound       in place of the theorem's: an expression of its symbols ("sqrt(T*log(n)/2)"), or a function of them
    where       a condition on the same symbols ("margin > 0", "T >= 3 and L == 0"): only comparators that meet it
                count. The theorem's own conditions hold as well, also for a `bound` of yours
    seconds     the budget, 10 by default; or `runs`: then the same seed gives the same search
    sizes       (rounds, experts or features), where only one size is asked about
    using       names of attackers; all by default
    state       a file that the state of the search is written to; `resume` goes on from such a file

    >>> found = falsify_theorem("perceptron", theorem="T-PERC", runs=6, using=["literature"])
    >>> found.broken, round(found.ratio, 6)  # Novikoff's bound is attained
    (False, 1.0)
    """
    made = registry.learner(learner, **parameters)
    if theorem is None and bound is None and where is None and resume is None:
        sure = [g for g in made.guarantees if g.mode == SURELY]
        if len(sure) > 1:
            return several(
                learner, sure, seconds, runs,
                {"seed": seed, "sizes": sizes, "using": using, "progress": progress} | parameters,
                state,
            )  # fmt: skip
    target = Target(learner, theorem, bound, where, **parameters)
    if not target.kinds:
        raise BadInput(f"{target.key}: falsify cannot make rounds for its game yet")
    if seconds is None and runs is None:
        seconds = SECONDS
    hunt = Hunt(target, seed, seconds, runs, sizes)
    if resume is not None:
        read_state(hunt, resume)
        if runs is not None:
            hunt.budget = hunt.runs + runs
        state = state or resume
    return run_search(hunt, attackers(using), state, progress)


def run_search(
    hunt: Hunt, strikers: dict[str, Any], state: str | Path | None, progress: Progress | None
) -> Finding:
    """Search until the budget is spent; `state`: the file in which the search is kept."""
    warm(hunt, "exhaustive" in strikers)
    hunt.began = time.perf_counter()
    written = time.perf_counter()

    def report(hunt: Hunt) -> None:
        nonlocal written
        if state is not None and time.perf_counter() - written > EVERY:
            written = time.perf_counter()
            write(hunt, state)
        if progress is not None:
            progress(hunt)

    try:
        with share_work(hunt, list(strikers)):
            found = search(hunt, strikers, report, confirm_case)
    finally:  # also where the user stops the search
        if state is not None:
            write(hunt, state)
    if found is None:  # another process may have found a case
        found = next(
            (e for e in hunt.elite if e.ratio > 1.0 and broken(hunt, e, confirm_case)), None
        )
    return finding(hunt, found)


def confirm_case(target: Target, case: Case) -> bool:
    """Does exact arithmetic say that the case breaks the bound?"""
    return check(target, case).broken


def several(
    learner: Any,
    theorems: list[Guarantee],
    seconds: float | None,
    runs: int | None,
    given: dict[str, Any],
    state: str | Path | None,
) -> Finding:
    """Attack each theorem with its share of the budget; return the closest finding, with the others in it."""
    if state is not None:
        raise BadInput(
            f"state: one search is kept in a file; name a theorem: {', '.join(g.id for g in theorems)}"
        )
    if seconds is None and runs is None:
        seconds = SECONDS
    each: list[Finding] = []
    refused: BadInput | None = None
    for g in theorems:
        part = None if seconds is None else seconds / len(theorems)
        share = None if runs is None else max(1, runs // len(theorems))
        try:
            each.append(falsify_theorem(learner, theorem=g.id, seconds=part, runs=share, **given))
        except BadInput as problem:  # no run was found that this theorem is about
            refused = problem
    if not each:
        assert refused is not None
        raise refused
    each.sort(key=lambda f: (not f.broken, -f.ratio))
    each[0].others = tuple(each[1:])
    return each[0]


def warm(hunt: Hunt, exact: bool) -> None:
    """Compile, and import all modules that are needed, before the clock starts."""
    # a search by runs compiles whatever it meets: which runs it plays must not depend on how long that takes
    hunt.target.compiled.patient = hunt.patient or hunt.budget is not None
    for volley in first_volleys(hunt.target, hunt.seed, hunt.sizes):
        hunt.target.ratios(volley)
        if not hunt.patient:
            break
    against = hunt.target.guarantee.against
    if exact and hunt.compiled and "losses" in hunt.target.kinds and against == "expert":
        worst_case(hunt.target.learner, 1, 2)


def finding(hunt: Hunt, found: Elite | None) -> Finding:
    """Shrink and check the case that broke the bound; where there is none, report the closest run."""
    target = hunt.target
    best = found or hunt.best
    if best is None or (found is None and best.ratio == 0.0):
        best = best or no_run_found(target)
    case, checked = best.case, None
    if found is not None:
        smaller = shrink(target, case)
        checked = check(target, smaller)
        if not checked.broken:  # it was shrunk too far: what exceeds the bound is rounding
            smaller, checked = case, check(target, case)
        case = smaller
    trial = target.trial(case)
    if found is None and trial.exceeds:  # it exceeds by rounding alone: report the exact numbers
        checked = check(target, case)
        near = min(1.0, checked.measured / checked.bound) if checked.bound > 0 else 0.0
        trial = replace(trial, ratio=near, measured=checked.measured, bound=checked.bound)
    if checked is not None:
        trial = replace(trial, exceeds=checked.broken)
    compare_certificates(hunt, case, trial)
    return Finding(
        target,
        broken=found is not None and checked is not None and checked.broken,
        ratio=trial.ratio if trial.counts else 0.0,
        runs=hunt.runs,
        attacker=best.attacker,
        case=case,
        trial=trial,
        check=checked,
        seconds=hunt.now,
        seed=hunt.seed,
        tallies=hunt.tallies,
        alarms=hunt.alarms,
    )


def compare_certificates(hunt: Hunt, case: Case, trial: Trial) -> None:
    """Read the certificates of the closest runs; one that contradicts what was measured is a failure."""
    target = hunt.target
    near = [e.case for e in hunt.elite[:COMPARED] if e.case.rounds <= SHORT and e.case is not case]
    for one, seen in [(case, trial), *((c, target.trial(c)) for c in near)]:
        if not seen.counts or (seen.exceeds and seen is not trial):
            continue  # nothing was measured, or rounding alone exceeds the bound
        said = contradiction(target, one, seen)
        if said:
            target.failed(said, one)


def no_run_found(target: Target) -> Elite:
    raise BadInput(
        f"{target.key}: no run that {target.theorem.id} is about was found: "
        + "; ".join(map(str, target.theorem.assumptions))
    )


__all__ = ["Finding", "Hunt", "Trial", "falsify_theorem"]
