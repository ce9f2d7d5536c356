"""Whatever holds rounds becomes the same Stream; whatever does not is refused by row and column."""

import decimal
import gzip
import io
import subprocess
import sys
import types
from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reading import open_stream

import littlestone as ls
from littlestone.core.errors import BadFile, BadInput
from littlestone.core.stream import Batch
from littlestone.encode.distinct import BLOCK
from littlestone.encode.labels import LabelEncoder
from littlestone.encode.stream import Stream
from littlestone.streams.csv import csv_head, csv_rows
from littlestone.streams.tables import table_rounds
from littlestone.streams.tables.check import CHUNK, check

NAN, INF = float("nan"), float("inf")
X = np.array([[0.0, 1.0], [1.0, 1.0], [0.5, NAN]])
Y = np.array([0.0, 1.0, 1.0])
TABLE = {
    "day": [date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 3)],
    "y": [0.0, 1.0, 1.0],
    "a": [0.0, 1.0, 0.5],
    "b": [1, 1, None],
    "who": ["u", "v", "u"],
    "holiday": [True, False, True],
    "later": [None, None, None],
}
FRAMES = {
    "pandas": pd.DataFrame(TABLE),
    "pandas-nullable": pd.DataFrame(TABLE).convert_dtypes(),
    "pandas-arrow": pd.DataFrame(TABLE).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame(TABLE),
    "polars-lazy": pl.LazyFrame(TABLE),
    "pyarrow": pa.table(TABLE),
    "record-batch": pa.table(TABLE).to_batches()[0],
}


def only(stream):
    """The one batch of a stream that is all in memory."""
    assert stream.whole
    (batch,) = stream.batches
    assert batch.first == 0
    assert stream.rounds == len(batch.y)
    for array in (batch.x, batch.y):
        assert array is None or (array.dtype == np.float64 and array.flags.c_contiguous)
    return batch


def refused(match, *args, error=BadInput, **options):
    with pytest.raises(error, match=match):
        list(open_stream(*args, **options).batches)


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.fixture
def small_pieces(monkeypatch):
    """A reader that takes 2 kB for a large file."""
    monkeypatch.setattr(table_rounds, "WHOLE", 800)
    monkeypatch.setattr(table_rounds, "PIECE", 300)
    monkeypatch.setattr(csv_head, "HEAD", 600)
    monkeypatch.setattr(csv_rows, "BLOCK", 400)


# ---------------------------------------------------------------------------- arrays


@pytest.mark.parametrize(
    "advice",
    [
        X,
        X.tolist(),
        [[0, 1], [1, 1], [0.5, None]],
        X.astype(np.float32),
        np.asfortranarray(X),
        np.repeat(X, 2, axis=0)[::2],
        X.astype(object),
        [tuple(row) for row in X],
        np.ma.masked_invalid(X),
        np.array([[0, 1], [1, 1], [decimal.Decimal("0.5"), None]], dtype=object),
        pd.DataFrame(X).to_numpy(),
    ],
    ids=lambda a: type(a).__name__,
)
def test_arrays_of_all_kinds_become_the_same_batch(advice):
    stream = open_stream(advice, Y.tolist())
    batch = only(stream)
    np.testing.assert_array_equal(batch.x, X)
    np.testing.assert_array_equal(batch.y, Y)
    assert batch.key is None
    assert stream.names == ("expert 1", "expert 2")
    assert (stream.outcome, stream.source, stream.labels) == ("outcome", "arrays", None)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16])
def test_numbers_of_any_type_are_converted(dtype):
    batch = only(open_stream(np.eye(3).astype(dtype), np.arange(3).astype(dtype)))
    np.testing.assert_array_equal(batch.x, np.eye(3))


def test_float64_is_not_copied():
    batch = only(open_stream(X, Y))
    assert batch.x is X
    assert batch.y is Y


@pytest.mark.parametrize(
    "outcomes",
    [Y, Y.reshape(-1, 1), pd.Series(Y), pl.Series(Y), pa.array(Y), pd.Series(Y).astype("Float64")],
    ids=lambda y: f"{type(y).__module__}.{type(y).__name__}",
)
def test_outcomes_of_any_kind(outcomes):
    np.testing.assert_array_equal(only(open_stream(X, outcomes)).y, Y)


def test_without_outcomes_the_data_are_losses():
    losses = np.array([[0.0, 1.0], [0.25, 0.5]])
    for stream in (open_stream(losses), open_stream(losses, losses=True)):
        batch = only(stream)
        assert batch.x is None
        np.testing.assert_array_equal(batch.y, losses)
        assert stream.names == ("expert 1", "expert 2")


def test_arrays_may_name_their_columns_and_bring_keys():
    stream = open_stream(X, Y, experts=["a", "b"], by=np.array([7, 7, 8]))
    assert stream.names == ("a", "b")
    key = only(stream).key
    assert key.tolist() == [7, 7, 8]
    assert all(type(k) is int for k in key)


def test_missing_outcomes_are_rounds_without_feedback():
    assert np.isnan(only(open_stream(X, [0, None, NAN])).y).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("match", "data", "outcomes"),
    [
        (r"outcomes: 2 for 3 rows", X, [0, 1]),
        (r"outcomes must have one dimension, not the shape \(3, 2\)", X, X),
        (r"two dimensions.*shape \(3,\); \.reshape\(-1, 1\)", Y, Y),
        (r"two dimensions.*shape \(1, 3, 2\)", [X], Y),
        (r"advice: no rows", np.empty((0, 2)), []),
        (r"advice: no rows", [], []),
        (r"losses: no rows", np.empty((0, 2)), None),
        (r"no experts", np.empty((3, 0)), Y),
        (r"complex", X.astype(complex), Y),
        (r"row 2, column 'expert 1': 'x' is not a number", [[0, 1], ["x", 1], [0, 1]], Y),
        (r"row 1, column 'expert 1': '0.5' is not a number", [["0.5"]], [1]),
        (r"row 3, column 'outcome': 'no' is not a number", X, [0, 1, "no"]),
        (r"row 2 has 3 values, row 1 has 2", [[0, 1], [0, 1, 2]], [0, 1]),
        (r"row 2 is not a list", [[0, 1], 5], [0, 1]),
        (r"row 1, column 'expert 1': datetime", np.array([["2020"]], "datetime64[Y]"), [1]),
        (r"fields", np.array([(1.0, 2.0)], dtype=[("a", "f8"), ("b", "f8")]), [1]),
        (r"data of type dict: expected", {"a": [1]}, [1]),
        (r"data of type NoneType", None, None),
        (r"data of type int", 3, None),
    ],
)
def test_arrays_that_are_refused(match, data, outcomes):
    refused(match, data, outcomes)


