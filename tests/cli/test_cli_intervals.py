"""`littlestone intervals`: the table, levels, keys, seasons from the column of times, the file of limits."""

import csv
import json

import numpy as np
import pytest
from cli.test_cli import call, refused

import littlestone as ls


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Every command runs in a folder of its own, on plain Python."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    prices("prices.csv")
    return tmp_path


def rounds(T=240):
    rng = np.random.default_rng(0)
    truth = 50 + np.sin(np.arange(T) / 4) * 5
    x = np.c_[truth + rng.normal(size=T), truth + 2 + 3 * rng.normal(size=T)].round(3)
    return x, (truth + rng.normal(size=T)).round(3)


def prices(path):
    x, y = rounds()
    start = np.datetime64("2024-01-01T00")
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "zone", "Real price", "A", "B"])
        for t in range(len(y)):
            writer.writerow(
                [
                    str(start + np.timedelta64(t, "h")).replace("T", " ") + ":00:00",
                    "NO" if t % 2 else "DE",
                    y[t],
                    *x[t],
                ]
            )


def written(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


RUN = ("intervals", "prices.csv", "--outcome", "Real price", "--report", "")


def test_the_table_has_late_and_prompt_truths_and_the_simple_answers(here):
    result = call(
        "intervals", "prices.csv", "--outcome", "Real price", "--level", 0.9, "--delay", 24
    )
    assert result.exit_code == 0, result.output
    assert "prices.csv: 240 rounds, intervals around the mixture of 2 forecasts" in result.output
    assert "cover at 0.9, 24 rounds late" in result.output
    assert "the last 500, at 0.9, 24 rounds late" in result.output
    assert "T-COVER kept" in result.output
    assert "seasons: 24, 168 rounds, from the column of times" in result.output
    page = (here / "littlestone-report.html").read_text(encoding="utf-8")
    assert "Misses of each tail" in page
    assert "24 rounds late" in page


def test_the_file_of_limits_is_what_the_library_says(here):
    result = call(*RUN, "--level", "0.5,0.9", "--season", 24, "--predictions", "p.csv")
    assert result.exit_code == 0, result.output
    x, y = rounds()
    times = np.datetime64("2024-01-01T00") + np.arange(240) * np.timedelta64(1, "h")
    found = ls.intervals(x, y, [0.5, 0.9], season=24, times=times)
    rows = written("p.csv")
    assert list(rows[0]) == [
        "round",
        "forecast",
        "lower 0.5",
        "upper 0.5",
        "lower 0.9",
        "upper 0.9",
        "outcome",
    ]
    for level, run in found.items():
        assert [float(r[f"lower {level}"]) for r in rows] == pytest.approx(run.lower.tolist())
        assert [float(r[f"upper {level}"]) for r in rows] == pytest.approx(run.upper.tolist())


def test_each_key_has_rows_of_its_own():
    result = call(
        *RUN, "--level", 0.9, "--by", "zone", "--predictions", "p.csv", "--season", 0, "--json"
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [(row["data"], row["rounds"]) for row in found] == [("DE", 120), ("NO", 120)]
    assert {row["verdict"] for row in found} == {"kept"}
    rows = written("p.csv")
    assert [row["zone"] for row in rows[:2]] == ["DE", "NO"]
    assert all(row["lower"] for row in rows)


def test_several_are_played_and_the_best_comes_first():
    result = call(
        *RUN,
        "--level",
        0.8,
        "--learner",
        "aci:gamma=0.05",
        "--learner",
        "quantile-tracker",
        "--json",
    )
    found = json.loads(result.stdout)
    assert {row["learner"] for row in found} == {"aci", "quantile-tracker"}
    assert found[0]["winkler"] <= found[1]["winkler"]
    assert next(row for row in found if row["learner"] == "aci")["parameters"]["gamma"] == 0.05


def test_columns_are_left_out_with_ignore_and_chosen_with_keep():
    ignored = call(*RUN, "--level", 0.9, "--ignore", "B", "--season", 0)
    assert ignored.exit_code == 0, ignored.output
    kept = call(*RUN, "--level", 0.9, "--keep", "A", "--season", 0)
    assert ignored.output.partition("note:")[0] == kept.output
    assert "2 forecasts" not in ignored.output


def test_rows_are_left_out_with_skip():
    found = json.loads(call(*RUN, "--level", 0.9, "--skip", 100, "--season", 0, "--json").stdout)
    assert found[0]["rounds"] == 140


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--level", "1.5"), "--level 1.5: write levels between 0 and 1"),
        (("--level", "many"), "--level many: write levels between 0 and 1"),
        (("--level", "0.9", "--season", "1"), "season must be a number of rounds, 2 or more"),
        (("--level", "0.9", "--season", "24", "--learner", "aci"), "--season: aci knows nothing of seasons"),
        (("--level", "0.9", "--learner", "perceptron"), "perceptron does not make prediction sets"),
        (("--level", "0.9", "--passes", "2"), "no such option"),
        (("--level", "0.9", "--save", "m.ls", "--delay", "3", "--learner", "kt-betting"), "makes 4 of them take"),
        (("--level", "0.9", "--skip", "500"), "240 rows; 500 of them cannot be skipped"),
        (("--level", "0.9", "-p", "gamma=1"), "cover has no parameter 'gamma'"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(words, message):
    assert message in refused(*RUN, *words)


def test_a_file_and_an_outcome_are_needed():
    assert "intervals need a FILE" in refused("intervals", "--level", "0.9")
    assert "intervals need --outcome" in refused("intervals", "prices.csv")


def test_the_level_is_nine_tenths_unless_another_is_named():
    assert call(*RUN, "--season", 0).stdout == call(*RUN, "--season", 0, "--level", 0.9).stdout


def test_compare_plays_several_good_ones():
    found = json.loads(call(*RUN, "--season", 0, "--compare", "--json").stdout)
    assert len({row["learner"] for row in found}) == 5
