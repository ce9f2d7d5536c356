"""`copy.deepcopy` of a learner that has begun: it goes on as the original does, and apart from it."""

import copy

import numpy as np
import pytest

import littlestone as ls

rng = np.random.default_rng(0)
X, A = rng.standard_normal((80, 5)), rng.random((80, 5))
labels = np.where(X @ rng.standard_normal(5) > 0, "yes", "no").tolist()


def advised():
    return ls.learner("hedge", eta=0.5, loss=ls.Square(0.0, 1.0))


LEARNERS = {
    "perceptron": lambda: ls.learner("perceptron"),
    "constant": lambda: ls.learner("perceptron", intercept=True),
    "online-linear": lambda: ls.learner("online-linear"),
    "softmax": lambda: ls.learner("softmax"),
    "hedge": advised,
}


def rounds(key):
    return list(
        zip(A, A[:, 0].tolist(), strict=True) if key == "hedge" else zip(X, labels, strict=True)
    )


@pytest.mark.parametrize("key", LEARNERS)
def test_a_deep_copy_goes_on_as_the_original(engine, key):
    given = rounds(key)
    one, apart = LEARNERS[key](), LEARNERS[key]()
    for x, y in given[:40]:
        one.update(x, y)
        apart.update(x, y)
    other = copy.deepcopy(one)
    for x, y in given[40:]:
        assert other.predict(x) == apart.predict(x)
        other.update(x, y)
        apart.update(x, y)
    x, y = given[0]
    with pytest.raises(ls.LittlestoneError):
        other.update(x * np.inf, y)
    assert other.predict(x) == apart.predict(x)
    for x, y in given[40:]:  # the original has not moved
        one.update(x, y)
    assert all(one.predict(x) == apart.predict(x) for x, _ in given)
