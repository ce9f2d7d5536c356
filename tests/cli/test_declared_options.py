"""Options of the command line are declared ones, and mean one thing in every command."""

from __future__ import annotations

import click
import pytest

from littlestone.cli import check, data_kind, default_learner, intervals, runs, scale, verbs
from littlestone.cli.command_options import NAMES, CommandOptions, parse
from littlestone.cli.main import main
from littlestone.cli.predict import predict
from littlestone.core.options import declarations
from littlestone.play.options import PlayOptions
from littlestone.streams.options import ReadOptions

COMMANDS = (
    verbs.run, verbs.compare, verbs.intervals, verbs.bandit, verbs.replay, verbs.report, predict
)  # fmt: skip
MOST = {"run": 53, "compare": 41, "intervals": 23, "bandit": 22, "replay": 11}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_every_option_of_a_command_is_declared(command):
    known = {name: rule for name, rule, _ in declarations(CommandOptions)}
    for option in command.params:
        assert option.name in known
        if isinstance(option, click.Option):
            assert option.group == known[option.name].group
    assert len(command.params) <= MOST.get(command.name, 30)


@pytest.mark.parametrize("name", MOST)
def test_help_teaches_with_two_examples(name):
    text = main.commands[name].help
    lines = [line.strip() for line in text.splitlines()]
    examples = [line for line in lines if line.startswith(f"littlestone {name} ")]
    assert len(examples) == 2


def test_p_is_a_parameter_of_the_learner_in_every_command():
    meant = {
        option.name
        for command in main.commands.values()
        for option in command.params
        if "-p" in option.opts
    }
    assert meant == {"settings"}


def test_names_of_options_in_checks_are_declared():
    named = {
        *check.EXPERTS, *data_kind.EXAMPLES, *default_learner.LINEAR, *intervals.BROUGHT, *runs.ROLES, *scale.PASSED,
        *scale.HERE,
    }  # fmt: skip
    assert named <= NAMES


def test_what_a_command_line_says_is_what_play_takes():
    words = ["a.csv", "--outcome", "y", "--experts", "a*", "--labels", "no,7", "--text", "", "--seed", "3"]  # fmt: skip
    words += ["--cost", "no,yes=5", "--one-copy", "--delay", "2"]
    options = parse(verbs.run.make_context("run", words))
    assert options.file == "a.csv"
    assert options.reading.columns == ("a*",)
    assert (options.labels, options.text) == (["no", 7], ())
    assert (options.playing.seed, options.playing.interleave, options.rounds_late) == (3, False, 2)
    assert options.costs.listed == {("no", "yes"): 5.0}
    assert isinstance(options.reading, ReadOptions)
    assert isinstance(options.playing, PlayOptions)
    left_out = parse(verbs.run.make_context("run", []))
    assert vars(left_out.reading) == vars(ReadOptions())
    assert vars(left_out.playing) == vars(PlayOptions())
