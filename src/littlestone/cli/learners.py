"""`list`: every learner, from the registry."""

from __future__ import annotations

import inspect
import json
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

import click

from .options import Command, option

if TYPE_CHECKING:
    from rich.console import Console

    from ..core.learner import Learner

    LearnerClass = type[Learner[Any, Any, Any, Any]]

FAMILIES = {
    "experts": "Prediction with expert advice",
    "linear": "Linear learners",
    "kernels": "Kernel learners",
    "convex": "Online convex optimisation",
    "bandits": "Bandits",
    "memory": "Learners with a memory",
    "graphs": "Learning on graphs",
    "conformal": "Prediction sets",
    "matrices": "Learning matrices",
    "mixtures": "Mixtures of unlike learners",
}
PLAYS = {
    "allocation": "losses",
    "advice": "advice",
    "tangent": "advice",
    "substitution": "advice",
    "vote": "votes",
    "draw": "votes",
    "labels": "two classes",
    "margin": "two classes",
    "coin": "two classes",
    "classes": "several classes",
    "regression": "numbers",
    "convex": "points of a set",
    "predictioninterval": "intervals",
    "bandit": "arms",
}
MEANING = {
    "losses": "what each expert loses (--losses)",
    "advice": "each expert says a number, one is predicted",
    "votes": "each expert says a label, one is predicted",
    "two classes": "examples; one of two labels is predicted from features",
    "several classes": "examples; one of two or more labels is predicted from features",
    "numbers": "examples; a number is predicted from features",
    "intervals": "forecasts; limits are said between which the outcome will be",
    "points of a set": "each round has a convex loss, made of its row; a point of a set is played",
    "arms": "one is pulled each round, and its loss alone is seen (--game bandit)",
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
            "family": family_of(cls),
            "purpose": purpose(cls),
            "plays": plays(cls),
            "parameters": {name: json_value(v) for name, v in defaults(cls).items()},
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
            print_indented(out, row["purpose"], 4, 4)
            print_indented(
                out, " | ".join(", ".join(words) or "none" for words in about), 4, 4, "dim"
            )
        out.print()
    lines = [
        "under each: what it plays | its parameters (without a value: as its theorem says) | its theorems",
        *(f"{word}: {said}" for word, said in MEANING.items()),
        "littlestone show LEARNER tells more of each",
    ]
    for line in lines:
        print_indented(out, line, 0, 2, "dim")


def print_indented(out: Console, text: str, first: int, rest: int, style: str = "") -> None:
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


def family_of(cls: LearnerClass) -> str:
    """The package of a learner of ours, the distribution's of another one, "yours" for a file."""
    from ..learner_packages import GROUP

    parts = cls.__module__.split(".")
    if inside(cls):
        return parts[1]
    offered = {entry.module: entry.dist for entry in entry_points(group=GROUP)}
    found = offered.get(cls.__module__)
    return "yours" if found is None else found.name


def inside(cls: LearnerClass) -> bool:
    return cls.__module__.startswith("littlestone.")


def purpose(cls: LearnerClass) -> str:
    return inspect.cleandoc(cls.__doc__ or "").split("\n")[0]


def plays(cls: LearnerClass) -> list[str]:
    """Losses alone, numbers advised, labels advised, examples: what it can be given."""
    found = [word for allocation in (True, False) if (word := describe_games(cls, allocation))]
    other = cls().for_numbers() if cls.examples else None
    if other is not None:
        return [*found, *plays(type(other))]
    if found == ["two classes"] and any(
        describe_games(cls, False, loss=loss) == "numbers" for loss in ("square", "absolute")
    ):
        found.append("numbers")
    return found


def describe_games(cls: LearnerClass, allocation: bool, **parameters: Any) -> str:
    """What is played, by the name of its game; nothing where the learner refuses."""
    from ..core.errors import LittlestoneError
    from ..core.learner import defaults

    if not parameters.keys() <= defaults(cls).keys():
        return ""
    try:
        game = type(cls(**parameters).game(allocation)).__name__.lower()
    except LittlestoneError:
        return ""
    return PLAYS.get(game, game) if (game in ("allocation", "bandit")) == allocation else ""


def settings(given: dict[str, Any]) -> list[str]:
    return [name if v is None else f"{name}={value(v)}" for name, v in given.items()]


def value(v: Any) -> str:
    if isinstance(v, bool):
        return str(v).lower()
    return "unset" if v is None else f"{v:g}" if isinstance(v, float) else str(v)


def json_value(v: Any) -> Any:
    return v if v is None or isinstance(v, (bool, int, float, str)) else str(v)
