"""`list` and `show`: generated from the registry."""

from __future__ import annotations

import inspect
import json
import math
from typing import TYPE_CHECKING, Any

import click

from .options import Command, option

if TYPE_CHECKING:
    from rich.console import Console

    from ..core.guarantee import Guarantee
    from ..core.learner import Learner

    LearnerClass = type[Learner[Any, Any, Any, Any]]

FAMILIES = {
    "experts": "Prediction with expert advice",
    "linear": "Linear learners",
    "kernel": "Kernel learners",
    "convex": "Online convex optimisation",
    "bandits": "Bandits",
    "memory": "Learners with a memory",
    "graphs": "Learning on graphs",
    "matrices": "Learning matrices",
}
PLAYS = {
    "allocation": "losses",
    "advice": "advice",
    "tangent": "advice",
    "substitution": "advice",
    "vote": "votes",
    "draw": "votes",
    "labels": "examples",
}
MEANING = {
    "losses": "what each expert loses (--losses)",
    "advice": "each expert says a number, one is predicted",
    "votes": "each expert says a label, one is predicted",
    "examples": "features, of which a label is predicted",
}
WIDTH = 100


@click.command("list", cls=Command, short_help="List every learner.")
@option("--json", "as_json", group="Results", is_flag=True, help="A JSON list instead of a table.")
def list_(as_json: bool) -> None:
    """List every learner: what it does, what it plays, its parameters, its theorems.

    \b
    littlestone list
    littlestone list --json
    """
    from ..core import registry
    from ..core.learner import defaults

    rows: list[dict[str, Any]] = [
        {
            "learner": key,
            "family": cls.__module__.split(".")[1] if inside(cls) else "yours",
            "purpose": purpose(cls),
            "plays": plays(cls),
            "parameters": {name: plain(v) for name, v in defaults(cls).items()},
            "theorems": [g.id for g in cls.guarantees],
        }
        for key, cls in registry.learners().items()
    ]
    if as_json:
        click.echo(json.dumps(rows))
        return
    from .console import console

    out = console()
    out.width = min(out.width, WIDTH)
    for family in dict.fromkeys([*FAMILIES, *(str(row["family"]) for row in rows)]):
        members = [row for row in rows if row["family"] == family]
        if not members:
            continue
        out.print(f"[bold]{FAMILIES.get(family, family)}[/bold]")
        for row in members:
            about = [row["plays"], settings(row["parameters"]), row["theorems"]]
            out.print(f"  [bold]{row['learner']}[/bold]")
            indented(out, row["purpose"], 4, 4)
            indented(out, " | ".join(", ".join(words) or "none" for words in about), 4, 4, "dim")
        out.print()
    lines = [
        "under each: what it plays | its parameters (without a value: as its theorem says) | its theorems",
        *(f"{word}: {said}" for word, said in MEANING.items()),
        "littlestone show LEARNER tells more of each",
    ]
    for line in lines:
        indented(out, line, 0, 2, "dim")


@click.command(cls=Command, short_help="Show one learner: its rule, parameters, theorems.")
@click.argument("key", metavar="LEARNER")
def show(key: str) -> None:
    """Show one learner: its rule, its parameters and their ranges, its theorems.

    \b
    littlestone show fixed-share
    """
    from rich.markup import escape

    from ..core import registry
    from ..core.learner import defaults, hints
    from .console import console

    cls = type(registry.learner(key))
    out = console()
    out.width = min(out.width, WIDTH + 20)
    home = "littlestone" if inside(cls) else cls.__module__
    out.print(f"[bold]{cls.key}[/bold]  ({home}.{cls.__name__})\n")
    for paragraph in inspect.cleandoc(cls.__doc__ or "").split("\n\n"):
        if paragraph.startswith((" ", ">>>")):
            out.print(escape(paragraph), soft_wrap=True)
        else:
            indented(out, paragraph, 0, 0)
        out.print()
    out.print("[bold]plays[/bold]")
    for word in plays(cls):
        out.print(f"  {word}: {MEANING[word]}")
    out.print("\n[bold]parameters[/bold]  (-p NAME=VALUE)")
    for name, default in defaults(cls).items():
        indented(out, f"{name} = {value(default)}  {ranged(name, hints(cls)[name])}".rstrip(), 2, 6)
    if not defaults(cls):
        out.print("  none")
    out.print("\n[bold]theorems[/bold]")
    for g in cls.guarantees:
        theorem(out, g)
    if not cls.guarantees:
        out.print("  none")
    out.print("[bold]try it[/bold]")
    out.print(f"  {example(cls)}")


