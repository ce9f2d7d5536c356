"""Examples from anywhere: the same features give the same rows, and no row is lost in silence."""

import contextlib
import gzip
import io
import json
import random
import sys
import types
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from support.reading import open_stream

import littlestone as ls
from littlestone.core.csr import sum_duplicates
from littlestone.core.errors import BadFile, BadInput, LittlestoneError
from littlestone.core.stream import Batch
from littlestone.core.vectors import Rows
from littlestone.encode.hashing import hashes
from littlestone.encode.labels import LabelEncoder
from littlestone.encode.stream import Stream
from littlestone.streams import line_blocks
from littlestone.streams.csv import csv_head, csv_mend, csv_rows
from littlestone.streams.formats import detect_format
from littlestone.streams.tables import table_rounds
from littlestone.streams.tables.batches import cut_batch, join_batches, regroup_batches
from littlestone.streams.tables.coding import looks_like_labels

NAN, INF = float("nan"), float("inf")
RECORDS = [
    {"colour": "red", "size": 1.5, "n": 0, "w": 1.0, "label": "yes"},
    {"colour": "blue", "size": None, "n": 7, "w": 2.0, "label": "no"},
    {"colour": None, "size": -3.25, "n": 1, "w": 0.0, "label": "yes"},
    {"colour": "light, blue", "size": 1e-6, "n": 2, "w": 0.5, "label": None},
]


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def opened(data, *args, **options):
    return open_stream(data, *args, examples=True, **options)


def read(stream):
    """All rounds of a stream as one batch; its parts are what compiled code expects."""
    batches = list(stream.batches)
    assert stream.features
    row = batches[0].first
    for batch in batches:
        assert batch.first == row
        row += len(batch.y)
        assert batch.y.dtype == np.float64
        if isinstance(batch.x, Rows):
            x = batch.x
            assert (x.indptr.dtype, x.index.dtype) == (np.int64, np.int32)
            assert x.value.dtype == np.float64
            assert len(x.indptr) == len(batch.y) + 1
            assert x.indptr[0] == 0
            assert x.indptr[-1] == len(x.index) == len(x.value)
            assert batch.width >= x.index.max(initial=-1) + 1
            assert (x.index >= 0).all()
            assert all(part.flags.c_contiguous for part in x)
        else:
            assert batch.x.dtype == np.float64
            assert batch.x.flags.c_contiguous
            assert batch.x.shape == (len(batch.y), len(stream.names))
    return join_batches(batches)


def refused(match, *args, error=LittlestoneError, **options):
    with pytest.raises(error, match=match):
        list(opened(*args, **options).batches)


def dense(batch, width=None):
    x = batch.x
    shape = (len(batch.y), width or max(1, batch.width))
    return sparse.csr_array((x.value, x.index, x.indptr), shape=shape).toarray()


def equal(a, b):
    """Two batches of the same rounds; what is sparse need not be in the same order."""
    np.testing.assert_array_equal(a.y, b.y)
    if isinstance(a.x, Rows):
        for t in range(len(a.y)):
            one, two = (_entries(cut_batch(batch, t, t + 1).x) for batch in (a, b))
            assert one == two
    else:
        np.testing.assert_array_equal(a.x, b.x)
    for one, two in ((a.h, b.h), (a.key, b.key)):
        assert (one is None) == (two is None)
        if one is not None:
            np.testing.assert_array_equal(one, two)


def _entries(x):
    return sorted(zip(x.index.tolist(), x.value.tolist(), strict=True))


def place(*names, bits=18):
    return [int(h) & ((1 << bits) - 1) for h in hashes(names)]


@pytest.fixture
def small(monkeypatch):
    """Readers that take a kilobyte for a large file."""
    monkeypatch.setattr(table_rounds, "WHOLE", 300)
    monkeypatch.setattr(table_rounds, "PIECE", 60)
    monkeypatch.setattr(csv_head, "HEAD", 300)
    monkeypatch.setattr(csv_rows, "BLOCK", 200)
    monkeypatch.setattr(csv_mend, "PIECE", 64)
    monkeypatch.setattr(line_blocks, "BLOCK", 200)


# ---------------------------------------------------------------------------- one table, all forms


def as_csv(records):
    out = io.StringIO()
    pd.DataFrame(records).to_csv(out, index=False)
    return out.getvalue()


def as_jsonl(records):
    return "".join(json.dumps(r) + "\n" for r in records)


ARFF = """% a comment
@RELATION 'a table'
@Attribute 'colour' {red, blue, 'light, blue'}
@ATTRIBUTE size REAL
@attribute "n" Integer
@attribute w numeric   % weights
@attribute label {yes,no}

@DATA
red,1.5,0,1.0,yes
% another
blue, ? ,7,2,"no"
?,-3.25,1,0,yes

'light, blue' , 1e-6,2,.5,?
"""

SPARSE_ARFF = """@relation t
@attribute colour {none,red,blue,'light, blue'}
@attribute size numeric
@attribute n numeric
@attribute w numeric
@attribute label {yes,no}
@data
{0 red, 1 1.5, 3 1}
{0 blue,1 ?,2 7,3 2,4 no}
{0 ?,1 -3.25,2 1}
% comment
{0 'light, blue', 1 1e-6, 2 2, 3 0.5, 4 ?}
"""


def table(folder, form):
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(RECORDS), folder / "t.parquet")
        return folder / "t.parquet"
    content = {
        "csv": as_csv(RECORDS),
        "tsv": as_csv(RECORDS).replace('"light, blue"', "light; blue").replace(",", "\t"),
        "jsonl": as_jsonl(RECORDS),
        "arff": ARFF,
        "sparse.arff": SPARSE_ARFF,
    }
    if form == "dicts":
        return RECORDS
    if form == "pandas":
        return pd.DataFrame(RECORDS)
    if form == "categories":
        return pd.DataFrame(RECORDS).astype({"colour": "category", "label": "category"})
    if form == "polars":
        return pl.DataFrame(RECORDS)
    if form == "pyarrow":
        return pa.Table.from_pylist(RECORDS)
    return write(folder, f"t.{form}", content[form])


