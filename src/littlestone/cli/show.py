"""`show`: one learner, from the registry; or a statement by its id."""

from __future__ import annotations

import inspect
import json
import math
from typing import TYPE_CHECKING, Any

import click

from .learners import MEANING, WIDTH, inside, plays, print_indented, value
from .options import Command, option

if TYPE_CHECKING:
    from rich.console import Console

    from ..core.guarantee import Guarantee
    from ..core.learner import Learner

    LearnerClass = type[Learner[Any, Any, Any, Any]]

TEXTS = {
    "kernel": "linear, polynomial:3, gaussian:0.5, laplace, anova, all-subsets, min, …",
    "set": "ball, ball:2, ball1:2, ballinf:2, box:-1:1, simplex, everywhere",
    "family": "linear, distance, or the name of a loss of predictions",
}


@click.command(cls=Command, short_help="Show a learner, or a statement by its id.")
@click.argument("key", metavar="LEARNER|ID")
@option("--json", "as_json", group="Results", is_flag=True, help="Of an id: a JSON object.")
def show(key: str, as_json: bool) -> None:
    """Show one learner: its rule, its parameters and their ranges, its theorems. Or what an id of
    the ledger says, where it stands, what attacks it, and what was found.

    \b
    littlestone show fixed-share
    littlestone show T-NFL
    """
    from ..core.errors import BadInput
    from ..falsify.lookup import is_id, statement
    from .statements import show_entry

    if not is_id(key):
        if as_json:
            raise BadInput(
                f"--json is for ids; littlestone list --json has {key} among the learners"
            )
        show_learner(key)
        return
    entry = statement(key)
    if as_json:
        click.echo(json.dumps(entry.record()))
    else:
        show_entry(entry)


def show_learner(key: str) -> None:
    """Show one learner, from the registry."""
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
            print_indented(out, paragraph, 0, 0)
        out.print()
    out.print("[bold]plays[/bold]")
    for word in plays(cls):
        out.print(f"  {word}: {MEANING[word]}")
    out.print("\n[bold]parameters[/bold]  (-p NAME=VALUE)")
    for name, default in defaults(cls).items():
        print_indented(
            out,
            f"{name} = {value(default)}  {with_range(cls, name, hints(cls)[name])}".rstrip(),
            2,
            6,
        )
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
    print_indented(out, g.statement, 4, 4)
    needs = "; ".join(map(str, g.assumptions))
    if needs:
        print_indented(out, f"if {needs}", 4, 4)
    known = [f"{s}: {SYMBOLS[s]}" for s in g.uses if s in SYMBOLS]
    if known:
        print_indented(out, "; ".join(known), 4, 4, "dim")
    print_indented(out, f"holds {g.mode}; {g.source}", 4, 4, "dim")
    out.print()


def example(cls: LearnerClass) -> str:
    """A command that plays it."""
    words = plays(cls)
    if words == ["arms"] and cls.contexts:
        log = "--arm COLUMN --reward COLUMN --propensity COLUMN"
        return f"littlestone run LOG {log} --features COLUMN --learner {cls.key}"
    if words == ["arms"]:
        return f"littlestone run --arms 0.5,0.4,0.6 --learner {cls.key} --seeds 100"
    if words == ["losses"]:
        return f"littlestone run FILE --losses --learner {cls.key}"
    more = " --numbers" if words == ["numbers"] else ""
    return f"littlestone run FILE --outcome COLUMN --learner {cls.key}{more}"


def with_range(cls: LearnerClass, name: str, hint: Any) -> str:
    """What a parameter may be, in words."""
    from ..core.parameters import Choice, Interval, split_hint

    kind, declared, optional = split_hint(hint)
    if name == "loss":
        text = ", ".join(losses(cls))
    elif name in TEXTS:
        text = TEXTS[name]
    elif isinstance(declared, Choice):
        text = ", ".join(declared.words[:-1]) + f" or {declared.words[-1]}"
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


def losses(cls: LearnerClass) -> list[str]:
    """The losses that it takes, by name."""
    from ..core.errors import LittlestoneError
    from ..core.losses import NAMES, SCORES

    found = []
    for name in NAMES | SCORES if cls.examples else NAMES:
        try:
            cls(loss=name).game(False)  # type: ignore[call-arg]
        except LittlestoneError:
            continue
        found.append("pinball:0.9 (a quantile)" if name == "pinball" else name)
    return [name for name in found if name not in ("log", "quantile")]  # which are second names
