"""libsvm and Vowpal Wabbit text: every line is a row, blank, or told; both engines read the same numbers."""

import contextlib
import gzip
import io
import itertools
import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from littlestone.core.errors import BadFile, BadInput
from littlestone.engine.compile import has_numba, numba_imports
from littlestone.streams.source import Source
from littlestone.streams.text import text_chunks, text_parts, text_rows, vw_interactions
from littlestone.streams.text.read_ahead import DEPTH, NAME
from littlestone.streams.text.svmlight import MOST, looks_like_svmlight, svmlight_stream
from littlestone.streams.text.text_chunks import PAD, chunks
from littlestone.streams.text.vw_hash import hash_name
from littlestone.streams.text.vw_interactions import letter_sets
from littlestone.streams.text.vw_text import looks_like_vw, vw_stream

ENGINES = ["plain", "compiled"] if numba_imports() else ["plain"]
FORMATS = {"svmlight": svmlight_stream, "vw": vw_stream}
NAN = float("nan")


class Text(Source):
    """A file in memory."""

    def __init__(self, text, name="train.txt"):
        self.name, self.path, self._bytes = name, None, io.BytesIO(text)
        self.magic = text[:8]

    def stream(self, skip=0):
        return self._bytes

    def close(self):
        self._bytes.close()


@contextlib.contextmanager
def engine(name):
    before = os.environ.get("LITTLESTONE_ENGINE")
    os.environ["LITTLESTONE_ENGINE"] = name
    try:
        assert has_numba() == (name == "compiled")
        yield
    finally:
        if before is None:
            del os.environ["LITTLESTONE_ENGINE"]
        else:
            os.environ["LITTLESTONE_ENGINE"] = before


@contextlib.contextmanager
def sizes(block, whole, long=text_rows.LONG):
    """Other blocks, so that short texts are long ones."""
    before = text_chunks.BLOCK, text_rows.WHOLE, text_rows.LONG
    text_chunks.BLOCK, text_rows.WHOLE, text_rows.LONG = block, whole, long
    try:
        yield
    finally:
        text_chunks.BLOCK, text_rows.WHOLE, text_rows.LONG = before


@pytest.fixture(params=ENGINES)
def each_engine(request):
    with engine(request.param):
        yield request.param


def encoded(text):
    return text if isinstance(text, bytes) else text.encode()


def read(form, text, **options):
    """The stream and its one batch."""
    stream = FORMATS[form](Text(encoded(text)), **options)
    (batch,) = stream.batches
    assert stream.whole
    assert stream.rounds == stream.rows == len(batch.y) == len(batch.x.indptr) - 1
    return stream, batch


def rows(form, text, **options):
    """[(label, {index: value}), …]"""
    _, batch = read(form, text, **options)
    x = batch.x
    spans = itertools.pairwise(x.indptr.tolist())
    found = [
        (y, x.index[a:b].tolist(), x.value[a:b].tolist())
        for y, (a, b) in zip(batch.y, spans, strict=True)
    ]
    assert all(len(set(index)) == len(index) for _, index, _ in found)
    return [(float(y), dict(zip(index, value, strict=True))) for y, index, value in found]


def refused(form, text, match, error=BadFile, **options):
    with pytest.raises(error, match=match):
        read(form, text, **options)


# --- libsvm ---


SVMLIGHT = [
    ("+1 3:0.5 7:-2", (1, {3: 0.5, 7: -2})),
    ("-1", (-1, {})),
    ("0 0:1 1:2", (0, {0: 1, 1: 2})),
    ("2.5e1\t1:1e3\t2:-1E-3 ", (25, {1: 1000, 2: -0.001})),
    ("  1   4:.5  9:5.  ", (1, {4: 0.5, 9: 5})),
    ("1 1:1#no", (1, {1: 1})),
    ("1 1:1 # a:b 3:4 # \r", (1, {1: 1})),
    ("1 qid:7 1:1", (1, {1: 1})),
    ("1 sid:7 1:1", (1, {1: 1})),
    ("1 9:1 3:2", (1, {9: 1, 3: 2})),
    ("1 3:1 5:1 3:2.5", (1, {3: 3.5, 5: 1})),
    ("1 32769:1 1:2 65537:8 32769:4 1:3", (1, {32769: 5, 1: 5, 65537: 8})),
    ("1 3:0", (1, {3: 0})),
    ("1 000000000012:1", (1, {12: 1})),
    ("1 67108863:1 12345678:2", (1, {67108863: 1, 12345678: 2})),
    ("1 1:0.1000000000000000055511151231257827 2:1e-400", (1, {1: 0.1, 2: 0})),
    ("1 1:179769313486231570000e288 2:4.9e-324", (1, {1: 1.7976931348623157e308, 2: 5e-324})),
    ("1:2 3:4", (NAN, {1: 2, 3: 4})),
    (" 1:2", (NAN, {1: 2})),
    ("qid:3 1:2", (NAN, {1: 2})),
]