FORMS = ["csv", "jsonl", "parquet", "arff", "sparse.arff", "dicts", "pandas", "categories"]
FORMS += ["polars", "pyarrow"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("interactions", [(), "cs", ("colour:size", "nn")])
def test_one_table_in_every_form_gives_the_same_examples(tmp_path, form, interactions):
    data = table(tmp_path, form)
    stream = opened(data, "label", weights="w", labels="grow", interactions=interactions)
    batch = read(stream)
    assert stream.whole
    assert stream.rounds == 4
    assert (stream.names, stream.outcome, list(stream.labels)) == ((), "label", ["no", "yes"])
    np.testing.assert_array_equal(batch.y, [1, 0, 1, NAN])
    np.testing.assert_array_equal(batch.h, [1, 2, 0, 0.5])
    red, blue, light, size, n = place(
        "colour=red", "colour=blue", "colour=light, blue", "size", "n"
    )
    rows = [
        {red: 1.0, size: 1.5},
        {blue: 1.0, n: 7.0},
        {size: -3.25, n: 1.0},
        {light: 1.0, size: 1e-6, n: 2.0},
    ]
    found = [dict(_entries(cut_batch(batch, t, t + 1).x)) for t in range(4)]
    if not interactions:
        assert found == rows
    else:
        for expected, row in zip(rows, found, strict=True):
            assert expected.items() <= row.items()
        # a product is there where all its parts are
        squares = interactions != "cs"
        assert [len(row) for row in found] == [3, 2 + squares, 2 + squares, 4 + squares]
        assert sorted(found[0].values()) == [1.0, 1.5, 1.5]
        if squares:
            assert sorted(found[1].values()) == [1.0, 7.0, 49.0]
    assert any("2 missing values" in note for note in stream.notes)


def test_a_table_of_numbers_is_a_matrix(tmp_path):
    content = "a,flag,b,y\n1,true,2.5,0\n,false,-1,1\n3,,4,1\n"
    path = write(tmp_path, "t.csv", content)
    expected = [[1, 1, 2.5], [0, 0, -1], [3, 0, 4]]
    frame = pd.read_csv(path)
    for data in (path, frame, pl.read_csv(path), pa.Table.from_pandas(frame)):
        stream = opened(data, labels="grow")
        batch = read(stream)
        np.testing.assert_array_equal(batch.x, expected)
        np.testing.assert_array_equal(batch.y, [0, 1, 1])
        assert stream.names == ("a", "flag", "b")
        assert stream.notes == (
            "the outcome is 'y', by its name; name another with outcome= (--outcome)",
            "2 missing numbers in 2 columns (a, flag): read as 0",
        )
    stream = opened(path, "y", interactions="ab")
    np.testing.assert_array_equal(read(stream).x[:, 3], [2.5, 0, 12])
    assert stream.names == ("a", "flag", "b", "a:b")
    one = write(tmp_path, "t.csv", "a,b,y\n1,2,0\n,3,1\n")
    assert opened(one, "y").notes == ("1 missing number in 1 column (a): read as 0",)


def test_columns_that_are_no_features_are_named(tmp_path):
    content = "day,empty,text,y\n2020-01-01,,a,1\n2020-01-02,,b,0\n"
    stream = opened(write(tmp_path, "t.csv", content), "y")
    assert stream.notes == ("left out: 'day' (date), 'empty' (empty)",)
    refused(
        r"features: 'day' \(date\) does not hold numbers or text",
        stream.source,
        "y",
        features="day",
    )


def test_features_by_name_and_glob(tmp_path):
    path = write(tmp_path, "t.csv", "a1,a2,b,y\n1,2,3,0\n4,5,6,1\n")
    for asked, names in (("a*", ("a1", "a2")), (["b", "a1"], ("b", "a1")), ("!a*", ("b",))):
        assert opened(path, "y", features=asked).names == names
        assert opened(path, "y", experts=asked).names == names
    refused("features: no column is called 'c'", path, "y", features="c")
    refused("features: 'y' is the outcome; it cannot be a feature too", path, "y", features="y")
    refused("experts= and features=: name the columns once", path, "y", features="a*", experts="b")
    dicts = [{"a1": 1.0, "a2": 2.0, "b": 3.0, "y": 0}]
    for asked, names in (("a*", ("a1", "a2")), (["b", "a1"], ("b", "a1")), ("!a*", ("b",))):
        batch = read(opened(dicts, outcome="y", features=asked))
        assert sorted(batch.x.index.tolist()) == sorted(place(*names))
    refused("features: no column matches 'c", dicts, outcome="y", features="c*")


@pytest.mark.parametrize("name", ["label", "Class", "TARGET", "outcome", "y"])
def test_the_outcome_is_found_by_its_name(tmp_path, name):
    path = write(tmp_path, "t.csv", f"a,{name},b\n1,0,2\n3,1,4\n")
    stream = opened(path)
    assert (stream.outcome, stream.names) == (name, ("a", "b"))
    assert stream.notes == (
        f"the outcome is '{name}', by its name; name another with outcome= (--outcome)",
    )
    stream = opened([{"a": 1, name: 0}, {"a": 2, name: 1}])
    assert stream.outcome == name


def test_or_it_is_the_last_column(tmp_path):
    path = write(tmp_path, "t.csv", "a,b,c,day\n1,0,2,2020-01-01\n3,1,4,2020-01-02\n")
    stream = opened(path)
    assert (stream.outcome, stream.names) == ("c", ("a", "b"))
    assert stream.notes[0] == (
        "the outcome is 'c', the last column; name another with outcome= (--outcome)"
    )
    both = write(tmp_path, "t.csv", "a,y,label,c\n1,0,2,5\n3,1,4,6\n")
    assert opened(both).outcome == "c"  # two that could be: none of them
    weighted = write(tmp_path, "t.csv", "a,b,w\n1,0,2\n3,1,4\n")
    stream = opened(weighted, weights="w")
    assert (stream.outcome, stream.names) == ("b", ("a",))
    refused("which field is the outcome.*'a', 'b'", [{"a": 1, "b": 2}])
    refused("which column is the outcome", write(tmp_path, "t.csv", "day\n2020-01-01\n"))
    refused("no features", write(tmp_path, "t.csv", "y\n1\n0\n"), "y")


def test_numbers_in_text_are_refused_or_skipped(tmp_path):
    """A column with 19 numbers and one word is a column of numbers with a slip."""
    lines = [f"{i},{i % 2}" for i in range(20)]
    lines[7] = "oops,1"
    path = write(tmp_path, "t.csv", "a,y\n" + "\n".join(lines) + "\n")
    refused(
        r"features: 'a' holds numbers, but row 8 is 'oops' \(line 9: 'oops,1'\); correct it, leave "
        r".*features=\['!a'\]",
        path,
        "y",
    )
    stream = opened(path, "y", on_bad_line="skip")
    batch = read(stream)
    assert batch.x[:, 0].tolist() == [i for i in range(20) if i != 7]
    assert stream.notes == (
        "1 line skipped as it cannot be read: 9 (line 9: row 8, column 'a': 'oops' is not a "
        "number: 'oops,1')",
    )
    refused("features: 'a' holds numbers, but row 8 is 'oops'; correct it", pd.read_csv(path), "y")


def test_the_line_of_a_slip_is_counted_past_blank_lines_and_breaks_in_values(tmp_path):
    lines = [f'{i},"u\nv",{i % 2}' for i in range(20)]
    lines[7] = 'oops,"u\nv",1'
    path = write(tmp_path, "t.csv", "\na,b,y\n\n\n" + "\n".join(lines) + "\n")
    refused(r"row 8 is 'oops' \(line 19: 'oops,\"u.nv\",1'\)", path, "y")  # 4 lines, 14, and this
    half = write(tmp_path, "t.csv", "a,y\n1,0\n2,1\nx,0\nz,1\n")  # no slip: that is text
    assert read(opened(half, "y")).x.index.tolist() == place("a=1", "a=2", "a=x", "a=z")


# ---------------------------------------------------------------------------- arrays in memory


def test_arrays_keep_their_nan_for_the_player():
    x = np.array([[1.0, NAN], [2.0, 3.0]])
    stream = opened(x, [0, 1])
    assert (stream.names, stream.features, stream.whole) == (("feature 1", "feature 2"), True, True)
    np.testing.assert_array_equal(read(stream).x, x)
    assert read(stream).x is x
    refused("row 2, column 'feature 1': inf; features must be finite", [[1.0], [INF]], [0, 1])
    assert read(opened([[1.0], [INF]], [0, 1], checked=False)).x[1, 0] == INF
    refused("examples must have two dimensions, rounds x features", [1.0, 2.0], [0, 1])
    refused("outcomes: examples need one a row", [[1.0], [2.0]])
    refused("interactions: arrays have no names", x, [0, 1], interactions="ab")
    refused("features: 1 names for 2 columns", x, [0, 1], features="a")
    refused("data of type int", 3, [1])


def test_weights_beside_arrays():
    x = np.eye(3)
    np.testing.assert_array_equal(read(opened(x, [0, 1, 1], weights=[1, 0, 2])).h, [1, 0, 2])
    stream = opened(pd.DataFrame(x, columns=list("abc")), [0, 1, 1], weights=[1, 0, 2])
    np.testing.assert_array_equal(read(stream).h, [1, 0, 2])
    stream = opened([{"a": 1}, {"a": 2}, {}], [0, 1, 1], weights=np.array([1, 0, 2]))
    np.testing.assert_array_equal(read(stream).h, [1, 0, 2])
    refused("row 2, column 'weights': -1.0; weights must be finite, 0", x, Y3, weights=[1, -1, 1])
    refused("row 1, column 'weights': inf; weights", x, Y3, weights=[INF, 1, 1])
    refused(r"row 3, column 'weights': missing \(NaN\); weights", x, Y3, weights=[1, 1, None])
    refused("weights: 2 for 3 rows", x, Y3, weights=[1, 1])
    refused("weights='w' names a column, but arrays have none", x, Y3, weights="w")
    refused("weights: experts take no importance", x, Y3, weights=[1, 1, 1], examples=False)


Y3 = [0, 1, 1]


@pytest.fixture(autouse=True)
def _examples_may_be_overridden(monkeypatch):
    """`refused(..., examples=False)` asks for advice."""
    plain = open_stream

    def either(data, *args, **options):
        return plain(data, *args, **{"examples": True, **options})

    monkeypatch.setitem(globals(), "opened", either)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("made", ["array", "matrix"])
def test_sparse_matrices(kind, made):
    x = np.array([[0, 2.5, 0, -1], [0, 0, 0, 0], [1, 0, 3, 0]])
    data = getattr(sparse, f"{kind}_{made}")(x)
    stream = opened(data, [0, 1, 1], labels="grow")
    batch = read(stream)
    np.testing.assert_array_equal(dense(batch, 4), x)
    assert (batch.width, stream.names, stream.rounds) == (4, (), 3)
    assert (
        read(opened(data.astype(np.int8), Y3)).x.value.tolist()
        == read(opened(data.astype(np.int8), Y3, labels="grow")).x.value.tolist()
    )


def test_sparse_matrices_need_not_be_sorted_and_duplicates_are_summed():
    data = sparse.csr_array(
        (np.array([1.0, 2.0, 3.0, 5.0]), np.array([3, 0, 3, 1]), np.array([0, 3, 4])), shape=(2, 4)
    )
    before = data.indices.copy()
    batch = read(opened(data, [0, 1]))
    np.testing.assert_array_equal(dense(batch, 4), [[2, 0, 0, 4], [0, 5, 0, 0]])
    assert len(batch.x.index) == 3
    np.testing.assert_array_equal(data.indices, before)  # the user's matrix is left alone


def test_sparse_matrices_that_do_not_hold_together():
    def broken(**parts):
        data = sparse.csr_array(np.array([[1.0, 0], [0, 2.0]]))
        for name, value in parts.items():
            setattr(data, name, np.array(value))
        return data

    refused("row 2 .* has an entry in column 57, and there are 2", broken(indices=[0, 57]), [0, 1])
    refused("row 1 .* has an entry in column -1, and there", broken(indices=[-1, 1]), [0, 1])
    for indptr in ([0, 2, 1], [1, 1, 2], [0, 1, 9], [0, 1]):
        refused("its indptr is wrong", broken(indptr=indptr), [0, 1])
    refused("does not hold numbers", sparse.csr_array(np.eye(2, dtype=complex)), [0, 1])
    refused("columns; at most", sparse.csr_array((2, 2**40)), [0, 1])
    refused("examples: no rows", sparse.csr_array((0, 4)), [])
    refused("outcomes: 3 for 2 rows", broken(), [0, 1, 1])
    refused("row 2, feature 1: inf; features must be finite", broken(data=[1.0, INF]), [0, 1])
    refused("have no names", broken(), [0, 1], features="a")
    refused("toarray", broken(), [0, 1], examples=False)


def test_dicts_come_and_go():
    data = [{"a": 1, "c": "x"}, {}, {"b": True, "d": False, "c": 2.5}, {"a": np.float32(0.5)}]
    batch = read(opened(data, ["u", None, "v", "u"], labels="grow"))
    a, b, cx, c = place("a", "b", "c=x", "c")
    assert [dict(_entries(cut_batch(batch, t, t + 1).x)) for t in range(4)] == [
        {a: 1.0, cx: 1.0},
        {},
        {b: 1.0, c: 2.5},
        {a: 0.5},
    ]
    np.testing.assert_array_equal(batch.y, [0, NAN, 1, 0])
    keyed = read(opened([{"a": 1, "k": "u"}, {"a": 2, "k": "v"}], [0, 1], by="k"))
    assert keyed.key.tolist() == ["u", "v"]
    refused(
        "row 2, field 'a': .1, 2. is neither a number nor text", [{"a": 1}, {"a": [1, 2]}], [0, 1]
    )
    refused("row 2 is of type int; the first is a dict", [{"a": 1}, 3], [0, 1])
    refused("row 1, field 'a': inf is too large", [{"a": INF}], [0])
    refused("a whole number is too large", [{"a": 10**400}], [0])
    refused("row 1, column 'k': the key is missing", [{"a": 1, "k": None}], [0], by="k")


# ---------------------------------------------------------------------------- hashing


def test_hashes_are_murmur3():
    """The vectors of the reference implementation, and scikit-learn's, which is in C++."""
    sklearn = pytest.importorskip("sklearn.utils")
    rng = random.Random(0)
    names = ["", "a", "ab", "abc", "abcd", "hello, world", "The quick brown fox jumps over it"]
    names += ["".join(rng.choices("aZ=é€😀 1", k=rng.randrange(40))) for _ in range(300)]
    expected = [sklearn.murmurhash3_32(n.encode(), seed=0, positive=True) for n in names]
    assert hashes(names).tolist() == expected
    assert hashes([]).size == 0
    assert len(set(hashes(["x" * 5000, "x" * 5001, "y" * 5000]).tolist())) == 3


def test_text_in_tables_and_in_vw_is_hashed_alike(tmp_path):
    path = write(tmp_path, "t.vw", "1 | colour=red size:2.5\n-1 | colour=blue\n")
    dicts = [{"colour": "red", "size": 2.5}, {"colour": "blue"}]
    vw, own = read(opened(path)), read(opened(dicts, [1, -1]))
    for t in range(2):
        ours = _entries(cut_batch(own, t, t + 1).x)
        assert set(ours) <= set(_entries(cut_batch(vw, t, t + 1).x))


@given(st.integers(1, 6), st.data())
def test_indices_that_occur_twice_are_summed(width, data):
    counts = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=6))
    total = sum(counts)
    index = data.draw(st.lists(st.integers(0, width - 1), min_size=total, max_size=total))
    value = data.draw(st.lists(st.integers(-3, 3), min_size=total, max_size=total))
    rows = Rows(
        np.cumsum([0, *counts]).astype(np.int64),
        np.array(index, dtype=np.int32),
        np.array(value, dtype=np.float64),
    )
    found = sum_duplicates(rows)
    expected = np.zeros((len(counts), width))
    np.add.at(expected, (np.repeat(np.arange(len(counts)), counts), index), value)
    np.testing.assert_array_equal(dense(Batch(found, np.zeros(len(counts))), width), expected)
    for t in range(len(counts)):
        inside = found.index[found.indptr[t] : found.indptr[t + 1]]
        assert len(set(inside.tolist())) == len(inside)