def test_options_that_make_no_sense():
    refused("name the column once", FRAMES["pandas"], "y", outcome="y")
    refused("leave the outcomes out", X, Y, losses=True)
    refused("leave outcome= out", FRAMES["pandas"], losses=True, outcome="y")
    refused("given apart", FRAMES["pandas"], Y, outcome="y")
    refused("arrays have none", X, outcome="y")
    refused("arrays have none", X, Y, by="who")
    refused("2 keys for 3 rows", X, Y, by=["a", "b"])
    refused("row 2, column 'by': the key is missing", X, Y, by=["a", None, "b"])
    refused("3 names for 2 columns", X, Y, experts=["a", "b", "c"])
    refused("occurs twice", X, Y, experts=["a", "a"])
    refused("batch_rows must be a whole number, 1 or more, not 0", X, Y, batch_rows=0)
    refused("losses are numbers", X, losses=True, labels=True)


def test_sparse_matrices_are_refused_with_advice():
    sparse = pytest.importorskip("scipy.sparse")
    refused("toarray", sparse.csr_matrix(np.eye(3)), Y)


def test_a_stream_is_returned_as_it_is():
    stream = open_stream(X, Y)
    assert open_stream(stream) is stream
    refused("brings its own", stream, Y)


def test_batch_rows_cuts_what_is_in_memory():
    stream = open_stream(X, Y, by=list("uvu"), batch_rows=2)
    assert not stream.whole
    assert [(b.first, len(b.x), b.key.tolist()) for b in stream.batches] == [
        (0, 2, ["u", "v"]),
        (2, 1, ["u"]),
    ]


# ---------------------------------------------------------------------------- finiteness


@pytest.mark.parametrize("bad", [INF, -INF])
@pytest.mark.parametrize("spot", [0, CHUNK - 1, CHUNK, 2 * CHUNK + 5])
def test_infinity_is_found_wherever_it_is(bad, spot):
    x = np.zeros((CHUNK, 3))
    x[::7, 1] = NAN  # sleepers are fine and must not hide it
    x.reshape(-1)[spot] = bad
    row, column = divmod(spot, 3)
    name = "abc"[column]
    with pytest.raises(BadInput, match=rf"row {row + 101}, column '{name}': {bad}; advice"):
        check(Batch(x, np.zeros(CHUNK), first=100), "abc")


def test_infinite_outcomes_and_losses_are_refused():
    refused(r"row 2, column 'outcome': -inf; outcomes", X, [0, -INF, 1])
    refused(r"row 2, column 'expert 1': inf; losses", [[0, 1], [INF, 1]])
    refused(r"row 2, column 'expert 2': missing \(NaN\); losses", [[0, 1], [1, NAN]])
    refused(r"row 1, column 'expert 1': missing \(NaN\); losses", [[None, 1]])
    refused(r"row 3, column 'b': missing", FRAMES["polars"], losses=True, experts=["a", "b"])


def test_nothing_but_sleepers_is_fine():
    """NaN in advice and outcomes passes, up to the infinite value behind them, in the next chunk."""
    asleep, unknown = np.full((CHUNK + 1, 2), NAN), np.full(CHUNK + 1, NAN)
    assert check(Batch(asleep, unknown), "ab") is None
    asleep[CHUNK, 1] = INF
    with pytest.raises(BadInput, match=rf"row {CHUNK + 1}, column 'b': inf; advice"):
        check(Batch(asleep, unknown), "ab")


@given(
    st.lists(st.sampled_from([0.0, 1e308, -1e308, NAN, INF, -INF]), min_size=1, max_size=6),
    st.booleans(),
)
def test_check_agrees_with_looking_at_each_number(values, losses):
    y = np.array([values])
    batch = Batch(None, y) if losses else Batch(y, np.zeros(1))
    bad = ~np.isfinite(y) if losses else np.isinf(y)
    names = [f"n{j}" for j in range(len(values))]
    if bad.any():
        with pytest.raises(BadInput, match=f"row 1, column 'n{bad.argmax()}'"):
            check(batch, names)
    else:
        check(batch, names)


# ---------------------------------------------------------------------------- frames and columns


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_all_kinds_become_the_same_batch(kind):
    stream = open_stream(FRAMES[kind], outcome="y")
    batch = only(stream)
    np.testing.assert_array_equal(batch.x, X)
    np.testing.assert_array_equal(batch.y, Y)
    assert (stream.names, stream.outcome) == (("a", "b"), "y")
    assert stream.source in ("pandas", "polars", "pyarrow")
    (note,) = stream.notes
    assert note == "left out: 'day' (date), 'who' (text), 'holiday' (boolean), 'later' (empty)"


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_with_keys(kind):
    batch = only(open_stream(FRAMES[kind], "y", by="who"))
    assert batch.key.tolist() == ["u", "v", "u"]
    days = only(open_stream(FRAMES[kind], "y", by="day")).key
    assert days[0].startswith("2020-01-01")
    refused("row 3, column 'b': the key is missing", FRAMES[kind], "y", by="b")


def test_timestamps_and_times_are_left_out():
    frame = pl.DataFrame(
        {
            "t": [datetime(2020, 1, 1)],
            "c": [datetime(2020, 1, 1).time()],
            "d": [datetime(2020, 1, 2) - datetime(2020, 1, 1)],
            "l": [[1.0, 2.0]],
            "y": [1.0],
            "a": [2.0],
        }
    )
    (note,) = open_stream(frame, "y").notes
    assert note == "left out: 't' (timestamp), 'c' (time), 'd' (duration), 'l' (list)"


def test_outcomes_apart_from_the_frame():
    frame = FRAMES["pandas"].drop(columns="y")
    stream = open_stream(frame, pd.Series(Y, name="price"))
    np.testing.assert_array_equal(only(stream).y, Y)
    assert stream.outcome == "price"
    refused("outcomes: 2 for 3 rows", frame, [0, 1])


def test_losses_in_a_frame():
    stream = open_stream(FRAMES["polars"], losses=True, experts=["a", "y"])
    batch = only(stream)
    assert stream.names == ("a", "y")
    assert batch.x is None
    np.testing.assert_array_equal(batch.y, np.column_stack([TABLE["a"], TABLE["y"]]))