def theorem(out: Console, g: Guarantee) -> None:
    from ..core.guarantee import MEANING as SYMBOLS

    out.print(f"  [bold]{g.id}[/bold]  {g.name}")
    indented(out, g.statement, 4, 4)
    needs = "; ".join(map(str, g.assumptions))
    if needs:
        indented(out, f"if {needs}", 4, 4)
    known = [f"{s}: {SYMBOLS[s]}" for s in g.uses if s in SYMBOLS]
    if known:
        indented(out, "; ".join(known), 4, 4, "dim")
    indented(out, f"holds {g.mode}; {g.source}", 4, 4, "dim")
    out.print()


def indented(out: Console, text: str, first: int, rest: int, style: str = "") -> None:
    import textwrap

    from rich.markup import escape

    lines = textwrap.fill(
        text,
        out.width,
        initial_indent=" " * first,
        subsequent_indent=" " * rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    out.print(escape(lines), style=style or None)


def inside(cls: LearnerClass) -> bool:
    return cls.__module__.startswith("littlestone.")


def purpose(cls: LearnerClass) -> str:
    return inspect.cleandoc(cls.__doc__ or "").split("\n")[0]


def plays(cls: LearnerClass) -> list[str]:
    """Losses alone, numbers advised, labels advised, examples: what it can be given."""
    from ..core.errors import LittlestoneError

    found = []
    for allocation in (True, False):
        try:
            game = type(cls().game(allocation)).__name__.lower()
        except LittlestoneError:
            continue
        if (game == "allocation") == allocation:
            found.append(PLAYS.get(game, game))
    return found


def example(cls: LearnerClass) -> str:
    words = plays(cls)
    data = "FILE --losses" if words == ["losses"] else "FILE --outcome COLUMN"
    return f"littlestone run {data} --learner {cls.key}"


def ranged(name: str, hint: Any) -> str:
    """What a parameter may be, in words."""
    from ..core.parameters import Interval, split

    kind, declared, optional = split(hint)
    if name == "loss":
        text = "square, absolute, pinball:0.9 for a quantile, entropic, zero-one"
    elif kind is bool:
        text = "true or false"
    elif isinstance(declared, Interval):
        text = bounds(declared)
    else:
        text = str(declared) if declared is not None else "numbers, as 0.2,0.3,0.5"
    return f"({text}; left out: as the theorem says)" if optional else f"({text})"


def bounds(i: Any) -> str:
    """
    >>> from littlestone.core.parameters import Interval
    >>> (
    ...     bounds(Interval(0, math.inf, "()")),
    ...     bounds(Interval(0, 1)),
    ...     bounds(Interval(1, math.inf, "[)", True)),
    ... )
    ('above 0', '0 to 1', 'a whole number, at least 1')
    """
    open_low, open_high = i.closed[0] == "(", i.closed[1] == ")"
    low = f"above {i.low:g}" if open_low else f"at least {i.low:g}"
    if math.isinf(i.high):
        text = low
    elif open_low or open_high:
        text = f"{low}, {'below' if open_high else 'at most'} {i.high:g}"
    else:
        text = f"{i.low:g} to {i.high:g}"
    return f"a whole number, {text}" if i.whole else text


def settings(given: dict[str, Any]) -> list[str]:
    return [name if v is None else f"{name}={value(v)}" for name, v in given.items()]


def value(v: Any) -> str:
    if isinstance(v, bool):
        return str(v).lower()
    return "unset" if v is None else f"{v:g}" if isinstance(v, float) else str(v)


def plain(v: Any) -> Any:
    return v if v is None or isinstance(v, (bool, int, float, str)) else str(v)