def test_few_bits_make_features_share_places(tmp_path):
    path = write(tmp_path, "t.csv", "a,b,c,t,y\n1,2,4,x,0\n8,0,0,z,1\n")
    batch = read(opened(path, "y", bits=1))
    assert batch.width <= 2
    assert dense(batch, 2).sum(axis=1).tolist() == [8.0, 9.0]
    for bits in (0, 32, 2.5, True, "18"):
        refused("bits must be a whole number from 1 to 31", path, "y", bits=bits)


def test_an_interaction_is_hashed_as_in_vowpal_wabbit():
    batch = read(opened([{"b": 2.0, "a": 3.0}], [0], interactions="ab"))
    a, b = hashes(["a", "b"]).tolist()
    place = ((a * 16777619) ^ b) % 2**18
    assert (place, 6.0) in _entries(batch.x)


def test_interactions_that_make_no_sense(tmp_path):
    path = write(tmp_path, "t.csv", "colour,size,y\nred,1,0\nblue,2,1\n")
    refused(
        "interactions: in 'cx', no feature begins with 'x'; the features are 'colour', 'size'",
        path,
        "y",
        interactions="cx",
    )
    refused(
        "in 'colour:weight', no feature is called 'weight'", path, "y", interactions="colour:weight"
    )
    refused("interactions: 'c' is neither names joined by colons", path, "y", interactions=["c"])
    refused("no feature begins with 'y'", path, "y", interactions="cy")  # the outcome is no feature
    one, two = (read(opened(path, "y", interactions=i)) for i in ("colour:size", "size:colour"))
    equal(one, two)
    equal(read(opened(path, "y", interactions="cc")), read(opened(path, "y")))  # nothing new
    dicts = [{"colour": "red", "size": 1}]
    refused("no feature begins with 'x'", dicts, [0], interactions="cx")


# ---------------------------------------------------------------------------- labels


def test_labels_grow_as_they_come():
    labels = LabelEncoder.find([np.array([3.0, 1.0, NAN])])
    known = labels.known
    assert known == [1, 3]
    codes = labels.code_cells(np.array([7.0, 1.0, 0.5, NAN, 3.0, 7.0]), ["y"])
    np.testing.assert_array_equal(codes, [2, 0, 3, NAN, 1, 2])
    assert labels.known is known
    assert known == [1, 3, 7, 0.5]
    assert labels.code_cells(np.array(["x", 7], dtype=object), ["y"]).tolist() == [4, 2]
    with pytest.raises(BadInput, match="row 1, column 'y': inf is not a label"):
        labels.code_cells(np.array([INF]), ["y"])
    bad = np.empty(2, dtype=object)
    bad[:] = ["x", [1]]
    with pytest.raises(BadInput, match=r"row 2, column 'y': \[1\] is not a label"):
        labels.code_cells(bad, ["y"])
    with pytest.raises(BadInput, match="are numbers rather than classes"):
        labels.code_cells(np.linspace(0.0, 1.0, 300), ["y"])


@pytest.mark.parametrize(
    ("first", "later", "labels"),
    [
        ([1, 1], [-1, 1], [1, -1]),
        ([1, 1], [0, 1], [1, 0]),
        ([1, -1], [0, 1], [-1, 1, 0]),
        ([0, 1], [-1], [0, 1, -1]),
        ([None, None], ["b", "a"], ["b", "a"]),
        ([None], [1], [1]),
        (["b", "a"], ["d", "c"], ["a", "b", "d", "c"]),
        ([True], [False], [True, False]),
        ([1.0, 2.0], [2.5], [1, 2, 2.5]),
        (["b", 1, None], [True, "a"], [1, "b", "a"]),
    ],
)
def test_a_label_that_comes_later(first, later, labels):
    x = [[0.0]]
    items = [(x * len(ys), np.array(ys, dtype=object)) for ys in (first, later)]
    stream = opened(iter(items), labels="grow")
    known = stream.labels
    one, two = list(stream.batches)
    assert known is stream.labels
    assert known == labels
    assert [type(v) for v in known] == [type(v) for v in labels]
    told = [None if np.isnan(c) else known[int(c)] for c in (*one.y, *two.y)]
    assert told == [*first, *later]
    assert stream.labels is not None


