"""Intervals that go on from a file: guarded ones keep their guard, late ones the truths that have not come."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput

pytestmark = pytest.mark.usefixtures("plain")
KEYS = ["cover", "quantile-tracker", "aci", "sf-ogd", "decaying-tracker"]
CUT, T = 70, 140


def rounds():
    """Scores that grow: without a guard most rounds are missed."""
    rng = np.random.default_rng(0)
    y = 10.0 * np.arange(T) + rng.normal(size=T)
    y[::11] = np.nan
    return np.zeros(T), y


def limits(piece):
    return np.array([piece.lower[0.9], piece.upper[0.9]])


@pytest.mark.parametrize("delay", [0, 3])
@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("key", KEYS)
def test_intervals_go_on_from_a_file_as_if_they_had_not_stopped(key, guarded, delay, tmp_path):
    x, y = rounds()
    given = {"learner": key, "guarded": guarded, "delay": delay}
    whole = ls.intervals(x, y, **given)
    half = ls.intervals(x[:CUT], y[:CUT], **given)
    if delay and not any(g.late for g in half.learner.guarantees):
        with pytest.raises(BadInput, match="copies that take turns, and a file keeps one"):
            half.save(tmp_path / "i.ls")
        return
    half.save(tmp_path / "i.ls")
    expected = np.array([whole.lower, whole.upper])[:, CUT:]
    chain = ls.load(tmp_path / "i.ls")
    for one in (chain, half.chain):  # from the file, and where it is
        np.testing.assert_array_equal(limits(one.feed(x[CUT:], y[CUT:])), expected)
        np.testing.assert_array_equal(
            limits(one.predict([0.0])), limits(whole.chain.predict([0.0]))
        )
    end = next(iter(chain.finish().values()))
    assert (end.guard is None) is not guarded
    if guarded:
        assert end.guard == whole.guard


def test_a_guard_counts_on_from_a_file(tmp_path):
    y = 10.0 * np.arange(400)
    given = {"learner": "quantile-tracker", "guarded": True}
    ls.intervals(np.zeros(200), y[:200], **given).save(tmp_path / "i.ls")
    chain = ls.load(tmp_path / "i.ls")
    piece = chain.feed(np.zeros(200), y[200:])
    assert (y[200:] > piece.upper[0.9]).sum() == 15
    end = chain.finish()[0.9]
    assert end.guard.rounds == 400
    assert end.guard.verdict().verdict == "kept"


def test_what_is_said_next_is_guarded():
    y = 10.0 * np.arange(40)
    found = ls.intervals(np.zeros(40), y, learner="quantile-tracker", guarded=True, delay=3)
    following = ls.intervals(
        np.zeros(41), [*y, np.nan], learner="quantile-tracker", guarded=True, delay=0
    )
    assert found.chain.predict([0.0]).upper[0.9][0] == np.inf
    assert following.upper[-1] == np.inf or following.misses_above < found.misses_above + 4


def test_forecasts_in_one_column_may_be_a_list(tmp_path):
    x, y = rounds()
    ls.intervals(x[:CUT], y[:CUT]).save(tmp_path / "i.ls")
    one, other = ls.load(tmp_path / "i.ls"), ls.load(tmp_path / "i.ls")
    said = limits(one.feed(x[CUT:].tolist(), y[CUT:].tolist()))
    np.testing.assert_array_equal(limits(other.feed(x[CUT:, None], y[CUT:])), said)
    with pytest.raises(BadInput, match=r"forecasts must have 1 columns \(forecast 1\), not 2"):
        one.feed(np.zeros((3, 2)), y[:3])
    with pytest.raises(BadInput, match="3 rows of forecasts and 2 outcomes"):
        one.feed(np.zeros(3), y[:2])


def test_a_refused_piece_leaves_no_trace():
    x, y = rounds()
    chain = ls.intervals(x[:CUT], y[:CUT], guarded=True, delay=2).chain
    other = ls.intervals(x[:CUT], y[:CUT], guarded=True, delay=2).chain
    for bad in (np.inf, 1e200):
        with pytest.raises(BadInput):
            chain.feed([0.0, bad], [1.0, 2.0])
        with pytest.raises(BadInput):
            chain.feed([0.0, 0.0], [1.0, bad])
    np.testing.assert_array_equal(limits(chain.feed(x, y)), limits(other.feed(x, y)))
    assert chain.rounds == other.rounds == CUT + T


# One round at a time.


def test_a_refused_first_round_does_not_begin_the_model():
    model = ls.Intervals(ls.OGD(loss="square"), level=0.8)
    for x, y in (([1.0, np.nan], 1.0), ([1.0, 2.0], "much"), ([1.0, 2.0], 1e200)):
        with pytest.raises(BadInput):
            model.update(x, y)
        assert model.model.live is None
        assert model.sets.live is None
    model.update({"a": 1.0}, 2.0)  # by name, as nothing was learned of lists
    assert (model.rounds, model.known) == (1, 1)


def test_a_truth_that_is_refused_is_learned_by_neither():
    class Counting:
        learned = 0

        def predict_one(self, x):
            return 0.0

        def learn_one(self, x, y):
            self.learned += 1

    model = ls.Intervals(Counting(), level=0.8)
    model.update([1.0], 1.0)
    with pytest.raises(BadInput, match=r"the outcome is 1e\+200; it must be at most 1e\+150"):
        model.update([1.0], 1e200)
    assert (model.model.learned, model.known, model.rounds, model.sets.live.t) == (1, 1, 1, 1)
