"""Only LittlestoneErrors leave a reader, whatever a file holds: 2,000 files (`make fuzz-readers` reads a million)."""

import hashlib

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz_files import CASES
from support.reading import open_stream

import littlestone as ls
from littlestone.live.store import MAGIC, VERSION
from littlestone.streams.tables.parquet_file import refuse_damaged_text

# Seconds of CPU for one file, on a machine that may be busy; `make fuzz-readers` allows 5.
PATIENCE = 20.0
FILES = 2_000


def test_readers_refuse_what_they_cannot_use(plain):
    pytest.importorskip("resource", reason="memory is limited on Unix alone")
    from fuzz_readers import fuzz

    wrong, counts = fuzz(FILES, patience=PATIENCE)
    assert not wrong, [(kind, number, repr(what)[:200]) for kind, number, what in wrong[:5]]
    assert {kind for kind, _ in counts} == set(CASES)
    assert sum(many for (_, fine), many in counts.items() if fine) > FILES / 20  # some can be read


def sealed(body):
    envelope = {"version": VERSION, "checksum": hashlib.sha256(body).digest(), "body": body}
    return MAGIC + msgspec.msgpack.encode(envelope)


@pytest.mark.parametrize(
    "body", [b"\x81", b"\x01\x01", b"\x01", b"\xa1\xff", b"\x91" * 5000 + b"\x01", b""]
)
def test_a_sealed_body_that_is_no_learner_is_refused(tmp_path, body):
    (tmp_path / "a.ls").write_bytes(sealed(body))
    with pytest.raises(ls.BadFile, match=r"a\.ls is damaged"):
        ls.load(tmp_path / "a.ls")


def test_quotes_that_open_in_every_line_are_told_in_one_line(tmp_path):
    rows = 'a\tb\ty\nxx, y"\t$1,000\t1\n' + '"0\t1\n' * 2 + '"0\t1\xb0' + '"0\t1\n' * 8
    (tmp_path / "a.csv").write_bytes(rows.encode("latin-1"))
    with pytest.raises(ls.BadFile, match="cannot be read as CSV") as said:
        ls.play("logistic", tmp_path / "a.csv", outcome="y", on_bad_line="skip", engine="plain")
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("coded", [False, True])
def test_text_of_a_parquet_file_that_is_none_is_one_line(tmp_path, coded):
    """A categorical column with a byte that is no text raised a UnicodeDecodeError."""
    words = pa.array([b"ab", b"\x81c", b"ab"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 3, words.buffers())
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), text) if coded else text
    table = pa.table({"a": column, "y": [0.0, 1.0, 0.0]})
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(
        ls.BadFile, match=r"t\.parquet is (damaged|cut off or .*): .*Invalid UTF8"
    ) as said:
        ls.play("logistic", tmp_path / "t.parquet", outcome="y", engine="plain")
    assert "\n" not in str(said.value)


def test_a_code_of_a_category_that_there_is_not_is_one_line():
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 2]), pa.array(["a", "b"]), safe=False)
    with pytest.raises(pa.ArrowInvalid):
        refuse_damaged_text(pa.record_batch({"a": codes}))


def test_a_damaged_parquet_file_is_one_line(tmp_path):
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": [0.0, 1.0]}), tmp_path / "a.parquet")
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    content[4:40] = b"\xff" * 36
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(ls.BadFile) as problem:
        ls.play("hedge", tmp_path / "a.parquet", outcome="y")
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("groups", [1, 3])
def test_columns_of_a_parquet_file_without_a_value(tmp_path, groups):
    """A column is empty if it is so in every group of rows, the last too."""
    none, late = pa.array([None] * 6, pa.float64()), pa.array([None] * 5 + [1.0])
    table = pa.table({"a": [1.0] * 6, "none": none, "late": late, "y": [0.0] * 6})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=6 // groups)
    stream = open_stream(tmp_path / "a.parquet", outcome="y")
    assert stream.names == ("a", "late")


def test_an_outcome_of_more_digits_than_any_number_has(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        f'{{"a": 1, "y": {"1" * 400}}}\n{{"a": 2, "y": 3}}\n', encoding="utf-8"
    )
    with pytest.raises(ls.BadInput, match=r"outcome: a number is too large to compute with: 1111"):
        ls.play("online-linear", tmp_path / "a.jsonl", outcome="y", engine="plain")


@pytest.mark.parametrize("number", [10**30, -(10**30), 2**63, 2**64])
def test_whole_numbers_of_json_that_are_larger_than_64_bits(tmp_path, number):
    text = f'{{"a": 1, "b": 2, "y": 0}}\n{{"a": {number}, "b": 2.5, "y": 1}}\n'
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    stream = open_stream(tmp_path / "a.jsonl", outcome="y")
    assert stream.batches[0].x.tolist() == [[1.0, 2.0], [float(number), 2.5]]


def test_names_of_a_parquet_file_that_are_no_text(tmp_path):
    pq.write_table(pa.table({"abc": [1.0, 2.0], "y": [0.0, 1.0]}), tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes().replace(b"abc", b"\xfb\xfbc")
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(ls.BadFile, match=r"a\.parquet is cut off or not a Parquet file"):
        ls.play("hedge", tmp_path / "a.parquet", outcome="y")


def test_a_saved_learner_that_asks_for_terabytes_is_refused(tmp_path):
    learner = ls.Perceptron()
    learner.update([1.0, 2.0], 1)
    learner.save(tmp_path / "a.ls")
    raw = (tmp_path / "a.ls").read_bytes()
    body = msgspec.msgpack.decode(msgspec.msgpack.decode(raw[len(MAGIC) :])["body"])
    body["live"]["shape"]["values"][0] = 2**40
    (tmp_path / "a.ls").write_bytes(sealed(msgspec.msgpack.encode(body)))
    with pytest.raises(ls.BadFile, match=r"a\.ls is damaged, or from another version"):
        ls.load(tmp_path / "a.ls")


def test_a_frame_with_two_columns_of_one_name_is_one_line():
    frame = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], ["b", "b"])
    with pytest.raises(ls.BadInput, match=r"the frame cannot be read: .*'b'") as problem:
        open_stream(frame, outcome="y")
    assert "\n" not in str(problem.value)
