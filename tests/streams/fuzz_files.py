"""Files for the fuzzer of readers: good ones of each format, and what is done to them."""

import functools
import hashlib
import io
import tempfile
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import littlestone as ls
from littlestone.live.store import MAGIC, VERSION, to_bytes

TEXTS = {
    "csv": (
        ".csv",
        [
            "a,b,y\n1,2,0\n3.5,,1\n-2,1e3,0\n",
            "a;b;y\n1,5;red;yes\n2,5;blue;no\n-;red;yes\n",
            'a\tb\ty\n"x, y"\t$1,000\t1\n"q ""z"""\t$2,500.5\t0\n',
            "time,y,b,a\n2024-01-01,1,0.5,0.1\n2024-01-02,2,0.25,5%\n",
            "1,2,3\n4,5,6\n7,8,9\n",
        ],
    ),
    "vw": (
        ".vw",
        [
            "1 |a x:2 y |b z\n-1 0.5 'tag|a x |c w:1e-3\n",
            "| a:1 b\n2 |n a\n0.5 2 0.1 |b c:3\n",
            "1:0.5:0.25 2:1 | a b\nshared | c\n",
        ],
    ),
    "libsvm": (
        ".libsvm",
        ["1 1:0.5 3:2 # note\n-1 2:1\n", "0.5 qid:1 1:1 2:2\n3 1:1e-3 7:4\n", "1,3 1:1\n2 4:2\n"],
    ),
    "arff": (
        ".arff",
        [
            "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute y {0,1}\n@data\n1,x,0\n?,y,1\n",
            "@relation r\n@attribute 'a b' real\n@attribute y string\n@data\n{0 2.5, 1 'q'}\n{1 p}\n",
            "@relation r\n@attribute d date 'yyyy-MM-dd'\n@attribute y integer\n@data\n'2020-01-01',1\n",
        ],
    ),
    "json": (
        ".jsonl",
        [
            '{"a": 1, "b": "x", "y": 0}\n{"a": 2.5, "b": null, "y": 1}\n',
            '{"a": {"b": [1, 2], "c": true}, "y": "yes"}\n{"a": {"b": []}, "y": "no"}\n',
            '[{"a": 1, "y": 2}, {"a": 3, "y": 4}]\n',
        ],
    ),
    "edges": (".csv", ["id_1,id_2,weight\na,b,1\nb,c,2.5\n", "1 2\n2 3\n# note\n3 1\n", "a\tb\nb\tc\n"]),
    "graphml": (
        ".graphml",
        [
            '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" '
            'attr.name="weight" attr.type="double"/><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
            '<node id="c"/><edge source="a" target="b"><data key="w">2</data></edge><edge source="b" target="c"/>'
            "</graph></graphml>\n"
        ],
    ),
    "gml": (
        ".gml",
        ['graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1 weight 2.5 ] ]\n'],
    ),
    "mtx": (
        ".mtx",
        [
            "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 2 1\n",
            "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n",
        ],
    ),
}  # fmt: skip
WORDS = [
    "nan", "inf", "-inf", "1e999", "-", "--", "", " ", "\t", ",", ";", ":", "|", "'", '"', '""', "{", "}", "[", "]",
    "\n", "\r", "\r\n", "\0", "\ufeff", "\u00a0", "\u202f", "é", "β", "😀", "\ud800", "0x10", "1_000",
    "1,000.5", "1.000,5", "€3", "5%",
    "$", "#", "@", "@data\n", "@attribute", "?", "null", "true", "None", "2147483647", "2147483648", "-1", "0",
    "9223372036854775807", "18446744073709551616", "1e308", "-0.0", "5e-324", "99999999999999999999", "1:1", ":1", "1:",
    "|a", "|", "qid:1", "=", "\\", "\\u0000", "\x1f", "\u2028", "\x85", "1" * 400, "a" * 3000, "[" * 3000, "(", "((((",
    "2024-13-45", "1970-01-01", "٣", "１", "²", "%%MatrixMarket", "<", "</", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;",
    "y", "a", "b", "label", "class", "weight", "\x1a", "-\t0.1", "+ 1", "0.1.2", "1e", "1e+", "١٢", "e5", ".", "..",
]  # fmt: skip
ODD = [b"\xff", b"\xfe\xff", b"\xff\xfe", b"\x80", b"\xc3", b"\x00" * 9, b"\xf4\x90\x80\x80",
       b"\x1f\x8b", b"PK\x03\x04", b"\xed\xa0\x80"]  # fmt: skip