@given(st.lists(st.sampled_from([0, 1, -1, 2, 7.5, "a", None]), min_size=1, max_size=30), st.data())
def test_labels_that_grow_do_not_depend_on_how_rounds_are_cut(values, data):
    """After the first batch: all codes are those of the labels in the order of their coming."""
    head = data.draw(st.integers(1, len(values)))
    size = data.draw(st.integers(1, 5))

    def known(size):
        y = np.empty(len(values), dtype=object)
        y[:] = values
        x = np.zeros((len(values), 1))
        pieces = [(x[:head], y[:head])]
        pieces += [(x[i : i + size], y[i : i + size]) for i in range(head, len(values), size)]
        stream = opened(iter([p for p in pieces if len(p[1])]), labels="grow")
        codes = np.concatenate([b.y for b in stream.batches])
        assert len(set(stream.labels)) == len(stream.labels)
        told = [None if np.isnan(c) else stream.labels[int(c)] for c in codes]
        assert told == values
        return list(stream.labels)

    assert known(size) == known(1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", "b"], True),
        ([True, False], True),
        (np.array([True]), True),
        (pd.Categorical(["u", "v"]), True),
        ([0, 1, 1], True),
        ([-1.0, 1.0], True),
        ([1, 1, 1], True),
        ([0.5, 0.5], False),
        ([0.5, 1.5, 0.5], True),
        ([0.5, 1.5], False),
        ([3.2, 4.1, 5.0], False),
        (list(range(5)) * 10, True),
        (list(range(5)) * 9, False),
        (list(range(21)) * 50, False),
        (np.arange(20.0).repeat(10), True),
        (np.arange(20.0).repeat(10) + 0.5, False),
        ([NAN, None], False),
        ([], False),
        ([0, 1, NAN, None], True),
        (np.linspace(0, 1, 1000), False),
        ([1e300, 2e300, 1e300], True),
    ],
)
def test_what_looks_like_labels(values, expected):
    assert looks_like_labels(values) is expected


def test_auto_labels_say_what_they_did(tmp_path):
    path = write(tmp_path, "t.csv", "a,y\n" + "1,0\n2,1\n" * 5)
    stream = opened(path, "y", labels="auto")
    assert stream.labels == [0, 1]
    assert stream.notes == (
        "'y' is taken for a class, one of 0, 1; labels=False makes it a number",
    )
    path = write(tmp_path, "t.csv", "a,y\n1,0.5\n2,1.25\n3,8.5\n")
    stream = opened(path, "y", labels="auto")
    assert stream.labels is None
    assert stream.notes == ("'y' is taken for a number; labels=True (--labels) makes it a class",)
    np.testing.assert_array_equal(read(stream).y, [0.5, 1.25, 8.5])
    path = write(tmp_path, "t.csv", "a,y\n1,u\n2,v\n")
    stream = opened(path, "y", labels="auto")
    assert (stream.labels, stream.notes) == (["u", "v"], ())
    refused("does not hold numbers; labels=True reads classes", path, "y")
    for labels in (True, "outcome", ["v", "u"]):
        assert set(opened(path, "y", labels=labels).labels) == {"u", "v"}


def test_labels_in_pieces_of_a_file(tmp_path, small):
    """A class that comes late is refused by a fixed list, and added to one that grows."""
    lines = ["t,y"] + ["red,cat", "blue,dog"] * 100 + ["red,cow"] + ["red,cat"] * 10
    for name, content in (
        ("l.csv", "\n".join(lines)),
        (
            "l.jsonl",
            as_jsonl([dict(zip(("t", "y"), r.split(","), strict=True)) for r in lines[1:]]),
        ),
    ):
        path = write(tmp_path, name, content)
        stream = opened(path, "y", labels="grow")
        assert not stream.whole
        assert stream.labels == ["cat", "dog"]
        y = read(stream).y
        assert stream.labels == ["cat", "dog", "cow"]
        assert y.tolist() == [0, 1] * 100 + [2] + [0] * 10
        refused("row 201, column 'y': 'cow' is not one of the known labels", path, "y", labels=True)


# ---------------------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ("-1 3:1 11:1 \n+1 4:0.5\n", "libsvm"),
        ("1.5 1:1e-3 # a comment\n", "libsvm"),
        ("# a comment\n1\n-1 2:3\n", "libsvm"),
        ("oops\n1 2:3\n1 3:4\n", "libsvm"),
        ("3 qid:7 1:0.5\n", "libsvm"),
        ("1 |f a b:2\n", "vw"),
        ("|f a b\n", "vw"),
        ("oops\n1 |f a b\n-1 |f b\n", "vw"),
        ("1 2.0 'tag|f a |g b\n", "vw"),
        ("'tag| a\n", "vw"),
        ("1 0.5 zebra|f a\n", "vw"),
        ("y|a\n1|2\n", "csv"),
        ("day|1 |2\n1|2|3\n", "csv"),
        ("y,a\n1,2\n", "csv"),
        ("time,y\n12:30:01,1\n", "csv"),
        ("y a:1 b:2\n1,2\n", "csv"),
        ('{"y": 1}\n', "jsonl"),
        ("\ufeff{}\n", "jsonl"),
        ("% x\n\n@relation r\n", "arff"),
        ("@ATTRIBUTE a real\n", "arff"),
        ("", "csv"),
        ("\n\n", "csv"),
    ],
)
def test_formats_are_seen_from_the_first_lines(content, form):
    assert detect_format(content.encode()) == form


@pytest.mark.parametrize("way", ["file", "gzip", "pipe"])
@pytest.mark.parametrize(
    "before", ["% c\n", "\n", "\ufeff% c\n\n  % d\n", "\r\n \r\n", "% long\n" * 3000]
)
def test_arff_is_seen_behind_comments_and_blank_lines(tmp_path, monkeypatch, before, way):
    content = (before + arff("real", "1,0\n2,1\n")).encode()
    path = write(tmp_path, "rows", gzip.compress(content) if way == "gzip" else content)
    if way == "pipe":  # line by line: the first that comes tells nothing
        monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=Lines(content)))
    stream = opened("-" if way == "pipe" else path, "y")
    assert stream.names == ("a",)
    assert read(stream).x.tolist() == [[1.0], [2.0]]


class Lines(io.BytesIO):
    """A pipe into which one line is written at a time."""

    def read1(self, size=-1):
        return self.readline(size)


def test_a_file_is_seen_from_more_than_its_first_line(tmp_path):
    path = write(tmp_path, "rows", "# c\n1\n-1 2:3\n1 2:1\n")
    assert read(opened(path)).y.tolist() == [1.0, -1.0, 1.0]


def test_a_json_array_is_told(tmp_path):
    refused("is one JSON array; write one object a line", write(tmp_path, "t", '[\n{"y": 1}]\n'))


def test_formats_by_name_and_by_word(tmp_path):
    content = "a,y\n1,0\n2,1\n"
    for name in ("t.csv", "T.CSV", "t.anything", "t", "t.csv.gz", "t.csv.zst", "t.zst"):
        packed = {"gz": gzip.compress, "zst": zstd}.get(name.split(".")[-1], bytes)
        stream = opened(write(tmp_path, name, packed(content.encode())), "y")
        np.testing.assert_array_equal(read(stream).x, [[1], [2]])
    path = write(tmp_path, "t.vw", content)
    np.testing.assert_array_equal(read(opened(path, "y", format="csv")).x, [[1], [2]])
    refused("format='xls': one of csv, parquet, jsonl, arff, libsvm, vw", path, "y", format="xls")
    lines = write(tmp_path, "lines.dat", '{"a": 1, "y": 0}\n')
    assert read(opened(lines, "y", format="ndjson")).y.tolist() == [0]
    assert read(opened(lines, "y")).y.tolist() == [0]


def test_real_files_are_recognised(data_dir):
    for name, rows, entries in (("a1a", 1605, 22249), ("rcv1_small.vw", 1000, None)):
        stream = opened(data_dir / name, labels="grow")
        batch = read(stream)
        assert (stream.labels, len(batch.y)) == ([-1, 1], rows)
        assert set(np.unique(batch.y)) == {0.0, 1.0}
        assert entries is None or len(batch.x.index) == entries
    stream = opened(data_dir / "electricity.csv", labels="auto")
    batch = read(stream)
    assert (batch.x.shape, stream.labels, stream.outcome) == ((45312, 6), [0, 1], "class")
    frame = pd.read_csv(data_dir / "electricity.csv")
    np.testing.assert_allclose(batch.x, frame.iloc[:, :6].to_numpy(), rtol=1e-15)
    np.testing.assert_array_equal(batch.y, frame["class"])


def test_libsvm_and_vw_hold_examples(tmp_path):
    svm = write(tmp_path, "t", "-1 3:1 11:1\n1 2:0.5\n")
    refused("is a libsvm file: it holds examples, not the advice", svm, examples=False)
    assert open_stream(svm, examples=None, labels="grow").features
    refused("features: .* is a libsvm file, which has no columns", svm, features="a")
    refused("outcome: .* no columns to name", svm, "y")
    refused("by: .* no columns", svm, by="k")
    refused("weights: .* no columns", svm, weights="k")
    refused("interactions: .* whose features have no names", svm, interactions="ab")
    cutten = opened(svm, batch_rows=1, labels="grow")
    assert [b.first for b in cutten.batches] == [0, 1]
    skipped = write(tmp_path, "t.libsvm", "-1 3:1\noops\n1 2:0.5\n")
    refused("line 2", skipped)
    stream = opened(skipped, on_bad_line="skip", labels="auto")
    assert read(stream).y.tolist() == [0, 1]
    assert any("skipped: 2" in note for note in stream.notes)
    refused("on_bad_line must be one of error, skip, not 'stop'", svm, on_bad_line="stop")


def test_examples_none_leaves_it_to_the_format(tmp_path):
    csv = write(tmp_path, "t.csv", "a,y\n1,0\n2,1\n")
    assert not open_stream(csv, "y", examples=None).features
    lines = write(tmp_path, "t.jsonl", '{"a": 1, "y": 0}\n{"a": 2, "y": 1}\n')
    assert open_stream(lines, examples=None).features
    assert not open_stream(lines, "y").features


