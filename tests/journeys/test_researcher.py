"""A researcher: a learner of one's own with its theorem, attacked, mended, checked, over seeds, and on paper."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest

LEARNERS = '''
"""Two learners that are in no package."""

from typing import NamedTuple

import numpy as np

from littlestone.core.guarantee import BOUNDED, Guarantee
from littlestone.core.learner import Learner
from littlestone.games import Allocation
from littlestone.live.bandit_learner import BanditLearner


class State(NamedTuple):
    L: np.ndarray  # total loss of each expert
    p: np.ndarray  # the decision: 1 for the leader, 0 for the others
    changes: float  # how often the leader changed


def theorem(times):
    return Guarantee(
        "T-1", "follow the leader", f"loss - L_i <= {times} B times the changes of the leader", "a draft",
        lambda s: times * s.B * s.changes, assumptions=(BOUNDED,),
    )


class MyLeader(Learner):
    """Follow the expert that has lost least."""

    bounded = True
    guarantees = (theorem(0.5),)
    diagnostics = ("changes",)

    def game(self, allocation):
        return Allocation()

    def begin(self, shape):
        return State(np.zeros(shape.n), np.eye(shape.n)[0], 0.0)

    def decide(self, state, x):
        return state.p

    def learn(self, state, x, p, f):
        old, new = 0, 0
        for i in range(f.ell.shape[0]):
            old = i if state.p[i] > 0.0 else old
            state.L[i] += f.ell[i]
            new = i if state.L[i] < state.L[new] else new
        state.p[old] = 0.0
        state.p[new] = 1.0
        return State(state.L, state.p, state.changes + (1.0 if new != old else 0.0))

    def write_diagnostics(self, state, M):
        M[0] = state.changes


class Pulls(NamedTuple):
    v: np.ndarray


class MyUniform(BanditLearner):
    """Pull any arm."""

    def begin(self, shape):
        return Pulls(np.full(shape.n, 1.0 / shape.n))

    def decide(self, state, x):
        return state.v

    def learn(self, state, x, v, f):
        return state
'''

SCRIPT = """
import json
import numpy as np
import littlestone as ls
from littlestone.testing import Row, check_learner
from mine import MyLeader, MyUniform, theorem

# 1. the draft says half of what is true; a search finds the run that shows it, and the run can be played again
found = ls.falsify("my-leader", runs=300, seed=1)
said = {"broken": found.broken, "ratio": found.ratio, "again": str(found.run().certificate.verdicts[0].verdict)}

# 2. the theorem is mended, and survives
MyLeader.guarantees = (theorem(1.0),)
found = ls.falsify(MyLeader(), runs=150, seed=1)
said |= {"mended": found.broken, "closest": found.ratio}

# 3. the learner is held to what every learner is held to
row = Row(
    y=[(1, 0), (0, 1), (1, 0)], decisions=[(1, 0), (0, 1), (1, 0), (0, 1)], loss=3, state={"L": [2, 1]},
    theorem="T-1", bound=3,
)
check_learner(MyLeader(), row)

# 4. beside others, on the same losses, with a certificate; on paper, and as a table
losses = np.random.default_rng(0).random((300, 5)) * [0.2, 1, 1, 1, 1]
run = ls.play("my-leader", losses)
said |= {"verdict": run.certificate.verdict, "hedge": ls.play("hedge", losses).loss, "loss": run.loss}
run.report("run.html")
run.to_frame().to_csv("run.csv")

# 5. one that draws: many seeds, and the same seeds give the same runs
many = ls.play(MyUniform(), losses[:50], seeds=8)
more = ls.play(MyUniform(), losses[:50], seeds=8)
said["means"] = [float(np.mean(many.losses)), float(np.mean(more.losses))]
print(json.dumps(said))
"""


def test_a_learner_of_ones_own(tmp_path):
    (tmp_path / "mine.py").write_text(LEARNERS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        cwd=tmp_path, env=os.environ | {"LITTLESTONE_ENGINE": "plain"}, capture_output=True,
        text=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said["broken"]
    assert said["ratio"] > 1.0
    assert said["again"] == "broken"
    assert not said["mended"]
    assert said["closest"] <= 1.0 + 1e-9
    assert said["verdict"] == "kept"
    assert said["loss"] == pytest.approx(said["hedge"], rel=0.2)
    assert said["means"][0] == said["means"][1]
    frame = pd.read_csv(tmp_path / "run.csv")
    assert len(frame) == 300
    assert "my-leader" in (tmp_path / "run.html").read_text(encoding="utf-8")
