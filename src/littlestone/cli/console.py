"""Where results are printed: a terminal, a pipe, or a log."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

PIPE = 160  # the width in columns, where that of the terminal is not known


def console(stderr: bool = False) -> Console:
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE
    return made


def say_where(written: Mapping[str, str | None], aside: bool) -> None:
    """Say where files were written, a line each; `aside`: on standard error."""
    for what, path in written.items():
        if path not in (None, "-"):
            click.echo(f"{what}: {path}", err=aside)


# Arguments in the library's messages, and the options of the command line that stand for them.
OPTIONS = {
    "; name the columns that hold classes with experts=": "; --learner online-linear predicts them",
    "with interval=(low, high)": "with --interval LOW HIGH",
    "interval=(low, high)": "--interval LOW HIGH",
    'asleep="last"': "--asleep last",
    "with outcome= (--outcome), or say losses=True where": "with --outcome, or say --losses where",
    ": task='classification'": ": --task classification",
    "as task= says": "as --task says",
    "as losses= says": "as --losses says",
    "task='classification'": "--task classification",
    "task='regression'": "--task regression",
    "task='forecasting'": "--task forecasting",
    "with outcome= (--outcome)": "with --outcome",
    "; leave outcome= out": "; leave --outcome out",
    "; labels=True reads classes": "; learners that vote read classes: --learner weighted-majority",
    "; labels=True (--labels) makes it a class": "; --task classification makes it a class",
    "; labels=False makes it a number": "; --task regression makes it a number",
    ": give labels=": ": --labels A,B names them beforehand",
    "with experts=": "with --experts",
    "with features= (--features)": "with --features",
    "with features=": "with --features",
    "(loops='drop')": "(--loops drop)",
    "learners: some ": "--learner: some ",
    "; text=[] makes": "; --text '' makes",
    "encoding= (--encoding)": "--encoding",
    "encoding='latin-1'": "--encoding latin-1",
    "encoding='cp1252'": "--encoding cp1252",
    "encoding='utf-16-le'": "--encoding utf-16-le",
    "encoding=": "--encoding ",
    "lags=[1, 2, 12] (--lags 1,2,12)": "--lags 1,2,12",
    "lags=[1, 2] takes": "--lags 1,2 takes",
    "leave lags out": "leave --lags out",
    "decimal='.' or decimal=','": "--decimal . or --decimal ,",
    "bits=22 hashes": "-b 22 hashes",
    "interactions: ": "--interact: ",
    "on_bad_line='skip'": "--on-bad-line skip",
    "on_bad_line=": "--on-bad-line ",
    " or a loss object": "",
    "play with interleave=False": "--one-copy",
    "play with seeds=N": "--seeds 1000",
    "play with seeds=1": "leave --seeds out",
    "with groups=": "with --groups",
    "weights='group'": "--each-group-once",
    "with weights=": "with --weights",
    "by= gives": "--by gives",
    "selected_from=": "--selected-from ",
    "selected_from must": "--selected-from must",
    "selected_from is": "--selected-from is",
    "loss='square'": "--loss square",
    "leave loss= and interval= out": "leave --loss and --interval out",
    "(claim=": "(--claim ",
    "(rows=": "(--rows ",
}


def in_options(message: str) -> str:
    """A message of the library with its arguments written as options of the command line.

    >>> in_options('row 1: every expert is asleep; asleep="last" repeats the last prediction')
    'row 1: every expert is asleep; --asleep last repeats the last prediction'
    >>> in_options("leave the column out with experts=['!a']; text=['b'] reads words")
    "leave the column out with --experts '!a'; --text 'b' reads words"
    """
    message = re.sub(r"\b(features|experts|text)=\[('[^]]*')\]", r"--\1 \2", message)
    for argument, option in OPTIONS.items():
        message = message.replace(argument, option)
    message = re.sub(r"^parameter (?=.*: )", "-p ", message)
    message = re.sub(r"^(\w+)(?= must be )", as_flag, message)
    message = re.sub(r"^(outcome|experts|features|lags|weights|by): ", r"--\1: ", message)
    return " ".join(message.split())


def as_flag(found: re.Match[str]) -> str:
    """The name of an option as it is written on the command line; another name as it is."""
    from .command_options import NAMES
    from .options import flags_of

    return flags_of([found[1]])[found[1]] if found[1] in NAMES else found[1]


def count(n: int, what: str) -> str:
    """
    >>> count(1, "experts"), count(1200, "rounds")
    ('1 expert', '1,200 rounds')
    """
    return f"{n:,} {what.removesuffix('s') if n == 1 else what}"