# ---------------------------------------------------------------------------- packed files


def packed_csv(rows=3000):
    rng = np.random.default_rng(0)
    text = "".join(f"{a!r},{i % 2}\n" for i, a in enumerate(rng.normal(size=rows).tolist()))
    return ("a,y\n" + text).encode()


@pytest.mark.parametrize("pack", [gzip.compress, zstd], ids=["gz", "zst"])
def test_packed_files(tmp_path, monkeypatch, pack):
    content = packed_csv()
    expected = read(opened(write(tmp_path, "t.csv", content), "y"))
    halves = pack(content[:5000]) + pack(content[5000:])
    for data in (pack(content), halves):
        equal(read(opened(write(tmp_path, "t.csv.packed", data), "y")), expected)
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(pack(content))))
    equal(read(opened("-", "y")), expected)
    assert not sys.stdin.buffer.closed


@pytest.mark.parametrize("pack", [gzip.compress, zstd], ids=["gz", "zst"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "arff", "libsvm"])
def test_packed_files_that_are_cut_off(tmp_path, small, pack, form):
    rng = np.random.default_rng(0)
    values = [repr(v) for v in rng.normal(size=4000).tolist()]
    content = {
        "csv": "a,y\n" + "".join(f"{v},1\n" for v in values),
        "jsonl": "".join(f'{{"a": {v}, "y": 1}}\n' for v in values),
        "arff": "@relation r\n@attribute a real\n@attribute y real\n@data\n"
        + "".join(f"{v},1\n" for v in values),
        "libsvm": "".join(f"1 1:{v}\n" for v in values),
    }[form]
    data = pack(content.encode())
    for end in (7, len(data) // 2, len(data) - 1):
        path = write(tmp_path, f"t.{form}.packed", data[:end])
        refused("is cut off: its (gzip|zstd) data end too soon", path, error=BadFile, format=form)
    before = []
    with pytest.raises(BadFile, match="cut off"):
        before.extend(len(batch.y) for batch in opened(path, format=form).batches)
    # what came before was delivered, unless that is within the first gulp of a decoder
    assert sum(before) > 100 or form == "libsvm" or pack is zstd


def test_damaged_zstd(tmp_path):
    data = bytearray(zstd(packed_csv()))
    refused(
        "is damaged", write(tmp_path, "t.csv.zst", bytes(data) + b"garbage"), "y", error=BadFile
    )
    refused("is cut off|is damaged", write(tmp_path, "t.csv.zst", bytes(data[:4])), "y")
    refused("is empty", write(tmp_path, "t.csv.zst", zstd(b"")), "y", error=BadFile)
    refused("is damaged", write(tmp_path, "t.csv.xz", b"\xfd7zXZ\x00" + bytes(9)), "y")


# ---------------------------------------------------------------------------- nested JSON


def nested_lines(values):
    rows = [{"a": i + 1, "b": value, "y": i % 2} for i, value in enumerate(values)]
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("policy", ["error", "skip"])
@pytest.mark.parametrize("features", [None, "a", "!b"])
def test_lists_of_json_lines_are_left_out_as_those_of_parquet(tmp_path, features, policy):
    values = [[1], [], None, [2]]
    path = write(tmp_path, "t.jsonl", nested_lines(values))
    plain = write(
        tmp_path, "plain.jsonl", "".join(f'{{"a": {i + 1}, "y": {i % 2}}}\n' for i in range(4))
    )
    columns = {"a": [1, 2, 3, 4], "b": values, "y": [0, 1, 0, 1]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    stream = opened(path, "y", features=features, on_bad_line=policy)
    batch, expected = read(stream), read(opened(plain, "y"))
    np.testing.assert_array_equal(batch.x.index, expected.x.index)
    np.testing.assert_array_equal(batch.x.value, [1, 2, 3, 4])
    assert batch.y.tolist() == [0, 1, 0, 1]
    assert stream.notes == opened(tmp_path / "t.parquet", "y", features=features).notes
    assert stream.notes == (("left out: 'b' (list)",) if features is None else ())


@pytest.mark.parametrize("blank", ["", "\n"])  # with a blank line the file is read line by line
def test_objects_within_objects_are_fields_with_dotted_names(tmp_path, blank):
    values = [{"c": 5, "d": {"e": "x"}}, {"c": 6, "d": {"e": "z"}}, {}, {"d": {"f": 2.5}}]
    path = write(tmp_path, "t.jsonl", nested_lines(values) + blank)
    rows = [
        {"b.c": 5, "b.d.e": "x"}, {"b.c": 6, "b.d.e": "z"}, {}, {"b.d.f": 2.5},
    ]  # fmt: skip
    flat = [{"a": i + 1, **row, "y": i % 2} for i, row in enumerate(rows)]
    plain = write(tmp_path, "plain.jsonl", "".join(json.dumps(row) + "\n" for row in flat))
    batch, expected = read(opened(path, "y")), read(opened(plain, "y"))
    for part in ("index", "value", "indptr"):
        np.testing.assert_array_equal(getattr(batch.x, part), getattr(expected.x, part))
    assert read(opened(path, "b.d.f")).y.tolist()[-1] == 2.5
    nested = [{"a": i + 1, "b": value, "y": i % 2} for i, value in enumerate(values)]
    kept = read(opened(nested, "y"))
    np.testing.assert_array_equal(kept.x.index, expected.x.index)
    learner = ls.play("perceptron", path, outcome="y", engine="plain").learner
    assert learner.live.decide({"a": 1, "b": {"c": 5}}) == learner.live.decide({"a": 1, "b.c": 5})


def test_a_dotted_name_that_is_there_twice_is_refused(tmp_path):
    path = write(tmp_path, "t.jsonl", GOOD + '\n{"b.c": 1, "b": {"c": 2}, "y": 0}\n')
    refused("line 2: field 'b.c' is there twice", path, "y", error=BadFile)
    refused("row 2: field 'b.c' is there twice", [{"y": 1}, {"b.c": 1, "b": {"c": 2}, "y": 0}], "y")


def test_a_field_that_is_nested_only_here_and_there_is_left_out_there(tmp_path):
    path = write(tmp_path, "t.jsonl", nested_lines([1, [2], 3, {"c": 4}, "u"]))
    stream = opened(path, "y")
    batch = read(stream)
    assert np.diff(batch.x.indptr).tolist() == [2, 1, 2, 2, 2]
    assert stream.notes == ("left out: 'b' (nested, in 1 row)",)
    assert opened(path, "y", features="a").notes == ()
    # the same field twice is refused, but names inside of another object are not its
    twice = write(
        tmp_path, "t.jsonl", '{"a": 1, "b": {"a": 1}, "y": 0}\n{"a": 1, "b": [], "a": 2}\n'
    )
    refused("line 2: field 'a' is there twice", twice, "y", error=BadFile)


def test_what_must_not_be_nested_is_refused(tmp_path):
    path = write(tmp_path, "t.jsonl", nested_lines([[1], [2], [3]]))
    refused(r"line 1: field 'b': \[1\] is neither a number nor text: '\{", path, "b")
    refused(r"line 1: field 'b': \[1\] is neither a number nor text", path, "y", by="b")
    refused(r"weights: 'b' \(list\) does not hold numbers", path, "y", weights="b")
    refused(r"features: 'b' \(list\) does not hold numbers or text", path, "y", features=["b"])
    with pytest.raises(
        BadInput, match=r"outcome: 'b' \(list\) does not hold numbers \(line 1: '\{"
    ):
        open_stream(path, "b")


# ---------------------------------------------------------------------------- broken files


GOOD = '{"a": 1, "c": "x", "y": 1}'
HUGE = '{"a": 1' + "0" * 400 + ', "y": 0}'
DEEP = '{"a": ' + "[" * 9000 + "]" * 9000 + "}"
NO_END = "the JSON object has no end"

# line 2 of each is broken
BROKEN_JSON = {
    "list": ('{"a": 1, "y": [0, 1]}', r"field 'y': \[0, 1\] is neither a number nor text"),
    "object": ('{"a": 1, "y": {"b": 1}}', "field 'y' is an object here; its fields are 'y.b'"),
    "half a character": (
        r'{"y": 0, "a": "\uD800"}',
        r"a text holds \\ud800, which is half of a ch",
    ),
    "half a character first": (
        r'{"a": "\udc00", "y": 0}',
        r"a text holds \\udc00, which is half of",
    ),
    "array": ("[1]", r"\[1\] is not a JSON object"),
    "number": ("3", "3 is not a JSON object"),
    "broken": ("{a: 1}", r"not JSON \(.*'\{a: 1\}'"),
    "two on a line": (GOOD + GOOD, "not JSON"),
    "over two lines": ('{"a":\n1}', NO_END),
    "nan": ('{"a": NaN, "y": 0}', "not JSON"),
    "too large": ('{"a": 1e999, "y": 0}', "a number is out of range"),
    "whole and too large": (HUGE, ".*(too large|out of range)"),
    "not utf-8": (b'{"a": "\xff", "y": 0}', "not UTF-8"),
    "text for a number": ('{"a": 1, "y": "no"}', "field 'y': 'no' is not a number"),
    "deep": (DEEP, ".*(nested too deep|field 'a')"),
}
BROKEN_CSV = {
    "columns": ("1,2,0\n1,2\n3,4,1\n", "line 3: row 2 has 2 columns, the header has 3 .*: '1,2'"),
    "too many": ("1,2,0\n1,2,3,4\n3,4,1\n", "line 3: row 2 has 4 columns, the header has 3"),
    "csv cut off": ("1,2,0\n1,2,1\n3,", "line 4: row 3 has 2 columns.*cut off.*: '3,'"),
    "csv cut off in quotes": (
        '1,2,0\n"1",2,1\n\n1,"3',
        "line 5: row 3 has a quoted value without an end .*cut off.*: '1,\"3'$",
    ),
    "quote in the middle": (
        '1,2,0\n1,2,"0\n3,4,1\n5,6,0\n',
        "line 3: row 2 has a quoted value without an end.*: '1,2,\"0'$",
    ),
    "blank before": ("\n1,2,0\n\n\n1,2\n3,4,1\n", "line 6: row 2 has 2 columns"),
    "crlf": ("1,2,0\r\n1,2\r\n3,4,1\r\n", "line 3: row 2 has 2 columns.*: '1,2'$"),
    "quoted": ('"x\ny",2,0\n"z",2\nu,4,1\n', "line 4: row 2 has 2 columns"),
}
# (the type of a, the rows: line 5 and those that follow)
BROKEN_ARFF = {
    "arff columns": ("real", "1,0\n% c\n1\n2,1\n", "line 7: row 2 has 1 column, the header has 2"),
    "arff number": ("real", "1,0\nx,1\n", "line 6: row 2, column 'a': 'x' is not a number: 'x,1'"),
    "arff nominal": ("{u,v}", "u,0\nw,1\n", "line 6: row 2, column 'a': 'w' is not one of the dec"),
    "arff quote": ("string", "u,0\n'w,1\n", "line 6: row 2 has 1 column"),
    "arff index": ("real", "{0 1}\n{2 1}\n", "line 6: there is no attribute 2; the last is 1"),
    "arff twice": ("real", "{0 1}\n{0 1, 0 2}\n", "line 6: attribute 0 .'a'. occurs twice"),
    "arff entry": ("real", "{0 1}\n{a 1}\n", "line 6: 'a 1' is not an index and a value"),
    "arff end": ("real", "{0 1}\n{0 1", "line 6: the row has no end .a file that is cut off"),
    "arff dense": ("real", "{0 1}\n1,2\n", "line 6: a dense row among sparse ones"),
    "arff sparse": ("real", "1,2\n{0 1}\n", "line 6: row 2 has 1 column"),
    "arff value": ("real", "{0 1}\n{0 x}\n", "line 6: 'x' is not a number, for 'a'"),
    "arff undeclared": ("{u,v}", "{1 1}\n{0 x}\n", "line 6: 'x' is not declared for 'a'"),
}


def arff(kind, rows):
    return f"@relation r\n@attribute a {kind}\n@attribute y real\n@data\n{rows}"


BROKEN = {
    "cut off": ("t.jsonl", f"{GOOD}\n{GOOD}\n{GOOD[:9]}", f"line 3: {NO_END} .a file that is cut")
}
for case, (line, why) in BROKEN_JSON.items():
    middle = line if isinstance(line, bytes) else line.encode()
    whole = GOOD.encode() + b"\n" + middle + b"\n" + GOOD.encode() + b"\n"
    BROKEN[case] = ("t.jsonl", whole, f"line 2: {why}")
for case, (rows, why) in BROKEN_CSV.items():
    head = "a,b,y\r\n" if "\r" in rows else "a,b,y\n"
    BROKEN[case] = ("t.csv", head + rows, why)
for case, (kind, rows, why) in BROKEN_ARFF.items():
    BROKEN[case] = ("t.arff", arff(kind, rows), why)


@pytest.mark.parametrize("case", BROKEN)
def test_broken_lines_stop_the_run_or_are_counted(tmp_path, case):
    name, content, match = BROKEN[case]
    path = write(tmp_path, name, content)
    with pytest.raises((BadFile, BadInput), match=match) as caught:
        list(opened(path, "y").batches)
    assert str(path) in str(caught.value)
    stream = opened(path, "y", on_bad_line="skip")
    rows = len(read(stream).y)
    text = content if isinstance(content, bytes) else content.encode()
    head = {"csv": 1, "arff": 4, "jsonl": 0}[path.suffix[1:]]
    lines = [ln for ln in text.split(b"\n") if ln.strip() and not ln.startswith(b"%")]
    spanned = 1 if case == "quoted" else 0  # one row on two lines
    skipped = next(n for n in stream.notes if "skipped" in n)
    count = int(skipped.split()[0])
    assert rows + count == len(lines) - head - spanned
    assert count == (2 if case == "over two lines" else 1)
    assert ("may be cut off" in " ".join(stream.notes)) == (
        case in ("cut off", "csv cut off", "csv cut off in quotes", "arff end")
    )


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("@relation r\n@attribute a real\n", "cut off or not an ARFF file: there is no @data"),
        (
            "@relation r\n@attribute a\n@data\n1\n",
            "line 2: not an ARFF declaration: '@attribute a'",
        ),
        ("@relation r\n@attribute a colour\n@data\n1\n", "line 2: not an ARFF declaration"),
        ("@relation r\n@attribute a {x,y\n@data\nx\n", "line 2: not an ARFF declaration"),
        ("@relation r\n@attribute a relational\n@data\n", "line 2: relational attributes"),
        ("@relation r\nnonsense\n@data\n", "line 2: not an ARFF declaration: 'nonsense'"),
        ("@relation r\n@data\n1\n", "declares no attributes"),
        ("@relation r\n@attribute a real\n@data\n", "no rows"),
        ("@relation r\n@attribute a real\n@data\n% nothing\n\n", "no rows"),
        (arff("real\n@attribute a real", "1,2,3\n"), "two columns are called 'a'"),
    ],
)
def test_arff_heads_that_are_refused(tmp_path, content, match):
    refused(match, write(tmp_path, "t.arff", content))
    refused(match, write(tmp_path, "t.arff", content), on_bad_line="skip")


