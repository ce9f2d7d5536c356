"""`littlestone run … --by COLUMN --workers N | --scheduler ADDRESS`: the keys of many files, through `ls.scale`."""

import functools
import json
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli import cluster
from littlestone.cli.main import main

RUN = ["run", "data/*.parquet", "--outcome", "y", "--by", "shop", "--learner", "boa"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with three files of rounds; rules run plain."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    rng = np.random.default_rng(0)
    (tmp_path / "data").mkdir()
    frame = pd.DataFrame(rng.random((90, 3)), columns=list("abc"))
    frame = frame.assign(y=rng.random(90), shop=rng.choice(["tea", "rice", "salt"], 90))
    for i in range(3):
        frame[30 * i : 30 * i + 30].to_parquet(f"data/{i}.parquet", index=False)
    frame.to_csv("all.csv", index=False)
    return frame


def call(*words, code=0):
    result = CliRunner().invoke(main, [str(w) for w in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def refused(*words):
    """Exit code 2, and one line that says what to do."""
    said = call(*words, code=2).stderr
    assert said.count("\n") == 1
    return said


def rows_of(*words):
    return json.loads(call(*words, "--json").stdout)


def predicted():
    """The predictions in the folder `out`, in the order of the files."""
    rows = pd.concat(map(pd.read_parquet, ["out/part-0000.parquet"]))
    return rows.sort_values(["file", "row"])["prediction"].to_numpy()


def test_a_cluster_gives_the_bits_of_one_process(monkeypatch, here):
    """The workers are threads here; processes are tested where `ls.scale` is."""
    distributed = pytest.importorskip("distributed", reason="littlestone[scale] is not installed")
    alone = rows_of(*RUN, "--predictions", "out")
    expected = predicted()
    assert rows_of(*RUN, "--workers", 1) == alone
    threads = functools.partial(distributed.LocalCluster, processes=False)
    monkeypatch.setattr(distributed, "LocalCluster", threads)
    monkeypatch.setattr(cluster, "SHORT", 0.0)
    assert rows_of(*RUN, "--workers", 2, "--predictions", "out", "--save", "models") == alone
    np.testing.assert_array_equal(predicted(), expected)
    learners = ls.load("models/part-0000.ls")
    for row in alone:  # and those of the same rows without --workers
        mine = here["shop"] == row["key"]
        run = ls.play("boa", here[mine], outcome="y", experts=list("abc"))
        np.testing.assert_array_equal(expected[mine], run.predictions)
        assert learners[row["key"]].digest() == run.learner.digest()


def test_little_work_is_done_by_one_process(monkeypatch):
    pytest.importorskip("distributed", reason="littlestone[scale] is not installed")
    said = call(*RUN, "--workers", 2)
    assert "one process is faster than several, and does it" in said.stderr
    assert "3 files, 3 keys, 90 rounds, boa" in said.stdout
    assert said.stdout.count("\nall ") == 1


def test_one_file_and_the_default_learner():
    words = ["run", "all.csv", "--outcome", "y", "--by", "shop", "--task", "forecasting"]
    found = rows_of(*words, "--workers", 1)
    streamed = rows_of(*words, "--no-certify")
    assert [row["learner"] for row in found] == ["tracker"] * 3
    assert [row["key"] for row in found] == [row["key"] for row in streamed]
    for row, other in zip(found, streamed, strict=True):
        assert row["loss"] == pytest.approx(other["loss"], rel=1e-12)


def test_options_of_the_learner_and_the_data_are_handed_on():
    some = ["--experts", "a", "--experts", "b", "--interval", 0, 2]
    words = ["--workers", 1, "--learner", "hedge", "-p", "eta=3"]
    found = {row["key"]: row["loss"] for row in rows_of(*RUN[:-2], *some, *words)}
    frame = pd.read_csv("all.csv")
    for key, loss in found.items():
        mine = frame[frame["shop"] == key]
        given = {"outcome": "y", "experts": ["a", "b"], "interval": (0.0, 2.0)}
        assert loss == pytest.approx(ls.play(ls.Hedge(eta=3), mine, **given).loss, rel=1e-12)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--workers", 0], "--workers 0: there must be at least 1"),
        (["--workers", 2, "--scheduler", "tcp://a:1"], "a cluster has its own workers"),
        (["--workers", 2, "--delay", 3], "--delay does not go with --workers"),
        (["--workers", 2, "--certify"], "--certify and --workers: keys in parallel have no cert"),
        (["--workers", 2, "--report", "a.html"], "the page is about certificates"),
        (
            ["--workers", 2, "--predictions", "p.csv"],
            "--predictions p.csv: with --workers it is a fol",
        ),
        (
            ["--scheduler", "carrier-pigeon://x"],
            "no scheduler answers there (unknown address scheme",
        ),
        (["--scheduler", "tcp://127.0.0.1:1"], "no scheduler answers there (Timed out"),
        (["--workers", 2, "--experts", "d"], "no column"),
    ],
)
def test_what_is_refused(words, said, monkeypatch):
    pytest.importorskip("distributed", reason="littlestone[scale] is not installed")
    monkeypatch.setattr(cluster, "WAIT", 0.2)
    assert said in refused(*RUN, *words)


def test_keys_and_files_are_needed():
    assert "name their column with --by" in refused("run", "all.csv", "--workers", 2)
    assert "needs a FILE" in refused("run", "-", "--by", "shop", "--workers", 2)
    assert "no file is called 'no/*.csv'" in refused("run", "no/*.csv", "--by", "shop")


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = refused(*RUN, "--workers", 2)
    assert (
        '--workers needs distributed, which is not installed: pip install "littlestone[scale]"'
        in said
    )
    assert "3 keys" in call(*RUN, "--workers", 1).stdout  # one process does without


def test_help_teaches():
    said = " ".join(call("run", "--help").stdout.split())
    for words in ("--workers NUMBER", "--scheduler ADDRESS", "'data/*.parquet'", "the same bits"):
        assert words in said
