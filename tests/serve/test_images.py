"""The image and the compose file: their commands are commands, and their services say how they are."""

import json
import re
import shlex
from pathlib import Path

import click
import pytest
import yaml

from littlestone.cli.main import main

ROOT = Path(__file__).parent.parent.parent


def commands():
    """Every command of `littlestone` in the two files, as a list of words."""
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    kinds = re.search(r'KINDS="(.*)"', image).group(1)
    for line in image.splitlines():
        if line.startswith("RUN littlestone"):
            yield shlex.split(line.removeprefix("RUN ").replace("$KINDS", kinds))
        if line.startswith("CMD"):
            yield json.loads(line.removeprefix("CMD "))
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    for service in yaml.safe_load(text)["services"].values():
        if "command" in service:
            yield service["command"]
    for line in text.splitlines():
        if line.startswith("#   docker compose run"):
            yield shlex.split("littlestone" + line.partition("littlestone")[2])


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_each_command_is_one(words):
    program, *rest = words
    assert program == "littlestone"
    command = main
    while isinstance(command, click.Group):
        command, rest = command.commands[rest[0]], rest[1:]
    command.make_context(command.name, rest)


def test_a_standby_waits_on_the_same_database():
    found = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert found["first"]["environment"] == found["second"]["environment"]
    assert found["first"]["command"] == found["second"]["command"]
    assert "littlestone@" not in str(found)
    assert found["first"]["ports"] != found["second"]["ports"]


def test_the_image_runs_as_nobody_and_keeps_no_tests():
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert image.index("USER 65534") < image.index("CMD [")
    assert {"tests", ".*", "docs"} <= set(
        (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    )
