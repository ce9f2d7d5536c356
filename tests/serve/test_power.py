"""Power cuts at any write: with synchronous=FULL nothing that was acknowledged is lost, with NORMAL it is."""

import random

import pytest
from serve.power import Disk, Step, power_cuts, recorded

from littlestone.serve.sqlite_store import FILE

pytestmark = pytest.mark.usefixtures("plain")


def test_a_power_cut_loses_nothing_that_was_acknowledged(tmp_path):
    found = power_cuts(tmp_path, 500, "full")
    assert (found["cuts"], found["wrong"]) == (500, 0)


def test_without_syncs_at_commits_it_does(tmp_path):
    found = power_cuts(tmp_path, 100, "normal")
    assert found["wrong"] > 10
    assert "acknowledged commits" in found["first"][0]


def test_recordings_have_commits_and_checkpoints(tmp_path):
    steps = recorded(tmp_path, 60, "full", 0).steps
    assert sum(step.what == "answer" for step in steps) == 60
    synced = [step.file for step in steps if step.what == "sync"]
    assert synced.count(f"{FILE}-wal") >= 60
    assert synced.count(FILE) > 3


def test_a_cut_keeps_what_was_synced_and_any_sector_of_the_rest():
    disk = Disk()
    for step in (
        Step("write", "a", 0, b"x" * 1024),
        Step("sync", "a"),
        Step("write", "a", 512, b"y" * 1024),
    ):
        disk.do(step)
    found = {disk.cut(random.Random(seed))["a"] for seed in range(200)}
    x, y = b"x" * 512, b"y" * 512
    assert found == {x + x, x + y, x + x + y, x + y + y}
