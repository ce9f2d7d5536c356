"""Regret as it happens: the books of a live learner say what a run over the same rounds says."""

import math

import numpy as np
import pytest
from support.rounds import subject
from support.rows import ALL, OURS

import littlestone as ls
from littlestone.core.errors import BadFile, BadInput, NotKept
from littlestone.core.registry import learner
from littlestone.live import store
from littlestone.live.books import NOTED
from littlestone.report.live_curve import live_curve

EXPERTS = [key for key in ALL if not (OURS[key].examples or OURS[key].bandit or OURS[key].tasked)]
T = 60


def same_certificate(one, other):
    assert [(v.guarantee.id, v.verdict) for v in one.verdicts] == [
        (v.guarantee.id, v.verdict) for v in other.verdicts
    ]
    for a, b in zip(one.verdicts, other.verdicts, strict=True):
        assert np.allclose([a.measured, a.bound], [b.measured, b.bound], rtol=1e-12, equal_nan=True)
        assert a.comparator == b.comparator


@pytest.mark.parametrize("key", EXPERTS)
def test_books_say_what_a_run_says(key, plain):
    s = subject(key)
    x, y = s.rounds(T)
    live = s.begun(x, y, T).keep_books()
    for t in range(T):
        s.kind.learn(live, x, y, t)
    run = s.play(x, y, horizon=T)
    assert live.books.rounds == run.answered
    assert math.isclose(live.books.loss, run.loss, rel_tol=1e-12)
    assert math.isclose(live.regret, run.regret, rel_tol=1e-9, abs_tol=1e-12)
    same_certificate(live.certificate, run.certificate)
    assert live.certificate.notes[-1] == f"certified to round {T}"
    assert live.digest() == run.learner.digest()