def test_experts_by_name_glob_and_exclusion():
    frame = pd.DataFrame({c: [1.0, 2.0] for c in ("y", "DNN 1", "DNN 2", "LEAR 1", "[x]", "x")})

    def names(experts):
        return open_stream(frame, "y", experts=experts).names

    assert names(["LEAR 1", "DNN *"]) == ("LEAR 1", "DNN 1", "DNN 2")  # in the order asked for
    assert names("DNN ?") == ("DNN 1", "DNN 2")
    assert names(["[x]"]) == ("[x]",)  # a name before a glob
    assert names(["*"]) == ("DNN 1", "DNN 2", "LEAR 1", "[x]", "x")  # never the outcome
    assert names(["!DNN*"]) == ("LEAR 1", "[x]", "x")
    assert names(["DNN *", "!*2"]) == ("DNN 1",)
    assert names(["DNN 1", "DNN *"]) == ("DNN 1", "DNN 2")  # once each
    refused("no column matches 'ARIMA.'", frame, "y", experts=["ARIMA*"])
    refused("no column is called 'DNN 3'; did you mean 'DNN 2'", frame, "y", experts=["DNN 3"])
    refused("'y' is the outcome; it cannot be an expert", frame, "y", experts=["y"])
    refused("no column matches 'z", frame, "y", experts=["!z*"])
    refused("no experts", frame, "y", experts=["DNN 1", "!DNN*"])


def test_columns_that_cannot_be_used():
    frame = FRAMES["pandas"]
    refused(r"experts: 'who' \(text\) does not hold numbers", frame, "y", experts=["a", "who"])
    refused(r"experts: 'day' \(date\)", frame, "y", experts=["day"])
    refused(r"outcome: 'who' \(text\) does not hold numbers; labels=True", frame, "who")
    refused(r"no column is called 'yy'; did you mean 'y'\? The columns are 'day', 'y'", frame, "yy")
    refused(r"by: no column is called 'whom'; did you mean 'who'", frame, "y", by="whom")
    refused(r"by: 'y' is the outcome", frame, "y", by="y")
    refused(r"outcome= \(--outcome\).* could be: 'y', 'a', 'b', 'holiday'$", frame)
    refused(r"no experts.*'who' \(text\)", frame[["y", "who"]], "y")
    refused(r"no rows", frame.iloc[:0], "y")


def test_globs_leave_out_what_is_not_numeric():
    stream = open_stream(FRAMES["polars"], "y", experts=["*"])
    assert stream.names == ("a", "b")
    assert "'who' (text)" in stream.notes[0]


def test_booleans_are_experts_when_named_or_alone():
    assert open_stream(FRAMES["polars"], "y", experts=["holiday"]).names == ("holiday",)
    alone = FRAMES["polars"].select("y", "holiday")
    np.testing.assert_array_equal(only(open_stream(alone, "y")).x, [[1], [0], [1]])


def test_empty_columns_are_experts_when_named():
    for frame in (FRAMES["polars"], FRAMES["pandas"], FRAMES["pyarrow"]):
        assert np.isnan(only(open_stream(frame, "y", experts=["later", "a"])).x[:, 0]).all()


def test_polars_nan_is_no_value_either():
    frame = pl.DataFrame({"y": [1.0, 2.0], "a": [1.0, NAN], "b": [NAN, NAN]})
    stream = open_stream(frame, "y")
    assert stream.names == ("a",)
    assert stream.notes == ("left out: 'b' (empty)",)


def test_an_index_that_was_written_out_is_left_out():
    for name in ("", "Unnamed: 0"):
        frame = pl.DataFrame({name: [0, 1, 2], "y": Y, "a": Y})
        assert open_stream(frame, "y").notes == (f"left out: '{name}' (index)",)
    frame = pl.DataFrame({"": [5, 3, 9], "y": Y, "a": Y})  # not an index
    assert open_stream(frame, "y").names == ("", "a")


def test_pandas_oddities():
    numbered = pd.DataFrame(np.column_stack([Y, X]))
    stream = open_stream(numbered, outcome="0")
    np.testing.assert_array_equal(only(stream).x, X)
    assert stream.names == ("1", "2")
    objects = pd.DataFrame({"y": Y, "a": np.array([1, None, decimal.Decimal(2)], dtype=object)})
    np.testing.assert_array_equal(only(open_stream(objects, "y")).x, [[1], [NAN], [2]])
    mixed = pd.DataFrame({"y": Y, "a": Y, "b": np.array([1, 2, "oops"], dtype=object)})
    refused("experts: 'b' holds numbers, but row 3 is 'oops'; correct it or leave", mixed, "y")
    assert open_stream(mixed, "y", experts=["!b"]).names == ("a",)
    twice = pd.DataFrame(np.ones((2, 3)), columns=["y", "a", "a"])
    refused("the frame cannot be read|same name", twice, "y")


def test_decimals_and_large_integers():
    frame = pa.table({"y": [1.0, 2.0], "d": pa.array([1, 2]).cast(pa.decimal128(30, 2))})
    np.testing.assert_array_equal(only(open_stream(frame, "y")).x, [[1], [2]])
    frame = pa.table({"y": [1.0], "d": [2**60 + 1]})
    assert only(open_stream(frame, "y")).x[0, 0] == 2.0**60


@given(st.integers(1, 1500), st.integers(1, 5), st.integers(0, 2**31))
def test_a_frame_is_the_matrix_it_was_made_of(rows, n, seed):
    x = np.random.default_rng(seed).normal(size=(rows, n))
    chunks = [
        pa.table({f"e{j}": x[a, j] for j in range(n)}) for a in np.array_split(range(rows), 3)
    ]
    frame = pa.concat_tables(chunks)
    np.testing.assert_array_equal(only(open_stream(frame, x[:, 0])).x, x)


# ---------------------------------------------------------------------------- labels


def test_text_labels_are_coded_in_order():
    stream = open_stream([["cat", "dog"], ["bird", None]], ["dog", "cat"], labels=True)
    batch = only(stream)
    assert stream.labels == ["bird", "cat", "dog"]
    np.testing.assert_array_equal(batch.x, [[1, 2], [0, NAN]])
    np.testing.assert_array_equal(batch.y, [2, 1])


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0, 1], (0, 1)),
        ([1.0, 1.0], (0, 1)),
        ([0, NAN], (0, 1)),
        ([-1, 1], (-1, 1)),
        ([-1, -1], (-1, 1)),
        ([True, True], (False, True)),
        ([3, 1], (1, 3)),
        ([0.5, 2], (0.5, 2)),
        (["b", "a"], ("a", "b")),
        (["a", 1], (1, "a")),
        ([0, 1, 2], (0, 1, 2)),
    ],
)
def test_which_labels_there_are(values, labels):
    stream = open_stream([[v] for v in values], values, labels=True)
    assert stream.labels == list(labels)
    assert [type(v) for v in stream.labels] == [type(v) for v in labels]
    batch = only(stream)
    np.testing.assert_array_equal(batch.x[:, 0], batch.y)
    shown = [None if np.isnan(c) else labels[int(c)] for c in batch.y]
    assert shown == [None if v != v else v for v in values]


