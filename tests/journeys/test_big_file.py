"""A file that takes a while: it is saved on the way, stopped, killed, and goes on where it was."""

import signal
import time

import numpy as np
import pytest
from journeys.command import littlestone, start

import littlestone as ls
from littlestone.live.digest import digest

ROWS = 10_000
WORDS = [
    "run",
    "big.csv",
    "--outcome",
    "y",
    "--task",
    "regression",
    "--no-certify",
    "--save",
    "m.ls",
]


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    folder = tmp_path_factory.mktemp("big")
    rng = np.random.default_rng(0)
    X = rng.random((ROWS, 3)).round(3)
    y = (X @ [1.0, 2.0, -1.0] + rng.normal(0, 0.1, ROWS)).round(4)
    lines = [f"{b},{a[0]},{a[1]},{a[2]}" for a, b in zip(X, y, strict=True)]
    (folder / "big.csv").write_text("\n".join(["y,a,b,c", *lines]) + "\n", encoding="utf-8")
    littlestone(*WORDS[:-1], "whole.ls", cwd=folder)
    return folder


def stopped(folder, number):
    """A run that is sent a signal once it has saved for the first time: its exit code, and what it said."""
    (folder / "m.ls").unlink(missing_ok=True)
    process = start(*WORDS, "--save-every", "500", cwd=folder)
    began = time.monotonic()
    while not (folder / "m.ls").exists() and time.monotonic() - began < 30:
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    return process.returncode, err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_goes_on_and_is_the_uninterrupted_one(big, number):
    code, err = stopped(big, number)
    rounds = ls.load(big / "m.ls").live.t
    assert 0 < rounds < ROWS
    if number == signal.SIGKILL:
        assert code == -number
    else:
        assert code == 128 + number
        assert f"stopped after {rounds:,} rows; what was learned is in m.ls" in err
        assert f"--load m.ls --skip {rounds}" in err
    out, _ = littlestone(*WORDS, "--load", "m.ls", "--skip", rounds, cwd=big)
    assert f"{ROWS - rounds:,} rounds" in out
    ours, whole = (ls.load(big / name) for name in ("m.ls", "whole.ls"))
    assert ours.live.t == whole.live.t == ROWS
    assert digest(ours.live) == digest(whole.live)
    assert [p.name for p in big.iterdir() if p.name.startswith(".m.ls")] == []


def test_words_about_saving_that_make_no_sense_are_refused(big):
    for words, why in (
        (["--save-every", "often"], "write a time"),
        (["--skip", ROWS + 1], "cannot be skipped"),
    ):
        _, err = littlestone(*WORDS, *words, cwd=big, code=2)
        assert why in err
    _, err = littlestone("run", "big.csv", "--outcome", "y", "--save-every", "60s", cwd=big, code=2)
    assert "--save-every needs --save FILE.ls" in err
