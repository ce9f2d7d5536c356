"""The command line: it parses options, calls the library, and prints tables."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import click

from .. import __version__
from ..core.errors import FileReplaced, LittlestoneError
from . import claims, data, falsify, learners, predict, serve, show, statements, verbs, warm
from .console import in_options


class Front(click.Group):
    """A user's mistake is one line on standard error and exit code 2, never a traceback."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **more: Any
    ) -> NoReturn:
        more["standalone_mode"] = False
        replace_what_cannot_be_printed()
        try:
            with saying_what_is_replaced():
                code = super().main(args, "littlestone", **more)
        except click.Abort:
            leave("stopped", 130)
        except click.UsageError as problem:
            where = problem.ctx.command_path if problem.ctx else "littlestone"
            said = lower(problem.format_message())
            leave(f"{said}{' See' if said[-1:] in '?)' else '; see'} {where} --help", 2)
        except click.ClickException as problem:
            leave(lower(problem.format_message()), 2)
        except LittlestoneError as problem:
            leave(in_options(str(problem)), problem.code)
        except MemoryError as problem:
            leave(f"there is not enough memory: {problem}; -b NUMBER makes fewer features", 2)
        except OSError as problem:  # a full disk, a terminal that went away
            leave(f"{problem.filename or ''} {problem.strerror or problem}".strip(), 1)
        sys.exit(code if isinstance(code, int) else 0)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which they were added, not by name


def replace_what_cannot_be_printed() -> None:
    """Print a question mark for a character that the encoding of the terminal or the pipe does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and "utf" not in stream.encoding.lower():
            stream.reconfigure(errors="replace")


@contextlib.contextmanager
def saying_what_is_replaced() -> Iterator[None]:
    """Say at the end which pages were written where a file was before, in one line each, on standard error."""
    said: list[str] = []

    def keep(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, FileReplaced):
            said.append(str(message))
        else:
            otherwise(message, category, *where, **more)

    with warnings.catch_warnings():
        otherwise = warnings.showwarning
        warnings.simplefilter("always", FileReplaced)
        warnings.showwarning = keep
        try:
            yield
        finally:
            for line in said:
                click.echo(f"note: {line}", err=True)


def leave(message: str, code: int) -> NoReturn:
    click.echo(f"littlestone: {message}", err=True)
    sys.exit(code)


def lower(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")


@click.group(
    cls=Front,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="littlestone")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Learn online from a file, with a theorem that says how good it must be.

    Each learner predicts, sees the truth and learns, round by round: labels or numbers from the
    features of examples, or one forecast from those of several experts. Its total loss is set
    against the best answer in hindsight, and the difference, the regret, against the bound that
    its theorem promises.

    \b
    littlestone run                                      try it on a built-in stream
    littlestone run train.libsvm --test test.libsvm      labels from features
    littlestone run prices.csv --outcome "Real price"    one forecast from many
    littlestone predict m.ls tomorrow.csv                what a saved learner says
    littlestone compare prices.csv --outcome price       several learners
    littlestone intervals prices.csv --outcome price     how far off forecasts may be
    littlestone bandit --arms 0.5,0.4                    pull arms, see one loss
    littlestone replay log.csv --arm a --reward r --propensity p    a log of decisions
    littlestone list                                     every learner
    littlestone show fixed-share                         its rule, its theorems
    littlestone show T-NFL                               a statement, by its id
    littlestone falsify hedge                            try to break its theorem
    littlestone certify predictions.csv --truth y --prediction p    what may be claimed of a model
    littlestone plan --claim .05                         how many rows to label for a claim
    littlestone data breast-cancer > tumours.csv         data to try it on
    littlestone lecture ucl-6                            a lecture, slide by slide
    littlestone warm tracker                             compile it now, for a fast first run
    littlestone serve                                    learners over HTTP, in a log that lasts
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for command in (
    verbs.run, predict.predict, verbs.compare, verbs.intervals, verbs.bandit, verbs.replay, verbs.report,
    learners.list_, show.show, falsify.falsify, claims.certify, claims.plan, data.data, statements.lecture,
    warm.warm, serve.serve, serve.keys, serve.log,
):  # fmt: skip
    main.add_command(command)

if __name__ == "__main__":
    main()
