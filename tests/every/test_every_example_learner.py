"""Generic checks of learners over examples: later features and classes, importance, scale, names."""

import numpy as np
import pytest
import scipy.sparse
from support.rounds import labels_of, leaves, same, sample, sparse, subject
from support.rows import EXAMPLE_KEYS, OURS, ROOM, made

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.game import SEVERAL
from littlestone.core.learner import hints
from littlestone.live import store
from littlestone.testing.subject import copied

SPARSE = [key for key in EXAMPLE_KEYS if OURS[key].sparse]
TRAITS = {key: subject(key).kind.traits for key in EXAMPLE_KEYS}
T = 60


def play(key, x, y, learner=None, **options):
    return subject(key).play(x, y, learner, **options)


def started(key, x, y, rounds=T):
    return made(key).start(x.shape[1], rounds=rounds, labels=labels_of(key, y))


def score(learner, x):
    """The decision that it would make, without asking it: the round is not counted, and no feature gets a place."""
    return copied(learner).ask(x).decision


def places(learner):
    """How large its file is, which lists the names of its features."""
    return len(store.to_bytes(learner))


def alike(a, b, X):
    """Have two learners learned the same, bit for bit? States may hold buffers of the last decision as well."""
    asked = [[np.asarray(score(learner, x)).tolist() for x in X] for learner in (a, b)]
    return same(a.state, b.state) or asked[0] == asked[1]


# Dense and sparse.


def test_the_score_of_a_conjunction_counts_the_features_that_there_is_room_for(plain):
    """Sparse states have room for 16 features, all of which are in the first conjunction."""
    key = "elimination-conjunction"
    x, y = sample(key, T)
    x[np.random.default_rng(1).random(x.shape) < 0.4] = 0.0
    wide = np.hstack([x, np.zeros((T, 16 - x.shape[1]))])
    run = play(key, sparse(x), y, width=x.shape[1])
    assert run.scores == pytest.approx(play(key, wide, y).scores, rel=1e-9)


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
    assert max(v.size for v in leaves(learner.state)) >= 24
    for v in leaves(learner.state):
        assert np.isfinite(np.asarray(v, float)).all()
    known = {"f0": 1.0, "f1": 1.0}
    before, size = score(learner, known), places(learner)
    learner.predict({"never seen": 3.0} if not learner.boolean else {"never seen": 1.0})
    assert np.array_equal(score(learner, known), before)
    assert places(learner) == size  # what is only predicted gets no place
    learner.ask({"never seen": 1.0})
    assert places(learner) > size


# Those of `refitted` predict the frequencies as long as these are better than a model of so few rows.
@pytest.mark.parametrize(
    "key", [k for k in EXAMPLE_KEYS if TRAITS[k].classes == SEVERAL and ROOM[k] != "refitted"]
)
def test_a_later_class_is_simply_learned(key, engine):
    x, y = sample(key, T)
    y = np.where(np.arange(T) < T // 2, np.minimum(y, 1), y)
    learner = made(key)
    for t in range(T):
        learner.predict(x[t])
        learner.update(x[t], int(y[t]))
    said = np.array([learner.predict(x[t]) for t in range(T // 2, T)])
    assert set(said.tolist()) == {0, 1, 2}
    assert np.mean(said == y[T // 2 :]) > 0.5  # three classes: a third by chance


# Importance, rounds without an answer.


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_importance(key, plain):
    x, y = sample(key, T)
    even = play(key, x, y)
    ones = play(key, x, y, importance=np.ones(T))
    assert np.array_equal(even.losses, ones.losses)
    h = np.ones(T)
    h[::3] = 0.0  # predicted, not learned
    some, fewer = play(key, x, y, importance=h), play(key, x[h > 0], y[h > 0], horizon=T)
    assert alike(some.learner, fewer.learner, x)
    assert some.answered == fewer.answered == int(h.sum())
    assert some.loss == pytest.approx(fewer.loss)
    twice = play(key, x, y, importance=np.full(T, 2.0))
    assert twice.mean_loss == pytest.approx(twice.loss / (2 * T))
    learner = made(key)
    # a set holds the truth or misses it, however important the round is: theorems about coverage count rounds
    if not learner.boolean and learner.game(False).traits().action != "set":
        assert not same(twice.learner.state, even.learner.state)
    for bad in (-1.0, np.nan, np.inf):
        h[5] = bad
        with pytest.raises(BadInput, match="row 6: importance is"):
            play(key, x, y, importance=h)
    live = started(key, x, y)
    for t in range(T):
        live.update(x[t], y[t], 2.0)
    assert alike(live, twice.learner, x)
    with pytest.raises(BadInput, match="importance must be"):
        live.update(x[0], y[0], -1.0)


@pytest.mark.parametrize("key", [key for key in EXAMPLE_KEYS if TRAITS[key].needs_outcome])
def test_a_round_without_an_answer(key, plain):
    x, y = sample(key, 20)
    whole = subject(key).kind.stream(x, y)
    codes = whole.batches[0].y.copy()
    codes[[3, 11]] = np.nan
    told = ~np.isnan(codes)
    whole.batches = [ls.Batch(x, codes)]
    run = ls.play(made(key), whole, losses=False)
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


# places in a table and points of a set have no scale
HARSH = [k for k in EXAMPLE_KEYS if ROOM[k] in ("linear", "kernels") and not OURS[k].boolean]


@pytest.mark.parametrize("key", HARSH)
def test_nothing_ever_becomes_nan(key, plain):
    x, y = sample(key, 200)
    scaled = {"normalise": True} if "normalise" in hints(OURS[key]) else {}
    learner = OURS[key](**scaled)  # else its defaults
    wild = x * np.array([1e-6, 1.0, 1e6, 1e148])[: x.shape[1]]
    wild[50] = 1e149
    wild[60] = 1e-160
    wild[70] = 0.0
    run = play(key, wild, y, learner=learner)
    assert np.isfinite(run.losses).all()
    assert np.isfinite(run.scores).all()
    for v in leaves(run.learner.state):
        assert not np.isnan(np.asarray(v, float)).any()


# Names.


@pytest.mark.parametrize("key", SPARSE)
def test_names_of_features_are_saved(key, plain, tmp_path):
    learner = made(key)
    _, y = sample(key, 12)
    for t in range(12):
        learner.update({"a": 1.0, f"b{t % 3}": 1.0}, y[t].item())
    loaded = ls.load(learner.save(tmp_path / "model.ls"))
    for names in ({"a": 1.0}, {"b1": 1.0}, {"a": 1.0, "b2": 1.0}):
        assert loaded.predict(names) == learner.predict(names)
        assert np.array_equal(score(loaded, names), score(learner, names))
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
        room, size = [v.shape for v in leaves(learner.state)], places(learner)
        for far in (6, 40, 300):
            new = scipy.sparse.csr_array(([1.0], ([0], [far])), shape=(1, far + 1))
            one = {f"new {far}": 1.0} if named else new
            said, still = learner.predict(one), learner.frozen()
            if not named and not TRAITS[key].draws:
                assert still(scipy.sparse.vstack([new, new])).tolist() == [said, said]
            assert still(one) == said
            assert [v.shape for v in leaves(learner.state)] == room
            assert places(learner) == size
            again = ls.load(learner.save(tmp_path / "model.ls"))
            assert again.ask(one).prediction == said


# What is refused.


@pytest.mark.parametrize("key", EXAMPLE_KEYS)
def test_no_rows_are_refused(key, plain):
    _, y = sample(key, 20)
    with pytest.raises(BadInput, match="no rows"):
        ls.play(made(key), np.empty((0, 4)), y[:0])
