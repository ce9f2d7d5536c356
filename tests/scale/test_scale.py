"""Keys, configurations and shards: here and on a cluster, the same bits."""

import math
import os
import signal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.scale.shuffle import laid_down, taken_up
from littlestone.scale.split import parts_for, parts_of, split

COLUMNS = ["a", "b", "c"]
GIVEN = {"by": "product", "outcome": "y", "experts": COLUMNS}


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def table(rows=90, seed=0, keys=7):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.random((rows, 3)), columns=COLUMNS)
    return frame.assign(y=rng.random(rows), product=rng.integers(0, keys, rows))


def written(folder, frame, kind="parquet", sizes=(40, 13, 37)):
    at = 0
    for i, size in enumerate(sizes):
        part = frame.iloc[at : at + size]
        path = folder / f"day-{i}.{kind}"
        part.to_parquet(path, index=False) if kind == "parquet" else part.to_csv(path, index=False)
        at += size
    return str(folder / f"*.{kind}")


def same_runs(found, expected):
    np.testing.assert_array_equal(found.predictions, expected.predictions)
    np.testing.assert_array_equal(found.losses, expected.losses)
    assert found.loss_by_key == expected.loss_by_key


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_by_key_are_the_keys_played_alone(tmp_path, kind):
    frame = table()
    found = ls.scale.play("boa", written(tmp_path, frame, kind), parts=3, **GIVEN)
    for key in range(7):
        mine = (frame["product"] == key).to_numpy()
        alone = ls.play("boa", frame[mine], outcome="y", experts=COLUMNS)
        np.testing.assert_array_equal(found.predictions[mine], alone.predictions)
        np.testing.assert_array_equal(found.losses[mine], alone.losses)
        assert found.loss_by_key[key] == pytest.approx(alone.loss, rel=1e-12)
        assert found.rounds_by_key[key] == mine.sum()
    assert len(found) == 7
    assert found.rounds == 90
    same_runs(ls.scale.play("boa", frame, **GIVEN), found)  # a frame, in one part


def test_parts_are_written_to_folders(tmp_path):
    frame = table()
    pattern = written(tmp_path, frame)
    whole = ls.scale.play("boa", pattern, parts=3, **GIVEN)
    found = ls.scale.play(
        "boa", pattern, parts=3, out=tmp_path / "out", save=tmp_path / "models", **GIVEN
    )
    assert found.predictions is None
    assert found.loss_by_key == whole.loss_by_key
    rows = pd.concat(map(pd.read_parquet, sorted((tmp_path / "out").iterdir())))
    rows = rows.sort_values(["file", "row"])
    np.testing.assert_array_equal(rows["prediction"], whole.predictions)
    np.testing.assert_array_equal(rows["product"], frame["product"])
    learners = {}
    for path in (tmp_path / "models").iterdir():
        learners |= ls.load(path)
    mine = frame["product"] == 3
    alone = ls.play("boa", frame[mine], outcome="y", experts=COLUMNS)
    assert learners[3].digest() == alone.learner.digest()


def test_the_part_of_a_key_never_changes():
    """Results lie in files by part: another version must find a key where it was."""
    assert parts_of(pa.array(["tea", "ü"]), 1000).tolist() == [714, 789]
    assert parts_of(pa.array([1, -7]), 1000).tolist() == [884, 46]
    assert parts_of(pa.array([1.0, -7.0, 2.5]), 1000).tolist() == [884, 46, 363]
    many = np.bincount(parts_of(pa.array(np.arange(100_000)), 100))
    assert many.min() > 900
    assert many.max() < 1100
    assert [parts_for(size) for size in (0, 1, 256 << 20, (256 << 20) + 1, 1 << 60)] == [
        1, 1, 1, 2, 4096
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "more", "words"),
    [
        ("nowhere/*.parquet", {}, "no file is called 'nowhere/\\*.parquet'"),
        (["a.txt"], {}, "a.txt: files must be Parquet"),
        (7, {}, "data of type int: give a frame"),
        (table(), {"by": "shop"}, "by: no column is called 'shop'; there are a, b, c, y, product"),
        (table(), {"parts": 0}, "parts must be a whole number, 1 or more, not 0"),
        (table(), {"certify": True}, "certify: scale.play does not take it"),
        (table().assign(product=[None, *["x"] * 89]), {}, "row 1, column 'product': the key is"),
        (table()[:0], {}, "there are no rounds"),
    ],
)
def test_what_is_refused(data, more, words):
    with pytest.raises(ls.BadInput, match=words):
        ls.scale.play("boa", data, **(GIVEN | more))


