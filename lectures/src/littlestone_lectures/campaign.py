"""The campaign: every theorem of the registry and every other statement of the ledger, attacked; and the errata.

    python -m littlestone_lectures.campaign [--out docs/falsify] [--only ID] [--short] [--seed 0] [--jobs 2]

Theorems that hold surely are attacked by the search; those in expectation by sequences that are fixed beforehand, with
confidence limits (small cases of EXP3 by exact recursion, among the statements). The budget counts runs, not seconds,
so the same seed gives the same tables. The exit code is 1 if a theorem is broken, if no counterexample to a printed
error is found, or if a bound that is said to be attained is not approached.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.guarantee import Guarantee
from littlestone.core.registry import learners
from littlestone.falsify.erratum import Erratum
from littlestone.falsify.statement import Found, Statement, attack_statement
from littlestone.falsify.theorems import falsify_theorem

from .budget import HEAVY, LEAST, LONG, SETTINGS, SHORT, SPARED, Budget, Line
from .campaign_pages import read, write
from .errata import ERRATA
from .oblivious import at_random, drawn, one_by_one
from .statements import STATEMENTS

# The ratio that the search must reach: for theorems that the ledger says are attained, and for exponential weights.
ATTAINED = {
    "T-CONSISTENT": 0.99, "T-HALVING": 0.99, "T-DISJ-HALVING": 0.99, "T-ELIM": 0.99, "T-CONJ": 0.99, "T-PERC": 0.99,
    "T-PERC-INSEP": 0.99, "T-PERC-KERNEL": 0.99, "T-OGD": 0.99, "T-PGD": 0.99, "T-KOGD": 0.99,
    "T-WINNOW1-SHARP": 0.99, "T-EWA": 0.98, "T-HEDGE": 0.95, "T-SOA": 0.99, "T-SPINE": 0.99, "T-TREES": 0.95,
    "T-GRAPH-PERCEPTRON": 0.99, "T-COVER": 0.99, "T-COVER-BELOW": 0.99, "T-ACI": 0.95, "T-ACI-BELOW": 0.99,
    "T-QUANTILE-TRACKER": 0.99,
}  # fmt: skip


# Theorems of learners.


def theorems() -> list[tuple[str, str]]:
    """(key, id) of every guarantee in the registry."""
    ours = {k: c for k, c in learners().items() if c.__module__.startswith("littlestone.")}
    return [(key, g.id) for key, cls in sorted(ours.items()) for g in cls.guarantees]


def guarantee(key: str, id: str) -> Guarantee:
    return next(g for g in learners()[key].guarantees if g.id == id)


def fought(key: str, id: str, budget: Budget, seed: int = 0) -> Line:
    """Attack one theorem of one learner."""
    g = guarantee(key, id)
    if g.mode != "surely":
        return drawn(key, g, budget, seed)
    line = at_random(key, g, budget.examples, seed)
    if line is not None:
        return line
    cls = learners()[key]  # runs of learners over examples are played one by one
    compiled = cls.__module__.startswith("littlestone.experts") and not cls.examples
    runs = budget.experts if compiled else budget.examples
    if key in HEAVY:
        runs = max(LEAST, runs // HEAVY[key])
    using = SPARED.get(key, budget.using) if budget is SHORT else budget.using
    try:
        f = falsify_theorem(
            key, theorem=id, runs=runs, seed=seed, using=using, **SETTINGS.get(id, {})
        )
    except BadInput as refused:
        if learners()[key].examples:
            return Line(id, key, g.mode, "", 0, math.nan, "", why=str(refused))
        return one_by_one(key, g, budget, seed)
    names = ", ".join(sorted(name for name, t in f.tallies.items() if t.runs))
    if not math.isfinite(f.bound):
        return Line(
            id, key, g.mode, names, 0, math.nan, "", why=f"it applied to none of {f.runs:,} runs"
        )
    at = placed(f)
    fell = at if f.broken else ""
    return Line(id, key, g.mode, names, f.runs, f.ratio, at, fell, alarms=f.rounding)


def placed(f: Any) -> str:
    """Where the closest run was: the attacker that found it, its size, its parameters."""
    case = f.case
    if not f.ratio > 0.0:
        return ""
    wide = np.shape(case.y if case.x is None else case.x)
    size = f"T = {len(case.y)}" + (f", {wide[1]} wide" if len(wide) > 1 else "")
    more = ", ".join(
        f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in case.parameters.items()
    )
    return f"{f.attacker}: {size}{', ' + more if more else ''}"[:110]


# Statements and errata.


def row_of(s: Statement, found: Found) -> Line:
    """The row of a statement; for an equation `at` holds the largest difference."""
    broken = ""
    if found.broken is not None:
        instance, left, right = found.broken
        broken = f"{s.show(instance)}: {left:.6g} against {right:.6g}"
    how = f"largest difference {found.ratio:.1e}" if s.equal else ""
    shown = how or (s.show(found.at) if len(s.show(found.at)) <= 60 else "")
    ratio = math.nan if s.equal else found.ratio
    return Line(s.id, "statement", "surely", s.how, found.instances, ratio, shown, broken)


def stated(i: int, short: bool) -> Line:
    s = STATEMENTS[i]
    return row_of(s, attack_statement(s, short))


def printed(i: int, short: bool) -> tuple[Found, Found]:
    e = ERRATA[i]
    return e.refuted(), e.survived(short)


# The whole campaign.


def done(
    jobs: int,
    tasks: list[tuple[Callable[..., Any], tuple[Any, ...]]],
    tell: Callable[[Any], None] = lambda _: None,
) -> list[Any]:
    """Do all tasks in `jobs` processes, and return their results in order."""
    found = []
    if jobs <= 1:
        for f, arguments in tasks:
            found.append(f(*arguments))
            tell(found[-1])
        return found
    with ProcessPoolExecutor(jobs) as pool:
        for future in [pool.submit(f, *arguments) for f, arguments in tasks]:
            found.append(future.result())
            tell(found[-1])
    return found


def survey(
    budget: Budget,
    seed: int = 0,
    jobs: int = 1,
    tell: Callable[[Any], None] = lambda _: None,
    only: Iterable[str] = (),
    before: Iterable[Line] = (),
) -> list[Line]:
    """Attack every theorem, then every statement; with `only`, those ids, and keep the other rows of `before`."""
    named = set(only)
    kept: dict[tuple[str, str], list[Line]] = {}
    for line in before:
        kept.setdefault((line.who, line.theorem), []).append(line)
    tasks: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    lines: list[Line | None] = []  # None stands for a row that is attacked now
    every: list[tuple[str, str, Callable[..., Any], tuple[Any, ...]]] = []
    every += [(key, id, fought, (key, id, budget, seed)) for key, id in theorems()]
    every += [("statement", s.id, stated, (i, budget is SHORT)) for i, s in enumerate(STATEMENTS)]
    for who, id, attack, arguments in every:
        old = kept.get((who, id), [])
        if named and id not in named and old:
            lines.append(old.pop(0))
        else:
            lines.append(None)
            tasks.append((attack, arguments))
    fresh = iter(done(jobs, tasks, tell))
    return [next(fresh) if line is None else line for line in lines]


def gallery(short: bool = False, jobs: int = 1) -> list[tuple[Erratum, Found, Found]]:
    """Every erratum, the smallest counterexample to what is printed, and the attack on the corrected statement."""
    found = done(jobs, [(printed, (i, short)) for i in range(len(ERRATA))])
    return [(e, *pair) for e, pair in zip(ERRATA, found, strict=True)]


def shortfalls(lines: Sequence[Line]) -> list[str]:
    """Theorems that are said to be attained, and that no learner which carries them came close to."""
    best: dict[str, float] = {}
    for line in lines:
        if line.who != "statement" and not math.isnan(line.ratio):
            best[line.theorem] = max(best.get(line.theorem, 0.0), line.ratio)
    found = [
        f"{id}: {best.get(id, 0.0):.4f} < {least}"
        for id, least in ATTAINED.items()
        if best.get(id, 0.0) < least
    ]
    return found + statements_not_attained(lines)


def statements_not_attained(lines: Sequence[Line]) -> list[str]:
    """Statements that are said to be attained, and whose largest ratio is below 0.99."""
    kept = {s.id for s in STATEMENTS if s.attained}
    attacked = [a for a in lines if a.who == "statement" and not math.isnan(a.ratio)]
    most: dict[str, float] = {}
    for a in attacked:
        most[a.theorem] = max(most.get(a.theorem, a.ratio), a.ratio)
    low = [a for a in attacked if a.theorem in kept and most[a.theorem] < 0.99]
    return [f"{a.theorem}: {a.ratio:.4f} < 0.99" for a in low]


def errata_that_fail(pictures: Iterable[tuple[Erratum, Found, Found]]) -> Iterator[str]:
    """Errata whose printed statement was not refuted, or whose correction was."""
    for erratum, wrong, right in pictures:
        if wrong.broken is None:
            yield f"{erratum.id}: the printed statement stands"
        if right.broken:
            yield f"{erratum.id}: the corrected statement falls at {right.broken}"


def asked(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(
        prog="littlestone_lectures.campaign", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write campaign.md and errata.md there"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="ID",
        help="attack these ids again, and those that --out/campaign.md does not have; its other rows stay. "
        "With the id of an erratum the gallery is written again",
    )
    parser.add_argument("--short", action="store_true", help="the version that the tests run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(arguments)
    if options.only and not options.out:
        parser.error("--only needs --out, the folder of the page that it changes")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = asked(arguments)
    budget, began = SHORT if options.short else LONG, time.monotonic()

    def tell(line: Line) -> None:
        ratio = "" if math.isnan(line.ratio) else f"{line.ratio:.4f}"
        state = (
            "BROKEN " + line.broken
            if line.broken
            else line.why and "not attacked: " + line.why[:60]
        )
        print(
            f"{time.monotonic() - began:6.0f} s  {line.theorem:24}{line.who:30}{line.runs:9,} {ratio:8}{state}",
            flush=True,
        )

    before = read(options.out) if options.only else []
    lines = survey(budget, options.seed, options.jobs, tell, options.only, before)
    printed_too = not options.only or any(id.startswith("E-") for id in options.only)
    pictures = gallery(options.short, options.jobs) if printed_too else []
    if options.out:
        write(options.out, lines, pictures if printed_too else None, options.seed)
    bad = [f"{line.theorem} ({line.who}): broken at {line.broken}" for line in lines if line.broken]
    bad += errata_that_fail(pictures)
    if not options.short:
        bad += shortfalls(lines)
    total = sum(line.runs for line in lines if not line.why)
    print(
        f"{total:,} attacked runs, {len(lines)} rows, {len(pictures)} errata, {time.monotonic() - began:.0f} s"
    )
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