def test_arff_odds_and_ends(tmp_path):
    content = (
        "@relation r\n@attribute 'a b' {'x\\'y', \"z, w\", u}\n@attribute day date 'yyyy-MM-dd'\n"
        "@attribute flag {0,1}\n@attribute stars {1,2,3}\n@attribute none {None,NA}\n@data\n"
        "'x\\'y',2020-01-01,1,3,None\n\"z, w\" ,2020-01-02,0, 1,NA\nu,?,?,?,?\n"
    )
    path = write(tmp_path, "t.arff", content)
    stream = opened(path, "stars", labels="auto")
    batch = read(stream)
    assert list(stream.labels) == [1, 2, 3]  # all that are declared
    np.testing.assert_array_equal(batch.y, [2, 0, NAN])
    xy, zw, u, flag, none, na = place(
        "a b=x'y", "a b=z, w", "a b=u", "flag", "none=None", "none=NA"
    )
    assert [dict(_entries(cut_batch(batch, t, t + 1).x)) for t in range(3)] == [
        {xy: 1.0, flag: 1.0, none: 1.0},
        {zw: 1.0, na: 1.0},
        {u: 1.0},
    ]
    assert "left out: 'day' (date)" in stream.notes
    stream = opened(path, "flag", labels="grow")
    np.testing.assert_array_equal(read(stream).y, [1, 0, NAN])
    assert list(stream.labels) == [0, 1]
    numbers = "@relation r\n@attribute a integer\n@attribute b {0,1}\n@attribute y real\n@data\n"
    stream = opened(write(tmp_path, "n.arff", numbers + "1,0,0.5\n2,1,\t1.5\r\n"), "y")
    assert stream.names == ("a", "b")
    np.testing.assert_array_equal(read(stream).x, [[1, 0], [2, 1]])
    np.testing.assert_array_equal(only_advice(stream.source), [[1, 0], [2, 1]])


def only_advice(path):
    (batch,) = open_stream(path, "y").batches
    return batch.x


def test_sparse_arff_means_what_dense_arff_means(tmp_path):
    head = "@relation r\n@attribute c {u,v,w}\n@attribute a real\n@attribute y {no,yes}\n@data\n"
    rows = [("u", 0, "no"), ("v", 2.5, "yes"), ("w", 0, "yes"), ("u", -1, "no")]
    dense_rows = "".join(f"{c},{a},{y}\n" for c, a, y in rows)
    sparse_rows = ""
    for c, a, y in rows:
        parts = [f"0 {c}"] * (c != "u") + [f"1 {a}"] * (a != 0) + [f"2 {y}"] * (y != "no")
        sparse_rows += "{" + ", ".join(parts) + "}\n"
    one = opened(write(tmp_path, "d.arff", head + dense_rows), "y", labels="grow")
    two = opened(write(tmp_path, "s.arff", head + sparse_rows), "y", labels="grow")
    equal(read(one), read(two))
    assert list(one.labels) == list(two.labels) == ["no", "yes"]


# ---------------------------------------------------------------------------- lines that are skipped