def test_messages_name_the_file_and_its_row(tmp_path):
    frame = table()
    frame.loc[45, "b"] = 7.0
    with pytest.raises(ls.BadInput, match=r"day-1\.parquet: row 6, column 'b': advice is 7"):
        ls.scale.play(
            "weighted-average", written(tmp_path, frame), parts=3, interval=(0, 1), **GIVEN
        )
    frame["product"] = frame["product"].astype(object)
    frame.loc[45, "product"] = None
    with pytest.raises(ls.BadInput, match=r"day-1\.parquet: row 6, column 'product': the key is"):
        ls.scale.play("boa", written(tmp_path, frame), parts=3, **GIVEN)


def test_pieces_come_back_from_their_file(tmp_path):
    """Categories, text and numbers; a part may be empty, a table may have chunks, and a file is written again."""
    frame = table().assign(product=pd.Categorical(["tea", "rice"] * 45), note="ü")
    halves = [pa.Table.from_pandas(half, preserve_index=False) for half in (frame[:40], frame[40:])]
    for _ in range(2):
        found = split(pa.concat_tables(halves), 3, "product", 5)
        pieces = laid_down(found, str(tmp_path / "3.arrow"))
        assert pieces.rows == 90
        for p in range(5):
            assert taken_up(pieces, p).equals(found[p + 1])
    assert [path.name for path in tmp_path.iterdir()] == ["3.arrow"]


# Configurations.


def test_a_sweep_is_each_configuration_by_itself(tmp_path):
    frame = table()
    rates = {"slow": ls.Hedge(eta=0.1), "fast": ls.Hedge(eta=2.0)}
    pattern = written(tmp_path, frame.drop(columns="product"))
    found = ls.scale.sweep(rates, pattern, seeds=2, outcome="y")
    assert [(row["learner"], row["seed"]) for row in found] == [
        ("slow", 0), ("slow", 1), ("fast", 0), ("fast", 1)
    ]  # fmt: skip
    for row in found:
        run = ls.play(
            rates[row["learner"]], frame[COLUMNS].to_numpy(), frame["y"], seed=row["seed"]
        )
        assert row["loss"] == pytest.approx(run.loss, rel=1e-12)
        assert row["rounds"] == 90
    least = min(found, key=lambda row: row["mean_loss"])
    assert found.best["learner"] == least["learner"]
    assert found.best["seeds"] == 2
    assert list(found.to_frame()["seed"]) == [0, 1, 0, 1]


def test_a_sweep_counts_mistakes():
    x, y = shards(1)[0]
    [row] = ls.scale.sweep("perceptron", x, y)
    assert row["mistakes"] == ls.play("perceptron", x, y).mistakes


@pytest.mark.parametrize(
    ("configurations", "more", "words"),
    [
        (["hedge", "hedge"], {}, "hedge is there twice; give names in a dict"),
        ([], {}, "there is none to play"),
        (["hegde"], {}, "did you mean hedge"),
        (["hedge"], {"seeds": []}, "seeds: there is none"),
        (["hedge"], {"certify": True}, "certify: scale.sweep does not take it"),
    ],
)
def test_what_a_sweep_refuses(configurations, more, words):
    with pytest.raises(ls.BadInput, match=words):
        ls.scale.sweep(configurations, np.zeros((3, 2)), **more)


# Shards.


