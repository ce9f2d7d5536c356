"""Indices with large gaps: the size is estimated before memory is taken, and saved learners hold what is not zero."""

import numpy as np
import pytest
import scipy.sparse as sp

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.game import PER_COORDINATE
from littlestone.core.registry import learners
from littlestone.live.store import from_bytes, to_bytes
from littlestone.testing.compare import same

FAR = (1 << 26) - 1


@pytest.fixture(autouse=True)
def _plain(plain):
    """Nothing here needs compiled code."""


def row(i):
    return sp.csr_array((np.ones(1), (np.zeros(1, int), np.array([i]))), shape=(1, FAR + 1))


def rows(*indices):
    return sp.vstack([row(i) for i in indices]).tocsr()


FARTHER = (3, FAR, 9_000_000, 3, FAR)  # indices of five examples of one feature each
Y = [0, 1, 1, 0, 1]


def sparse_learners():
    """The learners that take sparse examples of any features."""
    found = []
    for key, cls in sorted(learners().items()):
        made = cls()
        if not (made.examples and made.sparse) or made.boolean or "graph" in made.parameters:
            continue
        if made.game(False).traits().decision != PER_COORDINATE:
            found.append(key)
    return found


def test_a_file_of_two_lines_with_a_large_index(tmp_path):
    path = tmp_path / "a.libsvm"
    path.write_text(f"1 1:1 3:2\n-1 {FAR}:2\n", encoding="utf-8")
    for key in ("perceptron", "online-linear"):
        run = ls.play(key, path)
        learner = run.learner
        assert learner.live.shape.n < 100  # the state grows with what is used
        assert "indices have large gaps" in " ".join(run.transcript.remarks)
        assert ls.play(key, path, bits=10).learner.live.shape.n <= 2048


@pytest.mark.parametrize("key", sparse_learners())
def test_large_indices_are_played_as_small_ones_are(key):
    """Places are given in the order of occurrence: the same rounds, numbered so, give the same predictions."""
    made = {"frequencies": 4} if hasattr(learners()[key], "frequencies") else {}
    far = ls.play(ls.learner(key, **made), rows(*FARTHER), Y)
    near = ls.play(ls.learner(key, **made), rows(0, 1, 2, 0, 1)[:, :3], Y)
    assert far.predictions.tolist() == near.predictions.tolist()
    assert same(far.learner.state, near.learner.state)
    assert [str(v.verdict) for v in far.certificate] == [str(v.verdict) for v in near.certificate]
    assert far.learner.predict(row(FAR)) == near.learner.predict(row(1)[:, :3])
    many = far.learner.predict(rows(FAR, 3, 9_000_000))
    assert many.tolist() == near.learner.predict(rows(1, 0, 2)[:, :3]).tolist()
    again = from_bytes(to_bytes(far.learner))
    assert again.digest() == far.learner.digest()
    assert again.predict(row(9_000_000)) == far.learner.predict(row(9_000_000))
    rest = ls.play(again, rows(FAR, 40_000_000, 3), [0, 1, 1], resume=True)
    near = ls.play(near.learner, rows(1, 3, 0)[:, :4], [0, 1, 1], resume=True)
    assert rest.predictions.tolist() == near.predictions.tolist()
    assert same(rest.learner.state, near.learner.state)


def test_one_row_at_a_time_is_the_same():
    learner = ls.OnlineLinear()
    for i, y in zip(FARTHER, Y, strict=True):
        learner.update(row(i), y)
    played = ls.play("online-linear", rows(*FARTHER), Y).learner
    for i in (3, FAR, 9_000_000, 77):
        assert learner.live.decide(row(i)).tolist() == played.live.decide(row(i)).tolist()
    assert learner.live.shape.n < 100


def test_a_row_that_is_refused_gives_no_places():
    learner = ls.OnlineLinear().update(row(3), 1)
    before = learner.digest()
    with pytest.raises(BadInput, match="67108863"):
        learner.update(np.nan * row(FAR), 0)
    assert learner.digest() == before
    assert learner.predict(row(FAR)) == 1  # a feature that was never learned from
    learner.update(row(FAR), 0)
    assert learner.live.shape.n < 100


def test_weights_go_by_the_index():
    learner = ls.play("perceptron", rows(*FARTHER), Y).learner
    assert list(learner.named_weights()) == ["3", str(FAR), "9000000"]
    assert (
        learner.predict({FAR: 1.0}) == learner.predict({str(FAR): 1.0}) == learner.predict(row(FAR))
    )
    ticket = learner.ask(row(FAR))
    learner.tell(ticket, 0)
    assert list(learner.named_weights()) == ["3", str(FAR), "9000000"]


def test_indices_that_were_places_before_stay_places():
    """The first batch has no gaps; those of the next one get the places behind."""
    parts = [(rows(*range(200)), [t % 2 for t in range(200)]), (rows(FAR, 5), [1, 0])]
    learner = ls.play("perceptron", iter(parts)).learner
    table = learner.live.setting.features
    assert table[5] == 5
    assert table[FAR] >= 200


def test_a_saved_learner_holds_what_is_not_zero(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(300)])
    path = tmp_path / "m.csv"
    lines = [f"{'ham' if t % 2 else 'spam'},{' '.join(rng.choice(words, 12))}" for t in range(120)]
    path.write_text("label,message\n" + "\n".join(lines) + "\n", encoding="utf-8")
    learner = ls.play("online-linear", path, outcome="label", text="message").learner
    assert learner.live.shape.n > 1 << 17  # places for words, of which 300 are used
    assert learner.save(tmp_path / "m.ls").stat().st_size < 300_000