def advice(rounds=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((rounds, 4)), rng.random(rounds)


def play_late(learner, x, y, delay):
    """Each outcome comes `delay` rounds late."""
    tickets = []
    for t in range(len(y)):
        tickets.append(learner.ask(x[t]))
        if t >= delay:
            learner.tell(tickets[t - delay], y[t - delay])
    return tickets


@pytest.mark.parametrize("key", ["tracker", "exponential-weights", "squint", "hedge"])
def test_outcomes_that_come_late_are_counted_as_in_a_late_run(key, plain):
    x, y = advice()
    options = {"loss": "absolute", "eta": 0.5} if key == "hedge" else {"loss": "square"}
    if key == "exponential-weights":
        options["eta"] = 0.5  # otherwise a run that knows of the delay takes a smaller one
    live = ls.learner(key, **options).start(4, rounds=40, interval=(0, 1), allocation=False)
    live.keep_books()
    tickets = play_late(live, x, y, 3)
    assert (live.books.certified, live.books.open) == (37, 3)
    assert live.certificate.notes[-1] == "certified to round 37; 3 open"
    for ticket, outcome in zip(tickets[37:], y[37:], strict=True):
        live.tell(ticket, outcome)
    run = ls.play(
        ls.learner(key, **options), x, y, delay=3, interleave=False, interval=(0, 1), engine="plain"
    )
    assert math.isclose(live.regret, run.regret, rel_tol=1e-9)
    verdicts = {v.guarantee.id: v.verdict for v in live.certificate.verdicts}
    assert verdicts == {v.guarantee.id: v.verdict for v in run.certificate.verdicts}


def test_the_books_end_before_the_oldest_open_round(plain):
    x, y = advice(10)
    live = ls.Tracker(loss="square").start(4, interval=(0, 1), allocation=False).keep_books()
    tickets = [live.ask(v) for v in x]
    for t in (1, 2, 5, 9):
        live.tell(tickets[t], y[t])
    books = live.books
    assert (books.certified, books.behind, books.open, books.rounds) == (0, 4, 6, 0)
    assert live.regret == 0.0
    assert {v.verdict for v in live.certificate.verdicts} == {"unknown"}
    assert "outcomes after round 0" in live.certificate.verdicts[0].why
    live.tell(tickets[0], y[0])
    assert live.books.certified == 3
    live.tell(tickets[3], None)
    assert (live.books.certified, live.books.rounds) == (4, 3)
    whole = ls.play(ls.Tracker(loss="square"), x[:3], y[:3], interval=(0, 1), engine="plain")
    assert math.isclose(
        live.books.loss,
        sum((t.prediction - v) ** 2 for t, v in zip(tickets[:3], y[:3], strict=True)),
    )
    assert whole.rounds == 3


def test_experts_that_sleep(plain):
    x, y = advice(30)
    x[5:9, 0] = np.nan
    x[20, 1:] = np.nan
    live = (
        ls.Tracker(loss="square")
        .start(4, rounds=30, interval=(0, 1), allocation=False)
        .keep_books()
    )
    for t in range(30):
        live.update(x[t], y[t])
    run = ls.play(ls.Tracker(loss="square"), x, y, interval=(0, 1), engine="plain")
    assert math.isclose(live.regret, run.regret, rel_tol=1e-9)
    same_certificate(live.certificate, run.certificate)


@pytest.mark.parametrize("at", [0, 1, 17, 39])
def test_books_are_saved_with_the_learner(at, plain):
    x, y = advice()
    live = ls.Tracker(loss="square").start(4, interval=(0, 1), allocation=False).keep_books()
    other = (
        ls.Tracker(loss="square").start(4, interval=(0, 1), allocation=False, mark=7).keep_books()
    )
    other.live.tickets.mark = 0
    for t in range(40):
        if t == at:
            tickets = [live.ask(x[0]), other.ask(x[0])]
            live = ls.from_bytes(live.to_bytes())
            live.tell(tickets[0].id, y[0])
            other.tell(tickets[1].id, y[0])
        for one in (live, other):
            one.update(x[t], y[t])
    assert live.regret == other.regret
    assert str(live.certificate) == str(other.certificate)
    assert ls.from_bytes(live.to_bytes()).regret == other.regret


def test_more_rounds_than_a_chunk(plain):
    x, y = advice(700)
    live = ls.ExponentialWeights(loss="square").start(
        4, rounds=700, interval=(0, 1), allocation=False
    )
    live.keep_books()
    for t in range(700):
        live.update(x[t], y[t])
    run = ls.play(ls.ExponentialWeights(loss="square"), x, y, interval=(0, 1), engine="plain")
    assert math.isclose(live.regret, run.regret, rel_tol=1e-9)
    same_certificate(live.certificate, run.certificate)


def test_a_refused_round_is_not_in_the_books(plain):
    live = ls.Hedge().start(2).keep_books().update([0.0, 1.0])
    with pytest.raises(BadInput):
        live.update([0.0, 9.0])
    assert (live.books.certified, live.books.open, live.live.t) == (1, 0, 1)


def test_a_copy_has_books_of_its_own(plain):
    import copy

    live = ls.Hedge().start(2).keep_books().update([0.0, 1.0])
    other = copy.copy(live).update([1.0, 0.0])
    assert (live.books.certified, other.books.certified) == (1, 2)


def test_where_there_can_be_no_books(plain):
    with pytest.raises(NotKept, match=r"keeps no books: call keep_books\(\)"):
        ls.Hedge().start(2).regret  # noqa: B018
    with pytest.raises(BadInput, match="has played 1 rounds: theorems count from the first one"):
        ls.Hedge().start(2).update([0.0, 1.0]).keep_books()
    with pytest.raises(BadInput, match="regret of exp3 cannot be observed"):
        ls.EXP3().start(2).keep_books()
    with pytest.raises(BadInput, match="books are for learners over experts"):
        ls.Perceptron().start(2).keep_books()


def test_books_of_another_version_are_refused(plain):
    live = ls.Hedge().start(2).keep_books().update([0.0, 1.0])
    body = store.describe_learner(live)
    numbers = dict(body["live"]["books"]["items"])["numbers"]["items"]
    numbers.append(["more", 1])
    with pytest.raises(BadFile, match="books are from another version"):
        ls.from_bytes(store.seal_body(body))


def test_compiled_books(tmp_path):
    x, y = advice(30)
    live = (
        ls.Hedge(loss="square").start(4, rounds=30, interval=(0, 1), allocation=False).keep_books()
    )
    for t in range(30):
        if t % 3:
            live.update(x[t], y[t])
        else:
            live.tell(live.ask(x[t]), y[t])
    run = ls.play(ls.Hedge(loss="square"), x, y, interval=(0, 1))
    assert math.isclose(live.regret, run.regret, rel_tol=1e-9)
    same_certificate(live.certificate, run.certificate)


@pytest.mark.parametrize("key", ["tracker", "mixing-past-posteriors"])
def test_a_copy_and_a_file_have_the_best_sequences_of_all_rounds(key, plain):
    x, _ = advice(300)
    x[:, :2] = np.repeat(np.arange(6) % 2, 50)[:, None] == [1, 0]  # two are right in turns
    live = learner(key).start(4, rounds=300, interval=(0, 1), allocation=True).keep_books()
    for row in x:
        live.update(row)
    paths = live.books.folds.sequences
    for other in (live.__copy__(), ls.from_bytes(live.to_bytes())):
        assert other.books.folds.sequences.path(5) == paths.path(5)
        same_certificate(other.certificate, live.certificate)


@pytest.mark.parametrize("delay", [0, 3])
@pytest.mark.parametrize("key", ["hedge", "tracker", "adahedge", "boa"])
def test_a_curve_says_of_each_round_what_was_said_then(key, delay, plain):
    x, _ = advice(300)
    x[:, 2] *= 0.7  # the best expert all along
    live = learner(key).start(4, rounds=300, interval=(0, 1), allocation=True).keep_books()
    said, tickets = {}, []
    for t in range(300):
        tickets.append(live.ask())
        if t >= delay:
            live.tell(tickets[t - delay], x[t - delay])
        if t + 1 - delay in (100, 148, 252):
            said[t + 1 - delay] = live.__copy__().certificate
    curve = live_curve(live.live, live.books)
    assert curve.rounds[-1] == 300 - delay
    assert len(curve.rounds) <= NOTED + 1
    if delay and key in ("adahedge", "boa"):  # their theorems say nothing where outcomes are late
        assert (curve.theorem, np.isnan(curve.bound).all()) == ("", True)
        assert math.isclose(curve.regret[-1], live.regret, rel_tol=1e-12)
        return
    found = dict(zip(curve.rounds, zip(curve.regret, curve.bound, strict=True), strict=True))
    last = next(v for v in live.certificate if v.guarantee.id == curve.theorem)
    assert np.allclose(found[300 - delay], [last.regret, last.regret_bound], rtol=1e-12)
    for t, certificate in said.items():
        then = next(v for v in certificate if v.guarantee.id == curve.theorem)
        assert np.allclose(found[t], [then.regret, then.regret_bound], rtol=1e-9)


def test_no_bound_is_drawn_of_a_round_behind_which_the_learner_knew_outcomes(plain):
    live = ls.Tracker().start(2, interval=(0, 1), allocation=True).keep_books()
    tickets = [live.ask() for _ in range(5)]
    for i in (4, 0, 1, 2, 3):
        live.tell(tickets[i], [0.0, 1.0])
    curve = live_curve(live.live, live.books)
    assert curve.rounds == [1, 2, 3, 5]
    assert np.isnan(curve.bound).tolist() == [True, True, True, False]


def test_books_stay_small(plain):
    live = ls.Tracker().start(2, interval=(0, 1), allocation=True).keep_books()
    rng = np.random.default_rng(0)
    for row in rng.random((2600, 2)):
        live.update(row)
    trace = live.books.folds.trace
    assert 64 < len(live.books.noted.t) <= NOTED
    assert set(live.books.noted_rows()[0]) <= set(trace.t)


def test_books_of_a_file_without_notes_are_read(plain):
    """As version 0.15.0 wrote them."""
    live = ls.Tracker().start(2, interval=(0, 1), allocation=True).keep_books()
    for _ in range(5):
        live.update([0.0, 1.0])
    body = store.describe_learner(live)
    items = body["live"]["books"]["items"]
    items[:] = [pair for pair in items if pair[0] != "noted"]
    found = ls.from_bytes(store.seal_body(body)).update([0.0, 1.0])
    assert live_curve(found.live, found.books).rounds == [6]