def test_csv_lines_that_are_skipped_are_counted_everywhere(tmp_path, small):
    """In the head and behind it; by columns, by numbers, by weights; the first five are named."""
    lines = ["a,t,w,y"] + [f"{7 * i % 11},x{i % 3},1,{i % 2}" for i in range(500)]
    bad = {3: "1,2", 40: "oops,x1,1,1", 200: "7,x1,-1,0", 201: "inf,x1,1,0", 300: "1,x,1,1,1"}
    bad |= {400: "9,x1,1,no", 401: "5"}
    for i, line in bad.items():
        lines[i] = line
    path = write(tmp_path, "t.csv", "\n".join(lines) + "\n")
    stream = opened(path, "y", weights="w", on_bad_line="skip")
    batch = read(stream)
    assert len(batch.y) == 500 - len(bad)
    kept = [i for i in range(500) if i + 1 not in bad]
    np.testing.assert_array_equal(batch.y, np.array(kept) % 2)
    (note,) = stream.notes
    assert note.startswith(
        "7 lines skipped as they cannot be read: 4, 41, 201, 202, 301, … (line 4: row 3 has 2 columns"
    )
    for numbers, match in (
        ({40}, "line 41: row 40, column 'a': 'oops' is not a number: 'oops,x1,1,1'"),
        ({400}, "line 401: row 400, column 'y': 'no' is not a number"),
        ({200}, "row 200, column 'w': -1.0; weights must be finite"),
        ({201}, "row 201, .*: inf; features must be finite"),
        ({401}, "line 402: row 401 has 1 column, the header has 4"),
    ):
        clean = [f"{7 * i % 11},x{i % 3},1,{i % 2}" for i in range(500)]
        for i in numbers:
            clean[i - 1] = bad[i]
        path = write(tmp_path, "u.csv", "a,t,w,y\n" + "\n".join(clean))
        refused(match, path, "y", weights="w")


def test_advice_skips_bad_lines_too(tmp_path, small):
    lines = ["y,a,b"] + [f"{i},1,2" for i in range(300)]
    lines[250] = "249,oops,2"
    path = write(tmp_path, "t.csv", "\n".join(lines))
    stream = open_stream(path, "y", on_bad_line="skip")
    y = np.concatenate([b.y for b in stream.batches])
    assert y.tolist() == [i for i in range(300) if i != 249]
    assert any(n.startswith("1 line skipped as it cannot be read: 251 ") for n in stream.notes)


def test_jsonl_lines_that_are_skipped(tmp_path, small):
    good = [{"a": i, "y": i % 2, "w": 1} for i in range(300)]
    lines = [json.dumps(r) for r in good]
    bad = {
        5: "nonsense",
        6: "",
        100: '{"a": 1, "y": 1, "w": -1}',
        200: '{"a": 1, "y": "x", "w": 1}',
    }
    bad |= {201: '{"a": 1, "y": [], "w": 1}', 299: '{"a": 1, "y"'}
    for i, line in bad.items():
        lines[i] = line
    path = write(tmp_path, "t.jsonl", "\n".join(lines))
    stream = opened(path, "y", weights="w", on_bad_line="skip")
    batch = read(stream)
    assert len(batch.y) == 300 - len(bad)
    assert stream.notes[0].startswith(
        "5 lines skipped as they cannot be read: 6, 101, 201, 202, 300"
    )
    assert stream.notes[1] == "the last line is not complete: the file may be cut off"
    refused("line 6: not JSON", path, "y", weights="w")
    for i, match in (
        (100, "line 101: field 'w': -1 is no weight"),
        (200, "line 201: field 'y': 'x'"),
    ):
        clean = [json.dumps(r) for r in good]
        clean[i] = bad[i]
        refused(match, write(tmp_path, "u.jsonl", "\n".join(clean)), "y", weights="w")


def test_what_is_missing_is_counted_once(tmp_path):
    lines = ['{"a": null, "y": 1}', '{"a": 1, "y": [1]}', '{"a": 2, "y": "x"}', '{"y": 0}']
    stream = opened(write(tmp_path, "t.jsonl", "\n".join(lines)), "y", on_bad_line="skip")
    assert len(read(stream).y) == 2
    assert stream.notes[0] == "1 missing value: taken as absent"
    assert stream.notes[1].startswith("2 lines skipped as they cannot be read: 2, 3 (line 2: field")


def test_numbers_without_sense_are_skipped_in_a_short_file(tmp_path):
    rows = "1,1,0\n-inf,1,0\n2,-1,0\n1e999,1,1\n3,0,1\n"
    path = write(tmp_path, "t.csv", "a,w,y\n" + rows)
    stream = opened(path, "y", weights="w", on_bad_line="skip")
    np.testing.assert_array_equal(read(stream).x, [[1], [3]])
    assert stream.notes[0].startswith(
        "3 lines skipped as they cannot be read: 3, 4, 5 (line 3: row 2, column 'a': -inf makes no "
    )


def test_nothing_but_bad_lines(tmp_path):
    refused(
        "no rows in .* .2 lines skipped",
        write(tmp_path, "t.jsonl", "x\ny\n"),
        "y",
        on_bad_line="skip",
    )
    refused("no rows", write(tmp_path, "t.csv", "a,y\n1\n2\n"), "y", on_bad_line="skip")
    refused("no rows", write(tmp_path, "t.jsonl", "\n"), "y")
    refused("is empty", write(tmp_path, "t.jsonl", ""), "y")


def test_a_field_that_is_there_twice_in_a_line(tmp_path):
    tricky = json.dumps({"y": 0, "b": 'a": 1, "b": 2'})  # which looks like more fields than it has
    path = write(
        tmp_path, "t.jsonl", f'{{"y": 1, "a": 2}}\n{{"a" : 1, "y": 1, "a": 3}}\n{tricky}\n'
    )
    refused("t.jsonl, line 2: field 'a' is there twice: ", path, "y", error=BadFile)
    stream = opened(path, "y", on_bad_line="skip")
    assert read(stream).y.tolist() == [1, 0]
    assert stream.notes[-1].startswith("1 line skipped as it cannot be read: 2")


def test_json_lines_of_advice(tmp_path, small):
    records = [
        {"y": i, "a": i % 7, "b": None if i % 3 else 0.5, "k": "uv"[i % 2]} for i in range(300)
    ]
    path = write(tmp_path, "t.jsonl", as_jsonl(records))
    stream = open_stream(path, "y", by="k")
    assert stream.names == ("a", "b")
    batches = list(stream.batches)
    assert np.concatenate([b.y for b in batches]).tolist() == list(range(300))
    assert "".join(k for b in batches for k in b.key) == "uv" * 150
    assert np.isnan(batches[0].x[1, 1])
    records[200]["a"] = "oops"
    path = write(tmp_path, "t.jsonl", as_jsonl(records))
    with pytest.raises(BadInput, match="line 201: field 'a': 'oops' is not a number"):
        list(open_stream(path, "y").batches)
    stream = open_stream(path, "y", on_bad_line="skip")
    assert sum(len(b.y) for b in stream.batches) == 299
    votes = write(tmp_path, "v.jsonl", as_jsonl([{"y": "u", "a": "v"}, {"y": "v", "a": "v"}]))
    assert open_stream(votes, "y", labels=True).labels == ["u", "v"]


# ---------------------------------------------------------------------------- iterators


def test_events_one_by_one():
    events = [({"colour": "red", "n": 2}, "yes"), ({"colour": "blue"}, "no"), ({}, None)]
    expected = read(opened([e[0] for e in events], ["yes", "no", None], labels=["yes", "no"]))
    stream = opened(iter(events), labels="grow")
    assert stream.labels == ["yes"]
    batches = list(stream.batches)
    assert [len(b.y) for b in batches] == [1, 1, 1]
    equal(join_batches(batches), expected)
    assert stream.labels == ["yes", "no"]
    whole = [{**x, "class": y} for x, y in events]
    equal(read(opened(iter(whole), labels=["yes", "no"])), expected)
    equal(read(opened(iter([whole[:2], whole[2:]]), labels=["yes", "no"])), expected)
    frames = iter([pd.DataFrame(whole)[:1], pd.DataFrame(whole)[1:2]])
    stream = opened(frames, "class", labels="grow")
    equal(read(stream), cut_batch(expected, 0, 2))
    assert stream.labels == ["yes", "no"]


def test_batches_of_arrays_and_sparse_matrices():
    x, y = np.arange(6.0).reshape(3, 2), [0, 1, 1]
    for items in ([(x, y), (x, y)], [(row, t) for row, t in zip(x, y, strict=True)] * 2):
        stream = opened(iter(items), labels="grow")
        assert stream.names == ("feature 1", "feature 2")
        np.testing.assert_array_equal(read(stream).x, np.vstack([x, x]))
    rows = read(opened(sparse.csr_array(x), y)).x
    for items in ([(sparse.csr_array(x), y)] * 2, [Batch(rows, np.array(y, float), width=2)]):
        batch = read(opened(iter(items)))
        np.testing.assert_array_equal(dense(batch, 2), np.vstack([x] * len(items)))
    weighted = [Batch(x, np.array(y, float), h=np.array([1.0, 0.0, 2.0]))]
    np.testing.assert_array_equal(read(opened(iter(weighted))).h, [1, 0, 2])
    refused("from row 4 on: 1 features; there were 2 before", iter([(x, y), (x[:, :1], y)]))
    refused(
        "from row 4 on: the batches are not of one form", iter([(x, y), (sparse.csr_array(x), y)])
    )
    refused("from row 4 on: an item is", iter([(x, y), 3]))
    refused("from row 2 on: an item is", iter([({"a": 1}, 1), 3]))
    refused(
        "from row 2 on: the batches are not of one form", iter([({"a": 1}, 1), {"a": 1, "y": 2}])
    )
    refused("from row 1 on: 2 outcomes for 1 examples", iter([([{"a": 1}], [1, 2])]))
    refused("arrays have no columns", iter([(x, y)]), outcome="y")
    refused("given apart", iter([({"a": 1}, 1)]), outcome="y")
    bad = Batch(Rows(np.array([0, 1]), np.array([-5], np.int32), np.array([1.0])), np.array([1.0]))
    refused("entry in column -5", iter([bad]))