def shards(m, rows=60, seed=0):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(m):
        x = rng.normal(size=(rows, 3))
        p = 1 / (1 + np.exp(-x @ [1.5, -1.0, 0.3]))
        found.append((x, np.where(rng.random(rows) < p, "yes", "no")))
    return found


def test_a_mixture_keeps_its_theorem():
    """Each round at most the mean of the models' losses; in all at most the best model + ln m."""
    m = 4
    model = ls.scale.fit("logistic", shards(m))
    x, y = shards(1, 200, seed=9)[0]
    advice, codes = model.advice(x), (y == "yes").astype(float)
    np.testing.assert_allclose(
        advice[:5, 0], model.models[0].predict_proba(x[:5])[:, model.models[0].classes.index("yes")]
    )
    each = -np.log(np.where(codes[:, None] == 1, advice, 1 - advice))
    first = model.predict_proba(x)
    assert (
        -np.log(first[np.arange(200), codes.astype(int)]) <= each.mean(axis=1) + 1e-12
    ).all()  # Jensen's inequality
    run = model.play(x, y)
    assert run.loss <= each.sum(axis=0).min() + math.log(m)
    assert run.certificate.verdict == "kept"
    assert run.bound == pytest.approx(math.log(m))
    posterior = np.exp(-each.sum(axis=0) + each.sum(axis=0).min())
    np.testing.assert_allclose(model.weights, posterior / posterior.sum(), rtol=1e-9)
    assert set(model.predict(x)) == {"yes", "no"}
    assert "the smallest shard has 60 rows" in model.notes[0]
    assert repr(model) == "<Mixture of 4 models, 240 rows>"


def test_a_mixture_of_numbers_keeps_its_theorem():
    rng = np.random.default_rng(3)
    some = [
        (x := rng.random((50, 2)), np.clip(x @ [0.3, 0.5] + 0.1 * rng.normal(size=50), 0, 1))
        for _ in range(3)
    ]
    model = ls.scale.fit("online-linear-regression", some)
    x = rng.random((80, 2))
    y = np.clip(x @ [0.3, 0.5], 0, 1)
    run = model.play(x, y)
    each = ((model.advice(x) - y[:, None]) ** 2).sum(axis=0)
    assert run.loss <= each.min() + math.log(3) / 2
    assert run.bound == pytest.approx(math.log(3) / 2)
    assert model.predict(x[:2]).shape == (2,)
    with pytest.raises(ls.BadInput, match="no probabilities"):
        model.predict_proba(x)


def test_a_mixture_of_several_classes_keeps_its_theorem():
    """The posterior of the models, Jensen's inequality and ln m; a model may not know a class."""
    rng = np.random.default_rng(5)

    def three(rows, known=(0, 1, 2)):
        x = rng.normal(size=(rows, 2))
        y = np.argmax(x @ [[2.0, 0, -1], [0, 1.5, -1]], axis=1)
        keep = np.isin(y, known)
        return x[keep], np.array(["a", "b", "c"])[y[keep]]

    m = 3
    model = ls.scale.fit("softmax", [three(60), three(60, (0, 1)), three(60)])
    assert model.classes == ["a", "b", "c"]
    x, y = three(80)
    advice = model.advice(x)
    assert advice.shape == (80, m, 3)
    np.testing.assert_allclose(advice.sum(axis=2), 1.0)
    own = model.models[0]
    order = [own.classes.index(label) for label in model.classes]
    p = own.predict_proba(x[:4])[:, order]  # a part is kept for a class not seen before
    np.testing.assert_allclose(advice[:4, 0], p / p.sum(axis=1, keepdims=True))
    first = model.predict_proba(x)
    np.testing.assert_allclose(first, advice.mean(axis=1))
    codes = np.searchsorted(model.classes, y)
    each = -np.log(advice[np.arange(80), :, codes])
    assert (-np.log(first[np.arange(80), codes]) <= each.mean(axis=1) + 1e-12).all()
    run = model.play(x, y)
    assert run.loss <= each.sum(axis=0).min() + math.log(m)
    assert run.certificate.verdict == "kept"
    assert run.bound == pytest.approx(math.log(m))
    posterior = np.exp(-each.sum(axis=0) + each.sum(axis=0).min())
    np.testing.assert_allclose(model.weights, posterior / posterior.sum(), rtol=1e-9)
    told = np.cumsum(np.vstack([np.zeros(m), each[:-1]]), axis=0)  # Bayes' rule, round by round
    w = np.exp(told.min(axis=1, keepdims=True) - told)
    mixed = (w / w.sum(axis=1, keepdims=True) * np.exp(-each)).sum(axis=1)
    assert run.loss == pytest.approx(-np.log(mixed).sum(), rel=1e-9)
    assert (model.predict(x) == y).mean() > 0.8