@pytest.mark.parametrize(("line", "row"), SVMLIGHT)
def test_a_line_of_libsvm(each_engine, line, row):
    for text in (line, f"{line}\n", f"-1 2:2\n{line}\r\n\n-1 5:5\n"):
        found = rows("svmlight", text)
        assert len(found) == (3 if "\r\n\n" in text else 1)
        y, x = found[len(found) // 2]
        assert (y, x) == row or (math.isnan(y) and math.isnan(row[0]) and x == row[1])


def test_the_width_is_that_of_the_rows_kept(each_engine):
    stream, batch = read("svmlight", "1 5:1\n1 2000000000:1 3:abc\n1 9:1\n", on_bad_line="skip")
    assert batch.width == 10
    assert batch.h is None
    assert stream.features
    assert stream.names == ()
    assert (batch.x.indptr.dtype, batch.x.index.dtype, batch.x.value.dtype) == (
        np.int64,
        np.int32,
        np.float64,
    )


def test_cost_is_importance(each_engine):
    _, batch = read("svmlight", "1 1:1\n1 cost:2.5 1:1\n1 cost:0 1:1\n")
    assert batch.h.tolist() == [1, 2.5, 0]
    assert np.isnan(batch.y).tolist() == [False, False, True]


BAD_SVMLIGHT = [
    ("+1 3:abc", "value of feature 3 is 'abc', not a number: '\\+1 3:abc'"),
    ("+1 3:", "value of feature 3 is '', not a number"),
    ("+1 3", "'3' is not index:value"),
    ("+1 3:1 4", "'4' is not index:value"),
    ("+1 3:1:2", "value of feature 3 is '1:2', not a number"),
    ("x 3:1", "label is 'x', not a number"),
    ("1,2 3:1", "label is '1,2': lines with several labels cannot be used"),
    ("nan 3:1", "label is 'nan', not a finite number"),
    ("1 3:inf", "value of feature 3 is 'inf', not a finite number"),
    ("1 3:-Infinity", "value of feature 3 is '-Infinity', not a finite number"),
    ("1 3:1e999", "value of feature 3 is '1e999', too large"),
    ("1 3:0x10", "not a number"),
    ("1 3:1_0", "not a number"),
    ("1 3:1e", "not a number"),
    ("1 3:1e+", "not a number"),
    ("1 3:.", "not a number"),
    ("1 3:-", "not a number"),
    ("1 3:+-1", "not a number"),
    ("1 3:1.2.3", "not a number"),
    ("1 3:1234.5.7", "not a number"),
    ("1 3:1 .5", "'.5' is not index:value"),
    ("1 -3:1", "index '-3' is not a whole number"),
    ("1 a:1", "index 'a' is not a whole number"),
    ("1 1.5:1", "index '1.5' is not a whole number"),
    ("1 :1", "index '' is not a whole number"),
    ("1 67108864:1", r"index '67108864' is larger than 67108863 \(bits=22 hashes such indices"),
    ("1 99999999999999999999:1", "index '99999999999999999999' is larger"),
    ("1 qid:x 3:1", "qid is 'x', not a number"),
    ("1 cost:-1 3:1", "importance is '-1', less than 0"),
    ("1\r 3:1", "carriage return"),
    ("1 3:1\x0b", "not a number"),
    ("\x00", "label is .*, not a number"),
    (b"\xff\xfe1", "label is .*, not a number"),
]


@pytest.mark.parametrize(("line", "match"), BAD_SVMLIGHT)
def test_a_malformed_line_of_libsvm(each_engine, line, match):
    text = b"1 1:1\n\n# x\n" + encoded(line) + b"\n-1 2:1\n"
    refused("svmlight", text, f"^train.txt, line 4: .*{match}")
    stream, batch = read("svmlight", text, on_bad_line="skip")
    assert batch.y.tolist() == [1, -1]
    assert (stream.lines, stream.rows, stream.blank, stream.skipped) == (5, 2, 2, 1)
    assert stream.notes == ("1 malformed line skipped: 4",)
    assert len(stream.bad) == 1
    where = "train.txt, " if "\r" in str(line) else "train.txt is cut off in the middle of "
    refused("svmlight", text.removesuffix(b"\n-1 2:1\n"), f"^{where}line 4: ")


def test_an_index_above_the_limit(each_engine):
    assert rows("svmlight", "1 7:1", limit=7) == [(1, {7: 1})]
    refused("svmlight", "1 8:1\n", "line 1: index '8' is larger than 7", limit=7)
    refused("svmlight", "1 8:1\n", "limit must be between", BadInput, limit=2**31)
    refused("svmlight", "1 8:1\n", "limit and bits", BadInput, limit=7, bits=3)
    line = "1 2147483647:1 123456789:2"
    assert rows("svmlight", line, limit=MOST) == [(1, {2147483647: 1, 123456789: 2})]
    match = "line 1: index '2147483648' is larger than 2147483647"
    refused("svmlight", "1 2147483648:1\n", match, limit=MOST)


def test_indices_are_hashed_where_bits_are_said(each_engine):
    def at(i):
        return i if i < 16 else (i * 0x9E3779B97F4A7C15) % 2**64 // 2**60

    large = [17, 2**31 - 1, 2**31, 10**12, 2**64 - 1]
    lines = [f"1 3:5 15:6 {i}:1" for i in large]
    for line, i in zip(lines, large, strict=True):
        expected = {3: 5, 15: 6}
        expected[at(i)] = expected.get(at(i), 0) + 1
        assert rows("svmlight", line, bits=4) == [(1, expected)]
    assert len(set(map(at, large))) > 2
    stream, batch = read("svmlight", "\n".join(lines), bits=4)
    assert stream.rows == 5
    assert batch.width <= 16
    # what fits is kept: nothing changes where all indices do
    assert rows("svmlight", "1 67108864:2 7:1", bits=27) == [(1, {67108864: 2, 7: 1})]
    assert rows("svmlight", "1 1:1 1:2", bits=4) == [(1, {1: 3})]


def test_the_text_of_a_line_is_cut(each_engine):
    with pytest.raises(BadFile) as told:
        read("svmlight", "1 " + " ".join(f"{i}:0.5" for i in range(1, 50)) + " x\n1\n")
    assert str(told.value).endswith("…'")
    assert len(str(told.value)) < 150


def test_sums_that_are_too_large(each_engine):
    refused(
        "svmlight", "1 1:1\n\n1 2:1e308 2:1e308\n", "^train.txt, row 2: the values of a feature"
    )


def test_the_table_of_sums_grows_and_begins_anew(each_engine, monkeypatch):
    monkeypatch.setattr(text_parts, "TABLE", 8)
    index = [*range(100, 0, -1), 7, 7]
    line = "1 " + " ".join(f"{i}:1" for i in index)
    assert rows("svmlight", f"{line}\n" * 3) == [(1, {i: index.count(i) for i in index})] * 3
    sums = text_parts.Sums()
    for base in (0, 2**31 - 6, 2**31 - 5, 2**31 - 1):
        part = text_parts.Part.empty(2, 5, letters=False, tags=False)
        part.ptr[:], part.index[:], part.value[:] = [0, 3, 5], [4, 9, 4, 9, 9], [1, 2, 3, 4, 5]
        sums.base = max(base, sums.base)
        sums.add_up(part)
        assert part.ptr.tolist() == [0, 2, 3]
        assert (part.index.tolist(), part.value.tolist()) == ([4, 9, 9], [4, 2, 9])


SUMMED_ROWS = [
    [[3, 5, 9]] * 4,  # all as the one before
    [[3, 5, 3, 9]] * 3,  # that one had fewer when it was added up
    [[3, 5, 3], [3, 5], [3, 5], [3, 5], [5, 3]],  # moved up behind what was added up
    [[1, 1], [1], [1], [], [1], [], []],
    [[3, 5, 7], [3, 6, 7], [3, 5, 8], [4, 5, 7]],  # all but one
    [[4096 * i for i in range(40)], [8192 * i for i in range(40)]],
]


@pytest.mark.skipif("compiled" not in ENGINES, reason="there is only one way to add up")
@given(
    st.lists(
        st.sampled_from([[3, 5, 9], [3, 5], [3, 5, 3], [9, 9], []])
        | st.lists(st.integers(0, 6) | st.integers(0, 2**31 - 1), max_size=9),
        min_size=1,
        max_size=12,
    ),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
@example(SUMMED_ROWS[0], False)
@example(SUMMED_ROWS[1], False)
@example(SUMMED_ROWS[1], True)
@example(SUMMED_ROWS[2], False)
@example(SUMMED_ROWS[3], False)
@example(SUMMED_ROWS[4], False)
@example(SUMMED_ROWS[5], False)
def test_repeated_indices_are_added_up_as_by_the_plain_rule(given_rows, large):
    """Also where a row has the indices of the row before, which the compiled rule only compares."""
    sums, found = text_parts.Sums(), []
    n = sum(map(len, given_rows))
    for name in ("plain", "compiled", "compiled"):
        part = text_parts.Part.empty(len(given_rows), n, letters=False, tags=False)
        part.ptr[1:] = np.cumsum([len(row) for row in given_rows])
        part.index[:] = [i for row in given_rows for i in row]
        part.value[:] = 1e308 if large else np.arange(n) + 0.1
        with engine(name):
            try:
                sums.add_up(part)
            except text_parts.BadRow as error:
                found.append(error.args)
            else:
                found.append((part.ptr.tolist(), part.index.tolist(), part.value.tolist()))
    assert found[0] == found[1] == found[2]


# --- Vowpal Wabbit ---

# Printed by `vw --audit --noconstant` 9.11.9: index and value of each feature.
XYUVW = {55432: 1, 42847: 2, 40316: 1, 13125: 3, 64070: 1}  # of "|a x y:2 |b u v:3 |c w"
VW = [
    ("|f a b:2 12 x1:0.5", [], {14355: 1, 146788: 2, 34887: 1, 14405: 0.5}),
    ("|f -5:1 0:3", [], {150694: 1, 34875: 3}),
    ("| a 5 7:2", [], {92594: 1, 5: 1, 7: 2}),
    ("|12 a 5", [], {203536: 1, 17: 1}),
    ("|é é è:2 aé éa a", [], {53677: 1, 161701: 2, 259313: 1, 174337: 1, 19779: 1}),
    ("|f:2 a b:3 c:0", [], {14355: 2, 146788: 6}),
    ("|f :3 :4 b", [], {34875: 3, 34876: 4, 146788: 1}),
    ("|f a |a x", [], {14355: 1, 55432: 1}),
    ("|f a:1e3 b:+2 c:.5 d:5.", [], {14355: 1000, 146788: 2, 253856: 0.5, 166545: 5}),
    ("|f e:-.5e-1 g:--1", [], {127882: -0.05, 131209: 1}),
    ("|f:2 a:x b", [], {187176: 1, 146788: 2}),
    ("|f a:-x b", [], {105306: 1, 146788: 1}),
    ("|f a:.x b", [], {218042: 1, 146788: 1}),
    ("|f a:in b:na", [], {162152: 1, 200074: 1}),
    ("|f\ta\tb ", [], {14355: 1, 146788: 1}),
    ("|f 12345678901234567890123:1", [], {183558: 1}),
    ("|f a b:1e-3 | 5 :2", [], {14355: 1, 146788: 0.001, 5: 1, 0: 2}),
    ("|12:0.5 7 x", [], {19: 0.5, 98015: 0.5}),
    ("|a x y:2 |b u v:3 |c w", ["ab"], XYUVW | {17252: 1, 60765: 3, 255985: 2, 215496: 6}),
    ("|a x y:2 |b u v:3 |c w", ["ba"], XYUVW | {209596: 1, 216427: 2, 27927: 3, 4800: 6}),
    ("|a x y:2 |b u v:3 |c w", ["aa"], XYUVW | {1680: 1, 31047: 2, 253394: 4}),
    ("|a x y:2 |b u v:3 |c w", ["abc"], XYUVW | {191530: 1, 86817: 3, 186917: 2, 122782: 6}),
    ("|a x y:2 |b u v:3 |c w", ["cba"], XYUVW | {62786: 1, 35477: 2, 82141: 3, 81674: 6}),
    (
        "|a x y:2 |b u v:3 |c w",
        ["aba"],
        XYUVW | {182732: 1, 157685: 3, 161721: 2, 186752: 6, 175338: 4, 131795: 12},
    ),
    ("|a x:3 y:2", ["aaa"], {55432: 3, 42847: 2, 166968: 27, 193519: 18, 150938: 12, 169673: 8}),
    ("|a x |apple z |b u", ["ab"], {55432: 1, 36320: 1, 40316: 1, 17252: 1, 248540: 1}),
    ("|a x:0 y |b :3 q:t", ["ab"], {42847: 1, 163331: 3, 142887: 1, 66702: 3, 87210: 1}),
    ("|a:2 x y |b:0.5 z", ["ab"], {55432: 2, 42847: 2, 124687: 0.5, 80151: 1, 171394: 1}),
    ("| x |b y", [" b"], {170779: 1, 152274: 1, 31059: 1}),
    ("|a x:3 y:2 x:3", ["aa"], {55432: 6, 42847: 2, 1680: 27, 31047: 6, 253394: 4, 238085: 6}),
]


@pytest.mark.parametrize(("features", "interactions", "x"), VW)
def test_a_line_of_vw(each_engine, features, interactions, x):
    line = f"1 {features}"
    for text in (line, f"{line}\n", f"-1 |b c\n{line}\r\n\r\n-1 |c d\n"):
        found = rows("vw", text, interactions=interactions)
        assert found[len(found) // 2] == (1, x)
        assert len(found) == (3 if "\r\n" in text else 1)


HEADS = [
    ("|f a", NAN, 1, ""),
    (" |f a", NAN, 1, ""),
    ("-2.5 |f a", -2.5, 1, ""),
    ("1|f a", NAN, 1, "1"),
    ("1 2 |f a", 1, 2, ""),
    ("1 2 3 |f a", 1, 2, ""),
    ("1 2 3 t|f a", 1, 2, "t"),
    ("1 'tag|f a", 1, 1, "tag"),
    ("1 'tag |f a", 1, 1, "tag"),
    ("1 2.5  'ta'g   |f a", 1, 2.5, "ta'g"),
    ("'é |f a", NAN, 1, "é"),
    ("'|f a", NAN, 1, ""),
    ("1 0 |f a", NAN, 0, ""),
    ("1\t2 |f a", 2, 1, ""),
    ("x\t1 2 't |f a", 1, 2, "t"),
]


@pytest.mark.parametrize(("line", "y", "h", "tag"), HEADS)
def test_what_stands_before_the_bar(each_engine, line, y, h, tag):
    stream, batch = read("vw", f"1 |f b\n{line}\n", tags=True)
    assert batch.y[1] == y or (math.isnan(y) and math.isnan(batch.y[1]))
    assert (1.0 if batch.h is None else batch.h[1]) == h
    assert stream.tags == ["", tag]
    assert batch.x.index.tolist() == [146788, 14355]
    based = "2 3" in line
    assert any("base" in note for note in stream.notes) == based
    assert any("1 row without a label" in note for note in stream.notes) == math.isnan(y)


BAD_VW = [
    ("1 2", "there is no '|' between label and features"),
    ("x |f a", "label is 'x', not a number"),
    ("nan |f a", "label is 'nan', not a finite number"),
    ("shared |f a", "label is 'shared', not a number"),
    ("1 x |f a", "importance is 'x', not a number"),
    ("1 -2 |f a", "importance is '-2', less than 0"),
    ("1 2 x |f a", "base is 'x', not a number"),
    ("1 2 3 4 |f a", "more than label, importance and base"),
    ("1 'a b |f c", 'importance is "\'a", not a number'),
    ("1:2 |f a", "label is '1:2', not a number"),
    ("1 |f a:2x b", "value of feature 'a' is '2x', not a number"),
    ("1 |f a:1:2 b", "value of feature 'a' is '1:2', not a number"),
    ("1 |f a:-1e5.5", "value of feature 'a' is '-1e5.5', not a number"),
    ("1 |f a: b", "feature 'a' has a colon and no value"),
    ("1 |f a:", "feature 'a' has a colon and no value"),
    ("1 |f a:nan", "value of feature 'a' is 'nan', not a finite number"),
    ("1 |f a:-INF", "value of feature 'a' is '-INF', not a finite number"),
    ("1 |f a:1e400", "value of feature 'a' is '1e400', too large"),
    ("1 |f:1e200 a:1e200", "value of feature 'a', times weight, is too large"),
    ("1 |f a:x|g b", "text 'x' is followed by '|'"),
    ("1 |:3 a", "a '|' is followed by a colon"),
    ("1 |f:x a", "weight of namespace 'f' is 'x', not a number"),
    ("1 |f: a", "weight of namespace 'f' is '', not a number"),
    ("1 |f:2:3 a", "weight of namespace 'f' is '2:3', not a number"),
    ("1 |f a\rb", "carriage return"),
]


@pytest.mark.parametrize(("line", "match"), BAD_VW)
def test_a_malformed_line_of_vw(each_engine, line, match):
    text = f"1 |f a\n\n{line}\n-1 |f b\n"
    refused("vw", text, f"^train.txt, line 3: .*{match.replace('|', '[|]')}")
    stream, batch = read("vw", text, on_bad_line="skip")
    assert batch.y.tolist() == [1, -1]
    assert (stream.lines, stream.rows, stream.blank, stream.skipped) == (4, 2, 1, 1)
    assert stream.bad[0].startswith("line 3: ")
    where = "train.txt, " if "\r" in line else "train.txt is cut off in the middle of "
    refused("vw", f"1 |f a\n{line}", f"^{where}line 2: ")


def test_names_of_control_characters(each_engine):
    a, b = (hash_name(name, hash_name(b"f", 0)) % 2**18 for name in (b"a", b"b\x01c"))
    assert rows("vw", b"1 |f \x01a\x02 b\x01c:2 a\n") == [(1, {a: 2, b: 2})]
    assert rows("vw", b"1 |\x01f a b\x01c:2\n1 |f a\n") == [(1, {a: 1, b: 2}), (1, {a: 1})]


@pytest.mark.parametrize("bits", [1, 5, 18, 24, 31])
def test_bits(each_engine, bits):
    (row,) = rows("vw", "1 |f a b c d e f g h\n", bits=bits)
    keys = [hash_name(bytes([c]), hash_name(b"f", 0)) % 2**bits for c in b"abcdefgh"]
    assert row[1] == {key: keys.count(key) for key in keys}
    assert read("vw", "1 |f a\n", bits=bits)[1].width == 2**bits


def test_options_that_cannot_be(each_engine):
    refused("vw", "1 |f a", "bits must be between 1 and 31, not 32", BadInput, bits=32)
    refused("vw", "1 |f a", "on_bad_line='warn'", BadInput, on_bad_line="warn")
    for letters in ("a", "a:", "a|", "abcdefghi"):
        refused("vw", "1 |f a", "interactions: ", BadInput, interactions=[letters])
    assert letter_sets("ab") == letter_sets(["ab", "ba"]) == [b"ab"]


def test_interactions_that_are_too_many_or_too_large(each_engine, monkeypatch):
    monkeypatch.setattr(vw_interactions, "MOST", 100)
    names = " ".join(f"x{i}" for i in range(20))
    refused(
        "vw", f"1 |a x\n1 |a {names}\n", "row 2: 230 interactions are too many", interactions=["aa"]
    )
    refused("vw", "1 |a x:1e200 |b y:1e200", "row 1: a product of features", interactions=["ab"])


def test_interactions_are_handed_out_in_pieces(each_engine, monkeypatch):
    lines = "".join(f"{i} 't{i}|a x{i} y{i} |b u v:{i}\n" for i in range(1, 30))
    (whole,) = FORMATS["vw"](Text(lines.encode()), interactions=["ab"]).batches
    monkeypatch.setattr(vw_interactions, "PIECE", 40)
    with sizes(1 << 20, 0):
        stream = FORMATS["vw"](Text(lines.encode()), interactions=["ab"], tags=True)
        pieces = []
        for batch in stream.batches:
            pieces.append(batch)
            assert stream.tags == [f"t{y:.0f}" for y in batch.y]
    assert len(pieces) == 6
    assert [p.first for p in pieces] == list(np.cumsum([0] + [len(p.y) for p in pieces])[:-1])
    assert np.concatenate([p.x.value for p in pieces]).tolist() == whole.x.value.tolist()
    assert np.concatenate([p.x.index for p in pieces]).tolist() == whole.x.index.tolist()


# --- numbers ---


def values(words):
    """What the compiled parser reads, each word as a feature's value; NaN where it refuses it."""
    from littlestone.streams.compiled.compiled_numbers import some_number

    text = " ".join(words).encode()
    buffer = np.full(len(text) + 2 * PAD, ord("7"), np.uint8)  # digits around it, to trip over
    buffer[PAD : PAD + len(text)] = np.frombuffer(text, np.uint8)
    at, found = buffer.ctypes.data + PAD, []
    for word in words:
        found.append(some_number(at, at + len(word)))
        at += len(word) + 1
    return found


def agree(words):
    """Bit for bit what `float` says. NaN (ask the plain rule) is allowed for more than 19 digits only."""
    for word, v in zip(words, values(words), strict=True):
        expected = float(word)
        digits = word.lower().partition("e")[0].replace(".", "").strip("+-").lstrip("0")
        if math.isnan(v) and len(digits) > 19:
            continue
        if math.isinf(expected):
            assert math.isnan(v), word
        else:
            assert (v, math.copysign(1, v)) == (expected, math.copysign(1, expected)), word


compiled_only = pytest.mark.skipif("compiled" not in ENGINES, reason="Numba is missing")
digits = st.text("0123456789", max_size=30)
zeros = st.integers(0, 20).map("0".__mul__)
decimal = st.builds(
    "{}{}{}{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    zeros,
    st.integers(0, 10**30) | st.integers(0, 10**9),
    st.sampled_from(["", "."]) | digits.map(".{}".format),
    st.sampled_from("eE"),
    st.integers(-400, 400).map("{:+d}".format) | st.integers(-60, 60),
)
plain_decimal = decimal.map(lambda word: word.lower().partition("e")[0])


@compiled_only
@given(st.lists(decimal | plain_decimal, min_size=1, max_size=20))
@settings(max_examples=200, deadline=None)
@example(
    [
        "0",
        "-0",
        "00000000",
        "12345678",
        "123456789",
        ".5",
        "5.",
        "1234567890123456",
        "9007199254740993",
    ]
)
@example(
    ["9007199254740992.5", "9007199254740993e0", "1e23", "8.5e22", "1e-5", "1E+05", "1e5", "1e-05"]
)
@example(
    [
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
    ]
)
@example(
    [
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e308",
        "1e309",
        "18446744073709551615",
        "18446744073709551616",
    ]
)
def test_numbers_are_rounded_correctly(words):
    agree(words)


@compiled_only
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30), st.data()
)
@settings(max_examples=200, deadline=None)
def test_numbers_as_computers_write_them(numbers, data):
    form = data.draw(
        st.sampled_from(["{!r}", "{:.6g}", "{:.16g}", "{:.17g}", "{:.8f}", "{:.18e}", "{:.25g}"])
    )
    agree([form.format(v) for v in numbers])


@compiled_only
def test_numbers_half_way_between_two_others():
    """Odd numbers of 54 bits, times powers of 2: w 10^q is one where w 5^q is."""
    rng, words = random.Random(7), []
    for q in range(-4, 23):
        for _ in range(100):
            half = rng.getrandbits(54) | 1 << 53 | 1
            w = (half // 5**q) | 1 if q >= 0 else half * 5**-q
            if q < 0 or (w * 5**q).bit_length() == 54:
                words += [f"{w + d}e{q}" for d in (-1, 0, 1)]
    assert len(words) > 5000
    agree(words)


@compiled_only
@given(st.text("0123456789.+-eE", max_size=24))
@settings(max_examples=500, deadline=None)
def test_what_is_no_number_is_none(word):
    (v,) = values([word])
    try:
        expected = float(word)
    except ValueError:
        assert math.isnan(v)
    else:
        assert v == expected or math.isinf(expected) or len(word) > 19


def test_more_digits_than_a_double_has(each_engine):
    # half way between 1 and the next number, and a hair more or less: only all digits can tell
    half = "1.00000000000000011102230246251565404236316680908203125"
    above, below = half + "0" * 300 + "1", half[:-1] + "4" + "9" * 300
    expected = {1: 1.0, 2: 1.0000000000000002, 3: 1.0}
    assert rows("svmlight", f"1 1:{half} 2:{above} 3:{below}\n") == [(1, expected)]
    assert rows("vw", f"1 |f x\n1 | 1:{half} 2:{above} 3:{below}\n")[1] == (1, expected)


# --- both engines, any text ---


def told(form, text, engine_name, block, whole, **options):
    """All that a reader says about a text: its rows or its error, and its books."""
    with engine(engine_name), sizes(block, whole):
        try:
            stream = FORMATS[form](Text(text), on_bad_line="skip", **options)
            batches = list(stream.batches)
        except (BadFile, BadInput) as error:
            books = str(error)
        else:
            books = (
                stream.lines,
                stream.rows,
                stream.blank,
                stream.skipped,
                stream.bad,
                stream.notes,
            )
            ends = text.count(b"\n") + (not text.endswith(b"\n"))
            assert stream.lines == ends  # no line is lost
            assert stream.rows + stream.blank + stream.skipped == ends
            assert stream.rows == sum(len(batch.y) for batch in batches)
            return books, *joined(batches)
        try:
            list(FORMATS[form](Text(text), **options).batches)
        except (BadFile, BadInput) as error:
            return books, str(error)
        raise AssertionError("skipping fails, and reading does not")


def joined(batches):
    """Rows as bytes, so that -0.0 and NaN count; what varies with the blocks is left out."""
    lengths = np.concatenate([np.diff(b.x.indptr) for b in batches])
    y, index, value = (
        np.concatenate(a)
        for a in (
            [b.y for b in batches],
            [b.x.index for b in batches],
            [b.x.value for b in batches],
        )
    )
    h = np.concatenate([np.ones(len(b.y)) if b.h is None else b.h for b in batches])
    width = max(b.width for b in batches)
    assert not len(index) or (index.min() >= 0 and index.max() < width)
    assert np.isfinite(value).all()
    assert (h >= 0).all()
    starts = [0, *np.cumsum([len(b.y) for b in batches])[:-1].tolist()]
    assert [b.first for b in batches] == starts
    return lengths.tobytes(), y.tobytes(), h.tobytes(), index.tobytes(), value.tobytes(), width


words = st.sampled_from(
    [
        "1",
        "-1",
        "+1",
        "0",
        "0.5",
        "1e5",
        "nan",
        "inf",
        "3:1",
        "7:0.25",
        "7:2",
        "12:-1e-3",
        "0:0",
        "x",
        "y:2",
        "y",
        "z:abc",
        "a:",
        ":3",
        ":",
        "a:1:2",
        "1:2:3",
        "qid:3",
        "cost:2",
        "1,2",
        "2147483648:1",
        "123456789:1",
        "3:1.2.3",
        "3:1e999",
        "1.0000000000000000000001:1",
        "5:0.00000000000000000000001",
        "'tag",
        "t",
        "\x01",
        "a\x01",
        "é",
        "é:1",
        "12345678901234567890",
        "0000000001:1",
        "9:123456789012345678901234567890",
    ]
)
glue = st.sampled_from([" ", " ", " ", "  ", "\t", "", "\r"])
bars = st.sampled_from(["|a", "|b", "|f", "|", "|a:2", "|12", "|é", "|f:x", "|:", "||", "#", ""])
token = st.builds("{}{}".format, st.one_of(words, words, words, bars), glue)
line = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["1 ", "-1 ", "", "1 2 ", "1 'b"]),
    st.sampled_from(["", "|f ", "|a x |b ", "| "]),
    st.lists(token, max_size=8).map("".join),
    st.sampled_from(["\n", "\n", "\n", "\r\n", ""]),
)
shaped = st.lists(line, max_size=12).map(lambda lines: "".join(lines).encode())
ODD = b" \t\r\n:|#'0123456789.+-eEanifqd,\x00\x01\x1f\xff"
raw = st.lists(st.sampled_from(list(ODD)), max_size=80).map(bytes)
blocks = st.sampled_from([1, 7, 64, 1 << 20])
CORPUS = [
    b"",
    b"\n\n\n",
    b" \t \r\n",
    b"\r",
    b"1 1:1\r\r\n",
    b"|",
    b"||||\n",
    b"|a|b|a x|\n",
    b"#\n1#\n",
    b"1 1:1" * 40,
    b"1 |f " + b"a" * 500 + b"\n" + b"1 |f " + b"9" * 500,
    b"1 " + b"1" * 500 + b":1\n",
    b"\xef\xbb\xbf1 1:1\n1 |f a\n",
    b"1 |f a\x00b \x00:1 \x00\n",
    b"1 1:" + b"0" * 400 + b".5\n1 1:0." + b"0" * 400 + b"5\n1 2:" + b"9" * 400 + b"\n",
    b"\x1f\x8b\x08 not gzip\n",
    "1 |é:2 é:é é\n".encode("utf-16"),
]


