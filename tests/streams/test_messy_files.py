"""Files as people have them, at the command line: without labels, in another order, from a pipe, with slips."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.test_cli import call, here, refused, rows_of  # noqa: F401 - a fixture that every test uses
from cli.test_cli_examples import examples, libsvm, signs, table, written

import littlestone as ls

LEARN = ["--learner", "perceptron", "--report", ""]
FEW = ["-b", "6"]  # places: searches of hindsight are quick


def told(path):
    return [row["prediction"] for row in written(path)]


# ---- large indices of libsvm


def test_an_index_that_asks_for_gigabytes_is_refused_with_a_way_out():
    Path("a.libsvm").write_text("1 1:1\n-1 2147483647:1\n", encoding="utf-8")
    said = refused("run", "a.libsvm", *LEARN)
    assert said.startswith(
        "littlestone: a.libsvm, line 2: index '2147483647' is larger than 67108863 (-b 22 hashes"
    )
    assert rows_of("run", "a.libsvm", "--learner", "perceptron", "-b", 10)[0]["rounds"] == 2
    Path("a.libsvm").write_text("1 1:1\n-1 " + "9" * 20 + ":1\n", encoding="utf-8")
    assert rows_of("run", "a.libsvm", "--learner", "perceptron", "-b", 10)[0]["rounds"] == 2
    Path("a.libsvm").write_text("1 1:1\n-1 " + "9" * 26 + ":1\n", encoding="utf-8")
    said = refused("run", "a.libsvm", *LEARN, "-b", 10)
    assert f"a.libsvm, line 2: index '{'9' * 26}' has more than 20 digits: " in said


def test_bits_leave_indices_that_fit_alone():
    x, y = examples()
    libsvm("a.libsvm", x, signs(y))
    (once,) = rows_of("run", "a.libsvm", "--learner", "perceptron", "--predictions", "p.csv")
    (again,) = rows_of(
        "run", "a.libsvm", "--learner", "perceptron", "--predictions", "q.csv", "-b", 4
    )
    assert again["mistakes"] == once["mistakes"]
    assert told("q.csv") == told("p.csv")


def test_too_little_memory_is_no_traceback(monkeypatch):
    from littlestone.cli import play

    def full(*_, **__):
        raise MemoryError("Unable to allocate 128. GiB")

    monkeypatch.setattr(play, "open_rounds", full)
    Path("a.libsvm").write_text("1 1:1\n", encoding="utf-8")
    said = refused("run", "a.libsvm", *LEARN)
    assert said == (
        "littlestone: there is not enough memory: Unable to allocate 128. GiB; -b NUMBER makes fewer features\n"
    )


# ---- tests without labels, and with other columns


@pytest.mark.parametrize("form", ["csv", "jsonl", "arff", "parquet"])
@pytest.mark.parametrize("text", [False, True])
def test_rows_without_an_answer_are_predicted(form, text):
    x, y = examples(40)
    more = {"word": ["ab"[t % 2] for t in range(40)]} if text else {}
    names = [*"abc", *more]
    rows = [
        dict(zip(names, [*map(float, x[t]), *(v[t] for v in more.values())], strict=True))
        for t in range(40)
    ]

    def write(path, rows):
        if form == "jsonl":
            Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        elif form == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        else:
            head = ",".join(rows[0])
            if form == "arff":
                kinds = {"word": "string", "answer": "{no,yes}"}
                head = (
                    "@relation r\n"
                    + "".join(f"@attribute {n} {kinds.get(n, 'numeric')}\n" for n in rows[0])
                    + "@data"
                )
            lines = (",".join(map(str, row.values())) for row in rows)
            Path(path).write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")

    write(f"train.{form}", [{**row, "answer": str(y[t])} for t, row in enumerate(rows)])
    write(f"new.{form}", rows)
    call("run", f"train.{form}", "--outcome", "answer", *LEARN, *FEW, "-f", "m.ls")
    alone = ("run", "-i", "m.ls", *FEW, "--outcome", "answer", "--predictions", "p.csv", "--test")
    assert "40 rows, accuracy" in call(*alone, f"train.{form}").stdout
    expected = told("p.csv")
    assert set(expected) == {"yes", "no"}
    assert (
        f"test new.{form}: 40 rows without an answer, predicted"
        in call(*alone, f"new.{form}").stdout
    )
    assert told("p.csv") == expected
    learned = call(
        "run", f"train.{form}", "--outcome", "answer", *LEARN, *FEW, "--test", f"new.{form}"
    ).stdout
    assert f"test new.{form}: 40 rows without an answer, predicted" in learned


def test_columns_are_found_by_name_in_another_order_and_among_others():
    x, y = examples(40)
    table("a.csv", x, y)
    call("run", "a.csv", "--outcome", "answer", *LEARN, "-f", "m.ls")
    call("run", "-i", "m.ls", "--test", "a.csv", "--predictions", "p.csv")
    expected = told("p.csv")
    table("b.csv", x[:, ::-1].copy(), y, extra=["word"] * 40)
    Path("b.csv").write_text(
        Path("b.csv").read_text(encoding="utf-8").replace("a,b,c,", "c,b,a,"), encoding="utf-8"
    )
    assert (
        "40 rows, accuracy"
        in call("run", "-i", "m.ls", "--test", "b.csv", "--predictions", "p.csv").stdout
    )
    assert told("p.csv") == expected
    (row,) = rows_of("run", "a.csv", "-i", "m.ls")
    (other,) = rows_of("run", "b.csv", "-i", "m.ls")
    assert other["mistakes"] == row["mistakes"]


def test_a_learner_of_vw_text_brings_its_bits():
    x, y = examples(60)
    lines = [
        f"{s} |n a:{v[0]} b:{v[1]} |w w{t % 7}"
        for t, (s, v) in enumerate(zip(signs(y), x, strict=True))
    ]
    Path("a.vw").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for learner in ("perceptron", "online-linear", "logistic"):
        call("run", "a.vw", "--learner", learner, "--report", "", "-b", 8, "-f", "m.ls")
        assert (
            call("run", "-i", "m.ls", "--test", "a.vw", "-b", 8, "--predictions", "p.csv").exit_code
            == 0
        )
        expected = told("p.csv")
        call("run", "-i", "m.ls", "--test", "a.vw", "--predictions", "p.csv")
        assert told("p.csv") == expected
        before = ls.load("m.ls").state
        call("run", "a.vw", "-i", "m.ls", "--report", "", "-f", "n.ls")
        shapes = [getattr(v, "shape", None) for v in ls.load("n.ls").state]
        assert shapes == [getattr(v, "shape", None) for v in before]


# ---- pipes


def piped(form, x, y):
    """The same examples in each format."""
    numbers = [list(map(float, row)) for row in x]
    if form == "libsvm":
        rows = (f"{s} 1:{a} 2:{b} 3:{c}" for s, (a, b, c) in zip(signs(y), numbers, strict=True))
    elif form == "vw":
        rows = (f"{s} | a:{a} b:{b} c:{c}" for s, (a, b, c) in zip(signs(y), numbers, strict=True))
    elif form == "jsonl":
        fields = ("a", "b", "c", "y")
        each = ((*row, str(s)) for s, row in zip(y, numbers, strict=True))
        rows = (json.dumps(dict(zip(fields, row, strict=True))) for row in each)
    else:
        heads = {
            "csv": ["a,b,c,y"],
            "arff": [
                "@relation r",
                *(f"@attribute {n} numeric" for n in "abc"),
                "@attribute y {no,yes}",
                "@data",
            ],
        }
        rows = (
            *heads[form],
            *(",".join(map(str, [*row, s])) for s, row in zip(y, numbers, strict=True)),
        )
    return "".join(f"{row}\n" for row in rows).encode()


@pytest.mark.parametrize("form", ["libsvm", "vw", "csv", "jsonl", "arff", "csv.gz"])
def test_examples_from_a_pipe_are_learned_by_online_linear(form):
    text = piped(form.removesuffix(".gz"), *examples(60))
    text = gzip.compress(text) if form.endswith("gz") else text
    bits = [] if form.startswith("csv") else ["-b", "6"]
    (row,) = json.loads(call("run", "-", "--json", *bits, stdin=text).stdout)
    assert (row["learner"], row["rounds"]) == ("online-linear", 60)


def test_a_pipe_of_numbers_is_still_advice():
    said = refused(
        "run", "-", stdin="a,b,c\n" + "".join(f"{i},{2 * i},{3.5 * i}\n" for i in range(40))
    )
    assert "which column is the outcome?" in said


# ---- slips


def test_text_in_a_column_of_numbers_names_file_row_and_ways_out():
    Path("a.csv").write_text("a,b,y\n" + "1,2,u\n2,1,v\n" * 500 + "oops,1,u\n", encoding="utf-8")
    said = refused("run", "a.csv")
    assert said == (
        "littlestone: --features: 'a' holds numbers, but row 1001 is 'oops' (line 1002: 'oops,1,u'); correct it, leave "
        "the column out with --features '!a', or skip such lines of a text file with --on-bad-line skip (in a.csv)\n"
    )
    (row,) = rows_of("run", "a.csv", "--on-bad-line", "skip")
    assert (row["learner"], row["rounds"]) == ("online-linear", 1000)
    assert rows_of("run", "a.csv", "--features", "!a")[0]["rounds"] == 1001


def test_a_line_that_is_skipped_does_not_change_what_a_file_is():
    x, y = examples(40)
    table("a.csv", x, y)
    Path("a.csv").write_text(Path("a.csv").read_text(encoding="utf-8") + "1,2\n", encoding="utf-8")
    assert "line 42: row 41 has 2 columns" in refused("run", "a.csv")
    (row,) = rows_of("run", "a.csv", "--on-bad-line", "skip")
    assert (row["learner"], row["rounds"]) == ("online-linear", 40)


def test_two_columns_of_one_name():
    rows = [pa.array([1.0, 2.0]), pa.array([3.0, 4.0]), pa.array(["u", "v"])]
    pq.write_table(pa.table(rows, names=["a", "a", "y"]), "a.parquet")
    assert "a.parquet: two columns are called 'a'; rename one of them" in refused(
        "run", "a.parquet", *LEARN
    )
    Path("a.csv").write_text("a,a,y\n1,2,u\n2,3,v\n", encoding="utf-8")
    assert "two columns are called 'a'; rename one of them (in a.csv)" in refused("run", "a.csv")


# ---- files that are cut off, and files without a header


@pytest.mark.parametrize("way", ["a.csv", "a.csv.gz", "-"])
def test_a_file_that_is_cut_off_between_quotes(way):
    content = "a,b,y\n" + "1,2,yes\n2,1,no\n" * 10 + '1,2,"ye'
    Path("a.csv").write_text(content, encoding="utf-8")
    Path("a.csv.gz").write_bytes(gzip.compress(content.encode()))
    stdin = content if way == "-" else None
    said = refused("run", way, *LEARN, stdin=stdin)
    name = "standard input" if way == "-" else way
    assert said == (
        f"littlestone: {name}, line 22: row 21 has a quoted value without an end (a quote too many or too few, "
        "or a file that is cut off): '1,2,\"ye'\n"
    )
    skipping = ("run", way, "--learner", "perceptron", "--on-bad-line", "skip")
    (row,) = rows_of(*skipping, stdin=stdin)
    assert row["rounds"] == 20
    assert "1 line skipped as it cannot be read: 22" in " ".join(row["notes"])


def test_a_first_line_that_may_be_a_row():
    rows = "1,2,yes\n2,1,no\n" * 10
    said = "the first line is read as names of columns: '1', '10', 'no'; if it is a row, put a line with names above it"
    Path("a.csv").write_text("1,10,no\n" + rows, encoding="utf-8")
    assert said in rows_of("run", "a.csv", *LEARN[:2])[0]["notes"]
    Path("a.csv").write_text("0,0,no\n" + rows, encoding="utf-8")
    assert refused("run", "a.csv", *LEARN) == (
        "littlestone: two columns are called '0'; the first line may be a row: put a line with names above it, or "
        "rename one of them (in a.csv)\n"
    )
    for names in ("0,1,2", "1,2,3", "0,1,y", "1,2,y", "a,b,y"):
        Path("a.csv").write_text(f"{names}\n" + rows, encoding="utf-8")
        assert "first line" not in str(rows_of("run", "a.csv", *LEARN[:2])[0]["notes"])


@pytest.mark.parametrize("space", ["\t", " ", "\u2003", "\x1f"])
def test_a_space_of_any_kind_between_a_sign_and_its_number(space):
    Path("a.csv").write_text(f"a,y\n1.0,0\n-{space}0.129,1\n2,0\n", encoding="utf-8")
    result = call("run", "a.csv", "--outcome", "y", "--report", "", "--predictions", "p.csv")
    assert len(written("p.csv")) == 3
    assert "'a' is read as numbers" in result.output