def test_what_fit_refuses():
    x, y = shards(1)[0]
    with pytest.raises(ls.BadInput, match="hedge combines experts"):
        ls.scale.fit("hedge", [(x, y)])
    with pytest.raises(ls.BadInput, match="shards: there is none"):
        ls.scale.fit("logistic", [])
    with pytest.raises(ls.BadInput, match="every outcome of every shard is 'yes'"):
        ls.scale.fit("logistic", [(x, np.full(60, "yes"))])
    assert ls.scale.fit("logistic", [(x, np.full(60, "no")), (x, y)]).classes == ["no", "yes"]
    with pytest.raises(ls.BadInput, match="scores of perceptron are no probabilities"):
        ls.scale.fit("perceptron", [(x, y)]).predict(x)
    with pytest.raises(ls.BadInput, match="outcome 'maybe' is none of the classes"):
        ls.scale.fit("logistic", [(x, y)]).play(x[:1], ["maybe"])


# On a cluster.


def die_once(flag):
    """Kill the worker that runs this with SIGKILL, the first time."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return "survived"
    os.kill(os.getpid(), signal.SIGKILL)
    return "not reached"


def nothing(path):
    return False


@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same_bits_and_a_killed_worker_changes_none(tmp_path, monkeypatch):
    """Two workers; one is killed with SIGKILL while the parts of a play are waited for."""
    distributed = pytest.importorskip("distributed", reason="littlestone[scale] is not installed")
    frame, pieces = table(rows=900, keys=50), shards(3)
    (tmp_path / "data").mkdir()
    pattern = written(tmp_path / "data", frame, sizes=(300, 300, 300))
    here = ls.scale.play("boa", pattern, parts=4, **GIVEN)
    rates = {f"eta {eta}": ls.Hedge(eta=eta) for eta in (0.1, 1.0)}
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0",
        local_directory=str(tmp_path), silence_logs=50,
    )  # fmt: skip
    with cluster, distributed.Client(cluster) as client:
        same_runs(ls.scale.play("boa", pattern, parts=4, client=client, **GIVEN), here)
        same_runs(ls.scale.play("boa", frame, parts=4, client=client, **GIVEN), here)
        with monkeypatch.context() as no_folder:
            no_folder.setattr(os.path, "isfile", nothing)  # what workers are asked
            for data in (pattern, frame):  # pieces move from worker to worker
                same_runs(ls.scale.play("boa", data, parts=4, client=client, **GIVEN), here)
        losses = frame[COLUMNS].to_numpy()
        assert ls.scale.sweep(rates, losses, seeds=2, client=client) == ls.scale.sweep(
            rates, losses, seeds=2
        )
        there = ls.scale.fit("logistic", pieces, client=client)
        assert [m.digest() for m in there.models] == [
            m.digest() for m in ls.scale.fit("logistic", pieces).models
        ]
        before = set(client.nthreads())
        killed = client.submit(die_once, str(tmp_path / "flag"), pure=False)
        same_runs(ls.scale.play("boa", pattern, parts=4, client=client, **GIVEN), here)
        assert killed.result(timeout=60) == "survived"
        assert set(client.nthreads()) != before  # a worker is gone, or another took its place