@compiled_only
@pytest.mark.parametrize("form", FORMATS)
@given(
    text=st.one_of(shaped, raw),
    block=blocks,
    whole=st.sampled_from([0, 1 << 24]),
    interactions=st.sampled_from([(), ("ab", "aa")]),
)
@settings(max_examples=300, deadline=None)
def test_both_engines_read_the_same(form, text, block, whole, interactions):
    options = {"bits": 8, "interactions": interactions} if form == "vw" else {}
    assert told(form, text, "compiled", block, whole, **options) == told(
        form, text, "plain", 1 << 20, 1 << 24, **options
    )


@compiled_only
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", CORPUS)
def test_both_engines_read_the_same_broken_files(form, text):
    for block in (1, 64, 1 << 20):
        assert told(form, text, "compiled", block, 0) == told(form, text, "plain", 1 << 20, 1 << 24)


UNUSUAL = [
    "1 |a:2 x:3 y",  # a weight
    "1 |a x:text y:3",  # text
    "1 |a x::3 :4 :5",  # no name
    "1 |a " + " ".join(f"w{i}:0.{i}" for i in range(3000)),  # more than are read together
    "1 |a x:12345678.125 y:-1.5e-3 z:123456789012345678901234567890",  # long numbers
    "1 |a x:0 y:-0.0 z:1 x:0.",  # zeros
    "1 |a 12 12345678901234567890123 12x seven77 eight888 ninebyte9:2",  # names of all sizes
    "1 |a",
    "",
    "1 |a x:+-1",  # and some that are malformed
    "1 |a x:. y",
    "1 |a x:1..2",
    "1 |a x:3\u00b5",
]


