"""Which comparator a run is compared with, and the plain sentence about it."""

import math

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.report.payload import payload
from littlestone.report.plain_sentence import plain_sentence, sentence_of
from littlestone.run.run_kinds import TIGHTEST

# The least loss.


@pytest.mark.parametrize("key", ["boa", "ml-poly", "squint", "adahedge", "hedge", "tracker"])
def test_no_expert_loses_less_than_the_comparator(key):
    rng = np.random.default_rng(1)
    for trial in range(8):
        L = rng.random((60, 4)) ** (1.0 + trial % 3)
        L[:, trial % 4] = 0.5 + 0.001 * rng.random(60)
        if key in ("boa", "ml-poly"):
            run = ls.play(key, L, np.full(60, 0.4), engine="plain")
        else:
            run = ls.play(key, L, engine="plain")
        assert run.comparator_loss <= run.experts.L.min() + 1e-12
        assert run.regret == run.loss - run.comparator_loss
        assert run.allowed == pytest.approx(
            run.headline.comparator_loss + run.headline.regret_bound
        )
        for v in run.certificate:  # only one expert is called the best
            if v.comparator.startswith("best expert"):
                assert run.names[int(run.experts.L.argmin())] in v.comparator


def test_the_expert_of_the_tightest_bound_is_named_in_the_certificate_as_that():
    """The regret was to this expert, negative, where another had lost less."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(12):
        T, n = 50, 20
        y = rng.normal(size=T)
        advice = y[:, None] + 3.0 * rng.normal(size=(T, n))
        advice[:, 1] = advice.mean(axis=1)  # who says what the learner says, nearly
        lost = math.sqrt(np.mean((advice[:, 1] - y) ** 2))
        advice[:, 0] = y + 0.9 * lost * rng.normal(size=T)
        advice[3, n - 1] = np.nan  # so that no mixture is compared
        run = ls.play("ml-poly", advice, y, engine="plain")
        i = int(run.experts.L.argmin())
        assert run.comparator.startswith(f"best expert (expert {i + 1}")
        (v,) = [v for v in run.certificate if v.guarantee.against == "expert"]
        assert (v.index != i) == v.comparator.endswith(TIGHTEST)
        if v.index != i:
            found += 1
            assert "best" not in v.comparator
            assert run.regret > v.regret
            assert TIGHTEST in str(run.certificate)
    assert found, "no trial in which the tightest comparator is another one"


def test_a_sequence_that_loses_less_is_the_comparator_where_a_theorem_is_about_it():
    L = np.zeros((60, 2))
    L[:30, 0], L[30:, 1] = 1.0, 1.0
    run = ls.play(ls.FixedShare(alpha=0.05, eta=2.0), L, engine="plain")
    assert run.comparator == "best sequence of experts, 1 shift"
    assert run.comparator_loss == 0.0
    assert ls.play("hedge", L, engine="plain").comparator.startswith("best expert (")


# Experts who sleep.


def sleepers(share, T=500):
    rng = np.random.default_rng(2)
    y = rng.normal(size=T)
    advice = y[:, None] + np.array([1.0, 1.5, 0.0]) * rng.normal(size=(T, 3))
    advice[int(share * T) :, 2] = np.nan  # who is always right, when awake
    return advice, y


@pytest.mark.parametrize("key", ["ml-poly", "boa", "tracker", "hedge"])
def test_an_expert_that_hardly_ever_spoke_is_not_the_best(key):
    interval = {"interval": (-9.0, 9.0)} if key == "hedge" else {}
    learner = ls.Hedge(loss="square") if key == "hedge" else key
    rare = ls.play(learner, *sleepers(0.018), engine="plain", **interval)
    assert rare.kind.awake.tolist() == pytest.approx([1.0, 1.0, 0.018])
    assert rare.kind.best_expert == 0
    assert rare.kind.expert_name(2) == "expert (expert 3, awake in 1.8% of the rounds)"
    often = ls.play(learner, *sleepers(0.4), engine="plain", **interval)
    assert often.kind.best_expert == 2
    assert often.kind.expert_name(2) == "best expert (expert 3, awake in 40% of the rounds)"
    shown = payload([rare])["runs"][0]["data"]
    assert "best expert (expert 1)" in shown
    assert not any("expert 3" in name for name in shown)


def test_a_sequence_that_never_shifts_is_no_comparator_where_it_hardly_ever_spoke():
    """Expert 3 loses least, as the learner's loss stands in for nearly all of its rounds."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 2)), rng.normal(size=300)
    y += 5 + 3 * x[:, 0]
    advice = np.c_[y + rng.normal(size=300), y + 3 * rng.normal(size=300), y]
    advice[5:, 2] = np.nan
    run = ls.play("tracker", advice, y, engine="plain")
    assert run.kind.experts.L.argmin() == 2
    assert run.comparator == "best expert (expert 1)"
    assert run.regret == run.loss - run.kind.experts.L[0]


