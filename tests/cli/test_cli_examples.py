"""The command line over examples: files of features and labels, as a person meets it."""

import csv
import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.test_cli import call, refused, rows_of

import littlestone as ls
from littlestone.cli import status as status_module
from littlestone.cli.follow import Chunk
from littlestone.core.registry import learners

LEARN = ["--learner", "perceptron", "--report", ""]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Every command runs in a folder of its own, on plain Python."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


def scaled(key):
    """The learner as the command line makes it: a stranger's features are scaled as they come."""
    return ls.learner(key, normalise=True)


def examples(rows=120, seed=0):
    """Features a, b, c and an answer that follows a, mostly."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3)).round(3)
    y = np.where(x[:, 0] + 0.4 * rng.normal(size=rows) > 0, "yes", "no")
    return x, y


def table(path, x, y, **more):
    """A CSV of examples; columns of `more` stand before the answer."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*"abc"[: x.shape[1]], *more, "answer"])
        for t in range(len(y)):
            writer.writerow([*x[t], *(column[t] for column in more.values()), y[t]])


def libsvm(path, x, y):
    lines = [
        " ".join([str(label), *(f"{i + 1}:{v:g}" for i, v in enumerate(row))])
        for label, row in zip(y, x, strict=True)
    ]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def written(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def signs(y):
    return np.where(y == "yes", 1, -1)


# ---- the table


def test_a_labelled_file_is_learned_by_online_linear(here):
    x, y = examples()
    table("a.csv", x, y)
    out = call("run", "a.csv", "--learner", "online-linear").stdout
    assert out.partition("\n")[2].startswith("a.csv: 120 rounds, 3 features, log loss\n")
    run = ls.play("online-linear", x, y)
    assert re.search(rf"^online-linear +[\d.]+ +[\d.]+ +{run.accuracy:.4f}", out, re.M)
    assert "best linear predictor" in out
    assert "mistakes a round, beside simple answers" in out  # whatever it is charged
    assert re.search(rf"^ +{1 - run.accuracy:.4f} +online-linear *$", out, re.M)
    assert "accuracy: the share of right labels, each predicted before it was seen" in out
    assert "log loss: minus the logarithm" in out
    assert "kept (T-ONLINE-LINEAR-BEST, 1 more)" in out
    assert "--numbers" not in out  # what else could "yes" be?
    assert out.endswith("report: littlestone-report.html\n")
    assert "120 rounds, 3 features" in (here / "littlestone-report.html").read_text(
        encoding="utf-8"
    )


def test_a_dense_and_narrow_table_is_learned_by_the_mixture(monkeypatch):
    x, y = examples()
    table("a.csv", x, y)
    out = call("run", "a.csv", "--report", "").stdout
    assert "mixture" not in out  # rules run plain here
    monkeypatch.setattr("littlestone.cli.default_learner.engine", lambda: "compiled")
    out = call("run", "a.csv", "--report", "").stdout
    assert "learner: mixture, for 3 dense features (faster, often less accurate: --learner " in out
    assert re.search(r"^mixture +[\d.]+", out, re.M)
    libsvm("a.libsvm", x, signs(y))
    out = call("run", "a.libsvm", "--report", "").stdout
    assert "learner: " not in out
    assert re.search(r"^online-linear +[\d.]+", out, re.M)


def test_mistakes_are_called_mistakes_and_set_beside_simple_answers():
    x, y = examples()
    libsvm("a.libsvm", x, signs(y))
    out = call("run", "a.libsvm", *LEARN).stdout
    assert out.partition("\n")[2].startswith(
        "a.libsvm: 120 rounds, 16 features, sparse, mistakes counted"
    )
    run = ls.play(scaled("perceptron"), x, signs(y))
    head, row = out.splitlines()[5:7]
    assert head.split()[:3] == ["learner", "mistakes", "accuracy"]
    assert row.split()[:3] == ["perceptron", f"{run.mistakes:.0f}", f"{run.accuracy:.4f}"]
    assert "regret: the mistakes less that of a good fixed predictor of hindsight" in out
    assert (
        "penalty c: of all linear predictors u, the one with the least such loss + c/2 |u|^2" in out
    )
    rungs = {
        name.strip(): float(share)
        for share, name in re.findall(r"^ +(\d\.\d+)  (.+?) *$", out, re.M)
    }
    code = y == "yes"
    assert rungs["perceptron"] == pytest.approx(run.mistakes / 120, abs=1e-4)
    often = max(code.mean(), 1 - code.mean())
    always = next(v for name, v in rungs.items() if name.startswith("always"))
    assert always == pytest.approx(1 - often, abs=1e-4)
    changes = 1 + (code[1:] != code[:-1]).sum()
    assert rungs["the label of the round before"] == pytest.approx(changes / 120, abs=1e-4)
    assert list(rungs.values()) == sorted(rungs.values())


@pytest.mark.parametrize(
    ("learner", "charged"),
    [
        ("perceptron", "mistakes counted"),
        ("ogd", "hinge loss"),
        ("logistic", "log loss"),
        ("online-linear", "log loss"),
        ("multiclass-perceptron", "mistakes counted"),
    ],
)
def test_the_title_says_what_a_round_is_charged(learner, charged):
    x, y = examples(40)
    table("a.csv", x, y)
    out = call("run", "a.csv", "--learner", learner, "--report", "").stdout
    assert out.partition("\n")[2].startswith(f"a.csv: 40 rounds, 3 features, {charged}\n")
    assert (charged + ": ") in out or charged == "mistakes counted"


def test_json_has_accuracy_references_and_the_test():
    x, y = examples()
    table("a.csv", x[:80], y[:80])
    table("t.csv", x[80:], y[80:])
    words = ["run", "a.csv", "--learner", "logistic", "--test", "t.csv"]
    (row,) = rows_of(*words)
    run = ls.play(scaled("logistic"), x[:80], y[:80])
    assert row["accuracy"] == pytest.approx(run.accuracy)
    assert row["mistakes"] == run.mistakes
    assert row["loss"] == pytest.approx(run.loss)
    assert row["loss_name"] == "log loss"
    assert row["regret"] == pytest.approx(run.loss - row["comparator_loss"])
    code = y[:80] == "yes"
    assert row["reference_mistakes"]["most_frequent"] == min(code.sum(), 80 - code.sum())
    assert row["reference_mistakes"]["previous"] == 1 + (code[1:] != code[:-1]).sum()
    assert "previous" not in row["references"]  # its log loss is nobody's guess
    said = run.learner.frozen()(x[80:])
    wrong = int((said != y[80:]).sum())
    assert row["test"] == {
        "file": "t.csv",
        "rows": 40,
        "answered": 40.0,
        "mistakes": wrong,
        "accuracy": pytest.approx(1 - wrong / 40),
    }
    out = call(*words, "--report", "").stdout
    assert f"test t.csv: 40 rows, accuracy {1 - wrong / 40:.4f} ({wrong / 40:.2%} errors)" in out


def test_importance_weights_count():
    x, y = examples()
    w = np.random.default_rng(1).integers(1, 5, 120)
    table("a.csv", x, y, w=w)
    (row,) = rows_of("run", "a.csv", "--learner", "perceptron", "--weights", "w")
    run = ls.play(scaled("perceptron"), x, y, importance=w)
    assert row["mistakes"] == run.mistakes
    assert row["accuracy"] == pytest.approx(1 - run.mistakes / w.sum())
    assert row["mean_loss"] == pytest.approx(run.mistakes / w.sum())
    code = y == "yes"
    assert row["reference_mistakes"]["most_frequent"] == min(w[code].sum(), w[~code].sum())


def test_the_table_of_examples_fits_80_columns(monkeypatch):
    x, y = examples()
    table("a.csv", x, y, region=["north", "south"] * 60)
    monkeypatch.setenv("COLUMNS", "80")
    for words in (["run", "--learner", "perceptron"], ["compare"], ["run", "--by", "region"]):
        out = call(words[0], "a.csv", *words[1:], "--features", "[abc]", "--report", "").stdout
        assert max(map(len, out.splitlines())) <= 80
        assert "…" not in out.replace("best …", "")


# ---- numbers


def test_numbers_are_predicted_where_outcomes_look_like_numbers():
    x, _ = examples()
    y = (2 * x[:, 0] - x[:, 1]).round(4)
    libsvm("a.libsvm", x, y)
    out = call("run", "a.libsvm", "--report", "").stdout
    assert "square loss" in out.splitlines()[1]
    assert "accuracy" not in out
    assert "'label' is taken for a number; --task classification makes it a class" in out
    assert "the outcome of the round before" in out
    (row,) = rows_of("run", "a.libsvm", "--learner", "ogd", "--loss", "square")
    best = ((y - y.mean()) ** 2).sum()
    assert row["references"]["constant"] == pytest.approx(best, rel=1e-9)
    before = ((y[1:] - y[:-1]) ** 2).sum() + y[0] ** 2
    assert row["references"]["previous"] == pytest.approx(before, rel=1e-9)


def test_numbers_and_classes_can_be_insisted_on():
    x, _ = examples()
    table("a.csv", x, np.tile([1, 2, 3], 40))
    assert "log loss" in call("run", "a.csv", "--report", "").stdout
    assert "square loss" in call("run", "a.csv", "--numbers", "--report", "").stdout
    table("b.csv", x, np.arange(120))
    (row,) = rows_of("run", "b.csv", "--classes")
    assert row["learner"] == "online-linear"
    assert row["accuracy"] < 0.02  # each class comes once


def test_a_test_of_numbers_says_the_loss():
    x, _ = examples()
    y = (x[:, 0] * 3).round(3)
    libsvm("a.libsvm", x, y)
    words = ["run", "a.libsvm", "--learner", "ogd", "--loss", "square", "--test", "a.libsvm"]
    (row,) = rows_of(*words)
    said = ls.play(learners()["ogd"](loss="square", normalise=True), x, y).learner.frozen()(x)
    assert row["test"]["mean_loss"] == pytest.approx(((said - y) ** 2).mean(), rel=1e-6)
    assert "accuracy" not in row["test"]
    assert f"loss {row['test']['mean_loss']:.5g} a row" in call(*words, "--report", "").stdout


# ---- predictions, saving, going on


def test_predictions_are_labels_as_they_were_written():
    x, y = examples()
    table("a.csv", x, y)
    out = call("run", "-d", "a.csv", *LEARN, "--predictions", "p.csv").stdout
    assert "predictions: p.csv" in out
    found = written("p.csv")
    run = ls.play(scaled("perceptron"), x, y)
    assert [r["prediction"] for r in found] == run.predictions.tolist()
    assert [float(r["loss"]) for r in found] == run.losses.tolist()
    assert [int(r["round"]) for r in found] == list(range(1, 121))


def test_a_saved_learner_goes_on_where_it_was():
    x, y = examples()
    table("may.csv", x[:70], y[:70])
    table("june.csv", x[70:], y[70:])
    table("all.csv", x, y)
    (whole,) = rows_of("run", "all.csv", "--learner", "perceptron")
    (may,) = rows_of("run", "may.csv", "--learner", "perceptron", "-f", "m.ls")
    (june,) = rows_of("run", "june.csv", "-i", "m.ls", "-f", "m.ls", "--predictions", "p.csv")
    assert may["mistakes"] + june["mistakes"] == whole["mistakes"]
    assert june["verdict"] == "unknown"  # theorems count from the first round
    run = ls.play(scaled("perceptron"), x, y)
    assert [r["prediction"] for r in written("p.csv")] == run.predictions[70:].tolist()
    np.testing.assert_array_equal(ls.load("m.ls").state.w, run.learner.state.w)
    assert call("report", "m.ls", "june.csv").stdout == "report: littlestone-report.html\n"


@pytest.mark.parametrize("only", ["yes", "no"])
def test_a_learner_keeps_its_labels_when_a_later_file_has_one_of_them(only):
    x, y = examples()
    table("a.csv", x, y)
    call("run", "a.csv", *LEARN, "-f", "m.ls")
    before = ls.load("m.ls")
    table("b.csv", x[y == only][:20], [only] * 20)
    call("run", "b.csv", "-i", "m.ls", "--predictions", "p.parquet", "--report", "")
    expected = []
    for row in x[y == only][:20]:
        expected.append(before.predict(row))
        before = before.update(row, only)
    assert pq.read_table("p.parquet")["prediction"].to_pylist() == expected
    assert {"yes", "no"} >= set(expected)


def test_one_label_alone_is_written_as_it_is():
    libsvm("a.libsvm", np.eye(3), [1, 1, 1])
    call("run", "a.libsvm", *LEARN, "--predictions", "p.csv")
    assert {r["prediction"] for r in written("p.csv")} <= {"1", "-1"}
    run = ls.play(scaled("perceptron"), "a.libsvm")
    assert [int(r["prediction"]) for r in written("p.csv")] == run.predictions.tolist()


def test_a_class_that_comes_later_is_written_too():
    rng = np.random.default_rng(0)
    x = np.abs(rng.normal(size=(90, 3))).round(3)
    y = np.array(["low", "low", "high"] * 10 + ["low", "high", "new"] * 20)
    table("a.csv", x, y)
    words = ["run", "a.csv", "--learner", "multiclass-perceptron", "--report", ""]
    call(*words, "--predictions", "p.csv")
    run = ls.play(scaled("multiclass-perceptron"), x, y)
    found = [r["prediction"] for r in written("p.csv")]
    assert found == [label or "" for label in run.predictions.tolist()]  # none is known at first
    assert "new" in found


def test_several_passes_over_a_file_and_over_a_pipe():
    x, y = examples()
    libsvm("a.libsvm", x, signs(y))
    words = ["--learner", "perceptron", "--passes", 3]
    (row,) = rows_of("run", "a.libsvm", *words, "--predictions", "p.csv")
    run = ls.play(scaled("perceptron"), x, signs(y), passes=3)
    assert (row["rounds"], row["mistakes"]) == (360, run.mistakes)
    found = written("p.csv")
    assert [int(r["pass"]) for r in found] == [1] * 120 + [2] * 120 + [3] * 120
    assert [int(r["round"]) for r in found] == [*range(1, 121)] * 3
    assert [int(r["prediction"]) for r in found] == run.predictions.tolist()
    text = Path("a.libsvm").read_bytes()
    (piped,) = rows_of("run", "-", "--format", "libsvm", *words, stdin=text)
    assert piped["mistakes"] == run.mistakes


def test_a_file_that_is_read_in_pieces_is_read_again(monkeypatch):
    from littlestone.streams.text import text_rows

    monkeypatch.setattr(text_rows, "WHOLE", 100)
    monkeypatch.setattr("littlestone.streams.text.text_chunks.BLOCK", 500)
    x, y = examples()
    libsvm("a.libsvm", x, signs(y))
    (row,) = rows_of(
        "run", "a.libsvm", "--learner", "perceptron", "--passes", 2, "--predictions", "p.csv"
    )
    run = ls.play(scaled("perceptron"), x, signs(y), passes=2)
    assert row["mistakes"] == run.mistakes
    assert [int(r["prediction"]) for r in written("p.csv")] == run.predictions.tolist()


def test_one_learner_a_key():
    x, y = examples()
    region = np.array(["north", "south", "south"] * 40)
    y[region == "north"] = "yes"  # one key, one label
    table("a.csv", x, y, region=region)
    words = ["run", "a.csv", "--by", "region", "--learner", "perceptron"]
    rows = rows_of(*words, "--predictions", "p.csv")
    assert [r["key"] for r in rows] == ["north", "south"]
    found = written("p.csv")
    assert [r["region"] for r in found] == region.tolist()
    for row in rows:
        mine = region == row["key"]
        run = ls.play(scaled("perceptron"), x[mine], y[mine], labels=["no", "yes"])
        assert (row["mistakes"], row["rounds"]) == (run.mistakes, mine.sum())
        said = [r["prediction"] for r, own in zip(found, mine, strict=True) if own]
        assert said == run.predictions.tolist()
    out = call(*words, "--report", "").stdout
    total = sum(r["mistakes"] for r in rows)
    assert re.search(rf"^all +perceptron +{total:.0f} +{1 - total / 120:.4f}", out, re.M)
    assert "the label of the round before, of each key" in out


# ---- tests


def test_a_saved_learner_is_tested_without_learning():
    x, y = examples()
    table("a.csv", x[:80], y[:80])
    table("t.csv", x[80:], y[80:])
    call("run", "a.csv", *LEARN, "-f", "m.ls")
    before = Path("m.ls").read_bytes()
    result = call("run", "-i", "m.ls", "--test", "t.csv", "--predictions", "p.csv")
    said = ls.load("m.ls").frozen()(x[80:])
    accuracy = (said == y[80:]).mean()
    errors = f"({1 - accuracy:.2%} errors)"
    assert result.stdout == (
        f"test t.csv: 40 rows, accuracy {accuracy:.4f} {errors}\npredictions: p.csv\n"
    )
    assert [r["prediction"] for r in written("p.csv")] == said.tolist()
    (row,) = rows_of("run", "-i", "m.ls", "--test", "t.csv")
    assert (row["learner"], row["rounds"]) == ("perceptron", 0)
    assert row["test"]["accuracy"] == pytest.approx(accuracy)
    assert Path("m.ls").read_bytes() == before
    assert not Path("littlestone-report.html").exists()


def words(path, rows=60, seed=0, outcome=True):
    """A table of text, which is hashed; the answer follows the user."""
    rng = np.random.default_rng(seed)
    users = rng.integers(0, 5, rows)
    lines = [f"u{u},s{rng.integers(3)}" + (f",{'yes' if u < 2 else 'no'}" * outcome) for u in users]
    head = "user,site" + ",clicked" * outcome
    Path(path).write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return users


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_learner_of_hashed_names_brings_its_bits(ending):
    words("a.csv")
    rows = written("a.csv")
    if ending == "jsonl":
        Path("a.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), "a.parquet")
    named = ["--outcome", "clicked", "--report", ""]
    call("run", f"a.{ending}", *named, *LEARN[:2], "-b", 7, "-f", "a.ls")
    (later,) = rows_of("run", f"a.{ending}", *named, "-i", "a.ls", "-f", "b.ls")
    assert later["mistakes"] == 0
    assert ls.load("b.ls").live.shape.n == ls.load("a.ls").live.shape.n == 128


def hashed_files():
    """The same table as vw text and as CSV."""
    words("a.csv")
    lines = [
        f"{1 if r['clicked'] == 'yes' else -1} |u {r['user']} |s {r['site']}"
        for r in written("a.csv")
    ]
    Path("a.vw").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(("bits", "intercept"), [(3, False), (7, True)])
@pytest.mark.parametrize("ending", ["csv", "vw"])
@pytest.mark.parametrize("piped", [False, True])
def test_a_learner_trained_in_python_brings_its_bits(ending, bits, intercept, piped):
    """From a file or a pipe whose format nobody named, names are found in the places that they had."""
    hashed_files()
    learner = ls.learner("perceptron", intercept=intercept)
    run = ls.play(learner, f"a.{ending}", bits=bits)
    run.learner.save("a.ls")
    wanted = ls.play(run.learner, f"a.{ending}", bits=bits, resume=True)
    assert same_weights(wanted, ls.play(run.learner, f"a.{ending}", resume=True))
    stdin = Path(f"a.{ending}").read_text(encoding="utf-8") if piped else None
    file = "-" if piped else f"a.{ending}"
    call("run", file, "-i", "a.ls", "-f", "b.ls", "--report", "", stdin=stdin)
    assert ls.load("b.ls").live.bits == bits
    assert ls.load("b.ls").state.w.tolist() == wanted.learner.state.w.tolist()


def same_weights(one, other):
    return one.learner.state.w.tolist() == other.learner.state.w.tolist()


@pytest.mark.parametrize("way", ["learn", "test", "report"])
def test_other_bits_than_those_of_the_learner_are_refused(way):
    hashed_files()
    ls.play("perceptron", "a.vw", bits=7).learner.save("a.ls")
    before = Path("a.ls").read_bytes()
    words_of = {
        "learn": ("run", "a.vw", "-i", "a.ls", "-f", "a.ls", "-b", 9),
        "test": ("run", "-i", "a.ls", "--test", "a.vw", "-b", 9),
        "report": ("report", "a.ls", "a.vw", "-b", 9),
    }
    told = refused(*words_of[way])
    assert told == (
        "littlestone: --load and -b 9: a.ls was trained on names hashed to 2^7 places; leave -b out\n"
    )
    assert Path("a.ls").read_bytes() == before
    with pytest.raises(ls.BadInput, match=r"hashed to 2\^7 places; here .* 2\^9: bits=7 hashes"):
        ls.play(ls.load("a.ls"), "a.vw", bits=9, resume=True)
    call(*words_of["learn"][:-1], 7, "--report", "")  # the same are no conflict


def test_libsvm_numbers_that_were_hashed_are_hashed_again():
    lines = [f"{1 if i % 3 else -1} {10**9 + i % 3}:1" for i in range(60)]
    Path("a.libsvm").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ls.play("perceptron", "a.libsvm", bits=7).learner.save("a.ls")
    (later,) = rows_of("run", "a.libsvm", "-i", "a.ls", "-f", "b.ls", "--report", "")
    assert later["mistakes"] == 0
    assert ls.load("b.ls").live.shape.n == 128


def test_a_table_without_its_outcome_is_predicted_though_its_columns_are_hashed():
    words("a.csv")
    users = words("new.csv", 30, 1, outcome=False)
    call("run", "a.csv", "-b", 7, "-f", "a.ls", *LEARN)
    out = call("run", "-i", "a.ls", "--test", "new.csv", "--predictions", "p.csv").stdout
    assert "test new.csv: 30 rows without an answer, predicted" in out
    said = [row["prediction"] for row in written("p.csv")]
    assert said == ["yes" if u < 2 else "no" for u in users]
    assert "accuracy 1.0000" in call("run", "-i", "a.ls", "--test", "a.csv").stdout


@pytest.mark.parametrize("packed", ["parquet", "csv.zst", "vw.zst"])
def test_packed_examples_on_standard_input_need_no_learner_named(packed):
    words("a.csv")
    if packed == "parquet":
        pq.write_table(pa.Table.from_pylist(written("a.csv")), "a.parquet")
        content = Path("a.parquet").read_bytes()
    else:
        plain = Path("a.csv").read_bytes() if packed == "csv.zst" else b"1 |f a\n-1 |f b\n" * 30
        content = pa.compress(plain, codec="zstd", asbytes=True)
    out = call("run", "-", "-b", 7, "--report", "", stdin=content).stdout
    size = "128 features, sparse" if packed == "vw.zst" else "2 columns hashed to 128 features"
    assert out.partition("\n")[2].startswith(f"standard input: 60 rounds, {size}, log loss\n")
    assert "online-linear" in out


def test_an_interaction_that_no_namespace_has_is_noted():
    Path("a.vw").write_text("1 |a x |b y\n-1 |a z |b y\n" * 20, encoding="utf-8")
    told = call("run", "a.vw", "-b", 7, "--interact", "zq", "--interact", "ab", *LEARN).stdout
    assert "note: --interact: no namespace begins with 'q' or 'z', so 'zq' adds nothing" in told
    assert "'ab' adds" not in told


def test_a_label_that_was_never_seen_is_a_mistake_and_no_label_is_none():
    libsvm("a.libsvm", np.array([[1.0], [-1.0]] * 10), [1, -1] * 10)
    Path("t.vw").write_text("", encoding="utf-8")
    Path("t.libsvm").write_text("1 1:1\n7 1:1\n-1 1:-2\n", encoding="utf-8")
    (row,) = rows_of("run", "a.libsvm", "--learner", "perceptron", "--test", "t.libsvm")
    assert row["test"]["accuracy"] == pytest.approx(2 / 3)
    Path("u.libsvm").write_text("1:1\n1:-1\n", encoding="utf-8")
    out = call("run", "a.libsvm", *LEARN, "--test", "u.libsvm").stdout
    assert "test u.libsvm: 2 rows without an answer, predicted" in out


def test_features_of_a_table_are_scaled_and_the_first_lines_say_so(here):
    """By its name a learner takes features as they are; `run` scales them unless that, or a rate, is written."""
    x, y = examples()
    table("a.csv", x, y)
    said = "perceptron: features are scaled as they come (normalise=true); -p normalise=false takes them"
    assert call("run", "a.csv", "--learner", "perceptron").stdout.splitlines()[2].startswith(said)
    assert call("run", "a.csv", "--learner", "perceptron", "--no-certify").stdout.count(said) == 1
    assert said in call("run", "a.csv", "--learner", "perceptron", "--json").stderr
    (row,) = rows_of("run", "a.csv", "--learner", "perceptron", "-p", "normalise=false")
    assert row["mistakes"] == ls.play("perceptron", x, y).mistakes
    for given in (["perceptron", "-p", "normalise=false"], ["ogd:eta=0.1"], ["online-linear"]):
        assert "are scaled" not in call("run", "a.csv", "--learner", *given).stdout
    both = call("compare", "a.csv", "--learner", "logistic", "--learner", "perceptron").stdout
    assert "features are scaled" in both.splitlines()[2]


# ---- compare


def test_compare_ranks_learners_of_classes_by_accuracy(here):
    x, y = examples()
    table("a.csv", x, y)
    rows = rows_of("compare", "a.csv")
    assert {r["learner"] for r in rows} == {
        *("online-linear", "logistic", "passive-aggressive", "averaged-perceptron", "perceptron")
    }
    assert [r["accuracy"] for r in rows] == sorted((r["accuracy"] for r in rows), reverse=True)
    out = call("compare", "a.csv").stdout
    assert "several losses" in out.splitlines()[1]
    assert "charged" in next(line for line in out.splitlines() if line.startswith("learner "))
    assert "the learners were charged different losses: compare their accuracy" in out
    assert "<h1>5 runs compared</h1>" in (here / "littlestone-report.html").read_text(
        encoding="utf-8"
    )


def test_compare_scores_learners_of_numbers_with_one_loss():
    x, _ = examples()
    libsvm("a.libsvm", x, (x[:, 0] - x[:, 2]).round(4))
    rows = rows_of("compare", "a.libsvm")
    assert len(rows) == 5
    assert {r["loss_name"] for r in rows} == {"square loss"}
    assert [r["loss"] for r in rows] == sorted(r["loss"] for r in rows)
    rows = rows_of("compare", "a.libsvm", "--loss", "absolute", "--learner", "ogd", "--numbers")
    assert rows[0]["loss_name"] == "absolute loss"


def test_parameters_that_are_words_and_kernels():
    x, y = examples(40)
    table("a.csv", x, y)
    (row,) = rows_of("run", "a.csv", "--learner", "passive-aggressive", "-p", "variant=0")
    assert row["parameters"]["variant"] == "0"
    message = refused("run", "a.csv", "--learner", "passive-aggressive", "-p", "variant=III")
    assert "variant must be one of '0', 'I', 'II'" in message


# ---- files that are not right


def test_a_malformed_line_stops_the_run_or_is_counted():
    Path("a.libsvm").write_text("+1 1:2\n-1 1:x\n-1 1:-3\n", encoding="utf-8")
    words = ["run", "a.libsvm", *LEARN]
    message = refused(*words, "-f", "m.ls", "--predictions", "p.csv")
    assert "a.libsvm, line 2: value of feature 1 is 'x', not a number: '-1 1:x'" in message
    assert os.listdir() == ["a.libsvm"]
    out = call(*words, "--on-bad-line", "skip").stdout
    assert "2 rounds" in out
    assert "note: 1 malformed line skipped: 2" in out


def test_lines_skipped_late_in_a_stream_are_noted_though_predictions_are_written(monkeypatch):
    from littlestone.streams.text import text_rows

    monkeypatch.setattr(text_rows, "WHOLE", 100)
    x, y = examples()
    libsvm("a.libsvm", x, signs(y))
    with open("a.libsvm", "a", encoding="utf-8") as file:
        file.write("nonsense\n")
    out = call("run", "a.libsvm", *LEARN, "--on-bad-line", "skip", "--predictions", "p.csv").stdout
    assert "1 malformed line skipped: 121" in out


def bad_files():
    x, y = examples(20)
    table("a.csv", x, y)
    table("b.csv", x[:, ::-1].copy(), y)
    Path("b.csv").write_text(
        Path("b.csv").read_text(encoding="utf-8").replace("a,b,c", "c,b,a"), encoding="utf-8"
    )
    table("d.csv", x[:, 1:], y)
    Path("d.csv").write_text(
        Path("d.csv").read_text(encoding="utf-8").replace("a,b,", "b,c,"), encoding="utf-8"
    )
    libsvm("a.libsvm", x, signs(y))
    libsvm("many.libsvm", np.ones((300, 1)), [1, 2, 3] * 100)
    libsvm("num.libsvm", np.ones((150, 1)), np.arange(150) / 8)
    Path("a.vw").write_text("1 |f a:1\n-1 |f a:-1\n", encoding="utf-8")
    text = Path("a.libsvm").read_bytes() * 200
    packed = gzip.compress(text)
    Path("cut.libsvm.gz").write_bytes(packed[: len(packed) // 2])
    packed = pa.compress(text, codec="zstd", asbytes=True)
    Path("cut.libsvm.zst").write_bytes(packed[: len(packed) // 2])
    Path("bad.ls").write_bytes(b"LITTLESTONE\nrubbish")
    Path("empty.libsvm").write_text("", encoding="utf-8")
    ls.play("perceptron", "a.csv", outcome="answer").learner.save("m.ls")
    ls.play("hedge", x, np.zeros(20), interval=(-20, 20)).learner.save("h.ls")


SVM = ("run", "a.libsvm", "--learner", "perceptron")
CSV = ("run", "a.csv", "--outcome", "answer", "--learner", "perceptron")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        # files
        (("run", "aa.libsvm"), "no file 'aa.libsvm'; did you mean 'a.libsvm'"),
        (("run", "empty.libsvm"), "empty.libsvm is empty"),
        (("run", "cut.libsvm.gz"), "cut.libsvm.gz is cut off"),
        (("run", "cut.libsvm.zst"), "cut.libsvm.zst is cut off"),
        (("run", "a.libsvm", "-d", "a.libsvm"), "name the file once"),
        (("run", "--learner", "perceptron"), "learns from examples: name a FILE"),
        (("run", "a.libsvm", "--learner", "hedge"), "it holds examples, not the advice of experts"),
        (("run", "many.libsvm", *SVM[2:]), "perceptron tells two classes apart; here are 3"),
        (("run", "num.libsvm", *SVM[2:]), "--learner online-linear predicts them"),
        (("run", "a.csv", "--format", "xls"), "one of csv, parquet, jsonl, arff, libsvm, vw"),
        # options of experts, and of examples
        ((*CSV, "--experts", "a"), "learns from examples, not from experts; --features"),
        ((*SVM, "--losses"), "--losses: perceptron learns from examples"),
        ((*SVM, "--interval", 0, 1), "--interval: perceptron learns from examples"),
        ((*SVM, "--asleep", "last"), "--asleep: perceptron learns from examples"),
        ((*CSV[:-1], "hedge", "--passes", 2), "--passes: hedge combines experts"),
        ((*CSV[:-1], "hedge", "--weights", "a"), "--weights: hedge combines experts"),
        ((*CSV[:-1], "hedge", "-b", 10), "--bits: hedge combines experts"),
        ((*CSV[:-1], "hedge", "--numbers"), "--numbers: hedge combines experts"),
        ((*CSV[:-1], "hedge", "--test", "a.csv"), "--test: hedge combines experts"),
        ((*CSV, "--experts", "a", "--features", "b"), "--experts and --features"),
        (("compare", "a.csv", *CSV[4:], "--learner", "hedge"), "compare learners of one kind"),
        # numbers
        ((*SVM, "-b", 40), "--bits must be a whole number from 1 to 31, not 40"),
        ((*SVM, "--passes", 0), "--passes must be a whole number, 1 or more, not 0"),
        ((*SVM, "--numbers"), "tells classes apart; for numbers: --learner online-linear"),
        (("run", "a.libsvm", "--learner", "ogd", "--numbers"), "for numbers: --loss square"),
        ((*SVM[:-1], "online-linear-regression", "--classes"), "predicts numbers"),
        # columns
        ((*CSV, "--features", "z*"), "--features: no column matches 'z*'"),
        ((*CSV, "--weights", "w"), "--weights: no column is called 'w'"),
        ((*SVM, "--features", "a"), "a libsvm file, which has no columns to name"),
        ((*SVM, "--interact", "ab"), "--interact: a.libsvm is a libsvm file"),
        # tests
        ((*SVM, "--test", "t.libsvm"), "no file 't.libsvm'"),
        ((*SVM, "--test", "empty.libsvm"), "empty.libsvm is empty"),
        ((*SVM, "--test", "a.csv"), "a.csv is csv, and a.libsvm is libsvm"),
        (("run", "a.vw", *SVM[2:], "--test", "a.libsvm"), "is libsvm, and a.vw is vw"),
        (
            (*CSV, "--test", "d.csv"),
            "no column is called 'a'; the columns are 'b', 'c', 'answer' (in d.csv)",
        ),
        ((*CSV, "--test", "a.csv", "--by", "a"), "--test examines one learner"),
        ((*SVM, "--test", "a.libsvm", "--delay", 2, "--interleave"), "--test examines one learner"),
        (("run", "--test", "a.csv"), "--test needs a learner: FILE to learn from, or --load"),
        (("run", "-i", "h.ls", "--test", "a.csv"), "--test: hedge combines experts"),
        (("run", "-i", "m.ls", "--test", "a.csv", "-f", "n.ls"), "--save: without FILE nothing"),
        # saved learners
        (("run", "a.csv", "-i", "bad.ls"), "bad.ls is cut off or damaged"),
        (("run", "a.csv", "-i", "none.ls"), "none.ls cannot be read"),
        (
            ("run", "d.csv", "-i", "m.ls"),
            "no column is called 'a'; the columns are 'b', 'c', 'answer'",
        ),
        (
            ("run", "b.csv", "-i", "m.ls", "--features", "c", "--features", "a"),
            "trained on dense examples of 3 features; these are dense, of 2 (in b.csv)",
        ),
        (
            ("run", "b.csv", "-i", "m.ls", *(w for n in "cba" for w in ("--features", n))),
            "trained on the features a, b, c; these are c, b, a: choose the same columns, in that order (in b.csv)",
        ),
        (
            (
                "run",
                "-i",
                "m.ls",
                "--test",
                "b.csv",
                *(w for n in "cba" for w in ("--features", n)),
            ),
            "trained on the features a, b, c; these are c, b, a",
        ),
        (("run", "a.libsvm", "-i", "m.ls"), "trained on dense examples"),
        (("run", "a.csv", "-i", "m.ls", "-p", "eta=2"), "--load and -p"),
        # outputs
        ((*SVM, "--predictions", "p.txt"), "must end in .csv or .parquet"),
        ((*SVM, "-p", "eta"), "-p eta: write NAME=VALUE"),
        ((*SVM, "-p", "p.csv"), "-p p.csv: write NAME=VALUE"),
        ((*CSV, "--test", "b.csv", "--predictions", "b.csv"), "would overwrite the --test file"),
        ((*CSV, "--predictions", "p.csv", "-f", "p.csv"), "would overwrite --save"),
    ],
    ids=lambda part: " ".join(map(str, part)) if isinstance(part, tuple) else None,
)
def test_mistakes_are_named_on_one_line(words, said):
    bad_files()
    before = sorted(os.listdir())
    message = refused(*words)
    assert said.lower() in message.lower()
    assert sorted(os.listdir()) == before


def test_a_test_file_that_is_missing_is_told_of_before_anything_is_played(monkeypatch):
    bad_files()

    def never(*_, **__):
        raise AssertionError("played first")

    monkeypatch.setattr("littlestone.cli.play.play_all", never)
    assert "nowhere.libsvm" in refused(*SVM, "--test", "nowhere.libsvm")


# ---- what is said while it lasts


def test_the_line_says_rounds_bytes_loss_and_accuracy(tmp_path):
    status = status_module.Status()
    status.play("perceptron", None)
    right = np.array([1.0, 0.0, np.nan, 1.0])
    status.count(Chunk(np.zeros(4), np.array([0.0, 2.0, np.nan, 1.0]), right, None))
    heavy = np.array([1.0, 0.0])
    status.count(Chunk(np.zeros(2), np.array([0.0, 3.0]), heavy, np.array([1.0, 3.0])))
    assert status._words(2.0, 0.25, 3_000_000) == [
        *("25%", "0:06 left", "loss 0.85714 a round", "accuracy 0.4286", "3 rounds/s", "6"),
        "1.5 MB/s",
    ]
    status.play("hedge", 1000)
    status.count(Chunk(np.zeros(1), np.array([0.5]), None, None))
    assert status._words(1.0, None, 0) == ["loss 0.5 a round", "1 rounds/s", "1 of 1,000"]


def test_a_terminal_of_80_columns_shows_a_bar_a_percentage_and_the_time_left():
    words = ["61%", "0:02 left", "loss 0.48595 a round", "accuracy 0.7626", "710,882 rounds/s"]
    words += ["2,447,520 of 4,000,000", "38.7 MB/s"]
    cells = status_module.fitting("online-linear", words, status_module.BAR, 80)
    assert cells == ["online-linear", None, *words[:4]]
    whole = status_module.fitting("online-linear", words, status_module.BAR, 160)
    assert whole == ["online-linear", None, *words]


def test_the_line_on_a_terminal(monkeypatch):
    from rich.console import Console

    status = status_module.Status()
    status.play("online-linear", 4_000_000)
    for _ in range(2):
        status.count(Chunk(np.zeros(4), np.full(4, 0.5), np.ones(4), None))
    status.rounds, status.since = 1_000_000, status.since - 10.0
    out = Console(width=80, force_terminal=True, color_system=None)
    with out.capture() as printed:
        out.print(status._line(False, 80))
    line = printed.get()
    assert line.count("\n") == 1
    assert "━" in line
    assert " 25% " in line
    assert "0:30 left" in line


@pytest.mark.skipif(not os.path.isdir("/proc/self/fdinfo"), reason="the system does not tell")
def test_bytes_read_are_those_of_whoever_has_the_file_open(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(1000))
    seen = status_module.Bytes(str(path))
    assert seen.read() == (0, None)
    with open(path, "rb", buffering=0) as file:
        file.read(250)
        assert seen.read() == (250, 0.25)
        file.seek(100)  # the next pass
        assert seen.read() == (1100, 0.1)
    assert seen.read() == (0, None)
    assert status_module.Bytes("-").read() == status_module.Bytes(None).read() == (0, None)


# ---- list and show


def test_list_says_what_learners_over_examples_play():
    plays = {r["learner"]: r["plays"] for r in json.loads(call("list", "--json").stdout)}
    assert plays["perceptron"] == ["two classes"]
    assert plays["ogd"] == ["two classes", "numbers"]
    assert plays["passive-aggressive"] == ["two classes", "numbers"]
    assert plays["online-linear"] == ["several classes", "numbers"]
    assert plays["projected-gradient"] == ["points of a set"]
    assert plays["hedge"] == ["losses", "advice"]
    known = {"losses", "advice", "votes", "two classes", "several classes", "numbers"}
    assert set().union(*plays.values()) <= known | {"points of a set", "arms", "intervals"}


def test_show_tells_which_losses_and_words_a_parameter_may_be():
    out = call("show", "passive-aggressive").stdout
    assert "two classes: examples; one of two labels is predicted from features" in out
    assert "loss = hinge  (absolute, hinge)" in out
    assert "variant = 0  (0, I or II)" in out
    assert "littlestone run FILE --outcome COLUMN --learner passive-aggressive" in out
    assert "gaussian:0.5" in call("show", "kernel-perceptron").stdout


# ---- real data


def test_adult_from_libsvm_to_a_test(data_dir):
    words = ["run", data_dir / "a1a", "--learner", "averaged-perceptron"]
    (row,) = rows_of(*words, "--test", data_dir / "a1a.t")
    assert (row["rounds"], row["test"]["rows"]) == (1605, 30_956)
    assert row["accuracy"] > 0.78 > 0.7539  # always -1
    assert row["test"]["accuracy"] > 0.82
    assert row["reference_mistakes"]["most_frequent"] == 395


def test_a_comparator_in_units_of_the_features_says_so():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 5))
    y = x @ [1.0, -2.0, 0.5, 1.0, 0.3] + 0.5 * rng.normal(size=400) > 0
    libsvm("mixed.libsvm", x * 10.0 ** np.array([-5, -2, 0, 2, 4]), signs(y))
    out = call("run", "mixed.libsvm", *LEARN).stdout
    assert " loss in units, penalty" in out
    assert "in units: weights count in |u|^2 times the typical size of their feature" in out
