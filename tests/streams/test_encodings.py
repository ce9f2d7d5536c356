"""Files as other programs write them: UTF-16, sep=;, comments above the names, bzip2 and xz; and small words."""

import bz2
import lzma

import pandas as pd
import pytest
from cli.test_cli import call, here, refused  # noqa: F401 - a fixture that every test uses

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.streams.open import open_stream

TEXT = "y,a,b\n1,2,3\n4,5,6\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", TEXT.encode("utf-16")),
        ("t.csv", b"sep=;\r\n" + TEXT.replace(",", ";").encode()),
        ("t.csv", b"# made by hand\n#\n" + TEXT.encode()),
        ("t.csv.bz2", bz2.compress(TEXT.encode())),
        ("t.csv.xz", lzma.compress(TEXT.encode())),
    ],
    ids=["utf-16", "sep", "comments", "bzip2", "xz"],
)
def test_what_other_programs_write_is_read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    stream = open_stream(path, "y")
    assert stream.names == ("a", "b")
    assert stream.batches[0].x.tolist() == [[2, 3], [5, 6]]
    assert stream.batches[0].y.tolist() == [1, 4]


def test_latin_1_is_refused_with_the_way_to_read_it(tmp_path):
    (tmp_path / "t.csv").write_bytes("y,größe\n1,2\n".encode("latin-1"))
    assert "iconv -f latin1 -t utf-8 t.csv | littlestone run -" in refused("run", "t.csv")


def test_columns_that_pandas_counts_have_their_numbers_for_names():
    run = ls.play("tracker", pd.DataFrame([[1.0, 2.0], [2.0, 3.0]]), outcome=0, engine="plain")
    assert (run.stream.outcome, run.names) == ("0", ("1",))


def test_small_mistakes_are_named():
    frame = pd.DataFrame({"y": [1.0, 1e200], "a": [1.0, 2.0]})
    with pytest.raises(BadInput, match=r"row 2, column 'y': 1e\+200; it is too large"):
        ls.play("tracker", frame, outcome="y")
    with pytest.raises(BadInput, match="progress must be a function"):
        ls.play("tracker", frame, outcome="y", progress=True)
    with pytest.raises(BadInput, match=r"Hedge is a class: play a learner of it, as in Hedge\(\)"):
        ls.play(ls.Hedge, [[0.0, 1.0]])
    assert "--rounds 0: play at least 1" in refused("run", "--game", "bandit", "--rounds", 0)
