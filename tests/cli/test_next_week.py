"""Next week's file: columns in another order, experts that are gone or new, keys that were never seen."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from cli.test_cli import call, here, refused  # noqa: F401 - a fixture that every test uses

import littlestone as ls

pytestmark = pytest.mark.usefixtures("plain")
QUIET = ["--report", "", "--no-certify"]
LOAD = ["--outcome", "y", "--load", "m.ls", *QUIET]


@pytest.fixture
def weeks():
    """A table of forecasts, its first half without `d` learned by tracker."""
    rng = np.random.default_rng(3)
    y = 50.0 + rng.normal(size=60).cumsum()
    table = pd.DataFrame(
        {name: y + rng.normal(size=60) * s for name, s in zip("abcd", (3, 1, 2, 0.2), strict=True)}
    )
    table.insert(0, "y", y)
    table[:30].drop(columns="d").to_csv("may.csv", index=False)
    words = ["--outcome", "y", "--task", "forecasting", *QUIET]
    call("run", "may.csv", *words, "--save", "m.ls")
    return table[30:]


def played(table, *words):
    """Play a table with what was saved: what was said, and the learner afterwards."""
    table.to_csv("june.csv", index=False)
    said = call("run", "june.csv", *LOAD, "--save", "out.ls", *words)
    return " ".join((said.stdout + said.stderr).split()), ls.load("out.ls")


def test_columns_in_another_order_are_the_same_experts(weeks):
    said, learner = played(weeks[["y", "a", "b", "c"]])
    assert "not here" not in said
    assert "new:" not in said
    _, other = played(weeks[["c", "y", "b", "a"]])
    assert other.digest() == learner.digest()


def test_an_expert_that_is_gone_sleeps(weeks):
    said, learner = played(weeks[["y", "c", "a"]])
    assert (
        "note: not here: 'b', which tracker was trained on; it sleeps: it gives no advice" in said
    )
    _, asleep = played(weeks[["y", "a", "b", "c"]].assign(b=np.nan))
    assert learner.digest() == asleep.digest()
    assert learner.live.names == ("a", "b", "c")


def test_an_expert_that_is_new_joins_and_the_theorem_is_named(weeks):
    said, learner = played(weeks)
    assert (
        "note: new: 'd' joins tracker with 1/n of the weight in the bases that track; T-TRACKER goes on to cover the "
        "others, and no theorem covers what it adds; --experts '!d' leaves it out"
    ) in said
    assert learner.live.names == ("a", "b", "c", "d")
    assert learner.weights.argmax() == 3  # it is by far the best
    _, without = played(weeks, "--experts", "!d")
    assert without.live.names == ("a", "b", "c")


def test_a_column_that_was_renamed_is_said_to_be(weeks):
    said, _ = played(weeks[["y", "a", "b", "c"]].rename(columns={"b": "b2"}))
    assert "note: if 'b2' is 'b' under another name, rename the column" in said
    weeks.rename(columns={"a": "e", "b": "f", "c": "g"}).to_csv("other.csv", index=False)
    said = refused("run", "other.csv", *LOAD)
    assert "none of the experts that tracker was trained on is here: they are a, b, c;" in said


def test_a_learner_that_no_expert_can_join_says_what_to_do(weeks):
    call("run", "may.csv", "--outcome", "y", "--learner", "adahedge", *QUIET, "--save", "m.ls")
    weeks.to_csv("june.csv", index=False)
    assert (
        "'d' is an expert that adahedge was not trained on, and none can join this learner later: leave it out with "
        "--experts '!d', or begin afresh with all columns (in june.csv)"
    ) in refused("run", "june.csv", *LOAD)
    call("run", "june.csv", *LOAD, "--experts", "!d")


def test_losses_by_name(weeks):
    losses = (weeks.drop(columns="y") / 100).round(3)
    losses[:15][["a", "b", "c"]].to_csv("may.csv", index=False)
    words = ["--losses", *QUIET]
    call("run", "may.csv", *words, "--learner", "hedge", "--save", "m.ls")
    found = []
    for names in ("abc", "cab"):
        losses[15:][list(names)].to_csv("june.csv", index=False)
        call("run", "june.csv", *words, "--load", "m.ls", "--save", "out.ls")
        found.append(ls.load("out.ls").digest())
    assert found[0] == found[1]
    losses[["a", "c"]].to_csv("june.csv", index=False)
    said = refused("run", "june.csv", *words, "--load", "m.ls")
    assert (
        "hedge was trained on the losses of 'b', and no column is called so: every expert needs a loss"
        in said
    )


def test_predict_lets_an_expert_that_is_gone_sleep(weeks):
    weeks[["c", "a", "d"]].to_csv("june.csv", index=False)
    out = call("predict", "m.ls", "june.csv")
    assert "note: not here: 'b', which tracker was trained on; it sleeps" in out.stderr
    a, c = weeks.iloc[0][["a", "c"]]
    assert out.stdout.splitlines()[1] == f"1,{ls.load('m.ls').predict([a, np.nan, c])!r}"


# ---- keys


@pytest.fixture
def shops():
    rng = np.random.default_rng(1)
    x = rng.normal(size=40)
    table = pd.DataFrame(
        {"shop": ["A", "B"] * 20, "x": x, "y": np.where(x > 0, "yes", "no"), "z": 3 * x + 1}
    )
    table.to_csv("shops.csv", index=False)
    return table


@pytest.mark.parametrize("outcome", ["y", "z"])
@pytest.mark.usefixtures("shops")
def test_a_key_that_was_never_seen_gets_the_first_answer_of_a_learner(outcome):
    words = ["--outcome", outcome, "--features", "x", "--by", "shop", *QUIET]
    call("run", "shops.csv", *words, "--learner", "online-linear", "--save", "m.ls")
    with open("june.csv", "w", encoding="utf-8") as file:
        file.write("shop,x\nA,1.5\nZ,1.5\nB,-1.5\nZ,2\n")
    out = call("predict", "m.ls", "june.csv", "--by", "shop")
    rows = list(csv.DictReader(io.StringIO(out.stdout)))
    assert [row["cold_start"] for row in rows] == ["false", "true", "false", "true"]
    said = {row["prediction"] for row in rows if row["shop"] == "Z"}
    assert said == {"0"} if outcome == "z" else said in ({"yes"}, {"no"})
    learners = ls.load("m.ls")
    assert str(learners["A"].predict([1.5]))[:6] == rows[0]["prediction"][:6]
    assert out.stderr == (
        "note: nothing was learned of shop 'Z': 2 rows with cold_start true have the first answer of a learner that "
        "begins\n"
    )
    if outcome == "y":
        out = call("predict", "m.ls", "june.csv", "--by", "shop", "--probabilities").stdout
        assert [
            row["p(yes)"] for row in csv.DictReader(io.StringIO(out)) if row["shop"] == "Z"
        ] == ["0.5", "0.5"]


# ---- what is wrong with a row


@pytest.mark.parametrize(
    ("header", "odd", "message"),
    [
        (
            "x,z",
            "abc,1",
            "'x' holds numbers, but row 17 is 'abc' (line 18: 'abc,1'); correct it, or skip such lines",
        ),
        ("x,z", "inf,1", "new.csv: row 17, column 'x': inf; features must be finite numbers"),
        ("x,z", "1", "new.csv, line 18: row 17 has 1 column, the header has 2"),
        (
            "z,w",
            "1,2",
            "trained on a column that is not here: no column is called 'x'; the columns are 'z', 'w' (in new",
        ),
        (
            "xx,z",
            "1,2",
            "no column is called 'x'; if 'xx' is it, rename it; the columns are 'xx', 'z' (in new.csv)",
        ),
    ],
    ids=["text", "infinite", "short", "missing", "renamed"],
)
@pytest.mark.usefixtures("shops")
def test_predict_names_the_row_and_the_column(header, odd, message):
    words = ["--outcome", "y", "--features", "x", *QUIET]
    call("run", "shops.csv", *words, "--learner", "online-linear", "--save", "m.ls")
    lines = [header, *["0.5,1"] * 16, odd, "0.5,1"]
    with open("new.csv", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    said = refused("predict", "m.ls", "new.csv")
    assert message in said
    assert "--features" not in said  # nobody has written that


@pytest.mark.usefixtures("shops")
def test_numbers_stay_numbers_and_text_stays_text():
    words = ["--outcome", "z", "--learner", "online-linear", *QUIET]
    call("run", "shops.csv", *words, "--save", "m.ls")  # from shop and y, which are text, and x
    head = "x,y,shop\n"
    for name, text in {
        "a": "abc,yes,A\n" * 20,
        "b": "1.5,yes,7\n" * 20,
        "c": "1.5,yes,A\n" * 20,
    }.items():
        with open(f"{name}.csv", "w", encoding="utf-8") as file:
            file.write(head + text)
    assert (
        "'x' held numbers when online-linear-regression was trained, but here it is text; correct it (in a.csv)"
    ) in refused("predict", "m.ls", "a.csv")
    learner = ls.load("m.ls")
    for name, shop in (("b", "7"), ("c", "A")):
        said = call("predict", "m.ls", f"{name}.csv").stdout.splitlines()[1].split(",")[1]
        assert float(said) == pytest.approx(learner.predict({"x": 1.5, "y": "yes", "shop": shop}))


def test_keys_that_have_no_row_this_week_are_kept():
    shops = pd.DataFrame({"shop": list("ABC") * 20, "a": np.arange(60.0), "y": np.arange(60.0)})
    shops.to_csv("may.csv", index=False)
    words = ["--outcome", "y", "--by", "shop", *QUIET]
    call("run", "may.csv", *words, "--task", "forecasting", "--save", "m.ls")
    shops[shops.shop != "C"].to_csv("june.csv", index=False)
    call("run", "june.csv", *words, "--load", "m.ls", "--save", "out.ls")
    before, after = ls.load("m.ls"), ls.load("out.ls")
    assert after["C"].digest() == before["C"].digest()
    assert after["A"].digest() != before["A"].digest()
    call("run", "june.csv", *words, "--load", "m.ls", "--save", "again.ls", "--save-every", "7")
    assert set(ls.load("again.ls")) == {"A", "B", "C"}
