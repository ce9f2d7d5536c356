"""Generic checks, crossed with every learner over examples: one file and one row, and it is tested by these."""

import numpy as np
import pytest
import scipy.sparse
from support.example_rows import (
    EXAMPLE_KEYS,
    EXAMPLE_ROWS,
    TWO,
    example_row,
    labels_of,
    made,
    sample,
    sparse,
)
from support.rows import leaves, same

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.registry import learners
from littlestone.core.stream import Batch, Stream
from littlestone.engine.compile import has_numba, ready
from littlestone.engine.loops import rounds
from littlestone.engine.memory import copy
from littlestone.games import DRAWN, Classes
from littlestone.live.live_examples import LiveExamples
from littlestone.session.play import play as play_stream

ENGINES = ["plain", "compiled"]
SPARSE = [key for key in EXAMPLE_KEYS if learners()[key].sparse]
T = 60


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    use(request.param, monkeypatch)
    return request.param


@pytest.fixture
def plain(monkeypatch):
    use("plain", monkeypatch)


def use(which, monkeypatch):
    if which == "plain":
        monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    else:
        if not has_numba():
            pytest.skip("numba is not installed: compiled rules not tested")
        monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)


def stream(key, x, y, width=0, h=None, size=None, first=0):
    """Rounds as `play` reads them, in batches of `size`."""
    labels = labels_of(key, y)
    codes = np.asarray(y, float)
    if labels is not None:
        codes = np.array(
            [np.nan if v != v else labels.index(v) for v in np.asarray(y).tolist()], float
        )
    rows = len(codes)
    parts = range(0, rows, size or rows)
    batches = [
        Batch(
            x[a : a + (size or rows)] if isinstance(x, np.ndarray) else x,
            codes[a : a + (size or rows)],
            first + a,
            h=None if h is None else h[a : a + (size or rows)],
            width=width,
        )
        for a in parts
    ]
    names = tuple(f"f{i}" for i in range(x.shape[1])) if isinstance(x, np.ndarray) else ()
    return Stream(batches, names, rounds=rows, whole=size is None, labels=labels, features=True)


def play(key, x, y, learner=None, **options):
    given = {k: options.pop(k) for k in ("width", "h", "size") if k in options}
    return play_stream(
        learner or made(key), stream(key, x, y, **given), allocation=False, **options
    )


def started(key, x, y, rounds=T):
    return made(key).start(x.shape[1], rounds=rounds, labels=labels_of(key, y))


def decisions(run):
    return np.asarray(run.scores)


def alike(a, b, X):
    """Have two learners learned the same, bit for bit? States may hold buffers of the last decision as well."""
    asked = [[learner._live.ask_score(x) for x in X] for learner in (a, b)]
    return same(a.state, b.state) or asked[0] == asked[1]


def close(a, b, rel=1e-12):
    assert np.asarray(a) == pytest.approx(np.asarray(b), rel=rel, abs=1e-12)


# The rows.


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_every_learner_has_a_row(key):
    theorem = example_row(key).theorem
    ids = [g.id for g in learners()[key].guarantees]
    assert theorem in ids if theorem else not ids


def test_every_row_has_a_learner():
    assert sorted(r.key for r in EXAMPLE_ROWS) == EXAMPLE_KEYS


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_the_worked_row(key, engine):
    r = example_row(key)
    run = play(key, np.array(r.x, float), r.y, **r.options)
    assert run.facts["engine"] == engine
    assert run.loss == pytest.approx(r.loss, abs=2e-6)
    if r.scores is not None:
        assert decisions(run) == pytest.approx(np.array(r.scores, float), abs=2e-6)
    if r.predictions is not None:
        if run.classifies:
            assert run.predictions.tolist() == list(r.predictions)
        else:
            assert run.predictions == pytest.approx(np.array(r.predictions, float), abs=2e-6)
    for name, value in r.state.items():
        assert getattr(run.learner.state, name) == pytest.approx(np.array(value), abs=2e-6), name
    assert "broken" not in {v.verdict for v in run.certificate}
    if r.theorem is not None and r.bound is not None:
        verdict = next(v for v in run.certificate if v.guarantee.id == r.theorem)
        assert verdict.verdict == "kept", verdict
        assert verdict.bound == pytest.approx(r.bound, rel=1e-5)


