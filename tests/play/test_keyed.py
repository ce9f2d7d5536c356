"""Many keys played together: what each gets is what it would get alone, to the last bit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.rounds import interval_of, same, subject
from support.rows import ALL

import littlestone as ls
from littlestone.core.errors import NotKept
from littlestone.engine.compile import has_numba
from littlestone.games import offers
from littlestone.play import batches as session_batches
from littlestone.play import by_key as session_by_key
from littlestone.play import keys as session_keys
from littlestone.run.keyed import KeyedRuns
from littlestone.testing.kinds import Arms, Examples

T = 23
OF_ROW = np.random.default_rng(4).integers(0, 3, T)
COLUMNS = list("abc")


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Two keys are many, and rules run plain unless a test says otherwise."""
    monkeypatch.setattr(session_by_key, "FEW", 1)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def rounds_of(s, rows=slice(None), keys=None):
    """Some rounds of a learner's kind, with keys or without."""
    x, y = s.rounds(T)
    if isinstance(s.kind, Examples):
        x, y, labels = np.asarray(x, float), np.asarray(y), s.kind.labels(y)
        found = s.kind.stream(x[rows], y[rows], labels=labels)
    else:
        given, y = x, np.ascontiguousarray(y[rows])
        if isinstance(s.kind, Arms) and x is not None:
            features = np.asarray(x, float).reshape(T, -1)[rows]
            x = offers(len(y), features=features)
        elif x is not None:
            x = np.ascontiguousarray(x[rows])
        shown = y if given is None or s.learner.bandit else x
        names = tuple(f"e{i}" for i in range(shown.shape[1]))
        labels = (0, 1) if s.learner.labels else None
        found = ls.Stream([ls.Batch(x, y)], names, rounds=len(y), whole=True, labels=labels)
    key = None if keys is None else np.array(keys.tolist(), object)
    return replace(found, batches=[found.batches[0]._replace(key=key)])


def check_together(name):
    s = subject(name)
    given = {"seed": 5, **interval_of(s.learner)}
    if not s.learner.bandit:
        given["losses"] = s.row.x is None
    runs = ls.play(s.made(), rounds_of(s, keys=OF_ROW), **given)
    assert isinstance(runs, KeyedRuns) is s.learner.fixed
    for key in runs:
        rows = np.flatnonzero(key == OF_ROW)
        alone = ls.play(s.made(), rounds_of(s, rows), **given)
        for what in ("predictions", "losses", "realised"):
            a, b = np.asarray(getattr(runs, what))[rows], np.asarray(getattr(alone, what))
            assert np.array_equal(a, b, equal_nan=b.dtype.kind == "f"), (key, what)
        assert same(runs.learners[key].state, alone.learner.state)
        assert runs.learners[key].live.t == len(rows)
    return runs


@pytest.mark.parametrize("name", ALL)
def test_together_is_alone_for_every_learner(name):
    """Experts with advice and with losses, examples and bandits; states that grow are played one by one."""
    assert len(check_together(name)) == 3


@pytest.mark.skipif(not has_numba(), reason="rules run plain here")
def test_together_is_alone_compiled(monkeypatch):
    monkeypatch.delenv("LITTLESTONE_ENGINE")
    runs = check_together("weighted-average")
    assert runs[0].facts["engine"] == "compiled"


def table(seed=0, rows=60, keys=("tea", "rice", "salt")):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.random((rows, 3)), columns=COLUMNS)
    return frame.assign(y=rng.random(rows), product=rng.choice(keys, rows))


def by_product(frame, learner="weighted-average", **options):
    options = {"outcome": "y", "experts": COLUMNS, "by": "product"} | options
    return ls.play(learner, frame, **options)


def check_each(frame, runs):
    """Each key against the same rows played alone."""
    for key in frame["product"].unique():
        mine = frame["product"] == key
        alone = by_product(frame[mine], by=None)
        np.testing.assert_array_equal(runs.predictions[mine], alone.predictions)
        np.testing.assert_array_equal(runs.losses[mine], alone.losses)
        assert same(runs.learners[key].state, alone.learner.state)
        assert [v.verdict for v in runs[key].certificate] == [v.verdict for v in alone.certificate]
        assert runs[key].bound == alone.bound
        assert runs[key].parameters == alone.parameters


def test_a_key_has_its_own_interval():
    """Of a bounded learner without a declared interval, each key learns its own; some share [0, 1]."""
    frame = table()
    frame.loc[frame["product"] == "rice", [*COLUMNS, "y"]] *= 40.0
    runs = by_product(frame)
    assert isinstance(runs, KeyedRuns)
    check_each(frame, runs)
    assert "interval [" in " ".join(runs["rice"].notes)