# ---------------------------------------------------------------------------- bounded memory


@pytest.mark.parametrize("form", ["csv", "jsonl", "arff", "sparse.arff", "parquet"])
def test_files_are_read_in_batches_of_bounded_size(tmp_path, small, form):
    """However long the file, a batch is small, and only a few blocks are read before it is given."""
    records = [{"t": "abc"[i % 3], "a": float(i), "y": i % 2} for i in range(2000)]
    head = "@relation r\n@attribute t {a,b,c}\n@attribute a real\n@attribute y real\n@data\n"
    rows = "".join(f"{r['t']},{r['a']},{r['y']}\n" for r in records)
    content = {
        "csv": "t,a,y\n" + rows,
        "jsonl": as_jsonl(records),
        "arff": head + rows,
        "sparse.arff": head + "".join(f"{{0 {r['t']},1 {r['a']},2 {r['y']}}}\n" for r in records),
    }
    if form == "parquet":
        path = tmp_path / "t.parquet"
        pq.write_table(pa.Table.from_pylist(records), path, row_group_size=50)
    else:
        path = write(tmp_path, f"t.{form}", content[form])
    whole = read(opened(records, outcome="y"))
    for options in ({}, {"batch_rows": 7}):
        stream = opened(path, "y", **options)
        assert not stream.whole
        batches = list(stream.batches)
        sizes = [len(b.y) for b in batches]
        assert max(sizes) <= 40
        if options:
            assert set(sizes[:-1]) == {7}
        assert [b.first for b in batches] == np.cumsum([0, *sizes[:-1]]).tolist()
        equal(join_batches(batches), whole)


def test_a_pipe_is_read_as_it_comes(monkeypatch):
    class Pipe(io.RawIOBase):
        def __init__(self, lines):
            self.lines, self.read_lines = iter(lines), 0

        def readable(self):
            return True

        def readinto(self, buffer):
            line = next(self.lines, b"")
            self.read_lines += 1
            buffer[: len(line)] = line
            return len(line)

    pipe = Pipe(b'{"a": %d, "y": 1}\n' % i for i in range(10_000))
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BufferedReader(pipe, 64)))
    stream = opened("-", "y", batch_rows=5, format="jsonl")
    next(iter(stream.batches))
    assert pipe.read_lines < 100


def test_batches_can_be_cut_and_joined():
    rng = np.random.default_rng(0)
    x = sparse.random_array((17, 9), density=0.3, rng=rng, format="csr")
    batch = read(opened(x, rng.normal(size=17), weights=rng.random(17), by=list(range(17))))
    for rows in (1, 2, 5, 17, 100):
        parts = list(
            regroup_batches(
                [cut_batch(batch, 0, 3), cut_batch(batch, 3, 4), cut_batch(batch, 4, 17)], rows
            )
        )
        assert [len(p.y) for p in parts[:-1]] == [rows] * (len(parts) - 1)
        equal(join_batches(parts), batch)
    stream = opened(x, np.zeros(17), batch_rows=4)
    assert [len(b.y) for b in stream.batches] == [4, 4, 4, 4, 1]
    assert isinstance(stream, Stream)


# ---------------------------------------------------------------------------- fuzzing

FUZZ = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
WORDS = st.one_of(
    st.sampled_from("xé\"'%{}|:\\? \t\x00"),
    st.sampled_from(["", "1", "-2.5", "1e9", "1e999", "0x1", "inf", "nan", "NA", "null", "true"]),
    st.sampled_from(["@data", '""', '"a', "a,b", "{0 1}", "3:1"]),
)


@FUZZ
@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=4).map(",".join), min_size=1, max_size=12),
    st.sampled_from(["csv", "jsonl", "arff", "libsvm", "vw", "any"]),
    st.booleans(),
)
@example(['1,"', "2,3"], "csv", True)
def test_text_of_any_kind_is_read_or_refused(tmp_path, small, lines, form, skip):
    """No other error than ours; what is read is well formed."""
    head = {
        "csv": "a,y\n",
        "arff": "@relation r\n@attribute a real\n@attribute y real\n@data\n",
    }.get(form, "")
    path = write(tmp_path, "fuzz" if form == "any" else f"fuzz.{form}", head + "\n".join(lines))
    rows = None
    with contextlib.suppress(LittlestoneError):
        stream = opened(path, labels="auto", on_bad_line="skip" if skip else "error")
        rows = len(read(stream).y)
    if rows is None or form in ("vw", "any") or (form == "csv" and '"' in "".join(lines)):
        return  # a quote may hold the end of a line
    skipped = sum(int(n.split()[0]) for n in stream.notes if "skipped" in n)
    blank = {"arff": " \t%", "libsvm": " \t#", "jsonl": " \t", "csv": ""}[form]
    comment = {"arff": "%", "libsvm": "#"}.get(form, "\n")
    there = [ln for ln in lines if ln.strip(blank[:2]) and not ln.strip().startswith(comment)]
    assert rows + skipped == len(there)


@FUZZ
@given(
    st.binary(max_size=200), st.sampled_from(["csv", "jsonl", "arff", "parquet", "gz", "zst", ""])
)
def test_bytes_of_any_kind_are_read_or_refused(tmp_path, content, form):
    magic = {"gz": b"\x1f\x8b", "zst": b"\x28\xb5\x2f\xfd", "parquet": b"PAR1"}.get(form, b"")
    path = write(tmp_path, f"fuzz.{form}", magic + content)
    with contextlib.suppress(LittlestoneError):
        read(opened(path, labels="auto"))


RECORD = st.fixed_dictionaries(
    {
        "a": st.floats(-9, 9),
        "t": st.text("ab\"',é", min_size=1, max_size=3),
        "y": st.integers(0, 3),
    }
)


@FUZZ
@given(st.lists(RECORD, min_size=1, max_size=25), st.integers(1, 9))
def test_what_was_written_is_what_is_read(tmp_path, small, records, rows):
    """CSV and JSON lines, in pieces and whole: every row, once, in order."""
    whole = read(opened(records, outcome="y"))
    frame = pl.DataFrame(records)
    frame.write_csv(tmp_path / "t.csv", quote_style="non_numeric")
    frame.write_parquet(tmp_path / "t.parquet")
    write(tmp_path, "t.jsonl", as_jsonl(records))
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        equal(read(opened(tmp_path / name, "y", batch_rows=rows)), whole)


@FUZZ
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 99)), min_size=1, max_size=60), st.booleans()
)
def test_no_line_is_lost(tmp_path, small, plan, packed):
    """Rows read + lines skipped = lines written, for CSV, JSON lines, ARFF and libsvm."""
    forms = {
        "csv": ("a,y\n", "{i},1", "{i},1,2"),
        "jsonl": ("", '{{"a": {i}, "y": 1}}', '{{"a": {i}, "y": [1]}}'),
        "arff": ("@relation r\n@attribute a real\n@attribute y real\n@data\n", "{i},1", "{i},x"),
        "libsvm": ("", "1 1:{i}", "1 1:{i} x"),
    }
    good = [i for fine, i in plan if fine]
    for form, (head, fine, broken) in forms.items():
        content = head + "".join((fine if ok else broken).format(i=i) + "\n" for ok, i in plan)
        data = zstd(content.encode()) if packed else content.encode()
        path = write(tmp_path, f"t.{form}", data)
        outcome = None if form == "libsvm" else "y"
        if not good:
            refused("no rows", path, outcome, on_bad_line="skip")
            continue
        stream = opened(path, outcome, on_bad_line="skip")
        batch = read(stream)
        values = batch.x[:, 0] if form in ("csv", "arff") else dense(batch).sum(axis=1)
        assert values.tolist() == good
        told = [int(n.split()[0]) for n in stream.notes if "skipped" in n]
        assert sum(told) == len(plan) - len(good)


def test_nothing_heavy_is_imported_for_arrays():
    import subprocess

    code = """
import sys
from littlestone.streams.open import open_stream
from littlestone.streams.options import ReadOptions
open_stream([[0.0, 1.0]], [1.0], ReadOptions(examples=True))
open_stream([{"a": 1, "b": "x"}], [1.0], ReadOptions(examples=True))
heavy = {"pyarrow", "narwhals", "scipy", "pandas", "polars", "numba", "sklearn"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
    assert Path(sys.executable).exists()