@compiled_only
@pytest.mark.parametrize("line", UNUSUAL)
@pytest.mark.parametrize("before", [0, 1, 50])
def test_unusual_lines_among_usual_ones(line, before):
    """Lines are read together; one that has to be read alone changes nothing in the others, before it or after it."""
    usual = "-1 2 'tag|t w1 w22 w333 w4444 w55555:2 w666666:-0.5 |u v:12.25\n"
    for times in (1, 20):  # so many that the loop gives up reading them together
        text = encoded(usual * before + f"{line}\n{usual}" * times + usual * 50)
        for block in (1 << 12, 1 << 20):
            found = told("vw", text, "compiled", block, 0)
            assert found == told("vw", text, "plain", 1 << 20, 1 << 24)


@pytest.mark.parametrize("form", FORMATS)
def test_what_was_written_is_read(each_engine, form):
    """Thousands of rows in many small chunks: none is lost, none is moved."""
    rng = np.random.default_rng(3)
    bar, lines, truth = ("| " if form == "vw" else ""), [], []
    for t in range(2000):
        index = np.sort(rng.choice(200, rng.integers(1, 12), replace=False)).tolist()
        value = np.round(rng.normal(size=len(index)), 4).tolist()
        features = " ".join(f"{i}:{v!r}" for i, v in zip(index, value, strict=True))
        lines.append(f"{t} {bar}{features}\n")
        truth.append((float(t), dict(zip(index, value, strict=True))))
    text = "".join(lines).encode()
    with sizes(999, 0):
        stream = FORMATS[form](Text(text))
        found = []
        for batch in stream.batches:
            for t, (a, b) in enumerate(itertools.pairwise(batch.x.indptr.tolist())):
                x = dict(zip(batch.x.index[a:b].tolist(), batch.x.value[a:b].tolist(), strict=True))
                found.append((float(batch.y[t]), x))
    assert found == truth
    assert (stream.lines, stream.rows, stream.rounds, stream.whole) == (2000, 2000, 2000, False)


