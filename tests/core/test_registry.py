"""Learners by key: their own file is imported, and the others are not."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

import littlestone as ls
from littlestone.core.registry import learners


def test_a_learner_is_found_by_its_key_without_importing_the_others():
    code = (
        "import sys, littlestone as ls; ls.learner('fixed-share'); "
        "print([m for m in sys.modules if m.startswith('littlestone.linear')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "[]"


def test_every_key_is_the_name_of_a_public_class():
    names = {name.lower() for name in ls.__all__}
    ours = {k: c for k, c in learners().items() if c.__module__.startswith("littlestone.")}
    assert ours
    assert [key for key in ours if key.replace("-", "") not in names] == []


def test_a_learner_of_the_user_is_found_by_its_key():
    class Mine(ls.Hedge):
        key = "mine-and-no-other"

    assert type(ls.learner("mine-and-no-other")) is Mine
    del Mine
    gc.collect()  # no other test knows of it


def test_a_key_that_is_close_to_one_is_mended():
    with pytest.raises(ls.BadInput, match="did you mean hedge"):
        ls.learner("hegde")
