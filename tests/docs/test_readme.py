"""The commands that the README shows print what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from littlestone.cli.main import main

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def words(line: str) -> str:
    """A line without the blanks that only align it."""
    return " ".join(line.split())


def blocks() -> dict[str, list[str]]:
    """Each last command of a block, and the lines that are shown below it."""
    found: dict[str, list[str]] = {}
    for block in re.findall(r"(?:^    .*\n|^\n)+", README, re.M):
        if "$ littlestone" in block:
            *_, command = re.findall(r"\$ littlestone (.*)", block)
            found[command] = [
                words(line) for line in block.partition(command)[2].splitlines() if line.strip()
            ]
    return found


@pytest.fixture
def tumours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    monkeypatch.setenv("COLUMNS", "140")  # as wide as the README shows it, wherever this runs
    done = CliRunner().invoke(main, ["data", "breast-cancer"])
    Path("tumours.csv").write_bytes(done.stdout_bytes)


def test_there_are_two_blocks_and_at_most_130_lines():
    assert [command.split()[0] for command in blocks()] == ["run", "falsify"]
    assert len(README.splitlines()) <= 130


def test_a_csv_file(tumours):
    command = next(c for c in blocks() if c.startswith("run"))
    done = CliRunner().invoke(main, [*command.split(), "--report", ""])
    printed = [words(line) for line in done.stdout.splitlines()]
    missing = [line for line in blocks()[command] if line not in printed]
    assert done.exit_code == 0
    assert missing == []


def test_a_bound_that_is_false(tumours):
    """The attacker and its counts follow the clock, and are left out of the README."""
    command = next(c for c in blocks() if c.startswith("falsify"))
    key, expression = re.fullmatch(r'falsify (\S+) --bound "(.*)"', command).groups()
    done = CliRunner().invoke(main, ["falsify", key, "--bound", expression, "--seconds", "2"])
    printed = words(done.stdout)
    missing = [line for line in blocks()[command] if line not in printed]
    assert missing == []