# --- files ---


def test_files_of_all_kinds(each_engine, tmp_path):
    text = b"".join(b"%d 1:0.5 %d:2\n" % (i, i + 2) for i in range(200))
    kinds = {
        "plain.libsvm": text,
        "packed.libsvm.gz": gzip.compress(text),
        "windows.libsvm": b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"),
        "no-end.libsvm": text.removesuffix(b"\n"),
    }
    expected = joined(svmlight_stream(Text(text)).batches)
    for name, content in kinds.items():
        path = tmp_path / name
        path.write_bytes(content)
        with sizes(100, 0):
            assert joined(list(svmlight_stream(path).batches)) == expected
        assert joined(svmlight_stream(str(path)).batches) == expected


def test_a_compressed_file_that_is_cut_off(each_engine, tmp_path):
    path = tmp_path / "train.libsvm.gz"
    path.write_bytes(gzip.compress(random.Random(1).randbytes(3000).hex(" ").encode())[:2000])
    with pytest.raises(BadFile, match=r"train.libsvm.gz is cut off: its gzip"):
        list(svmlight_stream(path).batches)


def test_what_a_file_looks_like(data_dir):
    looks = {
        "a1a": (True, False),
        "rcv1_small.vw": (False, True),
        "electricity.csv": (False, False),
    }
    for name, seen in looks.items():
        head = (data_dir / name).read_bytes()[: 1 << 16]
        assert (looks_like_svmlight(head), looks_like_vw(head)) == seen
    for head in (
        b"",
        b"1,2,3\n",
        b"+1\n-1\n",
        b"a|b\n1|2\n",
        b'{"a": 1}\n',
        b"\x00\x01",
        b"1 2 3\n",
    ):
        assert not looks_like_svmlight(head)
        assert not looks_like_vw(head)
    assert looks_like_svmlight(b"\xef\xbb\xbf# made by hand\n+1\n-1 3:1\n1 4:")


