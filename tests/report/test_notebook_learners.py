"""Learners as a notebook shows them: parameters, rounds so far, names, the largest weights."""

import re

import numpy as np
import pandas as pd
import pytest
from support.rounds import subject
from support.rows import ALL

import littlestone as ls

pytestmark = pytest.mark.usefixtures("plain")


def texts(html, tag):
    return re.findall(rf"<{tag}(?: [^>]*)?>(.*?)</{tag}>", html)


def test_a_learner_shows_its_parameters_before_its_first_round():
    shown = ls.FixedShare(alpha=0.25)._repr_html_()
    assert texts(shown, "p")[0].startswith("fixed-share: ")
    assert ", alpha = 0.25, " in texts(shown, "p")[0]
    assert texts(shown, "p")[0].endswith("; not set: eta")
    assert texts(shown, "p")[1] == "it has not seen a round yet"
    assert "<table" not in shown


def test_a_learner_shows_rounds_names_and_weights_and_escapes_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["<b>x</b>", "small"])
    frame["y"] = 3.0 * frame["<b>x</b>"] + 0.1 * frame.small
    learner = ls.play("online-linear", frame, outcome="y").learner
    shown = learner._repr_html_()
    assert "60 rounds so far; 2 features: &lt;b&gt;x&lt;/b&gt;, small" in texts(shown, "p")
    assert "<b>" not in shown
    cells = texts(shown, "td")
    assert cells[::2] == ["&lt;b&gt;x&lt;/b&gt;", "small"]  # the largest weight first
    weights = learner.named_weights()
    assert float(cells[1]) == pytest.approx(weights["<b>x</b>"], rel=1e-3)


def test_experts_and_classes_have_their_weights():
    hedge = ls.Hedge(eta=1.0).update([0.0, 1.0])
    cells = texts(hedge._repr_html_(), "td")
    assert cells == ["expert 1", "0.7311", "expert 2", "0.2689"]
    assert "1 round so far" in texts(hedge._repr_html_(), "p")
    softmax = ls.play("softmax", np.eye(3), ["a", "b", "<i>"], labels=("a", "b", "<i>")).learner
    heads = texts(softmax._repr_html_(), "th")
    assert heads == ["feature", "weight for a", "weight for b", "weight for &lt;i&gt;"]
    assert "classes: a, b, &lt;i&gt;" in softmax._repr_html_()


def test_of_many_weights_the_largest_are_shown():
    learner = ls.Perceptron().update(1.0 / np.arange(1.0, 31.0), 1)
    shown = learner._repr_html_()
    assert texts(shown, "td")[:2] == ["feature 1", "1"]
    assert len(texts(shown, "td")) == 40
    assert texts(shown, "p")[-1] == "and 10 more"


@pytest.mark.parametrize("key", ALL)
def test_every_learner_is_shown_and_unchanged(key):
    it = subject(key)
    learner = it.play(*it.rounds(6), certify=False).learner
    before = learner.digest()
    shown = learner._repr_html_()
    assert shown.startswith(f"<p>{key}: ")
    assert "6 rounds so far" in shown
    assert learner.digest() == before
