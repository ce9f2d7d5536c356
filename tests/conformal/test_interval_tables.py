"""`ls.intervals` of a file or a frame: the same intervals as of arrays, and as at the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli.main import main


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    made = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=200, freq="h")})
    for k, name in enumerate("ab"):
        made[name] = y + rng.normal(size=200) * (0.5 + k)
    made["truth"] = y
    made.to_csv("t.csv", index=False)
    return made


def test_file_frame_arrays_and_command_line_agree(table):
    arrays = ls.intervals(
        table[["a", "b"]].to_numpy(), table["truth"], times=table["when"].to_numpy()
    )
    said = CliRunner().invoke(
        main, ["intervals", "t.csv", "--outcome", "truth", "--level", "0.9", "--json"]
    )
    row = json.loads(said.stdout)[0]
    for data in (table, "t.csv"):
        found = ls.intervals(data, outcome="truth")
        np.testing.assert_array_equal(found.lower, arrays.lower)
        np.testing.assert_array_equal(found.upper, arrays.upper)
        assert len(found.times) == 200
        assert found.chain.names == ("a", "b")
        assert row["coverage"] == pytest.approx(found.coverage)
        assert row["width"] == pytest.approx(found.width)


def test_columns_keys_and_levels(table):
    table["key"] = ["u", "v"] * 100
    found = ls.intervals(table, outcome="truth", experts=["a"], by="key")
    own = table[table["key"] == "u"]
    alone = ls.intervals(own["a"].to_numpy(), own["truth"], times=own["when"].to_numpy())
    np.testing.assert_array_equal(found["u"].lower, alone.lower)
    assert list(ls.intervals(table, outcome="truth", experts="[ab]", level=[0.5, 0.9])) == [
        0.5,
        0.9,
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda t: ls.intervals("t.csv"), "which column of t.csv is the truth"),
        (lambda t: ls.intervals(t, t["truth"], outcome="truth"), "say once where the truths are"),
        (lambda t: ls.intervals(t["a"].to_numpy(), outcome="y"), "names a column of a file or a frame"),
        (lambda t: ls.intervals(t["a"].to_numpy(), t["truth"], experts="a"), "experts: it names columns"),
        (lambda t: ls.intervals(t, outcome="truth", by=[1] * 200), "by: with a file or a frame"),
        (lambda t: ls.intervals(t, outcome="truht"), "no column is called 'truht'; did you mean 'truth'"),
    ],
)  # fmt: skip
def test_bad_input(table, given, said):
    with pytest.raises(ls.LittlestoneError, match=said):
        given(table)
