"""A learner that was pickled is used in a process that has made no learner of its class."""

from __future__ import annotations

import base64
import pickle
import subprocess
import sys

import pytest

import littlestone as ls

CODE = """
import base64, pickle, sys
learner = pickle.loads(base64.b64decode(sys.argv[1]))
print(len(learner.params), learner.update([0.0, 1.0]).predict().tolist())
"""


@pytest.mark.parametrize("learner", [ls.MLPoly(), ls.Hedge(eta=1.0)])
def test_a_learner_that_has_not_begun_is_pickled_to_another_process(learner):
    text = base64.b64encode(pickle.dumps(learner)).decode()
    done = subprocess.run(
        [sys.executable, "-c", CODE, text], capture_output=True, text=True, encoding="utf-8",
        env={"LITTLESTONE_ENGINE": "plain", "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    weights = learner.update([0.0, 1.0]).predict().tolist()
    assert done.stdout.split(maxsplit=1)[1].strip() == str(weights)