def test_unusual_keys_are_played_by_themselves():
    """One key has an expert that sleeps, and another outcomes that are missing."""
    frame = table()
    frame.loc[frame.index[frame["product"] == "rice"][3], "b"] = np.nan
    frame.loc[frame.index[frame["product"] == "tea"][:2], "y"] = np.nan
    runs = by_product(frame)
    assert isinstance(runs, KeyedRuns)
    assert list(runs.made) == ["rice"]  # missing outcomes are nothing unusual
    check_each(frame, runs)
    assert runs["rice"].facts["missing advice"] == 1


def test_a_key_of_tiny_numbers_is_refused_as_it_is_alone():
    """Their squares vanish. Zeros are no such numbers, nor are tiny ones beside ordinary ones."""
    frame = table()
    frame.loc[frame["product"] == "tea", "b"] = 0.0
    frame.loc[frame.index[frame["product"] == "salt"][0], "b"] = 1e-160
    assert not by_product(frame, "tracker").made
    frame.loc[frame["product"] == "rice", [*COLUMNS, "y"]] *= 1e-160
    with pytest.raises(ls.BadInput, match="tracker learned nothing"):
        by_product(frame, "tracker")


def test_a_bad_row_is_named_and_the_first_key_that_has_one():
    frame = table()
    bad = [frame.index[frame["product"] == key][2] for key in ("tea", "salt")]
    frame.loc[bad, "b"] = 7.0
    first = next(key for key in frame["product"].unique() if key in ("tea", "salt"))
    row = frame.index[frame["product"] == first][2] + 1
    with pytest.raises(ls.BadInput, match=f"row {row}, column 'b': advice is 7"):
        by_product(frame, interval=(0, 1))


def test_totals_bytes_and_what_was_not_kept():
    frame = table()
    runs = by_product(frame, record="none")
    kept = by_product(frame)
    assert runs.loss == kept.loss
    assert runs.loss == pytest.approx(sum(run.loss for run in kept.values()), rel=1e-12)
    assert kept.loss_by_key == pytest.approx(
        {key: run.loss for key, run in kept.items()}, rel=1e-12
    )
    assert runs.rounds == 60
    assert kept.rounds_by_key == {key: run.rounds for key, run in kept.items()}
    one = kept.learners["tea"].state
    assert kept.state_bytes == 3 * sum(np.asarray(leaf).nbytes for leaf in one)
    with pytest.raises(NotKept, match="record="):
        _ = runs.predictions
    assert "3 keys, 60 rounds" in repr(kept)
    assert "tea" in kept
    assert "coal" not in kept
    with pytest.raises(KeyError):
        kept["coal"]


def test_learners_of_keys_go_on(tmp_path):
    first, second = table(0), table(1)
    runs = by_product(first, interval=(0, 1))
    for learners in (runs.learners, ls.load(runs.save(tmp_path / "keys.ls"))):
        more = by_product(second, learners, resume=True)
        mine = second["product"] == "tea"
        alone = by_product(second[mine], runs["tea"].learner, by=None, resume=True)
        np.testing.assert_array_equal(more["tea"].predictions, alone.predictions)


def test_few_keys_and_other_ways_have_the_same_order(monkeypatch):
    frame = table()
    together = by_product(frame)
    heard = by_product(frame, sink=lambda t, predictions, losses: None)
    monkeypatch.setattr(session_by_key, "FEW", 100)
    few = by_product(frame)
    for runs in (heard, few):
        assert not isinstance(runs, KeyedRuns)
        np.testing.assert_array_equal(runs.predictions, together.predictions)
        np.testing.assert_array_equal(runs.losses, together.losses)


def rounds_in(frame, losses):
    """Some rows as a batch: losses of the experts, or advice and outcomes."""
    x, first, key = frame[COLUMNS].to_numpy(), frame.index[0], frame["product"].to_numpy(object)
    return (
        ls.Batch(None, x, first, key)
        if losses
        else ls.Batch(x, frame["y"].to_numpy(float), first, key)
    )


