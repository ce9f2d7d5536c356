"""What a learner is between two rounds, for every learner: moved by joblib, by key, compiled; and planted faults.

The checks themselves are in `littlestone.testing.states`, and `test_every_learner` runs them plain.
"""

import copy
import io
from dataclasses import replace

import joblib
import numpy as np
import pytest
from support.rounds import subject
from support.rows import ALL, EXAMPLE_KEYS, OURS

import littlestone as ls
from littlestone.engine.compile import engine
from littlestone.live.live import Live
from littlestone.live.ticket_log import TicketLog
from littlestone.play.session import Session
from littlestone.settings.setting import Setting
from littlestone.testing.compare import same
from littlestone.testing.late import late_goes_on
from littlestone.testing.states import (
    forms,
    nothing,
    play_form,
    recovered_goes_on,
    what_follows_is_the_same,
)


def through_joblib(learner):
    file = io.BytesIO()
    joblib.dump(learner, file)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("key", ALL)
def test_joblib(key):
    s = subject(key)
    for form in forms(s):
        said, learner = play_form(s, form, nothing, nothing)
        found, other = play_form(s, form, through_joblib, through_joblib)
        np.testing.assert_array_equal(found, said)
        assert same(other.state, learner.state), form.name


@pytest.mark.parametrize("key", ["perceptron", "hedge", "ucb1"])
def test_compiled(key, monkeypatch):
    monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)
    what_follows_is_the_same(subject(key), "compiled", {"joblib": through_joblib})
    late_goes_on(subject(key), "compiled")
    form = next(forms(subject(key)))
    assert play_form(subject(key), form, nothing, nothing)[1].live.engine == engine()


def test_every_form_is_there():
    """Sparse rows and rows by name, wherever the learner takes them."""
    for key in ALL:
        names = [form.name for form in forms(subject(key))]
        sparse = key in EXAMPLE_KEYS and OURS[key].sparse and not OURS[key].strings
        assert names == ["rounds", "sparse rows", "rows by name"][: 3 if sparse else 1]


# The checks find what they are for.


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("key", ["perceptron", "winnow2", "softmax"])
def test_a_trace_of_a_refused_round_is_found(key, monkeypatch):
    monkeypatch.setattr(Setting, "take_back", lambda self: self.undo.clear())
    with pytest.raises((AssertionError, ls.BadInput)):
        what_follows_is_the_same(subject(key), "plain", {})


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("key", ["perceptron", "hedge"])
def test_a_copy_that_shares_its_state_is_found(key, monkeypatch):
    monkeypatch.setattr(Live, "copied", lambda self: self)
    with pytest.raises((AssertionError, ls.BadInput)):
        what_follows_is_the_same(subject(key), "plain", {"copied": copy.copy})


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("key", ["perceptron", "online-linear", "ogd", "logistic"])
def test_names_that_do_not_come_back_are_found(key, monkeypatch):
    written = TicketLog.log_ticket

    def log_without_names(self, ticket):
        written(self, replace(ticket, names=None))

    monkeypatch.setattr(TicketLog, "log_ticket", log_without_names)
    with pytest.raises((AssertionError, ls.BadInput)):
        recovered_goes_on(subject(key), "plain")


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("key", ["perceptron", "hedge", "exp3"])
def test_outcomes_that_are_told_early_are_found(key, monkeypatch):
    monkeypatch.setattr(Session, "late_rounds", lambda self, live: None)
    with pytest.raises(AssertionError):
        late_goes_on(subject(key), "plain")