# One rule, two engines, dense and sparse, four ways to play.


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_a_compiled_step_is_a_plain_step(key, monkeypatch):
    use("plain", monkeypatch)
    x, y = sample(key, 24)
    live = started(key, x, y, 24)._live
    for t in range(24):
        twins = [
            LiveExamples(live.learner, live.game, live.shape, labels=list(live.labels or []) or None,
                         state=copy(live.state), t=live.t, which=which, room_=copy(live.room), width=live.width)
            for which in ENGINES
        ]  # fmt: skip
        close(*[twin.ask(x[t]).decision for twin in twins])
        after = []
        for twin in twins:
            twin.t -= 1
            twin.update(x[t], y[t])
            after.append(twin.ask(x[(t + 1) % 24]).decision)
        close(*after, rel=1e-10)
        live.update(x[t], y[t])


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_one_at_a_time_in_chunks_whole_and_resumed_are_equal(key, engine):
    x, y = sample(key, T)
    whole = play(key, x, y)
    chunks = play(key, x, y, size=7, horizon=T)
    for name in ("predictions", "scores", "losses"):
        assert np.array_equal(getattr(whole, name), getattr(chunks, name)), name
    assert same(whole.learner.state, chunks.learner.state)
    learner = started(key, x, y)
    for t in range(T):
        assert learner.predict(x[t]) == whole.predictions[t], t
        learner.update(x[t], y[t])
    assert same(whole.learner.state, learner.state)
    half = (
        play(key, x[:9], y[:9], horizon=T)
        if len(set(y[:9])) == len(set(y)) or not made(key).labels
        else None
    )
    if half is not None:
        before = copy(half.learner.state)
        rest = play(key, x[9:], y[9:], learner=half.learner, resume=True)
        assert same(half.learner.state, before)
        assert np.array_equal(np.append(half.losses, rest.losses), whole.losses)
        assert same(rest.learner.state, whole.learner.state)


# Dense features are centred; a feature that a sparse example does not have is absent, and stays so.
CENTRED = {"online-linear", "online-linear-regression"}


@pytest.mark.parametrize("key", SPARSE)
def test_sparse_examples_are_the_same_examples(key, engine):
    x, y = sample(key, T)
    x[np.random.default_rng(1).random(x.shape) < 0.4] = 0.0
    if made(key).boolean:
        y = sample(key, T)[1]
    n = 16 if not getattr(made(key), "intercept", False) else 15
    wide = np.hstack(
        [x, np.zeros((T, n - x.shape[1]))]
    )  # as many coordinates as the sparse state has
    # the threshold of winnow is the number of features, not of coordinates
    dense = play(key, x if key in ("winnow1", "winnow2") else wide, y)
    run = play(key, sparse(x), y, width=x.shape[1])
    if key not in CENTRED:
        close(decisions(dense), decisions(run), rel=1e-9)
    one = made(key)
    one._live = None
    csr = scipy.sparse.csr_array(x)
    from littlestone.live.live_examples import start_examples

    one._live = start_examples(one, x.shape[1], rounds=T, labels=labels_of(key, y), sparse=True)
    for t in range(T):
        assert one.predict(csr[[t]]) == run.predictions[t]
        one.update(csr[[t]], y[t])
    assert same(one.state, run.learner.state)


@pytest.mark.parametrize("key", SPARSE)
def test_later_features_are_simply_learned(key, plain):
    x, y = sample(key, T)
    learner = made(key)
    for t in range(T):
        d = 2 if t < T // 2 else x.shape[1]
        names = {f"f{i}": x[t, i] for i in range(d)} | (
            {f"g{i}": 1.0 for i in range(20)} if t > 40 else {}
        )
        learner.predict(names)
        learner.update(names, y[t].item())
    assert learner._live.shape.n >= 24
    for v in leaves(learner.state):
        assert np.isfinite(np.asarray(v, float)).all()
    known = {"f0": 1.0, "f1": 1.0}
    before = learner._live.ask_score(known)
    learner.predict({"never seen": 3.0} if not learner.boolean else {"never seen": 1.0})
    assert learner._live.ask_score(known) == before
    assert len(learner._live.features) == 24 - 2 * (x.shape[1] == 2)


