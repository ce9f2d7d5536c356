"""The memory of columns is used again where nothing holds them, and only there."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.engine import columns

ROWS = columns.LEAST + 5


@pytest.fixture(autouse=True)
def _none_held():
    columns.SPARE.clear()
    yield
    columns.SPARE.clear()


def spare():
    return {id(v) for held in columns.SPARE.values() for v in held}


def test_memory_comes_back_with_the_last_array_that_has_it():
    whole = columns.column(ROWS)
    whole[:] = 7.0
    part = whole[3:5].reshape(2, 1)[:, 0]
    del whole
    assert not spare()
    assert part.tolist() == [7.0, 7.0]
    del part
    assert len(spare()) == 1
    again = columns.column(ROWS + 1)  # of as many steps
    assert not spare()
    assert len(again) == ROWS + 1
    assert again[4] == 7.0


def test_two_columns_share_no_memory():
    one, other = columns.column(ROWS), columns.column(ROWS).reshape(ROWS, 1)
    assert not np.shares_memory(one, other)
    assert other.shape == (ROWS, 1)


def test_short_and_very_long_ones_are_not_held():
    assert columns.column(columns.LEAST - 1).base is None
    assert columns.column(columns.LONGEST + 1).base is None
    assert not spare()


def test_no_more_is_held_than_there_is_room_for():
    many = [columns.column(columns.LONGEST) for _ in range(7)]
    del many
    held = sum(size * len(v) for size, v in columns.SPARE.items())
    assert 0 < held <= columns.ROOM


@pytest.mark.parametrize("options", [{}, {"record": "none"}, {"certify": False}])
def test_a_run_keeps_its_columns_from_later_ones(monkeypatch, options):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    monkeypatch.setattr(columns, "LEAST", 10)
    monkeypatch.setattr(columns, "STEP", 10)
    L, heard = np.random.default_rng(3).random((300, 4)), []
    first = ls.play("hedge", L, sink=lambda t, a, c: heard.append(c), **options)
    before, said = heard[0].copy(), first.loss
    for _ in range(3):
        ls.play("hedge", L[::-1], **options)
    assert np.array_equal(heard[0], before)
    assert first.loss == said == ls.play("hedge", L, **options).loss
    assert spare()
