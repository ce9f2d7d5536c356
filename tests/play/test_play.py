"""`play`: any data in, a Run out; what is recorded, split, thinned, late, missing."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import NotKept
from littlestone.engine.compile import engine
from littlestone.engine.compile_clock import compile_seconds
from littlestone.hindsight.folds.totals import Trace
from littlestone.play import copies, record, session
from littlestone.play.record import Record

RNG = np.random.default_rng(0)
X, Y = RNG.random((90, 3)), RNG.random(90)


def play(*data, learner=None, **options):
    options.setdefault("engine", "plain")
    return ls.play(learner or ls.ExponentialWeights(loss="square"), *data, **options)


# Any data.


def test_arrays_frames_files_and_iterators_agree(tmp_path):
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": Y})
    pq.write_table(table, tmp_path / "r.parquet")
    table.to_pandas().to_csv(tmp_path / "r.csv", index=False)
    runs = [
        play(X, Y, horizon=90, interval=(0, 1)),
        *[
            play(data, outcome="y", horizon=90, interval=(0, 1))
            for data in (pd.DataFrame(table.to_pandas()), pl.from_arrow(table), table)
        ],
        *[
            play(tmp_path / name, outcome="y", horizon=90, interval=(0, 1))
            for name in ("r.csv", "r.parquet")
        ],
        play(((X[i : i + 7], Y[i : i + 7]) for i in range(0, 90, 7)), horizon=90, interval=(0, 1)),
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.predictions, runs[0].predictions)
        assert run.rounds == 90


def test_losses_alone_are_the_allocation_game():
    run = play(X, learner="hedge")
    assert run.facts["game"] == "allocation"
    np.testing.assert_allclose(run.losses, (run.weights * X).sum(axis=1))
    assert run.weights.shape == (90, 3)
    # the drawn expert's loss is among the losses of its round
    assert all(loss in row for loss, row in zip(run.realised, X, strict=True))


def test_the_argument_is_never_touched():
    learner = ls.Hedge(eta=0.5)
    play(X, learner=learner)
    assert learner.live is None
    run = play(X[:50], learner=learner)
    again = play(X[50:], learner=run.learner, resume=True)
    whole = play(X, learner=learner)
    np.testing.assert_array_equal(np.vstack([run.weights, again.weights]), whole.weights)
    assert again.rounds == 40
    assert run.learner.live.t == 50  # resuming worked on a copy


def test_resume_needs_a_beginning():
    with pytest.raises(ls.BadInput, match="has not seen a round"):
        play(X, learner=ls.Hedge(), resume=True)


# Split by a column.


def test_by_key_is_one_state_and_certificate_a_key():
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abc"))
    frame["y"], frame["product"] = Y, np.where(np.arange(90) % 3 == 0, "tea", "rice")
    runs = play(frame, outcome="y", by="product", interval=(0, 1))
    assert set(runs) == {"tea", "rice"}
    tea = np.arange(90) % 3 == 0
    alone = play(X[tea], Y[tea], interval=(0, 1))
    np.testing.assert_array_equal(runs["tea"].predictions, alone.predictions)
    assert runs["tea"].parameters["eta"] == alone.parameters["eta"]  # tuned to its own 30 rounds
    assert runs["rice"].certificate.verdict == "kept"
    assert runs.rounds == 90
    assert math.isclose(runs.loss, sum(r.loss for r in runs.values()))


# What is recorded.


def test_record_none_and_auto():
    run = play(X, Y, record="none")
    assert run.loss > 0
    for name in ("weights", "losses", "predictions"):
        with pytest.raises(NotKept, match="record="):
            getattr(run, name)
    assert play(X, Y, record="none").loss == play(X, Y).loss


def test_a_long_record_is_thinned_evenly(monkeypatch):
    monkeypatch.setattr(record, "ROOM", 120)
    monkeypatch.setattr(record, "THIN", 16)
    full = play(X, Y, record="all")
    run = play(
        ((X[i : i + 10], Y[i : i + 10]) for i in range(0, 90, 10)), horizon=90, interval=(0, 1)
    )
    with pytest.raises(NotKept, match='record="all"'):
        _ = run.weights
    t, W = run.weight_trace
    assert len(set(np.diff(t))) == 1
    assert len(t) <= 16
    assert t[0] == 0
    exact = play(X, Y, record="all", interval=(0, 1)).weights
    np.testing.assert_array_equal(W, exact[t])
    assert full.weights.shape == (90, 3)


def test_records_and_traces_double_their_step():
    record = Record(1, "auto")
    for t0 in range(0, 20_000, 1000):
        step, t = record.plan(t0, 1000)
        record.add(t, np.asarray(t, float))
    assert step == 1  # 20,000 numbers fit
    trace = Trace(points=10)
    for t0 in range(0, 100, 7):
        marks = trace.marks(t0, 7)
        trace.add(t0 + 1 + marks, {"loss": marks})
    assert trace.step == 16
    assert trace.t == list(range(16, 105, 16))
    assert len(trace.blocks) == len(trace.t)  # pieces without a round that is kept are let go


def test_bad_record():
    with pytest.raises(ls.BadInput, match="record must be one of"):
        play(X, Y, record="some")


# Missing things.


def test_rounds_without_an_answer_are_predicted_and_not_charged():
    y = Y.copy()
    y[[3, 50]] = np.nan
    run = play(X, y, interval=(0, 1))
    assert run.answered == 88
    assert np.isnan(run.losses[[3, 50]]).all()
    assert np.isfinite(run.predictions).all()
    rest = np.delete(np.arange(90), [3, 50])
    learned = play(X[rest], Y[rest], interval=(0, 1), learner=run.learner.replace())
    np.testing.assert_allclose(run.predictions[rest], learned.predictions, atol=1e-12)
    assert math.isclose(run.loss, learned.loss)
    np.testing.assert_allclose(run.experts.L, learned.experts.L)
    assert run.facts["rounds without an answer"] == 2


def test_all_asleep_is_refused_or_repeated():
    x = X.copy()
    x[10] = np.nan
    with pytest.raises(ls.BadInput, match="row 11: every expert is asleep"):
        play(x, Y)
    run = play(x, Y, asleep="last")
    assert run.predictions[10] == run.predictions[9]
    assert run.facts["rounds all asleep"] == 1
    x[0] = np.nan
    with pytest.raises(ls.BadInput, match="no prediction to repeat"):
        play(x, Y, asleep="last")


def test_regret_counts_only_rounds_awake():
    x = X.copy()
    x[20:60, 1] = np.nan
    run = play(x, Y, interval=(0, 1))
    awake = np.ones(90, bool)
    awake[20:60] = False
    own = ((x[awake, 1] - Y[awake]) ** 2).sum()
    assert math.isclose(run.loss - run.experts.L[1], run.losses[awake].sum() - own)
    assert (run.weights[20:60, 1] > 0).all()  # its weight waits for it


# Bad rows.


@pytest.mark.parametrize(
    ("row", "column", "value", "words"),
    [
        (70, 1, np.inf, "row 71, column 'expert 2': advice is inf"),
        (5, 0, 3.0, "row 6, column 'expert 1': advice is 3, outside the interval"),
    ],
)
def test_a_bad_entry_is_named(row, column, value, words):
    x = X.copy()
    x[row, column] = value
    with pytest.raises(ls.BadInput, match="^" + words.replace("(", r"\(")):
        play(x, Y, interval=(0, 1))


def test_nan_in_losses_is_refused():
    losses = X.copy()
    losses[7, 2] = np.nan
    with pytest.raises(ls.BadInput, match="row 8, column 'expert 3': loss is nan"):
        play(losses, learner="hedge")


def test_a_bad_outcome_is_named():
    y = Y.copy()
    y[33] = -np.inf
    with pytest.raises(ls.BadInput, match="row 34: outcome is -inf"):
        play(X, y, interval=(0, 1))


def test_a_bad_row_in_a_later_chunk_leaves_a_resumed_learner_as_it_was():
    run = play(X, Y, learner=ls.Hedge(loss="square"), interval=(0, 1))
    before = [a.copy() for a in run.learner.state[:2]]
    x = X.copy()
    x[80] = 9.0
    with pytest.raises(ls.BadInput, match="row 81"):
        play(x, Y, learner=run.learner, resume=True)
    for a, b in zip(before, run.learner.state[:2], strict=True):
        np.testing.assert_array_equal(a, b)


def test_infinite_loss_of_all_is_refused():
    x = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    with pytest.raises(ls.BadInput, match="row 2: every expert that still has weight has infinite"):
        play(x, np.ones(3), learner=ls.WeightedAverage(loss="log"))


def test_the_interval_is_learned_declared_or_exceeded():
    run = play(X * 10, Y * 10)
    low, high = run.parameters["loss"].low, run.parameters["loss"].high
    assert low == min((X * 10).min(), (Y * 10).min())
    assert high == max((X * 10).max(), (Y * 10).max())
    assert any("learned from all rounds" in note for note in run.notes)
    assert play(X * 10, Y * 10, interval=(0, 10)).parameters["loss"].high == 10
    assert play(X, Y, learner=ls.Hedge(loss=ls.Square(0, 2))).parameters["loss"].high == 2
    pieces = ((k * X[:30], k * Y[:30]) for k in (1, 5))
    with pytest.raises(ls.BadInput, match=r"outside the interval .* declare a wider one"):
        play(pieces)
    with pytest.raises(ls.BadInput, match="low < high"):
        play(X, Y, interval=(1, 0))


@pytest.mark.parametrize("bad", [{"delay": -1}, {"delay": 1.5}, {"seed": -1}, {"asleep": "no"}])
def test_bad_options(bad):
    with pytest.raises(ls.BadInput, match=next(iter(bad))):
        play(X, Y, **bad)


def test_no_rounds():
    with pytest.raises(ls.BadInput, match="no r"):
        play(np.empty((0, 3)), np.empty(0))
    with pytest.raises(ls.BadInput, match="no r"):
        play(iter([]))


# Late feedback.


def test_interleaved_copies_are_plays_of_every_fourth_round():
    run = play(X, Y, delay=3, interleave=True, interval=(0, 1))
    for j in range(4):
        alone = play(X[j::4], Y[j::4], interval=(0, 1), horizon=23)
        np.testing.assert_array_equal(run.predictions[j::4], alone.predictions)
        np.testing.assert_array_equal(run.weights[j::4], alone.weights)
    assert run.certificate.verdict == "kept"
    pieces = play(
        ((X[i : i + 7], Y[i : i + 7]) for i in range(0, 90, 7)),
        delay=3, interleave=True, interval=(0, 1), horizon=90,
    )  # fmt: skip
    np.testing.assert_array_equal(pieces.predictions, run.predictions)


def test_a_single_copy_learns_when_outcomes_arrive():
    delay = 5
    late = play(
        X,
        Y,
        delay=delay,
        interleave=False,
        interval=(0, 1),
        learner=ls.Hedge(eta=0.7, loss="square"),
    )
    prompt = play(X, Y, interval=(0, 1), learner=ls.Hedge(eta=0.7, loss="square"))
    # Hedge does not look at its own decision: late weights are prompt ones, five rounds later
    np.testing.assert_array_equal(late.weights[delay:], prompt.weights[:-delay])
    np.testing.assert_array_equal(late.weights[:delay], np.full((delay, 3), 1 / 3))
    np.testing.assert_array_equal(
        late.learner.state.L, prompt.learner.state.L
    )  # all arrived in the end
    assert "late to a single copy" in str(late.certificate)
    pieces = play(
        ((X[i : i + 4], Y[i : i + 4]) for i in range(0, 90, 4)),
        delay=delay, interleave=False, interval=(0, 1), learner=ls.Hedge(eta=0.7, loss="square"),
    )  # fmt: skip
    np.testing.assert_array_equal(pieces.weights, late.weights)


def test_too_many_copies_are_refused(monkeypatch):
    monkeypatch.setattr(copies, "MEMORY", 100)
    with pytest.raises(ls.BadInput, match="interleave=False"):
        play(X, Y, delay=10, interleave=True)


# Comparators and explanations.


def test_headline_is_the_smallest_loss_plus_bound():
    run = play(X, Y, interval=(0, 1), learner=ls.FixedShare(alpha=0.1))
    usable = [v for v in run.certificate if v.verdict == "kept"]
    assert run.headline.comparator_loss + run.bound == min(
        v.comparator_loss + v.regret_bound for v in usable
    )
    assert math.isclose(run.regret, run.loss - run.comparator_loss)


def test_certify_false_keeps_no_books():
    run = play(X, Y, certify=False)
    assert math.isclose(run.loss, play(X, Y).loss)
    with pytest.raises(NotKept, match="certify=False"):
        _ = run.certificate
    with pytest.raises(NotKept, match="certify=True"):
        _ = run.trace


def test_linear_and_mixture_comparators():
    run = play(X, Y)
    w, loss = run.linear
    best, residual, *_ = np.linalg.lstsq(X, Y, rcond=None)
    np.testing.assert_allclose(w, best)
    assert math.isclose(loss, residual[0])
    q, mixed = run.mixture
    assert math.isclose(mixed, ((X @ q - Y) ** 2).sum())
    assert loss <= mixed <= run.experts.L.min()


def test_explain_names_who_carried_the_weight():
    advice, outcomes = np.zeros((200, 3)), np.zeros(200)
    advice[:100, 1:], advice[100:, :2] = 1.0, 1.0  # expert 1 is right first, then expert 3
    run = play(advice, outcomes, learner=ls.FixedShare(alpha=0.05), interval=(0, 1))
    told = run.explain()
    parts = {p.expert: p for p in told.parts}
    assert parts["expert 1"].last <= 130
    assert parts["expert 3"].first > 100
    assert parts["expert 1"].leave_out > 5
    assert parts["expert 2"].leave_out < 1
    assert "rounds 1" in str(told)
    alone = play(advice[:, 1:], outcomes, learner=ls.FixedShare(alpha=0.05), interval=(0, 1))
    assert math.isclose(parts["expert 1"].leave_out, alone.loss - run.loss)


def test_a_learner_remembers_whose_advice_it_learned(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y)
    run = play(frame, outcome="y", interval=(0, 1), experts=["a", "b", "c"])
    saved = ls.load(run.learner.save(tmp_path / "m.ls"))
    play(frame, outcome="y", experts=["a", "b", "c"], learner=saved, resume=True)
    renamed = frame.rename(columns={"a": "d", "b": "e", "c": "f"})
    with pytest.raises(ls.BadInput, match=r"none of the experts .* is here: they are a, b, c"):
        play(renamed, outcome="y", learner=saved, resume=True)
    play(X, Y, learner=saved, resume=True)  # arrays have no names to be wrong


def test_by_names_the_row_of_the_file():
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y, key=np.arange(90) % 2)
    frame.loc[41, "b"] = 7.0
    with pytest.raises(ls.BadInput, match="row 42, column 'b': advice is 7"):
        play(frame, outcome="y", by="key", interval=(0, 1))


def test_the_entropic_loss_lives_on_the_unit_interval():
    with pytest.raises(ls.BadInput, match="row 1: outcome is 2, outside the interval"):
        play(X, Y + 2 - Y[0], learner=ls.Tracker(loss="log"))
    with pytest.raises(ls.BadInput, match="weighted-average"):
        play(X, Y, learner=ls.Hedge(loss="log"))
    with pytest.raises(ls.BadInput, match="quantile"):
        ls.Tracker(loss="pinball:2")


@pytest.mark.parametrize("learner", ["tracker", "fixed-share"])
def test_a_sleeper_of_the_last_chunk_is_learned_from_late(learner):
    """The round arrives in a chunk in which nobody sleeps any more."""
    x = X.copy()
    x[29, 1] = np.nan
    options = {
        "delay": 5,
        "interleave": False,
        "interval": (0, 1),
        "learner": learner,
        "horizon": 90,
    }
    whole = play(x, Y, **options)
    pieces = play(((x[i : i + 10], Y[i : i + 10]) for i in range(0, 90, 10)), **options)
    assert np.isfinite(whole.predictions).all()
    np.testing.assert_array_equal(pieces.predictions, whole.predictions)


def test_compiling_is_not_counted_as_the_time_of_a_run(monkeypatch):
    """Between two looks at the clock ten seconds pass: nine for machine code, seven of those in the compiler."""
    times = itertools.count(0.0, 10.0)
    compiling, loading = itertools.count(0.0, 7.0), itertools.count(0.0, 2.0)

    class Spent:
        compiling = property(lambda self: next(compiling))
        loading = property(lambda self: next(loading))

    monkeypatch.setattr(session.time, "perf_counter", lambda: next(times))
    monkeypatch.setattr(session, "SPENT", Spent())
    run = ls.play("hedge", [[0.0, 1.0]] * 60, engine="plain")
    assert run.seconds == 1.0
    assert run.transcript.compiling == 7.0


def test_the_compiler_is_timed():
    if engine() != "compiled":
        pytest.skip("there is no compiler")
    import numba

    before, _ = compile_seconds()
    numba.njit(lambda x: x + 1.0)(1.0)
    assert compile_seconds()[0] > before
