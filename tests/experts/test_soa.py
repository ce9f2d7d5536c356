"""The standard optimal algorithm: no sequence beats T-SOA, an adversary attains it, and what is refused."""

from functools import cache

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput, NotRealizable
from littlestone.experts import soa
from littlestone.theory import intervals, littlestone_dimension, rectangles, thresholds

CLASSES = {
    "thresholds": thresholds(range(9)),
    "intervals": intervals(range(6)),
    "rectangles": rectangles([[0, 2], [0, -1], [1, 0], [-1, 1]]),
    "singletons": np.eye(7),
    "one": np.array([[0, 1]]),
    **{f"random {s}": np.random.default_rng(s).random((9, 5)) < 0.4 for s in range(5)},
}
EVERY = pytest.mark.parametrize("H", CLASSES.values(), ids=CLASSES)
TIES = pytest.mark.parametrize("tie", [0, 1])


def started(H, tie=1):
    return ls.SOA(hypotheses=H, tie=tie).start(1, labels=(0, 1))


@EVERY
@TIES
def test_an_adversary_attains_the_dimension(H, tie):
    """It walks down a shattered mistake tree, and always says that the prediction was wrong."""
    d = littlestone_dimension(H)
    learner, node, x, y = started(H, tie), d.tree, [], []
    while isinstance(node, tuple):
        point, zero, one = node
        predicted = learner.predict([point])
        x.append([point])
        y.append(1 - predicted)
        learner.update([point], 1 - predicted)
        node = zero if predicted else one
    assert len(x) == d
    if not x:
        return
    run = ls.play(ls.SOA(hypotheses=H, tie=tie), x, y, labels=(0, 1), engine="plain")
    (verdict,) = run.certificate
    assert (verdict.verdict, verdict.measured, verdict.bound) == ("kept", d, d)


@EVERY
@TIES
def test_no_sequence_makes_it_err_more_often(H, tie):
    """The whole game: every point, every label that some hypothesis still agrees with."""
    S = np.asarray(H) > 0
    scores, after, d = soa.table(S.shape, S.tobytes(), tie)
    assert d == littlestone_dimension(H)

    @cache
    def worst(node, left):
        most = 0
        for j in range(S.shape[1]):
            for y in (0, 1):
                still = frozenset(i for i in left if S[i, j] == y)
                erred = int(scores[node, j] > 0 or (scores[node, j] == 0 and tie)) != y
                if still and (erred or still != left):
                    then = int(after[node, j]) if erred else node
                    assert then >= 0
                    most = max(most, erred + worst(then, still))
        return most

    assert worst(0, frozenset(range(len(S)))) == d


def test_halving_can_do_worse():
    """Five of nine say 1 at point 0, and can cost one mistake; the four who say 0 can cost two."""
    cheap = [[1, 0, 0, *row] for row in np.eye(5, dtype=int)]
    dear = [[0, a, b, 0, 0, 0, 0, 0] for a in (0, 1) for b in (0, 1)]
    H = np.array([*cheap, *dear])
    assert littlestone_dimension(H) == 2
    x, y = [0, 1, 2], [0, 0, 0]  # a tie goes to 1
    halving = ls.play("halving", H[:, x].T, y, labels=(0, 1), engine="plain")
    optimal = ls.play(ls.SOA(hypotheses=H), [[j] for j in x], y, labels=(0, 1), engine="plain")
    assert (halving.loss, optimal.loss) == (3, 0)


def test_labels_that_no_hypothesis_explains_are_refused_and_change_nothing():
    learner = started(thresholds(range(3)))
    learner.update([0], 1)
    before = learner.state.alive.copy()
    with pytest.raises(NotRealizable, match="every hypothesis has erred"):
        learner.update([2], 0)
    assert learner.state.alive.tolist() == before.tolist()


def test_what_is_refused():
    with pytest.raises(BadInput, match="soa needs its class"):
        ls.SOA().start(1, labels=(0, 1))
    with pytest.raises(BadInput, match=r"soa: hypotheses: row 1, column 2.*not 3"):
        ls.SOA(hypotheses=[[0, 3]])
    with pytest.raises(BadInput, match="these have 2 features"):
        ls.SOA(hypotheses=np.eye(3)).start(2, labels=(0, 1))
    with pytest.raises(BadInput):
        started(np.eye(3)).predict([3])


def test_a_class_that_is_too_rich_is_refused(monkeypatch):
    monkeypatch.setattr(soa, "LIMIT", 60)
    with pytest.raises(BadInput, match="more than 7 sets of these 37 hypotheses on 8 points"):
        started(intervals(range(8)))