@pytest.mark.parametrize("learner", ["weighted-average", "boa", "perceptron", "hedge"])
def test_files_in_pieces_are_played_as_one_key_after_the_other(learner, monkeypatch):
    """A key begins with what its first piece holds: the interval is learned there."""
    frame = table(rows=80)
    frame.loc[frame["product"] == "rice", [*COLUMNS, "y"]] *= 40.0
    big = frame.index[(frame["product"] == "rice")][0]
    frame.loc[big, [*COLUMNS, "y"]] = [0.0, 41.0, 2.0, 3.0]  # the interval of all later rows
    if learner == "perceptron":
        frame["y"] = frame["y"] > 0.4

    def found():
        cut = [frame[a:b] for a, b in ((0, 30), (30, 31), (31, 80))]
        batches = (rounds_in(f, learner == "hedge") for f in cut)
        rounds = ls.Stream(batches, tuple(COLUMNS), features=learner == "perceptron")
        return ls.play(learner, rounds, losses=learner == "hedge")

    together = found()
    assert isinstance(together, KeyedRuns)
    monkeypatch.setattr(session_by_key, "FEW", 100)
    apart = found()
    assert not isinstance(apart, KeyedRuns)
    for key, run in apart.items():
        mine = (frame["product"] == key).to_numpy()
        np.testing.assert_array_equal(together.predictions[mine], run.predictions)
        assert same(together.learners[key].state, run.learner.state)
        assert together[key].parameters == run.parameters
        verdicts = [v.verdict for v in together[key].certificate]
        assert verdicts == [v.verdict for v in run.certificate]
    monkeypatch.setattr(session_by_key, "FEW", 1)
    frame.loc[70, "b"] = 1e300 if learner == "perceptron" else np.inf
    for kept in (session_batches.KEPT, 100):  # the second is too little: one key after the other
        monkeypatch.setattr(session_batches, "KEPT", kept)
        with pytest.raises(ls.BadInput, match="row 71, column 'b'"):
            found()


@pytest.mark.parametrize(
    "keys",
    [
        [3, 1, 3, 2],
        ["b", "a", "b", "ü"],
        [1, "1", 1, 2.5],
        [10**30, 5, 10**30, 6],
        [1.5, 2, 1.5, 2**60],
        [True, 7, 1, 8],
    ],
)
def test_keys_are_found_in_their_order_however_many_rows(keys, monkeypatch):
    batch = ls.Batch(None, np.zeros((4, 2)), key=np.array(keys, object))
    short = session_keys.keys_of(batch)
    monkeypatch.setattr(session_keys, "LONG", 0)
    long = session_keys.keys_of(batch)
    for found in (short, long):
        assert found.names == list(dict.fromkeys(keys))
        assert [found.rows(k).tolist() for k in range(3)] == [[0, 2], [1], [3]]
        rows, first = found.of(np.array([2, 0]))
        assert rows.tolist() == [3, 0, 2]
        assert first.tolist() == [0, 1, 3]


def test_passes_count_for_each_key():
    """A rate that is tuned to the rounds to come is that of the key alone."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    learner = ls.ProjectedGradient(lipschitz=5.0)
    keys = np.where(np.arange(60) % 3 == 0, "a", "b")
    runs = ls.play(learner, X, y, by=keys, passes=2)
    for key in ("a", "b"):
        alone = ls.play(learner, X[keys == key], y[keys == key], passes=2)
        assert runs[key].parameters == alone.parameters
        assert same(runs[key].learner.state, alone.learner.state)


TWICE, LONG = {"passes": 2}, {"horizon": 500}
TURNS = {"horizon": 90, "delay": 3, "interleave": True}


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        *((kind, TWICE) for kind in ("frame", "file")),
        *((kind, TWICE | {"delay": 3}) for kind in ("frame", "file")),
        *((kind, LONG) for kind in ("frame", "file", "pieces")),
        *((kind, TURNS) for kind in ("frame", "file", "pieces")),
    ],
)
def test_rates_of_a_key_are_those_of_its_rows_played_alone(kind, given, tmp_path):
    """A rate that follows the number of rounds hears of passes, of a horizon and of waiting, with keys as without."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((40, 3)), columns=list("abc"))
    frame = frame.assign(y=frame["a"] - frame["b"], k=["u", "v"] * 20)
    frame.to_csv(tmp_path / "f.csv", index=False)
    data = {"frame": frame, "file": tmp_path / "f.csv", "pieces": iter([frame[:13], frame[13:]])}
    learner = ls.learner("projected-gradient", lipschitz=5)
    runs = ls.play(learner, data[kind], outcome="y", by="k", engine="plain", **given)
    for key in "uv":
        mine = frame[frame["k"] == key].drop(columns="k")
        alone = ls.play(learner, mine, outcome="y", engine="plain", **given)
        assert runs[key].parameters["eta"] == alone.parameters["eta"]
        assert runs[key].losses.tolist() == alone.losses.tolist()
        assert runs[key].learner.digest() == alone.learner.digest()


def test_a_horizon_is_known_to_keys_that_are_played_together():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.random((900, 3)), columns=list("abc")).assign(k=np.arange(900) % 300)
    runs = ls.play("hedge", frame, by="k", losses=True, horizon=1000, engine="plain")
    assert isinstance(runs, KeyedRuns)
    mine = frame[frame["k"] == 7].drop(columns="k")
    alone = ls.play("hedge", mine, losses=True, horizon=1000, engine="plain")
    assert runs.learners[7].parameters == alone.parameters == runs[7].parameters