def test_labels_that_are_given_keep_their_order():
    stream = open_stream([["n", "y"]], ["y"], labels=("y", "n", "maybe"))
    assert stream.labels == ["y", "n", "maybe"]
    np.testing.assert_array_equal(only(stream).x, [[1, 0]])
    refused(
        r"row 2, column 'expert 1': 'x' is not one of the known labels 'y', 'n'",
        [["y"], ["x"]],
        ["y", "n"],
        labels=["y", "n"],
    )
    refused(r"row 1, column 'outcome': 2 is not one of", [[0]], [2], labels=[0, 1])
    refused(r"row 1, column 'outcome': 1 is not one of", [["a"]], np.array([1]), labels=["a"])
    refused("occurs twice", [[0]], [1], labels=[1, 1.0])
    refused("at least one", [[0]], [1], labels=[])
    refused("neither a number nor text", [[0]], [1], labels=[None])


def test_labels_that_are_none():
    refused(r"row 2, column 'expert 1': inf is not one of", [[0.0], [INF]], [0, 1], labels=True)
    refused("row 1, column 'expert 1': datetime", [[date(2020, 1, 1)]], ["a"], labels=True)
    refused("every outcome and every piece of advice is missing", [[None]], [None], labels=True)
    refused(
        "are numbers rather than classes",
        np.linspace(0, 1, 500).reshape(-1, 1),
        np.zeros(500),
        labels=True,
    )
    refused("too large", [[2**60]], [0], labels=True)


@pytest.mark.parametrize(
    "known", [[0, 1], [1, -1], [True, False], ["x", 3, 7], [3, "x", 7], [3, 7, 9]]
)
def test_two_numbers_have_the_codes_of_their_places(known):
    first, second = [v for v in known if not isinstance(v, str)][:2]
    labels, codes = (
        LabelEncoder.declare(known, fixed=True),
        [float(known.index(v)) for v in (first, second)],
    )
    values = np.array([first, second, second], float)
    assert labels.code_cells(values, "a").tolist() == [codes[0], codes[1], codes[1]]
    values[1] = np.nan
    np.testing.assert_array_equal(labels.code_cells(values, "a"), [codes[0], np.nan, codes[1]])


def test_many_labels_in_many_blocks():
    values = np.arange(3 * BLOCK) % 1000
    values[BLOCK + 3] = 5000
    labels = LabelEncoder.find([values.reshape(-1, 3)], fixed=True)
    assert labels.known == [*range(1000), 5000]
    codes = labels.code_cells(values.reshape(-1, 3), "abc")
    assert codes.reshape(-1)[BLOCK + 3] == 1000
    with pytest.raises(BadInput, match=f"row {(BLOCK + 3) // 3 + 1}, column"):
        LabelEncoder.declare(range(1000), fixed=True).code_cells(values.reshape(-1, 3), "abc")
    few = np.arange(3 * BLOCK) % 2
    few[-1] = 7
    assert LabelEncoder.find([few], fixed=True).known == [0, 1, 7]


def test_labels_in_frames():
    table = {"y": ["a", "b"], "e": ["b", None], "n": [1.0, 2.0]}
    for frame in (pd.DataFrame(table), pl.DataFrame(table), pa.table(table)):
        stream = open_stream(frame, "y", labels=True)
        assert (stream.names, stream.labels) == (("e",), ["a", "b"])
        assert stream.notes == ("left out: 'n' (number)",)
        np.testing.assert_array_equal(only(stream).x, [[1], [NAN]])
    categories = pd.DataFrame(table).astype({"y": "category", "e": "category"})
    np.testing.assert_array_equal(only(open_stream(categories, "y", labels=True)).x, [[1], [NAN]])
    dictionary = pa.table(
        {
            "y": pa.array(["a", "b"]).dictionary_encode(),
            "e": pa.array(["b", None]).dictionary_encode(),
        }
    )
    np.testing.assert_array_equal(only(open_stream(dictionary, "y", labels=True)).x, [[1], [NAN]])
    flags = pl.DataFrame({"y": [True, None], "e": [False, True]})
    stream = open_stream(flags, "y", labels=True)
    assert stream.labels == [False, True]
    np.testing.assert_array_equal(only(stream).y, [1, NAN])
    apart = open_stream(pl.DataFrame({"e": ["x", "y"]}), np.array(["y", "z"]), labels=True)
    assert apart.labels == ["x", "y", "z"]


def test_labels_of_outcomes_alone(tmp_path, small_pieces):
    """Examples with features: only what is predicted is a class."""
    x = np.array([[0.5, 2.0], [1.5, NAN], [2.5, 0.0]])
    y = ["no", "yes", None]
    table = {"y": y, "a": x[:, 0], "b": x[:, 1], "flag": [True, False, True], "t": ["u", "v", "w"]}
    csv = write(tmp_path, "f.csv", "y,a,b\n" + "no,0.5,2\nyes,1.5,\n,2.5,0\n" * 100)
    for data in ((x, y), (iter([(x, y), (x, y)]),)):
        stream = open_stream(*data, labels="outcome")
        assert stream.labels == ["no", "yes"]
        for batch in stream.batches:
            np.testing.assert_array_equal(batch.x, x)
            np.testing.assert_array_equal(batch.y, [0, 1, NAN])
    stream = open_stream(pl.DataFrame(table), "y", labels="outcome")
    assert stream.names == ("a", "b", "flag")
    np.testing.assert_array_equal(only(stream).x[:, :2], x)
    np.testing.assert_array_equal(only(stream).y, [0, 1, NAN])
    apart = open_stream(pl.DataFrame(table).select("a", "b"), y, labels="outcome")
    np.testing.assert_array_equal(only(apart).y, [0, 1, NAN])
    stream = open_stream(csv, "y", labels="outcome")
    np.testing.assert_array_equal(np.vstack([b.x for b in stream.batches]), np.vstack([x] * 100))
    refused(
        "'t' .text. does not hold numbers",
        pl.DataFrame(table),
        "y",
        experts=["t"],
        labels="outcome",
    )
    refused(
        "labels='no': True, 'outcome', 'grow', 'classes', 'auto', or the list", x, y, labels="no"
    )