def test_standard_input():
    code = (
        "from littlestone.streams.text.vw_text import vw_stream; (b,) = vw_stream('-').batches; "
        "print(b.y, b.x.index)"
    )
    environment = {**os.environ, "LITTLESTONE_ENGINE": "plain"}
    out = subprocess.run(
        [sys.executable, "-c", code],
        input=b"1 | 3\n-1 | 4 5\n",
        capture_output=True,
        env=environment,
        check=True,
    )
    assert out.stdout.split() == b"[ 1. -1.] [3 4 5]".split()


def test_files_with_nothing_in_them(each_engine):
    for text, match in [(b"\n\n", "^no rows in train.txt$"), (b"# a\n", "^no rows in train.txt$")]:
        refused("svmlight", text, match, BadInput)
    refused(
        "vw",
        b"x\ny\n",
        r"no rows in train.txt \(2 malformed lines skipped: 1, 2\)",
        BadInput,
        on_bad_line="skip",
    )


@pytest.mark.parametrize("form", FORMATS)
def test_lines_that_end_as_on_old_computers(each_engine, form):
    """A carriage return alone ends no line; the file is whole, though, and nobody calls it cut off."""
    text = b"1 | 1:1\r-1 | 2:1\r" if form == "vw" else b"1 1:1\r-1 2:1\r"
    refused(
        form, text, r"^train.txt, line 1: a carriage return .* \(lines end with \\n or \\r\\n\)"
    )


