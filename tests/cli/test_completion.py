"""Shell completion: what docs/settings.md writes into the files of shells completes commands and options."""

import os
import shutil
import subprocess
import sys

import pytest
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from littlestone.cli.main import main

# The function that bash calls is given the name of the command, as bash itself gives it.
ASK = """
eval "$(_LITTLESTONE_COMPLETE=bash_source littlestone)"
for words in "littlestone ru" "littlestone run --learn"; do
    COMP_WORDS=($words) COMPREPLY=()
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _littlestone_completion littlestone
    echo "${COMPREPLY[@]}"
done
"""


@pytest.mark.parametrize("shell", [BashComplete, ZshComplete, FishComplete])
def test_commands_and_options_are_completed(shell):
    completes = shell(main, {}, "littlestone", "_LITTLESTONE_COMPLETE")
    assert "run" in [item.value for item in completes.get_completions([], "r")]
    assert "--learner" in [item.value for item in completes.get_completions(["run"], "--lear")]


@pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(tmp_path):
    command = tmp_path / "littlestone"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m littlestone "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout.split() == ["run", "--learner"], done.stderr
