"""`littlestone replay LOG --arm … --policy ARM`: what a policy would have brought, from a log in a file."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli.main import main

FRAME = pd.DataFrame(
    {"layout": ["wide", "narrow", "wide", "wide"], "click": [1, 0, 1, 0], "score": [0.5] * 4}
)
NUMBERED = FRAME.assign(layout=[0, 1, 0, 0])


@pytest.fixture(autouse=True)
def _plain(plain):
    """Nothing here needs compiled code."""


def asked(folder, frame, *more):
    file = folder / "log.csv"
    frame.to_csv(file, index=False)
    columns = ("--arm", "layout", "--reward", "click", "--propensity", "score")
    return CliRunner().invoke(main, ["replay", str(file), *columns, *more])


@pytest.mark.parametrize(
    ("frame", "written", "target"),
    [
        (FRAME, "wide", "wide"),
        (FRAME, "wide=0.25,narrow=0.75", {"wide": 0.25, "narrow": 0.75}),
        (NUMBERED, "0", 0),
        (NUMBERED, "0=0.25,1=0.75", [0.25, 0.75]),
    ],
)
def test_a_policy_is_estimated_from_a_file(tmp_path, frame, written, target):
    expected = ls.off_policy_value(frame, target, arm="layout", reward="click", propensity="score")
    done = asked(tmp_path, frame, "--policy", written)
    assert done.exit_code == 0, done.output
    assert str(expected) in done.output
    rows = json.loads(asked(tmp_path, frame, "--policy", written, "--json").output)
    assert {r["method"]: r["value"] for r in rows} == {r.method: r.value for r in expected.rows}


@pytest.mark.parametrize(
    ("frame", "more", "message"),
    [
        (
            FRAME,
            ["--policy", "pink"],
            "--policy: 'pink' is none of the arms of the log: narrow, wide",
        ),
        (FRAME, ["--policy", "wide=x"], "--policy wide=x: write arms with probabilities"),
        (FRAME, ["--policy", "wide=0.5"], "is no distribution; its sum is 0.5"),
        (NUMBERED, ["--policy", "2=1"], "--policy: '2' is none of the arms 0, ..., 1"),
        (FRAME, ["--policy", "wide", "--learner", "ucb1"], "--learner does not go with --policy"),
        (FRAME, ["--policy", "wide", "--method", "match"], "--method does not go with --policy"),
    ],
)
def test_what_is_no_policy_is_refused(tmp_path, frame, more, message):
    done = asked(tmp_path, frame, *more)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