@pytest.mark.parametrize(
    "key", [k for k in EXAMPLE_KEYS if isinstance(made(k).game(False), Classes)]
)
def test_a_later_class_is_simply_learned(key, engine):
    x, y = sample(key, T)
    y = np.where(np.arange(T) < T // 2, np.minimum(y, 1), y)
    learner = made(key)
    for t in range(T):
        learner.predict(x[t])
        learner.update(x[t], int(y[t]))
    assert sorted(learner._live.labels) == [0, 1, 2]
    right = [learner.predict(x[t]) == y[t] for t in range(T // 2, T)]
    assert np.mean(right) > 0.5  # three classes: a third by chance


def arrays(state):
    if isinstance(state, np.ndarray):
        return [state]
    return [v for part in state for v in arrays(part)] if isinstance(state, tuple) else []


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_arrays_stay_where_they_are_if_it_says_so(key, plain):
    """`fixed`: a live update of a compiled learner then hands back only what is not in arrays."""
    x, y = sample(key, T)
    learner = started(key, x, y)
    before = arrays(learner.state)
    for t in range(T):
        learner.update(x[t], y[t])
    moved = [
        not np.shares_memory(a, b)
        for a, b in zip(before, arrays(learner.state), strict=True)
        if a.size
    ]
    assert not (learners()[key].fixed and any(moved))


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_play_begins_afresh_and_leaves_its_argument_alone(key, plain):
    x, y = sample(key, 12)
    learner = made(key)
    first = play(key, x, y, learner=learner)
    assert learner._live is None
    again = play(key, x, y, learner=first.learner)
    assert np.array_equal(first.losses, again.losses)
    assert same(first.learner.state, again.learner.state)


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_one_signature(key, monkeypatch):
    use("compiled", monkeypatch)
    x, y = sample(key, 8)
    run = play(key, x, y)
    dispatcher = ready(rounds, run._s.params, run._s.game, "compiled")
    before = len(dispatcher.signatures)
    for form in (np.asfortranarray, np.ndarray.tolist, lambda v: v.astype(np.float32)):
        ls.play(made(key), form(x), form(y) if form is np.ndarray.tolist else y, certify=False)
    for options in ({"record": "none"}, {"seed": 5}, {"h": np.ones(8)}, {"passes": 2}):
        play(key, x, y, **options)
    live = started(key, x, y, 8)
    for t in range(3):
        live.predict(x[t])
        live.update(x[t], y[t], 2.0)
    assert len(dispatcher.signatures) == before, dispatcher.signatures


# Importance, late feedback, rounds without an answer.


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_importance(key, plain):
    x, y = sample(key, T)
    even = play(key, x, y)
    ones = play(key, x, y, h=np.ones(T))
    assert np.array_equal(even.losses, ones.losses)
    h = np.ones(T)
    h[::3] = 0.0  # predicted, not learned
    some, fewer = play(key, x, y, h=h), play(key, x[h > 0], y[h > 0], horizon=T)
    assert alike(some.learner, fewer.learner, x)
    assert some.answered == fewer.answered == int(h.sum())
    assert some.loss == pytest.approx(fewer.loss)
    twice = play(key, x, y, h=np.full(T, 2.0))
    assert twice.mean_loss == pytest.approx(twice.loss / (2 * T))
    if not made(key).boolean:
        assert not same(twice.learner.state, even.learner.state)
    for bad in (-1.0, np.nan, np.inf):
        h[5] = bad
        with pytest.raises(BadInput, match="row 6: importance is"):
            play(key, x, y, h=h)
    live = started(key, x, y)
    for t in range(T):
        live.update(x[t], y[t], 2.0)
    assert alike(live, twice.learner, x)
    with pytest.raises(BadInput, match="importance must be"):
        live.update(x[0], y[0], -1.0)


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_late_answers(key, plain):
    x, y = sample(key, 30)
    run = play(key, x, y, delay=3, interleave=False)
    learner, tickets = started(key, x, y, 30), []
    for t in range(30):
        tickets.append(learner.ask(x[t]))
        if t >= 3:
            learner.tell(tickets[t - 3], y[t - 3])
    for t in (27, 28, 29):
        learner.tell(tickets[t], y[t])
    assert np.array_equal([ticket.decision for ticket in tickets], decisions(run))
    assert same(learner.state, run.learner.state)
    split = play(key, x, y, size=11, horizon=30, delay=3, interleave=False)
    assert same(split.learner.state, run.learner.state)
    inter = play(key, x, y, delay=3, interleave=True)
    for j in range(4):
        own = slice(j, None, 4)
        if made(key).labels and len(set(y[own])) < len(set(y)):
            continue
        alone = play(key, x[own], y[own], horizon=8)
        assert np.array_equal(inter.losses[own], alone.losses)
        assert same(inter._s.copies[j].live.state, alone.learner.state)


BLIND = [
    key for key in EXAMPLE_KEYS if getattr(made(key), "set", None) is not None
]  # no outcome needed


@pytest.mark.parametrize("key", [key for key in EXAMPLE_KEYS if key not in BLIND])
def test_a_round_without_an_answer(key, plain):
    x, y = sample(key, 20)
    codes = stream(key, x, y).batches[0].y.copy()
    codes[[3, 11]] = np.nan
    told = ~np.isnan(codes)
    whole = stream(key, x, y)
    whole.batches = [Batch(x, codes)]
    run = play_stream(made(key), whole, allocation=False)
    fewer = play(key, x[told], y[told], horizon=20)
    assert np.isnan(run.losses[~told]).all()
    assert np.array_equal(run.losses[told], fewer.losses)
    assert alike(run.learner, fewer.learner, x)
    assert run.facts["rounds without an answer"] == 2
    live = started(key, x, y, 20)
    for t in range(20):
        live.update(x[t], y[t] if told[t] else np.nan)
    assert alike(live, run.learner, x)


# Scale.


HARSH = [
    key
    for key in EXAMPLE_KEYS
    if not made(key).boolean
    and made(key).parameters.get("set") is None
    and not hasattr(made(key), "limits")  # places in a table have no scale
]


@pytest.mark.parametrize("key", HARSH)
def test_nothing_ever_becomes_nan(key, plain):
    x, y = sample(key, 200)
    learner = learners()[key]()  # its defaults
    wild = x * np.array([1e-6, 1.0, 1e6, 1e148])[: x.shape[1]]
    wild[50] = 1e149
    wild[60] = 1e-160
    wild[70] = 0.0
    run = play(key, wild, y, learner=learner)
    assert np.isfinite(run.losses).all()
    assert np.isfinite(run.scores).all()
    for v in leaves(run.learner.state):
        assert not np.isnan(np.asarray(v, float)).any()


# Files.


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_saved_and_loaded_goes_on_as_if_never_saved(key, engine, tmp_path):
    x, y = sample(key, 40)
    run = play(key, x[:20], y[:20], horizon=40)
    if made(key).labels and len(set(y[:20])) < len(set(y)):
        pytest.fail("the first half should hold every class")
    path = run.learner.save(tmp_path / "model.ls")
    loaded = ls.load(path)
    assert type(loaded) is learners()[key]
    assert repr(loaded.parameters) == repr(run.learner.parameters)
    assert same(loaded.state, run.learner.state)
    assert loaded._live.which == engine
    for t in range(20, 40):
        assert loaded.predict(x[t]) == run.learner.predict(x[t])
        loaded.update(x[t], y[t])
        run.learner.update(x[t], y[t])
    assert same(loaded.state, run.learner.state)
    assert same(loaded.state, play(key, x, y, horizon=40).learner.state)
    ticket = loaded.ask(x[0])
    assert np.array_equal(ticket.decision, run.learner.ask(x[0]).decision)


@pytest.mark.parametrize("key", SPARSE)
def test_names_of_features_are_saved(key, plain, tmp_path):
    learner = made(key)
    _, y = sample(key, 12)
    for t in range(12):
        learner.update({"a": 1.0, f"b{t % 3}": 1.0}, y[t].item())
    loaded = ls.load(learner.save(tmp_path / "model.ls"))
    assert loaded._live.features == learner._live.features
    assert loaded._live.labels == learner._live.labels
    for one in (learner, loaded):
        one.update({"c": 1.0, "b1": 1.0}, y[0].item())
    assert same(loaded.state, learner.state)


@pytest.mark.parametrize("key", SPARSE)
def test_features_never_seen_are_predicted_as_they_would_be_played(key, plain, tmp_path):
    """`predict` gives them no place, `ask` does, and both say the same; so does a whole matrix at once."""
    x, y = sample(key, 16, d=5)
    for named in (True, False):
        learner = made(key)
        for row, label in zip(x, y.tolist(), strict=True):
            learner.update(
                dict(enumerate(row)) if named else scipy.sparse.csr_array(row[None]), label
            )
        room, known = learner._live.shape.n, dict(learner._live.features)
        for far in (6, 40, 300):
            new = scipy.sparse.csr_array(([1.0], ([0], [far])), shape=(1, far + 1))
            one = {f"new {far}": 1.0} if named else new
            said, still = learner.predict(one), learner.frozen()
            if not named and not isinstance(learner._live.game, DRAWN):
                assert still(scipy.sparse.vstack([new, new])).tolist() == [said, said]
            assert still(one) == said
            assert (learner._live.shape.n, learner._live.features) == (room, known)
            again = ls.load(learner.save(tmp_path / "model.ls"))
            assert again.ask(one).prediction == said


# Frozen.


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_frozen_predicts_and_never_learns(key, plain):
    x, y = sample(key, 20)
    learner = started(key, x, y, 20)
    for t in range(10):
        learner.update(x[t], y[t])
    still = learner.frozen()
    expected, before = [learner.predict(row) for row in x], copy(learner.state)
    assert [still(row) for row in x] == expected
    if not isinstance(learner._live.game, DRAWN):
        assert still(x).tolist() == expected
    assert same(learner.state, before)
    for t in range(10, 20):
        learner.update(x[t], y[t])
    assert [still(row) for row in x] == expected


# What is refused.


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_bad_data_are_refused_by_row_and_column(key, plain):
    x, y = sample(key, 20)
    for value in (np.nan, np.inf, -np.inf, 1e200):
        bad = x.copy()
        bad[7, -1] = value
        with pytest.raises(BadInput, match=r"row 8"):
            play(key, bad, y)
    nan = x.copy()
    nan[7, -1] = np.nan
    if not made(key).boolean:
        with pytest.raises(BadInput, match=r"row 8, column 'f\d': feature is nan"):
            play(key, nan, y)
    with pytest.raises(BadInput, match=r"no rows"):
        ls.play(made(key), np.empty((0, 4)), y[:0])
    if made(key).labels and isinstance(made(key).game(False), TWO):
        with pytest.raises(BadInput, match=r"two classes"):
            play(key, x, np.arange(20) % 3)
    if not made(key).labels and key not in BLIND:
        for value in (np.inf, 1e200):
            far = y.astype(float)
            far[3] = value
            with pytest.raises(BadInput, match="row 4"):
                play(key, x, far)


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_a_bad_row_in_a_later_chunk_leaves_the_learner_as_it_was(key, engine):
    x, y = sample(key, 30)
    run = play(key, x, y)
    before = copy(run.learner.state)
    bad = x.copy()
    bad[20, -1] = np.nan
    with pytest.raises(BadInput, match="row 21"):
        play(key, bad, y, learner=run.learner, resume=True)
    assert same(before, run.learner.state)


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_a_bad_round_leaves_a_live_learner_as_it_was(key, engine):
    x, y = sample(key, 10)
    learner = started(key, x, y, 10)
    for t in range(5):
        learner.update(x[t], y[t])
    before, labels = copy(learner.state), list(learner._live.labels or [])
    wrong = [
        (x[0][:-1], y[0]),
        (np.full(x.shape[1], np.nan), y[0]),
        ([["a"] * x.shape[1]], y[0]),
        (["a"] * x.shape[1], y[0]),
        ({"a": 1}, y[0]),
        (x[0], [1, 2]),
        (x[0], np.inf),
    ]
    if key not in BLIND:
        wrong.append((x[0], None))
    if isinstance(learner._live.game, TWO):
        wrong.append((x[0], "a third label"))
    if not learner.labels:
        wrong.append((x[0], "a word"))
    for example, outcome in wrong:
        with pytest.raises(BadInput):
            learner.update(example, outcome)
        assert same(before, learner.state), (example, outcome)
        assert list(learner._live.labels or []) == labels
        assert learner._live.t == 5
    learner.update(x[5], y[5])
    assert learner._live.t == 6
