"""Options of the command line, made of their declarations, in groups that `--help` shows as such."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..core.options import GROUPS, Flag, Rule, declarations, flag_names
from .command_options import INTERVALS, LEARNER, LOG, OUTPUT, SCALE, CommandOptions

if TYPE_CHECKING:
    IntParameter = click.ParamType[int]
else:
    IntParameter = click.ParamType  # before click 8.4 it has no type parameter

F = TypeVar("F", bound=Callable[..., Any])
READING = ("format", "encoding", "decimal", "on_bad_line")
ORDER = (*GROUPS[:3], LEARNER, *GROUPS[3:-1], INTERVALS, LOG, GROUPS[-1], OUTPUT, SCALE)


class Whole(IntParameter):
    """A whole number, 0 or more."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        try:
            number = int(value)
        except ValueError:
            number = -1
        if number < 0:
            self.fail(f"{value!r} is not a whole number, 0 or more", param, ctx)
        return number


WHOLE = Whole()


class Option(click.Option):
    """An option that says which group it belongs to."""

    def __init__(self, *names: Any, group: str = "Other", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.group = group


class Command(click.Command):
    """A command whose `--help` lists options by group."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx)
            if line is not None and isinstance(parameter, click.Option):
                group = parameter.group if isinstance(parameter, Option) else "Other"
                groups.setdefault(group, []).append(line)
        groups["Other"] = groups.pop("Other")
        for group, lines in groups.items():
            with formatter.section(group):
                formatter.write_dl(lines)


def option(*names: str, group: str, **settings: Any) -> Callable[[F], F]:
    """An option of a command that is no declared one."""
    return click.option(*names, cls=Option, group=group, **settings)


def declared(*names: str, **changes: Flag) -> Callable[[F], F]:
    """The options of these names as one decorator; `changes`: how a command writes some of them."""
    known = {name: (rule, default) for name, rule, default in declarations(CommandOptions)}
    wanted = sorted(names, key=lambda name: ORDER.index(known[name][0].group))

    def decorate(f: F) -> F:
        for name in reversed(wanted):
            rule, default = known[name]
            f = click_option(name, rule, default, changes.get(name, rule.flag or Flag()))(f)
        return f

    return decorate


def click_option(name: str, rule: Rule, default: Any, flag: Flag) -> Callable[[F], F]:
    """One option, as it is declared."""
    names = flag_names(name, flag)
    settings: dict[str, Any] = {"help": help_text(rule, default, flag)}
    if rule.form == "flag":
        settings |= {"default": default} if "/" in names[0] else {"is_flag": True, "default": False}
    elif rule.form == "choice":
        settings |= {"type": click.Choice(rule.choices), "default": default}
    elif rule.form == "interval":
        settings |= {"nargs": 2, "type": float}
    elif rule.form == "whole" or flag.number == "whole":
        settings |= {"type": WHOLE, "default": default}
    elif flag.number == "real":
        settings |= {"type": float}
    else:
        settings |= {"default": default or None}
    if flag.several:
        settings |= {"multiple": True, "default": ()}
    if flag.metavar:
        settings["metavar"] = flag.metavar
    return click.option(*names, name, cls=Option, group=rule.group, **settings)


def help_text(rule: Rule, default: Any, flag: Flag) -> str:
    """What `--help` says of an option.

    >>> help_text(Rule("how many lines are read", "", otherwise="all"), None, Flag())
    'How many lines are read.  [default: all]'
    """
    said = flag.help or rule.help
    more = "; may be given several times" if flag.several else ""
    shown = default if isinstance(default, (str, int)) and not isinstance(default, bool) else ""
    otherwise = flag.otherwise or rule.otherwise or str(shown)
    return f"{said[:1].upper()}{said[1:]}{more}." + f"  [default: {otherwise}]" * bool(otherwise)


def flags_of(names: Sequence[str]) -> dict[str, str]:
    """How options are written in messages: by their long names.

    >>> flags_of(["bits", "interleave"])
    {'bits': '--bits', 'interleave': '--interleave and --one-copy'}
    """
    known = {name: rule.flag or Flag() for name, rule, _ in declarations(CommandOptions)}
    found = {name: flag_names(name, known[name]) for name in names}
    return {
        name: next(w for w in words if w.startswith("--")).replace("/", " and ")
        for name, words in found.items()
    }