def test_where_all_sleep_most_of_the_time_none_is_the_best():
    T, n = 300, 30
    rng = np.random.default_rng(3)
    advice = np.full((T, n), np.nan)
    advice[np.arange(T), np.arange(T) % n] = rng.random(T)
    run = ls.play("ml-poly", advice, rng.random(T), engine="plain")
    assert run.kind.awake.max() < 0.1
    assert run.comparator.startswith("expert (")
    assert "awake in 3.3% of the rounds" in run.comparator


def test_rounds_without_an_outcome_do_not_count_as_slept():
    advice, y = sleepers(0.5)
    y[250:400] = np.nan
    run = ls.play("ml-poly", advice, y, engine="plain")
    assert run.kind.awake[2] == pytest.approx(250 / 350)


def test_keys_have_best_experts_of_their_own():
    advice, y = sleepers(0.5)
    frame = pd.DataFrame(advice, columns=["a", "b", "c"]).assign(y=y, key=["n", "s"] * 250)
    runs = ls.play("ml-poly", frame, outcome="y", by="key", engine="plain")
    for run in runs.values():
        assert run.kind.awake[2] == pytest.approx(0.5)


# The sentence.


@pytest.mark.parametrize(
    ("loss", "simple", "bound", "said"),
    [
        (
            125.2,
            [("a constant", 300.0), ("the mean of the experts", 123.6)],
            math.nan,
            "the mean of the experts would have been better (123.6 against 125.2)",
        ),
        (2.0, [("a constant", 1.0)], 3.0, "a constant would have been better (1 against 2)"),
        (
            2.0,
            [("a constant", 1.0)],
            20.1,
            "a constant would have been better (1 against 2); the bound is more than ten times the loss: it says "
            "little here",
        ),
        (
            1.0,
            [("a constant", 2.0)],
            10.0,
            "better than a constant (1 against 2) and anything as simple",
        ),
        (1.0, [("a constant", 1.0)], 1.0, "no better than a constant (1)"),
        (1.0, [("a constant", math.nan)], 1.0, ""),
        (0.0, [("a constant", 0.0)], 5.0, "no better than a constant (0)"),
        (math.nan, [("a constant", 1.0)], math.nan, ""),
        (
            0.123456,
            [("a constant", 0.123455)],
            0.1,
            "a constant would have been better (0.12345 against 0.12346)",
        ),
        (-3.0, [("a constant", -3.0)], 0.1, "no better than a constant (−3)"),
        (
            -3.0,
            [("a constant", -2.0)],
            0.1,
            "better than a constant (−3 against −2) and anything as simple",
        ),
    ],
)
def test_the_sentence(loss, simple, bound, said):
    assert sentence_of(loss, simple, bound) == said


def test_the_sentence_leads_repr_page_and_notebook():
    rng = np.random.default_rng(5)
    y = rng.normal(size=300)
    advice = y[:, None] + rng.normal(size=(300, 6)) * 3.0
    run = ls.play("tracker", advice, y, delay=40, engine="plain")
    assert run.uniform_loss < run.loss
    sentence = f"would have been better ({plain_sentence(run).partition('(')[2]}"
    assert run.sentence.endswith(sentence)
    assert repr(run).startswith(f"<Run {run.label}: {run.sentence}; 300 rounds, loss ")
    first = run.sentence[0].upper() + run.sentence[1:]
    assert run._repr_html_().startswith(f"<p>{first}. Tracker lost ")
    sent = payload([run])["runs"][0]
    assert sent["summary"]["sentence"] == run.sentence


def test_the_sentence_of_labels_counts_mistakes():
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(200, 3)), (rng.random(200) < 0.1).astype(int)
    run = ls.play("perceptron", x, y, engine="plain")
    assert run.mistakes > y.sum()
    assert run.sentence.startswith(f"always 0 would have been better ({y.mean():.4g} against ")
    votes = ls.play("weighted-majority", rng.integers(0, 2, (200, 3)), y, engine="plain")
    assert votes.sentence.startswith("always 0 would have been better (")


def test_a_run_without_outcomes_says_so_and_one_that_is_not_kept_names_no_constant():
    x, y = np.ones((30, 2)), np.full(30, np.nan)
    run = ls.play("online-linear-regression", x, y, engine="plain")
    assert run.sentence == "no row has an outcome: nothing was learned, and nothing can be compared"
    pieces = ((np.ones((10, 2)), np.ones(10)) for _ in range(3))
    run = ls.play("tracker", pieces, engine="plain")
    assert repr(run).startswith("<Run tracker: ")
    assert "a constant" not in run.sentence  # outcomes of pieces are not kept
    assert ls.play("hedge", np.eye(3)[:, :2], engine="plain").sentence
