"""Tables of strangers: dates as in 31.12.2024, outcomes that are empty or never change, a class called none, counts."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from littlestone.cli.interval_reference import ValueBefore
from littlestone.cli.main import main

QUIET = ("--report", "")


@pytest.fixture(autouse=True)
def in_a_new_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def call(*arguments, code=0):
    found = CliRunner().invoke(main, list(arguments))
    assert found.exit_code == code, found.output
    return " ".join(found.output.split())


def write(path, header, rows, separator=",", encoding="utf-8"):
    lines = [header, *(separator.join(map(str, row)) for row in rows)]
    with open(path, "w", encoding=encoding) as file:
        file.write("\n".join(lines) + "\n")


def numbers(columns, rows=120, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns)).round(3)


def test_days_that_are_written_as_in_germany_are_dates():
    x = numbers(2)
    days = [f"{i % 28 + 1:02}.{i // 28 + 1:02}.2023" for i in range(len(x))]
    rows = [(d, *(str(v).replace(".", ",") for v in row)) for d, row in zip(days, x, strict=True)]
    write("t.csv", "Datum;a;Preis", rows, ";")
    said = call("run", "t.csv", "--outcome", "Preis", *QUIET)
    assert "120 rounds, 1 feature, square loss" in said
    assert "note: left out: 'Datum' (date)" in said


def test_dates_of_a_table_tell_the_seasons_of_intervals():
    x = numbers(2, rows=60)
    write(
        "t.csv", "day,f,y", [(f"{i % 28 + 1}/{i // 28 + 1}/2023", *row) for i, row in enumerate(x)]
    )
    assert "seasons: 7 rounds, from the column of times" in call(
        "intervals", "t.csv", "--outcome", "y", *QUIET
    )


def test_versions_and_impossible_days_are_no_dates():
    for values in (["3.11.12", "3.9.1"], ["31.31.2024", "1.1.2024"]):
        write("t.csv", "v,a,y", [(values[i % 2], *row) for i, row in enumerate(numbers(2))])
        assert "columns ('v', 'a')" in call(
            "run", "t.csv", "--outcome", "y", "--task", "regression", *QUIET
        )


@pytest.mark.parametrize("command", ["run", "compare"])
def test_an_outcome_that_never_changes_is_compared_with_a_constant(command):
    write("t.csv", "a,b,y", [(*row, 3.25) for row in numbers(2)])
    said = call(command, "t.csv", "--outcome", "y", *QUIET)
    assert "a constant would have been better (0 against " in said
    assert "always the mean (3.25)" in said
    assert "the outcome of the round before" in said


def test_an_outcome_that_is_empty_is_said_to_be():
    write("t.csv", "a,b,y", [(*row, "") for row in numbers(2)])
    said = call("run", "t.csv", "--outcome", "y", *QUIET)
    assert "as it is empty in the rows that were looked at" in said
    assert "no row has an outcome: nothing was learned, and nothing can be compared" in said


@pytest.mark.parametrize("more", [(), ("--task", "classification"), ("--labels", "0,1,2")])
def test_several_classes_are_compared_by_learners_of_several_classes(more):
    write("t.csv", "a,b,y", [(*row, i % 3) for i, row in enumerate(numbers(2))])
    said = call("compare", "t.csv", "--outcome", "y", *more, *QUIET)
    assert all(name in said for name in ("online-linear", "softmax", "multiclass-perceptron"))
    assert "logistic" not in said


def test_none_among_words_is_a_class_and_among_numbers_it_is_missing():
    words = ("none", "mild", "severe")
    rows = [(i % 3, "none" if i % 10 == 0 else i % 7, words[i % 3]) for i in range(120)]
    write("t.csv", "dose,age,severity", rows)
    said = call("run", "t.csv", "--outcome", "severity", *QUIET)
    assert "classification of 'severity' (3 classes)" in said
    assert "without an outcome" not in said
    assert (
        "note: 12 missing numbers in 1 column (age): filled in by the mean of the earlier values"
        in said
    )


def test_none_is_a_class_behind_the_first_block_of_a_long_file(monkeypatch):
    monkeypatch.setattr("littlestone.streams.csv.csv_head.HEAD", 1 << 10)
    monkeypatch.setattr("littlestone.streams.csv.csv_rows.BLOCK", 1 << 10)
    words = ("none", "mild", "severe")
    write("t.csv", "dose,severity", [(i % 3, words[i % 3]) for i in range(900)])
    said = call("run", "t.csv", "--outcome", "severity", *QUIET)
    assert "without an outcome" not in said
    assert "(3 classes)" in said


def test_a_number_that_marks_what_is_missing_is_named():
    x = numbers(3)
    x[::20, 1] = -999
    write("t.csv", "a,b,y", x.tolist())
    said = call("run", "t.csv", "--outcome", "y", *QUIET)
    assert "'b' has -999 in 6 of the first 120 rows, far from its other values" in said
    assert "--features '!b'" in said


def test_columns_that_are_separated_by_blanks_are_not_read_as_one_name():
    write("t.txt", "a b y", [" ".join(map(str, row)).split(",") for row in numbers(3)])
    said = call("run", "t.txt", "--outcome", "y", code=2)
    assert (
        "has blanks between its words, and columns are separated by commas, semicolons, tabs or bars"
        in said
    )


def test_a_column_of_id_that_is_not_there_is_called_so():
    write("t.csv", "a,k,y", [(*row, i % 2) for i, row in enumerate(numbers(2))])
    call("run", "t.csv", "--outcome", "y", "--save", "m.ls", *QUIET)
    said = call("predict", "m.ls", "t.csv", "--id", "name", code=2)
    assert "--id: no column is called 'name'" in said
    write(
        "gap.csv", "a,k,who,y", [(*row, "" if i == 4 else i, 1) for i, row in enumerate(numbers(2))]
    )
    said = call("predict", "m.ls", "gap.csv", "--id", "who", code=2)
    assert "row 5, column 'who': --id names this column, and it is empty; fill it in" in said


def test_hashed_columns_are_counted():
    write("t.csv", "a,who,y", [(a, f"u{i}", i % 2) for i, (a,) in enumerate(numbers(1))])
    assert "2 columns hashed to 262,144 features" in call("run", "t.csv", "--outcome", "y", *QUIET)


# Intervals.


def test_intervals_around_the_value_before_are_named_where_they_are_better():
    rng = np.random.default_rng(1)
    level = 100 + rng.normal(size=300).cumsum()
    write("t.csv", "a,b,level", [(*x, y) for x, y in zip(numbers(2, 300), level, strict=True)])
    said = call("intervals", "t.csv", "--outcome", "level", *QUIET)
    assert (
        "cover at 0.9: intervals around the value before would have been better (Winkler " in said
    )
    (found,) = json.loads(call("intervals", "t.csv", "--outcome", "level", "--json"))
    assert found["value_before"]["winkler"] < found["winkler"]
    assert 0.85 < found["value_before"]["coverage"] < 0.95
    good = [(y + e, y) for y, e in zip(level, rng.normal(0, 0.1, 300), strict=True)]
    write("good.csv", "f,level", good)
    assert "value before" not in call("intervals", "good.csv", "--outcome", "level", *QUIET)


def test_intervals_around_the_value_before_know_only_what_had_come():
    y, level = numbers(1, rows=700)[:, 0], 0.9
    for late in (0, 3):
        whole, parts = ValueBefore([level], late), ValueBefore([level], late)
        whole.add(y)
        for part in np.array_split(y, 9):
            parts.add(part)
        found = whole.tallies[level].measures()
        in_parts = parts.tallies[level].measures()
        assert vars(in_parts) | {"name": 0.0} == pytest.approx(vars(found) | {"name": 0.0})
        held = []
        for t in range(late + 1, len(y)):
            errors = [abs(y[s] - y[s - late - 1]) for s in range(late + 1, t - late)][-500:]
            rank = int(np.ceil((len(errors) + 1) * level - 1e-9))
            reach = sorted(errors)[rank - 1] if rank <= len(errors) else np.inf
            held.append(abs(y[t] - y[t - late - 1]) <= reach)
        assert found.rounds == len(held)
        assert found.coverage == pytest.approx(np.mean(held))


def test_one_row_is_one_round():
    write("t.csv", "a,b,y", [(1, 2, 3)])
    assert "t.csv: 1 round, intervals" in call("intervals", "t.csv", "--outcome", "y", *QUIET)


# Claims.


def truths(rows=200):
    rng = np.random.default_rng(2)
    y = rng.choice(["ja", "nein"], rows)
    return [
        (a, a if keep else "ja", i % 20)
        for i, (a, keep) in enumerate(zip(y, rng.random(rows) < 0.9, strict=True))
    ]


@pytest.mark.parametrize(
    ("separator", "encoding", "more"),
    [
        (";", "utf-8", ()),
        ("\t", "utf-8", ()),
        (";", "cp1252", ("--encoding", "cp1252")),
        (",", "utf-16", ()),
    ],
)
def test_a_claim_is_read_as_other_files_are(separator, encoding, more):
    write("c.csv", separator.join(("größe", "modell", "gruppe")), truths(), separator, encoding)
    said = call("certify", "c.csv", "--truth", "größe", "--prediction", "modell", *more)
    assert "with 0.95 confidence the error is at most" in said


def test_a_claim_about_numbers_with_decimal_commas():
    rows = [tuple(str(v).replace(".", ",") for v in row) for row in numbers(2, 200)]
    write("c.csv", "y;p", rows, ";")
    more = ("--loss", "absolute", "--interval", "0", "9")
    assert "200 rows" in call("certify", "c.csv", "--truth", "y", "--prediction", "p", *more)


def test_a_file_of_another_encoding_is_refused_in_one_line():
    write("c.csv", "größe,modell", [r[:2] for r in truths()], encoding="cp1252")
    said = call("certify", "c.csv", "--truth", "größe", "--prediction", "modell", code=2)
    assert "is not a CSV file in UTF-8" in said
    assert "--encoding cp1252 for Windows" in said


def test_groups_of_a_claim_keep_their_zeros_and_a_long_file_its_rows(monkeypatch):
    rows = [(y, p, f"{g:03}") for y, p, g in truths()]
    write("c.csv", "y,p,g", rows)
    arguments = ("certify", "c.csv", "--truth", "y", "--prediction", "p", "--groups", "g", "--json")
    whole = json.loads(call(*arguments))
    assert (whole["groups"], whole["rows"]) == (20, 200)
    monkeypatch.setattr("littlestone.streams.csv.csv_head.HEAD", 1 << 9)
    monkeypatch.setattr("littlestone.streams.csv.csv_rows.BLOCK", 1 << 9)
    assert json.loads(call(*arguments)) == whole


def test_a_claim_that_a_constant_would_have_earned_says_so():
    write("c.csv", "y,p", [("no" if i % 10 else "yes", "no") for i in range(200)])
    said = call("certify", "c.csv", "--truth", "y", "--prediction", "p")
    assert (
        "note: always 'no' makes 20 errors in these rows, and the model 20: it is no better than a constant"
        in said
    )
    write("good.csv", "y,p", [r[:2] for r in truths()])
    assert "constant" not in call("certify", "good.csv", "--truth", "y", "--prediction", "p")


@pytest.mark.parametrize(("delay", "rounds"), [(0, "round 1"), (2, "rounds 1 to 3")])
def test_what_was_lost_before_the_first_outcome_is_said_where_it_is_most_of_the_loss(delay, rounds):
    x = numbers(3)
    write("t.csv", "a,b,c,y", [(*row, round(500.0 + row[0], 3)) for row in x])
    how = ("--task", "regression", "--learner", "online-linear", "--delay", str(delay), *QUIET)
    said = call("run", "t.csv", "--outcome", "y", *how)
    assert f"{rounds}: predicted before any outcome was known, and 100% of the loss" in said
    assert "each later round lost " in said


def test_what_was_lost_first_is_not_said_where_it_is_little_or_of_labels():
    x = numbers(3)
    write("t.csv", "a,b,c,y", [(*row, round(row[0] + row[1], 3)) for row in x])
    how = ("--task", "regression", "--learner", "online-linear", *QUIET)
    assert "before any outcome" not in call("run", "t.csv", "--outcome", "y", *how)
    write("u.csv", "a,b,c,y", [(*row, "yes" if row[0] > 0 else "no") for row in x])
    assert "before any outcome" not in call("run", "u.csv", "--outcome", "y", *QUIET)