# ---------------------------------------------------------------------------- iterators


def test_iterators_are_read_one_batch_at_a_time():
    read = []

    def batches():
        for t in range(5):
            read.append(t)
            yield X + t, Y + t

    stream = open_stream(batches())
    assert read == [0]  # to know the columns
    assert (stream.rounds, stream.whole, stream.source) == (None, False, "batches")
    for t, batch in enumerate(stream.batches):
        assert read == list(range(t + 1))
        assert batch.first == 3 * t
        np.testing.assert_array_equal(batch.x, X + t)
    assert read == list(range(5))


@pytest.mark.parametrize(
    "items",
    [
        [(X, Y), (X, Y)],
        [(X.tolist(), Y.tolist()), (X, Y)],
        [Batch(X, Y), Batch(X, Y, 3)],
        [(X[:0], Y[:0]), (X, Y), (X[:0], Y[:0]), (X, Y)],
        [FRAMES["pandas"][["a", "b", "y"]].assign(b=[1.0, 1.0, NAN]), FRAMES["polars"]],
        list(zip(np.vstack([X, X]), np.hstack([Y, Y]), strict=True)),  # one round each
    ],
    ids=["arrays", "lists", "batches", "empty", "frames", "rounds"],
)
def test_batches_of_all_kinds(items):
    named = isinstance(items[0], pd.DataFrame)
    for data in (iter(items), (item for item in items)):
        stream = open_stream(data, outcome="y" if named else None)
        batches = list(stream.batches)
        np.testing.assert_array_equal(np.vstack([b.x for b in batches]), np.vstack([X, X]))
        np.testing.assert_array_equal(np.hstack([b.y for b in batches]), np.hstack([Y, Y]))
        assert [b.first for b in batches] == [*np.cumsum([0] + [len(b.y) for b in batches[:-1]])]
        assert stream.names == (("a", "b") if named else ("expert 1", "expert 2"))


def test_lists_of_batches_are_batches_too():
    for items in ([Batch(X, Y)], [(X, Y), (X, Y)], [FRAMES["polars"]]):
        stream = open_stream(items, outcome="y" if len(items) == 1 else None)
        assert isinstance(stream, Stream)
        assert next(iter(stream.batches)).x.shape == (3, 2)


def test_batches_with_keys_and_losses():
    stream = open_stream(iter([(X, Y, list("uvu"))]))
    assert next(iter(stream.batches)).key.tolist() == ["u", "v", "u"]
    losses = np.ones((2, 3))
    for items in ([losses, losses], [Batch(None, losses)], [losses.tolist()], list(losses)):
        for batch in open_stream(iter(items), losses=True).batches:
            assert batch.x is None
            assert batch.y.shape[1] == 3


def test_batches_that_are_refused():
    refused("from row 4 on: 1 experts; there were 2 before", iter([(X, Y), (X[:, :1], Y)]))
    refused("from row 4 on: .* not of type dict", iter([(X, Y), {"a": 1}]))
    refused("from row 1 on: .* not a tuple of 4", iter([(X, Y, 1, 2)]))
    refused("from row 4 on: the batches are not of one form", iter([(X, Y), np.ones((3, 2))]))
    refused(
        "row 5, column 'expert 1': inf", iter([(X, Y), (np.full((2, 2), [[0.0], [INF]]), [1, 2])])
    )
    refused("outcomes: 2 for 3 rows", iter([(X, Y), (X, [1, 2])]))
    refused("no rows", iter([]))
    refused("no rows", iter([(X[:0], Y[:0])]))
    refused("brings its own", iter([X]), Y)
    refused("array of losses", iter([(X, Y)]), losses=True)
    refused("name of a column", iter([(X, Y)]), by=[1, 2, 3])
    frames = [FRAMES["polars"], FRAMES["polars"].drop("a")]
    refused("from row 4 on there is no column 'a'", iter(frames), "y")
    refused(
        "from row 4 on: a tuple of 2; the batches before", iter([FRAMES["polars"], (X, Y)]), "y"
    )


def test_labels_of_the_first_batch_hold():
    good, bad = ([["a", "b"]], ["b"]), ([["a", "c"]], ["b"])
    stream = open_stream(iter([good, bad]), labels=True)
    assert stream.labels == ["a", "b"]
    with pytest.raises(BadInput, match=r"row 2, column 'expert 2': 'c' is not .* 'a', 'b'"):
        list(stream.batches)
    assert len(list(open_stream(iter([good, bad]), labels=list("abc")).batches)) == 2


# ---------------------------------------------------------------------------- CSV

