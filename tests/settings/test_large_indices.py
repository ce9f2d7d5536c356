"""Indices with large gaps: the size is estimated before memory is taken, and saved learners hold what is not zero."""

import numpy as np
import pytest
import scipy.sparse as sp

import littlestone as ls
from littlestone.core.errors import BadInput

FAR = (1 << 26) - 1
WORDS = r"the largest index is beyond 33,554,432, and there were \d numbers so far: .* GiB of memory .*bits=18"


@pytest.fixture(autouse=True)
def _plain(plain):
    """Nothing here needs compiled code."""


def row(i):
    return sp.csr_array((np.ones(1), (np.zeros(1, int), np.array([i]))), shape=(1, FAR + 1))


def test_a_file_of_two_lines_with_a_large_index(tmp_path):
    path = tmp_path / "a.libsvm"
    path.write_text(f"1 1:1 3:2\n-1 {FAR}:2\n")
    for key in ("perceptron", "online-linear"):
        with pytest.raises(BadInput, match=WORDS):
            ls.play(key, path)
        learner = ls.play(key, path, bits=10).learner  # as the message says
        assert learner.live.shape.n <= 2048


def test_a_matrix_and_a_row_with_a_large_index():
    with pytest.raises(BadInput, match=WORDS):
        ls.play("perceptron", sp.vstack([row(3), row(FAR)]).tocsr(), [0, 1])
    learner = ls.OnlineLinear().update(row(3), 1)
    before = learner.digest()
    with pytest.raises(BadInput, match=WORDS):
        learner.update(row(FAR), 0)
    assert learner.digest() == before
    assert learner.predict(row(FAR)) == 1  # a feature that was never learned from
    learner.update(row(100_000), 0)  # that much is no question


def test_a_saved_learner_holds_what_is_not_zero(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(300)])
    path = tmp_path / "m.csv"
    lines = [f"{'ham' if t % 2 else 'spam'},{' '.join(rng.choice(words, 12))}" for t in range(120)]
    path.write_text("label,message\n" + "\n".join(lines) + "\n")
    learner = ls.play("online-linear", path, outcome="label", text="message").learner
    assert learner.live.shape.n > 1 << 17  # places for words, of which 300 are used
    assert learner.save(tmp_path / "m.ls").stat().st_size < 300_000
