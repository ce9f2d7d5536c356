"""One learner a customer: thousands in one process, put aside and taken up again; readers in other threads."""

import sys
import threading

import numpy as np
import pytest

import littlestone as ls
from littlestone.live.store import from_bytes, to_bytes


@pytest.fixture(autouse=True)
def _plain(plain):
    """Nothing here needs compiled code."""


def test_customers_come_and_go():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    y = np.where(X[:, 0] > 0.0, "stay", "leave")
    fleet = {i: ls.OnlineLinear() for i in range(60)}
    for i, learner in fleet.items():
        for j in range(3):
            learner.update(X[(i + j) % 60], y[(i + j) % 60])
    aside = {i: to_bytes(learner) for i, learner in fleet.items()}
    assert max(map(len, aside.values())) < 8_000
    for i, raw in aside.items():
        again = from_bytes(raw)
        again.update(X[i % 60], y[i % 60])
        fleet[i].update(X[i % 60], y[i % 60])
        assert again.digest() == fleet[i].digest()
    # each has learned from its own rounds alone
    assert len({learner.digest() for learner in fleet.values()}) == 60


@pytest.mark.parametrize("key", ["online-linear-regression", "hedge", "linucb"])
def test_threads_share_a_frozen_copy(key):
    rng = np.random.default_rng(0)
    X = rng.random((120, 6))
    learner = ls.learner(key)
    if key == "hedge":
        learner.start(6, allocation=False)
    elif key == "linucb":
        learner.start(3, features=6)
    for t, x in enumerate(X):
        if key == "linucb":
            learner.update(x, t % 3, float(x[t % 3]), propensity=0.5)
        else:
            learner.update(x, float(x[0]))
    still = learner.frozen()
    expected = [still(x) for x in X]
    wrong = []

    def read(first):
        for i in range(first, len(X), 4):
            if still(X[i]) != expected[i]:
                wrong.append(i)

    pause = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns in the middle of a prediction
    try:
        threads = [threading.Thread(target=read, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(pause)
    assert wrong == []