CSV = """day,y,a,b,who,holiday,later
2020-01-01 00:00:00,0,0.0,1,u,true,
2020-01-01 01:00:00,1,1.0,1,v,false,
2020-01-01 02:00:00,1,0.5,,u,true,
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("t.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("gzipped-all-the-same.csv", gzip.compress(CSV.encode(), mtime=0)),
        (
            "members.csv.gz",
            gzip.compress(CSV[:40].encode(), mtime=0) + gzip.compress(CSV[40:].encode(), mtime=0),
        ),
        ("t.tsv", CSV.replace(",", "\t")),
        ("semicolons.csv", CSV.replace(",", ";")),
        ("comma.csv", CSV.replace(",", ";").replace(".", ",")),
        ("pipes.csv", CSV.replace(",", "|")),
        ("crlf.csv", CSV.replace("\n", "\r\n")),
        ("cr.csv", CSV.replace("\n", "\r")),
        ("bom.csv", "\ufeff" + CSV),
        ("blank.csv", "\n\n" + CSV.replace("\n", "\n\n")),
        ("unended.csv", CSV.rstrip()),
        ("spaces.csv", CSV.replace(",", ", ")),
        ("quotes.csv", '"' + CSV.replace(",", '","').replace("\n", '"\n"').removesuffix('"')),
        ("lines.csv", CSV.replace(",u,", ',"u,\n""u",')),
    ],
)
def test_csv_of_all_kinds(tmp_path, name, content):
    path = write(tmp_path, name, content)
    for data in (path, str(path)):
        stream = open_stream(data, outcome="y")
        batch = only(stream)
        np.testing.assert_array_equal(batch.x, X)
        np.testing.assert_array_equal(batch.y, Y)
        assert stream.names == ("a", "b")
        assert stream.source == str(path)
        assert (
            "'day' (timestamp), 'who' (text), 'holiday' (boolean), 'later' (empty)"
            in (stream.notes[0])
        )


def test_csv_missing_values(tmp_path):
    spellings = ["", "NA", "NaN", "nan", "null", "None", "N/A", "NULL"]
    rows = "".join(f"1,{s},2\n" for s in spellings)
    batch = only(open_stream(write(tmp_path, "m.csv", "y,a,b\n" + rows + "1,5,2\n"), "y"))
    assert np.isnan(batch.x[:, 0]).tolist() == [True] * len(spellings) + [False]
    assert not np.isnan(batch.x[:, 1]).any()


def test_csv_index_columns(tmp_path):
    path = write(tmp_path, "i.csv", ",y,a\n0,1,2\n1,2,3\n2,3,4\n")
    stream = open_stream(path, "y")
    assert (stream.names, stream.notes) == (("a",), ("left out: '' (index)",))
    path = write(tmp_path, "i.csv", ",y,a\n2020-01-01,1,2\n2020-01-02,2,3\n")
    assert open_stream(path, "y").notes == ("left out: '' (date)",)
    path = write(tmp_path, "i.csv", ",y,a\nmon,1,2\ntue,2,3\n")
    assert open_stream(path, "y").notes == ("left out: '' (index)",)


def test_csv_from_standard_input(monkeypatch):
    for content in (CSV.encode(), gzip.compress(CSV.encode(), mtime=0)):
        monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(content)))
        stream = open_stream("-", "y")
        np.testing.assert_array_equal(only(stream).x, X)
        assert stream.source == "standard input"
        assert not sys.stdin.buffer.closed


def test_csv_keys_and_losses_and_labels(tmp_path):
    path = write(tmp_path, "t.csv", CSV)
    assert only(open_stream(path, "y", by="who")).key.tolist() == ["u", "v", "u"]
    assert only(open_stream(path, "y", by="a", experts=["b"])).key.tolist() == ["0.0", "1.0", "0.5"]
    days = only(open_stream(path, "y", by="day")).key
    assert days[2] == "2020-01-01 02:00:00"
    refused("row 3, column 'b': the key is missing", path, "y", by="b")
    losses = only(open_stream(path, losses=True, experts=["a", "y"]))
    assert losses.x is None
    np.testing.assert_array_equal(losses.y[:, 1], Y)
    refused("row 3, column 'b': missing", path, losses=True)
    classes = write(tmp_path, "c.csv", "y,e,f,n\ncat,dog,cat,1\ndog,,dog,2\n")
    stream = open_stream(classes, "y", labels=True)
    assert (stream.names, stream.labels) == (("e", "f"), ["cat", "dog"])
    np.testing.assert_array_equal(only(stream).x, [[1, 0], [NAN, 1]])
    spaced = write(tmp_path, "s.csv", "y, e, f\ncat, dog, cat\ndog, NA, dog\n")
    assert open_stream(spaced, "y", labels=True).labels == ["cat", "dog"]
    whole = write(tmp_path, "w.csv", "y,e\n3,1\n,2\n")
    assert open_stream(whole, "y", labels=True).labels == [1, 2, 3]


def test_real_prices(data_dir):
    path = data_dir / "Forecasts_NP_DNN_LEAR_ensembles.csv"
    stream = open_stream(path, outcome="Real price", experts=["!*Ensemble"])
    batch = only(stream)
    expected = pd.read_csv(path, index_col=0)
    assert stream.names == tuple(
        [f"DNN {i}" for i in (1, 2, 3, 4)] + [f"LEAR {d}" for d in (56, 84, 1092, 1456)]
    )
    assert stream.rounds == 17472
    assert stream.notes == ("left out: '' (timestamp)",)
    np.testing.assert_allclose(batch.x, expected[list(stream.names)].to_numpy(), rtol=1e-15)
    np.testing.assert_allclose(batch.y, expected["Real price"].to_numpy(), rtol=1e-15)
    assert ((batch.x.mean(axis=1) - batch.y) ** 2).mean() == pytest.approx(10.638, abs=5e-4)
    refused(r"did you mean 'Real price'", path, outcome="real_price")


# -- CSV in pieces


def rows_csv(rows, names="y,a,b,k"):
    return names + "\n" + "".join(f"{i},{i % 7},{i % 3},{'uv'[i % 2]}\n" for i in range(rows))


def test_csv_in_pieces_is_the_file(tmp_path, small_pieces, monkeypatch):
    path = write(tmp_path, "p.csv", rows_csv(1000))
    stream = open_stream(path, "y", by="k")
    assert (stream.rounds, stream.whole) == (None, False)
    for options, size in (({}, 100), ({"batch_rows": 64}, 64), ({"batch_rows": 7}, 7)):
        stream = open_stream(path, "y", by="k", **options)
        batches = list(stream.batches)
        assert {len(b.y) for b in batches[:-1]} == {size}
        assert [b.first for b in batches] == list(range(0, 1000, size))
        np.testing.assert_array_equal(np.hstack([b.y for b in batches]), np.arange(1000))
        expected = np.column_stack([np.arange(1000) % 7, np.arange(1000) % 3])
        np.testing.assert_array_equal(np.vstack([b.x for b in batches]), expected)
        assert "".join(k for b in batches for k in b.key) == "uv" * 500


def test_csv_line_breaks_inside_quotes(tmp_path, small_pieces):
    rows = "".join(f'{i},"two\nlines, ""{i}""",{i % 7}\n' for i in range(500))
    path = write(tmp_path, "q.csv", 'y,"a\nnote",a\n' + rows)
    stream = open_stream(path, "y", by="a\nnote")
    batches = list(stream.batches)
    np.testing.assert_array_equal(np.hstack([b.y for b in batches]), np.arange(500))
    assert batches[-1].key[-1] == 'two\nlines, "499"'


def test_csv_is_kept_whole_only_up_to_the_limit(tmp_path, monkeypatch):
    path = write(tmp_path, "w.csv", rows_csv(100))
    monkeypatch.setattr(table_rounds, "WHOLE", 8 * 100 * 3)
    assert open_stream(path, "y").whole
    monkeypatch.setattr(table_rounds, "WHOLE", 8 * 99 * 3)
    stream = open_stream(path, "y")
    assert not stream.whole
    assert sum(len(b.y) for b in stream.batches) == 100
    monkeypatch.setattr(table_rounds, "WHOLE", 1 << 20)
    assert not open_stream(path, "y", batch_rows=10).whole


def test_csv_types_may_widen_after_the_head(tmp_path, small_pieces):
    lines = rows_csv(1000).splitlines()
    lines[900] = "899.5,0.25,,u"
    stream = open_stream(write(tmp_path, "w.csv", "\n".join(lines)), "y")
    y = np.hstack([b.y for b in stream.batches])
    assert y[899] == 899.5


