"""Labels are met in the order in which they occur, however long one waits for the last of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.core.errors import BadInput
from littlestone.encode.distinct import BLOCK, distinct_numbers
from littlestone.encode.labels import SOME, LabelEncoder
from littlestone.streams.tables.coding import judge_outcomes


def one_by_one(y, labels):
    """The codes and the rows, as a loop over the rows finds them."""
    coder, codes, rows = LabelEncoder(), np.full(len(labels), np.nan), []
    for r, place in enumerate(y):
        if not np.isnan(place) and np.isnan(codes[int(place)]):
            codes[int(place)] = coder.code(labels[int(place)])
            rows.append(r)
    return codes, tuple(rows)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(0, 6 * SOME))
@settings(max_examples=60, deadline=None)
def test_labels_are_met_as_row_by_row(seed, classes, rows):
    rng = np.random.default_rng(seed)
    labels = tuple("abcdefghijkl"[:classes])
    # the later, the more labels there may be
    y = (rng.random(rows) ** 2 * np.linspace(0.0, classes, rows)).astype(float) // 1
    y[rng.random(rows) < 0.1] = np.nan
    codes, first = LabelEncoder().meet(y, labels)
    expected, there = one_by_one(y, labels)
    np.testing.assert_array_equal(codes, expected)
    assert first == there


def test_a_label_that_is_known_is_not_met_again():
    coder = LabelEncoder(["a"])
    codes, rows = coder.meet(np.array([0.0, 1.0, 0.0]), ("a", "b"))
    assert (codes.tolist(), rows) == ([0.0, 1.0], (1,))
    assert coder.meet(np.array([1.0, 0.0]), ("a", "b"))[1] == ()


@pytest.mark.parametrize("size", [1, SOME, SOME + 1, BLOCK + SOME, 3 * BLOCK])
@pytest.mark.parametrize("classes", [1, 2, 9, 40])
def test_distinct_numbers_are_found_without_sorting_them_all(size, classes):
    values = np.random.default_rng(size).integers(0, classes, size).astype(float)
    values[-1] = 99.5  # the last of all
    assert distinct_numbers(values).tolist() == np.unique(values).tolist()
    values[: size // 2] = np.nan
    known = distinct_numbers(values)
    assert known[~np.isnan(known)].tolist() == np.unique(values[size // 2 :]).tolist()


def test_outcomes_are_judged_by_all_of_them():
    two = np.tile([0.0, 1.0], BLOCK)
    assert judge_outcomes(two) == (True, "it has two different values")
    assert judge_outcomes(two.astype(np.int64)) == (True, "it has two different values")
    assert judge_outcomes(np.append(two, 0.5)) == (False, "it holds numbers")
    assert judge_outcomes(np.append(two, np.inf)) == (True, "it has two different values")
    assert judge_outcomes(np.append(two, 2.0))[0]
    assert judge_outcomes(np.append(two, np.arange(2.0, 22.0))) == (False, "it holds numbers")
    # what is missing does not count among the rows: three classes, 29 rows
    few = np.append(np.tile([0.0, 1.0, 2.0], 9), [0.0, 1.0])
    assert not judge_outcomes(np.append(few, np.full(9, np.nan)))[0]
    assert judge_outcomes(np.append(few, 2.0))[0]


def test_a_third_class_of_a_learner_of_two_is_refused():
    with pytest.raises(BadInput, match="unknown label 'c'"):
        LabelEncoder(most=2).meet(np.array([0.0, 1.0, 2.0]), ("a", "b", "c"))