def test_skipped_lines_are_named(each_engine):
    text = b"1 1:1\n" + b"x\n" * 7 + b"1 2:1\n1 3:"
    stream, _ = read("svmlight", text, on_bad_line="skip")
    cut = "the file is cut off in the middle of line 10"
    assert stream.notes == ("8 malformed lines skipped: 2, 3, 4, 5, 6, …", cut)
    assert len(stream.bad) == 5


def test_lines_longer_than_a_block(each_engine, monkeypatch):
    text = ("1 " + " ".join(f"{i}:{i}.5" for i in range(500)) + "\n") * 3
    with sizes(64, 0):
        batches = list(svmlight_stream(Text(text.encode())).batches)
        assert sum(len(batch.x.index) for batch in batches) == 1500
        monkeypatch.setattr(text_chunks, "LONGEST", 1024)
        with pytest.raises(BadFile, match="a line of more than"):
            list(svmlight_stream(Text(text.encode())).batches)


def test_memory_does_not_grow_with_the_file(each_engine, tmp_path):
    """Twenty times the file, and no more alive than read-ahead allows: how many just then is up to the threads.

    The short file has more blocks than that, too: in one of three blocks read-ahead would not have begun.
    """
    path, text, block = tmp_path / "train.libsvm", b"1 1:0.5 2:0.25 3:7 4:8\n", 1 << 12
    # A line has y, h and where it ends; room is made for an entry after each space, and for one a line.
    chunk = block // len(text) * (3 * 8 + (text.count(b" ") + 1) * (4 + 8))
    peaks = []
    with sizes(block, 0):
        for lines in (2_000, 2_000, 40_000):  # the first one compiles, and fills caches
            path.write_bytes(text * lines)
            tracemalloc.start()
            assert sum(len(batch.y) for batch in svmlight_stream(path).batches) == lines
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    # Those that wait, one being made on each of the two threads, and the buffers that each of these keeps (text and
    # arrays). On a busy machine the other thread may make nothing of the short file: its buffers are not there then.
    alive, chunk = DEPTH + 2 + 2, chunk + block
    assert 2_000 * len(text) // block > alive
    assert peaks[2] < peaks[1] + alive * chunk
    assert 40_000 * len(text) // block > 10 * alive  # so that keeping them all would be seen


