"""The columns of a chunk are used again where nothing holds them, and only there."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.play import record

LOSSES = np.random.default_rng(3).random((300, 4))


@pytest.fixture(autouse=True)
def _plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    monkeypatch.setattr(record, "SPARE", [])


def test_a_run_without_records_gives_its_columns_back():
    first = ls.play("hedge", LOSSES, certify=False, record="none")
    spare = [id(v) for v in record.SPARE]
    assert len(spare) == 2  # actions and costs
    again = ls.play("hedge", LOSSES[::-1], certify=False, record="none")
    assert sorted(id(v) for v in record.SPARE) == sorted(spare)
    assert first.loss == ls.play("hedge", LOSSES, certify=False).loss
    assert again.loss == ls.play("hedge", LOSSES[::-1], certify=False).loss


@pytest.mark.parametrize("options", [{}, {"certify": False}, {"record": "none"}])
def test_what_is_recorded_or_certified_is_not_given_back(options):
    assert ls.play("hedge", LOSSES, **options).rounds == 300
    assert record.SPARE == []


def test_what_a_listener_was_given_is_not_given_back():
    heard = []
    options = {"certify": False, "record": "none"}
    ls.play("hedge", LOSSES, sink=lambda t, a, c: heard.append(c), **options)
    before = heard[0].copy()
    ls.play("hedge", LOSSES[::-1], **options)
    assert np.array_equal(heard[0], before)


def test_no_more_than_three_columns_are_held():
    record.give_back([np.empty(record.COLUMN)[:5] for _ in range(7)])
    record.give_back([np.empty(5), np.empty(9)[:5]])  # of another size
    assert [len(v) for v in record.SPARE] == [record.COLUMN] * 3
    assert record.column(record.COLUMN + 1).base is None
