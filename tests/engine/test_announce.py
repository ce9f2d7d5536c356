"""The first play says that it compiles: once, and only where a person is watching."""

import os
import pty
import subprocess
import sys

import pytest

from littlestone.engine.announce import Announcer, announcer
from littlestone.engine.compile import has_numba

PLAYS = """
import littlestone as ls
ls.play(ls.Hedge(), [[0.0, 1.0], [0.0, 1.0]], certify=False)
ls.play(ls.Consistent(), [[0, 1], [0, 1]], [0, 1], certify=False)
"""


def on_terminal(code, cache):
    """What a script writes to standard error where that is a terminal."""
    ours, theirs = pty.openpty()
    env = os.environ | {"NUMBA_CACHE_DIR": str(cache), "LITTLESTONE_ENGINE": ""}
    done = subprocess.run([sys.executable, "-c", code], stderr=theirs, env=env, check=True)
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 1 << 16):
            said += piece
    except OSError:  # the other end is closed, and all has been read
        pass
    os.close(ours)
    assert done.returncode == 0
    return said.decode()


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: nothing is compiled")
def test_the_first_play_on_a_terminal_says_once_that_it_compiles(tmp_path):
    first = on_terminal(PLAYS, tmp_path)
    assert first.splitlines() == [
        "littlestone: compiling Hedge; that takes some seconds, once: the result is kept for the next time"
    ]
    assert on_terminal(PLAYS, tmp_path) == ""  # compiled before


class Terminal:
    """A standard error that is, or is not, a terminal."""

    def __init__(self, watched):
        self.watched, self.said = watched, ""

    def isatty(self):
        return self.watched

    def write(self, text):
        self.said += text

    def flush(self):
        """Nothing waits here."""


@pytest.mark.parametrize("watched", [True, False])
def test_a_log_is_told_of_each_and_a_terminal_of_the_first(monkeypatch, caplog, watched):
    made = Announcer()
    monkeypatch.setattr(sys, "stderr", error := Terminal(watched))
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with caplog.at_level("INFO", logger="littlestone"):
        for name in ("Hedge", "Tracker"):
            made.compiling(name)
    assert [r.getMessage() for r in caplog.records] == ["compiling Hedge", "compiling Tracker"]
    assert error.said.count("\n") == int(watched)


def test_the_command_line_says_it_in_its_own_way():
    from littlestone.cli.status import Status

    before = announcer.quiet
    with Status():
        assert announcer.quiet == before + 1
    assert announcer.quiet == before