def test_an_error_comes_after_the_rows_before_it(each_engine):
    text = b"1 1:1\n" * 1000 + b"1 x\n" + b"1 1:1\n" * 1000
    with sizes(600, 0):
        stream = svmlight_stream(Text(text))
        batches = iter(stream.batches)
        assert sum(len(next(batches).y) for _ in range(10)) == 1000
        with pytest.raises(BadFile, match="line 1001: 'x' is not index:value"):
            next(batches)


def test_real_files(each_engine, data_dir):
    """Against scikit-learn on a real file, and the first and last features of a real file of vw's."""
    sklearn = pytest.importorskip("sklearn.datasets")
    truth, labels = sklearn.load_svmlight_file(str(data_dir / "a1a"), zero_based=True)
    (batch,) = svmlight_stream(data_dir / "a1a").batches
    assert batch.y.tolist() == labels.tolist()
    assert batch.x.indptr.tolist() == truth.indptr.tolist()
    assert batch.x.index.tolist() == truth.indices.tolist()
    assert batch.x.value.tolist() == truth.data.tolist()
    stream = vw_stream(data_dir / "rcv1_small.vw")
    (batch,) = stream.batches
    assert (stream.rows, stream.lines, stream.blank) == (1000, 1000, 0)
    assert batch.x.index[:2].tolist() == [(34875 + 9) % 2**18, (34875 + 14) % 2**18]
    assert batch.x.value[:2].tolist() == [6.2699720e-02, 3.3754818e-02]


# --- chunks and threads ---


@given(st.binary(max_size=60), st.integers(1, 20))
@settings(max_examples=200, deadline=None)
def test_chunks_are_whole_lines(text, block):
    text = text.replace(b"\x00", b"\n").removeprefix(b"\xef\xbb\xbf")
    pieces, cut = [], []
    for chunk in chunks(Text(text), block):
        assert not cut
        piece = bytes(chunk.text)
        assert piece.endswith(b"\n")
        pieces.append(piece)
        cut += [chunk.cut] if chunk.cut else []
    assert b"".join(pieces) == text + (b"\n" if cut else b"")
    assert bool(cut) == (bool(text) and not text.endswith(b"\n"))


def threads():
    return [t for t in threading.enumerate() if t.name == NAME]


@pytest.mark.parametrize("taken", [0, 1, 5])
def test_who_stops_early_closes_the_file(each_engine, taken):
    source = Text(b"1 |f a\n" * 5000)
    with sizes(100, 200):
        batches = iter(vw_stream(source).batches)
        for _ in range(taken):
            next(batches)
        batches.close()
    assert not threads()
    del batches
    assert source._bytes.closed


def test_a_stream_that_nobody_reads_lets_go_of_its_file(each_engine):
    source = Text(b"1 |f a\n" * 5000)
    with sizes(100, 200):
        stream = vw_stream(source)
        assert not source._bytes.closed
        del stream
    assert source._bytes.closed


@pytest.mark.skipif(
    "compiled" not in ENGINES, reason="two threads are of use to compiled code only"
)
@pytest.mark.parametrize("form", FORMATS)
@given(
    st.lists(
        st.sampled_from(
            ["1 | 3:0.5 7\n", "-1 | 4 4 5\n", "\n", "x y |\n", "1 3:0.5 7:1\n", "-1 2:1 2:3\n"]
        ),
        min_size=1,
        max_size=60,
    ),
    st.integers(8, 90),
)
@settings(max_examples=40, deadline=None)
def test_two_threads_read_what_one_reads(form, lines, block):
    """Rows, books, and the number of a malformed line: all as in one piece by the plain rule."""
    text = "".join(lines).encode() + b"1 | 3\n1 3:1\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.txt")
        path.write_bytes(text)
        for on_bad_line in ("skip", "error"):
            found = []
            for name, size, whole, long in [
                ("plain", 1 << 20, 1 << 24, 1 << 24),
                ("compiled", block, 0, 0),
                ("compiled", block, 1 << 24, 0),  # kept whole, and yet read by two
            ]:
                with engine(name), sizes(size, whole, long):
                    found.append(outcome(form, path, on_bad_line))
            assert found[0] == found[1] == found[2]


@pytest.mark.skipif("compiled" not in ENGINES, reason="one thread is enough for plain Python")
@pytest.mark.parametrize("long", [0, 1 << 20])
def test_what_two_threads_read_may_be_kept_whole(tmp_path, monkeypatch, long):
    path = tmp_path / "train.vw"
    path.write_text("".join(f"1 't{i}| a:{i} b\n" for i in range(200)), encoding="utf-8")
    named = []
    start = threading.Thread.start

    def noted(thread):
        named.append(thread.name)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", noted)
    with engine("compiled"), sizes(100, 1 << 20, long):
        stream = vw_stream(path, tags=True)
    (batch,) = stream.batches
    assert named == ([] if long else [NAME])
    assert stream.whole
    assert stream.tags == [f"t{i}" for i in range(200)]
    assert len(batch.y) == 200
    assert batch.x.indptr[-1] == 399  # a is 0 in the first row


def outcome(form, path, on_bad_line):
    try:
        stream = FORMATS[form](path, on_bad_line=on_bad_line)
        batches = list(stream.batches)
    except (BadFile, BadInput) as error:
        return str(error)
    rows = [
        (y, index, value)
        for batch in batches
        for y, (a, b) in zip(
            batch.y.tolist(), itertools.pairwise(batch.x.indptr.tolist()), strict=True
        )
        for index, value in [(batch.x.index[a:b].tolist(), batch.x.value[a:b].tolist())]
    ]
    assert stream.rows == len(rows)
    return rows, stream.lines, stream.blank, stream.skipped, stream.bad, stream.notes