def spoil(rng, content, words=True):
    """Bytes with one to four mistakes in them."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        content = spoiled_once(rng, content, words)
    return content


def spoiled_once(rng, content, words):
    at = rng.randrange(len(content) + 1)
    way = rng.randrange(9 if words else 5)
    if way == 0:
        return content[:at]
    if way == 1:
        return content[:at] + content[at + rng.choice((1, 1, 2, 5, 40)) :]
    if way == 2:
        end = min(len(content), at + rng.choice((1, 5, 40, 400)))
        return content[:end] + content[at:end] * rng.choice((1, 2, 30)) + content[end:]
    if way == 3:
        return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
    if way == 4:
        return content[:at] + rng.choice(ODD) + content[at:]
    if way == 5:  # a line is moved
        lines = content.splitlines(keepends=True)
        rng.shuffle(lines)
        return b"".join(lines)
    word = rng.choice(WORDS).encode("utf-8", "surrogatepass")
    if way == 6:
        return content[:at] + word + content[at:]
    parts = content.replace(b"\t", b",").split(b",")  # a field is replaced, or a word
    place = rng.randrange(len(parts))
    if way == 7:
        parts[place] = word
        return b",".join(parts)
    parts = content.split(b" ")
    parts[rng.randrange(len(parts))] = word
    return b" ".join(parts)


def text(kind, rng):
    ending, files = TEXTS[kind]
    return ending, spoil(rng, rng.choice(files).encode("utf-8"))


@functools.cache
def tables():
    """Parquet files: numbers, text, dates, lists, dictionaries; compressed or not."""
    columns = {
        "a": pa.array([1.0, None, 2.5, float("nan")]),
        "b": pa.array(["x", "y", None, "x"]).dictionary_encode(),
        "c": pa.array([1, 2, 3, 4], pa.timestamp("s")),
        "y": pa.array([0, 1, 0, 1]),
    }
    others = {
        "a": pa.array([[1.0], [], None, [2.0, 3.0]]),
        "d": pa.array([True, False, None, True]),
        "y": columns["y"],
    }
    found = []
    for table, packing in (
        (columns, "none"),
        (others, "none"),
        (columns, "snappy"),
        ({"y": columns["y"]}, "zstd"),
    ):
        out = io.BytesIO()
        pq.write_table(pa.table(table), out, compression=packing)
        found.append(out.getvalue())
    return found


def parquet(rng):
    return ".parquet", spoil(rng, rng.choice(tables()), words=False)


@functools.cache
def matrices():
    from scipy.sparse import csr_array, save_npz

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.npz"
        save_npz(path, csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])))
        packed = path.read_bytes()
        save_npz(path, csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), compressed=False)
        return [packed, path.read_bytes()]


def npz(rng):
    return ".npz", spoil(rng, rng.choice(matrices()), words=False)


@functools.cache
def saved():
    """The bodies of saved learners of several kinds."""
    made = []
    for learner, rounds in (
        (ls.Hedge(), [((0.0, 1.0),), ((1.0, 0.0),)]),
        (ls.Perceptron(), [((1.0, 2.0), 1), ((0.0, 1.0), -1)]),
        (ls.OnlineLinear(), [({"a": 1.0, "b": "x"}, 1), ({"a": 2.0}, 0)]),
        (ls.KernelPerceptron(), [((1.0, 2.0), 1), ((0.0, 1.0), -1)]),
        (ls.Softmax(), [((1.0, 2.0), "u"), ((0.0, 1.0), "v")]),
    ):
        for one in rounds:
            learner.update(*one)
        made.append(to_bytes(learner))
    bandit = ls.EXP3()
    bandit.start(3)
    bandit.ask()
    made.append(to_bytes(bandit))
    return [
        msgspec.msgpack.decode(msgspec.msgpack.decode(raw[len(MAGIC) :])["body"]) for raw in made
    ]


VALUES = [
    None, True, 0, 1, -1, 2, 7, 2**31, 2**40, 2**63, -(2**63), 0.5, float("nan"), float("inf"), "", "x", b"", b"\0" * 8,
    [], {}, [[]], [2**40], [2**20, 2**20], [-1], [0], "<f8", "|O", "<i8", "<U9", "O", "array", "tuple", "learner",
    "ticket", "row", "hedge", "os", "numpy", "littlestone.core.losses", "Sparse", [None], {"@": "array"},
    {"@": "nothing"},
    {"@": "array", "dtype": "<f8", "shape": [2**40], "fill": b"\0" * 8, "at": b"", "bytes": b""},
    {"@": "array", "dtype": "<f8", "shape": [3], "bytes": b"\0" * 8},
]  # fmt: skip


def changed(rng, value, chance):
    """A value of msgpack with some of its parts replaced."""
    if rng.random() < chance:
        return rng.choice(VALUES)
    if isinstance(value, dict):
        found = {k: changed(rng, v, chance) for k, v in value.items()}
        if found and rng.random() < chance:
            del found[rng.choice(list(found))]
        if rng.random() < chance:
            found[rng.choice(("@", "x", "shape", "values"))] = rng.choice(VALUES)
        return found
    if isinstance(value, list):
        found = [changed(rng, v, chance) for v in value]
        if found and rng.random() < chance:
            found.pop(rng.randrange(len(found)))
        return found
    if isinstance(value, bytes) and value and rng.random() < 10 * chance:
        return spoil(rng, value, words=False)
    return value


def ls_file(rng):
    """A saved learner with other values in it, and a seal that fits; now and then one of damaged bytes."""
    body = msgspec.msgpack.encode(
        changed(rng, rng.choice(saved()), rng.choice((0.003, 0.01, 0.03)))
    )
    if rng.random() < 0.2:
        body = spoil(rng, body, words=False)
    if rng.random() < 0.02:
        body = b"\x91" * 5000 + b"\x01"  # lists in lists
    envelope = {"version": VERSION, "checksum": hashlib.sha256(body).digest(), "body": body}
    raw = MAGIC + msgspec.msgpack.encode(envelope)
    return ".ls", spoil(rng, raw, words=False) if rng.random() < 0.1 else raw


CASES = {kind: functools.partial(text, kind) for kind in TEXTS} | {
    "parquet": parquet,
    "npz": npz,
    "ls": ls_file,
}