@pytest.mark.parametrize(
    ("line", "match", "error"),
    [
        ("1,abc,2,u", r"row 900, column 'a': 'abc' is not a number", BadInput),
        ("1,2,inf,u", r"row 900, column 'b': inf; advice", BadInput),
        ("1,2,3", r"row 900 has 3 columns, the header has 4", BadFile),
        ("1,2,3,u,5", r"row 900 has 5 columns, the header has 4", BadFile),
        ("1,2,3,", r"row 900, column 'k': the key is missing", BadInput),
    ],
)
def test_csv_slips_late_in_the_file(tmp_path, small_pieces, line, match, error):
    lines = rows_csv(1000).splitlines()
    lines[900] = line
    path = write(tmp_path, "w.csv", "\n".join(lines))
    refused(match, path, "y", by="k", error=error)
    stream = open_stream(path, "y", by="k")  # what comes before can be had
    assert next(iter(stream.batches)).first == 0


def test_csv_slips_early_in_the_file(tmp_path):
    path = write(tmp_path, "e.csv", "y,a,b\n1,2,3\n2,abc,4\n3,4,5\n")
    refused(r"experts: 'a' holds numbers, but row 2 is 'abc'; correct it or leave", path, "y")
    assert open_stream(path, "y", experts=["!a"]).names == ("b",)
    refused(r"'a' \(text: row 2 is 'abc'\) does not hold numbers", path, "y", experts=["a"])
    refused(r"outcome: 'a' \(text: row 2 is 'abc'\)", path, "a")
    path = write(tmp_path, "e.csv", "y,a,b\n1,2,3\n2,3\n")
    refused("row 2 has 2 columns, the header has 3", path, "y", error=BadFile)


def test_csv_labels_in_pieces(tmp_path, small_pieces):
    lines = ["y,e"] + ["cat,dog", "dog,cat"] * 500
    path = write(tmp_path, "l.csv", "\n".join(lines))
    stream = open_stream(path, "y", labels=True)
    assert (stream.whole, stream.labels) == (False, ["cat", "dog"])
    assert np.hstack([b.y for b in stream.batches]).tolist() == [0, 1] * 500
    lines[900] = "cat,cow"
    path = write(tmp_path, "l.csv", "\n".join(lines))
    refused("row 900, column 'e': 'cow' is not .* 'cat', 'dog'", path, "y", labels=True)
    stream = open_stream(path, "y", labels=("cat", "cow", "dog"))
    assert np.vstack([b.x for b in stream.batches])[899] == 1


def test_csv_columns_that_begin_late(tmp_path, small_pieces):
    content = "y,a,late\n" + "1,2,\n" * 900 + "1,2,3\n" * 100
    path = write(tmp_path, "l.csv", content)
    (note,) = open_stream(path, "y").notes
    assert "'late' (empty: no value in the first " in note
    stream = open_stream(path, "y", experts=["a", "late"])
    late = np.vstack([b.x for b in stream.batches])[:, 1]
    assert np.isnan(late).sum() == 900


def test_csv_rows_longer_than_a_block(tmp_path, small_pieces):
    names = ["y"] + [f"expert number {j}" for j in range(300)]
    row = ",".join(["0.123456789"] * 301)
    path = write(tmp_path, "wide.csv", "\n".join([",".join(names), *[row] * 20]))
    stream = open_stream(path, "y")
    assert sum(len(b.y) for b in stream.batches) == 20
    assert len(stream.names) == 300


# ---------------------------------------------------------------------------- bad files


def test_files_that_are_not_there(tmp_path):
    write(tmp_path, "prices.csv", CSV)
    refused(
        r"no file '.*price\.csv'; did you mean 'prices.csv'", tmp_path / "price.csv", error=BadFile
    )
    refused(r"did you mean 'prices.csv'", str(tmp_path / "prices.parquet"), error=BadFile)
    refused(r"no file '.*zzzz'$", tmp_path / "zzzz", error=BadFile)
    refused(r"no folder", tmp_path / "nowhere" / "prices.csv", error=BadFile)
    refused(r"is a folder", tmp_path, error=BadFile)


