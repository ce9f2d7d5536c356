"""The memory of a run: it must not grow with the stream, but for the numbers that a run writes down."""

import tracemalloc
import weakref

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.play import record
from littlestone.play.record import Record
from littlestone.streams.csv import csv_head, csv_rows
from littlestone.streams.tables import table_rounds

WIDTH, ROWS = 40, 50  # of a row, and of a batch: small, as batches from a queue are
A_ROUND = 200  # bytes: an action, a loss and a number, their arrays, and as much again while they are joined
SHORT, LONG = 1_500, 4_500

pytestmark = pytest.mark.usefixtures("plain")


@pytest.fixture(autouse=True)
def anew(monkeypatch):
    """No number of a round is shared yet; weights are thinned, losses are not; no file is kept whole."""
    monkeypatch.setattr(record, "NUMBERS", np.arange(0))
    monkeypatch.setattr(record, "ROOM", LONG + 1)
    monkeypatch.setattr(record, "THIN", 64)
    monkeypatch.setattr(table_rounds, "WHOLE", 1 << 14)
    monkeypatch.setattr(table_rounds, "PIECE", ROWS * WIDTH)
    monkeypatch.setattr(csv_head, "HEAD", 1 << 14)
    monkeypatch.setattr(csv_rows, "BLOCK", 1 << 14)
    monkeypatch.setattr(csv_rows, "SAMPLE", 1 << 14)


def advice(rounds):
    rng = np.random.default_rng(0)
    for _ in range(0, rounds, ROWS):
        yield rng.random((ROWS, WIDTH)), rng.random(ROWS)


def written(path, rounds):
    """The path of a table of advice and outcomes, in row groups of 500 where the format has them."""
    blocks = [np.column_stack([y, X]) for X, y in advice(rounds)]
    names = ["y", *(f"e{i}" for i in range(WIDTH))]
    frame = pd.DataFrame(np.concatenate(blocks).round(3), columns=names)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, row_group_size=500)
    return path


def peak(data, **options):
    """Bytes that Python and pyarrow held at most while these rounds were played."""
    pa = pytest.importorskip("pyarrow")
    before, arrow = pa.total_allocated_bytes(), [0]
    tracemalloc.start()
    try:
        ls.play(
            "hedge",
            data,
            interval=(0.0, 1.0),
            shifts=0,  # the path of the best sequence is kept, up to 20 million numbers
            progress=lambda *_: arrow.append(pa.total_allocated_bytes() - before),
            **options,
        )
        return tracemalloc.get_traced_memory()[1] + max(arrow)
    finally:
        tracemalloc.stop()


def grown(low, high):
    return (high - low) / (LONG - SHORT)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_is_played_in_memory_that_stays_flat(tmp_path, suffix):
    paths = [written(tmp_path / f"{rounds}.{suffix}", rounds) for rounds in (SHORT, LONG)]
    peak(paths[0], outcome="y")  # imports, and fills caches
    low, high = (peak(path, outcome="y") for path in paths)
    assert A_ROUND < 8 * WIDTH  # so that a row that is kept would be seen
    assert grown(low, high) < A_ROUND


def test_batches_are_played_in_memory_that_stays_flat():
    peak(advice(SHORT))
    low, high = (peak(advice(rounds)) for rounds in (SHORT, LONG))
    assert grown(low, high) < A_ROUND


def test_a_batch_is_let_go_of_when_it_has_been_played():
    seen = []

    def batches():
        for X, y in advice(SHORT):
            seen.append(weakref.ref(X))
            yield X, y
            del X, y
            alive.append(sum(r() is not None for r in seen))

    alive = []
    ls.play("hedge", batches(), interval=(0.0, 1.0))
    assert len(seen) == SHORT // ROWS
    assert max(alive) <= 3  # the first, by which the rest is judged, the last and this one


@pytest.mark.parametrize("chunk", [1, 7, 64, 150])
def test_numbers_of_rounds_are_held_about_once(chunk):
    """Every chunk keeps a view of them: an array that grew with each was kept as often as there are chunks."""
    kept, rounds = Record(1), 20 * chunk
    for t in range(0, rounds, chunk):
        step, numbers = kept.plan(t, chunk)
        assert step == 1
        assert numbers.tolist() == list(range(t, t + chunk))
        kept.add(numbers, np.zeros(chunk))
    arrays = {id(v.base): v.base.nbytes for v in kept.rounds}
    assert sum(arrays.values()) <= 4 * 8 * rounds
    assert kept.gather()[0].tolist() == list(range(rounds))


def test_no_more_numbers_are_shared_than_said(monkeypatch):
    monkeypatch.setattr(record, "SHARED", 100)
    kept = Record(1)
    for t in range(0, 140, 35):
        kept.add(kept.plan(t, 35)[1], np.zeros(35))
    assert len(record.NUMBERS) <= 100
    assert kept.gather()[0].tolist() == list(range(140))
