"""Values as they are typed: training rows among the test rows, and labels that differ in writing only."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.supervised.suspicion import shared_rows
from littlestone.supervised.typed_values import columns_of, key_of

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("train", FRAMES)
@pytest.mark.parametrize("test", FRAMES)
def test_rows_are_found_whatever_holds_them(train, test):
    """Text beside a missing value, in columns of another order."""
    rows = {"name": ["ann", "bob", None], "x": [1.0, None, 3.0], "n": [2**53 + 1, 2, None]}
    turned = {"n": [7, None, 2**53 + 1], "x": [None, 3.0, 1.0], "name": ["bob", None, "ann"]}
    found = shared_rows(FRAMES[test](rows), FRAMES[train](turned))
    # whole numbers beside a missing one are floats in pandas, which holds no 2^53 + 1
    exact = (train == "pandas") == (test == "pandas")
    assert found.tolist() == ([0, 2] if exact else [2])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["007"], ["7"]),
        (["7"], [7]),
        ([2**53 + 1], [2**53]),
        ([2**53 + 1], [float(2**53)]),
        ([2**63 + 1], [2**63]),
        ([0.1], [np.float32(0.1)]),
        (["NaN"], [float("nan")]),
        (["None"], [None]),
        (["True"], [True]),
        ([b"a"], ["a"]),
        (["2020-01-01"], [datetime.date(2020, 1, 1)]),
        (["a "], ["a"]),
        (["A"], ["a"]),
    ],
)
def test_values_that_differ_as_typed(one, other):
    for make in (
        lambda v: [[x, "same"] for x in v],
        lambda v: pd.DataFrame({"x": v}, dtype=object),
    ):
        assert not len(shared_rows(make(one), make(other)))
        assert shared_rows(make(one), make(one)).tolist() == [0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([7], [7.0]),
        ([0.0], [-0.0]),
        ([float("nan")], [None]),
        ([pd.NA], [None]),
        ([pd.NaT], [np.datetime64("NaT")]),
        ([decimal.Decimal(7)], [7]),
        ([np.int8(7)], [7]),
        ([True], [1]),
        ([datetime.datetime(2020, 1, 1)], [pd.Timestamp("2020-01-01")]),
        ([{"a": 1, "b": 2.0}], [{"b": 2, "a": 1}]),
    ],
)
def test_values_that_are_the_same(one, other):
    a, b = np.empty(1, object), np.empty(1, object)
    a[:], b[:] = one, other
    assert shared_rows(a, b).tolist() == [0]


def test_arrays_of_one_type():
    whole = np.array([[2**53 + 1, 1], [5, 6]])
    assert shared_rows(whole, np.array([[2**53, 1], [5, 6]])).tolist() == [1]
    assert shared_rows(whole, np.array([[2.0**53, 1], [5, 6]])).tolist() == [1]
    assert shared_rows(np.array([["007"]]), np.array([["7"]])).tolist() == []
    assert shared_rows(
        np.array([["a", None]], object), np.array([["a", np.nan]], object)
    ).tolist() == [0]
    days = np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]")
    assert shared_rows(days, days[1:].astype("datetime64[s]")).tolist() == [1]
    big = np.array([2**63 + 1, 5], np.uint64)
    assert shared_rows(big, np.array([5, -1])).tolist() == [1]
    few = csr_array(np.array([[0, 2**53 + 1], [3, 0]]))
    assert shared_rows(few, csr_array(np.array([[0, 2**53], [3, 0]]))).tolist() == [1]
    with pytest.raises(BadInput, match="beside sparse rows they must be numbers"):
        shared_rows(few, np.array([["a", "b"]], object))


def test_columns_go_by_name():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]})
    assert shared_rows(X, X[["b", "a"]]).tolist() == [0, 1]
    assert shared_rows(X, X[["b", "a"]].to_numpy()).tolist() == [0, 1]  # no names there: by place
    assert shared_rows(X[:1], X[1:]).tolist() == []
    claim = ls.certify([0, 1], X, [0, 1], train=X[["b", "a"]][:1])
    assert claim.verdict == "vacuous"
    assert "1 of them are training rows (test rows 1)" in claim.sentence
    with pytest.raises(BadInput, match="the training rows have no column 'b'"):
        shared_rows(X, X.rename(columns={"b": "c"}))
    with pytest.raises(BadInput, match="the test rows have no column 'y'"):
        shared_rows(X, X.assign(y=1))
    with pytest.raises(BadInput, match="two columns have the same name"):
        shared_rows(X, pd.DataFrame(np.eye(2), columns=["a", "a"]))


def test_the_columns_of_a_list_keep_their_types():
    found = columns_of([["a", 1], ["1", 2.5]], "rows")
    assert [v.tolist() for v in found.values] == [["a", "1"], [1, 2.5]]
    assert key_of("1") != key_of(1)


YES = np.array(["yes", "no"] * 50)


@pytest.mark.parametrize(
    ("predictions", "outcomes", "said"),
    [
        (np.array(["Yes", "No"] * 50), YES, r"write 'No' \(row 2\) and the outcomes 'no'"),
        (np.array(["yes ", "no "] * 50), YES, r"write 'no ' \(row 2\) and the outcomes 'no'"),
        (np.array(["1.0", "0.0"] * 50), np.array(["1", "0"] * 50), r"write '0.0' \(row 2\)"),
        (
            np.array(["1", "0"] * 50),
            np.array([1, 0] * 50),
            r"write '0' \(row 2\) and the outcomes 0",
        ),
        (np.array([1.0, 0.0] * 50), np.array(["1", "0"] * 50), r"write 0.0 \(row 2\)"),
        (
            np.array(["True", "False"] * 50),
            np.array([True, False] * 50),
            r"write 'False' \(row 2\)",
        ),
        (np.array(["01"] * 100), np.array(["1"] * 100), r"write '01' \(row 1\)"),
    ],
)
def test_labels_that_differ_in_writing_only_are_refused(predictions, outcomes, said):
    with pytest.raises(BadInput, match=said) as caught:
        ls.certify(predictions, None, outcomes)
    assert "if that is one label, write it the same way in both" in str(caught.value)
    with pytest.raises(BadInput, match=said):
        ls.certify(outcomes, None, outcomes, rival=predictions)


def test_two_writings_on_one_side_are_two_labels_and_said():
    mixed = np.where(np.arange(100) % 10 == 0, "Yes", YES)
    claim = ls.certify(mixed, None, YES)
    assert claim.errors == 10
    assert (
        "note: the prediction 'Yes' (row 1) differs from the outcome 'yes' in writing only"
        in str(claim)
    )
    claim = ls.certify(YES, None, mixed)
    assert "note: the outcomes 'Yes' and 'yes' differ in writing only" in str(claim)


def test_a_model_that_tells_two_writings_apart_may():
    X = np.array([[0.0], [1.0], [2.0]] * 10)
    letters = np.array(["a", "A", "b"] * 10)
    model = LogisticRegression(C=1e6, max_iter=1000).fit(X, letters)
    claim = ls.certify(model, np.array([[1.0], [2.0]] * 5), ["a", "b"] * 5)
    assert claim.errors == 5
    other = LogisticRegression().fit(X, np.array(["Yes", "No", "No"] * 10))
    with pytest.raises(BadInput, match="the predictions write 'No'"):
        ls.certify(other, X, ["yes", "no", "no"] * 10)


def test_no_label_in_common_is_refused_or_said():
    with pytest.raises(BadInput, match="no label in common"):
        ls.certify(np.array(["x", "z"] * 5), None, np.array(["a", "b"] * 5))
    claim = ls.certify(np.array(["b"] * 10), None, np.array(["a"] * 10))
    assert claim.errors == 10
    assert "rows predicted 'b', which no outcome is: 10" in str(claim)


def test_missing_values_of_pandas_are_named():
    with pytest.raises(BadInput, match="the outcomes: row 2 is missing"):
        ls.certify([1, 0], None, pd.Series([1, None], dtype="Int64"))
