"""The command line: a thin layer, which turns words into calls and results into tables."""

from __future__ import annotations

import sys
from typing import Any

import click

from .. import __version__
from ..core.errors import LittlestoneError


class Quiet(click.Group):
    """A user's mistake is one message and exit code 2, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LittlestoneError as problem:
            click.echo(f"littlestone: {problem}", err=True)
            sys.exit(2)
        except KeyboardInterrupt:
            click.echo("littlestone: stopped", err=True)
            sys.exit(130)


@click.group(
    cls=Quiet, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="littlestone")
def main() -> None:
    """Online learning whose learners carry their theorems.

    \b
    littlestone run                                          a built-in stream, the default learner
    littlestone run prices.csv --outcome "Real price"        several forecasters, one forecast
    littlestone compare prices.csv --outcome price --learner hedge --learner fixed-share
    littlestone list                                         every learner
    littlestone show fixed-share                             one of them: rules, parameters, theorem
    """


def commands() -> None:
    from . import learners, runs

    for command in (runs.run, runs.compare, runs.report, learners.list_, learners.show):
        main.add_command(command)


commands()

if __name__ == "__main__":
    main()
