"""Only LittlestoneErrors leave a live learner, whatever it is given: 100,000 calls (`make fuzz` makes a million)."""

import pytest
from fuzz_live import fuzz

import littlestone as ls
from littlestone.core.errors import BadInput

PATIENCE = 10.0  # seconds of CPU for one call, on a machine that may be busy; `make fuzz` allows 1


@pytest.mark.parametrize("seed", range(4))
def test_live_learners_refuse_what_they_cannot_use(seed, monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    wrong = fuzz(25_000, seed, patience=PATIENCE)
    assert not wrong, [(key, repr(what)[:200]) for key, _, what in wrong[:5]]


def test_compiled_learners_refuse_what_they_cannot_use(monkeypatch):
    """The same in compiled code, which has no bounds checks: learners whose machine code the suite has anyway."""
    monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)
    wrong = fuzz(1_500, 5, ["perceptron", "hedge", "online-linear"], 60.0, own=0.0)
    assert not wrong, [(key, repr(what)[:200]) for key, _, what in wrong[:5]]


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (lambda: ls.Hedge().start(0), "n, the number of experts, must be a whole number from 1"),
        (lambda: ls.Hedge().start(3, seed=-1), "seed must be a whole number from 0 to"),
        (lambda: ls.Thompson().start(3, seed=2**63), "seed must be a whole number"),
        (lambda: ls.Hedge().start(3, rounds=1.5), "rounds must be a whole number"),
        (
            lambda: ls.Hedge().start(3, interval=(0, float("inf"))),
            "interval must be finite and have low < high",
        ),
        (lambda: ls.Softmax().start(3, labels=("a", "a")), "occurs twice"),
        (lambda: ls.Softmax().start(3, labels=(["a"], "b")), "neither a number nor text"),
        (lambda: ls.OnlineLinear().start(10**9), "would take .* GiB of memory"),
        (lambda: ls.SecondOrderPerceptron().start(10**6), "would take .* GiB of memory"),
        (lambda: ls.LinUCB().start(3, features=10**6), "would take .* GiB of memory"),
        (lambda: ls.Hedge().start(10**9), "begin with at most 4,194,304"),
        (lambda: ls.EXP4().start(3, features=10**9), "begin with at most 4,194,304"),
        (lambda: ls.Hedge().start(3, interval=(0, 5e-324)), "too short to compute with"),
        (lambda: ls.LinearThompson(draws=10**9), "draws must be a whole number in"),
        (lambda: ls.Thompson(a=1e-8, b=1e-8), "a must be a number in"),
        (lambda: ls.learner("kl-ucb", c=1e6), "c must be a number in"),
        (lambda: ls.learner("meg-imcsi", row_kernel=10**400), "must be a square matrix of numbers"),
    ],
)
def test_a_learner_that_cannot_begin_says_why(start, words):
    with pytest.raises(BadInput, match=words):
        start()


@pytest.mark.parametrize("key", ["saocp", "sf-ogd"])
def test_a_level_so_small_that_nothing_is_to_be_learned(key, monkeypatch):
    """1 - level is 1 in floating point: a round that is missed has the slope 0, and moves nothing."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    learner = ls.learner(key, level=1e-300).start(2)
    for _ in range(3):
        learner.update([0.0, 1.0], 5.0)
    assert learner.predict([0.0, 1.0]) == pytest.approx(
        ls.learner(key).start(2).predict([0.0, 1.0])
    )


def test_a_large_table_of_factors_begins_at_once(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    wrong = fuzz(400, 0, ["matrix-factorisation"])
    assert not wrong, wrong
    from littlestone.core.numeric import uniform
    from littlestone.matrices.matrix_factorisation import scattered

    made = scattered(3, 2, 7, 1)
    for i in range(3):
        for k in range(2):
            assert made[i, k] == (2.0 * uniform(7, 2 * i + 1, k) - 1.0) / 2**0.5
    assert not made[:, 2].any()
