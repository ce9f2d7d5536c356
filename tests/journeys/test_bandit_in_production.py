"""A bandit that chooses offers for visitors: served by one process, killed without warning, taken up by the next."""

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput

OFFERS = ["red", "green", "blue"]
SERVICE = """
import sys
import littlestone as ls

learner = ls.load("offers.ls")
learner.recover("tickets.log")
learner.log_tickets("tickets.log")
for line in sys.stdin:
    hour, age = map(float, line.split())
    ticket = learner.ask({"age": age, "hour": hour})
    print(ticket.id, ticket.prediction, ticket.decision.tolist()[0], flush=True)
"""


@pytest.fixture(autouse=True)
def _plain(plain):
    """Nothing here needs compiled code."""


def serve(cwd, visitors, kill=False):
    """Ask for an offer for each visitor, in a process of its own; `kill`: it never gets to its end."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVICE],
        cwd=cwd, env=os.environ | {"LITTLESTONE_ENGINE": "plain"}, text=True, encoding="utf-8",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    answers = []
    for hour, age in visitors:
        process.stdin.write(f"{hour} {age}\n")
        process.stdin.flush()
        answers.append(process.stdout.readline().split())
    if kill:
        os.kill(process.pid, signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (-signal.SIGKILL if kill else 0), said
    return answers


def test_offers_from_a_log_to_a_service_that_is_killed(tmp_path):
    # 1. what another system chose, and with which probability: the first lesson
    learner = ls.LinUCB(width=0.5).start(OFFERS, features=["hour", "age"], seed=1)
    log = pd.DataFrame(
        {
            "offer": ["red", "green", "blue", "green"] * 5,
            "hour": np.linspace(0.0, 1.0, 20),
            "age": np.linspace(1.0, 0.0, 20),
            "sold": [0, 1, 0, 1] * 5,
        }
    )
    for _, seen in log.iterrows():
        visitor = seen[["age", "hour"]].astype(float)  # in another order: names are matched
        learner.update(visitor, seen.offer, propensity=1 / 3, reward=float(seen.sold))
    assert learner.predict({"hour": 0.5, "age": 0.5}) == "green"
    assert set(learner.predict(log[["age", "hour"]])) <= set(OFFERS)
    learner.save(tmp_path / "offers.ls")

    # 2. in service; the process is killed between its answers and what became of them
    visitors = [(0.2, 0.9), (0.8, 0.1), (0.5, 0.5)]
    asked = serve(tmp_path, visitors, kill=True)
    assert [offer for _, offer, _ in asked] == [
        learner.predict({"hour": hour, "age": age}) for hour, age in visitors
    ]

    # 3. the next process knows every decision, and is told by the id that the shop wrote down
    again = ls.load(tmp_path / "offers.ls")
    assert again.recover(tmp_path / "tickets.log") == 3
    again.log_tickets(tmp_path / "tickets.log")
    assert [t.id for t in again.tickets] == [name for name, _, _ in asked]
    for name, _, _ in asked[:2]:
        again.tell(name, reward=0.0)
    with pytest.raises(BadInput, match="told before"):
        again.tell(asked[0][0], reward=1.0)
    with pytest.raises(BadInput, match="arm 'grey' is none of the arms: they are red, green, blue"):
        again.update({"hour": 0.5, "age": 0.5}, "grey", reward=1.0)

    # 4. it equals a learner that was never interrupted
    for hour, age in visitors:
        learner.ask({"hour": hour, "age": age})
    for ticket in learner.tickets[:2]:
        learner.tell(ticket, reward=0.0)
    assert np.array_equal(again.state.theta, learner.state.theta)

    # 5. and another crash, while nothing was saved, loses nothing either
    del again
    serve(tmp_path, [(0.1, 0.1)], kill=True)
    third = ls.load(tmp_path / "offers.ls")
    assert third.recover(tmp_path / "tickets.log") == 6  # four were asked, and two told
    assert len(third.tickets) == 2
    for ticket in third.tickets:
        third.tell(ticket.id, reward=1.0)
    assert np.isfinite(third.propensities({"hour": 0.5, "age": 0.5})).all()