@pytest.mark.parametrize(
    ("name", "content", "match", "error"),
    [
        ("e.csv", b"", "is empty", BadFile),
        ("e.csv", b"\n\n", "is empty: it has blank lines", BadFile),
        ("e.csv", b"  \n \n\n", "is empty: it has blank lines", BadFile),
        ("e.csv.gz", gzip.compress(b"", mtime=0), "is empty", BadFile),
        ("e.parquet", b"", "is empty", BadFile),
        ("h.csv", b"y,a\n", "no rows", BadInput),
        ("h.csv", b"y,a", "no rows", BadInput),
        ("h.csv", b"y,a\n\n\n", "no rows", BadInput),
        ("g.csv", bytes(range(256)) * 9, "not a CSV file: it holds binary data", BadFile),
        ("g.csv", b"y,a\n1,2\n3,\x00\n", r"binary data \(line 3: a NUL byte\)", BadFile),
        ("g.csv", b"\x93\xfa\x96{,\x8c\xea\n1,2\n", "not a CSV file in UTF-8", BadFile),
        ("x.csv", b"PK\x03\x04" + bytes(50), "Excel", BadFile),
        ("b.csv.bz2", b"BZh91AY&SY", "bzip2", BadFile),
        ("n.csv", b"24.08,25.1\n22.52,23.1\n", "should name the columns", BadFile),
        ("d.csv", b"y,a,a\n1,2,3\n", "two columns are called 'a'", BadInput),
        ("d.csv", b"y,y,a\n1,2,3\n", "2 columns are called 'y'", BadInput),
        ("c.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:-20], "cut off", BadFile),
        ("c.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:7], "cut off", BadFile),
        ("c.csv.gz", b"\x1f\x8b" + bytes(40), "damaged", BadFile),
        ("p.parquet", b"hello, this is not it", "not a Parquet file", BadFile),
        ("p.parquet", b"PAR1" + bytes(100), "cut off or not a Parquet file", BadFile),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content, match, error):
    path = write(tmp_path, name, content)
    with pytest.raises(error, match=match) as caught:
        open_stream(path, "y")
    assert str(path) in str(caught.value) or error is BadInput


def test_a_gzip_file_cut_off_late(tmp_path):
    values = np.random.default_rng(0).normal(size=(30_000, 2))
    content = "y,a\n" + "".join(f"{y},{a}\n" for y, a in values.tolist())
    packed = gzip.compress(content.encode(), 1, mtime=0)
    path = write(tmp_path, "cut.csv.gz", packed[: len(packed) // 2])
    refused("cut off", path, "y", error=BadFile)
    altered = bytearray(packed)
    altered[len(packed) // 2] ^= 0xFF
    refused(
        "damaged|cut off", write(tmp_path, "bad.csv.gz", altered), "y", error=(BadFile, BadInput)
    )


def test_a_gzip_file_cut_off_behind_the_head(tmp_path, small_pieces):
    packed = gzip.compress(rows_csv(20_000).encode())
    path = write(tmp_path, "cut.csv.gz", packed[:-100])
    stream = open_stream(path, "y")
    read = []
    with pytest.raises(BadFile, match="cut off"):
        read.extend(len(batch.y) for batch in stream.batches)
    assert sum(read) > 1000  # what came before was delivered


# ---------------------------------------------------------------------------- Parquet


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(TABLE), path)
    return path


def test_parquet(parquet, tmp_path, monkeypatch):
    packed = write(tmp_path, "t.parquet.gz", gzip.compress(parquet.read_bytes(), mtime=0))
    renamed = write(tmp_path, "unnamed", parquet.read_bytes())
    for data in (parquet, str(parquet), packed, renamed, "-"):
        if data == "-":
            pipe = types.SimpleNamespace(buffer=io.BytesIO(parquet.read_bytes()))
            monkeypatch.setattr(sys, "stdin", pipe)
        stream = open_stream(data, outcome="y", by="who")
        batch = only(stream)
        np.testing.assert_array_equal(batch.x, X)
        np.testing.assert_array_equal(batch.y, Y)
        assert batch.key.tolist() == ["u", "v", "u"]
        assert stream.names == ("a", "b")
        assert stream.notes == ("left out: 'day' (date), 'holiday' (boolean), 'later' (empty)",)


def test_parquet_in_pieces(tmp_path, small_pieces, monkeypatch):
    x = np.random.default_rng(0).normal(size=(1000, 3))
    path = tmp_path / "p.parquet"
    table = pa.table({"y": np.arange(1000.0)} | {f"e{j}": x[:, j] for j in range(3)})
    pq.write_table(table, path, row_group_size=130)
    monkeypatch.setattr(table_rounds, "PIECE", 400)
    for options, size in (({}, 100), ({"batch_rows": 300}, 300)):
        stream = open_stream(path, "y", **options)
        assert (stream.rounds, stream.whole) == (1000, False)  # the file says how many
        batches = list(stream.batches)
        assert {len(b.y) for b in batches[:-1]} == {size}
        np.testing.assert_array_equal(np.vstack([b.x for b in batches]), x)
        np.testing.assert_array_equal(np.hstack([b.y for b in batches]), np.arange(1000))
        assert all(b.x.flags.c_contiguous for b in batches)
    x[700, 1] = INF
    pq.write_table(pa.table({"y": x[:, 0], "e": x[:, 1]}), path)
    refused("row 701, column 'e': inf", path, "y")


def test_parquet_of_pandas_leaves_its_index_out(tmp_path):
    path = tmp_path / "i.parquet"
    frame = pd.DataFrame({"y": [1.0, 2.0], "a": [3.0, 4.0]}, index=[7, 3])
    frame.to_parquet(path)
    assert open_stream(path, "y").notes == ("left out: '__index_level_0__' (index)",)
    pl.DataFrame({"": [0, 1, 2], "y": Y, "a": Y}).write_parquet(path)
    assert open_stream(path, "y").notes == ("left out: '' (index)",)


def test_parquet_labels(tmp_path):
    path = tmp_path / "l.parquet"
    pq.write_table(pa.table({"y": ["a", "b"], "e": ["b", None]}), path)
    stream = open_stream(path, "y", labels=True)
    assert stream.labels == ["a", "b"]
    np.testing.assert_array_equal(only(stream).x, [[1], [NAN]])


def test_bad_parquet(parquet, tmp_path):
    content = parquet.read_bytes()
    for cut in (6, 40, len(content) - 20, len(content) - 1):
        path = write(tmp_path, "cut.parquet", content[:cut])
        refused("cut off", path, "y", error=BadFile)
    packed = gzip.compress(content, mtime=0)
    refused("cut off", write(tmp_path, "c.parquet.gz", packed[:-20]), "y", error=BadFile)
    empty = tmp_path / "empty.parquet"
    pq.write_table(pa.table(TABLE).slice(0, 0), empty)
    refused("no rows", empty, "y")
    refused("did you mean 'y'", parquet, "Y")
    refused("which column is the outcome", parquet)


# ---------------------------------------------------------------------------- what is not imported


def test_nothing_heavy_is_imported(tmp_path):
    path = write(tmp_path, "t.csv", CSV)
    code = f"""
import sys
from littlestone.streams.open import open_stream
import littlestone.streams
heavy = {{"pyarrow", "narwhals", "scipy", "pandas", "polars", "numba", "sklearn"}}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
open_stream([[0, 1]], [1])
assert not heavy & set(sys.modules), heavy & set(sys.modules)
open_stream({str(path)!r}, "y")
assert heavy & set(sys.modules) == {{"pyarrow", "narwhals"}}, heavy & set(sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_files_are_closed(tmp_path):
    """A stream that nobody reads to the end, and one that was refused, leave no file open."""
    path = write(tmp_path, "t.csv", rows_csv(2000))
    code = f"""
import gc, os
from littlestone.core.errors import BadInput
from littlestone.streams.open import open_stream
from littlestone.streams.options import ReadOptions
before = None
for _ in range(3):
    stream = open_stream({str(path)!r}, "y", ReadOptions(batch_rows=10))
    next(iter(stream.batches))
    del stream
    open_stream({str(path)!r}, "y", ReadOptions(batch_rows=10))
    try:
        open_stream({str(path)!r}, "nope")
    except BadInput:
        pass
    gc.collect()
    count = len([f for f in os.listdir("/proc/self/fd")])
    before = before or count
    assert count == before
"""
    if not sys.platform.startswith("linux"):
        pytest.skip("counts open files in /proc")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_an_infinite_number_beside_text_is_refused_by_its_column(tmp_path):
    """A table with text is hashed; the message names the column, and not the place that its name is hashed to."""
    path = tmp_path / "mixed.csv"
    path.write_text("city,income,label\nYork,1,a\nHull,inf,b\nYork,2,a\n", encoding="utf-8")
    with pytest.raises(BadInput, match="row 2, column 'income': inf; features must be finite"):
        ls.play("online-linear", path, outcome="label")
