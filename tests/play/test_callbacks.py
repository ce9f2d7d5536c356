"""Callbacks: each declares what it wants, and gets that and no more."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream
from littlestone.play import by_key
from littlestone.play.callbacks import KeyedSink, make_callbacks
from littlestone.play.options import PlayOptions
from littlestone.play.play_stream import play_stream

pytestmark = pytest.mark.usefixtures("plain")
L = np.random.default_rng(0).random((50, 3))


class Saved:
    """A checkpoint that notes how many rounds were over."""

    def __init__(self):
        self.rounds, self.by_key = [], []

    def __call__(self, learner, live, rounds):
        assert live.t == rounds
        self.rounds.append(rounds)

    def of_keys(self, sessions, rounds):
        self.by_key.append((sorted(sessions), rounds))


def losses(keys=None):
    key = None if keys is None else np.array(keys, object)
    return Stream([Batch(None, L, key=key)], ("a", "b", "c"), rounds=len(L), whole=True)


def test_nothing_is_called_where_nothing_is_asked_for():
    assert make_callbacks(PlayOptions(), None) == []


def test_callbacks_are_called_in_the_order_in_which_a_chunk_is_used():
    heard = []
    options = PlayOptions(
        decisions=lambda W: heard.append(("decisions", W.shape)),
        sink=lambda t, A, C: heard.append(("sink", t, len(C))),
        progress=lambda rounds, loss: heard.append(("progress", rounds)),
    )
    run = play_stream(ls.learner("hedge"), losses(), options, allocation=True)
    assert heard == [("progress", 50), ("decisions", (50, 3)), ("sink", 0, 50)]
    assert run.weights.shape == (50, 3)


def test_decisions_are_heard_of_where_none_are_recorded():
    heard = []
    options = PlayOptions(decisions=lambda W: heard.append(W.copy()), record="none")
    play_stream(ls.learner("hedge"), losses(), options, allocation=True)
    kept = play_stream(ls.learner("hedge"), losses(), allocation=True)
    assert np.array_equal(np.concatenate(heard), kept.weights)


def test_a_sink_hears_of_draws_that_nothing_else_needs():
    heard = []
    options = PlayOptions(sink=lambda t, A, C: heard.append(A.copy()), record="none", seed=3)
    play_stream(ls.learner("hedge", draw=True), losses(), options, allocation=True)
    kept = play_stream(
        ls.learner("hedge", draw=True), losses(), PlayOptions(seed=3), allocation=True
    )
    assert np.array_equal(np.concatenate(heard), kept.transcript.actions.gather()[1])


def test_a_checkpoint_of_keys_is_of_all_keys_and_never_of_one():
    saved = Saved()
    keys = ["u", "v"] * 25
    play_stream(ls.learner("hedge"), losses(), PlayOptions(checkpoint=saved), allocation=True)
    assert (saved.rounds, saved.by_key) == ([50], [])
    runs = play_stream(
        ls.learner("hedge"), losses(keys), PlayOptions(checkpoint=saved), allocation=True
    )
    assert (saved.rounds, saved.by_key) == ([50], [(["u", "v"], 50)])
    plain = play_stream(ls.learner("hedge"), losses(keys), allocation=True)
    for key in "uv":
        assert np.array_equal(runs[key].rows, plain[key].rows)
        assert runs[key].losses.tolist() == plain[key].losses.tolist()


def test_a_sink_of_all_keys_is_one_by_declaration(monkeypatch):
    """Methods of the same names do not make one."""
    monkeypatch.setattr(by_key, "FEW", 1)
    frame = pd.DataFrame(L, columns=list("abc")).assign(k=["u", "v"] * 25)
    heard = []

    class Alike:
        def __call__(self, t, predictions, losses):
            heard.append(len(losses))

        def together(self, runs, batches):
            raise AssertionError("it did not say that it takes all keys at once")

    ls.play("hedge", frame, by="k", losses=True, sink=Alike())
    assert heard == [25, 25]
    with pytest.raises(TypeError, match="abstract"):
        KeyedSink()
