"""`falsify`: try to break a learner's theorem, or a bound of the user's own."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import BadInput
from ..core.options import RESULTS
from .command_options import LEARNER
from .falsify_table import show, show_json
from .options import WHOLE, Command, option
from .statements import falsify_by_id

if TYPE_CHECKING:
    from ..falsify.finding import Finding
    from ..falsify.hunt import Hunt

SEARCH = "Search"


@click.command(cls=Command, short_help="Try to break a theorem, or a bound of your own.")
@click.argument("key", metavar="LEARNER|ID")
@option(
    "--theorem",
    group=SEARCH,
    metavar="ID",
    help="Which of its theorems; `littlestone show LEARNER` lists them.  [default: each that holds "
    "surely, in turn]",
)
@option(
    "--bound",
    group=SEARCH,
    metavar="EXPR",
    help="Attack this bound instead: numbers and the theorem's symbols with + - * / ** and sqrt, "
    "log, lg, exp, min, max, ceil, floor.",
)
@option(
    "--where",
    group=SEARCH,
    metavar="CONDITION",
    help="Count only what meets a condition on the same symbols: < <= > >= == != and, or, not.  "
    "[default: the conditions of the theorem, which hold in any case]",
)
@option(
    "--seconds",
    group=SEARCH,
    type=float,
    metavar="NUMBER",
    help="How long to search.  [default: 10]",
)
@option(
    "--runs",
    group=SEARCH,
    type=WHOLE,
    metavar="NUMBER",
    help="Search for so many runs instead; the same seed then gives the same search.",
)
@option("--seed", group=SEARCH, type=WHOLE, default=0, show_default=True, help="Of chance.")
@option(
    "--size",
    group=SEARCH,
    nargs=2,
    type=WHOLE,
    metavar="T N",
    help="Only runs of T rounds with N experts (or features).",
)
@option(
    "--using",
    group=SEARCH,
    multiple=True,
    metavar="ATTACKER",
    help="Only these attackers; may be given several times.  [default: all]",
)
@option(
    "--resume",
    group=SEARCH,
    metavar="FILE",
    help="Go on with the search that this file holds, and keep it there; a new file begins one.",
)
@option(
    "-p",
    "--set",
    "settings",
    group=LEARNER,
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the learner, which is then left alone.  [default: as the theorem says, and "
    "whatever else its assumptions allow]",
)
@option("--loss", group=LEARNER, metavar="LOSS", help="The loss, for learners that have one.")
@option(
    "--out",
    group=RESULTS,
    metavar="FILE",
    help="Write the rounds of the closest run: .csv, which `littlestone run` plays, or .json.",
)
@option(
    "--picture",
    group=RESULTS,
    metavar="FILE",
    help="Draw it: .png or .svg (with matplotlib), or .html, the page of the run.",
)
@option("--json", "as_json", group=RESULTS, is_flag=True, help="A JSON object instead of a table.")
def falsify(
    key: str,
    theorem: str | None,
    bound: str | None,
    where: str | None,
    seconds: float | None,
    runs: int | None,
    seed: int,
    size: tuple[int, int] | None,
    using: tuple[str, ...],
    resume: str | None,
    settings: tuple[str, ...],
    loss: str | None,
    out: str | None,
    picture: str | None,
    as_json: bool,
) -> int:
    """Look for a run that breaks a theorem of LEARNER, and say how close the closest one came. An ID
    of the ledger is attacked instance by instance, or in runs of the learners that carry it.

    Attackers propose rounds, and settings that the theorem's assumptions allow: the exact worst
    case of small games, the known adversaries, greedy ones, blocks of repeated rounds, local
    search, gradient ascent, extreme sizes. Each run is scored by measured / bound: 1 means that
    the bound is attained, more that it is broken. A counterexample is shrunk, and checked again
    in fifty digits, before it is called one.

    \b
    littlestone falsify hedge                              is its theorem true?
    littlestone falsify hedge --theorem T-EWA --seconds 60
    littlestone falsify hedge --bound "sqrt(T*log(n)/8)"   is a bound of mine?
    littlestone falsify hedge --bound "log(n)/eta + eta*T/9"
    littlestone falsify perceptron --bound "R2*U2/2" --where "margin > 0"
    littlestone falsify perceptron --out worst.csv --picture worst.png
    littlestone falsify squint --seconds 600 --resume squint.json
    littlestone falsify my_learner.py:MyLearner            is one of mine?
    littlestone falsify T-FOSTER                           a statement of notes
    littlestone falsify T-VALIDATION --bound "delta/2"     another right side
    littlestone falsify E-SIM                              a printed error

    In a bound of your own the parameters that it does not mention are tuned as the theorem asks,
    and losses lie in [0, 1] unless it mentions B, their range. What is compared with it is what
    the theorem measures: regret, mistakes, updates. The theorem's assumptions, and its conditions on
    the comparator, hold for your bound too; --where adds conditions of your own.

    Exit code: 0, the bound survived; 1, it is broken, or the learner failed on some run; 2, the
    question cannot be asked, or no run was found that the bound is about.
    """
    from ..falsify.lookup import attackable, is_id, learners_of, statement
    from ..falsify.theorems import falsify_theorem
    from ..play.written_learner import split_settings
    from .learner_spec import make, split_spec

    refuse_search(seconds, runs, size)
    refuse_endings({out: (".csv", ".json"), picture: (".png", ".svg", ".html")})
    if is_id(key):
        name = statement(key).id
        carriers = learners_of(name)
        if any(attackable(name)) or not carriers:
            without = {"--theorem": theorem, "--size": size, "--using": using, "--resume": resume,
                       "-p": settings, "--loss": loss, "--out": out, "--picture": picture}  # fmt: skip
            return falsify_by_id(name, bound, where, seconds, runs, dict(without), as_json)
        key, theorem = carriers[0], name
    spec = key
    key, own = split_spec(spec)
    learner = make(key, [*settings, *split_settings(own)], loss)
    before = None if resume is None else Path(resume)
    if before is not None and theorem is None:  # a search that goes on is of one theorem
        theorem = next((g.id for g in learner.guarantees if g.mode == "surely"), None)
    with following() as progress:
        found = falsify_theorem(
            learner, bound=bound, where=where, theorem=theorem, seconds=seconds, runs=runs, seed=seed,
            sizes=size or None, using=using or None, progress=progress, **file_of_search(before),
        )  # fmt: skip
    write_files(found, out, picture)
    again = "" if out is None else replay(found, out, spec)
    if as_json:
        show_json(found, again)
    else:
        show(found, f"written to {out}; play it again: {again}" if again else "")
    return exit_code(found)


def file_of_search(path: Path | None) -> dict[str, Any]:
    """Where a search goes on, or is kept for the first time."""
    if path is None:
        return {}
    return {"resume" if path.exists() else "state": str(path)}


def exit_code(found: Finding) -> int:
    """1 where a bound is broken or a learner failed, else 0; where no run was found that the bound is about: refuse."""
    words = {f.verdict for f in (found, *found.others)}
    if words & {"broken", "failed"}:
        return 1
    if found.verdict == "untested":
        raise BadInput(f"{found.name}: none of {found.runs:,} runs was one that it is about")
    return 0


def refuse_search(seconds: float | None, runs: int | None, size: tuple[int, int] | None) -> None:
    """Refuse a search that would be over before it begins."""
    if seconds is not None and not seconds > 0:
        raise BadInput(f"--seconds {seconds:g}: it must be more than 0")
    if runs == 0:
        raise BadInput("--runs 0: it must be at least 1")
    if size is not None and 0 in size:
        raise BadInput(f"--size {size[0]} {size[1]}: both must be at least 1")


def refuse_endings(allowed: dict[str | None, tuple[str, ...]]) -> None:
    """Refuse files of other kinds than can be written."""
    for path, kinds in allowed.items():
        if path is not None and Path(path).suffix not in kinds:
            raise BadInput(f"{path}: write to one of {', '.join(kinds)}")


def write_files(found: Finding, out: str | None, picture: str | None) -> None:
    """Write the rounds of the closest run, and draw it, where that was asked for."""
    if out is not None:
        found.save(out)
    if picture is not None and picture.endswith(".html"):
        found.report(picture)
    elif picture is not None:
        found.plot().savefig(picture)


@contextlib.contextmanager
def following() -> Iterator[Callable[[Hunt], None] | None]:
    """Show a bar on standard error, if that is a terminal."""
    from .console import console

    out = console(stderr=True)
    if not out.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(24), TextColumn("{task.fields[said]}"))
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("compiling, once", total=1.0, said="")

        def tell(hunt: Hunt) -> None:
            speed = hunt.runs / max(1e-9, hunt.now)
            bar.update(
                task,
                completed=1.0 - hunt.left,
                description=f"{hunt.target.key} {hunt.target.theorem.id}",
                said=f"{hunt.runs:,} runs  {speed:,.0f}/s  closest {hunt.ratio:.4f}",
            )

        yield tell


def replay(found: Finding, out: str, spec: str) -> str:
    """The command that plays the file again; a learner of the user's own is found in its file."""
    in_file = re.match(r".+\.py:\w+", spec)
    learner = found.learner if in_file is None else in_file[0]
    return found.command(out).replace(f"--learner {found.learner}", f"--learner {learner}", 1)
